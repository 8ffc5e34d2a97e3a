//===- ParserImpl.h - The recursive-descent parser --------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recursive descent with precedence climbing. A function that fails has
// reported and returns null (or false); nothing is parsed after that. Two
// limits keep the stack safe: `depth`, of the parser's own recursion, and the
// height of each expression, for those that walk the tree later (a chain of a
// thousand `+` nests without recursion here).
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_FRONTEND_PARSERIMPL_H
#define TLC_LIB_FRONTEND_PARSERIMPL_H

#include "tlc/Frontend/Lexer.h"
#include "tlc/Frontend/Parser.h"
#include "llvm/ADT/SmallVector.h"

namespace tlc::frontend {

class Parser {
public:
  Parser(ArrayRef<Token> tokens, ASTContext &context, DiagnosticEngine &diags)
      : tokens(tokens), ast(context), diags(diags) {}

  /// Nesting of this parser's functions, and of expressions in whoever walks
  /// the tree.
  static constexpr unsigned maxDepth = 220, maxHeight = 1000;

  // Statements (ParseStatements.cpp, ParseCompound.cpp).
  std::optional<StmtList> parseModule();

  // Expressions (ParseExpressions.cpp).
  Expr *parseExpression();
  Expr *parseNamedExpression();
  /// Expressions with commas and stars: a Tuple if there is a comma.
  Expr *parseStarExpressions();

  bool atEnd() const { return tok().kind == Tok::End; }
  std::nullptr_t error(const llvm::Twine &message) {
    return error(tok().range(), message);
  }
  std::nullptr_t error(SourceRange range, const llvm::Twine &message,
                       DiagID id = DiagID::SyntaxError);
  std::nullptr_t errorExpected(const llvm::Twine &what);

  /// Nesting so far; a formatted string's expression starts with that of its
  /// string.
  unsigned depth = 0;

private:
  struct DepthGuard {
    Parser &p;
    explicit DepthGuard(Parser &p) : p(p) { ++p.depth; }
    ~DepthGuard() { --p.depth; }
    /// False, with a report, beyond the limit.
    bool ok() {
      return p.depth <= maxDepth ||
             p.error(p.tok().range(), "this is nested too deeply",
                     DiagID::TooDeep);
    }
  };

  /// The token `ahead` of the next one; beyond the end always End.
  const Token &tok(size_t ahead = 0) const {
    return tokens[std::min(pos + ahead, tokens.size() - 1)];
  }
  bool at(StringRef text) const { return tok().is(text); }
  bool atName(StringRef text) const {
    return tok().kind == Tok::Name && tok().text == text;
  }
  /// Takes the next token if it is this operator or keyword.
  bool accept(StringRef text) {
    if (!at(text))
      return false;
    ++pos;
    return true;
  }
  bool expect(StringRef text);
  /// The same, with an error where it is not.
  bool expectNewline();
  SourceLoc endOfPrevious() const {
    return pos ? tokens[pos - 1].range().end : tok().loc;
  }
  /// From `begin` to the end of the last token taken.
  SourceRange since(SourceLoc begin) const { return {begin, endOfPrevious()}; }

  /// Sets range and height; null, with a report, if the tree is too high.
  template <typename T>
  T *finish(T *expr, SourceLoc begin, ArrayRef<Expr *> children) {
    return measure(expr, begin, ExprList(children)) ? expr : nullptr;
  }
  bool measure(Expr *expr, SourceLoc begin, ArrayRef<ExprList> children);

  bool startsExpression() const;
  Expr *parseBoolOp(bool isAnd);
  Expr *parseNot();
  Expr *parseComparison();
  Expr *parseBinary(unsigned minPrecedence);
  Expr *parseUnary();
  Expr *parsePower();
  Expr *parsePrimary();
  Expr *parseAtom();
  Expr *parseNumber();
  Expr *parseLambda();
  Expr *parseYield();
  Expr *parseParenthesized();
  Expr *parseListDisplay();
  Expr *parseBraceDisplay();
  Expr *parseCallArguments(Expr *callee, SourceLoc begin);
  Expr *parseSubscript(Expr *object, SourceLoc begin);
  Expr *parseSliceOrExpression();
  Expr *parseStarOrNamed();
  bool parseClauses(llvm::SmallVectorImpl<ComprehensionExpr::Clause> &clauses,
                    unsigned &height);
  Expr *parseComprehension(ComprehensionExpr::Type type, Expr *element,
                           Expr *value, SourceLoc begin);
  Expr *parseTargetList();
  bool checkTarget(Expr *target, bool allowTuple, StringRef what);
  bool parseParams(StringRef closer, bool annotated, ArrayRef<Param> &params);

  // Strings (ParseStrings.cpp).
  Expr *parseStrings();
  bool appendString(const Token &token, std::string &text,
                    llvm::SmallVectorImpl<JoinedStrExpr::Part> &parts,
                    bool &isBytes, bool &isFormatted);
  bool unescape(StringRef body, SourceLoc loc, bool bytes, std::string &out);
  bool parseFormatted(StringRef body, SourceLoc loc, bool raw, bool inSpec,
                      std::string &text,
                      llvm::SmallVectorImpl<JoinedStrExpr::Part> &parts);
  bool parseReplacement(StringRef body, SourceLoc loc, size_t &i, bool raw,
                        llvm::SmallVectorImpl<JoinedStrExpr::Part> &parts,
                        std::string &text);

  // Statements.
  bool parseStatement(llvm::SmallVectorImpl<Stmt *> &out);
  bool parseSimpleLine(llvm::SmallVectorImpl<Stmt *> &out);
  Stmt *parseSimple();
  Stmt *parseExpressionStatement();
  Stmt *parseImport();
  Stmt *parseImportFrom();
  bool parseDottedName(StringRef &name, SourceRange &range);
  bool parseAlias(bool dotted, ImportAlias &alias);
  Stmt *parseScope();
  Stmt *parseRaise();
  Stmt *parseAssert();
  Stmt *parseDelete();
  bool parseBlock(StmtList &block);
  Stmt *parseCompound();
  Stmt *parseIf();
  Stmt *parseWhile();
  Stmt *parseFor(bool isAsync);
  Stmt *parseWith(bool isAsync);
  bool parseWithItems(llvm::SmallVectorImpl<WithStmt::Item> &items);
  bool tryParenthesizedWithItems(llvm::SmallVectorImpl<WithStmt::Item> &items);
  Stmt *parseTry();
  Stmt *parseFunction(ExprList decorators, bool isAsync);
  bool parseTypeParameters();
  Stmt *parseTypeAlias();
  Stmt *parseClass(ExprList decorators);
  Stmt *parseDecorated();
  Stmt *parseMatch();
  bool looksLikeMatch();

  // Patterns (ParsePatterns.cpp).
  Pattern *parsePatterns();
  Pattern *parsePattern();
  Pattern *parseOrPattern();
  Pattern *parseClosedPattern();
  Pattern *parseSequencePattern(StringRef closer);
  Pattern *parseMappingPattern();
  Pattern *parseClassPattern(Expr *cls, SourceLoc begin);
  Pattern *makePattern(Pattern::Kind kind, SourceLoc begin);

  ArrayRef<Token> tokens;
  ASTContext &ast;
  DiagnosticEngine &diags;
  size_t pos = 0;
  bool failed = false;
};

} // namespace tlc::frontend

#endif // TLC_LIB_FRONTEND_PARSERIMPL_H
