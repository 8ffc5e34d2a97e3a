//===- KernelRegisters.cpp - Registers that a kernel will need ------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value lives from its op to its last reader, and to the end of a loop that
// reads it and does not make it anew each time. What a loop carries is one
// value: its initial value ends where the loop begins, the yielded one becomes
// the next. The sum over the values alive, op by op, has its peak at what the
// kernel needs.
//
// Not counted: constants, scalars that all lanes share (they have registers of
// their own), and results of ops that only name part of a vector.
//
// An estimate before code generation: by it the driver passes over attempts
// that would spill, so it must be cheap and need not be exact.
//
//===----------------------------------------------------------------------===//

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tlc/Dialect/Wave/Transforms/Registers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::wave;

/// 512 registers of a lane, VGPRs and AGPRs, shared by the wavefronts that one
/// workgroup puts on a SIMD (gfx90a and later have one file for both).
int64_t wave::registersOfLane(int64_t threads) {
  constexpr int64_t kLanes = 64, kSimds = 4, kRegisters = 512;
  int64_t waves = llvm::divideCeil(llvm::divideCeil(threads, kLanes), kSimds);
  return kRegisters / std::max<int64_t>(waves, 1);
}

namespace {
/// Numbers of an op and of the last op inside it.
struct Span {
  int64_t first = 0, last = 0;
};

/// One kernel; ops are numbered in program order first, then each value adds
/// its bytes where it begins and takes them back where it ends.
class Counter {
public:
  int64_t run(KernelOp kernel);

private:
  void number(Operation *op);
  void count(Operation *op);
  void countValue(Value value, int64_t from);
  bool isShared(Value value);
  int64_t firstUse(Value value);
  int64_t lastUse(Value value);
  int64_t bytesOf(Value value);

  int64_t next = 0;
  llvm::DenseMap<Operation *, Span> numbers;
  llvm::DenseMap<Value, bool> shared;
  llvm::DenseMap<Value, int64_t> last; ///< lastUse() of values
  std::vector<int64_t> change;         ///< bytes more or less at each number
};
} // namespace

/// Branches of an `if` get the same numbers, since only one of them runs.
void Counter::number(Operation *op) {
  Span span;
  span.first = next++;
  int64_t begin = next, end = next;
  for (Region &region : op->getRegions()) {
    if (isa<scf::IfOp>(op))
      next = begin; // one branch or the other: at the same time
    for (Block &block : region)
      for (Operation &inner : block)
        number(&inner);
    end = next = std::max(next, end);
  }
  span.last = next++;
  numbers[op] = span;
}

/// Whether all lanes have the same value.
bool Counter::isShared(Value value) {
  if (isa<VectorType>(value.getType()))
    return false;
  if (auto it = shared.find(value); it != shared.end())
    return it->second;
  shared[value] = false; // a cycle is taken for divergent
  bool result = false;
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    Operation *parent = arg.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      result = arg == loop.getInductionVar() ||
               isShared(loop.getTiedLoopInit(arg)->get());
    else
      result = isa<KernelOp>(parent);
  } else {
    Operation *op = value.getDefiningOp();
    if (isa<BlockIdOp, WaveIdOp, UniformOp, AnyOp, ResourceOp, BallotOp>(op))
      result = true;
    else if (!isa<ThreadIdOp, LaneIdOp, ShuffleOp, ShuffleXorOp>(op) &&
             op->getNumRegions() == 0 && isPure(op))
      result =
          llvm::all_of(op->getOperands(), [&](Value v) { return isShared(v); });
  }
  return shared[value] = result;
}

/// Whether the result is registers that the operands have already: a part of a
/// vector, or parts put together as they lie.
static bool isAlias(Operation *op) {
  if (isa<vector::ExtractStridedSliceOp, vector::ShapeCastOp, vector::ExtractOp,
          vector::BitCastOp>(op))
    return isa<VectorType>(op->getOperand(0).getType());
  auto join = dyn_cast<vector::FromElementsOp>(op);
  if (!join)
    return false;
  // 16-bit elements come together without a move if they share a register
  // already.
  unsigned bits = join.getType().getElementTypeBitWidth();
  int64_t perRegister = std::max(1u, 32 / bits), first = 0;
  Value source;
  for (auto [i, element] : llvm::enumerate(join.getElements())) {
    auto part = element.getDefiningOp<vector::ExtractOp>();
    if (!part || part.getStaticPosition().size() != 1)
      return false;
    int64_t position = part.getStaticPosition()[0], within = i % perRegister;
    if (within == 0) {
      source = part.getSource();
      first = position;
    }
    if (part.getSource() != source || position != first + within ||
        first % perRegister)
      return false;
  }
  return true;
}

/// Bytes of a lane's vector registers; 0 for what lies in scalar registers, is
/// an immediate or names registers counted elsewhere.
int64_t Counter::bytesOf(Value value) {
  Type type = value.getType();
  if (isa<RsrcType>(type) || isa<IndexType>(type) || type.isInteger(1) ||
      isShared(value))
    return 0;
  // A 64-bit address.
  if (isa<PtrType>(type))
    return 8;
  Operation *op = value.getDefiningOp();
  if (op && (op->hasTrait<OpTrait::ConstantLike>() ||
             isa<vector::BroadcastOp>(op) || isAlias(op)))
    return 0;
  return getByteSize(type);
}

/// The number of the last op that needs the value, seen from where it is made.
int64_t Counter::lastUse(Value value) {
  if (auto it = last.find(value); it != last.end())
    return it->second;
  int64_t end = -1;
  Region *home = value.getParentRegion();
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    int64_t at = numbers[user].first;
    // Alive through every loop around the user that does not hold the value.
    for (Region *r = user->getParentRegion(); r && r != home;
         r = r->getParentRegion())
      if (isa<LoopLikeOpInterface>(r->getParentOp()))
        at = numbers[r->getParentOp()].last;
    // A part of a vector keeps the whole vector alive.
    if (isAlias(user))
      at = std::max(at, lastUse(user->getResult(0)));
    end = std::max(end, at);
  }
  return last[value] = end;
}

/// Code generation brings loads from LDS close to those who read them or parts
/// of them.
int64_t Counter::firstUse(Value value) {
  int64_t first = next;
  Block *home = value.getParentBlock();
  for (Operation *user : value.getUsers())
    if (isAlias(user))
      first = std::min(first, firstUse(user->getResult(0)));
    else if (Operation *here = home->findAncestorOpInBlock(*user))
      first = std::min(first, numbers[here].first - 1);
  return first;
}

/// Alive from `from` up to its last use; a value that nobody reads counts
/// nothing.
void Counter::countValue(Value value, int64_t from) {
  int64_t bytes = bytesOf(value);
  if (!bytes)
    return;
  int64_t to = lastUse(value);
  if (to <= from)
    return;
  change[from] += bytes;
  change[to] -= bytes;
}

// An op's results live from its end; arguments of its regions from its
// beginning.
void Counter::count(Operation *op) {
  Span span = numbers[op];
  for (Value result : op->getResults())
    countValue(result, isa<LdsLoadOp>(op) ? firstUse(result) : span.last);
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      for (Value arg : block.getArguments())
        countValue(arg, span.first);
      for (Operation &inner : block)
        count(&inner);
    }
}

/// 32-bit registers at the peak of a running sum; linear in ops and uses.
int64_t Counter::run(KernelOp kernel) {
  number(kernel);
  change.assign(next + 1, 0);
  count(kernel);
  int64_t now = 0, most = 0;
  for (int64_t bytes : change) {
    now += bytes;
    most = std::max(most, now);
  }
  return llvm::divideCeil(most, 4);
}

int64_t wave::peakRegisters(KernelOp kernel) { return Counter().run(kernel); }
