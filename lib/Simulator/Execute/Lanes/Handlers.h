//===- Handlers.h - Table of instruction handlers ---------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each instruction family has its table of rows; one more table, indexed by
// opcode, is filled from them. What is not in any table is unsupported: the
// run ends there.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_EXECUTE_LANES_HANDLERS_H
#define TLC_LIB_SIMULATOR_EXECUTE_LANES_HANDLERS_H

#include "tlc/Simulator/Execute/Wave.h"

#include <cstddef>

namespace tlc::sim {

struct Handler {
  Opcode op = Opcode::Invalid;
  RunFunction run = nullptr;
  LaneFunction lanes = nullptr; ///< vector ALU: `run` is chosen by modifiers
  bool approximate = false;     ///< no public bit-exact definition
  FloatMode mode = FloatMode::None;
};

struct HandlerTable {
  Handler rows[static_cast<size_t>(Opcode::Count)];
  RunFunction plain = nullptr;    ///< runs `lanes` without modifiers
  RunFunction modified = nullptr; ///< runs `lanes` with any modifiers
  /// Runs a wavefront until its turn ends.
  void (*turn)(Wave &wave) = nullptr;
  void (*step)(Wave &wave) = nullptr; ///< the same for one instruction
};

/// The handlers for the best instruction set of this host.
const HandlerTable &handlerTable();

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_EXECUTE_LANES_HANDLERS_H
