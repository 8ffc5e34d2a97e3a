// RUN: tlc-opt %s --convert-tile-to-wave --split-input-file --verify-diagnostics

tile.func @no_layout(%a: !tile.ptr<f32>) {
  %g = arith.constant 1 : i32
  %A = tile.tensor %a : !tile.ptr<f32> -> memref<64xf32, #tile.space<global>>
  tile.kernel grid(%g) threads[64] (%b) {
    %f = tile.alloc : memref<64xf32, #tile.space<fragment>>
    // expected-error @below {{has no layout: run tile-infer-layouts first}}
    tile.copy %A to %f : memref<64xf32, #tile.space<global>> to memref<64xf32, #tile.space<fragment>>
  }
}

// -----

tile.func @no_mfma() {
  %g = arith.constant 1 : i32
  tile.kernel grid(%g) threads[64] (%b) {
    %x = tile.alloc : memref<16x16xf16, #tile.space<shared>>
    %c = tile.alloc : memref<16x16xf32, #tile.space<fragment>>
    // expected-error @below {{has no mfma attribute: run tile-infer-layouts first}}
    tile.gemm %x, %x into %c : memref<16x16xf16, #tile.space<shared>>, memref<16x16xf16, #tile.space<shared>> into memref<16x16xf32, #tile.space<fragment>>
  }
}

// -----

tile.func @wavefronts() {
  %g = arith.constant 1 : i32
  // expected-error @below {{needs whole wavefronts, but the workgroup has 100 threads: run tile-legalize first}}
  tile.kernel grid(%g) threads[100] (%b) {
  }
}
