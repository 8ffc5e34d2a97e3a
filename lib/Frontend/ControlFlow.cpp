//===- ControlFlow.cpp - if, for and while that run on the device ---------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A symbolic `if` emits both branches. A serial loop is an scf.for; one with
// `break` or `continue` is an scf.while over two flags, and the statements
// after a conditional exit run under them (Statements.cpp, execBlock).
//
// A name bound inside a region of IR is judged when the region ends: what was
// made in it is gone (Expired), what only one branch of an `if` bound depends
// on the condition (Conditional). Reading such a name is an error that says to
// keep the value in a T.alloc_var. There are no phi nodes and no loop-carried
// SSA values: data that crosses iterations or branches lives in a buffer.
//
//   if i > 0:           %c = arith.cmpi sgt, %i, %c0
//       x = a[i]   ->   scf.if %c { %x = tile.load %a[%i] }
//   b[i] = x            error: 'x' was made in a block that has ended
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/IR/Matchers.h"

using namespace tlc;
using namespace mlir;

namespace tlc::frontend {

/// Both branches of an `if` whose condition is known on the device only. Each
/// starts from the names as they were before; afterwards every name that either
/// has bound gets one binding. Compile-time values that both branches agree on
/// stay.
///   x = 0                       before: x is 0
///   if i > 0: x = 1             then: 1   else (absent): 0    ->  Conditional
///   if i > 0: y = 2
///   else:     y = 2             2 in both                     ->  2
///   if i > 0: v = a[i]          an SSA value of the region    ->  Expired
Flow Interpreter::symbolicIf(const IfStmt *s, mlir::Value cond) {
  at(s->range);
  bool hasElse = !s->orelse.empty();
  auto ifOp = scf::IfOp::create(b, cond, hasElse);
  size_t mark = changes.size();
  ++regionDepth; // keeps the records of both branches
  // What each branch leaves in the names it binds, by scope and name.
  using Key = std::pair<Scope *, StringRef>;
  llvm::DenseMap<Key, Binding> old, after[2];
  llvm::DenseSet<Key> existed;
  bool ok = true;
  for (int i = 0; i < (hasElse ? 2 : 1) && ok; ++i) {
    size_t branchMark = changes.size();
    ok = inRegion(i ? ifOp.elseBlock() : ifOp.thenBlock(), false, [&] {
      return execBlock(i ? s->orelse : s->body) != Flow::Error;
    });
    // Of a name that was bound several times, the first record has the old
    // value and the scope the new one.
    for (size_t c = branchMark; c < changes.size(); ++c) {
      Key key(changes[c].scope, changes[c].name);
      if (!after[0].count(key) && !after[1].count(key) && !old.count(key)) {
        old[key] = changes[c].old;
        if (changes[c].existed)
          existed.insert(key);
      }
      after[i][key] = key.first->names[key.second];
    }
    // The other branch starts from what was before.
    for (auto &[key, binding] : after[i]) {
      if (existed.count(key))
        key.first->names[key.second] = old[key];
      else
        key.first->names.erase(key.second);
    }
  }
  --regionDepth;
  // Equal in both branches, or unchanged in the one that did not bind it.
  for (auto &[key, before] : old) {
    Binding result = after[0].count(key) ? after[0][key] : after[1][key];
    bool both = after[0].count(key) && after[1].count(key);
    Value first = after[0].count(key) ? after[0][key].value : before.value;
    Value second = after[1].count(key) ? after[1][key].value : before.value;
    bool same = first.identical(second) ||
                (both && !isSymbolic(first) && !isSymbolic(second) &&
                 hostEquals(first, second).value_or(false));
    if (!same && result.state == Binding::Live)
      result.state = Binding::Conditional;
    key.first->names[key.second] = result;
  }
  if (regionDepth == 0)
    changes.resize(mark);
  return ok ? Flow::Next : Flow::Error;
}

bool Interpreter::execBody(StmtList body) {
  return execBlock(body) != Flow::Error;
}

/// Binds loop variables to the target of a `for`: one variable to a bare name,
/// else element by element, as Python unpacks a tuple.
bool Interpreter::bindLoopVars(const ForStmt *s, ArrayRef<mlir::Value> vars) {
  SmallVector<Value> values;
  for (mlir::Value v : vars)
    values.push_back(Value::scalar({v, dtypes::int32}));
  if (values.size() == 1 && !isa<TupleExpr>(s->target) &&
      !isa<ListExpr>(s->target))
    return assign(s->target, values[0], s->target->range);
  return assign(s->target, makeSequence(VK::Tuple, values), s->target->range);
}

static bool hasExit(StmtList body) { return llvm::any_of(body, mayExit); }

/// `for`. By what is iterated over: a device loop becomes IR, a compile-time
/// sequence is unrolled by running the body for each element.
Flow Interpreter::execFor(const ForStmt *s) {
  Value iterable = eval(s->iterable);
  if (!iterable)
    return Flow::Error;
  // On the device `range` is T.serial.
  if (iterable.is(VK::Range) && scope->staged && kernelOp) {
    auto *range = iterable.as<RangeObject>();
    auto *loop = make<LoopObject>();
    loop->args = {Value::integral(range->start), Value::integral(range->stop),
                  Value::integral(range->step)};
    return deviceLoop(s, loop);
  }
  if (iterable.is(VK::Loop))
    return deviceLoop(s, iterable.as<LoopObject>());
  if (isSymbolic(iterable)) {
    error(DiagID::BadLoop, s->iterable->range,
          "a loop needs T.serial, T.Parallel, range or the like");
    return Flow::Error;
  }
  SmallVector<Value> items;
  if (!iterate(iterable, s->iterable->range, items))
    return Flow::Error;
  size_t next = 0;
  return unrolledLoop(s->orelse, [&]() -> std::optional<Flow> {
    if (next == items.size())
      return std::nullopt;
    if (!step(s->range) || !assign(s->target, items[next++], s->target->range))
      return Flow::Error;
    return execBlock(s->body);
  });
}

/// A loop that the compiler runs itself, one `round` after another until there
/// is none: break and continue are flow of this interpreter, not flags. `else`
/// runs where nothing left the loop.
Flow Interpreter::unrolledLoop(
    StmtList orelse, llvm::function_ref<std::optional<Flow>()> round) {
  bool outer = std::exchange(inDeviceLoop, false);
  unsigned outerRegion = std::exchange(hostLoopRegion, regionDepth);
  std::optional<Flow> flow;
  do
    flow = round();
  while (flow == Flow::Next || flow == Flow::Continue);
  inDeviceLoop = outer;
  hostLoopRegion = outerRegion;
  if (!flow)
    return execBlock(orelse);
  return *flow == Flow::Break ? Flow::Next : *flow;
}

/// A loop that becomes IR. Each kind gives its body a region; only serial loops
/// can be left early, so the flags of an outer loop are put away for all of
/// them.
Flow Interpreter::deviceLoop(const ForStmt *s, LoopObject *loop) {
  if (!requireDevice(s->iterable->range, "a device loop"))
    return Flow::Error;
  if (!s->orelse.empty()) {
    error(DiagID::NotSupportedInKernel, s->range,
          "'else' of a loop on the device");
    return Flow::Error;
  }
  auto *outerExit = std::exchange(exitFlag, nullptr);
  auto *outerSkip = std::exchange(skipFlag, nullptr);
  bool outerLoop = std::exchange(inDeviceLoop, true);
  Flow flow;
  switch (loop->type) {
  case LoopObject::Parallel:
    flow = parallelLoop(s, loop);
    break;
  case LoopObject::Grid:
    flow = gridLoop(s, loop);
    break;
  case LoopObject::Thread:
    flow = threadLoop(s, loop);
    break;
  case LoopObject::Persistent:
    flow = persistentLoop(s, loop);
    break;
  default:
    flow = serialLoop(s, loop);
    break;
  }
  exitFlag = outerExit;
  skipFlag = outerSkip;
  inDeviceLoop = outerLoop;
  return flow;
}

/// range, T.serial, T.Pipelined, T.unroll, T.vectorized: an scf.for, whose
/// attributes carry what the kind of loop asks of later passes. The step is a
/// compile-time number, since scf.for counts up only:
///   for i in range(n, 0, -2)  ->  scf.for %k = 0 to %n step 2 { %i = %n - %k }
///   T.Pipelined: tile.num_stages   T.unroll: tile.unroll
///   T.vectorized: tile.vectorized
Flow Interpreter::serialLoop(const ForStmt *s, LoopObject *loop) {
  SourceRange range = s->iterable->range;
  Value start = loop->args[0], stop = loop->args[1], stride = loop->args[2];
  if (!stride.is(VK::Int) || stride.asInt() == 0) {
    error(DiagID::NotConstant, range,
          "the step of a loop must be a compile-time integer other than 0");
    return Flow::Error;
  }
  at(range);
  mlir::Value lower = toI32(start, range), upper = toI32(stop, range);
  if (!lower || !upper)
    return Flow::Error;
  bool down = stride.asInt() < 0;
  at(range);
  mlir::Value step = constant(std::abs(stride.asInt()), dtypes::int32).value;
  mlir::Value from = lower;
  if (down) {
    // start, start - s, ... > stop: count up over the distance instead.
    upper = b.createOrFold<arith::SubIOp>(lower, upper);
    lower = constant(int64_t(0), dtypes::int32).value;
  }
  if (hasExit(s->body))
    return down ? (error(DiagID::Unimplemented, range,
                         "a loop that counts down and can be left early"),
                   Flow::Error)
                : loopWithExit(s, lower, upper, step);
  auto forOp = scf::ForOp::create(b, lower, upper, step);
  auto flag = [&](StringRef name, int64_t value) {
    forOp->setAttr(name, b.getI64IntegerAttr(value));
  };
  if (loop->type == LoopObject::Pipelined)
    flag("tile.num_stages", loop->stages);
  if (loop->type == LoopObject::Unroll)
    flag("tile.unroll", loop->unrollFactor);
  if (loop->type == LoopObject::Vectorized)
    forOp->setAttr("tile.vectorized", b.getUnitAttr());
  bool ok = inRegion(forOp.getBody(), true, [&] {
    mlir::Value iv = forOp.getInductionVar();
    if (down)
      iv = b.createOrFold<arith::SubIOp>(from, iv);
    return bindLoopVars(s, {iv}) && execBody(s->body);
  });
  return ok ? Flow::Next : Flow::Error;
}

//===----------------------------------------------------------------------===//
// Loops that can be left
//===----------------------------------------------------------------------===//

/// A bool of each thread, in memory: its value must survive iterations.
BufferObject *Interpreter::makeFlag() {
  auto *flag = make<BufferObject>();
  flag->dtype = dtypes::boolean;
  flag->space = tile::Space::Local;
  flag->shape = {Value::integral(1)};
  flag->memref = tile::AllocOp::create(
      b,
      tile::getBufferType({1}, dtypes::boolean->storageType(&context),
                          tile::Space::Local),
      nullptr, nullptr, nullptr);
  flag->isVar = true;
  return flag;
}

void Interpreter::setFlag(BufferObject *flag, bool on) {
  mlir::Value value = arith::ConstantOp::create(b, b.getI8IntegerAttr(on));
  mlir::Value zero = constant(int64_t(0), dtypes::int32).value;
  tile::StoreOp::create(b, value, flag->memref, mlir::ValueRange{zero});
}

/// True while neither break nor continue has happened.
mlir::Value Interpreter::notExited() {
  mlir::Value zero = constant(int64_t(0), dtypes::int32).value;
  mlir::Value off = arith::ConstantOp::create(b, b.getI8IntegerAttr(0));
  mlir::Value any;
  for (BufferObject *flag : {exitFlag, skipFlag}) {
    mlir::Value v = tile::LoadOp::create(b, b.getI8Type(), flag->memref,
                                         mlir::ValueRange{zero});
    any = any ? arith::OrIOp::create(b, any, v).getResult() : v;
  }
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, any, off);
}

/// A loop with `break` or `continue`:
///   scf.while (%i = lower) : %i < upper && !exit
///     skip = false; body; %i + step
/// where `break` sets `exit` and `continue` sets `skip`. What follows such a
/// statement runs under `!(exit || skip)` (execBlock).
Flow Interpreter::loopWithExit(const ForStmt *s, mlir::Value lower,
                               mlir::Value upper, mlir::Value step) {
  exitFlag = makeFlag();
  skipFlag = makeFlag();
  setFlag(exitFlag, false);
  setFlag(skipFlag, false);
  Type i32 = b.getI32Type();
  auto whileOp =
      scf::WhileOp::create(b, TypeRange{i32}, mlir::ValueRange{lower});
  Block *before = b.createBlock(&whileOp.getBefore(), {}, {i32}, {b.getLoc()});
  // The condition: the exit flag alone, so that continue does not end the loop.
  mlir::Value inside = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                             before->getArgument(0), upper);
  BufferObject *skip = std::exchange(skipFlag, exitFlag);
  mlir::Value running = notExited();
  skipFlag = skip;
  scf::ConditionOp::create(b, arith::AndIOp::create(b, inside, running),
                           before->getArguments());
  Block *after = b.createBlock(&whileOp.getAfter(), {}, {i32}, {b.getLoc()});
  setFlag(skipFlag, false);
  bool ok = inRegion(after, true, [&] {
    return bindLoopVars(s, {after->getArgument(0)}) && execBody(s->body);
  });
  b.setInsertionPointToEnd(after);
  at(s->range);
  mlir::Value next = arith::AddIOp::create(b, after->getArgument(0), step);
  scf::YieldOp::create(b, next);
  b.setInsertionPointAfter(whileOp);
  return ok ? Flow::Next : Flow::Error;
}

/// `while`. With a condition that compile-time values decide, the body is run
/// until it is false; as soon as it is symbolic, the rest is an scf.while. So a
/// loop may run a few rounds in the compiler and go on in the kernel.
///   while n > 1: n = n // 2      n known: runs here, no IR
///   while x[0] > 0: ...          scf.while { cond } do { body }
Flow Interpreter::execWhile(const WhileStmt *s) {
  // The condition is evaluated into a block of its own: it becomes the loop's
  // if it turns out symbolic.
  auto evaluate =
      [&](Block *block,
          bool &failed) -> std::pair<std::optional<bool>, mlir::Value> {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(block);
    Value cond = eval(s->condition);
    auto t = truth(cond, s->condition->range, failed);
    if (failed || t)
      return {t, {}};
    mlir::Value c = toI1(cond, s->condition->range);
    failed = !c;
    return {std::nullopt, c};
  };
  bool staged = scope->staged && kernelOp;
  // `while True:` that something leaves is a loop of the kernel.
  bool forever = staged && isa<ConstantExpr>(s->condition) && hasExit(s->body);
  // The block has no loop yet; a region of its own keeps it, and its ops,
  // alive.
  auto *before = new Block();
  mlir::Region holder;
  holder.push_back(before);
  bool failed = false;
  return unrolledLoop(s->orelse, [&]() -> std::optional<Flow> {
    auto [known, cond] = evaluate(before, failed);
    if (failed || !step(s->range))
      return Flow::Error;
    if (forever && known && *known) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToEnd(before);
      cond = arith::ConstantOp::create(b, b.getBoolAttr(true));
      known = std::nullopt;
    }
    if (!known)
      return deviceWhile(s, holder, cond) ? Flow::Break : Flow::Error;
    // Decided without the device: what evaluating it emitted is not needed.
    before->clear();
    if (!*known)
      return std::nullopt;
    // Compile-time names cannot change in the body of a loop in the kernel,
    // other than by break: nothing would ever end this.
    if (staged && !hasExit(s->body)) {
      error(DiagID::InfiniteLoop, s->range,
            "the condition is always true: this loop never ends");
      return Flow::Error;
    }
    return execBlock(s->body);
  });
}

/// The scf.while of a loop whose condition has been evaluated into the block of
/// `holder`.
bool Interpreter::deviceWhile(const WhileStmt *s, mlir::Region &holder,
                              mlir::Value cond) {
  if (!s->orelse.empty()) {
    error(DiagID::NotSupportedInKernel, s->range,
          "'else' of a loop on the device");
    return false;
  }
  inDeviceLoop = true;
  auto *outerExit = exitFlag, *outerSkip = skipFlag;
  exitFlag = skipFlag = nullptr;
  at(s->range);
  // Flags before the loop, as in loopWithExit; the condition asks for the exit
  // flag.
  bool leaves = hasExit(s->body);
  if (leaves) {
    exitFlag = makeFlag();
    skipFlag = makeFlag();
    setFlag(exitFlag, false);
    setFlag(skipFlag, false);
  }
  auto whileOp = scf::WhileOp::create(b, TypeRange{}, mlir::ValueRange{});
  whileOp.getBefore().takeBody(holder);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(&whileOp.getBefore().front());
  if (leaves) {
    BufferObject *skip = std::exchange(skipFlag, exitFlag);
    cond = arith::AndIOp::create(b, cond, notExited());
    skipFlag = skip;
  }
  scf::ConditionOp::create(b, cond, mlir::ValueRange{});
  Block *after = b.createBlock(&whileOp.getAfter());
  if (leaves)
    setFlag(skipFlag, false);
  bool ok = inRegion(after, true, [&] { return execBody(s->body); });
  b.setInsertionPointToEnd(after);
  at(s->range);
  scf::YieldOp::create(b);
  exitFlag = outerExit;
  skipFlag = outerSkip;
  return ok;
}

} // namespace tlc::frontend
