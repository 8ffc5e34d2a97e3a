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

/// A digit before its place is known: a step of the value, down where negative.
using Step = std::pair<int64_t, int64_t>; // extent, stride

namespace {
/// Digits whose sum, and a constant, are the value at every point.
struct Steps {
  SmallVector<SmallVector<Step, 4>, 4> dims;
  /// What the value is beyond the digits', flipped ones counting down to 0.
  int64_t rest = 0;
};
} // namespace

/// The steps of a value along one dimension, from `at(0)`.
static SmallVector<Step, 4> stepsOf(int64_t extent,
                                    llvm::function_ref<int64_t(int64_t)> at) {
  SmallVector<Step, 4> steps;
  int64_t first = at(0);
  for (int64_t scale = 1; scale < extent;) {
    int64_t stride = at(scale) - first;
    int64_t n = 2;
    while (n * scale < extent && at(n * scale) - first == n * stride)
      ++n;
    steps.push_back({n, stride});
    scale *= n;
  }
  return steps;
}

static std::optional<Steps>
fitSteps(ArrayRef<int64_t> shape, size_t points,
         llvm::function_ref<int64_t(size_t)> value) {
  if (!points)
    return std::nullopt;
  Steps steps;
  steps.dims.resize(shape.size());
  int64_t pitch = 1, first = value(0);
  steps.rest = first;
  for (int d = int(shape.size()) - 1; d >= 0; --d) {
    steps.dims[d] =
        stepsOf(shape[d], [&](int64_t i) { return value(i * pitch); });
    for (auto [extent, stride] : steps.dims[d])
      if (stride < 0)
        steps.rest += (extent - 1) * stride;
    pitch *= shape[d];
  }
  for (size_t p = 0; p < points; ++p) {
    int64_t rest = p, sum = first;
    for (int d = int(shape.size()) - 1; d >= 0; --d) {
      int64_t i = rest % shape[d];
      rest /= shape[d];
      for (auto [extent, stride] : steps.dims[d]) {
        sum += i % extent * stride;
        i /= extent;
      }
    }
    if (sum != value(p))
      return std::nullopt;
  }
  return steps;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The XOR that index bits show one by one: each moves the coordinate by its
/// own power of two, the highest in its image; the lower ones are XORed.
static SmallVector<XorTerm, 2> termsFromBits(ArrayRef<int64_t> shape,
                                             ArrayRef<int64_t> values) {
  std::map<int64_t, uint64_t> bitsOfShift; // distance -> bits read
  uint64_t read = 0, changed = 0;
  int64_t pitch = 1;
  for (int d = int(shape.size()) - 1; d >= 0; --d) {
    for (int64_t bit = 1; bit < shape[d]; bit *= 2) {
      uint64_t image = values[bit * pitch] ^ values[0];
      if (!image)
        continue;
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

/// Calls `attempt` with no XOR, with the one that single bits show, and with
/// every one of one field of bits, until it says that it is done.
static void forXors(ArrayRef<int64_t> shape, ArrayRef<int64_t> values,
                    llvm::function_ref<bool(ArrayRef<XorTerm>)> attempt) {
  if (attempt({}))
    return;
  if (auto terms = termsFromBits(shape, values);
      !terms.empty() && attempt(terms))
    return;
  int64_t last = *llvm::max_element(values);
  int64_t bits = llvm::Log2_64_Ceil(last + 1);
  for (int64_t width = 5; width >= 1; --width)
    for (int64_t low = 0; low + 2 * width <= bits; ++low)
      for (int64_t high = low + width; high + width <= bits; ++high)
        if (attempt(XorTerm{high, (int64_t(1) << width) - 1, low}))
          return;
}

static int64_t applyAll(ArrayRef<XorTerm> terms, int64_t m) {
  for (const XorTerm &x : terms)
    m = x.apply(m);
  return m;
}

/// Whether indices that digits reach beyond the extents have places of their
/// own: a copy may write there.
static bool isInjective(const Layout &layout, ArrayRef<int64_t> shape) {
  SmallVector<int64_t, 4> covered, index(shape.size(), 0);
  int64_t points = 1;
  for (unsigned d = 0; d < shape.size(); ++d) {
    covered.push_back(layout.covered(d));
    points *= covered.back();
  }
  if (ArrayRef<int64_t>(covered) == shape)
    return true;
  std::vector<int64_t> places(points);
  for (int64_t &place : places) {
    place = layout.at(index).memory;
    for (int d = int(shape.size()) - 1; d >= 0; --d) {
      if (++index[d] < covered[d])
        break;
      index[d] = 0;
    }
  }
  return !findCollision(places);
}

std::optional<Layout> tlc::fitMemory(ArrayRef<int64_t> shape,
                                     ArrayRef<int64_t> addresses) {
  std::optional<Layout> result;
  forXors(shape, addresses, [&](ArrayRef<XorTerm> terms) {
    auto steps = fitSteps(shape, addresses.size(), [&](size_t p) {
      return applyAll(terms, addresses[p]);
    });
    if (!steps || steps->rest)
      return false;
    SmallVector<Layout::Digits> digits(shape.size());
    for (auto [out, dim] : llvm::zip_equal(digits, steps->dims))
      for (auto [extent, stride] : dim) {
        if (!stride)
          return false;
        out.push_back({extent, Place::Memory, std::abs(stride), stride < 0});
      }
    Layout layout(digits, terms);
    if (!isInjective(layout, shape))
      return false;
    result = layout;
    return true;
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// Whether the digits of the threads read off their number by division.
static bool areThreadsReadable(ArrayRef<Layout::Digits> dims) {
  SmallVector<Digit> digits;
  for (const Layout::Digits &dim : dims)
    for (const Digit &digit : dim)
      if (digit.place == Place::Thread)
        digits.push_back(digit);
  llvm::sort(digits, [](const Digit &a, const Digit &b) {
    return a.stride < b.stride;
  });
  for (size_t i = 1; i < digits.size(); ++i)
    if (digits[i].stride % (digits[i - 1].stride * digits[i - 1].extent))
      return false;
  return true;
}

/// Where the threads' digits end, the others are registers. These are numbered
/// in the order of the strides that `registerOf` gives them.
static std::optional<Layout>
fitThreads(ArrayRef<int64_t> shape, ArrayRef<int64_t> threads,
           ArrayRef<XorTerm> terms,
           llvm::function_ref<int64_t(size_t)> registerOf) {
  // One number for both, so that a digit that moves both is not taken for one
  // that moves either.
  constexpr unsigned kThread = 32;
  auto steps = fitSteps(shape, threads.size(), [&](size_t p) {
    return (applyAll(terms, threads[p]) << kThread) + registerOf(p);
  });
  if (!steps)
    return std::nullopt;
  int64_t next = 1;
  SmallVector<Layout::Digits> digits(shape.size());
  for (auto [d, dim] : llvm::enumerate(llvm::reverse(steps->dims)))
    for (auto [extent, stride] : dim) {
      int64_t thread = (stride + (int64_t(1) << (kThread - 1))) >> kThread,
              reg = stride - (thread << kThread);
      if ((thread && reg) || reg < 0)
        return std::nullopt;
      Layout::Digits &out = digits[shape.size() - 1 - d];
      if (thread)
        out.push_back({extent, Place::Thread, std::abs(thread), thread < 0});
      else
        out.push_back({extent, Place::Register, reg ? reg : next});
      if (!thread && !reg)
        next *= extent;
    }
  // The threads begin at one: an outermost digit that is never 1 counts down
  // from there, and the threads before hold what does not exist.
  int64_t first = steps->rest >> kThread;
  if (first < 0 || steps->rest != first << kThread)
    return std::nullopt;
  if (first)
    digits[0].push_back({2, Place::Thread, first, true});
  if (!areThreadsReadable(digits))
    return std::nullopt;
  return Layout(digits, {}, terms).compactRegisters();
}

std::optional<Layout> tlc::fitRegisters(ArrayRef<int64_t> shape,
                                        ArrayRef<int64_t> threads,
                                        ArrayRef<int64_t> registers) {
  std::optional<Layout> result;
  forXors(shape, threads, [&](ArrayRef<XorTerm> terms) {
    result = fitThreads(shape, threads, terms,
                        [&](size_t p) { return registers[p]; });
    // The number of a register means nothing beyond its thread.
    if (!result)
      result =
          fitThreads(shape, threads, terms, [](size_t) { return int64_t(0); });
    return result.has_value();
  });
  return result;
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
