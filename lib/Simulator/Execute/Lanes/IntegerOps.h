//===- IntegerOps.h - Integer functions of several families -----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_EXECUTE_LANES_INTEGEROPS_H
#define TLC_LIB_SIMULATOR_EXECUTE_LANES_INTEGEROPS_H

namespace tlc::sim::TLC_SIM_ISA {

/// med3 is the middle of three values, which clamps the third to the range of
/// the other two.
template <typename T> constexpr T min3(T a, T b, T c) {
  T m = a < b ? a : b;
  return m < c ? m : c;
}
template <typename T> constexpr T max3(T a, T b, T c) {
  T m = a > b ? a : b;
  return m > c ? m : c;
}
template <typename T> constexpr T med3(T a, T b, T c) {
  T lo = a < b ? a : b, hi = a < b ? b : a;
  return c < lo ? lo : c > hi ? hi : c;
}

} // namespace tlc::sim::TLC_SIM_ISA

#endif // TLC_LIB_SIMULATOR_EXECUTE_LANES_INTEGEROPS_H
