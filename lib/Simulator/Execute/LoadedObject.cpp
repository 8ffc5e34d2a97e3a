//===- LoadedObject.cpp - A code object in device memory ------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A code object in device memory: parsed, its segments laid out in one
// allocation, relocated. Code is decoded lazily, once for each kernel, because
// which registers exist depends on the kernel's descriptor.
//
//===----------------------------------------------------------------------===//

#include "tlc/Simulator/Execute/Launch.h"

#include <fmt/format.h>

using namespace tlc::sim;

/// Null and a text in \p error for an object that is malformed, not for gfx942,
/// or too large.
std::unique_ptr<LoadedObject> LoadedObject::load(std::span<const uint8_t> file,
                                                 DeviceMemory &memory,
                                                 std::string &error) {
  std::unique_ptr<LoadedObject> loaded(new LoadedObject(memory));
  CodeObject &object = loaded->parsed;
  if (!CodeObject::parse(file, object, error))
    return nullptr;
  // Scalar loads fetch ahead of what is used: a little room behind the image.
  uint64_t bytes = object.highAddress - object.lowAddress + 256;
  const Allocation *image =
      memory.allocate(bytes, AllocationKind::Code, "code object");
  if (!image) {
    error = fmt::format("no device memory for {} bytes of code", bytes);
    return nullptr;
  }
  loaded->image = image->base;
  if (!object.load(reinterpret_cast<uint8_t *>(image->base), image->base,
                   error))
    return nullptr;
  return loaded;
}

LoadedObject::~LoadedObject() {
  if (image)
    memory.release(image);
}

/// Made at the first launch of a kernel; launches may come from several
/// threads.
Program &LoadedObject::program(const KernelInfo &kernel) {
  std::lock_guard lock(mutex);
  std::unique_ptr<Program> &program = programs[&kernel];
  if (program)
    return *program;
  for (const Segment &segment : parsed.segments) {
    if (!segment.executable ||
        kernel.entryAddress - segment.address >= segment.memorySize)
      continue;
    uint64_t base = deviceAddress(segment.address);
    RegisterLimits limits{kernel.descriptor.accumOffset(),
                          kernel.descriptor.vgprCount()};
    program = std::make_unique<Program>(
        std::span(reinterpret_cast<const uint8_t *>(base), segment.memorySize),
        base, limits);
  }
  return *program;
}
