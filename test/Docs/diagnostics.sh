#!/bin/bash
# diagnostics.sh: every id of Diagnostics.def has its page under docs/diagnostics,
# with the same title and a line in the index, and there are no other pages.
root=$(realpath "$(dirname "$0")/../..")
pages=$root/docs/diagnostics
failures=0
fail() { echo "$1"; failures=$((failures + 1)); }

ids=()
while IFS='|' read -r number title; do
  id=$(printf 'TL%04d' "$number")
  ids+=("$id")
  [ -f "$pages/$id.md" ] || { fail "no page $id.md"; continue; }
  [ "$(head -1 "$pages/$id.md")" = "# $id: $title" ] || fail "$id.md is not titled '$id: $title'"
  grep -q "\[$id\]($id.md).*$title" "$pages/README.md" || fail "the index does not list $id: $title"
done < <(tr '\n' ' ' <"$root/include/tlc/Support/Diagnostics.def" |
  grep -oE 'TLC_DIAG\([0-9]+, *[A-Za-z]+, *[A-Za-z]+, *"[^"]*"\)' |
  sed -E 's/TLC_DIAG\(([0-9]+),[^"]*"([^"]*)"\)/\1|\2/')
for page in "$pages"/TL*.md; do
  [[ " ${ids[*]} " == *" $(basename "$page" .md) "* ]] || fail "$(basename "$page") is no id"
done
echo "${#ids[@]} ids, $failures failures"
[ "${#ids[@]}" -gt 0 ] && [ $failures = 0 ]
