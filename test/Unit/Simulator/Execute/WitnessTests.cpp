//===- WitnessTests.cpp - Kernels with outputs of a real GPU --------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each folder of peers/witness has a kernel, its inputs, and what the same
// kernel gave on a GPU of another make. The tolerance is relative to the value,
// or to a hundredth of the largest where terms cancel; 0 asks for equal bits.
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

#include "llvm/Support/JSON.h"

#include <cmath>
#include <filesystem>

using namespace tlc::test;
namespace json = llvm::json;
namespace fs = std::filesystem;

namespace {

std::string witnessFolder() {
  return std::string(TLC_SHARED_DATA) + "/peers/witness";
}

std::vector<std::string> caseNames() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(witnessFolder(), error))
    if (fs::exists(entry.path() / "meta.json"))
      names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

double element(const std::vector<uint8_t> &bytes, const std::string &type,
               size_t i) {
  auto read = [&](auto value) {
    std::memcpy(&value, bytes.data() + i * sizeof(value), sizeof(value));
    return value;
  };
  if (type == "float32")
    return read(float());
  if (type == "float16")
    return fromHalf(read(uint16_t()));
  if (type == "bf16")
    return fromBf16(read(uint16_t()));
  if (type == "int32")
    return read(int32_t());
  if (type == "int64")
    return double(read(int64_t()));
  return read(int8_t());
}
size_t widthOf(const std::string &type) {
  if (type == "int64")
    return 8;
  if (type == "float32" || type == "int32")
    return 4;
  return type == "int8" ? 1 : 2;
}

void compare(const std::vector<uint8_t> &actual,
             const std::vector<uint8_t> &expected, const std::string &type,
             double tolerance, const std::string &name) {
  ASSERT_EQ(actual.size(), expected.size()) << name;
  if (tolerance == 0) {
    EXPECT_EQ(actual, expected) << name;
    return;
  }
  size_t count = actual.size() / widthOf(type);
  double largest = 0;
  for (size_t i = 0; i < count; ++i) {
    double e = element(expected, type, i);
    if (std::isfinite(e))
      largest = std::max(largest, std::abs(e));
  }
  unsigned reported = 0;
  for (size_t i = 0; i < count && reported < 5; ++i) {
    double a = element(actual, type, i), e = element(expected, type, i);
    if (std::isnan(e) && std::isnan(a))
      continue;
    double bound = tolerance * std::max(std::abs(e), largest * 1e-2);
    if (a == e || std::abs(a - e) <= bound)
      continue;
    ADD_FAILURE() << name << "[" << i << "] is " << a << ", expected " << e;
    ++reported;
  }
}

class Witness : public ::testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Witness);

TEST_P(Witness, GivesWhatTheGpuGave) {
  fs::path folder = fs::path(witnessFolder()) / GetParam();
  std::vector<uint8_t> text = readFile(folder / "meta.json");
  auto parsed = json::parse(
      llvm::StringRef(reinterpret_cast<char *>(text.data()), text.size()));
  ASSERT_TRUE(bool(parsed));
  const json::Object &meta = *parsed->getAsObject();

  struct Argument {
    std::string name, type;
    std::unique_ptr<Buffer> buffer;
    int32_t i32 = 0;
    float f32 = 0;
  };
  std::vector<Argument> arguments;
  for (const json::Value &value : *meta.getArray("args")) {
    const json::Object &entry = *value.getAsObject();
    Argument argument;
    argument.name = entry.getString("name")->str();
    argument.type = entry.getString("type")->str();
    if (auto file = entry.getString("file"))
      argument.buffer = std::make_unique<Buffer>(readNpy(folder / file->str()));
    else if (argument.type == "f32")
      argument.f32 = float(*entry.getNumber("value"));
    else
      argument.i32 = int32_t(*entry.getInteger("value"));
    arguments.push_back(std::move(argument));
  }
  std::vector<void *> pointers;
  for (Argument &argument : arguments)
    pointers.push_back(argument.buffer ? &argument.buffer->pointer
                       : argument.type == "f32"
                           ? static_cast<void *>(&argument.f32)
                           : &argument.i32);
  // Triton's kernels take two scratch pointers more.
  void *null = nullptr;
  pointers.push_back(&null);
  pointers.push_back(&null);

  auto shape = [&](const char *key) {
    const json::Array &a = *meta.getArray(key);
    return Kernel::Shape{unsigned(*a[0].getAsInteger()),
                         unsigned(*a[1].getAsInteger()),
                         unsigned(*a[2].getAsInteger())};
  };
  Kernel kernel(folder / (GetParam() + ".hsaco"),
                meta.getString("kernel")->str());
  ASSERT_TRUE(kernel.function);
  ASSERT_EQ(kernel.launch(shape("grid"), shape("block"),
                          unsigned(*meta.getInteger("dynamic_lds")),
                          pointers.data()),
            tlc::hip::hipSuccess)
      << tlc::sim::lastLaunch().report;

  double tolerance = *meta.getNumber("rel_tol");
  for (const json::Value &output : *meta.getArray("outputs")) {
    std::string name = output.getAsString()->str();
    for (Argument &argument : arguments)
      if (argument.name == name)
        compare(argument.buffer->bytes(),
                readNpy(folder / (name + ".expected.npy")), argument.type,
                tolerance, name);
  }
}

INSTANTIATE_TEST_SUITE_P(Peers, Witness, ::testing::ValuesIn(caseNames()),
                         [](const auto &info) { return info.param; });

} // namespace
