// Conditions that stay, with the loads below them.
// RUN: tlc-opt %s --tile-open-guards | FileCheck %s

// CHECK-LABEL: tile.func @stay
tile.func @stay(%x: !tile.ptr<f32>, %n: i32, %address: i64) {
  %X = tile.tensor %x {name = "X"} : !tile.ptr<f32> -> memref<100xf32, #tile.space<global>>
  %g = arith.constant 1 : i32
  tile.kernel grid(%g) threads[64] (%b) {
    %c0 = arith.constant 0 : i32
    %c50 = arith.constant 50 : i32
    %c100 = arith.constant 100 : i32
    %s = tile.alloc {name = "s"} : memref<100xf32, #tile.space<shared>>
    %p = tile.pointer %address : !tile.ptr<f32>
    %P = tile.tensor %p {name = "P"} : !tile.ptr<f32> -> memref<100xf32, #tile.space<global>>
    %flag = arith.cmpi slt, %n, %c50 : i32
    tile.parallel (%j) = [128] {
      // The same for all points.
      // CHECK: scf.if
      // CHECK-NEXT: tile.load
      scf.if %flag {
        %v = tile.load %X[%j : i32] : memref<100xf32, #tile.space<global>> -> f32
        tile.store %v, %X[%j : i32] : f32, memref<100xf32, #tile.space<global>>
      }
      // One point.
      // CHECK: scf.if
      // CHECK-NEXT: tile.load
      %first = arith.cmpi eq, %j, %c0 : i32
      scf.if %first {
        %v = tile.load %X[%j : i32] : memref<100xf32, #tile.space<global>> -> f32
        tile.store %v, %X[%j : i32] : f32, memref<100xf32, #tile.space<global>>
      }
      // A tile has no outside.
      // CHECK: scf.if
      // CHECK-NEXT: tile.load
      %c = arith.cmpi slt, %j, %c100 : i32
      scf.if %c {
        %v = tile.load %s[%j : i32] : memref<100xf32, #tile.space<shared>> -> f32
        tile.store %v, %X[%j : i32] : f32, memref<100xf32, #tile.space<global>>
      }
      // Nor is a pointer good that the condition may keep from being used.
      // CHECK: scf.if
      // CHECK-NEXT: tile.load
      scf.if %c {
        %v = tile.load %P[%j : i32] : memref<100xf32, #tile.space<global>> -> f32
        tile.store %v, %P[%j : i32] : f32, memref<100xf32, #tile.space<global>>
      }
      // The condition is another index's; the load behind the store stays too.
      // CHECK: tile.load
      // CHECK: scf.if
      // CHECK-NEXT: tile.store
      // CHECK-NEXT: tile.load
      // CHECK-NEXT: tile.store
      %k = arith.subi %c100, %j : i32
      scf.if %c {
        %v = tile.load %X[%k : i32] : memref<100xf32, #tile.space<global>> -> f32
        tile.store %v, %X[%k : i32] : f32, memref<100xf32, #tile.space<global>>
        %w = tile.load %X[%j : i32] : memref<100xf32, #tile.space<global>> -> f32
        tile.store %w, %X[%j : i32] : f32, memref<100xf32, #tile.space<global>>
      }
    }
  }
}
