//===- EmitSchedule.cpp - A loop from its placement -----------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With S stages, row i of the schedule does stage s of iteration i + S-1 - s
// for each s, slot by slot. Rows before 0 hold the stages of iterations that
// exist and stand before the loop; the loop is row i for each i of the original
// loop. Its last rows begin iterations that do not exist: those do the last
// one's work again, up to where their results would be used, and nobody reads
// what they leave. (Loads are range-checked, LDS writes go to a copy of a tile
// that is not read any more.) A loop that may have no iteration is guarded.
//
// Writes to global memory are in the last stage, which belongs to an iteration
// that exists. The first row of a loop with such writes stands before it: waits
// for loads count them.
//
// What a branch seldom changes is kept by the branch where the loop leaves it
// as it was rows ago (KeepValues.cpp).
//
// Where tiles in LDS have two copies, the loop does two rows a turn: which copy
// a row uses is then a constant in its addresses.
//
// A value of stage a that stage b reads is handed on for b - a rows; the value
// an iteration leaves for the next is handed on for b - a + 1.
//
//   scf.for %i = 0 to %n iter_args(%acc = %zero) {     // stage 0: load, stage
//   1:
//     %v = wave.lds_load ...                           // mfma
//     %d = wave.mfma %v, %b, %acc
//     scf.yield %d
//   }
// becomes
//   %v0 = wave.lds_load ...
//   scf.for %i = 0 to %n iter_args(%acc = %zero, %v = %v0) {
//     %d = wave.mfma %v, %b, %acc
//     %vn = wave.lds_load ...                          // for %i + 1
//     wave.sched_barrier
//     scf.yield %d, %vn
//   }
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "tlc/Dialect/Wave/Transforms/Passes.h"
#include "tlc/Support/LdsBanks.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::wave;

//===----------------------------------------------------------------------===//
// What is handed on
//===----------------------------------------------------------------------===//

/// Notes what reading `value` in `stage` hands on.
void Emitter::need(Value value, int stage) {
  if (!isInside(value, loop))
    return;
  int lag = 0;
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    if (arg == loop.getInductionVar())
      return;
    Value next = yieldOf(arg);
    // One row more than the stages lie apart: it comes of the iteration before.
    lag = isInside(next, loop) ? stage - stageOf(next) + 1 : 1;
  } else if (graph.isFree(value.getDefiningOp())) {
    for (Value v : value.getDefiningOp()->getOperands())
      need(v, stage);
    return;
  } else {
    lag = stage - stageOf(value);
  }
  assert(lag >= 0 && "the placement breaks a dependence");
  for (int l = 1; l <= lag; ++l)
    carried.insert({{value, l}, 0});
}

/// Collects what is handed on from row to row, numbers it, and sorts the nodes
/// of each slot in the order of their units, as latencyOf() assumes.
void Emitter::plan() {
  for (auto [i, node] : llvm::enumerate(graph.nodes))
    for (Value v : LoopGraph::getInputs(node.op))
      need(v, p.stage(i));
  // What the loop leaves: of iteration n-1, some rows before the last.
  for (BlockArgument arg : loop.getRegionIterArgs()) {
    Value next = yieldOf(arg);
    int lag = isInside(next, loop) ? p.stages - stageOf(next) : 1;
    if (lag > 1 && !carried.contains({arg, 2}) && keeperOf(arg))
      kept.insert({arg, {lag, 0}});
    for (int l = 1; l <= lag; ++l)
      carried.insert({{arg, l}, 0});
  }
  unsigned n = 0;
  for (auto &entry : carried)
    entry.second = n++;
  for (auto &[arg, keeps] : kept) {
    keeps.flags = n;
    n += keeps.lag - 1;
  }
  spreadScalars();
  choosePriorities();

  slots.resize(p.interval);
  for (int i = 0, n = graph.nodes.size(); i < n; ++i)
    slots[p.slot(i)].push_back(i);
  for (auto &slot : slots)
    llvm::stable_sort(slot, [&](int a, int c) {
      // Older iterations first among equals.
      return std::make_tuple(graph.nodes[a].unit, -p.stage(a), a) <
             std::make_tuple(graph.nodes[c].unit, -p.stage(c), c);
    });
}

/// Of wavefronts that share a SIMD and a barrier, the oldest runs at full speed
/// and then waits, while the others have nobody to fill their gaps. So the
/// first half of a step goes before the second: who lags behind, catches up.
/// With two barriers, where all wait for all twice as often, it falls in levels
/// towards each, so that they arrive together: four in a loop of matrix work
/// alone.
void Emitter::choosePriorities() {
  constexpr int64_t kSimdLanes = 4 * kWaveSize;
  auto kernel = loop->getParentOfType<KernelOp>();
  if (!kernel || p.stages == 1 || !graph.numBarriers || !pin)
    return;
  // Two workgroups of one wavefront a SIMD: the loop as a whole goes before the
  // other one's prologue and epilogue. Two wavefronts a SIMD of one workgroup:
  // halves of a step.
  int64_t threads = kernel.getThreads();
  loopFirst = graph.numBarriers == 1 && threads <= kSimdLanes &&
              int64_t(kernel.getLdsBytes()) * 2 <= int64_t(kLdsBytes);
  if (threads < 2 * kSimdLanes)
    return;
  SmallVector<int> barriers;
  for (int i = 0, n = graph.nodes.size(); i < n; ++i)
    if (graph.nodes[i].unit == Unit::Barrier)
      barriers.push_back(p.slot(i));
  llvm::sort(barriers);
  const int levels = barriers.size() > 1 && !graph.packs() ? 4 : 2;
  for (auto [number, slot] : llvm::enumerate(barriers)) {
    int next = number + 1 < barriers.size() ? barriers[number + 1]
                                            : barriers.front() + p.interval;
    // Half of what is left goes with each level.
    int left = next - slot, at = slot + 1;
    for (int level = levels - 1; level >= 0; --level) {
      priorities[at % p.interval] = level;
      at += left /= 2;
    }
  }
}

/// Scalar arithmetic takes the wavefront's turns, too: one op a slot, before
/// the access whose address it makes.
void Emitter::spreadScalars() {
  scalars.resize(p.interval);
  for (int i = 0, n = graph.nodes.size(); i < n; ++i) {
    if (!graph.nodes[i].globalRead && !graph.nodes[i].globalWrite)
      continue;
    SmallVector<Value> order;
    llvm::SmallDenseSet<Value> seen;
    // Post-order: operands of a scalar before it.
    auto visit = [&](auto &&self, Value v) -> void {
      if (!isInside(v, loop) || !graph.isUniform(v) || !seen.insert(v).second)
        return;
      if (Operation *op = v.getDefiningOp()) {
        if (!graph.isFree(op) || op->hasTrait<OpTrait::ConstantLike>())
          return;
        for (Value operand : op->getOperands())
          self(self, operand);
      } else if (v != loop.getInductionVar()) {
        return;
      }
      order.push_back(v);
    };
    for (Value v : graph.nodes[i].op->getOperands())
      visit(visit, v);
    // Backwards from the access, a slot each, and none before the row's first.
    int slot = p.slot(i);
    for (Value v : llvm::reverse(order)) {
      slot = std::max(0, slot - 1);
      scalars[slot].insert(scalars[slot].begin(), {v, p.stage(i)});
    }
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The loop's variable for a stage: later iterations for earlier stages, none
/// beyond the last.
Value Emitter::variable(Row &row, int stage, bool beyond) {
  int ahead = row.number + p.stages - 1 - stage;
  Value base = row.iv ? row.iv : loop.getLowerBound();
  if (ahead == 0)
    return base;
  Location loc = loop.getLoc();
  Type type = base.getType();
  Value count =
      arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, ahead));
  Value step = arith::MulIOp::create(b, loc, count, loop.getStep());
  Value iv = arith::AddIOp::create(b, loc, base, step);
  return beyond ? iv : arith::MinSIOp::create(b, loc, iv, lastIv);
}

/// The value's instance that `stage` of this row reads: outside the loop
/// itself; the loop's variable computed; a node's result of this row or handed
/// on; what is free made again. The result is kept, so that a row makes it
/// once.
Value Emitter::get(Value value, Row &row, int stage) {
  if (!isInside(value, loop))
    return value;
  auto key = std::make_pair(value, stage);
  if (Value known = row.values.lookup(key))
    return known;
  Value v;
  auto arg = dyn_cast<BlockArgument>(value);
  if (arg && arg == loop.getInductionVar()) {
    v = variable(row, stage);
  } else if (arg) {
    Value next = yieldOf(arg);
    int lag = isInside(next, loop) ? stage - stageOf(next) + 1 : 1;
    // Made in this row already, by the iteration before; in the first row of
    // all the loop's initial value.
    if (lag == 0) {
      v = row.values.lookup({next, stageOf(next)});
      if (!v && !row.iv)
        v = loop.getTiedLoopInit(arg)->get();
    } else if (row.iv)
      v = row.in[carried.lookup({value, lag})];
    else
      v = initial(value, lag - row.number);
  } else if (graph.isFree(value.getDefiningOp())) {
    Operation *op = value.getDefiningOp();
    if (auto copy = copyOf(op, row, stage))
      row.values[key] = arith::ConstantOp::create(
          b, op->getLoc(), b.getIntegerAttr(value.getType(), *copy));
    else if (matchCopy(op, loop))
      row.values[key] = countCopy(op, row, stage);
    else
      emitOp(op, row, stage);
    v = row.values.lookup(key);
  } else {
    int lag = stage - stageOf(value);
    if (lag == 0)
      v = row.values.lookup(key);
    else if (row.iv)
      v = row.in[carried.lookup({value, lag})];
    else
      v = initial(value, lag - row.number);
  }
  assert(v && "a value is read before it is there");
  row.values[key] = v;
  return v;
}

/// `value` as row -lag had it.
Value Emitter::initial(Value value, int lag) {
  int row = p.stages - 1 - lag; // counted from the first one
  auto arg = dyn_cast<BlockArgument>(value);
  Value made = arg ? yieldOf(arg) : value;
  if (arg && !isInside(made, loop)) {
    // Constant from the second iteration on: only lag 1 occurs.
    return row < 0 ? loop.getTiedLoopInit(arg)->get() : made;
  }
  if (row >= 0 && row >= stageOf(made))
    return before[row].values.lookup({made, stageOf(made)});
  return arg ? loop.getTiedLoopInit(arg)->get() : Value();
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Clones an op with its regions, for one stage of one row.
void Emitter::emitOp(Operation *op, Row &row, int stage) {
  IRMapping map;
  for (Value v : LoopGraph::getInputs(op))
    map.map(v, get(v, row, stage));
  Operation *clone = keep(op, b.clone(*op, map), row, stage);
  for (auto [from, to] : llvm::zip(op->getResults(), clone->getResults()))
    row.values[{from, stage}] = to;
}

/// Code generation makes a pair of f16 where pairs come together in a tuple,
/// slots later, if it sees what the pair is made of.
static bool isMovedLater(Operation *op) {
  auto trunc = dyn_cast<arith::TruncFOp>(op);
  auto type = trunc ? dyn_cast<VectorType>(trunc.getType()) : VectorType();
  return type && type.getElementType().isF16() && type.getNumElements() == 2;
}

/// The slots of a row in order. Slots of the loop end in a scheduling barrier;
/// those before it are left to code generation, since they run once.
void Emitter::emitRow(Row &row) {
  SmallVector<std::pair<Value, int>> pairs;
  for (int number = 0; number < p.interval; ++number) {
    const std::vector<int> &slot = slots[number];
    const auto &early = scalars[number];
    bool any = false;
    SmallVector<std::pair<Value, int>> made = std::exchange(pairs, {});
    if (auto priority = priorities.find(number);
        row.iv && priority != priorities.end())
      SetPrioOp::create(b, loop.getLoc(), int64_t(priority->second));
    if (row.iv)
      for (auto [value, stage] : early)
        get(value, row, stage);
    for (int i : slot) {
      int stage = p.stage(i);
      if (row.number + p.stages - 1 - stage < 0)
        continue; // of an iteration before the first
      if (skipBarriers) {
        if (graph.nodes[i].unit == Unit::Barrier)
          continue;
        skipBarriers = !graph.nodes[i].ldsRead && !graph.nodes[i].ldsWrite;
      }
      Operation *op = graph.nodes[i].op;
      emitOp(op, row, stage);
      if (pin && row.iv && p.stages > 1 && isMovedLater(op))
        pairs.push_back({op->getResult(0), stage});
      // Hidden behind the first instruction of the slot after: right behind
      // what makes it, code generation would put an s_nop.
      for (auto key : std::exchange(made, {})) {
        Value &pair = row.values[key];
        pair = OpaqueOp::create(b, op->getLoc(), pair.getType(), pair);
      }
      any |= graph.nodes[i].unit != Unit::Branch;
    }
    if (any && pin && row.iv)
      SchedBarrierOp::create(b, loop.getLoc(), int64_t(0));
  }
}

/// The carried values as the next row finds them.
// A value handed on for several rows moves one place up each time.
SmallVector<Value> Emitter::leave(Row &row) {
  SmallVector<Value> out;
  for (auto &[key, n] : carried) {
    auto [value, lag] = key;
    auto arg = dyn_cast<BlockArgument>(value);
    Value made = arg ? yieldOf(arg) : value;
    if (Value before = row.kept.lookup(key))
      out.push_back(before);
    else if (lag > 1)
      out.push_back(row.in[carried.lookup({value, lag - 1})]);
    else if (!isInside(made, loop))
      out.push_back(made);
    else
      out.push_back(row.values.lookup({made, stageOf(made)}));
  }
  for (auto &[arg, keeps] : kept) {
    Value next = yieldOf(arg);
    Value made = row.values.lookup({next, stageOf(next)});
    out.push_back(made.getDefiningOp<scf::IfOp>().getCondition());
    for (int lag = 2; lag < keeps.lag; ++lag)
      out.push_back(row.in[keeps.flags + lag - 2]);
  }
  return out;
}

//===----------------------------------------------------------------------===//
// Two rows a turn
//===----------------------------------------------------------------------===//

/// The copy that an op names in a row of known parity, as a constant: by the
/// number of the iteration in that stage.
std::optional<int> Emitter::copyOf(Operation *op, const Row &row, int stage) {
  if (row.parity < 0)
    return std::nullopt;
  auto ahead = matchCopy(op, loop);
  if (!ahead)
    return std::nullopt;
  return (row.parity + p.stages - 1 - stage + *ahead) & 1;
}

/// The copy by the iteration's own number, also beyond the last one: the last
/// one's copy is still being read then.
Value Emitter::countCopy(Operation *op, Row &row, int stage) {
  SmallVector<Operation *> chain;
  for (Value v = op->getResult(0); v != loop.getInductionVar();
       v = chain.back()->getOperand(0))
    chain.push_back(v.getDefiningOp());
  IRMapping map;
  map.map(loop.getInductionVar(), variable(row, stage, /*beyond=*/true));
  for (Operation *link : llvm::reverse(chain)) {
    map.map(link->getOperand(1), get(link->getOperand(1), row, stage));
    b.clone(*link, map);
  }
  return map.lookup(op->getResult(0));
}

/// Whether the loop writes global memory.
bool Emitter::writesGlobal() const {
  return llvm::any_of(graph.nodes,
                      [](const Node &node) { return node.globalWrite; });
}

/// A row of the loop that stands alone; gives what it leaves.
SmallVector<Value> Emitter::emitSingle(ArrayRef<Value> values, Value iv,
                                       int parity) {
  Row row;
  row.iv = iv;
  row.parity = parity;
  row.in.assign(values.begin(), values.end());
  emitRow(row);
  return leave(row);
}

/// The loop over `rows` rows a turn; gives what its last row leaves.
SmallVector<Value> Emitter::emitLoop(ValueRange inits, Value lower, Value upper,
                                     int rows, bool nonEmpty) {
  Location loc = loop.getLoc();
  Value step = loop.getStep();
  if (rows > 1)
    step = arith::AddIOp::create(b, loc, step, step);
  result = scf::ForOp::create(b, loc, lower, upper, step, inits);
  result->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  result->setAttr(kScheduledAttr, b.getUnitAttr());
  if (nonEmpty)
    result->setAttr(kNonEmptyAttr, b.getUnitAttr());
  OpBuilder::InsertionGuard guard(b);
  // The builder may have made a terminator, depending on whether values are
  // carried.
  Block *body = result.getBody();
  if (!body->empty())
    body->back().erase();
  b.setInsertionPointToEnd(body);
  SmallVector<Value> values(result.getRegionIterArgs());
  for (int i = 0; i < rows; ++i) {
    Row row;
    row.iv = result.getInductionVar();
    // The loop's first iteration is even by definition of the copies.
    row.parity = rows > 1 ? (i + peeled) & 1 : -1;
    if (i)
      row.iv = arith::AddIOp::create(b, loc, row.iv, loop.getStep());
    row.in = values;
    emitRow(row);
    values = leave(row);
  }
  scf::YieldOp::create(b, loc, values);
  return llvm::to_vector(ValueRange(result.getResults()));
}

/// The rows in pairs, so that the copies of doubled tiles are constants and
/// values that outlive a row need no moves; then the odd one.
SmallVector<Value> Emitter::emitPairs(SmallVector<Value> values, Value lower,
                                      std::optional<int64_t> count) {
  Location loc = loop.getLoc();
  Value upper = loop.getUpperBound();
  auto odd = [&] { return emitSingle(values, lastIv, /*parity=*/peeled); };
  if (count) {
    // The bound of whole pairs: the last iteration, if it stands alone.
    if (*count >= 2)
      values = emitLoop(values, lower, *count % 2 ? lastIv : upper, 2, true);
    return *count % 2 ? odd() : values;
  }
  Type type = lower.getType();
  auto number = [&](int64_t v) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, v));
  };
  // The last iteration's number is even if the count is odd; of what is left
  // behind a first one, the other way round.
  Value last = arith::SubIOp::create(b, loc, lastIv, loop.getLowerBound());
  if (getConstantIntValue(loop.getStep()) != 1)
    last = arith::DivUIOp::create(b, loc, last, loop.getStep());
  Value bit = arith::AndIOp::create(b, loc, last, number(1));
  Value isOdd = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, bit,
                                      number(peeled));
  // Pairs end before the last iteration where it stands alone.
  Value end = arith::SelectOp::create(b, loc, isOdd, lastIv, upper);
  Value some =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, lower, end);
  auto branch = [&](Value condition,
                    llvm::function_ref<SmallVector<Value>()> body) {
    auto choice = scf::IfOp::create(b, loc, ValueRange(values).getTypes(),
                                    condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, loc, values);
    b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(b, loc, body());
    values.assign(choice.getResults().begin(), choice.getResults().end());
  };
  branch(some, [&] { return emitLoop(values, lower, end, 2, true); });
  branch(isOdd, odd);
  return values;
}

/// Prologue rows, the loop (in pairs if that pays), then the values that the
/// original loop returned. Returns the last loop that was made.
scf::ForOp Emitter::run() {
  plan();
  Location loc = loop.getLoc();
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  auto from = getConstantIntValue(lower), to = getConstantIntValue(upper),
       step = getConstantIntValue(loop.getStep());
  bool nonEmpty = from && to && *from < *to;
  std::optional<int64_t> count;
  if (nonEmpty && step && *step > 0)
    count = (*to - *from + *step - 1) / *step;
  scf::IfOp guard;
  if (p.stages > 1) {
    // lower + (upper - 1 - lower) / step * step
    Type type = lower.getType();
    Value one = arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, 1));
    Value span = arith::SubIOp::create(b, loc, upper, lower);
    span = arith::SubIOp::create(b, loc, span, one);
    if (step != 1) {
      span = arith::DivUIOp::create(b, loc, span, loop.getStep());
      span = arith::MulIOp::create(b, loc, span, loop.getStep());
    }
    lastIv = arith::AddIOp::create(b, loc, lower, span);
    if (!nonEmpty) {
      Value some = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                         lower, upper);
      guard = scf::IfOp::create(b, loc, loop.getResultTypes(), some,
                                /*withElseRegion=*/true);
      b.setInsertionPointToStart(guard.elseBlock());
      scf::YieldOp::create(b, loc, loop.getInits());
      b.setInsertionPointToStart(guard.thenBlock());
      nonEmpty = true;
    }
  }
  // Rows -(S-1) to -1: the stages of iterations that exist by then.
  skipBarriers = isFirstInLds(loop);
  before.resize(p.stages - 1);
  // The rows stand between these; either may be the block's end.
  Block *block = b.getInsertionBlock();
  auto opAt = [&](Block::iterator at) {
    return at == block->end() ? nullptr : &*at;
  };
  Operation *above = b.getInsertionPoint() == block->begin()
                         ? nullptr
                         : &*std::prev(b.getInsertionPoint());
  for (int r = 0; r < p.stages - 1; ++r) {
    before[r].number = r - (p.stages - 1);
    before[r].parity = before[r].number & 1;
    emitRow(before[r]);
  }
  Operation *first = above ? above->getNextNode() : opAt(block->begin());
  // Where there is much vector work the first iterations' loads go together; a
  // loop of matrix work alone clears its sums meanwhile (below).
  bool much = graph.vectorCycles > 8 * graph.numMatrix;
  if (pin && first && much)
    hoistLoads(first, opAt(b.getInsertionPoint()));
  if (loopFirst)
    SetPrioOp::create(b, loc, int64_t(1));
  skipBarriers = false;
  SmallVector<Value> values;
  for (auto &[key, n] : carried)
    values.push_back(initial(key.first, key.second));
  // As if all rows before the loop had changed them.
  for (auto &[arg, keeps] : kept)
    values.append(keeps.lag - 1,
                  arith::ConstantOp::create(b, loc, b.getBoolAttr(true)));
  if (pin && !much)
    beginEarly(b, loop, values);
  // Waits count the accesses behind a load, the fewest of all ways that lead to
  // them. What the rows before the loop do not write to memory would not count
  // in it.
  peeled = p.stages > 1 && writesGlobal();
  if (peeled) {
    values = emitSingle(values, lower, usesCopies(graph) ? 0 : -1);
    lower = arith::AddIOp::create(b, loc, lower, loop.getStep());
    nonEmpty = count && *count > 1;
    if (count)
      --*count;
  }
  if (graph.rows > 1 && p.stages > 1)
    values = emitPairs(values, lower, count);
  else if (!peeled || count != 0)
    values = emitLoop(values, lower, upper, 1, nonEmpty);
  // Or the last row ended with another.
  if (loopFirst || (!priorities.empty() && priorities.rbegin()->second))
    SetPrioOp::create(b, loc, int64_t(0));
  // With two barriers an iteration, what follows the loop was ordered by the
  // second; the rows end with accesses beyond it.
  if (graph.numBarriers > 1 && p.stages > 1)
    BarrierOp::create(b, loc);
  SmallVector<Value> finals;
  for (BlockArgument arg : loop.getRegionIterArgs()) {
    Value next = yieldOf(arg);
    int lag = isInside(next, loop) ? p.stages - stageOf(next) : 1;
    Value left = values[carried.lookup({arg, lag})];
    if (auto it = kept.find(arg); it != kept.end())
      left = leaveKept(arg, it->second, values);
    finals.push_back(left);
  }
  if (guard) {
    scf::YieldOp::create(b, loc, finals);
    finals.assign(guard.getResults().begin(), guard.getResults().end());
  }
  loop.replaceAllUsesWith(finals);
  loop.erase();
  return result;
}

scf::ForOp wave::emitSchedule(LoopGraph &graph, const Placement &placement,
                              bool pin) {
  return Emitter(graph, placement, pin).run();
}
