//===- Diagnostics.h - Located messages with stable ids ---------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every message of tlc goes through a DiagnosticEngine: severity, a stable id
// (`TL0312`, from Diagnostics.def), a source range, notes elsewhere, and a help
// line. No MLIR here; MLIR's own diagnostics are routed in by
// tlc/Frontend/MLIRDiagnostics.h.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_SUPPORT_DIAGNOSTICS_H
#define TLC_SUPPORT_DIAGNOSTICS_H

#include "tlc/Support/SourceManager.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

namespace tlc {

enum class Severity : uint8_t { Remark, Warning, Error };

enum class DiagID : uint16_t {
#define TLC_DIAG(number, name, severity, title) name = number,
#include "tlc/Support/Diagnostics.def"
};

/// What the table says of one id.
struct DiagInfo {
  DiagID id;
  Severity severity;
  llvm::StringRef name, title;
};

/// The whole table, in the order of the numbers.
llvm::ArrayRef<DiagInfo> diagnosticTable();
const DiagInfo &diagnosticInfo(DiagID id);
/// "TL0312" for 312.
std::string diagnosticCode(DiagID id);
/// The entry for "TL0312", "tl312" or "312"; none if there is no such id.
std::optional<DiagInfo> findDiagnostic(llvm::StringRef code);

/// Whether an error of this id says that the input is too large, not that it is
/// wrong: such errors have an exit code of their own.
bool isLimit(DiagID id);

/// The page of docs/diagnostics for an id, in Markdown; empty if it has none.
llvm::StringRef diagnosticPage(DiagID id);

struct DiagNote {
  SourceRange range; ///< may be invalid: the note then has no place
  std::string message;
};

struct Diagnostic {
  DiagID id;
  Severity severity;
  SourceRange range;
  std::string message;
  std::string help;
  llvm::SmallVector<DiagNote, 2> notes;
};

class DiagnosticEngine;

/// Collects the parts of one message and reports it when it goes out of scope.
class DiagBuilder {
public:
  DiagBuilder(DiagnosticEngine &engine, Diagnostic diag)
      : engine(&engine), diag(std::move(diag)) {}
  DiagBuilder(DiagBuilder &&other)
      : engine(other.engine), diag(std::move(other.diag)) {
    other.engine = nullptr;
  }
  DiagBuilder(const DiagBuilder &) = delete;
  DiagBuilder &operator=(const DiagBuilder &) = delete;
  ~DiagBuilder();

  DiagBuilder &note(SourceRange range, const llvm::Twine &message) {
    diag.notes.push_back({range, message.str()});
    return *this;
  }
  DiagBuilder &help(const llvm::Twine &message) {
    diag.help = message.str();
    return *this;
  }

private:
  DiagnosticEngine *engine;
  Diagnostic diag;
};

class DiagnosticEngine {
public:
  /// Prints to `os` as messages arrive; colours only if `color`.
  explicit DiagnosticEngine(SourceManager &sources,
                            llvm::raw_ostream &os = llvm::errs(),
                            bool color = false)
      : sources(sources), os(os), color(color) {}

  SourceManager &sourceManager() { return sources; }

  DiagBuilder report(DiagID id, SourceRange range, const llvm::Twine &message);
  /// A message that belongs to no source text (command line, files).
  DiagBuilder report(DiagID id, const llvm::Twine &message) {
    return report(id, {}, message);
  }

  /// Takes a finished message: into the innermost capture, or printed.
  void emit(Diagnostic diag);

  bool hasErrors() const { return errors != 0; }
  /// Whether one of the errors was a limit of tlc or of the machine.
  bool reachedLimit() const { return limit; }
  void setRemarks(bool on) { showRemarks = on; }
  /// Further notes for every error that follows (the chain of inlined calls).
  llvm::SmallVector<DiagNote, 4> context;

  /// While alive, messages are kept here instead of printed and counted.
  class Capture {
  public:
    explicit Capture(DiagnosticEngine &engine)
        : engine(engine), outer(engine.capture) {
      engine.capture = this;
    }
    ~Capture() { engine.capture = outer; }
    bool hasErrors() const {
      for (const Diagnostic &d : diags)
        if (d.severity == Severity::Error)
          return true;
      return false;
    }
    std::vector<Diagnostic> diags;

  private:
    friend class DiagnosticEngine;
    DiagnosticEngine &engine;
    Capture *outer;
  };

private:
  void printText(const Diagnostic &diag);
  void printPlace(SourceRange range, llvm::StringRef label,
                  llvm::raw_ostream::Colors labelColor, llvm::StringRef message,
                  llvm::StringRef code);

  SourceManager &sources;
  llvm::raw_ostream &os;
  Capture *capture = nullptr;
  unsigned errors = 0;
  bool color, showRemarks = true, limit = false;
};

} // namespace tlc

#endif // TLC_SUPPORT_DIAGNOSTICS_H
