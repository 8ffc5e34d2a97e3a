//===- Layout.cpp - Where each element of a tile lives ----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layout takes an index apart into digits, dimension by dimension, and gives
// each a place and a stride (docs/layouts.md):
//
//   (32, 8) by "[32:t1], [8:r1]":   thread i, register j
//   (64, 64) f16 by "[64:m64], [64:m1], xor(6, 7, 3)":
//     address 64 i + j, bits 3-5 XORed by bits 6-8 (the row mod 8)
//
//===----------------------------------------------------------------------===//

#include "tlc/Layout/Layout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cassert>
#include <numeric>

using namespace tlc;
using llvm::ArrayRef;
using llvm::SmallVector;

Layout Layout::rowMajor(ArrayRef<int64_t> shape) {
  SmallVector<Digits, 4> dims(shape.size());
  int64_t stride = 1;
  for (int d = shape.size() - 1; d >= 0; --d) {
    dims[d].push_back({shape[d], Place::Memory, stride});
    stride *= shape[d];
  }
  return Layout(dims);
}

/// Every thread has everything: registers in row-major order.
Layout Layout::replicated(ArrayRef<int64_t> shape) {
  SmallVector<Digits, 4> dims(shape.size());
  int64_t stride = 1;
  for (int d = shape.size() - 1; d >= 0; --d) {
    if (shape[d] > 1)
      dims[d].push_back({shape[d], Place::Register, stride});
    stride *= shape[d];
  }
  return Layout(dims);
}

/// Neighbouring threads have neighbouring pieces of `vector` elements, so that
/// global accesses are wide and whole lines.
///   (4, 128), 64 threads, vector 4:   [2:t32 2:r4], [4:r1 32:t1]
Layout Layout::coalesced(ArrayRef<int64_t> shape, int64_t threads,
                         int64_t vector) {
  SmallVector<Digits, 4> dims(shape.size());
  int64_t reg = 1, thread = 1;
  for (int d = shape.size() - 1; d >= 0; --d) {
    int64_t left = shape[d];
    auto add = [&](int64_t extent, Place place, int64_t &stride) {
      if (extent > 1)
        dims[d].push_back({extent, place, stride});
      stride *= extent;
    };
    if (d == int(shape.size()) - 1) {
      assert(left % vector == 0 && "vector must divide the last extent");
      add(vector, Place::Register, reg);
      left /= vector;
    }
    // Lanes first, then wavefronts, as many as still fit; what remains becomes
    // further registers. A digit that does not fill its room is padded to a
    // divisor of it, so that the next dimension stays aligned.
    for (int64_t end : {std::min<int64_t>(threads, 64), threads}) {
      int64_t room = thread < end ? end / thread : 1;
      if (left == 1 || room == 1)
        continue;
      int64_t extent = std::min(left, room);
      while (room % extent)
        ++extent;
      add(extent, Place::Thread, thread);
      left = (left + extent - 1) / extent;
    }
    add(left, Place::Register, reg);
  }
  return Layout(dims);
}

bool Layout::countsUp() const {
  return threadXors.empty() && llvm::none_of(dims, [](const Digits &digits) {
           return llvm::any_of(digits,
                               [](const Digit &d) { return d.flipped; });
         });
}

/// Elements of dimension d that the digits can count; at least the extent.
int64_t Layout::covered(unsigned d) const {
  int64_t n = 1;
  for (const Digit &digit : dims[d])
    n *= digit.extent;
  return n;
}

/// One more than the largest coordinate of a place.
int64_t Layout::span(Place place) const {
  int64_t last = 0;
  for (const Digits &digits : dims)
    for (const Digit &digit : digits)
      if (digit.place == place)
        last += (digit.extent - 1) * digit.stride;
  if (place == Place::Memory)
    for (const XorTerm &x : xors) {
      // XOR moves elements within the aligned block its target bits span.
      int64_t block = 1;
      while (block <= (x.mask << x.shiftLeft))
        block *= 2;
      last |= block - 1;
    }
  return last + 1;
}

/// Digits from the fastest on: each takes its remainder.
Coord Layout::at(ArrayRef<int64_t> index) const {
  assert(index.size() == dims.size());
  Coord c;
  for (auto [d, digits] : llvm::enumerate(dims)) {
    int64_t rest = index[d];
    for (const Digit &digit : digits) {
      int64_t value = rest % digit.extent;
      rest /= digit.extent;
      int64_t &coord = digit.place == Place::Register ? c.reg
                       : digit.place == Place::Thread ? c.thread
                                                      : c.memory;
      coord += digit.counted(value) * digit.stride;
    }
  }
  for (const XorTerm &x : xors)
    c.memory = x.apply(c.memory);
  c.thread = threadOfDigits(c.thread);
  return c;
}

int64_t Layout::threadOfDigits(int64_t digits) const {
  for (const XorTerm &x : threadXors)
    digits = x.apply(digits);
  return digits;
}

int64_t Layout::digitsOfThread(int64_t thread) const {
  for (const XorTerm &x : llvm::reverse(threadXors))
    thread = x.apply(thread);
  return thread;
}

/// The value of a digit at a coordinate of its place. Digits of one place form
/// a mixed-radix system, so a digit reads off by division and remainder.
static int64_t valueOf(const Digit &digit, int64_t coord) {
  return digit.counted((coord / digit.stride) % digit.extent);
}

/// The index that a thread has in a register; none if the register is not one
/// of the layout's. Elements outside the tile are possible.
std::optional<SmallVector<int64_t, 4>> Layout::indexOf(int64_t thread,
                                                       int64_t reg) const {
  SmallVector<int64_t, 4> index;
  int64_t regUsed = 0;
  thread = digitsOfThread(thread);
  for (const Digits &digits : dims) {
    int64_t value = 0, scale = 1;
    for (const Digit &digit : digits) {
      assert(digit.place != Place::Memory && "no inverse of memory digits");
      int64_t v = valueOf(digit, digit.place == Place::Register ? reg : thread);
      if (digit.place == Place::Register)
        regUsed += digit.counted(v) * digit.stride;
      value += v * scale;
      scale *= digit.extent;
    }
    index.push_back(value);
  }
  if (regUsed != reg)
    return std::nullopt;
  return index;
}

PointTable::PointTable(const Layout &layout, int64_t threads, int64_t registers)
    : rank(layout.rank()) {
  for (int64_t t = 0; t < threads; ++t)
    llvm::append_range(ofThread, *layout.indexOf(t, 0));
  for (int64_t r = 0; r < registers; ++r) {
    auto index = layout.indexOf(0, r);
    exists.push_back(index.has_value());
    for (size_t d = 0; d < rank; ++d)
      // Thread 0 and register 0 count what both have, flipped digits, once.
      ofRegister.push_back(index ? (*index)[d] - ofThread[d] : 0);
  }
}

bool PointTable::at(int64_t thread, int64_t reg,
                    llvm::MutableArrayRef<int64_t> index) const {
  for (size_t d = 0; d < rank; ++d)
    index[d] = ofThread[thread * rank + d] + ofRegister[reg * rank + d];
  return exists[reg];
}

/// The largest power of two up to 16 that divides an extent: clamping keeps the
/// index modulo it, and so the alignment of wide accesses.
int64_t tlc::clampUnit(int64_t extent) {
  return extent > 0 ? std::min<int64_t>(16, extent & -extent) : 1;
}

int64_t tlc::clampedIndex(int64_t index, int64_t extent) {
  int64_t unit = clampUnit(extent);
  if (index < 0)
    return 0;
  return std::min(index, extent - unit + index % unit);
}

/// Threads beyond the digits hold copies; those that digits reach own theirs.
bool Layout::isOwner(int64_t thread) const {
  int64_t used = 0;
  thread = digitsOfThread(thread);
  for (const Digits &digits : dims)
    for (const Digit &digit : digits)
      if (digit.place == Place::Thread)
        used += digit.counted(valueOf(digit, thread)) * digit.stride;
  return used == thread;
}

/// The register in which a thread has an element, if it has it.
std::optional<int64_t> Layout::slotIn(int64_t thread,
                                      ArrayRef<int64_t> index) const {
  int64_t slot = 0;
  thread = digitsOfThread(thread);
  for (auto [d, digits] : llvm::enumerate(dims)) {
    int64_t rest = index[d];
    for (const Digit &digit : digits) {
      int64_t value = rest % digit.extent;
      rest /= digit.extent;
      if (digit.place == Place::Register)
        slot += digit.counted(value) * digit.stride;
      else if (value != valueOf(digit, thread))
        return std::nullopt;
    }
    if (rest)
      return std::nullopt;
  }
  return slot;
}

std::optional<int64_t> Layout::linearStride(unsigned d) const {
  if (dims[d].size() != 1 || dims[d][0].place != Place::Memory ||
      dims[d][0].flipped)
    return std::nullopt;
  // A multiple of a power of two above all bits that an XOR reads or changes
  // leaves those bits alone, and takes no carry from them.
  int64_t stride = dims[d][0].stride;
  for (const XorTerm &x : xors) {
    uint64_t touched = uint64_t(x.mask) << x.shiftRight | uint64_t(x.mask)
                                                              << x.shiftLeft;
    if (stride % int64_t(llvm::bit_ceil(touched + 1)))
      return std::nullopt;
  }
  return stride;
}

Layout Layout::withoutDim(unsigned d) const {
  Layout result = *this;
  result.dims.erase(result.dims.begin() + d);
  return result.compactRegisters();
}

Layout Layout::withDim(unsigned d, ArrayRef<Digit> digits) const {
  Layout result = *this;
  result.dims.insert(result.dims.begin() + d,
                     Digits(digits.begin(), digits.end()));
  return result;
}

/// The same elements under another shape, row-major order kept; none where a
/// digit would have to be cut at something that does not divide it.
///   [64:t1], [4:r1] of (64, 4)  ->  of (256):    [4:r1 64:t1]
///                               ->  of (16, 16): [16:t4], [4:r1 4:t1]
std::optional<Layout> Layout::reshaped(llvm::ArrayRef<int64_t> from,
                                       llvm::ArrayRef<int64_t> to) const {
  if (from.size() != rank())
    return std::nullopt;
  llvm::SmallVector<Digits, 4> result(to.size());
  // From the innermost dimension out: the digits not yet dealt out, and how
  // many elements they and the dimensions filled so far make up.
  Digits left;
  unsigned next = from.size();
  int64_t have = 1, taken = 1;
  for (unsigned t = to.size(); t-- > 0;) {
    int64_t wanted = taken * to[t];
    while (have < wanted) {
      if (next == 0)
        return std::nullopt;
      --next;
      // What lies beyond a dimension's extent would come between elements.
      bool outermost = std::all_of(from.begin(), from.begin() + next,
                                   [](int64_t e) { return e == 1; });
      if (covered(next) != from[next] && !outermost)
        return std::nullopt;
      left.append(dims[next].begin(), dims[next].end());
      have *= from[next];
    }
    int64_t rest = to[t];
    bool last = std::all_of(to.begin(), to.begin() + t,
                            [](int64_t e) { return e == 1; });
    while (!left.empty() && (rest > 1 || last)) {
      Digit digit = left.front();
      left.erase(left.begin());
      if (!last && digit.extent > rest) {
        if (digit.extent % rest)
          return std::nullopt;
        left.insert(left.begin(), {digit.extent / rest, digit.place,
                                   digit.stride * rest, digit.flipped});
        digit.extent = rest;
      }
      if (!last && rest % digit.extent)
        return std::nullopt;
      result[t].push_back(digit);
      rest = std::max<int64_t>(1, rest / digit.extent);
    }
    if (rest > 1 && !last)
      return std::nullopt;
    taken = wanted;
  }
  return Layout(result, xors, threadXors);
}

std::optional<Layout> Layout::seenAs(ArrayRef<int64_t> from, int64_t before,
                                     ArrayRef<int64_t> to,
                                     int64_t after) const {
  if (before == after)
    return reshaped(from, to);
  std::optional<Layout> layout = resized(before, after);
  if (!layout || from.empty())
    return std::nullopt;
  SmallVector<int64_t> shape(from);
  shape.back() = shape.back() * before / after;
  return layout->reshaped(shape, to);
}

std::optional<Layout> Layout::resized(int64_t before, int64_t after) const {
  Layout result = *this;
  if (before == after)
    return result;
  if (before > after) {
    if (before % after)
      return std::nullopt;
    int64_t n = before / after;
    for (Digits &digits : result.dims)
      for (Digit &digit : digits)
        digit.stride *= n;
    Digits &last = result.dims.back();
    last.insert(last.begin(), {n, Place::Memory, 1});
    if (!result.xors.empty() && !llvm::isPowerOf2_64(n))
      return std::nullopt;
    for (XorTerm &x : result.xors) {
      x.shiftRight += llvm::Log2_64(n);
      x.shiftLeft += llvm::Log2_64(n);
    }
    return result;
  }
  if (after % before || result.dims.empty())
    return std::nullopt;
  int64_t n = after / before;
  Digits &last = result.dims.back();
  if (last.empty() || last.front().place != Place::Memory ||
      last.front().stride != 1 || last.front().flipped ||
      last.front().extent % n)
    return std::nullopt;
  last.front().extent /= n;
  last.front().stride = n;
  if (last.front().extent == 1)
    last.erase(last.begin());
  for (Digits &digits : result.dims)
    for (Digit &digit : digits) {
      if (digit.stride % n)
        return std::nullopt;
      digit.stride /= n;
    }
  if (!result.xors.empty() && !llvm::isPowerOf2_64(n))
    return std::nullopt;
  for (XorTerm &x : result.xors) {
    if (x.shiftLeft < llvm::Log2_64(n))
      return std::nullopt;
    x.shiftRight -= llvm::Log2_64(n);
    x.shiftLeft -= llvm::Log2_64(n);
  }
  return result;
}

/// Register numbers without gaps, in the same order.
Layout Layout::compactRegisters() const {
  Layout result = *this;
  SmallVector<Digit *> regs;
  for (Digits &digits : result.dims)
    for (Digit &digit : digits)
      if (digit.place == Place::Register)
        regs.push_back(&digit);
  llvm::sort(regs, [](Digit *a, Digit *b) { return a->stride < b->stride; });
  int64_t stride = 1;
  for (Digit *digit : regs) {
    digit->stride = stride;
    stride *= digit->extent;
  }
  return result;
}

llvm::hash_code Layout::hash() const {
  llvm::hash_code h = llvm::hash_value(dims.size());
  for (const Digits &digits : dims) {
    h = llvm::hash_combine(h, digits.size());
    for (const Digit &digit : digits)
      h = llvm::hash_combine(h, digit.extent, int(digit.place), digit.stride,
                             digit.flipped);
  }
  for (const XorTerm &x : xors)
    h = llvm::hash_combine(h, x.shiftRight, x.mask, x.shiftLeft);
  for (const XorTerm &x : threadXors)
    h = llvm::hash_combine(h, x.shiftRight, x.mask, x.shiftLeft, 't');
  return h;
}

/// "[4:r1 16:t1], [8:m1], xor(6, 7, 3)": extent, place, stride; see the
/// dialect's syntax.
std::string Layout::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(dims, os, [&](const Digits &digits) {
    os << '[';
    llvm::interleaveComma(digits, os, [&](const Digit &digit) {
      os << digit.extent << ':' << (digit.flipped ? "-" : "")
         << "rtm"[int(digit.place)] << digit.stride;
    });
    os << ']';
  });
  for (auto [name, terms] : {std::pair("xor", llvm::ArrayRef<XorTerm>(xors)),
                             {"thread_xor", threadXors}})
    for (const XorTerm &x : terms)
      os << ", " << name << '(' << x.shiftRight << ", " << x.mask << ", "
         << x.shiftLeft << ')';
  return text;
}
