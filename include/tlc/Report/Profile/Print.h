//===- Print.h - Reports as text, JSON, HTML and traces ---------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One report, four forms. All are deterministic: no dates, no host names.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_REPORT_PROFILE_PRINT_H
#define TLC_REPORT_PROFILE_PRINT_H

#include "tlc/Report/Profile/Report.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace tlc::report {

struct TextOptions {
  unsigned hotLines = 10;    ///< source lines shown; 0: none
  unsigned instructions = 4; ///< of each line
  bool counters = false;     ///< all counters, not only the table
};

/// The table a person reads, then the hottest source lines.
void printText(llvm::raw_ostream &os, const Report &report,
               const TextOptions &options);

/// Two reports side by side, the second as the base. Kernels are paired in
/// order.
void printComparison(llvm::raw_ostream &os, const Report &report,
                     const Report &base);

/// Version of the schema below; a change that a reader could notice raises it.
inline constexpr const char *profileSchema = "tlc.profile/1";
llvm::json::Value toJSON(const Report &report);
inline constexpr const char *comparisonSchema = "tlc.profile-comparison/1";
llvm::json::Value toJSON(const Report &report, const Report &base);

/// One self-contained page: no scripts or styles from elsewhere.
void printHTML(llvm::raw_ostream &os, const Report &report);

/// The Chrome trace event format, which ui.perfetto.dev opens. One process per
/// SIMD; in it one thread per wavefront slot for issue, waits and barriers, and
/// one each for what is in flight: matrix, LDS, memory. 1 ns stands for one
/// cycle.
void printTrace(llvm::raw_ostream &os, const Report &report);

/// A row of the comparison: also the rows of the short table.
struct Metric {
  const char *key, *title, *unit;
  /// Nothing where the report does not know it.
  std::optional<double> (*value)(const Report &, const KernelReport &);
};
const std::vector<Metric> &metrics();

/// Seconds at a clock; measured time where there is one.
double secondsAt(const KernelReport &kernel, double clock);
/// Median of the measured times; nothing if there is none.
std::optional<double> measuredSeconds(const KernelReport &kernel);

/// "1,234,567"; "12.3 MB"; "196.4 us".
std::string formatCount(double value);
std::string formatBytes(double value);
std::string formatSeconds(double value);

} // namespace tlc::report

#endif // TLC_REPORT_PROFILE_PRINT_H
