//===- Parameters.h - What the timing model assumes -------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers of Parameters.def as constants (param::xcds, ...) and as a table
// that can be printed. They are calibrated on published measurements and on
// counters of other people's kernels, never on kernels of this project.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_SIMULATOR_TIMING_PARAMETERS_H
#define TLC_SIMULATOR_TIMING_PARAMETERS_H

#include <cstdint>
#include <string_view>

namespace tlc::sim {

namespace param {
#define TLC_PARAM_Documented inline constexpr auto
#define TLC_PARAM_Measured inline constexpr auto
#define TLC_PARAM_Inferred inline constexpr auto
// May be set by assume(), to see what depends on them.
#define TLC_PARAM_Assumed inline auto
#define TLC_PARAM(NAME, VALUE, UNIT, CONFIDENCE, SOURCE)                       \
  TLC_PARAM_##CONFIDENCE NAME = VALUE;
#include "tlc/Simulator/Timing/Parameters.def"
#undef TLC_PARAM
#undef TLC_PARAM_Documented
#undef TLC_PARAM_Measured
#undef TLC_PARAM_Inferred
#undef TLC_PARAM_Assumed
} // namespace param

/// Sets a parameter that has no source (Confidence::Assumed) for the launches to
/// come. False if there is none of that name.
bool assume(std::string_view name, double value);

enum class Confidence : uint8_t { Documented, Measured, Inferred, Assumed };

struct Parameter {
  const char *name;
  double value;
  const char *unit;
  Confidence confidence;
  const char *source;
};

inline constexpr Parameter timingParameters[] = {
#define TLC_PARAM(NAME, VALUE, UNIT, CONFIDENCE, SOURCE)                       \
  {#NAME, double(VALUE), UNIT, Confidence::CONFIDENCE, SOURCE},
#include "tlc/Simulator/Timing/Parameters.def"
#undef TLC_PARAM
};

} // namespace tlc::sim

#endif // TLC_SIMULATOR_TIMING_PARAMETERS_H
