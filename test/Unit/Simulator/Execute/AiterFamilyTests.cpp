//===- AiterFamilyTests.cpp - Hand-written kernels of every family --------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs AITER's gfx942 objects with generous zero-filled buffers and small
// sizes, as far as that leads. Addresses out of bounds and the instruction
// limit are fair ends, since the arguments are made up; an instruction that is
// not simulated, a register beyond the descriptor's or a jump into nothing is
// a failure. A few objects of each family run each time; TLC_AITER_ALL=1 runs
// all of them.
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

#include "tlc/Simulator/Memory/CodeObject.h"

#include <algorithm>
#include <filesystem>
#include <map>

using namespace tlc::test;
namespace fs = std::filesystem;

namespace {

constexpr size_t argumentBytes = size_t(8) << 20;
constexpr uint64_t instructionLimit = 400000;

/// One big allocation, in which every pointer argument gets its own part.
Buffer &arena() {
  static Buffer *buffer = new Buffer(std::vector<uint8_t>(24 * argumentBytes));
  return *buffer;
}

/// What memory and the integer arguments hold: enough to get past the tests of
/// sizes at a kernel's beginning.
struct Values {
  int fill;
  uint32_t number;
};
constexpr Values passes[] = {{0, 256}, {1, 256}, {0, 1}, {1, 4096}};

std::vector<uint8_t> argumentsOf(const tlc::sim::KernelInfo &kernel,
                                 uint32_t number) {
  std::vector<uint8_t> bytes(std::max<uint32_t>(kernel.kernargSize, 16));
  unsigned pointers = 0;
  for (const tlc::sim::KernelArgument &argument : kernel.arguments) {
    if (argument.hidden() || argument.name == "pad" ||
        argument.offset + argument.size > bytes.size())
      continue;
    if (argument.valueKind == "global_buffer") {
      uint64_t at = reinterpret_cast<uint64_t>(arena().pointer) +
                    (pointers++ % 24) * argumentBytes;
      std::memcpy(&bytes[argument.offset], &at, 8);
    } else if (argument.size == 4) {
      std::memcpy(&bytes[argument.offset], &number, 4);
    }
  }
  return bytes;
}

/// Kernels without names for their arguments: slots of 16 bytes, pointers
/// first.
std::vector<uint8_t> unnamedArguments(uint32_t size, uint32_t number) {
  std::vector<uint8_t> bytes(std::max<uint32_t>(size, 16));
  for (unsigned slot = 0; (slot + 1) * 16 <= bytes.size(); ++slot) {
    uint64_t value = slot < 5 ? reinterpret_cast<uint64_t>(arena().pointer) +
                                    slot * argumentBytes
                              : number;
    std::memcpy(&bytes[slot * 16], &value, 8);
  }
  return bytes;
}

bool isFairEnd(const std::string &kind) {
  return kind.starts_with("global-") || kind.starts_with("lds-") ||
         kind == "instruction-limit" || kind == "trap" ||
         kind == "invalid-launch";
}

/// How the run ended: "" if it came to its end.
std::string runOnce(const std::string &path, uint32_t number,
                    std::string &report) {
  std::vector<uint8_t> image = readFile(path);
  tlc::sim::CodeObject object;
  std::string error;
  if (!tlc::sim::CodeObject::parse(image, object, error)) {
    report = error;
    return "invalid-code-object";
  }
  for (const tlc::sim::KernelInfo &info : object.kernels) {
    bool named = !info.arguments.empty();
    std::vector<uint8_t> bytes =
        named ? argumentsOf(info, number)
              : unnamedArguments(info.kernargSize, number);
    Kernel kernel(image, info.name);
    if (!kernel.function) {
      report = tlc::sim::lastLaunch().report;
      return "not loaded";
    }
    const uint32_t *block = info.requiredWorkgroupSize;
    unsigned x = block[0] ? block[0] : std::min(info.maxWorkgroupSize, 256u);
    size_t size = bytes.size();
    void *extra[] = {tlc::hip::HIP_LAUNCH_PARAM_BUFFER_POINTER, bytes.data(),
                     tlc::hip::HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     tlc::hip::HIP_LAUNCH_PARAM_END};
    (void)table().hipModuleLaunchKernel(
        kernel.function, 1, 1, 1, x, block[1] ? block[1] : 1,
        block[2] ? block[2] : 1, 0, nullptr, nullptr, extra);
    const tlc::sim::LaunchResult &result = tlc::sim::lastLaunch();
    if (result.failed && !isFairEnd(result.findings.front().kind)) {
      report = result.report;
      return result.findings.front().kind;
    }
    report = result.failed ? result.findings.front().kind
                           : std::to_string(result.instructions);
  }
  return "";
}

TEST(AiterFamilies, NothingUnsupported) {
  fs::path root = aiterFolder();
  if (!fs::is_directory(root))
    GTEST_SKIP() << "no folder '" << TLC_AITER_OBJECTS << "'";
  std::map<fs::path, std::vector<fs::path>> families;
  for (const auto &entry : fs::recursive_directory_iterator(root))
    if (entry.path().extension() == ".co")
      families[entry.path().parent_path()].push_back(entry.path());
  bool all = std::getenv("TLC_AITER_ALL") != nullptr;
  bool verbose = std::getenv("TLC_AITER_VERBOSE") != nullptr;
  tlc::sim::simulatorOptions().instructionLimit = instructionLimit;
  for (const Values &values : passes) {
    // Dwords of this value.
    std::vector<int> dwords(24 * argumentBytes / 4, values.fill);
    ASSERT_EQ(table().hipMemcpy(arena().pointer, dwords.data(),
                                dwords.size() * 4,
                                tlc::hip::hipMemcpyHostToDevice),
              tlc::hip::hipSuccess);
    for (auto &[folder, objects] : families) {
      std::sort(objects.begin(), objects.end());
      size_t step = all ? 1 : std::max<size_t>(objects.size() / 3, 1);
      for (size_t i = 0; i < objects.size(); i += step) {
        std::string report;
        std::string kind = runOnce(objects[i].string(), values.number, report);
        EXPECT_EQ(kind, "") << objects[i] << "\n" << report;
        if (verbose)
          std::printf("%s %u %d: %s\n", objects[i].c_str(), values.number,
                      values.fill, report.c_str());
      }
    }
  }
  tlc::sim::simulatorOptions().instructionLimit = 0;
}

} // namespace
