//===- compat.h - HIP 5.2 headers with a newer clang ------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The old headers call a fence of the device library that newer compilers no
// longer link.
//
//===----------------------------------------------------------------------===//

#ifdef __HIP_DEVICE_COMPILE__
extern "C" __attribute__((device, weak)) void
__atomic_work_item_fence(unsigned, unsigned, unsigned) {
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
}
#endif
