// Each workgroup sorts 256 keys of 64 bits in LDS of dynamic layout.
#include "Program.h"
OUTPUTS(2)
FN u64 keyOf(u32 v, u32 i) { return u64(v % 97) << 40 | u64(v) << 8 | i; }
MAIN {
#ifdef DEVICE
  SHARED static u64 keys[GROUP];
  u32 t = localId();
  keys[t] = keyOf(in[globalId()], t);
  for (u32 size = 2; size <= GROUP; size *= 2)
    for (u32 step = size / 2; step; step /= 2) {
      barrier();
      u32 other = t ^ step;
      if (other > t) {
        u64 a = keys[t], b = keys[other];
        bool up = !(t & size);
        if ((a > b) == up) {
          keys[t] = b;
          keys[other] = a;
        }
      }
    }
  barrier();
  out[2 * globalId()] = u32(keys[t]);
  out[2 * globalId() + 1] = u32(keys[t] >> 32);
#else
  for (u32 g = 0; g < n; g += GROUP) {
    u64 keys[GROUP];
    for (u32 t = 0; t < GROUP; ++t) {
      u64 key = keyOf(in[g + t], t);
      u32 at = t;
      for (; at && keys[at - 1] > key; --at)
        keys[at] = keys[at - 1];
      keys[at] = key;
    }
    for (u32 t = 0; t < GROUP; ++t) {
      out[2 * (g + t)] = u32(keys[t]);
      out[2 * (g + t) + 1] = u32(keys[t] >> 32);
    }
  }
#endif
}
