// RUN: tlc-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-pack-conversions))' | FileCheck %s

// Four roundings become one of a vector. That of exponentials of matrix
// products needs no test for NaN. No exponential is a tie.
// CHECK-LABEL: wave.kernel @weights
// CHECK: %[[V:.*]] = vector.from_elements {{.*}} : vector<2xf32>
// CHECK-NEXT: arith.truncf %[[V]] to_nearest_away fastmath<nnan> : vector<2xf32> to vector<2xbf16>
// CHECK-NOT: f32 to bf16
wave.kernel @weights(%p: !wave.ptr, %a: vector<4xbf16>) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %scale = arith.constant 0.125 : f32
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %s = wave.mfma [16, 16, 16] %a, %a, %zero : vector<4xbf16>, vector<4xbf16>, vector<4xf32> -> vector<4xf32>
  %s0 = vector.extract %s[0] : f32 from vector<4xf32>
  %s1 = vector.extract %s[1] : f32 from vector<4xf32>
  %t0 = arith.mulf %s0, %scale : f32
  %t1 = arith.mulf %s1, %scale : f32
  %m = arith.maxnumf %t0, %t1 : f32
  %d0 = arith.subf %t0, %m : f32
  %d1 = arith.subf %t1, %m : f32
  %e0 = math.exp2 %d0 : f32
  %e1 = math.exp2 %d1 : f32
  %r0 = arith.truncf %e0 : f32 to bf16
  %r1 = arith.truncf %e1 : f32 to bf16
  %r = vector.from_elements %r0, %r1 : vector<2xbf16>
  wave.global_store %r, %p[%c0 : i32] : vector<2xbf16>
  wave.return
}

// Other values keep the test.
// CHECK-LABEL: wave.kernel @values
// CHECK: arith.truncf %{{.*}} : vector<2xf32> to vector<2xbf16>
wave.kernel @values(%p: !wave.ptr, %x: f32, %y: f32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %e0 = math.exp2 %x : f32
  %r0 = arith.truncf %e0 : f32 to bf16
  %r1 = arith.truncf %y : f32 to bf16
  %r = vector.from_elements %r0, %r1 : vector<2xbf16>
  wave.global_store %r, %p[%c0 : i32] : vector<2xbf16>
  wave.return
}

// A declared rounding stays the vector's; towards zero f16 is put together too.
// CHECK-LABEL: wave.kernel @declared
// CHECK: arith.truncf %{{.*}} to_nearest_away : vector<2xf32> to vector<2xbf16>
// CHECK: arith.truncf %{{.*}} toward_zero : vector<2xf32> to vector<2xf16>
wave.kernel @declared(%p: !wave.ptr, %x: f32, %y: f32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %r0 = arith.truncf %x to_nearest_away : f32 to bf16
  %r1 = arith.truncf %y to_nearest_away : f32 to bf16
  %r = vector.from_elements %r0, %r1 : vector<2xbf16>
  %h0 = arith.truncf %x toward_zero : f32 to f16
  %h1 = arith.truncf %y toward_zero : f32 to f16
  %h = vector.from_elements %h0, %h1 : vector<2xf16>
  wave.global_store %r, %p[%c0 : i32] : vector<2xbf16>
  wave.global_store %h, %p[%c0 : i32] : vector<2xf16>
  wave.return
}

// Four roundings become two, so that each pair can stand beside another matrix
// instruction; putting them together again is no instruction.
// CHECK-LABEL: wave.kernel @four
// CHECK-COUNT-2: arith.truncf %{{.*}} : vector<2xf32> to vector<2xbf16>
// CHECK-NOT: arith.truncf
// CHECK: vector.from_elements {{.*}} : vector<2xi32>
// CHECK-NEXT: vector.bitcast {{.*}} : vector<2xi32> to vector<4xbf16>
wave.kernel @four(%p: !wave.ptr, %x: f32, %y: f32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %r0 = arith.truncf %x : f32 to bf16
  %r1 = arith.truncf %y : f32 to bf16
  %r2 = arith.truncf %x : f32 to bf16
  %r3 = arith.truncf %y : f32 to bf16
  %r = vector.from_elements %r0, %r1, %r2, %r3 : vector<4xbf16>
  wave.global_store %r, %p[%c0 : i32] : vector<4xbf16>
  wave.return
}

// To the nearest f16, in a loop.
// CHECK-LABEL: wave.kernel @nearest
// CHECK: scf.for
// CHECK: arith.truncf %{{.*}} : vector<2xf32> to vector<2xf16>
wave.kernel @nearest(%p: !wave.ptr, %x: f32, %y: f32, %n: i32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %r0 = arith.truncf %x : f32 to f16
    %r1 = arith.truncf %y : f32 to f16
    %r = vector.from_elements %r0, %r1 : vector<2xf16>
    wave.global_store %r, %p[%i : i32] : vector<2xf16>
  }
  wave.return
}

// An exponential that stays alone, to either base.
// CHECK-LABEL: wave.kernel @alone
// CHECK: math.exp2
// CHECK-NEXT: arith.truncf %{{.*}} to_nearest_away : f32 to bf16
// CHECK: math.exp %
// CHECK-NEXT: arith.truncf %{{.*}} to_nearest_away : f32 to bf16
wave.kernel @alone(%p: !wave.ptr, %x: f32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %e0 = math.exp2 %x : f32
  %r0 = arith.truncf %e0 : f32 to bf16
  %e1 = math.exp %x : f32
  %r1 = arith.truncf %e1 : f32 to bf16
  %v0 = vector.from_elements %r0 : vector<1xbf16>
  %v1 = vector.from_elements %r1 : vector<1xbf16>
  wave.global_store %v0, %p[%c0 : i32] : vector<1xbf16>
  wave.global_store %v1, %p[%c0 : i32] : vector<1xbf16>
  wave.return
}
