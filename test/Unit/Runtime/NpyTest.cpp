//===- NpyTest.cpp - .npy files and argument contents ---------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tlc/Runtime/Npy.h"
#include "tlc/Runtime/Contents.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace tlc;

static std::string errorOf(llvm::StringRef bytes) {
  auto array = parseNpy(bytes);
  return array ? "" : llvm::toString(array.takeError());
}

TEST(Npy, RoundTrip) {
  for (DType type : {DType::Float16, DType::Float32, DType::Float64,
                     DType::Int8, DType::Int64, DType::UInt16, DType::Bool}) {
    Array array(type, {3, 5});
    fill(array, Contents());
    std::string bytes = formatNpy(array);
    auto read = parseNpy(bytes);
    ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
    EXPECT_EQ(read->type, type);
    EXPECT_EQ(read->shape, array.shape);
    EXPECT_EQ(read->bytes, array.bytes);
  }
}

TEST(Npy, EveryTruncationIsAnError) {
  Array array(DType::BFloat16, {2, 3});
  std::string bytes = formatNpy(array);
  for (size_t n = 0; n < bytes.size(); ++n)
    EXPECT_NE(errorOf(llvm::StringRef(bytes).take_front(n)), "") << n;
  EXPECT_EQ(errorOf(bytes), "");
}

static std::string file(std::string header, size_t data) {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += char(header.size());
  bytes += char(0);
  return bytes + header + std::string(data, '\1');
}

TEST(Npy, RefusesWhatItCannotRead) {
  EXPECT_NE(errorOf(file("{'descr': [('a', '<f4')], 'fortran_order': False, "
                         "'shape': (2,), }",
                         8)),
            "");
  EXPECT_NE(errorOf(file("{'descr': '<f4', 'fortran_order': False, 'shape': "
                         "(4611686018427387904, 4611686018427387904), }",
                         8)),
            "");
  EXPECT_NE(errorOf(file("{'descr': '<f4', 'shape': (2,), }", 8)), "");
}

TEST(Npy, FortranOrderBecomesC) {
  std::string bytes =
      file("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", 0);
  bytes += std::string("\0\1\2\3\4\5", 6);
  auto array = parseNpy(bytes);
  ASSERT_TRUE(bool(array)) << llvm::toString(array.takeError());
  const int expected[] = {0, 2, 4, 1, 3, 5};
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(array->number(i), expected[i]) << i;
}

TEST(Npy, BigEndianIsTurnedRound) {
  std::string bytes =
      file("{'descr': '>i4', 'fortran_order': True, 'shape': (2, 2), }", 0);
  bytes += std::string("\0\0\0\1\0\0\1\0\xff\xff\xff\xfe\x7f\xff\xff\xff", 16);
  auto array = parseNpy(bytes);
  ASSERT_TRUE(bool(array)) << llvm::toString(array.takeError());
  const int expected[] = {1, -2, 256, 0x7fffffff};
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(array->number(i), expected[i]) << i;
}

TEST(Formats, EncodeInvertsDecode) {
  for (const FloatFormat *f : {&f16Format, &bf16Format, &e4m3fnFormat,
                               &e4m3fnuzFormat, &e5m2Format, &e5m2fnuzFormat})
    for (uint64_t bits = 0; bits < (uint64_t(1) << f->bits); ++bits) {
      double x = f->decode(bits);
      if (std::isnan(x))
        EXPECT_TRUE(std::isnan(f->decode(f->encode(x))));
      else if (!std::isinf(x) || !f->saturates)
        EXPECT_EQ(f->encode(x), bits) << f->name << ' ' << bits;
    }
}

TEST(Formats, RoundToNearestEven) {
  // Halfway between neighbours goes to the even one, just beyond to the other.
  EXPECT_EQ(f16Format.round(1 + 0x1p-11), 1.0);
  EXPECT_EQ(f16Format.round(1 + 3 * 0x1p-11), 1 + 0x1p-9);
  EXPECT_EQ(f16Format.round(1 + 0x1p-11 + 0x1p-40), 1 + 0x1p-10);
  EXPECT_EQ(f16Format.round(65519.0), 65504.0);
  EXPECT_EQ(f16Format.round(65520.0), INFINITY);
  EXPECT_EQ(f16Format.round(0x1p-25), 0.0);
  EXPECT_EQ(f16Format.round(3 * 0x1p-26), 0x1p-24);
  EXPECT_EQ(e4m3fnFormat.round(1000.0), 448.0);
  EXPECT_EQ(e4m3fnuzFormat.round(-1000.0), -240.0);
}

TEST(Contents, Parse) {
  EXPECT_EQ(llvm::cantFail(parseContents("randn:7")).seed, 7u);
  EXPECT_EQ(llvm::cantFail(parseContents("const:-2.5")).values[0].value, -2.5);
  EXPECT_EQ(llvm::cantFail(parseContents("12")).values[0].value, 12);
  EXPECT_EQ(llvm::cantFail(parseContents("a/b.npy")).path, "a/b.npy");
  for (const char *bad : {"", "randn:", "randn:x", "const:", "file.txt"}) {
    auto parsed = parseContents(bad);
    EXPECT_FALSE(bool(parsed)) << bad;
    llvm::consumeError(parsed.takeError());
  }
}

TEST(Contents, ListsAndRanges) {
  Array array;
  array.type = DType::Int32;
  array.shape = {5};
  array.bytes.resize(20);
  fill(array, llvm::cantFail(parseContents("values:3,-1")));
  for (int64_t i = 0; i < 5; ++i)
    EXPECT_EQ(array.number(i), i % 2 ? -1 : 3);
  // Beyond the integers of a double.
  Array wide(DType::Int64, {2});
  fill(wide, llvm::cantFail(parseContents("values:9007199254740993,-1")));
  EXPECT_EQ(wide.bits(0), 9007199254740993u);
  EXPECT_EQ(wide.bits(1), ~uint64_t(0));
  fill(array, llvm::cantFail(parseContents("range:2:4:7")));
  for (int64_t i = 0; i < 5; ++i)
    EXPECT_TRUE(array.number(i) == 2 || array.number(i) == 3);
  for (llvm::StringRef bad : {"values:", "values:a", "range:1", "range:2:2"}) {
    auto parsed = parseContents(bad);
    EXPECT_FALSE(bool(parsed)) << bad.str();
    llvm::consumeError(parsed.takeError());
  }
}

TEST(Contents, NormalValues) {
  Array array(DType::Float64, {20000});
  Contents seeded;
  seeded.seed = 3;
  fill(array, seeded);
  double sum = 0, squares = 0;
  for (int i = 0; i < 20000; ++i) {
    sum += array.number(i);
    squares += array.number(i) * array.number(i);
  }
  EXPECT_NEAR(sum / 20000, 0, 0.03);
  EXPECT_NEAR(squares / 20000, 1, 0.05);
  Array again(DType::Float64, {20000});
  fill(again, seeded);
  EXPECT_EQ(array.bytes, again.bytes);
}
