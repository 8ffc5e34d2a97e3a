//===- PackSingles.cpp - Two f32 numbers an instruction -------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `wave-pack-singles`. gfx942 adds, multiplies and fuses two f32
// numbers of a lane in one instruction. A wavefront alone gains nothing by it,
// two on a SIMD do: so in a loop of matrix instructions whose vector work takes
// longer than they, where wavefronts share the SIMD, what is done to neighbours
// in a register tuple alike is done to both at once. A loop bound by its matrix
// instructions stays as it is: there single instructions fit beside them.
//
//   1. The arithmetic before an exponential, where both neighbours share it:
//
//   %a = vector.extract %s[0]           %v = vector.from_elements %a, %b
//   %b = vector.extract %s[1]           %w = arith.mulf %v, splat %c
//   %p = arith.mulf %a, %c         =>   %x = arith.subf %w, splat %m
//   %q = arith.subf %p, %m              %q = vector.extract %x[0]
//   %e = math.exp2 %q                   %e = math.exp2 %q
//   ... the same of %b
//
//   2. Sums, whose order is open: those of even and of odd terms.
//
//   3. Roundings to bf16 of numbers that are known to be normal and not large
//      (`wave.bounded`). With the products of 65,535, which is rounded, and
//      65,536, which is not, x * 65536 - round(x * 65535) is x rounded to
//      nearest even at eight bits, exactly: the first product has its last
//      place where the second has x's eighth bit, and a tie ends there on an
//      even number if the result is even, for x has sixteen zeros or ones
//      behind it then. Two packed instructions and the one that puts the halves
//      together take the place of five.
//
//   %r = arith.truncf %v                %g = arith.mulf %v, -65535 exact
//     {wave.bounded}               =>   %h = math.fma %v, 65536, %g
//                                       %r = arith.truncf %h toward_zero nnan
//
//===----------------------------------------------------------------------===//

#include "LoopGraph.h"
#include "tlc/Dialect/Wave/Transforms/Passes.h"
#include "tlc/Support/LdsBanks.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::wave;

namespace tlc::wave {
#define GEN_PASS_DEF_WAVEPACKSINGLES
#include "tlc/Dialect/Wave/Transforms/Passes.h.inc"
} // namespace tlc::wave

namespace {
class Packer {
public:
  explicit Packer(scf::ForOp loop)
      : body(loop.getBody()), b(loop.getContext()) {}
  void run();

private:
  void packBefore(Operation *first, Operation *second);
  bool pairs(Value x, Value y) const;
  Value pack(Value x, Value y);
  void packSum(arith::AddFOp last);
  void packRounding(arith::TruncFOp op);
  VectorType pair() { return VectorType::get({2}, b.getF32Type()); }
  Value splat(Location loc, Value v) {
    return vector::BroadcastOp::create(b, loc, pair(), v);
  }
  Value constant(Location loc, float v) {
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(pair(), v));
  }

  Block *body;
  OpBuilder b;
};

struct PackSingles : tlc::wave::impl::WavePackSinglesBase<PackSingles> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (isBound(loop))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      Packer(loop).run();
  }

  /// Whether vector work is what takes the loop's time.
  bool isBound(scf::ForOp loop) {
    LoopGraph graph(loop);
    return graph.build().empty() && graph.numMatrix && graph.sharesSimd() &&
           graph.vectorCycles > graph.numMatrix * graph.slotCycles;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Before an exponential
//===----------------------------------------------------------------------===//

static bool isElementwise(Operation *op) {
  return isa_and_nonnull<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op) &&
         op->getResult(0).getType().isF32();
}

/// Whether both are made alike of neighbours in one tuple and what is equal for
/// both. Nobody else may read what is made on the way.
bool Packer::pairs(Value x, Value y) const {
  if (x == y)
    return true;
  Operation *a = x.getDefiningOp(), *c = y.getDefiningOp();
  auto part = dyn_cast_or_null<vector::ExtractOp>(a);
  auto next = dyn_cast_or_null<vector::ExtractOp>(c);
  if (part && next) {
    ArrayRef<int64_t> i = part.getStaticPosition(),
                      j = next.getStaticPosition();
    return part.getSource() == next.getSource() && i.size() == 1 &&
           j.size() == 1 && i[0] % 2 == 0 && i[0] >= 0 && j[0] == i[0] + 1;
  }
  return isElementwise(a) && isElementwise(c) && a->getName() == c->getName() &&
         a->getAttrDictionary() == c->getAttrDictionary() &&
         a->getBlock() == body && c->getBlock() == body && x.hasOneUse() &&
         y.hasOneUse() && pairs(a->getOperand(0), c->getOperand(0)) &&
         pairs(a->getOperand(1), c->getOperand(1));
}

/// The two values as a vector; what made them remains, unread.
Value Packer::pack(Value x, Value y) {
  Operation *a = x.getDefiningOp();
  if (x == y)
    return splat(x.getLoc(), x);
  if (isa<vector::ExtractOp>(a))
    return vector::FromElementsOp::create(b, x.getLoc(), pair(),
                                          ValueRange{x, y});
  Operation *c = y.getDefiningOp();
  SmallVector<Value> operands;
  for (unsigned i : {0, 1})
    operands.push_back(pack(a->getOperand(i), c->getOperand(i)));
  OperationState state(a->getLoc(), a->getName().getIdentifier(), operands,
                       pair(), a->getAttrs());
  return b.create(state)->getResult(0);
}

void Packer::packBefore(Operation *first, Operation *second) {
  Value x = first->getOperand(0), y = second->getOperand(0);
  if (!isElementwise(x.getDefiningOp()) || x == y || !pairs(x, y))
    return;
  b.setInsertionPoint(first);
  // Of the second one's operands all are there: extractions, and what the
  // first one has, too.
  for (Operation *op = y.getDefiningOp(); isElementwise(op);) {
    Operation *from = nullptr;
    for (Value v : op->getOperands())
      if (auto part = v.getDefiningOp<vector::ExtractOp>();
          part && part->getBlock() == body && !part->isBeforeInBlock(first))
        part->moveBefore(first);
      else if (isElementwise(v.getDefiningOp()))
        from = v.getDefiningOp();
    op = from;
  }
  Value both = pack(x, y);
  int64_t element = 0;
  for (Operation *op : {first, second}) {
    b.setInsertionPoint(op);
    op->setOperand(0,
                   vector::ExtractOp::create(b, op->getLoc(), both, element));
    ++element;
  }
}

//===----------------------------------------------------------------------===//
// Sums and roundings
//===----------------------------------------------------------------------===//

/// A chain of additions ((a + b) + c) + ..., by its last one.
void Packer::packSum(arith::AddFOp last) {
  constexpr unsigned kLeast = 4;
  auto isPart = [&](Operation *op) {
    auto add = dyn_cast_or_null<arith::AddFOp>(op);
    return add && add->hasAttr(kReductionAttr) && add.getType().isF32() &&
           add->getBlock() == body;
  };
  if (!isPart(last) || (last->hasOneUse() && isPart(*last->user_begin())))
    return;
  SmallVector<Value> terms;
  Value v = last.getResult();
  while (isPart(v.getDefiningOp()) &&
         (v == last.getResult() || v.hasOneUse())) {
    auto add = v.getDefiningOp<arith::AddFOp>();
    terms.push_back(add.getRhs());
    v = add.getLhs();
  }
  terms.push_back(v);
  std::reverse(terms.begin(), terms.end());
  if (terms.size() < kLeast || terms.size() % 2)
    return;
  b.setInsertionPoint(last);
  Location loc = last.getLoc();
  auto add = [&](Value x, Value y) -> Value {
    auto op = arith::AddFOp::create(b, loc, x, y);
    op->setAttr(kReductionAttr, b.getUnitAttr());
    return op;
  };
  Value sum;
  for (unsigned i = 0; i < terms.size(); i += 2) {
    Value both = vector::FromElementsOp::create(
        b, loc, pair(), ValueRange{terms[i], terms[i + 1]});
    sum = sum ? add(sum, both) : both;
  }
  Value even = vector::ExtractOp::create(b, loc, sum, int64_t(0));
  Value odd = vector::ExtractOp::create(b, loc, sum, int64_t(1));
  last.replaceAllUsesWith(add(even, odd));
}

void Packer::packRounding(arith::TruncFOp op) {
  if (!op->hasAttr(kBoundedAttr) || op.getIn().getType() != pair() ||
      !getElementTypeOrSelf(op.getType()).isBF16())
    return;
  b.setInsertionPoint(op);
  Location loc = op.getLoc();
  Value x = op.getIn();
  // Fused into what follows the product would not be rounded.
  auto product = arith::MulFOp::create(b, loc, x, constant(loc, -65535.0f));
  product->setAttr(kExactAttr, b.getUnitAttr());
  Value rounded =
      math::FmaOp::create(b, loc, x, constant(loc, 65536.0f), product);
  auto cut = arith::TruncFOp::create(b, loc, op.getType(), rounded);
  cut.setRoundingmode(arith::RoundingMode::toward_zero);
  cut.setFastmath(arith::FastMathFlags::nnan);
  op.replaceAllUsesWith(cut.getResult());
  op.erase();
}

void Packer::run() {
  SmallVector<Operation *> exponentials, ops;
  for (Operation &op : *body) {
    ops.push_back(&op);
    if (isa<math::Exp2Op, math::ExpOp>(op) && op.getResult(0).getType().isF32())
      exponentials.push_back(&op);
  }
  for (unsigned i = 0; i + 1 < exponentials.size(); ++i)
    if (pairs(exponentials[i]->getOperand(0),
              exponentials[i + 1]->getOperand(0))) {
      packBefore(exponentials[i], exponentials[i + 1]);
      ++i;
    }
  for (Operation *op : ops)
    if (auto rounding = dyn_cast<arith::TruncFOp>(op))
      packRounding(rounding);
    else if (auto add = dyn_cast<arith::AddFOp>(op))
      packSum(add);
  for (auto &op : llvm::make_early_inc_range(llvm::reverse(*body)))
    if (isOpTriviallyDead(&op))
      op.erase();
}
