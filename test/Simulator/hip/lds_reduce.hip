// Tree reduction and prefix sum in LDS, with bytes and 64-bit words, too.
#include "Program.h"
OUTPUTS(2)
#ifdef DEVICE
MAIN {
  SHARED u32 sums[GROUP];
  SHARED u64 wide[GROUP];
  SHARED u8 bytes[GROUP];
  u32 id = localId(), v = in[globalId()];
  sums[id] = v;
  wide[id] = u64(v) * v;
  bytes[id] = u8(v);
  barrier();
  for (u32 step = 1; step < GROUP; step *= 2) {
    u32 left = id >= step ? sums[id - step] : 0;
    u64 leftWide = id >= step ? wide[id - step] : 0;
    barrier();
    sums[id] += left;
    wide[id] += leftWide;
    barrier();
  }
  out[2 * globalId()] = sums[id] ^ bytes[GROUP - 1 - id];
  out[2 * globalId() + 1] = u32(wide[id] >> 7);
}
#else
MAIN {
  for (u32 g = 0; g < n; g += GROUP) {
    u32 sum = 0;
    u64 wide = 0;
    for (u32 k = 0; k < GROUP; ++k) {
      u32 v = in[g + k];
      sum += v;
      wide += u64(v) * v;
      out[2 * (g + k)] = sum ^ u8(in[g + GROUP - 1 - k]);
      out[2 * (g + k) + 1] = u32(wide >> 7);
    }
  }
}
#endif
