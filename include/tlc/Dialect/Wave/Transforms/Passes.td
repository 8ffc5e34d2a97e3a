//===- Passes.td - Passes on the wave dialect -*- tablegen -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "mlir/Pass/PassBase.td"

def WaveJoinAccesses : Pass<"wave-join-accesses", "::tlc::wave::KernelOp"> {
  let summary = "Join scalar LDS accesses side by side to vectors";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect",
                           "::tlc::wave::WaveDialect"];
}

def WavePackConversions : Pass<"wave-pack-conversions", "::tlc::wave::KernelOp"> {
  let summary = "Round scalars to bf16 in the vectors they end in";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

def WavePackBytes : Pass<"wave-pack-bytes", "::tlc::wave::KernelOp"> {
  let summary = "Load and put together 8-bit elements by words";
  let dependentDialects = ["::mlir::vector::VectorDialect", "::tlc::wave::WaveDialect"];
}

def WaveDotSums : Pass<"wave-dot-sums", "::tlc::wave::KernelOp"> {
  let summary = "Add up f16 numbers two at a time";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect",
                           "::tlc::wave::WaveDialect"];
}

def WaveDeferSums : Pass<"wave-defer-sums", "::tlc::wave::KernelOp"> {
  let summary = "Add running sums over lanes behind the loop";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tlc::wave::WaveDialect"];
}

def WaveGuardMaximum : Pass<"wave-guard-maximum", "::tlc::wave::KernelOp"> {
  let summary = "Branch around what a running maximum changes while it does not move";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::ub::UBDialect", "::tlc::wave::WaveDialect"];
  let options = [
    Option<"minimum", "minimum", "int64_t", "16", "Multiplications that are worth a branch">,
    Option<"exchange", "exchange", "bool", "true", "Exchange the maximum of lanes in the branch">
  ];
}

def WaveShareDivisors : Pass<"wave-share-divisors", "::tlc::wave::KernelOp"> {
  let summary = "Multiply by one reciprocal where many values are divided by one";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
  let options = [
    Option<"minimum", "minimum", "int64_t", "8", "Divisions that are worth a reciprocal">
  ];
}

def WaveSkipRescale : Pass<"wave-skip-rescale", "::tlc::wave::KernelOp"> {
  let summary = "Branch around multiplications of accumulators by exactly one";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::tlc::wave::WaveDialect"];
  let options = [
    Option<"minimum", "minimum", "int64_t", "16", "Multiplications that are worth a branch">
  ];
}

def WaveGroupBroadcasts : Pass<"wave-group-broadcasts", "::tlc::wave::KernelOp"> {
  let summary = "Read elements that one lane has for all together";
  let dependentDialects = ["::tlc::wave::WaveDialect"];
}

def WaveSchedule : Pass<"wave-schedule", "::tlc::wave::KernelOp"> {
  let summary = "Order hot loops slot by slot around their matrix instructions";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::tlc::wave::WaveDialect"];
  let options = [
    Option<"overlap", "overlap", "bool", "true", "Overlap iterations (modulo schedule)">,
    Option<"pin", "pin", "bool", "true", "Close each slot with a scheduling barrier">,
    Option<"unroll", "unroll", "bool", "true", "Two iterations a turn where LDS tiles have two copies">,
    Option<"limit", "limit", "int64_t", "0", "Registers above which iterations do not overlap; 0: no limit">,
    Option<"ring", "ring", "int64_t", "256", "Cycles that an LDS read may come before its latency demands it">,
    Option<"report", "report", "bool", "false", "Print each slot as a remark">
  ];
}
