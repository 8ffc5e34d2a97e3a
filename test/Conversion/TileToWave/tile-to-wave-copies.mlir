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

// The next step's tile in a loop to a bound that may be 0: its index is not
// negative, for the body runs. The one beyond it is not known to be inside.
// CHECK-LABEL: wave.kernel @next
// CHECK: scf.for
// CHECK-NOT: arith.select
// CHECK: wave.buffer_load
// CHECK: arith.cmpi ult
// CHECK: arith.select
// CHECK: wave.buffer_load
tile.func @next(%a: !tile.ptr<f32>, %c: !tile.ptr<f32>) {
  %g = arith.constant 16 : i32
  %A = tile.tensor %a : !tile.ptr<f32> -> memref<16x64x64xf32, #tile.space<global>>
  %C = tile.tensor %c : !tile.ptr<f32> -> memref<16x64x64xf32, #tile.space<global>>
  tile.kernel grid(%g) threads[256] (%b) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c16 = arith.constant 16 : i32
    %n = arith.minsi %b, %c4 : i32
    scf.for %k = %c0 to %n step %c1 : i32 {
      %next = arith.addi %k, %c1 : i32
      %last = arith.subi %n, %c1 : i32
      %i = arith.minsi %next, %last : i32
      %o = arith.muli %i, %c16 : i32
      %f = tile.alloc : memref<16x64xf32, #tile.space<fragment>>
      %v = tile.view %A[%b, %o, %c0 : i32, i32, i32] : memref<16x64x64xf32, #tile.space<global>> to memref<1x16x64xf32, strided<[?, ?, ?], offset: ?>, #tile.space<global>>
      tile.copy %v to %f : memref<1x16x64xf32, strided<[?, ?, ?], offset: ?>, #tile.space<global>> to memref<16x64xf32, #tile.space<fragment>>
      %last2 = arith.subi %n, %c2 : i32
      %i2 = arith.minsi %next, %last2 : i32
      %o2 = arith.muli %i2, %c16 : i32
      %f2 = tile.alloc : memref<16x64xf32, #tile.space<fragment>>
      %v2 = tile.view %A[%b, %o2, %c0 : i32, i32, i32] : memref<16x64x64xf32, #tile.space<global>> to memref<1x16x64xf32, strided<[?, ?, ?], offset: ?>, #tile.space<global>>
      tile.copy %v2 to %f2 : memref<1x16x64xf32, strided<[?, ?, ?], offset: ?>, #tile.space<global>> to memref<16x64xf32, #tile.space<fragment>>
      %w = tile.view %C[%b, %c0, %c0 : i32, i32, i32] : memref<16x64x64xf32, #tile.space<global>> to memref<1x16x64xf32, strided<[?, ?, ?], offset: ?>, #tile.space<global>>
      tile.copy %f to %w : memref<16x64xf32, #tile.space<fragment>> to memref<1x16x64xf32, strided<[?, ?, ?], offset: ?>, #tile.space<global>>
      tile.copy %f2 to %w : memref<16x64xf32, #tile.space<fragment>> to memref<1x16x64xf32, strided<[?, ?, ?], offset: ?>, #tile.space<global>>
    }
  }
}

// -----

// Columns that may end: invalid lanes get an offset outside every resource. 101
// leaves 5 of 8: that load begins 6 bytes early, to which the base gives room,
// and what it brought too early is shifted out.
// CHECK-LABEL: wave.kernel @columns
// CHECK: %[[ROOM:.+]] = arith.addi %{{.+}}, %c6_i32
// CHECK: %[[T:.+]] = wave.opaque %[[ROOM]]
// CHECK: arith.addi %{{.+}}, %c-6_i64
// CHECK: wave.resource
// CHECK: %[[IN:.+]] = arith.cmpi ult, %[[V:.+]], %c101_i32
// CHECK: %[[WHOLE:.+]] = arith.cmpi ult, %[[V]], %c94_i32
// CHECK: %[[EARLY:.+]] = arith.select %[[WHOLE]], %c0_i32, %c-6_i32
// CHECK: %[[BY:.+]] = arith.select %[[IN]], %[[EARLY]], %c-2147483648_i32
// CHECK: %[[AT:.+]] = arith.addi %[[T]], %[[BY]]
// CHECK: wave.buffer_load {{.+}}[%[[AT]]] : vector<8xf16>
// CHECK: %[[M:.+]] = wave.perm %{{.+}}, %{{.+}}, 84148994
// CHECK: %[[F:.+]] = arith.bitcast %[[M]] : i32 to f32
// CHECK: arith.select %[[WHOLE]], %{{.+}}, %[[F]]
// CHECK: wave.perm %c0_i32, %{{.+}}, 84148994
// CHECK: arith.select %[[WHOLE]], %{{.+}}, %cst
// CHECK: wave.lds_store {{.*}} : vector<8xf16>
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

// What nothing cuts is wide whatever its alignment, in memory at least.
// CHECK-LABEL: wave.kernel @odd
// CHECK: wave.buffer_load {{.*}} : vector<8xf16>
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

// -----

// A store of a row's end goes in parts of a power of two: 93 columns of bytes
// leave 13 of 16.
// CHECK-LABEL: wave.kernel @store
// CHECK: %[[WHOLE:.+]] = arith.cmpi ult, %[[V:.+]], %c78_i32
// CHECK: %[[A:.+]] = arith.select %[[WHOLE]], %{{.+}}, %c-2147483648_i32
// CHECK: %[[CUT:.+]] = arith.cmpi eq, %[[V]], %c80_i32
// CHECK: %[[B:.+]] = arith.select %[[CUT]], %{{.+}}, %c-2147483648_i32
// CHECK: wave.buffer_store {{.+}}[%[[A]]] : vector<16xi8>
// CHECK: wave.buffer_store {{.+}}[%[[B]]] : vector<8xi8>
// CHECK: wave.buffer_store {{.+}}[%[[B]]] {offset = 8 : i64} : vector<4xi8>
// CHECK: wave.buffer_store {{.+}}[%[[B]]] {offset = 12 : i64} : i8
tile.func @store(%a: !tile.ptr<i8>, %c: !tile.ptr<i8>) {
  %g = arith.constant 4 : i32
  %C = tile.tensor %c : !tile.ptr<i8> -> memref<64x93xi8, #tile.space<global>>
  tile.kernel grid(%g) threads[256] (%b) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %o = arith.muli %b, %c64 : i32
    %f = tile.alloc : memref<64x64xi8, #tile.space<shared>>
    %v = tile.view %C[%c0, %o : i32, i32] : memref<64x93xi8, #tile.space<global>> to memref<64x64xi8, strided<[?, ?], offset: ?>, #tile.space<global>>
    tile.copy %f to %v : memref<64x64xi8, #tile.space<shared>> to memref<64x64xi8, strided<[?, ?], offset: ?>, #tile.space<global>>
  }
}

// -----

// The resource's end would cut a dword of an odd number of halves: lanes check
// it instead.
// CHECK-LABEL: wave.kernel @vector
// CHECK: arith.cmpi ult, %{{.+}}, %c1001_i32
// CHECK: arith.cmpi ult, %{{.+}}, %c994_i32
// CHECK: wave.buffer_load {{.*}} : vector<8xf16>
tile.func @vector(%a: !tile.ptr<f16>) {
  %g = arith.constant 1 : i32
  %A = tile.tensor %a : !tile.ptr<f16> -> memref<1001xf16, #tile.space<global>>
  tile.kernel grid(%g) threads[128] (%b) {
    %c0 = arith.constant 0 : i32
    %c1024 = arith.constant 1024 : i32
    %o = arith.muli %b, %c1024 : i32
    %f = tile.alloc : memref<1024xf16, #tile.space<shared>>
    %v = tile.view %A[%o : i32] : memref<1001xf16, #tile.space<global>> to memref<1024xf16, strided<[?], offset: ?>, #tile.space<global>>
    tile.copy %v to %f : memref<1024xf16, strided<[?], offset: ?>, #tile.space<global>> to memref<1024xf16, #tile.space<shared>>
  }
}
