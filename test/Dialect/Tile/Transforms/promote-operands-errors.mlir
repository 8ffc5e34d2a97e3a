// RUN: tlc-opt %s --tile-promote-operands --verify-diagnostics | FileCheck %s

// Too large for registers: 128 x 128 halves for one wavefront. It stays.
// CHECK: tile.alloc {name = "Q"} : memref<128x128xf16, #tile.space<shared>>
tile.func @large(%q: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %T = tile.tensor %q : !tile.ptr<f16> -> memref<128x128xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[64] (%b) {
    %c0 = arith.constant 0 : i32
    %s = arith.constant 1 : i32
    %n = arith.constant 4 : i32
    %Q = tile.alloc {name = "Q"} : memref<128x128xf16, #tile.space<shared>>
    %K = tile.alloc {name = "K"} : memref<16x128xf16, #tile.space<shared>>
    %S = tile.alloc {name = "S"} : memref<128x16xf32, #tile.space<fragment>>
    // expected-remark @below {{stays in LDS: as a register operand it would take 128 registers}}
    tile.copy %T to %Q : memref<128x128xf16, #tile.space<global>> to memref<128x128xf16, #tile.space<shared>>
    scf.for %i = %c0 to %n step %s : i32 {
      tile.gemm %Q, %K into %S {trans_b, policy = #tile.policy<full_row>} : memref<128x128xf16, #tile.space<shared>>, memref<16x128xf16, #tile.space<shared>> into memref<128x16xf32, #tile.space<fragment>>
    }
  }
}
