//===- Compare.cpp - Results against references ---------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three ways to compare an output: within the bound of each element, the same
// with rows as sets, and relative to the largest value expected. All give the
// element that uses most of its bound, which is where to look first.
//
//===----------------------------------------------------------------------===//

#include "Compare.h"
#include "tlc/Runtime/Npy.h"
#include "llvm/Support/Format.h"
#include <algorithm>
#include <cmath>

using namespace tlc;

/// NaN meets NaN, an infinity the same infinity.
static bool sameValue(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

/// The distance of two elements, 0 for sameValue. Doubles call some integers of
/// 64 bits equal: those are subtracted as such where both sides are given.
static double distance(double x, double y, const Array *got,
                       const Array *expected, int64_t i) {
  bool exact = got && expected && got->type == expected->type &&
               (got->type == DType::Int64 || got->type == DType::UInt64);
  if (!exact)
    return sameValue(x, y) ? 0 : std::fabs(x - y);
  uint64_t a = got->bits(i), b = expected->bits(i);
  bool above = got->type == DType::Int64 ? int64_t(a) > int64_t(b) : a > b;
  return double(above ? a - b : b - a);
}

/// Values as doubles; `bounds` may be empty, which means 0 throughout. The
/// arrays, if both are given, hold the same exactly.
static Comparison compareValues(llvm::ArrayRef<double> got,
                                llvm::ArrayRef<double> values,
                                llvm::ArrayRef<double> bounds,
                                const Array *exactly = nullptr,
                                const Array *expected = nullptr) {
  Comparison c;
  for (int64_t i = 0, n = got.size(); i < n; ++i) {
    double x = got[i], bound = bounds.empty() ? 0 : bounds[i];
    double error = distance(x, values[i], exactly, expected, i);
    if (error == 0)
      continue;
    // An unknown bound covers everything, a NaN that should be none nothing.
    bool inside = error <= bound || bound == INFINITY;
    if (std::isnan(error))
      error = INFINITY;
    double ratio = inside && bound == INFINITY ? 0 : error / bound;
    c.maxError = std::max(c.maxError, error);
    c.outside += !inside;
    if (bound == INFINITY && std::isfinite(values[i])) {
      ++c.unbounded;
      c.unboundedError = std::max(c.unboundedError, error);
    }
    if (c.worst < 0 || ratio > c.ratio) {
      c.worst = i;
      c.ratio = ratio;
      c.error = error;
      c.bound = bound;
      c.got = x;
      c.expected = values[i];
    }
  }
  return c;
}

/// Exact: every element type fits a double, but for large 64-bit integers.
static std::vector<double> numbersOf(const Array &array) {
  std::vector<double> numbers(array.elements());
  for (int64_t i = 0, n = numbers.size(); i < n; ++i)
    numbers[i] = array.number(i);
  return numbers;
}

Comparison tlc::compareWithin(const Array &got, llvm::ArrayRef<double> values,
                              llvm::ArrayRef<double> bounds,
                              const Array &expected) {
  return compareValues(numbersOf(got), values, bounds, &got, &expected);
}

/// Each row of both sides sorted; the bounds move with the reference's values.
Comparison tlc::compareUnordered(const Array &got,
                                 llvm::ArrayRef<double> values,
                                 llvm::ArrayRef<double> bounds) {
  std::vector<double> sorted = numbersOf(got);
  std::vector<std::pair<double, double>> reference; // value, bound
  for (size_t i = 0; i < values.size(); ++i)
    reference.push_back({values[i], bounds.empty() ? 0 : bounds[i]});
  // NaNs come last, whatever they are compared with.
  auto less = [](double a, double b) {
    return std::isnan(b) ? !std::isnan(a) : a < b;
  };
  // The last dimension: top-k and the like put a set into each row.
  size_t row = got.shape.empty() ? 1 : std::max<int64_t>(got.shape.back(), 1);
  for (size_t i = 0; i + row <= sorted.size(); i += row) {
    std::sort(sorted.begin() + i, sorted.begin() + i + row, less);
    std::sort(reference.begin() + i, reference.begin() + i + row,
              [&](auto &a, auto &b) { return less(a.first, b.first); });
  }
  std::vector<double> orderedValues, orderedBounds;
  for (auto [value, bound] : reference) {
    orderedValues.push_back(value);
    orderedBounds.push_back(bound);
  }
  return compareValues(sorted, orderedValues, orderedBounds);
}

/// One bound for all elements: `rtol` of the largest finite value expected.
/// Small elements of a large result carry its rounding.
Comparison tlc::compareRelative(const Array &got, const Array &expected,
                                double rtol) {
  Comparison c;
  double largest = 0;
  int64_t n = got.elements();
  for (int64_t i = 0; i < n; ++i)
    if (double e = std::fabs(expected.number(i)); e < INFINITY)
      largest = std::max(largest, e);
  c.bound = rtol * largest;
  for (int64_t i = 0; i < n; ++i) {
    double x = got.number(i), y = expected.number(i);
    double error = distance(x, y, &got, &expected, i);
    if (std::isnan(error))
      error = INFINITY;
    c.outside += !(error <= c.bound);
    if (error > c.maxError || (c.worst < 0 && error > 0)) {
      c.maxError = c.error = error;
      c.worst = i;
      c.got = x;
      c.expected = y;
    }
  }
  c.ratio = c.maxError == 0 ? 0 : c.maxError / c.bound;
  return c;
}

/// The index of an element in row-major order, as the program writes it.
///   5 of shape [2, 4]   ->   [1, 1]
std::string tlc::elementName(llvm::ArrayRef<int64_t> shape, int64_t index) {
  llvm::SmallVector<int64_t, 4> at(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    at[d] = shape[d] ? index % shape[d] : 0;
    index /= std::max<int64_t>(shape[d], 1);
  }
  return shapeString(at);
}

/// Every --expect. False if a value is outside; `failed` after a complaint
/// about the file itself.
bool tlc::compareExpected(const RunOptions &options, DiagnosticEngine &diags,
                          llvm::ArrayRef<Parameter> parameters,
                          llvm::ArrayRef<const Array *> arrays,
                          const Values *reference, bool &failed) {
  bool ok = true;
  auto complain = [&](const llvm::Twine &message) {
    diags.report(DiagID::BadRunArgument, message);
    failed = true;
    return false;
  };
  for (auto &[name, path] : options.expects) {
    unsigned i = *findOutput(parameters, name);
    auto file = readNpy(path);
    if (!file)
      return complain(llvm::toString(file.takeError()));
    const Array &got = *arrays[i];
    if (file->shape != got.shape)
      return complain("'" + path + "' has the shape " +
                      shapeString(file->shape) + ", output '" + name +
                      "' has " + shapeString(got.shape));
    Array expected = std::move(*file);
    // A file of another type is compared after conversion, as an input would be
    // read.
    if (auto same = asType(expected, got.type))
      expected = std::move(*same);
    // Without --rtol the reference's own bound judges the given values.
    bool byBound = !options.rtol && reference;
    // By bound, the given values are judged: they too should be within the
    // reference's.
    Comparison c =
        byBound ? compareWithin(expected, (*reference)[i].values,
                                (*reference)[i].bounds, (*reference)[i].array)
                : compareRelative(got, expected, options.rtol.value_or(1e-2));
    // By bound, of the element that is worst by it, not of the largest error.
    llvm::errs() << "expect " << name << (byBound ? ": error " : ": max error ")
                 << llvm::format("%.3g", c.error) << ", bound "
                 << llvm::format("%.3g", c.bound);
    if (c.worst >= 0)
      llvm::errs() << ", at " << elementName(got.shape, c.worst) << " "
                   << llvm::format("%.7g", c.got)
                   << (byBound ? " given, reference " : ", expected ")
                   << llvm::format("%.7g", c.expected);
    llvm::errs() << (c.ok() ? ": ok\n" : ": FAILED\n");
    if (!c.ok())
      diags.report(DiagID::CheckFailed, "'" + name + "' differs from '" + path +
                                            "': " + llvm::Twine(c.outside) +
                                            " of " +
                                            llvm::Twine(got.elements()) +
                                            " elements are outside the bound");
    ok &= c.ok();
  }
  return ok;
}
