//===- TileHints.cpp - Aliases, messages, annotations ---------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Views of buffers, messages, annotations, and im2col.
//
//   B = T.reshape(A, (32, 128))     %B = tile.alias %A : the same bytes
//   T.print(x, msg="x")             tile.print "x" %x {tile.message = 0}
//   T.use_swizzle(4)                tile.kernel ... swizzle = 4
//   T.annotate_safe_value({A: 1})   tile.tensor ... pad = 1.0
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "tlc/Dialect/Tile/IR/Relaxations.h"
#include "tlc/Dialect/Tile/Transforms/Messages.h"

using namespace tlc;
using namespace mlir;

namespace tlc::frontend {

/// T.reshape(buffer, shape): the same storage under another shape.
Value Interpreter::reshapeBuffer(Args &args) {
  args.values.resize(3);
  args.ranges.resize(3);
  return viewBuffer(args);
}

/// A view of sizes known at run time: a second tensor at the same address. That
/// it has as many elements is the program's to see to.
Value Interpreter::dynamicView(BufferObject *buffer, tile::TensorOp tensor,
                               SourceRange range) {
  auto type = cast<MemRefType>(tensor.getType());
  if (!type.getLayout().isIdentity())
    return fail(DiagID::Unimplemented, range,
                "a view by run-time sizes of a tensor with strides");
  SmallVector<int64_t> shape;
  SmallVector<mlir::Value> sizes;
  for (Value v : buffer->shape) {
    shape.push_back(v.is(VK::Int) ? v.asInt() : ShapedType::kDynamic);
    if (v.is(VK::Int))
      continue;
    sizes.push_back(toIndex(v, range));
    if (!sizes.back())
      return {};
  }
  at(range);
  auto memref = MemRefType::get(shape, type.getElementType(), AffineMap(),
                                type.getMemorySpace());
  buffer->memref =
      tile::TensorOp::create(b, memref, tensor.getSource(), sizes, ValueRange{},
                             tensor.getNameAttr(), tensor.getPadAttr());
  buffer->mapped = {};
  return Value::object(buffer);
}

/// T.view(buffer, shape, dtype). The result is a buffer of its own name and
/// shape; its bytes are the old one's, whose size it must have.
///   T.view(A, (64, 64), "int8")       A: (64, 32) of float16: as many bytes
///   T.view(A, dtype="uint32")         A: (64, 32) of float16: (64, 16)
///   T.reshape(A, (2048,))             the type stays
Value Interpreter::viewBuffer(Args &args) {
  if (!args[0].is(VK::Buffer))
    return typeError(args.rangeOf(0), "a buffer", args[0]);
  auto *old = args[0].as<BufferObject>();
  auto *buffer = make<BufferObject>(*old);
  buffer->declared = args.range;
  buffer->name.clear();
  buffer->argument = -1;
  if (args.has(2) &&
      !(buffer->dtype = dtypeFrom(args[2], args.rangeOf(2), /*quiet=*/false,
                                  /*vectors=*/true)))
    return {};
  // The lanes of vectors are one more dimension, which the shape that is given
  // does not have.
  bool retyped = args.has(2);
  if (retyped) {
    if (buffer->lanes > 1)
      buffer->shape.pop_back();
    buffer->lanes = buffer->dtype->lanes;
    if (buffer->lanes > 1)
      buffer->dtype = buffer->dtype->element;
  }
  SmallVector<int64_t> extents, before;
  if (args.has(1)) {
    buffer->shape.clear();
    if (!shapeFrom(args[1], args.rangeOf(1), buffer->shape))
      return {};
  } else if (retyped && (buffer->lanes > 1 || old->lanes > 1)) {
    // The last dimension takes the change.
    int64_t from = old->dtype->bits * old->lanes,
            to = buffer->dtype->bits * buffer->lanes;
    Value last = binary(BinOpKind::Mul, buffer->shape.back(),
                        Value::integral(from), args.range);
    last = last ? binary(BinOpKind::FloorDiv, last, Value::integral(to),
                         args.range)
                : last;
    if (!last)
      return {};
    buffer->shape.back() = last;
  }
  if (buffer->lanes > 1)
    buffer->shape.push_back(Value::integral(buffer->lanes));
  if (auto tensor = old->memref.getDefiningOp<tile::TensorOp>();
      tensor && buffer->dtype == old->dtype && !buffer->isPacked() &&
      !llvm::all_of(buffer->shape, [](Value v) { return v.is(VK::Int); }))
    return dynamicView(buffer, tensor, args.range);
  if (!staticShape(old, args.range, before) ||
      !staticShape(buffer, args.range, extents))
    return {};
  auto bits = [](ArrayRef<int64_t> shape, DType t) {
    int64_t n = t->isBool() ? 8 : t->bits;
    for (int64_t e : shape)
      n *= e;
    return n;
  };
  if (!args.has(1) && old->lanes == 1 && buffer->lanes == 1 &&
      old->dtype->bits !=
          buffer->dtype->bits) { // the last dimension takes the change
    extents.back() = extents.back() * old->dtype->bits / buffer->dtype->bits;
    buffer->shape.back() = Value::integral(extents.back());
  }
  if (bits(before, old->dtype) != bits(extents, buffer->dtype)) {
    error(DiagID::ShapeMismatch, args.range,
          shapeText(buffer->shape) + " of " + buffer->dtype->name +
              " does not have the size of " + shapeText(old->shape) + " of " +
              old->dtype->name)
        .note(old->declared, "the buffer is declared here");
    return {};
  }
  // In tiles an element of 4 bits has a byte, so the bytes do not correspond.
  bool packs = buffer->dtype->isSubByte() || old->dtype->isSubByte();
  if (packs && old->dtype != buffer->dtype && old->space != tile::Space::Global)
    return fail(DiagID::Unimplemented, args.range,
                "a view of 4-bit elements outside global memory: there each "
                "has a byte of its own");
  if (buffer->isPacked()) {
    if (extents.back() % 2)
      return fail(DiagID::BadShape, args.range,
                  "the last extent of 4-bit elements must be even");
    extents.back() /= 2;
  }
  at(args.range);
  buffer->memref = tile::AliasOp::create(
      b,
      tile::getBufferType(extents, buffer->dtype->storageType(&context),
                          buffer->space),
      old->memref);
  buffer->mapped = {};
  return addView(buffer, args.range) ? Value::object(buffer) : Value();
}

/// buffer.scope(): "global", "shared" and so on.
Value Interpreter::bufferScope(Args &args) {
  return makeString(tile::stringifySpace(args.self.as<BufferObject>()->space));
}

/// T.sync_threads(). Code in tile operations needs none; code per thread may.
Value Interpreter::syncThreads(Args &args) {
  tile::SyncOp::create(b);
  return Value::none();
}

/// Numbers a message, and gives the program the argument that takes it: a
/// workspace named kMessagesName, made with the first message. The texts stay
/// with the tile.func, as "text<tab>file:line"; a leading '!' marks an
/// assertion.
void Interpreter::addMessage(Operation *op, const llvm::Twine &text,
                             SourceRange range) {
  op->setAttr(tile::kMessageAttr,
              b.getI64IntegerAttr(int64_t(messages.size())));
  auto pos = sources.position(range.begin);
  std::string whole = text.str();
  messages.push_back(b.getStringAttr(whole + "\t" + pos.file.str() + ":" +
                                     std::to_string(pos.line)));
  if (messages.size() > 1)
    return;
  auto *type = make<AnnotationObject>();
  type->dtype = dtypes::int32;
  type->shape.push_back(Value::integral(tile::kMessagesSize));
  addTensor(tile::kMessagesName, type, Argument::Workspace, ~0u, range);
}

/// T.print(value, msg): a scalar, or all elements of a buffer, or text alone.
Value Interpreter::printValue(Args &args) {
  std::string message =
      args.has(1) && args[1].is(VK::Str) ? args[1].asStr().str() : "";
  SmallVector<mlir::Value> values;
  if (args.has(0)) {
    if (args[0].is(VK::Str)) {
      message += args[0].asStr();
    } else if (args[0].is(VK::Buffer) && !args[0].as<BufferObject>()->isVar) {
      Box box;
      SmallVector<int64_t> extents;
      if (!toBox(args[0], args.rangeOf(0), box, "a tile"))
        return {};
      if (box.buffer->isPlaced() && !staticExtents(box, extents, "tile"))
        return {};
      values.push_back(box.buffer->isPlaced() ? boxValue(box, extents)
                                              : box.buffer->memref);
      if (!values.back())
        return {};
    } else {
      Sym s = toSym(args[0], args.range);
      if (!s)
        return {};
      values.push_back(s.value);
    }
  }
  auto print = tile::PrintOp::create(b, b.getStringAttr(message), values);
  addMessage(print, message, args.range);
  return Value::none();
}

/// T.device_assert(condition, text)
Value Interpreter::deviceAssert(Args &args) {
  mlir::Value c = toI1(args[0], args.rangeOf(0));
  if (!c)
    return {};
  StringRef message =
      args.has(1) && args[1].is(VK::Str) ? args[1].asStr() : "assertion failed";
  auto assertion = tile::AssertOp::create(b, c, message);
  addMessage(assertion, "!" + message, args.range);
  return Value::none();
}

/// T.use_swizzle(panel_size, order, enable): kept on the kernel for
/// tile-order-workgroups. The order of rows or columns is the compiler's.
Value Interpreter::useSwizzle(Args &args) {
  bool failed = false;
  if (args.has(2)) {
    auto t = truth(args[2], args.rangeOf(2), failed);
    if (failed || (t && !*t))
      return failed ? Value() : Value::none();
  }
  if (!args[0].isIntLike() || args[0].asInt() < 1)
    return typeError(args.rangeOf(0), "a positive panel size", args[0]);
  kernelOp.setSwizzle(args[0].asInt());
  return Value::none();
}

/// T.annotate_safe_value({buffer: value}): what reads outside a global tensor
/// give in place of 0. Tiles have no outside.
Value Interpreter::annotateSafeValue(Args &args) {
  if (!args[0].is(VK::Dict))
    return typeError(args.rangeOf(0), "a dictionary of buffers and values",
                     args[0]);
  for (auto &[key, value] : args[0].as<DictObject>()->entries) {
    if (!key.is(VK::Buffer))
      return typeError(args.rangeOf(0), "a buffer", key);
    auto *buffer = key.as<BufferObject>();
    auto tensor = buffer->memref
                      ? buffer->memref.getDefiningOp<tile::TensorOp>()
                      : nullptr;
    Sym s = castValue(value, buffer->dtype, args.range);
    auto constant = s ? s.value.getDefiningOp<arith::ConstantOp>() : nullptr;
    if (s && !constant)
      return fail(DiagID::NotConstant, args.range,
                  "a safe value must be known at compile time");
    if (!s)
      return {};
    if (tensor)
      tensor.setPadAttr(constant.getValue());
  }
  return Value::none();
}

/// T.annotate_relaxations(lazy_maximum=power): an extension. None and 0 declare
/// nothing, so that a parameter can be passed on.
Value Interpreter::annotateRelaxations(Args &args) {
  if (!args.has(0))
    return Value::none();
  Value power = args[0];
  double value = power.isIntLike()     ? double(power.asInt())
                 : power.is(VK::Float) ? power.asFloat()
                                       : -1;
  if (!(value >= 0 && value <= tile::kMostLazy))
    return typeError(args.rangeOf(0), "a number from 0 to 8", power);
  if (value > 0)
    kernelOp->setAttr(tile::kLazyMaximumAttr, b.getF32FloatAttr(value));
  else
    kernelOp->removeAttr(tile::kLazyMaximumAttr);
  return Value::none();
}

/// T.im2col(img, col, nhw_step, c_step, kernel, stride, dilation, pad): row i
/// of `col` is output pixel nhw_step * BM + i, column j is (kh, kw, c) number
/// c_step * BK + j; outside the image is 0. So a convolution is a product of
/// `col` with the filters as a matrix (KH * KW * C, F).
Value Interpreter::im2col(Args &args) {
  Box img, col;
  SmallVector<int64_t> extents;
  if (!toBox(args[0], args.rangeOf(0), img, "the image") ||
      !toBox(args[1], args.rangeOf(1), col, "the tile") ||
      !staticExtents(col, extents, "tile"))
    return {};
  int64_t k[4];
  for (int i = 0; i < 4; ++i) {
    if (!args[4 + i].isIntLike())
      return typeError(args.rangeOf(4 + i), "a compile-time integer",
                       args[4 + i]);
    k[i] = args[4 + i].asInt();
  }
  auto [kernel, stride, dilation, pad] = k;
  if (img.buffer->shape.size() != 4 || extents.size() < 2)
    return fail(DiagID::ShapeMismatch, args.range,
                "T.im2col needs an (N, H, W, C) image and a matrix");
  int64_t bm = extents[extents.size() - 2], bk = extents.back();
  SourceRange r = args.range;
  using B = BinOpKind;
  auto op = [&](B kind, Value x, Value y) {
    return x && y ? binary(kind, x, y, r) : Value();
  };
  auto num = [](int64_t v) { return Value::integral(v); };
  // Extent of the output: (size + 2 pad - (dilation (kernel - 1) + 1)) //
  // stride + 1.
  auto out = [&](Value size) {
    return op(B::Add,
              op(B::FloorDiv,
                 op(B::Sub, op(B::Add, size, num(2 * pad)),
                    num(dilation * (kernel - 1) + 1)),
                 num(stride)),
              num(1));
  };
  Value H = img.buffer->shape[1], W = img.buffer->shape[2],
        C = img.buffer->shape[3];
  Value oh = out(H), ow = out(W);
  bool ok =
      oh && ow && elementwise(col, extents, [&](ArrayRef<Value> index) {
        size_t n = index.size();
        Value row = op(B::Add, op(B::Mul, args[2], num(bm)),
                       op(B::Sub, index[n - 2], col.offsets[n - 2]));
        Value column = op(B::Add, op(B::Mul, args[3], num(bk)),
                          op(B::Sub, index[n - 1], col.offsets[n - 1]));
        // The pixel as (image, y, x), the column as (tap, channel), the tap as
        // (kh, kw); then the input pixel is y * stride + kh * dilation - pad,
        // and so for x.
        Value image = op(B::FloorDiv, row, op(B::Mul, oh, ow));
        Value y = op(B::FloorDiv, op(B::Mod, row, op(B::Mul, oh, ow)), ow),
              x = op(B::Mod, row, ow);
        Value tap = op(B::FloorDiv, column, C), channel = op(B::Mod, column, C);
        Value h =
            op(B::Sub,
               op(B::Add, op(B::Mul, y, num(stride)),
                  op(B::Mul, op(B::FloorDiv, tap, num(kernel)), num(dilation))),
               num(pad));
        Value w =
            op(B::Sub,
               op(B::Add, op(B::Mul, x, num(stride)),
                  op(B::Mul, op(B::Mod, tap, num(kernel)), num(dilation))),
               num(pad));
        // Reads outside the tensor give 0, but not where a tap number is too
        // large.
        Value v = image && h && w && channel
                      ? load(img.buffer, {image, h, w, channel}, r)
                      : Value();
        Value valid =
            v ? compare(CmpOpKind::Lt, tap, num(kernel * kernel), r) : Value();
        if (!valid)
          return false;
        if (valid.is(VK::Scalar))
          v = select(
              valid.asSym().value, [&] { return v; }, [&] { return num(0); },
              r);
        return v && store(col.buffer, index, v, r);
      });
  return ok ? Value::none() : Value();
}

} // namespace tlc::frontend
