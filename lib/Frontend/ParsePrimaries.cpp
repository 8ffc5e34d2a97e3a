//===- ParsePrimaries.cpp - Atoms, calls, subscripts, displays ------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names, literals, displays, calls, subscripts, and what may stand left of `=`.
// Each function starts at its first token unless it says otherwise; null after
// a report.
//
//   f(x, n=1)[i, 2:].T   ->   Attribute .T
//                               Subscript
//                                 Call f: x, n=1
//                                 Tuple: i, Slice 2 - -
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <cstdlib>

using namespace tlc;
using namespace tlc::frontend;
using llvm::SmallVector;

/// An atom and what follows it: f(x)[i].y(z) is parsed from left to right in a
/// loop, so that long chains need no recursion.
///   primary: atom ('(' arguments ')' | '[' index ']' | '.' NAME)*
Expr *Parser::parsePrimary() {
  SourceLoc begin = tok().loc;
  Expr *value = parseAtom();
  while (value) {
    if (accept("(")) {
      value = parseCallArguments(value, begin);
    } else if (accept("[")) {
      value = parseSubscript(value, begin);
    } else if (accept(".")) {
      // Keywords cannot be attributes, as in Python.
      if (tok().kind != Tok::Name)
        return errorExpected("an attribute name");
      auto *attr = ast.create<AttributeExpr>();
      attr->object = value;
      attr->attr = tok().text;
      attr->attrRange = tok().range();
      ++pos;
      value = finish(attr, begin, {attr->object});
    } else {
      return value;
    }
  }
  return nullptr;
}

/// atom: NAME | number | strings | None | True | False | '...' | '(' | '[' |
/// '{'
Expr *Parser::parseAtom() {
  const Token &t = tok();
  SourceLoc begin = t.loc;
  // None, True, False and `...` are tokens without further parts.
  auto constant = [&](ConstantExpr::Type type) {
    ++pos;
    auto *c = ast.create<ConstantExpr>();
    c->type = type;
    return finish(c, begin, {});
  };
  switch (t.kind) {
  case Tok::Name: {
    ++pos;
    auto *name = ast.create<NameExpr>();
    name->id = t.text;
    return finish(name, begin, {});
  }
  case Tok::Int:
  case Tok::Float:
  case Tok::Imaginary:
    return parseNumber();
  case Tok::String:
    return parseStrings();
  case Tok::Keyword:
    if (t.text == "None")
      return constant(ConstantExpr::None);
    if (t.text == "True")
      return constant(ConstantExpr::True);
    if (t.text == "False")
      return constant(ConstantExpr::False);
    break;
  case Tok::Op:
    if (t.text == "(")
      return parseParenthesized();
    if (t.text == "[")
      return parseListDisplay();
    if (t.text == "{")
      return parseBraceDisplay();
    if (t.text == "...")
      return constant(ConstantExpr::Ellipsis);
    break;
  default:
    break;
  }
  // An operator, a keyword or the end of the line where a value must stand.
  return errorExpected("an expression");
}

/// A number's value. Integers keep 64 bits; larger ones are marked, and their
/// approximate value serves where a float is meant.
Expr *Parser::parseNumber() {
  const Token &t = tok();
  auto *c = ast.create<ConstantExpr>();
  std::string digits;
  for (char ch : t.text)
    // 1_000_000: the lexer has checked where underscores stand.
    if (ch != '_')
      digits += ch;
  ++pos;
  if (t.kind == Tok::Int) {
    c->type = ConstantExpr::Int;
    // Of any width: the literal may be a hash or a mask beyond 64 bits in host
    // code.
    llvm::APInt value(1, 0);
    StringRef text(digits);
    // 0x, 0o, 0b. A decimal number cannot begin with 0 followed by a letter.
    unsigned radix = 10;
    if (text.size() > 1 && text[0] == '0' && llvm::isAlpha(text[1])) {
      radix = llvm::toLower(text[1]) == 'x'   ? 16
              : llvm::toLower(text[1]) == 'o' ? 8
                                              : 2;
      text = text.drop_front(2);
    }
    // Quadratic conversion: beyond this length the value is only "too big".
    if (text.size() > 4000) {
      c->tooBig = true;
      c->real = HUGE_VAL;
    } else {
      text.getAsInteger(radix, value);
      // 63 bits, since the sign is an operator of its own.
      c->tooBig = value.getActiveBits() > 63;
      c->real = value.roundToDouble();
      c->integer = c->tooBig ? int64_t(value.zextOrTrunc(64).getZExtValue())
                             : int64_t(value.getZExtValue());
    }
  } else {
    c->type =
        t.kind == Tok::Float ? ConstantExpr::Float : ConstantExpr::Imaginary;
    // strtod stops before the `j` of an imaginary number.
    c->real = std::strtod(digits.c_str(), nullptr);
  }
  return finish(c, t.loc, {});
}

/// What begins with '(': an empty tuple, a yield, a generator, a tuple, or just
/// a grouped expression, which leaves no node.
///   '(' [star_or_named (',' star_or_named)* [','] | comprehension | yield] ')'
Expr *Parser::parseParenthesized() {
  SourceLoc begin = tok().loc;
  ++pos;
  if (accept(")")) {
    auto *empty = ast.create<TupleExpr>();
    empty->parenthesized = true;
    return finish(empty, begin, {});
  }
  if (at("yield")) {
    Expr *yield = parseYield();
    return yield && expect(")") ? yield : nullptr;
  }
  Expr *first = parseStarOrNamed();
  if (!first)
    return nullptr;
  // (f(x) for x in y): the parentheses belong to the generator.
  if (at("for") || at("async"))
    return parseComprehension(ComprehensionExpr::Generator, first, nullptr,
                              begin);
  // Without a comma the parentheses only group: (a) is a, but (a,) is a tuple.
  if (!at(",")) {
    if (llvm::isa<StarredExpr>(first))
      return error(first->range,
                   "a starred expression needs a list or tuple around it");
    return expect(")") ? first : nullptr;
  }
  SmallVector<Expr *> elements{first};
  // A comma may stand before the end.
  while (accept(",") && !at(")")) {
    elements.push_back(parseStarOrNamed());
    if (!elements.back())
      return nullptr;
  }
  if (!expect(")"))
    return nullptr;
  auto *tuple = ast.create<TupleExpr>();
  tuple->parenthesized = true;
  tuple->elements = ast.copy<Expr *>(elements);
  return finish(tuple, begin, tuple->elements);
}

/// '[' [star_or_named (',' star_or_named)* [','] | comprehension] ']'
Expr *Parser::parseListDisplay() {
  SourceLoc begin = tok().loc;
  ++pos;
  SmallVector<Expr *> elements;
  while (!at("]")) {
    elements.push_back(parseStarOrNamed());
    if (!elements.back())
      return nullptr;
    // Only the first element can turn out to be that of a comprehension.
    if (elements.size() == 1 && (at("for") || at("async")))
      return parseComprehension(ComprehensionExpr::List, elements[0], nullptr,
                                begin);
    if (!at("]") && !accept(","))
      return errorExpected("',' or ']'");
  }
  ++pos;
  auto *list = ast.create<ListExpr>();
  list->elements = ast.copy<Expr *>(elements);
  return finish(list, begin, list->elements);
}

/// '{': a dictionary or a set; the first entry decides. {} is a dictionary. A
/// null key stands for `**mapping`.
///   '{' [(expression ':' expression | '**' binary) (',' ...)* [',']] '}'
///   '{' star_or_named (',' star_or_named)* [','] '}' | comprehension
Expr *Parser::parseBraceDisplay() {
  SourceLoc begin = tok().loc;
  ++pos;
  SmallVector<Expr *> keys, values;
  // Undecided until the first entry is read: {a is a set or, if `:` follows, a
  // dictionary. From then on entries of the other sort are syntax errors.
  bool isDict = at("}") || at("**"), isSet = false;
  while (!at("}")) {
    if (isDict && accept("**")) {
      keys.push_back(nullptr);
      // Python's grammar has an or-expression here: **a or b is not allowed.
      values.push_back(parseBinary(0));
    } else {
      keys.push_back(isDict ? parseExpression() : parseStarOrNamed());
      if (!keys.back())
        return nullptr;
      if (!isSet && at(":"))
        isDict = true;
      else if (!isDict)
        isSet = true;
      if (isDict) {
        if (!expect(":"))
          return nullptr;
        values.push_back(parseExpression());
      }
    }
    if (isDict && !values.back())
      return nullptr;
    // {k: v for ...} or {k for ...}.
    if (keys.size() == 1 && (at("for") || at("async")))
      return parseComprehension(isDict ? ComprehensionExpr::Dict
                                       : ComprehensionExpr::Set,
                                keys[0], isDict ? values[0] : nullptr, begin);
    if (!at("}") && !accept(","))
      return errorExpected("',' or '}'");
  }
  ++pos;
  if (isSet) {
    auto *set = ast.create<SetExpr>();
    set->elements = ast.copy<Expr *>(keys);
    return finish(set, begin, set->elements);
  }
  auto *dict = ast.create<DictExpr>();
  dict->keys = ast.copy<Expr *>(keys);
  dict->values = ast.copy<Expr *>(values);
  // Two lists of children: measure takes both; null keys count nothing.
  return measure(dict, begin, {dict->keys, dict->values}) ? dict : nullptr;
}

/// `for target in iterable if condition ...`, one or more. `height` becomes
/// that of the highest expression in them.
///   (['async'] 'for' targets 'in' or_test ('if' or_test)*)+
bool Parser::parseClauses(
    llvm::SmallVectorImpl<ComprehensionExpr::Clause> &clauses,
    unsigned &height) {
  // The clauses have no node of their own that finish() could measure.
  auto track = [&](Expr *e) {
    if (e)
      height = std::max<unsigned>(height, e->height);
    return e;
  };
  while (at("for") || at("async")) {
    ComprehensionExpr::Clause clause{nullptr, nullptr, {}, accept("async")};
    if (!expect("for") || !(clause.target = track(parseTargetList())) ||
        !expect("in") || !(clause.iterable = track(parseBoolOp(false))))
      return false;
    SmallVector<Expr *> conditions;
    while (accept("if")) {
      conditions.push_back(track(parseBoolOp(false)));
      if (!conditions.back())
        return false;
    }
    clause.conditions = ast.copy<Expr *>(conditions);
    clauses.push_back(clause);
    // Evaluation recurses by clause.
    if (clauses.size() > 50) {
      error("more than 50 clauses in a comprehension");
      return false;
    }
  }
  return true;
}

/// `begin` is the place of the opening bracket, which is still open.
Expr *Parser::parseComprehension(ComprehensionExpr::Type type, Expr *element,
                                 Expr *value, SourceLoc begin) {
  auto *comp = ast.create<ComprehensionExpr>();
  comp->type = type;
  comp->element = element;
  comp->value = value;
  SmallVector<ComprehensionExpr::Clause> clauses;
  unsigned height = 0;
  if (!parseClauses(clauses, height))
    return nullptr;
  comp->clauses = ast.copy<ComprehensionExpr::Clause>(clauses);
  StringRef closer = type == ComprehensionExpr::List        ? "]"
                     : type == ComprehensionExpr::Generator ? ")"
                                                            : "}";
  if (!expect(closer) || !finish(comp, begin, {element, value}))
    return nullptr;
  // Nested clauses recurse as well. The element stands inside all clauses.
  height += unsigned(clauses.size()) + 1;
  if (height > maxHeight)
    return error(comp->range, "this expression is nested too deeply",
                 DiagID::TooDeep);
  comp->height = uint16_t(std::max<unsigned>(comp->height, height));
  return comp;
}

/// The '(' is already consumed.
///   arguments: (star_or_named | NAME '=' expression | '**' expression) ...
Expr *Parser::parseCallArguments(Expr *callee, SourceLoc begin) {
  // `all` are the children for the height of the node.
  SmallVector<Expr *> args, all{callee};
  SmallVector<Keyword> keywords;
  while (!at(")")) {
    SourceLoc start = tok().loc;
    if (accept("**")) {
      Expr *value = parseExpression();
      if (!value)
        return nullptr;
      keywords.push_back({{}, since(start), value});
      all.push_back(value);
    } else if (tok().kind == Tok::Name && tok(1).is("=")) {
      // A name directly before `=` is that of a parameter: an assignment is no
      // expression. `f(a == b)` has another token there.
      StringRef name = tok().text;
      SourceRange range = tok().range();
      for (const Keyword &k : keywords)
        if (k.name == name)
          return error(range, "argument '" + name + "' is given twice");
      pos += 2;
      Expr *value = parseExpression();
      if (!value)
        return nullptr;
      keywords.push_back({name, range, value});
      all.push_back(value);
    } else {
      Expr *arg = parseStarOrNamed();
      if (!arg)
        return nullptr;
      if (at("for") || at("async")) {
        // f(x for x in y): the generator takes the call's own parentheses.
        if (!args.empty() || !keywords.empty())
          return error(
              "a generator among other arguments needs parentheses of its own");
        Expr *generator = parseComprehension(ComprehensionExpr::Generator, arg,
                                             nullptr, start);
        if (!generator)
          return nullptr;
        // The generator consumed the call's ')', which the loop wants to see.
        --pos;
        arg = generator;
      } else if (!keywords.empty() && !llvm::isa<StarredExpr>(arg) &&
                 !keywords.back().name.empty()) {
        // f(a=1, b) is an error, f(a=1, *b) is not.
        return error(arg->range, "a positional argument follows a named one");
      }
      args.push_back(arg);
      all.push_back(arg);
    }
    if (!at(")") && !accept(","))
      return errorExpected("',' or ')'");
  }
  ++pos;
  auto *call = ast.create<CallExpr>();
  call->callee = callee;
  call->args = ast.copy<Expr *>(args);
  call->keywords = ast.copy<Keyword>(keywords);
  return finish(call, begin, all);
}

/// One index of a subscript: an expression, or a slice with any of its parts
/// absent.
///   [expression] ':' [expression] [':' [expression]] | star_or_named
Expr *Parser::parseSliceOrExpression() {
  SourceLoc begin = tok().loc;
  Expr *lower = nullptr;
  if (!at(":")) {
    lower = parseStarOrNamed();
    if (!lower || !at(":"))
      return lower;
  }
  ++pos;
  auto *slice = ast.create<SliceExpr>();
  slice->lower = lower;
  // Absent before the next ':', the next index or the end.
  auto bound = [&](Expr *&out) {
    if (at(":") || at(",") || at("]"))
      return true;
    return (out = parseExpression()) != nullptr;
  };
  if (!bound(slice->upper) || (accept(":") && !bound(slice->step)))
    return nullptr;
  return finish(slice, begin, {slice->lower, slice->upper, slice->step});
}

/// The '[' is already consumed.
/// index (',' index)* [','] ']'
Expr *Parser::parseSubscript(Expr *object, SourceLoc begin) {
  // The tuple of several indices begins after the bracket.
  SourceLoc indexBegin = tok().loc;
  if (at("]"))
    return errorExpected("an index");
  SmallVector<Expr *> elements;
  bool comma = false;
  while (!at("]")) {
    elements.push_back(parseSliceOrExpression());
    if (!elements.back())
      return nullptr;
    if (accept(","))
      comma = true;
    else if (!at("]"))
      return errorExpected("',' or ']'");
  }
  auto *subscript = ast.create<SubscriptExpr>();
  subscript->object = object;
  subscript->index = elements[0];
  // a[1, 2] and a[1,] are indexed by a tuple; a[1] is not.
  if (comma || llvm::isa<StarredExpr>(elements[0])) {
    auto *tuple = ast.create<TupleExpr>();
    tuple->elements = ast.copy<Expr *>(elements);
    if (!(subscript->index = finish(tuple, indexBegin, tuple->elements)))
      return nullptr;
  }
  ++pos;
  return finish(subscript, begin, {subscript->object, subscript->index});
}

/// The targets of `for`: stars and commas, each a primary.
///   ['*'] primary (',' ['*'] primary)* [',']
Expr *Parser::parseTargetList() {
  SourceLoc begin = tok().loc;
  SmallVector<Expr *> elements;
  bool comma = false;
  // `for a, in x`: a comma may come before `in`, which begins no expression.
  do {
    if (!startsExpression())
      break;
    SourceLoc start = tok().loc;
    bool star = accept("*");
    // Not a whole expression: `x in y` would be a comparison.
    Expr *target = parsePrimary();
    if (!target)
      return nullptr;
    if (star) {
      auto *starred = ast.create<StarredExpr>();
      starred->value = target;
      if (!(target = finish(starred, start, {starred->value})))
        return nullptr;
    }
    elements.push_back(target);
  } while (accept(",") && (comma = true));
  if (elements.empty())
    return errorExpected("a name");
  Expr *result = elements[0];
  if (comma) {
    auto *tuple = ast.create<TupleExpr>();
    tuple->elements = ast.copy<Expr *>(elements);
    result = finish(tuple, begin, tuple->elements);
  }
  return result && checkTarget(result, true, "assign to") ? result : nullptr;
}

/// Whether an expression can be assigned to, annotated or deleted; `what` is
/// the verb of the message. Starred and tuple targets only where `allowTuple`.
bool Parser::checkTarget(Expr *target, bool allowTuple, StringRef what) {
  switch (target->kind) {
  case ExprKind::Name:
  case ExprKind::Attribute:
  case ExprKind::Subscript:
    return true;
  case ExprKind::Starred:
    if (allowTuple)
      return checkTarget(llvm::cast<StarredExpr>(target)->value, true, what);
    break;
  case ExprKind::Tuple:
  case ExprKind::List: {
    if (!allowTuple)
      break;
    // (a, [b, *c]) = ...: each part must be a target by itself.
    ExprList elements = target->kind == ExprKind::Tuple
                            ? llvm::cast<TupleExpr>(target)->elements
                            : llvm::cast<ListExpr>(target)->elements;
    for (Expr *e : elements)
      if (!checkTarget(e, true, what))
        return false;
    return true;
  }
  default:
    break;
  }
  error(target->range, "cannot " + what + " this expression",
        DiagID::BadTarget);
  return false;
}
