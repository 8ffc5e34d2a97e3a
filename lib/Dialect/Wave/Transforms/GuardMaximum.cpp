//===- GuardMaximum.cpp - Branch around what a maximum changes ------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `wave-guard-maximum`. An online softmax keeps a running maximum for
// each row, and what follows from it: the shift of the exponents, the factor by
// which older results are multiplied, the multiplied results. All of that is
// as it was while no maximum moves, which soon is nearly always. Whether one
// moves each lane can tell from its own scores, before lanes exchange theirs.
//
// So where a loop carries m' = max(m, exchange(p)), and multiplies register
// tuples by a factor of m and m' alone, there is a branch, uniform over the
// wavefront, that is taken if some lane has p > t. In the branch lanes exchange
// p, and what depends on m' is computed anew; beside it, it is carried on:
// m' itself and what depends on m' alone (the shift), which the loop now
// carries. A second branch under the same condition, later, multiplies the
// tuples and scalars that the loop carries (the running sum), so that the first
// does not have to wait for them.
//
// t is m where factor(m, m) is exactly 1, computed in the branch, and NaN where
// it is not (a row without any score yet, where m is minus infinity): there the
// branch is taken. Products that are subtracted to give the factor's exponent
// are marked `wave.exact`, as in `wave-skip-rescale`, which treats what this
// pass leaves.
//
// Where the kernel declares that the maximum may lag behind by a power p of two
// (`wave.lazy_maximum`), t is m + p / c, if the exponent is that of 2 and has
// maxima times c: no weight exceeds 2^p then.
//
//   %o = wave.shuffle_xor %p, 32          %moved = arith.cmpf ugt, %p, %t
//   %x = arith.maxnumf %p, %o             %any = wave.any %moved
//   %n = arith.maxnumf %m, %x             %n, %t1, %s, %f = scf.if %any {
//   %s = arith.mulf %n, %c                  ... the ops on the left ...
//   %e = arith.mulf %m, %c          =>      scf.yield
//   %d = arith.subf %e, %s                } else {
//   %f = math.exp2 %d                       scf.yield %m, %t, %s0, poison
//   ... arith.mulf %l, %f                 }
//   ... vector %acc * %f                  %acc1, %l1 = scf.if %any {
//                                           ... %acc * %f, %l * %f
//                                         } else { scf.yield %acc, %l }
//
//===----------------------------------------------------------------------===//

#include "LaneSymmetry.h"
#include "Rescale.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "tlc/Dialect/Wave/Transforms/Passes.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::wave;

namespace tlc::wave {
#define GEN_PASS_DEF_WAVEGUARDMAXIMUM
#include "tlc/Dialect/Wave/Transforms/Passes.h.inc"
} // namespace tlc::wave

/// max(exchange(p), c) is exchange(max(p, c)), where the exchange has no other
/// reader: it can then go into the branch.
static void sinkConstants(KernelOp kernel) {
  SmallVector<arith::MaxNumFOp> maxima;
  kernel.walk([&](arith::MaxNumFOp op) { maxima.push_back(op); });
  for (arith::MaxNumFOp op : maxima)
    for (bool left : {true, false}) {
      Value constant = left ? op.getLhs() : op.getRhs();
      Value exchanged = left ? op.getRhs() : op.getLhs();
      Butterfly b = matchButterfly<arith::MaxNumFOp>(exchanged);
      bool ours = !b.ops.empty() && matchPattern(constant, m_Constant()) &&
                  llvm::all_of(b.ops, [&](Operation *each) {
                    return llvm::all_of(each->getUsers(), [&](Operation *user) {
                      return user == op || llvm::is_contained(b.ops, user);
                    });
                  });
      if (!ours)
        continue;
      OpBuilder builder(b.ops.front());
      if (Operation *def = constant.getDefiningOp();
          def->getBlock() == b.ops.front()->getBlock() &&
          !def->isBeforeInBlock(b.ops.front()))
        constant = builder.clone(*def)->getResult(0);
      Value partial =
          arith::MaxNumFOp::create(builder, op.getLoc(), b.partial, constant);
      for (Operation *each : {b.ops[0], b.ops[1]})
        each->replaceUsesOfWith(b.partial, partial);
      op.replaceAllUsesWith(exchanged);
      op.erase();
      break;
    }
}

namespace {
/// Scalars of a loop's body that follow from the maximum alone.
struct Cone {
  enum : unsigned { Old = 1, New = 2 }; ///< depends on m, on m'
  llvm::DenseMap<Value, unsigned> values;

  unsigned of(Value v) const { return values.lookup(v); }
  /// Whether someone outside of it reads the value.
  bool isReadOutside(Value v) const {
    return llvm::any_of(v.getUsers(), [&](Operation *user) {
      return user->getNumResults() != 1 || !of(user->getResult(0));
    });
  }
};

/// A running maximum that `wave-guard-maximum` treats.
struct Running {
  unsigned number; ///< of the loop's argument
  arith::MaxNumFOp next;
  Butterfly exchange;
  Value factor;
};

struct GuardMaximum : tlc::wave::impl::WaveGuardMaximumBase<GuardMaximum> {
  using WaveGuardMaximumBase::WaveGuardMaximumBase;

  void runOnOperation() override {
    sinkConstants(getOperation());
    // All are found first: what proves that lanes agree is rewritten.
    SmallVector<Running> found;
    getOperation().walk([&](scf::ForOp loop) {
      for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
        if (auto running = match(loop, i))
          found.push_back(*running);
    });
    for (Running &running : found)
      rewrite(running);
  }

  std::optional<Running> match(scf::ForOp loop, unsigned number);
  void rewrite(Running &running);
};
} // namespace

/// What follows from a maximum and its next value by scalar arithmetic.
static Cone coneOf(Block *body, Value old, Value next) {
  Cone cone;
  cone.values[old] = Cone::Old;
  cone.values[next] = Cone::New;
  for (Operation &op : *body) {
    bool scalar = op.getNumResults() == 1 && op.getNumOperands() &&
                  !op.getNumRegions() && isPure(&op) &&
                  isa<arith::ArithDialect, math::MathDialect>(op.getDialect());
    if (!scalar || op.getResult(0) == next)
      continue;
    Type type = op.getResult(0).getType();
    unsigned bits = 0;
    bool only =
        (type.isF32() || type.isInteger(1)) &&
        llvm::all_of(op.getOperands(), [&](Value v) {
          unsigned of = cone.of(v);
          bits |= of;
          bool constant = v.getDefiningOp() &&
                          v.getDefiningOp()->hasTrait<OpTrait::ConstantLike>();
          return of || constant || v.getParentRegion() != body->getParent();
        });
    if (only && bits)
      cone.values[op.getResult(0)] = bits;
  }
  return cone;
}

std::optional<Running> GuardMaximum::match(scf::ForOp loop, unsigned number) {
  Block *body = loop.getBody();
  BlockArgument argument = loop.getRegionIterArg(number);
  Value yielded = loop.getYieldedValues()[number];
  auto next = yielded.getDefiningOp<arith::MaxNumFOp>();
  if (!argument.getType().isF32() || !next || next->getBlock() != body)
    return std::nullopt;
  bool left = next.getLhs() == argument;
  if (!left && next.getRhs() != argument)
    return std::nullopt;
  Running running{number, next, {}, {}};
  Value block = left ? next.getRhs() : next.getLhs();
  running.exchange = matchButterfly<arith::MaxNumFOp>(block);
  if (!exchange)
    running.exchange = {block, {}, {}};
  Value partial = running.exchange.partial;
  bool inside = llvm::all_of(running.exchange.ops, [&](Operation *op) {
    return op->getBlock() == body &&
           llvm::all_of(op->getUsers(), [&](Operation *user) {
             return user == next ||
                    llvm::is_contained(running.exchange.ops, user);
           });
  });
  if (!inside || partial.getParentBlock() != body || partial == argument ||
      !llvm::all_of(running.exchange.masks,
                    [&](int64_t m) { return isSymmetric(argument, m); }))
    return std::nullopt;
  Cone cone = coneOf(body, argument, next);
  if (cone.of(partial))
    return std::nullopt;
  for (auto &[factor, tuples] : findRescaled(body))
    if (!tuples.empty() && countProducts(tuples) >= minimum &&
        cone.of(factor) == (Cone::Old | Cone::New)) {
      running.factor = factor;
      return running;
    }
  return std::nullopt;
}

namespace {
/// Copies what a value follows from, with other values for the maxima.
class Recomputation {
public:
  Recomputation(OpBuilder &b, const Cone &cone, Value old, Value next,
                Value oldIs, Value nextIs = {})
      : b(b), cone(cone), next(next) {
    map.map(old, oldIs);
    if (nextIs)
      setNext(nextIs);
  }
  /// The next maximum, where it is made after what follows from the old one.
  void setNext(Value is) { map.map(next, is); }
  /// What `value` needs of the old maximum alone.
  void getOldPartsOf(Value value) {
    if (cone.of(value) == Cone::Old)
      (void)get(value);
    else if (cone.of(value) && value != next)
      for (Value operand : value.getDefiningOp()->getOperands())
        getOldPartsOf(operand);
  }
  Value get(Value value) {
    if (!cone.of(value))
      return value;
    if (Value known = map.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands())
      map.map(operand, get(operand));
    return b.clone(*op, map)->getResult(0);
  }

private:
  OpBuilder &b;
  const Cone &cone;
  Value next;
  IRMapping map;
};
} // namespace

/// What the maximum is multiplied by in the factor's exponent: 1 if nothing is
/// found.
static Value multiplierOf(OpBuilder &b, Location loc, const Cone &cone,
                          Value factor) {
  SmallVector<Value> work = {factor.getDefiningOp()->getOperand(0)};
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || !cone.of(op->getResult(0)))
      continue;
    if (auto product = dyn_cast<arith::MulFOp>(op))
      for (bool left : {false, true})
        if (Value c = left ? product.getLhs() : product.getRhs(); !cone.of(c))
          return c;
    llvm::append_range(work, op->getOperands());
  }
  return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(1));
}

/// How far scores may exceed the maximum before it moves, or null.
static Value allowanceOf(OpBuilder &b, Location loc, const Cone &cone,
                         Block *body, Value factor) {
  auto kernel = body->getParentOp()->getParentOfType<KernelOp>();
  auto lazy = kernel->getAttrOfType<FloatAttr>(kLazyMaximumAttr);
  auto *exponential = factor.getDefiningOp();
  if (!lazy || !isa_and_nonnull<math::Exp2Op, math::ExpOp>(exponential))
    return {};
  // 8-bit weights of more than 1 might not be finite.
  bool narrow = false;
  body->walk([&](arith::TruncFOp op) {
    narrow |= getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth() < 16;
  });
  if (narrow)
    return {};
  double power = lazy.getValueAsDouble();
  if (isa<math::ExpOp>(exponential))
    power *= 0.693147; // ln 2
  Value c = multiplierOf(b, loc, cone, factor);
  // A multiplier that is not positive makes the branch come too often at worst.
  APFloat known(0.0f);
  if (matchPattern(c, m_ConstantFloat(&known)))
    return arith::ConstantOp::create(
        b, loc, b.getF32FloatAttr(power / known.convertToFloat()));
  return arith::DivFOp::create(
      b, loc, arith::ConstantOp::create(b, loc, b.getF32FloatAttr(power)), c);
}

/// `max`, and what it may lag behind, where the factor of two equal maxima is
/// one, or else NaN.
static Value thresholdOf(OpBuilder &b, Location loc, Recomputation &equal,
                         Value factor, Value max, Value allowance) {
  Value test = factor;
  float neutral = 1;
  if (auto *op = factor.getDefiningOp(); isa<math::Exp2Op, math::ExpOp>(op)) {
    test = op->getOperand(0); // whose exponential is 1 for 0
    neutral = 0;
  }
  Value constant =
      arith::ConstantOp::create(b, loc, b.getF32FloatAttr(neutral));
  Value nan = arith::ConstantOp::create(
      b, loc,
      FloatAttr::get(b.getF32Type(), APFloat::getNaN(APFloat::IEEEsingle())));
  Value same = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                     equal.get(test), constant);
  if (allowance)
    max = arith::AddFOp::create(b, loc, max, allowance);
  return arith::SelectOp::create(b, loc, same, max, nan);
}

void GuardMaximum::rewrite(Running &running) {
  auto loop = cast<scf::ForOp>(running.next->getParentOp());
  Value next = running.next, factor = running.factor;
  Location loc = next.getLoc();
  markProducts(factor);
  Block *body = loop.getBody();
  Value old = loop.getRegionIterArg(running.number);
  Cone cone = coneOf(body, old, next);

  // What is carried on beside the branch: what the next value alone gives.
  SmallVector<Value> kept;
  for (Operation &op : *body)
    if (op.getNumResults() == 1 && op.getResult(0) != next &&
        op.getResult(0).getType().isF32() &&
        cone.of(op.getResult(0)) == Cone::New &&
        cone.isReadOutside(op.getResult(0)))
      kept.push_back(op.getResult(0));
  // Products that the branch makes: of what the iteration before left.
  SmallVector<std::pair<arith::MulFOp, Value>> scaled;
  for (Operation *user : factor.getUsers()) {
    auto product = dyn_cast<arith::MulFOp>(user);
    if (!product || product->getBlock() != body)
      continue;
    Value other =
        product.getLhs() == factor ? product.getRhs() : product.getLhs();
    auto arg = dyn_cast<BlockArgument>(other);
    if (arg && arg.getOwner() == body && other != old &&
        other.getType().isF32())
      scaled.push_back({product, other});
  }

  // The values before the loop.
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  Value start = loop.getInits()[running.number];
  Recomputation initial(rewriter, cone, old, next, start, start);
  Value allowance = allowanceOf(rewriter, loc, cone, body, factor);
  SmallVector<Value> inits = {
      thresholdOf(rewriter, loc, initial, factor, start, allowance)};
  for (Value v : kept)
    inits.push_back(initial.get(v));
  unsigned first = loop.getNumRegionIterArgs();
  SmallVector<unsigned> scaledArgs;
  for (auto &[product, other] : scaled)
    scaledArgs.push_back(cast<BlockArgument>(other).getArgNumber() - 1);
  loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, inits, /*replaceInitOperandUsesInLoop=*/false,
      [](OpBuilder &, Location, ArrayRef<BlockArgument> args) {
        return SmallVector<Value>(args.begin(), args.end());
      }));
  body = loop.getBody();
  Value oldNow = loop.getRegionIterArg(running.number);
  cone = coneOf(body, oldNow, next);
  auto carried = [&](unsigned i) -> Value {
    return loop.getRegionIterArg(first + i);
  };

  // Whether a maximum moves, and what follows if one does.
  OpBuilder b(running.next);
  Value moved = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UGT,
                                      running.exchange.partial, carried(0));
  Value any = AnyOp::create(b, loc, b.getI1Type(), moved);
  SmallVector<Value> same = {oldNow, carried(0)};
  for (unsigned i = 0; i < kept.size(); ++i)
    same.push_back(carried(1 + i));
  SmallVector<Type> types(ValueRange(same).getTypes());
  types.push_back(factor.getType());
  auto branch = scf::IfOp::create(b, loc, types, any, /*withElseRegion=*/true);
  OpBuilder otherwise = branch.getElseBodyBuilder();
  // Only the second branch reads the factor: a value here would cost a copy.
  same.push_back(ub::PoisonOp::create(otherwise, loc, factor.getType()));
  scf::YieldOp::create(otherwise, loc, same);
  OpBuilder then = branch.getThenBodyBuilder();
  // The old maximum is read to the end before the next one is made: so they
  // have one register, and the way around the branch has no copy.
  Recomputation anew(then, cone, oldNow, next, oldNow);
  anew.getOldPartsOf(factor);
  IRMapping map;
  for (Operation *op : running.exchange.ops)
    then.clone(*op, map);
  SchedBarrierOp::create(then, loc, int64_t(0));
  Value max = then.clone(*running.next, map)->getResult(0);
  anew.setNext(max);
  Recomputation equal(then, cone, oldNow, next, max, max);
  SmallVector<Value> results = {
      max, thresholdOf(then, loc, equal, factor, max, allowance)};
  for (Value v : kept)
    results.push_back(anew.get(v));
  results.push_back(anew.get(factor));
  scf::YieldOp::create(then, loc, results);

  // Everybody reads what the branches leave.
  auto tuples = findRescaled(body).lookup(factor);
  SmallVector<std::pair<Operation *, Value>> scalars;
  for (auto [entry, n] : llvm::zip(scaled, scaledArgs))
    scalars.push_back({entry.first, loop.getRegionIterArg(n)});
  rewriteRescaled(any, branch.getResults().back(), tuples, scalars);
  Operation *yield = body->getTerminator();
  for (unsigned i = 0; i <= kept.size(); ++i)
    yield->setOperand(first + i, branch.getResult(1 + i));
  for (unsigned i = 0; i < kept.size(); ++i)
    kept[i].replaceAllUsesWith(branch.getResult(2 + i));
  next.replaceAllUsesWith(branch.getResult(0));
  // The originals, from the last on, as far as nobody reads them any more.
  SmallVector<Operation *> dead;
  for (Operation &op : body->without_terminator())
    dead.push_back(&op);
  for (Operation *op : llvm::reverse(dead))
    if (isOpTriviallyDead(op) && !isa<scf::IfOp>(op))
      op->erase();
}
