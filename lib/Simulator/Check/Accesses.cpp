//===- Accesses.cpp - Memory an instruction touches -------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formulas of addresses stand here a second time, apart from the handlers:
// the checkers must know them before the instruction runs.
//
// An instruction touches up to three pieces of memory: the two elements of a
// read2, the spaces that a FLAT access is split into, or the global side and
// the LDS side of a load to LDS. Each is an AccessPart: a space, lanes, an
// address and the bytes in bounds for each lane, and where the data comes from.
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <cstring>

using namespace tlc::sim;
using llvm::StringRef;

namespace {

/// Of a scalar register or a constant.
uint32_t scalarOf(const Wave &wave, const Source &source) {
  return source.kind == OperandKind::Scalar ? wave.sgpr[source.index]
                                            : uint32_t(source.value);
}

/// An atomic both reads and writes.
void setKind(AccessPart &part, const Instruction &inst) {
  part.atomic = inst.has(flag::Atomic);
  part.reads = inst.has(flag::Load | flag::Atomic);
  part.writes = inst.has(flag::Store | flag::Atomic);
  part.coherent = inst.sc1;
}

/// A FLAT address may be anywhere; lanes are split by aperture.
void splitByAperture(AccessParts &parts, const AccessPart &all) {
  uint64_t lanes[3] = {0, 0, 0};
  for (uint64_t rest = all.lanes; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctzll(rest));
    uint64_t address = all.address[l];
    Space space = Space::Global;
    // Unsigned differences: an address below the aperture becomes huge.
    if (address - sharedAperture < apertureBytes)
      space = Space::Lds;
    else if (address - privateAperture < apertureBytes)
      space = Space::Scratch;
    lanes[unsigned(space)] |= uint64_t(1) << l;
  }
  // Addresses within LDS and scratch count from 0.
  constexpr uint64_t base[3] = {0, sharedAperture, privateAperture};
  for (unsigned s = 0; s < 3; ++s) {
    if (!lanes[s])
      continue;
    AccessPart &part = parts.add();
    part = all;
    part.space = Space(s);
    part.lanes = lanes[s];
    for (unsigned l = 0; l < waveLanes; ++l)
      part.address[l] -= base[s];
  }
}

/// A write of the bytes that are there already disturbs nobody: compilers let
/// several wavefronts store the same value.
/// LDS only. Compared before the store runs, lane by lane, so two lanes that
/// store different values to one byte are not seen as a conflict.
void findChanges(AccessPart &part, const Wave &wave, const Op &op,
                 const OpFacts &facts) {
  if (part.dataSource < 0 || part.atomic)
    return;
  const Source &data = op.src[part.dataSource];
  unsigned dwords = part.bytes / 4;
  // Whole dwords: one comparison each. A lane beyond LDS counts as changing;
  // the engine faults there.
  if (dwords) {
    part.changes = 0;
    for (uint64_t rest = part.lanes; rest; rest &= rest - 1) {
      unsigned l = __builtin_ctzll(rest);
      const uint32_t *words = wave.vgpr + data.index + l;
      uint32_t difference = part.address[l] + part.bytes > wave.group->ldsBytes;
      for (unsigned d = 0; !difference && d < dwords; ++d) {
        uint32_t old;
        std::memcpy(&old, wave.group->lds + part.address[l] + 4 * d, 4);
        difference = old ^ words[d * waveLanes];
      }
      part.changes |= uint64_t(difference != 0) << l;
    }
    return;
  }
  part.changes = 0;
  for (uint64_t rest = part.lanes; rest; rest &= rest - 1) {
    unsigned l = __builtin_ctzll(rest);
    uint32_t word = wave.vgpr[data.index + l] >> (8 * facts.shift);
    bool inside = part.address[l] + part.bytes <= wave.group->ldsBytes;
    if (!inside ||
        std::memcmp(wave.group->lds + part.address[l], &word, part.bytes) != 0)
      part.changes |= uint64_t(1) << l;
  }
}

/// One part, or two for read2 and write2, whose offsets count elements (times
/// 64 for the st64 forms).
void addDs(AccessParts &parts, const Wave &wave, const Op &op,
           const OpFacts &facts) {
  const Instruction &inst = *op.inst;
  if (inst.has(flag::CrossLane | flag::Gws) ||
      op.src[0].kind != OperandKind::Vector)
    return; // addtid, append and consume are the engine's business alone
  const uint32_t *base = wave.vgpr + op.src[0].index;
  unsigned bytes = facts.laneBytes;
  bool two = inst.has(flag::TwoOffsets);
  for (unsigned i = 0; i < (two ? 2u : 1u); ++i) {
    AccessPart &part = parts.add();
    part.space = Space::Lds;
    setKind(part, inst);
    part.bytes = bytes;
    part.lanes = wave.exec();
    // The second element lands behind the first in the destination; stores have
    // a data operand for each.
    part.dataDword = two && part.reads ? i * (bytes / 4) : 0;
    part.dataSource = part.writes ? int(1 + (two ? i : 0)) : -1;
    uint32_t offset = inst.offset;
    if (two)
      offset = (i ? inst.offset1 : inst.offset0) * bytes *
               (facts.farOffsets ? 64 : 1);
    for (unsigned l = 0; l < waveLanes; ++l) {
      part.address[l] = uint32_t(base[l] + offset);
      part.inBounds[l] = uint8_t(bytes);
    }
    findChanges(part, wave, op, facts);
  }
}

/// FLAT, GLOBAL and SCRATCH: a VGPR address of one or two dwords, or a scalar
/// base with a VGPR offset, or neither; the instruction's offset is signed.
void addFlatFamily(AccessParts &parts, const Wave &wave, const Op &op,
                   const OpFacts &facts) {
  const Instruction &inst = *op.inst;
  AccessPart &part = parts.add();
  setKind(part, inst);
  part.bytes = facts.laneBytes;
  part.lanes = wave.exec();
  part.dataSource = part.writes ? 1 : -1;
  const Source &address = op.src[0], &base = op.src[2];
  const uint32_t *v =
      address.kind == OperandKind::Vector ? wave.vgpr + address.index : nullptr;
  bool scratch = inst.encoding == Encoding::SCRATCH;
  uint64_t scalar = 0;
  if (base.kind == OperandKind::Scalar)
    // A scratch base is one SGPR.
    scalar = scratch ? wave.sgpr[base.index] : wave.pair(base.index);
  part.space = scratch ? Space::Scratch : Space::Global;
  // A loop for each form: they become vector code of the host.
  std::memset(part.inBounds, part.bytes, sizeof(part.inBounds));
  scalar += int64_t(inst.offset);
  if (!v)
    std::fill_n(part.address, waveLanes, scalar);
  else if (address.dwords == 2)
    for (unsigned l = 0; l < waveLanes; ++l)
      part.address[l] = (v[l] | uint64_t(v[l + waveLanes]) << 32) + scalar;
  else
    for (unsigned l = 0; l < waveLanes; ++l)
      part.address[l] = v[l] + scalar;
  if (scratch)
    for (uint64_t &at : part.address)
      at = uint32_t(at);
  // Only FLAT looks at the apertures; nearly always all lanes are global.
  if (inst.encoding != Encoding::FLAT)
    return;
  uint64_t elsewhere = 0;
  for (unsigned l = 0; l < waveLanes; ++l)
    elsewhere |= (part.lanes >> l & 1) && part.address[l] >= sharedAperture;
  if (!elsewhere)
    return;
  AccessPart all = part;
  parts.clear();
  splitByAperture(parts, all);
}

/// A scalar access: one lane.
void addScalar(AccessParts &parts, const Wave &wave, const Op &op) {
  const Instruction &inst = *op.inst;
  const Source &base = op.src[0];
  if (inst.has(flag::NoAddress) || base.kind != OperandKind::Scalar)
    return;
  const Operand &data = inst.has(flag::Load) ? inst.dst : inst.src[1];
  AccessPart &part = parts.add();
  setKind(part, inst);
  part.lanes = 1;
  part.bytes = uint8_t(4 * data.dwords);
  // A compare-and-swap has two values, old and new, but touches one.
  if (inst.has(flag::Atomic) &&
      StringRef(mnemonic(inst.op)).contains("cmpswap"))
    part.bytes /= 2;
  int64_t offset = inst.offset;
  if (op.src[2].kind != OperandKind::None)
    offset += scalarOf(wave, op.src[2]);
  uint64_t start = wave.pair(base.index);
  part.inBounds[0] = part.bytes;
  // Dwords beyond the resource's size read 0.
  // Bits [47:0] base, [61:48] stride, then num_records; the size in bytes is
  // stride times records if there is a stride.
  if (base.dwords == 4) { // a buffer resource
    uint64_t stride = start >> 48 & 0x3fff, records = wave.sgpr[base.index + 2];
    uint64_t size = stride ? stride * records : records;
    uint64_t at = uint64_t(offset) & ~uint64_t(3);
    start &= 0xffffffffffff;
    part.address[0] = start + at;
    uint64_t room = at < size ? (size - at) & ~uint64_t(3) : 0;
    part.inBounds[0] = uint8_t(std::min<uint64_t>(room, part.bytes));
  } else {
    part.address[0] = (start + uint64_t(offset)) & ~uint64_t(3);
  }
}

/// The buffer rules: without a stride or an index num_records counts bytes and
/// is checked dword by dword (whole for less than a dword); with both it counts
/// rows.
void addBuffer(AccessParts &parts, const Wave &wave, const Op &op,
               const OpFacts &facts) {
  const Instruction &inst = *op.inst;
  if (inst.has(flag::CacheControl) || facts.isFormat)
    return;
  const uint32_t *resource = wave.sgpr + op.src[2].index;
  uint32_t stride = resource[1] >> 16 & 0x3fff;
  // Bit 31 of dword 1 and add_tid_enable in dword 3 interleave records.
  bool swizzled = resource[1] >> 31, addThread = resource[3] >> 23 & 1;
  if (swizzled || addThread)
    return; // rare layouts
  AccessPart &part = parts.add();
  setKind(part, inst);
  part.bytes = facts.laneBytes;
  part.lanes = wave.exec();
  part.dataSource = part.writes ? 1 : -1;
  const uint32_t *v = wave.vgpr + op.src[0].index;
  const uint32_t *index = inst.idxen ? v : nullptr;
  const uint32_t *offset =
      inst.offen ? (inst.idxen ? v + waveLanes : v) : nullptr;
  uint64_t base = (uint64_t(resource[1] & 0xffff) << 32 | resource[0]) +
                  scalarOf(wave, op.src[3]);
  uint64_t records = resource[2];
  if (stride == 0 || !index) {
    // Without an index, records are bytes. Nearly always all is inside.
    uint32_t highest = 0;
    if (offset)
      for (unsigned l = 0; l < waveLanes; ++l) {
        part.address[l] = base + uint32_t(inst.offset) + offset[l];
        highest = std::max(highest, offset[l]);
      }
    else
      std::fill_n(part.address, waveLanes, base + uint32_t(inst.offset));
    if (!index &&
        uint64_t(highest) + uint32_t(inst.offset) + part.bytes <= records) {
      std::memset(part.inBounds, part.bytes, sizeof(part.inBounds));
      return;
    }
  }
  for (unsigned l = 0; l < waveLanes; ++l) {
    uint64_t at = uint64_t(offset ? offset[l] : 0) + uint32_t(inst.offset);
    uint64_t row = index ? index[l] : 0;
    uint64_t room;
    if (stride == 0 || !index)
      room = at < records ? records - at : 0;
    else
      room = row < records ? part.bytes : 0;
    // A partly visible access sees whole dwords; an access below a dword all or
    // nothing.
    if (room < part.bytes)
      room = part.bytes < 4 ? 0 : room & ~uint64_t(3);
    part.inBounds[l] = room < part.bytes ? room : part.bytes;
    part.address[l] = base + row * stride + at;
  }
}

} // namespace

/// Read off mnemonic and operands: the data of cmpswap holds two values, that
/// of read2 two elements.
unsigned tlc::sim::bytesOfLane(const Instruction &inst) {
  if (!inst.has(flag::Load | flag::Store | flag::Atomic))
    return 0;
  StringRef name = mnemonic(inst.op);
  if (name.contains("byte") || name.contains("_b8") || name.contains("_u8") ||
      name.contains("_i8"))
    return 1;
  if (name.contains("short") || name.contains("_b16") ||
      name.contains("_u16") || name.contains("_i16"))
    return 2;
  // The LDS side has one dword a lane.
  if (inst.has(flag::ToLDS))
    return 4;
  const Operand &data = inst.has(flag::Load)   ? inst.dst
                        : inst.src[1].isNone() ? inst.dst
                                               : inst.src[1];
  unsigned dwords = data.dwords;
  bool halves = (inst.has(flag::TwoOffsets) && inst.has(flag::Load)) ||
                (name.contains("cmpswap") && inst.encoding != Encoding::DS);
  return 4 * (halves ? dwords / 2 : dwords);
}

/// No parts for typed buffers, swizzled resources and cross-lane forms; see
/// docs/simulator.md for what that means.
void tlc::sim::findAccesses(const Wave &wave, const Op &op,
                            const OpFacts &facts, AccessParts &parts) {
  parts.clear();
  const Instruction &inst = *op.inst;
  if (facts.isSmem)
    return addScalar(parts, wave, op);
  if (!facts.laneBytes || !wave.exec())
    return;
  if (facts.isLds)
    addDs(parts, wave, op, facts);
  else if (inst.encoding == Encoding::MUBUF)
    addBuffer(parts, wave, op, facts);
  else if (facts.isVmem && inst.encoding != Encoding::MTBUF)
    addFlatFamily(parts, wave, op, facts);
  if (!facts.toLds || parts.empty())
    return;
  // The other side: one dword a lane from M0 on. The memory's offset is added
  // here as well.
  const AccessPart &memory = *parts.begin();
  AccessPart &lds = parts.add();
  lds.space = Space::Lds;
  lds.writes = true;
  lds.atomic = memory.atomic;
  lds.lanes = memory.lanes;
  lds.bytes = 4;
  lds.contiguous = true;
  uint64_t base =
      (wave.sgpr[ScalarReg::M0] & 0xffff) + uint64_t(uint32_t(inst.offset));
  for (unsigned l = 0; l < waveLanes; ++l) {
    lds.address[l] = base + 4 * l;
    lds.inBounds[l] = 4;
  }
}

/// Lanes that continue one another make one run: a coalesced access of a
/// wavefront is one run of up to 1024 bytes.
void ByteRuns::of(const AccessPart &part) {
  count = 0;
  uint64_t last = 0;
  for (uint64_t rest = part.lanes; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctzll(rest));
    uint64_t from = part.address[l], bytes = part.inBounds[l];
    // Lanes wholly out of bounds touch nothing.
    if (!bytes)
      continue;
    // Lanes that share an address add nothing.
    if (count && from >= run[count - 1].begin &&
        from + bytes <= run[count - 1].end)
      continue;
    if (count && from == last)
      run[count - 1].end = from + bytes;
    else
      run[count++] = {from, from + bytes};
    last = from + bytes;
  }
}
