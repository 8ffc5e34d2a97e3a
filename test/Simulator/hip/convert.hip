// Conversions between integers and floats, and between float widths.
#include "Program.h"
OUTPUTS(6)
FN void body(u32 i, const u32 *in, u32 *out, u32 n) {
  u32 a = in[i];
  float f = small(a);
  out[6 * i] = bitsOf(float(a)) ^ bitsOf(float(i32(a)));
  out[6 * i + 1] = u32(i32(f)) + u32(f < 0 ? -f : f);
  u64 w = bitsOf(double(a) * 1.5);
  out[6 * i + 2] = u32(w) ^ u32(w >> 32);
  out[6 * i + 3] = bitsOf(float(double(i32(a)) / 3.0));
  u64 wide = u64(a) * 0x123456789ull;
  out[6 * i + 4] = bitsOf(float(wide)) ^ bitsOf(float(i64(wide << 3)));
  _Float16 h = _Float16(f);
  out[6 * i + 5] = __builtin_bit_cast(u16, h) ^ bitsOf(float(h));
}
PER_ELEMENT(body)
