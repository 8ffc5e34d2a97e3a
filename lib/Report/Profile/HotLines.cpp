//===- HotLines.cpp - Wave cycles by source line --------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction costs the cycles in which it issued and those that wavefronts
// waited because of it. Instructions of one source line are one entry; where
// an object has no line table each instruction is its own.
//
//   k.tile:70: v_mfma 1.2 M cycles, s_waitcnt 0.1 M  ->  one entry, 1.3 M
//
//===----------------------------------------------------------------------===//

#include "tlc/Report/Profile/Report.h"
#include <algorithm>
#include <fstream>
#include <map>

using namespace tlc::report;

/// The hottest first, and in each its instructions, the hottest first.
/// Instructions that never ran cost nothing and are left out.
std::vector<HotLine> tlc::report::hotLines(const KernelReport &kernel) {
  std::vector<HotLine> lines;
  std::map<std::pair<std::string, unsigned>, size_t> index;
  double total = 0;
  for (size_t i = 0; i < kernel.code.size(); ++i) {
    const CodeLine &code = kernel.code[i];
    // Of all instructions, so that shares are of the wavefronts' whole time.
    total += code.cycles();
    if (code.executed == 0)
      continue;
    size_t at = lines.size();
    if (!code.file.empty())
      at = index.try_emplace({code.file, code.line}, at).first->second;
    if (at == lines.size()) {
      lines.emplace_back();
      lines.back().file = code.file;
      lines.back().line = code.line;
    }
    HotLine &line = lines[at];
    line.issueCycles += code.issueCycles;
    for (unsigned s = 0; s < stallCount; ++s)
      // What others waited for because of it, not where they stood.
      line.stalls[s] += code.caused[s];
    line.cycles += code.cycles();
    line.conflictCycles += code.ldsConflictCycles;
    line.executed += code.executed;
    line.aluCycles += code.aluCycles;
    line.laneCycles += code.aluCycles * code.lanes;
    line.instructions.push_back(i);
  }
  for (HotLine &line : lines) {
    line.share = total > 0 ? line.cycles / total : 0;
    std::stable_sort(line.instructions.begin(), line.instructions.end(),
                     [&](size_t a, size_t b) {
                       return kernel.code[a].cycles() > kernel.code[b].cycles();
                     });
  }
  std::stable_sort(
      lines.begin(), lines.end(),
      [](const HotLine &a, const HotLine &b) { return a.cycles > b.cycles; });
  return lines;
}

/// Empty where the file is not on this machine.
std::vector<std::string> tlc::report::sourceLines(const std::string &file) {
  std::vector<std::string> lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}
