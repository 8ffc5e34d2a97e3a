// IEEE f64, with division and root.
#include "Program.h"
OUTPUTS(8)
FN void put(u32 *out, u64 v) {
  out[0] = u32(v);
  out[1] = u32(v >> 32);
}
FN void body(u32 i, const u32 *in, u32 *out, u32 n) {
  double a = asDouble(u64(in[i]) << 32 | in[(i + 1) % n]);
  double b = asDouble(u64(in[(i + 2) % n]) << 32 | in[(i + 3) % n]);
  double c = double(small(in[(i + 4) % n]));
  put(out + 8 * i, result(a + b * c));
  put(out + 8 * i + 2, result(a / b));
  put(out + 8 * i + 4, result(__builtin_sqrt(c < 0 ? -c : c)));
  put(out + 8 * i + 6, result(__builtin_fma(c, c, a) + __builtin_floor(c)));
}
PER_ELEMENT(body)
