//===- Parallel.h - A pool of host threads ----------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_EXECUTE_PARALLEL_H
#define TLC_LIB_SIMULATOR_EXECUTE_PARALLEL_H

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tlc::sim {

/// Threads that work through numbered tasks together with the caller.
class ThreadPool {
public:
  explicit ThreadPool(unsigned threads); ///< with the caller; at least 1
  ~ThreadPool();

  /// Calls `task(i)` for i in [0, count), in any order; returns when all are
  /// done.
  void forEach(uint64_t count, const std::function<void(uint64_t)> &task);

private:
  void work();
  void takeTasks(std::unique_lock<std::mutex> &lock);

  std::vector<std::thread> workers;
  std::mutex mutex;
  std::condition_variable wake, finished;
  const std::function<void(uint64_t)> *task = nullptr;
  uint64_t next = 0, count = 0, running = 0, generation = 0;
  bool closing = false;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_EXECUTE_PARALLEL_H
