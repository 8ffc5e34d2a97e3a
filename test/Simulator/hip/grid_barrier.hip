// Workgroups wait for one another by spinning on a counter.
#include "Program.h"
OUTPUTS(2)
MAIN {
#ifdef DEVICE
  u32 groups = n / GROUP, i = globalId();
  u32 *counter = out + 2 * n - 1; // stands for no element
  if (i + 1 < n)
    out[i] = in[i] * 3;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
  barrier();
  if (localId() == 0) {
    __hip_atomic_fetch_add(counter, 1u, __ATOMIC_ACQ_REL,
                           __HIP_MEMORY_SCOPE_AGENT);
    while (__hip_atomic_load(counter, __ATOMIC_ACQUIRE,
                             __HIP_MEMORY_SCOPE_AGENT) < groups)
      __builtin_amdgcn_s_sleep(1);
  }
  barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
  // What another workgroup wrote before the barrier.
  if (i + 1 < n)
    out[n + i] = out[(i + GROUP) % (n - 1)] + 1;
#else
  for (u32 i = 0; i + 1 < n; ++i) {
    out[i] = in[i] * 3;
    out[n + i] = in[(i + GROUP) % (n - 1)] * 3 + 1;
  }
  out[2 * n - 1] = n / GROUP;
#endif
}
