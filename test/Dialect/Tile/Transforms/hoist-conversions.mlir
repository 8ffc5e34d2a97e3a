// RUN: tlc-opt %s --tile-infer-layouts --split-input-file | FileCheck %s

// Nothing in the loop writes `k`: it goes to LDS once, before the loop.

// CHECK-LABEL: tile.func @invariant
// CHECK: %[[T:.+]] = tile.alloc {name = "k.converted"} : memref<64x64xf16, #tile.space<shared>>
// CHECK: tile.copy %{{.+}} to %[[T]]
// CHECK: scf.for
// CHECK-NOT: tile.copy
// CHECK: tile.gemm %{{.+}}, %[[T]] into
// CHECK: }
tile.func @invariant(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %K = tile.tensor %p {name = "K"} : !tile.ptr<f16> -> memref<64x64xf16, #tile.space<global>>
  %O = tile.tensor %q {name = "O"} : !tile.ptr<f32> -> memref<64x64xf32, #tile.space<global>>
  tile.kernel grid(%c1) threads[128] (%b) {
    %c0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : i32
    %zero = arith.constant 0.0 : f32
    %k = tile.alloc {name = "k"} : memref<64x64xf16, #tile.space<fragment>>
    %s = tile.alloc {name = "s"} : memref<64x64xf32, #tile.space<fragment>>
    %o = tile.alloc {name = "o"} : memref<64x64xf32, #tile.space<fragment>>
    %w = tile.alloc {name = "w"} : memref<64x64xf16, #tile.space<shared>>
    tile.copy %K to %k : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<fragment>>
    tile.copy %K to %w : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
    tile.fill %s, %zero : memref<64x64xf32, #tile.space<fragment>>, f32
    tile.fill %o, %zero : memref<64x64xf32, #tile.space<fragment>>, f32
    scf.for %i = %c0 to %c4 step %c1 : i32 {
      tile.gemm %k, %w into %s {policy = #tile.policy<full_row>, trans_b} : memref<64x64xf16, #tile.space<fragment>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
      tile.gemm %w, %k into %o {policy = #tile.policy<full_row>} : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<fragment>> into memref<64x64xf32, #tile.space<fragment>>
    }
    tile.copy %s to %O : memref<64x64xf32, #tile.space<fragment>> to memref<64x64xf32, #tile.space<global>>
    tile.copy %o to %O : memref<64x64xf32, #tile.space<fragment>> to memref<64x64xf32, #tile.space<global>>
  }
}

// -----

// The loop writes it: converted each time.

// CHECK-LABEL: tile.func @written
// CHECK: %[[T:.+]] = tile.alloc {name = "k.converted"} : memref<64x64xf16, #tile.space<shared>>
// CHECK: scf.for
// CHECK: tile.copy %{{.+}} to %[[T]]
// CHECK: tile.gemm %{{.+}}, %[[T]] into
// CHECK: }
tile.func @written(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %K = tile.tensor %p {name = "K"} : !tile.ptr<f16> -> memref<64x64xf16, #tile.space<global>>
  %O = tile.tensor %q {name = "O"} : !tile.ptr<f32> -> memref<64x64xf32, #tile.space<global>>
  tile.kernel grid(%c1) threads[128] (%b) {
    %c0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : i32
    %zero = arith.constant 0.0 : f32
    %k = tile.alloc {name = "k"} : memref<64x64xf16, #tile.space<fragment>>
    %s = tile.alloc {name = "s"} : memref<64x64xf32, #tile.space<fragment>>
    %o = tile.alloc {name = "o"} : memref<64x64xf32, #tile.space<fragment>>
    %w = tile.alloc {name = "w"} : memref<64x64xf16, #tile.space<shared>>
    tile.copy %K to %w : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
    tile.fill %s, %zero : memref<64x64xf32, #tile.space<fragment>>, f32
    tile.fill %o, %zero : memref<64x64xf32, #tile.space<fragment>>, f32
    scf.for %i = %c0 to %c4 step %c1 : i32 {
      tile.copy %K to %k : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<fragment>>
      tile.gemm %k, %w into %s {policy = #tile.policy<full_row>, trans_b} : memref<64x64xf16, #tile.space<fragment>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
      tile.gemm %w, %k into %o {policy = #tile.policy<full_row>} : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<fragment>> into memref<64x64xf32, #tile.space<fragment>>
    }
    tile.copy %s to %O : memref<64x64xf32, #tile.space<fragment>> to memref<64x64xf32, #tile.space<global>>
    tile.copy %o to %O : memref<64x64xf32, #tile.space<fragment>> to memref<64x64xf32, #tile.space<global>>
  }
}

// -----

// LDS has room for the copy only while another tile of the iteration is dead:
// it stays.

// CHECK-LABEL: tile.func @crowded
// CHECK: %[[T:.+]] = tile.alloc {name = "k.converted"} : memref<64x64xf16, #tile.space<shared>>
// CHECK: scf.for
// CHECK: tile.copy %{{.+}} to %[[T]]
// CHECK: tile.gemm %{{.+}}, %[[T]] into
// CHECK: }
tile.func @crowded(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %K = tile.tensor %p {name = "K"} : !tile.ptr<f16> -> memref<64x64xf16, #tile.space<global>>
  %B = tile.tensor %q {name = "B"} : !tile.ptr<f32> -> memref<128x100xf32, #tile.space<global>>
  %O = tile.tensor %q {name = "O"} : !tile.ptr<f32> -> memref<64x64xf32, #tile.space<global>>
  tile.kernel grid(%c1) threads[128] (%b) {
    %c0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : i32
    %zero = arith.constant 0.0 : f32
    %k = tile.alloc {name = "k"} : memref<64x64xf16, #tile.space<fragment>>
    %s = tile.alloc {name = "s"} : memref<64x64xf32, #tile.space<fragment>>
    %o = tile.alloc {name = "o"} : memref<64x64xf32, #tile.space<fragment>>
    %w = tile.alloc {name = "w"} : memref<64x64xf16, #tile.space<shared>>
    %big = tile.alloc {name = "big"} : memref<128x100xf32, #tile.space<shared>>
    tile.copy %K to %k : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<fragment>>
    tile.copy %K to %w : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
    tile.fill %s, %zero : memref<64x64xf32, #tile.space<fragment>>, f32
    tile.fill %o, %zero : memref<64x64xf32, #tile.space<fragment>>, f32
    scf.for %i = %c0 to %c4 step %c1 : i32 {
      tile.gemm %k, %w into %s {policy = #tile.policy<full_row>, trans_b} : memref<64x64xf16, #tile.space<fragment>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
      tile.copy %B to %big : memref<128x100xf32, #tile.space<global>> to memref<128x100xf32, #tile.space<shared>>
      tile.copy %big to %B : memref<128x100xf32, #tile.space<shared>> to memref<128x100xf32, #tile.space<global>>
      tile.gemm %w, %k into %o {policy = #tile.policy<full_row>} : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<fragment>> into memref<64x64xf32, #tile.space<fragment>>
    }
    tile.copy %s to %O : memref<64x64xf32, #tile.space<fragment>> to memref<64x64xf32, #tile.space<global>>
    tile.copy %o to %O : memref<64x64xf32, #tile.space<fragment>> to memref<64x64xf32, #tile.space<global>>
  }
}
