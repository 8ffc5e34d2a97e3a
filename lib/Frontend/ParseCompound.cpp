//===- ParseCompound.cpp - Statements with blocks -------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Statements with a block. The range of a compound statement is its head line,
// which is what messages underline. Each function starts at its keyword; null
// after a report.
//
//   if a: x                 If a
//   elif b: y          ->     body x
//   else: z                   else If b
//                                     body y
//                                     else z
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

using namespace tlc;
using namespace tlc::frontend;
using llvm::SmallVector;

/// The caller has seen one of these keywords, a decorator, or a `match`.
Stmt *Parser::parseCompound() {
  if (at("@"))
    return parseDecorated();
  // Only host code has them; they are parsed so that its file can be read.
  if (at("async")) {
    ++pos;
    if (at("def"))
      return parseFunction({}, true);
    if (at("for"))
      return parseFor(true);
    if (at("with"))
      return parseWith(true);
    return errorExpected("'def', 'for' or 'with' after 'async'");
  }
  if (at("if"))
    return parseIf();
  if (at("while"))
    return parseWhile();
  if (at("for"))
    return parseFor(false);
  if (at("with"))
    return parseWith(false);
  if (at("try"))
    return parseTry();
  if (at("def"))
    return parseFunction({}, false);
  if (at("class"))
    return parseClass({});
  return parseMatch();
}

/// Also entered at `elif`, which is an `if` in the orelse of the one before.
/// A chain is parsed by a loop; whoever walks it nests, so its length counts
/// as depth.
/// 'if' cond ':' block ('elif' cond ':' block)* ['else' ':' block]
Stmt *Parser::parseIf() {
  IfStmt *first = nullptr, *last = nullptr;
  for (unsigned length = 0;; ++length) {
    if (length > 500)
      return error(tok().range(), "more than 500 branches", DiagID::TooDeep);
    SourceLoc begin = tok().loc;
    ++pos;
    auto *stmt = ast.create<IfStmt>();
    if (!(stmt->condition = parseNamedExpression()))
      return nullptr;
    stmt->range = since(begin);
    if (!parseBlock(stmt->body))
      return nullptr;
    if (last)
      last->orelse = ast.copy<Stmt *>(ArrayRef<Stmt *>(stmt));
    else
      first = stmt;
    last = stmt;
    if (!at("elif"))
      break;
  }
  if (accept("else") && !parseBlock(last->orelse))
    return nullptr;
  return first;
}

/// 'while' named_expr ':' block ['else' ':' block]
Stmt *Parser::parseWhile() {
  SourceLoc begin = tok().loc;
  ++pos;
  auto *stmt = ast.create<WhileStmt>();
  if (!(stmt->condition = parseNamedExpression()))
    return nullptr;
  stmt->range = since(begin);
  if (!parseBlock(stmt->body))
    return nullptr;
  if (accept("else") && !parseBlock(stmt->orelse))
    return nullptr;
  return stmt;
}

/// `for target in iterable:`, where both may be tuples without parentheses.
///   'for' targets 'in' star_expressions ':' block ['else' ':' block]
Stmt *Parser::parseFor(bool isAsync) {
  SourceLoc begin = tok().loc;
  ++pos;
  // Targets are primaries, so that `in` is not taken for a comparison.
  auto *stmt = ast.create<ForStmt>();
  stmt->isAsync = isAsync;
  if (!(stmt->target = parseTargetList()) || !expect("in") ||
      !(stmt->iterable = parseStarExpressions()))
    return nullptr;
  stmt->range = since(begin);
  if (!parseBlock(stmt->body))
    return nullptr;
  if (accept("else") && !parseBlock(stmt->orelse))
    return nullptr;
  return stmt;
}

/// `a as b, c`: stops before the ':' or, in parentheses, before the ')'.
///   expression ['as' target] (',' expression ['as' target])*
bool Parser::parseWithItems(llvm::SmallVectorImpl<WithStmt::Item> &items) {
  do {
    WithStmt::Item item{parseExpression(), nullptr};
    if (!item.context)
      return false;
    if (accept("as")) {
      SourceLoc begin = tok().loc;
      item.target = parsePrimary();
      if (!item.target || !checkTarget(item.target, true, "assign to"))
        return false;
      (void)begin;
    }
    items.push_back(item);
  } while (accept(",") && !at(")"));
  return true;
}

/// `with (a as b, c as d):`. The parenthesis may as well begin an expression,
/// so this is tried first, silently.
bool Parser::tryParenthesizedWithItems(
    llvm::SmallVectorImpl<WithStmt::Item> &items) {
  if (!at("("))
    return false;
  size_t start = pos;
  bool ok;
  {
    DiagnosticEngine::Capture quiet(diags);
    ++pos;
    ok = parseWithItems(items) && accept(")") && at(":");
  }
  // The attempt's error is withdrawn with its messages.
  failed = false;
  if (!ok) {
    pos = start;
    items.clear();
  }
  return ok;
}

/// 'with' ('(' items [','] ')' | items) ':' block
Stmt *Parser::parseWith(bool isAsync) {
  SourceLoc begin = tok().loc;
  ++pos;
  auto *stmt = ast.create<WithStmt>();
  stmt->isAsync = isAsync;
  SmallVector<WithStmt::Item> items;
  if (!tryParenthesizedWithItems(items) && !parseWithItems(items))
    return nullptr;
  stmt->items = ast.copy<WithStmt::Item>(items);
  stmt->range = since(begin);
  if (!parseBlock(stmt->body))
    return nullptr;
  return stmt;
}

/// Handlers, `else` and `finally` in Python's order; one of handlers and
/// `finally` must be there.
///   'try' ':' block ('except' ['*'] [type ['as' NAME]] ':' block)*
///   ['else' ':' block] ['finally' ':' block]
Stmt *Parser::parseTry() {
  SourceLoc begin = tok().loc;
  ++pos;
  auto *stmt = ast.create<TryStmt>();
  stmt->range = since(begin);
  if (!parseBlock(stmt->body))
    return nullptr;
  SmallVector<TryStmt::Handler> handlers;
  while (accept("except")) {
    TryStmt::Handler handler{nullptr, {}, {}};
    stmt->isStar |= accept("*");
    // Without a type: everything is caught.
    if (!at(":")) {
      if (!(handler.type = parseStarExpressions()))
        return nullptr;
      if (accept("as")) {
        if (tok().kind != Tok::Name)
          return errorExpected("a name after 'as'");
        handler.name = tok().text;
        ++pos;
      }
    }
    if (!parseBlock(handler.body))
      return nullptr;
    handlers.push_back(handler);
  }
  stmt->handlers = ast.copy<TryStmt::Handler>(handlers);
  // `else` without a handler is a syntax error, found at the `else` below.
  if (!handlers.empty() && accept("else") && !parseBlock(stmt->orelse))
    return nullptr;
  bool hasFinally = accept("finally");
  if (hasFinally && !parseBlock(stmt->finalbody))
    return nullptr;
  if (handlers.empty() && !hasFinally)
    return errorExpected("'except' or 'finally'");
  return stmt;
}

/// Decorators, one a line, then what they decorate.
///   ('@' named_expr NEWLINE)+ ('def' ... | 'class' ... | 'async' 'def' ...)
Stmt *Parser::parseDecorated() {
  SmallVector<Expr *> decorators;
  while (accept("@")) {
    decorators.push_back(parseNamedExpression());
    if (!decorators.back() || !expectNewline())
      return nullptr;
  }
  ExprList list = ast.copy<Expr *>(decorators);
  if (at("def"))
    return parseFunction(list, false);
  if (at("class"))
    return parseClass(list);
  if (at("async") && tok(1).is("def")) {
    ++pos;
    return parseFunction(list, true);
  }
  return errorExpected("'def' or 'class' after a decorator");
}

/// What annotations would read is looked at and left: kernels have none of it.
///   ['[' (['*' | '**'] NAME [':' expression]) (',' ...)* [','] ']']
bool Parser::parseTypeParameters() {
  if (!accept("["))
    return true;
  do {
    if (at("]"))
      break;
    if (!accept("*"))
      accept("**");
    if (tok().kind != Tok::Name) {
      errorExpected("a type parameter");
      return false;
    }
    ++pos;
    if (accept(":") && !parseExpression())
      return false;
  } while (accept(","));
  return expect("]");
}

/// As an assignment, which nothing reads.
///   'type' NAME [type parameters] '=' expression
Stmt *Parser::parseTypeAlias() {
  SourceLoc begin = tok().loc;
  ++pos;
  auto *name = ast.create<NameExpr>();
  name->id = tok().text;
  name->range = tok().range();
  ++pos;
  if (!parseTypeParameters() || !expect("="))
    return nullptr;
  auto *stmt = ast.create<AssignStmt>();
  stmt->targets = ast.copy<Expr *>(SmallVector<Expr *>{name});
  if (!(stmt->value = parseExpression()))
    return nullptr;
  stmt->range = since(begin);
  return stmt;
}

/// 'def' NAME [type parameters] '(' parameters ')' ['->' expression] ':' block
Stmt *Parser::parseFunction(ExprList decorators, bool isAsync) {
  SourceLoc begin = tok().loc;
  ++pos;
  auto *stmt = ast.create<FunctionDefStmt>();
  stmt->decorators = decorators;
  stmt->isAsync = isAsync;
  if (tok().kind != Tok::Name)
    return errorExpected("a function name");
  stmt->name = tok().text;
  stmt->nameRange = tok().range();
  ++pos;
  if (!parseTypeParameters() || !expect("(") ||
      !parseParams(")", true, stmt->params) || !expect(")"))
    return nullptr;
  if (accept("->") && !(stmt->returns = parseExpression()))
    return nullptr;
  stmt->range = since(begin);
  if (!parseBlock(stmt->body))
    return nullptr;
  return stmt;
}

/// Bases and keywords have the syntax of a call's arguments and are parsed as
/// such.
///   'class' NAME [type parameters] ['(' arguments ')'] ':' block
Stmt *Parser::parseClass(ExprList decorators) {
  SourceLoc begin = tok().loc;
  ++pos;
  auto *stmt = ast.create<ClassDefStmt>();
  stmt->decorators = decorators;
  if (tok().kind != Tok::Name)
    return errorExpected("a class name");
  stmt->name = tok().text;
  stmt->nameRange = tok().range();
  ++pos;
  if (!parseTypeParameters())
    return nullptr;
  if (accept("(")) {
    // The callee of a call that is never made: only its arguments are used.
    auto *placeholder = ast.create<NameExpr>();
    Expr *call = parseCallArguments(placeholder, begin);
    if (!call)
      return nullptr;
    stmt->bases = llvm::cast<CallExpr>(call)->args;
    stmt->keywords = llvm::cast<CallExpr>(call)->keywords;
  }
  stmt->range = since(begin);
  if (!parseBlock(stmt->body))
    return nullptr;
  return stmt;
}

/// `match` is a name unless the line reads `match <subject>:` and a `case`
/// follows. Tokens are looked at, nothing is parsed.
bool Parser::looksLikeMatch() {
  if (!atName("match"))
    return false;
  size_t i = 1;
  unsigned open = 0;
  // Brackets are counted for the `:` of a slice or lambda not to matter; inside
  // them the lexer gives no Newline.
  for (; pos + i < tokens.size(); ++i) {
    const Token &t = tok(i);
    if (t.kind == Tok::Newline || t.kind == Tok::End)
      break;
    if (t.is("(") || t.is("[") || t.is("{"))
      ++open;
    else if (t.is(")") || t.is("]") || t.is("}"))
      open -= open ? 1 : 0;
  }
  return i > 2 && tok(i).kind == Tok::Newline && tok(i - 1).is(":") &&
         tok(i + 1).kind == Tok::Indent && tok(i + 2).kind == Tok::Name &&
         tok(i + 2).text == "case";
}

/// Only entered where looksLikeMatch: an error here is one of a match
/// statement.
///   'match' subject ':' NEWLINE INDENT
///       ('case' patterns ['if' cond] ':' block)+
Stmt *Parser::parseMatch() {
  SourceLoc begin = tok().loc;
  ++pos;
  auto *stmt = ast.create<MatchStmt>();
  if (!(stmt->subject = parseStarExpressions()))
    return nullptr;
  stmt->range = since(begin);
  if (!expect(":") || !expectNewline() || tok().kind != Tok::Indent)
    return errorExpected("'case'");
  ++pos;
  SmallVector<MatchStmt::Case> cases;
  while (atName("case")) {
    ++pos;
    MatchStmt::Case entry{parsePatterns(), nullptr, {}};
    if (!entry.pattern ||
        (accept("if") && !(entry.guard = parseNamedExpression())))
      return nullptr;
    if (!parseBlock(entry.body))
      return nullptr;
    cases.push_back(entry);
  }
  if (tok().kind != Tok::Dedent && !atEnd())
    return errorExpected("'case'");
  if (tok().kind == Tok::Dedent)
    ++pos;
  stmt->cases = ast.copy<MatchStmt::Case>(cases);
  return stmt;
}
