// RUN: tlc-opt %s --tile-infer-layouts --split-input-file | FileCheck %s

// What only atomics read has neighbouring columns in neighbouring lanes, and no
// runs of them in one.

// CHECK-LABEL: tile.func @added
// CHECK: tile.alloc {layout = #tile.layout<[4:r1, 2:t32, 4:r4], [32:t1, 2:r16, 2:t64]>, name = "o"}
// CHECK: tile.gemm {{.*}} {mfma = array<i64: 32, 32, 8, 1, 2, 0>}
tile.func @added(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %O = tile.tensor %q {name = "O"} : !tile.ptr<f32> -> memref<32x128xf32, #tile.space<global>>
  tile.kernel grid(%c1) threads[128] (%g) {
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f16
    %a = tile.alloc {name = "a"} : memref<32x64xf16, #tile.space<shared>>
    %b = tile.alloc {name = "b"} : memref<64x128xf16, #tile.space<shared>>
    %o = tile.alloc {name = "o"} : memref<32x128xf32, #tile.space<fragment>>
    tile.fill %o, %zero : memref<32x128xf32, #tile.space<fragment>>, f32
    tile.fill %a, %one : memref<32x64xf16, #tile.space<shared>>, f16
    tile.fill %b, %one : memref<64x128xf16, #tile.space<shared>>, f16
    tile.gemm %a, %b into %o : memref<32x64xf16, #tile.space<shared>>, memref<64x128xf16, #tile.space<shared>> into memref<32x128xf32, #tile.space<fragment>>
    tile.parallel (%i, %j) = [32, 128] {
      %v = tile.load %o[%i, %j : i32, i32] : memref<32x128xf32, #tile.space<fragment>> -> f32
      %old = tile.atomic #tile.atomic_kind<add> %v, %O[%i, %j : i32, i32] : f32, memref<32x128xf32, #tile.space<global>>
    }
  }
}

// -----

// Rows go down memory here: a row in a lane is as good.

// CHECK-LABEL: tile.func @transposed
// CHECK: tile.gemm {{.*}} {mfma = array<i64: 32, 32, 8, 1, 2, 1>}
tile.func @transposed(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %O = tile.tensor %q {name = "O"} : !tile.ptr<f32> -> memref<128x32xf32, #tile.space<global>>
  tile.kernel grid(%c1) threads[128] (%g) {
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f16
    %a = tile.alloc {name = "a"} : memref<32x64xf16, #tile.space<shared>>
    %b = tile.alloc {name = "b"} : memref<64x128xf16, #tile.space<shared>>
    %o = tile.alloc {name = "o"} : memref<32x128xf32, #tile.space<fragment>>
    tile.fill %o, %zero : memref<32x128xf32, #tile.space<fragment>>, f32
    tile.fill %a, %one : memref<32x64xf16, #tile.space<shared>>, f16
    tile.fill %b, %one : memref<64x128xf16, #tile.space<shared>>, f16
    tile.gemm %a, %b into %o : memref<32x64xf16, #tile.space<shared>>, memref<64x128xf16, #tile.space<shared>> into memref<32x128xf32, #tile.space<fragment>>
    tile.parallel (%i, %j) = [32, 128] {
      %v = tile.load %o[%i, %j : i32, i32] : memref<32x128xf32, #tile.space<fragment>> -> f32
      %old = tile.atomic #tile.atomic_kind<add> %v, %O[%j, %i : i32, i32] : f32, memref<128x32xf32, #tile.space<global>>
    }
  }
}

// -----

// A copy stores the same result, 16 bytes a lane.

// CHECK-LABEL: tile.func @stored
// CHECK: tile.gemm {{.*}} {mfma = array<i64: 32, 32, 8, 1, 2, 1>}
tile.func @stored(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>, %r: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %O = tile.tensor %q {name = "O"} : !tile.ptr<f32> -> memref<32x128xf32, #tile.space<global>>
  %P = tile.tensor %r {name = "P"} : !tile.ptr<f32> -> memref<32x128xf32, #tile.space<global>>
  tile.kernel grid(%c1) threads[128] (%g) {
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f16
    %a = tile.alloc {name = "a"} : memref<32x64xf16, #tile.space<shared>>
    %b = tile.alloc {name = "b"} : memref<64x128xf16, #tile.space<shared>>
    %o = tile.alloc {name = "o"} : memref<32x128xf32, #tile.space<fragment>>
    tile.fill %o, %zero : memref<32x128xf32, #tile.space<fragment>>, f32
    tile.fill %a, %one : memref<32x64xf16, #tile.space<shared>>, f16
    tile.fill %b, %one : memref<64x128xf16, #tile.space<shared>>, f16
    tile.gemm %a, %b into %o : memref<32x64xf16, #tile.space<shared>>, memref<64x128xf16, #tile.space<shared>> into memref<32x128xf32, #tile.space<fragment>>
    tile.parallel (%i, %j) = [32, 128] {
      %v = tile.load %o[%i, %j : i32, i32] : memref<32x128xf32, #tile.space<fragment>> -> f32
      %old = tile.atomic #tile.atomic_kind<add> %v, %O[%i, %j : i32, i32] : f32, memref<32x128xf32, #tile.space<global>>
    }
    tile.copy %o to %P : memref<32x128xf32, #tile.space<fragment>> to memref<32x128xf32, #tile.space<global>>
  }
}

// -----

// The atomics come once, behind the loop: its products read their operand in
// runs.

// CHECK-LABEL: tile.func @behind
// CHECK: tile.gemm {{.*}} {mfma = array<i64: 16, 16, 16, 1, 2, 0, 1, 4>}
tile.func @behind(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %O = tile.tensor %q {name = "O"} : !tile.ptr<f32> -> memref<32x128xf32, #tile.space<global>>
  tile.kernel grid(%c1) threads[128] (%g) {
    %c0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : i32
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f16
    %a = tile.alloc {name = "a"} : memref<32x64xf16, #tile.space<shared>>
    %b = tile.alloc {name = "b"} : memref<64x128xf16, #tile.space<shared>>
    %o = tile.alloc {name = "o"} : memref<32x128xf32, #tile.space<fragment>>
    tile.fill %o, %zero : memref<32x128xf32, #tile.space<fragment>>, f32
    tile.fill %a, %one : memref<32x64xf16, #tile.space<shared>>, f16
    tile.fill %b, %one : memref<64x128xf16, #tile.space<shared>>, f16
    scf.for %k = %c0 to %c4 step %c1 : i32 {
      tile.gemm %a, %b into %o : memref<32x64xf16, #tile.space<shared>>, memref<64x128xf16, #tile.space<shared>> into memref<32x128xf32, #tile.space<fragment>>
    }
    tile.parallel (%i, %j) = [32, 128] {
      %v = tile.load %o[%i, %j : i32, i32] : memref<32x128xf32, #tile.space<fragment>> -> f32
      %old = tile.atomic #tile.atomic_kind<add> %v, %O[%i, %j : i32, i32] : f32, memref<32x128xf32, #tile.space<global>>
    }
  }
}

// -----

// They are in the loop with the product.

// CHECK-LABEL: tile.func @beside
// CHECK: tile.gemm {{.*}} {mfma = array<i64: 32, 32, 8, 1, 2, 0>}
tile.func @beside(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %O = tile.tensor %q {name = "O"} : !tile.ptr<f32> -> memref<32x128xf32, #tile.space<global>>
  tile.kernel grid(%c1) threads[128] (%g) {
    %c0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : i32
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f16
    %a = tile.alloc {name = "a"} : memref<32x64xf16, #tile.space<shared>>
    %b = tile.alloc {name = "b"} : memref<64x128xf16, #tile.space<shared>>
    %o = tile.alloc {name = "o"} : memref<32x128xf32, #tile.space<fragment>>
    tile.fill %o, %zero : memref<32x128xf32, #tile.space<fragment>>, f32
    tile.fill %a, %one : memref<32x64xf16, #tile.space<shared>>, f16
    tile.fill %b, %one : memref<64x128xf16, #tile.space<shared>>, f16
    scf.for %k = %c0 to %c4 step %c1 : i32 {
      tile.gemm %a, %b into %o : memref<32x64xf16, #tile.space<shared>>, memref<64x128xf16, #tile.space<shared>> into memref<32x128xf32, #tile.space<fragment>>
      tile.parallel (%i, %j) = [32, 128] {
        %v = tile.load %o[%i, %j : i32, i32] : memref<32x128xf32, #tile.space<fragment>> -> f32
        %old = tile.atomic #tile.atomic_kind<add> %v, %O[%i, %j : i32, i32] : f32, memref<32x128xf32, #tile.space<global>>
      }
    }
  }
}

// -----

// A tile in LDS is added up with its columns in neighbouring lanes; what is
// stored beside as well keeps four of them to a lane.

// CHECK-LABEL: tile.func @tile
// CHECK: tile.parallel {{.*}}layout = #tile.layout<[2:t32, 2:t64, 8:r1], [32:t1]>
// CHECK: tile.atomic
// CHECK: tile.parallel {{.*}}layout = #tile.layout<[8:t8, 2:t64, 2:r4], [4:r1, 8:t1]>
// CHECK: tile.atomic
tile.func @tile(%q: !tile.ptr<f32>, %r: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %O = tile.tensor %q {name = "O"} : !tile.ptr<f32> -> memref<32x32xf32, #tile.space<global>>
  %P = tile.tensor %r {name = "P"} : !tile.ptr<f32> -> memref<32x32xf32, #tile.space<global>>
  tile.kernel grid(%c1) threads[128] (%g) {
    %one = arith.constant 1.0 : f32
    %a = tile.alloc {name = "a"} : memref<32x32xf32, #tile.space<shared>>
    tile.fill %a, %one : memref<32x32xf32, #tile.space<shared>>, f32
    tile.parallel (%i, %j) = [32, 32] {
      %v = tile.load %a[%i, %j : i32, i32] : memref<32x32xf32, #tile.space<shared>> -> f32
      %old = tile.atomic #tile.atomic_kind<add> %v, %O[%i, %j : i32, i32] : f32, memref<32x32xf32, #tile.space<global>>
    }
    tile.parallel (%i, %j) = [32, 32] {
      %v = tile.load %a[%i, %j : i32, i32] : memref<32x32xf32, #tile.space<shared>> -> f32
      tile.store %v, %P[%i, %j : i32, i32] : f32, memref<32x32xf32, #tile.space<global>>
      %old = tile.atomic #tile.atomic_kind<add> %v, %O[%i, %j : i32, i32] : f32, memref<32x32xf32, #tile.space<global>>
    }
  }
}
