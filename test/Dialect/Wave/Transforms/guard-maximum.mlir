// RUN: tlc-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-guard-maximum{minimum=4}))' | FileCheck %s

// While no lane has a score above its threshold nothing is computed or
// exchanged, and the shift is the one that the loop carries. Nobody reads the
// factor then. What follows from the old maximum comes before the new one.
// CHECK-LABEL: wave.kernel @online
// CHECK: %[[NAN:.*]] = arith.constant 0x7FC00000 : f32
// CHECK: %[[START:.*]] = arith.select %{{.*}}, %{{.*}}, %[[NAN]] : f32
// CHECK: %[[R:.*]]:5 = scf.for {{.*}} iter_args(%[[MAX:.*]] = {{.*}}, %[[SUM:.*]] = {{.*}}, %[[ACC:.*]] = {{.*}}, %[[T:.*]] = %[[START]], %[[S0:.*]] = {{.*}})
// CHECK: %[[P:.*]] = arith.addf
// CHECK-NOT: wave.shuffle_xor
// CHECK: %[[MOVED:.*]] = arith.cmpf ugt, %[[P]], %[[T]] : f32
// CHECK: %[[ANY:.*]] = wave.any %[[MOVED]]
// CHECK: %[[B:.*]]:4 = scf.if %[[ANY]]
// CHECK: arith.mulf %[[MAX]]
// CHECK: wave.shuffle_xor %[[P]], 32
// CHECK: wave.sched_barrier
// CHECK: %[[NEXT:.*]] = arith.maxnumf %[[MAX]]
// CHECK-NOT: %[[MAX]]
// CHECK: arith.cmpf oeq, %[[NEXT]], %{{.*}} : f32
// CHECK: %[[SAME:.*]] = arith.cmpf oeq
// CHECK: %[[LIMIT:.*]] = arith.select %[[SAME]], %[[NEXT]], %{{.*}} : f32
// CHECK: math.exp2
// CHECK: scf.yield %[[NEXT]], %[[LIMIT]]
// CHECK: } else {
// CHECK: %[[ANY_FACTOR:.*]] = ub.poison : f32
// CHECK: scf.yield %[[MAX]], %[[T]], %[[S0]], %[[ANY_FACTOR]] :
// CHECK: arith.subf %{{.*}}, %[[B]]#2 : f32
// CHECK: math.exp2
// CHECK: %[[A:.*]]:2 = scf.if %[[ANY]] -> (vector<4xf32>, f32)
// CHECK: arith.mulf %[[ACC]]
// CHECK: arith.mulf %[[SUM]]
// CHECK: } else {
// CHECK: scf.yield %[[ACC]], %[[SUM]]
// CHECK: arith.addf %[[A]]#1
// CHECK: wave.mfma [16, 16, 16] %{{.*}}, %{{.*}}, %[[A]]#0
// CHECK: scf.yield %[[B]]#0, %{{.*}}, %{{.*}}, %[[B]]#1, %[[B]]#2 :
wave.kernel @online(%p: !wave.ptr, %a: vector<4xf16>, %n: i32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lane = wave.lane_id
  %x = arith.sitofp %lane : i32 to f32
  %scale = arith.constant 0.125 : f32
  %low = arith.constant 0xFF800000 : f32
  %none = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%max = %low, %sum = %none, %acc = %zero) -> (f32, f32, vector<4xf32>) : i32 {
    %s = arith.addf %x, %x : f32
    %o = wave.shuffle_xor %s, 32 : f32
    %b = arith.maxnumf %s, %o : f32
    %next = arith.maxnumf %max, %b : f32
    %unseen = arith.cmpf oeq, %next, %low : f32
    %m1 = arith.mulf %next, %scale : f32
    %shift = arith.select %unseen, %none, %m1 : f32
    %m0 = arith.mulf %max, %scale : f32
    %d = arith.subf %m0, %shift : f32
    %f = math.exp2 %d : f32
    %ss = arith.mulf %s, %scale : f32
    %sd = arith.subf %ss, %shift : f32
    %w = math.exp2 %sd : f32
    %sf = arith.mulf %sum, %f : f32
    %sn = arith.addf %sf, %w : f32
    %e0 = vector.extract %acc[0] : f32 from vector<4xf32>
    %e1 = vector.extract %acc[1] : f32 from vector<4xf32>
    %e2 = vector.extract %acc[2] : f32 from vector<4xf32>
    %e3 = vector.extract %acc[3] : f32 from vector<4xf32>
    %p0 = arith.mulf %e0, %f : f32
    %p1 = arith.mulf %e1, %f : f32
    %p2 = arith.mulf %e2, %f : f32
    %p3 = arith.mulf %e3, %f : f32
    %scaled = vector.from_elements %p0, %p1, %p2, %p3 : vector<4xf32>
    %acc2 = wave.mfma [16, 16, 16] %a, %a, %scaled : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    scf.yield %next, %sn, %acc2 : f32, f32, vector<4xf32>
  }
  wave.global_store %r#1, %p[%c0 : i32] : f32
  wave.global_store %r#2, %p[%c0 : i32] : vector<4xf32>
  wave.return
}

// With a declared lag of 2^4 the threshold is 4 / 0.125 above the maximum; and
// what a maximum is at least goes into the exchange, so that this can move.
// CHECK-LABEL: wave.kernel @lazy
// CHECK: %[[LAG:.*]] = arith.constant 3.200000e+01 : f32
// CHECK: scf.for
// CHECK: %[[P:.*]] = arith.maxnumf
// CHECK-NOT: wave.shuffle_xor
// CHECK: %[[MOVED:.*]] = arith.cmpf ugt, %[[P]]
// CHECK: scf.if
// CHECK: wave.shuffle_xor %[[P]], 32
// CHECK: %[[NEXT:.*]] = arith.maxnumf %{{.*}}, %{{.*}} : f32
// CHECK: arith.addf %{{.*}}, %[[LAG]] : f32
// CHECK: arith.select
wave.kernel @lazy(%p: !wave.ptr, %a: vector<4xf16>, %n: i32) attributes {lds_bytes = 0 : i64, threads = 64 : i64, wave.lazy_maximum = 4.0 : f32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lane = wave.lane_id
  %x = arith.sitofp %lane : i32 to f32
  %scale = arith.constant 0.125 : f32
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%max = %low, %acc = %zero) -> (f32, vector<4xf32>) : i32 {
    %s = arith.addf %x, %x : f32
    %o = wave.shuffle_xor %s, 32 : f32
    %b = arith.maxnumf %s, %o : f32
    %least = arith.maxnumf %b, %low : f32
    %next = arith.maxnumf %max, %least : f32
    %m1 = arith.mulf %next, %scale : f32
    %m0 = arith.mulf %max, %scale : f32
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
    %acc2 = wave.mfma [16, 16, 16] %a, %a, %scaled : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    scf.yield %next, %acc2 : f32, vector<4xf32>
  }
  wave.global_store %r#1, %p[%c0 : i32] : vector<4xf32>
  wave.return
}
