// RUN: tlc-opt %s --tile-verify-target --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

tile.func @product_of_doubles(%n: i32) {
  tile.kernel grid(%n) threads[64] (%b) {
    %a = tile.alloc : memref<32x32xf64, #tile.space<shared>>
    %c = tile.alloc : memref<32x32xf64, #tile.space<fragment>>
    // expected-error @below {{no matrix instruction of gfx942 multiplies 'f64' by 'f64' into 'f64' [TL0602]}}
    // expected-note @below {{operands can be f16, bf16, f32 or 8-bit floats}}
    tile.gemm %a, %a into %c : memref<32x32xf64, #tile.space<shared>>, memref<32x32xf64, #tile.space<shared>> into memref<32x32xf64, #tile.space<fragment>>
  }
}

// -----

tile.func @mixed_product(%n: i32) {
  tile.kernel grid(%n) threads[64] (%b) {
    %a = tile.alloc : memref<32x32xf16, #tile.space<shared>>
    %e = tile.alloc : memref<32x32xbf16, #tile.space<shared>>
    %c = tile.alloc : memref<32x32xf32, #tile.space<fragment>>
    // expected-error @below {{no matrix instruction of gfx942 multiplies 'f16' by 'bf16' into 'f32' [TL0602]}}
    // expected-note @below {{both operands must have one type: cast one of them}}
    tile.gemm %a, %e into %c : memref<32x32xf16, #tile.space<shared>>, memref<32x32xbf16, #tile.space<shared>> into memref<32x32xf32, #tile.space<fragment>>
  }
}

// -----

tile.func @beyond_a_tile(%n: i32) {
  tile.kernel grid(%n) threads[64] (%b) {
    // expected-note @below {{allocated here}}
    %s = tile.alloc {name = "s"} : memref<32x8xf32, #tile.space<shared>>
    %f = tile.alloc : memref<32x8xf32, #tile.space<fragment>>
    tile.parallel (%i, %j) = [32, 8] {
      %c1 = arith.constant 1 : i32
      %k = arith.addi %i, %c1 : i32
      // expected-error @below {{index 32 is outside dimension 0 of 's', which has 32 elements [TL0306]}}
      %v = tile.load %s[%k, %j : i32, i32] : memref<32x8xf32, #tile.space<shared>> -> f32
      tile.store %v, %f[%i, %j : i32, i32] : f32, memref<32x8xf32, #tile.space<fragment>>
    }
  }
}

// -----

tile.func @never_inside(%p: !tile.ptr<f32>, %n: i32) {
  %a = tile.tensor %p : !tile.ptr<f32> -> memref<32xf32, #tile.space<global>>
  tile.kernel grid(%n) threads[64] (%b) {
    %c40 = arith.constant 40 : i32
    %c16 = arith.constant 16 : i32
    %zero = arith.constant 0.0 : f32
    // expected-warning @below {{index 40 is outside dimension 0 of '', which has 32 elements: nothing is written [TL0310]}}
    tile.store %zero, %a[%c40 : i32] : f32, memref<32xf32, #tile.space<global>>
    tile.parallel (%i) = [32] {
      %far = arith.addi %i, %c40 : i32
      %some = arith.addi %i, %c16 : i32
      // expected-warning @below {{index 40 is outside dimension 0 of '', which has 32 elements: nothing is read [TL0310]}}
      // expected-note @below {{an element outside a tensor reads as 0}}
      %v = tile.load %a[%far : i32] : memref<32xf32, #tile.space<global>> -> f32
      tile.store %v, %a[%some : i32] : f32, memref<32xf32, #tile.space<global>>
    }
  }
}
