//===- LaneValueTests.cpp - Values of lanes without execution -------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value stands for many: one for each common part. Operations are tried on
// values drawn at random; whatever the operands' common parts are, the number
// that a lane gets must be one that the result stands for.
//
//===----------------------------------------------------------------------===//

#include "../../../../lib/Simulator/Predict/LaneValue.h"

#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <random>

using namespace tlc::sim;
using namespace tlc::sim::predict;

namespace {

using Numbers = std::array<uint32_t, waveLanes>;

class Draw {
public:
  explicit Draw(unsigned seed) : engine(seed) {}
  uint32_t below(uint32_t n) { return uint32_t(engine() % n); }

  uint64_t mask() {
    switch (below(4)) {
    case 0:
      return ~uint64_t(0);
    case 1:
      return ~uint64_t(0) << below(64);
    default:
      return uint64_t(engine()) << 32 | engine();
    }
  }

  /// Lanes below `most`: a constant, the lane's number times something, or
  /// anything; exact, or with a common part.
  ValueRef value(uint32_t most) {
    auto v = std::make_shared<LaneValue>();
    v->valid = below(2) ? ~uint64_t(0) : mask();
    v->bits = below(2) ? LaneValue::exactBits : uint8_t(below(16));
    unsigned kind = below(3);
    uint32_t base = below(most), step = below(1 + most / waveLanes);
    for (unsigned l = 0; l < waveLanes; ++l)
      v->at[l] = kind == 0   ? base
                 : kind == 1 ? base % (1 + most / 2) / 2 + l * step % most
                             : below(most);
    return v;
  }

  /// One of the values that `v` stands for; sums stay within 28 bits.
  Numbers instance(const LaneValue &v) {
    uint32_t part = v.isExact() ? 0 : below(1u << 12) << v.bits;
    Numbers lanes;
    for (unsigned l = 0; l < waveLanes; ++l)
      lanes[l] = v.at[l] + part;
    return lanes;
  }

private:
  std::mt19937 engine;
};

/// Whether `lanes` is one of what `v` stands for.
bool standsFor(const LaneValue &v, const Numbers &lanes) {
  if (!v.valid)
    return true;
  unsigned first = std::countr_zero(v.valid);
  uint32_t part = lanes[first] - v.at[first];
  if (v.isExact() ? part != 0 : part & ((1u << v.bits) - 1))
    return false;
  for (unsigned l = 0; l < waveLanes; ++l)
    if (v.valid >> l & 1 && lanes[l] - v.at[l] != part)
      return false;
  return true;
}

using OnValues = std::function<ValueRef(const ValueRef &, const ValueRef &)>;
using OnNumbers = std::function<uint32_t(uint32_t, uint32_t)>;

/// How many of the results are known at all.
unsigned tryOut(const OnValues &onValues, const OnNumbers &onNumbers,
                uint32_t mostA, uint32_t mostB) {
  Draw draw(1);
  unsigned known = 0;
  for (unsigned i = 0; i < 20000; ++i) {
    ValueRef a = draw.value(mostA), b = draw.value(mostB);
    ValueRef result = onValues(a, b);
    known += result->valid != 0;
    Numbers x = draw.instance(*a), y = draw.instance(*b), z;
    for (unsigned l = 0; l < waveLanes; ++l)
      z[l] = onNumbers(x[l], y[l]);
    EXPECT_TRUE(standsFor(*result, z)) << "draw " << i;
    if (::testing::Test::HasFailure())
      return 0;
  }
  return known;
}

ValueRef lanesTimes(uint32_t factor, uint32_t offset = 0) {
  auto v = std::make_shared<LaneValue>();
  v->valid = ~uint64_t(0);
  for (unsigned l = 0; l < waveLanes; ++l)
    v->at[l] = l * factor + offset;
  return v;
}

} // namespace

TEST(LaneValue, Sums) {
  EXPECT_GT(
      tryOut(
          add, [](uint32_t a, uint32_t b) { return a + b; }, 1 << 20, 1 << 20),
      15000u);
  EXPECT_GT(tryOut([](const ValueRef &a,
                      const ValueRef &b) { return add(a, negate(b)); },
                   [](uint32_t a, uint32_t b) { return a - b; }, 1 << 20,
                   1 << 20),
            15000u);
}

TEST(LaneValue, Products) {
  EXPECT_GT(tryOut([](const ValueRef &a,
                      const ValueRef &b) { return multiply(a, b, 4); },
                   [](uint32_t a, uint32_t b) { return a * b; }, 1 << 12, 200),
            5000u);
}

TEST(LaneValue, Shifts) {
  EXPECT_GT(tryOut([](const ValueRef &a,
                      const ValueRef &b) { return shiftLeft(a, b, 4); },
                   [](uint32_t a, uint32_t b) { return a << (b & 31); },
                   1 << 12, 20),
            5000u);
  for (bool isSigned : {false, true})
    EXPECT_GT(
        tryOut([=](const ValueRef &a,
                   const ValueRef &b) { return shiftRight(a, b, isSigned, 4); },
               [=](uint32_t a, uint32_t b) {
                 return isSigned ? uint32_t(int32_t(a) >> (b & 31))
                                 : a >> (b & 31);
               },
               1 << 16, 12),
        5000u);
}

TEST(LaneValue, Logic) {
  for (Bitwise op : {Bitwise::And, Bitwise::Or, Bitwise::Xor})
    for (uint32_t most : {1u << 4, 1u << 16})
      EXPECT_GT(tryOut([=](const ValueRef &a,
                           const ValueRef &b) { return bitwise(op, a, b, 4); },
                       [=](uint32_t a, uint32_t b) {
                         return op == Bitwise::And  ? a & b
                                : op == Bitwise::Or ? a | b
                                                    : a ^ b;
                       },
                       1 << 16, most),
                1000u);
}

// A mask that clears low bits leaves those above as they are.
TEST(LaneValue, AlignsDown) {
  for (unsigned bits : {2u, 6u})
    EXPECT_GT(tryOut(
                  [=](const ValueRef &a, const ValueRef &) {
                    return bitwise(Bitwise::And, a, exactly(~0u << bits), 4);
                  },
                  [=](uint32_t a, uint32_t) { return a & ~0u << bits; },
                  1 << 16, 2),
              5000u);
}

// What holds for both ways is a value of either.
TEST(LaneValue, JoinsStandForBoth) {
  Draw draw(2);
  for (unsigned i = 0; i < 20000; ++i) {
    ValueRef a = draw.value(1 << 16);
    ValueRef b = draw.below(2) ? draw.value(1 << 16)
                               : add(a, exactly(draw.below(64) * 16));
    ValueRef both = join(a, b, 4);
    ASSERT_TRUE(standsFor(*both, draw.instance(*a)));
    ASSERT_TRUE(standsFor(*both, draw.instance(*b)));
  }
  ValueRef moved = join(lanesTimes(4), lanesTimes(4, 96), 4);
  EXPECT_EQ(moved->bits, 5);
  EXPECT_TRUE(same(join(exactly(7), exactly(7), 4), exactly(7)));
}

TEST(LaneValue, BlendsByLanes) {
  Draw draw(3);
  for (unsigned i = 0; i < 20000; ++i) {
    ValueRef a = draw.value(1 << 16), b = draw.value(1 << 16);
    uint64_t lanes = draw.mask();
    Numbers x = draw.instance(*a), y = draw.instance(*b), z;
    for (unsigned l = 0; l < waveLanes; ++l)
      z[l] = lanes >> l & 1 ? x[l] : y[l];
    ASSERT_TRUE(standsFor(*blend(a, b, lanes), z));
  }
}

TEST(LaneValue, AddressesKeepTheirDistances) {
  // lane * 4 + workgroup * 1024, and its half.
  ValueRef address = add(lanesTimes(4), common(10));
  EXPECT_EQ(address->bits, 10);
  ValueRef half = shiftRight(address, exactly(1), false, 4);
  EXPECT_EQ(half->bits, 9);
  EXPECT_EQ(half->at[3] - half->at[0], 6u);
  // Numbers of lanes may be below zero, sums are not.
  ValueRef below = add(lanesTimes(4, uint32_t(-8)), common(10));
  for (bool isSigned : {false, true}) {
    ValueRef shifted = shiftRight(below, exactly(2), isSigned, 4);
    ASSERT_TRUE(shifted->valid);
    for (unsigned l = 1; l < waveLanes; ++l)
      EXPECT_EQ(shifted->at[l] - shifted->at[l - 1], 1u);
  }
}
