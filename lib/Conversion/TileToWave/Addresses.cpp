//===- Addresses.cpp - Which instructions reach the elements of a loop ----===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop's registers reach a buffer by groups: registers whose elements are
// consecutive in memory for every thread go together, up to 16 bytes. What is
// the same for all threads is an immediate or a scalar; what depends on the
// thread is computed once before the kernel's body.
//
// LDS. The layout (digits and XOR) is evaluated for every thread and register
// here, at compile time: where the difference to another register's address is
// the same for all threads, it becomes the instruction's offset, so that a few
// address registers serve a whole tile whatever the swizzle.
//
// Global memory. Each dimension of the tensor is proved in bounds from what is
// known of grid, loops and sizes, or checked: one dimension at no cost, by the
// size of a buffer resource that starts at the tile; others by giving invalid
// lanes an offset beyond any resource.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"
#include "tlc/Dialect/Tile/Transforms/RotatingSlot.h"
#include "tlc/Layout/BankModel.h"
#include <numeric>

using namespace mlir;
using namespace tlc;

/// Offset of lanes that must not access: outside every resource.
static constexpr int64_t kOutside = -(int64_t(1) << 31);
static constexpr int64_t kResourceLimit = 0x7ffffff0;

static int64_t elementBytes(mlir::Value buffer) {
  return std::max<int64_t>(
      1, mlir::cast<MemRefType>(buffer.getType()).getElementTypeBitWidth() / 8);
}

Layout KernelLowering::ldsLayoutOf(Value buffer) {
  if (auto alias = buffer.getDefiningOp<tile::AliasOp>())
    return Layout::rowMajor(
        mlir::cast<MemRefType>(buffer.getType()).getShape());
  auto alloc = buffer.getDefiningOp<tile::AllocOp>();
  if (alloc.getLayout())
    return alloc.getLayout()->getLayout();
  return Layout::rowMajor(mlir::cast<MemRefType>(buffer.getType()).getShape());
}

int64_t KernelLowering::ldsOffsetOf(Value buffer) {
  auto alloc = tile::getBase(buffer).getDefiningOp<tile::AllocOp>();
  return alloc.getLdsOffset().value_or(0);
}

Value KernelLowering::layoutAddress(const Layout &layout, ArrayRef<Value> index,
                                    Location loc) {
  auto op = [&](auto tag, Value x, int64_t c) -> Value {
    return decltype(tag)::create(b, loc, x, constant(loc, c));
  };
  Value sum;
  for (unsigned d = 0; d < layout.rank(); ++d) {
    int64_t scale = 1;
    for (auto [i, digit] : llvm::enumerate(layout.dim(d))) {
      Value v = index[d];
      bool last = i + 1 == layout.dim(d).size();
      bool powers = llvm::isPowerOf2_64(scale);
      if (scale > 1)
        v = powers ? op(arith::ShRUIOp(), v, llvm::Log2_64(scale))
                   : op(arith::DivUIOp(), v, scale);
      if (!last)
        v = llvm::isPowerOf2_64(digit.extent)
                ? op(arith::AndIOp(), v, digit.extent - 1)
                : op(arith::RemUIOp(), v, digit.extent);
      if (digit.stride > 1)
        v = op(arith::MulIOp(), v, digit.stride);
      sum = sum ? arith::AddIOp::create(b, loc, sum, v).getResult() : v;
      scale *= digit.extent;
    }
  }
  if (!sum)
    sum = constant(loc, 0);
  for (const XorTerm &x : layout.xorTerms()) {
    Value bits = op(arith::ShRUIOp(), sum, x.shiftRight);
    bits = op(arith::AndIOp(), bits, x.mask);
    bits = op(arith::ShLIOp(), bits, x.shiftLeft);
    sum = arith::XOrIOp::create(b, loc, sum, bits);
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// LDS
//===----------------------------------------------------------------------===//

FailureOr<AccessPlan> KernelLowering::planLds(const tile::Access &access,
                                              const PointMap &points,
                                              Location loc, bool store) {
  Layout layout = ldsLayoutOf(access.buffer);
  auto shape = mlir::cast<MemRefType>(access.buffer.getType()).getShape();
  int64_t bytes = elementBytes(access.buffer);
  AccessPlan plan;
  plan.lds = true;

  // A uniform offset is added after the layout where the layout is linear in
  // that dimension; the numbers below check that it is.
  SmallVector<int64_t, 4> linear(shape.size(), 0);
  bool dynamic = false;
  for (auto [d, index] : llvm::enumerate(access.indices)) {
    if (!index.uniform)
      continue;
    ArrayRef<Digit> digits = layout.dim(d);
    bool single = digits.size() == 1 && index.isUniform();
    // Multiples of the stride must not touch the bits that the XOR reads.
    for (const XorTerm &x : layout.xorTerms())
      single &=
          digits.empty() ||
          digits[0].stride %
                  int64_t(llvm::PowerOf2Ceil((x.mask << x.shiftRight) + 1)) ==
              0;
    if (shape[d] == 1)
      continue;
    if (single)
      linear[d] = digits[0].stride;
    else
      dynamic = true;
  }

  auto indexOf = [&](int64_t t, int64_t r, SmallVectorImpl<int64_t> &element) {
    for (auto [d, index] : llvm::enumerate(access.indices)) {
      int64_t v = index.constant;
      for (auto [p, c] : llvm::enumerate(index.coeffs))
        if (c)
          v += c * points.at(p, t, r);
      element[d] = clampedIndex(v, shape[d]);
    }
  };
  int64_t n = points.registers;
  std::vector<int64_t> table(n * points.threads);
  SmallVector<int64_t, 4> element(shape.size());
  for (int64_t r = 0; r < n; ++r)
    for (int64_t t = 0; t < points.threads; ++t) {
      indexOf(t, r, element);
      table[r * points.threads + t] = layout.at(element).memory * bytes;
    }
  auto offset = [&](int64_t t, int64_t r) {
    return table[r * points.threads + t];
  };

  // Registers none of whose points exist in any thread are left out.
  auto exists = [&](int64_t r) {
    for (unsigned d = 0; d < points.extents.size(); ++d)
      if (points.registerPart[d][r] >= points.extents[d])
        return false;
    return true;
  };
  int64_t alignment = 16;
  for (unsigned d = 0; d < shape.size(); ++d)
    if (linear[d])
      alignment = std::gcd(alignment, linear[d] * bytes);
  if (dynamic)
    alignment = bytes;

  struct Base {
    int64_t reg;
    Value address;
  };
  SmallVector<Base> bases;
  int64_t start = ldsOffsetOf(access.buffer);
  int64_t size = 0;
  for (int64_t offset : table)
    size = std::max(size, offset + bytes);
  for (unsigned d = 0; d < shape.size(); ++d)
    if (linear[d])
      size += (shape[d] - 1) * linear[d] * bytes;
  if (!dynamic)
    plan.facts.push_back(b.getNamedAttr(
        wave::kLdsAttr, b.getDenseI64ArrayAttr({start, start + size})));
  for (unsigned d = 0; d < shape.size() && !dynamic; ++d)
    if (linear[d])
      if (auto slot = tile::matchSlot(access.indices[d].uniform))
        plan.facts.push_back(b.getNamedAttr(
            wave::kSlotAttr,
            b.getDenseI64ArrayAttr({slot->ahead, slot->copies})));
  Value uniform;
  for (unsigned d = 0; d < shape.size(); ++d)
    if (linear[d]) {
      Value v = arith::MulIOp::create(
          b, loc, toI32(lookup(access.indices[d].uniform), loc),
          constant(loc, linear[d] * bytes));
      uniform =
          uniform ? arith::AddIOp::create(b, loc, uniform, v).getResult() : v;
    }

  auto addressOf = [&](int64_t r) {
    SmallVector<Value> index;
    for (auto [d, form] : llvm::enumerate(access.indices)) {
      Value v;
      bool mayLeave = dynamic && form.uniform;
      for (auto [p, c] : llvm::enumerate(form.coeffs)) {
        if (!c)
          continue;
        Value x = pointValue(points, p, r, loc);
        if (c != 1)
          x = arith::MulIOp::create(b, loc, x, constant(loc, c));
        v = v ? arith::AddIOp::create(b, loc, v, x).getResult() : x;
        mayLeave |= points.isPadded(p);
      }
      if (!v)
        v = constant(loc, form.constant);
      else if (form.constant)
        v = arith::AddIOp::create(b, loc, v, constant(loc, form.constant));
      if (form.uniform && !linear[d] && shape[d] != 1)
        v = arith::AddIOp::create(b, loc, v, toI32(lookup(form.uniform), loc));
      if (mayLeave) {
        int64_t unit = clampUnit(shape[d]);
        Value last = constant(loc, shape[d] - unit);
        if (unit > 1)
          last = arith::OrIOp::create(
              b, loc, last,
              arith::AndIOp::create(b, loc, v, constant(loc, unit - 1)));
        v = arith::MinUIOp::create(b, loc, v, last);
      }
      index.push_back(v);
    }
    Value address = layoutAddress(layout, index, loc);
    if (bytes > 1)
      address = arith::MulIOp::create(b, loc, address, constant(loc, bytes));
    return address;
  };

  for (auto &registers :
       groupRegisters(n, points.threads, bytes, alignment, exists, offset)) {
    AccessGroup group;
    group.registers = registers;
    int64_t r = registers.front();
    const Base *base = nullptr;
    int64_t delta = 0;
    if (!dynamic)
      for (const Base &candidate : bases) {
        delta = offset(0, r) - offset(0, candidate.reg);
        bool same = delta >= 0 || start + delta >= 0;
        for (int64_t t = 1; t < points.threads && same; ++t)
          same = offset(t, r) - offset(t, candidate.reg) == delta;
        if (same) {
          base = &candidate;
          break;
        }
      }
    if (!base) {
      OpBuilder::InsertionGuard guard(b);
      if (!dynamic)
        b.setInsertionPoint(anchor);
      bases.push_back({r, addressOf(r)});
      base = &bases.back();
      delta = 0;
    }
    group.address = base->address;
    if (uniform)
      group.address = arith::AddIOp::create(b, loc, group.address, uniform);
    group.offset = start + delta;
    if (store) {
      for (unsigned d = 0; d < points.extents.size(); ++d)
        if (points.isPadded(d)) {
          bool needed = false;
          for (int64_t t = 0; t < points.threads; ++t)
            needed |= points.at(d, t, r) >= points.extents[d];
          if (needed)
            group.valid = andAlso(
                loc, group.valid,
                arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                      pointValue(points, d, r, loc),
                                      constant(loc, points.extents[d])));
        }
    }
    plan.groups.push_back(std::move(group));
  }
  return plan;
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

namespace {
/// Sizes and strides of a tensor: constants, or values of the tile program.
struct TensorShape {
  SmallVector<int64_t> sizes, strides; // kDynamic where the value below holds
  SmallVector<mlir::Value> sizeValues, strideValues;
};
} // namespace

static TensorShape getShape(tile::TensorOp tensor) {
  auto type = mlir::cast<MemRefType>(tensor.getType());
  TensorShape s;
  unsigned rank = type.getRank();
  s.sizes.assign(type.getShape().begin(), type.getShape().end());
  s.sizeValues.resize(rank);
  s.strideValues.resize(rank);
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
    return s;
  }
  int64_t offset;
  (void)type.getStridesAndOffset(s.strides, offset);
  next = 0;
  for (unsigned d = 0; d < rank; ++d)
    if (s.strides[d] == ShapedType::kDynamic)
      s.strideValues[d] = tensor.getStrides()[next++];
  return s;
}

FailureOr<AccessPlan> KernelLowering::planGlobal(const tile::Access &access,
                                                 const PointMap &points,
                                                 Location loc, bool store) {
  auto tensor = access.buffer.getDefiningOp<tile::TensorOp>();
  if (!tensor)
    return mlir::emitError(loc, "views of global tensors under another shape "
                                "are not supported here");
  TensorShape s = getShape(tensor);
  unsigned rank = s.sizes.size();
  int64_t bytes = elementBytes(access.buffer);
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  auto mul = [&](Value x, Value y) -> Value {
    return arith::MulIOp::create(b, loc, x, y);
  };
  auto add = [&](Value x, Value y) -> Value {
    return x ? arith::AddIOp::create(b, loc, x, y).getResult() : y;
  };
  auto constant64 = [&](int64_t v) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(v));
  };
  auto wide = [&](Value v) -> Value {
    return v.getType() == i64 ? v : arith::ExtSIOp::create(b, loc, i64, v);
  };

  // Strides that are values: products of sizes, in elements, as i32.
  SmallVector<Value> strideValue(rank);
  bool smallTensor = true; // bytes of the whole tensor below 2^31
  __int128 total = bytes;
  for (unsigned d = 0; d < rank; ++d) {
    if (s.sizes[d] == ShapedType::kDynamic ||
        s.strides[d] == ShapedType::kDynamic)
      smallTensor = false;
    else
      total = std::max<__int128>(total,
                                 __int128(s.sizes[d]) * s.strides[d] * bytes);
  }
  smallTensor &= total < kResourceLimit;
  for (int d = int(rank) - 1; d >= 0; --d) {
    if (s.strides[d] != ShapedType::kDynamic)
      continue;
    if (s.strideValues[d]) {
      strideValue[d] = toI32(lookup(s.strideValues[d]), loc);
      continue;
    }
    Value below = s.strides[d + 1] == ShapedType::kDynamic
                      ? strideValue[d + 1]
                      : constant(loc, s.strides[d + 1]);
    Value size = s.sizes[d + 1] == ShapedType::kDynamic
                     ? toI32(lookup(s.sizeValues[d + 1]), loc)
                     : constant(loc, s.sizes[d + 1]);
    strideValue[d] = mul(below, size);
  }

  // Where each index can lie, and which dimensions need a check.
  SmallVector<Interval> spread(rank); // of the part that varies with the point
  SmallVector<bool> upper(rank), lower(rank);
  for (unsigned d = 0; d < rank; ++d) {
    const tile::PointIndex &index = access.indices[d];
    Interval range{index.constant, index.constant};
    for (auto [p, c] : llvm::enumerate(index.coeffs)) {
      int64_t reach = c * (points.extents[p] - 1);
      (reach < 0 ? range.lo : range.hi) += reach;
    }
    spread[d] = range;
    if (index.uniform) {
      Interval u = rangeOf(index.uniform);
      range.lo += u.lo;
      range.hi += u.hi;
    }
    lower[d] = range.lo < 0;
    upper[d] = s.sizes[d] == ShapedType::kDynamic || range.hi >= s.sizes[d];
  }

  // The uniform part of the address, in bytes from the tensor's start.
  int64_t uniformConstant = 0, alignment = 16;
  Value uniform32, uniform64;
  bool fits32 = smallTensor;
  for (unsigned d = 0; d < rank; ++d)
    fits32 &= !upper[d] && !lower[d];
  for (unsigned d = 0; d < rank; ++d) {
    const tile::PointIndex &index = access.indices[d];
    bool dynamicStride = s.strides[d] == ShapedType::kDynamic;
    if (!dynamicStride)
      uniformConstant += index.constant * s.strides[d] * bytes;
    int64_t divisor = dynamicStride ? 1 : s.strides[d];
    if (index.uniform && !dynamicStride)
      alignment =
          std::gcd(alignment, divisor * divisorOf(index.uniform) * bytes);
    if (dynamicStride)
      alignment = std::gcd(alignment, bytes);
    if (!index.uniform && !(dynamicStride && index.constant))
      continue;
    Value u = index.uniform ? lookup(index.uniform) : Value();
    if (dynamicStride && index.constant) {
      Value c = constant(loc, index.constant);
      u = u ? add(toI32(u, loc), c) : c;
    }
    if (fits32) {
      uniform32 =
          add(uniform32, mul(toI32(u, loc), constant(loc, divisor * bytes)));
    } else {
      Value stride = dynamicStride ? wide(strideValue[d]) : constant64(divisor);
      uniform64 = add(uniform64, mul(wide(u), mul(stride, constant64(bytes))));
    }
  }
  alignment = std::gcd(alignment, uniformConstant ? uniformConstant : 16);

  // One dimension may be checked by the size of the resource: its index grows
  // with the address, and everything inside it is shorter than its stride.
  int row = -1;
  for (unsigned d = 0; d < rank; ++d) {
    if (!upper[d] || lower[d] || s.strides[d] == ShapedType::kDynamic ||
        spread[d].lo < 0)
      continue;
    if (row >= 0 && s.strides[row] >= s.strides[d])
      continue;
    __int128 inside = 0;
    bool ok =
        (__int128(spread[d].hi) + 1) * s.strides[d] * bytes < kResourceLimit;
    for (unsigned e = 0; e < rank; ++e) {
      if (e == d || spread[e].lo == spread[e].hi)
        continue;
      ok &= s.strides[e] != ShapedType::kDynamic && s.strides[e] > 0 &&
            spread[e].lo >= 0;
      if (ok)
        inside += __int128(spread[e].hi) * s.strides[e];
    }
    if (ok && s.strides[d] > inside)
      row = d;
  }
  // The range check works by dwords: where rows end inside one, no access may
  // be wider than what divides their end.
  if (row >= 0) {
    int64_t end = s.strides[row] * bytes *
                  (s.sizes[row] == ShapedType::kDynamic ? 1 : s.sizes[row]);
    if (end % 4)
      alignment = std::gcd(alignment, end);
  }

  AccessPlan plan;
  Value base = lookup(tensor.getSource());
  Value soffset;
  if (fits32) {
    Value &full = fullResources[access.buffer];
    if (!full) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(anchor);
      full =
          wave::ResourceOp::create(b, loc, wave::RsrcType::get(b.getContext()),
                                   base, constant(loc, int64_t(total)));
    }
    plan.resource = full;
    soffset = uniform32;
  } else {
    if (uniform64)
      base = wave::PtrAddOp::create(b, loc, wave::PtrType::get(b.getContext()),
                                    base, uniform64);
    Value records = constant(loc, kResourceLimit);
    if (row >= 0) {
      Value size = s.sizes[row] == ShapedType::kDynamic
                       ? toI32(lookup(s.sizeValues[row]), loc)
                       : constant(loc, s.sizes[row]);
      Value left = size;
      if (access.indices[row].uniform)
        left = arith::SubIOp::create(
            b, loc, size, toI32(lookup(access.indices[row].uniform), loc));
      left = arith::MaxSIOp::create(b, loc, left, constant(loc, 0));
      left = arith::MinSIOp::create(b, loc, left,
                                    constant(loc, spread[row].hi + 1));
      records = mul(left, constant(loc, s.strides[row] * bytes));
    }
    // Dimensions that do not vary with the point: all or nothing.
    for (unsigned d = 0; d < rank; ++d) {
      if (int(d) == row || !(upper[d] || lower[d]) ||
          !access.indices[d].isUniform())
        continue;
      Value u = access.indices[d].uniform
                    ? toI32(lookup(access.indices[d].uniform), loc)
                    : constant(loc, 0);
      if (access.indices[d].constant)
        u = add(u, constant(loc, access.indices[d].constant));
      Value size = s.sizes[d] == ShapedType::kDynamic
                       ? toI32(lookup(s.sizeValues[d]), loc)
                       : constant(loc, s.sizes[d]);
      Value ok =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, u, size);
      records = arith::SelectOp::create(b, loc, ok, records, constant(loc, 0));
    }
    plan.resource = wave::ResourceOp::create(
        b, loc, wave::RsrcType::get(b.getContext()), base, records);
  }

  // Per point: offset in bytes over the dimensions with constant strides.
  auto staticCoeff = [&](unsigned p) {
    int64_t sum = 0;
    for (unsigned d = 0; d < rank; ++d)
      if (s.strides[d] != ShapedType::kDynamic)
        sum += access.indices[d].coeffs[p] * s.strides[d] * bytes;
    return sum;
  };
  SmallVector<int64_t> coeff;
  SmallVector<bool> dynamicPoint(points.extents.size(), false);
  for (unsigned p = 0; p < points.extents.size(); ++p) {
    coeff.push_back(staticCoeff(p));
    for (unsigned d = 0; d < rank; ++d)
      if (s.strides[d] == ShapedType::kDynamic && access.indices[d].coeffs[p])
        dynamicPoint[p] = true;
  }
  int64_t n = points.registers;
  // Registers that differ in a dimension of unknown stride are kept apart by a
  // large distance, which no group can bridge.
  auto offset = [&](int64_t t, int64_t r) {
    int64_t sum = uniformConstant;
    for (unsigned p = 0; p < points.extents.size(); ++p)
      sum += dynamicPoint[p] ? points.at(p, t, r) << 40
                             : points.at(p, t, r) * coeff[p];
    // Points that do not exist never share an access with ones that do.
    for (unsigned p = 0; p < points.extents.size(); ++p)
      if (points.at(p, t, r) >= points.extents[p])
        sum += int64_t(1) << 52;
    return sum;
  };
  auto exists = [&](int64_t r) {
    for (unsigned d = 0; d < points.extents.size(); ++d)
      if (points.registerPart[d][r] >= points.extents[d])
        return false;
    return true;
  };
  // An inner dimension whose end is checked must not be cut by a wide access.
  for (unsigned d = 0; d < rank; ++d)
    if (upper[d] && int(d) != row && !access.indices[d].isUniform() &&
        s.strides[d] != ShapedType::kDynamic)
      alignment = std::gcd(alignment, s.sizes[d] == ShapedType::kDynamic
                                          ? bytes
                                          : s.sizes[d] * s.strides[d] * bytes);
  for (unsigned d = 0; d < rank; ++d)
    if (lower[d] && !access.indices[d].isUniform())
      alignment = std::gcd(alignment, bytes);
  // The resource's end is checked dword by dword: one that it cuts is lost.
  if (row >= 0) {
    int64_t end = s.strides[row] * bytes *
                  (s.sizes[row] == ShapedType::kDynamic ? 1 : s.sizes[row]);
    if (end % 4)
      alignment = std::gcd(alignment, end);
  }

  // The part of the offset that depends on the thread, computed once.
  Value threadOffset;
  {
    OpBuilder::InsertionGuard guard(b);
    bool invariant = llvm::none_of(dynamicPoint, [](bool d) { return d; });
    if (invariant)
      b.setInsertionPoint(anchor);
    for (unsigned p = 0; p < points.extents.size(); ++p) {
      if (coeff[p])
        threadOffset = add(threadOffset,
                           mul(threadPart(points, p), constant(loc, coeff[p])));
      for (unsigned d = 0; d < rank; ++d)
        if (s.strides[d] == ShapedType::kDynamic && access.indices[d].coeffs[p])
          threadOffset =
              add(threadOffset,
                  mul(mul(threadPart(points, p), strideValue[d]),
                      constant(loc, access.indices[d].coeffs[p] * bytes)));
    }
    if (!threadOffset)
      threadOffset = constant(loc, 0);
  }

  Value owner = store ? isOwner(points) : Value();
  for (auto &registers :
       groupRegisters(n, points.threads, bytes, alignment, exists, offset)) {
    AccessGroup group;
    group.registers = registers;
    int64_t r = registers.front();
    Value valid = owner;
    for (unsigned p = 0; p < points.extents.size(); ++p)
      if (points.isPadded(p)) {
        bool needed = false;
        for (int64_t t = 0; t < points.threads; ++t)
          needed |= points.at(p, t, r) >= points.extents[p];
        if (needed)
          valid =
              andAlso(loc, valid,
                      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                            pointValue(points, p, r, loc),
                                            constant(loc, points.extents[p])));
      }
    for (unsigned d = 0; d < rank; ++d) {
      const tile::PointIndex &index = access.indices[d];
      if (int(d) == row || !(upper[d] || lower[d]) || index.isUniform())
        continue;
      Value v = constant(loc, index.constant);
      for (auto [p, c] : llvm::enumerate(index.coeffs))
        if (c)
          v = add(
              v, c == 1 ? pointValue(points, p, r, loc)
                        : mul(pointValue(points, p, r, loc), constant(loc, c)));
      if (index.uniform)
        v = add(v, toI32(lookup(index.uniform), loc));
      Value size = s.sizes[d] == ShapedType::kDynamic
                       ? toI32(lookup(s.sizeValues[d]), loc)
                       : constant(loc, s.sizes[d]);
      // Unsigned: a negative index is out of range as well.
      valid = andAlso(
          loc, valid,
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, v, size));
    }
    int64_t fixed = uniformConstant;
    Value varying;
    for (unsigned p = 0; p < points.extents.size(); ++p) {
      int64_t part = points.registerPart[p][r];
      fixed += part * coeff[p];
      for (unsigned d = 0; d < rank; ++d)
        if (part && s.strides[d] == ShapedType::kDynamic &&
            access.indices[d].coeffs[p])
          varying = add(
              varying,
              mul(strideValue[d],
                  constant(loc, part * access.indices[d].coeffs[p] * bytes)));
    }
    Value voffset = threadOffset;
    if (varying)
      voffset = add(voffset, varying);
    int64_t immediate = fixed >= 0 ? fixed & 4095 : 0;
    int64_t rest = fixed - immediate;
    if (rest && fits32 && !valid) {
      group.soffset =
          soffset ? add(soffset, constant(loc, rest)) : constant(loc, rest);
    } else {
      if (rest)
        voffset = add(voffset, constant(loc, rest));
      group.soffset = soffset;
    }
    if (valid)
      voffset = arith::SelectOp::create(b, loc, valid, voffset,
                                        constant(loc, kOutside));
    group.address = voffset;
    group.offset = immediate;
    // Reads of invalid lanes give 0 by themselves; a pad value needs to know.
    group.valid = valid;
    plan.groups.push_back(std::move(group));
  }
  (void)i32;
  return plan;
}

FailureOr<AccessPlan> KernelLowering::plan(const tile::Access &access,
                                           const PointMap &points, Location loc,
                                           bool store) {
  return tile::getSpace(access.buffer) == tile::Space::Shared
             ? planLds(access, points, loc, store)
             : planGlobal(access, points, loc, store);
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

SmallVector<Value> KernelLowering::load(const AccessPlan &plan,
                                        int64_t registers, Type element,
                                        Attribute pad, Location loc) {
  SmallVector<Value> values(registers);
  for (const AccessGroup &group : plan.groups) {
    int64_t count = group.registers.size();
    Type type = count == 1 ? element : VectorType::get(count, element);
    Value v;
    if (plan.lds) {
      auto load =
          wave::LdsLoadOp::create(b, loc, type, group.address, group.offset);
      load->setDiscardableAttrs(plan.facts);
      v = load;
    } else
      v = wave::BufferLoadOp::create(b, loc, type, plan.resource, group.address,
                                     group.soffset, group.offset);
    for (auto [i, r] : llvm::enumerate(group.registers))
      values[r] =
          count == 1 ? v : vector::ExtractOp::create(b, loc, v, int64_t(i));
  }
  for (Value &v : values)
    if (!v)
      v = zero(element, loc);
  return values;
}

void KernelLowering::store(const AccessPlan &plan, ArrayRef<Value> values,
                           Location loc) {
  for (const AccessGroup &group : plan.groups) {
    SmallVector<Value> parts;
    for (int64_t r : group.registers)
      parts.push_back(values[r]);
    Value v = parts.front();
    if (parts.size() > 1)
      v = vector::FromElementsOp::create(
          b, loc, VectorType::get(parts.size(), v.getType()), parts);
    if (plan.lds)
      guarded(group.valid, loc, [&] {
        auto write =
            wave::LdsStoreOp::create(b, loc, v, group.address, group.offset);
        write->setDiscardableAttrs(plan.facts);
      });
    else
      wave::BufferStoreOp::create(b, loc, v, plan.resource, group.address,
                                  group.soffset, group.offset);
  }
}
