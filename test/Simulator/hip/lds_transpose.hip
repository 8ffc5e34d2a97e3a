// A tile goes through LDS, transposed.
#include "Program.h"
OUTPUTS(1)
#ifdef DEVICE
MAIN {
  SHARED u32 tile[16][17];
  u32 x = localId() % 16, y = localId() / 16;
  tile[y][x] = in[globalId()];
  barrier();
  out[globalId()] = tile[x][y] + 1;
}
#else
MAIN {
  for (u32 g = 0; g < n; g += GROUP)
    for (u32 k = 0; k < GROUP; ++k)
      out[g + k] = in[g + k % 16 * 16 + k / 16] + 1;
}
#endif
