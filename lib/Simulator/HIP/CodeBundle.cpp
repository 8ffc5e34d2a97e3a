//===- CodeBundle.cpp - Offload bundles -----------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang puts the code objects of a program's targets into one bundle: a magic,
// the number of entries, and for each its offset, size and target name. Taken
// is the entry for gfx942 whose features this device has.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include <cstring>

using namespace tlc::sim;

namespace {

constexpr char bundleMagic[] = "__CLANG_OFFLOAD_BUNDLE__";
constexpr size_t magicBytes = sizeof(bundleMagic) - 1;
constexpr uint64_t maxEntries = 4096, maxBytes = uint64_t(1) << 32;

/// How well a target such as "hipv4-amdgcn-amd-amdhsa--gfx942:sramecc+" fits:
/// 0 not at all, more for each feature named.
unsigned fit(std::string_view target) {
  size_t at = target.rfind("gfx");
  if (!target.starts_with("hip") || at == target.npos)
    return 0;
  std::string_view name = target.substr(at);
  std::string_view processor = name.substr(0, name.find(':'));
  unsigned score = processor == "gfx942"           ? 2
                   : processor == "gfx9-4-generic" ? 1
                                                   : 0;
  if (name.find("xnack+") != name.npos || name.find("sramecc-") != name.npos)
    return 0;
  return score == 0 ? 0 : score + (name.find(':') != name.npos);
}

} // namespace

std::span<const uint8_t> tlc::sim::selectCodeObject(const void *image,
                                                    std::string &error) {
  const uint8_t *bytes = static_cast<const uint8_t *>(image);
  if (std::memcmp(bytes, "\177ELF", 4) == 0) {
    uint64_t size = CodeObject::imageSize(image);
    if (size == 0)
      error = "damaged ELF header";
    return {bytes, size};
  }
  if (std::memcmp(bytes, "CCOB", 4) == 0) {
    error = "compressed offload bundle: compile with "
            "--no-offload-compress";
    return {};
  }
  if (std::memcmp(bytes, bundleMagic, magicBytes) != 0) {
    error = "neither a code object nor an offload bundle";
    return {};
  }
  uint64_t count;
  std::memcpy(&count, bytes + magicBytes, 8);
  if (count > maxEntries) {
    error = "offload bundle with a damaged header";
    return {};
  }
  std::span<const uint8_t> best;
  unsigned bestFit = 0;
  const uint8_t *entry = bytes + magicBytes + 8;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t field[3]; // offset, size, length of the target's name
    std::memcpy(field, entry, sizeof(field));
    if (field[2] > 4096 || field[0] > maxBytes || field[1] > maxBytes) {
      error = "offload bundle with a damaged entry";
      return {};
    }
    std::string_view target(
        reinterpret_cast<const char *>(entry + sizeof(field)), field[2]);
    unsigned score = fit(target);
    if (score > bestFit) {
      bestFit = score;
      best = {bytes + field[0], field[1]};
    }
    entry += sizeof(field) + field[2];
  }
  if (!bestFit)
    error = "no code object for gfx942 in the offload bundle";
  return best;
}
