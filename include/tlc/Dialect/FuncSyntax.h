//===- FuncSyntax.h - What tile.func and wave.kernel share ------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both are functions with one block, an implicit terminator, arguments with
// attributes and no results. `Op` is the op's class.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_DIALECT_FUNCSYNTAX_H
#define TLC_DIALECT_FUNCSYNTAX_H

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

namespace tlc {

/// Name, type, argument attributes and an empty body.
template <typename Op>
void buildFunc(mlir::OpBuilder &b, mlir::OperationState &state,
               llvm::StringRef name, mlir::FunctionType type,
               llvm::ArrayRef<mlir::DictionaryAttr> argAttrs) {
  state.addAttribute(mlir::SymbolTable::getSymbolAttrName(),
                     b.getStringAttr(name));
  state.addAttribute(Op::getFunctionTypeAttrName(state.name),
                     mlir::TypeAttr::get(type));
  mlir::OpBuilder::InsertionGuard guard(b);
  mlir::Region *body = state.addRegion();
  mlir::Block *block = b.createBlock(body);
  for (mlir::Type t : type.getInputs())
    block->addArgument(t, state.location);
  Op::ensureTerminator(*body, b, state.location);
  if (!argAttrs.empty()) {
    llvm::SmallVector<mlir::Attribute> attrs(argAttrs.begin(), argAttrs.end());
    state.addAttribute(Op::getArgAttrsAttrName(state.name),
                       b.getArrayAttr(attrs));
  }
}

/// `@name(%a: type {attrs}, ...) attributes {...} { body }`. A body may omit
/// its terminator, which is added.
template <typename Op>
mlir::ParseResult parseFunc(mlir::OpAsmParser &parser,
                            mlir::OperationState &result) {
  namespace impl = mlir::function_interface_impl;
  auto build = [](mlir::Builder &b, llvm::ArrayRef<mlir::Type> in,
                  llvm::ArrayRef<mlir::Type> out, impl::VariadicFlag,
                  std::string &) { return b.getFunctionType(in, out); };
  if (impl::parseFunctionOp(parser, result, /*allowVariadic=*/false,
                            Op::getFunctionTypeAttrName(result.name), build,
                            Op::getArgAttrsAttrName(result.name),
                            Op::getResAttrsAttrName(result.name)))
    return mlir::failure();
  Op::ensureTerminator(*result.regions.front(), parser.getBuilder(),
                       result.location);
  return mlir::success();
}

/// The inverse of parseFunc; the terminator is printed as the op's own traits
/// say.
template <typename Op> void printFunc(mlir::OpAsmPrinter &p, Op op) {
  mlir::function_interface_impl::printFunctionOp(
      p, op, /*isVariadic=*/false, op.getFunctionTypeAttrName(),
      op.getArgAttrsAttrName(), op.getResAttrsAttrName());
}

} // namespace tlc

#endif // TLC_DIALECT_FUNCSYNTAX_H
