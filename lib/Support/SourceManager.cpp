//===- SourceManager.cpp - Source texts and places in them ----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Texts, and places in them as one 32-bit number: the texts lie behind each
// other in a space of their own, 0 being no place.
//
//===----------------------------------------------------------------------===//

#include "tlc/Support/SourceManager.h"
#include "tlc/Support/Files.h"
#include <algorithm>

using namespace tlc;

/// Texts are kept until the end: tokens, trees and messages point into them.
const SourceManager::Buffer &SourceManager::addBuffer(std::string name,
                                                      std::string text) {
  auto buffer = std::make_unique<Buffer>();
  buffer->name = std::move(name);
  buffer->text = std::move(text);
  // One byte apart: the end of a text is a place of its own.
  buffer->base =
      buffers.empty()
          ? 1
          : buffers.back()->base + uint32_t(buffers.back()->text.size()) + 1;
  buffer->lineStarts.push_back(0);
  for (size_t i = 0; i < buffer->text.size(); ++i)
    // A lone carriage return ends a line too.
    if (buffer->text[i] == '\n' ||
        (buffer->text[i] == '\r' &&
         (i + 1 == buffer->text.size() || buffer->text[i + 1] != '\n')))
      buffer->lineStarts.push_back(uint32_t(i + 1));
  buffers.push_back(std::move(buffer));
  return *buffers.back();
}

/// A file or standard input, at most 64 MiB; null with `error` set otherwise.
const SourceManager::Buffer *SourceManager::openFile(llvm::StringRef path,
                                                     std::string &error) {
  constexpr uint64_t limit = 64u << 20;
  auto file = readFile(path, error, limit);
  if (!file)
    return nullptr;
  if (file->getBufferSize() > limit) {
    error = "cannot read '" + path.str() + "': has more than 64 MiB";
    return nullptr;
  }
  return &addBuffer(path == "-" ? "<stdin>" : path.str(),
                    file->getBuffer().str());
}

const SourceManager::Buffer *SourceManager::bufferOf(SourceLoc loc) const {
  for (auto &buffer : buffers)
    if (loc.raw >= buffer->base &&
        loc.raw <= buffer->base + buffer->text.size())
      return buffer.get();
  return nullptr;
}

/// Line and column from 1, by binary search; line 0 for no place. Columns count
/// bytes.
SourceManager::Position SourceManager::position(SourceLoc loc) const {
  const Buffer *buffer = loc.isValid() ? bufferOf(loc) : nullptr;
  if (!buffer)
    return {};
  uint32_t offset = loc.raw - buffer->base;
  auto next = std::upper_bound(buffer->lineStarts.begin(),
                               buffer->lineStarts.end(), offset);
  unsigned line = unsigned(next - buffer->lineStarts.begin());
  return {buffer->name, line, offset - buffer->lineStarts[line - 1] + 1};
}

llvm::StringRef SourceManager::lineText(const Buffer &buffer, unsigned line) {
  if (line == 0 || line > buffer.lineStarts.size())
    return {};
  llvm::StringRef text(buffer.text);
  text = text.drop_front(buffer.lineStarts[line - 1]);
  return text.take_until([](char c) { return c == '\n' || c == '\r'; });
}

/// The place of a line and column of a loaded file, for locations that come
/// back from MLIR; invalid if the file is not loaded.
SourceLoc SourceManager::find(llvm::StringRef file, unsigned line,
                              unsigned column) const {
  for (auto &buffer : buffers) {
    if (buffer->name != file || line == 0 || line > buffer->lineStarts.size())
      continue;
    uint32_t offset = buffer->lineStarts[line - 1] + (column ? column - 1 : 0);
    return buffer->loc(std::min<size_t>(offset, buffer->text.size()));
  }
  return {};
}
