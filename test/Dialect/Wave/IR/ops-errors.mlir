// RUN: tlc-opt %s --split-input-file --verify-diagnostics

wave.kernel @width(%r: !wave.rsrc, %o: i32) attributes {threads = 64 : i64, lds_bytes = 0 : i64} {
  // expected-error @below {{moves 20 bytes a lane; buffer accesses move 1, 2, 4, 8, 12 or 16}}
  %v = wave.buffer_load %r[%o] : vector<5xf32>
  wave.return
}

// -----

wave.kernel @store_width(%r: !wave.rsrc, %o: i32, %v: vector<3xf16>) attributes {threads = 64 : i64, lds_bytes = 0 : i64} {
  // expected-error @below {{moves 6 bytes a lane; buffer accesses move 1, 2, 4, 8, 12 or 16}}
  wave.buffer_store %v, %r[%o] : vector<3xf16>
  wave.return
}

// -----

wave.kernel @shape(%a: vector<4xf16>, %c: vector<16xf32>) attributes {threads = 64 : i64, lds_bytes = 0 : i64} {
  // expected-error @below {{gfx942 has no 32x32x16 instruction for 'vector<4xf16>' and 'vector<4xf16>'}}
  %d = wave.mfma [32, 32, 16] %a, %a, %c : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
  wave.return
}

// -----

// gfx942's 8-bit floats are those without negative zero.
wave.kernel @ocp(%a: vector<8xf8E4M3FN>, %c: vector<16xf32>) attributes {threads = 64 : i64, lds_bytes = 0 : i64} {
  // expected-error @below {{gfx942 has no 32x32x16 instruction for}}
  %d = wave.mfma [32, 32, 16] %a, %a, %c : vector<8xf8E4M3FN>, vector<8xf8E4M3FN>, vector<16xf32> -> vector<16xf32>
  wave.return
}

// -----

wave.kernel @registers(%a: vector<8xf16>, %c: vector<16xf32>) attributes {threads = 64 : i64, lds_bytes = 0 : i64} {
  // expected-error @below {{operands must hold 4, 4 and 16 elements a lane}}
  %d = wave.mfma [32, 32, 8] %a, %a, %c : vector<8xf16>, vector<8xf16>, vector<16xf32> -> vector<16xf32>
  wave.return
}

// -----

wave.kernel @dimension() attributes {threads = 64 : i64, lds_bytes = 0 : i64} {
  // expected-error @below {{attribute 'dim' failed to satisfy constraint}}
  %b = wave.block_id 3
  wave.return
}

// -----

// expected-error @below {{has 96 threads; a gfx942 workgroup is 64 to 1024 threads in whole wavefronts of 64}}
wave.kernel @odd_threads() attributes {threads = 96 : i64, lds_bytes = 0 : i64} {
  wave.return
}

// -----

// expected-error @below {{attribute 'lds_bytes' failed to satisfy constraint}}
wave.kernel @negative_lds() attributes {threads = 64 : i64, lds_bytes = -4 : i64} {
  wave.return
}

// -----

// expected-error @below {{has no results}}
wave.kernel @results() -> i32 attributes {threads = 64 : i64, lds_bytes = 0 : i64} {
  wave.return
}

// -----

tile.func @returns() {
  // expected-error @below {{expects parent op 'wave.kernel'}}
  wave.return
}

// -----

wave.kernel @thread_id() attributes {threads = 64 : i64, lds_bytes = 64 : i64} {
  // expected-error @below {{must be 32-bit signless integer}}
  %i = "wave.thread_id"() : () -> i64
  wave.return
}

// -----

wave.kernel @lane_id() attributes {threads = 64 : i64, lds_bytes = 64 : i64} {
  // expected-error @below {{must be 32-bit signless integer}}
  %i = "wave.lane_id"() : () -> i64
  wave.return
}

// -----

wave.kernel @wave_id() attributes {threads = 64 : i64, lds_bytes = 64 : i64} {
  // expected-error @below {{must be 32-bit signless integer}}
  %i = "wave.wave_id"() : () -> i64
  wave.return
}

// -----

wave.kernel @ptr_add(%p: !wave.ptr, %o: i16) attributes {threads = 64 : i64, lds_bytes = 64 : i64} {
  // expected-error @below {{must be 32-bit signless integer or 64-bit signless integer}}
  %q = "wave.ptr_add"(%p, %o) : (!wave.ptr, i16) -> !wave.ptr
  wave.return
}

// -----

wave.kernel @pointer(%a: i32) attributes {threads = 64 : i64, lds_bytes = 64 : i64} {
  // expected-error @below {{must be 64-bit signless integer}}
  %q = "wave.pointer"(%a) : (i32) -> !wave.ptr
  wave.return
}

// -----

wave.kernel @resource(%p: !wave.rsrc, %n: i32) attributes {threads = 64 : i64, lds_bytes = 64 : i64} {
  // expected-error @below {{must be An address in global memory}}
  %q = "wave.resource"(%p, %n) : (!wave.rsrc, i32) -> !wave.rsrc
  wave.return
}

// -----

wave.kernel @buffer_offset(%r: !wave.rsrc, %o: i32) attributes {threads = 64 : i64, lds_bytes = 64 : i64} {
  // expected-error @below {{attribute 'offset' failed to satisfy constraint}}
  %v = wave.buffer_load %r[%o] {offset = -4 : i64} : f32
  wave.return
}

// -----

wave.kernel @vector_rank(%p: !wave.ptr, %o: i32) attributes {threads = 64 : i64, lds_bytes = 64 : i64} {
  // expected-error @below {{must be signless integer or floating-point or fixed-length vector}}
  %v = wave.global_load %p[%o : i32] : vector<2x2xf32>
  wave.return
}

// -----

wave.kernel @global_store(%p: !wave.ptr, %o: i32, %v: index) attributes {threads = 64 : i64, lds_bytes = 64 : i64} {
  // expected-error @below {{must be signless integer or floating-point or fixed-length vector}}
  "wave.global_store"(%v, %p, %o) : (index, !wave.ptr, i32) -> ()
  wave.return
}

// -----

wave.kernel @global_atomic(%p: !wave.ptr, %o: i32, %v: i32) attributes {threads = 64 : i64, lds_bytes = 64 : i64} {
  // expected-error @below {{failed to verify that all of {value, result} have same type}}
  %x = wave.global_atomic add %v, %p[%o : i32] : i32 -> i64
  wave.return
}

// -----

wave.kernel @lds_load(%o: i32) attributes {threads = 64 : i64, lds_bytes = 64 : i64} {
  // expected-error @below {{must be signless integer or floating-point or fixed-length vector}}
  %v = wave.lds_load %o : vector<[4]xf32>
  wave.return
}

// -----

wave.kernel @lds_store(%o: i32, %v: f32) attributes {threads = 64 : i64, lds_bytes = 64 : i64} {
  // expected-error @below {{attribute 'offset' failed to satisfy constraint}}
  wave.lds_store %v, %o {offset = -1 : i64} : f32
  wave.return
}

// -----

wave.kernel @lds_atomic(%o: i32, %v: i32) attributes {threads = 64 : i64, lds_bytes = 64 : i64} {
  // expected-error @below {{failed to verify that all of {value, result} have same type}}
  %x = wave.lds_atomic add %v, %o : i32 -> f32
  wave.return
}

// -----

wave.kernel @mfma_shape(%a: vector<4xf16>, %c: vector<16xf32>) attributes {threads = 64 : i64, lds_bytes = 64 : i64} {
  // expected-error @below {{shape must be [m, n, k]}}
  %d = wave.mfma [32, 32] %a, %a, %c : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
  wave.return
}

// -----

wave.kernel @mfma_result(%a: vector<4xf16>, %c: vector<16xf32>) attributes {threads = 64 : i64, lds_bytes = 64 : i64} {
  // expected-error @below {{result and C must have the same type}}
  %d = wave.mfma [32, 32, 8] %a, %a, %c : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<4xf32>
  wave.return
}

// -----

wave.kernel @shuffle_xor(%v: i32) attributes {threads = 64 : i64, lds_bytes = 64 : i64} {
  // expected-error @below {{attribute 'mask' failed to satisfy constraint}}
  %x = wave.shuffle_xor %v, 64 : i32
  wave.return
}

// -----

wave.kernel @shuffle(%v: i32, %l: i32) attributes {threads = 64 : i64, lds_bytes = 64 : i64} {
  // expected-error @below {{failed to verify that all of {value, result} have same type}}
  %x = wave.shuffle %v, %l : i32 -> i64
  wave.return
}

// -----

wave.kernel @uniform(%v: vector<2xf32>) attributes {threads = 64 : i64, lds_bytes = 64 : i64} {
  // expected-error @below {{must be signless integer or floating-point}}
  %x = wave.uniform %v : vector<2xf32>
  wave.return
}

// -----

wave.kernel @any(%v: i32) attributes {threads = 64 : i64, lds_bytes = 64 : i64} {
  // expected-error @below {{must be 1-bit signless integer}}
  %x = "wave.any"(%v) : (i32) -> i1
  wave.return
}

// -----

wave.kernel @ballot(%v: i1) attributes {threads = 64 : i64, lds_bytes = 64 : i64} {
  // expected-error @below {{must be 64-bit signless integer}}
  %x = "wave.ballot"(%v) : (i1) -> i32
  wave.return
}

// -----

wave.kernel @opaque(%v: f64) attributes {threads = 64 : i64, lds_bytes = 64 : i64} {
  // expected-error @below {{must be 32-bit signless integer}}
  %x = "wave.opaque"(%v) : (f64) -> f64
  wave.return
}

// -----

wave.kernel @perm(%v: i32) attributes {threads = 64 : i64, lds_bytes = 64 : i64} {
  // expected-error @below {{attribute 'selector' failed to satisfy constraint}}
  %x = wave.perm %v, %v, -1
  wave.return
}

// -----

wave.kernel @barrier(%v: i32) attributes {threads = 64 : i64, lds_bytes = 64 : i64} {
  // expected-error @below {{requires zero operands}}
  "wave.barrier"(%v) : (i32) -> ()
  wave.return
}

// -----

wave.kernel @fence(%v: i32) attributes {threads = 64 : i64, lds_bytes = 64 : i64} {
  // expected-error @below {{requires zero operands}}
  "wave.fence"(%v) : (i32) -> ()
  wave.return
}

// -----

wave.kernel @sched_barrier() attributes {threads = 64 : i64, lds_bytes = 64 : i64} {
  // expected-error @below {{attribute 'mask' failed to satisfy constraint}}
  wave.sched_barrier {mask = 4096 : i64}
  wave.return
}

// -----

wave.kernel @setprio() attributes {threads = 64 : i64, lds_bytes = 64 : i64} {
  // expected-error @below {{attribute 'priority' failed to satisfy constraint}}
  wave.setprio 4
  wave.return
}

// -----

wave.kernel @trap(%v: i32) attributes {threads = 64 : i64, lds_bytes = 64 : i64} {
  // expected-error @below {{requires zero operands}}
  "wave.trap"(%v) : (i32) -> ()
  wave.return
}

// -----

wave.kernel @dot2(%a: vector<4xf16>, %c: f32) attributes {threads = 64 : i64, lds_bytes = 64 : i64} {
  // expected-error @below {{operand #0 must be}}
  %d = wave.dot2 %a, %a, %c : vector<4xf16>, vector<4xf16>
  wave.return
}
