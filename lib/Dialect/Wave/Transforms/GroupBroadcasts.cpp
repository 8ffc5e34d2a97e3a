//===- GroupBroadcasts.cpp - Elements of other lanes, read together -------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `wave-group-broadcasts`. A value that one lane has for all is read
// into a scalar register, and a vector instruction may use that two wait states
// later at the earliest. Where many elements of one value are read, one by one
// before their uses, each would wait: so up to 16 are read together, as early
// as the first.
//
//   %a = wave.shuffle %v, %c0        %a = wave.shuffle %v, %c0
//   %p = arith.mulf %x, %a           %b = wave.shuffle %v, %c1
//   %b = wave.shuffle %v, %c1   =>   wave.sched_barrier
//   %q = arith.mulf %y, %b           %p = arith.mulf %x, %a
//                                    %q = arith.mulf %y, %b
//
// Which element a loop reads may also be a number that it computes
// (LaneTables.cpp).
//
//===----------------------------------------------------------------------===//

#include "LaneTables.h"
#include "mlir/IR/Matchers.h"
#include "tlc/Dialect/Wave/IR/WaveDialect.h"
#include "tlc/Dialect/Wave/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::wave;

namespace tlc::wave {
#define GEN_PASS_DEF_WAVEGROUPBROADCASTS
#include "tlc/Dialect/Wave/Transforms/Passes.h.inc"
} // namespace tlc::wave

/// Scalar registers that a group may take.
constexpr size_t kMostTogether = 16;

static void moveTogether(ArrayRef<ShuffleOp> group) {
  if (group.size() < 2)
    return;
  ShuffleOp last = group.front();
  for (ShuffleOp op : group.drop_front()) {
    Operation *lane = op.getLane().getDefiningOp();
    if (lane->getBlock() == op->getBlock() && last->isBeforeInBlock(lane))
      lane->moveBefore(group.front());
    op->moveAfter(last);
    last = op;
  }
  OpBuilder b(last->getContext());
  b.setInsertionPointAfter(last);
  SchedBarrierOp::create(b, last.getLoc(), int64_t(0));
}

namespace {
struct GroupBroadcasts
    : tlc::wave::impl::WaveGroupBroadcastsBase<GroupBroadcasts> {
  using WaveGroupBroadcastsBase::WaveGroupBroadcastsBase;

  void runOnOperation() override {
    makeLaneTables(getOperation());
    getOperation().walk([](Block *block) {
      llvm::MapVector<Value, SmallVector<ShuffleOp>> groups;
      for (ShuffleOp op :
           llvm::make_early_inc_range(block->getOps<ShuffleOp>()))
        if (matchPattern(op.getLane(), m_Constant())) {
          SmallVector<ShuffleOp> &group = groups[op.getValue()];
          group.push_back(op);
          if (group.size() == kMostTogether)
            moveTogether(std::exchange(group, {}));
        }
      for (auto &[value, group] : groups)
        moveTogether(group);
    });
  }
};
} // namespace
