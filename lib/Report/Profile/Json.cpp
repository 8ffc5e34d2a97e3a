//===- Json.cpp - The report for programs ---------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that the text shows and every instruction. docs/profiling.md
// describes the schema; numbers are in the units of Report.h.
//
// Keys that have no value are left out, not null. Keys once written do not
// change their meaning within a schema version.
//
//   {"schema": ..., "input": "a.tile", "device": ..., "kernels": [
//      {"name": "main_kernel", "metrics": {"cycles": 100000, ...},
//       "limiters": [...], "hot_lines": [...], "code": [...]}]}
//
//===----------------------------------------------------------------------===//

#include "tlc/Report/Profile/Print.h"

using namespace tlc::report;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

namespace {

/// Causes that cost nothing are left out.
Object stallObject(const StallCycles &stalls) {
  Object object;
  for (unsigned s = 0; s < stallCount; ++s)
    if (stalls[s] > 0)
      object[info(Stall(s)).key] = stalls[s];
  return object;
}

/// Keys of the schema, not texts to show.
const char *unitName(CodeLine::Unit unit) {
  switch (unit) {
  case CodeLine::Unit::Scalar:
    return "scalar";
  case CodeLine::Unit::Vector:
    return "vector";
  case CodeLine::Unit::Matrix:
    return "matrix";
  case CodeLine::Unit::Lds:
    return "lds";
  case CodeLine::Unit::Memory:
    return "memory";
  case CodeLine::Unit::Scratch:
    return "scratch";
  }
  return "";
}

/// One instruction. What does not apply to its unit is left out.
Object codeObject(const CodeLine &code) {
  Object object{
      {"address", code.address},           {"text", code.text},
      {"unit", unitName(code.unit)},       {"executed", code.executed},
      {"issue_cycles", code.issueCycles},  {"stalls", stallObject(code.stalls)},
      {"caused", stallObject(code.caused)}};
  if (code.unit != CodeLine::Unit::Scalar && code.executed > 0)
    object["active_lanes"] = code.lanes;
  if (!code.file.empty()) {
    object["file"] = code.file;
    object["line"] = code.line;
    object["column"] = code.column;
  }
  if (code.ldsBaseCycles > 0 || code.ldsConflictCycles > 0)
    object["lds"] =
        Object{{"cycles", code.ldsBaseCycles},
               {"conflict_cycles", code.ldsConflictCycles},
               {"address_conflict_cycles", code.ldsAddressConflicts}};
  if (code.linesTouched > 0)
    object["memory"] = Object{{"bytes_asked", code.bytesAsked},
                              {"lines_touched", code.linesTouched},
                              {"lines_needed", code.linesNeeded},
                              {"l1_sets_used", code.setsUsed()},
                              {"lines_beyond_l2", code.linesBeyondL2},
                              {"translation_misses", code.translationMisses}};
  return object;
}

/// Rates are at `clock`; bytes and peaks do not depend on one.
Array levels(const KernelReport &kernel, double clock) {
  Array array;
  for (const Level &level : kernel.levels) {
    Object object{{"key", level.key},
                  {"name", level.name},
                  {"bytes", level.bytes},
                  {"terabytes_per_second",
                   level.bytes / secondsAt(kernel, clock) / 1e12}};
    if (level.readBytes)
      object["read_bytes"] = *level.readBytes;
    if (level.writtenBytes)
      object["written_bytes"] = *level.writtenBytes;
    if (level.peakBytesPerCycle > 0)
      object["peak_bytes_per_cycle"] = level.peakBytesPerCycle;
    if (level.hitRate)
      object["hit_rate"] = *level.hitRate;
    if (level.busyShare)
      object["busy"] = *level.busyShare;
    array.push_back(std::move(object));
  }
  return array;
}

Object occupancy(const Occupancy &o) {
  Array limits;
  for (const OccupancyLimit &limit : o.limits)
    limits.push_back(Object{{"resource", limit.resource},
                            {"detail", limit.detail},
                            {"waves_per_simd", limit.waves}});
  return Object{{"waves_per_simd", o.waves},
                {"average_waves_per_simd", o.achieved},
                {"slots", o.slots},
                {"limits", std::move(limits)}};
}

/// In the order of their shares. `address` refers to an entry of "code".
Array limiterArray(const KernelReport &kernel) {
  Array array;
  for (const Limiter &limiter : kernel.limiters) {
    Object object{{"key", limiter.key},
                  {"headline", limiter.headline},
                  {"detail", limiter.detail},
                  {"advice", limiter.advice},
                  {"share", limiter.share},
                  {"gain", limiter.rank},
                  {"gain_with_unit", limiter.together}};
    if (!limiter.where.empty())
      object["where"] = limiter.where;
    if (limiter.instruction)
      object["address"] = kernel.code[*limiter.instruction].address;
    array.push_back(std::move(object));
  }
  return array;
}

/// Source lines by cost, with the addresses of their instructions.
Array hot(const KernelReport &kernel) {
  Array array;
  for (const HotLine &line : hotLines(kernel)) {
    Array addresses;
    for (size_t i : line.instructions)
      addresses.push_back(kernel.code[i].address);
    Object object{{"cycles", line.cycles},
                  {"share", line.share},
                  {"issue_cycles", line.issueCycles},
                  {"stalls", stallObject(line.stalls)},
                  {"conflict_cycles", line.conflictCycles},
                  {"instructions", std::move(addresses)}};
    if (line.aluCycles > 0)
      object["active_lanes"] = line.laneCycles / line.aluCycles;
    if (!line.file.empty()) {
      object["file"] = line.file;
      object["line"] = line.line;
    }
    array.push_back(std::move(object));
  }
  return array;
}

/// The figures of Metrics.cpp under their keys; unknown ones are missing.
Object metricObject(const Report &report, const KernelReport &kernel) {
  Object object;
  for (const Metric &metric : metrics())
    if (std::optional<double> value = metric.value(report, kernel))
      object[metric.key] = *value;
  return object;
}

/// A measured launch ends after the resources and times: the rest is the
/// model's.
Object kernelObject(const Report &report, const KernelReport &kernel) {
  Object object{
      {"name", kernel.name},
      {"grid", Array(kernel.grid)},
      {"block", Array(kernel.block)},
      {"resources", Object{{"vgprs", kernel.vgprs},
                           {"agprs", kernel.agprs},
                           {"sgprs", kernel.sgprs},
                           {"lds_bytes", kernel.ldsBytes},
                           {"scratch_bytes_per_lane", kernel.scratchBytes}}},
      {"workgroups",
       Object{{"total", kernel.workgroups}, {"in_detail", kernel.detailed}}},
      {"metrics", metricObject(report, kernel)},
      {"occupancy", occupancy(kernel.occupancy)}};
  if (!kernel.seconds.empty())
    object["measured_seconds"] = Array(kernel.seconds);
  if (kernel.cycles <= 0)
    return object;
  object["cycles"] = kernel.cycles;
  object["matrix_flops"] = kernel.matrixFlops;
  object["vector_flops"] = kernel.vectorFlops;
  object["wave_cycles"] = kernel.waveCycles;
  if (kernel.meanWorkgroupCycles > 0)
    object["workgroup_cycles"] =
        Object{{"mean", kernel.meanWorkgroupCycles},
               {"longest", kernel.longestWorkgroupCycles},
               {"longest_is", kernel.longestWorkgroup}};
  object["stalls"] = stallObject(kernel.stalls);
  object["lds"] =
      Object{{"cycles", kernel.ldsCycles},
             {"conflict_cycles", kernel.ldsConflictCycles},
             {"address_conflict_cycles", kernel.ldsAddressConflicts}};
  // Shares of the SIMDs' time, which add up to 1.
  Object account;
  for (const TimeShare &part : kernel.account)
    account[part.key] = part.share;
  object["simd_time"] = std::move(account);
  object["limiters"] = limiterArray(kernel);
  object["levels"] =
      levels(kernel, report.chosenClock.value_or(report.maxClock));
  Array counters;
  for (const Counter &counter : kernel.counters)
    counters.push_back(Object{{"name", counter.name},
                              {"value", counter.value},
                              {"unit", counter.unit},
                              {"rocprofv3", counter.hardware},
                              {"meaning", counter.meaning}});
  object["counters"] = std::move(counters);
  object["hot_lines"] = hot(kernel);
  // Every instruction: a reader finds the hot ones by "hot_lines".
  Array code;
  for (const CodeLine &line : kernel.code)
    code.push_back(codeObject(line));
  object["code"] = std::move(code);
  return object;
}

Array strings(const std::vector<std::string> &from) { return Array(from); }

} // namespace

/// One profile; "schema" changes when a key changes its meaning.
Value tlc::report::toJSON(const Report &report) {
  Array kernels;
  for (const KernelReport &kernel : report.kernels)
    kernels.push_back(kernelObject(report, kernel));
  Object object{
      {"schema", profileSchema},
      {"input", report.input},
      {"device", report.device},
      {"origin", report.origin == Origin::Modelled ? "modelled" : "measured"},
      {"command", report.command},
      {"compute_units", report.computeUnits},
      {"clock_hz", report.chosenClock.value_or(report.maxClock)},
      {"max_clock_hz", report.maxClock},
      {"kernels", std::move(kernels)},
      {"notes", strings(report.notes)},
      {"unreported", strings(report.unreported)}};
  return object;
}

/// A comparison: both profiles as they are, since a reader can divide.
Value tlc::report::toJSON(const Report &report, const Report &base) {
  return Object{
      {"schema", comparisonSchema}, {"a", toJSON(report)}, {"b", toJSON(base)}};
}
