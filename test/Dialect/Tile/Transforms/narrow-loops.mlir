// RUN: tlc-opt %s --tile-legalize | FileCheck %s

// All that the first loop does stands under a comparison with a divisor of its
// extent; that of the second would leave a part of a row, and the third writes a
// fragment.
// CHECK-LABEL: @narrow
tile.func @narrow(%n: i32, %a: !tile.ptr<f32>) {
  %A = tile.tensor %a : !tile.ptr<f32> -> memref<64x32xf32, #tile.space<global>>
  tile.kernel grid(%n) threads[64] (%b) {
    %f = tile.alloc : memref<64x32xf32, #tile.space<fragment>>
    %c16 = arith.constant 16 : i32
    %c24 = arith.constant 24 : i32
    %zero = arith.constant 0.0 : f32
    // CHECK: tile.parallel ({{.*}}) = [16, 32]
    // CHECK-NOT: scf.if
    tile.parallel (%i, %j) = [64, 32] {
      %in = arith.cmpi slt, %i, %c16 : i32
      scf.if %in {
        tile.store %zero, %A[%i, %j : i32, i32] : f32, memref<64x32xf32, #tile.space<global>>
      }
    }
    // CHECK: tile.parallel ({{.*}}) = [64, 32]
    // CHECK: scf.if
    tile.parallel (%i, %j) = [64, 32] {
      %in = arith.cmpi slt, %j, %c24 : i32
      scf.if %in {
        tile.store %zero, %A[%i, %j : i32, i32] : f32, memref<64x32xf32, #tile.space<global>>
      }
    }
    // CHECK: tile.parallel ({{.*}}) = [64, 32]
    // CHECK: scf.if
    tile.parallel (%i, %j) = [64, 32] {
      %in = arith.cmpi slt, %i, %c16 : i32
      scf.if %in {
        tile.store %zero, %f[%i, %j : i32, i32] : f32, memref<64x32xf32, #tile.space<fragment>>
      }
    }
    tile.copy %f to %A : memref<64x32xf32, #tile.space<fragment>> to memref<64x32xf32, #tile.space<global>>
  }
}
