//===- TileDialect.cpp - The tile dialect: types, attributes, helpers -----===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the dialect adds to MLIR by hand: the text of `#tile.layout`, and the
// questions that all passes ask about buffers (space, base, region, name). A
// layout is printed as the library prints it, one list of digits a dimension,
// innermost digit first, then the XOR terms:
//
//   #tile.layout<[32:t1, 2:t64], [4:r1, 2:t32], xor(6, 3, 3)>
//
// `32:t1` is 32 positions in consecutive threads, `r` counts registers of a
// thread, `m` elements in LDS, `64:-m1` counts down; `xor(r, m, l)` is address
// ^= ((address >> r) & m) << l, `thread_xor(r, m, l)` the same for the thread.
//
//===----------------------------------------------------------------------===//

#include "tlc/Dialect/Tile/IR/TileDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

#include "tlc/Dialect/Tile/IR/TileDialect.cpp.inc"
#include "tlc/Dialect/Tile/IR/TileEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "tlc/Dialect/Tile/IR/TileAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "tlc/Dialect/Tile/IR/TileTypes.cpp.inc"

void TileDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "tlc/Dialect/Tile/IR/TileOps.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "tlc/Dialect/Tile/IR/TileTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tlc/Dialect/Tile/IR/TileAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// #tile.layout
//===----------------------------------------------------------------------===//

/// digit ::= integer `:` `-`? (`r` | `t` | `m`) integer, lexed as `32 : t1`.
static ParseResult parseDigit(AsmParser &parser, Digit &digit) {
  StringRef place;
  SMLoc loc;
  if (parser.parseInteger(digit.extent) || parser.parseColon())
    return failure();
  digit.flipped = succeeded(parser.parseOptionalMinus());
  if ((loc = parser.getCurrentLocation(), false) || parser.parseKeyword(&place))
    return failure();
  if (place.size() < 2 || place.drop_front().getAsInteger(10, digit.stride))
    return parser.emitError(loc,
                            "expected a place and a stride, such as 't32'");
  switch (place.front()) {
  case 'r':
    digit.place = Place::Register;
    break;
  case 't':
    digit.place = Place::Thread;
    break;
  case 'm':
    digit.place = Place::Memory;
    break;
  default:
    return parser.emitError(loc, "unknown place '")
           << place.front() << "', expected r, t or m";
  }
  if (digit.extent < 1 || digit.extent > INT32_MAX || digit.stride < 1 ||
      digit.stride > INT32_MAX)
    return parser.emitError(loc, "extent and stride must be 1 to 2^31 - 1");
  return success();
}

/// Indices that the digits can tell apart, all together; more would not fit any
/// buffer, and not the arithmetic on layouts.
static bool isTooLarge(ArrayRef<Layout::Digits> dims) {
  int64_t product = 1;
  for (const Layout::Digits &digits : dims)
    for (const Digit &digit : digits)
      if ((product *= digit.extent) > INT32_MAX)
        return true;
  return false;
}

/// Takes dimensions and XOR terms in any order, as printed: dimensions first.
/// Whether the layout fits a buffer is a question of the op that carries it.
Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SmallVector<Layout::Digits> dims;
  SmallVector<XorTerm> xors, threadXors;
  SMLoc start = parser.getCurrentLocation();
  if (parser.parseLess())
    return {};
  while (failed(parser.parseOptionalGreater())) {
    if (!dims.empty() || !xors.empty() || !threadXors.empty())
      if (parser.parseComma())
        return {};
    SMLoc loc = parser.getCurrentLocation();
    bool ofThread = succeeded(parser.parseOptionalKeyword("thread_xor"));
    if (ofThread || succeeded(parser.parseOptionalKeyword("xor"))) {
      XorTerm x;
      if (parser.parseLParen() || parser.parseInteger(x.shiftRight) ||
          parser.parseComma() || parser.parseInteger(x.mask) ||
          parser.parseComma() || parser.parseInteger(x.shiftLeft) ||
          parser.parseRParen())
        return {};
      if (x.shiftLeft < 0 || x.shiftRight <= x.shiftLeft || x.shiftRight > 31 ||
          x.mask < 1 || x.mask > UINT32_MAX ||
          (x.mask << x.shiftRight & x.mask << x.shiftLeft)) {
        parser.emitError(loc, "an XOR changes bits below those that it reads, "
                              "and none of these");
        return {};
      }
      (ofThread ? threadXors : xors).push_back(x);
      continue;
    }
    Layout::Digits &digits = dims.emplace_back();
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
          return parseDigit(parser, digits.emplace_back());
        }))
      return {};
  }
  if (isTooLarge(dims)) {
    parser.emitError(start, "a layout of more than 2^31 - 1 elements");
    return {};
  }
  return LayoutAttr::get(parser.getContext(), Layout(dims, xors, threadXors));
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << '<' << getLayout().str() << '>';
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// A memref without a space, or with one of another dialect, is global.
Space tile::getSpace(Type memref) {
  auto space =
      dyn_cast_or_null<SpaceAttr>(cast<MemRefType>(memref).getMemorySpace());
  return space ? space.getValue() : Space::Global;
}

/// Tile buffers always have the identity layout: where elements lie is said by
/// the `layout` attribute of the alloc, which passes may still change.
MemRefType tile::getBufferType(ArrayRef<int64_t> shape, Type element,
                               Space space) {
  return MemRefType::get(shape, element, MemRefLayoutAttrInterface(),
                         SpaceAttr::get(element.getContext(), space));
}

/// Ends at an alloc, a tensor or a block argument, whatever the chain of views
/// and aliases is.
Value tile::getBase(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (auto view = dyn_cast<ViewOp>(op))
      buffer = view.getSource();
    else if (auto alias = dyn_cast<AliasOp>(op))
      buffer = alias.getSource();
    else
      break;
  }
  return buffer;
}

/// Of a chain of views only the last is looked through: tile-legalize folds
/// them into one.
tile::Region tile::getRegion(Value buffer) {
  Region region;
  auto shape = cast<MemRefType>(buffer.getType()).getShape();
  region.shape.assign(shape.begin(), shape.end());
  region.base = buffer;
  if (auto view = buffer.getDefiningOp<ViewOp>()) {
    region.base = view.getSource();
    region.offsets.assign(view.getOffsets().begin(), view.getOffsets().end());
  }
  return region;
}

SmallVector<unsigned> tile::nonUnitDims(ArrayRef<int64_t> shape) {
  SmallVector<unsigned> dims;
  for (auto [d, extent] : llvm::enumerate(shape))
    if (extent != 1)
      dims.push_back(d);
  return dims;
}

StringRef tile::getBufferName(Value buffer) {
  Value base = getBase(buffer);
  if (auto alloc = base.getDefiningOp<AllocOp>())
    return alloc.getName().value_or("");
  if (auto tensor = base.getDefiningOp<TensorOp>())
    return tensor.getName().value_or("");
  return "";
}

/// Kernels of a func are numbered in the order of their launch; the number is
/// part of the symbol only where there are several.
std::string tile::getKernelSymbol(KernelOp kernel) {
  if (auto name = kernel.getName())
    return name->str();
  auto func = kernel->getParentOfType<FuncOp>();
  auto kernels = func.getBody().getOps<KernelOp>();
  std::string symbol = func.getSymName().str();
  if (llvm::hasSingleElement(kernels))
    return symbol;
  int64_t index = 0;
  for (KernelOp other : kernels) {
    if (other == kernel)
      break;
    ++index;
  }
  return symbol + "_" + std::to_string(index);
}
