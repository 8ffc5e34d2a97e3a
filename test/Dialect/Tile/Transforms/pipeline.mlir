// RUN: tlc-opt %s --tile-pipeline 2>/dev/null | FileCheck %s

// CHECK-LABEL: tile.func @attention
// The first step's tiles are loaded before the loop, in the order of their use,
// and go to the first of two copies in LDS.
// CHECK-DAG: %[[KS:.+]] = tile.alloc {name = "K_shared_next"}
// CHECK-DAG: %[[VS:.+]] = tile.alloc {name = "V_shared_next"}
// CHECK: tile.copy %{{.+}} to %[[KS]] :
// CHECK: tile.copy %{{.+}} to %[[VS]] :
// In the loop: the next loads are issued, then comes the work, then what was
// loaded goes to the other copy.
// CHECK: scf.for
// CHECK: tile.copy %{{.+}} to %[[KS]] {tile.prefetch}
// CHECK: tile.copy %{{.+}} to %[[VS]] {tile.prefetch}
// CHECK: tile.gemm
// CHECK: tile.gemm
// CHECK: tile.copy %[[VS]] to
// CHECK: tile.copy %[[KS]] to
tile.func @attention(%q: !tile.ptr<f16>, %k: !tile.ptr<f16>, %v: !tile.ptr<f16>, %o: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %Q = tile.tensor %q {name = "Q"} : !tile.ptr<f16> -> memref<128x64xf16, #tile.space<global>>
  %K = tile.tensor %k {name = "K"} : !tile.ptr<f16> -> memref<512x64xf16, #tile.space<global>>
  %V = tile.tensor %v {name = "V"} : !tile.ptr<f16> -> memref<512x64xf16, #tile.space<global>>
  %O = tile.tensor %o {name = "O"} : !tile.ptr<f16> -> memref<128x64xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[256] (%b) {
    %c0 = arith.constant 0 : i32
    %step = arith.constant 1 : i32
    %steps = arith.constant 8 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant 0.0 : f32
    %Qs = tile.alloc {name = "Q_shared"} : memref<128x64xf16, #tile.space<shared>>
    %Ks = tile.alloc {name = "K_shared"} : memref<64x64xf16, #tile.space<shared>>
    %Vs = tile.alloc {name = "V_shared"} : memref<64x64xf16, #tile.space<shared>>
    %S = tile.alloc {name = "S"} : memref<128x64xf32, #tile.space<fragment>>
    %P = tile.alloc {name = "P"} : memref<128x64xf16, #tile.space<fragment>>
    %m = tile.alloc {name = "m"} : memref<128xf32, #tile.space<fragment>>
    %acc = tile.alloc {name = "acc"} : memref<128x64xf32, #tile.space<fragment>>
    tile.copy %Q to %Qs : memref<128x64xf16, #tile.space<global>> to memref<128x64xf16, #tile.space<shared>>
    tile.fill %acc, %zero : memref<128x64xf32, #tile.space<fragment>>, f32
    scf.for %i = %c0 to %steps step %step : i32 {
      %at = arith.muli %i, %c64 : i32
      %kv = tile.view %K[%at, %c0 : i32, i32] : memref<512x64xf16, #tile.space<global>> to memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %kv to %Ks : memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.fill %S, %zero : memref<128x64xf32, #tile.space<fragment>>, f32
      tile.gemm %Qs, %Ks into %S {trans_b, policy = #tile.policy<full_row>} : memref<128x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<128x64xf32, #tile.space<fragment>>
      tile.reduce #tile.reduce_kind<max> %S into %m dim 1 : memref<128x64xf32, #tile.space<fragment>> into memref<128xf32, #tile.space<fragment>>
      tile.parallel (%x, %y) = [128, 64] {
        %s = tile.load %S[%x, %y : i32, i32] : memref<128x64xf32, #tile.space<fragment>> -> f32
        %r = tile.load %m[%x : i32] : memref<128xf32, #tile.space<fragment>> -> f32
        %d = arith.subf %s, %r : f32
        %e = math.exp2 %d : f32
        tile.store %e, %S[%x, %y : i32, i32] : f32, memref<128x64xf32, #tile.space<fragment>>
      }
      tile.copy %S to %P : memref<128x64xf32, #tile.space<fragment>> to memref<128x64xf16, #tile.space<fragment>>
      %vv = tile.view %V[%at, %c0 : i32, i32] : memref<512x64xf16, #tile.space<global>> to memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %vv to %Vs : memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.gemm %P, %Vs into %acc {policy = #tile.policy<full_row>} : memref<128x64xf16, #tile.space<fragment>>, memref<64x64xf16, #tile.space<shared>> into memref<128x64xf32, #tile.space<fragment>>
    } {tile.num_stages = 1 : i64}
    tile.copy %acc to %O : memref<128x64xf32, #tile.space<fragment>> to memref<128x64xf16, #tile.space<global>>
  }
}

// A fragment needs no second place: the next load follows its last reader.
// CHECK-LABEL: tile.func @fragment
// CHECK: %[[F:.+]] = tile.alloc {name = "F"}
// CHECK: tile.copy %{{.+}} to %[[F]] :
// CHECK: scf.for
// CHECK-NOT: tile.copy
// CHECK: tile.gemm %{{.+}}, %[[F]]
// CHECK: tile.copy %{{.+}} to %[[F]] {tile.prefetch}
// CHECK: tile.gemm
tile.func @fragment(%a: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %A = tile.tensor %a : !tile.ptr<f16> -> memref<512x64xf16, #tile.space<global>>
  tile.kernel grid(%c1) threads[256] (%b) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %n = arith.constant 8 : i32
    %Q = tile.alloc {name = "Q"} : memref<64x64xf16, #tile.space<shared>>
    %F = tile.alloc {name = "F"} : memref<64x64xf16, #tile.space<fragment>>
    %S = tile.alloc {name = "S"} : memref<64x64xf32, #tile.space<fragment>>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %at = arith.muli %i, %c64 : i32
      %v = tile.view %A[%at, %c0 : i32, i32] : memref<512x64xf16, #tile.space<global>> to memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %v to %F : memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<64x64xf16, #tile.space<fragment>>
      tile.gemm %Q, %F into %S {trans_b} : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<fragment>> into memref<64x64xf32, #tile.space<fragment>>
      tile.gemm %Q, %Q into %S {trans_b} : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
    } {tile.num_stages = 1 : i64}
  }
}

// A loop over points that computes with what it loads finds it in registers, a
// step later. The author need not say how many stages where there is a product.
// A tile that is also written elsewhere keeps its one copy. What is found by an
// index from memory, or is the same for many points, is not loaded ahead.
// CHECK-LABEL: tile.func @points
// CHECK-DAG: %[[P:.+]] = tile.alloc {name = "points_next"}
// CHECK-DAG: %[[B:.+]] = tile.alloc {name = "B_next"}
// CHECK: tile.parallel
// CHECK: tile.load {{.*}}#tile.space<global>
// CHECK: tile.store %{{.+}}, %[[P]]
// CHECK: scf.for
// CHECK: tile.parallel
// CHECK-NOT: #tile.space<global>
// CHECK: tile.load %[[P]]
// CHECK: tile.parallel
// CHECK: tile.load {{.*}}#tile.space<global>
// CHECK: tile.store %{{.+}}, %[[P]]
// CHECK: tile.copy %[[B]] to
// CHECK: tile.copy %{{.+}} to %[[B]] {tile.prefetch}
// CHECK: tile.fill
// CHECK: tile.gemm
// CHECK: tile.parallel
// CHECK: tile.load {{.*}}#tile.space<global>
// CHECK: tile.load {{.*}}#tile.space<global>
// CHECK: tile.load {{.*}}#tile.space<global>
// CHECK-NOT: tile.parallel
tile.func @points(%a: !tile.ptr<f16>, %t: !tile.ptr<i32>) {
  %c1 = arith.constant 1 : i32
  %A = tile.tensor %a : !tile.ptr<f16> -> memref<512x64xf16, #tile.space<global>>
  %T = tile.tensor %t : !tile.ptr<i32> -> memref<64xi32, #tile.space<global>>
  tile.kernel grid(%c1) threads[256] (%b) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %n = arith.constant 8 : i32
    %half = arith.constant 0.5 : f16
    %Q = tile.alloc {name = "Q"} : memref<64x64xf16, #tile.space<shared>>
    %B = tile.alloc {name = "B"} : memref<64x64xf16, #tile.space<shared>>
    %C = tile.alloc {name = "C"} : memref<64x64xf16, #tile.space<shared>>
    %S = tile.alloc {name = "S"} : memref<64x64xf32, #tile.space<fragment>>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %at = arith.muli %i, %c64 : i32
      tile.parallel (%x, %y) = [64, 64] {
        %row = arith.addi %at, %x : i32
        %q = tile.load %A[%row, %y : i32, i32] : memref<512x64xf16, #tile.space<global>> -> f16
        %h = arith.mulf %q, %half : f16
        tile.store %h, %Q[%x, %y : i32, i32] : f16, memref<64x64xf16, #tile.space<shared>>
      }
      %v = tile.view %A[%at, %c0 : i32, i32] : memref<512x64xf16, #tile.space<global>> to memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %v to %B : memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<64x64xf16, #tile.space<shared>>
      tile.fill %B, %half : memref<64x64xf16, #tile.space<shared>>, f16
      tile.gemm %Q, %B into %S {trans_b} : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
      tile.parallel (%x, %y) = [64, 64] {
        %row = tile.load %T[%x : i32] : memref<64xi32, #tile.space<global>> -> i32
        %q = tile.load %A[%row, %y : i32, i32] : memref<512x64xf16, #tile.space<global>> -> f16
        %r = tile.load %A[%at, %y : i32, i32] : memref<512x64xf16, #tile.space<global>> -> f16
        %h = arith.mulf %q, %r : f16
        tile.store %h, %C[%x, %y : i32, i32] : f16, memref<64x64xf16, #tile.space<shared>>
      }
    } {tile.num_stages = 0 : i64}
  }
}

// Steps that hand on a tile in LDS, written after it is read, do not overlap. So
// what is converted on its way to registers is staged too, as it comes from
// memory, and what many points read.
// CHECK-LABEL: tile.func @recurrence
// CHECK-DAG: %[[U:.+]] = tile.alloc {name = "U_next"} : memref<64x64xf16, #tile.space<fragment>>
// CHECK-DAG: %[[P:.+]] = tile.alloc {name = "points_next"} : memref<64x64xf32, #tile.space<fragment>>
// CHECK: scf.for
// CHECK: tile.gemm
// CHECK: tile.copy %[[U]] to %{{.+}} : {{.*}} to memref<64x64xf32, #tile.space<fragment>>
// CHECK: tile.copy %{{.+}} to %[[U]] {tile.prefetch}
// CHECK: tile.load %[[P]]
// CHECK: tile.load {{.*}}#tile.space<global>
// CHECK: tile.store %{{.+}}, %[[P]]
tile.func @recurrence(%a: !tile.ptr<f16>, %g: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %A = tile.tensor %a : !tile.ptr<f16> -> memref<512x64xf16, #tile.space<global>>
  %G = tile.tensor %g : !tile.ptr<f32> -> memref<512xf32, #tile.space<global>>
  tile.kernel grid(%c1) threads[256] (%b) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %n = arith.constant 8 : i32
    %H = tile.alloc {name = "H"} : memref<64x64xf16, #tile.space<shared>>
    %U = tile.alloc {name = "U"} : memref<64x64xf32, #tile.space<fragment>>
    %S = tile.alloc {name = "S"} : memref<64x64xf32, #tile.space<fragment>>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %at = arith.muli %i, %c64 : i32
      tile.gemm %H, %H into %S {trans_b} : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>> into memref<64x64xf32, #tile.space<fragment>>
      %v = tile.view %A[%at, %c0 : i32, i32] : memref<512x64xf16, #tile.space<global>> to memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %v to %U : memref<64x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<64x64xf32, #tile.space<fragment>>
      tile.parallel (%x, %y) = [64, 64] {
        %row = arith.addi %at, %x : i32
        %f = tile.load %G[%row : i32] : memref<512xf32, #tile.space<global>> -> f32
        %u = tile.load %U[%x, %y : i32, i32] : memref<64x64xf32, #tile.space<fragment>> -> f32
        %s = tile.load %S[%x, %y : i32, i32] : memref<64x64xf32, #tile.space<fragment>> -> f32
        %d = arith.subf %u, %s : f32
        %e = arith.mulf %d, %f : f32
        tile.store %e, %S[%x, %y : i32, i32] : f32, memref<64x64xf32, #tile.space<fragment>>
      }
      tile.copy %S to %H : memref<64x64xf32, #tile.space<fragment>> to memref<64x64xf16, #tile.space<shared>>
    } {tile.num_stages = 1 : i64}
  }
}

// Two wavefronts whose tiles take half of LDS: a second workgroup keeps the
// other two SIMDs busy, second copies would keep it out. With 76 workgroups no
// compute unit gets two.
// CHECK-LABEL: tile.func @neighbours
// CHECK-DAG: tile.alloc {name = "A"} : memref<128x64xf16, #tile.space<shared>>
// CHECK-DAG: tile.alloc {name = "B"} : memref<128x64xf16, #tile.space<shared>>
// CHECK: tile.kernel
// CHECK-DAG: tile.alloc {name = "A"} : memref<2x128x64xf16, #tile.space<shared>>
// CHECK-DAG: tile.alloc {name = "B"} : memref<2x128x64xf16, #tile.space<shared>>
tile.func @neighbours(%a: !tile.ptr<f16>) {
  %many = arith.constant 1024 : i32
  %few = arith.constant 76 : i32
  %At = tile.tensor %a : !tile.ptr<f16> -> memref<4096x4096xf16, #tile.space<global>>
  tile.kernel grid(%many) threads[128] (%x) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %step = arith.constant 1 : i32
    %A = tile.alloc {name = "A"} : memref<128x64xf16, #tile.space<shared>>
    %B = tile.alloc {name = "B"} : memref<128x64xf16, #tile.space<shared>>
    %C = tile.alloc : memref<128x128xf32, #tile.space<fragment>>
    scf.for %k = %c0 to %c64 step %step : i32 {
      %at = arith.muli %k, %c64 : i32
      %v = tile.view %At[%x, %at : i32, i32] : memref<4096x4096xf16, #tile.space<global>> to memref<128x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %v to %A : memref<128x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<128x64xf16, #tile.space<shared>>
      tile.copy %v to %B : memref<128x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<128x64xf16, #tile.space<shared>>
      tile.gemm %A, %B into %C {trans_b} : memref<128x64xf16, #tile.space<shared>>, memref<128x64xf16, #tile.space<shared>> into memref<128x128xf32, #tile.space<fragment>>
    } {tile.num_stages = 2 : i64}
  }
  tile.kernel grid(%few) threads[128] (%x) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %step = arith.constant 1 : i32
    %A = tile.alloc {name = "A"} : memref<128x64xf16, #tile.space<shared>>
    %B = tile.alloc {name = "B"} : memref<128x64xf16, #tile.space<shared>>
    %C = tile.alloc : memref<128x128xf32, #tile.space<fragment>>
    scf.for %k = %c0 to %c64 step %step : i32 {
      %at = arith.muli %k, %c64 : i32
      %v = tile.view %At[%x, %at : i32, i32] : memref<4096x4096xf16, #tile.space<global>> to memref<128x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
      tile.copy %v to %A : memref<128x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<128x64xf16, #tile.space<shared>>
      tile.copy %v to %B : memref<128x64xf16, strided<[?, ?], offset: ?>, #tile.space<global>> to memref<128x64xf16, #tile.space<shared>>
      tile.gemm %A, %B into %C {trans_b} : memref<128x64xf16, #tile.space<shared>>, memref<128x64xf16, #tile.space<shared>> into memref<128x128xf32, #tile.space<fragment>>
    } {tile.num_stages = 2 : i64}
  }
  tile.yield
}
