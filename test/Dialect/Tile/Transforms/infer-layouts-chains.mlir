// RUN: tlc-opt %s --tile-infer-layouts --split-input-file 2>&1 | FileCheck %s

// The first product's result becomes the second's A. The default policy leaves
// it open who has what: wavefronts take rows, and the result stays where it is.
// CHECK: remark: wavefronts take rows of the result here
// CHECK-LABEL: tile.func @chain
// CHECK: tile.gemm {{.*}} {mfma = array<i64: 32, 32, 8, 4, 1, 1>{{.*}}trans_b}
// CHECK: tile.gemm {{.*}} {mfma = array<i64: 32, 32, 8, 4, 1, 1>
// CHECK-NOT: converted
tile.func @chain(%q: !tile.ptr<f16>, %k: !tile.ptr<f16>, %v: !tile.ptr<f16>, %o: !tile.ptr<f16>) {
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
      tile.gemm %Qs, %Ks into %S {trans_b} : memref<128x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<128x64xf32, #tile.space<fragment>>
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
      tile.gemm %P, %Vs into %acc : memref<128x64xf16, #tile.space<fragment>>, memref<64x64xf16, #tile.space<shared>> into memref<128x64xf32, #tile.space<fragment>>
    } {tile.num_stages = 1 : i64}
    tile.copy %acc to %O : memref<128x64xf32, #tile.space<fragment>> to memref<128x64xf16, #tile.space<global>>
  }
}

// -----

// Columns that the program asks for stay.
// CHECK-NOT: wavefronts take rows
// CHECK-LABEL: tile.func @asked
// CHECK: tile.gemm {{.*}} {mfma = array<i64: 16, 16, 16, 1, 4, 1>, policy = #tile.policy<full_col>, trans_b}
tile.func @asked(%q: !tile.ptr<f16>, %k: !tile.ptr<f16>, %v: !tile.ptr<f16>, %o: !tile.ptr<f16>) {
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
      tile.gemm %Qs, %Ks into %S {trans_b, policy = #tile.policy<full_col>} : memref<128x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<128x64xf32, #tile.space<fragment>>
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
      tile.gemm %P, %Vs into %acc {policy = #tile.policy<full_col>} : memref<128x64xf16, #tile.space<fragment>>, memref<64x64xf16, #tile.space<shared>> into memref<128x64xf32, #tile.space<fragment>>
    } {tile.num_stages = 1 : i64}
    tile.copy %acc to %O : memref<128x64xf32, #tile.space<fragment>> to memref<128x64xf16, #tile.space<global>>
  }
}

// -----

// Two wavefronts' worth of rows, for four.
// CHECK-NOT: wavefronts take rows
// CHECK-LABEL: tile.func @few_rows
// CHECK: tile.gemm {{.*}}trans_b}
tile.func @few_rows(%q: !tile.ptr<f16>, %k: !tile.ptr<f16>, %v: !tile.ptr<f16>, %o: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %Q = tile.tensor %q {name = "Q"} : !tile.ptr<f16> -> memref<32x64xf16, #tile.space<global>>
  %K = tile.tensor %k {name = "K"} : !tile.ptr<f16> -> memref<512x64xf16, #tile.space<global>>
  %V = tile.tensor %v {name = "V"} : !tile.ptr<f16> -> memref<512x64xf16, #tile.space<global>>
  %O = tile.tensor %o {name = "O"} : !tile.ptr<f16> -> memref<32x64xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[256] (%b) {
    %c0 = arith.constant 0 : i32
    %step = arith.constant 1 : i32
    %steps = arith.constant 8 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant 0.0 : f32
    %Qs = tile.alloc {name = "Q_shared"} : memref<32x64xf16, #tile.space<shared>>
    %Ks = tile.alloc {name = "K_shared"} : memref<64x64xf16, #tile.space<shared>>
    %Vs = tile.alloc {name = "V_shared"} : memref<64x64xf16, #tile.space<shared>>
    %S = tile.alloc {name = "S"} : memref<32x64xf32, #tile.space<fragment>>
    %P = tile.alloc {name = "P"} : memref<32x64xf16, #tile.space<fragment>>
    %m = tile.alloc {name = "m"} : memref<32xf32, #tile.space<fragment>>
    %acc = tile.alloc {name = "acc"} : memref<32x64xf32, #tile.space<fragment>>
    tile.copy %Q to %Qs : memref<32x64xf16, #tile.space<global>> to memref<32x64xf16, #tile.space<shared>>
    tile.fill %acc, %zero : memref<32x64xf32, #tile.space<fragment>>, f32
    scf.for %i = %c0 to %steps step %step : i32 {
      %at = arith.muli %i, %c64 : i32
      %kv = tile.view %K[%at, %c0 : i32, i32] : memref<512x64xf16, #tile.space<global>> to memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %kv to %Ks : memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.fill %S, %zero : memref<32x64xf32, #tile.space<fragment>>, f32
      tile.gemm %Qs, %Ks into %S {trans_b} : memref<32x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<32x64xf32, #tile.space<fragment>>
      tile.reduce #tile.reduce_kind<max> %S into %m dim 1 : memref<32x64xf32, #tile.space<fragment>> into memref<32xf32, #tile.space<fragment>>
      tile.parallel (%x, %y) = [32, 64] {
        %s = tile.load %S[%x, %y : i32, i32] : memref<32x64xf32, #tile.space<fragment>> -> f32
        %r = tile.load %m[%x : i32] : memref<32xf32, #tile.space<fragment>> -> f32
        %d = arith.subf %s, %r : f32
        %e = math.exp2 %d : f32
        tile.store %e, %S[%x, %y : i32, i32] : f32, memref<32x64xf32, #tile.space<fragment>>
      }
      tile.copy %S to %P : memref<32x64xf32, #tile.space<fragment>> to memref<32x64xf16, #tile.space<fragment>>
      %vv = tile.view %V[%at, %c0 : i32, i32] : memref<512x64xf16, #tile.space<global>> to memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %vv to %Vs : memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.gemm %P, %Vs into %acc : memref<32x64xf16, #tile.space<fragment>>, memref<64x64xf16, #tile.space<shared>> into memref<32x64xf32, #tile.space<fragment>>
    } {tile.num_stages = 1 : i64}
    tile.copy %acc to %O : memref<32x64xf32, #tile.space<fragment>> to memref<32x64xf16, #tile.space<global>>
  }
}
