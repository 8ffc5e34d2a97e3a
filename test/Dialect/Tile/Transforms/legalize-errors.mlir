// RUN: tlc-opt %s --tile-legalize --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

tile.func @threads(%n: i32) {
  // expected-error @below {{needs a multiple of 64 threads: 1023 would become 1984, more than 1024}}
  tile.kernel grid(%n) threads[31, 33] (%b) {
    %s = tile.alloc : memref<64xf32, #tile.space<shared>>
    %zero = arith.constant 0.0 : f32
    %t = tile.thread_id
    tile.store %zero, %s[%t : i32] : f32, memref<64xf32, #tile.space<shared>>
    tile.sync
  }
}

// -----

tile.func @divergent(%n: i32) {
  tile.kernel grid(%n) threads[64] (%b) {
    %c8 = arith.constant 8 : i32
    %t = tile.thread_id
    %in = arith.cmpi slt, %t, %c8 : i32
    // expected-error @below {{a barrier in code that not all threads of the workgroup run, with a result}}
    %v = scf.if %in -> i32 {
      tile.sync
      scf.yield %c8 : i32
    } else {
      scf.yield %t : i32
    }
    %s = tile.alloc : memref<64xi32, #tile.space<shared>>
    tile.store %v, %s[%t : i32] : i32, memref<64xi32, #tile.space<shared>>
    %w = tile.load %s[%t : i32] : memref<64xi32, #tile.space<shared>> -> i32
    tile.store %w, %s[%t : i32] : i32, memref<64xi32, #tile.space<shared>>
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
