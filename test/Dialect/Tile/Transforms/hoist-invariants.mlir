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

// An element of a tensor that is only read, the same for all points and all
// steps, is read once, before the loops.
// CHECK-LABEL: tile.func @rows
// CHECK: %[[SIZE:.*]] = tile.load %[[SIZES:.*]][%{{.*}} : i32]
// CHECK: %[[FIRST:.*]] = tile.load %[[FIRSTS:.*]][%{{.*}} : i32]
// CHECK: scf.for
// CHECK: tile.parallel (%[[I:.*]]) = [64]
// CHECK-NOT: tile.load %[[FIRSTS]]
// CHECK: arith.cmpi slt, %[[I]], %[[SIZE]]
// CHECK-NOT: tile.load %[[FIRSTS]]
// CHECK: tile.yield
tile.func @rows(%n: i32, %p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %r: !tile.ptr<i32>, %s: !tile.ptr<i32>) {
  %a = tile.tensor %p {name = "A"} : !tile.ptr<f32> -> memref<4096xf32, #tile.space<global>>
  %o = tile.tensor %q {name = "B"} : !tile.ptr<f32> -> memref<64xf32, #tile.space<global>>
  %sizes = tile.tensor %r {name = "sizes"} : !tile.ptr<i32> -> memref<4xi32, #tile.space<global>>
  %firsts = tile.tensor %s {name = "firsts"} : !tile.ptr<i32> -> memref<4xi32, #tile.space<global>>
  tile.kernel grid(%n) threads[64] (%b) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    scf.for %k = %c0 to %c8 step %c1 : i32 {
      tile.parallel (%i) = [64] {
        %size = tile.load %sizes[%b : i32] : memref<4xi32, #tile.space<global>> -> i32
        %in = arith.cmpi slt, %i, %size : i32
        %v = scf.if %in -> f32 {
          %first = tile.load %firsts[%b : i32] : memref<4xi32, #tile.space<global>> -> i32
          %x = arith.addi %first, %i : i32
          %y = tile.load %a[%x : i32] : memref<4096xf32, #tile.space<global>> -> f32
          scf.yield %y : f32
        } else {
          %zero = arith.constant 0.0 : f32
          scf.yield %zero : f32
        }
        tile.store %v, %o[%i : i32] : f32, memref<64xf32, #tile.space<global>>
      }
    }
  }
}

// What the kernel writes is read where it stands; and so is what a condition
// that is the same for all points keeps from being read.
// CHECK-LABEL: tile.func @counted
// CHECK: scf.for
// CHECK: tile.parallel
// CHECK: tile.load %[[COUNTS:.*]][%{{.*}} : i32]
// CHECK: scf.if
// CHECK: tile.load %{{.*}}[%{{.*}} : i32] : memref<4xf32
tile.func @counted(%n: i32, %has: i32, %q: !tile.ptr<f32>, %r: !tile.ptr<i32>, %s: !tile.ptr<f32>) {
  %o = tile.tensor %q {name = "B"} : !tile.ptr<f32> -> memref<64xf32, #tile.space<global>>
  %counts = tile.tensor %r {name = "counts"} : !tile.ptr<i32> -> memref<4xi32, #tile.space<global>>
  %bias = tile.tensor %s {name = "bias"} : !tile.ptr<f32> -> memref<4xf32, #tile.space<global>>
  tile.kernel grid(%n) threads[64] (%b) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    scf.for %k = %c0 to %c8 step %c1 : i32 {
      tile.parallel (%i) = [64] {
        %count = tile.load %counts[%b : i32] : memref<4xi32, #tile.space<global>> -> i32
        %any = arith.cmpi ne, %has, %c0 : i32
        %v = scf.if %any -> f32 {
          %y = tile.load %bias[%b : i32] : memref<4xf32, #tile.space<global>> -> f32
          scf.yield %y : f32
        } else {
          %zero = arith.constant 0.0 : f32
          scf.yield %zero : f32
        }
        %f = arith.sitofp %count : i32 to f32
        %w = arith.addf %v, %f : f32
        tile.store %w, %o[%i : i32] : f32, memref<64xf32, #tile.space<global>>
      }
      tile.parallel (%i) = [4] {
        tile.store %k, %counts[%i : i32] : i32, memref<4xi32, #tile.space<global>>
      }
    }
  }
}
