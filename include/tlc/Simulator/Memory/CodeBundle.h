//===- CodeBundle.h - Offload bundles ---------------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs and compilers hand over code objects bare, or several of them in
// clang's offload bundle, which may be compressed.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_SIMULATOR_MEMORY_CODEBUNDLE_H
#define TLC_SIMULATOR_MEMORY_CODEBUNDLE_H

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tlc::sim {

/// Size of an image whose end only its own headers tell.
inline constexpr uint64_t unknownSize = uint64_t(1) << 62;

/// The bytes of the code object for gfx942 in `image`: a code object itself, or
/// an entry of an offload bundle; `storage` keeps what had to be decompressed.
/// Empty, with `error` set to one line, if there is none.
std::span<const uint8_t> selectCodeObject(const void *image, uint64_t size,
                                          std::vector<uint8_t> &storage,
                                          std::string &error);

} // namespace tlc::sim

#endif // TLC_SIMULATOR_MEMORY_CODEBUNDLE_H
