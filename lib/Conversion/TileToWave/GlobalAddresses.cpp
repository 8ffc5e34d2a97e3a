//===- GlobalAddresses.cpp - Which instructions reach tensors ---*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each dimension of the tensor is proved in bounds from what is known of grid,
// loops and sizes, or checked: one dimension at no cost, by the size of a
// buffer resource that starts at the tile; others by giving invalid lanes an
// offset beyond any resource.
//
// The address is base + soffset + voffset + immediate. The range check adds
// voffset and immediate without wrapping around, and the hardware extends
// soffset with zeros, so that none of the parts may be negative:
//
//   * where all is in bounds and the tensor is small, what is uniform is the
//     soffset, not negative as a whole;
//   * otherwise what is uniform, and every negative constant, moves the base,
//     by 64-bit arithmetic; but an index that a loop moves and that needs no
//     check is the soffset, so that the resource is made once;
//   * an index that falls as the point rises is counted from its other end:
//     -c * p = -c * last + c * (last - p).
//
// How wide an access is depends on what checks it, not on its alignment: see
// RowEnds.cpp.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"
#include "tlc/Layout/BankModel.h"
#include <numeric>

using namespace mlir;
using namespace tlc;

/// No place of a tensor is further from its start, in bytes.
static constexpr int64_t kFurthest = int64_t(1) << 56;

/// Added to the place of a point that does not exist.
static constexpr int64_t kNoPoint = int64_t(1) << 62;

/// Whether a value of the kernel may differ from turn to turn of a loop.
static bool variesInLoop(Value v) {
  Operation *parent = v.getParentRegion()->getParentOp();
  return !isa<tile::KernelOp, tile::FuncOp>(parent);
}

/// The plan for one access of a loop to a tensor. In order: bounds of every
/// index, the dimension that the resource checks, the uniform part of the
/// address, the resource, the groups of registers, the part that each thread
/// adds. Fails where one tile spans 2 GiB or more.
FailureOr<AccessPlan> KernelLowering::planGlobal(const tile::Access &access,
                                                 const PointMap &points,
                                                 Location loc, bool store) {
  FailureOr<TensorShape> shape = getTensorShape(access.buffer, loc);
  if (failed(shape))
    return failure();
  const TensorShape &s = *shape;
  constexpr int64_t kDynamic = ShapedType::kDynamic;
  unsigned rank = s.sizes.size(), pointRank = points.extents.size();
  int64_t bytes = elementBytes(access.buffer), n = points.registers;
  Type i64 = b.getI64Type();
  auto mul = [&](Value x, Value y) -> Value {
    return arith::MulIOp::create(b, loc, x, y);
  };
  auto add = [&](Value x, Value y) -> Value {
    return x ? arith::AddIOp::create(b, loc, x, y).getResult() : y;
  };
  auto constant64 = [&](int64_t v) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(v));
  };
  // Extensions are signed: sizes and offsets of the program are.
  auto wide = [&](Value v) -> Value {
    return v.getType() == i64 ? v : arith::ExtSIOp::create(b, loc, i64, v);
  };
  auto sizeOf = [&](unsigned d) -> Value {
    return s.sizes[d] == kDynamic ? toI32(lookup(s.sizeValues[d]), loc)
                                  : constant(loc, s.sizes[d]);
  };
  // Whether register r holds a point in any thread.
  auto exists = [&](int64_t r) {
    for (unsigned p = 0; p < pointRank; ++p)
      if (points.registerPart[p][r] >= points.extents[p])
        return false;
    return true;
  };

  // An index that the program computed in more bits: cut so that what is out
  // of range stays so.
  auto index32 = [&](Value v) -> Value {
    Interval range = rangeOf(v);
    v = lookup(v);
    if (v.getType() != i64 || (range.lo >= INT32_MIN && range.hi <= INT32_MAX))
      return toI32(v, loc);
    v = arith::MaxSIOp::create(b, loc, v, constant64(INT32_MIN));
    return toI32(arith::MinSIOp::create(b, loc, v, constant64(INT32_MAX)), loc);
  };

  // Within a tile 32 bits of a stride serve (assertReach()).
  SmallVector<Value> strideValue = runtimeStrides(s, loc), strideValue32(rank);
  for (unsigned d = 0; d < rank; ++d)
    if (strideValue[d])
      strideValue32[d] = toI32(strideValue[d], loc);

  // What divides each stride, those that are values included.
  SmallVector<int64_t> strideDivisor(rank, 1);
  for (int d = int(rank) - 1; d >= 0; --d)
    if (s.strides[d] != kDynamic)
      strideDivisor[d] = s.strides[d];
    else if (!s.strideValues[d])
      strideDivisor[d] = strideDivisor[d + 1] *
                         (s.sizes[d + 1] == kDynamic ? 1 : s.sizes[d + 1]);

  // Where each index can lie, and which dimensions need a check.
  SmallVector<Interval> spread(rank); // of the part that varies with the point
  SmallVector<bool> upper(rank), lower(rank);
  // Whether one resource over the whole tensor serves with 32-bit offsets: it
  // is small, every index is proved in bounds, and no part is negative.
  bool fits32 = s.bytes >= 0 && s.bytes < kResourceLimit;
  for (unsigned d = 0; d < rank; ++d) {
    // The constant, plus what the points add, plus the bounds of the uniform
    // part.
    const tile::PointIndex &index = access.indices[d];
    Interval range{index.constant, index.constant};
    // Each point dimension runs from 0 to its extent less one.
    for (auto [p, c] : llvm::enumerate(index.coeffs)) {
      int64_t reach = c * (points.extents[p] - 1);
      (reach < 0 ? range.lo : range.hi) += reach;
    }
    spread[d] = range;
    if (index.uniform) {
      Interval u = rangeOf(index.uniform);
      range.lo += u.lo;
      range.hi += u.hi;
      fits32 &= u.lo >= 0;
    }
    // A dimension that is not proved needs a check at run time.
    lower[d] = range.lo < 0;
    upper[d] = s.sizes[d] == kDynamic || range.hi >= s.sizes[d];
    fits32 &= !upper[d] && !lower[d];
  }
  // With a pad value, each lane must know whether it is in bounds.
  bool byLane = !store && s.pad && llvm::is_contained(upper, true);
  byLane |= !store && s.pad && llvm::is_contained(lower, true);

  // Bytes that a step of each point dimension makes over constant strides.
  SmallVector<int64_t> coeff(pointRank), maxThread(pointRank),
      maxRegister(pointRank);
  SmallVector<bool> dynamicPoint(pointRank, false);
  for (unsigned p = 0; p < pointRank; ++p) {
    for (unsigned d = 0; d < rank; ++d) {
      int64_t c = access.indices[d].coeffs[p];
      // Over a stride known at run time only, the step is computed there.
      if (s.strides[d] != kDynamic)
        coeff[p] += c * s.strides[d] * bytes;
      else
        dynamicPoint[p] = dynamicPoint[p] || c;
    }
    for (int64_t part : points.threadPart[p])
      maxThread[p] = std::max(maxThread[p], part);
    for (int64_t r = 0; r < n; ++r)
      if (exists(r))
        maxRegister[p] = std::max(maxRegister[p], points.registerPart[p][r]);
    fits32 &= coeff[p] >= 0;
  }

  // Whether rows along d end where lanes must check it: its elements lie side
  // by side, their number is known, and they take an access or more.
  Type element =
      mlir::cast<MemRefType>(access.buffer.getType()).getElementType();
  auto endsRows = [&](unsigned d) {
    return upper[d] && !lower[d] && !byLane && s.strides[d] == 1 &&
           s.sizes[d] != kDynamic && !access.indices[d].isUniform() &&
           element.isIntOrFloat() &&
           element.getIntOrFloatBitWidth() == 8 * bytes;
  };

  // In 128 bits: the user's strides may be anything.
  __int128 reach = 0;
  for (unsigned p = 0; p < pointRank; ++p)
    reach += __int128(std::abs(coeff[p])) * (points.extents[p] - 1);
  if (reach >= kResourceLimit)
    return mlir::emitError(loc, "the elements of '")
           << tile::getBufferName(access.buffer)
           << "' that one tile touches lie further than 2 GiB apart: offsets "
              "within a tile have 32 bits";
  SmallVector<int64_t> spans(rank, 0);
  for (unsigned d = 0; d < rank; ++d)
    for (auto [p, c] : llvm::enumerate(access.indices[d].coeffs))
      if (s.strides[d] == kDynamic)
        spans[d] += std::abs(c) * (points.extents[p] - 1);
  if (asserted.insert({access.buffer.getAsOpaquePointer(), spans}).second &&
      llvm::any_of(spans, [](int64_t n) { return n != 0; }))
    assertReach(s, spans, bytes, kResourceLimit - int64_t(reach), loc);

  // One dimension may be checked by the size of the resource: its index grows
  // with the address, and everything inside it is shorter than its stride.
  int row = -1;
  for (unsigned d = 0; d < rank && !byLane; ++d) {
    if (!upper[d] || lower[d] || s.strides[d] == kDynamic || spread[d].lo < 0)
      continue;
    // The resource's end would cut a dword.
    if (endsRows(d) && s.sizes[d] * bytes % 4)
      continue;
    if (row >= 0 && s.strides[row] >= s.strides[d])
      continue;
    __int128 inside = 0;
    bool ok =
        (__int128(spread[d].hi) + 1) * s.strides[d] * bytes < kResourceLimit;
    for (unsigned e = 0; e < rank; ++e) {
      if (e == d || spread[e].lo == spread[e].hi)
        continue;
      ok &= s.strides[e] > 0 && spread[e].lo >= 0;
      if (ok)
        inside += __int128(spread[e].hi) * s.strides[e];
    }
    // Then a row's end in memory comes after all that an index inside can
    // reach, so that "beyond num_records" means "index too large".
    if (ok && s.strides[d] > inside)
      row = d;
  }

  // The dimension of a row's elements, where lanes check whether they lie
  // beyond the row. Rows must not overlap.
  int ending = -1;
  __int128 last = 0;
  for (unsigned d = 0; d < rank; ++d) {
    if (int(d) == row)
      continue;
    if (endsRows(d))
      ending = ending < 0 ? int(d) : int(rank);
    if (!access.indices[d].isUniform())
      last += s.sizes[d] == kDynamic || s.strides[d] == kDynamic
                  ? kFurthest
                  : __int128(s.sizes[d] - 1) * s.strides[d];
  }
  if (ending == int(rank) || (row >= 0 && last >= s.strides[row]))
    ending = -1;

  // The uniform part of the address, in bytes from the tensor's start, and
  // what divides it. Constants stay in the instruction unless they are
  // negative or would be counted by the check of `row`.
  int64_t fixedConstant = 0, baseConstant = 0, alignment = 16;
  Value uniform32, uniform64;
  int64_t moved = 0; // most that the soffset can be beside a moving base
  SmallVector<int64_t> inBase(rank, 0); // of each index, its constant
  for (unsigned d = 0; d < rank; ++d) {
    const tile::PointIndex &index = access.indices[d];
    bool dynamicStride = s.strides[d] == kDynamic;
    int64_t divisor = dynamicStride ? 1 : s.strides[d];
    if (!dynamicStride) {
      __int128 exact = __int128(index.constant) * divisor * bytes;
      if (exact < -kFurthest || exact > kFurthest)
        return mlir::emitError(loc, "an element of '")
               << tile::getBufferName(access.buffer)
               << "' that this touches lies beyond any memory";
      int64_t c = int64_t(exact);
      // As in the choice of `row`: one value for all points, be it uniform or
      // an index of a dimension with a single point.
      bool single = spread[d].lo == spread[d].hi;
      bool toBase = !fits32 && (c < 0 || (row >= 0 && int(d) != row && single));
      // A far tile: what the instructions add has 32 bits.
      toBase |= !fits32 && int(d) != row &&
                __int128(fixedConstant) + c + reach >= kResourceLimit;
      (toBase ? baseConstant : fixedConstant) += c;
      inBase[d] = toBase ? index.constant : 0;
    }
    if (index.uniform && !dynamicStride)
      alignment =
          std::gcd(alignment, divisor * divisorOf(index.uniform) * bytes);
    if (dynamicStride)
      alignment = std::gcd(alignment, strideDivisor[d] * bytes);
    Value u = index.uniform ? lookup(index.uniform) : Value();
    // Falling over an unknown stride: from the last point on.
    int64_t shift = dynamicStride ? index.constant : 0;
    for (unsigned p = 0; p < pointRank && dynamicStride; ++p)
      if (index.coeffs[p] < 0)
        shift += index.coeffs[p] * (maxThread[p] + maxRegister[p]);
    if (!u && !shift)
      continue;
    if (shift) {
      Value c = constant64(shift);
      u = u ? add(wide(u), c) : c;
    }
    // The range check does not see the soffset.
    int64_t most = 0;
    if (!fits32 && int(d) != row && !dynamicStride && !shift && !upper[d] &&
        !lower[d] && divisor >= 0 && variesInLoop(index.uniform)) {
      Interval range = rangeOf(index.uniform);
      __int128 reach = __int128(range.hi) * divisor * bytes + moved;
      if (range.lo >= 0 && reach < kResourceLimit)
        most = int64_t(reach);
    }
    if (most)
      moved = most;
    if (fits32 || most) {
      uniform32 =
          add(uniform32, mul(toI32(u, loc), constant(loc, divisor * bytes)));
    } else {
      Value stride = dynamicStride ? strideValue[d] : constant64(divisor);
      uniform64 = add(uniform64, mul(wide(u), mul(stride, constant64(bytes))));
    }
  }
  // Every part of the address limits how wide an access may be.
  alignment = std::gcd(alignment, fixedConstant ? fixedConstant : 16);
  alignment = std::gcd(alignment, baseConstant ? baseConstant : 16);

  // The constant part of each register's offset; the least one that is
  // negative goes to the base.
  // A falling dimension is counted from its last point, whence maxThread.
  auto fixedOf = [&](int64_t r) {
    int64_t fixed = fixedConstant;
    for (unsigned p = 0; p < pointRank; ++p)
      fixed += coeff[p] *
               (points.registerPart[p][r] + (coeff[p] < 0 ? maxThread[p] : 0));
    return fixed;
  };
  int64_t least = 0;
  // With a checked row nothing may be negative anyway (spread.lo >= 0).
  if (!fits32 && row < 0)
    for (int64_t r = 0; r < n; ++r)
      if (exists(r))
        least = std::min(least, fixedOf(r));
  baseConstant += least;

  // An access is checked by its first register. So where lanes check an index,
  // a distance that no group can bridge keeps apart registers that differ in
  // another index than the contiguous one (a tile wider than the tensor meets
  // the next row's addresses), or in a dimension of unknown stride.
  SmallVector<bool> apart(rank, false);
  int contiguous = ending;
  bool checks = false;
  for (unsigned d = 0; d < rank; ++d)
    checks |= (upper[d] || lower[d]) && int(d) != row &&
              !access.indices[d].isUniform();
  for (unsigned d = 0; d < rank && checks; ++d) {
    if (access.indices[d].isUniform() || int(d) == contiguous)
      continue;
    if (s.strides[d] == 1 && contiguous < 0)
      contiguous = int(d);
    else
      apart[d] = true;
  }
  // The place that groupRegisters() compares: bytes, plus keys 2^32 apart for
  // registers that must not share an access.
  auto offset = [&](int64_t t, int64_t r) {
    int64_t sum = fixedConstant, key = 0, nowhere = 0;
    for (unsigned p = 0; p < pointRank; ++p) {
      int64_t at = points.at(p, t, r);
      // Points that do not exist never share an access with ones that do.
      if (at >= points.extents[p])
        nowhere = kNoPoint;
      if (dynamicPoint[p])
        key = key * points.extents[p] + at;
      else
        sum += at * coeff[p];
    }
    for (unsigned d = 0; d < rank; ++d) {
      if (!apart[d])
        continue;
      int64_t index = access.indices[d].constant;
      for (unsigned p = 0; p < pointRank; ++p)
        index += access.indices[d].coeffs[p] * points.at(p, t, r);
      key = key * (spread[d].hi - spread[d].lo + 1) + index - spread[d].lo;
    }
    return sum + (key << 32) + nowhere;
  };
  // Of a group's first index, what a division by its size leaves; -1: differs.
  auto phaseOf = [&](int64_t r, int64_t count) -> int64_t {
    const tile::PointIndex &index = access.indices[ending];
    if (index.uniform && divisorOf(index.uniform) % count)
      return -1;
    return remainderOf(index, points, r, count);
  };
  // Elements of the group that the row's end leaves to it, 0: all or none.
  auto restOf = [&](ArrayRef<int64_t> group) -> int64_t {
    int64_t count = group.size(), phase = phaseOf(group.front(), count);
    return phase < 0 ? 0 : (s.sizes[ending] - phase) % count;
  };
  auto earlyOf = [&](ArrayRef<int64_t> group) -> int64_t {
    int64_t rest = restOf(group);
    return rest ? (int64_t(group.size()) - rest) * bytes : 0;
  };
  // Whether the resource's end can fall into the group.
  auto crosses = [&](ArrayRef<int64_t> group) {
    for (int64_t t = 0; t < points.threads; ++t)
      for (int64_t r : group)
        if (rawIndex(access.indices[row], points, t, r) !=
            rawIndex(access.indices[row], points, t, group.front()))
          return true;
    return false;
  };
  // An inner dimension whose end is checked must not be cut by a wide access.
  // Those that are kept apart cannot be.
  for (unsigned d = 0; d < rank; ++d)
    if (upper[d] && int(d) != row && !access.indices[d].isUniform() &&
        s.strides[d] != kDynamic && !apart[d])
      alignment = std::gcd(alignment, s.sizes[d] == kDynamic
                                          ? bytes
                                          : s.sizes[d] * s.strides[d] * bytes);
  for (unsigned d = 0; d < rank; ++d)
    if (lower[d] && !access.indices[d].isUniform() && !apart[d])
      alignment = std::gcd(alignment, bytes);
  // The resource's end is checked dword by dword: one that it cuts is lost.
  if (row >= 0) {
    int64_t end =
        s.strides[row] * bytes * (s.sizes[row] == kDynamic ? 1 : s.sizes[row]);
    if (end % 4)
      alignment = std::gcd(alignment, end);
  }
  // Neither matters where nothing can cut the access.
  auto movable = [&](ArrayRef<int64_t> group) {
    int64_t r = group.front(), count = group.size();
    if (isAligned(r, points.threads, count * bytes, alignment, offset))
      return true;
    if (ending >= 0)
      return count <= s.sizes[ending] && phaseOf(r, count) >= 0;
    return !checks && (row < 0 || !crosses(group) ||
                       isAligned(r, points.threads, 4, alignment, offset));
  };
  std::vector<SmallVector<int64_t, 8>> groups =
      groupRegisters(n, points.threads, bytes, exists, offset, movable);
  // The bytes by which a load begins early in order to end with its row: the
  // base is moved by as much, so that no offset is negative.
  int64_t slack = 0;
  for (const auto &group : groups)
    if (ending >= 0 && !store)
      slack = std::max(slack, earlyOf(group));
  baseConstant -= slack;

  AccessPlan plan;
  plan.pad = byLane ? s.pad : TypedAttr();
  Value base = lookup(s.pointer);
  // Either the tensor's one resource with a scalar offset, or a resource of
  // this access that begins at its tile.
  Value soffset;
  if (fits32) {
    // One resource a tensor, made once next to its pointer.
    Value &full = fullResources[access.buffer];
    if (!full) {
      OpBuilder::InsertionGuard guard(b);
      setAfterPointer(base);
      full =
          wave::ResourceOp::create(b, loc, wave::RsrcType::get(b.getContext()),
                                   base, constant(loc, s.bytes));
    }
    plan.resource = full;
    soffset = uniform32;
  } else {
    if (baseConstant)
      uniform64 = add(uniform64, constant64(baseConstant));
    if (uniform64)
      base = wave::PtrAddOp::create(b, loc, wave::PtrType::get(b.getContext()),
                                    base, uniform64);
    // Rows end at their own end: the last load of one that is beyond the
    // tensor begins before its first element.
    auto moveEnd = [&](Value records) -> Value {
      int64_t fixed = slack - inBase[ending] * bytes;
      records = add(records, constant(loc, fixed));
      if (Value u = access.indices[ending].uniform)
        records = arith::SubIOp::create(b, loc, records,
                                        mul(index32(u), constant(loc, bytes)));
      return arith::MaxSIOp::create(b, loc, records, constant(loc, 0));
    };
    // num_records: what is left of `row` from the tile on, in bytes; 0 switches
    // the whole access off.
    Value records = constant(loc, kResourceLimit);
    if (row >= 0) {
      Value left = sizeOf(row);
      if (access.indices[row].uniform)
        left = arith::SubIOp::create(b, loc, left,
                                     index32(access.indices[row].uniform));
      left = arith::MaxSIOp::create(b, loc, left, constant(loc, 0));
      left = arith::MinSIOp::create(b, loc, left,
                                    constant(loc, spread[row].hi + 1));
      records = mul(left, constant(loc, s.strides[row] * bytes));
      if (slack)
        records = moveEnd(records);
    }
    // Dimensions that do not vary with the point: all or nothing.
    for (unsigned d = 0; d < rank; ++d) {
      if (int(d) == row || !(upper[d] || lower[d]) || byLane ||
          !access.indices[d].isUniform())
        continue;
      Value u = access.indices[d].uniform ? index32(access.indices[d].uniform)
                                          : constant(loc, 0);
      if (access.indices[d].constant)
        u = add(u, constant(loc, access.indices[d].constant));
      Value ok = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, u,
                                       sizeOf(d));
      records = arith::SelectOp::create(b, loc, ok, records, constant(loc, 0));
    }
    plan.resource = wave::ResourceOp::create(
        b, loc, wave::RsrcType::get(b.getContext()), base, records);
    soffset = uniform32;
  }

  // The part of the offset that depends on the thread, computed once.
  Value threadOffset;
  {
    OpBuilder::InsertionGuard guard(b);
    // Strides that are values may be defined within the kernel's body: then
    // here, else once before it.
    if (!llvm::is_contained(dynamicPoint, true))
      b.setInsertionPoint(anchor);
    // A falling index is counted from the other end, so that the thread's part
    // is not negative.
    bool falls = false;
    auto rising = [&](unsigned p, int64_t c) {
      Value part = threadPart(points, p);
      if (c >= 0)
        return part;
      falls = true;
      return arith::SubIOp::create(b, loc, constant(loc, maxThread[p]), part)
          .getResult();
    };
    for (unsigned p = 0; p < pointRank; ++p) {
      if (coeff[p])
        threadOffset =
            add(threadOffset,
                mul(rising(p, coeff[p]), constant(loc, std::abs(coeff[p]))));
      for (unsigned d = 0; d < rank; ++d)
        if (int64_t c = access.indices[d].coeffs[p];
            s.strides[d] == kDynamic && c)
          threadOffset =
              add(threadOffset, mul(mul(rising(p, c), strideValue32[d]),
                                    constant(loc, std::abs(c) * bytes)));
    }
    if (slack)
      threadOffset = add(threadOffset, constant(loc, slack));
    if (!threadOffset)
      threadOffset = constant(loc, 0);
    // Otherwise constants would join the immediate and leave a negative rest.
    if (falls || slack)
      threadOffset =
          wave::OpaqueOp::create(b, loc, b.getI32Type(), threadOffset);
  }

  // The index of this lane's element in register r, as a value.
  auto indexOf = [&](unsigned d, int64_t r) {
    const tile::PointIndex &index = access.indices[d];
    Value v = constant(loc, index.constant);
    for (auto [p, c] : llvm::enumerate(index.coeffs))
      if (c)
        v = add(v, c == 1
                       ? pointValue(points, p, r, loc)
                       : mul(pointValue(points, p, r, loc), constant(loc, c)));
    return index.uniform ? add(v, index32(index.uniform)) : v;
  };
  // Unsigned: a negative index is out of range as well.
  auto below = [&](Value v, Value end) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, v, end);
  };
  // What is added to the offset: nothing, `early` bytes less at the row's end,
  // beyond every resource where the lane is beyond.
  auto earlier = [&](Value inside, Value whole, int64_t early) -> Value {
    Value v = arith::SelectOp::create(b, loc, whole, constant(loc, 0),
                                      constant(loc, -early));
    return arith::SelectOp::create(b, loc, inside, v, constant(loc, kOutside));
  };

  // Of replicas only the first thread stores.
  Value owner = store ? isOwner(points) : Value();
  // Adds an instruction. `whole`: where the row's end may fall into the group,
  // whether it does not; `inside`: instead of the check of its index.
  auto addGroup = [&](ArrayRef<int64_t> registers, Value inside, Value whole) {
    AccessGroup group;
    group.registers.assign(registers.begin(), registers.end());
    int64_t r = registers.front();
    Value valid = owner;
    // Points beyond the loop's extents, where this group has any.
    for (unsigned p = 0; p < pointRank; ++p)
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
    // Indices that neither a proof nor the resource keeps in bounds.
    for (unsigned d = 0; d < rank; ++d) {
      const tile::PointIndex &index = access.indices[d];
      if (int(d) == row || !(upper[d] || lower[d]) ||
          (index.isUniform() && !byLane) || (int(d) == ending && inside))
        continue;
      valid = andAlso(loc, valid, below(indexOf(d, r), sizeOf(d)));
    }
    // The instruction's immediate has 12 bits; what is beyond goes to soffset,
    // if that is free of the check, or to the lane's offset.
    int64_t fixed = fixedOf(r) - least;
    Value varying;
    for (unsigned p = 0; p < pointRank; ++p)
      for (unsigned d = 0; d < rank; ++d) {
        int64_t c = access.indices[d].coeffs[p];
        int64_t part = points.registerPart[p][r];
        if (c < 0)
          part = maxRegister[p] - part;
        if (s.strides[d] == kDynamic && c && part)
          varying =
              add(varying, mul(strideValue32[d],
                               constant(loc, part * std::abs(c) * bytes)));
      }
    Value voffset = threadOffset;
    if (varying)
      voffset = add(voffset, varying);
    int64_t immediate = fixed >= 0 ? fixed & 4095 : 0;
    int64_t rest = fixed - immediate;
    if (rest && fits32 && (!valid || rest < 0)) {
      group.soffset =
          soffset ? add(soffset, constant(loc, rest)) : constant(loc, rest);
    } else {
      if (rest)
        voffset = add(voffset, constant(loc, rest));
      group.soffset = soffset;
    }
    // Of lanes at the row's end, a store moves a part, and a load begins early.
    if (whole)
      voffset = add(voffset, earlier(inside, whole, earlyOf(registers)));
    else
      valid = inside ? andAlso(loc, valid, inside) : valid;
    // An invalid lane gets an offset that the hardware's range check refuses.
    if (valid)
      voffset = arith::SelectOp::create(b, loc, valid, voffset,
                                        constant(loc, kOutside));
    group.address = voffset;
    group.offset = immediate;
    // What a wavefront touches, for the warning about uncoalesced accesses.
    llvm::DenseSet<int64_t> segments;
    int64_t lanes = 0, width = registers.size() * bytes;
    for (int64_t t = 0; t < std::min<int64_t>(points.threads, 64); ++t) {
      int64_t at = offset(t, r);
      if (at >= kNoPoint / 2)
        continue; // a point that does not exist
      ++lanes;
      for (int64_t b = at; b < at + width; b += 64)
        segments.insert(b >> 6);
      segments.insert((at + width - 1) >> 6);
    }
    plan.segments += segments.size();
    plan.filled += (lanes * width + 63) / 64;
    // Reads of invalid lanes give 0 by themselves; a pad value needs to know.
    group.valid = valid;
    group.whole = whole;
    group.early = whole ? earlyOf(registers) : 0;
    plan.groups.push_back(std::move(group));
  };
  for (const auto &group : groups) {
    int64_t rest = ending < 0 ? 0 : restOf(group), count = group.size();
    if (!rest) {
      addGroup(group, Value(), Value());
      continue;
    }
    Value v = indexOf(ending, group.front());
    Value inside = below(v, sizeOf(ending));
    Value whole = below(v, constant(loc, s.sizes[ending] - count + 1));
    if (!store) {
      addGroup(group, inside, whole);
      continue;
    }
    addGroup(group, whole, Value());
    // The row's last elements, in powers of two.
    Value cut = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, v,
                                      constant(loc, s.sizes[ending] - rest));
    for (int64_t at = 0; at < rest;) {
      int64_t part = llvm::bit_floor(uint64_t(rest - at));
      addGroup(ArrayRef<int64_t>(group).slice(at, part), cut, Value());
      at += part;
    }
  }
  return plan;
}
