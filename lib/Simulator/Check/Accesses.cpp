//===- Accesses.cpp - Memory an instruction touches -------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "llvm/ADT/StringRef.h"
#include <cstring>

using namespace tlc::sim;
using llvm::StringRef;

namespace {

uint32_t scalarOf(const Wave &wave, const Source &source) {
  return source.kind == OperandKind::Scalar ? wave.sgpr[source.index]
                                            : uint32_t(source.value);
}

void setKind(AccessPart &part, const Instruction &inst) {
  part.atomic = inst.has(flag::Atomic);
  part.reads = inst.has(flag::Load | flag::Atomic);
  part.writes = inst.has(flag::Store | flag::Atomic);
  part.coherent = inst.sc1;
}

/// A FLAT address may be anywhere; lanes are split by aperture.
void addFlat(llvm::SmallVectorImpl<AccessPart> &parts, const AccessPart &all) {
  AccessPart bySpace[3];
  for (unsigned s = 0; s < 3; ++s) {
    bySpace[s] = all;
    bySpace[s].space = Space(s);
    bySpace[s].lanes = 0;
  }
  for (unsigned l = 0; l < waveLanes; ++l) {
    if (!(all.lanes >> l & 1))
      continue;
    uint64_t address = all.address[l];
    Space space = Space::Global;
    if (address - sharedAperture < apertureBytes) {
      space = Space::Lds;
      address -= sharedAperture;
    } else if (address - privateAperture < apertureBytes) {
      space = Space::Scratch;
      address -= privateAperture;
    }
    AccessPart &part = bySpace[unsigned(space)];
    part.lanes |= uint64_t(1) << l;
    part.address[l] = address;
  }
  for (const AccessPart &part : bySpace)
    if (part.lanes)
      parts.push_back(part);
}

/// A write of the bytes that are there already disturbs nobody: compilers let
/// several wavefronts store the same value.
void findChanges(AccessPart &part, const Wave &wave, const Op &op,
                 const OpFacts &facts) {
  if (part.dataSource < 0 || part.atomic)
    return;
  const Source &data = op.src[part.dataSource];
  unsigned dwords = part.bytes / 4;
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

void addDs(llvm::SmallVectorImpl<AccessPart> &parts, const Wave &wave,
           const Op &op, const OpFacts &facts) {
  const Instruction &inst = *op.inst;
  if (inst.has(flag::CrossLane | flag::Gws) ||
      op.src[0].kind != OperandKind::Vector)
    return; // addtid, append and consume are the engine's business alone
  const uint32_t *base = wave.vgpr + op.src[0].index;
  unsigned bytes = facts.laneBytes;
  bool two = inst.has(flag::TwoOffsets);
  for (unsigned i = 0; i < (two ? 2u : 1u); ++i) {
    AccessPart part;
    part.space = Space::Lds;
    setKind(part, inst);
    part.bytes = bytes;
    part.lanes = wave.exec();
    part.dataDword = two && part.reads ? i * (bytes / 4) : 0;
    part.dataSource = part.writes ? int(1 + (two ? i : 0)) : -1;
    uint32_t offset = inst.offset;
    if (two)
      offset = (i ? inst.offset1 : inst.offset0) * bytes *
               (facts.farOffsets ? 64 : 1);
    for (unsigned l = 0; l < waveLanes; ++l) {
      part.address[l] = uint64_t(base[l]) + offset;
      part.inBounds[l] = bytes;
    }
    findChanges(part, wave, op, facts);
    parts.push_back(part);
  }
}

void addFlatFamily(llvm::SmallVectorImpl<AccessPart> &parts, const Wave &wave,
                   const Op &op, const OpFacts &facts) {
  const Instruction &inst = *op.inst;
  AccessPart part;
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
    scalar = scratch ? wave.sgpr[base.index] : wave.pair(base.index);
  part.space = scratch ? Space::Scratch : Space::Global;
  for (unsigned l = 0; l < waveLanes; ++l) {
    uint64_t at = v ? v[l] : 0;
    if (v && address.dwords == 2)
      at |= uint64_t(v[l + waveLanes]) << 32;
    at += scalar + int64_t(inst.offset);
    part.address[l] = scratch ? uint32_t(at) : at;
    part.inBounds[l] = part.bytes;
  }
  if (inst.encoding == Encoding::FLAT)
    addFlat(parts, part);
  else
    parts.push_back(part);
}

void addBuffer(llvm::SmallVectorImpl<AccessPart> &parts, const Wave &wave,
               const Op &op, const OpFacts &facts) {
  const Instruction &inst = *op.inst;
  if (inst.has(flag::CacheControl) || facts.isFormat)
    return;
  const uint32_t *resource = wave.sgpr + op.src[2].index;
  uint32_t stride = resource[1] >> 16 & 0x3fff;
  bool swizzled = resource[1] >> 31, addThread = resource[3] >> 23 & 1;
  if (swizzled || addThread)
    return; // rare layouts
  AccessPart part;
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
  uint64_t inside = 0;
  for (unsigned l = 0; l < waveLanes; ++l) {
    uint64_t at = uint64_t(offset ? offset[l] : 0) + uint32_t(inst.offset);
    uint64_t row = index ? index[l] : 0;
    uint64_t room;
    if (stride == 0 || !index) // without an index, records are bytes
      room = at < records ? records - at : 0;
    else
      room = row < records ? part.bytes : 0;
    if (room < part.bytes)
      room = part.bytes < 4 ? 0 : room & ~uint64_t(3);
    part.inBounds[l] = room < part.bytes ? room : part.bytes;
    part.address[l] = base + row * stride + at;
    inside |= uint64_t(part.inBounds[l] != 0) << l;
  }
  (void)inside;
  parts.push_back(part);
}

} // namespace

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

llvm::SmallVector<AccessPart, 1>
tlc::sim::accessesOf(const Wave &wave, const Op &op, const OpFacts &facts) {
  llvm::SmallVector<AccessPart, 1> parts;
  const Instruction &inst = *op.inst;
  if (!facts.laneBytes || !wave.exec())
    return parts;
  if (facts.isLds)
    addDs(parts, wave, op, facts);
  else if (inst.encoding == Encoding::MUBUF)
    addBuffer(parts, wave, op, facts);
  else if (facts.isVmem && inst.encoding != Encoding::MTBUF)
    addFlatFamily(parts, wave, op, facts);
  if (!facts.toLds || parts.empty())
    return parts;
  // The other side: one dword a lane from M0 on. The memory's offset is added
  // here as well.
  AccessPart lds = parts.front();
  lds.space = Space::Lds;
  lds.reads = false;
  lds.writes = true;
  lds.coherent = false;
  lds.bytes = 4;
  uint64_t base =
      (wave.sgpr[ScalarReg::M0] & 0xffff) + uint64_t(uint32_t(inst.offset));
  for (unsigned l = 0; l < waveLanes; ++l) {
    lds.address[l] = base + 4 * l;
    lds.inBounds[l] = 4;
  }
  parts.push_back(lds);
  return parts;
}
