//===- Witness.h - LLVM's disassembler for comparison -----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's gfx942 disassembler and printer as one function from bytes to text.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_TEST_UNIT_SIMULATOR_DECODE_WITNESS_H
#define TLC_TEST_UNIT_SIMULATOR_DECODE_WITNESS_H

#include "llvm/ADT/ArrayRef.h"
#include <memory>
#include <string>

namespace tlc::test {

class Witness {
public:
  Witness();
  ~Witness();

  /// The instruction at the start of \p bytes, without leading blank and with
  /// single blanks; empty if LLVM knows none there or itself calls the result
  /// wrong ("Invalid register", "reg isn't aligned", "Invalid dpp_ctrl").
  /// \p size becomes its length in bytes.
  std::string text(llvm::ArrayRef<uint8_t> bytes, uint64_t &size);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace tlc::test

#endif // TLC_TEST_UNIT_SIMULATOR_DECODE_WITNESS_H
