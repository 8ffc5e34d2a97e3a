//===- Compare.h - Results against references -------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Comparison of outputs with the reference and with files.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DRIVER_COMPARE_H
#define TLC_LIB_DRIVER_COMPARE_H

#include "RunArgs.h"

namespace tlc {

/// How one output compares: the element that uses most of its bound.
struct Comparison {
  double maxError = 0; ///< largest |got - reference|
  // Of the worst element, that with the largest error / bound.
  double error = 0, bound = 0;
  double ratio = 0; ///< error / bound; infinite for an error at bound 0
  double got = 0, expected = 0;
  int64_t worst = -1;    ///< its index; -1 where everything is equal
  int64_t outside = 0;   ///< elements beyond their bound
  int64_t unbounded = 0; ///< elements that differ and may do so by any amount
  double unboundedError = 0; ///< the largest difference of these
  bool ok() const { return outside == 0; }
};

/// Element by element within the reference's bounds. NaN equals NaN. 64-bit
/// integers, which doubles do not hold, are compared with `expected`, the same
/// values in their type.
Comparison compareWithin(const Array &got, llvm::ArrayRef<double> values,
                         llvm::ArrayRef<double> bounds, const Array &expected);

/// The same for rows (along the last dimension) whose elements may come in any
/// order: both are put in order first, and indices are those in that order.
Comparison compareUnordered(const Array &got, llvm::ArrayRef<double> values,
                            llvm::ArrayRef<double> bounds);

/// max|got - expected| <= rtol * max|expected|, and no NaN.
Comparison compareRelative(const Array &got, const Array &expected,
                           double rtol);

/// "[1, 17, 0]" for a flat index.
std::string elementName(llvm::ArrayRef<int64_t> shape, int64_t index);

/// Compares what --expect names; prints a line for each. False if something
/// differs; `failed` is set after an error in an argument.
bool compareExpected(const RunOptions &options, DiagnosticEngine &diags,
                     llvm::ArrayRef<Parameter> parameters,
                     llvm::ArrayRef<const Array *> arrays,
                     const Values *reference, bool &failed);

} // namespace tlc

#endif // TLC_LIB_DRIVER_COMPARE_H
