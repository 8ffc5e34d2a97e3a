//===- Accesses.h - Memory an instruction touches ---------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The addresses of a memory instruction, from the registers before it runs.
// Each part of it (two for DS forms with two offsets, the LDS side of a load
// to LDS apart) has one address for each active lane. Bounds are the engine's:
// it raises a fault where they are left.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_CHECK_ACCESSES_H
#define TLC_LIB_SIMULATOR_CHECK_ACCESSES_H

#include "OpFacts.h"
#include "llvm/ADT/SmallVector.h"

namespace tlc::sim {

enum class Space : uint8_t { Global, Lds, Scratch };

struct AccessPart {
  Space space = Space::Global;
  bool reads = false, writes = false, atomic = false;
  bool coherent = false;  ///< sc1: orders workgroups
  uint64_t lanes = 0;     ///< bit l: lane l takes part
  uint8_t bytes = 0;      ///< of a lane
  int8_t dataSource = -1; ///< Instruction::src with the data written, or -1
  uint8_t dataDword = 0;  ///< first dword of dst or data this part concerns
  /// Lanes whose write changes LDS; meaningless elsewhere.
  uint64_t changes = ~uint64_t(0);
  uint64_t address[waveLanes];
  /// Bytes within a buffer's bounds: others read as 0 and are not written.
  uint8_t inBounds[waveLanes];
  /// Each lane lies `bytes` behind the one before it.
  bool contiguous = false;
};

/// The accesses of one instruction: two for DS forms with two offsets and for
/// loads to LDS, up to three for FLAT.
class AccessParts {
public:
  AccessPart &add() {
    AccessPart &part = parts[count++];
    part.space = Space::Global;
    part.reads = part.writes = part.atomic = part.coherent = false;
    part.lanes = 0;
    part.bytes = 0;
    part.dataSource = -1;
    part.dataDword = 0;
    part.changes = ~uint64_t(0);
    part.contiguous = false;
    return part;
  }
  void clear() { count = 0; }
  bool empty() const { return count == 0; }
  AccessPart &back() { return parts[count - 1]; }
  const AccessPart *begin() const { return parts; }
  const AccessPart *end() const { return parts + count; }
  operator llvm::ArrayRef<AccessPart>() const { return {parts, count}; }

private:
  AccessPart parts[3];
  unsigned count = 0;
};

/// The bytes that the lanes of a part touch, neighbours together.
struct ByteRuns {
  struct Run {
    uint64_t begin, end;
  };
  Run run[waveLanes];
  unsigned count = 0;

  void of(const AccessPart &part);
  const Run *begin() const { return run; }
  const Run *end() const { return run + count; }
};

/// Bytes one lane loads or stores to memory, 0 if \p inst does neither.
unsigned bytesOfLane(const Instruction &inst);

/// Puts the accesses of \p op by \p wave now into \p parts.
void findAccesses(const Wave &wave, const Op &op, const OpFacts &facts,
                  AccessParts &parts);

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_CHECK_ACCESSES_H
