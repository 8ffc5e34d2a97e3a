//===- CodeBundle.cpp - Offload bundles -----------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang puts the code objects of a program's targets into one bundle: a magic,
// the number of entries, and for each its offset, size and target name. Taken
// is the entry for gfx942 whose features this device has. A compressed bundle
// (--offload-compress) is a header and a zlib or zstd stream of such a bundle:
//
//   "CCOB", u16 version, u16 method (0 zlib, 1 zstd),
//   version 1: u32 size; 2: u32 file size, u32 size; 3: the same as u64
//   u64 hash, stream
//
//===----------------------------------------------------------------------===//

#include "tlc/Simulator/Memory/CodeBundle.h"

#include "tlc/Simulator/Memory/CodeObject.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Error.h"

#include <cstring>
#include <string_view>

using namespace tlc::sim;

namespace {

constexpr char bundleMagic[] = "__CLANG_OFFLOAD_BUNDLE__";
constexpr size_t magicBytes = sizeof(bundleMagic) - 1;
// Bounds for damaged headers.
constexpr uint64_t maxEntries = 4096, maxBytes = uint64_t(1) << 32;

/// Bytes in memory whose end may be unknown (a program's fat binary).
struct Image {
  const uint8_t *bytes;
  uint64_t size;

  // Written so that the sum cannot wrap. An image of unknown size has
  // everything.
  bool has(uint64_t offset, uint64_t count) const {
    return offset <= size && count <= size - offset;
  }
  template <typename T> bool read(uint64_t offset, T &value) const {
    if (!has(offset, sizeof(T)))
      return false;
    std::memcpy(&value, bytes + offset, sizeof(T));
    return true;
  }
  bool startsWith(const char *magic, size_t length) const {
    return has(0, length) && std::memcmp(bytes, magic, length) == 0;
  }
};

/// How well a target such as "hipv4-amdgcn-amd-amdhsa--gfx942:sramecc+" fits:
/// 0 not at all, more for each feature named.
unsigned fit(std::string_view target) {
  size_t at = target.rfind("gfx");
  if (!target.starts_with("hip") || at == target.npos)
    return 0;
  std::string_view name = target.substr(at);
  std::string_view processor = name.substr(0, name.find(':'));
  // The exact processor is better than the generic target that includes it.
  unsigned score = processor == "gfx942"           ? 2
                   : processor == "gfx9-4-generic" ? 1
                                                   : 0;
  // gfx942 runs without XNACK and with SRAM ECC; objects for the opposite do
  // not fit.
  if (name.find("xnack+") != name.npos || name.find("sramecc-") != name.npos)
    return 0;
  return score == 0 ? 0 : score + (name.find(':') != name.npos);
}

/// The fitting entry of an uncompressed bundle.
std::span<const uint8_t> selectEntry(const Image &image, std::string &error) {
  uint64_t count;
  if (!image.read(magicBytes, count) || count > maxEntries) {
    error = "offload bundle with a damaged header";
    return {};
  }
  std::span<const uint8_t> best;
  unsigned bestFit = 0;
  uint64_t at = magicBytes + 8;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t field[3]; // offset, size, length of the target's name
    bool whole = image.read(at, field) && field[2] <= 4096 &&
                 field[0] <= maxBytes && field[1] <= maxBytes &&
                 image.has(at + sizeof(field), field[2]) &&
                 image.has(field[0], field[1]);
    if (!whole) {
      error = "offload bundle with a damaged or truncated entry";
      return {};
    }
    std::string_view target(
        reinterpret_cast<const char *>(image.bytes + at + sizeof(field)),
        field[2]);
    unsigned score = fit(target);
    // Of equal ones the first.
    if (score > bestFit) {
      bestFit = score;
      best = {image.bytes + field[0], field[1]};
    }
    at += sizeof(field) + field[2];
  }
  if (!bestFit)
    error = "no code object for gfx942 in the offload bundle";
  return best;
}

/// Sizes in the header of a compressed bundle.
struct Compressed {
  uint16_t version = 0, method = 0;
  uint64_t headerBytes = 0, fileBytes = 0, bytes = 0;
};

/// False for a header that is cut short or of a version that is not known.
bool readHeader(const Image &image, Compressed &header) {
  if (!image.read(4, header.version) || !image.read(6, header.method))
    return false;
  uint32_t narrow[2] = {};
  bool read = false;
  // An unknown version reads nothing and fails.
  switch (header.version) {
  case 1: // does not tell where the stream ends
    read = image.read(8, narrow[1]);
    header.fileBytes = image.size;
    header.headerBytes = 20;
    break;
  case 2:
    read = image.read(8, narrow);
    header.fileBytes = narrow[0];
    header.headerBytes = 24;
    break;
  case 3:
    header.headerBytes = 32;
    return image.read(8, header.fileBytes) && image.read(16, header.bytes);
  }
  header.bytes = narrow[1];
  return read;
}

/// The whole bundle, into \p storage.
bool decompress(const Image &image, std::vector<uint8_t> &storage,
                std::string &error) {
  Compressed header;
  if (!readHeader(image, header) || header.bytes > maxBytes ||
      header.fileBytes < header.headerBytes || header.fileBytes > maxBytes ||
      !image.has(0, header.fileBytes)) {
    error = "compressed offload bundle with a damaged header";
    return false;
  }
  llvm::compression::Format format = header.method == 1
                                         ? llvm::compression::Format::Zstd
                                         : llvm::compression::Format::Zlib;
  if (header.method > 1 ||
      llvm::compression::getReasonIfUnsupported(format) != nullptr) {
    error = "offload bundle with a compression that is not supported";
    return false;
  }
  llvm::ArrayRef<uint8_t> stream(image.bytes + header.headerBytes,
                                 header.fileBytes - header.headerBytes);
  llvm::SmallVector<uint8_t, 0> plain;
  if (llvm::Error failure =
          llvm::compression::decompress(format, stream, plain, header.bytes)) {
    error = "damaged compressed offload bundle: " +
            llvm::toString(std::move(failure));
    return false;
  }
  storage.assign(plain.begin(), plain.end());
  return true;
}

} // namespace

/// The result points into \p bytes or \p storage. Images of unknown size are
/// trusted to be what their headers say, as HIP does.
std::span<const uint8_t>
tlc::sim::selectCodeObject(const void *bytes, uint64_t size,
                           std::vector<uint8_t> &storage, std::string &error) {
  Image image{static_cast<const uint8_t *>(bytes), size};
  if (image.startsWith("CCOB", 4)) {
    if (!decompress(image, storage, error))
      return {};
    image = {storage.data(), storage.size()};
  }
  if (image.startsWith(bundleMagic, magicBytes))
    return selectEntry(image, error);
  if (!image.startsWith("\177ELF", 4)) {
    error = "neither a code object nor an offload bundle";
    return {};
  }
  // A file is taken as a whole; in memory the ELF headers tell the end.
  if (size != unknownSize)
    return {image.bytes, image.size};
  uint64_t whole = CodeObject::imageSize(image.bytes);
  if (whole == 0)
    error = "damaged ELF header";
  return {image.bytes, whole};
}
