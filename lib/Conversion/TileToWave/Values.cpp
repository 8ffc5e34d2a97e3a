//===- Values.cpp - Small values and proofs about scalars -------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three things that the other files ask for: the registers of a buffer as SSA
// values, the parts of a point that thread and register contribute, and what
// can be proved about scalars.
//
// Registers keep a chunk either as a vector or as elements, so that code which
// works on whole accumulators makes no vector shuffles, and element-wise code
// none either. Proofs are intervals and divisors, walked up from the value;
// they are conservative and memoised, and what might wrap in 32 bits proves
// nothing.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"
#include "mlir/IR/Matchers.h"
#include "tlc/Dialect/Tile/Transforms/PerThread.h"
#include <numeric>

using namespace mlir;
using namespace tlc;

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

Type Registers::getChunkType() const {
  return chunk == 1 ? element : VectorType::get(chunk, element);
}

/// Element \p r, taken out of its chunk's vector at the first use and kept:
/// each is extracted at most once.
mlir::Value Registers::get(OpBuilder &b, Location loc, int64_t r) {
  if (elements[r])
    return elements[r];
  int64_t c = r / chunk;
  if (!vectors[c])
    // Never written: any value will do, and zero is the same in every run.
    return elements[r] =
               arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  elements[r] = chunk == 1
                    ? vectors[c]
                    : vector::ExtractOp::create(b, loc, vectors[c], r % chunk)
                          .getResult();
  return elements[r];
}

/// Takes the chunk apart: its other elements are extracted first, as the vector
/// is no longer right.
void Registers::set(OpBuilder &b, Location loc, int64_t r, mlir::Value v) {
  int64_t c = r / chunk;
  if (vectors[c]) {
    for (int64_t i = c * chunk; i < (c + 1) * chunk; ++i)
      if (i != r)
        get(b, loc, i);
    vectors[c] = nullptr;
  }
  elements[r] = v;
}

/// Chunk \p c as a vector, put together from its elements if it is not one
/// already.
mlir::Value Registers::getChunk(OpBuilder &b, Location loc, int64_t c) {
  if (vectors[c])
    return vectors[c];
  if (chunk == 1)
    return vectors[c] = get(b, loc, c);
  SmallVector<mlir::Value> parts;
  // A chunk never written is one constant, not a chain of inserts.
  bool any = false;
  for (int64_t i = 0; i < chunk; ++i)
    any |= bool(elements[c * chunk + i]);
  if (!any)
    return vectors[c] =
               arith::ConstantOp::create(b, loc, b.getZeroAttr(getChunkType()));
  for (int64_t i = 0; i < chunk; ++i)
    parts.push_back(get(b, loc, c * chunk + i));
  return vectors[c] = vector::FromElementsOp::create(
             b, loc, mlir::cast<VectorType>(getChunkType()), parts);
}

void Registers::setChunk(int64_t c, mlir::Value v) {
  vectors[c] = v;
  for (int64_t i = 0; i < chunk; ++i)
    elements[c * chunk + i] = nullptr;
}

/// Elements to a vector: what the matrix core wants for accumulators, 16 bytes
/// otherwise.
static int64_t chunkFor(mlir::Value buffer, int64_t registers) {
  for (Operation *user : buffer.getUsers())
    if (auto gemm = dyn_cast<tile::GemmOp>(user))
      if (gemm.getC() == buffer && gemm.getMfma())
        return tile::getGemmConfig(gemm).accRegs();
  if (tile::getSpace(buffer) == tile::Space::Local)
    return 1;
  int64_t bits =
      mlir::cast<MemRefType>(buffer.getType()).getElementTypeBitWidth();
  int64_t chunk = std::max<int64_t>(1, 128 / std::max<int64_t>(bits, 8));
  while (registers % chunk)
    chunk /= 2;
  return chunk;
}

/// The state of a buffer here; made unwritten at its first use.
Registers &KernelLowering::registersOf(Value buffer) {
  buffer = tile::getBase(buffer); // an alias numbers its elements the same way
  auto it = state.find(buffer);
  if (it != state.end())
    return it->second;
  auto alloc = buffer.getDefiningOp<tile::AllocOp>();
  auto type = mlir::cast<MemRefType>(buffer.getType());
  // Without a layout (a private array) every thread holds all elements.
  int64_t count = alloc.getLayout()
                      ? alloc.getLayout()->getLayout().numRegisters()
                      : type.getNumElements();
  return state[buffer] =
             Registers(type.getElementType(), count, chunkFor(buffer, count));
}

//===----------------------------------------------------------------------===//
// Constants, threads, points
//===----------------------------------------------------------------------===//

Value KernelLowering::constant(Location loc, int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
}

Value KernelLowering::zero(Type type, Location loc) {
  return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
}

/// Looked for once.
bool KernelLowering::perThread() {
  if (!simt)
    simt = tile::isPerThread(kernel);
  return *simt;
}

/// Made once, before the body.
Value KernelLowering::threadId() {
  if (!tid) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(anchor);
    tid = wave::ThreadIdOp::create(b, kernel.getLoc(), b.getI32Type());
  }
  return tid;
}

/// Tabulates a layout: coordinates are the sum of what the thread's and the
/// register's digits say. Entries beyond the extents belong to no point.
PointMap KernelLowering::getPointMap(const Layout &layout,
                                     ArrayRef<int64_t> extents) {
  PointMap map;
  map.layout = layout;
  map.extents.assign(extents.begin(), extents.end());
  map.registers = layout.numRegisters();
  map.threads = threads;
  // Digits come from the innermost outwards, each counting in units of those
  // before it. Example: [4:r1, 64:t1] gives thread t the part 4 t and register
  // r the part r.
  for (unsigned d = 0; d < layout.rank(); ++d) {
    auto &byThread = map.threadPart.emplace_back(threads, 0);
    auto &byRegister = map.registerPart.emplace_back(map.registers, 0);
    int64_t scale = 1;
    for (const Digit &digit : layout.dim(d)) {
      bool ofThread = digit.place == Place::Thread;
      auto &part = ofThread ? byThread : byRegister;
      for (size_t i = 0; i < part.size(); ++i) {
        int64_t from = ofThread ? layout.digitsOfThread(i) : i;
        part[i] += digit.counted(from / digit.stride % digit.extent) * scale;
      }
      scale *= digit.extent;
    }
  }
  return map;
}

/// (v / divisor) % extent for non-negative v, by shifts where it can be.
static mlir::Value digitOf(OpBuilder &b, Location loc, mlir::Value v,
                           int64_t divisor, int64_t extent, bool last) {
  auto constant = [&](int64_t c) -> mlir::Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(c));
  };
  if (divisor > 1)
    v = llvm::isPowerOf2_64(divisor)
            ? arith::ShRUIOp::create(b, loc, v,
                                     constant(llvm::Log2_64(divisor)))
                  .getResult()
            : arith::DivUIOp::create(b, loc, v, constant(divisor)).getResult();
  // The highest digit needs no remainder: nothing lies above it.
  if (last)
    return v;
  return llvm::isPowerOf2_64(extent)
             ? arith::AndIOp::create(b, loc, v, constant(extent - 1))
                   .getResult()
             : arith::RemUIOp::create(b, loc, v, constant(extent)).getResult();
}

Value KernelLowering::digitsOfThread(const Layout &layout) {
  Value t = threadId();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(anchor);
  Location loc = kernel.getLoc();
  auto op = [&](auto tag, Value x, int64_t c) -> Value {
    return decltype(tag)::create(b, loc, x, constant(loc, c));
  };
  for (const XorTerm &x : llvm::reverse(layout.threadXorTerms())) {
    Value bits = op(arith::ShRUIOp(), t, x.shiftRight);
    bits = op(arith::ShLIOp(), op(arith::AndIOp(), bits, x.mask), x.shiftLeft);
    t = arith::XOrIOp::create(b, loc, t, bits);
  }
  return t;
}

/// Coordinate d that this thread contributes, as a value before the body;
/// shared by all loops whose thread digits agree.
Value KernelLowering::threadPart(const PointMap &points, unsigned d) {
  Layout::Digits digits;
  int64_t scale = 1;
  // Thread digits with their scale in the index, as a cache key.
  for (const Digit &digit : points.layout.dim(d)) {
    if (digit.place == Place::Thread)
      digits.push_back(digit), digits.push_back({scale, Place::Memory, 1});
    scale *= digit.extent;
  }
  size_t end = digits.size();
  for (const XorTerm &x : points.layout.threadXorTerms())
    digits.push_back({x.shiftRight, Place::Register, x.mask}),
        digits.push_back({x.shiftLeft, Place::Register, 1});
  // A handful of entries: a list is enough.
  for (auto &[key, value] : digitParts)
    if (key == digits)
      return value;
  Location loc = kernel.getLoc();
  OpBuilder::InsertionGuard guard(b);
  Value t = digitsOfThread(points.layout);
  b.setInsertionPoint(anchor);
  Value sum;
  for (size_t i = 0; i < end; i += 2) {
    const Digit &digit = digits[i];
    Value v = digitOf(b, loc, t, digit.stride, digit.extent,
                      digit.stride * digit.extent == threads);
    if (digit.flipped)
      v = arith::SubIOp::create(b, loc, constant(loc, digit.extent - 1), v);
    if (digits[i + 1].extent != 1)
      v = arith::MulIOp::create(b, loc, v, constant(loc, digits[i + 1].extent));
    sum = sum ? arith::AddIOp::create(b, loc, sum, v).getResult() : v;
  }
  if (!sum)
    sum = constant(loc, 0);
  digitParts.push_back({digits, sum});
  return sum;
}

/// Coordinate d of the point in register r of this thread.
Value KernelLowering::pointValue(const PointMap &points, unsigned d, int64_t r,
                                 Location loc) {
  Value base = threadPart(points, d);
  int64_t part = points.registerPart[d][r];
  if (!part)
    return base;
  return arith::AddIOp::create(b, loc, base, constant(loc, part));
}

/// Null stands for true.
Value KernelLowering::andAlso(Location loc, Value a, Value c) {
  if (!a || !c)
    return a ? a : c;
  return arith::AndIOp::create(b, loc, a, c);
}

/// Whether this thread is the first of those that hold the same points, or null
/// if each point has one holder. Replicas differ in the digits of the thread's
/// number that the layout does not use: those must be 0.
Value KernelLowering::isOwner(const PointMap &points) {
  // Sorted by stride, the used digits leave gaps in the thread's number.
  SmallVector<std::pair<int64_t, int64_t>> used; // stride, extent
  for (unsigned d = 0; d < points.layout.rank(); ++d)
    for (const Digit &digit : points.layout.dim(d))
      if (digit.place == Place::Thread)
        used.push_back({digit.stride, digit.extent});
  llvm::sort(used);
  Location loc = kernel.getLoc();
  OpBuilder::InsertionGuard guard(b);
  Value t = digitsOfThread(points.layout), result;
  b.setInsertionPoint(anchor);
  int64_t next = 1;
  // A digit between `from` and `to` that no dimension uses.
  auto gap = [&](int64_t from, int64_t to) {
    if (to <= from)
      return;
    Value v = digitOf(b, loc, t, from, to / from, to == threads);
    Value is = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, v,
                                     constant(loc, 0));
    result = andAlso(loc, result, is);
  };
  for (auto [stride, extent] : used) {
    gap(next, stride);
    next = stride * extent;
  }
  gap(next, threads);
  return result;
}

/// Truncates; only for values whose range has been looked at.
Value KernelLowering::toI32(Value v, Location loc) {
  if (v.getType().isInteger(32))
    return v;
  if (v.getType().isIndex())
    return arith::IndexCastOp::create(b, loc, b.getI32Type(), v);
  return arith::TruncIOp::create(b, loc, b.getI32Type(), v);
}

/// The conversion between element types: floats round to nearest even, integers
/// from floats truncate, booleans are 0 and 1.
Value KernelLowering::cast(Value v, Type to, Location loc) {
  Type from = v.getType();
  if (from == to)
    return v;
  auto toFloat = dyn_cast<FloatType>(to), fromFloat = dyn_cast<FloatType>(from);
  if (fromFloat && toFloat) {
    if (from.getIntOrFloatBitWidth() == to.getIntOrFloatBitWidth()) {
      // Equal width, other format: through f32, which holds both.
      v = arith::ExtFOp::create(b, loc, b.getF32Type(), v);
      return arith::TruncFOp::create(b, loc, to, v);
    }
    if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
      return arith::ExtFOp::create(b, loc, to, v);
    return arith::TruncFOp::create(b, loc, to, v);
  }
  if (fromFloat)
    return arith::FPToSIOp::create(b, loc, to, v);
  if (toFloat)
    return from.isInteger(1)
               ? arith::UIToFPOp::create(b, loc, to, v).getResult()
               : arith::SIToFPOp::create(b, loc, to, v).getResult();
  if (from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth())
    return arith::TruncIOp::create(b, loc, to, v);
  return from.isInteger(1) ? arith::ExtUIOp::create(b, loc, to, v).getResult()
                           : arith::ExtSIOp::create(b, loc, to, v).getResult();
}

//===----------------------------------------------------------------------===//
// What is known about scalars of the tile program
//===----------------------------------------------------------------------===//

Interval KernelLowering::rangeOf(Value v) { return ranges.of(v); }

/// Of a large divisor only the power of two counts, as it is alignment that is
/// to be proved. So products of two divisors stay within 64 bits.
static int64_t capDivisor(uint64_t divisor) {
  constexpr uint64_t kMost = uint64_t(1) << 20;
  return int64_t(divisor > kMost ? std::gcd(divisor, kMost) : divisor);
}

/// A positive number that divides v, 1 where nothing is known. It serves to
/// prove the alignment of accesses, of which 16 bytes is the most.
int64_t KernelLowering::divisorOf(Value v) {
  APInt c;
  if (matchPattern(v, m_ConstantInt(&c)))
    return c.isZero() ? int64_t(1) << 20 : capDivisor(c.abs().getZExtValue());
  if (auto arg = dyn_cast<BlockArgument>(v)) {
    if (auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
        loop && arg == loop.getInductionVar())
      return std::gcd(divisorOf(loop.getLowerBound()),
                      divisorOf(loop.getStep()));
    return 1;
  }
  Operation *op = v.getDefiningOp();
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MinSIOp,
                      arith::MaxSIOp>(op))
    return std::gcd(divisorOf(op->getOperand(0)), divisorOf(op->getOperand(1)));
  if (isa_and_nonnull<arith::MulIOp>(op))
    return capDivisor(uint64_t(divisorOf(op->getOperand(0))) *
                      uint64_t(divisorOf(op->getOperand(1))));
  if (isa_and_nonnull<arith::ShLIOp>(op) &&
      matchPattern(op->getOperand(1), m_ConstantInt(&c)) && c.ult(20))
    return capDivisor(uint64_t(divisorOf(op->getOperand(0)))
                      << c.getZExtValue());
  // k * 64 // 2: what is left of the power of two.
  if (isa_and_nonnull<arith::ShRSIOp, arith::ShRUIOp>(op) &&
      matchPattern(op->getOperand(1), m_ConstantInt(&c)) && c.ult(20)) {
    int64_t of = divisorOf(op->getOperand(0));
    return std::max<int64_t>(1, (of & -of) >> c.getZExtValue());
  }
  if (isa_and_nonnull<arith::SelectOp>(op))
    return std::gcd(divisorOf(op->getOperand(1)), divisorOf(op->getOperand(2)));
  if (isa_and_nonnull<arith::ExtSIOp, arith::TruncIOp>(op))
    return divisorOf(op->getOperand(0));
  return 1;
}
