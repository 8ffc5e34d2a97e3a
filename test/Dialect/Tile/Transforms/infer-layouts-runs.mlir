// RUN: tlc-opt %s --tile-infer-layouts --tile-swizzle-lds --split-input-file | FileCheck %s
// RUN: tlc-opt %s --tile-infer-layouts --tile-swizzle-lds --tile-fit-lds --tile-insert-sync --convert-tile-to-wave --canonicalize --cse --split-input-file | FileCheck %s --check-prefix=WAVE

// A tile that one product reads along its rows and another across them keeps
// its rows. The second takes four neighbouring columns to a lane, and its
// result has them in four accumulators.

// CHECK-LABEL: tile.func @both
// CHECK: tile.alloc {layout = #tile.layout<[64:m128], [128:m1], xor(7, 7, 3)>, name = "a"}
// CHECK: tile.alloc {layout = #tile.layout<[32:t1, 2:t64], [4:r16, 4:r1, 2:t32, 4:r4]>, name = "o"}
// CHECK: tile.gemm {{.*}} {mfma = array<i64: 32, 32, 8, 2, 1, 1>, {{.*}}trans_b}
// CHECK: tile.gemm {{.*}} {mfma = array<i64: 32, 32, 8, 2, 1, 1, 1, 4>
// The operand of one instruction comes of four reads, a row of k each.
// WAVE-LABEL: wave.kernel @both
// WAVE: %[[S:.+]] = wave.mfma [32, 32, 8]
// WAVE-COUNT-32: wave.lds_load {{.*}} : vector<4xf16>
// WAVE-NOT: wave.lds_load
// WAVE: %[[X:.+]] = vector.extract %{{.+}}[0] : f16 from vector<4xf16>
// WAVE: vector.from_elements %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} : vector<4xf16>
// WAVE: wave.mfma [32, 32, 8]
tile.func @both(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %A = tile.tensor %p {name = "A"} : !tile.ptr<f16> -> memref<64x128xf16, #tile.space<global>>
  %O = tile.tensor %q {name = "O"} : !tile.ptr<f32> -> memref<64x128xf32, #tile.space<global>>
  tile.kernel grid(%c1) threads[128] (%b) {
    %zero = arith.constant 0.0 : f32
    %a = tile.alloc {name = "a"} : memref<64x128xf16, #tile.space<shared>>
    %s = tile.alloc {name = "s"} : memref<64x64xf32, #tile.space<fragment>>
    %p16 = tile.alloc {name = "p"} : memref<64x64xf16, #tile.space<fragment>>
    %o = tile.alloc {name = "o"} : memref<64x128xf32, #tile.space<fragment>>
    tile.fill %o, %zero : memref<64x128xf32, #tile.space<fragment>>, f32
    tile.fill %s, %zero : memref<64x64xf32, #tile.space<fragment>>, f32
    tile.copy %A to %a : memref<64x128xf16, #tile.space<global>> to memref<64x128xf16, #tile.space<shared>>
    tile.gemm %a, %a into %s {policy = #tile.policy<full_row>, trans_b} : memref<64x128xf16, #tile.space<shared>>, memref<64x128xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
    tile.copy %s to %p16 : memref<64x64xf32, #tile.space<fragment>> to memref<64x64xf16, #tile.space<fragment>>
    tile.gemm %p16, %a into %o {policy = #tile.policy<full_row>} : memref<64x64xf16, #tile.space<fragment>>, memref<64x128xf16, #tile.space<shared>> into memref<64x128xf32, #tile.space<fragment>>
    tile.copy %o to %O : memref<64x128xf32, #tile.space<fragment>> to memref<64x128xf32, #tile.space<global>>
  }
}

// -----

// Copies from memory alone fill this one: they transpose it on the way, and the
// product reads along k.

// CHECK-LABEL: tile.func @filled
// CHECK: tile.gemm {{.*}} {mfma = array<i64: 32, 32, 8, 1, 2, 1>}
// WAVE-LABEL: wave.kernel @filled
// WAVE: wave.lds_load {{.*}} : vector<8xf16>
tile.func @filled(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %A = tile.tensor %p {name = "A"} : !tile.ptr<f16> -> memref<32x64xf16, #tile.space<global>>
  %B = tile.tensor %p {name = "B"} : !tile.ptr<f16> -> memref<64x256xf16, #tile.space<global>>
  %O = tile.tensor %q {name = "O"} : !tile.ptr<f32> -> memref<32x256xf32, #tile.space<global>>
  tile.kernel grid(%c1) threads[128] (%g) {
    %zero = arith.constant 0.0 : f32
    %a = tile.alloc {name = "a"} : memref<32x64xf16, #tile.space<shared>>
    %b = tile.alloc {name = "b"} : memref<64x256xf16, #tile.space<shared>>
    %o = tile.alloc {name = "o"} : memref<32x256xf32, #tile.space<fragment>>
    tile.fill %o, %zero : memref<32x256xf32, #tile.space<fragment>>, f32
    tile.copy %A to %a : memref<32x64xf16, #tile.space<global>> to memref<32x64xf16, #tile.space<shared>>
    tile.copy %B to %b : memref<64x256xf16, #tile.space<global>> to memref<64x256xf16, #tile.space<shared>>
    tile.gemm %a, %b into %o : memref<32x64xf16, #tile.space<shared>>, memref<64x256xf16, #tile.space<shared>> into memref<32x256xf32, #tile.space<fragment>>
    tile.copy %o to %O : memref<32x256xf32, #tile.space<fragment>> to memref<32x256xf32, #tile.space<global>>
  }
}

// -----

// The result of the first product is B of the second, whose rows are the run's
// dimension: no runs. A tile of f32 has none either.

// CHECK-LABEL: tile.func @bound
// CHECK: tile.gemm {{.*}} {mfma = array<i64: 16, 16, 16, 4, 1, 0>,
// CHECK: tile.gemm {{.*}} {mfma = array<i64: 16, 16, 4, 1, 4, 1>}
tile.func @bound(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %A = tile.tensor %p {name = "A"} : !tile.ptr<f16> -> memref<64x128xf16, #tile.space<global>>
  %O = tile.tensor %q {name = "O"} : !tile.ptr<f32> -> memref<64x128xf32, #tile.space<global>>
  tile.kernel grid(%c1) threads[256] (%b) {
    %zero = arith.constant 0.0 : f32
    %a = tile.alloc {name = "a"} : memref<64x128xf16, #tile.space<shared>>
    %w = tile.alloc {name = "w"} : memref<64x64xf16, #tile.space<fragment>>
    %s = tile.alloc {name = "s"} : memref<64x128xf32, #tile.space<fragment>>
    %f = tile.alloc {name = "f"} : memref<64x64xf32, #tile.space<fragment>>
    %o = tile.alloc {name = "o"} : memref<64x128xf32, #tile.space<fragment>>
    %one = arith.constant 1.0 : f16
    tile.fill %w, %one : memref<64x64xf16, #tile.space<fragment>>, f16
    tile.fill %f, %zero : memref<64x64xf32, #tile.space<fragment>>, f32
    tile.fill %s, %zero : memref<64x128xf32, #tile.space<fragment>>, f32
    tile.fill %o, %zero : memref<64x128xf32, #tile.space<fragment>>, f32
    tile.fill %a, %one : memref<64x128xf16, #tile.space<shared>>, f16
    tile.gemm %w, %a into %s {policy = #tile.policy<full_row>} : memref<64x64xf16, #tile.space<fragment>>, memref<64x128xf16, #tile.space<shared>> into memref<64x128xf32, #tile.space<fragment>>
    tile.gemm %f, %s into %o : memref<64x64xf32, #tile.space<fragment>>, memref<64x128xf32, #tile.space<fragment>> into memref<64x128xf32, #tile.space<fragment>>
    tile.copy %o to %O : memref<64x128xf32, #tile.space<fragment>> to memref<64x128xf32, #tile.space<global>>
  }
}
