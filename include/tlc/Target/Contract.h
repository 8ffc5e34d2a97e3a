//===- Contract.h - What a launch of a code object needs --------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The launch contract: everything a host must know to run a program's kernels,
// and nothing of how they were compiled. It is stored as JSON (schema
// "tlc.contract/1") in the non-allocated section `.tlc.contract` of the code
// object, so that any loader ignores it and any tool can read it.
//
// Every kernel of a program takes all arguments of the program, in order, at
// their natural alignment (the HIP convention): pointers are 8 bytes, scalars
// the bytes of their dtype. Kernels are launched in order on one stream.
//
// Sizes and grids are expressions over the program's integer scalar arguments:
//   128                         a constant
//   "M"                         the scalar argument of that name
//   ["ceildiv", "M", 128]       an operator over expressions
//
//===----------------------------------------------------------------------===//

#ifndef TLC_TARGET_CONTRACT_H
#define TLC_TARGET_CONTRACT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tlc::target {

/// An integer expression over a program's scalar arguments, evaluated in 64
/// bits.
struct Expr {
  enum class Op {
    Const, ///< `value`
    Arg,   ///< the argument with index `value`
    Add,
    Sub,
    Mul,
    Div,      ///< rounds towards zero
    FloorDiv, ///< rounds down
    CeilDiv,  ///< rounds up
    Rem,      ///< sign of the dividend
    Min,
    Max,
    And,
    Or,
    Xor,
    Shl,
    Shr, ///< arithmetic
    Eq,  ///< comparisons give 0 or 1
    Ne,
    Lt,
    Le,
    Select ///< operands: condition, value if not 0, value if 0
  };
  Op op = Op::Const;
  int64_t value = 0;
  std::vector<Expr> operands;

  static Expr constant(int64_t value) { return {Op::Const, value, {}}; }
  static Expr argument(unsigned index) { return {Op::Arg, index, {}}; }
  /// A folded expression: constants are combined where that cannot fail.
  static Expr make(Op op, std::vector<Expr> operands);

  bool isConstant() const { return op == Op::Const; }
  /// The value with `scalars[i]` for argument i; nothing where it overflows,
  /// divides by zero, shifts out of range or names no argument of `scalars`.
  std::optional<int64_t> evaluate(llvm::ArrayRef<int64_t> scalars) const;
  bool operator==(const Expr &) const = default;
};

enum class Role {
  In,        ///< a tensor that is read
  Out,       ///< a tensor that is written as a whole
  InOut,     ///< a tensor that is read and written
  Workspace, ///< device memory the caller provides; contents need no
             ///< initialising
  Scalar,    ///< a number
  Dim        ///< an integer that appears in tensor shapes
};
llvm::StringRef toString(Role role);

struct Argument {
  std::string name;
  /// The language's name: "float16", "bfloat16", "float8_e4m3fnuz", "int32",
  /// "uint8", "bool", ...
  std::string dtype;
  Role role = Role::In;
  /// Extents of a tensor, outermost first. Empty for scalars.
  std::vector<Expr> shape;
  /// Strides in elements, outermost first, as many as `shape`.
  std::vector<Expr> strides;
  /// Bytes the pointer must be aligned to (1 for scalars).
  int64_t align = 1;
  /// Inclusive range of an integer scalar for which the kernels are right.
  std::optional<int64_t> min, max;

  bool isPointer() const { return role != Role::Scalar && role != Role::Dim; }
};

struct Kernel {
  std::string name;         ///< symbol; the descriptor is `name` + ".kd"
  std::array<Expr, 3> grid; ///< workgroups along x, y, z
  std::array<int64_t, 3> block{64, 1, 1}; ///< work-items of a workgroup
  int64_t ldsBytes = 0; ///< static LDS, already in the kernel descriptor
};

struct Contract {
  static constexpr llvm::StringLiteral kSchema = "tlc.contract/1";
  static constexpr llvm::StringLiteral kSection = ".tlc.contract";

  std::string program; ///< name of the program in the source
  std::string target;  ///< "gfx942"
  std::vector<Argument> arguments;
  std::vector<Kernel> kernels; ///< in launch order

  llvm::json::Value toJSON() const;
  static llvm::Expected<Contract> fromJSON(const llvm::json::Value &value);
  /// The contract of a code object (or relocatable object) in memory.
  static llvm::Expected<Contract> fromObject(llvm::MemoryBufferRef object);
};

/// Bits of an element of a language dtype; 0 for an unknown name.
unsigned dtypeBits(llvm::StringRef dtype);

/// Where each argument lies in the kernel argument segment: byte offsets, then
/// the total size as one more element.
std::vector<uint64_t> argumentOffsets(const Contract &contract);

} // namespace tlc::target

#endif // TLC_TARGET_CONTRACT_H
