//===- ObjectLaunch.h - One kernel of any code object -----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `tlc run OBJECT` and `tlc profile OBJECT` share: load the object, lay
// out its arguments, launch, save arrays. Errors are one line.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DRIVER_OBJECTLAUNCH_H
#define TLC_LIB_DRIVER_OBJECTLAUNCH_H

#include "RunObjectOptions.h"
#include "tlc/Simulator/Memory/CodeObject.h"
#include "tlc/Simulator/Simulator.h"

namespace tlc {

/// Calls of one run; frees what it allocated.
class ObjectLaunch {
public:
  ObjectLaunch(RunObjectOptions options, const hip::HIPTable &table)
      : options(std::move(options)), table(table) {}
  ~ObjectLaunch() {
    for (void *pointer : pointers)
      if (pointer)
        table.hipFree(pointer);
    if (module)
      table.hipModuleUnload(module);
  }

  /// Before anything else. `bytes` may be an object or a bundle.
  llvm::Error load(llvm::StringRef bytes);
  /// Allocates arrays and packs the argument bytes; once.
  llvm::Error placeArguments();
  /// Without waiting for its end.
  hip::hipError_t enqueue();
  /// Waits for the end.
  hip::hipError_t launch();
  llvm::Error save();

  const RunObjectOptions &given() const { return options; }
  const std::string &kernelName() const { return name; }
  /// After load().
  const sim::CodeObject &codeObject() const { return object; }
  const sim::KernelInfo &kernelInfo() const { return *kernel; }

private:
  llvm::Error check(hip::hipError_t error, const llvm::Twine &what);
  llvm::Error place(const ObjectArgument &argument, size_t index, size_t &next);

  RunObjectOptions options;
  const hip::HIPTable &table;
  std::string name;
  const sim::KernelInfo *kernel = nullptr;
  sim::CodeObject object;
  hip::hipModule_t module = nullptr;
  hip::hipFunction_t function = nullptr;
  std::vector<void *> pointers; ///< one for each argument
  std::vector<uint8_t> packed;
};

/// After a load just past an array's end: objects may count on padding there.
void hintAtPadding(const sim::LaunchResult &result);

} // namespace tlc

#endif // TLC_LIB_DRIVER_OBJECTLAUNCH_H
