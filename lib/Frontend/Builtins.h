//===- Builtins.h - Functions of the language -------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A builtin is a member of the interpreter with a signature; the tables of each
// topic register theirs. Here: its arguments, its row, and how it is found.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_FRONTEND_BUILTINS_H
#define TLC_LIB_FRONTEND_BUILTINS_H

#include "Values.h"
#include "tlc/Frontend/AST.h"

namespace tlc::frontend {

/// The arguments of one call of a builtin, bound to its parameters.
struct Args {
  SourceRange range; ///< the whole call
  const CallExpr *call = nullptr;
  Value self; ///< receiver of a method
  llvm::SmallVector<Value, 8> values;
  llvm::SmallVector<SourceRange, 8> ranges;
  llvm::SmallVector<Expr *, 8> exprs;
  llvm::SmallVector<Value, 4> rest; ///< of a '*' parameter
  llvm::SmallVector<SourceRange, 4> restRanges;
  llvm::SmallVector<std::pair<StringRef, Value>, 2>
      extra; ///< of a '**' parameter
  /// Whether parameter i was given, and not as None.
  bool has(unsigned i) const {
    Value v = (*this)[i];
    return bool(v) && !v.is(VK::None);
  }
  /// Invalid where the signature has fewer parameters: builtins share
  /// implementations that look for more.
  Value operator[](unsigned i) const {
    return i < values.size() ? values[i] : Value();
  }
  SourceRange rangeOf(unsigned i) const {
    return i < ranges.size() && ranges[i].isValid() ? ranges[i] : range;
  }
};

class Interpreter;
/// Implementation of a builtin. The arguments may be changed in place.
using BuiltinFn = Value (Interpreter::*)(Args &);

/// A function of the language. `signature` lists its parameters:
/// "&src,&dst,width?": `?` is optional, `&` takes buffers and elements by
/// reference, `~` is not evaluated, `*` takes all further positional ones, `**`
/// hints by name and, of functions of Python, any names; what follows it is
/// given by name only. `***` takes any names.
struct BuiltinInfo {
  StringRef name; ///< "T.copy", "math.sqrt", "len", "str.join"
  BuiltinFn fn;
  StringRef signature;
  /// Tells apart the names that share an implementation.
  int64_t data = 0;
  enum Flags : uint8_t {
    None = 0,
    Device = 1
  } flags = None; ///< Device: only inside T.Kernel
};
void registerBuiltins(ArrayRef<BuiltinInfo> table);
const BuiltinInfo *findBuiltin(StringRef name);
/// All names that it finds, in no order that means anything.
void forEachBuiltin(llvm::function_ref<void(StringRef)> fn);
/// Names of arguments without an effect, which `**` takes.
bool isHintName(StringRef name);
void forEachHintName(llvm::function_ref<void(StringRef)> fn);
/// Whether a function computes one element from elements.
bool isScalarMath(const BuiltinInfo *builtin);
/// Whether a module is part of the language (Modules.cpp).
bool isLanguageModule(StringRef module);
/// Python's library in the kernel language (Library.cpp).
StringRef libraryText();
bool libraryDefines(StringRef name);

} // namespace tlc::frontend

#endif // TLC_LIB_FRONTEND_BUILTINS_H
