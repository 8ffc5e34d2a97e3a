//===- CheckTests.cpp - Planted faults are found ----------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each fault must be found with any order of wavefronts, name its instruction,
// wavefront and source line, and be gone once put right.
//
//===----------------------------------------------------------------------===//

#include "PlantedFault.h"
#include "TestSupport.h"
#include "tlc/Simulator/Check/Checker.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace tlc;
using namespace tlc::test;

namespace {

constexpr unsigned bufferBytes = 65536, writtenBytes = 4096;

std::vector<PlantedFault> allFaults() {
  std::vector<PlantedFault> all;
  for (const auto *list : {&waitFaults(), &hazardFaults(), &hazardNotes(),
                           &undefinedFaults(), &raceFaults()})
    all.insert(all.end(), list->begin(), list->end());
  return all;
}

void writeKernel(std::ostream &os, const std::string &name, const char *body) {
  os << ".text\n.globl " << name << "\n.p2align 8\n.type " << name
     << ",@function\n"
     // The workgroup's number follows the user registers.
     << name << ":\n  s_mov_b32 s4, s2\n"
     << "  s_load_dwordx2 s[2:3], s[0:1], 0x0\n  s_waitcnt lgkmcnt(0)\n";
  os << body << "\n  s_endpgm\n.Lend_" << name << ":\n.size " << name
     << ", .Lend_" << name << "-" << name << "\n.rodata\n.p2align 6\n"
     << ".amdhsa_kernel " << name << R"(
  .amdhsa_next_free_vgpr 96
  .amdhsa_next_free_sgpr 96
  .amdhsa_accum_offset 64
  .amdhsa_group_segment_fixed_size 4096
  .amdhsa_private_segment_fixed_size 64
  .amdhsa_enable_private_segment 1
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
.end_amdhsa_kernel
)";
}

void writeMetadata(std::ostream &os, const std::vector<std::string> &names) {
  os << ".amdgpu_metadata\namdhsa.version: [1, 2]\n"
     << "amdhsa.target: amdgcn-amd-amdhsa--gfx942\namdhsa.kernels:\n";
  for (const std::string &name : names)
    os << "  - .name: " << name << "\n    .symbol: " << name << R"(.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 4096
    .private_segment_fixed_size: 64
    .wavefront_size: 64
    .sgpr_count: 96
    .vgpr_count: 96
    .agpr_count: 32
    .max_flat_workgroup_size: 1024
    .args:
      - {.name: buffer, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
)";
  os << ".end_amdgpu_metadata\n";
}

/// One object with all kernels, NAME_f with the fault and NAME_r without.
class WithObject {
protected:
  static void assemble() {
    if (!image.empty())
      return;
    std::string compiler = TLC_DEVICE_CLANG;
    if (compiler.empty() || !std::filesystem::exists(compiler))
      return;
    std::filesystem::path folder =
        std::filesystem::temp_directory_path() /
        ("tlc-planted-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    std::string source = (folder / "faults.s").string();
    std::string object = (folder / "faults.hsaco").string();
    {
      std::ofstream os(source);
      std::vector<std::string> names;
      for (const PlantedFault &fault : allFaults()) {
        names.push_back(std::string(fault.name) + "_f");
        writeKernel(os, names.back(), fault.faulty);
        names.push_back(std::string(fault.name) + "_r");
        writeKernel(os, names.back(), fault.right);
      }
      writeMetadata(os, names);
    }
    std::string command = compiler +
                          " -target amdgcn-amd-amdhsa -mcpu=gfx942 "
                          "-mcode-object-version=5 -g " +
                          source + " -o " + object;
    ASSERT_EQ(std::system(command.c_str()), 0);
    image = readFile(object);
    std::filesystem::remove_all(folder);
  }

  static std::vector<uint8_t> image;
};
std::vector<uint8_t> WithObject::image;

class UseAfterFree : public testing::Test, protected WithObject {
  void SetUp() override {
    assemble();
    if (image.empty())
      GTEST_SKIP() << "no clang for the device";
  }
};

class PlantedFaults : public testing::TestWithParam<PlantedFault>,
                      protected WithObject {
protected:
  void SetUp() override {
    assemble();
    if (image.empty())
      GTEST_SKIP() << "no clang for the device";
  }

  /// Runs a kernel and returns what was found.
  sim::LaunchResult run(const std::string &name, const PlantedFault &fault,
                        uint64_t seed) {
    void *buffer = nullptr;
    EXPECT_EQ(table().hipMalloc(&buffer, bufferBytes), hip::hipSuccess);
    EXPECT_EQ(table().hipMemset(buffer, 0, writtenBytes), hip::hipSuccess);
    // The padding of a row of 32 words.
    EXPECT_TRUE(
        sim::poisonMemory(static_cast<char *>(buffer) + 2048 + 128,
                          fault.name == std::string("padding") ? 128 : 0));
    Kernel kernel(image, name);
    sim::simulatorOptions().checkers = true;
    sim::simulatorOptions().scheduleSeed = seed;
    void *arguments[] = {&buffer, nullptr};
    table().hipModuleLaunchKernel(kernel.function, fault.groups, 1, 1,
                                  64 * fault.waves, 1, 1, 0, nullptr, arguments,
                                  nullptr);
    sim::simulatorOptions() = sim::SimulatorOptions();
    sim::LaunchResult result = sim::lastLaunch();
    EXPECT_EQ(result.kernel, name);
    EXPECT_GT(result.instructions, 0u);
    table().hipFree(buffer);
    return result;
  }
};

TEST_P(PlantedFaults, Found) {
  const PlantedFault &fault = GetParam();
  for (uint64_t seed = 0; seed < 4; ++seed) {
    sim::LaunchResult result = run(fault.name + std::string("_f"), fault, seed);
    ASSERT_FALSE(result.findings.empty());
    bool isNote = fault.kind == std::string_view(sim::waitStatesNote);
    EXPECT_EQ(result.failed, !isNote);
    // A race may show at both of its ends, nothing else may.
    bool named = false;
    for (const sim::Finding &finding : result.findings) {
      EXPECT_EQ(finding.kind, fault.kind) << finding.text;
      // The line with the place: address and disassembly.
      size_t at = finding.text.find("\n  at 0x");
      ASSERT_NE(at, std::string::npos) << finding.text;
      std::string place =
          finding.text.substr(at, finding.text.find('\n', at + 1) - at);
      named |=
          place.find(std::string("): ") + fault.culprit) != std::string::npos;
      EXPECT_NE(finding.text.find("wavefront "), std::string::npos);
      EXPECT_NE(finding.text.find("faults.s:"), std::string::npos)
          << finding.text;
    }
    EXPECT_TRUE(named) << result.report;
  }
}

TEST_P(PlantedFaults, GoneWhenPutRight) {
  const PlantedFault &fault = GetParam();
  for (uint64_t seed = 0; seed < 4; ++seed)
    EXPECT_EQ(run(fault.name + std::string("_r"), fault, seed).report, "");
}

/// A kernel that is right, on memory that is no longer there.
TEST_F(UseAfterFree, Found) {
  void *buffer = nullptr;
  ASSERT_EQ(table().hipMalloc(&buffer, bufferBytes), hip::hipSuccess);
  table().hipFree(buffer);
  Kernel kernel(image, "vmcnt_r");
  void *arguments[] = {&buffer, nullptr};
  EXPECT_NE(table().hipModuleLaunchKernel(kernel.function, 1, 1, 1, 64, 1, 1, 0,
                                          nullptr, arguments, nullptr),
            hip::hipSuccess);
  ASSERT_EQ(sim::lastLaunch().findings.size(), 1u);
  EXPECT_EQ(sim::lastLaunch().findings.front().kind, "global-use-after-free");
}

INSTANTIATE_TEST_SUITE_P(All, PlantedFaults, testing::ValuesIn(allFaults()),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

} // namespace
