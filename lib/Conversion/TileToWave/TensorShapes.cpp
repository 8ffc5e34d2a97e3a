//===- TensorShapes.cpp - Sizes and strides of tensors ----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known of a tensor when the kernel is compiled, and what is computed
// when it runs: strides that are products of sizes, and the check that a tile
// does not span more than 32-bit offsets reach.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

using namespace mlir;
using namespace tlc;

/// Sizes and strides are constants or point to values; strides of the identity
/// layout are products of the sizes below. `bytes` is -1 where it is not known
/// at compile time.
FailureOr<TensorShape> tlc::getTensorShape(mlir::Value buffer, Location loc) {
  auto type = mlir::cast<MemRefType>(buffer.getType());
  auto tensor = tile::getBase(buffer).getDefiningOp<tile::TensorOp>();
  if (!tensor)
    return mlir::emitError(loc, "'")
           << tile::getBufferName(buffer) << "' is not a tensor";
  bool isAlias = buffer != tensor.getResult();
  auto baseType = mlir::cast<MemRefType>(tensor.getType());
  if (isAlias &&
      (!type.hasStaticShape() || !baseType.getLayout().isIdentity() ||
       !buffer.getDefiningOp<tile::AliasOp>()))
    return mlir::emitError(loc, "'")
           << tile::getBufferName(buffer)
           << "' under another shape: the tensor must be contiguous and the "
              "shape known at compile time";
  TensorShape s;
  s.pointer = tensor.getSource();
  // A pad value belongs to the tensor's own element type; through an alias of
  // another type reads give 0.
  if (auto pad = tensor.getPad();
      pad && pad->getType() == type.getElementType())
    s.pad = *pad;
  unsigned rank = type.getRank();
  s.sizes.assign(type.getShape().begin(), type.getShape().end());
  s.sizeValues.resize(rank);
  s.strideValues.resize(rank);
  // Operands stand for the dynamic dimensions in order.
  unsigned next = 0;
  for (unsigned d = 0; d < rank; ++d)
    if (s.sizes[d] == ShapedType::kDynamic)
      s.sizeValues[d] = tensor.getSizes()[next++];
  if (type.getLayout().isIdentity()) {
    s.strides.assign(rank, 1);
    for (int d = int(rank) - 2; d >= 0; --d)
      s.strides[d] = s.strides[d + 1] == ShapedType::kDynamic ||
                             s.sizes[d + 1] == ShapedType::kDynamic
                         ? ShapedType::kDynamic
                         : s.strides[d + 1] * s.sizes[d + 1];
  } else {
    int64_t offset;
    (void)type.getStridesAndOffset(s.strides, offset);
    next = 0;
    for (unsigned d = 0; d < rank; ++d)
      if (s.strides[d] == ShapedType::kDynamic)
        s.strideValues[d] = tensor.getStrides()[next++];
  }
  // The place of the last element, in 128 bits: sizes are the user's.
  __int128 last = 0;
  for (unsigned d = 0; d < rank; ++d) {
    if (s.sizes[d] == ShapedType::kDynamic ||
        s.strides[d] == ShapedType::kDynamic || s.strides[d] < 0)
      return s;
    last += __int128(s.sizes[d] - 1) * s.strides[d];
  }
  __int128 total = (last + 1) * elementBytes(buffer);
  s.bytes = total < (int64_t(1) << 62) ? int64_t(total) : -1;
  return s;
}

/// The strides that are values, in elements as i64: products of sizes, or what
/// the program gives. Null where a stride is a constant.
SmallVector<Value> KernelLowering::runtimeStrides(const TensorShape &s,
                                                  Location loc) {
  Type i64 = b.getI64Type();
  auto wide = [&](Value v) -> Value {
    v = lookup(v);
    return v.getType() == i64 ? v : arith::ExtSIOp::create(b, loc, i64, v);
  };
  auto number = [&](int64_t v) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(v));
  };
  SmallVector<Value> strides(s.strides.size());
  for (int d = int(strides.size()) - 1; d >= 0; --d) {
    if (s.strides[d] != ShapedType::kDynamic)
      continue;
    if (s.strideValues[d]) {
      strides[d] = wide(s.strideValues[d]);
      continue;
    }
    Value below = strides[d + 1] ? strides[d + 1] : number(s.strides[d + 1]);
    Value size = s.sizes[d + 1] == ShapedType::kDynamic
                     ? wide(s.sizeValues[d + 1])
                     : number(s.sizes[d + 1]);
    strides[d] = arith::MulIOp::create(b, loc, below, size);
  }
  return strides;
}

/// Ends the launch where a tile that reaches `elements` along each dimension
/// spans `limit` bytes or more, by strides known at run time only. Checked once
/// before the kernel's body where the strides are known there.
void KernelLowering::assertReach(const TensorShape &s,
                                 ArrayRef<int64_t> elements, int64_t bytes,
                                 int64_t limit, Location loc) {
  // Inside a loop too, the sizes of a tensor mostly are arguments.
  auto known = [&](Value v) {
    if (!v)
      return true;
    Value mapped = lookup(v);
    Operation *def = mapped.getDefiningOp();
    return def ? def->getBlock() == anchor->getBlock() &&
                     def->isBeforeInBlock(anchor)
               : mapped.getParentBlock() == anchor->getBlock();
  };
  OpBuilder::InsertionGuard guard(b);
  if (llvm::all_of(s.sizeValues, known) && llvm::all_of(s.strideValues, known))
    b.setInsertionPoint(anchor);
  SmallVector<Value> strides = runtimeStrides(s, loc);
  auto number = [&](int64_t v) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(v));
  };
  Value span = number(0);
  for (auto [d, n] : llvm::enumerate(elements)) {
    if (!strides[d] || !n)
      continue;
    // No lane reads beyond the size.
    Value most = number(n);
    if (Value size = s.sizeValues[d]) {
      size = arith::ExtSIOp::create(b, loc, b.getI64Type(),
                                    toI32(lookup(size), loc));
      most = arith::MinSIOp::create(b, loc, most, size);
    } else {
      most = number(std::min(n, s.sizes[d] - 1));
    }
    most = arith::MulIOp::create(b, loc, most, number(bytes));
    span = arith::AddIOp::create(
        b, loc, span, arith::MulIOp::create(b, loc, strides[d], most));
  }
  Value far = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, span,
                                    number(limit));
  auto branch = scf::IfOp::create(b, loc, far, /*withElseRegion=*/false);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  wave::TrapOp::create(b, loc);
}
