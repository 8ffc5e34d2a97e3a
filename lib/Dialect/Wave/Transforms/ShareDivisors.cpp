//===- ShareDivisors.cpp - One reciprocal for many divisions --------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `wave-share-divisors`. A softmax divides each element of a row by
// the row's sum. A division takes eight instructions, a product one: many
// divisions by one value become products with its reciprocal, which differ from
// the quotients by two units in the last place at most.
//
// The reciprocal of a very small or large divisor is no normal number although
// quotients may be. So the divisor is first brought between 2^-85 and 2^64 by a
// power of two, s, and the products by the same one afterwards.
//
// The reciprocal is the instruction's own (afn), good to a unit in the last
// place: the divisor is in its range.
//
// Left alone: quotients that are compared, rounded to integers, or clamped, for
// they may have been meant to hit a number exactly.
//
//   %q0 = arith.divf %x0, %d          %s = 2^64, 2^-64 or, nearly always, 1
//   %q1 = arith.divf %x1, %d    =>    %e = arith.mulf %d, %s
//   ...                               %r = arith.divf %one, %e fastmath<afn>
//                                     %q0 = (%x0 * %r) * %s
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Matchers.h"
#include "tlc/Dialect/Tile/IR/Relaxations.h"
#include "tlc/Dialect/Wave/IR/WaveDialect.h"
#include "tlc/Dialect/Wave/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::wave;

namespace tlc::wave {
#define GEN_PASS_DEF_WAVESHAREDIVISORS
#include "tlc/Dialect/Wave/Transforms/Passes.h.inc"
} // namespace tlc::wave

namespace {
struct ShareDivisors : tlc::wave::impl::WaveShareDivisorsBase<ShareDivisors> {
  using WaveShareDivisorsBase::WaveShareDivisorsBase;

  void runOnOperation() override {
    llvm::MapVector<std::pair<Block *, Value>, SmallVector<arith::DivFOp>>
        groups;
    getOperation().walk([&](arith::DivFOp op) {
      if (qualifies(op))
        groups[{op->getBlock(), op.getRhs()}].push_back(op);
    });
    for (auto &[key, divisions] : groups)
      if (int64_t(divisions.size()) >= minimum)
        rewrite(key.second, divisions);
  }

  static bool qualifies(arith::DivFOp op);
  void rewrite(Value divisor, ArrayRef<arith::DivFOp> divisions);
};
} // namespace

bool ShareDivisors::qualifies(arith::DivFOp op) {
  Attribute constant;
  if (!op.getType().isF32() || op->hasAttr(tile::kIeeeAttr) ||
      matchPattern(op.getRhs(), m_Constant(&constant)))
    return false;
  return llvm::all_of(op->getUsers(), [](Operation *user) {
    if (auto trunc = dyn_cast<arith::TruncFOp>(user))
      return trunc.getType().getIntOrFloatBitWidth() == 16;
    return isa<arith::SelectOp, arith::MulFOp, arith::AddFOp,
               vector::FromElementsOp, BufferStoreOp, GlobalStoreOp,
               LdsStoreOp>(user);
  });
}

void ShareDivisors::rewrite(Value divisor, ArrayRef<arith::DivFOp> divisions) {
  arith::DivFOp first = divisions.front();
  OpBuilder b(first);
  Location loc = first.getLoc();
  auto number = [&](float v) -> Value {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(v));
  };
  Value size = math::AbsFOp::create(b, loc, divisor), one = number(1);
  Value small = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, size,
                                      number(0x1p-64f));
  Value large = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, size,
                                      number(0x1p64f));
  Value scale = arith::SelectOp::create(b, loc, large, number(0x1p-64f), one);
  scale = arith::SelectOp::create(b, loc, small, number(0x1p64f), scale);
  Value scaled = arith::MulFOp::create(b, loc, divisor, scale);
  Value reciprocal =
      arith::DivFOp::create(b, loc, one, scaled, arith::FastMathFlags::afn);
  for (arith::DivFOp op : divisions) {
    b.setInsertionPoint(op);
    Value product =
        arith::MulFOp::create(b, op.getLoc(), op.getLhs(), reciprocal);
    product = arith::MulFOp::create(b, op.getLoc(), product, scale);
    op.replaceAllUsesWith(product);
    op.erase();
  }
}
