//===- IntegerOps.cpp - Integer ops on known numbers ------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tlc/Dialect/Tile/IR/IntegerOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tlc;

using Number = std::optional<int64_t>;

static int64_t floorDivide(int64_t a, int64_t b) {
  return a / b - (a % b && (a < 0) != (b < 0));
}

static Number evaluateBinary(Operation *op, int64_t a, int64_t b) {
  // Of 32 bits taken as unsigned these are other numbers.
  if (isa<arith::DivUIOp, arith::RemUIOp, arith::ShRUIOp>(op) &&
      (a < 0 || b < 0))
    return std::nullopt;
  bool shifts = b >= 0 && b < 63;
  return llvm::TypeSwitch<Operation *, Number>(op)
      .Case([&](arith::AddIOp) { return a + b; })
      .Case([&](arith::SubIOp) { return a - b; })
      .Case([&](arith::MulIOp) { return a * b; })
      .Case([&](arith::AndIOp) { return a & b; })
      .Case([&](arith::OrIOp) { return a | b; })
      .Case([&](arith::XOrIOp) { return a ^ b; })
      .Case([&](arith::MinSIOp) { return std::min(a, b); })
      .Case([&](arith::MaxSIOp) { return std::max(a, b); })
      .Case([&](arith::ShLIOp) { return shifts ? a << b : 0; })
      .Case<arith::ShRSIOp, arith::ShRUIOp>(
          [&](auto) { return shifts ? a >> b : 0; })
      .Case<arith::DivSIOp, arith::DivUIOp>([&](auto) { return b ? a / b : 0; })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) { return b ? a % b : 0; })
      .Case([&](arith::FloorDivSIOp) { return b ? floorDivide(a, b) : 0; })
      .Case([&](arith::CeilDivSIOp) { return b ? -floorDivide(-a, b) : 0; })
      .Default(std::nullopt);
}

Number tile::evaluateInteger(Operation *op, ArrayRef<int64_t> operands) {
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp>(op))
    return operands[0];
  if (isa<arith::TruncIOp>(op))
    return llvm::SignExtend64(
        operands[0], op->getResult(0).getType().getIntOrFloatBitWidth());
  if (isa<arith::SelectOp>(op))
    return operands[0] ? operands[1] : operands[2];
  if (auto cmp = dyn_cast<arith::CmpIOp>(op)) {
    unsigned bits = cmp.getLhs().getType().getIntOrFloatBitWidth();
    return arith::applyCmpPredicate(cmp.getPredicate(),
                                    APInt(bits, operands[0], true, true),
                                    APInt(bits, operands[1], true, true));
  }
  return operands.size() == 2 ? evaluateBinary(op, operands[0], operands[1])
                              : std::nullopt;
}
