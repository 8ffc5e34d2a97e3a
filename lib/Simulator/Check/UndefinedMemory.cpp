//===- UndefinedMemory.cpp - Undefined values through memory ----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads take the flags of the bytes they read, stores give theirs to memory.
// Cross-lane DS operations move flags between lanes.
//
// LDS and scratch keep a flag for each byte. Global memory keeps, in
// DeviceMemory, which bytes were ever written, by the host or a kernel: it
// lives longer than a launch.
//
//===----------------------------------------------------------------------===//

#include "GlobalShadow.h"
#include "LaneMoves.h"
#include "Undefined.h"
#include <algorithm>
#include <cstring>

using namespace tlc::sim;

/// Whether byte \p byte of a lane's data is undefined; constants are defined.
bool Undefined::sourceByte(const Op &op, unsigned source, unsigned lane,
                           unsigned byte) const {
  const Source &data = op.src[source];
  if (data.kind != OperandKind::Vector && data.kind != OperandKind::Accumulator)
    return false;
  return vector[data.index / waveLanes + byte / 4][byte % 4] >> lane & 1;
}

/// ds_permute, ds_bpermute and ds_swizzle: flags move as the data does; a lane
/// that is off delivers a defined 0.
void Undefined::propagateCrossLane(const Wave &wave, const Op &op) {
  const Instruction &inst = *op.inst;
  uint64_t exec = wave.exec();
  bool swizzle = inst.op == Opcode::ds_swizzle_b32;
  const Source &data = op.src[swizzle ? 0 : 1];
  const ByteMasks from = vector[data.index / waveLanes];
  ByteMasks result{};
  for (uint64_t rest = exec; rest; rest &= rest - 1) {
    unsigned l = __builtin_ctzll(rest);
    int source = -1, target = int(l);
    uint32_t index =
        swizzle
            ? 0
            : ((wave.vgpr[op.src[0].index + l] + uint32_t(inst.offset)) / 4 &
               63);
    if (swizzle)
      source = swizzleSourceLane(inst.offset, l);
    else if (inst.op == Opcode::ds_bpermute_b32)
      source = int(index);
    else { // ds_permute: to the lane named
      source = int(l);
      target = int(index);
    }
    if (source < 0 || !(exec >> source & 1))
      continue; // reads 0
    for (unsigned byte = 0; byte < 4; ++byte)
      if (from[byte] >> source & 1)
        result[byte] |= uint64_t(1) << target;
  }
  setLanes(op.dst / waveLanes, exec, result);
}

/// Everything read is first taken for defined, then the undefined bytes of
/// memory are marked. Narrow loads extend: a sign bit that is undefined spreads
/// upwards.
void Undefined::propagateLoads(const Wave &wave, const Op &op,
                               const OpFacts &facts,
                               llvm::ArrayRef<AccessPart> parts,
                               const LdsShadow &lds, GlobalShadow *global) {
  if (op.dstKind != OperandKind::Vector &&
      op.dstKind != OperandKind::Accumulator)
    return;
  uint32_t reg = op.dst / waveLanes;
  // Whatever is not looked at below is defined: bytes out of a buffer's
  // bounds, sign extensions of defined bytes, formats.
  uint64_t exec = wave.exec();
  for (unsigned d = 0; d < op.dstDwords; ++d) {
    ByteMasks &masks = vector[reg + d];
    for (unsigned byte = 0; byte < 4; ++byte) {
      // d16 loads write two bytes of the register and keep the other two.
      bool kept =
          facts.keepsOthers && (byte < facts.shift || byte >= facts.shift + 2u);
      if (!kept)
        masks[byte] &= ~exec;
    }
  }
  for (const AccessPart &part : parts) {
    if (!part.reads)
      continue;
    // One look at whole runs of bytes: nearly always all of them are written.
    if (part.space == Space::Global) {
      ByteRuns runs;
      runs.of(part);
      if (!global || global->isDefined(runs))
        continue;
    }
    for (uint64_t rest = part.lanes; rest; rest &= rest - 1) {
      unsigned l = __builtin_ctzll(rest);
      uint64_t address = part.address[l];
      if (part.space == Space::Lds &&
          !lds.anyUndefined(address, part.inBounds[l]))
        continue;
      for (unsigned byte = 0; byte < part.inBounds[l]; ++byte) {
        bool undefined = false;
        if (part.space == Space::Lds) {
          undefined = lds.isUndefined(address + byte);
        } else if (part.space == Space::Scratch) {
          uint64_t at = address + byte;
          undefined =
              at / 4 < scratch.size() && (scratch[at / 4][at % 4] >> l & 1);
        } else if (global) {
          // Eight bytes at a time would do; most pages are all defined.
          if (byte == 0 && global->isDefined(address, part.inBounds[l]))
            break;
          undefined = !global->isDefined(address + byte, 1);
        }
        if (!undefined)
          continue;
        if (part.bytes < 4) { // extended or in its half
          unsigned end = facts.keepsOthers ? facts.shift + 2 : 4;
          for (unsigned b = facts.shift + byte; b < end; ++b)
            vector[reg][b] |= uint64_t(1) << l;
        } else {
          unsigned at = part.dataDword * 4 + byte;
          if (at / 4 < op.dstDwords)
            vector[reg + at / 4][at % 4] |= uint64_t(1) << l;
        }
      }
    }
  }
}

/// LDS and scratch take the data's flags; global memory counts as written.
void Undefined::propagateStores(const Wave &wave, const Op &op,
                                const OpFacts &facts,
                                llvm::ArrayRef<AccessPart> parts,
                                LdsShadow &lds, GlobalShadow *global) {
  for (const AccessPart &part : parts) {
    if (!part.writes)
      continue;
    if (part.space == Space::Global) {
      // An undefined byte stored has been reported; it counts as written.
      ByteRuns runs;
      runs.of(part);
      if (global)
        global->define(runs);
      continue;
    }
    // Lane by lane in order, as the lanes' stores happen: the highest lane's
    // flag stays where two store to one byte.
    for (uint64_t rest = part.lanes; rest; rest &= rest - 1) {
      unsigned l = __builtin_ctzll(rest);
      uint64_t address = part.address[l];
      for (unsigned byte = 0; byte < part.bytes; ++byte) {
        // Loads to LDS bring defined bytes, atomics keep defined ones.
        bool undefined = part.dataSource >= 0 &&
                         sourceByte(op, part.dataSource, l, facts.shift + byte);
        uint64_t at = address + byte;
        if (part.space == Space::Lds) {
          lds.setUndefined(at, part.atomic ? lds.isUndefined(at) || undefined
                                           : undefined);
        } else if (at / 4 < scratch.size()) {
          uint64_t &mask = scratch[at / 4][at % 4];
          mask = (mask & ~(uint64_t(1) << l)) | uint64_t(undefined) << l;
        }
      }
    }
  }
}

/// Scalar loads and atomics: one address.
void Undefined::propagateScalarMemory(const Op &op, const OpFacts &facts,
                                      llvm::ArrayRef<AccessPart> parts,
                                      GlobalShadow *global) {
  for (const RegisterRange &range : facts.writes)
    for (unsigned i = 0; i < range.count; ++i)
      scalar[range.first + i] = 0;
  for (const AccessPart &part : parts) {
    ByteRuns runs;
    runs.of(part);
    if (!global)
      continue;
    if (part.writes)
      global->define(runs);
    if (!part.reads || op.dstKind != OperandKind::Scalar ||
        global->isDefined(runs))
      continue;
    // Dwords beyond a buffer resource's end read 0, which is defined.
    for (unsigned byte = 0; byte < part.inBounds[0]; ++byte)
      if (byte / 4 < op.dstDwords &&
          !global->isDefined(part.address[0] + byte, 1))
        scalar[op.dst + byte / 4] |= 0xffu << byte % 4 * 8;
  }
}

/// One instruction, by its unit. Registers hold what they had before it.
void Undefined::propagate(const Wave &wave, const Op &op, const OpFacts &facts,
                          llvm::ArrayRef<AccessPart> parts, LdsShadow &lds,
                          GlobalShadow *global) {
  const Instruction &inst = *op.inst;
  if (facts.isScalar) {
    propagateScalar(wave, op, facts);
  } else if (facts.isVector) {
    propagateVector(wave, op, facts);
  } else if (facts.isSmem) {
    propagateScalarMemory(op, facts, parts, global);
  } else if (inst.has(flag::CrossLane)) {
    propagateCrossLane(wave, op);
  } else {
    // The data first: a returning atomic may overwrite its register.
    propagateStores(wave, op, facts, parts, lds, global);
    propagateLoads(wave, op, facts, parts, lds, global);
  }
  refresh(facts);
}
