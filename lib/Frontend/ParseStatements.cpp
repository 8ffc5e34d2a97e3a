//===- ParseStatements.cpp - Modules, blocks, simple statements -----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The entry points, lines and blocks, and statements that end with their line.
// A file is parsed whole before anything of it runs, so that a syntax error
// anywhere is found, also in host code that no kernel needs.
//
//   x = y; return x         two statements of one line, in one block
//   a = b = f(c)            Assign: targets a, b; value Call
//   a[i] += 1               AugAssign +=: target a[i], value 1
//   n: int = 4              AnnAssign: target n, annotation int, value 4
//
// A statement's range is what messages underline: the whole of a simple one.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tlc;
using namespace tlc::frontend;
using llvm::SmallVector;

/// The statements of a file, owned by `context`; none after the first error.
std::optional<StmtList> frontend::parseFile(const SourceManager::Buffer &buffer,
                                            ASTContext &context,
                                            DiagnosticEngine &diags) {
  std::vector<Token> tokens;
  if (!tokenize(buffer, diags, tokens))
    return std::nullopt;
  return Parser(tokens, context, diags).parseModule();
}

/// One expression that is no file's: the value of a -D. Null after an error.
Expr *frontend::parseExpressionText(const SourceManager::Buffer &buffer,
                                    ASTContext &context,
                                    DiagnosticEngine &diags) {
  std::vector<Token> tokens;
  if (!tokenizeExpression(buffer.text, buffer.loc(0), diags, tokens))
    return nullptr;
  Parser parser(tokens, context, diags);
  Expr *value = parser.parseStarExpressions();
  return value && !parser.atEnd() ? parser.errorExpected("the end of the value")
                                  : value;
}

/// All statements of a file.
std::optional<StmtList> Parser::parseModule() {
  SmallVector<Stmt *> body;
  while (!atEnd()) {
    if (tok().kind == Tok::Newline) {
      ++pos;
      continue;
    }
    if (!parseStatement(body))
      return std::nullopt;
  }
  return ast.copy<Stmt *>(body);
}

/// The last line of a file need not end. True at the end of a line, which is
/// taken, or of the file.
bool Parser::expectNewline() {
  if (tok().kind == Tok::Newline) {
    ++pos;
    return true;
  }
  if (atEnd())
    return true;
  errorExpected("the end of the line");
  return false;
}

/// Appends the statements of one line, or one compound statement; false after a
/// report. Nesting is bounded here and in expressions.
///   statement: compound | simple (';' simple)* [';'] NEWLINE
bool Parser::parseStatement(llvm::SmallVectorImpl<Stmt *> &out) {
  DepthGuard guard(*this);
  if (!guard.ok())
    return false;
  if (tok().kind == Tok::Indent) {
    error(tok().range(), "unexpected indentation", DiagID::BadIndentation);
    return false;
  }
  bool compound =
      tok().is("@") || (tok().kind == Tok::Keyword &&
                        llvm::StringSwitch<bool>(tok().text)
                            .Cases({"if", "while", "for", "with", "try"}, true)
                            .Cases({"def", "class", "async"}, true)
                            .Default(false));
  if (compound || looksLikeMatch()) {
    Stmt *stmt = parseCompound();
    if (stmt)
      out.push_back(stmt);
    return stmt != nullptr;
  }
  return parseSimpleLine(out);
}

/// Simple statements with `;` between them.
bool Parser::parseSimpleLine(llvm::SmallVectorImpl<Stmt *> &out) {
  do {
    // `a; b;`: a semicolon may end the line.
    if (tok().kind == Tok::Newline)
      break;
    Stmt *stmt = parseSimple();
    if (!stmt)
      return false;
    out.push_back(stmt);
  } while (accept(";"));
  return expectNewline();
}

/// An indented block, or simple statements on the same line.
///   block: ':' NEWLINE INDENT statement+ DEDENT | ':' simple_line
bool Parser::parseBlock(StmtList &block) {
  if (!expect(":"))
    return false;
  SmallVector<Stmt *> body;
  // `if x: return 1`: the rest of the line is the block.
  if (tok().kind != Tok::Newline) {
    if (!parseSimpleLine(body))
      return false;
    block = ast.copy<Stmt *>(body);
    return true;
  }
  ++pos;
  if (tok().kind != Tok::Indent) {
    error(tok().range(), "expected an indented block", DiagID::BadIndentation);
    return false;
  }
  ++pos;
  while (tok().kind != Tok::Dedent && !atEnd())
    if (!parseStatement(body))
      return false;
  if (tok().kind == Tok::Dedent)
    ++pos;
  block = ast.copy<Stmt *>(body);
  return true;
}

/// A statement without a block: by its keyword, else an expression or
/// assignment.
Stmt *Parser::parseSimple() {
  SourceLoc begin = tok().loc;
  // Statements of one word.
  auto simple = [&](Stmt *stmt) {
    ++pos;
    stmt->range = since(begin);
    return stmt;
  };
  // A soft keyword: no other statement has two names side by side.
  if (atName("type") && tok(1).kind == Tok::Name)
    return parseTypeAlias();
  if (tok().kind == Tok::Keyword) {
    StringRef word = tok().text;
    if (word == "pass")
      return simple(ast.create<PassStmt>());
    if (word == "break")
      return simple(ast.create<BreakStmt>());
    if (word == "continue")
      return simple(ast.create<ContinueStmt>());
    if (word == "return") {
      ++pos;
      auto *ret = ast.create<ReturnStmt>();
      if (startsExpression() && !(ret->value = parseStarExpressions()))
        return nullptr;
      ret->range = since(begin);
      return ret;
    }
    if (word == "import")
      return parseImport();
    if (word == "from")
      return parseImportFrom();
    if (word == "global" || word == "nonlocal")
      return parseScope();
    if (word == "raise")
      return parseRaise();
    if (word == "assert")
      return parseAssert();
    if (word == "del")
      return parseDelete();
  }
  return parseExpressionStatement();
}

/// The operator of an augmented assignment; none for any other token. The lexer
/// makes one token of `+=`; no space may stand inside.
static std::optional<BinOpKind> augmented(const Token &token) {
  if (token.kind != Tok::Op)
    return std::nullopt;
  return llvm::StringSwitch<std::optional<BinOpKind>>(token.text)
      .Case("+=", BinOpKind::Add)
      .Case("-=", BinOpKind::Sub)
      .Case("*=", BinOpKind::Mul)
      .Case("/=", BinOpKind::Div)
      .Case("//=", BinOpKind::FloorDiv)
      .Case("%=", BinOpKind::Mod)
      .Case("**=", BinOpKind::Pow)
      .Case("@=", BinOpKind::MatMul)
      .Case("<<=", BinOpKind::Shl)
      .Case(">>=", BinOpKind::Shr)
      .Case("&=", BinOpKind::And)
      .Case("|=", BinOpKind::Or)
      .Case("^=", BinOpKind::Xor)
      .Default(std::nullopt);
}

/// What begins with an expression: an assignment if `=`, `+=` or `:` follows,
/// else the expression itself. Targets are checked after the fact, since only
/// what follows says that they are targets.
///   targets ('=' targets)* '=' value | target op '=' value
///   | target ':' annotation ['=' value] | star_expressions
Stmt *Parser::parseExpressionStatement() {
  SourceLoc begin = tok().loc;
  Expr *first = parseStarExpressions();
  if (!first)
    return nullptr;
  // `a, b += 1` is no statement: the target must be one place.
  if (auto op = augmented(tok())) {
    if (!checkTarget(first, false, "assign to"))
      return nullptr;
    ++pos;
    auto *stmt = ast.create<AugAssignStmt>();
    stmt->target = first;
    stmt->op = *op;
    if (!(stmt->value = parseStarExpressions()))
      return nullptr;
    stmt->range = since(begin);
    return stmt;
  }
  if (accept(":")) {
    if (!checkTarget(first, false, "annotate"))
      return nullptr;
    auto *stmt = ast.create<AnnAssignStmt>();
    stmt->target = first;
    if (!(stmt->annotation = parseExpression()) ||
        (accept("=") && !(stmt->value = parseStarExpressions())))
      return nullptr;
    stmt->range = since(begin);
    return stmt;
  }
  if (!at("=")) {
    auto *stmt = ast.create<ExprStmt>();
    stmt->value = first;
    stmt->range = since(begin);
    return stmt;
  }
  // a = b = value: everything but the last expression is a target.
  SmallVector<Expr *> targets;
  while (accept("=")) {
    if (!checkTarget(first, true, "assign to"))
      return nullptr;
    targets.push_back(first);
    // The next of the chain: another target, or at the end the value.
    if (!(first = parseStarExpressions()))
      return nullptr;
  }
  auto *stmt = ast.create<AssignStmt>();
  stmt->targets = ast.copy<Expr *>(targets);
  stmt->value = first;
  stmt->range = since(begin);
  return stmt;
}

/// `a.b.c` as one name, owned by the context.
bool Parser::parseDottedName(StringRef &name, SourceRange &range) {
  std::string text;
  SourceLoc begin = tok().loc;
  do {
    if (tok().kind != Tok::Name) {
      errorExpected("a module name");
      return false;
    }
    if (!text.empty())
      text += '.';
    text += tok().text;
    ++pos;
  } while (accept("."));
  name = ast.save(text);
  range = since(begin);
  return true;
}

/// `name [as other]` of an import. False after a report. `dotted` where the
/// name may be a path: not in `from a import b`.
bool Parser::parseAlias(bool dotted, ImportAlias &alias) {
  if (dotted) {
    if (!parseDottedName(alias.name, alias.range))
      return false;
  } else {
    if (tok().kind != Tok::Name) {
      errorExpected("a name to import");
      return false;
    }
    alias.name = tok().text;
    alias.range = tok().range();
    ++pos;
  }
  if (!accept("as"))
    return true;
  if (tok().kind != Tok::Name) {
    errorExpected("a name after 'as'");
    return false;
  }
  alias.asName = tok().text;
  ++pos;
  return true;
}

/// 'import' dotted ['as' NAME] (',' dotted ['as' NAME])*
Stmt *Parser::parseImport() {
  SourceLoc begin = tok().loc;
  ++pos;
  SmallVector<ImportAlias> names;
  do {
    names.emplace_back();
    if (!parseAlias(true, names.back()))
      return nullptr;
  } while (accept(","));
  auto *stmt = ast.create<ImportStmt>();
  stmt->names = ast.copy<ImportAlias>(names);
  stmt->range = since(begin);
  return stmt;
}

/// `from ..a.b import c as d, e`. Dots are counted: `...` is one token of
/// three.
///   'from' '.'* [dotted] 'import' ('*' | alias (',' alias)* | '(' ... ')')
Stmt *Parser::parseImportFrom() {
  SourceLoc begin = tok().loc;
  ++pos;
  auto *stmt = ast.create<ImportFromStmt>();
  while (at(".") || at("...")) {
    stmt->level += unsigned(tok().text.size());
    ++pos;
  }
  SourceRange ignored;
  // `from . import a` has dots alone.
  if (!(stmt->level && at("import")) && !parseDottedName(stmt->module, ignored))
    return nullptr;
  if (!expect("import"))
    return nullptr;
  SmallVector<ImportAlias> names;
  if (at("*")) {
    names.push_back({"*", {}, tok().range()});
    ++pos;
  } else {
    bool paren = accept("(");
    do {
      // Parentheses may end with a comma.
      if (paren && !names.empty() && at(")"))
        break;
      names.emplace_back();
      if (!parseAlias(false, names.back()))
        return nullptr;
    } while (accept(","));
    if (paren && !expect(")"))
      return nullptr;
  }
  stmt->names = ast.copy<ImportAlias>(names);
  stmt->range = since(begin);
  return stmt;
}

/// `global` or `nonlocal`. The names are looked up when the function runs; here
/// they are only listed.
Stmt *Parser::parseScope() {
  SourceLoc begin = tok().loc;
  auto *stmt = ast.create<ScopeStmt>();
  stmt->isGlobal = at("global");
  ++pos;
  SmallVector<StringRef> names;
  do {
    if (tok().kind != Tok::Name)
      return errorExpected("a name");
    names.push_back(tok().text);
    ++pos;
  } while (accept(","));
  stmt->names = ast.copy<StringRef>(names);
  stmt->range = since(begin);
  return stmt;
}

/// 'raise' [expression ['from' expression]]
Stmt *Parser::parseRaise() {
  SourceLoc begin = tok().loc;
  ++pos;
  auto *stmt = ast.create<RaiseStmt>();
  if (startsExpression()) {
    if (!(stmt->exception = parseExpression()) ||
        (accept("from") && !(stmt->cause = parseExpression())))
      return nullptr;
  }
  stmt->range = since(begin);
  return stmt;
}

/// 'assert' expression [',' expression]
Stmt *Parser::parseAssert() {
  SourceLoc begin = tok().loc;
  ++pos;
  auto *stmt = ast.create<AssertStmt>();
  if (!(stmt->condition = parseExpression()) ||
      (accept(",") && !(stmt->message = parseExpression())))
    return nullptr;
  stmt->range = since(begin);
  return stmt;
}

/// 'del' targets: names, elements, and tuples of them.
Stmt *Parser::parseDelete() {
  SourceLoc begin = tok().loc;
  ++pos;
  Expr *targets = parseStarExpressions();
  if (!targets || !checkTarget(targets, true, "delete"))
    return nullptr;
  auto *stmt = ast.create<DeleteStmt>();
  // `del a, b`: each by itself.
  if (auto *tuple = llvm::dyn_cast<TupleExpr>(targets))
    stmt->targets = tuple->elements;
  else
    stmt->targets = ast.copy<Expr *>(ArrayRef<Expr *>(targets));
  stmt->range = since(begin);
  return stmt;
}
