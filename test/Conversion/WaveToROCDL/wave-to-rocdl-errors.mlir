// RUN: tlc-opt %s --convert-wave-to-rocdl --split-input-file --verify-diagnostics

// expected-error @+1 {{needs 70000 bytes of LDS; gfx942 has 65536}}
wave.kernel @too_much_lds() attributes {threads = 64 : i64, lds_bytes = 70000 : i64} {
  wave.return
}

// -----

// expected-error @+1 {{is not of the wave dialect: run convert-tile-to-wave first}}
tile.func @too_early(%n: i32) {
  tile.kernel grid(%n) threads[64] (%b) {
  }
}

// -----

wave.kernel @no_lds(%p: !wave.ptr) attributes {threads = 64 : i64, lds_bytes = 0 : i64} {
  %c0 = arith.constant 0 : i32
  // expected-error @+2 {{in a kernel with lds_bytes = 0}}
  // expected-error @+1 {{failed to legalize}}
  %x = wave.lds_load %c0 : f32
  wave.global_store %x, %p[%c0 : i32] : f32
  wave.return
}
