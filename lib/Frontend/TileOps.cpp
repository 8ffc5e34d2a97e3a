//===- TileOps.cpp - fill, gemm, reduce, atomics, aliases -----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/IR/Matchers.h"

using namespace tlc;
using namespace mlir;
using tile::ReduceKind;

namespace tlc::frontend {

//===----------------------------------------------------------------------===//
// fill, clear
//===----------------------------------------------------------------------===//

bool Interpreter::fillBox(Value target, Value value, SourceRange range,
                          SourceRange valueRange) {
  Box box;
  if (!toBox(target, range, box, "the destination"))
    return false;
  if (box.isElement || (box.buffer->isVar && box.isWhole))
    return store(box.buffer, box.offsets, value, range);
  SmallVector<int64_t> extents;
  if (!staticExtents(box, extents, "destination"))
    return false;
  Sym v = castValue(value, box.buffer->dtype, valueRange);
  if (!v)
    return false;
  if (parallelDepth || box.buffer->indexMap || box.buffer->isPacked())
    return elementwise(box, extents, [&](ArrayRef<Value> indices) {
      return store(box.buffer, indices, Value::scalar(v), range);
    });
  at(range);
  mlir::Value scalar = box.buffer->dtype->isSubByte()
                           ? encodeNibble(v, box.buffer->dtype)
                           : v.value;
  if (v.type->isBool())
    scalar = b.createOrFold<arith::ExtUIOp>(b.getI8Type(), scalar);
  mlir::Value dst = boxValue(box, extents);
  if (!dst)
    return false;
  at(range);
  tile::FillOp::create(b, dst, scalar, nullptr);
  return true;
}

Value Interpreter::fill(Args &args) {
  return fillBox(args[0], args[1], args.range, args.rangeOf(1)) ? Value::none()
                                                                : Value();
}
Value Interpreter::clear(Args &args) {
  return fillBox(args[0], Value::integral(0), args.range, args.range)
             ? Value::none()
             : Value();
}

//===----------------------------------------------------------------------===//
// gemm
//===----------------------------------------------------------------------===//

/// C += op(A) * op(B) as loops: for each element of C, its sum over k.
bool Interpreter::gemmByLoops(const Box *boxes, bool transA, bool transB,
                              int64_t m, int64_t n, int64_t k,
                              SourceRange range) {
  error(DiagID::PassWarning, range,
        "no matrix instruction multiplies " + boxes[0].buffer->dtype->name +
            " by " + boxes[1].buffer->dtype->name + " into " +
            boxes[2].buffer->dtype->name + ": " + llvm::Twine(m * n * k) +
            " multiply-adds run on the vector ALU");
  at(range);
  auto element = [&](const Box &box, mlir::Value row, mlir::Value col,
                     bool transposed) {
    SmallVector<Value> index(box.offsets);
    size_t rank = index.size();
    Value r = Value::scalar({row, dtypes::int32}),
          c = Value::scalar({col, dtypes::int32});
    index[rank - 2] =
        binary(BinOpKind::Add, index[rank - 2], transposed ? c : r, range);
    index[rank - 1] =
        binary(BinOpKind::Add, index[rank - 1], transposed ? r : c, range);
    return index;
  };
  auto parallel = tile::ParallelOp::create(b, ArrayRef<int64_t>{m, n});
  ++parallelDepth;
  bool ok = inRegion(&parallel.getBody().front(), true, [&] {
    mlir::Value i = parallel.getBody().getArgument(0),
                j = parallel.getBody().getArgument(1);
    SmallVector<Value> at2 = element(boxes[2], i, j, false);
    DType tc = boxes[2].buffer->dtype;
    Value old = load(boxes[2].buffer, at2, range);
    if (!old)
      return false;
    mlir::Value zero = constant(int64_t(0), dtypes::int32).value,
                one = constant(int64_t(1), dtypes::int32).value;
    auto loop = scf::ForOp::create(b, zero, constant(k, dtypes::int32).value,
                                   one, mlir::ValueRange{old.asSym().value});
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Sym factors[2];
      for (unsigned o : {0u, 1u}) {
        SmallVector<Value> index =
            o == 0 ? element(boxes[0], i, loop.getInductionVar(), transA)
                   : element(boxes[1], loop.getInductionVar(), j, transB);
        Value v = load(boxes[o].buffer, index, range);
        factors[o] = v ? castValue(v, tc, range) : Sym();
        if (!factors[o])
          return false;
      }
      Value product = binary(BinOpKind::Mul, Value::scalar(factors[0]),
                             Value::scalar(factors[1]), range);
      Value sum = product
                      ? binary(BinOpKind::Add,
                               Value::scalar({loop.getRegionIterArg(0), tc}),
                               product, range)
                      : Value();
      if (!sum)
        return false;
      scf::YieldOp::create(b, castValue(sum, tc, range).value);
    }
    return store(boxes[2].buffer, at2, Value::scalar({loop.getResult(0), tc}),
                 range);
  });
  --parallelDepth;
  return ok;
}

/// T.gemm(A, B, C, transpose_A, transpose_B, policy, clear_accum, k_pack)
Value Interpreter::gemm(Args &args) {
  Box boxes[3];
  SmallVector<int64_t> extents[3];
  static constexpr StringRef names[] = {"A", "B", "C"};
  for (unsigned i = 0; i < 3; ++i)
    if (!toBox(args[i], args.rangeOf(i), boxes[i], names[i]) ||
        !staticExtents(boxes[i], extents[i], names[i]))
      return {};
  auto &A = boxes[0], &B = boxes[1], &C = boxes[2];
  auto flag = [&](unsigned i, bool &out) {
    out = false;
    if (!args.has(i))
      return true;
    bool failed = false;
    auto t = truth(args[i], args.rangeOf(i), failed);
    if (!failed && !t)
      error(DiagID::NotConstant, args.rangeOf(i),
            "a transpose flag must be known at compile time");
    out = t.value_or(false);
    return t.has_value();
  };
  bool transA, transB;
  if (!flag(3, transA) || !flag(4, transB))
    return {};
  for (unsigned i = 0; i < 3; ++i) {
    tile::Space space = boxes[i].buffer->space;
    bool ok = space == tile::Space::Fragment ||
              (i < 2 && space == tile::Space::Shared);
    if (!ok) {
      error(DiagID::WrongSpace, args.rangeOf(i),
            "T.gemm: " + names[i] + " must be " +
                (i < 2 ? "shared or a fragment" : "a fragment") + ", but '" +
                boxes[i].buffer->name + "' is " + tile::stringifySpace(space))
          .note(boxes[i].buffer->declared, "declared here");
      return {};
    }
    if (extents[i].size() < 2 ||
        llvm::any_of(ArrayRef(extents[i]).drop_back(2),
                     [](int64_t e) { return e != 1; })) {
      error(DiagID::ShapeMismatch, args.rangeOf(i),
            "T.gemm: " + names[i] + " must be a matrix, but has shape " +
                shapeText(boxes[i].extents))
          .note(boxes[i].buffer->declared, "declared here");
      return {};
    }
  }
  auto rows = [&](unsigned i) { return extents[i][extents[i].size() - 2]; };
  auto cols = [&](unsigned i) { return extents[i].back(); };
  int64_t m = transA ? cols(0) : rows(0), ka = transA ? rows(0) : cols(0);
  int64_t kb = transB ? cols(1) : rows(1), n = transB ? rows(1) : cols(1);
  auto notes = [&](DiagBuilder diag) {
    for (unsigned i = 0; i < 3; ++i)
      diag.note(boxes[i].buffer->declared,
                names[i] + " is '" + boxes[i].buffer->name + "' of shape " +
                    shapeText(boxes[i].extents));
  };
  if (ka != kb) {
    notes(error(DiagID::ShapeMismatch, args.range,
                "T.gemm: A has K = " + llvm::Twine(ka) +
                    ", B has K = " + llvm::Twine(kb)));
    return {};
  }
  if (rows(2) != m || cols(2) != n) {
    notes(error(DiagID::ShapeMismatch, args.range,
                "T.gemm: A * B is " + llvm::Twine(m) + " x " + llvm::Twine(n) +
                    ", but C is " + llvm::Twine(rows(2)) + " x " +
                    llvm::Twine(cols(2))));
    return {};
  }
  DType ta = A.buffer->dtype, tb = B.buffer->dtype, tc = C.buffer->dtype;
  if (ta != tb && !(ta->isFloat8() && tb->isFloat8()) &&
      !(ta->isInteger() && tb->isInteger())) {
    notes(error(DiagID::TypeMismatch, args.range,
                "T.gemm: A is " + ta->name + ", but B is " + tb->name));
    return {};
  }
  if (ta->isFloat() != tc->isFloat() || ta->isBool()) {
    notes(error(DiagID::TypeMismatch, args.range,
                "T.gemm: a product of " + ta->name + " cannot be added to " +
                    tc->name));
    return {};
  }
  if (parallelDepth) {
    error(DiagID::BadArgument, args.range,
          "T.gemm cannot stand inside T.Parallel");
    return {};
  }
  if (ta->isSubByte() && ta->isFloat())
    return fail(DiagID::TypeMismatch, args.range,
                "T.gemm: gfx942 multiplies no " + ta->name +
                    ": copy the operands to float16 first");
  int64_t policy = args.has(5) && args[5].isIntLike() ? args[5].asInt() : 0;
  if (args.has(6)) {
    bool failed = false;
    auto t = truth(args[6], args.rangeOf(6), failed);
    if (failed)
      return {};
    auto clearC = [&] {
      return fillBox(args[2], Value::integral(0), args.range, args.range);
    };
    if (t && *t && !clearC())
      return {};
    if (!t) {
      mlir::Value cond = toI1(args[6], args.rangeOf(6));
      if (!cond)
        return {};
      auto ifOp = scf::IfOp::create(b, cond, false);
      if (!inRegion(ifOp.thenBlock(), false, clearC))
        return {};
    }
  }
  // The matrix core multiplies floats of one type, fp8 of any two, and i8. What
  // else there is runs element by element.
  auto isI8 = [](DType t) {
    return t->bits == 8 ? t->isSigned() : t->isSubByte() && !t->isFloat();
  };
  bool matrixCore = ta->isFloat() ? ta->bits <= 32 && tc->bits <= 32
                                  : isI8(ta) && isI8(tb) && tc->bits == 32;
  if (!matrixCore)
    return gemmByLoops(boxes, transA, transB, m, n, ka, args.range)
               ? Value::none()
               : Value();
  mlir::Value v[3];
  for (unsigned i = 0; i < 3; ++i)
    if (!(v[i] = boxValue(boxes[i], extents[i])))
      return {};
  at(args.range);
  tile::GemmOp::create(
      b, v[0], v[1], v[2], transA, transB,
      tile::WarpPolicy(policy >= 0 && policy <= 2 ? policy : 0), nullptr);
  return Value::none();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Value Interpreter::reduceImpl(Args &args, ReduceKind kind, Value buffer,
                              Value out, Value dim, Value clearFlag,
                              Value nan) {
  Box src, dst;
  SmallVector<int64_t> from, to;
  if (!toBox(buffer, args.rangeOf(0), src, "the source") ||
      !toBox(out, args.rangeOf(1), dst, "the destination") ||
      !staticExtents(src, from, "source") ||
      !staticExtents(dst, to, "destination"))
    return {};
  int64_t rank = int64_t(from.size()),
          axis = dim && dim.isIntLike() ? dim.asInt() : -1;
  if (dim && !dim.isIntLike() && !dim.is(VK::None))
    return typeError(args.range, "a compile-time dimension", dim);
  if (axis < 0)
    axis += rank;
  if (axis < 0 || axis >= rank) {
    error(DiagID::BadArgument, args.range,
          "dimension " + llvm::Twine(dim.asInt()) + " of a buffer of rank " +
              llvm::Twine(rank))
        .note(src.buffer->declared, "declared here");
    return {};
  }
  for (auto [box, r] : {std::pair(&src, 0u), std::pair(&dst, 1u)})
    if (box->buffer->space == tile::Space::Global) {
      error(DiagID::WrongSpace, args.rangeOf(r),
            "'" + box->buffer->name +
                "' is in global memory: a reduction works on tiles")
          .note(box->buffer->declared, "declared here");
      return {};
    }
  SmallVector<int64_t> dropped(from), kept(from);
  dropped.erase(dropped.begin() + axis);
  kept[size_t(axis)] = 1;
  if (to != dropped && to != kept &&
      !(dropped.empty() && to.size() == 1 && to[0] == 1)) {
    error(DiagID::ShapeMismatch, args.range,
          "reducing dimension " + llvm::Twine(axis) + " of shape " +
              shapeText(src.extents) + " does not give " +
              shapeText(dst.extents))
        .note(src.buffer->declared,
              "'" + src.buffer->name + "' is declared here")
        .note(dst.buffer->declared,
              "'" + dst.buffer->name + "' is declared here");
    return {};
  }
  bool accumulate = false, nanAware = false, failed = false;
  if (clearFlag && !clearFlag.is(VK::None)) {
    auto t = truth(clearFlag, args.range, failed);
    if (!t)
      return failed ? Value()
                    : fail(DiagID::NotConstant, args.range,
                           "'clear' must be known at compile time");
    accumulate = !*t;
  }
  if (nan && !nan.is(VK::None)) {
    auto t = truth(nan, args.range, failed);
    nanAware = t.value_or(false);
  }
  DType type = src.buffer->dtype;
  bool bitwise = kind == ReduceKind::And || kind == ReduceKind::Or ||
                 kind == ReduceKind::Xor;
  if (bitwise && type->isFloat())
    return fail(DiagID::TypeMismatch, args.range,
                "a bitwise reduction of " + type->name);
  if (type->cls == DTypeInfo::UInt)
    kind = kind == ReduceKind::Max   ? ReduceKind::UMax
           : kind == ReduceKind::Min ? ReduceKind::UMin
                                     : kind;
  mlir::Value s = boxValue(src, from), d = boxValue(dst, to);
  if (!s || !d)
    return {};
  at(args.range);
  tile::ReduceOp::create(b, s, d, mlir::Value(), kind, uint64_t(axis),
                         accumulate, nanAware);
  return Value::none();
}

/// T.reduce_sum(buffer, out, dim, clear) and its kin; data is the kind.
Value Interpreter::reduceNamed(Args &args) {
  return reduceImpl(args, ReduceKind(currentBuiltin->data), args[0], args[1],
                    args[2], args[3], args[5]);
}

static std::optional<ReduceKind> reduceKindOf(StringRef name) {
  if (name.starts_with("bit"))
    name = name.drop_front(3);
  else if (name.starts_with("abs"))
    return name == "absmax" ? ReduceKind::AbsMax : ReduceKind::AbsSum;
  return tile::symbolizeReduceKind(name);
}

/// T.reduce(buffer, out, reduce_type, dim, clear)
Value Interpreter::reduceAny(Args &args) {
  auto kind =
      args[2].is(VK::Str) ? reduceKindOf(args[2].asStr()) : std::nullopt;
  if (!kind)
    return typeError(args.rangeOf(2), "the name of a reduction", args[2]);
  return reduceImpl(args, *kind, args[0], args[1], args[3], args[4], Value());
}

/// T.cumsum(src, dst, dim, reverse); data is the kind.
Value Interpreter::scan(Args &args) {
  Box src, dst;
  SmallVector<int64_t> from, to;
  Value target = args.has(1) ? args[1] : args[0];
  if (!toBox(args[0], args.rangeOf(0), src, "the source") ||
      !toBox(target, args.rangeOf(1), dst, "the destination") ||
      !staticExtents(src, from, "source") ||
      !staticExtents(dst, to, "destination"))
    return {};
  int64_t axis = args.has(2) && args[2].isIntLike() ? args[2].asInt() : 0;
  if (axis < 0)
    axis += int64_t(from.size());
  if (from != to || axis < 0 || axis >= int64_t(from.size())) {
    error(DiagID::ShapeMismatch, args.range,
          "a scan of shape " + shapeText(src.extents) + " along dimension " +
              llvm::Twine(axis) + " into " + shapeText(dst.extents));
    return {};
  }
  mlir::Value s = boxValue(src, from), d = boxValue(dst, to);
  if (!s || !d)
    return {};
  at(args.range);
  tile::ScanOp::create(b, s, d, ReduceKind(currentBuiltin->data),
                       uint64_t(axis),
                       args.has(3) && args[3].isIntLike() && args[3].asBool());
  return Value::none();
}

Value Interpreter::transposeTile(Args &args) {
  Box src, dst;
  SmallVector<int64_t> from, to;
  if (!toBox(args[0], args.rangeOf(0), src, "the source") ||
      !toBox(args[1], args.rangeOf(1), dst, "the destination") ||
      !staticExtents(src, from, "source") ||
      !staticExtents(dst, to, "destination"))
    return {};
  SmallVector<int64_t> swapped(from);
  if (swapped.size() >= 2)
    std::swap(swapped[swapped.size() - 1], swapped[swapped.size() - 2]);
  if (swapped.size() < 2 || swapped != to) {
    error(DiagID::ShapeMismatch, args.range,
          "the transpose of " + shapeText(src.extents) + " is not " +
              shapeText(dst.extents));
    return {};
  }
  mlir::Value s = boxValue(src, from), d = boxValue(dst, to);
  at(args.range);
  if (s && d)
    tile::TransposeOp::create(b, s, d);
  return s && d ? Value::none() : Value();
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

Value Interpreter::atomicImpl(Args &args, tile::AtomicKind kind) {
  Box dst;
  if (!toBox(args[0], args.rangeOf(0), dst, "the destination"))
    return {};
  DType type = dst.buffer->dtype;
  if (dst.buffer->space != tile::Space::Global &&
      dst.buffer->space != tile::Space::Shared) {
    error(DiagID::WrongSpace, args.rangeOf(0),
          "an atomic needs a global or shared buffer, '" + dst.buffer->name +
              "' is " + tile::stringifySpace(dst.buffer->space))
        .note(dst.buffer->declared, "declared here");
    return {};
  }
  if (type->isSubByte())
    return fail(DiagID::TypeMismatch, args.range,
                "an atomic on elements of 4 bits");
  bool bitwise = kind == tile::AtomicKind::Or ||
                 kind == tile::AtomicKind::And || kind == tile::AtomicKind::Xor;
  if (bitwise && type->isFloat())
    return fail(DiagID::TypeMismatch, args.range,
                "a bitwise atomic on " + type->name);
  if (type->cls == DTypeInfo::UInt)
    kind = kind == tile::AtomicKind::Max   ? tile::AtomicKind::UMax
           : kind == tile::AtomicKind::Min ? tile::AtomicKind::UMin
                                           : kind;
  auto one = [&](ArrayRef<Value> indices, Value value) -> Value {
    Sym v = castValue(value, type, args.range);
    SmallVector<mlir::Value> operands;
    if (!v || !indexOperands(dst.buffer, indices, args.range, operands))
      return {};
    at(args.range);
    return Value::scalar(
        {tile::AtomicOp::create(b, v.value.getType(), kind, v.value,
                                dst.buffer->storage(), operands),
         type});
  };
  bool tileValue =
      (args[1].is(VK::Buffer) && !args[1].as<BufferObject>()->isVar) ||
      (args[1].is(VK::Region) && !args[1].as<RegionObject>()->isElement);
  if (!tileValue && (dst.isElement || dst.buffer->isVar)) {
    Value v = deref(args[1], args.rangeOf(1));
    Value old = v ? one(dst.offsets, v) : Value();
    return old ? old : Value();
  }
  // The tile form: one atomic for each element.
  Box src;
  SmallVector<int64_t> extents;
  if (!tileValue) {
    if (!staticExtents(dst, extents, "destination"))
      return {};
    return elementwise(dst, extents,
                       [&](ArrayRef<Value> i) { return bool(one(i, args[1])); })
               ? Value::none()
               : Value();
  }
  if (!toBox(args[1], args.rangeOf(1), src, "the value") ||
      !staticExtents(src, extents, "value"))
    return {};
  if (dst.isElement) // a tile's origin
    for (size_t i = 0; i < std::min(extents.size(), dst.extents.size()); ++i)
      dst.extents[dst.extents.size() - 1 - i] =
          Value::integral(extents[extents.size() - 1 - i]);
  SmallVector<unsigned> dims;
  for (auto [i, e] : llvm::enumerate(dst.extents))
    if (!(e.is(VK::Int) && e.asInt() == 1))
      dims.push_back(unsigned(i));
  SmallVector<int64_t> points;
  for (int64_t e : extents)
    if (e != 1)
      points.push_back(e);
  if (dims.size() != points.size()) {
    error(DiagID::ShapeMismatch, args.range,
          "a value of shape " + shapeText(src.extents) +
              " for a box of shape " + shapeText(dst.extents));
    return {};
  }
  bool ok = elementwise(src, extents, [&](ArrayRef<Value> from) {
    SmallVector<Value> to(dst.offsets);
    size_t next = 0;
    for (auto [i, e] : llvm::enumerate(extents)) {
      if (e == 1)
        continue;
      Value offset =
          binary(BinOpKind::Sub, from[i], src.offsets[i], args.range);
      Value &target = to[dims[next++]];
      if (!offset ||
          !(target = binary(BinOpKind::Add, target, offset, args.range)))
        return false;
    }
    Value v = load(src.buffer, from, args.range);
    return v && one(to, v);
  });
  return ok ? Value::none() : Value();
}

Value Interpreter::atomicOp(Args &args) {
  return atomicImpl(args, tile::AtomicKind(currentBuiltin->data));
}

/// T.atomic_addx2(dst, src), x4: neighbouring elements; data is how many.
Value Interpreter::atomicVector(Args &args) {
  Box dst, src;
  if (!toBox(args[0], args.rangeOf(0), dst, "the destination") ||
      !toBox(args[1], args.rangeOf(1), src, "the value"))
    return {};
  for (int64_t i = 0; i < currentBuiltin->data; ++i) {
    SmallVector<Value> to(dst.offsets), from(src.offsets);
    to.back() =
        binary(BinOpKind::Add, to.back(), Value::integral(i), args.range);
    from.back() =
        binary(BinOpKind::Add, from.back(), Value::integral(i), args.range);
    Value v =
        to.back() && from.back() ? load(src.buffer, from, args.range) : Value();
    Sym s = v ? castValue(v, dst.buffer->dtype, args.range) : Sym();
    SmallVector<mlir::Value> operands;
    if (!s || !indexOperands(dst.buffer, to, args.range, operands))
      return {};
    at(args.range);
    tile::AtomicOp::create(b, s.value.getType(), tile::AtomicKind::Add, s.value,
                           dst.buffer->storage(), operands);
  }
  return Value::none();
}

/// T.atomic_load(x): an atomic that changes nothing.
Value Interpreter::atomicLoad(Args &args) {
  Box box;
  if (!toBox(args[0], args.rangeOf(0), box, "the source"))
    return {};
  if (box.buffer->dtype->isFloat())
    return load(box.buffer, box.offsets, args.range);
  args.values.resize(2);
  args.ranges.resize(2);
  args.values[1] = Value::integral(0);
  return atomicImpl(args, tile::AtomicKind::Or);
}

} // namespace tlc::frontend
