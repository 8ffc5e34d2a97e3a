//===- CheckerState.h - Checks of a workgroup -------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the checks of one workgroup after another share.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_CHECK_CHECKERSTATE_H
#define TLC_LIB_SIMULATOR_CHECK_CHECKERSTATE_H

#include "GlobalShadow.h"
#include "LdsShadow.h"
#include "PathChecker.h"
#include "Undefined.h"
#include "tlc/Simulator/Check/Checker.h"

namespace tlc::sim {

/// The checkers of one workgroup, on one host thread; reused for the next one,
/// with all that has been learnt about the code.
struct GroupChecker::State {
  explicit State(LaunchChecker &launch) : launch(launch) {}

  // Fills in where it was found.
  void report(const char *kind, std::string message, const Wave &wave,
              const Op &op, int lane) {
    CheckFinding finding;
    finding.kind = kind;
    finding.message = std::move(message);
    finding.op = &op;
    for (unsigned i = 0; i < 3; ++i)
      finding.group[i] = wave.group->id[i];
    finding.linearGroup = wave.group->linearId;
    finding.wave = wave.number;
    finding.lane = lane;
    launch.report(std::move(finding));
  }
  // Facts of an instruction, worked out at its first sight.
  const OpFacts &factsFor(const Op &op) {
    if (op.number >= facts.size())
      facts.resize(op.number + 256);
    std::unique_ptr<OpFacts> &known = facts[op.number];
    if (!known) {
      known = std::make_unique<OpFacts>(factsOf(op));
      known->feedsSwap = feedsCompareAndSwap(op);
    }
    return *known;
  }
  /// Straight code from an instruction on; see `straight`.
  struct Piece {
    uint16_t length = 0; ///< 0: the instruction goes alone
    bool known = false, allLanes = false;
    uint8_t vmCount = 0xff, lgkmCount = 0xff; ///< of its waits; 0xff: none
    RegisterSet registers;
  };
  // Worked out at first sight, too. The reference holds until the next call,
  // which may grow the table.
  const Piece &pieceAt(const Op &op) {
    if (op.number >= pieces.size())
      pieces.resize(op.number + 256);
    Piece &piece = pieces[op.number];
    if (!piece.known)
      measure(op, piece);
    return piece;
  }
  void measure(const Op &first, Piece &piece);
  void pass(PathChecker::Place &place, const Wave &wave, const Op &first,
            unsigned count);

  LaunchChecker &launch;
  std::vector<std::unique_ptr<OpFacts>> facts; ///< by Op::number
  std::vector<Piece> pieces;                   ///< the same
  const Workgroup *group = nullptr;
  std::unique_ptr<PathChecker> path;
  std::vector<PathChecker::Place> places; ///< by wavefront, as all below
  std::vector<WaitCounters> waits;
  std::vector<Undefined> undefined;
  std::vector<const Op *> lastBarrier;
  /// Stores to global memory that may not be complete.
  struct PendingStore {
    uint32_t number;   ///< of the counter vmcnt
    uint32_t barriers; ///< that the workgroup had passed
    ByteRuns runs;
  };
  std::vector<std::vector<PendingStore>> stores;
  /// The last write-back of L2 of each wavefront.
  struct WriteBack {
    uint32_t number = 0, barriers = 0; ///< as above; no number: none
  };
  std::vector<WriteBack> writeBacks;
  uint32_t barriers = 0;
  void noteStore(unsigned wave);
  void postponeStores(unsigned wave);
  LdsShadow lds;
  GlobalShadow::Cursor cursor;

  /// The instruction as the wavefront will run it, and its registers; null if
  /// it will not run, or will fault for its registers.
  const Op *prepare(const Wave &wave, const Op &op);
  bool usualLds(const Wave &wave, const Op &op, const OpFacts &facts);
  bool bringsDefined(const Wave &wave, const OpFacts &facts);

  // Of the instruction between before() and after().
  const OpFacts *current = nullptr;
  Op moved;
  OpFacts movedFacts;
  AccessParts parts;
  ByteRuns runs; ///< of `runsPart`
  const AccessPart *runsPart = nullptr;
  const ByteRuns &runsOf(const AccessPart &part) {
    if (runsPart != &part) {
      runs.of(part);
      runsPart = &part;
    }
    return runs;
  }
  PathChecker::Place next; ///< where the wavefront will be
  bool defined = false;    ///< nothing undefined goes in or out
  /// What lay where a load to LDS will put its dwords; see `noteChanges`.
  uint32_t oldLds[waveLanes];
  void keepOldLds();
  void noteChanges();
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_CHECK_CHECKERSTATE_H
