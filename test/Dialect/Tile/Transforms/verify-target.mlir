// RUN: tlc-opt %s --tile-verify-target | FileCheck %s

// What gfx942 has passes unchanged: every element type, every kind of product.
// CHECK-LABEL: @fine
tile.func @fine(%n: i32) {
  tile.kernel grid(%n) threads[256] (%b) {
    %h = tile.alloc : memref<64x64xf16, #tile.space<shared>>
    %e = tile.alloc : memref<64x64xf8E4M3FNUZ, #tile.space<shared>>
    %i = tile.alloc : memref<64x64xi8, #tile.space<shared>>
    %c = tile.alloc : memref<64x64xf32, #tile.space<fragment>>
    %d = tile.alloc : memref<64x64xi32, #tile.space<fragment>>
    // CHECK-COUNT-3: tile.gemm
    tile.gemm %h, %h into %c : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
    tile.gemm %e, %e into %c : memref<64x64xf8E4M3FNUZ, #tile.space<shared>>, memref<64x64xf8E4M3FNUZ, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
    tile.gemm %i, %i into %d : memref<64x64xi8, #tile.space<shared>>, memref<64x64xi8, #tile.space<shared>> into memref<64x64xi32, #tile.space<fragment>>
  }
}
