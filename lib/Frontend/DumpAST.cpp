//===- DumpAST.cpp - The syntax tree as text ------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One node a line, children indented:
//   BinOp + 3:9
//     Name a 3:9
//     Constant 1 3:13
//
// The text is for tests and for looking at what the parser understood. Every
// node has the place it begins at, line and column from 1; lines without a
// place are labels of children ("value", "body"), written only where there are
// several. Walking recurses by the height of an expression, which the parser
// bounds.
//
// Nothing of the compiler reads this text. A node's line is its kind, what it
// holds besides children (a name, an operator, a literal), and its place; the
// order of children is that of evaluation or of writing, so that a wrong
// precedence shows as a wrong indentation:
//
//   a + b * c   ->   BinOp + 1:1
//                      Name a 1:1
//                      BinOp * 1:5
//                        Name b 1:5
//                        Name c 1:9
//
//===----------------------------------------------------------------------===//

#include "tlc/Frontend/AST.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace tlc;
using namespace tlc::frontend;
using llvm::cast;

/// Spellings in the order of the enumerations. Messages use them too: "operator
/// '+' cannot ...".
StringRef frontend::spelling(BinOpKind op) {
  static constexpr StringRef names[] = {"+", "-",  "*",  "/", "//", "%", "**",
                                        "@", "<<", ">>", "&", "|",  "^"};
  return names[size_t(op)];
}
StringRef frontend::spelling(UnaryOpKind op) {
  static constexpr StringRef names[] = {"-", "+", "~", "not"};
  return names[size_t(op)];
}
StringRef frontend::spelling(CmpOpKind op) {
  static constexpr StringRef names[] = {"==", "!=", "<",      "<=", ">",
                                        ">=", "is", "is not", "in", "not in"};
  return names[size_t(op)];
}

namespace {
/// Writes one tree. State is the stream and the indentation; all methods write
/// whole lines.
class Dumper {
public:
  Dumper(const SourceManager &sources, llvm::raw_ostream &os)
      : sources(sources), os(os) {}

  /// A list of statements under a label; nothing at all for an empty one.
  void block(StringRef label, StmtList body) {
    if (body.empty())
      return;
    if (!label.empty())
      line(label, {});
    // An empty label adds no level: the children take the label's place.
    indent += label.empty() ? 0 : 2;
    for (Stmt *s : body)
      stmt(s);
    indent -= label.empty() ? 0 : 2;
  }
  void stmt(Stmt *s);
  void expr(Expr *e);

private:
  /// One line; without a place where the range is invalid.
  void line(const llvm::Twine &text, SourceRange range) {
    os.indent(indent) << text;
    if (range.isValid()) {
      auto pos = sources.position(range.begin);
      os << ' ' << pos.line << ':' << pos.column;
    }
    os << '\n';
  }
  /// Whatever `fn` writes is two columns further right.
  template <typename Fn> void nested(Fn fn) {
    indent += 2;
    fn();
    indent -= 2;
  }
  /// Children without labels: their number and order say which is which.
  void exprs(ExprList list) {
    for (Expr *e : list)
      expr(e);
  }
  /// An optional child.
  void labelled(StringRef label, Expr *e) {
    if (!e)
      return;
    line(label, {});
    nested([&] { expr(e); });
  }
  /// A parameter's kind stands before its name: `Param *args`, `Param KwOnly
  /// n`.
  void params(ArrayRef<Param> list) {
    static constexpr StringRef kinds[] = {"PosOnly ", "", "*", "KwOnly ", "**"};
    for (const Param &p : list) {
      line("Param " + kinds[p.kind] + p.name, p.range);
      nested([&] {
        labelled("annotation", p.annotation);
        labelled("default", p.defaultValue);
      });
    }
  }
  /// The lines of one pattern, one literal, and of a statement's parts.
  void pattern(Pattern *p);
  void constant(ConstantExpr *c);
  void compound(Stmt *s);

  const SourceManager &sources;
  llvm::raw_ostream &os;
  unsigned indent = 0;
};
} // namespace

/// C escapes, so that a string stays on its line.
static std::string quoted(StringRef text) {
  std::string out = "\"";
  llvm::raw_string_ostream(out).write_escaped(text);
  return out + "\"";
}

/// A literal as it would be written again. Numbers have 17 digits, which tell
/// any two doubles apart.
void Dumper::constant(ConstantExpr *c) {
  std::string text;
  llvm::raw_string_ostream os(text);
  switch (c->type) {
  case ConstantExpr::None:
    os << "None";
    break;
  case ConstantExpr::True:
    os << "True";
    break;
  case ConstantExpr::False:
    os << "False";
    break;
  case ConstantExpr::Ellipsis:
    os << "...";
    break;
  case ConstantExpr::Int:
    // The parser keeps no more than 64 bits; what it has of the rest is a
    // double.
    if (c->tooBig)
      os << llvm::format("%.17g (beyond 64 bits)", c->real);
    else
      os << c->integer;
    break;
  case ConstantExpr::Float:
    os << llvm::format("%.17g", c->real);
    break;
  case ConstantExpr::Imaginary:
    os << llvm::format("%.17gj", c->real);
    break;
  case ConstantExpr::Str:
    os << quoted(c->text);
    break;
  case ConstantExpr::Bytes:
    os << 'b' << quoted(c->text);
    break;
  }
  line("Constant " + text, c->range);
}

/// A head line with the kind, then the children. Operators stand in the head of
/// a node with one of them, and as labels where there are several (a < b <= c).
void Dumper::expr(Expr *e) {
  // Absent, where the place in a list tells something: a bound of a slice, the
  // key of `**mapping`.
  if (!e)
    return line("-", {});
  switch (e->kind) {
  case ExprKind::Name:
    return line("Name " + cast<NameExpr>(e)->id, e->range);
  case ExprKind::Constant:
    return constant(cast<ConstantExpr>(e));
  case ExprKind::JoinedStr:
    line("JoinedStr", e->range);
    return nested([&] {
      // Text and values alternate as in the string; a value's line has its
      // conversion.
      for (auto &part : cast<JoinedStrExpr>(e)->parts) {
        if (!part.value) {
          line("Text " + quoted(part.text), {});
          continue;
        }
        line(part.conversion ? "Value !" + std::string(1, part.conversion)
                             : "Value",
             {});
        nested([&] {
          expr(part.value);
          labelled("format", part.format);
        });
      }
    });
  case ExprKind::Tuple:
    line("Tuple", e->range);
    return nested([&] { exprs(cast<TupleExpr>(e)->elements); });
  case ExprKind::List:
    line("List", e->range);
    return nested([&] { exprs(cast<ListExpr>(e)->elements); });
  case ExprKind::Set:
    line("Set", e->range);
    return nested([&] { exprs(cast<SetExpr>(e)->elements); });
  case ExprKind::Dict: {
    auto *dict = cast<DictExpr>(e);
    line("Dict", e->range);
    // A value is one level below its key.
    return nested([&] {
      for (size_t i = 0; i < dict->keys.size(); ++i) {
        expr(dict->keys[i]);
        nested([&] { expr(dict->values[i]); });
      }
    });
  }
  case ExprKind::Comprehension: {
    auto *comp = cast<ComprehensionExpr>(e);
    static constexpr StringRef names[] = {"ListComp", "SetComp", "DictComp",
                                          "GeneratorExp"};
    line(names[comp->type], e->range);
    return nested([&] {
      expr(comp->element);
      labelled("value", comp->value);
      // Clauses follow each other on one level, though each loops inside the
      // one before it.
      for (auto &clause : comp->clauses) {
        line(clause.isAsync ? "async for" : "for", {});
        nested([&] {
          expr(clause.target);
          expr(clause.iterable);
          for (Expr *c : clause.conditions)
            labelled("if", c);
        });
      }
    });
  }
  case ExprKind::BinOp: {
    auto *op = cast<BinOpExpr>(e);
    line("BinOp " + spelling(op->op), e->range);
    return nested([&] { exprs({op->lhs, op->rhs}); });
  }
  case ExprKind::UnaryOp: {
    auto *op = cast<UnaryOpExpr>(e);
    line("UnaryOp " + spelling(op->op), e->range);
    return nested([&] { expr(op->operand); });
  }
  case ExprKind::BoolOp: {
    auto *op = cast<BoolOpExpr>(e);
    line(op->isAnd ? "BoolOp and" : "BoolOp or", e->range);
    return nested([&] { exprs(op->operands); });
  }
  case ExprKind::Compare: {
    auto *compare = cast<CompareExpr>(e);
    line("Compare", e->range);
    return nested([&] {
      expr(compare->first);
      for (size_t i = 0; i < compare->ops.size(); ++i)
        labelled(spelling(compare->ops[i]), compare->rest[i]);
    });
  }
  case ExprKind::Call: {
    auto *call = cast<CallExpr>(e);
    line("Call", e->range);
    return nested([&] {
      // The callee first; arguments by name have a label with it.
      expr(call->callee);
      exprs(call->args);
      for (const Keyword &k : call->keywords) {
        line(k.name.empty() ? "**" : k.name + "=", {});
        nested([&] { expr(k.value); });
      }
    });
  }
  case ExprKind::Attribute:
    line("Attribute ." + cast<AttributeExpr>(e)->attr, e->range);
    return nested([&] { expr(cast<AttributeExpr>(e)->object); });
  case ExprKind::Subscript:
    line("Subscript", e->range);
    return nested([&] {
      // Without labels: always two.
      exprs({cast<SubscriptExpr>(e)->object, cast<SubscriptExpr>(e)->index});
    });
  case ExprKind::Slice: {
    auto *slice = cast<SliceExpr>(e);
    line("Slice", e->range);
    // Always three, "-" for absent ones: a[:n] is not a[n:].
    return nested([&] { exprs({slice->lower, slice->upper, slice->step}); });
  }
  case ExprKind::IfExp: {
    auto *choice = cast<IfExpExpr>(e);
    line("IfExp", e->range);
    return nested(
        [&] { exprs({choice->condition, choice->then, choice->otherwise}); });
  }
  case ExprKind::Lambda:
    line("Lambda", e->range);
    return nested([&] {
      params(cast<LambdaExpr>(e)->params);
      expr(cast<LambdaExpr>(e)->body);
    });
  case ExprKind::Starred:
    line("Starred", e->range);
    return nested([&] { expr(cast<StarredExpr>(e)->value); });
  case ExprKind::Yield:
    line(cast<YieldExpr>(e)->isFrom ? "YieldFrom" : "Yield", e->range);
    return nested([&] { labelled("value", cast<YieldExpr>(e)->value); });
  case ExprKind::Await:
    line("Await", e->range);
    return nested([&] { expr(cast<AwaitExpr>(e)->value); });
  case ExprKind::NamedExpr:
    line("NamedExpr " + cast<NamedExprExpr>(e)->target->id, e->range);
    return nested([&] { expr(cast<NamedExprExpr>(e)->value); });
  }
}

/// One pattern: what it is compared with, keys (of a mapping), then patterns
/// inside it.
void Dumper::pattern(Pattern *p) {
  static constexpr StringRef names[] = {"Value",    "Capture", "Wildcard",
                                        "Sequence", "Star",    "Mapping",
                                        "Class",    "Or",      "As"};
  line("Pattern" + names[p->kind] + (p->name.empty() ? "" : " ") + p->name,
       p->range);
  nested([&] {
    if (p->value)
      expr(p->value);
    exprs(p->keys);
    for (Pattern *sub : p->sub)
      pattern(sub);
  });
}

/// The head of a statement, then its parts.
void Dumper::stmt(Stmt *s) {
  // In the order of StmtKind.
  static constexpr StringRef names[] = {
      "Expr",  "Assign",   "AugAssign",   "AnnAssign",  "For",    "While",
      "If",    "With",     "FunctionDef", "ClassDef",   "Return", "Raise",
      "Try",   "Assert",   "Import",      "ImportFrom", "Scope",  "Pass",
      "Break", "Continue", "Delete",      "Match"};
  std::string head = names[size_t(s->kind)].str();
  // What a reader looks for first stands in the head.
  if (auto *f = llvm::dyn_cast<FunctionDefStmt>(s))
    head += " " + f->name.str();
  else if (auto *c = llvm::dyn_cast<ClassDefStmt>(s))
    head += " " + c->name.str();
  else if (auto *aug = llvm::dyn_cast<AugAssignStmt>(s))
    head += " " + spelling(aug->op).str() + "=";
  else if (auto *from = llvm::dyn_cast<ImportFromStmt>(s))
    head += " " + std::string(from->level, '.') + from->module.str();
  line(head, s->range);
  nested([&] { compound(s); });
}

/// The parts of a statement, in the order in which they are written.
void Dumper::compound(Stmt *s) {
  // Names of an import as they are written: `a.b as c`.
  auto aliases = [&](ArrayRef<ImportAlias> names) {
    for (const ImportAlias &a : names)
      line(a.name + (a.asName.empty() ? "" : " as ") + a.asName, a.range);
  };
  switch (s->kind) {
  case StmtKind::Expr:
    return expr(cast<ExprStmt>(s)->value);
  case StmtKind::Assign:
    exprs(cast<AssignStmt>(s)->targets);
    return labelled("value", cast<AssignStmt>(s)->value);
  case StmtKind::AugAssign:
    return exprs(
        {cast<AugAssignStmt>(s)->target, cast<AugAssignStmt>(s)->value});
  case StmtKind::AnnAssign:
    exprs({cast<AnnAssignStmt>(s)->target, cast<AnnAssignStmt>(s)->annotation});
    return labelled("value", cast<AnnAssignStmt>(s)->value);
  case StmtKind::For:
    exprs({cast<ForStmt>(s)->target, cast<ForStmt>(s)->iterable});
    block("body", cast<ForStmt>(s)->body);
    return block("else", cast<ForStmt>(s)->orelse);
  case StmtKind::While:
    expr(cast<WhileStmt>(s)->condition);
    block("body", cast<WhileStmt>(s)->body);
    return block("else", cast<WhileStmt>(s)->orelse);
  case StmtKind::If:
    expr(cast<IfStmt>(s)->condition);
    block("body", cast<IfStmt>(s)->body);
    return block("else", cast<IfStmt>(s)->orelse);
  case StmtKind::With:
    for (auto &item : cast<WithStmt>(s)->items) {
      expr(item.context);
      labelled("as", item.target);
    }
    return block("body", cast<WithStmt>(s)->body);
  case StmtKind::FunctionDef: {
    auto *f = cast<FunctionDefStmt>(s);
    // Decorators are evaluated from the last to the first, but written in their
    // order.
    for (Expr *d : f->decorators)
      labelled("decorator", d);
    params(f->params);
    labelled("returns", f->returns);
    return block("body", f->body);
  }
  case StmtKind::ClassDef: {
    auto *c = cast<ClassDefStmt>(s);
    for (Expr *d : c->decorators)
      labelled("decorator", d);
    exprs(c->bases);
    return block("body", c->body);
  }
  case StmtKind::Return:
    return labelled("value", cast<ReturnStmt>(s)->value);
  case StmtKind::Raise:
    labelled("exception", cast<RaiseStmt>(s)->exception);
    return labelled("from", cast<RaiseStmt>(s)->cause);
  case StmtKind::Try: {
    auto *t = cast<TryStmt>(s);
    block("body", t->body);
    for (auto &handler : t->handlers) {
      // The name is part of the label: it is no expression.
      line(std::string(handler.name.empty() ? "except" : "except as ") +
               handler.name.str(),
           {});
      nested([&] {
        labelled("type", handler.type);
        block("", handler.body);
      });
    }
    block("else", t->orelse);
    return block("finally", t->finalbody);
  }
  case StmtKind::Assert:
    expr(cast<AssertStmt>(s)->condition);
    return labelled("message", cast<AssertStmt>(s)->message);
  case StmtKind::Import:
    return aliases(cast<ImportStmt>(s)->names);
  case StmtKind::ImportFrom:
    return aliases(cast<ImportFromStmt>(s)->names);
  case StmtKind::Scope:
    return line(
        std::string(cast<ScopeStmt>(s)->isGlobal ? "global " : "nonlocal ") +
            llvm::join(cast<ScopeStmt>(s)->names, ", "),
        {});
  case StmtKind::Delete:
    return exprs(cast<DeleteStmt>(s)->targets);
  case StmtKind::Match:
    expr(cast<MatchStmt>(s)->subject);
    for (auto &c : cast<MatchStmt>(s)->cases) {
      line("case", {});
      nested([&] {
        pattern(c.pattern);
        labelled("guard", c.guard);
        block("body", c.body);
      });
    }
    return;
  case StmtKind::Pass:
  case StmtKind::Break:
  case StmtKind::Continue:
    return;
  }
}

void frontend::dumpAST(StmtList module, const SourceManager &sources,
                       llvm::raw_ostream &os) {
  Dumper(sources, os).block("", module);
}
