//===- Resources.cpp - What the kernels of a code object use --------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the note NT_AMDGPU_METADATA, a MessagePack document (AMDGPUUsage, "Code
// Object V5 Metadata").
//
//   amdhsa.kernels: [{.name: main_kernel, .vgpr_count: 128, ...}]
//   ->  KernelResources, one for each kernel, in the note's order
//
//===----------------------------------------------------------------------===//

#include "tlc/Target/AMDGPU.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tlc::target {

/// 512 registers a SIMD lane in granules of 8, 8 slots, 64 KiB of LDS a CU of 4
/// SIMDs.
unsigned KernelResources::wavesPerSimd() const {
  constexpr unsigned kRegisters = 512, kGranule = 8, kSlots = 8;
  constexpr unsigned kLds = 65536, kSimds = 4;
  unsigned total = std::max(1u, vgprs); // the metadata's count includes AGPRs
  unsigned byRegisters =
      std::min<unsigned>(kSlots, kRegisters / alignTo(total, kGranule));
  unsigned waves = divideCeil(std::max(threads, 1u), 64u);
  if (ldsBytes == 0)
    return byRegisters;
  unsigned groups = kLds / ldsBytes;
  return std::min<unsigned>(byRegisters, divideCeil(groups * waves, kSimds));
}

/// 0 where the key is missing, which for all of these means none.
static unsigned getUnsigned(msgpack::MapDocNode map, StringRef key) {
  auto it = map.find(key);
  return it != map.end() && it->second.getKind() == msgpack::Type::UInt
             ? it->second.getUInt()
             : 0;
}

/// Appends the kernels of one note.
static Error readDocument(StringRef blob,
                          std::vector<KernelResources> &result) {
  auto bad = [] {
    return createStringError(inconvertibleErrorCode(),
                             "malformed AMDGPU metadata");
  };
  msgpack::Document document;
  if (!document.readFromBlob(blob, /*Multi=*/false) ||
      !document.getRoot().isMap())
    return bad();
  msgpack::DocNode kernels = document.getRoot().getMap()["amdhsa.kernels"];
  if (!kernels.isArray())
    return bad();
  for (msgpack::DocNode node : kernels.getArray()) {
    if (!node.isMap())
      return bad();
    msgpack::MapDocNode map = node.getMap();
    KernelResources k;
    if (auto it = map.find(".name"); it != map.end() && it->second.isString())
      k.name = it->second.getString().str();
    k.vgprs = getUnsigned(map, ".vgpr_count");
    k.agprs = getUnsigned(map, ".agpr_count");
    k.sgprs = getUnsigned(map, ".sgpr_count");
    k.vgprSpills = getUnsigned(map, ".vgpr_spill_count");
    k.sgprSpills = getUnsigned(map, ".sgpr_spill_count");
    k.scratchBytes = getUnsigned(map, ".private_segment_fixed_size");
    k.ldsBytes = getUnsigned(map, ".group_segment_fixed_size");
    k.threads = getUnsigned(map, ".max_flat_workgroup_size");
    result.push_back(std::move(k));
  }
  return Error::success();
}

/// Of any ELF file for AMDGPU, also an unlinked object; no kernels if it has no
/// such note.
Expected<std::vector<KernelResources>> readResources(StringRef object) {
  Expected<std::unique_ptr<object::ObjectFile>> file =
      object::ObjectFile::createELFObjectFile(
          MemoryBufferRef(object, "code object"));
  if (!file)
    return file.takeError();
  auto *elf = dyn_cast<object::ELF64LEObjectFile>(file->get());
  if (!elf)
    return createStringError(inconvertibleErrorCode(),
                             "not a 64-bit little-endian ELF file");
  std::vector<KernelResources> result;
  const object::ELF64LEFile &raw = elf->getELFFile();
  auto sections = raw.sections();
  if (!sections)
    return sections.takeError();
  for (const auto &section : *sections) {
    if (section.sh_type != ELF::SHT_NOTE)
      continue;
    // notes() sets it when the iteration ends early.
    Error error = Error::success();
    for (const auto &note : raw.notes(section, error)) {
      if (note.getName() != "AMDGPU" ||
          note.getType() != ELF::NT_AMDGPU_METADATA)
        continue;
      if (Error e = readDocument(note.getDescAsStringRef(section.sh_addralign),
                                 result)) {
        consumeError(std::move(error));
        return std::move(e);
      }
    }
    if (error)
      return std::move(error);
  }
  return result;
}

} // namespace tlc::target
