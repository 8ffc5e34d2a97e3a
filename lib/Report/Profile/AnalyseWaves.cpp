//===- AnalyseWaves.cpp - Wavefronts that are late, or not full -----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two causes that cut across those of the units. What they take is taken from
// the parts of the account, so that nothing is claimed twice.
//
// Dispatch: wavefronts start one after the other. Where that takes most of the
// time and few are there at once, each may wait for memory as it likes: the
// launch ends when the last one has started.
//
// Divergence: an instruction takes as long for one active lane as for 64. With
// the work of the lanes packed into full wavefronts the vector ALU would work
// for `lanes / 64` of its time. In a loop out of which lanes drop, or on one
// side of a branch in it, everything counts that a wavefront waits for, by the
// lanes that are left of those that came to the loop:
//
//   64 lanes enter, 20 are active on average:  44/64 of the loop's time
//
//===----------------------------------------------------------------------===//

#include "Analysis.h"

#include <algorithm>
#include <fmt/format.h>

using namespace tlc::report;

/// Of what could be resident; more hide what a wavefront waits for.
static constexpr double fewResident = 0.5;
/// Fewer lanes less than this are the usual edges of tiles.
static constexpr double nearlyAll = 0.05;

void Analysis::dispatch() {
  double window = kernel.cycles * (1 - launch);
  double busy = window > 0 ? kernel.dispatchCycles / window : 0;
  double resident = active > 0 ? kernel.occupancy.achieved / active : 0;
  if (busy < saturated || resident > fewResident * kernel.occupancy.waves)
    return;
  busy = std::min(1.0, busy);
  double share = busy * sum(parts);
  for (double &part : parts)
    part *= 1 - busy;
  share += busy * bare;
  bare *= 1 - busy;
  double waves = std::max(1.0, kernel.wavesPerWorkgroup());
  add("dispatch", share, "short workgroups",
      fmt::format("starting {} workgroups of {:.0f} wavefronts takes {:.0f} % "
                  "of the time, {:.1f} of {:.3g} wavefronts a SIMD are there "
                  "at once",
                  kernel.workgroups, waves, 100 * busy, resident,
                  kernel.occupancy.waves),
      inTiles("more work in each: a loop over several tiles in a workgroup "
              "(T.serial around the body, a smaller grid of T.Kernel), larger "
              "blocks",
              "more work in each: several elements a lane, a loop over several "
              "tiles, a smaller grid"));
}

/// The lanes missing of 64: of a loop's, of those that came to it.
static double missing(const CodeLine &code) {
  return std::clamp(1 - code.lanes / 64, 0.0, 1.0);
}
static double missingInLoop(const CodeLine &code) {
  return code.enteringLanes > 0
             ? std::clamp(1 - code.lanes / code.enteringLanes, 0.0, 1.0)
             : 0;
}

void Analysis::divergence() {
  // Vector work by all 64; what is waited for in loops by those that entered.
  double work = 0, lost = 0, scalar = 0, scalarLost = 0;
  for (const CodeLine &code : kernel.code) {
    work += code.aluCycles;
    lost += code.aluCycles * missing(code);
    scalar += scalarCycles(code);
    scalarLost += scalarCycles(code) * missingInLoop(code);
  }
  // A little is what the edges of tiles leave.
  double ofWork = work > 0 ? lost / work : 0;
  if (ofWork < nearlyAll)
    return;
  bool isFull = false; // more wavefronts at a time would not get more bytes
  for (const Level &level : kernel.levels)
    isFull |= useWhileActive(level) > saturated;
  auto isOrdering = [](const CodeLine &code) {
    return code.text.find("_atomic_") != code.text.npos ||
           code.text.starts_with("s_barrier") || code.storeLatency > 0;
  };
  double share = 0;
  auto take = [&](double &from, double part) {
    share += from * part;
    from *= 1 - part;
  };
  take(valuPart, ofWork);
  if (scalar > 0)
    take(scalarPart, scalarLost / scalar);
  double scale = 0; // wave cycles to SIMD time
  for (Stall stall :
       {Stall::Lds, Stall::Fetch, Stall::ScalarMemory, Stall::VectorMemory}) {
    double all = 0, ofLoops = 0;
    for (const CodeLine &code : kernel.code) {
      double cycles = code.caused[unsigned(stall)];
      all += cycles;
      ofLoops += isOrdering(code) ? 0 : cycles * missingInLoop(code);
    }
    if (all <= 0)
      continue;
    scale = std::max(scale, part(stall) / all);
    if (stall != Stall::VectorMemory || !isFull)
      take(parts[unsigned(stall)], ofLoops / all);
  }
  double perCycle = work > 0 ? kernel.valuUse / work : 0;
  auto at = worst([&](const CodeLine &code) {
    double waits = 0;
    if (!isOrdering(code))
      for (Stall stall : {Stall::Lds, Stall::VectorMemory, Stall::Fetch})
        waits += code.caused[unsigned(stall)];
    return perCycle * code.aluCycles * missing(code) +
           scale * waits * missingInLoop(code);
  });
  // Of that line the vector instruction, whose lanes say something.
  if (at) {
    const CodeLine &line = kernel.code[*at];
    for (size_t i = 0; i < kernel.code.size(); ++i) {
      const CodeLine &code = kernel.code[i];
      bool isThere = code.line == line.line && code.file == line.file &&
                     !code.file.empty();
      if (isThere && code.aluCycles * missing(code) >
                         kernel.code[*at].aluCycles * missing(kernel.code[*at]))
        at = i;
    }
  }
  // Lanes that no workgroup has.
  double items = double(kernel.block[0]) * kernel.block[1] * kernel.block[2];
  double there = items / std::max(1.0, kernel.wavesPerWorkgroup());
  bool isSmall = 64 - there > 0.5 * (64 - kernel.valuLanes) && there < 64;
  std::string detail = fmt::format(
      "{:.1f} of 64 lanes are active in vector instructions on average",
      kernel.valuLanes);
  if (isSmall)
    detail += fmt::format("; a workgroup has {:.0f} work-items in {:.0f} "
                          "wavefronts",
                          items, kernel.wavesPerWorkgroup());
  else if (at)
    detail += fmt::format(
        "; {} runs with {:.1f}",
        kernel.code[*at].text.substr(0, kernel.code[*at].text.find(' ')),
        kernel.code[*at].lanes);
  add("divergence", share,
      isSmall ? "wavefronts that are not full"
              : "divergence: lanes wait for others",
      detail,
      isSmall ? inTiles("threads of T.Kernel that are a multiple of 64",
                        "workgroups of a multiple of 64 work-items")
              : inTiles("let the lanes of a wavefront take the same branch and "
                        "as many trips: T.if_then_else for short branches, "
                        "extents of T.Parallel that are multiples of the "
                        "threads, rows of one length side by side",
                        "let the lanes of a wavefront take the same branch and "
                        "as many trips: sort or bin the work, select instead "
                        "of branching, share a long row among the lanes"),
      at);
}
