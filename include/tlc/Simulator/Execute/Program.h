//===- Program.h - Predecoded code of one kernel ----------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions are decoded once, in straight runs that end at an unconditional
// jump, the end of the program, or where decoded code begins. Runs reached by
// fixed branches are decoded along with the entry; those reached by computed
// jumps when they are first reached. Pointers to instructions stay valid.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_SIMULATOR_EXECUTE_PROGRAM_H
#define TLC_SIMULATOR_EXECUTE_PROGRAM_H

#include "tlc/Simulator/Execute/Wave.h"

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace tlc::sim {

/// Registers the code may use.
struct RegisterLimits {
  unsigned accumOffset = 256; ///< architectural VGPRs
  unsigned vgprCount = 512;   ///< of both kinds
};

class Program {
public:
  /// `code` is the executable segment, which lies at device address `base`.
  /// Both must outlive the program.
  Program(std::span<const uint8_t> code, uint64_t base, RegisterLimits limits);
  ~Program();

  /// The instruction at a device address, or null outside the code. Thread
  /// safe.
  const Op *at(uint64_t address);

  uint64_t base() const { return codeBase; }
  std::span<const uint8_t> bytes() const { return code; }
  /// Whether the code has compare-and-swaps of a dword in global memory, by
  /// which compilers make atomics of bytes and halves.
  bool comparesAndSwaps() const { return swaps; }
  /// Whether what has been decoded so far has accesses that a launch performs
  /// in one order for all workgroups, or goes on in code that is not known yet.
  bool mayOrderAccesses() const { return ordersAccesses; }

private:
  struct Run; // ops of a straight piece of code, and their instructions

  const Op *decodeFrom(uint64_t offset);
  void decodeRun(uint64_t offset, std::vector<uint64_t> &pending);
  void lower(const Instruction &inst, uint64_t address, Op &op);
  void lowerSource(const Operand &operand, Source &source, bool forLanes,
                   bool &inRange);
  bool registerIndex(const Operand &operand, uint32_t &index) const;
  const uint32_t *constantLanes(uint64_t value, unsigned dwords);

  std::span<const uint8_t> code;
  uint64_t codeBase;
  RegisterLimits limits;
  bool swaps = false;
  std::atomic<bool> ordersAccesses{false};
  std::mutex mutex;
  /// One slot per dword of code.
  std::unique_ptr<std::atomic<const Op *>[]> slots;
  std::vector<std::unique_ptr<Run>> runs;
  uint32_t decoded = 0; ///< instructions of all runs
  struct AlignedFree {
    void operator()(uint32_t *p) const;
  };
  std::map<std::pair<uint64_t, unsigned>,
           std::unique_ptr<uint32_t[], AlignedFree>>
      constants;
};

} // namespace tlc::sim

#endif // TLC_SIMULATOR_EXECUTE_PROGRAM_H
