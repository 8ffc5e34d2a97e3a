//===- HostLevelTests.cpp - The same bits on every host -------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The handlers are compiled once for each level of the host's instruction set.
// Every vector operation runs on random operands, specials among them, in each
// rounding mode and with denormals on and off, by the handlers of every level
// that this host has; all must give the same bits.
//
//===----------------------------------------------------------------------===//

#include "Lanes/Handlers.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#if defined(__x86_64__)

namespace tlc::sim {
namespace v2 {
const HandlerTable &table();
}
namespace v3 {
const HandlerTable &table();
}
namespace v4 {
const HandlerTable &table();
}
} // namespace tlc::sim

using namespace tlc::sim;

namespace {

struct Level {
  const char *name;
  const HandlerTable *table;
};

std::vector<Level> levels() {
  std::vector<Level> list;
#ifdef TLC_SIM_HAS_v2
  list.push_back({"v2", &v2::table()});
#endif
#ifdef TLC_SIM_HAS_v3
  if (__builtin_cpu_supports("x86-64-v3"))
    list.push_back({"v3", &v3::table()});
#endif
#ifdef TLC_SIM_HAS_v4
  if (__builtin_cpu_supports("x86-64-v4"))
    list.push_back({"v4", &v4::table()});
#endif
  return list;
}

constexpr unsigned registers = 256, operandDwords = 32;

/// A wavefront with its registers.
struct Machine {
  std::vector<uint32_t> vgpr = std::vector<uint32_t>(registers * waveLanes);
  uint32_t sgpr[128];
  bool operator==(const Machine &other) const {
    return vgpr == other.vgpr &&
           std::memcmp(sgpr, other.sgpr, sizeof(sgpr)) == 0;
  }
};

/// Bits that make all formats meet their specials often.
uint32_t randomWord(std::mt19937 &random) {
  static constexpr uint32_t specials[] = {
      0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
      0x00000001, 0x807fffff, 0x7f7fffff, 0x3f800000, 0x7c007c00, 0xfc00fc00,
      0x7e007c01, 0x00010001, 0x83ff83ff, 0x7bff7bff, 0x3c003c00, 0x80008000,
      0x7ff00000, 0xfff80000, 0x000fffff, 0x41200000, 0x0080ff7f, 0x4b800001};
  uint32_t word = random();
  switch (word & 7) {
  case 0:
    return specials[random() % std::size(specials)];
  case 1: // f32 of moderate size
    return (random() & 0x807fffff) | (118 + random() % 20) << 23;
  case 2: // two f16 of moderate size
    return (random() & 0x83ff83ff) | (10 + random() % 10) << 10 |
           (10 + random() % 10) << 26;
  case 3: // half-way between two f16
    return (random() & 0x807fe000) | (112 + random() % 32) << 23 | 0x1000;
  default:
    return random();
  }
}

Source vectorSource(unsigned reg, unsigned dwords, DataType type) {
  Source source;
  source.kind = OperandKind::Vector;
  source.index = reg * waveLanes;
  source.dwords = uint8_t(dwords ? dwords : 1);
  source.type = type;
  return source;
}

/// The operation with its operands in registers 0, 32, 64 and its result in 96.
struct Prepared {
  Instruction inst;
  Op op;
  explicit Prepared(Opcode code) {
    const OpcodeInfo &info = opcodeInfo(code);
    inst.op = code;
    inst.encoding = info.encoding;
    inst.flags = info.flags;
    inst.opSelHi = 7;
    op.inst = &inst;
    for (unsigned i = 0; i < 3; ++i) {
      if (info.src[i].file == RegisterFile::None)
        continue;
      op.src[i] =
          vectorSource(i * operandDwords, info.src[i].dwords, info.src[i].type);
      if (info.src[i].type == DataType::B64 && i == 2) { // a mask of lanes
        op.src[i].kind = OperandKind::Scalar;
        op.src[i].index = ScalarReg::VccLo;
      }
      inst.src[i].type = info.src[i].type;
      inst.src[i].dwords = info.src[i].dwords;
    }
    inst.dst.type = info.dst.type;
    op.dstDwords = info.dst.dwords;
    bool toScalar = info.dst.file == RegisterFile::Scalar;
    op.dstKind = toScalar ? OperandKind::Scalar : OperandKind::Vector;
    op.dst = toScalar ? 20 : 3 * operandDwords * waveLanes;
    op.sdst = 22;
  }
};

Machine runWith(const HandlerTable &table, const Machine &start, Opcode code,
                uint32_t mode) {
  Prepared prepared(code);
  const Handler &handler = table.rows[size_t(code)];
  Op ops[2];
  ops[0] = prepared.op;
  ops[0].lanes = handler.lanes;
  ops[0].mode = handler.mode;
  ops[0].run = handler.lanes ? table.plain : handler.run;
  Machine after = start;
  auto wave = std::make_unique<Wave>();
  Workgroup group;
  wave->group = &group;
  wave->vgpr = after.vgpr.data();
  wave->vgprCount = registers;
  wave->mode = mode;
  std::memcpy(wave->sgpr, start.sgpr, sizeof(start.sgpr));
  wave->pc = ops;
  table.step(*wave);
  std::memcpy(after.sgpr, wave->sgpr, sizeof(after.sgpr));
  return after;
}

class HostLevels : public ::testing::TestWithParam<uint32_t> {};

TEST_P(HostLevels, GiveTheSameBits) {
  std::vector<Level> all = levels();
  if (all.size() < 2)
    GTEST_SKIP() << "this host has one level only";
  std::mt19937 random(GetParam() + 1);
  // Rounding of f32 and of f16 and f64, then denormals of both.
  uint32_t mode = GetParam() | 1u << 8 | 1u << 9;
  for (size_t i = 1; i < size_t(Opcode::Count); ++i) {
    Opcode code = Opcode(i);
    const OpcodeInfo &info = opcodeInfo(code);
    const Handler &handler = all[0].table->rows[i];
    bool matrix = info.flags & flag::Mfma;
    if (!handler.lanes && !(matrix && handler.run))
      continue;
    Machine start;
    for (uint32_t &word : start.vgpr)
      word = randomWord(random);
    for (uint32_t &word : start.sgpr)
      word = random();
    if (GetParam() == 0xf0)
      start.sgpr[ScalarReg::ExecLo] = start.sgpr[ScalarReg::ExecHi] = ~0u;
    Machine first = runWith(*all[0].table, start, code, mode);
    for (size_t l = 1; l < all.size(); ++l) {
      Machine other = runWith(*all[l].table, start, code, mode);
      if (first == other)
        continue;
      std::string where;
      for (size_t w = 0; w < first.vgpr.size() && where.empty(); ++w)
        if (first.vgpr[w] != other.vgpr[w]) {
          std::ostringstream text;
          size_t lane = w % waveLanes;
          text << "register " << w / waveLanes << " lane " << lane << std::hex
               << ": " << first.vgpr[w] << " and " << other.vgpr[w] << " of";
          for (unsigned r : {0u, 1u, 32u, 33u, 64u, 65u, 96u, 97u})
            text << ' ' << start.vgpr[r * waveLanes + lane];
          where = text.str();
        }
      ADD_FAILURE() << mnemonic(code) << ", " << all[0].name << " and "
                    << all[l].name << ": " << where;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Modes, HostLevels,
    // Default; rounding up, down, to zero; denormals flushed; both differ.
    ::testing::Values(0xf0u, 0xf5u, 0xfau, 0xffu, 0x00u, 0xc0u, 0x3cu));

} // namespace

#endif
