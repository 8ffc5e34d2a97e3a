// What must stay as it is.
// RUN: tlc-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-join-accesses))' | FileCheck %s
// CHECK-NOT: vector

// Addresses that are not aligned for more; a sum that may carry into the row.
// CHECK-LABEL: wave.kernel @apart
wave.kernel @apart(%x: f16, %y: f16) attributes {lds_bytes = 8192 : i64, threads = 64 : i64} {
  %t = wave.thread_id
  %c2 = arith.constant 2 : i32
  %c5 = arith.constant 5 : i32
  %c7 = arith.constant 7 : i32
  %c64 = arith.constant 64 : i32
  %a = arith.muli %t, %c2 : i32
  wave.lds_store %x, %a : f16
  wave.lds_store %y, %a {offset = 2 : i64} : f16
  %f = arith.muli %t, %c5 : i32
  %c1 = arith.constant 1 : i32
  %g = arith.addi %f, %c1 : i32
  %m = arith.andi %f, %c7 : i32
  %n = arith.andi %g, %c7 : i32
  %p = arith.muli %m, %c2 : i32
  %q = arith.muli %n, %c2 : i32
  wave.barrier
  wave.lds_store %x, %p : f16
  wave.lds_store %y, %q : f16
  wave.return
}

// A barrier between, a load between, one place twice.
// CHECK-LABEL: wave.kernel @ordered
wave.kernel @ordered(%x: f16, %y: f16, %p: !wave.ptr) attributes {lds_bytes = 8192 : i64, threads = 64 : i64} {
  %t = wave.thread_id
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %a = arith.muli %t, %c4 : i32
  wave.lds_store %x, %a : f16
  wave.barrier
  wave.lds_store %y, %a {offset = 2 : i64} : f16
  wave.barrier
  wave.lds_store %x, %a : f16
  %l = wave.lds_load %c0 : f16
  wave.lds_store %l, %a {offset = 2 : i64} : f16
  wave.barrier
  wave.lds_store %x, %a : f16
  wave.lds_store %y, %a {offset = 2 : i64} : f16
  wave.lds_store %y, %a : f16
  wave.return
}

// The buffer ends within a pair, at a place that is not known, or a store comes
// between.
// CHECK-LABEL: wave.kernel @ends
wave.kernel @ends(%p: !wave.ptr, %size: i32) attributes {lds_bytes = 8192 : i64, threads = 64 : i64} {
  %t = wave.thread_id
  %c4 = arith.constant 4 : i32
  %odd = arith.constant 1022 : i32
  %even = arith.constant 1024 : i32
  %A = wave.resource %p, %odd : i32
  %B = wave.resource %p, %size : i32
  %C = wave.resource %p, %even : i32
  %a = arith.muli %t, %c4 : i32
  %x0 = wave.buffer_load %A[%a] : f16
  %x1 = wave.buffer_load %A[%a] {offset = 2 : i64} : f16
  %y0 = wave.buffer_load %B[%a] : f16
  %y1 = wave.buffer_load %B[%a] {offset = 2 : i64} : f16
  %z0 = wave.buffer_load %C[%a] : f16
  wave.buffer_store %x1, %C[%a] {offset = 2 : i64} : f16
  %z1 = wave.buffer_load %C[%a] {offset = 2 : i64} : f16
  %s0 = arith.addf %x0, %x1 : f16
  %s1 = arith.addf %y0, %y1 : f16
  %s2 = arith.addf %z0, %z1 : f16
  wave.lds_store %s0, %a : f16
  wave.barrier
  wave.lds_store %s1, %a : f16
  wave.barrier
  wave.lds_store %s2, %a : f16
  wave.return
}

// Two rows, which may exist or not each for itself.
// CHECK-LABEL: wave.kernel @two_conditions
// CHECK: wave.buffer_load {{.*}} : f16
// CHECK: wave.buffer_load {{.*}} : f16
wave.kernel @two_conditions(%p: !wave.ptr, %i: i32, %j: i32) attributes {lds_bytes = 8192 : i64, threads = 64 : i64} {
  %t = wave.thread_id
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %outside = arith.constant -2147483648 : i32
  %rows = arith.constant 64 : i32
  %size = arith.constant 8192 : i32
  %A = wave.resource %p, %size : i32
  %one = arith.cmpi ult, %i, %rows : i32
  %other = arith.cmpi ult, %j, %rows : i32
  %at = arith.muli %t, %c4 : i32
  %offset = arith.select %one, %at, %outside : i32
  %x0 = wave.buffer_load %A[%offset] : f16
  %next = arith.addi %at, %c2 : i32
  %offset1 = arith.select %other, %next, %outside : i32
  %x1 = wave.buffer_load %A[%offset1] : f16
  %s = arith.addf %x0, %x1 : f16
  wave.lds_store %s, %at : f16
  wave.return
}

// Where the row does not exist, an element of the buffer is loaded.
// CHECK-LABEL: wave.kernel @inside
// CHECK: wave.buffer_load {{.*}} : f16
// CHECK: wave.buffer_load {{.*}} : f16
wave.kernel @inside(%p: !wave.ptr, %i: i32) attributes {lds_bytes = 8192 : i64, threads = 64 : i64} {
  %t = wave.thread_id
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %first = arith.constant 0 : i32
  %rows = arith.constant 64 : i32
  %size = arith.constant 8192 : i32
  %A = wave.resource %p, %size : i32
  %one = arith.cmpi ult, %i, %rows : i32
  %at = arith.muli %t, %c4 : i32
  %offset = arith.select %one, %at, %first : i32
  %x0 = wave.buffer_load %A[%offset] : f16
  %next = arith.addi %at, %c2 : i32
  %offset1 = arith.select %one, %next, %first : i32
  %x1 = wave.buffer_load %A[%offset1] : f16
  %s = arith.addf %x0, %x1 : f16
  wave.lds_store %s, %at : f16
  wave.return
}

// The element behind comes first: its address, less a constant, would not be
// what the range check may see.
// CHECK-LABEL: wave.kernel @downwards
// CHECK: wave.buffer_load {{.*}} : f16
// CHECK: wave.buffer_load {{.*}} : f16
wave.kernel @downwards(%p: !wave.ptr, %i: i32) attributes {lds_bytes = 8192 : i64, threads = 64 : i64} {
  %t = wave.thread_id
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %outside = arith.constant -2147483648 : i32
  %rows = arith.constant 64 : i32
  %size = arith.constant 8192 : i32
  %A = wave.resource %p, %size : i32
  %one = arith.cmpi ult, %i, %rows : i32
  %at = arith.muli %t, %c4 : i32
  %next = arith.addi %at, %c2 : i32
  %offset1 = arith.select %one, %next, %outside : i32
  %x1 = wave.buffer_load %A[%offset1] : f16
  %offset = arith.select %one, %at, %outside : i32
  %x0 = wave.buffer_load %A[%offset] : f16
  %s = arith.addf %x0, %x1 : f16
  wave.lds_store %s, %at : f16
  wave.return
}

// Between the stores something is read that the first may have written.
// CHECK-LABEL: wave.kernel @read_between
// CHECK: wave.buffer_store {{.*}} : f16
// CHECK: wave.buffer_load
// CHECK: wave.buffer_store {{.*}} : f16
wave.kernel @read_between(%p: !wave.ptr, %q: !wave.ptr, %x: f16) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %t = wave.thread_id
  %c4 = arith.constant 4 : i32
  %size = arith.constant 8192 : i32
  %A = wave.resource %p, %size : i32
  %B = wave.resource %q, %size : i32
  %at = arith.muli %t, %c4 : i32
  wave.buffer_store %x, %A[%at] : f16
  %y = wave.buffer_load %B[%at] : f16
  wave.buffer_store %y, %A[%at] {offset = 2 : i64} : f16
  wave.return
}

// Another store stands between them, which may be to the same place.
// CHECK-LABEL: wave.kernel @written_between
// CHECK: wave.buffer_store {{.*}} : f16
// CHECK: wave.buffer_store {{.*}} : f16
// CHECK: wave.buffer_store {{.*}} : f16
wave.kernel @written_between(%p: !wave.ptr, %u: i32, %x: f16, %y: f16) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %t = wave.thread_id
  %c4 = arith.constant 4 : i32
  %size = arith.constant 8192 : i32
  %A = wave.resource %p, %size : i32
  %at = arith.muli %t, %c4 : i32
  wave.buffer_store %x, %A[%at] : f16
  wave.buffer_store %y, %A[%u] : f16
  wave.buffer_store %x, %A[%at] {offset = 2 : i64} : f16
  wave.return
}

// The second store to a place counts.
// CHECK-LABEL: wave.kernel @same_place
// CHECK: wave.buffer_store {{.*}} : f16
// CHECK: wave.buffer_store {{.*}} : f16
// CHECK: wave.buffer_store {{.*}} : f16
wave.kernel @same_place(%p: !wave.ptr, %x: f16, %y: f16) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %t = wave.thread_id
  %c4 = arith.constant 4 : i32
  %size = arith.constant 8192 : i32
  %A = wave.resource %p, %size : i32
  %at = arith.muli %t, %c4 : i32
  wave.buffer_store %x, %A[%at] : f16
  wave.buffer_store %y, %A[%at] {offset = 2 : i64} : f16
  wave.buffer_store %y, %A[%at] : f16
  wave.return
}

// Branches of two conditions, and of one with a barrier between them.
// CHECK-LABEL: wave.kernel @branches
// CHECK-COUNT-3: scf.if
wave.kernel @branches(%p: !wave.ptr, %n: i32, %m: i32, %x: f16) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %t = wave.thread_id
  %c4 = arith.constant 4 : i32
  %size = arith.constant 8192 : i32
  %A = wave.resource %p, %size : i32
  %at = arith.muli %t, %c4 : i32
  %one = arith.cmpi slt, %t, %n : i32
  %other = arith.cmpi slt, %t, %m : i32
  scf.if %one {
    wave.buffer_store %x, %A[%at] : f16
  }
  scf.if %other {
    wave.buffer_store %x, %A[%at] {offset = 2 : i64} : f16
  }
  wave.barrier
  scf.if %other {
    wave.buffer_store %x, %A[%at] : f16
  }
  wave.return
}
