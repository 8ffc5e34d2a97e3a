// Indices as a point plus one value from outside: sums are regrouped, products
// distributed, and what is the same for all points moves out of the loop.
// RUN: tlc-opt %s --tile-legalize | FileCheck %s

// CHECK-LABEL: tile.func @sums
// CHECK-DAG: %[[ROW:.*]] = arith.muli %{{.*}}, %{{.*}} : i32
// CHECK-DAG: %[[BOTH:.*]] = arith.addi %[[ROW]], %[[K:.*]] : i32
// CHECK: tile.parallel (%[[I:.*]]) = [64]
// CHECK: %[[X:.*]] = arith.addi %[[I]], %[[BOTH]] : i32
// CHECK: tile.load %{{.*}}[%[[X]]
tile.func @sums(%n: i32, %k: i32, %p: !tile.ptr<f32>, %q: !tile.ptr<f32>) {
  %a = tile.tensor %p {name = "A"} : !tile.ptr<f32> -> memref<4096xf32, #tile.space<global>>
  %o = tile.tensor %q {name = "B"} : !tile.ptr<f32> -> memref<64xf32, #tile.space<global>>
  tile.kernel grid(%n) threads[64] (%b) {
    tile.parallel (%i) = [64] {
      %c64 = arith.constant 64 : i32
      %row = arith.muli %b, %c64 : i32
      %x = arith.addi %row, %i : i32
      %y = arith.addi %x, %k : i32
      %v = tile.load %a[%y : i32] : memref<4096xf32, #tile.space<global>> -> f32
      tile.store %v, %o[%i : i32] : f32, memref<64xf32, #tile.space<global>>
    }
  }
}
