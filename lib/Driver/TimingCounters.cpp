//===- TimingCounters.cpp - Counters by the names of rocprofv3 ------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A counter has a hardware name only if rocprofv3 lists it for gfx942 and its
// value here means the same, summed over all instances; where the hardware
// counts quad-cycles, so does the value. Counters of SQ_INSTS_VALU include
// matrix instructions, as there.
//
//===----------------------------------------------------------------------===//

#include "FromTiming.h"
#include "tlc/Simulator/Timing/Parameters.h"
#include "llvm/ADT/StringRef.h"
#include <map>

using namespace tlc;
using namespace tlc::report;
using llvm::StringRef;
using sim::IssueKind;
using sim::StallCause;

/// The shape is in the name: v_mfma_f32_16x16x16_f16 is 2 * 16 * 16 * 16, times
/// the number of blocks (..._4b_...).
double tlc::matrixFlopsOf(const std::string &mnemonic) {
  StringRef rest = mnemonic;
  bool sparse = rest.consume_front("v_smfmac_");
  if (!sparse && !rest.consume_front("v_mfma_"))
    return 0;
  rest = rest.split('_').second; // behind the accumulator's type
  double flops = 2;
  for (int i = 0; i < 3; ++i) {
    unsigned extent;
    if (rest.consumeInteger(10, extent))
      return 0;
    flops *= extent;
    rest.consume_front("x");
  }
  unsigned blocks;
  if (rest.consume_front("_") && !rest.consumeInteger(10, blocks) &&
      rest.starts_with("b"))
    flops *= blocks;
  return flops;
}

/// Only arithmetic counts, moves and conversions do not; packed instructions do
/// two elements a lane.
double tlc::vectorFlopsOf(const std::string &mnemonic) {
  StringRef name = mnemonic;
  if (!name.consume_front("v_"))
    return 0;
  double lanes = name.consume_front("pk_") ? 2 : 1;
  StringRef op = name.split('_').first;
  if (!name.contains("_f32") && !name.contains("_f16") &&
      !name.contains("_f64"))
    return 0;
  if (op == "fma" || op == "fmac" || op == "mac" || op == "mad" ||
      op == "fmaak" || op == "fmamk")
    return 2 * lanes;
  if (op == "add" || op == "sub" || op == "subrev" || op == "mul")
    return lanes;
  return 0;
}

namespace {

/// The input type of a matrix instruction as counters name it. What stands
/// behind the shape: 32x32x8_f16 -> F16. bf16 before f16, which it contains.
const char *matrixType(StringRef mnemonic) {
  static constexpr std::pair<const char *, const char *> types[] = {
      {"_bf16", "BF16"}, {"_f16", "F16"}, {"xf32", "XF32"}, {"_f32", "F32"},
      {"_f64", "F64"},   {"_i8", "I8"},   {"_fp8", "F8"},   {"_bf8", "F8"}};
  StringRef inputs = mnemonic.substr(mnemonic.find('x'));
  for (auto [suffix, name] : types)
    if (inputs.contains(suffix))
      return name;
  return "";
}

/// The counters of one launch, in the order in which they are shown.
class CounterList {
public:
  CounterList(KernelReport &report, const sim::TimingResult &time)
      : report(report), time(time) {}

  void run() {
    machine();
    instructions();
    cycles();
    memory();
  }

private:
  /// `hardware`: rocprofv3 knows the counter by this name.
  void add(std::string name, double value, const char *unit,
           const char *meaning, bool hardware = true) {
    report.counters.push_back(
        {std::move(name), unit, meaning, value, hardware});
  }
  double issued(IssueKind kind) const { return time.issues[size_t(kind)]; }
  double stalled(StallCause cause) const { return time.stalls[size_t(cause)]; }

  void machine();
  void instructions();
  void cycles();
  void memory();

  KernelReport &report;
  const sim::TimingResult &time;
};

/// The launch as a whole.
void CounterList::machine() {
  add("GRBM_GUI_ACTIVE", time.cycles, "cycles", "length of the launch");
  add("SQ_WAVES", time.waves, "", "wavefronts");
  add("SQ_WAVE_CYCLES", time.waveCycles / 4.0, "quads",
      "quad-cycles of wavefronts' lives");
  add("OccupancyPercent",
      100 * time.occupancy.averageWaves / sim::param::wavesPerSimd, "%",
      "wavefronts of what the slots hold, whole device");
  add("MeanOccupancyPerCU",
      time.occupancy.averageWaves * sim::param::simdsPerCu, "waves",
      "wavefronts a CU, on average");
}

/// What was issued, by kind. Matrix work is counted in operations by input
/// type, vector arithmetic in instructions by operation and type.
void CounterList::instructions() {
  double reads = 0, writes = 0, transcendental = 0;
  std::map<std::string, double> matrix, arithmetic;
  for (const auto &[address, code] : time.code) {
    StringRef name = code.mnemonic;
    if (code.kind == IssueKind::VectorMemory)
      (name.contains("store") ? writes : reads) += code.issues;
    if (code.kind == IssueKind::Transcendental && name.contains("_f32"))
      transcendental += code.issues;
    if (code.kind == IssueKind::Matrix)
      matrix[matrixType(name)] += code.issues * matrixFlopsOf(code.mnemonic);
    if (double flops = vectorFlopsOf(code.mnemonic);
        flops > 0 && !name.starts_with("v_pk_")) {
      StringRef type = name.contains("_f64")   ? "F64"
                       : name.contains("_f16") ? "F16"
                                               : "F32";
      const char *kind = flops == 2              ? "FMA"
                         : name.contains("_mul") ? "MUL"
                                                 : "ADD";
      arithmetic[(kind + ("_" + type)).str()] += code.issues;
    }
  }
  double valu = issued(IssueKind::Matrix) + issued(IssueKind::Vector) +
                issued(IssueKind::Transcendental);
  add("SQ_INSTS", time.instructions, "", "instructions of wavefronts");
  add("SQ_INSTS_VALU", valu, "", "vector instructions, matrix ones included");
  add("SQ_INSTS_MFMA", issued(IssueKind::Matrix), "", "matrix instructions");
  for (const auto &[type, flops] : matrix)
    if (!type.empty())
      // The hardware's unit of these counters.
      add("SQ_INSTS_VALU_MFMA_MOPS_" + type, flops / 512, "",
          "matrix operations in units of 512", type != "XF32");
  for (const auto &[name, count] : arithmetic)
    add("SQ_INSTS_VALU_" + name, count, "", "vector arithmetic");
  add("SQ_INSTS_VALU_TRANS_F32", transcendental, "", "f32 transcendentals");
  add("SQ_INSTS_SALU", issued(IssueKind::Scalar), "", "scalar instructions");
  add("SQ_INSTS_SMEM", issued(IssueKind::ScalarMemory), "", "scalar loads");
  add("SQ_INSTS_VMEM", issued(IssueKind::VectorMemory), "",
      "vector memory instructions");
  add("SQ_INSTS_VMEM_RD", reads, "", "reads and atomics among them");
  add("SQ_INSTS_VMEM_WR", writes, "", "writes among them");
  add("SQ_INSTS_LDS", issued(IssueKind::Lds), "", "LDS instructions");
  add("SQ_INSTS_BRANCH", issued(IssueKind::Branch), "", "branches");
}

/// Who worked, and who waited. Quads are four cycles, as in SQ's counters.
void CounterList::cycles() {
  using enum StallCause;
  add("SQ_VALU_MFMA_BUSY_CYCLES", time.matrixBusy, "cycles",
      "matrix cores at work, summed over SIMDs");
  add("MfmaUtil", 100 * report.matrixUse, "%",
      "matrix cores at work, of all SIMDs' cycles");
  add("SQ_ACTIVE_INST_VALU", time.vectorBusy / 4.0, "quads",
      "vector ALUs at work");
  add("VALUBusy", 100 * report.valuUse, "%",
      "vector ALUs at work, of all SIMDs' cycles");
  add("SQ_THREAD_CYCLES_VALU", report.valuLanes * time.vectorBusy / 4, "quads",
      "the same, times the active lanes");
  if (time.vectorBusy)
    add("VALUUtilization", 100 * report.valuLanes / 64, "%",
        "active lanes, of those of vector ALUs at work");
  add("SQ_LDS_IDX_ACTIVE", time.ldsBusy, "cycles", "LDS at work");
  uint64_t bankConflicts = time.ldsConflicts - time.ldsAddressConflicts;
  add("SQ_LDS_BANK_CONFLICT", bankConflicts, "cycles",
      "of these, for bank conflicts");
  add("SQ_LDS_ADDR_CONFLICT", time.ldsAddressConflicts, "cycles",
      "of these, for lanes of an atomic that meet in an address");
  add("LdsUtil", 100 * report.ldsUse, "%", "LDS at work, of all CUs' cycles");
  add("LDSBankConflict",
      time.cycles
          ? 100.0 * bankConflicts / (double(time.cycles) * time.computeUnits)
          : 0,
      "%", "conflict cycles of all CUs' cycles");
  add("SQ_WAIT_ANY",
      (stalled(VectorMemory) + stalled(Lds) + stalled(ScalarMemory) +
       stalled(Barrier)) /
          4,
      "quads", "wavefronts at s_waitcnt or s_barrier");
  add("SQ_WAIT_INST_ANY",
      (stalled(MatrixCore) + stalled(VectorAlu) + stalled(LdsIssue) +
       stalled(MemoryIssue) + stalled(Issue)) /
          4,
      "quads", "wavefronts whose next instruction cannot issue");
  add("SQ_WAIT_INST_LDS", stalled(LdsIssue) / 4, "quads",
      "the same, for LDS instructions");
  add("address unit", time.addressBusy, "cycles",
      "address units of vector memory at work", false);
}

/// Lookups and hits by cache; the suffix _sum is over all instances.
void CounterList::memory() {
  const sim::MemoryCounters &m = time.memory;
  add("TCP_TOTAL_CACHE_ACCESSES_sum", m.l1Lines, "lines", "lookups in L1");
  add("L1 hits", m.l1Hits, "lines", "of these, found", false);
  add("TCC_REQ_sum", m.l2Lines, "lines", "requests to L2, of 128 bytes");
  add("TCC_HIT_sum", m.l2Hits, "lines", "of these, found");
  add("TCC_MISS_sum", double(m.l2Lines - m.l2Hits), "lines", "not found");
  if (m.l2Lines)
    add("L2CacheHit", 100.0 * m.l2Hits / m.l2Lines, "%", "hits of L2");
  double read = double(m.mallLines) * sim::param::lineBytes;
  add("FETCH_SIZE", read / 1024, "KB", "read by L2 from what lies beyond it");
  add("WRITE_SIZE", std::max(0.0, double(m.mallBytes) - read) / 1024, "KB",
      "written by L2 to what lies beyond it");
  add("Infinity Cache requests", m.mallLines, "lines", "of 128 bytes", false);
  add("Infinity Cache hits", m.mallHits, "lines", "of these, found", false);
  add("HBM bytes", m.hbmBytes, "bytes", "moved to and from HBM", false);
  add("scalar cache requests", m.scalarLines, "lines", "of 64 bytes", false);
  add("scalar cache hits", m.scalarHits, "lines", "of these, found", false);
}

} // namespace

void tlc::addCounters(KernelReport &report, const sim::TimingResult &time) {
  CounterList(report, time).run();
}
