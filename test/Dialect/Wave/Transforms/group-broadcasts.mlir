// RUN: tlc-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-group-broadcasts))' | FileCheck %s

// Elements of one value come together, before what uses the first.
// CHECK-LABEL: wave.kernel @weights
// CHECK: %[[V:.*]] = wave.global_load
// CHECK: %[[A:.*]] = wave.shuffle %[[V]], %{{.*}} : f32
// CHECK-NEXT: %[[B:.*]] = wave.shuffle %[[V]], %{{.*}} : f32
// CHECK-NEXT: %[[C:.*]] = wave.shuffle %[[V]], %{{.*}} : f32
// CHECK-NEXT: wave.sched_barrier
// CHECK: arith.mulf %{{.*}}, %[[A]]
// CHECK: arith.mulf %{{.*}}, %[[B]]
// CHECK: arith.mulf %{{.*}}, %[[C]]
wave.kernel @weights(%p: !wave.ptr, %x: f32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %v = wave.global_load %p[%c0 : i32] : f32
  %a = wave.shuffle %v, %c0 : f32 -> f32
  %s0 = arith.mulf %x, %a : f32
  %c1 = arith.constant 1 : i32
  %b = wave.shuffle %v, %c1 : f32 -> f32
  %s1 = arith.mulf %s0, %b : f32
  %c2 = arith.constant 2 : i32
  %c = wave.shuffle %v, %c2 : f32 -> f32
  %s2 = arith.mulf %s1, %c : f32
  wave.global_store %s2, %p[%c0 : i32] : f32
  wave.return
}
