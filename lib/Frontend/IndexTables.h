//===- IndexTables.h - Functions of an index as tables ----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an integer computed in the body of a T.Parallel is at each of its
// points.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_FRONTEND_INDEXTABLES_H
#define TLC_FRONTEND_INDEXTABLES_H

#include "tlc/Dialect/Tile/IR/TileDialect.h"
#include <optional>
#include <vector>

namespace tlc::frontend {

/// An index at all points of a loop, row-major, less a part that is the same at
/// all of them: `block * 64 + i // 2` gives i // 2. None where it is not
/// computed from the point in that way.
std::optional<std::vector<int64_t>> tabulateUpToConstant(tile::ParallelOp loop,
                                                         mlir::Value index);

} // namespace tlc::frontend

#endif // TLC_FRONTEND_INDEXTABLES_H
