// Bytes: wrap-around, sign extension, packing.
#include "Program.h"
OUTPUTS(2)
FN void body(u32 i, const u32 *in, u32 *out, u32 n) {
  u32 a = in[i], b = in[(i + 5) % n], r = 0;
  for (int k = 0; k < 4; ++k) {
    i8 x = i8(a >> (8 * k)), y = i8(b >> (8 * k));
    i8 z = i8(x * y + (x ^ y) - (x >> 1));
    r |= u32(u8(x > y ? z : y)) << (8 * k);
  }
  out[2 * i] = r;
  u8 s = 0;
  for (int k = 0; k < 4; ++k)
    s = u8(s + u8(a >> (8 * k)) * 3);
  out[2 * i + 1] = s;
}
PER_ELEMENT(body)
