//===- ScalarAlu.cpp - SOP1, SOP2, SOPC, SOPK -----------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scalar arithmetic. Each row is a function of the source values; the second
// result of those that set SCC is SCC.
//
// The semantics are those of the CDNA3 ISA document, sections SOP2, SOPK, SOP1
// and SOPC. All arithmetic is done once for a wavefront: the scalar unit does
// not look at EXEC, except where an instruction names it.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "LaneOps.h"

namespace tlc::sim::TLC_SIM_ISA {
namespace {

/// A result together with the SCC that it leaves; plain results leave SCC
/// alone.
template <typename T> struct WithScc {
  T value;
  bool scc;
};

/// A source as T: one register, a pair, or a constant.
template <typename T> T source(const Wave &w, const Source &s) {
  if constexpr (sizeof(T) == 8)
    return T(scalar64(w, s));
  else
    return T(scalar32(w, s));
}

/// To the destination register or pair.
template <typename T> void write(Wave &w, const Op &op, T value) {
  if constexpr (sizeof(T) == 8)
    w.setPair(op.dst, u64(value));
  else
    w.sgpr[op.dst] = u32(value);
}
template <typename T> void write(Wave &w, const Op &op, WithScc<T> result) {
  write(w, op, result.value);
  w.scc = result.scc;
}

/// Functions of one and two sources; SCC only where the function gives it.
/// The function is a template parameter, so each row of the table becomes a
/// handler of its own with the operation inlined.
template <typename A, auto F> void one(Wave &w, const Op &op) {
  write(w, op, F(source<A>(w, op.src[0])));
}
template <typename A, typename B, auto F> void two(Wave &w, const Op &op) {
  write(w, op, F(source<A>(w, op.src[0]), source<B>(w, op.src[1])));
}
/// SCC is 1 if the result is not 0.
template <typename A, typename B, auto F> void logic(Wave &w, const Op &op) {
  auto r = F(source<A>(w, op.src[0]), source<B>(w, op.src[1]));
  write(w, op, r);
  w.scc = r != 0;
}
template <typename A, auto F> void logicOne(Wave &w, const Op &op) {
  auto r = F(source<A>(w, op.src[0]));
  write(w, op, r);
  w.scc = r != 0;
}
/// The result is SCC alone.
template <typename A, typename B, auto F> void compare(Wave &w, const Op &op) {
  w.scc = F(source<A>(w, op.src[0]), source<B>(w, op.src[1]));
}
/// SOPK: the constant is the second operand.
template <typename A, auto F> void compareK(Wave &w, const Op &op) {
  // Sign-extended for signed comparisons, zero-extended for unsigned ones.
  A k = std::is_signed_v<A> ? A(op.inst->imm) : A(u16(op.inst->imm));
  w.scc = F(source<A>(w, op.src[0]), k);
}
/// s_*_saveexec: the old EXEC goes to the destination.
template <auto F> void saveExec(Wave &w, const Op &op) {
  u64 exec = w.exec();
  u64 next = F(scalar64(w, op.src[0]), exec);
  w.setPair(op.dst, exec);
  w.setPair(ScalarReg::ExecLo, next);
  w.scc = next != 0;
}
/// s_*_wrexec: EXEC and the destination both receive the new mask.
template <auto F> void writeExec(Wave &w, const Op &op) {
  u64 next = F(scalar64(w, op.src[0]), w.exec());
  w.setPair(ScalarReg::ExecLo, next);
  w.setPair(op.dst, next);
  w.scc = next != 0;
}

// SCC is the carry (borrow) of unsigned sums, the overflow of signed ones.
constexpr auto add = [](u32 a, u32 b) {
  return WithScc<u32>{a + b, u32(a + b) < a};
};
constexpr auto sub = [](u32 a, u32 b) { return WithScc<u32>{a - b, b > a}; };
constexpr auto addSigned = [](i32 a, i32 b) {
  i32 r;
  bool overflow = __builtin_add_overflow(a, b, &r);
  return WithScc<i32>{r, overflow};
};
constexpr auto subSigned = [](i32 a, i32 b) {
  i32 r;
  bool overflow = __builtin_sub_overflow(a, b, &r);
  return WithScc<i32>{r, overflow};
};
/// SCC says whether the first source was chosen.
template <typename T> constexpr WithScc<T> smaller(T a, T b) {
  return {a < b ? a : b, a < b};
}
template <typename T> constexpr WithScc<T> larger(T a, T b) {
  return {a > b ? a : b, a > b};
}
/// Bit field: offset and width in the second operand.
/// s_bfe: the offset is in bits [4:0] (64-bit forms [5:0]), the width in
/// [22:16]. Shifting the field to the top and back down extends it by T's sign.
/// Example: 0xabcd with offset 4 and width 8 is 0xbc, as i32 -68.
template <typename T> constexpr T extract(T value, u32 field) {
  constexpr unsigned size = sizeof(T) * 8;
  unsigned offset = field & (size - 1), width = field >> 16 & 0x7f;
  if (width == 0)
    return 0;
  if (width >= size)
    return value >> offset;
  using U = std::make_unsigned_t<T>;
  U moved = U(value >> offset) << (size - width);
  return T(moved) >> (size - width);
}
/// s_lshlN_add: SCC is set if the shift or the sum lost bits.
template <unsigned N> constexpr WithScc<u32> shiftAdd(u32 a, u32 b) {
  u64 r = (u64(a) << N) + b;
  return {u32(r), r >> 32 != 0};
}
/// Leading bits equal to the sign, or -1 if all are.
template <typename T> constexpr u32 signBits(T value) {
  using U = std::make_unsigned_t<T>;
  U flipped = value < 0 ? ~U(value) : U(value);
  if (flipped == 0)
    return ~0u;
  return sizeof(T) == 8 ? __builtin_clzll(flipped) : __builtin_clz(flipped);
}
// For each group of four lanes, bit 0: whether any of them is set (whole quad
// mode).
constexpr u64 quadAny(u64 v) {
  v |= v >> 1;
  v |= v >> 2;
  return v & 0x1111111111111111u;
}
constexpr u64 wholeQuad(u64 v) { return quadAny(v) * 0xf; }
constexpr u64 quadMask(u64 v) {
  u64 any = quadAny(v), mask = 0;
  for (unsigned i = 0; i < 16; ++i)
    mask |= (any >> (i * 4) & 1) << i;
  return mask;
}
// Each bit twice.
constexpr u64 replicate(u32 v) {
  u64 r = 0;
  for (unsigned i = 0; i < 32; ++i)
    r |= u64(v >> i & 1 ? 3 : 0) << (i * 2);
  return r;
}
/// Bit 0 becomes the highest bit.
template <typename T> constexpr T reverse(T v) {
  return sizeof(T) == 8 ? T(__builtin_bitreverse64(v))
                        : T(__builtin_bitreverse32(u32(v)));
}

// SCC is carry in and carry out.
void addCarry(Wave &w, const Op &op) {
  u64 r = u64(scalar32(w, op.src[0])) + scalar32(w, op.src[1]) + w.scc;
  w.sgpr[op.dst] = u32(r);
  w.scc = r >> 32;
}
// A borrow goes out if b and the borrow in exceed a; formed in 64 bits, so that
// b + 1 does not wrap.
void subBorrow(Wave &w, const Op &op) {
  u64 a = scalar32(w, op.src[0]), b = scalar32(w, op.src[1]);
  w.sgpr[op.dst] = u32(a - b - w.scc);
  w.scc = b + w.scc > a;
}
/// s_cselect and s_cmov look at SCC and leave it.
void select32(Wave &w, const Op &op) {
  w.sgpr[op.dst] = scalar32(w, op.src[w.scc ? 0 : 1]);
}
void select64(Wave &w, const Op &op) {
  w.setPair(op.dst, scalar64(w, op.src[w.scc ? 0 : 1]));
}
void conditionalMove32(Wave &w, const Op &op) {
  if (w.scc)
    w.sgpr[op.dst] = scalar32(w, op.src[0]);
}
void conditionalMove64(Wave &w, const Op &op) {
  if (w.scc)
    w.setPair(op.dst, scalar64(w, op.src[0]));
}
/// s_bitset0/1 change one bit of the destination and keep the others; the bit
/// may lie in the second word of a pair.
void bitSet(Wave &w, const Op &op, bool wide, bool one) {
  u32 bit = scalar32(w, op.src[0]) & (wide ? 63 : 31);
  u32 &word = w.sgpr[op.dst + bit / 32];
  u32 mask = 1u << (bit % 32);
  word = one ? word | mask : word & ~mask;
}
template <bool Wide, bool One> void setBit(Wave &w, const Op &op) {
  bitSet(w, op, Wide, One);
}

/// Relative addressing: M0 is added to a register number. Out of the file the
/// hardware clamps; a program that relies on it is reported.
template <unsigned Words, bool Destination>
void moveRelative(Wave &w, const Op &op) {
  // Formed in 64 bits: a large M0 must not wrap back into the file.
  u64 relative =
      u64(w.sgpr[ScalarReg::M0]) + (Destination ? op.dst : op.src[0].index);
  if (relative + Words > ScalarReg::LastSGPR + 1) {
    Fault fault;
    fault.kind = "register-out-of-range";
    fault.detail = "M0 leads beyond the scalar registers";
    return raise(w, op, fault);
  }
  for (unsigned i = 0; i < Words; ++i) {
    if (Destination)
      w.sgpr[relative + i] = u32(scalar64(w, op.src[0]) >> (32 * i));
    else
      w.sgpr[op.dst + i] = w.sgpr[relative + i];
  }
}

// SOPK: the constant is sign-extended.
void moveK(Wave &w, const Op &op) { w.sgpr[op.dst] = op.inst->imm; }
void conditionalMoveK(Wave &w, const Op &op) {
  if (w.scc)
    w.sgpr[op.dst] = op.inst->imm;
}
/// s_addk overwrites its destination, which is the first operand too; SCC is
/// the signed overflow. s_mulk leaves SCC.
void addK(Wave &w, const Op &op) {
  i32 r;
  w.scc = __builtin_add_overflow(i32(w.sgpr[op.dst]), op.inst->imm, &r);
  w.sgpr[op.dst] = r;
}
void mulK(Wave &w, const Op &op) { w.sgpr[op.dst] *= u32(op.inst->imm); }

template <typename T> constexpr T pack(u32 lo, u32 hi) {
  return (lo & 0xffff) | hi << 16;
}

using O = Opcode;
// The rows that come in a 32-bit and a 64-bit form with the same expression.
#define LOGIC(name, expr)                                                      \
  {O::s_##name##_b32,                                                          \
   logic<u32, u32, [](u32 a, u32 b) { return u32(expr); }>},                   \
  {                                                                            \
    O::s_##name##_b64, logic<u64, u64, [](u64 a, u64 b) { return u64(expr); }> \
  }
// a is the source and b the old EXEC.
#define SAVE(name, expr)                                                       \
  {O::s_##name##_saveexec_b64, saveExec<[](u64 a, u64 b) { return expr; }>}
// Each comparison exists with two registers (SOPC) and with a constant (SOPK).
#define COMPARE(name, T, oper)                                                 \
  {O::s_cmp_##name, compare<T, T, [](T a, T b) { return a oper b; }>}, {       \
    O::s_cmpk_##name, compareK<T, [](T a, T b) { return a oper b; }>           \
  }

constexpr Handler rows[] = {
    // SOP2. Sums set SCC to the carry or overflow.
    {O::s_add_u32, two<u32, u32, add>},
    {O::s_sub_u32, two<u32, u32, sub>},
    {O::s_add_i32, two<i32, i32, addSigned>},
    {O::s_sub_i32, two<i32, i32, subSigned>},
    {O::s_addc_u32, addCarry},
    {O::s_subb_u32, subBorrow},
    {O::s_min_i32, two<i32, i32, smaller<i32>>},
    {O::s_min_u32, two<u32, u32, smaller<u32>>},
    {O::s_max_i32, two<i32, i32, larger<i32>>},
    {O::s_max_u32, two<u32, u32, larger<u32>>},
    {O::s_cselect_b32, select32},
    {O::s_cselect_b64, select64},
    // Logic and shifts set SCC if the result is not 0; shift counts are taken
    // modulo the width.
    LOGIC(and, a &b),
    LOGIC(or, a | b),
    LOGIC(xor, a ^ b),
    LOGIC(andn2, a & ~b),
    LOGIC(orn2, a | ~b),
    LOGIC(nand, ~(a &b)),
    LOGIC(nor, ~(a | b)),
    LOGIC(xnor, ~(a ^ b)),
    {O::s_lshl_b32,
     logic<u32, u32, [](u32 a, u32 b) { return a << (b & 31); }>},
    {O::s_lshl_b64,
     logic<u64, u32, [](u64 a, u32 b) { return a << (b & 63); }>},
    {O::s_lshr_b32,
     logic<u32, u32, [](u32 a, u32 b) { return a >> (b & 31); }>},
    {O::s_lshr_b64,
     logic<u64, u32, [](u64 a, u32 b) { return a >> (b & 63); }>},
    {O::s_ashr_i32,
     logic<i32, u32, [](i32 a, u32 b) { return a >> (b & 31); }>},
    {O::s_ashr_i64,
     logic<i64, u32, [](i64 a, u32 b) { return a >> (b & 63); }>},
    // A mask of a ones, moved up by b. These and the products leave SCC alone.
    {O::s_bfm_b32,
     two<u32, u32,
         [](u32 a, u32 b) { return ((1u << (a & 31)) - 1) << (b & 31); }>},
    {O::s_bfm_b64,
     two<u32, u32,
         [](u32 a, u32 b) { return ((u64(1) << (a & 63)) - 1) << (b & 63); }>},
    {O::s_mul_i32, two<u32, u32, [](u32 a, u32 b) { return a * b; }>},
    {O::s_mul_hi_u32,
     two<u32, u32, [](u32 a, u32 b) { return u32(u64(a) * b >> 32); }>},
    {O::s_mul_hi_i32,
     two<i32, i32, [](i32 a, i32 b) { return i32(i64(a) * b >> 32); }>},
    {O::s_bfe_u32, logic<u32, u32, extract<u32>>},
    {O::s_bfe_i32, logic<i32, u32, extract<i32>>},
    {O::s_bfe_u64, logic<u64, u32, extract<u64>>},
    {O::s_bfe_i64, logic<i64, u32, extract<i64>>},
    // The difference is formed modulo 2^32 and its sign decides, as the ISA's
    // pseudo-code has it.
    {O::s_absdiff_i32, logic<u32, u32,
                             [](u32 a, u32 b) {
                               u32 d = a - b;
                               return i32(d) < 0 ? 0 - d : d;
                             }>},
    {O::s_lshl1_add_u32, two<u32, u32, shiftAdd<1>>},
    {O::s_lshl2_add_u32, two<u32, u32, shiftAdd<2>>},
    {O::s_lshl3_add_u32, two<u32, u32, shiftAdd<3>>},
    {O::s_lshl4_add_u32, two<u32, u32, shiftAdd<4>>},
    // Halves of the two sources: low and low, low and high, high and high.
    {O::s_pack_ll_b32_b16, two<u32, u32, pack<u32>>},
    {O::s_pack_lh_b32_b16,
     two<u32, u32,
         [](u32 a, u32 b) { return (a & 0xffff) | (b & 0xffff0000); }>},
    {O::s_pack_hh_b32_b16,
     two<u32, u32, [](u32 a, u32 b) { return a >> 16 | (b & 0xffff0000); }>},

    // SOP1.
    {O::s_mov_b32, one<u32, [](u32 a) { return a; }>},
    {O::s_mov_b64, one<u64, [](u64 a) { return a; }>},
    {O::s_cmov_b32, conditionalMove32},
    {O::s_cmov_b64, conditionalMove64},
    {O::s_not_b32, logicOne<u32, [](u32 a) { return ~a; }>},
    {O::s_not_b64, logicOne<u64, [](u64 a) { return ~a; }>},
    {O::s_wqm_b32, logicOne<u32, [](u32 a) { return u32(wholeQuad(a)); }>},
    {O::s_wqm_b64, logicOne<u64, wholeQuad>},
    {O::s_brev_b32, one<u32, reverse<u32>>},
    {O::s_brev_b64, one<u64, reverse<u64>>},
    {O::s_bcnt0_i32_b32,
     logicOne<u32, [](u32 a) { return u32(__builtin_popcount(~a)); }>},
    {O::s_bcnt0_i32_b64,
     logicOne<u64, [](u64 a) { return u32(__builtin_popcountll(~a)); }>},
    {O::s_bcnt1_i32_b32,
     logicOne<u32, [](u32 a) { return u32(__builtin_popcount(a)); }>},
    {O::s_bcnt1_i32_b64,
     logicOne<u64, [](u64 a) { return u32(__builtin_popcountll(a)); }>},
    // First zero and first one count from the lowest bit, s_flbit from the
    // highest; -1 if there is none. SCC stays.
    {O::s_ff0_i32_b32,
     one<u32, [](u32 a) { return ~a ? u32(__builtin_ctz(~a)) : ~0u; }>},
    {O::s_ff0_i32_b64,
     one<u64, [](u64 a) { return ~a ? u32(__builtin_ctzll(~a)) : ~0u; }>},
    {O::s_ff1_i32_b32,
     one<u32, [](u32 a) { return a ? u32(__builtin_ctz(a)) : ~0u; }>},
    {O::s_ff1_i32_b64,
     one<u64, [](u64 a) { return a ? u32(__builtin_ctzll(a)) : ~0u; }>},
    {O::s_flbit_i32_b32,
     one<u32, [](u32 a) { return a ? u32(__builtin_clz(a)) : ~0u; }>},
    {O::s_flbit_i32_b64,
     one<u64, [](u64 a) { return a ? u32(__builtin_clzll(a)) : ~0u; }>},
    {O::s_flbit_i32, one<i32, signBits<i32>>},
    {O::s_flbit_i32_i64, one<i64, signBits<i64>>},
    {O::s_sext_i32_i8, one<u32, [](u32 a) { return i32(i8(a)); }>},
    {O::s_sext_i32_i16, one<u32, [](u32 a) { return i32(i16(a)); }>},
    {O::s_bitset0_b32, setBit<false, false>},
    {O::s_bitset0_b64, setBit<true, false>},
    {O::s_bitset1_b32, setBit<false, true>},
    {O::s_bitset1_b64, setBit<true, true>},
    // Structured control flow: the mask of an `if` is put into EXEC and the old
    // one kept for the join.
    SAVE(and, a &b),
    SAVE(or, a | b),
    SAVE(xor, a ^ b),
    SAVE(andn2, a & ~b),
    SAVE(orn2, a | ~b),
    SAVE(nand, ~(a &b)),
    SAVE(nor, ~(a | b)),
    SAVE(xnor, ~(a ^ b)),
    SAVE(andn1, ~a &b),
    SAVE(orn1, ~a | b),
    {O::s_andn1_wrexec_b64, writeExec<[](u64 a, u64 b) { return ~a & b; }>},
    {O::s_andn2_wrexec_b64, writeExec<[](u64 a, u64 b) { return a & ~b; }>},
    // Quads are groups of four neighbouring lanes.
    {O::s_quadmask_b32, logicOne<u32, [](u32 a) { return u32(quadMask(a)); }>},
    {O::s_quadmask_b64, logicOne<u64, quadMask>},
    {O::s_movrels_b32, moveRelative<1, false>},
    {O::s_movrels_b64, moveRelative<2, false>},
    {O::s_movreld_b32, moveRelative<1, true>},
    {O::s_movreld_b64, moveRelative<2, true>},
    {O::s_abs_i32, logicOne<u32, [](u32 a) { return i32(a) < 0 ? 0 - a : a; }>},
    {O::s_bitreplicate_b64_b32, one<u32, replicate>},

    // SOPC and the comparing SOPK. "lg" is less or greater, thus not equal.
    COMPARE(eq_i32, i32, ==),
    COMPARE(lg_i32, i32, !=),
    COMPARE(gt_i32, i32, >),
    COMPARE(ge_i32, i32, >=),
    COMPARE(lt_i32, i32, <),
    COMPARE(le_i32, i32, <=),
    COMPARE(eq_u32, u32, ==),
    COMPARE(lg_u32, u32, !=),
    COMPARE(gt_u32, u32, >),
    COMPARE(ge_u32, u32, >=),
    COMPARE(lt_u32, u32, <),
    COMPARE(le_u32, u32, <=),
    {O::s_cmp_eq_u64, compare<u64, u64, [](u64 a, u64 b) { return a == b; }>},
    {O::s_cmp_lg_u64, compare<u64, u64, [](u64 a, u64 b) { return a != b; }>},
    {O::s_bitcmp0_b32,
     compare<u32, u32, [](u32 a, u32 b) { return !(a >> (b & 31) & 1); }>},
    {O::s_bitcmp1_b32,
     compare<u32, u32, [](u32 a, u32 b) { return bool(a >> (b & 31) & 1); }>},
    {O::s_bitcmp0_b64,
     compare<u64, u32, [](u64 a, u32 b) { return !(a >> (b & 63) & 1); }>},
    {O::s_bitcmp1_b64,
     compare<u64, u32, [](u64 a, u32 b) { return bool(a >> (b & 63) & 1); }>},

    // SOPK without comparison.
    {O::s_movk_i32, moveK},
    {O::s_cmovk_i32, conditionalMoveK},
    {O::s_addk_i32, addK},
    {O::s_mulk_i32, mulK},
};
#undef LOGIC
#undef SAVE
#undef COMPARE

} // namespace

Family scalarAluFamily() { return family(rows); }

} // namespace tlc::sim::TLC_SIM_ISA
