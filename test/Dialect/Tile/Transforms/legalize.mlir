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
