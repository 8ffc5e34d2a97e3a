// 64-bit integers: carries, products, shifts, comparisons.
#include "Program.h"
OUTPUTS(4)
FN void body(u32 i, const u32 *in, u32 *out, u32 n) {
  u64 a = u64(in[i]) << 32 | in[(i + 1) % n];
  u64 b = u64(in[(i + 2) % n]) << 29 | in[(i + 3) % n];
  u64 r = a + b * 5 - (a >> (b & 63)) + (b << (a & 63));
  i64 s = i64(a) < i64(b) ? i64(a) >> (b & 31) : -i64(b);
  out[4 * i] = u32(r);
  out[4 * i + 1] = u32(r >> 32);
  out[4 * i + 2] = u32(s);
  out[4 * i + 3] = u32(s >> 32);
}
PER_ELEMENT(body)
