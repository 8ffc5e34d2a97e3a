//===- HazardChecker.h - Missing wait states --------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dependences that the hardware does not wait for. Each instruction is one
// wait state, s_nop N is N + 1. For each register the state is kept in which
// it was last written, and by what kind of instruction; a rule then demands a
// number of states between the write and a use. Replayed by PathChecker, which
// knows when a look is needed. What the compiler leaves room for, too, is in
// tlc/Support/WaitStates.h.
//
//   MFMA of P passes writes, then           A or B   same C  other C  VALU, mem
//     matrix core                           P + 3    0 (*)   P + 1    P + 3
//     f32                                   P + 2    0 (*)   P        P + 2
//     f64 16x16x4                           11       0       9        11, 18
//     f64 4x4x4                             6        4       4        6, 9
//     (*) 2 if P is 2; 0 where an f32 MFMA feeds the matrix core; "same" is
//     the same registers, pipeline and passes
//   VALU over a result of MFMA: as VALU read. VALU over C of a matrix core
//   MFMA: 1, 3, 7, 15 for P = 2, 4, 8, 16.
//   dot product writes, then any use 3, the same opcode as C 0
//   VALU writes VGPR, then MFMA 2, DPP 2, v_readlane 1
//   VALU writes EXEC, then MFMA 4, DPP 5, lane access 4
//   VALU writes SGPR, then vector memory 5, lane select 4, VALU as operand 2
//   (as carry or mask 0)
//   VALU writes VCC, then v_div_fmas 4
//   transcendental, or with a partial destination, then VALU reads 1
//   store of more than 64 bits, then VALU overwrites the data 2
//
// Two are notes, where the documents ask for more than assembly that runs on
// MI300X with right results keeps (docs/simulator.md): a VALU that reads a
// result of the matrix core from P - 1 states on, and a VALU's scalar operand.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_CHECK_HAZARDCHECKER_H
#define TLC_LIB_SIMULATOR_CHECK_HAZARDCHECKER_H

#include "OpFacts.h"
#include "tlc/Support/WaitStates.h"
#include <string>
#include <vector>

namespace tlc::sim {

/// What is missing; nothing if the text is empty.
struct Hazard {
  std::string text;
  bool isNote = false; ///< short of the documents, but hardware waits

  /// Takes \p other if it is worse. True once nothing can be.
  bool worsen(Hazard other) {
    if (!other.text.empty() && (text.empty() || (isNote && !other.isNote)))
      *this = std::move(other);
    return !text.empty() && !isNote;
  }
};

class HazardChecker {
public:
  void begin(unsigned vgprCount, unsigned accumOffset);
  Hazard check(const Op &op, const OpFacts &facts);
  void issue(const Op &op, const OpFacts &facts);

  /// No hazard reaches further back, in wait states.
  static constexpr unsigned reach = 20;
  /// The same as `issue`, for an instruction \p age wait states ago.
  void recall(const Op &op, const OpFacts &facts, unsigned age);
  /// \p states go by without an instruction.
  void advance(unsigned states) { state += states; }
  /// Wait states that \p inst is itself.
  static unsigned statesOf(const Instruction &inst);
  /// States for which it holds the vector ALU against its own wavefront: two
  /// where a packed f32 operation takes eight cycles (measured). Those of
  /// transcendentals overlap with other vector code.
  static unsigned vectorStatesOf(const Instruction &inst);

private:
  enum class Writer : uint8_t { None, Vector, Partial, Dot, Matrix, Scalar };
  struct Last {
    uint32_t state = 0;
    Writer writer = Writer::None;
    const Op *op = nullptr;
    // MFMA only: its result, class and length.
    uint16_t first = 0, count = 0;
    uint8_t passes = 0;
    bool xdl = false, isDouble = false;
  };
  struct Use {
    uint32_t state = 0;
    uint8_t passes = 0;
    const Op *op = nullptr;
  };
  static MatrixPipe pipeOf(const Last &last) {
    return last.isDouble ? MatrixPipe::Double
           : last.xdl    ? MatrixPipe::Core
                         : MatrixPipe::Float;
  }
  unsigned since(uint32_t at) const { return state - at; }
  Hazard need(const RegisterRange &range, const Op *writer, uint32_t at,
              unsigned states, const char *use, unsigned least = ~0u) const;
  Hazard checkMatrixSource(const OpFacts &facts,
                           const RegisterRange &range) const;
  Hazard checkScalar(const Op &op, const OpFacts &facts,
                     const RegisterRange &range) const;
  Hazard checkRead(const Op &op, const OpFacts &facts,
                   const RegisterRange &range) const;
  Hazard checkWrite(const Op &op, const OpFacts &facts,
                    const RegisterRange &range) const;

  std::vector<Last> vector, scalar;
  std::vector<Use> readAsC, storeData;
  uint32_t state = 0; // wait states so far
  unsigned accumOffset = 0;
  /// When something ran last that later vector code may have to wait for.
  uint32_t lastSpecial = 0;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_CHECK_HAZARDCHECKER_H
