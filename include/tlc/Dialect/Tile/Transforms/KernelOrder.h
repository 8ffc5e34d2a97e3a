//===- KernelOrder.h - The order of workgroups as an attribute --*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `tile-order-workgroups` notes its choice as the attribute `tile.order` of a
// kernel; the conversion to the wave dialect computes the indices:
//
//   tile.order = {dims = array<i64: 1, 0, 2>, panel = 4 : i64,
//                 reversed = array<i64: 0>, xcds = 8 : i64}
//
//===----------------------------------------------------------------------===//

#ifndef TLC_DIALECT_TILE_TRANSFORMS_KERNELORDER_H
#define TLC_DIALECT_TILE_TRANSFORMS_KERNELORDER_H

#include "tlc/Dialect/Tile/IR/TileDialect.h"
#include "tlc/Layout/WorkgroupOrder.h"
#include <optional>

namespace tlc::tile {

/// The order noted at the kernel, nothing for the hardware's. Reports a
/// malformed one.
mlir::FailureOr<std::optional<WorkgroupOrder>> getOrder(KernelOp kernel);
void setOrder(KernelOp kernel, const WorkgroupOrder &order);

} // namespace tlc::tile

#endif // TLC_DIALECT_TILE_TRANSFORMS_KERNELORDER_H
