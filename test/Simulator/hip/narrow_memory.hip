// Loads and stores of bytes, halves and unaligned words.
#include "Program.h"
OUTPUTS(2)
FN void body(u32 i, const u32 *in, u32 *out, u32 n) {
  const u8 *bytes = (const u8 *)in;
  const i16 *halves = (const i16 *)in;
  u32 k = in[i] % (4 * n - 8);
  u32 unaligned;
  __builtin_memcpy(&unaligned, bytes + k, 4);
  u8 *to = (u8 *)(out + 2 * i);
  to[0] = bytes[k];
  to[1] = u8(bytes[k + 1] + 1);
  *(u16 *)(to + 2) = u16(halves[k / 2] >> 1);
  out[2 * i + 1] = unaligned + u32(i32(i8(bytes[k + 5])));
}
PER_ELEMENT(body)
