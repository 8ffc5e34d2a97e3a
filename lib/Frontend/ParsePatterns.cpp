//===- ParsePatterns.cpp - The patterns of match statements ---------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Patterns of `match` statements, parsed by Python's grammar although kernels
// cannot use them: host code in the same file may. What is decided by syntax
// alone:
//
//   case x:            Capture x        case _:          Wildcard
//   case M.x:          Value            case Point(x=0): Class
//   case [a, *rest]:   Sequence         case 1 | 2:      Or
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

using namespace tlc;
using namespace tlc::frontend;
using llvm::SmallVector;

Pattern *Parser::makePattern(Pattern::Kind kind, SourceLoc begin) {
  auto *pattern = ast.create<Pattern>();
  pattern->kind = kind;
  pattern->range = since(begin);
  return pattern;
}

/// The top level of a case: an open sequence needs no brackets.
///   patterns: pattern | element ',' [element (',' element)*]
///   element: pattern | '*' NAME
Pattern *Parser::parsePatterns() {
  SourceLoc begin = tok().loc;
  if (!at("*")) {
    Pattern *first = parsePattern();
    if (!first || !at(","))
      return first;
    SmallVector<Pattern *> sub{first};
    while (accept(",") && !at(":") && !at("if")) {
      sub.push_back(parsePattern());
      if (!sub.back())
        return nullptr;
    }
    Pattern *sequence = makePattern(Pattern::Sequence, begin);
    sequence->sub = ast.copy<Pattern *>(sub);
    return sequence;
  }
  return parseSequencePattern("");
}

/// A pattern with its `as`, or a star inside a sequence.
Pattern *Parser::parsePattern() {
  DepthGuard guard(*this);
  if (!guard.ok())
    return nullptr;
  SourceLoc begin = tok().loc;
  if (accept("*")) {
    if (tok().kind != Tok::Name)
      return errorExpected("a name");
    StringRef name = tok().text;
    ++pos;
    Pattern *star = makePattern(Pattern::Star, begin);
    star->name = name;
    return star;
  }
  Pattern *pattern = parseOrPattern();
  if (!pattern || !accept("as"))
    return pattern;
  if (tok().kind != Tok::Name)
    return errorExpected("a name after 'as'");
  StringRef name = tok().text;
  ++pos;
  Pattern *as = makePattern(Pattern::As, begin);
  as->name = name;
  as->sub = ast.copy<Pattern *>(ArrayRef<Pattern *>(pattern));
  return as;
}

/// Alternatives; a single one stays itself.
///   or_pattern: closed_pattern ('|' closed_pattern)*
Pattern *Parser::parseOrPattern() {
  SourceLoc begin = tok().loc;
  Pattern *first = parseClosedPattern();
  if (!first || !at("|"))
    return first;
  SmallVector<Pattern *> sub{first};
  while (accept("|")) {
    sub.push_back(parseClosedPattern());
    if (!sub.back())
      return nullptr;
  }
  Pattern *choice = makePattern(Pattern::Or, begin);
  choice->sub = ast.copy<Pattern *>(sub);
  return choice;
}

/// A pattern without `|` and `as`: a display, a name, or a literal.
///   closed_pattern: '[' ... ']' | '(' ... ')' | '{' ... '}' | NAME
///                 | NAME ('.' NAME)* ['(' ... ')'] | literal
Pattern *Parser::parseClosedPattern() {
  SourceLoc begin = tok().loc;
  if (accept("["))
    return parseSequencePattern("]");
  if (accept("{"))
    return parseMappingPattern();
  // () is an empty sequence, (p) is p, (p,) and (p, q) are sequences.
  if (accept("(")) {
    if (accept(")"))
      return makePattern(Pattern::Sequence, begin);
    Pattern *first = parsePattern();
    if (!first)
      return nullptr;
    if (accept(")"))
      return first;
    SmallVector<Pattern *> sub{first};
    while (accept(",") && !at(")")) {
      sub.push_back(parsePattern());
      if (!sub.back())
        return nullptr;
    }
    if (!expect(")"))
      return nullptr;
    Pattern *sequence = makePattern(Pattern::Sequence, begin);
    sequence->sub = ast.copy<Pattern *>(sub);
    return sequence;
  }
  if (tok().kind == Tok::Name && !tok(1).is(".") && !tok(1).is("(")) {
    StringRef name = tok().text;
    ++pos;
    Pattern *capture =
        makePattern(name == "_" ? Pattern::Wildcard : Pattern::Capture, begin);
    capture->name = name;
    return capture;
  }
  // A dotted name is a value, and a class if arguments follow.
  if (tok().kind == Tok::Name) {
    auto *name = ast.create<NameExpr>();
    name->id = tok().text;
    ++pos;
    Expr *value = finish(name, begin, {});
    while (value && accept(".")) {
      if (tok().kind != Tok::Name)
        return errorExpected("an attribute name");
      auto *attr = ast.create<AttributeExpr>();
      attr->object = value;
      attr->attr = tok().text;
      attr->attrRange = tok().range();
      ++pos;
      value = finish(attr, begin, {attr->object});
    }
    if (!value)
      return nullptr;
    if (accept("("))
      return parseClassPattern(value, begin);
    Pattern *pattern = makePattern(Pattern::Value, begin);
    pattern->value = value;
    return pattern;
  }
  Expr *value = nullptr;
  bool literal = tok().kind == Tok::String || tok().kind == Tok::Int ||
                 tok().kind == Tok::Float || tok().kind == Tok::Imaginary ||
                 at("-") || at("None") || at("True") || at("False");
  if (!literal)
    return errorExpected("a pattern");
  // Sums make complex numbers; parseBinary above '|' stops at the alternative.
  if (!(value = parseBinary(4)))
    return nullptr;
  Pattern *pattern = makePattern(Pattern::Value, begin);
  pattern->value = value;
  return pattern;
}

/// Up to `closer`, or to the ':' or 'if' of the case if it is empty.
Pattern *Parser::parseSequencePattern(StringRef closer) {
  SourceLoc begin = tok().loc;
  auto done = [&] { return closer.empty() ? at(":") || at("if") : at(closer); };
  SmallVector<Pattern *> sub;
  while (!done()) {
    sub.push_back(parsePattern());
    if (!sub.back())
      return nullptr;
    if (!done() && !accept(","))
      return errorExpected("','");
  }
  if (!closer.empty())
    ++pos;
  Pattern *sequence = makePattern(Pattern::Sequence, begin);
  sequence->sub = ast.copy<Pattern *>(sub);
  return sequence;
}

/// The '{' is already consumed. Keys are literals or dotted names; `**rest`
/// takes the other entries.
///   '{' [(key ':' pattern | '**' NAME) (',' ...)*] '}'
Pattern *Parser::parseMappingPattern() {
  SourceLoc begin = tok().loc;
  SmallVector<Expr *> keys;
  SmallVector<Pattern *> sub;
  StringRef rest;
  while (!at("}")) {
    if (accept("**")) {
      if (tok().kind != Tok::Name)
        return errorExpected("a name");
      rest = tok().text;
      ++pos;
    } else {
      keys.push_back(parseBinary(4));
      if (!keys.back() || !expect(":"))
        return nullptr;
      sub.push_back(parsePattern());
      if (!sub.back())
        return nullptr;
    }
    if (!at("}") && !accept(","))
      return errorExpected("',' or '}'");
  }
  ++pos;
  Pattern *mapping = makePattern(Pattern::Mapping, begin);
  mapping->keys = ast.copy<Expr *>(keys);
  mapping->sub = ast.copy<Pattern *>(sub);
  mapping->name = rest;
  return mapping;
}

/// The '(' is already consumed. `keywords` belong to the last patterns of
/// `sub`.
///   dotted_name '(' [[NAME '='] pattern (',' ...)*] ')'
Pattern *Parser::parseClassPattern(Expr *cls, SourceLoc begin) {
  SmallVector<Pattern *> sub;
  SmallVector<StringRef> keywords;
  while (!at(")")) {
    if (tok().kind == Tok::Name && tok(1).is("=")) {
      keywords.push_back(tok().text);
      pos += 2;
    } else if (!keywords.empty()) {
      return error("a positional pattern follows a named one");
    }
    sub.push_back(parsePattern());
    if (!sub.back())
      return nullptr;
    if (!at(")") && !accept(","))
      return errorExpected("',' or ')'");
  }
  ++pos;
  Pattern *pattern = makePattern(Pattern::Class, begin);
  pattern->value = cls;
  pattern->sub = ast.copy<Pattern *>(sub);
  pattern->keywords = ast.copy<StringRef>(keywords);
  return pattern;
}
