// RUN: tlc-opt %s --tile-spread-reducers --split-input-file | FileCheck %s

// Each point of the loop has a register; lanes meet once, behind all steps.
// CHECK-LABEL: tile.func @rows
// CHECK-DAG: %[[PARTS:.+]] = tile.alloc {name = "acc.parts"} : memref<4x1024xf32, #tile.space<fragment>>
// CHECK-DAG: %[[SUMS:.+]] = tile.alloc {name = "acc.sums"} : memref<4xf32, #tile.space<fragment>>
// CHECK: tile.fill %[[ACC:.+]], %{{.+}} : memref<4xf32, #tile.space<shared>>
// CHECK: tile.fill %[[PARTS]]
// CHECK: scf.for
// CHECK: tile.parallel (%[[I:.+]], %[[J:.+]]) = [4, 1024]
// CHECK: %[[P:.+]] = tile.load %[[PARTS]][%[[I]], %[[J]]
// CHECK: %[[S:.+]] = arith.addf %[[P]]
// CHECK: tile.store %[[S]], %[[PARTS]][%[[I]], %[[J]]
// CHECK-NOT: tile.atomic
// CHECK: tile.reduce <sum> %[[PARTS]] into %[[SUMS]] dim 1
// CHECK: tile.parallel (%[[I:.+]]) = [4]
// CHECK: tile.load %[[ACC]][%[[I]]
// CHECK: tile.store %{{.+}}, %[[ACC]][%[[I]]
tile.func @rows(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %X = tile.tensor %x {name = "X"} : !tile.ptr<f32> -> memref<4x4096xf32, #tile.space<global>>
  %Y = tile.tensor %y {name = "Y"} : !tile.ptr<f32> -> memref<4xf32, #tile.space<global>>
  tile.kernel grid(%c1) threads[256] (%b) {
    %c0 = arith.constant 0 : i32
    %step = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %c1024 = arith.constant 1024 : i32
    %zero = arith.constant 0.0 : f32
    %acc = tile.alloc {name = "acc"} : memref<4xf32, #tile.space<shared>>
    tile.fill %acc, %zero : memref<4xf32, #tile.space<shared>>, f32
    scf.for %k = %c0 to %c4 step %step : i32 {
      tile.parallel (%i, %j) = [4, 1024] {
        %at = arith.muli %k, %c1024 : i32
        %col = arith.addi %at, %j : i32
        %v = tile.load %X[%i, %col : i32, i32] : memref<4x4096xf32, #tile.space<global>> -> f32
        %old = tile.atomic <add> %v, %acc[%i : i32] : f32, memref<4xf32, #tile.space<shared>>
      }
    }
    tile.copy %acc to %Y : memref<4xf32, #tile.space<shared>> to memref<4xf32, #tile.space<global>>
  }
}

// -----

// All points meet; an f16 is combined as an f32, and rounded once. The loop
// around uses the tile: reduced in each step.
// CHECK-LABEL: tile.func @one
// CHECK-DAG: %[[PARTS:.+]] = tile.alloc {name = "acc.parts"} : memref<8x64xf32, #tile.space<fragment>>
// CHECK: scf.for
// CHECK: tile.fill
// CHECK: tile.store %{{.+}}, %[[PARTS]]
// CHECK: tile.reduce <max> %[[PARTS]] into %[[A:.+]] dim 1 : memref<8x64xf32, #tile.space<fragment>> into memref<8xf32, #tile.space<fragment>>
// CHECK: tile.reduce <max> %[[A]] into %{{.+}} dim 0 : memref<8xf32, #tile.space<fragment>> into memref<1xf32, #tile.space<fragment>>
// CHECK: arith.maxnumf
// CHECK: arith.truncf
tile.func @one(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %X = tile.tensor %x {name = "X"} : !tile.ptr<f16> -> memref<8x64xf16, #tile.space<global>>
  %Y = tile.tensor %y {name = "Y"} : !tile.ptr<f16> -> memref<1xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[64] (%b) {
    %c0 = arith.constant 0 : i32
    %step = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %zero = arith.constant 0.0 : f16
    %acc = tile.alloc {name = "acc"} : memref<1xf16, #tile.space<shared>>
    scf.for %k = %c0 to %c4 step %step : i32 {
      tile.fill %acc, %zero : memref<1xf16, #tile.space<shared>>, f16
      tile.parallel (%i, %j) = [8, 64] {
        %v = tile.load %X[%i, %j : i32, i32] : memref<8x64xf16, #tile.space<global>> -> f16
        %old = tile.atomic <max> %v, %acc[%c0 : i32] : f16, memref<1xf16, #tile.space<shared>>
      }
    }
    tile.copy %acc to %Y : memref<1xf16, #tile.space<shared>> to memref<1xf16, #tile.space<global>>
  }
}
