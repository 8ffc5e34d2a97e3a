//===- Memory.h - Access to elements of buffers -----------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements in memory, for the files that go through single ones.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_REFERENCE_MEMORY_H
#define TLC_LIB_REFERENCE_MEMORY_H

#include "Machine.h"

namespace tlc::reference {

struct Element {
  Cell cell;
  double error;
};
/// An element by its index in the buffer's storage, in the buffer's type.
Element readElement(const Buffer &buffer, int64_t index);
void writeElement(Buffer &buffer, int64_t index, Element value);
/// Fails the run where an index lies beyond the storage (wrong strides).
bool checkStorage(Frame &f, const Inst &inst, const Buffer &buffer,
                  int64_t index);

} // namespace tlc::reference

#endif // TLC_LIB_REFERENCE_MEMORY_H
