//===- Layouts.cpp - Layouts that the program gives -----------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// T.annotate_layout, and loop_layout of T.Parallel. A layout is a function of
// the index: a table of coordinates (IndexTables.cpp), which FitLayout.h turns
// into digits.
//
// * Global tensor: the function permutes memory that others see. It is kept,
//   and every index goes through it.
// * Tile in LDS: PlacedTiles.cpp.
// * Fragment: the alloc's `layout`, an anchor of tile-infer-layouts.
// * Loop: `tile.loop_layout`.
//
// A function that is no layout of its tile (two elements in one place, another
// rank) is an error. A fragment's that is, but gives threads that are no digits
// and XORs, is not obeyed, which a warning says: no result depends on it.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"
#include "tlc/Layout/FitLayout.h"

using namespace tlc;
using namespace mlir;

namespace tlc::frontend {

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

/// T.Layout(shape, fn)
Value Interpreter::layoutObject(Args &args) {
  auto *layout = make<LayoutObject>();
  layout->declared = args.range;
  SmallVector<Value> shape;
  if (!shapeFrom(args[0], args.rangeOf(0), shape))
    return {};
  for (Value v : shape)
    layout->shape.push_back(v.isIntLike() ? v.asInt() : -1);
  if (!args.has(1))
    return Value::object(layout);
  if (!args[1].is(VK::Function))
    return typeError(args.rangeOf(1), "a function of the index", args[1]);
  layout->type = LayoutObject::Memory;
  layout->map = args[1].as<FunctionObject>();
  return Value::object(layout);
}

/// T.Fragment(shape, forward_fn, forward_thread_fn, replicate,
/// forward_index_fn)
Value Interpreter::fragmentObject(Args &args) {
  auto *layout = make<LayoutObject>();
  layout->type = LayoutObject::Threads;
  layout->declared = args.range;
  SmallVector<Value> shape;
  if (!shapeFrom(args[0], args.rangeOf(0), shape))
    return {};
  for (Value v : shape)
    layout->shape.push_back(v.isIntLike() ? v.asInt() : -1);
  FunctionObject **maps[] = {nullptr, &layout->map, &layout->threadMap, nullptr,
                             &layout->registerMap};
  for (unsigned i : {1, 2, 4}) {
    if (!args.has(i))
      continue;
    if (!args[i].is(VK::Function))
      return typeError(args.rangeOf(i), "a function of the index", args[i]);
    *maps[i] = args[i].as<FunctionObject>();
  }
  if (!layout->map && !layout->threadMap)
    return fail(DiagID::BadCall, args.range,
                "T.Fragment needs forward_fn or forward_thread_fn");
  if (args.has(3)) {
    if (!args[3].isIntLike() || args[3].asInt() < 1)
      return typeError(args.rangeOf(3), "a positive number of copies", args[3]);
    layout->replicas = args[3].asInt();
  }
  return Value::object(layout);
}

/// make_swizzled_layout(buffer) and its like: data is the LayoutObject type.
Value Interpreter::layoutMaker(Args &args) {
  auto *layout = make<LayoutObject>();
  layout->type = LayoutObject::Type(currentBuiltin->data);
  layout->declared = args.range;
  return Value::object(layout);
}

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

/// Coordinates as one number, row-major over the box they span from 0; empty
/// where no memory holds that box.
///   lambda i, j: [j // 8, i, j % 8]  of (64, 64)
///   ->  tables in 0-7, 0-63, 0-7     address (j // 8 * 64 + i) * 8 + j % 8
static std::vector<int64_t> flatten(ArrayRef<std::vector<int64_t>> tables,
                                    size_t points) {
  std::vector<int64_t> result(points);
  int64_t box = 1;
  for (const std::vector<int64_t> &table : tables) {
    int64_t first = *llvm::min_element(table),
            extent = *llvm::max_element(table) - first + 1;
    if (__builtin_mul_overflow(box, extent, &box) || box > UINT32_MAX)
      return {};
    for (size_t p = 0; p < points; ++p)
      result[p] = result[p] * extent + table[p] - first;
  }
  return result;
}

/// The index at a position of a table, as the program would write it.
static std::string indexAt(int64_t p, ArrayRef<int64_t> shape) {
  SmallVector<std::string> parts;
  for (int64_t extent : llvm::reverse(shape)) {
    parts.push_back(std::to_string(p % extent));
    p /= extent;
  }
  std::reverse(parts.begin(), parts.end());
  return "(" + llvm::join(parts, ", ") + ")";
}

static int64_t product(ArrayRef<int64_t> extents) {
  int64_t n = 1;
  for (int64_t e : extents)
    n *= e;
  return n;
}

/// Whether a layout gives each element of a buffer an address of its own;
/// false, with a report, where it does not.
bool Interpreter::sendsApart(BufferObject *buffer, FunctionObject *map,
                             ArrayRef<int64_t> shape,
                             ArrayRef<int64_t> addresses, SourceRange range) {
  auto twice = findCollision(addresses);
  if (!twice)
    return true;
  error(DiagID::BadLayout, range,
        "the layout puts two elements of '" + buffer->name +
            "' into one place: " + indexAt(twice->first, shape) + " and " +
            indexAt(twice->second, shape))
      .note(map->range(), "by this function");
  return false;
}

//===----------------------------------------------------------------------===//
// Global tensors
//===----------------------------------------------------------------------===//

/// Gives a global tensor the memory shape that a layout's results span: their
/// bounds are found by running the layout on indices of known range. The layout
/// must fill the tensor exactly.
///   A: (64, 128) f16, lambda i, j: [i, j // 8, j % 8]
///   ->  tile.alias %A : memref<64x16x8xf16>, indexed by the function
bool Interpreter::applyLayout(BufferObject *buffer, FunctionObject *map,
                              SourceRange range) {
  SmallVector<int64_t> shape, physical;
  if (!staticShape(buffer, range, shape))
    return false;
  auto probe = tile::ParallelOp::create(b, ArrayRef<int64_t>(shape));
  bool ok = inRegion(&probe.getBody().front(), false, [&] {
    SmallVector<Value> indices, results;
    for (BlockArgument arg : probe.getBody().getArguments())
      indices.push_back(Value::scalar({arg, dtypes::int32}));
    Value r = callFunction(map, indices, {}, range);
    if (!r)
      return false;
    if (r.isSequence() ? !iterate(r, range, results)
                       : (results.push_back(r), false))
      return false;
    for (Value v : results) {
      mlir::Value index = toIndex(v, range);
      auto bound = index ? upperBound(index) : std::nullopt;
      if (index && (!bound || !isNonNegative(index)))
        error(DiagID::BadLayout, range,
              "the extent of this layout cannot be found");
      if (!bound || !isNonNegative(index))
        return false;
      physical.push_back(*bound);
    }
    return true;
  });
  probe.erase();
  if (!ok)
    return false;
  if (product(physical) != product(shape)) {
    error(DiagID::BadLayout, range,
          "the layout spans " + llvm::Twine(product(physical)) +
              " elements, '" + buffer->name + "' has " +
              llvm::Twine(product(shape)))
        .note(buffer->declared,
              "'" + buffer->name + "' has shape " + shapeText(buffer->shape));
    return false;
  }
  // As many places as elements; whether two share one is looked at where the
  // table is of a size to be made.
  if (product(shape) <= kMostTabulated) {
    SmallVector<Table> tables;
    if (!tabulate(map, shape, range, tables) ||
        !sendsApart(buffer, map, shape, flatten(tables, product(shape)), range))
      return false;
  }
  at(range);
  buffer->indexMap = map;
  // The same bytes under the shape that the results index.
  if (physical != shape)
    buffer->mapped = tile::AliasOp::create(
        b,
        tile::getBufferType(physical, buffer->dtype->storageType(&context),
                            buffer->space),
        buffer->memref);
  return true;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// A T.Fragment as a layout; none where it is one that digits cannot express.
/// False after an error.
///   1. Tables of thread and registers at every element (and copy).
///   2. The first holder of each element owns it; threads must exist.
///   3. Registers as one number; without a function, numbered as they come.
///   4. No two elements in one register of one thread.
///   5. Digits for thread and register (fitRegisters), which must give every
///      holder that the function names the element.
bool Interpreter::threadLayout(LayoutObject *given, const llvm::Twine &what,
                               SourceRange range,
                               std::optional<Layout> &layout) {
  SmallVector<int64_t> box(given->shape);
  // The copy's number is one more index of the thread's function, last.
  int64_t points = product(box), replicas = given->replicas;
  if (replicas > 1)
    box.push_back(replicas);
  SmallVector<Table> tables, registers;
  if (!tabulate(given->map ? given->map : given->threadMap, box, range, tables))
    return false;
  if (given->registerMap &&
      !tabulate(given->registerMap, given->shape, range, registers))
    return false;
  if (tables.empty() || (!given->map && tables.size() != 1)) {
    error(DiagID::BadLayout, given->declared,
          "the first result of this function is the thread");
    return false;
  }
  // Of the copies of an element, the first thread's stands for all.
  int64_t threads = kernelOp.getNumThreads();
  Table owner(points), slot(points);
  std::vector<SmallVector<int64_t, 8>> holders(points);
  for (int64_t p = 0; p < points; ++p) {
    for (int64_t r = 0; r < replicas; ++r)
      holders[p].push_back(tables[0][p * replicas + r]);
    llvm::sort(holders[p]);
    owner[p] = holders[p].front();
    if (owner[p] < 0 || holders[p].back() >= threads) {
      error(DiagID::BadLayout, given->declared,
            "the layout gives element " + indexAt(p, given->shape) + " of " +
                what + " to thread " +
                llvm::Twine(owner[p] < 0 ? owner[p] : holders[p].back()) +
                "; the workgroup has " + llvm::Twine(threads));
      return false;
    }
  }
  // forward_fn gives (thread, register...): registers of the first copy.
  if (given->map) {
    for (Table &table : MutableArrayRef(tables).drop_front()) {
      Table first(points);
      for (int64_t p = 0; p < points; ++p)
        first[p] = table[p * replicas];
      registers.push_back(std::move(first));
    }
  }
  if (registers.empty()) {
    // As they come.
    DenseMap<int64_t, int64_t> next;
    for (int64_t p = 0; p < points; ++p)
      slot[p] = next[owner[p]]++;
  } else {
    slot = flatten(registers, points);
  }
  // Thread and register as one number, to find two elements in one place.
  Table places(slot.size());
  for (int64_t p = 0; p < int64_t(slot.size()); ++p)
    places[p] = owner[p] << 32 | slot[p];
  if (auto twice = findCollision(places)) {
    error(DiagID::BadLayout, given->declared,
          "the layout puts two elements of " + what +
              " into one register: " + indexAt(twice->first, given->shape) +
              " and " + indexAt(twice->second, given->shape));
    return false;
  }
  if (!slot.empty())
    layout = fitRegisters(given->shape, owner, slot);
  // Threads that no digit reaches hold copies; the named ones must be of them.
  for (int64_t p = 0; p < points && layout; ++p) {
    SmallVector<int64_t, 4> index;
    int64_t rest = p;
    for (int64_t extent : llvm::reverse(given->shape)) {
      index.insert(index.begin(), rest % extent);
      rest /= extent;
    }
    for (int64_t t : holders[p])
      if (!layout->slotIn(t, index)) {
        layout.reset();
        break;
      }
  }
  if (!layout)
    mlir::emitWarning(locOf(range), "the layout of ")
        << what.str()
        << " is not used: the threads are no digits of the index, XORed or "
           "not. Another one is chosen";
  return true;
}

/// loop_layout of a T.Parallel: the same T.Fragment, of points instead of
/// elements. False after a report.
bool Interpreter::layoutLoop(tile::ParallelOp loop, LayoutObject *given,
                             SourceRange range) {
  if (given->type != LayoutObject::Threads) {
    error(DiagID::BadLayout, range, "loop_layout is a T.Fragment")
        .note(given->declared, "the layout is made here");
    return false;
  }
  if (ArrayRef<int64_t>(given->shape) != loop.getExtents()) {
    error(DiagID::BadLayout, range,
          "the layout is not for the extents of this loop")
        .note(given->declared, "the layout is made here");
    return false;
  }
  std::optional<Layout> layout;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop);
  if (!threadLayout(given, "this loop", range, layout))
    return false;
  if (layout)
    loop->setAttr(tile::kLoopLayoutAttr,
                  tile::LayoutAttr::get(&context, *layout));
  return true;
}

/// T.annotate_layout({buffer: layout}). A function in place of a layout is the
/// map of a T.Layout. Entries are independent; the first error ends the call.
Value Interpreter::annotateLayout(Args &args) {
  if (!args[0].is(VK::Dict))
    return typeError(args.rangeOf(0), "a dictionary of buffers and layouts",
                     args[0]);
  using Type = LayoutObject::Type;
  for (auto &[key, value] : args[0].as<DictObject>()->entries) {
    if (!key.is(VK::Buffer))
      return typeError(args.rangeOf(0), "a buffer", key);
    auto *buffer = key.as<BufferObject>();
    LayoutObject *given;
    if (value.is(VK::Layout)) {
      given = value.as<LayoutObject>();
    } else if (value.is(VK::Function)) {
      given = make<LayoutObject>();
      given->type = LayoutObject::Memory;
      given->map = value.as<FunctionObject>();
      given->declared = args.range;
    } else {
      return typeError(args.rangeOf(0), "a layout", value);
    }
    // Swizzles made for other hardware: the compiler's own choice is better.
    if (given->type == Type::Chosen)
      continue;
    SmallVector<int64_t> shape;
    if (!staticShape(buffer, args.range, shape))
      return {};
    if (!given->shape.empty() && given->shape != shape) {
      error(DiagID::BadLayout, given->declared,
            "the layout is not for the shape of '" + buffer->name + "'")
          .note(buffer->declared,
                "'" + buffer->name + "' has shape " + shapeText(buffer->shape));
      return {};
    }
    // make_... layouts have no shape of their own.
    given->shape = shape;
    bool threads =
        given->type == Type::Threads || given->type == Type::Everywhere;
    bool inRegisters = buffer->space == tile::Space::Fragment;
    if (threads != inRegisters) {
      error(DiagID::BadLayout, args.range,
            "'" + buffer->name + "' is " +
                (inRegisters ? "a fragment, whose layout is a T.Fragment"
                             : "in memory, where a layout has no threads"))
          .note(given->declared, "the layout is made here");
      return {};
    }
    // Null for views and global tensors: those have no layout attribute to set.
    auto alloc = buffer->memref.getDefiningOp<tile::AllocOp>();
    switch (given->type) {
    case Type::Chosen:
      break;
    case Type::RowMajor:
      if (alloc)
        alloc.setLayoutAttr(
            tile::LayoutAttr::get(&context, Layout::rowMajor(shape)));
      break;
    case Type::Everywhere:
      if (alloc)
        alloc.setLayoutAttr(
            tile::LayoutAttr::get(&context, Layout::replicated(shape)));
      break;
    case Type::Memory:
      if (buffer->space == tile::Space::Shared
              ? !layoutShared(buffer, given->map, args.range)
              : !applyLayout(buffer, given->map, args.range))
        return {};
      break;
    case Type::Threads: {
      std::optional<Layout> layout;
      if (!threadLayout(given, "'" + buffer->name + "'", args.range, layout))
        return {};
      if (layout && !alloc) {
        // Another view of the registers: theirs is the same in their shape.
        mlir::Value base = tile::getBase(buffer->memref);
        auto type = llvm::cast<MemRefType>(base.getType());
        if (type.getElementType() == buffer->dtype->storageType(&context))
          layout = layout->reshaped(shape, type.getShape());
        else
          layout.reset();
        alloc = base.getDefiningOp<tile::AllocOp>();
        if (!layout || !alloc) {
          error(DiagID::BadLayout, args.range,
                "the layout of '" + buffer->name +
                    "' is none of the fragment that it is a view of")
              .note(buffer->declared, "the view is made here");
          return {};
        }
      }
      if (layout)
        alloc.setLayoutAttr(tile::LayoutAttr::get(&context, *layout));
      break;
    }
    }
  }
  return Value::none();
}

} // namespace tlc::frontend
