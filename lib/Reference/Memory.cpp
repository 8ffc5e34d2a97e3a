//===- Memory.cpp - Buffers, elements and boxes ---------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bounds follow the dialect: outside a global tensor, reads give its pad value
// and writes are dropped; outside any other buffer is a fault of the program.
// A buffer that aliases storage of another element type goes through its bits.
//
// Element indices are into the storage, strides included. Only there, where all
// lanes' accesses pass, are bounds checked.
//
//   A: 100 x 64 global, box of 16 rows from row 96:
//     read:   rows 96..99 of A, then 12 rows of the pad value
//     write:  rows 96..99; the other 12 are dropped
//   S: 100 x 64 shared, the same box: an error, since nothing guards LDS
//
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include "ErrorModel.h"

using namespace tlc;
using namespace tlc::reference;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Bool has a byte in memory.
static unsigned memoryBits(Scalar type) {
  return type.bits == 1 ? 8 : type.bits;
}

/// Where types agree the cell is copied with its error; otherwise the bits are
/// put together or cut apart, little-endian, and any error makes the value
/// unknown.
Element tlc::reference::readElement(const Buffer &buffer, int64_t index) {
  const Storage &s = *buffer.storage;
  if (s.type == buffer.type)
    return {s.cells[index], s.errors.empty() ? 0 : s.errors[index]};
  unsigned here = memoryBits(buffer.type), there = memoryBits(s.type);
  uint64_t bits = 0;
  double e = 0;
  // Elements never straddle: widths are powers of two. Narrower than the
  // storage: a part of one cell.
  if (here <= there) {
    int64_t cell = index * here / there;
    bits = encodeCell(s.type, s.cells[cell]) >> (index * here % there);
    e = s.errors.empty() ? 0 : s.errors[cell];
  } else {
    // Wider: several cells. Their errors only say that there is one.
    int64_t first = index * here / there;
    for (unsigned i = 0; i < here / there; ++i) {
      bits |= encodeCell(s.type, s.cells[first + i]) << (i * there);
      if (!s.errors.empty())
        e += s.errors[first + i];
    }
  }
  return {decodeCell(buffer.type, bits), e > 0 ? INFINITY : 0};
}

/// The counterpart: of a wider cell the other bits stay.
void tlc::reference::writeElement(Buffer &buffer, int64_t index, Element v) {
  Storage &s = *buffer.storage;
  if (s.type == buffer.type) {
    s.cells[index] = v.cell;
    if (!s.errors.empty())
      s.errors[index] = v.error;
    return;
  }
  unsigned here = memoryBits(buffer.type), there = memoryBits(s.type);
  uint64_t bits = encodeCell(buffer.type, v.cell);
  double e = v.error > 0 ? INFINITY : 0;
  auto put = [&](int64_t cell, uint64_t value) {
    s.cells[cell] = decodeCell(s.type, value);
    if (!s.errors.empty())
      s.errors[cell] = e;
  };
  if (here <= there) {
    int64_t cell = index * here / there;
    unsigned shift = index * here % there;
    uint64_t ones = here == 64 ? ~uint64_t(0) : (uint64_t(1) << here) - 1;
    uint64_t old = encodeCell(s.type, s.cells[cell]) & ~(ones << shift);
    put(cell, old | (bits & ones) << shift);
  } else {
    int64_t first = index * here / there;
    for (unsigned i = 0; i < here / there; ++i)
      put(first + i, bits >> (i * there));
  }
}

/// Where the access of a lane goes: an element, or -1 for outside a global
/// tensor. False on a fault.
static bool locate(Frame &f, const Inst &inst, const AccessData &access,
                   unsigned lane, int64_t &index) {
  Buffer &b = *access.buffer;
  index = b.perLane ? lane * b.copyStride : 0;
  for (size_t d = 0; d < access.indices.size(); ++d) {
    int64_t i = f.at(access.indices[d])[lane].i;
    // Unsigned: negative indices are outside as well.
    if (uint64_t(i) >= uint64_t(b.shape[d])) {
      if (b.space == tile::Space::Global) {
        index = -1;
        return true;
      }
      f.m.fail(inst, "index " + llvm::Twine(i) + " is outside dimension " +
                         llvm::Twine(d) + " of '" + b.name +
                         "', which has extent " + llvm::Twine(b.shape[d]));
      return false;
    }
    index += i * b.strides[d];
  }
  return checkStorage(f, inst, b, index);
}

/// Whether an element lies in the memory behind a buffer. Bounds of the shape
/// do not say so: strides of the program may be wrong. False after an error.
bool tlc::reference::checkStorage(Frame &f, const Inst &inst, const Buffer &b,
                                  int64_t index) {
  int64_t cells = int64_t(b.storage->cells.size()) *
                  memoryBits(b.storage->type) / memoryBits(b.type);
  if (index >= 0 && index < cells)
    return true;
  f.m.fail(inst, "element " + llvm::Twine(index) + " of '" + b.name +
                     "' is beyond its memory, which holds " +
                     llvm::Twine(cells) + " elements");
  return false;
}

/// An element for each active lane; outside a global tensor its pad value.
void tlc::reference::execLoad(Frame &f, const Inst &inst) {
  auto &access = *static_cast<const AccessData *>(inst.extra);
  Cell *d = f.at(inst.dst);
  double *e = f.err(inst.dst);
  for (unsigned l = 0; l < f.n; ++l) {
    if (!f.active(l))
      continue;
    int64_t index;
    if (!locate(f, inst, access, l, index))
      return;
    Element v = index < 0 ? Element{access.buffer->pad, 0}
                          : readElement(*access.buffer, index);
    d[l] = v.cell;
    e[l] = v.error;
  }
}

/// Lane after lane: of several that write one element, the last wins.
void tlc::reference::execStore(Frame &f, const Inst &inst) {
  auto &access = *static_cast<const AccessData *>(inst.extra);
  const Cell *v = f.at(inst.a);
  const double *e = f.err(inst.a);
  for (unsigned l = 0; l < f.n; ++l) {
    if (!f.active(l))
      continue;
    int64_t index;
    if (!locate(f, inst, access, l, index))
      return;
    if (index >= 0)
      writeElement(*access.buffer, index, {v[l], e[l]});
  }
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

namespace {
/// `a op b` before wrapping; signed or not as the kind says.
int64_t combineIntegers(tile::AtomicKind kind, Scalar type, int64_t a,
                        int64_t b) {
  using K = tile::AtomicKind;
  uint64_t ua = encodeCell(type, {.i = a}), ub = encodeCell(type, {.i = b});
  switch (kind) {
  case K::Add:
    return int64_t(uint64_t(a) + uint64_t(b));
  case K::Max:
    return std::max(a, b);
  case K::Min:
    return std::min(a, b);
  case K::UMax:
    return int64_t(std::max(ua, ub));
  case K::UMin:
    return int64_t(std::min(ua, ub));
  case K::And:
    return a & b;
  case K::Or:
    return a | b;
  case K::Xor:
    return a ^ b;
  case K::Exchange:
    return b;
  }
  return 0;
}

/// The error of one more atomic addition. Additions may come in any order:
/// after n of them, each partial sum is at most the sum M of all magnitudes,
/// and there are n - 1 roundings. Returned is the growth of n·u·M, which the
/// element's own error has up to n - 1 already.
double orderError(Storage &s, int64_t index, double old, double x,
                  const FloatFormat &format) {
  // Made on first use: few buffers see atomics.
  if (s.atomicCount.empty()) {
    s.atomicCount.resize(s.cells.size());
    s.atomicMagnitude.resize(s.cells.size());
  }
  double &count = s.atomicCount[index], &sum = s.atomicMagnitude[index];
  if (count == 0)
    sum = std::fabs(old);
  double before = count * sum;
  count += 1;
  sum += std::fabs(x);
  return format.unit * (count * sum - before);
}
} // namespace

/// Atomics happen in the order of the lanes; the results hold for any order,
/// except the old values, for which the program must not care.
void tlc::reference::execAtomic(Frame &f, const Inst &inst) {
  auto &access = *static_cast<const AccessData *>(inst.extra);
  Scalar type = access.buffer->type;
  for (unsigned l = 0; l < f.n; ++l) {
    if (!f.active(l))
      continue;
    int64_t index;
    if (!locate(f, inst, access, l, index))
      return;
    Element old{Cell{.i = 0}, 0};
    // Outside a global tensor an atomic reads 0 and changes nothing.
    if (index >= 0)
      old = readElement(*access.buffer, index);
    f.at(inst.dst)[l] = old.cell;
    f.err(inst.dst)[l] = old.error;
    if (index < 0)
      continue;
    Cell x = f.at(inst.a)[l];
    double ex = f.err(inst.a)[l];
    Element v{x, ex};
    if (!type.isFloat()) {
      v.cell = decodeCell(
          type, uint64_t(combineIntegers(access.kind, type, old.cell.i, x.i)));
      v.error = old.error + ex;
    } else if (access.kind == tile::AtomicKind::Add) {
      // In double precision; the device's roundings are in the bound.
      v.cell.f = old.cell.f + x.f;
      v.error = old.error + ex;
      if (!f.m.exact) {
        v.error += orderError(*access.buffer->storage, index, old.cell.f, x.f,
                              *type.format);
        if (!std::isfinite(v.cell.f))
          v.error = nonFiniteError(v.error);
      }
    } else if (access.kind == tile::AtomicKind::Max ||
               access.kind == tile::AtomicKind::Min) {
      bool takeOld = access.kind == tile::AtomicKind::Max ? old.cell.f >= x.f
                                                          : old.cell.f <= x.f;
      v.cell = takeOld ? old.cell : x;
      v.error = std::max(old.error, ex);
    } else if (access.kind != tile::AtomicKind::Exchange) {
      return f.m.fail(inst, "this atomic does not exist for floating point");
    }
    if (!f.m.bounds)
      v.error = 0;
    writeElement(*access.buffer, index, v);
  }
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

namespace {
/// Walks a box row by row: `visit(dense, index, count, stride)` for runs inside
/// the buffer, `outside(dense, count)` for what lies outside a global one.
template <class Visit, class Outside>
bool walk(Frame &f, const Inst &inst, const Box &box, unsigned lane,
          Visit visit, Outside outside) {
  Buffer &b = *box.buffer;
  size_t rank = box.shape.size();
  llvm::SmallVector<int64_t, 4> offset(rank), at(rank, 0);
  int64_t rows = 1;
  for (size_t d = 0; d < rank; ++d) {
    // An offset's slot, or none (negative) for 0.
    if (!box.offsets.empty() && box.offsets[d] >= 0)
      offset[d] = f.at(box.offsets[d])[lane].i;
    if (d + 1 < rank)
      rows *= box.shape[d];
    bool inside = offset[d] >= 0 && offset[d] + box.shape[d] <= b.shape[d];
    if (!inside && b.space != tile::Space::Global) {
      f.m.fail(inst, "a box of " + llvm::Twine(box.shape[d]) + " from index " +
                         llvm::Twine(offset[d]) +
                         " reaches outside dimension " + llvm::Twine(d) +
                         " of '" + b.name + "', which has extent " +
                         llvm::Twine(b.shape[d]));
      return false;
    }
  }
  int64_t copy = b.perLane ? lane * b.copyStride : 0;
  if (rank == 0)
    return visit(0, copy, 1, 1);
  int64_t width = box.shape[rank - 1];
  // The part of each row that lies inside: [low, high) of width.
  int64_t low = std::min(std::max<int64_t>(0, -offset[rank - 1]), width);
  int64_t high =
      std::max(low, std::min(width, b.shape[rank - 1] - offset[rank - 1]));
  for (int64_t row = 0; row < rows; ++row) {
    int64_t index = copy, dense = row * width;
    bool inside = true;
    for (size_t d = 0; d + 1 < rank; ++d) {
      int64_t i = offset[d] + at[d];
      inside &= uint64_t(i) < uint64_t(b.shape[d]);
      index += i * b.strides[d];
    }
    // A row outside by its outer indices has no part inside.
    int64_t first = inside ? low : width, end = inside ? high : width;
    if (first > 0)
      outside(dense, first);
    // Both ends are checked against the memory, so a wrong stride is found.
    if (end > first) {
      int64_t begin = index + (offset[rank - 1] + first) * b.strides[rank - 1];
      int64_t last = begin + (end - first - 1) * b.strides[rank - 1];
      if (!checkStorage(f, inst, b, begin) || !checkStorage(f, inst, b, last))
        return false;
      visit(dense + first, begin, end - first, b.strides[rank - 1]);
    }
    if (width > end)
      outside(dense + end, width - end);
    // The next row: an odometer over the outer dimensions.
    for (size_t d = rank - 1; d-- > 0;) {
      if (++at[d] < box.shape[d])
        break;
      at[d] = 0;
    }
  }
  return true;
}
} // namespace

/// The elements of a box in row-major order, with errors if the storage has
/// them. False after an error.
bool tlc::reference::gather(Frame &f, const Inst &inst, const Box &box,
                            unsigned lane, Dense &out) {
  int64_t size = 1;
  for (int64_t extent : box.shape)
    size *= extent;
  const Buffer &b = *box.buffer;
  const Storage &s = *b.storage;
  bool errors = !s.errors.empty();
  out.cells.resize(size);
  out.errors.assign(errors ? size : 0, 0);
  return walk(
      f, inst, box, lane,
      [&](int64_t dense, int64_t index, int64_t count, int64_t stride) {
        // Contiguous and of the storage's own type: no cell needs a look.
        if (s.type == b.type && stride == 1) {
          std::copy_n(s.cells.begin() + index, count,
                      out.cells.begin() + dense);
          if (errors)
            std::copy_n(s.errors.begin() + index, count,
                        out.errors.begin() + dense);
          return true;
        }
        for (int64_t i = 0; i < count; ++i) {
          Element v = readElement(b, index + i * stride);
          out.cells[dense + i] = v.cell;
          if (errors)
            out.errors[dense + i] = v.error;
        }
        return true;
      },
      [&](int64_t dense, int64_t count) {
        std::fill_n(out.cells.begin() + dense, count, b.pad);
      });
}

/// Writes a dense array into a box; what lies outside a global tensor is
/// dropped. Errors are set to 0 where `in` has none.
bool tlc::reference::scatter(Frame &f, const Inst &inst, const Box &box,
                             unsigned lane, const Dense &in) {
  Buffer &b = *box.buffer;
  Storage &s = *b.storage;
  return walk(
      f, inst, box, lane,
      [&](int64_t dense, int64_t index, int64_t count, int64_t stride) {
        if (s.type == b.type && stride == 1) {
          std::copy_n(in.cells.begin() + dense, count, s.cells.begin() + index);
          if (!s.errors.empty()) {
            if (in.errors.empty())
              std::fill_n(s.errors.begin() + index, count, 0.0);
            else
              std::copy_n(in.errors.begin() + dense, count,
                          s.errors.begin() + index);
          }
          return true;
        }
        for (int64_t i = 0; i < count; ++i)
          writeElement(b, index + i * stride,
                       {in.cells[dense + i],
                        in.errors.empty() ? 0 : in.errors[dense + i]});
        return true;
      },
      [](int64_t, int64_t) {});
}

//===----------------------------------------------------------------------===//
// Ops that make buffers
//===----------------------------------------------------------------------===//

/// Row-major strides.
static void setContiguous(Buffer &b) {
  b.strides.assign(b.shape.size(), 1);
  for (size_t d = b.shape.size(); d-- > 1;)
    b.strides[d - 1] = b.strides[d] * b.shape[d];
}

/// Sets shape and strides from the slots of the sizes.
void tlc::reference::execTensor(Frame &f, const Inst &inst) {
  auto &data = *static_cast<const TensorData *>(inst.extra);
  Buffer &b = *data.buffer;
  // `from` with its dynamic entries replaced by the slots' values, in order.
  auto fill = [&](llvm::ArrayRef<int64_t> from, llvm::ArrayRef<uint32_t> slots,
                  llvm::SmallVectorImpl<int64_t> &to) {
    const uint32_t *slot = slots.begin();
    to.clear();
    for (int64_t value : from)
      to.push_back(mlir::ShapedType::isDynamic(value) ? f.at(*slot++)[0].i
                                                      : value);
  };
  fill(data.shape, data.sizes, b.shape);
  for (int64_t extent : b.shape)
    if (extent < 0)
      return f.m.fail(inst, "tensor '" + b.name + "' has the negative extent " +
                                llvm::Twine(extent));
  if (data.strides.empty())
    setContiguous(b);
  else
    fill(data.strides, data.strideSlots, b.strides);
}

/// Each execution gives fresh contents, as the language says of allocations.
void tlc::reference::execAlloc(Frame &f, const Inst &inst) {
  Buffer &b = *static_cast<Buffer *>(const_cast<void *>(inst.extra));
  setContiguous(b);
  size_t copies = b.perLane ? f.width : 1;
  b.copyStride = b.elements();
  Storage &s = b.own;
  // What nobody wrote must not look like a result.
  Cell poison{.i = 0x5a5a5a5a5a5a5a5a};
  if (s.type.isFloat())
    poison.f = std::nan("");
  else
    poison = decodeCell(s.type, uint64_t(poison.i));
  s.cells.assign(b.elements() * copies, poison);
  s.errors.assign(f.m.bounds ? s.cells.size() : 0, 0);
}

/// Another shape or type over the same memory; see readElement for types.
void tlc::reference::execAlias(Frame &f, const Inst &inst) {
  Buffer &b = *static_cast<Buffer *>(const_cast<void *>(inst.extra));
  const Buffer &source = *b.aliased;
  Buffer contiguous;
  contiguous.shape = source.shape;
  setContiguous(contiguous);
  if (contiguous.strides != source.strides)
    return f.m.fail(inst, "'" + b.name + "' aliases a buffer with gaps");
  b.storage = source.storage;
  b.perLane = source.perLane;
  b.pad = source.pad;
  // At most one extent may be left open.
  int64_t known = 1, total = source.elements() * memoryBits(source.type) /
                             memoryBits(b.type);
  for (int64_t extent : b.shape)
    if (extent >= 0)
      known *= extent;
  for (int64_t &extent : b.shape)
    if (extent < 0)
      extent = known ? total / known : 0;
  setContiguous(b);
  b.copyStride = b.elements();
}
