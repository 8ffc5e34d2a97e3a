//===- MatrixTests.cpp - Layouts of the matrix instructions ---------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All 46 MFMA and SMFMAC instructions: operands are filled with small integers
// by the layout facts of test/Simulator/data, so that every product and sum is
// exact, and each element of the result is compared with the matrix product.
//
//===----------------------------------------------------------------------===//

#include "Assembler.h"

#include <map>
#include <sstream>

using namespace tlc::test;

namespace {

struct Place {
  int block, row, column;
};
struct Operand {
  int bits = 0;
  std::vector<Place> lanes[64]; ///< in register order
};
struct Layout {
  int m = 0, n = 0, k = 0, blocks = 0;
  std::map<std::string, Operand> operands;
};

std::map<std::string, Layout> readLayouts() {
  std::map<std::string, Layout> layouts;
  std::ifstream file(TLC_MFMA_LAYOUTS);
  std::string line;
  Layout *layout = nullptr;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#')
      continue;
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (first.starts_with("v_")) {
      layout = &layouts[first];
      words >> layout->m >> layout->n >> layout->k >> layout->blocks;
      continue;
    }
    Operand &operand = layout->operands[first];
    words >> operand.bits;
    for (auto &lane : operand.lanes) {
      std::getline(file, line);
      std::istringstream runs(line);
      Place p;
      char dot, axis;
      int count;
      while (runs >> p.block >> dot >> p.row >> dot >> p.column >> axis >>
             count)
        for (int i = 0; i < count; ++i)
          lane.push_back({p.block, p.row + (axis == 'r' ? i : 0),
                          p.column + (axis == 'c' ? i : 0)});
    }
  }
  return layouts;
}

/// Encodes a small integer in the element type named in a mnemonic.
uint64_t encode(const std::string &type, int v) {
  if (type == "i8")
    return uint8_t(v);
  if (type == "f16")
    return toHalf(float(v));
  if (type == "bf16")
    return toBf16(float(v));
  if (type == "f64") {
    double d = v;
    uint64_t bits;
    std::memcpy(&bits, &d, 8);
    return bits;
  }
  if (type == "fp8" || type == "bf8") {
    // Signs, powers of two and their halves: 0, 1, 2, 3, 4.
    int mantissa = type == "fp8" ? 3 : 2, bias = type == "fp8" ? 8 : 16;
    if (v == 0)
      return 0;
    int a = std::abs(v), e = a >= 4 ? 2 : a >= 2 ? 1 : 0;
    int fraction = (a - (1 << e)) * (1 << mantissa) >> e;
    return (v < 0 ? 0x80 : 0) | ((e + bias) << mantissa | fraction);
  }
  float f = float(v);
  uint32_t bits;
  std::memcpy(&bits, &f, 4);
  return bits;
}

/// Small, different for neighbours, and not symmetric.
int valueOf(int block, int row, int column, int salt) {
  return (block * 5 + row * 3 + column * 7 + row * column + salt) % 9 - 4;
}

/// Registers of one operand: [register][lane].
struct Registers {
  std::vector<uint32_t> words;
  explicit Registers(unsigned count) : words(count * 64) {}
  void set(unsigned lane, unsigned bit, unsigned bits, uint64_t value) {
    for (unsigned i = 0; i < bits; i += 32) {
      unsigned at = bit + i;
      uint32_t &word = words[at / 32 * 64 + lane];
      unsigned width = std::min(bits - i, 32u);
      uint32_t mask = width == 32 ? ~0u : (1u << width) - 1;
      word |= (uint32_t(value >> i) & mask) << (at % 32);
    }
  }
};

unsigned registersOf(const Operand &operand, bool pairs = false) {
  size_t elements = operand.lanes[0].size();
  size_t bits = pairs ? elements / 4 * operand.bits : elements * operand.bits;
  return unsigned((bits + 31) / 32);
}

std::string range(char file, unsigned first, unsigned count) {
  if (count == 1)
    return std::string(1, file) + std::to_string(first);
  return std::string(1, file) + "[" + std::to_string(first) + ":" +
         std::to_string(first + count - 1) + "]";
}

/// Loads or stores `count` registers, 256 bytes each, through s[base:base+1].
std::string transfer(bool load, char file, unsigned first, unsigned count,
                     unsigned base) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) {
    std::string reg = range(file, first + i, 1);
    std::string pointer =
        "s[" + std::to_string(base) + ":" + std::to_string(base + 1) + "]";
    text += "  v_add_u32 v252, " + std::to_string(i * 256) + ", v251\n";
    text += load ? "  global_load_dword " + reg + ", v252, " + pointer + "\n"
                 : "  global_store_dword v252, " + reg + ", " + pointer + "\n";
  }
  return text;
}

class MatrixLayout : public ::testing::Test {};

TEST(MatrixLayout, AllAgreeWithTheFacts) {
  if (!hasAssembler())
    GTEST_SKIP() << "no clang to assemble with";
  auto layouts = readLayouts();
  ASSERT_EQ(layouts.size(), 46u);
  std::vector<AsmKernel> kernels;
  for (auto &[name, layout] : layouts) {
    bool sparse = name.find("smfmac") != name.npos;
    unsigned a = registersOf(layout.operands["A"], sparse),
             b = registersOf(layout.operands["B"]),
             c = registersOf(layout.operands["CD"]);
    std::string text = "  s_load_dwordx8 s[8:15], s[0:1], 0x0\n"
                       "  s_load_dwordx2 s[16:17], s[0:1], 0x20\n"
                       "  v_lshlrev_b32 v251, 2, v0\n"
                       "  s_waitcnt lgkmcnt(0)\n";
    text += transfer(true, 'v', 16, a, 8) + transfer(true, 'v', 32, b, 10) +
            transfer(true, 'a', 64, c, 12) + transfer(true, 'v', 48, 1, 14);
    text += "  s_waitcnt vmcnt(0)\n  " + name + " " + range('a', 64, c) + ", " +
            range('v', 16, a) + ", " + range('v', 32, b) + ", " +
            (sparse ? "v48" : range('a', 64, c)) + "\n  s_nop 15\n  s_nop 15\n";
    text += transfer(false, 'a', 64, c, 16);
    kernels.push_back({name, text});
  }
  std::vector<uint8_t> image = assemble(kernels);
  ASSERT_FALSE(image.empty());

  for (auto &[name, layout] : layouts) {
    SCOPED_TRACE(name);
    bool sparse = name.find("smfmac") != name.npos;
    // Types: the accumulator's after "mfma_", A's and B's at the end.
    std::string accumulator =
        name.substr(name.find("mac_") != name.npos ? name.find("mac_") + 4
                                                   : name.find("mfma_") + 5,
                    3);
    std::string typeB = name.substr(name.rfind('_') + 1);
    std::string before = name.substr(0, name.rfind('_'));
    std::string typeA = before.substr(before.rfind('_') + 1);
    if (typeA != "fp8" && typeA != "bf8")
      typeA = typeB;
    bool integer = accumulator == "i32", wide = accumulator == "f64";
    const Operand &oa = layout.operands["A"], &ob = layout.operands["B"],
                  &oc = layout.operands["CD"];
    Registers ra(registersOf(oa, sparse)), rb(registersOf(ob)),
        rc(registersOf(oc)), index(1);
    auto at = [&](int block, int i, int j, int width) {
      return (block * layout.m + i) * width + j;
    };
    std::vector<int> ma(layout.blocks * layout.m * layout.k),
        mb(layout.blocks * layout.k * layout.n);
    for (unsigned lane = 0; lane < 64; ++lane) {
      const auto &elements = oa.lanes[lane];
      int bitsA = sparse ? oa.bits / 2 : oa.bits;
      if (sparse) {
        // Of each four columns two are stored; the index names them.
        for (size_t g = 0; g * 4 < elements.size(); ++g) {
          Place p = elements[g * 4];
          int i0 = int(lane + g) % 3,
              i1 = i0 + 1 + int(lane / 7 + g) % (3 - i0);
          index.set(lane, unsigned(g * 4), 4, uint64_t(i0 | i1 << 2));
          for (int s = 0; s < 2; ++s) {
            int v = valueOf(p.block, p.row, p.column + s, 1);
            ma[at(p.block, p.row, p.column + (s ? i1 : i0), layout.k)] = v;
            ra.set(lane, unsigned((g * 2 + s) * bitsA), bitsA,
                   encode(typeA, v));
          }
        }
      } else {
        for (size_t e = 0; e < elements.size(); ++e) {
          Place p = elements[e];
          int v = valueOf(p.block, p.row, p.column, 1);
          ma[at(p.block, p.row, p.column, layout.k)] = v;
          ra.set(lane, unsigned(e * bitsA), bitsA, encode(typeA, v));
        }
      }
      for (size_t e = 0; e < ob.lanes[lane].size(); ++e) {
        Place p = ob.lanes[lane][e];
        int v = valueOf(p.block, p.row, p.column, 2);
        mb[(p.block * layout.k + p.row) * layout.n + p.column] = v;
        rb.set(lane, unsigned(e * ob.bits), ob.bits, encode(typeB, v));
      }
      for (size_t e = 0; e < oc.lanes[lane].size(); ++e) {
        Place p = oc.lanes[lane][e];
        int v = valueOf(p.block, p.row, p.column, 3);
        uint64_t raw = integer ? uint32_t(v) : encode(wide ? "f64" : "f32", v);
        rc.set(lane, unsigned(e * oc.bits), oc.bits, raw);
      }
    }
    Buffer da = Buffer::of(ra.words), db = Buffer::of(rb.words),
           dc = Buffer::of(rc.words), di = Buffer::of(index.words),
           dd = Buffer::of(rc.words);
    Kernel kernel(image, name);
    ASSERT_TRUE(kernel.function);
    ASSERT_EQ(kernel({1}, {64}, 0, da.pointer, db.pointer, dc.pointer,
                     di.pointer, dd.pointer),
              tlc::hip::hipSuccess)
        << tlc::sim::lastLaunch().report;
    auto words = dd.values<uint32_t>();
    int wrong = 0;
    for (unsigned lane = 0; lane < 64; ++lane)
      for (size_t e = 0; e < oc.lanes[lane].size(); ++e) {
        Place p = oc.lanes[lane][e];
        int expected = valueOf(p.block, p.row, p.column, 3);
        for (int k = 0; k < layout.k; ++k)
          expected += ma[at(p.block, p.row, k, layout.k)] *
                      mb[(p.block * layout.k + k) * layout.n + p.column];
        double actual;
        size_t r = e * oc.bits / 32;
        if (wide) {
          uint64_t raw =
              words[r * 64 + lane] | uint64_t(words[(r + 1) * 64 + lane]) << 32;
          std::memcpy(&actual, &raw, 8);
        } else if (integer) {
          actual = int32_t(words[r * 64 + lane]);
        } else {
          float f;
          std::memcpy(&f, &words[r * 64 + lane], 4);
          actual = f;
        }
        wrong += actual != expected;
      }
    EXPECT_EQ(wrong, 0);
  }
}

} // namespace
