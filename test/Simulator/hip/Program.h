//===- Program.h - Frame of the HIP test programs ---------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program is compiled twice, for gfx942 and for the host. Either it is a
// function of one element (PER_ELEMENT), the same source for both; or it has a
// kernel for the device and a plain loop for the host (DEVICE is defined on the
// device only). Both fill `out` from `in`: n words in, n times OUTPUTS out.
// Workgroups have 256 work-items.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_TEST_SIMULATOR_HIP_PROGRAM_H
#define TLC_TEST_SIMULATOR_HIP_PROGRAM_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;

#define GROUP 256

#ifdef __HIP__
#define DEVICE 1
#define FN static inline __attribute__((device))
#define NOINLINE __attribute__((device, noinline))
#define KERNEL extern "C" __attribute__((global))
#define SHARED __attribute__((shared))
#define CONSTANT __attribute__((constant))
#define GLOBAL __attribute__((device))
FN u32 lane() {
  return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
}
FN u32 localId() { return __builtin_amdgcn_workitem_id_x(); }
FN u32 groupId() { return __builtin_amdgcn_workgroup_id_x(); }
FN u32 globalId() { return groupId() * GROUP + localId(); }
FN void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#define MAIN KERNEL void run(const u32 *in, u32 *out, u32 n)
#else
#define FN static inline
#define NOINLINE static __attribute__((noinline))
#define CONSTANT static const
#define GLOBAL static
#define MAIN extern "C" void run(const u32 *in, u32 *out, u32 n)
#endif

#define OUTPUTS(count)                                                         \
  extern "C" {                                                                 \
  OUTPUT_COUNT(count)                                                          \
  }
#ifdef DEVICE
#define OUTPUT_COUNT(count)
#define PER_ELEMENT(function)                                                  \
  MAIN {                                                                       \
    u32 i = globalId();                                                        \
    if (i < n)                                                                 \
      function(i, in, out, n);                                                 \
  }
#else
#define OUTPUT_COUNT(count) unsigned outputs = count;
#define PER_ELEMENT(function)                                                  \
  MAIN {                                                                       \
    for (u32 i = 0; i < n; ++i)                                                \
      function(i, in, out, n);                                                 \
  }
#endif

FN float asFloat(u32 v) { return __builtin_bit_cast(float, v); }
FN u32 bitsOf(float v) { return __builtin_bit_cast(u32, v); }
FN double asDouble(u64 v) { return __builtin_bit_cast(double, v); }
FN u64 bitsOf(double v) { return __builtin_bit_cast(u64, v); }
/// NaNs compare as one.
FN u32 result(float v) { return v == v ? bitsOf(v) : 0x7fc00000u; }
FN u64 result(double v) {
  return v == v ? bitsOf(v) : 0x7ff8000000000000ull;
}
/// A float of moderate size from a word.
FN float small(u32 v) { return float(i32(v)) * 0x1p-20f; }

#endif // TLC_TEST_SIMULATOR_HIP_PROGRAM_H
