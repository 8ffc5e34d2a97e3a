//===- Compare.cpp - Two profiles side by side ----------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `tlc profile A --against B`: kernels are paired by their order, and each
// figure of Metrics.cpp is one line with both values and their quotient.
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
                    limiter.where, 100 * limiter.share, limiter.detail);
}

} // namespace

/// Figures that neither side knows are left out.
void tlc::report::printComparison(llvm::raw_ostream &os, const Report &report,
                                  const Report &base) {
  os << fmt::format("A: {}: {}\nB: {}: {}\n", report.input, report.device,
                    base.input, base.device);
  size_t pairs = std::min(report.kernels.size(), base.kernels.size());
  for (size_t i = 0; i < pairs; ++i) {
    const KernelReport &a = report.kernels[i], &b = base.kernels[i];
    os << fmt::format("\nA: {}   B: {}\n  {:<28} {:>18} {:>18}   A / B\n",
                      a.name, b.name, "", "A", "B");
    for (const Metric &metric : metrics()) {
      std::optional<double> x = metric.value(report, a),
                            y = metric.value(base, b);
      if (!x && !y)
        continue;
      std::string line =
          fmt::format("  {:<28} {:>18} {:>18}   {}", metric.title,
                      show(metric, x), show(metric, y), change(metric, x, y));
      os << llvm::StringRef(line).rtrim() << '\n';
    }
    // Time decides, at the clock of each report's machine.
    auto tx = secondsAt(a, report.maxClock), ty = secondsAt(b, base.maxClock);
    if (tx > 0 && ty > 0) {
      if (std::fabs(tx / ty - 1) < 0.0005)
        os << "  A and B take the same time\n";
      else if (tx < ty)
        os << fmt::format("  A is {:.3f} times as fast as B\n", ty / tx);
      else
        os << fmt::format("  A takes {:.3f} times as long as B\n", tx / ty);
    }
    printLimiter(os, "A", a);
    printLimiter(os, "B", b);
  }
  if (report.kernels.size() != base.kernels.size())
    os << fmt::format("note: A launches {} kernels and B {}; the first {} are "
                      "compared\n",
                      report.kernels.size(), base.kernels.size(), pairs);
  for (const std::string &note : report.notes)
    os << "note: " << note << '\n';
}
