//===- WaveCompiler.cpp - From wave kernels to flat programs --------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk. Every element of a value has a slot; ops of the vector dialect that
// only rearrange elements rename slots. Hints to the scheduler mean nothing
// here.
//
//   %v = vector.shuffle %a, %b [0, 2]   slots of %v: (a0, b0): no instruction
//   %s = arith.addf %x, %y : vector<4>  four instructions, one for each element
//   scf.for                             ForBegin, ForTest, body, ForNext, Pop
//
// A Program is a flat list of instructions over slots; a slot is a Cell for
// each lane of the wave. Structure is flattened into jumps, since the lanes of
// a wave go through a region together, under a mask:
//
//   scf.if %c { A } else { B }    IfBegin c -> else     where no lane is in
//                                 A, moves to results
//                                 else: IfElse c -> end the other lanes
//                                 B, moves to results
//                                 end: Pop              the mask as before
//
// A jump's target is the `imm` of its instruction, filled in when it is known
// (land). Unknown ops are errors at the op: the reference is what a kernel is
// compared with, so it must not guess.
//
//===----------------------------------------------------------------------===//

#include "WaveMachine.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include <deque>

using namespace mlir;
using namespace tlc;
using namespace tlc::reference;

namespace {

class WaveCompiler {
public:
  WaveCompiler(Program &program, std::vector<std::shared_ptr<WaveData>> &pool)
      : program(program), code(program.body), pool(pool) {}

  /// Compiles a block's ops; false after a diagnostic.
  bool block(Block &body) {
    for (Operation &each : body.without_terminator())
      if (!op(each))
        return false;
    return true;
  }
  /// New slots for a value: one for each element.
  const Slots &define(Value value) {
    Slots &slots = assign(value, {});
    for (int64_t i = 0; i < countOf(value.getType()); ++i)
      slots.push_back(newSlot());
    return slots;
  }

private:
  /// A buffer resource is two numbers: base and size.
  static int64_t countOf(Type type) {
    if (auto vector = dyn_cast<VectorType>(type))
      return vector.getNumElements();
    return isa<wave::RsrcType>(type) ? 2 : 1;
  }
  /// The element type; an empty Scalar for pointers and resources, whose
  /// functions do not look at it.
  static Scalar elementOf(Type type) {
    return scalarOf(getElementTypeOrSelf(type)).value_or(Scalar());
  }

  uint32_t newSlot() { return program.slots++; }
  /// The slots of a value whose elements have slots already.
  Slots &assign(Value value, Slots slots) {
    Slots *&place = values[value];
    place = &lists.emplace_back(std::move(slots));
    return *place;
  }
  /// Stays valid whatever else is defined.
  const Slots &use(Value value) { return *values.find(value)->second; }
  /// The slot of a value with one element.
  uint32_t one(Value value) { return use(value).front(); }
  bool refuse(Operation *op, const Twine &message) {
    op->emitError(message);
    return false;
  }
  /// Appends an instruction; the reference is valid until the next one.
  Inst &emit(LaneFn fn, Operation *op) {
    Inst &inst = code.emplace_back();
    inst.fn = fn;
    inst.op = op;
    return inst;
  }
  /// An instruction whose operands do not fit the three slots of Inst.
  WaveData &emitData(LaneFn fn, Operation *op, int64_t imm = 0) {
    WaveData &data = *pool.emplace_back(std::make_shared<WaveData>());
    Inst &inst = emit(fn, op);
    inst.extra = &data;
    inst.imm = imm;
    return data;
  }
  /// Lets jumps of the instructions at these places end here.
  void land(std::initializer_list<size_t> jumps) {
    for (size_t jump : jumps)
      code[jump].imm = code.size();
  }

  bool op(Operation &each);
  bool constant(arith::ConstantOp op);
  bool poison(ub::PoisonOp op);
  bool elementwise(Operation &op);
  bool move(ValueRange from, ValueRange to, Operation *op);
  void moveInto(WaveData &data, ValueRange from, ValueRange to);
  bool ifOp(scf::IfOp op);
  bool forOp(scf::ForOp op);
  bool whileOp(scf::WhileOp op);
  bool rearrange(Operation &op);
  bool index(Operation *op, int64_t perWave, unsigned perLane);
  bool pointer(wave::PtrAddOp op);
  bool memory(Operation &op, LaneFn fn, Value value, Value result,
              std::initializer_list<Value> address, int64_t imm);
  bool matrix(wave::MfmaOp op);

  Program &program;
  Code &code;
  std::vector<std::shared_ptr<WaveData>> &pool;
  std::deque<Slots> lists;
  llvm::DenseMap<Value, Slots *> values;
};

} // namespace

/// One op. False after a diagnostic.
bool WaveCompiler::op(Operation &each) {
  return TypeSwitch<Operation *, bool>(&each)
      .Case([&](arith::ConstantOp o) { return constant(o); })
      .Case([&](ub::PoisonOp o) { return poison(o); })
      .Case([&](scf::IfOp o) { return ifOp(o); })
      .Case([&](scf::ForOp o) { return forOp(o); })
      .Case([&](scf::WhileOp o) { return whileOp(o); })
      // thread = 64 * wave + lane: the three ids are one function with two
      // factors.
      .Case([&](wave::ThreadIdOp o) { return index(o, kLanes, 1); })
      .Case([&](wave::LaneIdOp o) { return index(o, 0, 1); })
      .Case([&](wave::WaveIdOp o) { return index(o, 1, 0); })
      .Case([&](wave::BlockIdOp o) {
        Inst &inst = emit(waveBlockId, o);
        inst.imm = o.getDim();
        inst.dst = define(o.getResult()).front();
        return true;
      })
      .Case([&](wave::PtrAddOp o) { return pointer(o); })
      // A resource lies in scalar registers: its parts must be the same in all
      // lanes.
      .Case([&](wave::ResourceOp o) {
        Slots both;
        for (Value part : o->getOperands()) {
          uint32_t from = one(part);
          Inst &inst = emit(waveUniform, o);
          inst.a = from;
          inst.dst = both.emplace_back(newSlot());
        }
        assign(o.getResult(), both);
        return true;
      })
      .Case([&](wave::BufferLoadOp o) {
        return memory(each, waveBufferLoad, {}, o.getResult(),
                      {o.getRsrc(), o.getVoffset(), o.getSoffset()},
                      o.getOffset());
      })
      .Case([&](wave::BufferStoreOp o) {
        return memory(each, waveBufferStore, o.getValue(), {},
                      {o.getRsrc(), o.getVoffset(), o.getSoffset()},
                      o.getOffset());
      })
      .Case([&](wave::GlobalLoadOp o) {
        return memory(each, waveGlobalLoad, {}, o.getResult(),
                      {o.getBase(), o.getBytes()}, 0);
      })
      .Case([&](wave::GlobalStoreOp o) {
        return memory(each, waveGlobalStore, o.getValue(), {},
                      {o.getBase(), o.getBytes()}, 0);
      })
      .Case([&](wave::GlobalAtomicOp o) {
        if (!memory(each, waveGlobalAtomic, o.getValue(), o.getResult(),
                    {o.getBase(), o.getBytes()}, 0))
          return false;
        pool.back()->kind = o.getKind();
        return true;
      })
      .Case([&](wave::LdsLoadOp o) {
        return memory(each, waveLdsLoad, {}, o.getResult(), {o.getAddr()},
                      o.getOffset());
      })
      .Case([&](wave::LdsStoreOp o) {
        return memory(each, waveLdsStore, o.getValue(), {}, {o.getAddr()},
                      o.getOffset());
      })
      .Case([&](wave::LdsAtomicOp o) {
        if (!memory(each, waveLdsAtomic, o.getValue(), o.getResult(),
                    {o.getAddr()}, 0))
          return false;
        pool.back()->kind = o.getKind();
        return true;
      })
      .Case([&](wave::MfmaOp o) { return matrix(o); })
      // The lane read is this lane's number xor the mask; waveShuffle tells the
      // two forms apart by an absent `b`.
      .Case([&](wave::ShuffleXorOp o) {
        WaveData &data = emitData(waveShuffle, o, o.getMask());
        data.a = use(o.getValue());
        data.dst = define(o.getResult());
        return true;
      })
      .Case([&](wave::ShuffleOp o) {
        WaveData &data = emitData(waveShuffle, o);
        data.a = use(o.getValue());
        data.b = use(o.getLane());
        data.dst = define(o.getResult());
        return true;
      })
      // Hides a value from LLVM; it is the same value.
      .Case([&](wave::OpaqueOp o) {
        assign(o.getResult(), use(o.getValue()));
        return true;
      })
      .Case<wave::UniformOp, wave::AnyOp, wave::BallotOp>([&](Operation *o) {
        uint32_t from = one(o->getOperand(0));
        Inst &inst = emit(isa<wave::AnyOp>(o)      ? waveAny
                          : isa<wave::BallotOp>(o) ? waveBallot
                                                   : waveUniform,
                          o);
        inst.a = from;
        inst.dst = define(o->getResult(0)).front();
        return true;
      })
      .Case([&](wave::PermOp o) {
        uint32_t hi = one(o.getHi()), lo = one(o.getLo());
        Inst &inst = emit(wavePerm, o);
        inst.a = hi;
        inst.b = lo;
        inst.imm = o.getSelector();
        inst.dst = define(o.getResult()).front();
        return true;
      })
      .Case([&](wave::Dot2Op o) {
        // Two products at a time: element 0, then element 1.
        WaveData &data = emitData(waveDot2, o);
        data.a = use(o.getA());
        data.b = use(o.getB());
        data.c = use(o.getC());
        data.dst = define(o.getResult());
        return true;
      })
      .Case([&](wave::BarrierOp o) { return emit(waveBarrier, o), true; })
      .Case([&](wave::TrapOp o) { return emit(waveTrap, o), true; })
      // Order and priority: nothing that a result depends on here, where each
      // instruction finishes before the next begins.
      .Case<wave::FenceOp, wave::SchedBarrierOp, wave::SetPrioOp>(
          [](Operation *) { return true; })
      .Default([&](Operation *o) {
        return isa_and_nonnull<vector::VectorDialect>(o->getDialect())
                   ? rearrange(*o)
                   : elementwise(*o);
      });
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// A number as a Cell: floats in double precision, which holds any of them
/// exactly; integers sign-extended, i1 as 0 or 1.
static std::optional<Cell> cellOf(Attribute attr) {
  if (auto f = dyn_cast<FloatAttr>(attr)) {
    APFloat value = f.getValue();
    bool loses;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
    return Cell{.f = value.convertToDouble()};
  }
  if (auto i = dyn_cast<IntegerAttr>(attr))
    return Cell{.i = i.getType().isInteger(1)
                         ? int64_t(i.getValue().getZExtValue())
                         : i.getValue().getSExtValue()};
  return std::nullopt;
}

/// A scalar or vector constant, a slot for each element.
bool WaveCompiler::constant(arith::ConstantOp o) {
  Slots slots;
  auto add = [&](Attribute attr) {
    std::optional<Cell> cell = cellOf(attr);
    if (cell)
      program.constants.push_back({slots.emplace_back(newSlot()), *cell});
    return cell.has_value();
  };
  bool ok = true;
  if (auto dense = dyn_cast<DenseElementsAttr>(o.getValue())) {
    for (Attribute attr : dense.getValues<Attribute>())
      ok = ok && add(attr);
  } else {
    ok = add(o.getValue());
  }
  assign(o.getResult(), slots);
  return ok || refuse(o, "the reference does not know this constant");
}

/// What nobody may read: a NaN, which shows if somebody does.
bool WaveCompiler::poison(ub::PoisonOp o) {
  auto type = dyn_cast<FloatType>(o.getType());
  if (!type)
    return refuse(o, "the reference does not know poison of this type");
  Builder b(o.getContext());
  Attribute nan =
      b.getFloatAttr(type, APFloat::getNaN(type.getFloatSemantics()));
  Slots slots;
  program.constants.push_back({slots.emplace_back(newSlot()), *cellOf(nan)});
  assign(o.getResult(), slots);
  return true;
}

/// An op of arith or math, element by element, with the lane functions of the
/// tile reference; there are no bounds here.
bool WaveCompiler::elementwise(Operation &o) {
  StringRef name = o.getName().getStringRef();
  ScalarOp entry = findScalarOp(o);
  if (!entry.fn || o.getNumResults() != 1 || o.getNumOperands() == 0 ||
      o.getNumOperands() > 3)
    return refuse(&o, "the reference does not know '" + name + "'");
  Scalar type = elementOf(o.getResult(0).getType()),
         from = elementOf(o.getOperand(0).getType());
  const Slots &dst = define(o.getResult(0));
  for (size_t e = 0; e < dst.size(); ++e) {
    // A scalar operand (a select's condition) serves all elements.
    uint32_t operands[3] = {0, 0, 0};
    for (auto [i, operand] : llvm::enumerate(o.getOperands())) {
      const Slots &slots = use(operand);
      operands[i] = slots[slots.size() == 1 ? 0 : e];
    }
    Inst &inst = emit(entry.fn, &o);
    inst.dst = dst[e];
    inst.a = operands[0];
    inst.b = operands[1];
    inst.c = operands[2];
    inst.type = type;
    inst.from = from;
    inst.imm = entry.imm;
  }
  return true;
}

/// dst = perWave * number of the wave + perLane * number of the lane.
bool WaveCompiler::index(Operation *o, int64_t perWave, unsigned perLane) {
  Inst &inst = emit(waveIndex, o);
  inst.imm = perWave;
  inst.b = perLane;
  inst.dst = define(o->getResult(0)).front();
  return true;
}

/// Bytes are added to the number that a pointer is.
bool WaveCompiler::pointer(wave::PtrAddOp o) {
  uint32_t base = one(o.getBase()), bytes = one(o.getBytes());
  Inst &inst = emit(execAddOffset, o);
  inst.a = base;
  inst.b = bytes;
  inst.dst = define(o.getResult()).front();
  return true;
}

/// Elements of the result by their number in the sources, all concatenated;
/// none for a form that the lowering does not make.
///   vector.insert %x, %v[1], v: 3 elements     sources (x, v0, v1, v2)
///   ->  1, 0, 3
static std::optional<SmallVector<int64_t>> elementOrder(Operation &op) {
  SmallVector<int64_t> order;
  auto count = [](Value v) {
    auto type = dyn_cast<VectorType>(v.getType());
    return type ? type.getNumElements() : 1;
  };
  int64_t n = count(op.getResult(0));
  // Appends `number` consecutive elements.
  auto range = [&](int64_t first, int64_t number) {
    for (int64_t i = 0; i < number; ++i)
      order.push_back(first + i);
  };
  /// First element of a position in a vector.
  auto flat = [](VectorType type, ArrayRef<int64_t> position) {
    int64_t index = 0;
    for (auto [d, extent] : llvm::enumerate(type.getShape()))
      index = index * extent + (d < position.size() ? position[d] : 0);
    return index;
  };
  // The sources are one vector, of which n elements from a position are taken.
  if (auto o = dyn_cast<vector::ExtractOp>(op)) {
    if (o.hasDynamicPosition())
      return std::nullopt;
    range(flat(o.getSourceVectorType(), o.getStaticPosition()), n);
  } else if (auto o = dyn_cast<vector::InsertOp>(op)) {
    if (o.hasDynamicPosition())
      return std::nullopt;
    // All of the destination, then what is inserted in its place.
    int64_t inner = count(op.getOperand(0));
    range(inner, n);
    int64_t at = flat(o.getDestVectorType(), o.getStaticPosition());
    for (int64_t i = 0; i < inner; ++i)
      order[at + i] = i;
  } else if (isa<vector::FromElementsOp, vector::ShapeCastOp>(op)) {
    range(0, n);
  } else if (isa<vector::BroadcastOp>(op)) {
    // The source repeats; it may be a scalar or the last dimensions.
    for (int64_t i = 0; i < n; ++i)
      order.push_back(i % count(op.getOperand(0)));
  } else if (auto o = dyn_cast<vector::ShuffleOp>(op)) {
    // The mask numbers both sources' elements one after the other already; -1
    // (poison) names none.
    llvm::append_range(order, o.getMask());
    if (o.getV1VectorType().getRank() != 1 || llvm::is_contained(order, -1))
      return std::nullopt;
  } else if (auto o = dyn_cast<vector::ExtractStridedSliceOp>(op)) {
    if (o.getSourceVectorType().getRank() != 1)
      return std::nullopt;
    range(cast<IntegerAttr>(o.getOffsets()[0]).getInt(), n);
  } else if (auto o = dyn_cast<vector::InsertStridedSliceOp>(op)) {
    if (o.getDestVectorType().getRank() != 1)
      return std::nullopt;
    int64_t inner = count(op.getOperand(0));
    range(inner, n);
    for (int64_t i = 0; i < inner; ++i)
      order[cast<IntegerAttr>(o.getOffsets()[0]).getInt() + i] = i;
  } else {
    return std::nullopt;
  }
  return order;
}

/// Ops of the vector dialect: bit casts compute, all others rename.
bool WaveCompiler::rearrange(Operation &o) {
  if (auto cast = dyn_cast<vector::BitCastOp>(o)) {
    WaveData &data = emitData(waveBitcast, &o);
    data.a = use(cast.getSource());
    data.aType = elementOf(cast.getSource().getType());
    data.type = elementOf(cast.getType());
    data.dst = define(cast.getResult());
    return true;
  }
  if (auto all = dyn_cast<vector::ToElementsOp>(o)) {
    Slots from = use(all.getSource());
    for (auto [i, result] : llvm::enumerate(all.getResults()))
      assign(result, {from[i]});
    return true;
  }
  auto order = o.getNumResults() == 1 ? elementOrder(o) : std::nullopt;
  if (!order)
    return refuse(&o, "the reference does not know this form of '" +
                          o.getName().getStringRef() + "'");
  Slots sources, result;
  for (Value operand : o.getOperands())
    llvm::append_range(sources, use(operand));
  for (int64_t i : *order)
    result.push_back(sources[i]);
  assign(o.getResult(0), result);
  return true;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Appends a parallel assignment, element by element. Through a temporary slot
/// for each element: a loop may swap its values.
void WaveCompiler::moveInto(WaveData &data, ValueRange from, ValueRange to) {
  for (auto [source, target] : llvm::zip_equal(from, to))
    for (auto [s, t] : llvm::zip_equal(use(source), use(target)))
      data.moves.push_back({s, newSlot(), t});
}

/// One instruction for a whole list of values; none for an empty list.
bool WaveCompiler::move(ValueRange from, ValueRange to, Operation *op) {
  if (!to.empty())
    moveInto(emitData(waveMove, op), from, to);
  return true;
}

/// Results are defined first and written by each branch under its mask. Without
/// an else there are no results.
bool WaveCompiler::ifOp(scf::IfOp o) {
  uint32_t condition = one(o.getCondition());
  for (Value result : o.getResults())
    define(result);
  size_t begin = code.size();
  emit(waveIfBegin, o).a = condition;
  if (!block(*o.thenBlock()) ||
      !move(o.thenYield().getOperands(), o.getResults(), o))
    return false;
  land({begin});
  if (o.elseBlock()) {
    size_t middle = code.size();
    emit(waveIfElse, o).a = condition;
    if (!block(*o.elseBlock()) ||
        !move(o.elseYield().getOperands(), o.getResults(), o))
      return false;
    land({middle});
  }
  emit(wavePop, o);
  return true;
}

/// moves inits -> args;  ForBegin;  test: ForTest -> end;  body;
/// moves yields -> args;  ForNext -> test;  end: Pop;  moves args -> results
/// The mask shrinks as lanes leave; arguments of lanes that left stay as they
/// were, so that they are the results.
bool WaveCompiler::forOp(scf::ForOp o) {
  uint32_t lower = one(o.getLowerBound()), upper = one(o.getUpperBound()),
           step = one(o.getStep());
  uint32_t iv = define(o.getInductionVar()).front();
  for (Value value : o.getRegionIterArgs())
    define(value);
  for (Value value : o.getResults())
    define(value);
  move(o.getInits(), o.getRegionIterArgs(), o);
  // Three instructions with the same operands.
  auto loop = [&](LaneFn fn) -> Inst & {
    Inst &inst = emit(fn, o);
    inst.a = lower;
    inst.b = upper;
    inst.c = step;
    inst.dst = iv;
    return inst;
  };
  loop(waveForBegin);
  size_t test = code.size();
  loop(waveForTest);
  if (!block(*o.getBody()))
    return false;
  move(o.getBody()->getTerminator()->getOperands(), o.getRegionIterArgs(), o);
  loop(waveForNext).imm = test;
  land({test});
  emit(wavePop, o);
  return move(o.getRegionIterArgs(), o.getResults(), o);
}

/// moves inits -> before;  WhileBegin;  before: ...;  WhileTest -> end;
/// moves forwarded -> after;  body;  moves yields -> before;  Jump before
/// WhileTest gives the lanes that leave what the condition forwards as results.
bool WaveCompiler::whileOp(scf::WhileOp o) {
  for (Value value : o.getBeforeArguments())
    define(value);
  for (Value value : o.getAfterArguments())
    define(value);
  for (Value value : o.getResults())
    define(value);
  move(o.getInits(), o.getBeforeArguments(), o);
  emit(waveWhileBegin, o);
  size_t before = code.size();
  if (!block(*o.getBeforeBody()))
    return false;
  scf::ConditionOp condition = o.getConditionOp();
  size_t test = code.size();
  WaveData &leave = emitData(waveWhileTest, o);
  code.back().a = one(condition.getCondition());
  moveInto(leave, condition.getArgs(), o.getResults());
  move(condition.getArgs(), o.getAfterArguments(), o);
  if (!block(*o.getAfterBody()))
    return false;
  move(o.getYieldOp().getOperands(), o.getBeforeArguments(), o);
  emit(waveJump, o).imm = before;
  land({test});
  emit(wavePop, o);
  return true;
}

//===----------------------------------------------------------------------===//
// Memory and the matrix core
//===----------------------------------------------------------------------===//

/// A memory access. `address` are the slots that the instruction's function
/// reads in data.b, absent ones left out; `imm` is the constant offset. A lane
/// moves 1 to 16 bytes, aligned to the largest power of two that divides their
/// number.
bool WaveCompiler::memory(Operation &o, LaneFn fn, Value value, Value result,
                          std::initializer_list<Value> address, int64_t imm) {
  Type type = value ? value.getType() : result.getType();
  int64_t bytes = wave::getByteSize(type);
  if (bytes < 1 || bytes > 16)
    return refuse(&o, "moves " + Twine(bytes) + " bytes a lane");
  // soffset comes from a scalar register.
  Slots places;
  for (Value part : address) {
    if (!part)
      continue;
    auto buffer = dyn_cast<wave::BufferLoadOp>(o);
    auto store = dyn_cast<wave::BufferStoreOp>(o);
    if ((buffer && part == buffer.getSoffset()) ||
        (store && part == store.getSoffset())) {
      uint32_t from = one(part);
      Inst &inst = emit(waveUniform, &o);
      inst.a = from;
      inst.dst = places.emplace_back(newSlot());
      continue;
    }
    llvm::append_range(places, use(part));
  }
  WaveData &data = emitData(fn, &o, imm);
  data.b = places;
  if (value)
    data.a = use(value);
  if (result)
    data.dst = define(result);
  data.type = elementOf(type);
  data.bytes = bytes;
  // 12 bytes are 3 words: aligned to 4. 16 bytes: aligned to 16.
  data.align = bytes & -bytes;
  return true;
}

/// D = A B + C of one wave: m x n x k are the instruction's, and each lane
/// holds the elements that docs/layouts.md describes. waveMfma knows that
/// distribution.
bool WaveCompiler::matrix(wave::MfmaOp o) {
  WaveData &data = emitData(waveMfma, o);
  data.m = o.getShape()[0];
  data.n = o.getShape()[1];
  data.k = o.getShape()[2];
  data.a = use(o.getA());
  data.b = use(o.getB());
  data.c = use(o.getC());
  data.aType = elementOf(o.getA().getType());
  data.bType = elementOf(o.getB().getType());
  data.type = elementOf(o.getC().getType());
  data.dst = define(o.getD());
  return true;
}

/// `arguments` are slots of the kernel's parameters, in order; `pool` owns what
/// instructions point to and must live as long as `program`. False after a
/// diagnostic.
bool tlc::reference::compileWave(wave::KernelOp kernel, Program &program,
                                 std::vector<Slots> &arguments,
                                 std::vector<std::shared_ptr<WaveData>> &pool) {
  WaveCompiler compiler(program, pool);
  Block &body = kernel.getBody().front();
  for (Value argument : body.getArguments())
    arguments.push_back(compiler.define(argument));
  return compiler.block(body);
}
