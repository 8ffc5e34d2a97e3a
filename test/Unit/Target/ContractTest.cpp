//===- ContractTest.cpp - The launch contract -----------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tlc/Target/Contract.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace tlc::target;
using llvm::formatv;
using Op = Expr::Op;

namespace {

Contract makeGemm() {
  Contract c;
  c.program = "gemm";
  c.target = "gfx942";
  Expr m = Expr::argument(2);
  c.arguments.push_back({"A",
                         "float16",
                         Role::In,
                         {m, Expr::constant(64)},
                         {Expr::constant(64), Expr::constant(1)},
                         16});
  c.arguments.push_back({"alpha", "float32", Role::Scalar});
  c.arguments.push_back({"M", "int32", Role::Dim});
  c.arguments[2].min = 0;
  c.arguments.push_back({"n", "int64", Role::Scalar});
  Kernel k;
  k.name = "gemm_kernel";
  k.grid = {Expr::make(Op::CeilDiv, {m, Expr::constant(128)}),
            Expr::constant(3), Expr::constant(1)};
  k.block = {256, 1, 1};
  k.ldsBytes = 4096;
  c.kernels.push_back(k);
  return c;
}

std::string errorOf(llvm::StringRef json) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(json);
  if (!value)
    return "not JSON: " + llvm::toString(value.takeError());
  llvm::Expected<Contract> c = Contract::fromJSON(*value);
  return c ? "" : llvm::toString(c.takeError());
}

TEST(ContractTest, RoundTrip) {
  llvm::json::Value json = makeGemm().toJSON();
  llvm::Expected<Contract> back = Contract::fromJSON(json);
  ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
  EXPECT_EQ(back->toJSON(), json);
  EXPECT_EQ(back->kernels[0].grid[0].evaluate({0, 0, 129, 0}), 2);
  EXPECT_EQ(back->arguments[2].min, 0);
  EXPECT_FALSE(back->arguments[2].max.has_value());
}

TEST(ContractTest, ArgumentOffsetsAreNatural) {
  EXPECT_EQ(argumentOffsets(makeGemm()),
            (std::vector<uint64_t>{0, 8, 12, 16, 24}));
}

TEST(ContractTest, ExpressionsFoldOnlyWhatCannotFail) {
  Expr x = Expr::argument(0);
  EXPECT_EQ(Expr::make(Op::Mul, {Expr::constant(6), Expr::constant(7)}),
            Expr::constant(42));
  EXPECT_EQ(Expr::make(Op::Add, {x, Expr::constant(0)}), x);
  Expr bad = Expr::make(Op::Div, {Expr::constant(1), Expr::constant(0)});
  EXPECT_FALSE(bad.isConstant());
  EXPECT_FALSE(bad.evaluate({}).has_value());
}

TEST(ContractTest, Rounding) {
  Expr x = Expr::argument(0), four = Expr::constant(4);
  auto at = [&](Op op, int64_t v) {
    return Expr::make(op, {x, four}).evaluate({v});
  };
  EXPECT_EQ(at(Op::Div, -5), -1);
  EXPECT_EQ(at(Op::FloorDiv, -5), -2);
  EXPECT_EQ(at(Op::CeilDiv, -5), -1);
  EXPECT_EQ(at(Op::CeilDiv, 5), 2);
  EXPECT_EQ(at(Op::Rem, -5), -1);
  EXPECT_FALSE(at(Op::Mul, INT64_MAX).has_value());
}

TEST(ContractTest, SelectEvaluatesOneSide) {
  Expr x = Expr::argument(0);
  Expr e =
      Expr::make(Op::Select,
                 {Expr::make(Op::Eq, {x, Expr::constant(0)}), Expr::constant(9),
                  Expr::make(Op::Div, {Expr::constant(8), x})});
  EXPECT_EQ(e.evaluate({0}), 9);
  EXPECT_EQ(e.evaluate({2}), 4);
}

TEST(ContractTest, RefusesMalformed) {
  auto withKernel = [](llvm::StringRef grid) {
    return formatv(R"({{"schema":"tlc.contract/1","arguments":[{{"name":"A",)"
                   R"("dtype":"float16","role":"in","shape":[],"strides":[]}],)"
                   R"("kernels":[{{"name":"k","grid":{0},"block":[64,1,1]}]})",
                   grid)
        .str();
  };
  EXPECT_EQ(errorOf(withKernel("[1,1,1]")), "");
  EXPECT_NE(errorOf(withKernel("[1,1]")).find("three dimensions"),
            std::string::npos);
  EXPECT_NE(errorOf(withKernel("[\"B\",1,1]")).find("no argument is named 'B'"),
            std::string::npos);
  EXPECT_NE(errorOf(withKernel("[\"A\",1,1]")).find("tensor 'A'"),
            std::string::npos);
  EXPECT_NE(errorOf(withKernel("[[\"+\",1],1,1]")).find("wrong number"),
            std::string::npos);
  EXPECT_NE(errorOf(withKernel("[[\"?\",1,1],1,1]")).find("unknown operator"),
            std::string::npos);
  EXPECT_NE(errorOf(R"({"schema":"tlc.contract/2"})").find("schema"),
            std::string::npos);
}

TEST(ContractTest, ObjectWithoutContract) {
  llvm::Expected<Contract> c =
      Contract::fromObject(llvm::MemoryBufferRef("no object at all", "x"));
  ASSERT_FALSE(bool(c));
  llvm::consumeError(c.takeError());
}

} // namespace
