// Atomics that stay: of each, one thing is not as in spread-reducers.mlir.
// RUN: tlc-opt %s --tile-spread-reducers | FileCheck %s

// CHECK-LABEL: tile.func @stay
// CHECK-NOT: tile.reduce
// CHECK-COUNT-6: tile.atomic
tile.func @stay(%x: !tile.ptr<f32>, %n: !tile.ptr<i32>) {
  %c1 = arith.constant 1 : i32
  %X = tile.tensor %x {name = "X"} : !tile.ptr<f32> -> memref<4x64xf32, #tile.space<global>>
  %N = tile.tensor %n {name = "N"} : !tile.ptr<i32> -> memref<64xi32, #tile.space<global>>
  tile.kernel grid(%c1) threads[64] (%b) {
    %c2 = arith.constant 2 : i32
    %one = arith.constant 1.0 : f32
    %acc = tile.alloc {name = "acc"} : memref<64xf32, #tile.space<shared>>
    %big = tile.alloc {name = "big"} : memref<64xf32, #tile.space<shared>>
    %out = tile.alloc {name = "out"} : memref<4x64xf32, #tile.space<fragment>>
    // An index that is read from memory: a histogram.
    tile.parallel (%i, %j) = [4, 64] {
      %k = tile.load %N[%j : i32] : memref<64xi32, #tile.space<global>> -> i32
      %old = tile.atomic <add> %one, %acc[%k : i32] : f32, memref<64xf32, #tile.space<shared>>
    }
    // The old value is used.
    tile.parallel (%i, %j) = [4, 64] {
      %old = tile.atomic <add> %one, %acc[%i : i32] : f32, memref<64xf32, #tile.space<shared>>
      tile.store %old, %out[%i, %j : i32, i32] : f32, memref<4x64xf32, #tile.space<fragment>>
    }
    // Under a condition.
    tile.parallel (%i, %j) = [4, 64] {
      %v = tile.load %X[%i, %j : i32, i32] : memref<4x64xf32, #tile.space<global>> -> f32
      %c = arith.cmpf ogt, %v, %one : f32
      scf.if %c {
        %old = tile.atomic <add> %v, %acc[%i : i32] : f32, memref<64xf32, #tile.space<shared>>
      }
    }
    // The loop reads what it adds to.
    tile.parallel (%i, %j) = [4, 64] {
      %v = tile.load %acc[%j : i32] : memref<64xf32, #tile.space<shared>> -> f32
      %old = tile.atomic <add> %v, %acc[%i : i32] : f32, memref<64xf32, #tile.space<shared>>
    }
    // No two points meet.
    tile.parallel (%j) = [64] {
      %old = tile.atomic <add> %one, %acc[%j : i32] : f32, memref<64xf32, #tile.space<shared>>
    }
    // More points than registers.
    tile.parallel (%i, %j) = [64, 4096] {
      %old = tile.atomic <add> %one, %big[%i : i32] : f32, memref<64xf32, #tile.space<shared>>
    }
    tile.copy %out to %X : memref<4x64xf32, #tile.space<fragment>> to memref<4x64xf32, #tile.space<global>>
  }
}
