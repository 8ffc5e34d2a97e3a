//===- BankModelTest.cpp - Bank conflicts against measured figures --------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tlc/Layout/BankModel.h"
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace tlc;

static unsigned conflicts(LdsDirection direction, unsigned bytes,
                          const std::function<uint32_t(uint32_t)> &address) {
  std::vector<uint32_t> lanes(kWaveSize);
  for (uint32_t lane = 0; lane < kWaveSize; ++lane)
    lanes[lane] = address(lane);
  return conflictCycles(direction, bytes, lanes);
}

/// Lanes a stride apart, as measured on the device: conflicts of 64 reads.
TEST(BankModel, StridedReads) {
  struct Row {
    unsigned bytes, stride, expected;
  } rows[] = {{4, 4, 0},     {4, 8, 128},    {4, 16, 384},   {4, 32, 896},
              {4, 64, 1920}, {4, 128, 3968}, {8, 8, 0},      {8, 16, 256},
              {8, 32, 768},  {8, 64, 1792},  {8, 128, 3840}, {16, 16, 0},
              {16, 32, 512}, {16, 64, 1536}, {16, 128, 3584}};
  for (const Row &row : rows)
    EXPECT_EQ(64 * conflicts(LdsDirection::Read, row.bytes,
                             [&](uint32_t l) { return l * row.stride; }),
              row.expected)
        << row.bytes << " bytes, stride " << row.stride;
}

/// MFMA operand reads of 128-byte rows, with and without the XOR of the row.
TEST(BankModel, MatrixOperandReads) {
  auto read = [](uint32_t m, bool swizzled) {
    return conflicts(LdsDirection::Read, 16, [=](uint32_t l) {
      uint32_t row = l % m, chunk = l / m;
      return row * 128 + 16 * (swizzled ? chunk ^ (row % 8) : chunk);
    });
  };
  EXPECT_EQ(read(16, false), 24u);
  EXPECT_EQ(read(32, false), 56u);
  EXPECT_EQ(read(16, true), 0u);
  EXPECT_EQ(read(32, true), 0u);
  EXPECT_EQ(conflicts(LdsDirection::Write, 16,
                      [](uint32_t l) {
                        uint32_t row = l / 8, chunk = l % 8;
                        return row * 128 + 16 * (chunk ^ (row % 8));
                      }),
            0u);
}

TEST(BankModel, HalfUnitsOfWideRows) {
  EXPECT_EQ(conflicts(LdsDirection::Read, 8,
                      [](uint32_t l) {
                        uint32_t row = l % 32;
                        return row * 256 + 8 * ((l / 32) ^ (row & 15));
                      }),
            0u);
}

TEST(BankModel, BroadcastAndIdleLanesAreFree) {
  EXPECT_EQ(conflicts(LdsDirection::Read, 4, [](uint32_t) { return 64u; }), 0u);
  EXPECT_EQ(
      conflicts(LdsDirection::Read, 4,
                [](uint32_t l) { return l < 2 ? l * 128 : kInactiveLane; }),
      1u);
}

/// Reads of one dword are shared, atomics of it take turns; lanes of different
/// dwords of a bank do so too, whichever they are.
TEST(BankModel, AtomicsOfOneAddressTakeTurns) {
  auto atomics = [](uint32_t distinct, uint32_t stride) {
    uint32_t addresses[kWaveSize];
    for (uint32_t l = 0; l < kWaveSize; ++l)
      addresses[l] = l % distinct * stride;
    return ldsCycles(LdsDirection::Atomic, 4, addresses);
  };
  struct Row {
    uint32_t distinct, stride;
    unsigned conflicts, ofAddresses; // of two phases of 32 lanes
  } const rows[] = {{64, 4, 0, 0},      {32, 4, 0, 0},    {4, 4, 14, 14},
                    {1, 4, 62, 62},     {4, 128, 62, 56}, {64, 128, 62, 0},
                    {2, 4, 2 * 15, 30}, {16, 8, 2, 2}};
  for (const Row &row : rows) {
    LdsCycles cycles = atomics(row.distinct, row.stride);
    EXPECT_EQ(cycles.base, 2u);
    EXPECT_EQ(cycles.conflicts, row.conflicts) << row.distinct;
    EXPECT_EQ(cycles.addressConflicts, row.ofAddresses) << row.distinct;
  }
}

/// Any addresses, beside the rule as it is written: of each phase, the most
/// different dwords that a bank has to give, or lanes that want an atomic
/// there.
TEST(BankModel, AnyAddresses) {
  std::mt19937 random(1);
  for (unsigned round = 0; round < 4000; ++round) {
    constexpr LdsDirection directions[] = {
        LdsDirection::Read, LdsDirection::Write, LdsDirection::Atomic};
    constexpr unsigned sizes[] = {1, 2, 4, 8, 12, 16};
    LdsDirection direction = directions[random() % 3];
    unsigned bytes = sizes[random() % 6];
    // From few dwords to all, some of them beyond the LDS.
    uint32_t range = 4u << random() % 17;
    uint64_t active =
        round % 3 ? ~uint64_t(0) : uint64_t(random()) << 32 | random();
    uint32_t addresses[kWaveSize];
    for (uint32_t &address : addresses)
      address = random() % range * (round % 5 ? 1 : 4);
    unsigned conflicts = 0, ofAddresses = 0;
    const LdsPhases &phases = ldsPhases(direction, bytes);
    for (unsigned p = 0; p < phases.count; ++p) {
      std::set<uint32_t> words[kLdsBanks];
      unsigned wanted[kLdsBanks] = {};
      for (unsigned l = 0; l < kWaveSize; ++l)
        for (unsigned i = 0; phases.lanes[p] & active & uint64_t(1) << l &&
                             i < std::max(1u, bytes / 4);
             ++i) {
          uint32_t word = addresses[l] / 4 + i;
          words[word % kLdsBanks].insert(word);
          ++wanted[word % kLdsBanks];
        }
      unsigned most = 1, turns = 1;
      for (unsigned bank = 0; bank < kLdsBanks; ++bank) {
        most = std::max<unsigned>(most, words[bank].size());
        if (direction == LdsDirection::Atomic)
          turns = std::max(turns, wanted[bank]);
      }
      turns = std::max(turns, most);
      conflicts += turns - 1;
      ofAddresses += turns - most;
    }
    LdsCycles cycles = ldsCycles(direction, bytes, addresses, active);
    ASSERT_EQ(cycles.base, phases.count);
    ASSERT_EQ(cycles.conflicts, conflicts) << round;
    ASSERT_EQ(cycles.addressConflicts, ofAddresses) << round;
  }
}

/// 64 x 64 halves, row-major with the XOR: 16 bytes at a time, no conflicts.
TEST(BankModel, PricesAWholeTile) {
  Layout held = Layout::coalesced({64, 64}, 256, 8);
  Layout plain = Layout::rowMajor({64, 64});
  Layout swizzled({Layout::Digits{{64, Place::Memory, 64}},
                   Layout::Digits{{64, Place::Memory, 1}}},
                  {XorTerm{6, 7, 3}});
  HeldElements elements = heldElements(held, {64, 64}, 256);
  for (const Layout &memory : {plain, swizzled}) {
    auto instructions = instructionsOf(
        elements, [&](int64_t e) { return memory.at({e / 64, e % 64}).memory; },
        2, 16, LdsDirection::Write);
    ASSERT_EQ(instructions.size(), 8u);
    EXPECT_EQ(instructions[0].bytes, 16u);
    AccessCost cost = priceAccess(instructions);
    EXPECT_EQ(cost.cycles, 64);
    EXPECT_EQ(cost.conflicts, 0);
  }
}

/// 17 rows on 32 lanes: stores leave the others out, loads repeat the last row.
TEST(BankModel, LanesBeyondTheEdge) {
  Layout held(
      {Layout::Digits{{32, Place::Thread, 1}},
       Layout::Digits{{8, Place::Register, 1}, {2, Place::Thread, 32}}});
  HeldElements elements = heldElements(held, {17, 16}, 64);
  auto instructions = instructionsOf(
      elements, [](int64_t e) { return e; }, 2, 16, LdsDirection::Write);
  ASSERT_EQ(instructions.size(), 1u);
  EXPECT_EQ(instructions[0].active, 0x0001ffff0001ffffu);
  EXPECT_EQ(instructions[0].addresses[31], instructions[0].addresses[16]);
}
