//===- Metrics.cpp - Figures of the short table ---------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The figures that two profiles are compared by, and that JSON repeats under
// stable keys. What a report does not know has no value.
//
//   key         title     unit    value
//   "cycles"    cycles            of the model alone
//   "time_us"   time      us      measured, or cycles at the clock
//
// Keys are part of the JSON schema: never used again for something else.
//
//===----------------------------------------------------------------------===//

#include "tlc/Report/Profile/Print.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace tlc::report;

namespace {

using Value = std::optional<double>;

/// The model's figures are none of a measured launch.
Value whenModelled(const Report &report, double value) {
  return report.origin == Origin::Modelled ? Value(value) : std::nullopt;
}

/// Bytes, or TB/s with `rate`, of a level of memory.
Value ofLevel(const KernelReport &kernel, const char *key, bool rate,
              double clock) {
  for (const Level &level : kernel.levels)
    if (level.key == key)
      return rate ? level.bytes / secondsAt(kernel, clock) / 1e12 : level.bytes;
  return std::nullopt;
}

/// The clock that the user asked for, else the machine's highest.
double clockOf(const Report &report) {
  return report.chosenClock.value_or(report.maxClock);
}

// The two shapes of most rows: a field of a modelled launch, and a level's
// bytes or rate.
#define MODELLED(expression)                                                   \
  [](const Report &r, const KernelReport &k) -> Value {                        \
    return whenModelled(r, expression);                                        \
  }
#define LEVEL(key, rate)                                                       \
  [](const Report &r, const KernelReport &k) -> Value {                        \
    return ofLevel(k, key, rate, clockOf(r));                                  \
  }

/// What a stall is of the wavefronts' time. All of them and what is left, the
/// issuing, add up to 100.
double waitShare(const KernelReport &k, Stall stall) {
  return k.waveCycles > 0 ? 100 * k.stalls[unsigned(stall)] / k.waveCycles : 0;
}
double issueShare(const KernelReport &k) {
  return k.waveCycles > 0
             ? 100 * std::max(0.0, 1 - sum(k.stalls) / k.waveCycles)
             : 0;
}

const std::vector<Metric> table = {
    {"cycles", "cycles", "", MODELLED(k.cycles)},
    {"time_us", "time", "us",
     [](const Report &r, const KernelReport &k) -> Value {
       double seconds = secondsAt(k, clockOf(r));
       return seconds > 0 ? Value(seconds * 1e6) : std::nullopt;
     }},
    {"tflops", "TFLOP/s", "",
     [](const Report &r, const KernelReport &k) -> Value {
       double seconds = secondsAt(k, clockOf(r));
       return seconds > 0 && k.flops() > 0 ? Value(k.flops() / seconds / 1e12)
                                           : std::nullopt;
     }},
    {"loaded_clock_ghz", "clock under load", "GHz",
     [](const Report &r, const KernelReport &k) -> Value {
       return k.clockUnderLoad > 0 ? whenModelled(r, k.clockUnderLoad / 1e9)
                                   : std::nullopt;
     }},
    {"loaded_time_us", "time at it", "us",
     [](const Report &r, const KernelReport &k) -> Value {
       return k.clockUnderLoad > 0
                  ? whenModelled(r, k.cycles / k.clockUnderLoad * 1e6)
                  : std::nullopt;
     }},
    {"matrix_percent", "matrix utilisation", "%", MODELLED(100 * k.matrixUse)},
    {"valu_percent", "VALU utilisation", "%", MODELLED(100 * k.valuUse)},
    {"lds_percent", "LDS utilisation", "%", MODELLED(100 * k.ldsUse)},
    {"valu_lanes_percent", "active lanes of VALU work", "%",
     [](const Report &r, const KernelReport &k) -> Value {
       return k.valuUse > 0 ? whenModelled(r, 100 * k.valuLanes / 64)
                            : std::nullopt;
     }},
    {"bank_conflict_cycles", "LDS bank-conflict cycles", "",
     MODELLED(k.ldsConflictCycles)},
    {"waves_per_simd", "wavefronts a SIMD, average", "",
     MODELLED(k.occupancy.achieved)},
    {"active_cus_percent", "CUs with work", "%", MODELLED(100 * k.activeCUs)},
    {"wait_vector_memory_percent", "wave time in memory waits", "%",
     MODELLED(waitShare(k, Stall::VectorMemory))},
    {"wait_lds_percent", "wave time in LDS waits", "%",
     MODELLED(waitShare(k, Stall::Lds))},
    {"wait_scalar_memory_percent", "wave time in scalar loads", "%",
     MODELLED(waitShare(k, Stall::ScalarMemory))},
    {"wait_barrier_percent", "wave time at barriers", "%",
     MODELLED(waitShare(k, Stall::Barrier))},
    {"wait_matrix_busy_percent", "wave time, matrix core busy", "%",
     MODELLED(waitShare(k, Stall::MatrixBusy))},
    {"wait_valu_busy_percent", "wave time, vector ALU busy", "%",
     MODELLED(waitShare(k, Stall::ValuBusy))},
    {"wait_lds_busy_percent", "wave time, LDS port busy", "%",
     MODELLED(waitShare(k, Stall::LdsBusy))},
    {"wait_memory_busy_percent", "wave time, memory path busy", "%",
     MODELLED(waitShare(k, Stall::MemoryBusy))},
    {"wait_fetch_percent", "wave time in fetch", "%",
     MODELLED(waitShare(k, Stall::Fetch))},
    {"wait_arbitration_percent", "wave time, another's turn", "%",
     MODELLED(waitShare(k, Stall::Arbitration))},
    {"wait_nop_percent", "wave time in s_nop, s_sleep", "%",
     MODELLED(waitShare(k, Stall::Nop))},
    {"wait_other_percent", "wave time in other waits", "%",
     MODELLED(waitShare(k, Stall::Other))},
    {"issue_percent", "wave time issuing", "%", MODELLED(issueShare(k))},
    {"l1_bytes", "L1 bytes", "B", LEVEL("l1", false)},
    {"l2_bytes", "L2 bytes", "B", LEVEL("l2", false)},
    {"mall_bytes", "Infinity Cache bytes", "B", LEVEL("mall", false)},
    {"hbm_bytes", "HBM bytes", "B", LEVEL("hbm", false)},
    {"requested_tbps", "effective bandwidth", "TB/s", LEVEL("requested", true)},
    {"l2_tbps", "L2 TB/s", "TB/s", LEVEL("l2", true)},
    {"hbm_tbps", "HBM TB/s", "TB/s", LEVEL("hbm", true)},
};

} // namespace

const std::vector<Metric> &tlc::report::metrics() { return table; }

/// The median: one slow launch does not move it. None without measurements.
std::optional<double> tlc::report::measuredSeconds(const KernelReport &kernel) {
  if (kernel.seconds.empty())
    return std::nullopt;
  std::vector<double> sorted = kernel.seconds;
  std::sort(sorted.begin(), sorted.end());
  size_t middle = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[middle]
                           : (sorted[middle - 1] + sorted[middle]) / 2;
}

/// What was measured counts, whatever the clock; else cycles at `clock`.
double tlc::report::secondsAt(const KernelReport &kernel, double clock) {
  if (std::optional<double> measured = measuredSeconds(kernel))
    return *measured;
  return kernel.cycles / clock;
}

/// 1234567 -> "1,234,567"
std::string tlc::report::formatCount(double value) {
  std::string digits = fmt::format("{:.0f}", value);
  for (int at = int(digits.size()) - 3, first = digits[0] == '-'; at > first;
       at -= 3)
    digits.insert(at, ",");
  return digits;
}

/// Decimal units: 1536000 -> "1.5 MB".
std::string tlc::report::formatBytes(double value) {
  static constexpr const char *units[] = {"B", "KB", "MB", "GB", "TB", "PB"};
  unsigned unit = 0;
  for (; std::fabs(value) >= 999.5 && unit < 5; ++unit)
    value /= 1000;
  return fmt::format("{:.{}f} {}", value, value < 99.5 && unit ? 1 : 0,
                     units[unit]);
}

std::string tlc::report::formatSeconds(double value) {
  if (value >= 1)
    return fmt::format("{:.3f} s", value);
  if (value >= 1e-3)
    return fmt::format("{:.3f} ms", value * 1e3);
  return fmt::format("{:.2f} us", value * 1e6);
}
