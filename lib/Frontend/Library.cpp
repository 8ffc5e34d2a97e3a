//===- Library.cpp - Functions of Python's library ------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small functions of Python's own modules that factories compute sizes and
// configurations with, in the kernel language itself: `operator.mul` is
// operator_mul. Prelude.cpp parses them when the first one is named.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

using namespace tlc;
using namespace tlc::frontend;

static constexpr llvm::StringLiteral kLibrary = R"py(
from collections import defaultdict as collections_defaultdict

def functools_reduce(combine, items, *first):
    total = first[0] if first else items[0]
    for x in items if first else items[1:]:
        total = combine(total, x)
    return total

def itertools_chain(*lists):
    return [x for items in lists for x in items]

def itertools_accumulate(items, func=None, initial=None):
    out = [] if initial is None else [initial]
    for x in items:
        out.append(x if not out else out[-1] + x if func is None else func(out[-1], x))
    return out

def itertools_repeat(x, times):
    return [x] * times

def itertools_islice(items, *bounds):
    return list(items)[slice(*bounds)]

def itertools_starmap(f, items):
    return [f(*x) for x in items]

def itertools_pairwise(items):
    return list(zip(items[:-1], items[1:]))

def itertools_zip_longest(*lists, fillvalue=None):
    n = max([len(x) for x in lists], default=0)
    return [tuple([x[i] if i < len(x) else fillvalue for x in lists]) for i in range(n)]

def itertools_combinations(items, r):
    if r == 0:
        return [()]
    return [(x,) + rest for i, x in enumerate(items) for rest in itertools_combinations(items[i + 1:], r - 1)]

def itertools_permutations(items, r=None):
    items = list(items)
    r = len(items) if r is None else r
    if r == 0:
        return [()]
    return [(x,) + rest for i, x in enumerate(items)
            for rest in itertools_permutations(items[:i] + items[i + 1:], r - 1)]

def operator_add(a, b):
    return a + b

def operator_sub(a, b):
    return a - b

def operator_mul(a, b):
    return a * b

def operator_truediv(a, b):
    return a / b

def operator_floordiv(a, b):
    return a // b

def operator_mod(a, b):
    return a % b

def operator_neg(a):
    return -a

def operator_and_(a, b):
    return a & b

def operator_or_(a, b):
    return a | b

def operator_xor(a, b):
    return a ^ b

def operator_eq(a, b):
    return a == b

def operator_ne(a, b):
    return a != b

def operator_lt(a, b):
    return a < b

def operator_le(a, b):
    return a <= b

def operator_gt(a, b):
    return a > b

def operator_ge(a, b):
    return a >= b

def operator_getitem(a, i):
    return a[i]

def operator_itemgetter(*keys):
    if len(keys) == 1:
        return lambda x: x[keys[0]]
    return lambda x: tuple([x[k] for k in keys])

def operator_attrgetter(name):
    return lambda x: getattr(x, name)

def collections_OrderedDict(*items, **entries):
    return dict(*items, **entries)

def collections_Counter(items=()):
    counts = collections_defaultdict(int)
    for x in items:
        counts[x] += 1
    return counts

class types_SimpleNamespace:
    def __init__(self, **entries):
        for name, value in entries.items():
            setattr(self, name, value)

def math_lcm(a, b):
    return a // math.gcd(a, b) * b

def math_isqrt(n):
    root = int(math.sqrt(n))
    return root - 1 if root * root > n else root + 1 if (root + 1) * (root + 1) <= n else root

def math_comb(n, k):
    count = 1
    for i in list(range(k)):
        count = count * (n - i) // (i + 1)
    return count

def math_factorial(n):
    product = 1
    for i in list(range(n)):
        product = product * (i + 1)
    return product

def math_exp2(x):
    return 2.0 ** x

def math_copysign(x, y):
    negative = y < 0 or str(float(y)) == "-0.0"
    return -abs(float(x)) if negative else abs(float(x))

def math_fmod(x, y):
    return float(x) - float(y) * math.trunc(x / y)

def math_isfinite(x):
    return not (math.isinf(x) or math.isnan(x))

def math_isclose(a, b, rel_tol=1e-9, abs_tol=0.0):
    return abs(a - b) <= max(rel_tol * max(abs(a), abs(b)), abs_tol)

def divmod(a, b):
    return a // b, a % b

def hex(x):
    return format(x, "#x")

def oct(x):
    return format(x, "#o")

def bin(x):
    return format(x, "#b")

def tilelang_contrib_nvcc_get_target_compute_version(target=None):
    return "9.4"

def tilelang_contrib_nvcc_parse_compute_version(version):
    return tuple([int(x) for x in version.split(".")])

def filter(keeps, items):
    return [x for x in items if (x if keeps is None else keeps(x))]
)py";

StringRef frontend::libraryText() { return kLibrary; }

/// Whether the text defines `name`, with the module before it and an underscore
/// between: "operator_mul".
bool frontend::libraryDefines(StringRef name) {
  std::string function = ("\ndef " + name + "(").str();
  std::string cls = ("\nclass " + name + ":").str();
  return kLibrary.contains(function) || kLibrary.contains(cls);
}
