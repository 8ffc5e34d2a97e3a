// Correctly rounded f32 square root, over all magnitudes.
#include "Program.h"
OUTPUTS(1)
FN void body(u32 i, const u32 *in, u32 *out, u32 n) {
  out[i] = result(__builtin_sqrtf(asFloat(in[i] & 0x7fffffff)));
}
PER_ELEMENT(body)
