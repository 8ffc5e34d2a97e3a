// RUN: tlc-opt %s --expand-wave-math --verify-diagnostics

wave.kernel @wide(%p: !wave.ptr) attributes {threads = 64 : i64, lds_bytes = 0 : i64} {
  %c0 = arith.constant 0 : i32
  %x = wave.global_load %p[%c0 : i32] : f64
  // expected-error @+1 {{gfx942 code for exp of 'f64' is not available}}
  %y = math.exp %x : f64
  wave.global_store %y, %p[%c0 : i32] : f64
  wave.return
}
