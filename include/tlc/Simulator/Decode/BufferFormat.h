//===- BufferFormat.h - Data formats of typed buffers -----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The data formats (dfmt) and number formats (nfmt) of MTBUF instructions and
// of buffer resources. A format's name lists its components from the highest
// bit down; X is always the lowest.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_SIMULATOR_DECODE_BUFFERFORMAT_H
#define TLC_SIMULATOR_DECODE_BUFFERFORMAT_H

#include <cstdint>

namespace tlc::sim {

enum class NumberFormat : uint8_t {
  Unorm,
  Snorm,
  Uscaled,
  Sscaled,
  Uint,
  Sint,
  Reserved,
  Float
};

struct BufferFormat {
  uint8_t bytes;      ///< of an element; 0: no such format
  uint8_t components; ///< X first
  uint8_t bits[4];    ///< of each component
};

/// By dfmt, 0 to 15.
inline constexpr BufferFormat bufferFormats[16] = {
    {},
    {1, 1, {8}},
    {2, 1, {16}},
    {2, 2, {8, 8}},
    {4, 1, {32}},
    {4, 2, {16, 16}},
    {4, 3, {11, 11, 10}},    // 10_11_11
    {4, 3, {10, 11, 11}},    // 11_11_10
    {4, 4, {2, 10, 10, 10}}, // 10_10_10_2
    {4, 4, {10, 10, 10, 2}}, // 2_10_10_10
    {4, 4, {8, 8, 8, 8}},
    {8, 2, {32, 32}},
    {8, 4, {16, 16, 16, 16}},
    {12, 3, {32, 32, 32}},
    {16, 4, {32, 32, 32, 32}},
    {},
};

/// True if the numbers of a format can be of this kind.
constexpr bool isValidFormat(const BufferFormat &format, NumberFormat numbers) {
  if (format.bytes == 0 || numbers == NumberFormat::Reserved)
    return false;
  unsigned widest = 0, narrowest = 32;
  for (unsigned i = 0; i < format.components; ++i) {
    widest = format.bits[i] > widest ? format.bits[i] : widest;
    narrowest = format.bits[i] < narrowest ? format.bits[i] : narrowest;
  }
  if (numbers == NumberFormat::Float)
    return narrowest >= 10 && (widest == 32 || widest == 16 || widest == 11);
  return widest < 32 || numbers == NumberFormat::Uint ||
         numbers == NumberFormat::Sint;
}

} // namespace tlc::sim

#endif // TLC_SIMULATOR_DECODE_BUFFERFORMAT_H
