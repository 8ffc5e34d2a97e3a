// RUN: tlc-opt %s --split-input-file --tile-split-masks -canonicalize 2>/dev/null | FileCheck %s

// A causal mask: blocks whose last key the block's first query sees need none.
// Each loop has a tile of its own in LDS.

// CHECK-LABEL: @causal
// CHECK-COUNT-2: tile.alloc {name = "K"}
// CHECK: %[[FIRST:.*]] = arith.muli %{{.*}}, %c128
// CHECK: %[[U:.*]] = arith.addi %[[FIRST]], %c1_i32
// CHECK: %[[P:.*]] = arith.maxsi %[[U]], %c0
// CHECK: %[[D:.*]] = arith.divui %[[P]], %c64
// CHECK: %[[M:.*]] = arith.minsi %[[D]], %c16
// CHECK: scf.for %{{.*}} = %c0_i32 to %[[MID:.*]] step
// CHECK-NOT: arith.cmpi
// CHECK: tile.gemm
// CHECK: tile.num_stages = 1
// CHECK: scf.for %{{.*}} = %[[MID]] to %c16_i32 step
// CHECK: arith.cmpi sle
// CHECK: tile.gemm
// CHECK: tile.num_stages = 1
tile.func @causal(%q: !tile.ptr<f16>, %n: i32 {tile.role = "scalar"}) {
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
      tile.gemm %Qs, %Ks into %S {trans_b} : memref<128x64xf16, #tile.space<fragment>>, memref<64x64xf16, #tile.space<shared>> into memref<128x64xf32, #tile.space<fragment>>
    } {tile.num_stages = 1 : i64}
  }
}

// -----

// With the number of keys in the same comparison: the lesser of both bounds,
// 15 whole blocks of the 999 keys before the last.

// CHECK-LABEL: @causal_tail
// CHECK: arith.minsi %{{.*}}, %c15_i32
// CHECK: scf.for
// CHECK-NOT: arith.cmpi
// CHECK: scf.for
// CHECK: arith.minsi
// CHECK: arith.cmpi sge
tile.func @causal_tail(%q: !tile.ptr<f16>, %n: i32 {tile.role = "scalar"}) {
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
        %c999 = arith.constant 999 : i32
        %key = arith.addi %o, %j : i32
        %row = arith.addi %first, %i : i32
        %lim = arith.minsi %row, %c999 : i32
        %m = arith.cmpi sge, %lim, %key : i32
        %s = arith.select %m, %zero, %inf : f32
        tile.store %s, %S[%i, %j : i32, i32] : f32, memref<128x64xf32, #tile.space<fragment>>
      }
      tile.gemm %Qs, %Ks into %S {trans_b} : memref<128x64xf16, #tile.space<fragment>>, memref<64x64xf16, #tile.space<shared>> into memref<128x64xf32, #tile.space<fragment>>
    } {tile.num_stages = 1 : i64}
  }
}

// -----

// A tail alone: only the last block, a loop of one step that canonicalization
// takes away.

// CHECK-LABEL: @tail
// CHECK: scf.for %{{.*}} = %c0_i32 to %c15_i32 step
// CHECK-NOT: arith.cmpi
// CHECK: tile.gemm
// CHECK-NOT: scf.for
// CHECK: arith.cmpi slt
tile.func @tail(%q: !tile.ptr<f16>, %n: i32 {tile.role = "scalar"}) {
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
        %c1000 = arith.constant 1000 : i32
        %key = arith.addi %o, %j : i32
        %m = arith.cmpi slt, %key, %c1000 : i32
        %s = arith.select %m, %zero, %inf : f32
        tile.store %s, %S[%i, %j : i32, i32] : f32, memref<128x64xf32, #tile.space<fragment>>
      }
      tile.gemm %Qs, %Ks into %S {trans_b} : memref<128x64xf16, #tile.space<fragment>>, memref<64x64xf16, #tile.space<shared>> into memref<128x64xf32, #tile.space<fragment>>
    } {tile.num_stages = 1 : i64}
  }
}

// -----

// 16 blocks of 64 are 1024 keys: the mask goes, the loop stays one.

// CHECK-LABEL: @never
// CHECK: scf.for
// CHECK-NOT: arith.cmpi
// CHECK-NOT: scf.for
// CHECK: tile.gemm
// CHECK-NOT: scf.for
tile.func @never(%q: !tile.ptr<f16>, %n: i32 {tile.role = "scalar"}) {
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
        %c1024 = arith.constant 1024 : i32
        %key = arith.addi %o, %j : i32
        %m = arith.cmpi slt, %key, %c1024 : i32
        %s = arith.select %m, %zero, %inf : f32
        tile.store %s, %S[%i, %j : i32, i32] : f32, memref<128x64xf32, #tile.space<fragment>>
      }
      tile.gemm %Qs, %Ks into %S {trans_b} : memref<128x64xf16, #tile.space<fragment>>, memref<64x64xf16, #tile.space<shared>> into memref<128x64xf32, #tile.space<fragment>>
    } {tile.num_stages = 1 : i64}
  }
}

// -----

// A length that is known only at run time.

// CHECK-LABEL: @dynamic
// CHECK-SAME: %[[N:[a-z0-9]+]]: i32
// CHECK: arith.maxsi %[[N]], %c0
// CHECK: arith.divui %{{.*}}, %c64
// CHECK: scf.for
// CHECK-NOT: arith.cmpi
// CHECK: scf.for
// CHECK: arith.cmpi slt
tile.func @dynamic(%q: !tile.ptr<f16>, %n: i32 {tile.role = "scalar"}) {
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
        %m = arith.cmpi slt, %key, %n : i32
        %s = arith.select %m, %zero, %inf : f32
        tile.store %s, %S[%i, %j : i32, i32] : f32, memref<128x64xf32, #tile.space<fragment>>
      }
      tile.gemm %Qs, %Ks into %S {trans_b} : memref<128x64xf16, #tile.space<fragment>>, memref<64x64xf16, #tile.space<shared>> into memref<128x64xf32, #tile.space<fragment>>
    } {tile.num_stages = 1 : i64}
  }
}

// -----

// The same asked the other way round: false up to the last block.

// CHECK-LABEL: @inverse_tail
// CHECK: scf.for %{{.*}} = %c0_i32 to %c15_i32 step
// CHECK-NOT: arith.cmpi
// CHECK: tile.gemm
// CHECK-NOT: scf.for
// CHECK: arith.cmpi sge
tile.func @inverse_tail(%q: !tile.ptr<f16>, %n: i32 {tile.role = "scalar"}) {
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
        %c1000 = arith.constant 1000 : i32
        %key = arith.addi %o, %j : i32
        %m = arith.cmpi sge, %key, %c1000 : i32
        %s = arith.select %m, %inf, %zero : f32
        tile.store %s, %S[%i, %j : i32, i32] : f32, memref<128x64xf32, #tile.space<fragment>>
      }
      tile.gemm %Qs, %Ks into %S {trans_b} : memref<128x64xf16, #tile.space<fragment>>, memref<64x64xf16, #tile.space<shared>> into memref<128x64xf32, #tile.space<fragment>>
    } {tile.num_stages = 1 : i64}
  }
}

// -----

// A part of the keys for each of 32 workgroups: 8192 - 256 x is at least 256,
// so that all four blocks are whole. No second loop is left, which a prefetch
// would load a tile for in vain.

// CHECK-LABEL: @whole_parts
// CHECK: scf.for
// CHECK-NOT: arith.cmpi
// CHECK-NOT: scf.for
// CHECK: tile.num_stages = 1
// CHECK-NOT: scf.for
tile.func @whole_parts(%q: !tile.ptr<f16>) {
  %g = arith.constant 32 : i32
  %Q = tile.tensor %q : !tile.ptr<f16> -> memref<8192x64xf16, #tile.space<global>>
  tile.kernel grid(%g) threads[256] (%x) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c6 = arith.constant 6 : i32
    %c63 = arith.constant 63 : i32
    %c64 = arith.constant 64 : i32
    %c256 = arith.constant 256 : i32
    %keys = arith.constant 8192 : i32
    %zero = arith.constant 0.0 : f32
    %inf = arith.constant 0xFF800000 : f32
    %Qs = tile.alloc {name = "Q"} : memref<128x64xf16, #tile.space<fragment>>
    %Ks = tile.alloc {name = "K"} : memref<64x64xf16, #tile.space<shared>>
    %S = tile.alloc {name = "S"} : memref<128x64xf32, #tile.space<fragment>>
    %first = arith.muli %x, %c256 : i32
    %rest = arith.subi %keys, %first : i32
    %length = arith.minsi %rest, %c256 : i32
    %up = arith.addi %length, %c63 : i32
    %end = arith.shrsi %up, %c6 : i32
    scf.for %k = %c0 to %end step %c1 : i32 {
      %b = arith.muli %k, %c64 : i32
      %o = arith.addi %first, %b : i32
      %v = tile.view %Q[%o, %c0 : i32, i32] : memref<8192x64xf16, #tile.space<global>> to memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %v to %Ks : memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.parallel (%i, %j) = [128, 64] {
        %key = arith.addi %o, %j : i32
        %m = arith.cmpi slt, %key, %keys : i32
        %s = arith.select %m, %zero, %inf : f32
        tile.store %s, %S[%i, %j : i32, i32] : f32, memref<128x64xf32, #tile.space<fragment>>
      }
      tile.gemm %Qs, %Ks into %S {trans_b} : memref<128x64xf16, #tile.space<fragment>>, memref<64x64xf16, #tile.space<shared>> into memref<128x64xf32, #tile.space<fragment>>
    } {tile.num_stages = 1 : i64}
  }
}
