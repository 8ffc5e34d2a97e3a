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
