//===- Evaluate.cpp - Running a tile program on host arrays ---------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays are decoded into cells once, and results encoded back at the end.
//
// Evaluation of a whole func: compile it, put arguments into slots and
// storages, run, read the storages back. describeParameters does the same
// without kernels, since extents of tensors may be any expression over the
// scalar arguments.
//
//===----------------------------------------------------------------------===//

#include "Compiler.h"
#include "tlc/Reference/Reference.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::reference;

static StringRef stringAttr(tile::FuncOp func, unsigned arg, StringRef name) {
  auto attr = func.getArgAttrOfType<StringAttr>(arg, name);
  return attr ? attr.getValue() : StringRef();
}

/// The language's dtype where the IR tells it, else the type's own.
static std::optional<DType> dtypeOf(tile::FuncOp func, unsigned arg) {
  if (auto named = parseDType(stringAttr(func, arg, "tile.dtype")))
    return named;
  Type type = func.getArgumentTypes()[arg];
  if (auto ptr = dyn_cast<tile::PtrType>(type))
    type = ptr.getElementType();
  if (type.isInteger(1))
    return DType::Bool;
  std::string text;
  llvm::raw_string_ostream os(text);
  if (type.isIndex())
    return DType::Int64;
  type.print(os);
  if (auto known = parseDType(text))
    return known;
  StringRef lower(text);
  if (lower.consume_front("f8"))
    return parseDType("float8_" + lower.lower());
  return std::nullopt;
}

static Scalar scalarOfDType(DType type) {
  if (const FloatFormat *format = floatFormat(type))
    return {format, format->bits};
  if (type == DType::Bool)
    return {nullptr, 1};
  return {nullptr, uint8_t(8 * byteSize(type))};
}

/// A scalar argument, rounded or wrapped to its type.
static void setScalar(Frame &frame, uint32_t slot, Type type, int64_t integer,
                      double real) {
  Scalar s = *scalarOf(type);
  if (s.isFloat())
    frame.at(slot)[0].f = s.format->round(real);
  else
    frame.at(slot)[0] = decodeCell(s, uint64_t(integer));
}

FailureOr<std::vector<Parameter>>
tlc::reference::describeParameters(tile::FuncOp func,
                                   ArrayRef<int64_t> scalars) {
  Machine machine;
  Compiler compiler(machine, /*hostOnly=*/true);
  if (failed(compiler.compile(func, {})))
    return failure();
  Frame &frame = machine.frameOf(compiler.program(), 1);
  auto types = func.getArgumentTypes();
  for (unsigned i = 0; i < types.size(); ++i)
    if (!isa<tile::PtrType>(types[i]))
      setScalar(frame, compiler.argumentSlots()[i], types[i],
                i < scalars.size() ? scalars[i] : 0, 0);
  run(frame, compiler.program().body);
  if (machine.failed)
    return failure();
  std::vector<Parameter> parameters;
  for (unsigned i = 0; i < types.size(); ++i) {
    Parameter p;
    p.name = stringAttr(func, i, "tile.name").str();
    if (p.name.empty())
      p.name = "arg" + std::to_string(i);
    p.isTensor = isa<tile::PtrType>(types[i]);
    p.role = stringAttr(func, i, "tile.role").str();
    if (p.role.empty())
      p.role = p.isTensor ? "inout" : "scalar";
    auto dtype = dtypeOf(func, i);
    if (!dtype)
      return func.emitError("argument '")
             << p.name << "' has a type without a name in the language";
    p.dtype = *dtype;
    // Views of one pointer may differ; the largest counts.
    for (Buffer *b :
         p.isTensor ? compiler.tensorsOf(i) : ArrayRef<Buffer *>()) {
      // The last element's place plus one: strides may leave gaps.
      int64_t elements = b->elements() ? 1 : 0;
      for (size_t d = 0; d < b->shape.size() && elements; ++d)
        elements += (b->shape[d] - 1) * b->strides[d];
      if (elements < p.elements && !p.shape.empty())
        continue;
      p.elements = elements;
      p.shape = b->shape;
    }
    parameters.push_back(std::move(p));
  }
  return parameters;
}

/// Decodes an argument's bytes. `element` is the IR's type: bool may be stored
/// as bytes there.
static void fromArray(const Array &array, Scalar element, bool bounds,
                      Storage &storage) {
  storage.type = scalarOfDType(array.type);
  if (array.type == DType::Bool && element == Scalar{nullptr, 8})
    storage.type = element;
  size_t n = array.bytes.size() / byteSize(array.type);
  storage.cells.resize(n);
  for (size_t i = 0; i < n; ++i)
    storage.cells[i] = decodeCell(storage.type, array.bits(i));
  storage.errors.assign(bounds ? n : 0, 0);
}

/// Encodes the results, and keeps the unrounded values with their bounds.
static void toArgument(const Storage &storage, Argument &argument) {
  size_t n = storage.cells.size();
  argument.values.resize(n);
  for (size_t i = 0; i < n; ++i) {
    Cell cell = storage.cells[i];
    argument.array.setBits(i, encodeCell(storage.type, cell));
    argument.values[i] =
        storage.type.isFloat() ? cell.f : argument.array.number(i);
  }
  argument.bounds = storage.errors;
}

LogicalResult tlc::reference::evaluate(tile::FuncOp func,
                                       MutableArrayRef<Argument> arguments,
                                       const Options &options,
                                       Statistics *statistics) {
  auto types = func.getArgumentTypes();
  if (arguments.size() != types.size())
    return func.emitError("takes ")
           << types.size() << " arguments, not " << arguments.size();
  Machine machine;
  machine.options = options;
  machine.exact = options.rounding == Options::Rounding::Exact;
  machine.bounds = options.bounds && !machine.exact;
  std::vector<Storage> storages(types.size());
  std::vector<Storage *> pointers;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    if (auto ptr = dyn_cast<tile::PtrType>(types[i])) {
      auto element = scalarOf(ptr.getElementType());
      fromArray(argument.array, element.value_or(Scalar()), machine.bounds,
                storages[i]);
      if (element != storages[i].type)
        return func.emitError("argument ")
               << i << " is an array of " << toString(argument.array.type)
               << ", not of " << ptr.getElementType();
    }
    pointers.push_back(&storages[i]);
  }
  Compiler compiler(machine, /*hostOnly=*/false);
  if (failed(compiler.compile(func, pointers)))
    return failure();
  Frame &frame = machine.frameOf(compiler.program(), 1);
  for (auto [i, argument] : llvm::enumerate(arguments))
    if (!isa<tile::PtrType>(types[i]))
      setScalar(frame, compiler.argumentSlots()[i], types[i], argument.integer,
                argument.real);
  run(frame, compiler.program().body);
  if (statistics)
    *statistics = machine.stats;
  if (machine.failed)
    return failure();
  for (auto [i, argument] : llvm::enumerate(arguments))
    if (isa<tile::PtrType>(types[i]))
      toArgument(storages[i], argument);
  return success();
}
