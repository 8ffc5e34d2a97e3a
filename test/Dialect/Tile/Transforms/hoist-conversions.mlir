// RUN: tlc-opt %s --tile-infer-layouts --split-input-file | FileCheck %s

// Nothing in the loop writes `k`, and the second product takes 32 registers of
// it: it goes through LDS once, before the loop, to where they want it.

// CHECK-LABEL: tile.func @kept
// CHECK: %[[F:.+]] = tile.alloc {layout = #tile.layout<[4:r1, 2:r4, 2:t32, 4:r8], [32:t1, 2:r32]>, name = "k.converted"} : memref<64x64xf16, #tile.space<fragment>>
// CHECK: %[[T:.+]] = tile.alloc {name = "k.converted"} : memref<64x64xf16, #tile.space<shared>>
// CHECK: tile.copy %{{.+}} to %[[T]]
// CHECK-NEXT: tile.copy %[[T]] to %[[F]] {layout = #tile.layout<[4:r1, 2:r4, 2:t32, 4:r8], [32:t1, 2:r32]>}
// CHECK: scf.for
// CHECK-NOT: tile.copy
// CHECK: tile.gemm %{{.+}}, %[[F]] into
// CHECK: }
tile.func @kept(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>) {
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

// 64 registers would be too many for the loop's other work: it stays in LDS, but
// goes there once.

// CHECK-LABEL: tile.func @invariant
// CHECK: %[[T:.+]] = tile.alloc {name = "k.converted"} : memref<128x64xf16, #tile.space<shared>>
// CHECK: tile.copy %{{.+}} to %[[T]]
// CHECK: scf.for
// CHECK-NOT: tile.copy
// CHECK: tile.gemm %{{.+}}, %[[T]] into
// CHECK: }
tile.func @invariant(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %K = tile.tensor %p {name = "K"} : !tile.ptr<f16> -> memref<128x64xf16, #tile.space<global>>
  %S = tile.tensor %q {name = "S"} : !tile.ptr<f32> -> memref<128x128xf32, #tile.space<global>>
  %O = tile.tensor %q {name = "O"} : !tile.ptr<f32> -> memref<64x64xf32, #tile.space<global>>
  tile.kernel grid(%c1) threads[128] (%b) {
    %c0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : i32
    %zero = arith.constant 0.0 : f32
    %k = tile.alloc {name = "k"} : memref<128x64xf16, #tile.space<fragment>>
    %s = tile.alloc {name = "s"} : memref<128x128xf32, #tile.space<fragment>>
    %o = tile.alloc {name = "o"} : memref<64x64xf32, #tile.space<fragment>>
    %w = tile.alloc {name = "w"} : memref<128x64xf16, #tile.space<shared>>
    tile.copy %K to %k : memref<128x64xf16, #tile.space<global>> to memref<128x64xf16, #tile.space<fragment>>
    tile.copy %K to %w : memref<128x64xf16, #tile.space<global>> to memref<128x64xf16, #tile.space<shared>>
    tile.fill %s, %zero : memref<128x128xf32, #tile.space<fragment>>, f32
    tile.fill %o, %zero : memref<64x64xf32, #tile.space<fragment>>, f32
    scf.for %i = %c0 to %c4 step %c1 : i32 {
      tile.gemm %k, %w into %s {policy = #tile.policy<full_row>, trans_b} : memref<128x64xf16, #tile.space<fragment>>, memref<128x64xf16, #tile.space<shared>> into memref<128x128xf32, #tile.space<fragment>>
      tile.gemm %w, %k into %o {policy = #tile.policy<full_row>, trans_a} : memref<128x64xf16, #tile.space<shared>>, memref<128x64xf16, #tile.space<fragment>> into memref<64x64xf32, #tile.space<fragment>>
    }
    tile.copy %s to %S : memref<128x128xf32, #tile.space<fragment>> to memref<128x128xf32, #tile.space<global>>
    tile.copy %o to %O : memref<64x64xf32, #tile.space<fragment>> to memref<64x64xf32, #tile.space<global>>
  }
}

// -----

// Registers are short: LDS again.

// CHECK-LABEL: tile.func @short
// CHECK: %[[T:.+]] = tile.alloc {name = "k.converted"} : memref<64x64xf16, #tile.space<shared>>
// CHECK: tile.copy %{{.+}} to %[[T]]
// CHECK: scf.for
// CHECK-NOT: tile.copy
// CHECK: tile.gemm %{{.+}}, %[[T]] into
// CHECK: }
tile.func @short(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %K = tile.tensor %p {name = "K"} : !tile.ptr<f16> -> memref<64x64xf16, #tile.space<global>>
  %O = tile.tensor %q {name = "O"} : !tile.ptr<f32> -> memref<64x64xf32, #tile.space<global>>
  tile.kernel grid(%c1) threads[128] (%b) attributes {tile.spare_registers = 1 : i64} {
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

// Two products want it in different layouts: the first has it in registers, more
// of them would be too many.

// CHECK-LABEL: tile.func @disagree
// CHECK: %[[T:.+]] = tile.alloc {name = "k.converted"} : memref<64x64xf16, #tile.space<shared>>
// CHECK: %[[F:.+]] = tile.alloc {layout = {{.+}}, name = "k.converted"} : memref<64x64xf16, #tile.space<fragment>>
// CHECK: scf.for
// CHECK-NOT: tile.copy
// CHECK: tile.gemm %{{.+}}, %[[F]] into
// CHECK: tile.gemm %{{.+}}, %[[T]] into
// CHECK: }
tile.func @disagree(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>) {
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
    %o2 = tile.alloc {name = "o2"} : memref<64x64xf32, #tile.space<fragment>>
    %w = tile.alloc {name = "w"} : memref<64x64xf16, #tile.space<shared>>
    tile.copy %K to %k : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<fragment>>
    tile.copy %K to %w : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
    tile.fill %s, %zero : memref<64x64xf32, #tile.space<fragment>>, f32
    tile.fill %o, %zero : memref<64x64xf32, #tile.space<fragment>>, f32
    tile.fill %o2, %zero : memref<64x64xf32, #tile.space<fragment>>, f32
    scf.for %i = %c0 to %c4 step %c1 : i32 {
      tile.gemm %k, %w into %s {policy = #tile.policy<full_row>, trans_b} : memref<64x64xf16, #tile.space<fragment>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
      tile.gemm %w, %k into %o {policy = #tile.policy<full_row>} : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<fragment>> into memref<64x64xf32, #tile.space<fragment>>
      tile.gemm %w, %k into %o2 {policy = #tile.policy<full_col>} : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<fragment>> into memref<64x64xf32, #tile.space<fragment>>
    }
    tile.copy %s to %O : memref<64x64xf32, #tile.space<fragment>> to memref<64x64xf32, #tile.space<global>>
    tile.copy %o2 to %O : memref<64x64xf32, #tile.space<fragment>> to memref<64x64xf32, #tile.space<global>>
    tile.copy %o to %O : memref<64x64xf32, #tile.space<fragment>> to memref<64x64xf32, #tile.space<global>>
  }
}

// -----

// The second loop has it from the first.

// CHECK-LABEL: tile.func @twice
// CHECK: %[[F:.+]] = tile.alloc {layout = {{.+}}, name = "k.converted"} : memref<64x64xf16, #tile.space<fragment>>
// CHECK: scf.for
// CHECK: tile.gemm %{{.+}}, %[[F]] into
// CHECK: }
// CHECK-NOT: tile.copy
// CHECK: scf.for
// CHECK: tile.gemm %{{.+}}, %[[F]] into
// CHECK: }
tile.func @twice(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>) {
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
    scf.for %i = %c0 to %c4 step %c1 : i32 {
      tile.gemm %k, %w into %s {policy = #tile.policy<full_row>, trans_b} : memref<64x64xf16, #tile.space<fragment>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
      tile.gemm %w, %k into %o {policy = #tile.policy<full_row>} : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<fragment>> into memref<64x64xf32, #tile.space<fragment>>
    }
    tile.copy %s to %O : memref<64x64xf32, #tile.space<fragment>> to memref<64x64xf32, #tile.space<global>>
    tile.copy %o to %O : memref<64x64xf32, #tile.space<fragment>> to memref<64x64xf32, #tile.space<global>>
  }
}

// -----

// Between the loops it changes.

// CHECK-LABEL: tile.func @rewritten
// CHECK: %[[T:.+]] = tile.alloc {name = "k.converted"} : memref<64x64xf16, #tile.space<shared>>
// CHECK: %[[F:.+]] = tile.alloc {layout = {{.+}}, name = "k.converted"} : memref<64x64xf16, #tile.space<fragment>>
// CHECK: scf.for
// CHECK: tile.gemm %{{.+}}, %[[F]] into
// CHECK: }
// CHECK: tile.copy %{{.+}} to %[[T]]
// CHECK: scf.for
// CHECK-NOT: tile.copy
// CHECK: tile.gemm %{{.+}}, %[[T]] into
// CHECK: }
tile.func @rewritten(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %K = tile.tensor %p {name = "K"} : !tile.ptr<f16> -> memref<64x64xf16, #tile.space<global>>
  %O = tile.tensor %q {name = "O"} : !tile.ptr<f32> -> memref<64x64xf32, #tile.space<global>>
  tile.kernel grid(%c1) threads[128] (%b) {
    %c0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : i32
    %half = arith.constant 0.5 : f16
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
    tile.fill %k, %half : memref<64x64xf16, #tile.space<fragment>>, f16
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
// CHECK: %[[T:.+]] = tile.alloc {name = "k.converted"} : memref<128x64xf16, #tile.space<shared>>
// CHECK: scf.for
// CHECK: tile.copy %{{.+}} to %[[T]]
// CHECK: tile.gemm %{{.+}}, %[[T]] into
// CHECK: }
tile.func @crowded(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %K = tile.tensor %p {name = "K"} : !tile.ptr<f16> -> memref<128x64xf16, #tile.space<global>>
  %B = tile.tensor %q {name = "B"} : !tile.ptr<f32> -> memref<128x80xf32, #tile.space<global>>
  %S = tile.tensor %q {name = "S"} : !tile.ptr<f32> -> memref<128x128xf32, #tile.space<global>>
  %O = tile.tensor %q {name = "O"} : !tile.ptr<f32> -> memref<64x64xf32, #tile.space<global>>
  tile.kernel grid(%c1) threads[128] (%b) {
    %c0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : i32
    %zero = arith.constant 0.0 : f32
    %k = tile.alloc {name = "k"} : memref<128x64xf16, #tile.space<fragment>>
    %s = tile.alloc {name = "s"} : memref<128x128xf32, #tile.space<fragment>>
    %o = tile.alloc {name = "o"} : memref<64x64xf32, #tile.space<fragment>>
    %w = tile.alloc {name = "w"} : memref<128x64xf16, #tile.space<shared>>
    %big = tile.alloc {name = "big"} : memref<128x80xf32, #tile.space<shared>>
    tile.copy %K to %k : memref<128x64xf16, #tile.space<global>> to memref<128x64xf16, #tile.space<fragment>>
    tile.copy %K to %w : memref<128x64xf16, #tile.space<global>> to memref<128x64xf16, #tile.space<shared>>
    tile.fill %s, %zero : memref<128x128xf32, #tile.space<fragment>>, f32
    tile.fill %o, %zero : memref<64x64xf32, #tile.space<fragment>>, f32
    scf.for %i = %c0 to %c4 step %c1 : i32 {
      tile.gemm %k, %w into %s {policy = #tile.policy<full_row>, trans_b} : memref<128x64xf16, #tile.space<fragment>>, memref<128x64xf16, #tile.space<shared>> into memref<128x128xf32, #tile.space<fragment>>
      tile.copy %B to %big : memref<128x80xf32, #tile.space<global>> to memref<128x80xf32, #tile.space<shared>>
      tile.copy %big to %B : memref<128x80xf32, #tile.space<shared>> to memref<128x80xf32, #tile.space<global>>
      tile.gemm %w, %k into %o {policy = #tile.policy<full_row>, trans_a} : memref<128x64xf16, #tile.space<shared>>, memref<128x64xf16, #tile.space<fragment>> into memref<64x64xf32, #tile.space<fragment>>
    }
    tile.copy %s to %S : memref<128x128xf32, #tile.space<fragment>> to memref<128x128xf32, #tile.space<global>>
    tile.copy %o to %O : memref<64x64xf32, #tile.space<fragment>> to memref<64x64xf32, #tile.space<global>>
  }
}

// -----

// A copy has no dimension for one column: it stays in LDS.

// CHECK-LABEL: tile.func @column
// CHECK: %[[T:.+]] = tile.alloc {name = "k.converted"} : memref<64x1xf16, #tile.space<shared>>
// CHECK: tile.copy %{{.+}} to %[[T]]
// CHECK: scf.for
// CHECK: tile.gemm %{{.+}}, %[[T]] into
// CHECK: }
tile.func @column(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %K = tile.tensor %p {name = "K"} : !tile.ptr<f16> -> memref<64x1xf16, #tile.space<global>>
  %W = tile.tensor %p {name = "W"} : !tile.ptr<f16> -> memref<64x64xf16, #tile.space<global>>
  %O = tile.tensor %q {name = "O"} : !tile.ptr<f32> -> memref<64x1xf32, #tile.space<global>>
  tile.kernel grid(%c1) threads[128] (%b) {
    %c0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : i32
    %zero = arith.constant 0.0 : f32
    %k = tile.alloc {layout = #tile.layout<[64:t1], []>, name = "k"} : memref<64x1xf16, #tile.space<fragment>>
    %o = tile.alloc {name = "o"} : memref<64x1xf32, #tile.space<fragment>>
    %w = tile.alloc {name = "w"} : memref<64x64xf16, #tile.space<shared>>
    tile.copy %K to %k : memref<64x1xf16, #tile.space<global>> to memref<64x1xf16, #tile.space<fragment>>
    tile.copy %W to %w : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
    tile.fill %o, %zero : memref<64x1xf32, #tile.space<fragment>>, f32
    scf.for %i = %c0 to %c4 step %c1 : i32 {
      tile.gemm %w, %k into %o {policy = #tile.policy<full_row>} : memref<64x64xf16, #tile.space<shared>>, memref<64x1xf16, #tile.space<fragment>> into memref<64x1xf32, #tile.space<fragment>>
    }
    tile.copy %o to %O : memref<64x1xf32, #tile.space<fragment>> to memref<64x1xf32, #tile.space<global>>
  }
}
