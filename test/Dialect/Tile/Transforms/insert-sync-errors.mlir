// RUN: tlc-opt %s --tile-insert-sync --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

tile.func @divergent_branch(%n: i32) {
  tile.kernel grid(%n) threads[64] (%b) {
    %c8 = arith.constant 8 : i32
    %t = tile.thread_id
    %in = arith.cmpi slt, %t, %c8 : i32
    // expected-note @below {{this differs between threads}}
    scf.if %in {
      // expected-error @below {{a barrier in code that not all threads of the workgroup run}}
      tile.sync
    }
  }
}

// -----

tile.func @divergent_loop(%n: i32) {
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
