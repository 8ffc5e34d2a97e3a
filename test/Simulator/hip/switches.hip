// A switch over many cases.
#include "Program.h"
OUTPUTS(1)
NOINLINE u32 choose(u32 op, u32 a, u32 b) {
  switch (op) {
  case 0: return a + b;
  case 1: return a - b;
  case 2: return a * b;
  case 3: return a & b;
  case 4: return a | b;
  case 5: return a ^ b;
  case 6: return a << (b & 31);
  case 7: return a >> (b & 31);
  case 8: return ~a;
  case 9: return a % (b | 1);
  default: return op * 17;
  }
}
FN void body(u32 i, const u32 *in, u32 *out, u32 n) {
  out[i] = choose(in[i] % 12, in[(i + 1) % n], in[(i + 2) % n]);
}
PER_ELEMENT(body)
