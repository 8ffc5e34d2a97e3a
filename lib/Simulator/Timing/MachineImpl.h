//===- MachineImpl.h - State of the compute units ---------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_TIMING_MACHINEIMPL_H
#define TLC_LIB_SIMULATOR_TIMING_MACHINEIMPL_H

#include "EventWheel.h"
#include "Machine.h"
#include "UnitMemory.h"

#include <algorithm>
#include <cstddef>

namespace tlc::sim {

constexpr uint64_t never = ~uint64_t(0);
/// The state of so many wavefronts fits the host's caches.
constexpr size_t cachedWaves = 64;
/// Not before what is waited for is known; a SIMD's next turn is still below
/// `never`.
constexpr uint64_t unknown = never - 7;
static_assert(unknown % param::issuePeriod == 0);
/// From here on, times of operations in flight are numbers of PendingOps.
constexpr uint64_t pendingOps = uint64_t(1) << 61;
/// Of the latency of ds_read_b32: 4 cycles in, 2 for the banks, 4 out, and the
/// rest on the way.
constexpr unsigned ldsAddressCycles = 4;
constexpr unsigned ldsFixedCycles =
    param::ldsLatency - ldsAddressCycles - 2 - 4;

/// Instruction bytes arrive in fractions of cycles.
constexpr int64_t fetchTick = 8;
constexpr int64_t ticksOfByte = int64_t(fetchTick / param::fetchBytesPerCycle);
constexpr int64_t fetchTicks(int64_t bytes) { return bytes * ticksOfByte; }
static_assert(fetchTicks(4) * param::fetchBytesPerCycle == 4 * fetchTick);

/// The cycle in which something is done. Signed: hosts convert that in one
/// instruction.
inline uint64_t roundUp(double time) {
  time -= 1e-9;
  int64_t whole = int64_t(time);
  return uint64_t(whole + (double(whole) < time));
}
/// A cycle as a time that may have fractions.
inline double exactly(uint64_t cycle) { return double(int64_t(cycle)); }

/// Completion times of operations in flight, oldest first, and which of them
/// are scalar loads. \p Most are in flight, as prepare() sees to.
template <unsigned Most> class InFlight {
public:
  /// Returns its place, for set().
  unsigned push(uint64_t time, bool isScalar) {
    unsigned slot = (first + size++) % Most;
    slots[slot] = time << 1 | isScalar;
    return slot;
  }
  void set(unsigned slot, uint64_t time) {
    slots[slot] = time << 1 | (slots[slot] & 1);
  }
  /// Drops what is complete at \p time.
  void retire(uint64_t time) {
    while (size && slots[first] >> 1 <= time) {
      first = (first + 1) % Most;
      --size;
    }
    // Few are mostly in flight: always in the same lines of the host's cache.
    if (!size)
      first = 0;
  }
  /// When no more than \p allowed are left; \p last: what was waited for is a
  /// scalar load.
  uint64_t downTo(unsigned allowed, bool &isScalar) const {
    uint64_t latest = 0;
    for (unsigned i = 0; i + allowed < size; ++i) {
      uint64_t slot = slots[(first + i) % Most];
      if (slot >> 1 >= latest) {
        latest = slot >> 1;
        isScalar = slot & 1;
      }
    }
    return latest;
  }
  uint64_t newest() const {
    return size ? slots[(first + size - 1) % Most] >> 1 : 0;
  }

private:
  unsigned first = 0, size = 0;
  uint64_t slots[Most];
};

struct SimGroup;

/// What every instruction of a wavefront needs: a line of the host's cache, for
/// thousands of wavefronts take turns.
struct alignas(64) WaveClock {
  static constexpr uint32_t never32 = ~uint32_t(0);

  WaveRecord *record = nullptr;
  // The instruction it stands at; null: none is known yet.
  const StaticOp *op = nullptr;
  uint64_t next = 0;     ///< its issue slot is free again
  uint64_t earliest = 0; ///< all that it alone waits for is there
  int64_t fetchAt = 0; ///< its instruction bytes before this one are there, in
                       ///< ticks
  uint64_t vectorAt = 0;       ///< it may issue a vector operation again
  uint32_t expected = never32; ///< the instruction after a branch not taken
  uint32_t issued = 0;         ///< instructions
  uint16_t length = 0;         ///< of its words in the record
  StallCause waitsFor = StallCause::Issue; ///< until `earliest`
  bool atBarrier = false, done = false, starved = false;
  bool isTraced = false;
  uint8_t simd = 0;

  /// \p time comes after what it has waited for so far.
  void wait(uint64_t time, StallCause why) {
    if (time > earliest) {
      earliest = time;
      waitsFor = why;
    }
  }
};
static_assert(sizeof(WaveClock) == 64);

/// A wavefront in the replay.
struct SimWave : WaveClock {
  WaveTrace *trace = nullptr;
  SimGroup *group = nullptr;
  uint64_t age = 0, begin = 0;
  uint32_t fetchedLine = never32; ///< of instructions
  uint8_t priority = 0, slot = 0;
  uint32_t ldsCycles = 0; ///< LDS: what is recorded of it
  InFlight<16> other;     ///< lgkmcnt
  InFlight<64> vector;    ///< vmcnt

  /// Of what a turn reads, up to the beginning of `other`.
  static constexpr size_t readBytes = 3 * 64;
};

/// A workgroup on a compute unit: wavefronts that have not ended, and those of
/// them at the barrier.
struct SimGroup {
  GroupRecord *record = nullptr;
  unsigned cu = 0;
  std::vector<SimWave> waves;
  unsigned alive = 0, arrived = 0;
  bool isLow = false; ///< noted to have few words
  GroupTime time;
  uint64_t notedInstructions = 0; ///< of them the pace knows

  uint64_t issued() const {
    uint64_t sum = 0;
    for (const SimWave &wave : waves)
      sum += wave.issued;
    return sum;
  }
};

/// A resident wavefront, with what a turn must know of each and of its
/// instruction.
struct Place : OpTraits {
  SimWave *wave = nullptr;
  uint64_t earliest = never; ///< never: at a barrier
  /// The same, or the units that it needs are not free before.
  uint64_t wake = never;
  bool starved = false;                     ///< no instruction is known
  StallCause blockedBy = StallCause::Issue; ///< from `earliest` on

  /// After the wavefront's state has changed.
  void update() {
    wake = earliest = wave->atBarrier ? never : wave->earliest;
    blockedBy = StallCause::Issue;
    starved = wave->starved;
    static_cast<OpTraits &>(*this) =
        wave->op ? static_cast<const OpTraits &>(*wave->op) : OpTraits();
  }
};

/// When the wavefronts of a SIMD can do something after a turn.
struct Upcoming {
  uint64_t first = never, second = never; ///< the two soonest
  uint64_t outside = never; ///< the soonest that touches more than the SIMD
  Place *place = nullptr;   ///< that of `first`

  void add(Place &one, uint64_t time) {
    second = std::min(second, std::max(first, time));
    if (time < first) {
      first = time;
      place = &one;
    }
    if (!one.isLocal)
      outside = std::min(outside, time);
  }
};

/// Vector ALU and matrix core of a SIMD, each free from a time on, and its
/// resident wavefronts.
struct Simd {
  Place places[param::wavesPerSimd]; ///< by priority, then age
  unsigned count = 0;
  uint64_t busyFrom = 0; ///< since then it has had wavefronts
  uint64_t vectorFree = 0, matrixFree = 0;
  uint64_t workUntil = 0; ///< the later of both so far
  unsigned atBarrier = 0; ///< of its wavefronts
  bool unsorted = false;

  Place &placeOf(const SimWave &wave) {
    unsigned i = 0;
    while (places[i].wave != &wave)
      ++i;
    return places[i];
  }
  void remove(const SimWave &wave) {
    std::copy(&placeOf(wave) + 1, places + count, &placeOf(wave));
    --count;
  }
};

/// Its units are servers: each has the time from which on it is free. LDS ports
/// are two, one for each pair of SIMDs.
struct ComputeUnit {
  /// Of each SIMD: its entry in the queue that counts.
  uint64_t scheduled[param::simdsPerCu] = {never, never, never, never};
  Simd simds[param::simdsPerCu];
  unsigned groups = 0, waves = 0;
  std::vector<SimGroup *> residents; ///< by age
  uint64_t notedAt = 0;              ///< up to then the pace knows of them
  // Servers; that of addresses in fractions of cycles.
  uint64_t ldsIn[2] = {}, ldsOut[2] = {}, ldsArray = 0;
  double addressFree = 0;
  // These two have queues: an instruction may issue from then on.
  uint64_t ldsOpen[2] = {}, addressOpen = 0;
  /// Stores that hold up the address unit, and from when on it knows.
  struct LateStore {
    uint64_t known;
    double until;
  };
  std::vector<LateStore> lateStores;
  /// It may not get further yet: something from there on is not known.
  uint64_t holdFrom = never;
  uint64_t busyFrom = 0; ///< since then it has had workgroups
  bool used = false;
  // When it was visited last:
  uint64_t ranLately = 0;   ///< instructions
  unsigned askedLately = 0; ///< lines of vector memory
};

/// A memory operation of which requests have not been served, or that ends no
/// sooner than such a one.
struct PendingOp {
  static constexpr uint32_t none = ~uint32_t(0);

  SimWave *wave = nullptr;
  InstructionTiming *timing = nullptr;
  uint64_t time = 0; ///< of its issue
  /// As far as it is known when all is there, and when its lines are.
  double known = 0, lines = 0;
  double own = 0; ///< `known` without older operations
  uint32_t firstRequest = 0, endRequest = 0; ///< in Impl::waitedFor
  uint32_t after = none; ///< the one before of the same counter
  uint8_t slot = 0;      ///< in the wavefront's counter
  bool isVector = false, isStore = false;
  uint32_t event = none; ///< of the wavefront's trace
  uint64_t until = 0;    ///< when it has been settled
};

/// Of an instruction. What follows from the number of its executions is added
/// up at the end.
struct Counters {
  uint64_t issues = 0;
  StallCycles stalls = {};
  InstructionTiming timing;
};

/// The compute units of all XCDs of a run, or of one, where they run side by
/// side. Split over Machine.cpp (time, dispatch), Windows.cpp (side by side),
/// Turns.cpp (order), Issue.cpp and MemoryIssue.cpp (issue and units).
struct Machine::Impl {
  /// XCDs from \p firstXcd of the run on, \p xcds of them. \p caches: see
  /// UnitMemory.
  Impl(CodeTable &code, GroupSource &source, MemorySystem &shared,
       const GroupNeeds &needs, const MachineOptions &options, void *caches,
       unsigned firstXcd, unsigned xcds);

  void dispatchAll();
  /// Up to the turns at \p end. False after a fault.
  bool advance(uint64_t end, std::vector<TimingResult> &marks);
  bool isEmpty() const { return groups.empty(); }
  // Side by side, see Windows.cpp.
  void defer();
  bool serviceHeld();
  void settle();
  void absorb(Impl &other);
  void sortTraces();
  uint64_t nextTime() const;
  void hold(SimWave &wave);
  void noteLow(SimGroup &group);
  void holdUnit(ComputeUnit &unit, uint64_t from) {
    if (unit.holdFrom == never)
      heldUnits.push_back(&unit);
    unit.holdFrom = std::min(unit.holdFrom, from);
  }
  /// Adds to the pace what has happened on a compute unit.
  void notePace(ComputeUnit &unit, uint64_t time);
  /// The launch as it would be if it ended at \p time.
  TimingResult sumsAt(uint64_t time) const;
  void mark(uint64_t time);
  void stopAt(uint64_t time);
  /// The workgroup that the XCD starts next; its number may be beyond the grid.
  uint64_t nextOf(unsigned xcd) const {
    return options.firstXcd + firstXcd + xcd + nextGroup[xcd] * param::xcds;
  }
  void dispatch(unsigned xcd, uint64_t time);
  void noteOthersEnd();
  void place(unsigned cu, uint64_t time, uint64_t id);
  bool startPlaced();
  bool visit(unsigned cu, unsigned simd, uint64_t time);
  bool visitUnit(unsigned cu, unsigned simd, uint64_t due);
  bool staysInUnit(const Simd &simd, uint64_t time) const;
  bool advanceUnits(uint64_t end);
  void fetchUnitAhead(unsigned cu, uint64_t end, size_t stage) const;
  /// A compute unit has a turn at \p time.
  void enter(uint64_t time, unsigned cu) {
    if (!isByUnit)
      return events.push(time, cu);
    nextTurn[cu] = std::min(nextTurn[cu], time);
    firstTurn = std::min(firstTurn, time);
  }
  bool runSimd(unsigned cu, unsigned simd, uint64_t time, uint64_t alone,
               uint64_t &next);
  bool runAlone(Simd &simd, unsigned simdNumber, Upcoming &up, uint64_t &next,
                uint64_t end);
  bool issueLocal(Simd &simd, unsigned simdNumber, Place &alone, uint64_t &next,
                  uint64_t until);
  static bool runsAhead(const MachineOptions &options, const CodeTable &code);
  bool turn(unsigned cu, unsigned simd, uint64_t time, Upcoming &up);
  unsigned runPlain(Simd &simd, WaveClock &wave, uint64_t time, uint64_t end);
  void schedule(unsigned cu, unsigned simd, uint64_t time);
  void fetchAhead(unsigned cu, unsigned simd, uint64_t time,
                  unsigned stage) const;
  /// Reads the wavefront's next instruction; false after a fault.
  bool prepare(SimWave &wave);
  bool goOn(SimWave &wave); ///< the same, where it is done most
  bool refill(SimWave &wave, bool &runs);
  void decode(WaveClock &wave, const StaticOp &op, uint32_t index) const;
  void await(SimWave &wave, WaveClock &clock);
  /// Its next instruction comes from the instruction cache, or from L2.
  void fetchLine(SimWave &wave);
  /// When the units that it needs have room.
  static uint64_t unitsFree(IssueKind kind, ComputeUnit &cu, unsigned simd,
                            uint64_t time, StallCause &cause);
  static void noteStore(ComputeUnit &cu, uint64_t time, double done);
  static void noteLateStores(ComputeUnit &cu, uint64_t time);
  static void book(WaveClock &wave, Counters &count, uint64_t time,
                   StallCause blockedBy);
  static void idle(WaveClock &wave, Counters &count, uint64_t time);
  static void setPriority(Simd &simd, SimWave &wave, uint8_t priority);
  uint64_t occupyAlu(WaveClock &wave, Simd &simd, uint64_t time);
  // Units; each returns when its data is there.
  bool issue(const Place &place, unsigned cu, uint64_t time);
  bool issueSpecial(SimWave &wave, Counters &count, uint64_t time);
  uint64_t issueLds(SimWave &wave, ComputeUnit &cu, Counters &count,
                    uint64_t time);
  uint64_t issueVector(SimWave &wave, unsigned cu, Counters &count,
                       uint64_t time);
  uint64_t issueScalar(SimWave &wave, unsigned cu, Counters &count,
                       uint64_t time);
  uint64_t pend(SimWave &wave, Counters &count, PendingOp op, bool isScalar);
  // Barriers and ends; false after a fault of the program.
  bool release(SimGroup &group, uint64_t time);
  bool endWave(SimWave &wave, uint64_t time);
  void sortWaves(Simd &simd);
  void note(SimWave &wave, TraceKind kind, uint64_t begin, uint64_t end,
            StallCause cause = StallCause::Count);
  void noteStall(SimWave &wave, uint64_t time, StallCause blockedBy);
  // What was recorded of the wavefront's instruction, behind its number.
  const uint32_t *payloadOf(const SimWave &wave) const {
    return wave.record->words.data() + wave.record->head + 1;
  }
  uint32_t indexOf(const WaveClock &wave) const {
    return uint32_t(wave.op - &code.at(0));
  }
  Counters &countersOf(const WaveClock &wave) {
    return counters[indexOf(wave)];
  }
  const Counters &countersOf(const WaveClock &wave) const {
    return counters[indexOf(wave)];
  }

  CodeTable &code;
  GroupSource &source;
  GroupNeeds needs;
  MachineOptions options;
  const bool isAhead; ///< runsAhead()
  Occupancy fits;
  unsigned firstXcd;
  MemorySystem &shared;
  UnitMemory memory;
  std::vector<ComputeUnit> cus;
  std::vector<std::unique_ptr<SimGroup>> groups, spare;
  std::vector<SimGroup *> placed;  ///< not started yet
  std::vector<uint64_t> nextGroup; ///< of each XCD, counted in its own
  std::vector<uint64_t> dispatchFree;
  EventWheel events;
  std::vector<Counters> counters;
  /// Executions by runPlain(): how many more begin at an instruction than end
  /// before it.
  std::vector<int64_t> plainRuns;
  TimingResult totals;
  std::deque<WaveTrace> traces;
  std::vector<uint64_t> traceTimes; ///< when they were asked for
  uint64_t dispatchTime = 0;        ///< of the latest dispatch
  std::vector<GroupTime> finished;
  std::vector<TimingResult> *marks = nullptr;
  Pace pace;
  size_t residentWaves = 0;
  size_t othersEnded = 0; ///< see MachineOptions::othersEnd
  bool stopped = false;   ///< by MachineOptions::instructionLimit
  uint64_t instructions = 0, age = 0, lastEnd = 0, lastWaveEnd = 0;

  // Side by side.
  bool defers = false;
  bool isByUnit = false; ///< one compute unit after the other, no queue
  std::vector<uint64_t> nextTurn; ///< of each compute unit, if so
  uint64_t firstTurn = never;     ///< of all, but while turns are being taken
  /// Words of a wavefront up to which its workgroup is run on; 0: it has to ask
  /// itself.
  size_t lowWords = 0;
  uint64_t now = 0;       ///< of the turns that are being taken
  uint64_t windowEnd = 0; ///< nothing that is asked now is there before
  uint64_t limit = never; ///< no turn from here on: one waits for its words
  bool serviced = false;  ///< all has been done to get more words
  std::vector<PendingOp> pending;
  std::vector<uint32_t> waitedFor; ///< requests, by PendingOp
  std::vector<SimWave *> waiting;  ///< for one of them
  std::vector<SimWave *> held;     ///< without words
  std::vector<ComputeUnit *> heldUnits;
  std::vector<SimGroup *> low;                  ///< have few words
  std::vector<std::unique_ptr<SimGroup>> ended; ///< in this window
};

/// Books a wait that has ended at \p time, and takes the issue slot.
[[gnu::always_inline]] inline void Machine::Impl::book(WaveClock &wave,
                                                       Counters &count,
                                                       uint64_t time,
                                                       StallCause blockedBy) {
  ++count.issues;
  ++wave.issued;
  // Of the wait, what the wavefront itself needed; the rest is the units'
  // doing.
  uint64_t own = std::min(wave.earliest, time);
  if (own > wave.next)
    count.stalls[size_t(wave.waitsFor)] += own - wave.next;
  if (time > own)
    count.stalls[size_t(blockedBy)] += time - own;
  wave.fetchAt =
      std::max(wave.fetchAt + fetchTicks(wave.op->sizeBytes),
               int64_t(time) * fetchTick - fetchTicks(param::fetchBufferBytes));
  wave.next = time + param::issuePeriod;
}

[[gnu::always_inline]] inline void
Machine::Impl::idle(WaveClock &wave, Counters &count, uint64_t time) {
  uint64_t cycles = wave.op->idleCycles;
  count.stalls[size_t(StallCause::Nop)] += cycles - param::issuePeriod;
  wave.next = time + cycles;
}

/// The order of this turn stays as it is.
inline void Machine::Impl::setPriority(Simd &simd, SimWave &wave,
                                       uint8_t priority) {
  simd.unsorted |= wave.priority != priority;
  wave.priority = priority;
}

/// The SIMD's vector ALU, or its matrix core; until when.
[[gnu::always_inline]] inline uint64_t
Machine::Impl::occupyAlu(WaveClock &wave, Simd &simd, uint64_t time) {
  const StaticOp &op = *wave.op;
  // Three times: the matrix core's own, when the SIMD may start another vector
  // operation, and when this wavefront may.
  uint64_t until = simd.vectorFree = time + op.vectorCycles;
  if (op.kind == IssueKind::Matrix)
    simd.matrixFree = until = time + op.matrixCycles;
  wave.vectorAt = time + op.waveCycles;
  uint64_t from = std::max(time, simd.workUntil);
  simd.workUntil = std::max(until, from);
  totals.workingSimdCycles += simd.workUntil - from;
  return until;
}

/// The instruction that the wavefront now stands at.
[[gnu::always_inline]] inline void Machine::Impl::decode(WaveClock &wave,
                                                         const StaticOp &op,
                                                         uint32_t index) const {
  wave.op = &op;
  // After a branch another instruction than the next one in memory: the refill.
  if (wave.expected != WaveClock::never32) {
    if (wave.expected != index)
      wave.fetchAt =
          std::max(wave.fetchAt,
                   int64_t(wave.next + param::branchTakenCycles) * fetchTick);
    wave.expected = WaveClock::never32;
  }
  if (op.kind == IssueKind::Branch)
    wave.expected = index + op.sizeBytes / 4;
}

/// When it may issue the instruction it stands at, as \p clock, its own or a
/// copy, has it.
[[gnu::always_inline]] inline void Machine::Impl::await(SimWave &wave,
                                                        WaveClock &clock) {
  const StaticOp &op = *clock.op;
  // The latest of all conditions; the cause kept is the one that ends last.
  uint64_t fetched =
      uint64_t(clock.fetchAt + fetchTicks(op.sizeBytes) + fetchTick - 1) /
      fetchTick;
  clock.earliest = clock.next;
  clock.waitsFor = StallCause::Issue;
  clock.wait(fetched, StallCause::Fetch);
  if (op.category == StaticOp::usesVectorAlu)
    return clock.wait(clock.vectorAt, StallCause::VectorAlu);
  // Of s_waitcnt, and of what a counter has no room for; only operations still
  // in flight matter.
  uint64_t before = clock.earliest;
  bool isScalar = false;
  if (op.waitVector != StaticOp::anyNumber) {
    wave.vector.retire(before);
    clock.wait(wave.vector.downTo(op.waitVector, isScalar),
               StallCause::VectorMemory);
  }
  if (op.waitOther != StaticOp::anyNumber) {
    wave.other.retire(before);
    uint64_t time = wave.other.downTo(op.waitOther, isScalar);
    if (op.payload != Payload::None)
      isScalar = op.payload == Payload::Scalar;
    clock.wait(time, isScalar ? StallCause::ScalarMemory : StallCause::Lds);
  }
  if (clock.earliest >= pendingOps) [[unlikely]] {
    clock.earliest = unknown;
    waiting.push_back(&wave);
  }
}

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_TIMING_MACHINEIMPL_H
