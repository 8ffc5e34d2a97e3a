//===- TileDialect.h - The tile dialect -------------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Logical tiles: what a tile program computes, before anything is decided
// about threads, registers or LDS. Its ops are documented in TileOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_DIALECT_TILE_IR_TILEDIALECT_H
#define TLC_DIALECT_TILE_IR_TILEDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tlc/Layout/Layout.h"

#include "tlc/Dialect/Tile/IR/TileDialect.h.inc"
#include "tlc/Dialect/Tile/IR/TileEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "tlc/Dialect/Tile/IR/TileAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "tlc/Dialect/Tile/IR/TileTypes.h.inc"
#define GET_OP_CLASSES
#include "tlc/Dialect/Tile/IR/TileOps.h.inc"

namespace tlc::tile {

/// The space of a buffer type; memrefs without a space are global.
Space getSpace(mlir::Type memref);
inline Space getSpace(mlir::Value buffer) { return getSpace(buffer.getType()); }

/// memref<shape x element, #tile.space<space>> with the identity layout.
mlir::MemRefType getBufferType(llvm::ArrayRef<int64_t> shape,
                               mlir::Type element, Space space);

/// The buffer behind views and aliases: a TensorOp or AllocOp result.
mlir::Value getBase(mlir::Value buffer);

/// A box of a base buffer as tile ops see it: `offsets` has one value per
/// dimension of the base, or is empty where the box is the whole base (all
/// offsets 0). `shape` is the box's extent in each dimension.
struct Region {
  mlir::Value base;
  llvm::SmallVector<mlir::Value> offsets;
  llvm::SmallVector<int64_t> shape;
};
/// Looks through one `tile.view`; tile-legalize folds views of views, so that
/// there is no second. Aliases stay: the base is then the AliasOp's result.
Region getRegion(mlir::Value buffer);

/// The dimensions of `shape` whose extent is not 1, in order: what copies
/// match.
llvm::SmallVector<unsigned> nonUnitDims(llvm::ArrayRef<int64_t> shape);

/// The symbol a kernel gets in the code object: its `name`, else the func's name,
/// followed by `_<index>` where the func launches several.
std::string getKernelSymbol(KernelOp kernel);

/// The name a buffer has in the source, or "".
llvm::StringRef getBufferName(mlir::Value buffer);

} // namespace tlc::tile

#endif // TLC_DIALECT_TILE_IR_TILEDIALECT_H
