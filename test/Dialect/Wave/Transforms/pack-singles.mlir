// RUN: tlc-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-pack-singles))' | FileCheck %s

// A loop whose vector work takes longer than its matrix instruction, with two
// wavefronts a SIMD: neighbours of a tuple go together, the sum goes by even
// and odd terms, and bounded weights are rounded by two packed instructions.
// CHECK-LABEL: wave.kernel @weights
// CHECK: %[[S:.*]] = wave.mfma
// CHECK: %[[S0:.*]] = vector.extract %[[S]][0]
// CHECK: %[[S1:.*]] = vector.extract %[[S]][1]
// CHECK: %[[V:.*]] = vector.from_elements %[[S0]], %[[S1]] : vector<2xf32>
// CHECK: %[[C:.*]] = vector.broadcast %{{.*}} : f32 to vector<2xf32>
// CHECK: %[[W:.*]] = arith.mulf %[[V]], %[[C]] : vector<2xf32>
// CHECK: %[[M:.*]] = vector.broadcast %arg{{.*}} : f32 to vector<2xf32>
// CHECK: %[[X:.*]] = arith.subf %[[W]], %[[M]] : vector<2xf32>
// CHECK: %[[X0:.*]] = vector.extract %[[X]][0]
// CHECK: %[[E0:.*]] = math.exp2 %[[X0]] : f32
// CHECK: %[[X1:.*]] = vector.extract %[[X]][1]
// CHECK: %[[E1:.*]] = math.exp2 %[[X1]] : f32
// CHECK: %[[E2:.*]] = math.exp2
// CHECK: %[[E3:.*]] = math.exp2
// CHECK: %[[A:.*]] = vector.from_elements %[[E0]], %[[E1]] : vector<2xf32>
// CHECK: %[[B:.*]] = vector.from_elements %[[E2]], %[[E3]] : vector<2xf32>
// CHECK: %[[T:.*]] = arith.addf %[[A]], %[[B]] {wave.reduction} : vector<2xf32>
// CHECK: %[[EVEN:.*]] = vector.extract %[[T]][0]
// CHECK: %[[ODD:.*]] = vector.extract %[[T]][1]
// CHECK: arith.addf %[[EVEN]], %[[ODD]] {wave.reduction} : f32
// CHECK: %[[P:.*]] = vector.from_elements %[[E0]], %[[E1]] : vector<2xf32>
// CHECK: %[[G:.*]] = arith.mulf %[[P]], %{{.*}} {wave.exact} : vector<2xf32>
// CHECK: %[[H:.*]] = math.fma %[[P]], %{{.*}}, %[[G]] : vector<2xf32>
// CHECK: arith.truncf %[[H]] toward_zero fastmath<nnan> : vector<2xf32> to vector<2xbf16>
wave.kernel @weights(%p: !wave.ptr, %a: vector<4xbf16>, %m: f32) attributes {lds_bytes = 0 : i64, threads = 512 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %scale = arith.constant 0.125 : f32
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %none = arith.constant 0.0 : f32
  %first = arith.constant dense<0.0> : vector<2xbf16>
  %sum, %last = scf.for %i = %c0 to %c8 step %c1 iter_args(%l = %none, %w = %first) -> (f32, vector<2xbf16>) : i32 {
    %s = wave.mfma [16, 16, 16] %a, %a, %zero : vector<4xbf16>, vector<4xbf16>, vector<4xf32> -> vector<4xf32>
    %s0 = vector.extract %s[0] : f32 from vector<4xf32>
    %s1 = vector.extract %s[1] : f32 from vector<4xf32>
    %s2 = vector.extract %s[2] : f32 from vector<4xf32>
    %s3 = vector.extract %s[3] : f32 from vector<4xf32>
    %t0 = arith.mulf %s0, %scale : f32
    %d0 = arith.subf %t0, %m : f32
    %e0 = math.exp2 %d0 : f32
    %t1 = arith.mulf %s1, %scale : f32
    %d1 = arith.subf %t1, %m : f32
    %e1 = math.exp2 %d1 : f32
    %t2 = arith.mulf %s2, %scale : f32
    %d2 = arith.subf %t2, %m : f32
    %e2 = math.exp2 %d2 : f32
    %t3 = arith.mulf %s3, %scale : f32
    %d3 = arith.subf %t3, %m : f32
    %e3 = math.exp2 %d3 : f32
    %u1 = arith.addf %e0, %e1 {wave.reduction} : f32
    %u2 = arith.addf %u1, %e2 {wave.reduction} : f32
    %u3 = arith.addf %u2, %e3 {wave.reduction} : f32
    %n = arith.addf %l, %u3 : f32
    %pair = vector.from_elements %e0, %e1 : vector<2xf32>
    %r = arith.truncf %pair fastmath<nnan> {wave.bounded} : vector<2xf32> to vector<2xbf16>
    scf.yield %n, %r : f32, vector<2xbf16>
  }
  wave.global_store %sum, %p[%c0 : i32] : f32
  wave.global_store %last, %p[%c8 : i32] : vector<2xbf16>
  wave.return
}
