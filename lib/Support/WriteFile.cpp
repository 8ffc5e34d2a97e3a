//===- WriteFile.cpp - Files written whole or not at all ------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contents go to a temporary file in the same folder, which is renamed over
// the target only after every byte is written. Devices and pipes (/dev/null)
// are written directly: renaming over them would replace them.
//
//===----------------------------------------------------------------------===//

#include "tlc/Support/Diagnostics.h"
#include "llvm/Support/FileSystem.h"

using namespace tlc;

bool tlc::writeFileAtomically(llvm::StringRef path, llvm::StringRef contents,
                              std::string &error) {
  if (path == "-") {
    llvm::outs() << contents;
    llvm::outs().flush();
    if (!llvm::outs().has_error())
      return true;
    error = llvm::outs().error().message();
    llvm::outs().clear_error();
    return false;
  }
  llvm::sys::fs::file_status status;
  bool exists =
      !llvm::sys::fs::status(path, status) && llvm::sys::fs::exists(status);
  if (exists && llvm::sys::fs::is_directory(status)) {
    error = "is a directory";
    return false;
  }
  if (exists && !llvm::sys::fs::is_regular_file(status)) {
    std::error_code ec;
    llvm::raw_fd_ostream os(path, ec);
    if (!ec) {
      os << contents;
      os.close();
      ec = os.error();
      os.clear_error();
    }
    error = ec.message();
    return !ec;
  }
  // The name is the target's, so that the rename stays on one file system.
  auto temp = llvm::sys::fs::TempFile::create(path + ".tmp-%%%%%%");
  if (!temp) {
    error = llvm::toString(temp.takeError());
    return false;
  }
  llvm::raw_fd_ostream os(temp->FD, /*shouldClose=*/false);
  os << contents;
  os.flush();
  if (os.has_error()) {
    error = os.error().message();
    os.clear_error();
    llvm::consumeError(temp->discard());
    return false;
  }
  // Permissions of the file that was there, or what a new file would get.
  if (exists)
    (void)llvm::sys::fs::setPermissions(temp->FD, status.permissions());
  else
    (void)llvm::sys::fs::setPermissions(
        temp->FD, llvm::sys::fs::perms(0666 & ~llvm::sys::fs::getUmask()));
  if (llvm::Error e = temp->keep(path)) {
    error = llvm::toString(std::move(e));
    llvm::consumeError(temp->discard());
    return false;
  }
  return true;
}
