// RUN: tlc-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-defer-sums))' | FileCheck %s

// Each lane keeps the sum of its own weights; lanes exchange behind the last of
// two loops.
// CHECK-LABEL: wave.kernel @online
// CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[L:.*]] = %[[ZERO:.*]]) -> (f32)
// CHECK-NOT: wave.shuffle_xor
// CHECK: %[[E:.*]] = math.exp2
// CHECK: %[[M:.*]] = arith.mulf %[[L]], %{{.*}} : f32
// CHECK: %[[N:.*]] = arith.addf %[[M]], %[[E]] : f32
// CHECK: scf.yield %[[N]] : f32
// CHECK: %[[Q:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[R]]) -> (f32)
// CHECK-NOT: wave.shuffle_xor
// CHECK: }
// CHECK: %[[O:.*]] = wave.shuffle_xor %[[Q]], 32 : f32
// CHECK: %[[T:.*]] = arith.addf %[[Q]], %[[O]] : f32
// CHECK: %[[O2:.*]] = wave.shuffle_xor %[[T]], 16 : f32
// CHECK: %[[T2:.*]] = arith.addf %[[T]], %[[O2]] : f32
// CHECK: wave.global_store %[[T2]]
wave.kernel @online(%p: !wave.ptr, %s: f32, %f: f32, %n: i32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lane = wave.lane_id
  %x = arith.sitofp %lane : i32 to f32
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%l = %zero) -> (f32) : i32 {
    %e = math.exp2 %x : f32
    %o = wave.shuffle_xor %e, 32 : f32
    %t = arith.addf %e, %o : f32
    %o2 = wave.shuffle_xor %t, 16 : f32
    %t2 = arith.addf %t, %o2 : f32
    %m = arith.mulf %l, %f : f32
    %next = arith.addf %m, %t2 : f32
    scf.yield %next : f32
  }
  %q = scf.for %i = %c0 to %n step %c1 iter_args(%l = %r) -> (f32) : i32 {
    %e = math.exp2 %x : f32
    %o = wave.shuffle_xor %e, 32 : f32
    %t = arith.addf %e, %o : f32
    %o2 = wave.shuffle_xor %t, 16 : f32
    %t2 = arith.addf %t, %o2 : f32
    %next = arith.addf %l, %t2 : f32
    scf.yield %next : f32
  }
  wave.global_store %q, %p[%c0 : i32] : f32
  wave.return
}
