//===- Gemm.cpp - tile.gemm to the matrix core ------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product becomes reps(M) x reps(N) x steps(K) matrix instructions of one
// wavefront, on accumulators that stay in registers. Operands come from
// fragments register by register, or from LDS by the widest reads that their
// layout allows; both sides step through k in the order that getKDigits() has
// fixed, so that any order is right.
//
//   tile.gemm %a, %b into %c {mfma = array<i64: 32, 32, 8, 2, 2, 1>}
//     -> %x = wave.lds_load ... : vector<8xf16>       two steps of k at once
//        %d = wave.mfma [32, 32, 8] %y, %x, %c        swapped: B's rows first
//
// k is the outer loop: consecutive instructions write different accumulators,
// so that none waits for the one before.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

using namespace mlir;
using namespace tlc;

namespace {
/// The registers of one operand, one vector for each repetition of rows and
/// step of k.
using Operand = std::vector<std::vector<mlir::Value>>;
} // namespace

/// Moves the ops between `begin` (exclusive, or null for the block's first) and
/// the products to just before the first product that needs them, with what
/// they are computed from. Fewer operands are then held at once.
static void bringOperandsClose(Block *block, Operation *begin,
                               ArrayRef<Operation *> products) {
  llvm::DenseSet<Operation *> waiting;
  Operation *op = begin ? begin->getNextNode() : &block->front();
  for (; op != products.front(); op = op->getNextNode())
    waiting.insert(op);
  auto bring = [&](auto &self, Operation *needed, Operation *before) -> void {
    if (!waiting.erase(needed))
      return;
    for (Value operand : needed->getOperands())
      if (Operation *source = operand.getDefiningOp())
        self(self, source, before);
    needed->moveBefore(before);
  };
  for (Operation *product : products)
    for (Value operand : product->getOperands())
      if (Operation *source = operand.getDefiningOp())
        bring(bring, source, product);
}

/// Fails, with an error at the op, where layouts or the `mfma` attribute are
/// missing or do not fit one another.
LogicalResult KernelLowering::lowerGemm(tile::GemmOp op) {
  Location loc = op.getLoc();
  if (!op.getMfma())
    return op.emitError("has no mfma attribute: run tile-infer-layouts first");
  FailureOr<tile::GemmTypes> types = tile::getGemmTypes(op);
  if (failed(types))
    return op.emitError("gfx942 has no matrix instruction for these types");
  tile::GemmConfig c = tile::getGemmConfig(op);
  int64_t reps[2] = {c.repsM(op.getM()), c.repsN(op.getN())};
  // Operands first: operands[o][rep][step] is what one instruction takes.
  int64_t kRegs = c.kRegs();

  Operand operands[2];
  Block *block = b.getInsertionBlock();
  Operation *begin = b.getInsertionPoint() == block->begin()
                         ? nullptr
                         : &*std::prev(b.getInsertionPoint());
  int64_t bytesRead = 0; // from LDS, by a lane
  for (unsigned o : {0u, 1u}) {
    Value buffer = op->getOperand(o);
    Layout layout = tile::getOperandLayout(op, o);
    int64_t rows = o == 0 ? op.getM() : op.getN();
    PointMap points = getPointMap(layout, {rows, op.getK()});
    auto type = mlir::cast<MemRefType>(buffer.getType());
    tile::Access access = tile::getOperandAccess(op, o);
    int64_t n = points.registers;
    SmallVector<Value> values(n);
    if (tile::getSpace(buffer) == tile::Space::Fragment) {
      auto slots = slotsOf(op, access, layout);
      if (failed(slots))
        return failure();
      for (int64_t r = 0; r < n; ++r)
        values[r] = (*slots)[r] < 0
                        ? zero(type.getElementType(), loc)
                        : registersOf(access.buffer).get(b, loc, (*slots)[r]);
    } else {
      auto planned = planLds(access, points, loc, /*store=*/false);
      if (failed(planned))
        return failure();
      values = load(*planned, n, type.getElementType(), loc);
      bytesRead += n * elementBytes(buffer);
    }
    // Beyond K both operands must be zero: what LDS holds there is not known,
    // and 0 * NaN is NaN.
    if (points.isPadded(1))
      for (int64_t r = 0; r < n; ++r) {
        bool some = false, all = true;
        for (int64_t t = 0; t < threads; ++t) {
          bool outside = points.at(1, t, r) >= op.getK();
          some |= outside;
          all &= outside;
        }
        if (!some)
          continue;
        Value z = zero(type.getElementType(), loc);
        values[r] =
            all ? z
                : arith::SelectOp::create(
                      b, loc,
                      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                            pointValue(points, 1, r, loc),
                                            constant(loc, op.getK())),
                      values[r], z)
                      .getResult();
      }
    // Registers: k innermost, then repetitions of rows (getOperandLayout()).
    int64_t kRegisters = n / reps[o];
    Type element = o == 0 ? types->operandA : types->operandB;
    for (int64_t rep = 0; rep < reps[o]; ++rep) {
      auto &steps = operands[o].emplace_back();
      for (int64_t k = 0; k < kRegisters; k += kRegs) {
        SmallVector<Value> parts;
        for (int64_t i = 0; i < kRegs; ++i)
          parts.push_back(cast(values[rep * kRegisters + k + i], element, loc));
        steps.push_back(
            kRegs == 1 ? parts[0]
                       : vector::FromElementsOp::create(
                             b, loc, VectorType::get(kRegs, element), parts)
                             .getResult());
      }
    }
  }

  // The accumulators, chunk i * reps(N) + j for block (i, j). In another type
  // than the instruction's (a C of f16) they are widened here and rounded
  // after.
  Registers &acc = registersOf(op.getC());
  Type accType = types->accumulator;
  int64_t chunk = c.accRegs();
  if (acc.size() != reps[0] * reps[1] * chunk)
    return op.emitError("accumulator layout is not the one of its mfma "
                        "attribute: run tile-infer-layouts first");
  bool narrow = acc.getElementType() != accType;
  auto vectorType = VectorType::get(chunk, accType);
  int64_t shape[3] = {c.m, c.m, c.k};
  std::vector<Value> sums;
  SmallVector<Operation *> products;
  for (int64_t i = 0; i < reps[0] * reps[1]; ++i) {
    if (!narrow && acc.chunkSize() == chunk) {
      sums.push_back(acc.getChunk(b, loc, i));
      continue;
    }
    SmallVector<Value> parts;
    for (int64_t r = 0; r < chunk; ++r)
      parts.push_back(cast(acc.get(b, loc, i * chunk + r), accType, loc));
    sums.push_back(vector::FromElementsOp::create(b, loc, vectorType, parts));
  }
  // The first products of a step wait for one fragment of the operand that the
  // outer loop runs over and all of the other: let these be few.
  bool fromLds = tile::getSpace(op.getA()) == tile::Space::Shared &&
                 tile::getSpace(op.getB()) == tile::Space::Shared;
  int outer = fromLds && reps[1] > reps[0] ? 1 : 0;
  // One read of 16 bytes brings a fragment of several steps: those follow one
  // another where enough accumulators lie between them, and the fragment's
  // registers are free again.
  int64_t steps = operands[0][0].size(), together = 1;
  constexpr int64_t kWidestRead = 16, kApart = 4;
  if (fromLds && reps[1 - outer] >= kApart)
    while (2 * together * kRegs * elementBytes(op.getA()) <= kWidestRead &&
           steps % (2 * together) == 0)
      together *= 2;
  for (int64_t first = 0; first < steps; first += together)
    for (int64_t o = 0; o < reps[outer]; ++o)
      for (int64_t step = first; step < first + together; ++step)
        for (int64_t n = 0; n < reps[1 - outer]; ++n) {
          int64_t i = outer ? n : o, j = outer ? o : n;
          Value x = operands[0][i][step], y = operands[1][j][step];
          if (c.swapped)
            std::swap(x, y);
          Value &sum = sums[i * reps[1] + j];
          sum = wave::MfmaOp::create(b, loc, shape, x, y, sum);
          products.push_back(sum.getDefiningOp());
        }
  // Too many for registers to hold at once. Where they are not, more loads
  // ahead of their readers are better.
  constexpr int64_t kMostRead = 128 * 4;
  if (bytesRead > kMostRead)
    bringOperandsClose(block, begin, products);
  // Back into the fragment.
  for (auto [i, sum] : llvm::enumerate(sums)) {
    if (!narrow && acc.chunkSize() == chunk) {
      acc.setChunk(i, sum);
      continue;
    }
    for (int64_t r = 0; r < chunk; ++r)
      acc.set(b, loc, i * chunk + r,
              cast(vector::ExtractOp::create(b, loc, sum, r),
                   acc.getElementType(), loc));
  }
  return success();
}
