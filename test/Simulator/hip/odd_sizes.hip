// Integers of 128 and of odd numbers of bits, bit-fields, bytes at odd
// addresses in scratch.
#include "Program.h"
OUTPUTS(3)
struct Fields {
  u32 a : 3;
  i32 b : 11;
  u64 c : 37;
  u32 d : 1;
} __attribute__((packed));
FN void body(u32 i, const u32 *in, u32 *out, u32 n) {
  u32 x = in[i], y = in[(i + 1) % n], z = in[(i + 2) % n];
  unsigned __int128 wide = (unsigned __int128)(u64(x) << 32 | y) * (u64(y) << 32 | z);
  wide = wide << (x & 63) ^ wide >> (z & 31);
  out[3 * i] = u32(wide) ^ u32(wide >> 32) ^ u32(wide >> 64) ^ u32(wide >> 96);
  Fields f = {x, i32(y), u64(z) << 9 | x, y};
  f.b -= i32(f.a);
  f.c += u64(f.b);
  unsigned _BitInt(71) odd = f.c;
  odd = odd * x + f.d;
  out[3 * i + 1] = u32(odd) ^ u32(odd >> 40) ^ u32(f.b);
  u8 bytes[37];
  for (u32 k = 0; k < 37; ++k)
    bytes[k] = u8(x >> (k % 4 * 8)) ^ u8(k * 29);
  u32 at = y % 33, sum = 0;
  for (u32 k = 0; k < 3; ++k) {
    u32 word;
    __builtin_memcpy(&word, bytes + (at + k * 7) % 33, 4);
    bytes[(at + k * 5) % 37] ^= u8(word >> 11);
    sum = sum * 31 + word;
  }
  out[3 * i + 2] = sum;
}
PER_ELEMENT(body)
