// Loops whose length differs in every lane.
#include "Program.h"
OUTPUTS(2)
FN void body(u32 i, const u32 *in, u32 *out, u32 n) {
  u64 v = (in[i] & 0xffff) + 1;
  u32 steps = 0;
  u64 peak = v;
  while (v != 1 && steps < 500) {
    v = v & 1 ? 3 * v + 1 : v / 2;
    peak = v > peak ? v : peak;
    ++steps;
  }
  out[2 * i] = steps;
  out[2 * i + 1] = u32(peak) ^ u32(peak >> 32);
}
PER_ELEMENT(body)
