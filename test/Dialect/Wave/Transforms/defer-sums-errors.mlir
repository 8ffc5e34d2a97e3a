// What must stay: each lane's part of a sum is all it has of it afterwards.
// RUN: tlc-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-defer-sums))' | FileCheck %s

// Terms of both signs: partial sums may be far larger than the whole.
// CHECK-LABEL: wave.kernel @signed
// CHECK: scf.for
// CHECK: wave.shuffle_xor
// CHECK: scf.yield
wave.kernel @signed(%p: !wave.ptr, %n: i32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lane = wave.lane_id
  %x = arith.sitofp %lane : i32 to f32
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%l = %zero) -> (f32) : i32 {
    %o = wave.shuffle_xor %x, 32 : f32
    %t = arith.addf %x, %o : f32
    %next = arith.addf %l, %t : f32
    scf.yield %next : f32
  }
  wave.global_store %r, %p[%c0 : i32] : f32
  wave.return
}

// A factor that the lanes do not share.
// CHECK-LABEL: wave.kernel @factor
// CHECK: scf.for
// CHECK: wave.shuffle_xor
// CHECK: scf.yield
wave.kernel @factor(%p: !wave.ptr, %n: i32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lane = wave.lane_id
  %x = arith.sitofp %lane : i32 to f32
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%l = %zero) -> (f32) : i32 {
    %e = math.exp2 %x : f32
    %o = wave.shuffle_xor %e, 32 : f32
    %t = arith.addf %e, %o : f32
    %m = arith.mulf %l, %x : f32
    %next = arith.addf %m, %t : f32
    scf.yield %next : f32
  }
  wave.global_store %r, %p[%c0 : i32] : f32
  wave.return
}

// A sum that begins with something, which one lane would have to take.
// CHECK-LABEL: wave.kernel @start
// CHECK: scf.for
// CHECK: wave.shuffle_xor
// CHECK: scf.yield
wave.kernel @start(%p: !wave.ptr, %n: i32, %l0: f32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lane = wave.lane_id
  %x = arith.sitofp %lane : i32 to f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%l = %l0) -> (f32) : i32 {
    %e = math.exp2 %x : f32
    %o = wave.shuffle_xor %e, 32 : f32
    %t = arith.addf %e, %o : f32
    %next = arith.addf %l, %t : f32
    scf.yield %next : f32
  }
  wave.global_store %r, %p[%c0 : i32] : f32
  wave.return
}

// A running sum that each iteration reads.
// CHECK-LABEL: wave.kernel @read
// CHECK: scf.for
// CHECK: wave.shuffle_xor
// CHECK: scf.yield
wave.kernel @read(%p: !wave.ptr, %n: i32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lane = wave.lane_id
  %x = arith.sitofp %lane : i32 to f32
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%l = %zero) -> (f32) : i32 {
    wave.global_store %l, %p[%c0 : i32] : f32
    %e = math.exp2 %x : f32
    %o = wave.shuffle_xor %e, 32 : f32
    %t = arith.addf %e, %o : f32
    %next = arith.addf %l, %t : f32
    scf.yield %next : f32
  }
  wave.global_store %r, %p[%c0 : i32] : f32
  wave.return
}

// Halves that are parts of something else: the lower one has any sign.
// CHECK-LABEL: wave.kernel @parts
// CHECK: scf.for
// CHECK: wave.shuffle_xor
// CHECK: scf.yield
wave.kernel @parts(%p: !wave.ptr, %n: i32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lane = wave.lane_id
  %x = arith.sitofp %lane : i32 to f32
  %zero = arith.constant 0.0 : f32
  %ones = arith.constant dense<1.0> : vector<2xf16>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%l = %zero) -> (f32) : i32 {
    %e = math.exp2 %x : f32
    %v = vector.from_elements %e : vector<1xf32>
    %h = vector.bitcast %v : vector<1xf32> to vector<2xf16>
    %d = wave.dot2 %h, %ones, %zero : vector<2xf16>, vector<2xf16>
    %o = wave.shuffle_xor %d, 32 : f32
    %t = arith.addf %d, %o : f32
    %next = arith.addf %l, %t : f32
    scf.yield %next : f32
  }
  wave.global_store %r, %p[%c0 : i32] : f32
  wave.return
}
