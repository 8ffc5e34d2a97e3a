//===- Scalars.cpp - Single elements at any index ---------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements whose index is not an affine form of the point, or that stand under
// control flow or outside loops, are reached one at a time.
//
// Three ways to an element of global memory, by what is known of the tensor:
//
//   small, in bounds      buffer access at a 32-bit offset
//   small, not proved     the same, with an offset outside for bad lanes
//   large or of unknown   64-bit address, behind a branch where bounds are not
//   size                  proved
//
// Reads out of bounds give the tensor's pad value (0 if it has none), writes
// are dropped. LDS indices are clamped into the buffer instead. Elements of a
// thread's own array are registers: a constant index names one, any other
// becomes a chain of selects.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tlc;

/// Runs `body` under a branch on `condition`, or bare if that is null.
void KernelLowering::guarded(Value condition, Location loc,
                             function_ref<void()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(b, loc, condition, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

/// Whether no value that the index is computed from can be negative. LLVM moves
/// a constant addend of an offset into the instruction, whose range check would
/// take a negative remainder for a huge offset.
bool KernelLowering::neverNegative(Value v, unsigned depth) {
  if (depth == 0 || rangeOf(v).lo < 0)
    return false;
  Operation *op = v.getDefiningOp();
  return !op || !isa<arith::ArithDialect>(op->getDialect()) ||
         llvm::all_of(op->getOperands(), [&](Value o) {
           return o.getType().isInteger(1) || neverNegative(o, depth - 1);
         });
}

/// Where one element is and whether it exists; computed in the op's place.
/// Fails where the shape of the tensor cannot be told.
FailureOr<KernelLowering::ElementAddress>
KernelLowering::elementAddress(Operation *op, Value buffer,
                               ValueRange indices) {
  Location loc = op->getLoc();
  auto type = mlir::cast<MemRefType>(buffer.getType());
  // Booleans take a byte.
  int64_t bytes = std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
  ElementAddress address;
  // LDS: the layout's address at run time, plus where the buffer begins.
  if (tile::getSpace(buffer) == tile::Space::Shared) {
    SmallVector<Value> index;
    for (auto [d, v] : llvm::enumerate(indices)) {
      Value x = toI32(lookup(v), loc);
      // Out of range is an error of the program; it must not reach LDS beyond
      // the buffer. Nor must a point that the loop's layout has in excess.
      Interval range = rangeOf(v);
      if (range.lo < 0 || range.hi >= type.getDimSize(d) ||
          (point && point->valid))
        x = arith::MinUIOp::create(b, loc, x,
                                   constant(loc, type.getDimSize(d) - 1));
      index.push_back(x);
    }
    Value a = layoutAddress(ldsLayoutOf(buffer), index, loc);
    a = arith::MulIOp::create(b, loc, a, constant(loc, bytes));
    address.lds =
        arith::AddIOp::create(b, loc, a, constant(loc, ldsOffsetOf(buffer)));
    return address;
  }
  FailureOr<TensorShape> shape = getTensorShape(buffer, loc);
  if (failed(shape))
    return failure();
  address.pad = shape->pad;
  // Sizes and strides as i64 values; constants fold.
  Type i64 = b.getI64Type();
  auto constant64 = [&](int64_t v) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(v));
  };
  auto wide = [&](Value v) -> Value {
    v = lookup(v);
    return v.getType() == i64 ? v : arith::ExtSIOp::create(b, loc, i64, v);
  };
  constexpr int64_t kDynamic = ShapedType::kDynamic;
  unsigned rank = type.getRank();
  SmallVector<Value> sizes(rank), strides = runtimeStrides(*shape, loc);
  ArrayRef<int64_t> known = shape->strides;
  for (unsigned d = 0; d < rank; ++d) {
    sizes[d] = shape->sizes[d] == kDynamic ? wide(shape->sizeValues[d])
                                           : constant64(shape->sizes[d]);
    if (!strides[d])
      strides[d] = constant64(known[d]);
  }
  // Offsets of a buffer access have 32 bits, of which the resource's size uses
  // 31.
  bool small = shape->bytes >= 0 && shape->bytes < kResourceLimit;
  Value sum;
  for (auto [d, v] : llvm::enumerate(indices)) {
    Interval range = rangeOf(v);
    // Only indices that are not proved are compared; unsigned, so that a
    // negative one is too large.
    if (type.isDynamicDim(d) || range.lo < 0 || range.hi >= type.getDimSize(d))
      address.valid =
          andAlso(loc, address.valid,
                  arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                        wide(v), sizes[d]));
    Value term;
    if (small)
      term = arith::MulIOp::create(b, loc, toI32(lookup(v), loc),
                                   constant(loc, known[d] * bytes));
    else
      term = arith::MulIOp::create(
          b, loc, wide(v),
          arith::MulIOp::create(b, loc, strides[d], constant64(bytes)));
    sum = sum ? arith::AddIOp::create(b, loc, sum, term).getResult() : term;
  }
  if (!sum)
    sum = constant(loc, 0);
  if (!small) {
    // Nothing guards a plain address: points that do not exist must not load.
    if (point)
      address.valid = andAlso(loc, address.valid, point->valid);
    address.pointer = lookup(shape->pointer);
    address.bytes = sum;
    return address;
  }
  // Hides the sum from LLVM's reassociation (see neverNegative()).
  if (!llvm::all_of(indices, [&](Value v) { return neverNegative(v); }))
    sum = wave::OpaqueOp::create(b, loc, b.getI32Type(), sum);
  // One resource for the whole tensor, made once for all its accesses.
  Value &full = fullResources[buffer];
  if (!full) {
    OpBuilder::InsertionGuard guard(b);
    setAfterPointer(lookup(shape->pointer));
    full = wave::ResourceOp::create(b, loc, wave::RsrcType::get(b.getContext()),
                                    lookup(shape->pointer),
                                    constant(loc, shape->bytes));
  }
  address.resource = full;
  // INT32_MIN as an unsigned offset is 2 GiB, outside of any such resource.
  address.voffset = address.valid
                        ? arith::SelectOp::create(b, loc, address.valid, sum,
                                                  constant(loc, INT32_MIN))
                              .getResult()
                        : sum;
  address.pointer = lookup(shape->pointer);
  address.bytes = sum;
  return address;
}

/// Which register of a thread's own array, row by row: a number where all
/// indices are constant, else a value.
std::pair<int64_t, Value>
KernelLowering::registerIndex(Value buffer, ValueRange indices, Location loc) {
  auto shape = mlir::cast<MemRefType>(buffer.getType()).getShape();
  int64_t slot = 0;
  bool isConstant = true;
  for (auto [extent, index] : llvm::zip_equal(shape, indices)) {
    APInt c;
    isConstant = isConstant && matchPattern(lookup(index), m_ConstantInt(&c));
    if (isConstant)
      slot = slot * extent + c.getSExtValue();
  }
  if (isConstant)
    return {slot, nullptr};
  Value linear;
  for (auto [extent, index] : llvm::zip_equal(shape, indices)) {
    Value v = toI32(lookup(index), loc);
    if (linear)
      v = arith::AddIOp::create(
          b, loc, arith::MulIOp::create(b, loc, linear, constant(loc, extent)),
          v);
    linear = v;
  }
  return {0, linear};
}

/// Inside a parallel, a load that lowerParallel() has done for all registers is
/// looked up; the others are single accesses.
LogicalResult KernelLowering::lowerLoad(tile::LoadOp op) {
  Location loc = op.getLoc();
  Value buffer = op.getSource();
  tile::Space space = tile::getSpace(buffer);
  if (point) {
    if (auto it = point->loaded.find(op); it != point->loaded.end()) {
      map.map(op.getResult(), it->second[point->reg]);
      return success();
    }
    if (auto it = point->slots.find(op); it != point->slots.end()) {
      int64_t slot = it->second[point->reg];
      map.map(op.getResult(), slot < 0 ? zero(op.getType(), loc)
                                       : registersOf(buffer).get(b, loc, slot));
      return success();
    }
  }
  if (space == tile::Space::Local || space == tile::Space::Fragment) {
    // A thread's own array: constant indices name a register, others choose.
    Registers &registers = registersOf(buffer);
    auto give = [&](Value v) {
      if (v.getType() != op.getType()) // through an alias
        v = arith::BitcastOp::create(b, loc, op.getType(), v);
      map.map(op.getResult(), v);
    };
    auto [slot, linear] = registerIndex(buffer, op.getIndices(), loc);
    // Element 0 unless the index equals another: one compare and select for
    // each register.
    if (linear) {
      Value result = registers.get(b, loc, 0);
      for (int64_t i = 1; i < registers.size(); ++i)
        result = arith::SelectOp::create(
            b, loc,
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, linear,
                                  constant(loc, i)),
            registers.get(b, loc, i), result);
      give(result);
      return success();
    }
    if (slot < 0 || slot >= registers.size())
      return op.emitError("index is outside the buffer");
    give(registers.get(b, loc, slot));
    return success();
  }
  FailureOr<ElementAddress> address =
      elementAddress(op, buffer, op.getIndices());
  if (failed(address))
    return failure();
  Value result;
  TypedAttr pad = address->pad;
  // The three kinds of address; buffer loads out of bounds give 0 by
  // themselves, another pad value is selected.
  Value mayRead;
  if (point && point->ownersRead && address->lds)
    mayRead = andAlso(loc, point->valid, point->owner);
  if (mayRead) {
    auto branch = scf::IfOp::create(b, loc, TypeRange{op.getType()}, mayRead,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    scf::YieldOp::create(
        b, loc,
        wave::LdsLoadOp::create(b, loc, op.getType(), address->lds, 0)
            .getResult());
    b.setInsertionPointToStart(&branch.getElseRegion().front());
    scf::YieldOp::create(b, loc, zero(op.getType(), loc));
    result = branch.getResult(0);
  } else if (address->lds) {
    result = wave::LdsLoadOp::create(b, loc, op.getType(), address->lds, 0);
  } else if (address->resource) {
    result = wave::BufferLoadOp::create(b, loc, op.getType(), address->resource,
                                        address->voffset, Value(), 0);
    if (address->valid && pad)
      result = arith::SelectOp::create(b, loc, address->valid, result,
                                       arith::ConstantOp::create(b, loc, pad));
  } else if (!address->valid) {
    result = wave::GlobalLoadOp::create(b, loc, op.getType(), address->pointer,
                                        address->bytes, 0);
  } else {
    // A plain address has no range check: branch.
    auto branch = scf::IfOp::create(b, loc, TypeRange{op.getType()},
                                    address->valid, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    scf::YieldOp::create(b, loc,
                         wave::GlobalLoadOp::create(b, loc, op.getType(),
                                                    address->pointer,
                                                    address->bytes, 0)
                             .getResult());
    b.setInsertionPointToStart(&branch.getElseRegion().front());
    scf::YieldOp::create(
        b, loc,
        arith::ConstantOp::create(
            b, loc,
            pad ? pad : mlir::cast<TypedAttr>(b.getZeroAttr(op.getType())))
            .getResult());
    result = branch.getResult(0);
  }
  // Outside loops all threads read the same element, unless code is written
  // per thread.
  if (!point && !perThread())
    result = wave::UniformOp::create(b, loc, result.getType(), result);
  map.map(op.getResult(), result);
  return success();
}

/// The mirror of lowerLoad(). Of replicas the first thread stores; outside
/// loops, where all threads agree, thread 0.
LogicalResult KernelLowering::lowerStore(tile::StoreOp op) {
  Location loc = op.getLoc();
  Value buffer = op.getDest(), value = lookup(op.getValue());
  tile::Space space = tile::getSpace(buffer);
  // A store that lowerParallel() makes for all registers together is only noted
  // here.
  if (point) {
    if (auto it = point->deferred.find(op); it != point->deferred.end()) {
      it->second[point->reg] = value;
      return success();
    }
    if (auto it = point->slots.find(op); it != point->slots.end()) {
      if (int64_t slot = it->second[point->reg]; slot >= 0)
        registersOf(buffer).set(b, loc, slot, value);
      return success();
    }
  }
  if (space == tile::Space::Local || space == tile::Space::Fragment) {
    Registers &registers = registersOf(buffer);
    if (value.getType() != registers.getElementType()) // through an alias
      value =
          arith::BitcastOp::create(b, loc, registers.getElementType(), value);
    auto [slot, linear] = registerIndex(buffer, op.getIndices(), loc);
    if (!linear) {
      if (slot < 0 || slot >= registers.size())
        return op.emitError("index is outside the buffer");
      registers.set(b, loc, slot, value);
      return success();
    }
    // Every register is rewritten, chosen or as it was.
    for (int64_t i = 0; i < registers.size(); ++i) {
      Value here = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                         linear, constant(loc, i));
      Value old = registers.get(b, loc, i);
      registers.set(b, loc, i,
                    arith::SelectOp::create(b, loc, here, value, old));
    }
    return success();
  }
  FailureOr<ElementAddress> address =
      elementAddress(op, buffer, op.getIndices());
  if (failed(address))
    return failure();
  // Who stores: within a loop the first holder of a point that exists, outside
  // of loops thread 0 unless each thread is meant.
  Value condition;
  if (point)
    condition = andAlso(loc, point->valid, point->owner);
  else if (!perThread())
    condition = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                      threadId(), constant(loc, 0));
  // A buffer store out of bounds is dropped by the hardware.
  if (!address->lds && !address->resource)
    condition = andAlso(loc, condition, address->valid);
  guarded(condition, loc, [&] {
    if (address->lds)
      wave::LdsStoreOp::create(b, loc, value, address->lds, 0);
    else if (address->resource)
      wave::BufferStoreOp::create(b, loc, value, address->resource,
                                  address->voffset, Value(), 0);
    else
      wave::GlobalStoreOp::create(b, loc, value, address->pointer,
                                  address->bytes, 0);
  });
  return success();
}

/// By a 64-bit address always: buffer atomics are not used. Lanes that do not
/// take part get 0 as the old value.
LogicalResult KernelLowering::lowerAtomic(tile::AtomicOp op) {
  Location loc = op.getLoc();
  // elementAddress() fills in pointer and byte offset for small tensors too.
  FailureOr<ElementAddress> address =
      elementAddress(op, op.getDest(), op.getIndices());
  if (failed(address))
    return failure();
  // An LDS index has been clamped; a global one is guarded.
  Value condition = address->lds ? Value() : address->valid;
  if (point)
    condition =
        andAlso(loc, condition, andAlso(loc, point->valid, point->owner));
  else if (!perThread())
    condition = andAlso(loc, condition,
                        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                              threadId(), constant(loc, 0)));
  Value value = lookup(op.getValue());
  auto kind = static_cast<wave::AtomicKind>(op.getKind());
  wave::MemoryOrderAttr order;
  if (auto given = op.getOrder())
    order = wave::MemoryOrderAttr::get(b.getContext(),
                                       static_cast<wave::MemoryOrder>(*given));
  auto emit = [&]() -> Value {
    if (address->lds)
      return wave::LdsAtomicOp::create(b, loc, value.getType(), kind, value,
                                       address->lds, order);
    return wave::GlobalAtomicOp::create(b, loc, value.getType(), kind, value,
                                        address->pointer, address->bytes,
                                        order);
  };
  if (!condition) {
    map.map(op.getResult(), emit());
    return success();
  }
  auto branch = scf::IfOp::create(b, loc, TypeRange{value.getType()}, condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  scf::YieldOp::create(b, loc, emit());
  b.setInsertionPointToStart(&branch.getElseRegion().front());
  scf::YieldOp::create(b, loc, zero(value.getType(), loc));
  map.map(op.getResult(), branch.getResult(0));
  return success();
}
