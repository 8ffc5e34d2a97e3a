// Values move between lanes: arbitrary sources, exclusive or, rotation.
#include "Program.h"
OUTPUTS(3)
MAIN {
#ifdef DEVICE
  u32 i = globalId(), v = in[i];
  i32 from = i32(v % 64);
  out[3 * i] = u32(__builtin_amdgcn_ds_bpermute(from * 4, i32(v)));
  u32 sum = v;
  for (u32 step = 1; step < 64; step *= 2)
    sum += u32(__builtin_amdgcn_ds_bpermute(i32(lane() ^ step) * 4, i32(sum)));
  out[3 * i + 1] = sum;
  // Quad permutation, row shift, mirror and broadcast by DPP.
  u32 a = u32(__builtin_amdgcn_update_dpp(7, i32(v), 0x1b, 0xf, 0xf, false));
  u32 b = u32(__builtin_amdgcn_update_dpp(9, i32(v), 0x111, 0xf, 0xf, false));
  u32 c = u32(__builtin_amdgcn_update_dpp(0, i32(v), 0x140, 0xf, 0xf, true));
  u32 d = u32(__builtin_amdgcn_update_dpp(5, i32(v), 0x104, 0xb, 0x7, false));
  out[3 * i + 2] = a ^ (b << 1) ^ (c << 2) ^ (d << 3);
#else
  for (u32 w = 0; w < n; w += 64)
    for (u32 l = 0; l < 64; ++l) {
      u32 v = in[w + l], sum = 0;
      for (u32 k = 0; k < 64; ++k)
        sum += in[w + k];
      out[3 * (w + l)] = in[w + v % 64];
      out[3 * (w + l) + 1] = sum;
      u32 a = in[w + (l ^ 3)];
      u32 b = l % 16 ? in[w + l - 1] : 9;
      u32 c = in[w + (l & 48 | 15 - l % 16)];
      bool on = (0xb >> l / 16 & 1) && (0x7 >> l / 4 % 4 & 1) && l % 16 < 12;
      u32 d = on ? in[w + l + 4] : 5;
      out[3 * (w + l) + 2] = a ^ b << 1 ^ c << 2 ^ d << 3;
    }
#endif
}
