//===- GroupState.cpp - A workgroup in flight -----------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Wavefronts take turns in an order drawn from the seed. A turn lasts until the
// wavefront reaches a barrier, sleeps, needs its turn at global memory, or has
// used up its budget. When no wavefront can go on, the workgroup stops.
//
//===----------------------------------------------------------------------===//

#include "GroupState.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

using namespace tlc::sim;

namespace {

/// Long enough for any straight work, short enough that a loop that waits for
/// another wavefront does not hold it up.
constexpr int64_t turnBudget = 1 << 20;
/// The same where what is executed is kept until it has been replayed.
constexpr int64_t recordedBudget = 1 << 12;
/// How often a workgroup may find all its wavefronts asleep, or out of budget,
/// before others run.
constexpr unsigned sleepRounds = 2, busyRounds = 64;

/// What a lane gets beyond the fixed size where the depth of calls is unknown.
constexpr unsigned dynamicStackBytes = 8192;

/// Cache lines: registers are read by vector instructions of the host.
template <typename T> T *allocateAligned(size_t count) {
  size_t bytes = (count * sizeof(T) + 63) / 64 * 64;
  void *memory = std::aligned_alloc(64, std::max<size_t>(bytes, 64));
  return static_cast<T *>(memory);
}

/// MurmurHash3's finaliser: every bit of the result depends on every bit of v.
uint64_t mix(uint64_t v) {
  v ^= v >> 33;
  v *= 0xff51afd7ed558ccd;
  v ^= v >> 33;
  v *= 0xc4ceb9fe1a85ec53;
  return v ^ v >> 33;
}

} // namespace

/// Sizes everything for the largest workgroup of the launch; begin() uses what
/// a smaller one at the grid's edge needs.
GroupState::GroupState(LaunchContext &context) : context(context) {
  const LaunchRequest &request = context.request;
  const KernelDescriptor &d = request.kernel->descriptor;
  uint64_t items =
      uint64_t(request.block[0]) * request.block[1] * request.block[2];
  maxWaves = static_cast<unsigned>((items + waveLanes - 1) / waveLanes);
  vgprCount = d.vgprCount();
  privateBytes = (d.privateSegmentFixedSize + 3) / 4 * 4;
  if (d.usesDynamicStack())
    privateBytes += dynamicStackBytes;
  workgroup.ldsBytes = d.groupSegmentFixedSize + request.dynamicLds;
  waves = allocateAligned<Wave>(maxWaves);
  for (unsigned i = 0; i < maxWaves; ++i)
    new (&waves[i]) Wave();
  vgprs = allocateAligned<uint32_t>(size_t(maxWaves) * vgprCount * waveLanes);
  lds = allocateAligned<uint8_t>(workgroup.ldsBytes);
  scratch = allocateAligned<uint32_t>(size_t(maxWaves) * privateBytes / 4 *
                                      waveLanes);
  workgroup.lds = lds;
  workgroup.waves = waves;
  workgroup.memory = &context.memory;
  workgroup.program = &context.program;
  workgroup.sync = &context.sync;
}

GroupState::~GroupState() {
  std::free(waves);
  std::free(vgprs);
  std::free(lds);
  std::free(scratch);
}

void GroupState::begin(uint64_t linearId) {
  record = nullptr;
  lanes = nullptr;
  watch = nullptr;
  const LaunchRequest &request = context.request;
  workgroup.linearId = linearId;
  workgroupId(request, linearId, workgroup.id);
  workgroup.fault = Fault();
  workgroup.faultOp = nullptr;
  workgroup.faultWave = nullptr;
  workgroup.waveCount = wavesOf(request, linearId);
  // The contents of registers and LDS are undefined at the begin; zeros make
  // runs repeat exactly.
  std::memset(vgprs, 0,
              size_t(workgroup.waveCount) * vgprCount * waveLanes * 4);
  std::memset(lds, 0, workgroup.ldsBytes);
  std::memset(scratch, 0,
              size_t(workgroup.waveCount) * privateBytes * waveLanes);
  for (unsigned i = 0; i < workgroup.waveCount; ++i) {
    Wave &wave = waves[i];
    // Memory stays the same; only the wavefront's state is made anew.
    new (&wave) Wave();
    wave.number = i;
    wave.group = &workgroup;
    wave.vgpr = vgprs + size_t(i) * vgprCount * waveLanes;
    wave.vgprCount = vgprCount;
    wave.privateMemory = scratch + size_t(i) * privateBytes / 4 * waveLanes;
    wave.privateBytes = privateBytes;
    wave.pc = context.entry;
    context.arguments.initialise(wave, request);
  }
  scheduleOrder();
  if (context.checker) {
    if (!checker)
      checker = std::make_unique<GroupChecker>(*context.checker);
    checker->begin(workgroup);
  }
}

/// A Fisher-Yates shuffle by the seed; seed 0 keeps the order of wavefronts.
void GroupState::scheduleOrder() {
  order.resize(workgroup.waveCount);
  for (unsigned i = 0; i < workgroup.waveCount; ++i)
    order[i] = i;
  uint64_t seed = context.options.scheduleSeed;
  if (seed == 0)
    return;
  for (unsigned i = workgroup.waveCount; i > 1; --i) {
    seed = mix(seed + workgroup.linearId + i);
    std::swap(order[i - 1], order[seed % i]);
  }
}

/// One turn. Which loop runs it depends on who watches: nobody (all
/// instructions inside the handlers' own loop), a recorder, the checkers, or
/// statistics, which need each instruction by itself.
void GroupState::runWave(Wave &wave) {
  uint64_t limit = context.options.instructionLimit;
  uint64_t before = wave.executed;
  bool isKept = record || watch;
  int64_t budget = isKept ? recordedBudget : turnBudget;
  if (context.options.turnInstructions && !isKept)
    budget = context.options.turnInstructions;
  // The limit is for the launch; every thread takes what is left at the moment.
  if (limit) {
    uint64_t used = context.executed.load(std::memory_order_relaxed);
    budget = std::min<uint64_t>(budget, limit > used ? limit - used : 1);
  }
  if (record && !checker && !context.options.statistics) {
    recordedTurn(wave, budget);
  } else if (watch && !checker && !context.options.statistics) {
    watchedTurn(wave, budget);
  } else if (checker && !isKept && !context.options.statistics) {
    checkedTurn(wave, budget);
  } else if (observed()) {
    observedTurn(wave, budget);
  } else {
    wave.budget = budget;
    context.handlers.turn(wave);
  }
  // With the turn's own instructions included.
  uint64_t used = context.executed.fetch_add(wave.executed - before) +
                  wave.executed - before;
  if (limit && used >= limit && wave.status != WaveStatus::Done &&
      wave.status != WaveStatus::Faulted) {
    Fault fault;
    fault.kind = "instruction-limit";
    raise(wave, *wave.pc, fault);
  }
}

/// One instruction with all observers. An instruction that waits for its turn
/// at global memory comes here twice: counted the first time, performed the
/// second.
void GroupState::observedStep(Wave &wave) {
  // Follow links between runs, which are no instructions.
  while (wave.pc->inst->op == Opcode::Invalid && wave.pc->target)
    wave.pc = wave.pc->target;
  const Op &op = *wave.pc;
  if (op.inst->op == Opcode::Invalid) { // raises a fault
    context.handlers.step(wave);
    return;
  }
  // Counted before: a store may overwrite the address it was made with.
  bool again = wave.globalTurn;
  if (checker)
    checker->before(wave, op);
  if (context.options.statistics && !again)
    counts.count(wave, op);
  if (record && !again) {
    recordInstruction(*code, wave, op, *record);
    if (lanes)
      lanes->note(*code, &op, 1, wave.exec());
  }
  if (watch && !again)
    watch->note(code->get(op), wave, op);
  context.handlers.step(wave);
  if (checker)
    checker->after(wave, op,
                   wave.status != WaveStatus::Global || wave.pc != &op);
}

/// A turn whose straight pieces run at full speed: behind each,
/// `keep(first, count)` gets what was executed. Of an instruction before a
/// piece `keepFirst(op)` may take what only it knows, before it runs; false: it
/// runs by itself. Ends early once `isEnough()`.
template <typename F, typename G, typename H>
void GroupState::keptTurn(Wave &wave, int64_t budget, F keepFirst, G keep,
                          H isEnough) {
  do {
    const Op *op = wave.pc;
    bool isCode = op->inst->op != Opcode::Invalid;
    int64_t kept = isCode && keepFirst(*op);
    const Op &piece = op[kept];
    int64_t straight = 0;
    if (isCode && piece.inst->op != Opcode::Invalid)
      straight =
          std::min<int64_t>(budget - kept, lanes ? code->sameLanesFrom(piece)
                                                 : code->straightFrom(piece));
    if (kept + straight < 2) {
      if (kept)
        context.handlers.step(wave);
      else
        observedStep(wave);
      --budget;
      continue;
    }
    wave.budget = kept + straight;
    context.handlers.turn(wave);
    // A change of mode ends a turn early.
    int64_t executed = kept + straight - wave.unused;
    if (executed > kept)
      keep(&piece, size_t(executed - kept));
    budget -= executed;
  } while (budget > 0 && wave.status == WaveStatus::Ready && !isEnough());
  wave.unused = budget;
}

/// A turn of which only a record is kept: the words of straight code are what
/// recording each instruction would have given.
void GroupState::recordedTurn(Wave &wave, int64_t budget) {
  WordList &words = record->waves[wave.number].words;
  size_t start = words.size();
  keptTurn(
      wave, budget,
      [&](const Op &op) {
        if (code->get(op).payload == Payload::None)
          return false;
        recordInstruction(*code, wave, op, *record);
        if (lanes)
          lanes->note(*code, &op, 1, wave.exec());
        return true;
      },
      [&](const Op *first, size_t count) {
        // EXEC has been this since behind the first, which is scalar if it has
        // changed it.
        if (lanes)
          lanes->note(*code, first, count, wave.exec());
        uint32_t *word = words.append(count);
        for (size_t i = 0; i < count; ++i)
          word[i] = code->indexOf(first[i]);
      },
      [&] { return words.size() - start >= recordTurn; });
}

/// The same where only lines are looked at.
void GroupState::watchedTurn(Wave &wave, int64_t budget) {
  keptTurn(
      wave, budget, [](const Op &) { return false; },
      [&](const Op *, size_t count) { watch->noteStraight(count); },
      [&] { return watch->isEnough(wave.number); });
}

/// A turn that the checkers watch: they look at straight pieces as a whole.
void GroupState::checkedTurn(Wave &wave, int64_t budget) {
  wave.status = WaveStatus::Ready;
  do {
    unsigned count = checker->straight(wave, budget);
    if (!count) {
      observedStep(wave);
      --budget;
      continue;
    }
    wave.budget = count;
    context.handlers.turn(wave);
    budget -= count - wave.unused;
  } while (budget > 0 && wave.status == WaveStatus::Ready);
  wave.unused = budget;
}

/// A turn, one instruction at a time.
void GroupState::observedTurn(Wave &wave, int64_t budget) {
  do
    observedStep(wave);
  while (--budget > 0 && wave.status == WaveStatus::Ready);
  wave.unused = budget;
}

/// s_barrier lets go once every wavefront that has not ended is there.
bool GroupState::releaseBarrier() {
  bool any = false;
  for (unsigned i = 0; i < workgroup.waveCount; ++i) {
    WaveStatus status = waves[i].status;
    if (status == WaveStatus::Done)
      continue;
    if (status != WaveStatus::Barrier)
      return false;
    any = true;
  }
  if (any && checker)
    checker->barrierReleased();
  for (unsigned i = 0; i < workgroup.waveCount; ++i)
    if (waves[i].status == WaveStatus::Barrier)
      waves[i].status = WaveStatus::Ready;
  return any;
}

/// From the next turn on, what is executed is recorded into \p target, until
/// more than \p words are waiting there. \p goOn keeps what is in it.
void GroupState::recordTo(CodeTable &table, GroupRecord &target, size_t words,
                          size_t turnWords, bool goOn) {
  code = &table;
  record = &target;
  recordWords = words;
  recordTurn = turnWords;
  if (!goOn)
    target.begin(workgroup.linearId, workgroup.waveCount);
}

void GroupState::watchBy(CodeTable &table, LineWatch &target) {
  code = &table;
  watch = &target;
}

bool GroupState::recordedEnough() const {
  if (watch && watch->isFull())
    return true;
  if (watch)
    return std::all_of(waves, waves + workgroup.waveCount, [&](Wave &wave) {
      return wave.status == WaveStatus::Done || watch->isEnough(wave.number);
    });
  if (!record)
    return false;
  return record->wordsLeft() > recordWords;
}

/// Rounds over the wavefronts. Ends when all are done, when one faults, when
/// the record is full, or when nobody can go on without other workgroups: no
/// wavefront is ready, or for some rounds they only slept or used up their
/// budgets in what may be waiting loops.
GroupStatus GroupState::run() {
  unsigned asleep = 0, busy = 0;
  for (;;) {
    bool ran = false, progressed = false, anyBusy = false;
    for (unsigned i : order) {
      Wave &wave = waves[i];
      if (wave.status != WaveStatus::Ready &&
          // Waiting at a barrier, for a turn, or done.
          wave.status != WaveStatus::Yielded)
        continue;
      runWave(wave);
      ran = true;
      // Asleep, or at the end of its budget, a wavefront may be waiting for
      // another.
      bool isBusy = wave.status == WaveStatus::Ready && wave.unused == 0;
      anyBusy |= isBusy;
      progressed |= wave.status != WaveStatus::Yielded && !isBusy;
      if (wave.status == WaveStatus::Faulted)
        return GroupStatus::Faulted;
    }
    if (releaseBarrier()) {
      if (recordedEnough())
        return GroupStatus::Paused;
      continue;
    }
    // Nobody could go on: all done, or they wait for the turn.
    if (!ran) {
      bool done = true;
      for (unsigned i = 0; i < workgroup.waveCount; ++i)
        done &= waves[i].status == WaveStatus::Done;
      if (!done)
        return GroupStatus::Waiting;
      flops = 0;
      for (unsigned i = 0; i < workgroup.waveCount; ++i)
        flops += waves[i].matrixFlops;
      return GroupStatus::Done;
    }
    if (recordedEnough())
      return GroupStatus::Paused;
    // A waiting loop shows as sleeping or as using up its budget. Both are
    // given a few rounds, in which other wavefronts of the workgroup may end
    // the wait.
    asleep = progressed || anyBusy ? 0 : asleep + 1;
    busy = progressed ? 0 : busy + anyBusy;
    if (asleep >= sleepRounds || busy >= busyRounds)
      return GroupStatus::Waiting;
  }
}

/// The first wavefront alone for so many instructions, with the others taken as
/// ended. Null after a fault.
const Wave *GroupState::runFirst(uint64_t linearId, uint64_t instructions) {
  begin(linearId);
  for (unsigned i = 1; i < workgroup.waveCount; ++i)
    waves[i].status = WaveStatus::Done;
  Wave &wave = waves[0];
  // Each round executes something or performs a global operation; the bound
  // keeps a wavefront that does neither from hanging the model.
  for (unsigned turns = 0; turns < instructions; ++turns) {
    if (wave.executed >= instructions || wave.status == WaveStatus::Done)
      return &wave;
    if (wave.status == WaveStatus::Faulted)
      break;
    if (wave.status == WaveStatus::Global) {
      globalTurn();
      continue;
    }
    wave.status = WaveStatus::Ready; // barriers have nobody to wait for
    wave.budget = int64_t(instructions - wave.executed);
    context.handlers.turn(wave);
  }
  return nullptr;
}

/// Each waiting wavefront runs the one instruction it waits at, in the
/// workgroup's order. The caller holds the launch still meanwhile.
void GroupState::globalTurn() {
  for (unsigned i : order) {
    Wave &wave = waves[i];
    if (wave.status != WaveStatus::Global)
      continue;
    wave.globalTurn = true;
    if (observed())
      observedStep(wave);
    else
      context.handlers.step(wave);
    wave.globalTurn = false;
    if (wave.status == WaveStatus::Faulted)
      return;
  }
}

/// Whether all wavefronts that have not ended wait at the grid barrier or for
/// one that does.
bool GroupState::waitsForSync() const {
  bool any = false;
  for (unsigned i = 0; i < workgroup.waveCount; ++i) {
    const Wave &wave = waves[i];
    bool waits = wave.status == WaveStatus::Global && wave.syncWaiting;
    if (!waits && wave.status != WaveStatus::Barrier &&
        wave.status != WaveStatus::Done)
      return false;
    any |= waits;
  }
  return any;
}

/// Raises the fault at the first waiting wavefront.
void GroupState::deadlock() {
  for (unsigned i = 0; i < workgroup.waveCount; ++i)
    if (waves[i].syncWaiting) {
      Fault fault;
      fault.kind = "deadlock";
      fault.detail = "every wavefront of the grid waits here, or has ended";
      return raise(waves[i], *waves[i].pc, fault);
    }
}
