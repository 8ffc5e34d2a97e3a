// RUN: tlc-opt %s --tile-promote-operands --mlir-print-op-on-diagnostic=false 2>&1 | FileCheck %s --check-prefix=PROMOTE
// RUN: tlc-opt %s --tile-fit-lds --tile-insert-sync --mlir-print-op-on-diagnostic=false 2>&1 | FileCheck %s --check-prefix=FIT
// RUN: tlc-opt %s --tile-infer-layouts --tile-swizzle-lds 2>/dev/null | FileCheck %s --check-prefix=SWIZZLE
// RUN: not tlc-opt %s --tile-fit-lds=lds-bytes=32768 --mlir-print-op-on-diagnostic=false 2>&1 | FileCheck %s --check-prefix=TOO-MUCH
//
// An attention kernel through the passes on shared buffers, one at a time.

// PROMOTE: goes to registers instead of LDS: 32 registers a lane, 32768 bytes
// PROMOTE: goes past LDS: 'O_shared' only passed it on
// PROMOTE: tile.alloc {name = "Q_shared"} : memref<128x128xf16, #tile.space<fragment>>
// PROMOTE-NOT: O_shared

// FIT: LDS: 4 buffers of 98304 bytes share 65536 bytes
// FIT: lds_offset = 0 : i64, name = "Q_shared"
// FIT: lds_offset = 32768 : i64, name = "K_shared"
// FIT: lds_offset = 49152 : i64, name = "V_shared"
// FIT: lds_offset = 0 : i64, name = "O_shared"
// FIT: scf.for
// FIT: tile.sync
// FIT-NEXT: tile.gemm
// FIT: tile.sync
// FIT-NEXT: tile.gemm
// FIT: tile.sync
// FIT: tile.copy

// V has its keys innermost, in the order of the lanes that hold the weights.
// SWIZZLE: [64:m128], [128:m1], xor(7, 7, 3)>, name = "K_shared"
// SWIZZLE: [4:m1, 2:m8, 2:m4, 4:m16], [128:m64], xor({{.*}})>, name = "V_shared"

// TOO-MUCH: error: the kernel's shared buffers need {{[0-9]+}} bytes of LDS, but a workgroup on gfx942 has 32768 [TL0601]
// TOO-MUCH: note: 'Q_shared' (128x128xf16) takes 32768 bytes
#sh = #tile.space<shared>
#fr = #tile.space<fragment>
#gl = #tile.space<global>
tile.func @fa(%q: !tile.ptr<f16>, %k: !tile.ptr<f16>, %v: !tile.ptr<f16>, %o: !tile.ptr<f16>) {
  %c4 = arith.constant 4 : i32
  %Q = tile.tensor %q {name = "Q"} : !tile.ptr<f16> -> memref<512x128xf16, #gl>
  %K = tile.tensor %k {name = "K"} : !tile.ptr<f16> -> memref<512x128xf16, #gl>
  %V = tile.tensor %v {name = "V"} : !tile.ptr<f16> -> memref<512x128xf16, #gl>
  %O = tile.tensor %o {name = "O"} : !tile.ptr<f16> -> memref<512x128xf16, #gl>
  tile.kernel grid(%c4) threads[256] (%bx) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    %c64 = arith.constant 64 : i32
    %c128 = arith.constant 128 : i32
    %zero = arith.constant 0.0 : f32
    %Qs = tile.alloc {name = "Q_shared"} : memref<128x128xf16, #sh>
    %Ks = tile.alloc {name = "K_shared"} : memref<64x128xf16, #sh>
    %Vs = tile.alloc {name = "V_shared"} : memref<64x128xf16, #sh>
    %Os = tile.alloc {name = "O_shared"} : memref<128x128xf16, #sh>
    %S = tile.alloc {name = "S"} : memref<128x64xf32, #fr>
    %P = tile.alloc {name = "P"} : memref<128x64xf16, #fr>
    %acc = tile.alloc {name = "acc"} : memref<128x128xf32, #fr>
    %row = arith.muli %bx, %c128 : i32
    %qv = tile.view %Q[%row, %c0 : i32, i32] : memref<512x128xf16, #gl> to memref<128x128xf16, strided<[?, ?], offset: ?>, #gl>
    tile.copy %qv to %Qs : memref<128x128xf16, strided<[?, ?], offset: ?>, #gl> to memref<128x128xf16, #sh>
    tile.fill %acc, %zero : memref<128x128xf32, #fr>, f32
    scf.for %i = %c0 to %c8 step %c1 : i32 {
      %key = arith.muli %i, %c64 : i32
      %kv = tile.view %K[%key, %c0 : i32, i32] : memref<512x128xf16, #gl> to memref<64x128xf16, strided<[?, ?], offset: ?>, #gl>
      tile.copy %kv to %Ks : memref<64x128xf16, strided<[?, ?], offset: ?>, #gl> to memref<64x128xf16, #sh>
      tile.fill %S, %zero : memref<128x64xf32, #fr>, f32
      tile.gemm %Qs, %Ks into %S {trans_b, policy = #tile.policy<full_row>} : memref<128x128xf16, #sh>, memref<64x128xf16, #sh> into memref<128x64xf32, #fr>
      tile.copy %S to %P : memref<128x64xf32, #fr> to memref<128x64xf16, #fr>
      %vv = tile.view %V[%key, %c0 : i32, i32] : memref<512x128xf16, #gl> to memref<64x128xf16, strided<[?, ?], offset: ?>, #gl>
      tile.copy %vv to %Vs : memref<64x128xf16, strided<[?, ?], offset: ?>, #gl> to memref<64x128xf16, #sh>
      tile.gemm %P, %Vs into %acc {policy = #tile.policy<full_row>} : memref<128x64xf16, #fr>, memref<64x128xf16, #sh> into memref<128x128xf32, #fr>
    } {tile.num_stages = 1 : i64}
    tile.copy %acc to %Os : memref<128x128xf32, #fr> to memref<128x128xf16, #sh>
    %ov = tile.view %O[%row, %c0 : i32, i32] : memref<512x128xf16, #gl> to memref<128x128xf16, strided<[?, ?], offset: ?>, #gl>
    tile.copy %Os to %ov : memref<128x128xf16, #sh> to memref<128x128xf16, strided<[?, ?], offset: ?>, #gl>
  }
}
