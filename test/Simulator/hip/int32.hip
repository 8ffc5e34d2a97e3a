// 32-bit integers: sums, products, high halves, comparisons, selection.
#include "Program.h"
OUTPUTS(3)
FN void body(u32 i, const u32 *in, u32 *out, u32 n) {
  u32 a = in[i], b = in[(i * 7 + 3) % n];
  i32 x = i32(a), y = i32(b);
  out[3 * i] = a * b + (a - b) * 3u + (a > b ? a : b);
  out[3 * i + 1] = u32((u64(a) * b) >> 32) ^ u32((i64(x) * y) >> 32);
  out[3 * i + 2] = u32(x < y ? x : -y) + u32(x < 0 ? ~x : x) + (a == b);
}
PER_ELEMENT(body)
