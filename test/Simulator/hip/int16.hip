// 16-bit integers, signed and unsigned.
#include "Program.h"
OUTPUTS(2)
FN void body(u32 i, const u32 *in, u32 *out, u32 n) {
  u16 a = u16(in[i]), b = u16(in[i] >> 16);
  i16 x = i16(a), y = i16(b);
  u16 u = u16(a * b + (a >> 3) - (b << 2));
  i16 s = i16(x > y ? x - y : y * 7 + (x >> 5));
  out[2 * i] = u32(u) << 16 | u16(s);
  out[2 * i + 1] = u32(i32(x) * y) + u32(a < b ? a : b);
}
PER_ELEMENT(body)
