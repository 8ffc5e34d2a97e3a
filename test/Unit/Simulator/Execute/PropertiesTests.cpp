//===- PropertiesTests.cpp - The layout of hipDeviceProp_t ----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs read the structure where their headers say. Places of fields in the
// headers of HIP 6.4.3 as Debian ships them (sizeof 1472) and of HIP 5.2.3
// (sizeof 792), taken with offsetof; each must hold an MI300X's value.
//
//===----------------------------------------------------------------------===//

#include "../HIP/Device.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

using namespace tlc::sim;

namespace {

struct Field {
  const char *name;
  int place6, place5; ///< -1: the structure has no such field
  unsigned bytes;
  uint64_t value;
};

constexpr Field fields[] = {
    {"totalGlobalMem", 288, 256, 8, uint64_t(192) << 30},
    {"sharedMemPerBlock", 296, 264, 8, 65536},
    {"regsPerBlock", 304, 272, 4, 65536},
    {"warpSize", 308, 276, 4, 64},
    {"maxThreadsPerBlock", 320, 280, 4, 1024},
    {"maxThreadsDim[0]", 324, 284, 4, 1024},
    {"maxThreadsDim[2]", 332, 292, 4, 1024},
    {"maxGridSize[0]", 336, 296, 4, 2147483647},
    {"maxGridSize[2]", 344, 304, 4, 65536},
    {"clockRate", 348, 308, 4, 2100000},
    {"major", 360, 328, 4, 9},
    {"minor", 364, 332, 4, 4},
    {"multiProcessorCount", 388, 336, 4, 304},
    {"canMapHostMemory", 400, 388, 4, 1},
    {"concurrentKernels", 576, 360, 4, 1},
    {"ECCEnabled", 580, 740, 4, 1},
    {"pciBusID", 584, 368, 4, 1},
    {"unifiedAddressing", 604, -1, 4, 1},
    {"memoryClockRate", 608, 312, 4, 1300000},
    {"memoryBusWidth", 612, 316, 4, 8192},
    {"l2CacheSize", 616, 340, 4, 4194304},
    {"maxThreadsPerMultiProcessor", 624, 344, 4, 2048},
    {"sharedMemPerMultiprocessor", 640, -1, 8, 65536},
    {"managedMemory", 652, 772, 4, 1},
    {"cooperativeLaunch", 688, 656, 4, 1},
    {"maxSharedMemoryPerMultiProcessor", 1416, 376, 8, 65536},
    {"clockInstructionRate", 1424, 352, 4, 100000},
    {"isLargeBar", 1464, 764, 4, 1},
};

struct Layout {
  PropertiesLayout layout;
  size_t bytes, arch;
  int Field::*place;
};

class Properties : public ::testing::TestWithParam<int> {};

TEST_P(Properties, LieWhereTheHeadersSay) {
  Layout layout =
      GetParam() == 5
          ? Layout{PropertiesLayout::R0000, 792, 396, &Field::place5}
          : Layout{PropertiesLayout::R0600, 1472, 1160, &Field::place6};
  constexpr unsigned char untouched = 0xa5;
  std::string room(layout.bytes + 64, char(untouched));
  fillProperties(room.data(), layout.layout);
  for (size_t i = layout.bytes; i < room.size(); ++i)
    ASSERT_EQ(uint8_t(room[i]), untouched) << "beyond the structure: " << i;
  for (const Field &field : fields) {
    int place = field.*layout.place;
    if (place < 0)
      continue;
    uint64_t value = 0;
    std::memcpy(&value, room.data() + place, field.bytes);
    EXPECT_EQ(value, field.value) << field.name;
  }
  EXPECT_NE(std::string(room.data()).find("MI300X"), std::string::npos);
  EXPECT_EQ(std::string(room.data() + layout.arch).rfind("gfx942", 0), 0u);
}

INSTANTIATE_TEST_SUITE_P(Releases, Properties, ::testing::Values(5, 6));

} // namespace
