//===- KernelInfo.cpp - Kernels of a code object --------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The metadata half of the reader. A kernel is a dynamic symbol "NAME.kd" of 64
// bytes, the descriptor; metadata adds arguments and limits where the object
// has any. Hand-written objects often leave descriptor fields at 0 that the
// metadata gives, so the larger of both counts.
//
// Every kernel found is checked against what gfx942 has, so that the executor
// need not look again: LDS, scratch, registers and an entry within an
// executable segment.
//
//===----------------------------------------------------------------------===//

#include "ElfImage.h"
#include "tlc/Simulator/Memory/MessagePack.h"

#include "llvm/BinaryFormat/ELF.h"

#include <fmt/format.h>

#include <algorithm>

using namespace tlc::sim;

namespace {

constexpr uint64_t descriptorBytes = 64;
// Far above any real kernel's; a bound against damaged files.
constexpr uint32_t maxKernargBytes = 1 << 16;
constexpr uint32_t maxLdsBytes = 65536;
/// Scratch of a lane: a wavefront has at most 8191 times 1 KiB.
constexpr uint32_t maxScratchBytes = 131072;

/// Adds kernels to the object. Each step returns false with the reason in
/// `error`.
class KernelReader {
public:
  KernelReader(CodeObject &object, std::string &error)
      : object(object), error(error), image(object) {}

  bool descriptors();
  bool metadata(std::span<const uint8_t> note);

private:
  template <typename... Args>
  bool fail(fmt::format_string<Args...> text, Args &&...args) {
    error = fmt::format(text, std::forward<Args>(args)...);
    return false;
  }

  bool descriptor(const ObjectSymbol &symbol);
  bool kernel(const PackValue &entry);
  bool argument(const PackValue &entry, KernelInfo &kernel);
  bool number(const PackValue &map, const char *key, uint32_t &out);
  static void text(const PackValue &map, const char *key, std::string &out);

  CodeObject &object;
  std::string &error;
  ElfImage image;
};

/// A little-endian field of the descriptor; the host is little-endian too.
template <typename T> T field(const uint8_t *bytes, unsigned offset) {
  T value;
  std::memcpy(&value, bytes + offset, sizeof(T));
  return value;
}

/// The 64 bytes of a kernel descriptor ("Kernel Descriptor" of LLVM's
/// AMDGPUUsage). Refuses what gfx942 cannot run: too much LDS or scratch,
/// registers that contradict one another, an entry outside the code.
bool KernelReader::descriptor(const ObjectSymbol &symbol) {
  uint8_t raw[descriptorBytes];
  if (!image.readMemory(symbol.value, raw))
    return fail("kernel descriptor '{}' lies outside the segments",
                symbol.name);
  KernelInfo kernel;
  kernel.symbol = symbol.name;
  // Without ".kd"; metadata may replace the name.
  kernel.name = symbol.name.substr(0, symbol.name.size() - 3);
  kernel.descriptorAddress = symbol.value;
  KernelDescriptor &d = kernel.descriptor;
  // Offsets by AMDGPUUsage. The bytes between are reserved.
  d.groupSegmentFixedSize = field<uint32_t>(raw, 0);
  d.privateSegmentFixedSize = field<uint32_t>(raw, 4);
  d.kernargSize = field<uint32_t>(raw, 8);
  d.entryOffset = field<int64_t>(raw, 16);
  d.rsrc3 = field<uint32_t>(raw, 44);
  d.rsrc1 = field<uint32_t>(raw, 48);
  d.rsrc2 = field<uint32_t>(raw, 52);
  d.properties = field<uint16_t>(raw, 56);
  d.kernargPreload = field<uint16_t>(raw, 58);
  kernel.kernargSize = d.kernargSize;
  // The entry is given relative to the descriptor and may lie before it.
  kernel.entryAddress = symbol.value + static_cast<uint64_t>(d.entryOffset);

  if (d.groupSegmentFixedSize > maxLdsBytes)
    return fail("kernel '{}': {} bytes of LDS, gfx942 has {}", kernel.name,
                d.groupSegmentFixedSize, maxLdsBytes);
  if (d.privateSegmentFixedSize > maxScratchBytes)
    return fail("kernel '{}': {} bytes of scratch for a lane, gfx942 has {}",
                kernel.name, d.privateSegmentFixedSize, maxScratchBytes);
  if (d.kernargSize > maxKernargBytes)
    return fail("kernel '{}': {} bytes of arguments", kernel.name,
                d.kernargSize);
  // VGPRs and AGPRs share one file of 512; AGPRs begin at the offset.
  if (d.accumOffset() > d.vgprCount())
    return fail("kernel '{}': accumulation registers begin at {}, but it has "
                "only {} registers",
                kernel.name, d.accumOffset(), d.vgprCount());
  // The difference is unsigned: an address below the segment becomes huge.
  bool inCode = false;
  for (const Segment &segment : object.segments)
    inCode |= segment.executable &&
              kernel.entryAddress - segment.address < segment.fileSize;
  if (!inCode || kernel.entryAddress % 4 != 0)
    return fail("kernel '{}': entry {:#x} is not in a code segment",
                kernel.name, kernel.entryAddress);
  object.kernels.push_back(std::move(kernel));
  return true;
}

/// All defined symbols that end in ".kd".
bool KernelReader::descriptors() {
  for (const ObjectSymbol &symbol : object.symbols) {
    bool isDescriptor = symbol.defined && symbol.name.size() > 3 &&
                        symbol.name.ends_with(".kd");
    if (isDescriptor && !descriptor(symbol))
      return false;
  }
  return true;
}

/// A missing key leaves \p out alone; a value of another kind is an error.
bool KernelReader::number(const PackValue &map, const char *key,
                          uint32_t &out) {
  const PackValue *value = map.get(key);
  if (!value)
    return true;
  if (value->kind != PackValue::Int || value->integer < 0 ||
      value->integer > UINT32_MAX)
    return fail("metadata: {} is no 32-bit number", key);
  out = static_cast<uint32_t>(value->integer);
  return true;
}

/// A missing key or a value of another kind leaves \p out as it was.
void KernelReader::text(const PackValue &map, const char *key,
                        std::string &out) {
  const PackValue *value = map.get(key);
  if (value && value->kind == PackValue::String)
    out = value->text;
}

/// One argument; the kernel's argument size grows to hold it.
bool KernelReader::argument(const PackValue &entry, KernelInfo &kernel) {
  KernelArgument argument;
  text(entry, ".name", argument.name);
  text(entry, ".value_kind", argument.valueKind);
  text(entry, ".type_name", argument.typeName);
  if (!number(entry, ".offset", argument.offset) ||
      !number(entry, ".size", argument.size))
    return false;
  // Bounds each, so that their sum cannot wrap.
  if (argument.offset > maxKernargBytes || argument.size > maxKernargBytes)
    return fail("metadata of kernel '{}': argument {} of {} bytes at offset {}",
                kernel.name, kernel.arguments.size(), argument.size,
                argument.offset);
  kernel.kernargSize =
      std::max(kernel.kernargSize, argument.offset + argument.size);
  kernel.arguments.push_back(std::move(argument));
  return true;
}

/// One kernel of the metadata, matched to its descriptor by symbol.
bool KernelReader::kernel(const PackValue &entry) {
  if (entry.kind != PackValue::Map)
    return fail("metadata: a kernel is no map");
  std::string symbol;
  text(entry, ".symbol", symbol);
  auto found = std::find_if(
      object.kernels.begin(), object.kernels.end(),
      [&](const KernelInfo &kernel) { return kernel.symbol == symbol; });
  // Metadata without code is damage, not an option.
  if (found == object.kernels.end())
    return fail("metadata names kernel '{}', which has no descriptor", symbol);
  KernelInfo &kernel = *found;
  kernel.hasMetadata = true;
  text(entry, ".name", kernel.name);

  uint32_t kernargSize = 0, ldsBytes = 0, scratchBytes = 0;
  if (!number(entry, ".kernarg_segment_size", kernargSize) ||
      !number(entry, ".group_segment_fixed_size", ldsBytes) ||
      !number(entry, ".private_segment_fixed_size", scratchBytes) ||
      !number(entry, ".max_flat_workgroup_size", kernel.maxWorkgroupSize) ||
      !number(entry, ".sgpr_count", kernel.sgprCount) ||
      !number(entry, ".vgpr_count", kernel.vgprCount) ||
      !number(entry, ".agpr_count", kernel.agprCount) ||
      !number(entry, ".sgpr_spill_count", kernel.sgprSpills) ||
      !number(entry, ".vgpr_spill_count", kernel.vgprSpills) ||
      !number(entry, ".wavefront_size", kernel.wavefrontSize))
    return false;
  // The descriptor's own fields passed the same bounds.
  if (kernargSize > maxKernargBytes || ldsBytes > maxLdsBytes ||
      scratchBytes > maxScratchBytes)
    return fail("metadata of kernel '{}': {} bytes of arguments, {} of LDS, {} "
                "of scratch",
                kernel.name, kernargSize, ldsBytes, scratchBytes);
  if (kernel.wavefrontSize != 64)
    return fail("kernel '{}' wants wavefronts of {} lanes, gfx942 has 64",
                kernel.name, kernel.wavefrontSize);
  KernelDescriptor &d = kernel.descriptor;
  d.groupSegmentFixedSize = std::max(d.groupSegmentFixedSize, ldsBytes);
  d.privateSegmentFixedSize = std::max(d.privateSegmentFixedSize, scratchBytes);
  kernel.kernargSize = std::max(kernel.kernargSize, kernargSize);
  // Absent in old objects; then a grid may end in a smaller workgroup.
  if (const PackValue *uniform = entry.get(".uniform_work_group_size"))
    kernel.uniformWorkgroups = uniform->integer == 1;
  if (const PackValue *size = entry.get(".reqd_workgroup_size"))
    for (size_t i = 0; i < 3 && i < size->elements.size(); ++i)
      kernel.requiredWorkgroupSize[i] =
          static_cast<uint32_t>(size->elements[i].integer);
  if (const PackValue *arguments = entry.get(".args"))
    for (const PackValue &each : arguments->elements)
      if (!argument(each, kernel))
        return false;
  return true;
}

/// One note: "amdhsa.target" and the list "amdhsa.kernels". A note without
/// kernels is fine.
bool KernelReader::metadata(std::span<const uint8_t> note) {
  PackValue root;
  if (!readMessagePack(note, root, error)) {
    error = "metadata: " + error;
    return false;
  }
  text(root, "amdhsa.target", object.target);
  const PackValue *kernels = root.get("amdhsa.kernels");
  if (!kernels)
    return true;
  for (const PackValue &entry : kernels->elements)
    if (!kernel(entry))
      return false;
  return true;
}

} // namespace

/// Descriptors first, as metadata only adds to them. Sorted by name, so that
/// listings do not depend on the symbol table's order.
bool tlc::sim::readKernels(CodeObject &object,
                           const std::vector<std::span<const uint8_t>> &notes,
                           std::string &error) {
  KernelReader reader(object, error);
  if (!reader.descriptors())
    return false;
  for (std::span<const uint8_t> note : notes)
    if (!reader.metadata(note))
      return false;
  std::sort(
      object.kernels.begin(), object.kernels.end(),
      [](const KernelInfo &a, const KernelInfo &b) { return a.name < b.name; });
  return true;
}
