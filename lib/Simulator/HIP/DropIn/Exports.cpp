//===- Exports.cpp - The names that the library exports -------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each exported name is a jump through a pointer to a wrapper that keeps
// hipGetLastError as the release at hand has it: up to HIP 6 every call sets
// the last error, also to success; from HIP 7 on only failures do.
//
//===----------------------------------------------------------------------===//

#include "Capture.h"

#include <cstdio>
#include <set>

using namespace tlc::sim;
using namespace tlc::hip;

namespace {

hipError_t finish(hipError_t result) {
  if (result != hipSuccess || tlc_hip_major < 7)
    lastError() = result;
  return result;
}

/// The wrapper of one function: same parameters, last error recorded.
template <auto F> struct Forward;
template <typename R, typename... A, R (*F)(A...)> struct Forward<F> {
  static R call(A... arguments) {
    if constexpr (std::is_same_v<R, hipError_t>) {
      // While a stream is captured, the call may become a node of a graph.
      hipError_t result;
      if (!dropin::takenByCapture<F>(result, arguments...))
        result = F(arguments...);
      return finish(result);
    } else {
      return F(arguments...);
    }
  }
};

/// Names an entry point that is not provided, once.
int notProvided(const char *name) {
  static std::mutex mutex;
  static std::set<std::string> named;
  std::lock_guard lock(mutex);
  if (named.insert(name).second)
    std::fprintf(stderr, "libamdhip64 (simulated gfx942): %s is not provided\n",
                 name);
  finish(hipErrorNotSupported);
  return hipErrorNotSupported;
}

/// Faults and findings of every launch, whichever call it was made by.
__attribute__((constructor)) void tellFindings() {
  simulatorOptions().afterLaunch = [](const LaunchResult &result) {
    if (!result.report.empty())
      std::fprintf(stderr, "libamdhip64 (simulated gfx942): %s\n",
                   result.report.c_str());
  };
}

} // namespace

// Reading the last error must not change it first.
#define HIP_FORWARD_TO(target, name)                                           \
  extern "C" {                                                                 \
  __attribute__((visibility("hidden"), used)) auto *tlc_forward_##name =       \
      &Forward<target>::call;                                                  \
  }                                                                            \
  HIP_JUMP(name)
#define HIP_FORWARD(space, name) HIP_FORWARD_TO(&space::name, name)
#if defined(__x86_64__)
#define HIP_JUMP(name)                                                         \
  asm(".text\n.globl " #name "\n.type " #name ",@function\n" #name             \
      ":\n jmp *tlc_forward_" #name "(%rip)\n.size " #name ", .-" #name "\n");
#elif defined(__aarch64__)
#define HIP_JUMP(name)                                                         \
  asm(".text\n.globl " #name "\n.type " #name ",@function\n" #name             \
      ":\n adrp x16, tlc_forward_" #name                                       \
      "\n ldr x16, [x16, :lo12:tlc_forward_" #name "]\n br x16\n");
#endif

namespace lastErrors {
// Kept apart: `Forward` would record what they return.
int hipGetLastError() { return entry::hipGetLastError(); }
int hipPeekAtLastError() { return entry::hipPeekAtLastError(); }
} // namespace lastErrors

#define HIP_Table(name) HIP_FORWARD(tlc::sim::entry, name)
#define HIP_Own(name) HIP_FORWARD(tlc::sim::dropin, name)
#define HIP_Alias(name) HIP_FORWARD_TO(tlc::sim::dropin::name, name)
#define HIP_LastError(name) HIP_FORWARD(lastErrors, name)
#define HIP_Missing(name)                                                      \
  extern "C" int name() { return notProvided(#name); }
#define HIP_Text(name)                                                         \
  extern "C" const char *name() { return ""; }
#define HIP_SYMBOL(name, version, kind) HIP_##kind(name)
#include "Symbols.def"

/// How tlc knows this library from a GPU's.
extern "C" __attribute__((visibility("default")))
const int tlc_simulated_gfx942 = 1;
