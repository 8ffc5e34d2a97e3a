//===- TileOps.cpp - Verifiers, parsers and printers of the tile ops ------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers refuse here what no later pass could give a meaning: shapes that do
// not match, spaces an op cannot work in, sizes missing for `?` dimensions.
// What is well formed but beyond gfx942 is left to tile-verify-target, whose
// messages point into the user's source.
//
//===----------------------------------------------------------------------===//

#include "tlc/Dialect/FuncSyntax.h"
#include "tlc/Dialect/Tile/IR/TileDialect.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

//===----------------------------------------------------------------------===//
// func
//===----------------------------------------------------------------------===//

void FuncOp::build(OpBuilder &b, OperationState &state, StringRef name,
                   FunctionType type, ArrayRef<DictionaryAttr> argAttrs) {
  buildFunc<FuncOp>(b, state, name, type, argAttrs);
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseFunc<FuncOp>(parser, result);
}
void FuncOp::print(OpAsmPrinter &p) { printFunc(p, *this); }

/// What a launch can pass: pointers to numbers, and numbers. Results go through
/// pointers.
LogicalResult FuncOp::verify() {
  if (!getResultTypes().empty())
    return emitOpError("has no results: they are written through pointers");
  for (Type type : getArgumentTypes()) {
    auto pointer = dyn_cast<PtrType>(type);
    if (!(pointer ? pointer.getElementType() : type).isIntOrFloat())
      return emitOpError("cannot have an argument of type ") << type;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// tensor, alloc, view, alias
//===----------------------------------------------------------------------===//

/// Whether a layout, if there is one, places each element of `shape`: one
/// dimension for each, long enough, in memory or in the registers of threads.
static LogicalResult verifyLayout(Operation *op, LayoutAttr attr,
                                  ArrayRef<int64_t> shape, StringRef what,
                                  bool inMemory = false) {
  if (!attr)
    return success();
  const Layout &layout = attr.getLayout();
  if (layout.rank() != shape.size())
    return op->emitOpError("layout has ")
           << layout.rank() << " dimensions, " << what << " " << shape.size();
  for (auto [d, extent] : llvm::enumerate(shape)) {
    if (layout.covered(d) < extent)
      return op->emitOpError("layout covers ")
             << layout.covered(d) << " of " << extent
             << " indices of dimension " << d;
    for (const Digit &digit : layout.dim(d))
      if ((digit.place == Place::Memory) != inMemory)
        return op->emitOpError("layout must place elements in ")
               << (inMemory ? "memory" : "registers of threads");
  }
  return success();
}

/// Extents of 0 would leave nothing to lay out.
static LogicalResult verifyExtents(Operation *op, Type buffer) {
  if (llvm::is_contained(cast<MemRefType>(buffer).getShape(), 0))
    return op->emitOpError("needs positive extents");
  return success();
}

/// A tensor is memory of the caller: each `?` of its shape needs an operand.
LogicalResult TensorOp::verify() {
  auto type = cast<MemRefType>(getType());
  if (getSpace(type) != Space::Global)
    return emitOpError("result must be in global memory, but is ") << type;
  if (!getSource().getType().getElementType().isIntOrFloat())
    return emitOpError("cannot read elements of type ")
           << getSource().getType().getElementType();
  if (auto pad = getPad(); pad && pad->getType() != type.getElementType())
    return emitOpError("pads elements of type ")
           << type.getElementType() << " with a value of type "
           << pad->getType();
  if (ssize_t(getSizes().size()) != ssize_t(type.getNumDynamicDims()))
    return emitOpError("needs a size for each of the ")
           << type.getNumDynamicDims() << " '?' dimensions, but has "
           << getSizes().size();
  // A strided layout names its strides; each unknown one is an operand. With
  // the identity layout they follow from the sizes.
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return emitOpError("result layout must be strided");
  int64_t dynamic = type.getLayout().isIdentity()
                        ? 0
                        : llvm::count(strides, ShapedType::kDynamic);
  if (int64_t(getStrides().size()) != dynamic)
    return emitOpError("needs a stride for each of the ")
           << dynamic << " '?' strides, but has " << getStrides().size();
  return success();
}

/// Buffers of the kernel: shared, fragment or local. How they lie in memory is
/// said by their layout, not by the memref's.
LogicalResult AllocOp::verify() {
  if (getSpace(getType()) == Space::Global)
    return emitOpError("cannot allocate global memory: use a workspace "
                       "argument of the func");
  if (!cast<MemRefType>(getType()).getLayout().isIdentity())
    return emitOpError("result must have the identity layout");
  bool shared = getSpace(getType()) == Space::Shared;
  if (getLdsOffset() && !shared)
    return emitOpError("only shared buffers have a place in LDS");
  if (failed(verifyExtents(*this, getType())))
    return failure();
  return verifyLayout(*this, getLayoutAttr(),
                      cast<MemRefType>(getType()).getShape(), "the buffer",
                      shared);
}

/// A box of the source, one offset for each dimension. That it lies inside is
/// not asked: views at a tensor's edge are bounds checked.
LogicalResult ViewOp::verify() {
  auto src = cast<MemRefType>(getSource().getType());
  auto dst = cast<MemRefType>(getType());
  if (src.getRank() != dst.getRank() ||
      src.getRank() != int64_t(getOffsets().size()))
    return emitOpError("source, result and offsets must have the same rank");
  if (src.getElementType() != dst.getElementType() ||
      src.getMemorySpace() != dst.getMemorySpace())
    return emitOpError("keeps element type and space");
  return verifyExtents(*this, getType());
}

/// The same bytes under another shape or element type: sizes must agree where
/// both are known.
LogicalResult AliasOp::verify() {
  auto src = cast<MemRefType>(getSource().getType());
  auto dst = cast<MemRefType>(getType());
  if (getSpace(src) != getSpace(dst))
    return emitOpError("keeps the space");
  if (src.hasStaticShape() && dst.hasStaticShape()) {
    int64_t from = src.getNumElements() * src.getElementTypeBitWidth();
    int64_t to = dst.getNumElements() * dst.getElementTypeBitWidth();
    if (from != to)
      return emitOpError("storage differs: ") << from << " bits against " << to;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// kernel, parallel
//===----------------------------------------------------------------------===//

/// tile.kernel grid(%x, %y) threads[128] (%bx, %by) { ... }
ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> grid;
  SmallVector<OpAsmParser::Argument> args;
  SmallVector<int64_t> threads;
  Builder &b = parser.getBuilder();
  if (parser.parseKeyword("grid") ||
      parser.parseOperandList(grid, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("threads") ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&] { return parser.parseInteger(threads.emplace_back()); }) ||
      parser.parseArgumentList(args, OpAsmParser::Delimiter::Paren) ||
      parser.resolveOperands(grid, b.getI32Type(), result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  for (auto &arg : args)
    arg.type = b.getI32Type();
  result.addAttribute(getThreadsAttrName(result.name),
                      b.getDenseI64ArrayAttr(threads));
  mlir::Region *body = result.addRegion();
  if (parser.parseRegion(*body, args))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void KernelOp::print(OpAsmPrinter &p) {
  p << " grid(" << getGrid() << ") threads[";
  llvm::interleaveComma(getThreads(), p);
  p << "] (";
  llvm::interleaveComma(getBody().getArguments(), p,
                        [&](BlockArgument a) { p.printOperand(a); });
  p << ") ";
  SmallVector<StringRef> elided = {getThreadsAttrName()};
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs(), elided);
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                /*printBlockTerminators=*/false);
}

// The grid may have run-time extents, threads are constants.
LogicalResult KernelOp::verify() {
  if (getGrid().empty() || getGrid().size() > 3)
    return emitOpError("needs 1 to 3 grid dimensions, but has ")
           << getGrid().size();
  if (getBody().getNumArguments() != getGrid().size())
    return emitOpError("needs one region argument per grid dimension");
  if (getThreads().empty() || getThreads().size() > 3 ||
      llvm::any_of(getThreads(), [](int64_t t) { return t < 1; }))
    return emitOpError("needs 1 to 3 positive thread extents");
  // 1024 work items are the limit of a workgroup on gfx9: 16 wavefronts.
  if (getNumThreads() > 1024)
    return emitOpError("has ")
           << getNumThreads() << " threads; gfx942 allows 1024 in a workgroup";
  if (!isa<FuncOp>((*this)->getParentOp()))
    return emitOpError("must be directly inside a tile.func");
  return success();
}

void ParallelOp::build(OpBuilder &b, OperationState &state,
                       ArrayRef<int64_t> extents) {
  state.addAttribute(getExtentsAttrName(state.name),
                     b.getDenseI64ArrayAttr(extents));
  OpBuilder::InsertionGuard guard(b);
  mlir::Region *body = state.addRegion();
  Block *block = b.createBlock(body);
  for (size_t i = 0; i < extents.size(); ++i)
    block->addArgument(b.getI32Type(), state.location);
  ensureTerminator(*body, b, state.location);
}

/// tile.parallel (%i, %j) = [128, 64] { ... }
ParseResult ParallelOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> args;
  SmallVector<int64_t> extents;
  Builder &b = parser.getBuilder();
  if (parser.parseArgumentList(args, OpAsmParser::Delimiter::Paren) ||
      parser.parseEqual() ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&] { return parser.parseInteger(extents.emplace_back()); }) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  for (auto &arg : args)
    arg.type = b.getI32Type();
  result.addAttribute(getExtentsAttrName(result.name),
                      b.getDenseI64ArrayAttr(extents));
  mlir::Region *body = result.addRegion();
  if (parser.parseRegion(*body, args))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void ParallelOp::print(OpAsmPrinter &p) {
  p << " (";
  llvm::interleaveComma(getBody().getArguments(), p,
                        [&](BlockArgument a) { p.printOperand(a); });
  p << ") = [";
  llvm::interleaveComma(getExtents(), p);
  p << "] ";
  SmallVector<StringRef> elided = {getExtentsAttrName()};
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs(), elided);
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                /*printBlockTerminators=*/false);
}

/// Extents are compile-time constants, so that points can be spread over
/// threads.
LogicalResult ParallelOp::verify() {
  if (getExtents().empty() ||
      llvm::any_of(getExtents(), [](int64_t e) { return e < 1; }))
    return emitOpError("needs positive extents");
  if (getBody().getNumArguments() != getExtents().size())
    return emitOpError("needs one region argument per extent");
  // One level of points is spread over threads; a loop nest inside is scalar
  // code of one point.
  if ((*this)->getParentOfType<ParallelOp>())
    return emitOpError("cannot stand inside another tile.parallel");
  return verifyLayout(*this, getLayoutAttr(), getExtents(), "the loop");
}

//===----------------------------------------------------------------------===//
// Tile ops
//===----------------------------------------------------------------------===//

/// Extents other than 1, in order: what a copy compares, so that a row of a
/// matrix matches a vector.
static SmallVector<int64_t> squeezed(Value buffer) {
  SmallVector<int64_t> shape;
  for (int64_t extent : cast<MemRefType>(buffer.getType()).getShape())
    if (extent != 1)
      shape.push_back(extent);
  return shape;
}

static InFlightDiagnostic &printShape(InFlightDiagnostic &diag,
                                      ArrayRef<int64_t> shape) {
  diag << '[';
  llvm::interleave(shape, [&](int64_t e) { diag << e; }, [&] { diag << ", "; });
  // Lists stand in brackets, as in the source.
  diag << ']';
  return diag;
}

/// Extents of 1 are left out of the comparison: a row of a matrix may be copied
/// to a vector.
LogicalResult CopyOp::verify() {
  for (Value v : {getSrc(), getDst()})
    if (!cast<MemRefType>(v.getType()).hasStaticShape())
      return emitOpError("operands must have static shapes: view the tensor");
  SmallVector<int64_t> src = squeezed(getSrc()), dst = squeezed(getDst());
  // The types may differ: a copy converts element by element.
  if (src != dst) {
    InFlightDiagnostic diag = emitOpError("shapes do not match: ");
    printShape(diag, src) << " to ";
    return printShape(diag, dst);
  }
  if (Value through = getThrough();
      through && getSpace(through.getType()) != Space::Shared)
    return emitOpError("goes through a buffer that is not shared");
  return verifyLayout(*this, getLayoutAttr(), dst, "the copy");
}

LogicalResult FillOp::verify() {
  if (!cast<MemRefType>(getDst().getType()).hasStaticShape())
    return emitOpError("dst must have a static shape");
  if (cast<MemRefType>(getDst().getType()).getElementType() !=
      getValue().getType())
    return emitOpError("value type differs from dst's element type");
  return verifyLayout(*this, getLayoutAttr(), squeezed(getDst()), "the fill");
}

/// The last two extents; fails unless the leading ones are 1.
static LogicalResult matrixShape(Operation *op, Value buffer, StringRef what,
                                 bool transposed, int64_t &rows,
                                 int64_t &cols) {
  auto shape = cast<MemRefType>(buffer.getType()).getShape();
  if (shape.size() < 2)
    return op->emitOpError() << what << " must have at least two dimensions";
  for (int64_t extent : shape.drop_back(2))
    if (extent != 1)
      return op->emitOpError()
             << what << "'s leading dimensions must have extent 1";
  rows = shape[shape.size() - 2];
  cols = shape.back();
  if (transposed)
    std::swap(rows, cols);
  return success();
}

// C(M, N) += A(M, K) * B(K, N), each after its transposition.
LogicalResult GemmOp::verify() {
  int64_t m, k, k2, n, m2, n2;
  if (failed(matrixShape(*this, getA(), "A", getTransA(), m, k)) ||
      failed(matrixShape(*this, getB(), "B", getTransB(), k2, n)) ||
      failed(matrixShape(*this, getC(), "C", false, m2, n2)))
    return failure();
  if (k != k2)
    return emitOpError("A and B disagree on K: ") << k << " against " << k2;
  if (m != m2 || n != n2)
    return emitOpError("C is ")
           << m2 << " x " << n2 << ", A * B is " << m << " x " << n;
  if (getSpace(getC()) != Space::Fragment && getSpace(getC()) != Space::Shared)
    return emitOpError("C must be shared or fragment");
  for (Value v : {getA(), getB()})
    if (getSpace(v) != Space::Shared && getSpace(v) != Space::Fragment)
      return emitOpError("A and B must be shared or fragment");
  // Set by tile-infer-layouts; see GemmConfig for the numbers.
  if (auto mfma = getMfma()) {
    if (mfma->size() != 6 && mfma->size() != 8)
      return emitOpError("mfma must be [m, n, k, waves_m, waves_n, swapped], "
                         "and run_m, run_n where not 1");
    ArrayRef<int64_t> a = *mfma;
    if ((a[0] != 16 && a[0] != 32) || a[1] != a[0] || a[2] < 1 || a[3] < 1 ||
        a[4] < 1 || a[0] * a[2] % 64 || (a[5] != 0 && a[5] != 1))
      return emitOpError("mfma must have m = n = 16 or 32, k a multiple of 64 "
                         "/ m, wavefronts of 1 or more, swapped 0 or 1");
    if (a.size() > 6)
      for (auto [run, extent, waves] :
           {std::tuple(a[6], m, a[3]), std::tuple(a[7], n, a[4])})
        if (run < 1 || (run > 1 && extent % (run * a[0] * waves)))
          return emitOpError("runs of mfma must divide the repetitions of the "
                             "instruction");
  }
  return success();
}

// M, N and K of the product, transpositions taken into account; the shapes have
// been verified to have two dimensions at least.
int64_t GemmOp::getM() {
  auto shape = cast<MemRefType>(getC().getType()).getShape();
  return shape[shape.size() - 2];
}
int64_t GemmOp::getN() {
  return cast<MemRefType>(getC().getType()).getShape().back();
}
int64_t GemmOp::getK() {
  auto shape = cast<MemRefType>(getA().getType()).getShape();
  return getTransA() ? shape[shape.size() - 2] : shape.back();
}

/// The reduced dimension is dropped or kept with extent 1; a vector is reduced
/// to one element.
LogicalResult ReduceOp::verify() {
  auto src = cast<MemRefType>(getSrc().getType()).getShape();
  auto dst = cast<MemRefType>(getDst().getType()).getShape();
  int64_t dim = getDim();
  if (Value scratch = getScratch();
      scratch && getSpace(scratch.getType()) != Space::Shared)
    return emitOpError("scratch must be shared");
  if (dim >= int64_t(src.size()))
    return emitOpError("dim ")
           << dim << " is out of range for rank " << src.size();
  SmallVector<int64_t> dropped(src), kept(src);
  dropped.erase(dropped.begin() + dim);
  kept[dim] = 1;
  if (dst != ArrayRef<int64_t>(dropped) && dst != ArrayRef<int64_t>(kept) &&
      !(dropped.empty() && dst.size() == 1 && dst[0] == 1)) {
    InFlightDiagnostic diag = emitOpError("dst has shape ");
    printShape(diag, dst) << ", expected ";
    return printShape(diag, dropped);
  }
  return success();
}

/// Prefix sums and maxima keep the shape.
LogicalResult ScanOp::verify() {
  if (cast<MemRefType>(getSrc().getType()).getShape() !=
      cast<MemRefType>(getDst().getType()).getShape())
    return emitOpError("src and dst must have the same shape");
  if (cast<MemRefType>(getSrc().getType()).getElementType() !=
      cast<MemRefType>(getDst().getType()).getElementType())
    return emitOpError("src and dst must have the same element type");
  if (getKind() != ReduceKind::Sum && getKind() != ReduceKind::Max &&
      getKind() != ReduceKind::UMax)
    return emitOpError("only sum and max scans exist");
  if (getDim() >= uint64_t(cast<MemRefType>(getSrc().getType()).getRank()))
    return emitOpError("dim is out of range");
  return success();
}

/// Exchanges the last two dimensions; leading ones stay.
LogicalResult TransposeOp::verify() {
  SmallVector<int64_t> src(cast<MemRefType>(getSrc().getType()).getShape());
  if (src.size() < 2)
    return emitOpError("needs at least two dimensions");
  if (getSrc().getType().getElementType() !=
      getDst().getType().getElementType())
    return emitOpError("src and dst must have the same element type");
  std::swap(src[src.size() - 1], src[src.size() - 2]);
  if (ArrayRef<int64_t>(src) != cast<MemRefType>(getDst().getType()).getShape())
    return emitOpError("dst must have src's shape with the last two "
                       "dimensions exchanged");
  return success();
}

//===----------------------------------------------------------------------===//
// Scalar access
//===----------------------------------------------------------------------===//

/// One index for each dimension, and the element's own type: conversions are
/// ops of their own.
static LogicalResult verifyAccess(Operation *op, Value buffer, Type element,
                                  size_t indices) {
  auto type = cast<MemRefType>(buffer.getType());
  if (int64_t(indices) != type.getRank())
    return op->emitOpError("has ")
           << indices << " indices for rank " << type.getRank();
  if (element != type.getElementType())
    return op->emitOpError("value type ")
           << element << " differs from the element type "
           << type.getElementType();
  return success();
}
LogicalResult LoadOp::verify() {
  return verifyAccess(*this, getSource(), getType(), getIndices().size());
}
LogicalResult StoreOp::verify() {
  return verifyAccess(*this, getDest(), getValue().getType(),
                      getIndices().size());
}
LogicalResult AtomicOp::verify() {
  // Registers have no atomics.
  if (getSpace(getDest()) != Space::Global &&
      getSpace(getDest()) != Space::Shared)
    return emitOpError("needs a global or shared buffer");
  return verifyAccess(*this, getDest(), getValue().getType(),
                      getIndices().size());
}

#define GET_OP_CLASSES
#include "tlc/Dialect/Tile/IR/TileOps.cpp.inc"
