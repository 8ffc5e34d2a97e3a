//===- FitLayout.cpp - A layout from given coordinates --------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Digits are found along each dimension by themselves, then checked at every
// point:
//
//   a(i) for i = 0 ... 7:  0 1 2 3 64 65 66 67
//   steps: extent 4 stride 1 (0 1 2 3), then extent 2 stride 64
//
// If the sum does not hold everywhere, a memory layout may have XORs. Those
// that bits of the index show directly are tried first, then all of up to five
// bits. Each attempt is linear in the points; the number of attempts depends on
// address bits only.
//
//===----------------------------------------------------------------------===//

#include "tlc/Layout/FitLayout.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace tlc;
using llvm::ArrayRef;
using llvm::SmallVector;

/// A digit before its place is known: a step of the value.
using Step = std::pair<int64_t, int64_t>; // extent, stride

/// The steps of a value along one dimension, `at(0)` being 0. None where a step
/// does not go up: digits have positive strides.
static std::optional<SmallVector<Step, 4>>
stepsOf(int64_t extent, llvm::function_ref<int64_t(int64_t)> at) {
  SmallVector<Step, 4> steps;
  for (int64_t scale = 1; scale < extent;) {
    int64_t stride = at(scale);
    if (stride <= 0)
      return std::nullopt;
    // As long as the value keeps growing by the same: one digit.
    int64_t n = 2;
    while (n * scale < extent && at(n * scale) == n * stride)
      ++n;
    steps.push_back({n, stride});
    scale *= n;
  }
  return steps;
}

/// Steps for every dimension whose sum is the value at every point. The last
/// dimension varies fastest.
static std::optional<SmallVector<SmallVector<Step, 4>, 4>>
fitSteps(ArrayRef<int64_t> shape, size_t points,
         llvm::function_ref<int64_t(size_t)> value) {
  if (!points || value(0) != 0)
    return std::nullopt;
  SmallVector<SmallVector<Step, 4>, 4> dims(shape.size());
  int64_t pitch = 1;
  for (int d = int(shape.size()) - 1; d >= 0; --d) {
    auto steps = stepsOf(shape[d], [&](int64_t i) { return value(i * pitch); });
    if (!steps)
      return std::nullopt;
    dims[d] = *steps;
    pitch *= shape[d];
  }
  for (size_t p = 0; p < points; ++p) {
    int64_t rest = p, sum = 0;
    for (int d = int(shape.size()) - 1; d >= 0; --d) {
      int64_t i = rest % shape[d];
      rest /= shape[d];
      for (auto [extent, stride] : dims[d]) {
        sum += i % extent * stride;
        i /= extent;
      }
    }
    if (sum != value(p))
      return std::nullopt;
  }
  return dims;
}

static int64_t apply(const XorTerm &x, int64_t m) {
  return m ^ ((m >> x.shiftRight) & x.mask) << x.shiftLeft;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The XOR that index bits show one by one: each moves the address by its own
/// power of two, the highest in its image; the lower ones are XORed.
static SmallVector<XorTerm, 2> termsFromBits(ArrayRef<int64_t> shape,
                                             ArrayRef<int64_t> addresses) {
  std::map<int64_t, uint64_t> bitsOfShift; // distance -> bits read
  uint64_t read = 0, changed = 0;
  int64_t pitch = 1;
  for (int d = int(shape.size()) - 1; d >= 0; --d) {
    for (int64_t bit = 1; bit < shape[d]; bit *= 2) {
      uint64_t image = addresses[bit * pitch];
      if (!image)
        return {};
      unsigned top = llvm::Log2_64(image);
      for (unsigned low = 0; low < top; ++low)
        if (image >> low & 1) {
          bitsOfShift[top - low] |= uint64_t(1) << top;
          read |= uint64_t(1) << top;
          changed |= uint64_t(1) << low;
        }
    }
    pitch *= shape[d];
  }
  // In any order, and each its own inverse.
  if (read & changed)
    return {};
  SmallVector<XorTerm, 2> terms;
  for (auto [shift, bits] : bitsOfShift) {
    int64_t first = llvm::countr_zero(bits);
    terms.push_back({first, int64_t(bits >> first), first - shift});
  }
  return terms;
}

/// XORs are their own inverses, so undoing them must leave sums of digits.
std::optional<Layout> tlc::fitMemory(ArrayRef<int64_t> shape,
                                     ArrayRef<int64_t> addresses) {
  auto attempt = [&](ArrayRef<XorTerm> terms) -> std::optional<Layout> {
    auto dims = fitSteps(shape, addresses.size(), [&](size_t p) {
      int64_t m = addresses[p];
      for (const XorTerm &x : terms)
        m = apply(x, m);
      return m;
    });
    if (!dims)
      return std::nullopt;
    SmallVector<Layout::Digits> digits(shape.size());
    for (auto [out, steps] : llvm::zip_equal(digits, *dims))
      for (auto [extent, stride] : steps)
        out.push_back({extent, Place::Memory, stride});
    return Layout(digits, terms);
  };
  if (auto layout = attempt({}))
    return layout;
  if (auto terms = termsFromBits(shape, addresses); !terms.empty())
    if (auto layout = attempt(terms))
      return layout;
  int64_t last = *llvm::max_element(addresses);
  int64_t bits = llvm::Log2_64_Ceil(last + 1);
  for (int64_t width = 5; width >= 1; --width)
    for (int64_t low = 0; low + 2 * width <= bits; ++low)
      for (int64_t high = low + width; high + width <= bits; ++high)
        if (auto layout =
                attempt(XorTerm{high, (int64_t(1) << width) - 1, low}))
          return layout;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// Whether the digits of one place read off its coordinate by division: sorted
/// by stride, each is a multiple of all that is below it.
static bool isReadable(ArrayRef<Layout::Digits> dims, Place place) {
  SmallVector<Digit> digits;
  for (const Layout::Digits &dim : dims)
    for (const Digit &digit : dim)
      if (digit.place == place)
        digits.push_back(digit);
  llvm::sort(digits, [](const Digit &a, const Digit &b) {
    return a.stride < b.stride;
  });
  for (size_t i = 1; i < digits.size(); ++i)
    if (digits[i].stride % (digits[i - 1].stride * digits[i - 1].extent))
      return false;
  return true;
}

/// Thread and register of each element; none where they are no digits.
std::optional<Layout> tlc::fitRegisters(ArrayRef<int64_t> shape,
                                        ArrayRef<int64_t> threads,
                                        ArrayRef<int64_t> registers) {
  // One number for both, so that a digit that moves both is not taken for one
  // that moves either.
  constexpr unsigned kThread = 32;
  auto dims = fitSteps(shape, threads.size(), [&](size_t p) {
    return (threads[p] << kThread) + registers[p];
  });
  if (!dims)
    return std::nullopt;
  SmallVector<Layout::Digits> digits(shape.size());
  for (auto [out, steps] : llvm::zip_equal(digits, *dims))
    for (auto [extent, stride] : steps) {
      int64_t thread = stride >> kThread,
              reg = stride & ((int64_t(1) << kThread) - 1);
      if (thread && reg)
        return std::nullopt;
      out.push_back({extent, thread ? Place::Thread : Place::Register,
                     thread ? thread : reg});
    }
  if (!isReadable(digits, Place::Thread) ||
      !isReadable(digits, Place::Register))
    return std::nullopt;
  return Layout(digits);
}

std::optional<std::pair<int64_t, int64_t>>
tlc::findCollision(ArrayRef<int64_t> values) {
  llvm::DenseMap<int64_t, int64_t> seen;
  seen.reserve(values.size());
  for (auto [p, v] : llvm::enumerate(values))
    if (auto [it, fresh] = seen.try_emplace(v, p); !fresh)
      return std::pair<int64_t, int64_t>(it->second, p);
  return std::nullopt;
}
