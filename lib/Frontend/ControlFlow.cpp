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
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/IR/Matchers.h"

using namespace tlc;
using namespace mlir;

namespace tlc::frontend {

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

bool Interpreter::bindLoopVars(const ForStmt *s, ArrayRef<mlir::Value> vars) {
  SmallVector<Value> values;
  for (mlir::Value v : vars)
    values.push_back(Value::scalar({v, dtypes::int32}));
  if (values.size() == 1 && !isa<TupleExpr>(s->target) &&
      !isa<ListExpr>(s->target))
    return assign(s->target, values[0], s->target->range);
  return assign(s->target, makeSequence(VK::Tuple, values), s->target->range);
}

static bool hasExit(StmtList body) {
  return llvm::any_of(body, [](const Stmt *s) {
    if (auto *i = dyn_cast<IfStmt>(s))
      return hasExit(i->body) || hasExit(i->orelse);
    if (auto *w = dyn_cast<WithStmt>(s))
      return hasExit(w->body);
    return isa<BreakStmt, ContinueStmt>(s);
  });
}

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
  bool outer = std::exchange(inDeviceLoop, false);
  unsigned outerRegion = std::exchange(hostLoopRegion, regionDepth);
  Flow result = Flow::Next;
  for (Value item : items) {
    if (!step(s->range) || !assign(s->target, item, s->target->range))
      return Flow::Error;
    Flow flow = execBlock(s->body);
    if (flow == Flow::Error || flow == Flow::Return)
      return flow;
    if (flow == Flow::Break) {
      result = flow;
      break;
    }
  }
  inDeviceLoop = outer;
  hostLoopRegion = outerRegion;
  return result == Flow::Break ? Flow::Next : execBlock(s->orelse);
}

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
  bool outer = std::exchange(inDeviceLoop, false);
  unsigned outerRegion = std::exchange(hostLoopRegion, regionDepth);
  Flow result = Flow::Next;
  auto *before = new Block();
  mlir::Region holder;
  holder.push_back(before);
  bool failed = false;
  for (;;) {
    auto [known, cond] = evaluate(before, failed);
    if (failed || !step(s->range))
      return Flow::Error;
    if (forever && known && *known) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToEnd(before);
      cond = arith::ConstantOp::create(b, b.getBoolAttr(true));
      known = std::nullopt;
    }
    if (!known) {
      inDeviceLoop = true;
      auto *outerExit = exitFlag, *outerSkip = skipFlag;
      exitFlag = skipFlag = nullptr;
      at(s->range);
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
      inDeviceLoop = outer;
      hostLoopRegion = outerRegion;
      return ok ? Flow::Next : Flow::Error;
    }
    before->clear();
    if (!*known)
      break;
    if (staged && !hasExit(s->body)) {
      error(DiagID::InfiniteLoop, s->range,
            "the condition is always true: this loop never ends");
      return Flow::Error;
    }
    Flow flow = execBlock(s->body);
    if (flow == Flow::Error || flow == Flow::Return)
      return flow;
    if (flow == Flow::Break) {
      result = flow;
      break;
    }
  }
  inDeviceLoop = outer;
  hostLoopRegion = outerRegion;
  return result == Flow::Break ? Flow::Next : execBlock(s->orelse);
}

} // namespace tlc::frontend
