//===- MessagePack.cpp - Reader for the metadata's encoding ---------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recursive descent over the type byte. Every count is bounded by the bytes
// left, since each element takes at least one.
//
// The metadata of a code object is one such value, a map. The format is
// big-endian and self-describing; extension types do not occur in metadata and
// are refused.
//
//===----------------------------------------------------------------------===//

#include "tlc/Simulator/Memory/MessagePack.h"

#include <fmt/format.h>

#include <cstring>

using namespace tlc::sim;

namespace {

// Real metadata nests a handful of levels; the limit keeps a hostile file from
// exhausting the stack.
constexpr unsigned maxDepth = 32;

class Reader {
public:
  Reader(std::span<const uint8_t> bytes, std::string &error)
      : bytes(bytes), error(error) {}

  bool value(PackValue &out, unsigned depth);

private:
  // The message tells where reading stopped.
  bool fail(const char *what) {
    error = fmt::format("{} at byte {}", what, position);
    return false;
  }

  /// An unsigned number of \p width bytes, big-endian.
  bool number(unsigned width, uint64_t &out) {
    if (bytes.size() - position < width)
      return fail("truncated value");
    out = 0;
    for (unsigned i = 0; i < width; ++i)
      out = out << 8 | bytes[position++];
    return true;
  }

  /// Extends the sign of narrow numbers. Unsigned ones above 2^63 wrap to
  /// negative, which callers refuse.
  bool integer(PackValue &out, unsigned width, bool isSigned) {
    uint64_t raw;
    if (!number(width, raw))
      return false;
    if (isSigned && width < 8 && raw >> (width * 8 - 1))
      raw |= ~uint64_t(0) << (width * 8);
    out.kind = PackValue::Int;
    out.integer = static_cast<int64_t>(raw);
    return true;
  }

  bool string(std::string &out, uint64_t length) {
    if (bytes.size() - position < length)
      return fail("truncated string");
    out.assign(reinterpret_cast<const char *>(bytes.data()) + position, length);
    position += length;
    return true;
  }

  bool stringValue(PackValue &out, uint64_t length) {
    out.kind = PackValue::String;
    return string(out.text, length);
  }

  /// \p count comes from the file: without the check a few bytes could ask for
  /// 2^32 elements.
  bool array(PackValue &out, uint64_t count, unsigned depth) {
    if (count > bytes.size() - position)
      return fail("array longer than the data");
    out.kind = PackValue::Array;
    for (uint64_t i = 0; i < count; ++i) {
      out.elements.emplace_back();
      if (!value(out.elements.back(), depth + 1))
        return false;
    }
    return true;
  }

  /// Keys and values alternate. Keys are strings in all metadata; order and
  /// duplicates are kept, and get() finds the first.
  bool map(PackValue &out, uint64_t count, unsigned depth) {
    if (count > bytes.size() - position)
      return fail("map longer than the data");
    out.kind = PackValue::Map;
    for (uint64_t i = 0; i < count; ++i) {
      PackValue key;
      if (!value(key, depth + 1))
        return false;
      if (key.kind != PackValue::String)
        return fail("map key that is no string before");
      out.keys.push_back(std::move(key.text));
      out.elements.emplace_back();
      if (!value(out.elements.back(), depth + 1))
        return false;
    }
    return true;
  }

  std::span<const uint8_t> bytes;
  std::string &error;
  size_t position = 0;
};

/// One value with all in it. The type byte holds small numbers and short
/// lengths itself; others follow in 1, 2, 4 or 8 bytes.
/// On failure \p out is half filled.
bool Reader::value(PackValue &out, unsigned depth) {
  if (depth > maxDepth)
    return fail("values nested too deep");
  if (position >= bytes.size())
    return fail("truncated value");
  uint8_t type = bytes[position++];
  uint64_t length;
  // Small numbers, from -32 to 127, are the byte itself.
  if (type < 0x80 || type >= 0xe0) {
    out.kind = PackValue::Int;
    out.integer = type < 0x80 ? type : type - 256;
    return true;
  }
  // Short maps, arrays and strings carry their length in the low bits.
  if (type < 0x90)
    return map(out, type & 0xf, depth);
  if (type < 0xa0)
    return array(out, type & 0xf, depth);
  if (type < 0xc0)
    return stringValue(out, type & 0x1f);
  switch (type) {
  // Nil: PackValue's initial state.
  case 0xc0:
    return true;
  case 0xc2:
  case 0xc3:
    out.kind = PackValue::Bool;
    out.integer = type & 1;
    return true;
  case 0xc4: // binary data, kept as a string
  case 0xc5:
  case 0xc6:
    return number(1u << (type - 0xc4), length) && stringValue(out, length);
  case 0xca: {
    if (!number(4, length))
      return false;
    uint32_t raw = static_cast<uint32_t>(length);
    float single;
    std::memcpy(&single, &raw, 4);
    out.kind = PackValue::Float;
    out.number = single;
    return true;
  }
  case 0xcb:
    if (!number(8, length))
      return false;
    out.kind = PackValue::Float;
    std::memcpy(&out.number, &length, 8);
    return true;
  case 0xcc:
  case 0xcd:
  case 0xce:
  case 0xcf:
    return integer(out, 1u << (type - 0xcc), false);
  case 0xd0:
  case 0xd1:
  case 0xd2:
  case 0xd3:
    return integer(out, 1u << (type - 0xd0), true);
  case 0xd9:
  case 0xda:
  case 0xdb:
    return number(1u << (type - 0xd9), length) && stringValue(out, length);
  case 0xdc:
  case 0xdd:
    return number(type == 0xdc ? 2 : 4, length) && array(out, length, depth);
  case 0xde:
  case 0xdf:
    return number(type == 0xde ? 2 : 4, length) && map(out, length, depth);
  default:
    --position;
    return fail("value of unknown type");
  }
}

} // namespace

/// The value of a key of a map; null if there is none, or this is no map.
const PackValue *PackValue::get(const char *name) const {
  for (size_t i = 0; i < keys.size(); ++i)
    if (keys[i] == name)
      return &elements[i];
  return nullptr;
}

/// Bytes behind the value are ignored, as notes may be padded. False with the
/// reason in \p error.
bool tlc::sim::readMessagePack(std::span<const uint8_t> bytes, PackValue &value,
                               std::string &error) {
  return Reader(bytes, error).value(value, 0);
}
