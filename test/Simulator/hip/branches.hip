// Divergent, nested control flow with early exits.
#include "Program.h"
OUTPUTS(1)
FN void body(u32 i, const u32 *in, u32 *out, u32 n) {
  u32 a = in[i], r = 0;
  if (a & 1) {
    if (a & 2)
      r = a * 3;
    else if (a & 4)
      r = a ^ 0x55555555;
    else
      for (u32 k = 0; k < (a >> 28); ++k) {
        r += k * a;
        if (r & 0x1000)
          break;
        if (r & 0x2000)
          continue;
        r ^= k;
      }
  } else {
    u32 b = a;
    while (b > 1000) {
      b = b & 1 ? b / 3 : b / 2;
      if (b % 7 == 0) {
        r += 100;
        if (r > 300)
          goto done;
      }
      ++r;
    }
  }
done:
  out[i] = r;
}
PER_ELEMENT(body)
