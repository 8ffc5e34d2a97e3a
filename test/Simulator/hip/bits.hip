// Bit counts, reversal, fields, rotations, byte permutations.
#include "Program.h"
OUTPUTS(4)
FN void body(u32 i, const u32 *in, u32 *out, u32 n) {
  u32 a = in[i], b = in[(i + 9) % n] | 1;
  u32 s = b & 31;
  out[4 * i] = u32(__builtin_popcount(a)) + u32(__builtin_clz(b)) * 64 +
               u32(__builtin_ctz(b)) * 4096;
  out[4 * i + 1] = (a << s) | (a >> ((32 - s) & 31));
  out[4 * i + 2] = __builtin_bswap32(a) ^ __builtin_bitreverse32(b);
  u64 w = u64(a) << 32 | b;
  out[4 * i + 3] = u32(__builtin_popcountll(w)) + ((a >> 5) & 0x7ff) +
                   u32(i32(a << 9) >> 21) + u32(__builtin_clzll(w));
}
PER_ELEMENT(body)
