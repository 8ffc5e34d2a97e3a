//===- Control.cpp - Branches, loops, parallel loops and launches ---------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the lanes of a frame disagree about a branch, both sides run, each with
// the mask of its lanes; a loop runs until its last lane has left. Where they
// agree, which is nearly always, the mask stays as it is.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "llvm/Support/raw_ostream.h"

using namespace tlc;
using namespace tlc::reference;

/// `width` lanes for every slot; constants are filled in once, as nothing
/// writes their slots.
Frame::Frame(Machine &m, const Program &program, unsigned width)
    : m(m), program(program), width(width), n(width),
      cells(size_t(program.slots) * width),
      errors(size_t(program.slots) * width) {
  for (const Program::Constant &constant : program.constants)
    std::fill_n(at(constant.slot), width, constant.value);
}

/// The Frame of a Program, kept between runs: a kernel's runs once for each
/// workgroup, a loop's once for each time it is reached. All lanes are active
/// in it.
Frame &Machine::frameOf(const Program &program, unsigned width) {
  std::unique_ptr<Frame> &frame = frames[&program];
  if (!frame || frame->width < width)
    frame = std::make_unique<Frame>(*this, program, width);
  frame->mask = nullptr;
  frame->n = width;
  return *frame;
}

/// The first error counts; everything stops after it.
void Machine::fail(const Inst &inst, const llvm::Twine &message) {
  if (!failed && inst.op)
    inst.op->emitError(message);
  failed = true;
}

/// Each instruction for all lanes; stops at the first failure.
void tlc::reference::run(Frame &frame, const Code &code) {
  for (const Inst &inst : code) {
    inst.fn(frame, inst);
    if (frame.m.failed)
      return;
  }
  frame.m.stats.operations += code.size() * frame.n;
}

/// A parallel assignment in the active lanes. Several go through temporary
/// slots; one cannot overwrite its own source.
void tlc::reference::moveSlots(Frame &f, const std::vector<Move> &moves) {
  auto copy = [&](uint32_t from, uint32_t to) {
    Cell *d = f.at(to), *s = f.at(from);
    double *ed = f.err(to), *es = f.err(from);
    for (unsigned l = 0; l < f.n; ++l)
      if (f.active(l)) {
        d[l] = s[l];
        ed[l] = es[l];
      }
  };
  if (moves.size() == 1)
    return copy(moves[0].from, moves[0].to);
  for (const Move &m : moves)
    copy(m.from, m.temp);
  for (const Move &m : moves)
    copy(m.temp, m.to);
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

namespace {

/// How the active lanes see a condition.
struct Split {
  bool any = false, all = true;
};
Split splitOf(Frame &f, uint32_t condition) {
  Split split;
  const Cell *c = f.at(condition);
  for (unsigned l = 0; l < f.n; ++l)
    if (f.active(l)) {
      split.any |= c[l].i != 0;
      split.all &= c[l].i != 0;
    }
  return split;
}

/// The active lanes where the condition is `value`. A byte for each lane of the
/// frame.
std::vector<uint8_t> maskWhere(Frame &f, uint32_t condition, bool value) {
  std::vector<uint8_t> mask(f.n);
  for (unsigned l = 0; l < f.n; ++l)
    mask[l] = f.active(l) && (f.at(condition)[l].i != 0) == value;
  return mask;
}

/// Counts lanes whose condition the device may see the other way; see "What the
/// bound does not cover" in docs/numerics.md.
void countUncertain(Frame &f, uint32_t condition) {
  if (!f.m.bounds)
    return;
  for (unsigned l = 0; l < f.n; ++l)
    if (f.active(l) && f.err(condition)[l] != 0)
      ++f.m.stats.uncertainBranches;
}

/// Restores the mask at the end of a branch or loop.
struct MaskScope {
  Frame &f;
  const uint8_t *outer;
  explicit MaskScope(Frame &f) : f(f), outer(f.mask) {}
  ~MaskScope() { f.mask = outer; }
};

} // namespace

//===----------------------------------------------------------------------===//
// scf
//===----------------------------------------------------------------------===//

/// Both sides run under masks where lanes disagree, then the mask is as before.
void tlc::reference::execIf(Frame &f, const Inst &inst) {
  auto &data = *static_cast<const IfData *>(inst.extra);
  countUncertain(f, inst.a);
  Split split = splitOf(f, inst.a);
  auto branch = [&](bool taken) {
    run(f, taken ? data.thenCode : data.elseCode);
    moveSlots(f, taken ? data.thenMoves : data.elseMoves);
  };
  // All lanes agree: no mask is needed, and the other side does not run.
  if (split.all || !split.any)
    return branch(split.any);
  MaskScope scope(f);
  for (bool taken : {true, false}) {
    std::vector<uint8_t> mask = maskWhere(f, inst.a, taken);
    f.mask = mask.data();
    branch(taken);
    f.mask = scope.outer;
  }
}

/// Lanes may have bounds of their own; the loop goes on while one is inside.
void tlc::reference::execFor(Frame &f, const Inst &inst) {
  auto &data = *static_cast<const ForData *>(inst.extra);
  const Cell *lower = f.at(inst.a), *upper = f.at(inst.b), *step = f.at(inst.c);
  Cell *iv = f.at(data.iv);
  moveSlots(f, data.inits);
  MaskScope scope(f);
  std::vector<uint8_t> mask(f.n);
  for (unsigned l = 0; l < f.n; ++l)
    iv[l].i = lower[l].i;
  while (!f.m.failed) {
    bool any = false, all = true;
    for (unsigned l = 0; l < f.n; ++l) {
      bool outerActive = !scope.outer || scope.outer[l];
      if (outerActive && step[l].i <= 0)
        return f.m.fail(inst, "the loop's step is not positive");
      mask[l] = outerActive && iv[l].i < upper[l].i;
      any |= mask[l];
      // No lane left early: no mask is needed.
      all &= mask[l] || !outerActive;
    }
    if (!any)
      break;
    f.mask = all ? scope.outer : mask.data();
    run(f, data.body);
    moveSlots(f, data.yields);
    for (unsigned l = 0; l < f.n; ++l)
      if (f.active(l))
        iv[l].i += step[l].i;
  }
  f.mask = scope.outer;
  // Every lane's iteration arguments stopped changing when it left.
  moveSlots(f, data.results);
}

/// `before` runs for all lanes that are still in the loop; those whose
/// condition is false leave with their results.
void tlc::reference::execWhile(Frame &f, const Inst &inst) {
  auto &data = *static_cast<const WhileData *>(inst.extra);
  moveSlots(f, data.inits);
  MaskScope scope(f);
  std::vector<uint8_t> mask(f.n);
  for (unsigned l = 0; l < f.n; ++l)
    mask[l] = f.active(l);
  // A loop without end would hang the tool.
  for (uint64_t turns = 0; !f.m.failed; ++turns) {
    if (turns > uint64_t(1) << 24)
      return f.m.fail(inst, "the loop does not end");
    f.mask = mask.data();
    run(f, data.before);
    if (f.m.failed)
      return;
    countUncertain(f, data.condition);
    // Lanes that leave take what the condition forwards as results.
    std::vector<uint8_t> leaving = maskWhere(f, data.condition, false);
    mask = maskWhere(f, data.condition, true);
    f.mask = leaving.data();
    moveSlots(f, data.results);
    f.mask = mask.data();
    if (f.firstActive() < 0)
      return;
    moveSlots(f, data.forwards);
    run(f, data.after);
    moveSlots(f, data.yields);
  }
}

//===----------------------------------------------------------------------===//
// tile.parallel, tile.kernel
//===----------------------------------------------------------------------===//

/// The lane whose values stand for all in a nested program.
static unsigned leader(Frame &f) { return std::max(f.firstActive(), 0); }

/// Copies values of the outer Program in, the same for all lanes. Compiler.cpp
/// has refused what differs between them.
static void capture(Frame &from, Frame &to) {
  unsigned lane = leader(from);
  for (const Program::Capture &c : to.program.captures) {
    std::fill_n(to.at(c.inner), to.n, from.at(c.outer)[lane]);
    std::fill_n(to.err(c.inner), to.n, from.err(c.outer)[lane]);
  }
}

/// Splits a point's number into its coordinates.
static void setPoint(Frame &f, llvm::ArrayRef<uint32_t> ivs,
                     llvm::ArrayRef<int64_t> extents, unsigned lane,
                     int64_t point) {
  // The last dimension is the fastest.
  for (size_t d = extents.size(); d-- > 0;) {
    f.at(ivs[d])[lane].i = point % extents[d];
    point /= extents[d];
  }
}

namespace {
/// Gives each lane of a parallel body its own copy of the local buffers that it
/// writes, and keeps the last point's afterwards: what a loop in order would
/// leave. Copies lie one behind another in the buffer's storage, with the
/// contents from before the loop at the end, from which every batch starts:
///   storage:  lane 0 | lane 1 | ... | lane 255 | before
struct PrivateCopies {
  llvm::ArrayRef<Buffer *> buffers;
  struct Saved {
    bool perLane;
    int64_t stride;
  };
  std::vector<Saved> saved;

  PrivateCopies(llvm::ArrayRef<Buffer *> buffers, unsigned width)
      : buffers(buffers) {
    for (Buffer *b : buffers) {
      saved.push_back({b->perLane, b->copyStride});
      size_t size = b->elements();
      b->perLane = true;
      b->copyStride = size;
      Storage &s = *b->storage;
      s.cells.resize(size * (width + 1));
      if (!s.errors.empty())
        s.errors.resize(size * (width + 1));
      // The last copy keeps the contents before the loop.
      std::copy_n(s.cells.begin(), size, s.cells.begin() + size * width);
      if (!s.errors.empty())
        std::copy_n(s.errors.begin(), size, s.errors.begin() + size * width);
    }
  }
  /// Copy `width` is the one from before the loop.
  void fillBatch(unsigned lanes, unsigned width) { spread(width, 0, lanes); }
  void keep(unsigned lane) { spread(lane, 0, 1); }
  void restore() {
    for (auto [b, s] : llvm::zip(buffers, saved)) {
      b->perLane = s.perLane;
      b->copyStride = s.stride;
    }
  }

private:
  void spread(unsigned from, unsigned first, unsigned count) {
    for (Buffer *b : buffers) {
      size_t size = b->copyStride;
      Storage &s = *b->storage;
      for (unsigned l = first; l < first + count; ++l) {
        if (l == from)
          continue;
        std::copy_n(s.cells.begin() + from * size, size,
                    s.cells.begin() + l * size);
        if (!s.errors.empty())
          std::copy_n(s.errors.begin() + from * size, size,
                      s.errors.begin() + l * size);
      }
    }
  }
};
} // namespace

/// All points of a tile.parallel, in batches of lanes. Values of the outer
/// Program are the same for all points.
void tlc::reference::execParallel(Frame &f, const Inst &inst) {
  auto &data = *static_cast<const ParallelData *>(inst.extra);
  int64_t points = 1;
  for (int64_t extent : data.extents)
    points *= extent;
  // The lanes are threads, each with some of the points.
  if (data.perThread) {
    int64_t each = (points + f.n - 1) / f.n;
    MaskScope scope(f);
    std::vector<uint8_t> mask(f.n);
    for (int64_t k = 0; k < each && !f.m.failed; ++k) {
      for (unsigned l = 0; l < f.n; ++l) {
        int64_t p = l * each + k;
        mask[l] = (!scope.outer || scope.outer[l]) && p < points;
        setPoint(f, data.ivs, data.extents, l, std::min(p, points - 1));
      }
      f.mask = mask.data();
      run(f, data.body);
    }
    f.mask = scope.outer;
    return;
  }
  // Wide enough to spread the cost of dispatch, small enough for a cache.
  constexpr unsigned batch = 256;
  Frame &inner = f.m.frameOf(data.program, batch);
  capture(f, inner);
  PrivateCopies copies(data.program.privates, batch);
  unsigned last = 0;
  for (int64_t first = 0; first < points && !f.m.failed; first += batch) {
    inner.n = unsigned(std::min<int64_t>(batch, points - first));
    copies.fillBatch(inner.n, batch);
    for (unsigned l = 0; l < inner.n; ++l)
      setPoint(inner, data.program.arguments, data.extents, l, first + l);
    run(inner, data.program.body);
    last = inner.n - 1;
  }
  copies.keep(last);
  copies.restore();
}

/// One workgroup after another, x fastest.
void tlc::reference::execKernel(Frame &f, const Inst &inst) {
  auto &data = *static_cast<const KernelData *>(inst.extra);
  int64_t grid[3] = {1, 1, 1};
  for (size_t d = 0; d < data.grid.size(); ++d)
    grid[d] = f.at(data.grid[d])[0].i;
  Frame &inner = f.m.frameOf(data.program, data.lanes);
  capture(f, inner);
  f.m.lazyMaximum = data.lazyMaximum;
  for (int64_t z = 0; z < grid[2]; ++z)
    for (int64_t y = 0; y < grid[1]; ++y)
      for (int64_t x = 0; x < grid[0]; ++x) {
        int64_t index[3] = {x, y, z};
        for (size_t d = 0; d < data.grid.size(); ++d)
          std::fill_n(inner.at(data.program.arguments[d]), inner.n,
                      Cell{.i = index[d]});
        inner.mask = nullptr;
        run(inner, data.program.body);
        if (f.m.failed)
          return;
      }
}

/// A thread's index in one dimension of the workgroup, x fastest.
void tlc::reference::execThreadId(Frame &f, const Inst &inst) {
  // imm: extent of the dimension; b: product of the faster ones.
  for (unsigned l = 0; l < f.n; ++l)
    f.at(inst.dst)[l].i = (l / inst.b) % inst.imm;
}

/// Wavefronts have 64 lanes; the last one may lack some.
static constexpr unsigned kLanes = 64;

/// Reading a lane that is not active is undefined on the device: an error.
void tlc::reference::execShuffle(Frame &f, const Inst &inst) {
  for (unsigned l = 0; l < f.n; ++l) {
    if (!f.active(l))
      continue;
    unsigned from = l / kLanes * kLanes + (f.at(inst.b)[l].i & (kLanes - 1));
    if (from >= f.n || !f.active(from))
      return f.m.fail(inst, "thread " + llvm::Twine(l) + " reads thread " +
                                llvm::Twine(from) +
                                ", which does not run here");
    f.at(inst.dst)[l] = f.at(inst.a)[from];
    f.err(inst.dst)[l] = f.err(inst.a)[from];
  }
}

/// All lanes of a wavefront get the same bits, one for each active lane whose
/// condition holds.
void tlc::reference::execBallot(Frame &f, const Inst &inst) {
  for (unsigned first = 0; first < f.n; first += kLanes) {
    unsigned end = std::min(first + kLanes, f.n);
    uint64_t bits = 0;
    for (unsigned l = first; l < end; ++l)
      if (f.active(l) && f.at(inst.a)[l].i)
        bits |= uint64_t(1) << (l - first);
    for (unsigned l = first; l < end; ++l)
      f.at(inst.dst)[l].i = int64_t(bits);
  }
}

/// Once for the first active lane, not for each thread.
void tlc::reference::execPrint(Frame &f, const Inst &inst) {
  auto &data = *static_cast<const PrintData *>(inst.extra);
  int lane = f.firstActive();
  if (!f.m.options.print || lane < 0)
    return;
  llvm::errs() << data.message;
  for (auto [slot, type] : data.values) {
    llvm::errs() << ' ';
    if (type.isFloat())
      llvm::errs() << f.at(slot)[lane].f;
    else
      llvm::errs() << f.at(slot)[lane].i;
  }
  llvm::errs() << '\n';
}

/// The first active lane that fails ends the run.
void tlc::reference::execAssert(Frame &f, const Inst &inst) {
  for (unsigned l = 0; l < f.n; ++l)
    if (f.active(l) && !f.at(inst.a)[l].i)
      return f.m.fail(inst,
                      "assertion failed: " +
                          static_cast<const PrintData *>(inst.extra)->message);
}
