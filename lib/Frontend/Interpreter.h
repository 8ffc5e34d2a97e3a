//===- Interpreter.h - The staging interpreter ------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the part of a file that one kernel needs. Operations on compile-time
// values are computed; operations that meet a symbolic value emit IR at the
// builder's place. The rule is per value, not per construct, so `if`, `for`,
// the ternary and calls all look at what they are given.
//
// Failure: a function that returns a Value returns an Invalid one, others
// false or Flow::Error; the message has been reported then.
//
// The topics are spread over files:
//   Frontend        entry points, choice of the kernel, -D values
//   Factories       factories, eager functions, T.prim_func
//   Program         parameters, arguments of the tile.func, roles
//   Names           scopes, modules, imports, lazy module-level names
//   Expressions     evaluation of expression nodes
//   HostOps         arithmetic and comparison of compile-time values
//   SymbolicOps     arithmetic, comparison and casts of SSA values
//   SymbolicMath    ranges and differences of index expressions
//   Statements      execution of statement nodes
//   ControlFlow     symbolic if, for, while; names across regions
//   Calls           functions, arguments
//   Attributes      attributes and methods of values
//   Classes         classes and their objects
//   IndexTables     functions of an index, evaluated at all points
//   Buffers, Copies, Layouts, Vectors, TileOps,
//   Gemm, Atomics, MathOps, Loops, Python*: the builtins
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_FRONTEND_INTERPRETER_H
#define TLC_LIB_FRONTEND_INTERPRETER_H

#include "Builtins.h"
#include "Scopes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tlc/Frontend/Frontend.h"
#include "tlc/Frontend/Parser.h"
#include "tlc/Layout/Layout.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tlc::frontend {

/// What a T.alloc_reducer combines by.
struct ReducerInfo {
  tile::ReduceKind kind;
  /// Between its filling and T.finalize_reducer: partial results.
  bool open = true;
};

/// Whether a statement may leave the loop around it.
bool mayExit(const Stmt *s);

class Interpreter {
public:
  /// `buffer` is the kernel's file, `module` its statements; everything given
  /// must outlive the interpreter.
  Interpreter(const SourceManager::Buffer &buffer, StmtList module,
              const FrontendOptions &options, mlir::MLIRContext &context,
              ASTContext &ast, DiagnosticEngine &diags);
  ~Interpreter();

  /// Runs one kernel, once. Null after a report.
  mlir::OwningOpRef<mlir::ModuleOp> run(const FunctionDefStmt *kernel);
  /// The kernels of the module, in order.
  std::vector<const FunctionDefStmt *> findKernels();

  //===--- Reporting -----------------------------------------------------===//
  /// Reports; notes and help can be added to what this returns.
  DiagBuilder error(DiagID id, SourceRange range, const llvm::Twine &message) {
    return diags.report(id, callerOf(range), message);
  }
  /// The same where a Value is to be returned: an Invalid one.
  Value fail(DiagID id, SourceRange range, const llvm::Twine &message) {
    error(id, range, message);
    return {};
  }
  /// "expected WANTED, not ...", or host code's message for a value that is
  /// that.
  Value typeError(SourceRange range, StringRef wanted, Value got);
  Value poisonError(Value poison, SourceRange range);
  /// A value as messages name it: "a list", "the buffer 'A' of shape (4, n)".
  std::string describe(Value v);
  std::string shapeText(ArrayRef<Value> shape);
  /// The text of a value as Python's str() or repr() would give it.
  std::string str(Value v, bool repr = false);

  //===--- Objects -------------------------------------------------------===//
  /// Makes an object that lives as long as the interpreter.
  template <typename T, typename... A> T *make(A &&...args) {
    auto owned = std::make_unique<T>(std::forward<A>(args)...);
    T *raw = owned.get();
    objects.push_back(std::move(owned));
    return raw;
  }
  Value makeSequence(VK kind, ArrayRef<Value> elements);
  Value makeString(const llvm::Twine &text) {
    return Value::string(ast.save(text.str()));
  }
  Value makePoison(const llvm::Twine &what, SourceRange origin,
                   bool missing = false);

  //===--- Names ---------------------------------------------------------===//
  Scope *newScope(Scope *parent);
  Binding *lookup(StringRef name, Scope **where = nullptr);
  /// Reports a name that cannot be read; `reference` is not looked at.
  Value readName(const NameExpr *name, bool reference);
  /// Binds in the current scope, or stores into a variable of that name.
  bool bindName(StringRef name, Value value, SourceRange range);
  /// A module's name, evaluated if need be; `found` tells an unknown one.
  Value moduleName(Scope *module, StringRef name, SourceRange use, bool &found);
  Value evaluateDefinition(Scope *module, StringRef name, const Stmt *stmt,
                           SourceRange use);
  void collectDefinitions(Scope *module, StmtList body);
  Value starName(Scope *module, const ImportFromStmt *star, StringRef name,
                 SourceRange use);
  Value changedValue(Scope *module, StringRef name, SourceRange use);
  /// Never Invalid: what is unknown is poison.
  Value importModule(StringRef dotted, SourceRange range);
  Value importMember(StringRef module, StringRef name, SourceRange range,
                     unsigned level = 0);
  Value moduleAttribute(ModuleObject *module, StringRef attr, SourceRange range,
                        bool quiet = false);
  Value preludeName(StringRef name, SourceRange range);
  SourceRange callerOf(SourceRange range);
  /// The index of a dimension of threads or extent of one of the grid.
  Value threadIndex(int64_t dim);
  Value gridExtent(unsigned dim);
  /// Invalid if there is no such file.
  Value loadSibling(StringRef name, SourceRange range, unsigned level = 0);
  Value lazily(StringRef name, SourceRange use,
               llvm::function_ref<Value()> compute);
  /// The -D value of a name, marked as used.
  Value defineValue(StringRef name, bool &found);
  bool parseDefines();
  /// Reports all names that need a -D at once; always Invalid.
  Value missingName(StringRef name, SourceRange use, Value poison);
  void collectMissing(const FunctionDefStmt *fn, bool reading = false);
  void evaluateNamesRead(const FunctionDefStmt *fn,
                         llvm::SmallPtrSetImpl<const FunctionDefStmt *> &seen);
  void reportMissing(ArrayRef<std::pair<StringRef, SourceRange>> names);
  Value mathConstantValue(const BuiltinInfo *builtin);

  //===--- Expressions ---------------------------------------------------===//
  /// The value of an expression; a variable (T.alloc_var) or element is read.
  Value eval(const Expr *e);
  /// The same, but buffers, variables and elements stay references.
  Value evalRef(const Expr *e);
  /// `*sequence` is spread out.
  bool evalList(ExprList list, llvm::SmallVectorImpl<Value> &out,
                bool reference = false);
  /// An element or variable is read at the builder's place; others stay.
  Value deref(Value v, SourceRange range);
  Value evalNode(const Expr *e, bool reference);
  Value evalConstant(const ConstantExpr *e);
  Value evalJoined(const JoinedStrExpr *e);
  Value evalDict(const DictExpr *e);
  Value evalComprehension(const ComprehensionExpr *e);
  Value evalBoolOp(const BoolOpExpr *e);
  Value evalCompare(const CompareExpr *e);
  Value evalTernary(const IfExpExpr *e);
  Value evalAttribute(const AttributeExpr *e, bool reference);
  Value evalSubscript(const SubscriptExpr *e, bool reference);
  /// object.attr and object[index] where the object is at hand already.
  Value attribute(Value object, StringRef attr, SourceRange range);
  Value layoutAttribute(LayoutObject *layout, StringRef attr,
                        SourceRange range);
  Value subscript(Value object, Value index, SourceRange range);
  /// The elements of a compile-time iterable.
  bool iterate(Value v, SourceRange range, llvm::SmallVectorImpl<Value> &out);
  /// Appends format(v, spec) to `out`.
  bool formatSpec(Value v, StringRef spec, SourceRange range, std::string &out);

  //===--- Compile-time operations ----------------------------------------===//
  /// Operators on any two values: vectors lane by lane, symbolic ones as IR,
  /// the rest now.
  Value binary(BinOpKind op, Value a, Value b, SourceRange range);
  Value unary(UnaryOpKind op, Value v, SourceRange range);
  Value compare(CmpOpKind op, Value a, Value b, SourceRange range);
  /// The same where both are known.
  Value hostBinary(BinOpKind op, Value a, Value b, SourceRange range);
  Value hostArith(BinOpKind op, Value a, Value b, SourceRange range);
  std::optional<bool> hostEquals(Value a, Value b);
  /// dict[key] = value: an equal key keeps its place and gets the new value.
  void setEntry(DictObject *dict, Value key, Value value);
  /// Truth of a compile-time value; nothing for a symbolic one.
  std::optional<bool> truth(Value v, SourceRange range, bool &failed);
  /// An SSA value, or a variable or element that would be read.
  bool isSymbolic(Value v) const;

  //===--- Symbolic operations --------------------------------------------===//
  /// Ops made from here on have this place.
  void at(SourceRange range) { b.setLoc(locOf(range)); }
  mlir::Location locOf(SourceRange range);
  /// The MLIR type of a value (not of memory).
  mlir::Type typeOf(DType t) { return t->valueType(&context); }
  /// A value as an operand: literals become i32, i64, f32 or i1 constants.
  Sym toSym(Value v, SourceRange range);
  /// A constant at the builder's place, rounded or cut to the type.
  Sym constant(double value, DType type);
  Sym constant(int64_t value, DType type);
  Sym cast(Sym v, DType to);
  /// Converts between element types by the language's rules.
  Sym castValue(Value v, DType to, SourceRange range);
  /// i32 or i64 for an index; literals are i32.
  mlir::Value toIndex(Value v, SourceRange range);
  /// i32 exactly, for loop bounds and grids.
  mlir::Value toI32(Value v, SourceRange range);
  mlir::Value toI1(Value v, SourceRange range);
  /// Brings both operands to their common type. va and vb are the values they
  /// come from: literals take the other's type.
  bool promote(Sym &a, Sym &b, Value va, Value vb, SourceRange range);
  Value symBinary(BinOpKind op, Value a, Value b, SourceRange range);
  Value symCompare(CmpOpKind op, Value a, Value b, SourceRange range);
  Value symUnary(UnaryOpKind op, Value v, SourceRange range);
  /// Python's // and %, as shifts and masks where they can be.
  Sym floorDiv(Sym a, Sym b);
  Sym floorMod(Sym a, Sym b);
  /// A Value for a result: small integer and bool constants become literals.
  Value fold(Sym s);
  /// `then` or `otherwise`, each evaluated in a block of its own.
  Value select(mlir::Value cond, llvm::function_ref<Value()> then,
               llvm::function_ref<Value()> otherwise, SourceRange range);

  //===--- Index analysis -------------------------------------------------===//
  /// For certain; false may mean unknown. `depth` bounds the walk.
  bool isNonNegative(mlir::Value v, unsigned depth = 0);
  /// a - b if that is a constant.
  std::optional<int64_t> constantDifference(Value a, Value b);
  /// A bound that every value of v is below (exclusive), if one is known.
  std::optional<int64_t> upperBound(mlir::Value v, unsigned depth = 0);
  bool sameValue(Value a, Value b);
  /// "(n // 2)": an index as source text.
  std::string indexText(Value v);

  //===--- Statements -----------------------------------------------------===//
  /// Executes statements. Flow::Error means: failed and reported.
  Flow exec(const Stmt *s);
  Flow execBlock(StmtList body);
  Flow execAssign(const AssignStmt *s);
  Flow execAugAssign(const AugAssignStmt *s);
  Flow execAnnAssign(const AnnAssignStmt *s);
  Flow leaveLoop(const Stmt *s);
  Flow execFor(const ForStmt *s);
  Flow execWhile(const WhileStmt *s);
  Flow execIf(const IfStmt *s);
  const IfStmt *branchOf(const WithStmt *s);
  Flow execWith(const WithStmt *s);
  Flow execReturn(const ReturnStmt *s);
  Flow execRaise(const RaiseStmt *s);
  Flow execAssert(const AssertStmt *s);
  Flow execTry(const TryStmt *s);
  Flow execMatch(const MatchStmt *s);
  Flow execDelete(const DeleteStmt *s);
  Flow execScope(const ScopeStmt *s);
  std::optional<bool> matches(const Pattern *p, Value v);
  Flow execImport(const Stmt *s);
  /// target = value for any target.
  bool assign(const Expr *target, Value value, SourceRange range);
  bool unpack(ExprList targets, Value value, SourceRange range);
  void nameBuffer(BufferObject *buffer, StringRef name);
  Value makeFunction(const FunctionDefStmt *def);
  /// Counts a step of compile-time work; false beyond the limit.
  bool step(SourceRange range);

  //===--- Control flow on the device -------------------------------------===//
  /// A binding as it was before a region rebound it.
  struct Change {
    Scope *scope;
    StringRef name;
    Binding old;
    bool existed;
  };
  /// Runs `body` with the builder in `block`; names it binds are judged
  /// afterwards by `loop` or branch rules.
  bool inRegion(mlir::Block *block, bool loop, llvm::function_ref<bool()> body);
  /// Names bound since `mark` to values of the region expire.
  void leaveRegion(size_t mark, mlir::Block *block);
  bool isDefinedIn(Value v, mlir::Region *region);
  void setBinding(Scope *where, StringRef name, Binding binding);
  Flow symbolicIf(const IfStmt *s, mlir::Value cond);
  /// Loops that become IR, by their kind.
  Flow unrolledLoop(StmtList orelse,
                    llvm::function_ref<std::optional<Flow>()> round);
  bool deviceWhile(const WhileStmt *s, mlir::Region &holder, mlir::Value cond);
  Flow deviceLoop(const ForStmt *s, LoopObject *loop);
  Flow serialLoop(const ForStmt *s, LoopObject *loop);
  /// A loop with break or continue: scf.while over two flags.
  Flow loopWithExit(const ForStmt *s, mlir::Value lower, mlir::Value upper,
                    mlir::Value step);
  BufferObject *makeFlag();
  void setFlag(BufferObject *flag, bool on);
  mlir::Value notExited();
  Flow parallelLoop(const ForStmt *s, LoopObject *loop);
  Flow gridLoop(const ForStmt *s, LoopObject *loop);
  Flow persistentLoop(const ForStmt *s, LoopObject *loop);
  Flow threadLoop(const ForStmt *s, LoopObject *loop);
  bool bindLoopVars(const ForStmt *s, ArrayRef<mlir::Value> vars);
  bool execBody(StmtList body);
  /// The `with T.Kernel(...)` that is item `item` of a statement.
  Flow kernelLaunch(const WithStmt *s, size_t item, KernelObject *kernel);

  //===--- Calls ----------------------------------------------------------===//
  Value evalCall(const CallExpr *e);
  /// Runs a function of the file with values.
  Value callFunction(FunctionObject *fn, ArrayRef<Value> args,
                     ArrayRef<std::pair<StringRef, Value>> keywords,
                     SourceRange range);
  /// What a layout's function gives for \p indices, from left to right, lists
  /// flattened; false if the call failed.
  bool layoutResults(FunctionObject *map, ArrayRef<Value> indices,
                     SourceRange range, llvm::SmallVectorImpl<Value> &results);
  Value callPoison(PoisonObject *poison, const CallExpr *e);
  Value callBuiltin(const BuiltinInfo *builtin, const CallExpr *e, Value self);
  /// Calls a builtin or function with values (map, sorted keys, layouts).
  Value callByName(Value callee, llvm::ArrayRef<Value> args, SourceRange range,
                   llvm::ArrayRef<std::pair<StringRef, Value>> keywords);
  Value callValue(Value callee, ArrayRef<Value> args, SourceRange range,
                  ArrayRef<std::pair<StringRef, Value>> keywords = {});
  /// Puts a call's arguments at a builtin's parameters.
  bool bindArgs(const BuiltinInfo *builtin, const CallExpr *e, Args &args);

  bool evalArguments(const CallExpr *e, llvm::SmallVectorImpl<Value> &args,
                     llvm::SmallVectorImpl<std::pair<StringRef, Value>> &named);

  //===--- Classes --------------------------------------------------------===//
  /// A class, or poison if only the host could make it.
  Value makeClass(const ClassDefStmt *def);
  Value memberOf(ClassObject *cls, StringRef name);
  bool isSubclass(const ClassObject *cls, const ClassObject *base);
  Value objectAttribute(Value object, StringRef name, SourceRange range,
                        bool &failed);
  bool setAttribute(Value object, StringRef name, Value value,
                    SourceRange range);
  bool fillFields(InstanceObject *object, ArrayRef<Value> args,
                  ArrayRef<std::pair<StringRef, Value>> keywords,
                  SourceRange range);
  Value instantiate(ClassObject *cls, ArrayRef<Value> args,
                    ArrayRef<std::pair<StringRef, Value>> keywords,
                    SourceRange range);
  Value superObject(SourceRange range);
  // Objects.cpp
  /// `__name__` of an object's class; nothing if it has none.
  std::optional<Value> special(Value object, StringRef name,
                               ArrayRef<Value> args, SourceRange range);
  std::optional<Value> objectBinary(BinOpKind op, Value a, Value b,
                                    SourceRange range);
  std::optional<Value> objectCompare(CmpOpKind op, Value a, Value b,
                                     SourceRange range);
  static bool isPrint(Value v);
  Value percentFormat(StringRef format, Value values, SourceRange range);
  bool objectItems(Value v, SourceRange range,
                   llvm::SmallVectorImpl<Value> &out, bool &ok);
  std::optional<bool> sameFields(InstanceObject *a, InstanceObject *b);
  std::string objectText(Value v, bool repr);
  llvm::SmallVector<Value> enumMembers(ClassObject *cls);
  Value copyOf(Value v, bool deep = false);
  bool isInstance(Value v, Value type);

  //===--- Buffers --------------------------------------------------------===//
  /// Reads and writes elements: one index for each dimension.
  Value load(BufferObject *buffer, ArrayRef<Value> indices, SourceRange range);
  bool store(BufferObject *buffer, ArrayRef<Value> indices, Value value,
             SourceRange range);
  bool indexOperands(BufferObject *buffer, ArrayRef<Value> indices,
                     SourceRange range,
                     llvm::SmallVectorImpl<mlir::Value> &out);
  /// buffer[index]: the element or region; an element is read unless
  /// `reference`.
  Value indexBuffer(BufferObject *buffer, Value index, SourceRange range,
                    bool reference);
  bool storeVariable(BufferObject *buffer, Value value, SourceRange range);
  /// A tile or array of constant shape; null after a report.
  BufferObject *allocate(tile::Space space, Value shape, Value dtype,
                         const Args &args);
  bool staticShape(BufferObject *buffer, SourceRange range,
                   llvm::SmallVectorImpl<int64_t> &out);
  bool shapeFrom(Value v, SourceRange range, llvm::SmallVectorImpl<Value> &out);
  /// Null where a value names no element type.
  DType dtypeFrom(Value v, SourceRange range, bool quiet = false,
                  bool vectors = false);
  /// False, with a report, outside T.Kernel.
  bool requireDevice(SourceRange range, StringRef what);
  /// A buffer or region operand with its extents; an element has none.
  struct Box {
    BufferObject *buffer = nullptr;
    llvm::SmallVector<Value> offsets, extents;
    bool isElement = false, isWhole = false;
    SourceRange range;
  };
  /// A buffer, region or element as a box; `what` names it in messages.
  bool toBox(Value v, SourceRange range, Box &box, StringRef what);
  bool insideBox(const Box &box, llvm::ArrayRef<Value> index,
                 mlir::Value &inside);
  /// The memref of a box whose extents are constant, a tile.view if needed.
  mlir::Value boxValue(const Box &box, ArrayRef<int64_t> extents);
  // PlacedTiles.cpp: tiles in LDS that the program lays out.
  bool layoutShared(BufferObject *buffer, FunctionObject *map,
                    SourceRange range);
  bool addView(BufferObject *view, SourceRange range);
  bool placeTile(TileStorage *tile, SourceRange range);
  Value placedAddress(BufferObject *buffer, ArrayRef<Value> indices,
                      SourceRange range);
  mlir::Value stagedBox(const Box &box, ArrayRef<int64_t> extents, DType dtype);
  /// boxValue, or a fragment of another type with the same elements.
  mlir::Value boxValueAs(const Box &box, ArrayRef<int64_t> extents,
                         DType dtype) {
    return box.buffer->dtype == dtype ? boxValue(box, extents)
                                      : stagedBox(box, extents, dtype);
  }
  bool unstageBox(const Box &box, ArrayRef<int64_t> extents,
                  mlir::Value fragment);
  bool copyStaged(const Box &box, ArrayRef<int64_t> extents,
                  BufferObject *fragment, bool back);
  bool staticExtents(const Box &box, llvm::SmallVectorImpl<int64_t> &out,
                     StringRef what);
  /// `body` for each point, in a loop on the device.
  bool elementwise(const Box &box, llvm::ArrayRef<int64_t> extents,
                   llvm::function_ref<bool(ArrayRef<Value>)> body);
  /// A copy, as tile.copy or as loops over elements.
  bool copyBoxes(Box src, Box dst, SourceRange range, Args *args);
  bool copyByLoops(const Box &src, const Box &dst, ArrayRef<Value> extents,
                   ArrayRef<int> srcDim, ArrayRef<int> dstDim,
                   SourceRange range);
  /// The larger of two extents.
  Value safeExtent(Value a, Value b, SourceRange range);

  //===--- Program --------------------------------------------------------===//
  /// An argument of the tile.func under construction.
  struct Argument {
    std::string name;
    enum Class : uint8_t { Param, Output, Workspace, Dim } cls = Param;
    unsigned order = 0;
    DType dtype = nullptr;
    BufferObject *buffer = nullptr;
    mlir::BlockArgument value;
    bool forcedOut = false, isPointer = false;
  };
  /// Their order is settled at the end (permuteArguments).
  int addArgument(Argument argument, mlir::Type type, SourceRange range);
  BufferObject *addTensor(StringRef name, AnnotationObject *type,
                          Argument::Class cls, unsigned order,
                          SourceRange range);
  /// The argument for a T.dynamic name, made at first use.
  Value dynamicDim(StringRef name, DType type, SourceRange range);
  /// A T.ptr annotation as the value of the parameter it types; else Invalid.
  Value pointerParameter(Value type, StringRef name, unsigned order);
  /// The three forms of kernel; false after a report.
  bool runEager(const FunctionDefStmt *def, FunctionObject *fn);
  bool runFactory(const FunctionDefStmt *def, FunctionObject *fn);
  bool runPrimFunc(FunctionObject *fn, ArrayRef<int64_t> outIdx);
  bool bindTyped(const Param &p, unsigned order, Value type, bool scalars,
                 Scope *body, bool &bound);
  /// Keeps an integer that -D may change, for messages about sizes.
  void noteParameter(StringRef name, int64_t value);
  Value tunedValue(const FunctionDefStmt *def, const Param &param);
  bool bindParameter(const FunctionDefStmt *def, unsigned index, Scope *scope);
  bool evalOutIdx(const FunctionDefStmt *def,
                  llvm::SmallVectorImpl<int64_t> &out);
  bool nameOutputs(const Expr *value, Value result, SourceRange range);
  /// Completes and verifies the program.
  bool finish();
  mlir::ArrayAttr argumentAttrs();
  void permuteArguments();
  StringRef roleOf(const Argument &arg);
  /// What decorators and bodies say, by name, without evaluating them.
  bool isJit(const FunctionDefStmt *def, bool *isPrimFunc,
             const CallExpr **call);
  bool isEager(const FunctionDefStmt *def);
  FunctionObject::Kind decoratedKind(const FunctionDefStmt *def);

  /// Declared by each topic's table; bodies are Value name(Args &).
#define TLC_BUILTIN(name) Value name(Args &args);
#include "Builtins.def"
#undef TLC_BUILTIN
  // SubByte.cpp
  static DType wideOf(DType type);
  /// Values of 4 bits: cut to the type; as a code; from a code.
  Sym narrowValue(Sym v, DType type);
  mlir::Value encodeElement(Sym v, DType type);
  mlir::Value encodeExponent(Sym v);
  Sym decodeElement(mlir::Value raw, DType type);
  Sym loadCode(RegionObject *element, SourceRange range);
  /// Byte and shift of an element in packed memory.
  bool packedIndex(ArrayRef<Value> indices, SourceRange range,
                   llvm::SmallVectorImpl<Value> &bytes, Value &shift);
  Value loadPacked(BufferObject *buffer, ArrayRef<Value> indices,
                   SourceRange range);
  bool storePacked(BufferObject *buffer, ArrayRef<Value> indices, Sym value,
                   SourceRange range);

  // ThreadOps.cpp, DeviceOps.cpp
  void addMessage(mlir::Operation *op, const llvm::Twine &text,
                  SourceRange range);           // TileHints.cpp
  bool nearestRounding(Args &args, unsigned i); // MathOps.cpp
  mlir::Value asIeee(mlir::Value v);
  /// The thread's number, x fastest.
  Value linearThread(SourceRange range);
  bool notInParallel(SourceRange range, StringRef what);
  Value shuffleFrom(int64_t how, Value value, Value arg, Value width,
                    SourceRange range);
  /// One step of a reduction on scalars.
  Value combineScalars(tile::ReduceKind kind, Value x, Value y,
                       SourceRange range);
  mlir::Value rngNext(SourceRange range);
  bool splitAtGridSyncs(tile::KernelOp kernel);

  Value reduceImpl(Args &args, tile::ReduceKind kind, Value buffer, Value out,
                   Value dim, Value clear, Value nan);
  /// A reduction along one dimension; `accumulate` starts from the destination.
  struct Reduction {
    tile::ReduceKind kind;
    int64_t axis;
    bool accumulate;
  };
  bool reduceLocal(const Box &src, const Box &dst, Reduction how,
                   SourceRange range);
  // Vectors.cpp
  /// Lanes of the vectors among some values: 0 without any, -1 after a report.
  int64_t laneCount(ArrayRef<Value> values, SourceRange range);
  Value laneOf(Value v, int64_t lane);
  Value eachLane(int64_t lanes, llvm::function_ref<Value(int64_t)> compute);
  /// `apply` on each pair of lanes; a scalar is every lane.
  Value lanewise(Value a, Value b, SourceRange range,
                 llvm::function_ref<Value(Value, Value)> apply);
  Value callLanes(const BuiltinInfo *builtin, Args &args);
  bool namesVector(BufferObject *buffer, ArrayRef<Value> indices);
  bool eachElement(BufferObject *buffer, ArrayRef<Value> given,
                   SourceRange range,
                   llvm::function_ref<bool(int64_t, ArrayRef<Value>)> body);
  Value loadVector(BufferObject *buffer, ArrayRef<Value> indices,
                   SourceRange range);
  bool storeVector(BufferObject *buffer, ArrayRef<Value> indices, Value value,
                   SourceRange range);
  bool storeLanes(const Box &box, Value value, SourceRange range);
  // Layouts.cpp
  using Table = std::vector<int64_t>;
  /// More points than registers or LDS of a compute unit hold, copies included.
  static constexpr int64_t kMostTabulated = 1 << 21;
  /// Tables of a function's results over a box; see IndexTables.cpp.
  bool tabulate(FunctionObject *map, ArrayRef<int64_t> box, SourceRange range,
                llvm::SmallVectorImpl<Table> &out);
  bool sendsApart(BufferObject *buffer, FunctionObject *map,
                  ArrayRef<int64_t> shape, ArrayRef<int64_t> addresses,
                  SourceRange range);
  /// T.annotate_layout of a global tensor, of a tile in LDS, of a fragment.
  /// False after a report; a layout that cannot be used is only warned of.
  bool applyLayout(BufferObject *buffer, FunctionObject *map,
                   SourceRange range);
  bool threadLayout(LayoutObject *given, const llvm::Twine &what,
                    SourceRange range, std::optional<Layout> &layout);
  bool layoutLoop(tile::ParallelOp loop, LayoutObject *given,
                  SourceRange range);
  /// T.gemm without the matrix core.
  bool gemmByLoops(const Box *boxes, bool transA, bool transB, int64_t m,
                   int64_t n, int64_t k, SourceRange range);
  bool updateReducer(BufferObject *buffer, Sym value,
                     llvm::ArrayRef<mlir::Value> indices);
  void serializeSums(tile::ParallelOp loop);
  bool givePointsToThreads(tile::ParallelOp loop, SourceRange range,
                           bool &done);
  Value dynamicView(BufferObject *buffer, tile::TensorOp tensor,
                    SourceRange range);
  bool fillBox(Value target, Value value, SourceRange range,
               SourceRange valueRange);
  bool fillRuntime(const Box &box, Value value, SourceRange range);
  Value atomicImpl(Args &args, tile::AtomicKind kind);
  std::optional<std::optional<tile::MemoryOrder>>
  memoryOrder(Value order, SourceRange range);

  //===--- State ----------------------------------------------------------===//
  SourceManager &sources;
  DiagnosticEngine &diags;
  const FrontendOptions &options;
  mlir::MLIRContext &context;
  ASTContext &ast;
  mlir::ImplicitLocOpBuilder b;

  /// Everything that Values refer to.
  std::vector<std::unique_ptr<Object>> objects;
  std::vector<std::unique_ptr<Scope>> scopes;
  std::vector<std::unique_ptr<ReducerInfo>> reducers;
  /// Loops out of the IR, for the sake of names bound to their variables.
  std::vector<mlir::OwningOpRef<tile::ParallelOp>> replacedLoops;
  /// Bindings changed in the open regions, oldest first.
  std::vector<Change> changes;
  std::vector<Argument> arguments;
  /// Names that need a -D.
  std::vector<std::pair<StringRef, SourceRange>> missing;
  llvm::StringSet<> usedDefines;
  llvm::DenseSet<BufferObject *> returned; ///< by an eager function
  /// Modules beside the source, by file.
  llvm::StringMap<Value> siblings;
  Scope *moduleScope = nullptr, *scope = nullptr, *prelude = nullptr;
  const FunctionDefStmt *kernelDef = nullptr;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  tile::FuncOp func;
  tile::KernelOp kernelOp;
  /// The row being executed.
  const BuiltinInfo *currentBuiltin = nullptr;
  /// Of the last `return`.
  Value returnValue;
  const Expr *returnExpr = nullptr;
  /// Open regions of the current function; calls; kernels and unnamed arguments
  /// made.
  unsigned regionDepth = 0, callDepth = 0, kernelCount = 0, outputCount = 0,
           workspaceCount = 0;
  /// Open T.Parallel loops; number of device loops so far.
  unsigned parallelDepth = 0, loopSerial = 0;
  Stmt *const *kernelEnd = nullptr; ///< of the block of the open T.Kernel
  llvm::SmallVector<unsigned>
      loopStack; ///< serial numbers of open device loops
  uint64_t steps = 0;
  SourceRange lastPlace;          ///< where execution came to
  llvm::StringMap<Value> defined; ///< the -D values
  bool collectingMissing = false;
  /// break and continue of the innermost device loop; null where it has none.
  BufferObject *exitFlag = nullptr, *skipFlag = nullptr;
  /// What was last raised; the exception that a handler is at work on.
  StringRef raisedType;
  std::string raisedMessage;
  ExceptionObject *handled = nullptr;
  /// What the generator function under way has given so far.
  llvm::SmallVector<Value> *yielded = nullptr;
  llvm::SmallVector<mlir::Attribute>
      messages; ///< texts of T.print and T.device_assert
  FunctionObject *commReducer = nullptr; ///< of the T.attr around the statement
  Sym rngSeed, rngSequence;              ///< of the last T.rng_init
  BufferObject *rngPosition = nullptr;
  /// Whether the T.Parallel under way has drawn random numbers.
  bool drawsInPoints = false;
  /// Memory of this kernel's T.alloc_var.
  llvm::DenseSet<mlir::Value> variables;
  /// Region depth at the innermost loop that the host unrolls: deeper, a break
  /// would depend on the device.
  unsigned hostLoopRegion = 0;
  bool inDeviceLoop =
      false; ///< the innermost loop is IR, not unrolled by the host
};

} // namespace tlc::frontend

#endif // TLC_LIB_FRONTEND_INTERPRETER_H
