//===- Parallel.cpp - A pool of host threads ------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Workers sleep between calls of forEach. Tasks are taken one by one under the
// lock: they are workgroups, thousands of instructions each, so that the lock
// is no bottleneck. The caller works along, and returns when the last task has
// ended, not only when all are taken.
//
//===----------------------------------------------------------------------===//

#include "Parallel.h"

using namespace tlc::sim;

ThreadPool::ThreadPool(unsigned threads) {
  for (unsigned i = 1; i < threads; ++i)
    workers.emplace_back([this] { work(); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(mutex);
    closing = true;
  }
  wake.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

/// Entered and left with the lock held; tasks run without it.
void ThreadPool::takeTasks(std::unique_lock<std::mutex> &lock) {
  while (next < count) {
    uint64_t mine = next++;
    ++running;
    const std::function<void(uint64_t)> &now = *task;
    lock.unlock();
    now(mine);
    lock.lock();
    --running;
  }
}

/// `generation` tells a new call from a spurious wake-up.
void ThreadPool::work() {
  std::unique_lock lock(mutex);
  uint64_t seen = 0;
  for (;;) {
    wake.wait(lock, [&] { return closing || generation != seen; });
    if (closing)
      return;
    seen = generation;
    takeTasks(lock);
    if (running == 0 && next >= count)
      finished.notify_one();
  }
}

void ThreadPool::forEach(uint64_t total,
                         const std::function<void(uint64_t)> &body) {
  if (workers.empty() || total <= 1) {
    for (uint64_t i = 0; i < total; ++i)
      body(i);
    return;
  }
  std::unique_lock lock(mutex);
  task = &body;
  next = 0;
  count = total;
  ++generation;
  wake.notify_all();
  takeTasks(lock);
  finished.wait(lock, [&] { return running == 0 && next >= count; });
  task = nullptr;
  count = 0;
}
