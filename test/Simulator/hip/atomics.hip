// Global atomics of every kind, from all workgroups to a few words.
#include "Program.h"
OUTPUTS(1)
#define ORDER __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT
MAIN {
#ifdef DEVICE
  u32 v = in[globalId()];
  __hip_atomic_fetch_add(out + 0, v, ORDER);
  __hip_atomic_fetch_xor(out + 1, v, ORDER);
  __hip_atomic_fetch_or(out + 2, v & 0xff00ff, ORDER);
  __hip_atomic_fetch_and(out + 3, ~(v & v >> 1 & v >> 2), ORDER);
  __hip_atomic_fetch_max(out + 4, v, ORDER);
  __hip_atomic_fetch_max((i32 *)out + 5, i32(v), ORDER);
  __hip_atomic_fetch_add((u64 *)(out + 6), u64(v) << 8, ORDER);
  u32 *bucket = out + 8 + v % 50;
  u32 old = __hip_atomic_load(bucket, ORDER);
  while (!__hip_atomic_compare_exchange_strong(bucket, &old, old * 3 + 1,
                                               __ATOMIC_RELAXED, ORDER))
    ;
#else
  auto larger = [](auto a, auto b) { return a > b ? a : b; };
  u64 wide = 0;
  for (u32 i = 0; i < n; ++i) {
    u32 v = in[i];
    out[0] += v;
    out[1] ^= v;
    out[2] |= v & 0xff00ff;
    out[3] &= ~(v & v >> 1 & v >> 2);
    out[4] = larger(out[4], v);
    out[5] = u32(larger(i32(out[5]), i32(v)));
    wide += u64(v) << 8;
    out[8 + v % 50] = out[8 + v % 50] * 3 + 1;
  }
  out[6] = u32(wide);
  out[7] = u32(wide >> 32);
#endif
}
