//===- SourceLines.cpp - Source lines of a code object ----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tlc/Simulator/Check/SourceLines.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace tlc::sim;

struct SourceLines::Tables {
  std::unique_ptr<object::ObjectFile> object;
  std::unique_ptr<DWARFContext> dwarf;
};

SourceLines::SourceLines(ArrayRef<uint8_t> file) : file(file) {}
SourceLines::~SourceLines() = default;

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
  auto info = tables->dwarf->getLineInfoForAddress(
      {address, object::SectionedAddress::UndefSection}, how);
  if (!info || info->Line == 0)
    return "";
  std::string text = info->FileName + ":" + std::to_string(info->Line);
  if (info->Column)
    text += ":" + std::to_string(info->Column);
  return text;
}
