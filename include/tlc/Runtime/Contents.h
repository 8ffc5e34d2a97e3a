//===- Contents.h - What --arg puts into a parameter ------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_RUNTIME_CONTENTS_H
#define TLC_RUNTIME_CONTENTS_H

#include "tlc/Support/DType.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace tlc {

/// The right-hand side of `--arg NAME=...`.
struct Contents {
  struct Number {
    double value = 0;
    /// The number where it is an integer of 64 bits: doubles end at 2^53.
    std::optional<int64_t> integer;
  };
  enum class Kind { Normal, Zeros, Constant, Counting, Listed, Range, File };
  Kind kind = Kind::Normal;
  uint64_t seed = 0; ///< of Normal and Range
  /// Of Constant and Listed, repeated as often as it takes; of Range, the two
  /// ends.
  std::vector<Number> values;
  std::string path; ///< of File
  /// Normal values repeat after so many elements; 0: never. Where only the time
  /// of a kernel is asked for, this makes large arrays quickly.
  int64_t period = 0;
};

/// `randn`, `randn:SEED`, `zeros`, `const:V`, `arange`, `values:V,V,...`,
/// `range:LO:HI[:SEED]` (uniform from LO to below HI), a number, or a path that
/// ends in .npy.
llvm::Expected<Contents> parseContents(llvm::StringRef text);

/// `NAME=VALUE` split at the first `=`; an error if either is empty.
llvm::Expected<std::pair<std::string, std::string>>
splitAssignment(llvm::StringRef option, llvm::StringRef text);

/// Fills an array with contents other than a file's. Normal values are
/// standard normal; integers take a small range around (unsigned: from) 0, bool
/// 0 or 1. The same seed gives the same values on every machine.
void fill(Array &array, const Contents &contents);

} // namespace tlc

#endif // TLC_RUNTIME_CONTENTS_H
