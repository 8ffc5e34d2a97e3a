// RUN: tlc-opt %s --tile-verify-target --tile-legalize --tile-insert-sync --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

tile.func @threads(%n: i32) {
  // expected-error @below {{needs a multiple of 64 threads, but has 48; use 64}}
  tile.kernel grid(%n) threads[48] (%b) {
    %s = tile.alloc : memref<64xf32, #tile.space<shared>>
    %zero = arith.constant 0.0 : f32
    // expected-note @below {{written for each thread here}}
    %t = tile.thread_id
    tile.store %zero, %s[%t : i32] : f32, memref<64xf32, #tile.space<shared>>
    // expected-note @below {{all threads must take part here}}
    tile.sync
  }
}

// -----

tile.func @divergent(%n: i32) {
  tile.kernel grid(%n) threads[64] (%b) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %t = tile.thread_id
    // expected-note @below {{this differs between threads}}
    scf.for %i = %c0 to %t step %c1 : i32 {
      // expected-error @below {{a barrier in code that not all threads of the workgroup run}}
      tile.sync
    }
  }
}

// -----

tile.func @mfma(%n: i32) {
  tile.kernel grid(%n) threads[64] (%b) {
    %a = tile.alloc : memref<32x32xf64, #tile.space<shared>>
    %c = tile.alloc : memref<32x32xf64, #tile.space<fragment>>
    // expected-error @below {{no matrix instruction of gfx942 multiplies 'f64' by 'f64' into 'f64' [TL0602]}}
    // expected-note @below {{operands can be f16, bf16, f32 or 8-bit floats}}
    tile.gemm %a, %a into %c : memref<32x32xf64, #tile.space<shared>>, memref<32x32xf64, #tile.space<shared>> into memref<32x32xf64, #tile.space<fragment>>
  }
}
