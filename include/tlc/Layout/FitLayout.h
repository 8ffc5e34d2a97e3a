//===- FitLayout.h - A layout from given coordinates ------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program may give a layout as a function of the index. Here the function is
// a table of its values, one per point of a box in row-major order, and what is
// sought are digits, and for memory XOR terms, that give the same values.
//
// Along one dimension, with all other indices 0, the value grows (or, of a
// flipped digit, falls) by a constant up to where the first digit ends; what
// lies beyond is that digit's next multiple, and so on. The sum over the
// dimensions is compared with the table at every point, so that a layout found
// is the function. This is tried with every XOR of one field of bits, and with
// the XOR that the images of single index bits show.
//
// No MLIR here.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LAYOUT_FITLAYOUT_H
#define TLC_LAYOUT_FITLAYOUT_H

#include "tlc/Layout/Layout.h"

namespace tlc {

/// The layout that sends each point to its address, in elements, of which 0 is
/// the least. None where they are no digits and XORs of bits by higher ones.
std::optional<Layout> fitMemory(llvm::ArrayRef<int64_t> shape,
                                llvm::ArrayRef<int64_t> addresses);

/// The layout that sends each point to a thread and, where that takes digits as
/// well, to a register; otherwise registers are numbered anew. None where the
/// threads are no digits, XORed or not, or digits that cannot be read back.
/// Points are held by different registers or threads.
std::optional<Layout> fitRegisters(llvm::ArrayRef<int64_t> shape,
                                   llvm::ArrayRef<int64_t> threads,
                                   llvm::ArrayRef<int64_t> registers);

/// Two points, as positions in the table, that have the same value.
std::optional<std::pair<int64_t, int64_t>>
findCollision(llvm::ArrayRef<int64_t> values);

} // namespace tlc

#endif // TLC_LAYOUT_FITLAYOUT_H
