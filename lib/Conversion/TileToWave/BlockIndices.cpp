//===- BlockIndices.cpp - The indices of a workgroup in its order ---------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel's indices are the hardware's, or those that its order of workgroups
// (WorkgroupOrder.h) makes of them, once at the start and in scalar registers:
//
//   tile.kernel grid(%c16, %c16) ... (%x, %y)
//       attributes {tile.order = {panel = 4, xcds = 8, ...}}
// becomes
//   %0 = wave.block_id 0
//   %1 = wave.block_id 1
//   %linear = %0 + 16 * %1
//   %place = (%linear rem 8) * 32 + %linear div 8
//   %x = %place div 64 * 4 + %place rem 4 ...
//
// All in 32 bits. A grid of unknown extents that has 2^31 workgroups or more
// keeps the hardware's order.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"
#include "mlir/IR/Matchers.h"
#include "tlc/Dialect/Tile/Transforms/KernelOrder.h"

using namespace mlir;
using namespace tlc;

namespace {

/// WorkgroupOrder's arithmetic as operations; constants fold.
struct EmitMath {
  using Number = Value;
  OpBuilder &b;
  Location loc;
  Type type = b.getI32Type();

  Value constant(int64_t n) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, n));
  }
  template <typename Op> Value op(Value x, Value y) {
    return b.createOrFold<Op>(loc, x, y);
  }
  Value add(Value x, Value y) { return op<arith::AddIOp>(x, y); }
  Value sub(Value x, Value y) { return op<arith::SubIOp>(x, y); }
  Value mul(Value x, Value y) { return op<arith::MulIOp>(x, y); }
  Value div(Value x, Value y) { return op<arith::DivUIOp>(x, y); }
  Value rem(Value x, Value y) { return op<arith::RemUIOp>(x, y); }
  Value min(Value x, Value y) { return op<arith::MinUIOp>(x, y); }
};

} // namespace

/// One value for each grid dimension, in scalar registers. Fails on a malformed
/// `tile.order`.
FailureOr<SmallVector<Value>> KernelLowering::blockIndices() {
  Location loc = kernel.getLoc();
  EmitMath m{b, loc};
  SmallVector<Value> ids;
  for (unsigned d = 0; d != kernel.getGrid().size(); ++d)
    ids.push_back(wave::BlockIdOp::create(b, loc, b.getI32Type(), d));
  auto noted = tile::getOrder(kernel);
  if (failed(noted))
    return failure();
  std::optional<WorkgroupOrder> order = *noted;
  if (!order)
    return ids;

  std::array<Value, 3> id, extents;
  constexpr int64_t kLimit = int64_t(1) << 31;
  int64_t count = 1;
  for (unsigned d = 0; d != 3; ++d) {
    bool exists = d < ids.size();
    id[d] = exists ? ids[d] : m.constant(0);
    extents[d] = exists ? map.lookup(kernel.getGrid()[d]) : m.constant(1);
    APInt n;
    if (!matchPattern(extents[d], m_ConstantInt(&n)))
      count = ShapedType::kDynamic;
    else if (count != ShapedType::kDynamic)
      // An extent is below 2^31, so the product stops before it wraps.
      count = std::min(kLimit, count * n.getSExtValue());
  }
  // The order's arithmetic would wrap.
  if (count == kLimit)
    return ids;
  std::array<Value, 3> at = order->place(m, id, extents);
  // Extents known at run time only: decide there.
  Value fits;
  if (count == ShapedType::kDynamic) {
    EmitMath wide{b, loc, b.getI64Type()};
    auto extended = [&](Value v) {
      return arith::ExtUIOp::create(b, loc, wide.type, v);
    };
    // y and z of a launch have 16 bits, x has 32: no wrap.
    Value product =
        wide.mul(extended(extents[0]),
                 wide.mul(extended(extents[1]), extended(extents[2])));
    fits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, product,
                                 wide.constant(kLimit));
  }
  for (unsigned d = 0; d != ids.size(); ++d) {
    if (!fits) {
      ids[d] = at[d];
      continue;
    }
    // Division by a variable runs on the vector ALU.
    Value chosen = arith::SelectOp::create(b, loc, fits, at[d], ids[d]);
    ids[d] = wave::UniformOp::create(b, loc, b.getI32Type(), chosen);
  }
  return ids;
}
