//===- WaveTest.cpp - What wave kernels do --------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "tlc/Dialect/Wave/IR/WaveDialect.h"
#include "tlc/Reference/WaveReference.h"

using namespace tlc;
using namespace tlc::test;

namespace {

/// The first kernel of a module, run on `p.arguments`.
bool runWave(Program &p, std::array<int64_t, 3> grid = {1, 1, 1},
             bool reverse = false) {
  wave::KernelOp kernel = *p.module->getOps<wave::KernelOp>().begin();
  reference::WaveLaunch launch{&kernel, grid};
  reference::WaveOptions options;
  options.reverse = reverse;
  return succeeded(reference::evaluateWave(launch, p.arguments, options));
}

/// A kernel of one wavefront around a body that may use %a, %b, %t, %t4 (bytes)
/// and small constants.
std::string kernelOf(llvm::StringRef body, int threads = 64, int lds = 1024) {
  return (R"mlir(wave.kernel @k(%a: !wave.ptr, %b: !wave.ptr) attributes
      {threads = )mlir" +
          llvm::Twine(threads) + " : i64, lds_bytes = " + llvm::Twine(lds) +
          R"mlir( : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %c8 = arith.constant 8 : i32
    %c63 = arith.constant 63 : i32
    %t = wave.thread_id
    %t4 = arith.muli %t, %c4 : i32
)mlir" + body +
          "\nwave.return\n}")
      .str();
}

struct WaveProgram : Program {
  explicit WaveProgram(llvm::StringRef body, int threads = 64, int lds = 1024)
      : Program(kernelOf(body, threads, lds), /*withWave=*/true) {}
};

TEST(Wave, BuffersAreCheckedDwordByDword) {
  WaveProgram p(R"mlir(
    %n = arith.constant 22 : i32
    %r = wave.resource %a, %n : i32
    %w = wave.resource %b, %n : i32
    %o = arith.muli %t, %c8 : i32
    %v = wave.buffer_load %r[%o] : vector<4xf16>
    wave.buffer_store %v, %w[%o] : vector<4xf16>)mlir");
  Array &in = p.tensor(DType::Float16, {12});
  p.fill(in, [](int64_t i) { return double(i + 1); });
  p.tensor(DType::Float16, {12});
  ASSERT_TRUE(runWave(p)) << p.messages;
  // Dwords 0 to 4 are inside 22 bytes; the sixth holds the elements 10 and 11.
  for (int i = 0; i < 12; ++i)
    EXPECT_EQ(p.at(1, i), i < 10 ? i + 1 : 0) << i;
}

TEST(Wave, BarriersOrderWavefronts) {
  const char *reversal = R"mlir(
    %c127 = arith.constant 127 : i32
    %v = wave.global_load %a[%t4 : i32] : i32
    wave.lds_store %v, %t4 : i32
    BARRIER
    %o = arith.subi %c127, %t : i32
    %o4 = arith.muli %o, %c4 : i32
    %x = wave.lds_load %o4 : i32
    wave.global_store %x, %b[%t4 : i32] : i32)mlir";
  for (bool barrier : {true, false})
    for (bool reverse : {false, true}) {
      std::string text = reversal;
      text.replace(text.find("BARRIER"), 7, barrier ? "wave.barrier" : "");
      WaveProgram p(text, 128);
      Array &in = p.tensor(DType::Int32, {128});
      p.fill(in, [](int64_t i) { return double(i); });
      p.tensor(DType::Int32, {128});
      ASSERT_TRUE(runWave(p, {1, 1, 1}, reverse)) << p.messages;
      bool right = true;
      for (int i = 0; i < 128; ++i)
        right &= p.at(1, i) == 127 - i;
      EXPECT_EQ(right, barrier) << "reverse " << reverse;
    }
}

TEST(Wave, MatrixInstructions) {
  struct Case {
    int m, k, perLane;
    const char *type, *accumulator;
    DType in, out;
  };
  for (Case c : {Case{32, 8, 4, "f16", "f32", DType::Float16, DType::Float32},
                 {16, 16, 4, "bf16", "f32", DType::BFloat16, DType::Float32},
                 {32, 16, 8, "i8", "i32", DType::Int8, DType::Int32},
                 {16, 4, 1, "f64", "f64", DType::Float64, DType::Float64},
                 {32, 2, 1, "f32", "f32", DType::Float32, DType::Float32}}) {
    // A and B hold k innermost; every lane stores its part of D in a row.
    int n = c.m * c.m / 64;
    std::string a = c.perLane == 1 ? c.type
                                   : "vector<" + std::to_string(c.perLane) +
                                         "x" + c.type + ">",
                acc = "vector<" + std::to_string(n) + "x" + c.accumulator + ">",
                m = std::to_string(c.m);
    bool integer = c.out == DType::Int32;
    std::string body =
        "%m = arith.constant " + m + " : i32\n%k = arith.constant " +
        std::to_string(c.k * byteSize(c.in)) +
        " : i32\n%part = arith.constant " +
        std::to_string(c.perLane * byteSize(c.in)) +
        " : i32\n"
        "%row = arith.remui %t, %m : i32\n%share = arith.divui %t, %m : i32\n"
        "%x = arith.muli %row, %k : i32\n%y = arith.muli %share, %part : i32\n"
        "%o = arith.addi %x, %y : i32\n"
        "%av = wave.global_load %a[%o : i32] : " +
        a +
        "\n%size = arith.muli %m, %k : i32\n%bo = arith.addi %o, %size : "
        "i32\n%bv = wave.global_load %a[%bo : i32] : " +
        a + "\n%one = arith.constant dense<" + (integer ? "1" : "1.0") +
        "> : " + acc + "\n%d = wave.mfma [" + m + ", " + m + ", " +
        std::to_string(c.k) + "] %av, %bv, %one : " + a + ", " + a + ", " +
        acc + " -> " + acc + "\n%row8 = arith.constant " +
        std::to_string(n * byteSize(c.out)) +
        " : i32\n%d0 = arith.muli %t, %row8 : i32\n";
    for (int i = 0; i < n; ++i) {
      std::string s = std::to_string(i);
      body += "%e" + s + " = vector.extract %d[" + s + "] : " + c.accumulator +
              " from " + acc + "\n%i" + s + " = arith.constant " +
              std::to_string(i * byteSize(c.out)) + " : i32\n%p" + s +
              " = arith.addi %d0, %i" + s + " : i32\nwave.global_store %e" + s +
              ", %b[%p" + s + " : i32] : " + c.accumulator + "\n";
    }
    WaveProgram p(body);
    Array &in = p.tensor(c.in, {2, c.m, c.k});
    p.fill(in, [](int64_t i) { return double(i * 7 % 13 - 6); });
    p.tensor(c.out, {64, n});
    ASSERT_TRUE(runWave(p)) << p.messages;
    for (int lane = 0; lane < 64; ++lane)
      for (int r = 0; r < n; ++r) {
        // The layouts AMD publishes for one-block instructions.
        int column = lane % c.m, group = lane / c.m;
        int row = c.in == DType::Float64 ? 4 * r + group
                  : c.m == 32            ? 8 * (r / 4) + 4 * group + r % 4
                                         : 4 * group + r;
        double sum = 1;
        for (int k = 0; k < c.k; ++k)
          sum += p.at(0, row * c.k + k) * p.at(0, (c.m + column) * c.k + k);
        ASSERT_EQ(p.at(1, lane * n + r), sum)
            << c.type << " lane " << lane << " element " << r;
      }
  }
}

TEST(Wave, LanesLeaveLoopsOnTheirOwn) {
  WaveProgram p(R"mlir(
    // t + (t - 1) + ... by a for, doubled until above 100 by a while.
    %s = scf.for %i = %c0 to %t step %c1 iter_args(%x = %t) -> (i32) : i32 {
      %y = arith.addi %x, %i : i32
      scf.yield %y : i32
    }
    %c100 = arith.constant 100 : i32
    %w = scf.while (%x = %s) : (i32) -> i32 {
      %more = arith.cmpi slt, %x, %c100 : i32
      scf.condition(%more) %x : i32
    } do {
    ^bb0(%x: i32):
      %y = arith.addi %x, %x : i32
      %z = arith.addi %y, %c1 : i32
      scf.yield %z : i32
    }
    %odd = arith.andi %t, %c1 : i32
    %isOdd = arith.cmpi eq, %odd, %c1 : i32
    %r = scf.if %isOdd -> (i32) {
      %m = arith.subi %c0, %w : i32
      scf.yield %m : i32
    } else {
      scf.yield %w : i32
    }
    wave.global_store %r, %b[%t4 : i32] : i32)mlir");
  p.tensor(DType::Int32, {1});
  p.tensor(DType::Int32, {64});
  ASSERT_TRUE(runWave(p)) << p.messages;
  for (int t = 0; t < 64; ++t) {
    int s = t + t * (t - 1) / 2;
    while (s < 100)
      s = 2 * s + 1;
    EXPECT_EQ(p.at(1, t), t % 2 ? -s : s) << t;
  }
}

TEST(Wave, ExchangesAndAtomics) {
  WaveProgram p(R"mlir(
    %x = wave.shuffle_xor %t, 5 : i32
    %back = arith.subi %c63, %t : i32
    %y = wave.shuffle %x, %back : i32 -> i32
    wave.global_store %y, %b[%t4 : i32] : i32
    %bx = wave.block_id 0
    %by = wave.block_id 1
    %old = wave.global_atomic add %c1, %a[%c0 : i32] : i32 -> i32
    %m = wave.global_atomic umax %t, %a[%c4 : i32] : i32 -> i32
    %s = arith.addi %bx, %by : i32
    %n = wave.global_atomic max %s, %a[%c8 : i32] : i32 -> i32
    %c50462976 = arith.constant 50462976 : i32
    %q = wave.perm %c63, %c50462976, 66051)mlir");
  p.tensor(DType::Int32, {3});
  p.tensor(DType::Int32, {64});
  ASSERT_TRUE(runWave(p, {2, 3, 1})) << p.messages;
  for (int t = 0; t < 64; ++t)
    EXPECT_EQ(p.at(1, t), (63 - t) ^ 5) << t;
  EXPECT_EQ(p.at(0, 0), 64 * 6);
  EXPECT_EQ(p.at(0, 1), 63);
  EXPECT_EQ(p.at(0, 2), 1 + 2);
}

TEST(Wave, FaultsAreFound) {
  struct Case {
    const char *body, *message;
  };
  const Case cases[] = {
      {"%r = wave.resource %a, %t : i32", "differs between them"},
      {"%x = wave.global_load %a[%t4 : i32] : i32",
       "byte 32 of argument 0 does not exist: it has 32 bytes"},
      {"%m = arith.subi %c0, %c4 : i32\n"
       "%x = wave.global_load %b[%m : i32] : i32",
       "byte -4 of argument 1 does not exist"},
      {"%x = wave.lds_load %t4 {offset = 1000} : i32",
       "byte 1024 of LDS does not exist: the kernel has 1024"},
      {"wave.lds_store %t, %t : i32", "is not aligned to 4 bytes"},
      {"%u = wave.uniform %t : i32", "differs between them"},
      {"%p = arith.cmpi slt, %t, %c8 : i32\nscf.if %p {\n"
       "%x = wave.shuffle_xor %t, 8 : i32\n}",
       "lane 0 reads lane 8, which does not run here"},
      {"%p = arith.cmpi slt, %t, %c8 : i32\n"
       "%v = arith.constant dense<1.0> : vector<4xf16>\n"
       "%c = arith.constant dense<1.0> : vector<4xf32>\nscf.if %p {\n"
       "%x = wave.mfma [16, 16, 16] %v, %v, %c : vector<4xf16>, vector<4xf16>, "
       "vector<4xf32> -> vector<4xf32>\n}",
       "where lanes are switched off"},
      {"scf.for %i = %c0 to %c8 step %c0 : i32 {\n}", "step is not positive"},
      {"wave.trap", "runs into a trap"},
  };
  for (const Case &c : cases) {
    WaveProgram p(c.body);
    p.tensor(DType::Int32, {8});
    p.tensor(DType::Int32, {8});
    EXPECT_FALSE(runWave(p)) << c.body;
    EXPECT_NE(p.messages.find(c.message), std::string::npos) << c.body << "\n"
                                                             << p.messages;
  }
}

} // namespace
