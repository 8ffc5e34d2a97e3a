//===- LaneMoves.cpp - Where a lane's value comes from ----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The encodings of dpp_ctrl and of the offset of ds_swizzle_b32 are those of
// the CDNA3 ISA (VOP_DPP; DS_SWIZZLE_B32). The handlers have tables of their
// own: this is for following undefined values through a move, and must not
// inherit their mistakes.
//
//===----------------------------------------------------------------------===//

#include "LaneMoves.h"
#include "llvm/ADT/StringRef.h"

using namespace tlc::sim;

int tlc::sim::dppSourceLane(unsigned ctrl, unsigned lane) {
  using namespace DppCtrl;
  unsigned row = lane & ~15u, in = lane & 15, by = ctrl & 15;
  if (ctrl <= QuadPermLast)
    return (lane & ~3u) | (ctrl >> (2 * (lane & 3)) & 3);
  switch (ctrl & ~15u) {
  case RowShl:
    return in + by < 16 ? int(lane + by) : -1;
  case RowShr:
    return in >= by ? int(lane - by) : -1;
  case RowRor:
    return row | ((in + 16 - by) & 15);
  case RowNewBcast:
    return row | by;
  default:
    break;
  }
  switch (ctrl) {
  case WaveShl1:
    return lane + 1 < waveLanes ? int(lane + 1) : -1;
  case WaveRol1:
    return (lane + 1) % waveLanes;
  case WaveShr1:
    return int(lane) - 1;
  case WaveRor1:
    return (lane + waveLanes - 1) % waveLanes;
  case RowMirror:
    return row | (15 - in);
  case RowHalfMirror:
    return (lane & ~7u) | (7 - (lane & 7));
  case RowBcast15:
    return int(row) - 1;
  case RowBcast31:
    return lane >= 32 ? 31 : -1;
  default:
    return -1;
  }
}

// Quad mode (bit 15), or and, or and xor masks over 32 lanes.
int tlc::sim::swizzleSourceLane(unsigned offset, unsigned lane) {
  if ((offset & 0xff00) == 0x8000)
    return (lane & ~3u) | (offset >> (2 * (lane & 3)) & 3);
  if (offset & 0x8000)
    return -1;
  unsigned in = lane & 31;
  in = ((in & (offset & 31)) | (offset >> 5 & 31)) ^ (offset >> 10 & 31);
  return (lane & 32) | in;
}

/// Any undefined k makes its whole row (column) undefined.
uint64_t MatrixRows::inputs(uint64_t lanes) const {
  uint64_t result = 0;
  for (unsigned l = 0; l < waveLanes; ++l)
    if (lanes >> l & 1)
      result |= uint64_t(1) << (l % size);
  return result;
}

/// The row of the result in dword \p dword of a lane; see docs/layouts.md.
unsigned MatrixRows::row(unsigned dword, unsigned lane) const {
  if (isDouble) // 16x16x4, a pair of dwords for each of four rows
    return dword / 2 * 4 + lane / 16;
  if (size == 32)
    return dword / 4 * 8 + lane / 32 * 4 + dword % 4;
  return lane / 16 * 4 + dword;
}

// Broadcasts (cbsz, abid), permutations (blgp), sparse forms and several blocks
// have other layouts: unknown.
MatrixRows tlc::sim::matrixRowsOf(const Instruction &inst) {
  MatrixRows rows;
  llvm::StringRef name = mnemonic(inst.op);
  rows.isDouble = inst.src[2].type == DataType::F64;
  bool several =
      name.contains("_2b_") || name.contains("_4b_") || name.contains("_16b_");
  rows.size = name.contains("32x32") ? 32 : 16;
  rows.known = !several && !name.contains("_4x4") && !inst.cbsz && !inst.abid &&
               !inst.has(flag::Sparse) && (rows.isDouble || !inst.blgp);
  return rows;
}
