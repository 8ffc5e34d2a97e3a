//===- PackConversions.cpp - Round to 16 bits in pairs --------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `wave-pack-conversions`. gfx942 has no conversion to bf16; rounded
// as a vector, two elements share the instruction that packs them. So scalars
// that are rounded only to be put together are put together first. So are those
// that the program rounds to f16 towards zero, which is an instruction for two.
//
// Rounding must keep a NaN one. Where an exponential is rounded, plain integer
// rounding does: its NaNs are those that matrix instructions and arithmetic
// make of 16-bit data, whose lower half has no bits that could carry. Such
// roundings are marked `nnan`, which saves the test. Where what is subtracted
// in the exponent is a maximum over it, the exponential is at most 1, and
// either normal or 0 (results of v_exp_f32 below 2^-126 are): such roundings
// are marked `wave.bounded`, for `wave-pack-singles`. (An exponent beyond 2^31
// might be off by more than 112 by its own rounding: not counted.)
//
//   %0 = arith.truncf %a : f32 to bf16       %v = vector.from_elements %a, %b
//   %1 = arith.truncf %b : f32 to bf16   =>  %p = arith.truncf %v
//   %p = vector.from_elements %0, %1             : vector<2xf32> to
//   vector<2xbf16>
//
// Longer packs are put together from such pairs, which costs nothing.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Matchers.h"
#include "tlc/Dialect/Wave/Transforms/Passes.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::wave;

namespace tlc::wave {
#define GEN_PASS_DEF_WAVEPACKCONVERSIONS
#include "tlc/Dialect/Wave/Transforms/Passes.h.inc"
} // namespace tlc::wave

/// Whether the value is an exponential of what matrix products of 16-bit data
/// and scalars that any step leaves give.
static bool hasShortNaN(Value value) {
  auto exponential = value.getDefiningOp<math::Exp2Op>();
  if (!exponential)
    return false;
  SmallVector<Value> work = {exponential.getOperand()};
  bool matrix = false;
  for (int steps = 0; !work.empty(); ++steps) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (steps > 16)
      return false;
    if (auto mfma = dyn_cast_or_null<MfmaOp>(op)) {
      Type a = getElementTypeOrSelf(mfma.getA().getType());
      if (!a.isF16() && !a.isBF16())
        return false;
      matrix = true;
    } else if (auto part = dyn_cast_or_null<vector::ExtractOp>(op)) {
      work.push_back(part.getSource());
    } else if (isa_and_nonnull<arith::SubFOp, arith::MulFOp>(op)) {
      // What is subtracted and the scale hold for the whole row: a NaN there
      // is as short, for it comes of the same scores.
      work.push_back(op->getOperand(0));
    } else {
      return false;
    }
  }
  return matrix;
}

/// The factor and the value of a product with a positive constant; the value
/// itself and null otherwise.
static std::pair<Value, Value> splitScale(Value v) {
  if (auto product = v.getDefiningOp<arith::MulFOp>())
    for (unsigned i : {0, 1}) {
      APFloat scale(0.0f);
      if (matchPattern(product->getOperand(i), m_ConstantFloat(&scale)) &&
          scale.isNormal() && !scale.isNegative())
        return {product->getOperand(1 - i), product->getOperand(i)};
    }
  return {v, Value()};
}

static bool isSameConstant(Value a, Value b) {
  Attribute x, y;
  return a == b || (a && b && matchPattern(a, m_Constant(&x)) &&
                    matchPattern(b, m_Constant(&y)) && x == y);
}

/// Whether one of the values that \p max is the maximum of is \p v.
static bool isMaximumOver(Value max, Value v) {
  SmallVector<Value> work = {max};
  llvm::SmallDenseSet<Value> seen;
  while (!work.empty()) {
    Value m = work.pop_back_val();
    if (m == v)
      return true;
    if (Operation *op = m.getDefiningOp<arith::MaxNumFOp>();
        op && seen.insert(m).second)
      llvm::append_range(work, op->getOperands());
  }
  return false;
}

static bool isNegativeInfinity(Value v) {
  APFloat c(0.0f);
  return matchPattern(v, m_ConstantFloat(&c)) && c.isInfinity() &&
         c.isNegative();
}

/// Whether the value is 2 to the power of x * c - max(..., x, ...) * c, or a
/// little more where the maximum may lag behind. Zero may take the place of a
/// maximum of minus infinity.
static bool isWeight(Value value) {
  constexpr double kMostBehind = 64;
  auto exponential = value.getDefiningOp<math::Exp2Op>();
  auto difference =
      exponential ? exponential.getOperand().getDefiningOp<arith::SubFOp>()
                  : arith::SubFOp();
  if (!difference)
    return false;
  auto kernel = difference->getParentOfType<KernelOp>();
  auto lazy =
      kernel ? kernel->getAttrOfType<FloatAttr>(kLazyMaximumAttr) : FloatAttr();
  if (lazy && !(lazy.getValueAsDouble() <= kMostBehind))
    return false;
  Value shift = difference.getRhs();
  Value tested;
  if (auto select = shift.getDefiningOp<arith::SelectOp>()) {
    auto test = select.getCondition().getDefiningOp<arith::CmpFOp>();
    if (!test || test.getPredicate() != arith::CmpFPredicate::OEQ ||
        !isNegativeInfinity(test.getRhs()) ||
        !matchPattern(select.getTrueValue(), m_AnyZeroFloat()))
      return false;
    tested = test.getLhs();
    shift = select.getFalseValue();
  }
  auto [x, scale] = splitScale(difference.getLhs());
  auto [max, same] = splitScale(shift);
  return isSameConstant(scale, same) && (!tested || tested == max) &&
         isMaximumOver(max, x);
}

namespace {
struct PackConversions
    : tlc::wave::impl::WavePackConversionsBase<PackConversions> {
  void runOnOperation() override {
    SmallVector<vector::FromElementsOp> packs;
    getOperation().walk([&](vector::FromElementsOp pack) {
      Type element = pack.getType().getElementType();
      if ((element.isBF16() || element.isF16()) &&
          pack.getType().getRank() == 1 &&
          pack.getType().getNumElements() % 2 == 0)
        packs.push_back(pack);
    });
    for (vector::FromElementsOp pack : packs)
      rewrite(pack);
  }

  /// Only where every element is a rounding of an f32 with no other reader,
  /// all in one direction.
  void rewrite(vector::FromElementsOp pack) {
    SmallVector<Value> wide;
    SmallVector<Operation *> roundings;
    bool shortNaN = true, weights = true;
    std::optional<arith::RoundingMode> mode;
    for (Value element : pack.getElements()) {
      auto trunc = element.getDefiningOp<arith::TruncFOp>();
      if (!trunc || !trunc->hasOneUse() || !trunc.getIn().getType().isF32())
        return;
      if (!roundings.empty() && trunc.getRoundingmode() != mode)
        return;
      mode = trunc.getRoundingmode();
      shortNaN &= hasShortNaN(trunc.getIn());
      weights &= isWeight(trunc.getIn());
      wide.push_back(trunc.getIn());
      roundings.push_back(trunc);
    }
    VectorType type = pack.getType();
    bool half = type.getElementType().isF16();
    if (half && mode != arith::RoundingMode::toward_zero)
      return;
    // A pair at a time: the schedule can put each beside another matrix
    // instruction, and the registers of pairs lie side by side as they are.
    OpBuilder b(pack);
    Location loc = pack.getLoc();
    SmallVector<Value> parts;
    for (unsigned i = 0; i < wide.size(); i += 2) {
      auto together = vector::FromElementsOp::create(
          b, loc, VectorType::get({2}, b.getF32Type()),
          ValueRange{wide[i], wide[i + 1]});
      auto rounded = arith::TruncFOp::create(
          b, loc, VectorType::get({2}, type.getElementType()),
          together.getResult());
      if (mode)
        rounded.setRoundingmode(mode);
      if (shortNaN && !half)
        rounded.setFastmath(arith::FastMathFlags::nnan);
      if (weights && !half && !mode)
        rounded->setAttr(kBoundedAttr, b.getUnitAttr());
      if (wide.size() == 2) {
        parts = {rounded.getResult()};
        break;
      }
      for (int64_t element : {0, 1})
        parts.push_back(vector::ExtractOp::create(b, loc, rounded, element));
    }
    Value result = parts.front();
    if (wide.size() > 2)
      result = vector::FromElementsOp::create(b, loc, type, parts);
    pack.replaceAllUsesWith(result);
    pack.erase();
    for (Operation *rounding : roundings)
      rounding->erase();
  }
};
} // namespace
