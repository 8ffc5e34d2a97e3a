//===- MemoryLimit.cpp - How much memory a run may take -------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The least of what the system has, what the control group of the process may
// have (a container's limit), and what `ulimit -v` leaves.
//
//===----------------------------------------------------------------------===//

#include "MemoryLimit.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <sys/resource.h>

using namespace tlc;
using llvm::StringRef;

/// The first number of a small file, or of its line that begins with `key`.
static std::optional<uint64_t> numberIn(StringRef path, StringRef key = "") {
  auto file = llvm::MemoryBuffer::getFileAsStream(path);
  if (!file)
    return std::nullopt;
  StringRef text = (*file)->getBuffer();
  size_t at = text.find(key);
  uint64_t number;
  if (at == StringRef::npos ||
      text.drop_front(at + key.size()).ltrim().consumeInteger(10, number))
    return std::nullopt;
  return number;
}

uint64_t tlc::availableMemory() {
  uint64_t least = UINT64_MAX;
  if (auto kilobytes = numberIn("/proc/meminfo", "MemAvailable:"))
    least = std::min(least, *kilobytes << 10);
  auto most = numberIn("/sys/fs/cgroup/memory.max");
  auto used = numberIn("/sys/fs/cgroup/memory.current");
  if (most && used)
    least = std::min(least, *most > *used ? *most - *used : 0);
  rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    least = std::min<uint64_t>(least, limit.rlim_cur);
  return least;
}

std::optional<uint64_t> tlc::parseSize(StringRef text) {
  double number;
  double factor = 1;
  StringRef units = "KMGT";
  if (!text.empty())
    if (size_t at = units.find(text.back()); at != StringRef::npos) {
      factor = double(uint64_t(1) << (10 * (at + 1)));
      text = text.drop_back();
    }
  if (text.getAsDouble(number) || !(number > 0 && number * factor < 1e18))
    return std::nullopt;
  return uint64_t(number * factor);
}

std::string tlc::sizeString(double bytes) {
  constexpr const char *units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  unsigned unit = 0;
  for (; bytes >= 1024 && unit < 4; ++unit)
    bytes /= 1024;
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format(unit ? "%.1f " : "%.0f ", bytes) << units[unit];
  return text;
}
