//===- DiagnosticPages.cpp - What `tlc explain` prints --------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pages under docs/diagnostics, as they were when tlc was configured: tlc
// is one file, and its explanations must be found wherever it is copied to.
//
//===----------------------------------------------------------------------===//

#include "tlc/Support/Diagnostics.h"

static const struct {
  unsigned number;
  const char *text;
} pages[] = {
#include "DiagnosticPages.inc"
};

llvm::StringRef tlc::diagnosticPage(DiagID id) {
  for (const auto &page : pages)
    if (page.number == unsigned(id))
      return page.text;
  return "";
}
