//===- WholeProcess.cpp - What a user waits for ---------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times `tlc` as a whole process, from spawn to exit: compiling each example,
// and running attention on the simulator, plain, checked and profiled. A
// process and not a library call, because start-up and page faults of a 100 MB
// program are part of the wait.
//
//===----------------------------------------------------------------------===//

#include <benchmark/benchmark.h>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <vector>

extern char **environ;

namespace {

using Arguments = std::vector<std::string>;

/// Runs `tlc` with output discarded; gives its exit code, or -1.
int runTlc(const Arguments &arguments) {
  std::vector<char *> argv = {const_cast<char *>(TLC_PROGRAM)};
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int fd : {1, 2})
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  int status = -1;
  bool spawned = !posix_spawn(&child, TLC_PROGRAM, &actions, nullptr,
                              argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (!spawned || waitpid(child, &status, 0) < 0)
    return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void timeTlc(benchmark::State &state, const Arguments &arguments) {
  for (auto _ : state)
    if (runTlc(arguments) != 0) {
      state.SkipWithError("tlc failed");
      return;
    }
}

std::string example(const char *name) {
  return std::string(TLC_EXAMPLES) + "/" + name + ".tile";
}

void add(const char *name, const Arguments &arguments) {
  benchmark::RegisterBenchmark(
      name, [arguments](benchmark::State &state) { timeTlc(state, arguments); })
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

} // namespace

int main(int argc, char **argv) {
  // The attention of the figures: head size 128, one batch, two heads, 512 ×
  // 512.
  const Arguments attention = {"-D", "batch=1",    "-D", "heads=2",
                               "-D", "heads_kv=2", "-D", "seq_q=512",
                               "-D", "seq_k=512",  "-D", "dim=128"};
  auto command = [](const char *verb, const char *file, Arguments rest) {
    Arguments all = {verb, example(file)};
    all.insert(all.end(), rest.begin(), rest.end());
    return all;
  };
  Arguments toNowhere = attention;
  toNowhere.insert(toNowhere.end(), {"-o", "/dev/null"});
  Arguments onSimulator = attention;
  onSimulator.insert(onSimulator.end(), {"--device", "sim"});

  add("start/version", {"--version"});
  add("compile/gemm", command("compile", "02-gemm", {"-o", "/dev/null"}));
  add("compile/attention", command("compile", "05-flash-attention", toNowhere));
  add("run/attention-512x512",
      command("run", "05-flash-attention", onSimulator));
  add("check/attention-512x512",
      command("check", "05-flash-attention", onSimulator));
  // At most four times the run.
  add("profile/attention-512x512",
      command("profile", "05-flash-attention", onSimulator));

  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
