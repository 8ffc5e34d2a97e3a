//===- Prelude.cpp - What the language defines in itself ------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// T.PersistentTileScheduler and its base are classes with state in the kernel:
// they are written in the kernel language, and parsed when first named.
//
// The order of tiles: a worker takes every num_workers-th of a linear order. In
// that order the fast dimension (M where column_major) runs through a panel of
// swizzle_size tiles of the slow one before the next panel begins; the last
// panel may be narrower.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

using namespace tlc;
using namespace tlc::frontend;

static constexpr llvm::StringLiteral kTileSchedulers = R"py(
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
)py";

/// A name that the prelude defines; Invalid for others.
Value Interpreter::preludeName(StringRef name, SourceRange range) {
  if (name != "PersistentTileScheduler" && name != "BaseTileScheduler")
    return {};
  if (!prelude) {
    const SourceManager::Buffer &text =
        sources.addBuffer("<tile schedulers>", kTileSchedulers.str());
    auto parsed = parseFile(text, ast, diags);
    if (!parsed)
      return {};
    prelude = newScope(nullptr);
    prelude->module = *parsed;
    prelude->path = text.name;
    collectDefinitions(prelude, *parsed);
  }
  bool found = false;
  return moduleName(prelude, name, range, found);
}
