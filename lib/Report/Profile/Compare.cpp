//===- Compare.cpp - Two profiles side by side ----------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `tlc profile A --against B`: kernels of one name are paired, others by their
// order; each figure of Metrics.cpp is one line with both values and their
// quotient.
//
//                                 A                  B   A / B
//   cycles                  100,000            125,000   0.800 x
//   VALU utilisation         12.0 %             10.0 %   +2.0 points
//
//===----------------------------------------------------------------------===//

#include "tlc/Report/Profile/Print.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace tlc::report;

namespace {

/// A value in its unit; "-" where the report does not know it.
std::string show(const Metric &metric, std::optional<double> value) {
  if (!value)
    return "-";
  std::string_view unit = metric.unit;
  if (unit == "B")
    return formatBytes(*value);
  if (unit == "%")
    return fmt::format("{:.1f} %", *value);
  if (unit.empty() && *value == std::floor(*value))
    return formatCount(*value);
  return fmt::format("{:.3f}{}{}", *value, unit.empty() ? "" : " ", unit);
}

/// "1.25 x", for shares the difference in points.
std::string change(const Metric &metric, std::optional<double> value,
                   std::optional<double> base) {
  if (!value || !base)
    return "";
  if (std::string_view(metric.unit) == "%") {
    double points = *value - *base;
    return std::fabs(points) < 0.05 ? "="
                                    : fmt::format("{:+.1f} points", points);
  }
  if (*value == *base)
    return "=";
  if (*base == 0)
    return "";
  return fmt::format("{:.3f} x", *value / *base);
}

/// The first limiter of one side; the pair of them says what a change moved.
void printLimiter(llvm::raw_ostream &os, const char *who,
                  const KernelReport &kernel) {
  if (kernel.limiters.empty())
    return;
  const Limiter &limiter = kernel.limiters.front();
  os << fmt::format("  {} is held back most by {}{}{} ({:.1f} %): {}\n", who,
                    limiter.headline, limiter.where.empty() ? "" : " at ",
                    limiter.where, 100 * limiter.rank, limiter.detail);
}

} // namespace

namespace {

/// Which kernel of A is compared with which of B: those of one name, in order;
/// the others in order. ~0: none.
std::vector<std::pair<size_t, size_t>> pairsOf(const Report &a,
                                               const Report &b) {
  constexpr size_t none = ~size_t(0);
  std::vector<std::pair<size_t, size_t>> pairs;
  std::vector<bool> taken(b.kernels.size());
  for (size_t i = 0; i < a.kernels.size(); ++i) {
    size_t match = none;
    for (size_t j = 0; j < b.kernels.size() && match == none; ++j)
      if (!taken[j] && a.kernels[i].name == b.kernels[j].name)
        match = j;
    if (match != none)
      taken[match] = true;
    pairs.push_back({i, match});
  }
  // What bears another name: the first that is left.
  size_t next = 0;
  for (auto &[i, match] : pairs) {
    while (next < taken.size() && taken[next])
      ++next;
    if (match == none && next < taken.size()) {
      taken[next] = true;
      match = next;
    }
  }
  for (size_t j = 0; j < b.kernels.size(); ++j)
    if (!taken[j])
      pairs.push_back({none, j});
  return pairs;
}

double secondsOf(const Report &report) {
  double sum = 0;
  for (const KernelReport &kernel : report.kernels)
    sum += secondsAt(kernel, report.maxClock);
  return sum;
}

/// Time decides, at the clock of each report's machine.
void printVerdict(llvm::raw_ostream &os, double a, double b, const char *what) {
  if (a <= 0 || b <= 0)
    return;
  if (std::fabs(a / b - 1) < 0.0005)
    os << fmt::format("  A and B take the same time{}\n", what);
  else if (a < b)
    os << fmt::format("  A is {:.3f} times as fast as B{}\n", b / a, what);
  else
    os << fmt::format("  A takes {:.3f} times as long as B{}\n", a / b, what);
}

void printPair(llvm::raw_ostream &os, const Report &report,
               const KernelReport &a, const Report &base,
               const KernelReport &b) {
  os << fmt::format("\nA: {}   B: {}\n  {:<28} {:>18} {:>18}   A / B\n", a.name,
                    b.name, "", "A", "B");
  for (const Metric &metric : metrics()) {
    std::optional<double> x = metric.value(report, a),
                          y = metric.value(base, b);
    // Waits that neither side has are no rows.
    bool isWait = llvm::StringRef(metric.key).starts_with("wait_");
    if ((!x && !y) || (isWait && x == 0 && y == 0))
      continue;
    std::string line =
        fmt::format("  {:<28} {:>18} {:>18}   {}", metric.title,
                    show(metric, x), show(metric, y), change(metric, x, y));
    os << llvm::StringRef(line).rtrim() << '\n';
  }
  printVerdict(os, secondsAt(a, report.maxClock), secondsAt(b, base.maxClock),
               "");
  printLimiter(os, "A", a);
  printLimiter(os, "B", b);
}

/// A launch that the other side does not have.
void printAlone(llvm::raw_ostream &os, const char *who, const Report &report,
                const KernelReport &kernel) {
  os << fmt::format("\nonly {}: {}   {} cycles, {}\n", who, kernel.name,
                    formatCount(kernel.cycles),
                    formatSeconds(secondsAt(kernel, report.maxClock)));
  printLimiter(os, who, kernel);
}

} // namespace

/// Figures that neither side knows are left out. Where a side launches several
/// kernels the sum decides.
void tlc::report::printComparison(llvm::raw_ostream &os, const Report &report,
                                  const Report &base) {
  os << fmt::format("A: {}: {}\nB: {}: {}\n", report.input, report.device,
                    base.input, base.device);
  for (auto [i, j] : pairsOf(report, base)) {
    if (i < report.kernels.size() && j < base.kernels.size())
      printPair(os, report, report.kernels[i], base, base.kernels[j]);
    else if (i < report.kernels.size())
      printAlone(os, "A", report, report.kernels[i]);
    else
      printAlone(os, "B", base, base.kernels[j]);
  }
  if (report.kernels.size() > 1 || base.kernels.size() > 1) {
    double a = secondsOf(report), b = secondsOf(base);
    os << fmt::format("\nall launches   A: {}, {}   B: {}, {}\n",
                      report.kernels.size(), formatSeconds(a),
                      base.kernels.size(), formatSeconds(b));
    printVerdict(os, a, b, ", all launches together");
  }
  for (const std::string &note : report.notes)
    os << "note: " << note << '\n';
}
