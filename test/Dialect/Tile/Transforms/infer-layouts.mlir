// RUN: tlc-opt %s --tile-infer-layouts --split-input-file | FileCheck %s

// Attention in small: S = Q K^T, P = exp2(S - max), acc += P V. The result of
// the first gemm feeds the second where it is, a query row in a lane.

// CHECK-LABEL: tile.func @attention
// CHECK: %[[S:.+]] = tile.alloc {layout = #tile.layout<[32:t1, 4:t64], [4:r1, 2:t32, 4:r4, 2:r16]>, name = "S"}
// CHECK: tile.alloc {layout = #tile.layout<[32:t1, 4:t64], [4:r1, 2:t32, 4:r4, 2:r16]>, name = "P"}
// A reduction's result is its source without the dimension.
// CHECK: tile.alloc {layout = #tile.layout<[32:t1, 4:t64]>, name = "m"}
// CHECK: tile.gemm {{.*}} into %[[S]] {mfma = array<i64: 32, 32, 8, 4, 1, 1>
// CHECK: tile.parallel {{.*}} attributes {layout = #tile.layout<[32:t1, 4:t64], [4:r1, 2:t32, 4:r4, 2:r16]>}
// V is key-major in memory and key-contiguous in LDS: a thread takes a block
// of four keys.
// CHECK: tile.copy {{.*}} {layout = #tile.layout<[4:r4, 2:t32, 2:t8, 4:t64], [4:r1, 8:t1, 2:t16]>}
// CHECK-NOT: converted
tile.func @attention(%q: !tile.ptr<f16>, %k: !tile.ptr<f16>, %v: !tile.ptr<f16>, %o: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %Q = tile.tensor %q {name = "Q"} : !tile.ptr<f16> -> memref<128x64xf16, #tile.space<global>>
  %K = tile.tensor %k {name = "K"} : !tile.ptr<f16> -> memref<512x64xf16, #tile.space<global>>
  %V = tile.tensor %v {name = "V"} : !tile.ptr<f16> -> memref<512x64xf16, #tile.space<global>>
  %O = tile.tensor %o {name = "O"} : !tile.ptr<f16> -> memref<128x64xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[256] (%b) {
    %c0 = arith.constant 0 : i32
    %step = arith.constant 1 : i32
    %steps = arith.constant 8 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant 0.0 : f32
    %Qs = tile.alloc {name = "Q_shared"} : memref<128x64xf16, #tile.space<shared>>
    %Ks = tile.alloc {name = "K_shared"} : memref<64x64xf16, #tile.space<shared>>
    %Vs = tile.alloc {name = "V_shared"} : memref<64x64xf16, #tile.space<shared>>
    %S = tile.alloc {name = "S"} : memref<128x64xf32, #tile.space<fragment>>
    %P = tile.alloc {name = "P"} : memref<128x64xf16, #tile.space<fragment>>
    %m = tile.alloc {name = "m"} : memref<128xf32, #tile.space<fragment>>
    %acc = tile.alloc {name = "acc"} : memref<128x64xf32, #tile.space<fragment>>
    tile.copy %Q to %Qs : memref<128x64xf16, #tile.space<global>> to memref<128x64xf16, #tile.space<shared>>
    tile.fill %acc, %zero : memref<128x64xf32, #tile.space<fragment>>, f32
    scf.for %i = %c0 to %steps step %step : i32 {
      %at = arith.muli %i, %c64 : i32
      %kv = tile.view %K[%at, %c0 : i32, i32] : memref<512x64xf16, #tile.space<global>> to memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %kv to %Ks : memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.fill %S, %zero : memref<128x64xf32, #tile.space<fragment>>, f32
      tile.gemm %Qs, %Ks into %S {trans_b, policy = #tile.policy<full_row>} : memref<128x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<128x64xf32, #tile.space<fragment>>
      tile.reduce #tile.reduce_kind<max> %S into %m dim 1 : memref<128x64xf32, #tile.space<fragment>> into memref<128xf32, #tile.space<fragment>>
      tile.parallel (%x, %y) = [128, 64] {
        %s = tile.load %S[%x, %y : i32, i32] : memref<128x64xf32, #tile.space<fragment>> -> f32
        %r = tile.load %m[%x : i32] : memref<128xf32, #tile.space<fragment>> -> f32
        %d = arith.subf %s, %r : f32
        %e = math.exp2 %d : f32
        tile.store %e, %S[%x, %y : i32, i32] : f32, memref<128x64xf32, #tile.space<fragment>>
      }
      tile.copy %S to %P : memref<128x64xf32, #tile.space<fragment>> to memref<128x64xf16, #tile.space<fragment>>
      %vv = tile.view %V[%at, %c0 : i32, i32] : memref<512x64xf16, #tile.space<global>> to memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %vv to %Vs : memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.gemm %P, %Vs into %acc {policy = #tile.policy<full_row>} : memref<128x64xf16, #tile.space<fragment>>, memref<64x64xf16, #tile.space<shared>> into memref<128x64xf32, #tile.space<fragment>>
    } {tile.num_stages = 1 : i64}
    tile.copy %acc to %O : memref<128x64xf32, #tile.space<fragment>> to memref<128x64xf16, #tile.space<global>>
  }
}

// -----

// A row of 1024 spans the workgroup; its reduction needs a place to meet.
// CHECK-LABEL: tile.func @row
// CHECK: tile.alloc {name = "s.scratch"} : memref<4x1xf32, #tile.space<shared>>
// CHECK: tile.alloc {layout = #tile.layout<[], [4:r1, 64:t1, 4:t64]>, name = "x"}
// CHECK: tile.reduce {{.*}} scratch(
tile.func @row(%a: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %A = tile.tensor %a {name = "A"} : !tile.ptr<f32> -> memref<1x1024xf32, #tile.space<global>>
  tile.kernel grid(%c1) threads[256] (%b) {
    %x = tile.alloc {name = "x"} : memref<1x1024xf32, #tile.space<fragment>>
    %s = tile.alloc {name = "s"} : memref<1xf32, #tile.space<fragment>>
    tile.copy %A to %x : memref<1x1024xf32, #tile.space<global>> to memref<1x1024xf32, #tile.space<fragment>>
    tile.reduce #tile.reduce_kind<sum> %x into %s dim 1 : memref<1x1024xf32, #tile.space<fragment>> into memref<1xf32, #tile.space<fragment>>
  }
}

// -----

// Rows enough: each is reduced within one wavefront.
// CHECK-LABEL: tile.func @rows
// CHECK: tile.alloc {layout = #tile.layout<[4:t64, 2:r4], [4:r1, 64:t1]>, name = "x"}
// CHECK-NOT: scratch
tile.func @rows(%a: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %A = tile.tensor %a {name = "A"} : !tile.ptr<f32> -> memref<8x256xf32, #tile.space<global>>
  tile.kernel grid(%c1) threads[256] (%b) {
    %x = tile.alloc {name = "x"} : memref<8x256xf32, #tile.space<fragment>>
    %s = tile.alloc {name = "s"} : memref<8xf32, #tile.space<fragment>>
    tile.copy %A to %x : memref<8x256xf32, #tile.space<global>> to memref<8x256xf32, #tile.space<fragment>>
    tile.reduce #tile.reduce_kind<sum> %x into %s dim 1 : memref<8x256xf32, #tile.space<fragment>> into memref<8xf32, #tile.space<fragment>>
  }
}

// -----

// A fragment read backwards: no thread holds what it needs, so it goes through
// LDS instead of being refused.
// CHECK-LABEL: tile.func @reversed
// CHECK: %[[T:.+]] = tile.alloc {name = "x.converted"} : memref<256xf32, #tile.space<shared>>
// CHECK: tile.copy %{{.+}} to %[[T]]
// CHECK: tile.parallel
// CHECK: tile.load %[[T]]
tile.func @reversed(%a: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %A = tile.tensor %a {name = "A"} : !tile.ptr<f32> -> memref<256xf32, #tile.space<global>>
  tile.kernel grid(%c1) threads[256] (%b) {
    %c255 = arith.constant 255 : i32
    %x = tile.alloc {name = "x"} : memref<256xf32, #tile.space<fragment>>
    %y = tile.alloc {name = "y"} : memref<256xf32, #tile.space<fragment>>
    tile.copy %A to %x : memref<256xf32, #tile.space<global>> to memref<256xf32, #tile.space<fragment>>
    tile.parallel (%i) = [256] {
      %j = arith.subi %c255, %i : i32
      %v = tile.load %x[%j : i32] : memref<256xf32, #tile.space<fragment>> -> f32
      tile.store %v, %y[%i : i32] : f32, memref<256xf32, #tile.space<fragment>>
    }
    tile.copy %y to %A : memref<256xf32, #tile.space<fragment>> to memref<256xf32, #tile.space<global>>
  }
}

// -----

// What the program gives stands: a fragment's layout, from which others follow,
// and a loop's, which the fragment then does not serve as it is.

// CHECK-LABEL: tile.func @given
// CHECK-DAG: tile.alloc {layout = #tile.layout<[64:t1], [32:r1]>, name = "x"}
// CHECK-DAG: tile.alloc {layout = #tile.layout<[64:t1]>, name = "m"}
// CHECK: tile.parallel {{.*}} attributes {layout = #tile.layout<[2:t32, 32:r1], [32:t1]>
tile.func @given(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %A = tile.tensor %a : !tile.ptr<f32> -> memref<64x32xf32, #tile.space<global>>
  %B = tile.tensor %b : !tile.ptr<f32> -> memref<64x32xf32, #tile.space<global>>
  tile.kernel grid(%c1) threads[64] (%g) {
    %x = tile.alloc {layout = #tile.layout<[64:t1], [32:r1]>, name = "x"} : memref<64x32xf32, #tile.space<fragment>>
    %m = tile.alloc {name = "m"} : memref<64xf32, #tile.space<fragment>>
    tile.copy %A to %x : memref<64x32xf32, #tile.space<global>> to memref<64x32xf32, #tile.space<fragment>>
    tile.reduce #tile.reduce_kind<max> %x into %m dim 1 : memref<64x32xf32, #tile.space<fragment>> into memref<64xf32, #tile.space<fragment>>
    tile.parallel (%i, %j) = [64, 32] attributes {tile.loop_layout = #tile.layout<[2:t32, 32:r1], [32:t1]>} {
      %v = tile.load %x[%i, %j : i32, i32] : memref<64x32xf32, #tile.space<fragment>> -> f32
      %w = tile.load %m[%i : i32] : memref<64xf32, #tile.space<fragment>> -> f32
      %s = arith.subf %v, %w : f32
      tile.store %s, %B[%i, %j : i32, i32] : f32, memref<64x32xf32, #tile.space<global>>
    }
  }
}

// -----

// A part of a fragment says nothing about the fragment that it is copied to:
// turned digits are for the loop only.
// CHECK-LABEL: @part
tile.func @part(%n: i32, %a: !tile.ptr<f32>, %c: !tile.ptr<f32>) {
  %A = tile.tensor %a : !tile.ptr<f32> -> memref<32x8xf32, #tile.space<global>>
  %C = tile.tensor %c : !tile.ptr<f32> -> memref<16x8xf32, #tile.space<global>>
  tile.kernel grid(%n) threads[64] (%b) {
    // CHECK-NOT: :-t
    %f = tile.alloc {layout = #tile.layout<[16:t1, 2:t16], [2:t32, 4:r1]>} : memref<32x8xf32, #tile.space<fragment>>
    %p = tile.alloc {name = "p"} : memref<16x8xf32, #tile.space<fragment>>
    %c16 = arith.constant 16 : i32
    %c0 = arith.constant 0 : i32
    tile.copy %A to %f : memref<32x8xf32, #tile.space<global>> to memref<32x8xf32, #tile.space<fragment>>
    %v = tile.view %f[%c16, %c0 : i32, i32] : memref<32x8xf32, #tile.space<fragment>> to memref<16x8xf32, strided<[?, ?], offset: ?>, #tile.space<fragment>>
    tile.copy %v to %p : memref<16x8xf32, strided<[?, ?], offset: ?>, #tile.space<fragment>> to memref<16x8xf32, #tile.space<fragment>>
    tile.copy %p to %C : memref<16x8xf32, #tile.space<fragment>> to memref<16x8xf32, #tile.space<global>>
    // CHECK: tile.yield
  }
}

// -----

// Seven blocks of 32 columns: eight lanes, then seven of eight threads, so that
// one block in eight is loaded twice, and none four times.
// CHECK-LABEL: tile.func @sevens
// CHECK: tile.copy {{.*}} {layout = #tile.layout<[4:r4, 2:t128, 2:t8, 2:t256, 2:r16], [4:r1, 8:t1, 7:t16]>}
tile.func @sevens(%p: !tile.ptr<i8>, %q: !tile.ptr<i32>) {
  %c1 = arith.constant 1 : i32
  %A = tile.tensor %p {name = "A"} : !tile.ptr<i8> -> memref<64x224xi8, #tile.space<global>>
  %O = tile.tensor %q {name = "O"} : !tile.ptr<i32> -> memref<224x224xi32, #tile.space<global>>
  tile.kernel grid(%c1) threads[512] (%b) {
    %zero = arith.constant 0 : i32
    %a = tile.alloc {name = "a"} : memref<64x224xi8, #tile.space<shared>>
    %o = tile.alloc {name = "o"} : memref<224x224xi32, #tile.space<fragment>>
    tile.copy %A to %a : memref<64x224xi8, #tile.space<global>> to memref<64x224xi8, #tile.space<shared>>
    tile.fill %o, %zero : memref<224x224xi32, #tile.space<fragment>>, i32
    tile.gemm %a, %a into %o {trans_a} : memref<64x224xi8, #tile.space<shared>>, memref<64x224xi8, #tile.space<shared>> into memref<224x224xi32, #tile.space<fragment>>
    tile.copy %o to %O : memref<224x224xi32, #tile.space<fragment>> to memref<224x224xi32, #tile.space<global>>
  }
}
