//===- LayoutInference.h - State of tile-infer-layouts ----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DIALECT_TILE_TRANSFORMS_LAYOUTINFERENCE_H
#define TLC_LIB_DIALECT_TILE_TRANSFORMS_LAYOUTINFERENCE_H

#include "mlir/IR/Builders.h"
#include "tlc/Dialect/Tile/Transforms/GemmLayouts.h"
#include "tlc/Dialect/Tile/Transforms/TileAccess.h"

namespace tlc::tile {

/// Layouts of one kernel while they are being decided. The layout of a
/// fragment is the `layout` attribute of its alloc; that of a loop, of its op.
class LayoutInference {
public:
  explicit LayoutInference(KernelOp kernel)
      : kernel(kernel), threads(kernel.getNumThreads()),
        builder(kernel.getContext()) {}

  mlir::LogicalResult run();

private:
  // LayoutInference.cpp: anchors and propagation.
  mlir::LogicalResult anchorGemms();
  void fixFloatingFragments();
  void anchorHeld();
  void propagate();
  bool propagateThrough(mlir::Operation *op);
  bool propagateThroughPart(CopyOp copy);
  bool chooseFree();
  bool moveUnshapeable(const llvm::DenseSet<mlir::Operation *> &given);
  /// Layout of a loop from the laid out fragments it touches, if they say
  /// enough: every dimension of extent above 1 must be covered.
  std::optional<Layout> layoutFromFragments(mlir::Operation *op);
  /// A layout of an op's points for coalesced memory access.
  Layout freeLayout(mlir::Operation *op);
  Layout transposingLayout(CopyOp copy, llvm::ArrayRef<int64_t> points);
  /// A layout of a fragment none of whose ops is anchored.
  Layout freeFragmentLayout(AllocOp alloc);

  // ResolveLayouts.cpp: loops get layouts, disagreements conversions.
  mlir::LogicalResult normalize();
  mlir::LogicalResult resolve();
  mlir::LogicalResult resolveLoop(mlir::Operation *op);
  /// Loops, copies and fills carry their layout under one name.
  static void setLoopLayout(mlir::Operation *op, const Layout &layout);
  mlir::LogicalResult resolveReduce(ReduceOp op);
  mlir::LogicalResult resolveScan(ScanOp op);
  mlir::LogicalResult expandReduce(ReduceOp op);
  mlir::LogicalResult resolveGemm(GemmOp op);
  void remarkConversion(mlir::Operation *op, mlir::Value buffer,
                        llvm::StringRef through, llvm::StringRef why);

  /// A fragment's copy in LDS that only the loops after `copy` read.
  struct Converted {
    mlir::Value buffer;
    AllocOp temp;
    CopyOp copy;
  };
  llvm::SmallVector<Converted> converted;
  AllocOp findConverted(mlir::Operation *op, mlir::Value buffer);

  AllocOp createLike(mlir::Value buffer, Space space);

  static AllocOp fragmentOf(mlir::Value buffer);
  static std::optional<Layout> layoutOf(mlir::Value buffer);
  void setLayout(AllocOp alloc, const Layout &layout);

  KernelOp kernel;
  int64_t threads;
  mlir::OpBuilder builder;
};

/// The layout of a loop over `points` that accesses a part of a fragment of
/// `layout` at constant offsets, multiples of its extents (LayoutParts.cpp).
std::optional<Layout> layoutOfPart(const Access &access, const Layout &layout,
                                   llvm::ArrayRef<int64_t> points);

/// The layout of a fragment that a loop of layout `loop` reads at its points or
/// at their quotients by a constant: each thread has what its points read.
std::optional<Layout> layoutOfRead(const Access &access, const Layout &loop);

// RowRuns.cpp
/// Which operands of each gemm are to be read in runs of rows.
using WantedRuns = std::array<bool, 2>;
llvm::SmallVector<WantedRuns> wantedRuns(KernelOp kernel,
                                         llvm::ArrayRef<GemmOp> gemms);
/// Sets the runs in `mfma`, as long as they can be.
void setRuns(KernelOp kernel, llvm::ArrayRef<GemmOp> gemms,
             llvm::ArrayRef<WantedRuns> wanted);
/// Whether LDS must hold k contiguously although memory does not: the buffer is
/// read by gemms, and along k in none of them.
bool wantsTranspose(mlir::Value shared);

// AtomicResults.cpp
/// Whether the elements of a product's result, in these fragments, end in
/// atomics on global memory along its columns, and nowhere else.
bool feedsAtomics(llvm::ArrayRef<mlir::Value> results);
/// Whether an op is a loop that writes memory by atomics along its last
/// dimension only.
bool addsAlongColumns(mlir::Operation *op);
/// Whether any of these fragments goes into atomics on global memory as often
/// as one of the products makes it.
bool hasAtomics(llvm::ArrayRef<mlir::Value> results,
                llvm::ArrayRef<GemmOp> gemms);

// HoistConversions.cpp
/// Moves copies of fragments to LDS out of loops that do not write these.
void hoistConversions(KernelOp kernel);

// ExpandOps.cpp
mlir::LogicalResult expandTranspose(TransposeOp op);
void expandScan(ScanOp op, AllocOp in, AllocOp out, int64_t threads);
/// Whether the threads along a dimension can be combined by a butterfly of
/// lanes and an exchange between wavefronts.
bool isReducible(const Layout &layout, unsigned dim);

} // namespace tlc::tile

#endif // TLC_LIB_DIALECT_TILE_TRANSFORMS_LAYOUTINFERENCE_H
