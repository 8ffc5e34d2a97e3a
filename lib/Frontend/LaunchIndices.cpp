//===- LaunchIndices.cpp - Indices and extents of a launch ----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a thread stands in its workgroup, and the workgroup in the grid. A
// workgroup has three dimensions, those not given with one thread; a grid has
// as many as T.Kernel was given.
//
//   T.get_thread_binding(0)   tile.thread_id 0
//   T.get_thread_extents()    [128, 1, 1]
//   T.get_block_binding(1)    the kernel's block argument 1
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace tlc;
using namespace mlir;

namespace tlc::frontend {

/// T.get_thread_binding(dim=0). A dimension that the workgroup does not have
/// has one index, 0.
Value Interpreter::threadBinding(Args &args) {
  int64_t dim = args.has(0) && args[0].isIntLike() ? args[0].asInt() : 0;
  if (dim < 0 || dim > 2)
    return fail(DiagID::BadArgument, args.range,
                "a workgroup has dimensions 0 to 2");
  return threadIndex(dim);
}

Value Interpreter::threadIndex(int64_t dim) {
  if (dim >= int64_t(kernelOp.getThreads().size()))
    return Value::integral(0);
  return Value::scalar(
      {tile::ThreadIdOp::create(b, b.getI32Type(), uint64_t(dim)),
       dtypes::int32});
}

/// All three.
Value Interpreter::threadBindings(Args &args) {
  SmallVector<Value> all;
  for (int64_t i = 0; i < 3; ++i)
    all.push_back(threadIndex(i));
  return makeSequence(VK::Tuple, all);
}

/// T.get_thread_extent(dim=0), a number.
Value Interpreter::threadExtent(Args &args) {
  int64_t dim = args.has(0) && args[0].isIntLike() ? args[0].asInt() : 0;
  ArrayRef<int64_t> threads = kernelOp.getThreads();
  return Value::integral(
      dim >= 0 && size_t(dim) < threads.size() ? threads[size_t(dim)] : 1);
}

/// T.get_thread_extents(): three numbers.
Value Interpreter::threadExtents(Args &args) {
  SmallVector<Value> all;
  for (size_t i = 0; i < 3; ++i)
    all.push_back(Value::integral(
        i < kernelOp.getThreads().size() ? kernelOp.getThreads()[i] : 1));
  return makeSequence(VK::List, all);
}

/// T.get_block_binding(dim=0): as bound by `as (bx, by, bz)`.
Value Interpreter::blockBinding(Args &args) {
  int64_t dim = args.has(0) && args[0].isIntLike() ? args[0].asInt() : 0;
  if (dim < 0 || dim >= int64_t(kernelOp.getGrid().size()))
    return fail(DiagID::BadArgument, args.range,
                "the grid has no dimension " + llvm::Twine(dim));
  return Value::scalar(
      {kernelOp.getBody().getArgument(unsigned(dim)), dtypes::int32});
}

/// All that the grid has.
Value Interpreter::blockBindings(Args &args) {
  SmallVector<Value> all;
  for (unsigned i = 0; i < kernelOp.getGrid().size(); ++i)
    all.push_back(
        Value::scalar({kernelOp.getBody().getArgument(i), dtypes::int32}));
  return makeSequence(VK::List, all);
}

/// T.get_block_extent(dim=0): a number where the grid has one there.
Value Interpreter::blockExtent(Args &args) {
  int64_t dim = args.has(0) && args[0].isIntLike() ? args[0].asInt() : 0;
  if (dim < 0 || dim >= int64_t(kernelOp.getGrid().size()))
    return fail(DiagID::BadArgument, args.range,
                "the grid has no dimension " + llvm::Twine(dim));
  return gridExtent(unsigned(dim));
}

Value Interpreter::blockExtents(Args &args) {
  SmallVector<Value> all;
  for (unsigned i = 0; i < kernelOp.getGrid().size(); ++i)
    all.push_back(gridExtent(i));
  return makeSequence(VK::List, all);
}

Value Interpreter::gridExtent(unsigned dim) {
  mlir::Value extent = kernelOp.getGrid()[dim];
  if (auto known = mlir::getConstantIntValue(extent))
    return Value::integral(*known);
  if (extent.getType().isIndex())
    extent = arith::IndexCastOp::create(b, b.getI32Type(), extent);
  return Value::scalar({extent, dtypes::int32});
}

} // namespace tlc::frontend
