//===- Simulator.cpp - Speed of the simulator -----------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One host thread throughout, and processor time, so that the figures are those
// of a core:
// wavefront instructions a second on vector ALU loops, on matrix loops, on
// loops that fill the device and are hard on the timing model, and on kernels
// of this project; the same with the checkers and with the timing model, every
// workgroup in detail. Kernels are assembled or compiled when the benchmark
// starts.
//
//===----------------------------------------------------------------------===//

#include "tlc/Runtime/Launch.h"
#include "tlc/Simulator/Execute/Launch.h"
#include "llvm/Support/MemoryBuffer.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

using namespace tlc;
namespace fs = std::filesystem;

namespace {

struct LoopKernel {
  const char *name, *body;
  unsigned repeat; ///< of the body within the loop
  unsigned turns = 400, groups = 8, block = 64;
};

/// As many as fill the device, four wavefronts to each SIMD.
constexpr unsigned full = 1216;

// 64 instructions in the loop and some thousand turns.
constexpr LoopKernel loops[] = {
    {"f32",
     "v_fma_f32 v4, v5, v6, v4\nv_mul_f32 v7, v5, v4\n"
     "v_add_f32 v8, v7, v6\nv_max_f32 v9, v8, v4\n",
     16},
    {"int32",
     "v_add_u32 v4, v5, v4\nv_lshl_add_u32 v7, v4, 2, v5\n"
     "v_xor_b32 v8, v7, v6\nv_cndmask_b32 v9, v8, v4, vcc\n",
     16},
    {"packed_f16",
     "v_pk_fma_f16 v4, v5, v6, v4\nv_pk_mul_f16 v7, v5, v4\n"
     "v_cvt_f32_f16 v8, v7\nv_cvt_pkrtz_f16_f32 v9, v8, v4\n",
     16},
    {"dpp_exp",
     "v_add_f32_dpp v4, v5, v6 row_shr:1 row_mask:0xf bank_mask:0xf "
     "bound_ctrl:0\n"
     "v_mul_f32 v8, v7, v5\nv_exp_f32 v9, v8\n"
     "v_mov_b32_dpp v7, v4 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf\n",
     16},
    {"scalar",
     "s_add_u32 s6, s6, s7\ns_and_b32 s8, s6, s7\n"
     "s_lshl_b32 s9, s8, 3\ns_cselect_b32 s10, s8, s9\n",
     16},
    {"lds",
     "ds_write_b128 v12, v[4:7]\nv_add_f32 v16, v5, v6\n"
     "ds_read_b128 v[8:11], v12\nv_add_f32 v17, v5, v6\n",
     16},
    {"mfma_f16_32x32x8",
     "v_mfma_f32_32x32x8_f16 a[0:15], v[4:5], v[6:7], a[0:15]\n", 64},
    {"mfma_bf16_16x16x16",
     "v_mfma_f32_16x16x16_bf16 a[0:3], v[4:5], v[6:7], a[0:3]\n", 64},
    {"mfma_fp8_16x16x32",
     "v_mfma_f32_16x16x32_fp8_fp8 a[0:3], v[4:5], v[6:7], a[0:3]\n", 64},
    {"mfma_f32_32x32x2", "v_mfma_f32_32x32x2_f32 a[0:15], v4, v6, a[0:15]\n",
     64},
    {"mfma_i8_32x32x16",
     "v_mfma_i32_32x32x16_i8 a[0:15], v[4:5], v[6:7], a[0:15]\n", 64},
    // v13: a line of the wavefront's own. The buffer is all zero.
    {"loads_dependent",
     "global_load_dword v10, v13, s[2:3]\ns_waitcnt vmcnt(0)\n"
     "v_add3_u32 v13, v13, v10, v14\nv_and_b32 v13, s11, v13\n",
     1, 100, full, 256},
    // v15: a line for each lane, of which the loop walks through all words.
    {"loads_uncoalesced",
     "global_load_dword v10, v15, s[2:3]\nv_add_u32 v15, 4, v15\n"
     "v_and_b32 v15, s11, v15\ns_waitcnt vmcnt(4)\n",
     1, 32, full / 4, 256},
    // Never the same line again.
    {"loads_scattered",
     "global_load_dword v10, v15, s[2:3]\nv_add_u32 v15, v15, v14\n"
     "v_and_b32 v15, s11, v15\ns_waitcnt vmcnt(4)\n",
     1, 20, full / 4, 256},
    // v16: eight lanes in each bank.
    {"lds_conflicts", "ds_write_b32 v16, v5\nds_write_b32 v16, v6 offset:64\n",
     8, 20, full, 256},
    {"short_vector", "v_fma_f32 v4, v5, v6, v4\nv_add_f32 v8, v7, v6\n", 1, 100,
     full, 256},
    {"short_lds",
     "ds_read_b32 v8, v16\ns_waitcnt lgkmcnt(0)\nv_add_f32 v9, v8, v6\n", 1,
     100, full, 256},
    {"barriers", "v_add_f32 v8, v7, v6\ns_barrier\n", 4, 20, full, 256},
    {"short_launch", "v_fma_f32 v4, v5, v6, v4\nv_add_f32 v8, v7, v6\n", 1, 10,
     full, 256},
};
constexpr size_t bufferBytes = 16 << 20;

fs::path &folder() {
  static fs::path path =
      fs::temp_directory_path() / ("tlc-perf-" + std::to_string(getpid()));
  return path;
}

std::vector<uint8_t> readAll(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<uint8_t> assembleLoops() {
  std::ofstream file(folder() / "loops.s");
  file << ".amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n"
          ".amdhsa_code_object_version 5\n";
  for (const LoopKernel &loop : loops) {
    file << ".text\n.globl " << loop.name << "\n.p2align 8\n.type " << loop.name
         << ",@function\n"
         << loop.name
         << ":\ns_mov_b32 s4, s2\ns_load_dwordx2 s[2:3], s[0:1], 0\n"
         << "s_movk_i32 s5, " << loop.turns << "\nv_cvt_f32_u32 v5, v0\n"
         << "v_mul_f32 v5, 0.5, v5\nv_mov_b32 v4, v5\nv_mov_b32 v6, 1.0\n"
         << "v_mov_b32 v7, v5\nv_and_b32 v12, 63, v0\n"
         << "v_lshlrev_b32 v12, 4, v12\n"
         << "s_lshl_b32 s10, s4, 10\ns_mov_b32 s11, " << bufferBytes - 4
         << "\nv_lshlrev_b32 v13, 2, v0\n"
         << "v_add_u32 v13, s10, v13\nv_lshlrev_b32 v15, 7, v0\n"
         << "v_add_u32 v15, s10, v15\nv_mov_b32 v14, 0x10400\n"
         << "v_and_b32 v16, 7, v0\nv_lshlrev_b32 v16, 7, v16\n"
            "v_bfe_u32 v17, v0, 3, 3\nv_lshl_add_u32 v16, v17, 2, v16\n"
            "v_lshrrev_b32 v17, 6, v0\nv_lshl_add_u32 v16, v17, 10, v16\n"
            "ds_write_b32 v16, v5\n";
    // Nothing undefined, nothing too soon.
    for (unsigned i = 0; i < 16; ++i)
      file << "v_accvgpr_write_b32 a" << i << ", 0\n";
    file << "s_nop 7\ns_waitcnt lgkmcnt(0)\n"
         << ".L" << loop.name << ":\n";
    for (unsigned i = 0; i < loop.repeat; ++i)
      file << loop.body;
    file << "s_sub_u32 s5, s5, 1\ns_cmp_lg_u32 s5, 0\ns_cbranch_scc1 .L"
         << loop.name << "\ns_endpgm\n.size " << loop.name << ", .-"
         << loop.name << "\n.rodata\n.amdhsa_kernel " << loop.name
         << "\n.amdhsa_next_free_vgpr 64\n.amdhsa_next_free_sgpr 32\n"
            ".amdhsa_accum_offset 32\n.amdhsa_group_segment_fixed_size 4096\n"
            ".amdhsa_user_sgpr_kernarg_segment_ptr 1\n"
            ".amdhsa_kernarg_size 8\n.end_amdhsa_kernel\n";
  }
  file.close();
  std::string command = std::string(TLC_DEVICE_CLANG) +
                        " -x assembler -target amdgcn-amd-amdhsa -mcpu=gfx942 "
                        "-o " +
                        (folder() / "loops.hsaco").string() + " " +
                        (folder() / "loops.s").string();
  if (std::system(command.c_str()) != 0)
    return {};
  return readAll(folder() / "loops.hsaco");
}

/// Time that this process has used: other processes do not count.
double cpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

void counters(benchmark::State &state, const sim::LaunchResult &last,
              double instructions, double flops, double seconds) {
  // To see that a change of the model's code has not changed the model.
  if (last.timing)
    state.counters["cycles"] = double(last.timing->cycles);
  state.counters["Minst/s"] = instructions / seconds / 1e6;
  if (flops)
    state.counters["GFLOP/s"] = flops / seconds / 1e9;
}

enum class Mode { Plain, Checked, Timed };

void setMode(sim::SimulatorOptions &options, Mode mode) {
  options.threads = 1;
  options.checkers = mode == Mode::Checked;
  if (mode == Mode::Timed)
    options.timing.emplace().full = true;
}

void runLoop(benchmark::State &state, const std::vector<uint8_t> &image,
             const LoopKernel &loop, Mode mode) {
  sim::DeviceMemory memory(uint64_t(1) << 32);
  std::string error;
  auto object = sim::LoadedObject::load(image, memory, error);
  if (!object)
    return state.SkipWithError(error.c_str());
  sim::LaunchRequest request;
  request.object = object.get();
  request.kernel = object->object().findKernel(loop.name);
  request.block[0] = loop.block;
  request.grid[0] = loop.groups;
  const sim::Allocation *buffer =
      memory.allocate(bufferBytes, sim::AllocationKind::Device);
  if (!buffer)
    return state.SkipWithError("no memory");
  std::memset(reinterpret_cast<void *>(buffer->base), 0, bufferBytes);
  memory.writtenBytes().markAll();
  uint64_t argument = buffer->base;
  request.arguments = {reinterpret_cast<const uint8_t *>(&argument),
                       sizeof(argument)};
  sim::SimulatorOptions options;
  setMode(options, mode);
  double instructions = 0, flops = 0, seconds = 0;
  sim::LaunchResult result;
  for (auto _ : state) {
    double start = cpuSeconds();
    result = runLaunch(request, memory, options);
    seconds += cpuSeconds() - start;
    instructions += double(result.instructions);
    flops += double(result.matrixFlops);
  }
  counters(state, result, instructions, flops, seconds);
}

/// Kernels of this project, compiled when the benchmark starts.
struct Example {
  const char *name, *file, *parameters;
};
constexpr Example examples[] = {
    {"attention", "05-flash-attention",
     "-D batch=1 -D heads=2 -D heads_kv=2 -D seq_q=512 -D seq_k=512 -D "
     "dim=128"},
    {"gemm", "02-gemm", "-D M=256 -D N=256 -D K=1024"},
    {"softmax", "03-softmax", "-D M=512 -D N=1024"},
    {"rms_norm", "04-rms-norm", "-D M=512 -D N=1024"},
    {"vector_add", "01-vector-add", "-D N=1048576"},
    {"decode", "06-flash-decoding",
     "-D batch=4 -D heads_kv=8 -D group=8 -D seq_k=1024"},
    {"row_sums", "../test/Perf/row-sums", "-D M=2048 -D N=1024"},
};

void runExample(benchmark::State &state, const std::string &path, Mode mode) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return state.SkipWithError("the kernel was not compiled");
  auto contract = target::Contract::fromObject((*buffer)->getMemBufferRef());
  if (!contract)
    return state.SkipWithError(llvm::toString(contract.takeError()).c_str());
  std::vector<LaunchArgument> arguments(contract->arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const target::Argument &declared = contract->arguments[i];
    auto span = spannedElements(declared, {});
    if (declared.isPointer() && span) {
      arguments[i].array = Array(*parseDType(declared.dtype), {*span});
      // Small numbers of f16.
      for (size_t at = 1; at < arguments[i].array.bytes.size(); at += 2)
        arguments[i].array.bytes[at] = uint8_t(0x30 + at / 2 % 8);
    }
  }
  sim::SimulatorOptions &options = sim::simulatorOptions();
  options = sim::SimulatorOptions();
  setMode(options, mode);
  double instructions = 0, flops = 0, seconds = 0;
  for (auto _ : state) {
    double start = cpuSeconds();
    auto report = launch(sim::simulatorHip(), (*buffer)->getBuffer(), *contract,
                         arguments);
    if (!report)
      return state.SkipWithError(llvm::toString(report.takeError()).c_str());
    seconds += cpuSeconds() - start;
    const sim::LaunchResult &result = sim::lastLaunch();
    instructions += double(result.instructions);
    flops += double(result.matrixFlops);
  }
  counters(state, sim::lastLaunch(), instructions, flops, seconds);
}

} // namespace

int main(int argc, char **argv) {
  fs::create_directories(folder());
  std::vector<uint8_t> image = assembleLoops();
  const char *other = std::getenv("TLC"); // another compiler than this build's
  std::string compiler = other ? other : TLC_PROGRAM;
  bool compiled = true;
  auto objectOf = [](const Example &example) {
    return (folder() / (std::string(example.name) + ".hsaco")).string();
  };
  for (const Example &example : examples) {
    std::string command = compiler + " compile " TLC_EXAMPLES "/" +
                          example.file + ".tile " + example.parameters +
                          " -o " + objectOf(example);
    compiled &= std::system(command.c_str()) == 0;
  }
  for (Mode mode : {Mode::Plain, Mode::Checked, Mode::Timed}) {
    std::string suffix = mode == Mode::Checked ? "/checked"
                         : mode == Mode::Timed ? "/timed"
                                               : "";
    for (const LoopKernel &loop : loops)
      benchmark::RegisterBenchmark(
          ("simulate/" + std::string(loop.name) + suffix).c_str(),
          [&image, &loop, mode](benchmark::State &state) {
            runLoop(state, image, loop, mode);
          })
          ->Unit(benchmark::kMillisecond);
    for (const Example &example : examples)
      benchmark::RegisterBenchmark(
          ("simulate/" + std::string(example.name) + suffix).c_str(),
          [path = objectOf(example), mode](benchmark::State &state) {
            runExample(state, path, mode);
          })
          ->Unit(benchmark::kMillisecond);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  fs::remove_all(folder());
  return image.empty() || !compiled;
}
