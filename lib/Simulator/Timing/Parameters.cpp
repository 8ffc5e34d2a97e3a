//===- Parameters.cpp - Other values for what is assumed ------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What has no source may be wrong. A conclusion that other values do not change
// does not rest on it.
//
//===----------------------------------------------------------------------===//

#include "tlc/Simulator/Timing/Parameters.h"

using namespace tlc::sim;

namespace {
template <typename T> bool set(T &parameter, double value) {
  parameter = T(value);
  return true;
}
/// What has a source stays.
template <typename T> bool set(const T &, double) { return false; }
} // namespace

bool tlc::sim::assume(std::string_view name, double value) {
#define TLC_PARAM(NAME, VALUE, UNIT, CONFIDENCE, SOURCE)                       \
  if (name == #NAME)                                                           \
    return set(param::NAME, value);
#include "tlc/Simulator/Timing/Parameters.def"
#undef TLC_PARAM
  return false;
}
