// RUN: tlc-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-schedule))' | FileCheck %s
// RUN: tlc-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-schedule))' | FileCheck %s --check-prefix=TWO
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

// A loop of three barriers that adds to global memory overlaps: two barriers
// order both tiles, the second of which is written by one iteration while the
// next one writes the first. Before the loop nothing is added but by its first
// row, which stands there so that waits in the loop may count the atomics.
// Two rows a turn hand their values on without moves; the last one is left over.
// CHECK-LABEL: wave.kernel @adds
// CHECK: wave.global_atomic
// CHECK-NOT: wave.global_atomic
// CHECK: scf.for
// CHECK-COUNT-2: wave.global_atomic
// CHECK-NOT: wave.global_atomic
// CHECK: scf.yield
// CHECK: wave.scheduled
// CHECK: wave.global_atomic
// CHECK-NOT: wave.global_atomic
// CHECK: wave.barrier
// CHECK: wave.return
// TWO-LABEL: wave.kernel @adds
// TWO: scf.for
// TWO-COUNT-4: wave.barrier
// TWO-NOT: wave.barrier
// TWO: scf.yield
// APART-LABEL: wave.kernel @adds
// APART-NOT: wave.barrier
// APART-NOT: wave.global_atomic
// APART: scf.for
// APART-COUNT-3: wave.barrier
// APART: wave.global_atomic
// APART: scf.yield
wave.kernel @adds(%p: !wave.ptr, %q: !wave.ptr) attributes {lds_bytes = 8192 : i64, threads = 128 : i64} {
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
  %r:2 = scf.for %i = %c0 to %c16 step %c1 iter_args(%x = %zero, %n = %first) -> (vector<16xf32>, vector<8xf16>) : i32 {
    wave.barrier
    wave.lds_store %n, %at {wave.lds = array<i64: 0, 4096>} : vector<8xf16>
    wave.barrier
    %j = arith.addi %i, %c1 : i32
    %from = arith.muli %j, %c4096 : i32
    %g = wave.buffer_load %rsrc[%at, %from] : vector<8xf16>
    %v0 = wave.lds_load %at {wave.lds = array<i64: 0, 4096>} : vector<4xf16>
    %v1 = wave.lds_load %at {offset = 1024 : i64, wave.lds = array<i64: 0, 4096>} : vector<4xf16>
    %x0 = wave.mfma [32, 32, 8] %v0, %v0, %x : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %x1 = wave.mfma [32, 32, 8] %v0, %v1, %x0 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %x2 = wave.mfma [32, 32, 8] %v0, %v0, %x1 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %x3 = wave.mfma [32, 32, 8] %v0, %v1, %x2 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %x4 = wave.mfma [32, 32, 8] %v0, %v0, %x3 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %x5 = wave.mfma [32, 32, 8] %v0, %v1, %x4 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %x6 = wave.mfma [32, 32, 8] %v0, %v0, %x5 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %x7 = wave.mfma [32, 32, 8] %v0, %v1, %x6 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %p0 = vector.extract_strided_slice %x7 {offsets = [0], sizes = [2], strides = [1]} : vector<16xf32> to vector<2xf32>
    %e0 = math.exp2 %p0 : vector<2xf32>
    %p1 = vector.extract_strided_slice %x7 {offsets = [2], sizes = [2], strides = [1]} : vector<16xf32> to vector<2xf32>
    %e1 = math.exp2 %p1 : vector<2xf32>
    %p2 = vector.extract_strided_slice %x7 {offsets = [4], sizes = [2], strides = [1]} : vector<16xf32> to vector<2xf32>
    %e2 = math.exp2 %p2 : vector<2xf32>
    %p3 = vector.extract_strided_slice %x7 {offsets = [6], sizes = [2], strides = [1]} : vector<16xf32> to vector<2xf32>
    %e3 = math.exp2 %p3 : vector<2xf32>
    %p4 = vector.extract_strided_slice %x7 {offsets = [8], sizes = [2], strides = [1]} : vector<16xf32> to vector<2xf32>
    %e4 = math.exp2 %p4 : vector<2xf32>
    %p5 = vector.extract_strided_slice %x7 {offsets = [10], sizes = [2], strides = [1]} : vector<16xf32> to vector<2xf32>
    %e5 = math.exp2 %p5 : vector<2xf32>
    %p6 = vector.extract_strided_slice %x7 {offsets = [12], sizes = [2], strides = [1]} : vector<16xf32> to vector<2xf32>
    %e6 = math.exp2 %p6 : vector<2xf32>
    %p7 = vector.extract_strided_slice %x7 {offsets = [14], sizes = [2], strides = [1]} : vector<16xf32> to vector<2xf32>
    %e7 = math.exp2 %p7 : vector<2xf32>
    %s1 = arith.addf %e0, %e1 : vector<2xf32>
    %s2 = arith.addf %s1, %e2 : vector<2xf32>
    %s3 = arith.addf %s2, %e3 : vector<2xf32>
    %s4 = arith.addf %s3, %e4 : vector<2xf32>
    %s5 = arith.addf %s4, %e5 : vector<2xf32>
    %s6 = arith.addf %s5, %e6 : vector<2xf32>
    %s7 = arith.addf %s6, %e7 : vector<2xf32>
    %half = arith.truncf %s7 : vector<2xf32> to vector<2xf16>
    wave.lds_store %half, %at {offset = 4096 : i64, wave.lds = array<i64: 4096, 8192>} : vector<2xf16>
    wave.barrier
    %w = wave.lds_load %at {offset = 4096 : i64, wave.lds = array<i64: 4096, 8192>} : vector<4xf16>
    %z0 = wave.mfma [32, 32, 8] %w, %v0, %zero : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %z1 = wave.mfma [32, 32, 8] %w, %v1, %z0 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %z2 = wave.mfma [32, 32, 8] %w, %v0, %z1 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %z3 = wave.mfma [32, 32, 8] %w, %v1, %z2 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %z4 = wave.mfma [32, 32, 8] %w, %v0, %z3 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %z5 = wave.mfma [32, 32, 8] %w, %v1, %z4 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %z6 = wave.mfma [32, 32, 8] %w, %v0, %z5 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %z7 = wave.mfma [32, 32, 8] %w, %v1, %z6 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %e = vector.extract %z7[0] : f32 from vector<16xf32>
    %old = wave.global_atomic add %e, %q[%at : i32] : f32 -> f32
    scf.yield %x7, %g : vector<16xf32>, vector<8xf16>
  }
  %last = vector.extract %r#0[0] : f32 from vector<16xf32>
  wave.buffer_store %last, %rsrc[%at] : f32
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

// Rows that are transposed in registers on their way from LDS to the matrix
// instructions of a second product, which waits for the first: where registers
// are short, they are read and transposed when that one is done, and not as
// soon as they could be.
// APART-LABEL: wave.kernel @transposed
// APART: scf.for
// APART-COUNT-9: wave.mfma
// APART-COUNT-10: vector.from_elements {{.*}} : vector<4xf16>
// APART: scf.yield
wave.kernel @transposed(%p: !wave.ptr) attributes {lds_bytes = 65536 : i64, threads = 1024 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %bytes = arith.constant 65536 : i32
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %one = arith.constant dense<1.0> : vector<4xf16>
  %t = wave.thread_id
  %at = arith.muli %t, %c16 : i32
  %rsrc = wave.resource %p, %bytes : i32
  %r:8 = scf.for %i = %c0 to %c16 step %c1 iter_args(%x0 = %zero, %x1 = %zero, %x2 = %zero, %x3 = %zero, %x4 = %zero, %x5 = %zero, %x6 = %zero, %x7 = %zero) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) : i32 {
    %y0 = wave.mfma [32, 32, 8] %one, %one, %x0 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %y1 = wave.mfma [32, 32, 8] %one, %one, %x1 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %y2 = wave.mfma [32, 32, 8] %one, %one, %x2 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %y3 = wave.mfma [32, 32, 8] %one, %one, %x3 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %y4 = wave.mfma [32, 32, 8] %one, %one, %x4 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %y5 = wave.mfma [32, 32, 8] %one, %one, %x5 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %y6 = wave.mfma [32, 32, 8] %one, %one, %x6 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %y7 = wave.mfma [32, 32, 8] %one, %one, %x7 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %f0 = vector.extract %y7[0] : f32 from vector<16xf32>
    %g0 = math.exp2 %f0 : f32
    %f1 = vector.extract %y7[1] : f32 from vector<16xf32>
    %g1 = math.exp2 %f1 : f32
    %f2 = vector.extract %y7[2] : f32 from vector<16xf32>
    %g2 = math.exp2 %f2 : f32
    %f3 = vector.extract %y7[3] : f32 from vector<16xf32>
    %g3 = math.exp2 %f3 : f32
    %g = vector.from_elements %g0, %g1, %g2, %g3 : vector<4xf32>
    %b = arith.truncf %g : vector<4xf32> to vector<4xf16>
    %v0_0 = wave.lds_load %at {offset = 0 : i64, wave.lds = array<i64: 0, 65536>} : vector<4xf16>
    %v0_1 = wave.lds_load %at {offset = 4096 : i64, wave.lds = array<i64: 0, 65536>} : vector<4xf16>
    %v0_2 = wave.lds_load %at {offset = 8192 : i64, wave.lds = array<i64: 0, 65536>} : vector<4xf16>
    %v0_3 = wave.lds_load %at {offset = 12288 : i64, wave.lds = array<i64: 0, 65536>} : vector<4xf16>
    %e0_0_0 = vector.extract %v0_0[0] : f16 from vector<4xf16>
    %e0_0_1 = vector.extract %v0_1[0] : f16 from vector<4xf16>
    %e0_0_2 = vector.extract %v0_2[0] : f16 from vector<4xf16>
    %e0_0_3 = vector.extract %v0_3[0] : f16 from vector<4xf16>
    %o0_0 = vector.from_elements %e0_0_0, %e0_0_1, %e0_0_2, %e0_0_3 : vector<4xf16>
    %e0_1_0 = vector.extract %v0_0[1] : f16 from vector<4xf16>
    %e0_1_1 = vector.extract %v0_1[1] : f16 from vector<4xf16>
    %e0_1_2 = vector.extract %v0_2[1] : f16 from vector<4xf16>
    %e0_1_3 = vector.extract %v0_3[1] : f16 from vector<4xf16>
    %o0_1 = vector.from_elements %e0_1_0, %e0_1_1, %e0_1_2, %e0_1_3 : vector<4xf16>
    %e0_2_0 = vector.extract %v0_0[2] : f16 from vector<4xf16>
    %e0_2_1 = vector.extract %v0_1[2] : f16 from vector<4xf16>
    %e0_2_2 = vector.extract %v0_2[2] : f16 from vector<4xf16>
    %e0_2_3 = vector.extract %v0_3[2] : f16 from vector<4xf16>
    %o0_2 = vector.from_elements %e0_2_0, %e0_2_1, %e0_2_2, %e0_2_3 : vector<4xf16>
    %e0_3_0 = vector.extract %v0_0[3] : f16 from vector<4xf16>
    %e0_3_1 = vector.extract %v0_1[3] : f16 from vector<4xf16>
    %e0_3_2 = vector.extract %v0_2[3] : f16 from vector<4xf16>
    %e0_3_3 = vector.extract %v0_3[3] : f16 from vector<4xf16>
    %o0_3 = vector.from_elements %e0_3_0, %e0_3_1, %e0_3_2, %e0_3_3 : vector<4xf16>
    %v1_0 = wave.lds_load %at {offset = 16384 : i64, wave.lds = array<i64: 0, 65536>} : vector<4xf16>
    %v1_1 = wave.lds_load %at {offset = 20480 : i64, wave.lds = array<i64: 0, 65536>} : vector<4xf16>
    %v1_2 = wave.lds_load %at {offset = 24576 : i64, wave.lds = array<i64: 0, 65536>} : vector<4xf16>
    %v1_3 = wave.lds_load %at {offset = 28672 : i64, wave.lds = array<i64: 0, 65536>} : vector<4xf16>
    %e1_0_0 = vector.extract %v1_0[0] : f16 from vector<4xf16>
    %e1_0_1 = vector.extract %v1_1[0] : f16 from vector<4xf16>
    %e1_0_2 = vector.extract %v1_2[0] : f16 from vector<4xf16>
    %e1_0_3 = vector.extract %v1_3[0] : f16 from vector<4xf16>
    %o1_0 = vector.from_elements %e1_0_0, %e1_0_1, %e1_0_2, %e1_0_3 : vector<4xf16>
    %e1_1_0 = vector.extract %v1_0[1] : f16 from vector<4xf16>
    %e1_1_1 = vector.extract %v1_1[1] : f16 from vector<4xf16>
    %e1_1_2 = vector.extract %v1_2[1] : f16 from vector<4xf16>
    %e1_1_3 = vector.extract %v1_3[1] : f16 from vector<4xf16>
    %o1_1 = vector.from_elements %e1_1_0, %e1_1_1, %e1_1_2, %e1_1_3 : vector<4xf16>
    %e1_2_0 = vector.extract %v1_0[2] : f16 from vector<4xf16>
    %e1_2_1 = vector.extract %v1_1[2] : f16 from vector<4xf16>
    %e1_2_2 = vector.extract %v1_2[2] : f16 from vector<4xf16>
    %e1_2_3 = vector.extract %v1_3[2] : f16 from vector<4xf16>
    %o1_2 = vector.from_elements %e1_2_0, %e1_2_1, %e1_2_2, %e1_2_3 : vector<4xf16>
    %e1_3_0 = vector.extract %v1_0[3] : f16 from vector<4xf16>
    %e1_3_1 = vector.extract %v1_1[3] : f16 from vector<4xf16>
    %e1_3_2 = vector.extract %v1_2[3] : f16 from vector<4xf16>
    %e1_3_3 = vector.extract %v1_3[3] : f16 from vector<4xf16>
    %o1_3 = vector.from_elements %e1_3_0, %e1_3_1, %e1_3_2, %e1_3_3 : vector<4xf16>
    %v2_0 = wave.lds_load %at {offset = 32768 : i64, wave.lds = array<i64: 0, 65536>} : vector<4xf16>
    %v2_1 = wave.lds_load %at {offset = 36864 : i64, wave.lds = array<i64: 0, 65536>} : vector<4xf16>
    %v2_2 = wave.lds_load %at {offset = 40960 : i64, wave.lds = array<i64: 0, 65536>} : vector<4xf16>
    %v2_3 = wave.lds_load %at {offset = 45056 : i64, wave.lds = array<i64: 0, 65536>} : vector<4xf16>
    %e2_0_0 = vector.extract %v2_0[0] : f16 from vector<4xf16>
    %e2_0_1 = vector.extract %v2_1[0] : f16 from vector<4xf16>
    %e2_0_2 = vector.extract %v2_2[0] : f16 from vector<4xf16>
    %e2_0_3 = vector.extract %v2_3[0] : f16 from vector<4xf16>
    %o2_0 = vector.from_elements %e2_0_0, %e2_0_1, %e2_0_2, %e2_0_3 : vector<4xf16>
    %e2_1_0 = vector.extract %v2_0[1] : f16 from vector<4xf16>
    %e2_1_1 = vector.extract %v2_1[1] : f16 from vector<4xf16>
    %e2_1_2 = vector.extract %v2_2[1] : f16 from vector<4xf16>
    %e2_1_3 = vector.extract %v2_3[1] : f16 from vector<4xf16>
    %o2_1 = vector.from_elements %e2_1_0, %e2_1_1, %e2_1_2, %e2_1_3 : vector<4xf16>
    %e2_2_0 = vector.extract %v2_0[2] : f16 from vector<4xf16>
    %e2_2_1 = vector.extract %v2_1[2] : f16 from vector<4xf16>
    %e2_2_2 = vector.extract %v2_2[2] : f16 from vector<4xf16>
    %e2_2_3 = vector.extract %v2_3[2] : f16 from vector<4xf16>
    %o2_2 = vector.from_elements %e2_2_0, %e2_2_1, %e2_2_2, %e2_2_3 : vector<4xf16>
    %e2_3_0 = vector.extract %v2_0[3] : f16 from vector<4xf16>
    %e2_3_1 = vector.extract %v2_1[3] : f16 from vector<4xf16>
    %e2_3_2 = vector.extract %v2_2[3] : f16 from vector<4xf16>
    %e2_3_3 = vector.extract %v2_3[3] : f16 from vector<4xf16>
    %o2_3 = vector.from_elements %e2_3_0, %e2_3_1, %e2_3_2, %e2_3_3 : vector<4xf16>
    %v3_0 = wave.lds_load %at {offset = 49152 : i64, wave.lds = array<i64: 0, 65536>} : vector<4xf16>
    %v3_1 = wave.lds_load %at {offset = 53248 : i64, wave.lds = array<i64: 0, 65536>} : vector<4xf16>
    %v3_2 = wave.lds_load %at {offset = 57344 : i64, wave.lds = array<i64: 0, 65536>} : vector<4xf16>
    %v3_3 = wave.lds_load %at {offset = 61440 : i64, wave.lds = array<i64: 0, 65536>} : vector<4xf16>
    %e3_0_0 = vector.extract %v3_0[0] : f16 from vector<4xf16>
    %e3_0_1 = vector.extract %v3_1[0] : f16 from vector<4xf16>
    %e3_0_2 = vector.extract %v3_2[0] : f16 from vector<4xf16>
    %e3_0_3 = vector.extract %v3_3[0] : f16 from vector<4xf16>
    %o3_0 = vector.from_elements %e3_0_0, %e3_0_1, %e3_0_2, %e3_0_3 : vector<4xf16>
    %e3_1_0 = vector.extract %v3_0[1] : f16 from vector<4xf16>
    %e3_1_1 = vector.extract %v3_1[1] : f16 from vector<4xf16>
    %e3_1_2 = vector.extract %v3_2[1] : f16 from vector<4xf16>
    %e3_1_3 = vector.extract %v3_3[1] : f16 from vector<4xf16>
    %o3_1 = vector.from_elements %e3_1_0, %e3_1_1, %e3_1_2, %e3_1_3 : vector<4xf16>
    %e3_2_0 = vector.extract %v3_0[2] : f16 from vector<4xf16>
    %e3_2_1 = vector.extract %v3_1[2] : f16 from vector<4xf16>
    %e3_2_2 = vector.extract %v3_2[2] : f16 from vector<4xf16>
    %e3_2_3 = vector.extract %v3_3[2] : f16 from vector<4xf16>
    %o3_2 = vector.from_elements %e3_2_0, %e3_2_1, %e3_2_2, %e3_2_3 : vector<4xf16>
    %e3_3_0 = vector.extract %v3_0[3] : f16 from vector<4xf16>
    %e3_3_1 = vector.extract %v3_1[3] : f16 from vector<4xf16>
    %e3_3_2 = vector.extract %v3_2[3] : f16 from vector<4xf16>
    %e3_3_3 = vector.extract %v3_3[3] : f16 from vector<4xf16>
    %o3_3 = vector.from_elements %e3_3_0, %e3_3_1, %e3_3_2, %e3_3_3 : vector<4xf16>
    %z0 = wave.mfma [32, 32, 8] %o0_0, %b, %y0 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %z1 = wave.mfma [32, 32, 8] %o0_1, %b, %y1 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %z2 = wave.mfma [32, 32, 8] %o0_2, %b, %y2 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %z3 = wave.mfma [32, 32, 8] %o0_3, %b, %y3 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %z4 = wave.mfma [32, 32, 8] %o1_0, %b, %y4 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %z5 = wave.mfma [32, 32, 8] %o1_1, %b, %y5 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %z6 = wave.mfma [32, 32, 8] %o1_2, %b, %y6 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %z7 = wave.mfma [32, 32, 8] %o1_3, %b, %y7 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %w0 = wave.mfma [32, 32, 8] %o2_0, %b, %z0 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %w1 = wave.mfma [32, 32, 8] %o2_1, %b, %z1 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %w2 = wave.mfma [32, 32, 8] %o2_2, %b, %z2 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %w3 = wave.mfma [32, 32, 8] %o2_3, %b, %z3 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %w4 = wave.mfma [32, 32, 8] %o3_0, %b, %z4 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %w5 = wave.mfma [32, 32, 8] %o3_1, %b, %z5 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %w6 = wave.mfma [32, 32, 8] %o3_2, %b, %z6 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    %w7 = wave.mfma [32, 32, 8] %o3_3, %b, %z7 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    scf.yield %w0, %w1, %w2, %w3, %w4, %w5, %w6, %w7 : vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>
  }
  %sum = arith.addf %r#0, %r#1 : vector<16xf32>
  %s = vector.extract %sum[0] : f32 from vector<16xf32>
  wave.buffer_store %s, %rsrc[%at] : f32
  wave.return
}

// A step that a loop does only where a block is wanted is ordered as an
// iteration of its own: its load, which stands last, comes first.
// CHECK-LABEL: wave.kernel @wanted
// CHECK: scf.for
// CHECK: %[[R:.*]]:2 = scf.if %{{.*}} -> (vector<16xf32>, vector<16xf32>) {
// CHECK-NEXT: wave.barrier
// CHECK: wave.buffer_load
// CHECK: wave.mfma
// CHECK-NEXT: wave.sched_barrier
// CHECK: wave.mfma
// CHECK-NEXT: wave.sched_barrier
// CHECK: wave.lds_store
// CHECK: scf.yield
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[X:.*]], %[[Y:.*]] : vector<16xf32>, vector<16xf32>
// CHECK: } {wave.scheduled}
// CHECK-NEXT: scf.yield %[[R]]#0, %[[R]]#1
wave.kernel @wanted(%p: !wave.ptr, %mask: !wave.ptr) attributes {lds_bytes = 8192 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %c4096 = arith.constant 4096 : i32
  %bytes = arith.constant 65536 : i32
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %t = wave.thread_id
  %at = arith.muli %t, %c16 : i32
  %rsrc = wave.resource %p, %bytes : i32
  %r:2 = scf.for %i = %c0 to %c16 step %c1 iter_args(%x = %zero, %y = %zero) -> (vector<16xf32>, vector<16xf32>) : i32 {
    %m = wave.global_load %mask[%i : i32] : i32
    %want = arith.cmpi ne, %m, %c0 : i32
    %z:2 = scf.if %want -> (vector<16xf32>, vector<16xf32>) {
      wave.barrier
      %v0 = wave.lds_load %at {wave.lds = array<i64: 0, 4096>} : vector<4xf16>
      %v1 = wave.lds_load %at {offset = 1024 : i64, wave.lds = array<i64: 0, 4096>} : vector<4xf16>
      %x0 = wave.mfma [32, 32, 8] %v0, %v0, %x : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
      %y0 = wave.mfma [32, 32, 8] %v0, %v1, %y : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
      %x1 = wave.mfma [32, 32, 8] %v1, %v0, %x0 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
      %y1 = wave.mfma [32, 32, 8] %v1, %v1, %y0 : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
      %from = arith.muli %i, %c4096 : i32
      %g = wave.buffer_load %rsrc[%at, %from] : vector<8xf16>
      wave.lds_store %g, %at {offset = 4096 : i64, wave.lds = array<i64: 4096, 8192>} : vector<8xf16>
      scf.yield %x1, %y1 : vector<16xf32>, vector<16xf32>
    } else {
      scf.yield %x, %y : vector<16xf32>, vector<16xf32>
    }
    scf.yield %z#0, %z#1 : vector<16xf32>, vector<16xf32>
  }
  %sum = arith.addf %r#0, %r#1 : vector<16xf32>
  %e = vector.extract %sum[0] : f32 from vector<16xf32>
  wave.buffer_store %e, %rsrc[%at] : f32
  wave.return
}
