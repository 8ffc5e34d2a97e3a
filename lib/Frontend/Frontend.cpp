//===- Frontend.cpp - Choosing and running a kernel -----------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three forms of kernel: a factory whose body returns a T.prim_func, an eager
// function that holds its T.Kernel itself, and a T.prim_func at module level.
//
//   file -> tokens -> statements -> Interpreter::run(kernel) -> tile.func
//
// Which functions are kernels is decided by their text, before anything is run:
// decorators by name, a T.prim_func or T.Kernel in the body. The same text
// gives the parameters that a caller must bind, so that listing kernels and the
// error about missing -D values need no values.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "Suggest.h"
#include "mlir/IR/Diagnostics.h"
#include "tlc/Frontend/Parser.h"

using namespace tlc;
using namespace tlc::frontend;

namespace tlc::frontend {
void registerAllBuiltins();
}

/// Nothing of the module runs here; its names are only collected.
Interpreter::Interpreter(const SourceManager::Buffer &buffer, StmtList body,
                         const FrontendOptions &options,
                         mlir::MLIRContext &context, ASTContext &ast,
                         DiagnosticEngine &diags)
    : sources(diags.sourceManager()), diags(diags), options(options),
      context(context), ast(ast), b(mlir::UnknownLoc::get(&context), &context) {
  registerAllBuiltins();
  moduleScope = scope = newScope(nullptr);
  moduleScope->module = body;
  moduleScope->path = buffer.name;
  collectDefinitions(moduleScope, body);
}
Interpreter::~Interpreter() = default;

//===----------------------------------------------------------------------===//
// What is a kernel
//===----------------------------------------------------------------------===//

/// Looks at decorators by name, through module aliases, without evaluating.
bool Interpreter::isJit(const FunctionDefStmt *def, bool *isPrimFunc,
                        const CallExpr **callOut) {
  bool jit = false;
  for (const Expr *d : def->decorators) {
    auto *call = llvm::dyn_cast<CallExpr>(d);
    if (call)
      d = call->callee;
    StringRef name;
    if (auto *attr = llvm::dyn_cast<AttributeExpr>(d))
      name = attr->attr;
    else if (auto *n = llvm::dyn_cast<NameExpr>(d))
      name = n->id;
    if (name == "prim_func" && isPrimFunc)
      *isPrimFunc = true;
    if (name == "jit" || name == "lazy_jit") {
      jit = true;
      if (callOut)
        *callOut = call;
    }
  }
  return jit;
}

/// Whether a T.prim_func is defined anywhere in a body; `hasKernel` becomes
/// true if a T.Kernel is launched in it directly. Nested functions are not
/// looked into.
static bool containsPrimFunc(StmtList body, bool &hasKernel) {
  bool found = false;
  for (const Stmt *s : body) {
    if (auto *f = llvm::dyn_cast<FunctionDefStmt>(s)) {
      for (const Expr *d : f->decorators) {
        if (auto *call = llvm::dyn_cast<CallExpr>(d))
          d = call->callee;
        auto *attr = llvm::dyn_cast<AttributeExpr>(d);
        found |= attr && attr->attr == "prim_func";
      }
    } else if (auto *i = llvm::dyn_cast<IfStmt>(s)) {
      found |= containsPrimFunc(i->body, hasKernel);
      found |= containsPrimFunc(i->orelse, hasKernel);
    } else if (auto *w = llvm::dyn_cast<WithStmt>(s)) {
      for (auto &item : w->items)
        if (auto *call = llvm::dyn_cast<CallExpr>(item.context))
          if (auto *attr = llvm::dyn_cast<AttributeExpr>(call->callee))
            hasKernel |= attr->attr == "Kernel";
      found |= containsPrimFunc(w->body, hasKernel);
    } else if (auto *loop = llvm::dyn_cast<ForStmt>(s)) {
      found |= containsPrimFunc(loop->body, hasKernel);
    }
  }
  return found;
}

/// An eager function launches its kernel itself, or a macro does it for it:
/// then it is known by annotating its own parameters (`A: T.Tensor(...)`).
bool Interpreter::isEager(const FunctionDefStmt *def) {
  bool hasKernel = false;
  if (containsPrimFunc(def->body, hasKernel))
    return false;
  if (hasKernel)
    return true;
  for (const Stmt *s : def->body)
    if (auto *a = llvm::dyn_cast<AnnAssignStmt>(s))
      for (const Param &p : def->params)
        if (auto *n = llvm::dyn_cast<NameExpr>(a->target);
            n && !a->value && n->id == p.name)
          return true;
  return false;
}

/// In source order. A factory without a decorator counts if it holds a
/// T.prim_func.
///   @tilelang.jit           a factory or an eager function
///   @T.prim_func            a program by itself
///   def f(...):             a factory, if a T.prim_func is defined in it
std::vector<const FunctionDefStmt *> Interpreter::findKernels() {
  std::vector<const FunctionDefStmt *> kernels;
  for (const Stmt *s : moduleScope->module) {
    auto *def = llvm::dyn_cast<FunctionDefStmt>(s);
    if (!def)
      continue;
    bool primFunc = false, hasKernel = false;
    if (isJit(def, &primFunc, nullptr) || primFunc ||
        containsPrimFunc(def->body, hasKernel))
      kernels.push_back(def);
  }
  return kernels;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Runs one kernel: a module with one verified tile.func, or null after a
/// report. An Interpreter runs once.
mlir::OwningOpRef<mlir::ModuleOp> Interpreter::run(const FunctionDefStmt *def) {
  kernelDef = def;
  at(def->nameRange);
  module = mlir::ModuleOp::create(b.getLoc());
  b.setInsertionPointToStart(module->getBody());
  func = tile::FuncOp::create(b, def->name, b.getFunctionType({}, {}));
  b.setInsertionPoint(func.getBody().front().getTerminator());
  if (!parseDefines())
    return {};
  collectMissing(def);
  bool isPrimFunc = false;
  isJit(def, &isPrimFunc, nullptr);
  // A T.prim_func reports when it reads one: its parameters are arguments.
  if (!missing.empty() && !isPrimFunc) {
    collectMissing(def, /*reading=*/true);
    reportMissing(missing);
    return {};
  }
  scope = moduleScope;
  Value fn = makeFunction(def);
  if (!fn)
    return {};
  bool ok = isPrimFunc     ? runPrimFunc(fn.as<FunctionObject>(), {})
            : isEager(def) ? runEager(def, fn.as<FunctionObject>())
                           : runFactory(def, fn.as<FunctionObject>());
  if (!ok || !finish())
    return {};
  // Integers that the kernel read from the module are parameters as well:
  // messages about sizes name them. A -D that nothing read is probably
  // misspelt.
  for (auto &[name, binding] : moduleScope->names)
    if (binding.value.is(VK::Int))
      noteParameter(name, binding.value.asInt());
  for (auto &entry : options.defines)
    if (!usedDefines.contains(entry.getKey())) {
      NearestName nearest(entry.getKey());
      for (const Param &p : def->params)
        nearest.consider(p.name);
      for (auto &[name, stmt] : moduleScope->definitions)
        nearest.consider(name);
      auto diag = diags.report(DiagID::UnusedDefine, def->nameRange,
                               "nothing reads -D " + entry.getKey());
      nearest.help(diag);
    }
  return std::move(module);
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

void tlc::loadFrontendDialects(mlir::MLIRContext &context) {
  context.loadDialect<tile::TileDialect, mlir::arith::ArithDialect,
                      mlir::math::MathDialect, mlir::scf::SCFDialect,
                      mlir::memref::MemRefDialect>();
}

/// The kernel that --kernel names, or the only one; null after a report.
static const FunctionDefStmt *chooseKernel(Interpreter &interp,
                                           StringRef wanted, SourceRange file,
                                           DiagnosticEngine &diags) {
  auto kernels = interp.findKernels();
  if (!wanted.empty()) {
    for (auto *k : kernels)
      if (k->name == wanted)
        return k;
    // Any other function of the module may be a factory all the same.
    for (const Stmt *s : interp.moduleScope->module)
      if (auto *def = llvm::dyn_cast<FunctionDefStmt>(s);
          def && def->name == wanted)
        return def;
    auto diag = diags.report(DiagID::NoSuchKernel, file,
                             "the file has no kernel '" + wanted + "'");
    for (auto *k : kernels)
      diag.note(k->nameRange, "'" + k->name + "' is one");
    return nullptr;
  }
  if (kernels.size() == 1)
    return kernels[0];
  if (kernels.empty()) {
    diags.report(DiagID::NoKernel, file,
                 "the file holds no kernel: no function is decorated with "
                 "@tilelang.jit or @T.prim_func");
    return nullptr;
  }
  auto diag = diags.report(DiagID::AmbiguousKernel, file,
                           "the file holds " + llvm::Twine(kernels.size()) +
                               " kernels");
  for (auto *k : kernels)
    diag.note(k->nameRange, "'" + k->name + "' is one");
  diag.help("choose one with --kernel NAME");
  return nullptr;
}

/// False, with a report, for a kernel so long that its compilation would not
/// end in minutes: compile-time loops write out what should be a device loop.
static bool isOfReasonableSize(mlir::ModuleOp module) {
  constexpr unsigned kMostOperations = 20000;
  unsigned count = 0;
  mlir::Operation *last = nullptr;
  module.walk([&](mlir::Operation *op) {
    last = op;
    return ++count > kMostOperations ? mlir::WalkResult::interrupt()
                                     : mlir::WalkResult::advance();
  });
  if (count <= kMostOperations)
    return true;
  mlir::emitError(last->getLoc())
      << "the kernel has more than " << kMostOperations
      << " operations up to here: T.serial loops run on the device and keep it "
         "small ["
      << diagnosticCode(DiagID::StepLimit) << ']';
  return false;
}

mlir::OwningOpRef<mlir::ModuleOp>
tlc::importBuffer(const SourceManager::Buffer &buffer,
                  const FrontendOptions &options, mlir::MLIRContext &context,
                  DiagnosticEngine &diags) {
  ASTContext ast;
  auto parsed = parseFile(buffer, ast, diags);
  if (!parsed)
    return {};
  loadFrontendDialects(context);
  Interpreter interp(buffer, *parsed, options, context, ast, diags);
  const FunctionDefStmt *kernel = chooseKernel(
      interp, options.kernel, {buffer.loc(0), buffer.loc(0)}, diags);
  if (!kernel)
    return nullptr;
  auto module = interp.run(kernel);
  // Whatever cannot be compiled has a reason; one that was lost has a place.
  if (!module && !diags.hasErrors())
    diags.report(DiagID::Unimplemented, interp.lastPlace,
                 "this cannot be compiled");
  if (module && (diags.hasErrors() || !isOfReasonableSize(*module)))
    return nullptr;
  return module;
}

mlir::OwningOpRef<mlir::ModuleOp>
tlc::importFile(StringRef path, const FrontendOptions &options,
                mlir::MLIRContext &context, DiagnosticEngine &diags) {
  std::string reason;
  const SourceManager::Buffer *buffer =
      diags.sourceManager().openFile(path, reason);
  if (!buffer) {
    diags.report(DiagID::CannotRead, reason);
    return {};
  }
  return importBuffer(*buffer, options, context, diags);
}

bool tlc::printAST(const SourceManager::Buffer &buffer, DiagnosticEngine &diags,
                   llvm::raw_ostream &os) {
  ASTContext ast;
  auto parsed = parseFile(buffer, ast, diags);
  if (parsed)
    dumpAST(*parsed, diags.sourceManager(), os);
  return parsed.has_value();
}
