// RUN: tlc-opt %s --tile-pipeline --verify-diagnostics | FileCheck %s

// What cannot be loaded ahead stays as it was and says why.
// CHECK-NOT: tile.prefetch
tile.func @refused(%a: !tile.ptr<f16>, %t: !tile.ptr<i32>) {
  %c1 = arith.constant 1 : i32
  %A = tile.tensor %a : !tile.ptr<f16> -> memref<512x64xf16, #tile.space<global>>
  %T = tile.tensor %t : !tile.ptr<i32> -> memref<8xi32, #tile.space<global>>
  tile.kernel grid(%c1) threads[256] (%b) {
    %c0 = arith.constant 0 : i32
    %s = arith.constant 1 : i32
    %n = arith.constant 8 : i32
    %z = arith.constant 0.0 : f16
    %X = tile.alloc {name = "X"} : memref<64x64xf16, #tile.space<shared>>
    %H = tile.alloc {name = "H"} : memref<64x64xf16, #tile.space<fragment>>
    %G = tile.alloc {name = "G"} : memref<64x64xf32, #tile.space<fragment>>
    %F = tile.alloc {name = "F"} : memref<64x64xf16, #tile.space<fragment>>
    scf.for %i = %c0 to %n step %s : i32 {
      %row = tile.load %T[%i : i32] : memref<8xi32, #tile.space<global>> -> i32
      %v = tile.view %A[%row, %c0 : i32, i32] : memref<512x64xf16, #tile.space<global>> to memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      // expected-remark @below {{not prefetched: its source depends on what the loop computes}}
      tile.copy %v to %X : memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.store %row, %T[%c0 : i32] : i32, memref<8xi32, #tile.space<global>>
      tile.copy %X to %F : memref<64x64xf16, #tile.space<shared>> to memref<64x64xf16, #tile.space<fragment>>
      %w = tile.view %A[%i, %c0 : i32, i32] : memref<512x64xf16, #tile.space<global>> to memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      // expected-remark @below {{not prefetched: its tile is written elsewhere too}}
      tile.copy %w to %H : memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<64x64xf16, #tile.space<fragment>>
      tile.fill %H, %z : memref<64x64xf16, #tile.space<fragment>>, f16
      // expected-remark @below {{not prefetched: it converts on the way to registers}}
      tile.copy %w to %G : memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<64x64xf32, #tile.space<fragment>>
    } {tile.num_stages = 2 : i64}
  }
}
