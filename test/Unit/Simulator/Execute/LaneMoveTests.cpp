//===- LaneMoveTests.cpp - DPP, SDWA, swizzles, lanes by number -----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every control of DPP with row and bank masks, with and without bound_ctrl,
// and with lanes switched off; every select of SDWA; the modes of ds_swizzle.
// Lane l holds 1000 + 7 * l, so that the host knows what others have.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

using namespace tlc::test;

namespace {

uint32_t held(int lane) { return 1000 + 7 * uint32_t(lane); }
const std::string fill =
    "  v_mul_u32_u24 v24, 7, v0\n  v_add_u32 v24, 0x3e8, v24\n";

struct Control {
  const char *name;
  int (*from)(int lane); ///< -1: nowhere
};
// Rows have 16 lanes, banks 4.
constexpr Control controls[] = {
    {"quad_perm:[2,0,3,1]",
     [](int l) { return (l & ~3) | (0x72 >> 2 * (l & 3) & 3); }},
    {"row_shl:3", [](int l) { return (l & 15) + 3 < 16 ? l + 3 : -1; }},
    {"row_shr:5", [](int l) { return (l & 15) - 5 >= 0 ? l - 5 : -1; }},
    {"row_ror:6", [](int l) { return (l & ~15) | ((l - 6) & 15); }},
    {"wave_shl:1", [](int l) { return l < 63 ? l + 1 : -1; }},
    {"wave_rol:1", [](int l) { return (l + 1) & 63; }},
    {"wave_shr:1", [](int l) { return l - 1; }},
    {"wave_ror:1", [](int l) { return (l - 1) & 63; }},
    {"row_mirror", [](int l) { return l ^ 15; }},
    {"row_half_mirror", [](int l) { return l ^ 7; }},
    {"row_bcast:15", [](int l) { return l < 16 ? -1 : (l & ~15) - 1; }},
    {"row_bcast:31", [](int l) { return l < 32 ? -1 : 31; }},
    {"row_newbcast:9", [](int l) { return (l & ~15) | 9; }},
};

TEST(LaneMoves, Dpp) {
  std::vector<InstructionCase> cases;
  for (const Control &control : controls)
    for (unsigned form = 0; form < 4; ++form) {
      // All lanes; masks; zeros for what comes from nowhere; lanes off.
      bool bound = form == 2, some = form == 3;
      unsigned rows = form == 1 ? 0xb : 0xf, banks = form == 1 ? 0x6 : 0xf;
      std::string code = fill;
      if (some)
        code += "  s_mov_b32 exec_lo, 0xfffeff7f\n";
      code += std::string("  v_mov_b32_dpp v8, v24 ") + control.name +
              " row_mask:" + std::to_string(rows) +
              " bank_mask:" + std::to_string(banks) +
              (bound ? " bound_ctrl:0" : "") + "\n  s_mov_b64 exec, -1";
      cases.push_back({code, [=](Values &v) {
                         int l = int(v.lane), from = control.from(l);
                         auto isOn = [&](int lane) {
                           return !some || (lane != 7 && lane != 16);
                         };
                         if (!isOn(l) || !(rows >> l / 16 & 1) ||
                             !(banks >> l / 4 % 4 & 1))
                           return;
                         if (from >= 0 && isOn(from))
                           v.r[0] = held(from);
                         else if (bound)
                           v.r[0] = 0;
                       }});
    }
  // As an operand, with a modifier.
  cases.push_back({fill + "  v_cvt_f32_u32 v24, v24\n  s_nop 1\n  "
                          "v_sub_f32_dpp v8, -v24, v24 row_shr:1 row_mask:0xf "
                          "bank_mask:0xf bound_ctrl:0\n  v_cvt_i32_f32 v8, v8",
                   [](Values &v) {
                     int l = int(v.lane);
                     v.r[0] = uint32_t(-int(l & 15 ? held(l - 1) : 0) -
                                       int(held(l)));
                   }});
  checkInstructions(cases);
}

uint32_t selected(uint32_t value, unsigned select, bool extend) {
  if (select == 6)
    return value;
  unsigned bits = select < 4 ? 8 : 16,
           shift = select < 4 ? 8 * select : 16 * (select - 4);
  uint32_t part = value >> shift & ((1u << bits) - 1);
  return extend && part >> (bits - 1) ? part | ~0u << bits : part;
}

TEST(LaneMoves, Sdwa) {
  const char *names[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                         "WORD_0", "WORD_1", "DWORD"};
  const char *unused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};
  std::vector<InstructionCase> cases;
  for (unsigned dst = 0; dst < 7; ++dst)
    for (unsigned rest = 0; rest < 3; ++rest) {
      unsigned a = (dst + rest + 1) % 7, b = (2 * dst + 3 * rest + 2) % 7;
      bool extendA = rest != 1, extendB = dst % 2;
      auto operand = [](const char *name, bool extend) {
        return extend ? std::string("sext(") + name + ")" : std::string(name);
      };
      std::string code = "  v_add_u32_sdwa v8, " + operand("v2", extendA) +
                         ", " + operand("v4", extendB) +
                         " dst_sel:" + names[dst] +
                         " dst_unused:" + unused[rest] +
                         " src0_sel:" + names[a] + " src1_sel:" + names[b];
      cases.push_back({code, [=](Values &v) {
                         uint32_t sum = selected(uint32_t(v.a), a, extendA) +
                                        selected(uint32_t(v.b), b, extendB);
                         if (dst == 6) {
                           v.r[0] = sum;
                           return;
                         }
                         unsigned bits = dst < 4 ? 8 : 16,
                                  shift = dst < 4 ? 8 * dst : 16 * (dst - 4);
                         uint32_t mask = (bits == 8 ? 255u : 65535u) << shift;
                         uint32_t result = sum << shift & mask;
                         // Zeros, copies of the sign above and zeros below, or
                         // what was there.
                         if (rest == 1 && sum >> (bits - 1) & 1)
                           result |=
                               shift + bits < 32 ? ~0u << (shift + bits) : 0;
                         if (rest == 2)
                           result |= v.r[0] & ~mask;
                         v.r[0] = result;
                       }});
    }
  checkInstructions(cases);
}

TEST(LaneMoves, SwizzlesAndNumbers) {
  std::vector<InstructionCase> cases;
  struct Swizzle {
    const char *pattern;
    int (*from)(int);
  };
  for (Swizzle swizzle :
       {Swizzle{"swizzle(QUAD_PERM,3,1,0,2)",
                [](int l) { return (l & ~3) | (0x87 >> 2 * (l & 3) & 3); }},
        Swizzle{"swizzle(BITMASK_PERM,\"01pi0\")",
                [](int l) { return (l & ~31) | ((l & 6) ^ 2) | 8; }},
        Swizzle{"swizzle(BROADCAST,8,5)", [](int l) { return (l & ~7) | 5; }},
        Swizzle{"swizzle(SWAP,4)", [](int l) { return l ^ 4; }},
        Swizzle{"swizzle(REVERSE,16)", [](int l) { return l ^ 15; }}})
    cases.push_back(
        {fill + "  ds_swizzle_b32 v8, v24 offset:" + swizzle.pattern,
         [=](Values &v) { v.r[0] = held(swizzle.from(int(v.lane))); }});
  // From a lane that is off comes zero.
  cases.push_back(
      {fill + "  s_mov_b32 exec_lo, 0xffffffef\n  ds_swizzle_b32 v8, v24 "
              "offset:swizzle(SWAP,4)\n  s_mov_b64 exec, -1",
       [](Values &v) {
         if (v.lane != 4)
           v.r[0] = v.lane == 0 ? 0 : held(int(v.lane) ^ 4);
       }});
  cases.push_back(
      {fill + "  v_xor_b32 v25, 9, v0\n  v_lshlrev_b32 v25, 2, v25\n  "
              "ds_bpermute_b32 v8, v25, v24 offset:8",
       [](Values &v) { v.r[0] = held(((int(v.lane) ^ 9) + 2) & 63); }});
  cases.push_back(
      {fill + "  s_mov_b32 s12, 37\n  v_readlane_b32 s13, v24, s12\n  "
              "v_writelane_b32 v8, s13, 5\n  v_readfirstlane_b32 s14, v24\n  "
              "v_mov_b32 v9, s14\n  s_mov_b64 exec, 0xf0\n  "
              "v_readfirstlane_b32 s14, v24\n  v_readlane_b32 s15, v24, 63\n  "
              "s_mov_b64 exec, -1\n  v_mov_b32 v10, s14\n  v_mov_b32 v11, s15",
       [](Values &v) {
         if (v.lane == 5)
           v.r[0] = held(37);
         v.r[1] = held(0);
         v.r[2] = held(4);
         v.r[3] = held(63);
       }});
  cases.push_back(
      {"  s_mov_b32 s12, 0x0ff01234\n  s_mov_b32 s13, 0x80000001\n  "
       "v_mbcnt_lo_u32_b32 v8, s12, 50\n  v_mbcnt_hi_u32_b32 v9, s13, v8",
       [](Values &v) {
         unsigned l = v.lane;
         uint64_t mask = 0x800000010ff01234ull & ((1ull << l) - 1);
         v.r[0] = 50 + uint32_t(__builtin_popcount(uint32_t(mask)));
         v.r[1] = 50 + uint32_t(__builtin_popcountll(mask));
       }});
  checkInstructions(cases);
}

// Rounding and denormals as MODE says, f32 apart from f64 and f16.
TEST(LaneMoves, Modes) {
  std::vector<InstructionCase> cases;
  const int rounding[] = {0, 1, 2, 3}; // nearest, up, down, to zero
  for (int mode : rounding)
    cases.push_back(
        {"  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), " +
             std::to_string(mode | (mode ^ 3) << 2) +
             "\n  v_and_b32 v2, 0x00ffffff, v2\n  v_or_b32 v2, 0x3f000000, "
             "v2\n  v_mov_b32 v4, 0x4b000000\n  v_add_f32 v8, v2, v4\n  "
             "v_mul_f16 v9, v2, v2\n  v_and_b32 v9, 0, v9\n  "
             "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0",
         [mode](Values &v) {
           // 2^23 plus a number from 0.5 to below 2.
           double x = bitsAs<float>((uint32_t(v.a) & 0xffffff) | 0x3f000000),
                  low = double(int(x)), sum;
           double part = x - low;
           if (part == 0)
             sum = low;
           else if (mode == 0)
             sum = part > 0.5 || (part == 0.5 && int(low) % 2) ? low + 1 : low;
           else
             sum = mode == 1 ? low + 1 : low;
           v.r[0] = bitsAs<uint32_t>(float(8388608. + sum));
           v.r[1] = 0;
         }});
  // Inputs flushed, results flushed, both, none.
  for (unsigned mode = 0; mode < 4; ++mode)
    cases.push_back(
        {"  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), " +
             std::to_string(mode) +
             "\n  v_and_b32 v2, 0x007fffff, v2\n  v_or_b32 v2, 1, v2\n  "
             "v_add_f32 v8, v2, v2\n  v_mov_b32 v4, 0x00800000\n  v_mul_f32 "
             "v9, 0.5, v4\n  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3",
         [mode](Values &v) {
           uint32_t x = (uint32_t(v.a) & 0x7fffff) | 1;
           bool in = mode & 1, out = mode & 2;
           float sum = in ? bitsAs<float>(x) * 2 : 0;
           v.r[0] = bitsAs<uint32_t>(sum);
           if (!out && sum < 0x1p-126f)
             v.r[0] = 0;
           v.r[1] = out ? 0x00400000 : 0;
         }});
  checkInstructions(cases);
}

} // namespace
