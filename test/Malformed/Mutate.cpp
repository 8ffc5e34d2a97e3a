//===- Mutate.cpp - Damaged kernels must end in a diagnostic --------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   tlc-mutate TLC KERNEL.tile WORK_DIR SEED COUNT [tlc option...]
//
// Damages a kernel COUNT times, compiles each, and fails if one of them ends in
// a signal, a time-out, an exit code other than 0, 1, 2 and 4, an error without
// a place, or an output file beside an error. Damage is of the kinds that
// people and tools do: a byte lost or changed, a line deleted, doubled or
// swapped, a token replaced by another of the file, the end cut off.
//
//===----------------------------------------------------------------------===//

#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <signal.h>
#include <spawn.h>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char **environ;

namespace {

class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  /// Uniform in [0, bound).
  size_t below(size_t bound) {
    uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return bound ? (z ^ (z >> 31)) % bound : 0;
  }

private:
  uint64_t state;
};

struct Span {
  size_t begin, end;
};

/// Names and numbers whole, every other visible character by itself.
std::vector<Span> tokens(const std::string &text) {
  std::vector<Span> result;
  auto isWord = [](char c) {
    return std::isalnum((unsigned char)c) || c == '_';
  };
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    if (isWord(text[i]))
      while (end < text.size() && isWord(text[end]))
        ++end;
    if (!std::isspace((unsigned char)text[i]))
      result.push_back({i, end});
    i = end;
  }
  return result;
}

std::vector<Span> lines(const std::string &text) {
  std::vector<Span> result;
  for (size_t i = 0; i < text.size();) {
    size_t end = text.find('\n', i);
    end = end == std::string::npos ? text.size() : end + 1;
    result.push_back({i, end});
    i = end;
  }
  return result;
}

std::string slice(const std::string &text, Span span) {
  return text.substr(span.begin, span.end - span.begin);
}

/// One act of damage.
std::string damage(std::string text, Random &random) {
  // What a kernel's author might write in the place of something else.
  static const char *const insertions[] = {
      "0",         "-1",   "1 << 40",    "None",        "\"x\"",
      "T.float16", "1.5",  "(",          ")",           "[",
      "]",         ":",    "T.gemm",     "lambda",      "7",
      "bx",        "T",    "3000000000", "float8_e4m3", "T.alloc_shared",
      "**",        "//",   "@",          "yield",       "\t",
      "\xff",      "f\"{", "'''",        "T.infinity"};
  if (text.empty())
    return "x";
  std::vector<Span> words = tokens(text), rows = lines(text);
  Span word = words.empty() ? Span{0, 0} : words[random.below(words.size())];
  Span row = rows[random.below(rows.size())];
  switch (random.below(9)) {
  case 0: // lose a byte
    return text.erase(random.below(text.size()), 1);
  case 1: // change a byte
    text[random.below(text.size())] = static_cast<char>(random.below(256));
    return text;
  case 2: // lose a line
    return text.erase(row.begin, row.end - row.begin);
  case 3: // double a line elsewhere
    return text.insert(rows[random.below(rows.size())].begin, slice(text, row));
  case 4: // lose the end
    return text.substr(0, random.below(text.size()));
  case 5: // lose a token
    return text.erase(word.begin, word.end - word.begin);
  case 6: { // a token of the file in the place of another
    Span other = words.empty() ? Span{0, 0} : words[random.below(words.size())];
    return text.replace(word.begin, word.end - word.begin, slice(text, other));
  }
  case 7: // something foreign in the place of a token
    return text.replace(word.begin, word.end - word.begin,
                        insertions[random.below(std::size(insertions))]);
  default: // indentation
    return text.insert(row.begin, random.below(2) ? "    " : " ");
  }
}

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs a program with its talk in `log`. Gives the wait status; a program
/// that runs for more than `seconds` is killed.
int run(const std::vector<std::string> &command, const std::string &log,
        unsigned seconds) {
  std::vector<char *> argv;
  for (const std::string &word : command)
    argv.push_back(const_cast<char *>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  int failed =
      posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed) {
    std::fprintf(stderr, "cannot run %s: %s\n", argv[0], std::strerror(failed));
    std::exit(1);
  }
  int status = 0;
  for (unsigned waited = 0; waited < seconds * 200; ++waited) {
    if (waitpid(child, &status, WNOHANG) == child)
      return status;
    usleep(5000);
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return status;
}

/// Why the outcome is not acceptable; empty if it is.
std::string judge(int status, const std::string &log, bool hasOutput) {
  if (WIFSIGNALED(status))
    return "ended by signal " + std::to_string(WTERMSIG(status));
  int code = WEXITSTATUS(status);
  if (code != 0 && code != 1 && code != 2 && code != 4)
    return "exit code " + std::to_string(code);
  if (code != 0 && hasOutput)
    return "an output file beside an error";
  if (code != 0 && log.find("error: ") == std::string::npos)
    return "an exit code without an error";
  for (const char *trace : {"PLEASE submit", "Stack dump", "LLVM ERROR",
                            "Assertion", "runtime error:"})
    if (log.find(trace) != std::string::npos)
      return std::string("it says '") + trace + "'";
  return "";
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 6) {
    std::fprintf(stderr, "usage: tlc-mutate TLC KERNEL WORK_DIR SEED COUNT "
                         "[option...]\n");
    return 2;
  }
  std::string tlc = argv[1], work = argv[3];
  std::string original = readFile(argv[2]);
  uint64_t seed = std::strtoull(argv[4], nullptr, 10);
  unsigned count = std::strtoul(argv[5], nullptr, 10), rejected = 0, bad = 0;
  mkdir(work.c_str(), 0755);
  std::string output = work + "/out.hsaco", log = work + "/log.txt";

  for (unsigned i = 0; i < count; ++i) {
    Random random(seed * 1000003 + i);
    std::string text = original;
    for (size_t acts = 1 + random.below(3); acts; --acts)
      text = damage(std::move(text), random);
    std::string kernel = work + "/mutant.tile";
    std::ofstream(kernel, std::ios::binary) << text;
    unlink(output.c_str());
    std::vector<std::string> command = {tlc, "compile", kernel, "-o", output};
    command.insert(command.end(), argv + 6, argv + argc);
    int status = run(command, log, 60);
    struct stat info;
    std::string why =
        judge(status, readFile(log), !stat(output.c_str(), &info));
    rejected += WIFEXITED(status) && WEXITSTATUS(status) != 0;
    if (why.empty())
      continue;
    ++bad;
    std::string kept = work + "/bad-" + std::to_string(i) + ".tile";
    std::ofstream(kept, std::ios::binary) << text;
    std::printf("%s: %s\n%s\n", kept.c_str(), why.c_str(),
                readFile(log).substr(0, 2000).c_str());
  }
  std::printf("%u damaged kernels: %u rejected, %u accepted, %u mishandled\n",
              count, rejected, count - rejected - bad, bad);
  // A run in which nothing was rejected has tested nothing.
  return bad || !rejected;
}
