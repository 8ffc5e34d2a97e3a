// IEEE f32: sums, products, correctly rounded division and root, denormals.
#include "Program.h"
OUTPUTS(6)
FN void body(u32 i, const u32 *in, u32 *out, u32 n) {
  float a = asFloat(in[i]), b = asFloat(in[(i + 1) % n]);
  float c = small(in[(i + 2) % n]);
  out[6 * i] = result(a + b);
  out[6 * i + 1] = result(a * b - c * 0.5f);
  out[6 * i + 2] = result(a / b);
  out[6 * i + 3] = result(c / (c * c + 1.0f));
  out[6 * i + 4] = result(__builtin_fmaf(a, b, c));
  out[6 * i + 5] = result(__builtin_floorf(c) + __builtin_truncf(c * 3) -
                          __builtin_ceilf(c * 7) + __builtin_rintf(c));
}
PER_ELEMENT(body)
