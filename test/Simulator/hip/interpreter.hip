// A small stack machine: divergent dispatch, an indexed stack, loops.
#include "Program.h"
OUTPUTS(2)
FN void element(u32 i, const u32 *in, u32 *out, u32 n) {
  u32 stack[16], top = 0, steps = 0, accumulator = in[i];
  for (u32 pc = i; steps < 64; ++steps) {
    u32 code = in[pc % n];
    pc = pc * 5 + 1;
    switch (code % 9) {
    case 0:
      if (top < 16)
        stack[top++] = accumulator ^ code;
      break;
    case 1:
      if (top)
        accumulator += stack[--top];
      break;
    case 2:
      accumulator = accumulator * 7 + 3;
      break;
    case 3:
      if (top)
        stack[top - 1] /= (accumulator | 1);
      break;
    case 4:
      accumulator = accumulator << (code & 31) | accumulator >> (-code & 31);
      break;
    case 5:
      if (accumulator & 1)
        pc += 3;
      break;
    case 6:
      for (u32 k = 0; k < top; ++k)
        accumulator ^= stack[k] >> k;
      break;
    case 7:
      if (top > 1) {
        u32 t = stack[top - 1];
        stack[top - 1] = stack[0];
        stack[0] = t;
      }
      break;
    default:
      accumulator -= u32(__builtin_popcount(code));
    }
    if (accumulator == 0)
      break;
  }
  out[2 * i] = accumulator;
  out[2 * i + 1] = top << 16 | steps;
}
PER_ELEMENT(element)
