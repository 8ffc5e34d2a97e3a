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

/// The object's tables, once; false if there are none.
bool SourceLines::read() {
  if (!tables) {
    tables = std::make_unique<Tables>();
    StringRef bytes(reinterpret_cast<const char *>(file.data()), file.size());
    auto object =
        object::ObjectFile::createELFObjectFile(MemoryBufferRef(bytes, ""));
    if (!object) {
      consumeError(object.takeError());
      return false;
    }
    if (!sizesAreSane(**object))
      return false;
    tables->object = std::move(*object);
    // A damaged line table only costs the lines.
    auto ignore = [](Error error) { consumeError(std::move(error)); };
    tables->dwarf = DWARFContext::create(
        *tables->object, DWARFContext::ProcessDebugRelocations::Process,
        nullptr, "", ignore, ignore);
  }
  return tables->dwarf != nullptr;
}

static std::string toText(const DILineInfo &info) {
  std::string text = info.FileName + ":" + std::to_string(info.Line);
  if (info.Column)
    text += ":" + std::to_string(info.Column);
  return text;
}

/// The innermost of the calls that lie in the kernel's own file: what was
/// inlined from another, a header of the language mostly, counts where that
/// calls it.
static unsigned ownFrame(const DIInliningInfo &frames) {
  unsigned last = frames.getNumberOfFrames() - 1, i = 0;
  while (i < last &&
         (frames.getFrame(i).FileName != frames.getFrame(last).FileName ||
          !frames.getFrame(i).Line))
    ++i;
  return i;
}

static const DILineInfoSpecifier
    lineAndFile(DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath);

/// "file:line:column" of an address of the object, or "".
std::string SourceLines::at(uint64_t address) {
  if (!read())
    return "";
  object::SectionedAddress at{address, object::SectionedAddress::UndefSection};
  auto info = tables->dwarf->getLineInfoForAddress(at, lineAndFile);
  if (!info || info->Line == 0)
    return "";
  DIInliningInfo frames =
      tables->dwarf->getInliningInfoForAddress(at, lineAndFile);
  return toText(frames.getNumberOfFrames() > 1
                    ? frames.getFrame(ownFrame(frames))
                    : *info);
}

std::string SourceLines::callOf(uint64_t address) {
  if (!read())
    return "";
  object::SectionedAddress at{address, object::SectionedAddress::UndefSection};
  DIInliningInfo frames =
      tables->dwarf->getInliningInfoForAddress(at, lineAndFile);
  unsigned count = frames.getNumberOfFrames();
  unsigned caller = count ? ownFrame(frames) + 1 : 0;
  return caller < count && frames.getFrame(caller).Line
             ? toText(frames.getFrame(caller))
             : "";
}
