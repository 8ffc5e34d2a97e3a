//===- StoreExchange.h - Lanes of a wavefront trade what they write -------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The accumulator of a matrix instruction gives a lane four neighbours of a
// row, and the lanes beside it other rows: stored as it is, each line of
// memory is touched many times. In an exchange a wavefront writes a part of its
// elements (a chunk: some registers of all its lanes) to LDS, rows of `columns`
// elements `pitch` apart, and reads them back so that neighbouring lanes have
// neighbouring pieces of 16 bytes. Wavefronts keep to their own part of the
// buffer: no barrier is needed.
//
// Rows of 128 bytes or more are swizzled: the pieces of 16 bytes of a row are
// XORed with the row's number, so that neither the writes (many rows, the same
// columns) nor the reads (some rows as a whole) meet in a bank. Where lanes
// write less than 16 bytes, every other eight rows have their halves of 16
// bytes swapped; that is the same for all lanes of a read, which puts the
// registers right. Shorter rows are padded instead.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_DIALECT_TILE_TRANSFORMS_STOREEXCHANGE_H
#define TLC_DIALECT_TILE_TRANSFORMS_STOREEXCHANGE_H

#include "tlc/Layout/Layout.h"

namespace tlc::tile {

struct StoreExchange {
  /// A digit of the thread's number, and what it adds to a place in LDS.
  struct LaneDigit {
    int64_t extent, stride, place;
  };

  /// Of the points after the exchange: the same ones in each wavefront.
  Layout layout;
  /// Of a wavefront's part of the buffer, in elements.
  int64_t rows = 0, columns = 0, pitch = 0;
  /// Whether rows are swizzled, and the halves of 16 bytes with them.
  bool swizzled = false, halves = false;
  /// Elements of a lane that go together after the exchange.
  int64_t vector = 0;

  llvm::SmallVector<LaneDigit> writer, reader;
  /// Registers of a chunk, relative to its first, and what each adds to the
  /// lane's place. Reader: of the first register of each vector.
  llvm::SmallVector<std::pair<int64_t, int64_t>> written, read;
  /// First registers of each chunk, before and after the exchange.
  llvm::SmallVector<std::pair<int64_t, int64_t>> chunks;

  int64_t elementsOfWave() const { return rows * pitch; }
  /// What the place of a piece of `row` is XORed with, in bytes.
  int64_t pieceXor(int64_t row) const {
    return swizzled ? (row & kPieceMask) << kPieceShift : 0;
  }
  bool swapsHalves(int64_t row) const { return halves && row & kSwapBit; }

  static constexpr int64_t kPieceMask = 7, kPieceShift = 4, kSwapBit = 8,
                           kHalfBytes = 8;
};

/// How the points of `layout` (the last dimension contiguous in memory,
/// elements of `bytes`) can be exchanged with rows of `columns` elements;
/// 0: as many as make a line or more. std::nullopt where the layout does not
/// allow it, or nothing would be gained.
std::optional<StoreExchange> planExchange(const Layout &layout, int64_t bytes,
                                          int64_t columns = 0);

/// The columns of an exchange whose buffer has rows `pitch` apart.
int64_t columnsOfPitch(int64_t pitch, int64_t bytes);

/// Bytes that neighbouring lanes of a wavefront write next to one another with
/// this layout, elements of `bytes`.
int64_t contiguousBytes(const Layout &layout, int64_t bytes);

} // namespace tlc::tile

#endif // TLC_DIALECT_TILE_TRANSFORMS_STOREEXCHANGE_H
