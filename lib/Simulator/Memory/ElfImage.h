//===- ElfImage.h - Checked reads of an ELF file ----------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads by file offset and by virtual address that fail instead of leaving the
// file. Shared by the two halves of the code object reader.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_MEMORY_ELFIMAGE_H
#define TLC_LIB_SIMULATOR_MEMORY_ELFIMAGE_H

#include "tlc/Simulator/Memory/CodeObject.h"

#include <cstring>

namespace tlc::sim {

class ElfImage {
public:
  explicit ElfImage(const CodeObject &object) : object(object) {}

  bool inFile(uint64_t offset, uint64_t bytes) const {
    return offset <= object.bytes.size() &&
           object.bytes.size() - offset >= bytes;
  }

  template <typename T> bool readFile(uint64_t offset, T &out) const {
    if (!inFile(offset, sizeof(T)))
      return false;
    std::memcpy(&out, object.bytes.data() + offset, sizeof(T));
    return true;
  }

  /// The bytes of a segment that stand in the file, from `address` on.
  std::span<const uint8_t> memory(uint64_t address) const {
    for (const Segment &segment : object.segments)
      if (address - segment.address < segment.fileSize) {
        uint64_t skip = address - segment.address;
        return {object.bytes.data() + segment.fileOffset + skip,
                segment.fileSize - skip};
      }
    return {};
  }

  template <typename T> bool readMemory(uint64_t address, T &out) const {
    std::span<const uint8_t> bytes = memory(address);
    if (bytes.size() < sizeof(T))
      return false;
    std::memcpy(&out, bytes.data(), sizeof(T));
    return true;
  }

  /// A string that ends within `limit` bytes.
  bool readString(uint64_t address, uint64_t limit, std::string &out) const {
    std::span<const uint8_t> bytes = memory(address);
    size_t length = std::min<uint64_t>(bytes.size(), limit);
    const void *end = length ? std::memchr(bytes.data(), 0, length) : nullptr;
    if (!end)
      return false;
    const char *begin = reinterpret_cast<const char *>(bytes.data());
    out.assign(begin, static_cast<const char *>(end));
    return true;
  }

private:
  const CodeObject &object;
};

/// Fills `object.kernels` and `object.target` from the dynamic symbols and the
/// metadata notes.
bool readKernels(CodeObject &object,
                 const std::vector<std::span<const uint8_t>> &notes,
                 std::string &error);

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_MEMORY_ELFIMAGE_H
