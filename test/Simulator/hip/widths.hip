// Scans and reductions over parts of a wavefront of 8, 16 and 32 lanes, of
// doubles and of 64-bit integers, and votes.
#include "Program.h"
OUTPUTS(4)
#ifdef DEVICE
FN u32 moved(u32 v, u32 from) {
  return u32(__builtin_amdgcn_ds_bpermute(i32(from * 4), i32(v)));
}
FN u64 moved(u64 v, u32 from) {
  return u64(moved(u32(v >> 32), from)) << 32 | moved(u32(v), from);
}
FN double moved(double v, u32 from) {
  return asDouble(moved(bitsOf(v), from));
}
/// The value of the lane `by` below within `width` lanes; else this one's.
template <typename T> FN T up(T v, u32 by, u32 width) {
  u32 in = lane() % width;
  return moved(v, in >= by ? lane() - by : lane());
}
#endif
MAIN {
#ifdef DEVICE
  u32 i = globalId(), l = lane();
  u64 sum = in[i] * 0x100000001ull;
  for (u32 by = 1; by < 16; by *= 2) {
    u64 below = up(sum, by, 16);
    if (l % 16 >= by)
      sum += below;
  }
  double most = double(i32(in[i])) * 0.25;
  for (u32 by = 1; by < 8; by *= 2) {
    double other = moved(most, l ^ by);
    most = other > most ? other : most;
  }
  u64 vote = __builtin_amdgcn_ballot_w64(in[i] & 1);
  u32 part = u32(vote >> (l & 32));
  u32 first = part ? u32(__builtin_ctz(part)) : 32;
  out[4 * i] = u32(sum);
  out[4 * i + 1] = u32(sum >> 32);
  out[4 * i + 2] = u32(bitsOf(most) >> 32) ^ u32(bitsOf(most));
  out[4 * i + 3] = moved(in[i], (l & 32) | (first & 31)) + first;
#else
  for (u32 i = 0; i < n; ++i) {
    u64 sum = 0;
    for (u32 k = i & ~15u; k <= i; ++k)
      sum += in[k] * 0x100000001ull;
    double most = double(i32(in[i])) * 0.25;
    for (u32 k = i & ~7u; k < (i & ~7u) + 8; ++k) {
      double other = double(i32(in[k])) * 0.25;
      most = other > most ? other : most;
    }
    u32 first = 32;
    for (u32 k = 32; k-- > 0;)
      if (in[(i & ~31u) + k] & 1)
        first = k;
    out[4 * i] = u32(sum);
    out[4 * i + 1] = u32(sum >> 32);
    out[4 * i + 2] = u32(bitsOf(most) >> 32) ^ u32(bitsOf(most));
    out[4 * i + 3] = in[(i & ~31u) + (first & 31)] + first;
  }
#endif
}
