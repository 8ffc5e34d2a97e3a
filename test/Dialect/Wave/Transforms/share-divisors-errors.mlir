// What stays a division.
// RUN: tlc-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-share-divisors{minimum=2}))' | FileCheck %s

// Quotients that decide something, or are rounded to integers.
// CHECK-LABEL: wave.kernel @decides
// CHECK-COUNT-2: arith.divf
// CHECK: wave.return
wave.kernel @decides(%p: !wave.ptr, %d: f32, %x: f32, %y: f32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %a = arith.divf %x, %d : f32
  %b = arith.divf %y, %d : f32
  %f = math.floor %a : f32
  %g = arith.cmpf oge, %b, %x : f32
  %h = arith.select %g, %f, %x : f32
  wave.global_store %h, %p[%c0 : i32] : f32
  wave.return
}

// Divisors of their own; and too few.
// CHECK-LABEL: wave.kernel @apart
// CHECK-COUNT-2: arith.divf
// CHECK: wave.return
wave.kernel @apart(%p: !wave.ptr, %d: f32, %x: f32, %y: f32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %a = arith.divf %x, %d : f32
  %b = arith.divf %d, %y : f32
  %v = vector.from_elements %a, %b : vector<2xf32>
  wave.global_store %v, %p[%c0 : i32] : vector<2xf32>
  wave.return
}
