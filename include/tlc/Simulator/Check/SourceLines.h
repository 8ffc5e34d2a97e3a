//===- SourceLines.h - Source lines of a code object ------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the DWARF line table of a code object says of its instructions, if it
// has one. Lookups are rare (reports, listings), so the table is read whole by
// LLVM's reader when first asked.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_SIMULATOR_CHECK_SOURCELINES_H
#define TLC_SIMULATOR_CHECK_SOURCELINES_H

#include "llvm/ADT/ArrayRef.h"
#include <memory>
#include <string>

namespace tlc::sim {

class SourceLines {
public:
  /// \p file is the code object, which must outlive this.
  explicit SourceLines(llvm::ArrayRef<uint8_t> file);
  ~SourceLines();

  /// "file:line", or "file:line:column", of the instruction at a virtual
  /// address of the object; empty if unknown. Not thread safe.
  std::string at(uint64_t address);
  /// The same of the call that what is there was inlined for; empty if it was
  /// not.
  std::string callOf(uint64_t address);

private:
  struct Tables;
  bool read();
  llvm::ArrayRef<uint8_t> file;
  std::unique_ptr<Tables> tables;
};

} // namespace tlc::sim

#endif // TLC_SIMULATOR_CHECK_SOURCELINES_H
