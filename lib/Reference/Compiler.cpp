//===- Compiler.cpp - Scalars, control flow and scopes --------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers and tile ops are in CompileTile.cpp.
//
// Order of the walk is the order of the ops, so an operand always has its slot.
// What the reference does not know is an error at the op: guessing would make a
// wrong kernel look right.
//
// The result is a tree of Programs: one for the host's part, one for a kernel,
// and mostly one for each parallel loop. An instruction is a function that runs
// over all lanes of its Frame at once; operands are slots. Two facts about a
// slot decide how much work is needed: whether it may have an error (tracked)
// and whether lanes may differ (varying).
//
//===----------------------------------------------------------------------===//

#include "Compiler.h"
#include "ConvertOps.h"
#include "tlc/Dialect/Tile/IR/Relaxations.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::reference;

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

/// A slot of the current scope's Program.
uint32_t Compiler::newSlot(bool tracked, bool varying) {
  scope->tracked.push_back(tracked);
  scope->varying.push_back(varying);
  return scope->program->slots++;
}

/// The slot of a value that is about to be computed. Floats always track an
/// error: rounding makes one.
uint32_t Compiler::define(Value value, bool tracked, bool varying) {
  uint32_t slot = newSlot(tracked || isa<FloatType>(value.getType()), varying);
  slots[value] = {scope, slot};
  return slot;
}

/// A slot that is filled when a Frame is made.
uint32_t Compiler::constant(Cell cell) {
  uint32_t slot = newSlot(false, false);
  scope->program->constants.push_back({slot, cell});
  return slot;
}

/// The slot in `to` that holds a value of an enclosing scope. Values pass
/// through every scope between, one capture each; a value imported twice keeps
/// its slot. A captured value is the same for all lanes.
uint32_t Compiler::import(Scope &to, SlotRef ref) {
  if (ref.scope == &to)
    return ref.slot;
  uint32_t outer = import(*to.parent, ref);
  auto [it, isNew] = to.captures.try_emplace(outer, to.program->slots);
  if (isNew) {
    to.tracked.push_back(to.parent->tracked[outer]);
    to.varying.push_back(false);
    to.program->captures.push_back({outer, to.program->slots++});
  }
  return it->second;
}

/// The slot of an operand in the current scope; imported if it is from outside.
uint32_t Compiler::use(Value value) {
  auto it = slots.find(value);
  assert(it != slots.end() && "operands come before their uses");
  return import(*scope, it->second);
}

bool Compiler::refuse(Operation *op, const Twine &message) {
  op->emitError(message);
  return false;
}

/// Appends an instruction; the reference is valid until the next one.
Inst &Compiler::emit(LaneFn fn, Operation *op) {
  Inst &inst = code->emplace_back();
  inst.fn = fn;
  inst.op = op;
  return inst;
}

/// Slots for loop-carried values or results; refuses memrefs.
bool Compiler::defineAll(ValueRange values, std::vector<uint32_t> &out,
                         bool varying, Operation *op) {
  for (Value value : values) {
    if (!scalarOf(value.getType()))
      return refuse(op, "the reference does not follow this loop-carried or "
                        "chosen buffer");
    out.push_back(define(value, true, varying));
  }
  return true;
}

/// Of several values, each goes through a slot of its own first: `a, b = b, a`
/// must not read what it has written.
bool Compiler::moves(ValueRange from, ArrayRef<uint32_t> to,
                     std::vector<Move> &out) {
  bool several = to.size() > 1;
  for (auto [value, slot] : llvm::zip(from, to))
    out.push_back({use(value), several ? newSlot(true, true) : slot, slot});
  return true;
}

//===----------------------------------------------------------------------===//
// Blocks and scalar ops
//===----------------------------------------------------------------------===//

/// Compiles a block's ops into `into`; the terminator is the caller's business.
bool Compiler::block(Block &body, Code &into) {
  Code *outer = code;
  code = &into;
  bool ok = true;
  for (Operation &each : body.without_terminator())
    if (!(ok = op(each)))
      break;
  code = outer;
  return ok;
}

/// One op; everything that is not listed is a scalar op of arith or math.
bool Compiler::op(Operation &each) {
  return TypeSwitch<Operation *, bool>(&each)
      .Case([&](arith::ConstantOp o) { return constantOp(o); })
      .Case([&](scf::IfOp o) { return ifOp(o); })
      .Case([&](scf::ForOp o) { return forOp(o); })
      .Case([&](scf::WhileOp o) { return whileOp(o); })
      .Case([&](tile::ParallelOp o) { return parallelOp(o); })
      .Case([&](tile::KernelOp o) { return hostOnly || kernelOp(o); })
      .Case([&](tile::TensorOp o) { return tensorOp(o); })
      .Case([&](tile::AllocOp o) { return allocOp(o); })
      .Case([&](tile::AliasOp o) { return aliasOp(o); })
      .Case([&](tile::ViewOp o) { return viewOp(o); })
      .Case([&](tile::LoadOp o) { return loadOp(o); })
      .Case([&](tile::StoreOp o) { return storeOp(o); })
      .Case([&](tile::AtomicOp o) { return atomicOp(o); })
      .Case([&](tile::ThreadIdOp o) { return threadIdOp(o); })
      .Case<tile::ShuffleOp, tile::BallotOp>(
          [&](Operation *o) { return laneOp(*o); })
      .Case([&](tile::PointerOp o) {
        return refuse(o, "the reference follows no addresses");
      })
      // Lanes run in lockstep: there is nothing to wait for.
      .Case([&](tile::SyncOp) { return true; })
      .Case<tile::PrintOp, tile::AssertOp>(
          [&](Operation *o) { return messageOp(*o); })
      .Case<tile::CopyOp, tile::FillOp, tile::GemmOp, tile::ReduceOp,
            tile::ScanOp, tile::TransposeOp>(
          [&](Operation *o) { return tileOp(*o); })
      .Default([&](Operation *o) { return scalar(*o); });
}

/// Doubles hold any float constant exactly. Integers are sign-extended, i1 0 or
/// 1.
bool Compiler::constantOp(arith::ConstantOp o) {
  Cell cell{.i = 0};
  if (auto f = dyn_cast<FloatAttr>(o.getValue())) {
    APFloat value = f.getValue();
    bool loses;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
    cell.f = value.convertToDouble();
  } else if (auto i = dyn_cast<IntegerAttr>(o.getValue())) {
    cell.i = i.getType().isInteger(1) ? i.getValue().getZExtValue()
                                      : i.getValue().getSExtValue();
  } else {
    return refuse(o, "the reference knows scalar constants only");
  }
  slots[o.getResult()] = {scope, constant(cell)};
  return true;
}

/// Whether a value may be an operand of an addition: directly, widened, as one
/// side of a selection, or from a buffer or another iteration, since an element
/// that stays in its register is a value like any other.
static bool mayBeAdded(Value v) {
  return llvm::any_of(v.getUsers(), [](Operation *user) {
    if (isa<arith::SelectOp, arith::ExtFOp>(user))
      return mayBeAdded(user->getResult(0));
    return isa<arith::AddFOp, arith::SubFOp, arith::NegFOp>(user) ||
           user->getNumResults() == 0;
  });
}

/// A product that flows into an addition may be contracted with it, so that
/// even exact operands may give another value than the product rounded by
/// itself.
static bool mayContract(Operation &op) {
  return isa<arith::MulFOp>(op) && mayBeAdded(op.getResult(0));
}

/// Comparisons by predicate, all others by name; a null function if unknown.
ScalarOp tlc::reference::findScalarOp(Operation &o) {
  StringRef name = o.getName().getStringRef();
  if (auto cmp = dyn_cast<arith::CmpIOp>(o))
    return {integerCompare(cmp.getPredicate())};
  if (auto cmp = dyn_cast<arith::CmpFOp>(o))
    return {floatCompare(cmp.getPredicate())};
  if (LaneFn conversion = findConversion(name))
    return {conversion, 0, roundingOf(&o)};
  if (ScalarOp f = findFloatOp(name); f.fn)
    return f;
  return findIntegerOp(name);
}

/// An op on scalars: up to three operands, one result. It tracks errors and
/// varies between lanes if an operand does.
bool Compiler::scalar(Operation &o) {
  StringRef name = o.getName().getStringRef();
  if (o.getNumResults() != 1 || o.getNumOperands() == 0 ||
      o.getNumOperands() > 3 || o.getNumRegions() != 0)
    return refuse(&o, "the reference does not know '" + name + "'");
  auto type = scalarOf(o.getResult(0).getType());
  std::optional<Scalar> from = scalarOf(o.getOperand(0).getType());
  if (!type || !from)
    return refuse(&o,
                  "the reference knows scalar types only in '" + name + "'");
  ScalarOp entry = findScalarOp(o);
  if (!entry.fn)
    return refuse(&o, "the reference does not know '" + name + "'");
  uint32_t operands[3] = {0, 0, 0};
  bool tracked = false, varying = false;
  for (auto [i, operand] : llvm::enumerate(o.getOperands())) {
    operands[i] = use(operand);
    tracked |= isTracked(operands[i]);
    varying |= isVarying(operands[i]);
  }
  uint32_t dst = define(o.getResult(0), tracked, varying);
  Inst &inst = emit(entry.fn, &o);
  inst.dst = dst;
  inst.a = operands[0];
  inst.b = operands[1];
  inst.c = operands[2];
  inst.type = *type;
  inst.from = *from;
  inst.bound = entry.bound;
  inst.imm = entry.imm;
  inst.tracked = tracked;
  inst.contract = mayContract(o);
  return true;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// scf.if with its results: each branch ends in moves to the results' slots. In
/// code per thread, results may differ between threads even where the operands
/// do not.
bool Compiler::ifOp(scf::IfOp o) {
  uint32_t condition = use(o.getCondition());
  auto &data = keep<IfData>();
  std::vector<uint32_t> results;
  // Branches first: their slots must exist before the moves name them.
  if (!block(*o.thenBlock(), data.thenCode))
    return false;
  if (o.elseBlock() && !block(*o.elseBlock(), data.elseCode))
    return false;
  if (!defineAll(o.getResults(), results, scope->perThread, o))
    return false;
  moves(o.thenYield().getOperands(), results, data.thenMoves);
  if (o.elseBlock())
    moves(o.elseYield().getOperands(), results, data.elseMoves);
  Inst &inst = emit(execIf, o);
  inst.a = condition;
  inst.extra = &data;
  return true;
}

/// scf.for. Iteration arguments have slots that the yields overwrite.
bool Compiler::forOp(scf::ForOp o) {
  auto &data = keep<ForData>();
  uint32_t lower = use(o.getLowerBound()), upper = use(o.getUpperBound()),
           step = use(o.getStep());
  bool varying = isVarying(lower) || isVarying(upper) || isVarying(step);
  data.iv = define(o.getInductionVar(), false, varying);
  std::vector<uint32_t> carried, results;
  if (!defineAll(o.getRegionIterArgs(), carried, scope->perThread, o))
    return false;
  moves(o.getInits(), carried, data.inits);
  if (!block(*o.getBody(), data.body))
    return false;
  auto yield = cast<scf::YieldOp>(o.getBody()->getTerminator());
  moves(yield.getOperands(), carried, data.yields);
  if (!defineAll(o.getResults(), results, scope->perThread, o))
    return false;
  moves(o.getRegionIterArgs(), results, data.results);
  Inst &inst = emit(execFor, o);
  inst.a = lower;
  inst.b = upper;
  inst.c = step;
  inst.extra = &data;
  return true;
}

/// scf.while: the values that the condition forwards go to the body's arguments
/// or, for lanes that leave, to the results.
bool Compiler::whileOp(scf::WhileOp o) {
  auto &data = keep<WhileData>();
  std::vector<uint32_t> before, after, results;
  bool varying = scope->perThread;
  if (!defineAll(o.getBeforeArguments(), before, varying, o) ||
      !defineAll(o.getAfterArguments(), after, varying, o))
    return false;
  moves(o.getInits(), before, data.inits);
  if (!block(*o.getBeforeBody(), data.before))
    return false;
  scf::ConditionOp condition = o.getConditionOp();
  data.condition = use(condition.getCondition());
  if (!block(*o.getAfterBody(), data.after))
    return false;
  moves(condition.getArgs(), after, data.forwards);
  moves(o.getYieldOp().getOperands(), before, data.yields);
  if (!defineAll(o.getResults(), results, varying, o))
    return false;
  moves(condition.getArgs(), results, data.results);
  emit(execWhile, o).extra = &data;
  return true;
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

/// Whether code outside parallel loops does something once per thread. If not,
/// one lane stands for the workgroup, which is a thousand times cheaper.
static bool isPerThread(tile::KernelOp kernel) {
  WalkResult found =
      kernel.getBody().walk<WalkOrder::PreOrder>([](Operation *o) {
        if (isa<tile::ParallelOp>(o))
          return WalkResult::skip();
        return isa<tile::ThreadIdOp, tile::AtomicOp, tile::ShuffleOp,
                   tile::BallotOp>(o)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      });
  return found.wasInterrupted();
}

/// A kernel: a Program with one lane, or one lane for each thread. Grid extents
/// are slots of the host's program.
bool Compiler::kernelOp(tile::KernelOp o) {
  auto &data = keep<KernelData>();
  for (Value extent : o.getGrid())
    data.grid.push_back(use(extent));
  bool perThread = isPerThread(o);
  data.lazyMaximum = tile::getLazyMaximum(o) > 0;
  data.lanes = perThread ? unsigned(o.getNumThreads()) : 1;
  kernelThreads.assign(o.getThreads().begin(), o.getThreads().end());
  Scope &inner = scopes.emplace_back(&data.program, scope, perThread, false);
  Scope *outer = scope;
  scope = &inner;
  for (Value index : o.getBody().getArguments())
    data.program.arguments.push_back(define(index, false, false));
  bool ok = block(o.getBody().front(), data.program.body);
  scope = outer;
  emit(execKernel, o).extra = &data;
  return ok;
}

namespace {
/// How the body of a parallel loop uses buffers that belong to each thread.
struct LocalUse {
  bool stores = false, loads = false;
  SmallVector<Value, 2> stored;
};
} // namespace

/// Looks at all accesses in the body, through views and aliases.
static LocalUse localUseOf(tile::ParallelOp o) {
  LocalUse use;
  o.getBody().walk([&](Operation *inner) {
    auto visit = [&](Value buffer, bool writes) {
      Value base = tile::getBase(buffer);
      bool local = tile::getSpace(base) == tile::Space::Local;
      bool outside = !o.getBody().isAncestor(base.getParentRegion());
      if (local && outside) {
        (writes ? use.stores : use.loads) = true;
        if (writes && !llvm::is_contained(use.stored, base))
          use.stored.push_back(base);
      }
    };
    if (auto load = dyn_cast<tile::LoadOp>(inner))
      visit(load.getSource(), false);
    else if (auto store = dyn_cast<tile::StoreOp>(inner))
      visit(store.getDest(), true);
    else if (auto atomic = dyn_cast<tile::AtomicOp>(inner))
      visit(atomic.getDest(), true);
  });
  return use;
}

/// A parallel loop. Usually its points are lanes of a Program of their own,
/// whatever threads there are. In code per thread, those of a loop that uses a
/// thread's own buffer are divided among the threads. Which thread gets which
/// is the compiler's choice: what depends on it has no defined result.
bool Compiler::parallelOp(tile::ParallelOp o) {
  auto &data = keep<ParallelData>();
  data.extents.assign(o.getExtents().begin(), o.getExtents().end());
  LocalUse local = localUseOf(o);
  if (scope->isPoints)
    return refuse(o, "a parallel loop inside another one");
  if (scope->perThread && (local.stores || local.loads)) {
    data.perThread = true;
    for (Value iv : o.getBody().getArguments())
      data.ivs.push_back(define(iv, false, false));
    bool ok = block(o.getBody().front(), data.body);
    emit(execParallel, o).extra = &data;
    return ok;
  }
  // Local buffers that the body writes serve one point at a time.
  for (Value base : local.stored)
    if (const View *view = viewOf(base, o))
      data.program.privates.push_back(view->buffer);
  Scope &inner = scopes.emplace_back(&data.program, scope, false, true);
  Scope *outer = scope;
  scope = &inner;
  for (Value iv : o.getBody().getArguments())
    data.program.arguments.push_back(define(iv, false, true));
  bool ok = block(o.getBody().front(), data.program.body);
  scope = outer;
  for (const Program::Capture &c : data.program.captures)
    if (isVarying(c.outer) && ok)
      ok = refuse(o, "this parallel loop uses a value that differs between "
                     "threads");
  emit(execParallel, o).extra = &data;
  return ok;
}

bool Compiler::threadIdOp(tile::ThreadIdOp o) {
  if (!scope->perThread)
    return refuse(o, "the reference does not know which thread runs a point of "
                     "a parallel loop");
  uint64_t dim = o.getDim();
  if (dim >= 3)
    return refuse(o, "thread indices have three dimensions");
  int64_t faster = 1;
  for (uint64_t d = 0; d < dim && d < kernelThreads.size(); ++d)
    faster *= kernelThreads[d];
  Inst &inst = emit(execThreadId, o);
  inst.dst = define(o.getResult(), false, true);
  inst.b = uint32_t(faster);
  inst.imm = dim < kernelThreads.size() ? kernelThreads[dim] : 1;
  return true;
}

/// Shuffle and ballot, between lanes that are threads.
bool Compiler::laneOp(Operation &o) {
  if (!scope->perThread)
    return refuse(&o, "the reference does not know which thread runs a point "
                      "of a parallel loop");
  uint32_t value = use(o.getOperand(0));
  auto shuffle = dyn_cast<tile::ShuffleOp>(o);
  uint32_t lane = shuffle ? use(shuffle.getLane()) : 0;
  Inst &inst = emit(shuffle ? execShuffle : execBallot, &o);
  inst.a = value;
  inst.b = lane;
  inst.dst = define(o.getResult(0), shuffle && isTracked(value), true);
  return true;
}

LogicalResult Compiler::compile(tile::FuncOp func,
                                ArrayRef<Storage *> argStorages) {
  storages = argStorages;
  // Whether errors can get into integers in memory at all.
  func.walk([&](Operation *o) {
    // Integers that come from floats carry errors through integer buffers.
    if (isa<arith::FPToSIOp, arith::FPToUIOp, arith::BitcastOp>(o))
      trackIntegers = true;
    if (isa<arith::ExtUIOp, arith::ExtSIOp>(o))
      trackIntegers |= o->getOperand(0).getType().isInteger(1);
    if (isa<tile::CopyOp, tile::ReduceOp>(o)) {
      auto element = [&](unsigned i) {
        return cast<MemRefType>(o->getOperand(i).getType()).getElementType();
      };
      trackIntegers |= isa<FloatType>(element(0)) && element(1).isInteger();
    }
  });
  scope = &scopes.emplace_back(&root, nullptr, false, false);
  Block &body = func.getBody().front();
  argTensors.resize(body.getNumArguments());
  for (BlockArgument arg : body.getArguments()) {
    argIndex[arg] = arg.getArgNumber();
    if (isa<tile::PtrType>(arg.getType())) {
      argSlots.push_back(0);
      continue;
    }
    if (!scalarOf(arg.getType()))
      return func.emitError("argument ")
             << arg.getArgNumber() << " has an unknown type " << arg.getType();
    argSlots.push_back(define(arg, false, false));
  }
  return success(block(body, root.body));
}
