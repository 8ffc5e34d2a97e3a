//===- Link.cpp - lld as a part of this program -*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld/Common/Driver.h"
#include "tlc/Target/AMDGPU.h"
#include "llvm/Support/raw_ostream.h"
#include <sys/mman.h>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

using namespace llvm;
using namespace tlc;

namespace {
/// A file in memory that lld can open by name.
class MemoryFile {
public:
  explicit MemoryFile(const char *name) : fd(memfd_create(name, MFD_CLOEXEC)) {}
  ~MemoryFile() {
    if (fd >= 0)
      close(fd);
  }
  bool valid() const { return fd >= 0; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd); }
  bool write(StringRef bytes) {
    while (!bytes.empty()) {
      ssize_t n = ::write(fd, bytes.data(), bytes.size());
      if (n <= 0)
        return false;
      bytes = bytes.drop_front(n);
    }
    return true;
  }
  std::string read() {
    std::string bytes;
    off_t size = lseek(fd, 0, SEEK_END);
    if (size <= 0)
      return bytes;
    bytes.resize(size);
    off_t done = 0;
    while (done < size) {
      ssize_t n = pread(fd, bytes.data() + done, size - done, done);
      if (n <= 0)
        return "";
      done += n;
    }
    return bytes;
  }

private:
  int fd;
};

class LLD : public target::Linker {
public:
  StringRef name() const override { return "lld"; }
  Expected<std::string> link(StringRef object) override {
    MemoryFile in("tlc-object"), out("tlc-code-object");
    if (!in.valid() || !out.valid() || !in.write(object))
      return createStringError("cannot hold the object in memory");
    std::string input = in.path(), output = out.path(), talk;
    raw_string_ostream os(talk);
    const char *args[] = {"ld.lld",
                          "-shared",
                          "--no-undefined",
                          "--no-mmap-output-file",
                          "--build-id=none",
                          input.c_str(),
                          "-o",
                          output.c_str()};
    lld::Result result =
        lld::lldMain(args, os, os, {{lld::Gnu, &lld::elf::link}});
    if (result.retCode)
      return createStringError("linking failed: " + StringRef(talk).trim());
    std::string bytes = out.read();
    if (bytes.empty())
      return createStringError("linking gave an empty code object");
    return bytes;
  }
};
} // namespace

target::Linker &target::embeddedLinker() {
  static LLD lld;
  return lld;
}
