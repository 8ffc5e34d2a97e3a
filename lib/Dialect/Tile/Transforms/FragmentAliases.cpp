//===- FragmentAliases.cpp - Fragments under another shape ------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fragment under another shape (T.reshape) becomes a fragment of its own. The
// original is filled from it after each op that writes it, and it is filled
// from the original before each op that touches it, by a parallel over digits
// that both shapes share:
//
//   %r = tile.alias %s : memref<64x64xf32> to memref<64x4x16xf32>
//   tile.reduce %r ...
// becomes
//   %r = tile.alloc : memref<64x4x16xf32, fragment>
//   tile.parallel (%i, %j, %k) = [64, 4, 16] {tile.reshape} {
//     store (load %s[%i, 16 * %j + %k]), %r[%i, %j, %k]
//   }
//   tile.reduce %r ...
//
// Layout inference gives both the same places (reshapeLayout), so that such a
// parallel moves nothing. Shapes without common digits, and other element
// types, go through LDS.
//
//===----------------------------------------------------------------------===//

#include "FragmentAliases.h"
#include "BufferUse.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

std::optional<Layout> tile::reshapeLayout(const Layout &layout,
                                          ArrayRef<int64_t> from,
                                          ArrayRef<int64_t> to) {
  Layout::Digits flat; // least significant first
  for (size_t d = from.size(); d-- > 0;) {
    if (layout.covered(d) != from[d])
      return std::nullopt;
    llvm::append_range(flat, layout.dim(d));
  }
  SmallVector<Layout::Digits> dims(to.size());
  size_t next = 0;
  for (size_t d = to.size(); d-- > 0;) {
    int64_t left = to[d];
    while (left > 1) {
      if (next == flat.size())
        return std::nullopt;
      Digit &digit = flat[next];
      if (left % digit.extent == 0) {
        dims[d].push_back(digit);
        left /= digit.extent;
        ++next;
      } else if (digit.extent % left == 0) {
        dims[d].push_back({left, digit.place, digit.stride});
        digit.stride *= left;
        digit.extent /= left;
        left = 1;
      } else {
        return std::nullopt;
      }
    }
  }
  return Layout(dims);
}

/// The coarsest shape that refines both, row-major.
static std::optional<SmallVector<int64_t>> refine(ArrayRef<int64_t> a,
                                                  ArrayRef<int64_t> b) {
  SmallVector<int64_t> shape; // innermost first
  size_t i = a.size(), j = b.size();
  int64_t x = 1, y = 1;
  while (true) {
    while (x == 1 && i > 0)
      x = a[--i];
    while (y == 1 && j > 0)
      y = b[--j];
    if (x == 1 && y == 1)
      break;
    int64_t step = std::min(x, y);
    if (step == 1 || x % step || y % step)
      return std::nullopt;
    shape.push_back(step);
    x /= step;
    y /= step;
  }
  std::reverse(shape.begin(), shape.end());
  return shape;
}

/// Indices into a buffer of `shape`, of a point of a finer one.
static SmallVector<Value> indexFrom(OpBuilder &b, Location loc,
                                    ArrayRef<int64_t> shape,
                                    ArrayRef<int64_t> fine, ValueRange point) {
  auto constant = [&](int64_t v) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(v));
  };
  SmallVector<Value> index(shape.size());
  size_t f = fine.size();
  for (size_t d = shape.size(); d-- > 0;) {
    Value sum;
    for (int64_t scale = 1; scale < shape[d];) {
      Value term = point[--f];
      if (scale > 1)
        term = arith::MulIOp::create(b, loc, term, constant(scale));
      sum = sum ? arith::AddIOp::create(b, loc, sum, term).getResult() : term;
      scale *= fine[f];
    }
    index[d] = sum ? sum : constant(0);
  }
  return index;
}

namespace {
/// One alias, replaced by `twin`, which is kept equal to `original`.
class Twin {
public:
  Twin(AliasOp alias) : alias(alias), original(alias.getSource()) {}
  void expand();

private:
  void copyBefore(Operation *op) { copy(OpBuilder(op), original, twin); }
  void copyAfter(Operation *op) {
    OpBuilder b(op);
    b.setInsertionPointAfter(op);
    copy(b, twin, original);
  }
  void copy(OpBuilder b, Value from, Value to);

  AliasOp alias;
  Value original, twin;
};
} // namespace

void Twin::copy(OpBuilder b, Value from, Value to) {
  Location loc = alias.getLoc();
  auto source = cast<MemRefType>(from.getType());
  auto target = cast<MemRefType>(to.getType());
  auto fine = refine(source.getShape(), target.getShape());
  if (source.getElementType() != target.getElementType() || !fine) {
    auto type = getBufferType(source.getShape(), source.getElementType(),
                              Space::Shared);
    auto kernel = alias->getParentOfType<KernelOp>();
    OpBuilder atStart = OpBuilder::atBlockBegin(&kernel.getBody().front());
    Value shared = AllocOp::create(
        atStart, loc, type, b.getStringAttr(getBufferName(original) + ".view"),
        LayoutAttr(), IntegerAttr());
    CopyOp::create(b, loc, from, shared, LayoutAttr());
    Value view =
        AliasOp::create(b, loc,
                        getBufferType(target.getShape(),
                                      target.getElementType(), Space::Shared),
                        shared);
    CopyOp::create(b, loc, view, to, LayoutAttr());
    return;
  }
  auto loop = ParallelOp::create(b, loc, *fine);
  loop->setAttr(kReshapeAttr, b.getUnitAttr());
  b.setInsertionPointToStart(&loop.getBody().front());
  ValueRange point = loop.getBody().getArguments();
  Value v = LoadOp::create(b, loc, source.getElementType(), from,
                           indexFrom(b, loc, source.getShape(), *fine, point));
  StoreOp::create(b, loc, v, to,
                  indexFrom(b, loc, target.getShape(), *fine, point));
}

void Twin::expand() {
  auto type = cast<MemRefType>(alias.getType());
  // Beside the original, so that it lives where that does.
  OpBuilder b(original.getDefiningOp());
  b.setInsertionPointAfter(original.getDefiningOp());
  twin = AllocOp::create(
      b, alias.getLoc(),
      getBufferType(type.getShape(), type.getElementType(), Space::Fragment),
      b.getStringAttr(getBufferName(original)), LayoutAttr(), IntegerAttr());
  // An element access in a parallel is part of the parallel.
  llvm::SetVector<Operation *> users;
  bool shared = false;
  for (const BufferUse &use : getAllUses(original)) {
    // Views of the alias are uses of the alias.
    Value v = use.buffer;
    while (auto view = v.getDefiningOp<ViewOp>())
      v = view.getSource();
    if (v != alias.getResult())
      continue;
    Operation *op = use.op;
    if (auto parallel = op->getParentOfType<ParallelOp>())
      op = parallel;
    users.insert(op);
    shared = true;
  }
  alias.getResult().replaceAllUsesWith(twin);
  if (!shared)
    return;
  for (Operation *op : users) {
    bool writes = false, overwrites = false;
    op->walk([&](Operation *inner) {
      for (const BufferUse &use : getUses(inner))
        if (getBase(use.buffer) == twin) {
          writes |= use.write;
          overwrites |= inner == op && overwritesBase(use);
        }
    });
    if (!overwrites)
      copyBefore(op);
    if (writes)
      copyAfter(op);
  }
}

void tile::expandFragmentAliases(KernelOp kernel) {
  SmallVector<AliasOp> aliases;
  kernel.walk([&](AliasOp alias) {
    if (getSpace(alias.getResult()) != Space::Fragment)
      return;
    // An alias of an alias is one of what that is an alias of.
    while (auto inner = alias.getSource().getDefiningOp<AliasOp>())
      alias.getSourceMutable().assign(inner.getSource());
    if (alias.getSource().getDefiningOp<AllocOp>())
      aliases.push_back(alias);
  });
  for (AliasOp alias : aliases) {
    Twin(alias).expand();
    alias.erase();
  }
}
