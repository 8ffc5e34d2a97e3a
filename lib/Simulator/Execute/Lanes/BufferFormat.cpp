//===- BufferFormat.cpp - Typed buffer loads and stores -------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MTBUF takes the format of an element from the instruction, buffer_*_format
// from the resource, whose destination swizzle applies as well. Components
// that an element does not have are 0, a missing W is 1. The d16 forms pack
// two components into a register.
//
// Refused, for want of a public definition: stores through a swizzle that
// permutes, stores of scaled or of 10- and 11-bit numbers, and of integers
// that their component cannot hold.
//
//===----------------------------------------------------------------------===//

#include "tlc/Simulator/Decode/BufferFormat.h"
#include "BufferAccess.h"
#include "Families.h"
#include "FlatAddress.h"
#include "FloatOps.h"

namespace tlc::sim::TLC_SIM_ISA {
namespace {

/// Format and destination swizzle of one instruction.
struct Typed {
  BufferFormat format;
  NumberFormat numbers;
  u32 select[4]; ///< 0: zero, 1: one, 4 to 7: X to W

  bool isInteger() const {
    return numbers == NumberFormat::Uint || numbers == NumberFormat::Sint;
  }
};

/// Raises the fault that ends the run; always false.
bool refuse(Wave &w, const Op &op, const char *why) {
  Fault fault;
  fault.kind = "unsupported-instruction";
  fault.detail = why;
  raise(w, op, fault);
  return false;
}

/// Reads the format from the instruction or the resource.
bool typedOf(Wave &w, const Op &op, const BufferResource &r, Typed &typed) {
  const Instruction &inst = *op.inst;
  // MTBUF's components are never permuted.
  bool own = inst.encoding == Encoding::MTBUF;
  typed.format = bufferFormats[own ? inst.dfmt & 15 : r.dataFormat];
  typed.numbers = NumberFormat(own ? inst.nfmt & 7 : r.numberFormat);
  for (unsigned i = 0; i < 4; ++i)
    typed.select[i] = own ? 4 + i : r.select[i];
  return isValidFormat(typed.format, typed.numbers) ||
         refuse(w, op, "a buffer format that does not exist");
}

/// Bits [from, from + count) of an element; a component never crosses a dword.
u32 field(const u8 *element, unsigned from, unsigned count) {
  u64 word = 0;
  __builtin_memcpy(&word, element + from / 32 * 4, 4);
  return u32(word >> from % 32 & ((u64(1) << count) - 1));
}
/// The low \p count bits as a signed number.
i32 extended(u32 raw, unsigned count) {
  return i32(raw << (32 - count)) >> (32 - count);
}

/// A component as a register holds it: an f32, or an integer.
u32 fromFormat(u32 raw, unsigned count, NumberFormat numbers) {
  u32 unsignedMost = u32((u64(1) << count) - 1), signedMost = unsignedMost >> 1;
  f32 result = 0;
  switch (numbers) {
  case NumberFormat::Unorm:
    result = f32(raw) / f32(unsignedMost);
    break;
  case NumberFormat::Snorm:
    // -2^(n-1) and -2^(n-1) + 1 both mean -1.
    result = f32(extended(raw, count)) / f32(signedMost);
    result = result < -1 ? -1 : result;
    break;
  case NumberFormat::Uscaled:
    result = f32(raw);
    break;
  case NumberFormat::Sscaled:
    result = f32(extended(raw, count));
    break;
  case NumberFormat::Sint:
    return u32(extended(raw, count));
  case NumberFormat::Float:
    if (count == 32)
      return raw;
    // 10 and 11 bits: an f16 without sign and low mantissa bits.
    result = f32(bits<f16>(u16(count == 16 ? raw : raw << (15 - count))));
    break;
  default:
    return raw;
  }
  return bits<u32>(result);
}

/// To the nearest integer, ties to even, whatever the host's mode.
i64 nearest(f64 v) {
  bool negative = v < 0;
  f64 size = negative ? -v : v;
  i64 whole = i64(size);
  f64 rest = size - f64(whole);
  whole += rest > 0.5 || (rest == 0.5 && (whole & 1));
  return negative ? -whole : whole;
}

/// The bits of a component; false where no definition is public.
bool toFormat(u32 value, unsigned count, NumberFormat numbers, u32 &raw) {
  u64 mask = (u64(1) << count) - 1;
  f32 number = bits<f32>(value);
  bool nan = number != number;
  switch (numbers) {
  case NumberFormat::Unorm: {
    f64 clamped = nan || number < 0 ? 0 : number > 1 ? 1 : f64(number);
    raw = u32(nearest(clamped * f64(mask)));
    return true;
  }
  case NumberFormat::Snorm: {
    f64 clamped = nan ? 0 : number < -1 ? -1 : number > 1 ? 1 : f64(number);
    raw = u32(u64(nearest(clamped * f64(mask >> 1))) & mask);
    return true;
  }
  // A value that does not fit is refused: whether hardware clamps or cuts it is
  // not public.
  case NumberFormat::Uint:
    raw = value;
    return (value & ~mask) == 0;
  case NumberFormat::Sint:
    raw = u32(value & mask);
    return extended(raw, count) == i32(value);
  case NumberFormat::Float:
    raw = count == 32 ? value : u32(bits<u16>(toHalf(number)));
    return count >= 16;
  default:
    return false;
  }
}

/// The value of destination component i.
u32 selected(const Typed &t, const u8 *element, unsigned i) {
  // Selectors 0 and 1 are constants, 2 and 3 reserved and read as 0.
  u32 select = t.select[i], one = t.isInteger() ? 1 : bits<u32>(1.0f);
  if (select < 4)
    return select == 1 ? one : 0;
  unsigned component = select - 4, from = 0;
  if (component >= t.format.components)
    return component == 3 ? one : 0;
  // Components are packed from bit 0 up, in their order.
  for (unsigned c = 0; c < component; ++c)
    from += t.format.bits[c];
  unsigned count = t.format.bits[component];
  return fromFormat(field(element, from, count), count, t.numbers);
}

/// How components meet registers: one each, two to a register, or one in the
/// upper half.
enum class Width : u8 { Full, Half, HighHalf };

/// Between a component's 32-bit form and its half of a d16 register.
u32 narrowed(const Typed &t, u32 value) {
  return t.isInteger() ? value & 0xffff : bits<u16>(toHalf(bits<f32>(value)));
}
u32 widened(const Typed &t, u32 half) {
  if (t.numbers == NumberFormat::Sint)
    return u32(i32(i16(half)));
  return t.isInteger() ? half : bits<u32>(f32(bits<f16>(u16(half))));
}

/// Writes the registers of lane \p l; halves keep the other half.
template <unsigned Count, Width W>
void putComponents(const Typed &t, const u8 *element, u32 *d, unsigned l) {
  for (unsigned i = 0; i < Count; ++i) {
    u32 value = selected(t, element, i);
    if constexpr (W == Width::Full) {
      d[i * waveLanes + l] = value;
    } else {
      u32 &word = d[i / 2 * waveLanes + l];
      bool high = W == Width::HighHalf || i % 2;
      u32 half = narrowed(t, value);
      word = high ? (word & 0xffff) | half << 16 : (word & 0xffff0000) | half;
    }
  }
}

/// Lane by lane: formats are rare in compute code, and each element is unpacked
/// bit by bit.
template <unsigned Count, Width W> void load(Wave &w, const Op &op) {
  u64 active = w.exec();
  if (!active || (op.inst->sc1 && awaitTurn(w, op)))
    return;
  BufferResource r = resourceOf(w, op);
  Typed t;
  if (!typedOf(w, op, r, t))
    return;
  if (W != Width::Full && t.isInteger() && t.format.bits[0] > 16)
    return void(refuse(w, op, "32-bit integers loaded as 16 bits"));
  BufferLanes lanes;
  bufferAddresses(w, op, r, t.format.bytes, lanes);
  if (!checkBuffer(w, op, lanes, active, t.format.bytes, false))
    return;
  // With the lds bit the one component goes to LDS instead of a register.
  alignas(64) u32 toLds[waveLanes] = {};
  u32 *d = op.inst->lds ? toLds : w.vgpr + op.dst;
  for (u64 rest = active; rest; rest &= rest - 1) {
    unsigned l = __builtin_ctzll(rest);
    // Bytes out of range stay 0.
    u8 element[16] = {};
    __builtin_memcpy(element,
                     reinterpret_cast<const void *>(lanes.address.at[l]),
                     lanes.inRange[l]);
    putComponents<Count, W>(t, element, d, l);
  }
  if (op.inst->lds)
    storeToLds(w, op, active, toLds);
}

/// Packs the components of one lane; false where that is refused.
template <unsigned Count, Width W>
bool pack(const Typed &t, const u32 *s, unsigned l, u8 *element) {
  unsigned from = 0;
  for (unsigned i = 0; i < t.format.components; ++i) {
    u32 value = 0, raw = 0;
    if (i < Count && W == Width::Full)
      value = s[i * waveLanes + l];
    else if (i < Count)
      value = widened(t, s[i / 2 * waveLanes + l] >>
                                 (W == Width::HighHalf || i % 2 ? 16 : 0) &
                             0xffff);
    if (!toFormat(value, t.format.bits[i], t.numbers, raw))
      return false;
    u32 word;
    __builtin_memcpy(&word, element + from / 32 * 4, 4);
    word |= raw << from % 32;
    __builtin_memcpy(element + from / 32 * 4, &word, 4);
    from += t.format.bits[i];
  }
  return true;
}

/// Everything is checked before the first lane is stored, except the values
/// themselves.
template <unsigned Count, Width W> void store(Wave &w, const Op &op) {
  u64 active = w.exec();
  if (!active)
    return;
  BufferResource r = resourceOf(w, op);
  Typed t;
  if (!typedOf(w, op, r, t))
    return;
  // Only the identity swizzle is known to mean the same for stores.
  for (unsigned i = 0; i < Count && i < t.format.components; ++i)
    if (t.select[i] != 4 + i)
      return void(refuse(w, op, "store through a permuting buffer swizzle"));
  BufferLanes lanes;
  bufferAddresses(w, op, r, t.format.bytes, lanes);
  if (!checkBuffer(w, op, lanes, active, t.format.bytes, true))
    return;
  const u32 *s = registers(w, op.src[1]);
  for (u64 rest = active & (lanes.full | lanes.partial); rest;
       rest &= rest - 1) {
    unsigned l = __builtin_ctzll(rest);
    u8 element[16] = {};
    if (!pack<Count, W>(t, s, l, element))
      return void(refuse(w, op,
                         "a number that its buffer format cannot hold, or "
                         "whose rounding is not public"));
    __builtin_memcpy(reinterpret_cast<void *>(lanes.address.at[l]), element,
                     lanes.inRange[l]);
  }
}

using O = Opcode;
#define FORMATS(prefix, suffix, fn, width)                                     \
  {O::prefix##_##suffix##x, fn<1, width>, nullptr, true},                      \
      {O::prefix##_##suffix##xy, fn<2, width>, nullptr, true},                 \
      {O::prefix##_##suffix##xyz, fn<3, width>, nullptr, true}, {              \
    O::prefix##_##suffix##xyzw, fn<4, width>, nullptr, true                    \
  }
// The rounding of normalised numbers has no public bit-exact definition.
constexpr Handler rows[] = {
    FORMATS(buffer_load_format, , load, Width::Full),
    FORMATS(buffer_load_format, d16_, load, Width::Half),
    FORMATS(buffer_store_format, , store, Width::Full),
    FORMATS(buffer_store_format, d16_, store, Width::Half),
    {O::buffer_load_format_d16_hi_x, load<1, Width::HighHalf>, nullptr, true},
    {O::buffer_store_format_d16_hi_x, store<1, Width::HighHalf>, nullptr, true},
    FORMATS(tbuffer_load_format, , load, Width::Full),
    FORMATS(tbuffer_load_format, d16_, load, Width::Half),
    FORMATS(tbuffer_store_format, , store, Width::Full),
    FORMATS(tbuffer_store_format, d16_, store, Width::Half),
};
#undef FORMATS

} // namespace

Family bufferFormatFamily() { return family(rows); }

} // namespace tlc::sim::TLC_SIM_ISA
