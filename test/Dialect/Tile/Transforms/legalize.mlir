// RUN: tlc-opt %s --tile-legalize --split-input-file 2>/dev/null | FileCheck %s

// CHECK-LABEL: @pad
tile.func @pad(%n: i32, %a: !tile.ptr<f32>) {
  %A = tile.tensor %a : !tile.ptr<f32> -> memref<64x64xf32, #tile.space<global>>
  // CHECK: tile.kernel grid({{.*}}) threads[64]
  tile.kernel grid(%n) threads[32] (%b) {
    // The second buffer is written and never read.
    // CHECK-NOT: tile.alloc
    // CHECK: tile.parallel
    %d = tile.alloc : memref<8xf32, #tile.space<fragment>>
    %zero = arith.constant 0.0 : f32
    tile.fill %d, %zero : memref<8xf32, #tile.space<fragment>>, f32
    tile.parallel (%i) = [64] {
      tile.store %zero, %A[%i, %b : i32, i32] : f32, memref<64x64xf32, #tile.space<global>>
    }
  }
}

// -----

// Code written per thread keeps the added threads out.
// CHECK-LABEL: @guard
tile.func @guard(%n: i32, %a: !tile.ptr<f32>) {
  %A = tile.tensor %a : !tile.ptr<f32> -> memref<64xf32, #tile.space<global>>
  // CHECK: threads[64]
  tile.kernel grid(%n) threads[48] (%b) {
    %zero = arith.constant 0.0 : f32
    // CHECK: %[[ID:.*]] = tile.thread_id
    // CHECK: arith.cmpi slt, %[[ID]], %c48
    // CHECK: scf.if
    %t = tile.thread_id
    tile.store %zero, %A[%t : i32] : f32, memref<64xf32, #tile.space<global>>
  }
}

// -----

// CHECK-LABEL: @unroll
tile.func @unroll(%n: i32, %a: !tile.ptr<f32>) {
  %A = tile.tensor %a : !tile.ptr<f32> -> memref<64xf32, #tile.space<global>>
  tile.kernel grid(%n) threads[64] (%b) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %zero = arith.constant 0.0 : f32
    // CHECK-NOT: scf.for
    // CHECK-COUNT-3: tile.store
    // CHECK-NOT: tile.store
    scf.for %i = %c0 to %c3 step %c1 : i32 {
      tile.store %zero, %A[%i : i32] : f32, memref<64xf32, #tile.space<global>>
    } {tile.unroll}
  }
}

// -----

// What an op writes for its own use is not dead with it: the op has a result.
// CHECK-LABEL: tile.func @workspaces
// CHECK: tile.reduce <sum> %{{.*}} into %{{.*}} dim 0 scratch(
// CHECK: tile.copy %{{.*}} to %{{.*}} through
tile.func @workspaces(%n: i32, %p: !tile.ptr<f32>) {
  %P = tile.tensor %p : !tile.ptr<f32> -> memref<128x64xf32, #tile.space<global>>
  %R = tile.tensor %p : !tile.ptr<f32> -> memref<64xf32, #tile.space<global>>
  tile.kernel grid(%n) threads[128] (%b) {
    %x = tile.alloc : memref<128x64xf32, #tile.space<fragment>>
    %r = tile.alloc : memref<64xf32, #tile.space<fragment>>
    %s = tile.alloc : memref<2x64xf32, #tile.space<shared>>
    %t = tile.alloc : memref<2x16x64xf32, #tile.space<shared>>
    tile.copy %P to %x : memref<128x64xf32, #tile.space<global>> to memref<128x64xf32, #tile.space<fragment>>
    tile.reduce #tile.reduce_kind<sum> %x into %r dim 0 scratch(%s : memref<2x64xf32, #tile.space<shared>>) : memref<128x64xf32, #tile.space<fragment>> into memref<64xf32, #tile.space<fragment>>
    tile.copy %r to %R : memref<64xf32, #tile.space<fragment>> to memref<64xf32, #tile.space<global>>
    tile.copy %x to %P through %t : memref<2x16x64xf32, #tile.space<shared>>, : memref<128x64xf32, #tile.space<fragment>> to memref<128x64xf32, #tile.space<global>>
  }
}

// -----

// A tensor under another shape is a tensor of the func: it says what the
// argument is.
// CHECK-LABEL: tile.func @other_shape
// CHECK: tile.tensor %{{.*}} : <f32> -> memref<4x16xf32, #tile.space<global>>
// CHECK: tile.kernel
// CHECK-NOT: tile.alias
tile.func @other_shape(%n: i32, %p: !tile.ptr<f32>) {
  %P = tile.tensor %p : !tile.ptr<f32> -> memref<64xf32, #tile.space<global>>
  tile.kernel grid(%n) threads[64] (%b) {
    %zero = arith.constant 0.0 : f32
    %q = tile.alias %P : memref<64xf32, #tile.space<global>> to memref<4x16xf32, #tile.space<global>>
    tile.fill %q, %zero : memref<4x16xf32, #tile.space<global>>, f32
  }
}
