// RUN: tlc-opt %s --convert-wave-to-rocdl --split-input-file --verify-diagnostics

// expected-error @+2 {{needs 70000 bytes of LDS; gfx942 has 65536}}
// expected-error @+1 {{failed to legalize}}
wave.kernel @too_much_lds() attributes {threads = 64 : i64, lds_bytes = 70000 : i64} {
  wave.return
}

// -----

// expected-error @+2 {{has 96 threads; a gfx942 workgroup is 64 to 1024 threads}}
// expected-error @+1 {{failed to legalize}}
wave.kernel @odd_threads() attributes {threads = 96 : i64, lds_bytes = 0 : i64} {
  wave.return
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
