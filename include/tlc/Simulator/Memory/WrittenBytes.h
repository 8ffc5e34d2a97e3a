//===- WrittenBytes.h - Which device memory holds a value -------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bit for each byte of the device's allocations: set once the byte has been
// written by a copy, a fill or a kernel. Memory outside the ranges tracked
// counts as written.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_SIMULATOR_MEMORY_WRITTENBYTES_H
#define TLC_SIMULATOR_MEMORY_WRITTENBYTES_H

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>

namespace tlc::sim {

/// `add`, `remove`, `markAll` and `unmark` need exclusive access; `mark` and `written`
/// may run in parallel.
class WrittenBytes {
public:
  void add(uint64_t base, uint64_t bytes);
  void remove(uint64_t base);
  void mark(uint64_t address, uint64_t bytes);
  /// The bytes hold no value any more.
  void unmark(uint64_t address, uint64_t bytes);
  /// After a launch that was not watched nothing is known any more.
  void markAll();
  bool written(uint64_t address, uint64_t bytes) const;

private:
  struct Range {
    uint64_t base = 0, bytes = 0;
    std::atomic<bool> all{false};
    /// Made when the first byte is marked.
    std::unique_ptr<std::atomic<uint64_t>[]> bits;
  };
  Range *find(uint64_t address) const;

  std::map<uint64_t, std::unique_ptr<Range>> ranges;
};

} // namespace tlc::sim

#endif // TLC_SIMULATOR_MEMORY_WRITTENBYTES_H
