#!/bin/bash
# passes.sh: every pass has a test of what it does, a test of what it refuses
# (both named after it), and its place in docs/pipeline.md.
cd "$(dirname "$0")/../.." || exit 1
failures=0 count=0
fail() { echo "$1"; failures=$((failures + 1)); }

for pass in $(grep -rhoE '^def [A-Za-z]+ *: *[A-Za-z_]+<"(tile|wave|convert|expand)-[^"]+"' include/tlc --include=Passes.td | sed -E 's/.*"(.*)"/\1/'); do
  count=$((count + 1))
  name=${pass#tile-} name=${name#wave-} name=${name#convert-}
  for kind in "" -errors; do
    [ -n "$(find test -name "$name$kind.mlir")" ] || fail "$pass: no test $name$kind.mlir"
  done
  grep -q "\`$pass\`" docs/pipeline.md || fail "$pass: not in docs/pipeline.md"
done
echo "$count passes, $failures failures"
[ $count -gt 0 ] && [ $failures = 0 ]
