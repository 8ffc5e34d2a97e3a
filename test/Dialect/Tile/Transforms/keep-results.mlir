// RUN: tlc-opt %s --tile-promote-operands --split-input-file --verify-diagnostics | FileCheck %s

// 40 KiB, of which 32 leave room for a second workgroup: the result comes to the
// next product in registers.
// CHECK-LABEL: @kept
// CHECK: name = "t"} : memref<64x64xf16, #tile.space<fragment>>
tile.func @kept(%p: !tile.ptr<f16>, %o: !tile.ptr<f32>, %w: i32) {
  %c0 = arith.constant 0 : i32
  %s = arith.constant 1 : i32
  %n = arith.constant 8 : i32
  %zero = arith.constant 0.0 : f32
  %Q = tile.tensor %p : !tile.ptr<f16> -> memref<64x64xf16, #tile.space<global>>
  %O = tile.tensor %o : !tile.ptr<f32> -> memref<64x64xf32, #tile.space<global>>
  tile.kernel grid(%w) threads[128] (%b) {
    %q = tile.alloc {name = "q"} : memref<64x64xf16, #tile.space<shared>>
    %k = tile.alloc {name = "k"} : memref<64x64xf16, #tile.space<shared>>
    %v = tile.alloc {name = "v"} : memref<64x64xf16, #tile.space<shared>>
    %u = tile.alloc {name = "u"} : memref<64x64xf16, #tile.space<shared>>
    // expected-remark @below {{stays in registers instead of LDS, which then holds 2 workgroups instead of 1}}
    %t = tile.alloc {name = "t"} : memref<64x64xf16, #tile.space<shared>>
    %r = tile.alloc {name = "r"} : memref<64x64xf32, #tile.space<fragment>>
    %acc = tile.alloc {name = "acc"} : memref<64x64xf32, #tile.space<fragment>>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.space<fragment>>, f32
    scf.for %i = %c0 to %n step %s : i32 {
      tile.copy %Q to %q : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.copy %Q to %k : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.copy %Q to %v : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.copy %Q to %u : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.gemm %q, %k into %r {trans_b} : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
      tile.parallel (%x, %y) = [64, 64] {
        %e = tile.load %r[%x, %y : i32, i32] : memref<64x64xf32, #tile.space<fragment>> -> f32
        %h = arith.truncf %e : f32 to f16
        tile.store %h, %t[%x, %y : i32, i32] : f16, memref<64x64xf16, #tile.space<shared>>
      }
      tile.gemm %t, %v into %acc : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
      tile.gemm %q, %u into %acc : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
    }
    tile.copy %acc to %O : memref<64x64xf32, #tile.space<fragment>> to memref<64x64xf32, #tile.space<global>>
  }
}

// -----

// One workgroup for each compute unit at most: no other one would come.
// CHECK-LABEL: @small_grid
// CHECK: name = "t"} : memref<64x64xf16, #tile.space<shared>>
tile.func @small_grid(%p: !tile.ptr<f16>, %o: !tile.ptr<f32>, %w: i32) {
  %c0 = arith.constant 0 : i32
  %s = arith.constant 1 : i32
  %n = arith.constant 8 : i32
  %zero = arith.constant 0.0 : f32
  %Q = tile.tensor %p : !tile.ptr<f16> -> memref<64x64xf16, #tile.space<global>>
  %O = tile.tensor %o : !tile.ptr<f32> -> memref<64x64xf32, #tile.space<global>>
  tile.kernel grid(%s) threads[128] (%b) {
    %q = tile.alloc {name = "q"} : memref<64x64xf16, #tile.space<shared>>
    %k = tile.alloc {name = "k"} : memref<64x64xf16, #tile.space<shared>>
    %v = tile.alloc {name = "v"} : memref<64x64xf16, #tile.space<shared>>
    %u = tile.alloc {name = "u"} : memref<64x64xf16, #tile.space<shared>>
    %t = tile.alloc {name = "t"} : memref<64x64xf16, #tile.space<shared>>
    %r = tile.alloc {name = "r"} : memref<64x64xf32, #tile.space<fragment>>
    %acc = tile.alloc {name = "acc"} : memref<64x64xf32, #tile.space<fragment>>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.space<fragment>>, f32
    scf.for %i = %c0 to %n step %s : i32 {
      tile.copy %Q to %q : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.copy %Q to %k : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.copy %Q to %v : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.copy %Q to %u : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.gemm %q, %k into %r {trans_b} : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
      tile.parallel (%x, %y) = [64, 64] {
        %e = tile.load %r[%x, %y : i32, i32] : memref<64x64xf32, #tile.space<fragment>> -> f32
        %h = arith.truncf %e : f32 to f16
        tile.store %h, %t[%x, %y : i32, i32] : f16, memref<64x64xf16, #tile.space<shared>>
      }
      tile.gemm %t, %v into %acc : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
      tile.gemm %q, %u into %acc : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
    }
    tile.copy %acc to %O : memref<64x64xf32, #tile.space<fragment>> to memref<64x64xf32, #tile.space<global>>
  }
}

// -----

// Wavefronts take columns of the first product, as the program says.
// CHECK-LABEL: @columns
// CHECK: name = "t"} : memref<64x64xf16, #tile.space<shared>>
tile.func @columns(%p: !tile.ptr<f16>, %o: !tile.ptr<f32>, %w: i32) {
  %c0 = arith.constant 0 : i32
  %s = arith.constant 1 : i32
  %n = arith.constant 8 : i32
  %zero = arith.constant 0.0 : f32
  %Q = tile.tensor %p : !tile.ptr<f16> -> memref<64x64xf16, #tile.space<global>>
  %O = tile.tensor %o : !tile.ptr<f32> -> memref<64x64xf32, #tile.space<global>>
  tile.kernel grid(%w) threads[128] (%b) {
    %q = tile.alloc {name = "q"} : memref<64x64xf16, #tile.space<shared>>
    %k = tile.alloc {name = "k"} : memref<64x64xf16, #tile.space<shared>>
    %v = tile.alloc {name = "v"} : memref<64x64xf16, #tile.space<shared>>
    %u = tile.alloc {name = "u"} : memref<64x64xf16, #tile.space<shared>>
    %t = tile.alloc {name = "t"} : memref<64x64xf16, #tile.space<shared>>
    %r = tile.alloc {name = "r"} : memref<64x64xf32, #tile.space<fragment>>
    %acc = tile.alloc {name = "acc"} : memref<64x64xf32, #tile.space<fragment>>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.space<fragment>>, f32
    scf.for %i = %c0 to %n step %s : i32 {
      tile.copy %Q to %q : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.copy %Q to %k : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.copy %Q to %v : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.copy %Q to %u : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.gemm %q, %k into %r {trans_b, policy = #tile.policy<full_col>} : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
      tile.parallel (%x, %y) = [64, 64] {
        %e = tile.load %r[%x, %y : i32, i32] : memref<64x64xf32, #tile.space<fragment>> -> f32
        %h = arith.truncf %e : f32 to f16
        tile.store %h, %t[%x, %y : i32, i32] : f16, memref<64x64xf16, #tile.space<shared>>
      }
      tile.gemm %t, %v into %acc : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
      tile.gemm %q, %u into %acc : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
    }
    tile.copy %acc to %O : memref<64x64xf32, #tile.space<fragment>> to memref<64x64xf32, #tile.space<global>>
  }
}

// -----

// Rows of the tile are columns of the result.
// CHECK-LABEL: @turned
// CHECK: name = "t"} : memref<64x64xf16, #tile.space<shared>>
tile.func @turned(%p: !tile.ptr<f16>, %o: !tile.ptr<f32>, %w: i32) {
  %c0 = arith.constant 0 : i32
  %s = arith.constant 1 : i32
  %n = arith.constant 8 : i32
  %zero = arith.constant 0.0 : f32
  %Q = tile.tensor %p : !tile.ptr<f16> -> memref<64x64xf16, #tile.space<global>>
  %O = tile.tensor %o : !tile.ptr<f32> -> memref<64x64xf32, #tile.space<global>>
  tile.kernel grid(%w) threads[128] (%b) {
    %q = tile.alloc {name = "q"} : memref<64x64xf16, #tile.space<shared>>
    %k = tile.alloc {name = "k"} : memref<64x64xf16, #tile.space<shared>>
    %v = tile.alloc {name = "v"} : memref<64x64xf16, #tile.space<shared>>
    %u = tile.alloc {name = "u"} : memref<64x64xf16, #tile.space<shared>>
    %t = tile.alloc {name = "t"} : memref<64x64xf16, #tile.space<shared>>
    %r = tile.alloc {name = "r"} : memref<64x64xf32, #tile.space<fragment>>
    %acc = tile.alloc {name = "acc"} : memref<64x64xf32, #tile.space<fragment>>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.space<fragment>>, f32
    scf.for %i = %c0 to %n step %s : i32 {
      tile.copy %Q to %q : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.copy %Q to %k : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.copy %Q to %v : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.copy %Q to %u : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.gemm %q, %k into %r {trans_b} : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
      tile.parallel (%x, %y) = [64, 64] {
        %e = tile.load %r[%x, %y : i32, i32] : memref<64x64xf32, #tile.space<fragment>> -> f32
        %h = arith.truncf %e : f32 to f16
        tile.store %h, %t[%y, %x : i32, i32] : f16, memref<64x64xf16, #tile.space<shared>>
      }
      tile.gemm %t, %v into %acc : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
      tile.gemm %q, %u into %acc : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
    }
    tile.copy %acc to %O : memref<64x64xf32, #tile.space<fragment>> to memref<64x64xf32, #tile.space<global>>
  }
}

// -----

// Elements above the diagonal keep what they held.
// CHECK-LABEL: @some
// CHECK: name = "t"} : memref<64x64xf16, #tile.space<shared>>
tile.func @some(%p: !tile.ptr<f16>, %o: !tile.ptr<f32>, %w: i32) {
  %c0 = arith.constant 0 : i32
  %s = arith.constant 1 : i32
  %n = arith.constant 8 : i32
  %zero = arith.constant 0.0 : f32
  %Q = tile.tensor %p : !tile.ptr<f16> -> memref<64x64xf16, #tile.space<global>>
  %O = tile.tensor %o : !tile.ptr<f32> -> memref<64x64xf32, #tile.space<global>>
  tile.kernel grid(%w) threads[128] (%b) {
    %q = tile.alloc {name = "q"} : memref<64x64xf16, #tile.space<shared>>
    %k = tile.alloc {name = "k"} : memref<64x64xf16, #tile.space<shared>>
    %v = tile.alloc {name = "v"} : memref<64x64xf16, #tile.space<shared>>
    %u = tile.alloc {name = "u"} : memref<64x64xf16, #tile.space<shared>>
    %t = tile.alloc {name = "t"} : memref<64x64xf16, #tile.space<shared>>
    %r = tile.alloc {name = "r"} : memref<64x64xf32, #tile.space<fragment>>
    %acc = tile.alloc {name = "acc"} : memref<64x64xf32, #tile.space<fragment>>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.space<fragment>>, f32
    scf.for %i = %c0 to %n step %s : i32 {
      tile.copy %Q to %q : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.copy %Q to %k : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.copy %Q to %v : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.copy %Q to %u : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.gemm %q, %k into %r {trans_b} : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
      tile.parallel (%x, %y) = [64, 64] {
        %e = tile.load %r[%x, %y : i32, i32] : memref<64x64xf32, #tile.space<fragment>> -> f32
        %h = arith.truncf %e : f32 to f16
        %below = arith.cmpi sge, %x, %y : i32
        scf.if %below {
          tile.store %h, %t[%x, %y : i32, i32] : f16, memref<64x64xf16, #tile.space<shared>>
        }
      }
      tile.gemm %t, %v into %acc : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
      tile.gemm %q, %u into %acc : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
    }
    tile.copy %acc to %O : memref<64x64xf32, #tile.space<fragment>> to memref<64x64xf32, #tile.space<global>>
  }
}

// -----

// The next product takes it across its rows.
// CHECK-LABEL: @across
// CHECK: name = "t"} : memref<64x64xf16, #tile.space<shared>>
tile.func @across(%p: !tile.ptr<f16>, %o: !tile.ptr<f32>, %w: i32) {
  %c0 = arith.constant 0 : i32
  %s = arith.constant 1 : i32
  %n = arith.constant 8 : i32
  %zero = arith.constant 0.0 : f32
  %Q = tile.tensor %p : !tile.ptr<f16> -> memref<64x64xf16, #tile.space<global>>
  %O = tile.tensor %o : !tile.ptr<f32> -> memref<64x64xf32, #tile.space<global>>
  tile.kernel grid(%w) threads[128] (%b) {
    %q = tile.alloc {name = "q"} : memref<64x64xf16, #tile.space<shared>>
    %k = tile.alloc {name = "k"} : memref<64x64xf16, #tile.space<shared>>
    %v = tile.alloc {name = "v"} : memref<64x64xf16, #tile.space<shared>>
    %u = tile.alloc {name = "u"} : memref<64x64xf16, #tile.space<shared>>
    %t = tile.alloc {name = "t"} : memref<64x64xf16, #tile.space<shared>>
    %r = tile.alloc {name = "r"} : memref<64x64xf32, #tile.space<fragment>>
    %acc = tile.alloc {name = "acc"} : memref<64x64xf32, #tile.space<fragment>>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.space<fragment>>, f32
    scf.for %i = %c0 to %n step %s : i32 {
      tile.copy %Q to %q : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.copy %Q to %k : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.copy %Q to %v : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.copy %Q to %u : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.gemm %q, %k into %r {trans_b} : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
      tile.parallel (%x, %y) = [64, 64] {
        %e = tile.load %r[%x, %y : i32, i32] : memref<64x64xf32, #tile.space<fragment>> -> f32
        %h = arith.truncf %e : f32 to f16
        tile.store %h, %t[%x, %y : i32, i32] : f16, memref<64x64xf16, #tile.space<shared>>
      }
      tile.gemm %t, %v into %acc {trans_a} : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
      tile.gemm %q, %u into %acc : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
    }
    tile.copy %acc to %O : memref<64x64xf32, #tile.space<fragment>> to memref<64x64xf32, #tile.space<global>>
  }
}

// -----

// A loop reads what other threads have written.
// CHECK-LABEL: @read
// CHECK: name = "t"} : memref<64x64xf16, #tile.space<shared>>
tile.func @read(%p: !tile.ptr<f16>, %o: !tile.ptr<f32>, %w: i32) {
  %c0 = arith.constant 0 : i32
  %s = arith.constant 1 : i32
  %n = arith.constant 8 : i32
  %zero = arith.constant 0.0 : f32
  %Q = tile.tensor %p : !tile.ptr<f16> -> memref<64x64xf16, #tile.space<global>>
  %O = tile.tensor %o : !tile.ptr<f32> -> memref<64x64xf32, #tile.space<global>>
  tile.kernel grid(%w) threads[128] (%b) {
    %q = tile.alloc {name = "q"} : memref<64x64xf16, #tile.space<shared>>
    %k = tile.alloc {name = "k"} : memref<64x64xf16, #tile.space<shared>>
    %v = tile.alloc {name = "v"} : memref<64x64xf16, #tile.space<shared>>
    %u = tile.alloc {name = "u"} : memref<64x64xf16, #tile.space<shared>>
    %t = tile.alloc {name = "t"} : memref<64x64xf16, #tile.space<shared>>
    %r = tile.alloc {name = "r"} : memref<64x64xf32, #tile.space<fragment>>
    %acc = tile.alloc {name = "acc"} : memref<64x64xf32, #tile.space<fragment>>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.space<fragment>>, f32
    scf.for %i = %c0 to %n step %s : i32 {
      tile.copy %Q to %q : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.copy %Q to %k : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.copy %Q to %v : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.copy %Q to %u : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.gemm %q, %k into %r {trans_b} : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
      tile.parallel (%x, %y) = [64, 64] {
        %e = tile.load %r[%x, %y : i32, i32] : memref<64x64xf32, #tile.space<fragment>> -> f32
        %h = arith.truncf %e : f32 to f16
        tile.store %h, %t[%x, %y : i32, i32] : f16, memref<64x64xf16, #tile.space<shared>>
      }
      tile.parallel (%x, %y) = [64, 64] {
        %e = tile.load %t[%y, %x : i32, i32] : memref<64x64xf16, #tile.space<shared>> -> f16
        %f = arith.extf %e : f16 to f32
        tile.store %f, %r[%x, %y : i32, i32] : f32, memref<64x64xf32, #tile.space<fragment>>
      }
      tile.gemm %t, %v into %acc : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
      tile.gemm %q, %u into %acc : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
    }
    tile.copy %acc to %O : memref<64x64xf32, #tile.space<fragment>> to memref<64x64xf32, #tile.space<global>>
  }
}
