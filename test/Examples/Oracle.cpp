//===- Oracle.cpp - Inputs and textbook results of the example kernels ----===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   tlc-oracle OPERATOR DIR name=value...
//
// Writes seeded inputs of an operator and the result of its definition,
// computed here in double precision, as .npy files into DIR. It shares nothing
// with tlc, neither code nor algorithm: the softmax is the plain one, over a
// whole row at once. Inputs have the kernel's 16-bit type; results are float32.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

using Shape = std::vector<size_t>;

struct Array {
  Shape shape;
  std::vector<double> data;

  explicit Array(Shape dims) : shape(std::move(dims)) {
    size_t count = 1;
    for (size_t dim : shape)
      count *= dim;
    data.resize(count);
  }
};

/// The `name=value` arguments, with the kernels' own defaults where absent.
class Parameters {
public:
  explicit Parameters(std::map<std::string, std::string> values)
      : values(std::move(values)) {}
  size_t size(const char *name, size_t fallback) const {
    auto it = values.find(name);
    return it == values.end() ? fallback : std::stoul(it->second);
  }
  bool flag(const char *name) const {
    auto it = values.find(name);
    return it != values.end() && it->second == "True";
  }
  bool bfloat16() const {
    auto it = values.find("dtype");
    return it != values.end() && it->second == "bfloat16";
  }

private:
  std::map<std::string, std::string> values;
};

/// Bits of a double in f16 or bf16, rounded to nearest, ties to even.
uint16_t encode(double value, bool bfloat16) {
  if (!bfloat16) {
    auto half = static_cast<_Float16>(value);
    uint16_t bits;
    std::memcpy(&bits, &half, 2);
    return bits;
  }
  auto single = static_cast<float>(value);
  uint32_t bits;
  std::memcpy(&bits, &single, 4);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

double decode(uint16_t bits, bool bfloat16) {
  if (!bfloat16) {
    _Float16 half;
    std::memcpy(&half, &bits, 2);
    return static_cast<double>(half);
  }
  uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float single;
  std::memcpy(&single, &wide, 4);
  return single;
}

/// Normal deviates that a 16-bit type holds exactly (splitmix64, Box-Muller).
void randomize(Array &array, uint64_t seed, bool bfloat16) {
  auto uniform = [&seed] {
    uint64_t z = (seed += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (static_cast<double>((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
  };
  for (double &value : array.data) {
    double radius = std::sqrt(-2 * std::log(uniform()));
    double normal = radius * std::cos(2 * M_PI * uniform());
    value = decode(encode(normal, bfloat16), bfloat16);
  }
}

/// Writes an array as version-1 .npy: float32, or a 16-bit type's bits.
void write(const std::string &path, const Array &array, const char *type,
           bool bfloat16 = false) {
  std::string header = std::string("{'descr': '") + type +
                       "', 'fortran_order': False, 'shape': (";
  for (size_t dim : array.shape)
    header += std::to_string(dim) + ",";
  header += "), }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';

  std::ofstream file(path, std::ios::binary);
  file.write("\x93NUMPY\x01\x00", 8);
  auto length = static_cast<uint16_t>(header.size());
  file.write(reinterpret_cast<const char *>(&length), 2);
  file << header;
  for (double value : array.data) {
    if (!std::strcmp(type, "<f4")) {
      auto single = static_cast<float>(value);
      file.write(reinterpret_cast<const char *>(&single), 4);
    } else {
      uint16_t bits = encode(value, bfloat16);
      file.write(reinterpret_cast<const char *>(&bits), 2);
    }
  }
  if (!file) {
    std::fprintf(stderr, "tlc-oracle: cannot write %s\n", path.c_str());
    std::exit(1);
  }
}

/// The files of one operator.
class Case {
public:
  Case(std::string folder, const Parameters &parameters)
      : folder(std::move(folder)), bfloat16(parameters.bfloat16()) {}
  Array input(const char *name, Shape shape) {
    Array array(std::move(shape));
    randomize(array, ++seed, bfloat16);
    write(folder + "/" + name + ".npy", array, bfloat16 ? "<u2" : "<f2",
          bfloat16);
    return array;
  }
  void result(const char *name, const Array &array) {
    write(folder + "/" + name + ".expected.npy", array, "<f4");
  }

private:
  std::string folder;
  bool bfloat16;
  uint64_t seed = 0;
};

/// One row of softmax(scores) · values; a row that sees nothing gives zeros.
void attend(std::vector<double> &scores, size_t dim,
            const std::function<double(size_t, size_t)> &value, double *out) {
  double largest = -INFINITY, sum = 0;
  for (double score : scores)
    largest = std::max(largest, score);
  if (largest == -INFINITY)
    return;
  for (double &score : scores)
    sum += score = std::exp(score - largest);
  for (size_t key = 0; key < scores.size(); ++key)
    for (size_t d = 0; d < dim; ++d)
      out[d] += scores[key] / sum * value(key, d);
}

void attention(const Parameters &p, Case files) {
  size_t batch = p.size("batch", 1), heads = p.size("heads", 4);
  size_t headsKv = p.size("heads_kv", 2), dim = p.size("dim", 128);
  size_t seqQ = p.size("seq_q", 129), seqK = p.size("seq_k", 1000);
  Array q = files.input("Q", {batch, seqQ, heads, dim});
  Array k = files.input("K", {batch, seqK, headsKv, dim});
  Array v = files.input("V", {batch, seqK, headsKv, dim});
  Array o({batch, seqQ, heads, dim});
  long offset = p.flag("bottom_right") ? long(seqK) - long(seqQ) : 0;
  for (size_t b = 0; b < batch; ++b)
    for (size_t h = 0; h < heads; ++h) {
      size_t hk = h / (heads / headsKv);
      auto row = [&](size_t key) {
        return ((b * seqK + key) * headsKv + hk) * dim;
      };
      for (size_t i = 0; i < seqQ; ++i) {
        size_t query = ((b * seqQ + i) * heads + h) * dim;
        std::vector<double> scores(seqK, -INFINITY);
        for (size_t j = 0; j < seqK; ++j) {
          if (p.flag("causal") && long(j) > long(i) + offset)
            break;
          double dot = 0;
          for (size_t d = 0; d < dim; ++d)
            dot += q.data[query + d] * k.data[row(j) + d];
          scores[j] = dot / std::sqrt(double(dim));
        }
        attend(
            scores, dim,
            [&](size_t key, size_t d) { return v.data[row(key) + d]; },
            &o.data[query]);
      }
    }
  files.result("O", o);
}

void decoding(const Parameters &p, Case files) {
  size_t batch = p.size("batch", 2), headsKv = p.size("heads_kv", 2);
  size_t group = p.size("group", 4), dim = p.size("dim", 128);
  size_t seqK = p.size("seq_k", 1000);
  Array q = files.input("Q", {batch, headsKv, group, dim});
  Array k = files.input("K", {batch, seqK, headsKv, dim});
  Array v = files.input("V", {batch, seqK, headsKv, dim});
  Array o({batch, headsKv, group, dim});
  for (size_t b = 0; b < batch; ++b)
    for (size_t h = 0; h < headsKv; ++h)
      for (size_t g = 0; g < group; ++g) {
        auto row = [&](size_t key) {
          return ((b * seqK + key) * headsKv + h) * dim;
        };
        size_t query = ((b * headsKv + h) * group + g) * dim;
        std::vector<double> scores(seqK);
        for (size_t j = 0; j < seqK; ++j) {
          for (size_t d = 0; d < dim; ++d)
            scores[j] += q.data[query + d] * k.data[row(j) + d];
          scores[j] /= std::sqrt(double(dim));
        }
        attend(
            scores, dim,
            [&](size_t key, size_t d) { return v.data[row(key) + d]; },
            &o.data[query]);
      }
  files.result("O", o);
}

void gemm(const Parameters &p, Case files) {
  size_t m = p.size("M", 1000), n = p.size("N", 777), k = p.size("K", 200);
  bool transA = p.flag("trans_A"), transB = p.flag("trans_B");
  Array a = files.input("A", transA ? Shape{k, m} : Shape{m, k});
  Array b = files.input("B", transB ? Shape{n, k} : Shape{k, n});
  Array c({m, n});
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j)
      for (size_t l = 0; l < k; ++l)
        c.data[i * n + j] += a.data[transA ? l * m + i : i * k + l] *
                             b.data[transB ? j * k + l : l * n + j];
  files.result("C", c);
}

void softmax(const Parameters &p, Case files) {
  size_t m = p.size("M", 100), n = p.size("N", 1000);
  Array x = files.input("X", {m, n}), y({m, n});
  for (size_t i = 0; i < m; ++i) {
    const double *row = &x.data[i * n];
    double largest = *std::max_element(row, row + n), sum = 0;
    for (size_t j = 0; j < n; ++j)
      sum += std::exp(row[j] - largest);
    for (size_t j = 0; j < n; ++j)
      y.data[i * n + j] = std::exp(row[j] - largest) / sum;
  }
  files.result("Y", y);
}

void rmsNorm(const Parameters &p, Case files) {
  size_t m = p.size("M", 100), n = p.size("N", 1000);
  Array x = files.input("X", {m, n}), w = files.input("W", {n}), y({m, n});
  for (size_t i = 0; i < m; ++i) {
    double squares = 0;
    for (size_t j = 0; j < n; ++j)
      squares += x.data[i * n + j] * x.data[i * n + j];
    double scale = 1 / std::sqrt(squares / double(n) + 1e-6);
    for (size_t j = 0; j < n; ++j)
      y.data[i * n + j] = x.data[i * n + j] * scale * w.data[j];
  }
  files.result("Y", y);
}

} // namespace

int main(int argc, char **argv) {
  const std::map<std::string, void (*)(const Parameters &, Case)> operators = {
      {"05-flash-attention", attention},
      {"06-flash-decoding", decoding},
      {"02-gemm", gemm},
      {"03-softmax", softmax},
      {"04-rms-norm", rmsNorm}};
  auto chosen = argc < 3 ? operators.end() : operators.find(argv[1]);
  if (chosen == operators.end()) {
    std::fprintf(stderr, "usage: tlc-oracle OPERATOR DIR name=value...\n");
    return 2;
  }
  std::map<std::string, std::string> values;
  for (int i = 3; i < argc; ++i) {
    std::string argument = argv[i];
    size_t equals = argument.find('=');
    values[argument.substr(0, equals)] = argument.substr(equals + 1);
  }
  Parameters parameters(std::move(values));
  chosen->second(parameters, Case(argv[2], parameters));
  return 0;
}
