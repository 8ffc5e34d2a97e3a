// Packed arithmetic on pairs of halves.
#include "Program.h"
OUTPUTS(6)
typedef _Float16 half2 __attribute__((ext_vector_type(2)));
FN half2 pairOf(u32 v) {
  // Moderate sizes: the products and sums stay finite.
  half2 h = {_Float16(float(i32(v << 16) >> 20) * 0.03125f),
             _Float16(float(i32(v) >> 20) * 0.03125f)};
  return h;
}
FN u32 wordOf(half2 h) { return __builtin_bit_cast(u32, h); }
FN void element(u32 i, const u32 *in, u32 *out, u32 n) {
  half2 a = pairOf(in[i]), b = pairOf(in[(i + 1) % n]), c = pairOf(in[(i + 7) % n]);
  out[6 * i] = wordOf(a + b);
  out[6 * i + 1] = wordOf(a * b);
  half2 product = b * c; // rounded: hosts may keep more in an expression
  out[6 * i + 2] = wordOf(a - product);
  out[6 * i + 3] = wordOf(__builtin_elementwise_max(a, b) + half2{});
  // Of two zeros either may be the smaller: the sum makes them one.
  out[6 * i + 4] = wordOf(__builtin_elementwise_min(-a, b) + half2{});
  half2 swapped = {b.y, b.x};
  product = a * swapped;
  out[6 * i + 5] = wordOf(product + half2{c.x, c.x});
}
PER_ELEMENT(element)
