//===- BuildContract.cpp - The launch contract of a tile program ----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The launch contract of a program: for each argument its role, type, shape and
// strides, for each kernel its grid, all as expressions over the integer
// arguments. They are read off the host side of the tile.func:
//
//   %g = arith.ceildivsi %n, 64; tile.kernel grid(%g)
//   ->  "grid": [["ceildiv", "n", 64], 1, 1]
//
//   arguments: %A: !tile.ptr<f16> {tile.name = "A", tile.role = "in"}
//   %a = tile.tensor %A sizes(%n) : memref<?x64xf16>
//   ->  "A": shape ["n", 64], strides [64, 1], align 16
//
// A grid or shape that is computed from anything but the program's integers
// cannot be known to whoever launches, and is an error here, before code is
// made.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "tlc/Dialect/Tile/IR/TileDialect.h"
#include "tlc/Target/BuildContract.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::target;

/// A host-side scalar as an expression over the program's arguments. Fails,
/// with an error at the value, where it is more than integer arithmetic. Signed
/// and unsigned operations are one: sizes are not negative.
static FailureOr<Expr> getExpr(Value v) {
  APInt constant;
  if (matchPattern(v, m_ConstantInt(&constant)))
    return Expr::constant(constant.getSExtValue());
  if (auto arg = dyn_cast<BlockArgument>(v);
      arg && isa<tile::FuncOp>(arg.getOwner()->getParentOp()))
    return Expr::argument(arg.getArgNumber());
  Operation *op = v.getDefiningOp();
  auto refuse = [&]() -> FailureOr<Expr> {
    return mlir::emitError(v.getLoc(), "a launch cannot depend on this: only "
                                       "integer arithmetic on sizes can");
  };
  if (!op)
    return refuse();
  SmallVector<Expr> operands;
  // Operands in the order given: a > b is b < a.
  auto take = [&](ArrayRef<unsigned> order) {
    for (unsigned i : order) {
      FailureOr<Expr> e = getExpr(op->getOperand(i));
      if (failed(e))
        return failure();
      operands.push_back(*e);
    }
    return success();
  };
  auto make = [&](Expr::Op kind, ArrayRef<unsigned> order) -> FailureOr<Expr> {
    if (failed(take(order)))
      return failure();
    return Expr::make(kind,
                      std::vector<Expr>(operands.begin(), operands.end()));
  };
  using Op = Expr::Op;
  // Sizes fit all widths that they pass through.
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp>(
          op))
    return getExpr(op->getOperand(0));
  static const std::pair<StringRef, Op> kinds[] = {
      {"arith.addi", Op::Add},
      {"arith.subi", Op::Sub},
      {"arith.muli", Op::Mul},
      {"arith.divsi", Op::Div},
      {"arith.divui", Op::Div},
      {"arith.floordivsi", Op::FloorDiv},
      {"arith.ceildivsi", Op::CeilDiv},
      {"arith.remsi", Op::Rem},
      {"arith.remui", Op::Rem},
      {"arith.minsi", Op::Min},
      {"arith.maxsi", Op::Max},
      {"arith.andi", Op::And},
      {"arith.ori", Op::Or},
      {"arith.xori", Op::Xor},
      {"arith.shli", Op::Shl},
      {"arith.shrsi", Op::Shr},
      {"arith.shrui", Op::Shr}};
  for (auto [name, kind] : kinds)
    if (op->getName().getStringRef() == name)
      return make(kind, {0, 1});
  if (isa<arith::SelectOp>(op))
    return make(Op::Select, {0, 1, 2});
  if (auto cmp = dyn_cast<arith::CmpIOp>(op)) {
    using P = arith::CmpIPredicate;
    switch (cmp.getPredicate()) {
    case P::eq:
      return make(Op::Eq, {0, 1});
    case P::ne:
      return make(Op::Ne, {0, 1});
    case P::slt:
    case P::ult:
      return make(Op::Lt, {0, 1});
    case P::sle:
    case P::ule:
      return make(Op::Le, {0, 1});
    case P::sgt:
    case P::ugt:
      return make(Op::Lt, {1, 0});
    case P::sge:
    case P::uge:
      return make(Op::Le, {1, 0});
    }
  }
  return refuse();
}

static std::optional<Role> parseRole(StringRef role) {
  for (Role r : {Role::In, Role::Out, Role::InOut, Role::Workspace,
                 Role::Scalar, Role::Dim})
    if (toString(r) == role)
      return r;
  return std::nullopt;
}

/// The language's name for an element type, where the program does not say.
static std::string dtypeOf(Type type) {
  if (type.isF16())
    return "float16";
  if (type.isBF16())
    return "bfloat16";
  if (type.isF32())
    return "float32";
  if (type.isF64())
    return "float64";
  if (isa<Float8E4M3FNType>(type))
    return "float8_e4m3fn";
  if (isa<Float8E4M3FNUZType>(type))
    return "float8_e4m3fnuz";
  if (isa<Float8E5M2Type>(type))
    return "float8_e5m2";
  if (isa<Float8E5M2FNUZType>(type))
    return "float8_e5m2fnuz";
  if (type.isInteger(1))
    return "bool";
  // MLIR's integers have no sign: unsigned types are named by tile.dtype.
  return "int" + std::to_string(type.getIntOrFloatBitWidth());
}

/// LDS sizes and final workgroups are filled in when the kernels are compiled.
/// Fails after an error.
FailureOr<Contract> target::buildContract(tile::FuncOp program) {
  Contract contract;
  contract.program = program.getSymName().str();
  contract.target = "gfx942";
  for (BlockArgument arg : program.getBody().getArguments()) {
    unsigned i = arg.getArgNumber();
    // A string attribute of the argument, "" if missing.
    auto text = [&](StringRef key) {
      auto attr = program.getArgAttrOfType<StringAttr>(i, key);
      return attr ? attr.getValue() : StringRef();
    };
    Argument &a = contract.arguments.emplace_back();
    a.name = text("tile.name").str();
    if (a.name.empty())
      a.name = "arg" + std::to_string(i);
    auto pointer = dyn_cast<tile::PtrType>(arg.getType());
    Type element = pointer ? pointer.getElementType() : arg.getType();
    a.dtype = text("tile.dtype").empty() ? dtypeOf(element)
                                         : text("tile.dtype").str();
    StringRef role = text("tile.role");
    a.role = parseRole(role).value_or(pointer ? Role::InOut : Role::Scalar);
    if (!pointer)
      continue;
    // Wide accesses need 16 bytes; device allocations have 256.
    a.align = 16;
    // The first tensor behind a pointer describes it; views of it do not.
    for (Operation *user : arg.getUsers()) {
      auto tensor = dyn_cast<tile::TensorOp>(user);
      if (!tensor || !a.shape.empty())
        continue;
      auto type = cast<MemRefType>(tensor.getType());
      SmallVector<int64_t> strides;
      int64_t offset;
      (void)type.getStridesAndOffset(strides, offset);
      unsigned nextSize = 0, nextStride = 0;
      for (int64_t extent : type.getShape()) {
        if (extent != ShapedType::kDynamic) {
          a.shape.push_back(Expr::constant(extent));
          continue;
        }
        // Dynamic extents are operands, in the order of the dimensions.
        FailureOr<Expr> e = getExpr(tensor.getSizes()[nextSize++]);
        if (failed(e))
          return failure();
        a.shape.push_back(*e);
      }
      a.strides.resize(a.shape.size());
      // Row-major unless the type says otherwise: a stride is the product of
      // the extents behind it.
      for (int d = int(a.shape.size()) - 1; d >= 0; --d) {
        bool last = d + 1 == int(a.shape.size());
        if (type.getLayout().isIdentity())
          a.strides[d] = last ? Expr::constant(1)
                              : Expr::make(Expr::Op::Mul,
                                           {a.strides[d + 1], a.shape[d + 1]});
        else if (strides[d] != ShapedType::kDynamic)
          a.strides[d] = Expr::constant(strides[d]);
      }
      if (!type.getLayout().isIdentity())
        for (size_t d = 0; d < strides.size(); ++d)
          if (strides[d] == ShapedType::kDynamic) {
            FailureOr<Expr> e = getExpr(tensor.getStrides()[nextStride++]);
            if (failed(e))
              return failure();
            a.strides[d] = *e;
          }
    }
  }
  for (auto kernel : program.getBody().getOps<tile::KernelOp>()) {
    Kernel &k = contract.kernels.emplace_back();
    k.name = tile::getKernelSymbol(kernel);
    for (unsigned d = 0; d < 3; ++d) {
      k.grid[d] = Expr::constant(1);
      if (d >= kernel.getGrid().size())
        continue;
      FailureOr<Expr> e = getExpr(kernel.getGrid()[d]);
      if (failed(e))
        return failure();
      k.grid[d] = *e;
    }
    k.block = {kernel.getNumThreads(), 1, 1};
  }
  return contract;
}
