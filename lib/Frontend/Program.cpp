//===- Program.cpp - Parameters, arguments and roles ----------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tile.func exists from the start, so that sizes made of T.dynamic can be
// computed anywhere. Arguments are added as they are met and put in order at
// the end: parameters, outputs, workspaces, dynamic sizes.
//
//   def main(A: T.Tensor((n, 64), T.float16), s: T.float32): ...
//   ->  tile.func @main(%A: !tile.ptr<f16>, %s: f32, %n: i32)
//       %0 = tile.tensor %A sizes(%n) -> memref<?x64xf16, global>
//
// Each argument's attributes are what a caller has to know (docs/cli.md): name,
// dtype, role, and for tensors the shape as text over the other arguments'
// names.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Verifier.h"
#include "tlc/Dialect/Tile/Transforms/Messages.h"

using namespace tlc;
using namespace mlir;

namespace tlc::frontend {

/// Appends an argument to the tile.func; its index in `arguments`, until
/// permuteArguments puts them in order.
int Interpreter::addArgument(Argument argument, Type type, SourceRange range) {
  at(range);
  argument.value = func.getBody().front().addArgument(type, b.getLoc());
  arguments.push_back(std::move(argument));
  return int(arguments.size() - 1);
}

/// A tensor in global memory: an argument for its address, and a tile.tensor
/// that gives it shape and strides (in elements). `order` sorts arguments of
/// one class. Null after a report.
BufferObject *Interpreter::addTensor(StringRef name, AnnotationObject *type,
                                     Argument::Class cls, unsigned order,
                                     SourceRange range) {
  if (!type->dtype || type->shape.empty()) {
    error(DiagID::BadShape, range,
          "a tensor needs a shape and an element type");
    return nullptr;
  }
  // Byte offsets must be numbers: what is beyond any machine's memory is a
  // mistake.
  constexpr int64_t kMostElements = int64_t(1) << 44;
  int64_t elements = 1;
  for (Value v : type->shape)
    if (v.is(VK::Int) &&
        (__builtin_mul_overflow(elements, v.asInt(), &elements) ||
         elements > kMostElements)) {
      error(DiagID::BadShape, range,
            "a tensor of shape " + shapeText(type->shape) + " is too large");
      return nullptr;
    }
  auto *buffer = make<BufferObject>();
  buffer->name = name.str();
  buffer->dtype = type->dtype;
  buffer->shape = type->shape;
  buffer->lanes = type->lanes;
  buffer->declared = range;
  Argument argument;
  argument.name = name.str();
  argument.cls = cls;
  argument.order = order;
  argument.dtype = type->dtype;
  argument.buffer = buffer;
  Type element = type->dtype->storageType(&context);
  buffer->argument =
      addArgument(argument, tile::PtrType::get(&context, element), range);
  // The tensor is made before any kernel: sizes may be symbolic, but only of
  // values that exist there.
  OpBuilder::InsertionGuard guard(b);
  if (kernelOp)
    b.setInsertionPoint(kernelOp);
  at(range);
  SmallVector<int64_t> shape, strides;
  SmallVector<mlir::Value> sizes, strideOperands;
  for (Value v : type->shape) {
    shape.push_back(v.is(VK::Int) ? v.asInt() : ShapedType::kDynamic);
    if (!v.is(VK::Int))
      sizes.push_back(toIndex(v, range));
  }
  SmallVector<Value> given(type->strides);
  if (type->dtype->isCoded())
    arguments[size_t(buffer->argument)].dtype = dtypes::uint8;
  if (type->dtype->isSubByte()) { // two elements to a byte
    auto halve = [&](Value v) {
      return binary(BinOpKind::FloorDiv, v, Value::integral(2), range);
    };
    auto odd = [](Value v) { return v.is(VK::Int) && v.asInt() % 2; };
    bool rowsOfBytes = !odd(type->shape.back());
    for (Value v : ArrayRef(given).drop_back(!given.empty()))
      rowsOfBytes &= !odd(v);
    if (!given.empty())
      rowsOfBytes &= given.back().is(VK::Int) && given.back().asInt() == 1;
    if (!rowsOfBytes) {
      error(DiagID::BadShape, range,
            "rows of 4-bit elements must fill bytes: an even last extent, a "
            "last stride of 1, other strides even");
      return nullptr;
    }
    if (shape.back() == ShapedType::kDynamic)
      sizes.back() = toIndex(halve(type->shape.back()), range);
    else
      shape.back() /= 2;
    for (Value &v : MutableArrayRef(given).drop_back(!given.empty()))
      v = halve(v);
  }
  if (type->dtype->bits % 8 && !type->dtype->isSubByte() &&
      !type->dtype->isBool()) {
    error(DiagID::BadDType, range,
          "tensors of " + type->dtype->name +
              ": elements have 1, 2, 4 or 8 bytes, or 4 bits");
    return nullptr;
  }
  for (Value v : given) {
    strides.push_back(v.is(VK::Int) ? v.asInt() : ShapedType::kDynamic);
    if (!v.is(VK::Int))
      strideOperands.push_back(toIndex(v, range));
  }
  auto space = tile::SpaceAttr::get(&context, tile::Space::Global);
  MemRefLayoutAttrInterface layout;
  if (!strides.empty())
    layout = StridedLayoutAttr::get(&context, 0, strides);
  auto memref = layout ? MemRefType::get(shape, element, layout, space)
                       : MemRefType::get(shape, element, AffineMap(), space);
  buffer->memref = tile::TensorOp::create(
      b, memref, arguments[size_t(buffer->argument)].value, sizes,
      strideOperands, name.empty() ? nullptr : b.getStringAttr(name), nullptr);
  return buffer;
}

/// A size named by T.dynamic: its -D value, or an argument, one for each name
/// however often it is asked for.
Value Interpreter::dynamicDim(StringRef name, DType type, SourceRange range) {
  bool found = false;
  Value given = defineValue(name, found);
  if (found)
    return given;
  for (Argument &a : arguments)
    if (a.cls == Argument::Dim && a.name == name)
      return Value::scalar({a.value, a.dtype});
  Argument argument;
  argument.name = name.str();
  argument.cls = Argument::Dim;
  argument.order = unsigned(arguments.size());
  argument.dtype = type;
  int i = addArgument(argument, typeOf(type), range);
  return Value::scalar({arguments[size_t(i)].value, type});
}

//===----------------------------------------------------------------------===//
// Builtins
//===----------------------------------------------------------------------===//

/// T.Tensor(shape, dtype), T.Tensor[shape, dtype], T.StridedTensor(shape,
/// strides, dtype): an annotation, which becomes a tensor where a parameter has
/// it. The subscript form comes without a call and with the arguments already
/// in their places.
Value Interpreter::tensorType(Args &args) {
  auto *type = make<AnnotationObject>();
  bool strided = currentBuiltin && args.call && currentBuiltin->data == 1;
  Value dtype = strided ? args.values[2] : args.values[1];
  Value strides = strided                  ? args.values[1]
                  : args.values.size() > 3 ? args.values[3]
                                           : Value();
  for (auto &[name, v] : args.extra)
    if (name == "elem_offset" && !v.is(VK::None) &&
        !(v.isIntLike() && v.asInt() == 0))
      return fail(DiagID::Unimplemented, args.range,
                  "a tensor that begins inside its memory");
  // T.Tensor(shape, dtype, other.data): another tensor's memory.
  if (!strided && args.values[2] && args.values[2].is(VK::Buffer)) {
    Args view = args;
    view.values = {args.values[2], args.values[0], args.values[1]};
    view.ranges.assign(3, args.range);
    return viewBuffer(view);
  }
  // A bare T.Tensor says only that the parameter is one.
  if (!args.values[0]) {
    type->type = AnnotationObject::Any;
    return Value::object(type);
  }
  type->dtype = dtype ? dtypeFrom(dtype, args.range, false, /*vectors=*/true)
                      : dtypes::float32;
  if (!type->dtype || !shapeFrom(args[0], args.rangeOf(0), type->shape))
    return {};
  if (type->dtype->lanes > 1) {
    if (strides && !strides.is(VK::None))
      return fail(DiagID::Unimplemented, args.range,
                  "strides of a tensor of vectors");
    type->lanes = type->dtype->lanes;
    type->dtype = type->dtype->element;
    type->shape.push_back(Value::integral(type->lanes));
  }
  if (strides && !strides.is(VK::None)) {
    if (!shapeFrom(strides, args.range, type->strides))
      return {};
    if (type->strides.size() != type->shape.size())
      return fail(DiagID::BadShape, args.range,
                  "a stride is needed for each dimension");
  }
  return Value::object(type);
}

/// T.ptr, T.handle: an annotation without a shape.
Value Interpreter::pointerType(Args &args) {
  auto *type = make<AnnotationObject>();
  type->type = AnnotationObject::Pointer;
  return Value::object(type);
}

Value Interpreter::pointerParameter(Value type, StringRef name,
                                    unsigned order) {
  bool isPointer =
      (type.is(VK::Annotation) &&
       type.as<AnnotationObject>()->type == AnnotationObject::Pointer) ||
      (type.is(VK::Builtin) &&
       type.asBuiltin()->fn == &Interpreter::pointerType);
  if (!isPointer)
    return {};
  auto *pointer = make<AnnotationObject>();
  pointer->type = AnnotationObject::Pointer;
  pointer->name = name;
  pointer->order = order;
  return Value::object(pointer);
}

/// T.empty((M, N), dtype): an output of an eager function. Also with the
/// extents one by one, or by name. It gets its name where it is assigned.
///   T.empty((M, N), T.float16)   T.empty(M, N, dtype=T.float16)
///   T.empty(shape=(M, N), dtype="float16")   T.empty((M,))  float32
Value Interpreter::emptyTensor(Args &args) {
  auto *type = make<AnnotationObject>();
  SmallVector<Value> rest(args.rest.begin(), args.rest.end());
  Value dtype, shape;
  for (auto &[name, v] : args.extra)
    (name == "dtype" ? dtype : name == "shape" ? shape : dtype) = v;
  if (!shape) {
    if (rest.empty())
      return fail(DiagID::BadCall, args.range, "T.empty needs a shape");
    if (rest[0].isSequence()) {
      shape = rest[0];
      if (rest.size() > 1 && !dtype)
        dtype = rest[1];
    } else { // T.empty(M, N, dtype=...)
      if (!dtype && rest.size() > 1 && dtypeFrom(rest.back(), {}, true))
        dtype = rest.pop_back_val();
      shape = makeSequence(VK::Tuple, rest);
    }
  }
  type->dtype = dtype ? dtypeFrom(dtype, args.range) : dtypes::float32;
  if (!type->dtype || !shapeFrom(shape, args.range, type->shape))
    return {};
  BufferObject *buffer =
      addTensor("", type, Argument::Output, outputCount++, args.range);
  if (!buffer)
    return {};
  arguments[size_t(buffer->argument)].forcedOut = true;
  return Value::object(buffer);
}

/// T.alloc_global(shape, dtype): a workspace, an argument that whoever launches
/// allocates.
Value Interpreter::allocGlobal(Args &args) {
  auto *type = make<AnnotationObject>();
  type->dtype = dtypeFrom(args[1], args.rangeOf(1));
  if (!type->dtype || !shapeFrom(args[0], args.rangeOf(0), type->shape))
    return {};
  BufferObject *buffer =
      addTensor("", type, Argument::Workspace, workspaceCount++, args.range);
  return buffer ? Value::object(buffer) : Value();
}

/// "M, N" or "M N", as T.const and T.dynamic take them.
static SmallVector<StringRef> splitNames(StringRef text) {
  SmallVector<StringRef> names;
  llvm::SplitString(text, names, ", \t");
  return names;
}

/// M, N = T.const("M, N"): from -D. With a dtype and a number it is a literal.
Value Interpreter::constNames(Args &args) {
  if (!args[0].is(VK::Str)) {
    Args inner = args;
    Value dtype = args[1];
    for (auto &[name, v] : args.extra)
      if (name == "dtype")
        dtype = v;
    inner.values = {args[0], dtype};
    inner.ranges = {args.range, args.range};
    return constantOf(inner);
  }
  SmallVector<Value> values;
  for (StringRef name : splitNames(args[0].asStr())) {
    bool found = false;
    Value v = defineValue(name, found);
    if (!found)
      return missingName(name, args.range, Value());
    if (!v)
      return {};
    if (!v.isIntLike())
      return typeError(args.range, "an integer for -D " + name.str(), v);
    values.push_back(v);
  }
  return values.size() == 1 ? values[0] : makeSequence(VK::Tuple, values);
}

/// m = T.dynamic("m"), T.dynamic("m, n", dtype): sizes that are known at run
/// time.
Value Interpreter::dynamicNames(Args &args) {
  if (!args[0].is(VK::Str))
    return typeError(args.rangeOf(0), "the names of sizes", args[0]);
  DType type =
      args.has(1) ? dtypeFrom(args[1], args.rangeOf(1)) : dtypes::int32;
  if (!type)
    return {};
  if (!type->isInteger() || (type->bits != 32 && type->bits != 64))
    return fail(DiagID::BadDType, args.range, "a size is int32 or int64");
  SmallVector<Value> values;
  for (StringRef name : splitNames(args[0].asStr())) {
    values.push_back(dynamicDim(name, type, args.range));
    if (!values.back())
      return {};
  }
  return values.size() == 1 ? values[0] : makeSequence(VK::Tuple, values);
}

//===----------------------------------------------------------------------===//
// Finishing
//===----------------------------------------------------------------------===//

/// Whether a tensor is read or written anywhere, through views and aliases. An
/// op that does not tell its effects counts as reading.
static void findUses(mlir::Value v, bool &read, bool &written) {
  for (OpOperand &use : v.getUses()) {
    Operation *op = use.getOwner();
    if (isa<tile::ViewOp, tile::AliasOp, tile::TensorOp>(op)) {
      findUses(op->getResult(0), read, written);
      continue;
    }
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (!effects) {
      read = true;
      continue;
    }
    SmallVector<MemoryEffects::EffectInstance> list;
    effects.getEffectsOnValue(v, list);
    for (auto &e : list) {
      read |= isa<MemoryEffects::Read>(e.getEffect());
      written |= isa<MemoryEffects::Write>(e.getEffect());
    }
  }
}

/// "in", "out", "inout", "scalar", "workspace" or "dim". Out by declaration
/// wins over use; a tensor that nothing touches is an input.
///   only read: in   only written: out   both: inout
///   T.empty, out_idx: out   T.alloc_global: workspace
StringRef Interpreter::roleOf(const Argument &arg) {
  if (arg.cls == Argument::Dim)
    return "dim";
  if (arg.cls == Argument::Workspace)
    return "workspace";
  if (!arg.buffer)
    return "scalar";
  bool read = false, written = false;
  findUses(arg.value, read, written);
  if (arg.forcedOut)
    return "out";
  return !written ? "in" : read ? "inout" : "out";
}

/// Block arguments in their final order; sizes that nothing reads are dropped.
/// New arguments are appended, take over the uses, and the old ones go.
///   made:   n (dim), A (param 0), C (output 0), B (param 1)
///   final:  A, B, C, n
void Interpreter::permuteArguments() {
  llvm::erase_if(arguments, [&](Argument &a) {
    return a.cls == Argument::Dim && a.value.use_empty();
  });
  llvm::stable_sort(arguments, [](const Argument &x, const Argument &y) {
    return std::pair(x.cls, x.order) < std::pair(y.cls, y.order);
  });
  Block &entry = func.getBody().front();
  unsigned old = entry.getNumArguments();
  SmallVector<Type> types;
  for (Argument &a : arguments) {
    types.push_back(a.value.getType());
    BlockArgument fresh =
        entry.addArgument(a.value.getType(), a.value.getLoc());
    a.value.replaceAllUsesWith(fresh);
    a.value = fresh;
  }
  entry.eraseArguments(0, old);
  func.setFunctionType(b.getFunctionType(types, {}));
}

/// The attributes of all arguments. Names are made unique, because callers and
/// shapes refer to them.
ArrayAttr Interpreter::argumentAttrs() {
  SmallVector<Attribute> all;
  llvm::StringSet<> taken;
  for (Argument &a : arguments) {
    if (a.name.empty())
      a.name = a.cls == Argument::Workspace ? "workspace" : "out";
    std::string base = a.name;
    for (int n = 1; !taken.insert(a.name).second; ++n)
      a.name = base + "_" + std::to_string(n);
    NamedAttrList attrs;
    attrs.set("tile.name", b.getStringAttr(a.name));
    attrs.set("tile.dtype", b.getStringAttr(a.dtype->name));
    attrs.set("tile.role", b.getStringAttr(roleOf(a)));
    all.push_back(DictionaryAttr::get(&context, attrs));
  }
  // Shapes name other arguments, so they come last: `n // 2` is the text of the
  // expression that the kernel computes.
  for (auto [i, a] : llvm::enumerate(arguments)) {
    if (!a.buffer)
      continue;
    NamedAttrList attrs(llvm::cast<DictionaryAttr>(all[i]));
    auto tensor = a.buffer->memref.getDefiningOp<tile::TensorOp>();
    SmallVector<Attribute> shape;
    size_t dynamic = 0;
    for (int64_t extent : llvm::cast<MemRefType>(tensor.getType()).getShape()) {
      Value v =
          ShapedType::isDynamic(extent)
              ? Value::scalar({tensor.getSizes()[dynamic++], dtypes::int32})
              : Value::integral(extent);
      shape.push_back(b.getStringAttr(indexText(v)));
    }
    attrs.set("tile.shape", b.getArrayAttr(shape));
    all[i] = DictionaryAttr::get(&context, attrs);
    tensor.setName(a.name);
  }
  return b.getArrayAttr(all);
}

/// Removes what nothing uses: constants and sizes made on the way. Backwards,
/// so that a dead chain goes in one walk, and again until nothing is left.
/// Tensors and tiles stay: an argument is part of the interface.
static void eraseDead(Operation *root) {
  bool changed = true;
  while (changed) {
    changed = false;
    SmallVector<Operation *> dead;
    root->walk<mlir::WalkOrder::PostOrder, mlir::ReverseIterator>(
        [&](Operation *op) {
          if (op != root && isOpTriviallyDead(op) &&
              !isa<tile::TensorOp, tile::AllocOp>(op))
            dead.push_back(op);
        });
    for (Operation *op : dead)
      if (op->use_empty()) {
        op->erase();
        changed = true;
      }
  }
}

/// A fragment that loops alone use, at their points, is as large as they are:
///   sinks = T.alloc_fragment([heads], ...)       # 8 heads
///   for i in T.Parallel(64): sinks[i] = Sinks[by]
/// Elements of registers have no memory behind them that could be another's, so
/// programs get away with this elsewhere.
static void growFragment(tile::AllocOp alloc) {
  auto type = cast<MemRefType>(alloc.getType());
  if (tile::getSpace(alloc) != tile::Space::Fragment || alloc.getLayout())
    return;
  SmallVector<int64_t> shape(type.getShape());
  for (Operation *user : alloc->getUsers()) {
    OperandRange indices(user->operand_end(), user->operand_end());
    if (auto load = dyn_cast<tile::LoadOp>(user))
      indices = load.getIndices();
    else if (auto store = dyn_cast<tile::StoreOp>(user))
      indices = store.getIndices();
    else if (isa<tile::FillOp>(user))
      continue;
    else
      return;
    for (auto [size, index] : llvm::zip_equal(shape, indices)) {
      auto point = dyn_cast<BlockArgument>(index);
      auto loop =
          point ? dyn_cast<tile::ParallelOp>(point.getOwner()->getParentOp())
                : nullptr;
      if (loop)
        size = std::max(size, loop.getExtents()[point.getArgNumber()]);
    }
  }
  if (ArrayRef(shape) == type.getShape())
    return;
  mlir::emitWarning(alloc.getLoc(), "'")
      << tile::getBufferName(alloc)
      << "' is smaller than the loops that use it: it is made as large as they "
         "are";
  alloc.getResult().setType(MemRefType::get(
      shape, type.getElementType(), type.getLayout(), type.getMemorySpace()));
}

/// After the program has run: launches exist, arguments in order, IR that
/// verifies. False after a report.
bool Interpreter::finish() {
  if (!kernelCount) {
    error(DiagID::NoProgram, kernelDef->nameRange,
          "'" + kernelDef->name + "' launches no T.Kernel");
    return false;
  }
  eraseDead(func);
  func.walk(growFragment);
  if (!messages.empty())
    func->setAttr(tile::kMessagesAttr, b.getArrayAttr(messages));
  permuteArguments();
  func.setArgAttrsAttr(argumentAttrs());
  if (succeeded(verify(*module)))
    return true;
  // Verifier messages become diagnostics of their own; silence would be a
  // fault.
  if (!diags.hasErrors())
    error(DiagID::Internal, kernelDef->nameRange,
          "the front end made IR that does not verify");
  return false;
}

} // namespace tlc::frontend
