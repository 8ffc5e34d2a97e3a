// RUN: tlc-opt %s --tile-fit-lds --verify-diagnostics --mlir-print-op-on-diagnostic=false

// Alive at once: the message lists each by its line.
tile.func @together(%p: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %P = tile.tensor %p : !tile.ptr<f16> -> memref<128x128xf16, #tile.space<global>>
  // expected-error @below {{the kernel's shared buffers need 98304 bytes of LDS, but a workgroup on gfx942 has 65536 [TL0601]}}
  tile.kernel grid(%c1) threads[64] (%b) {
    // expected-note @below {{'a' (128x128xf16) takes 32768 bytes}}
    %a = tile.alloc {name = "a"} : memref<128x128xf16, #tile.space<shared>>
    // expected-note @below {{'b' (128x128xf16) takes 32768 bytes}}
    %bb = tile.alloc {name = "b"} : memref<128x128xf16, #tile.space<shared>>
    // expected-note @below {{'c' (128x128xf16) takes 32768 bytes}}
    %c = tile.alloc {name = "c"} : memref<128x128xf16, #tile.space<shared>>
    tile.copy %P to %a : memref<128x128xf16, #tile.space<global>> to memref<128x128xf16, #tile.space<shared>>
    tile.copy %P to %bb : memref<128x128xf16, #tile.space<global>> to memref<128x128xf16, #tile.space<shared>>
    tile.copy %P to %c : memref<128x128xf16, #tile.space<global>> to memref<128x128xf16, #tile.space<shared>>
    tile.copy %a to %P : memref<128x128xf16, #tile.space<shared>> to memref<128x128xf16, #tile.space<global>>
    tile.copy %bb to %P : memref<128x128xf16, #tile.space<shared>> to memref<128x128xf16, #tile.space<global>>
    tile.copy %c to %P : memref<128x128xf16, #tile.space<shared>> to memref<128x128xf16, #tile.space<global>>
  }
}
