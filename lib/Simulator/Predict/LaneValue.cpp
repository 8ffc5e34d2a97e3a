//===- LaneValue.cpp - What a register holds, unexecuted ------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With u and w for the common parts:
//
//   (x + u) + (y + w)   lanes x + y, common part a multiple of the lesser unit
//   (x + u) * c         lanes x * c, unit times the twos in c
//   (x + u) & c         the low bits, where u has none, lane by lane; above
//                       them the same everywhere if x and c are
//
// Where an unknown part would get into the lanes, nothing is known. That loses
// precision, never correctness.
//
//===----------------------------------------------------------------------===//

#include "LaneValue.h"

#include <algorithm>
#include <bit>

using namespace tlc::sim;
using namespace tlc::sim::predict;

namespace {

std::shared_ptr<LaneValue> make(const LaneValue &a, const LaneValue &b) {
  auto result = std::make_shared<LaneValue>();
  result->valid = a.valid & b.valid;
  result->cause = ~a.valid ? a.cause : b.cause;
  return result;
}

/// Trailing zeros, 32 for zero.
unsigned zerosOf(uint32_t v) { return std::countr_zero(v); }

/// Common, and of every lane, as a multiple of a power of two.
unsigned alignment(const LaneValue &v) {
  unsigned bits = v.bits;
  for (unsigned l = 0; l < waveLanes; ++l)
    if (v.valid >> l & 1)
      bits = std::min(bits, zerosOf(v.at[l]));
  return bits;
}

uint32_t lowMask(unsigned bits) { return bits >= 32 ? ~0u : (1u << bits) - 1; }

uint32_t apply(Bitwise op, uint32_t a, uint32_t b) {
  return op == Bitwise::And ? a & b : op == Bitwise::Or ? a | b : a ^ b;
}

/// Whether both are the same everywhere, so that whatever is made of them is.
bool bothUniform(const LaneValue &a, const LaneValue &b) {
  return a.isUniform() && b.isUniform();
}

/// Some number, the same in the lanes where both are known.
ValueRef commonOf(const LaneValue &a, const LaneValue &b, unsigned bits) {
  auto result = make(a, b);
  result->bits = uint8_t(std::min(bits, 31u));
  return result;
}

} // namespace

bool LaneValue::isUniform() const { return isUniformAbove(0); }

bool LaneValue::isUniformAbove(unsigned from) const {
  if (from >= 32)
    return true;
  uint32_t value = first() >> from;
  for (unsigned l = 0; l < waveLanes; ++l)
    if (valid >> l & 1 && at[l] >> from != value)
      return false;
  return true;
}

uint32_t LaneValue::first() const {
  return valid ? at[std::countr_zero(valid)] : 0;
}

ValueRef predict::exactly(uint32_t value) {
  auto result = std::make_shared<LaneValue>();
  result->valid = ~uint64_t(0);
  std::fill(std::begin(result->at), std::end(result->at), value);
  return result;
}

ValueRef predict::common(unsigned bits) {
  auto result = std::make_shared<LaneValue>();
  result->valid = ~uint64_t(0);
  result->bits = uint8_t(std::min(bits, 31u));
  return result;
}

ValueRef predict::everywhere(const LaneValue &v, unsigned lane) {
  auto result = std::make_shared<LaneValue>(*exactly(v.at[lane]));
  result->bits = v.bits;
  return result;
}

ValueRef predict::unknown(uint64_t cause) {
  auto result = std::make_shared<LaneValue>();
  result->cause = cause;
  return result;
}

bool predict::same(const ValueRef &a, const ValueRef &b) {
  if (a == b)
    return true;
  if (!a || !b || a->valid != b->valid)
    return false;
  if (!a->valid)
    return true;
  if (a->bits != b->bits)
    return false;
  for (unsigned l = 0; l < waveLanes; ++l)
    if (a->valid >> l & 1 && a->at[l] != b->at[l])
      return false;
  return true;
}

ValueRef predict::join(const ValueRef &a, const ValueRef &b, uint64_t cause) {
  // What nothing has written may hold anything, this too.
  if (!a || !b)
    return a ? a : b;
  if (a == b || !a->valid)
    return a;
  uint64_t both = a->valid & b->valid;
  auto result = make(*a, *b);
  if (!both)
    return result;
  // All lanes moved by the same distance, or not at all.
  unsigned first = std::countr_zero(both);
  uint32_t distance = b->at[first] - a->at[first];
  uint64_t alike = 0, equal = 0;
  for (unsigned l = 0; l < waveLanes; ++l) {
    alike |= uint64_t(b->at[l] - a->at[l] == distance) << l;
    equal |= uint64_t(b->at[l] == a->at[l]) << l;
  }
  std::copy(std::begin(a->at), std::end(a->at), std::begin(result->at));
  result->bits = std::min(a->bits, b->bits);
  if (!(both & ~alike)) {
    result->bits = uint8_t(std::min<unsigned>(result->bits, zerosOf(distance)));
  } else {
    result->cause = cause;
    result->valid = result->isExact() ? both & equal : 0;
  }
  return same(result, a) ? a : result;
}

ValueRef predict::blend(const ValueRef &a, const ValueRef &b, uint64_t lanes) {
  if (!a || lanes == ~uint64_t(0))
    return a;
  auto result = std::make_shared<LaneValue>(*a);
  result->valid &= lanes;
  if (!b || !lanes)
    return lanes ? result : b;
  if (~a->valid & lanes) {
    result->cause = a->cause;
  } else {
    result->cause = b->cause;
  }
  // Two common parts do not go into one value.
  if (!a->isExact() || !b->isExact())
    return result;
  result->valid |= b->valid & ~lanes;
  for (unsigned l = 0; l < waveLanes; ++l)
    if (!(lanes >> l & 1))
      result->at[l] = b->at[l];
  return result;
}

ValueRef predict::restrictTo(const ValueRef &a, uint64_t lanes,
                             uint64_t cause) {
  if (!a || !(a->valid & ~lanes))
    return a;
  auto result = std::make_shared<LaneValue>(*a);
  result->valid &= lanes;
  result->cause = cause;
  return result;
}

ValueRef predict::add(const ValueRef &a, const ValueRef &b) {
  auto result = make(*a, *b);
  result->bits = std::min(a->bits, b->bits);
  for (unsigned l = 0; l < waveLanes; ++l)
    result->at[l] = a->at[l] + b->at[l];
  return result;
}

ValueRef predict::negate(const ValueRef &a) {
  auto result = std::make_shared<LaneValue>(*a);
  for (uint32_t &x : result->at)
    x = -x;
  return result;
}

ValueRef predict::multiply(const ValueRef &a, const ValueRef &b,
                           uint64_t cause) {
  // An unknown part may only be multiplied by one known number.
  const LaneValue &x = a->isExact() ? *b : *a, &c = a->isExact() ? *a : *b;
  if (x.isExact() || (c.isExact() && c.isUniform())) {
    auto result = make(x, c);
    for (unsigned l = 0; l < waveLanes; ++l)
      result->at[l] = x.at[l] * c.at[l];
    if (!x.isExact())
      result->bits =
          uint8_t(std::min<unsigned>(32, x.bits + zerosOf(c.first())));
    return result;
  }
  if (bothUniform(x, c))
    return commonOf(x, c, alignment(x) + alignment(c));
  return unknown(cause);
}

ValueRef predict::shiftLeft(const ValueRef &a, const ValueRef &by,
                            uint64_t cause) {
  if (by->isExact()) {
    auto factor = std::make_shared<LaneValue>(*by);
    for (uint32_t &x : factor->at)
      x = 1u << (x & 31);
    return multiply(a, factor, cause);
  }
  return bothUniform(*a, *by) ? commonOf(*a, *by, alignment(*a))
                              : unknown(cause);
}

ValueRef predict::shiftRight(const ValueRef &a, const ValueRef &by,
                             bool isSigned, uint64_t cause) {
  unsigned shift = by->first() & 31;
  bool known = by->isExact() && by->isUniform();
  // Where all unknown bits stay above what is cut off, lanes are shifted alone.
  if (a->isExact() ? by->isExact() : known && a->bits >= shift) {
    auto result = make(*a, *by);
    auto shifted = [&](uint32_t x, unsigned s, bool arithmetic) {
      return arithmetic ? uint32_t(int32_t(x) >> s) : x >> s;
    };
    if (!a->isExact()) {
      // With a common part a lane's number may be below zero though the sum is
      // not: distances from one lane are shifted, not the numbers.
      uint32_t base = a->first() & ~lowMask(shift);
      for (unsigned l = 0; l < waveLanes; ++l)
        result->at[l] = shifted(a->at[l] - base, shift, true) +
                        shifted(base, shift, isSigned);
      result->bits = uint8_t(a->bits - shift);
      return result;
    }
    for (unsigned l = 0; l < waveLanes; ++l)
      result->at[l] = shifted(a->at[l], by->at[l] & 31, isSigned);
    return result;
  }
  if (bothUniform(*a, *by))
    return commonOf(*a, *by, 0);
  // The unknown part decides alone where the lanes differ only in bits that
  // it lacks and the shift removes.
  if (known && a->isUniformAbove(a->bits) && a->bits <= shift)
    return commonOf(*a, *by, 0);
  return unknown(cause);
}

ValueRef predict::bitwise(Bitwise op, const ValueRef &a, const ValueRef &b,
                          uint64_t cause) {
  unsigned bits = std::min(a->bits, b->bits);
  auto result = make(*a, *b);
  if (bits >= 32) {
    for (unsigned l = 0; l < waveLanes; ++l)
      result->at[l] = apply(op, a->at[l], b->at[l]);
    return result;
  }
  // A constant within the bits that are known: what is above stays, or goes.
  const LaneValue &x = a->isExact() ? *b : *a, &c = a->isExact() ? *a : *b;
  uint32_t low = lowMask(bits), most = 0;
  for (unsigned l = 0; l < waveLanes; ++l)
    if (c.valid >> l & 1)
      most = std::max(most, c.at[l]);
  if (c.isExact() && most <= low) {
    for (unsigned l = 0; l < waveLanes; ++l)
      result->at[l] =
          op == Bitwise::And
              ? x.at[l] & c.at[l]
              : (x.at[l] & ~low) + apply(op, x.at[l] & low, c.at[l]);
    result->bits = op == Bitwise::And ? LaneValue::exactBits : uint8_t(bits);
    return result;
  }
  // Or one that clears some of them and nothing above.
  if (op == Bitwise::And && c.isExact() && c.isUniform() &&
      (c.first() | low) == ~0u) {
    for (unsigned l = 0; l < waveLanes; ++l)
      result->at[l] = x.at[l] & c.at[l];
    result->bits = uint8_t(bits);
    return result;
  }
  // Above the known bits the same everywhere.
  if (a->isUniformAbove(bits) && b->isUniformAbove(bits)) {
    for (unsigned l = 0; l < waveLanes; ++l)
      result->at[l] = apply(op, a->at[l], b->at[l]) & low;
    result->bits = uint8_t(bits);
    return result;
  }
  return unknown(cause);
}
