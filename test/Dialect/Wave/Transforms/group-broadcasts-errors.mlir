// What must stay as it is: one element alone, elements of different values, and
// lanes that are not known.
// RUN: tlc-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-group-broadcasts))' | FileCheck %s
// CHECK-LABEL: wave.kernel @others
// CHECK: wave.shuffle
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: wave.shuffle
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: wave.shuffle
// CHECK-NEXT: arith.mulf
// CHECK-NOT: wave.sched_barrier
wave.kernel @others(%p: !wave.ptr, %x: f32, %lane: i32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %v = wave.global_load %p[%c0 : i32] : f32
  %w = wave.global_load %p[%c0 : i32] : f32
  %a = wave.shuffle %v, %c0 : f32 -> f32
  %s0 = arith.mulf %x, %a : f32
  %b = wave.shuffle %w, %c0 : f32 -> f32
  %s1 = arith.mulf %s0, %b : f32
  %c = wave.shuffle %w, %lane : f32 -> f32
  %s2 = arith.mulf %s1, %c : f32
  wave.global_store %s2, %p[%c0 : i32] : f32
  wave.return
}
