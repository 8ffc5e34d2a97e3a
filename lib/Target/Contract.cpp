//===- Contract.cpp - What a launch of a code object needs ----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expressions, the JSON form of a contract, and finding it in an ELF file. The
// reader trusts nothing: a contract comes from a file, so every field is
// checked and nesting is bounded.
//
//   {"schema": ..., "program": "main", "target": "gfx942",
//    "arguments": [{"name": "A", "dtype": "float16", "role": "in",
//                   "shape": ["n", 64], "strides": [64, 1], "align": 16}, ...],
//    "kernels": [{"name": "main_kernel", "grid": [["ceildiv", "n", 64], 1, 1],
//                 "block": [256, 1, 1], "lds": 16384}]}
//
// Argument names stand for themselves in expressions; an operator comes first
// in its list, as in Lisp: ["ceildiv", "n", 64] is ceil(n / 64). Sizes are
// signed 64-bit integers, and an expression without a value (a division by 0,
// an overflow) has none rather than a wrong one.
//
//===----------------------------------------------------------------------===//

#include "tlc/Target/Contract.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tlc::target {

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

namespace {
/// An operator's spelling in JSON and its number of operands.
struct OpName {
  Expr::Op op;
  StringLiteral name;
  unsigned operands;
};
constexpr OpName kOps[] = {
    {Expr::Op::Add, "+", 2},        {Expr::Op::Sub, "-", 2},
    {Expr::Op::Mul, "*", 2},        {Expr::Op::Div, "div", 2},
    {Expr::Op::FloorDiv, "//", 2},  {Expr::Op::CeilDiv, "ceildiv", 2},
    {Expr::Op::Rem, "rem", 2},      {Expr::Op::Min, "min", 2},
    {Expr::Op::Max, "max", 2},      {Expr::Op::And, "and", 2},
    {Expr::Op::Or, "or", 2},        {Expr::Op::Xor, "xor", 2},
    {Expr::Op::Shl, "<<", 2},       {Expr::Op::Shr, ">>", 2},
    {Expr::Op::Eq, "==", 2},        {Expr::Op::Ne, "!=", 2},
    {Expr::Op::Lt, "<", 2},         {Expr::Op::Le, "<=", 2},
    {Expr::Op::Select, "select", 3}};

/// Deeper expressions are refused; no program's are near it.
constexpr unsigned kMaxDepth = 64;

const OpName *findOp(Expr::Op op) {
  return find_if(kOps, [&](const OpName &o) { return o.op == op; });
}

/// Nothing where the result is not defined or does not fit 64 bits.
std::optional<int64_t> apply(Expr::Op op, int64_t a, int64_t b) {
  using Op = Expr::Op;
  int64_t r;
  switch (op) {
  case Op::Add:
    return AddOverflow(a, b, r) ? std::nullopt : std::optional(r);
  case Op::Sub:
    return SubOverflow(a, b, r) ? std::nullopt : std::optional(r);
  case Op::Mul:
    return MulOverflow(a, b, r) ? std::nullopt : std::optional(r);
  case Op::Div:
  case Op::FloorDiv:
  case Op::CeilDiv:
  case Op::Rem:
    // The two divisions that C++ leaves undefined.
    if (b == 0 || (a == INT64_MIN && b == -1))
      return std::nullopt;
    if (op == Op::Div)
      return a / b;
    if (op == Op::Rem)
      return a % b;
    return op == Op::FloorDiv ? divideFloorSigned(a, b)
                              : divideCeilSigned(a, b);
  case Op::Min:
    return std::min(a, b);
  case Op::Max:
    return std::max(a, b);
  case Op::And:
    return a & b;
  case Op::Or:
    return a | b;
  case Op::Xor:
    return a ^ b;
  case Op::Shl:
    if (b < 0 || b > 62)
      return std::nullopt;
    return MulOverflow(a, int64_t(1) << b, r) ? std::nullopt : std::optional(r);
  case Op::Shr:
    return b < 0 || b > 63 ? std::nullopt : std::optional(a >> b);
  case Op::Eq:
    return a == b;
  case Op::Ne:
    return a != b;
  case Op::Lt:
    return a < b;
  case Op::Le:
    return a <= b;
  default:
    return std::nullopt;
  }
}
} // namespace

/// `scalars` has a number for each argument of the program; those of tensors
/// are never asked for. Nothing where the expression has no value.
std::optional<int64_t> Expr::evaluate(ArrayRef<int64_t> scalars) const {
  if (op == Op::Const)
    return value;
  if (op == Op::Arg)
    return value >= 0 && size_t(value) < scalars.size()
               ? std::optional(scalars[value])
               : std::nullopt;
  std::optional<int64_t> a = operands[0].evaluate(scalars);
  if (!a)
    return std::nullopt;
  if (op == Op::Select) // only the chosen side need have a value
    return operands[*a != 0 ? 1 : 2].evaluate(scalars);
  std::optional<int64_t> b = operands[1].evaluate(scalars);
  return b ? apply(op, *a, *b) : std::nullopt;
}

/// Folds constants and drops neutral operands, so that contracts stay readable.
///   n * 1 -> n    n + 0 -> n    64 * 2 -> 128    n // 1 -> n
Expr Expr::make(Op op, std::vector<Expr> operands) {
  Expr e{op, 0, std::move(operands)};
  // An expression without a value stays: evaluating it says so later.
  if (all_of(e.operands, [](const Expr &o) { return o.isConstant(); }))
    if (std::optional<int64_t> v = e.evaluate({}))
      return constant(*v);
  auto isConst = [&](unsigned i, int64_t v) {
    return e.operands[i].isConstant() && e.operands[i].value == v;
  };
  bool neutralRight =
      (op == Op::Add || op == Op::Sub || op == Op::Shl || op == Op::Shr)
          ? isConst(1, 0)
          : (op == Op::Mul || op == Op::Div || op == Op::FloorDiv ||
             op == Op::CeilDiv) &&
                isConst(1, 1);
  if (neutralRight)
    return std::move(e.operands[0]);
  if ((op == Op::Add && isConst(0, 0)) || (op == Op::Mul && isConst(0, 1)))
    return std::move(e.operands[1]);
  return e;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

namespace {
struct RoleName {
  Role role;
  StringLiteral name;
};
constexpr RoleName kRoles[] = {
    {Role::In, "in"},         {Role::Out, "out"},
    {Role::InOut, "inout"},   {Role::Workspace, "workspace"},
    {Role::Scalar, "scalar"}, {Role::Dim, "dim"}};
} // namespace

StringRef toString(Role role) {
  return find_if(kRoles, [&](const RoleName &r) { return r.role == role; })
      ->name;
}

/// Bits of an element in memory; 0 for types that no argument has.
unsigned dtypeBits(StringRef dtype) {
  unsigned bits = StringSwitch<unsigned>(dtype)
                      .Cases({"bool", "int8", "uint8"}, 8)
                      .Cases({"int4", "uint4"}, 4)
                      .Cases({"bfloat16", "float16", "int16", "uint16"}, 16)
                      .Cases({"float32", "tfloat32", "int32", "uint32"}, 32)
                      .Cases({"float64", "int64", "uint64"}, 64)
                      .Default(0);
  if (!bits && dtype.starts_with("float8_"))
    return 8;
  return bits;
}

/// Byte offsets of the arguments in the kernarg segment, each aligned to its
/// size, and at the end the size of all.
/// pointer, int32, pointer   ->   0, 8, 16, and 24 for the whole
std::vector<uint64_t> argumentOffsets(const Contract &contract) {
  std::vector<uint64_t> offsets;
  uint64_t end = 0;
  for (const Argument &arg : contract.arguments) {
    uint64_t size =
        arg.isPointer() ? 8 : std::max(1u, dtypeBits(arg.dtype) / 8);
    offsets.push_back(alignTo(end, size));
    end = offsets.back() + size;
  }
  offsets.push_back(end);
  return offsets;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// A number, the name of an argument, or [operator, operands...].
static json::Value exprToJSON(const Expr &e, const Contract &contract) {
  if (e.op == Expr::Op::Const)
    return e.value;
  if (e.op == Expr::Op::Arg)
    return contract.arguments[e.value].name;
  json::Array array{findOp(e.op)->name};
  for (const Expr &operand : e.operands)
    array.push_back(exprToJSON(operand, contract));
  return array;
}

/// The inverse of fromJSON: what one writes, the other reads.
json::Value Contract::toJSON() const {
  auto exprs = [&](ArrayRef<Expr> list) {
    json::Array array;
    for (const Expr &e : list)
      array.push_back(exprToJSON(e, *this));
    return array;
  };
  json::Array args, kernelArray;
  for (const Argument &arg : arguments) {
    json::Object o{
        {"name", arg.name}, {"dtype", arg.dtype}, {"role", toString(arg.role)}};
    // Scalars have no shape, and no bounds unless the program gives them.
    if (arg.isPointer()) {
      o["shape"] = exprs(arg.shape);
      o["strides"] = exprs(arg.strides);
      o["align"] = arg.align;
    }
    if (arg.min)
      o["min"] = *arg.min;
    if (arg.max)
      o["max"] = *arg.max;
    args.push_back(std::move(o));
  }
  for (const Kernel &k : kernels)
    kernelArray.push_back(json::Object{{"name", k.name},
                                       {"grid", exprs(k.grid)},
                                       {"block", json::Array(k.block)},
                                       {"lds", k.ldsBytes}});
  return json::Object{{"schema", kSchema},
                      {"program", program},
                      {"target", target},
                      {"arguments", std::move(args)},
                      {"kernels", std::move(kernelArray)}};
}

namespace {
Error bad(const Twine &what) {
  return createStringError(inconvertibleErrorCode(),
                           "malformed launch contract: " + what);
}

/// Reads one contract; any malformed field is an error that names it.
class Reader {
public:
  Contract contract;
  Error read(const json::Value &value);

private:
  Error readArgument(const json::Value &value);
  Error readKernel(const json::Value &value);
  Error readExpr(const json::Value &value, Expr &result, unsigned depth = 0);
  Error readExprs(const json::Array *array, std::vector<Expr> &result);

  StringMap<unsigned> names;
  const json::Array *args = nullptr;
};
} // namespace

/// "" where it is missing or no string; the caller refuses that if it matters.
static std::string stringField(const json::Object &o, StringRef key) {
  return o.getString(key).value_or("").str();
}

/// The inverse of exprToJSON, with names resolved to positions.
Error Reader::readExpr(const json::Value &value, Expr &result, unsigned depth) {
  if (depth > kMaxDepth)
    return bad("an expression is nested too deeply");
  if (std::optional<int64_t> i = value.getAsInteger()) {
    result = Expr::constant(*i);
    return Error::success();
  }
  if (std::optional<StringRef> name = value.getAsString()) {
    auto it = names.find(*name);
    if (it == names.end())
      return bad("no argument is named '" + *name + "'");
    if (contract.arguments[it->second].isPointer())
      return bad("tensor '" + *name + "' in an integer expression");
    result = Expr::argument(it->second);
    return Error::success();
  }
  const json::Array *array = value.getAsArray();
  if (!array || array->empty() || !array->front().getAsString())
    return bad("an expression is no number, name or [operator, ...]");
  StringRef name = *array->front().getAsString();
  const auto *op =
      find_if(kOps, [&](const OpName &o) { return o.name == name; });
  if (op == std::end(kOps))
    return bad("unknown operator '" + name + "'");
  if (array->size() != op->operands + 1)
    return bad("operator '" + name + "' with a wrong number of operands");
  result = {op->op, 0, std::vector<Expr>(op->operands)};
  for (unsigned i = 0; i != op->operands; ++i)
    if (Error e = readExpr((*array)[i + 1], result.operands[i], depth + 1))
      return e;
  return Error::success();
}

Error Reader::readExprs(const json::Array *array, std::vector<Expr> &result) {
  if (!array)
    return bad("a list of expressions is missing");
  for (const json::Value &v : *array)
    if (Error e = readExpr(v, result.emplace_back()))
      return e;
  return Error::success();
}

/// All but shape and strides, which may name arguments that come later.
Error Reader::readArgument(const json::Value &value) {
  const json::Object *o = value.getAsObject();
  if (!o)
    return bad("an argument is no object");
  Argument arg;
  arg.name = stringField(*o, "name");
  arg.dtype = stringField(*o, "dtype");
  std::string role = stringField(*o, "role");
  const auto *r =
      find_if(kRoles, [&](const RoleName &r) { return r.name == role; });
  if (r == std::end(kRoles))
    return bad("unknown role '" + role + "'");
  arg.role = r->role;
  if (arg.name.empty() || dtypeBits(arg.dtype) == 0)
    return bad("an argument without a name or known dtype");
  if (!names.try_emplace(arg.name, contract.arguments.size()).second)
    return bad("two arguments are named '" + arg.name + "'");
  arg.align = o->getInteger("align").value_or(1);
  if (arg.align < 1 || !isPowerOf2_64(arg.align))
    return bad("the alignment of '" + arg.name + "' is no power of two");
  arg.min = o->getInteger("min");
  arg.max = o->getInteger("max");
  contract.arguments.push_back(std::move(arg));
  return Error::success();
}

/// A block's size bounds are the hardware's: 1024 work-items.
Error Reader::readKernel(const json::Value &value) {
  const json::Object *o = value.getAsObject();
  if (!o)
    return bad("a kernel is no object");
  Kernel kernel;
  kernel.name = stringField(*o, "name");
  if (kernel.name.empty())
    return bad("a kernel without a name");
  std::vector<Expr> grid;
  if (Error e = readExprs(o->getArray("grid"), grid))
    return e;
  const json::Array *block = o->getArray("block");
  if (grid.size() != 3 || !block || block->size() != 3)
    return bad("a grid or block without three dimensions");
  std::move(grid.begin(), grid.end(), kernel.grid.begin());
  int64_t threads = 1;
  for (unsigned i = 0; i != 3; ++i) {
    kernel.block[i] = (*block)[i].getAsInteger().value_or(0);
    if (kernel.block[i] < 1 || kernel.block[i] > 1024 ||
        (threads *= kernel.block[i]) > 1024)
      return bad("a block of impossible size");
  }
  kernel.ldsBytes = o->getInteger("lds").value_or(0);
  contract.kernels.push_back(std::move(kernel));
  return Error::success();
}

/// Arguments twice: first their names and types, then the expressions that
/// refer to them.
Error Reader::read(const json::Value &value) {
  const json::Object *o = value.getAsObject();
  if (!o)
    return bad("no object");
  if (o->getString("schema") != StringRef(Contract::kSchema))
    return bad("schema '" + stringField(*o, "schema") + "', not '" +
               Contract::kSchema + "'");
  contract.program = stringField(*o, "program");
  contract.target = stringField(*o, "target");
  args = o->getArray("arguments");
  const json::Array *kernels = o->getArray("kernels");
  if (!args || !kernels)
    return bad("no arguments or no kernels");
  for (const json::Value &v : *args)
    if (Error e = readArgument(v))
      return e;
  // Shapes may name arguments that come later.
  for (auto [v, arg] : zip(*args, contract.arguments)) {
    if (!arg.isPointer())
      continue;
    if (Error e = readExprs(v.getAsObject()->getArray("shape"), arg.shape))
      return e;
    if (Error e = readExprs(v.getAsObject()->getArray("strides"), arg.strides))
      return e;
    if (arg.shape.size() != arg.strides.size())
      return bad("'" + arg.name + "' has shape and strides of unlike rank");
  }
  for (const json::Value &v : *kernels)
    if (Error e = readKernel(v))
      return e;
  return Error::success();
}

/// A contract or what is wrong with it; nothing half-read.
Expected<Contract> Contract::fromJSON(const json::Value &value) {
  Reader reader;
  if (Error e = reader.read(value))
    return std::move(e);
  return std::move(reader.contract);
}

/// Whether brackets nest deeper than any contract's do: the JSON parser
/// recurses, and a hostile file must not exhaust the stack.
static bool isTooDeep(StringRef text) {
  unsigned depth = 0;
  for (char c : text) {
    if (c == '[' || c == '{')
      depth += 1;
    else if ((c == ']' || c == '}') && depth)
      depth -= 1;
    if (depth > 4 * kMaxDepth)
      return true;
  }
  return false;
}

/// The contract of a code object, from its section; an error if it has none.
Expected<Contract> Contract::fromObject(MemoryBufferRef buffer) {
  Expected<std::unique_ptr<object::ObjectFile>> file =
      object::ObjectFile::createELFObjectFile(buffer);
  if (!file)
    return file.takeError();
  for (const object::SectionRef &section : (*file)->sections()) {
    Expected<StringRef> name = section.getName();
    if (!name)
      return name.takeError();
    if (*name != kSection)
      continue;
    Expected<StringRef> contents = section.getContents();
    if (!contents)
      return contents.takeError();
    if (isTooDeep(*contents))
      return bad("nested too deeply");
    // The section may be padded with zeros.
    Expected<json::Value> value = json::parse(contents->rtrim('\0'));
    if (!value)
      return value.takeError();
    return fromJSON(*value);
  }
  return createStringError(inconvertibleErrorCode(),
                           "no launch contract: the object has no section '" +
                               kSection +
                               "'; objects of others take --grid and --block");
}

} // namespace tlc::target
