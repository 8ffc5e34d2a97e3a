// RUN: tlc-opt %s --split-input-file --tile-infer-layouts --tile-swizzle-lds 2>&1 | FileCheck %s

// Rows of 80 halves, read along k by the matrix core and written 16 bytes a
// lane: columns of units, where the XOR takes the unit's number.

// CHECK-NOT: keeps bank conflicts
// CHECK-LABEL: @head80
// CHECK: tile.alloc {layout = #tile.layout<[64:m8], [8:m1, 10:m512], xor(9, 7, 3)>, name = "K"}
tile.func @head80(%q: !tile.ptr<f16>, %k: !tile.ptr<f16>, %s: !tile.ptr<f32>) {
  %g = arith.constant 1 : i32
  %Q = tile.tensor %q : !tile.ptr<f16> -> memref<64x80xf16, #tile.space<global>>
  %K = tile.tensor %k : !tile.ptr<f16> -> memref<64x80xf16, #tile.space<global>>
  %S = tile.tensor %s : !tile.ptr<f32> -> memref<64x64xf32, #tile.space<global>>
  tile.kernel grid(%g) threads[128] (%x) {
    %z = arith.constant 0.0 : f32
    %Qf = tile.alloc : memref<64x80xf16, #tile.space<fragment>>
    %Ks = tile.alloc {name = "K"} : memref<64x80xf16, #tile.space<shared>>
    %acc = tile.alloc : memref<64x64xf32, #tile.space<fragment>>
    tile.fill %acc, %z : memref<64x64xf32, #tile.space<fragment>>, f32
    tile.copy %Q to %Qf : memref<64x80xf16, #tile.space<global>> to memref<64x80xf16, #tile.space<fragment>>
    tile.copy %K to %Ks : memref<64x80xf16, #tile.space<global>> to memref<64x80xf16, #tile.space<shared>>
    tile.gemm %Qf, %Ks into %acc {trans_b} : memref<64x80xf16, #tile.space<fragment>>, memref<64x80xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
    tile.copy %acc to %S : memref<64x64xf32, #tile.space<fragment>> to memref<64x64xf32, #tile.space<global>>
  }
}

// -----

// B is read across k with k = 32: the lanes that layout inference gave its copy
// conflict under every XOR; the copy is spread over other lanes, half as wide.

// CHECK-LABEL: @across
// CHECK: tile.alloc {layout = #tile.layout<{{.*}}xor({{.*}})>, name = "B"}
// CHECK: tile.copy {{.*}} {layout = #tile.layout<[4:r4, 2:t8, 4:t64], [4:r1, 8:t1, 4:t16]>} : memref<32x128xf16
tile.func @across(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %c: !tile.ptr<f32>) {
  %g = arith.constant 1 : i32
  %A = tile.tensor %a : !tile.ptr<f16> -> memref<128x32xf16, #tile.space<global>>
  %B = tile.tensor %b : !tile.ptr<f16> -> memref<32x128xf16, #tile.space<global>>
  %C = tile.tensor %c : !tile.ptr<f32> -> memref<128x128xf32, #tile.space<global>>
  tile.kernel grid(%g) threads[256] (%x) {
    %z = arith.constant 0.0 : f32
    %As = tile.alloc {name = "A"} : memref<128x32xf16, #tile.space<shared>>
    %Bs = tile.alloc {name = "B"} : memref<32x128xf16, #tile.space<shared>>
    %acc = tile.alloc : memref<128x128xf32, #tile.space<fragment>>
    tile.fill %acc, %z : memref<128x128xf32, #tile.space<fragment>>, f32
    tile.copy %A to %As : memref<128x32xf16, #tile.space<global>> to memref<128x32xf16, #tile.space<shared>>
    tile.copy %B to %Bs : memref<32x128xf16, #tile.space<global>> to memref<32x128xf16, #tile.space<shared>>
    tile.gemm %As, %Bs into %acc : memref<128x32xf16, #tile.space<shared>>, memref<32x128xf16, #tile.space<shared>> into memref<128x128xf32, #tile.space<fragment>>
    tile.copy %acc to %C : memref<128x128xf32, #tile.space<fragment>> to memref<128x128xf32, #tile.space<global>>
  }
}

// -----

// An order that the author gave stays, conflicts and all.

// CHECK-LABEL: @given
// CHECK: tile.alloc {layout = #tile.layout<[64:m64], [64:m1]>, name = "T"}
tile.func @given(%a: !tile.ptr<f16>) {
  %g = arith.constant 1 : i32
  %A = tile.tensor %a : !tile.ptr<f16> -> memref<64x64xf16, #tile.space<global>>
  tile.kernel grid(%g) threads[64] (%x) {
    %T = tile.alloc {name = "T", layout = #tile.layout<[64:m64], [64:m1]>} : memref<64x64xf16, #tile.space<shared>>
    tile.copy %A to %T : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
    tile.parallel (%i, %j) = [64, 64] {
      %v = tile.load %T[%j, %i : i32, i32] : memref<64x64xf16, #tile.space<shared>> -> f16
      tile.store %v, %A[%i, %j : i32, i32] : f16, memref<64x64xf16, #tile.space<global>>
    }
  }
}

// -----

// 48 rows by lanes that reach 64 of them: in a loop the tile has room for what
// they bring, so that its writes need no branch. Outside of loops it has not.

// CHECK-LABEL: @room
// CHECK: tile.alloc {layout = #tile.layout<[64:m64], {{.*}}>, name = "A"}
// CHECK: tile.alloc {layout = #tile.layout<[48:m64], {{.*}}>, name = "B"}
tile.func @room(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %c: !tile.ptr<f32>) {
  %g = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %four = arith.constant 4 : i32
  %A = tile.tensor %a : !tile.ptr<f16> -> memref<48x64xf16, #tile.space<global>>
  %B = tile.tensor %b : !tile.ptr<f16> -> memref<48x64xf16, #tile.space<global>>
  %C = tile.tensor %c : !tile.ptr<f32> -> memref<48x48xf32, #tile.space<global>>
  tile.kernel grid(%g) threads[512] (%x) {
    %z = arith.constant 0.0 : f32
    %As = tile.alloc {name = "A"} : memref<48x64xf16, #tile.space<shared>>
    %Bs = tile.alloc {name = "B"} : memref<48x64xf16, #tile.space<shared>>
    %acc = tile.alloc : memref<48x48xf32, #tile.space<fragment>>
    tile.fill %acc, %z : memref<48x48xf32, #tile.space<fragment>>, f32
    tile.copy %B to %Bs : memref<48x64xf16, #tile.space<global>> to memref<48x64xf16, #tile.space<shared>>
    scf.for %i = %zero to %four step %g : i32 {
      tile.copy %A to %As : memref<48x64xf16, #tile.space<global>> to memref<48x64xf16, #tile.space<shared>>
      tile.gemm %As, %Bs into %acc {trans_b} : memref<48x64xf16, #tile.space<shared>>, memref<48x64xf16, #tile.space<shared>> into memref<48x48xf32, #tile.space<fragment>>
    }
    tile.copy %acc to %C : memref<48x48xf32, #tile.space<fragment>> to memref<48x48xf32, #tile.space<global>>
  }
}
