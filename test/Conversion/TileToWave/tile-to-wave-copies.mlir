// RUN: tlc-opt %s --tile-infer-layouts --convert-tile-to-wave --canonicalize --cse --split-input-file | FileCheck %s

// Sizes that divide: nothing is checked, 16 bytes a lane.
// CHECK-LABEL: wave.kernel @whole
// CHECK-SAME: lds_bytes = 0
// CHECK: %[[R:.+]] = wave.resource
// CHECK: wave.buffer_load %[[R]][%{{.+}}] : vector<4xf32>
// CHECK-NOT: arith.select
// CHECK: wave.buffer_store {{.*}} : vector<4xf32>
tile.func @whole(%a: !tile.ptr<f32>, %c: !tile.ptr<f32>) {
  %g = arith.constant 1 : i32
  %A = tile.tensor %a : !tile.ptr<f32> -> memref<1024xf32, #tile.space<global>>
  %C = tile.tensor %c : !tile.ptr<f32> -> memref<1024xf32, #tile.space<global>>
  tile.kernel grid(%g) threads[256] (%b) {
    %f = tile.alloc : memref<1024xf32, #tile.space<fragment>>
    tile.copy %A to %f : memref<1024xf32, #tile.space<global>> to memref<1024xf32, #tile.space<fragment>>
    tile.copy %f to %C : memref<1024xf32, #tile.space<fragment>> to memref<1024xf32, #tile.space<global>>
  }
}

// -----

// Rows that may end inside the tile: the size of the resource cuts them off,
// at no cost in the lanes.
// CHECK-LABEL: wave.kernel @tail
// CHECK: arith.subi
// CHECK: %[[R:.+]] = wave.resource %{{.+}}, %{{.+}} : i32
// CHECK: wave.buffer_load %[[R]][%{{.+}}] : vector<8xf16>
// CHECK-NOT: arith.select
tile.func @tail(%a: !tile.ptr<f16>, %c: !tile.ptr<f16>) {
  %g = arith.constant 4 : i32
  %A = tile.tensor %a : !tile.ptr<f16> -> memref<100x64xf16, #tile.space<global>>
  tile.kernel grid(%g) threads[256] (%b) {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %o = arith.muli %b, %c32 : i32
    %f = tile.alloc : memref<32x64xf16, #tile.space<shared>>
    %v = tile.view %A[%o, %c0 : i32, i32] : memref<100x64xf16, #tile.space<global>> to memref<32x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
    tile.copy %v to %f : memref<32x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<32x64xf16, #tile.space<shared>>
  }
}

// -----

// Columns that may end: invalid lanes get an offset outside every resource, and
// an odd width forbids wide accesses.
// CHECK-LABEL: wave.kernel @columns
// CHECK: arith.cmpi ult
// CHECK: arith.select {{.*}} %c-2147483648_i32
// CHECK: wave.buffer_load {{.*}} : f16
tile.func @columns(%a: !tile.ptr<f16>) {
  %g = arith.constant 4 : i32
  %A = tile.tensor %a : !tile.ptr<f16> -> memref<64x101xf16, #tile.space<global>>
  tile.kernel grid(%g) threads[256] (%b) {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %o = arith.muli %b, %c32 : i32
    %f = tile.alloc : memref<64x32xf16, #tile.space<shared>>
    %v = tile.view %A[%c0, %o : i32, i32] : memref<64x101xf16, #tile.space<global>> to memref<64x32xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
    tile.copy %v to %f : memref<64x32xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<64x32xf16, #tile.space<shared>>
  }
}

// -----

// An odd factor beyond 2^20 proves no alignment: no access is wider than an
// element.
// CHECK-LABEL: wave.kernel @odd
// CHECK-NOT: vector<{{[248]}}xf16>
// CHECK: wave.buffer_load {{.*}} : f16
tile.func @odd(%a: !tile.ptr<f16>) {
  %g = arith.constant 4 : i32
  %A = tile.tensor %a : !tile.ptr<f16> -> memref<16777216xf16, #tile.space<global>>
  tile.kernel grid(%g) threads[256] (%b) {
    %c = arith.constant 1050625 : i32
    %o = arith.muli %b, %c : i32
    %f = tile.alloc : memref<2048xf16, #tile.space<shared>>
    %v = tile.view %A[%o : i32] : memref<16777216xf16, #tile.space<global>> to memref<2048xf16, strided<[?], offset: ?>, #tile.space<global>>
    tile.copy %v to %f : memref<2048xf16, strided<[?], offset: ?>, #tile.space<global>> to memref<2048xf16, #tile.space<shared>>
  }
}
