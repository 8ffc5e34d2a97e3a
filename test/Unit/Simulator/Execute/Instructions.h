//===- Instructions.h - Single instructions against the host ----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A case is one instruction (or a few) and a host function that says what it
// does, written from the ISA's text and not from the handler. Both run over
// random words and edges of the formats. Cases of a suite are assembled
// together.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_TEST_UNIT_SIMULATOR_EXECUTE_INSTRUCTIONS_H
#define TLC_TEST_UNIT_SIMULATOR_EXECUTE_INSTRUCTIONS_H

#include "Assembler.h"

#include <functional>

namespace tlc::test {

/// What an instruction finds and leaves, of a lane (vector cases) or of a
/// wavefront (scalar cases).
struct Values {
  /// Operands A, B, C of 64 bits: v[2:3], v[4:5], v[6:7], or s[8:13].
  uint64_t a, b, c;
  /// Results, v[8:11] or s[16:19]; before, random words.
  uint32_t r[4];
  /// Memory of 16 bytes at v1 bytes from s[4:5], or at s[20:21].
  uint32_t m[4];
  bool bit; ///< VCC of the lane; SCC. Before, random as well
  unsigned lane;

  uint64_t pair(unsigned i = 0) const {
    return uint64_t(r[i + 1]) << 32 | r[i];
  }
  void setPair(uint64_t v, unsigned i = 0) {
    r[i] = uint32_t(v);
    r[i + 1] = uint32_t(v >> 32);
  }
  void setMemory(uint64_t v) {
    m[0] = uint32_t(v);
    m[1] = uint32_t(v >> 32);
  }
};

struct InstructionCase {
  std::string code;
  std::function<void(Values &)> host;
  bool scalar = false;
  /// All NaNs of the results count as one: 'h' r[0] as f16, 'p' as two of them,
  /// 'f' r[0] as f32, 'd' r[0:1] as f64.
  char nan = 0;
  /// How far the bits of r[0] may be off, for approximations.
  unsigned tolerance = 0;
};

/// Runs the cases and compares results, memory and bit.
void checkInstructions(const std::vector<InstructionCase> &cases);

template <typename To, typename From> To bitsAs(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

} // namespace tlc::test

#endif // TLC_TEST_UNIT_SIMULATOR_EXECUTE_INSTRUCTIONS_H
