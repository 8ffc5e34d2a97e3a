//===- MessagePack.h - Reader for the metadata's encoding -------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A small reader for the MessagePack subset of code object metadata: nil,
// booleans, integers, floats, strings, arrays and maps with string keys. Depth
// and size are limited, so that hostile input cannot exhaust anything.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_SIMULATOR_MEMORY_MESSAGEPACK_H
#define TLC_SIMULATOR_MEMORY_MESSAGEPACK_H

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tlc::sim {

struct PackValue {
  enum Kind : uint8_t { Nil, Bool, Int, Float, String, Array, Map };
  Kind kind = Nil;
  int64_t integer = 0; ///< Bool and Int; unsigned values wrap
  double number = 0;
  std::string text;
  std::vector<PackValue> elements; ///< of an array, or the values of a map
  std::vector<std::string> keys;   ///< of a map, beside `elements`

  /// The member of that name, or null; null if this is no map.
  const PackValue *get(const char *name) const;
};

/// Reads one value from the front of `bytes`. On failure returns false and
/// says why in `error`, with the offset.
bool readMessagePack(std::span<const uint8_t> bytes, PackValue &value,
                     std::string &error);

} // namespace tlc::sim

#endif // TLC_SIMULATOR_MEMORY_MESSAGEPACK_H
