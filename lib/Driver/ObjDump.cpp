//===- ObjDump.cpp - The command `tlc objdump` ------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `tlc objdump`: what a code object of any compiler asks of the hardware.
// Metadata come from the object's note, the descriptor from its 64 bytes in
// .rodata (fields as in LLVM's AMDGPU guide, "Kernel Descriptor"), code from
// the decoder of the simulator, so that what is shown is what the simulator
// would execute.
//
//   kernel main_kernel
//     arguments: offset, size, kind, name       from the note
//     resources: VGPRs, LDS, scratch, waves     from note and descriptor
//     descriptor: rsrc1..3, modes, user SGPRs   its bits, in words
//   then the code, function by function (ObjDumpCode.cpp)
//
//===----------------------------------------------------------------------===//

#include "tlc/Driver/ObjDump.h"
#include "ObjDumpImpl.h"
#include "tlc/Driver/Driver.h"
#include "tlc/Simulator/Memory/CodeBundle.h"
#include "tlc/Support/Files.h"
#include "llvm/Support/Format.h"
#include <algorithm>

using namespace llvm;
using namespace tlc;

const llvm::StringLiteral tlc::objdumpUsage =
    "tlc objdump [--kernel NAME] [--no-code] [--raw] [--no-lines] OBJECT...\n\n"
    "  --kernel NAME  only this kernel\n"
    "  --no-code      no disassembly\n"
    "  --raw          with the encoding of each instruction\n"
    "  --no-lines     without source lines\n";

namespace {

constexpr int Success = ExitOk;

/// Waves of one SIMD by its 512 registers, handed out in granules of 8.
unsigned wavesByRegisters(unsigned vgprs) {
  constexpr unsigned file = 512, granule = 8, slots = 8;
  unsigned rounded =
      std::max(granule, (vgprs + granule - 1) / granule * granule);
  return std::min(slots, file / rounded);
}

void yesNo(raw_ostream &os, const char *name, bool value) {
  os << "    " << left_justify(name, 28) << (value ? "yes" : "no") << '\n';
}

/// The descriptor's raw words, then the fields that a reader looks for.
void printDescriptor(raw_ostream &os, const sim::KernelInfo &kernel) {
  const sim::KernelDescriptor &d = kernel.descriptor;
  static constexpr const char *rounding[] = {"to nearest", "up", "down",
                                             "to zero"};
  static constexpr const char *denormals[] = {"flushed", "flushed at output",
                                              "flushed at input", "kept"};
  os << "  descriptor at " << format_hex(kernel.descriptorAddress, 1)
     << ", entry at " << format_hex(kernel.entryAddress, 1) << '\n';
  os << "    compute_pgm_rsrc1           " << format_hex(d.rsrc1, 10) << '\n'
     << "    compute_pgm_rsrc2           " << format_hex(d.rsrc2, 10) << '\n'
     << "    compute_pgm_rsrc3           " << format_hex(d.rsrc3, 10) << '\n'
     << "    kernel_code_properties      " << format_hex(d.properties, 6)
     << '\n';
  // Bits 12..19 of rsrc1: rounding of f32 and of f16/f64, then the same for
  // denormals, two bits each.
  os << "    f32 rounding, denormals     " << rounding[d.rsrc1 >> 12 & 3]
     << ", " << denormals[d.rsrc1 >> 16 & 3] << '\n'
     << "    f16/f64 rounding, denormals " << rounding[d.rsrc1 >> 14 & 3]
     << ", " << denormals[d.rsrc1 >> 18 & 3] << '\n';
  yesNo(os, "dx10_clamp", d.dx10Clamp());
  yesNo(os, "ieee_mode", d.ieeeMode());
  os << "    user SGPRs                  " << d.userSgprCount();
  // In the order in which the registers are set up: each property that is asked
  // for takes the next user SGPRs.
  static constexpr struct {
    unsigned bit;
    const char *name;
    unsigned sgprs;
  } properties[] = {{0, "private segment buffer", 4},
                    {1, "dispatch pointer", 2},
                    {2, "queue pointer", 2},
                    {3, "kernarg segment pointer", 2},
                    {4, "dispatch id", 2},
                    {5, "flat scratch", 2},
                    {6, "private segment size", 1}};
  unsigned next = 0;
  for (const auto &property : properties)
    if (d.properties >> property.bit & 1) {
      os << (next ? ", " : " (") << property.name << " s" << next;
      next += property.sgprs;
    }
  os << (next ? ")\n" : "\n");
  if (d.preloadLength())
    os << "    kernarg preload             " << d.preloadLength()
       << " dwords from dword " << d.preloadOffset() << '\n';
  os << "    workgroup ids               ";
  for (unsigned i = 0; i < 3; ++i)
    // Bits 7, 8, 9: which workgroup ids the kernel wants; 11, 12: work-item
    // ids.
    if (d.rsrc2 >> (7 + i) & 1)
      os << "xyz"[i];
  os << "\n    work-item ids               ";
  static constexpr const char *itemIds[] = {"x", "xy", "xyz", "?"};
  os << itemIds[d.rsrc2 >> 11 & 3] << '\n';
}

/// Registers are those allocated, in granules; what is used is in the metadata.
void printResources(raw_ostream &os, const sim::KernelInfo &kernel) {
  const sim::KernelDescriptor &d = kernel.descriptor;
  unsigned accumulators =
      d.vgprCount() > d.accumOffset() ? d.vgprCount() - d.accumOffset() : 0;
  os << "  resources\n"
     << "    VGPRs allocated             " << d.vgprCount() << " ("
     << std::min(d.vgprCount(), d.accumOffset()) << " architectural, "
     << accumulators << " accumulation)\n";
  if (kernel.hasMetadata) {
    os << "    used                        " << kernel.vgprCount << " VGPRs, "
       << kernel.agprCount << " AGPRs, " << kernel.sgprCount << " SGPRs\n"
       << "    spilled                     " << kernel.vgprSpills << " VGPRs, "
       << kernel.sgprSpills << " SGPRs\n";
  }
  os << "    LDS                         " << d.groupSegmentFixedSize
     << " bytes and what the launch adds\n"
     << "    scratch                     " << d.privateSegmentFixedSize
     << " bytes a lane\n"
     << "    kernarg segment             " << kernel.kernargSize << " bytes\n"
     << "    wavefronts a SIMD           " << wavesByRegisters(d.vgprCount())
     << " by registers\n"
     << "    workgroup                   at most " << kernel.maxWorkgroupSize
     << " work-items";
  const uint32_t *required = kernel.requiredWorkgroupSize;
  if (required[0])
    os << ", required " << required[0] << " x " << required[1] << " x "
       << required[2];
  os << '\n';
}

} // namespace

/// All of one kernel but its code.
void tlc::printKernel(raw_ostream &os, const sim::KernelInfo &kernel) {
  os << "\nkernel " << kernel.name << '\n';
  if (!kernel.arguments.empty()) {
    os << "  arguments\n    offset size  kind\n";
    for (const sim::KernelArgument &argument : kernel.arguments) {
      os << format("    %6u %4u  ", argument.offset, argument.size)
         << argument.valueKind;
      if (!argument.name.empty())
        os << ' ' << argument.name;
      if (!argument.typeName.empty())
        os << " : " << argument.typeName;
      os << '\n';
    }
  }
  printResources(os, kernel);
  printDescriptor(os, kernel);
}

namespace {

/// One file, which may be a bundle with an object for gfx942 in it.
int dump(StringRef path, const ObjDumpOptions &options) {
  std::string problem;
  auto buffer = readFile(path, problem);
  if (!buffer)
    return reportError(DiagID::CannotRead, problem);
  StringRef bytes = buffer->getBuffer();
  sim::CodeObject object;
  std::vector<uint8_t> storage;
  // A bundle of several targets holds the object; `storage` keeps it if it was
  // compressed.
  std::span<const uint8_t> file =
      sim::selectCodeObject(bytes.data(), bytes.size(), storage, problem);
  if (!problem.empty() || !sim::CodeObject::parse(file, object, problem))
    return reportError(DiagID::CannotRead, path + ": " + problem);
  if (!options.kernel.empty() && !object.findKernel(options.kernel))
    return reportError(DiagID::NoSuchKernel,
                       path + ": no kernel '" + options.kernel + "'");
  raw_ostream &os = outs();
  os << path << ": code object version " << object.version;
  if (!object.target.empty())
    os << ", " << object.target;
  os << ", " << object.kernels.size()
     << (object.kernels.size() == 1 ? " kernel\n" : " kernels\n");
  for (const sim::KernelInfo &kernel : object.kernels)
    if (options.kernel.empty() || kernel.name == options.kernel)
      printKernel(os, kernel);
  if (options.code)
    printCode(os, object, options);
  os.flush();
  return Success;
}

} // namespace

/// Several files are shown one after another; the worst exit code counts.
int tlc::runObjdump(ArrayRef<StringRef> args) {
  ObjDumpOptions options;
  SmallVector<StringRef> files;
  for (size_t i = 0; i < args.size(); ++i) {
    StringRef arg = args[i];
    if (arg == "--kernel" && i + 1 < args.size()) {
      options.kernel = args[++i].str();
    } else if (arg.consume_front("--kernel=")) {
      options.kernel = arg.str();
    } else if (arg == "--no-code") {
      options.code = false;
    } else if (arg == "--raw") {
      options.raw = true;
    } else if (arg == "--no-lines") {
      options.lines = false;
    } else if (arg.starts_with("-") && arg != "-") {
      return usageError("unknown or incomplete option '" + args[i] + "'");
    } else {
      files.push_back(arg);
    }
  }
  if (files.empty()) {
    return usageError("objdump needs a code object");
  }
  int status = Success;
  for (StringRef file : files)
    status = std::max(status, dump(file, options));
  return status;
}
