//===- PaddedCopies.cpp - Copies from tensors with a safe value -*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads through a buffer resource give 0 outside of it. A tensor that gives
// another value there (T.annotate_safe_value) is read element by element, each
// with its own check:
//
//   tile.copy %A[%i, %j] to %s              // %A has pad = -1.0
// becomes
//   tile.parallel (%x, %y) = [64, 32] {
//     store (load %A[%i + %x, %j + %y]), %t[%x, %y]      // a fragment
//   }
//   tile.copy %t to %s
//
//===----------------------------------------------------------------------===//

#include "PaddedCopies.h"
#include "tlc/Dialect/Tile/Transforms/TileAccess.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

static void expand(CopyOp copy) {
  Location loc = copy.getLoc();
  OpBuilder b(copy);
  tile::Region source = getRegion(copy.getSrc());
  Type element = cast<MemRefType>(source.base.getType()).getElementType();
  SmallVector<int64_t> points = getPoints(copy);
  if (points.empty())
    points.push_back(1);
  auto staged = AllocOp::create(
      b, loc, getBufferType(points, element, Space::Fragment),
      b.getStringAttr(getBufferName(source.base)), LayoutAttr(), IntegerAttr());
  auto loop = ParallelOp::create(b, loc, points);
  copy.emitRemark("reads element by element, each with a check: '")
      << getBufferName(source.base) << "' has a value of its own outside";
  b.setInsertionPointToStart(&loop.getBody().front());
  ValueRange point = loop.getBody().getArguments();
  SmallVector<Value> index;
  unsigned next = 0;
  for (auto [d, extent] : llvm::enumerate(source.shape)) {
    Value offset = source.offsets.empty() ? Value() : source.offsets[d];
    Value v = extent == 1 ? Value() : Value(point[next++]);
    if (offset && v) {
      if (offset.getType() != v.getType())
        v = arith::ExtSIOp::create(b, loc, offset.getType(), v);
      v = arith::AddIOp::create(b, loc, offset, v);
    }
    if (!v)
      v = offset ? offset
                 : arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0))
                       .getResult();
    index.push_back(v);
  }
  Value v = LoadOp::create(b, loc, element, source.base, index);
  StoreOp::create(b, loc, v, staged, point);
  copy.getSrcMutable().assign(staged);
}

void tile::expandPaddedCopies(KernelOp kernel) {
  SmallVector<CopyOp> copies;
  kernel.walk([&](CopyOp copy) {
    auto tensor = getRegion(copy.getSrc()).base.getDefiningOp<TensorOp>();
    if (tensor && tensor.getPad())
      copies.push_back(copy);
  });
  for (CopyOp copy : copies)
    expand(copy);
}
