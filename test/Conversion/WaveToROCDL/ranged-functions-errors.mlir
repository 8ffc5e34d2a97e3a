// What keeps the range's price, or is left to code generation.
// RUN: tlc-opt %s --expand-wave-math --convert-wave-to-rocdl | FileCheck %s

// Rounded correctly where T.ieee_* asks for it.
// CHECK-LABEL: llvm.func {{.*}}@ieee
wave.kernel @ieee(%p: !wave.ptr) attributes {threads = 64 : i64, lds_bytes = 0 : i64} {
  %c0 = arith.constant 0 : i32
  %x = wave.global_load %p[%c0 : i32] : f32
  // CHECK: llvm.fdiv
  // CHECK: llvm.intr.sqrt
  // CHECK-NOT: amdgcn.rcp
  %a = arith.divf %x, %x {tile.ieee} : f32
  %b = math.sqrt %a {tile.ieee} : f32
  wave.global_store %b, %p[%c0 : i32] : f32
  wave.return
}

// The constant is too small for a sum never to be denormal; bf16 numbers may be.
// CHECK-LABEL: llvm.func {{.*}}@may_be_denormal
wave.kernel @may_be_denormal(%p: !wave.ptr) attributes {threads = 64 : i64, lds_bytes = 0 : i64} {
  %c0 = arith.constant 0 : i32
  %eps = arith.constant 1.0e-33 : f32
  %x = wave.global_load %p[%c0 : i32] : bf16
  %w = arith.extf %x : bf16 to f32
  // CHECK: ldexp
  // CHECK: llvm.amdgcn.rsq
  %a = math.rsqrt %w : f32
  // CHECK: ldexp
  // CHECK: llvm.amdgcn.log
  %b = arith.addf %a, %eps : f32
  %c = math.log2 %b : f32
  wave.global_store %c, %p[%c0 : i32] : f32
  wave.return
}

// A divisor above 2^126 has a reciprocal of 0: right below a numerator of 1,
// not of any.
// CHECK-LABEL: llvm.func {{.*}}@large_divisor
wave.kernel @large_divisor(%p: !wave.ptr) attributes {threads = 64 : i64, lds_bytes = 0 : i64} {
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : f32
  %x = wave.global_load %p[%c0 : i32] : f32
  %d = arith.addf %x, %one : f32
  // CHECK: frexp.mant
  %q = arith.divf %x, %d : f32
  wave.global_store %q, %p[%c0 : i32] : f32
  wave.return
}
