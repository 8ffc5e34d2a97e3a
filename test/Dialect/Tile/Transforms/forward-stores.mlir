// RUN: tlc-opt %s --tile-legalize --split-input-file | FileCheck %s
// RUN: tlc-opt %s --tile-legalize --tile-insert-sync --split-input-file | FileCheck %s --check-prefix UNIFORM

// The second load is what was stored, and of the two stores the second counts.
// CHECK-LABEL: @twice
// CHECK:      tile.parallel
// CHECK:        %[[X:.+]] = tile.load
// CHECK-NEXT:   %[[Y:.+]] = arith.addf %[[X]], %[[X]]
// CHECK-NEXT:   %[[Z:.+]] = arith.addf %[[Y]], %[[X]]
// CHECK-NEXT:   tile.store %[[Z]]
// CHECK-NOT:    tile.store
// UNIFORM-LABEL: @twice
// UNIFORM: tile.parallel {{.*}}tile.uniform
tile.func @twice(%p: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %P = tile.tensor %p : !tile.ptr<f32> -> memref<20xf32, #tile.space<global>>
  tile.kernel grid(%c1) threads[64] (%blk) {
    %s = tile.alloc {name = "s"} : memref<20xf32, #tile.space<shared>>
    tile.copy %P to %s : memref<20xf32, #tile.space<global>> to memref<20xf32, #tile.space<shared>>
    tile.parallel (%i) = [20] {
      %x = tile.load %s[%i : i32] : memref<20xf32, #tile.space<shared>> -> f32
      %y = arith.addf %x, %x : f32
      tile.store %y, %s[%i : i32] : f32, memref<20xf32, #tile.space<shared>>
      %v = tile.load %s[%i : i32] : memref<20xf32, #tile.space<shared>> -> f32
      %z = arith.addf %v, %x : f32
      tile.store %z, %s[%i : i32] : f32, memref<20xf32, #tile.space<shared>>
    }
    tile.copy %s to %P : memref<20xf32, #tile.space<shared>> to memref<20xf32, #tile.space<global>>
  }
}

// -----

// Another index may be the same element, and what a branch writes is not known.
// CHECK-LABEL: @unknown
// CHECK-COUNT-2: tile.store
tile.func @unknown(%p: !tile.ptr<f32>, %n: i32) {
  %c1 = arith.constant 1 : i32
  %P = tile.tensor %p : !tile.ptr<f32> -> memref<20xf32, #tile.space<global>>
  tile.kernel grid(%c1) threads[64] (%blk) {
    %s = tile.alloc {name = "s"} : memref<20xf32, #tile.space<shared>>
    %f = tile.alloc {name = "f"} : memref<20xf32, #tile.space<shared>>
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    tile.parallel (%i) = [20] {
      tile.store %one, %s[%i : i32] : f32, memref<20xf32, #tile.space<shared>>
      %in = arith.cmpi slt, %i, %n : i32
      scf.if %in {
        tile.store %two, %s[%i : i32] : f32, memref<20xf32, #tile.space<shared>>
      }
      // CHECK: %[[V:.+]] = tile.load
      // CHECK: tile.store %[[V]]
      %v = tile.load %s[%i : i32] : memref<20xf32, #tile.space<shared>> -> f32
      tile.store %v, %f[%i : i32] : f32, memref<20xf32, #tile.space<shared>>
    }
    tile.copy %s to %P : memref<20xf32, #tile.space<shared>> to memref<20xf32, #tile.space<global>>
    tile.copy %f to %P : memref<20xf32, #tile.space<shared>> to memref<20xf32, #tile.space<global>>
  }
}
