//===- BufferUse.h - Who reads and writes a buffer --------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the passes of this folder ask about buffers: accesses, sizes, uniformity
// of scalars over the workgroup.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DIALECT_TILE_TRANSFORMS_BUFFERUSE_H
#define TLC_LIB_DIALECT_TILE_TRANSFORMS_BUFFERUSE_H

#include "tlc/Dialect/Tile/IR/TileDialect.h"
#include "llvm/ADT/SetVector.h"

namespace tlc::tile {

/// One operand of an op through which it reads or writes a buffer.
struct BufferUse {
  mlir::Operation *op = nullptr;
  mlir::Value buffer; // the operand: a base, view or alias
  bool read = false, write = false;
};

/// The accesses of `op` itself, not of ops nested in it. An operand that is
/// both read and written gives one access.
llvm::SmallVector<BufferUse, 3> getUses(mlir::Operation *op);

/// Every access to the storage of `base`, through views and aliases too, in
/// program order.
llvm::SmallVector<BufferUse> getAllUses(mlir::Value base);

/// Whether `buffer` is all of its base: the base itself, an alias of it, or a
/// view of its full shape at offset 0.
bool coversBase(mlir::Value buffer);

/// On a store in a loop that was cut into parts (ChunkLoops.cpp): all parts
/// together store every element of the buffer.
inline constexpr llvm::StringLiteral kOverwritesAttr = "tile.overwrites";
/// On the loop over these parts.
inline constexpr llvm::StringLiteral kPartsAttr = "tile.parts";

/// Whether `op`, or the loop over points that it stands in, overwrites every
/// element of the access's base without reading the old content.
bool overwritesBase(const BufferUse &access);

/// Gives an alloc, and what is made of it, another space.
void moveTo(mlir::Value buffer, Space space);

/// Bytes of an element in memory (i1 takes one).
int64_t getElementBytes(mlir::Type memref);
/// Bytes of a shared buffer in LDS, padding of its layout included.
int64_t getLdsBytes(AllocOp alloc);
/// All allocs of a space below `root`, in program order.
llvm::SmallVector<AllocOp> getAllocs(mlir::Operation *root, Space space);

/// Whether a scalar is the same in all threads of the workgroup: it does not
/// depend on tile.thread_id, a point of a tile.parallel, or thread-private
/// memory.
bool isUniform(mlir::Value value);

/// Moves what is the same for all points of a parallel out of it
/// (HoistInvariants.cpp).
void hoistInvariants(KernelOp kernel);

/// Warns of points of a parallel that meet in one element (PointRaces.cpp).
void warnOfRaces(KernelOp kernel);

/// Values that points of a parallel store to LDS reach their own later loads
/// (ForwardStores.cpp).
void forwardStores(KernelOp kernel);

/// Takes barriers out of branches that part of the workgroup takes
/// (SplitBarriers.cpp).
mlir::LogicalResult splitBarriers(KernelOp kernel);
/// Replaces a branch around a kernel's body by guards around what is written
/// per thread; ops that all threads take part in stand outside them.
mlir::LogicalResult guardThreads(KernelOp kernel, mlir::scf::IfOp branch);

/// Erases views and aliases (and scalar code) that nothing uses any more.
void eraseDeadCode(mlir::Operation *root);

} // namespace tlc::tile

#endif // TLC_LIB_DIALECT_TILE_TRANSFORMS_BUFFERUSE_H
