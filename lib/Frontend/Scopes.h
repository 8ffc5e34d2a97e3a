//===- Scopes.h - Names and what they are bound to --------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interpreter's environment: what a name is bound to, the names of a
// function, comprehension or module, and how a statement ended.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_FRONTEND_SCOPES_H
#define TLC_LIB_FRONTEND_SCOPES_H

#include "Values.h"
#include "tlc/Frontend/AST.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"

namespace tlc::frontend {

/// What a name is bound to, and whether it may still be read.
///   Live         yes
///   Expired      made in a region that has ended: its SSA values are gone
///   Conditional  bound in one branch of an `if` on the device
///   Pending      a parameter that waits for its annotation
struct Binding {
  enum State : uint8_t { Live, Expired, Conditional, Pending } state = Live;
  Value value;
  SourceRange where;
  unsigned loopDepth = 0; ///< device loops open where it was bound
  unsigned readLoop =
      0; ///< serial number of the innermost device loop that read it
  bool reference = false; ///< a T.Ref: assigning to it stores an element
};

/// The names of a function call, a comprehension or a module. A function's
/// scope has the scope that it was defined in as its parent, not the caller's.
struct Scope {
  llvm::DenseMap<StringRef, Binding> names;
  Scope *parent = nullptr;
  FunctionObject *function = nullptr;
  bool staged = false; ///< the body of a prim_func, macro or eager function
  StmtList module;     ///< module scopes: evaluated lazily
  /// The statement that gives a name its value; null: only host code knows it.
  llvm::DenseMap<StringRef, const Stmt *> definitions; ///< module scopes
  /// Names whose evaluation is under way: a definition may not need itself.
  llvm::StringSet<> evaluating;
  /// `from x import *`, in order.
  llvm::SmallVector<const ImportFromStmt *> stars;
  /// Statements that change a name's value after its definition.
  llvm::DenseMap<StringRef, llvm::SmallVector<const Stmt *>> changes;
  /// `nonlocal` and `global`: where these names are bound.
  llvm::DenseMap<StringRef, Scope *> elsewhere;
  /// Of a module: the file, for imports beside it.
  std::string path;
};

/// How a statement ended.
enum class Flow : uint8_t { Next, Break, Continue, Return, Error };

} // namespace tlc::frontend

#endif // TLC_LIB_FRONTEND_SCOPES_H
