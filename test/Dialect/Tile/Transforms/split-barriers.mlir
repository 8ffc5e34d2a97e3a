// Barriers of part of the workgroup, and workgroups padded to whole wavefronts:
// what is written per thread is guarded, what all take part in is not.
// RUN: tlc-opt %s --tile-legalize --split-input-file | FileCheck %s

// CHECK-LABEL: tile.func @partial
// CHECK: %[[C:.*]] = arith.cmpi slt
// CHECK: scf.if %[[C]] {
// CHECK-NEXT: tile.store
// CHECK-NEXT: }
// CHECK-NEXT: tile.sync
// CHECK-NEXT: scf.if %[[C]] {
// CHECK-NEXT: tile.store
tile.func @partial(%n: i32) {
  tile.kernel grid(%n) threads[128] (%b) {
    %c64 = arith.constant 64 : i32
    %s = tile.alloc : memref<64xf32, #tile.space<shared>>
    %zero = arith.constant 0.0 : f32
    %t = tile.thread_id
    %in = arith.cmpi slt, %t, %c64 : i32
    scf.if %in {
      tile.store %zero, %s[%t : i32] : f32, memref<64xf32, #tile.space<shared>>
      tile.sync
      tile.store %zero, %s[%t : i32] : f32, memref<64xf32, #tile.space<shared>>
    }
    %v = tile.load %s[%t : i32] : memref<64xf32, #tile.space<shared>> -> f32
    %w = arith.addf %v, %zero : f32
    tile.store %w, %s[%t : i32] : f32, memref<64xf32, #tile.space<shared>>
  }
}

// -----

// CHECK-LABEL: tile.func @padded
// CHECK: threads[128]
// CHECK: %[[C:.*]] = arith.cmpi slt
// CHECK: scf.if %[[C]] {
// CHECK-NEXT: tile.store
// CHECK-NEXT: }
// CHECK-NEXT: tile.sync
// CHECK: tile.fill
tile.func @padded(%n: i32, %p: !tile.ptr<f32>) {
  %a = tile.tensor %p {name = "A"} : !tile.ptr<f32> -> memref<96xf32, #tile.space<global>>
  tile.kernel grid(%n) threads[96] (%b) {
    %s = tile.alloc : memref<96xf32, #tile.space<shared>>
    %zero = arith.constant 0.0 : f32
    %t = tile.thread_id
    tile.store %zero, %s[%t : i32] : f32, memref<96xf32, #tile.space<shared>>
    tile.sync
    tile.fill %a, %zero : memref<96xf32, #tile.space<global>>, f32
    %v = tile.load %s[%t : i32] : memref<96xf32, #tile.space<shared>> -> f32
    tile.store %v, %a[%t : i32] : f32, memref<96xf32, #tile.space<global>>
  }
}
