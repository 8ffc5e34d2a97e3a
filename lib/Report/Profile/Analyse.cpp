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

#include "Analysis.h"

#include "llvm/ADT/ArrayRef.h"

#include <algorithm>
#include <fmt/format.h>

using namespace tlc::report;

namespace {

/// A kernel with a matrix core this busy is at the machine's limit.
constexpr double matrixBound = 0.8;
/// Below this share of the busy CUs' time a cause is not worth a line.
constexpr double negligible = 0.02;
/// The longest workgroup is told where it takes so many times the average.
constexpr double uneven = 2;
/// Wavefronts a SIMD, of the slots, that leave latency bare.
constexpr double fewWaves = 0.25;

/// Waits in which the SIMD works all the same.
constexpr bool whileWorking(Stall stall) {
  return stall == Stall::MatrixBusy || stall == Stall::ValuBusy ||
         stall == Stall::Arbitration;
}

} // namespace

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

const char *Analysis::inTiles(const char *tiles, const char *others) const {
  for (const CodeLine &code : kernel.code)
    if (code.file.ends_with(".tile") || code.file.ends_with(".py"))
      return tiles;
  return others;
}

/// A candidate; small ones are dropped here. `id` is stable (JSON), `share` one
/// of the SIMDs' time.
void Analysis::add(const char *id, double share, std::string headline,
                   std::string detail, std::string advice,
                   std::optional<size_t> at, double avoidable, bool isCertain,
                   bool isOfOccupancy) {
  if (share < negligible * active)
    return;
  Limiter limiter;
  limiter.key = id;
  limiter.share = std::min(share, 1.0);
  limiter.rank = limiter.share * avoidable;
  limiter.isCertain = isCertain;
  limiter.isOfOccupancy = isOfOccupancy;
  limiter.headline = std::move(headline);
  limiter.detail = std::move(detail);
  limiter.advice = std::move(advice);
  limiter.instruction = at;
  if (at)
    limiter.where = place(*at);
  kernel.limiters.push_back(std::move(limiter));
}

/// What keeps more wavefronts from hiding latency, if there are few and the
/// grid has more: all that allow no more, for one alone does not help then.
std::vector<OccupancyLimit> Analysis::lowOccupancy() const {
  const Occupancy &o = kernel.occupancy;
  std::vector<OccupancyLimit> binding;
  if (o.limits.empty() || o.waves > fewWaves * o.slots)
    return binding;
  for (const OccupancyLimit &limit : o.limits) {
    if (limit.waves > o.limits.front().waves)
      break;
    // A grid that has no more is no matter of resources.
    if (limit.resource != "VGPRs" && limit.resource != "LDS")
      return {};
    binding.push_back(limit);
  }
  return binding;
}

/// Latency has two cures: to ask earlier, and more wavefronts.
void Analysis::addLatency(const char *id, double share, std::string headline,
                          std::string detail, std::string advice,
                          std::optional<size_t> at) {
  std::vector<OccupancyLimit> limits = lowOccupancy();
  if (!limits.empty()) {
    std::string names, details, fewer;
    for (const OccupancyLimit &limit : limits) {
      const char *joint = names.empty() ? "" : " and ";
      names += joint + limit.resource;
      details += fmt::format("{}{} {}", joint, limit.resource, limit.detail);
      fewer += std::string(joint) +
               (limit.resource == "LDS"
                    ? inTiles("bytes of shared buffers (block_K, num_stages)",
                              "bytes of LDS")
                    : inTiles("registers (smaller fragments)", "registers"));
    }
    headline += fmt::format(" at low occupancy ({})", names);
    detail +=
        fmt::format("; only {:.3g} of {} wavefronts fit a SIMD: {}",
                    kernel.occupancy.waves, kernel.occupancy.slots, details);
    advice = fmt::format("{}, or make room for more wavefronts: fewer {}",
                         advice, fewer);
  } else {
    advice += ", or run more wavefronts";
  }
  add(id, share, std::move(headline), std::move(detail), std::move(advice), at,
      1, false, /*isOfOccupancy=*/!limits.empty());
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
  if (kernel.activeSimds > 0)
    bare = std::clamp(active - kernel.activeSimds, 0.0, active - busy);
  double idle = active - bare - busy, waits = 0, scalar = 0;
  for (const CodeLine &code : kernel.code)
    scalar += scalarCycles(code);
  waits += scalar;
  for (unsigned s = 0; s < stallCount; ++s)
    if (!whileWorking(Stall(s)))
      waits += kernel.stalls[s];
  kernel.account.push_back({"matrix", "matrix cores at work", matrix});
  kernel.account.push_back(
      {"valu", "vector ALU at work, matrix core not", valuPart});
  // The rest of the time, in proportion to what wavefronts waited for, or
  // issued that is scalar. Without any of it it is Other.
  scalarPart = waits > 0 ? idle * scalar / waits : 0;
  kernel.account.push_back(
      {"scalar", "scalar instructions and branches", scalarPart});
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
  kernel.account.push_back({"idle_simd", "SIMDs without a wavefront", bare});
  kernel.account.push_back({"idle_cu", "CUs without a workgroup", 1 - active});
  // The time after the last wavefront is that of stores: as if they were waited
  // for.
  drain = std::clamp(kernel.drainCycles / kernel.cycles, 0.0, 1 - active);
  launch =
      std::clamp(kernel.launchCycles / kernel.cycles, 0.0, 1 - active - drain);
  double latency = 0;
  for (const CodeLine &code : kernel.code)
    latency += code.storeLatency;
  if (latency > 0)
    drainScale = drain * (waits > 0 && idle > 0 ? waits / idle : 1) / latency;
  else
    drain = 0;
}

/// A barrier's time goes to what its latecomers waited for. What is waited for
/// only because a barrier follows is the barrier's: LDS writes.
void Analysis::spreadBarriers() {
  double &barrier = parts[unsigned(Stall::Barrier)];
  double &local = parts[unsigned(Stall::Lds)];
  double caused = 0;
  for (const CodeLine &code : kernel.code)
    caused += code.caused[unsigned(Stall::Barrier)];
  double moved = caused - kernel.stalls[unsigned(Stall::Barrier)];
  if (double waits = kernel.stalls[unsigned(Stall::Lds)];
      moved > 0 && waits > 0) {
    barrierWrites = local * std::min(1.0, moved / waits);
    local -= barrierWrites;
    barrier += barrierWrites;
  }
  double others = sum(parts) - barrier;
  // Nobody's wait explains it: the barrier itself is the cause.
  if (barrier >= others)
    return;
  // What is charged to a barrier itself: nothing was done between it and the
  // one before.
  double all = 0, own = 0;
  for (const CodeLine &code : kernel.code) {
    double cycles = code.caused[unsigned(Stall::Barrier)];
    all += cycles;
    own += code.text.starts_with("s_barrier") ? cycles : 0;
  }
  double kept = all > 0 ? barrier * own / all : 0;
  double scale = 1 + (barrier - kept) / others;
  barrier = 0;
  for (double &part : parts)
    part *= scale;
  barrier = kept;
}

/// Such accesses are waited for as vector memory is.
void Analysis::moveFlat() {
  double all = 0, flat = 0;
  for (const CodeLine &code : kernel.code) {
    double waits = code.caused[unsigned(Stall::VectorMemory)];
    all += waits;
    flat += isFlatLds(code) ? waits : 0;
  }
  double moved = all > 0 ? part(Stall::VectorMemory) * flat / all : 0;
  parts[unsigned(Stall::VectorMemory)] -= moved;
  parts[unsigned(Stall::Lds)] += moved;
}

/// What wavefronts wait for at the LDS, by the begin of the instruction's name;
/// what is none of them is an atomic.
struct LdsKind {
  const char *name, *inTiles, *advice;
};
static constexpr LdsKind ldsKinds[] = {
    {"LDS reads",
     "read the next operands before the work of this step (T.Pipelined, T.copy "
     "to a fragment ahead)",
     "read the next operands before the work of this step"},
    {"LDS writes",
     "write before the work of this step, and to another buffer than is read",
     "write before the work of this step, and to another buffer than is read"},
    {"lane exchanges",
     "let each thread reduce more elements before threads are combined (fewer "
     "threads along the reduced axis)",
     "combine within a lane first; DPP within rows of 16 lanes"},
    {"LDS atomics", "add up in a fragment first (T.reduce_sum)",
     "add up in registers or across lanes first"},
};
static size_t kindOf(const CodeLine &code) {
  constexpr std::pair<const char *, size_t> names[] = {
      {"ds_read", 0},    {"ds_write", 1},   {"ds_bpermute", 2},
      {"ds_permute", 2}, {"ds_swizzle", 2}, {"ds_", 3}};
  for (auto [name, kind] : names)
    if (code.text.starts_with(name))
      return kind;
  return 0; // FLAT
}
static double causedByLds(const CodeLine &code) {
  return code.caused[unsigned(Stall::Lds)] +
         code.caused[unsigned(Stall::LdsBusy)] +
         (isFlatLds(code) ? code.caused[unsigned(Stall::VectorMemory)] : 0);
}

/// Waits for LDS into conflicts of banks, lanes of atomics that meet in an
/// address, and the rest; a saturated LDS by its own busy time.
void Analysis::lds() {
  double waits = part(Stall::Lds) + part(Stall::LdsBusy);
  double lost = kernel.ldsConflictCycles + kernel.ldsAddressConflicts;
  double conflicts = kernel.ldsCycles > 0 ? lost / kernel.ldsCycles : 0;
  // Those who wait in a queue wait for all before them: the queue shrinks by
  // more than the work in it, as use / (1 - use) does.
  auto queue = [](double use) { return use / (1 - use); };
  double use = active > 0 ? std::min(0.95, kernel.ldsUse / active) : 0;
  double shorter =
      use > 0 ? 1 - queue(use * (1 - conflicts)) / queue(use) : conflicts;
  double won = conflicts > 0 ? std::clamp(shorter, conflicts, 1.0) : 0;
  // What an access takes without any conflict, who waits for it waits for
  // still.
  double longer = 0, waitedFor = 0;
  for (const CodeLine &code : kernel.code)
    if (code.unit == Unit::Lds) {
      longer += std::max(0.0, code.latency - code.bareLatency) +
                code.caused[unsigned(Stall::LdsBusy)];
      waitedFor += causedByLds(code);
    }
  double most =
      waitedFor > 0 && longer > 0 ? std::min(1.0, longer / waitedFor) : 1;
  won = std::min(won, most);
  double share = waits * won;
  double cuCycles = kernel.cycles * report.computeUnits;
  bool full = active > 0 && kernel.ldsUse / active > saturated;
  if (full && kernel.waveCycles > 0)
    share =
        std::max(share, std::min(lost / cuCycles, active * most * waitedFor /
                                                      kernel.waveCycles));
  auto addConflicts = [&](double CodeLine::*cycles, double all, auto &&key,
                          auto &&title, auto &&kind, const char *advice) {
    auto at = worst([&](const CodeLine &c) { return c.*cycles; });
    if (!at)
      return;
    const CodeLine &code = kernel.code[*at];
    double times =
        code.ldsBaseCycles > 0 ? 1 + code.*cycles / code.ldsBaseCycles : 1;
    double there = ofLine(*at, [&](const CodeLine &c) { return c.*cycles; });
    add(key, share * all / lost, title,
        fmt::format("{:.0f} % of the LDS cycles are {}; worst: {} takes {:.1f} "
                    "times its cycles; {:.0f} % of them are there",
                    100 * all / kernel.ldsCycles, kind,
                    code.text.substr(0, code.text.find(' ')), times,
                    100 * there / all),
        advice, at, 1, /*isCertain=*/true);
  };
  addConflicts(
      &CodeLine::ldsConflictCycles, kernel.ldsConflictCycles,
      "lds_bank_conflicts", "LDS bank conflicts", "conflicts",
      inTiles("lanes of a phase hit the same bank: leave the layout to tlc "
              "(no T.annotate_layout), pad the rows of T.alloc_shared by 16 "
              "bytes, or let the last index of T.Parallel walk along them",
              "lanes of a phase hit the same bank: swizzle or pad the "
              "buffer's rows, or read along the other axis"));
  addConflicts(
      &CodeLine::ldsAddressConflicts, kernel.ldsAddressConflicts, "lds_atomics",
      "contended LDS atomics", "atomics that take turns",
      inTiles("lanes of a wavefront meet in an address, which the LDS changes "
              "for one after the other: add up in a fragment first "
              "(T.reduce_sum), or give parts of the workgroup copies of their "
              "own that are added up at the end",
              "lanes of a wavefront meet in an address, which the LDS changes "
              "for one after the other: add up in registers or across lanes "
              "first, or give parts of the workgroup copies of their own"));
  // What most of the time is waited for.
  double ofKind[std::size(ldsKinds)] = {};
  for (const CodeLine &code : kernel.code)
    ofKind[kindOf(code)] += causedByLds(code);
  size_t kind = std::max_element(ofKind, std::end(ofKind)) - ofKind;
  auto waited = worst([&](const CodeLine &c) {
    return kindOf(c) == kind ? causedByLds(c) : 0;
  });
  double rest = waits * (1 - won);
  // A dword a lane goes through as fast as a part of one.
  double accesses = 0, narrow = 0;
  for (const CodeLine &code : kernel.code)
    if (code.unit == Unit::Lds && code.ldsBaseCycles > 0) {
      accesses += code.executed;
      narrow += isNarrowLds(code) ? code.executed : 0;
    }
  // Also where the waits are of something else, and conflicts cost little.
  std::string details;
  auto worstBank = worst([](const CodeLine &c) { return c.ldsConflictCycles; });
  if (constexpr double often = 0.25;
      worstBank && kernel.ldsConflictCycles > often * kernel.ldsCycles) {
    const CodeLine &code = kernel.code[*worstBank];
    details = fmt::format(
        "; {:.0f} % of its cycles are bank conflicts: {} at {} takes {:.1f} "
        "times its own",
        100 * kernel.ldsConflictCycles / kernel.ldsCycles,
        code.text.substr(0, code.text.find(' ')), place(*worstBank),
        1 + code.ldsConflictCycles / std::max(1.0, code.ldsBaseCycles));
  }
  if (narrow > avoidable * accesses)
    details += fmt::format("; {:.0f} % of the accesses move 2 bytes a lane or "
                           "fewer, where up to 16 go at once",
                           100 * narrow / accesses);
  if (full)
    add("lds_bandwidth", std::max(rest, kernel.ldsUse * (1 - conflicts)),
        "LDS bandwidth",
        fmt::format("the LDS works {:.0f} % of the busy CUs' time{}",
                    100 * kernel.ldsUse / active, details),
        "keep operands in registers, use wider accesses, let each wavefront "
        "compute a larger tile",
        waited, avoidable);
  else
    addLatency(
        "lds_latency", rest, std::string("latency of ") + ldsKinds[kind].name,
        fmt::format("wavefronts wait for LDS that works only {:.0f} % "
                    "of the busy CUs' time{}",
                    active > 0 ? 100 * kernel.ldsUse / active : 0, details),
        inTiles(ldsKinds[kind].inTiles, ldsKinds[kind].advice), waited);
}

/// CUs without a workgroup: before the first one starts, because there are too
/// few, or because some end early.
void Analysis::idle() {
  add("launch", launch, "the launch itself",
      fmt::format("{:.0f} cycles before the first wavefront starts",
                  launch * kernel.cycles),
      "do more work in one launch");
  add("idle_simds", bare, "SIMDs without a wavefront",
      fmt::format("on CUs that have a workgroup, {:.0f} % of the SIMDs' time",
                  100 * bare / std::max(active, 1e-9)),
      inTiles(
          "threads=256 in T.Kernel, or smaller shared buffers, so that more "
          "blocks fit a CU",
          "workgroups of four wavefronts or more, or more of them on a CU"));
  double share = 1 - active - launch - drain;
  // However many CUs work, what they share takes its time.
  double full = kernel.atomicChannelUse;
  for (const Level &level : kernel.levels)
    if (level.key != "l1")
      full = std::max(full, useOf(level));
  share = std::min(share, 1 - full);
  bool few = kernel.workgroups < report.computeUnits;
  // One that takes far longer than the others keeps the launch from ending.
  double longest =
      kernel.meanWorkgroupCycles > 0
          ? kernel.longestWorkgroupCycles / kernel.meanWorkgroupCycles
          : 0;
  std::string last;
  if (longest > uneven)
    last = fmt::format("; workgroup {} takes {:.0f} cycles, {:.1f} times the "
                       "average",
                       kernel.longestWorkgroup, kernel.longestWorkgroupCycles,
                       longest);
  add("idle_cus", share,
      few ? "too few workgroups" : "CUs idle at the end of the grid",
      (few ? fmt::format("{} workgroups for {} CUs", kernel.workgroups,
                         report.computeUnits)
           : fmt::format("CUs have no workgroup for {:.0f} % of the time "
                         "after the first ones started",
                         100 * share)) +
          last,
      few ? inTiles(
                "more blocks in T.Kernel: smaller block_M and block_N, or "
                "the reduction split over blocks (T.atomic_add, or a second "
                "kernel that adds up)",
                "split the work further: smaller blocks, or split the "
                "reduction")
          : inTiles("smaller or equal blocks, the longest first (the order of "
                    "T.Kernel's axes), or T.PersistentTileScheduler",
                    "smaller or equal pieces of work, so that all CUs finish "
                    "together"));
}

/// Vector work that no matrix work hides.
void Analysis::vectorWork() {
  double all = 0, transcendental = 0, slow = 0, twofold = 0, divisions = 0;
  for (const CodeLine &code : kernel.code) {
    all += code.aluCycles;
    twofold += code.text.find("_f64") != code.text.npos ? code.aluCycles : 0;
    divisions += code.text.starts_with("v_rcp_iflag_f32") ? code.executed : 0;
    transcendental += code.isTranscendental ? code.aluCycles : 0;
    slow += !code.isTranscendental && code.aluCycles >= 16 * code.executed
                ? code.aluCycles
                : 0;
  }
  std::string slowly;
  if (slow > 0.3 * all)
    slowly = fmt::format("; {:.0f} % of that are wide integer products and the "
                         "like, at a quarter of the rate",
                         100 * slow / all);
  // Of the code that LLVM makes of one: two wide products, 20 others.
  constexpr double divisionCycles = 100;
  double dividing =
      all > 0 ? std::min(1.0, divisionCycles * divisions / all) : 0;
  if (dividing > 0.3)
    slowly = fmt::format("; about {:.0f} % of that are integer divisions, some "
                         "20 instructions each (v_rcp_iflag_f32 and on)",
                         100 * dividing);
  bool isDouble = twofold > 0.5 * all;
  if (isDouble)
    slowly = fmt::format("; {:.0f} % of that are in double precision, where "
                         "packed f32 does twice as much in a cycle",
                         100 * twofold / all);
  double share = all > 0 ? transcendental / all : 0;
  bool mostly = share > 0.5, own = kernel.matrixUse <= 0;
  std::string beside = own ? "" : " beside the matrix cores";
  add(mostly ? "transcendental" : "valu", valuPart,
      (mostly ? "transcendental instructions" : "vector ALU work") + beside,
      fmt::format("the vector ALU works {:.0f} % of the time{}{}",
                  100 * kernel.valuUse,
                  own ? ""
                      : fmt::format(", {:.0f} % while the matrix core does not",
                                    100 * valuPart),
                  mostly ? fmt::format("; {:.0f} % of that are exp, log, rcp, "
                                       "sqrt and the like, at a quarter of "
                                       "the rate",
                                       100 * share)
                         : slowly),
      mostly
          ? inTiles("fewer of them: T.exp2 with the factor folded in instead "
                    "of T.exp, one reciprocal a row instead of divisions",
                    "fewer of them: other ways to compute the same, or "
                    "shared by more elements")
      : own && isDouble
          ? "f32 where it is exact enough: one sum in f64 of many in f32"
      : own && !slowly.empty()
          ? "divide by constants or powers of two, let indices go on by "
            "additions, products of 24 bits or f32"
      : own ? inTiles("fewer or cheaper operations: fewer conversions, "
                      "constant extents and indices without division, T.copy "
                      "instead of loops over elements",
                      "fewer or cheaper vector operations: packed ones, fewer "
                      "conversions and addresses")
            : "fewer or cheaper vector operations, or overlap them with matrix "
              "operations (another wavefront, another stage of the loop)",
      worst([&](const CodeLine &c) {
        return mostly && !c.isTranscendental ? 0 : c.aluCycles;
      }),
      own ? share + (1 - share) * avoidable : 1);
}

/// Where wavefronts meet every few hundred cycles it is the barrier itself,
/// otherwise what those did that came last.
void Analysis::barriers() {
  constexpr double often = 400; // cycles
  double met = 0;
  for (const CodeLine &code : kernel.code)
    met += code.text.starts_with("s_barrier") ? code.executed : 0;
  double every = met > 0 ? kernel.waveCycles / met : 0;
  bool isDense = met > 0 && every < often;
  double share = part(Stall::Barrier);
  std::string detail = fmt::format("{:.0f} % of the SIMDs' time", 100 * share);
  if (isDense)
    detail += fmt::format("; a wavefront meets one every {:.0f} cycles", every);
  if (barrierWrites > 0.1 * share)
    detail += fmt::format("; {:.0f} % are waits in front of one for its own "
                          "LDS writes",
                          100 * std::min(barrierWrites, share));
  auto at = worst([&](const CodeLine &c) {
    bool isBarrier = c.text.starts_with("s_barrier");
    double caused = c.caused[unsigned(Stall::Barrier)];
    return !isDense    ? caused
           : isBarrier ? caused + c.stalls[unsigned(Stall::Barrier)]
                       : 0;
  });
  add("barrier", share, "barriers", detail,
      isDense ? inTiles("fewer of them: larger steps of the loop (block_K), "
                        "T.Pipelined with two stages or more, results kept in "
                        "fragments instead of shared buffers",
                        "fewer of them: larger steps between them, two buffers "
                        "in turn, results kept in registers")
              : "fewer barriers, or work of the same length between them",
      at);
}

/// A clause about matrix work of types that run at a part of f16's rate.
std::string Analysis::wideMatrix() const {
  double all = 0, wide = 0;
  for (const CodeLine &code : kernel.code) {
    if (code.unit != Unit::Matrix)
      continue;
    std::string_view name = code.text;
    name = name.substr(0, name.find(' '));
    bool isWide = (name.ends_with("f32") && !name.ends_with("xf32")) ||
                  name.ends_with("f64");
    all += code.executed;
    wide += isWide ? code.executed : 0;
  }
  return 2 * wide > all
             ? "; they multiply f32 or f64, at an eighth of the rate "
               "of f16 and bf16"
             : "";
}

/// Parts that need no closer look.
void Analysis::plain() {
  auto hottest = [&](Stall stall) {
    return worst([&](const CodeLine &c) { return c.caused[unsigned(stall)]; });
  };
  // At the limit, that is the answer; it sorts before all other parts.
  if (kernel.matrixUse >= matrixBound)
    add("matrix", kernel.matrixUse, "the matrix cores: at the machine's limit",
        fmt::format("{:.0f} % of all cycles{}", 100 * kernel.matrixUse,
                    wideMatrix()),
        "only fewer or cheaper matrix operations help");
  vectorWork();
  barriers();
  auto idler = hottest(Stall::Nop);
  bool sleeps = idler && kernel.code[*idler].text.starts_with("s_sleep");
  const struct {
    Stall stall;
    const char *headline, *advice;
  } rows[] = {
      {Stall::Nop,
       sleeps ? "sleeping wavefronts (s_sleep)" : "wait states (s_nop)",
       sleeps ? "shorter sleeps between looks at memory"
              : "independent instructions between producer and consumer"},
      {Stall::ScalarMemory, "latency of scalar loads",
       inTiles("read elements that are the same for all threads before the "
               "loop, or a tile of them with T.copy",
               "load scalars before the loop")},
      {Stall::Fetch, "instruction fetch",
       inTiles("unroll short loops (T.unroll, more elements a trip): a taken "
               "branch is a new fetch; shorter encodings",
               "unroll short loops: a taken branch is a new fetch; shorter "
               "encodings")},
      {Stall::Other, "other waits", ""},
  };
  if (kernel.instructionMisses > 0) {
    add("instruction_cache", part(Stall::Fetch), "instruction cache misses",
        fmt::format("{:.0f} lines had to come from L2: the code is larger than "
                    "the 64 KB that two CUs share",
                    kernel.instructionMisses),
        inTiles("a shorter loop: T.serial instead of T.unroll, smaller blocks",
                "a shorter loop: less unrolling"),
        hottest(Stall::Fetch));
    parts[unsigned(Stall::Fetch)] = 0;
  }
  add("scalar_alu", scalarPart, "scalar instructions",
      fmt::format(
          "{:.0f} % of the SIMDs' time; a SIMD issues one in four cycles, "
          "for all its wavefronts",
          100 * scalarPart),
      inTiles("fewer of them: T.unroll, more elements a trip, indices that go "
              "on by constants",
              "fewer of them: unroll loops, let addresses go on by constants"),
      worst(scalarCycles), avoidable);
  for (const auto &row : rows)
    add(info(row.stall).key, part(row.stall), row.headline,
        fmt::format("{:.0f} % of the SIMDs' time", 100 * part(row.stall)),
        row.advice, hottest(row.stall));
}

/// The unit that a cause is one of; others are each their own.
static std::string_view unitOf(const Limiter &limiter) {
  std::string_view key = limiter.key;
  if (key.starts_with("lds_"))
    return "lds";
  for (const char *memory : {"uncoalesced", "narrow_accesses", "bandwidth",
                             "memory_latency", "store_latency"})
    if (key == memory)
      return "memory";
  return key;
}

/// Whether one change cures both.
static bool isOneMatter(const Limiter &a, const Limiter &b) {
  return (a.isOfOccupancy && b.isOfOccupancy) ||
         (!a.where.empty() && a.where == b.where && unitOf(a) == unitOf(b));
}

/// By what could be won; of causes that are one matter the largest goes by
/// their sum. Of equal ones those that another layout
/// removes go first, then the order of the rules above counts.
void Analysis::finish() {
  auto own = [](const Limiter &limiter) {
    return std::pair(std::lround(1000 * limiter.rank), limiter.isCertain);
  };
  std::stable_sort(
      kernel.limiters.begin(), kernel.limiters.end(),
      [&](const Limiter &a, const Limiter &b) { return own(a) > own(b); });
  for (Limiter &limiter : kernel.limiters)
    limiter.together = limiter.rank;
  for (size_t i = 0; i < kernel.limiters.size(); ++i) {
    Limiter &later = kernel.limiters[i];
    for (Limiter &first : llvm::MutableArrayRef(kernel.limiters).take_front(i))
      if (isOneMatter(first, later)) {
        first.together += later.rank;
        break;
      }
  }
  std::stable_sort(kernel.limiters.begin(), kernel.limiters.end(),
                   [](const Limiter &a, const Limiter &b) {
                     return std::lround(1000 * a.together) >
                            std::lround(1000 * b.together);
                   });
}

void tlc::report::analyse(const Report &report, KernelReport &kernel) {
  if (kernel.cycles > 0)
    Analysis(report, kernel).run();
}
