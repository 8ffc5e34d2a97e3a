//===- Values.h - What names hold while a kernel is staged ------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Value is a Python value of the compile-time program or a handle to
// something in the IR (Scalar: an SSA value with its element type; Buffer;
// Region). Objects behind Values are owned by the Interpreter and live as long
// as it does. An Invalid value means: something failed and was reported.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_FRONTEND_VALUES_H
#define TLC_LIB_FRONTEND_VALUES_H

#include "DTypes.h"
#include "mlir/IR/Value.h"
#include "tlc/Dialect/Tile/IR/TileDialect.h"
#include "tlc/Frontend/AST.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace tlc::frontend {

/// What a Value is. From Tuple on it refers to an Object of the same kind. What
/// stands before Tuple is held by the Value itself.
enum class VK : uint8_t {
  Invalid,
  None,
  Ellipsis,
  Bool,
  Int,
  Float,
  Str,
  DType,
  Scalar,
  Builtin,
  Tuple,
  List,
  Dict,
  Set,
  Vector, ///< lanes of one type, a SequenceObject
  Range,
  Slice,
  Function,
  Method,
  Module,
  Poison,
  Buffer,
  Region,
  Layout,
  Loop,
  Kernel,
  Annotation,
  Exception,
  Class,
  Instance,
};

/// What a Value refers to; made by Interpreter::make and never freed before it.
struct Object {
  VK kind;
  explicit Object(VK kind) : kind(kind) {}
  virtual ~Object() = default;
};

struct BuiltinInfo;
struct Scope;

/// An SSA value with the element type that says how to compute with it. MLIR's
/// integers have no sign; DType does, and tells the kinds of 8-bit floats
/// apart.
struct Sym {
  mlir::Value value;
  DType type = nullptr;
  explicit operator bool() const { return bool(value); }
};

/// Sixteen bytes and a tag, copied freely. Reading a member of another kind is
/// a mistake that nothing checks: ask is() first. Names of the factories are
/// Python's types: Value::integral(3) is an int. Strings are not owned: `saved`
/// must live as long as the interpreter, as what ASTContext::save returns does.
class Value {
public:
  Value() = default;
  static Value none() { return Value(VK::None); }
  static Value ellipsis() { return Value(VK::Ellipsis); }
  static Value boolean(bool b) {
    Value v(VK::Bool);
    v.integer = b;
    return v;
  }
  static Value integral(int64_t i) {
    Value v(VK::Int);
    v.integer = i;
    return v;
  }
  static Value real(double f) {
    Value v(VK::Float);
    v.number = f;
    return v;
  }
  static Value string(StringRef saved) {
    Value v(VK::Str);
    v.chars = saved.data();
    v.length = saved.size();
    return v;
  }
  static Value dtype(DType t) {
    Value v(VK::DType);
    v.type = t;
    return v;
  }
  static Value scalar(Sym s) {
    Value v(VK::Scalar);
    v.pointer = s.value.getAsOpaquePointer();
    v.type2 = s.type;
    return v;
  }
  static Value builtin(const BuiltinInfo *b) {
    Value v(VK::Builtin);
    v.builtinInfo = b;
    return v;
  }
  static Value object(Object *o) {
    Value v(o->kind);
    v.obj = o;
    return v;
  }

  VK kind() const { return tag; }
  bool is(VK k) const { return tag == k; }
  explicit operator bool() const { return tag != VK::Invalid; }
  // A bool is stored as 0 or 1 where an int is, so that asInt() of it is
  // Python's int(b), and True == 1.
  bool asBool() const { return integer != 0; }
  int64_t asInt() const { return integer; }
  double asFloat() const { return tag == VK::Float ? number : double(integer); }
  StringRef asStr() const { return {chars, length}; }
  DType asDType() const { return type; }
  Sym asSym() const {
    return {mlir::Value::getFromOpaquePointer(pointer), type2};
  }
  const BuiltinInfo *asBuiltin() const { return builtinInfo; }
  template <typename T> T *as() const { return static_cast<T *>(obj); }

  /// A bool is an int in Python; what takes numbers takes it as well.
  bool isIntLike() const { return tag == VK::Int || tag == VK::Bool; }
  bool isNumber() const { return isIntLike() || tag == VK::Float; }
  bool isSequence() const { return tag == VK::Tuple || tag == VK::List; }
  /// The same value or object; not Python's ==.
  bool identical(const Value &o) const {
    if (tag != o.tag)
      return false;
    switch (tag) {
    case VK::Float:
      return number == o.number;
    case VK::Str:
      return asStr() == o.asStr();
    case VK::None:
    case VK::Ellipsis:
    case VK::Invalid:
      return true;
    // Objects are identical if they are one object: pointers share the union.
    default:
      return integer == o.integer;
    }
  }

private:
  explicit Value(VK kind) : tag(kind) {}
  VK tag = VK::Invalid;
  // By `tag`; `length` and `type2` are the second halves of Str and Scalar.
  union {
    int64_t integer = 0;
    double number;
    const char *chars;
    DType type;
    void *pointer;
    const BuiltinInfo *builtinInfo;
    Object *obj;
  };
  union {
    size_t length = 0;
    DType type2;
  };
};

/// Elements of a Tuple, List, Set or Vector. Only lists change after they are
/// made.
struct SequenceObject : Object { // Tuple, List, Set
  explicit SequenceObject(VK kind) : Object(kind) {}
  llvm::SmallVector<Value> elements;
};
/// Entries in order of insertion; no two keys are equal. Searched from the
/// front: dictionaries of a kernel's factory have a handful of entries.
struct DictObject : Object {
  DictObject() : Object(VK::Dict) {}
  std::vector<std::pair<Value, Value>> entries;
  Value factory; ///< of a defaultdict: makes what a missing key gets
};
/// range(start, stop, step) of numbers; step is not 0.
struct RangeObject : Object {
  RangeObject() : Object(VK::Range) {}
  int64_t start = 0, stop = 0, step = 1;
  /// range(0, 10, 3): 0, 3, 6, 9 -> (10 - 0 - 1) / 3 + 1 = 4.
  int64_t size() const {
    if (step > 0)
      return stop > start ? (stop - start - 1) / step + 1 : 0;
    return start > stop ? (start - stop - 1) / -step + 1 : 0;
  }
};
/// `lower:upper:step`; bounds are numbers at compile time or Scalars.
struct SliceObject : Object {
  SliceObject() : Object(VK::Slice) {}
  Value lower, upper, step; ///< None where absent
};

/// A def or lambda with the scope it closes over.
struct ClassObject;
/// A def or lambda with the scope it closes over.
struct FunctionObject : Object {
  FunctionObject() : Object(VK::Function) {}
  const FunctionDefStmt *def = nullptr; ///< null for a lambda
  const LambdaExpr *lambda = nullptr;
  /// Where names that the body does not bind are looked up.
  Scope *closure = nullptr;
  llvm::SmallVector<Value> defaults; ///< one per parameter; Invalid where none
  ClassObject *owner = nullptr;      ///< of a method
  /// Plain functions run as Python; the others are staged: their `for` and
  /// `if` become IR.
  enum Kind : uint8_t { Plain, PrimFunc, Macro, Jit } type = Plain;
  ArrayRef<Param> params() const { return def ? def->params : lambda->params; }
  StringRef name() const { return def ? def->name : "<lambda>"; }
  SourceRange range() const { return def ? def->nameRange : lambda->range; }
};
/// A builtin method with its receiver. `items.append`, or with `function` a
/// method of a class of the file.
struct MethodObject : Object {
  MethodObject() : Object(VK::Method) {}
  const BuiltinInfo *builtin = nullptr;
  FunctionObject *function = nullptr;
  Value self;
  /// functools.partial: what it calls, and with what besides.
  Value partialOf;
  llvm::SmallVector<Value> bound;
  llvm::SmallVector<std::pair<StringRef, Value>> named;
};
/// What an import binds. Attributes of the language's modules are builtins and
/// types.
struct ModuleObject : Object {
  ModuleObject() : Object(VK::Module) {}
  StringRef name;         ///< "tilelang.language", "math", ...
  Scope *scope = nullptr; ///< of a source file; null for the language's own
};
/// A value that only host code could compute; fails when used. It stands for
/// torch's tensors, file contents and the like: a file's host code runs as far
/// as it can, and only a use in a kernel is an error.
struct PoisonObject : Object {
  PoisonObject() : Object(VK::Poison) {}
  StringRef what; ///< "torch.rand", "the name 'x'"
  SourceRange origin;
  bool missing = false; ///< a -D would define it
  /// The kernel that a tuner was given: what its run() returns.
  Value carried;
};
struct BufferObject;
/// A tile in LDS whose layout no digits express: every index goes through the
/// program's function (PlacedTiles.cpp).
struct PlacedTile {
  BufferObject *buffer; ///< the one that the layout is given for
  FunctionObject *map;
  SourceRange range;                                  ///< of the annotation
  std::vector<int64_t> addresses;                     ///< of all its elements
  llvm::SmallVector<std::pair<int64_t, int64_t>> box; ///< least, extent
  mlir::Value memory; ///< elements of the buffer by address
};
/// What all views of a tile in LDS have in common.
struct TileStorage : Object {
  TileStorage() : Object(VK::None) {}
  llvm::SmallVector<BufferObject *> views; ///< the first is the tile itself
  std::optional<PlacedTile> given;         ///< by T.annotate_layout
  bool placed = false;                     ///< `given` rules every index
};
/// Memory in a kernel or an argument of it: a memref with the type of its
/// elements, which the memref alone does not tell (signs, 4-bit types). A Value
/// of it means the buffer, or element 0 if isVar.
struct BufferObject : Object {
  BufferObject() : Object(VK::Buffer) {}
  std::string name;
  DType dtype = nullptr;
  llvm::SmallVector<Value> shape; ///< Int or Scalar
  tile::Space space = tile::Space::Global;
  mlir::Value memref;
  SourceRange declared;
  int64_t lanes = 1;  ///< of a vector type: the last dimension
  bool isVar = false; ///< T.alloc_var: the name alone means element 0
  int argument = -1;  ///< index in the program's arguments, for global tensors
  FunctionObject *indexMap = nullptr; ///< T.Layout of a global tensor
  mlir::Value mapped; ///< the memory in the shape that indexMap's results index
  TileStorage *tile = nullptr; ///< in LDS
  bool isPlaced() const { return tile && tile->placed; }
  /// Two 4-bit elements share a byte in global memory.
  bool isPacked() const {
    return dtype->isSubByte() && space == tile::Space::Global;
  }
  /// What loads and stores index: with a T.Layout, the memory in its shape.
  mlir::Value storage() const { return mapped ? mapped : memref; }
  struct ReducerInfo *reducer = nullptr;
};
/// A box of a buffer, or one element: offsets per dimension; extents are
/// Invalid throughout for an element.
/// A[i, 0:n]   ->   offsets {i, 0}, extents {1, n}
/// A[i, j]     ->   offsets {i, j}, isElement
struct RegionObject : Object {
  RegionObject() : Object(VK::Region) {}
  BufferObject *buffer = nullptr;
  llvm::SmallVector<Value> offsets, extents;
  bool isElement = false;
  SourceRange range;
};
/// T.Layout, T.Fragment and what makes them. Functions are kept, not tables:
/// they are called with SSA values or numbers where the layout is used.
struct LayoutObject : Object {
  LayoutObject() : Object(VK::Layout) {}
  enum Type : uint8_t {
    Chosen,    ///< by the compiler: make_swizzled_layout
    Memory,    ///< map: index -> coordinates in memory
    Threads,   ///< index (and replica) -> thread and registers
    RowMajor,  ///< make_linear_layout
    Everywhere ///< make_fully_replicated_layout_fragment
  } type = Chosen;
  FunctionObject *map = nullptr; ///< Threads: gives both, or else
  FunctionObject *threadMap = nullptr, *registerMap = nullptr;
  llvm::SmallVector<int64_t> shape;
  int64_t replicas = 1;
  SourceRange declared;
};
/// What `for` iterates over on the device. Made by T.serial(...) and its kin,
/// consumed by execFor; as a value it can do nothing else.
struct LoopObject : Object {
  LoopObject() : Object(VK::Loop) {}
  enum Type : uint8_t {
    Serial,
    Parallel,
    Pipelined,
    Unroll,
    Vectorized,
    Grid,
    Thread,
    Persistent
  };
  Type type = Serial;
  llvm::SmallVector<Value> args; ///< start, stop, step; or extents
  /// Annotations, 0 where not given: num_stages of a pipeline, elements a
  /// thread takes at once. groupSize is the panel of T.Persistent.
  int64_t stages = 0, coalesced = 0, unrollFactor = 0, groupSize = 8;
  Value waveSize, index;
  int64_t threadDim = 0;
  LayoutObject *layout = nullptr; ///< T.Parallel(..., loop_layout=)
};
/// What T.Kernel(...) gives: grid extents (Int or Scalar), threads by
/// dimension. Threads are numbers: the backend needs them to choose layouts.
struct KernelObject : Object {
  KernelObject() : Object(VK::Kernel) {}
  llvm::SmallVector<Value> grid;
  llvm::SmallVector<int64_t> threads;
};
/// T.Tensor(...) as an annotation. Also T.ptr and T.handle. Sizes may be
/// Scalars: T.dynamic's names.
struct AnnotationObject : Object {
  AnnotationObject() : Object(VK::Annotation) {}
  enum Type : uint8_t { Tensor, Pointer, Any, Ref } type = Tensor;
  llvm::SmallVector<Value> shape, strides;
  DType dtype = nullptr;
  int64_t lanes = 1; ///< of a vector type: the last dimension
  /// A T.ptr parameter: T.make_tensor turns it into the argument `tensor`.
  StringRef name;
  unsigned order = 0;
  BufferObject *tensor = nullptr;
};
/// A class of the file; its names are in `members`.
struct ClassObject : Object {
  ClassObject() : Object(VK::Class) {}
  const ClassDefStmt *def = nullptr;
  Scope *members = nullptr;
  llvm::SmallVector<ClassObject *> bases;
  bool isRecord = false;    ///< a dataclass or named tuple: has fields
  bool isTuple = false;     ///< a named tuple: its fields can be unpacked
  bool isEnum = false;      ///< its assignments are members
  bool isPlainEnum = false; ///< whose members are no numbers
  bool isMeta = false;      ///< T.meta_class: methods that store are macros
  struct Field {
    StringRef name;
    const Expr *defaultValue = nullptr;
    SourceRange range;
  };
  llvm::SmallVector<Field> fields;
};
/// An object of a class of the file; two Values of it are one object.
/// Attributes are a Scope so that blocks on the device end what they set.
struct InstanceObject : Object {
  InstanceObject() : Object(VK::Instance) {}
  ClassObject *cls = nullptr; ///< of super(): the method's own
  Scope *attributes = nullptr;
  bool isSuper = false; ///< what super() gives
  Value self;           ///< of super(): the object
};
/// What `raise` reports. Nothing catches it: raising one is an error with its
/// message.
struct ExceptionObject : Object {
  ExceptionObject() : Object(VK::Exception) {}
  StringRef type;
  std::string message;
};

} // namespace tlc::frontend

#endif // TLC_LIB_FRONTEND_VALUES_H
