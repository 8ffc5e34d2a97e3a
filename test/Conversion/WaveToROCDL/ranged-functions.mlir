// RUN: tlc-opt %s --expand-wave-math --convert-wave-to-rocdl | FileCheck %s

// A product and the instruction; nothing for overflow or denormals.
// CHECK-LABEL: llvm.func {{.*}}@exp
wave.kernel @exp(%p: !wave.ptr) attributes {threads = 64 : i64, lds_bytes = 0 : i64} {
  %c0 = arith.constant 0 : i32
  %x = wave.global_load %p[%c0 : i32] : f32
  // CHECK: %[[P:.*]] = llvm.fmul %{{.*}}, %{{.*}} : f32
  // CHECK-NEXT: llvm.call_intrinsic "llvm.amdgcn.exp2"(%[[P]])
  // CHECK-NOT: llvm.f
  // CHECK: llvm.store
  %y = math.exp %x : f32
  wave.global_store %y, %p[%c0 : i32] : f32
  wave.return
}

// CHECK-LABEL: llvm.func {{.*}}@any_operand
wave.kernel @any_operand(%p: !wave.ptr) attributes {threads = 64 : i64, lds_bytes = 0 : i64} {
  %c0 = arith.constant 0 : i32
  %x = wave.global_load %p[%c0 : i32] : f32
  // CHECK: %[[TINY:.*]] = llvm.fcmp "olt"
  // CHECK: llvm.select %[[TINY]]
  // CHECK: %[[S:.*]] = llvm.call_intrinsic "llvm.ldexp"
  // CHECK: %[[L:.*]] = llvm.call_intrinsic "llvm.amdgcn.log"(%[[S]])
  // CHECK: %[[O:.*]] = llvm.select %[[TINY]]
  // CHECK: llvm.call_intrinsic "llvm.fma"(%[[L]], %{{.*}}, %[[O]])
  %a = math.log %x : f32
  wave.global_store %a, %p[%c0 : i32] : f32
  // CHECK: %[[S:.*]] = llvm.call_intrinsic "llvm.ldexp"
  // CHECK: %[[R:.*]] = llvm.call_intrinsic "llvm.amdgcn.sqrt"(%[[S]])
  // CHECK: llvm.call_intrinsic "llvm.ldexp"(%[[R]],
  %b = math.sqrt %x : f32
  wave.global_store %b, %p[%c0 : i32] : f32
  // By mantissas and exponents: neither may leave the reciprocal's range.
  // CHECK: frexp.mant
  // CHECK: frexp.exp
  // CHECK: llvm.amdgcn.rcp
  // CHECK: frexp.mant
  // CHECK: frexp.exp
  // CHECK: llvm.call_intrinsic "llvm.ldexp"
  %c = arith.divf %b, %x : f32
  wave.global_store %c, %p[%c0 : i32] : f32
  wave.return
}

// A sum with a constant is never denormal.
// CHECK-LABEL: llvm.func {{.*}}@sums
wave.kernel @sums(%p: !wave.ptr) attributes {threads = 64 : i64, lds_bytes = 0 : i64} {
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %x = wave.global_load %p[%c0 : i32] : f32
  // CHECK: %[[E:.*]] = llvm.fadd
  // CHECK-NEXT: llvm.call_intrinsic "llvm.amdgcn.rsq"(%[[E]])
  %a = arith.addf %x, %eps : f32
  %b = math.rsqrt %a : f32
  // CHECK: %[[D:.*]] = llvm.fadd
  // CHECK-NEXT: llvm.call_intrinsic "llvm.amdgcn.rcp"(%[[D]])
  // CHECK-NOT: ldexp
  %c = arith.addf %one, %b : f32
  %d = arith.divf %one, %c : f32
  wave.global_store %d, %p[%c0 : i32] : f32
  wave.return
}

// f16 numbers, denormal ones too, are normal in f32, and their reciprocals.
// CHECK-LABEL: llvm.func {{.*}}@half
wave.kernel @half(%p: !wave.ptr) attributes {threads = 64 : i64, lds_bytes = 0 : i64} {
  %c0 = arith.constant 0 : i32
  %x = wave.global_load %p[%c0 : i32] : f16
  %w = arith.extf %x : f16 to f32
  // CHECK: llvm.amdgcn.rcp
  // CHECK-NOT: fdiv
  %q = arith.divf %x, %x : f16
  wave.global_store %q, %p[%c0 : i32] : f16
  // CHECK-NOT: ldexp
  // CHECK: llvm.amdgcn.log
  %a = math.log2 %w : f32
  // CHECK: %[[R:.*]] = llvm.call_intrinsic "llvm.amdgcn.rcp"
  // CHECK-NEXT: llvm.fmul %{{.*}}, %[[R]]
  // CHECK-NOT: ldexp
  %b = arith.divf %a, %w : f32
  wave.global_store %b, %p[%c0 : i32] : f32
  wave.return
}
