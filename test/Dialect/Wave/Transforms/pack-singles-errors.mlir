// What stays as it is.
// RUN: tlc-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-pack-singles))' | FileCheck %s

// One wavefront a SIMD (the other workgroups find no room in LDS): a packed
// instruction takes it as long as two.
// CHECK-LABEL: wave.kernel @alone
// CHECK-NOT: vector<2xf32>
// CHECK: wave.return
wave.kernel @alone(%p: !wave.ptr, %a: vector<4xbf16>, %m: f32) attributes {lds_bytes = 65536 : i64, threads = 256 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %none = arith.constant 0.0 : f32
  %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%l = %none) -> (f32) : i32 {
    %s = wave.mfma [16, 16, 16] %a, %a, %zero : vector<4xbf16>, vector<4xbf16>, vector<4xf32> -> vector<4xf32>
    %s0 = vector.extract %s[0] : f32 from vector<4xf32>
    %s1 = vector.extract %s[1] : f32 from vector<4xf32>
    %d0 = arith.subf %s0, %m : f32
    %e0 = math.exp2 %d0 : f32
    %d1 = arith.subf %s1, %m : f32
    %e1 = math.exp2 %d1 : f32
    %u1 = arith.addf %e0, %e1 {wave.reduction} : f32
    %n = arith.addf %l, %u1 : f32
    scf.yield %n : f32
  }
  wave.global_store %sum, %p[%c0 : i32] : f32
  wave.return
}

// Bound by its matrix instructions.
// CHECK-LABEL: wave.kernel @matrix
// CHECK-NOT: vector<2xf32>
// CHECK: wave.return
wave.kernel @matrix(%p: !wave.ptr, %a: vector<4xbf16>, %m: f32) attributes {lds_bytes = 0 : i64, threads = 512 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %none = arith.constant 0.0 : f32
  %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%l = %none) -> (f32) : i32 {
    %r = wave.mfma [32, 32, 8] %a, %a, %zero : vector<4xbf16>, vector<4xbf16>, vector<16xf32> -> vector<16xf32>
    %s = wave.mfma [32, 32, 8] %a, %a, %r : vector<4xbf16>, vector<4xbf16>, vector<16xf32> -> vector<16xf32>
    %s0 = vector.extract %s[0] : f32 from vector<16xf32>
    %s1 = vector.extract %s[1] : f32 from vector<16xf32>
    %d0 = arith.subf %s0, %m : f32
    %e0 = math.exp2 %d0 : f32
    %d1 = arith.subf %s1, %m : f32
    %e1 = math.exp2 %d1 : f32
    %u1 = arith.addf %e0, %e1 {wave.reduction} : f32
    %n = arith.addf %l, %u1 : f32
    scf.yield %n : f32
  }
  wave.global_store %sum, %p[%c0 : i32] : f32
  wave.return
}

// Numbers from anywhere, which 65,536 times might be infinite; arithmetic that
// neighbours do not share; elements that do not lie side by side.
// CHECK-LABEL: wave.kernel @apart
// CHECK-NOT: arith.subf {{.*}} vector<2xf32>
// CHECK: arith.truncf %{{.*}} : vector<2xf32> to vector<2xbf16>
// CHECK-NOT: math.fma
// CHECK: wave.return
wave.kernel @apart(%p: !wave.ptr, %a: vector<4xbf16>, %m: f32, %k: f32) attributes {lds_bytes = 0 : i64, threads = 512 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %first = arith.constant dense<0.0> : vector<2xbf16>
  %none = arith.constant 0.0 : f32
  %last, %x = scf.for %i = %c0 to %c8 step %c1 iter_args(%w = %first, %y = %none) -> (vector<2xbf16>, f32) : i32 {
    %s = wave.mfma [16, 16, 16] %a, %a, %zero : vector<4xbf16>, vector<4xbf16>, vector<4xf32> -> vector<4xf32>
    %s0 = vector.extract %s[0] : f32 from vector<4xf32>
    %s1 = vector.extract %s[1] : f32 from vector<4xf32>
    %s2 = vector.extract %s[2] : f32 from vector<4xf32>
    %d0 = arith.subf %s0, %m : f32
    %e0 = math.exp2 %d0 : f32
    %d1 = arith.subf %s1, %k : f32
    %e1 = math.exp2 %d1 : f32
    %d2 = arith.subf %s2, %k : f32
    %e2 = math.exp2 %d2 : f32
    %pair = vector.from_elements %e0, %e1 : vector<2xf32>
    %r = arith.truncf %pair : vector<2xf32> to vector<2xbf16>
    scf.yield %r, %e2 : vector<2xbf16>, f32
  }
  wave.global_store %last, %p[%c0 : i32] : vector<2xbf16>
  wave.global_store %x, %p[%c8 : i32] : f32
  wave.return
}
