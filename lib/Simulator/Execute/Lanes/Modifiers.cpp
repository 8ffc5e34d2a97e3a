//===- Modifiers.cpp - How vector ALU operations run ----------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lane functions know nothing of modifiers. An instruction with any of
// them runs in three steps: the sources are copied with SDWA or op_sel
// selection, DPP lane movement, abs and neg applied; the operation runs on the
// copies; output scaling, clamp and the partial writes of SDWA and op_sel are
// applied to its result.
//
//===----------------------------------------------------------------------===//

#include "FloatOps.h"
#include "ResultType.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace tlc::sim::TLC_SIM_ISA {

/// Sources that are no registers: apertures, condition bits, and a dword of LDS
/// at M0.
/// 64 bits; a 32-bit operand uses the lower half. Apertures are the addresses
/// at which FLAT instructions see LDS and scratch. An LDS-direct read beyond
/// the allocation gives 0.
u64 specialValue(const Wave &w, unsigned reg) {
  switch (reg) {
  case SpecialReg::SharedBase:
    return sharedAperture;
  case SpecialReg::SharedLimit:
    return sharedAperture + apertureBytes - 1;
  case SpecialReg::PrivateBase:
    return privateAperture;
  case SpecialReg::PrivateLimit:
    return privateAperture + apertureBytes - 1;
  case SpecialReg::Vccz:
    return w.vcc() == 0;
  case SpecialReg::Execz:
    return w.exec() == 0;
  case SpecialReg::Scc:
    return w.scc;
  case SpecialReg::LdsDirect: {
    u64 value = 0;
    u32 address = w.sgpr[ScalarReg::M0] & 0xffff;
    if (address + 4 <= w.group->ldsBytes)
      __builtin_memcpy(&value, w.group->lds + address, 4);
    return value;
  }
  }
  return 0;
}

/// A scalar or constant operand as 64 equal lanes, for the lane functions know
/// only arrays, in scratch room \p slot. Up to four dwords; the pointer holds
/// until the slot is used again, by the next instruction at the earliest.
const u32 *broadcast(Wave &w, const Source &s, unsigned slot) {
  u32 *to = w.scratchLanes[slot];
  for (unsigned i = 0; i < s.dwords && i < 4; ++i) {
    u32 v;
    if (s.kind == OperandKind::Scalar)
      v = w.sgpr[s.index + i];
    else
      v = u32((s.kind == OperandKind::Special ? specialValue(w, s.index)
                                              : s.value) >>
              (i % 2 * 32));
    TLC_LANE_LOOP to[i * waveLanes + l] = v;
  }
  return to;
}

/// The usual case: sources as they are, result straight to its register.
void runPlain(Wave &w, const Op &op) {
  Lanes x;
  x.a = lanesOf(w, op.src[0], 0);
  x.b = lanesOf(w, op.src[1], 1);
  // A mask of lanes is read by the operation itself.
  bool isMask = op.src[2].type == DataType::B64;
  x.c = isMask ? nullptr : lanesOf(w, op.src[2], 2);
  x.d = w.vgpr + op.dst;
  x.mask = execLanes(w);
  x.op = &op;
  x.wave = &w;
  op.lanes(x);
}

namespace {

/// Where lane l reads from under a DPP control, or -1 if out of range.
int dppSource(unsigned control, int l) {
  int row = l & ~15, inRow = l & 15;
  int count = control & 15;
  if (control <= DppCtrl::QuadPermLast)
    return (l & ~3) | (control >> (2 * (l & 3)) & 3);
  // row_shl:n reads from n lanes above, row_shr:n from n below, neither across
  // the row of 16 lanes; row_ror rotates within it.
  if (control > DppCtrl::RowShl && control < DppCtrl::RowShr)
    return inRow + count > 15 ? -1 : l + count;
  if (control > DppCtrl::RowShr && control < DppCtrl::RowRor)
    return inRow - count < 0 ? -1 : l - count;
  if (control > DppCtrl::RowRor && control < DppCtrl::WaveShl1)
    return row | ((inRow - count) & 15);
  switch (control) {
  case DppCtrl::WaveShl1:
    return l == 63 ? -1 : l + 1;
  case DppCtrl::WaveRol1:
    return (l + 1) & 63;
  case DppCtrl::WaveShr1:
    return l - 1;
  case DppCtrl::WaveRor1:
    return (l - 1) & 63;
  case DppCtrl::RowMirror:
    return row | (15 - inRow);
  case DppCtrl::RowHalfMirror:
    return (l & ~7) | (7 - (l & 7));
  // The last lane of each row goes to the whole next row; row_bcast:31 gives
  // lane 31 to the upper half. Reductions use both.
  case DppCtrl::RowBcast15:
    return row == 0 ? -1 : row - 1;
  case DppCtrl::RowBcast31:
    return l < 32 ? -1 : 31;
  }
  // row_newbcast:n: lane n of each row to the row (gfx90a and later).
  if (control >= DppCtrl::RowNewBcast && control < DppCtrl::RowNewBcast + 16)
    return row | count;
  return -1;
}

/// The lanes that a DPP control reads from.
struct DppLanes {
  alignas(64) u32 from[waveLanes];
  alignas(64) u32 valid[waveLanes]; ///< ~0 where there is such a lane
  bool withinRows = true;           ///< of 16 lanes
};
constexpr unsigned dppControls = DppCtrl::RowNewBcast + 16;

/// Tabulated for all controls at the first use.
const DppLanes &dppLanes(unsigned control) {
  static const DppLanes *table = [] {
    DppLanes *rows = new DppLanes[dppControls];
    for (unsigned c = 0; c < dppControls; ++c)
      for (unsigned l = 0; l < waveLanes; ++l) {
        int source = dppSource(c, int(l));
        // Without a source the lane reads some lane of its own row; `valid`
        // masks the value out, and the one-row permutation stays applicable.
        rows[c].from[l] = source < 0 ? l & ~15u : u32(source);
        rows[c].withinRows &= rows[c].from[l] / 16 == l / 16;
        rows[c].valid[l] = source < 0 ? 0 : ~0u;
      }
    return rows;
  }();
  return table[control < dppControls ? control : dppControls - 1];
}

/// Applies DPP to the dwords of source 0 and to the mask of written lanes,
/// which holds EXEC.
void applyDpp(const Wave &w, const Instruction &inst, const u32 *from, u32 *to,
              unsigned dwords, u32 *mask) {
  const DppLanes &lanes = dppLanes(inst.dppCtrl);
  const u32 *exec = w.execLanes;
  u64 active = w.exec();
  // Without bound_ctrl a lane without a source is not written; with it the
  // source reads as 0.
  u32 bound = inst.boundCtrl ? ~0u : 0, rows = inst.rowMask,
      banks = inst.bankMask;
  // A source lane that EXEC has off counts as missing. With all lanes on the
  // table's mask holds as it is.
  alignas(64) u32 valid[waveLanes];
  if (active == ~u64(0))
    std::memcpy(valid, lanes.valid, sizeof(valid));
  else
    TLC_LANE_LOOP valid[l] = lanes.valid[l] & exec[lanes.from[l]];
  // row_mask has a bit for each row of 16 lanes, bank_mask for each group of
  // four within a row; a lane is written if both have its bit.
  if ((rows & banks) == 0xf)
    TLC_LANE_LOOP mask[l] &= valid[l] | bound;
  else
    TLC_LANE_LOOP {
      u32 enabled = 0u - (rows >> (l / 16) & banks >> (l / 4 % 4) & 1);
      mask[l] &= enabled & (valid[l] | bound);
    }
  for (unsigned i = 0; i < dwords; ++i) {
    const u32 *source = from + i * waveLanes;
    u32 *target = to + i * waveLanes;
#ifdef __AVX512F__
    if (lanes.withinRows) { // one permutation a row
      constexpr unsigned row = 16;
      for (unsigned r = 0; r < waveLanes; r += row) {
        __m512i index = _mm512_load_si512(lanes.from + r);
        __m512i moved =
            _mm512_permutexvar_epi32(index, _mm512_load_si512(source + r));
        _mm512_store_si512(
            target + r, _mm512_and_si512(moved, _mm512_load_si512(valid + r)));
      }
      continue;
    }
#endif
    TLC_LANE_LOOP target[l] = source[lanes.from[l]] & valid[l];
  }
}

/// The byte or word that SDWA names, extended by zeros or the sign.
u32 selectSdwa(u32 v, SdwaSel sel, bool sext) {
  unsigned s = static_cast<unsigned>(sel);
  if (sel == SdwaSel::Dword)
    return v;
  if (s <= static_cast<unsigned>(SdwaSel::Byte3)) {
    u32 byte = v >> (s * 8) & 0xff;
    return sext ? u32(i32(i8(byte))) : byte;
  }
  u32 word = sel == SdwaSel::Word1 ? v >> 16 : v & 0xffff;
  return sext ? u32(i32(i16(word))) : word;
}

bool isPacked16(DataType t) {
  return t == DataType::V2F16 || t == DataType::V2I16;
}
bool isPacked32(DataType t) {
  return t == DataType::V2F32 || t == DataType::V2I32;
}
bool isSingle16(DataType t) { return t == DataType::F16 || t == DataType::I16; }

/// Modifies source i in place: `v` holds `dwords` times 64 words.
void modifySource(const Instruction &inst, const Source &s, unsigned i,
                  u32 *v) {
  // VOP3P: op_sel chooses the half (or dword) that the low result reads,
  // op_sel_hi that of the high one; neg_lo and neg_hi flip the signs after the
  // selection. Packed integers have no sign to flip.
  bool neg = inst.neg >> i & 1, abs = inst.abs >> i & 1;
  bool low = inst.opSel >> i & 1, high = inst.opSelHi >> i & 1;
  if (inst.encoding == Encoding::VOP3P) {
    bool negHi = inst.negHi >> i & 1;
    if (isPacked16(s.type)) {
      u32 flip = (neg ? 0x8000u : 0) | (negHi ? 0x80000000u : 0);
      if (s.type == DataType::V2I16)
        flip = 0;
      TLC_LANE_LOOP {
        u32 w = v[l];
        v[l] =
            ((low ? w >> 16 : w & 0xffff) | (high ? w & 0xffff0000 : w << 16)) ^
            flip;
      }
    } else if (isPacked32(s.type)) {
      // Two dwords: the choice is between the registers of the pair.
      u32 flipLow = neg && isFloat(s.type) ? 0x80000000u : 0;
      u32 flipHigh = negHi && isFloat(s.type) ? 0x80000000u : 0;
      TLC_LANE_LOOP {
        u32 a = v[l], b = v[l + waveLanes];
        v[l] = (low ? b : a) ^ flipLow;
        v[l + waveLanes] = (high ? b : a) ^ flipHigh;
      }
    } else if (s.type == DataType::F32 && neg) {
      // An accumulator of a dot product is a single f32.
      TLC_LANE_LOOP v[l] ^= 0x80000000u;
    }
    return;
  }
  // VOP1, VOP2, VOP3: select, then abs, then neg, in this order.
  if (inst.form == Form::Sdwa && i < 2) {
    SdwaSel sel = inst.srcSel[i];
    bool sext = inst.sext >> i & 1;
    TLC_LANE_LOOP v[l] = selectSdwa(v[l], sel, sext);
  }
  if (isSingle16(s.type) && low)
    TLC_LANE_LOOP v[l] >>= 16;
  if (!isFloat(s.type) || !(neg || abs))
    return;
  // The sign lies in the upper dword of an f64.
  u32 sign = s.type == DataType::F16     ? 0x8000u
             : s.type == DataType::V2F16 ? 0x80008000u
                                         : 0x80000000u;
  u32 *top = s.type == DataType::F64 ? v + waveLanes : v;
  TLC_LANE_LOOP {
    u32 w = abs ? top[l] & ~sign : top[l];
    top[l] = neg ? w ^ sign : w;
  }
}

/// True if modifySource would change anything.
bool isModified(const Instruction &inst, const Source &s, unsigned i) {
  bool low = inst.opSel >> i & 1, high = inst.opSelHi >> i & 1;
  bool negated = (inst.neg | inst.negHi) >> i & 1;
  if (inst.encoding == Encoding::VOP3P) {
    bool packed = isPacked16(s.type) || isPacked32(s.type);
    return negated || (packed && (low || !high));
  }
  return (inst.form == Form::Sdwa && i < 2) || (isSingle16(s.type) && low) ||
         ((inst.neg | inst.abs) >> i & 1);
}

// clamp of floats: to [0, 1]; NaN becomes 0 with DX10_CLAMP and stays without.
template <typename T>
[[gnu::always_inline]] inline T clampUnit(T v, bool dx10) {
  T r = v > T(0) ? v : T(0); // -0 becomes 0
  r = r > T(1) ? T(1) : r;
  T ofNan = dx10 ? T(0) : v;
  return isNan(v) ? ofNan : r;
}
/// f16 is scaled in f32 and rounded once.
inline f16 times(f16 v, f32 factor) { return toHalf(f32(v) * factor); }
inline f32 times(f32 v, f32 factor) { return v * factor; }
inline f64 times(f64 v, f32 factor) { return v * f64(factor); }
/// omod scales by 2, 4 or 1/2, and does so before the clamp.
template <typename T>
void finishFloat(u32 *d, unsigned omod, bool clamp, bool dx10) {
  constexpr f32 factors[] = {1.0f, 2.0f, 4.0f, 0.5f};
  f32 factor = factors[omod & 3];
  if (omod)
    TLC_LANE_LOOP put<T>(d, l, ~0u, times(get<T>(d, l), factor));
  if (clamp)
    TLC_LANE_LOOP put<T>(d, l, ~0u, clampUnit(get<T>(d, l), dx10));
}
/// Clamps the two halves of a packed f16.
void finishHalves(u32 *d, bool dx10) {
  TLC_LANE_LOOP {
    u32 lo = raw(clampUnit(bits<f16>(u16(d[l])), dx10));
    u32 hi = raw(clampUnit(bits<f16>(u16(d[l] >> 16)), dx10));
    d[l] = hi << 16 | lo;
  }
}

/// Output modifiers, on the type that the mnemonic says.
void finishResult(Wave &w, const Instruction &inst, DataType type, u32 *d) {
  if (!inst.clamp && !inst.omod)
    return;
  switch (type) {
  case DataType::F32:
    return finishFloat<f32>(d, inst.omod, inst.clamp, w.dx10Clamp);
  case DataType::F64:
    return finishFloat<f64>(d, inst.omod, inst.clamp, w.dx10Clamp);
  case DataType::F16:
    return finishFloat<f16>(d, inst.omod, inst.clamp, w.dx10Clamp);
  case DataType::V2F16:
    return inst.clamp ? finishHalves(d, w.dx10Clamp) : void();
  // Packed f32 has a clamp bit but no omod field.
  case DataType::V2F32:
    finishFloat<f32>(d, 0, inst.clamp, w.dx10Clamp);
    return finishFloat<f32>(d + waveLanes, 0, inst.clamp, w.dx10Clamp);
  default:
    // Integer results were saturated by the operation itself.
    return;
  }
}

/// Merges a result into part of the register, as SDWA's dst_sel asks.
// The bits outside the selected byte or word: kept, zero, or the sign's
// extension upwards.
u32 mergeSdwa(u32 old, u32 r, SdwaSel sel, SdwaUnused unused) {
  unsigned s = static_cast<unsigned>(sel);
  if (sel == SdwaSel::Dword)
    return r;
  bool byte = s <= static_cast<unsigned>(SdwaSel::Byte3);
  unsigned shift = byte ? s * 8 : sel == SdwaSel::Word1 ? 16 : 0;
  u32 width = byte ? 0xffu : 0xffffu;
  u32 field = (r & width) << shift, mask = width << shift;
  if (unused == SdwaUnused::Preserve)
    return (old & ~mask) | field;
  bool negative = r & (byte ? 0x80u : 0x8000u);
  if (unused == SdwaUnused::Sext && negative)
    return field | ~(mask | (mask - 1)); // ones above, zeros below
  return field;
}

} // namespace

/// See the head of the file. Sources are copied only where something changes
/// them.
void runModified(Wave &w, const Op &op) {
  const Instruction &inst = *op.inst;
  const u32 *sources[3];
  const u32 *active = execLanes(w);
  // A copy: DPP takes lanes out of it, and EXEC must stay.
  u32 *mask = w.maskLanes;
  std::memcpy(mask, active, sizeof(w.maskLanes));
  for (unsigned i = 0; i < 3; ++i) {
    const Source &s = op.src[i];
    sources[i] = lanesOf(w, s, i);
    // Wider operands are those of matrix operations, which have no modifiers.
    if (s.kind == OperandKind::None || s.dwords == 0 || s.dwords > 2)
      continue;
    // A mask of lanes is no lane value.
    if (s.kind == OperandKind::Scalar && s.type == DataType::B64)
      continue;
    u32 *copy = w.scratchLanes[i];
    bool dpp = i == 0 && inst.form == Form::Dpp;
    bool modified = isModified(inst, s, i);
    if (!dpp && !modified)
      continue;
    if (dpp)
      applyDpp(w, inst, sources[0], copy, s.dwords, mask);
    // A constant was broadcast into this very slot already.
    else if (sources[i] != copy)
      std::memcpy(copy, sources[i], s.dwords * waveLanes * sizeof(u32));
    if (modified)
      modifySource(inst, s, i, copy);
    sources[i] = copy;
  }

  Lanes x{sources[0], sources[1], sources[2], nullptr, mask, &op, &w};
  bool toVector = op.dstKind == OperandKind::Vector ||
                  op.dstKind == OperandKind::Accumulator;
  // Comparisons write a lane mask into SGPRs; results of more than two dwords
  // have no modifiers. Both take x.mask as it is.
  if (!toVector || op.dstDwords > 2) {
    x.d = w.vgpr + op.dst;
    return op.lanes(x);
  }
  // The operation may read its destination: work on a copy of it.
  u32 *d = w.vgpr + op.dst, *result = w.scratchLanes[3];
  // Bit 3 of op_sel: the 16-bit result goes into the upper half.
  bool highHalf = (inst.opSel & 8) && isSingle16(op.src[0].type) &&
                  inst.encoding == Encoding::VOP3;
  if (!highHalf && !inst.clamp && !inst.omod && inst.form != Form::Sdwa) {
    x.d = d;
    return op.lanes(x);
  }
  std::memcpy(result, d, op.dstDwords * waveLanes * sizeof(u32));
  // The operation sees the half that it is about to replace as the low one.
  if (highHalf)
    TLC_LANE_LOOP result[l] >>= 16;
  x.d = result;
  op.lanes(x);
  finishResult(w, inst, resultType(inst), result);

  // Put back only the lanes of the mask, and of them only the bits written.
  if (inst.form == Form::Sdwa && op.dstDwords == 1) {
    TLC_LANE_LOOP {
      u32 r = mergeSdwa(d[l], result[l], inst.dstSel, inst.dstUnused);
      d[l] = mask[l] ? r : d[l];
    }
    return;
  }
  if (highHalf) {
    TLC_LANE_LOOP {
      u32 r = (d[l] & 0xffff) | result[l] << 16;
      d[l] = mask[l] ? r : d[l];
    }
    return;
  }
  for (unsigned i = 0; i < op.dstDwords; ++i)
    TLC_LANE_LOOP {
      u32 at = i * waveLanes + l;
      d[at] = mask[l] ? result[at] : d[at];
    }
}

} // namespace tlc::sim::TLC_SIM_ISA
