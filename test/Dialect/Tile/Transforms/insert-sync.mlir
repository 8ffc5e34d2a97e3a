// RUN: tlc-opt %s --tile-insert-sync --split-input-file | FileCheck %s

// Written by some threads, read by others: one barrier between them, and one on
// the way round, before the next step overwrites what may still be read.
// CHECK-LABEL: @loop
// CHECK:      scf.for
// CHECK-NEXT:   tile.sync
// CHECK-NEXT:   tile.copy %{{.*}} to %[[S:[0-9]+]]
// CHECK-NEXT:   tile.sync
// CHECK-NEXT:   tile.copy %[[S]] to
// CHECK-NEXT: }
tile.func @loop(%p: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %P = tile.tensor %p : !tile.ptr<f16> -> memref<64x64xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[256] (%blk) {
    %c0 = arith.constant 0 : i32
    %c8 = arith.constant 8 : i32
    %st = arith.constant 1 : i32
    %s = tile.alloc {name = "s"} : memref<64x64xf16, #tile.space<shared>>
    %f = tile.alloc {name = "f"} : memref<64x64xf16, #tile.space<fragment>>
    scf.for %i = %c0 to %c8 step %st : i32 {
      tile.copy %P to %s : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.copy %s to %f : memref<64x64xf16, #tile.space<shared>> to memref<64x64xf16, #tile.space<fragment>>
    }
  }
}

// -----

// Two readers need none.
// CHECK-LABEL: @readers
// CHECK:      tile.copy
// CHECK-NEXT: tile.sync
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.copy
// CHECK-NOT:  tile.sync
tile.func @readers(%p: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %P = tile.tensor %p : !tile.ptr<f16> -> memref<64x64xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[256] (%blk) {
    %s = tile.alloc {name = "s"} : memref<64x64xf16, #tile.space<shared>>
    %f = tile.alloc {name = "f"} : memref<64x64xf16, #tile.space<fragment>>
    %g = tile.alloc {name = "g"} : memref<64x64xf16, #tile.space<fragment>>
    tile.copy %P to %s : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
    tile.copy %s to %f : memref<64x64xf16, #tile.space<shared>> to memref<64x64xf16, #tile.space<fragment>>
    tile.copy %s to %g : memref<64x64xf16, #tile.space<shared>> to memref<64x64xf16, #tile.space<fragment>>
  }
}

// -----

// What all threads have written is released, what one has acquired is read by
// all; a relaxed atomic orders nothing.
// CHECK-LABEL: @orders
// CHECK:      tile.copy
// CHECK-NEXT: tile.sync {tile.global}
// CHECK-NEXT: tile.atomic <add> {{.*}} order <release>
// CHECK-NEXT: tile.atomic <add> {{.*}} order <acquire>
// CHECK-NEXT: tile.sync {tile.global}
// CHECK-NEXT: tile.atomic
// CHECK-NOT:  tile.sync
tile.func @orders(%p: !tile.ptr<f16>, %q: !tile.ptr<f16>, %n: !tile.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %P = tile.tensor %p : !tile.ptr<f16> -> memref<64x64xf16, #tile.space<global>>
  %Q = tile.tensor %q : !tile.ptr<f16> -> memref<64x64xf16, #tile.space<global>>
  %N = tile.tensor %n : !tile.ptr<i32> -> memref<1xi32, #tile.space<global>>
  tile.kernel grid(%c1) threads[256] (%blk) {
    tile.copy %P to %Q : memref<64x64xf16, #tile.space<global>> to memref<64x64xf16, #tile.space<global>>
    %a = tile.atomic <add> %c1, %N[%c0 : i32] order <release> : i32, memref<1xi32, #tile.space<global>>
    %b = tile.atomic <add> %c1, %N[%c0 : i32] order <acquire> : i32, memref<1xi32, #tile.space<global>>
    %c = tile.atomic <add> %c1, %N[%c0 : i32] : i32, memref<1xi32, #tile.space<global>>
  }
}

// -----

// Thread 0 does the scalar stores of a workgroup, in order: no barrier between
// them, one before what other threads read.
// CHECK-LABEL: @thread_zero
// CHECK: tile.store
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.sync
// CHECK-NEXT: tile.load
tile.func @thread_zero(%p: !tile.ptr<f32>) {
  %g = arith.constant 1 : i32
  tile.kernel grid(%g) threads[128] (%blk) {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1.0 : f32
    %s = tile.alloc {name = "s"} : memref<64xf32, #tile.space<shared>>
    tile.store %one, %s[%c0 : i32] : f32, memref<64xf32, #tile.space<shared>>
    tile.store %one, %s[%c0 : i32] : f32, memref<64xf32, #tile.space<shared>>
    %x = tile.load %s[%c0 : i32] : memref<64xf32, #tile.space<shared>> -> f32
    tile.store %x, %s[%c0 : i32] : f32, memref<64xf32, #tile.space<shared>>
  }
}

// -----

// In code written per thread, each thread does them.
// CHECK-LABEL: @each_thread
// CHECK: tile.store
// CHECK-NEXT: tile.sync
// CHECK-NEXT: tile.store
tile.func @each_thread(%p: !tile.ptr<f32>) {
  %g = arith.constant 1 : i32
  tile.kernel grid(%g) threads[128] (%blk) {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1.0 : f32
    %t = tile.thread_id
    %s = tile.alloc {name = "s"} : memref<64xf32, #tile.space<shared>>
    tile.store %one, %s[%t : i32] : f32, memref<64xf32, #tile.space<shared>>
    tile.store %one, %s[%c0 : i32] : f32, memref<64xf32, #tile.space<shared>>
  }
}
