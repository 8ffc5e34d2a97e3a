//===- PlacedTiles.cpp - Tiles in LDS that the program lays out -----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layout of a tile in LDS is an injection of its elements into addresses. One
// of digits and XORs (FitLayout.h) becomes the `layout` of the tile.alloc, and
// the passes see it. Any other is obeyed here: the tile is replaced by one of
// its addresses, and every index goes through the program's function.
//
//   s: T.Layout((64,), lambda i: i * 5 % 64)
//   s[i] = x       =>  tile.store %x, %memory[i * 5 % 64]
//   T.gemm(s, …)   =>  a fragment is loaded that way, and multiplied
//
// T.reshape and T.view show the same bytes: an index of one goes by its number
// in row-major order to the tile whose layout is given.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "tlc/Layout/FitLayout.h"
#include "llvm/Support/MathExtras.h"

using namespace tlc;
using namespace mlir;

namespace tlc::frontend {

static int64_t bytesOf(const BufferObject *buffer) {
  return std::max<int64_t>(1, llvm::cast<MemRefType>(buffer->memref.getType())
                                      .getElementTypeBitWidth() /
                                  8);
}

static ArrayRef<int64_t> extentsOf(const BufferObject *buffer) {
  return llvm::cast<MemRefType>(buffer->memref.getType()).getShape();
}

/// The layout of one view as that of another; none where it is none of digits.
static std::optional<Layout>
seenAs(const Layout &layout, const BufferObject *from, const BufferObject *to) {
  return layout.seenAs(extentsOf(from), bytesOf(from), extentsOf(to),
                       bytesOf(to));
}

/// A tile in LDS: `map` gives each element's address.
bool Interpreter::layoutShared(BufferObject *buffer, FunctionObject *map,
                               SourceRange range) {
  SmallVector<int64_t> shape;
  SmallVector<Table> tables;
  TileStorage *tile = buffer->tile;
  if (!staticShape(buffer, range, shape) ||
      !tabulate(map, shape, range, tables))
    return false;
  if (tile->given) {
    error(DiagID::BadLayout, range,
          "'" + buffer->name + "' has a layout already")
        .note(tile->given->range, "given here");
    return false;
  }
  PlacedTile given{buffer, map, range, {}, {}, {}};
  size_t points = extentsOf(buffer).empty() ? 1 : tables[0].size();
  given.addresses.resize(points);
  int64_t box = 1;
  for (const Table &table : tables) {
    auto [least, most] = std::minmax_element(table.begin(), table.end());
    int64_t extent = *most - *least + 1;
    if (__builtin_mul_overflow(box, extent, &box) || box > INT32_MAX) {
      error(DiagID::BadLayout, map->range(),
            "this layout spans more than LDS holds");
      return false;
    }
    given.box.push_back({*least, extent});
    for (size_t p = 0; p < points; ++p)
      given.addresses[p] = given.addresses[p] * extent + table[p] - *least;
  }
  if (!sendsApart(buffer, map, shape, given.addresses, range))
    return false;
  tile->given = std::move(given);
  BufferObject *root = tile->views.front();
  std::optional<Layout> layout = fitMemory(shape, tile->given->addresses);
  if (layout)
    layout = seenAs(*layout, buffer, root);
  for (BufferObject *view : tile->views)
    if (layout && !seenAs(*layout, root, view))
      layout.reset();
  if (!layout)
    return placeTile(tile, range);
  root->memref.getDefiningOp<tile::AllocOp>().setLayoutAttr(
      tile::LayoutAttr::get(&context, *layout));
  return true;
}

/// Another view of a tile that may have been laid out already.
bool Interpreter::addView(BufferObject *view, SourceRange range) {
  TileStorage *tile = view->tile;
  if (!tile)
    return true;
  tile->views.push_back(view);
  auto alloc = tile->views[0]->memref.getDefiningOp<tile::AllocOp>();
  if (tile->placed ||
      (tile->given && alloc.getLayout() &&
       !seenAs(alloc.getLayout()->getLayout(), tile->views[0], view)))
    return placeTile(tile, range);
  return true;
}

/// Takes the tile's place in memory from the program's function from now on.
bool Interpreter::placeTile(TileStorage *tile, SourceRange range) {
  PlacedTile &given = *tile->given;
  int64_t bytes = bytesOf(given.buffer);
  for (BufferObject *view : tile->views) {
    int64_t n = bytesOf(view) / bytes;
    bool together = true;
    for (size_t p = 0; n > 1 && p < given.addresses.size(); ++p)
      together &= given.addresses[p] % n == int64_t(p) % n &&
                  given.addresses[p] / n == given.addresses[p / n * n] / n;
    if (!together) {
      error(DiagID::BadLayout, given.range,
            "the layout tears apart what is one element of another view")
          .note(view->declared, "this one, of elements of " +
                                    llvm::Twine(bytesOf(view)) + " bytes");
      return false;
    }
    // An index that did not go through the function went elsewhere.
    auto isAccess = [](Operation *op) { return !isa<tile::AliasOp>(op); };
    if (!tile->placed && llvm::any_of(view->memref.getUsers(), isAccess)) {
      error(DiagID::BadLayout, range,
            "the layout of '" + given.buffer->name +
                "' is none of digits and XORs: it must be given before the "
                "tile, or another view of it, is used")
          .note(tile->views[0]->declared, "the tile is declared here");
      return false;
    }
    if (view->dtype->isSubByte()) {
      error(DiagID::Unimplemented, range,
            "a layout of 4-bit elements that is none of digits and XORs");
      return false;
    }
  }
  if (!given.memory) {
    auto old = tile->views[0]->memref.getDefiningOp<tile::AllocOp>();
    int64_t span = llvm::alignTo(*llvm::max_element(given.addresses) + 1,
                                 std::max<int64_t>(16 / bytes, 1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(old);
    old.removeLayoutAttr();
    auto type = llvm::cast<MemRefType>(given.buffer->memref.getType());
    given.memory = tile::AllocOp::create(
        b, old.getLoc(),
        tile::getBufferType(span, type.getElementType(), tile::Space::Shared),
        old.getNameAttr(), nullptr, nullptr);
  }
  tile->placed = true;
  for (BufferObject *view : tile->views) {
    if (view->mapped)
      continue;
    auto memory = llvm::cast<MemRefType>(given.memory.getType());
    Type element =
        llvm::cast<MemRefType>(view->memref.getType()).getElementType();
    view->mapped = given.memory;
    if (element == memory.getElementType())
      continue;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(given.memory);
    view->mapped = tile::AliasOp::create(
        b, given.memory.getLoc(),
        tile::getBufferType(memory.getNumElements() * bytes / bytesOf(view),
                            element, tile::Space::Shared),
        given.memory);
  }
  return true;
}

/// Where the program's function puts an element, as an index of `mapped`.
Value Interpreter::placedAddress(BufferObject *buffer, ArrayRef<Value> indices,
                                 SourceRange range) {
  PlacedTile &given = *buffer->tile->given;
  using B = BinOpKind;
  auto op = [&](B kind, Value x, int64_t c) {
    bool nothing = c == (kind == B::Mul || kind == B::FloorDiv ? 1 : 0);
    return !x || nothing ? x : binary(kind, x, Value::integral(c), range);
  };
  auto add = [&](Value x, Value y) {
    return x && y ? binary(B::Add, x, y, range) : Value();
  };
  int64_t mine = bytesOf(buffer), theirs = bytesOf(given.buffer);
  SmallVector<Value> index(indices);
  Value part;
  if (buffer != given.buffer) {
    Value number = Value::integral(0);
    for (auto [i, extent] : llvm::zip_equal(indices, extentsOf(buffer)))
      number = add(op(B::Mul, number, extent), i);
    if (mine < theirs) {
      part = number
                 ? binary(B::Mod, number, Value::integral(theirs / mine), range)
                 : Value();
      number = op(B::FloorDiv, number, theirs / mine);
    } else {
      number = op(B::Mul, number, mine / theirs);
    }
    index.clear();
    for (int64_t extent : llvm::reverse(extentsOf(given.buffer))) {
      index.push_back(
          number ? binary(B::Mod, number, Value::integral(extent), range)
                 : Value());
      number = op(B::FloorDiv, number, extent);
      if (!index.back() || !number)
        return {};
    }
    std::reverse(index.begin(), index.end());
  }
  SmallVector<Value> results;
  if (!layoutResults(given.map, index, range, results))
    return {};
  Value address = Value::integral(0);
  for (auto [v, extent] : llvm::zip_equal(results, given.box))
    address =
        add(op(B::Mul, address, extent.second), op(B::Sub, v, extent.first));
  if (mine < theirs)
    return address && part ? add(op(B::Mul, address, theirs / mine), part)
                           : Value();
  return op(B::FloorDiv, address, mine / theirs);
}

/// A fragment with the elements of a box, for an op on tiles.
mlir::Value Interpreter::stagedBox(const Box &box, ArrayRef<int64_t> extents,
                                   DType dtype) {
  Box temp;
  temp.buffer = make<BufferObject>(*box.buffer);
  temp.buffer->tile = nullptr;
  temp.buffer->mapped = {};
  temp.buffer->space = tile::Space::Fragment;
  temp.buffer->dtype = dtype;
  at(box.range);
  Type element = dtype->storageType(&context);
  temp.buffer->memref = tile::AllocOp::create(
      b, tile::getBufferType(extents, element, tile::Space::Fragment),
      b.getStringAttr(box.buffer->name), nullptr, nullptr);
  return copyStaged(box, extents, temp.buffer, /*back=*/false)
             ? temp.buffer->memref
             : mlir::Value();
}

/// Puts what an op wrote into a box's fragment where it belongs.
bool Interpreter::unstageBox(const Box &box, ArrayRef<int64_t> extents,
                             mlir::Value fragment) {
  if (!box.buffer->isPlaced())
    return true;
  auto *temp = make<BufferObject>(*box.buffer);
  temp->tile = nullptr;
  temp->mapped = {};
  temp->space = tile::Space::Fragment;
  temp->memref = fragment;
  return copyStaged(box, extents, temp, /*back=*/true);
}

bool Interpreter::copyStaged(const Box &box, ArrayRef<int64_t> extents,
                             BufferObject *fragment, bool back) {
  Box temp;
  temp.buffer = fragment;
  temp.isWhole = true;
  temp.range = box.range;
  SmallVector<Value> sizes;
  SmallVector<int> dims;
  for (auto [d, extent] : llvm::enumerate(extents)) {
    sizes.push_back(Value::integral(extent));
    dims.push_back(int(d));
    temp.offsets.push_back(Value::integral(0));
  }
  temp.extents = fragment->shape = sizes;
  return back ? copyByLoops(temp, box, sizes, dims, dims, box.range)
              : copyByLoops(box, temp, sizes, dims, dims, box.range);
}

} // namespace tlc::frontend
