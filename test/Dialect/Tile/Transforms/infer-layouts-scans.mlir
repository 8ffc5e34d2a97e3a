// RUN: tlc-opt %s --tile-infer-layouts --split-input-file | FileCheck %s
// RUN: tlc-opt %s --tile-infer-layouts --tile-fit-lds --convert-tile-to-wave --split-input-file | FileCheck %s --check-prefix WAVE

// Eight rows: 32 lanes for each, with pieces of eight neighbours.
// CHECK-LABEL: tile.func @rows
// CHECK: tile.copy %[[S:.+]] to %[[IN:.+]] {layout = #tile.layout<[8:t32], [8:r1, 32:t1]>}
// CHECK: tile.scan <sum> %[[IN]] into %[[OUT:.+]] dim 1
// CHECK: tile.copy %[[OUT]] to %{{.+}} {layout = #tile.layout<[8:t32], [8:r1, 32:t1]>}
// Seven additions within a lane, eight to what the lanes before have, a
// selection for each of five exchanges. Reversed, lanes of a clear bit take.
// WAVE-LABEL: wave.kernel
// WAVE-COUNT-5: wave.shuffle_xor
// WAVE-NOT: wave.shuffle_xor
tile.func @rows(%x: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %X = tile.tensor %x {name = "X"} : !tile.ptr<f32> -> memref<8x256xf32, #tile.space<global>>
  tile.kernel grid(%c1) threads[256] (%b) {
    %s = tile.alloc {name = "s"} : memref<8x256xf32, #tile.space<shared>>
    tile.copy %X to %s : memref<8x256xf32, #tile.space<global>> to memref<8x256xf32, #tile.space<shared>>
    tile.scan <sum> %s into %s dim 1 : memref<8x256xf32, #tile.space<shared>> into memref<8x256xf32, #tile.space<shared>>
    tile.copy %s to %X : memref<8x256xf32, #tile.space<shared>> to memref<8x256xf32, #tile.space<global>>
  }
}

// -----

// More rows than threads: each thread its own, reversed.
// CHECK-LABEL: tile.func @columns
// CHECK: tile.scan <sum> {{.*}} dim 0 {reverse}
// CHECK-NOT: scf.for
// WAVE-LABEL: wave.kernel
// WAVE-NOT: wave.shuffle_xor
// WAVE: wave.return
tile.func @columns(%x: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %X = tile.tensor %x {name = "X"} : !tile.ptr<f32> -> memref<16x64xf32, #tile.space<global>>
  tile.kernel grid(%c1) threads[64] (%b) {
    %s = tile.alloc {name = "s"} : memref<16x64xf32, #tile.space<fragment>>
    tile.copy %X to %s : memref<16x64xf32, #tile.space<global>> to memref<16x64xf32, #tile.space<fragment>>
    tile.scan <sum> %s into %s dim 0 {reverse} : memref<16x64xf32, #tile.space<fragment>> into memref<16x64xf32, #tile.space<fragment>>
    tile.copy %s to %X : memref<16x64xf32, #tile.space<fragment>> to memref<16x64xf32, #tile.space<global>>
  }
}

// -----

// Too long for registers: walked in LDS.
// CHECK-LABEL: tile.func @long
// CHECK-NOT: tile.scan
// CHECK: tile.parallel
// CHECK: scf.for
// WAVE-LABEL: wave.kernel
// WAVE: scf.for
tile.func @long(%x: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %X = tile.tensor %x {name = "X"} : !tile.ptr<f32> -> memref<1x8192xf32, #tile.space<global>>
  tile.kernel grid(%c1) threads[256] (%b) {
    %s = tile.alloc {name = "s"} : memref<1x8192xf32, #tile.space<shared>>
    tile.copy %X to %s : memref<1x8192xf32, #tile.space<global>> to memref<1x8192xf32, #tile.space<shared>>
    tile.scan <sum> %s into %s dim 1 : memref<1x8192xf32, #tile.space<shared>> into memref<1x8192xf32, #tile.space<shared>>
    tile.copy %s to %X : memref<1x8192xf32, #tile.space<shared>> to memref<1x8192xf32, #tile.space<global>>
  }
}
