//===- Swizzle.h - XORs that keep accesses out of each other's banks ------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An address of LDS is a line (128 bytes: all banks once) and a slot in it. A
// swizzle sends slot s of line l to slot s ^ G(l), where G is linear over bits:
// it never leaves the line, so that it is a permutation for any tile, whatever
// the width of its rows. Two lanes of one phase meet in a bank only if G of the
// XOR of their lines is the XOR of their slots. All phases of all accesses give
// a set of such forbidden values, and G is found bit of the line by bit of the
// line, or known not to exist.
//
// No MLIR here.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LAYOUT_SWIZZLE_H
#define TLC_LAYOUT_SWIZZLE_H

#include "tlc/Layout/Layout.h"
#include "tlc/Support/LdsBanks.h"
#include "llvm/ADT/DenseSet.h"
#include <vector>

namespace tlc {

class SwizzleSolver {
public:
  /// Slots are of `granule` bytes (4, 8 or 16): what the widest access moves in
  /// a lane, which no XOR may tear.
  explicit SwizzleSolver(unsigned granule);

  /// One instruction: byte addresses of the lanes without any XOR, and which
  /// lanes take part. `bytes` is at most the granule.
  void addAccess(LdsDirection direction, unsigned bytes,
                 const uint32_t addresses[kWaveSize], uint64_t active);

  /// Whether the addresses are free of conflicts as they are.
  bool isFree() const;

  /// The terms of a G that reads the lowest `lineBits` bits of the line and
  /// keeps all accesses apart, in units of elements of `elementBytes`; it reads
  /// as few bits as can be. Nothing if there is none.
  std::optional<llvm::SmallVector<XorTerm, 2>>
  solve(unsigned lineBits, unsigned elementBytes) const;

private:
  bool search(unsigned bit, unsigned bits, llvm::ArrayRef<uint32_t> forbidden,
              llvm::MutableArrayRef<uint8_t> image, unsigned &budget) const;

  unsigned granule, slots;
  /// Hashes of the accesses so far, up to what an XOR of all lanes changes:
  /// most instructions of a tile repeat the same pattern elsewhere.
  llvm::DenseSet<uint64_t> known;
  /// Bit s of entry d: slots s apart must not meet in lines d apart (by XOR).
  std::vector<uint32_t> forbidden;
};

} // namespace tlc

#endif // TLC_LAYOUT_SWIZZLE_H
