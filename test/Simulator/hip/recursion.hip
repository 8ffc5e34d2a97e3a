// Recursion through the stack, with real calls.
#include "Program.h"
OUTPUTS(2)
NOINLINE u32 fibonacci(u32 n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
NOINLINE u32 digest(const u32 *in, u32 from, u32 count) {
  if (count == 1)
    return in[from] * 2654435761u;
  u32 half = count / 2;
  u32 left = digest(in, from, half);
  return (left << 5 | left >> 27) ^ digest(in, from + half, count - half);
}
FN void body(u32 i, const u32 *in, u32 *out, u32 n) {
  out[2 * i] = fibonacci(in[i] % 9);
  out[2 * i + 1] = digest(in, i % (n - 8), 1 + in[i] % 7);
}
PER_ELEMENT(body)
