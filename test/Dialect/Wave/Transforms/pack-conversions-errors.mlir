// RUN: tlc-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-pack-conversions))' | FileCheck %s

// Left alone: a scalar that is used elsewhere too, an odd number of them, f16
// to the nearest outside of loops.
// CHECK-LABEL: wave.kernel @others
// CHECK-NOT: vector<2xf32>
// CHECK-NOT: vector<3xf32>
// CHECK: wave.return
wave.kernel @others(%p: !wave.ptr, %x: f32, %y: f32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %r0 = arith.truncf %x : f32 to bf16
  %r1 = arith.truncf %y : f32 to bf16
  %twice = vector.from_elements %r0, %r0 : vector<2xbf16>
  %odd = vector.from_elements %r1, %r0, %r0 : vector<3xbf16>
  %h0 = arith.truncf %x : f32 to f16
  %h1 = arith.truncf %y : f32 to f16
  %half = vector.from_elements %h0, %h1 : vector<2xf16>
  wave.global_store %twice, %p[%c0 : i32] : vector<2xbf16>
  wave.global_store %odd, %p[%c0 : i32] : vector<3xbf16>
  wave.global_store %half, %p[%c0 : i32] : vector<2xf16>
  wave.return
}

// What is subtracted is given, and may be any NaN: the test stays.
// CHECK-LABEL: wave.kernel @given
// CHECK: arith.truncf %{{.*}} to_nearest_away : vector<2xf32> to vector<2xbf16>
wave.kernel @given(%p: !wave.ptr, %a: vector<4xbf16>, %m: f32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %s = wave.mfma [16, 16, 16] %a, %a, %zero : vector<4xbf16>, vector<4xbf16>, vector<4xf32> -> vector<4xf32>
  %s0 = vector.extract %s[0] : f32 from vector<4xf32>
  %s1 = vector.extract %s[1] : f32 from vector<4xf32>
  %d0 = arith.subf %s0, %m : f32
  %d1 = arith.subf %s1, %m : f32
  %e0 = math.exp2 %d0 : f32
  %e1 = math.exp2 %d1 : f32
  %r0 = arith.truncf %e0 : f32 to bf16
  %r1 = arith.truncf %e1 : f32 to bf16
  %r = vector.from_elements %r0, %r1 : vector<2xbf16>
  wave.global_store %r, %p[%c0 : i32] : vector<2xbf16>
  wave.return
}

// Two that are rounded unlike each other.
// CHECK-LABEL: wave.kernel @unlike
// CHECK-NOT: vector<2xf32>
// CHECK: wave.return
wave.kernel @unlike(%p: !wave.ptr, %x: f32, %y: f32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %r0 = arith.truncf %x toward_zero : f32 to bf16
  %r1 = arith.truncf %y : f32 to bf16
  %r = vector.from_elements %r0, %r1 : vector<2xbf16>
  wave.global_store %r, %p[%c0 : i32] : vector<2xbf16>
  wave.return
}

// Ties stay even: of a pair with one exponential, of what is computed from one,
// of f16; another rounding stays what it is.
// CHECK-LABEL: wave.kernel @ties
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK: arith.truncf %{{.*}} toward_zero : f32 to bf16
// CHECK-COUNT-2: arith.truncf %{{[^ ]*}} : vector<2xf32> to vector<2xbf16>
// CHECK-NOT: to_nearest_away
// CHECK: wave.return
wave.kernel @ties(%p: !wave.ptr, %x: f32, %y: f32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %e = math.exp2 %x : f32
  %f = arith.addf %e, %y : f32
  %a0 = arith.truncf %e : f32 to bf16
  %a1 = arith.truncf %y : f32 to bf16
  %b0 = arith.truncf %f : f32 to bf16
  %b1 = arith.truncf %f : f32 to bf16
  %h = arith.truncf %e : f32 to f16
  %z = arith.truncf %e toward_zero : f32 to bf16
  %a = vector.from_elements %a0, %a1 : vector<2xbf16>
  %b = vector.from_elements %b0, %b1 : vector<2xbf16>
  %hv = vector.from_elements %h : vector<1xf16>
  %zv = vector.from_elements %z : vector<1xbf16>
  wave.global_store %a, %p[%c0 : i32] : vector<2xbf16>
  wave.global_store %b, %p[%c0 : i32] : vector<2xbf16>
  wave.global_store %hv, %p[%c0 : i32] : vector<1xf16>
  wave.global_store %zv, %p[%c0 : i32] : vector<1xbf16>
  wave.return
}
