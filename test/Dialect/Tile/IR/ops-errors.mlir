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
  // expected-error @below {{}}
  %t = tile.alloc {layout = #tile.layout<[4:q1]>} : memref<4xf32, #tile.space<fragment>>
}
