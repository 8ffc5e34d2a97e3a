//===- TileAccess.h - How an op touches its buffers -------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile op that is spread over threads runs over a box of points. This file
// describes, for each buffer it touches, which element a point means: every
// index an affine form of the point, or unknown. Layout inference and the
// conversion to the wave dialect both read ops through it.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_DIALECT_TILE_TRANSFORMS_TILEACCESS_H
#define TLC_DIALECT_TILE_TRANSFORMS_TILEACCESS_H

#include "tlc/Dialect/Tile/IR/TileDialect.h"
#include <vector>

namespace tlc::tile {

/// constant + uniform + sum of coeffs[d] * point[d]. `uniform` is a value that
/// is the same for all points (null: none). Not `known`: depends on the point
/// in some other way.
struct PointIndex {
  bool known = true;
  llvm::SmallVector<int64_t, 4> coeffs;
  int64_t constant = 0;
  mlir::Value uniform;
  /// Where above 1, `known` is false, and the index is the rest divided by it.
  int64_t divisor = 1;

  /// The point dimension this index is, exactly, or -1.
  int getDim() const;
  /// The dimension whose quotient by the divisor this index is, or -1.
  int getDividedDim() const;
  /// Whether it is the same for all points.
  bool isUniform() const;
  /// Value at a point where `uniform` is absent.
  int64_t at(llvm::ArrayRef<int64_t> point) const;
};

/// One buffer touched by an op.
struct Access {
  mlir::Operation *op = nullptr; ///< load, store, atomic or the tile op itself
  mlir::Value buffer;            ///< base buffer: alloc, tensor or alias result
  llvm::SmallVector<PointIndex, 4> indices; ///< one per dimension of buffer
  bool reads = false, writes = false;
  bool conditional = false; ///< under control flow inside a parallel

  /// Each index is a distinct point dimension or the only index of a
  /// dimension of extent 1: layouts carry over digit by digit.
  bool isPlain() const;
};

/// The box of points an op runs over: a parallel's extents, a copy's or fill's
/// dimensions of extent other than 1.
llvm::SmallVector<int64_t> getPoints(mlir::Operation *op);

/// Accesses of a tile.parallel, tile.copy or tile.fill.
std::vector<Access> getPointAccesses(mlir::Operation *op);

/// The layout of a tile in LDS, or of one seen under another shape or element
/// type; none where it has none of digits under that shape. A tile whose layout
/// is not chosen yet is row-major.
std::optional<Layout> getSharedLayout(mlir::Value buffer);

/// The layout of a fragment, or of one seen under another shape; none if it has
/// none yet, or none under that shape.
std::optional<Layout> getFragmentLayout(mlir::Value buffer);

/// How a gemm reads operand 0 (A) or 1 (B): over points (rows, k), rows being M
/// or N.
Access getOperandAccess(GemmOp gemm, unsigned operand);

/// An index value inside a parallel as a form of its points.
PointIndex getPointIndex(mlir::Value value, mlir::Block *parallelBody);

/// The slot of `buffer` layout that register `r` of every thread's loop layout
/// touches, for each r; -1 where the point lies outside the buffer. `failure`
/// if some thread does not hold the element, or holds it in another slot than
/// the first thread does.
mlir::FailureOr<llvm::SmallVector<int64_t>> getSlots(const Layout &loop,
                                                     const Access &access,
                                                     const Layout &buffer,
                                                     int64_t threads);

/// The register and lane in which each wavefront has the one element that a
/// load of a fragment reads at every point; nothing if the indices are not
/// constants or a wavefront has the element elsewhere or not at all.
std::optional<std::pair<int64_t, int64_t>>
getBroadcast(const Access &access, const Layout &buffer, int64_t threads);

} // namespace tlc::tile

#endif // TLC_DIALECT_TILE_TRANSFORMS_TILEACCESS_H
