//===- FitRegisters.cpp - Fragments a lane can hold -------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel whose fragments need more registers than a lane has would keep the
// rest in scratch memory, a hundred times slower, and take minutes to compile.
// This pass refuses it, where its fragments stand:
//
// 1. A fragment of layout L takes registers(L) x bits / 32 of a lane's
//    registers while it is alive (Liveness.h: a fragment that an iteration
//    overwrites first is dead between iterations).
// 2. The most that is alive between two ops is what the kernel needs at least.
// 3. A SIMD has 512 registers a lane, shared by the wavefronts of the workgroup
//    that sit on it: threads / 64 over 4 SIMDs. Sixteen are left for the
//    operands and the addresses of one instruction.
//
// The count is a lower bound, so what is refused could never have fitted.
//
// Arrays that a thread has for itself (T.alloc_local) are registers as well,
// one for an element. Their elements may be dead when the array is not, so they
// are refused from twice the registers on: the rest of them would be spilled,
// which takes minutes to compile.
//
//   tile.kernel ... threads[64] {                          // one wavefront
//     %acc = tile.alloc {layout = ..} : memref<256x256xf32, fragment>
// gives
//   error: the fragments need 1024 registers a lane, but a workgroup of 64
//   threads has 496 for them [TL0604]
//   note: 'acc' (256x256xf32) takes 1024 registers
//   note: spread over 256 threads they would need 256 of 496 registers
//
//===----------------------------------------------------------------------===//

#include "Liveness.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

namespace tlc::tile {
#define GEN_PASS_DEF_TILEFITREGISTERS
#include "tlc/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tlc::tile

constexpr int64_t kWaveSize = 64, kSimds = 4, kRegistersOfSimd = 512,
                  kWorking = 16, kMaxThreads = 1024;

/// Registers of a lane for fragments when `threads` share the SIMDs of a
/// compute unit.
static int64_t registersFor(int64_t threads) {
  int64_t waves =
      llvm::divideCeil(llvm::divideCeil(threads, kWaveSize), kSimds);
  return kRegistersOfSimd / waves - kWorking;
}

static int64_t registersOf(AllocOp alloc) {
  auto layout = alloc.getLayoutAttr();
  if (!layout)
    return 0; // no code uses it as a tile
  auto type = cast<MemRefType>(alloc.getType());
  int64_t bits = getElementBytes(type) * 8;
  return llvm::divideCeil(layout.getLayout().numRegisters() * bits, 32);
}

/// The fragments alive between two ops where they take most registers.
static SmallVector<LiveBuffer> atPeak(ArrayRef<LiveBuffer> fragments,
                                      int64_t &peak) {
  SmallVector<LiveBuffer> most;
  peak = 0;
  for (const LiveBuffer &at : fragments) {
    SmallVector<LiveBuffer> alive;
    int64_t sum = 0;
    for (const LiveBuffer &f : fragments)
      if (f.first <= at.first && at.first < f.last) {
        alive.push_back(f);
        sum += f.bytes;
      }
    if (sum > peak) {
      peak = sum;
      most = alive;
    }
  }
  return most;
}

/// "'acc' (256x256xf32) takes 1024 registers", for each.
static void listBuffers(InFlightDiagnostic &diag, ArrayRef<LiveBuffer> alive) {
  for (const LiveBuffer &f : alive) {
    auto type = cast<MemRefType>(f.alloc.getType());
    Diagnostic &note = diag.attachNote(f.alloc.getLoc());
    std::string text;
    llvm::raw_string_ostream shape(text);
    llvm::interleave(type.getShape(), shape, "x");
    shape << 'x' << type.getElementType();
    note << '\'' << f.alloc.getName().value_or("(unnamed)") << "' (" << text
         << ") takes " << f.bytes << " registers";
  }
}

static int64_t elementsOf(AllocOp alloc) {
  auto type = cast<MemRefType>(alloc.getType());
  return type.getNumElements() *
         llvm::divideCeil(getElementBytes(type) * 8, 32);
}

static LogicalResult fitLocal(KernelOp kernel) {
  auto arrays = getLiveBuffersOf(kernel, Space::Local, /*reuseInLoops=*/true,
                                 elementsOf, [](AllocOp) { return false; });
  int64_t needed = 0, threads = kernel.getNumThreads();
  SmallVector<LiveBuffer> alive = atPeak(arrays, needed);
  if (needed <= 2 * (registersFor(threads) + kWorking))
    return success();
  InFlightDiagnostic diag =
      kernel.emitError() << "the arrays that each thread has for itself need "
                         << needed << " registers, but a thread of " << threads
                         << " has " << registersFor(threads) << ' '
                         << kRegisterLimitTag;
  listBuffers(diag, alive);
  diag.attachNote() << "use smaller arrays, or T.alloc_shared";
  return diag;
}

static LogicalResult fit(KernelOp kernel) {
  auto fragments =
      getLiveBuffersOf(kernel, Space::Fragment, /*reuseInLoops=*/true,
                       registersOf, [](AllocOp) { return false; });
  int64_t needed = 0, threads = kernel.getNumThreads();
  SmallVector<LiveBuffer> alive = atPeak(fragments, needed);
  if (needed <= registersFor(threads))
    return fitLocal(kernel);
  InFlightDiagnostic diag =
      kernel.emitError() << "the fragments need " << needed
                         << " registers a lane, but a workgroup of " << threads
                         << " threads has " << registersFor(threads)
                         << " for them " << kRegisterLimitTag;
  listBuffers(diag, alive);
  for (int64_t more = threads * 2; more <= kMaxThreads; more *= 2)
    if (int64_t least = llvm::divideCeil(needed * threads, more);
        least <= registersFor(more)) {
      diag.attachNote() << "spread over " << more << " threads they would need "
                        << least << " of " << registersFor(more)
                        << " registers";
      return diag;
    }
  diag.attachNote() << "no number of threads suffices: use smaller tiles";
  return diag;
}

namespace {
struct FitRegisters : tlc::tile::impl::TileFitRegistersBase<FitRegisters> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getBody().getOps<KernelOp>())
      if (failed(fit(kernel)))
        return signalPassFailure();
  }
};
} // namespace
