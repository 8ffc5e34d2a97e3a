//===- Atomics.cpp - Atomic operations on elements and tiles --------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// T.atomic_add and its relatives. An atomic on one element is one tile.atomic,
// which gives the element's old value; one on a tile is a parallel loop of them
// and gives nothing:
//
//   T.atomic_add(C[i, j], x)        ->  %old = tile.atomic add %x, %C[%i, %j]
//   T.atomic_add(C[r, 0], tile)     ->  tile.parallel (m, n):
//     (tile: (m, n) fragment)             %v = tile.load %tile[%a, %b]
//                                         tile.atomic add %v, %C[%r + %a, %b]
//
// `return_prev` is accepted and not looked at: every atomic on an element gives
// the old value, for whoever reads it.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/IR/Matchers.h"

using namespace tlc;
using namespace mlir;

namespace tlc::frontend {

using Order = std::optional<tile::MemoryOrder>;

/// The order that a name stands for, none for relaxed ones; nothing after a
/// report.
std::optional<Order> Interpreter::memoryOrder(Value order, SourceRange range) {
  if (!order || order.is(VK::None))
    return Order();
  if (order.is(VK::Str)) {
    StringRef name = order.asStr();
    if (name == "relaxed")
      return Order();
    if (name == "consume")
      return Order(tile::MemoryOrder::Acquire);
    if (Order found = tile::symbolizeMemoryOrder(name))
      return found;
  }
  error(DiagID::BadArgument, range,
        "expected a memory order, one of 'relaxed', 'consume', "
        "'acquire', 'release', 'acq_rel', 'seq_cst'");
  return std::nullopt;
}

/// The atomics of two operands: destination and value. The destination is in
/// global memory or LDS, where the hardware has atomics; registers are no
/// thread's neighbour. Gives the old element, None for a tile, Invalid after a
/// report.
Value Interpreter::atomicImpl(Args &args, tile::AtomicKind kind) {
  Box dst;
  if (!toBox(args[0], args.rangeOf(0), dst, "the destination"))
    return {};
  DType type = dst.buffer->dtype;
  if (dst.buffer->space != tile::Space::Global &&
      dst.buffer->space != tile::Space::Shared) {
    error(DiagID::WrongSpace, args.rangeOf(0),
          "an atomic needs a global or shared buffer, '" + dst.buffer->name +
              "' is " + tile::stringifySpace(dst.buffer->space))
        .note(dst.buffer->declared, "declared here");
    return {};
  }
  if (type->isCoded())
    return fail(DiagID::TypeMismatch, args.range,
                "an atomic on elements of " + type->name);
  bool bitwise = kind == tile::AtomicKind::Or ||
                 kind == tile::AtomicKind::And || kind == tile::AtomicKind::Xor;
  if (bitwise && type->isFloat())
    return fail(DiagID::TypeMismatch, args.range,
                "a bitwise atomic on " + type->name);
  std::optional<Order> order = memoryOrder(args[2], args.rangeOf(2));
  if (!order)
    return {};
  // T.atomic_store and T.atomic_load are sequentially consistent unless told
  // otherwise; what changes an element by its old value is relaxed.
  if (!args.has(2) && (kind == tile::AtomicKind::Exchange ||
                       currentBuiltin->fn == &Interpreter::atomicLoad))
    order = Order(tile::MemoryOrder::SeqCst);
  tile::MemoryOrderAttr orderAttr;
  if (*order)
    orderAttr = tile::MemoryOrderAttr::get(b.getContext(), **order);
  // The order of unsigned numbers is another operation of the hardware.
  if (type->cls == DTypeInfo::UInt)
    kind = kind == tile::AtomicKind::Max   ? tile::AtomicKind::UMax
           : kind == tile::AtomicKind::Min ? tile::AtomicKind::UMin
                                           : kind;
  // One element: the value is converted to its type first, as by a store.
  auto one = [&](ArrayRef<Value> indices, Value value) -> Value {
    Sym v = castValue(value, type, args.range);
    SmallVector<mlir::Value> operands;
    if (!v || !indexOperands(dst.buffer, indices, args.range, operands))
      return {};
    at(args.range);
    return Value::scalar(
        {tile::AtomicOp::create(b, kind, v.value, dst.buffer->storage(),
                                operands, orderAttr),
         type});
  };
  bool tileValue =
      (args[1].is(VK::Buffer) && !args[1].as<BufferObject>()->isVar) ||
      (args[1].is(VK::Region) && !args[1].as<RegionObject>()->isElement);
  if (!tileValue && (dst.isElement || dst.buffer->isVar)) {
    Value v = deref(args[1], args.rangeOf(1));
    Value old = v ? one(dst.offsets, v) : Value();
    return old ? old : Value();
  }
  // The tile form: one atomic for each element. A scalar goes to all of the
  // destination's box.
  Box src;
  SmallVector<int64_t> extents;
  if (!tileValue) {
    if (!staticExtents(dst, extents, "destination"))
      return {};
    return elementwise(dst, extents,
                       [&](ArrayRef<Value> i) { return bool(one(i, args[1])); })
               ? Value::none()
               : Value();
  }
  if (!toBox(args[1], args.rangeOf(1), src, "the value") ||
      !staticExtents(src, extents, "value"))
    return {};
  // Without slices, C[r, c] is the corner of a box as large as the value,
  // extents aligned at the right, as for T.copy.
  if (dst.isElement) // a tile's origin
    for (size_t i = 0; i < std::min(extents.size(), dst.extents.size()); ++i)
      dst.extents[dst.extents.size() - 1 - i] =
          Value::integral(extents[extents.size() - 1 - i]);
  // Dimensions of extent 1 drop out on both sides; the others match in order:
  // (1, 64, 1, 32) takes a value of (64, 32). `dims` are those of the
  // destination.
  SmallVector<unsigned> dims;
  for (auto [i, e] : llvm::enumerate(dst.extents))
    if (!(e.is(VK::Int) && e.asInt() == 1))
      dims.push_back(unsigned(i));
  SmallVector<int64_t> points;
  for (int64_t e : extents)
    if (e != 1)
      points.push_back(e);
  if (dims.size() != points.size()) {
    error(DiagID::ShapeMismatch, args.range,
          "a value of shape " + shapeText(src.extents) +
              " for a box of shape " + shapeText(dst.extents));
    return {};
  }
  // `from` are indices into the value's buffer, which may itself be a box.
  bool ok = elementwise(src, extents, [&](ArrayRef<Value> from) {
    SmallVector<Value> to(dst.offsets);
    size_t next = 0;
    for (auto [i, e] : llvm::enumerate(extents)) {
      if (e == 1)
        continue;
      Value offset =
          binary(BinOpKind::Sub, from[i], src.offsets[i], args.range);
      Value &target = to[dims[next++]];
      if (!offset ||
          !(target = binary(BinOpKind::Add, target, offset, args.range)))
        return false;
    }
    Value v = load(src.buffer, from, args.range);
    return v && one(to, v);
  });
  return ok ? Value::none() : Value();
}

Value Interpreter::atomicOp(Args &args) {
  return atomicImpl(args, tile::AtomicKind(currentBuiltin->data));
}

/// T.atomic_addx2(dst, src), x4: neighbouring elements, data is how many; gives
/// what they were.
Value Interpreter::atomicVector(Args &args) {
  Box dst, src;
  if (!toBox(args[0], args.rangeOf(0), dst, "the destination") ||
      !toBox(args[1], args.rangeOf(1), src, "the value"))
    return {};
  return eachLane(currentBuiltin->data, [&](int64_t i) -> Value {
    SmallVector<Value> to(dst.offsets), from(src.offsets);
    to.back() =
        binary(BinOpKind::Add, to.back(), Value::integral(i), args.range);
    from.back() =
        binary(BinOpKind::Add, from.back(), Value::integral(i), args.range);
    Value v =
        to.back() && from.back() ? load(src.buffer, from, args.range) : Value();
    Sym s = v ? castValue(v, dst.buffer->dtype, args.range) : Sym();
    SmallVector<mlir::Value> operands;
    if (!s || !indexOperands(dst.buffer, to, args.range, operands))
      return {};
    at(args.range);
    return Value::scalar(
        {tile::AtomicOp::create(b, tile::AtomicKind::Add, s.value,
                                dst.buffer->storage(), operands),
         dst.buffer->dtype});
  });
}

/// T.atomic_load(x): an atomic that changes nothing.
Value Interpreter::atomicLoad(Args &args) {
  Box box;
  if (!toBox(args[0], args.rangeOf(0), box, "the source"))
    return {};
  if (box.buffer->dtype->isFloat())
    return load(box.buffer, box.offsets, args.range);
  // Destination, value, order, as the others have them.
  Value order = args[1];
  SourceRange orderRange = args.rangeOf(1);
  args.values.resize(3);
  args.ranges.resize(3);
  args.values[1] = Value::integral(0);
  args.values[2] = order;
  args.ranges[2] = orderRange;
  return atomicImpl(args, tile::AtomicKind::Or);
}

} // namespace tlc::frontend
