// RUN: tlc-opt %s --split-input-file --verify-diagnostics --tile-order-workgroups
// RUN: tlc-opt %s --split-input-file --verify-diagnostics --convert-tile-to-wave

// An order that is no permutation would do some work twice.
tile.func @dims(%n: i32) {
  // expected-error @+1 {{tile.order must have dims (a permutation of 0, 1, 2)}}
  tile.kernel grid(%n) threads[64] (%x) attributes {tile.order = {dims = array<i64: 0, 1, 1>, panel = 0 : i64, reversed = array<i64>, xcds = 8 : i64}} {
  }
}

// -----

tile.func @xcds(%n: i32) {
  // expected-error @+1 {{xcds (1 or more)}}
  tile.kernel grid(%n) threads[64] (%x) attributes {tile.order = {dims = array<i64: 0, 1, 2>, panel = 0 : i64, reversed = array<i64>, xcds = 0 : i64}} {
  }
}

// -----

tile.func @reversed(%n: i32) {
  // expected-error @+1 {{reversed (dimensions)}}
  tile.kernel grid(%n) threads[64] (%x) attributes {tile.order = {dims = array<i64: 0, 1, 2>, panel = 0 : i64, reversed = array<i64: 3>, xcds = 8 : i64}} {
  }
}

// -----

tile.func @kind(%n: i32) {
  // expected-error @+1 {{tile.order must have}}
  tile.kernel grid(%n) threads[64] (%x) attributes {tile.order = 8 : i64} {
  }
}
