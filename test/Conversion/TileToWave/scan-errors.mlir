// RUN: tlc-opt %s --convert-tile-to-wave --split-input-file --verify-diagnostics

tile.func @no_layout(%x: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  tile.kernel grid(%c1) threads[64] (%b) {
    %s = tile.alloc : memref<64xf32, #tile.space<fragment>>
    // expected-error @below {{operands have no common layout: run tile-infer-layouts first}}
    tile.scan <sum> %s into %s dim 0 : memref<64xf32, #tile.space<fragment>> into memref<64xf32, #tile.space<fragment>>
  }
}

// -----

// Over wavefronts.
tile.func @wavefronts(%x: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  tile.kernel grid(%c1) threads[128] (%b) {
    %s = tile.alloc {layout = #tile.layout<[128:t1]>} : memref<128xf32, #tile.space<fragment>>
    // expected-error @below {{a scan over these threads is not supported: run tile-infer-layouts first}}
    tile.scan <sum> %s into %s dim 0 : memref<128xf32, #tile.space<fragment>> into memref<128xf32, #tile.space<fragment>>
  }
}
