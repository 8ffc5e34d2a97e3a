// RUN: tlc-opt %s --convert-wave-to-rocdl | FileCheck %s

// A kernel becomes a function with the attributes code generation reads; pad
// bytes of LDS are one array; constant offsets stay constants.

// CHECK: #[[TAG:.*]] = #llvm.mmra_tag<"amdgpu-synchronize-as":"local">
// CHECK: llvm.mlir.global internal @k.lds() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<1024 x i8>
// CHECK: llvm.func amdgpu_kernelcc @k(%[[P:.*]]: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.inreg, llvm.noalias, llvm.noundef, llvm.readonly}, %[[N:.*]]: i32 {llvm.inreg})
// CHECK-SAME: ["target-cpu", "gfx942"], ["amdgpu-flat-work-group-size", "128,128"]
// CHECK-SAME: ["amdgpu-waves-per-eu", "2,2"]
wave.kernel @k(%p: !wave.ptr {tile.role = "in"}, %n: i32)
    attributes {threads = 128 : i64, lds_bytes = 1024 : i64, waves_per_eu = 2 : i64} {
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.workitem.id.x"() : () -> (i32 {llvm.range = #llvm.constant_range<i32, 0, 128>})
  %t = wave.thread_id
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.make.buffer.rsrc"({{.*}}) : (!llvm.ptr<1>, i16, i64, i32) -> !llvm.ptr<8>
  %r = wave.resource %p, %n : i32
  // CHECK: %[[OFF:.*]] = llvm.add {{.*}}, {{.*}} : i32
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.load"({{.*}}, %[[OFF]], {{.*}}) : {{.*}} -> vector<4xi32>
  // CHECK: llvm.bitcast {{.*}} : vector<4xi32> to vector<8xf16>
  %v = wave.buffer_load %r[%t] {offset = 64 : i64} : vector<8xf16>
  // CHECK: llvm.mlir.addressof @k.lds
  // CHECK: llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  // CHECK: llvm.getelementptr %{{.*}}[32] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  // CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
  wave.lds_store %v, %t {offset = 32 : i64} : vector<8xf16>
  // CHECK: llvm.fence syncscope("workgroup") release {llvm.mmra = #[[TAG]]}
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.s.waitcnt"
  // CHECK-NEXT: llvm.call_intrinsic "llvm.amdgcn.s.barrier"
  // CHECK-NEXT: llvm.fence syncscope("workgroup") acquire
  wave.barrier
  // One that orders global memory waits for it and names no address space.
  // CHECK: llvm.fence syncscope("workgroup") release
  // CHECK-NOT: mmra
  // CHECK: %[[ALL:.+]] = llvm.mlir.constant(112 : i32)
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.s.waitcnt"(%[[ALL]])
  // CHECK: llvm.fence syncscope("workgroup") acquire
  wave.barrier {wave.global}
  // CHECK: llvm.return
  wave.return
}
