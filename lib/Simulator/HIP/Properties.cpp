//===- Properties.cpp - What the device says of itself --------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table of facts of an MI300X. Each has the number of its attribute and its
// place in the two layouts of hipDeviceProp_t (HIP 5, and HIP 6 and later);
// -1 where it has none.
//
// Places are byte offsets in HIP's structures, written down as numbers: the two
// versions of HIP's header could not be included together, and none is needed.
// Values are MI300X's: 304 compute units at 2.1 GHz, 64 KiB of LDS, 4 MiB of L2
// for each XCD, 192 GiB of memory.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include <cstring>

using namespace tlc::sim;

namespace {

// An int, or a size_t.
enum Width : uint8_t { Int, Size };

struct Fact {
  int attribute;
  int offsetR0000, offsetR0600;
  Width width;
  int64_t value;
};

constexpr int64_t ldsBytes = 65536, globalBytes = int64_t(192) << 30;
constexpr int64_t anyGrid = 2147483647;

constexpr Fact facts[] = {
    // attribute, old place, new place, width, value
    {0, 740, 580, Int, 1},              // ECC
    {2, -1, 600, Int, 8},               // asynchronous engines
    {3, 388, 400, Int, 1},              // maps host memory
    {4, -1, 684, Int, 1},               // host pointers of registered memory
    {5, 308, 348, Int, 2100000},        // clock, kHz
    {6, 348, 404, Int, 0},              // compute mode
    {7, -1, 680, Int, 0},               // preemption
    {8, 360, 576, Int, 1},              // concurrent kernels
    {9, 780, 676, Int, 1},              // concurrent managed access
    {10, 656, 688, Int, 1},             // cooperative launch
    {11, 660, 692, Int, 0},             // on several devices
    {13, 776, 708, Int, 1},             // managed memory from the host
    {16, 652, 396, Int, 0},             // integrated
    {17, 384, 656, Int, 0},             // board with several GPUs
    {18, 736, 392, Int, 0},             // run time limit
    {19, 340, 616, Int, 4194304},       // L2
    {20, -1, 636, Int, 1},              // local L1
    {23, 328, 360, Int, 9},             // capability, major
    {24, 772, 652, Int, 1},             // managed memory
    {26, 284, 324, Int, 1024},          // block
    {27, 288, 328, Int, 1024},          //
    {28, 292, 332, Int, 1024},          //
    {29, 296, 336, Int, anyGrid},       // grid
    {30, 300, 340, Int, 65536},         //
    {31, 304, 344, Int, 65536},         //
    {56, 280, 320, Int, 1024},          // work-items of a block
    {57, 344, 624, Int, 2048},          // work-items of a compute unit
    {58, 712, 312, Size, anyGrid},      // pitch
    {59, 316, 612, Int, 8192},          // memory bus, bits
    {60, 312, 608, Int, 1300000},       // memory clock, kHz
    {61, 332, 364, Int, 4},             // capability, minor
    {63, 336, 388, Int, 304},           // compute units
    {67, 368, 584, Int, 1},             // PCI bus, device, domain
    {68, 372, 588, Int, 0},             //
    {69, 364, 592, Int, 0},             //
    {71, 272, 304, Int, 65536},         // registers of a block
    {72, -1, 648, Int, 131072},         // registers of a compute unit
    {74, 264, 296, Size, ldsBytes},     // LDS of a block
    {75, -1, 696, Size, ldsBytes},      // the same on request
    {76, -1, 640, Size, ldsBytes},      // LDS of a compute unit
    {81, 720, 368, Size, 256},          // texture alignment
    {83, 320, 352, Size, anyGrid},      // constant memory
    {84, 256, 288, Size, globalBytes},  // global memory
    {85, -1, 604, Int, 1},              // one address space
    {87, 276, 308, Int, 64},            // wavefront
    {10000, 352, 1424, Int, 100000},    // clock of the device's timer, kHz
    {10002, 376, 1416, Size, ldsBytes}, // LDS of a compute unit
    {10011, 764, 1464, Int, 1},         // large BAR
    {10015, -1, -1, Int, 304},          // compute units, physical
    {10016, -1, -1, Int, 1},            // fine-grained memory
    {-1, 392, -1, Int, 942},            // architecture as a number
};

/// Places of the two strings, and the size of the structure.
struct TextPlace {
  unsigned name, arch, bytes;
};
constexpr TextPlace textR0000{0, 396, 792}, textR0600{0, 1160, 1472};

} // namespace

/// Attributes that HIP has and this table lacks are 0; numbers that HIP does
/// not have are an error.
bool tlc::sim::attributeValue(int attribute, int &value) {
  for (const Fact &fact : facts)
    if (fact.attribute == attribute && attribute >= 0) {
      // Attributes are ints even where the property has 64 bits.
      value = static_cast<int>(fact.value > INT32_MAX ? int64_t(INT32_MAX)
                                                      : fact.value);
      return true;
    }
  value = 0;
  bool named = (attribute >= 0 && attribute <= 100) ||
               (attribute >= 10000 && attribute <= 10030);
  return named;
}

/// Everything not in the table is 0.
void tlc::sim::fillProperties(void *properties, PropertiesLayout layout) {
  char *to = static_cast<char *>(properties);
  bool old = layout == PropertiesLayout::R0000;
  const TextPlace &text = old ? textR0000 : textR0600;
  std::memset(to, 0, text.bytes);
  for (const Fact &fact : facts) {
    int offset = old ? fact.offsetR0000 : fact.offsetR0600;
    if (offset < 0)
      continue;
    if (fact.width == Size)
      std::memcpy(to + offset, &fact.value, 8);
    else {
      int narrow = static_cast<int>(fact.value);
      std::memcpy(to + offset, &narrow, 4);
    }
  }
  std::strcpy(to + text.name, deviceName);
  std::strcpy(to + text.arch, archName);
}
