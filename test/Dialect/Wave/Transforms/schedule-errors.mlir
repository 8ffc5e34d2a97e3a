// RUN: tlc-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-schedule))' -split-input-file -verify-diagnostics -o /dev/null

// Why a loop is not overlapped, or not scheduled at all.

wave.kernel @stores(%p: !wave.ptr, %q: !wave.ptr, %v: vector<4xf16>) attributes {lds_bytes = 512 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 4 : i32
  %bytes = arith.constant 65536 : i32
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %t = wave.thread_id
  %rsrc = wave.resource %p, %bytes : i32
  // expected-remark @+1 {{iterations apart (it reads what it writes in global memory)}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (vector<4xf32>) : i32 {
    %g = wave.buffer_load %rsrc[%t] : vector<4xf16>
    %0 = wave.mfma [16, 16, 16] %g, %v, %x : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %1 = wave.mfma [16, 16, 16] %v, %v, %0 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %2 = wave.mfma [16, 16, 16] %v, %v, %1 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %3 = wave.mfma [16, 16, 16] %v, %v, %2 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    wave.buffer_store %3, %rsrc[%t] : vector<4xf32>
    scf.yield %3 : vector<4xf32>
  }
  wave.return
}

// -----

// The second one may be the first.
wave.kernel @unknown(%p: !wave.ptr, %q: !wave.ptr, %v: vector<4xf16>) attributes {lds_bytes = 512 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 4 : i32
  %bytes = arith.constant 65536 : i32
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %t = wave.thread_id
  %rsrc = wave.resource %p, %bytes : i32
  %same = arith.cmpi eq, %t, %c0 : i32
  %some = arith.select %same, %p, %q : !wave.ptr
  %other = wave.resource %some, %bytes : i32
  // expected-remark @+1 {{iterations apart (it reads what it writes in global memory)}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (vector<4xf32>) : i32 {
    %g = wave.buffer_load %rsrc[%t] : vector<4xf16>
    %0 = wave.mfma [16, 16, 16] %g, %v, %x : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %1 = wave.mfma [16, 16, 16] %v, %v, %0 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %2 = wave.mfma [16, 16, 16] %v, %v, %1 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %3 = wave.mfma [16, 16, 16] %v, %v, %2 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    wave.buffer_store %3, %other[%t] : vector<4xf32>
    scf.yield %3 : vector<4xf32>
  }
  wave.return
}

// -----

wave.kernel @result(%p: !wave.ptr, %q: !wave.ptr, %v: vector<4xf16>) attributes {lds_bytes = 512 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 4 : i32
  %bytes = arith.constant 65536 : i32
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %t = wave.thread_id
  %one = arith.constant 1.0 : f32
  // expected-remark @+1 {{iterations apart (it uses the result of an atomic)}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (vector<4xf32>) : i32 {
    %old = wave.global_atomic add %one, %p[%t : i32] : f32 -> f32
    %0 = wave.mfma [16, 16, 16] %v, %v, %x : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %1 = wave.mfma [16, 16, 16] %v, %v, %0 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %2 = wave.mfma [16, 16, 16] %v, %v, %1 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %3 = wave.mfma [16, 16, 16] %v, %v, %2 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %next = wave.global_atomic add %old, %q[%t : i32] : f32 -> f32
    scf.yield %3 : vector<4xf32>
  }
  wave.return
}

// -----

// An order is a result, too.
wave.kernel @ordered(%p: !wave.ptr, %q: !wave.ptr, %v: vector<4xf16>) attributes {lds_bytes = 512 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 4 : i32
  %bytes = arith.constant 65536 : i32
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %t = wave.thread_id
  // expected-remark @+1 {{iterations apart (it uses the result of an atomic)}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (vector<4xf32>) : i32 {
    %0 = wave.mfma [16, 16, 16] %v, %v, %x : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %1 = wave.mfma [16, 16, 16] %v, %v, %0 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %2 = wave.mfma [16, 16, 16] %v, %v, %1 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %3 = wave.mfma [16, 16, 16] %v, %v, %2 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %e = vector.extract %3[0] : f32 from vector<4xf32>
    %old = wave.global_atomic add %e, %p[%t : i32] order release : f32 -> f32
    scf.yield %3 : vector<4xf32>
  }
  wave.return
}

// -----

wave.kernel @global_barrier(%p: !wave.ptr, %q: !wave.ptr, %v: vector<4xf16>) attributes {lds_bytes = 512 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 4 : i32
  %bytes = arith.constant 65536 : i32
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %t = wave.thread_id
  %rsrc = wave.resource %p, %bytes : i32
  // expected-remark @+1 {{iterations apart (its barrier orders global memory)}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (vector<4xf32>) : i32 {
    %0 = wave.mfma [16, 16, 16] %v, %v, %x : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %1 = wave.mfma [16, 16, 16] %v, %v, %0 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %2 = wave.mfma [16, 16, 16] %v, %v, %1 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %3 = wave.mfma [16, 16, 16] %v, %v, %2 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    wave.buffer_store %3, %rsrc[%t] : vector<4xf32>
    wave.barrier {wave.global}
    scf.yield %3 : vector<4xf32>
  }
  wave.return
}

// -----

wave.kernel @one_copy(%p: !wave.ptr, %v: vector<4xf16>) attributes {lds_bytes = 512 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 4 : i32
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %t = wave.thread_id
  // expected-remark @+1 {{iterations apart (no slot was found for so few)}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (vector<4xf32>) : i32 {
    wave.barrier
    wave.lds_store %v, %t {wave.lds = array<i64: 0, 512>} : vector<4xf16>
    wave.barrier
    %w = wave.lds_load %t {wave.lds = array<i64: 0, 512>} : vector<4xf16>
    %0 = wave.mfma [16, 16, 16] %w, %v, %x : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %1 = wave.mfma [16, 16, 16] %w, %v, %0 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %2 = wave.mfma [16, 16, 16] %w, %v, %1 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %3 = wave.mfma [16, 16, 16] %w, %v, %2 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    scf.yield %3 : vector<4xf32>
  }
  wave.return
}

// -----

wave.kernel @three_barriers(%p: !wave.ptr, %q: !wave.ptr, %v: vector<4xf16>) attributes {lds_bytes = 512 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 4 : i32
  %bytes = arith.constant 65536 : i32
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %t = wave.thread_id
  // expected-remark @+1 {{iterations apart (no slot was found for so few)}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (vector<4xf32>) : i32 {
    wave.barrier
    wave.lds_store %v, %t {wave.lds = array<i64: 0, 512>} : vector<4xf16>
    wave.barrier
    %w = wave.lds_load %t {wave.lds = array<i64: 0, 512>} : vector<4xf16>
    %0 = wave.mfma [16, 16, 16] %w, %v, %x : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %1 = wave.mfma [16, 16, 16] %w, %v, %0 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    wave.barrier
    %2 = wave.mfma [16, 16, 16] %w, %v, %1 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %3 = wave.mfma [16, 16, 16] %w, %v, %2 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    scf.yield %3 : vector<4xf32>
  }
  wave.return
}

// -----

wave.kernel @own_copy(%p: !wave.ptr, %q: !wave.ptr, %v: vector<4xf16>) attributes {lds_bytes = 1024 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 4 : i32
  %bytes = arith.constant 65536 : i32
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %t = wave.thread_id
  // expected-remark @+1 {{iterations apart (it reads a copy of a tile that it has just written)}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (vector<4xf32>) : i32 {
    wave.barrier
    wave.lds_store %v, %t {wave.lds = array<i64: 0, 1024>, wave.slot = array<i64: 0, 2>} : vector<4xf16>
    wave.barrier
    %w = wave.lds_load %t {wave.lds = array<i64: 0, 1024>, wave.slot = array<i64: 0, 2>} : vector<4xf16>
    %0 = wave.mfma [16, 16, 16] %w, %v, %x : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %1 = wave.mfma [16, 16, 16] %w, %v, %0 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %2 = wave.mfma [16, 16, 16] %w, %v, %1 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %3 = wave.mfma [16, 16, 16] %w, %v, %2 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    scf.yield %3 : vector<4xf32>
  }
  wave.return
}

// -----

// The writes of the next iteration would have to pass these reads.
wave.kernel @read_first(%p: !wave.ptr, %v: vector<4xf16>) attributes {lds_bytes = 512 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 4 : i32
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %t = wave.thread_id
  // expected-remark @+1 {{iterations apart (it writes a tile with one copy in LDS after reading it)}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (vector<4xf32>) : i32 {
    wave.barrier
    %w = wave.lds_load %t {wave.lds = array<i64: 0, 512>} : vector<4xf16>
    wave.barrier
    wave.lds_store %v, %t {wave.lds = array<i64: 0, 512>} : vector<4xf16>
    %0 = wave.mfma [16, 16, 16] %w, %v, %x : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %1 = wave.mfma [16, 16, 16] %w, %v, %0 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %2 = wave.mfma [16, 16, 16] %w, %v, %1 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %3 = wave.mfma [16, 16, 16] %w, %v, %2 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    scf.yield %3 : vector<4xf32>
  }
  wave.return
}

// -----

wave.kernel @priority(%v: vector<4xf16>) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 4 : i32
  %zero = arith.constant dense<0.0> : vector<4xf32>
  // expected-remark @+1 {{not scheduled: it sets priorities or traps}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (vector<4xf32>) : i32 {
    wave.setprio 1
    %0 = wave.mfma [16, 16, 16] %v, %v, %x : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %1 = wave.mfma [16, 16, 16] %v, %v, %0 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %2 = wave.mfma [16, 16, 16] %v, %v, %1 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %3 = wave.mfma [16, 16, 16] %v, %v, %2 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    scf.yield %3 : vector<4xf32>
  }
  wave.return
}

// -----

wave.kernel @exchanged(%v: vector<4xf16>) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 4 : i32
  %zero = arith.constant dense<0.0> : vector<4xf32>
  // expected-remark @+1 {{not scheduled: a value is handed on from iteration to iteration as it is}}
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero, %y = %zero) -> (vector<4xf32>, vector<4xf32>) : i32 {
    %0 = wave.mfma [16, 16, 16] %v, %v, %x : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %1 = wave.mfma [16, 16, 16] %v, %v, %0 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %2 = wave.mfma [16, 16, 16] %v, %v, %1 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    %3 = wave.mfma [16, 16, 16] %v, %v, %2 : vector<4xf16>, vector<4xf16>, vector<4xf32> -> vector<4xf32>
    scf.yield %y, %3 : vector<4xf32>, vector<4xf32>
  }
  wave.return
}
