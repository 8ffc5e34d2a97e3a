//===- Npy.h - Arrays in .npy files -----------------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Versions 1 to 3 of the format, little-endian. bfloat16 has no code there and
// is stored as uint16, fp8 as uint8, bit for bit.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_RUNTIME_NPY_H
#define TLC_RUNTIME_NPY_H

#include "tlc/Support/DType.h"
#include "llvm/Support/Error.h"

namespace tlc {

/// Reads an array; Fortran order becomes C order. Errors are one line without
/// the path's name.
llvm::Expected<Array> parseNpy(llvm::StringRef bytes);
/// The same from a file, with the path in the error.
llvm::Expected<Array> readNpy(llvm::StringRef path);
/// The bytes of a version 1 file.
std::string formatNpy(const Array &array);

/// The array with the element type that a parameter wants: the same type, or
/// the stored bits of a bfloat16, fp8 or bool. Nothing where that does not fit.
std::optional<Array> asType(Array array, DType type);

} // namespace tlc

#endif // TLC_RUNTIME_NPY_H
