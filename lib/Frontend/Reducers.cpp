//===- Reducers.cpp - T.alloc_reducer -------------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reducer is a tile of partial results in LDS. What is combined into it, by
// T.reducer_update or by an assignment of that form, is an atomic: each point
// of a loop, or each thread, contributes once.
//
//   acc = T.alloc_reducer((64,), T.float32, op="max")
//   T.fill(acc, 0)                                  tile.fill
//   acc[i] = T.max(acc[i], x[i, j])                 tile.atomic max %x,
//   %acc[%i] T.finalize_reducer(acc, out)                    tile.copy
//
// What a T.Parallel adds to any other buffer is PointSums.cpp's.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace tlc;
using namespace mlir;

namespace tlc::frontend {

static tile::AtomicKind atomicOf(tile::ReduceKind kind) {
  switch (kind) {
  case tile::ReduceKind::Max:
    return tile::AtomicKind::Max;
  case tile::ReduceKind::Min:
    return tile::AtomicKind::Min;
  case tile::ReduceKind::And:
    return tile::AtomicKind::And;
  case tile::ReduceKind::Or:
    return tile::AtomicKind::Or;
  case tile::ReduceKind::Xor:
    return tile::AtomicKind::Xor;
  default:
    return tile::AtomicKind::Add;
  }
}

//===----------------------------------------------------------------------===//
// Builtins
//===----------------------------------------------------------------------===//

Value Interpreter::allocReducer(Args &args) {
  auto kind =
      args.has(2) && args[2].is(VK::Str)
          ? tile::symbolizeReduceKind(args[2].asStr().starts_with("bit")
                                          ? args[2].asStr().drop_front(3)
                                          : args[2].asStr())
          : tile::ReduceKind::Sum;
  if (!kind)
    return typeError(args.rangeOf(2), "a reduction", args[2]);
  auto *buffer = allocate(tile::Space::Shared, args[0], args[1], args);
  if (!buffer)
    return {};
  reducers.push_back(std::make_unique<ReducerInfo>(ReducerInfo{*kind}));
  buffer->reducer = reducers.back().get();
  return Value::object(buffer);
}

/// What a combination of nothing gives.
///   sum, or, xor: 0   and: all ones   max: -inf, or the least   min: inf
static Value identityOf(tile::ReduceKind kind, DType type) {
  switch (kind) {
  case tile::ReduceKind::Max:
    return type->isFloat()
               ? Value::real(-HUGE_VAL)
               : Value::integral(
                     type->isSigned() ? -(int64_t(1) << (type->bits - 1)) : 0);
  case tile::ReduceKind::Min:
    return type->isFloat()
               ? Value::real(HUGE_VAL)
               : Value::integral(
                     type->isSigned()
                         ? int64_t((uint64_t(1) << (type->bits - 1)) - 1)
                         : -1);
  case tile::ReduceKind::And:
    return Value::integral(-1);
  default:
    return Value::integral(0);
  }
}

/// T.reducer_init(acc[, value]); without a value the identity of its reduction.
Value Interpreter::reducerInit(Args &args) {
  if (!args[0].is(VK::Buffer) || !args[0].as<BufferObject>()->reducer)
    return typeError(args.rangeOf(0), "a reducer", args[0]);
  auto *buffer = args[0].as<BufferObject>();
  Value init =
      args.has(1) ? args[1] : identityOf(buffer->reducer->kind, buffer->dtype);
  return fillBox(args[0], init, args.range, args.range) ? Value::none()
                                                        : Value();
}

/// T.reducer_update(acc[i], value): acc[i] = combine(acc[i], value).
Value Interpreter::reducerUpdate(Args &args) {
  Box box;
  if (!toBox(args[0], args.rangeOf(0), box, "a reducer"))
    return {};
  if (!box.buffer->reducer)
    return typeError(args.rangeOf(0), "an element of a reducer", args[0]);
  tile::AtomicKind kind = atomicOf(box.buffer->reducer->kind);
  return atomicImpl(args, kind) ? Value::none() : Value();
}

/// T.finalize_reducer(acc[, dst]): the results are in `acc` already; dst gets a
/// copy.
Value Interpreter::finalizeReducer(Args &args) {
  if (!args[0].is(VK::Buffer) || !args[0].as<BufferObject>()->reducer)
    return typeError(args.rangeOf(0), "a reducer", args[0]);
  args[0].as<BufferObject>()->reducer->open = false;
  if (!args.has(1))
    return Value::none();
  Box src, dst;
  return toBox(args[0], args.rangeOf(0), src, "the reducer") &&
                 toBox(args[1], args.rangeOf(1), dst, "the destination") &&
                 copyBoxes(src, dst, args.range, nullptr)
             ? Value::none()
             : Value();
}

//===----------------------------------------------------------------------===//
// Assignments that combine
//===----------------------------------------------------------------------===//

namespace {
/// Whether a value combines what an element holds with something else.
///   Free: it does not read the element   Combines: acc[i] op x   Other: else
class Combination {
public:
  enum Form { Free, Combines, Other };

  Combination(tile::ReduceKind kind, mlir::Value buffer, ValueRange indices)
      : kind(kind), buffer(buffer), indices(indices) {}

  Form of(mlir::Value v) {
    auto [it, isNew] = known.try_emplace(v, Free);
    if (!isNew)
      return it->second;
    Form form = compute(v);
    known[v] = form;
    return form;
  }

  /// The reads of the element, in the values asked about.
  SmallVector<tile::LoadOp, 2> reads;

private:
  Form compute(mlir::Value v) {
    Operation *op = v.getDefiningOp();
    if (!op)
      return Free;
    if (auto load = dyn_cast<tile::LoadOp>(op);
        load && load.getSource() == buffer) {
      if (load.getIndices().size() != indices.size() ||
          !llvm::all_of_zip(load.getIndices(), indices, isSame))
        return Other;
      reads.push_back(load);
      return Combines;
    }
    // A branch taken or not: `acc[i] op x` in one, the element in the other.
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      unsigned number = cast<OpResult>(v).getResultNumber();
      Form then = of(branch.thenYield().getOperand(number)),
           other = of(branch.elseYield().getOperand(number));
      return of(branch.getCondition()) != Free || then != other ? Other : then;
    }
    if (op->getNumRegions())
      return Other;
    SmallVector<Form, 3> forms;
    for (mlir::Value operand : op->getOperands())
      forms.push_back(of(operand));
    if (llvm::all_of(forms, [](Form f) { return f == Free; }))
      return Free;
    if (llvm::is_contained(forms, Other))
      return Other;
    if (isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp,
            arith::TruncIOp>(op))
      return Combines;
    // A choice between combining and leaving the element as it is.
    if (isa<arith::SelectOp>(op))
      return forms[0] == Free && forms[1] == Combines && forms[2] == Combines
                 ? Combines
                 : Other;
    if (forms.size() != 2 || (forms[0] == Combines && forms[1] == Combines))
      return Other;
    if (isa<arith::SubFOp, arith::SubIOp>(op))
      return kind == tile::ReduceKind::Sum && forms[0] == Combines ? Combines
                                                                   : Other;
    return isOperation(op) ? Combines : Other;
  }

  bool isOperation(Operation *op) const {
    switch (kind) {
    case tile::ReduceKind::Sum:
      return isa<arith::AddFOp, arith::AddIOp>(op);
    case tile::ReduceKind::Max:
      return isa<arith::MaxNumFOp, arith::MaximumFOp, arith::MaxSIOp,
                 arith::MaxUIOp>(op);
    case tile::ReduceKind::Min:
      return isa<arith::MinNumFOp, arith::MinimumFOp, arith::MinSIOp,
                 arith::MinUIOp>(op);
    case tile::ReduceKind::And:
      return isa<arith::AndIOp>(op);
    case tile::ReduceKind::Or:
      return isa<arith::OrIOp>(op);
    case tile::ReduceKind::Xor:
      return isa<arith::XOrIOp>(op);
    default:
      return false;
    }
  }

  /// Whether two indices are the same expression of the same values.
  static bool isSame(mlir::Value a, mlir::Value c) {
    if (a == c)
      return true;
    Operation *x = a.getDefiningOp(), *y = c.getDefiningOp();
    return x && y && isMemoryEffectFree(x) && x->getNumRegions() == 0 &&
           x->getName() == y->getName() &&
           x->getAttrDictionary() == y->getAttrDictionary() &&
           a.getType() == c.getType() &&
           cast<OpResult>(a).getResultNumber() ==
               cast<OpResult>(c).getResultNumber() &&
           x->getNumOperands() == y->getNumOperands() &&
           llvm::all_of_zip(x->getOperands(), y->getOperands(), isSame);
  }

  tile::ReduceKind kind;
  mlir::Value buffer;
  ValueRange indices;
  llvm::DenseMap<mlir::Value, Form> known;
};
} // namespace

/// An assignment to an element of an open reducer: `acc[i] = acc[i] op x`
/// becomes an atomic with x, which is the value where the element is replaced
/// by what changes nothing. False: an ordinary store, as of a first value.
bool Interpreter::updateReducer(BufferObject *buffer, Sym value,
                                ArrayRef<mlir::Value> indices) {
  DType type = buffer->dtype;
  ReducerInfo &info = *buffer->reducer;
  if (type->isCoded() || type->isBool())
    return false;
  Combination combination(info.kind, buffer->storage(), indices);
  auto form = combination.of(value.value);
  if (form == Combination::Free)
    info.open = true;
  if (form != Combination::Combines || !info.open)
    return false;
  // The element's value may not be used for anything else.
  for (tile::LoadOp load : combination.reads)
    if (!load->hasOneUse())
      return false;
  for (tile::LoadOp load : combination.reads) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(load);
    Sym nothing = castValue(identityOf(info.kind, type), type, {});
    if (!nothing)
      return false;
    load.getResult().replaceAllUsesWith(nothing.value);
    load.erase();
  }
  tile::AtomicKind kind = atomicOf(info.kind);
  if (type->cls == DTypeInfo::UInt)
    kind = kind == tile::AtomicKind::Max   ? tile::AtomicKind::UMax
           : kind == tile::AtomicKind::Min ? tile::AtomicKind::UMin
                                           : kind;
  tile::AtomicOp::create(b, kind, value.value, buffer->storage(), indices);
  return true;
}

} // namespace tlc::frontend
