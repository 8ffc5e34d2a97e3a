//===- CodeObject.h - An AMDGPU code object, parsed -------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads an ELF shared object for amdgcn-amd-amdhsa, gfx942, code object version
// 4, 5 or 6: segments, dynamic symbols, relocations, kernel descriptors and the
// MessagePack metadata. Nothing in the file is trusted: every offset, size and
// count is checked, and the first thing wrong ends in one line that says what
// and where.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_SIMULATOR_MEMORY_CODEOBJECT_H
#define TLC_SIMULATOR_MEMORY_CODEOBJECT_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace tlc::sim {

/// The 64-byte kernel descriptor, fields as the AMDGPU ABI names them.
struct KernelDescriptor {
  uint32_t groupSegmentFixedSize = 0;   ///< static LDS, bytes
  uint32_t privateSegmentFixedSize = 0; ///< scratch per lane, bytes
  uint32_t kernargSize = 0;             ///< bytes; hand-written code leaves 0
  int64_t entryOffset = 0;              ///< from the descriptor to the code
  uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0;
  uint16_t properties = 0;     ///< which user SGPRs are set up
  uint16_t kernargPreload = 0; ///< dwords and their offset

  /// Architectural VGPRs come first, then, from this register on, the
  /// accumulation registers.
  unsigned accumOffset() const { return ((rsrc3 & 0x3f) + 1) * 4; }
  /// VGPRs of both kinds, in granules of 8.
  unsigned vgprCount() const { return ((rsrc1 & 0x3f) + 1) * 8; }
  unsigned floatMode() const { return rsrc1 >> 12 & 0xff; }
  bool dx10Clamp() const { return rsrc1 >> 21 & 1; }
  bool ieeeMode() const { return rsrc1 >> 23 & 1; }
  unsigned userSgprCount() const { return rsrc2 >> 1 & 0x1f; }
  /// Recursion or calls of unknown functions: the fixed size is a minimum.
  bool usesDynamicStack() const { return properties >> 11 & 1; }
  unsigned preloadLength() const { return kernargPreload & 0x7f; }
  unsigned preloadOffset() const { return kernargPreload >> 7; }
};

/// One argument of a kernel, from the metadata.
struct KernelArgument {
  std::string name;      ///< may be empty
  std::string valueKind; ///< "by_value", "global_buffer", "hidden_..."
  std::string typeName;  ///< may be empty
  uint32_t offset = 0;   ///< bytes from the start of the kernarg segment
  uint32_t size = 0;     ///< bytes

  bool hidden() const { return valueKind.rfind("hidden_", 0) == 0; }
};

struct KernelInfo {
  std::string name;               ///< as hipModuleGetFunction takes it
  std::string symbol;             ///< the descriptor's, "<name>.kd"
  uint64_t descriptorAddress = 0; ///< virtual address in the object
  uint64_t entryAddress = 0;      ///< virtual address in the object
  KernelDescriptor descriptor;
  bool hasMetadata = false;
  std::vector<KernelArgument> arguments; ///< with the hidden ones
  uint32_t kernargSize = 0; ///< bytes, the larger of descriptor and metadata
  uint32_t maxWorkgroupSize = 1024;
  uint32_t requiredWorkgroupSize[3] = {0, 0, 0}; ///< 0: any
  uint32_t sgprCount = 0, vgprCount = 0, agprCount = 0;
  uint32_t sgprSpills = 0, vgprSpills = 0;
  uint32_t wavefrontSize = 64;
  bool uniformWorkgroups = false;
};

/// A symbol of the dynamic table.
struct ObjectSymbol {
  std::string name;
  uint64_t value = 0, size = 0;
  uint8_t type = 0;
  bool defined = false;
};

struct Segment {
  uint64_t address = 0;    ///< virtual address
  uint64_t fileOffset = 0; ///< into `CodeObject::bytes`
  uint64_t fileSize = 0, memorySize = 0;
  bool executable = false;
};

struct Relocation {
  uint64_t offset = 0; ///< virtual address patched
  uint32_t type = 0;
  uint32_t symbol = 0; ///< index into `symbols`
  int64_t addend = 0;
};

struct CodeObject {
  std::vector<uint8_t> bytes;               ///< the whole file
  unsigned version = 5;                     ///< 4, 5 or 6
  uint32_t flags = 0;                       ///< e_flags
  uint64_t lowAddress = 0, highAddress = 0; ///< span of the segments
  std::vector<Segment> segments;
  std::vector<ObjectSymbol> symbols;
  std::vector<Relocation> relocations;
  std::vector<KernelInfo> kernels; ///< by name
  std::string target;              ///< of the metadata, may be empty

  const KernelInfo *findKernel(const std::string &name) const;

  /// Parses `file`. On failure returns false and sets `error` to one line
  /// without the file's name.
  static bool parse(std::span<const uint8_t> file, CodeObject &object,
                    std::string &error);

  /// The size of the ELF file that begins at `image`, from its headers. The
  /// caller vouches that as many bytes are there. 0 if this is no ELF file.
  static uint64_t imageSize(const void *image);

  /// Copies the segments to `memory`, which stands for virtual addresses
  /// lowAddress to highAddress and reads as zero, and applies the relocations
  /// for a load at device address `loadAddress` (of lowAddress).
  bool load(uint8_t *memory, uint64_t loadAddress, std::string &error) const;
};

} // namespace tlc::sim

#endif // TLC_SIMULATOR_MEMORY_CODEOBJECT_H
