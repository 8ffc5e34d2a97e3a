//===- CompileReport.cpp - What a compiled kernel takes ---------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers are read from the tile dialect while the kernel is compiled, all else
// from the code object at the end. Kernels meet by their symbol names.
//
//   kernel main_kernel, 256 threads
//     registers  VGPR 128, AGPR 0, SGPR 32
//     occupancy  4 of 8 waves/SIMD, limited by vector registers
//
//===----------------------------------------------------------------------===//

#include "tlc/Report/CompileReport.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tlc/Dialect/Tile/IR/Relaxations.h"
#include "tlc/Dialect/Tile/IR/TileDialect.h"
#include "tlc/Simulator/Check/SourceLines.h"
#include "tlc/Simulator/Predict/LdsAccesses.h"
#include "tlc/Simulator/Timing/LoopCosts.h"
#include "tlc/Simulator/Timing/Parameters.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <tuple>

using namespace mlir;
using namespace tlc;
using namespace tlc::report;

/// The least of several limits, in wavefronts a SIMD. Registers are handed out
/// in granules of 8; LDS and workgroups are limits of a CU, divided among its
/// SIMDs. A workgroup of one wavefront has no limit of its own.
Occupancy report::occupancyOf(const target::KernelResources &k) {
  using namespace sim;
  unsigned waves = llvm::divideCeil(std::max(k.threads, 1u), kWaveSize);
  unsigned registers = llvm::alignTo(std::max(1u, k.vgprs), 8);
  Occupancy best{param::wavesPerSimd, "wavefront slots"};
  auto limit = [&](unsigned wavesPerSimd, const char *by) {
    if (wavesPerSimd < best.wavesPerSimd)
      best = {wavesPerSimd, by};
  };
  limit(param::vgprsPerSimd / registers, "vector registers");
  if (k.ldsBytes) {
    unsigned groups =
        param::ldsBytes / llvm::alignTo(k.ldsBytes, param::ldsGranule);
    limit(llvm::divideCeil(groups * waves, param::simdsPerCu), "LDS");
  }
  if (waves > 1)
    limit(llvm::divideCeil(param::maxGroupsPerCu * waves, param::simdsPerCu),
          "workgroups of a compute unit");
  return best;
}

/// "kernel.tile:70" of a whole path, with or without a column.
static std::string shortLine(StringRef place, bool hasColumn) {
  if (hasColumn)
    place = place.rsplit(':').first;
  size_t slash = place.rfind('/');
  return place.substr(slash == StringRef::npos ? 0 : slash + 1).str();
}

/// Lines of one file in their order, not "100" before "70": a key of file and
/// number.
static std::pair<StringRef, unsigned> lineKey(StringRef line) {
  auto [file, number] = line.rsplit(':');
  unsigned n = 0;
  number.getAsInteger(10, n);
  return {file, n};
}

/// "file:line" of the innermost place that is in a file; "" if there is none.
static std::string sourceLine(Location loc) {
  if (auto file = loc->findInstanceOf<FileLineColLoc>())
    return (file.getFilename().getValue() + ":" + Twine(file.getLine())).str();
  return "";
}

/// What the kernel declares about rounding that is not to nearest even, a line
/// for each.
static std::vector<std::string> relaxationsOf(tile::KernelOp kernel) {
  std::vector<std::string> found;
  if (double power = tile::getLazyMaximum(kernel))
    found.push_back(
        llvm::formatv("maxima may lag behind by 2^{0}", power).str());
  kernel.walk([&](arith::TruncFOp op) {
    if (!op.getRoundingmode())
      return;
    std::string line =
        llvm::formatv("{0} {1}  {2}",
                      getElementTypeOrSelf(op.getType()).isBF16() ? "bfloat16"
                                                                  : "float16",
                      *op.getRoundingmode() == arith::RoundingMode::toward_zero
                          ? "towards zero"
                          : "to nearest, ties away from zero",
                      shortLine(sourceLine(op.getLoc()), false))
            .str();
    if (!llvm::is_contained(found, line))
      found.push_back(line);
  });
  return found;
}

/// Shared buffers with their places, which the passes have decided by now.
void CompileReport::readTile(ModuleOp module) {
  for (auto func : module.getOps<tile::FuncOp>())
    for (auto kernel : func.getBody().getOps<tile::KernelOp>()) {
      Kernel &k = kernels[tile::getKernelSymbol(kernel)];
      k.buffers.clear();
      k.relaxations = relaxationsOf(kernel);
      kernel.walk([&](tile::AllocOp alloc) {
        if (tile::getSpace(alloc.getType()) != tile::Space::Shared ||
            !alloc.getLdsOffset())
          return;
        auto type = cast<MemRefType>(alloc.getType());
        int64_t elements =
            // A layout may spread a tile beyond its elements (padding).
            alloc.getLayout()
                ? alloc.getLayout()->getLayout().span(tlc::Place::Memory)
                : type.getNumElements();
        k.buffers.push_back(
            {alloc.getName().value_or("").str(),
             shortLine(sourceLine(alloc.getLoc()), false),
             int64_t(*alloc.getLdsOffset()),
             elements *
                 std::max<int64_t>(1, type.getElementTypeBitWidth() / 8)});
      });
      llvm::stable_sort(k.buffers, [](const LdsBuffer &a, const LdsBuffer &b) {
        return a.offset < b.offset;
      });
    }
}

/// Buffers by place.
static void printBuffers(const std::vector<LdsBuffer> &buffers,
                         llvm::raw_ostream &os) {
  if (!buffers.empty())
    os << "  LDS buffers               at      bytes\n";
  for (const LdsBuffer &buffer : buffers)
    os << llvm::formatv("    {0,-18} {1,8} {2,10}  {3}\n",
                        buffer.name.empty() ? "(unnamed)" : buffer.name,
                        buffer.offset, buffer.bytes, buffer.line);
}

namespace {
/// Accesses of one line that are alike. Two that cost unlike are told apart
/// only by their width and direction.
struct AccessRow {
  std::string line, why;
  LdsDirection direction;
  unsigned bytes = 0, count = 0;
  sim::LdsCertainty certainty;
  LdsCycles cycles;

  bool isLike(const AccessRow &o) const {
    return std::tie(line, why, direction, bytes, certainty) ==
           std::tie(o.line, o.why, o.direction, o.bytes, o.certainty);
  }
};
} // namespace

/// What an access that is not exact depends on.
static std::string reasonOf(const sim::LdsAccess &access,
                            sim::SourceLines &lines) {
  std::string what =
      access.ofLanes ? "lanes depend on " : "addresses depend on ";
  std::string where = shortLine(lines.at(access.cause), true);
  if (!where.empty())
    where = ", " + where;
  switch (access.reason) {
  case sim::LdsReason::None:
    return "";
  case sim::LdsReason::Data:
    return what + "data" + where;
  case sim::LdsReason::Uniform:
    return what + "sizes, loop counters or the place in the grid" + where;
  case sim::LdsReason::Trips:
    return "differs from trip to trip";
  case sim::LdsReason::NotFollowed:
    return "computed jumps or register numbers are not followed";
  }
  llvm_unreachable("all reasons are above");
}

/// LDS instructions of the code, added up by source line.
static void printAccesses(const sim::CodeObject &object,
                          const sim::KernelInfo &kernel, unsigned threads,
                          sim::SourceLines &lines, llvm::raw_ostream &os) {
  uint32_t block[3] = {threads, 1, 1};
  if (kernel.requiredWorkgroupSize[0])
    llvm::copy(kernel.requiredWorkgroupSize, block);
  std::vector<AccessRow> rows;
  for (const sim::LdsAccess &access : sim::predictLds(object, kernel, block)) {
    AccessRow row{shortLine(lines.at(access.address), true),
                  reasonOf(access, lines),
                  access.direction,
                  access.bytes,
                  0,
                  access.certainty,
                  {}};
    auto like = llvm::find_if(
        rows, [&](const AccessRow &other) { return other.isLike(row); });
    if (like == rows.end()) {
      rows.push_back(row);
      like = rows.end() - 1;
    }
    like->count += access.accesses;
    like->cycles.base += access.cycles.base;
    like->cycles.conflicts += access.cycles.conflicts;
  }
  llvm::stable_sort(rows, [](const AccessRow &a, const AccessRow &b) {
    return lineKey(a.line) < lineKey(b.line);
  });
  if (!rows.empty())
    os << "  LDS accesses of a workgroup, once each; cycles of the banks\n"
          "                               count     cycles  conflicts\n";
  for (const AccessRow &row : rows) {
    std::string what = llvm::formatv(
        "{0} {1} B", row.direction == LdsDirection::Read ? "read" : "write",
        row.bytes);
    std::string conflicts = llvm::utostr(row.cycles.conflicts);
    if (row.certainty == sim::LdsCertainty::AtMost)
      conflicts = "<= " + conflicts;
    else if (row.certainty == sim::LdsCertainty::Unknown)
      conflicts = "unknown";
    os << llvm::formatv("    {0,-24} {1,8} {2,10} {3,10}  {4}", what, row.count,
                        row.cycles.base, conflicts, row.line);
    if (!row.why.empty())
      os << "  (" << row.why << ')';
    os << '\n';
  }
}

/// Each loop's cost of one trip, by the tables of the timing model: nothing
/// runs, so waits and barriers are counted, not timed.
static void printLoops(const sim::CodeObject &object,
                       const sim::KernelInfo &kernel, sim::SourceLines &lines,
                       llvm::raw_ostream &os) {
  using sim::IssueKind;
  std::vector<sim::LoopCost> loops = sim::loopCosts(object, kernel);
  if (!loops.empty())
    os << "  loops, one trip of a wavefront; cycles of its SIMD\n"
          "                      matrix   vector    trans  issue    LDS  "
          "loads  waits  barriers\n";
  auto row = [&](std::string name, const sim::Work &work, StringRef where) {
    auto kind = [&](IssueKind k) { return work.byKind[size_t(k)]; };
    // Transcendental instructions are part of the vector cycles, in a column of
    // their own.
    uint64_t trans = kind(IssueKind::Transcendental) * sim::param::transCycles;
    os << llvm::formatv(
        "    {0,-16} {1,7} {2,8} {3,8} {4,6} {5,6} {6,6} {7,6} {8,9}  {9}\n",
        name, work.matrixCycles,
        work.vectorCycles - std::min(trans, work.vectorCycles), trans,
        work.issueCycles(), work.ldsCycles, kind(IssueKind::VectorMemory),
        work.waits, work.barriers, where);
    if (work.scratch)
      os << llvm::formatv("      {0} accesses to scratch\n", work.scratch);
  };
  for (const sim::LoopCost &loop : loops) {
    std::string indent(2 * loop.depth, ' ');
    row(indent +
            llvm::formatv("+{0:x}", loop.begin - kernel.entryAddress).str(),
        loop.always, shortLine(lines.at(loop.branch), true));
    if (loop.sometimes.instructions)
      row(indent + "  some trips", loop.sometimes, "at most");
  }
}

/// `bytes` is the code object. Kernels that readTile has not seen
/// (none of this compilation) get the parts that the object tells.
llvm::Error CompileReport::print(StringRef bytes, llvm::raw_ostream &os) const {
  auto resources = target::readResources(bytes);
  if (!resources)
    return resources.takeError();
  sim::CodeObject object;
  std::string error;
  auto *data = reinterpret_cast<const uint8_t *>(bytes.data());
  if (!sim::CodeObject::parse({data, bytes.size()}, object, error))
    return llvm::createStringError(llvm::inconvertibleErrorCode(), error);
  sim::SourceLines lines(object.bytes);
  // Every kernel of the object, in its order.
  for (const target::KernelResources &k : *resources) {
    Occupancy occupancy = occupancyOf(k);
    os << llvm::formatv("kernel {0}, {1} threads\n", k.name, k.threads);
    os << llvm::formatv("  registers  VGPR {0}, AGPR {1}, SGPR {2}", k.vgprs,
                        k.agprs, k.sgprs);
    if (unsigned spills = k.vgprSpills + k.sgprSpills)
      os << llvm::formatv(", {0} spilled", spills);
    os << llvm::formatv("\n  scratch    {0} bytes a lane\n  LDS        {1} of "
                        "{2} bytes\n  occupancy  {3} of {4} waves/SIMD, "
                        "limited by {5}\n",
                        k.scratchBytes, k.ldsBytes, +sim::param::ldsBytes,
                        occupancy.wavesPerSimd, +sim::param::wavesPerSimd,
                        occupancy.limit);
    if (auto it = kernels.find(k.name); it != kernels.end()) {
      for (const std::string &line : it->second.relaxations)
        os << "  relaxed    " << line << '\n';
      printBuffers(it->second.buffers, os);
    }
    if (const sim::KernelInfo *info = object.findKernel(k.name)) {
      printAccesses(object, *info, k.threads, lines, os);
      printLoops(object, *info, lines, os);
    }
  }
  return llvm::Error::success();
}
