// RUN: tlc-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-join-accesses))' | FileCheck %s

// Row and column of a linear index, chunk of 8 columns XOR row mod 8: what is
// added to a multiple of 4 changes none of these.
// CHECK-LABEL: wave.kernel @swizzled
// CHECK: %[[ADDRESS:.*]] = arith.muli %{{.*}}, %c2{{.*}} : i32
// CHECK: %[[V:.*]] = vector.from_elements %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : vector<4xf16>
// CHECK-NEXT: wave.lds_store %[[V]], %[[ADDRESS]] : vector<4xf16>
// CHECK-NOT: wave.lds_store
wave.kernel @swizzled(%x: f16, %y: f16, %z: f16, %w: f16) attributes {lds_bytes = 8192 : i64, threads = 64 : i64} {
  %t = wave.thread_id
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c6 = arith.constant 6 : i32
  %c7 = arith.constant 7 : i32
  %c63 = arith.constant 63 : i32
  %c64 = arith.constant 64 : i32
  %c8 = arith.constant 8 : i32
  %first = arith.muli %t, %c4 : i32
  %r0 = arith.shrsi %first, %c6 : i32
  %j0 = arith.andi %first, %c63 : i32
  %m0 = arith.andi %r0, %c7 : i32
  %s0 = arith.muli %m0, %c8 : i32
  %k0 = arith.xori %j0, %s0 : i32
  %b0 = arith.muli %r0, %c64 : i32
  %e0 = arith.addi %b0, %k0 : i32
  %a0 = arith.muli %e0, %c2 : i32
  wave.lds_store %x, %a0 : f16
  %i1 = arith.addi %first, %c1 : i32
  %r1 = arith.shrsi %i1, %c6 : i32
  %j1 = arith.andi %i1, %c63 : i32
  %m1 = arith.andi %r1, %c7 : i32
  %s1 = arith.muli %m1, %c8 : i32
  %k1 = arith.xori %j1, %s1 : i32
  %b1 = arith.muli %r1, %c64 : i32
  %e1 = arith.addi %b1, %k1 : i32
  %a1 = arith.muli %e1, %c2 : i32
  wave.lds_store %y, %a1 : f16
  wave.lds_store %z, %a0 {offset = 4 : i64} : f16
  wave.lds_store %w, %a1 {offset = 4 : i64} : f16
  wave.return
}

// Loads, in whatever order; the address of the first is there. A constant that
// the value's zeros do not hold is a part of the value.
// CHECK-LABEL: wave.kernel @loads
// CHECK: %[[ONE:.*]] = arith.constant -1 : i32
// CHECK: %[[A:.*]] = arith.addi %{{.*}}, %[[ONE]] : i32
// CHECK: %[[V:.*]] = wave.lds_load %[[A]] : vector<4xi8>
// CHECK: vector.extract %[[V]][0]
// CHECK: vector.extract %[[V]][3]
// CHECK-NOT: wave.lds_load
wave.kernel @loads(%p: !wave.ptr) attributes {lds_bytes = 8192 : i64, threads = 64 : i64} {
  %t = wave.thread_id
  %c4 = arith.constant 4 : i32
  %c1 = arith.constant 1 : i32
  %c1024 = arith.constant 1024 : i32
  %c0 = arith.constant 0 : i32
  %c2047 = arith.constant 2047 : i32
  %f = arith.muli %t, %c4 : i32
  %g = arith.addi %f, %c1024 : i32
  %h = arith.addi %g, %c1 : i32
  %m = arith.andi %h, %c2047 : i32
  %n = arith.andi %g, %c2047 : i32
  %b = wave.lds_load %m : i8
  %a = wave.lds_load %n : i8
  %c = wave.lds_load %n {offset = 2 : i64} : i8
  %d = wave.lds_load %m {offset = 2 : i64} : i8
  %ab = arith.addi %a, %b : i8
  %cd = arith.addi %c, %d : i8
  %s = arith.addi %ab, %cd : i8
  wave.global_store %s, %p[%c0 : i32] : i8
  wave.return
}

// Two rows of global memory, element by element in turns: one load of each.
// CHECK-LABEL: wave.kernel @global
// CHECK: %[[X:.*]] = wave.buffer_load %{{.*}}[%[[AT:.*]]] : vector<4xf16>
// CHECK: vector.extract %[[X]][3]
// CHECK: %[[Y:.*]] = wave.buffer_load %{{.*}}[%[[AT]]] : vector<4xf16>
// CHECK: vector.extract %[[Y]][3]
// CHECK-NOT: wave.buffer_load
wave.kernel @global(%p: !wave.ptr, %q: !wave.ptr) attributes {lds_bytes = 8192 : i64, threads = 64 : i64} {
  %t = wave.thread_id
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %c8 = arith.constant 8 : i32
  %size = arith.constant 1024 : i32
  %A = wave.resource %p, %size : i32
  %B = wave.resource %q, %size : i32
  %a = arith.muli %t, %c8 : i32
  %b = arith.addi %a, %c4 : i32
  %x0 = wave.buffer_load %A[%a] : f16
  %y0 = wave.buffer_load %B[%a] : f16
  %x1 = wave.buffer_load %A[%a] {offset = 2 : i64} : f16
  %y1 = wave.buffer_load %B[%a] {offset = 2 : i64} : f16
  %x2 = wave.buffer_load %A[%b] : f16
  %y2 = wave.buffer_load %B[%b] : f16
  %x3 = wave.buffer_load %A[%b] {offset = 2 : i64} : f16
  %y3 = wave.buffer_load %B[%b] {offset = 2 : i64} : f16
  %s0 = arith.addf %x0, %y0 : f16
  %s1 = arith.addf %x1, %y1 : f16
  %s2 = arith.addf %x2, %y2 : f16
  %s3 = arith.addf %x3, %y3 : f16
  wave.lds_store %s0, %a : f16
  wave.barrier
  wave.lds_store %s1, %a : f16
  wave.barrier
  wave.lds_store %s2, %a : f16
  wave.barrier
  wave.lds_store %s3, %a : f16
  wave.return
}

// A row that an index from memory names: its elements are loaded together. Where
// there is no such row, the offset lies behind every buffer.
// CHECK-LABEL: wave.kernel @gather
// CHECK: %[[OFFSET:.*]] = arith.select %{{.*}}, %{{.*}}, %c-2147483648_i32 : i32
// CHECK: %[[X:.*]] = wave.buffer_load %{{.*}}[%[[OFFSET]]] : vector<2xf16>
// CHECK-NOT: wave.buffer_load
// CHECK: wave.lds_store
wave.kernel @gather(%p: !wave.ptr) attributes {lds_bytes = 8192 : i64, threads = 64 : i64} {
  %t = wave.thread_id
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %c128 = arith.constant 128 : i32
  %outside = arith.constant -2147483648 : i32
  %rows = arith.constant 64 : i32
  %size = arith.constant 8192 : i32
  %A = wave.resource %p, %size : i32
  %index = wave.buffer_load %A[%t] : i32
  %exists = arith.cmpi ult, %index, %rows : i32
  %row = arith.muli %index, %c128 : i32
  %col = arith.muli %t, %c4 : i32
  %at = arith.addi %row, %col : i32
  %hidden = wave.opaque %at : i32
  %offset = arith.select %exists, %hidden, %outside : i32
  %x0 = wave.buffer_load %A[%offset] : f16
  %next = arith.addi %at, %c2 : i32
  %hidden1 = wave.opaque %next : i32
  %offset1 = arith.select %exists, %hidden1, %outside : i32
  %x1 = wave.buffer_load %A[%offset1] : f16
  wave.lds_store %x0, %col : f16
  wave.barrier
  wave.lds_store %x1, %col : f16
  wave.return
}

// Stores of one row, each behind the row's condition: one branch, one store.
// CHECK-LABEL: wave.kernel @guarded
// CHECK: scf.if
// CHECK: vector.from_elements %{{.*}}, %{{.*}} : vector<2xf16>
// CHECK: wave.buffer_store %{{.*}}, %{{.*}}[%{{.*}}] : vector<2xf16>
// CHECK-NOT: wave.buffer_store
// CHECK: wave.return
wave.kernel @guarded(%p: !wave.ptr, %n: i32, %x: f16, %y: f16) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %t = wave.thread_id
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %outside = arith.constant -2147483648 : i32
  %rows = arith.constant 64 : i32
  %size = arith.constant 8192 : i32
  %A = wave.resource %p, %size : i32
  %below = arith.cmpi slt, %t, %n : i32
  %at = arith.muli %t, %c4 : i32
  scf.if %below {
    %exists = arith.cmpi ult, %t, %rows : i32
    %offset = arith.select %exists, %at, %outside : i32
    wave.buffer_store %x, %A[%offset] : f16
  }
  %next = arith.addi %at, %c2 : i32
  scf.if %below {
    %exists = arith.cmpi ult, %t, %rows : i32
    %offset = arith.select %exists, %next, %outside : i32
    wave.buffer_store %y, %A[%offset] : f16
  }
  wave.return
}

// Elements of one access that are kept or replaced by a constant together are
// chosen as a vector; those of two conditions are not.
// CHECK-LABEL: wave.kernel @chosen
// CHECK: %[[V:.*]] = wave.buffer_load %{{.*}} : vector<4xf16>
// CHECK: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : vector<4xf16>
// CHECK: %[[W:.*]] = arith.select %{{.*}}, %[[V]], %[[ZEROS]] : vector<4xf16>
// CHECK: wave.lds_store %[[W]]
// CHECK: %[[U:.*]] = arith.select %{{.*}} : f16
// CHECK: %[[P:.*]] = vector.from_elements %{{.*}}, %{{.*}}, %{{.*}}, %[[U]]
// CHECK: wave.lds_store %[[P]]
wave.kernel @chosen(%p: !wave.ptr, %n: i32) attributes {lds_bytes = 4096 : i64, threads = 64 : i64} {
  %c8 = arith.constant 8 : i32
  %bytes = arith.constant 4096 : i32
  %zero = arith.constant 0.0 : f16
  %t = wave.thread_id
  %at = arith.muli %t, %c8 : i32
  %rsrc = wave.resource %p, %bytes : i32
  %v = wave.buffer_load %rsrc[%at] : vector<4xf16>
  %in = arith.cmpi slt, %t, %n : i32
  %other = arith.cmpi sgt, %t, %n : i32
  %v0 = vector.extract %v[0] : f16 from vector<4xf16>
  %v1 = vector.extract %v[1] : f16 from vector<4xf16>
  %v2 = vector.extract %v[2] : f16 from vector<4xf16>
  %v3 = vector.extract %v[3] : f16 from vector<4xf16>
  %s0 = arith.select %in, %v0, %zero : f16
  %s1 = arith.select %in, %v1, %zero : f16
  %s2 = arith.select %in, %v2, %zero : f16
  %s3 = arith.select %in, %v3, %zero : f16
  %w = vector.from_elements %s0, %s1, %s2, %s3 : vector<4xf16>
  wave.lds_store %w, %at : vector<4xf16>
  %u = arith.select %other, %v3, %zero : f16
  %x = vector.from_elements %s0, %s1, %s2, %u : vector<4xf16>
  wave.lds_store %x, %at {offset = 2048 : i64} : vector<4xf16>
  wave.return
}

// Of poison no vector of constants can be made.
// CHECK-LABEL: wave.kernel @poison
// CHECK: %[[S:.*]] = arith.select %{{.*}} : f16
// CHECK: vector.from_elements %[[S]], %{{.*}} : vector<2xf16>
wave.kernel @poison(%p: !wave.ptr, %n: i32) attributes {lds_bytes = 4096 : i64, threads = 64 : i64} {
  %c4 = arith.constant 4 : i32
  %bytes = arith.constant 4096 : i32
  %any = ub.poison : f16
  %t = wave.thread_id
  %at = arith.muli %t, %c4 : i32
  %rsrc = wave.resource %p, %bytes : i32
  %v = wave.buffer_load %rsrc[%at] : vector<2xf16>
  %in = arith.cmpi slt, %t, %n : i32
  %v0 = vector.extract %v[0] : f16 from vector<2xf16>
  %v1 = vector.extract %v[1] : f16 from vector<2xf16>
  %s0 = arith.select %in, %v0, %any : f16
  %s1 = arith.select %in, %v1, %any : f16
  %w = vector.from_elements %s0, %s1 : vector<2xf16>
  wave.lds_store %w, %at : vector<2xf16>
  wave.return
}
