#!/bin/bash
# diagnostics.sh: every id of Diagnostics.def has its page under docs/diagnostics,
# with the same title and a line in the index, and there are no other pages; the
# code reports it somewhere, and a test under test/ provokes it.
root=$(realpath "$(dirname "$0")/../..")
pages=$root/docs/diagnostics
failures=0
fail() { echo "$1"; failures=$((failures + 1)); }

ids=()
while IFS='|' read -r number name title; do
  id=$(printf 'TL%04d' "$number")
  ids+=("$id")
  [ -f "$pages/$id.md" ] || { fail "no page $id.md"; continue; }
  [ "$(head -1 "$pages/$id.md")" = "# $id: $title" ] || fail "$id.md is not titled '$id: $title'"
  grep -q "\[$id\]($id.md).*$title" "$pages/README.md" || fail "the index does not list $id: $title"
  # By name in the front end and the driver, by its text in passes.
  grep -rqE "DiagID::$name\\b|\\[$id\\]" "$root/lib" "$root/include/tlc/Dialect" || fail "nothing reports $id ($name)"
  grep -rqE "\\b$id\\b" "$root/test" --include=*.test --include=*.tile --include=*.mlir ||
    fail "no test provokes $id ($name): test/Errors/every-id.test is the place"
done < <(tr '\n' ' ' <"$root/include/tlc/Support/Diagnostics.def" |
  grep -oE 'TLC_DIAG\([0-9]+, *[A-Za-z]+, *[A-Za-z]+, *"[^"]*"\)' |
  sed -E 's/TLC_DIAG\(([0-9]+), *([A-Za-z]+),[^"]*"([^"]*)"\)/\1|\2|\3/')
for page in "$pages"/TL*.md; do
  [[ " ${ids[*]} " == *" $(basename "$page" .md) "* ]] || fail "$(basename "$page") is no id"
done
echo "${#ids[@]} ids, $failures failures"
[ "${#ids[@]}" -gt 0 ] && [ $failures = 0 ]
