// What the pass must leave alone.
// RUN: tlc-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-guard-maximum{minimum=4}))' | FileCheck %s

// The maximum of lanes that need not agree: a lane's own scores do not tell
// whether it moves.
// CHECK-LABEL: wave.kernel @apart
// CHECK-NOT: wave.any
// CHECK: wave.return
wave.kernel @apart(%p: !wave.ptr, %a: vector<4xf16>, %n: i32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lane = wave.lane_id
  %x = arith.sitofp %lane : i32 to f32
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%max = %x, %acc = %zero) -> (f32, vector<4xf32>) : i32 {
    %s = arith.addf %x, %x : f32
    %o = wave.shuffle_xor %s, 32 : f32
    %b = arith.maxnumf %s, %o : f32
    %next = arith.maxnumf %max, %b : f32
    %d = arith.subf %max, %next : f32
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

// A factor that also depends on the iteration.
// CHECK-LABEL: wave.kernel @other
// CHECK-NOT: wave.any
// CHECK: wave.return
wave.kernel @other(%p: !wave.ptr, %a: vector<4xf16>, %n: i32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %low = arith.constant 0xFF800000 : f32
  %lane = wave.lane_id
  %x = arith.sitofp %lane : i32 to f32
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%max = %low, %acc = %zero) -> (f32, vector<4xf32>) : i32 {
    %s = arith.addf %x, %x : f32
    %next = arith.maxnumf %max, %s : f32
    %t = arith.sitofp %i : i32 to f32
    %d = arith.subf %max, %t : f32
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
