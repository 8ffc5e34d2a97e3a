//===- WaveState.cpp - Registers of a wavefront, unexecuted ---------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WaveState.h"

using namespace tlc::sim;
using namespace tlc::sim::predict;

namespace {
/// Names of masks that meet at a block: beyond those of instructions.
constexpr uint64_t joinNames = uint64_t(1) << 62;
/// Register numbers, below the address.
constexpr unsigned nameShift = 7;

LaneMask::Name joinName(uint64_t block, unsigned reg) {
  return joinNames | block << nameShift | reg;
}
} // namespace

ValueRef WaveState::readVector(unsigned reg) const {
  if (reg >= vector.size())
    return unknown(0);
  const VectorRegister &r = vector[reg];
  bool inside = !r.under || exec()->isWithin(r.under);
  const ValueRef &value = inside ? r.value : r.joined;
  return value ? value : unknown(0);
}

void WaveState::writeVector(unsigned reg, ValueRef value, uint64_t cause) {
  if (reg >= vector.size())
    return;
  VectorRegister &r = vector[reg];
  MaskRef mask = exec();
  ValueRef old = r.outside();
  if (mask->isExact()) {
    r = {blend(value, old, mask->ones), nullptr, 0};
    return;
  }
  // Lanes that may have been off keep what they had.
  ValueRef joined = blend(value, old, mask->on() | mask->maybe());
  if (old) {
    uint64_t alike = 0;
    if (old->isExact() && value->isExact())
      for (unsigned l = 0; l < waveLanes; ++l)
        alike |= uint64_t(old->at[l] == value->at[l]) << l;
    joined = restrictTo(joined, mask->known | (alike & old->valid), cause);
  }
  r = {std::move(value), std::move(joined), mask->name};
  if (!r.under)
    r = {r.joined, nullptr, 0};
}

void WaveState::writeLane(unsigned reg, unsigned lane, const ValueRef &value) {
  if (reg < vector.size())
    vector[reg] = {blend(value, vector[reg].outside(), uint64_t(1) << lane),
                   nullptr, 0};
}

ValueRef WaveState::readScalar(unsigned reg) const {
  return scalar[reg].value ? scalar[reg].value : common();
}

void WaveState::writeScalar(unsigned reg, ValueRef value) {
  scalar[reg] = {std::move(value), nullptr, false};
}

MaskRef WaveState::readMask(unsigned reg) const {
  const ScalarRegister &low = scalar[reg], &high = scalar[reg + 1];
  if (low.mask && low.mask == high.mask && low.isLow && !high.isLow)
    return low.mask;
  ValueRef a = readScalar(reg), b = readScalar(reg + 1);
  if (!low.mask && !high.mask && a->isExact() && b->isExact())
    return exactMask(uint64_t(b->first()) << 32 | a->first());
  return unknownMask(0, 0);
}

void WaveState::writeMask(unsigned reg, const MaskRef &mask) {
  if (mask->isExact()) {
    writeScalar(reg, exactly(uint32_t(mask->ones)));
    writeScalar(reg + 1, exactly(uint32_t(mask->ones >> 32)));
    return;
  }
  scalar[reg] = {common(), mask, true};
  scalar[reg + 1] = {common(), mask, false};
}

template <typename F> void WaveState::forgetIf(F isStale) {
  for (VectorRegister &r : vector)
    if (r.under && isStale(r.under))
      r = {r.joined, nullptr, 0};
  for (ScalarRegister &r : scalar) {
    if (!r.mask)
      continue;
    const LaneMask &mask = *r.mask;
    bool named = isStale(mask.name) || isStale(mask.under) ||
                 std::any_of(mask.above.begin(), mask.above.end(), isStale);
    if (!named)
      continue;
    auto copy = std::make_shared<LaneMask>(mask);
    if (isStale(copy->name))
      copy->name = 0;
    if (isStale(copy->under))
      copy->under = 0;
    std::erase_if(copy->above, isStale);
    // Both halves, which follow each other.
    MaskRef old = r.mask;
    for (ScalarRegister &other : scalar)
      if (other.mask == old)
        other.mask = copy;
  }
}

void WaveState::forget(LaneMask::Name name) {
  forgetIf([&](LaneMask::Name n) { return n == name; });
}

bool WaveState::merge(WaveState other, uint64_t block) {
  // No instruction is to blame for what meets here: no address is odd.
  uint64_t cause = block | 1;
  // Names of this block's own joins are given anew.
  other.forgetIf([&](LaneMask::Name n) {
    return n >= joinNames && (n & ~joinNames) >> nameShift == block;
  });
  bool changed = false;
  auto set = [&](ValueRef &old, ValueRef now) {
    if (old == now)
      return;
    changed |= !predict::same(old, now);
    old = std::move(now);
  };
  for (unsigned i = 0; i < vector.size(); ++i) {
    VectorRegister &a = vector[i], &b = other.vector[i];
    if (a.value == b.value && a.joined == b.joined && a.under == b.under &&
        !a.settled)
      continue;
    if (a.settled) {
      set(a.value, join(a.value, b.outside(), cause));
    } else if (a.under == b.under) {
      set(a.value, join(a.value, b.value, cause));
      if (a.under)
        set(a.joined, join(a.joined, b.joined, cause));
    } else if (!a.under || !b.under) {
      // What is known to all is known to those under the mask.
      ValueRef all = join(a.outside(), b.outside(), cause);
      ValueRef inside = join(a.value, b.value, cause);
      changed |= !a.under || !predict::same(a.value, inside) ||
                 !predict::same(a.joined, all);
      a = {inside, all, a.under | b.under};
    } else {
      // Under different masks: from now on only what holds for all lanes.
      a = {join(a.joined, b.joined, cause), nullptr, 0, true};
      changed = true;
    }
  }
  for (unsigned i = 0; i < scalar.size(); ++i) {
    ScalarRegister &a = scalar[i], &b = other.scalar[i];
    bool aMask = a.mask && a.isLow, bMask = b.mask && b.isLow;
    if (i + 1 < scalar.size() && (aMask || bMask || i == ScalarReg::ExecLo)) {
      // Nothing on one side, or halves of different things, is no mask.
      bool empty = !a.mask && !a.value;
      if (empty || (!b.mask && !b.value)) {
        if (empty) {
          a = b;
          scalar[i + 1] = other.scalar[i + 1];
          changed = true;
        }
        ++i;
        continue;
      }
      MaskRef old = readMask(i);
      MaskRef now = join(old, other.readMask(i), joinName(block, i));
      if (!predict::same(old, now)) {
        writeMask(i, now);
        changed = true;
      }
      ++i;
      continue;
    }
    set(a.value, join(a.value, b.value, cause));
    if (a.mask && a.mask != b.mask) {
      a.mask = nullptr;
      changed = true;
    }
  }
  Condition now = scc == Condition::Unset ? other.scc
                  : other.scc == Condition::Unset || other.scc == scc
                      ? scc
                      : Condition::Unknown;
  changed |= now != scc;
  scc = now;
  return changed;
}
