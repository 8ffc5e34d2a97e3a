//===- BundleTests.cpp - Offload bundles, compressed and damaged ----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tlc/Simulator/Memory/CodeBundle.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Compression.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

using namespace tlc;
namespace compression = llvm::compression;

namespace {

using Bytes = std::vector<uint8_t>;

void append(Bytes &to, const void *from, size_t count) {
  const uint8_t *bytes = static_cast<const uint8_t *>(from);
  to.insert(to.end(), bytes, bytes + count);
}
template <typename T> void appendValue(Bytes &to, T value) {
  append(to, &value, sizeof(T));
}

/// Stands for a code object: only its magic counts here.
Bytes content(const char *text) {
  Bytes bytes;
  append(bytes, "\177ELF", 4);
  append(bytes, text, std::strlen(text));
  return bytes;
}

Bytes bundle(const std::vector<std::pair<std::string, Bytes>> &entries) {
  Bytes result;
  append(result, "__CLANG_OFFLOAD_BUNDLE__", 24);
  appendValue<uint64_t>(result, entries.size());
  uint64_t offset = 4096;
  for (const auto &[target, bytes] : entries) {
    appendValue<uint64_t>(result, offset);
    appendValue<uint64_t>(result, bytes.size());
    appendValue<uint64_t>(result, target.size());
    append(result, target.data(), target.size());
    offset += bytes.size();
  }
  result.resize(4096);
  for (const auto &entry : entries)
    append(result, entry.second.data(), entry.second.size());
  return result;
}

Bytes compressed(const Bytes &plain, unsigned version,
                 compression::Format format) {
  llvm::SmallVector<uint8_t, 0> stream;
  compression::compress(compression::Params(format), plain, stream);
  Bytes result;
  append(result, "CCOB", 4);
  appendValue<uint16_t>(result, uint16_t(version));
  appendValue<uint16_t>(result, format == compression::Format::Zstd);
  uint64_t header = version == 1 ? 20 : version == 2 ? 24 : 32;
  if (version == 3) {
    appendValue<uint64_t>(result, header + stream.size());
    appendValue<uint64_t>(result, plain.size());
  } else {
    if (version == 2)
      appendValue<uint32_t>(result, uint32_t(header + stream.size()));
    appendValue<uint32_t>(result, uint32_t(plain.size()));
  }
  appendValue<uint64_t>(result, 0); // hash, not looked at
  append(result, stream.data(), stream.size());
  return result;
}

Bytes sample() {
  return bundle({{"host-x86_64-unknown-linux-gnu-", {}},
                 {"hipv4-amdgcn-amd-amdhsa--gfx90a", content("other")},
                 {"hipv4-amdgcn-amd-amdhsa--gfx942:xnack+", content("xnack")},
                 {"hipv4-amdgcn-amd-amdhsa--gfx942", content("ours")}});
}

std::string select(const Bytes &image, std::string &error) {
  Bytes storage;
  auto code = sim::selectCodeObject(image.data(), image.size(), storage, error);
  return std::string(code.begin(), code.end());
}

TEST(Bundle, TakesTheFittingEntry) {
  std::string error;
  EXPECT_EQ(select(sample(), error), "\177ELFours");
  EXPECT_EQ(select(content("bare"), error), "\177ELFbare");
  EXPECT_EQ(error, "");
  Bytes foreign =
      bundle({{"hipv4-amdgcn-amd-amdhsa--gfx90a", content("other")}});
  EXPECT_EQ(select(foreign, error), "");
  EXPECT_EQ(error, "no code object for gfx942 in the offload bundle");
}

TEST(Bundle, Compressed) {
  for (auto format : {compression::Format::Zlib, compression::Format::Zstd}) {
    if (compression::getReasonIfUnsupported(format))
      continue;
    for (unsigned version : {1, 2, 3}) {
      std::string error;
      EXPECT_EQ(select(compressed(sample(), version, format), error),
                "\177ELFours")
          << version << ' ' << error;
    }
  }
}

TEST(Bundle, DamagedEndsInOneLine) {
  std::mt19937 engine(7);
  std::vector<Bytes> images = {sample()};
  if (!compression::getReasonIfUnsupported(compression::Format::Zlib))
    images.push_back(compressed(sample(), 3, compression::Format::Zlib));
  if (!compression::getReasonIfUnsupported(compression::Format::Zstd))
    images.push_back(compressed(sample(), 2, compression::Format::Zstd));
  unsigned refused = 0;
  for (const Bytes &image : images)
    for (int round = 0; round < 500; ++round) {
      Bytes mutant = image;
      size_t head = std::min<size_t>(mutant.size(), 400);
      for (unsigned i = 0; i < 1 + engine() % 3; ++i)
        mutant[engine() % head] = uint8_t(engine());
      if (round % 3 == 0)
        mutant.resize(engine() % mutant.size());
      mutant.shrink_to_fit();
      std::string error;
      if (!select(mutant, error).empty())
        continue;
      ++refused;
      EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    }
  EXPECT_GT(refused, 200u);
}

} // namespace
