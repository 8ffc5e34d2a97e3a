//===- DiagnosticRouter.cpp - MLIR's diagnostics through tlc's --*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's diagnostics in tlc's form. A location may be nested (fused, call
// sites); the first place in a loaded file counts, and the calls around it
// become notes:
//
//   loc(callsite("k.tile":4:5 at "k.tile":10:9))  "error: ... [TL0602]"
//   ->  k.tile:4:5: error: ... [TL0602]
//       k.tile:10:9: note: in the call here
//
//===----------------------------------------------------------------------===//

#include "DiagnosticRouter.h"

using namespace tlc;

/// In force as long as it lives; what it handles goes no further.
DiagnosticRouter::DiagnosticRouter(Compilation &compilation)
    : ScopedDiagnosticHandler(&compilation.context()),
      compilation(compilation) {
  setHandler([this](mlir::Diagnostic &diag) {
    route(diag);
    return mlir::success();
  });
}

/// Invalid where the location is in no file that was loaded.
SourceRange DiagnosticRouter::rangeOf(mlir::Location loc) {
  SourceLoc begin;
  loc->walk([&](mlir::Location inner) {
    auto place = mlir::dyn_cast<mlir::FileLineColLoc>(inner);
    if (!place)
      return mlir::WalkResult::advance();
    begin = compilation.sources.find(place.getFilename(), place.getLine(),
                                     place.getColumn());
    return begin.isValid() ? mlir::WalkResult::interrupt()
                           : mlir::WalkResult::advance();
  });
  if (!begin.isValid())
    return {};
  // MLIR knows where something begins, not its end.
  return {begin, begin.advanced(1)};
}

/// Cuts "[TL0601]" off the end of a message.
static std::optional<DiagID> takeID(std::string &message) {
  llvm::StringRef text(message);
  size_t at = text.rfind("[TL");
  if (at == llvm::StringRef::npos || !text.ends_with("]"))
    return std::nullopt;
  auto info = findDiagnostic(text.substr(at + 1).drop_back());
  if (!info)
    return std::nullopt;
  message = text.substr(0, at).rtrim().str();
  return info->id;
}

/// What a pass says without an id is PassError and so on. Limits of the machine
/// give the process an exit code of their own.
void DiagnosticRouter::route(mlir::Diagnostic &diag) {
  Diagnostic out;
  out.message = diag.str();
  std::optional<DiagID> id = takeID(out.message);
  switch (diag.getSeverity()) {
  case mlir::DiagnosticSeverity::Error:
    out.severity = Severity::Error;
    out.id = id.value_or(DiagID::PassError);
    break;
  case mlir::DiagnosticSeverity::Warning:
    out.severity = Severity::Warning;
    out.id = id.value_or(DiagID::PassWarning);
    break;
  default:
    out.severity = Severity::Remark;
    out.id = id.value_or(DiagID::PassRemark);
    break;
  }
  out.range = rangeOf(diag.getLocation());
  // A pattern that is tried again says the same again.
  if (std::string text = out.message; out.severity != Severity::Remark) {
    llvm::raw_string_ostream(text) << diag.getLocation();
    if (!said.insert(text).second)
      return;
  }
  if (out.severity != Severity::Remark) {
    // The calls of the helpers around the place, innermost first.
    mlir::Location loc = diag.getLocation();
    while (auto call = mlir::dyn_cast<mlir::CallSiteLoc>(loc)) {
      loc = call.getCaller();
      auto inner = mlir::dyn_cast<mlir::CallSiteLoc>(loc);
      out.notes.push_back(
          {rangeOf(inner ? inner.getCallee() : loc), "in the call here"});
    }
  }
  for (mlir::Diagnostic &note : diag.getNotes()) {
    std::string text = note.str();
    llvm::StringRef ref(text);
    // "help: ..." is what to do, not another place.
    if (ref.consume_front("help: "))
      out.help = ref.str();
    else
      out.notes.push_back({rangeOf(note.getLocation()), text});
  }
  compilation.diags.emit(std::move(out));
}
