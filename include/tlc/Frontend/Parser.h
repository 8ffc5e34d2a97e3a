//===- Parser.h - Tokens to a syntax tree -----------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Python's grammar, all of it: files hold host code beside their kernels. The
// tree and its strings belong to the ASTContext; names and literals without
// escapes point into the source text.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_FRONTEND_PARSER_H
#define TLC_FRONTEND_PARSER_H

#include "tlc/Frontend/AST.h"
#include "tlc/Support/Diagnostics.h"
#include <optional>

namespace tlc::frontend {

/// Parses a whole file by the grammar of Python 3.12. None if something was
/// reported: the first syntax error ends the parse.
std::optional<StmtList> parseFile(const SourceManager::Buffer &buffer,
                                  ASTContext &context, DiagnosticEngine &diags);

/// Parses one expression (a -D value). Null if something was reported.
Expr *parseExpressionText(const SourceManager::Buffer &buffer,
                          ASTContext &context, DiagnosticEngine &diags);

} // namespace tlc::frontend

#endif // TLC_FRONTEND_PARSER_H
