// RUN: tlc-opt %s --tile-legalize --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

// A barrier that the added threads would have to pass as well.
tile.func @barrier(%n: i32) {
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

tile.func @endless(%n: i32, %a: !tile.ptr<f32>) {
  %A = tile.tensor %a : !tile.ptr<f32> -> memref<64xf32, #tile.space<global>>
  tile.kernel grid(%n) threads[64] (%b) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %many = arith.constant 100000 : i32
    %zero = arith.constant 0.0 : f32
    // expected-error @below {{would be unrolled 100000 times; at most}}
    scf.for %i = %c0 to %many step %c1 : i32 {
      tile.store %zero, %A[%i : i32] : f32, memref<64xf32, #tile.space<global>>
    } {tile.unroll}
  }
}
