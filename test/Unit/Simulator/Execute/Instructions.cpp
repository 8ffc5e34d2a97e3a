//===- Instructions.cpp - Single instructions against the host ------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each element of the input is 64 bytes: A, B, C, results before, memory before
// and the bit; of the output 36: results and the bit. Vector cases have one
// element a lane, scalar ones one a workgroup.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

#include <sstream>

using namespace tlc;
using namespace tlc::test;

namespace {

constexpr unsigned inputWords = 16, outputWords = 8, elements = 256;

// Arguments: input, output, memory. s2 is the workgroup.
constexpr const char *vectorBegin = R"(
  s_load_dwordx4 s[8:11], s[0:1], 0x0
  s_load_dwordx2 s[4:5], s[0:1], 0x10
  s_mov_b64 s[6:7], -1
  s_lshl_b32 s3, s2, 6
  v_add_u32 v12, s3, v0
  v_lshlrev_b32 v13, 6, v12
  v_lshlrev_b32 v1, 4, v12
  v_lshlrev_b32 v14, 5, v12
  s_waitcnt lgkmcnt(0)
  global_load_dwordx4 v[2:5], v13, s[8:9]
  global_load_dwordx2 v[6:7], v13, s[8:9] offset:16
  global_load_dwordx4 v[8:11], v13, s[8:9] offset:24
  global_load_dword v15, v13, s[8:9] offset:56
  s_mov_b32 s6, -1 ; a buffer of the memory
  s_mov_b32 s7, 0x20000
  v_lshlrev_b32 v16, 4, v0 ; a place in LDS for each lane
  v_mov_b32 v17, 0
  s_mov_b32 m0, -1
  s_waitcnt vmcnt(0)
  v_cmp_ne_u32 vcc, 0, v15
  s_nop 4
)";
constexpr const char *vectorEnd = R"(
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_mov_b64 s[30:31], vcc
  s_mov_b64 exec, -1
  s_nop 7
  s_nop 7
  v_cndmask_b32 v15, 0, 1, s[30:31]
  global_store_dwordx4 v14, v[8:11], s[10:11]
  global_store_dword v14, v15, s[10:11] offset:16
)";
constexpr const char *scalarBegin = R"(
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_load_dwordx2 s[20:21], s[0:1], 0x10
  s_lshl_b32 s3, s2, 6
  s_lshl_b32 s24, s2, 4
  s_lshl_b32 s25, s2, 5
  s_waitcnt lgkmcnt(0)
  s_add_u32 s20, s20, s24
  s_addc_u32 s21, s21, 0
  s_mov_b32 s22, 16 ; a buffer of these bytes
  s_mov_b32 s23, 0x20000
  s_add_u32 s4, s4, s3
  s_addc_u32 s5, s5, 0
  s_add_u32 s6, s6, s25
  s_addc_u32 s7, s7, 0
  s_load_dwordx4 s[8:11], s[4:5], 0x0
  s_load_dwordx2 s[12:13], s[4:5], 0x10
  s_load_dwordx4 s[16:19], s[4:5], 0x18
  s_load_dword s26, s[4:5], 0x38
  v_mov_b32 v1, 0
  s_waitcnt lgkmcnt(0)
  s_cmp_lg_u32 s26, 0
)";
constexpr const char *scalarEnd = R"(
  s_cselect_b32 s26, 1, 0
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_dcache_wb
  v_mov_b32 v8, s16
  v_mov_b32 v9, s17
  v_mov_b32 v10, s18
  v_mov_b32 v11, s19
  v_mov_b32 v15, s26
  global_store_dwordx4 v1, v[8:11], s[6:7]
  global_store_dword v1, v15, s[6:7] offset:16
)";

/// Of any kind: random, small, equal to others, edges of formats.
std::vector<uint32_t> makeInput() {
  std::vector<uint32_t> words(size_t(elements) * inputWords);
  std::mt19937 random(99);
  const uint32_t edges[] = {
      0,          1,          0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000,
      0xbf800000, 0x7f800000, 0xff800000, 0x00800000, 0x00000001, 0x807fffff,
      0x7f7fffff, 0x7fc00001, 0x7f800001, 0x00010001, 0x80007fff, 0x7c00fc00,
      0x3c00bc00, 0x00ff00ff, 0x7ff00000, 0xfff00000, 0x3ff00000, 0x40490fdb};
  for (uint32_t i = 0; i < elements; ++i) {
    uint32_t *e = words.data() + size_t(i) * inputWords;
    for (unsigned w = 0; w < inputWords; ++w) {
      e[w] = random();
      if (random() % 4 == 0)
        e[w] = edges[random() % std::size(edges)];
      if (random() % 8 == 0)
        e[w] = random() % 70;
      // Numbers of moderate size.
      if (random() % 4 == 0)
        e[w] = (e[w] & 0x83ffffff) | 0x3c000000;
    }
    if (i % 5 == 1) { // equal operands
      e[2] = e[0];
      e[3] = e[1];
    }
    e[14] = random() % 2;
  }
  return words;
}

Values valuesOf(const uint32_t *e, unsigned lane) {
  auto pair = [&](unsigned i) { return uint64_t(e[i + 1]) << 32 | e[i]; };
  Values v = {pair(0), pair(2), pair(4), {}, {}, e[14] != 0, lane};
  std::memcpy(v.r, e + 6, 16);
  std::memcpy(v.m, e + 10, 16);
  return v;
}

/// Replaces NaNs by one of them.
void makeCanonical(uint32_t *r, char nan) {
  auto half = [&](unsigned shift) {
    if ((r[0] >> shift & 0x7fff) > 0x7c00)
      r[0] = (r[0] & ~(0xffffu << shift)) | 0x7e00u << shift;
  };
  if (nan == 'h' || nan == 'p')
    half(0);
  if (nan == 'p')
    half(16);
  if (nan == 'f' && (r[0] & 0x7fffffff) > 0x7f800000)
    r[0] = 0x7fc00000;
  if (nan == 'd' &&
      ((uint64_t(r[1]) << 32 | r[0]) & ~(1ull << 63)) > 0x7ff0000000000000) {
    r[0] = 0;
    r[1] = 0x7ff80000;
  }
}

} // namespace

void tlc::test::checkInstructions(const std::vector<InstructionCase> &cases) {
  if (!hasAssembler())
    GTEST_SKIP() << "no clang to assemble with";
  std::vector<AsmKernel> kernels;
  for (size_t i = 0; i < cases.size(); ++i) {
    const InstructionCase &c = cases[i];
    std::string body = c.scalar ? scalarBegin + c.code + scalarEnd
                                : vectorBegin + c.code + vectorEnd;
    kernels.push_back({"k" + std::to_string(i), body, 4096, 64, 64});
  }
  std::vector<uint8_t> image = assemble(kernels);
  ASSERT_FALSE(image.empty());
  std::vector<uint32_t> input = makeInput();
  Buffer in = Buffer::of(input);
  Kernel kernel(image, "k0");
  for (size_t i = 0; i < cases.size(); ++i) {
    const InstructionCase &c = cases[i];
    std::vector<uint32_t> memory(elements * 4);
    for (unsigned e = 0; e < elements; ++e)
      std::memcpy(&memory[e * 4], &input[e * inputWords + 10], 16);
    Buffer mem = Buffer::of(memory);
    Buffer out = Buffer::of(std::vector<uint32_t>(elements * outputWords));
    ASSERT_EQ(table().hipModuleGetFunction(&kernel.function, kernel.module,
                                           ("k" + std::to_string(i)).c_str()),
              hip::hipSuccess);
    hip::hipError_t error =
        kernel({c.scalar ? elements : elements / 64}, {64}, 0, in.pointer,
               out.pointer, mem.pointer, in.pointer, in.pointer);
    EXPECT_EQ(error, hip::hipSuccess) << c.code << sim::lastLaunch().report;
    std::vector<uint32_t> results = out.values<uint32_t>();
    memory = mem.values<uint32_t>();
    unsigned shown = 0;
    for (unsigned e = 0; e < elements && shown < 3; ++e) {
      Values v = valuesOf(&input[e * inputWords], e % 64), before = v;
      c.host(v);
      makeCanonical(v.r, c.nan);
      makeCanonical(&results[e * outputWords], c.nan);
      uint32_t &result = results[e * outputWords];
      if (c.tolerance && result - v.r[0] + c.tolerance <= 2 * c.tolerance)
        result = v.r[0];
      bool same = std::memcmp(v.r, &results[e * outputWords], 16) == 0 &&
                  std::memcmp(v.m, &memory[e * 4], 16) == 0 &&
                  v.bit == (results[e * outputWords + 4] != 0);
      if (same)
        continue;
      ++shown;
      std::ostringstream text;
      text << c.code << std::hex << "\n  A " << before.a << " B " << before.b
           << " C " << before.c << " bit " << before.bit << "\n  results";
      for (unsigned w = 0; w < 4; ++w)
        text << ' ' << results[e * outputWords + w] << " (want " << v.r[w]
             << ')';
      text << "\n  memory";
      for (unsigned w = 0; w < 4; ++w)
        text << ' ' << memory[e * 4 + w] << " (want " << v.m[w] << ')';
      ADD_FAILURE() << text.str() << " bit " << results[e * outputWords + 4]
                    << " (want " << v.bit << ")";
    }
  }
}
