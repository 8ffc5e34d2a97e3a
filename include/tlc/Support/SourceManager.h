//===- SourceManager.h - Source texts and places in them --------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All source texts of one compilation share one address space of 32-bit
// offsets, so that a place is one number and a range is two. Offset 0 is "no
// place". Texts are owned here and never move.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_SUPPORT_SOURCEMANAGER_H
#define TLC_SUPPORT_SOURCEMANAGER_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tlc {

/// A place in some source text; invalid when default constructed.
struct SourceLoc {
  uint32_t raw = 0;
  bool isValid() const { return raw != 0; }
  SourceLoc advanced(uint32_t bytes) const { return {raw + bytes}; }
  bool operator==(const SourceLoc &) const = default;
};

/// Half-open range of bytes of one source text.
struct SourceRange {
  SourceLoc begin, end;
  bool isValid() const { return begin.isValid(); }
};

class SourceManager {
public:
  /// Line and column count from 1; columns are bytes.
  struct Position {
    llvm::StringRef file;
    unsigned line = 0, column = 0;
  };
  struct Buffer {
    std::string name, text;
    uint32_t base = 0; ///< raw offset of text[0]
    std::vector<uint32_t> lineStarts;
    SourceLoc loc(size_t offset) const { return {uint32_t(base + offset)}; }
  };

  /// Takes a text under a name (a path, or "<stdin>").
  const Buffer &addBuffer(std::string name, std::string text);

  /// Reads a file. Null on failure, with the reason in `error`.
  const Buffer *openFile(llvm::StringRef path, std::string &error);

  const Buffer *bufferOf(SourceLoc loc) const;
  Position position(SourceLoc loc) const;

  /// The line (from 1) of a buffer without its end-of-line.
  static llvm::StringRef lineText(const Buffer &buffer, unsigned line);

  /// The place of a line and column, for locations that MLIR carries; invalid
  /// if no such file is loaded or it has no such line.
  SourceLoc find(llvm::StringRef file, unsigned line, unsigned column) const;

private:
  std::vector<std::unique_ptr<Buffer>> buffers;
};

} // namespace tlc

#endif // TLC_SUPPORT_SOURCEMANAGER_H
