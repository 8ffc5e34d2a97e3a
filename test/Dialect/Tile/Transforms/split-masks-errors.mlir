// RUN: tlc-opt %s --split-input-file --verify-diagnostics --tile-split-masks -o - | FileCheck %s

// What is not understood stays as it is.

// CHECK-COUNT-6: scf.for
// CHECK-NOT: scf.for

tile.func @product(%q: !tile.ptr<f16>, %n: i32 {tile.role = "scalar"}) {
  %g = arith.constant 4 : i32
  %Q = tile.tensor %q : !tile.ptr<f16> -> memref<1024x64xf16, #tile.space<global>>
  tile.kernel grid(%g) threads[256] (%x) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %c128 = arith.constant 128 : i32
    %end = arith.constant 16 : i32
    %zero = arith.constant 0.0 : f32
    %inf = arith.constant 0xFF800000 : f32
    %Qs = tile.alloc {name = "Q"} : memref<128x64xf16, #tile.space<fragment>>
    %Ks = tile.alloc {name = "K"} : memref<64x64xf16, #tile.space<shared>>
    %S = tile.alloc {name = "S"} : memref<128x64xf32, #tile.space<fragment>>
    %first = arith.muli %x, %c128 : i32
    // expected-remark @below {{not split at its masks: a mask is not affine}}
    scf.for %k = %c0 to %end step %c1 : i32 {
      %o = arith.muli %k, %c64 : i32
      %v = tile.view %Q[%o, %c0 : i32, i32] : memref<1024x64xf16, #tile.space<global>> to memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %v to %Ks : memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.parallel (%i, %j) = [128, 64] {
        %key = arith.muli %k, %k : i32
        %m = arith.cmpi sle, %key, %j : i32
        %s = arith.select %m, %zero, %inf : f32
        tile.store %s, %S[%i, %j : i32, i32] : f32, memref<128x64xf32, #tile.space<fragment>>
      }
      tile.gemm %Qs, %Ks into %S {trans_b} : memref<128x64xf16, #tile.space<fragment>>, memref<64x64xf16, #tile.space<shared>> into memref<128x64xf32, #tile.space<fragment>>
    } {tile.num_stages = 1 : i64}
  }
}

// -----

tile.func @window(%q: !tile.ptr<f16>, %n: i32 {tile.role = "scalar"}) {
  %g = arith.constant 4 : i32
  %Q = tile.tensor %q : !tile.ptr<f16> -> memref<1024x64xf16, #tile.space<global>>
  tile.kernel grid(%g) threads[256] (%x) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %c128 = arith.constant 128 : i32
    %end = arith.constant 16 : i32
    %zero = arith.constant 0.0 : f32
    %inf = arith.constant 0xFF800000 : f32
    %Qs = tile.alloc {name = "Q"} : memref<128x64xf16, #tile.space<fragment>>
    %Ks = tile.alloc {name = "K"} : memref<64x64xf16, #tile.space<shared>>
    %S = tile.alloc {name = "S"} : memref<128x64xf32, #tile.space<fragment>>
    %first = arith.muli %x, %c128 : i32
    // expected-remark @below {{not split at its masks: a mask opens as the loop proceeds}}
    scf.for %k = %c0 to %end step %c1 : i32 {
      %o = arith.muli %k, %c64 : i32
      %v = tile.view %Q[%o, %c0 : i32, i32] : memref<1024x64xf16, #tile.space<global>> to memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %v to %Ks : memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.parallel (%i, %j) = [128, 64] {
        %c256 = arith.constant 256 : i32
        %key = arith.addi %o, %j : i32
        %low = arith.subi %first, %c256 : i32
        %m = arith.cmpi sge, %key, %low : i32
        %s = arith.select %m, %zero, %inf : f32
        tile.store %s, %S[%i, %j : i32, i32] : f32, memref<128x64xf32, #tile.space<fragment>>
      }
      tile.gemm %Qs, %Ks into %S {trans_b} : memref<128x64xf16, #tile.space<fragment>>, memref<64x64xf16, #tile.space<shared>> into memref<128x64xf32, #tile.space<fragment>>
    } {tile.num_stages = 1 : i64}
  }
}

// -----

// True everywhere but in one place: neither a beginning nor an end.
tile.func @hole(%q: !tile.ptr<f16>, %n: i32 {tile.role = "scalar"}) {
  %g = arith.constant 4 : i32
  %Q = tile.tensor %q : !tile.ptr<f16> -> memref<1024x64xf16, #tile.space<global>>
  tile.kernel grid(%g) threads[256] (%x) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %c128 = arith.constant 128 : i32
    %end = arith.constant 16 : i32
    %zero = arith.constant 0.0 : f32
    %inf = arith.constant 0xFF800000 : f32
    %Qs = tile.alloc {name = "Q"} : memref<128x64xf16, #tile.space<fragment>>
    %Ks = tile.alloc {name = "K"} : memref<64x64xf16, #tile.space<shared>>
    %S = tile.alloc {name = "S"} : memref<128x64xf32, #tile.space<fragment>>
    %first = arith.muli %x, %c128 : i32
    // expected-remark @below {{not split at its masks: a mask is not affine}}
    scf.for %k = %c0 to %end step %c1 : i32 {
      %o = arith.muli %k, %c64 : i32
      %v = tile.view %Q[%o, %c0 : i32, i32] : memref<1024x64xf16, #tile.space<global>> to memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %v to %Ks : memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.parallel (%i, %j) = [128, 64] {
        %key = arith.addi %o, %j : i32
        %m = arith.cmpi ne, %key, %first : i32
        %s = arith.select %m, %zero, %inf : f32
        tile.store %s, %S[%i, %j : i32, i32] : f32, memref<128x64xf32, #tile.space<fragment>>
      }
      tile.gemm %Qs, %Ks into %S {trans_b} : memref<128x64xf16, #tile.space<fragment>>, memref<64x64xf16, #tile.space<shared>> into memref<128x64xf32, #tile.space<fragment>>
    } {tile.num_stages = 1 : i64}
  }
}

// -----

// Either bound suffices: the split would need both.
tile.func @either(%q: !tile.ptr<f16>, %n: i32 {tile.role = "scalar"}) {
  %g = arith.constant 4 : i32
  %Q = tile.tensor %q : !tile.ptr<f16> -> memref<1024x64xf16, #tile.space<global>>
  tile.kernel grid(%g) threads[256] (%x) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %c128 = arith.constant 128 : i32
    %end = arith.constant 16 : i32
    %zero = arith.constant 0.0 : f32
    %inf = arith.constant 0xFF800000 : f32
    %Qs = tile.alloc {name = "Q"} : memref<128x64xf16, #tile.space<fragment>>
    %Ks = tile.alloc {name = "K"} : memref<64x64xf16, #tile.space<shared>>
    %S = tile.alloc {name = "S"} : memref<128x64xf32, #tile.space<fragment>>
    %first = arith.muli %x, %c128 : i32
    // expected-remark @below {{not split at its masks: a mask is not affine}}
    scf.for %k = %c0 to %end step %c1 : i32 {
      %o = arith.muli %k, %c64 : i32
      %v = tile.view %Q[%o, %c0 : i32, i32] : memref<1024x64xf16, #tile.space<global>> to memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %v to %Ks : memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.parallel (%i, %j) = [128, 64] {
        %c999 = arith.constant 999 : i32
        %key = arith.addi %o, %j : i32
        %lim = arith.maxsi %first, %c999 : i32
        %m = arith.cmpi sle, %key, %lim : i32
        %s = arith.select %m, %zero, %inf : f32
        tile.store %s, %S[%i, %j : i32, i32] : f32, memref<128x64xf32, #tile.space<fragment>>
      }
      tile.gemm %Qs, %Ks into %S {trans_b} : memref<128x64xf16, #tile.space<fragment>>, memref<64x64xf16, #tile.space<shared>> into memref<128x64xf32, #tile.space<fragment>>
    } {tile.num_stages = 1 : i64}
  }
}

// -----

// Every block is masked: nothing to gain, nothing to say.
tile.func @always(%q: !tile.ptr<f16>, %n: i32 {tile.role = "scalar"}) {
  %g = arith.constant 4 : i32
  %Q = tile.tensor %q : !tile.ptr<f16> -> memref<1024x64xf16, #tile.space<global>>
  tile.kernel grid(%g) threads[256] (%x) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %c128 = arith.constant 128 : i32
    %end = arith.constant 16 : i32
    %zero = arith.constant 0.0 : f32
    %inf = arith.constant 0xFF800000 : f32
    %Qs = tile.alloc {name = "Q"} : memref<128x64xf16, #tile.space<fragment>>
    %Ks = tile.alloc {name = "K"} : memref<64x64xf16, #tile.space<shared>>
    %S = tile.alloc {name = "S"} : memref<128x64xf32, #tile.space<fragment>>
    %first = arith.muli %x, %c128 : i32
    scf.for %k = %c0 to %end step %c1 : i32 {
      %o = arith.muli %k, %c64 : i32
      %v = tile.view %Q[%o, %c0 : i32, i32] : memref<1024x64xf16, #tile.space<global>> to memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %v to %Ks : memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.parallel (%i, %j) = [128, 64] {
        %c8 = arith.constant 8 : i32
        %key = arith.addi %o, %j : i32
        %m = arith.cmpi slt, %key, %c8 : i32
        %s = arith.select %m, %zero, %inf : f32
        tile.store %s, %S[%i, %j : i32, i32] : f32, memref<128x64xf32, #tile.space<fragment>>
      }
      tile.gemm %Qs, %Ks into %S {trans_b} : memref<128x64xf16, #tile.space<fragment>>, memref<64x64xf16, #tile.space<shared>> into memref<128x64xf32, #tile.space<fragment>>
    } {tile.num_stages = 1 : i64}
  }
}

// -----

// No matrix product: the loop is bound by memory.
tile.func @copy(%q: !tile.ptr<f16>, %n: i32 {tile.role = "scalar"}) {
  %g = arith.constant 4 : i32
  %Q = tile.tensor %q : !tile.ptr<f16> -> memref<1024x64xf16, #tile.space<global>>
  tile.kernel grid(%g) threads[256] (%x) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %c128 = arith.constant 128 : i32
    %end = arith.constant 16 : i32
    %zero = arith.constant 0.0 : f32
    %inf = arith.constant 0xFF800000 : f32
    %Qs = tile.alloc {name = "Q"} : memref<128x64xf16, #tile.space<fragment>>
    %Ks = tile.alloc {name = "K"} : memref<64x64xf16, #tile.space<shared>>
    %S = tile.alloc {name = "S"} : memref<128x64xf32, #tile.space<fragment>>
    %first = arith.muli %x, %c128 : i32
    scf.for %k = %c0 to %end step %c1 : i32 {
      %o = arith.muli %k, %c64 : i32
      %v = tile.view %Q[%o, %c0 : i32, i32] : memref<1024x64xf16, #tile.space<global>> to memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %v to %Ks : memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.parallel (%i, %j) = [128, 64] {
        %key = arith.addi %o, %j : i32
        %row = arith.addi %first, %i : i32
        %m = arith.cmpi sle, %key, %row : i32
        %s = arith.select %m, %zero, %inf : f32
        tile.store %s, %S[%i, %j : i32, i32] : f32, memref<128x64xf32, #tile.space<fragment>>
      }
    } {tile.num_stages = 1 : i64}
  }
}
