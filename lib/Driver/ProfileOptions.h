//===- ProfileOptions.h - Command line of tlc profile -----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `profile` takes the words that `run` takes and its own. Its own are read
// here; the others stay as they are and are read by the parser of `run` for
// kernels or for objects. What follows `--against B` overrides, for B, what
// stands before.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DRIVER_PROFILEOPTIONS_H
#define TLC_LIB_DRIVER_PROFILEOPTIONS_H

#include "tlc/Driver/Driver.h"
#include "tlc/Report/Profile/Print.h"
#include <optional>
#include <string>
#include <vector>

namespace tlc {

struct ProfileOptions {
  std::optional<double> clock; ///< Hz
  bool json = false;
  std::string trace, html;
  report::TextOptions text;
  bool full = false, warm = false;
  std::optional<uint64_t> detail;     ///< instructions before sampling
  std::optional<unsigned> traceWaves; ///< wavefronts of a trace
  std::optional<unsigned> repetitions; ///< launches on a HIP device
  std::vector<std::string> assumptions; ///< NAME=VALUE, made already
  /// The words of `run` for A and, if there is a B, for B.
  std::vector<std::string> words, against;
};

/// ExitOk, or the exit code after a message.
int parseProfileOptions(Arguments arguments, ProfileOptions &options);

} // namespace tlc

#endif // TLC_LIB_DRIVER_PROFILEOPTIONS_H
