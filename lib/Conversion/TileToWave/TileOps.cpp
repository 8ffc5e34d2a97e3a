//===- TileOps.cpp - Copies, fills and loops over points --------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops over points. The loop's layout says which points a thread has, a register
// each; everything is expanded over those registers, while the thread's share
// of an index is computed once:
//
//   tile.copy %A to %f {layout = #tile.layout<[4:r1, 64:t1]>}
//     -> %v = wave.buffer_load %r[16 * %t] : vector<4xf32>
//
// Memory that every point reads or writes is moved by vectors before and after
// the expanded bodies; accesses under a condition, or by indices that are no
// affine forms, are made one by one (Scalars.cpp).
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"
#include "tlc/Dialect/Tile/Transforms/StoreExchange.h"
#include <numeric>

using namespace mlir;
using namespace tlc;

/// Fragments, and private arrays of a thread.
static bool inRegisters(mlir::Value buffer) {
  tile::Space space = tile::getSpace(buffer);
  return space == tile::Space::Fragment || space == tile::Space::Local;
}

/// The register of the buffer that each register of the loop touches, -1 for
/// none. A private array without a layout is held whole by each thread.
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
  // Fails if a thread would need an element that another thread holds.
  auto slots = tile::getSlots(loop, access, layout, threads);
  if (failed(slots))
    return op->emitError("threads do not hold the elements of '")
           << tile::getBufferName(access.buffer)
           << "' that they need: run tile-infer-layouts first";
  return slots;
}

/// The element that all points read and that not each thread has: of the lane
/// that has it. Null if threads have their own.
Value KernelLowering::broadcast(const tile::Access &access,
                                const Layout &loop) {
  std::optional<Layout> layout = tile::getFragmentLayout(access.buffer);
  if (!layout || succeeded(tile::getSlots(loop, access, *layout, threads)))
    return {};
  auto from = tile::getBroadcast(access, *layout, threads);
  if (!from)
    return {};
  Location loc = access.op->getLoc();
  Value value = registersOf(access.buffer).get(b, loc, from->first);
  return wave::ShuffleOp::create(b, loc, value.getType(), value,
                                 constant(loc, from->second));
}

/// The layout that tile-infer-layouts gave an op over points.
static FailureOr<Layout> loopLayout(Operation *op) {
  auto layout = op->getAttrOfType<tile::LayoutAttr>("layout");
  if (layout)
    return layout.getLayout();
  return op->emitError("has no layout: run tile-infer-layouts first");
}

/// Source to values, conversion, values to destination; each side is registers
/// or memory.
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
    // Memory: the widest accesses that cover all registers.
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
  // Replicas write LDS once; stores to global memory have that in their
  // addresses already.
  if (access->lds)
    guarded(isOwner(points), loc, [&] { store(*access, values, loc); });
  else
    store(*access, values, loc);
  return success();
}

/// A copy whose lanes exchange what they write, chunk by chunk: the elements of
/// a chunk go to the wavefront's part of LDS and come back row by row, and what
/// the destination's accesses have complete is stored. Fences keep the order
/// within the wavefront, whose LDS accesses are served in order: no barrier.
LogicalResult KernelLowering::storeThrough(tile::CopyOp op,
                                           const tile::Access &dst,
                                           const Layout &loop,
                                           ArrayRef<Value> values) {
  Location loc = op.getLoc();
  int64_t bytes = tlc::elementBytes(dst.buffer);
  auto shape = mlir::cast<MemRefType>(op.getThrough().getType()).getShape();
  int64_t vector = 16 / bytes;
  auto exchange = tile::planExchange(loop, bytes,
                                     tile::columnsOfPitch(shape.back(), bytes));
  // The buffer holds several chunks at once, to hide the latency of LDS.
  int64_t batch = exchange ? shape[1] / exchange->rows : 0;
  if (!batch || shape[1] % exchange->rows)
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
  using Exchange = tile::StoreExchange;
  const int64_t rowBytes = e.pitch * bytes;
  auto xored = [&](Value v, Value with) -> Value {
    return arith::XOrIOp::create(b, loc, v, with);
  };
  // Bits of the row that `place` is in, moved from `bit` to `to`.
  auto rowBits = [&](Value place, int64_t mask, int64_t bit, int64_t to) {
    Value v =
        arith::DivUIOp::create(b, loc, place, constant(loc, rowBytes * bit));
    v = arith::AndIOp::create(b, loc, v, constant(loc, mask));
    return scaled(v, to);
  };
  // Where a lane's part begins, in bytes: its digits with their steps, with the
  // swizzle of its row.
  auto placeOf = [&](ArrayRef<Exchange::LaneDigit> digits, bool halves) {
    Value place = constant(loc, 0);
    for (auto [extent, stride, step] : digits) {
      Value v = threadId();
      if (stride > 1)
        v = arith::DivUIOp::create(b, loc, v, constant(loc, stride));
      v = arith::RemUIOp::create(b, loc, v, constant(loc, extent));
      place = arith::AddIOp::create(b, loc, place, scaled(v, step * bytes));
    }
    if (!e.swizzled)
      return place;
    Value swizzle =
        rowBits(place, Exchange::kPieceMask, 1, 1 << Exchange::kPieceShift);
    if (halves)
      swizzle = arith::AddIOp::create(
          b, loc, swizzle,
          rowBits(place, 1, Exchange::kSwapBit, Exchange::kHalfBytes));
    return xored(place, swizzle);
  };
  Value part =
      scaled(arith::DivUIOp::create(b, loc, threadId(), constant(loc, 64)),
             batch * e.elementsOfWave() * bytes);
  Value writer = placeOf(e.writer, e.halves), reader = placeOf(e.reader, false);
  // The address of a lane's access and what is constant in it, for a register
  // with a place and an XOR of its own. Only the bits that a swizzle reaches
  // cannot be added.
  constexpr int64_t kReach =
      Exchange::kPieceMask << Exchange::kPieceShift | Exchange::kHalfBytes;
  auto addressOf = [&](Value lane, int64_t place, int64_t with) {
    int64_t low = e.swizzled ? place & kReach : 0;
    if (low ^ with)
      lane = xored(lane, constant(loc, low ^ with));
    Value address = arith::AddIOp::create(b, loc, lane, part);
    return std::make_pair(address, place - low);
  };
  int64_t start = ldsOffsetOf(op.getThrough());
  // A write is as wide as every lane's place is aligned to.
  int64_t alignment = 16;
  for (auto [extent, stride, step] : e.writer)
    alignment = std::gcd(alignment, step * bytes);
  Type element = values.front().getType();
  // Registers after the exchange, filled chunk by chunk.
  std::vector<Value> traded(e.layout.numRegisters());
  // The range of LDS that this exchange uses, for passes that must know what
  // may overlap.
  auto memory = b.getNamedAttr(
      wave::kLdsAttr,
      b.getDenseI64ArrayAttr(
          {start, start + threads / 64 * batch * e.elementsOfWave() * bytes}));
  // Groups of the destination that have been stored.
  SmallVector<bool> done(access->groups.size());
  const int64_t chunkBytes = e.elementsOfWave() * bytes;
  auto writeChunk = [&](int64_t from, int64_t start) {
    for (size_t i = 0; i < e.written.size();) {
      auto [reg, place] = e.written[i];
      // A power of two of elements that lie side by side.
      size_t n = 1;
      while (i + n < e.written.size() &&
             e.written[i + n].second == place + int64_t(n) &&
             int64_t(n + 1) * bytes <= alignment)
        ++n;
      // Widths that instructions have; offsets must be aligned to them.
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
      auto [address, offset] = addressOf(writer, place * bytes, 0);
      wave::LdsStoreOp::create(b, loc, v, address, start + offset)
          ->setDiscardableAttrs({memory});
      i += n;
    }
  };
  auto readChunk = [&](int64_t to, int64_t start) {
    // 16 bytes a lane, as the other lanes of its row wrote them.
    for (auto [reg, place] : e.read) {
      auto type = VectorType::get(vector, element);
      int64_t row = place / e.pitch;
      auto [address, offset] =
          addressOf(reader, place * bytes, e.pieceXor(row));
      auto load =
          wave::LdsLoadOp::create(b, loc, type, address, start + offset);
      load->setDiscardableAttrs({memory});
      int64_t swap = e.swapsHalves(row) ? vector / 2 : 0;
      for (int64_t k = 0; k < vector; ++k)
        traded[to + reg + (k ^ swap)] =
            vector::ExtractOp::create(b, loc, load, k);
    }
  };
  ArrayRef<std::pair<int64_t, int64_t>> chunks(e.chunks);
  for (; !chunks.empty(); chunks = chunks.drop_front(batch)) {
    if (int64_t(chunks.size()) < batch)
      batch = chunks.size();
    wave::FenceOp::create(b, loc);
    for (auto [number, chunk] : llvm::enumerate(chunks.take_front(batch)))
      writeChunk(chunk.first, start + number * chunkBytes);
    wave::FenceOp::create(b, loc);
    for (auto [number, chunk] : llvm::enumerate(chunks.take_front(batch)))
      readChunk(chunk.second, start + number * chunkBytes);
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

/// A whole fragment is filled chunk by chunk, without regard to its layout.
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

/// Expands the body once for each register of the layout. Order among points is
/// free (tile.parallel says so), order among accesses of one point is kept:
/// hoisting a load above or sinking a store below is done only where no other
/// access to the buffer stands between.
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
    // Fragments: slots by the layouts; private arrays stay with the scalar
    // code.
    if (inRegisters(access.buffer)) {
      bool local = tile::getSpace(access.buffer) == tile::Space::Local;
      if (local)
        continue;
      if (Value value = broadcast(access, *loop)) {
        context.loaded[access.op].assign(points.registers, value);
        continue;
      }
      auto slots = slotsOf(access.op, access, *loop);
      if (failed(slots))
        return failure();
      context.slots[access.op] = *slots;
      continue;
    }
    // An access under a condition is not made by every point, an index of
    // unknown form has no plan.
    bool known = !access.conditional && !(access.reads && access.writes);
    for (const tile::PointIndex &index : access.indices)
      known &= index.known;
    if (!known || access.op->getParentOp() != op)
      continue;
    // A load needs that no earlier access of the point stores to the buffer, a
    // store that none follows.
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
      barrier->setAttr(wave::kSyncGlobalAttr, b.getUnitAttr());
  }

  // Now the bodies, register by register.
  PointContext *outer = point;
  point = &context;
  Block &body = op.getBody().front();
  for (int64_t r = 0; r < points.registers; ++r) {
    bool exists = true;
    for (unsigned d = 0; d < points.extents.size(); ++d)
      exists &= points.registerPart[d][r] < points.extents[d];
    // No thread has a point here; stores need some value all the same.
    if (!exists) {
      for (auto &[store, values] : context.deferred) {
        auto type = cast<tile::StoreOp>(store).getValue().getType();
        values[r] = zero(type, loc);
      }
      continue;
    }
    context.reg = r;
    // The point's coordinates, and whether this thread has a point in the
    // register at all.
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
  // The stores held back, now that there is a value for every register.
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
