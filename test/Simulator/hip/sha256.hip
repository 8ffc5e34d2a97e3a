// SHA-256 of a block: rotations, a schedule in scratch, constants in memory.
#include "Program.h"
OUTPUTS(2)
CONSTANT u32 roundKeys[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
FN u32 rotate(u32 v, u32 by) { return v >> by | v << (32 - by); }
FN void body(u32 i, const u32 *in, u32 *out, u32 n) {
  u32 w[64], h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  for (u32 t = 0; t < 16; ++t)
    w[t] = in[(i + t) % n];
  for (u32 t = 16; t < 64; ++t) {
    u32 a = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ w[t - 15] >> 3;
    u32 b = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ w[t - 2] >> 10;
    w[t] = w[t - 16] + a + w[t - 7] + b;
  }
  u32 s[8];
  for (u32 k = 0; k < 8; ++k)
    s[k] = h[k];
#pragma nounroll
  for (u32 t = 0; t < 64; ++t) {
    u32 e = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25);
    u32 choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
    u32 x = s[7] + e + choice + roundKeys[t] + w[t];
    u32 a = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22);
    u32 y = a + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    for (u32 k = 7; k > 0; --k)
      s[k] = s[k - 1];
    s[4] += x;
    s[0] = x + y;
  }
  out[2 * i] = h[0] + s[0];
  out[2 * i + 1] = h[7] + s[7];
}
PER_ELEMENT(body)
