// Votes and counts over a workgroup, and shuffles within tiles of 4 to 32
// lanes, as cooperative groups build them.
#include "Program.h"
OUTPUTS(4)
MAIN {
#ifdef DEVICE
  SHARED u32 votes[4];
  u32 i = globalId(), v = in[i], wave = localId() / 64;
  // Like __syncthreads_count and __syncthreads_and.
  u64 odd = __builtin_amdgcn_ballot_w64(v & 1);
  if (lane() == 0)
    votes[wave] = u32(__builtin_popcountll(odd));
  barrier();
  u32 count = votes[0] + votes[1] + votes[2] + votes[3];
  out[4 * i] = count;
  out[4 * i + 1] = u32(count == GROUP) | u32(count != 0) << 1;
  // Shuffles down in tiles; the last lanes keep their own.
  u32 mixed = 0;
  for (u32 width = 4; width <= 32; width *= 2) {
    u32 within = lane() % width, source = lane() + width / 2;
    if (within + width / 2 >= width)
      source = lane();
    mixed = mixed * 31 + u32(__builtin_amdgcn_ds_bpermute(i32(source * 4), i32(v)));
  }
  out[4 * i + 2] = mixed;
  // Match any: the lanes with the same key, found by rounds of first lanes.
  u32 key = v % 5;
  u64 same = 0;
  bool todo = true;
  while (todo) {
    u32 leader = u32(__builtin_amdgcn_readfirstlane(i32(key)));
    u64 mask = __builtin_amdgcn_ballot_w64(key == leader);
    if (key == leader) {
      same = mask;
      todo = false;
    }
  }
  out[4 * i + 3] = u32(__builtin_popcountll(same)) ^ u32(same >> (i % 7));
#else
  for (u32 g = 0; g < n; g += GROUP) {
    u32 count = 0;
    for (u32 k = 0; k < GROUP; ++k)
      count += in[g + k] & 1;
    for (u32 k = 0; k < GROUP; ++k) {
      u32 i = g + k, lane = k % 64, wave = i - lane, mixed = 0;
      out[4 * i] = count;
      out[4 * i + 1] = u32(count == GROUP) | u32(count != 0) << 1;
      for (u32 width = 4; width <= 32; width *= 2) {
        u32 source = lane % width + width / 2 >= width ? lane : lane + width / 2;
        mixed = mixed * 31 + in[wave + source];
      }
      out[4 * i + 2] = mixed;
      u64 same = 0;
      for (u32 l = 0; l < 64; ++l)
        same |= u64(in[wave + l] % 5 == in[i] % 5) << l;
      out[4 * i + 3] = u32(__builtin_popcountll(same)) ^ u32(same >> (i % 7));
    }
  }
#endif
}
