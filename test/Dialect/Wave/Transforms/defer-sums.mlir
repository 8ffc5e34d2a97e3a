// RUN: tlc-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-defer-sums))' | FileCheck %s

// Each lane keeps the sum of its own weights; lanes exchange behind the last of
// two loops.
// CHECK-LABEL: wave.kernel @online
// CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[L:.*]] = %[[ZERO:.*]]) -> (f32)
// CHECK-NOT: wave.shuffle_xor
// CHECK: %[[E:.*]] = math.exp2
// CHECK: %[[M:.*]] = arith.mulf %[[L]], %{{.*}} : f32
// CHECK: %[[N:.*]] = arith.addf %[[M]], %[[E]] : f32
// CHECK: scf.yield %[[N]] : f32
// CHECK: %[[Q:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[R]]) -> (f32)
// CHECK-NOT: wave.shuffle_xor
// CHECK: }
// CHECK: %[[O:.*]] = wave.shuffle_xor %[[Q]], 32 : f32
// CHECK: %[[T:.*]] = arith.addf %[[Q]], %[[O]] : f32
// CHECK: %[[O2:.*]] = wave.shuffle_xor %[[T]], 16 : f32
// CHECK: %[[T2:.*]] = arith.addf %[[T]], %[[O2]] : f32
// CHECK: wave.global_store %[[T2]]
wave.kernel @online(%p: !wave.ptr, %s: f32, %f: f32, %n: i32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lane = wave.lane_id
  %x = arith.sitofp %lane : i32 to f32
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%l = %zero) -> (f32) : i32 {
    %e = math.exp2 %x : f32
    %o = wave.shuffle_xor %e, 32 : f32
    %t = arith.addf %e, %o : f32
    %o2 = wave.shuffle_xor %t, 16 : f32
    %t2 = arith.addf %t, %o2 : f32
    %m = arith.mulf %l, %f : f32
    %next = arith.addf %m, %t2 : f32
    scf.yield %next : f32
  }
  %q = scf.for %i = %c0 to %n step %c1 iter_args(%l = %r) -> (f32) : i32 {
    %e = math.exp2 %x : f32
    %o = wave.shuffle_xor %e, 32 : f32
    %t = arith.addf %e, %o : f32
    %o2 = wave.shuffle_xor %t, 16 : f32
    %t2 = arith.addf %t, %o2 : f32
    %next = arith.addf %l, %t2 : f32
    scf.yield %next : f32
  }
  wave.global_store %q, %p[%c0 : i32] : f32
  wave.return
}

// Dot products add to the running sum from the first one on; a sum of which
// something else is read stays.
// CHECK-LABEL: wave.kernel @dots
// CHECK: scf.for {{.*}} iter_args(%[[L:.*]] = %{{.*}}, %[[K:.*]] = %{{.*}}) -> (f32, f32)
// CHECK: %[[M:.*]] = arith.mulf %[[L]], %{{.*}} : f32
// CHECK: %[[D:.*]] = wave.dot2 %{{.*}}, %{{.*}}, %[[M]] :
// CHECK: %[[N:.*]] = wave.dot2 %{{.*}}, %{{.*}}, %[[D]] :
// CHECK: %[[S:.*]] = wave.dot2 %{{.*}}, %{{.*}}, %[[Z:.*]] :
// CHECK: wave.global_store %[[S]]
// CHECK: %[[T:.*]] = arith.addf %[[K]], %[[S]] : f32
// CHECK: scf.yield %[[N]], %[[T]] : f32, f32
wave.kernel @dots(%p: !wave.ptr, %f: f32, %n: i32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lane = wave.lane_id
  %x = arith.sitofp %lane : i32 to f32
  %zero = arith.constant 0.0 : f32
  %ones = arith.constant dense<1.0> : vector<2xf16>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%l = %zero, %k = %zero) -> (f32, f32) : i32 {
    %e = math.exp2 %x : f32
    %h = arith.truncf %e : f32 to f16
    %w = vector.from_elements %h, %h : vector<2xf16>
    %d = wave.dot2 %w, %ones, %zero : vector<2xf16>, vector<2xf16>
    %s = wave.dot2 %w, %ones, %d : vector<2xf16>, vector<2xf16>
    %o = wave.shuffle_xor %s, 32 : f32
    %t = arith.addf %s, %o : f32
    %m = arith.mulf %l, %f : f32
    %next = arith.addf %m, %t : f32
    %s2 = wave.dot2 %w, %ones, %zero : vector<2xf16>, vector<2xf16>
    wave.global_store %s2, %p[%c0 : i32] : f32
    %o2 = wave.shuffle_xor %s2, 32 : f32
    %t2 = arith.addf %s2, %o2 : f32
    %next2 = arith.addf %k, %t2 : f32
    scf.yield %next, %next2 : f32, f32
  }
  wave.global_store %r#0, %p[%c0 : i32] : f32
  wave.global_store %r#1, %p[%c0 : i32] : f32
  wave.return
}

// The same of halves that have been packed into dwords.
// CHECK-LABEL: wave.kernel @packed
// CHECK: %[[D:.*]] = wave.dot2 %{{.*}}, %{{.*}}, %[[L:arg[0-9]+]] :
// CHECK: scf.yield %[[D]] : f32
wave.kernel @packed(%p: !wave.ptr, %n: i32) attributes {lds_bytes = 0 : i64, threads = 64 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lane = wave.lane_id
  %x = arith.sitofp %lane : i32 to f32
  %zero = arith.constant 0.0 : f32
  %ones = arith.constant dense<1.0> : vector<2xf16>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%l = %zero) -> (f32) : i32 {
    %e = math.exp2 %x : f32
    %v = vector.from_elements %e, %e : vector<2xf32>
    %h = arith.truncf %v toward_zero : vector<2xf32> to vector<2xf16>
    %b = vector.bitcast %h : vector<2xf16> to vector<1xi32>
    %dword = vector.extract %b[0] : i32 from vector<1xi32>
    %dwords = vector.from_elements %dword, %dword : vector<2xi32>
    %four = vector.bitcast %dwords : vector<2xi32> to vector<4xf16>
    %w = vector.extract_strided_slice %four {offsets = [0], sizes = [2], strides = [1]} : vector<4xf16> to vector<2xf16>
    %d = wave.dot2 %w, %ones, %zero : vector<2xf16>, vector<2xf16>
    %o = wave.shuffle_xor %d, 32 : f32
    %t = arith.addf %d, %o : f32
    %next = arith.addf %l, %t : f32
    scf.yield %next : f32
  }
  wave.global_store %r, %p[%c0 : i32] : f32
  wave.return
}
