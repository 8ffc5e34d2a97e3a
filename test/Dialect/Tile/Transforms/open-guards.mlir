// RUN: tlc-opt %s --tile-open-guards --split-input-file | FileCheck %s

// The condition fails only where the store is dropped: it goes.
// CHECK-LABEL: tile.func @ends
// CHECK: tile.parallel
// CHECK-NOT: scf.if
// CHECK: tile.load
// CHECK: tile.store
// CHECK-NOT: scf.if
tile.func @ends(%x: !tile.ptr<f16>, %n: i32) {
  %X = tile.tensor %x sizes(%n : i32) {name = "X"} : !tile.ptr<f16> -> memref<1000x?xf16, #tile.space<global>>
  %g = arith.constant 4 : i32
  tile.kernel grid(%g) threads[64] (%b) {
    %c64 = arith.constant 64 : i32
    %c1000 = arith.constant 1000 : i32
    %at = arith.muli %b, %c64 : i32
    tile.parallel (%i, %j) = [64, 64] {
      %r = arith.addi %at, %i : i32
      %again = arith.addi %at, %i : i32
      %below = arith.cmpi slt, %r, %c1000 : i32
      %right = arith.cmpi sgt, %n, %j : i32
      %both = arith.andi %below, %right : i1
      scf.if %both {
        %v = tile.load %X[%again, %j : i32, i32] : memref<1000x?xf16, #tile.space<global>> -> f16
        %w = arith.addf %v, %v : f16
        tile.store %w, %X[%again, %j : i32, i32] : f16, memref<1000x?xf16, #tile.space<global>>
      }
    }
  }
}

// -----

// A zero is what reads outside give; another value is a selection. A bound
// within the tensor keeps its store, but not the load.
// CHECK-LABEL: tile.func @choices
// CHECK: %[[A:.+]] = tile.load %{{.+}}[%[[J:.+]] : i32]
// CHECK: %[[B:.+]] = tile.load
// CHECK: %[[C:.+]] = arith.select %{{.+}}, %[[B]]
// CHECK: %[[S:.+]] = arith.addf %[[A]], %[[C]]
// CHECK: tile.load
// CHECK: scf.if
// CHECK-NEXT: tile.store
tile.func @choices(%x: !tile.ptr<f32>) {
  %X = tile.tensor %x {name = "X"} : !tile.ptr<f32> -> memref<100xf32, #tile.space<global>>
  %g = arith.constant 1 : i32
  tile.kernel grid(%g) threads[64] (%b) {
    %c100 = arith.constant 100 : i32
    %c99 = arith.constant 99 : i32
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    tile.parallel (%j) = [128] {
      %c = arith.cmpi slt, %j, %c100 : i32
      %v = scf.if %c -> (f32) {
        %l = tile.load %X[%j : i32] : memref<100xf32, #tile.space<global>> -> f32
        scf.yield %l : f32
      } else {
        scf.yield %zero : f32
      }
      %w = scf.if %c -> (f32) {
        %l = tile.load %X[%j : i32] : memref<100xf32, #tile.space<global>> -> f32
        scf.yield %l : f32
      } else {
        scf.yield %one : f32
      }
      %s = arith.addf %v, %w : f32
      %d = arith.cmpi ult, %j, %c99 : i32
      scf.if %d {
        %l = tile.load %X[%j : i32] : memref<100xf32, #tile.space<global>> -> f32
        %t = arith.addf %l, %s : f32
        tile.store %t, %X[%j : i32] : f32, memref<100xf32, #tile.space<global>>
      }
    }
  }
}
