// Votes, ranks among the lanes that agree, reads of one lane.
#include "Program.h"
OUTPUTS(2)
MAIN {
#ifdef DEVICE
  u32 i = globalId(), v = in[i];
  u64 votes = __builtin_amdgcn_ballot_w64(v & 1);
  u32 rank = __builtin_amdgcn_mbcnt_hi(u32(votes >> 32),
                                       __builtin_amdgcn_mbcnt_lo(u32(votes), 0));
  u32 first = u32(__builtin_amdgcn_readfirstlane(i32(v)));
  u32 tenth = u32(__builtin_amdgcn_readlane(i32(v), 10));
  out[2 * i] = rank;
  out[2 * i + 1] = first ^ tenth ^ u32(__builtin_popcountll(votes));
#else
  for (u32 w = 0; w < n; w += 64) {
    u32 rank = 0, all = 0;
    for (u32 l = 0; l < 64; ++l)
      all += in[w + l] & 1;
    for (u32 l = 0; l < 64; ++l) {
      out[2 * (w + l)] = rank;
      out[2 * (w + l) + 1] = in[w] ^ in[w + 10] ^ all;
      rank += in[w + l] & 1;
    }
  }
#endif
}
