//===- TileToWave.cpp - One kernel as each lane runs it -------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a laid out `tile.func` apart: each `tile.kernel` becomes a
// `wave.kernel` that each lane runs.
//
// * Fragments and local buffers become SSA values. Control flow is structured,
//   so their state is carried by walking it: a loop's iteration arguments are
//   the registers written inside, a branch's results likewise.
// * Loops over points are expanded over the registers of their layout; the
//   thread's share of a point is arithmetic on the thread's index, computed
//   once. Memory is reached by the widest instructions that layout and
//   alignment allow (Addresses.cpp).
// * Gemms become matrix instructions on operand registers (Gemm.cpp),
//   reductions trees, butterflies and LDS exchanges (Reduce.cpp).
//
// Before:
//   tile.kernel grid(%c1) threads[64] (%bx) {
//     %f = tile.alloc {layout = #tile.layout<[4:r1, 64:t1]>}
//          : memref<256xf32, #tile.space<fragment>>
//     tile.copy %A to %f {layout = #tile.layout<[4:r1, 64:t1]>} : ...
//   }
// After:
//   wave.kernel @k(%a: !wave.ptr) attributes {threads = 64, lds_bytes = 0} {
//     %t = wave.thread_id
//     %r = wave.resource %a, %c1024
//     %v = wave.buffer_load %r[%o] : vector<4xf32>
//   }
//
//===----------------------------------------------------------------------===//

#include "tlc/Conversion/TileToWave.h"
#include "KernelLowering.h"
#include "mlir/Pass/Pass.h"
#include "tlc/Dialect/Tile/IR/Relaxations.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"

namespace tlc {
#define GEN_PASS_DECL_CONVERTTILETOWAVE
#define GEN_PASS_DEF_CONVERTTILETOWAVE
#include "tlc/Conversion/Passes.h.inc"
} // namespace tlc

using namespace mlir;
using namespace tlc;

//===----------------------------------------------------------------------===//
// State across regions
//===----------------------------------------------------------------------===//

/// Buffers in registers that `regions` write and that live outside of them:
/// what control flow must carry. In order of first write.
SmallVector<mlir::Value>
KernelLowering::writtenBuffers(ArrayRef<mlir::Region *> regions) {
  llvm::SetVector<Value> buffers;
  // An alias stands for its buffer. Buffers made inside the region do not
  // outlive it.
  auto add = [&](Value v, mlir::Region *region) {
    v = tile::getBase(v);
    tile::Space space = tile::getSpace(v);
    if ((space == tile::Space::Fragment || space == tile::Space::Local) &&
        !region->isAncestor(v.getParentRegion()))
      buffers.insert(v);
  };
  for (mlir::Region *region : regions)
    region->walk([&](Operation *op) {
      if (auto copy = dyn_cast<tile::CopyOp>(op))
        add(copy.getDst(), region);
      else if (auto fill = dyn_cast<tile::FillOp>(op))
        add(fill.getDst(), region);
      else if (auto gemm = dyn_cast<tile::GemmOp>(op))
        add(gemm.getC(), region);
      else if (auto reduce = dyn_cast<tile::ReduceOp>(op))
        add(reduce.getDst(), region);
      else if (auto scan = dyn_cast<tile::ScanOp>(op))
        add(scan.getDst(), region);
      else if (auto store = dyn_cast<tile::StoreOp>(op))
        add(store.getDest(), region);
    });
  return buffers.takeVector();
}

/// The registers of the buffers as values, in chunks; unpackState() is its
/// inverse.
SmallVector<mlir::Value> KernelLowering::packState(ArrayRef<Value> buffers,
                                                   Location loc) {
  SmallVector<Value> values;
  for (Value buffer : buffers) {
    Registers &registers = registersOf(buffer);
    for (int64_t c = 0; c < registers.numChunks(); ++c)
      values.push_back(registers.getChunk(b, loc, c));
  }
  return values;
}

void KernelLowering::unpackState(ArrayRef<Value> buffers, ValueRange values) {
  size_t next = 0;
  for (Value buffer : buffers) {
    Registers &registers = registersOf(buffer);
    for (int64_t c = 0; c < registers.numChunks(); ++c)
      registers.setChunk(c, values[next++]);
  }
}

/// Iteration arguments: those of the loop, then the chunks of written buffers.
LogicalResult KernelLowering::lowerFor(scf::ForOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> buffers = writtenBuffers({&op.getRegion()});
  SmallVector<Value> init;
  for (Value v : op.getInitArgs())
    init.push_back(lookup(v));
  llvm::append_range(init, packState(buffers, loc));
  auto loop = scf::ForOp::create(b, loc, lookup(op.getLowerBound()),
                                 lookup(op.getUpperBound()),
                                 lookup(op.getStep()), init);
  auto saved = state;
  OpBuilder::InsertionGuard guard(b);
  // The loop was built with a body; its terminator is made anew below.
  Block *body = loop.getBody();
  if (!body->empty() && isa<scf::YieldOp>(body->back()))
    body->back().erase();
  b.setInsertionPointToStart(body);
  map.map(op.getInductionVar(), loop.getInductionVar());
  unsigned n = op.getInitArgs().size();
  for (unsigned i = 0; i < n; ++i)
    map.map(op.getRegionIterArg(i), loop.getRegionIterArg(i));
  unpackState(buffers, ValueRange(loop.getRegionIterArgs()).drop_front(n));
  if (failed(lowerBlock(*op.getBody())))
    return failure();
  SmallVector<Value> results;
  for (Value v : op.getBody()->getTerminator()->getOperands())
    results.push_back(lookup(v));
  llvm::append_range(results, packState(buffers, loc));
  scf::YieldOp::create(b, loc, results);
  // Values made inside do not exist outside: elements and vectors of other
  // buffers go back to what they were.
  state = std::move(saved);
  b.setInsertionPointAfter(loop);
  for (unsigned i = 0; i < n; ++i)
    map.map(op.getResult(i), loop.getResult(i));
  unpackState(buffers, loop.getResults().drop_front(n));
  return success();
}

/// Both sides start from the state before, and yield what the op yields, then
/// the chunks of buffers that either side writes.
LogicalResult KernelLowering::lowerIf(scf::IfOp op) {
  Location loc = op.getLoc();
  SmallVector<mlir::Region *> regions = {&op.getThenRegion()};
  if (!op.getElseRegion().empty())
    regions.push_back(&op.getElseRegion());
  SmallVector<Value> buffers = writtenBuffers(regions);
  SmallVector<Type> types(op.getResultTypes());
  // Only the types count here; the values are the same before both sides.
  for (Value v : packState(buffers, loc))
    types.push_back(v.getType());
  auto saved = state;
  // Results need both sides, if only to pass on the state from before.
  bool withElse = !types.empty() || regions.size() == 2;
  auto branch =
      scf::IfOp::create(b, loc, types, lookup(op.getCondition()), withElse);
  auto lowerSide = [&](mlir::Region &from, mlir::Region &to) -> LogicalResult {
    OpBuilder::InsertionGuard guard(b);
    Block *block = &to.front();
    if (!block->empty() && isa<scf::YieldOp>(block->back()))
      block->back().erase();
    b.setInsertionPointToEnd(block);
    state = saved;
    SmallVector<Value> results;
    if (!from.empty()) {
      if (failed(lowerBlock(from.front())))
        return failure();
      for (Value v : from.front().getTerminator()->getOperands())
        results.push_back(lookup(v));
    }
    llvm::append_range(results, packState(buffers, loc));
    scf::YieldOp::create(b, loc, results);
    return success();
  };
  if (failed(lowerSide(op.getThenRegion(), branch.getThenRegion())))
    return failure();
  if (withElse && failed(lowerSide(op.getElseRegion(), branch.getElseRegion())))
    return failure();
  state = std::move(saved);
  unsigned n = op.getNumResults();
  for (unsigned i = 0; i < n; ++i)
    map.map(op.getResult(i), branch.getResult(i));
  unpackState(buffers, branch.getResults().drop_front(n));
  return success();
}

/// As lowerFor(), with the state passed through both regions.
LogicalResult KernelLowering::lowerWhile(scf::WhileOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> buffers =
      writtenBuffers({&op.getBefore(), &op.getAfter()});
  SmallVector<Value> init;
  for (Value v : op.getInits())
    init.push_back(lookup(v));
  SmallVector<Value> packed = packState(buffers, loc);
  llvm::append_range(init, packed);
  SmallVector<Type> types(op.getResultTypes());
  for (Value v : packed)
    types.push_back(v.getType());
  auto loop = scf::WhileOp::create(b, loc, types, init);
  auto saved = state;
  // Both regions have the arguments of the original, then the state.
  auto lowerSide = [&](mlir::Region &from, mlir::Region &to,
                       ValueRange types) -> LogicalResult {
    OpBuilder::InsertionGuard guard(b);
    SmallVector<Type> argTypes;
    for (Value v : types)
      argTypes.push_back(v.getType());
    Block *block = b.createBlock(&to, to.end(), argTypes,
                                 SmallVector<Location>(argTypes.size(), loc));
    state = saved;
    unsigned n = from.getNumArguments();
    for (unsigned i = 0; i < n; ++i)
      map.map(from.getArgument(i), block->getArgument(i));
    unpackState(buffers, ValueRange(block->getArguments()).drop_front(n));
    Operation *terminator = from.front().getTerminator();
    if (failed(lowerBlock(from.front())))
      return failure();
    SmallVector<Value> results;
    auto condition = dyn_cast<scf::ConditionOp>(terminator);
    for (Value v : condition ? ValueRange(condition.getArgs())
                             : ValueRange(terminator->getOperands()))
      results.push_back(lookup(v));
    llvm::append_range(results, packState(buffers, loc));
    if (condition)
      scf::ConditionOp::create(b, loc, lookup(condition.getCondition()),
                               results);
    else
      scf::YieldOp::create(b, loc, results);
    return success();
  };
  if (failed(lowerSide(op.getBefore(), loop.getBefore(), init)) ||
      failed(lowerSide(op.getAfter(), loop.getAfter(), loop.getResults())))
    return failure();
  state = std::move(saved);
  unsigned n = op.getNumResults();
  for (unsigned i = 0; i < n; ++i)
    map.map(op.getResult(i), loop.getResult(i));
  unpackState(buffers, loop.getResults().drop_front(n));
  return success();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// One op by its kind. Arithmetic is cloned as it is: it means the same in a
/// lane.
LogicalResult KernelLowering::lowerOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<tile::AllocOp>([&](tile::AllocOp alloc) {
        // Each trip through an alloc begins with an unwritten buffer.
        if (tile::getSpace(alloc.getType()) != tile::Space::Shared)
          state.erase(alloc.getResult());
        return success();
      })
      .Case<tile::ViewOp, tile::AliasOp, tile::TensorOp>(
          [&](auto) { return success(); })
      .Case<tile::YieldOp, scf::YieldOp, scf::ConditionOp>(
          [&](auto) { return success(); })
      .Case<scf::ForOp>([&](auto o) { return lowerFor(o); })
      .Case<scf::IfOp>([&](auto o) { return lowerIf(o); })
      .Case<scf::WhileOp>([&](auto o) { return lowerWhile(o); })
      .Case<tile::CopyOp>([&](auto o) { return lowerCopy(o); })
      .Case<tile::FillOp>([&](auto o) { return lowerFill(o); })
      .Case<tile::ParallelOp>([&](auto o) { return lowerParallel(o); })
      .Case<tile::GemmOp>([&](auto o) { return lowerGemm(o); })
      .Case<tile::ReduceOp>([&](auto o) { return lowerReduce(o); })
      .Case<tile::ScanOp>([&](auto o) { return lowerScan(o); })
      .Case<tile::LoadOp>([&](auto o) { return lowerLoad(o); })
      .Case<tile::StoreOp>([&](auto o) { return lowerStore(o); })
      .Case<tile::AtomicOp>([&](auto o) { return lowerAtomic(o); })
      .Case<tile::SyncOp>([&](auto o) {
        auto barrier = wave::BarrierOp::create(b, o.getLoc());
        // Data passed through global memory: its accesses are waited for too.
        if (o->hasAttr(tile::kSyncGlobalAttr))
          barrier->setAttr(wave::kSyncGlobalAttr, b.getUnitAttr());
        return success();
      })
      // All threads use the same pointer, so it is pinned to scalar registers.
      .Case<tile::PointerOp>([&](tile::PointerOp o) {
        map.map(o.getResult(),
                wave::PointerOp::create(
                    b, o.getLoc(), wave::PtrType::get(b.getContext()),
                    wave::UniformOp::create(b, o.getLoc(), b.getI64Type(),
                                            lookup(o.getAddress()))));
        return success();
      })
      .Case<tile::ShuffleOp>([&](tile::ShuffleOp o) {
        Value v = lookup(o.getValue());
        map.map(o.getResult(),
                wave::ShuffleOp::create(b, o.getLoc(), v.getType(), v,
                                        lookup(o.getLane())));
        return success();
      })
      .Case<tile::BallotOp>([&](tile::BallotOp o) {
        map.map(o.getResult(),
                wave::BallotOp::create(b, o.getLoc(), b.getI64Type(),
                                       lookup(o.getCondition())));
        return success();
      })
      // The workgroup is launched in one dimension: indices of several come by
      // division, x fastest.
      .Case<tile::ThreadIdOp>([&](tile::ThreadIdOp o) -> LogicalResult {
        ArrayRef<int64_t> extents = kernel.getThreads();
        int64_t dim = o.getDim(), below = 1;
        if (dim >= int64_t(extents.size())) {
          map.map(o.getResult(), constant(o.getLoc(), 0));
          return success();
        }
        for (int64_t d = 0; d < dim; ++d)
          below *= extents[d];
        Value v = threadId();
        if (below > 1)
          v = arith::DivUIOp::create(b, o.getLoc(), v,
                                     constant(o.getLoc(), below));
        if (below * extents[dim] < threads)
          v = arith::RemUIOp::create(b, o.getLoc(), v,
                                     constant(o.getLoc(), extents[dim]));
        map.map(o.getResult(), v);
        return success();
      })
      .Default([&](Operation *other) -> LogicalResult {
        if (isa_and_nonnull<arith::ArithDialect, math::MathDialect,
                            vector::VectorDialect>(other->getDialect())) {
          b.clone(*other, map);
          return success();
        }
        return other->emitError(
            isa_and_nonnull<tile::TileDialect>(other->getDialect())
                ? "is not of a single wavefront: run tile-legalize and "
                  "tile-infer-layouts first"
                : "has no meaning for a wavefront");
      });
}

/// The ops of a block in order, up to the first that fails.
LogicalResult KernelLowering::lowerBlock(Block &block) {
  for (Operation &op : block)
    if (failed(lowerOp(&op)))
      return failure();
  return success();
}

/// The func's arguments become the kernel's; code of the func before the
/// kernel, which computes scalars, is repeated inside.
FailureOr<wave::KernelOp> KernelLowering::run() {
  auto func = kernel->getParentOfType<tile::FuncOp>();
  threads = kernel.getNumThreads();
  if (threads % 64)
    return kernel.emitError("needs whole wavefronts, but the workgroup has ")
           << threads << " threads: run tile-legalize first";
  SmallVector<Type> types;
  for (Type t : func.getArgumentTypes())
    types.push_back(isa<tile::PtrType>(t) ? wave::PtrType::get(b.getContext())
                                          : t);
  // The highest end of any shared buffer, in units of 16 bytes.
  int64_t ldsBytes = 0;
  kernel.walk([&](tile::AllocOp alloc) {
    if (tile::getSpace(alloc.getType()) != tile::Space::Shared)
      return;
    int64_t bytes = std::max<int64_t>(
        1,
        mlir::cast<MemRefType>(alloc.getType()).getElementTypeBitWidth() / 8);
    int64_t end = alloc.getLdsOffset().value_or(0) +
                  ldsLayoutOf(alloc).span(Place::Memory) * bytes;
    ldsBytes = std::max(ldsBytes, (end + 15) / 16 * 16);
  });
  // Argument attributes (names, roles) are kept for the runtime.
  SmallVector<DictionaryAttr> attrs;
  if (auto all = func.getArgAttrs())
    for (Attribute a : *all)
      attrs.push_back(mlir::cast<DictionaryAttr>(a));
  out = wave::KernelOp::create(
      b, kernel.getLoc(), tile::getKernelSymbol(kernel),
      b.getFunctionType(types, {}), threads, ldsBytes, attrs);
  if (double power = tile::getLazyMaximum(kernel))
    out->setAttr(wave::kLazyMaximumAttr, b.getF32FloatAttr(power));
  Block &entry = out.getBody().front();
  b.setInsertionPointToStart(&entry);
  for (auto [from, to] :
       llvm::zip_equal(func.getBody().getArguments(), entry.getArguments()))
    map.map(from, to);
  // Host-side scalars the kernel uses are computed again in it.
  for (Operation &op : func.getBody().front()) {
    if (&op == kernel.getOperation())
      break;
    if (isa<tile::KernelOp>(op))
      continue;
    if (failed(lowerOp(&op)))
      return failure();
  }
  auto indices = blockIndices();
  if (failed(indices))
    return failure();
  for (auto [arg, index] : llvm::zip(kernel.getBody().getArguments(), *indices))
    map.map(arg, index);
  // Everything that depends on the thread alone is put before this constant.
  anchor =
      arith::ConstantOp::create(b, kernel.getLoc(), b.getI32IntegerAttr(0));
  if (failed(lowerBlock(kernel.getBody().front())))
    return failure();
  return out;
}

namespace {
struct ConvertTileToWave : tlc::impl::ConvertTileToWaveBase<ConvertTileToWave> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<tile::FuncOp> funcs(module.getOps<tile::FuncOp>());
    for (tile::FuncOp func : funcs) {
      // Kernels stand in the module in the order of their launch.
      OpBuilder builder(func);
      for (auto kernel : func.getBody().getOps<tile::KernelOp>()) {
        builder.setInsertionPoint(func);
        if (failed(KernelLowering(kernel, builder).run()))
          return signalPassFailure();
      }
      func.erase();
    }
  }
};
} // namespace

void tlc::registerTileToWavePasses() {
  registerPass(
      []() -> std::unique_ptr<Pass> { return createConvertTileToWave(); });
}
