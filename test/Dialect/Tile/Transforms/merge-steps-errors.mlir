// RUN: tlc-opt %s --tile-merge-steps --split-input-file --verify-diagnostics | FileCheck %s

// What cannot be merged stays as it was and says why.

// CHECK-LABEL: tile.func @keys
// CHECK: tile.copy {{.*}} memref<64x32xf16, #tile.space<shared>>
// CHECK-NOT: scf.for
tile.func @keys(%a: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %At = tile.tensor %a : !tile.ptr<f16> -> memref<512x512xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[256] (%x) {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %s = arith.constant 1 : i32
    %n = arith.constant 8 : i32
    %A = tile.alloc : memref<64x32xf16, #tile.space<shared>>
    %B = tile.alloc : memref<32x64xf16, #tile.space<shared>>
    %C = tile.alloc : memref<64x64xf32, #tile.space<fragment>>
    // expected-remark @below {{steps read parts of lines, but are not merged: a tile is the same in every step}}
    scf.for %k = %c0 to %n step %s : i32 {
      %at = arith.muli %k, %c32 : i32
      %av = tile.view %At[%c0, %at : i32, i32] : memref<512x512xf16, #tile.space<global>> to memref<64x32xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %av to %A : memref<64x32xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<64x32xf16, #tile.space<shared>>
      %bv = tile.view %At[%c0, %c0 : i32, i32] : memref<512x512xf16, #tile.space<global>> to memref<32x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %bv to %B : memref<32x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<32x64xf16, #tile.space<shared>>
      tile.gemm %A, %B into %C : memref<64x32xf16, #tile.space<shared>>, memref<32x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
    } {tile.num_stages = 2 : i64}
  }
  tile.yield
}

// -----

// The rows that B moves on along are not those that the product adds up.
// CHECK-LABEL: tile.func @across
// CHECK: tile.copy {{.*}} memref<64x32xf16, #tile.space<shared>>
tile.func @across(%a: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %At = tile.tensor %a : !tile.ptr<f16> -> memref<512x512xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[256] (%x) {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %s = arith.constant 1 : i32
    %n = arith.constant 8 : i32
    %A = tile.alloc : memref<64x32xf16, #tile.space<shared>>
    %B = tile.alloc : memref<32x64xf16, #tile.space<shared>>
    %C = tile.alloc : memref<64x64xf32, #tile.space<fragment>>
    // expected-remark @below {{a tile moves on along another dimension than its products add up over}}
    scf.for %k = %c0 to %n step %s : i32 {
      %at = arith.muli %k, %c32 : i32
      %av = tile.view %At[%c0, %at : i32, i32] : memref<512x512xf16, #tile.space<global>> to memref<64x32xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %av to %A : memref<64x32xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<64x32xf16, #tile.space<shared>>
      %to = arith.muli %k, %c64 : i32
      %bv = tile.view %At[%c0, %to : i32, i32] : memref<512x512xf16, #tile.space<global>> to memref<32x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %bv to %B : memref<32x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<32x64xf16, #tile.space<shared>>
      tile.gemm %A, %B into %C : memref<64x32xf16, #tile.space<shared>>, memref<32x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
    } {tile.num_stages = 2 : i64}
  }
  tile.yield
}

// -----

// Steps that overlap, a sum that starts anew, and one that two products share.
// CHECK-LABEL: tile.func @others
// CHECK-NOT: memref<64x64xf16, #tile.space<shared>>
tile.func @others(%a: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %At = tile.tensor %a : !tile.ptr<f16> -> memref<512x512xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[256] (%x) {
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %s = arith.constant 1 : i32
    %n = arith.constant 8 : i32
    %z = arith.constant 0.0 : f32
    %A = tile.alloc : memref<64x32xf16, #tile.space<shared>>
    %A3 = tile.alloc : memref<64x32xf16, #tile.space<shared>>
    %B = tile.alloc : memref<64x32xf16, #tile.space<shared>>
    %A2 = tile.alloc : memref<64x32xf16, #tile.space<shared>>
    %C = tile.alloc : memref<64x64xf32, #tile.space<fragment>>
    // expected-remark @below {{a tile does not move on by its extent along one dimension}}
    scf.for %k = %c0 to %n step %s : i32 {
      %at = arith.muli %k, %c32 : i32
      %half = arith.muli %k, %c16 : i32
      %av = tile.view %At[%c0, %at : i32, i32] : memref<512x512xf16, #tile.space<global>> to memref<64x32xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %av to %A3 : memref<64x32xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<64x32xf16, #tile.space<shared>>
      %bv = tile.view %At[%c0, %half : i32, i32] : memref<512x512xf16, #tile.space<global>> to memref<64x32xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %bv to %B : memref<64x32xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<64x32xf16, #tile.space<shared>>
      tile.gemm %A3, %B into %C {trans_b} : memref<64x32xf16, #tile.space<shared>>, memref<64x32xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
    } {tile.num_stages = 2 : i64}
    // expected-remark @below {{it does more than copy tiles and multiply them}}
    scf.for %k = %c0 to %n step %s : i32 {
      %at = arith.muli %k, %c32 : i32
      %av = tile.view %At[%c0, %at : i32, i32] : memref<512x512xf16, #tile.space<global>> to memref<64x32xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.fill %C, %z : memref<64x64xf32, #tile.space<fragment>>, f32
      tile.copy %av to %A : memref<64x32xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<64x32xf16, #tile.space<shared>>
      tile.gemm %A, %A into %C {trans_b} : memref<64x32xf16, #tile.space<shared>>, memref<64x32xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
    } {tile.num_stages = 2 : i64}
    // expected-remark @below {{two products of a step share their sum}}
    scf.for %k = %c0 to %n step %s : i32 {
      %at = arith.muli %k, %c32 : i32
      %av = tile.view %At[%c0, %at : i32, i32] : memref<512x512xf16, #tile.space<global>> to memref<64x32xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %av to %A2 : memref<64x32xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<64x32xf16, #tile.space<shared>>
      tile.gemm %A2, %A2 into %C {trans_b} : memref<64x32xf16, #tile.space<shared>>, memref<64x32xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
      tile.gemm %A2, %A2 into %C {trans_b} : memref<64x32xf16, #tile.space<shared>>, memref<64x32xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
    } {tile.num_stages = 2 : i64}
  }
  tile.yield
}

// -----

// LDS, in which other tiles live on, holds one of two steps.
// CHECK-LABEL: tile.func @large
// CHECK: tile.alloc : memref<256x64xi8, #tile.space<shared>>
tile.func @large(%a: !tile.ptr<i8>) {
  %c1 = arith.constant 1 : i32
  %At = tile.tensor %a : !tile.ptr<i8> -> memref<512x512xi8, #tile.space<global>>
  tile.kernel grid(%c1) threads[64] (%x) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %s = arith.constant 1 : i32
    %n = arith.constant 8 : i32
    %A = tile.alloc : memref<256x64xi8, #tile.space<shared>>
    %B = tile.alloc : memref<16x64xi8, #tile.space<shared>>
    %Q = tile.alloc : memref<32x1024xi8, #tile.space<shared>>
    %F = tile.alloc : memref<32x1024xi8, #tile.space<fragment>>
    %C = tile.alloc : memref<256x16xi32, #tile.space<fragment>>
    tile.copy %F to %Q : memref<32x1024xi8, #tile.space<fragment>> to memref<32x1024xi8, #tile.space<shared>>
    // expected-remark @below {{LDS does not hold the deeper tiles}}
    scf.for %k = %c0 to %n step %s : i32 {
      %at = arith.muli %k, %c64 : i32
      %av = tile.view %At[%c0, %at : i32, i32] : memref<512x512xi8, #tile.space<global>> to memref<256x64xi8, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %av to %A : memref<256x64xi8, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<256x64xi8, #tile.space<shared>>
      %bv = tile.view %At[%c0, %at : i32, i32] : memref<512x512xi8, #tile.space<global>> to memref<16x64xi8, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %bv to %B : memref<16x64xi8, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<16x64xi8, #tile.space<shared>>
      tile.gemm %A, %B into %C {trans_b} : memref<256x64xi8, #tile.space<shared>>, memref<16x64xi8, #tile.space<shared>> into memref<256x16xi32, #tile.space<fragment>>
    } {tile.num_stages = 2 : i64}
    scf.for %k = %c0 to %n step %s : i32 {
      tile.copy %Q to %F : memref<32x1024xi8, #tile.space<shared>> to memref<32x1024xi8, #tile.space<fragment>>
    }
  }
  tile.yield
}
