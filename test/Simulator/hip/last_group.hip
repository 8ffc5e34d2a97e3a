// The workgroup that finishes last sums what all left behind.
#include "Program.h"
OUTPUTS(1)
MAIN {
#ifdef DEVICE
  SHARED u32 sums[GROUP];
  SHARED u32 ticket;
  u32 groups = n / GROUP;
  sums[localId()] = in[globalId()];
  barrier();
  for (u32 half = GROUP / 2; half; half /= 2) {
    if (localId() < half)
      sums[localId()] += sums[localId() + half];
    barrier();
  }
  if (localId() == 0) {
    out[2 + groupId()] = sums[0];
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
    ticket = __hip_atomic_fetch_add(out, 1u, __ATOMIC_ACQ_REL,
                                    __HIP_MEMORY_SCOPE_AGENT);
  }
  barrier();
  if (ticket == groups - 1 && localId() == 0) {
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
    u32 total = 0;
    for (u32 g = 0; g < groups; ++g)
      total = total * 5 + out[2 + g];
    out[1] = total;
  }
#else
  u32 groups = n / GROUP, total = 0;
  for (u32 g = 0; g < groups; ++g) {
    u32 sum = 0;
    for (u32 k = 0; k < GROUP; ++k)
      sum += in[g * GROUP + k];
    out[2 + g] = sum;
    total = total * 5 + sum;
  }
  out[0] = groups;
  out[1] = total;
#endif
}
