#!/bin/bash
# options.sh TLC: every option that `tlc help COMMAND` names stands in
# docs/cli.md, in the section of a command that has it.
cd "$(dirname "$0")/../.." || exit 1
tlc=$1 failures=0 count=0
for command in compile run check profile objdump; do
  for option in $("$tlc" help $command 2>&1 | grep -oE '(^|[ ,(])--?[a-zA-Z][a-z-]*' | tr -d ' ,(' | sort -u); do
    count=$((count + 1))
    grep -qE -- "[\` ]$option([^a-z-]|\$)" docs/cli.md ||
      { echo "tlc $command: $option is not in docs/cli.md"; failures=$((failures + 1)); }
  done
done
echo "$count options, $failures failures"
[ $count -gt 40 ] && [ $failures = 0 ]
