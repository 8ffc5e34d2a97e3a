//===- GemmLayouts.cpp - Register layouts of a gemm on the matrix core ----===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layouts are those of the CDNA3 ISA's matrix instructions (docs/layouts.md
// has the tables). For m = 32, 4 wavefronts as 2 x 2, a 64 x 64 result with
// `swapped`:
//
//   rows  [32:t1, 2:t64]               a lane holds one row, lane mod 32
//   cols  [4:r1, 2:t32, 4:r4, 2:t128]  four in a row, then the lane halves
//
//===----------------------------------------------------------------------===//

#include "tlc/Dialect/Tile/Transforms/GemmLayouts.h"
#include "BufferUse.h"
#include "LayoutInference.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

/// Of a buffer.
static Type elementType(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getElementType();
}

FailureOr<GemmTypes> tile::getGemmTypes(GemmOp gemm) {
  Type a = elementType(gemm.getA()), b = elementType(gemm.getB());
  Type c = elementType(gemm.getC());
  MLIRContext *ctx = gemm.getContext();
  Type f32 = Float32Type::get(ctx), f16 = Float16Type::get(ctx);
  auto fnuz = [](Type t) {
    return isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(t);
  };
  // OCP fp8 is exact in f16: e4m3fn has fewer exponent and mantissa bits, and
  // e5m2 is f16's upper byte.
  auto widen = [&](Type t) {
    return isa<Float8E4M3FNType, Float8E5M2Type>(t) ? f16 : t;
  };
  // Only a pair of FNUZ operands has an 8-bit instruction; mixed with anything
  // else they are widened. e4m3fnuz and e5m2fnuz lie within f16's range.
  if (!(fnuz(a) && fnuz(b))) {
    a = fnuz(a) ? f16 : widen(a);
    b = fnuz(b) ? f16 : widen(b);
  }
  bool floating = isa<FloatType>(a) && isa<FloatType>(c);
  if (floating && ((fnuz(a) && fnuz(b)) ||
                   (a == b && (a.isF16() || a.isBF16() || a.isF32()))))
    if (c.isF32() || c.isF16() || c.isBF16())
      return GemmTypes{a, b, f32};
  if (a == b && a.isInteger(8) && c.isInteger(32))
    return GemmTypes{a, b, c};
  return failure();
}

/// For example f16 at m = 32: four elements a lane on two lane groups, k = 8.
int64_t tile::getInstructionK(int64_t m, Type operand) {
  int64_t bytes = operand.getIntOrFloatBitWidth() / 8;
  // A lane holds 8 bytes of an operand, or one f32.
  int64_t kRegs = bytes == 4 ? 1 : 8 / bytes;
  return kRegs * 64 / m;
}

GemmConfig tile::getGemmConfig(GemmOp gemm) {
  ArrayRef<int64_t> a = *gemm.getMfma();
  GemmConfig c{a[0], a[2], a[3], a[4], a[5] != 0};
  if (a.size() > 6) {
    c.runM = a[6];
    c.runN = a[7];
  }
  return c;
}

int64_t tile::longestRun(int64_t extent, int64_t rows) {
  constexpr int64_t kLongest = 4;
  return extent % rows ? 1 : std::gcd(extent / rows, kLongest);
}

/// Tries each split of the wavefronts into wm x wn that the policy allows.
/// Costs are per wavefront and workgroup step: passes of the matrix core, and
/// the bytes that all its operand reads bring from LDS, at 64 bytes a cycle and
/// port. Ties go to fewer wavefronts along M.
GemmChoice tile::chooseGemmConfig(GemmOp gemm, const GemmTypes &types,
                                  int64_t threads, int64_t m,
                                  std::array<bool, 2> runs) {
  int64_t M = gemm.getM(), N = gemm.getN(), K = gemm.getK();
  int64_t waves = threads / 64;
  GemmChoice best{{}, 0};
  bool found = false;
  // FullRow (FullCol) gives M (N) as many wavefronts as have 16 rows each.
  auto limit = [&](int64_t extent) {
    int64_t n = 1;
    for (int64_t d = 1; d <= waves; ++d)
      if (waves % d == 0 && d * 16 <= std::max<int64_t>(extent, 16))
        n = d;
    return n;
  };
  for (int64_t wm = 1; wm <= waves; ++wm) {
    if (waves % wm)
      continue;
    if (gemm.getPolicy() == WarpPolicy::FullRow && wm != limit(M))
      continue;
    if (gemm.getPolicy() == WarpPolicy::FullCol && waves / wm != limit(N))
      continue;
    GemmConfig c{m, getInstructionK(m, types.operandA), wm, waves / wm, true};
    double rm = c.repsM(M), rn = c.repsN(N);
    // f32 needs twice the cycles an instruction (16 passes for 32x32x2).
    double steps = llvm::divideCeil(K, c.k);
    double matrix = rm * rn * steps * (m == 32 ? 32 : 16) *
                    (types.operandA.isF32() ? 2 : 1);
    // A 16-byte LDS read of a wavefront takes 16 cycles of its port. Without
    // runs an operand across k takes four times as many instructions, and what
    // writes the tile as well.
    auto weight = [&](unsigned o) {
      constexpr double kWeights[] = {4, 1.25, 1};
      int64_t rows = m * (o == 0 ? c.wavesM : c.wavesN);
      return runs[o] ? kWeights[llvm::Log2_64(longestRun(o == 0 ? M : N, rows))]
                     : 1;
    };
    double bytes = (rm * weight(0) + rn * weight(1)) * m * K *
                   types.operandA.getIntOrFloatBitWidth() / 8;
    double cost = matrix + bytes / 64;
    if (!found || cost < best.cost) {
      best = {c, cost};
      found = true;
    }
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

static void push(Layout::Digits &digits, int64_t extent, Place place,
                 int64_t stride) {
  if (extent > 1)
    digits.push_back({extent, place, stride});
}

/// Registers: the instruction's own (accRegs) first, then repetitions along N,
/// then along M; wavefronts: M first, then N. Repetitions of a run are
/// neighbours in the tile.
Layout tile::getAccumulatorLayout(GemmOp gemm) {
  GemmConfig c = getGemmConfig(gemm);
  int64_t repsM = c.repsM(gemm.getM()), repsN = c.repsN(gemm.getN());
  // Groups of the result interleave in fours: row 8 (r div 4) + 4 (lane div 32)
  // + r mod 4 for m = 32.
  Layout::Digits lane, groups; // one lane each; groups of four registers
  push(lane, c.m, Place::Thread, 1);
  push(groups, 4, Place::Register, 1);
  push(groups, c.kLanes(), Place::Thread, c.m);
  push(groups, c.m / 4 / c.kLanes(), Place::Register, 4);
  int64_t rowStride = c.accRegs() * repsN;
  Layout::Digits rows, cols;
  push(cols, c.runN, Place::Register, c.accRegs());
  llvm::append_range(cols, c.swapped ? groups : lane);
  push(cols, repsN / c.runN, Place::Register, c.accRegs() * c.runN);
  push(cols, c.wavesN, Place::Thread, 64 * c.wavesM);
  push(rows, c.runM, Place::Register, rowStride);
  llvm::append_range(rows, c.swapped ? lane : groups);
  push(rows, repsM / c.runM, Place::Register, rowStride * c.runM);
  push(rows, c.wavesM, Place::Thread, 64);
  return Layout({rows, cols});
}

/// Swaps the two dimensions for an operand stored with k outermost.
Layout tile::asRowsByK(GemmOp gemm, unsigned operand, const Layout &buffer) {
  unsigned rank = buffer.rank();
  Layout::Digits rows(buffer.dim(rank - 2)), k(buffer.dim(rank - 1));
  if (!isKInnermost(gemm, operand))
    std::swap(rows, k);
  return Layout({rows, k}, {}, buffer.threadXorTerms());
}

bool tile::isKInnermost(GemmOp gemm, unsigned operand) {
  return operand == 0 ? !gemm.getTransA() : gemm.getTransB();
}

/// The k digits of a fragment with register strides counted from 1: other
/// dimensions may lie between its registers, but the order is what operands
/// must agree on.
static Layout::Digits renumbered(ArrayRef<Digit> digits) {
  Layout::Digits result;
  int64_t stride = 1;
  for (Digit d : digits) {
    if (d.place == Place::Register) {
      d.stride = stride;
      stride *= d.extent;
    }
    result.push_back(d);
  }
  return result;
}

/// Whether k sits on exactly the lane groups of the instruction and on whole
/// steps of its registers: then a step takes kRegs neighbours.
static bool isUsableK(const GemmConfig &c, ArrayRef<Digit> digits) {
  int64_t registers = 1;
  unsigned threadDigits = 0;
  for (const Digit &d : digits) {
    if (d.place == Place::Register) {
      registers *= d.extent;
      continue;
    }
    if (d.extent != c.kLanes() || d.stride != c.m)
      return false;
    ++threadDigits;
  }
  return threadDigits == 1 && registers % c.kRegs() == 0;
}

/// The layout of an operand that is a whole fragment and has one.
static std::optional<Layout> fragmentLayout(Value operand) {
  auto alloc = operand.getDefiningOp<AllocOp>();
  if (!alloc || getSpace(operand) != Space::Fragment || !alloc.getLayout())
    return std::nullopt;
  // The matrix core counts lanes up, and XORs none.
  Layout layout = alloc.getLayout()->getLayout();
  return layout.countsUp() ? std::optional(layout) : std::nullopt;
}

/// The order of k in which another product takes the same tile, where a result
/// in registers decides that one: LDS holds the tile transposed in one order
/// only.
static std::optional<Layout::Digits> sharedOrderOfK(GemmOp gemm) {
  GemmConfig c = getGemmConfig(gemm);
  if (getSpace(gemm.getA()) != Space::Shared ||
      getSpace(gemm.getB()) != Space::Shared)
    return std::nullopt;
  for (unsigned operand : {0u, 1u}) {
    Value base = getBase(gemm->getOperand(operand));
    if (isKInnermost(gemm, operand) || !wantsTranspose(base))
      continue;
    for (const BufferUse &use : getAllUses(base)) {
      auto other = dyn_cast<GemmOp>(use.op);
      if (!other || !other.getMfma() || other.getK() != gemm.getK() ||
          getGemmConfig(other).m != c.m || getGemmConfig(other).k != c.k)
        continue;
      unsigned fed = use.buffer == other.getA() ? 1 : 0;
      std::optional<Layout> layout = fragmentLayout(other->getOperand(fed));
      if (!layout || isKInnermost(other, 1 - fed))
        continue;
      Layout rowsByK = asRowsByK(other, fed, *layout);
      if (isUsableK(c, rowsByK.dim(1)))
        return renumbered(rowsByK.dim(1));
    }
  }
  return std::nullopt;
}

/// The first operand with a usable layout decides. Without one, the default
/// lets a lane read 16 bytes of consecutive k at once (two steps of f16), and
/// both operands permute k the same way, which the sum does not see.
Layout::Digits tile::getKDigits(GemmOp gemm) {
  GemmConfig c = getGemmConfig(gemm);
  for (unsigned operand : {0, 1}) {
    Value buffer = operand == 0 ? gemm.getA() : gemm.getB();
    std::optional<Layout> layout = fragmentLayout(buffer);
    if (!layout)
      continue;
    Layout rowsByK = asRowsByK(gemm, operand, *layout);
    if (isUsableK(c, rowsByK.dim(1)))
      return renumbered(rowsByK.dim(1));
  }
  if (auto digits = sharedOrderOfK(gemm))
    return *digits;
  // Free choice: 16 bytes of k a lane where K has them.
  Type operand = elementType(gemm.getA());
  int64_t perRead = std::max<int64_t>(
      c.kRegs(), 16 / llvm::divideCeil(operand.getIntOrFloatBitWidth(), 8));
  int64_t K = gemm.getK();
  // A K that is no multiple of that falls back to one step at a time.
  if (K % (perRead * c.kLanes()))
    perRead = c.kRegs();
  Layout::Digits digits;
  push(digits, c.kRegs(), Place::Register, 1);
  push(digits, perRead / c.kRegs(), Place::Register, c.kRegs());
  push(digits, c.kLanes(), Place::Thread, c.m);
  push(digits, llvm::divideCeil(K, perRead * c.kLanes()), Place::Register,
       perRead);
  return digits;
}

/// Rows: instruction's rows in lanes, repetitions in registers above k (those
/// of a run below the lanes), wavefronts outermost as in the result; wavefronts
/// along the other dimension hold copies.
Layout tile::getOperandLayout(GemmOp gemm, unsigned operand) {
  GemmConfig c = getGemmConfig(gemm);
  Layout::Digits k = getKDigits(gemm), rows;
  int64_t kRegisters = 1;
  for (const Digit &d : k)
    if (d.place == Place::Register)
      kRegisters *= d.extent;
  bool isA = operand == 0;
  int64_t run = isA ? c.runM : c.runN;
  int64_t reps = isA ? c.repsM(gemm.getM()) : c.repsN(gemm.getN());
  push(rows, run, Place::Register, kRegisters);
  push(rows, c.m, Place::Thread, 1);
  push(rows, reps / run, Place::Register, kRegisters * run);
  push(rows, isA ? c.wavesM : c.wavesN, Place::Thread,
       isA ? 64 : 64 * c.wavesM);
  return Layout({rows, k});
}

Layout tile::getOperandBufferLayout(GemmOp gemm, unsigned operand) {
  Layout rowsByK = getOperandLayout(gemm, operand);
  if (isKInnermost(gemm, operand))
    return rowsByK;
  return Layout(
      {Layout::Digits(rowsByK.dim(1)), Layout::Digits(rowsByK.dim(0))});
}

/// The thread digits with the index stride each stands for.
static SmallVector<std::array<int64_t, 3>>
threadDigits(ArrayRef<Digit> digits) {
  SmallVector<std::array<int64_t, 3>> result;
  int64_t scale = 1;
  for (const Digit &d : digits) {
    if (d.place == Place::Thread)
      result.push_back({scale, d.extent, d.stride});
    scale *= d.extent;
  }
  return result;
}

/// Registers may be numbered in any way, so only the thread digits of the rows
/// are compared, with the index each starts at.
bool tile::canFeed(GemmOp gemm, unsigned operand, const Layout &rowsByK) {
  GemmConfig c = getGemmConfig(gemm);
  if (!rowsByK.countsUp() || !isUsableK(c, rowsByK.dim(1)) ||
      renumbered(rowsByK.dim(1)) != getKDigits(gemm))
    return false;
  Layout wanted = getOperandLayout(gemm, operand);
  return threadDigits(wanted.dim(0)) == threadDigits(rowsByK.dim(0)) &&
         wanted.covered(0) == rowsByK.covered(0);
}
