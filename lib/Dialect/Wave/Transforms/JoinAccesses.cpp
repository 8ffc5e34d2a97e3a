//===- JoinAccesses.cpp - Scalar accesses side by side, as vectors --------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `wave-join-accesses`. Code that a program writes for each thread
// accesses memory element by element, in loops of a known length that are
// straight code by now. Where the elements lie side by side, one access of up
// to 16 bytes takes the place of many: accesses to LDS, of 2 bytes each, lanes
// 16 bytes apart would meet in the same banks, too; and accesses to global
// memory through a buffer resource. Branches of one condition that follow one
// another become one first, for the sake of what stands in them.
//
// An address is brought to the form `value + constant`, through the divisions
// and remainders by powers of two that make rows and columns of a linear index
// and through the XORs of a swizzle: the constant passes unchanged where the
// value is a multiple of a power of two that exceeds it. Accesses with the same
// value whose constants follow one another, aligned to their sum, with nothing
// between them that writes what they read or reads what they write, are joined.
//
// An access to global memory is checked against the end of its buffer, dword by
// dword. Of joined ones none or all must lie behind it: the buffer's size is a
// multiple of theirs. Where a row is not known to exist, as one that an index
// from memory names, its accesses have an offset behind every buffer instead,
// by a select; those of one row have one condition, and are joined too. Stores
// to global memory are joined only with no other access to it in between.
//
// Choices between the elements of an access and constants are joined likewise
// (JoinSelects.cpp).
//
//   %a = arith.muli %t, %c8            %a = arith.muli %t, %c8
//   wave.lds_store %x, %a : f16        %v = vector.from_elements %x, %y ...
//   %b = arith.addi %a, %c2       =>   wave.lds_store %v, %a : vector<4xf16>
//   wave.lds_store %y, %b : f16
//   ...
//
//===----------------------------------------------------------------------===//

#include "JoinSelects.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "tlc/Dialect/Wave/IR/WaveDialect.h"
#include "tlc/Dialect/Wave/Transforms/Passes.h"
#include <map>

using namespace mlir;
using namespace tlc;
using namespace tlc::wave;

namespace tlc::wave {
#define GEN_PASS_DEF_WAVEJOINACCESSES
#include "tlc/Dialect/Wave/Transforms/Passes.h.inc"
} // namespace tlc::wave

constexpr int64_t kMostBytes = 16;
/// As an unsigned offset behind every buffer.
constexpr int64_t kOutside = INT32_MIN;

namespace {
/// A number as a value, 0 for none, and a constant.
struct Form {
  int value = 0;
  int64_t constant = 0;
};

/// The forms of a kernel's numbers: two that are computed alike have the same
/// value.
class Forms {
public:
  Form of(Value v) {
    auto it = known.find(v);
    if (it != known.end())
      return it->second;
    Form form = compute(v);
    known[v] = form;
    return form;
  }
  /// Zeros at the low end of what the value is known to be.
  int zeros(int value) const { return value ? low[value - 1] : 31; }

private:
  enum Kind { Leaf, Add, AddConstant, Mul, ShrS, ShrU, And, Xor, Or };
  int value(Kind kind, int64_t a, int64_t b, int zeros) {
    auto [it, isNew] = ids.try_emplace({kind, a, b}, low.size() + 1);
    if (isNew) {
      low.push_back(std::min(zeros, 31));
      made.push_back({kind, a, b});
    }
    return it->second;
  }
  Form leaf(Value v) {
    auto address = reinterpret_cast<intptr_t>(v.getAsOpaquePointer());
    return {value(Leaf, address, 0, 0), 0};
  }
  /// With a constant that lies in the last bits, `zeros` of them; the rest of
  /// it is a part of the value.
  Form lowered(Form f, int zeros) {
    int64_t low = f.constant & ((int64_t(1) << zeros) - 1);
    if (low == f.constant)
      return f;
    return {value(AddConstant, f.value, f.constant - low, zeros), low};
  }
  Form compute(Value v);

  DenseMap<Value, Form> known;
  using Key = std::tuple<Kind, int64_t, int64_t>;
  std::map<Key, int> ids;
  SmallVector<int> low;
  SmallVector<Key> made; ///< by value
};
} // namespace

Form Forms::compute(Value v) {
  APInt constant;
  if (matchPattern(v, m_ConstantInt(&constant)))
    return {0, constant.getSExtValue()};
  Operation *op = v.getDefiningOp();
  // It hides a number from LLVM.
  if (auto opaque = dyn_cast_or_null<OpaqueOp>(op);
      opaque && v.getType().isInteger(32))
    return of(opaque->getOperand(0));
  if (!op || !v.getType().isInteger(32) || op->getNumOperands() != 2)
    return leaf(v);
  Form a = of(op->getOperand(0)), b = of(op->getOperand(1));
  int za = zeros(a.value), zb = zeros(b.value), z = std::min(za, zb);
  if (isa<arith::AddIOp>(op)) {
    Form sum = {0, a.constant + b.constant};
    if (a.value && b.value)
      sum.value =
          value(Add, std::min(a.value, b.value), std::max(a.value, b.value), z);
    else
      sum.value = a.value + b.value;
    return sum;
  }
  if (isa<arith::XOrIOp, arith::OrIOp>(op)) {
    a = lowered(a, z);
    b = lowered(b, z);
    bool isXor = isa<arith::XOrIOp>(op);
    return {value(isXor ? Xor : Or, std::min(a.value, b.value),
                  std::max(a.value, b.value), z),
            isXor ? a.constant ^ b.constant : a.constant | b.constant};
  }
  // The others: by a constant.
  if (b.value || b.constant < 0)
    return leaf(v);
  int64_t c = b.constant;
  if (isa<arith::ShLIOp>(op) && c < 31)
    c = int64_t(1) << c;
  if (isa<arith::MulIOp, arith::ShLIOp>(op) && c > 0) {
    int zeros = za + llvm::countr_zero(uint64_t(c));
    int64_t constant = a.constant * c;
    // A product of a product: by one factor, as canonicalization makes it.
    if (a.value && std::get<Kind>(made[a.value - 1]) == Mul) {
      auto [kind, value, factor] = made[a.value - 1];
      if (factor <= INT32_MAX / c) {
        a.value = int(value);
        c *= factor;
      }
    }
    return {value(Mul, a.value, c, zeros), constant};
  }
  a = lowered(a, za);
  if (isa<arith::AndIOp>(op))
    return {value(And, a.value, c, za), a.constant & c};
  if (isa<arith::ShRSIOp, arith::ShRUIOp>(op) && c < 32)
    return {value(isa<arith::ShRSIOp>(op) ? ShrS : ShrU, a.value, c,
                  std::max<int>(0, za - c)),
            a.constant >> c};
  return leaf(v);
}

/// Whether a branch does nothing but what stands in it.
static bool isPlainBranch(scf::IfOp branch) {
  return branch && !branch.getNumResults() && !branch.elseBlock();
}

/// Makes branches of one condition one, where between them stands only what has
/// no effect. Whether there were any.
static bool joinBranches(Operation *kernel) {
  SmallVector<scf::IfOp> branches;
  kernel->walk([&](scf::IfOp branch) {
    if (isPlainBranch(branch))
      branches.push_back(branch);
  });
  // Backwards, so that each takes what the one behind it has taken.
  bool any = false;
  for (scf::IfOp branch : llvm::reverse(branches)) {
    Operation *op = branch->getNextNode();
    while (op && isPure(op) && !op->getNumRegions())
      op = op->getNextNode();
    auto next = dyn_cast_or_null<scf::IfOp>(op);
    if (!isPlainBranch(next) || next.getCondition() != branch.getCondition())
      continue;
    // What stands between them goes before both.
    while (branch->getNextNode() != next)
      branch->getNextNode()->moveBefore(branch);
    Block *to = branch.thenBlock(), *from = next.thenBlock();
    from->getTerminator()->erase();
    to->getOperations().splice(to->getTerminator()->getIterator(),
                               from->getOperations());
    next.erase();
    any = true;
  }
  return any;
}

namespace {
struct Member {
  Operation *op;
  int64_t constant;
};
enum class Access { LdsLoad, LdsStore, GlobalLoad, GlobalStore };

/// Accesses of one kind, element type and value, in program order.
struct Run {
  Access access;
  Type type;
  int value = 0;
  Value resource; ///< of global memory
  /// Where it is false, nothing is loaded; null if there is none.
  Value condition;
  /// The address may not be reckoned with: LLVM must not see into it.
  bool hidden = false;
  SmallVector<Member> members;

  DictionaryAttr attributes() const {
    return members.front().op->getDiscardableAttrDictionary();
  }
  bool takes(const Run &one) const {
    return access == one.access && type == one.type && value == one.value &&
           resource == one.resource && condition == one.condition &&
           hidden == one.hidden && attributes() == one.attributes();
  }
};

struct JoinAccesses : tlc::wave::impl::WaveJoinAccessesBase<JoinAccesses> {
  using WaveJoinAccessesBase::WaveJoinAccessesBase;

  void runOnOperation() override {
    // A pass runs on one kernel after the other.
    runs.clear();
    forms = {};
    if (joinBranches(getOperation())) {
      // What was computed in each of them.
      IRRewriter rewriter(&getContext());
      DominanceInfo dominance(getOperation());
      eliminateCommonSubExpressions(rewriter, dominance, getOperation());
    }
    // All runs first: forms know values, which joining replaces.
    getOperation().walk([&](Block *block) { visit(*block); });
    for (Run &run : runs)
      join(run);
    joinSelects(getOperation());
  }

  std::optional<Run> accessOf(Operation &op);
  void visit(Block &block);
  void join(Run &run);
  void replace(const Run &run, ArrayRef<Member> members);
  std::vector<Run> runs;
  Forms forms;
};
} // namespace

/// The run of one access that an op starts, if it may be part of one.
std::optional<Run> JoinAccesses::accessOf(Operation &op) {
  Run run;
  Form form;
  int64_t offset = 0;
  if (auto load = dyn_cast<LdsLoadOp>(op)) {
    run.access = Access::LdsLoad;
    run.type = load.getType();
    form = forms.of(load.getAddr());
    offset = load.getOffset();
  } else if (auto store = dyn_cast<LdsStoreOp>(op)) {
    run.access = Access::LdsStore;
    run.type = store.getValue().getType();
    form = forms.of(store.getAddr());
    offset = store.getOffset();
  } else if (isa<BufferLoadOp, BufferStoreOp>(op)) {
    Value voffset, soffset;
    auto load = dyn_cast<BufferLoadOp>(op);
    if (load) {
      run.access = Access::GlobalLoad;
      run.type = load.getType();
      run.resource = load.getRsrc();
      voffset = load.getVoffset();
      soffset = load.getSoffset();
      offset = load.getOffset();
    } else {
      auto store = cast<BufferStoreOp>(op);
      run.access = Access::GlobalStore;
      run.type = store.getValue().getType();
      run.resource = store.getRsrc();
      voffset = store.getVoffset();
      soffset = store.getSoffset();
      offset = store.getOffset();
    }
    if (soffset)
      return std::nullopt;
    APInt outside;
    if (auto select = voffset.getDefiningOp<arith::SelectOp>();
        select && select.getCondition().getType().isInteger(1) &&
        matchPattern(select.getFalseValue(), m_ConstantInt(&outside)) &&
        outside.getSExtValue() == kOutside) {
      run.condition = select.getCondition();
      voffset = select.getTrueValue();
    }
    run.hidden = run.condition || voffset.getDefiningOp<OpaqueOp>();
    form = forms.of(voffset);
  } else {
    return std::nullopt;
  }
  if (!run.type.isIntOrFloat() || run.type.getIntOrFloatBitWidth() < 8 ||
      run.type.getIntOrFloatBitWidth() > 32)
    return std::nullopt;
  run.value = form.value;
  run.members.push_back({&op, form.constant + offset});
  return run;
}

/// Loads of different runs may stand between one another; a store to LDS ends
/// those from there, any other access to LDS stores. A barrier, a store to
/// global memory and what has regions end all.
void JoinAccesses::visit(Block &block) {
  SmallVector<Run, 4> open;
  auto close = [&](llvm::function_ref<bool(const Run &)> which) {
    llvm::erase_if(open, [&](const Run &run) {
      if (!which(run))
        return false;
      if (run.members.size() > 1)
        runs.push_back(run);
      return true;
    });
  };
  auto all = [](const Run &) { return true; };
  for (Operation &op : block) {
    bool lds = isa<LdsLoadOp, LdsStoreOp>(op), store = isa<LdsStoreOp>(op);
    if (!lds && !isa<BufferLoadOp, BufferStoreOp, GlobalLoadOp>(op)) {
      if (op.getNumRegions() || !isPure(&op))
        close(all);
      continue;
    }
    std::optional<Run> one = accessOf(op);
    if (lds)
      close([&](const Run &run) {
        bool either = store || run.access == Access::LdsStore;
        bool global = run.access == Access::GlobalLoad ||
                      run.access == Access::GlobalStore;
        return !global && either && !(one && run.takes(*one));
      });
    else if (isa<BufferStoreOp>(op))
      close([&](const Run &run) { return !(one && run.takes(*one)); });
    else
      close([](const Run &run) { return run.access == Access::GlobalStore; });
    if (!one)
      continue;
    Run *run = llvm::find_if(open, [&](const Run &r) { return r.takes(*one); });
    if (run == open.end())
      open.push_back(*one);
    else
      run->members.push_back(one->members.front());
  }
  close(all);
}

/// Bytes that the size of the buffer is a multiple of; 0 if that is not known.
static int64_t sizeUnit(const Run &run) {
  APInt bytes;
  auto resource = run.resource.getDefiningOp<ResourceOp>();
  if (!resource || !matchPattern(resource.getNumBytes(), m_ConstantInt(&bytes)))
    return 0;
  return bytes.isZero() ? kMostBytes
                        : int64_t(1) << std::min(bytes.countr_zero(), 30u);
}

/// Cuts a run into accesses of 16, 8, 4 or 2 bytes that are aligned.
void JoinAccesses::join(Run &run) {
  llvm::stable_sort(run.members, [](const Member &a, const Member &b) {
    return a.constant < b.constant;
  });
  int64_t bytes = run.type.getIntOrFloatBitWidth() / 8;
  ArrayRef<Member> rest = run.members;
  // Two accesses to one place keep their order, and all others theirs.
  for (auto [a, b] : llvm::zip(rest.drop_back(), rest.drop_front()))
    if (b.constant < a.constant + bytes)
      return;
  int64_t most = kMostBytes;
  if (run.access == Access::GlobalLoad || run.access == Access::GlobalStore)
    most = std::max(std::min(most, sizeUnit(run)), bytes);
  while (!rest.empty()) {
    size_t n = most / bytes;
    auto fits = [&] {
      if (rest.size() < n || rest[0].constant % int64_t(n * bytes) ||
          forms.zeros(run.value) < int(llvm::Log2_64(n * bytes)))
        return false;
      for (size_t i = 1; i < n; ++i)
        if (rest[i].constant != rest[0].constant + int64_t(i) * bytes)
          return false;
      return true;
    };
    while (n > 1 && !fits())
      n /= 2;
    // A load's address is that of the first, which must be the lowest then.
    if (n > 1 && run.hidden && run.access == Access::GlobalLoad &&
        llvm::any_of(rest.slice(1, n - 1), [&](const Member &m) {
          return m.op->isBeforeInBlock(rest[0].op);
        }))
      n = 1;
    if (n > 1)
      replace(run, rest.take_front(n));
    rest = rest.drop_front(n);
  }
}

/// Loads come where the first was, stores where the last.
void JoinAccesses::replace(const Run &run, ArrayRef<Member> members) {
  auto earlier = [](const Member &a, const Member &b) {
    return a.op->isBeforeInBlock(b.op);
  };
  auto type = VectorType::get({int64_t(members.size())}, run.type);
  if (run.access == Access::LdsStore || run.access == Access::GlobalStore) {
    Operation *last = llvm::max_element(members, earlier)->op;
    OpBuilder b(last);
    Location loc = last->getLoc();
    SmallVector<Value> values;
    for (const Member &m : members)
      values.push_back(isa<LdsStoreOp>(m.op)
                           ? cast<LdsStoreOp>(m.op).getValue()
                           : cast<BufferStoreOp>(m.op).getValue());
    Value vector = vector::FromElementsOp::create(b, loc, type, values);
    // With the address of the lowest.
    Operation *lowest = members.front().op, *joined = nullptr;
    if (auto store = dyn_cast<LdsStoreOp>(lowest))
      joined = LdsStoreOp::create(b, loc, vector, store.getAddr(),
                                  store.getOffset());
    else if (auto store = dyn_cast<BufferStoreOp>(lowest))
      joined = BufferStoreOp::create(b, loc, vector, run.resource,
                                     store.getVoffset(), /*soffset=*/Value(),
                                     store.getOffset());
    joined->setDiscardableAttrs(lowest->getDiscardableAttrDictionary());
    for (const Member &m : members)
      m.op->erase();
    return;
  }
  Operation *first = llvm::min_element(members, earlier)->op;
  // Its own address is there; the lowest lies a known distance below.
  Location loc = first->getLoc();
  OpBuilder b(first);
  auto fromLds = dyn_cast<LdsLoadOp>(first);
  auto fromBuffer = dyn_cast<BufferLoadOp>(first);
  int64_t offset = fromLds ? fromLds.getOffset() : fromBuffer.getOffset();
  Value address = fromLds ? fromLds.getAddr() : fromBuffer.getVoffset();
  for (const Member &m : members)
    if (m.op == first)
      offset += members.front().constant - m.constant;
  if (offset < 0) {
    address = arith::AddIOp::create(
        b, loc, address,
        arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(offset)));
    offset = 0;
  }
  Operation *joined =
      fromLds ? LdsLoadOp::create(b, loc, type, address, offset)
              : BufferLoadOp::create(b, loc, type, run.resource, address,
                                     /*soffset=*/Value(), offset)
                    .getOperation();
  joined->setDiscardableAttrs(first->getDiscardableAttrDictionary());
  for (auto [i, m] : llvm::enumerate(members)) {
    Value element = vector::ExtractOp::create(b, loc, joined->getResult(0),
                                              ArrayRef<int64_t>{int64_t(i)});
    m.op->getResult(0).replaceAllUsesWith(element);
  }
  for (const Member &m : members)
    m.op->erase();
}
