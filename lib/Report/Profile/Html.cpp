//===- Html.cpp - One page with source, instructions and bars -------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Left the source, right the instructions, each line with a bar of its share of
// the wavefronts' time, coloured by cause. Pointing at a source line marks its
// instructions and the other way round. The few lines of script do only that;
// without them the page still shows everything.
//
// The page is one file without references: it can be mailed. All text that
// comes from the program (names, source, instructions) is escaped.
//
//===----------------------------------------------------------------------===//

#include "Analysis.h"

#include "tlc/Report/Profile/Print.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

using namespace tlc::report;

namespace {

// Colours follow the reader's light or dark scheme; the bars keep theirs.
constexpr const char *style = R"(
:root{--bg:#fff;--fg:#1c1e21;--dim:#6b7280;--line:#e5e7eb;--mark:#fff3c4;--head:#f6f7f9}
@media(prefers-color-scheme:dark){:root{--bg:#15171a;--fg:#e6e6e6;--dim:#9aa0a6;--line:#2c3036;--mark:#4a3f14;--head:#1d2024}}
body{background:var(--bg);color:var(--fg);font:14px/1.45 system-ui,sans-serif;margin:1.5rem}
h1{font-size:1.25rem;margin:0 0 .2rem}h2{font-size:1.05rem;margin:1.6rem 0 .4rem}
.dim{color:var(--dim)}table{border-collapse:collapse}
td,th{padding:.15rem .7rem .15rem 0;text-align:left;vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
.box{border:1px solid var(--line);border-left:4px solid #d9480f;padding:.6rem .9rem;margin:.8rem 0;max-width:60rem}
.panes{display:grid;grid-template-columns:1fr 1fr;gap:1rem}
.pane{border:1px solid var(--line);max-height:80vh;overflow:auto}
.pane h3{position:sticky;top:0;background:var(--head);margin:0;padding:.35rem .6rem;font-size:.85rem}
.row{display:grid;grid-template-columns:3.2rem 7rem 1fr;font:12px/1.5 ui-monospace,monospace;white-space:pre;padding:0 .4rem}
.row.on{background:var(--mark)}.row .p{text-align:right;padding-right:.5rem;color:var(--dim)}
.bar{display:inline-flex;height:.8em;width:6.5rem;align-self:center}
.bar i{display:block;height:100%}.wide{width:22rem}
.tag{color:#d9480f}
@media(max-width:60rem){.panes{grid-template-columns:1fr}}
)";

// Rows of one source line share data-l: pointing at one marks all, and a click
// scrolls the other pane to it.
constexpr const char *script = R"(
document.querySelectorAll('.panes').forEach(function(p){
 p.addEventListener('mouseover',function(e){
  var r=e.target.closest('.row'); if(!r)return;
  p.querySelectorAll('.on').forEach(function(x){x.classList.remove('on')});
  if(!r.dataset.l)return;
  p.querySelectorAll('[data-l="'+r.dataset.l+'"]').forEach(function(x){x.classList.add('on')});
 });
 p.addEventListener('click',function(e){
  var r=e.target.closest('.row'); if(!r||!r.dataset.l)return;
  var o=r.closest('.pane')==p.children[0]?p.children[1]:p.children[0];
  var t=o.querySelector('[data-l="'+r.dataset.l+'"]'); if(t)t.scrollIntoView({block:'center'});
 });
});
)";

/// One colour a cause; issuing has its own.
constexpr const char *issueColour = "#2b8a3e";
constexpr const char *colours[stallCount] = {
    "#1971c2", "#d9480f", "#0b7285", "#7048e8", "#5f3dc4", "#e67700",
    "#f08c00", "#4dabf7", "#868e96", "#ced4da", "#adb5bd", "#dee2e6"};

std::string escape(llvm::StringRef text) {
  std::string out;
  llvm::raw_string_ostream os(out);
  llvm::printHTMLEscaped(text, os);
  return out;
}

/// Writes one report. Methods are the sections, in the order of run().
class Page {
public:
  Page(llvm::raw_ostream &os, const Report &report) : os(os), report(report) {}
  void run();

private:
  void summary(const KernelReport &kernel);
  void account(const KernelReport &kernel);
  void levels(const KernelReport &kernel);
  void code(const KernelReport &kernel);
  void counters(const KernelReport &kernel);
  std::string bar(double share, double of, const StallCycles *stalls,
                  double issue, const char *colour = issueColour,
                  bool wide = false) const;
  /// "file-line" by the file's number, which source rows and instruction rows
  /// share.
  std::string lineId(const std::string &file, unsigned line);

  llvm::raw_ostream &os;
  const Report &report;
  std::map<std::string, unsigned> fileNumbers;
};

/// A bar whose full width is \p of; coloured by cause if stalls are given.
std::string Page::bar(double share, double of, const StallCycles *stalls,
                      double issue, const char *colour, bool wide) const {
  std::string text = fmt::format("<span class=\"bar{}\">", wide ? " wide" : "");
  // Slivers that no screen shows are left out.
  auto piece = [&](double part, const char *c, const char *title) {
    double width = of > 0 ? 100 * part / of : 0;
    if (width >= 0.2)
      text += fmt::format("<i style=\"width:{:.1f}%;background:{}\" "
                          "title=\"{} {:.1f} %\"></i>",
                          width, c, title, 100 * part);
  };
  if (!stalls) {
    piece(share, colour, "");
  } else {
    double total = issue + sum(*stalls);
    // Pieces add up to `share`, divided as the cycles are.
    double scale = total > 0 ? share / total : 0;
    piece(issue * scale, issueColour, "issue");
    for (unsigned s = 0; s < stallCount; ++s)
      piece((*stalls)[s] * scale, colours[s], info(Stall(s)).title);
  }
  return text + "</span>";
}

// Numbers, not paths: the page names each file once.
std::string Page::lineId(const std::string &file, unsigned line) {
  if (file.empty())
    return "";
  unsigned next = fileNumbers.size();
  unsigned number = fileNumbers.try_emplace(file, next).first->second;
  return fmt::format("{}-{}", number, line);
}

/// What holds the kernel back, then its figures.
void Page::summary(const KernelReport &kernel) {
  os << fmt::format(
      "<h2>{}</h2><p class=\"dim\">grid {} &times; {} &times; {}, "
      "block {} &times; {} &times; {}",
      escape(kernel.name), kernel.grid[0], kernel.grid[1], kernel.grid[2],
      kernel.block[0], kernel.block[1], kernel.block[2]);
  if (kernel.detailed && kernel.detailed < kernel.workgroups)
    os << fmt::format("; {} of {} workgroups in detail, the rest extrapolated",
                      kernel.detailed, kernel.workgroups);
  os << "</p>\n";
  for (size_t i = 0; i < kernel.limiters.size() && i < 4; ++i) {
    const Limiter &limiter = kernel.limiters[i];
    std::string where =
        limiter.where.empty() ? "" : " at " + escape(limiter.where);
    if (i == 0)
      os << fmt::format("<div class=\"box\"><b>Held back most by: {}{}</b> "
                        "({:.1f} % of the SIMDs' time)<br>{}<br>"
                        "<span class=\"dim\">{}</span>",
                        escape(limiter.headline), where, 100 * limiter.rank,
                        escape(limiter.detail), escape(limiter.advice));
    else
      os << fmt::format("<br>Then: {}{} ({:.1f} %): {}",
                        escape(limiter.headline), where, 100 * limiter.rank,
                        escape(limiter.detail));
  }
  os << (kernel.limiters.empty() ? "" : "</div>\n") << "<table>";
  for (const Metric &metric : metrics())
    if (auto value = metric.value(report, kernel)) {
      std::string_view unit = metric.unit;
      os << fmt::format("<tr><td>{}</td><td class=\"n\">{}</td></tr>\n",
                        metric.title,
                        unit == "B" ? formatBytes(*value)
                        : unit.empty() && *value >= 1000
                            ? formatCount(*value)
                            : fmt::format("{:.2f} {}", *value, unit));
    }
  const Occupancy &o = kernel.occupancy;
  if (!o.limits.empty())
    os << fmt::format("<tr><td>wavefronts a SIMD</td><td class=\"n\">{:.3g} of "
                      "{}</td><td>limited by {} {}</td></tr>\n",
                      o.waves, o.slots, escape(o.limits[0].resource),
                      escape(o.limits[0].detail));
  os << fmt::format(
      "<tr><td>registers</td><td colspan=2>{} VGPRs, {} AGPRs, {} "
      "SGPRs; LDS {} bytes; scratch {} bytes a "
      "lane</td></tr></table>\n",
      kernel.vgprs, kernel.agprs, kernel.sgprs, kernel.ldsBytes,
      kernel.scratchBytes);
}

/// The account as bars, in the colours of its causes.
void Page::account(const KernelReport &kernel) {
  if (kernel.account.empty())
    return;
  os << "<h2>Where the SIMDs' time went</h2><table>";
  for (const TimeShare &part : kernel.account) {
    if (part.share < 0.001)
      continue;
    // Parts that are stalls have their cause's colour, work has the colour of
    // issue, nothing at all has that of little.
    const char *colour = part.key.starts_with("idle")
                             ? colours[unsigned(Stall::Other)]
                             : issueColour;
    for (unsigned s = 0; s < stallCount; ++s)
      if (part.key == info(Stall(s)).key)
        colour = colours[s];
    os << fmt::format("<tr><td>{}</td><td class=\"n\">{:.1f} %</td><td>{}</td>"
                      "</tr>\n",
                      escape(part.title), 100 * part.share,
                      bar(part.share, 1, nullptr, 0, colour, true));
  }
  os << "</table>\n";
}

/// The levels of memory, as in the text.
void Page::levels(const KernelReport &kernel) {
  if (kernel.levels.empty())
    return;
  double clock = report.chosenClock.value_or(report.maxClock);
  os << fmt::format("<h2>Memory</h2><table><tr><th>level</th><th "
                    "class=\"n\">bytes</th><th class=\"n\">TB/s at {:.2f} "
                    "GHz</th><th class=\"n\">of peak</th><th "
                    "class=\"n\">hits</th></tr>\n",
                    clock / 1e9);
  for (const Level &level : kernel.levels)
    os << fmt::format(
        "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{:.3f}</td><td "
        "class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
        level.name, formatBytes(level.bytes),
        level.bytes / secondsAt(kernel, clock) / 1e12,
        level.peakBytesPerCycle > 0
            ? fmt::format("{:.1f} %", 100 * level.bytes / kernel.cycles /
                                          level.peakBytesPerCycle)
            : "",
        level.hitRate ? fmt::format("{:.1f} %", 100 * *level.hitRate) : "");
  os << "</table>\n";
}

/// The two panes. Bars are relative to the hottest line and the hottest
/// instruction, so that differences show.
void Page::code(const KernelReport &kernel) {
  if (kernel.code.empty())
    return;
  std::vector<HotLine> hot = hotLines(kernel);
  double total = 0, most = 0, mostCode = 0;
  std::map<std::pair<std::string, unsigned>, const HotLine *> byLine;
  std::set<std::string> files;
  for (const HotLine &line : hot) {
    total += line.cycles;
    most = std::max(most, line.share);
    // Lines to their costs, for the rows of the source; files once each.
    byLine[{line.file, line.line}] = &line;
    if (!line.file.empty())
      files.insert(line.file);
  }
  for (const CodeLine &line : kernel.code)
    mostCode = std::max(mostCode, total > 0 ? line.cycles() / total : 0);
  os << "<h2>Source and instructions</h2><p class=\"dim\">Bars: "
     << fmt::format("<span style=\"color:{}\">&#9632;</span> issue ",
                    issueColour);
  for (unsigned s = 0; s < stallCount; ++s)
    os << fmt::format("<span style=\"color:{}\">&#9632;</span> {} ", colours[s],
                      info(Stall(s)).title);
  os << "</p>\n<div class=\"panes\"><div class=\"pane\">";
  for (const std::string &file : files) {
    os << "<h3>" << escape(file) << "</h3>";
    std::vector<std::string> text = sourceLines(file);
    unsigned last = text.size();
    if (text.empty()) // not on this machine: the lines that have code
      for (const auto &[key, line] : byLine)
        if (key.first == file)
          last = std::max(last, key.second);
    for (unsigned number = 1; number <= last; ++number) {
      auto found = byLine.find({file, number});
      const HotLine *line = found == byLine.end() ? nullptr : found->second;
      // Without the file's text, only lines that have code are rows.
      if (!line && number > text.size())
        continue;
      os << fmt::format(
          "<div class=\"row\"{}><span class=\"p\">{}</span>{}<span>{:>4} "
          "{}</span></div>\n",
          line ? fmt::format(" data-l=\"{}\"", lineId(file, number)) : "",
          line ? fmt::format("{:.1f}", 100 * line->share) : "",
          line ? bar(line->share, most, &line->stalls, line->issueCycles)
               : "<span></span>",
          number, number <= text.size() ? escape(text[number - 1]) : "");
    }
  }
  if (files.empty())
    os << "<h3>the object has no line table</h3>";
  os << "</div><div class=\"pane\"><h3>" << escape(kernel.name) << "</h3>";
  // All instructions, in their order, also those that never ran.
  for (const CodeLine &line : kernel.code) {
    double share = total > 0 ? line.cycles() / total : 0;
    std::string tag;
    if (line.ldsConflictCycles > 0)
      tag += fmt::format("  <span class=\"tag\">conflicts {:.1f}x</span>",
                         1 + line.ldsConflictCycles /
                                 std::max(1.0, line.ldsBaseCycles));
    if (line.ldsAddressConflicts > 0)
      tag += fmt::format("  <span class=\"tag\">lanes meet {:.1f}x</span>",
                         1 + line.ldsAddressConflicts /
                                 std::max(1.0, line.ldsBaseCycles));
    if (line.unit == CodeLine::Unit::Vector && line.lanes < mostLanes)
      tag += fmt::format("  <span class=\"tag\">{:.1f} of 64 lanes</span>",
                         line.lanes);
    if (line.linesNeeded > 0 && line.linesTouched > 1.25 * line.linesNeeded)
      tag += fmt::format("  <span class=\"tag\">lines {:.1f}x</span>",
                         line.linesTouched / line.linesNeeded);
    std::string id = lineId(line.file, line.line);
    os << fmt::format("<div class=\"row\"{}><span class=\"p\">{}</span>{}"
                      "<span>{:08x}  {}{}</span></div>\n",
                      id.empty() ? "" : fmt::format(" data-l=\"{}\"", id),
                      share >= 0.0005 ? fmt::format("{:.1f}", 100 * share) : "",
                      bar(share, mostCode, &line.caused, line.issueCycles),
                      line.address, escape(line.text), tag);
  }
  os << "</div></div>\n";
}

void Page::counters(const KernelReport &kernel) {
  if (kernel.counters.empty())
    return;
  os << "<h2>Counters</h2><p class=\"dim\">Names of rocprofv3, except those "
        "with a star.</p><table>";
  for (const Counter &counter : kernel.counters)
    os << fmt::format("<tr><td>{}{}</td><td class=\"n\">{}</td><td>{}</td><td "
                      "class=\"dim\">{}</td></tr>\n",
                      counter.name, counter.hardware ? "" : " *",
                      counter.unit == "%" || counter.value < 100
                          ? fmt::format("{:.4g}", counter.value)
                          : formatCount(counter.value),
                      counter.unit, escape(counter.meaning));
  os << "</table>\n";
}

/// The page from its head to its script.
void Page::run() {
  os << "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
     << "<title>tlc profile: " << escape(report.input) << "</title><style>"
     << style << "</style></head><body>\n<h1>" << escape(report.input)
     << "</h1><div class=\"dim\">" << escape(report.device) << "<br><code>"
     << escape(report.command) << "</code></div>\n";
  for (const KernelReport &kernel : report.kernels) {
    summary(kernel);
    account(kernel);
    levels(kernel);
    code(kernel);
    counters(kernel);
  }
  for (const std::string &note : report.notes)
    os << "<p class=\"dim\">Note: " << escape(note) << "</p>\n";
  for (const std::string &what : report.unreported)
    os << "<p class=\"dim\">Not reported by this device: " << escape(what)
       << "</p>\n";
  os << "<script>" << script << "</script></body></html>\n";
}

} // namespace

void tlc::report::printHTML(llvm::raw_ostream &os, const Report &report) {
  Page(os, report).run();
}
