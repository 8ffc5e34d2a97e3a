// 32-bit division and remainder.
#include "Program.h"
OUTPUTS(4)
FN void body(u32 i, const u32 *in, u32 *out, u32 n) {
  u32 a = in[i], b = in[(i + 11) % n] >> (i % 31);
  b = b ? b : 7;
  i32 x = i32(a), y = i32(in[(i + 4) % n]) >> (i % 29);
  y = y == 0 || y == -1 ? -3 : y;
  out[4 * i] = a / b;
  out[4 * i + 1] = a % b;
  out[4 * i + 2] = u32(x / y);
  out[4 * i + 3] = u32(x % y);
}
PER_ELEMENT(body)
