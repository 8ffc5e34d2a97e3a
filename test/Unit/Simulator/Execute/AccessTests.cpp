//===- AccessTests.cpp - Loads and stores of every width ------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes, halves (either half of a register, the other one kept) and one to four
// dwords through global, FLAT, scratch, buffer and LDS instructions, and loads
// to LDS through M0.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

using namespace tlc::test;

namespace {

struct Width {
  const char *name; ///< behind global_load_ and the like
  const char *ds;   ///< behind ds_read_ or ds_write_
  unsigned bytes;   ///< in memory
  bool isSigned = false;
  int half = -1; ///< of the register that is written or stored
};
constexpr Width loads[] = {{"ubyte", "u8", 1},
                           {"sbyte", "i8", 1, true},
                           {"ushort", "u16", 2},
                           {"sshort", "i16", 2, true},
                           {"ubyte_d16", "u8_d16", 1, false, 0},
                           {"ubyte_d16_hi", "u8_d16_hi", 1, false, 1},
                           {"sbyte_d16", "i8_d16", 1, true, 0},
                           {"sbyte_d16_hi", "i8_d16_hi", 1, true, 1},
                           {"short_d16", "u16_d16", 2, false, 0},
                           {"short_d16_hi", "u16_d16_hi", 2, false, 1},
                           {"dword", "b32", 4},
                           {"dwordx2", "b64", 8},
                           {"dwordx3", "b96", 12},
                           {"dwordx4", "b128", 16}};
constexpr Width stores[] = {
    {"byte", "b8", 1},      {"byte_d16_hi", "b8_d16_hi", 1, false, 1},
    {"short", "b16", 2},    {"short_d16_hi", "b16_d16_hi", 2, false, 1},
    {"dword", "b32", 4},    {"dwordx2", "b64", 8},
    {"dwordx3", "b96", 12}, {"dwordx4", "b128", 16}};

std::string registersOf(const Width &width) {
  unsigned dwords = (width.bytes + 3) / 4;
  return dwords == 1 ? "v8" : "v[8:" + std::to_string(7 + dwords) + "]";
}
/// What a load of the bytes at an offset leaves in the registers.
void load(Values &v, const Width &width, unsigned offset) {
  uint8_t bytes[16];
  std::memcpy(bytes, v.m, 16);
  if (width.bytes >= 4) {
    std::memcpy(v.r, bytes + offset, width.bytes);
    return;
  }
  uint32_t value = bytes[offset];
  if (width.bytes == 2)
    value |= bytes[offset + 1] << 8;
  if (width.isSigned)
    value =
        width.bytes == 1 ? uint32_t(int8_t(value)) : uint32_t(int16_t(value));
  if (width.half < 0)
    v.r[0] = value;
  else
    v.r[0] = (v.r[0] & (0xffff0000u >> 16 * width.half)) |
             (value & 0xffff) << 16 * width.half;
}
void store(Values &v, const Width &width, unsigned offset) {
  uint32_t data[4];
  std::memcpy(data, v.r, 16);
  if (width.half == 1)
    data[0] >>= 16;
  std::memcpy(reinterpret_cast<char *>(v.m) + offset, data, width.bytes);
}

const std::string flatAddress = R"(
  v_mov_b32 v19, s5
  v_add_co_u32 v18, vcc, s4, v1
  v_addc_co_u32 v19, vcc, 0, v19, vcc
  v_cmp_ne_u32 vcc, 0, v15
)";
// The memory's words through registers into LDS or scratch, and back.
const std::string fetch = R"(
  global_load_dwordx4 v[20:23], v1, s[4:5]
  s_waitcnt vmcnt(0)
)";
const std::string putBack = R"(
  s_waitcnt vmcnt(0) lgkmcnt(0)
  global_store_dwordx4 v1, v[20:23], s[4:5]
)";
const std::string toLds = fetch + "  ds_write_b128 v16, v[20:23]\n";
const std::string fromLds = R"(
  s_waitcnt lgkmcnt(0)
  ds_read_b128 v[20:23], v16)" +
                            putBack;
const std::string toScratch = fetch + "  scratch_store_dwordx4 off, v[20:23], "
                                      "off offset:16\n  s_waitcnt vmcnt(0)\n";
const std::string fromScratch = R"(
  s_waitcnt vmcnt(0)
  scratch_load_dwordx4 v[20:23], off, off offset:16)" +
                                putBack;

TEST(Accesses, EveryWidth) {
  std::vector<InstructionCase> cases;
  for (bool stored : {false, true})
    for (const Width &width :
         stored ? std::vector<Width>(std::begin(stores), std::end(stores))
                : std::vector<Width>(std::begin(loads), std::end(loads))) {
      // Not at the start where there is room.
      unsigned offset = width.bytes == 16 ? 0 : width.bytes < 4 ? 6 : 4;
      if (width.bytes == 8)
        offset = 8;
      std::string at = " offset:" + std::to_string(offset);
      auto host = [=](Values &v) {
        stored ? store(v, width, offset) : load(v, width, offset);
      };
      std::string r = registersOf(width), name = width.name;
      auto operands = [&](std::string address, std::string rest) {
        return stored ? address + ", " + r + rest : r + ", " + address + rest;
      };
      std::string verb = stored ? "store_" : "load_";
      cases.push_back(
          {"  global_" + verb + name + " " + operands("v1", ", s[4:5]") + at,
           host});
      cases.push_back({flatAddress + "  global_" + verb + name + " " +
                           operands("v[18:19]", ", off") + at,
                       host});
      cases.push_back({flatAddress + "  flat_" + verb + name + " " +
                           operands("v[18:19]", "") + at,
                       host});
      cases.push_back(
          {"  buffer_" + verb + name + " " + r + ", v1, s[4:7], 0 offen" + at,
           host});
      cases.push_back({toScratch + "  scratch_" + verb + name + " " +
                           operands("off", ", off") + " offset:" +
                           std::to_string(16 + offset) + fromScratch,
                       host});
      // The address in a register, in both, and in a scalar.
      cases.push_back({toScratch + "  v_mov_b32 v24, 20\n  scratch_" + verb +
                           name + " " + operands("v24", ", off") + " offset:" +
                           std::to_string(int(offset) - 4) + fromScratch,
                       host});
      cases.push_back(
          {toScratch + "  v_mov_b32 v24, 12\n  s_mov_b32 s12, 8\n  scratch_" +
               verb + name + " " + operands("v24", ", s12") +
               " offset:" + std::to_string(int(offset) - 4) + fromScratch,
           host});
      std::string dsVerb = stored ? "  ds_write_" : "  ds_read_";
      cases.push_back(
          {toLds + dsVerb + width.ds + " " + operands("v16", "") + at + fromLds,
           host});
    }
  // FLAT into LDS and scratch by their apertures.
  std::string shared = toLds + "  s_mov_b64 s[12:13], src_shared_base\n  "
                               "v_mov_b32 v18, v16\n  v_mov_b32 v19, s13\n";
  std::string own = toScratch + "  s_mov_b64 s[12:13], src_private_base\n  "
                                "v_mov_b32 v18, 16\n  v_mov_b32 v19, s13\n";
  for (const Width &width : {loads[3], loads[5], loads[11]}) {
    auto host = [=](Values &v) { load(v, width, 4); };
    std::string code = "  flat_load_" + std::string(width.name) + " " +
                       registersOf(width) + ", v[18:19] offset:4";
    cases.push_back({shared + code + fromLds, host});
    cases.push_back({own + code + fromScratch, host});
  }
  for (const Width &width : {stores[1], stores[6]}) {
    auto host = [=](Values &v) { store(v, width, 4); };
    std::string code = "  flat_store_" + std::string(width.name) +
                       " v[18:19], " + registersOf(width) + " offset:4";
    cases.push_back({shared + code + fromLds, host});
    cases.push_back({own + code + fromScratch, host});
  }
  checkInstructions(cases);
}

// Lane l's dword lands 4 * l bytes behind M0 plus the offset of the
// instruction; bytes and halves are extended to it.
TEST(Accesses, ToLds) {
  std::vector<InstructionCase> cases;
  for (const Width &width :
       {loads[0], loads[1], loads[2], loads[3], loads[10]}) {
    std::string name = std::string("lds_") + width.name;
    std::string read = "\n  s_waitcnt vmcnt(0)\n  v_lshlrev_b32 v24, 2, v0\n  "
                       "ds_read_b32 v8, v24 offset:2056";
    std::string m0 = "  s_movk_i32 m0, 0x800\n";
    auto host = [=](Values &v) { load(v, width, 8); };
    cases.push_back(
        {m0 + "  global_load_" + name + " v1, s[4:5] offset:8" + read, host});
    cases.push_back({m0 + "  buffer_load_" + std::string(width.name) +
                         " v1, s[4:7], 0 offen offset:8 lds" + read,
                     host});
    // One address for all in scratch, where each lane has its own words.
    cases.push_back(
        {toScratch + m0 + "  scratch_load_" + name +
             " off, off offset:24\n  s_waitcnt vmcnt(0)\n  v_lshlrev_b32 v24, "
             "2, v0\n  ds_read_b32 v8, v24 offset:2072" +
             fromScratch,
         host});
  }
  checkInstructions(cases);
}

// Two elements at once, near and far, and the forms that add the lane.
TEST(Accesses, PairsAndLanes) {
  std::vector<InstructionCase> cases;
  cases.push_back(
      {toLds + "  ds_read2_b32 v[8:9], v16 offset0:3 offset1:1" + fromLds,
       [](Values &v) {
         v.r[0] = v.m[3];
         v.r[1] = v.m[1];
       }});
  cases.push_back(
      {toLds + "  ds_read2_b64 v[8:11], v16 offset0:1 offset1:0" + fromLds,
       [](Values &v) {
         for (unsigned i = 0; i < 4; ++i)
           v.r[i] = v.m[i ^ 2];
       }});
  cases.push_back(
      {toLds + "  ds_write2_b32 v16, v8, v9 offset0:2 offset1:0" + fromLds,
       [](Values &v) {
         v.m[2] = v.r[0];
         v.m[0] = v.r[1];
       }});
  cases.push_back(
      {toLds + "  ds_write2_b64 v16, v[8:9], v[10:11] offset0:1 offset1:0" +
           fromLds,
       [](Values &v) {
         for (unsigned i = 0; i < 4; ++i)
           v.m[i ^ 2] = v.r[i];
       }});
  // Far: 1024 bytes, behind all lanes' words; written, and read back.
  cases.push_back(
      {toLds +
           "  ds_write2st64_b32 v16, v8, v9 offset0:4 offset1:8\n  s_waitcnt "
           "lgkmcnt(0)\n  ds_read2st64_b32 v[10:11], v16 offset0:8 offset1:4" +
           fromLds,
       [](Values &v) {
         v.r[2] = v.r[1];
         v.r[3] = v.r[0];
       }});
  cases.push_back({toLds +
                       "  ds_write2st64_b64 v16, v[8:9], v[10:11] offset0:2 "
                       "offset1:4\n  s_waitcnt lgkmcnt(0)\n  ds_read2st64_b64 "
                       "v[8:11], v16 offset0:4 offset1:2" +
                       fromLds,
                   [](Values &v) {
                     std::swap(v.r[0], v.r[2]);
                     std::swap(v.r[1], v.r[3]);
                   }});
  cases.push_back(
      {"  s_movk_i32 m0, 0x400\n  ds_write_addtid_b32 v8 offset:64\n  "
       "s_waitcnt lgkmcnt(0)\n  ds_read_addtid_b32 v9 offset:64\n  "
       "v_lshlrev_b32 v24, 2, v0\n  ds_read_b32 v10, v24 offset:1088",
       [](Values &v) { v.r[1] = v.r[2] = v.r[0]; }});
  // A counter that moves by the number of active lanes.
  cases.push_back({"  v_mov_b32 v24, 0\n  v_mov_b32 v25, 100\n  ds_write_b32 "
                   "v24, v25 offset:1024\n  s_movk_i32 m0, 0x400\n  s_waitcnt "
                   "lgkmcnt(0)\n  s_mov_b64 exec, 0x7f\n  ds_append v8\n  "
                   "ds_consume v9\n  ds_consume v10\n  s_mov_b64 exec, -1\n  "
                   "s_waitcnt lgkmcnt(0)\n  ds_read_b32 v11, v24 offset:1024",
                   [](Values &v) {
                     if (v.lane < 7) {
                       v.r[0] = 100;
                       v.r[1] = 107;
                       v.r[2] = 100;
                     }
                     v.r[3] = 93;
                   }});
  checkInstructions(cases);
}

// Words and halves through formats of as many components, nothing converted.
TEST(Accesses, Typed) {
  std::vector<InstructionCase> cases;
  // The resource's own format stands in its last word: UINT is 4.
  auto resource = [](unsigned dataFormat) {
    unsigned word3 = 4 | 5 << 3 | 6 << 6 | 7 << 9 | 4 << 12 | dataFormat << 15;
    return "  s_mov_b64 s[12:13], s[4:5]\n  s_mov_b32 s14, -1\n  s_mov_b32 "
           "s15, " +
           std::to_string(word3) + "\n";
  };
  struct Components {
    const char *name, *registers, *halves, *format;
    unsigned count, number;
  };
  for (const Components &c :
       {Components{"x", "v8", "v8", "32", 1, 4},
        Components{"xy", "v[8:9]", "v8", "32_32", 2, 11},
        Components{"xyz", "v[8:10]", "v[8:9]", "32_32_32", 3, 13},
        Components{"xyzw", "v[8:11]", "v[8:9]", "32_32_32_32", 4, 14}}) {
    std::string name = c.name, words = c.registers, halves = c.halves;
    std::string typed = std::string(" format:[BUF_DATA_FORMAT_") + c.format +
                        ",BUF_NUM_FORMAT_UINT]";
    unsigned n = c.count;
    auto load = [n](Values &v) {
      for (unsigned i = 0; i < n; ++i)
        v.r[i] = v.m[i];
    };
    auto store = [n](Values &v) {
      for (unsigned i = 0; i < n; ++i)
        v.m[i] = v.r[i];
    };
    std::string from = ", v1, s[12:15], 0 offen";
    std::string typedFrom = ", v1, s[12:15], 0" + typed + " offen";
    cases.push_back({resource(c.number) + "  buffer_load_format_" + name + " " +
                         words + from,
                     load});
    cases.push_back({resource(c.number) + "  tbuffer_load_format_" + name +
                         " " + words + typedFrom,
                     load});
    cases.push_back({resource(c.number) + "  buffer_store_format_" + name +
                         " " + words + from,
                     store});
    cases.push_back({resource(c.number) + "  tbuffer_store_format_" + name +
                         " " + words + typedFrom,
                     store});
    // Halves are packed in registers; words in memory get zeros above them.
    auto half = [](const uint32_t *words, unsigned i) {
      return words[i / 2] >> 16 * (i % 2) & 0xffff;
    };
    auto loadHalves = [n, half](Values &v) {
      uint32_t packed[2] = {};
      for (unsigned i = 0; i < n; ++i)
        packed[i / 2] |= half(v.m, i) << 16 * (i % 2);
      // A register is written whole.
      for (unsigned i = 0; i < (n + 1) / 2; ++i)
        v.r[i] = packed[i];
    };
    auto storeHalves = [n, half](Values &v) {
      for (unsigned i = 0; i < n; ++i)
        v.m[i] = half(v.r, i);
    };
    std::string four =
        ", v1, s[12:15], 0 "
        "format:[BUF_DATA_FORMAT_16_16_16_16,BUF_NUM_FORMAT_UINT] offen";
    constexpr unsigned fourHalves = 12;
    std::string cutLast = n % 2 ? "\n  s_waitcnt vmcnt(0)\n  v_and_b32 v" +
                                      std::to_string(8 + n / 2) +
                                      ", 0xffff, v" + std::to_string(8 + n / 2)
                                : "";
    cases.push_back({resource(fourHalves) + "  buffer_load_format_d16_" + name +
                         " " + halves + from + cutLast,
                     loadHalves});
    cases.push_back({resource(fourHalves) + "  tbuffer_load_format_d16_" +
                         name + " " + halves + four + cutLast,
                     loadHalves});
    cases.push_back({resource(c.number) + "  buffer_store_format_d16_" + name +
                         " " + halves + from,
                     storeHalves});
    cases.push_back({resource(c.number) + "  tbuffer_store_format_d16_" + name +
                         " " + halves + typedFrom,
                     storeHalves});
  }
  cases.push_back(
      {resource(2) + "  buffer_load_format_d16_hi_x v8, v1, "
                     "s[12:15], 0 offen",
       [](Values &v) { v.r[0] = (v.r[0] & 0xffff) | v.m[0] << 16; }});
  cases.push_back(
      {resource(2) + "  buffer_store_format_d16_hi_x v8, v1, "
                     "s[12:15], 0 offen",
       [](Values &v) { v.m[0] = (v.m[0] & 0xffff0000) | v.r[0] >> 16; }});
  checkInstructions(cases);
}

} // namespace
