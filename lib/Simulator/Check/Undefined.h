//===- Undefined.h - Values that were never written -------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which bytes of which registers of which lanes, and which bytes of LDS and
// scratch, hold a value nobody wrote. Undefinedness flows through operations;
// it is reported only where it matters: an address, a branch, EXEC, or a byte
// stored to global memory.
//
// A VGPR has four 64-bit masks, one for each byte, with a bit for each lane, so
// that an instruction on defined registers costs a few tests. Scalar registers
// have a mask of bits. Where operands are partly undefined, the operations that
// compilers use to take values apart (and, or, shifts by constants, byte
// permutes, selects, halves of packed operands) are followed byte by byte; any
// other operation spreads undefinedness over the result of a lane.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_CHECK_UNDEFINED_H
#define TLC_LIB_SIMULATOR_CHECK_UNDEFINED_H

#include "Accesses.h"
#include "LdsShadow.h"
#include "tlc/Simulator/Memory/CodeObject.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <string>
#include <vector>

namespace tlc::sim {

class GlobalShadow;

/// Bytes of a 32-bit register by lane; set: undefined.
using ByteMasks = std::array<uint64_t, 4>;

class Undefined {
public:
  void begin(const Wave &wave, const KernelDescriptor &descriptor);

  /// False where instructions that name only \p registers, and run under
  /// \p exec, can neither let an undefined value matter nor make or end one.
  /// \p allLanes: lanes beyond \p exec count.
  bool touches(const RegisterSet &registers, uint64_t exec,
               bool allLanes) const {
    return registers.intersects(dirty) &&
           touchesLanes(registers, exec, allLanes);
  }

  /// A load has brought defined values.
  void define(const Wave &wave, const OpFacts &facts) {
    if (facts.registers.intersects(dirty)) {
      defineWrites(wave, facts, wave.exec());
      refresh(facts);
    }
  }
  /// Where \p op lets an undefined value matter: the message and the lane.
  std::string check(const Wave &wave, const Op &op, const OpFacts &facts,
                    llvm::ArrayRef<AccessPart> parts, int &lane) const;
  /// The effect of \p op, to be called before it runs, with the registers
  /// as they are then.
  void propagate(const Wave &wave, const Op &op, const OpFacts &facts,
                 llvm::ArrayRef<AccessPart> parts, LdsShadow &lds,
                 GlobalShadow *global);

  // Shared by the files of this class.
  struct LaneView; // one lane's operands, for the byte-exact operations

private:
  bool touchesLanes(const RegisterSet &registers, uint64_t exec,
                    bool allLanes) const;
  /// Brings `dirty` up to date for what an instruction has written.
  void refresh(const OpFacts &facts);
  uint64_t anyByte(const RegisterRange &range) const;
  /// Lanes in which source \p i is undefined where it is used.
  uint64_t sourceLanes(const Op &op, unsigned i) const;
  bool scalarUndefined(const RegisterRange &range) const;
  bool inputsDefined(const OpFacts &facts) const;

  void defineWrites(const Wave &wave, const OpFacts &facts, uint64_t lanes);
  void setLanes(uint32_t reg, uint64_t lanes, const ByteMasks &undefined);
  void propagateVector(const Wave &wave, const Op &op, const OpFacts &facts);
  void propagateScalar(const Wave &wave, const Op &op, const OpFacts &facts);
  void propagateCompare(const Wave &wave, const Op &op, const OpFacts &facts);
  void propagateMatrix(const Op &op);
  void propagateCrossLane(const Wave &wave, const Op &op);
  bool propagateBytes(const Wave &wave, const Op &op);
  bool propagateShift(const Wave &wave, const Op &op);
  bool propagateDpp(const Wave &wave, const Op &op);
  void propagateLoads(const Wave &wave, const Op &op, const OpFacts &facts,
                      llvm::ArrayRef<AccessPart> parts, const LdsShadow &lds,
                      GlobalShadow *global);
  void propagateStores(const Wave &wave, const Op &op, const OpFacts &facts,
                       llvm::ArrayRef<AccessPart> parts, LdsShadow &lds,
                       GlobalShadow *global);
  void propagateScalarMemory(const Op &op, const OpFacts &facts,
                             llvm::ArrayRef<AccessPart> parts,
                             GlobalShadow *global);
  /// Byte \p byte of source \p source for lane \p lane is undefined.
  bool sourceByte(const Op &op, unsigned source, unsigned lane,
                  unsigned byte) const;

  /// Registers with anything undefined.
  RegisterSet dirty;
  std::vector<ByteMasks> vector;
  std::array<uint32_t, 128> scalar{};
  bool scc = true;
  /// Scratch by dword: byte masks by lane.
  std::vector<ByteMasks> scratch;
  unsigned accumOffset = 0;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_CHECK_UNDEFINED_H
