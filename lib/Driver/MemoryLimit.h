//===- MemoryLimit.h - How much memory a run may take -----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors of several GB are refused before they are made, by an estimate: a
// process that the system ends for its memory says nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DRIVER_MEMORYLIMIT_H
#define TLC_LIB_DRIVER_MEMORYLIMIT_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace tlc {

/// Bytes that the system can still give to this process.
uint64_t availableMemory();

/// "512M", "1.5G" or a number of bytes; K, M, G and T are powers of 1024.
std::optional<uint64_t> parseSize(llvm::StringRef text);

/// "1.5 GiB".
std::string sizeString(double bytes);

} // namespace tlc

#endif // TLC_LIB_DRIVER_MEMORYLIMIT_H
