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
