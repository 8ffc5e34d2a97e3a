// RUN: tlc-opt %s --split-input-file --verify-diagnostics

tile.func @kernel_dimensions(%n: i32) {
  // expected-error @below {{needs 1 to 3 grid dimensions, but has 4}}
  tile.kernel grid(%n, %n, %n, %n) threads[64] (%a, %b, %c, %d) {
  }
}

// -----

tile.func @too_many_threads(%n: i32) {
  // expected-error @below {{has 2048 threads; gfx942 allows 1024 in a workgroup}}
  tile.kernel grid(%n) threads[1024, 2] (%a) {
  }
}

// -----

tile.func @no_threads(%n: i32) {
  // expected-error @below {{needs 1 to 3 positive thread extents}}
  tile.kernel grid(%n) threads[0] (%a) {
  }
}

// -----

tile.func @tensor_sizes(%p: !tile.ptr<f32>) {
  // expected-error @below {{needs a size for each of the 1 '?' dimensions, but has 0}}
  %t = tile.tensor %p : !tile.ptr<f32> -> memref<?xf32, #tile.space<global>>
}

// -----

tile.func @tensor_space(%p: !tile.ptr<f32>) {
  // expected-error @below {{result must be in global memory}}
  %t = tile.tensor %p : !tile.ptr<f32> -> memref<4xf32, #tile.space<shared>>
}

// -----

tile.func @alloc_space() {
  // expected-error @below {{cannot allocate global memory: use a workspace argument of the func}}
  %t = tile.alloc : memref<4xf32, #tile.space<global>>
}

// -----

tile.func @alloc_layout_rank() {
  // expected-error @below {{layout has 1 dimensions, the buffer 2}}
  %t = tile.alloc {layout = #tile.layout<[4:r1]>} : memref<4x4xf32, #tile.space<fragment>>
}

// -----

tile.func @view_rank(%i: i32) {
  %t = tile.alloc : memref<4x4xf32, #tile.space<shared>>
  // expected-error @below {{source, result and offsets must have the same rank}}
  %v = tile.view %t[%i : i32] : memref<4x4xf32, #tile.space<shared>> to memref<4xf32, #tile.space<shared>>
}

// -----

tile.func @alias_storage() {
  %t = tile.alloc : memref<4x4xf32, #tile.space<shared>>
  // expected-error @below {{storage differs: 512 bits against 256}}
  %v = tile.alias %t : memref<4x4xf32, #tile.space<shared>> to memref<16xf16, #tile.space<shared>>
}

// -----

tile.func @copy_shapes() {
  %s = tile.alloc : memref<4x4xf32, #tile.space<shared>>
  %t = tile.alloc : memref<4x8xf32, #tile.space<shared>>
  // expected-error @below {{shapes do not match: [4, 4] to [4, 8]}}
  tile.copy %s to %t : memref<4x4xf32, #tile.space<shared>> to memref<4x8xf32, #tile.space<shared>>
}

// -----

tile.func @fill_type(%v: f16) {
  %s = tile.alloc : memref<4x4xf32, #tile.space<shared>>
  // expected-error @below {{value type differs from dst's element type}}
  tile.fill %s, %v : memref<4x4xf32, #tile.space<shared>>, f16
}

// -----

tile.func @gemm_k() {
  %a = tile.alloc : memref<32x16xf16, #tile.space<shared>>
  %b = tile.alloc : memref<32x32xf16, #tile.space<shared>>
  %c = tile.alloc : memref<32x32xf32, #tile.space<fragment>>
  // expected-error @below {{A and B disagree on K: 16 against 32}}
  tile.gemm %a, %b into %c : memref<32x16xf16, #tile.space<shared>>, memref<32x32xf16, #tile.space<shared>> into memref<32x32xf32, #tile.space<fragment>>
}

// -----

tile.func @gemm_c() {
  %a = tile.alloc : memref<32x32xf16, #tile.space<shared>>
  %c = tile.alloc : memref<32x16xf32, #tile.space<fragment>>
  // expected-error @below {{C is 32 x 16, A * B is 32 x 32}}
  tile.gemm %a, %a into %c : memref<32x32xf16, #tile.space<shared>>, memref<32x32xf16, #tile.space<shared>> into memref<32x16xf32, #tile.space<fragment>>
}

// -----

tile.func @reduce_dim() {
  %a = tile.alloc : memref<32x32xf32, #tile.space<fragment>>
  %r = tile.alloc : memref<32xf32, #tile.space<fragment>>
  // expected-error @below {{dim 2 is out of range for rank 2}}
  tile.reduce #tile.reduce_kind<sum> %a into %r dim 2 : memref<32x32xf32, #tile.space<fragment>> into memref<32xf32, #tile.space<fragment>>
}

// -----

tile.func @reduce_shape() {
  %a = tile.alloc : memref<32x16xf32, #tile.space<fragment>>
  %r = tile.alloc : memref<32xf32, #tile.space<fragment>>
  // expected-error @below {{dst has shape [32], expected [16]}}
  tile.reduce #tile.reduce_kind<sum> %a into %r dim 0 : memref<32x16xf32, #tile.space<fragment>> into memref<32xf32, #tile.space<fragment>>
}

// -----

tile.func @scan_kind() {
  %a = tile.alloc : memref<32xf32, #tile.space<fragment>>
  // expected-error @below {{only sum and max scans exist}}
  tile.scan #tile.reduce_kind<min> %a into %a dim 0 : memref<32xf32, #tile.space<fragment>> into memref<32xf32, #tile.space<fragment>>
}

// -----

tile.func @transpose() {
  %a = tile.alloc : memref<32x16xf32, #tile.space<fragment>>
  // expected-error @below {{dst must have src's shape with the last two dimensions exchanged}}
  tile.transpose %a to %a : memref<32x16xf32, #tile.space<fragment>> to memref<32x16xf32, #tile.space<fragment>>
}

// -----

tile.func @nested(%n: i32) {
  tile.kernel grid(%n) threads[64] (%b) {
    tile.parallel (%i) = [4] {
      // expected-error @below {{cannot stand inside another tile.parallel}}
      tile.parallel (%j) = [4] {
      }
    }
  }
}

// -----

tile.func @indices(%i: i32) {
  %a = tile.alloc : memref<32x16xf32, #tile.space<fragment>>
  // expected-error @below {{has 1 indices for rank 2}}
  %v = tile.load %a[%i : i32] : memref<32x16xf32, #tile.space<fragment>> -> f32
}

// -----

tile.func @element(%i: i32, %v: f16) {
  %a = tile.alloc : memref<32xf32, #tile.space<fragment>>
  // expected-error @below {{value type 'f16' differs from the element type 'f32'}}
  tile.store %v, %a[%i : i32] : f16, memref<32xf32, #tile.space<fragment>>
}

// -----

// A layout is read as its digits say, or not at all.
tile.func @bad_layout() {
  // expected-error @below {{unknown place 'q', expected r, t or m}}
  %t = tile.alloc {layout = #tile.layout<[4:q1]>} : memref<4xf32, #tile.space<fragment>>
}

// -----

// expected-error @below {{has no results}}
tile.func @results() -> i32 {
  tile.yield
}

// -----

// expected-error @below {{cannot have an argument of type '!tile.ptr<index>'}}
tile.func @argument(%p: !tile.ptr<index>) {
  tile.yield
}

// -----

wave.kernel @yield() attributes {threads = 64 : i64, lds_bytes = 0 : i64} {
  // expected-error @below {{expects parent op to be one of 'tile.func, tile.kernel, tile.parallel'}}
  tile.yield
}

// -----

tile.func @tensor_strides(%p: !tile.ptr<f32>) {
  // expected-error @below {{needs a stride for each of the 1 '?' strides, but has 0}}
  %t = tile.tensor %p : !tile.ptr<f32> -> memref<4x4xf32, strided<[?, 1]>, #tile.space<global>>
}

// -----

tile.func @tensor_layout(%p: !tile.ptr<f32>) {
  // expected-error @below {{result layout must be strided}}
  %t = tile.tensor %p : !tile.ptr<f32> -> memref<4x4xf32, affine_map<(i, j) -> (i mod 2 + j)>, #tile.space<global>>
}

// -----

tile.func @tensor_pad(%p: !tile.ptr<f32>) {
  // expected-error @below {{pads elements of type 'f32' with a value of type 'i32'}}
  %t = tile.tensor %p {pad = 0 : i32} : !tile.ptr<f32> -> memref<4xf32, #tile.space<global>>
}

// -----

tile.func @tensor_element(%p: !tile.ptr<f32>) {
  // expected-error @below {{must be memref of signless integer or floating-point values}}
  %t = tile.tensor %p : !tile.ptr<f32> -> memref<4xindex, #tile.space<global>>
}

// -----

tile.func @pointer(%a: i32) {
  // expected-error @below {{must be 64-bit signless integer}}
  %p = "tile.pointer"(%a) : (i32) -> !tile.ptr<f32>
}

// -----

tile.func @kernel_arguments(%n: i32) {
  // expected-error @below {{needs one region argument per grid dimension}}
  "tile.kernel"(%n) <{threads = array<i64: 64>}> ({
  ^bb0(%a: i32, %b: i32):
    tile.yield
  }) : (i32) -> ()
}

// -----

tile.func @kernel_place(%n: i32, %c: i1) {
  scf.if %c {
  // expected-error @below {{must be directly inside a tile.func}}
    tile.kernel grid(%n) threads[64] (%a) {
    }
  }
}

// -----

tile.func @alloc_identity() {
  // expected-error @below {{result must have the identity layout}}
  %t = tile.alloc : memref<4x4xf32, strided<[8, 1]>, #tile.space<shared>>
}

// -----

tile.func @alloc_empty() {
  // expected-error @below {{needs positive extents}}
  %t = tile.alloc : memref<4x0xf32, #tile.space<shared>>
}

// -----

tile.func @alloc_dynamic() {
  // expected-error @below {{must be statically shaped memref}}
  %t = tile.alloc : memref<?xf32, #tile.space<shared>>
}

// -----

tile.func @alloc_layout_short() {
  // expected-error @below {{layout covers 16 of 32 indices of dimension 0}}
  %t = tile.alloc {layout = #tile.layout<[4:r1, 4:t1]>} : memref<32xf32, #tile.space<fragment>>
}

// -----

tile.func @alloc_layout_memory() {
  // expected-error @below {{layout must place elements in registers of threads}}
  %t = tile.alloc {layout = #tile.layout<[32:m1]>} : memref<32xf32, #tile.space<fragment>>
}

// -----

tile.func @alloc_layout_registers() {
  // expected-error @below {{layout must place elements in memory}}
  %t = tile.alloc {layout = #tile.layout<[32:t1]>} : memref<32xf32, #tile.space<shared>>
}

// -----

tile.func @alloc_layout_large() {
  // expected-error @below {{a layout of more than 2^31 - 1 elements}}
  %t = tile.alloc {layout = #tile.layout<[2000000000:r1, 2000000000:r1]>} : memref<32xf32, #tile.space<fragment>>
}

// -----

tile.func @alloc_layout_xor() {
  // expected-error @below {{an XOR changes bits below those that it reads, and none of these}}
  %t = tile.alloc {layout = #tile.layout<[32:m1], xor(1, 3, 0)>} : memref<32xf32, #tile.space<shared>>
}

// -----

tile.func @alloc_offset() {
  // expected-error @below {{only shared buffers have a place in LDS}}
  %t = tile.alloc {lds_offset = 0 : i64} : memref<32xf32, #tile.space<fragment>>
}

// -----

tile.func @alloc_offset_negative() {
  // expected-error @below {{attribute 'lds_offset' failed to satisfy constraint}}
  %t = tile.alloc {lds_offset = -4 : i64} : memref<32xf32, #tile.space<shared>>
}

// -----

tile.func @view_space(%i: i32) {
  %t = tile.alloc : memref<4xf32, #tile.space<shared>>
  // expected-error @below {{keeps element type and space}}
  %v = tile.view %t[%i : i32] : memref<4xf32, #tile.space<shared>> to memref<4xf32, #tile.space<fragment>>
}

// -----

tile.func @alias_space() {
  %t = tile.alloc : memref<4xf32, #tile.space<shared>>
  // expected-error @below {{keeps the space}}
  %v = tile.alias %t : memref<4xf32, #tile.space<shared>> to memref<4xf32, #tile.space<fragment>>
}

// -----

tile.func @copy_dynamic(%p: !tile.ptr<f32>, %n: i32) {
  %g = tile.tensor %p sizes(%n : i32) : !tile.ptr<f32> -> memref<?xf32, #tile.space<global>>
  %t = tile.alloc : memref<4xf32, #tile.space<shared>>
  // expected-error @below {{operands must have static shapes: view the tensor}}
  tile.copy %g to %t : memref<?xf32, #tile.space<global>> to memref<4xf32, #tile.space<shared>>
}

// -----

tile.func @copy_through() {
  %a = tile.alloc : memref<32xf32, #tile.space<fragment>>
  // expected-error @below {{goes through a buffer that is not shared}}
  tile.copy %a to %a through %a : memref<32xf32, #tile.space<fragment>>, : memref<32xf32, #tile.space<fragment>> to memref<32xf32, #tile.space<fragment>>
}

// -----

tile.func @copy_layout() {
  %a = tile.alloc : memref<32xf32, #tile.space<fragment>>
  // expected-error @below {{layout has 2 dimensions, the copy 1}}
  tile.copy %a to %a {layout = #tile.layout<[4:r1], [8:t1]>} : memref<32xf32, #tile.space<fragment>> to memref<32xf32, #tile.space<fragment>>
}

// -----

tile.func @fill_layout(%v: f32) {
  %a = tile.alloc : memref<32xf32, #tile.space<fragment>>
  // expected-error @below {{layout covers 16 of 32 indices of dimension 0}}
  tile.fill %a, %v {layout = #tile.layout<[16:t1]>} : memref<32xf32, #tile.space<fragment>>, f32
}

// -----

tile.func @gemm_rank() {
  %a = tile.alloc : memref<32x32xf16, #tile.space<shared>>
  %c = tile.alloc : memref<32xf32, #tile.space<fragment>>
  // expected-error @below {{C must have at least two dimensions}}
  tile.gemm %a, %a into %c : memref<32x32xf16, #tile.space<shared>>, memref<32x32xf16, #tile.space<shared>> into memref<32xf32, #tile.space<fragment>>
}

// -----

tile.func @gemm_leading() {
  %a = tile.alloc : memref<32x32xf16, #tile.space<shared>>
  %c = tile.alloc : memref<2x32x32xf32, #tile.space<fragment>>
  // expected-error @below {{C's leading dimensions must have extent 1}}
  tile.gemm %a, %a into %c : memref<32x32xf16, #tile.space<shared>>, memref<32x32xf16, #tile.space<shared>> into memref<2x32x32xf32, #tile.space<fragment>>
}

// -----

tile.func @gemm_space(%p: !tile.ptr<f16>) {
  %g = tile.tensor %p : !tile.ptr<f16> -> memref<32x32xf16, #tile.space<global>>
  %c = tile.alloc : memref<32x32xf32, #tile.space<fragment>>
  // expected-error @below {{A and B must be shared or fragment}}
  tile.gemm %g, %g into %c : memref<32x32xf16, #tile.space<global>>, memref<32x32xf16, #tile.space<global>> into memref<32x32xf32, #tile.space<fragment>>
}

// -----

tile.func @gemm_c_space(%p: !tile.ptr<f32>) {
  %g = tile.tensor %p : !tile.ptr<f32> -> memref<32x32xf32, #tile.space<global>>
  %a = tile.alloc : memref<32x32xf16, #tile.space<shared>>
  // expected-error @below {{C must be shared or fragment}}
  tile.gemm %a, %a into %g : memref<32x32xf16, #tile.space<shared>>, memref<32x32xf16, #tile.space<shared>> into memref<32x32xf32, #tile.space<global>>
}

// -----

tile.func @gemm_mfma_size() {
  %a = tile.alloc : memref<32x32xf16, #tile.space<shared>>
  %c = tile.alloc : memref<32x32xf32, #tile.space<fragment>>
  // expected-error @below {{mfma must be [m, n, k, waves_m, waves_n, swapped]}}
  tile.gemm %a, %a into %c {mfma = array<i64: 32, 32, 8>} : memref<32x32xf16, #tile.space<shared>>, memref<32x32xf16, #tile.space<shared>> into memref<32x32xf32, #tile.space<fragment>>
}

// -----

tile.func @gemm_mfma() {
  %a = tile.alloc : memref<32x32xf16, #tile.space<shared>>
  %c = tile.alloc : memref<32x32xf32, #tile.space<fragment>>
  // expected-error @below {{mfma must have m = n = 16 or 32}}
  tile.gemm %a, %a into %c {mfma = array<i64: 32, 32, 8, 0, 1, 1>} : memref<32x32xf16, #tile.space<shared>>, memref<32x32xf16, #tile.space<shared>> into memref<32x32xf32, #tile.space<fragment>>
}

// -----

tile.func @gemm_mfma_runs() {
  %a = tile.alloc : memref<32x32xf16, #tile.space<shared>>
  %c = tile.alloc : memref<32x32xf32, #tile.space<fragment>>
  // expected-error @below {{runs of mfma must divide the repetitions of the instruction}}
  tile.gemm %a, %a into %c {mfma = array<i64: 16, 16, 16, 1, 2, 1, 1, 2>} : memref<32x32xf16, #tile.space<shared>>, memref<32x32xf16, #tile.space<shared>> into memref<32x32xf32, #tile.space<fragment>>
}

// -----

tile.func @reduce_scratch() {
  %a = tile.alloc : memref<32x32xf32, #tile.space<fragment>>
  %r = tile.alloc : memref<32xf32, #tile.space<fragment>>
  // expected-error @below {{scratch must be shared}}
  tile.reduce #tile.reduce_kind<sum> %a into %r dim 1 scratch(%r : memref<32xf32, #tile.space<fragment>>) : memref<32x32xf32, #tile.space<fragment>> into memref<32xf32, #tile.space<fragment>>
}

// -----

tile.func @scan_shape() {
  %a = tile.alloc : memref<32x32xf32, #tile.space<fragment>>
  %r = tile.alloc : memref<32xf32, #tile.space<fragment>>
  // expected-error @below {{src and dst must have the same shape}}
  tile.scan #tile.reduce_kind<sum> %a into %r dim 0 : memref<32x32xf32, #tile.space<fragment>> into memref<32xf32, #tile.space<fragment>>
}

// -----

tile.func @scan_type() {
  %a = tile.alloc : memref<32xf32, #tile.space<fragment>>
  %r = tile.alloc : memref<32xf16, #tile.space<fragment>>
  // expected-error @below {{src and dst must have the same element type}}
  tile.scan #tile.reduce_kind<sum> %a into %r dim 0 : memref<32xf32, #tile.space<fragment>> into memref<32xf16, #tile.space<fragment>>
}

// -----

tile.func @scan_dim() {
  %a = tile.alloc : memref<32xf32, #tile.space<fragment>>
  // expected-error @below {{dim is out of range}}
  tile.scan #tile.reduce_kind<sum> %a into %a dim 1 : memref<32xf32, #tile.space<fragment>> into memref<32xf32, #tile.space<fragment>>
}

// -----

tile.func @transpose_rank() {
  %a = tile.alloc : memref<32xf32, #tile.space<fragment>>
  // expected-error @below {{needs at least two dimensions}}
  tile.transpose %a to %a : memref<32xf32, #tile.space<fragment>> to memref<32xf32, #tile.space<fragment>>
}

// -----

tile.func @transpose_type() {
  %a = tile.alloc : memref<32x32xf32, #tile.space<fragment>>
  %b = tile.alloc : memref<32x32xf16, #tile.space<shared>>
  // expected-error @below {{src and dst must have the same element type}}
  tile.transpose %a to %b : memref<32x32xf32, #tile.space<fragment>> to memref<32x32xf16, #tile.space<shared>>
}

// -----

tile.func @parallel_extents() {
  // expected-error @below {{needs positive extents}}
  tile.parallel (%i) = [0] {
  }
}

// -----

tile.func @parallel_arguments() {
  // expected-error @below {{needs one region argument per extent}}
  tile.parallel (%i) = [4, 4] {
  }
}

// -----

tile.func @parallel_layout() {
  // expected-error @below {{layout covers 32 of 64 indices of dimension 0}}
  tile.parallel (%i) = [64] attributes {layout = #tile.layout<[32:t1]>} {
  }
}

// -----

tile.func @load_element(%i: i32) {
  %a = tile.alloc : memref<32xf32, #tile.space<fragment>>
  // expected-error @below {{value type 'f16' differs from the element type 'f32'}}
  %v = tile.load %a[%i : i32] : memref<32xf32, #tile.space<fragment>> -> f16
}

// -----

tile.func @atomic_space(%i: i32, %v: f32) {
  %a = tile.alloc : memref<32xf32, #tile.space<fragment>>
  // expected-error @below {{needs a global or shared buffer}}
  %o = tile.atomic <add> %v, %a[%i : i32] : f32, memref<32xf32, #tile.space<fragment>>
}

// -----

tile.func @atomic_type(%i: i32, %v: f16) {
  %a = tile.alloc : memref<32xf32, #tile.space<shared>>
  // expected-error @below {{value type 'f16' differs from the element type 'f32'}}
  %o = tile.atomic <add> %v, %a[%i : i32] : f16, memref<32xf32, #tile.space<shared>>
}

// -----

tile.func @thread_dimension() {
  // expected-error @below {{attribute 'dim' failed to satisfy constraint}}
  %t = tile.thread_id {dim = 3 : i64}
}

// -----

tile.func @shuffle_lane(%v: f32, %l: i64) {
  // expected-error @below {{must be 32-bit signless integer}}
  %o = "tile.shuffle"(%v, %l) : (f32, i64) -> f32
}

// -----

tile.func @ballot(%v: i32) {
  // expected-error @below {{must be 1-bit signless integer}}
  %o = "tile.ballot"(%v) : (i32) -> i64
}

// -----

tile.func @sync(%v: i32) {
  // expected-error @below {{requires zero operands}}
  "tile.sync"(%v) : (i32) -> ()
}

// -----

tile.func @print(%v: i32) {
  // expected-error @below {{requires attribute 'message'}}
  "tile.print"(%v) : (i32) -> ()
}

// -----

tile.func @assert(%v: i32) {
  // expected-error @below {{must be 1-bit signless integer}}
  "tile.assert"(%v) <{message = "m"}> : (i32) -> ()
}
