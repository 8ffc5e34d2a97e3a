// RUN: tlc-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-skip-rescale))' | FileCheck %s

// What the pass leaves alone: elements in another order, and too few of them.
// CHECK-LABEL: wave.kernel @other_order
// CHECK-NOT: scf.if
// CHECK: wave.return
wave.kernel @other_order(%p: !wave.ptr, %f: f32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %zero = arith.constant dense<0.0> : vector<2xf32>
  %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%acc = %zero, %g = %f) -> (vector<2xf32>, f32) : i32 {
    %x = math.exp2 %g : f32
    %e0 = vector.extract %acc[0] : f32 from vector<2xf32>
    %e1 = vector.extract %acc[1] : f32 from vector<2xf32>
    %p0 = arith.mulf %e0, %x : f32
    %p1 = arith.mulf %e1, %x : f32
    %swapped = vector.from_elements %p1, %p0 : vector<2xf32>
    scf.yield %swapped, %x : vector<2xf32>, f32
  }
  wave.global_store %r#0, %p[%c0 : i32] : vector<2xf32>
  wave.return
}

// CHECK-LABEL: wave.kernel @too_few
// CHECK-NOT: scf.if
// CHECK: wave.return
wave.kernel @too_few(%p: !wave.ptr, %f: f32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %zero = arith.constant dense<0.0> : vector<2xf32>
  %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%acc = %zero, %g = %f) -> (vector<2xf32>, f32) : i32 {
    %x = math.exp2 %g : f32
    %e0 = vector.extract %acc[0] : f32 from vector<2xf32>
    %e1 = vector.extract %acc[1] : f32 from vector<2xf32>
    %p0 = arith.mulf %e0, %x : f32
    %p1 = arith.mulf %e1, %x : f32
    %s = vector.from_elements %p0, %p1 : vector<2xf32>
    scf.yield %s, %x : vector<2xf32>, f32
  }
  wave.global_store %r#0, %p[%c0 : i32] : vector<2xf32>
  wave.return
}
