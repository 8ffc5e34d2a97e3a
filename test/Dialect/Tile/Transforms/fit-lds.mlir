// RUN: tlc-opt %s --tile-fit-lds --split-input-file | FileCheck %s

// Two phases use different buffers: the second takes the place of the first.
// What lives through both has a place of its own.
// CHECK-LABEL: @phases
// CHECK-DAG: lds_offset = 0 : i64, name = "first"
// CHECK-DAG: lds_offset = 0 : i64, name = "second"
// CHECK-DAG: lds_offset = 32768 : i64, name = "through"
tile.func @phases(%p: !tile.ptr<f16>, %q: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %P = tile.tensor %p : !tile.ptr<f16> -> memref<128x128xf16, #tile.space<global>>
  %Q = tile.tensor %q : !tile.ptr<f16> -> memref<64x64xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[64] (%b) {
    %first = tile.alloc {name = "first"} : memref<128x128xf16, #tile.space<shared>>
    %through = tile.alloc {name = "through"} : memref<64x64xf16, #tile.space<shared>>
    %second = tile.alloc {name = "second"} : memref<128x128xf16, #tile.space<shared>>
    tile.copy %Q to %through : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
    tile.copy %P to %first : memref<128x128xf16, #tile.space<global>> to memref<128x128xf16, #tile.space<shared>>
    tile.copy %first to %P : memref<128x128xf16, #tile.space<shared>> to memref<128x128xf16, #tile.space<global>>
    tile.copy %P to %second : memref<128x128xf16, #tile.space<global>> to memref<128x128xf16, #tile.space<shared>>
    tile.copy %second to %P : memref<128x128xf16, #tile.space<shared>> to memref<128x128xf16, #tile.space<global>>
    tile.copy %through to %Q : memref<64x64xf16, #tile.space<shared>> to memref<64x64xf16, #tile.space<global>>
  }
}

// -----

// A loop's buffer is alive round the back edge: the two must not share.
// CHECK-LABEL: @round
// CHECK-DAG: lds_offset = [[A:0|8192]] : i64, name = "a"
// CHECK-DAG: lds_offset = {{0|8192}} : i64, name = "b"
// CHECK-NOT: lds_offset = [[A]]
tile.func @round(%p: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %P = tile.tensor %p : !tile.ptr<f16> -> memref<64x64xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[64] (%blk) {
    %c0 = arith.constant 0 : i32
    %c8 = arith.constant 8 : i32
    %s = arith.constant 1 : i32
    %a = tile.alloc {name = "a"} : memref<64x64xf16, #tile.space<shared>>
    %b = tile.alloc {name = "b"} : memref<64x64xf16, #tile.space<shared>>
    tile.copy %P to %a : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
    scf.for %i = %c0 to %c8 step %s : i32 {
      tile.copy %a to %b : memref<64x64xf16, #tile.space<shared>> to memref<64x64xf16, #tile.space<shared>>
      tile.copy %b to %P : memref<64x64xf16, #tile.space<shared>> to memref<64x64xf16, #tile.space<global>>
    }
  }
}

// -----

// Three tiles that serve one after the other do not fit side by side. Of what
// one workgroup has, each takes the place that was read longest ago: the second
// is written while the first is read.
// CHECK-LABEL: @turns
// CHECK-DAG: lds_offset = 0 : i64, name = "a"
// CHECK-DAG: lds_offset = 32768 : i64, name = "b"
// CHECK-DAG: lds_offset = 0 : i64, name = "c"
tile.func @turns(%p: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %P = tile.tensor %p : !tile.ptr<f16> -> memref<128x128xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[256] (%blk) {
    %c0 = arith.constant 0 : i32
    %c8 = arith.constant 8 : i32
    %s = arith.constant 1 : i32
    %a = tile.alloc {name = "a"} : memref<128x128xf16, #tile.space<shared>>
    %b = tile.alloc {name = "b"} : memref<128x128xf16, #tile.space<shared>>
    %c = tile.alloc {name = "c"} : memref<128x128xf16, #tile.space<shared>>
    scf.for %i = %c0 to %c8 step %s : i32 {
      tile.copy %P to %a : memref<128x128xf16, #tile.space<global>> to memref<128x128xf16, #tile.space<shared>>
      tile.copy %a to %P : memref<128x128xf16, #tile.space<shared>> to memref<128x128xf16, #tile.space<global>>
      tile.copy %P to %b : memref<128x128xf16, #tile.space<global>> to memref<128x128xf16, #tile.space<shared>>
      tile.copy %b to %P : memref<128x128xf16, #tile.space<shared>> to memref<128x128xf16, #tile.space<global>>
      tile.copy %P to %c : memref<128x128xf16, #tile.space<global>> to memref<128x128xf16, #tile.space<shared>>
      tile.copy %c to %P : memref<128x128xf16, #tile.space<shared>> to memref<128x128xf16, #tile.space<global>>
    }
  }
}

// -----

// The same on a grid that gives each compute unit two workgroups, which LDS
// holds: the tiles share the bytes of one.
// CHECK-LABEL: @two_workgroups
// CHECK-DAG: lds_offset = 0 : i64, name = "a"
// CHECK-DAG: lds_offset = 0 : i64, name = "b"
// CHECK-DAG: lds_offset = 0 : i64, name = "c"
tile.func @two_workgroups(%p: !tile.ptr<f16>, %n: i32) {
  %P = tile.tensor %p : !tile.ptr<f16> -> memref<128x128xf16, #tile.space<global>>
  tile.kernel grid(%n) threads[256] (%blk) {
    %c0 = arith.constant 0 : i32
    %c8 = arith.constant 8 : i32
    %s = arith.constant 1 : i32
    %a = tile.alloc {name = "a"} : memref<128x128xf16, #tile.space<shared>>
    %b = tile.alloc {name = "b"} : memref<128x128xf16, #tile.space<shared>>
    %c = tile.alloc {name = "c"} : memref<128x128xf16, #tile.space<shared>>
    scf.for %i = %c0 to %c8 step %s : i32 {
      tile.copy %P to %a : memref<128x128xf16, #tile.space<global>> to memref<128x128xf16, #tile.space<shared>>
      tile.copy %a to %P : memref<128x128xf16, #tile.space<shared>> to memref<128x128xf16, #tile.space<global>>
      tile.copy %P to %b : memref<128x128xf16, #tile.space<global>> to memref<128x128xf16, #tile.space<shared>>
      tile.copy %b to %P : memref<128x128xf16, #tile.space<shared>> to memref<128x128xf16, #tile.space<global>>
      tile.copy %P to %c : memref<128x128xf16, #tile.space<global>> to memref<128x128xf16, #tile.space<shared>>
      tile.copy %c to %P : memref<128x128xf16, #tile.space<shared>> to memref<128x128xf16, #tile.space<global>>
    }
  }
}
