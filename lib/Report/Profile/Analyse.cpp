//===- Analyse.cpp - What holds a kernel back -----------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The account divides the time of all SIMDs: CUs without a workgroup; matrix
// core at work; vector ALU at work and the matrix core not; and the rest, in
// which every wavefront of the SIMD waited, by what they waited for. Waiting
// for a busy matrix core or ALU, or for another wavefront's turn, is no part of
// the rest: then the SIMD works.
//
// Each part but the matrix core's is time that could be won, so it is a
// candidate for what holds the kernel back. Parts are split further where a
// cause can be told: waits for LDS into bank conflicts and the rest, waits for
// vector memory into spills, uncoalesced accesses, a saturated level, and
// latency. A barrier waits for the slowest wavefront, which waits for something
// itself: its time goes to the other waits in proportion, unless it is more
// than all of them. A saturated pipe delays everybody, whatever they wait for:
// then its own busy time counts if that is more. The largest is what is told
// first. A matrix core that works four fifths of the time holds nothing back.
//
//   matrix 60 %, vector ALU alone 10 %, waiting 20 %, idle CUs 10 %
//   of the waiting:  LDS 15 %, of which 40 % are conflicts
//   ->  vector ALU work (10 %), idle CUs (10 %), latency of LDS reads (9 %) ...
//
//===----------------------------------------------------------------------===//

#include "tlc/Report/Profile/Report.h"
#include <algorithm>
#include <fmt/format.h>

using namespace tlc::report;

namespace {

/// A kernel with a matrix core this busy is at the machine's limit.
constexpr double matrixBound = 0.8;
/// A pipe or level this busy is the cause of waits for it.
constexpr double saturated = 0.7;
/// Below this share of the busy CUs' time a cause is not worth a line.
constexpr double negligible = 0.02;

/// Waits in which the SIMD works all the same.
constexpr bool whileWorking(Stall stall) {
  return stall == Stall::MatrixBusy || stall == Stall::ValuBusy ||
         stall == Stall::Arbitration;
}

class Analysis {
public:
  Analysis(const Report &report, KernelReport &kernel)
      : report(report), kernel(kernel) {}

  void run() {
    account();
    spreadBarriers();
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
  void lds();
  void memory();
  double spills(double waits);
  double coalescing(double waits, double spilled);
  void idle();
  void plain();
  void finish();

  double part(Stall stall) const { return parts[unsigned(stall)]; }
  /// Share of its cycles in which a level of memory works.
  double useOf(const Level &level) const;
  static double causedByMemory(const CodeLine &code);
  std::string place(size_t index) const;
  /// The instruction with the largest value of \p key, if any is above 0.
  template <typename Key> std::optional<size_t> worst(Key key) const;
  void add(const char *id, double share, std::string headline,
           std::string detail, const char *advice,
           std::optional<size_t> at = std::nullopt);

  const Report &report;
  KernelReport &kernel;
  StallCycles parts{}; ///< shares of SIMD time
  double valuPart = 0;
  double active = 0; ///< share of the CUs' time with a workgroup
};

/// "kernel.tile:70", or the address where there is no line.
std::string Analysis::place(size_t index) const {
  const CodeLine &code = kernel.code[index];
  if (code.file.empty())
    return fmt::format("{:#x}", code.address);
  size_t slash = code.file.rfind('/');
  return fmt::format("{}:{}",
                     slash == std::string::npos ? code.file
                                                : code.file.substr(slash + 1),
                     code.line);
}

// Of equal ones the first: loops that are unrolled name their first copy.
template <typename Key> std::optional<size_t> Analysis::worst(Key key) const {
  std::optional<size_t> best;
  double most = 0;
  for (size_t i = 0; i < kernel.code.size(); ++i)
    if (double value = key(kernel.code[i]); value > most) {
      most = value;
      best = i;
    }
  return best;
}

/// A candidate; small ones are dropped here. `id` is stable (JSON), `share` one
/// of the SIMDs' time.
void Analysis::add(const char *id, double share, std::string headline,
                   std::string detail, const char *advice,
                   std::optional<size_t> at) {
  if (share < negligible * active)
    return;
  Limiter limiter;
  limiter.key = id;
  limiter.share = std::min(share, 1.0);
  limiter.headline = std::move(headline);
  limiter.detail = std::move(detail);
  limiter.advice = advice;
  limiter.instruction = at;
  if (at)
    limiter.where = place(*at);
  kernel.limiters.push_back(std::move(limiter));
}

/// The account: fills kernel.account, whose shares add up to 1, and `parts`.
void Analysis::account() {
  kernel.account.clear();
  kernel.limiters.clear();
  active = std::clamp(kernel.activeCUs, 0.0, 1.0);
  double matrix = std::min(kernel.matrixUse, active);
  // Without a figure for both, matrix and vector work count as disjoint.
  double busy =
      kernel.busyUse > 0 ? kernel.busyUse : kernel.matrixUse + kernel.valuUse;
  // The three are counted apart and may disagree by a little: no part of the
  // account may go below 0.
  busy = std::clamp(busy, matrix, active);
  valuPart = busy - matrix;
  // What CUs with work did not do: waiting.
  double idle = active - busy, waits = 0;
  for (unsigned s = 0; s < stallCount; ++s)
    if (!whileWorking(Stall(s)))
      waits += kernel.stalls[s];
  kernel.account.push_back({"matrix", "matrix cores at work", matrix});
  kernel.account.push_back(
      {"valu", "vector ALU at work, matrix core not", valuPart});
  // The rest of the time, in proportion to what wavefronts waited for. Without
  // any waits it is Other.
  for (unsigned s = 0; s < stallCount; ++s) {
    if (whileWorking(Stall(s)))
      continue;
    parts[s] = waits > 0                  ? idle * kernel.stalls[s] / waits
               : Stall(s) == Stall::Other ? idle
                                          : 0;
    kernel.account.push_back({info(Stall(s)).key,
                              std::string("waiting: ") + info(Stall(s)).title,
                              parts[s]});
  }
  kernel.account.push_back({"idle_cu", "CUs without a workgroup", 1 - active});
}

/// A barrier's time goes to what its latecomers waited for.
void Analysis::spreadBarriers() {
  double &barrier = parts[unsigned(Stall::Barrier)];
  double others = sum(parts) - barrier;
  // Nobody's wait explains it: the barrier itself is the cause.
  if (barrier >= others)
    return;
  double scale = 1 + barrier / others;
  barrier = 0;
  for (double &part : parts)
    part *= scale;
}

/// Waits for LDS into conflicts and the rest; a saturated LDS by its own busy
/// time.
void Analysis::lds() {
  double waits = part(Stall::Lds) + part(Stall::LdsBusy);
  double conflicts =
      kernel.ldsCycles > 0 ? kernel.ldsConflictCycles / kernel.ldsCycles : 0;
  double share = waits * conflicts;
  double cuCycles = kernel.cycles * report.computeUnits;
  bool full = active > 0 && kernel.ldsUse / active > saturated;
  if (full && cuCycles > 0)
    share = std::max(share, kernel.ldsConflictCycles / cuCycles);
  auto at = worst([](const CodeLine &c) { return c.ldsConflictCycles; });
  if (at) {
    const CodeLine &code = kernel.code[*at];
    double ways = code.ldsBaseCycles > 0
                      ? 1 + code.ldsConflictCycles / code.ldsBaseCycles
                      : 1;
    add("lds_bank_conflicts", share, "LDS bank conflicts",
        fmt::format("{:.0f} % of the LDS cycles are conflicts; worst: {} takes "
                    "{:.1f} times its cycles and has {:.0f} % of them",
                    100 * conflicts, code.text.substr(0, code.text.find(' ')),
                    ways,
                    100 * code.ldsConflictCycles / kernel.ldsConflictCycles),
        "lanes of a phase hit the same bank: swizzle or pad the buffer's rows, "
        "or read along the other axis",
        at);
  }
  auto waited = worst([](const CodeLine &c) {
    return c.caused[unsigned(Stall::Lds)] + c.caused[unsigned(Stall::LdsBusy)];
  });
  double rest = waits * (1 - conflicts);
  if (full)
    add("lds_bandwidth", std::max(rest, kernel.ldsUse * (1 - conflicts)),
        "LDS bandwidth",
        fmt::format("the LDS works {:.0f} % of the busy CUs' time",
                    100 * kernel.ldsUse / active),
        "keep operands in registers, use wider accesses, let each wavefront "
        "compute a larger tile",
        waited);
  else
    add("lds_latency", rest, "latency of LDS reads",
        fmt::format("wavefronts wait for LDS that works only {:.0f} % of the "
                    "busy CUs' time",
                    active > 0 ? 100 * kernel.ldsUse / active : 0),
        "read the next operands before the matrix work of this step, or run "
        "more wavefronts",
        waited);
}

/// Cycles that wavefronts waited for this access, wherever they waited.
double Analysis::causedByMemory(const CodeLine &code) {
  return code.caused[unsigned(Stall::VectorMemory)] +
         code.caused[unsigned(Stall::MemoryBusy)];
}

/// The share of the waits for vector memory that scratch accesses cause.
double Analysis::spills(double waits) {
  double all = 0, scratch = 0;
  auto cost = [](const CodeLine &c) {
    return c.unit == Unit::Scratch ? causedByMemory(c) : 0;
  };
  for (const CodeLine &code : kernel.code) {
    all += causedByMemory(code);
    scratch += cost(code);
  }
  double share = all > 0 ? scratch / all : 0;
  add("spills", waits * share, "registers spilled to scratch memory",
      fmt::format("{} bytes of scratch a lane", kernel.scratchBytes),
      "smaller tiles a wavefront, more wavefronts, or fewer values alive in "
      "the loop",
      worst(cost));
  return share;
}

/// The share that lines touched in vain cause. Waits for data are those of the
/// loads themselves; a full path delays whoever comes next.
double Analysis::coalescing(double waits, double spilled) {
  // 4 lines touched where 1 would do: 3/4 of the cost is in vain.
  auto excessOf = [](double touched, double needed) {
    return touched > 0 ? std::max(0.0, 1 - needed / touched) : 0;
  };
  double pathWaits = kernel.stalls[unsigned(Stall::MemoryBusy)];
  double all = 0, scattered = 0, touched = 0, needed = 0, pathBusy = 0;
  for (const CodeLine &code : kernel.code) {
    all += causedByMemory(code);
    touched += code.linesTouched;
    needed += code.linesNeeded;
    if (code.unit != Unit::Scratch)
      scattered += code.caused[unsigned(Stall::VectorMemory)] *
                   excessOf(code.linesTouched, code.linesNeeded);
  }
  double excess = excessOf(touched, needed);
  for (const Level &level : kernel.levels)
    if (level.key == "l1")
      pathBusy = useOf(level);
  if (all > 0)
    excess = (scattered + (1 - spilled) * pathWaits * excess) / all;
  double share = waits * excess;
  if (active > 0 && pathBusy / active > saturated)
    share = std::max(share, pathBusy * excess);
  // The tiny weight tells apart accesses that nobody waited for.
  auto at = worst([&](const CodeLine &c) {
    double lines = c.linesTouched - c.linesNeeded;
    double path = touched > 0 ? pathWaits / touched : 0;
    return c.caused[unsigned(Stall::VectorMemory)] *
               excessOf(c.linesTouched, c.linesNeeded) +
           (path + 1e-9) * lines;
  });
  if (!at || share <= 0)
    return 0;
  const CodeLine &code = kernel.code[*at];
  add("uncoalesced", share, "uncoalesced global accesses",
      fmt::format("{:.1f} cache lines touched for each that the data fill; "
                  "worst: {} touches {:.0f} lines a wavefront where {:.0f} "
                  "would do",
                  touched / needed, code.text.substr(0, code.text.find(' ')),
                  code.linesTouched / code.executed,
                  code.linesNeeded / code.executed),
      "let consecutive lanes access consecutive addresses: change which axis "
      "the lanes walk, or stage the tile through LDS",
      at);
  return excess;
}

// The level's own busy time where it is known, else bytes against the peak.
double Analysis::useOf(const Level &level) const {
  if (level.busyShare)
    return *level.busyShare;
  return level.peakBytesPerCycle > 0
             ? level.bytes / kernel.cycles / level.peakBytesPerCycle
             : 0;
}

/// Waits for vector memory into spills, scattered accesses, and what is left:
/// bandwidth of the outermost full level, or latency.
void Analysis::memory() {
  double waits = part(Stall::VectorMemory) + part(Stall::MemoryBusy);
  double spilled = spills(waits), excess = coalescing(waits, spilled);
  double rest = waits * std::max(0.0, 1 - spilled - excess);
  auto waited = worst(causedByMemory);
  const Level *full = nullptr;
  for (const Level &level : kernel.levels)
    if (active > 0 && useOf(level) / active > saturated)
      full = &level; // the outermost one counts
  if (full)
    add("bandwidth", rest, full->name + " bandwidth",
        fmt::format("{:.0f} bytes a cycle of {:.0f}",
                    full->bytes / kernel.cycles, full->peakBytesPerCycle),
        "move fewer bytes: larger tiles, reuse in LDS or registers, narrower "
        "types, workgroups that share data on one XCD",
        waited);
  else
    add("memory_latency", rest, "latency of global memory",
        fmt::format("no level is saturated; {:.1f} wavefronts a SIMD on "
                    "average",
                    kernel.occupancy.achieved),
        "issue loads earlier (T.Pipelined with more stages), keep more of them "
        "in flight, or raise the occupancy",
        waited);
}

/// CUs without a workgroup, because there are too few or because some end
/// early.
void Analysis::idle() {
  double share = 1 - active;
  bool few = kernel.workgroups < report.computeUnits;
  add("idle_cus", share,
      few ? "too few workgroups" : "CUs idle at the end of the grid",
      few ? fmt::format("{} workgroups for {} CUs", kernel.workgroups,
                        report.computeUnits)
          : fmt::format("CUs have no workgroup for {:.0f} % of the time",
                        100 * share),
      few ? "split the work further: smaller blocks, or split the reduction"
          : "smaller or equal pieces of work, so that all CUs finish together");
}

/// Parts that need no closer look.
void Analysis::plain() {
  auto hottest = [&](Stall stall) {
    return worst([&](const CodeLine &c) { return c.caused[unsigned(stall)]; });
  };
  // At the limit, that is the answer; it sorts before all other parts.
  if (kernel.matrixUse >= matrixBound)
    add("matrix", kernel.matrixUse, "the matrix cores: at the machine's limit",
        fmt::format("{:.0f} % of all cycles", 100 * kernel.matrixUse),
        "only fewer or cheaper matrix operations help");
  add("valu", valuPart, "vector ALU work beside the matrix cores",
      fmt::format("the vector ALU works {:.0f} % of the time, {:.0f} % while "
                  "the matrix core does not",
                  100 * kernel.valuUse, 100 * valuPart),
      "fewer or cheaper vector operations, or overlap them with matrix "
      "operations (another wavefront, another stage of the loop)",
      worst([](const CodeLine &c) {
        return c.unit == Unit::Vector ? c.issueCycles : 0;
      }));
  static constexpr struct {
    Stall stall;
    const char *headline, *advice;
  } rows[] = {
      {Stall::Barrier, "barriers",
       "fewer barriers, or work of the same length between them"},
      {Stall::Nop, "wait states (s_nop)",
       "independent instructions between producer and consumer"},
      {Stall::ScalarMemory, "latency of scalar loads",
       "load scalars before the loop"},
      {Stall::Fetch, "instruction fetch",
       "shorter code: less unrolling, shorter encodings"},
      {Stall::Other, "other waits", ""},
  };
  for (const auto &row : rows)
    add(info(row.stall).key, part(row.stall), row.headline,
        fmt::format("{:.0f} % of the SIMDs' time", 100 * part(row.stall)),
        row.advice, hottest(row.stall));
}

/// Equal shares keep the order of the rules above.
void Analysis::finish() {
  std::stable_sort(
      kernel.limiters.begin(), kernel.limiters.end(),
      [](const Limiter &a, const Limiter &b) { return a.share > b.share; });
}

} // namespace

void tlc::report::analyse(const Report &report, KernelReport &kernel) {
  if (kernel.cycles > 0)
    Analysis(report, kernel).run();
}
