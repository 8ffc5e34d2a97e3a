//===- Machine.h - The reference evaluator's program and state --*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile program is compiled once into `Program`s: flat lists of instructions
// over numbered slots, nested only where control flow nests. There is one
// Program for the func, one for each kernel and one for each parallel loop.
//
// A Program runs in a Frame of n lanes: one lane for code that is the same for
// the whole workgroup, one for each thread where code is written per thread,
// and a batch of points for the body of a parallel loop. Every instruction does
// its work for all lanes before the next one starts, so threads run in lockstep
// and a sync has nothing to do. Lanes that a branch leaves out are masked for
// memory and control; pure arithmetic just computes garbage there.
//
//   for i in T.Parallel(64): B[i] = A[i] * 2.0
//   func     slots: pointers' scalars           1 lane
//   kernel   slots: block index                 1 lane
//   loop     slots: i, %v, %p, constant 2.0     64 lanes: load, mulf, store
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_REFERENCE_MACHINE_H
#define TLC_LIB_REFERENCE_MACHINE_H

#include "mlir/IR/Operation.h"
#include "tlc/Dialect/Tile/IR/TileDialect.h"
#include "tlc/Reference/Reference.h"
#include <memory>

namespace tlc::reference {

/// A value: integers are sign-extended to 64 bits, except i1, which is 0 or 1.
union Cell {
  double f;
  int64_t i;
};

/// A scalar type of the IR.
struct Scalar {
  const FloatFormat *format = nullptr; ///< null for integers
  uint8_t bits = 64;
  bool isFloat() const { return format; }
  bool operator==(const Scalar &) const = default;
};
/// None for types the evaluator does not know.
std::optional<Scalar> scalarOf(mlir::Type type);

/// The bits of a cell in memory, and back.
uint64_t encodeCell(Scalar type, Cell cell);
Cell decodeCell(Scalar type, uint64_t bits);

/// Elements in memory, with their error bounds.
struct Storage {
  Scalar type;
  std::vector<Cell> cells;
  std::vector<double> errors; ///< empty where bounds are not tracked
  /// Sums of magnitudes and counts of atomic additions (made on first use).
  std::vector<double> atomicMagnitude, atomicCount;
};

/// A buffer of the program: a tensor, an allocation or an alias. Shape and
/// strides (in elements) are set when its op runs.
struct Buffer {
  mlir::Operation *op = nullptr;
  std::string name;
  Scalar type;
  tile::Space space = tile::Space::Global;
  Storage *storage = nullptr;
  Storage own; ///< of an allocation
  llvm::SmallVector<int64_t, 4> shape, strides;
  /// Each lane has its own copy, `copyStride` elements apart.
  bool perLane = false;
  int64_t copyStride = 0;
  Cell pad{};
  Buffer *aliased = nullptr;

  int64_t elements() const {
    int64_t n = 1;
    for (int64_t e : shape)
      n *= e;
    return n;
  }
};

/// A box of a buffer: offset slots per dimension, static extents.
struct Box {
  Buffer *buffer = nullptr;
  llvm::SmallVector<int, 4> offsets; ///< slots; -1 is the offset 0
  llvm::SmallVector<int64_t, 4> shape;
};

struct Frame;
struct Inst;
using LaneFn = void (*)(Frame &, const Inst &);

/// One instruction: a function over lanes with its slots. Structured ones
/// (branches, loops, tile ops) have their data behind `extra`.
struct Inst {
  LaneFn fn = nullptr;
  uint32_t dst = 0, a = 0, b = 0, c = 0; ///< slots
  Scalar type;                           ///< of the result
  Scalar from;                           ///< of the first operand
  /// A product that the compiler may contract into a fused multiply-add.
  bool contract = false;
  bool tracked = false; ///< errors of the operands reach the result
  int64_t imm = 0;
  double bound = 0;            ///< units of error an approximation may add
  const void *extra = nullptr; ///< data of structured instructions
  mlir::Operation *op = nullptr;
};
using Code = std::vector<Inst>;

/// The code of one scope, and what a Frame for it needs.
struct Program {
  Code body;
  unsigned slots = 0;
  struct Constant {
    uint32_t slot;
    Cell value;
  };
  std::vector<Constant> constants;
  struct Capture {
    uint32_t outer, inner;
  };
  std::vector<Capture> captures;
  std::vector<uint32_t> arguments; ///< slots of the region's arguments
  /// Local buffers of outer code that the body writes: private to each lane
  /// while it runs.
  std::vector<Buffer *> privates;
};

/// One evaluation.
struct Machine {
  Options options;
  bool exact = false, bounds = false;
  /// In a kernel whose weights may all be larger by one factor than they are
  /// here.
  bool lazyMaximum = false;
  bool failed = false;
  Statistics stats;
  /// Registers of each Program, kept between its runs.
  llvm::DenseMap<const Program *, std::unique_ptr<Frame>> frames;

  /// Emits an error at the instruction's op once and stops the run.
  void fail(const Inst &inst, const llvm::Twine &message);
  Frame &frameOf(const Program &program, unsigned width);
};

/// The slots of a Program for a number of lanes: slot s of lane l is cells[s *
/// width + l], with its error beside it.
struct Frame {
  Machine &m;
  const Program &program;
  unsigned width; ///< lanes there is room for
  unsigned n = 0; ///< lanes in use
  std::vector<Cell> cells;
  std::vector<double> errors;
  /// The active lanes, unless all are.
  const uint8_t *mask = nullptr;

  Frame(Machine &m, const Program &program, unsigned width);
  Cell *at(uint32_t slot) { return cells.data() + size_t(slot) * width; }
  double *err(uint32_t slot) { return errors.data() + size_t(slot) * width; }
  bool active(unsigned lane) const { return !mask || mask[lane]; }
  /// Some active lane; -1 if there is none.
  int firstActive() const {
    for (unsigned l = 0; l < n; ++l)
      if (active(l))
        return int(l);
    return -1;
  }
};

/// Executes instructions in order until one fails.
void run(Frame &frame, const Code &code);
/// Copies values between slots in the active lanes, all at once.
void moveSlots(Frame &frame, const std::vector<struct Move> &moves);

//===----------------------------------------------------------------------===//
// Structured instructions: what `extra` points to
//===----------------------------------------------------------------------===//

/// One value of a parallel assignment; `temp` is used where there are several.
struct Move {
  uint32_t from, temp, to;
};
struct IfData {
  Code thenCode, elseCode;
  std::vector<Move> thenMoves, elseMoves;
};
/// Inst: a lower bound, b upper bound, c step.
struct ForData {
  Code body;
  uint32_t iv = 0;
  std::vector<Move> inits, yields, results;
};
struct WhileData {
  Code before, after;
  uint32_t condition = 0;
  std::vector<Move> inits, forwards, yields, results;
};
struct ParallelData {
  Program program;
  llvm::SmallVector<int64_t, 4> extents;
  /// Run with the lanes of the enclosing frame instead, `body`: each does a
  /// stretch of the points.
  bool perThread = false;
  Code body;
  std::vector<uint32_t> ivs;
};
struct KernelData {
  Program program;
  bool lazyMaximum = false; ///< tile::kLazyMaximumAttr
  llvm::SmallVector<uint32_t, 3> grid;
  unsigned lanes = 1;
};
struct TensorData {
  Buffer *buffer;
  llvm::SmallVector<int64_t, 4> shape, strides; ///< kDynamic: next slot
  llvm::SmallVector<uint32_t, 4> sizes, strideSlots;
};
/// An element: its buffer and a slot for each index.
struct AccessData {
  Buffer *buffer;
  llvm::SmallVector<uint32_t, 4> indices;
  tile::AtomicKind kind = tile::AtomicKind::Add;
  uint32_t value = 0;
};
/// A tile op: a, b are source and destination, c a gemm's accumulator.
struct TileData {
  Box a, b, c;
  uint32_t value = 0;
  bool transA = false, transB = false;
  tile::ReduceKind kind = tile::ReduceKind::Sum;
  unsigned dim = 0;
  bool accumulate = false, nan = false, reverse = false;
  /// Operands differ between lanes: done once for each.
  bool perLane = false;
};
struct PrintData {
  std::string message;
  std::vector<std::pair<uint32_t, Scalar>> values;
};

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// A dense copy of a box.
struct Dense {
  std::vector<Cell> cells;
  std::vector<double> errors; ///< empty: all zero
};
/// Reads a box with the offsets of one lane; false on a fault.
bool gather(Frame &f, const Inst &inst, const Box &box, unsigned lane,
            Dense &out);
/// Writes a box; what lies outside a global tensor is dropped.
bool scatter(Frame &f, const Inst &inst, const Box &box, unsigned lane,
             const Dense &in);
/// Casts as a store of another element type would.
void convert(Machine &m, Scalar from, Scalar to, Dense &values);

/// C[m,n] += A[m,k] · B[k,n], all row-major.
void gemmF64(const double *a, const double *b, double *c, int64_t m, int64_t n,
             int64_t k);
void gemmF32(const float *a, const float *b, float *c, int64_t m, int64_t n,
             int64_t k);

// Instructions, by file.
void execIf(Frame &, const Inst &);
void execFor(Frame &, const Inst &);
void execWhile(Frame &, const Inst &);
void execParallel(Frame &, const Inst &);
void execKernel(Frame &, const Inst &);
void execThreadId(Frame &, const Inst &);
void execShuffle(Frame &, const Inst &);
void execBallot(Frame &, const Inst &);
void execTensor(Frame &, const Inst &);
void execAlloc(Frame &, const Inst &);
void execAlias(Frame &, const Inst &);
void execLoad(Frame &, const Inst &);
void execStore(Frame &, const Inst &);
void execAtomic(Frame &, const Inst &);
void execCopy(Frame &, const Inst &);
void execFill(Frame &, const Inst &);
void execGemm(Frame &, const Inst &);
void execReduce(Frame &, const Inst &);
void execScan(Frame &, const Inst &);
void execTranspose(Frame &, const Inst &);
void execPrint(Frame &, const Inst &);
void execAssert(Frame &, const Inst &);

/// Lane functions of arith and math ops, by op name; null fn for others.
struct ScalarOp {
  LaneFn fn = nullptr;
  double bound = 0;
  int64_t imm = 0;
};
/// What an op of arith or math does to lanes; null fn for others.
ScalarOp findScalarOp(mlir::Operation &op);
ScalarOp findIntegerOp(llvm::StringRef name);
ScalarOp findFloatOp(llvm::StringRef name);
LaneFn integerCompare(mlir::arith::CmpIPredicate predicate);
LaneFn floatCompare(mlir::arith::CmpFPredicate predicate);
void execAddOffset(Frame &, const Inst &); ///< dst = a + b, 64 bits

} // namespace tlc::reference

#endif // TLC_LIB_REFERENCE_MACHINE_H
