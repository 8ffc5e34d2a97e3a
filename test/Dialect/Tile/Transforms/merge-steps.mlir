// RUN: tlc-opt %s --tile-merge-steps --split-input-file 2>/dev/null | FileCheck %s
// RUN: tlc-opt %s --tile-merge-steps --tile-merge-steps --split-input-file 2>/dev/null | FileCheck %s

// A is read in half lines of 64 bytes: two steps are one, both tiles are twice
// as deep.
// CHECK-LABEL: tile.func @nn
// CHECK-DAG: %[[A:.+]] = tile.alloc {name = "A"} : memref<128x64xf16, #tile.space<shared>>
// CHECK-DAG: %[[B:.+]] = tile.alloc {name = "B"} : memref<64x128xf16, #tile.space<shared>>
// CHECK: scf.for %[[I:.+]] = %c0_i32{{.*}} to %c64_i32 step
// CHECK: %[[K:.+]] = arith.muli %[[I]], %c2_i32
// CHECK: %[[AT:.+]] = arith.muli %[[K]], %c32
// CHECK: %[[AV:.+]] = tile.view %{{.+}}[%c0_i32, %[[AT]] : i32, i32] {{.+}} to memref<128x64xf16,
// CHECK: tile.copy %[[AV]] to %[[A]]
// CHECK: %[[BV:.+]] = tile.view %{{.+}}[%[[AT]], %c0_i32 : i32, i32] {{.+}} to memref<64x128xf16,
// CHECK: tile.copy %[[BV]] to %[[B]]
// CHECK: tile.gemm %[[A]], %[[B]] into
// CHECK: } {tile.num_stages = 3 : i64}
// CHECK-NOT: scf.for
tile.func @nn(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %At = tile.tensor %a : !tile.ptr<f16> -> memref<128x4096xf16, #tile.space<global>>
  %Bt = tile.tensor %b : !tile.ptr<f16> -> memref<4096x128xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[128] (%x) {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %s = arith.constant 1 : i32
    %n = arith.constant 128 : i32
    %A = tile.alloc {name = "A"} : memref<128x32xf16, #tile.space<shared>>
    %B = tile.alloc {name = "B"} : memref<32x128xf16, #tile.space<shared>>
    %C = tile.alloc {name = "C"} : memref<128x128xf32, #tile.space<fragment>>
    scf.for %k = %c0 to %n step %s : i32 {
      %at = arith.muli %k, %c32 : i32
      %av = tile.view %At[%c0, %at : i32, i32] : memref<128x4096xf16, #tile.space<global>> to memref<128x32xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %av to %A : memref<128x32xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<128x32xf16, #tile.space<shared>>
      %bv = tile.view %Bt[%at, %c0 : i32, i32] : memref<4096x128xf16, #tile.space<global>> to memref<32x128xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %bv to %B : memref<32x128xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<32x128xf16, #tile.space<shared>>
      tile.gemm %A, %B into %C : memref<128x32xf16, #tile.space<shared>>, memref<32x128xf16, #tile.space<shared>> into memref<128x128xf32, #tile.space<fragment>>
    } {tile.num_stages = 3 : i64}
  }
  tile.yield
}

// -----

// Batches: other dimensions of the tensors stay. 16 bytes a row, eight steps.
// Of 19 steps three are left over, in a loop of their own that loads nothing
// ahead: the tensors go on behind.
// CHECK-LABEL: tile.func @rest
// CHECK-DAG: tile.alloc : memref<16x128xi8, #tile.space<shared>>
// CHECK: scf.for %{{.+}} = %{{.+}} to %c2_i32 step
// CHECK: tile.view %{{.+}} to memref<1x16x128xi8,
// CHECK: tile.gemm {{.+}} memref<16x128xi8,
// CHECK: } {tile.num_stages = 2 : i64}
// CHECK: scf.for %{{.+}} = %c20_i32 to %c23_i32
// CHECK: tile.gemm {{.+}} memref<16x16xi8,
// CHECK-NOT: num_stages
tile.func @rest(%a: !tile.ptr<i8>, %b: !tile.ptr<i8>) {
  %c1 = arith.constant 1 : i32
  %At = tile.tensor %a : !tile.ptr<i8> -> memref<3x16x1000xi8, #tile.space<global>>
  %Bt = tile.tensor %b : !tile.ptr<i8> -> memref<3x16x1000xi8, #tile.space<global>>
  tile.kernel grid(%c1) threads[64] (%x) {
    %c0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : i32
    %c16 = arith.constant 16 : i32
    %s = arith.constant 1 : i32
    %c23 = arith.constant 23 : i32
    %A = tile.alloc : memref<16x16xi8, #tile.space<shared>>
    %B = tile.alloc : memref<16x16xi8, #tile.space<shared>>
    %C = tile.alloc {name = "C"} : memref<16x16xi32, #tile.space<fragment>>
    scf.for %k = %c4 to %c23 step %s : i32 {
      %at = arith.muli %k, %c16 : i32
      %av = tile.view %At[%x, %c0, %at : i32, i32, i32] : memref<3x16x1000xi8, #tile.space<global>> to memref<1x16x16xi8, strided<[?, ?, ?], offset: ?>, #tile.space<global>>
      tile.copy %av to %A : memref<1x16x16xi8, strided<[?, ?, ?], offset: ?>, #tile.space<global>> to memref<16x16xi8, #tile.space<shared>>
      %bv = tile.view %Bt[%x, %c0, %at : i32, i32, i32] : memref<3x16x1000xi8, #tile.space<global>> to memref<1x16x16xi8, strided<[?, ?, ?], offset: ?>, #tile.space<global>>
      tile.copy %bv to %B : memref<1x16x16xi8, strided<[?, ?, ?], offset: ?>, #tile.space<global>> to memref<16x16xi8, #tile.space<shared>>
      tile.gemm %A, %B into %C {trans_b} : memref<16x16xi8, #tile.space<shared>>, memref<16x16xi8, #tile.space<shared>> into memref<16x16xi32, #tile.space<fragment>>
    } {tile.num_stages = 2 : i64}
  }
  tile.yield
}

// -----

// Three steps to the end of both tensors: the fourth reads zeros, and no loop
// is left.
// CHECK-LABEL: tile.func @zeros
// CHECK: scf.for %{{.+}} = %{{.+}} to %c2_i32 step
// CHECK-NOT: scf.for
tile.func @zeros(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %At = tile.tensor %a : !tile.ptr<f16> -> memref<64x90xf16, #tile.space<global>>
  %Bt = tile.tensor %b : !tile.ptr<f16> -> memref<64x90xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[256] (%x) {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %s = arith.constant 1 : i32
    %n = arith.constant 3 : i32
    %A = tile.alloc : memref<64x32xf16, #tile.space<shared>>
    %B = tile.alloc : memref<64x32xf16, #tile.space<shared>>
    %C = tile.alloc : memref<64x64xf32, #tile.space<fragment>>
    scf.for %k = %c0 to %n step %s : i32 {
      %at = arith.muli %k, %c32 : i32
      %av = tile.view %At[%c0, %at : i32, i32] : memref<64x90xf16, #tile.space<global>> to memref<64x32xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %av to %A : memref<64x32xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<64x32xf16, #tile.space<shared>>
      %bv = tile.view %Bt[%c0, %at : i32, i32] : memref<64x90xf16, #tile.space<global>> to memref<64x32xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %bv to %B : memref<64x32xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<64x32xf16, #tile.space<shared>>
      tile.gemm %A, %B into %C {trans_b} : memref<64x32xf16, #tile.space<shared>>, memref<64x32xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
    } {tile.num_stages = 1 : i64}
  }
  tile.yield
}

// -----

// As many steps as the kernel is told: whole ones first, the last by itself.
// CHECK-LABEL: tile.func @counted
// CHECK: %[[STEPS:.+]] = arith.maxsi
// CHECK: %[[DEEP:.+]] = arith.divui %[[STEPS]], %c2_i32
// CHECK: %[[REST:.+]] = arith.muli %[[DEEP]], %c2_i32
// CHECK: scf.for %{{.+}} = %{{.+}} to %[[DEEP]]
// CHECK: scf.for %{{.+}} = %[[REST]] to %arg2 step
tile.func @counted(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %steps: i32) {
  %c1 = arith.constant 1 : i32
  %At = tile.tensor %a : !tile.ptr<f16> -> memref<64x512xf16, #tile.space<global>>
  %Bt = tile.tensor %b : !tile.ptr<f16> -> memref<512x64xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[256] (%x) {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %s = arith.constant 1 : i32
    %A = tile.alloc : memref<64x32xf16, #tile.space<shared>>
    %B = tile.alloc : memref<32x64xf16, #tile.space<shared>>
    %C = tile.alloc : memref<64x64xf32, #tile.space<fragment>>
    scf.for %k = %c0 to %steps step %s : i32 {
      %at = arith.muli %k, %c32 : i32
      %av = tile.view %At[%c0, %at : i32, i32] : memref<64x512xf16, #tile.space<global>> to memref<64x32xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %av to %A : memref<64x32xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<64x32xf16, #tile.space<shared>>
      %bv = tile.view %Bt[%at, %c0 : i32, i32] : memref<512x64xf16, #tile.space<global>> to memref<32x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %bv to %B : memref<32x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<32x64xf16, #tile.space<shared>>
      tile.gemm %A, %B into %C : memref<64x32xf16, #tile.space<shared>>, memref<32x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
    } {tile.num_stages = 2 : i64}
  }
  tile.yield
}
