//===- Liveness.h - When buffers hold something -----------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DIALECT_TILE_TRANSFORMS_LIVENESS_H
#define TLC_LIB_DIALECT_TILE_TRANSFORMS_LIVENESS_H

#include "BufferUse.h"

namespace tlc::tile {

/// A buffer and the closed interval of op numbers (pre-order over the
/// kernel) in which its content matters.
struct LiveBuffer {
  mutable AllocOp alloc; ///< ops' accessors are not const
  int64_t bytes = 0;
  int64_t first = 0, last = 0;
  int64_t offset = 0; ///< where planLds puts it

  bool meets(const LiveBuffer &o) const {
    return first <= o.last && o.first <= last;
  }
};

/// The shared buffers of a kernel that something accesses. A buffer accessed in
/// a loop lives through the whole loop; with `reuseInLoops`, only within an
/// iteration if each iteration starts by overwriting it. `copies`, where given,
/// says how many copies of a buffer a loop will rotate through.
llvm::SmallVector<LiveBuffer>
getLiveBuffers(KernelOp kernel, bool reuseInLoops,
               llvm::function_ref<int64_t(AllocOp)> copies = nullptr);

/// The same for buffers of another space, of a size that the caller counts.
llvm::SmallVector<LiveBuffer>
getLiveBuffersOf(KernelOp kernel, Space space, bool reuseInLoops,
                 llvm::function_ref<int64_t(AllocOp)> size,
                 llvm::function_ref<bool(AllocOp)> rotates);

/// Sets the offsets, so that buffers alive at once do not overlap, and returns
/// the bytes needed. Small sets are placed optimally.
int64_t planLds(llvm::MutableArrayRef<LiveBuffer> buffers);

/// The most bytes alive at once: no plan needs less.
int64_t peakBytes(llvm::ArrayRef<LiveBuffer> buffers);

/// Reports that the shared buffers need `total` bytes and LDS has `limit`, with
/// a note for each buffer (FitLDS.cpp).
llvm::LogicalResult refuseLds(KernelOp kernel,
                              llvm::ArrayRef<LiveBuffer> buffers, int64_t total,
                              int64_t limit);

/// Refuses a kernel whose buffers as they stand need more than LDS has, and
/// leaves the need on it (kLdsNeededAttr).
llvm::LogicalResult checkLds(KernelOp kernel, int64_t limit);

} // namespace tlc::tile

#endif // TLC_LIB_DIALECT_TILE_TRANSFORMS_LIVENESS_H
