//===- Compiler.h - From tile IR to the evaluator's programs ----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk over the IR gives every SSA value a slot in the Program of its
// scope. A scope is a func, a kernel or a parallel loop; values of outer scopes
// are captured by copying them in when the inner Program starts. Views of
// buffers vanish: an access goes to the buffer itself with offsets added.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_REFERENCE_COMPILER_H
#define TLC_LIB_REFERENCE_COMPILER_H

#include "Machine.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <deque>

namespace tlc::reference {

class Compiler {
public:
  /// With `hostOnly`, kernels are left out: only tensor shapes are computed.
  Compiler(Machine &m, bool hostOnly) : m(m), hostOnly(hostOnly) {}

  /// Compiles a func; pointer argument i is `storages[i]`. Failure after a
  /// diagnostic.
  mlir::LogicalResult compile(tile::FuncOp func,
                              llvm::ArrayRef<Storage *> storages);

  Program &program() { return root; }
  /// Slots of the func's scalar arguments (0 for pointers).
  llvm::ArrayRef<uint32_t> argumentSlots() const { return argSlots; }
  /// The buffers that tensor ops make of pointer argument i.
  llvm::ArrayRef<Buffer *> tensorsOf(unsigned argument) const {
    return argTensors[argument];
  }

private:
  /// What is being compiled: a Program with the scope around it.
  struct Scope {
    Program *program;
    Scope *parent;
    bool perThread = false; ///< lanes are threads
    bool isPoints = false;  ///< lanes are points of a parallel loop
    /// Slot in `parent` to the slot here that it is copied into.
    llvm::DenseMap<uint32_t, uint32_t> captures;
    std::vector<bool> tracked, varying; ///< by slot

    Scope(Program *program, Scope *parent, bool perThread, bool isPoints)
        : program(program), parent(parent), perThread(perThread),
          isPoints(isPoints) {}
  };
  struct SlotRef {
    Scope *scope;
    uint32_t slot;
  };
  /// A memref value: a buffer, and where in it the view begins.
  struct View {
    Buffer *buffer;
    Scope *scope = nullptr;
    llvm::SmallVector<int, 4> offsets; ///< slots of `scope`; empty: whole
  };

  // Slots.
  /// `tracked`: the slot's error may be other than 0. `varying`: its value may
  /// differ between lanes.
  uint32_t newSlot(bool tracked, bool varying);
  /// Gives an SSA value a slot of the current scope. Floats are always tracked.
  uint32_t define(mlir::Value value, bool tracked, bool varying);
  /// A slot filled when the Frame is made.
  uint32_t constant(Cell cell);
  /// The slot of an operand in the current scope, imported if need be.
  uint32_t use(mlir::Value value);
  uint32_t import(Scope &scope, SlotRef ref);
  bool isTracked(uint32_t slot) const { return scope->tracked[slot]; }
  bool isVarying(uint32_t slot) const { return scope->varying[slot]; }

  // Buffers.
  const View *viewOf(mlir::Value value, mlir::Operation *op);
  bool boxOf(mlir::Value value, mlir::Operation *op, Box &box, bool &perLane);
  bool accessOf(mlir::Value buffer, mlir::ValueRange indices,
                mlir::Operation *op, AccessData &access);

  // Ops.
  /// Compile into `into`, or append to the current code; false after a report.
  bool block(mlir::Block &block, Code &into);
  bool op(mlir::Operation &op);
  bool scalar(mlir::Operation &op);
  bool constantOp(mlir::arith::ConstantOp op);
  bool ifOp(mlir::scf::IfOp op);
  bool forOp(mlir::scf::ForOp op);
  bool whileOp(mlir::scf::WhileOp op);
  bool parallelOp(tile::ParallelOp op);
  bool kernelOp(tile::KernelOp op);
  bool tensorOp(tile::TensorOp op);
  bool allocOp(tile::AllocOp op);
  bool aliasOp(tile::AliasOp op);
  bool viewOp(tile::ViewOp op);
  bool loadOp(tile::LoadOp op);
  bool storeOp(tile::StoreOp op);
  bool atomicOp(tile::AtomicOp op);
  bool tileOp(mlir::Operation &op);
  bool threadIdOp(tile::ThreadIdOp op);
  bool laneOp(mlir::Operation &op);
  bool messageOp(mlir::Operation &op);

  /// Pairs values with the slots they move to.
  bool moves(mlir::ValueRange from, llvm::ArrayRef<uint32_t> to,
             std::vector<Move> &out);
  bool defineAll(mlir::ValueRange values, std::vector<uint32_t> &slots,
                 bool varying, mlir::Operation *op);
  /// Appends an instruction; the reference is valid until the next one.
  Inst &emit(LaneFn fn, mlir::Operation *op);
  bool refuse(mlir::Operation *op, const llvm::Twine &message);
  /// Data of instructions, which refer to it by address; it lives as long as
  /// this.
  template <class T> T &keep() {
    auto data = std::make_shared<T>();
    T &ref = *data;
    pool.push_back(std::move(data));
    return ref;
  }
  Buffer &newBuffer(mlir::Operation *op, mlir::MemRefType type);

  Machine &m;
  bool hostOnly;
  /// Whether any integer in memory may carry an error; set before the walk.
  bool trackIntegers = false;
  Program root;
  Scope *scope = nullptr;
  Code *code = nullptr;
  /// SSA scalars, memrefs, and pointer arguments by value.
  llvm::DenseMap<mlir::Value, SlotRef> slots;
  llvm::DenseMap<mlir::Value, View> views;
  llvm::DenseMap<mlir::Value, unsigned> argIndex;
  llvm::ArrayRef<Storage *> storages;
  std::vector<uint32_t> argSlots;
  std::vector<llvm::SmallVector<Buffer *, 1>> argTensors;
  /// Threads of the kernel being compiled, x first.
  llvm::SmallVector<int64_t, 3> kernelThreads;
  std::vector<std::shared_ptr<void>> pool;
  std::deque<Scope> scopes;
};

} // namespace tlc::reference

#endif // TLC_LIB_REFERENCE_COMPILER_H
