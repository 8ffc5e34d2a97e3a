//===- PrintTests.cpp - The forms of a report -----------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleReport.h"
#include "tlc/Report/Profile/Print.h"
#include <gtest/gtest.h>
#include <map>

using namespace tlc::report;

namespace {

Report sample() {
  KernelReport kernel = sampleKernel();
  charge(kernel.code[2], Stall::Lds, 900);
  kernel.code[2].ldsBaseCycles = 400;
  kernel.code[2].ldsConflictCycles = 2800;
  Level hbm{"hbm", "HBM"};
  hbm.bytes = 1e6;
  hbm.peakBytesPerCycle = 2000;
  kernel.levels.push_back(hbm);
  kernel.counters.push_back(
      {"SQ_LDS_BANK_CONFLICT", "cycles", "conflicts", 2800, true});
  addUp(kernel);
  Report report = sampleReport(kernel);
  analyse(report, report.kernels[0]);
  return report;
}

template <typename Print> std::string printed(Print print) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}

bool has(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

TEST(Format, Numbers) {
  EXPECT_EQ(formatCount(0), "0");
  EXPECT_EQ(formatCount(999), "999");
  EXPECT_EQ(formatCount(1234567), "1,234,567");
  EXPECT_EQ(formatCount(-1000), "-1,000");
  EXPECT_EQ(formatBytes(12), "12 B");
  EXPECT_EQ(formatBytes(1536), "1.5 KB");
  EXPECT_EQ(formatBytes(2e9), "2.0 GB");
  EXPECT_EQ(formatSeconds(1.5e-5), "15.00 us");
  EXPECT_EQ(formatSeconds(0.0123), "12.300 ms");
}

TEST(Text, SaysModelledAndNamesTheCause) {
  Report report = sample();
  report.chosenClock = 1e9;
  std::string text =
      printed([&](auto &os) { printText(os, report, TextOptions()); });
  EXPECT_TRUE(has(text, "1,000 cycles (modelled)")) << text;
  EXPECT_TRUE(has(text, "0.48 us at 2.10 GHz")) << text;
  EXPECT_TRUE(has(text, "1.00 us at 1.00 GHz")) << text;
  EXPECT_TRUE(has(text, "held back most by: LDS bank conflicts at k.tile:12"))
      << text;
  EXPECT_TRUE(has(text, "limited by VGPRs (256 of 512)")) << text;
  EXPECT_TRUE(has(text, "[bank conflicts: 8.0 x its cycles]")) << text;
  EXPECT_FALSE(has(text, "SQ_LDS_BANK_CONFLICT")) << text;
}

TEST(Text, AMeasuredReportClaimsNoCycles) {
  KernelReport kernel;
  kernel.name = "main";
  kernel.seconds = {3e-6, 1e-6, 2e-6};
  Report report = sampleReport(kernel);
  report.origin = Origin::Measured;
  report.unreported = {"cycles"};
  std::string text =
      printed([&](auto &os) { printText(os, report, TextOptions()); });
  EXPECT_TRUE(has(text, "2.00 us (measured; median of 3")) << text;
  EXPECT_FALSE(has(text, "modelled)")) << text;
  EXPECT_FALSE(has(text, "utilisation")) << text;
  EXPECT_TRUE(has(text, "not reported by this device")) << text;
}

TEST(Json, HasASchemaAndEveryInstruction) {
  Report report = sample();
  llvm::json::Value value = toJSON(report);
  std::string text = llvm::formatv("{0}", value);
  auto parsed = llvm::json::parse(text);
  ASSERT_TRUE(bool(parsed));
  const llvm::json::Object &root = *parsed->getAsObject();
  EXPECT_EQ(root.getString("schema"), "tlc.profile/1");
  EXPECT_EQ(root.getString("origin"), "modelled");
  const auto &kernel = *root.getArray("kernels")->front().getAsObject();
  EXPECT_EQ(kernel.getNumber("cycles"), 1000);
  EXPECT_EQ(kernel.getArray("code")->size(), 5u);
  const auto &first = *kernel.getArray("limiters")->front().getAsObject();
  EXPECT_EQ(first.getString("key"), "lds_bank_conflicts");
  EXPECT_EQ(first.getInteger("address"), 0x1010);
  EXPECT_EQ(kernel.getObject("metrics")->getNumber("bank_conflict_cycles"),
            2800);
}

// Every cause has its figure, and with the issuing they are all of the time.
TEST(Json, WaitsAddUp) {
  KernelReport kernel = sampleKernel();
  for (unsigned s = 0; s < stallCount; ++s)
    charge(kernel.code[s % 5], Stall(s), 100 + s);
  addUp(kernel);
  Report report = sampleReport(kernel);
  double sum = 0;
  unsigned count = 0;
  for (const Metric &metric : metrics()) {
    llvm::StringRef key(metric.key);
    if (key.starts_with("wait_") || key == "issue_percent") {
      sum += metric.value(report, report.kernels[0]).value();
      ++count;
    }
  }
  EXPECT_EQ(count, stallCount + 1);
  EXPECT_NEAR(sum, 100, 1e-9);
  // A comparison leaves out what neither side waits for.
  report.kernels[0].stalls[unsigned(Stall::Nop)] = 0;
  std::string text =
      printed([&](auto &os) { printComparison(os, report, report); });
  EXPECT_TRUE(has(text, "memory path busy")) << text;
  EXPECT_TRUE(has(text, "LDS port busy")) << text;
  EXPECT_FALSE(has(text, "s_nop")) << text;
}

TEST(Json, ActiveLanes) {
  Report report = sample();
  KernelReport &kernel = report.kernels[0];
  kernel.valuUse = 0.2;
  kernel.valuLanes = 16;
  kernel.code[3].unit = CodeLine::Unit::Vector;
  kernel.code[3].aluCycles = 100;
  kernel.code[3].lanes = 16;
  llvm::json::Value value = toJSON(report);
  const auto &object =
      *value.getAsObject()->getArray("kernels")->front().getAsObject();
  EXPECT_EQ(object.getObject("metrics")->getNumber("valu_lanes_percent"), 25);
  const auto &code = (*object.getArray("code"))[3];
  EXPECT_EQ(code.getAsObject()->getNumber("active_lanes"), 16);
  std::string text = printed([&](auto &os) { printText(os, report, {}); });
  EXPECT_TRUE(has(text, "16.0 of 64 lanes active")) << text;
  text = printed([&](auto &os) { printHTML(os, report); });
  EXPECT_TRUE(has(text, "16.0 of 64 lanes")) << text;
}

TEST(Html, IsSelfContainedAndEscaped) {
  Report report = sample();
  report.input = "<k>.tile";
  std::string text = printed([&](auto &os) { printHTML(os, report); });
  EXPECT_TRUE(has(text, "&lt;k&gt;.tile"));
  EXPECT_FALSE(has(text, "<k>"));
  EXPECT_FALSE(has(text, "src="));
  EXPECT_FALSE(has(text, "http"));
  EXPECT_TRUE(has(text, "ds_read_b64"));
  EXPECT_TRUE(has(text, "conflicts 8.0x"));
}

TEST(Trace, SlicesOfOneTrackDoNotOverlap) {
  Report report = sample();
  using Kind = TraceSlice::Kind;
  auto add = [&](Kind kind, uint64_t begin, uint64_t end, uint8_t slot) {
    TraceSlice slice;
    slice.kind = kind;
    slice.begin = begin;
    slice.end = end;
    slice.slot = slot;
    slice.code = 2;
    report.kernels[0].trace.push_back(slice);
  };
  add(Kind::Lds, 0, 100, 0);
  add(Kind::Lds, 4, 104, 0);
  add(Kind::Matrix, 8, 40, 0);
  add(Kind::Valu, 12, 16, 0);
  add(Kind::Wait, 16, 100, 0);
  add(Kind::Lds, 100, 200, 0);
  add(Kind::Valu, 12, 16, 1);
  std::string text = printed([&](auto &os) { printTrace(os, report); });
  auto parsed = llvm::json::parse(text);
  ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
  std::map<std::pair<int64_t, int64_t>, double> endOfTrack;
  unsigned slices = 0, names = 0;
  for (const auto &event : *parsed->getAsObject()->getArray("traceEvents")) {
    const auto &object = *event.getAsObject();
    names += object.getString("name") == "thread_name";
    if (object.getString("ph") != "X")
      continue;
    ++slices;
    double begin = *object.getNumber("ts");
    double &end =
        endOfTrack[{*object.getInteger("pid"), *object.getInteger("tid")}];
    EXPECT_GE(begin, end);
    end = begin + *object.getNumber("dur");
  }
  EXPECT_EQ(slices, 7u);
  // Two lanes for LDS, one for matrix, one each for the wavefronts.
  EXPECT_EQ(names, 5u);
}

TEST(Comparison, GivesRatios) {
  Report a = sample(), b = sample();
  b.kernels[0].cycles = 2000;
  std::string text = printed([&](auto &os) { printComparison(os, a, b); });
  EXPECT_TRUE(has(text, "0.500 x")) << text;
  EXPECT_TRUE(has(text, "A is 2.000 times as fast as B")) << text;
  text = printed([&](auto &os) { printComparison(os, a, a); });
  EXPECT_TRUE(has(text, "take the same time")) << text;
}

} // namespace
