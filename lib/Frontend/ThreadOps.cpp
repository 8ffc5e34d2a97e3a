//===- ThreadOps.cpp - Code written per thread: lanes and votes -----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The language's warp has 32 lanes where nothing else is said: a wavefront of
// 64 holds two of them. Shuffles take the width of the group in which lanes
// are counted; votes look at the whole wavefront.
//
// What has no instruction is made of what there is: reductions over threads of
// shuffles, or of LDS where they span wavefronts; votes of the workgroup of an
// atomic in LDS.
//
//   T.warp_reduce_sum(v):  v += lane^16, ^8, ^4, ^2, ^1      within 32 lanes
//   T.shfl_down(v, 1):     lane i gets lane i + 1's; the last of 32 its own
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace tlc;
using namespace mlir;
using tile::ReduceKind;

namespace tlc::frontend {

//===----------------------------------------------------------------------===//
// Where am I
//===----------------------------------------------------------------------===//

/// The thread's index over all dimensions, x fastest.
Value Interpreter::linearThread(SourceRange range) {
  Value sum;
  int64_t below = 1;
  for (auto [d, extent] : llvm::enumerate(kernelOp.getThreads())) {
    at(range);
    Value t =
        Value::scalar({tile::ThreadIdOp::create(b, b.getI32Type(), uint64_t(d)),
                       dtypes::int32});
    if (below > 1)
      t = binary(BinOpKind::Mul, t, Value::integral(below), range);
    sum = sum ? binary(BinOpKind::Add, sum, t, range) : t;
    below *= extent;
  }
  return sum;
}

/// T.get_lane_idx(warp_size), get_warp_idx, get_warp_group_idx: data 0, 1, 2.
/// Sizes are the wavefront's 64 lanes, and 4 wavefronts a group, unless given.
Value Interpreter::laneIndex(Args &args) {
  Value size = args.has(0) ? args[0] : Value::integral(64);
  Value t = linearThread(args.range);
  if (currentBuiltin->data == 0)
    return binary(BinOpKind::Mod, t, size, args.range);
  if (currentBuiltin->data == 2)
    size = binary(BinOpKind::Mul, size,
                  args.has(1) ? args[1] : Value::integral(4), args.range);
  return size ? binary(BinOpKind::FloorDiv, t, size, args.range) : Value();
}

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

/// Refuses what has no meaning where points, not threads, are written about.
bool Interpreter::notInParallel(SourceRange range, StringRef what) {
  if (!parallelDepth)
    return true;
  error(DiagID::BadArgument, range,
        "'" + what +
            "' is for code written per thread: in T.Parallel it is not said "
            "which thread runs a point");
  return false;
}

/// The value of another lane; `how` is 0 of lane `arg` of the group, 1 of lane
/// xor `arg`, 2 of lane + `arg`, 3 of lane - `arg`. A lane outside the group of
/// `width` gives the own value. Groups are aligned: `width` divides 64, and
/// lane l is in the group that starts at l & ~(width - 1).
Value Interpreter::shuffleFrom(int64_t how, Value value, Value arg, Value width,
                               SourceRange range) {
  if (!notInParallel(range, currentBuiltin->name))
    return {};
  Sym v = toSym(value, range);
  if (!v)
    return {};
  using B = BinOpKind;
  auto op = [&](B kind, Value x, Value y) {
    return x && y ? binary(kind, x, y, range) : Value();
  };
  Value lane = op(B::Mod, linearThread(range), Value::integral(64)),
        one = Value::integral(1);
  if (!width.isIntLike() || width.asInt() < 1 || width.asInt() > 64 ||
      (width.asInt() & (width.asInt() - 1)))
    return typeError(range, "a width of 1, 2, 4 … 64 lanes", width);
  Value within = op(B::Sub, width, one);
  Value start = op(B::And, lane, op(B::Xor, within, Value::integral(-1)));
  Value from, inside;
  switch (how) {
  case 0:
    from = op(B::Add, op(B::And, arg, within), start);
    break;
  case 1:
    from = op(B::Xor, lane, arg);
    inside = from
                 ? compare(CmpOpKind::Lt, from, op(B::Add, start, width), range)
                 : Value();
    break;
  case 2:
    from = op(B::Add, lane, arg);
    inside = from
                 ? compare(CmpOpKind::Lt, from, op(B::Add, start, width), range)
                 : Value();
    break;
  default:
    from = op(B::Sub, lane, arg);
    inside = from ? compare(CmpOpKind::Ge, from, start, range) : Value();
    break;
  }
  if (!from)
    return {};
  // A constant condition needs no select: it is decided.
  if (inside && inside.is(VK::Scalar))
    from = select(
        inside.asSym().value, [&] { return from; }, [&] { return lane; },
        range);
  mlir::Value index = from ? toI32(from, range) : mlir::Value();
  if (!index)
    return {};
  at(range);
  // The shuffle moves whole registers.
  bool isBool = v.type->isBool();
  if (isBool)
    v = cast(v, dtypes::int32);
  Value r = Value::scalar(
      {tile::ShuffleOp::create(b, v.value.getType(), v.value, index), v.type});
  return isBool ? Value::scalar(cast(r.asSym(), dtypes::boolean)) : r;
}

/// T.shfl_sync, shfl_xor, shfl_down, shfl_up(value, lane or delta, width, mask)
Value Interpreter::shuffle(Args &args) {
  return shuffleFrom(currentBuiltin->data, args[0], args[1],
                     args.has(2) ? args[2] : Value::integral(32), args.range);
}

/// T.tvm_warp_shuffle(mask, value, lane, width, warp_size), _down, _up
Value Interpreter::tvmShuffle(Args &args) {
  return shuffleFrom(currentBuiltin->data, args[1], args[2],
                     args.has(3) ? args[3] : Value::integral(32), args.range);
}

/// Two values of a reduction combined; And, Or, Xor and Sum are plain
/// operators. Max and Min ignore NaN.
Value Interpreter::combineScalars(ReduceKind kind, Value x, Value y,
                                  SourceRange range) {
  Sym a = toSym(x, range), c = toSym(y, range);
  if (!promote(a, c, Value(), Value(), range))
    return {};
  bool f = a.type->isFloat(), s = a.type->isSigned();
  mlir::Value r;
  switch (kind) {
  case ReduceKind::Max:
    r = f   ? b.createOrFold<arith::MaxNumFOp>(a.value, c.value)
        : s ? b.createOrFold<arith::MaxSIOp>(a.value, c.value)
            : b.createOrFold<arith::MaxUIOp>(a.value, c.value);
    break;
  case ReduceKind::Min:
    r = f   ? b.createOrFold<arith::MinNumFOp>(a.value, c.value)
        : s ? b.createOrFold<arith::MinSIOp>(a.value, c.value)
            : b.createOrFold<arith::MinUIOp>(a.value, c.value);
    break;
  case ReduceKind::And:
    return binary(BinOpKind::And, x, y, range);
  case ReduceKind::Or:
    return binary(BinOpKind::Or, x, y, range);
  case ReduceKind::Xor:
    return binary(BinOpKind::Xor, x, y, range);
  default:
    return binary(BinOpKind::Add, x, y, range);
  }
  return Value::scalar({r, a.type});
}

/// T.warp_reduce_sum(value) and its kin: over the 32 lanes of a logical warp,
/// by a butterfly, after which every lane has the result.
Value Interpreter::warpReduce(Args &args) {
  Value v = args[0];
  for (int64_t delta = 16; v && delta; delta /= 2) {
    Value other = shuffleFrom(1, v, Value::integral(delta), Value::integral(32),
                              args.range);
    v = other ? combineScalars(ReduceKind(currentBuiltin->data), v, other,
                               args.range)
              : Value();
  }
  return v;
}

//===----------------------------------------------------------------------===//
// Votes
//===----------------------------------------------------------------------===//

/// T.any_sync, all_sync, ballot_sync, ballot, activemask: data 0, 1, 2, 2, 3. A
/// ballot has a bit for each of the wavefront's 64 lanes; `any` asks whether
/// one is set, `all` whether none of the negation is. Lanes that do not run
/// here count as 0.
Value Interpreter::warpVote(Args &args) {
  if (!notInParallel(args.range, currentBuiltin->name))
    return {};
  int64_t which = currentBuiltin->data;
  mlir::Value c =
      which == 3 ? b.create<arith::ConstantOp>(b.getBoolAttr(true)).getResult()
                 : toI1(args[0], args.rangeOf(0));
  if (!c)
    return {};
  at(args.range);
  if (which == 1)
    c = b.createOrFold<arith::XOrIOp>(
        c, constant(int64_t(1), dtypes::boolean).value);
  tile::ThreadIdOp::create(b, b.getI32Type(),
                           uint64_t(0)); // marks code written per thread
  mlir::Value lanes = tile::BallotOp::create(b, b.getI64Type(), c);
  if (which >= 2)
    return Value::scalar({lanes, integerType(64, false)});
  auto pred = which == 0 ? arith::CmpIPredicate::ne : arith::CmpIPredicate::eq;
  mlir::Value r = arith::CmpIOp::create(
      b, pred, lanes, constant(int64_t(0), dtypes::int64).value);
  return Value::scalar(
      {arith::ExtUIOp::create(b, b.getI32Type(), r), dtypes::int32});
}

/// T.syncthreads_count, _and, _or(predicate): data 0, 1, 2. The count is made
/// in LDS: one thread clears it, all add, all read, with barriers between. The
/// first barrier keeps this clearing behind the reading of the vote before.
Value Interpreter::syncThreadsVote(Args &args) {
  if (!notInParallel(args.range, currentBuiltin->name))
    return {};
  mlir::Value c = toI1(args[0], args.rangeOf(0));
  if (!c)
    return {};
  at(args.range);
  mlir::Value zero = constant(int64_t(0), dtypes::int32).value;
  auto count = tile::AllocOp::create(
      b, tile::getBufferType({1}, b.getI32Type(), tile::Space::Shared),
      b.getStringAttr("vote"), nullptr, nullptr);
  tile::SyncOp::create(b);
  mlir::Value id = linearThread(args.range).asSym().value;
  mlir::Value first =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, id, zero);
  {
    auto ifOp = scf::IfOp::create(b, first, false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifOp.thenBlock());
    tile::StoreOp::create(b, zero, count, mlir::ValueRange{zero});
  }
  tile::SyncOp::create(b);
  mlir::Value one = arith::ExtUIOp::create(b, b.getI32Type(), c);
  tile::AtomicOp::create(b, tile::AtomicKind::Add, one, count,
                         mlir::ValueRange{zero});
  tile::SyncOp::create(b);
  mlir::Value n =
      tile::LoadOp::create(b, b.getI32Type(), count, mlir::ValueRange{zero});
  if (currentBuiltin->data == 0)
    return Value::scalar({n, dtypes::int32});
  mlir::Value r =
      currentBuiltin->data == 1
          ? arith::CmpIOp::create(
                b, arith::CmpIPredicate::eq, n,
                constant(kernelOp.getNumThreads(), dtypes::int32).value)
          : arith::CmpIOp::create(b, arith::CmpIPredicate::ne, n, zero);
  return Value::scalar(
      {arith::ExtUIOp::create(b, b.getI32Type(), r), dtypes::int32});
}

/// `inside`: whether the element at `index` of the buffer lies in the box; null
/// where the box is the buffer. False on an error.
bool Interpreter::insideBox(const Box &box, ArrayRef<Value> index,
                            mlir::Value &inside) {
  for (auto [i, offset, extent, size] :
       llvm::zip(index, box.offsets, box.extents, box.buffer->shape)) {
    if (offset.isIntLike() && offset.asInt() == 0 && extent.isIntLike() &&
        size.isIntLike() && extent.asInt() == size.asInt())
      continue;
    Value end = binary(BinOpKind::Add, offset, extent, box.range);
    for (auto [op, bound] :
         {std::pair(CmpOpKind::Ge, offset), std::pair(CmpOpKind::Lt, end)}) {
      mlir::Value c =
          bound ? toI1(compare(op, i, bound, box.range), box.range) : nullptr;
      if (!c)
        return false;
      inside = inside ? b.createOrFold<arith::AndIOp>(inside, c) : c;
    }
  }
  return true;
}

/// T.any_of(tile), T.all_of(tile): data 1 is all. A tile in registers is spread
/// over the threads, so all of it is reduced, dimension after dimension, with
/// the elements that were not asked for as 0 (all: 1):
///
///   tile.parallel: bits[i, j] = acc[i, j] != 0
///   tile.reduce or bits -> rows, rows -> bit[1];  the result is bit[0]
///
/// Anything else a thread can read point after point.
Value Interpreter::anyAllOf(Args &args) {
  Box box;
  SmallVector<int64_t> extents;
  if (!toBox(args[0], args.rangeOf(0), box, "a tile") ||
      !staticExtents(box, extents, "tile"))
    return {};
  bool all = currentBuiltin->data;
  at(args.range);
  mlir::Value zero = constant(int64_t(0), dtypes::int32).value,
              neutral = constant(int64_t(all), dtypes::int32).value;
  auto buffer = [&](ArrayRef<int64_t> shape, tile::Space space) -> mlir::Value {
    return tile::AllocOp::create(
        b, tile::getBufferType(shape, b.getI32Type(), space), nullptr, nullptr,
        nullptr);
  };
  auto bitAt = [&](ArrayRef<Value> index) -> mlir::Value {
    mlir::Value c = toI1(load(box.buffer, index, args.range), args.range);
    return c ? arith::ExtUIOp::create(b, b.getI32Type(), c) : mlir::Value();
  };
  mlir::Value found;
  if (box.buffer->space == tile::Space::Fragment && !parallelDepth) {
    Box whole;
    SmallVector<int64_t> shape, spread;
    if (!toBox(Value::object(box.buffer), box.range, whole, "a tile") ||
        !staticExtents(whole, shape, "tile"))
      return {};
    llvm::copy_if(shape, std::back_inserter(spread),
                  [](int64_t e) { return e != 1; });
    if (spread.empty())
      spread.push_back(1);
    found = buffer(spread, tile::Space::Fragment);
    if (!elementwise(whole, shape, [&](ArrayRef<Value> index) {
          SmallVector<mlir::Value> point(b.getInsertionBlock()->getArguments());
          if (point.size() != spread.size())
            point.assign(1, zero);
          mlir::Value bit = bitAt(index), inside;
          if (!bit || !insideBox(box, index, inside))
            return false;
          if (inside)
            bit = arith::SelectOp::create(b, inside, bit, neutral);
          tile::StoreOp::create(b, bit, found, point);
          return true;
        }))
      return {};
    while (!spread.empty()) {
      spread.pop_back();
      mlir::Value bits = found;
      found = buffer(spread.empty() ? ArrayRef<int64_t>(1) : spread,
                     tile::Space::Fragment);
      tile::ReduceOp::create(b, bits, found, mlir::Value(),
                             all ? ReduceKind::And : ReduceKind::Or,
                             uint64_t(spread.size()), /*accumulate=*/false,
                             /*nanAware=*/false);
    }
  } else {
    found = buffer(1, tile::Space::Local);
    tile::StoreOp::create(b, neutral, found, mlir::ValueRange{zero});
    // Point after point: the result is a scalar of every thread.
    unsigned outer = std::exchange(parallelDepth, parallelDepth + 1);
    bool ok = elementwise(box, extents, [&](ArrayRef<Value> index) {
      mlir::Value bit = bitAt(index);
      if (!bit)
        return false;
      mlir::Value old = tile::LoadOp::create(b, b.getI32Type(), found,
                                             mlir::ValueRange{zero});
      mlir::Value both = all ? arith::AndIOp::create(b, old, bit).getResult()
                             : arith::OrIOp::create(b, old, bit).getResult();
      tile::StoreOp::create(b, both, found, mlir::ValueRange{zero});
      return true;
    });
    parallelDepth = outer;
    if (!ok)
      return {};
  }
  mlir::Value r =
      tile::LoadOp::create(b, b.getI32Type(), found, mlir::ValueRange{zero});
  return Value::scalar(cast({r, dtypes::int32}, dtypes::boolean));
}

//===----------------------------------------------------------------------===//
// Reductions over threads
//===----------------------------------------------------------------------===//

/// T.comm_reducer(lambda x, y: ..., [identity]): kept as an object that T.attr
/// hands on. The identity is not needed: every group has a first value.
Value Interpreter::commReducerObject(Args &args) {
  if (!args[0].is(VK::Function))
    return typeError(args.rangeOf(0), "a function of two values", args[0]);
  auto *reducer = make<LayoutObject>();
  reducer->map = args[0].as<FunctionObject>();
  return Value::object(reducer);
}

/// T.attr(node, key, value): the reducer that a reduction over threads uses;
/// anything else is a hint.
Value Interpreter::attrFrame(Args &args) {
  if (args[0].is(VK::Layout) && args[1].is(VK::Str) &&
      args[1].asStr() == "reduce_scope")
    commReducer = args[0].as<LayoutObject>()->map;
  return Value::none();
}

/// T.tvm_thread_allreduce(1, value, cond, result, thread...): the threads that
/// differ in the given thread indices alone combine their values; all get the
/// result.
///
///   threads = (16, 4), over x     lanes apart by 1, 2, 4, 8: four shuffles
///   threads = (128, 2), over x    spans wavefronts: values through LDS
Value Interpreter::threadAllReduce(Args &args) {
  SourceRange range = args.range;
  if (!notInParallel(range, "T.tvm_thread_allreduce"))
    return {};
  if (args.rest.size() < 5)
    return fail(DiagID::BadCall, range,
                "T.tvm_thread_allreduce takes a count, a value, a condition, a "
                "result and thread indices");
  if (!commReducer)
    return fail(DiagID::BadArgument, range,
                "T.tvm_thread_allreduce needs a T.comm_reducer around it");
  Value count = deref(args.rest[0], range);
  Sym n = count ? toSym(count, range) : Sym();
  APInt number;
  if (!n || !matchPattern(n.value, m_ConstantInt(&number)) || !number.isOne())
    return fail(DiagID::Unimplemented, range,
                "T.tvm_thread_allreduce of more than one value");
  Value v = deref(args.rest[1], range);
  if (!args.rest[3].is(VK::Region) && !args.rest[3].is(VK::Buffer))
    return typeError(args.restRanges[3], "a variable or element for the result",
                     args.rest[3]);
  // Which dimensions of the workgroup are reduced over: the arguments are
  // thread indices, found by the op that made them.
  ArrayRef<int64_t> threads = kernelOp.getThreads();
  SmallVector<bool> reduced(threads.size(), false);
  for (size_t i = 4; i < args.rest.size(); ++i) {
    Value t = deref(args.rest[i], range);
    auto id = t.is(VK::Scalar)
                  ? t.asSym().value.getDefiningOp<tile::ThreadIdOp>()
                  : nullptr;
    if (!id && t.isIntLike() && t.asInt() == 0)
      continue; // a dimension the workgroup does not have
    if (!id)
      return typeError(args.restRanges[i], "a thread index", t);
    if (id.getDim() < threads.size())
      reduced[id.getDim()] = true;
  }
  // Lanes apart by powers of two within a wavefront: a butterfly. `below` is
  // how far apart neighbours in dimension d are.
  bool butterfly = true;
  int64_t below = 1;
  SmallVector<int64_t> masks, strides;
  for (auto [d, extent] : llvm::enumerate(threads)) {
    strides.push_back(below);
    if (reduced[d] && extent > 1) {
      butterfly &= llvm::isPowerOf2_64(below) && llvm::isPowerOf2_64(extent) &&
                   below * extent <= 64;
      for (int64_t m = below; m < below * extent && butterfly; m *= 2)
        masks.push_back(m);
    }
    below *= extent;
  }
  if (butterfly) {
    for (int64_t mask : masks) {
      Value other = v ? shuffleFrom(1, v, Value::integral(mask),
                                    Value::integral(64), range)
                      : Value();
      v = other ? callFunction(commReducer, {v, other}, {}, range) : Value();
    }
  } else {
    Sym s = toSym(v, range);
    if (!s)
      return {};
    auto type = s.type->storageType(&context);
    auto shared = tile::AllocOp::create(
        b, tile::getBufferType({below}, type, tile::Space::Shared),
        b.getStringAttr("allreduce"), nullptr, nullptr);
    // Through LDS: each thread writes its value and then reads its group's.
    Value self = linearThread(range);
    tile::SyncOp::create(b);
    tile::StoreOp::create(b, s.value, shared,
                          mlir::ValueRange{toI32(self, range)});
    tile::SyncOp::create(b);
    // The group's first thread, then all its members in order.
    Value base = self;
    int64_t members = 1;
    for (size_t d = 0; d < threads.size(); ++d)
      if (reduced[d]) {
        at(range);
        Value t = Value::scalar(
            {tile::ThreadIdOp::create(b, b.getI32Type(), uint64_t(d)),
             dtypes::int32});
        base = binary(
            BinOpKind::Sub, base,
            binary(BinOpKind::Mul, t, Value::integral(strides[d]), range),
            range);
        members *= threads[d];
      }
    // Members in order of their indices, so that all threads combine alike.
    v = Value();
    for (int64_t i = 0; i < members; ++i) {
      int64_t offset = 0, rest = i;
      for (size_t d = 0; d < threads.size(); ++d)
        if (reduced[d]) {
          offset += rest % threads[d] * strides[d];
          rest /= threads[d];
        }
      Value index =
          binary(BinOpKind::Add, base, Value::integral(offset), range);
      Value part = Value::scalar(
          {tile::LoadOp::create(b, type, shared,
                                mlir::ValueRange{toI32(index, range)}),
           s.type});
      v = v ? callFunction(commReducer, {v, part}, {}, range) : part;
      if (!v)
        return {};
    }
  }
  if (!v)
    return {};
  Value target = args.rest[3];
  if (target.is(VK::Buffer))
    return store(target.as<BufferObject>(), {Value::integral(0)}, v, range)
               ? Value::none()
               : Value();
  auto *region = target.as<RegionObject>();
  return store(region->buffer, region->offsets, v, range) ? Value::none()
                                                          : Value();
}

} // namespace tlc::frontend
