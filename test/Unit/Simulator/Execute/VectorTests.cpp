//===- VectorTests.cpp - Integer and packed lane instructions -------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A in v[2:3], B in v[4:5], C in v[6:7]; the result in v8 (v9), where random
// words stood before. What 16-bit instructions leave in the upper half depends
// on the encoding and is cut off.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

#include <algorithm>

using namespace tlc::test;

namespace {

uint32_t lo(uint64_t v) { return uint32_t(v); }
unsigned byte(uint64_t v, unsigned i) { return v >> 8 * i & 255; }
unsigned distance(unsigned a, unsigned b) { return a > b ? a - b : b - a; }
template <typename T> T middle(T a, T b, T c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}
int32_t signed24(uint64_t v) { return int32_t(lo(v) << 8) >> 8; }

using Word = uint32_t (*)(const Values &);
struct Row {
  const char *code; ///< without the result; names what follows it
  Word result;
};
const std::string cut = "\n  v_and_b32 v8, 0xffff, v8";

void addRows(std::vector<InstructionCase> &cases, std::vector<Row> rows,
             const std::string &rest = "") {
  for (const Row &row : rows) {
    std::string code = row.code;
    size_t at = code.find(' ');
    code = "  " + code.substr(0, at) + " v8," + code.substr(at) + rest;
    bool half = rest == cut;
    cases.push_back({code, [row, half](Values &v) {
                       uint32_t result = row.result(v);
                       v.r[0] = half ? result & 0xffff : result;
                     }});
  }
}
#define ROW(code, ...)                                                         \
  {code, [](const Values &v) -> uint32_t { return uint32_t(__VA_ARGS__); }}

TEST(Vector, Words) {
  std::vector<InstructionCase> cases;
  addRows(
      cases,
      {
          ROW("v_mul_i32_i24 v2, v4", int64_t(signed24(v.a)) * signed24(v.b)),
          ROW("v_mul_hi_i32_i24 v2, v4",
              int64_t(signed24(v.a)) * signed24(v.b) >> 32),
          ROW("v_mul_u32_u24 v2, v4", (v.a & 0xffffff) * (v.b & 0xffffff)),
          ROW("v_mul_hi_u32_u24 v2, v4",
              (v.a & 0xffffff) * (v.b & 0xffffff) >> 32),
          ROW("v_mul_lo_u32 v2, v4", lo(v.a) * lo(v.b)),
          ROW("v_mul_hi_u32 v2, v4", uint64_t(lo(v.a)) * lo(v.b) >> 32),
          ROW("v_mul_hi_i32 v2, v4",
              int64_t(int32_t(v.a)) * int32_t(v.b) >> 32),
          ROW("v_mad_i32_i24 v2, v4, v6",
              lo(int64_t(signed24(v.a)) * signed24(v.b)) + lo(v.c)),
          ROW("v_mad_u32_u24 v2, v4, v6",
              (v.a & 0xffffff) * (v.b & 0xffffff) + v.c),
          ROW("v_mad_u32_u16 v2, v4, v6",
              (v.a & 0xffff) * (v.b & 0xffff) + v.c),
          ROW("v_mad_i32_i16 v2, v4, v6",
              int16_t(v.a) * int16_t(v.b) + int64_t(v.c)),
          ROW("v_xnor_b32 v2, v4", ~(v.a ^ v.b)),
          ROW("v_not_b32 v2", ~v.a),
          ROW("v_sub_u32 v2, v4", v.a - v.b),
          ROW("v_subrev_u32 v2, v4", v.b - v.a),
          ROW("v_add3_u32 v2, v4, v6", v.a + v.b + v.c),
          ROW("v_lshl_add_u32 v2, v4, v6", (lo(v.a) << (v.b & 31)) + v.c),
          ROW("v_add_lshl_u32 v2, v4, v6", (v.a + v.b) << (v.c & 31)),
          ROW("v_lshl_or_b32 v2, v4, v6", lo(v.a) << (v.b & 31) | v.c),
          ROW("v_and_or_b32 v2, v4, v6", (v.a & v.b) | v.c),
          ROW("v_or3_b32 v2, v4, v6", v.a | v.b | v.c),
          ROW("v_xad_u32 v2, v4, v6", (v.a ^ v.b) + v.c),
          ROW("v_bfi_b32 v2, v4, v6", (v.a & v.b) | (~v.a & v.c)),
          ROW("v_bfm_b32 v2, v4", ((1u << (v.a & 31)) - 1) << (v.b & 31)),
          ROW("v_bfe_u32 v2, v4, v6",
              lo(v.a) >> (v.b & 31) & ((1u << (v.c & 31)) - 1)),
          ROW("v_bfe_i32 v2, v4, v6",
              v.c & 31 ? int32_t((lo(v.a) >> (v.b & 31) |
                                  (int32_t(v.a) < 0 && (v.b & 31)
                                       ? ~0u << (32 - (v.b & 31))
                                       : 0))
                                 << (32 - (v.c & 31))) >>
                             (32 - (v.c & 31))
                       : 0),
          ROW("v_min3_i32 v2, v4, v6",
              std::min({int32_t(v.a), int32_t(v.b), int32_t(v.c)})),
          ROW("v_min3_u32 v2, v4, v6", std::min({lo(v.a), lo(v.b), lo(v.c)})),
          ROW("v_max3_i32 v2, v4, v6",
              std::max({int32_t(v.a), int32_t(v.b), int32_t(v.c)})),
          ROW("v_max3_u32 v2, v4, v6", std::max({lo(v.a), lo(v.b), lo(v.c)})),
          ROW("v_med3_i32 v2, v4, v6",
              middle(int32_t(v.a), int32_t(v.b), int32_t(v.c))),
          ROW("v_med3_u32 v2, v4, v6", middle(lo(v.a), lo(v.b), lo(v.c))),
          ROW("v_lerp_u8 v2, v4, v6",
              (byte(v.a, 0) + byte(v.b, 0) + (v.c & 1)) / 2 |
                  (byte(v.a, 1) + byte(v.b, 1) + (v.c >> 8 & 1)) / 2 << 8 |
                  (byte(v.a, 2) + byte(v.b, 2) + (v.c >> 16 & 1)) / 2 << 16 |
                  (byte(v.a, 3) + byte(v.b, 3) + (v.c >> 24 & 1)) / 2 << 24),
          ROW("v_alignbit_b32 v2, v4, v6", (v.a << 32 | lo(v.b)) >> (v.c & 31)),
          ROW("v_alignbyte_b32 v2, v4, v6",
              (v.a << 32 | lo(v.b)) >> 8 * (v.c & 3)),
          ROW("v_sad_u8 v2, v4, v6", distance(byte(v.a, 0), byte(v.b, 0)) +
                                         distance(byte(v.a, 1), byte(v.b, 1)) +
                                         distance(byte(v.a, 2), byte(v.b, 2)) +
                                         distance(byte(v.a, 3), byte(v.b, 3)) +
                                         v.c),
          ROW("v_sad_hi_u8 v2, v4, v6", ((distance(byte(v.a, 0), byte(v.b, 0)) +
                                          distance(byte(v.a, 1), byte(v.b, 1)) +
                                          distance(byte(v.a, 2), byte(v.b, 2)) +
                                          distance(byte(v.a, 3), byte(v.b, 3)))
                                         << 16) +
                                            v.c),
          ROW("v_sad_u16 v2, v4, v6",
              distance(uint16_t(v.a), uint16_t(v.b)) +
                  distance(lo(v.a) >> 16, lo(v.b) >> 16) + v.c),
          ROW("v_sad_u32 v2, v4, v6", distance(lo(v.a), lo(v.b)) + v.c),
          ROW("v_msad_u8 v2, v4, v6",
              (byte(v.b, 0) ? distance(byte(v.a, 0), byte(v.b, 0)) : 0) +
                  (byte(v.b, 1) ? distance(byte(v.a, 1), byte(v.b, 1)) : 0) +
                  (byte(v.b, 2) ? distance(byte(v.a, 2), byte(v.b, 2)) : 0) +
                  (byte(v.b, 3) ? distance(byte(v.a, 3), byte(v.b, 3)) : 0) +
                  v.c),
          ROW("v_cvt_pk_u16_u32 v2, v4",
              std::min(lo(v.a), 65535u) | std::min(lo(v.b), 65535u) << 16),
          ROW("v_cvt_pk_i16_i32 v2, v4",
              uint16_t(std::clamp(int32_t(v.a), -32768, 32767)) |
                  uint32_t(uint16_t(std::clamp(int32_t(v.b), -32768, 32767)))
                      << 16),
          ROW("v_pack_b32_f16 v2, v4 op_sel:[1,0]", lo(v.a) >> 16 | v.b << 16),
          ROW("v_dot4_i32_i8 v2, v4, v6",
              int8_t(v.a) * int8_t(v.b) + int8_t(v.a >> 8) * int8_t(v.b >> 8) +
                  int8_t(v.a >> 16) * int8_t(v.b >> 16) +
                  int8_t(v.a >> 24) * int8_t(v.b >> 24) + int64_t(v.c)),
          ROW("v_dot4_u32_u8 v2, v4, v6",
              byte(v.a, 0) * byte(v.b, 0) + byte(v.a, 1) * byte(v.b, 1) +
                  byte(v.a, 2) * byte(v.b, 2) + byte(v.a, 3) * byte(v.b, 3) +
                  v.c),
          ROW("v_dot2_i32_i16 v2, v4, v6",
              int64_t(int16_t(v.a)) * int16_t(v.b) +
                  int64_t(int16_t(v.a >> 16)) * int16_t(v.b >> 16) +
                  int64_t(v.c)),
          ROW("v_dot2_u32_u16 v2, v4, v6",
              uint64_t(uint16_t(v.a)) * uint16_t(v.b) +
                  uint64_t(uint16_t(v.a >> 16)) * uint16_t(v.b >> 16) + v.c),
          ROW("v_cvt_f32_ubyte0 v2", bitsAs<uint32_t>(float(byte(v.a, 0)))),
          ROW("v_cvt_f32_ubyte1 v2", bitsAs<uint32_t>(float(byte(v.a, 1)))),
          ROW("v_cvt_f32_ubyte2 v2", bitsAs<uint32_t>(float(byte(v.a, 2)))),
          ROW("v_cvt_f32_ubyte3 v2", bitsAs<uint32_t>(float(byte(v.a, 3)))),
          ROW("v_cvt_off_f32_i4 v2",
              bitsAs<uint32_t>(float(int32_t(lo(v.a) << 28) >> 28) / 16)),
      });
  auto dot8 = [](bool isSigned) {
    return [isSigned](Values &v) {
      uint32_t sum = lo(v.c);
      for (unsigned s = 0; s < 32; s += 4) {
        int a = v.a >> s & 15, b = v.b >> s & 15;
        sum += isSigned ? ((a ^ 8) - 8) * ((b ^ 8) - 8) : a * b;
      }
      v.r[0] = sum;
    };
  };
  cases.push_back({"  v_dot8_i32_i4 v8, v2, v4, v6", dot8(true)});
  cases.push_back({"  v_dot8_u32_u4 v8, v2, v4, v6", dot8(false)});
  cases.push_back({"  v_dot2c_i32_i16 v8, v2, v4", [](Values &v) {
                     v.r[0] +=
                         uint32_t(int16_t(v.a) * int16_t(v.b)) +
                         uint32_t(int16_t(v.a >> 16) * int16_t(v.b >> 16));
                   }});
  for (bool subtract : {false, true})
    cases.push_back(
        {std::string("  ") + (subtract ? "v_sub_i32" : "v_add_i32") +
             " v8, v2, v4 clamp",
         [=](Values &v) {
           int64_t a = int32_t(v.a), b = int32_t(v.b);
           v.r[0] = uint32_t(std::clamp<int64_t>(subtract ? a - b : a + b,
                                                 INT32_MIN, INT32_MAX));
         }});
  // Data goes to the lane that the address names; nobody's are zero.
  cases.push_back(
      {"  v_xor_b32 v24, 5, v0\n  v_lshlrev_b32 v24, 2, v24\n  s_mov_b32 "
       "exec_lo, 0x7fffffff\n  ds_permute_b32 v8, v24, v0\n  s_mov_b64 exec, "
       "-1",
       [](Values &v) {
         // Lane 31, which would send to 26, is off.
         v.r[0] = v.lane == 31 ? v.r[0] : v.lane == 26 ? 0 : v.lane ^ 5;
       }});
  // Carries of lanes.
  cases.push_back({"  v_subrev_co_u32 v8, vcc, v2, v4", [](Values &v) {
                     v.bit = lo(v.b) < lo(v.a);
                     v.r[0] = lo(v.b) - lo(v.a);
                   }});
  cases.push_back({"  v_subbrev_co_u32 v8, vcc, v2, v4, vcc", [](Values &v) {
                     uint64_t difference = uint64_t(lo(v.b)) - lo(v.a) - v.bit;
                     v.r[0] = lo(difference);
                     v.bit = difference >> 32 & 1;
                   }});
  cases.push_back(
      {"  v_mad_i64_i32 v[8:9], vcc, v2, v4, v[6:7]", [](Values &v) {
         __int128 sum =
             __int128(int64_t(int32_t(v.a)) * int32_t(v.b)) + int64_t(v.c);
         v.setPair(uint64_t(sum));
         v.bit = sum >> 64 & 1;
       }});
  cases.push_back(
      {"  v_mad_u64_u32 v[8:9], vcc, v2, v4, v[6:7]", [](Values &v) {
         unsigned __int128 sum =
             static_cast<unsigned __int128>(uint64_t(lo(v.a)) * lo(v.b)) + v.c;
         v.setPair(uint64_t(sum));
         v.bit = sum >> 64 & 1;
       }});
  cases.push_back({"  v_mov_b32 v24, v2\n  v_mov_b32 v25, v4\n  v_swap_b32 "
                   "v24, v25\n  v_mov_b32 v8, v24\n  v_mov_b32 v9, v25",
                   [](Values &v) {
                     v.r[0] = lo(v.b);
                     v.r[1] = lo(v.a);
                   }});
  cases.push_back(
      {"  v_accvgpr_write_b32 a3, v2\n  s_nop 1\n  v_accvgpr_mov_b32 a5, a3\n  "
       "s_nop 1\n  v_accvgpr_read_b32 v8, a5",
       [](Values &v) { v.r[0] = lo(v.a); }});
  // Sums of differences of four bytes at four places of eight.
  auto sums = [](const Values &v, bool masked, unsigned i) {
    unsigned sum = 0;
    for (unsigned k = 0; k < 4; ++k)
      if (!masked || byte(v.b, k))
        sum += distance(byte(v.a, i + k), byte(v.b, k));
    return sum;
  };
  for (bool masked : {false, true})
    cases.push_back({std::string("  v_") + (masked ? "mqsad" : "qsad") +
                         "_pk_u16_u8 v[8:9], v[2:3], v4, v[6:7]",
                     [=](Values &v) {
                       uint64_t result = 0;
                       for (unsigned i = 0; i < 4; ++i)
                         result |=
                             (sums(v, masked, i) + (v.c >> 16 * i) & 0xffff)
                             << 16 * i;
                       v.setPair(result);
                     }});
  cases.push_back(
      {"  v_mov_b32 v24, v6\n  v_mov_b32 v25, v7\n  v_mov_b32 v26, v2\n  "
       "v_mov_b32 v27, v4\n  v_mqsad_u32_u8 v[8:11], v[2:3], v4, v[24:27]",
       [=](Values &v) {
         uint32_t add[] = {lo(v.c), uint32_t(v.c >> 32), lo(v.a), lo(v.b)};
         for (unsigned i = 0; i < 4; ++i)
           v.r[i] = sums(v, true, i) + add[i];
       }});
  // Into one byte of what was there.
  auto toByte = [](uint32_t bits) {
    float f = bitsAs<float>(bits);
    return f != f || f <= 0 ? 0u
           : f >= 255       ? 255u
                            : unsigned(__builtin_rintf(f));
  };
  cases.push_back({"  v_cvt_pk_u8_f32 v8, v2, v4, v6", [=](Values &v) {
                     unsigned s = 8 * (v.b & 3);
                     v.r[0] = (lo(v.c) & ~(255u << s)) | toByte(lo(v.a)) << s;
                   }});
  cases.push_back({"  v_cvt_pkaccum_u8_f32 v8, v2, v4", [=](Values &v) {
                     unsigned s = 8 * (v.b & 3);
                     v.r[0] = (v.r[0] & ~(255u << s)) | toByte(lo(v.a)) << s;
                   }});
  checkInstructions(cases);
}

TEST(Vector, Halves) {
  std::vector<InstructionCase> cases;
  addRows(
      cases,
      {
          ROW("v_add_u16 v2, v4", v.a + v.b),
          ROW("v_sub_u16 v2, v4", v.a - v.b),
          ROW("v_subrev_u16 v2, v4", v.b - v.a),
          ROW("v_mul_lo_u16 v2, v4", lo(v.a) * lo(v.b)),
          ROW("v_lshlrev_b16 v2, v4", uint32_t(uint16_t(v.b)) << (v.a & 15)),
          ROW("v_lshrrev_b16 v2, v4", uint16_t(v.b) >> (v.a & 15)),
          ROW("v_ashrrev_i16 v2, v4", int16_t(v.b) >> (v.a & 15)),
          ROW("v_max_u16 v2, v4", std::max(uint16_t(v.a), uint16_t(v.b))),
          ROW("v_max_i16 v2, v4", std::max(int16_t(v.a), int16_t(v.b))),
          ROW("v_min_u16 v2, v4", std::min(uint16_t(v.a), uint16_t(v.b))),
          ROW("v_min_i16 v2, v4", std::min(int16_t(v.a), int16_t(v.b))),
          ROW("v_add_i16 v2, v4", v.a + v.b),
          ROW("v_sub_i16 v2, v4", v.a - v.b),
          ROW("v_mad_u16 v2, v4, v6", lo(v.a) * lo(v.b) + lo(v.c)),
          ROW("v_mad_i16 v2, v4, v6", lo(v.a) * lo(v.b) + lo(v.c)),
          ROW("v_mad_legacy_u16 v2, v4, v6", lo(v.a) * lo(v.b) + lo(v.c)),
          ROW("v_mad_legacy_i16 v2, v4, v6", lo(v.a) * lo(v.b) + lo(v.c)),
          ROW("v_min3_i16 v2, v4, v6",
              std::min({int16_t(v.a), int16_t(v.b), int16_t(v.c)})),
          ROW("v_min3_u16 v2, v4, v6",
              std::min({uint16_t(v.a), uint16_t(v.b), uint16_t(v.c)})),
          ROW("v_max3_i16 v2, v4, v6",
              std::max({int16_t(v.a), int16_t(v.b), int16_t(v.c)})),
          ROW("v_max3_u16 v2, v4, v6",
              std::max({uint16_t(v.a), uint16_t(v.b), uint16_t(v.c)})),
          ROW("v_med3_i16 v2, v4, v6",
              middle(int16_t(v.a), int16_t(v.b), int16_t(v.c))),
          ROW("v_med3_u16 v2, v4, v6",
              middle(uint16_t(v.a), uint16_t(v.b), uint16_t(v.c))),
          ROW("v_sat_pk_u8_i16 v2",
              std::clamp<int>(int16_t(v.a), 0, 255) |
                  std::clamp<int>(int16_t(v.a >> 16), 0, 255) << 8),
      },
      cut);
  // Clamped: what does not fit becomes the nearest that does.
  addRows(cases,
          {
              ROW("v_add_u16_e64 v2, v4 clamp",
                  std::min(65535u, unsigned(uint16_t(v.a)) + uint16_t(v.b))),
              ROW("v_sub_u16_e64 v2, v4 clamp",
                  std::max(0, int(uint16_t(v.a)) - int(uint16_t(v.b)))),
              ROW("v_add_i16 v2, v4 clamp",
                  std::clamp(int16_t(v.a) + int16_t(v.b), -32768, 32767)),
              ROW("v_sub_i16 v2, v4 clamp",
                  std::clamp(int16_t(v.a) - int16_t(v.b), -32768, 32767)),
              ROW("v_mad_u16 v2, v4, v6 clamp",
                  std::min<uint64_t>(65535,
                                     uint64_t(uint16_t(v.a)) * uint16_t(v.b) +
                                         uint16_t(v.c))),
              ROW("v_mad_i16 v2, v4, v6 clamp",
                  std::clamp<int64_t>(int64_t(int16_t(v.a)) * int16_t(v.b) +
                                          int16_t(v.c),
                                      -32768, 32767)),
              // The upper halves of A and C.
              ROW("v_mad_u16 v2, v4, v6 op_sel:[1,0,1,0]",
                  (lo(v.a) >> 16) * lo(v.b) + (lo(v.c) >> 16)),
          },
          cut);
  // Into the upper half, the lower one kept.
  cases.push_back(
      {"  v_mad_i16 v8, v2, v4, v6 op_sel:[0,1,0,1]", [](Values &v) {
         uint32_t result =
             uint32_t(int16_t(v.a)) * uint32_t(int16_t(v.b >> 16)) + lo(v.c);
         v.r[0] = (v.r[0] & 0xffff) | result << 16;
       }});
  // Packed: either half of each operand for either half of the result.
  struct Pair {
    const char *name;
    unsigned operands;
    uint32_t (*half)(uint16_t, uint16_t, uint16_t);
  };
  const Pair pairs[] = {
      {"v_pk_mad_i16", 3,
       [](uint16_t a, uint16_t b, uint16_t c) { return uint32_t(a) * b + c; }},
      {"v_pk_mad_u16", 3,
       [](uint16_t a, uint16_t b, uint16_t c) { return uint32_t(a) * b + c; }},
      {"v_pk_mul_lo_u16", 2,
       [](uint16_t a, uint16_t b, uint16_t) { return uint32_t(a) * b; }},
      {"v_pk_add_i16", 2,
       [](uint16_t a, uint16_t b, uint16_t) { return uint32_t(a) + b; }},
      {"v_pk_sub_i16", 2,
       [](uint16_t a, uint16_t b, uint16_t) { return uint32_t(a) - b; }},
      {"v_pk_add_u16", 2,
       [](uint16_t a, uint16_t b, uint16_t) { return uint32_t(a) + b; }},
      {"v_pk_sub_u16", 2,
       [](uint16_t a, uint16_t b, uint16_t) { return uint32_t(a) - b; }},
      {"v_pk_lshlrev_b16", 2,
       [](uint16_t a, uint16_t b, uint16_t) {
         return uint32_t(b) << (a & 15);
       }},
      {"v_pk_lshrrev_b16", 2,
       [](uint16_t a, uint16_t b, uint16_t) {
         return uint32_t(b) >> (a & 15);
       }},
      {"v_pk_ashrrev_i16", 2,
       [](uint16_t a, uint16_t b, uint16_t) {
         return uint32_t(int16_t(b) >> (a & 15));
       }},
      {"v_pk_max_i16", 2,
       [](uint16_t a, uint16_t b, uint16_t) {
         return uint32_t(std::max(int16_t(a), int16_t(b)));
       }},
      {"v_pk_min_i16", 2,
       [](uint16_t a, uint16_t b, uint16_t) {
         return uint32_t(std::min(int16_t(a), int16_t(b)));
       }},
      {"v_pk_max_u16", 2,
       [](uint16_t a, uint16_t b, uint16_t) {
         return uint32_t(std::max(a, b));
       }},
      {"v_pk_min_u16", 2,
       [](uint16_t a, uint16_t b, uint16_t) {
         return uint32_t(std::min(a, b));
       }},
  };
  for (const Pair &pair : pairs)
    for (unsigned form = 0; form < 3; ++form) {
      // Plain; halves exchanged in A; the lower half of B for both.
      std::string three = pair.operands == 3 ? ",0" : "",
                  upper = pair.operands == 3 ? ",1" : "";
      std::string select =
          form == 1 ? " op_sel:[1,0" + three + "] op_sel_hi:[0,1" + upper + "]"
          : form == 2 ? " op_sel_hi:[1,0" + upper + "]"
                      : "";
      std::string code = std::string("  ") + pair.name + " v8, v2, v4" +
                         (pair.operands == 3 ? ", v6" : "") + select;
      cases.push_back({code, [pair, form](Values &v) {
                         uint32_t a = lo(v.a), b = lo(v.b), c = lo(v.c);
                         if (form == 1)
                           a = a << 16 | a >> 16;
                         if (form == 2)
                           b = (b & 0xffff) | b << 16;
                         v.r[0] =
                             (pair.half(uint16_t(a), uint16_t(b), uint16_t(c)) &
                              0xffff) |
                             pair.half(uint16_t(a >> 16), uint16_t(b >> 16),
                                       uint16_t(c >> 16))
                                 << 16;
                       }});
    }
  checkInstructions(cases);
}

// Registers by index, vector code that is skipped, and what does nothing that a
// program can see.
TEST(Vector, IndexedAndSkipped) {
  std::vector<InstructionCase> cases;
  // v2 by three is v5, the destination is not moved; then it alone.
  cases.push_back(
      {"  s_mov_b32 s12, 3\n  s_set_gpr_idx_on s12, gpr_idx(SRC0)\n  v_mov_b32 "
       "v8, v2\n  s_set_gpr_idx_mode gpr_idx(DST)\n  s_mov_b32 s13, 2\n  "
       "s_set_gpr_idx_idx s13\n  v_mov_b32 v8, v4\n  s_set_gpr_idx_off\n  "
       "s_mov_b32 m0, -1",
       [](Values &v) {
         v.r[0] = uint32_t(v.b >> 32);
         v.r[2] = uint32_t(v.b);
       }});
  cases.push_back(
      {"  s_mov_b32 s12, 1\n  s_set_gpr_idx_on s12, gpr_idx(SRC1)\n  v_sub_u32 "
       "v8, v2, v4\n  s_set_gpr_idx_off\n  s_mov_b32 m0, -1",
       [](Values &v) { v.r[0] = uint32_t(v.a) - uint32_t(v.b >> 32); }});
  cases.push_back({"  s_mov_b32 s12, 4\n  s_setvskip s12, 2\n  v_mov_b32 v8, "
                   "1\n  global_store_dword v1, v0, s[4:5]\n  s_mov_b32 s13, "
                   "7\n  s_setvskip s12, 3\n  v_mov_b32 v9, s13",
                   [](Values &v) { v.r[1] = 7; }});
  std::string nothing;
  for (const char *code : {"v_nop",
                           "v_clrexcp",
                           "ds_nop",
                           "s_nop 3",
                           "s_wakeup",
                           "s_setkill 0",
                           "s_icache_inv",
                           "s_incperflevel 1",
                           "s_decperflevel 1",
                           "s_ttracedata",
                           "s_dcache_inv",
                           "s_dcache_inv_vol",
                           "s_dcache_wb_vol",
                           "s_dcache_wb",
                           "s_sleep 1",
                           "s_setprio 2",
                           "s_cbranch_cdbgsys .Lno",
                           "s_cbranch_cdbguser .Lno",
                           "s_cbranch_cdbgsys_or_user .Lno",
                           "s_cbranch_cdbgsys_and_user .Lno",
                           "s_atc_probe 0, s[4:5], 0x0",
                           "s_atc_probe_buffer 0, s[4:7], 0x0",
                           "s_dcache_discard s[4:5], 0x0",
                           "s_dcache_discard_x2 s[4:5], 0x0",
                           "s_sendmsg sendmsg(MSG_INTERRUPT)"})
    nothing += std::string("  ") + code + "\n";
  cases.push_back(
      {nothing + "  s_branch .Lyes\n.Lno:\n  v_mov_b32 v8, 0\n.Lyes:",
       [](Values &) {}});
  // Clocks do not run backwards.
  cases.push_back(
      {"  s_memtime s[12:13]\n  s_memrealtime s[14:15]\n  s_waitcnt "
       "lgkmcnt(0)\n  s_memtime s[16:17]\n  s_memrealtime s[18:19]\n  "
       "s_waitcnt lgkmcnt(0)\n  s_sub_u32 s20, s16, s12\n  s_subb_u32 s21, "
       "s17, s13\n  s_sub_u32 s22, s18, s14\n  s_subb_u32 s23, s19, s15\n  "
       "v_mov_b32 v8, s21\n  v_mov_b32 v9, s23",
       [](Values &v) { v.r[0] = v.r[1] = 0; }});
  // A kernel may end in other ways; what follows is not reached.
  std::string results =
      "  v_cndmask_b32 v15, 0, 1, vcc\n  global_store_dwordx4 v14, v[8:11], "
      "s[10:11]\n  global_store_dword v14, v15, s[10:11] offset:16\n  ";
  for (const char *end : {"s_endpgm_saved", "s_endpgm_ordered_ps_done"})
    cases.push_back({results + end + "\n  v_mov_b32 v8, 1", [](Values &) {}});
  checkInstructions(cases);
}

} // namespace
