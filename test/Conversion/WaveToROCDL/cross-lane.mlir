// RUN: tlc-opt %s --convert-wave-to-rocdl | FileCheck %s

// CHECK-LABEL: llvm.func amdgpu_kernelcc @shuffles
wave.kernel @shuffles(%p: !wave.ptr) attributes {threads = 64 : i64, lds_bytes = 0 : i64} {
  %c0 = arith.constant 0 : i32
  %x = wave.global_load %p[%c0 : i32] : f32
  // quad_perm:[1,0,3,2] is 177.
  // CHECK: %[[C:.*]] = llvm.mlir.constant(177 : i32)
  // CHECK: "llvm.amdgcn.update.dpp"(%{{.*}}, %{{.*}}, %[[C]]
  %a = wave.shuffle_xor %x, 1 : f32
  // lane ^ 4 is lane ^ 3 ^ 7: two moves.
  // CHECK-COUNT-2: "llvm.amdgcn.update.dpp"
  %b = wave.shuffle_xor %a, 4 : f32
  // CHECK: llvm.mlir.constant(16415 : i32)
  // CHECK: "llvm.amdgcn.ds.swizzle"
  %c = wave.shuffle_xor %b, 16 : f32
  // CHECK: "llvm.amdgcn.ds.bpermute"
  %d = wave.shuffle_xor %c, 32 : f32
  %h = arith.truncf %d : f32 to f16
  // A 16-bit value travels in a whole register.
  // CHECK: llvm.zext {{.*}} : i16 to i32
  // CHECK: "llvm.amdgcn.update.dpp"
  // CHECK: llvm.trunc {{.*}} : i32 to i16
  %e = wave.shuffle_xor %h, 2 : f16
  %f = arith.extf %e : f16 to f64
  // A 64-bit value in two.
  // CHECK-COUNT-2: "llvm.amdgcn.update.dpp"
  %g = wave.shuffle_xor %f, 8 : f64
  // A lane that is known: through a scalar register. Another: the crossbar.
  // CHECK-COUNT-2: "llvm.amdgcn.readlane"
  %i = wave.shuffle %g, %c0 : f64 -> f64
  %lane = wave.lane_id
  // CHECK-COUNT-2: "llvm.amdgcn.ds.bpermute"
  %j = wave.shuffle %i, %lane : f64 -> f64
  wave.global_store %j, %p[%c0 : i32] : f64
  wave.return
}

// CHECK-LABEL: llvm.func amdgpu_kernelcc @matrix
wave.kernel @matrix(%p: !wave.ptr) attributes {threads = 64 : i64, lds_bytes = 0 : i64} {
  %c0 = arith.constant 0 : i32
  %a = wave.global_load %p[%c0 : i32] : vector<4xbf16>
  %q = wave.global_load %p[%c0 : i32] : vector<8xf8E4M3FNUZ>
  %r = wave.global_load %p[%c0 : i32] : vector<8xf8E5M2FNUZ>
  %c = wave.global_load %p[%c0 : i32] : vector<16xf32>
  // CHECK: "llvm.amdgcn.mfma.f32.32x32x8bf16.1k"({{.*}}) : (vector<4xi16>, vector<4xi16>, vector<16xf32>, i32, i32, i32) -> vector<16xf32>
  %d = wave.mfma [32, 32, 8] %a, %a, %c : vector<4xbf16>, vector<4xbf16>, vector<16xf32> -> vector<16xf32>
  // CHECK: "llvm.amdgcn.mfma.f32.32x32x16.fp8.bf8"({{.*}}) : (i64, i64, vector<16xf32>, i32, i32, i32) -> vector<16xf32>
  %e = wave.mfma [32, 32, 16] %q, %r, %d : vector<8xf8E4M3FNUZ>, vector<8xf8E5M2FNUZ>, vector<16xf32> -> vector<16xf32>
  wave.global_store %e, %p[%c0 : i32] : vector<16xf32>
  wave.return
}

// Two halves at a time.
// CHECK-LABEL: llvm.func amdgpu_kernelcc @halves
wave.kernel @halves(%p: !wave.ptr) attributes {threads = 64 : i64, lds_bytes = 0 : i64} {
  %c0 = arith.constant 0 : i32
  %x = wave.global_load %p[%c0 : i32] : vector<2xf32>
  %s = wave.global_load %p[%c0 : i32] : f32
  // CHECK: "llvm.amdgcn.cvt.pkrtz"({{.*}}) : (f32, f32) -> vector<2xf16>
  %h = arith.truncf %x toward_zero : vector<2xf32> to vector<2xf16>
  // CHECK: "llvm.amdgcn.fdot2"({{.*}}) : (vector<2xf16>, vector<2xf16>, f32, i1) -> f32
  %d = wave.dot2 %h, %h, %s : vector<2xf16>, vector<2xf16>
  wave.global_store %d, %p[%c0 : i32] : f32
  wave.return
}

// The second of two elements is rounded into the upper half; what is a product
// has an instruction of its own that does, and an odd last element is alone.
// CHECK-LABEL: llvm.func amdgpu_kernelcc @pairs
wave.kernel @pairs(%p: !wave.ptr) attributes {threads = 64 : i64, lds_bytes = 0 : i64} {
  %c0 = arith.constant 0 : i32
  %x = wave.global_load %p[%c0 : i32] : f32
  // CHECK: %[[HIDDEN:.*]] = llvm.or
  // CHECK: %[[ZERO:.*]] = llvm.bitcast %[[HIDDEN]] : i32 to f32
  // CHECK: %[[POSITIVE:.*]] = llvm.intr.fabs(%[[ZERO]])
  // CHECK: llvm.fptrunc
  // CHECK: %[[SAME:.*]] = llvm.intr.fma(%[[ZERO]], %[[POSITIVE]], {{.*}})
  // CHECK: llvm.fptrunc %[[SAME]] : f32 to f16
  // CHECK: llvm.fptrunc
  // CHECK-NOT: llvm.intr.fma
  %two = arith.mulf %x, %x : f32
  %v = vector.from_elements %x, %x, %x, %two, %x : vector<5xf32>
  %h = arith.truncf %v : vector<5xf32> to vector<5xf16>
  // CHECK: llvm.return
  wave.global_store %h, %p[%c0 : i32] : vector<5xf16>
  wave.return
}
