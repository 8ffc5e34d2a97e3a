//===- Token.h - Tokens of the source language ------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the lexer makes and the parser reads.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_FRONTEND_TOKEN_H
#define TLC_FRONTEND_TOKEN_H

#include "tlc/Support/SourceManager.h"

namespace tlc::frontend {

enum class Tok : uint8_t {
  End,
  Newline,
  Indent,
  Dedent,
  Name,    ///< also soft keywords: match, case, _
  Keyword, ///< compared by text
  Op,      ///< compared by text
  Int,
  Float,
  Imaginary,
  String, ///< prefix and quotes included
};

/// A piece of the source text; `text` points into it. Newline, Indent, Dedent
/// and End are empty, at the place where they take effect.
struct Token {
  Tok kind = Tok::End;
  llvm::StringRef text;
  SourceLoc loc;

  SourceRange range() const {
    return {loc, loc.advanced(uint32_t(text.size()))};
  }
  /// An operator or keyword of this spelling; names never are.
  bool is(llvm::StringRef spelling) const {
    return (kind == Tok::Op || kind == Tok::Keyword) && text == spelling;
  }
};

} // namespace tlc::frontend

#endif // TLC_FRONTEND_TOKEN_H
