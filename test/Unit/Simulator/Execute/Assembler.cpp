//===- Assembler.cpp - Kernels written in assembly ------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Assembler.h"

#include <cstdlib>
#include <filesystem>
#include <unistd.h>

using namespace tlc::test;
namespace fs = std::filesystem;

std::vector<uint8_t>
tlc::test::assemble(const std::vector<AsmKernel> &kernels) {
  static int counter = 0;
  fs::path folder =
      fs::temp_directory_path() /
      ("tlc-asm-" + std::to_string(getpid()) + "-" + std::to_string(counter++));
  fs::create_directories(folder);
  {
    std::ofstream file(folder / "k.s");
    file << ".amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n"
            ".amdhsa_code_object_version 5\n";
    for (const AsmKernel &kernel : kernels)
      file << ".text\n.globl " << kernel.name << "\n.p2align 8\n.type "
           << kernel.name << ",@function\n"
           << kernel.name << ":\n"
           << kernel.body << "\n  s_endpgm\n.size " << kernel.name << ", .-"
           << kernel.name << "\n.rodata\n.amdhsa_kernel " << kernel.name
           << "\n  .amdhsa_next_free_vgpr " << kernel.vgprs
           << "\n  .amdhsa_next_free_sgpr 96\n  .amdhsa_accum_offset "
           << kernel.vgprs / 2
           << "\n"
              "  .amdhsa_user_sgpr_kernarg_segment_ptr 1\n"
              "  .amdhsa_system_sgpr_workgroup_id_x 1\n"
              "  .amdhsa_float_denorm_mode_32 3\n"
              "  .amdhsa_kernarg_size 64\n  .amdhsa_group_segment_fixed_size "
           << kernel.ldsBytes << "\n  .amdhsa_private_segment_fixed_size "
           << kernel.scratchBytes << "\n  .amdhsa_enable_private_segment "
           << (kernel.scratchBytes ? 1 : 0) << "\n.end_amdhsa_kernel\n";
    file << ".amdgpu_metadata\n---\namdhsa.version: [1, 2]\namdhsa.kernels:\n";
    for (const AsmKernel &kernel : kernels) {
      file << "  - .name: " << kernel.name << "\n    .symbol: " << kernel.name
           << ".kd\n    .kernarg_segment_size: 64\n"
              "    .group_segment_fixed_size: "
           << kernel.ldsBytes
           << "\n    .private_segment_fixed_size: " << kernel.scratchBytes
           << "\n    .kernarg_segment_align: 8\n    .wavefront_size: 64\n"
              "    .sgpr_count: 96\n    .vgpr_count: 512\n"
              "    .max_flat_workgroup_size: 1024\n    .args:\n";
      for (int i = 0; i < 5; ++i)
        file << "      - { .offset: " << i * 8
             << ", .size: 8, .value_kind: global_buffer, .address_space: "
                "global }\n";
    }
    file << ".end_amdgpu_metadata\n";
  }
  std::string command = std::string(TLC_HIP_COMPILER) +
                        " -x assembler -target amdgcn-amd-amdhsa "
                        "-mcpu=gfx942 -fuse-ld=lld -o " +
                        (folder / "k.hsaco").string() + " " +
                        (folder / "k.s").string();
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::vector<uint8_t> image = readFile(folder / "k.hsaco");
  if (!::testing::Test::HasFailure())
    fs::remove_all(folder);
  return image;
}

TwoResults tlc::test::mapInstruction(const std::string &code,
                                     const std::vector<uint32_t> &first,
                                     const std::vector<uint32_t> &second,
                                     const std::vector<uint32_t> &third) {
  // Element 64 times workgroup plus lane.
  std::string body = R"(
  s_load_dwordx8 s[8:15], s[0:1], 0x0
  s_load_dwordx2 s[16:17], s[0:1], 0x20
  s_lshl_b32 s3, s2, 6
  v_add_u32 v0, s3, v0
  v_lshlrev_b32 v6, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v1, v6, s[8:9]
  global_load_dword v2, v6, s[10:11]
  global_load_dword v3, v6, s[12:13]
  v_mov_b32 v4, 0
  v_mov_b32 v5, 0
  s_waitcnt vmcnt(0)
)" + code + R"(
  s_nop 7
  s_nop 7
  global_store_dword v6, v4, s[14:15]
  global_store_dword v6, v5, s[16:17]
)";
  std::vector<uint8_t> image = assemble({{"k", body, 0, 0}});
  TwoResults results;
  if (image.empty())
    return results;
  size_t count = (first.size() + 63) / 64 * 64;
  auto padded = [&](std::vector<uint32_t> values) {
    values.resize(count);
    return Buffer::of(values);
  };
  Buffer a = padded(first), b = padded(second), c = padded(third),
         low = padded({}), high = padded({});
  Kernel kernel(image, "k");
  EXPECT_EQ(kernel({unsigned(count / 64)}, {64}, 0, a.pointer, b.pointer,
                   c.pointer, low.pointer, high.pointer),
            hip::hipSuccess)
      << sim::lastLaunch().report;
  results.low = low.values<uint32_t>();
  results.high = high.values<uint32_t>();
  results.low.resize(first.size());
  results.high.resize(first.size());
  return results;
}
