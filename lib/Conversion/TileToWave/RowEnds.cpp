//===- RowEnds.cpp - Wide accesses at the end of a row ----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How wide an access to a tensor is does not depend on its alignment: the
// driver sets up gfx942 for unaligned accesses (SH_MEM_CONFIG), and LLVM's
// subtarget says so (unaligned-access-mode). What it must not do is to reach
// beyond its row, where another row, another tensor or nothing lies.
//
// A row of 4090 elements of 16 bits, for instance, leaves 2 of 8 to the last
// access of 16 bytes. Where this rest is the same for all lanes and known,
//
//   * a load begins 12 bytes early and so ends with the row; what it brings of
//     the elements before is shifted out, and zeros in, as a select;
//   * a store of the whole is left out, and the rest is stored in parts of a
//     power of two.
//
// Lanes whose first element is beyond the row do neither.
//
//     offset = offset0 + (v < 4090 ? (v < 4083 ? 0 : -12) : outside)
//     words = buffer_load offset                        // vector<4xi32>
//     words = v < 4083 ? words : [words[3], 0, 0, 0]
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

using namespace mlir;
using namespace tlc;

int64_t tlc::remainderOf(const tile::PointIndex &index, const PointMap &points,
                         int64_t reg, int64_t count) {
  int64_t common = -1;
  for (int64_t t = 0; t < points.threads; ++t) {
    bool exists = true;
    for (unsigned d = 0; d < points.extents.size(); ++d)
      exists &= points.at(d, t, reg) < points.extents[d];
    if (!exists)
      continue;
    int64_t v = rawIndex(index, points, t, reg) % count;
    v = v < 0 ? v + count : v;
    if (common >= 0 && v != common)
      return -1;
    common = v;
  }
  return std::max<int64_t>(common, 0);
}

/// What a load brought: the elements of its registers, where it began early for
/// a lane moved to their places, with zeros behind.
Value KernelLowering::dropEarly(const AccessGroup &group, Value v,
                                Location loc) {
  auto type = mlir::cast<VectorType>(v.getType());
  int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
  auto cast = [&](Type to, Value x) -> Value {
    return x.getType() == to
               ? x
               : vector::BitCastOp::create(b, loc, to, x).getResult();
  };
  if (bits < 32) {
    Type narrow = b.getIntegerType(bits);
    Value all = vector::ExtractOp::create(
        b, loc, cast(VectorType::get(1, narrow), v), 0);
    Value by = arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(narrow, 8 * group.early));
    Value moved = arith::ShRUIOp::create(b, loc, all, by);
    all = arith::SelectOp::create(b, loc, group.whole, all, moved);
    return cast(type, vector::FromElementsOp::create(
                          b, loc, VectorType::get(1, narrow), all));
  }
  // Floats: to the schedule they are work, integers would be addresses.
  int64_t count = bits / 32, words = group.early / 4, rest = group.early % 4;
  Type word = b.getF32Type(), i32 = b.getI32Type();
  auto wordsType = VectorType::get(count, word);
  Value all = cast(wordsType, v), none = zero(word, loc);
  auto partOf = [&](int64_t k) -> Value {
    return k < count ? vector::ExtractOp::create(b, loc, all, k).getResult()
                     : none;
  };
  auto bitsOf = [&](int64_t k) -> Value {
    return k < count
               ? arith::BitcastOp::create(b, loc, i32, partOf(k)).getResult()
               : constant(loc, 0);
  };
  SmallVector<Value> chosen;
  for (int64_t i = 0; i < count; ++i) {
    int64_t from = i + words;
    Value moved = partOf(from);
    // Bytes 7654 of hi and 3210 of lo: four from the `rest`-th on.
    if (rest && from < count)
      moved = arith::BitcastOp::create(
          b, loc, word,
          wave::PermOp::create(
              b, loc, i32, bitsOf(from + 1), bitsOf(from),
              b.getI64IntegerAttr(0x03020100 + rest * 0x01010101)));
    chosen.push_back(
        arith::SelectOp::create(b, loc, group.whole, partOf(i), moved));
  }
  return cast(type, vector::FromElementsOp::create(b, loc, wordsType, chosen));
}
