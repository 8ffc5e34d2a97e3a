//===- Gemm.cpp - T.gemm --------------------------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// T.gemm becomes one tile.gemm where the matrix core multiplies the operand
// types (docs/language.md, section 6), and a loop nest with a warning where it
// does not.
//
//   T.gemm(A, B, C, transpose_B=True)     # A: (64, 32), B: (128, 32) f16
//   ->  tile.gemm %A, %B, %C {transB}     # C: (64, 128) f32
//
// Everything a later pass would have to assume is checked here, where the
// source range of each operand is at hand: spaces, ranks, the three extents,
// types. Operands may be boxes of larger buffers; leading extents of 1 are
// allowed.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/IR/Matchers.h"

using namespace tlc;
using namespace mlir;

namespace tlc::frontend {

/// C += op(A) * op(B) as loops, for types without a matrix instruction: for
/// each element of C, its sum over k in a register. The sum is formed in C's
/// type, so f64 is f64 throughout and integers wrap as they would in C. `boxes`
/// are A, B, C; m, n, k the product's extents.
bool Interpreter::gemmByLoops(const Box *boxes, bool transA, bool transB,
                              int64_t m, int64_t n, int64_t k,
                              SourceRange range) {
  // A warning, not a refusal: the result is right, and slow by about the ratio
  // of matrix to vector peak, which is worth knowing.
  error(DiagID::PassWarning, range,
        "tlc uses no matrix instruction to multiply " +
            boxes[0].buffer->dtype->name + " by " +
            boxes[1].buffer->dtype->name + " into " +
            boxes[2].buffer->dtype->name + ": " + llvm::Twine(m * n * k) +
            " multiply-adds run on the vector ALU");
  at(range);
  // The index of op(X)[row, col] in the last two dimensions of a box's buffer.
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
    // C is read once and written once; the sum is an iteration argument.
    Value old = load(boxes[2].buffer, at2, range);
    if (!old)
      return false;
    mlir::Value zero = constant(int64_t(0), dtypes::int32).value,
                one = constant(int64_t(1), dtypes::int32).value;
    auto loop = scf::ForOp::create(b, zero, constant(k, dtypes::int32).value,
                                   one, mlir::ValueRange{old.asSym().value});
    {
      // `inRegion` is not needed: the body binds no name of the program.
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
///                A        B        C
///   neither      (m, k)   (k, n)   (m, n)
///   transpose_A  (k, m)   (k, n)   (m, n)
///   transpose_B  (m, k)   (n, k)   (m, n)
/// k_pack and what follows it are hints for other hardware. None, or Invalid
/// after a report.
Value Interpreter::gemm(Args &args) {
  Box boxes[3];
  SmallVector<int64_t> extents[3];
  static constexpr StringRef names[] = {"A", "B", "C"};
  for (unsigned i = 0; i < 3; ++i)
    if (!toBox(args[i], args.rangeOf(i), boxes[i], names[i]) ||
        !staticExtents(boxes[i], extents[i], names[i]))
      return {};
  auto &A = boxes[0], &B = boxes[1], &C = boxes[2];
  // The layouts of the operands depend on the flags, so they cannot be run-time
  // values.
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
  // The matrix core takes operands from registers; A and B may also lie in LDS,
  // from where they are loaded. C is kept in registers.
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
  // Extents of op(A) = (m, ka) and op(B) = (kb, n).
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
  // Two fp8 types may meet, since the instruction takes each format by itself;
  // so may integers of unlike signs, which end up in the loops if no
  // instruction fits.
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
  if (ta->isFloat() && (ta->isCoded() || tb->isCoded()))
    return fail(DiagID::TypeMismatch, args.range,
                "T.gemm: gfx942 multiplies no " +
                    (ta->isCoded() ? ta : tb)->name +
                    ": copy the operands to float16 first");
  int64_t policy = args.has(5) && args[5].isIntLike() ? args[5].asInt() : 0;
  // clear_accum: C starts from zero. A symbolic flag clears under an scf.if, as
  // in the first iteration of a loop over k (`clear_accum=(k == 0)`).
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
  // Whole buffers stand for themselves, boxes become tile.view.
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

} // namespace tlc::frontend
