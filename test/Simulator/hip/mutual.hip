// Mutual recursion, structures by value in and out, calls through a table.
#include "Program.h"
OUTPUTS(2)
struct State {
  u64 sum;
  u32 steps;
  u16 tag[5];
  u8 deep;
};
NOINLINE State odd(State s, u32 v);
NOINLINE State even(State s, u32 v) {
  s.sum = s.sum * 31 + v;
  s.tag[s.steps++ % 5] ^= u16(v);
  return v < 2 ? s : odd(s, v / 2 + (v & 1));
}
NOINLINE State odd(State s, u32 v) {
  s.sum ^= u64(v) << (v & 31);
  s.deep = u8(s.deep * 7 + v);
  return v < 3 ? s : v & 1 ? even(s, v / 3) : odd(even(s, v & 1), v / 5);
}
NOINLINE State swap(State s, u32 v) {
  u16 last = s.tag[4];
  for (u32 i = 4; i; --i)
    s.tag[i] = s.tag[i - 1];
  s.tag[0] = u16(last + v);
  return s;
}
typedef State (*Step)(State, u32);
FN Step pick(u32 v) {
  switch (v % 3) {
  case 0:
    return even;
  case 1:
    return odd;
  default:
    return swap;
  }
}
FN void body(u32 i, const u32 *in, u32 *out, u32 n) {
  State s = {in[i], 0, {1, 2, 3, 4, 5}, u8(i)};
  for (u32 k = 0; k < 4; ++k)
    s = pick(in[(i + k) % n])(s, in[(i + 2 * k) % n] >> 12);
  u32 tags = 0;
  for (u32 k = 0; k < 5; ++k)
    tags = tags * 17 + s.tag[k];
  out[2 * i] = u32(s.sum) ^ u32(s.sum >> 32) ^ s.deep;
  out[2 * i + 1] = tags + s.steps;
}
PER_ELEMENT(body)
