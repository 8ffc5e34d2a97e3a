//===- Files.h - Reading and writing whole files ----------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files as the command line names them: `-` is standard input or output, and a
// name may turn out to be a folder, a device that never ends, or one that is
// full. Errors name the file.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_SUPPORT_FILES_H
#define TLC_SUPPORT_FILES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>

namespace tlc {

/// A file's bytes; null with `error` set otherwise. `-` is standard input. Of
/// what is no regular file (a pipe, a device) at most `limit` bytes are taken.
std::unique_ptr<llvm::MemoryBuffer>
readFile(llvm::StringRef path, std::string &error, uint64_t limit = 1ull << 32);

/// Writes a file whole or not at all: into a temporary beside it, then renamed.
/// Standard output for "-". False on failure, with the reason in `error`.
bool writeFileAtomically(llvm::StringRef path, llvm::StringRef contents,
                         std::string &error);

/// Whether writeFileAtomically could begin, for results that take long to make.
/// False with the reason in `error`.
bool canWriteFile(llvm::StringRef path, std::string &error);

/// Whether two names are one file, be it there or not.
bool isSameFile(llvm::StringRef a, llvm::StringRef b);

} // namespace tlc

#endif // TLC_SUPPORT_FILES_H
