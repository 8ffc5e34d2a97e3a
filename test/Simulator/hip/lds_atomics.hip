// A histogram in LDS, merged into global memory.
#include "Program.h"
OUTPUTS(1)
MAIN {
#ifdef DEVICE
  SHARED u32 bins[64];
  SHARED u32 most;
  if (localId() < 64)
    bins[localId()] = 0;
  if (localId() == 0)
    most = 0;
  barrier();
  u32 v = in[globalId()];
  __hip_atomic_fetch_add(&bins[v % 64], 1u, __ATOMIC_RELAXED,
                         __HIP_MEMORY_SCOPE_WORKGROUP);
  __hip_atomic_fetch_max(&most, v, __ATOMIC_RELAXED,
                         __HIP_MEMORY_SCOPE_WORKGROUP);
  barrier();
  if (localId() < 64)
    __hip_atomic_fetch_add(out + localId(), bins[localId()], __ATOMIC_RELAXED,
                           __HIP_MEMORY_SCOPE_AGENT);
  out[100 + groupId()] = most;
#else
  for (u32 g = 0; g < n / GROUP; ++g) {
    u32 most = 0;
    for (u32 k = 0; k < GROUP; ++k) {
      u32 v = in[g * GROUP + k];
      ++out[v % 64];
      most = v > most ? v : most;
    }
    out[100 + g] = most;
  }
#endif
}
