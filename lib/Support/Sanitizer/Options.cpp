//===- Options.cpp - Defaults of AddressSanitizer -------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The distribution's LLVM is not instrumented. Its containers and allocators
// are templates that both sides instantiate, so that one side poisons memory
// which the other never clears: these two checks would only raise false alarms.
// LLVM keeps tables to the end of the process, which is no leak.
//
//===----------------------------------------------------------------------===//

extern "C" const char *__asan_default_options();
extern "C" const char *__asan_default_options() {
  return "detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=0";
}
