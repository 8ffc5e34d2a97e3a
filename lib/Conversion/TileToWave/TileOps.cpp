//===- TileOps.cpp - Copies, fills and loops over points -*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"
#include "tlc/Dialect/Tile/Transforms/StoreExchange.h"
#include <numeric>

using namespace mlir;
using namespace tlc;

static bool inRegisters(mlir::Value buffer) {
  tile::Space space = tile::getSpace(buffer);
  return space == tile::Space::Fragment || space == tile::Space::Local;
}

FailureOr<SmallVector<int64_t>>
KernelLowering::slotsOf(Operation *op, const tile::Access &access,
                        const Layout &loop) {
  auto alloc = access.buffer.getDefiningOp<tile::AllocOp>();
  std::optional<Layout> known = tile::getFragmentLayout(access.buffer);
  if (!alloc && !known)
    return op->emitError(
        "a fragment under another shape is not supported here");
  Layout layout = known ? *known
                  : alloc.getLayout()
                      ? alloc.getLayout()->getLayout()
                      : Layout::replicated(
                            mlir::cast<MemRefType>(alloc.getType()).getShape());
  auto slots = tile::getSlots(loop, access, layout, threads);
  if (failed(slots))
    return op->emitError("threads do not hold the elements of '")
           << tile::getBufferName(access.buffer)
           << "' that they need: run tile-infer-layouts first";
  return slots;
}

static FailureOr<Layout> loopLayout(Operation *op) {
  auto layout = op->getAttrOfType<tile::LayoutAttr>("layout");
  if (layout)
    return layout.getLayout();
  return op->emitError("has no layout: run tile-infer-layouts first");
}

LogicalResult KernelLowering::lowerCopy(tile::CopyOp op) {
  Location loc = op.getLoc();
  FailureOr<Layout> loop = loopLayout(op);
  if (failed(loop))
    return failure();
  PointMap points = getPointMap(*loop, tile::getPoints(op));
  std::vector<tile::Access> accesses = tile::getPointAccesses(op);
  const tile::Access &src = accesses[0], &dst = accesses[1];
  Type from = mlir::cast<MemRefType>(src.buffer.getType()).getElementType();
  Type to = mlir::cast<MemRefType>(dst.buffer.getType()).getElementType();
  int64_t n = points.registers;
  SmallVector<Value> values(n);
  if (inRegisters(src.buffer)) {
    auto slots = slotsOf(op, src, *loop);
    if (failed(slots))
      return failure();
    Registers &registers = registersOf(src.buffer);
    for (int64_t r = 0; r < n; ++r)
      values[r] = (*slots)[r] < 0 ? zero(from, loc)
                                  : registers.get(b, loc, (*slots)[r]);
  } else {
    auto access = plan(src, points, loc, /*store=*/false);
    if (failed(access))
      return failure();
    values = load(*access, n, from, loc);
  }
  if (from != to)
    for (Value &v : values)
      v = cast(v, to, loc);
  if (inRegisters(dst.buffer)) {
    auto slots = slotsOf(op, dst, *loop);
    if (failed(slots))
      return failure();
    Registers &registers = registersOf(dst.buffer);
    for (int64_t r = 0; r < n; ++r)
      if ((*slots)[r] >= 0)
        registers.set(b, loc, (*slots)[r], values[r]);
    // A load ahead must not sink to its use in the next step.
    if (op->hasAttr(tile::kPrefetchAttr) &&
        !(op->getNextNode() && op->getNextNode()->hasAttr(tile::kPrefetchAttr)))
      wave::SchedBarrierOp::create(b, loc, int64_t(0));
    return success();
  }
  if (op.getThrough())
    return storeThrough(op, dst, *loop, values);
  auto access = plan(dst, points, loc, /*store=*/true);
  if (failed(access))
    return failure();
  if (access->lds)
    guarded(isOwner(points), loc, [&] { store(*access, values, loc); });
  else
    store(*access, values, loc);
  return success();
}

/// A copy whose lanes exchange what they write, chunk by chunk.
LogicalResult KernelLowering::storeThrough(tile::CopyOp op,
                                           const tile::Access &dst,
                                           const Layout &loop,
                                           ArrayRef<Value> values) {
  Location loc = op.getLoc();
  int64_t bytes = tlc::elementBytes(dst.buffer);
  auto shape = mlir::cast<MemRefType>(op.getThrough().getType()).getShape();
  int64_t vector = 16 / bytes;
  auto exchange = tile::planExchange(loop, bytes, shape.back() - vector);
  if (!exchange || exchange->rows != shape[1])
    return op.emitError("its layout allows no exchange through this buffer");
  const tile::StoreExchange &e = *exchange;
  PointMap points = getPointMap(e.layout, tile::getPoints(op));
  auto access = plan(dst, points, loc, /*store=*/true);
  if (failed(access))
    return failure();

  auto scaled = [&](Value v, int64_t factor) -> Value {
    return factor == 1
               ? v
               : arith::MulIOp::create(b, loc, v, constant(loc, factor));
  };
  // Where a lane's part begins, in bytes.
  auto placeOf = [&](ArrayRef<tile::StoreExchange::LaneDigit> digits) {
    Value place =
        scaled(arith::DivUIOp::create(b, loc, threadId(), constant(loc, 64)),
               e.elementsOfWave() * bytes);
    for (auto [extent, stride, step] : digits) {
      Value v = threadId();
      if (stride > 1)
        v = arith::DivUIOp::create(b, loc, v, constant(loc, stride));
      v = arith::RemUIOp::create(b, loc, v, constant(loc, extent));
      place = arith::AddIOp::create(b, loc, place, scaled(v, step * bytes));
    }
    return place;
  };
  Value writer = placeOf(e.writer), reader = placeOf(e.reader);
  int64_t start = ldsOffsetOf(op.getThrough());
  int64_t alignment = 16;
  for (auto [extent, stride, step] : e.writer)
    alignment = std::gcd(alignment, step * bytes);
  Type element = values.front().getType();
  std::vector<Value> traded(e.layout.numRegisters());
  auto memory = b.getNamedAttr(
      wave::kLdsAttr,
      b.getDenseI64ArrayAttr(
          {start, start + threads / 64 * e.elementsOfWave() * bytes}));
  SmallVector<bool> done(access->groups.size());
  for (auto [from, to] : e.chunks) {
    wave::FenceOp::create(b, loc);
    for (size_t i = 0; i < e.written.size();) {
      auto [reg, place] = e.written[i];
      size_t n = 1;
      while (i + n < e.written.size() &&
             e.written[i + n].second == place + int64_t(n) &&
             int64_t(n + 1) * bytes <= alignment)
        ++n;
      n = llvm::bit_floor(n);
      while (n > 1 && (start + place * bytes) % int64_t(n * bytes))
        n /= 2;
      SmallVector<Value> parts;
      for (size_t k = 0; k < n; ++k)
        parts.push_back(values[from + e.written[i + k].first]);
      Value v = parts.front();
      if (n > 1)
        v = vector::FromElementsOp::create(
            b, loc, VectorType::get(int64_t(n), element), parts);
      wave::LdsStoreOp::create(b, loc, v, writer, start + place * bytes)
          ->setDiscardableAttrs({memory});
      i += n;
    }
    wave::FenceOp::create(b, loc);
    for (auto [reg, place] : e.read) {
      auto type = VectorType::get(vector, element);
      auto load =
          wave::LdsLoadOp::create(b, loc, type, reader, start + place * bytes);
      load->setDiscardableAttrs({memory});
      for (int64_t k = 0; k < vector; ++k)
        traded[to + reg + k] = vector::ExtractOp::create(b, loc, load, k);
    }
    // What the chunks so far complete.
    AccessPlan part = *access;
    part.groups.clear();
    for (auto [i, group] : llvm::enumerate(access->groups))
      if (!done[i] && llvm::all_of(group.registers, [&](int64_t r) {
            return bool(traded[r]);
          })) {
        done[i] = true;
        part.groups.push_back(group);
      }
    store(part, traded, loc);
  }
  return success();
}

LogicalResult KernelLowering::lowerFill(tile::FillOp op) {
  Location loc = op.getLoc();
  Value value = lookup(op.getValue());
  if (op.getDst().getDefiningOp<tile::AllocOp>() && inRegisters(op.getDst())) {
    Registers &registers = registersOf(op.getDst());
    Value chunk = value;
    if (registers.chunkSize() > 1)
      chunk =
          vector::BroadcastOp::create(b, loc, registers.getChunkType(), value);
    for (int64_t c = 0; c < registers.numChunks(); ++c)
      registers.setChunk(c, chunk);
    return success();
  }
  FailureOr<Layout> loop = loopLayout(op);
  if (failed(loop))
    return failure();
  PointMap points = getPointMap(*loop, tile::getPoints(op));
  tile::Access dst = std::move(tile::getPointAccesses(op).front());
  if (inRegisters(dst.buffer)) {
    auto slots = slotsOf(op, dst, *loop);
    if (failed(slots))
      return failure();
    for (int64_t slot : *slots)
      if (slot >= 0)
        registersOf(dst.buffer).set(b, loc, slot, value);
    return success();
  }
  auto access = plan(dst, points, loc, /*store=*/true);
  if (failed(access))
    return failure();
  SmallVector<Value> values(points.registers, value);
  if (access->lds)
    guarded(isOwner(points), loc, [&] { store(*access, values, loc); });
  else
    store(*access, values, loc);
  return success();
}

/// Whether two buffers, or views of them, are the same memory.
static bool sameStorage(Value a, Value b) {
  auto storage = [](Value v) -> Value {
    v = tile::getBase(v);
    auto tensor = v.getDefiningOp<tile::TensorOp>();
    return tensor ? tensor.getSource() : v;
  };
  return storage(a) == storage(b);
}

LogicalResult KernelLowering::lowerParallel(tile::ParallelOp op) {
  Location loc = op.getLoc();
  FailureOr<Layout> loop = loopLayout(op);
  if (failed(loop))
    return failure();
  PointMap points = getPointMap(*loop, op.getExtents());
  std::vector<tile::Access> accesses = tile::getPointAccesses(op);
  PointContext context;
  context.points = &points;
  context.owner = isOwner(points);

  // A thread that holds a copy of a point, or a point beyond the extents, does
  // not write it, but reads it; not after the thread that writes.
  auto isContended = [&](const tile::Access &access) {
    if (inRegisters(access.buffer))
      return false;
    bool read = false, written = false;
    for (const tile::Access &other : accesses)
      if (sameStorage(other.buffer, access.buffer) &&
          !(other.reads && other.writes))
        (other.reads ? read : written) = true;
    return read && written;
  };
  bool copies = bool(context.owner);
  for (unsigned d = 0; d < points.extents.size(); ++d)
    copies |= points.isPadded(d);
  bool contended = copies && llvm::any_of(accesses, isContended);
  auto isEarly = [&](size_t i) {
    const tile::Access &access = accesses[i];
    bool known = !access.conditional && access.op->getParentOp() == op;
    for (const tile::PointIndex &index : access.indices)
      known &= index.known;
    for (const tile::Access &other : ArrayRef(accesses).take_front(i))
      known &= other.buffer != access.buffer || !other.writes;
    return known;
  };
  bool phases = contended && op->hasAttr(tile::kUniformFlowAttr);
  bool global = false;
  for (auto [i, access] : llvm::enumerate(accesses))
    if (contended && access.reads && !access.writes && isContended(access)) {
      phases &= isEarly(i);
      global |= tile::getSpace(access.buffer) == tile::Space::Global;
    }
  // Where no barrier can separate them, only the thread that writes reads.
  if (contended && !phases) {
    bool intoCopies = false;
    for (const tile::Access &access : accesses)
      intoCopies |= access.writes && inRegisters(access.buffer);
    if (context.owner && intoCopies)
      return op.emitError(
          "threads that hold copies of this loop's points would "
          "read what another thread writes: read the tile and "
          "write it in two loops");
    context.ownersRead = true;
  }

  // Memory accesses that every point makes go through vector instructions:
  // loads before the body unless it stores to the buffer first, stores after
  // it unless something follows them. Iterations are independent.
  std::vector<std::pair<Operation *, AccessPlan>> after;
  for (auto [i, access] : llvm::enumerate(accesses)) {
    if (inRegisters(access.buffer)) {
      bool local = tile::getSpace(access.buffer) == tile::Space::Local;
      if (local)
        continue;
      auto slots = slotsOf(access.op, access, *loop);
      if (failed(slots))
        return failure();
      context.slots[access.op] = *slots;
      continue;
    }
    bool known = !access.conditional && !(access.reads && access.writes);
    for (const tile::PointIndex &index : access.indices)
      known &= index.known;
    if (!known || access.op->getParentOp() != op)
      continue;
    bool clear = !(context.ownersRead && access.reads && isContended(access));
    for (auto [j, other] : llvm::enumerate(accesses))
      if (other.buffer == access.buffer &&
          (access.reads ? j < i && other.writes : j > i))
        clear = false;
    if (!clear)
      continue;
    // Uniform parts must exist before the loop.
    if (access.reads) {
      auto planned = plan(access, points, loc, false);
      if (failed(planned))
        return failure();
      context.loaded[access.op] =
          load(*planned, points.registers,
               mlir::cast<MemRefType>(access.buffer.getType()).getElementType(),
               access.op->getLoc());
    } else {
      auto planned = plan(access, points, loc, true);
      if (failed(planned))
        return failure();
      context.deferred[access.op].resize(points.registers);
      after.emplace_back(access.op, std::move(*planned));
    }
  }

  if (phases) {
    auto barrier = wave::BarrierOp::create(b, loc);
    if (global)
      barrier->setAttr("wave.global", b.getUnitAttr());
  }

  PointContext *outer = point;
  point = &context;
  Block &body = op.getBody().front();
  for (int64_t r = 0; r < points.registers; ++r) {
    bool exists = true;
    for (unsigned d = 0; d < points.extents.size(); ++d)
      exists &= points.registerPart[d][r] < points.extents[d];
    if (!exists) {
      for (auto &[store, values] : context.deferred) {
        auto type = cast<tile::StoreOp>(store).getValue().getType();
        values[r] = zero(type, loc);
      }
      continue;
    }
    context.reg = r;
    context.valid = nullptr;
    for (unsigned d = 0; d < points.extents.size(); ++d) {
      Value v = pointValue(points, d, r, loc);
      map.map(body.getArgument(d), v);
      bool needed = false;
      for (int64_t t = 0; t < threads && points.isPadded(d); ++t)
        needed |= points.at(d, t, r) >= points.extents[d];
      if (needed)
        context.valid =
            andAlso(loc, context.valid,
                    arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, v,
                                          constant(loc, points.extents[d])));
    }
    if (failed(lowerBlock(body)))
      return failure();
  }
  point = outer;
  for (auto &[storeOp, planned] : after) {
    auto emit = [&] {
      store(planned, context.deferred[storeOp], storeOp->getLoc());
    };
    if (planned.lds)
      guarded(context.owner, loc, emit);
    else
      emit();
  }
  return success();
}
