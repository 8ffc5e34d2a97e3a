// RUN: tlc-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-skip-rescale{minimum=4}))' | FileCheck %s

// The tuple is multiplied only where some lane's factor is not one, and the
// products whose difference decides are rounded alike.
// CHECK-LABEL: wave.kernel @online
// CHECK: scf.for {{.*}} iter_args(%[[MAX:.*]] = {{.*}}, %[[ACC:.*]] = %{{.*}})
// CHECK: arith.mulf %[[MAX]], %{{.*}} {wave.exact} : f32
// CHECK: arith.mulf %{{.*}} {wave.exact} : f32
// CHECK: %[[F:.*]] = math.exp2
// CHECK: %[[MOVED:.*]] = arith.cmpf une, %[[F]], %{{.*}} : f32
// CHECK: %[[ANY:.*]] = wave.any %[[MOVED]]
// CHECK: %[[R:.*]] = scf.if %[[ANY]] -> (vector<4xf32>)
// CHECK: %[[P:.*]] = arith.mulf %[[ACC]], %{{.*}} : vector<4xf32>
// CHECK: scf.yield %[[P]]
// CHECK: } else {
// CHECK: scf.yield %[[ACC]]
// CHECK: wave.mfma [16, 16, 16] %{{.*}}, %{{.*}}, %[[R]]
wave.kernel @online(%p: !wave.ptr, %a: vector<4xf16>, %s: f32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %scale = arith.constant 0.125 : f32
  %low = arith.constant -1.0 : f32
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%max = %low, %acc = %zero) -> (f32, vector<4xf32>) : i32 {
    %next = arith.maxnumf %max, %s : f32
    %m0 = arith.mulf %max, %scale : f32
    %m1 = arith.mulf %next, %scale : f32
    %d = arith.subf %m0, %m1 : f32
    %f = math.exp2 %d : f32
    %e0 = vector.extract %acc[0] : f32 from vector<4xf32>
    %e1 = vector.extract %acc[1] : f32 from vector<4xf32>
    %e2 = vector.extract %acc[2] : f32 from vector<4xf32>
    %e3 = vector.extract %acc[3] : f32 from vector<4xf32>
    %p0 = arith.mulf %e0, %f : f32
    %p1 = arith.mulf %e1, %f : f32
    %p2 = arith.mulf %e2, %f : f32
    %p3 = arith.mulf %e3, %f : f32
    %scaled = vector.from_elements %p0, %p1, %p2, %p3 : vector<4xf32>
    %n = wave.mfma [16, 16, 16] %a, %a, %scaled : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    scf.yield %next, %n : f32, vector<4xf32>
  }
  wave.global_store %r#1, %p[%c0 : i32] : vector<4xf32>
  wave.return
}
