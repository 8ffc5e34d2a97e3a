// RUN: tlc-opt %s --tile-infer-layouts --tile-fit-registers --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

tile.func @few_threads(%n: i32, %outp: !tile.ptr<f32>) {
  %out = tile.tensor %outp : !tile.ptr<f32> -> memref<256x256xf32, #tile.space<global>>
  // expected-error @below {{the fragments need 1024 registers a lane, but a workgroup of 64 threads has 496 for them [TL0604]}}
  // expected-note @below {{spread over 256 threads they would need 256 of 496 registers}}
  tile.kernel grid(%n) threads[64] (%b) {
    %zero = arith.constant 0.0 : f32
    // expected-note @below {{'acc' (256x256xf32) takes 1024 registers}}
    %acc = tile.alloc {name = "acc"} : memref<256x256xf32, #tile.space<fragment>>
    tile.fill %acc, %zero : memref<256x256xf32, #tile.space<fragment>>, f32
    tile.copy %acc to %out : memref<256x256xf32, #tile.space<fragment>> to memref<256x256xf32, #tile.space<global>>
  }
}

// -----

// More wavefronts on a SIMD share its registers.
tile.func @no_number(%n: i32, %outp: !tile.ptr<f32>) {
  %out = tile.tensor %outp : !tile.ptr<f32> -> memref<1024x256xf32, #tile.space<global>>
  // expected-error @below {{the fragments need 512 registers a lane, but a workgroup of 512 threads has 240 for them [TL0604]}}
  // expected-note @below {{no number of threads suffices: use smaller tiles}}
  tile.kernel grid(%n) threads[512] (%b) {
    %zero = arith.constant 0.0 : f32
    // expected-note @below {{'acc' (1024x256xf32) takes 512 registers}}
    %acc = tile.alloc {name = "acc"} : memref<1024x256xf32, #tile.space<fragment>>
    tile.fill %acc, %zero : memref<1024x256xf32, #tile.space<fragment>>, f32
    tile.copy %acc to %out : memref<1024x256xf32, #tile.space<fragment>> to memref<1024x256xf32, #tile.space<global>>
  }
}
