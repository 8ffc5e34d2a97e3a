// RUN: tlc-opt %s --expand-wave-math | FileCheck %s

// CHECK-LABEL: wave.kernel @bf16
wave.kernel @bf16(%p: !wave.ptr) attributes {threads = 64 : i64, lds_bytes = 0 : i64} {
  %c0 = arith.constant 0 : i32
  %x = wave.global_load %p[%c0 : i32] : vector<2xbf16>
  // Computed in f32, rounded to nearest even, packed by one v_perm.
  // CHECK: arith.extf {{.*}} : vector<2xbf16> to vector<2xf32>
  // CHECK: arith.addf {{.*}} : vector<2xf32>
  // CHECK: arith.cmpf uno
  // CHECK: wave.perm {{.*}}, 117834498
  // CHECK-NOT: arith.truncf
  %y = arith.addf %x, %x : vector<2xbf16>
  wave.global_store %y, %p[%c0 : i32] : vector<2xbf16>
  wave.return
}

// CHECK-LABEL: wave.kernel @no_nan
wave.kernel @no_nan(%p: !wave.ptr) attributes {threads = 64 : i64, lds_bytes = 0 : i64} {
  %c0 = arith.constant 0 : i32
  %x = wave.global_load %p[%c0 : i32] : vector<2xf32>
  // CHECK-NOT: arith.cmpf
  // CHECK: wave.perm
  %y = arith.truncf %x fastmath<nnan> : vector<2xf32> to vector<2xbf16>
  wave.global_store %y, %p[%c0 : i32] : vector<2xbf16>
  wave.return
}

// CHECK-LABEL: wave.kernel @functions
wave.kernel @functions(%p: !wave.ptr) attributes {threads = 64 : i64, lds_bytes = 0 : i64} {
  %c0 = arith.constant 0 : i32
  %x = wave.global_load %p[%c0 : i32] : f32
  // CHECK-NOT: math.sin
  // CHECK: math.roundeven {{.*}} : f64
  %a = math.sin %x : f32
  // CHECK-NOT: math.powf
  %b = math.powf %a, %x : f32
  // CHECK-NOT: math.tanh
  %c = math.tanh %b : f32
  // CHECK: math.exp2 {{.*}} : f32
  %d = math.exp2 %c : f32
  wave.global_store %d, %p[%c0 : i32] : f32
  wave.return
}

// The far branch is one exponential and one reciprocal; the sign comes last.
// CHECK-LABEL: wave.kernel @tanh
wave.kernel @tanh(%p: !wave.ptr) attributes {threads = 64 : i64, lds_bytes = 0 : i64} {
  %c0 = arith.constant 0 : i32
  %x = wave.global_load %p[%c0 : i32] : f32
  // CHECK: %[[SIZE:.*]] = math.absf
  // CHECK: math.exp2
  // CHECK: arith.divf {{.*}} fastmath<afn>
  // CHECK: %[[FAR:.*]] = arith.subf
  // CHECK-COUNT-3: math.fma
  // CHECK: %[[NEAR:.*]] = math.fma
  // CHECK: arith.cmpf olt, %[[SIZE]]
  // CHECK: %[[T:.*]] = arith.select {{.*}}, %[[NEAR]], %[[FAR]]
  // CHECK: math.copysign %[[T]]
  %y = math.tanh %x : f32
  wave.global_store %y, %p[%c0 : i32] : f32
  wave.return
}

// Declared roundings: half of a unit more, or nothing, and no test for odd.
// CHECK-LABEL: wave.kernel @declared
wave.kernel @declared(%p: !wave.ptr) attributes {threads = 64 : i64, lds_bytes = 0 : i64} {
  %c0 = arith.constant 0 : i32
  %x = wave.global_load %p[%c0 : i32] : vector<2xf32>
  // CHECK-NOT: arith.shrui
  // CHECK: arith.addi %{{.*}}, %{{.*}} : vector<2xi32>
  // CHECK: wave.perm
  // CHECK-NOT: arith.addi
  // CHECK: wave.perm
  %y = arith.truncf %x to_nearest_away fastmath<nnan> : vector<2xf32> to vector<2xbf16>
  %z = arith.truncf %x toward_zero fastmath<nnan> : vector<2xf32> to vector<2xbf16>
  wave.global_store %y, %p[%c0 : i32] : vector<2xbf16>
  wave.global_store %z, %p[%c0 : i32] : vector<2xbf16>
  wave.return
}
