//===- Lexer.cpp - Text to tokens -----------------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Python 3.12's lexical rules: a stack of indentation columns gives Indent and
// Dedent, open brackets and backslashes join lines, a string is one token with
// its prefix and quotes. The lexer stops at the first error: what follows an
// open string or bracket would be noise.
//
//   if x:            Keyword if, Name x, Op :, Newline,
//       f(1,         Indent, Name f, Op (, Int 1, Op ',',
//         2)         Int 2, Op ), Newline, Dedent, End
//
// Tokens point into the source text: nothing is copied, and a token's place is
// its offset there. Contents of strings and values of numbers are the parser's
// business.
//
//===----------------------------------------------------------------------===//

#include "tlc/Frontend/Lexer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ConvertUTF.h"

using namespace tlc;
using namespace tlc::frontend;
using llvm::StringRef;

/// match, case, type and _ are names: the parser tells by what follows.
static bool isKeyword(StringRef s) {
  return llvm::StringSwitch<bool>(s)
      .Cases({"False", "None", "True", "and", "as", "assert", "async", "await"},
             true)
      .Cases({"break", "class", "continue", "def", "del", "elif", "else",
              "except"},
             true)
      .Cases({"finally", "for", "from", "global", "if", "import", "in", "is"},
             true)
      .Cases(
          {"lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try"},
          true)
      .Cases({"while", "with", "yield"}, true)
      .Default(false);
}

/// Longest first, so that the first match is the token.
static constexpr StringRef operators[] = {
    "**=", "//=", ">>=", "<<=", "...", "->", ":=", "+=", "-=", "*=", "/=", "%=",
    "@=",  "&=",  "|=",  "^=",  "**",  "//", "<<", ">>", "<=", ">=", "==", "!=",
    "+",   "-",   "*",   "/",   "%",   "@",  "&",  "|",  "^",  "~",  "<",  ">",
    "(",   ")",   "[",   "]",   "{",   "}",  ",",  ":",  ".",  ";",  "="};

/// Letters beyond ASCII are taken as they come; which of them Unicode calls
/// letters is not looked up, since all that could follow is another error.
static bool isNameStart(char c) {
  return llvm::isAlpha(c) || c == '_' || (unsigned char)c >= 0x80;
}
static bool isNameChar(char c) {
  return llvm::isAlnum(c) || c == '_' || (unsigned char)c >= 0x80;
}

namespace {
class Lexer {
public:
  Lexer(StringRef text, SourceLoc base, DiagnosticEngine &diags,
        std::vector<Token> &tokens)
      : text(text), base(base), diags(diags), tokens(tokens) {}

  /// Appends the tokens; false after a report.
  bool run(bool expressionOnly);

private:
  bool lexIndentation();
  bool lexToken();
  bool lexNumber();
  bool lexString(size_t prefix);
  bool lexBracket(StringRef op);

  /// A NUL behind the end, so that looking ahead needs no test.
  char peek(size_t ahead = 0) const {
    return pos + ahead < text.size() ? text[pos + ahead] : '\0';
  }
  SourceLoc locAt(size_t offset) const {
    return base.advanced(uint32_t(offset));
  }
  void push(Tok kind, size_t begin, size_t end) {
    tokens.push_back({kind, text.slice(begin, end), locAt(begin)});
  }
  bool error(DiagID id, size_t begin, size_t end, const llvm::Twine &message) {
    diags.report(id, {locAt(begin), locAt(std::max(end, begin + 1))}, message);
    return false;
  }

  struct Bracket {
    char open;
    size_t offset;
  };
  StringRef text;
  SourceLoc base;
  DiagnosticEngine &diags;
  std::vector<Token> &tokens;
  size_t pos = 0;
  /// Open brackets, with their places for messages: inside them lines do not
  /// end.
  std::vector<Bracket> brackets;
  /// Columns of the open blocks, outermost first.
  std::vector<unsigned> indents{0};
  bool expressionOnly = false;
};
} // namespace

/// Measures a line's indentation and compares it with the open blocks. Blank
/// and comment lines are skipped without a token.
///   open blocks 0, 4     line at 8: Indent, now 0, 4, 8
///                        line at 4: nothing      line at 0: Dedent
///                        line at 2: an error, no block stands there
bool Lexer::lexIndentation() {
  while (true) {
    unsigned column = 0;
    size_t lineStart = pos;
    for (; pos < text.size(); ++pos) {
      if (text[pos] == ' ')
        ++column;
      else if (text[pos] == '\t')
        // As Python counts: to the next multiple of 8. A form feed starts the
        // line anew.
        column = (column / 8 + 1) * 8;
      else if (text[pos] == '\f')
        column = 0;
      else
        break;
    }
    if (pos >= text.size())
      return true;
    if (text[pos] == '#')
      pos = std::min(text.find('\n', pos), text.size());
    if (peek() == '\r' && peek(1) == '\n')
      ++pos;
    if (pos < text.size() && (text[pos] == '\n' || text[pos] == '\r')) {
      ++pos;
      continue;
    }
    if (pos >= text.size())
      return true;
    if (column > indents.back()) {
      if (indents.size() > 100)
        return error(DiagID::TooDeep, lineStart, pos,
                     "too many levels of indentation");
      indents.push_back(column);
      push(Tok::Indent, pos, pos);
      return true;
    }
    // Several blocks may end at once; the line must then stand in one that is
    // open.
    while (column < indents.back()) {
      indents.pop_back();
      push(Tok::Dedent, pos, pos);
    }
    if (column != indents.back())
      return error(DiagID::BadIndentation, lineStart, pos,
                   "this line's indentation matches no open block");
    return true;
  }
}

/// A number: 10, 0x1f, 1_000, 1.5e-3, 2j. Only its extent and kind are found
/// here.
bool Lexer::lexNumber() {
  size_t begin = pos;
  Tok kind = Tok::Int;
  // One or more digits, with single underscores between them.
  auto digits = [&](auto accept) {
    size_t start = pos;
    while (accept(peek()) || (peek() == '_' && accept(peek(1)) && pos > start))
      ++pos;
    return pos > start;
  };
  auto decimal = [](char c) { return llvm::isDigit(c); };
  if (peek() == '0' && llvm::StringRef("xXoObB").contains(peek(1)) && peek(1)) {
    char radix = llvm::toLower(peek(1));
    pos += 2;
    if (peek() == '_')
      ++pos;
    bool ok = digits([&](char c) {
      return radix == 'x'   ? llvm::isHexDigit(c)
             : radix == 'o' ? c >= '0' && c <= '7'
                            : c == '0' || c == '1';
    });
    if (!ok || isNameChar(peek()))
      return error(DiagID::BadNumber, begin, pos + 1,
                   "this number is not well formed");
    push(Tok::Int, begin, pos);
    return true;
  }
  digits(decimal);
  if (peek() == '.') {
    kind = Tok::Float;
    ++pos;
    digits(decimal);
  }
  // `1e` without digits is the number 1 and whatever follows.
  if (peek() == 'e' || peek() == 'E') {
    size_t mark = pos++;
    if (peek() == '+' || peek() == '-')
      ++pos;
    if (digits(decimal))
      kind = Tok::Float;
    else
      pos = mark;
  }
  if (peek() == 'j' || peek() == 'J') {
    kind = Tok::Imaginary;
    ++pos;
  }
  StringRef spelling = text.slice(begin, pos);
  // `1if x` is legal Python; `1x` is not. Only keywords may follow directly.
  if (isNameStart(peek())) {
    StringRef word = text.drop_front(pos).take_while(isNameChar);
    if (!isKeyword(word))
      return error(DiagID::BadNumber, begin, pos + word.size(),
                   "this number is not well formed");
  }
  // 007 is an error in Python 3; 000 is zero.
  if (kind == Tok::Int && spelling.size() > 1 && spelling[0] == '0' &&
      spelling.find_first_not_of("0_") != StringRef::npos)
    return error(DiagID::BadNumber, begin, pos,
                 "a decimal number does not begin with 0");
  push(kind, begin, pos);
  return true;
}

/// Formatted strings inside each other's expressions.
static constexpr unsigned kMostNestedStrings = 100;

/// Behind the string whose opening quote is at `at`; npos if it does not end.
/// In a formatted one, quotes inside `{...}` belong to the expression there:
///   f"{d["k"]:{f"{w}"}}"
size_t tlc::frontend::endOfString(StringRef text, size_t at, bool formatted,
                                  unsigned depth) {
  char quote = text[at];
  auto peek = [&](size_t i) { return i < text.size() ? text[i] : '\0'; };
  bool triple = peek(at + 1) == quote && peek(at + 2) == quote;
  if (depth > kMostNestedStrings)
    return StringRef::npos;
  // What is open: brackets of an expression; '{' of a replacement, which turns
  // to ':' where its format begins.
  llvm::SmallVector<char> open;
  for (size_t i = at + (triple ? 3 : 1); i < text.size();) {
    char c = text[i];
    bool isText = open.empty() || open.back() == ':';
    if (isText) {
      if (c == '\\') {
        i += peek(i + 1) == '\r' && peek(i + 2) == '\n' ? 3 : 2;
      } else if (!triple && (c == '\n' || c == '\r')) {
        return StringRef::npos;
      } else if (c == quote &&
                 (!triple || (peek(i + 1) == quote && peek(i + 2) == quote))) {
        return open.empty() ? i + (triple ? 3 : 1) : StringRef::npos;
      } else if (formatted && c == '{' && open.empty() && peek(i + 1) == '{') {
        i += 2;
      } else if (formatted && c == '{') {
        open.push_back('{');
        ++i;
      } else {
        if (c == '}' && !open.empty())
          open.pop_back();
        ++i;
      }
      continue;
    }
    if (c == '"' || c == '\'') {
      StringRef before = text.take_front(i);
      StringRef prefix = before.take_back(
          before.size() - before.find_last_not_of("fFrRbBuU") - 1);
      i = endOfString(text, i, prefix.contains_insensitive('f'), depth + 1);
      if (i == StringRef::npos)
        return i;
      continue;
    }
    if (c == '(' || c == '[' || c == '{')
      open.push_back(c == '{' ? '(' : c);
    else if (c == ')' || c == ']' || c == '}')
      open.pop_back();
    else if (c == ':' && open.back() == '{')
      open.back() = ':';
    ++i;
  }
  return StringRef::npos;
}

/// A string whose prefix is `prefix` bytes long. Its contents are looked at by
/// the parser; here only its end is found: the same quotes again, not behind a
/// backslash. Only triple-quoted strings go over lines.
bool Lexer::lexString(size_t prefix) {
  size_t begin = pos;
  pos += prefix;
  char quote = text[pos];
  bool triple = peek(1) == quote && peek(2) == quote;
  if (text.substr(begin, prefix).contains_insensitive('f')) {
    // One that does not end so ends where a plain one would: the parser then
    // says what is wrong inside.
    size_t end = endOfString(text, pos, /*formatted=*/true);
    if (end != StringRef::npos) {
      push(Tok::String, begin, end);
      pos = end;
      return true;
    }
  }
  size_t end = endOfString(text, pos, /*formatted=*/false);
  if (end == StringRef::npos)
    return error(DiagID::UnterminatedString, begin,
                 begin + prefix + (triple ? 3 : 1), "this string does not end");
  push(Tok::String, begin, end);
  pos = end;
  return true;
}

/// Keeps the stack of open brackets; false, with both places, where they do not
/// match. Other operators pass.
bool Lexer::lexBracket(StringRef op) {
  char c = op[0];
  if (c == '(' || c == '[' || c == '{') {
    if (brackets.size() >= 200)
      return error(DiagID::TooDeep, pos, pos + 1,
                   "more than 200 nested brackets");
    brackets.push_back({c, pos});
    return true;
  }
  char open = c == ')' ? '(' : c == ']' ? '[' : c == '}' ? '{' : '\0';
  if (!open)
    return true;
  if (brackets.empty())
    return error(DiagID::UnbalancedBracket, pos, pos + 1,
                 llvm::Twine("nothing opened this '") + op + "'");
  if (brackets.back().open != open) {
    size_t at = brackets.back().offset;
    diags
        .report(DiagID::UnbalancedBracket, {locAt(pos), locAt(pos + 1)},
                llvm::Twine("'") + op + "' does not close '" +
                    text.substr(at, 1) + "'")
        .note({locAt(at), locAt(at + 1)}, "opened here");
    return false;
  }
  brackets.pop_back();
  return true;
}

/// One token that is neither white space nor a line's end.
bool Lexer::lexToken() {
  char c = peek();
  if (isNameStart(c)) {
    size_t length = text.drop_front(pos).take_while(isNameChar).size();
    StringRef word = text.substr(pos, length);
    char next = peek(length);
    if ((next == '"' || next == '\'') && length <= 2 &&
        llvm::StringSwitch<bool>(word.lower())
            .Cases({"r", "u", "b", "f", "br", "rb", "fr", "rf"}, true)
            .Default(false))
      return lexString(length);
    push(isKeyword(word) ? Tok::Keyword : Tok::Name, pos, pos + length);
    pos += length;
    return true;
  }
  if (llvm::isDigit(c) || (c == '.' && llvm::isDigit(peek(1))))
    return lexNumber();
  if (c == '"' || c == '\'')
    return lexString(0);
  for (StringRef op : operators) {
    if (!text.substr(pos).starts_with(op))
      continue;
    if (!lexBracket(op))
      return false;
    push(Tok::Op, pos, pos + op.size());
    pos += op.size();
    return true;
  }
  if (c == '\0')
    return error(DiagID::BadEncoding, pos, pos + 1,
                 "a NUL byte: this is not a text file");
  return error(DiagID::BadCharacter, pos, pos + 1,
               llvm::isPrint(c)
                   ? llvm::Twine("'") + llvm::Twine(c) + "' begins no token"
                   : llvm::Twine("this character begins no token"));
}

/// `isExpression`: the inside of a formatted string's braces. There are no
/// lines and no indentation in it, and a byte order mark would be a character.
bool Lexer::run(bool isExpression) {
  expressionOnly = isExpression;
  if (!expressionOnly && text.starts_with("\xEF\xBB\xBF"))
    pos = 3;
  // The whole text is checked at once: later code may cut it at any ASCII
  // character.
  const auto *source = reinterpret_cast<const llvm::UTF8 *>(text.data());
  const auto *end = source + text.size();
  const auto *bad = source;
  if (llvm::isLegalUTF8String(&bad, end) == 0)
    return error(DiagID::BadEncoding, size_t(bad - source),
                 size_t(bad - source) + 1, "this byte is not UTF-8");
  bool lineStart = !expressionOnly;
  while (true) {
    if (lineStart && !lexIndentation())
      return false;
    lineStart = false;
    while (peek() == ' ' || peek() == '\t' || peek() == '\f')
      ++pos;
    if (peek() == '#' && pos < text.size())
      pos = std::min(text.find('\n', pos), text.size());
    if (pos >= text.size())
      break;
    char c = peek();
    if (c == '\\') {
      size_t skip = peek(1) == '\n'                      ? 2
                    : peek(1) == '\r' && peek(2) == '\n' ? 3
                                                         : 0;
      if (!skip)
        return error(DiagID::BadCharacter, pos, pos + 1,
                     pos + 1 >= text.size()
                         ? "the file ends in a line continuation"
                         : "text after a line continuation");
      pos += skip;
      continue;
    }
    if (c == '\n' || c == '\r') {
      if (brackets.empty() && !expressionOnly) {
        push(Tok::Newline, pos, pos);
        lineStart = true;
      }
      pos += c == '\r' && peek(1) == '\n' ? 2 : 1;
      continue;
    }
    if (!lexToken())
      return false;
  }
  if (!brackets.empty()) {
    size_t at = brackets.back().offset;
    return error(DiagID::UnbalancedBracket, at, at + 1,
                 llvm::Twine("'") + text.substr(at, 1) + "' is never closed");
  }
  // The last line need not end, and open blocks end with the file.
  if (!expressionOnly) {
    if (!tokens.empty() && tokens.back().kind != Tok::Newline &&
        tokens.back().kind != Tok::Dedent)
      push(Tok::Newline, text.size(), text.size());
    for (; indents.size() > 1; indents.pop_back())
      push(Tok::Dedent, text.size(), text.size());
  }
  push(Tok::End, text.size(), text.size());
  return true;
}

bool frontend::tokenize(const SourceManager::Buffer &buffer,
                        DiagnosticEngine &diags, std::vector<Token> &tokens) {
  return Lexer(buffer.text, buffer.loc(0), diags, tokens).run(false);
}

bool frontend::tokenizeExpression(StringRef text, SourceLoc loc,
                                  DiagnosticEngine &diags,
                                  std::vector<Token> &tokens) {
  return Lexer(text, loc, diags, tokens).run(true);
}
