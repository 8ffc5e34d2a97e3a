//===- AST.h - The syntax tree ----------------------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Python 3.11's abstract syntax, one struct a node, names as in Python's `ast`.
// Nodes, their lists and their strings live in an ASTContext and die with it;
// none has a destructor to run. Every node has its source range. `height`
// bounds the recursion of whoever walks the tree.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_FRONTEND_AST_H
#define TLC_FRONTEND_AST_H

#include "tlc/Support/SourceManager.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/raw_ostream.h"

namespace tlc::frontend {

using llvm::ArrayRef;
using llvm::StringRef;

enum class ExprKind : uint8_t {
  Name,
  Constant,
  JoinedStr,
  Tuple,
  List,
  Set,
  Dict,
  Comprehension,
  BinOp,
  UnaryOp,
  BoolOp,
  Compare,
  Call,
  Attribute,
  Subscript,
  Slice,
  IfExp,
  Lambda,
  Starred,
  Yield,
  Await,
  NamedExpr,
};

enum class StmtKind : uint8_t {
  Expr,
  Assign,
  AugAssign,
  AnnAssign,
  For,
  While,
  If,
  With,
  FunctionDef,
  ClassDef,
  Return,
  Raise,
  Try,
  Assert,
  Import,
  ImportFrom,
  Scope,
  Pass,
  Break,
  Continue,
  Delete,
  Match,
};

enum class BinOpKind : uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  FloorDiv,
  Mod,
  Pow,
  MatMul,
  Shl,
  Shr,
  And,
  Or,
  Xor,
};
enum class UnaryOpKind : uint8_t { Neg, Pos, Invert, Not };
enum class CmpOpKind : uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Is, IsNot, In, NotIn };

StringRef spelling(BinOpKind op);
StringRef spelling(UnaryOpKind op);
StringRef spelling(CmpOpKind op);

/// Base of expressions. The kind is fixed by the node's type, so llvm::cast
/// works; `height` is 1 for a leaf, one more than the highest child's
/// otherwise.
struct Expr {
  ExprKind kind;
  uint16_t height = 1;
  SourceRange range;
  explicit Expr(ExprKind kind) : kind(kind) {}
};

/// Base of statements.
struct Stmt {
  StmtKind kind;
  SourceRange range; ///< for compound statements, the head line
  explicit Stmt(StmtKind kind) : kind(kind) {}
};

/// Lists own nothing: nodes and arrays are the context's.
using ExprList = ArrayRef<Expr *>;
using StmtList = ArrayRef<Stmt *>;

#define TLC_EXPR(Name)                                                         \
  Name##Expr() : Expr(ExprKind::Name) {}                                       \
  static bool classof(const Expr *e) { return e->kind == ExprKind::Name; }
#define TLC_STMT(Name)                                                         \
  Name##Stmt() : Stmt(StmtKind::Name) {}                                       \
  static bool classof(const Stmt *s) { return s->kind == StmtKind::Name; }

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

struct NameExpr : Expr {
  TLC_EXPR(Name)
  StringRef id;
};

struct ConstantExpr : Expr {
  TLC_EXPR(Constant)
  enum Type : uint8_t {
    None,
    True,
    False,
    Ellipsis,
    Int,
    Float,
    Imaginary,
    Str,
    Bytes
  } type = None;
  bool tooBig = false; ///< an Int beyond 64 bits; `real` holds it approximately
  int64_t integer = 0;
  double real = 0;
  StringRef text; ///< Str and Bytes, escapes resolved
};

/// A formatted string: constant pieces and values, in order.
struct JoinedStrExpr : Expr {
  TLC_EXPR(JoinedStr)
  struct Part {
    StringRef text; ///< if `value` is null
    Expr *value = nullptr;
    char conversion = 0;    ///< 'r', 's', 'a' or 0
    Expr *format = nullptr; ///< a JoinedStr or Constant
  };
  ArrayRef<Part> parts;
};

struct TupleExpr : Expr {
  TLC_EXPR(Tuple)
  ExprList elements;
  bool parenthesized = false;
};
struct ListExpr : Expr {
  TLC_EXPR(List)
  ExprList elements;
};
struct SetExpr : Expr {
  TLC_EXPR(Set)
  ExprList elements;
};
/// A null key marks `**value`.
struct DictExpr : Expr {
  TLC_EXPR(Dict)
  ExprList keys, values;
};

/// [element for target in iterable if condition ...]; clauses from outside in.
struct ComprehensionExpr : Expr {
  TLC_EXPR(Comprehension)
  enum Type : uint8_t { List, Set, Dict, Generator } type = List;
  struct Clause {
    Expr *target, *iterable;
    ExprList conditions;
    bool isAsync;
  };
  Expr *element = nullptr; ///< the key, for Dict
  Expr *value = nullptr;   ///< Dict only
  ArrayRef<Clause> clauses;
};

struct BinOpExpr : Expr {
  TLC_EXPR(BinOp)
  BinOpKind op = BinOpKind::Add;
  Expr *lhs = nullptr, *rhs = nullptr;
};
struct UnaryOpExpr : Expr {
  TLC_EXPR(UnaryOp)
  UnaryOpKind op = UnaryOpKind::Neg;
  Expr *operand = nullptr;
};
/// a and b and c: one node for a chain.
struct BoolOpExpr : Expr {
  TLC_EXPR(BoolOp)
  bool isAnd = true;
  ExprList operands;
};
/// first ops[0] rest[0] ops[1] rest[1] ...
struct CompareExpr : Expr {
  TLC_EXPR(Compare)
  Expr *first = nullptr;
  ArrayRef<CmpOpKind> ops;
  ExprList rest;
};

struct Keyword {
  StringRef name; ///< empty for `**value`
  SourceRange range;
  Expr *value;
};
struct CallExpr : Expr {
  TLC_EXPR(Call)
  Expr *callee = nullptr;
  ExprList args; ///< may hold Starred
  ArrayRef<Keyword> keywords;
};

struct AttributeExpr : Expr {
  TLC_EXPR(Attribute)
  Expr *object = nullptr;
  StringRef attr;
  SourceRange attrRange;
};
struct SubscriptExpr : Expr {
  TLC_EXPR(Subscript)
  Expr *object = nullptr, *index = nullptr;
};
/// lower:upper:step inside a subscript; any of them may be null.
struct SliceExpr : Expr {
  TLC_EXPR(Slice)
  Expr *lower = nullptr, *upper = nullptr, *step = nullptr;
};
struct IfExpExpr : Expr {
  TLC_EXPR(IfExp)
  Expr *condition = nullptr, *then = nullptr, *otherwise = nullptr;
};

/// A parameter: before '/', plain, *args, after '*', **kwargs.
struct Param {
  enum Kind : uint8_t { PosOnly, Normal, VarArgs, KwOnly, KwArgs };
  Kind kind;
  StringRef name;
  SourceRange range;
  Expr *annotation = nullptr, *defaultValue = nullptr;
};
struct LambdaExpr : Expr {
  TLC_EXPR(Lambda)
  ArrayRef<Param> params;
  Expr *body = nullptr;
};
struct StarredExpr : Expr {
  TLC_EXPR(Starred)
  Expr *value = nullptr;
};
struct YieldExpr : Expr {
  TLC_EXPR(Yield)
  Expr *value = nullptr;
  bool isFrom = false;
};
struct AwaitExpr : Expr {
  TLC_EXPR(Await)
  Expr *value = nullptr;
};
struct NamedExprExpr : Expr {
  TLC_EXPR(NamedExpr)
  NameExpr *target = nullptr;
  Expr *value = nullptr;
};

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

struct ExprStmt : Stmt {
  TLC_STMT(Expr)
  frontend::Expr *value = nullptr;
};
struct AssignStmt : Stmt {
  TLC_STMT(Assign)
  ExprList targets; ///< a = b = value has two
  frontend::Expr *value = nullptr;
};
struct AugAssignStmt : Stmt {
  TLC_STMT(AugAssign)
  frontend::Expr *target = nullptr;
  BinOpKind op = BinOpKind::Add;
  frontend::Expr *value = nullptr;
};
/// target: annotation = value, where value may be null.
struct AnnAssignStmt : Stmt {
  TLC_STMT(AnnAssign)
  frontend::Expr *target = nullptr, *annotation = nullptr, *value = nullptr;
};
struct ForStmt : Stmt {
  TLC_STMT(For)
  frontend::Expr *target = nullptr, *iterable = nullptr;
  StmtList body, orelse;
  bool isAsync = false;
};
struct WhileStmt : Stmt {
  TLC_STMT(While)
  frontend::Expr *condition = nullptr;
  StmtList body, orelse;
};
struct IfStmt : Stmt {
  TLC_STMT(If)
  frontend::Expr *condition = nullptr;
  StmtList body, orelse; ///< `elif` is an If alone in orelse
};
struct WithStmt : Stmt {
  TLC_STMT(With)
  struct Item {
    frontend::Expr *context, *target; ///< target may be null
  };
  ArrayRef<Item> items;
  StmtList body;
  bool isAsync = false;
};
struct FunctionDefStmt : Stmt {
  TLC_STMT(FunctionDef)
  StringRef name;
  SourceRange nameRange;
  ArrayRef<Param> params;
  ExprList decorators;
  frontend::Expr *returns = nullptr;
  StmtList body;
  bool isAsync = false;
};
struct ClassDefStmt : Stmt {
  TLC_STMT(ClassDef)
  StringRef name;
  SourceRange nameRange;
  ExprList bases;
  ArrayRef<Keyword> keywords;
  ExprList decorators;
  StmtList body;
};
struct ReturnStmt : Stmt {
  TLC_STMT(Return)
  frontend::Expr *value = nullptr;
};
struct RaiseStmt : Stmt {
  TLC_STMT(Raise)
  frontend::Expr *exception = nullptr, *cause = nullptr;
};
struct TryStmt : Stmt {
  TLC_STMT(Try)
  struct Handler {
    frontend::Expr *type; ///< null for a bare `except:`
    StringRef name;
    StmtList body;
  };
  StmtList body;
  ArrayRef<Handler> handlers;
  StmtList orelse, finalbody;
  bool isStar = false; ///< except*
};
struct AssertStmt : Stmt {
  TLC_STMT(Assert)
  frontend::Expr *condition = nullptr, *message = nullptr;
};
struct ImportAlias {
  StringRef name;   ///< dotted; "*" for a star import
  StringRef asName; ///< empty if there is none
  SourceRange range;
};
struct ImportStmt : Stmt {
  TLC_STMT(Import)
  ArrayRef<ImportAlias> names;
};
struct ImportFromStmt : Stmt {
  TLC_STMT(ImportFrom)
  StringRef module; ///< may be empty when level > 0
  unsigned level = 0;
  ArrayRef<ImportAlias> names;
};
/// `global` and `nonlocal`.
struct ScopeStmt : Stmt {
  TLC_STMT(Scope)
  bool isGlobal = true;
  ArrayRef<StringRef> names;
};
struct PassStmt : Stmt {
  TLC_STMT(Pass)
};
struct BreakStmt : Stmt {
  TLC_STMT(Break)
};
struct ContinueStmt : Stmt {
  TLC_STMT(Continue)
};
struct DeleteStmt : Stmt {
  TLC_STMT(Delete)
  ExprList targets;
};

/// A pattern of a match statement.
struct Pattern {
  enum Kind : uint8_t {
    Value,
    Capture,
    Wildcard,
    Sequence,
    Star,
    Mapping,
    Class,
    Or,
    As
  };
  Kind kind = Wildcard;
  SourceRange range;
  Expr *value = nullptr; ///< Value; the class of Class
  StringRef name;        ///< Capture, Star, As; `**rest` of Mapping
  ArrayRef<Pattern *>
      sub;       ///< Sequence, Or, values of Mapping, args of Class, [0] of As
  ExprList keys; ///< Mapping
  ArrayRef<StringRef> keywords; ///< Class: names of the last sub patterns
};
struct MatchStmt : Stmt {
  TLC_STMT(Match)
  struct Case {
    Pattern *pattern;
    frontend::Expr *guard;
    StmtList body;
  };
  frontend::Expr *subject = nullptr;
  ArrayRef<Case> cases;
};

#undef TLC_EXPR
#undef TLC_STMT

/// Owns the nodes of one or more files.
class ASTContext {
public:
  template <typename T> T *create() {
    return new (allocator.Allocate<T>()) T();
  }
  /// Copies a range into the context; the elements must need no destructor.
  template <typename T, typename Range> ArrayRef<T> copy(const Range &range) {
    size_t n = range.size();
    if (!n)
      return {};
    T *data = allocator.Allocate<T>(n);
    std::uninitialized_copy(range.begin(), range.end(), data);
    return {data, n};
  }
  StringRef save(StringRef text) { return text.copy(allocator); }

private:
  llvm::BumpPtrAllocator allocator;
};

/// Prints a tree, one node a line, for --emit=ast.
void dumpAST(StmtList module, const SourceManager &sources,
             llvm::raw_ostream &os);

} // namespace tlc::frontend

#endif // TLC_FRONTEND_AST_H
