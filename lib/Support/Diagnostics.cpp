//===- Diagnostics.cpp - Located messages with stable ids -----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A message prints as
//   file.tile:12:9: error: the message [TL0302]
//     12 |     T.copy(A, B)
//        |            ^
// followed by its notes in the same form and one help line.
//
//===----------------------------------------------------------------------===//

#include "tlc/Support/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Unicode.h"
#include <algorithm>

using namespace tlc;
using llvm::StringRef;

static const DiagInfo table[] = {
#define TLC_DIAG(number, name, severity, title)                                \
  {DiagID::name, Severity::severity, #name, title},
#include "tlc/Support/Diagnostics.def"
};

llvm::ArrayRef<DiagInfo> tlc::diagnosticTable() { return table; }

const DiagInfo &tlc::diagnosticInfo(DiagID id) {
  const auto *it = std::lower_bound(
      std::begin(table), std::end(table), id,
      [](const DiagInfo &info, DiagID id) { return info.id < id; });
  return *it;
}

bool tlc::isLimit(DiagID id) {
  switch (id) {
  case DiagID::TooDeep:
  case DiagID::StepLimit:
  case DiagID::CallDepth:
  case DiagID::LdsDoesNotFit:
  case DiagID::RegistersDoNotFit:
  case DiagID::MemoryLimit:
    return true;
  default:
    return false;
  }
}

/// "TL0302".
std::string tlc::diagnosticCode(DiagID id) {
  std::string number = llvm::utostr(unsigned(id));
  return "TL" + std::string(number.size() < 4 ? 4 - number.size() : 0, '0') +
         number;
}

/// By a code as printed, or its number alone.
std::optional<DiagInfo> tlc::findDiagnostic(StringRef code) {
  code.consume_front_insensitive("TL");
  unsigned number = 0;
  if (code.getAsInteger(10, number))
    return std::nullopt;
  for (const DiagInfo &info : table)
    if (unsigned(info.id) == number)
      return info;
  return std::nullopt;
}

DiagBuilder::~DiagBuilder() {
  if (engine)
    engine->emit(std::move(diag));
}

/// The message is emitted when the builder goes, with what was added to it by
/// then.
DiagBuilder DiagnosticEngine::report(DiagID id, SourceRange range,
                                     const llvm::Twine &message) {
  Diagnostic diag{id, diagnosticInfo(id).severity, range, message.str(), {},
                  {}};
  return DiagBuilder(*this, std::move(diag));
}

/// To the innermost capture, or printed. The calls under way become notes, the
/// innermost first.
void DiagnosticEngine::emit(Diagnostic diag) {
  if (diag.severity != Severity::Remark)
    diag.notes.append(context.rbegin(), context.rend());
  if (capture) {
    capture->diags.push_back(std::move(diag));
    return;
  }
  if (diag.severity == Severity::Error) {
    ++errors;
    limit |= isLimit(diag.id);
  }
  if (diag.severity == Severity::Remark && !showRemarks)
    return;
  printText(diag);
}

/// Source text as it can be shown: tabs as one blank, no control characters.
static std::string printable(StringRef text) {
  std::string out;
  for (char c : text)
    out += (unsigned char)c < 0x20 || c == 0x7f ? ' ' : c;
  return out;
}

/// A message that quotes a name of a megabyte is cut in the middle.
static std::string shortened(StringRef message) {
  constexpr size_t most = 2000, kept = 900;
  if (message.size() <= most)
    return message.str();
  return (message.take_front(kept) + " [...] " + message.take_back(kept)).str();
}

/// Columns that a terminal takes for a text: no more bytes than characters, and
/// twice as many for some scripts.
static size_t columnsOf(StringRef text) {
  std::string shown = printable(text);
  int width = llvm::sys::unicode::columnWidthUTF8(shown);
  return width < 0 ? shown.size() : size_t(width);
}

/// A position moved to where a character of UTF-8 begins.
static size_t characterStart(StringRef text, size_t at) {
  while (at > 0 && at < text.size() && (text[at] & 0xc0) == 0x80)
    --at;
  return at;
}

/// The line of a place with a caret under it. Very long lines are cut around
/// the place.
static std::pair<std::string, std::string>
excerpt(StringRef line, size_t column, size_t length) {
  constexpr size_t limit = 160;
  column = std::min(column, line.size());
  if (line.size() > limit) {
    size_t from =
        characterStart(line, column > limit / 2 ? column - limit / 2 : 0);
    size_t to = characterStart(line, std::min(from + limit, line.size()));
    line = line.slice(from, to);
    column -= from;
  }
  length = std::min(length, line.size() - column);
  size_t carets = std::max<size_t>(1, columnsOf(line.substr(column, length)));
  return {printable(line),
          std::string(columnsOf(line.take_front(column)), ' ') + '^' +
              std::string(carets - 1, '~')};
}

/// A place with its label, message, line and caret; "tlc: " for a message
/// without one.
void DiagnosticEngine::printPlace(SourceRange range, StringRef label,
                                  llvm::raw_ostream::Colors labelColor,
                                  StringRef message, StringRef code) {
  SourceManager::Position pos = sources.position(range.begin);
  if (color)
    os.changeColor(llvm::raw_ostream::SAVEDCOLOR, /*Bold=*/true);
  if (pos.line)
    os << pos.file << ':' << pos.line << ':' << pos.column << ": ";
  else
    os << "tlc: ";
  if (color)
    os.changeColor(labelColor, true);
  os << label << ": ";
  if (color)
    os.resetColor();
  os << shortened(message);
  if (!code.empty())
    os << " [" << code << ']';
  os << '\n';
  if (!pos.line)
    return;
  StringRef line =
      SourceManager::lineText(*sources.bufferOf(range.begin), pos.line);
  size_t length =
      range.end.raw > range.begin.raw ? range.end.raw - range.begin.raw : 1;
  auto [text, caret] = excerpt(line, pos.column - 1, length);
  std::string number = llvm::utostr(pos.line);
  std::string gutter(std::max<size_t>(number.size(), 4), ' ');
  os << std::string(gutter.size() - number.size(), ' ') << number << " | "
     << text << '\n'
     << gutter << " | ";
  if (color) {
    os << caret.substr(0, caret.find('^'));
    os.changeColor(llvm::raw_ostream::GREEN, true);
    os << caret.substr(caret.find('^'));
    os.resetColor();
  } else {
    os << caret;
  }
  os << '\n';
}

void DiagnosticEngine::printText(const Diagnostic &diag) {
  static constexpr struct {
    const char *label;
    llvm::raw_ostream::Colors color;
  } styles[] = {{"remark", llvm::raw_ostream::BLUE},
                {"warning", llvm::raw_ostream::MAGENTA},
                {"error", llvm::raw_ostream::RED}};
  auto &style = styles[size_t(diag.severity)];
  printPlace(diag.range, style.label, style.color, diag.message,
             diagnosticCode(diag.id));
  // Of a long chain of calls both ends matter.
  constexpr size_t kMostNotes = 24, kFirst = 12, kLast = 6;
  size_t count = diag.notes.size();
  for (auto [i, note] : llvm::enumerate(diag.notes)) {
    if (count > kMostNotes && i >= kFirst && i + kLast < count) {
      if (i == kFirst)
        os << "tlc: note: " << count - kFirst - kLast << " more notes\n";
      continue;
    }
    printPlace(note.range, "note", llvm::raw_ostream::CYAN, note.message, "");
  }
  if (!diag.help.empty())
    os << "      = help: " << diag.help << '\n';
  os.flush();
}
