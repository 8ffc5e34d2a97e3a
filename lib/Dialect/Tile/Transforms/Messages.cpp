//===- Messages.cpp - T.print and T.device_assert on the device -*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that prints has an argument `tlc_messages`, zeroed by whoever
// launches it and read after the launch: word 0 counts the records, which
// follow, kMessageWords each (see Messages.h). A print takes a record's number
// by an atomic addition and writes the record if there is room.
//
// What is the same for the whole workgroup is printed once; code written per
// thread prints once a thread; a tile prints each of its elements.
//
//   tile.print "x", %v : f32 {tile.message = 0}
//     -> %n = tile.atomic add %1, %messages[0]
//        if (%n < capacity) store 0, block, thread, type, bits of %v
//
//===----------------------------------------------------------------------===//

#include "tlc/Dialect/Tile/Transforms/Messages.h"
#include "BufferUse.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

namespace {
/// Expands the prints and assertions of one kernel; `b` and `loc` are those of
/// the op at hand.
class Messages {
public:
  Messages(KernelOp kernel, Value buffer) : kernel(kernel), buffer(buffer) {
    perThread = kernel.walk([](ThreadIdOp) { return WalkResult::interrupt(); })
                    .wasInterrupted();
  }
  LogicalResult lower(Operation *op);

private:
  Value number(int64_t v) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(v));
  }
  Value block();
  Value thread();
  void record(Value where, Value value, int64_t id);
  void once(function_ref<void()> body);
  LogicalResult printBuffer(Value source, int64_t id);

  KernelOp kernel;
  Value buffer;
  bool perThread = false, inParallel = false;
  OpBuilder b{kernel.getContext()};
  Location loc = kernel.getLoc();
};
} // namespace

/// The workgroup's number, x fastest.
Value Messages::block() {
  Value sum, below;
  for (auto [arg, extent] :
       llvm::zip(kernel.getBody().getArguments(), kernel.getGrid())) {
    Value part = below ? arith::MulIOp::create(b, loc, arg, below).getResult()
                       : Value(arg);
    sum = sum ? arith::AddIOp::create(b, loc, sum, part).getResult() : part;
    below = below ? arith::MulIOp::create(b, loc, below, extent).getResult()
                  : extent;
  }
  return sum ? sum : number(0);
}

/// The thread's number, x fastest, or -1 where the whole workgroup speaks as
/// one.
Value Messages::thread() {
  if (!perThread || inParallel)
    return number(-1);
  Value sum;
  int64_t below = 1;
  for (auto [d, extent] : llvm::enumerate(kernel.getThreads())) {
    Value t = ThreadIdOp::create(b, loc, b.getI32Type(), uint64_t(d));
    t = arith::MulIOp::create(b, loc, t, number(below));
    sum = sum ? arith::AddIOp::create(b, loc, sum, t).getResult() : t;
    below *= extent;
  }
  return sum;
}

/// Writes one record: `where` is the element of a buffer or -1; `value` may be
/// null, a message without one. Values are widened to 64 bits, which keeps all
/// of them exactly.
void Messages::record(Value where, Value value, int64_t id) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  MessageType type = MessageType::None;
  Value bits = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
  if (value && isa<FloatType>(value.getType())) {
    type = MessageType::Float;
    Type f64 = b.getF64Type();
    // 8-bit floats go through f32, the type that their expansion gives.
    if (value.getType().getIntOrFloatBitWidth() < 16)
      value = arith::ExtFOp::create(b, loc, b.getF32Type(), value);
    if (value.getType() != f64)
      value = arith::ExtFOp::create(b, loc, f64, value);
    bits = arith::BitcastOp::create(b, loc, i64, value);
  } else if (value) {
    type = MessageType::Integer;
    bits = value.getType() == i64 ? value
           : value.getType().isInteger(1)
               ? arith::ExtUIOp::create(b, loc, i64, value).getResult()
               : arith::ExtSIOp::create(b, loc, i64, value).getResult();
  }
  Value group = block(), self = thread();
  // Word 0 counts all messages, also those without room, so that the reader can
  // tell how many were lost.
  Value n = AtomicOp::create(b, loc, AtomicKind::Add, number(1), buffer,
                             ValueRange{number(0)});
  Value room = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, n,
                                     number(kMessageCapacity));
  auto branch = scf::IfOp::create(b, loc, room, false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value at = arith::AddIOp::create(
      b, loc, arith::MulIOp::create(b, loc, n, number(kMessageWords)),
      number(1));
  Value high = arith::ShRUIOp::create(
      b, loc, bits, arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(32)));
  // The layout of a record, see Messages.h.
  Value words[] = {number(id),
                   group,
                   self,
                   where,
                   number(int64_t(type)),
                   arith::TruncIOp::create(b, loc, i32, bits),
                   arith::TruncIOp::create(b, loc, i32, high)};
  for (auto [i, word] : llvm::enumerate(words))
    StoreOp::create(b, loc, word, buffer,
                    ValueRange{arith::AddIOp::create(b, loc, at, number(i))});
}

/// What the whole workgroup would say, one thread says.
void Messages::once(function_ref<void()> body) {
  if (perThread || inParallel)
    return body();
  // A loop over one point: its layout leaves it to one thread.
  auto loop = ParallelOp::create(b, loc, ArrayRef<int64_t>{1});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&loop.getBody().front());
  body();
}

/// A private array says all its elements in each thread; any other buffer once
/// an element, by the thread that holds it.
LogicalResult Messages::printBuffer(Value source, int64_t id) {
  auto type = cast<MemRefType>(source.getType());
  if (!type.hasStaticShape() || inParallel)
    return emitError(loc, "prints a buffer of run-time shape, or inside a "
                          "parallel loop: print an element");
  bool own = getSpace(source) == Space::Local;
  // Row-major number of the element, and its value.
  auto element = [&](ValueRange index) {
    Value linear = number(0);
    for (auto [i, extent] : llvm::zip(index, type.getShape()))
      linear = arith::AddIOp::create(
          b, loc, arith::MulIOp::create(b, loc, linear, number(extent)), i);
    record(linear, LoadOp::create(b, loc, type.getElementType(), source, index),
           id);
  };
  if (own) { // a thread's own array, element by element
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      SmallVector<Value> index;
      int64_t rest = i;
      for (int64_t extent : llvm::reverse(type.getShape())) {
        index.insert(index.begin(), number(rest % extent));
        rest /= extent;
      }
      once([&] { element(index); });
    }
    return success();
  }
  auto loop = ParallelOp::create(b, loc, type.getShape());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&loop.getBody().front());
  inParallel = true;
  element(loop.getBody().getArguments());
  inParallel = false;
  return success();
}

/// Replaces one print or assertion. A print of several values gives a record
/// for each, all with one text.
LogicalResult Messages::lower(Operation *op) {
  loc = op->getLoc();
  b.setInsertionPoint(op);
  inParallel = op->getParentOfType<ParallelOp>() != nullptr;
  auto attr = op->getAttrOfType<IntegerAttr>(kMessageAttr);
  if (!attr)
    return op->emitError("has no number of its message");
  int64_t id = attr.getInt();
  LogicalResult result = success();
  if (auto print = dyn_cast<PrintOp>(op)) {
    if (print.getValues().empty())
      once([&] { record(number(-1), Value(), id); });
    for (Value v : print.getValues()) {
      if (isa<MemRefType>(v.getType()))
        result = printBuffer(v, id);
      else
        once([&] { record(number(-1), v, id); });
      if (failed(result))
        return result;
    }
  } else {
    // An assertion records only its failure; the program goes on.
    auto assertion = cast<AssertOp>(op);
    Value wrong = arith::XOrIOp::create(
        b, loc, assertion.getCondition(),
        arith::ConstantOp::create(b, loc, b.getBoolAttr(true)));
    auto branch = scf::IfOp::create(b, loc, wrong, false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    once([&] { record(number(-1), Value(), id); });
  }
  op->erase();
  return success();
}

/// Fails where the func lacks its `tlc_messages` argument: the front end adds
/// it to programs that print.
LogicalResult tile::lowerMessages(KernelOp kernel) {
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) {
    if (isa<PrintOp, AssertOp>(op))
      ops.push_back(op);
  });
  if (ops.empty())
    return success();
  auto func = kernel->getParentOfType<FuncOp>();
  Value buffer;
  func.walk([&](TensorOp tensor) {
    if (tensor.getName() == kMessagesName)
      buffer = tensor.getResult();
  });
  if (!buffer)
    return ops.front()->emitError("prints, but the program has no argument '")
           << kMessagesName << "'";
  Messages messages(kernel, buffer);
  for (Operation *op : ops)
    if (failed(messages.lower(op)))
      return failure();
  return success();
}
