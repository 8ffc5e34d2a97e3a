//===- IndexTables.cpp - Functions of an index as tables ------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function of the index, such as a layout, is run once on symbolic indices;
// the integer ops that it emitted are then evaluated for all points of a box
// together, one table of values for each SSA value.
//
//   lambda i, j: [i, j ^ i % 8]     on a box (64, 64), row-major points p:
//     %i, %j                        tables p / 64, p % 64
//     arith.andi %i, 7              table (p / 64) & 7
//     arith.xori %j, %r             table (p % 64) ^ ((p / 64) & 7)
//
// That costs one pass over the points for each op, instead of running the
// function once for each point through the interpreter. The ops are thrown away
// afterwards.
//
//===----------------------------------------------------------------------===//

#include "IndexTables.h"
#include "Interpreter.h"
#include "mlir/IR/Matchers.h"
#include "tlc/Dialect/Tile/IR/IntegerOps.h"

using namespace tlc;
using namespace mlir;

namespace tlc::frontend {

namespace {
/// Values of integer ops at all points of a box, row-major.
class Tabulator {
public:
  Tabulator(tile::ParallelOp box) : box(box) {
    for (int64_t extent : box.getExtents())
      points *= extent;
  }
  /// Null where a value is not computed from the point alone.
  const std::vector<int64_t> *valuesOf(mlir::Value v);

private:
  std::optional<std::vector<int64_t>> compute(mlir::Value v);
  /// Whose arguments are the indices.
  tile::ParallelOp box;
  int64_t points = 1;
  /// Computed tables; none where a value cannot be tabulated.
  DenseMap<mlir::Value, std::optional<std::vector<int64_t>>> known;
};
} // namespace

/// The table of a value from those of its operands. An scf.if, which a ternary
/// becomes, selects between its branches' tables.
std::optional<std::vector<int64_t>> Tabulator::compute(mlir::Value v) {
  std::vector<int64_t> result(points);
  APInt c;
  if (matchPattern(v, m_ConstantInt(&c))) {
    std::fill(result.begin(), result.end(),
              v.getType().isInteger(1) ? c.getZExtValue() : c.getSExtValue());
    return result;
  }
  // An index: its digit of the row-major point.
  if (auto arg = dyn_cast<BlockArgument>(v)) {
    if (arg.getOwner()->getParentOp() != box.getOperation())
      return std::nullopt;
    int64_t pitch = 1;
    ArrayRef<int64_t> extents = box.getExtents();
    for (int64_t extent : extents.drop_front(arg.getArgNumber() + 1))
      pitch *= extent;
    int64_t extent = extents[arg.getArgNumber()];
    for (int64_t p = 0; p < points; ++p)
      result[p] = p / pitch % extent;
    return result;
  }
  Operation *op = v.getDefiningOp();
  // Memory is not looked at.
  if (!isa<scf::IfOp>(op) && !mlir::isPure(op))
    return std::nullopt;
  SmallVector<mlir::Value> operands(op->getOperands());
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned i = cast<OpResult>(v).getResultNumber();
    operands = {branch.getCondition(), branch.thenYield().getOperand(i),
                branch.elseYield().getOperand(i)};
  }
  SmallVector<std::vector<int64_t>> in;
  for (mlir::Value operand : operands) {
    const std::vector<int64_t> *values = valuesOf(operand);
    if (!values)
      return std::nullopt;
    in.push_back(*values);
  }
  SmallVector<int64_t, 4> at(in.size());
  for (int64_t p = 0; p < points; ++p) {
    for (size_t i = 0; i < in.size(); ++i)
      at[i] = in[i][p];
    auto r = isa<scf::IfOp>(op) ? std::optional(at[0] ? at[1] : at[2])
                                : tile::evaluateInteger(op, at);
    if (!r)
      return std::nullopt;
    result[p] = *r;
  }
  return result;
}

const std::vector<int64_t> *Tabulator::valuesOf(mlir::Value v) {
  auto it = known.find(v);
  if (it == known.end()) {
    auto values = compute(v);
    it = known.try_emplace(v, std::move(values)).first;
  }
  return it->second ? &*it->second : nullptr;
}

/// Whether a value is the same at all points of a loop, memory not looked at.
static bool isInvariant(mlir::Value v, tile::ParallelOp loop) {
  if (auto argument = dyn_cast<BlockArgument>(v))
    return !loop->isAncestor(argument.getOwner()->getParentOp());
  Operation *op = v.getDefiningOp();
  if (!loop->isProperAncestor(op))
    return true;
  return mlir::isPure(op) && !op->getNumRegions() &&
         llvm::all_of(op->getOperands(), [&](mlir::Value operand) {
           return isInvariant(operand, loop);
         });
}

/// Sums and differences take constant parts off; anything else has none.
static std::optional<std::vector<int64_t>>
withoutConstant(mlir::Value v, tile::ParallelOp loop, int64_t points,
                Tabulator &tables) {
  if (isInvariant(v, loop))
    return std::vector<int64_t>(points);
  Operation *op = v.getDefiningOp();
  if (isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp>(op))
    return withoutConstant(op->getOperand(0), loop, points, tables);
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op)) {
    auto a = withoutConstant(op->getOperand(0), loop, points, tables),
         b = withoutConstant(op->getOperand(1), loop, points, tables);
    if (!a || !b)
      return std::nullopt;
    for (int64_t p = 0; p < points; ++p)
      (*a)[p] += isa<arith::AddIOp>(op) ? (*b)[p] : -(*b)[p];
    return a;
  }
  const std::vector<int64_t> *table = tables.valuesOf(v);
  return table ? std::optional(*table) : std::nullopt;
}

std::optional<std::vector<int64_t>> tabulateUpToConstant(tile::ParallelOp loop,
                                                         mlir::Value index) {
  Tabulator tables(loop);
  int64_t points = 1;
  for (int64_t extent : loop.getExtents())
    points *= extent;
  return withoutConstant(index, loop, points, tables);
}

bool Interpreter::layoutResults(FunctionObject *map, ArrayRef<Value> indices,
                                SourceRange range,
                                SmallVectorImpl<Value> &results) {
  SmallVector<Value> todo = {callFunction(map, indices, {}, range)};
  while (!todo.empty()) {
    Value v = todo.pop_back_val();
    if (!v)
      return false;
    if (v.isSequence())
      for (Value part : llvm::reverse(v.as<SequenceObject>()->elements))
        todo.push_back(part);
    else
      results.push_back(v);
  }
  return true;
}

/// What a function gives for all indices of a box: one table for each of its
/// results, lists of results taken apart. False after a report: the function
/// reads something else than its indices, or a coordinate is out of range.
bool Interpreter::tabulate(FunctionObject *map, ArrayRef<int64_t> box,
                           SourceRange range,
                           llvm::SmallVectorImpl<Table> &out) {
  at(range);
  int64_t points = 1;
  for (int64_t extent : box)
    if (__builtin_mul_overflow(points, extent, &points) ||
        points > kMostTabulated) {
      error(DiagID::BadLayout, map->range(),
            "a layout of more than " + llvm::Twine(kMostTabulated) +
                " elements");
      return false;
    }
  // A loop for the indices to belong to; it is erased with all that the
  // function emits.
  auto probe = tile::ParallelOp::create(b, box);
  bool ok = inRegion(&probe.getBody().front(), false, [&] {
    SmallVector<Value> indices;
    for (BlockArgument arg : probe.getBody().getArguments())
      indices.push_back(Value::scalar({arg, dtypes::int32}));
    SmallVector<Value> results;
    if (!layoutResults(map, indices, range, results))
      return false;
    Tabulator tables(probe);
    for (Value v : results) {
      mlir::Value index = toIndex(v, range);
      if (!index)
        return false;
      const Table *table = tables.valuesOf(index);
      if (!table) {
        error(DiagID::BadLayout, map->range(),
              "a layout is computed from its indices alone");
        return false;
      }
      auto [least, most] = std::minmax_element(table->begin(), table->end());
      if (*least < INT32_MIN || *most > INT32_MAX) {
        error(DiagID::BadLayout, map->range(),
              "a coordinate of this layout does not fit 32 bits");
        return false;
      }
      out.push_back(*table);
    }
    return true;
  });
  probe.erase();
  return ok;
}

} // namespace tlc::frontend
