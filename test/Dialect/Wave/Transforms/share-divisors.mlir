// RUN: tlc-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-share-divisors{minimum=2}))' | FileCheck %s

// One division is left: of one by the divisor, brought near one by a power of
// two that the products are brought back by.
// CHECK-LABEL: wave.kernel @row
// CHECK: %[[A:.*]] = math.absf %[[D:.*]] : f32
// CHECK: arith.cmpf olt, %[[A]]
// CHECK: arith.cmpf ogt, %[[A]]
// CHECK: %[[S:.*]] = arith.select
// CHECK: %[[S2:.*]] = arith.select %{{.*}}, %{{.*}}, %[[S]] : f32
// CHECK: %[[E:.*]] = arith.mulf %[[D]], %[[S2]] : f32
// CHECK: %[[R:.*]] = arith.divf %{{.*}}, %[[E]] fastmath<afn> : f32
// CHECK: %[[P:.*]] = arith.mulf %{{.*}}, %[[R]] : f32
// CHECK: arith.mulf %[[P]], %[[S2]] : f32
// CHECK: arith.mulf %{{.*}}, %[[R]] : f32
// CHECK-NOT: arith.divf
wave.kernel @row(%p: !wave.ptr, %d: f32, %x: f32, %y: f32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %a = arith.divf %x, %d : f32
  %b = arith.divf %y, %d : f32
  %v = vector.from_elements %a, %b : vector<2xf32>
  wave.global_store %v, %p[%c0 : i32] : vector<2xf32>
  wave.return
}
