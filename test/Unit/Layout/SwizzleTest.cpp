//===- SwizzleTest.cpp - XORs found, and known not to exist ---------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tlc/Layout/Swizzle.h"
#include "tlc/Layout/BankModel.h"
#include <functional>
#include <gtest/gtest.h>

using namespace tlc;

namespace {
/// Accesses of one wavefront, by the byte address of each lane.
struct Access {
  LdsDirection direction;
  unsigned bytes;
  std::function<uint32_t(uint32_t)> address;
};

LdsInstruction instruction(const Access &access, const Layout &swizzle) {
  LdsInstruction inst{access.direction, access.bytes, {}, ~uint64_t(0)};
  for (uint32_t lane = 0; lane < kWaveSize; ++lane) {
    uint32_t a = access.address(lane);
    inst.addresses[lane] = uint32_t(swizzle.at({a / 2}).memory * 2 + a % 2);
  }
  return inst;
}

Layout linear(llvm::ArrayRef<XorTerm> xors) {
  return Layout({Layout::Digits{{32768, Place::Memory, 1}}}, xors);
}

/// Solves for 2-byte elements, and checks the answer by the bank model.
std::optional<llvm::SmallVector<XorTerm, 2>>
solve(const std::vector<Access> &accesses, unsigned granule, unsigned bits) {
  SwizzleSolver solver(granule);
  for (const Access &access : accesses) {
    LdsInstruction inst = instruction(access, linear({}));
    solver.addAccess(inst.direction, inst.bytes, inst.addresses, inst.active);
  }
  auto xors = solver.solve(bits, 2);
  if (xors)
    for (const Access &access : accesses)
      EXPECT_EQ(priceAccess({instruction(access, linear(*xors))}).conflicts, 0);
  return xors;
}
} // namespace

/// Rows of 128 bytes read by the lanes of a matrix operand, and written in
/// order.
static std::vector<Access> operand(uint32_t rowBytes, uint32_t m) {
  return {{LdsDirection::Read, 16,
           [=](uint32_t l) { return l % m * rowBytes + l / m * 16; }},
          {LdsDirection::Write, 16, [](uint32_t l) { return l * 16; }}};
}

TEST(Swizzle, RowsOfOneLine) {
  auto xors = solve(operand(128, 32), 16, 3);
  ASSERT_TRUE(xors);
  // The simplest that serves: the unit ^= row mod 8.
  ASSERT_EQ(xors->size(), 1u);
  EXPECT_EQ((*xors)[0], (XorTerm{6, 7, 3}));
}

TEST(Swizzle, ReadsNoMoreBitsThanItMay) {
  EXPECT_FALSE(solve(operand(128, 32), 16, 2));
}

/// 72, 80 and 96 elements: rows that are no power of two long.
TEST(Swizzle, RowsOfAnyLength) {
  for (uint32_t rowBytes : {160u, 192u, 224u, 320u, 384u, 512u, 1152u})
    for (uint32_t m : {16u, 32u})
      EXPECT_TRUE(solve(operand(rowBytes, m), 16, 7)) << rowBytes << " " << m;
  // Nine units: rows 0 and 4 meet, whatever the XOR, where m is 16.
  EXPECT_TRUE(solve(operand(144, 32), 16, 7));
  EXPECT_FALSE(solve(operand(144, 16), 16, 7));
}

/// Writes of 8 bytes of 16 rows at the same place: 16-byte slots cannot part
/// them, 8-byte slots can.
TEST(Swizzle, GranuleDecides) {
  std::vector<Access> column = {
      {LdsDirection::Write, 8, [](uint32_t l) { return l * 128; }}};
  EXPECT_FALSE(solve(column, 16, 6));
  EXPECT_TRUE(solve(column, 8, 6));
}

TEST(Swizzle, NothingToDo) {
  SwizzleSolver solver(16);
  uint32_t addresses[kWaveSize];
  for (uint32_t l = 0; l < kWaveSize; ++l)
    addresses[l] = l * 16;
  solver.addAccess(LdsDirection::Write, 16, addresses, ~uint64_t(0));
  EXPECT_TRUE(solver.isFree());
  auto xors = solver.solve(3, 2);
  ASSERT_TRUE(xors);
  EXPECT_TRUE(xors->empty());
}
