// Constant tables and variables of the module: relocations and the GOT.
#include "Program.h"
OUTPUTS(2)
CONSTANT u32 primes[16] = {2,  3,  5,  7,  11, 13, 17, 19,
                           23, 29, 31, 37, 41, 43, 47, 53};
CONSTANT double factors[4] = {0.5, 1.25, -3.0, 1e10};
GLOBAL u32 offsets[4] = {1000, 2000, 3000, 4000};
FN void body(u32 i, const u32 *in, u32 *out, u32 n) {
  u32 a = in[i];
  out[2 * i] = a % primes[a & 15] + offsets[a >> 30];
  out[2 * i + 1] = bitsOf(float(factors[a % 4] * double(a & 0xffff)));
}
PER_ELEMENT(body)
