//===- ParseStrings.cpp - String literals and formatted strings -----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Adjacent literals are one. The expressions of a formatted string are tokens
// of the same source text, so their places are real places.
//
//   f"{name!r:>{width}} of {n}"
//   ->  JoinedStr: name (conversion r, format: ">", width), " of ", n
//
// A formatted string is taken apart here: text with escapes resolved, and for
// each {...} the extent of the expression, found by its brackets and quotes,
// which is then tokenized and parsed like any other. Formats may hold
// replacements again.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

using namespace tlc;
using namespace tlc::frontend;
using llvm::SmallVector;

/// UTF-8, as all text in the compiler.
static void appendCodePoint(uint32_t code, std::string &out) {
  char buffer[4], *end = buffer;
  if (llvm::ConvertCodePointToUTF8(code, end))
    out.append(buffer, end);
  else
    out += "\xEF\xBF\xBD"; // a lone surrogate has no UTF-8 form
}

/// Appends a literal's text with its escapes resolved; `loc` is where `body`
/// begins. False, with the escape underlined, where one is malformed. Bytes
/// have no \u, \U, \N.
bool Parser::unescape(StringRef body, SourceLoc loc, bool bytes,
                      std::string &out) {
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i] != '\\' || i + 1 >= body.size()) {
      out += body[i];
      continue;
    }
    size_t start = i;
    char c = body[++i];
    auto bad = [&](const llvm::Twine &message) {
      error({loc.advanced(uint32_t(start)), loc.advanced(uint32_t(i + 1))},
            message, DiagID::BadEscape);
      return false;
    };
    // Exactly `count` digits; i moves to the last one.
    auto hex = [&](unsigned count) {
      uint32_t code = 0;
      if (body.size() - i - 1 < count ||
          body.substr(i + 1, count).getAsInteger(16, code) ||
          !llvm::all_of(body.substr(i + 1, count), llvm::isHexDigit))
        return bad("this escape needs " + llvm::Twine(count) +
                   " hexadecimal digits");
      i += count;
      if (code > 0x10ffff)
        return bad("no such character");
      if (bytes)
        out += char(code);
      else
        appendCodePoint(code, out);
      return true;
    };
    switch (c) {
    // A backslash at the end of a line joins the lines.
    case '\n':
      break;
    case '\r':
      if (i + 1 < body.size() && body[i + 1] == '\n')
        ++i;
      break;
    case '\\':
    case '\'':
    case '"':
      out += c;
      break;
    case 'a':
      out += '\a';
      break;
    case 'b':
      out += '\b';
      break;
    case 'f':
      out += '\f';
      break;
    case 'n':
      out += '\n';
      break;
    case 'r':
      out += '\r';
      break;
    case 't':
      out += '\t';
      break;
    case 'v':
      out += '\v';
      break;
    case 'x':
      if (!hex(2))
        return false;
      break;
    case 'u':
    case 'U':
      if (bytes)
        out += {'\\', c};
      else if (!hex(c == 'u' ? 4 : 8))
        return false;
      break;
    case 'N': {
      size_t close = body.find('}', i);
      if (bytes) {
        out += "\\N";
      } else if (i + 1 >= body.size() || body[i + 1] != '{' ||
                 close == StringRef::npos) {
        return bad("expected \\N{NAME}");
      } else {
        out += "\xEF\xBF\xBD"; // character names are not looked up: no kernel
                               // reads them
        i = close;
      }
      break;
    }
    default:
      // Octal, up to three digits.
      if (c >= '0' && c <= '7') {
        unsigned code = 0, count = 0;
        for (; count < 3 && i + count < body.size() && body[i + count] >= '0' &&
               body[i + count] <= '7';
             ++count)
          code = code * 8 + unsigned(body[i + count] - '0');
        i += count - 1;
        if (bytes)
          out += char(code);
        else
          appendCodePoint(code, out);
      } else {
        out += {'\\', c}; // Python keeps an unknown escape as it stands
      }
    }
  }
  return true;
}

/// One `{expression!r:format}`; body[i] is the '{', and afterwards the '}'.
/// Text before it, if there is any, becomes a part first. `loc` is where `body`
/// begins.
bool Parser::parseReplacement(StringRef body, SourceLoc loc, size_t &i,
                              bool raw,
                              llvm::SmallVectorImpl<JoinedStrExpr::Part> &parts,
                              std::string &text) {
  auto bad = [&](size_t at, const llvm::Twine &message) {
    error({loc.advanced(uint32_t(at)), loc.advanced(uint32_t(at + 1))}, message,
          DiagID::BadFString);
    return false;
  };
  // `begin` to i is the expression's text.
  size_t open = i++, begin = i;
  SmallVector<char> brackets;
  bool debug = false;
  // Find where the expression ends: at ! : = or } outside brackets and strings.
  for (; i < body.size(); ++i) {
    char c = body[i];
    if (c == '\'' || c == '"') {
      StringRef before = body.slice(begin, i);
      StringRef prefix = before.take_back(
          before.size() - before.find_last_not_of("fFrRbBuU") - 1);
      size_t end = endOfString(body, i, prefix.contains_insensitive('f'));
      if (end == StringRef::npos)
        return bad(i, "a string in this expression does not end");
      i = end - 1;
      continue;
    }
    if (c == '\\')
      return bad(
          i, "no backslash may stand in the expression of a formatted string");
    if (c == '#')
      return bad(
          i, "no comment may stand in the expression of a formatted string");
    // What closes is not compared with what opened: the parser does that.
    if (c == '(' || c == '[' || c == '{') {
      brackets.push_back(c);
    } else if (!brackets.empty() && (c == ')' || c == ']' || c == '}')) {
      brackets.pop_back();
    } else if (brackets.empty()) {
      char next = i + 1 < body.size() ? body[i + 1] : '\0';
      // `{x=}` shows its own text: an `=` that no operator contains, before the
      // end or a format.
      if (c == '}' || c == ':' || (c == '!' && next != '='))
        break;
      if (c == '=' && next != '=' && i > begin &&
          !StringRef("=!<>").contains(body[i - 1])) {
        StringRef after = body.drop_front(i + 1).ltrim();
        if (!after.empty() && StringRef("}:!").contains(after[0])) {
          debug = true;
          break;
        }
      }
    }
  }
  if (i >= body.size())
    return bad(open, "this '{' is never closed");
  StringRef source = body.slice(begin, i);
  if (source.trim().empty())
    return bad(open, "an empty expression in a formatted string");
  // f"{n = }" is "n = " and the value's repr.
  if (debug) {
    while (body[i] != '}' && body[i] != ':' && body[i] != '!')
      ++i;
    text += body.slice(begin, i);
  }
  if (!text.empty())
    parts.push_back({ast.save(text)});
  text.clear();

  std::vector<Token> inner;
  if (!tokenizeExpression(source, loc.advanced(uint32_t(begin)), diags,
                          inner)) {
    failed = true;
    return false;
  }
  // The expression's tokens are parsed by a parser of their own, which goes on
  // counting depth.
  Parser sub(inner, ast, diags);
  sub.depth = depth + 1;
  JoinedStrExpr::Part part;
  part.value = sub.parseStarExpressions();
  if (part.value && !sub.atEnd())
    part.value = sub.errorExpected("the end of the expression");
  if (!part.value) {
    failed = true;
    return false;
  }
  if (body[i] == '!') {
    char c = i + 1 < body.size() ? body[i + 1] : '\0';
    if (!c || !StringRef("rsa").contains(c))
      return bad(i, "a conversion is !r, !s or !a");
    part.conversion = c;
    i += 2;
  } else if (debug) {
    part.conversion = 'r';
  }
  if (i < body.size() && body[i] == ':') {
    // The format may hold replacements of its own; it ends at the matching '}'.
    size_t start = ++i, nested = 0;
    // -1 as size_t: adding it takes one away.
    for (; i < body.size() && (body[i] != '}' || nested); ++i)
      nested += body[i] == '{' ? 1 : body[i] == '}' ? size_t(-1) : 0;
    std::string specText;
    SmallVector<JoinedStrExpr::Part> specParts;
    if (!parseFormatted(body.slice(start, i), loc.advanced(uint32_t(start)),
                        raw, true, specText, specParts))
      return false;
    if (!specText.empty())
      specParts.push_back({ast.save(specText)});
    auto *spec = ast.create<JoinedStrExpr>();
    spec->parts = ast.copy<JoinedStrExpr::Part>(specParts);
    spec->range = {loc.advanced(uint32_t(start)), loc.advanced(uint32_t(i))};
    part.format = spec;
  }
  if (i >= body.size() || body[i] != '}')
    return bad(open, "this '{' is never closed");
  parts.push_back(part);
  return true;
}

/// The inside of a formatted string, or of a format (`inSpec`, where doubled
/// braces do not stand for single ones). Appends to `parts`; text that ends it
/// stays in `text`, since the next literal may continue it.
///   (text | '{{' | '}}' | replacement)*
bool Parser::parseFormatted(StringRef body, SourceLoc loc, bool raw,
                            bool inSpec, std::string &text,
                            llvm::SmallVectorImpl<JoinedStrExpr::Part> &parts) {
  DepthGuard guard(*this);
  if (!guard.ok())
    return false;
  // Where the text that is not appended yet begins.
  size_t literal = 0;
  auto flush = [&](size_t end) {
    StringRef piece = body.slice(literal, end);
    if (raw)
      text += piece;
    else
      return unescape(piece, loc.advanced(uint32_t(literal)), false, text);
    return true;
  };
  for (size_t i = 0; i < body.size(); ++i) {
    char c = body[i];
    if (c == '\\' && !raw) {
      // \N{NAME} holds braces of its own.
      if (body.substr(i + 1).starts_with("N{"))
        i = std::min(body.find('}', i), body.size());
      else
        ++i;
      continue;
    }
    if (c != '{' && c != '}')
      continue;
    if (!flush(i))
      return false;
    // {{ and }} are one brace.
    if (!inSpec && i + 1 < body.size() && body[i + 1] == c) {
      text += c;
      literal = ++i + 1;
      continue;
    }
    if (c == '}') {
      error({loc.advanced(uint32_t(i)), loc.advanced(uint32_t(i + 1))},
            "a single '}' in a formatted string", DiagID::BadFString);
      return false;
    }
    if (!parseReplacement(body, loc, i, raw, parts, text))
      return false;
    literal = i + 1;
  }
  return literal > body.size() || flush(body.size());
}

/// One string token: takes off prefix and quotes and appends what is inside.
bool Parser::appendString(const Token &token, std::string &text,
                          llvm::SmallVectorImpl<JoinedStrExpr::Part> &parts,
                          bool &isBytes, bool &isFormatted) {
  // r, b, u, f in either case, up to two of them.
  size_t prefixLength = token.text.find_first_of("'\"");
  std::string prefix = token.text.take_front(prefixLength).lower();
  StringRef body = token.text.drop_front(prefixLength);
  bool triple = body.size() >= 6 && body[1] == body[0] && body[2] == body[0];
  size_t quote = triple ? 3 : 1;
  SourceLoc loc = token.loc.advanced(uint32_t(prefixLength + quote));
  body = body.drop_front(quote).drop_back(quote);
  bool raw = StringRef(prefix).contains('r');
  isBytes = StringRef(prefix).contains('b');
  if (StringRef(prefix).contains('f')) {
    isFormatted = true;
    return parseFormatted(body, loc, raw, false, text, parts);
  }
  if (raw) {
    text += body;
    return true;
  }
  return unescape(body, loc, isBytes, text);
}

/// Adjacent literals as one node: a JoinedStr if any of them is formatted, else
/// a constant.
///   STRING+
Expr *Parser::parseStrings() {
  SourceLoc begin = tok().loc;
  // Text of adjacent literals runs together until a value comes between.
  std::string text;
  SmallVector<JoinedStrExpr::Part> parts;
  bool isFormatted = false, anyBytes = false, anyText = false;
  while (tok().kind == Tok::String) {
    bool isBytes = false;
    if (!appendString(tok(), text, parts, isBytes, isFormatted))
      return nullptr;
    (isBytes ? anyBytes : anyText) = true;
    if (anyBytes && anyText)
      return error("text and bytes literals cannot be joined");
    ++pos;
  }
  if (isFormatted) {
    auto *joined = ast.create<JoinedStrExpr>();
    if (!text.empty())
      parts.push_back({ast.save(text)});
    joined->parts = ast.copy<JoinedStrExpr::Part>(parts);
    // Null for parts that are text, which the height ignores.
    SmallVector<Expr *> values;
    for (auto &part : parts)
      values.push_back(part.value);
    return finish(joined, begin, values);
  }
  auto *c = ast.create<ConstantExpr>();
  c->type = anyBytes ? ConstantExpr::Bytes : ConstantExpr::Str;
  c->text = ast.save(text);
  return finish(c, begin, {});
}
