//===- Mutate.cpp - Damaged kernels must end in a diagnostic --------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   tlc-mutate FILE WORK_DIR SEED COUNT COMMAND [ARGUMENT...]
//
// Damages a file COUNT times and gives each to the command, in whose arguments
// {} is the damaged file and {out} an output file. Fails if one of them ends in
// a signal, a time-out, an exit code other than 0 to 4 but 3, an exit code
// without an error, or an output file beside an error. An error about a kernel
// or IR must name line and column and show the place, and never claims not to
// know why.
//
// Damage is of the kinds that people and tools do: a byte lost or changed, a
// line deleted, doubled or swapped, a token replaced by another of the file,
// the end cut off. Of a binary file only bytes and the end are damaged.
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

/// One act of damage to a file that is not text.
std::string damageBytes(std::string bytes, Random &random) {
  if (bytes.empty())
    return "x";
  size_t at = random.below(bytes.size());
  switch (random.below(5)) {
  case 0: // lose the end
    return bytes.substr(0, at);
  case 1: // a bit
    bytes[at] ^= static_cast<char>(1 << random.below(8));
    return bytes;
  case 2: // a number
    for (size_t i = at; i < std::min(at + 4, bytes.size()); ++i)
      bytes[i] = random.below(2) ? '\xff' : '\0';
    return bytes;
  case 3: // lose a part
    return bytes.erase(at, 1 + random.below(64));
  default: // a byte, more often near the start, where headers are
    bytes[random.below(1 + at)] = static_cast<char>(random.below(256));
    return bytes;
  }
}

/// One act of damage to a text.
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

/// "name:12:5: error: " somewhere in the log, with a caret below. MLIR's parser
/// leaves the caret out in lines that are not ASCII.
bool namesPlace(const std::string &log) {
  bool ascii = true;
  for (unsigned char c : log)
    ascii &= c < 128;
  for (size_t at = log.find(": error: "); at != std::string::npos;
       at = log.find(": error: ", at + 1)) {
    size_t i = at, numbers = 0;
    while (numbers < 2) {
      size_t digits = i;
      while (digits && std::isdigit((unsigned char)log[digits - 1]))
        --digits;
      if (digits == i || !digits || log[digits - 1] != ':')
        break;
      i = digits - 1;
      ++numbers;
    }
    if (numbers == 2 && (!ascii || log.find('^', at) != std::string::npos))
      return true;
  }
  return false;
}

/// Why the outcome is not acceptable; empty if it is.
std::string judge(int status, const std::string &log, bool hasOutput,
                  bool text) {
  if (WIFSIGNALED(status))
    return "ended by signal " + std::to_string(WTERMSIG(status));
  int code = WEXITSTATUS(status);
  if (code != 0 && code != 1 && code != 2 && code != 4)
    return "exit code " + std::to_string(code);
  if (code != 0 && hasOutput)
    return "an output file beside an error";
  if (code != 0 && log.find("error: ") == std::string::npos)
    return "an exit code without an error";
  if (code != 0 && text && !namesPlace(log))
    return "an error without a place";
  for (const char *trace :
       {"PLEASE submit", "Stack dump", "LLVM ERROR", "Assertion",
        "runtime error:", "did not say why", "without a reason"})
    if (log.find(trace) != std::string::npos)
      return std::string("it says '") + trace + "'";
  return "";
}

bool endsWith(const std::string &text, const std::string &end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 6) {
    std::fprintf(stderr, "usage: tlc-mutate FILE WORK_DIR SEED COUNT COMMAND "
                         "[argument...]\n");
    return 2;
  }
  std::string name = argv[1], work = argv[2];
  std::string original = readFile(name);
  uint64_t seed = std::strtoull(argv[3], nullptr, 10);
  unsigned count = std::strtoul(argv[4], nullptr, 10), rejected = 0, bad = 0;
  bool text = endsWith(name, ".tile") || endsWith(name, ".mlir");
  std::string extension = name.substr(name.rfind('.'));
  mkdir(work.c_str(), 0755);
  std::string output = work + "/output", log = work + "/log.txt",
              damaged = work + "/damaged" + extension;
  std::vector<std::string> command(argv + 5, argv + argc);
  for (std::string &word : command)
    for (const auto &[place, value] :
         {std::pair{"{}", damaged}, {"{out}", output}})
      if (size_t at = word.find(place); at != std::string::npos)
        word.replace(at, std::strlen(place), value);

  for (unsigned i = 0; i < count; ++i) {
    Random random(seed * 1000003 + i);
    std::string contents = original;
    for (size_t acts = 1 + random.below(3); acts; --acts)
      contents = text ? damage(std::move(contents), random)
                      : damageBytes(std::move(contents), random);
    std::ofstream(damaged, std::ios::binary) << contents;
    unlink(output.c_str());
    int status = run(command, log, 60);
    struct stat info;
    std::string why =
        judge(status, readFile(log), !stat(output.c_str(), &info), text);
    rejected += WIFEXITED(status) && WEXITSTATUS(status) != 0;
    if (why.empty())
      continue;
    ++bad;
    std::string kept = work + "/bad-" + std::to_string(i) + extension;
    std::ofstream(kept, std::ios::binary) << contents;
    std::printf("%s: %s\n%s\n", kept.c_str(), why.c_str(),
                readFile(log).substr(0, 2000).c_str());
  }
  std::printf("%u damaged files: %u rejected, %u accepted, %u mishandled\n",
              count, rejected, count - rejected, bad);
  // A run in which nothing was rejected has tested nothing.
  return bad || !rejected;
}
