// RUN: tlc-opt %s --tile-infer-layouts --tile-swizzle-lds --tile-fit-lds --convert-tile-to-wave --canonicalize --cse | FileCheck %s

// B is k-major in memory: a thread loads four rows of it, transposes them in
// registers and writes them k-contiguous, so that one 16-byte read feeds two
// matrix instructions. The accumulator is four vectors of a lane.

// CHECK-LABEL: wave.kernel @gemm
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-4: wave.lds_store {{.*}} : vector<4xf16>
// CHECK-NOT: wave.lds_load {{.*}} : f16
// CHECK: wave.lds_load {{.*}} : vector<8xf16>
// CHECK-NOT: wave.lds_load {{.*}} : f16
// CHECK: wave.mfma [32, 32, 8]
// CHECK: scf.yield
tile.func @gemm(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %c: !tile.ptr<f32>) {
  %g = arith.constant 1 : i32
  %A = tile.tensor %a : !tile.ptr<f16> -> memref<128x128xf16, #tile.space<global>>
  %B = tile.tensor %b : !tile.ptr<f16> -> memref<128x128xf16, #tile.space<global>>
  %C = tile.tensor %c : !tile.ptr<f32> -> memref<128x128xf32, #tile.space<global>>
  tile.kernel grid(%g) threads[256] (%x) {
    %c0 = arith.constant 0 : i32
    %s = arith.constant 1 : i32
    %n = arith.constant 4 : i32
    %c32 = arith.constant 32 : i32
    %z = arith.constant 0.0 : f32
    %As = tile.alloc : memref<128x32xf16, #tile.space<shared>>
    %Bs = tile.alloc : memref<32x128xf16, #tile.space<shared>>
    %acc = tile.alloc : memref<128x128xf32, #tile.space<fragment>>
    tile.fill %acc, %z : memref<128x128xf32, #tile.space<fragment>>, f32
    scf.for %k = %c0 to %n step %s : i32 {
      %o = arith.muli %k, %c32 : i32
      %va = tile.view %A[%c0, %o : i32, i32] : memref<128x128xf16, #tile.space<global>> to memref<128x32xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      %vb = tile.view %B[%o, %c0 : i32, i32] : memref<128x128xf16, #tile.space<global>> to memref<32x128xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %va to %As : memref<128x32xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<128x32xf16, #tile.space<shared>>
      tile.copy %vb to %Bs : memref<32x128xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<32x128xf16, #tile.space<shared>>
      tile.sync
      tile.gemm %As, %Bs into %acc : memref<128x32xf16, #tile.space<shared>>, memref<32x128xf16, #tile.space<shared>> into memref<128x128xf32, #tile.space<fragment>>
      tile.sync
    }
    tile.copy %acc to %C : memref<128x128xf32, #tile.space<fragment>> to memref<128x128xf32, #tile.space<global>>
  }
}
