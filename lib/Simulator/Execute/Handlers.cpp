//===- Handlers.cpp - Choice of the host instruction set ------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The handlers are compiled several times, for the levels of x86-64 (v2, v3,
// v4) or once for another host, each in its own namespace. Which copy runs is
// chosen at the first use. Values do not depend on it: all levels compute the
// same IEEE operations.
//
//===----------------------------------------------------------------------===//

#include "Lanes/Handlers.h"

#include <cstdlib>
#include <cstring>

namespace tlc::sim {

namespace v2 {
const HandlerTable &table();
}
namespace v3 {
const HandlerTable &table();
}
namespace v4 {
const HandlerTable &table();
}
namespace native {
const HandlerTable &table();
}

/// One level of the host's instruction set that handlers were built for.
struct Level {
  const char *name;
  const HandlerTable &(*table)();
  bool supported;
};

static const HandlerTable &choose() {
  // The best first.
  const Level levels[] = {
#ifdef TLC_SIM_HAS_v4
      {"v4", v4::table, __builtin_cpu_supports("x86-64-v4") != 0},
#endif
#ifdef TLC_SIM_HAS_v3
      {"v3", v3::table, __builtin_cpu_supports("x86-64-v3") != 0},
#endif
#ifdef TLC_SIM_HAS_v2
      {"v2", v2::table, __builtin_cpu_supports("x86-64-v2") != 0},
#endif
#ifdef TLC_SIM_HAS_native
      {"native", native::table, true},
#endif
  };
  // For tests: results must not depend on the host.
  const char *wanted = std::getenv("TLC_SIM_HOST_LEVEL");
  for (const Level &level : levels)
    if (level.supported && wanted && std::strcmp(level.name, wanted) == 0)
      return level.table();
  for (const Level &level : levels)
    if (level.supported)
      return level.table();
  __builtin_trap(); // built for better processors only
}

const HandlerTable &handlerTable() {
  static const HandlerTable &chosen = choose();
  return chosen;
}

} // namespace tlc::sim
