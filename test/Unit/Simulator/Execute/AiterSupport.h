//===- AiterSupport.h - Launching AITER's kernels ---------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The argument layouts are those of the library's launchers: slots of 16 bytes,
// strides in bytes. Every launch runs under the checkers. Some kernels read
// past the end of a tensor what they do not use; buffers have room for that.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_TEST_UNIT_SIMULATOR_EXECUTE_AITERSUPPORT_H
#define TLC_TEST_UNIT_SIMULATOR_EXECUTE_AITERSUPPORT_H

#include "TestSupport.h"

#include "tlc/Simulator/Memory/CodeObject.h"

#include <cmath>
#include <set>

namespace tlc::test {

class Slots {
public:
  template <typename T> void add(T value) {
    bytes.resize(bytes.size() + 16);
    std::memcpy(&bytes[bytes.size() - 16], &value, sizeof(T));
  }
  template <typename... T> void all(T... values) { (add(values), ...); }
  std::vector<uint8_t> bytes;
};

/// Launches the only kernel of an object; false if the object is not there. The
/// checkers may find the kinds of \p knownFaults and nothing else.
inline bool launchAiter(const std::string &file, Slots slots, unsigned x,
                        unsigned y = 1, unsigned z = 1,
                        const std::set<std::string> &knownFaults = {}) {
  std::vector<uint8_t> image = readFile(aiterFolder() + "/" + file);
  if (image.empty())
    return false;
  sim::CodeObject object;
  std::string error;
  EXPECT_TRUE(sim::CodeObject::parse(image, object, error)) << error;
  Kernel kernel(image, object.kernels.at(0).name);
  size_t size = slots.bytes.size();
  void *extra[] = {hip::HIP_LAUNCH_PARAM_BUFFER_POINTER, slots.bytes.data(),
                   hip::HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   hip::HIP_LAUNCH_PARAM_END};
  bool before = sim::simulatorOptions().checkers;
  sim::simulatorOptions().checkers = true;
  (void)table().hipModuleLaunchKernel(kernel.function, x, y, z, 256, 1, 1, 0,
                                      nullptr, nullptr, extra);
  sim::simulatorOptions().checkers = before;
  EXPECT_GT(sim::lastLaunch().instructions, 0u);
  for (const sim::Finding &finding : sim::lastLaunch().findings)
    EXPECT_TRUE(finding.isNote || knownFaults.count(finding.kind))
        << finding.text;
  return true;
}

/// A buffer with more room than its values need.
template <typename T> Buffer roomy(std::vector<T> values) {
  values.resize(values.size() + 65536 / sizeof(T));
  return Buffer::of(values);
}

inline std::vector<uint16_t> randomBf16(size_t count, unsigned seed) {
  std::vector<uint16_t> values;
  for (float v : normal(count, seed))
    values.push_back(toBf16(v));
  return values;
}

} // namespace tlc::test

#endif // TLC_TEST_UNIT_SIMULATOR_EXECUTE_AITERSUPPORT_H
