//===- ObjectsTest.cpp - Decoder against LLVM on code objects ---*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks the executable sections of code objects and compares text and length
// of every instruction with LLVM's. The objects come from folders: the peers
// of TLC_SHARED_DATA, and AITER's hsa/gfx942 where TLC_AITER_OBJECTS names it
// (CMake option, or environment variable for once).
//
//===----------------------------------------------------------------------===//

#include "Witness.h"
#include "tlc/Simulator/Decode/Instruction.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace llvm;
using namespace tlc;

namespace {

struct Tally {
  uint64_t objects = 0, instructions = 0, unknown = 0, differences = 0;
  StringSet<> shown;
};

void compareSection(StringRef file, ArrayRef<uint8_t> code,
                    test::Witness &witness, Tally &tally) {
  for (uint64_t offset = 0; offset + 4 <= code.size();) {
    sim::Instruction inst;
    uint64_t size = 0;
    std::string expected = witness.text(code.drop_front(offset), size);
    bool known = sim::decode(code, offset, inst);
    std::string actual = known ? sim::toString(inst) : "";
    ++tally.instructions;
    tally.unknown += !known;
    if (actual != expected || (known && inst.sizeBytes != size)) {
      ++tally.differences;
      std::string key = expected.empty() ? actual : expected;
      key.resize(std::min(key.find(' '), key.size()));
      // One example a mnemonic is enough to go by.
      if (tally.shown.size() < 50 && tally.shown.insert(key).second)
        ADD_FAILURE() << file.str() << "+0x" << utohexstr(offset)
                      << "\n  LLVM: " << expected << "\n  tlc:  " << actual;
    }
    offset += expected.empty() ? 4 : size;
  }
}

void compareObject(StringRef path, test::Witness &witness, Tally &tally) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  ASSERT_TRUE(bool(buffer)) << path.str();
  auto object = object::ObjectFile::createELFObjectFile(**buffer);
  if (!object) {
    consumeError(object.takeError());
    return; // no ELF file; the loader's tests deal with those
  }
  ++tally.objects;
  for (const object::SectionRef &section : (*object)->sections()) {
    auto contents = section.getContents();
    if (!section.isText() || !contents) {
      consumeError(contents.takeError());
      continue;
    }
    compareSection(path, arrayRefFromStringRef(*contents), witness, tally);
  }
}

Tally compareFolder(const Twine &folder) {
  Tally tally;
  test::Witness witness;
  std::error_code error;
  for (sys::fs::recursive_directory_iterator it(folder, error), end;
       it != end && !error; it.increment(error)) {
    StringRef extension = sys::path::extension(it->path());
    if (extension == ".co" || extension == ".hsaco" || extension == ".o")
      compareObject(it->path(), witness, tally);
  }
  std::printf("%llu objects, %llu instructions, %llu of them unknown to both\n",
              (unsigned long long)tally.objects,
              (unsigned long long)tally.instructions,
              (unsigned long long)tally.unknown);
  return tally;
}

TEST(DecodeObjects, SharedPeers) {
  StringRef shared = TLC_SHARED_DATA;
  if (shared.empty())
    GTEST_SKIP() << "TLC_SHARED_DATA is not set";
  Tally tally = compareFolder(shared + "/peers");
  EXPECT_GT(tally.objects, 0u);
  EXPECT_GT(tally.instructions, 1000u);
  EXPECT_EQ(tally.differences, 0u);
}

TEST(DecodeObjects, Aiter) {
  const char *environment = std::getenv("TLC_AITER_OBJECTS");
  StringRef folder = environment ? environment : TLC_AITER_OBJECTS;
  if (folder.empty())
    GTEST_SKIP() << "TLC_AITER_OBJECTS is not set";
  Tally tally = compareFolder(folder);
  EXPECT_GT(tally.objects, 0u);
  EXPECT_EQ(tally.differences, 0u);
}

} // namespace
