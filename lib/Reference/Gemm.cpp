//===- Gemm.cpp - Dense products on the host ------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Four rows of C at a time against vectors of columns, with k innermost: each
// loaded vector of B serves four rows, and C stays in registers.
//
// Sums are in the order of k, one multiplication and one addition each; the
// bound of a gemm covers any other order.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

using namespace tlc::reference;

namespace {

/// A vector of 16 bytes, which x86-64 and Arm both have.
template <class T, int64_t width>
using Vec __attribute__((vector_size(width * sizeof(T)))) = T;

/// An unaligned load.
template <class T> T load(const void *p) {
  T v;
  std::memcpy(&v, p, sizeof(T));
  return v;
}

/// rows x 2 * width elements of C; a has k columns, b and c have n.
template <class T, int64_t width, int64_t rows>
void block(const T *a, const T *b, T *c, int64_t n, int64_t k) {
  using V = Vec<T, width>;
  V sums[rows][2];
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t h = 0; h < 2; ++h)
      sums[r][h] = load<V>(c + r * n + h * width);
  for (int64_t p = 0; p < k; ++p) {
    V b0 = load<V>(b + p * n), b1 = load<V>(b + p * n + width);
    for (int64_t r = 0; r < rows; ++r) {
      T x = a[r * k + p];
      sums[r][0] += x * b0;
      sums[r][1] += x * b1;
    }
  }
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t h = 0; h < 2; ++h)
      std::memcpy(c + r * n + h * width, &sums[r][h], sizeof(V));
}

/// Blocks of 4 x 2 * width; rows and columns that are left over one by one.
template <class T, int64_t width>
void gemm(const T *a, const T *b, T *c, int64_t m, int64_t n, int64_t k) {
  int64_t i = 0, whole = n / (2 * width) * (2 * width);
  for (; i < m; i += 4) {
    int64_t rows = std::min<int64_t>(4, m - i);
    for (int64_t j = 0; j < whole; j += 2 * width)
      if (rows == 4)
        block<T, width, 4>(a + i * k, b + j, c + i * n + j, n, k);
      else
        for (int64_t r = i; r < m; ++r)
          block<T, width, 1>(a + r * k, b + j, c + r * n + j, n, k);
    for (int64_t r = i; r < i + rows; ++r)
      for (int64_t j = whole; j < n; ++j) {
        T sum = c[r * n + j];
        for (int64_t p = 0; p < k; ++p)
          sum += a[r * k + p] * b[p * n + j];
        c[r * n + j] = sum;
      }
  }
}

} // namespace

void tlc::reference::gemmF64(const double *a, const double *b, double *c,
                             int64_t m, int64_t n, int64_t k) {
  gemm<double, 2>(a, b, c, m, n, k);
}
void tlc::reference::gemmF32(const float *a, const float *b, float *c,
                             int64_t m, int64_t n, int64_t k) {
  gemm<float, 4>(a, b, c, m, n, k);
}
