//===- DeviceOps.cpp - Random numbers, grid barriers, pointers ------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the hardware has no instruction for, and the language makes of what
// there is: random numbers by integer arithmetic, a barrier of the whole grid
// by cutting the kernel in two, tensors at addresses.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace tlc;
using namespace mlir;

namespace tlc::frontend {

//===----------------------------------------------------------------------===//
// Random numbers: Philox 4x32, 10 rounds, as cuRAND counts its sequences
//===----------------------------------------------------------------------===//

/// T.rng_init(seed, seq, off=0); the sequence is the thread's number in its row
/// of the grid if it is not given.
Value Interpreter::rngInit(Args &args) {
  if (!notInParallel(args.range, "T.rng_init"))
    return {};
  for (auto &[name, v] : args.extra)
    if (name == "generator" && v.is(VK::Str) && !v.asStr().contains("Philox"))
      return fail(DiagID::Unimplemented, args.range,
                  "the generator '" + v.asStr() + "'; Philox4_32_10 is there");
  if (!args.has(1)) {
    at(args.range);
    Value block =
        Value::scalar({kernelOp.getBody().getArgument(0), dtypes::int32});
    block = binary(BinOpKind::Mul, block,
                   Value::integral(kernelOp.getThreads()[0]), args.range);
    args.values[1] =
        block ? binary(BinOpKind::Add, threadIndex(0), block, args.range)
              : Value();
    if (!args.values[1])
      return {};
  }
  // Seed, sequence and offset, 64 bits each; the offset is the first position
  // and the only part that moves, so it lives in a variable of the thread.
  Sym parts[3];
  for (unsigned i = 0; i < 3; ++i) {
    parts[i] = castValue(args.has(i) ? args[i] : Value::integral(0),
                         dtypes::int64, args.range);
    if (!parts[i])
      return {};
  }
  rngSeed = parts[0];
  rngSequence = parts[1];
  at(args.range);
  rngPosition = make<BufferObject>();
  rngPosition->dtype = dtypes::int64;
  rngPosition->space = tile::Space::Local;
  rngPosition->declared = args.range;
  rngPosition->shape.push_back(Value::integral(1));
  rngPosition->memref = tile::AllocOp::create(
      b, tile::getBufferType({1}, b.getI64Type(), tile::Space::Local),
      b.getStringAttr("rng"), nullptr, nullptr);
  return store(rngPosition, {Value::integral(0)}, Value::scalar(parts[2]),
               args.range)
             ? Value::none()
             : Value();
}

/// The 32-bit number at the position, which then moves on.
mlir::Value Interpreter::rngNext(SourceRange range) {
  if (!rngPosition) {
    error(DiagID::BadArgument, range,
          "random numbers need T.rng_init before them");
    return {};
  }
  drawsInPoints |= parallelDepth > 0;
  Value position = load(rngPosition, {Value::integral(0)}, range);
  if (!position)
    return {};
  at(range);
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  auto c32 = [&](uint32_t v) {
    return constant(int64_t(int32_t(v)), dtypes::int32).value;
  };
  auto c64 = [&](int64_t v) { return constant(v, dtypes::int64).value; };
  // A counter gives four numbers: position p is number p % 4 of counter p / 4.
  // The counter's low 64 bits are that, its high ones the sequence; the key is
  // the seed.
  mlir::Value p = position.asSym().value;
  mlir::Value block = arith::ShRUIOp::create(b, p, c64(2));
  auto low = [&](mlir::Value v) -> mlir::Value {
    return arith::TruncIOp::create(b, i32, v);
  };
  auto high = [&](mlir::Value v) {
    return low(arith::ShRUIOp::create(b, v, c64(32)));
  };
  mlir::Value ctr[4] = {low(block), high(block), low(rngSequence.value),
                        high(rngSequence.value)};
  mlir::Value key[2] = {low(rngSeed.value), high(rngSeed.value)};
  auto product = [&](uint32_t m, mlir::Value v) -> mlir::Value {
    return arith::MulIOp::create(b, arith::ExtUIOp::create(b, i64, v),
                                 c64(int64_t(m)));
  };
  // A round multiplies two of the four words by constants and mixes the halves
  // of the products with the others and the key; the key moves by Weyl
  // constants.
  for (int round = 0; round < 10; ++round) {
    if (round) {
      key[0] = arith::AddIOp::create(b, key[0], c32(0x9E3779B9));
      key[1] = arith::AddIOp::create(b, key[1], c32(0xBB67AE85));
    }
    mlir::Value x = product(0xD2511F53, ctr[0]),
                y = product(0xCD9E8D57, ctr[2]);
    mlir::Value next[4] = {
        arith::XOrIOp::create(b, arith::XOrIOp::create(b, high(y), ctr[1]),
                              key[0]),
        low(y),
        arith::XOrIOp::create(b, arith::XOrIOp::create(b, high(x), ctr[3]),
                              key[1]),
        low(x)};
    std::copy(next, next + 4, ctr);
  }
  // All four are computed, one is taken.
  mlir::Value which = arith::AndIOp::create(b, low(p), c32(3));
  mlir::Value r = ctr[0];
  for (uint32_t i = 1; i < 4; ++i)
    r = arith::SelectOp::create(
        b, arith::CmpIOp::create(b, arith::CmpIPredicate::eq, which, c32(i)),
        ctr[i], r);
  mlir::Value moved = arith::AddIOp::create(b, p, c64(1));
  return store(rngPosition, {Value::integral(0)},
               Value::scalar({moved, dtypes::int64}), range)
             ? r
             : mlir::Value();
}

Value Interpreter::rngRand(Args &args) {
  mlir::Value r = rngNext(args.range);
  return r ? Value::scalar({r, integerType(32, false)}) : Value();
}

/// T.rng_rand_float(bit=32, dist="uniform"): in (0, 1].
Value Interpreter::rngRandFloat(Args &args) {
  if ((args.has(0) && !(args[0].isIntLike() && args[0].asInt() == 32)) ||
      (args.has(1) && !(args[1].is(VK::Str) && args[1].asStr() == "uniform")))
    return fail(DiagID::Unimplemented, args.range,
                "T.rng_rand_float gives uniform 32-bit floats only");
  mlir::Value r = rngNext(args.range);
  if (!r)
    return {};
  at(args.range);
  // (r + 0.5) / 2^32: r = 0 gives 2^-33, the largest r rounds to 1.
  mlir::Value f = arith::UIToFPOp::create(b, b.getF32Type(), r);
  mlir::Value scale = constant(0x1p-32, dtypes::float32).value,
              half = constant(0x1p-33, dtypes::float32).value;
  f = arith::AddFOp::create(b, arith::MulFOp::create(b, f, scale), half);
  return Value::scalar({f, dtypes::float32});
}

//===----------------------------------------------------------------------===//
// The whole grid
//===----------------------------------------------------------------------===//

/// T.sync_grid(): the launch is cut in two there (splitAtGridSyncs).
Value Interpreter::syncGrid(Args &args) {
  if (b.getInsertionBlock() != &kernelOp.getBody().front())
    return fail(DiagID::Unimplemented, args.range,
                "T.sync_grid inside control flow: the kernel is cut in two "
                "there, which needs it at the top level of the T.Kernel");
  auto sync = tile::SyncOp::create(b);
  sync->setAttr("tile.grid", b.getUnitAttr());
  return Value::none();
}

/// Whether an access writes all of a buffer, whatever was in it: a fill, a
/// copy, a store of its only element, or a loop over its points that stores
/// each. Not under a condition.
static bool overwrites(Operation *access, mlir::Value buffer) {
  if (access->getParentOfType<scf::IfOp>())
    return false;
  if (isa<tile::FillOp>(access))
    return true;
  if (auto copy = dyn_cast<tile::CopyOp>(access))
    return copy.getDst() == buffer && copy.getSrc() != buffer;
  auto store = dyn_cast<tile::StoreOp>(access);
  if (!store || store.getDest() != buffer)
    return false;
  auto type = llvm::cast<MemRefType>(buffer.getType());
  if (type.getNumElements() == 1)
    return true;
  auto loop = dyn_cast<tile::ParallelOp>(store->getParentOp());
  if (!loop)
    return false;
  llvm::SmallDenseSet<mlir::Value, 4> seen;
  for (auto [extent, index] :
       llvm::zip_equal(type.getShape(), store.getIndices())) {
    auto point = dyn_cast<BlockArgument>(index);
    if (extent == 1 && !point)
      continue;
    if (!point || point.getOwner() != &loop.getBody().front() ||
        loop.getExtents()[point.getArgNumber()] != extent ||
        !seen.insert(index).second)
      return false;
  }
  return true;
}

/// Each part behind a T.sync_grid becomes a kernel of its own: launches are in
/// order, which is the barrier. Scalars that do not read memory are computed
/// again; tiles must not carry data across.
///
///   kernel { %x = ...; part 1; grid sync; part 2 uses %x }
///   ->  kernel { %x = ...; part 1 }  kernel_1 { %x = ...; part 2 }
///
/// The last one is cut off first, then the same for what is left. False after a
/// report.
bool Interpreter::splitAtGridSyncs(tile::KernelOp kernel) {
  Block &body = kernel.getBody().front();
  Operation *cut = nullptr;
  for (Operation &op : body)
    if (op.hasAttr("tile.grid"))
      cut = &op;
  if (!cut)
    return true;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(kernel);
  std::string name =
      func.getName().str() + "_kernel_" + std::to_string(kernelCount++);
  OperationState state(kernel.getLoc(), tile::KernelOp::getOperationName());
  tile::KernelOp::build(b, state, kernel.getGrid(), kernel.getThreadsAttr(),
                        b.getStringAttr(name), kernel.getSwizzleAttr());
  Block *block = new Block();
  state.regions.front()->push_back(block);
  IRMapping map;
  for (BlockArgument arg : body.getArguments())
    map.map(arg, block->addArgument(arg.getType(), arg.getLoc()));
  b.create(state)->setDiscardableAttrs(kernel->getDiscardableAttrDictionary());
  b.setInsertionPointToEnd(block);
  // What the second part needs of the first, in order.
  llvm::SetVector<Operation *> needed;
  SmallVector<Operation *> moved;
  for (Operation *op = cut->getNextNode(); op; op = op->getNextNode())
    moved.push_back(op);
  // Operands before their users, so that cloning in this order is valid.
  std::function<void(mlir::Value)> need = [&](mlir::Value v) {
    Operation *op = v.getDefiningOp();
    if (!op || op->getBlock() != &body || !op->isBeforeInBlock(cut) ||
        needed.contains(op))
      return;
    for (mlir::Value operand : op->getOperands())
      need(operand);
    op->walk([&](Operation *inner) {
      for (mlir::Value operand : inner->getOperands())
        need(operand);
    });
    needed.insert(op);
  };
  for (Operation *op : moved)
    op->walk([&](Operation *inner) {
      for (mlir::Value operand : inner->getOperands())
        need(operand);
    });
  // What cannot be computed again (a load, an atomic) would have to be kept. A
  // number that a buffer begins with is stored again.
  SmallVector<tile::StoreOp> initial;
  for (Operation *op : needed) {
    bool isAlloc = isa<tile::AllocOp>(op);
    if (!isAlloc &&
        !isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
        !isa<tile::ThreadIdOp, tile::ViewOp, tile::AliasOp>(op)) {
      auto diag = op->emitError("a value from before T.sync_grid is used after "
                                "it, and cannot be computed again");
      diag.attachNote(cut->getLoc()) << "the kernel is cut in two here";
      return false;
    }
    if (!isAlloc)
      continue;
    // The first access behind the cut must not read what the first part wrote.
    Operation *first = nullptr;
    SmallVector<Operation *> before;
    for (Operation *user : op->getUsers()) {
      Operation *top = body.findAncestorOpInBlock(*user);
      if (top->isBeforeInBlock(cut)) {
        before.push_back(user);
        continue;
      }
      if (!first || top->isBeforeInBlock(body.findAncestorOpInBlock(*first)) ||
          (top == body.findAncestorOpInBlock(*first) &&
           user->getBlock() == first->getBlock() &&
           user->isBeforeInBlock(first)))
        first = user;
    }
    if (auto store = before.size() == 1 ? dyn_cast<tile::StoreOp>(before[0])
                                        : tile::StoreOp();
        store && store->getBlock() == &body &&
        matchPattern(store.getValue(), m_Constant())) {
      initial.push_back(store);
      continue;
    }
    if (!before.empty() && first && !overwrites(first, op->getResult(0))) {
      auto diag = first->emitError(
          "data in registers or LDS would have to live across T.sync_grid");
      diag.attachNote(cut->getLoc()) << "the kernel is cut in two here";
      return false;
    }
  }
  for (tile::StoreOp store : initial)
    for (mlir::Value operand : store->getOperands())
      need(operand);
  for (Operation *op : needed)
    b.clone(*op, map);
  for (tile::StoreOp store : initial)
    b.clone(*store, map);
  // The ops of the second part move as they are; operands that were cloned, and
  // the kernel's own arguments, are replaced.
  for (Operation *op : moved) {
    op->moveBefore(block, block->end());
    op->walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands())
        if (mlir::Value to = map.lookupOrNull(operand.get()))
          operand.set(to);
    });
  }
  b.setInsertionPointToEnd(&body);
  cut->erase();
  tile::YieldOp::create(b, kernel.getLoc());
  return splitAtGridSyncs(kernel);
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

/// T.make_tensor(pointer, shape, dtype, strides): a pointer parameter becomes
/// the tensor, an address that the kernel computes or loads a tensor at it.
Value Interpreter::makeTensor(Args &args) {
  auto *type = make<AnnotationObject>();
  type->dtype = args.has(2) ? dtypeFrom(args[2], args.range) : dtypes::float32;
  if (!type->dtype || !shapeFrom(args[1], args.rangeOf(1), type->shape))
    return {};
  if (args.has(3) && !shapeFrom(args[3], args.rangeOf(3), type->strides))
    return {};
  if (args[0].is(VK::Annotation)) { // a T.ptr parameter
    auto *pointer = args[0].as<AnnotationObject>();
    if (pointer->tensor)
      return fail(DiagID::Unimplemented, args.range,
                  "a second T.make_tensor of one pointer parameter: use T.view "
                  "on the first");
    pointer->tensor = addTensor(pointer->name, type, Argument::Param,
                                pointer->order, args.range);
    return pointer->tensor ? Value::object(pointer->tensor) : Value();
  }
  if (!requireDevice(args.range, "T.make_tensor of an address"))
    return {};
  Sym address = castValue(args[0], dtypes::int64, args.rangeOf(0));
  if (!address)
    return {};
  // An address in the program: the tensor is made where it is needed, as a
  // tile.tensor of a pointer with its own sizes. Bounds are those that the
  // program gives.
  auto *buffer = make<BufferObject>();
  buffer->dtype = type->dtype;
  buffer->shape = type->shape;
  buffer->declared = args.range;
  SmallVector<int64_t> shape, strides;
  SmallVector<mlir::Value> sizes, strideOperands;
  auto split = [&](ArrayRef<Value> from, SmallVectorImpl<int64_t> &numbers,
                   SmallVectorImpl<mlir::Value> &values) {
    for (Value v : from) {
      numbers.push_back(v.is(VK::Int) ? v.asInt() : ShapedType::kDynamic);
      if (!v.is(VK::Int))
        values.push_back(toIndex(v, args.range));
    }
  };
  split(type->shape, shape, sizes);
  split(type->strides, strides, strideOperands);
  at(args.range);
  Type element = type->dtype->storageType(&context);
  mlir::Value pointer = tile::PointerOp::create(
      b, tile::PtrType::get(&context, element), address.value);
  auto space = tile::SpaceAttr::get(&context, tile::Space::Global);
  auto memref = strides.empty()
                    ? MemRefType::get(shape, element, AffineMap(), space)
                    : MemRefType::get(
                          shape, element,
                          StridedLayoutAttr::get(&context, 0, strides), space);
  buffer->memref = tile::TensorOp::create(b, memref, pointer, sizes,
                                          strideOperands, nullptr, nullptr);
  return Value::object(buffer);
}

/// T.dp4a(A, B, C): C += the dot product of four neighbours of A and of B.
Value Interpreter::dp4a(Args &args) {
  Box boxes[3];
  for (unsigned i = 0; i < 3; ++i)
    if (!toBox(args[i], args.rangeOf(i), boxes[i], "an operand"))
      return {};
  Value sum = load(boxes[2].buffer, boxes[2].offsets, args.range);
  for (int64_t i = 0; sum && i < 4; ++i) {
    Value parts[2];
    for (unsigned k = 0; k < 2; ++k) {
      SmallVector<Value> index(boxes[k].offsets);
      index.back() =
          binary(BinOpKind::Add, index.back(), Value::integral(i), args.range);
      Value v =
          index.back() ? load(boxes[k].buffer, index, args.range) : Value();
      Sym s = v ? castValue(v, dtypes::int32, args.range) : Sym();
      if (!s)
        return {};
      parts[k] = Value::scalar(s);
    }
    sum = binary(BinOpKind::Add, sum,
                 binary(BinOpKind::Mul, parts[0], parts[1], args.range),
                 args.range);
  }
  return sum && store(boxes[2].buffer, boxes[2].offsets, sum, args.range)
             ? Value::none()
             : Value();
}

/// T.index_to_coordinates(i, shape): row-major.
Value Interpreter::indexToCoordinates(Args &args) {
  SmallVector<Value> shape, result;
  if (!iterate(args[1], args.rangeOf(1), shape))
    return {};
  Value rest = args[0];
  for (Value extent : llvm::reverse(shape)) {
    Value digit = binary(BinOpKind::Mod, rest, extent, args.range);
    if (!digit ||
        !(rest = binary(BinOpKind::FloorDiv, rest, extent, args.range)))
      return {};
    result.insert(result.begin(), digit);
  }
  return makeSequence(VK::List, result);
}

} // namespace tlc::frontend
