//===- ObjectLaunch.cpp - One kernel of any code object -------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A code object needs no contract of tlc's: arguments are laid out by the
// metadata's offsets and sizes, or packed by their alignment where there is
// none. All calls go through the table of HIP functions, so that a real device
// and the simulator are used alike.
//
//   --arg f32[1024]=randn:1 --arg i32=1000
//   kernarg segment:  0: pointer to 4096 bytes   8: 1000
//
//===----------------------------------------------------------------------===//

#include "ObjectLaunch.h"
#include "tlc/Runtime/Npy.h"
#include "tlc/Simulator/Memory/CodeBundle.h"
#include "tlc/Support/Files.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/raw_ostream.h"

using namespace tlc;
using namespace tlc::hip;
using llvm::Error;
using llvm::StringRef;

/// Of the arguments.
static Error bad(const llvm::Twine &text) {
  return objectError(DiagID::BadRunArgument, text);
}

/// An error of a HIP call as one line: what it was about, and HIP's own text.
Error ObjectLaunch::check(hipError_t error, const llvm::Twine &what) {
  if (error == hipSuccess)
    return Error::success();
  return objectError(DiagID::DeviceUnavailable,
                     what + ": " + table.hipGetErrorString(error));
}

/// Parses and loads the object, and finds the kernel: the one that is named, or
/// the only one.
Error ObjectLaunch::load(StringRef bytes) {
  std::string problem;
  std::vector<uint8_t> storage;
  std::span<const uint8_t> file =
      sim::selectCodeObject(bytes.data(), bytes.size(), storage, problem);
  if (!problem.empty())
    return objectError(DiagID::CannotRead, options.object + ": " + problem);
  if (!sim::CodeObject::parse(file, object, problem))
    return objectError(DiagID::CannotRead, options.object + ": " + problem);
  name = options.kernel;
  if (name.empty()) {
    if (object.kernels.size() != 1) {
      std::string names;
      for (const sim::KernelInfo &each : object.kernels)
        names += (names.empty() ? "" : ", ") + each.name;
      return objectError(DiagID::AmbiguousKernel,
                         options.object +
                             ": --kernel must choose one of: " + names);
    }
    name = object.kernels.front().name;
  }
  kernel = object.findKernel(name);
  if (!kernel)
    return objectError(DiagID::NoSuchKernel,
                       options.object + ": no kernel '" + name + "'");
  if (Error error =
          check(table.hipModuleLoadData(&module, file.data()), options.object))
    return error;
  return check(table.hipModuleGetFunction(&function, module, name.c_str()),
               options.object + ": kernel '" + name + "'");
}

/// Writes one argument where the metadata says, or, without any, at the next
/// place of its alignment. An array is allocated and copied to the device
/// first; its pointer is the argument. `next` moves behind what was written.
Error ObjectLaunch::place(const ObjectArgument &argument, size_t index,
                          size_t &next) {
  size_t bytes =
      argument.isArray || argument.isNull ? 8 : byteSize(argument.type);
  size_t offset = llvm::alignTo(next, llvm::Align(bytes));
  if (kernel->hasMetadata) {
    // Hidden arguments (grid sizes, printf buffers) are filled in by the
    // runtime.
    std::vector<const sim::KernelArgument *> explicitOnes;
    for (const sim::KernelArgument &each : kernel->arguments)
      if (!each.hidden())
        explicitOnes.push_back(&each);
    if (index >= explicitOnes.size())
      return bad("kernel '" + name + "' takes " +
                 llvm::Twine(explicitOnes.size()) + " arguments, this is " +
                 llvm::Twine(index + 1) + ": '" + argument.text + "'");
    const sim::KernelArgument &wanted = *explicitOnes[index];
    if (wanted.size != bytes)
      return bad("argument " + llvm::Twine(index) + " ('" + argument.text +
                 "') has " + llvm::Twine(bytes) + " bytes, the kernel's has " +
                 llvm::Twine(wanted.size));
    offset = wanted.offset;
  }
  void *pointer = nullptr;
  if (argument.isArray && !argument.array.bytes.empty()) {
    const std::vector<uint8_t> &from = argument.array.bytes;
    if (Error error = check(table.hipMalloc(&pointer, from.size()),
                            "argument " + llvm::Twine(index)))
      return error;
    pointers.push_back(pointer);
    if (Error error = check(table.hipMemcpy(pointer, from.data(), from.size(),
                                            hipMemcpyHostToDevice),
                            "argument " + llvm::Twine(index)))
      return error;
  } else {
    pointers.push_back(nullptr);
  }
  uint64_t value =
      argument.isArray ? reinterpret_cast<uint64_t>(pointer) : argument.scalar;
  packed.resize(std::max(packed.size(), offset + bytes));
  std::memcpy(packed.data() + offset, &value, bytes);
  next = offset + bytes;
  return Error::success();
}

/// All arguments into the kernarg segment, in the order of the command line.
Error ObjectLaunch::placeArguments() {
  size_t next = 0;
  for (size_t i = 0; i < options.arguments.size(); ++i)
    if (Error error = place(options.arguments[i], i, next))
      return error;
  // What is left out is zero; hidden arguments are the runtime's.
  size_t given = options.arguments.size(), number = 0;
  std::string pointers;
  for (const sim::KernelArgument &each : kernel->arguments) {
    if (each.hidden())
      continue;
    if (number >= given && each.valueKind == "global_buffer")
      pointers += (pointers.empty() ? "" : ", ") + std::to_string(number) +
                  (each.name.empty() ? "" : " ('" + each.name + "')");
    ++number;
    packed.resize(std::max<size_t>(packed.size(), each.offset + each.size));
  }
  // Compilers append pointers that their kernels mostly leave alone.
  if (!pointers.empty())
    llvm::errs() << "tlc: note: kernel '" << name
                 << "': pointers that are not given are null: argument "
                 << pointers << '\n';
  return Error::success();
}

/// The packed bytes go as they are (HIP_LAUNCH_PARAM_BUFFER_POINTER).
hipError_t ObjectLaunch::enqueue() {
  size_t size = packed.size();
  void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, packed.data(),
                   HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
  return table.hipModuleLaunchKernel(function, options.grid[0], options.grid[1],
                                     options.grid[2], options.block[0],
                                     options.block[1], options.block[2],
                                     options.ldsBytes, nullptr, nullptr, extra);
}

/// Enqueues and waits: a fault shows at the wait.
hipError_t ObjectLaunch::launch() {
  hipError_t error = enqueue();
  return error ? error : table.hipDeviceSynchronize();
}

/// Copies back and writes what --out asked for.
Error ObjectLaunch::save() {
  for (size_t i = 0; i < options.arguments.size(); ++i) {
    ObjectArgument &argument = options.arguments[i];
    if (argument.savePath.empty())
      continue;
    if (pointers[i])
      if (Error error =
              check(table.hipMemcpy(argument.array.bytes.data(), pointers[i],
                                    argument.array.bytes.size(),
                                    hipMemcpyDeviceToHost),
                    "argument " + llvm::Twine(i)))
        return error;
    std::string error;
    if (!writeFileAtomically(argument.savePath, formatNpy(argument.array),
                             error))
      return objectError(DiagID::CannotWrite, error);
  }
  return Error::success();
}

void tlc::hintAtPadding(const sim::LaunchResult &result) {
  for (const sim::Finding &finding : result.findings) {
    StringRef text = finding.text;
    if (finding.kind != "global-out-of-bounds" ||
        !text.contains(": load of ") ||
        (!text.contains("past the end of") &&
         !text.contains("crosses the end of")))
      continue;
    llvm::errs() << "tlc: help: some objects read whole tiles or prefetch "
                    "beyond an array by design; if this one does, give the "
                    "array argument more elements (padding)\n";
    return;
  }
}
