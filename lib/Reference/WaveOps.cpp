//===- WaveOps.cpp - Indices, exchanges and the matrix core ---------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From AMD's description of the instructions (CDNA3 ISA, chapter 7 and 12), not
// from what the lowering takes them to be.
//
//===----------------------------------------------------------------------===//

#include "WaveMachine.h"
#include <cmath>

using namespace tlc;
using namespace tlc::reference;

static const WaveData &dataOf(const Inst &inst) {
  return *static_cast<const WaveData *>(inst.extra);
}

/// dst = imm·wavefront + b·lane.
void tlc::reference::waveIndex(Frame &f, const Inst &inst) {
  for (unsigned l = 0; l < kLanes; ++l)
    f.at(inst.dst)[l].i = inst.imm * waveOf(f).index + inst.b * l;
}

void tlc::reference::waveBlockId(Frame &f, const Inst &inst) {
  std::fill_n(f.at(inst.dst), kLanes,
              Cell{.i = waveOf(f).group.blockId[inst.imm]});
}

/// Whether slot a has one value in the active lanes.
static bool isUniform(Frame &f, uint32_t slot) {
  int first = f.firstActive();
  for (unsigned l = 0; l < kLanes; ++l)
    if (f.active(l) && f.at(slot)[l].i != f.at(slot)[first].i)
      return false;
  return true;
}

/// a to dst; each lane's must be the same. NaNs differ in their bits only.
void tlc::reference::waveUniform(Frame &f, const Inst &inst) {
  int first = f.firstActive();
  if (first < 0)
    return;
  if (!isUniform(f, inst.a))
    return f.m.fail(inst, "a value that is taken to be the same in all lanes "
                          "differs between them");
  std::fill_n(f.at(inst.dst), kLanes, f.at(inst.a)[first]);
}

/// Whether the condition holds in any active lane; the same in all.
void tlc::reference::waveAny(Frame &f, const Inst &inst) {
  bool any = false;
  for (unsigned l = 0; l < kLanes; ++l)
    any |= f.active(l) && f.at(inst.a)[l].i;
  std::fill_n(f.at(inst.dst), kLanes, Cell{.i = any});
}

void tlc::reference::waveBallot(Frame &f, const Inst &inst) {
  uint64_t bits = 0;
  for (unsigned l = 0; l < kLanes; ++l)
    bits |= uint64_t(f.active(l) && f.at(inst.a)[l].i) << l;
  std::fill_n(f.at(inst.dst), kLanes, Cell{.i = int64_t(bits)});
}

/// c + a[0] * b[0] + a[1] * b[1], products and sums in f64, rounded once.
void tlc::reference::waveDot2(Frame &f, const Inst &inst) {
  auto &data = *static_cast<const WaveData *>(inst.extra);
  for (unsigned l = 0; l < kLanes; ++l) {
    double sum = f.at(data.c[0])[l].f;
    for (unsigned i = 0; i < 2; ++i)
      sum += f.at(data.a[i])[l].f * f.at(data.b[i])[l].f;
    f.at(data.dst[0])[l].f = double(float(sum));
  }
}

/// V_PERM_B32: bytes 0-3 of a selector are the lower operand's, 4-7 the upper
/// one's, 8-11 signs of their halves, 12 is 0x00 and all above 0xff.
void tlc::reference::wavePerm(Frame &f, const Inst &inst) {
  for (unsigned l = 0; l < kLanes; ++l) {
    uint64_t both = uint64_t(uint32_t(f.at(inst.a)[l].i)) << 32 |
                    uint32_t(f.at(inst.b)[l].i);
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      unsigned select = uint32_t(inst.imm) >> 8 * i & 0xff;
      uint32_t byte = 0xff;
      if (select < 8)
        byte = both >> 8 * select & 0xff;
      else if (select < 12)
        byte = both >> (16 * (select - 8) + 15) & 1 ? 0xff : 0;
      else if (select == 12)
        byte = 0;
      result |= byte << 8 * i;
    }
    f.at(inst.dst)[l].i = int32_t(result);
  }
}

/// Every element of a, from the lane in b's slot, or from lane ^ imm.
void tlc::reference::waveShuffle(Frame &f, const Inst &inst) {
  const WaveData &data = dataOf(inst);
  for (unsigned l = 0; l < kLanes; ++l) {
    unsigned from =
        data.b.empty() ? l ^ inst.imm : f.at(data.b[0])[l].i & (kLanes - 1);
    if (!f.active(l))
      continue;
    if (from >= kLanes || !f.active(from))
      return f.m.fail(inst, "lane " + llvm::Twine(l) + " reads lane " +
                                llvm::Twine(from) +
                                ", which does not run here");
    for (size_t e = 0; e < data.a.size(); ++e)
      f.at(data.dst[e])[l] = f.at(data.a[e])[from];
  }
}

/// The row of D that element r of a lane holds.
///   32 x 32: lane l, elements 0-3: rows 0-3 + 4 * (l / 32); 4-7: eight rows on
///   16 x 16: lane l, elements 0-3: rows 4 * (l / 16) ... + 3
///   f64 16 x 16: element r: row 4 * r + l / 16
static int64_t rowOfResult(const WaveData &d, unsigned lane, int64_t r) {
  if (d.type.bits == 64)
    return 4 * r + lane / 16;
  // Groups of four consecutive rows go round the lanes' blocks.
  int64_t blocks = kLanes / d.n;
  return 4 * (r / 4 * blocks + lane / d.n) + r % 4;
}

/// D = A·B + C. Lane l holds row (column) l mod m of A (B) and the l / m-th
/// share of k.
void tlc::reference::waveMfma(Frame &f, const Inst &inst) {
  const WaveData &d = dataOf(inst);
  if (f.mask)
    return f.m.fail(inst, "a matrix instruction runs where lanes are switched "
                          "off");
  auto number = [](Scalar type, Cell cell) {
    return type.isFloat() ? cell.f : double(cell.i);
  };
  // The matrices are put together from all lanes' elements, multiplied, and D
  // is taken apart again.
  std::vector<double> a(d.m * d.k), b(d.k * d.n), c(d.m * d.n, 0.0);
  for (unsigned l = 0; l < kLanes; ++l) {
    for (size_t e = 0; e < d.a.size(); ++e)
      a[l % d.m * d.k + l / d.m * d.a.size() + e] =
          number(d.aType, f.at(d.a[e])[l]);
    for (size_t e = 0; e < d.b.size(); ++e)
      b[(l / d.n * d.b.size() + e) * d.n + l % d.n] =
          number(d.bType, f.at(d.b[e])[l]);
  }
  gemmF64(a.data(), b.data(), c.data(), d.m, d.n, d.k);
  f.m.stats.multiplyAdds += d.m * d.n * d.k;
  for (unsigned l = 0; l < kLanes; ++l)
    for (size_t r = 0; r < d.dst.size(); ++r) {
      double sum = c[rowOfResult(d, l, r) * d.n + l % d.n];
      Cell old = f.at(d.c[r])[l];
      f.at(d.dst[r])[l] =
          d.type.isFloat() ? Cell{.f = d.type.format->round(old.f + sum)}
                           : decodeCell(d.type, uint64_t(old.i + int64_t(sum)));
    }
}

/// The bits of the elements in a, cut into elements of another width.
void tlc::reference::waveBitcast(Frame &f, const Inst &inst) {
  const WaveData &d = dataOf(inst);
  unsigned from = d.aType.bits, to = d.type.bits;
  for (unsigned l = 0; l < kLanes; ++l) {
    std::vector<uint8_t> bits(d.a.size() * from);
    for (size_t e = 0; e < d.a.size(); ++e) {
      uint64_t value = encodeCell(d.aType, f.at(d.a[e])[l]);
      for (unsigned i = 0; i < from; ++i)
        bits[e * from + i] = value >> i & 1;
    }
    for (size_t e = 0; e < d.dst.size(); ++e) {
      uint64_t value = 0;
      for (unsigned i = 0; i < to; ++i)
        value |= uint64_t(bits[e * to + i]) << i;
      f.at(d.dst[e])[l] = decodeCell(d.type, value);
    }
  }
}
