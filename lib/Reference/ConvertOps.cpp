//===- ConvertOps.cpp - Casts, selections and constants on lanes ----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cast is where declared rounding happens. A float that becomes an integer
// keeps its error as a distance in integers; a bit cast carries it over through
// the bits at both ends of the interval.
//
//   f32 -> f16      2049.3 +- 0.1 -> 2050 +- 0       rounded at both ends
//   f32 -> i32      2.9 +- 0.2    -> 2 +- 1          3.1 truncates to 3
//   bitcast f32 -> i32            distance of the ends as integers
//
//===----------------------------------------------------------------------===//

#include "ConvertOps.h"
#include "ErrorModel.h"

using namespace tlc;
using namespace tlc::reference;

std::optional<Scalar> tlc::reference::scalarOf(mlir::Type type) {
  if (type.isIndex())
    return Scalar{nullptr, 64};
  if (auto integer = dyn_cast<mlir::IntegerType>(type)) {
    if (integer.getWidth() < 1 || integer.getWidth() > 64)
      return std::nullopt;
    return Scalar{nullptr, uint8_t(integer.getWidth())};
  }
  const FloatFormat *format = nullptr;
  if (type.isF16())
    format = &f16Format;
  else if (type.isBF16())
    format = &bf16Format;
  else if (type.isF32() || isa<mlir::FloatTF32Type>(type))
    format = &f32Format;
  else if (type.isF64())
    format = &f64Format;
  else if (isa<mlir::Float8E4M3FNType>(type))
    format = &e4m3fnFormat;
  else if (isa<mlir::Float8E4M3FNUZType>(type))
    format = &e4m3fnuzFormat;
  else if (isa<mlir::Float8E5M2Type>(type))
    format = &e5m2Format;
  else if (isa<mlir::Float8E5M2FNUZType>(type))
    format = &e5m2fnuzFormat;
  if (!format)
    return std::nullopt;
  return Scalar{format, format->bits};
}

uint64_t tlc::reference::encodeCell(Scalar type, Cell cell) {
  if (type.isFloat())
    return type.format->encode(cell.f);
  return type.bits == 64 ? uint64_t(cell.i)
                         : uint64_t(cell.i) & ((uint64_t(1) << type.bits) - 1);
}

Cell tlc::reference::decodeCell(Scalar type, uint64_t bits) {
  Cell cell;
  if (type.isFloat()) {
    cell.f = type.format->decode(bits);
  } else if (type.bits == 1) {
    cell.i = bits & 1;
  } else {
    unsigned shift = 64 - type.bits;
    cell.i = int64_t(bits << shift) >> shift;
  }
  return cell;
}

//===----------------------------------------------------------------------===//
// One element
//===----------------------------------------------------------------------===//

namespace {

/// Towards zero, into the range of the type (NaN gives 0).
int64_t toInteger(double x, unsigned bits, bool isUnsigned) {
  if (std::isnan(x))
    return 0;
  x = std::trunc(x);
  double top = std::ldexp(1.0, isUnsigned ? bits : bits - 1);
  double low = isUnsigned ? 0 : -top;
  if (x < low)
    x = low;
  if (x >= top) {
    if (isUnsigned)
      return bits == 64 ? -1 : int64_t((uint64_t(1) << bits) - 1);
    return int64_t((uint64_t(1) << (bits - 1)) - 1);
  }
  return isUnsigned ? int64_t(uint64_t(x)) : int64_t(x);
}

/// Of i1, a set bit is 1 unsigned and -1 signed, as MLIR defines it.
double toReal(int64_t i, Scalar from, bool isUnsigned) {
  if (isUnsigned)
    return double(encodeCell(from, Cell{.i = i}));
  return double(from.bits == 1 ? -i : i);
}

/// Bits of a float as a number that grows with it, for distances.
double ordinal(const FloatFormat &format, double x) {
  uint64_t bits = format.encode(x), sign = uint64_t(1) << (format.bits - 1);
  return bits & sign ? -double(bits & (sign - 1)) : double(bits);
}

struct Value {
  Cell cell;
  double e;
};

/// One element from one type to another; `isUnsigned` is about the integer
/// side. Without rounding (exact) floats pass unchanged.
Value castValue(Scalar from, Scalar to, Value v, const Machine &m,
                bool isUnsigned,
                CastRounding rounding = CastRounding::NearestEven) {
  Value r{{}, 0};
  if (from.isFloat() && to.isFloat()) {
    if (m.exact)
      return v;
    // Every number of the narrower format is one of the wider: nothing to
    // round.
    bool wider = to.bits > from.bits &&
                 to.format->mantissaBits >= from.format->mantissaBits &&
                 to.format->maxFinite >= from.format->maxFinite;
    if (to == from || wider)
      return v;
    r.e = v.e;
    r.cell.f = narrow(*to.format, v.cell.f, r.e, rounding);
    if (m.lazyMaximum) {
      // What the device rounds is larger by some factor, and so is what it is
      // divided by in the end: two roundings that have nothing in common.
      double units = rounding == CastRounding::TowardZero ? 4 : 2;
      double e = v.e + units * to.format->unit * (std::fabs(v.cell.f) + v.e) +
                 2 * tinyOf(*to.format);
      r.e = std::max(r.e, atLeastZero(e));
    }
  } else if (from.isFloat()) {
    int64_t i = toInteger(v.cell.f, to.bits, isUnsigned);
    if (v.e > 0) {
      double above =
          double(toInteger(v.cell.f + v.e, to.bits, isUnsigned)) - double(i);
      double below =
          double(i) - double(toInteger(v.cell.f - v.e, to.bits, isUnsigned));
      r.e = std::max(above, below);
    }
    r.cell = decodeCell(to, uint64_t(i));
  } else if (to.isFloat()) {
    r.cell.f = toReal(v.cell.i, from, isUnsigned);
    r.e = v.e;
    if (!m.exact)
      r.cell.f = narrow(*to.format, r.cell.f, r.e);
  } else {
    r.cell = decodeCell(
        to, uint64_t(from.bits == 1 && !isUnsigned ? -v.cell.i : v.cell.i));
    r.e = v.e;
  }
  return r;
}

Value bitcastValue(Scalar from, Scalar to, Value v) {
  Value r{decodeCell(to, encodeCell(from, v.cell)), 0};
  if (v.e == 0)
    return r;
  // Between two floats, or where the error is not finite, nothing is known.
  r.e = INFINITY;
  if (from.isFloat() && !to.isFloat() && std::isfinite(v.e)) {
    double here = ordinal(*from.format, v.cell.f);
    r.e = std::max(ordinal(*from.format, v.cell.f + v.e) - here,
                   here - ordinal(*from.format, v.cell.f - v.e));
  } else if (!from.isFloat() && to.isFloat() && v.e < 0x1p62) {
    int64_t d = int64_t(std::ceil(v.e));
    double up = decodeCell(to, encodeCell(from, {.i = v.cell.i + d})).f;
    double down = decodeCell(to, encodeCell(from, {.i = v.cell.i - d})).f;
    r.e = atLeastZero(
        std::max(std::fabs(up - r.cell.f), std::fabs(r.cell.f - down)));
  }
  return r;
}

template <bool isUnsigned> void castLanes(Frame &f, const Inst &inst) {
  const Cell *x = f.at(inst.a);
  const double *ex = f.err(inst.a);
  Cell *d = f.at(inst.dst);
  double *ed = f.err(inst.dst);
  for (unsigned l = 0; l < f.n; ++l) {
    Value r = castValue(inst.from, inst.type,
                        {x[l], f.m.bounds && inst.tracked ? ex[l] : 0}, f.m,
                        isUnsigned, CastRounding(inst.imm));
    d[l] = r.cell;
    ed[l] = r.e;
  }
}

void bitcastLanes(Frame &f, const Inst &inst) {
  for (unsigned l = 0; l < f.n; ++l) {
    Value r = bitcastValue(
        inst.from, inst.type,
        {f.at(inst.a)[l], f.m.bounds && inst.tracked ? f.err(inst.a)[l] : 0});
    f.at(inst.dst)[l] = r.cell;
    f.err(inst.dst)[l] = r.e;
  }
}

/// arith.select, on lanes. Both operands are computed; the error is the chosen
/// one's, or covers both if the condition itself is uncertain.
void selectLanes(Frame &f, const Inst &inst) {
  const Cell *c = f.at(inst.a), *x = f.at(inst.b), *y = f.at(inst.c);
  Cell *d = f.at(inst.dst);
  if (f.m.bounds && inst.tracked) {
    const double *ec = f.err(inst.a), *ex = f.err(inst.b), *ey = f.err(inst.c);
    double *ed = f.err(inst.dst);
    for (unsigned l = 0; l < f.n; ++l) {
      double e = c[l].i ? ex[l] : ey[l];
      if (ec[l] != 0) {
        // The device may take the other one.
        double gap = inst.type.isFloat()
                         ? std::fabs(x[l].f - y[l].f)
                         : std::fabs(double(x[l].i) - double(y[l].i));
        e = atLeastZero(std::max(ex[l], ey[l]) + gap);
      }
      ed[l] = e;
    }
  }
  for (unsigned l = 0; l < f.n; ++l)
    d[l] = c[l].i ? x[l] : y[l];
}

} // namespace

int64_t tlc::reference::roundingOf(mlir::Operation *op) {
  auto trunc = llvm::dyn_cast<mlir::arith::TruncFOp>(op);
  CastRounding rounding = CastRounding::NearestEven;
  if (trunc && trunc.getRoundingmode()) {
    rounding =
        *trunc.getRoundingmode() == mlir::arith::RoundingMode::toward_zero
            ? CastRounding::TowardZero
            : CastRounding::NearestAway;
  }
  return int64_t(rounding);
}

LaneFn tlc::reference::findConversion(llvm::StringRef name) {
  if (name == "arith.truncf" || name == "arith.extf" ||
      name == "arith.sitofp" || name == "arith.fptosi")
    return castLanes<false>;
  if (name == "arith.uitofp" || name == "arith.fptoui")
    return castLanes<true>;
  if (name == "arith.bitcast")
    return bitcastLanes;
  if (name == "arith.select")
    return selectLanes;
  return nullptr;
}

/// Whole boxes at a copy. A box of bools is unsigned: 0 or 1.
void tlc::reference::convert(Machine &m, Scalar from, Scalar to,
                             Dense &values) {
  if (from == to)
    return;
  bool errors = !values.errors.empty();
  if (!errors && m.bounds)
    values.errors.assign(values.cells.size(), 0), errors = true;
  for (size_t i = 0; i < values.cells.size(); ++i) {
    Value r =
        castValue(from, to, {values.cells[i], errors ? values.errors[i] : 0}, m,
                  from.bits == 1);
    values.cells[i] = r.cell;
    if (errors)
      values.errors[i] = r.e;
  }
}
