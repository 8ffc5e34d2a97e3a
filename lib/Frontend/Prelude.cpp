//===- Prelude.cpp - What the language defines in itself ------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some names are best said in the kernel language. Their text is parsed when
// the first of them is named. A failed assertion in it is reported at the call.
//
// Tile schedulers. The order of tiles: a worker takes every num_workers-th of a
// linear order. In that order the fast dimension (M where column_major) runs
// through a panel of swizzle_size tiles of the slow one before the next panel
// begins; the last panel may be narrower.
//
// gemm_sp: C += A B, where two of four neighbours of A (one of two, for 32
// bits) are kept, in order of their place. E has four bits for each group: the
// places of the two kept, lower one first; 0b0100 and 0b1110 for the first and
// the second of two. The kept elements are put back in their places in LDS, for
// a dense product.
//
//   5 x 3 tiles, column_major, swizzle_size 2: the numbers of the order
//       n:   0   1   2
//   m: 0     0   1  10        panel of n = 0, 1: both n for each m;
//      1     2   3  11        then the panel of n = 2 alone
//      2     4   5  12
//      3     6   7  13
//      4     8   9  14
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

using namespace tlc;
using namespace tlc::frontend;

static constexpr llvm::StringLiteral kPrelude = R"py(
import itertools
import math
import tilelang
import tilelang.language as T

@T.meta_class
class BaseTileScheduler:
    def __init__(self, stateful=True, name=None):
        self._stateful = stateful
        self._total_tiles = 0
        if stateful:
            self._m_idx = T.alloc_var("int32")
            self._n_idx = T.alloc_var("int32")
            self._linear_idx = T.alloc_var("int32")
            self._current_iter = T.alloc_var("int32")

    @property
    def m_idx(self):
        return self._m_idx[0]

    @property
    def n_idx(self):
        return self._n_idx[0]

    @property
    def linear_idx(self):
        return self._linear_idx[0]

    @property
    def current_iter(self):
        return self._current_iter[0]

    def update_current_idx(self, linear_idx):
        raise NotImplementedError("a tile scheduler defines update_current_idx")

    def init(self, linear_init):
        self._current_iter[0] = 0
        self._linear_idx[0] = linear_init
        self.update_current_idx(self._linear_idx[0])

    def next_tile(self, step):
        self._current_iter[0] += 1
        self._linear_idx[0] += step
        self.update_current_idx(self._linear_idx[0])

    def valid(self):
        return self._linear_idx[0] < self._total_tiles

@T.meta_class
class PersistentTileScheduler(BaseTileScheduler):
    def __init__(self, num_m_tiles, num_n_tiles, num_workers=None, swizzle_size=1,
                 column_major=True, cluster_size=1, stateful=True, name=None):
        super().__init__(stateful=stateful, name=name)
        self.cluster_size = cluster_size
        self.num_workers = tilelang.get_num_sms() // cluster_size if num_workers is None else num_workers
        self.swizzle_size = swizzle_size
        self._column_major = column_major
        rows = T.ceildiv(num_m_tiles, cluster_size)
        self._total_tiles = rows * num_n_tiles
        self._fast, self._slow = (rows, num_n_tiles) if column_major else (num_n_tiles, rows)

    def coord(self, tile_id):
        panel = self._fast * self.swizzle_size
        first = tile_id // panel * self.swizzle_size
        # At least 1, so that tiles past the last divide by something.
        width = T.max(1, T.min(self.swizzle_size, self._slow - first))
        rest = tile_id % panel
        fast, slow = rest // width, first + rest % width
        return (fast, slow) if self._column_major else (slow, fast)

    def update_current_idx(self, linear_idx):
        m, n = self.coord(linear_idx)
        self._m_idx[0] = m
        self._n_idx[0] = n

    def next_tile(self):
        self._current_iter[0] += 1
        self._linear_idx[0] += self.num_workers
        self.update_current_idx(self._linear_idx[0])

def get_e_factor(a_dtype, meta_dtype):
    return T.dtype(meta_dtype).bits // 4 * (2 if T.dtype(a_dtype).bits == 32 else 4)

def get_e_replicate_factor(a_dtype):
    return 1 if T.dtype(a_dtype).bits <= 8 else 2

@T.macro
def gemm_sp(A_sparse, E, B, C, transpose_A=False, transpose_E=False, transpose_B=False,
            policy=T.GemmWarpPolicy.Square, clear_accum=False, k_pack=1, wg_wait=0, annotations=None):
    bits = T.dtype(A_sparse.dtype).bits
    assert bits in (8, 16, 32), "T.gemm_sp: elements of 8, 16 or 32 bits"
    kept, group = (1, 2) if bits == 32 else (2, 4)
    per_code = get_e_factor(A_sparse.dtype, E.dtype)
    rows, half = A_sparse.shape[::-1] if transpose_A else A_sparse.shape
    codes_rows, codes = E.shape[::-1] if transpose_E else E.shape
    depth = B.shape[1 if transpose_B else 0]
    assert half * group == depth * kept, f"T.gemm_sp: {half} kept elements a row for a product over {depth}"
    assert codes_rows == rows and codes * per_code == depth, f"T.gemm_sp: metadata of shape {E.shape} for {rows} rows of {depth} elements"
    dense = T.alloc_shared((rows, depth), A_sparse.dtype)
    for i, k in T.Parallel(rows, depth):
        g = k // group
        word = T.cast(E[k // per_code, i] if transpose_E else E[i, k // per_code], "int32")
        code = (word >> (4 * (g % (per_code // group)))) & 15
        first = A_sparse[g * kept, i] if transpose_A else A_sparse[i, g * kept]
        if kept == 1:
            dense[i, k] = T.if_then_else(k % group == code >> 3, first, T.cast(0, A_sparse.dtype))
        else:
            second = A_sparse[g * kept + 1, i] if transpose_A else A_sparse[i, g * kept + 1]
            dense[i, k] = T.if_then_else(
                k % group == (code & 3), first,
                T.if_then_else(k % group == code >> 2, second, T.cast(0, A_sparse.dtype)))
    T.gemm(dense, B, C, transpose_B=transpose_B, policy=policy, clear_accum=clear_accum)

def nextafter(x, y):
    bits = T.dtype(x.dtype).bits
    assert x.dtype == y.dtype and x.dtype in ("float16", "bfloat16", "float32", "float64"), f"T.nextafter of {x.dtype} and {y.dtype}"
    whole = "int" + str(bits)
    code = T.reinterpret(x, whole)
    smallest = T.reinterpret(T.cast(1, whole), x.dtype)
    # Away from zero the code grows.
    step = T.if_then_else((x < y) == (x > T.cast(0, x.dtype)), T.cast(1, whole), T.cast(-1, whole))
    moved = T.if_then_else(x == T.cast(0, x.dtype), T.copysign(smallest, y), T.reinterpret(code + step, x.dtype))
    return T.if_then_else(T.Or(T.isnan(x), T.isnan(y)), x + y, T.if_then_else(x == y, y, moved))

def ldexp(x, n):
    # Two factors, each a power of two: one alone may overflow.
    def power(k):
        return T.reinterpret((k + 127) << 23, "float32")
    k = T.max(-252, T.min(254, T.cast(n, "int32")))
    half = k >> 1
    return T.cast(T.cast(x, "float32") * power(half) * power(k - half), x.dtype)

def __ldg(load_or_buf, index=None):
    return load_or_buf if index is None else load_or_buf[index]

def __ffs(x):
    # 1 for bit 0; 0 where no bit is set.
    bits = T.dtype(x.dtype).bits
    return T.cast(bits - T.clz(x & -x), "int32")

def __fns(mask, base, offset):
    # Bits are counted from `base` upwards, downwards for a negative offset.
    word, at, n = T.cast(mask, "uint32"), T.cast(base, "int32"), T.cast(offset, "int32")
    found, up, down = T.cast(-1, "int32"), T.cast(0, "int32"), T.cast(0, "int32")
    for i in list(range(32)):
        bit = T.cast((word >> i) & T.cast(1, "uint32"), "int32")
        up = up + T.if_then_else(at <= i, bit, 0)
        found = T.if_then_else((bit == 1) & (at <= i) & (up == n), i, found)
    for i in list(range(31, -1, -1)):
        bit = T.cast((word >> i) & T.cast(1, "uint32"), "int32")
        down = down + T.if_then_else(at >= i, bit, 0)
        found = T.if_then_else((bit == 1) & (at >= i) & (down == -n), i, found)
    found = T.if_then_else((n == 0) & ((word >> T.cast(at, "uint32")) & T.cast(1, "uint32") == T.cast(1, "uint32")), at, found)
    return T.cast(found, "uint32")

def shuffle_elect(thread_extent):
    x, y, z = T.get_thread_bindings()
    ex, ey, ez = T.get_thread_extents()
    thread = x + ex * (y + ey * z)
    return thread == 0 if thread_extent == 0 else thread % thread_extent == 0

def _parts(result):
    return list(result) if isinstance(result, (list, tuple)) else [result]

def _thread_of(layout, index):
    return layout._forward_thread(*index) if layout._forward_thread is not None else _parts(layout._forward(*index))[0]

def _registers_of(layout, index):
    if layout._forward_thread is None:
        return _parts(layout._forward(*index))[1:]
    assert layout._forward_index is not None, "repeat: a fragment without forward_index_fn has no registers to count"
    return _parts(layout._forward_index(*index))

def layout_repeat(layout, *args, **kwargs):
    return (_repeat_fragment if layout._threads else _repeat_layout)(layout, *args, **kwargs)

def _repeat_layout(layout, dim, factor):
    assert factor >= 1, f"repeat: factor must be >= 1, got {factor}"
    shape = list(layout.shape)
    assert -len(shape) <= dim < len(shape), f"repeat: dim {dim} of a layout of {len(shape)} dimensions"
    if factor == 1:
        return layout
    extent = shape[dim]
    def forward(*index):
        inner = list(index)
        inner[dim] = index[dim] % extent
        return [index[dim] // extent] + _parts(layout._forward(*inner))
    shape[dim] = extent * factor
    return T.Layout(shape, forward)

def layout_expand(layout, leading_shape):
    leading = _parts(leading_shape)
    n = len(leading)
    return T.Layout(leading + list(layout.shape), lambda *index: list(index[:n]) + _parts(layout._forward(*index[n:])))

def _all_points(layout):
    return itertools.product(*[list(range(e)) for e in list(layout.shape) + ([layout._replicate] if layout._replicate > 1 else [])])

def _repeat_fragment(layout, repeats, repeat_on_thread=False, lower_dim_first=True):
    shape, n = list(layout.shape), len(layout.shape)
    assert len(repeats) == n, f"repeat: {len(repeats)} factors for {n} dimensions"
    points = list(_all_points(layout))
    # What one copy takes up: threads where copies lie side by side in them, else registers.
    if repeat_on_thread:
        pitch = max([_thread_of(layout, p) for p in points]) + 1
    else:
        pitch = max([_registers_of(layout, p[:n])[0] for p in points]) + 1
    def copy_number(index):
        number, stride = 0, 1
        for d in (list(range(n - 1, -1, -1)) if lower_dim_first else list(range(n))):
            number = number + stride * (index[d] // shape[d])
            stride = stride * repeats[d]
        return number
    def inner(index):
        return [index[d] % shape[d] for d in list(range(n))] + list(index[n:])
    def thread(*index):
        return _thread_of(layout, inner(index)) + (pitch * copy_number(index) if repeat_on_thread else 0)
    def register(*index):
        r = _registers_of(layout, inner(index))
        return r if repeat_on_thread else [r[0] + pitch * copy_number(index)]
    return T.Fragment([e * f for e, f in zip(shape, repeats)], forward_thread_fn=thread, forward_index_fn=register, replicate=layout._replicate)

def layout_replicate(layout, replicate):
    n, old = len(layout.shape), layout._replicate
    pitch = max([_thread_of(layout, p) for p in _all_points(layout)]) + 1
    def thread(*index):
        inner = list(index[:n]) + ([index[n] % old] if old > 1 else [])
        return _thread_of(layout, inner) + pitch * (index[n] // old)
    return T.Fragment(layout.shape, forward_thread_fn=thread, forward_index_fn=lambda *index: _registers_of(layout, index[:n]), replicate=old * replicate)

# What ldmatrix gives a warp of 32 lanes: two neighbours of a row to a lane.
def make_gemm_fragment_8x8():
    return T.Fragment((8, 8), forward_thread_fn=lambda i, j: i * 4 + j // 2, forward_index_fn=lambda i, j: j % 2)

def make_gemm_fragment_8x8_transposed():
    return T.Fragment((8, 8), forward_thread_fn=lambda i, j: j * 4 + i // 2, forward_index_fn=lambda i, j: i % 2)

class torch_cuda_get_device_properties:
    def __init__(self, device=None):
        self.name = "AMD Instinct MI300X"
        self.gcnArchName = "gfx942"
        self.major, self.minor = 9, 4
        self.warp_size = 64
        self.multi_processor_count = tilelang.get_num_sms()
        self.shared_memory_per_block = 65536
        self.shared_memory_per_multiprocessor = 65536
        self.max_threads_per_multi_processor = 2048
        self.regs_per_multiprocessor = 131072
        self.L2_cache_size = 4194304
        self.total_memory = 192 << 30
)py";

/// A name that the prelude defines, `reduce` of functools as functools.reduce;
/// Invalid for others.
Value Interpreter::preludeName(StringRef name, SourceRange range) {
  std::string mangled = name.str();
  std::replace(mangled.begin(), mangled.end(), '.', '_');
  static constexpr StringRef names[] = {"PersistentTileScheduler",
                                        "BaseTileScheduler",
                                        "gemm_sp",
                                        "get_e_factor",
                                        "get_e_replicate_factor",
                                        "nextafter",
                                        "ldexp",
                                        "__ldg",
                                        "__ffs",
                                        "__fns",
                                        "shuffle_elect",
                                        "make_gemm_fragment_8x8",
                                        "make_gemm_fragment_8x8_transposed",
                                        "layout.repeat",
                                        "layout.replicate",
                                        "layout.expand",
                                        "torch.cuda.get_device_properties"};
  bool isLibrary =
      (name.contains('.') ||
       llvm::is_contained({"divmod", "filter", "hex", "oct", "bin"}, name)) &&
      libraryDefines(mangled);
  if (!isLibrary && !llvm::is_contained(names, name))
    return {};
  // Parsed once for each compilation, as a module of its own: its names are not
  // the file's.
  if (!prelude) {
    const SourceManager::Buffer &text =
        sources.addBuffer("<language>", (kPrelude + libraryText()).str());
    auto parsed = parseFile(text, ast, diags);
    if (!parsed)
      return {};
    prelude = newScope(nullptr);
    prelude->module = *parsed;
    prelude->path = text.name;
    collectDefinitions(prelude, *parsed);
  }
  bool found = false;
  return moduleName(prelude, ast.save(mangled), range, found);
}

/// Where to report what fails at `range`: in text of the prelude, at the call
/// that led there.
SourceRange Interpreter::callerOf(SourceRange range) {
  auto inside = [&](SourceRange r) {
    const SourceManager::Buffer *buffer = sources.bufferOf(r.begin);
    return buffer && prelude && buffer->name == prelude->path;
  };
  for (auto &frame : llvm::reverse(diags.context)) {
    if (!inside(range))
      break;
    range = frame.range;
  }
  return range;
}
