//===- Analysis.h - What holds a kernel back --------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Analyse.cpp has the account and most causes, AnalyseMemory.cpp those of
// vector memory, AnalyseWaves.cpp those that wavefronts themselves are.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_REPORT_PROFILE_ANALYSIS_H
#define TLC_LIB_REPORT_PROFILE_ANALYSIS_H

#include "tlc/Report/Profile/Report.h"

#include <map>
#include <string_view>
#include <utility>

namespace tlc::report {

/// From so many active lanes on nothing is said of an instruction's.
constexpr double mostLanes = 60;
/// A pipe or level this busy is the cause of waits for it.
constexpr double saturated = 0.7;
/// Of a kernel without matrix instructions the vector ALU's work is the work,
/// and so is what goes through a full LDS or a full level of memory: the part
/// that can be won is taken to be this.
constexpr double avoidable = 0.5;

class Analysis {
public:
  Analysis(const Report &report, KernelReport &kernel)
      : report(report), kernel(kernel) {}

  void run() {
    account();
    spreadBarriers();
    moveFlat();
    dispatch();
    divergence();
    lds();
    memory();
    idle();
    plain();
    finish();
  }

private:
  using Unit = CodeLine::Unit;

  void account();
  void spreadBarriers();
  void moveFlat();
  void dispatch();
  void divergence();
  void lds();
  void memory();
  double spills(double waits);
  double atomics(double waits);
  double coalescing(double waits, double taken);
  bool narrow(const Level &l1, double share);
  std::vector<OccupancyLimit> lowOccupancy() const;
  void addLatency(const char *id, double share, std::string headline,
                  std::string detail, std::string advice,
                  std::optional<size_t> at);
  void vectorWork();
  std::string wideMatrix() const;
  void barriers();
  void latency(double share);
  void idle();
  void plain();
  void finish();

  double part(Stall stall) const { return parts[unsigned(stall)]; }
  /// Share of its cycles in which a level of memory works.
  double useOf(const Level &level) const;
  double useWhileActive(const Level &level) const;
  double inVain(const CodeLine &code) const;
  double leastTime() const;
  double causedByMemory(const CodeLine &code) const;
  double causedByWaits(const CodeLine &code) const;
  std::string placesOf(std::optional<size_t> at) const;
  std::string levelDetail(const Level &level) const;
  std::string place(size_t index) const;
  /// Advice in the words of a tile program where the kernel is one.
  const char *inTiles(const char *tiles, const char *others) const;
  /// The instruction with the largest value of \p key in the source line with
  /// the largest sum of them, if any is above 0.
  template <typename Key> std::optional<size_t> worst(Key key) const;
  /// Of all instructions of the source line that \p at comes from.
  template <typename Key> double ofLine(size_t at, Key key) const;
  void add(const char *id, double share, std::string headline,
           std::string detail, std::string advice,
           std::optional<size_t> at = std::nullopt, double avoidable = 1,
           bool isCertain = false, bool isOfOccupancy = false);

  const Report &report;
  KernelReport &kernel;
  StallCycles parts{}; ///< shares of SIMD time
  double valuPart = 0, scalarPart = 0;
  double barrierWrites = 0; ///< of the barriers' part: LDS writes before them
  double active = 0;        ///< share of the CUs' time with a workgroup
  double bare = 0; ///< of the SIMDs' time: without a wavefront on such a CU
  double launch = 0, drain = 0; ///< of all time: before and behind wavefronts
  /// Wave cycles that stand for the drain at an access, for each cycle of its
  /// latency.
  double drainScale = 0;
};

// A line that was unrolled is many instructions. Of equal ones the first: its
// first copy. Where there are no lines each instruction is its own.
template <typename Key> std::optional<size_t> Analysis::worst(Key key) const {
  std::map<std::pair<std::string_view, unsigned>, double> sums;
  for (const CodeLine &code : kernel.code)
    if (!code.file.empty())
      sums[{code.file, code.line}] += std::max(0.0, key(code));
  std::optional<size_t> best;
  std::pair<double, double> most;
  for (size_t i = 0; i < kernel.code.size(); ++i) {
    const CodeLine &code = kernel.code[i];
    double value = key(code);
    if (value <= 0)
      continue;
    std::pair weight{
        code.file.empty() ? value : sums.at({code.file, code.line}), value};
    if (weight > most) {
      most = weight;
      best = i;
    }
  }
  return best;
}

template <typename Key> double Analysis::ofLine(size_t at, Key key) const {
  const CodeLine &line = kernel.code[at];
  if (line.file.empty())
    return key(line);
  double sum = 0;
  for (const CodeLine &code : kernel.code)
    if (code.line == line.line && code.file == line.file)
      sum += key(code);
  return sum;
}

/// An LDS access of two bytes a lane or fewer: a dword takes no longer.
inline bool isNarrowLds(const CodeLine &code) {
  if (code.unit != CodeLine::Unit::Lds)
    return false;
  std::string_view name(code.text);
  name = name.substr(0, name.find(' '));
  for (const char *size : {"_u8", "_i8", "_b8", "_u16", "_i16", "_b16"})
    if (name.find(size) != name.npos)
      return true;
  return false;
}

/// Wave cycles in which a scalar instruction was issued, or had to wait for
/// that of another wavefront. What the issue logic does itself is no such one,
/// and loads are waited for.
inline double scalarCycles(const CodeLine &code) {
  if (code.unit != CodeLine::Unit::Scalar)
    return 0;
  for (const char *other : {"s_waitcnt", "s_barrier", "s_nop", "s_sleep",
                            "s_endpgm", "s_setprio", "s_load", "s_buffer_load"})
    if (code.text.starts_with(other))
      return 0;
  return code.issueCycles + code.stalls[unsigned(Stall::Arbitration)];
}

/// A FLAT access whose lanes all went to LDS.
inline bool isFlatLds(const CodeLine &code) {
  return code.unit == CodeLine::Unit::Memory && code.ldsBaseCycles > 0 &&
         code.linesTouched <= 0;
}

} // namespace tlc::report

#endif // TLC_LIB_REPORT_PROFILE_ANALYSIS_H
