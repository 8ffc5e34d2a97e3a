//===- Launch.cpp - Running a code object by its contract -----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device buffers are exactly as large as the tensors, so that the simulator
// sees every access beyond one.
//
//   load the object, check it first
//   for each argument: allocate, copy in           pointer or bits of a scalar
//   for each kernel of the contract: evaluate its grid, launch, wait
//   copy all tensors back
//
// An expression of the contract that has no value for the given sizes is an
// error; a grid of 0 is a launch that does nothing.
//
//===----------------------------------------------------------------------===//

#include "tlc/Runtime/Launch.h"
#include "tlc/Simulator/Memory/CodeObject.h"
#include "tlc/Simulator/Simulator.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace tlc;
using namespace tlc::hip;
using llvm::StringRef;

// LLVM's way of telling error classes apart: by an address.
char DeviceFault::ID = 0;
void DeviceFault::log(llvm::raw_ostream &os) const {
  os << message;
  if (!report.empty())
    os << '\n' << report;
}

/// Elements from the first to the last that a tensor's strides reach; 0 if one
/// extent is 0. Nothing where an expression has no value.
std::optional<int64_t> tlc::spannedElements(const target::Argument &argument,
                                            llvm::ArrayRef<int64_t> scalars) {
  // The element with the largest index in every dimension is the last, strides
  // being 0 or more.
  int64_t last = 0;
  for (size_t d = 0; d < argument.shape.size(); ++d) {
    auto extent = argument.shape[d].evaluate(scalars);
    auto stride = d < argument.strides.size()
                      ? argument.strides[d].evaluate(scalars)
                      : std::nullopt;
    if (!extent || !stride || *extent < 0)
      return std::nullopt;
    if (*extent == 0)
      return 0;
    last += (*extent - 1) * *stride;
  }
  return last + 1;
}

namespace {

/// A run of bytes of a tensor's span that belongs to no element.
struct Gap {
  size_t begin, bytes;
};

/// The padding between the rows of a strided tensor, in ascending order.
/// Nothing for a dense tensor; costs a bit for each element of the span.
std::vector<Gap> paddingOf(const target::Argument &argument,
                           llvm::ArrayRef<int64_t> scalars, size_t bytes) {
  auto type = parseDType(argument.dtype);
  auto span = spannedElements(argument, scalars);
  if (!type || !span || *span <= 0 || bytes % *span != 0)
    return {};
  size_t element = bytes / *span;
  std::vector<int64_t> extents, strides;
  int64_t elements = 1;
  for (size_t d = 0; d < argument.shape.size(); ++d) {
    extents.push_back(*argument.shape[d].evaluate(scalars));
    strides.push_back(*argument.strides[d].evaluate(scalars));
    elements *= extents.back();
  }
  if (elements >= *span)
    return {}; // dense, or rows that overlap
  llvm::BitVector used(*span);
  std::vector<int64_t> index(extents.size());
  // An odometer over the indices: `at` is the element's place in the span.
  for (int64_t i = 0, at = 0; i < elements; ++i) {
    used.set(at);
    for (size_t d = extents.size(); d-- > 0;) {
      at += strides[d];
      if (++index[d] < extents[d])
        break;
      at -= extents[d] * strides[d];
      index[d] = 0;
    }
  }
  std::vector<Gap> gaps;
  for (int begin = used.find_first_unset(); begin >= 0;) {
    int end = used.find_next(begin);
    end = end < 0 ? int(*span) : end;
    gaps.push_back({begin * element, (end - begin) * element});
    begin = used.find_next_unset(end - 1);
  }
  return gaps;
}

/// Frees what it holds when it goes. An error on the way leaves nothing
/// allocated on the device.
struct Device {
  const HIPTable &table;
  hipModule_t module = nullptr;
  std::vector<void *> buffers;

  explicit Device(const HIPTable &table) : table(table) {}
  ~Device() {
    for (void *buffer : buffers)
      if (buffer)
        table.hipFree(buffer);
    if (module)
      table.hipModuleUnload(module);
  }

  /// An error of a HIP call in words: what was done, and HIP's own text.
  llvm::Error check(hipError_t error, const llvm::Twine &what) const {
    if (error == hipSuccess)
      return llvm::Error::success();
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   what + ": " +
                                       table.hipGetErrorString(error));
  }
};

/// The bytes of a scalar argument as the kernel takes it. Floats are rounded to
/// their type; an integer's upper bytes are not read.
uint64_t scalarBits(const target::Argument &argument,
                    const LaunchArgument &value) {
  auto type = parseDType(argument.dtype);
  const FloatFormat *format = type ? floatFormat(*type) : nullptr;
  return format ? format->encode(value.real) : uint64_t(value.integer);
}

} // namespace

/// Seconds of each launch, between two events of the default stream. `launch`
/// enqueues one launch; an error of it, or of HIP, ends the timing.
llvm::Expected<std::vector<double>>
tlc::timeByEvents(const HIPTable &table, unsigned repetitions,
                  llvm::function_ref<hipError_t()> launch) {
  // Destroyed on every path.
  struct Events {
    const HIPTable &table;
    hipEvent_t begin = nullptr, end = nullptr;
    ~Events() {
      for (hipEvent_t event : {begin, end})
        if (event)
          table.hipEventDestroy(event);
    }
  } events{table};
  Device device(table);
  std::vector<double> seconds;
  auto check = [&](hipError_t error) {
    return device.check(error, "timing the kernel by events");
  };
  for (hipEvent_t *event : {&events.begin, &events.end})
    if (auto error = check(table.hipEventCreate(event)))
      return error;
  // One launch at a time between its events: no queue of launches is measured.
  for (unsigned i = 0; i < repetitions; ++i) {
    float milliseconds = 0;
    if (auto error = check(table.hipEventRecord(events.begin, nullptr)))
      return error;
    if (auto error = check(launch()))
      return error;
    if (auto error = check(table.hipEventRecord(events.end, nullptr)))
      return error;
    if (auto error = check(table.hipEventSynchronize(events.end)))
      return error;
    if (auto error = check(
            table.hipEventElapsedTime(&milliseconds, events.begin, events.end)))
      return error;
    seconds.push_back(milliseconds * 1e-3);
  }
  return seconds;
}

/// `arguments` hold the results afterwards. A fault of the kernel is a
/// DeviceFault, everything else a plain error. Kernels run one after another on
/// the default stream. Nothing stays on the device afterwards.
llvm::Expected<LaunchReport> tlc::launch(
    const HIPTable &table, StringRef object, const target::Contract &contract,
    llvm::MutableArrayRef<LaunchArgument> arguments, const LaunchHooks &hooks) {
  assert(arguments.size() == contract.arguments.size());
  // HIP is told the address only and believes what the headers say.
  sim::CodeObject parsed;
  std::string problem;
  if (!sim::CodeObject::parse({object.bytes_begin(), object.size()}, parsed,
                              problem))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the code object is damaged: " + problem);
  Device device(table);
  if (auto error =
          device.check(table.hipModuleLoadData(&device.module, object.data()),
                       "the code object cannot be loaded"))
    return error;

  // `scalars` are the numbers that expressions refer to by position; `values`
  // what the kernel gets; HIP wants pointers to them.
  std::vector<int64_t> scalars;
  std::vector<uint64_t> values(arguments.size());
  std::vector<void *> pointers(arguments.size());
  device.buffers.resize(arguments.size());
  for (auto [i, declared] : llvm::enumerate(contract.arguments)) {
    scalars.push_back(arguments[i].integer);
    pointers[i] = &values[i];
    if (!declared.isPointer()) {
      values[i] = scalarBits(declared, arguments[i]);
      continue;
    }
    const std::vector<uint8_t> &bytes = arguments[i].array.bytes;
    if (bytes.empty())
      continue; // a null pointer: there is nothing to read
    // Atomics on halves exchange the whole dword, also at the end: as every
    // allocator does, memory goes on to a multiple of four bytes.
    std::vector<uint8_t> whole;
    if (bytes.size() % 4) {
      whole = bytes;
      whole.resize((bytes.size() + 3) / 4 * 4);
    }
    const std::vector<uint8_t> &content = whole.empty() ? bytes : whole;
    if (auto error =
            device.check(table.hipMalloc(&device.buffers[i], content.size()),
                         "device memory for '" + declared.name + "'"))
      return error;
    if (auto error =
            device.check(table.hipMemcpy(device.buffers[i], content.data(),
                                         content.size(), hipMemcpyHostToDevice),
                         "copying '" + declared.name + "' to the device"))
      return error;
    values[i] = uint64_t(device.buffers[i]);
  }

  // The simulator's checkers see padding that reaches a result. A real device
  // cannot tell: padding is only poisoned here.
  bool builtIn = &table == &sim::simulatorHip();
  std::vector<std::vector<Gap>> padding(arguments.size());
  for (auto [i, declared] : llvm::enumerate(contract.arguments)) {
    if (!builtIn || !device.buffers[i])
      continue;
    padding[i] = paddingOf(declared, scalars, arguments[i].array.bytes.size());
    for (const Gap &gap : padding[i])
      sim::poisonMemory(static_cast<char *>(device.buffers[i]) + gap.begin,
                        gap.bytes);
  }

  LaunchReport report;
  for (const target::Kernel &kernel : contract.kernels) {
    hipFunction_t function;
    if (auto error =
            device.check(table.hipModuleGetFunction(&function, device.module,
                                                    kernel.name.c_str()),
                         "kernel '" + kernel.name + "'"))
      return error;
    int64_t grid[3];
    bool empty = false;
    for (unsigned d = 0; d < 3; ++d) {
      auto extent = kernel.grid[d].evaluate(scalars);
      if (!extent || *extent > INT32_MAX)
        return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                       "the grid of kernel '" + kernel.name +
                                           "' has no value for these sizes");
      grid[d] = *extent;
      empty |= *extent <= 0;
    }
    if (empty)
      continue;
    auto start = std::chrono::steady_clock::now();
    auto run = [&] {
      return table.hipModuleLaunchKernel(
          function, grid[0], grid[1], grid[2], kernel.block[0], kernel.block[1],
          kernel.block[2], 0, nullptr, pointers.data(), nullptr);
    };
    // The first launch counts for results; further ones only for time.
    hipError_t error = run();
    if (error == hipSuccess)
      error = table.hipDeviceSynchronize();
    report.seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    if (builtIn) {
      const sim::LaunchResult &result = sim::lastLaunch();
      report.instructions += result.instructions;
      if (!result.failed && !result.report.empty()) {
        report.findings += result.report + "\n";
        report.findingCount += result.findings.size();
      }
    }
    if (error != hipSuccess)
      return llvm::make_error<DeviceFault>(
          "kernel '" + kernel.name + "': " + table.hipGetErrorString(error),
          builtIn ? sim::lastLaunch().report : "",
          error == hipErrorLaunchTimeOut);
    KernelLaunch done{kernel.name, {}, {}, {}};
    for (unsigned d = 0; d < 3; ++d) {
      done.grid[d] = uint32_t(grid[d]);
      done.block[d] = uint32_t(kernel.block[d]);
    }
    if (hooks.repetitions) {
      auto seconds = timeByEvents(table, hooks.repetitions, run);
      if (!seconds)
        return seconds.takeError();
      done.seconds = std::move(*seconds);
    }
    if (hooks.afterKernel)
      hooks.afterKernel(done);
  }

  // Padding keeps what it held: it is poisoned on the device, and no result.
  for (auto [i, declared] : llvm::enumerate(contract.arguments)) {
    if (!declared.isPointer() || !device.buffers[i])
      continue;
    std::vector<uint8_t> &bytes = arguments[i].array.bytes;
    std::vector<uint8_t> before;
    if (!padding[i].empty())
      before = bytes;
    if (auto error =
            device.check(table.hipMemcpy(bytes.data(), device.buffers[i],
                                         bytes.size(), hipMemcpyDeviceToHost),
                         "copying '" + declared.name + "' from the device"))
      return error;
    for (const Gap &gap : padding[i])
      std::copy_n(before.begin() + gap.begin, gap.bytes,
                  bytes.begin() + gap.begin);
  }
  return report;
}
