//===- CompileTile.cpp - Buffers and tile ops for the evaluator -----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A view becomes offsets that are added to those of the view or buffer below
// it; tile ops name their operands as boxes of whole buffers.
//
//   %v = tile.view %A[%i, 0] : memref<64x32>   offsets (%i, 0), as slots
//   %w = tile.view %v[8, %j] : memref<8x8>     (%i + 8, 0 + %j): two additions
//   tile.load %w[%a, %b]                         %A[%i + 8 + %a, %j + %b]
//
//===----------------------------------------------------------------------===//

#include "Compiler.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::reference;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// A buffer of the program, owned by the pool. Unknown extents are set when its
/// op runs.
Buffer &Compiler::newBuffer(Operation *op, MemRefType type) {
  Buffer &b = keep<Buffer>();
  b.op = op;
  b.type = *scalarOf(type.getElementType());
  b.space = tile::getSpace(type);
  b.shape.assign(type.getShape().begin(), type.getShape().end());
  return b;
}

static bool knownElement(MemRefType type) {
  return scalarOf(type.getElementType()).has_value();
}

/// tile.tensor: memory behind a pointer argument. Shape and strides may be
/// dynamic: their slots are kept in order.
bool Compiler::tensorOp(tile::TensorOp o) {
  auto type = cast<MemRefType>(o.getType());
  auto arg = argIndex.find(o.getSource());
  if (arg == argIndex.end())
    return refuse(o, "the reference knows tensors behind arguments only");
  if (!knownElement(type))
    return refuse(o, "the reference does not know this element type");
  auto &data = keep<TensorData>();
  Buffer &b = newBuffer(o, type);
  data.buffer = &b;
  b.name = o.getName().value_or("").str();
  b.storage = storages.empty() ? nullptr : storages[arg->second];
  // Several tensors may share one pointer; describeParameters looks at all.
  argTensors[arg->second].push_back(&b);
  b.pad.f = 0;
  if (auto pad = o.getPad()) {
    if (auto f = dyn_cast<FloatAttr>(*pad))
      b.pad.f = f.getValueAsDouble();
    else if (auto i = dyn_cast<IntegerAttr>(*pad))
      b.pad.i = i.getType().isInteger(1) ? i.getValue().getZExtValue()
                                         : i.getValue().getSExtValue();
  }
  data.shape.assign(type.getShape().begin(), type.getShape().end());
  if (!type.getLayout().isIdentity()) {
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(type.getStridesAndOffset(strides, offset)) || offset != 0)
      return refuse(o, "the reference needs strides without an offset");
    data.strides.assign(strides.begin(), strides.end());
  }
  for (Value size : o.getSizes())
    data.sizes.push_back(use(size));
  for (Value stride : o.getStrides())
    data.strideSlots.push_back(use(stride));
  views[o.getResult()] = {&b};
  emit(execTensor, o).extra = &data;
  return true;
}

/// tile.alloc. A local buffer has one copy for each thread, if lanes are
/// threads, or for each point, if it is made inside a parallel loop.
bool Compiler::allocOp(tile::AllocOp o) {
  auto type = cast<MemRefType>(o.getType());
  if (!knownElement(type))
    return refuse(o, "the reference does not know this element type");
  Buffer &b = newBuffer(o, type);
  b.name = o.getName().value_or("").str();
  b.own.type = b.type;
  b.storage = &b.own;
  b.perLane =
      b.space == tile::Space::Local && (scope->perThread || scope->isPoints);
  views[o.getResult()] = {&b};
  emit(execAlloc, o).extra = &b;
  return true;
}

/// tile.alias: the same storage under another shape and element type.
bool Compiler::aliasOp(tile::AliasOp o) {
  const View *source = viewOf(o.getSource(), o);
  if (!source)
    return false;
  if (!source->offsets.empty())
    return refuse(o, "the reference aliases whole buffers only");
  auto type = cast<MemRefType>(o.getType());
  if (!knownElement(type))
    return refuse(o, "the reference does not know this element type");
  Buffer *aliased = source->buffer;
  Buffer &b = newBuffer(o, type);
  b.name = aliased->name;
  b.aliased = aliased;
  b.storage = aliased->storage;
  views[o.getResult()] = {&b};
  emit(execAlias, o).extra = &b;
  return true;
}

/// tile.view costs an addition for each dimension of a view of a view, nothing
/// otherwise.
bool Compiler::viewOp(tile::ViewOp o) {
  const View *source = viewOf(o.getSource(), o);
  if (!source)
    return false;
  View view{source->buffer, scope, {}};
  View below = *source;
  for (auto [d, offset] : llvm::enumerate(o.getOffsets())) {
    uint32_t own = use(offset);
    if (below.offsets.empty()) {
      view.offsets.push_back(int(own));
      continue;
    }
    // The view below may belong to an outer scope: its offsets are brought in.
    uint32_t base = import(*scope, {below.scope, uint32_t(below.offsets[d])});
    uint32_t sum = newSlot(false, isVarying(own) || isVarying(base));
    Inst &inst = emit(execAddOffset, o);
    inst.dst = sum;
    inst.a = own;
    inst.b = base;
    view.offsets.push_back(int(sum));
  }
  views[o.getResult()] = view;
  return true;
}

/// What a memref value stands for; null after a report where only running the
/// program would tell, such as a buffer chosen by a select.
const Compiler::View *Compiler::viewOf(Value value, Operation *op) {
  auto it = views.find(value);
  if (it != views.end())
    return &it->second;
  refuse(op, "the reference does not follow a buffer that is chosen at run "
             "time");
  return nullptr;
}

/// An operand of a tile op. `perLane` becomes true where lanes would see
/// different boxes: the op is then done once for each.
bool Compiler::boxOf(Value value, Operation *op, Box &box, bool &perLane) {
  const View *view = viewOf(value, op);
  if (!view)
    return false;
  box.buffer = view->buffer;
  auto shape = cast<MemRefType>(value.getType()).getShape();
  if (ShapedType::isDynamicShape(shape))
    return refuse(op, "operands of tile ops need static shapes");
  box.shape.assign(shape.begin(), shape.end());
  for (int offset : view->offsets) {
    uint32_t slot = import(*scope, {view->scope, uint32_t(offset)});
    perLane |= isVarying(slot);
    box.offsets.push_back(int(slot));
  }
  perLane |= view->buffer->space == tile::Space::Local && scope->perThread;
  return true;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Buffer and index slots of an element access, views resolved.
bool Compiler::accessOf(Value buffer, ValueRange indices, Operation *op,
                        AccessData &access) {
  const View *view = viewOf(buffer, op);
  if (!view)
    return false;
  View below = *view;
  access.buffer = below.buffer;
  for (auto [d, index] : llvm::enumerate(indices)) {
    uint32_t slot = use(index);
    if (!below.offsets.empty()) {
      uint32_t base = import(*scope, {below.scope, uint32_t(below.offsets[d])});
      Inst &inst = emit(execAddOffset, op);
      inst.a = slot;
      inst.b = base;
      slot = newSlot(false, isVarying(slot) || isVarying(base));
      code->back().dst = slot;
    }
    access.indices.push_back(slot);
  }
  return true;
}

bool Compiler::loadOp(tile::LoadOp o) {
  auto &access = keep<AccessData>();
  if (!accessOf(o.getSource(), o.getIndices(), o, access))
    return false;
  // A load varies between lanes if its place does, or if each lane has its own
  // buffer.
  bool varying = access.buffer->space == tile::Space::Local && scope->perThread;
  for (uint32_t slot : access.indices)
    varying |= isVarying(slot);
  uint32_t dst = define(o.getResult(), trackIntegers, varying);
  Inst &inst = emit(execLoad, o);
  inst.dst = dst;
  inst.extra = &access;
  return true;
}

bool Compiler::storeOp(tile::StoreOp o) {
  auto &access = keep<AccessData>();
  if (!accessOf(o.getDest(), o.getIndices(), o, access))
    return false;
  uint32_t value = use(o.getValue());
  Inst &inst = emit(execStore, o);
  inst.a = value;
  inst.extra = &access;
  return true;
}

bool Compiler::atomicOp(tile::AtomicOp o) {
  auto &access = keep<AccessData>();
  if (!accessOf(o.getDest(), o.getIndices(), o, access))
    return false;
  access.kind = o.getKind();
  uint32_t value = use(o.getValue());
  uint32_t dst = define(o.getResult(), trackIntegers, true);
  Inst &inst = emit(execAtomic, o);
  inst.a = value;
  inst.dst = dst;
  inst.extra = &access;
  return true;
}

//===----------------------------------------------------------------------===//
// Tile ops, messages
//===----------------------------------------------------------------------===//

/// All ops on boxes: the operands become boxes, the rest plain data.
bool Compiler::tileOp(Operation &op) {
  auto &data = keep<TileData>();
  auto box = [&](Value value, Box &into) {
    return boxOf(value, &op, into, data.perLane);
  };
  LaneFn fn = nullptr;
  bool ok = TypeSwitch<Operation *, bool>(&op)
                .Case([&](tile::CopyOp o) {
                  fn = execCopy;
                  return box(o.getSrc(), data.a) && box(o.getDst(), data.b);
                })
                .Case([&](tile::FillOp o) {
                  fn = execFill;
                  data.value = use(o.getValue());
                  data.perLane |= isVarying(data.value);
                  return box(o.getDst(), data.b);
                })
                .Case([&](tile::GemmOp o) {
                  fn = execGemm;
                  data.transA = o.getTransA();
                  data.transB = o.getTransB();
                  return box(o.getA(), data.a) && box(o.getB(), data.b) &&
                         box(o.getC(), data.c);
                })
                .Case([&](tile::ReduceOp o) {
                  fn = execReduce;
                  data.kind = o.getKind();
                  data.dim = unsigned(o.getDim());
                  data.accumulate = o.getAccumulate();
                  data.nan = o.getNan();
                  return box(o.getSrc(), data.a) && box(o.getDst(), data.b);
                })
                .Case([&](tile::ScanOp o) {
                  fn = execScan;
                  data.kind = o.getKind();
                  data.dim = unsigned(o.getDim());
                  data.reverse = o.getReverse();
                  return box(o.getSrc(), data.a) && box(o.getDst(), data.b);
                })
                .Case([&](tile::TransposeOp o) {
                  fn = execTranspose;
                  return box(o.getSrc(), data.a) && box(o.getDst(), data.b);
                });
  if (!ok)
    return false;
  if (auto gemm = dyn_cast<tile::GemmOp>(op)) {
    bool floats = data.c.buffer->type.isFloat();
    if (data.a.buffer->type.isFloat() != floats ||
        data.b.buffer->type.isFloat() != floats)
      return refuse(gemm, "the reference multiplies floats into floats and "
                          "integers into integers");
  }
  emit(fn, &op).extra = &data;
  return true;
}

/// T.print and assertions. Tiles in a print are left out: only scalars are
/// shown.
bool Compiler::messageOp(Operation &op) {
  auto &data = keep<PrintData>();
  if (auto print = dyn_cast<tile::PrintOp>(op)) {
    data.message = print.getMessage().str();
    for (Value value : print.getValues())
      if (auto type = scalarOf(value.getType()))
        data.values.push_back({use(value), *type});
    emit(execPrint, &op).extra = &data;
    return true;
  }
  auto assertion = cast<tile::AssertOp>(op);
  data.message = assertion.getMessage().str();
  uint32_t condition = use(assertion.getCondition());
  Inst &inst = emit(execAssert, &op);
  inst.a = condition;
  inst.extra = &data;
  return true;
}
