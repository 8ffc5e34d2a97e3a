//===- SourceLines.cpp - Source lines of a code object ----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lines come from the object's DWARF by LLVM's reader, which is made at the
// first question. Damaged or missing tables cost the line, never the launch.
//
//===----------------------------------------------------------------------===//

#include "tlc/Simulator/Check/SourceLines.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstring>

using namespace llvm;
using namespace tlc::sim;

struct SourceLines::Tables {
  std::unique_ptr<object::ObjectFile> object;
  std::unique_ptr<DWARFContext> dwarf;
};

/// A damaged header may claim any size for what a compressed section holds, and
/// the reader would ask for so much memory.
static bool sizesAreSane(const object::ObjectFile &object) {
  constexpr uint64_t most = uint64_t(64) << 20;
  for (const object::SectionRef &section : object.sections()) {
    if (!section.isCompressed())
      continue;
    Expected<StringRef> contents = section.getContents();
    if (!contents) {
      consumeError(contents.takeError());
      return false;
    }
    // ELF64: type, reserved, size.
    uint64_t size = ~uint64_t(0);
    if (contents->size() >= 16)
      std::memcpy(&size, contents->data() + 8, sizeof(size));
    if (size > most)
      return false;
  }
  return true;
}

SourceLines::SourceLines(ArrayRef<uint8_t> file) : file(file) {}
SourceLines::~SourceLines() = default;

/// "file:line:column" of an address of the object, or "".
std::string SourceLines::at(uint64_t address) {
  if (!tables) {
    tables = std::make_unique<Tables>();
    StringRef bytes(reinterpret_cast<const char *>(file.data()), file.size());
    auto object =
        object::ObjectFile::createELFObjectFile(MemoryBufferRef(bytes, ""));
    if (!object) {
      consumeError(object.takeError());
      return "";
    }
    if (!sizesAreSane(**object))
      return "";
    tables->object = std::move(*object);
    // A damaged line table only costs the lines.
    auto ignore = [](Error error) { consumeError(std::move(error)); };
    tables->dwarf = DWARFContext::create(
        *tables->object, DWARFContext::ProcessDebugRelocations::Process,
        nullptr, "", ignore, ignore);
  }
  if (!tables->dwarf)
    return "";
  DILineInfoSpecifier how(
      DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath);
  object::SectionedAddress at{address, object::SectionedAddress::UndefSection};
  auto info = tables->dwarf->getLineInfoForAddress(at, how);
  if (!info || info->Line == 0)
    return "";
  // What was inlined from another file, a header of the language mostly, counts
  // where the kernel's file calls it.
  DIInliningInfo frames = tables->dwarf->getInliningInfoForAddress(at, how);
  if (unsigned count = frames.getNumberOfFrames(); count > 1) {
    const std::string &file = frames.getFrame(count - 1).FileName;
    for (unsigned i = 0; i < count; ++i)
      if (frames.getFrame(i).FileName == file && frames.getFrame(i).Line) {
        *info = frames.getFrame(i);
        break;
      }
  }
  std::string text = info->FileName + ":" + std::to_string(info->Line);
  if (info->Column)
    text += ":" + std::to_string(info->Column);
  return text;
}
