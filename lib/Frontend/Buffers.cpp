//===- Buffers.cpp - Allocation, indexing, loads and stores ---------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocation, indexing, element accesses, and boxes.
//
// A subscript of a buffer is a RegionObject: offsets and extents by dimension,
// with no IR yet. What the region is used for decides what is emitted: an
// element that is read becomes a tile.load, an assignment a tile.store, a tile
// operation takes the region as a Box and makes a tile.view of it.
//
//   A[i, 3]           ->  element,  offsets (i, 3)
//   A[i, 0:n]         ->  region,   offsets (i, 0), extents (1, n)
//   A[..., k*32:k*32+32]  ->  region, offsets (0, k*32), extents (M, 32)
//
// Python's rules hold for constants: a negative index counts from the end. An
// index known only at run time is taken as it is; outside a global tensor it
// reads 0 and writes nothing (docs/language.md, section 4), which later passes
// see to.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

using namespace tlc;
using namespace mlir;

namespace tlc::frontend {

/// What emits device code needs a T.Kernel around it; false after a report.
bool Interpreter::requireDevice(SourceRange range, StringRef what) {
  if (kernelOp)
    return true;
  error(DiagID::OutsideKernel, range,
        "'" + what + "' must stand inside `with T.Kernel(...)`");
  return false;
}

/// The element type that a value names: a dtype, its name, or Python's int,
/// float and bool. Null where it names none, after a report unless `quiet`.
/// `vectors` allows vector types (float32x4), which buffers may have and casts
/// may name.
DType Interpreter::dtypeFrom(Value v, SourceRange range, bool quiet,
                             bool vectors) {
  DType found = v.is(VK::DType) ? v.asDType()
                : v.is(VK::Str) ? findDType(v.asStr())
                                : nullptr;
  if (found && (found->lanes == 1 || vectors))
    return found;
  if (found && !quiet) {
    error(DiagID::BadDType, range,
          "the vector type " + found->name + ", where one element is meant");
    return nullptr;
  }
  if (v.is(VK::Builtin)) { // Python's own types
    StringRef name = v.asBuiltin()->name;
    if (name == "int")
      return dtypes::int32;
    if (name == "float")
      return dtypes::float32;
    if (name == "bool")
      return dtypes::boolean;
    if (v.asBuiltin()->fn == &Interpreter::pointerType) // a table of addresses
      return dtypes::int64;
  }
  if (quiet)
    return nullptr;
  if (v.is(VK::Poison))
    poisonError(v, range);
  else if (!v)
    error(DiagID::BadDType, range, "no element type is given")
        .help("such as T.float16");
  else
    error(DiagID::BadDType, range, describe(v) + " is not an element type");
  return nullptr;
}

/// Appends the extents of a shape, each an Int or a Scalar of an integer type;
/// a single number is a shape of one dimension. False after a report.
bool Interpreter::shapeFrom(Value v, SourceRange range,
                            llvm::SmallVectorImpl<Value> &out) {
  SmallVector<Value> dims;
  if (v.isSequence())
    dims.assign(v.as<SequenceObject>()->elements);
  else
    dims.push_back(v);
  for (Value d : dims) {
    if (isSymbolic(d))
      d = deref(d, range);
    // Sizes computed with `/` are floats in Python; whole ones are accepted.
    if (d.is(VK::Float) && d.asFloat() == double(int64_t(d.asFloat())))
      d = Value::integral(int64_t(d.asFloat()));
    bool ok =
        d.isIntLike() || (d.is(VK::Scalar) && d.asSym().type->isInteger());
    if (!ok) {
      typeError(range, "an integer in the shape", d);
      return false;
    }
    // 0 is refused as well: a tile without elements has no layout.
    if (d.isIntLike() && d.asInt() <= 0) {
      error(DiagID::BadShape, range,
            "extent " + llvm::Twine(d.asInt()) +
                " in a shape: extents are positive");
      return false;
    }
    if (d.isIntLike() && d.asInt() > INT32_MAX) {
      error(DiagID::BadShape, range,
            "extent " + llvm::Twine(d.asInt()) +
                " in a shape: indices have 32 bits, so an extent is at most "
                "2147483647; more dimensions can hold more elements");
      return false;
    }
    out.push_back(d.isIntLike() ? Value::integral(d.asInt()) : d);
  }
  return true;
}

/// The extents of a buffer as numbers; false, with a report, where one is
/// symbolic.
bool Interpreter::staticShape(BufferObject *buffer, SourceRange range,
                              llvm::SmallVectorImpl<int64_t> &out) {
  for (Value d : buffer->shape) {
    if (!d.is(VK::Int)) {
      error(DiagID::NotConstant, range,
            "the shape " + shapeText(buffer->shape) +
                " must be known at compile time")
          .help("'?' is a value of the device: extents are numbers, parameters "
                "and T.const names");
      return false;
    }
    out.push_back(d.asInt());
  }
  return true;
}

/// Allocates a tile or an array: a tile.alloc at the builder's place, with
/// constant extents. Null after a report. A vector type is one more dimension:
///   T.alloc_local((8,), "float16x4")  ->  memref<8x4xf16, local>, lanes = 4
BufferObject *Interpreter::allocate(tile::Space space, Value shape, Value dtype,
                                    const Args &args) {
  auto *buffer = make<BufferObject>();
  buffer->space = space;
  buffer->declared = args.range;
  buffer->dtype = dtypeFrom(dtype, args.range, false, /*vectors=*/true);
  SmallVector<int64_t> extents;
  if (!buffer->dtype || !shapeFrom(shape, args.range, buffer->shape))
    return nullptr;
  if (buffer->dtype->lanes > 1) {
    buffer->lanes = buffer->dtype->lanes;
    buffer->dtype = buffer->dtype->element;
    buffer->shape.push_back(Value::integral(buffer->lanes));
  }
  if (!staticShape(buffer, args.range, extents))
    return nullptr;
  // fp6 has no form in memory: neither whole bytes nor pairs.
  if (buffer->dtype->bits % 8 && !buffer->dtype->isSubByte() &&
      !buffer->dtype->isBool()) {
    error(DiagID::BadDType, args.range,
          "buffers of " + buffer->dtype->name +
              ": elements have 1, 2, 4 or 8 bytes, or 4 bits");
    return nullptr;
  }
  // A tile beyond 2^32 elements fits nowhere; byte counts below stay in 64
  // bits.
  int64_t total = 1;
  for (int64_t e : extents)
    if (__builtin_mul_overflow(total, e, &total) ||
        total > (int64_t(1) << 32)) {
      error(DiagID::BadShape, args.range,
            "a buffer of shape " + shapeText(buffer->shape) + " is too large");
      return nullptr;
    }
  // What a thread has for itself: registers, and scratch memory behind them.
  constexpr int64_t kMostLocalBytes = 1 << 16;
  int64_t bytes = total * std::max(1, buffer->dtype->bits / 8);
  if (space == tile::Space::Local && bytes > kMostLocalBytes) {
    error(DiagID::BadShape, args.range,
          "an array of " + llvm::Twine(bytes) +
              " bytes for each thread: there are at most " +
              llvm::Twine(kMostLocalBytes));
    return nullptr;
  }
  at(args.range);
  buffer->memref = tile::AllocOp::create(
      b,
      tile::getBufferType(extents, buffer->dtype->storageType(&context), space),
      nullptr, nullptr, nullptr);
  if (space == tile::Space::Shared) {
    buffer->tile = make<TileStorage>();
    buffer->tile->views.push_back(buffer);
  }
  return buffer;
}

Value Interpreter::allocShared(Args &args) {
  auto *buffer = allocate(tile::Space::Shared, args[0], args[1], args);
  return buffer ? Value::object(buffer) : Value();
}
Value Interpreter::allocFragment(Args &args) {
  // T.alloc_fragment(shape, dtype, "local") is private to a thread.
  bool local = args.has(2) && args[2].is(VK::Str) && args[2].asStr() == "local";
  auto *buffer = allocate(local ? tile::Space::Local : tile::Space::Fragment,
                          args[0], args[1], args);
  return buffer ? Value::object(buffer) : Value();
}
/// T.alloc_local, and T.alloc_buffer, which names its memory.
Value Interpreter::allocLocal(Args &args) {
  StringRef scope = args.has(2) && args[2].is(VK::Str) ? args[2].asStr() : "";
  tile::Space space = scope.starts_with("shared") ? tile::Space::Shared
                      : scope == "local.fragment" ? tile::Space::Fragment
                                                  : tile::Space::Local;
  auto *buffer = allocate(space, args[0], args[1], args);
  return buffer ? Value::object(buffer) : Value();
}

/// T.alloc_var(dtype, init): also alloc_var(dtype, scope) with a string. The
/// variable is an array of one, whose name alone means element 0: reading it
/// loads, assigning to it stores. It begins as 0 if nothing else is said.
Value Interpreter::allocVar(Args &args) {
  auto *buffer =
      allocate(tile::Space::Local, Value::integral(1), args[0], args);
  if (!buffer)
    return {};
  buffer->isVar = true;
  variables.insert(buffer->memref);
  // Both (dtype, init, scope) and (dtype, scope, init) are in use; a string is
  // a scope.
  Value init = args.has(1) && !args[1].is(VK::Str)   ? args[1]
               : args.has(2) && !args[2].is(VK::Str) ? args[2]
                                                     : Value();
  if (!storeVariable(buffer, init ? init : Value::integral(0), args.range))
    return {};
  return Value::object(buffer);
}

/// Into a T.alloc_var; a scalar into one of a vector type is every lane.
bool Interpreter::storeVariable(BufferObject *buffer, Value value,
                                SourceRange range) {
  SmallVector<Value> first = {Value::integral(0)};
  return buffer->lanes > 1 ? storeVector(buffer, first, value, range)
                           : store(buffer, first, value, range);
}

//===----------------------------------------------------------------------===//
// Indexing
//===----------------------------------------------------------------------===//

/// buffer[index]: an element or a region. Element reads happen when the value
/// is needed; `reference` keeps them from happening here. There are as many
/// indices as dimensions, where `...` stands for those left out, and vector
/// buffers may leave out the lanes:
///   V[i]  of (8, 4), lanes 4  ->  V[i, 0:4], read as a Vector of 4 values
Value Interpreter::indexBuffer(BufferObject *buffer, Value index,
                               SourceRange range, bool reference) {
  SmallVector<Value> indices;
  if (index.is(VK::Tuple))
    indices.assign(index.as<SequenceObject>()->elements);
  else
    indices.push_back(index);
  // `...` stands for all dimensions that are not named.
  for (size_t i = 0; i < indices.size(); ++i)
    if (indices[i].is(VK::Ellipsis) &&
        indices.size() <= buffer->shape.size() + 1) {
      Value all = Value::object(make<SliceObject>());
      auto *slice = all.as<SliceObject>();
      slice->lower = slice->upper = slice->step = Value::none();
      size_t n = buffer->shape.size() + 1 - indices.size();
      indices.erase(indices.begin() + i);
      indices.insert(indices.begin() + i, n, all);
      break;
    }
  if (namesVector(buffer, indices) && !reference)
    return loadVector(buffer, indices, range);
  // A reference to a vector is a region over its lanes.
  if (buffer->lanes > 1 && indices.size() + 1 == buffer->shape.size()) {
    auto *lanes = make<SliceObject>();
    lanes->lower = lanes->upper = lanes->step = Value::none();
    indices.push_back(Value::object(lanes));
  }
  if (indices.size() != buffer->shape.size()) {
    error(DiagID::RankMismatch, range,
          llvm::Twine(indices.size()) + " indices for '" + buffer->name +
              "' of rank " + llvm::Twine(buffer->shape.size()))
        .note(buffer->declared,
              "'" + buffer->name + "' has shape " + shapeText(buffer->shape));
    return {};
  }
  auto *region = make<RegionObject>();
  region->buffer = buffer;
  region->range = range;
  region->isElement =
      llvm::none_of(indices, [](Value v) { return v.is(VK::Slice); });
  // Dimension by dimension: a slice gives offset and extent, an index an offset
  // and extent 1.
  for (auto [dim, v] : llvm::enumerate(indices)) {
    Value extent = buffer->shape[dim];
    Value offset = v, size = Value::integral(1);
    if (v.is(VK::Slice)) {
      auto *slice = v.as<SliceObject>();
      if (!slice->step.is(VK::None) &&
          !(slice->step.isIntLike() && slice->step.asInt() == 1))
        return fail(DiagID::SlicedStep, range,
                    "a slice of a buffer has no step");
      // Constants count from the end if negative; an absent bound is 0 or the
      // extent.
      auto wrap = [&](Value bound, Value absent) {
        if (bound.is(VK::None))
          return absent;
        if (bound.isIntLike() && bound.asInt() < 0)
          return binary(BinOpKind::Add, extent, bound, range);
        return deref(bound, range);
      };
      offset = wrap(slice->lower, Value::integral(0));
      Value upper = wrap(slice->upper, extent);
      if (!offset || !upper)
        return {};
      for (Value bound : {offset, upper})
        if (!bound.isIntLike() &&
            !(bound.is(VK::Scalar) && bound.asSym().type->isInteger()))
          return typeError(range, "an integer in the slice", bound);
      // The extent of k*32 : k*32+32 is a number though neither bound is one:
      // the difference of the two SSA expressions is looked at symbolically.
      if (auto n = constantDifference(upper, offset))
        size = Value::integral(*n);
      else if (!(size = binary(BinOpKind::Sub, upper, offset, range)))
        return {};
      if (size.is(VK::Int) && size.asInt() <= 0)
        return fail(DiagID::BadShape, range,
                    "a slice of extent " + llvm::Twine(size.asInt()));
    } else {
      offset = deref(v, range);
      if (!offset)
        return {};
      if (!offset.isIntLike() &&
          !(offset.is(VK::Scalar) && !offset.asSym().type->isFloat()))
        return typeError(range, "an integer index", offset);
      if (offset.isIntLike() && offset.asInt() < 0) {
        offset = binary(BinOpKind::Add, extent, offset, range);
        if (!offset)
          return {};
      }
    }
    // A constant outside a buffer that has no bounds checks is a mistake; only
    // accesses of global memory are checked on the device.
    if (offset.isIntLike() && extent.is(VK::Int) &&
        buffer->space != tile::Space::Global &&
        (offset.asInt() < 0 || offset.asInt() >= extent.asInt())) {
      error(DiagID::IndexOutOfBounds, range,
            "index " + llvm::Twine(offset.asInt()) + " is outside dimension " +
                llvm::Twine(dim) + " of '" + buffer->name + "'")
          .note(buffer->declared,
                "'" + buffer->name + "' has shape " + shapeText(buffer->shape));
      return {};
    }
    region->offsets.push_back(offset);
    region->extents.push_back(size);
  }
  Value v = Value::object(region);
  return region->isElement && !reference ? deref(v, range) : v;
}

/// The operands of an access: i32 or i64 indices, through the layout that
/// T.annotate_layout gave to a global tensor. They index `buffer->storage()`.
bool Interpreter::indexOperands(BufferObject *buffer, ArrayRef<Value> indices,
                                SourceRange range,
                                llvm::SmallVectorImpl<mlir::Value> &out) {
  // An annotation or an output that no kernel has declared yet has no memory.
  if (!buffer->memref) {
    error(DiagID::OutsideKernel, range,
          "'" + buffer->name + "' is not a buffer in memory yet");
    return false;
  }
  SmallVector<Value> mapped(indices);
  if (buffer->isPlaced()) {
    Value address = placedAddress(buffer, indices, range);
    if (!address)
      return false;
    mapped = {address};
  } else if (buffer->indexMap) {
    // An annotated layout says where the element really is.
    Value r = callFunction(buffer->indexMap, indices, {}, range);
    mapped.clear();
    if (!r)
      return false;
    if (!r.isSequence())
      mapped.push_back(r);
    else if (!iterate(r, range, mapped))
      return false;
    if (int64_t(mapped.size()) !=
        llvm::cast<MemRefType>(buffer->storage().getType()).getRank()) {
      error(DiagID::BadLayout, range,
            "the layout of '" + buffer->name + "' gives " +
                llvm::Twine(mapped.size()) + " indices");
      return false;
    }
  }
  for (Value v : mapped) {
    out.push_back(toIndex(v, range));
    if (!out.back())
      return false;
  }
  return true;
}

/// Reads an element at the builder's place. What memory holds and what one
/// computes with differ for bool (i8 and i1) and types of 4 bits, which are
/// computed with as int8, uint8 or float32.
Value Interpreter::load(BufferObject *buffer, ArrayRef<Value> indices,
                        SourceRange range) {
  if (!requireDevice(range, "reading '" + buffer->name + "'"))
    return {};
  if (buffer->memref && buffer->isPacked())
    return loadPacked(buffer, indices, range);
  SmallVector<mlir::Value> operands;
  if (!indexOperands(buffer, indices, range, operands))
    return {};
  at(range);
  mlir::Value v = tile::LoadOp::create(b, buffer->dtype->storageType(&context),
                                       buffer->storage(), operands);
  // Any byte that is not 0 is true: other programs may have written it.
  if (buffer->dtype->isBool()) {
    mlir::Value zero = arith::ConstantOp::create(b, b.getI8IntegerAttr(0));
    v = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, v, zero);
  }
  if (buffer->dtype->isCoded())
    return Value::scalar(buffer->dtype->isFloat()
                             ? decodeElement(v, buffer->dtype)
                             : Sym{v, wideOf(buffer->dtype)});
  return Value::scalar({v, buffer->dtype});
}

/// Writes an element: the value is converted to the buffer's type, a bool to 0
/// or 1, a value of 4 bits to its code. False after a report.
bool Interpreter::store(BufferObject *buffer, ArrayRef<Value> indices,
                        Value value, SourceRange range) {
  if (!requireDevice(range, "writing '" + buffer->name + "'"))
    return false;
  // A[i] = B would drop all but one element of B.
  if (value.is(VK::Buffer) && !value.as<BufferObject>()->isVar) {
    typeError(range, "a scalar to store", value);
    return false;
  }
  Sym s = castValue(value, buffer->dtype, range);
  if (s && buffer->memref && buffer->isPacked())
    return storePacked(buffer, indices, s, range);
  SmallVector<mlir::Value> operands;
  if (!s || !indexOperands(buffer, indices, range, operands))
    return false;
  at(range);
  if (buffer->reducer && updateReducer(buffer, s, operands))
    return true;
  mlir::Value v =
      buffer->dtype->isCoded() ? encodeElement(s, buffer->dtype) : s.value;
  if (buffer->dtype->isBool())
    v = b.createOrFold<arith::ExtUIOp>(b.getI8Type(), v);
  tile::StoreOp::create(b, v, buffer->storage(), operands);
  return true;
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

/// An operand of a tile operation as a box. A buffer is its whole shape, a
/// region its slices, an element a corner without extents (extents 1,
/// isElement), which the operation may widen. `what` names the operand in
/// messages.
bool Interpreter::toBox(Value v, SourceRange range, Box &box, StringRef what) {
  box.range = range;
  if (v.is(VK::Buffer)) {
    box.buffer = v.as<BufferObject>();
    box.isWhole = true;
    box.extents.assign(box.buffer->shape);
    box.offsets.assign(box.buffer->shape.size(), Value::integral(0));
  } else if (v.is(VK::Region)) {
    auto *region = v.as<RegionObject>();
    box.buffer = region->buffer;
    box.offsets = region->offsets;
    box.extents = region->extents;
    box.isElement = region->isElement;
  } else {
    typeError(range, "a buffer as " + what.str(), v);
    return false;
  }
  if (box.buffer->memref)
    return true;
  // T.empty outside a kernel and the like.
  error(DiagID::WrongSpace, range,
        "'" + box.buffer->name + "' cannot be used as a buffer here")
      .note(box.buffer->declared, "declared here");
  return false;
}

bool Interpreter::staticExtents(const Box &box,
                                llvm::SmallVectorImpl<int64_t> &out,
                                StringRef what) {
  for (Value e : box.extents) {
    if (!e.is(VK::Int)) {
      error(DiagID::NotConstant, box.range,
            "the extents " + shapeText(box.extents) + " of the " + what +
                " must be known at compile time");
      return false;
    }
    out.push_back(e.asInt());
  }
  return true;
}

/// The box as a memref: the buffer itself where the box is all of it, else
///   %v = tile.view %A[%off...] : ... to memref<extents, strided<...>>
mlir::Value Interpreter::boxValue(const Box &box, ArrayRef<int64_t> extents) {
  if (box.buffer->isPlaced())
    return stagedBox(box, extents, box.buffer->dtype);
  auto type = llvm::cast<MemRefType>(box.buffer->memref.getType());
  bool whole = type.getShape() == extents;
  for (Value o : box.offsets)
    whole &= o.isIntLike() && o.asInt() == 0;
  if (whole)
    return box.buffer->memref;
  SmallVector<mlir::Value> offsets;
  for (Value o : box.offsets) {
    offsets.push_back(toIndex(o, box.range));
    if (!offsets.back())
      return {};
  }
  // Offsets are known when the kernel runs, strides by whoever looks at the
  // base.
  SmallVector<int64_t> strides(extents.size(), ShapedType::kDynamic);
  auto layout = StridedLayoutAttr::get(&context, ShapedType::kDynamic, strides);
  at(box.range);
  return tile::ViewOp::create(b,
                              MemRefType::get(extents, type.getElementType(),
                                              layout, type.getMemorySpace()),
                              box.buffer->memref, offsets);
}

/// Runs `body` for every point of a box, on the device, with the indices into
/// the whole buffer: one tile.parallel over the extents other than 1. Null
/// indices never reach `body`; false where it or an index failed.
bool Interpreter::elementwise(const Box &box, ArrayRef<int64_t> extents,
                              llvm::function_ref<bool(ArrayRef<Value>)> body) {
  SmallVector<int64_t> loop;
  // Loops over extents other than 1; an index in the other dimensions is the
  // offset.
  for (int64_t e : extents)
    if (e != 1)
      loop.push_back(e);
  auto run = [&](ArrayRef<mlir::Value> vars) {
    SmallVector<Value> indices;
    size_t next = 0;
    for (auto [e, offset] : llvm::zip(extents, box.offsets)) {
      Value index = offset;
      if (e != 1)
        index = binary(BinOpKind::Add, offset,
                       Value::scalar({vars[next++], dtypes::int32}), box.range);
      if (!index)
        return false;
      indices.push_back(index);
    }
    return body(indices);
  };
  if (loop.empty() || parallelDepth) {
    // Inside a parallel loop the points are visited one after another.
    SmallVector<mlir::Value> vars;
    auto nest = [&](auto &self, size_t i) -> bool {
      if (i == loop.size())
        return run(vars);
      mlir::Value zero = constant(int64_t(0), dtypes::int32).value,
                  one = constant(int64_t(1), dtypes::int32).value;
      auto forOp = scf::ForOp::create(
          b, zero, constant(loop[i], dtypes::int32).value, one);
      return inRegion(forOp.getBody(), true, [&] {
        vars.push_back(forOp.getInductionVar());
        return self(self, i + 1);
      });
    };
    return nest(nest, 0);
  }
  auto parallel = tile::ParallelOp::create(b, ArrayRef<int64_t>(loop));
  ++parallelDepth;
  bool ok = inRegion(&parallel.getBody().front(), true, [&] {
    SmallVector<mlir::Value> vars(parallel.getBody().getArguments().begin(),
                                  parallel.getBody().getArguments().end());
    return run(vars);
  });
  --parallelDepth;
  return ok;
}

} // namespace tlc::frontend
