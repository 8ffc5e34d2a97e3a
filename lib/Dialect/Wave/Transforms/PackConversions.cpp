//===- PackConversions.cpp - Round to 16 bits in pairs --------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `wave-pack-conversions`. gfx942 has no conversion to bf16; rounded
// as a vector, two elements share the instruction that packs them. Rounded to
// f16, two elements need no instruction that packs them, and towards zero they
// share one. So scalars that are rounded only to be put together are put
// together first, in loops those to the nearest f16, too.
//
// Rounding must keep a NaN one. Where an exponential of scores is rounded,
// plain integer rounding does: its NaNs are those that matrix instructions and
// arithmetic make of 16-bit data, whose lower half has no bits that could
// carry. Such roundings are marked `nnan`, which saves the test. Where f32 data
// from memory come in, as the logarithms of sums in gradients do, they are not.
//
// An exponential is no tie between two bf16: of a rational number it is a power
// of two or irrational. A tie that the instruction gives is its own error, of
// up to 1 ulp to either side, and either neighbour is as near to the
// exponential as the other. So exponentials that are rounded to nearest bf16
// are rounded with ties away from zero, one operation an element instead of
// two. (2^-134, a tie between denormals, is 0: the instruction has no denormal
// results.)
//
//   %0 = arith.truncf %a : f32 to bf16       %v = vector.from_elements %a, %b
//   %1 = arith.truncf %b : f32 to bf16   =>  %p = arith.truncf %v
//   %p = vector.from_elements %0, %1             : vector<2xf32> to
//   vector<2xbf16>
//
//   %0 = math.exp2 %x                        %0 = math.exp2 %x
//   %1 = arith.truncf %0 : f32 to bf16   =>  %1 = arith.truncf %0
//                                                 to_nearest_away
//
// Longer packs are put together from such pairs, which costs nothing.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "tlc/Dialect/Wave/Transforms/Passes.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::wave;

namespace tlc::wave {
#define GEN_PASS_DEF_WAVEPACKCONVERSIONS
#include "tlc/Dialect/Wave/Transforms/Passes.h.inc"
} // namespace tlc::wave

/// What a float is computed from, one step back. False where that is not known.
static bool pushSources(Value value, SmallVectorImpl<Value> &work) {
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
    if (!loop || arg == loop.getInductionVar())
      return false;
    work.push_back(loop.getTiedLoopInit(arg)->get());
    work.push_back(loop.getTiedLoopYieldedValue(arg)->get());
    return true;
  }
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    work.push_back(loop.getInitArgs()[number]);
    work.push_back(loop.getYieldedValues()[number]);
    return true;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    work.push_back(branch.thenYield().getOperand(number));
    work.push_back(branch.elseYield().getOperand(number));
    return true;
  }
  if (op->getNumRegions() || !isPure(op))
    return false;
  for (Value operand : op->getOperands())
    if (isa<FloatType>(getElementTypeOrSelf(operand.getType())))
      work.push_back(operand);
  return !isa<arith::BitcastOp, vector::BitCastOp>(op);
}

/// Whether the value is an exponential of scores, products of 16-bit data, and
/// of what is computed from such and from constants. What is loaded as f32, or
/// given, may be any NaN.
static bool hasShortNaN(Value value) {
  auto exponential = value.getDefiningOp<math::Exp2Op>();
  if (!exponential)
    return false;
  SmallVector<Value> work = {exponential.getOperand()};
  llvm::SmallPtrSet<Value, 32> seen;
  bool matrix = false;
  constexpr unsigned kMostSteps = 512;
  while (!work.empty()) {
    Value v = work.pop_back_val();
    if (!seen.insert(v).second)
      continue;
    if (seen.size() > kMostSteps)
      return false;
    Type type = getElementTypeOrSelf(v.getType());
    FloatAttr number;
    DenseElementsAttr numbers;
    if (type.isF16() || type.isBF16())
      continue; // its lower half is none
    if (auto mfma = v.getDefiningOp<MfmaOp>()) {
      Type a = getElementTypeOrSelf(mfma.getA().getType());
      if (!a.isF16() && !a.isBF16())
        return false;
      matrix = true;
      work.push_back(mfma.getC());
    } else if (matchPattern(v, m_Constant(&number))) {
      if (number.getValue().isNaN())
        return false;
    } else if (matchPattern(v, m_Constant(&numbers))) {
      if (llvm::any_of(numbers.getValues<APFloat>(),
                       [](const APFloat &x) { return x.isNaN(); }))
        return false;
    } else if (!pushSources(v, work)) {
      return false;
    }
  }
  return matrix;
}

/// Whether a value of f32 is an exponential, or a vector of such.
static bool isExponential(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto parts = dyn_cast_or_null<vector::FromElementsOp>(op))
    return llvm::all_of(parts.getElements(), isExponential);
  return getElementTypeOrSelf(value.getType()).isF32() &&
         isa_and_nonnull<math::Exp2Op, math::ExpOp>(op);
}

/// To nearest, of what is no tie: ties away from zero cost least.
static void chooseTies(arith::TruncFOp rounding) {
  arith::RoundingMode mode =
      rounding.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even);
  if (mode == arith::RoundingMode::to_nearest_even &&
      getElementTypeOrSelf(rounding.getType()).isBF16() &&
      isExponential(rounding.getIn()))
    rounding.setRoundingmode(arith::RoundingMode::to_nearest_away);
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
    getOperation().walk(chooseTies);
  }

  /// Only where every element is a rounding of an f32 with no other reader,
  /// all in one direction.
  void rewrite(vector::FromElementsOp pack) {
    SmallVector<Value> wide;
    SmallVector<Operation *> roundings;
    bool shortNaN = true;
    std::optional<arith::RoundingMode> mode;
    for (Value element : pack.getElements()) {
      auto trunc = element.getDefiningOp<arith::TruncFOp>();
      if (!trunc || !trunc->hasOneUse() || !trunc.getIn().getType().isF32())
        return;
      if (!roundings.empty() && trunc.getRoundingmode() != mode)
        return;
      mode = trunc.getRoundingmode();
      shortNaN &= hasShortNaN(trunc.getIn());
      wide.push_back(trunc.getIn());
      roundings.push_back(trunc);
    }
    VectorType type = pack.getType();
    bool half = type.getElementType().isF16();
    // Behind a loop its sums may fill the registers, and a pair holds both of
    // its halves' while it is rounded: code generation spilled there.
    if (half && mode != arith::RoundingMode::toward_zero &&
        !pack->getParentOfType<scf::ForOp>())
      return;
    // A pair at a time: the schedule can put each beside another matrix
    // instruction, and the registers of pairs lie side by side as they are.
    OpBuilder b(pack);
    Location loc = pack.getLoc();
    SmallVector<Value> parts;
    Type dword = VectorType::get({1}, b.getI32Type());
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
      parts.push_back(rounded);
    }
    Value result = parts.front();
    if (parts.size() > 1) {
      // By their registers: taken by elements, LLVM would make the pairs anew
      // where they are read.
      for (Value &part : parts)
        part = vector::ExtractOp::create(
            b, loc, vector::BitCastOp::create(b, loc, dword, part), 0);
      auto dwords = vector::FromElementsOp::create(
          b, loc, VectorType::get({int64_t(parts.size())}, b.getI32Type()),
          parts);
      result = vector::BitCastOp::create(b, loc, type, dwords);
    }
    pack.replaceAllUsesWith(result);
    pack.erase();
    for (Operation *rounding : roundings)
      rounding->erase();
  }
};
} // namespace
