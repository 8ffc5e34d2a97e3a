//===- LldLinker.cpp - lld, built in --------------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lld reads and writes files, so input and output are anonymous memory files,
// named by their descriptors under /proc/self/fd.
//
//   object in memory -> memfd -> lld -> temporary file -> code object in memory
//
//===----------------------------------------------------------------------===//

#include "lld/Common/Driver.h"
#include "tlc/Target/AMDGPU.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace tlc::target {

Linker::~Linker() = default;

namespace {

/// A file without a name in any folder. It lives as long as this object.
class MemoryFile {
public:
  explicit MemoryFile(const char *name)
      : fd(memfd_create(name, MFD_CLOEXEC)),
        path("/proc/self/fd/" + std::to_string(fd)) {}
  ~MemoryFile() {
    if (fd >= 0)
      close(fd);
  }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  bool isOpen() const { return fd >= 0; }
  const char *getPath() const { return path.c_str(); }

  /// False after an error, which errno tells.
  bool write(StringRef data) {
    while (!data.empty()) {
      ssize_t n = ::write(fd, data.data(), data.size());
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return false;
      data = data.drop_front(n);
    }
    return true;
  }

private:
  int fd;
  std::string path;
};

Error systemError(const char *what) {
  return createStringError(inconvertibleErrorCode(),
                           Twine(what) + ": " + std::strerror(errno));
}

class LldLinker : public Linker {
public:
  StringRef getName() const override { return "lld"; }

  /// Errors are lld's own text, or the system's where a file cannot be made.
  /// lld keeps global state: one link at a time in a process.
  Expected<std::string> link(StringRef object) override {
    MemoryFile input("tlc.o");
    if (!input.isOpen())
      return systemError("cannot create a memory file");
    if (!input.write(object))
      return systemError("cannot write a memory file");
    // lld creates its output beside itself and renames it: a file of its own in
    // the temporary folder, gone when this returns.
    SmallString<128> outputPath;
    if (std::error_code error =
            sys::fs::createTemporaryFile("tlc", "hsaco", outputPath))
      return createStringError(error, "cannot create a temporary file");
    FileRemover remover(outputPath);
    // A code object is a shared library. One thread: an object is small, and
    // starting more costs more.
    const char *args[] = {"ld.lld",
                          "-shared",
                          "--threads=1",
                          "--build-id=none",
                          "--hash-style=sysv",
                          input.getPath(),
                          "-o",
                          outputPath.c_str()};
    std::string out, err;
    raw_string_ostream outStream(out), errStream(err);
    lld::Result result =
        lld::lldMain(args, outStream, errStream, {{lld::Gnu, &lld::elf::link}});
    if (result.retCode != 0)
      return createStringError(inconvertibleErrorCode(), "lld: " + err);
    auto file = MemoryBuffer::getFile(outputPath, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
    if (!file)
      return createStringError(file.getError(), "cannot read lld's output");
    std::string linked = (*file)->getBuffer().str();
    if (linked.empty())
      return createStringError(inconvertibleErrorCode(),
                               "lld wrote an empty code object");
    return linked;
  }
};

} // namespace

std::unique_ptr<Linker> createLldLinker() {
  return std::make_unique<LldLinker>();
}

} // namespace tlc::target
