// 64-bit division and remainder: long software sequences with branches.
#include "Program.h"
OUTPUTS(4)
FN void body(u32 i, const u32 *in, u32 *out, u32 n) {
  u64 a = u64(in[i]) << 32 | in[(i + 1) % n];
  u64 b = (u64(in[(i + 2) % n]) << 32 | in[(i + 3) % n]) >> (i % 60);
  b = b ? b : 3;
  i64 x = i64(a), y = i64(b) >> 1 ? -i64(b >> 1) : 5;
  u64 q = a / b, r = a % b;
  i64 t = x / y + x % y;
  out[4 * i] = u32(q) ^ u32(q >> 32);
  out[4 * i + 1] = u32(r) ^ u32(r >> 32);
  out[4 * i + 2] = u32(t);
  out[4 * i + 3] = u32(u64(t) >> 32);
}
PER_ELEMENT(body)
