#!/bin/bash
# names.sh: every name of the language that the front end knows, in its table or
# its prelude, stands on docs/language.md.
root=$(realpath "$(dirname "$0")/../..")
frontend=$root/lib/Frontend
names=$(
  grep -ohE '\{"T\.\w+"|(UN|HINT)\("\w+"' "$frontend/BuiltinTable.cpp" | sed -E 's/.*"(T\.)?(\w+)"/\2/'
  sed -n '/StringRef names\[\]/,/};/p' "$frontend/Prelude.cpp" | grep -oE '"\w+"' | tr -d '"'
)
failures=0 count=0
for name in $names; do
  count=$((count + 1))
  grep -qw -- "$name" "$root/docs/language.md" || { echo "docs/language.md does not name '$name'"; failures=$((failures + 1)); }
done
echo "$count names, $failures failures"
[ $count -gt 200 ] && [ $failures = 0 ]
