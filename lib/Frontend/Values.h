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

struct Object {
  VK kind;
  explicit Object(VK kind) : kind(kind) {}
  virtual ~Object() = default;
};

struct BuiltinInfo;
struct Scope;

/// An SSA value with the element type that says how to compute with it.
struct Sym {
  mlir::Value value;
  DType type = nullptr;
  explicit operator bool() const { return bool(value); }
};

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
  bool asBool() const { return integer != 0; }
  int64_t asInt() const { return integer; }
  double asFloat() const { return tag == VK::Float ? number : double(integer); }
  StringRef asStr() const { return {chars, length}; }
  DType asDType() const { return type; }
  Sym asSym() const {
    return {mlir::Value::getFromOpaquePointer(pointer), type2};
  }
  const BuiltinInfo *asBuiltin() const { return builtinInfo; }
  Object *asObject() const { return obj; }
  template <typename T> T *as() const { return static_cast<T *>(obj); }

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
    default:
      return integer == o.integer;
    }
  }

private:
  explicit Value(VK kind) : tag(kind) {}
  VK tag = VK::Invalid;
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

struct SequenceObject : Object { // Tuple, List, Set
  explicit SequenceObject(VK kind) : Object(kind) {}
  llvm::SmallVector<Value> elements;
};
struct DictObject : Object {
  DictObject() : Object(VK::Dict) {}
  std::vector<std::pair<Value, Value>> entries;
};
struct RangeObject : Object {
  RangeObject() : Object(VK::Range) {}
  int64_t start = 0, stop = 0, step = 1;
  int64_t size() const {
    if (step > 0)
      return stop > start ? (stop - start - 1) / step + 1 : 0;
    return start > stop ? (start - stop - 1) / -step + 1 : 0;
  }
};
struct SliceObject : Object {
  SliceObject() : Object(VK::Slice) {}
  Value lower, upper, step; ///< None where absent
};

/// A def or lambda with the scope it closes over.
struct ClassObject;
struct FunctionObject : Object {
  FunctionObject() : Object(VK::Function) {}
  const FunctionDefStmt *def = nullptr; ///< null for a lambda
  const LambdaExpr *lambda = nullptr;
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
/// A builtin method with its receiver.
struct MethodObject : Object {
  MethodObject() : Object(VK::Method) {}
  const BuiltinInfo *builtin = nullptr;
  FunctionObject *function = nullptr;
  Value self;
};
struct ModuleObject : Object {
  ModuleObject() : Object(VK::Module) {}
  StringRef name;         ///< "tilelang.language", "math", ...
  Scope *scope = nullptr; ///< of a source file; null for the language's own
};
/// A value that only host code could compute; fails when used.
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
struct BufferObject : Object {
  BufferObject() : Object(VK::Buffer) {}
  std::string name;
  DType dtype = nullptr;
  llvm::SmallVector<Value> shape; ///< Int or Scalar
  tile::Space space = tile::Space::Global;
  mlir::Value memref;
  SourceRange declared;
  int64_t lanes = 1;    ///< of a vector type: the last dimension
  bool isVar = false;   ///< T.alloc_var: the name alone means element 0
  bool isEmpty = false; ///< T.empty
  int argument = -1; ///< index in the program's arguments, for global tensors
  FunctionObject *indexMap = nullptr; ///< T.Layout of a global tensor
  mlir::Value mapped; ///< the memory in the shape that indexMap's results index
  TileStorage *tile = nullptr; ///< in LDS
  bool isPlaced() const { return tile && tile->placed; }
  bool isPacked() const {
    return dtype->isSubByte() && space == tile::Space::Global;
  }
  mlir::Value storage() const { return mapped ? mapped : memref; }
  Value layoutShape;
  struct ReducerInfo *reducer = nullptr;
  int64_t staticDim(unsigned i) const {
    return shape[i].is(VK::Int) ? shape[i].asInt() : -1;
  }
};
/// A box of a buffer, or one element: offsets per dimension; extents are
/// Invalid throughout for an element.
struct RegionObject : Object {
  RegionObject() : Object(VK::Region) {}
  BufferObject *buffer = nullptr;
  llvm::SmallVector<Value> offsets, extents;
  bool isElement = false;
  SourceRange range;
};
/// T.Layout, T.Fragment and what makes them.
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
/// What `for` iterates over on the device.
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
  int64_t stages = 0, coalesced = 0, unrollFactor = 0, groupSize = 8;
  Value waveSize, index;
  int64_t threadDim = 0;
  LayoutObject *layout = nullptr; ///< T.Parallel(..., loop_layout=)
};
struct KernelObject : Object {
  KernelObject() : Object(VK::Kernel) {}
  llvm::SmallVector<Value> grid;
  llvm::SmallVector<int64_t> threads;
};
/// T.Tensor(...) as an annotation.
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
struct InstanceObject : Object {
  InstanceObject() : Object(VK::Instance) {}
  ClassObject *cls = nullptr; ///< of super(): the method's own
  Scope *attributes = nullptr;
  bool isSuper = false; ///< what super() gives
  Value self;           ///< of super(): the object
};
struct ExceptionObject : Object {
  ExceptionObject() : Object(VK::Exception) {}
  StringRef type;
  std::string message;
};

} // namespace tlc::frontend

#endif // TLC_LIB_FRONTEND_VALUES_H
