//===- SparseMatrix.cpp - Sparse MFMA (smfmac) ----------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of every four consecutive k, A holds two; the index register says which, two
// bits each. A lane's index bits are one of several sets in the register,
// chosen by abid while cbsz is 0. The destination is the accumulator.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "MatrixTile.h"
#include <algorithm>
#include <cmath>

namespace tlc::sim::TLC_SIM_ISA {
namespace {

/// Products with infinities and NaNs of B, which \p special has (0 elsewhere),
/// in rows of A that \p selected names: added last, since nothing that comes
/// after could undo them.
template <typename S, unsigned K>
void addSpecial(const f32 *a, const f32 *special, const bool *selected,
                u32 *d) {
  using Acc = Accumulator<S, false>;
  constexpr unsigned n = S::rows;
  for (unsigned t = 0; t < Acc::registers * S::groups; ++t) {
    unsigned v = t % Acc::registers, g = t / Acc::registers;
    unsigned row = Acc::row(v, g), at = v * waveLanes + g * n;
    for (unsigned k = 0; k < K; ++k)
      for (unsigned j = 0; selected[k * n + row] && j < n; ++j)
        if (f32 factor = special[k * n + j]; factor != 0) {
          f32 sum = get<f32>(d + at, j) + a[k * n + row] * factor;
          put<f32>(d + at, j, ~0u, canonical(sum));
        }
  }
}

/// A is spread out to a dense matrix with zeros, and multiplied as such: the
/// products with 0 add nothing. Infinities and NaNs of B are kept out of it:
/// where no index selects them they must not count.
template <typename A, typename B, unsigned M, unsigned K>
void smfmac(Wave &w, const Op &op) {
  using S = Tile<M, K, 1>;
  using Sum = typename A::Sum;
  alignas(64) ValueOf<Sum> a[M * K] = {};
  alignas(64) ValueOf<Sum> b[M * K];
  bool selected[M * K] = {};
  const u32 *ra = w.vgpr + op.src[0].index, *rb = w.vgpr + op.src[1].index;
  const u32 *index = w.vgpr + op.src[2].index;
  const Instruction &inst = *op.inst;
  constexpr unsigned stored = S::perLane / 2; // elements of A in a lane
  constexpr unsigned setBits = stored * 2;
  unsigned set = inst.cbsz == 0 ? inst.abid % (32 / setBits) : 0;

  for (unsigned l = 0; l < waveLanes; ++l) {
    unsigned row = l % M, first = l / M * S::perLane;
    u32 bitsOfLane = index[l] >> (set * setBits);
    for (unsigned e = 0; e < stored; ++e) {
      unsigned k = first + e / 2 * 4 + (bitsOfLane >> (e * 2) & 3);
      // Two equal indices: both products count.
      a[k * M + row] += A::get(rawElement<A>(ra, l, e));
      selected[k * M + row] = true;
    }
    for (unsigned e = 0; e < S::perLane; ++e)
      b[(first + e) * M + row] = B::get(rawElement<B>(rb, l, e));
  }
  w.matrixFlops += u64(2) * M * M * K;
  u32 *d = w.vgpr + op.dst;
  if (std::ranges::all_of(b, [](f32 v) { return std::isfinite(v); }))
    return multiply<S, Sum, K>(a, b, d, d);
  f32 special[M * K];
  for (unsigned i = 0; i < M * K; ++i) {
    bool finite = std::isfinite(b[i]);
    special[i] = finite ? 0 : b[i];
    b[i] = finite ? b[i] : 0;
  }
  multiply<S, Sum, K>(a, b, d, d);
  addSpecial<S, K>(a, special, selected, d);
}

using O = Opcode;
constexpr Handler rows[] = {
    {O::v_smfmac_f32_16x16x32_f16, smfmac<TypeF16, TypeF16, 16, 32>, nullptr,
     true},
    {O::v_smfmac_f32_32x32x16_f16, smfmac<TypeF16, TypeF16, 32, 16>, nullptr,
     true},
    {O::v_smfmac_f32_16x16x32_bf16, smfmac<TypeBf16, TypeBf16, 16, 32>, nullptr,
     true},
    {O::v_smfmac_f32_32x32x16_bf16, smfmac<TypeBf16, TypeBf16, 32, 16>, nullptr,
     true},
    {O::v_smfmac_i32_16x16x64_i8, smfmac<TypeI8, TypeI8, 16, 64>},
    {O::v_smfmac_i32_32x32x32_i8, smfmac<TypeI8, TypeI8, 32, 32>},
    {O::v_smfmac_f32_16x16x64_bf8_bf8, smfmac<TypeBf8, TypeBf8, 16, 64>,
     nullptr, true},
    {O::v_smfmac_f32_16x16x64_bf8_fp8, smfmac<TypeBf8, TypeFp8, 16, 64>,
     nullptr, true},
    {O::v_smfmac_f32_16x16x64_fp8_bf8, smfmac<TypeFp8, TypeBf8, 16, 64>,
     nullptr, true},
    {O::v_smfmac_f32_16x16x64_fp8_fp8, smfmac<TypeFp8, TypeFp8, 16, 64>,
     nullptr, true},
    {O::v_smfmac_f32_32x32x32_bf8_bf8, smfmac<TypeBf8, TypeBf8, 32, 32>,
     nullptr, true},
    {O::v_smfmac_f32_32x32x32_bf8_fp8, smfmac<TypeBf8, TypeFp8, 32, 32>,
     nullptr, true},
    {O::v_smfmac_f32_32x32x32_fp8_bf8, smfmac<TypeFp8, TypeBf8, 32, 32>,
     nullptr, true},
    {O::v_smfmac_f32_32x32x32_fp8_fp8, smfmac<TypeFp8, TypeFp8, 32, 32>,
     nullptr, true},
};

} // namespace

Family sparseMatrixFamily() { return family(rows); }

} // namespace tlc::sim::TLC_SIM_ISA
