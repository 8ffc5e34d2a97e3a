//===- LoopGraph.cpp - The dependences of a loop's body -------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Costs are issue cycles on gfx942: 4 for a VALU instruction, 16 for a
// transcendental one. Latencies are what a wavefront alone should leave between
// an instruction and the first reader of its result.
//
//===----------------------------------------------------------------------===//

#include "LoopGraph.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tlc/Support/LdsBanks.h"
#include "tlc/Support/WaitStates.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::wave;

namespace {
constexpr int kLdsLatency = 128;     // cycles, ds_read_b128 under load
constexpr int kGlobalLatency = 1500; // cycles, HBM
} // namespace

/// Operands, and for ops with regions what their bodies take from outside: the
/// whole op is one node.
SmallVector<Value> LoopGraph::getInputs(Operation *op) {
  SmallVector<Value> inputs(op->getOperands());
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (Value v : inner->getOperands())
        if (!op->isAncestor(v.getParentBlock()->getParentOp()))
          inputs.push_back(v);
    });
  return inputs;
}

/// 32-bit registers of a lane; resources and pointers are not counted here.
int LoopGraph::getRegisters(Type type) {
  if (isa<RsrcType, PtrType>(type))
    return 0;
  return (getByteSize(type) + 3) / 4;
}

static int threadsOf(scf::ForOp loop) {
  auto kernel = loop->getParentOfType<KernelOp>();
  return kernel ? int(kernel.getThreads()) : 1;
}

/// Whether LDS leaves room for a second workgroup on the compute unit.
static bool leavesHalf(scf::ForOp loop) {
  auto kernel = loop->getParentOfType<KernelOp>();
  return kernel && 2 * int64_t(kernel.getLdsBytes()) <= int64_t(kLdsBytes);
}

/// Wavefronts of the workgroup on one SIMD.
int LoopGraph::wavesOfSimd() const {
  constexpr int kSimdLanes = 4 * 64;
  return std::max(1, threadsOf(loop) / kSimdLanes);
}

LdsStoreOp wave::guardedStore(Operation *op) {
  auto branch = dyn_cast_or_null<scf::IfOp>(op);
  if (!branch || branch.getNumResults() || branch.elseBlock())
    return {};
  Block &body = *branch.thenBlock();
  auto store = dyn_cast<LdsStoreOp>(body.front());
  return store && store->getNextNode() == body.getTerminator() ? store
                                                               : LdsStoreOp();
}

int LoopGraph::writeCycles(const Node &node) const {
  // The address and the data go in by four bytes of each lane; two SIMDs share
  // a way in, so that a wavefront of each goes first.
  constexpr int kCyclesOfDword = 2 * 4;
  auto store = dyn_cast<LdsStoreOp>(node.op);
  if (!store)
    store = guardedStore(node.op);
  int dwords = store ? getRegisters(store.getValue().getType()) : 1;
  return (1 + dwords) * kCyclesOfDword * 7 / 5;
}

int LoopGraph::readSlots(const Node &node) const {
  // 64 bytes a cycle, for a wavefront of each of two SIMDs.
  constexpr int kCyclesOfDword = 2 * 4;
  auto read = dyn_cast<LdsLoadOp>(node.op);
  int dwords = read ? getRegisters(read.getType()) : 1;
  return (dwords * kCyclesOfDword + slotCycles - 1) / slotCycles;
}

int LoopGraph::pathSlots(const Node &node) const {
  // 64 bytes a cycle, for each wavefront of the workgroup.
  constexpr int kCyclesOfDword = 4;
  int waves = (threadsOf(loop) + 63) / 64;
  int dwords = 0;
  for (Type type : node.op->getResultTypes())
    dwords += getRegisters(type);
  return (dwords * kCyclesOfDword * waves + slotCycles - 1) / slotCycles;
}

int LoopGraph::sharers() const {
  int waves = wavesOfSimd();
  return waves == 1 && leavesHalf(loop) ? 2 : waves; // of two workgroups
}

int LoopGraph::loadSlots() const {
  return kGlobalLatency / (slotCycles * sharers());
}

/// Registers of a lane that leave the workgroups beside it room, plus what the
/// estimate is known to be too high by.
int LoopGraph::likelyRegisters() const {
  // The estimate is high: loops of 285 have fitted 256 registers.
  constexpr int kInFavour = 30;
  // With 256 registers two workgroups share a compute unit, if LDS lets them.
  int threads = threadsOf(loop);
  bool two = leavesHalf(loop);
  int most = threads <= 128 || (threads <= 256 && !two) ? 512
             : threads <= 512                           ? 256
                                                        : 128;
  return kInFavour + most;
}

//===----------------------------------------------------------------------===//
// What is scalar, what is free
//===----------------------------------------------------------------------===//

/// Memoised. Kernel arguments, loop variables, block and wave numbers, and what
/// is computed from them; loads count as divergent.
bool LoopGraph::isUniform(Value value) {
  if (auto it = uniform.find(value); it != uniform.end())
    return it->second;
  uniform[value] = false; // a cycle is taken for divergent
  bool result = false;
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    auto parent = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
    result = parent ? arg == parent.getInductionVar()
                    : isa<KernelOp>(arg.getOwner()->getParentOp());
  } else {
    Operation *op = value.getDefiningOp();
    if (isa<BlockIdOp, WaveIdOp, UniformOp, AnyOp, ResourceOp>(op))
      result = true;
    else if (!isa<ThreadIdOp, LaneIdOp>(op) && op->getNumRegions() == 0 &&
             isPure(op))
      result = llvm::all_of(op->getOperands(),
                            [&](Value v) { return isUniform(v); });
  }
  return uniform[value] = result;
}

static Type scalarOf(Type type) { return getElementTypeOrSelf(type); }

/// Address arithmetic in the wide sense: integers, indices, pointers,
/// resources.
static bool isInteger(Operation *op) {
  return op->getNumResults() == 1 &&
         (isa<IntegerType, IndexType>(scalarOf(op->getResult(0).getType())) ||
          isa<PtrType, RsrcType>(op->getResult(0).getType()));
}

/// Whether sixteen-bit (or smaller) elements come together as they lie in the
/// registers of one source already.
static bool isRegisterMove(vector::FromElementsOp op) {
  unsigned bits = op.getType().getElementTypeBitWidth();
  if (bits >= 32)
    return true;
  unsigned perRegister = 32 / bits;
  auto elements = op.getElements();
  for (unsigned i = 0; i < elements.size(); ++i) {
    auto part = elements[i].getDefiningOp<vector::ExtractOp>();
    if (!part || part.getStaticPosition().size() != 1)
      return false;
    int64_t position = part.getStaticPosition()[0];
    if (position % perRegister != i % perRegister)
      return false;
    if (i % perRegister == 0)
      continue;
    auto before = elements[i - 1].getDefiningOp<vector::ExtractOp>();
    if (before.getSource() != part.getSource() ||
        before.getStaticPosition()[0] + 1 != position)
      return false;
  }
  return true;
}

/// A product that becomes one fused multiply-add with the sum that alone uses
/// it.
static bool fuses(Operation *op) {
  if (!isa<arith::MulFOp>(op) || !op->hasOneUse() || op->hasAttr(kExactAttr) ||
      !scalarOf(op->getResult(0).getType()).isF32())
    return false;
  Operation *user = *op->getUsers().begin();
  return isa<arith::AddFOp, arith::SubFOp>(user) &&
         user->getBlock() == op->getBlock();
}

/// A comparison of lanes' integers that chooses among floats: a mask, which
/// cannot be read right after it is made.
bool LoopGraph::selectsFloats(Operation *op) {
  return isa<arith::CmpIOp>(op) && !isUniform(op->getResult(0)) &&
         llvm::any_of(op->getUsers(), [](Operation *user) {
           return isa<arith::SelectOp>(user) && !isInteger(user);
         });
}

/// Decides whether an op is free, operands first (program order). What is
/// yielded must be a node: it is handed on between rows.
void LoopGraph::classify(Operation *op) {
  bool result = false;
  bool yielded = llvm::any_of(
      op->getUsers(), [](Operation *user) { return isa<scf::YieldOp>(user); });
  if (op->hasTrait<OpTrait::ConstantLike>()) {
    result = true;
  } else if (yielded || op->getNumRegions() || !isPure(op)) {
    result = false;
  } else if (isa<vector::ExtractOp, vector::BroadcastOp, arith::BitcastOp,
                 vector::BitCastOp, vector::ShapeCastOp,
                 vector::ExtractStridedSliceOp>(op) ||
             fuses(op)) {
    result = true;
  } else if (auto elements = dyn_cast<vector::FromElementsOp>(op)) {
    result = isRegisterMove(elements);
  } else if (isInteger(op) && !selectsFloats(op) &&
             !isa<AnyOp, UniformOp, ShuffleXorOp, ShuffleOp, PermOp, MfmaOp>(
                 op)) {
    // Address arithmetic: from the loop's variable and what does not change.
    result = llvm::all_of(op->getOperands(), [&](Value v) {
      if (v.getParentRegion() != &loop.getRegion())
        return true;
      if (auto arg = dyn_cast<BlockArgument>(v))
        return arg == loop.getInductionVar();
      return free.contains(v.getDefiningOp()) && isInteger(v.getDefiningOp());
    });
  }
  if (result)
    free.insert(op);
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

// Quarter rate on the vector ALU.
static bool isTranscendental(Operation *op) {
  return isa<math::Exp2Op, math::Log2Op, math::RsqrtOp, math::SqrtOp,
             math::ExpOp, math::LogOp, math::Log10Op, math::SinOp, math::CosOp>(
      op);
}

/// VALU issue cycles of an op.
static int vectorCost(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions())
    return 0;
  Type type = op->getResult(0).getType();
  if (!isa<IntegerType, FloatType, VectorType>(type) ||
      isa<vector::BitCastOp, arith::BitcastOp, vector::ShapeCastOp>(op))
    return 0;
  int count = 1;
  if (auto vector = dyn_cast<VectorType>(type))
    count = vector.getNumElements();
  int wide = scalarOf(type).getIntOrFloatBitWidth() > 32 ? 2 : 1;
  // Other bases than two take a product as well.
  if (isa<math::ExpOp, math::LogOp, math::Log10Op>(op))
    return 20 * count;
  if (isTranscendental(op))
    return 16 * count;
  // Elements of 16 bits go by pairs, wider ones move singly.
  if (auto elements = dyn_cast<vector::FromElementsOp>(op)) {
    int bits = scalarOf(type).getIntOrFloatBitWidth();
    return isRegisterMove(elements) ? 0
           : bits == 16             ? 4 * ((count + 1) / 2)
                                    : 4 * count;
  }
  // A choice between vectors is one between their registers.
  if (isa<arith::SelectOp>(op))
    return 4 * LoopGraph::getRegisters(type);
  if (isa<arith::MaxNumFOp, arith::MinNumFOp, arith::MaximumFOp,
          arith::MinimumFOp>(op))
    return 2 * count; // two make one v_max3
  // gfx942 rounds to bf16 by integer operations, cheaper in pairs.
  if (auto trunc = dyn_cast<arith::TruncFOp>(op)) {
    bool half = scalarOf(type).isF16();
    if (trunc.getRoundingmode() == arith::RoundingMode::toward_zero)
      return count > 1 ? 2 * count : 4;
    if (trunc.getRoundingmode() == arith::RoundingMode::to_nearest_away)
      return count > 1 ? 6 * count : 8;
    return half ? 4 * count : count > 1 ? 10 * count : 16;
  }
  if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
          arith::RemUIOp, arith::RemFOp>(op))
    return 48 * count;
  if (isa<math::MathDialect>(op->getDialect()))
    return 8 * count;
  if (isa<arith::MulIOp>(op))
    return 16 * count * wide;
  return 4 * count * wide;
}

/// The kernel's argument that a global access goes through; null if unknown.
static Value tensorOf(Operation *op) {
  Value v = llvm::TypeSwitch<Operation *, Value>(op)
                .Case<BufferLoadOp, BufferStoreOp>(
                    [](auto access) { return access.getRsrc(); })
                .Case<GlobalLoadOp, GlobalStoreOp, GlobalAtomicOp>(
                    [](auto access) { return access.getBase(); })
                .Default(Value());
  while (v) {
    if (auto resource = v.getDefiningOp<ResourceOp>())
      v = resource.getBase();
    else if (auto add = v.getDefiningOp<PtrAddOp>())
      v = add.getBase();
    else
      break;
  }
  auto arg = dyn_cast_or_null<BlockArgument>(v);
  return arg && isa<KernelOp>(arg.getOwner()->getParentOp()) ? v : Value();
}

/// Whether two accesses may be of one place: tensors are apart.
static bool meet(const Node &a, const Node &b) {
  return !a.tensor || !b.tensor || a.tensor == b.tensor;
}

/// The instruction of a product.
static MfmaInfo infoOf(MfmaOp op) {
  ArrayRef<int64_t> s = op.getShape();
  return *getMfma(s[0], s[1], s[2], scalarOf(op.getA().getType()),
                  scalarOf(op.getB().getType()), scalarOf(op.getC().getType()));
}

/// Enters an op with its unit, its cost and the slots until its result is
/// there.
void LoopGraph::addNode(Operation *op) {
  Node node;
  node.op = op;
  node.latency = 0;
  node.barriersBefore = allBarriers;
  auto slots = [&](int cycles) {
    return (cycles + slotCycles - 1) / slotCycles;
  };
  if (isa<BarrierOp>(op)) {
    node.unit = Unit::Barrier;
    ++numBarriers;
  } else if (auto mfma = dyn_cast<MfmaOp>(op)) {
    node.unit = Unit::Matrix;
    ++numMatrix;
    // The result leaves the pipeline after its last pass, and code generation
    // counts instructions, not cycles, until then: three slots need no s_nop.
    node.latency = 3;
    node.passes = infoOf(mfma).passes;
    Type element = scalarOf(mfma.getA().getType());
    node.states = statesToRead(element.isF64()   ? MatrixPipe::Double
                               : element.isF32() ? MatrixPipe::Float
                                                 : MatrixPipe::Core,
                               node.passes);
  } else if (isa<LdsLoadOp, LdsStoreOp, LdsAtomicOp>(op) || guardedStore(op)) {
    node.unit = Unit::Memory;
    node.ldsRead = isa<LdsLoadOp, LdsAtomicOp>(op);
    node.ldsWrite = !isa<LdsLoadOp>(op);
    node.latency = slots(kLdsLatency);
  } else if (isa<BufferLoadOp, GlobalLoadOp, GlobalAtomicOp>(op)) {
    node.unit = Unit::Memory;
    auto atomic = dyn_cast<GlobalAtomicOp>(op);
    // Nobody waits for an atomic whose result is not used.
    node.globalRead = !atomic || atomic.getOrder() || !op->use_empty();
    node.globalWrite = bool(atomic);
    node.latency = node.globalRead ? slots(kGlobalLatency) : 0;
    // One with an order has it with accesses to all tensors.
    if (!atomic || !atomic.getOrder())
      node.tensor = tensorOf(op);
  } else if (isa<BufferStoreOp, GlobalStoreOp>(op)) {
    node.unit = Unit::Memory;
    node.globalWrite = true;
    node.tensor = tensorOf(op);
  } else if (auto shuffle = dyn_cast<ShuffleXorOp>(op);
             shuffle ? shuffle.getMask() >= 16 : isa<ShuffleOp>(op)) {
    node.unit = Unit::Memory; // through the LDS crossbar
    node.latency = slots(kLdsLatency);
  } else if (op->getNumRegions()) {
    node.unit = Unit::Branch;
  } else {
    node.unit = Unit::Vector;
    bool scalar = isInteger(op) && isUniform(op->getResult(0));
    node.cycles = scalar ? 0 : vectorCost(op);
    node.trans = isTranscendental(op);
    vectorCycles += node.cycles;
  }
  numMemory += node.unit == Unit::Memory;
  index[op] = nodes.size();
  nodes.push_back(std::move(node));
}

//===----------------------------------------------------------------------===//
// Dependences
//===----------------------------------------------------------------------===//

/// An edge: node \p to may not start before \p from + \p latency slots, \p
/// distance iterations later.
void LoopGraph::connect(int from, int to, int latency, int distance, bool data,
                        bool barrier) {
  nodes[from].out.push_back({to, latency, distance, data, barrier});
  nodes[to].in.push_back({from, latency, distance, data, barrier});
}

/// In a slot, the order is: barrier, matrix, memory, vector, branch. A reader
/// that comes later in that order may stand in the slot of the writer.
int LoopGraph::latencyOf(const Node &from, const Node &to,
                         Value through) const {
  auto mfma = dyn_cast<MfmaOp>(to.op);
  if (from.unit == Unit::Matrix)
    // An accumulator goes straight into the next product: no wait states
    // between instructions on the same registers.
    return mfma && mfma.getC() == through ? 1 : from.latency;
  if (from.unit == Unit::Memory)
    return from.latency;
  if (from.unit == Unit::Vector) {
    // A mask in VCC, too, cannot be read by the next instruction.
    if (from.trans || isa<arith::CmpFOp, arith::CmpIOp>(from.op))
      return 1;
    if (to.unit == Unit::Matrix)
      // Not by the next instruction, and code generation orders slots. In a
      // loop of few iterations an s_nop costs less than another in flight.
      return seldom ? 1 : 2;
    return to.unit == Unit::Vector || to.unit == Unit::Branch ? 0 : 1;
  }
  return 1;
}

/// The nodes whose results `value` is made of, and how many iterations ago.
/// False if that is more than one.
bool LoopGraph::collect(Value value, int distance,
                        function_ref<void(int, int)> found) {
  if (value.getParentRegion() != &loop.getRegion())
    return true;
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    if (arg == loop.getInductionVar())
      return true;
    if (distance)
      return false;
    Value next = loop.getTiedLoopYieldedValue(arg)->get();
    return collect(next, 1, found);
  }
  Operation *op = value.getDefiningOp();
  if (int node = indexOf(op); node >= 0) {
    found(node, distance);
    return true;
  }
  return llvm::all_of(op->getOperands(),
                      [&](Value v) { return collect(v, distance, found); });
}

/// From each node to those that read its results, through everything that is
/// free.
void LoopGraph::addDataEdges() {
  for (unsigned i = 0; i < nodes.size(); ++i)
    for (Value input : getInputs(nodes[i].op)) {
      bool simple = collect(input, 0, [&](int from, int distance) {
        int latency = latencyOf(nodes[from], nodes[i], input);
        connect(from, i, latency, distance, /*data=*/true);
      });
      assert(simple && "yielded values are nodes");
      (void)simple;
    }
}

/// Tiles that overlap in LDS are one. Accesses nothing is known of belong to
/// all.
void LoopGraph::joinTiles() {
  llvm::EquivalenceClasses<int> classes;
  SmallVector<std::pair<int, std::pair<int64_t, int64_t>>> ranges;
  for (auto [i, node] : llvm::enumerate(nodes)) {
    if (!node.ldsRead && !node.ldsWrite)
      continue;
    classes.insert(i);
    // An access without the attribute may touch all of LDS.
    std::pair<int64_t, int64_t> range = {0, INT64_MAX};
    if (auto attr = node.op->getAttrOfType<DenseI64ArrayAttr>(kLdsAttr))
      range = {attr[0], attr[1]};
    if (auto slot = node.op->getAttrOfType<DenseI64ArrayAttr>(kSlotAttr)) {
      node.copy = slot[0];
      node.copies = slot[1];
    }
    for (auto &[other, r] : ranges)
      if (range.first < r.second && r.first < range.second)
        classes.unionSets(i, other);
    ranges.push_back({int(i), range});
  }
  llvm::DenseMap<int, int> numbers;
  for (auto &[i, range] : ranges) {
    int leader = classes.getLeaderValue(i);
    nodes[i].tile = numbers.try_emplace(leader, numbers.size()).first->second;
  }
  numTiles = numbers.size();
}

/// Orders within one iteration, quadratic in the nodes; across iterations the
/// windows of Placement.cpp keep the order.
void LoopGraph::addMemoryEdges() {
  for (int i = 0, n = nodes.size(); i < n; ++i) {
    Node &a = nodes[i];
    for (int j = i + 1; j < n; ++j) {
      Node &b = nodes[j];
      // Another copy of a rotating tile is another place.
      bool apart = a.copies && a.copies == b.copies && a.copy != b.copy;
      bool lds = a.tile >= 0 && a.tile == b.tile && (a.ldsWrite || b.ldsWrite);
      bool global = ((a.globalWrite && (b.globalRead || b.globalWrite)) ||
                     (a.globalRead && b.globalWrite)) &&
                    meet(a, b);
      bool barrier = a.unit == Unit::Barrier || b.unit == Unit::Barrier;
      if ((lds && !apart) || global)
        connect(i, j, 1);
      // An access may stand in the barrier's slot behind it (latency 0), not in
      // front.
      else if (barrier && (a.unit == b.unit || a.tile >= 0 || b.tile >= 0))
        connect(i, j,
                a.unit == Unit::Barrier && b.unit != Unit::Barrier ? 0 : 1,
                /*distance=*/0, /*data=*/false, a.unit != b.unit);
      // Global accesses pass a barrier unless it orders them too.
      else if (barrier &&
               (a.globalRead || b.globalRead || a.globalWrite ||
                b.globalWrite) &&
               (a.op->hasAttr(kSyncGlobalAttr) ||
                b.op->hasAttr(kSyncGlobalAttr)))
        connect(i, j, 1);
    }
  }
}

/// Reads the loop's body. On an empty return the graph is complete, and
/// `serial` says whether iterations may overlap.
std::string LoopGraph::build() {
  // How often each length of matrix instruction occurs.
  llvm::DenseMap<int, int> passes;
  for (Operation &op : *loop.getBody())
    if (auto mfma = dyn_cast<MfmaOp>(op))
      ++passes[infoOf(mfma).passes];
  // The slot is that of the most frequent matrix instruction; of two, of the
  // longer one.
  int most = 0;
  for (auto [p, count] : passes)
    if (count > most || (count == most && 4 * p > slotCycles)) {
      most = count;
      slotCycles = 4 * p;
    }
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isa<SchedBarrierOp>(op))
      continue;
    if (isa<SetPrioOp, TrapOp>(op))
      return "it sets priorities or traps";
    if (isa<FenceOp>(op))
      return "lanes exchange data in it";
    // A branch may hold arithmetic only, or one store to LDS: it is placed as a
    // whole.
    if (op.getNumRegions() && !guardedStore(&op)) {
      bool pure = !isa<scf::ForOp, scf::WhileOp>(op);
      op.walk([&](Operation *inner) {
        pure &= inner->getNumRegions() ||
                isa<scf::YieldOp, SchedBarrierOp>(inner) ||
                (isPure(inner) && !isa<MfmaOp>(inner));
      });
      if (!pure)
        return "it holds control flow with memory accesses or matrix work";
    }
    if (isa<BarrierOp>(op)) {
      ordersGlobal |= op.hasAttr(kSyncGlobalAttr);
      if (++allBarriers > 2 && twoBarriers)
        continue;
    }
    classify(&op);
    if (!isFree(&op))
      addNode(&op);
  }
  // The schedule hands values on by what makes them, so each needs a node.
  for (Value v : loop.getYieldedValues())
    if (v.getParentRegion() == &loop.getRegion() &&
        indexOf(v.getDefiningOp()) < 0)
      return "a value is handed on from iteration to iteration as it is";
  joinTiles();
  addDataEdges();
  addMemoryEdges();

  if (serial.empty())
    serial = whySerial();
  return "";
}

/// Why iterations cannot overlap.
std::string LoopGraph::whySerial() {
  if (ordersGlobal)
    return "its barrier orders global memory";
  if (numBarriers > 2)
    return "it has more than two barriers an iteration";
  std::string why = whySerialInMemory();
  return why.empty() ? whySerialInLds() : why;
}

/// Writes to global memory keep their order among themselves: they stand in the
/// last stage, which only iterations that exist come to (rotate). What other
/// iterations read meanwhile must lie elsewhere.
std::string LoopGraph::whySerialInMemory() const {
  for (const Node &node : nodes) {
    if (isa<LdsAtomicOp, GlobalLoadOp>(node.op))
      return "it accesses memory without a range check";
    if (!node.globalWrite)
      continue;
    if (node.globalRead)
      return "it uses the result of an atomic";
    for (const Node &other : nodes)
      if (other.globalRead && meet(node, other))
        return "it reads what it writes in global memory";
  }
  return "";
}

/// Of LDS. Notes the tiles with one copy, which two barriers an iteration keep:
/// written between them, read after both. Other barriers ordered nothing else
/// if each of these is written first and then only read, tiles with more
/// copies are not read in the iteration that writes the copy, and no barrier
/// orders one write before another, which other threads may do.
std::string LoopGraph::whySerialInLds() {
  std::vector<bool> written(numTiles, false), read(numTiles, false);
  std::vector<bool> any(numTiles, false);
  for (Node &node : nodes) {
    if (node.tile < 0)
      continue;
    if (!node.op->hasAttr(kLdsAttr))
      return "it accesses LDS at places nothing is known of";
    bool single = node.ldsWrite && node.copies < 2;
    if (single && numBarriers < 2)
      return "it writes LDS without a rotating copy";
    if (single && read[node.tile])
      return "it writes a tile with one copy in LDS after reading it";
    any[node.tile] = any[node.tile] || node.ldsWrite;
    read[node.tile] = read[node.tile] || node.ldsRead;
    written[node.tile] = written[node.tile] || single;
    if (single)
      singleWriteCycles += writeCycles(node);
  }
  for (Node &node : nodes) {
    if (node.tile < 0)
      continue;
    if (written[node.tile]) {
      if (node.copies >= 2)
        return "a tile has one copy here and more there";
      node.single = true;
    }
    node.constant = !any[node.tile];
    for (const Node &other : nodes)
      if (node.ldsWrite && other.ldsRead && node.tile == other.tile &&
          node.copies >= 2 && other.copy == node.copy)
        return "it reads a copy of a tile that it has just written";
      else if (node.ldsWrite && other.ldsWrite && node.tile == other.tile &&
               node.copy == other.copy &&
               node.barriersBefore != other.barriersBefore)
        return "a barrier orders two writes of a tile in LDS";
  }
  return "";
}
