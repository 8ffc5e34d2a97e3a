// RUN: tlc-opt %s --tile-pad-columns --split-input-file 2>/dev/null | FileCheck %s
// RUN: tlc-opt %s --tile-pad-columns --tile-pad-columns --split-input-file 2>/dev/null | FileCheck %s
// RUN: tlc-opt %s --tile-pad-columns --split-input-file 2>&1 | FileCheck %s --check-prefix=REMARK

// The right operand, the result, what it is copied to and computed with point
// by point have 96 columns; tensors end at 80. Rows stay.
// CHECK-LABEL: tile.func @pv
// CHECK-DAG: %[[Q:.+]] = tile.alloc {name = "Q"} : memref<64x80xf16, #tile.space<shared>>
// CHECK-DAG: %[[V:.+]] = tile.alloc {name = "V"} : memref<32x96xf16, #tile.space<shared>>
// CHECK-DAG: %[[O:.+]] = tile.alloc {name = "O"} : memref<64x96xf32, #tile.space<fragment>>
// CHECK-DAG: %[[S:.+]] = tile.alloc {name = "O_shared"} : memref<64x96xf16, #tile.space<shared>>
// CHECK-DAG: %[[B:.+]] = tile.alloc {name = "bias"} : memref<96xf32, #tile.space<fragment>>
// CHECK: tile.fill %[[O]], %{{.+}} : memref<64x96xf32,
// CHECK: tile.view %{{.+}} to memref<32x96xf16,
// CHECK: tile.copy %{{.+}} to %[[V]] : memref<32x96xf16,
// CHECK: tile.gemm %{{.+}}, %[[V]] into %[[O]]
// CHECK: tile.parallel (%{{.+}}, %{{.+}}) = [64, 96]
// CHECK: tile.copy %[[O]] to %[[S]]
// CHECK: tile.view %{{.+}} to memref<64x96xf16,
// CHECK: tile.view %{{.+}} to memref<64x80xf16,
// REMARK: remark: takes 32 x 32 instructions: 96 columns instead of 80
tile.func @pv(%q: !tile.ptr<f16>, %v: !tile.ptr<f16>, %bias: !tile.ptr<f32>, %o: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %Qt = tile.tensor %q : !tile.ptr<f16> -> memref<64x80xf16, #tile.space<global>>
  %Vt = tile.tensor %v : !tile.ptr<f16> -> memref<32x80xf16, #tile.space<global>>
  %Bt = tile.tensor %bias : !tile.ptr<f32> -> memref<1x80xf32, #tile.space<global>>
  %Ot = tile.tensor %o : !tile.ptr<f16> -> memref<64x80xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[128] (%x) {
    %c0 = arith.constant 0 : i32
    %zero = arith.constant 0.0 : f32
    %Q = tile.alloc {name = "Q"} : memref<64x80xf16, #tile.space<shared>>
    %V = tile.alloc {name = "V"} : memref<32x80xf16, #tile.space<shared>>
    %P = tile.alloc {name = "P"} : memref<64x32xf16, #tile.space<fragment>>
    %O = tile.alloc {name = "O"} : memref<64x80xf32, #tile.space<fragment>>
    %S = tile.alloc {name = "O_shared"} : memref<64x80xf16, #tile.space<shared>>
    %B = tile.alloc {name = "bias"} : memref<80xf32, #tile.space<fragment>>
    %m = tile.alloc {name = "m"} : memref<64xf32, #tile.space<fragment>>
    tile.fill %O, %zero : memref<64x80xf32, #tile.space<fragment>>, f32
    %vv = tile.view %Vt[%c0, %c0 : i32, i32] : memref<32x80xf16, #tile.space<global>> to memref<32x80xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
    tile.copy %vv to %V : memref<32x80xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<32x80xf16, #tile.space<shared>>
    %bv = tile.view %Bt[%c0, %c0 : i32, i32] : memref<1x80xf32, #tile.space<global>> to memref<1x80xf32, strided<[?, ?], offset: ?>, #tile.space<global>>
    tile.copy %bv to %B : memref<1x80xf32, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<80xf32, #tile.space<fragment>>
    tile.gemm %P, %V into %O : memref<64x32xf16, #tile.space<fragment>>, memref<32x80xf16, #tile.space<shared>> into memref<64x80xf32, #tile.space<fragment>>
    tile.parallel (%i, %j) = [64, 80] {
      %a = tile.load %O[%i, %j : i32, i32] : memref<64x80xf32, #tile.space<fragment>> -> f32
      %f = tile.load %m[%i : i32] : memref<64xf32, #tile.space<fragment>> -> f32
      %d = tile.load %B[%j : i32] : memref<80xf32, #tile.space<fragment>> -> f32
      %p = arith.mulf %a, %f : f32
      %r = arith.addf %p, %d : f32
      tile.store %r, %O[%i, %j : i32, i32] : f32, memref<64x80xf32, #tile.space<fragment>>
    }
    tile.copy %O to %S : memref<64x80xf32, #tile.space<fragment>> to memref<64x80xf16, #tile.space<shared>>
    %ov = tile.view %Ot[%c0, %c0 : i32, i32] : memref<64x80xf16, #tile.space<global>> to memref<64x80xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
    tile.copy %S to %ov : memref<64x80xf16, #tile.space<shared>> to memref<64x80xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
    %qv = tile.view %Qt[%c0, %c0 : i32, i32] : memref<64x80xf16, #tile.space<global>> to memref<64x80xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
    tile.copy %qv to %Q : memref<64x80xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<64x80xf16, #tile.space<shared>>
  }
  tile.yield
}
