// RUN: tlc-opt %s --tile-infer-layouts --tile-coalesce-stores | FileCheck %s
// RUN: tlc-opt %s --tile-infer-layouts --tile-coalesce-stores --tile-fit-lds --tile-insert-sync --convert-tile-to-wave | FileCheck %s --check-prefix=WAVE

// A lane of the accumulator has four columns; four wavefronts of 32 rows and 64
// columns each trade theirs through twice 32 rows of 64 elements, where the
// operands were.
// CHECK-LABEL: tile.func @product
// CHECK: %[[S:.*]] = tile.alloc {name = "_lines"} : memref<4x64x64xf16, #tile.space<shared>>
// CHECK: tile.copy %{{.*}} to %{{.*}} through %[[S]]

// Eight bytes go in, sixteen come out; the wavefront alone is ordered. Both are
// XORed with the row, so that rows begin in different banks.
// WAVE: scf.for
// WAVE: wave.barrier
// WAVE: arith.xori
// WAVE: wave.fence
// WAVE-COUNT-16: wave.lds_store {{.*}} : vector<4xf16>
// WAVE-NEXT: wave.fence
// WAVE-COUNT-8: wave.lds_load {{.*}} : vector<8xf16>
// WAVE-COUNT-8: wave.buffer_store {{.*}} : vector<8xf16>
// WAVE-NOT: wave.barrier
// WAVE: wave.return
!tile = memref<128x64xf16, #tile.space<shared>>
tile.func @product(%p: !tile.ptr<f16>, %q: !tile.ptr<f16>, %r: !tile.ptr<f16>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %P = tile.tensor %p : !tile.ptr<f16> -> memref<128x64xf16, #tile.space<global>>
  %Q = tile.tensor %q : !tile.ptr<f16> -> memref<128x64xf16, #tile.space<global>>
  %R = tile.tensor %r : !tile.ptr<f16> -> memref<128x128xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[256] (%b) {
    %a = tile.alloc {name = "A"} : !tile
    %bt = tile.alloc {name = "B"} : !tile
    %acc = tile.alloc {name = "acc"} : memref<128x128xf32, #tile.space<fragment>>
    tile.fill %acc, %zero : memref<128x128xf32, #tile.space<fragment>>, f32
    scf.for %i = %c0 to %c4 step %c1 : i32 {
      tile.copy %P to %a : memref<128x64xf16, #tile.space<global>> to !tile
      tile.copy %Q to %bt : memref<128x64xf16, #tile.space<global>> to !tile
      tile.gemm %a, %bt into %acc {trans_b} : !tile, !tile into memref<128x128xf32, #tile.space<fragment>>
    }
    tile.copy %acc to %R : memref<128x128xf32, #tile.space<fragment>> to memref<128x128xf16, #tile.space<global>>
  }
}

// Wavefronts that have whole rows: rows of 128 elements, as many as the
// operands had bytes for.
// CHECK-LABEL: tile.func @whole_rows
// CHECK: %[[S:.*]] = tile.alloc {name = "_lines"} : memref<4x32x128xf16, #tile.space<shared>>
// CHECK: tile.copy %{{.*}} to %{{.*}} through %[[S]]
tile.func @whole_rows(%p: !tile.ptr<f16>, %q: !tile.ptr<f16>, %r: !tile.ptr<f16>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %P = tile.tensor %p : !tile.ptr<f16> -> memref<128x64xf16, #tile.space<global>>
  %Q = tile.tensor %q : !tile.ptr<f16> -> memref<128x64xf16, #tile.space<global>>
  %R = tile.tensor %r : !tile.ptr<f16> -> memref<128x128xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[256] (%b) {
    %a = tile.alloc {name = "A"} : !tile
    %bt = tile.alloc {name = "B"} : !tile
    %acc = tile.alloc {name = "acc"} : memref<128x128xf32, #tile.space<fragment>>
    tile.fill %acc, %zero : memref<128x128xf32, #tile.space<fragment>>, f32
    scf.for %i = %c0 to %c4 step %c1 : i32 {
      tile.copy %P to %a : memref<128x64xf16, #tile.space<global>> to !tile
      tile.copy %Q to %bt : memref<128x64xf16, #tile.space<global>> to !tile
      tile.gemm %a, %bt into %acc {trans_b, policy = #tile.policy<full_row>} : !tile, !tile into memref<128x128xf32, #tile.space<fragment>>
    }
    tile.copy %acc to %R : memref<128x128xf32, #tile.space<fragment>> to memref<128x128xf16, #tile.space<global>>
  }
}

// Lanes that have 16 bytes side by side already, or a fragment that does not
// come from a product, write as they are.
// CHECK-LABEL: tile.func @plain
// CHECK: tile.copy %{{[^ ]*}} to %{{[^ ]*}} {layout
tile.func @plain(%p: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f16
  %P = tile.tensor %p : !tile.ptr<f16> -> memref<128x128xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[256] (%b) {
    %x = tile.alloc {name = "x"} : memref<128x128xf16, #tile.space<fragment>>
    tile.fill %x, %zero : memref<128x128xf16, #tile.space<fragment>>, f16
    tile.copy %x to %P : memref<128x128xf16, #tile.space<fragment>> to memref<128x128xf16, #tile.space<global>>
  }
}
