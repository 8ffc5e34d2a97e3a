//===- SweepTest.cpp - Decoder against LLVM on random words -----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random words of each encoding, every opcode value of it included: both
// decoders must accept the same ones and print the same text. Where tlc
// rejects on purpose what LLVM lets pass, the reason is a row of `strict`.
//
//===----------------------------------------------------------------------===//

#include "Witness.h"
#include "tlc/Simulator/Decode/Instruction.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>

using namespace tlc;

namespace {

/// Where LLVM's decoder is laxer than the hardware it knows of, told by its
/// own text: registers of other generations, scalar tuples that run past s101,
/// and special sources in the place of a register.
constexpr const char *foreign[] = {"null",
                                   "src_flat_scratch_base",
                                   "src_pops_exiting_wave_id",
                                   "src_lds_direct",
                                   "s[88:103]",
                                   "s[96:103]",
                                   "s[100:103]",
                                   "s_setpc_b64 src_",
                                   "s_rfe_b64 src_",
                                   "s_cbranch_join src_",
                                   "v_readfirstlane_b32 src_"};

/// A vector tuple that starts at an odd register or ends past 255.
bool hasBadTuple(const std::string &text) {
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    if ((text[i] != 'v' && text[i] != 'a') || text[i + 1] != '[')
      continue;
    unsigned first = 0, last = 0;
    if (std::sscanf(text.c_str() + i + 2, "%u:%u", &first, &last) == 2 &&
        (first % 2 || last > 255))
      return true;
  }
  return false;
}

bool isForeign(const std::string &text) {
  for (const char *part : foreign)
    if (text.find(part) != std::string::npos)
      return true;
  auto has = [&](const char *start, const char *part) {
    return text.rfind(start, 0) == 0 && text.find(part) != std::string::npos;
  };
  return has("s_movrels_b", ", src_") || has("v_readfirstlane", ", src_") ||
         has("v_swap_b32", "src_") || has("v_accvgpr_mov_b32", "src_") ||
         hasBadTuple(text);
}

unsigned field(uint64_t word, unsigned hi, unsigned lo) {
  return (word >> lo) & ((uint64_t(1) << (hi - lo + 1)) - 1);
}

/// Bits that LLVM ignores although they ask for what gfx942 has not: the
/// global data share, a 13th bit of an unsigned FLAT offset, EXEC as a base,
/// VGPRs and constants as lane masks, and scalars where lanes are read.
bool asksForMissing(uint64_t word) {
  constexpr unsigned VOP3 = 0x34, Cndmask = 0x100, Addc = 0x11c,
                     Subbrev = 0x11e, Readlane = 0x289;
  constexpr unsigned DS = 0x36, FLAT = 0x37, FirstGws = 0x98, LastGws = 0x9d;
  unsigned prefix = field(word, 31, 26), dsOp = field(word, 24, 17);
  if (prefix == VOP3) {
    unsigned op = field(word, 25, 16);
    bool hasMask = op == Cndmask || (op >= Addc && op <= Subbrev);
    return (hasMask && field(word, 58, 50) >= 128) ||
           (op == Readlane && field(word, 40, 32) < 256);
  }
  if (prefix == DS)
    return field(word, 16, 16) && (dsOp < FirstGws || dsOp > LastGws);
  if (prefix != FLAT)
    return false;
  unsigned segment = field(word, 15, 14);
  return (segment == 0 && field(word, 12, 12)) ||
         (segment == 2 && field(word, 54, 48) == 0x7e);
}

/// Words on which LLVM's decoder runs into llvm_unreachable or misreads:
/// undefined SDWA selects, special registers in place of tuples longer than
/// two, constants as destinations, literals after 64-bit encodings, and
/// literals of v_fmamk and its kin that look like operand numbers, and, missing
/// in its tables, floating-point atomics that return to accumulators.
bool undefinedForLLVM(uint64_t word) {
  constexpr unsigned Sdwa = 0xf9, Literal = 255;
  constexpr unsigned MUBUF = 0x38, MTBUF = 0x3a, VOP3 = 0x34, MAI = 0x1a7;
  constexpr unsigned FLAT = 0x37, AddF32 = 0x4d, MaxF64 = 0x51;
  constexpr unsigned FirstMai = 0x3e, Mqsad = 0x1e7, Readlane = 0x289;
  auto isTuple = [](unsigned code) {
    return code >= 256 || code <= 101 || (code >= 128 && code <= 208) ||
           (code >= 240 && code <= 248);
  };
  unsigned src[] = {field(word, 40, 32), field(word, 49, 41),
                    field(word, 58, 50)};
  unsigned prefix = field(word, 31, 26), vop3Op = field(word, 25, 16);
  unsigned op7 = field(word, 24, 18);
  // v_nop with a second word: of four or eight bytes, as its fields happen to
  // be.
  constexpr unsigned Nop = 0x3f0000, Dpp = Sdwa + 1;
  if (field(word, 31, 9) == Nop &&
      (field(word, 8, 0) == Sdwa || field(word, 8, 0) == Dpp))
    return true;
  if (!field(word, 31, 31)) {
    unsigned op = field(word, 30, 25), literal = field(word, 63, 32);
    bool isMadk = op == 0x17 || op == 0x18 || op == 0x24 || op == 0x25;
    if (isMadk && literal >= 128 && literal <= 255)
      return true;
    return field(word, 8, 0) == Sdwa &&
           (field(word, 42, 40) == 7 || field(word, 44, 43) == 3 ||
            field(word, 50, 48) == 7 || field(word, 58, 56) == 7);
  }
  if (prefix == FLAT && op7 >= AddF32 && op7 <= MaxF64)
    return field(word, 55, 55) && field(word, 16, 16);
  if (prefix == MUBUF || prefix == MTBUF)
    return field(word, 52, 48) == 26 || field(word, 52, 48) == 31 ||
           field(word, 63, 56) == Literal;
  if (prefix == VOP3)
    for (unsigned code : src)
      if (code == Literal)
        return true;
  if (field(word, 31, 23) == MAI && field(word, 22, 16) >= FirstMai)
    return src[0] < 256 || src[1] < 256 || !isTuple(src[2]);
  if (prefix == VOP3 && vop3Op == Mqsad)
    return !isTuple(src[2]);
  return prefix == VOP3 && (vop3Op < 0x100 || vop3Op == Readlane) &&
         field(word, 7, 0) >= 128;
}

struct Family {
  const char *name;
  uint32_t prefix;
  unsigned prefixLow; // lowest bit of the prefix
  unsigned opHigh, opLow;
  unsigned src0 = 0; ///< fixed where it chooses SDWA or DPP
};

constexpr unsigned sdwa = 0xf9, dpp = 0xfa;
constexpr Family families[] = {{"SOP2", 0x2, 30, 29, 23},
                               {"SOPK", 0xb, 28, 27, 23},
                               {"SOP1", 0x17d, 23, 15, 8},
                               {"SOPC", 0x17e, 23, 22, 16},
                               {"SOPP", 0x17f, 23, 22, 16},
                               {"SMEM", 0x30, 26, 25, 18},
                               {"VOP2", 0x0, 31, 30, 25},
                               {"VOP1", 0x3f, 25, 16, 9},
                               {"VOPC", 0x3e, 25, 24, 17},
                               {"VOP3", 0x34, 26, 25, 16},
                               {"VOP3P", 0x1a7, 23, 22, 16},
                               {"DS", 0x36, 26, 24, 17},
                               {"FLAT", 0x37, 26, 24, 18},
                               {"MUBUF", 0x38, 26, 24, 18},
                               {"MTBUF", 0x3a, 26, 18, 15},
                               {"VOP1_SDWA", 0x3f, 25, 16, 9, sdwa},
                               {"VOP2_SDWA", 0x0, 31, 30, 25, sdwa},
                               {"VOPC_SDWA", 0x3e, 25, 24, 17, sdwa},
                               {"VOP1_DPP", 0x3f, 25, 16, 9, dpp},
                               {"VOP2_DPP", 0x0, 31, 30, 25, dpp}};

class Sweep : public testing::TestWithParam<Family> {};

TEST_P(Sweep, SameAsLLVM) {
  const Family &family = GetParam();
  test::Witness witness;
  const char *seed = std::getenv("TLC_TEST_SEED"); // for a wider search
  std::mt19937_64 random(seed ? std::strtoull(seed, nullptr, 10) : 42);
  unsigned ops = 1u << (family.opHigh - family.opLow + 1);
  unsigned differences = 0, accepted = 0;
  constexpr unsigned PerOpcode = 1000;
  for (unsigned op = 0; op < ops; ++op)
    for (unsigned i = 0; i < PerOpcode; ++i) {
      uint64_t word = random();
      if (i % 2) // few bits set, or a sparse pattern reaches legal encodings
        word &= random();
      if (i % 4 == 3)
        word &= random();
      word &= ~(uint64_t(ops - 1) << family.opLow);
      word |= uint64_t(op) << family.opLow;
      word &= ~uint64_t(0xffffffff) | ((1u << family.prefixLow) - 1u);
      word |= uint64_t(family.prefix) << family.prefixLow;
      if (family.src0)
        word = (word & ~uint64_t(0x1ff)) | family.src0;
      if (undefinedForLLVM(word))
        continue;
      uint8_t bytes[8];
      for (unsigned b = 0; b < 8; ++b)
        bytes[b] = uint8_t(word >> (8 * b));
      sim::Instruction inst;
      bool known = sim::decode(bytes, 0, inst);
      std::string actual = known ? sim::toString(inst) : "";
      uint64_t size = 0;
      std::string expected = witness.text(bytes, size);
      accepted += known;
      if (isForeign(expected) || asksForMissing(word))
        expected.clear();
      if (actual == expected && (!known || inst.sizeBytes == size))
        continue;
      ++differences;
      if (differences <= 20)
        ADD_FAILURE() << std::hex << word << "\n  LLVM: " << expected
                      << "\n  tlc:  " << actual;
    }
  EXPECT_EQ(differences, 0u);
  EXPECT_GT(accepted, ops * PerOpcode / 500); // the sweep is not all rejects
}

// What LLVM has no answer for must still be rejected.
TEST(Sweep, UndefinedSelects) {
  auto accepts = [](uint32_t low, uint32_t high) {
    uint8_t bytes[8];
    for (unsigned b = 0; b < 4; ++b) {
      bytes[b] = uint8_t(low >> (8 * b));
      bytes[4 + b] = uint8_t(high >> (8 * b));
    }
    sim::Instruction inst;
    return sim::decode(bytes, 0, inst);
  };
  EXPECT_TRUE(accepts(0x020202f9, 0x06060601));  // v_add_f32_sdwa
  EXPECT_FALSE(accepts(0x020202f9, 0x06060701)); // dst_sel 7
  EXPECT_FALSE(accepts(0x020202f9, 0x06061e01)); // dst_unused 3
  EXPECT_FALSE(accepts(0x020202f9, 0x06070601)); // src0_sel 7
  EXPECT_FALSE(accepts(0x020202f9, 0x07060601)); // src1_sel 7
  EXPECT_TRUE(accepts(0xd1cb0000, 0x00000201));  // v_fma_f32
  EXPECT_FALSE(accepts(0xd1cb0000, 0x000000ff)); // with a literal
  EXPECT_FALSE(accepts(0xe0501000, 0xff080000)); // buffer, literal soffset
  EXPECT_FALSE(accepts(0xd02000f8, 0));          // v_cmp to a constant
}

TEST(Sweep, TruncatedCode) {
  sim::Instruction inst;
  const uint8_t literalMissing[] = {0xff, 0x00, 0x80, 0xbe}; // s_mov_b32 s0, ..
  EXPECT_FALSE(sim::decode(literalMissing, 0, inst));
  EXPECT_EQ(inst.op, sim::Opcode::Invalid);
  EXPECT_FALSE(sim::decode(literalMissing, 2, inst));
  EXPECT_FALSE(sim::decode(literalMissing, 5, inst));
  EXPECT_FALSE(sim::decode({}, 0, inst));
}

INSTANTIATE_TEST_SUITE_P(Encodings, Sweep, testing::ValuesIn(families),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

} // namespace
