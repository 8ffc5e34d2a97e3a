//===- Program.cpp - Predecoded code of one kernel ------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code is decoded where execution comes to it, as runs: straight pieces from an
// entry to a jump, a return or code that is there already. A run is an array of
// Ops, so that the next instruction is the next element; branches point to
// their targets directly. A slot for each dword of the code finds the Op of an
// address. Decoding takes a lock, looking up does not: slots are published with
// release order and never change.
//
//===----------------------------------------------------------------------===//

#include "tlc/Simulator/Execute/Program.h"

#include "Lanes/Handlers.h"

#include <cstdlib>
#include <cstring>

using namespace tlc::sim;

/// Instructions and Ops by the same index, one more for what follows; both
/// vectors are final once published, so pointers into them hold.
struct Program::Run {
  std::vector<Instruction> instructions;
  std::vector<Op> ops;
};

namespace {

/// Follows the last instruction of a run whose successor is decoded already.
void continueElsewhere(Wave &wave, const Op &op) {
  ++wave.budget; // no instruction of the program
  wave.pc = op.target;
}

/// Handlers for what cannot be run: they fault when execution comes there.
void unknownInstruction(Wave &wave, const Op &op) {
  Fault fault;
  fault.kind = "unknown-instruction";
  fault.detail = "the bytes at this address are no gfx942 instruction";
  raise(wave, op, fault);
}
void leaveCode(Wave &wave, const Op &op) {
  Fault fault;
  fault.kind = "jump-out-of-code";
  fault.detail = "execution ran past the end of the code";
  raise(wave, op, fault);
}

/// Behind these execution does not go on by itself; conditional branches do not
/// end a run.
bool endsRun(const Instruction &inst) {
  switch (inst.op) {
  case Opcode::s_branch:
  case Opcode::s_setpc_b64:
  case Opcode::s_swappc_b64:
  case Opcode::s_call_b64:
    return true;
  default:
    return inst.has(flag::EndsProgram);
  }
}

/// What waits for its wavefront's turn at global memory, and jumps to where
/// such may be.
bool mayOrder(const Instruction &inst) {
  switch (inst.encoding) {
  case Encoding::DS:
    return inst.has(flag::Gws);
  case Encoding::SMEM:
    return inst.sc0 || inst.has(flag::Atomic);
  case Encoding::FLAT:
  case Encoding::GLOBAL:
  case Encoding::MUBUF:
  case Encoding::MTBUF:
    return inst.sc1 || inst.has(flag::Atomic);
  default:
    return inst.op == Opcode::s_setpc_b64 || inst.op == Opcode::s_swappc_b64;
  }
}

/// Branches whose target is in the instruction.
bool hasFixedTarget(const Instruction &inst) {
  return inst.has(flag::Branch) &&
         (inst.encoding == Encoding::SOPP || inst.op == Opcode::s_call_b64 ||
          inst.op == Opcode::s_cbranch_i_fork);
}

} // namespace

/// \p base is the device address of \p code, which must outlive the program. A
/// null slot is not decoded yet.
Program::Program(std::span<const uint8_t> code, uint64_t base,
                 RegisterLimits limits)
    : code(code), codeBase(base), limits(limits),
      slots(new std::atomic<const Op *>[code.size() / 4 + 1]) {
  for (size_t i = 0; i <= code.size() / 4; ++i)
    slots[i].store(nullptr, std::memory_order_relaxed);
  // Any word that looks like one: constants may, which does no harm.
  constexpr uint32_t opcodeMask = 0xfdfc0000, compareAndSwap = 0xdd040000;
  for (size_t i = 0; i + 4 <= code.size(); i += 4) {
    uint32_t word;
    std::memcpy(&word, code.data() + i, 4);
    swaps |= (word & opcodeMask) == compareAndSwap;
  }
}

Program::~Program() = default;

void Program::AlignedFree::operator()(uint32_t *p) const { std::free(p); }

/// Null outside the code or between dwords.
const Op *Program::at(uint64_t address) {
  uint64_t offset = address - codeBase;
  if (offset >= code.size() || offset % 4 != 0)
    return nullptr;
  // The usual case takes no lock.
  if (const Op *op = slots[offset / 4].load(std::memory_order_acquire))
    return op;
  return decodeFrom(offset);
}

const Op *tlc::sim::instructionAt(Program &program, uint64_t address) {
  return program.at(address);
}

/// Decodes everything that branches reach from here, so that they can be
/// resolved at once; what only computed jumps reach comes later.
const Op *Program::decodeFrom(uint64_t offset) {
  std::lock_guard lock(mutex);
  // Another thread may have decoded it meanwhile.
  if (const Op *op = slots[offset / 4].load(std::memory_order_acquire))
    return op;
  std::vector<uint64_t> pending{offset};
  size_t firstRun = runs.size();
  while (!pending.empty()) {
    uint64_t next = pending.back();
    pending.pop_back();
    if (!slots[next / 4].load(std::memory_order_relaxed))
      decodeRun(next, pending);
  }
  // All targets have a place now.
  for (size_t r = firstRun; r < runs.size(); ++r)
    for (Op &op : runs[r]->ops)
      if (hasFixedTarget(*op.inst)) {
        uint64_t target = op.inst->branchTarget(op.address) - codeBase;
        if (target < code.size() && target % 4 == 0)
          op.target = slots[target / 4].load(std::memory_order_relaxed);
      }
  return slots[offset / 4].load(std::memory_order_acquire);
}

/// Decodes one run and adds the targets of its branches to \p pending.
/// Undecodable words become an Op that faults when it is run, not before: data
/// may stand between code.
void Program::decodeRun(uint64_t offset, std::vector<uint64_t> &pending) {
  auto run = std::make_unique<Run>();
  uint64_t begin = offset;
  llvm::ArrayRef<uint8_t> bytes(code.data(), code.size());
  const Op *successor = nullptr;
  while (offset < code.size()) {
    if (offset != begin &&
        (successor = slots[offset / 4].load(std::memory_order_relaxed)))
      break;
    Instruction &inst = run->instructions.emplace_back();
    if (!decode(bytes, offset, inst)) {
      inst.op = Opcode::Invalid;
      break;
    }
    if (mayOrder(inst))
      ordersAccesses = true;
    if (hasFixedTarget(inst)) {
      uint64_t target = inst.branchTarget(codeBase + offset) - codeBase;
      if (target < code.size() && target % 4 == 0)
        pending.push_back(target);
    }
    offset += inst.sizeBytes;
    if (endsRun(inst))
      break;
  }
  // One more for what follows the run.
  size_t count = run->instructions.size();
  run->instructions.emplace_back();
  run->ops.resize(count + 1);
  uint64_t address = codeBase + begin;
  for (size_t i = 0; i < count; ++i) {
    lower(run->instructions[i], address, run->ops[i]);
    run->ops[i].number = decoded++;
    address += run->instructions[i].sizeBytes;
  }
  // The element behind the last: a link to the run that follows, or a fault.
  Op &last = run->ops[count];
  last.inst = &run->instructions[count];
  last.address = address;
  last.target = successor;
  last.run = successor ? continueElsewhere : leaveCode;

  // What follows a call or jump is reached by a return, later.
  uint64_t at = begin;
  for (size_t i = 0; i < count; ++i) {
    slots[at / 4].store(&run->ops[i], std::memory_order_release);
    at += run->instructions[i].sizeBytes;
  }
  runs.push_back(std::move(run));
}

/// The place of an operand in the register file; false if the kernel's
/// descriptor does not allocate it.
bool Program::registerIndex(const Operand &operand, uint32_t &index) const {
  unsigned dwords = operand.dwords ? operand.dwords : 1;
  switch (operand.kind) {
  case OperandKind::Vector:
    // Registers are arrays of 64 lanes.
    index = operand.reg * waveLanes;
    // Architectural registers beyond the offset are the accumulators: hand-
    // written code names them either way.
    return operand.reg + dwords <= limits.vgprCount;
  case OperandKind::Accumulator:
    index = (limits.accumOffset + operand.reg) * waveLanes;
    return limits.accumOffset + operand.reg + dwords <= limits.vgprCount;
  case OperandKind::Scalar:
    index = operand.reg;
    return operand.reg + dwords <= 128;
  default:
    index = operand.reg;
    return true;
  }
}

/// A constant broadcast to 64 lanes, so that lane loops read it as a register;
/// shared by all instructions with the same one.
const uint32_t *Program::constantLanes(uint64_t value, unsigned dwords) {
  auto &entry = constants[{value, dwords}];
  if (!entry) {
    size_t words = waveLanes * (dwords > 2 ? dwords : 2);
    entry.reset(static_cast<uint32_t *>(std::aligned_alloc(64, words * 4)));
    for (size_t i = 0; i < words; ++i)
      entry[i] = static_cast<uint32_t>(value >> (i / waveLanes % 2 * 32));
  }
  return entry.get();
}

/// \p forLanes: a lane function will read it, so constants are needed as
/// arrays.
void Program::lowerSource(const Operand &operand, Source &source, bool forLanes,
                          bool &inRange) {
  source.kind = operand.kind;
  source.type = operand.type;
  source.dwords = operand.dwords;
  inRange &= registerIndex(operand, source.index);
  if (!operand.isConstant())
    return;
  source.value = operand.bits;
  // A packed constant serves both halves.
  if (operand.type == DataType::V2F32 || operand.type == DataType::V2I32)
    source.value = (operand.bits & 0xffffffff) | operand.bits << 32;
  if (forLanes)
    source.lanes = constantLanes(source.value, operand.dwords);
}

/// True if a lane function needs its sources or its result modified.
static bool hasModifiers(const Instruction &inst, const HandlerTable &table) {
  if (inst.form == Form::Dpp || inst.form == Form::Sdwa)
    return true;
  switch (inst.op) {
  case Opcode::v_fma_mix_f32:
  case Opcode::v_fma_mixlo_f16:
  case Opcode::v_fma_mixhi_f16:
    return false; // read their modifiers themselves
  default:
    break;
  }
  if (inst.neg || inst.abs || inst.negHi || inst.omod || inst.clamp)
    return true;
  if (inst.encoding != Encoding::VOP3P)
    return inst.opSel != 0;
  for (unsigned i = 0; i < 3; ++i) {
    DataType type = inst.src[i].type;
    bool packed = type == DataType::V2F16 || type == DataType::V2I16 ||
                  type == DataType::V2F32 || type == DataType::V2I32;
    // The defaults of op_sel and op_sel_hi: low result from low halves, high
    // from high.
    if (packed && ((inst.opSel >> i & 1) || !(inst.opSelHi >> i & 1)))
      return true;
  }
  return false;
}

static void registerOutOfRange(Wave &wave, const Op &op) {
  Fault fault;
  fault.kind = "register-out-of-range";
  fault.detail = "a register that the kernel descriptor does not allocate";
  raise(wave, op, fault);
}
static void unsupported(Wave &wave, const Op &op) {
  Fault fault;
  fault.kind = "unsupported-instruction";
  raise(wave, op, fault);
}

/// Resolves all that does not change from run to run: handler, register places,
/// constants.
void Program::lower(const Instruction &inst, uint64_t address, Op &op) {
  op.inst = &inst;
  op.address = address;
  if (inst.op == Opcode::Invalid) {
    op.run = unknownInstruction;
    return;
  }
  const HandlerTable &table = handlerTable();
  const Handler &handler = table.rows[static_cast<size_t>(inst.op)];
  op.lanes = handler.lanes;
  op.mode = handler.mode;
  op.approximate = handler.approximate;
  bool inRange = true;
  for (unsigned i = 0; i < 4; ++i)
    lowerSource(inst.src[i], op.src[i], op.lanes != nullptr, inRange);
  inRange &= registerIndex(inst.dst, op.dst);
  inRange &= registerIndex(inst.sdst, op.sdst);
  op.dstKind = inst.dst.kind;
  op.dstDwords = inst.dst.dwords;
  // Faults are put in the handler's place, so that the loop need not test.
  if (!inRange)
    op.run = registerOutOfRange;
  else if (op.lanes)
    op.run = hasModifiers(inst, table) ? table.modified : table.plain;
  else
    op.run = handler.run ? handler.run : unsupported;
}
