// RUN: tlc-opt %s --convert-tile-to-wave --canonicalize | FileCheck %s
//
// The order of workgroups is computed from the hardware's indices.

// 64 workgroups, eight to each XCD: 8 * (x mod 8) + x div 8, from the end.
// CHECK-LABEL: wave.kernel @static
// CHECK-DAG: %[[X:.*]] = wave.block_id 0
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : i32
// CHECK-DAG: %[[C63:.*]] = arith.constant 63 : i32
// CHECK: %[[XCD:.*]] = arith.remui %[[X]], %[[C8]]
// CHECK: %[[FIRST:.*]] = arith.muli %[[XCD]], %[[C8]]
// CHECK: %[[WITHIN:.*]] = arith.divui %[[X]], %[[C8]]
// CHECK: %[[PLACE:.*]] = arith.addi %[[FIRST]], %[[WITHIN]]
// CHECK: arith.remui %[[PLACE]], %{{.*}} : i32
// CHECK: arith.subi %[[C63]]
tile.func @static(%p: !tile.ptr<i32>) {
  %out = tile.tensor %p : <i32> -> memref<64xi32, #tile.space<global>>
  %n = arith.constant 64 : i32
  tile.kernel grid(%n) threads[64] (%x) attributes {tile.order = {dims = array<i64: 0, 1, 2>, panel = 0 : i64, reversed = array<i64: 0>, xcds = 8 : i64}} {
    tile.store %x, %out[%x : i32] : i32, memref<64xi32, #tile.space<global>>
  }
}

// Unknown extents: the hardware's order where their product needs more than 31
// bits, and a scalar again after the division.
// CHECK-LABEL: wave.kernel @dynamic
// CHECK: %[[X:.*]] = wave.block_id 0
// CHECK: %[[FITS:.*]] = arith.cmpi ult, %{{.*}}, %c2147483648_i64 : i64
// CHECK: %[[CHOSEN:.*]] = arith.select %[[FITS]], %{{.*}}, %[[X]] : i32
// CHECK: wave.uniform %[[CHOSEN]] : i32
tile.func @dynamic(%p: !tile.ptr<i32>, %n: i32, %m: i32) {
  %out = tile.tensor %p : <i32> -> memref<64xi32, #tile.space<global>>
  tile.kernel grid(%n, %m) threads[64] (%x, %y) attributes {tile.order = {dims = array<i64: 0, 1, 2>, panel = 0 : i64, reversed = array<i64>, xcds = 8 : i64}} {
    tile.store %x, %out[%x : i32] : i32, memref<64xi32, #tile.space<global>>
  }
}
