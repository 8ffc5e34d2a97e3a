//===- Lexer.h - Text to tokens ---------------------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Python's tokens. One pass over the text, linear in its length; the tokens
// refer to the text, which must outlive them.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_FRONTEND_LEXER_H
#define TLC_FRONTEND_LEXER_H

#include "tlc/Frontend/Token.h"
#include "tlc/Support/Diagnostics.h"
#include <vector>

namespace tlc::frontend {

/// Splits a whole source text into tokens by Python 3.12's rules; the last is
/// Tok::End. False if something was reported.
bool tokenize(const SourceManager::Buffer &buffer, DiagnosticEngine &diags,
              std::vector<Token> &tokens);

/// The same for an expression inside a formatted string: `text` is a part of a
/// loaded source text that begins at `loc`; newlines count as blanks.
bool tokenizeExpression(llvm::StringRef text, SourceLoc loc,
                        DiagnosticEngine &diags, std::vector<Token> &tokens);

/// Behind the string whose opening quote is at `at`, npos if it does not end.
/// In a formatted string, quotes in the expressions of {...} do not end it.
size_t endOfString(llvm::StringRef text, size_t at, bool formatted,
                   unsigned depth = 0);

} // namespace tlc::frontend

#endif // TLC_FRONTEND_LEXER_H
