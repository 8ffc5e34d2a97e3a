//===- Matrix.cpp - MFMA --------------------------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operands are converted once, B laid out by rows, and each accumulator
// register is a sum over k of a scalar of A times a row of B, with one fused
// step per product. The order of sums inside the hardware is not published, so
// float results agree within a rounding per step. EXEC is ignored.
//
// v_mfma_T_MxNxK_Bb: D = A * B + C for B independent blocks, A being M x K and
// B K x N. A lane holds `perLane` consecutive elements of k for one row of A
// and one column of B; how lanes map to rows, columns and blocks is
// MatrixTile.h's matter. Fields cbsz, abid and blgp rearrange A and B between
// blocks and lanes (CDNA3 ISA, section on matrix instructions).
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "MatrixTile.h"

namespace tlc::sim::TLC_SIM_ISA {
namespace {

/// blgp: which lane's B a lane sees.
unsigned permutedLane(unsigned blgp, unsigned l) {
  switch (blgp) {
  case 1:
    return l & 31; // the first 32 to all
  case 2:
    return 32 | (l & 31);
  case 3:
    return (l + 16) & 63; // rotated by 16
  case 4:
  case 5:
  case 6:
  case 7:
    return (blgp - 4) * 16 | (l & 15); // one row of 16 to all
  }
  return l;
}

/// cbsz, abid: block `abid` of each run of 2^cbsz blocks of A serves the run.
unsigned broadcastBlock(const Instruction &inst, unsigned block) {
  unsigned run = 1u << inst.cbsz;
  return (block & ~(run - 1)) | (inst.abid & (run - 1));
}

/// One matrix instruction: unpack A and B to [block][k][row], apply blgp and
/// cbsz, multiply. About 2 n n K blocks operations of the host, in vectors.
template <typename A, typename B, typename S> void mfma(Wave &w, const Op &op) {
  using Sum = typename A::Sum;
  constexpr bool wide = sizeof(Sum) == 8;
  constexpr unsigned n = S::rows, K = S::depth;
  using Value = ValueOf<Sum>;
  alignas(64) Value a[S::blocks * n * K];
  alignas(64) Value b[S::blocks * n * K];
  const u32 *ra = w.vgpr + op.src[0].index, *rb = w.vgpr + op.src[1].index;
  const Instruction &inst = *op.inst;

  // Element e of the lane's registers is k = perLane * slice + e.
  for (unsigned e = 0; e < S::perLane; ++e)
    for (unsigned g = 0; g < S::groups; ++g) {
      unsigned block = g % S::blocks, k = S::perLane * (g / S::blocks) + e;
      Value *toB = b + (block * K + k) * n;
      Value *toA = a + (block * K + k) * n;
      if (wide || !inst.blgp) {
        for (unsigned i = 0; i < n; ++i)
          toB[i] = B::get(rawElement<B>(rb, g * n + i, e));
      } else {
        for (unsigned i = 0; i < n; ++i)
          toB[i] =
              B::get(rawElement<B>(rb, permutedLane(inst.blgp, g * n + i), e));
      }
      for (unsigned i = 0; i < n; ++i)
        toA[i] = A::get(rawElement<A>(ra, g * n + i, e));
    }
  if constexpr (S::blocks > 1 && !wide)
    if (inst.cbsz) {
      alignas(64) Value spread[S::blocks * n * K];
      for (unsigned block = 0; block < S::blocks; ++block)
        std::memcpy(spread + block * n * K,
                    a + broadcastBlock(inst, block) * n * K,
                    n * K * sizeof(Value));
      std::memcpy(a, spread, sizeof(a));
    }
  constexpr unsigned dwords = Accumulator<S, wide>::registers * sizeof(Sum) / 4;
  alignas(64) u32 room[dwords * waveLanes];
  const u32 *c = accumulatorInput(w, op, room, dwords, wide);
  if constexpr (wide) {
    // For f64 blgp holds signs of A, B and C.
    if (inst.blgp & 1)
      for (Value &v : a)
        v = -v;
    if (inst.blgp & 2)
      for (Value &v : b)
        v = -v;
    if (inst.blgp & 4) {
      for (unsigned i = 0; i < dwords; ++i)
        TLC_LANE_LOOP room[i * waveLanes + l] =
            c[i * waveLanes + l] ^ (i % 2 ? 0x80000000u : 0);
      c = room;
    }
  }
  // A multiplication and an addition for each product.
  w.matrixFlops += u64(2) * n * n * K * S::blocks;
  multiply<S, Sum, K>(a, b, c, w.vgpr + op.dst);
}

using O = Opcode;
// A and B of one type, or of the two 8-bit types.
template <typename T, unsigned M, unsigned K, unsigned Blocks = 1>
constexpr RunFunction same = mfma<T, T, Tile<M, K, Blocks>>;
template <typename A, typename B, unsigned M, unsigned K>
constexpr RunFunction mixed = mfma<A, B, Tile<M, K, 1>>;

// The last field marks results whose order of sums is not public; integer
// products are exact.
constexpr Handler rows[] = {
    {O::v_mfma_f32_32x32x8_f16, same<TypeF16, 32, 8>, nullptr, true},
    {O::v_mfma_f32_16x16x16_f16, same<TypeF16, 16, 16>, nullptr, true},
    {O::v_mfma_f32_32x32x4_2b_f16, same<TypeF16, 32, 4, 2>, nullptr, true},
    {O::v_mfma_f32_16x16x4_4b_f16, same<TypeF16, 16, 4, 4>, nullptr, true},
    {O::v_mfma_f32_4x4x4_16b_f16, same<TypeF16, 4, 4, 16>, nullptr, true},
    {O::v_mfma_f32_32x32x8_bf16, same<TypeBf16, 32, 8>, nullptr, true},
    {O::v_mfma_f32_16x16x16_bf16, same<TypeBf16, 16, 16>, nullptr, true},
    {O::v_mfma_f32_32x32x4_2b_bf16, same<TypeBf16, 32, 4, 2>, nullptr, true},
    {O::v_mfma_f32_16x16x4_4b_bf16, same<TypeBf16, 16, 4, 4>, nullptr, true},
    {O::v_mfma_f32_4x4x4_16b_bf16, same<TypeBf16, 4, 4, 16>, nullptr, true},
    {O::v_mfma_f32_32x32x1_2b_f32, same<TypeF32, 32, 1, 2>, nullptr, true},
    {O::v_mfma_f32_16x16x1_4b_f32, same<TypeF32, 16, 1, 4>, nullptr, true},
    {O::v_mfma_f32_4x4x1_16b_f32, same<TypeF32, 4, 1, 16>, nullptr, true},
    {O::v_mfma_f32_32x32x2_f32, same<TypeF32, 32, 2>, nullptr, true},
    {O::v_mfma_f32_16x16x4_f32, same<TypeF32, 16, 4>, nullptr, true},
    {O::v_mfma_f32_32x32x4_xf32, same<TypeXf32, 32, 4>, nullptr, true},
    {O::v_mfma_f32_16x16x8_xf32, same<TypeXf32, 16, 8>, nullptr, true},
    {O::v_mfma_f64_16x16x4_f64, same<TypeF64, 16, 4>, nullptr, true},
    {O::v_mfma_f64_4x4x4_4b_f64, same<TypeF64, 4, 4, 4>, nullptr, true},
    {O::v_mfma_i32_32x32x4_2b_i8, same<TypeI8, 32, 4, 2>},
    {O::v_mfma_i32_16x16x4_4b_i8, same<TypeI8, 16, 4, 4>},
    {O::v_mfma_i32_4x4x4_16b_i8, same<TypeI8, 4, 4, 16>},
    {O::v_mfma_i32_32x32x16_i8, same<TypeI8, 32, 16>},
    {O::v_mfma_i32_16x16x32_i8, same<TypeI8, 16, 32>},
    {O::v_mfma_f32_16x16x32_bf8_bf8, mixed<TypeBf8, TypeBf8, 16, 32>, nullptr,
     true},
    {O::v_mfma_f32_16x16x32_bf8_fp8, mixed<TypeBf8, TypeFp8, 16, 32>, nullptr,
     true},
    {O::v_mfma_f32_16x16x32_fp8_bf8, mixed<TypeFp8, TypeBf8, 16, 32>, nullptr,
     true},
    {O::v_mfma_f32_16x16x32_fp8_fp8, mixed<TypeFp8, TypeFp8, 16, 32>, nullptr,
     true},
    {O::v_mfma_f32_32x32x16_bf8_bf8, mixed<TypeBf8, TypeBf8, 32, 16>, nullptr,
     true},
    {O::v_mfma_f32_32x32x16_bf8_fp8, mixed<TypeBf8, TypeFp8, 32, 16>, nullptr,
     true},
    {O::v_mfma_f32_32x32x16_fp8_bf8, mixed<TypeFp8, TypeBf8, 32, 16>, nullptr,
     true},
    {O::v_mfma_f32_32x32x16_fp8_fp8, mixed<TypeFp8, TypeFp8, 32, 16>, nullptr,
     true},
};

} // namespace

Family matrixFamily() { return family(rows); }

} // namespace tlc::sim::TLC_SIM_ISA
