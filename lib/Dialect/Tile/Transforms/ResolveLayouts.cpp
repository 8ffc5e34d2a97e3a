//===- ResolveLayouts.cpp - Layouts of loops, and conversions -------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The second half of tile-infer-layouts; see InferLayouts.cpp.
//
//===----------------------------------------------------------------------===//

#include "BufferUse.h"
#include "LayoutInference.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

/// A buffer of the same shape and type in another space, at the kernel's
/// beginning; reports name it `<source>.converted`.
AllocOp LayoutInference::createLike(Value buffer, Space space) {
  auto type = cast<MemRefType>(buffer.getType());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&kernel.getBody().front());
  StringAttr name;
  if (StringRef source = getBufferName(buffer); !source.empty())
    name = builder.getStringAttr(source + ".converted");
  return AllocOp::create(
      builder, buffer.getLoc(),
      getBufferType(type.getShape(), type.getElementType(), space), name,
      LayoutAttr(), IntegerAttr());
}

/// Tells the user that a fragment changes threads through memory, and how many
/// bytes that moves.
void LayoutInference::remarkConversion(Operation *op, Value buffer,
                                       StringRef through, StringRef why) {
  auto type = cast<MemRefType>(buffer.getType());
  // Once is a remark; in a loop it is paid again and again.
  bool inLoop =
      op->getParentOfType<scf::ForOp>() || op->getParentOfType<scf::WhileOp>();
  InFlightDiagnostic diag =
      inLoop ? op->emitWarning("fragment '") : op->emitRemark("fragment '");
  diag << getBufferName(buffer) << "' goes through " << through << " here ("
       << type.getNumElements() * type.getElementTypeBitWidth() / 8
       << " bytes written and read): " << why;
}

//===----------------------------------------------------------------------===//
// Normal form: reductions and gemms work on whole fragments
//===----------------------------------------------------------------------===//

static bool isWholeFragment(Value v) {
  return v.getDefiningOp<AllocOp>() && getSpace(v) == Space::Fragment;
}

/// The same of what an op only reads, which may be seen under another shape.
static bool isWholeSource(Value v) {
  return isWholeFragment(v) ||
         (v.getDefiningOp<AliasOp>() && getSpace(v) == Space::Fragment);
}

/// Copies parts of fragments that a gemm or reduction works on to whole ones
/// and back, since these ops fix a layout of the whole. Transposes become
/// loops; operands A and B that are parts go through LDS.
LogicalResult LayoutInference::normalize() {
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) {
    if (isa<TransposeOp, ReduceOp, GemmOp, ScanOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (auto transpose = dyn_cast<TransposeOp>(op)) {
      if (failed(expandTranspose(transpose)))
        return failure();
      continue;
    }
    if (isa<ScanOp>(op))
      continue; // runs through shared memory: resolve()
    builder.setInsertionPoint(op);
    // Of a gemm its C (operand 2), of a reduction source and result.
    unsigned first = isa<GemmOp>(op) ? 2 : 0, last = isa<GemmOp>(op) ? 3 : 2;
    // A and B of a gemm.
    for (unsigned i = 0; i < 2; ++i)
      if (isa<GemmOp>(op) && getSpace(op->getOperand(i)) == Space::Fragment &&
          !isWholeFragment(op->getOperand(i))) {
        AllocOp temp = createLike(op->getOperand(i), Space::Shared);
        builder.setInsertionPoint(op);
        CopyOp::create(builder, op->getLoc(), op->getOperand(i), temp,
                       LayoutAttr());
        op->setOperand(i, temp);
      }
    for (unsigned i = first; i < last; ++i) {
      Value operand = op->getOperand(i);
      bool source = isa<ReduceOp>(op) && i == 0;
      if (source ? isWholeSource(operand) : isWholeFragment(operand))
        continue;
      AllocOp temp = createLike(operand, Space::Fragment);
      bool written = i == last - 1;
      auto reduce = dyn_cast<ReduceOp>(op);
      builder.setInsertionPoint(op);
      // A result that is only overwritten needs no old content.
      if (!written || !reduce || reduce.getAccumulate())
        CopyOp::create(builder, op->getLoc(), operand, temp, LayoutAttr());
      op->setOperand(i, temp);
      if (written) {
        builder.setInsertionPointAfter(op);
        CopyOp::create(builder, op->getLoc(), temp, operand, LayoutAttr());
      }
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void LayoutInference::setLoopLayout(Operation *op, const Layout &layout) {
  op->setAttr("layout", LayoutAttr::get(op->getContext(), layout));
}

/// Replaces `from` by `to` in the buffer operands of op and, for a parallel,
/// of the ops inside; views in operands are rebuilt.
// Types of views change with the space of what they view.
static void replaceBuffer(Operation *op, Value from, Value to) {
  auto replaceIn = [&](Operation *user) {
    for (OpOperand &operand : user->getOpOperands()) {
      if (operand.get() == from)
        operand.set(to);
      else if (auto view = operand.get().getDefiningOp<ViewOp>();
               view && view.getSource() == from) {
        OpBuilder b(user);
        auto type = cast<MemRefType>(view.getType());
        auto result = MemRefType::get(
            type.getShape(), type.getElementType(), type.getLayout(),
            cast<MemRefType>(to.getType()).getMemorySpace());
        operand.set(
            ViewOp::create(b, view.getLoc(), result, to, view.getOffsets()));
      }
    }
  };
  replaceIn(op);
  op->walk(replaceIn);
}

/// The LDS copy of a fragment that an op before `op` made, if nothing has
/// written the fragment since.
AllocOp LayoutInference::findConverted(Operation *op, Value buffer) {
  // Only a write between the copy and here makes the LDS copy stale.
  auto writes = [&](Operation *root) {
    return root
        ->walk([&](Operation *inner) {
          for (const BufferUse &use : getUses(inner))
            if (use.write && getBase(use.buffer) == getBase(buffer))
              return WalkResult::interrupt();
          return WalkResult::advance();
        })
        .wasInterrupted();
  };
  for (const Converted &c : llvm::reverse(converted)) {
    if (c.buffer != buffer)
      continue;
    Operation *here = c.copy->getBlock()->findAncestorOpInBlock(*op);
    if (!here || !c.copy->isBeforeInBlock(here))
      continue;
    // `here` may be a loop around `op`, whose later part runs before `op` in
    // the next trip: all of it counts.
    bool valid = here == op || !writes(here);
    for (Operation *between = c.copy->getNextNode(); valid && between != here;
         between = between->getNextNode())
      valid = !writes(between);
    if (valid)
      return c.temp;
  }
  return AllocOp();
}

/// Gives the loop its layout, and detours through LDS (or a fragment of another
/// layout) for each fragment that its threads do not hold as needed. The
/// detours are copies, resolved in turn; they touch one fragment and LDS, so
/// that the recursion ends there, in an error if even that has no layout.
LogicalResult LayoutInference::resolveLoop(Operation *op) {
  if (auto fill = dyn_cast<FillOp>(op))
    if (isWholeFragment(fill.getDst()))
      return success();
  SmallVector<int64_t> points = getPoints(op);
  std::optional<Layout> loop = layoutFromFragments(op);
  // Parts of fragments say as much, where nothing else does; but nothing about
  // other fragments, so that this is not propagated.
  if (isa<ParallelOp>(op))
    for (const Access &access : getPointAccesses(op))
      if (auto layout = layoutOf(access.buffer); layout && !loop)
        loop = layoutOfPart(access, *layout, points);
  // No fragment says how: the loop is laid out for its memory accesses.
  if (!loop)
    loop = freeLayout(op);
  setLoopLayout(op, *loop);

  // Fragments that the loop's threads do not hold where they need them.
  llvm::MapVector<Value, std::vector<Access>> bad;
  std::vector<Access> accesses = getPointAccesses(op);
  auto isWritten = [&](Value buffer) {
    return llvm::any_of(accesses, [&](const Access &other) {
      return other.writes && getBase(other.buffer) == getBase(buffer);
    });
  };
  for (const Access &access : accesses) {
    std::optional<Layout> layout = layoutOf(access.buffer);
    if (!layout || succeeded(getSlots(*loop, access, *layout, threads)))
      continue;
    // One element for all points, which each wavefront has in some lane.
    if (isWritten(access.buffer) || !getBroadcast(access, *layout, threads))
      bad[access.buffer];
  }
  // All accesses to a bad fragment go to the replacement, also those that would
  // have fitted.
  for (auto &[buffer, list] : bad)
    for (const Access &access : accesses)
      if (access.buffer == buffer)
        list.push_back(access);

  SmallVector<Operation *> added;
  for (auto &[buffer, list] : bad) {
    bool reads = false, writes = false, plain = true, partial = false;
    for (const Access &access : list) {
      reads |= access.reads;
      writes |= access.writes;
      plain &= access.isPlain();
      partial |= access.conditional || !access.isPlain();
      // Plain, but of part of the buffer only: the rest is to stay.
      auto shape = cast<MemRefType>(access.buffer.getType()).getShape();
      for (auto [index, extent] : llvm::zip(access.indices, shape))
        partial |=
            index.getDim() >= 0 ? points[index.getDim()] < extent : extent != 1;
    }
    // Where the loop itself says how it wants the fragment, one conversion
    // gives just that; otherwise it reads and writes LDS.
    AllocOp temp;
    auto copy = dyn_cast<CopyOp>(op);
    // Conversions are such copies themselves.
    if (copy && !op->hasAttr(kLoopLayoutAttr) && plain && !partial &&
        list.size() == accesses.size() - 1 &&
        (getSpace(copy.getSrc()) == Space::Shared ||
         getSpace(copy.getDst()) == Space::Shared))
      return op->emitError("no loop of the workgroup's threads reaches the "
                           "elements of fragment '")
             << getBufferName(buffer) << "' where they are";
    bool between = copy && getSpace(copy.getSrc()) == Space::Fragment &&
                   getSpace(copy.getDst()) == Space::Fragment;
    // A fragment laid out as the loop is: kept if it covers the buffer and
    // every access then finds its slots.
    if (plain && !between && isa<ParallelOp>(op)) {
      temp = createLike(buffer, Space::Fragment);
      SmallVector<Layout::Digits> dims;
      for (const PointIndex &index : list.front().indices)
        dims.emplace_back(index.getDim() < 0 ? ArrayRef<Digit>()
                                             : loop->dim(index.getDim()));
      setLayout(temp, Layout(dims).compactRegisters());
      for (const Access &access : list)
        plain &= succeeded(
            getSlots(*loop, access, temp.getLayout()->getLayout(), threads));
      for (auto [d, extent] :
           llvm::enumerate(cast<MemRefType>(buffer.getType()).getShape()))
        plain &= temp.getLayout()->getLayout().covered(d) >= extent;
      if (!plain) {
        temp.erase();
        temp = AllocOp();
      }
    }
    // What an earlier conversion left in LDS still holds.
    bool readOnly = !temp && !writes;
    if (readOnly)
      if (AllocOp known = findConverted(op, buffer)) {
        replaceBuffer(op, buffer, known);
        continue;
      }
    if (!temp)
      temp = createLike(buffer, Space::Shared);
    remarkConversion(op, buffer, "LDS",
                     "the loop's threads do not hold the elements they need");
    if (reads || partial) {
      builder.setInsertionPoint(op);
      auto load =
          CopyOp::create(builder, op->getLoc(), buffer, temp, LayoutAttr());
      added.push_back(load);
      if (readOnly)
        converted.push_back({buffer, temp, load});
    }
    replaceBuffer(op, buffer, temp);
    if (writes) {
      builder.setInsertionPointAfter(op);
      added.push_back(
          CopyOp::create(builder, op->getLoc(), temp, buffer, LayoutAttr()));
    }
  }
  if (!bad.empty()) {
    // Without the fragments the loop may be laid out better.
    added.push_back(op);
  }
  for (Operation *next : added)
    if (failed(resolveLoop(next)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions, scans, gemms
//===----------------------------------------------------------------------===//

/// Sets the result's fragment and, where a row crosses wavefronts, the scratch
/// buffer of one partial result a wavefront and row.
LogicalResult LayoutInference::resolveReduce(ReduceOp op) {
  Layout src = *layoutOf(op.getSrc());
  // A row whose lanes form no butterfly is reduced by a loop over LDS
  // instead.
  if (!isReducible(src, op.getDim()))
    return expandReduce(op);
  AllocOp dst = fragmentOf(op.getDst());
  Layout wanted = src.withoutDim(op.getDim());
  auto dstShape = cast<MemRefType>(dst.getType()).getShape();
  if (wanted.rank() < dstShape.size())
    wanted = wanted.withDim(dstShape.size() == 1 ? 0 : op.getDim(), {});
  // Threads holding the result must be the ones the layout of dst names.
  Access access;
  access.buffer = dst;
  for (unsigned d = 0; d < wanted.rank(); ++d) {
    PointIndex &index = access.indices.emplace_back();
    index.coeffs.assign(wanted.rank(), 0);
    if (dstShape[d] != 1)
      index.coeffs[d] = 1;
  }
  // Otherwise through a fragment that the threads do hold, and a copy.
  if (failed(getSlots(wanted, access, dst.getLayout()->getLayout(), threads))) {
    AllocOp temp = createLike(dst, Space::Fragment);
    setLayout(temp, wanted);
    if (op.getAccumulate()) {
      builder.setInsertionPoint(op);
      if (failed(resolveLoop(
              CopyOp::create(builder, op.getLoc(), dst, temp, LayoutAttr()))))
        return failure();
    }
    op.getDstMutable().set(temp);
    builder.setInsertionPointAfter(op);
    if (failed(resolveLoop(
            CopyOp::create(builder, op.getLoc(), temp, dst, LayoutAttr()))))
      return failure();
  }
  bool acrossWaves = llvm::any_of(src.dim(op.getDim()), [](const Digit &d) {
    return d.place == Place::Thread && d.stride * d.extent > 64;
  });
  if (acrossWaves && !op.getScratch()) {
    // The buffer is allocated with all others; tile-fit-lds lets it share
    // bytes.
    builder.setInsertionPointToStart(&kernel.getBody().front());
    // What wavefronts exchange is what they accumulate: f32 for narrow floats.
    Type element = cast<MemRefType>(dst.getType()).getElementType();
    if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32)
      element = builder.getF32Type();
    Layout result = *layoutOf(op.getDst());
    int64_t covered = 1;
    for (unsigned d = 0; d < result.rank(); ++d)
      covered *= result.covered(d);
    auto scratch = AllocOp::create(
        builder, op.getLoc(),
        getBufferType({threads / 64, covered}, element, Space::Shared),
        builder.getStringAttr(getBufferName(op.getDst()) + ".scratch"),
        LayoutAttr(), IntegerAttr());
    op.getScratchMutable().assign(scratch);
  }
  return success();
}

/// Operands that sit on other threads go through LDS. C, if another op gave it
/// its layout, goes through a fragment of the instruction's layout and back.
LogicalResult LayoutInference::resolveGemm(GemmOp op) {
  for (unsigned operand : {0u, 1u}) {
    Value v = op->getOperand(operand);
    std::optional<Layout> layout = layoutOf(v);
    if (!layout || canFeed(op, operand, asRowsByK(op, operand, *layout)))
      continue;
    remarkConversion(op, v, "LDS", "its layout is not the one this gemm reads");
    AllocOp temp = createLike(v, Space::Shared);
    builder.setInsertionPoint(op);
    auto copy = CopyOp::create(builder, op.getLoc(), v, temp, LayoutAttr());
    op->setOperand(operand, temp);
    if (failed(resolveLoop(copy)))
      return failure();
  }
  Layout wanted = getAccumulatorLayout(op);
  Layout have = *layoutOf(op.getC());
  Layout last({Layout::Digits(have.dim(have.rank() - 2)),
               Layout::Digits(have.dim(have.rank() - 1))},
              {}, have.threadXorTerms());
  if (last == wanted)
    return success();
  AllocOp temp = createLike(op.getC(), Space::Fragment);
  SmallVector<Layout::Digits> dims(have.rank() - 2);
  dims.emplace_back(wanted.dim(0));
  dims.emplace_back(wanted.dim(1));
  setLayout(temp, Layout(dims));
  Value c = op.getC();
  remarkConversion(op, c, "LDS", "this gemm gives its result another layout");
  builder.setInsertionPoint(op);
  auto before = CopyOp::create(builder, op.getLoc(), c, temp, LayoutAttr());
  op.getCMutable().set(temp);
  builder.setInsertionPointAfter(op);
  auto after = CopyOp::create(builder, op.getLoc(), temp, c, LayoutAttr());
  return success(succeeded(resolveLoop(before)) &&
                 succeeded(resolveLoop(after)));
}

/// A scan in registers and lanes (Scan.cpp): of each row, as few lanes as leave
/// no thread idle, at most a wavefront, have neighbouring pieces; the other
/// dimensions take the other threads. None where a thread would hold too much.
///
///   [8, 1024] along 1, 256 threads: [8:t32], [32:r1, 32:t1]
static std::optional<Layout> scanLayout(ArrayRef<int64_t> shape, unsigned dim,
                                        int64_t threads) {
  constexpr int64_t kMostRegisters = 64, kWave = 64;
  int64_t rows = 1;
  for (auto [d, extent] : llvm::enumerate(shape))
    rows *= d == dim ? 1 : extent;
  int64_t lanes = std::clamp<int64_t>(
      llvm::bit_floor(uint64_t(std::max<int64_t>(threads / rows, 1))), 1,
      std::min<int64_t>(kWave, llvm::PowerOf2Ceil(shape[dim])));
  SmallVector<Layout::Digits> dims(shape.size());
  int64_t registers = 1, left = threads / lanes, stride = lanes;
  auto push = [&](unsigned d, int64_t extent, Place place, int64_t stride) {
    if (extent > 1)
      dims[d].push_back({extent, place, stride});
  };
  registers = llvm::divideCeil(shape[dim], lanes);
  push(dim, registers, Place::Register, 1);
  push(dim, lanes, Place::Thread, 1);
  for (unsigned d = shape.size(); d-- > 0;) {
    if (d == dim)
      continue;
    int64_t here = std::min(left, shape[d]);
    int64_t rest = llvm::divideCeil(shape[d], here);
    push(d, here, Place::Thread, stride);
    push(d, rest, Place::Register, registers);
    stride *= here;
    left /= here;
    registers *= rest;
  }
  if (registers > kMostRegisters)
    return std::nullopt;
  return Layout(dims);
}

/// A scan in registers, or of rows too long for that one in LDS (expandScan):
/// what is there already is not copied first.
/// One buffer serves source and result of one type: the thread of a row reads
/// an element before it writes there.
LogicalResult LayoutInference::resolveScan(ScanOp op) {
  auto type = cast<MemRefType>(op.getSrc().getType());
  if (auto layout = scanLayout(type.getShape(), op.getDim(), threads)) {
    AllocOp in = createLike(op.getSrc(), Space::Fragment);
    AllocOp out = createLike(op.getDst(), Space::Fragment);
    setLayout(in, *layout);
    setLayout(out, *layout);
    builder.setInsertionPoint(op);
    auto load =
        CopyOp::create(builder, op.getLoc(), op.getSrc(), in, LayoutAttr());
    builder.setInsertionPointAfter(op);
    auto store =
        CopyOp::create(builder, op.getLoc(), out, op.getDst(), LayoutAttr());
    op.getSrcMutable().set(in);
    op.getDstMutable().set(out);
    return success(succeeded(resolveLoop(load)) &&
                   succeeded(resolveLoop(store)));
  }
  bool inPlace =
      type.getElementType() == getElementTypeOrSelf(op.getDst().getType());
  auto wholeTile = [](Value v) {
    auto alloc = v.getDefiningOp<AllocOp>();
    return alloc && getSpace(v) == Space::Shared ? alloc : AllocOp();
  };
  AllocOp in = wholeTile(op.getSrc()), out = wholeTile(op.getDst());
  bool load = !in, store = !out || (out == in && !inPlace);
  if (load)
    in = out && inPlace ? out : createLike(op.getSrc(), Space::Shared);
  if (store)
    out = load && inPlace ? in : createLike(op.getDst(), Space::Shared);

  SmallVector<Operation *> parts;
  builder.setInsertionPoint(op);
  if (load)
    parts.push_back(
        CopyOp::create(builder, op.getLoc(), op.getSrc(), in, LayoutAttr()));
  expandScan(op, in, out, threads);
  parts.push_back(op->getPrevNode());
  builder.setInsertionPoint(op);
  if (store)
    parts.push_back(
        CopyOp::create(builder, op.getLoc(), out, op.getDst(), LayoutAttr()));
  op.erase();
  for (Operation *part : parts)
    if (failed(resolveLoop(part)))
      return failure();
  return success();
}

/// In program order, since a conversion made for one op may serve the next.
LogicalResult LayoutInference::resolve() {
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) {
    if (isa<ParallelOp, CopyOp, FillOp, ReduceOp, ScanOp, GemmOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    LogicalResult result = success();
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      result = resolveReduce(reduce);
    } else if (auto gemm = dyn_cast<GemmOp>(op)) {
      result = resolveGemm(gemm);
    } else if (auto scan = dyn_cast<ScanOp>(op)) {
      result = resolveScan(scan);
    } else {
      result = resolveLoop(op);
    }
    if (failed(result))
      return failure();
  }
  hoistConversions(kernel);
  return success();
}
