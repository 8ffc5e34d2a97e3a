// RUN: tlc-opt %s | tlc-opt | FileCheck %s
// RUN: tlc-opt %s --mlir-print-op-generic | tlc-opt | FileCheck %s

// Every op of the dialect, printed, read and printed again.
#g = #tile.space<global>
#s = #tile.space<shared>
#r = #tile.space<fragment>
#l = #tile.space<local>

// CHECK-LABEL: tile.func @every(
// CHECK-SAME: !tile.ptr<f16> {tile.name = "A"}
tile.func @every(%a: !tile.ptr<f16> {tile.name = "A"}, %b: !tile.ptr<f32>, %n: i32, %stride: i64) {
  %c1 = arith.constant 1 : i32
  // CHECK: tile.tensor %{{.*}} sizes(%{{.*}} : i32) strides(%{{.*}} : i64) {name = "A", pad = 1.000000e+00 : f16}
  %A = tile.tensor %a sizes(%n : i32) strides(%stride : i64) {name = "A", pad = 1.0 : f16} : !tile.ptr<f16> -> memref<?x64xf16, strided<[?, 1]>, #g>
  // CHECK: tile.tensor %{{.*}} : <f32> -> memref<64x64xf32, #tile.space<global>>
  %B = tile.tensor %b : !tile.ptr<f32> -> memref<64x64xf32, #g>
  // CHECK: tile.kernel grid(%{{.*}}, %{{.*}}) threads[64, 2] (%[[X:.*]], %{{.*}}) attributes {name = "k"}
  tile.kernel grid(%n, %c1) threads[64, 2] (%x, %y) attributes {name = "k"} {
    %zero = arith.constant 0.0 : f32
    // CHECK: tile.alloc {layout = #tile.layout<[64:m64], [64:m1], xor(6, 7, 3)>, lds_offset = 256 : i64, name = "s"}
    %s = tile.alloc {layout = #tile.layout<[64:m64], [64:m1], xor(6, 7, 3)>, lds_offset = 256 : i64, name = "s"} : memref<64x64xf16, #s>
    // CHECK: tile.alloc {layout = #tile.layout<[32:t1, 2:t64], [4:r1, 2:t32, 8:r4]>}
    %f = tile.alloc {layout = #tile.layout<[32:t1, 2:t64], [4:r1, 2:t32, 8:r4]>} : memref<64x64xf32, #r>
    %row = tile.alloc : memref<64xf32, #r>
    %own = tile.alloc : memref<1xi32, #l>
    // CHECK: tile.view %{{.*}}[%[[X]], %{{.*}} : i32, i32]
    %v = tile.view %A[%x, %c1 : i32, i32] : memref<?x64xf16, strided<[?, 1]>, #g> to memref<64x64xf16, strided<[?, 1], offset: ?>, #g>
    // CHECK: tile.alias %{{.*}} : memref<64x64xf16, #tile.space<shared>> to memref<4096xi16, #tile.space<shared>>
    %alias = tile.alias %s : memref<64x64xf16, #s> to memref<4096xi16, #s>
    // CHECK: tile.copy %{{.*}} to %{{.*}} {tile.prefetch}
    tile.copy %v to %s {tile.prefetch} : memref<64x64xf16, strided<[?, 1], offset: ?>, #g> to memref<64x64xf16, #s>
    // CHECK: tile.fill
    tile.fill %f, %zero : memref<64x64xf32, #r>, f32
    // CHECK: tile.gemm %{{.*}}, %{{.*}} into %{{.*}} {mfma = array<i64: 32, 32, 8, 2, 1, 1>, policy = #tile.policy<full_row>, trans_b}
    tile.gemm %s, %s into %f {trans_b, policy = #tile.policy<full_row>, mfma = array<i64: 32, 32, 8, 2, 1, 1>} : memref<64x64xf16, #s>, memref<64x64xf16, #s> into memref<64x64xf32, #r>
    // CHECK: tile.reduce <absmax> %{{.*}} into %{{.*}} dim 1 {accumulate}
    tile.reduce #tile.reduce_kind<absmax> %f into %row dim 1 {accumulate} : memref<64x64xf32, #r> into memref<64xf32, #r>
    // CHECK: tile.scan <sum> %{{.*}} into %{{.*}} dim 0
    tile.scan #tile.reduce_kind<sum> %f into %f dim 0 : memref<64x64xf32, #r> into memref<64x64xf32, #r>
    // CHECK: tile.transpose
    tile.transpose %s to %s : memref<64x64xf16, #s> to memref<64x64xf16, #s>
    // CHECK: tile.parallel (%{{.*}}, %{{.*}}) = [64, 64] attributes {layout = #tile.layout<[32:t1, 2:t64], [4:r1, 2:t32, 8:r4]>}
    tile.parallel (%i, %j) = [64, 64] attributes {layout = #tile.layout<[32:t1, 2:t64], [4:r1, 2:t32, 8:r4]>} {
      // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}} : i32, i32]
      %e = tile.load %f[%i, %j : i32, i32] : memref<64x64xf32, #r> -> f32
      // CHECK: tile.store
      tile.store %e, %B[%i, %j : i32, i32] : f32, memref<64x64xf32, #g>
      // CHECK: tile.atomic <exchange>
      %old = tile.atomic #tile.atomic_kind<exchange> %e, %B[%j, %i : i32, i32] : f32, memref<64x64xf32, #g>
    }
    // CHECK: tile.thread_id
    // CHECK: tile.thread_id {dim = 1 : i64}
    %t0 = tile.thread_id
    %t1 = tile.thread_id {dim = 1 : i64}
    // CHECK: tile.sync
    tile.sync
    // CHECK: tile.print "t", %{{.*}} : i32
    tile.print "t", %t0 : i32
    %ok = arith.cmpi eq, %t0, %t1 : i32
    // CHECK: tile.assert %{{.*}}, "same"
    tile.assert %ok, "same"
  }
}
