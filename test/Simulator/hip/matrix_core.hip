// Products of small integers on the matrix core: f16, bf16, i8 and f64, exact.
#include "Program.h"
OUTPUTS(4)
#ifdef DEVICE
typedef _Float16 half4 __attribute__((ext_vector_type(4)));
typedef short short4v __attribute__((ext_vector_type(4)));
typedef float float4v __attribute__((ext_vector_type(4)));
typedef int int4v __attribute__((ext_vector_type(4)));
typedef double double4v __attribute__((ext_vector_type(4)));
#endif
/// Elements of A (side 0) and B (side 1) of a wavefront's matrices.
FN i32 entry(const u32 *in, u32 wave, u32 side, u32 row, u32 k) {
  return i32(in[wave * 64 + (side * 29 + row * 16 + k) % 64] >> (row % 8 * 3) & 15) - 7;
}
FN u16 bf16Of(i32 v) { return u16(bitsOf(float(v)) >> 16); }
MAIN {
#ifdef DEVICE
  u32 i = globalId(), wave = i / 64, l = lane(), row = l % 16, group = l / 16;
  half4 ha, hb;
  short4v ba, bb;
  u64 ia = 0, ib = 0;
  for (u32 e = 0; e < 4; ++e) {
    i32 a = entry(in, wave, 0, row, group * 4 + e);
    i32 b = entry(in, wave, 1, row, group * 4 + e);
    ha[e] = _Float16(a);
    hb[e] = _Float16(b);
    ba[e] = short(bf16Of(a));
    bb[e] = short(bf16Of(b));
  }
  for (u32 e = 0; e < 8; ++e) {
    ia |= u64(u8(entry(in, wave, 0, row, group * 8 + e))) << 8 * e;
    ib |= u64(u8(entry(in, wave, 1, row, group * 8 + e))) << 8 * e;
  }
  float4v f = __builtin_amdgcn_mfma_f32_16x16x16f16(ha, hb, float4v{}, 0, 0, 0);
  float4v b = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(ba, bb, float4v{}, 0, 0, 0);
  int4v q = __builtin_amdgcn_mfma_i32_16x16x32_i8(i64(ia), i64(ib), int4v{}, 0, 0, 0);
  double4v d = __builtin_amdgcn_mfma_f64_16x16x4f64(
      double(entry(in, wave, 0, row, group)), double(entry(in, wave, 1, row, group)),
      double4v{}, 0, 0, 0);
  u32 sums[4] = {0, 0, 0, 0};
  for (u32 e = 0; e < 4; ++e) {
    sums[0] = sums[0] * 31 + u32(i32(f[e]));
    sums[1] = sums[1] * 31 + u32(i32(b[e]));
    sums[2] = sums[2] * 31 + u32(q[e]);
    sums[3] = sums[3] * 31 + u32(i32(d[e]));
  }
  for (u32 k = 0; k < 4; ++k)
    out[4 * i + k] = sums[k];
#else
  auto product = [&](u32 wave, u32 row, u32 column, u32 depth) {
    i32 sum = 0;
    for (u32 k = 0; k < depth; ++k)
      sum += entry(in, wave, 0, row, k) * entry(in, wave, 1, column, k);
    return u32(sum);
  };
  for (u32 i = 0; i < n; ++i) {
    u32 wave = i / 64, column = i % 16, group = i % 64 / 16;
    const u32 depth[4] = {16, 16, 32, 4};
    for (u32 k = 0; k < 4; ++k) {
      u32 sum = 0;
      for (u32 e = 0; e < 4; ++e)
        sum = sum * 31 + product(wave, k == 3 ? e * 4 + group : group * 4 + e,
                                 column, depth[k]);
      out[4 * i + k] = sum;
    }
  }
#endif
}
