// RUN: tlc-opt %s --tile-order-workgroups | FileCheck %s
//
// Which workgroups read the same data, and which work longest, decides in what
// order they run.

!K = memref<16x4096x64xf16, #tile.space<global>>
!block = memref<1x64x64xf16, strided<[?, ?, ?], offset: ?>, #tile.space<global>>
!tile = memref<64x64xf16, #tile.space<shared>>
!operand = memref<64x64xf16, #tile.space<fragment>>
!acc = memref<64x64xf32, #tile.space<fragment>>

// Blocks of queries (x) of a head (y) read the same keys: x first, every XCD
// its own heads.
// CHECK-LABEL: tile.func @shared_along_x
// CHECK: tile.order = {dims = array<i64: 0, 1, 2>, panel = 0 : i64, reversed = array<i64>, xcds = 8 : i64}
tile.func @shared_along_x(%Kp: !tile.ptr<f16>) {
  %K = tile.tensor %Kp : !tile.ptr<f16> -> !K
  %c32 = arith.constant 32 : i32
  %c16 = arith.constant 16 : i32
  tile.kernel grid(%c32, %c16) threads[256] (%x, %y) {
    %q = tile.alloc : !operand
    %k = tile.alloc : !tile
    %s = tile.alloc : !acc
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    scf.for %i = %c0 to %c64 step %c1 : i32 {
      %at = arith.muli %i, %c64 : i32
      %v = tile.view %K[%y, %at, %c0 : i32, i32, i32] : !K to !block
      tile.copy %v to %k : !block to !tile
      tile.gemm %q, %k into %s {trans_b} : !operand, !tile into !acc
    }
  }
}

// The same with heads along x: y shares, and so comes first.
// CHECK-LABEL: tile.func @shared_along_y
// CHECK: tile.order = {dims = array<i64: 1, 0, 2>, panel = 0 : i64, reversed = array<i64>, xcds = 8 : i64}
tile.func @shared_along_y(%Kp: !tile.ptr<f16>) {
  %K = tile.tensor %Kp : !tile.ptr<f16> -> !K
  %c32 = arith.constant 32 : i32
  %c16 = arith.constant 16 : i32
  tile.kernel grid(%c16, %c32) threads[256] (%x, %y) {
    %q = tile.alloc : !operand
    %k = tile.alloc : !tile
    %s = tile.alloc : !acc
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    scf.for %i = %c0 to %c64 step %c1 : i32 {
      %at = arith.muli %i, %c64 : i32
      %v = tile.view %K[%x, %at, %c0 : i32, i32, i32] : !K to !block
      tile.copy %v to %k : !block to !tile
      tile.gemm %q, %k into %s {trans_b} : !operand, !tile into !acc
    }
  }
}

// Causal: block x walks over x + 1 blocks of keys. The long ones first, four
// heads abreast.
// CHECK-LABEL: tile.func @causal
// CHECK: tile.order = {dims = array<i64: 1, 0, 2>, panel = 2 : i64, reversed = array<i64: 0>, xcds = 8 : i64}
tile.func @causal(%Kp: !tile.ptr<f16>) {
  %K = tile.tensor %Kp : !tile.ptr<f16> -> !K
  %c32 = arith.constant 32 : i32
  %c16 = arith.constant 16 : i32
  tile.kernel grid(%c32, %c16) threads[256] (%x, %y) {
    %q = tile.alloc : !operand
    %k = tile.alloc : !tile
    %s = tile.alloc : !acc
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %more = arith.addi %x, %c1 : i32
    %end = arith.minsi %more, %c64 : i32
    scf.for %i = %c0 to %end step %c1 : i32 {
      %at = arith.muli %i, %c64 : i32
      %v = tile.view %K[%y, %at, %c0 : i32, i32, i32] : !K to !block
      tile.copy %v to %k : !block to !tile
      tile.gemm %q, %k into %s {trans_b} : !operand, !tile into !acc
    }
  }
}

// The gradients of causal attention: block x of keys is walked over by the
// queries from x on. The long ones come first as they are.
// CHECK-LABEL: tile.func @causal_gradients
// CHECK: tile.order = {dims = array<i64: 1, 0, 2>, panel = 2 : i64, reversed = array<i64>, xcds = 8 : i64}
tile.func @causal_gradients(%Kp: !tile.ptr<f16>) {
  %K = tile.tensor %Kp : !tile.ptr<f16> -> !K
  %c32 = arith.constant 32 : i32
  %c16 = arith.constant 16 : i32
  tile.kernel grid(%c32, %c16) threads[256] (%x, %y) {
    %q = tile.alloc : !operand
    %k = tile.alloc : !tile
    %s = tile.alloc : !acc
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    scf.for %i = %x to %c64 step %c1 : i32 {
      %at = arith.muli %i, %c64 : i32
      %v = tile.view %K[%y, %at, %c0 : i32, i32, i32] : !K to !block
      tile.copy %v to %k : !block to !tile
      tile.gemm %q, %k into %s {trans_b} : !operand, !tile into !acc
    }
  }
}

// Each XCD gets long and short ones: whole columns, or a turn in those of several XCDs. Of many columns a part is no matter.
// CHECK-LABEL: tile.func @causal_12_heads
// CHECK: tile.order = {dims = array<i64: 1, 0, 2>, panel = 3 : i64, reversed = array<i64>, xcds = 4 : i64}
tile.func @causal_12_heads(%Kp: !tile.ptr<f16>) {
  %K = tile.tensor %Kp : !tile.ptr<f16> -> !K
  %c32 = arith.constant 32 : i32
  %cn = arith.constant 12 : i32
  tile.kernel grid(%c32, %cn) threads[256] (%x, %y) {
    %q = tile.alloc : !operand
    %k = tile.alloc : !tile
    %s = tile.alloc : !acc
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    scf.for %i = %x to %c64 step %c1 : i32 {
      %at = arith.muli %i, %c64 : i32
      %v = tile.view %K[%y, %at, %c0 : i32, i32, i32] : !K to !block
      tile.copy %v to %k : !block to !tile
      tile.gemm %q, %k into %s {trans_b} : !operand, !tile into !acc
    }
  }
}

// CHECK-LABEL: tile.func @causal_40_heads
// CHECK: tile.order = {dims = array<i64: 1, 0, 2>, panel = 5 : i64, reversed = array<i64>, xcds = 8 : i64}
tile.func @causal_40_heads(%Kp: !tile.ptr<f16>) {
  %K = tile.tensor %Kp : !tile.ptr<f16> -> !K
  %c32 = arith.constant 32 : i32
  %cn = arith.constant 40 : i32
  tile.kernel grid(%c32, %cn) threads[256] (%x, %y) {
    %q = tile.alloc : !operand
    %k = tile.alloc : !tile
    %s = tile.alloc : !acc
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    scf.for %i = %x to %c64 step %c1 : i32 {
      %at = arith.muli %i, %c64 : i32
      %v = tile.view %K[%y, %at, %c0 : i32, i32, i32] : !K to !block
      tile.copy %v to %k : !block to !tile
      tile.gemm %q, %k into %s {trans_b} : !operand, !tile into !acc
    }
  }
}

// CHECK-LABEL: tile.func @causal_64_heads
// CHECK: tile.order = {dims = array<i64: 1, 0, 2>, panel = 4 : i64, reversed = array<i64>, xcds = 8 : i64}
tile.func @causal_64_heads(%Kp: !tile.ptr<f16>) {
  %K = tile.tensor %Kp : !tile.ptr<f16> -> !K
  %c32 = arith.constant 32 : i32
  %cn = arith.constant 64 : i32
  tile.kernel grid(%c32, %cn) threads[256] (%x, %y) {
    %q = tile.alloc : !operand
    %k = tile.alloc : !tile
    %s = tile.alloc : !acc
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    scf.for %i = %x to %c64 step %c1 : i32 {
      %at = arith.muli %i, %c64 : i32
      %v = tile.view %K[%y, %at, %c0 : i32, i32, i32] : !K to !block
      tile.copy %v to %k : !block to !tile
      tile.gemm %q, %k into %s {trans_b} : !operand, !tile into !acc
    }
  }
}

// A window of keys moves along with x: its loops are equally long.
// CHECK-LABEL: tile.func @window
// CHECK: reversed = array<i64>
tile.func @window(%Kp: !tile.ptr<f16>) {
  %K = tile.tensor %Kp : !tile.ptr<f16> -> !K
  %c32 = arith.constant 32 : i32
  %c16 = arith.constant 16 : i32
  tile.kernel grid(%c32, %c16) threads[256] (%x, %y) {
    %q = tile.alloc : !operand
    %k = tile.alloc : !tile
    %s = tile.alloc : !acc
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %end = arith.addi %x, %c4 : i32
    scf.for %i = %x to %end step %c1 : i32 {
      %at = arith.muli %i, %c64 : i32
      %v = tile.view %K[%y, %at, %c0 : i32, i32, i32] : !K to !block
      tile.copy %v to %k : !block to !tile
      tile.gemm %q, %k into %s {trans_b} : !operand, !tile into !acc
    }
  }
}

!A = memref<4096x4096xf16, #tile.space<global>>
!part = memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>>

// A product: rows share A, columns share B. Panels of 4 columns (4 divides 64),
// or as T.use_swizzle says.
// CHECK-LABEL: tile.func @product
// CHECK: tile.order = {dims = array<i64: 0, 1, 2>, panel = 4 : i64, reversed = array<i64>, xcds = 8 : i64}
// CHECK: tile.order = {dims = array<i64: 0, 1, 2>, panel = 10 : i64, reversed = array<i64>, xcds = 8 : i64}
tile.func @product(%Ap: !tile.ptr<f16>, %Bp: !tile.ptr<f16>, %n: i32) {
  %A = tile.tensor %Ap : !tile.ptr<f16> -> !A
  %B = tile.tensor %Bp : !tile.ptr<f16> -> !A
  %c64 = arith.constant 64 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tile.kernel grid(%c64, %c64) threads[256] (%x, %y) {
    %a = tile.alloc : !tile
    %b = tile.alloc : !tile
    %s = tile.alloc : !acc
    %row = arith.muli %y, %c64 : i32
    %column = arith.muli %x, %c64 : i32
    scf.for %i = %c0 to %c64 step %c1 : i32 {
      %at = arith.muli %i, %c64 : i32
      %va = tile.view %A[%row, %at : i32, i32] : !A to !part
      tile.copy %va to %a : !part to !tile
      %vb = tile.view %B[%at, %column : i32, i32] : !A to !part
      tile.copy %vb to %b : !part to !tile
      tile.gemm %a, %b into %s : !tile, !tile into !acc
    }
  }
  tile.kernel grid(%n, %n) threads[256] (%x, %y) attributes {swizzle = 10 : i64} {
    %a = tile.alloc : !tile
    %b = tile.alloc : !tile
    %s = tile.alloc : !acc
    %row = arith.muli %y, %c64 : i32
    %column = arith.muli %x, %c64 : i32
    scf.for %i = %c0 to %c64 step %c1 : i32 {
      %at = arith.muli %i, %c64 : i32
      %va = tile.view %A[%row, %at : i32, i32] : !A to !part
      tile.copy %va to %a : !part to !tile
      %vb = tile.view %B[%at, %column : i32, i32] : !A to !part
      tile.copy %vb to %b : !part to !tile
      tile.gemm %a, %b into %s : !tile, !tile into !acc
    }
  }
}

// The author deals out XCDs: x mod 8.
// CHECK-LABEL: tile.func @orders_itself
// CHECK-NOT: tile.order
// CHECK-LABEL: tile.func @waits
tile.func @orders_itself(%Kp: !tile.ptr<f16>) {
  %K = tile.tensor %Kp : !tile.ptr<f16> -> !K
  %c32 = arith.constant 32 : i32
  %c16 = arith.constant 16 : i32
  tile.kernel grid(%c32, %c16) threads[256] (%x, %y) {
    %q = tile.alloc : !operand
    %k = tile.alloc : !tile
    %s = tile.alloc : !acc
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    %c64 = arith.constant 64 : i32
    %xcd = arith.remsi %x, %c8 : i32
    scf.for %i = %c0 to %c64 step %c1 : i32 {
      %at = arith.muli %i, %xcd : i32
      %v = tile.view %K[%y, %at, %c0 : i32, i32, i32] : !K to !block
      tile.copy %v to %k : !block to !tile
      tile.gemm %q, %k into %s {trans_b} : !operand, !tile into !acc
    }
  }
}

// A workgroup may wait for an earlier one: those have to start first.
// CHECK-NOT: tile.order
tile.func @waits(%Kp: !tile.ptr<f16>, %flagsp: !tile.ptr<i32>) {
  %K = tile.tensor %Kp : !tile.ptr<f16> -> !K
  %flags = tile.tensor %flagsp : !tile.ptr<i32> -> memref<512xi32, #tile.space<global>>
  %c32 = arith.constant 32 : i32
  %c16 = arith.constant 16 : i32
  tile.kernel grid(%c32, %c16) threads[256] (%x, %y) {
    %q = tile.alloc : !operand
    %k = tile.alloc : !tile
    %s = tile.alloc : !acc
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    scf.while : () -> () {
      %flag = tile.load %flags[%x : i32] : memref<512xi32, #tile.space<global>> -> i32
      %unset = arith.cmpi eq, %flag, %c0 : i32
      scf.condition(%unset)
    } do {
      scf.yield
    }
    scf.for %i = %c0 to %c64 step %c1 : i32 {
      %at = arith.muli %i, %c64 : i32
      %v = tile.view %K[%y, %at, %c0 : i32, i32, i32] : !K to !block
      tile.copy %v to %k : !block to !tile
      tile.gemm %q, %k into %s {trans_b} : !operand, !tile into !acc
    }
  }
}
