// RUN: tlc-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-group-broadcasts))' | FileCheck %s
// RUN: tlc-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-group-broadcasts),convert-wave-to-rocdl)' | FileCheck %s --check-prefix=LLVM

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

// Which of the values that all lanes have a step wants is a number that it
// computes: each lane keeps one of them, and the step reads that lane.
// CHECK-LABEL: wave.kernel @table
// CHECK: %[[LANE:.*]] = wave.lane_id
// CHECK: arith.cmpi eq, %[[LANE]], %c8
// CHECK: arith.cmpi eq, %[[LANE]], %c1
// CHECK: %[[TABLE:.*]] = arith.select
// CHECK-NEXT: scf.for %[[I:.*]] = %c0
// CHECK: %[[EXISTS:.*]] = arith.cmpi ult, %[[I]], %c64
// CHECK: %[[NUMBER:.*]] = arith.select %[[EXISTS]], %[[I]], %c0
// CHECK: %[[U:.*]] = wave.uniform %[[NUMBER]]
// CHECK: %[[X:.*]] = wave.shuffle %[[TABLE]], %[[U]]
// CHECK: arith.addf %{{.*}}, %[[X]]
// LLVM: llvm.call_intrinsic "llvm.amdgcn.readlane"
//
// In a branch that some lanes take there may be lanes without their value.
// CHECK-LABEL: wave.kernel @divergent
// CHECK-NOT: wave.shuffle
wave.kernel @table(%p: !wave.ptr) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c5 = arith.constant 5 : i32
  %c6 = arith.constant 6 : i32
  %c7 = arith.constant 7 : i32
  %c8 = arith.constant 8 : i32
  %c9 = arith.constant 9 : i32
  %zero = arith.constant 0.0 : f32
  %v = wave.global_load %p[%c0 : i32] : vector<4xf32>
  %w = wave.global_load %p[%c1 : i32] : vector<4xf32>
  %v0 = vector.extract %v[0] : f32 from vector<4xf32>
  %v1 = vector.extract %v[1] : f32 from vector<4xf32>
  %v2 = vector.extract %v[2] : f32 from vector<4xf32>
  %v3 = vector.extract %v[3] : f32 from vector<4xf32>
  %v4 = vector.extract %w[0] : f32 from vector<4xf32>
  %v5 = vector.extract %w[1] : f32 from vector<4xf32>
  %v6 = vector.extract %w[2] : f32 from vector<4xf32>
  %v7 = vector.extract %w[3] : f32 from vector<4xf32>
  %v8 = arith.addf %v0, %v1 : f32
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%s = %zero) -> (f32) : i32 {
    %i1 = arith.cmpi eq, %i, %c1 : i32
    %s1 = arith.select %i1, %v1, %v0 : f32
    %i2 = arith.cmpi eq, %i, %c2 : i32
    %s2 = arith.select %i2, %v2, %s1 : f32
    %i3 = arith.cmpi eq, %i, %c3 : i32
    %s3 = arith.select %i3, %v3, %s2 : f32
    %i4 = arith.cmpi eq, %i, %c4 : i32
    %s4 = arith.select %i4, %v4, %s3 : f32
    %i5 = arith.cmpi eq, %i, %c5 : i32
    %s5 = arith.select %i5, %v5, %s4 : f32
    %i6 = arith.cmpi eq, %i, %c6 : i32
    %s6 = arith.select %i6, %v6, %s5 : f32
    %i7 = arith.cmpi eq, %i, %c7 : i32
    %s7 = arith.select %i7, %v7, %s6 : f32
    %i8 = arith.cmpi eq, %i, %c8 : i32
    %s8 = arith.select %i8, %v8, %s7 : f32
    %sum = arith.addf %s, %s8 : f32
    scf.yield %sum : f32
  }
  wave.global_store %r, %p[%c0 : i32] : f32
  wave.return
}
wave.kernel @divergent(%p: !wave.ptr) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c5 = arith.constant 5 : i32
  %c6 = arith.constant 6 : i32
  %c7 = arith.constant 7 : i32
  %c8 = arith.constant 8 : i32
  %c9 = arith.constant 9 : i32
  %zero = arith.constant 0.0 : f32
  %t = wave.thread_id
  %few = arith.cmpi slt, %t, %c9 : i32
  scf.if %few {
    %v = wave.global_load %p[%c0 : i32] : vector<4xf32>
    %w = wave.global_load %p[%c1 : i32] : vector<4xf32>
    %v0 = vector.extract %v[0] : f32 from vector<4xf32>
    %v1 = vector.extract %v[1] : f32 from vector<4xf32>
    %v2 = vector.extract %v[2] : f32 from vector<4xf32>
    %v3 = vector.extract %v[3] : f32 from vector<4xf32>
    %v4 = vector.extract %w[0] : f32 from vector<4xf32>
    %v5 = vector.extract %w[1] : f32 from vector<4xf32>
    %v6 = vector.extract %w[2] : f32 from vector<4xf32>
    %v7 = vector.extract %w[3] : f32 from vector<4xf32>
    %v8 = arith.addf %v0, %v1 : f32
    %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%s = %zero) -> (f32) : i32 {
      %i1 = arith.cmpi eq, %i, %c1 : i32
      %s1 = arith.select %i1, %v1, %v0 : f32
      %i2 = arith.cmpi eq, %i, %c2 : i32
      %s2 = arith.select %i2, %v2, %s1 : f32
      %i3 = arith.cmpi eq, %i, %c3 : i32
      %s3 = arith.select %i3, %v3, %s2 : f32
      %i4 = arith.cmpi eq, %i, %c4 : i32
      %s4 = arith.select %i4, %v4, %s3 : f32
      %i5 = arith.cmpi eq, %i, %c5 : i32
      %s5 = arith.select %i5, %v5, %s4 : f32
      %i6 = arith.cmpi eq, %i, %c6 : i32
      %s6 = arith.select %i6, %v6, %s5 : f32
      %i7 = arith.cmpi eq, %i, %c7 : i32
      %s7 = arith.select %i7, %v7, %s6 : f32
      %i8 = arith.cmpi eq, %i, %c8 : i32
      %s8 = arith.select %i8, %v8, %s7 : f32
      %sum = arith.addf %s, %s8 : f32
      scf.yield %sum : f32
    }
    wave.global_store %r, %p[%c0 : i32] : f32
  }
  wave.return
}
