//===- KernelArguments.cpp - Kernarg segment and first registers ----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// User SGPRs come in the fixed order of the ABI, each only if the descriptor
// asks for it, then preloaded arguments, then the workgroup's id. Work-item ids
// are packed into v0, ten bits each. gfx942 sets up scratch by itself.
//
//===----------------------------------------------------------------------===//

#include "KernelArguments.h"

#include <algorithm>
#include <cstring>

using namespace tlc::sim;

namespace {

constexpr uint64_t packetBytes = 64, queueBytes = 256, gridBytes = 64;

// Bits of the descriptor's kernel_code_properties.
constexpr unsigned privateSegmentBuffer = 0, dispatchPtr = 1, queuePtr = 2,
                   kernargPtr = 3, dispatchId = 4, flatScratchInit = 5,
                   privateSegmentSize = 6;

template <typename T> void store(uint64_t base, unsigned offset, T value) {
  std::memcpy(reinterpret_cast<void *>(base + offset), &value, sizeof(T));
}

// Work-items along d, which need not be a multiple of the block.
uint32_t itemsOf(const LaunchRequest &request, unsigned d) {
  return request.items[d] ? request.items[d]
                          : request.grid[d] * request.block[d];
}

/// Value of a hidden argument; those of services that do not exist here (host
/// calls, heaps, printf) stay null.
bool hiddenValue(const std::string &kind, const LaunchRequest &request,
                 uint64_t queue, uint64_t grid, uint64_t &value) {
  struct PerDimension {
    const char *name;
    uint64_t values[3];
  };
  uint64_t full[3], rest[3];
  for (unsigned d = 0; d < 3; ++d) {
    full[d] = itemsOf(request, d) / request.block[d];
    rest[d] = itemsOf(request, d) % request.block[d];
  }
  // Names end in x, y or z.
  const uint32_t *b = request.block;
  const PerDimension perDimension[] = {
      {"hidden_block_count_", {full[0], full[1], full[2]}},
      {"hidden_group_size_", {b[0], b[1], b[2]}},
      {"hidden_remainder_", {rest[0], rest[1], rest[2]}},
      {"hidden_global_offset_", {0, 0, 0}},
  };
  for (const PerDimension &entry : perDimension)
    if (kind.starts_with(entry.name)) {
      value = entry.values[(kind.back() - 'x') % 3u];
      return true;
    }
  if (kind == "hidden_grid_dims") {
    value = itemsOf(request, 2) > 1 ? 3 : itemsOf(request, 1) > 1 ? 2 : 1;
    return true;
  }
  if (kind == "hidden_dynamic_lds_size") {
    value = request.dynamicLds;
    return true;
  }
  if (kind == "hidden_private_base" || kind == "hidden_shared_base") {
    value =
        (kind == "hidden_private_base" ? privateAperture : sharedAperture) >>
        32;
    return true;
  }
  if (kind == "hidden_multigrid_sync_arg") {
    // Not null where the grid may be synchronised. Device libraries of ROCm 6
    // and later count workgroups there, older ones use global wave sync.
    value = request.cooperative ? grid : 0;
    return true;
  }
  if (kind == "hidden_queue_ptr") {
    value = queue;
    return true;
  }
  return false;
}

} // namespace

/// Lays out dispatch packet, queue and arguments in one allocation: `valid()`
/// is false if there is no room for it.
KernelArguments::KernelArguments(const LaunchRequest &request,
                                 DeviceMemory &memory)
    : memory(memory) {
  const KernelInfo &kernel = *request.kernel;
  uint64_t bytes =
      std::max<uint64_t>(kernel.kernargSize, request.arguments.size());
  // Compilers load arguments in blocks of up to 64 bytes.
  bytes = (bytes + 63) / 64 * 64 + 64;
  const Allocation *memoryOf =
      memory.allocate(packetBytes + queueBytes + gridBytes + bytes,
                      AllocationKind::Kernarg, "arguments of the kernel");
  if (!memoryOf)
    return;
  base = memoryOf->base;
  packet = base;
  queue = packet + packetBytes;
  uint64_t grid = queue + queueBytes;
  arguments = grid + gridBytes;
  std::memcpy(reinterpret_cast<void *>(arguments), request.arguments.data(),
              request.arguments.size());
  // Hidden arguments are described by the metadata, after the ones that the
  // launch gives.
  for (const KernelArgument &argument : kernel.arguments) {
    uint64_t value;
    if (argument.hidden() && argument.size <= 8 &&
        hiddenValue(argument.valueKind, request, queue, grid, value))
      std::memcpy(reinterpret_cast<void *>(arguments + argument.offset), &value,
                  argument.size);
  }

  // The AQL dispatch packet, as far as kernels read it
  // (hsa_kernel_dispatch_packet_t).
  const KernelDescriptor &d = kernel.descriptor;
  unsigned dimensions = itemsOf(request, 2) > 1   ? 3
                        : itemsOf(request, 1) > 1 ? 2
                                                  : 1;
  store<uint16_t>(packet, 2, dimensions);
  for (unsigned i = 0; i < 3; ++i) {
    store<uint16_t>(packet, 4 + 2 * i, request.block[i]);
    store<uint32_t>(packet, 12 + 4 * i, itemsOf(request, i));
  }
  store<uint32_t>(packet, 24, d.privateSegmentFixedSize);
  store<uint32_t>(packet, 28, d.groupSegmentFixedSize + request.dynamicLds);
  store<uint64_t>(packet, 32,
                  request.object->deviceAddress(kernel.descriptorAddress));
  store<uint64_t>(packet, 40, arguments);
  // amd_queue_t: the apertures' upper halves.
  store<uint32_t>(queue, 0x40, sharedAperture >> 32);
  store<uint32_t>(queue, 0x44, privateAperture >> 32);
  // The device library's mg_info: the barrier's counter (at 32) starts at 0.
  store<uint32_t>(grid, 40,
                  request.grid[0] * request.grid[1] * request.grid[2]);
}

/// Freed with the launch.
KernelArguments::~KernelArguments() {
  if (base)
    memory.release(base);
}

/// In the order of the ABI ("Initial Kernel Execution State" of LLVM's
/// AMDGPUUsage): user SGPRs as far as the descriptor enables each, preloaded
/// arguments, workgroup ids, then v0 and EXEC.
void KernelArguments::initialise(Wave &wave,
                                 const LaunchRequest &request) const {
  const KernelInfo &kernel = *request.kernel;
  const KernelDescriptor &d = kernel.descriptor;
  unsigned next = 0;
  auto has = [&](unsigned bit) { return d.properties >> bit & 1; };
  auto pair = [&](uint64_t value) {
    wave.setPair(next, value);
    next += 2;
  };
  // Four SGPRs that gfx942 kernels do not read.
  if (has(privateSegmentBuffer))
    next += 4;
  if (has(dispatchPtr))
    pair(packet);
  if (has(queuePtr))
    pair(queue);
  if (has(kernargPtr))
    pair(arguments);
  if (has(dispatchId))
    pair(0);
  if (has(flatScratchInit))
    pair(0);
  if (has(privateSegmentSize))
    wave.sgpr[next++] = d.privateSegmentFixedSize;
  // Preloading copies the first dwords of the arguments into SGPRs behind the
  // user ones.
  unsigned length = std::min<unsigned>(d.preloadLength(), 16);
  for (unsigned i = 0; i < length; ++i)
    std::memcpy(
        &wave.sgpr[next + i],
        reinterpret_cast<const void *>(arguments + 4 * (d.preloadOffset() + i)),
        4);
  // The workgroup's id follows the user SGPRs, whose number the descriptor
  // tells.
  next = d.userSgprCount();
  const uint32_t *id = wave.group->id;
  for (unsigned i = 0; i < 3; ++i)
    if (d.rsrc2 >> (7 + i) & 1)
      wave.sgpr[next++] = id[i];
  // Workgroup info: nothing that compute code reads.
  if (d.rsrc2 >> 10 & 1)
    wave.sgpr[next++] = 0;

  // v0 packs the work-item's x, y and z, ten bits each; EXEC has a bit for each
  // item that exists.
  uint32_t size[3];
  workgroupSize(request, id, size);
  uint64_t items = uint64_t(size[0]) * size[1] * size[2];
  uint64_t first = uint64_t(wave.number) * waveLanes;
  uint64_t active = 0;
  for (unsigned l = 0; l < waveLanes; ++l) {
    uint64_t item = first + l;
    if (item < items)
      active |= uint64_t(1) << l;
    uint32_t x = item % size[0], y = item / size[0] % size[1],
             z = item / (uint64_t(size[0]) * size[1]);
    wave.vgpr[l] = x | y << 10 | z << 20;
  }
  wave.setPair(ScalarReg::ExecLo, active);
  // MODE: FP_ROUND and FP_DENORM in bits 7:0, DX10_CLAMP 8, IEEE 9, FP16_OVFL
  // 23.
  wave.mode = d.floatMode() | (d.dx10Clamp() ? 1u << 8 : 0) |
              (d.ieeeMode() ? 1u << 9 : 0) | (d.rsrc1 >> 26 & 1) << 23;
  wave.dx10Clamp = d.dx10Clamp();
  wave.ieee = d.ieeeMode();
}

/// The workgroup's extent in each dimension: the block, or what is left of the
/// grid at its edge.
void tlc::sim::workgroupSize(const LaunchRequest &request, const uint32_t id[3],
                             uint32_t size[3]) {
  for (unsigned d = 0; d < 3; ++d) {
    uint64_t begin = uint64_t(id[d]) * request.block[d];
    size[d] = static_cast<uint32_t>(
        std::min<uint64_t>(request.block[d], itemsOf(request, d) - begin));
  }
}

void tlc::sim::workgroupId(const LaunchRequest &request, uint64_t linearId,
                           uint32_t id[3]) {
  id[0] = linearId % request.grid[0];
  id[1] = linearId / request.grid[0] % request.grid[1];
  id[2] = linearId / (uint64_t(request.grid[0]) * request.grid[1]);
}

unsigned tlc::sim::wavesOf(const LaunchRequest &request, uint64_t linearId) {
  uint32_t id[3], size[3];
  workgroupId(request, linearId, id);
  workgroupSize(request, id, size);
  uint64_t items = uint64_t(size[0]) * size[1] * size[2];
  return unsigned((items + waveLanes - 1) / waveLanes);
}
