//===- TileOps.cpp - Copies, products and reductions of whole tiles -------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile op reads its operands' boxes into dense arrays, computes in f64, and
// writes the result back. In code written per thread, an op on buffers that
// each thread has for itself is done once for each.
//
// Bounds. A sum of K products in type T, in any order, is off by at most
// K·u(T)·(|C| + Σ|a||b|) beside what the operands' own errors give, which is
// Σ (|a|·eb + ea·|b| + ea·eb). The sums of magnitudes need few digits and are
// computed in f32, enlarged by their own rounding.
//
//===----------------------------------------------------------------------===//

#include "ErrorModel.h"

using namespace tlc;
using namespace tlc::reference;

namespace {

/// Runs `body(lane)` once, or for each active lane. Once means with the offsets
/// of the first active lane: they are the same for all.
template <class Body> void forLanes(Frame &f, const TileData &data, Body body) {
  if (!data.perLane) {
    int lane = f.firstActive();
    if (lane >= 0)
      body(unsigned(lane));
    return;
  }
  for (unsigned l = 0; l < f.n && !f.m.failed; ++l)
    if (f.active(l))
      body(l);
}

const TileData &dataOf(const Inst &inst) {
  return *static_cast<const TileData *>(inst.extra);
}

/// The extent of the last dimension, or of those before it.
int64_t lastExtent(const Box &box, unsigned fromEnd) {
  return box.shape[box.shape.size() - 1 - fromEnd];
}

/// Values or errors as a row-major matrix, transposed on the way if asked.
template <class To, class From>
std::vector<To> matrix(int64_t rows, int64_t columns, bool transposed,
                       From from) {
  std::vector<To> out(rows * columns);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      out[r * columns + c] =
          To(from(transposed ? c * rows + r : r * columns + c));
  return out;
}

} // namespace

/// Source and destination have as many elements in the same order, even where
/// their shapes differ by dimensions of extent 1.
void tlc::reference::execCopy(Frame &f, const Inst &inst) {
  const TileData &data = dataOf(inst);
  forLanes(f, data, [&](unsigned lane) {
    // Read whole before anything is written: source and destination may be one
    // buffer.
    Dense values;
    if (!gather(f, inst, data.a, lane, values))
      return;
    convert(f.m, data.a.buffer->type, data.b.buffer->type, values);
    scatter(f, inst, data.b, lane, values);
  });
}

/// Every element of the box gets one value, of the lane that runs it.
void tlc::reference::execFill(Frame &f, const Inst &inst) {
  const TileData &data = dataOf(inst);
  forLanes(f, data, [&](unsigned lane) {
    int64_t size = 1;
    for (int64_t extent : data.b.shape)
      size *= extent;
    Dense values;
    values.cells.assign(size, f.at(data.value)[lane]);
    if (double e = f.err(data.value)[lane])
      values.errors.assign(size, e);
    scatter(f, inst, data.b, lane, values);
  });
}

//===----------------------------------------------------------------------===//
// gemm
//===----------------------------------------------------------------------===//

namespace {
/// The product of two boxes, and its bound. Values as f64; magnitudes as f32,
/// since a bound needs few digits.
struct Gemm {
  int64_t m, n, k;
  bool transA, transB;
  Scalar accumulator;
  const Dense &a, &b;

  auto value(const Dense &d) const {
    return [&](int64_t i) { return d.cells[i].f; };
  }
  auto magnitude(const Dense &d, double scale, bool plusError) const {
    return [&d, scale, plusError](int64_t i) {
      double e = plusError && !d.errors.empty() ? d.errors[i] : 0;
      // What is not finite makes the result not finite, for which there is no
      // bound.
      double v = (std::fabs(d.cells[i].f) + e) * scale;
      return std::isfinite(v) ? v : 0;
    };
  }

  /// Σ a·b in f64: far more exact than any type that it stands for.
  std::vector<double> product() const {
    auto x = matrix<double>(m, k, transA, value(a));
    auto y = matrix<double>(k, n, transB, value(b));
    std::vector<double> z(m * n);
    gemmF64(x.data(), y.data(), z.data(), m, n, k);
    return z;
  }

  /// Σ ea|b| + u·K·Σ(|a| + ea)|b|, and Σ (|a| + ea)·eb where b has errors. As
  /// one product of matrices: with x = ea + u·K·(|a| + ea) and y = |b|; a
  /// second one only where b has errors.
  std::vector<float> bound(double rounding) const {
    auto hasErrors = [](const Dense &d) {
      return llvm::any_of(d.errors, [](double e) { return e != 0; });
    };
    bool errorsA = hasErrors(a), errorsB = hasErrors(b);
    auto fromA = [&](int64_t i) {
      double e = errorsA ? a.errors[i] : 0;
      double v = std::fabs(a.cells[i].f);
      return (std::isfinite(v) ? (v + e) * rounding : 0) + e;
    };
    std::vector<float> z(m * n);
    auto x = matrix<float>(m, k, transA, fromA);
    auto y = matrix<float>(k, n, transB, magnitude(b, 1, false));
    gemmF32(x.data(), y.data(), z.data(), m, n, k);
    if (errorsB) {
      x = matrix<float>(m, k, transA, magnitude(a, 1 + rounding, true));
      y = matrix<float>(k, n, transB, [&](int64_t i) { return b.errors[i]; });
      gemmF32(x.data(), y.data(), z.data(), m, n, k);
    }
    return z;
  }
};

/// Integer products wrap to the accumulator's width. Exact: operands' errors
/// are not followed.
void integerGemm(const Gemm &g, Dense &c) {
  auto value = [](const Dense &d) {
    return [&d](int64_t i) { return d.cells[i].i; };
  };
  auto x = matrix<int64_t>(g.m, g.k, g.transA, value(g.a));
  auto y = matrix<int64_t>(g.k, g.n, g.transB, value(g.b));
  for (int64_t i = 0; i < g.m; ++i)
    for (int64_t j = 0; j < g.n; ++j) {
      uint64_t sum = uint64_t(c.cells[i * g.n + j].i);
      for (int64_t k = 0; k < g.k; ++k)
        sum += uint64_t(x[i * g.k + k]) * uint64_t(y[k * g.n + j]);
      c.cells[i * g.n + j] = decodeCell(g.accumulator, sum);
    }
}
} // namespace

/// C += A·B on boxes. Extents come from C and from A's other dimension; leading
/// dimensions of extent 1 are passed over.
void tlc::reference::execGemm(Frame &f, const Inst &inst) {
  const TileData &data = dataOf(inst);
  int64_t m = lastExtent(data.c, 1), n = lastExtent(data.c, 0);
  int64_t k = lastExtent(data.a, data.transA ? 1 : 0);
  forLanes(f, data, [&](unsigned lane) {
    Dense a, b, c;
    if (!gather(f, inst, data.a, lane, a) ||
        !gather(f, inst, data.b, lane, b) || !gather(f, inst, data.c, lane, c))
      return;
    f.m.stats.multiplyAdds += uint64_t(m * n * k);
    Scalar type = data.c.buffer->type;
    Gemm g{m, n, k, data.transA, data.transB, type, a, b};
    if (!type.isFloat()) {
      integerGemm(g, c);
    } else {
      // Accumulators narrower than f32 are f32 inside the instruction.
      const FloatFormat &inner =
          type.format->bits < 32 ? f32Format : *type.format;
      double rounding = double(k) * inner.unit;
      std::vector<double> z = g.product();
      std::vector<float> bounds;
      if (f.m.bounds)
        bounds = g.bound(rounding);
      // What the f32 sums themselves may have rounded away.
      double enlarge = 1 + double(k + 2) * 0x1p-23;
      for (int64_t i = 0; i < m * n; ++i) {
        double old = c.cells[i].f, r = old + z[i];
        double e = 0;
        if (f.m.bounds) {
          e = c.errors[i] + double(bounds[i]) * enlarge + tinyOf(inner);
          if (std::isfinite(old))
            e += rounding * std::fabs(old);
          if (!std::isfinite(r))
            e = nonFiniteError(e);
          c.errors[i] = e;
        }
        // Kept in a narrow type: rounded once more when it is stored.
        if (!f.m.exact && type.format->bits < 32) {
          r = narrow(*type.format, r, e);
          if (f.m.bounds)
            c.errors[i] = e;
        } else if (!f.m.exact && !f.m.bounds) {
          r = type.format->round(r);
        }
        c.cells[i].f = r;
      }
    }
    scatter(f, inst, data.c, lane, c);
  });
}

//===----------------------------------------------------------------------===//
// Reductions and scans
//===----------------------------------------------------------------------===//

namespace {

/// A running reduction in f64 with what its bound needs.
struct Accumulator {
  tile::ReduceKind kind;
  bool keepNan;
  double value = 0, error = 0, magnitude = 0, low = 0, high = 0;
  int64_t count = 0;

  bool isSum() const {
    return kind == tile::ReduceKind::Sum || kind == tile::ReduceKind::AbsSum;
  }
  /// One more element. Of an extreme, the ends that it may take are kept: the
  /// extreme of the lower ends and that of the upper ends.
  void add(double x, double e) {
    using K = tile::ReduceKind;
    if (kind == K::AbsMax || kind == K::AbsSum)
      x = std::fabs(x);
    if (isSum()) {
      value += x;
      magnitude += std::fabs(x);
      error += e;
      ++count;
      return;
    }
    error = std::max(error, e);
    bool larger = kind != K::Min;
    if (count++ == 0) {
      value = x, low = x - e, high = x + e;
      return;
    }
    // maxnum and minnum ignore a NaN as long as there is a number.
    if (std::isnan(x) || std::isnan(value)) {
      if (keepNan || (std::isnan(x) && std::isnan(value)))
        value = NAN;
      else if (std::isnan(value))
        value = x, low = x - e, high = x + e;
      return;
    }
    value = larger ? std::max(value, x) : std::min(value, x);
    low = larger ? std::max(low, x - e) : std::min(low, x - e);
    high = larger ? std::max(high, x + e) : std::min(high, x + e);
  }
  /// n - 1 additions, each of a partial sum below the sum of magnitudes.
  double bound(const FloatFormat &format) const {
    // Nothing but NaN: the device may have begun with the identity.
    if (std::isnan(value) && !isSum() && !keepNan)
      return HUGE_VAL;
    if (!std::isfinite(value))
      return nonFiniteError(error);
    if (isSum())
      return atLeastZero(error) +
             double(std::max<int64_t>(count - 1, 0)) * format.unit * magnitude;
    return atLeastZero(std::max(value - low, high - value));
  }
};

/// One step of a reduction on integers of a type; sums wrap.
int64_t combineIntegers(tile::ReduceKind kind, Scalar type, int64_t a,
                        int64_t b) {
  using K = tile::ReduceKind;
  uint64_t ua = encodeCell(type, {.i = a}), ub = encodeCell(type, {.i = b});
  switch (kind) {
  case K::Sum:
  case K::AbsSum:
    return decodeCell(type, uint64_t(a) + uint64_t(b)).i;
  case K::Max:
  case K::AbsMax:
    return std::max(a, b);
  case K::Min:
    return std::min(a, b);
  case K::UMax:
    return ua > ub ? a : b;
  case K::UMin:
    return ua < ub ? a : b;
  case K::And:
    return a & b;
  case K::Or:
    return a | b;
  case K::Xor:
    return a ^ b;
  }
  return 0;
}
int64_t prepareInteger(tile::ReduceKind kind, int64_t x) {
  bool absolute =
      kind == tile::ReduceKind::AbsMax || kind == tile::ReduceKind::AbsSum;
  return absolute && x < 0 ? -x : x;
}

/// A box seen as [outer, extent, inner] around one dimension.
///   shape [4, 8, 16], dim 1   ->   outer 4, extent 8, inner 16
struct Lines {
  int64_t outer = 1, extent, inner = 1;
  Lines(llvm::ArrayRef<int64_t> shape, unsigned dim) : extent(shape[dim]) {
    for (unsigned d = 0; d < dim; ++d)
      outer *= shape[d];
    for (size_t d = dim + 1; d < shape.size(); ++d)
      inner *= shape[d];
  }
  /// The place of element e of a line in the dense box.
  int64_t at(int64_t o, int64_t e, int64_t i) const {
    return (o * extent + e) * inner + i;
  }
};

double errorAt(const Dense &d, int64_t i) {
  return d.errors.empty() ? 0 : d.errors[i];
}
/// Rounds a result to its type. Narrow results were f32 before.
void setResult(Machine &m, Scalar type, Dense &out, int64_t i, double v,
               double e) {
  if (!m.exact) {
    if (type.format->bits < 32) {
      e += std::isfinite(v) ? f32Format.unit * std::fabs(v) : 0;
      v = narrow(*type.format, v, e);
    } else if (e == 0) {
      v = type.format->round(v);
    }
  }
  out.cells[i].f = v;
  if (!out.errors.empty())
    out.errors[i] = e;
}

} // namespace

/// Along dimension `dim`, for all other indices; with `accumulate` the
/// destination's old value takes part once.
void tlc::reference::execReduce(Frame &f, const Inst &inst) {
  const TileData &data = dataOf(inst);
  Lines lines(data.a.shape, data.dim);
  Scalar from = data.a.buffer->type, to = data.b.buffer->type;
  forLanes(f, data, [&](unsigned lane) {
    Dense src, dst;
    if (!gather(f, inst, data.a, lane, src) ||
        !gather(f, inst, data.b, lane, dst))
      return;
    // To the result's type first, as the device does: a sum of float16 into
    // float32 is one in float32.
    convert(f.m, from, to, src);
    for (int64_t o = 0; o < lines.outer; ++o)
      for (int64_t i = 0; i < lines.inner; ++i) {
        int64_t at = o * lines.inner + i;
        if (!to.isFloat()) {
          std::optional<int64_t> r;
          double e = 0;
          if (data.accumulate)
            r = dst.cells[at].i, e = errorAt(dst, at);
          for (int64_t k = 0; k < lines.extent; ++k) {
            int64_t x =
                prepareInteger(data.kind, src.cells[lines.at(o, k, i)].i);
            r = r ? combineIntegers(data.kind, to, *r, x) : x;
            e += errorAt(src, lines.at(o, k, i));
          }
          dst.cells[at].i = r.value_or(0);
          if (!dst.errors.empty())
            dst.errors[at] = e;
          continue;
        }
        Accumulator acc{data.kind, data.nan};
        if (data.accumulate)
          acc.add(dst.cells[at].f, errorAt(dst, at));
        for (int64_t k = 0; k < lines.extent; ++k) {
          int64_t s = lines.at(o, k, i);
          acc.add(src.cells[s].f, errorAt(src, s));
        }
        const FloatFormat &inner = to.bits < 32 ? f32Format : *to.format;
        setResult(f.m, to, dst, at, acc.value,
                  f.m.bounds ? acc.bound(inner) : 0);
      }
    scatter(f, inst, data.b, lane, dst);
  });
}

/// A running reduction along one dimension, from the end if reversed.
void tlc::reference::execScan(Frame &f, const Inst &inst) {
  const TileData &data = dataOf(inst);
  Lines lines(data.a.shape, data.dim);
  Scalar type = data.b.buffer->type;
  forLanes(f, data, [&](unsigned lane) {
    Dense src;
    if (!gather(f, inst, data.a, lane, src))
      return;
    convert(f.m, data.a.buffer->type, type, src);
    Dense dst = src;
    for (int64_t o = 0; o < lines.outer; ++o)
      for (int64_t i = 0; i < lines.inner; ++i) {
        Accumulator acc{data.kind, data.nan};
        int64_t sum = 0;
        double error = 0;
        for (int64_t k = 0; k < lines.extent; ++k) {
          int64_t at = lines.at(o, data.reverse ? lines.extent - 1 - k : k, i);
          if (type.isFloat()) {
            acc.add(src.cells[at].f, errorAt(src, at));
            setResult(f.m, type, dst, at, acc.value,
                      f.m.bounds ? acc.bound(*type.format) : 0);
          } else {
            int64_t x = src.cells[at].i;
            sum = k ? combineIntegers(data.kind, type, sum, x) : x;
            error += errorAt(src, at);
            dst.cells[at].i = sum;
            if (!dst.errors.empty())
              dst.errors[at] = error;
          }
        }
      }
    scatter(f, inst, data.b, lane, dst);
  });
}

/// The last two dimensions of each matrix.
void tlc::reference::execTranspose(Frame &f, const Inst &inst) {
  const TileData &data = dataOf(inst);
  int64_t rows = lastExtent(data.a, 1), columns = lastExtent(data.a, 0);
  forLanes(f, data, [&](unsigned lane) {
    Dense src;
    if (!gather(f, inst, data.a, lane, src))
      return;
    convert(f.m, data.a.buffer->type, data.b.buffer->type, src);
    Dense dst = src;
    int64_t size = rows * columns;
    for (int64_t first = 0; first < int64_t(src.cells.size()); first += size)
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < columns; ++c) {
          dst.cells[first + c * rows + r] = src.cells[first + r * columns + c];
          if (!src.errors.empty())
            dst.errors[first + c * rows + r] =
                src.errors[first + r * columns + c];
        }
    scatter(f, inst, data.b, lane, dst);
  });
}
