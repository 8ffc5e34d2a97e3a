//===- ByteOps.cpp - Sums of absolute differences, lerp, cube maps --------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations on bytes (sums of absolute differences, averages) and of cube
// maps, which only media and graphics code uses. After the pseudo-code of the
// CDNA3 ISA.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "FloatOps.h"

namespace tlc::sim::TLC_SIM_ISA {
namespace {

inline u32 byteAt(u64 v, unsigned i) { return v >> (i * 8) & 0xff; }
inline u32 distance(u32 a, u32 b) { return a > b ? a - b : b - a; }
inline u32 sad8(u32 a, u32 b, u32 c) {
  for (unsigned i = 0; i < 4; ++i)
    c += distance(byteAt(a, i), byteAt(b, i));
  return c;
}
/// Bytes of the reference that are 0 do not count.
inline u32 masked8(u32 a, u32 b, u32 c) {
  for (unsigned i = 0; i < 4; ++i)
    c += byteAt(b, i) ? distance(byteAt(a, i), byteAt(b, i)) : 0;
  return c;
}
inline u32 sadHigh(u32 a, u32 b, u32 c) { return (sad8(a, b, 0) << 16) + c; }
inline u32 sad16(u32 a, u32 b, u32 c) {
  return c + distance(a & 0xffff, b & 0xffff) + distance(a >> 16, b >> 16);
}
inline u32 sad32(u32 a, u32 b, u32 c) { return c + distance(a, b); }
/// The average of each byte, rounded up where the third source's bit says so.
inline u32 lerp(u32 a, u32 b, u32 c) {
  u32 r = 0;
  for (unsigned i = 0; i < 4; ++i)
    r |= (byteAt(a, i) + byteAt(b, i) + (c >> (i * 8) & 1)) >> 1 << (i * 8);
  return r;
}

/// Four windows of the eight bytes of a against the four of b; sums of 16
/// bits.
template <auto Sum> inline u64 windows16(u64 a, u32 b, u64 c) {
  u64 r = 0;
  for (unsigned i = 0; i < 4; ++i)
    r |= u64(u16(Sum(u32(a >> (i * 8)), b, u32(c >> (i * 16) & 0xffff))))
         << (i * 16);
  return r;
}
/// The same with four sums of 32 bits; all are known before the first is
/// written, since the destination may be a source.
void windows32(const Lanes &x) {
  TLC_LANE_LOOP {
    u64 a = get<u64>(x.a, l);
    u32 r[4];
    for (unsigned i = 0; i < 4; ++i)
      r[i] = masked8(u32(a >> (i * 8)), x.b[l], x.c[l + i * waveLanes]);
    for (unsigned i = 0; i < 4; ++i)
      put<u32>(x.d + i * waveLanes, l, x.mask[l], r[i]);
  }
}

inline f32 size(f32 v) { return withSign(v, false); }
/// The face that a vector meets: +x 0, -x 1, +y 2, -y 3, +z 4, -z 5. The
/// largest component decides, z before y before x.
inline f32 cubeFace(f32 a, f32 b, f32 c) {
  if (size(c) >= size(a) && size(c) >= size(b))
    return c < 0 ? 5.0f : 4.0f;
  if (size(b) >= size(a))
    return b < 0 ? 3.0f : 2.0f;
  return a < 0 ? 1.0f : 0.0f;
}
inline f32 cubeS(f32 a, f32 b, f32 c) {
  if (size(c) >= size(a) && size(c) >= size(b))
    return c < 0 ? -a : a;
  if (size(b) >= size(a))
    return a;
  return a < 0 ? c : -c;
}
inline f32 cubeT(f32 a, f32 b, f32 c) {
  if (size(c) >= size(a) && size(c) >= size(b))
    return -b;
  if (size(b) >= size(a))
    return b < 0 ? -c : c;
  return -b;
}
inline f32 cubeMajor(f32 a, f32 b, f32 c) {
  if (size(c) >= size(a) && size(c) >= size(b))
    return 2.0f * c;
  return size(b) >= size(a) ? 2.0f * b : 2.0f * a;
}

template <auto F> constexpr LaneFunction u3 = map3<u32, u32, u32, u32, F>;
template <auto F> constexpr LaneFunction f3 = map3<f32, f32, f32, f32, F>;
constexpr FloatMode S = FloatMode::Single;

using O = Opcode;
constexpr Handler rows[] = {
    {O::v_sad_u8, nullptr, u3<sad8>},
    {O::v_sad_hi_u8, nullptr, u3<sadHigh>},
    {O::v_sad_u16, nullptr, u3<sad16>},
    {O::v_sad_u32, nullptr, u3<sad32>},
    {O::v_msad_u8, nullptr, u3<masked8>},
    {O::v_lerp_u8, nullptr, u3<lerp>},
    {O::v_qsad_pk_u16_u8, nullptr, map3<u64, u64, u32, u64, windows16<sad8>>},
    {O::v_mqsad_pk_u16_u8, nullptr,
     map3<u64, u64, u32, u64, windows16<masked8>>},
    {O::v_mqsad_u32_u8, nullptr, windows32},
    {O::v_cubeid_f32, nullptr, f3<cubeFace>, false, S},
    {O::v_cubesc_f32, nullptr, f3<cubeS>, false, S},
    {O::v_cubetc_f32, nullptr, f3<cubeT>, false, S},
    {O::v_cubema_f32, nullptr, f3<cubeMajor>, false, S},
};

} // namespace

Family byteOpsFamily() { return family(rows); }

} // namespace tlc::sim::TLC_SIM_ISA
