// RUN: tlc-opt %s --tile-infer-layouts --tile-fit-registers | FileCheck %s
//
// What fits passes unchanged; a fragment that each step overwrites counts only
// while it is alive: 448 of accumulator and 32 + 32 of the steps' products,
// which are never alive together.

// CHECK-LABEL: tile.func @in_turn
// CHECK: tile.kernel
tile.func @in_turn(%n: i32, %outp: !tile.ptr<f32>) {
  %out = tile.tensor %outp : !tile.ptr<f32> -> memref<448x64xf32, #tile.space<global>>
  tile.kernel grid(%n) threads[64] (%b) {
    %zero = arith.constant 0.0 : f32
    %acc = tile.alloc {name = "acc"} : memref<448x64xf32, #tile.space<fragment>>
    %x = tile.alloc {name = "x"} : memref<32x64xf32, #tile.space<fragment>>
    %y = tile.alloc {name = "y"} : memref<32x64xf32, #tile.space<fragment>>
    %i0 = arith.constant 0 : i32
    tile.fill %acc, %zero : memref<448x64xf32, #tile.space<fragment>>, f32
    tile.fill %x, %zero : memref<32x64xf32, #tile.space<fragment>>, f32
    %vx = tile.view %out[%i0, %i0 : i32, i32] : memref<448x64xf32, #tile.space<global>> to memref<32x64xf32, strided<[64, 1], offset: ?>, #tile.space<global>>
    tile.copy %x to %vx : memref<32x64xf32, #tile.space<fragment>> to memref<32x64xf32, strided<[64, 1], offset: ?>, #tile.space<global>>
    tile.fill %y, %zero : memref<32x64xf32, #tile.space<fragment>>, f32
    tile.copy %y to %vx : memref<32x64xf32, #tile.space<fragment>> to memref<32x64xf32, strided<[64, 1], offset: ?>, #tile.space<global>>
    tile.copy %acc to %out : memref<448x64xf32, #tile.space<fragment>> to memref<448x64xf32, #tile.space<global>>
  }
}
