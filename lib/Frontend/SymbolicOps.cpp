//===- SymbolicOps.cpp - Arithmetic on SSA values -------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types: an integer literal is int32, a float literal float32. Integer with
// float gives the float type; float with float the wider; integers the wider,
// mixed signs the signed one. Division and remainder of integers round towards
// minus infinity, by a shift or mask where the divisor is a power of two, and
// unsigned where both operands are known not to be negative.
//
//   x: float16, n: int32 SSA values
//   x * 2.0   ->  arith.extf %x; arith.mulf %x32, 2.0 : f32
//   x * n     ->  arith.sitofp %n : f16; arith.mulf
//   n // 8    ->  arith.shrsi %n, 3         n % 8  ->  arith.andi %n, 7
//
// createOrFold folds constants on the way, and `fold` turns small ones back
// into literals, so that code over constants stays at compile time.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace tlc;
using namespace mlir;

namespace tlc::frontend {

/// The MLIR location of a source range: file, line, column of its begin.
///   helper(A) at 10:9 reads at 4:5   loc(callsite(4:5 at 10:9))
Location Interpreter::locOf(SourceRange range) {
  auto pos = sources.position(range.begin);
  if (!pos.line)
    return UnknownLoc::get(&context);
  auto place = [&](SourceManager::Position p) -> Location {
    return FileLineColLoc::get(&context, p.file, p.line, p.column);
  };
  Location loc = place(pos);
  // Inside helpers, the calls that led here: an error of a pass tells them.
  std::optional<Location> callers;
  for (const DiagNote &call : diags.context) {
    auto at = sources.position(call.range.begin);
    if (!at.line)
      continue;
    callers = callers ? CallSiteLoc::get(place(at), *callers) : place(at);
  }
  return callers ? Location(CallSiteLoc::get(loc, *callers)) : loc;
}

/// A constant of a type; an integer beyond the type's range is cut to its bits.
Sym Interpreter::constant(int64_t value, DType type) {
  Type t = typeOf(type);
  if (type->isFloat())
    return constant(double(value), type);
  return {arith::ConstantOp::create(
              b, b.getIntegerAttr(
                     t, APInt(type->bits, uint64_t(value), false, true))),
          type};
}

/// Rounded to nearest, ties to even.
Sym Interpreter::constant(double value, DType type) {
  auto t = llvm::cast<FloatType>(typeOf(type));
  APFloat number(value);
  bool lossy;
  number.convert(t.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lossy);
  return {arith::ConstantOp::create(b, b.getFloatAttr(t, number)), type};
}

/// A value as an SSA value: literals become constants, variables and elements
/// are loaded. Null after a report. The types of literals are the language's
/// (docs/language.md).
Sym Interpreter::toSym(Value v, SourceRange range) {
  switch (v.kind()) {
  case VK::Scalar:
    return v.asSym();
  case VK::Bool:
    at(range);
    return {arith::ConstantOp::create(b, b.getBoolAttr(v.asBool())),
            dtypes::boolean};
  case VK::Int:
    at(range);
    return constant(v.asInt(),
                    // As the language says: a literal is int32 while it fits.
                    llvm::isInt<32>(v.asInt()) ? dtypes::int32 : dtypes::int64);
  case VK::Float:
    at(range);
    return constant(v.asFloat(), dtypes::float32);
  case VK::Buffer:
  case VK::Region: {
    Value read = deref(v, range);
    if (!read || !read.is(VK::Scalar)) {
      if (read)
        typeError(range, "a scalar", v);
      return {};
    }
    return read.asSym();
  }
  case VK::Poison:
    poisonError(v, range);
    return {};
  case VK::Invalid:
    return {};
  default:
    typeError(range, "a number", v);
    return {};
  }
}

/// Converts between any two element types. Floats to integers round towards
/// zero, integers to floats and floats to narrower ones to nearest; anything to
/// bool asks whether it is not zero.
Sym Interpreter::cast(Sym v, DType to) {
  if (!v || v.type == to)
    return v;
  if (to->isCoded())
    return narrowValue(v, to);
  DType from = v.type;
  Type target = typeOf(to);
  if (v.value.getType() == target &&
      from->cls != DTypeInfo::Bool) // only the sign differs
    return {v.value, to};
  auto make = [&](mlir::Value r) { return Sym{r, to}; };
  if (to->isBool()) {
    if (from->isFloat())
      return make(b.createOrFold<arith::CmpFOp>(
          arith::CmpFPredicate::UNE, v.value, constant(0.0, from).value));
    return make(b.createOrFold<arith::CmpIOp>(
        arith::CmpIPredicate::ne, v.value, constant(int64_t(0), from).value));
  }
  if (from->isFloat() && to->isFloat()) {
    // Only between neighbours is one op enough: f16 to bf16 goes through f32.
    if (from->bits < to->bits)
      return make(b.createOrFold<arith::ExtFOp>(target, v.value));
    if (from->bits > to->bits)
      return make(b.createOrFold<arith::TruncFOp>(target, v.value));
    return cast(cast(v, dtypes::float32), to);
  }
  if (from->isFloat()) {
    if (to->isSigned())
      return make(b.createOrFold<arith::FPToSIOp>(target, v.value));
    return make(b.createOrFold<arith::FPToUIOp>(target, v.value));
  }
  if (to->isFloat()) {
    if (from->isSigned())
      return make(b.createOrFold<arith::SIToFPOp>(target, v.value));
    return make(b.createOrFold<arith::UIToFPOp>(target, v.value));
  }
  // Integers: cut, or extended by the source's sign.
  if (from->bits > to->bits)
    return make(b.createOrFold<arith::TruncIOp>(target, v.value));
  if (from->isSigned())
    return make(b.createOrFold<arith::ExtSIOp>(target, v.value));
  return make(b.createOrFold<arith::ExtUIOp>(target, v.value));
}

/// Literals become constants of the target type directly: 0.1 is rounded once,
/// to float16, and not to float32 first. An integer that does not fit is an
/// error.
Sym Interpreter::castValue(Value v, DType to, SourceRange range) {
  at(range);
  if (to->isCoded()) {
    Sym wide = castValue(v, wideOf(to), range);
    return wide ? narrowValue(wide, to) : wide;
  }
  if (v.isIntLike() && to->isInteger()) {
    // Within either reading of the bits; anything else would be cut silently.
    if (to->bits < 64 && (v.asInt() >= (int64_t(1) << to->bits) ||
                          v.asInt() < -(int64_t(1) << (to->bits - 1)))) {
      error(DiagID::TypeMismatch, range,
            llvm::Twine(v.asInt()) + " does not fit into " + to->name);
      return {};
    }
    return constant(v.asInt(), to);
  }
  if (v.isIntLike() && to->isFloat())
    return constant(double(v.asInt()), to);
  if (v.is(VK::Float) && to->isFloat())
    return constant(v.asFloat(), to);
  Sym s = toSym(v, range);
  at(range);
  return cast(s, to);
}

/// Null after a report. Narrower integers are extended; bools count as 0 and 1.
mlir::Value Interpreter::toIndex(Value v, SourceRange range) {
  Sym s = toSym(v, range);
  if (!s)
    return {};
  // A comparison's result may index: 0 or 1.
  if (!s.type->isInteger() && !s.type->isBool()) {
    typeError(range, "an integer index", v);
    return {};
  }
  at(range);
  // Narrow indices are widened; memrefs are indexed by i32 or i64 alone.
  if (s.type->bits == 32 || s.type->bits == 64)
    return s.value;
  return cast(s, dtypes::int32).value;
}

/// The same as 32 bits: an index of 64 bits is cut, for sizes that fit.
mlir::Value Interpreter::toI32(Value v, SourceRange range) {
  mlir::Value index = toIndex(v, range);
  if (!index)
    return {};
  return cast({index,
               integerType(index.getType().getIntOrFloatBitWidth(), true)},
              dtypes::int32)
      .value;
}

/// A condition. Null after a report.
mlir::Value Interpreter::toI1(Value v, SourceRange range) {
  Sym s = toSym(v, range);
  at(range);
  return cast(s, dtypes::boolean).value;
}

/// A constant int32 or bool as a literal again: `n - n` may then be a shape.
/// Other types stay SSA values, since a literal would forget the type.
Value Interpreter::fold(Sym s) {
  if (!s)
    return {};
  APInt value;
  if (s.type == dtypes::int32 && matchPattern(s.value, m_ConstantInt(&value)))
    return Value::integral(value.getSExtValue());
  if (s.type->isBool() && matchPattern(s.value, m_ConstantInt(&value)))
    return Value::boolean(!value.isZero());
  return Value::scalar(s);
}

/// Brings two operands to one type, by the rules above. va and vb tell literals
/// from values: a literal takes the common type directly. False after a report,
/// or if an operand is null.
///   float16 with float32      float32      float16 with bfloat16   float32
///   int32 with float16        float16      int8 with int32         int32
///   uint32 with int32         int32        uint32 with literal 4   uint32
///   bool with bool            int32        fp8 with fp8 or int     float32
bool Interpreter::promote(Sym &x, Sym &y, Value va, Value vb,
                          SourceRange range) {
  if (!x || !y)
    return false;
  DType to;
  if (x.type == y.type) {
    to = x.type;
    // True + True is 2.
    if (to->isBool())
      to = dtypes::int32;
  } else if (x.type->isFloat() || y.type->isFloat()) {
    // A float wins over any integer, whatever their widths: int64 * float16 is
    // float16.
    if (!y.type->isFloat())
      to = x.type;
    else if (!x.type->isFloat())
      to = y.type;
    else if (x.type->bits != y.type->bits)
      to = x.type->bits > y.type->bits ? x.type : y.type;
    else
      to = dtypes::float32; // float16 with bfloat16: neither holds the other
    if (to->bits < 16)
      to = dtypes::float32;
  } else {
    // A literal that fits keeps an unsigned operand unsigned: `x >> 4` on
    // uint32 must shift zeros in.
    auto literal = [](Value v) { return v.isIntLike() && v.asInt() >= 0; };
    DType wide = x.type->bits >= y.type->bits ? x.type : y.type;
    bool unsignedResult =
        x.type->cls == DTypeInfo::UInt && y.type->cls == DTypeInfo::UInt;
    if (x.type->cls == DTypeInfo::UInt && x.type->bits >= 32 && literal(vb))
      unsignedResult = true;
    if (y.type->cls == DTypeInfo::UInt && y.type->bits >= 32 && literal(va))
      unsignedResult = true;
    to = wide->isBool() ? dtypes::int32
                        : integerType(wide->bits, !unsignedResult);
  }
  // Arithmetic has no 8-bit floats: they are computed in float32.
  if (to->isFloat() && to->bits < 16)
    to = dtypes::float32;
  at(range);
  x = va.isNumber() ? castValue(va, to, range) : cast(x, to);
  y = vb.isNumber() ? castValue(vb, to, range) : cast(y, to);
  at(range);
  return x && y;
}

/// Python's `//` of two integers of one type. A shift rounds down by itself;
/// the unsigned division is the cheapest that the hardware's instructions can
/// be made into.
Sym Interpreter::floorDiv(Sym x, Sym y) {
  APInt divisor;
  bool constantDivisor = matchPattern(y.value, m_ConstantInt(&divisor));
  if (constantDivisor && divisor.isOne())
    return x;
  // An arithmetic shift is Python's floor division by a power of two.
  if (x.type->isSigned() && constantDivisor && divisor.isStrictlyPositive() &&
      divisor.isPowerOf2()) {
    Sym shift = constant(int64_t(divisor.logBase2()), x.type);
    return {b.createOrFold<arith::ShRSIOp>(x.value, shift.value), x.type};
  }
  // Both not negative: the unsigned division gives the same, with fewer
  // instructions.
  if (!x.type->isSigned() || (isNonNegative(x.value) && isNonNegative(y.value)))
    return {b.createOrFold<arith::DivUIOp>(x.value, y.value), x.type};
  return {b.createOrFold<arith::FloorDivSIOp>(x.value, y.value), x.type};
}

/// Python's `%`, with the sign of the divisor: a mask, an unsigned remainder,
/// or x - (x // y) * y.
Sym Interpreter::floorMod(Sym x, Sym y) {
  APInt divisor;
  bool constantDivisor = matchPattern(y.value, m_ConstantInt(&divisor));
  // Two's complement: x & (d - 1) is x mod d for negative x, too.
  if (constantDivisor && divisor.isPowerOf2() &&
      (!x.type->isSigned() || divisor.isStrictlyPositive())) {
    mlir::Value mask = arith::ConstantOp::create(
        b, b.getIntegerAttr(x.value.getType(), divisor - 1));
    return {b.createOrFold<arith::AndIOp>(x.value, mask), x.type};
  }
  if (!x.type->isSigned() || (isNonNegative(x.value) && isNonNegative(y.value)))
    return {b.createOrFold<arith::RemUIOp>(x.value, y.value), x.type};
  mlir::Value quotient = b.createOrFold<arith::FloorDivSIOp>(x.value, y.value);
  mlir::Value product = b.createOrFold<arith::MulIOp>(quotient, y.value);
  return {b.createOrFold<arith::SubIOp>(x.value, product), x.type};
}

/// `va op vb` where at least one is symbolic; Invalid after a report.
Value Interpreter::symBinary(BinOpKind op, Value va, Value vb,
                             SourceRange range) {
  Sym x = toSym(va, range), y = toSym(vb, range);
  if (!x || !y)
    return {};
  bool bits =
      op == BinOpKind::And || op == BinOpKind::Or || op == BinOpKind::Xor;
  bool bothBool = x.type->isBool() && y.type->isBool();
  // Bools keep their type under & | ^; everything else first gets a common one.
  if (bits && bothBool) {
    at(range);
  } else {
    if ((bits || op == BinOpKind::Shl || op == BinOpKind::Shr) &&
        (x.type->isFloat() || y.type->isFloat()))
      return fail(DiagID::TypeMismatch, range,
                  "'" + spelling(op) + "' needs integers, not " + x.type->name +
                      " and " + y.type->name);
    // Rounding of `/` would be a choice that the program did not make.
    if (op == BinOpKind::Div && !x.type->isFloat() && !y.type->isFloat()) {
      error(DiagID::IntegerDivision, range,
            "'/' of integers that are not known at compile time")
          .help("use '//' for the quotient rounded down, or cast one operand "
                "to a float type");
      return {};
    }
    if (!promote(x, y, va, vb, range))
      return {};
  }
  bool isFloat = x.type->isFloat();
  auto give = [&](mlir::Value v) { return fold({v, x.type}); };
  switch (op) {
  case BinOpKind::Add:
    return give(isFloat ? b.createOrFold<arith::AddFOp>(x.value, y.value)
                        : b.createOrFold<arith::AddIOp>(x.value, y.value));
  case BinOpKind::Sub:
    return give(isFloat ? b.createOrFold<arith::SubFOp>(x.value, y.value)
                        : b.createOrFold<arith::SubIOp>(x.value, y.value));
  case BinOpKind::Mul:
    return give(isFloat ? b.createOrFold<arith::MulFOp>(x.value, y.value)
                        : b.createOrFold<arith::MulIOp>(x.value, y.value));
  case BinOpKind::Div:
    return give(b.createOrFold<arith::DivFOp>(x.value, y.value));
  case BinOpKind::FloorDiv:
  case BinOpKind::Mod: {
    // x - floor(x / y) * y.
    if (isFloat) {
      mlir::Value q = b.createOrFold<arith::DivFOp>(x.value, y.value);
      q = b.createOrFold<math::FloorOp>(q);
      if (op == BinOpKind::FloorDiv)
        return give(q);
      mlir::Value product = b.createOrFold<arith::MulFOp>(q, y.value);
      return give(b.createOrFold<arith::SubFOp>(x.value, product));
    }
    APInt divisor;
    if (matchPattern(y.value, m_ConstantInt(&divisor)) && divisor.isZero())
      return fail(DiagID::DivisionByZero, range, "division by zero");
    return fold(op == BinOpKind::FloorDiv ? floorDiv(x, y) : floorMod(x, y));
  }
  case BinOpKind::Pow:
    // An integer to a power that only the kernel knows is computed as a float.
    if (!isFloat) {
      x = cast(x, dtypes::float32);
      y = cast(y, dtypes::float32);
      return fold({b.createOrFold<math::PowFOp>(x.value, y.value), x.type});
    }
    return give(b.createOrFold<math::PowFOp>(x.value, y.value));
  case BinOpKind::Shl:
    return give(b.createOrFold<arith::ShLIOp>(x.value, y.value));
  case BinOpKind::Shr:
    return give(x.type->isSigned()
                    ? b.createOrFold<arith::ShRSIOp>(x.value, y.value)
                    : b.createOrFold<arith::ShRUIOp>(x.value, y.value));
  case BinOpKind::And:
    return give(b.createOrFold<arith::AndIOp>(x.value, y.value));
  case BinOpKind::Or:
    return give(b.createOrFold<arith::OrIOp>(x.value, y.value));
  case BinOpKind::Xor:
    return give(b.createOrFold<arith::XOrIOp>(x.value, y.value));
  case BinOpKind::MatMul:
    break;
  }
  return fail(DiagID::TypeMismatch, range,
              "'@' is not an operation on scalars; use T.gemm");
}

/// `op v`. Negation of an integer is 0 - v; `not` asks whether v is zero.
Value Interpreter::symUnary(UnaryOpKind op, Value v, SourceRange range) {
  Sym x = toSym(v, range);
  if (!x)
    return {};
  at(range);
  switch (op) {
  case UnaryOpKind::Pos:
    return v;
  case UnaryOpKind::Neg:
    if (x.type->isFloat()) {
      if (x.type->bits < 16)
        x = cast(x, dtypes::float32);
      return fold({b.createOrFold<arith::NegFOp>(x.value), x.type});
    }
    if (x.type->isBool())
      x = cast(x, dtypes::int32);
    return fold({b.createOrFold<arith::SubIOp>(
                     constant(int64_t(0), x.type).value, x.value),
                 x.type});
  case UnaryOpKind::Invert:
    if (x.type->isFloat())
      return fail(DiagID::TypeMismatch, range,
                  "'~' needs an integer, not " + x.type->name);
    // ~x is x ^ -1 in any width.
    return fold({b.createOrFold<arith::XOrIOp>(
                     x.value, constant(int64_t(-1), x.type).value),
                 x.type});
  case UnaryOpKind::Not: {
    x = cast(x, dtypes::boolean);
    return fold({b.createOrFold<arith::XOrIOp>(
                     x.value, constant(int64_t(1), x.type).value),
                 x.type});
  }
  }
  return {};
}

/// A comparison, of type bool. With a NaN all but != are false.
Value Interpreter::symCompare(CmpOpKind op, Value va, Value vb,
                              SourceRange range) {
  Sym x = toSym(va, range), y = toSym(vb, range);
  if (!promote(x, y, va, vb, range))
    return {};
  // Eq, Ne, Lt, Le, Gt, Ge in the order of the enumeration; `is` and `in` never
  // come here.
  size_t i = size_t(op);
  if (x.type->isFloat()) {
    // Ordered, except !=, which is true for a NaN.
    static constexpr arith::CmpFPredicate preds[] = {
        arith::CmpFPredicate::OEQ, arith::CmpFPredicate::UNE,
        arith::CmpFPredicate::OLT, arith::CmpFPredicate::OLE,
        arith::CmpFPredicate::OGT, arith::CmpFPredicate::OGE};
    return fold({b.createOrFold<arith::CmpFOp>(preds[i], x.value, y.value),
                 dtypes::boolean});
  }
  using P = arith::CmpIPredicate;
  static constexpr P signedPreds[] = {P::eq,  P::ne,  P::slt,
                                      P::sle, P::sgt, P::sge};
  static constexpr P unsignedPreds[] = {P::eq,  P::ne,  P::ult,
                                        P::ule, P::ugt, P::uge};
  P pred = x.type->isSigned() ? signedPreds[i] : unsignedPreds[i];
  return fold(
      {b.createOrFold<arith::CmpIOp>(pred, x.value, y.value), dtypes::boolean});
}

/// Whether every op of a block can run where its result is not wanted:
/// arithmetic (a division by zero is not trapped by the hardware), and loads
/// whose indices are known to lie inside a tile.
static bool isSpeculatable(Interpreter &interp, Block &block) {
  for (Operation &op : block) {
    if (isa<arith::ArithDialect, math::MathDialect>(op.getDialect()))
      continue;
    auto load = dyn_cast<tile::LoadOp>(op);
    if (!load)
      return false;
    auto type = llvm::cast<MemRefType>(load.getSource().getType());
    if (tile::getSpace(type) == tile::Space::Global)
      return false; // would cost memory traffic that the condition avoids
    for (auto [index, extent] : llvm::zip(load.getIndices(), type.getShape())) {
      auto bound = interp.upperBound(index);
      if (!bound || *bound > extent || !interp.isNonNegative(index))
        return false;
    }
  }
  return true;
}

/// c ? then : otherwise, where the branches may read memory that only the
/// condition makes safe: a select if both can be computed anyway, else scf.if.
/// Both are built in blocks of their own first, because only then it is known
/// what they hold.
///
///   T.if_then_else(i >= j, S[i, j], 0)   S in LDS, i and j in its bounds
///   ->  %v = tile.load %S[%i, %j]; arith.select %c, %v, %zero
Value Interpreter::select(mlir::Value cond, llvm::function_ref<Value()> then,
                          llvm::function_ref<Value()> otherwise,
                          SourceRange range) {
  mlir::Region regions[2];
  Block *blocks[2];
  Value values[2];
  for (int i = 0; i < 2; ++i) {
    blocks[i] = new Block();
    regions[i].push_back(blocks[i]);
  }
  // The detached blocks need a parent for dominance questions: none are asked.
  for (int i = 0; i < 2; ++i) {
    // Both branches are evaluated, each into its block.
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(blocks[i]);
    values[i] = i == 0 ? then() : otherwise();
    if (values[i] && (values[i].is(VK::Buffer) || values[i].is(VK::Region)))
      values[i] = deref(values[i], range);
    if (!values[i])
      return {};
  }
  at(range);
  if (!values[0].is(VK::Scalar) && !values[0].isNumber())
    return typeError(range, "a number", values[0]);
  if (!values[1].is(VK::Scalar) && !values[1].isNumber())
    return typeError(range, "a number", values[1]);
  // A common type; then the casts go to the end of each branch.
  Sym syms[2];
  for (int i = 0; i < 2; ++i) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(blocks[i]);
    syms[i] = toSym(values[i], range);
    if (!syms[i])
      return {};
  }
  DType type = syms[0].type;
  if (syms[0].type != syms[1].type) {
    // The common type is found by a trial promotion, whose casts are thrown
    // away.
    Block scratch;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(&scratch);
    Sym x = syms[0], y = syms[1];
    bool ok = promote(x, y, values[0], values[1], range);
    type = ok ? x.type : nullptr;
    scratch.dropAllReferences();
    scratch.clear();
    if (!ok)
      return {};
  }
  for (int i = 0; i < 2; ++i) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(blocks[i]);
    syms[i] = values[i].isNumber() ? castValue(values[i], type, range)
                                   : cast(syms[i], type);
    if (!syms[i])
      return {};
  }
  at(range);
  // Both can be computed anyway: their ops move here, and a select takes one.
  if (isSpeculatable(*this, *blocks[0]) && isSpeculatable(*this, *blocks[1])) {
    Block *here = b.getInsertionBlock();
    for (Block *block : blocks)
      here->getOperations().splice(b.getInsertionPoint(),
                                   block->getOperations());
    return fold(
        {b.createOrFold<arith::SelectOp>(cond, syms[0].value, syms[1].value),
         type});
  }
  // Otherwise each branch runs only where it is taken.
  auto ifOp = scf::IfOp::create(b, typeOf(type), cond, /*withElseRegion=*/true);
  for (int i = 0; i < 2; ++i) {
    mlir::Region &region = i == 0 ? ifOp.getThenRegion() : ifOp.getElseRegion();
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(blocks[i]);
    scf::YieldOp::create(b, syms[i].value);
    region.takeBody(regions[i]);
  }
  return Value::scalar({ifOp.getResult(0), type});
}

} // namespace tlc::frontend
