// 64-bit atomics, global and in LDS, whose result no order changes.
#include "Program.h"
OUTPUTS(2)
#define ORDER __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT
#define LOCAL __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP
FN u64 spread(u32 v) { return v * 0x9e3779b97f4a7c15ull; }
MAIN {
#ifdef DEVICE
  SHARED u64 local[4];
  u64 *words = (u64 *)out, v = spread(in[globalId()]);
  if (localId() < 4)
    local[localId()] = 0;
  barrier();
  __hip_atomic_fetch_add(words + 0, v, ORDER);
  __hip_atomic_fetch_max(words + 1, v, ORDER);
  __hip_atomic_fetch_max((i64 *)words + 2, i64(v), ORDER);
  __hip_atomic_fetch_min((i64 *)words + 3, i64(v), ORDER);
  __hip_atomic_fetch_xor(words + 4, v, ORDER);
  __hip_atomic_fetch_or(words + 5, v & 0x1111111111111111, ORDER);
  __hip_atomic_fetch_add((double *)words + 6, double(v >> 44), ORDER);
  u64 old = __hip_atomic_load(words + 7, ORDER);
  while (!__hip_atomic_compare_exchange_strong(words + 7, &old, old * 5 + 3,
                                               __ATOMIC_RELAXED, ORDER))
    ;
  __hip_atomic_fetch_add(local + 0, v, LOCAL);
  __hip_atomic_fetch_max(local + 1, v, LOCAL);
  __hip_atomic_fetch_xor(local + 2, v, LOCAL);
  __hip_atomic_fetch_add((double *)local + 3, double(v >> 44), LOCAL);
  barrier();
  if (localId() < 4)
    words[8 + groupId() * 4 + localId()] = local[localId()];
#else
  u64 *words = (u64 *)out;
  double sum = 0;
  for (u32 i = 0; i < n; ++i) {
    u64 v = spread(in[i]), *group = words + 8 + i / GROUP * 4;
    words[0] += v;
    words[1] = v > words[1] ? v : words[1];
    words[2] = i64(v) > i64(words[2]) ? v : words[2];
    words[3] = i64(v) < i64(words[3]) ? v : words[3];
    words[4] ^= v;
    words[5] |= v & 0x1111111111111111;
    sum += double(v >> 44);
    words[7] = words[7] * 5 + 3;
    group[0] += v;
    group[1] = v > group[1] ? v : group[1];
    group[2] ^= v;
    group[3] = bitsOf(asDouble(group[3]) + double(v >> 44));
  }
  words[6] = bitsOf(sum);
#endif
}
