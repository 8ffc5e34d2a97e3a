//===- Handlers.cpp - Choice of the host instruction set ------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lanes/Handlers.h"

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

const HandlerTable &handlerTable() {
#ifdef TLC_SIM_HAS_v4
  if (__builtin_cpu_supports("x86-64-v4"))
    return v4::table();
#endif
#ifdef TLC_SIM_HAS_v3
  if (__builtin_cpu_supports("x86-64-v3"))
    return v3::table();
#endif
#ifdef TLC_SIM_HAS_v2
  return v2::table();
#endif
#ifdef TLC_SIM_HAS_native
  return native::table();
#endif
  __builtin_trap(); // built for better processors only
}

} // namespace tlc::sim
