//===- WorkgroupOrder.h - Which work a dispatched workgroup does ----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The hardware starts workgroups in the order of their linear number, x first,
// and gives number i to XCD i mod 8. An order is a permutation of the grid: it
// says whose indices the workgroup started i-th takes. With 8 XCDs and a grid
// of 16:
//
//   number      0  1  2  3  4  5  6  7 |  8  9 10 11 12 13 14 15
//   XCD         0  1  2  3  4  5  6  7 |  0  1  2  3  4  5  6  7
//   takes       0  2  4  6  8 10 12 14 |  1  3  5  7  9 11 13 15
//
// so that neighbours, which read the same rows, meet in one XCD's L2 (4 MiB).
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LAYOUT_WORKGROUPORDER_H
#define TLC_LAYOUT_WORKGROUPORDER_H

#include <array>
#include <cstdint>

namespace tlc {

/// XCDs (chiplets) of an MI300X.
inline constexpr int64_t kNumXcds = 8;

/// A permutation of a grid of up to three dimensions.
struct WorkgroupOrder {
  /// Workgroups are dealt round robin to this many chiplets; each gets one
  /// stretch of the order. 1: the stretch is the whole.
  int64_t xcds = 1;
  /// Dimensions from the fastest to the slowest.
  std::array<unsigned, 3> dims = {0, 1, 2};
  /// 0, or so many indices of dims[0] are walked for each index of dims[1]
  /// before the next so many: panels of a plane.
  int64_t panel = 0;
  /// These dimensions are walked from their end.
  std::array<bool, 3> reversed = {false, false, false};

  /// The indices of the workgroup whose hardware indices are `id`, in a grid
  /// of `extents`. Math computes with its Numbers, unsigned: constant(n), add,
  /// sub, mul, div, rem, min. The product of the extents must fit a Number.
  template <typename Math, typename Number = typename Math::Number>
  std::array<Number, 3> place(Math &m, std::array<Number, 3> id,
                              std::array<Number, 3> extents) const {
    Number linear =
        m.add(id[0], m.mul(extents[0], m.add(id[1], m.mul(extents[1], id[2]))));
    if (xcds > 1) {
      Number count = m.mul(extents[0], m.mul(extents[1], extents[2]));
      Number chiplets = m.constant(xcds);
      Number xcd = m.rem(linear, chiplets);
      // The first `count mod xcds` chiplets get one workgroup more.
      Number before = m.add(m.mul(xcd, m.div(count, chiplets)),
                            m.min(xcd, m.rem(count, chiplets)));
      linear = m.add(before, m.div(linear, chiplets));
    }
    std::array<Number, 3> at = id;
    auto [fast, middle, slow] = dims;
    if (panel) {
      Number plane = m.mul(extents[fast], extents[middle]);
      at[slow] = m.div(linear, plane);
      Number rest = m.rem(linear, plane);
      Number size = m.mul(m.constant(panel), extents[middle]);
      Number first = m.mul(m.div(rest, size), m.constant(panel));
      rest = m.rem(rest, size);
      // The last panel may be narrower.
      Number width = m.min(m.constant(panel), m.sub(extents[fast], first));
      at[middle] = m.div(rest, width);
      at[fast] = m.add(first, m.rem(rest, width));
    } else {
      at[fast] = m.rem(linear, extents[fast]);
      Number rest = m.div(linear, extents[fast]);
      at[middle] = m.rem(rest, extents[middle]);
      at[slow] = m.div(rest, extents[middle]);
    }
    for (unsigned d = 0; d != 3; ++d)
      if (reversed[d])
        at[d] = m.sub(m.sub(extents[d], m.constant(1)), at[d]);
    return at;
  }
};

} // namespace tlc

#endif // TLC_LAYOUT_WORKGROUPORDER_H
