// What must stay as it is.
// RUN: tlc-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-dot-sums))' | FileCheck %s
// CHECK-NOT: wave.dot2

// Additions whose order the program gives.
// CHECK-LABEL: wave.kernel @ordered
wave.kernel @ordered(%p: !wave.ptr, %a: f32, %b: f32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %h0 = arith.truncf %a : f32 to f16
  %h1 = arith.truncf %b : f32 to f16
  %x0 = arith.extf %h0 : f16 to f32
  %x1 = arith.extf %h1 : f16 to f32
  %s = arith.addf %x0, %x1 : f32
  %v = vector.from_elements %h0, %h1 : vector<2xf16>
  wave.global_store %v, %p[%c0 : i32] : vector<2xf16>
  wave.global_store %s, %p[%c0 : i32] : f32
  wave.return
}

// A pair of which the reduction has one half only; halves that nothing puts
// together; bf16.
// CHECK-LABEL: wave.kernel @others
wave.kernel @others(%p: !wave.ptr, %a: f32, %b: f32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %h0 = arith.truncf %a : f32 to f16
  %h1 = arith.truncf %b : f32 to f16
  %h2 = arith.truncf %b : f32 to f16
  %x0 = arith.extf %h0 : f16 to f32
  %x2 = arith.extf %h2 : f16 to f32
  %s = arith.addf %x0, %x2 {wave.reduction} : f32
  %v = vector.from_elements %h0, %h1 : vector<2xf16>
  %g0 = arith.truncf %a : f32 to bf16
  %g1 = arith.truncf %b : f32 to bf16
  %y0 = arith.extf %g0 : bf16 to f32
  %y1 = arith.extf %g1 : bf16 to f32
  %t = arith.addf %y0, %y1 {wave.reduction} : f32
  %w = vector.from_elements %g0, %g1 : vector<2xbf16>
  wave.global_store %v, %p[%c0 : i32] : vector<2xf16>
  wave.global_store %w, %p[%c0 : i32] : vector<2xbf16>
  wave.global_store %s, %p[%c0 : i32] : f32
  wave.global_store %t, %p[%c0 : i32] : f32
  wave.return
}
