//===- InferLayouts.cpp - Which thread holds what: tile-infer-layouts -----===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides the layout of every fragment, of every loop over points (parallel,
// copy, fill) and the matrix configuration of every gemm.
//
// 1. Anchors. Each gemm gets its `mfma` configuration (instruction shape and
//    wavefront grid by padded work and LDS traffic, within its policy; gemms
//    of equal M agree on the shape), and its C the accumulator's layout.
//    Fragments read outside loops are held by every thread. A layout that the
//    program gives to a fragment (its alloc has one already) or to a loop
//    (`tile.loop_layout`) stands.
// 2. Propagation to a fixed point. A loop takes the layout of a fragment that
//    it indexes by its variables, written ones first; fragments it indexes
//    plainly take theirs from the loop, dimensions they lack becoming
//    replication; a reduction's result is its source without the dimension.
// 3. Free choices, largest fragment first, each followed by propagation:
//    a gemm's register operand as the instruction wants it; what is staged for
//    a transposed LDS tile as that write wants it; a reduced row within one
//    wavefront; otherwise coalesced 16-byte accesses.
// 4. Resolution. Where a loop's threads do not hold an element, or a gemm
//    wants its operand otherwise, the fragment goes through LDS there, with a
//    remark that says what it costs. Nothing is refused for its layout.
//
// Before:
//   %s = tile.alloc : memref<128x64xf32, #tile.space<fragment>>
//   tile.gemm %q, %k into %s {trans_b, policy = #tile.policy<full_row>} ...
//   tile.reduce #tile.reduce_kind<max> %s into %m dim 1 ...
// After:
//   %s = tile.alloc {layout = #tile.layout<[32:t1, 4:t64],
//                    [4:r1, 2:t32, 4:r4, 2:r16]>} ...
//   tile.gemm ... {mfma = array<i64: 32, 32, 8, 4, 1, 1>} ...
//   %m = tile.alloc {layout = #tile.layout<[32:t1, 4:t64]>} ...
//
//===----------------------------------------------------------------------===//

#include "LayoutInference.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"

namespace tlc::tile {
#define GEN_PASS_DEF_TILEINFERLAYOUTS
#include "tlc/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tlc::tile

using namespace mlir;
using namespace tlc::tile;

namespace {
struct InferLayouts : tlc::tile::impl::TileInferLayoutsBase<InferLayouts> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([](KernelOp kernel) {
      if (kernel.getNumThreads() % 64) {
        kernel.emitError(
            "layouts need whole wavefronts, but the workgroup has ")
            << kernel.getNumThreads() << " threads: run tile-legalize first";
        return WalkResult::interrupt();
      }
      return failed(LayoutInference(kernel).run()) ? WalkResult::interrupt()
                                                   : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
