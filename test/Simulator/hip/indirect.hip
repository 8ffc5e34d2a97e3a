// Calls through pointers.
#include "Program.h"
OUTPUTS(1)
typedef u32 (*Function)(u32, u32);
NOINLINE u32 first(u32 a, u32 b) { return a * 3 + b; }
NOINLINE u32 second(u32 a, u32 b) { return a ^ (b << 3); }
NOINLINE u32 third(u32 a, u32 b) { return a > b ? a - b : b - a; }
FN void body(u32 i, const u32 *in, u32 *out, u32 n) {
  u32 a = in[i];
  Function f = a % 3 == 0 ? first : a % 3 == 1 ? second : third;
  out[i] = f(a, in[(i + 1) % n]) + f(i, a);
}
PER_ELEMENT(body)
