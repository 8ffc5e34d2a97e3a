// RUN: tlc-opt %s --tile-infer-layouts --split-input-file --verify-diagnostics

tile.func @threads() {
  %c1 = arith.constant 1 : i32
  // expected-error @below {{layouts need whole wavefronts, but the workgroup has 96 threads: run tile-legalize first}}
  tile.kernel grid(%c1) threads[96] (%b) {
  }
}

// -----

tile.func @types() {
  %c1 = arith.constant 1 : i32
  tile.kernel grid(%c1) threads[64] (%b) {
    %x = tile.alloc : memref<16x16xi32, #tile.space<shared>>
    %y = tile.alloc : memref<16x16xi32, #tile.space<shared>>
    %z = tile.alloc : memref<16x16xi32, #tile.space<fragment>>
    // expected-error @below {{gfx942 has no matrix instruction for 'i32' x 'i32' into 'i32'}}
    tile.gemm %x, %y into %z : memref<16x16xi32, #tile.space<shared>>, memref<16x16xi32, #tile.space<shared>> into memref<16x16xi32, #tile.space<fragment>>
  }
}
