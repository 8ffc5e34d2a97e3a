// RUN: tlc-opt %s --tile-verify-target --tile-legalize --tile-insert-sync --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

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

tile.func @mfma(%n: i32) {
  tile.kernel grid(%n) threads[64] (%b) {
    %a = tile.alloc : memref<32x32xf64, #tile.space<shared>>
    %c = tile.alloc : memref<32x32xf64, #tile.space<fragment>>
    // expected-error @below {{no matrix instruction of gfx942 multiplies 'f64' by 'f64' into 'f64' [TL0602]}}
    // expected-note @below {{operands can be f16, bf16, f32 or 8-bit floats}}
    tile.gemm %a, %a into %c : memref<32x32xf64, #tile.space<shared>>, memref<32x32xf64, #tile.space<shared>> into memref<32x32xf64, #tile.space<fragment>>
  }
}

// -----

tile.func @lds(%n: i32) {
  tile.kernel grid(%n) threads[64] (%b) {
    // expected-error @below {{'big' takes 131072 bytes of LDS, but a workgroup on gfx942 has 65536 [TL0601]}}
    %a = tile.alloc {name = "big"} : memref<256x256xf16, #tile.space<shared>>
  }
}
