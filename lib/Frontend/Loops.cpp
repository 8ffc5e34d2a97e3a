//===- Loops.cpp - T.Kernel and loop ranges -------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// T.Kernel, the objects that `for` iterates over on the device, and the loops
// that are not plain counting (those are in ControlFlow.cpp).
//
//   for i, j in T.Parallel(m, n)       tile.parallel (%i, %j) = [m, n]
//   for i in T.Parallel(n), n a size   scf.for chunks of the workgroup's size,
//                                        tile.parallel, scf.if inside n
//   for i, j in T.grid(m, n)           two scf.for
//   for y, x in T.Persistent(...)      scf.for over tile numbers
//   for t in T.thread_binding(128)     no loop: the thread's own index
//
// A builtin gives the LoopObject; nothing is emitted before execFor meets it,
// so a range may be made in a helper or kept in a variable.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "Suggest.h"

using namespace tlc;
using namespace mlir;

namespace tlc::frontend {

//===----------------------------------------------------------------------===//
// T.Kernel
//===----------------------------------------------------------------------===//

/// T.Kernel(*grid, threads=128). Grid dimensions may be symbolic; threads are
/// numbers, at most 1024 together, since layouts and LDS depend on them. What
/// else is named is a hint for other hardware and ignored.
Value Interpreter::kernelFrame(Args &args) {
  auto *kernel = make<KernelObject>();
  Value threads;
  for (auto &[name, v] : args.extra) {
    if (name == "threads")
      threads = v;
    else if (name == "prelude" && !v.is(VK::None))
      return fail(DiagID::EmbeddedSource, args.range,
                  "T.Kernel(prelude=...) embeds CUDA source, which tlc does "
                  "not compile");
  }
  if (args.rest.empty()) { // one workgroup
    args.rest.push_back(Value::integral(1));
    args.restRanges.push_back(args.range);
  }
  if (args.rest.size() > 3)
    return fail(DiagID::BadArgument, args.range,
                "T.Kernel needs 1 to 3 grid dimensions, not " +
                    llvm::Twine(args.rest.size()));
  for (auto [v, range] : llvm::zip(args.rest, args.restRanges)) {
    if (!v.isIntLike() && !(v.is(VK::Scalar) && v.asSym().type->isInteger()))
      return typeError(range, "an integer grid dimension", v);
    if (v.isIntLike() && (v.asInt() < 1 || v.asInt() > INT32_MAX))
      return fail(DiagID::BadArgument, range,
                  "a grid dimension of " + llvm::Twine(v.asInt()));
    kernel->grid.push_back(v);
  }
  SmallVector<Value> extents;
  if (!threads || threads.is(VK::None))
    extents.push_back(Value::integral(128));
  else if (threads.isSequence())
    extents.assign(threads.as<SequenceObject>()->elements);
  else
    extents.push_back(threads);
  int64_t total = 1;
  for (Value v : extents) {
    if (!v.isIntLike())
      return typeError(args.range, "a compile-time number of threads", v);
    if (v.asInt() < 1 || v.asInt() > 1024)
      return fail(DiagID::BadArgument, args.range,
                  llvm::Twine(v.asInt()) +
                      " threads: a workgroup has 1 to 1024");
    kernel->threads.push_back(v.asInt());
    total *= v.asInt();
  }
  if (extents.empty() || extents.size() > 3 || total > 1024)
    return fail(
        DiagID::BadArgument, args.range,
        llvm::Twine(total) +
            " threads: a workgroup has 1 to 1024, in 1 to 3 dimensions");
  return Value::object(kernel);
}

/// The `with T.Kernel(...)` of item `item`: makes a tile.kernel named after the
/// program ("f_kernel", then "f_kernel_1") and runs the body in it. Kernels
/// follow one another; they do not nest.
Flow Interpreter::kernelLaunch(const WithStmt *s, size_t item,
                               KernelObject *kernel) {
  SourceRange range = s->items[item].context->range;
  if (kernelOp) {
    error(DiagID::BadArgument, range, "a T.Kernel inside a T.Kernel")
        .note(s->range, "here");
    return Flow::Error;
  }
  if (!scope->staged) {
    error(DiagID::OutsideKernel, range,
          "T.Kernel stands in a function that is neither a T.prim_func nor an "
          "eager kernel");
    return Flow::Error;
  }
  SmallVector<mlir::Value> grid;
  for (Value v : kernel->grid) {
    grid.push_back(toI32(v, range));
    if (!grid.back())
      return Flow::Error;
  }
  at(s->range);
  std::string name = func.getName().str() + "_kernel" +
                     (kernelCount ? "_" + std::to_string(kernelCount) : "");
  ++kernelCount;
  OperationState state(b.getLoc(), tile::KernelOp::getOperationName());
  tile::KernelOp::build(b, state, grid, b.getDenseI64ArrayAttr(kernel->threads),
                        b.getStringAttr(name), IntegerAttr());
  Block *block = new Block();
  state.regions.front()->push_back(block);
  for (size_t i = 0; i < grid.size(); ++i)
    block->addArgument(b.getI32Type(), b.getLoc());
  kernelOp = llvm::cast<tile::KernelOp>(b.create(state));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(block);
    tile::YieldOp::create(b);
  }
  // The block indices, bound in the order x, y, z.
  bool ok = inRegion(block, false, [&] {
    if (const Expr *target = s->items[item].target) {
      SmallVector<Value> vars;
      for (BlockArgument arg : block->getArguments())
        vars.push_back(Value::scalar({arg, dtypes::int32}));
      bool single =
          vars.size() == 1 && !isa<TupleExpr>(target) && !isa<ListExpr>(target);
      Value v = single ? vars[0] : makeSequence(VK::Tuple, vars);
      if (auto *tuple = dyn_cast<TupleExpr>(target);
          tuple && tuple->elements.size() != vars.size()) {
        error(DiagID::BadArgument, target->range,
              llvm::Twine(tuple->elements.size()) + " names for " +
                  llvm::Twine(vars.size()) + " grid dimensions")
            .note(range, "the grid");
        return false;
      }
      if (!assign(target, v, target->range))
        return false;
    }
    kernelEnd = s->body.end();
    return execBody(s->body);
  });
  // A T.sync_grid in the body cuts the finished kernel.
  tile::KernelOp done = std::exchange(kernelOp, nullptr);
  rngPosition = nullptr;
  variables.clear();
  return ok && splitAtGridSyncs(done) ? Flow::Next : Flow::Error;
}

//===----------------------------------------------------------------------===//
// Loop ranges
//===----------------------------------------------------------------------===//

/// range(stop), range(start, stop[, step]). With numbers it is Python's own
/// range, which a staged function turns into a device loop (execFor); a
/// symbolic bound makes a device loop at once.
Value Interpreter::rangeLoop(Args &args) {
  bool isConstant =
      llvm::all_of(args.rest, [](Value v) { return v.isIntLike(); });
  if (args.rest.empty() || args.rest.size() > 3)
    return fail(DiagID::BadCall, args.range, "range takes 1 to 3 arguments");
  if (!isConstant)
    return serialLoopFrame(args);
  auto *range = make<RangeObject>();
  if (args.rest.size() == 1) {
    range->stop = args.rest[0].asInt();
  } else {
    range->start = args.rest[0].asInt();
    range->stop = args.rest[1].asInt();
  }
  if (args.rest.size() == 3 && (range->step = args.rest[2].asInt()) == 0)
    return fail(DiagID::BadLoop, args.range, "a range with step 0");
  return Value::object(range);
}

/// T.serial, T.unroll, T.vectorized, T.Pipelined: data is the LoopObject type.
/// Bounds are as for range; the step's sign and being constant is checked by
/// the loop.
Value Interpreter::serialLoopFrame(Args &args) {
  auto *loop = make<LoopObject>();
  loop->type = LoopObject::Type(
      currentBuiltin->name == "range" ? 0 : currentBuiltin->data);
  // By place: start and stop, then the step, or the stages of a pipeline, whose
  // further parameters are a schedule by hand.
  bool pipelined = loop->type == LoopObject::Pipelined;
  static constexpr StringRef loopNames[] = {"start", "stop", "step"},
                             pipeNames[] = {"start", "stop", "num_stages",
                                            "order", "stage"};
  ArrayRef<StringRef> names =
      pipelined ? ArrayRef(pipeNames) : ArrayRef(loopNames);
  llvm::StringMap<Value> given;
  for (auto [v, range, name] : llvm::zip(args.rest, args.restRanges, names))
    given[name] = v;
  for (auto &[name, v] : args.extra) {
    if (given.count(name))
      return fail(DiagID::BadCall, args.range,
                  "'" + currentBuiltin->name + "' got '" + name + "' twice");
    given[name] = v;
  }
  auto take = [&](StringRef name) {
    Value v = given.lookup(name);
    return v && !v.is(VK::None) ? v : Value();
  };
  Value start = take("start"), stop = take("stop"), step = take("step");
  if ((!start && !stop) || args.rest.size() > (pipelined ? 7 : 3))
    return fail(DiagID::BadCall, args.range,
                pipelined
                    ? "a pipeline takes (stop), (start, stop) or (start, stop, "
                      "num_stages)"
                    : "a loop takes (stop), (start, stop) or (start, stop, "
                      "step)");
  if (Value v = take("num_stages")) {
    if (!v.isIntLike() || v.asInt() < 0)
      return typeError(args.range, "a compile-time number of stages", v);
    loop->stages = v.asInt();
  }
  // A schedule by hand: its depth is all that matters.
  if (Value v = take("stage"); v && v.isSequence())
    for (Value e : v.as<SequenceObject>()->elements)
      if (e.isIntLike())
        loop->stages = std::max(loop->stages, e.asInt() + 1);
  if (Value v = take("unroll_factor"); v && v.isIntLike())
    loop->unrollFactor = v.asInt();
  // One bound alone is where the loop ends.
  if (!stop)
    std::swap(start, stop);
  loop->args = {start ? start : Value::integral(0), stop,
                step ? step : Value::integral(1)};
  for (Value v : loop->args)
    if (!v.isIntLike() && !(v.is(VK::Scalar) && v.asSym().type->isInteger()))
      return typeError(args.range, "an integer loop bound", v);
  if (loop->type == LoopObject::Vectorized &&
      !constantDifference(loop->args[1], loop->args[0]))
    return fail(DiagID::NotConstant, args.range,
                "T.vectorized needs an extent that is known at compile time");
  return Value::object(loop);
}

/// T.Parallel(*extents), T.grid(*extents): data is the LoopObject type. At
/// least one extent, each a positive number or a symbolic integer.
Value Interpreter::boxLoop(Args &args) {
  auto *loop = make<LoopObject>();
  loop->type = LoopObject::Type(currentBuiltin->data);
  for (auto &[name, v] : args.extra)
    if (name == "coalesced_width" && v.isIntLike())
      loop->coalesced = v.asInt();
    else if (name == "loop_layout" && v.is(VK::Layout))
      loop->layout = v.as<LayoutObject>();
  if (args.rest.empty())
    return fail(DiagID::BadCall, args.range,
                "a loop over a box needs its extents");
  for (auto [v, range] : llvm::zip(args.rest, args.restRanges)) {
    if (!v.isIntLike() && !(v.is(VK::Scalar) && v.asSym().type->isInteger()))
      return typeError(range, "an integer extent", v);
    if (v.isIntLike() && v.asInt() < 1)
      return fail(DiagID::BadShape, range,
                  "extent " + llvm::Twine(v.asInt()) +
                      ": extents are positive");
    loop->args.push_back(v);
  }
  return Value::object(loop);
}

/// T.Parallel: a tile.parallel, whose points later passes spread over the
/// threads. Its extents are numbers; a last extent known at run time only is
/// covered in chunks.
Flow Interpreter::parallelLoop(const ForStmt *s, LoopObject *loop) {
  SourceRange range = s->iterable->range;
  // Inside another T.Parallel the points are visited one after another: any
  // order will do.
  if (parallelDepth || kernelOp.getNumThreads() == 1)
    return gridLoop(s, loop);
  SmallVector<int64_t> extents;
  SmallVector<std::pair<size_t, mlir::Value>> guards;
  for (auto [i, v] : llvm::enumerate(loop->args)) {
    if (v.isIntLike()) {
      extents.push_back(v.asInt());
      continue;
    }
    // A run-time extent: chunks of the workgroup's size, guarded.
    if (loop->args.size() > 1 && i + 1 != loop->args.size()) {
      error(DiagID::NotConstant, range,
            "only the last extent of T.Parallel may depend on run-time values");
      return Flow::Error;
    }
    mlir::Value n = toI32(v, range);
    if (!n)
      return Flow::Error;
    guards.push_back({i, n});
    extents.push_back(kernelOp.getNumThreads());
  }
  int64_t points = 1;
  for (int64_t extent : extents)
    if (__builtin_mul_overflow(points, extent, &points) ||
        points > (int64_t(1) << 31)) {
      error(DiagID::BadShape, range,
            "a T.Parallel of more than 2^31 points in one workgroup");
      return Flow::Error;
    }
  at(range);
  // One chunk, or everything: `chunk` is where it begins, null for all.
  auto body = [&](mlir::Value chunk) {
    auto parallel = tile::ParallelOp::create(b, ArrayRef<int64_t>(extents));
    if (loop->coalesced)
      parallel.setCoalescedWidth(loop->coalesced);
    if (loop->layout && !layoutLoop(parallel, loop->layout, range))
      return false;
    drawsInPoints = false;
    ++parallelDepth;
    bool ok = inRegion(&parallel.getBody().front(), true, [&] {
      SmallVector<mlir::Value> vars(parallel.getBody().getArguments().begin(),
                                    parallel.getBody().getArguments().end());
      if (!chunk)
        return bindLoopVars(s, vars) && execBody(s->body);
      auto [dim, n] = guards[0];
      vars[dim] = b.createOrFold<arith::AddIOp>(chunk, vars[dim]);
      mlir::Value inside =
          arith::CmpIOp::create(b, arith::CmpIPredicate::slt, vars[dim], n);
      auto ifOp = scf::IfOp::create(b, inside, false);
      return inRegion(ifOp.thenBlock(), false, [&] {
        return bindLoopVars(s, vars) && execBody(s->body);
      });
    });
    --parallelDepth;
    bool given = false;
    ok = ok && givePointsToThreads(parallel, range, given);
    if (ok && !given && !loop->layout)
      serializeSums(parallel);
    return ok;
  };
  if (guards.empty())
    return body(mlir::Value()) ? Flow::Next : Flow::Error;
  mlir::Value zero = constant(int64_t(0), dtypes::int32).value;
  mlir::Value width = constant(kernelOp.getNumThreads(), dtypes::int32).value;
  auto forOp = scf::ForOp::create(b, zero, guards[0].second, width);
  return inRegion(forOp.getBody(), true,
                  [&] { return body(forOp.getInductionVar()); })
             ? Flow::Next
             : Flow::Error;
}

/// T.grid: one scf.for in another. Also what a T.Parallel is where the points
/// need no spreading.
Flow Interpreter::gridLoop(const ForStmt *s, LoopObject *loop) {
  SmallVector<mlir::Value> vars;
  auto nest = [&](auto &self, size_t i) -> bool {
    if (i == loop->args.size())
      return bindLoopVars(s, vars) && execBody(s->body);
    mlir::Value upper = toI32(loop->args[i], s->iterable->range);
    if (!upper)
      return false;
    at(s->iterable->range);
    mlir::Value zero = constant(int64_t(0), dtypes::int32).value,
                one = constant(int64_t(1), dtypes::int32).value;
    auto forOp = scf::ForOp::create(b, zero, upper, one);
    return inRegion(forOp.getBody(), true, [&] {
      vars.push_back(forOp.getInductionVar());
      return self(self, i + 1);
    });
  };
  return nest(nest, 0) ? Flow::Next : Flow::Error;
}

/// T.Persistent([m, n], wave_size, index, group_size): tile number index + w *
/// wave_size for every wave w, in groups of group_size rows. `wave_size` is the
/// number of workgroups, `index` this one's: together they visit all m * n
/// tiles.
Value Interpreter::persistentFrame(Args &args) {
  auto *loop = make<LoopObject>();
  loop->type = LoopObject::Persistent;
  SmallVector<Value> domain;
  if (!iterate(args[0], args.rangeOf(0), domain))
    return {};
  if (domain.empty())
    return fail(DiagID::BadArgument, args.rangeOf(0),
                "T.Persistent needs a domain");
  loop->args = domain;
  loop->waveSize = args[1];
  loop->index = args[2];
  if (args.has(3) && args[3].isIntLike())
    loop->groupSize = args[3].asInt();
  return Value::object(loop);
}

/// Tile numbers run down the rows of a group, then to its next column, then to
/// the next group, so that tiles of neighbouring numbers share columns and
/// rows:
///   m = 4, n = 3, group of 2:   0 2 4
///                               1 3 5
///                               6 8 10
///                               7 9 11
Flow Interpreter::persistentLoop(const ForStmt *s, LoopObject *loop) {
  SourceRange r = s->iterable->range;
  auto op = [&](BinOpKind kind, Value x, Value y) {
    return x && y ? binary(kind, x, y, r) : Value();
  };
  using B = BinOpKind;
  // Rows, and what the further dimensions make together: they count as columns
  // and are taken apart at the end.
  SmallVector<Value> inner(ArrayRef(loop->args).drop_front());
  Value m = loop->args[0], n = Value::integral(1);
  for (Value extent : inner)
    n = op(B::Mul, n, extent);
  Value group = Value::integral(loop->groupSize);
  Value total = op(B::Mul, m, n);
  mlir::Value lower = toI32(loop->index, r),
              upper = total ? toI32(total, r) : mlir::Value(),
              step = toI32(loop->waveSize, r);
  if (!lower || !upper || !step)
    return Flow::Error;
  at(r);
  auto forOp = scf::ForOp::create(b, lower, upper, step);
  bool ok = inRegion(forOp.getBody(), true, [&] {
    Value t = Value::scalar({forOp.getInductionVar(), dtypes::int32});
    // Rows in groups; within a group, down the rows and then across.
    Value perGroup = op(B::Mul, group, n), g = op(B::FloorDiv, t, perGroup),
          first = op(B::Mul, g, group);
    // The last group may have fewer rows.
    Value left = op(B::Sub, m, first);
    if (!left)
      return false;
    Sym x = toSym(left, r), y = toSym(group, r);
    if (!promote(x, y, left, group, r))
      return false;
    Value rows =
        fold({b.createOrFold<arith::MinSIOp>(x.value, y.value), x.type});
    Value inGroup = op(B::Mod, t, perGroup);
    Value row = op(B::Add, first, op(B::Mod, inGroup, rows)),
          col = op(B::FloorDiv, inGroup, rows);
    SmallVector<Value> place;
    for (Value extent : llvm::reverse(inner)) {
      bool first = place.size() + 1 == inner.size();
      place.push_back(first ? col : op(B::Mod, col, extent));
      col = op(B::FloorDiv, col, extent);
    }
    place.push_back(row);
    std::reverse(place.begin(), place.end());
    return llvm::all_of(place, [](Value v) { return bool(v); }) &&
           assign(s->target,
                  place.size() == 1 ? row : makeSequence(VK::Tuple, place),
                  s->target->range) &&
           execBody(s->body);
  });
  return ok ? Flow::Next : Flow::Error;
}

/// for tx in T.thread_binding(n, thread="threadIdx.x"): the thread's own index.
/// Assigned without a loop (`tx = T.thread_binding(...)`) it is the same.
Value Interpreter::threadBindingFrame(Args &args) {
  auto *loop = make<LoopObject>();
  loop->type = LoopObject::Thread;
  loop->args.assign(args.rest);
  StringRef name = "threadIdx.x";
  for (auto &[key, v] : args.extra)
    if (key == "thread" && v.is(VK::Str))
      name = v.asStr();
  for (Value v : args.rest)
    if (v.is(VK::Str))
      name = v.asStr();
  if (!name.starts_with("threadIdx.") || name.size() != 11 || name[10] < 'x' ||
      name[10] > 'z')
    return fail(DiagID::BadArgument, args.range,
                "'" + name + "' is not a dimension of the workgroup");
  loop->threadDim = name[10] - 'x';
  return Value::object(loop);
}

/// The body runs once, with the index bound; the extent that the program gives
/// must be the kernel's.
Flow Interpreter::threadLoop(const ForStmt *s, LoopObject *loop) {
  at(s->range);
  mlir::Value id =
      tile::ThreadIdOp::create(b, b.getI32Type(), uint64_t(loop->threadDim));
  Value extent = loop->args.empty() ? Value() : loop->args.back();
  for (Value v : loop->args)
    if (v.isIntLike())
      extent = v;
  ArrayRef<int64_t> threads = kernelOp.getThreads();
  int64_t have = size_t(loop->threadDim) < threads.size()
                     ? threads[size_t(loop->threadDim)]
                     : 1;
  if (extent && extent.isIntLike() && extent.asInt() != have) {
    error(DiagID::BadArgument, s->iterable->range,
          "T.thread_binding over " + llvm::Twine(extent.asInt()) +
              " threads, but the kernel has " + llvm::Twine(have) +
              " in that dimension");
    return Flow::Error;
  }
  return bindLoopVars(s, {id}) ? execBlock(s->body) : Flow::Error;
}

} // namespace tlc::frontend
