//===- PromoteOperands.cpp - Operands that registers serve ----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operand such as Q is loaded into LDS once and read by gemms in a loop, the
// same values every time. It needs no LDS: a wavefront keeps what it reads in
// registers. That frees LDS for what changes, and the loop from its reads.
//
// A shared buffer is promoted if one copy from global memory fills it, that
// copy stands before every use and outside a loop that holds one, all uses are
// operands of gemms, and its registers are few.
//
// Likewise a tile that only passes through LDS on its way between registers and
// memory (`copy acc to Os; copy Os to O`) is copied directly, where that rounds
// the same: the shared buffer has the element type of one of the two ends. So
// is one that a tile passes through on its way to another type in LDS.
//
// Where LDS does not hold a kernel's buffers, more is done (SpareLds.cpp), and
// where less of it makes room for another workgroup (KeepResults.cpp).
//
// Before:
//   tile.copy %Qview to %Qs                      // shared
//   scf.for ... { tile.gemm %Qs, %Ks into %s ... }
// After:
//   tile.copy %Qview to %Qf                      // fragment
//   scf.for ... { tile.gemm %Qf, %Ks into %s ... }
//
//===----------------------------------------------------------------------===//

#include "BufferUse.h"
#include "ChunkLoops.h"
#include "Liveness.h"
#include "SpareLds.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"
#include "tlc/Support/LdsBanks.h"

namespace tlc::tile {
#define GEN_PASS_DEF_TILEPROMOTEOPERANDS
#include "tlc/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tlc::tile

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

/// Registers a lane gives at most to one promoted operand.
static constexpr int64_t kMaxRegisters = 96;

static void promote(AllocOp shared, KernelOp kernel) {
  CopyOp fill;
  SmallVector<GemmOp> gemms;
  for (Operation *user : shared->getUsers()) {
    if (auto copy = dyn_cast<CopyOp>(user)) {
      if (copy.getDst() != shared.getResult() || fill ||
          getSpace(copy.getSrc()) != Space::Global)
        return;
      fill = copy;
    } else if (auto gemm = dyn_cast<GemmOp>(user)) {
      if (gemm.getC() == shared.getResult())
        return;
      gemms.push_back(gemm);
    } else {
      return;
    }
  }
  if (!fill || gemms.empty())
    return;
  auto type = cast<MemRefType>(shared.getType());
  int64_t registers = 0;
  for (GemmOp gemm : gemms) {
    // The copy must come first, and a loop must profit.
    Operation *here = fill->getBlock()->findAncestorOpInBlock(*gemm);
    if (!here || !fill->isBeforeInBlock(here) || here == gemm.getOperation() ||
        !isa<LoopLikeOpInterface>(here))
      return;
    // Wavefronts that share rows hold them each.
    bool isA = gemm.getA() == shared.getResult();
    bool spread =
        gemm.getPolicy() == (isA ? WarpPolicy::FullRow : WarpPolicy::FullCol);
    int64_t waves = kernel.getNumThreads() / 64;
    int64_t rows = isA ? gemm.getM() : gemm.getN();
    int64_t sharing = spread ? std::max<int64_t>(1, waves * 16 / rows) : waves;
    registers = std::max(registers, type.getNumElements() *
                                        type.getElementTypeBitWidth() / 32 *
                                        sharing / kernel.getNumThreads());
  }
  if (registers > kMaxRegisters) {
    fill.emitRemark("stays in LDS: as a register operand it would take ")
        << registers << " registers";
    return;
  }
  OpBuilder b(shared);
  auto fragment = AllocOp::create(
      b, shared.getLoc(),
      getBufferType(type.getShape(), type.getElementType(), Space::Fragment),
      shared.getNameAttr(), LayoutAttr(), IntegerAttr());
  fill.emitRemark("goes to registers instead of LDS: ")
      << registers << " registers a lane, "
      << type.getNumElements() * type.getElementTypeBitWidth() / 8
      << " bytes of LDS saved";
  shared.getResult().replaceAllUsesWith(fragment);
  shared.erase();
}

/// copy x to shared, copy shared to y  ->  copy x to y
static bool bypass(AllocOp shared) {
  CopyOp in, out;
  for (Operation *user : shared->getUsers()) {
    auto copy = dyn_cast<CopyOp>(user);
    if (!copy || copy.getSrc() == copy.getDst())
      return false;
    CopyOp &role = copy.getDst() == shared.getResult() ? in : out;
    if (role)
      return false;
    role = copy;
  }
  if (!in || !out || in->getBlock() != out->getBlock() ||
      !in->isBeforeInBlock(out))
    return false;
  Space from = getSpace(in.getSrc()), to = getSpace(out.getDst());
  // Memory to memory goes through LDS for the sake of the lanes' order.
  bool converts = from == Space::Global && to == Space::Shared;
  if (from != Space::Fragment && to != Space::Fragment && !converts)
    return false;
  auto elementOf = [](Value v) {
    return cast<MemRefType>(v.getType()).getElementType();
  };
  Type middle = elementOf(shared.getResult());
  if (middle != elementOf(in.getSrc()) && middle != elementOf(out.getDst()))
    return false;
  // The source must still hold then what it holds now.
  Value source = getBase(in.getSrc());
  for (Operation *op = in->getNextNode(); op != out; op = op->getNextNode()) {
    bool written = false;
    op->walk([&](Operation *inner) {
      for (const BufferUse &use : getUses(inner))
        written |= use.write && (getBase(use.buffer) == source ||
                                 getSpace(use.buffer) == Space::Global);
    });
    if (written)
      return false;
  }
  OpBuilder b(out);
  CopyOp::create(b, out.getLoc(), in.getSrc(), out.getDst(), LayoutAttr());
  out.emitRemark("goes past LDS: '")
      << shared.getName().value_or("") << "' only passed it on";
  in.erase();
  out.erase();
  shared.erase();
  return true;
}

namespace {
struct PromoteOperands
    : tlc::tile::impl::TilePromoteOperandsBase<PromoteOperands> {
  void runOnOperation() override {
    SmallVector<AllocOp> allocs;
    getOperation().walk([&](AllocOp alloc) {
      if (getSpace(alloc.getType()) == Space::Shared)
        allocs.push_back(alloc);
    });
    for (AllocOp alloc : allocs)
      // A layout that the program gives is one in LDS.
      if (!alloc.getLayout() && !bypass(alloc)) {
        auto kernel = alloc->getParentOfType<KernelOp>();
        auto spare = kernel->getAttrOfType<IntegerAttr>(kSpareRegistersAttr);
        if (!spare || spare.getInt() < 2)
          promote(alloc, kernel);
      }
    for (auto kernel : getOperation().getBody().getOps<KernelOp>()) {
      auto reserve = kernel->getAttrOfType<IntegerAttr>(kLdsReserveAttr);
      int64_t limit = kLdsBytes - (reserve ? reserve.getInt() : 0);
      auto spare = kernel->getAttrOfType<IntegerAttr>(kSpareRegistersAttr);
      if (!spare)
        keepResults(kernel, limit);
      if (!spareLds(kernel, limit)) {
        // Another attempt with less would come to the same.
        kernel->setAttr(kLdsExhaustedAttr, UnitAttr::get(&getContext()));
        if (limit == kLdsBytes || !spareLds(kernel, kLdsBytes)) {
          (void)checkLds(kernel, kLdsBytes);
          return signalPassFailure();
        }
      }
      // Only now: a loop in parts no longer reads its tiles as a whole.
      chunkLoops(kernel, kernel->hasAttr(kSpareRegistersAttr));
    }
  }
};
} // namespace
