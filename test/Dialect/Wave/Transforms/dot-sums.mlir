// RUN: tlc-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-dot-sums))' | FileCheck %s

// Four halves that a matrix instruction reads together are added up by two dot
// products; what else the reduction adds comes after.
// CHECK-LABEL: wave.kernel @weights
// CHECK: %[[V:.*]] = vector.from_elements %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : vector<4xf16>
// CHECK-DAG: %[[ONES:.*]] = arith.constant dense<1.000000e+00> : vector<2xf16>
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[P0:.*]] = vector.extract_strided_slice %[[V]] {offsets = [0], sizes = [2], strides = [1]}
// CHECK: %[[S0:.*]] = wave.dot2 %[[P0]], %[[ONES]], %[[ZERO]]
// CHECK: %[[P1:.*]] = vector.extract_strided_slice %[[V]] {offsets = [2], sizes = [2], strides = [1]}
// CHECK: %[[S1:.*]] = wave.dot2 %[[P1]], %[[ONES]], %[[S0]]
// CHECK: %[[S:.*]] = arith.addf %[[S1]], %{{.*}} : f32
// CHECK-NOT: arith.extf
// CHECK: wave.global_store %[[S]]
wave.kernel @weights(%p: !wave.ptr, %a: f32, %b: f32, %c: f32, %d: f32, %y: f32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %h0 = arith.truncf %a : f32 to f16
  %h1 = arith.truncf %b : f32 to f16
  %h2 = arith.truncf %c : f32 to f16
  %h3 = arith.truncf %d : f32 to f16
  %x0 = arith.extf %h0 : f16 to f32
  %x1 = arith.extf %h1 : f16 to f32
  %x2 = arith.extf %h2 : f16 to f32
  %x3 = arith.extf %h3 : f16 to f32
  %s0 = arith.addf %x3, %x1 {wave.reduction} : f32
  %s1 = arith.addf %s0, %y {wave.reduction} : f32
  %s2 = arith.addf %s1, %x0 {wave.reduction} : f32
  %s3 = arith.addf %s2, %x2 {wave.reduction} : f32
  wave.global_store %s3, %p[%c0 : i32] : f32
  %v = vector.from_elements %h0, %h1, %h2, %h3 : vector<4xf16>
  wave.global_store %v, %p[%c0 : i32] : vector<4xf16>
  wave.return
}
