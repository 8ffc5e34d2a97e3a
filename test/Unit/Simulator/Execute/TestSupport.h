//===- TestSupport.h - Running kernels in tests -----------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_TEST_UNIT_SIMULATOR_EXECUTE_TESTSUPPORT_H
#define TLC_TEST_UNIT_SIMULATOR_EXECUTE_TESTSUPPORT_H

#include "tlc/Simulator/Simulator.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace tlc::test {

inline const hip::HIPTable &table() { return sim::simulatorHip(); }

/// Bytes of a file; empty if it cannot be read.
inline std::vector<uint8_t> readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return std::vector<uint8_t>((std::istreambuf_iterator<char>(file)),
                              std::istreambuf_iterator<char>());
}

/// Folder of AITER's gfx942 objects: the option's, or hsa/gfx942 below it.
inline std::string aiterFolder() {
  std::string below = std::string(TLC_AITER_OBJECTS) + "/hsa/gfx942";
  return std::ifstream(below + "/all_reduce.co") ? below : TLC_AITER_OBJECTS;
}

/// Data of a .npy file, without its header.
inline std::vector<uint8_t> readNpy(const std::string &path) {
  std::vector<uint8_t> bytes = readFile(path);
  if (bytes.size() < 10)
    return {};
  size_t header = 10 + (bytes[8] | bytes[9] << 8);
  return std::vector<uint8_t>(bytes.begin() + header, bytes.end());
}

inline float fromBf16(uint16_t v) {
  uint32_t raw = uint32_t(v) << 16;
  float f;
  std::memcpy(&f, &raw, 4);
  return f;
}
inline uint16_t toBf16(float f) {
  uint32_t raw;
  std::memcpy(&raw, &f, 4);
  return uint16_t((raw + 0x7fff + (raw >> 16 & 1)) >> 16);
}
inline float fromHalf(uint16_t v) {
  _Float16 h;
  std::memcpy(&h, &v, 2);
  return float(h);
}
inline uint16_t toHalf(float f) {
  _Float16 h = _Float16(f);
  uint16_t v;
  std::memcpy(&v, &h, 2);
  return v;
}

/// Device memory with the bytes given.
class Buffer {
public:
  explicit Buffer(const std::vector<uint8_t> &bytes) : size(bytes.size()) {
    EXPECT_EQ(table().hipMalloc(&pointer, size), hip::hipSuccess);
    EXPECT_EQ(table().hipMemcpy(pointer, bytes.data(), size,
                                hip::hipMemcpyHostToDevice),
              hip::hipSuccess);
  }
  template <typename T> static Buffer of(const std::vector<T> &values) {
    std::vector<uint8_t> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return Buffer(bytes);
  }
  Buffer(Buffer &&other) : pointer(other.pointer), size(other.size) {
    other.pointer = nullptr;
  }
  ~Buffer() { table().hipFree(pointer); }

  std::vector<uint8_t> bytes() const {
    std::vector<uint8_t> result(size);
    EXPECT_EQ(table().hipMemcpy(result.data(), pointer, size,
                                hip::hipMemcpyDeviceToHost),
              hip::hipSuccess);
    return result;
  }
  template <typename T> std::vector<T> values() const {
    std::vector<uint8_t> raw = bytes();
    std::vector<T> result(raw.size() / sizeof(T));
    std::memcpy(result.data(), raw.data(), result.size() * sizeof(T));
    return result;
  }

  void *pointer = nullptr;

private:
  size_t size;
};

/// Mnemonics that kernels of this program have executed so far.
inline std::set<std::string> &executedMnemonics() {
  static std::set<std::string> all;
  return all;
}

/// A kernel of a code object, kept loaded.
class Kernel {
public:
  Kernel(const std::string &path, const std::string &name) {
    hip::hipError_t error = table().hipModuleLoad(&module, path.c_str());
    EXPECT_EQ(error, hip::hipSuccess)
        << path << ": " << sim::lastLaunch().report;
    if (!error)
      EXPECT_EQ(table().hipModuleGetFunction(&function, module, name.c_str()),
                hip::hipSuccess)
          << name;
  }
  Kernel(const std::vector<uint8_t> &image, const std::string &name) {
    hip::hipError_t error = table().hipModuleLoadData(&module, image.data());
    EXPECT_EQ(error, hip::hipSuccess) << sim::lastLaunch().report;
    if (!error)
      EXPECT_EQ(table().hipModuleGetFunction(&function, module, name.c_str()),
                hip::hipSuccess)
          << name;
  }
  ~Kernel() {
    if (module)
      table().hipModuleUnload(module);
  }

  struct Shape {
    unsigned x = 1, y = 1, z = 1;
  };
  /// Launches with arguments given by value.
  template <typename... Args>
  hip::hipError_t operator()(Shape grid, Shape block, unsigned lds,
                             Args... arguments) {
    void *pointers[] = {static_cast<void *>(&arguments)..., nullptr};
    return launch(grid, block, lds, pointers);
  }
  hip::hipError_t launch(Shape grid, Shape block, unsigned lds,
                         void **arguments, void **extra = nullptr) {
    // TLC_TEST_CHECKERS=1: the same runs, watched; correct code gives no alarm.
    sim::simulatorOptions().checkers = std::getenv("TLC_TEST_CHECKERS");
    sim::simulatorOptions().statistics = true;
    hip::hipError_t error = table().hipModuleLaunchKernel(
        function, grid.x, grid.y, grid.z, block.x, block.y, block.z, lds,
        nullptr, arguments, extra);
    for (const auto &[mnemonic, count] : sim::lastLaunch().byMnemonic)
      executedMnemonics().insert(mnemonic);
    if (sim::simulatorOptions().checkers)
      EXPECT_EQ(sim::lastLaunch().report, "");
    return error;
  }

  hip::hipModule_t module = nullptr;
  hip::hipFunction_t function = nullptr;
};

/// Normal random numbers, the same for the same seed.
inline std::vector<float> normal(size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> distribution;
  std::vector<float> values(count);
  for (float &v : values)
    v = distribution(engine);
  return values;
}

} // namespace tlc::test

#endif // TLC_TEST_UNIT_SIMULATOR_EXECUTE_TESTSUPPORT_H
