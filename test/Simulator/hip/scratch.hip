// Local arrays with computed indices of several widths: scratch memory.
#include "Program.h"
OUTPUTS(2)
FN void body(u32 i, const u32 *in, u32 *out, u32 n) {
  u32 table[24];
  u8 bytes[40];
  u16 words[20];
  for (u32 k = 0; k < 24; ++k)
    table[k] = in[(i + k) % n];
  for (u32 k = 0; k < 40; ++k)
    bytes[k] = u8(table[k % 24] >> (k % 24));
  for (u32 k = 0; k < 20; ++k)
    words[k] = u16(bytes[(table[k] >> 3) % 40] * 257);
  // Sort part of it.
  for (u32 x = 0; x < 8; ++x)
    for (u32 y = x + 1; y < 8; ++y)
      if (table[y] < table[x]) {
        u32 t = table[x];
        table[x] = table[y];
        table[y] = t;
      }
  u32 r = 0;
  for (u32 k = 0; k < 16; ++k)
    r = r * 31 + table[in[(i + k) % n] % 24] + words[in[(i + k) % n] % 20];
  out[2 * i] = r;
  out[2 * i + 1] = table[0] ^ table[7];
}
PER_ELEMENT(body)
