// f16: each operation rounds once.
#include "Program.h"
typedef _Float16 half;
OUTPUTS(3)
FN u16 r(half v) {
  return v == v ? __builtin_bit_cast(u16, v) : u16(0x7e00);
}
FN void body(u32 i, const u32 *in, u32 *out, u32 n) {
  half a = __builtin_bit_cast(half, u16(in[i]));
  half b = __builtin_bit_cast(half, u16(in[i] >> 16));
  half sum = a + b, product = a * b, difference = a - b;
  half biggest = a > b ? a : b;
  out[3 * i] = u32(r(sum)) << 16 | r(product);
  out[3 * i + 1] = u32(r(difference)) << 16 | r(biggest);
  out[3 * i + 2] = result(float(a) + float(b)) ^ u32(a < b);
}
PER_ELEMENT(body)
