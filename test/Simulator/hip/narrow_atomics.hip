// Atomics that the machine has not, by compare-and-swap of the dword around
// them: counters of bytes and halves of all workgroups, arrays of odd sizes
// among them; maxima of floats in LDS and in global memory.
#include "Program.h"
OUTPUTS(3)
#ifdef DEVICE
FN void raise(float *place, float value) {
  u32 *word = (u32 *)place;
  u32 old = *word;
  while (asFloat(old) < value &&
         !__hip_atomic_compare_exchange_strong(word, &old, bitsOf(value), __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                               __HIP_MEMORY_SCOPE_AGENT))
    ;
}
MAIN {
  SHARED float largest;
  u32 i = globalId();
  u16 *halves = (u16 *)out;
  u8 *bytes = (u8 *)(out + n);
  float *maxima = (float *)(out + 2 * n);
  u32 v = in[i];
  __hip_atomic_fetch_add(halves + v % 1001, u16(v >> 8 & 3), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_fetch_add(bytes + v % 777, u8(1), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  if (localId() == 0)
    largest = 0;
  barrier();
  raise(&largest, float(v & 0xffff));
  barrier();
  if (localId() == 0)
    raise(maxima + groupId() % 3, largest);
}
#else
MAIN {
  for (u32 i = 0; i < 3 * n; ++i)
    out[i] = 0;
  u16 *halves = (u16 *)out;
  u8 *bytes = (u8 *)(out + n);
  float *maxima = (float *)(out + 2 * n);
  for (u32 i = 0; i < n; ++i) {
    u32 v = in[i];
    halves[v % 1001] += v >> 8 & 3;
    bytes[v % 777] += 1;
    float &m = maxima[i / GROUP % 3];
    m = float(v & 0xffff) > m ? float(v & 0xffff) : m;
  }
}
#endif
