//===- WaveMemory.cpp - Global memory, buffers and LDS of wave kernels ----===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane moves up to 16 bytes. A buffer access is checked dword by dword
// against the resource's size, by voffset and offset: outside, it reads 0 and
// writes nothing. What passes that check, and every other access, must lie in
// the argument it points into.
//
// The resource's check is by element of 4 bytes, so that a 16-byte load over
// the end of a tensor still reads what is inside (CDNA3 ISA, range checking of
// buffers). soffset takes no part in it.
//
//===----------------------------------------------------------------------===//

#include "WaveMachine.h"
#include <cmath>

using namespace tlc;
using namespace tlc::reference;

namespace {

const WaveData &dataOf(const Inst &inst) {
  return *static_cast<const WaveData *>(inst.extra);
}

/// The bytes at an address, or null after a diagnostic.
uint8_t *globalBytes(Frame &f, const Inst &inst, int64_t address,
                     int64_t bytes) {
  // An offset below the start borrows from the argument's number.
  int64_t argument =
      ((address + (int64_t(1) << (kAddressShift - 1))) >> kAddressShift) - 1;
  auto &memory = waveOf(f).group.memory;
  int64_t offset = address - ((argument + 1) << kAddressShift);
  if (argument < 0 || argument >= int64_t(memory.size()) || !memory[argument]) {
    f.m.fail(inst, "the address points into no argument");
    return nullptr;
  }
  int64_t size = memory[argument]->size();
  if (offset < 0 || offset + bytes > size) {
    f.m.fail(inst, "byte " + llvm::Twine(offset) + " of argument " +
                       llvm::Twine(argument) + " does not exist: it has " +
                       llvm::Twine(size) + " bytes");
    return nullptr;
  }
  return memory[argument]->data() + offset;
}

/// The bytes at an LDS address, or null after a diagnostic. A misaligned access
/// is split or faults on the device, so it is an error here.
uint8_t *ldsBytes(Frame &f, const Inst &inst, int64_t address, int64_t bytes,
                  int64_t align) {
  auto &lds = waveOf(f).group.lds;
  if (address < 0 || address + bytes > int64_t(lds.size())) {
    f.m.fail(inst, "byte " + llvm::Twine(address) +
                       " of LDS does not exist: the kernel has " +
                       llvm::Twine(lds.size()));
    return nullptr;
  }
  if (address % align) {
    f.m.fail(inst, "the LDS address " + llvm::Twine(address) +
                       " is not aligned to " + llvm::Twine(align) + " bytes");
    return nullptr;
  }
  return lds.data() + address;
}

/// A lane's elements as bytes, and back. Elements lie one behind another,
/// little-endian.
void encode(Frame &f, Scalar type, const Slots &slots, unsigned lane,
            uint8_t *to) {
  unsigned size = (type.bits + 7) / 8;
  for (uint32_t slot : slots) {
    uint64_t bits = encodeCell(type, f.at(slot)[lane]);
    std::memcpy(to, &bits, size);
    to += size;
  }
}
void decode(Frame &f, Scalar type, const Slots &slots, unsigned lane,
            const uint8_t *from) {
  unsigned size = (type.bits + 7) / 8;
  for (uint32_t slot : slots) {
    uint64_t bits = 0;
    std::memcpy(&bits, from, size);
    f.at(slot)[lane] = decodeCell(type, bits);
    from += size;
  }
}

/// Calls move(i, bytes) for each part of a buffer access that is in range:
/// i-th byte of the value, its place in memory. b: base, size, voffset and, if
/// there is one, soffset.
template <class Fn>
bool forParts(Frame &f, const Inst &inst, const WaveData &d, unsigned lane,
              Fn move) {
  int64_t base = f.at(d.b[0])[lane].i, size = f.at(d.b[1])[lane].i;
  uint64_t offset = uint32_t(f.at(d.b[2])[lane].i) + uint64_t(inst.imm);
  int64_t scalar = d.b.size() > 3 ? uint32_t(f.at(d.b[3])[lane].i) : 0;
  int64_t part = std::min<int64_t>(d.bytes, 4);
  // The size is a field of 32 bits: a larger one is cut off there.
  uint64_t limit = uint64_t(std::min<int64_t>(size, UINT32_MAX));
  for (int64_t i = 0; i < d.bytes; i += part) {
    if (offset + i + part > limit)
      continue;
    uint8_t *at =
        globalBytes(f, inst, base + int64_t(offset) + i + scalar, part);
    if (!at)
      return false;
    move(i, at, part);
  }
  return true;
}

/// The value an atomic leaves.
Cell combine(wave::AtomicKind kind, Scalar type, Cell old, Cell value) {
  using K = wave::AtomicKind;
  auto round = [&](double v) { return Cell{.f = type.format->round(v)}; };
  uint64_t a = encodeCell(type, old), b = encodeCell(type, value);
  switch (kind) {
  case K::Add:
    return type.isFloat() ? round(old.f + value.f) : decodeCell(type, a + b);
  case K::Max:
    return type.isFloat() ? round(std::fmax(old.f, value.f))
                          : Cell{.i = std::max(old.i, value.i)};
  case K::Min:
    return type.isFloat() ? round(std::fmin(old.f, value.f))
                          : Cell{.i = std::min(old.i, value.i)};
  case K::UMax:
    return decodeCell(type, std::max(a, b));
  case K::UMin:
    return decodeCell(type, std::min(a, b));
  case K::And:
    return decodeCell(type, a & b);
  case K::Or:
    return decodeCell(type, a | b);
  case K::Xor:
    return decodeCell(type, a ^ b);
  case K::Exchange:
    return value;
  }
  return value;
}

/// Slot dst gets the old elements, memory the combined ones: element by
/// element, which is what a packed atomic does.
void atomic(Frame &f, const WaveData &d, unsigned lane, uint8_t *at) {
  unsigned size = (d.type.bits + 7) / 8;
  for (size_t e = 0; e < d.a.size(); ++e, at += size) {
    uint64_t bits = 0;
    std::memcpy(&bits, at, size);
    Cell old = decodeCell(d.type, bits);
    bits = encodeCell(d.type, combine(d.kind, d.type, old, f.at(d.a[e])[lane]));
    std::memcpy(at, &bits, size);
    f.at(d.dst[e])[lane] = old;
  }
}

template <class Fn> void forActive(Frame &f, Fn each) {
  for (unsigned l = 0; l < kLanes && !f.m.failed; ++l)
    if (f.active(l))
      each(l);
}

/// A base, and bytes added to it.
int64_t globalAddress(Frame &f, const WaveData &d, unsigned lane) {
  return f.at(d.b[0])[lane].i + f.at(d.b[1])[lane].i;
}

} // namespace

void tlc::reference::waveBufferLoad(Frame &f, const Inst &inst) {
  const WaveData &d = dataOf(inst);
  forActive(f, [&](unsigned l) {
    uint8_t bytes[16] = {};
    if (forParts(f, inst, d, l, [&](int64_t i, uint8_t *at, int64_t n) {
          std::memcpy(bytes + i, at, n);
        }))
      decode(f, d.type, d.dst, l, bytes);
  });
}

void tlc::reference::waveBufferStore(Frame &f, const Inst &inst) {
  const WaveData &d = dataOf(inst);
  forActive(f, [&](unsigned l) {
    uint8_t bytes[16];
    encode(f, d.type, d.a, l, bytes);
    forParts(f, inst, d, l, [&](int64_t i, uint8_t *at, int64_t n) {
      std::memcpy(at, bytes + i, n);
    });
  });
}

void tlc::reference::waveGlobalLoad(Frame &f, const Inst &inst) {
  const WaveData &d = dataOf(inst);
  forActive(f, [&](unsigned l) {
    if (uint8_t *at = globalBytes(f, inst, globalAddress(f, d, l), d.bytes))
      decode(f, d.type, d.dst, l, at);
  });
}

void tlc::reference::waveGlobalStore(Frame &f, const Inst &inst) {
  const WaveData &d = dataOf(inst);
  forActive(f, [&](unsigned l) {
    if (uint8_t *at = globalBytes(f, inst, globalAddress(f, d, l), d.bytes))
      encode(f, d.type, d.a, l, at);
  });
}

void tlc::reference::waveGlobalAtomic(Frame &f, const Inst &inst) {
  const WaveData &d = dataOf(inst);
  forActive(f, [&](unsigned l) {
    if (uint8_t *at = globalBytes(f, inst, globalAddress(f, d, l), d.bytes))
      atomic(f, d, l, at);
  });
}

void tlc::reference::waveLdsLoad(Frame &f, const Inst &inst) {
  const WaveData &d = dataOf(inst);
  forActive(f, [&](unsigned l) {
    if (uint8_t *at =
            ldsBytes(f, inst, f.at(d.b[0])[l].i + inst.imm, d.bytes, d.align))
      decode(f, d.type, d.dst, l, at);
  });
}

void tlc::reference::waveLdsStore(Frame &f, const Inst &inst) {
  const WaveData &d = dataOf(inst);
  forActive(f, [&](unsigned l) {
    if (uint8_t *at =
            ldsBytes(f, inst, f.at(d.b[0])[l].i + inst.imm, d.bytes, d.align))
      encode(f, d.type, d.a, l, at);
  });
}

void tlc::reference::waveLdsAtomic(Frame &f, const Inst &inst) {
  const WaveData &d = dataOf(inst);
  forActive(f, [&](unsigned l) {
    if (uint8_t *at = ldsBytes(f, inst, f.at(d.b[0])[l].i, d.bytes, d.align))
      atomic(f, d, l, at);
  });
}
