//===- RunObject.cpp - tlc run OBJECT: launch any code object -------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tlc/Driver/RunObject.h"

#include "RunObjectOptions.h"
#include "tlc/Runtime/Npy.h"
#include "tlc/Simulator/Memory/CodeBundle.h"
#include "tlc/Simulator/Memory/CodeObject.h"
#include "tlc/Simulator/Simulator.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace tlc;
using namespace tlc::hip;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

constexpr int exitOk = 0, exitDiagnostics = 1, exitUsage = 2, exitFound = 3,
              exitLimit = 4;

Error bad(const llvm::Twine &text) {
  return llvm::createStringError(text.str());
}

/// Calls of one run; frees what it allocated.
class Run {
public:
  Run(RunObjectOptions options, const HIPTable &table)
      : options(std::move(options)), table(table) {}
  ~Run() {
    for (void *pointer : pointers)
      if (pointer)
        table.hipFree(pointer);
    if (module)
      table.hipModuleUnload(module);
  }

  Error load(StringRef bytes);
  Error placeArguments();
  hipError_t launch();
  Error save();

  const RunObjectOptions &given() const { return options; }
  const std::string &kernelName() const { return name; }

private:
  Error check(hipError_t error, const llvm::Twine &what) {
    if (error == hipSuccess)
      return Error::success();
    return bad(what + ": " + table.hipGetErrorString(error));
  }
  Error place(const ObjectArgument &argument, size_t index, size_t &next);

  RunObjectOptions options;
  const HIPTable &table;
  std::string name;
  const sim::KernelInfo *kernel = nullptr;
  sim::CodeObject object;
  hipModule_t module = nullptr;
  hipFunction_t function = nullptr;
  std::vector<void *> pointers; ///< one for each argument
  std::vector<uint8_t> packed;
};

Error Run::load(StringRef bytes) {
  std::string problem;
  std::vector<uint8_t> storage;
  std::span<const uint8_t> file =
      sim::selectCodeObject(bytes.data(), bytes.size(), storage, problem);
  if (!problem.empty())
    return bad(options.object + ": " + problem);
  if (!sim::CodeObject::parse(file, object, problem))
    return bad(options.object + ": " + problem);
  name = options.kernel;
  if (name.empty()) {
    if (object.kernels.size() != 1) {
      std::string names;
      for (const sim::KernelInfo &each : object.kernels)
        names += (names.empty() ? "" : ", ") + each.name;
      return bad(options.object + ": --kernel must choose one of: " + names);
    }
    name = object.kernels.front().name;
  }
  kernel = object.findKernel(name);
  if (!kernel)
    return bad(options.object + ": no kernel '" + name + "'");
  if (Error error =
          check(table.hipModuleLoadData(&module, file.data()), options.object))
    return error;
  return check(table.hipModuleGetFunction(&function, module, name.c_str()),
               options.object + ": kernel '" + name + "'");
}

/// Writes one argument where the metadata says, or, without any, at the next
/// place of its alignment.
Error Run::place(const ObjectArgument &argument, size_t index, size_t &next) {
  size_t bytes =
      argument.isArray || argument.isNull ? 8 : byteSize(argument.type);
  size_t offset = llvm::alignTo(next, llvm::Align(bytes));
  if (kernel->hasMetadata) {
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

Error Run::placeArguments() {
  size_t next = 0;
  for (size_t i = 0; i < options.arguments.size(); ++i)
    if (Error error = place(options.arguments[i], i, next))
      return error;
  // What is left out is zero; hidden arguments are the runtime's.
  for (const sim::KernelArgument &each : kernel->arguments)
    if (!each.hidden())
      packed.resize(std::max<size_t>(packed.size(), each.offset + each.size));
  return Error::success();
}

hipError_t Run::launch() {
  size_t size = packed.size();
  void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, packed.data(),
                   HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
  hipError_t error = table.hipModuleLaunchKernel(
      function, options.grid[0], options.grid[1], options.grid[2],
      options.block[0], options.block[1], options.block[2], options.ldsBytes,
      nullptr, nullptr, extra);
  return error ? error : table.hipDeviceSynchronize();
}

Error Run::save() {
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
    // Written whole or not at all.
    std::string text = formatNpy(argument.array);
    if (Error error = llvm::writeToOutput(argument.savePath,
                                          [&](llvm::raw_ostream &os) -> Error {
                                            os << text;
                                            return Error::success();
                                          }))
      return error;
  }
  return Error::success();
}

void printStatistics(const sim::LaunchResult &result) {
  llvm::errs() << llvm::formatv("{0} wavefront instructions, {1:f3} s, {2:f1} "
                                "million a second\n",
                                result.instructions, result.seconds,
                                result.instructions / result.seconds / 1e6);
  for (const auto &[mnemonic, count] : result.byMnemonic)
    llvm::errs() << llvm::formatv(
        "  {0,12} {1}{2}\n", count.executed, mnemonic,
        count.exactness == sim::Exactness::Exact         ? ""
        : count.exactness == sim::Exactness::Approximate ? " (approximate)"
                                                         : " (unsupported)");
  for (const auto &[address, lds] : result.lds)
    llvm::errs() << llvm::formatv(
        "  LDS at entry+{0:x}: {1}, {2} times, {3} cycles, {4} more for bank "
        "conflicts\n",
        address, lds.mnemonic, lds.executed, lds.baseCycles,
        lds.conflictCycles);
}

int report(Error error) {
  bool isUsage = error.isA<RunUsageError>();
  llvm::errs() << "tlc: error: " << llvm::toString(std::move(error)) << '\n';
  return isUsage ? exitUsage : exitDiagnostics;
}

} // namespace

bool tlc::isCodeObjectFile(StringRef path) {
  auto file = llvm::MemoryBuffer::getFileSlice(path, 24, 0);
  if (!file)
    return false;
  StringRef bytes = (*file)->getBuffer();
  return bytes.starts_with("\177ELF") ||
         bytes.starts_with("__CLANG_OFFLOAD_BUNDLE__") ||
         bytes.starts_with("CCOB");
}

int tlc::runObject(llvm::ArrayRef<StringRef> arguments) {
  Expected<RunObjectOptions> options = parseRunObject(arguments);
  if (!options)
    return report(options.takeError());
  auto file = llvm::MemoryBuffer::getFile(options->object);
  if (!file)
    return report(bad(options->object + ": " + file.getError().message()));

  OpenedDevice device = openDevice(options->device);
  if (!device.table)
    return report(bad(device.message));
  llvm::errs() << device.message << '\n';
  bool simulated = device.table == &sim::simulatorHip();
  if (simulated) {
    sim::SimulatorOptions &settings = sim::simulatorOptions();
    settings.threads = options->threads;
    settings.scheduleSeed = options->seed;
    settings.instructionLimit = options->limit;
    settings.checkers = options->check;
    settings.statistics = options->statistics;
  }
  Run run(std::move(*options), *device.table);
  if (Error error = run.load((*file)->getBuffer()))
    return report(std::move(error));
  if (Error error = run.placeArguments())
    return report(std::move(error));
  hipError_t error = run.launch();
  const sim::LaunchResult &result = sim::lastLaunch();
  if (simulated && !result.report.empty())
    llvm::errs() << result.report << '\n';
  if (error) {
    llvm::errs() << "tlc: error: kernel '" << run.kernelName()
                 << "': " << device.table->hipGetErrorString(error) << '\n';
    return error == hipErrorLaunchTimeOut ? exitLimit : exitDiagnostics;
  }
  if (simulated && run.given().statistics)
    printStatistics(result);
  if (Error saved = run.save())
    return report(std::move(saved));
  return simulated && !result.findings.empty() ? exitFound : exitOk;
}
