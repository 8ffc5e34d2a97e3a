// RUN: tlc-opt %s --tile-infer-layouts --tile-swizzle-lds --verify-diagnostics | FileCheck %s

// An alias shows the row-major order of the buffer under another shape: it is
// left as it is.
// CHECK: tile.alloc {name = "a"}
tile.func @alias(%p: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %P = tile.tensor %p : !tile.ptr<f16> -> memref<64x64xf16, #tile.space<global>>
  %Q = tile.tensor %p : !tile.ptr<f16> -> memref<4096xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[256] (%blk) {
    %a = tile.alloc {name = "a"} : memref<64x64xf16, #tile.space<shared>>
    %flat = tile.alias %a : memref<64x64xf16, #tile.space<shared>> to memref<4096xf16, #tile.space<shared>>
    %c = tile.alloc {name = "c"} : memref<64x64xf32, #tile.space<fragment>>
    tile.copy %P to %a : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
    tile.gemm %a, %a into %c {trans_b} : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
    tile.copy %flat to %Q : memref<4096xf16, #tile.space<shared>> to memref<4096xf16, #tile.space<global>>
    tile.copy %c to %P : memref<64x64xf32, #tile.space<fragment>> to memref<64x64xf16, #tile.space<global>>
  }
}
