// RUN: tlc-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-schedule))' | FileCheck %s
// RUN: tlc-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-schedule{overlap=false}))' | FileCheck %s --check-prefix=APART

// The fragments of the next step are read beside the products of this one: the
// first reads stand before the loop, one slot follows another, and each slot
// has one matrix instruction.
// CHECK-LABEL: wave.kernel @product
// CHECK: wave.barrier
// CHECK: wave.lds_load
// CHECK: scf.for
// CHECK-NEXT: wave.mfma
// CHECK: wave.sched_barrier
// CHECK: wave.mfma
// CHECK: wave.barrier
// CHECK: wave.lds_load
// CHECK: wave.sched_barrier
// CHECK: scf.yield
// CHECK: wave.non_empty
// CHECK-SAME: wave.scheduled

// Without overlap nothing stands before the loop.
// APART-LABEL: wave.kernel @product
// APART-NOT: wave.barrier
// APART: scf.for
// APART: wave.barrier
// APART: wave.mfma
// APART: wave.sched_barrier
wave.kernel @product(%p: !wave.ptr) attributes {lds_bytes = 8192 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c16 = arith.constant 16 : i32
  %c4096 = arith.constant 4096 : i32
  %bytes = arith.constant 65536 : i32
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %t = wave.thread_id
  %at = arith.muli %t, %c16 : i32
  %rsrc = wave.resource %p, %bytes : i32
  %first = wave.buffer_load %rsrc[%at] : vector<8xf16>
  wave.lds_store %first, %at {wave.lds = array<i64: 0, 8192>, wave.slot = array<i64: 0, 2>} : vector<8xf16>
  %r:2 = scf.for %i = %c0 to %c16 step %c1 iter_args(%x = %zero, %y = %zero) -> (vector<16xf32>, vector<16xf32>) : i32 {
    %j = arith.addi %i, %c1 : i32
    %from = arith.muli %j, %c4096 : i32
    %g = wave.buffer_load %rsrc[%at, %from] : vector<8xf16>
    wave.barrier
    %s = arith.remui %i, %c2 : i32
    %so = arith.muli %s, %c4096 : i32
    %a = arith.addi %at, %so : i32
    %v0 = wave.lds_load %a {wave.lds = array<i64: 0, 8192>, wave.slot = array<i64: 0, 2>} : vector<4xf16>
    %v1 = wave.lds_load %a {offset = 1024 : i64, wave.lds = array<i64: 0, 8192>, wave.slot = array<i64: 0, 2>} : vector<4xf16>
    %x0 = wave.mfma [32, 32, 8] %v0, %v0, %x : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %y0 = wave.mfma [32, 32, 8] %v0, %v1, %y : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %x1 = wave.mfma [32, 32, 8] %v1, %v0, %x0 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %y1 = wave.mfma [32, 32, 8] %v1, %v1, %y0 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %x2 = wave.mfma [32, 32, 8] %v0, %v0, %x1 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %y2 = wave.mfma [32, 32, 8] %v0, %v1, %y1 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %x3 = wave.mfma [32, 32, 8] %v1, %v0, %x2 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %y3 = wave.mfma [32, 32, 8] %v1, %v1, %y2 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %s1 = arith.remui %j, %c2 : i32
    %so1 = arith.muli %s1, %c4096 : i32
    %a1 = arith.addi %at, %so1 : i32
    wave.lds_store %g, %a1 {wave.lds = array<i64: 0, 8192>, wave.slot = array<i64: 1, 2>} : vector<8xf16>
    scf.yield %x3, %y3 : vector<16xf32>, vector<16xf32>
  }
  %sum = arith.addf %r#0, %r#1 : vector<16xf32>
  %e = vector.extract %sum[0] : f32 from vector<16xf32>
  wave.buffer_store %e, %rsrc[%at] : f32
  wave.return
}

// A tile with one copy: it is written between the two barriers, which matrix
// work separates, and read after both. The next load stands behind the write
// that frees its registers. What follows the loop is behind a barrier.
// CHECK-LABEL: wave.kernel @one_copy
// CHECK: scf.for
// CHECK: wave.barrier
// CHECK-NEXT: wave.mfma
// CHECK: wave.lds_store
// CHECK: wave.buffer_load
// CHECK: wave.mfma
// CHECK: wave.mfma
// CHECK: wave.barrier
// CHECK-NEXT: wave.mfma
// CHECK: wave.lds_load
// CHECK: scf.yield
// CHECK: wave.scheduled
// CHECK: wave.barrier
// CHECK: wave.return
wave.kernel @one_copy(%p: !wave.ptr) attributes {lds_bytes = 4096 : i64, threads = 128 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %c4096 = arith.constant 4096 : i32
  %bytes = arith.constant 65536 : i32
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %t = wave.thread_id
  %at = arith.muli %t, %c16 : i32
  %rsrc = wave.resource %p, %bytes : i32
  %first = wave.buffer_load %rsrc[%at] : vector<8xf16>
  %r:3 = scf.for %i = %c0 to %c16 step %c1 iter_args(%x = %zero, %y = %zero, %n = %first) -> (vector<16xf32>, vector<16xf32>, vector<8xf16>) : i32 {
    wave.barrier
    wave.lds_store %n, %at {wave.lds = array<i64: 0, 4096>} : vector<8xf16>
    wave.barrier
    %j = arith.addi %i, %c1 : i32
    %from = arith.muli %j, %c4096 : i32
    %g = wave.buffer_load %rsrc[%at, %from] : vector<8xf16>
    %v0 = wave.lds_load %at {wave.lds = array<i64: 0, 4096>} : vector<4xf16>
    %v1 = wave.lds_load %at {offset = 1024 : i64, wave.lds = array<i64: 0, 4096>} : vector<4xf16>
    %x0 = wave.mfma [32, 32, 8] %v0, %v0, %x : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %y0 = wave.mfma [32, 32, 8] %v1, %v0, %y : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %x1 = wave.mfma [32, 32, 8] %v1, %v0, %x0 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %y1 = wave.mfma [32, 32, 8] %v0, %v0, %y0 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %x2 = wave.mfma [32, 32, 8] %v0, %v1, %x1 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %y2 = wave.mfma [32, 32, 8] %v1, %v1, %y1 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %x3 = wave.mfma [32, 32, 8] %v1, %v1, %x2 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %y3 = wave.mfma [32, 32, 8] %v0, %v1, %y2 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %x4 = wave.mfma [32, 32, 8] %v0, %v0, %x3 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %y4 = wave.mfma [32, 32, 8] %v1, %v0, %y3 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %x5 = wave.mfma [32, 32, 8] %v1, %v0, %x4 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %y5 = wave.mfma [32, 32, 8] %v0, %v0, %y4 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %x6 = wave.mfma [32, 32, 8] %v0, %v1, %x5 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %y6 = wave.mfma [32, 32, 8] %v1, %v1, %y5 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %x7 = wave.mfma [32, 32, 8] %v1, %v1, %x6 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %y7 = wave.mfma [32, 32, 8] %v0, %v1, %y6 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    scf.yield %x7, %y7, %g : vector<16xf32>, vector<16xf32>, vector<8xf16>
  }
  %sum = arith.addf %r#0, %r#1 : vector<16xf32>
  %e = vector.extract %sum[0] : f32 from vector<16xf32>
  wave.buffer_store %e, %rsrc[%at] : f32
  wave.return
}

// Four loads of 16 bytes a lane, by four wavefronts: the path to memory is busy
// with each for two slots, so none stands in the slot behind another.
// CHECK-LABEL: wave.kernel @loads
// CHECK: scf.for
// CHECK: wave.buffer_load
// CHECK-NOT: wave.buffer_load
// CHECK: wave.mfma
// CHECK-NOT: wave.buffer_load
// CHECK: wave.mfma
// CHECK: wave.buffer_load
// CHECK-NOT: wave.buffer_load
// CHECK: wave.mfma
// CHECK-NOT: wave.buffer_load
// CHECK: wave.mfma
// CHECK: wave.buffer_load
// CHECK-NOT: wave.buffer_load
// CHECK: wave.mfma
// CHECK-NOT: wave.buffer_load
// CHECK: wave.mfma
// CHECK: wave.buffer_load
// CHECK: scf.yield
wave.kernel @loads(%p: !wave.ptr) attributes {lds_bytes = 32768 : i64, threads = 256 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c16 = arith.constant 16 : i32
  %c16384 = arith.constant 16384 : i32
  %bytes = arith.constant 65536 : i32
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %t = wave.thread_id
  %at = arith.muli %t, %c16 : i32
  %rsrc = wave.resource %p, %bytes : i32
  %r:2 = scf.for %i = %c0 to %c16 step %c1 iter_args(%x0 = %zero, %y0 = %zero) -> (vector<16xf32>, vector<16xf32>) : i32 {
    %j = arith.addi %i, %c1 : i32
    %from = arith.muli %j, %c16384 : i32
    %g0 = wave.buffer_load %rsrc[%at, %from] : vector<8xf16>
    %g1 = wave.buffer_load %rsrc[%at, %from] {offset = 4096 : i64} : vector<8xf16>
    %g2 = wave.buffer_load %rsrc[%at, %from] {offset = 8192 : i64} : vector<8xf16>
    %g3 = wave.buffer_load %rsrc[%at, %from] {offset = 12288 : i64} : vector<8xf16>
    wave.barrier
    %s = arith.remui %i, %c2 : i32
    %so = arith.muli %s, %c16384 : i32
    %a = arith.addi %at, %so : i32
    %v0 = wave.lds_load %a {wave.lds = array<i64: 0, 32768>, wave.slot = array<i64: 0, 2>} : vector<4xf16>
    %v1 = wave.lds_load %a {offset = 1024 : i64, wave.lds = array<i64: 0, 32768>, wave.slot = array<i64: 0, 2>} : vector<4xf16>
    %x1 = wave.mfma [32, 32, 8] %v0, %v0, %x0 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %y1 = wave.mfma [32, 32, 8] %v0, %v1, %y0 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %x2 = wave.mfma [32, 32, 8] %v1, %v0, %x1 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %y2 = wave.mfma [32, 32, 8] %v1, %v1, %y1 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %x3 = wave.mfma [32, 32, 8] %v0, %v1, %x2 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %y3 = wave.mfma [32, 32, 8] %v0, %v0, %y2 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %x4 = wave.mfma [32, 32, 8] %v1, %v1, %x3 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %y4 = wave.mfma [32, 32, 8] %v1, %v0, %y3 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %x5 = wave.mfma [32, 32, 8] %v0, %v0, %x4 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %y5 = wave.mfma [32, 32, 8] %v0, %v1, %y4 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %x6 = wave.mfma [32, 32, 8] %v1, %v0, %x5 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %y6 = wave.mfma [32, 32, 8] %v1, %v1, %y5 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %x7 = wave.mfma [32, 32, 8] %v0, %v1, %x6 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %y7 = wave.mfma [32, 32, 8] %v0, %v0, %y6 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %x8 = wave.mfma [32, 32, 8] %v1, %v1, %x7 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %y8 = wave.mfma [32, 32, 8] %v1, %v0, %y7 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %s1 = arith.remui %j, %c2 : i32
    %so1 = arith.muli %s1, %c16384 : i32
    %a1 = arith.addi %at, %so1 : i32
    wave.lds_store %g0, %a1 {wave.lds = array<i64: 0, 32768>, wave.slot = array<i64: 1, 2>} : vector<8xf16>
    wave.lds_store %g1, %a1 {offset = 4096 : i64, wave.lds = array<i64: 0, 32768>, wave.slot = array<i64: 1, 2>} : vector<8xf16>
    wave.lds_store %g2, %a1 {offset = 8192 : i64, wave.lds = array<i64: 0, 32768>, wave.slot = array<i64: 1, 2>} : vector<8xf16>
    wave.lds_store %g3, %a1 {offset = 12288 : i64, wave.lds = array<i64: 0, 32768>, wave.slot = array<i64: 1, 2>} : vector<8xf16>
    scf.yield %x8, %y8 : vector<16xf32>, vector<16xf32>
  }
  %sum = arith.addf %r#0, %r#1 : vector<16xf32>
  %e = vector.extract %sum[0] : f32 from vector<16xf32>
  wave.buffer_store %e, %rsrc[%at] : f32
  wave.return
}
