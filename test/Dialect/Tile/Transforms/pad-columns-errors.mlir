// RUN: tlc-opt %s --tile-pad-columns --split-input-file 2>/dev/null | FileCheck %s
// RUN: tlc-opt %s --tile-pad-columns --split-input-file 2>&1 | FileCheck %s --check-prefix=REMARK

// A sum over the columns.
// CHECK-LABEL: tile.func @reduced
// CHECK: tile.alloc : memref<32x80xf16
// CHECK: tile.alloc : memref<64x80xf32
// REMARK: remark: takes 16 x 16 instructions: its 80 columns are used elsewhere
tile.func @reduced(%v: !tile.ptr<f16>, %o: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %Vt = tile.tensor %v : !tile.ptr<f16> -> memref<32x80xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[128] (%x) {
    %c0 = arith.constant 0 : i32
    %V = tile.alloc : memref<32x80xf16, #tile.space<shared>>
    %P = tile.alloc : memref<64x32xf16, #tile.space<fragment>>
    %O = tile.alloc : memref<64x80xf32, #tile.space<fragment>>
    %vv = tile.view %Vt[%c0, %c0 : i32, i32] : memref<32x80xf16, #tile.space<global>> to memref<32x80xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
    tile.copy %vv to %V : memref<32x80xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<32x80xf16, #tile.space<shared>>
    tile.gemm %P, %V into %O : memref<64x32xf16, #tile.space<fragment>>, memref<32x80xf16, #tile.space<shared>> into memref<64x80xf32, #tile.space<fragment>>
    %r = tile.alloc : memref<64xf32, #tile.space<fragment>>
    tile.reduce <sum> %O into %r dim 1 : memref<64x80xf32, #tile.space<fragment>> into memref<64xf32, #tile.space<fragment>>
  }
  tile.yield
}

// -----

// The tensor goes on behind the columns: a store would write there.
// CHECK-LABEL: tile.func @inside
// CHECK: tile.alloc : memref<32x80xf16
// CHECK: tile.alloc : memref<64x80xf32
// REMARK: remark: takes 16 x 16 instructions: its 80 columns are used elsewhere
tile.func @inside(%v: !tile.ptr<f16>, %o: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %Vt = tile.tensor %v : !tile.ptr<f16> -> memref<32x160xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[128] (%x) {
    %c0 = arith.constant 0 : i32
    %V = tile.alloc : memref<32x80xf16, #tile.space<shared>>
    %P = tile.alloc : memref<64x32xf16, #tile.space<fragment>>
    %O = tile.alloc : memref<64x80xf32, #tile.space<fragment>>
    %vv = tile.view %Vt[%c0, %c0 : i32, i32] : memref<32x160xf16, #tile.space<global>> to memref<32x80xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
    tile.copy %vv to %V : memref<32x80xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<32x80xf16, #tile.space<shared>>
    tile.gemm %P, %V into %O : memref<64x32xf16, #tile.space<fragment>>, memref<32x80xf16, #tile.space<shared>> into memref<64x80xf32, #tile.space<fragment>>
  }
  tile.yield
}

// -----

// The column as a number.
// CHECK-LABEL: tile.func @number
// CHECK: tile.alloc : memref<32x80xf16
// CHECK: tile.alloc : memref<64x80xf32
// REMARK: remark: takes 16 x 16 instructions: its 80 columns are used elsewhere
tile.func @number(%v: !tile.ptr<f16>, %o: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %Vt = tile.tensor %v : !tile.ptr<f16> -> memref<32x80xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[128] (%x) {
    %c0 = arith.constant 0 : i32
    %V = tile.alloc : memref<32x80xf16, #tile.space<shared>>
    %P = tile.alloc : memref<64x32xf16, #tile.space<fragment>>
    %O = tile.alloc : memref<64x80xf32, #tile.space<fragment>>
    %vv = tile.view %Vt[%c0, %c0 : i32, i32] : memref<32x80xf16, #tile.space<global>> to memref<32x80xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
    tile.copy %vv to %V : memref<32x80xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<32x80xf16, #tile.space<shared>>
    tile.gemm %P, %V into %O : memref<64x32xf16, #tile.space<fragment>>, memref<32x80xf16, #tile.space<shared>> into memref<64x80xf32, #tile.space<fragment>>
    tile.parallel (%i, %j) = [64, 80] {
      %a = tile.load %O[%i, %j : i32, i32] : memref<64x80xf32, #tile.space<fragment>> -> f32
      %n = arith.sitofp %j : i32 to f32
      %s = arith.addf %a, %n : f32
      tile.store %s, %O[%i, %j : i32, i32] : f32, memref<64x80xf32, #tile.space<fragment>>
    }
  }
  tile.yield
}

// -----

// Columns that meet in one element of a row.
// CHECK-LABEL: tile.func @rows
// CHECK: tile.alloc : memref<32x80xf16
// CHECK: tile.alloc : memref<64x80xf32
// REMARK: remark: takes 16 x 16 instructions: its 80 columns are used elsewhere
tile.func @rows(%v: !tile.ptr<f16>, %o: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %Vt = tile.tensor %v : !tile.ptr<f16> -> memref<32x80xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[128] (%x) {
    %c0 = arith.constant 0 : i32
    %V = tile.alloc : memref<32x80xf16, #tile.space<shared>>
    %P = tile.alloc : memref<64x32xf16, #tile.space<fragment>>
    %O = tile.alloc : memref<64x80xf32, #tile.space<fragment>>
    %vv = tile.view %Vt[%c0, %c0 : i32, i32] : memref<32x80xf16, #tile.space<global>> to memref<32x80xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
    tile.copy %vv to %V : memref<32x80xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<32x80xf16, #tile.space<shared>>
    tile.gemm %P, %V into %O : memref<64x32xf16, #tile.space<fragment>>, memref<32x80xf16, #tile.space<shared>> into memref<64x80xf32, #tile.space<fragment>>
    %r = tile.alloc : memref<64xf32, #tile.space<fragment>>
    tile.parallel (%i, %j) = [64, 80] {
      %a = tile.load %O[%i, %j : i32, i32] : memref<64x80xf32, #tile.space<fragment>> -> f32
      tile.store %a, %r[%i : i32] : f32, memref<64xf32, #tile.space<fragment>>
    }
  }
  tile.yield
}

// -----

// An element of a column is an index.
// CHECK-LABEL: tile.func @address
// CHECK: tile.alloc : memref<32x80xf16
// CHECK: tile.alloc : memref<64x80xf32
// REMARK: remark: takes 16 x 16 instructions: its 80 columns are used elsewhere
tile.func @address(%v: !tile.ptr<f16>, %o: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %Vt = tile.tensor %v : !tile.ptr<f16> -> memref<32x80xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[128] (%x) {
    %c0 = arith.constant 0 : i32
    %V = tile.alloc : memref<32x80xf16, #tile.space<shared>>
    %P = tile.alloc : memref<64x32xf16, #tile.space<fragment>>
    %O = tile.alloc : memref<64x80xf32, #tile.space<fragment>>
    %vv = tile.view %Vt[%c0, %c0 : i32, i32] : memref<32x80xf16, #tile.space<global>> to memref<32x80xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
    tile.copy %vv to %V : memref<32x80xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<32x80xf16, #tile.space<shared>>
    tile.gemm %P, %V into %O : memref<64x32xf16, #tile.space<fragment>>, memref<32x80xf16, #tile.space<shared>> into memref<64x80xf32, #tile.space<fragment>>
    %t = tile.alloc : memref<64xf32, #tile.space<shared>>
    tile.parallel (%i, %j) = [64, 80] {
      %a = tile.load %O[%i, %j : i32, i32] : memref<64x80xf32, #tile.space<fragment>> -> f32
      %n = arith.fptosi %a : f32 to i32
      %s = tile.load %t[%n : i32] : memref<64xf32, #tile.space<shared>> -> f32
      tile.store %s, %O[%i, %j : i32, i32] : f32, memref<64x80xf32, #tile.space<fragment>>
    }
  }
  tile.yield
}

// -----

// Another product adds up over the columns.
// CHECK-LABEL: tile.func @depth
// CHECK: tile.alloc : memref<32x80xf16
// CHECK: tile.alloc : memref<64x80xf32
// REMARK: remark: takes 16 x 16 instructions: its 80 columns are used elsewhere
tile.func @depth(%v: !tile.ptr<f16>, %o: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %Vt = tile.tensor %v : !tile.ptr<f16> -> memref<32x80xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[128] (%x) {
    %c0 = arith.constant 0 : i32
    %V = tile.alloc : memref<32x80xf16, #tile.space<shared>>
    %P = tile.alloc : memref<64x32xf16, #tile.space<fragment>>
    %O = tile.alloc : memref<64x80xf32, #tile.space<fragment>>
    %vv = tile.view %Vt[%c0, %c0 : i32, i32] : memref<32x80xf16, #tile.space<global>> to memref<32x80xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
    tile.copy %vv to %V : memref<32x80xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<32x80xf16, #tile.space<shared>>
    tile.gemm %P, %V into %O : memref<64x32xf16, #tile.space<fragment>>, memref<32x80xf16, #tile.space<shared>> into memref<64x80xf32, #tile.space<fragment>>
    %W = tile.alloc : memref<80x32xf16, #tile.space<shared>>
    %R = tile.alloc : memref<32x32xf32, #tile.space<fragment>>
    tile.gemm %V, %W into %R : memref<32x80xf16, #tile.space<shared>>, memref<80x32xf16, #tile.space<shared>> into memref<32x32xf32, #tile.space<fragment>>
  }
  tile.yield
}

// -----

// The left operand comes from LDS.
// CHECK-LABEL: tile.func @shared
// CHECK: tile.alloc : memref<32x80xf16
// CHECK: tile.alloc : memref<64x80xf32
tile.func @shared(%v: !tile.ptr<f16>, %o: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %Vt = tile.tensor %v : !tile.ptr<f16> -> memref<32x80xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[128] (%x) {
    %c0 = arith.constant 0 : i32
    %V = tile.alloc : memref<32x80xf16, #tile.space<shared>>
    %P = tile.alloc : memref<64x32xf16, #tile.space<shared>>
    %O = tile.alloc : memref<64x80xf32, #tile.space<fragment>>
    %vv = tile.view %Vt[%c0, %c0 : i32, i32] : memref<32x80xf16, #tile.space<global>> to memref<32x80xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
    tile.copy %vv to %V : memref<32x80xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<32x80xf16, #tile.space<shared>>
    tile.gemm %P, %V into %O : memref<64x32xf16, #tile.space<shared>>, memref<32x80xf16, #tile.space<shared>> into memref<64x80xf32, #tile.space<fragment>>
  }
  tile.yield
}

// -----

// 32 columns instead of 16 are twice as many.
// CHECK-LABEL: tile.func @narrow
// CHECK: tile.alloc : memref<32x16xf16
// CHECK: tile.alloc : memref<64x16xf32
tile.func @narrow(%v: !tile.ptr<f16>, %o: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %Vt = tile.tensor %v : !tile.ptr<f16> -> memref<32x16xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[128] (%x) {
    %c0 = arith.constant 0 : i32
    %V = tile.alloc : memref<32x16xf16, #tile.space<shared>>
    %P = tile.alloc : memref<64x32xf16, #tile.space<fragment>>
    %O = tile.alloc : memref<64x16xf32, #tile.space<fragment>>
    %vv = tile.view %Vt[%c0, %c0 : i32, i32] : memref<32x16xf16, #tile.space<global>> to memref<32x16xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
    tile.copy %vv to %V : memref<32x16xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<32x16xf16, #tile.space<shared>>
    tile.gemm %P, %V into %O : memref<64x32xf16, #tile.space<fragment>>, memref<32x16xf16, #tile.space<shared>> into memref<64x16xf32, #tile.space<fragment>>
  }
  tile.yield
}

// -----

// 96 columns take 32 x 32 as they are.
// CHECK-LABEL: tile.func @fits
// CHECK: tile.alloc : memref<32x96xf16
// CHECK: tile.alloc : memref<64x96xf32
tile.func @fits(%v: !tile.ptr<f16>, %o: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %Vt = tile.tensor %v : !tile.ptr<f16> -> memref<32x96xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[128] (%x) {
    %c0 = arith.constant 0 : i32
    %V = tile.alloc : memref<32x96xf16, #tile.space<shared>>
    %P = tile.alloc : memref<64x32xf16, #tile.space<fragment>>
    %O = tile.alloc : memref<64x96xf32, #tile.space<fragment>>
    %vv = tile.view %Vt[%c0, %c0 : i32, i32] : memref<32x96xf16, #tile.space<global>> to memref<32x96xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
    tile.copy %vv to %V : memref<32x96xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<32x96xf16, #tile.space<shared>>
    tile.gemm %P, %V into %O : memref<64x32xf16, #tile.space<fragment>>, memref<32x96xf16, #tile.space<shared>> into memref<64x96xf32, #tile.space<fragment>>
  }
  tile.yield
}

// -----

// A wavefront has 16 rows.
// CHECK-LABEL: tile.func @waves
// CHECK: tile.alloc : memref<32x80xf16
// CHECK: tile.alloc : memref<64x80xf32
tile.func @waves(%v: !tile.ptr<f16>, %o: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %Vt = tile.tensor %v : !tile.ptr<f16> -> memref<32x80xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[256] (%x) {
    %c0 = arith.constant 0 : i32
    %V = tile.alloc : memref<32x80xf16, #tile.space<shared>>
    %P = tile.alloc : memref<64x32xf16, #tile.space<fragment>>
    %O = tile.alloc : memref<64x80xf32, #tile.space<fragment>>
    %vv = tile.view %Vt[%c0, %c0 : i32, i32] : memref<32x80xf16, #tile.space<global>> to memref<32x80xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
    tile.copy %vv to %V : memref<32x80xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<32x80xf16, #tile.space<shared>>
    tile.gemm %P, %V into %O : memref<64x32xf16, #tile.space<fragment>>, memref<32x80xf16, #tile.space<shared>> into memref<64x80xf32, #tile.space<fragment>>
  }
  tile.yield
}
