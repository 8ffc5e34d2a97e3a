// What stays as it is.
// RUN: tlc-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-pack-bytes))' | FileCheck %s

// An element that is computed, and vectors that fill no words.
// CHECK-LABEL: wave.kernel @not_bytes_of_vectors
// CHECK: wave.lds_load {{.*}} : vector<2xi8>
// CHECK: vector.from_elements {{.*}} : vector<4xi8>
// CHECK: vector.from_elements {{.*}} : vector<2xi8>
// CHECK-NOT: wave.perm
wave.kernel @not_bytes_of_vectors(%p: !wave.ptr, %x: i8) attributes {threads = 64 : i64, lds_bytes = 4096 : i64} {
  %c0 = arith.constant 0 : i32
  %a = wave.lds_load %c0 : vector<2xi8>
  %a0 = vector.extract %a[0] : i8 from vector<2xi8>
  %a1 = vector.extract %a[1] : i8 from vector<2xi8>
  %s = vector.from_elements %a1, %x, %a0, %x : vector<4xi8>
  wave.global_store %s, %p[%c0 : i32] : vector<4xi8>
  %t = vector.from_elements %a1, %a0 : vector<2xi8>
  wave.global_store %t, %p[%c0 : i32] : vector<2xi8>
  wave.return
}

// Sixteen bits are code generation's.
// CHECK-LABEL: wave.kernel @halves
// CHECK: wave.lds_load {{.*}} : vector<4xf16>
// CHECK-NOT: wave.perm
wave.kernel @halves(%p: !wave.ptr) attributes {threads = 64 : i64, lds_bytes = 4096 : i64} {
  %c0 = arith.constant 0 : i32
  %a = wave.lds_load %c0 : vector<4xf16>
  %a0 = vector.extract %a[0] : f16 from vector<4xf16>
  %a2 = vector.extract %a[2] : f16 from vector<4xf16>
  %r = vector.from_elements %a2, %a0 : vector<2xf16>
  wave.global_store %r, %p[%c0 : i32] : vector<2xf16>
  wave.return
}
