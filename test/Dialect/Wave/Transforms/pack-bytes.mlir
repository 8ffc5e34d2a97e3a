// RUN: tlc-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-pack-bytes),canonicalize)' | FileCheck %s

// Four rows of four bytes are transposed by eight permutations: two of each
// pair of rows, each of which two columns use.
// CHECK-LABEL: wave.kernel @transpose
// CHECK-COUNT-4: wave.buffer_load {{.*}} : vector<1xi32>
// CHECK: %[[AB:.*]] = wave.perm %{{.*}}, %{{.*}}, 83952640
// CHECK: %[[CD:.*]] = wave.perm %{{.*}}, %{{.*}}, 83952640
// CHECK: wave.perm %[[CD]], %[[AB]], 84148480
// CHECK: wave.lds_store
// CHECK: wave.perm %[[CD]], %[[AB]], 117834498
// CHECK: wave.lds_store
// CHECK-COUNT-4: wave.perm
// CHECK-NOT: wave.perm
wave.kernel @transpose(%r: !wave.rsrc) attributes {threads = 64 : i64, lds_bytes = 4096 : i64} {
  %c0 = arith.constant 0 : i32
  %a = wave.buffer_load %r[%c0] : vector<4xi8>
  %b = wave.buffer_load %r[%c0] {offset = 4 : i64} : vector<4xi8>
  %c = wave.buffer_load %r[%c0] {offset = 8 : i64} : vector<4xi8>
  %d = wave.buffer_load %r[%c0] {offset = 12 : i64} : vector<4xi8>
  %a0 = vector.extract %a[0] : i8 from vector<4xi8>
  %a1 = vector.extract %a[1] : i8 from vector<4xi8>
  %a2 = vector.extract %a[2] : i8 from vector<4xi8>
  %a3 = vector.extract %a[3] : i8 from vector<4xi8>
  %b0 = vector.extract %b[0] : i8 from vector<4xi8>
  %b1 = vector.extract %b[1] : i8 from vector<4xi8>
  %b2 = vector.extract %b[2] : i8 from vector<4xi8>
  %b3 = vector.extract %b[3] : i8 from vector<4xi8>
  %c00 = vector.extract %c[0] : i8 from vector<4xi8>
  %c1 = vector.extract %c[1] : i8 from vector<4xi8>
  %c2 = vector.extract %c[2] : i8 from vector<4xi8>
  %c3 = vector.extract %c[3] : i8 from vector<4xi8>
  %d0 = vector.extract %d[0] : i8 from vector<4xi8>
  %d1 = vector.extract %d[1] : i8 from vector<4xi8>
  %d2 = vector.extract %d[2] : i8 from vector<4xi8>
  %d3 = vector.extract %d[3] : i8 from vector<4xi8>
  %r0 = vector.from_elements %a0, %b0, %c00, %d0 : vector<4xi8>
  wave.lds_store %r0, %c0 : vector<4xi8>
  %r1 = vector.from_elements %a1, %b1, %c1, %d1 : vector<4xi8>
  wave.lds_store %r1, %c0 {offset = 4 : i64} : vector<4xi8>
  %r2 = vector.from_elements %a2, %b2, %c2, %d2 : vector<4xi8>
  wave.lds_store %r2, %c0 {offset = 8 : i64} : vector<4xi8>
  %r3 = vector.from_elements %a3, %b3, %c3, %d3 : vector<4xi8>
  wave.lds_store %r3, %c0 {offset = 12 : i64} : vector<4xi8>
  wave.return
}

// Words in order are words; bytes of two words take one permutation.
// CHECK-LABEL: wave.kernel @words
// CHECK: %[[L:.*]] = wave.lds_load {{.*}} : vector<2xi32>
// CHECK: %[[HIGH:.*]] = vector.extract %[[L]]{{\[}}1]
// CHECK: %[[LOW:.*]] = vector.extract %[[L]]{{\[}}0]
// CHECK: %[[P:.*]] = wave.perm %[[LOW]], %[[HIGH]], 50398464
// CHECK: vector.from_elements %[[HIGH]], %[[P]] : vector<2xi32>
wave.kernel @words(%p: !wave.ptr) attributes {threads = 64 : i64, lds_bytes = 4096 : i64} {
  %c0 = arith.constant 0 : i32
  %a = wave.lds_load %c0 : vector<8xf8E4M3FNUZ>
  %b0 = vector.extract %a[0] : f8E4M3FNUZ from vector<8xf8E4M3FNUZ>
  %b1 = vector.extract %a[1] : f8E4M3FNUZ from vector<8xf8E4M3FNUZ>
  %b4 = vector.extract %a[4] : f8E4M3FNUZ from vector<8xf8E4M3FNUZ>
  %b5 = vector.extract %a[5] : f8E4M3FNUZ from vector<8xf8E4M3FNUZ>
  %b6 = vector.extract %a[6] : f8E4M3FNUZ from vector<8xf8E4M3FNUZ>
  %b7 = vector.extract %a[7] : f8E4M3FNUZ from vector<8xf8E4M3FNUZ>
  %r = vector.from_elements %b4, %b5, %b6, %b7, %b4, %b1, %b5, %b7 : vector<8xf8E4M3FNUZ>
  wave.global_store %r, %p[%c0 : i32] : vector<8xf8E4M3FNUZ>
  wave.return
}
