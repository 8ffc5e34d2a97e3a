// A prefix sum over the whole grid in one pass: every workgroup waits for the
// sums of those before it (decoupled look-back).
#include "Program.h"
OUTPUTS(1)
#ifdef DEVICE
GLOBAL u64 published[64]; // 1 << 32 and the sum, or 2 << 32 and all sums
#define SCOPE __HIP_MEMORY_SCOPE_AGENT
#endif
MAIN {
#ifdef DEVICE
  SHARED u32 values[GROUP], before;
  u32 i = globalId(), l = localId();
  values[l] = in[i];
  barrier();
  for (u32 step = 1; step < GROUP; step *= 2) {
    u32 left = l >= step ? values[l - step] : 0;
    barrier();
    values[l] += left;
    barrier();
  }
  if (l == 0) {
    u32 g = groupId(), sum = values[GROUP - 1], prefix = 0;
    __hip_atomic_store(published + g, (g ? 1ull : 2ull) << 32 | sum,
                       __ATOMIC_RELEASE, SCOPE);
    for (u32 k = g; k > 0;) {
      u64 seen = __hip_atomic_load(published + k - 1, __ATOMIC_ACQUIRE, SCOPE);
      if (seen >> 32 == 0)
        continue;
      prefix += u32(seen);
      if (seen >> 32 == 2)
        break;
      --k;
    }
    if (g)
      __hip_atomic_store(published + g, 2ull << 32 | u32(prefix + sum),
                         __ATOMIC_RELEASE, SCOPE);
    before = prefix;
  }
  barrier();
  out[i] = before + values[l];
  // The last one to finish puts the words back, for another launch.
  SHARED u32 last;
  barrier();
  static GLOBAL u32 finished;
  if (l == 0)
    last = __hip_atomic_fetch_add(&finished, 1u, __ATOMIC_ACQ_REL, SCOPE) + 1 ==
           n / GROUP;
  barrier();
  if (last && l < 64)
    __hip_atomic_store(published + l, 0ull, __ATOMIC_RELAXED, SCOPE);
  if (last && l == 0)
    __hip_atomic_store(&finished, 0u, __ATOMIC_RELAXED, SCOPE);
#else
  u32 sum = 0;
  for (u32 i = 0; i < n; ++i)
    out[i] = sum += in[i];
#endif
}
