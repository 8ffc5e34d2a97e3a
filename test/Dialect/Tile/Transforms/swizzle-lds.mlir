// RUN: tlc-opt %s --tile-infer-layouts --tile-swizzle-lds | FileCheck %s

// Both operands of a product: 16-byte units of 128-byte rows, XORed with the row.
// CHECK: tile.alloc {layout = #tile.layout<[64:m64], [64:m1], xor(6, 7, 3)>, name = "a"}
// CHECK: tile.alloc {layout = #tile.layout<{{.*}}xor({{.*}})>, name = "b"}
tile.func @product(%p: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %P = tile.tensor %p : !tile.ptr<f16> -> memref<64x64xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[256] (%blk) {
    %a = tile.alloc {name = "a"} : memref<64x64xf16, #tile.space<shared>>
    %b = tile.alloc {name = "b"} : memref<64x64xf16, #tile.space<shared>>
    %c = tile.alloc {name = "c"} : memref<64x64xf32, #tile.space<fragment>>
    tile.copy %P to %a : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
    tile.copy %P to %b : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
    tile.gemm %a, %b into %c {trans_b} : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
    tile.copy %c to %P : memref<64x64xf32, #tile.space<fragment>> to memref<64x64xf16, #tile.space<global>>
  }
}
