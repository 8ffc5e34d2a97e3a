//===- Families.h - The tables of all instruction families ------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_EXECUTE_LANES_FAMILIES_H
#define TLC_LIB_SIMULATOR_EXECUTE_LANES_FAMILIES_H

#include "Handlers.h"

namespace tlc::sim::TLC_SIM_ISA {

struct Family {
  const Handler *rows;
  size_t count;
};

/// One function per family file; it returns the file's table.
#define TLC_SIM_FAMILIES(F)                                                    \
  F(scalarAlu)                                                                 \
  F(scalarControl)                                                             \
  F(scalarMemory)                                                              \
  F(vectorInteger)                                                             \
  F(vectorShort)                                                               \
  F(vectorCarry)                                                               \
  F(vectorSingle)                                                              \
  F(vectorHalf)                                                                \
  F(vectorDouble)                                                              \
  F(vectorConvert)                                                             \
  F(vectorSmallFloat)                                                          \
  F(vectorCompare)                                                             \
  F(vectorDivide)                                                              \
  F(transcendental)                                                            \
  F(packed)                                                                    \
  F(dot)                                                                       \
  F(byteOps)                                                                   \
  F(crossLane)                                                                 \
  F(matrix)                                                                    \
  F(sparseMatrix)                                                              \
  F(lds)                                                                       \
  F(ldsAtomic)                                                                 \
  F(ldsCrossLane)                                                              \
  F(globalSync)                                                                \
  F(flatMemory)                                                                \
  F(flatAtomic)                                                                \
  F(bufferMemory)                                                              \
  F(bufferFormat)                                                              \
  F(bufferAtomic)

#define TLC_SIM_DECLARE(name) Family name##Family();
TLC_SIM_FAMILIES(TLC_SIM_DECLARE)
#undef TLC_SIM_DECLARE

template <size_t N> Family family(const Handler (&rows)[N]) {
  return {rows, N};
}

} // namespace tlc::sim::TLC_SIM_ISA

#endif // TLC_LIB_SIMULATOR_EXECUTE_LANES_FAMILIES_H
