#!/bin/bash
# house.sh: the tree keeps its shape. Prints median, 90th percentile and maximum
# of the files' lengths and the share of comment lines; fails on what has no
# excuse: a stray file at the top, a source of more than 800 lines, a tab, blanks
# at the end of a line, a source without its head.
cd "$(dirname "$0")/../.." || exit 1
failures=0
fail() { echo "$1"; failures=$((failures + 1)); }

for entry in *; do
  case $entry in
  lib | include | tools | test | python-free-examples | docs | build) ;;
  CMakeLists.txt | CMakePresets.json | README.md | LICENSE) ;;
  *) fail "top level: $entry" ;;
  esac
done

mapfile -t sources < <(find include lib tools test -name '*.cpp' -o -name '*.h' | sort)
for file in "${sources[@]}"; do
  lines=$(wc -l <"$file")
  [ "$lines" -le 800 ] || fail "$file: $lines lines"
  sed -n 1,8p "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception' || fail "$file: no licence head"
done
grep -nP '\t| +$' "${sources[@]}" | head -20 >/tmp/house.$$
while read -r line; do fail "blanks: $line"; done </tmp/house.$$
rm -f /tmp/house.$$

wc -l "${sources[@]}" | awk '$2 != "total" { print $1 }' | sort -n | awk '
  { n[NR] = $1; sum += $1 }
  END { printf "%d files, %d lines: median %d, 90%% below %d, longest %d\n",
               NR, sum, n[int((NR + 1) / 2)], n[int(NR * 0.9)], n[NR] }'
cat "${sources[@]}" | awk 'NF { lines++ } /^ *\/\// { comments++ }
  END { printf "%.0f %% of the lines that are not blank are comments\n", 100 * comments / lines }'
echo "$failures failures"
[ $failures = 0 ]
