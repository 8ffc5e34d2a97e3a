//===- PackBytes.cpp - Bytes are moved by words ---------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `wave-pack-bytes`. Registers hold words. A vector of 8-bit elements
// that lives from one step of a loop to the next would be taken apart into a
// register for each byte, as soon as it arrives: the wait for a load would
// stand right behind it. And bytes put together one by one take an instruction
// each, where v_perm_b32 chooses four of eight.
//
//   * Such vectors are loaded as words.
//   * What is put together of bytes is put together of words: a word as it is,
//     bytes of two words by one v_perm, bytes of four by three, of which those
//     that choose the pairs serve two words of a transpose. Four words are
//     transposed by eight.
//
//   %a = load : vector<4xi8>           %a = load : vector<1xi32>
//   ... %d                             ...
//   %a0 = vector.extract %a[0]         %ab = wave.perm %b, %a    // a0 b0 a1 b1
//   ...                                %cd = wave.perm %d, %c
//   %r0 = from_elements %a0 %b0 %c0 %d0  =>  %r0 = wave.perm %cd, %ab
//   %r1 = from_elements %a1 %b1 %c1 %d1      %r1 = wave.perm %cd, %ab
//
// Left alone: vectors with an element that is no byte of another vector.
//
//===----------------------------------------------------------------------===//

#include "tlc/Dialect/Wave/IR/WaveDialect.h"
#include "tlc/Dialect/Wave/Transforms/Passes.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::wave;

namespace tlc::wave {
#define GEN_PASS_DEF_WAVEPACKBYTES
#include "tlc/Dialect/Wave/Transforms/Passes.h.inc"
} // namespace tlc::wave

/// Words that a vector of 8-bit elements fills; 0 for other types.
static int64_t wordsOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || vector.getRank() != 1 || vector.isScalable() ||
      vector.getElementTypeBitWidth() != 8 || vector.getNumElements() % 4)
    return 0;
  return vector.getNumElements() / 4;
}

namespace {

/// A byte of a word.
struct Byte {
  Value word;
  int64_t place;
};

struct PackBytes : tlc::wave::impl::WavePackBytesBase<PackBytes> {
  using WavePackBytesBase::WavePackBytesBase;

  void runOnOperation() override {
    SmallVector<Operation *> loads;
    SmallVector<vector::FromElementsOp> packs;
    getOperation().walk([&](Operation *op) {
      if (isa<BufferLoadOp, GlobalLoadOp, LdsLoadOp>(op) &&
          wordsOf(op->getResult(0).getType()))
        loads.push_back(op);
      else if (auto pack = dyn_cast<vector::FromElementsOp>(op);
               pack && wordsOf(pack.getType()))
        packs.push_back(pack);
    });
    for (Operation *load : loads)
      loadWords(load);
    for (vector::FromElementsOp pack : packs)
      packWords(pack);
  }

private:
  void loadWords(Operation *load);
  void packWords(vector::FromElementsOp pack);
  Value wordOf(Value bytes, int64_t index, OpBuilder &b);
  Value permute(Value high, Value low, ArrayRef<int64_t> places, OpBuilder &b);
  Value assemble(ArrayRef<Byte> bytes, OpBuilder &b);
  Value pairOf(const Byte &first, const Byte &second, OpBuilder &b,
               std::pair<int64_t, int64_t> &places);

  /// Words of vectors, and permutations: shared within a block, in which the
  /// first use comes first.
  llvm::DenseMap<std::tuple<Block *, Value, int64_t>, Value> words;
  llvm::DenseMap<std::tuple<Block *, Value, Value, int64_t>, Value> perms;
};
} // namespace

/// vector<8xi8> becomes vector<2xi32>, and a cast.
void PackBytes::loadWords(Operation *load) {
  OpBuilder b(load->getContext());
  b.setInsertionPointAfter(load);
  Value loaded = load->getResult(0);
  Type bytes = loaded.getType();
  Type type = VectorType::get(wordsOf(bytes), b.getI32Type());
  loaded.setType(type);
  auto cast = vector::BitCastOp::create(b, load->getLoc(), bytes, loaded);
  loaded.replaceAllUsesExcept(cast, cast);
}

Value PackBytes::wordOf(Value bytes, int64_t index, OpBuilder &b) {
  Value &word = words[{b.getInsertionBlock(), bytes, index}];
  if (word)
    return word;
  Location loc = bytes.getLoc();
  Value source;
  if (auto cast = bytes.getDefiningOp<vector::BitCastOp>();
      cast && cast.getSourceVectorType().getElementType().isInteger(32))
    source = cast.getSource();
  else
    source = vector::BitCastOp::create(
        b, loc, VectorType::get(wordsOf(bytes.getType()), b.getI32Type()),
        bytes);
  return word = vector::ExtractOp::create(b, loc, source, index);
}

/// v_perm_b32; `places` count from the low byte of `low`.
Value PackBytes::permute(Value high, Value low, ArrayRef<int64_t> places,
                         OpBuilder &b) {
  int64_t selector = 0;
  for (auto [i, place] : llvm::enumerate(places))
    selector |= place << (8 * i);
  Value &perm = perms[{b.getInsertionBlock(), high, low, selector}];
  if (!perm)
    perm = PermOp::create(b, low.getLoc(), b.getI32Type(), high, low, selector);
  return perm;
}

/// A word that has both bytes, and where: of two words, their lower or upper
/// halves interleaved where that serves, so that the next word of a transpose
/// finds its bytes there as well.
Value PackBytes::pairOf(const Byte &first, const Byte &second, OpBuilder &b,
                        std::pair<int64_t, int64_t> &places) {
  places = {first.place, second.place};
  if (first.word == second.word)
    return first.word;
  int64_t half = first.place & ~1;
  if (first.place != second.place) {
    places = {0, 1};
    int64_t high = second.place + 4;
    return permute(second.word, first.word, {first.place, high, 0, 0}, b);
  }
  places = {2 * (first.place - half), 2 * (first.place - half) + 1};
  return permute(second.word, first.word, {half, half + 4, half + 1, half + 5},
                 b);
}

/// The word of four bytes.
Value PackBytes::assemble(ArrayRef<Byte> bytes, OpBuilder &b) {
  llvm::SmallSetVector<Value, 4> sources;
  bool inOrder = true;
  for (auto [i, byte] : llvm::enumerate(bytes)) {
    sources.insert(byte.word);
    inOrder &= byte.place == int64_t(i);
  }
  if (sources.size() == 1 && inOrder)
    return sources[0];
  if (sources.size() <= 2) {
    SmallVector<int64_t, 4> places;
    for (const Byte &byte : bytes)
      places.push_back(byte.place + (byte.word == sources[0] ? 0 : 4));
    return permute(sources.back(), sources[0], places, b);
  }
  std::pair<int64_t, int64_t> low, high;
  Value lower = pairOf(bytes[0], bytes[1], b, low);
  Value upper = pairOf(bytes[2], bytes[3], b, high);
  return permute(upper, lower,
                 {low.first, low.second, high.first + 4, high.second + 4}, b);
}

void PackBytes::packWords(vector::FromElementsOp pack) {
  SmallVector<std::pair<Value, int64_t>> elements;
  for (Value element : pack.getElements()) {
    auto part = element.getDefiningOp<vector::ExtractOp>();
    if (!part || part.hasDynamicPosition() ||
        part.getStaticPosition().size() != 1 ||
        !wordsOf(part.getSource().getType()))
      return;
    elements.push_back({part.getSource(), part.getStaticPosition()[0]});
  }
  OpBuilder b(pack);
  SmallVector<Value> result;
  for (size_t i = 0; i < elements.size(); i += 4) {
    SmallVector<Byte, 4> bytes;
    for (size_t j = i; j < i + 4; ++j)
      bytes.push_back({wordOf(elements[j].first, elements[j].second / 4, b),
                       elements[j].second % 4});
    result.push_back(assemble(bytes, b));
  }
  Location loc = pack.getLoc();
  Value together = vector::FromElementsOp::create(
      b, loc, VectorType::get(int64_t(result.size()), b.getI32Type()), result);
  pack.replaceAllUsesWith(
      vector::BitCastOp::create(b, loc, pack.getType(), together).getResult());
  pack.erase();
}
