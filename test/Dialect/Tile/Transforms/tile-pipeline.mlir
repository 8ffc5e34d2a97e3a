// RUN: tlc-opt %s --tile-pipeline --mlir-print-op-on-diagnostic=false 2>&1 | FileCheck %s
// RUN: tlc-opt %s --tile-pipeline=lds-bytes=16384 --mlir-print-op-on-diagnostic=false 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: tlc-opt %s --tile-pipeline --tile-infer-layouts --tile-swizzle-lds --tile-fit-lds --tile-insert-sync --mlir-print-op-on-diagnostic=false 2>/dev/null | FileCheck %s --check-prefix=ALL
//
// Two tiles prefetched, twice in LDS where that fits, once where it does not.

// CHECK: remark: pipelined: 2 copies prefetched, 2 of them double-buffered
// CHECK: memref<2x128x32xf16, #tile.space<shared>>
// CHECK: scf.for
// CHECK: tile.copy {{.*}}tile.prefetch{{.*}}#tile.space<fragment>>
// CHECK: tile.gemm
// CHECK: tile.copy {{.*}} to memref<1x32x128xf16
// CHECK: tile.copy {{.*}} to memref<1x128x32xf16

// ONE: remark: LDS holds only one copy of 'A_shared'
// ONE: 0 of them double-buffered
// ONE: scf.for
// ONE: tile.copy {{.*}} to memref<128x32xf16, #tile.space<shared>>
// ONE: tile.copy {{.*}}tile.prefetch
// ONE: tile.gemm

// One barrier a step; the second copy lies beyond the reach of the XOR.
// ALL: layout = #tile.layout<[2:m4096], [128:m32], [32:m1], xor(6, 3, 3)>
// ALL: scf.for
// ALL: tile.sync
// ALL-NEXT: tile.gemm
// ALL-NOT: tile.sync
#sh = #tile.space<shared>
#fr = #tile.space<fragment>
#gl = #tile.space<global>
tile.func @gemm(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %c: !tile.ptr<f16>, %n: i32) {
  %c4 = arith.constant 4 : i32
  %A = tile.tensor %a {name = "A"} : !tile.ptr<f16> -> memref<512x512xf16, #gl>
  %B = tile.tensor %b {name = "B"} : !tile.ptr<f16> -> memref<512x512xf16, #gl>
  %C = tile.tensor %c {name = "C"} : !tile.ptr<f16> -> memref<512x512xf16, #gl>
  tile.kernel grid(%c4, %c4) threads[256] (%bx, %by) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %c128 = arith.constant 128 : i32
    %zero = arith.constant 0.0 : f32
    %As = tile.alloc {name = "A_shared"} : memref<128x32xf16, #sh>
    %Bs = tile.alloc {name = "B_shared"} : memref<32x128xf16, #sh>
    %acc = tile.alloc {name = "acc"} : memref<128x128xf32, #fr>
    %row = arith.muli %by, %c128 : i32
    %col = arith.muli %bx, %c128 : i32
    tile.fill %acc, %zero : memref<128x128xf32, #fr>, f32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %k = arith.muli %i, %c32 : i32
      %av = tile.view %A[%row, %k : i32, i32] : memref<512x512xf16, #gl> to memref<128x32xf16, strided<[?, ?], offset: ?>, #gl>
      tile.copy %av to %As : memref<128x32xf16, strided<[?, ?], offset: ?>, #gl> to memref<128x32xf16, #sh>
      %bv = tile.view %B[%k, %col : i32, i32] : memref<512x512xf16, #gl> to memref<32x128xf16, strided<[?, ?], offset: ?>, #gl>
      tile.copy %bv to %Bs : memref<32x128xf16, strided<[?, ?], offset: ?>, #gl> to memref<32x128xf16, #sh>
      tile.gemm %As, %Bs into %acc : memref<128x32xf16, #sh>, memref<32x128xf16, #sh> into memref<128x128xf32, #fr>
    } {tile.num_stages = 2 : i64}
    %cv = tile.view %C[%row, %col : i32, i32] : memref<512x512xf16, #gl> to memref<128x128xf16, strided<[?, ?], offset: ?>, #gl>
    tile.copy %acc to %cv : memref<128x128xf32, #fr> to memref<128x128xf16, strided<[?, ?], offset: ?>, #gl>
  }
}
