// RUN: tlc-opt %s | tlc-opt | FileCheck %s
// RUN: tlc-opt %s --mlir-print-op-generic | tlc-opt | FileCheck %s

// Every op of the dialect, printed, read and printed again.
// CHECK-LABEL: wave.kernel @every(%{{.*}}: !wave.ptr {tile.name = "A"}, %{{.*}}: i32)
// CHECK-SAME: lds_bytes = 1024 : i64, threads = 128 : i64
wave.kernel @every(%a: !wave.ptr {tile.name = "A"}, %n: i32) attributes {threads = 128 : i64, lds_bytes = 1024 : i64} {
  // CHECK: wave.thread_id
  // CHECK: wave.lane_id
  // CHECK: wave.wave_id
  // CHECK: wave.block_id 2
  %t = wave.thread_id
  %lane = wave.lane_id
  %w = wave.wave_id
  %z = wave.block_id 2
  // CHECK: wave.ptr_add %{{.*}}, %{{.*}} : i32
  %p = wave.ptr_add %a, %n : i32
  // CHECK: wave.resource %{{.*}}, %{{.*}} : i32
  %r = wave.resource %p, %n : i32
  // CHECK: wave.buffer_load %{{.*}}[%{{.*}}, %{{.*}}] {offset = 16 : i64} : vector<4xf32>
  %v = wave.buffer_load %r[%t, %n] {offset = 16 : i64} : vector<4xf32>
  // CHECK: wave.buffer_store %{{.*}}, %{{.*}}[%{{.*}}] : vector<4xf32>
  wave.buffer_store %v, %r[%t] : vector<4xf32>
  // CHECK: wave.global_load %{{.*}}[%{{.*}} : i32] {align = 4 : i64} : f32
  %f = wave.global_load %a[%t : i32] {align = 4 : i64} : f32
  // CHECK: wave.global_store
  wave.global_store %f, %a[%t : i32] : f32
  // CHECK: wave.global_atomic add
  %old = wave.global_atomic add %f, %a[%t : i32] : f32 -> f32
  // CHECK: wave.lds_load %{{.*}} {offset = 64 : i64} : vector<8xf16>
  %l = wave.lds_load %t {offset = 64 : i64} : vector<8xf16>
  // CHECK: wave.lds_store
  wave.lds_store %l, %t : vector<8xf16>
  // CHECK: wave.lds_atomic umax
  %m = wave.lds_atomic umax %n, %t : i32 -> i32
  %h = arith.constant dense<1.0> : vector<4xf16>
  %c = arith.constant dense<1.0> : vector<16xf32>
  // CHECK: wave.mfma [32, 32, 8]
  %d = wave.mfma [32, 32, 8] %h, %h, %c : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
  // CHECK: wave.shuffle_xor %{{.*}}, 32 : f32
  %x = wave.shuffle_xor %f, 32 : f32
  // CHECK: wave.shuffle %{{.*}}, %{{.*}} : f32 -> f32
  %y = wave.shuffle %f, %lane : f32 -> f32
  // CHECK: wave.uniform %{{.*}} : i32
  %u = wave.uniform %n : i32
  %b = arith.cmpi eq, %u, %w : i32
  // CHECK: wave.any
  %any = wave.any %b
  // CHECK: wave.perm %{{.*}}, %{{.*}}, 117835012
  %q = wave.perm %t, %n, 117835012
  // CHECK: wave.barrier
  wave.barrier
  // CHECK: wave.sched_barrier
  wave.sched_barrier
  // CHECK: wave.setprio 3
  wave.setprio 3
  // CHECK: wave.trap
  scf.if %any {
    wave.trap
  }
  // CHECK: wave.return
  wave.return
}
