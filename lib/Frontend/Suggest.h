//===- Suggest.h - What a misspelt name may mean ----------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_FRONTEND_SUGGEST_H
#define TLC_LIB_FRONTEND_SUGGEST_H

#include "tlc/Support/Diagnostics.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace tlc::frontend {

/// Collects candidates and keeps the nearest; names that are not near enough to
/// be meant are none.
class NearestName {
public:
  explicit NearestName(llvm::StringRef name)
      : name(name), least(name.size() < 2 ? 1 : 2 + unsigned(name.size()) / 4) {
  }

  void consider(llvm::StringRef candidate) {
    unsigned distance = name.edit_distance(candidate, true, least);
    if (distance >= least || candidate.empty())
      return;
    least = distance;
    best = candidate.str();
  }
  bool found() const { return !best.empty(); }
  /// "did you mean 'prefix + name'?", where there is one.
  void help(DiagBuilder &diag, llvm::StringRef prefix = "") const {
    if (!best.empty())
      diag.help("did you mean '" + prefix + best + "'?");
  }

private:
  llvm::StringRef name;
  unsigned least;
  std::string best;
};

} // namespace tlc::frontend

#endif // TLC_LIB_FRONTEND_SUGGEST_H
