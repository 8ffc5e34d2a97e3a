//===- ParseExpressions.cpp - Operators, displays, lambdas ----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expressions by precedence, from `:=` down to powers; primaries and displays
// are in ParsePrimaries.cpp. Loosest first:
//
//   :=    if else    lambda    or    and    not    comparisons
//   |    ^    &    << >>    + -    * / // % @    unary + - ~    **
//
// The operators of the second line are parsed by one function that climbs:
// operand, then operators that bind tighter than the caller's, each with its
// own operand.
//
//   a + b * c - d    parseBinary(0): a, then '+' -> parseBinary(5), its right:
//                    parseBinary(5): b, '*' is 6 > 5: b * c; '-' is 5: returns
//                    parseBinary(0): (a + b * c), then '-': the same for d
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tlc;
using namespace tlc::frontend;
using llvm::SmallVector;

/// The first error counts; after it, tokens are out of step and everything else
/// would be a consequence.
std::nullptr_t Parser::error(SourceRange range, const llvm::Twine &message,
                             DiagID id) {
  if (!failed)
    diags.report(id, range, message);
  failed = true;
  return nullptr;
}

/// Says what stands there instead, in words where it has no spelling.
std::nullptr_t Parser::errorExpected(const llvm::Twine &what) {
  const Token &t = tok();
  switch (t.kind) {
  case Tok::End:
    return error("expected " + what + " before the end of the file");
  case Tok::Newline:
    return error("expected " + what + " before the end of the line");
  case Tok::Indent:
    return error("unexpected indentation");
  case Tok::Dedent:
    return error("expected " + what + " in the indented block");
  default:
    return error("expected " + what + ", not '" + t.text.take_front(40) + "'");
  }
}

/// Takes the token, or says that it is missing.
bool Parser::expect(StringRef text) {
  if (accept(text))
    return true;
  errorExpected("'" + text + "'");
  return false;
}

/// Sets the range, from `begin` to the last token taken, and the height, which
/// is one more than the highest child's. False, with a report, beyond
/// maxHeight.
bool Parser::measure(Expr *expr, SourceLoc begin, ArrayRef<ExprList> lists) {
  expr->range = since(begin);
  unsigned height = 0;
  for (ArrayRef<Expr *> list : lists)
    for (Expr *child : list)
      if (child)
        height = std::max<unsigned>(height, child->height);
  if (height + 1 > maxHeight) {
    error(expr->range, "this expression is nested too deeply", DiagID::TooDeep);
    return false;
  }
  expr->height = uint16_t(height + 1);
  return true;
}

/// Whether the next token can begin an expression or a starred one: after a
/// comma or `return` there may be none.
bool Parser::startsExpression() const {
  const Token &t = tok();
  switch (t.kind) {
  case Tok::Name:
  case Tok::Int:
  case Tok::Float:
  case Tok::Imaginary:
  case Tok::String:
    return true;
  case Tok::Keyword:
    return llvm::StringSwitch<bool>(t.text)
        .Cases({"True", "False", "None", "not", "lambda", "await", "yield"},
               true)
        .Default(false);
  case Tok::Op:
    return llvm::StringSwitch<bool>(t.text)
        .Cases({"(", "[", "{", "-", "+", "~", "...", "*"}, true)
        .Default(false);
  default:
    return false;
  }
}

/// An expression, or `name := value`.
///   named_expr: NAME ':=' expression | expression
Expr *Parser::parseNamedExpression() {
  SourceLoc begin = tok().loc;
  Expr *left = parseExpression();
  if (!left || !at(":="))
    return left;
  auto *name = llvm::dyn_cast<NameExpr>(left);
  if (!name)
    return error(left->range, "only a name can stand before ':='",
                 DiagID::BadTarget);
  ++pos;
  auto *named = ast.create<NamedExprExpr>();
  named->target = name;
  if (!(named->value = parseExpression()))
    return nullptr;
  return finish(named, begin, {named->value});
}

/// A lambda, or a value with its `if ... else ...`, which groups to the right.
///   expression: 'lambda' ... | or_test ['if' or_test 'else' expression]
Expr *Parser::parseExpression() {
  DepthGuard guard(*this);
  if (!guard.ok())
    return nullptr;
  SourceLoc begin = tok().loc;
  if (at("lambda"))
    return parseLambda();
  // Condition and value are read in the order of writing; `else` takes the
  // rest: a if b else c if d else e is a if b else (c if d else e).
  Expr *value = parseBoolOp(/*isAnd=*/false);
  if (!value || !accept("if"))
    return value;
  auto *choice = ast.create<IfExpExpr>();
  choice->then = value;
  if (!(choice->condition = parseBoolOp(false)) || !expect("else") ||
      !(choice->otherwise = parseExpression()))
    return nullptr;
  return finish(choice, begin,
                {choice->then, choice->condition, choice->otherwise});
}

/// 'lambda' [parameters] ':' expression
Expr *Parser::parseLambda() {
  SourceLoc begin = tok().loc;
  ++pos;
  auto *lambda = ast.create<LambdaExpr>();
  if (!parseParams(":", /*annotated=*/false, lambda->params) || !expect(":") ||
      !(lambda->body = parseExpression()))
    return nullptr;
  return finish(lambda, begin, {lambda->body});
}

/// A chain of `or` (of `and`): one node with all operands, so that long chains
/// are flat.
Expr *Parser::parseBoolOp(bool isAnd) {
  SourceLoc begin = tok().loc;
  auto operand = [&] { return isAnd ? parseNot() : parseBoolOp(true); };
  Expr *first = operand();
  StringRef word = isAnd ? "and" : "or";
  // One operand leaves no node.
  if (!first || !at(word))
    return first;
  SmallVector<Expr *> operands{first};
  while (accept(word)) {
    operands.push_back(operand());
    if (!operands.back())
      return nullptr;
  }
  auto *op = ast.create<BoolOpExpr>();
  op->isAnd = isAnd;
  op->operands = ast.copy<Expr *>(operands);
  return finish(op, begin, op->operands);
}

/// not_test: 'not' not_test | comparison
Expr *Parser::parseNot() {
  if (!at("not"))
    return parseComparison();
  DepthGuard guard(*this);
  if (!guard.ok())
    return nullptr;
  SourceLoc begin = tok().loc;
  ++pos;
  auto *op = ast.create<UnaryOpExpr>();
  op->op = UnaryOpKind::Not;
  if (!(op->operand = parseNot()))
    return nullptr;
  return finish(op, begin, {op->operand});
}

/// Comparisons chain: `a < b <= c` is one node with two operators.
///   comparison: binary (('<' | '==' | 'in' | 'is' ['not'] | ...) binary)*
Expr *Parser::parseComparison() {
  SourceLoc begin = tok().loc;
  Expr *first = parseBinary(0);
  if (!first)
    return nullptr;
  SmallVector<CmpOpKind> ops;
  SmallVector<Expr *> rest;
  // Symbols are one token; `in`, `not in`, `is` and `is not` are keywords.
  while (true) {
    std::optional<CmpOpKind> op;
    if (tok().kind == Tok::Op)
      op = llvm::StringSwitch<std::optional<CmpOpKind>>(tok().text)
               .Case("==", CmpOpKind::Eq)
               .Case("!=", CmpOpKind::Ne)
               .Case("<", CmpOpKind::Lt)
               .Case("<=", CmpOpKind::Le)
               .Case(">", CmpOpKind::Gt)
               .Case(">=", CmpOpKind::Ge)
               .Default(std::nullopt);
    if (op) {
      ++pos;
    } else if (accept("in")) {
      op = CmpOpKind::In;
    } else if (at("not") && tok(1).is("in")) {
      pos += 2;
      op = CmpOpKind::NotIn;
    } else if (accept("is")) {
      op = accept("not") ? CmpOpKind::IsNot : CmpOpKind::Is;
    } else {
      break;
    }
    ops.push_back(*op);
    rest.push_back(parseBinary(0));
    if (!rest.back())
      return nullptr;
  }
  if (ops.empty())
    return first;
  auto *compare = ast.create<CompareExpr>();
  compare->first = first;
  compare->ops = ast.copy<CmpOpKind>(ops);
  compare->rest = ast.copy<Expr *>(rest);
  // All operands count for the height.
  rest.push_back(first);
  return finish(compare, begin, rest);
}

namespace {
struct BinaryInfo {
  unsigned precedence;
  BinOpKind op;
};
} // namespace

/// Higher binds tighter; all of these group to the left.
static std::optional<BinaryInfo> binaryInfo(const Token &token) {
  using B = BinaryInfo;
  if (token.kind != Tok::Op)
    return std::nullopt;
  return llvm::StringSwitch<std::optional<B>>(token.text)
      .Case("|", B{1, BinOpKind::Or})
      .Case("^", B{2, BinOpKind::Xor})
      .Case("&", B{3, BinOpKind::And})
      .Case("<<", B{4, BinOpKind::Shl})
      .Case(">>", B{4, BinOpKind::Shr})
      .Case("+", B{5, BinOpKind::Add})
      .Case("-", B{5, BinOpKind::Sub})
      .Case("*", B{6, BinOpKind::Mul})
      .Case("/", B{6, BinOpKind::Div})
      .Case("//", B{6, BinOpKind::FloorDiv})
      .Case("%", B{6, BinOpKind::Mod})
      .Case("@", B{6, BinOpKind::MatMul})
      .Default(std::nullopt);
}

/// Operators of a precedence above `minPrecedence`.
Expr *Parser::parseBinary(unsigned minPrecedence) {
  SourceLoc begin = tok().loc;
  Expr *left = parseUnary();
  while (left) {
    auto info = binaryInfo(tok());
    // Left grouping: an operator of the same precedence belongs to the caller.
    if (!info || info->precedence <= minPrecedence)
      return left;
    ++pos;
    auto *op = ast.create<BinOpExpr>();
    op->op = info->op;
    op->lhs = left;
    if (!(op->rhs = parseBinary(info->precedence)))
      return nullptr;
    left = finish(op, begin, {op->lhs, op->rhs});
  }
  return nullptr;
}

/// unary: ('+' | '-' | '~') unary | power. Signs nest to the right: --x is
/// -(-x).
Expr *Parser::parseUnary() {
  UnaryOpKind kind;
  if (at("-"))
    kind = UnaryOpKind::Neg;
  else if (at("+"))
    kind = UnaryOpKind::Pos;
  else if (at("~"))
    kind = UnaryOpKind::Invert;
  else
    return parsePower();
  // Each sign is a call deeper: `- - - x` must not exhaust the stack.
  DepthGuard guard(*this);
  if (!guard.ok())
    return nullptr;
  SourceLoc begin = tok().loc;
  ++pos;
  auto *op = ast.create<UnaryOpExpr>();
  op->op = kind;
  if (!(op->operand = parseUnary()))
    return nullptr;
  return finish(op, begin, {op->operand});
}

/// `**` binds tighter than a sign on its left and looser than one on its right:
/// -2 ** -1 is -(2 ** (-1)).
///   power: ['await'] primary ['**' unary]
Expr *Parser::parsePower() {
  DepthGuard guard(*this);
  if (!guard.ok())
    return nullptr;
  SourceLoc begin = tok().loc;
  Expr *base;
  if (accept("await")) {
    auto *await = ast.create<AwaitExpr>();
    if (!(await->value = parsePrimary()))
      return nullptr;
    base = finish(await, begin, {await->value});
  } else {
    base = parsePrimary();
  }
  if (!base || !accept("**"))
    return base;
  auto *op = ast.create<BinOpExpr>();
  op->op = BinOpKind::Pow;
  op->lhs = base;
  // To the right through parseUnary: 2 ** -x, and 2 ** 3 ** 4 is 2 ** (3 ** 4).
  if (!(op->rhs = parseUnary()))
    return nullptr;
  return finish(op, begin, {op->lhs, op->rhs});
}

/// `*a, b, c` with or without a trailing comma; one expression stays itself.
Expr *Parser::parseStarExpressions() {
  SourceLoc begin = tok().loc;
  // `x = yield` stands where an expression list does.
  if (at("yield"))
    return parseYield();
  Expr *first = parseStarOrNamed();
  if (!first)
    return nullptr;
  if (!at(",")) {
    if (llvm::isa<StarredExpr>(first))
      return error(first->range,
                   "a starred expression needs a list or tuple around it");
    return first;
  }
  SmallVector<Expr *> elements{first};
  while (accept(",")) {
    // A comma at the end: `a,` is a tuple of one.
    if (!startsExpression())
      break;
    elements.push_back(parseStarOrNamed());
    if (!elements.back())
      return nullptr;
  }
  auto *tuple = ast.create<TupleExpr>();
  tuple->elements = ast.copy<Expr *>(elements);
  return finish(tuple, begin, tuple->elements);
}

/// star_or_named: '*' binary | named_expr
/// An element of a list, tuple or call. The operand of a star is an
/// or-expression in Python's grammar: no comparison, no `if`.
Expr *Parser::parseStarOrNamed() {
  SourceLoc begin = tok().loc;
  if (!accept("*"))
    return parseNamedExpression();
  auto *star = ast.create<StarredExpr>();
  if (!(star->value = parseBinary(0)))
    return nullptr;
  return finish(star, begin, {star->value});
}

/// yield, for the generators of host code.
///   'yield' ['from' expression | star_expressions]
Expr *Parser::parseYield() {
  SourceLoc begin = tok().loc;
  ++pos;
  auto *yield = ast.create<YieldExpr>();
  if (accept("from")) {
    yield->isFrom = true;
    if (!(yield->value = parseExpression()))
      return nullptr;
  } else if (startsExpression()) {
    if (!(yield->value = parseStarExpressions()))
      return nullptr;
  }
  return finish(yield, begin, {yield->value});
}

/// The parameters of a `def` or, without annotations, of a lambda, up to
/// `closer`, which stays. `/` makes those before it positional, a bare `*`
/// those after it named.
///   parameter: NAME [':' type] ['=' default] | '*' [NAME] | '**' NAME | '/'
bool Parser::parseParams(StringRef closer, bool annotated,
                         ArrayRef<Param> &params) {
  // What was seen so far decides what may follow.
  SmallVector<Param> list;
  bool keywordOnly = false, sawDefault = false, sawKwArgs = false,
       bareStar = false;
  while (!at(closer)) {
    if (sawKwArgs)
      return error("no parameter may follow '**'") != nullptr;
    SourceLoc begin = tok().loc;
    if (accept("/")) {
      if (list.empty() || keywordOnly)
        return error({begin, endOfPrevious()}, "'/' must follow a parameter") !=
               nullptr;
      for (Param &p : list)
        p.kind = Param::PosOnly;
    } else {
      Param param{keywordOnly ? Param::KwOnly : Param::Normal,
                  {},
                  {},
                  nullptr,
                  nullptr};
      if (accept("**")) {
        param.kind = Param::KwArgs;
        sawKwArgs = true;
      } else if (accept("*")) {
        if (keywordOnly)
          return error({begin, endOfPrevious()},
                       "a second '*' in the parameters") != nullptr;
        keywordOnly = true;
        param.kind = Param::VarArgs;
        // A bare `*` is no parameter: it makes the next ones named.
        if (at(",")) {
          bareStar = true;
          ++pos;
          continue;
        }
      }
      if (tok().kind != Tok::Name)
        return errorExpected("a parameter name") != nullptr;
      param.name = tok().text;
      param.range = tok().range();
      ++pos;
      for (const Param &p : list)
        if (p.name == param.name)
          return error(param.range,
                       "parameter '" + param.name + "' is repeated") != nullptr;
      bareStar = false;
      // `*args: *Ts` may have a star; a lambda has no annotations, since `:`
      // ends its parameters.
      if (annotated && accept(":") && !(param.annotation = parseStarOrNamed()))
        return false;
      if (accept("=")) {
        if (param.kind == Param::VarArgs || param.kind == Param::KwArgs)
          return error(param.range, "this parameter cannot have a default") !=
                 nullptr;
        if (!(param.defaultValue = parseExpression()))
          return false;
        sawDefault = true;
      } else if (sawDefault && param.kind == Param::Normal) {
        // Named parameters may come in any order of defaults.
        return error(param.range, "a parameter without a default follows one "
                                  "with a default") != nullptr;
      }
      list.push_back(param);
    }
    if (!at(closer) && !accept(","))
      return errorExpected("',' or '" + closer + "'") != nullptr;
  }
  if (bareStar)
    return error("named parameters must follow a bare '*'") != nullptr;
  params = ast.copy<Param>(list);
  return true;
}
