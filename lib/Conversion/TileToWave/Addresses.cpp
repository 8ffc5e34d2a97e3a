//===- Addresses.cpp - Which instructions reach the elements of a loop ----===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop's registers reach a buffer by groups: registers whose elements are
// consecutive in memory for every thread go together, up to 16 bytes. What is
// the same for all threads is an immediate or a scalar; what depends on the
// thread is computed once before the kernel's body.
//
// LDS. The layout (digits and XOR) is evaluated for every thread and register
// here, at compile time: where the difference to another register's address is
// the same for all threads, it becomes the instruction's offset, so that a few
// address registers serve a whole tile whatever the swizzle.
//
// Global memory: GlobalAddresses.cpp.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"
#include "tlc/Dialect/Tile/Transforms/RotatingSlot.h"
#include "tlc/Layout/BankModel.h"
#include <numeric>

using namespace mlir;
using namespace tlc;

/// An alias sees bytes in row-major order; tile-swizzle-lds has left the buffer
/// behind it so.
Layout KernelLowering::ldsLayoutOf(Value buffer) {
  // tile-swizzle-lds lays out no tile that is seen under a shape without one.
  std::optional<Layout> layout = tile::getSharedLayout(buffer);
  return layout ? *layout
                : Layout::rowMajor(
                      mlir::cast<MemRefType>(buffer.getType()).getShape());
}

/// Where the buffer begins in LDS, in bytes.
int64_t KernelLowering::ldsOffsetOf(Value buffer) {
  auto alloc = tile::getBase(buffer).getDefiningOp<tile::AllocOp>();
  return alloc.getLdsOffset().value_or(0);
}

/// The layout's place of `index`, in elements, as arithmetic: each digit by
/// shift and mask where it is a power of two, by division where not; then the
/// XOR terms. The outermost digit needs no remainder, since indices are in
/// bounds.
Value KernelLowering::layoutAddress(const Layout &layout, ArrayRef<Value> index,
                                    Location loc) {
  auto op = [&](auto tag, Value x, int64_t c) -> Value {
    return decltype(tag)::create(b, loc, x, constant(loc, c));
  };
  Value sum;
  for (unsigned d = 0; d < layout.rank(); ++d) {
    // Each digit is what is left above the digits below it.
    int64_t scale = 1;
    for (auto [i, digit] : llvm::enumerate(layout.dim(d))) {
      Value v = index[d];
      bool last = i + 1 == layout.dim(d).size();
      bool powers = llvm::isPowerOf2_64(scale);
      if (scale > 1)
        v = powers ? op(arith::ShRUIOp(), v, llvm::Log2_64(scale))
                   : op(arith::DivUIOp(), v, scale);
      if (!last)
        v = llvm::isPowerOf2_64(digit.extent)
                ? op(arith::AndIOp(), v, digit.extent - 1)
                : op(arith::RemUIOp(), v, digit.extent);
      if (digit.flipped)
        v = arith::SubIOp::create(b, loc, constant(loc, digit.extent - 1), v);
      if (digit.stride > 1)
        v = op(arith::MulIOp(), v, digit.stride);
      sum = sum ? arith::AddIOp::create(b, loc, sum, v).getResult() : v;
      scale *= digit.extent;
    }
  }
  if (!sum)
    sum = constant(loc, 0);
  // The swizzle: bits of the address itself are folded onto lower ones.
  for (const XorTerm &x : layout.xorTerms()) {
    Value bits = op(arith::ShRUIOp(), sum, x.shiftRight);
    bits = op(arith::AndIOp(), bits, x.mask);
    bits = op(arith::ShLIOp(), bits, x.shiftLeft);
    sum = arith::XOrIOp::create(b, loc, sum, bits);
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// LDS
//===----------------------------------------------------------------------===//

/// Whether the points that do not exist fall on places of the layout that no
/// element of the buffer has.
static bool isRoomy(const tile::Access &access, const PointMap &points,
                    const Layout &layout) {
  auto shape = mlir::cast<MemRefType>(access.buffer.getType()).getShape();
  for (int64_t r = 0; r < points.registers; ++r)
    for (int64_t t = 0; t < points.threads; ++t) {
      bool exists = true, apart = false;
      for (unsigned d = 0; d < points.extents.size(); ++d)
        exists &= points.at(d, t, r) < points.extents[d];
      if (exists)
        continue;
      for (auto [d, index] : llvm::enumerate(access.indices)) {
        int64_t v = rawIndex(index, points, t, r);
        if (!index.known || v < 0 || v >= layout.covered(d))
          return false;
        apart |= v >= shape[d];
      }
      if (!apart)
        return false;
    }
  return true;
}

/// Plans the access of every register of the loop to an LDS tile. The places
/// are tabulated for all threads and registers (registers x threads entries,
/// thousands at most), grouped into wide accesses, and reduced to a few base
/// addresses plus immediates.
FailureOr<AccessPlan> KernelLowering::planLds(const tile::Access &access,
                                              const PointMap &points,
                                              Location loc, bool store) {
  Layout layout = ldsLayoutOf(access.buffer);
  auto shape = mlir::cast<MemRefType>(access.buffer.getType()).getShape();
  int64_t bytes = tlc::elementBytes(access.buffer);
  AccessPlan plan;
  plan.lds = true;

  // A uniform offset is added after the layout where the layout is linear in
  // that dimension.
  SmallVector<int64_t, 4> linear(shape.size(), 0);
  bool dynamic = false;
  // A dimension of extent 1 has only one place.
  for (auto [d, index] : llvm::enumerate(access.indices)) {
    if (!index.uniform)
      continue;
    if (shape[d] == 1)
      continue;
    std::optional<int64_t> stride = layout.linearStride(d);
    if (stride && index.isUniform())
      linear[d] = *stride;
    else
      dynamic = true;
  }

  // Lanes without a point need no branch where the layout has room for them.
  // The table holds bytes from the tile's beginning.
  int64_t n = points.registers;
  SmallVector<int64_t, 4> extents(shape);
  bool roomy = store && !dynamic && isRoomy(access, points, layout);
  if (roomy)
    for (unsigned d = 0; d < shape.size(); ++d)
      extents[d] = layout.covered(d);
  auto indexOf = [&](int64_t t, int64_t r, SmallVectorImpl<int64_t> &element) {
    for (auto [d, index] : llvm::enumerate(access.indices))
      element[d] = clampedIndex(rawIndex(index, points, t, r), extents[d]);
  };
  std::vector<int64_t> table(n * points.threads);
  SmallVector<int64_t, 4> element(shape.size());
  for (int64_t r = 0; r < n; ++r)
    for (int64_t t = 0; t < points.threads; ++t) {
      indexOf(t, r, element);
      table[r * points.threads + t] = layout.at(element).memory * bytes;
    }
  auto offset = [&](int64_t t, int64_t r) {
    return table[r * points.threads + t];
  };

  // Registers none of whose points exist in any thread are left out.
  auto exists = [&](int64_t r) {
    for (unsigned d = 0; d < points.extents.size(); ++d)
      if (points.registerPart[d][r] >= points.extents[d])
        return false;
    return true;
  };
  // An access is as wide as the uniform offset keeps aligned; an offset that
  // goes through the layout's XOR may break up anything.
  int64_t alignment = 16;
  for (unsigned d = 0; d < shape.size(); ++d)
    if (linear[d])
      alignment = std::gcd(alignment, linear[d] * bytes);
  if (dynamic)
    alignment = bytes;

  // An address register and the loop register that it was computed for.
  struct Base {
    int64_t reg;
    Value address;
  };
  SmallVector<Base> bases;
  // What the schedule is told: the bytes of LDS that the access can reach, and
  // which of rotating copies it names.
  int64_t start = ldsOffsetOf(access.buffer);
  int64_t size = 0;
  for (int64_t offset : table)
    size = std::max(size, offset + bytes);
  for (unsigned d = 0; d < shape.size(); ++d)
    if (linear[d])
      size += (shape[d] - 1) * linear[d] * bytes;
  if (!dynamic)
    plan.facts.push_back(b.getNamedAttr(
        wave::kLdsAttr, b.getDenseI64ArrayAttr({start, start + size})));
  for (unsigned d = 0; d < shape.size() && !dynamic; ++d)
    if (linear[d])
      if (auto slot = tile::matchSlot(access.indices[d].uniform))
        plan.facts.push_back(b.getNamedAttr(
            wave::kSlotAttr,
            b.getDenseI64ArrayAttr({slot->ahead, slot->copies})));
  Value uniform;
  for (unsigned d = 0; d < shape.size(); ++d)
    if (linear[d]) {
      Value v = arith::MulIOp::create(
          b, loc, toI32(lookup(access.indices[d].uniform), loc),
          constant(loc, linear[d] * bytes));
      uniform =
          uniform ? arith::AddIOp::create(b, loc, uniform, v).getResult() : v;
    }

  // The address of register r for this thread, as operations.
  auto addressOf = [&](int64_t r) {
    SmallVector<Value> index;
    for (auto [d, form] : llvm::enumerate(access.indices)) {
      Value v;
      bool mayLeave = dynamic && form.uniform;
      for (auto [p, c] : llvm::enumerate(form.coeffs)) {
        if (!c)
          continue;
        Value x = pointValue(points, p, r, loc);
        if (c != 1)
          x = arith::MulIOp::create(b, loc, x, constant(loc, c));
        v = v ? arith::AddIOp::create(b, loc, v, x).getResult() : x;
        mayLeave |= points.isPadded(p) && !roomy;
      }
      if (!v)
        v = constant(loc, form.constant);
      else if (form.constant)
        v = arith::AddIOp::create(b, loc, v, constant(loc, form.constant));
      if (form.uniform && !linear[d] && shape[d] != 1)
        v = arith::AddIOp::create(b, loc, v, toI32(lookup(form.uniform), loc));
      // The same clamp as in the table, at run time: to the last element, or
      // within the last unit of a vector.
      if (mayLeave) {
        int64_t unit = clampUnit(shape[d]);
        Value last = constant(loc, shape[d] - unit);
        if (unit > 1)
          last = arith::OrIOp::create(
              b, loc, last,
              arith::AndIOp::create(b, loc, v, constant(loc, unit - 1)));
        v = arith::MinUIOp::create(b, loc, v, last);
      }
      index.push_back(v);
    }
    Value address = layoutAddress(layout, index, loc);
    if (bytes > 1)
      address = arith::MulIOp::create(b, loc, address, constant(loc, bytes));
    return address;
  };

  for (auto &registers :
       groupRegisters(n, points.threads, bytes, alignment, exists, offset)) {
    AccessGroup group;
    group.registers = registers;
    int64_t r = registers.front();
    const Base *base = nullptr;
    int64_t delta = 0;
    // An earlier base serves if it lies a constant apart in every thread. The
    // immediate must not be negative: ds_* offsets are unsigned (16 bits).
    if (!dynamic)
      // Tried in order of creation; there are few.
      for (const Base &candidate : bases) {
        delta = offset(0, r) - offset(0, candidate.reg);
        bool same = delta >= 0 || start + delta >= 0;
        for (int64_t t = 1; t < points.threads && same; ++t)
          same = offset(t, r) - offset(t, candidate.reg) == delta;
        if (same) {
          base = &candidate;
          break;
        }
      }
    if (!base) {
      // What depends on the thread alone is computed once, before the body.
      OpBuilder::InsertionGuard guard(b);
      if (!dynamic)
        b.setInsertionPoint(anchor);
      bases.push_back({r, addressOf(r)});
      base = &bases.back();
      delta = 0;
    }
    group.address = base->address;
    if (uniform)
      group.address = arith::AddIOp::create(b, loc, group.address, uniform);
    group.offset = start + delta;
    // Stores of padded points must not happen; loads of them may.
    if (store && !roomy) {
      for (unsigned d = 0; d < points.extents.size(); ++d)
        if (points.isPadded(d)) {
          bool needed = false;
          for (int64_t t = 0; t < points.threads; ++t)
            needed |= points.at(d, t, r) >= points.extents[d];
          if (needed)
            group.valid = andAlso(
                loc, group.valid,
                arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                      pointValue(points, d, r, loc),
                                      constant(loc, points.extents[d])));
        }
    }
    plan.groups.push_back(std::move(group));
  }
  return plan;
}

/// The plan for either memory, with a warning where it is slow. Fails where an
/// address cannot be formed.
FailureOr<AccessPlan> KernelLowering::plan(const tile::Access &access,
                                           const PointMap &points, Location loc,
                                           bool store) {
  FailureOr<AccessPlan> plan =
      tile::getSpace(access.buffer) == tile::Space::Shared
          ? planLds(access, points, loc, store)
          : planGlobal(access, points, loc, store);
  if (succeeded(plan))
    warnIfSlow(*plan, access.buffer, store, loc);
  return plan;
}

/// Says what an access costs where its layout makes it several times dearer
/// than its bytes: narrow LDS instructions, lanes far apart in memory.
void KernelLowering::warnIfSlow(const AccessPlan &plan, Value buffer,
                                bool store, Location loc) {
  // Fewer instructions than this are not worth a word.
  constexpr int64_t kFewest = 16, kTimes = 4;
  int64_t bytes = 0, count = plan.groups.size();
  for (const AccessGroup &group : plan.groups)
    bytes += group.registers.size() * elementBytes(buffer);
  StringRef name = tile::getBufferName(buffer),
            verb = store ? "written" : "read";
  // Once for each place in the source and buffer.
  auto first = [&] {
    return warned.insert({const_cast<void *>(loc.getAsOpaquePointer()), buffer})
        .second;
  };
  // As if every access moved 16 bytes.
  int64_t ideal = (bytes + 15) / 16;
  if (plan.lds && count >= kFewest && bytes < count * 4 &&
      count >= kTimes * ideal && first())
    mlir::emitWarning(loc, "'")
        << name << "' is " << verb << " in LDS " << bytes / count
        << " bytes at a time: " << count << " instructions a thread where "
        << ideal << " of 16 bytes would do";
  if (!plan.lds && plan.segments >= kFewest &&
      plan.segments >= kTimes * plan.filled && first())
    mlir::emitWarning(loc, "'")
        << name << "' is " << verb << " uncoalesced: a wavefront touches "
        << plan.segments << " segments of 64 bytes for what would fill "
        << plan.filled;
}

/// A constant of a scalar or vector type, all elements alike.
Value KernelLowering::splat(Attribute element, Type type, Location loc) {
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(vector, element));
  return arith::ConstantOp::create(b, loc, mlir::cast<TypedAttr>(element));
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// One value for each register; registers without a point give zero.
SmallVector<Value> KernelLowering::load(const AccessPlan &plan,
                                        int64_t registers, Type element,
                                        Location loc) {
  SmallVector<Value> values(registers);
  for (const AccessGroup &group : plan.groups) {
    int64_t count = group.registers.size();
    Type type = count == 1 ? element : VectorType::get(count, element);
    Value v;
    if (plan.lds) {
      auto load =
          wave::LdsLoadOp::create(b, loc, type, group.address, group.offset);
      load->setDiscardableAttrs(plan.facts);
      v = load;
    } else
      v = wave::BufferLoadOp::create(b, loc, type, plan.resource, group.address,
                                     group.soffset, group.offset);
    // Out of range a buffer gives 0; another pad value is chosen here.
    if (plan.pad && group.valid)
      v = arith::SelectOp::create(b, loc, group.valid, v,
                                  splat(plan.pad, type, loc));
    if (group.whole)
      v = dropEarly(group, v, loc);
    for (auto [i, r] : llvm::enumerate(group.registers))
      values[r] =
          count == 1 ? v : vector::ExtractOp::create(b, loc, v, int64_t(i));
  }
  for (Value &v : values)
    if (!v)
      v = zero(element, loc);
  return values;
}

/// LDS has no range check: an invalid lane branches around its store. A buffer
/// drops it by its offset.
void KernelLowering::store(const AccessPlan &plan, ArrayRef<Value> values,
                           Location loc) {
  for (const AccessGroup &group : plan.groups) {
    SmallVector<Value> parts;
    for (int64_t r : group.registers)
      parts.push_back(values[r]);
    Value v = parts.front();
    if (parts.size() > 1)
      v = vector::FromElementsOp::create(
          b, loc, VectorType::get(parts.size(), v.getType()), parts);
    if (plan.lds)
      guarded(group.valid, loc, [&] {
        auto write =
            wave::LdsStoreOp::create(b, loc, v, group.address, group.offset);
        write->setDiscardableAttrs(plan.facts);
      });
    else
      wave::BufferStoreOp::create(b, loc, v, plan.resource, group.address,
                                  group.soffset, group.offset);
  }
}
