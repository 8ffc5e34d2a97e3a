//===- WaveMachine.h - Program and state of the wave interpreter ----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel becomes one flat list of instructions; branches and loops are jumps
// in it, so that a wavefront can stop at a barrier anywhere and go on later.
// Instructions are those of Machine.h, over the 64 lanes of a WaveFrame. An SSA
// value is a list of slots, one for each element: taking vectors apart and
// putting them together costs nothing when the kernel runs.
//
// An address in global memory is a number: the argument it points into, counted
// from 1, in the upper 16 bits, and a byte offset below.
//
//   scf.if %c { then } else { else }
//     0: IfBegin %c -> 4     masks to %c's lanes; jumps if there are none
//     1 ... 3: then
//     4: IfElse %c -> 8      the other lanes; jumps if there are none
//     5 ... 7: else
//     8: Pop                 the mask from before
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_REFERENCE_WAVEMACHINE_H
#define TLC_LIB_REFERENCE_WAVEMACHINE_H

#include "Machine.h"
#include "tlc/Dialect/Wave/IR/WaveDialect.h"
#include <array>

namespace tlc::reference {

constexpr unsigned kLanes = 64;
constexpr unsigned kAddressShift = 48;

/// What the wavefronts of a workgroup share.
struct Workgroup {
  std::vector<uint8_t> lds;
  std::vector<std::vector<uint8_t> *> memory; ///< by argument; null: a scalar
  int64_t blockId[3] = {0, 0, 0};
};

/// A wavefront: its registers, mask and program counter.
struct WaveFrame : Frame {
  Workgroup &group;
  unsigned index; ///< of the wavefront in its workgroup
  size_t pc = 0;
  bool atBarrier = false;

  using Mask = std::array<uint8_t, kLanes>;
  Mask current;
  /// Masks of the branches and loops around this point, and the turns that the
  /// while loops among them have made.
  struct Level {
    Mask outer;
    uint64_t turns = 0;
  };
  std::vector<Level> levels;

  WaveFrame(Machine &m, const Program &program, Workgroup &group,
            unsigned index)
      : Frame(m, program, kLanes), group(group), index(index) {
    restart();
  }
  /// Ready for the next workgroup; registers keep what they held.
  void restart() {
    pc = 0;
    atBarrier = false;
    levels.clear();
    current.fill(1);
    mask = nullptr;
  }
  /// Enters a branch or loop: remembers the mask.
  void push() { levels.push_back({current}); }
  /// Makes `next` the mask; false if it has no lane.
  bool set(const Mask &next);
  void pop() {
    set(levels.back().outer);
    levels.pop_back();
  }
};

inline WaveFrame &waveOf(Frame &f) { return static_cast<WaveFrame &>(f); }

/// The slots of an SSA value, one for each element.
using Slots = llvm::SmallVector<uint32_t, 4>;

/// Data of instructions on more than three slots.
struct WaveData {
  Slots a, b, c, dst;
  Scalar aType, bType, type;
  int64_t m = 0, n = 0, k = 0;  ///< of a matrix instruction
  int64_t bytes = 0, align = 1; ///< moved by each lane
  wave::AtomicKind kind = wave::AtomicKind::Add;
  std::vector<Move> moves;
};

/// What an instruction of each op does; see WaveOps.cpp and WaveControl.cpp for
/// the fields of Inst they read.
void waveIfBegin(Frame &, const Inst &);
void waveIfElse(Frame &, const Inst &);
void wavePop(Frame &, const Inst &);
void waveJump(Frame &, const Inst &);
void waveMove(Frame &, const Inst &);
void waveForBegin(Frame &, const Inst &);
void waveForTest(Frame &, const Inst &);
void waveForNext(Frame &, const Inst &);
void waveWhileBegin(Frame &, const Inst &);
void waveWhileTest(Frame &, const Inst &);
void waveBarrier(Frame &, const Inst &);
void waveTrap(Frame &, const Inst &);

void waveIndex(Frame &, const Inst &);
void waveBlockId(Frame &, const Inst &);
void waveUniform(Frame &, const Inst &);
void waveAny(Frame &, const Inst &);
void waveBallot(Frame &, const Inst &);
void wavePerm(Frame &, const Inst &);
void waveDot2(Frame &, const Inst &);
void waveShuffle(Frame &, const Inst &);
void waveMfma(Frame &, const Inst &);
void waveBitcast(Frame &, const Inst &);

void waveBufferLoad(Frame &, const Inst &);
void waveBufferStore(Frame &, const Inst &);
void waveGlobalLoad(Frame &, const Inst &);
void waveGlobalStore(Frame &, const Inst &);
void waveGlobalAtomic(Frame &, const Inst &);
void waveLdsLoad(Frame &, const Inst &);
void waveLdsStore(Frame &, const Inst &);
void waveLdsAtomic(Frame &, const Inst &);

/// Compiles a kernel; data of its instructions lives in `pool`. False after a
/// diagnostic. `arguments[i]` are the slots of argument i.
bool compileWave(wave::KernelOp kernel, Program &program,
                 std::vector<Slots> &arguments,
                 std::vector<std::shared_ptr<WaveData>> &pool);

} // namespace tlc::reference

#endif // TLC_LIB_REFERENCE_WAVEMACHINE_H
