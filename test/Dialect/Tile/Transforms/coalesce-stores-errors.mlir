// RUN: tlc-opt %s --tile-infer-layouts --tile-coalesce-stores --verify-diagnostics | FileCheck %s

// Operands in registers: no LDS is dead at the end, and the exchange of eight
// wavefronts would cost the kernel more than a little. It stays as it was.
// CHECK-LABEL: tile.func @no_room
// CHECK-NOT: through
!operand = memref<256x32xf16, #tile.space<fragment>>
tile.func @no_room(%r: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.0 : f16
  %R = tile.tensor %r : !tile.ptr<f16> -> memref<256x256xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[512] (%b) {
    %a = tile.alloc {name = "A"} : !operand
    %bt = tile.alloc {name = "B"} : !operand
    %acc = tile.alloc {name = "acc"} : memref<256x256xf32, #tile.space<fragment>>
    tile.fill %a, %half : !operand, f16
    tile.fill %bt, %half : !operand, f16
    tile.fill %acc, %zero : memref<256x256xf32, #tile.space<fragment>>, f32
    tile.gemm %a, %bt into %acc {trans_b} : !operand, !operand into memref<256x256xf32, #tile.space<fragment>>
    // expected-remark @below {{not written through LDS: it has no room for ''}}
    tile.copy %acc to %R : memref<256x256xf32, #tile.space<fragment>> to memref<256x256xf16, #tile.space<global>>
  }
}
