// Dot products of packed integers, byte permutes, sums of differences, medians.
#include "Program.h"
OUTPUTS(8)
FN i32 sdot4(u32 a, u32 b, i32 c) {
#ifdef DEVICE
  return __builtin_amdgcn_sdot4(i32(a), i32(b), c, false);
#else
  for (u32 k = 0; k < 32; k += 8)
    c = i32(u32(c) + u32(i32(i8(a >> k)) * i32(i8(b >> k))));
  return c;
#endif
}
FN u32 udot4(u32 a, u32 b, u32 c) {
#ifdef DEVICE
  return __builtin_amdgcn_udot4(a, b, c, false);
#else
  for (u32 k = 0; k < 32; k += 8)
    c += (a >> k & 255) * (b >> k & 255);
  return c;
#endif
}
FN i32 sdot8(u32 a, u32 b, i32 c) {
#ifdef DEVICE
  return __builtin_amdgcn_sdot8(i32(a), i32(b), c, false);
#else
  for (u32 k = 0; k < 32; k += 4)
    c = i32(u32(c) + u32((i32(a << (28 - k)) >> 28) * (i32(b << (28 - k)) >> 28)));
  return c;
#endif
}
FN u32 perm(u32 a, u32 b, u32 selector) {
#ifdef DEVICE
  return __builtin_amdgcn_perm(a, b, selector);
#else
  u64 both = u64(a) << 32 | b;
  u32 result = 0;
  for (u32 k = 0; k < 4; ++k)
    result |= u32(both >> (selector >> 8 * k & 7) * 8 & 255) << 8 * k;
  return result;
#endif
}
FN u32 sad(u32 a, u32 b, u32 c) {
#ifdef DEVICE
  return __builtin_amdgcn_sad_u8(a, b, c);
#else
  for (u32 k = 0; k < 32; k += 8) {
    u32 x = a >> k & 255, y = b >> k & 255;
    c += x > y ? x - y : y - x;
  }
  return c;
#endif
}
FN u32 alignBits(u32 a, u32 b, u32 shift) {
#ifdef DEVICE
  return __builtin_amdgcn_alignbit(a, b, shift);
#else
  return u32((u64(a) << 32 | b) >> (shift & 31));
#endif
}
FN float median(float a, float b, float c) {
#ifdef DEVICE
  return __builtin_amdgcn_fmed3f(a, b, c);
#else
  float low = a < b ? a : b, high = a < b ? b : a;
  return c < low ? low : c > high ? high : c;
#endif
}
FN u32 field(u32 v, u32 from, u32 count) {
#ifdef DEVICE
  return __builtin_amdgcn_ubfe(v, from, count);
#else
  return v >> (from & 31) & ((1u << (count & 31)) - 1);
#endif
}
FN void element(u32 i, const u32 *in, u32 *out, u32 n) {
  u32 a = in[i], b = in[(i + 1) % n], c = in[(i + 2) % n];
  out[8 * i] = u32(sdot4(a, b, i32(c)));
  out[8 * i + 1] = udot4(a, b, c);
  out[8 * i + 2] = u32(sdot8(a, b, i32(c)));
  out[8 * i + 3] = perm(a, b, c & 0x07070707);
  out[8 * i + 4] = sad(a, b, c);
  out[8 * i + 5] = alignBits(a, b, c & 31);
  out[8 * i + 6] = bitsOf(median(small(a), small(b), small(c)));
  out[8 * i + 7] = field(a, b & 31, c & 31);
}
PER_ELEMENT(element)
