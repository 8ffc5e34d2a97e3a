//===- SubByte.cpp - Element types that are codes -------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// int4, uint4 and float4_e2m1fn. In global memory two share a byte, the even
// one in the low half; in the other spaces each has a byte of its own, so that
// threads never write parts of one. Shapes and indices count elements.
//
// A value of such a type is computed with as int8, uint8 or float32: a load
// widens, a store narrows. Two elements of one byte in global memory may be
// stored by two threads, so that such a store is atomic: the old bits out by
// `and`, the new ones in by `or`, on the 32-bit word around them.
//
// float8_e8m0fnu, the scale of OCP's microscaling formats, is the exponent of a
// power of two: code c is 2^(c - 127), 255 not a number. It is computed with as
// float32. A store takes the next power of two that is no less (as TileLang's
// conversions round), without the sign, and no more than 2^127.
//
//   A[i, j] of T.int4, A: (64, 128)    byte (i, j // 2), shifted by 4 * (j % 2)
//   load:   (byte >> 4 * (j % 2)) & 15, sign-extended
//   store:  word &= ~(15 << s), then word |= x << s: two atomics; s is 0 to 28
//
// Atomics exist for 32-bit words, which is why a store wants to know where
// those lie in the tensor.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

using namespace tlc;
using namespace mlir;

namespace tlc::frontend {

/// The type that an element of `type` is computed with; other types are their
/// own.
DType Interpreter::wideOf(DType type) {
  if (!type->isCoded())
    return type;
  return type->isFloat() ? dtypes::float32 : integerType(8, type->isSigned());
}

/// The value of the coded type that a store keeps, as wideOf(type).
Sym Interpreter::narrowValue(Sym v, DType type) {
  if (!type->isFloat()) {
    v = cast(v, integerType(8, type->isSigned()));
    Sym four = constant(int64_t(4), v.type);
    v.value = b.createOrFold<arith::ShLIOp>(v.value, four.value);
    v.value = type->isSigned()
                  ? b.createOrFold<arith::ShRSIOp>(v.value, four.value)
                  : b.createOrFold<arith::ShRUIOp>(v.value, four.value);
    return v;
  }
  return decodeElement(encodeElement(v, type), type);
}

mlir::Value Interpreter::encodeExponent(Sym v) {
  v = cast(v, dtypes::float32);
  Type i32 = b.getI32Type();
  auto c = [&](int64_t v) { return constant(v, dtypes::int32).value; };
  mlir::Value size = arith::AndIOp::create(
      b, arith::BitcastOp::create(b, i32, v.value), c(0x7fffffff));
  auto choose = [&](arith::CmpIPredicate pred, int64_t bound, int64_t code,
                    mlir::Value otherwise) -> mlir::Value {
    mlir::Value cond = arith::CmpIOp::create(b, pred, size, c(bound));
    return arith::SelectOp::create(b, cond, c(code), otherwise);
  };
  // Up to the next exponent unless the mantissa is zero.
  mlir::Value code = arith::ShRUIOp::create(
      b, arith::AddIOp::create(b, size, c(0x7fffff)), c(23));
  code = choose(arith::CmpIPredicate::ule, 0x400000, 0, code); // 2^-127
  code = choose(arith::CmpIPredicate::ugt, 0x7f000000, 254, code);
  code = choose(arith::CmpIPredicate::ugt, 0x7f800000, 255, code);
  return arith::TruncIOp::create(b, b.getI8Type(), code);
}

/// The code of a value in an i8: in its low half if it has 4 bits; integers
/// keep their sign above.
mlir::Value Interpreter::encodeElement(Sym v, DType type) {
  if (!type->isFloat())
    return narrowValue(v, type).value;
  if (type->isExponent())
    return encodeExponent(v);
  // The magnitudes are 0, 0.5, 1, 1.5, 2, 3, 4, 6: the code is how many of the
  // midpoints lie below; ties go to the even code. At 2.5, between the codes 4
  // and 5, the tie does not count; at 3.5, between 5 and 6, it does. A NaN is
  // above all: 6.
  v = cast(v, dtypes::float32);
  Type i32 = b.getI32Type();
  mlir::Value bits = arith::BitcastOp::create(b, i32, v.value),
              size = math::AbsFOp::create(b, v.value);
  static constexpr double midpoints[] = {0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5};
  mlir::Value code = constant(int64_t(0), dtypes::int32).value;
  for (auto [i, midpoint] : llvm::enumerate(midpoints)) {
    auto pred = i % 2 ? arith::CmpFPredicate::UGE : arith::CmpFPredicate::UGT;
    mlir::Value above = arith::CmpFOp::create(
        b, pred, size, constant(midpoint, dtypes::float32).value);
    code =
        arith::AddIOp::create(b, code, arith::ExtUIOp::create(b, i32, above));
  }
  // The sign of the float, from bit 31 to bit 3.
  mlir::Value sign = arith::ShRUIOp::create(
      b, bits, constant(int64_t(28), dtypes::int32).value);
  sign =
      arith::AndIOp::create(b, sign, constant(int64_t(8), dtypes::int32).value);
  return arith::TruncIOp::create(b, b.getI8Type(),
                                 arith::OrIOp::create(b, code, sign));
}

/// The value of an element from its code.
Sym Interpreter::decodeElement(mlir::Value raw, DType type) {
  if (!type->isFloat())
    return narrowValue({raw, integerType(8, type->isSigned())}, type);
  Type i32 = b.getI32Type();
  auto c = [&](int64_t v) { return constant(v, dtypes::int32).value; };
  mlir::Value code = arith::ExtUIOp::create(b, i32, raw);
  if (type->isExponent()) {
    auto is = [&](int64_t special) {
      return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, code,
                                   c(special));
    };
    mlir::Value bits = arith::ShLIOp::create(b, code, c(23));
    bits = arith::SelectOp::create(b, is(0), c(0x400000), bits);
    bits = arith::SelectOp::create(b, is(255), c(0x7fc00000), bits);
    return {arith::BitcastOp::create(b, b.getF32Type(), bits), dtypes::float32};
  }
  auto field = [&](int64_t shift, int64_t mask) -> mlir::Value {
    return arith::AndIOp::create(b, arith::ShRUIOp::create(b, code, c(shift)),
                                 c(mask));
  };
  mlir::Value mantissa = field(0, 1), exponent = field(1, 3),
              sign = field(3, 1);
  // An f32 of the same value: exponent - 1 + 127, the mantissa bit on top of
  // 23.
  mlir::Value normal = arith::AddIOp::create(b, exponent, c(126));
  normal = arith::OrIOp::create(b, arith::ShLIOp::create(b, normal, c(23)),
                                arith::ShLIOp::create(b, mantissa, c(22)));
  mlir::Value half = arith::MulIOp::create(b, mantissa, c(0x3f000000)); // 0.5
  mlir::Value isSmall =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, exponent, c(0));
  mlir::Value bits = arith::SelectOp::create(b, isSmall, half, normal);
  bits = arith::OrIOp::create(b, bits, arith::ShLIOp::create(b, sign, c(31)));
  return {arith::BitcastOp::create(b, b.getF32Type(), bits), dtypes::float32};
}

/// The code of an element, as uint8.
Sym Interpreter::loadCode(RegionObject *element, SourceRange range) {
  SmallVector<mlir::Value> operands;
  if (!indexOperands(element->buffer, element->offsets, range, operands))
    return {};
  at(range);
  return {tile::LoadOp::create(b, b.getI8Type(), element->buffer->storage(),
                               operands),
          dtypes::uint8};
}

/// Splits the last index of a packed buffer: byte, and bits to shift by (0 or
/// 4).
bool Interpreter::packedIndex(ArrayRef<Value> indices, SourceRange range,
                              llvm::SmallVectorImpl<Value> &bytes,
                              Value &shift) {
  bytes.assign(indices.begin(), indices.end());
  Value odd = binary(BinOpKind::Mod, indices.back(), Value::integral(2), range);
  bytes.back() =
      binary(BinOpKind::FloorDiv, indices.back(), Value::integral(2), range);
  shift =
      odd ? binary(BinOpKind::Mul, odd, Value::integral(4), range) : Value();
  return bytes.back() && shift;
}

/// Reads the byte and takes the half.
Value Interpreter::loadPacked(BufferObject *buffer, ArrayRef<Value> indices,
                              SourceRange range) {
  SmallVector<Value> bytes;
  Value shift;
  SmallVector<mlir::Value> operands;
  if (!packedIndex(indices, range, bytes, shift) ||
      !indexOperands(buffer, bytes, range, operands))
    return {};
  at(range);
  mlir::Value v =
      tile::LoadOp::create(b, b.getI8Type(), buffer->storage(), operands);
  Sym by = castValue(shift, integerType(8, false), range);
  v = arith::ShRUIOp::create(b, v, by.value);
  v = arith::AndIOp::create(
      b, v, arith::ConstantOp::create(b, b.getI8IntegerAttr(15)));
  return Value::scalar(decodeElement(v, buffer->dtype));
}

/// Writes four bits without touching the neighbours, which another thread may
/// write at the same time. The tensor is seen as 32-bit words: row by row where
/// rows are whole words, as one array where its size is known; else the store
/// is refused.
bool Interpreter::storePacked(BufferObject *buffer, ArrayRef<Value> indices,
                              Sym value, SourceRange range) {
  auto type = llvm::cast<MemRefType>(buffer->storage().getType());
  auto tensor = buffer->storage().getDefiningOp<tile::TensorOp>();
  bool rowsOfWords = tensor && type.getLayout().isIdentity() &&
                     !type.isDynamicDim(type.getRank() - 1) &&
                     type.getShape().back() % 4 == 0;
  if (buffer->indexMap ||
      (!rowsOfWords && (!type.hasStaticShape() || type.getNumElements() % 4))) {
    error(DiagID::Unimplemented, range,
          "a store into '" + buffer->name +
              "', whose elements of 4 bits do not fill 32-bit words of a known "
              "number")
        .note(buffer->declared, "declared here");
    return false;
  }
  SmallVector<Value> bytes;
  Value shift;
  if (!packedIndex(indices, range, bytes, shift))
    return false;
  // The byte's number, in its row or in the whole tensor, then its word and
  // bits.
  Value byte;
  if (rowsOfWords)
    byte = bytes.back();
  else
    for (auto [v, extent] : llvm::zip(bytes, type.getShape()))
      byte = byte ? binary(BinOpKind::Add,
                           binary(BinOpKind::Mul, byte, Value::integral(extent),
                                  range),
                           v, range)
                  : v;
  Value word =
      byte ? binary(BinOpKind::FloorDiv, byte, Value::integral(4), range)
           : Value();
  Value within =
      byte ? binary(BinOpKind::Mod, byte, Value::integral(4), range) : Value();
  within = within ? binary(BinOpKind::Mul, within, Value::integral(8), range)
                  : Value();
  shift = within ? binary(BinOpKind::Add, within, shift, range) : Value();
  mlir::Value index = word ? toI32(word, range) : mlir::Value(),
              by = shift ? toI32(shift, range) : mlir::Value();
  if (!index || !by)
    return false;
  // Outside in one dimension must not become another row: the atomics run under
  // a comparison with all extents. What compile-time values decide needs no
  // code.
  mlir::Value inside;
  for (auto [d, v] : llvm::enumerate(bytes)) {
    Value extent = type.isDynamicDim(d) ? buffer->shape[d]
                                        : Value::integral(type.getDimSize(d));
    Value ok = compare(CmpOpKind::Lt, v, extent, range);
    Value low = compare(CmpOpKind::Ge, v, Value::integral(0), range);
    for (Value c : {ok, low})
      if (c && c.is(VK::Scalar))
        inside =
            inside
                ? arith::AndIOp::create(b, inside, c.asSym().value).getResult()
                : c.asSym().value;
      else if (!c || !c.asBool())
        return bool(c);
  }
  at(range);
  Type i32 = b.getI32Type();
  mlir::Value nibble = arith::AndIOp::create(
      b, arith::ExtUIOp::create(b, i32, encodeElement(value, buffer->dtype)),
      constant(int64_t(15), dtypes::int32).value);
  mlir::Value set = arith::ShLIOp::create(b, nibble, by);
  mlir::Value keep =
      arith::ShLIOp::create(b, constant(int64_t(15), dtypes::int32).value, by);
  keep = arith::XOrIOp::create(b, keep,
                               constant(int64_t(-1), dtypes::int32).value);
  // The same memory as 32-bit words: of each row, or of all of it.
  mlir::Value words;
  SmallVector<mlir::Value> at;
  if (rowsOfWords) {
    SmallVector<int64_t> shape(type.getShape());
    shape.back() /= 4;
    bytes.back() = word;
    if (!indexOperands(buffer, bytes, range, at))
      return false;
    // A second tensor at the same address, made right behind the first.
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfter(tensor);
    words = tile::TensorOp::create(
        b, tile::getBufferType(shape, i32, tile::Space::Global),
        tensor.getSource(), tensor.getSizes(), mlir::ValueRange{},
        tensor.getNameAttr(), TypedAttr());
  } else {
    at = {index};
    words =
        tile::AliasOp::create(b,
                              tile::getBufferType({type.getNumElements() / 4},
                                                  i32, tile::Space::Global),
                              buffer->storage());
  }
  auto emit = [&] {
    tile::AtomicOp::create(b, tile::AtomicKind::And, keep, words, at);
    tile::AtomicOp::create(b, tile::AtomicKind::Or, set, words, at);
  };
  if (!inside) {
    emit();
    return true;
  }
  auto ifOp = scf::IfOp::create(b, inside, false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifOp.thenBlock());
  emit();
  return true;
}

} // namespace tlc::frontend
