//===- Text.cpp - The table a person reads --------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the answer down: how long, what holds it back, how the machine was
// used, where the bytes went, what wavefronts waited for, and at which lines.
//
//   a.tile: modelled gfx942 (MI300X): 304 CUs, 2.10 GHz
//   kernel main_kernel   grid 16 x 16 x 1   block 256 x 1 x 1
//     time         100,000 cycles (modelled)   47.62 us at 2.10 GHz
//     utilisation  matrix 71.0 %   VALU 12.0 % ...
//     held back most by: LDS bank conflicts at a.tile:40 (9.1 % ...)
//
// Sections that a device does not report are left out, not printed as zeros.
//
//===----------------------------------------------------------------------===//

#include "Analysis.h"

#include "tlc/Report/Profile/Print.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace tlc::report;

namespace {

constexpr double smallest = 0.005; ///< shares below are not shown

/// A share of 1 is `width` signs.
std::string bar(double share, unsigned width = 20) {
  unsigned filled = unsigned(std::lround(std::clamp(share, 0.0, 1.0) * width));
  return std::string(filled, '#');
}

/// A path's last part: lines of a report are short.
std::string baseName(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

/// The causes of a line's stalls that matter, the largest first.
std::string stallSummary(const StallCycles &stalls, double total) {
  std::vector<unsigned> order;
  for (unsigned s = 0; s < stallCount; ++s)
    if (total > 0 && stalls[s] / total >= smallest)
      order.push_back(s);
  std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
    return stalls[a] > stalls[b];
  });
  std::string text;
  for (size_t i = 0; i < order.size() && i < 3; ++i)
    text +=
        fmt::format("{}{} {:.1f}", i ? ", " : "", info(Stall(order[i])).brief,
                    100 * stalls[order[i]] / total);
  return text;
}

/// Does power lower the clock by more than what nobody would notice?
/// Only a modelled launch is asked: a measured one ran at whatever clock it
/// got.
bool isPowerLimited(const KernelReport &kernel, double maxClock) {
  return kernel.seconds.empty() && kernel.clockUnderLoad > 0 &&
         kernel.clockUnderLoad < 0.99 * maxClock;
}

/// Writes one report. Methods are the sections, in the order of print().
class TextPrinter {
public:
  TextPrinter(llvm::raw_ostream &os, const Report &report,
              const TextOptions &options)
      : os(os), report(report), options(options) {}

  void run() {
    os << report.input << ": " << report.device << '\n';
    for (const KernelReport &kernel : report.kernels)
      print(kernel);
    total();
    for (const std::string &note : report.notes)
      os << "note: " << note << '\n';
    if (!report.unreported.empty()) {
      os << "not reported by this device:\n";
      for (const std::string &what : report.unreported)
        os << "  " << what << '\n';
    }
  }

private:
  void print(const KernelReport &kernel);
  void time(const KernelReport &kernel);
  void use(const KernelReport &kernel);
  void memory(const KernelReport &kernel);
  void waits(const KernelReport &kernel);
  void limiters(const KernelReport &kernel);
  void lines(const KernelReport &kernel);
  void counters(const KernelReport &kernel);
  void total();
  /// "  title        text", titles in one column.
  void row(const char *title, const std::string &text) {
    os << "  " << llvm::left_justify(title, 13) << text << '\n';
  }
  bool modelled() const { return report.origin == Origin::Modelled; }

  llvm::raw_ostream &os;
  const Report &report;
  const TextOptions &options;
};

/// Times at the machine's clock, at the one asked for, and at the one that
/// power allows; and the rate of floating-point operations at each.
void TextPrinter::time(const KernelReport &kernel) {
  // A measurement is told as such: several launches, and how far they spread.
  if (auto seconds = measuredSeconds(kernel)) {
    auto [low, high] =
        std::minmax_element(kernel.seconds.begin(), kernel.seconds.end());
    row("time", fmt::format("{} (measured; median of {}, {} to {})",
                            formatSeconds(*seconds), kernel.seconds.size(),
                            formatSeconds(*low), formatSeconds(*high)));
  } else {
    std::string text = fmt::format(
        "{} cycles (modelled)   {} at {:.2f} GHz", formatCount(kernel.cycles),
        formatSeconds(kernel.cycles / report.maxClock), report.maxClock / 1e9);
    if (report.chosenClock)
      text += fmt::format("   {} at {:.2f} GHz",
                          formatSeconds(kernel.cycles / *report.chosenClock),
                          *report.chosenClock / 1e9);
    row("time", text);
    if (isPowerLimited(kernel, report.maxClock))
      row("under load",
          fmt::format("{} at {:.2f} GHz, the clock that the board's power "
                      "allows for long (estimate)",
                      formatSeconds(kernel.cycles / kernel.clockUnderLoad),
                      kernel.clockUnderLoad / 1e9));
  }
  if (kernel.flops() <= 0)
    return;
  double seconds = secondsAt(kernel, report.maxClock);
  std::string text =
      fmt::format("{:.4g} GFLOP{}   {:.1f} TFLOP/s", kernel.flops() / 1e9,
                  kernel.matrixFlops > 0 ? " on the matrix cores" : "",
                  kernel.flops() / seconds / 1e12);
  if (kernel.seconds.empty()) {
    text += fmt::format(" at {:.2f} GHz", report.maxClock / 1e9);
    if (report.chosenClock)
      text += fmt::format("   {:.1f} at {:.2f} GHz",
                          kernel.flops() /
                              (kernel.cycles / *report.chosenClock) / 1e12,
                          *report.chosenClock / 1e9);
    if (isPowerLimited(kernel, report.maxClock))
      text += fmt::format("   {:.1f} under load",
                          kernel.flops() /
                              (kernel.cycles / kernel.clockUnderLoad) / 1e12);
  }
  row("work", text);
}

/// How the units and slots of the machine were used, and what limits the
/// wavefronts that are resident.
void TextPrinter::use(const KernelReport &kernel) {
  if (modelled())
    row("utilisation",
        fmt::format("matrix {:.1f} %   VALU {:.1f} %   LDS {:.1f} %   CUs with "
                    "work {:.1f} %",
                    100 * kernel.matrixUse, 100 * kernel.valuUse,
                    100 * kernel.ldsUse, 100 * kernel.activeCUs));
  if (modelled() && kernel.valuUse > 0)
    row("divergence",
        fmt::format("{:.1f} of 64 lanes active in vector instructions",
                    kernel.valuLanes));
  // What fits, what was reached on average, and what limits it.
  const Occupancy &o = kernel.occupancy;
  if (!o.limits.empty()) {
    std::string text =
        fmt::format("{:.3g} wavefronts a SIMD of {}", o.waves, o.slots);
    if (modelled())
      text += fmt::format(", {:.2f} on average", o.achieved);
    // All that bind; the others say what the next gain could be.
    std::string others;
    for (size_t i = 0; i < o.limits.size(); ++i) {
      const OccupancyLimit &limit = o.limits[i];
      if (limit.waves > o.limits.front().waves) {
        others +=
            fmt::format("{}{} would allow {:.3g}", others.empty() ? "" : ", ",
                        limit.resource, limit.waves);
        continue;
      }
      text +=
          fmt::format("{}{}", i ? " and " : "; limited by ", limit.resource);
      if (!limit.detail.empty())
        text += fmt::format(" ({})", limit.detail);
    }
    row("occupancy", text);
    if (!others.empty())
      row("", others);
  }
  row("registers", fmt::format("{} VGPRs, {} AGPRs, {} SGPRs; LDS {} bytes; "
                               "scratch {} bytes a lane",
                               kernel.vgprs, kernel.agprs, kernel.sgprs,
                               kernel.ldsBytes, kernel.scratchBytes));
  if (kernel.ldsCycles > 0) {
    std::string text = fmt::format(
        "{} cycles, {} of them bank conflicts ({:.1f} %)",
        formatCount(kernel.ldsCycles), formatCount(kernel.ldsConflictCycles),
        100 * kernel.ldsConflictCycles / kernel.ldsCycles);
    if (kernel.ldsAddressConflicts > 0)
      text += fmt::format(", {} atomics that take turns ({:.1f} %)",
                          formatCount(kernel.ldsAddressConflicts),
                          100 * kernel.ldsAddressConflicts / kernel.ldsCycles);
    row("LDS", text);
  }
}

/// Bytes and rates by level, from what lanes ask for out to HBM.
void TextPrinter::memory(const KernelReport &kernel) {
  if (kernel.levels.empty())
    return;
  double clock = report.chosenClock.value_or(report.maxClock);
  os << fmt::format("\n  memory (at {:.2f} GHz)   bytes      TB/s   of peak   "
                    "hits\n",
                    clock / 1e9);
  double nearer = 0;
  for (const Level &level : kernel.levels) {
    double rate = level.bytes / secondsAt(kernel, clock) / 1e12;
    std::string text = fmt::format("    {:<18} {:>10} {:>9.3f}", level.name,
                                   formatBytes(level.bytes), rate);
    std::string peak, hits;
    // By cycles, so that no clock matters.
    if (level.peakBytesPerCycle > 0)
      peak = fmt::format("{:.1f} %", 100 * level.bytes / kernel.cycles /
                                         level.peakBytesPerCycle);
    if (level.hitRate)
      hits = fmt::format("{:.1f} %", 100 * *level.hitRate);
    text += fmt::format(" {:>9} {:>8}", peak, hits);
    if (level.readBytes && level.writtenBytes)
      text +=
          fmt::format("   {} read, {} written", formatBytes(*level.readBytes),
                      formatBytes(*level.writtenBytes));
    // L1 moves halves of lines, L2 whole ones.
    if (level.key == "l2" && level.bytes > nearer)
      text += "   more than L1: whole lines of 128 bytes; atomics pass L1 by";
    nearer = level.bytes;
    os << llvm::StringRef(text).rtrim() << '\n';
  }
}

/// Two views: shares of the wavefronts' lives, which overlap, and of the SIMDs'
/// time, which do not.
void TextPrinter::waits(const KernelReport &kernel) {
  if (kernel.waveCycles > 0) {
    os << "\n  waits (share of the wavefronts' time)\n";
    // The largest first; shares below 0.5 % are not shown.
    std::vector<unsigned> order;
    for (unsigned s = 0; s < stallCount; ++s)
      if (kernel.stalls[s] / kernel.waveCycles >= smallest)
        order.push_back(s);
    std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
      return kernel.stalls[a] > kernel.stalls[b];
    });
    for (unsigned s : order) {
      double share = kernel.stalls[s] / kernel.waveCycles;
      os << fmt::format("    {:<34} {:>5.1f} %  {:>16} cycles  {}\n",
                        info(Stall(s)).title, 100 * share,
                        formatCount(kernel.stalls[s]), bar(share));
    }
  }
  if (!kernel.account.empty()) {
    os << "\n  where the SIMDs' time went\n";
    std::vector<TimeShare> parts = kernel.account;
    std::stable_sort(parts.begin(), parts.end(),
                     [](const TimeShare &a, const TimeShare &b) {
                       return a.share > b.share;
                     });
    for (const TimeShare &part : parts)
      if (part.share >= smallest)
        os << fmt::format("    {:<42} {:>5.1f} %  {}\n", part.title,
                          100 * part.share, bar(part.share));
  }
}

/// The first limiter in full with its advice, three more in a line each.
void TextPrinter::limiters(const KernelReport &kernel) {
  for (size_t i = 0; i < kernel.limiters.size(); ++i) {
    const Limiter &limiter = kernel.limiters[i];
    std::string at = limiter.where.empty() ? "" : " at " + limiter.where;
    if (i == 0) {
      std::string together;
      if (limiter.together > limiter.rank + smallest)
        together = fmt::format("; {:.1f} % with related causes below",
                               100 * limiter.together);
      os << fmt::format("\n  held back most by: {}{} ({:.1f} % of the SIMDs' "
                        "time to be won{})\n    {}\n",
                        limiter.headline, at, 100 * limiter.rank, together,
                        limiter.detail);
      if (!limiter.advice.empty())
        os << "    help: " << limiter.advice << '\n';
    } else if (i < 4) {
      os << fmt::format("  then: {}{} ({:.1f} %): {}\n", limiter.headline, at,
                        100 * limiter.rank, limiter.detail);
    }
  }
}

/// Source lines by cost, each with the instructions that make it.
void TextPrinter::lines(const KernelReport &kernel) {
  if (options.hotLines == 0 || kernel.code.empty())
    return;
  std::vector<HotLine> hot = hotLines(kernel);
  double total = 0;
  for (const HotLine &line : hot)
    total += line.cycles;
  bool hasSource = llvm::any_of(hot, [](auto &l) { return !l.file.empty(); });
  os << (hasSource ? "\n  hottest source lines" : "\n  hottest instructions")
     << " (% of the wavefronts' time)\n";
  std::string file;
  std::vector<std::string> text;
  for (size_t i = 0; i < hot.size() && i < options.hotLines; ++i) {
    const HotLine &line = hot[i];
    if (line.share < smallest)
      break;
    std::string where, quote;
    if (line.file.empty()) {
      const CodeLine &code = kernel.code[line.instructions.front()];
      where = fmt::format("{:#x}", code.address);
      quote = code.text;
    } else {
      // One file is read at a time: neighbours in the list are mostly of the
      // same.
      if (line.file != file)
        text = sourceLines(file = line.file);
      where = fmt::format("{}:{}", baseName(line.file), line.line);
      if (line.line && line.line <= text.size())
        quote = llvm::StringRef(text[line.line - 1]).trim().str();
    }
    os << fmt::format("  {:>5.1f} %  {:<26} {}\n", 100 * line.share, where,
                      quote);
    if (line.file.empty())
      os << fmt::format("           {}\n", stallSummary(line.stalls, total));
    // The instructions of the line, as many as were asked for.
    for (size_t n = 0; !line.file.empty() && n < line.instructions.size() &&
                       n < options.instructions;
         ++n) {
      const CodeLine &code = kernel.code[line.instructions[n]];
      // They are in order of cost: the rest is smaller.
      if (code.cycles() / total < smallest / 2)
        break;
      os << fmt::format("    {:>5.1f} %  {:08x}  {:<52} {}",
                        100 * code.cycles() / total, code.address, code.text,
                        stallSummary(code.caused, total));
      if (code.ldsConflictCycles > 0)
        os << fmt::format("  [bank conflicts: {:.1f} x its cycles]",
                          1 + code.ldsConflictCycles /
                                  std::max(1.0, code.ldsBaseCycles));
      if (code.ldsAddressConflicts > 0)
        os << fmt::format("  [lanes that meet: {:.1f} x its cycles]",
                          1 + code.ldsAddressConflicts /
                                  std::max(1.0, code.ldsBaseCycles));
      if (code.atomicCycles > 0.1 * kernel.cycles)
        os << fmt::format("  [holds channels of L2 for {} cycles]",
                          formatCount(code.atomicCycles));
      if (isNarrowLds(code))
        os << "  [2 bytes a lane or fewer]";
      if (code.unit == CodeLine::Unit::Vector && code.lanes < mostLanes)
        os << fmt::format("  [{:.1f} of 64 lanes]", code.lanes);
      if (code.linesNeeded > 0 && code.linesTouched > 1.25 * code.linesNeeded)
        os << fmt::format("  [{:.1f} x the cache lines it needs]",
                          code.linesTouched / code.linesNeeded);
      os << '\n';
    }
  }
}

/// All counters, on request.
void TextPrinter::counters(const KernelReport &kernel) {
  if (!options.counters)
    return;
  os << "\n  counters (names of rocprofv3; * has no counterpart there)\n";
  for (const Counter &counter : kernel.counters)
    os << fmt::format("    {:<32} {:>20} {:<8}{} {}\n", counter.name,
                      counter.unit == "%" || counter.value < 100
                          ? fmt::format("{:.4g}", counter.value)
                          : formatCount(counter.value),
                      counter.unit, counter.hardware ? " " : "*",
                      counter.meaning);
}

/// Of several launches, one after the other.
void TextPrinter::total() {
  if (report.kernels.size() < 2)
    return;
  double cycles = 0, seconds = 0;
  for (const KernelReport &kernel : report.kernels) {
    cycles += kernel.cycles;
    seconds += secondsAt(kernel, report.maxClock);
  }
  os << fmt::format("\nall {} launches: ", report.kernels.size());
  if (modelled())
    os << fmt::format("{} cycles (modelled)   {} at {:.2f} GHz\n",
                      formatCount(cycles), formatSeconds(seconds),
                      report.maxClock / 1e9);
  else
    os << formatSeconds(seconds) << " (measured)\n";
}

/// One kernel; a measured one has fewer sections.
void TextPrinter::print(const KernelReport &kernel) {
  os << fmt::format("\nkernel {}   grid {} x {} x {}   block {} x {} x {}",
                    kernel.name, kernel.grid[0], kernel.grid[1], kernel.grid[2],
                    kernel.block[0], kernel.block[1], kernel.block[2]);
  if (kernel.detailed && kernel.detailed < kernel.workgroups)
    os << fmt::format("   {} of {} workgroups in detail, the rest extrapolated",
                      formatCount(kernel.detailed),
                      formatCount(kernel.workgroups));
  os << '\n';
  time(kernel);
  use(kernel);
  limiters(kernel);
  memory(kernel);
  waits(kernel);
  lines(kernel);
  counters(kernel);
}

} // namespace

void tlc::report::printText(llvm::raw_ostream &os, const Report &report,
                            const TextOptions &options) {
  TextPrinter(os, report, options).run();
}
