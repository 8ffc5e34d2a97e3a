//===- Files.cpp - Reading and writing whole files ------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writing: the contents go to a temporary file in the same folder, which is
// renamed over the target only after every byte is written. Devices and pipes
// (/dev/null) are written directly: renaming over them would replace them.
//
//===----------------------------------------------------------------------===//

#include "tlc/Support/Files.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace tlc;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

/// "cannot read 'k.tile': No such file or directory".
static std::string reason(StringRef what, StringRef path,
                          const llvm::Twine &why) {
  return ("cannot " + what + " '" + path + "': " + why).str();
}

std::unique_ptr<llvm::MemoryBuffer>
tlc::readFile(StringRef path, std::string &error, uint64_t limit) {
  fs::file_status status;
  bool standard = path == "-";
  if (!standard && !fs::status(path, status) && fs::is_directory(status)) {
    error = reason("read", path, "is a directory");
    return nullptr;
  }
  if (!standard && fs::is_regular_file(status)) {
    auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
    if (file)
      return std::move(*file);
    error = reason("read", path, file.getError().message());
    return nullptr;
  }
  // Piece by piece: a device may have no end.
  auto opened = standard ? llvm::Expected<fs::file_t>(fs::getStdinHandle())
                         : fs::openNativeFileForRead(path);
  if (!opened) {
    error = reason("read", path, llvm::toString(opened.takeError()));
    return nullptr;
  }
  std::string bytes;
  bool ok = false;
  while (true) {
    size_t size = bytes.size(), piece = 1 << 16;
    bytes.resize(size + piece);
    auto count = fs::readNativeFile(
        *opened, llvm::MutableArrayRef(bytes.data() + size, piece));
    if (!count) {
      error = reason("read", path, llvm::toString(count.takeError()));
      break;
    }
    bytes.resize(size + *count);
    ok = *count == 0;
    if (ok)
      break;
    if (bytes.size() > limit) {
      error = reason("read", path,
                     "has more than " + llvm::Twine(limit >> 20) + " MiB");
      break;
    }
  }
  if (!standard)
    (void)fs::closeFile(*opened);
  return ok ? llvm::MemoryBuffer::getMemBufferCopy(bytes, path) : nullptr;
}

/// Without a word on the file; empty if all was written.
static std::string write(StringRef path, StringRef contents) {
  auto finish = [](llvm::raw_fd_ostream &os) -> std::string {
    os.flush();
    if (!os.has_error())
      return "";
    std::string why = os.error().message();
    os.clear_error();
    return why;
  };
  if (path == "-") {
    llvm::outs() << contents;
    return finish(llvm::outs());
  }
  fs::file_status status;
  bool exists = !fs::status(path, status) && fs::exists(status);
  if (exists && fs::is_directory(status))
    return "is a directory";
  if (exists && !fs::is_regular_file(status)) {
    std::error_code ec;
    llvm::raw_fd_ostream os(path, ec);
    if (ec)
      return ec.message();
    os << contents;
    return finish(os);
  }
  // The name is the target's, so that the rename stays on one file system.
  auto temp = fs::TempFile::create(path + ".tmp-%%%%%%");
  if (!temp)
    return llvm::toString(temp.takeError());
  llvm::raw_fd_ostream os(temp->FD, /*shouldClose=*/false);
  os << contents;
  if (std::string why = finish(os); !why.empty()) {
    llvm::consumeError(temp->discard());
    return why;
  }
  // Permissions of the file that was there, or what a new file would get.
  (void)fs::setPermissions(temp->FD, exists
                                         ? status.permissions()
                                         : fs::perms(0666 & ~fs::getUmask()));
  if (llvm::Error e = temp->keep(path)) {
    llvm::consumeError(temp->discard());
    return llvm::toString(std::move(e));
  }
  return "";
}

bool tlc::writeFileAtomically(StringRef path, StringRef contents,
                              std::string &error) {
  std::string why = write(path, contents);
  if (why.empty())
    return true;
  error = path == "-" ? "cannot write to standard output: " + why
                      : reason("write", path, why);
  return false;
}

bool tlc::canWriteFile(StringRef path, std::string &error) {
  if (path == "-")
    return true;
  std::string why;
  fs::file_status status;
  if (!fs::status(path, status) && fs::is_directory(status)) {
    why = "is a directory";
  } else if (!fs::exists(status)) {
    // The folder takes the new file.
    StringRef folder = llvm::sys::path::parent_path(path);
    if (std::error_code ec =
            fs::access(folder.empty() ? "." : folder, fs::AccessMode::Write))
      why = ec.message();
  } else if (std::error_code ec = fs::access(path, fs::AccessMode::Write)) {
    why = ec.message();
  }
  if (why.empty())
    return true;
  error = reason("write", path, why);
  return false;
}

bool tlc::isSameFile(StringRef a, StringRef b) {
  if (a == "-" || b == "-")
    return false;
  if (fs::exists(a) || fs::exists(b))
    return fs::exists(a) && fs::exists(b) && fs::equivalent(a, b);
  // Of files that are not there yet their folders and names decide.
  auto folder = [](StringRef path) {
    StringRef parent = llvm::sys::path::parent_path(path);
    return parent.empty() ? StringRef(".") : parent;
  };
  return llvm::sys::path::filename(a) == llvm::sys::path::filename(b) &&
         fs::exists(folder(a)) && fs::exists(folder(b)) &&
         fs::equivalent(folder(a), folder(b));
}
