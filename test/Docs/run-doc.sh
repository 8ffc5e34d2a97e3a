#!/bin/bash
# run-doc.sh FILE.md BIN_DIR WORK_DIR: runs what a page shows.
#
# ```tile blocks    saved as the file that their first line names (`# file: x.tile`);
#                   a block without a name only has to parse.
# ```console blocks each line `$ command` is run; the lines below it must appear in
#                   its output in that order, where `…` stands for anything and
#                   runs of blanks count as one. Commands that need a network, root
#                   or a GPU belong in ```sh blocks, which are not run.
set -u
page=$(realpath "$1") bin=$(realpath "$2") work=$3
root=$(realpath "$(dirname "$0")/../..")
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
ln -s "$root/python-free-examples" python-free-examples
export PATH=$bin:/usr/lib/llvm-22/bin:$PATH NO_COLOR=1

# Cut the page into numbered block files: 001.tile, 002.console, …
awk '
  /^```(tile|console)$/ { kind = substr($0, 4); file = sprintf("%03d.%s", ++n, kind); next }
  /^```/                { if (file) close(file); file = ""; next }
  file                  { print > file }
' "$page"

failures=0
fail() { echo "$page: $1"; failures=$((failures + 1)); }

# check_output EXPECTED ACTUAL: every expected line in order, `…` a wildcard.
check_output() {
  awk '
    function squeeze(s) { gsub(/[ \t]+/, " ", s); sub(/^ /, "", s); sub(/ $/, "", s); return s }
    function matches(line, want,   n, parts, i, at) {
      n = split(want, parts, "…")
      for (i = 1; i <= n; i++) {
        at = index(line, parts[i])
        if (!at) return 0
        line = substr(line, at + length(parts[i]))
      }
      return 1
    }
    FILENAME == ARGV[1] { if (squeeze($0) != "" && squeeze($0) != "…") want[++count] = squeeze($0); next }
    next_line < count && matches(squeeze($0), want[next_line + 1]) { next_line++ }
    END { if (next_line < count) { print "  not in the output: " want[next_line + 1]; exit 1 } }
  ' "$1" "$2"
}

run_command() { # command, expected-file
  [ -n "$1" ] || return 0
  # A command that is to fail shows an error, or its exit code through `; echo $?`.
  timeout 300 bash -c "$1" >out.txt 2>&1
  local rc=$?
  if [ $rc -ge 124 ] || { [ $rc != 0 ] && ! grep -qE 'error|FAIL' "$2"; }; then
    fail "\`$1\` ended with $rc"; cat out.txt; return
  fi
  check_output "$2" out.txt >why.txt || { fail "\`$1\`"; cat why.txt; echo "  it printed:"; sed 's/^/    /' out.txt; }
}

for block in [0-9]*.tile [0-9]*.console; do [ -e "$block" ] && echo "$block"; done | sort >blocks.txt
while read -r block; do
  case $block in
  *.tile)
    name=$(sed -n '1s/^# file: *//p' "$block")
    if [ -n "$name" ]; then
      tail -n +2 "$block" >"$name"
    else
      tlc compile --emit=ast "$block" -o /dev/null >out.txt 2>&1 || { fail "block $block does not parse"; cat out.txt "$block"; }
    fi ;;
  *.console)
    command= ; : >expected.txt
    while IFS= read -r line; do
      if [[ $line == '$ '* ]]; then
        run_command "$command" expected.txt
        command=${line#'$ '} ; : >expected.txt
      else
        printf '%s\n' "$line" >>expected.txt
      fi
    done <"$block"
    run_command "$command" expected.txt ;;
  esac
done <blocks.txt
echo "$(wc -l <blocks.txt) blocks, $failures failures"
[ $failures = 0 ]
