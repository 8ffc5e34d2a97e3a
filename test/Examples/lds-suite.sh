#!/bin/sh
# lds-suite.sh TLC-LDS LEAST FILE...: the compile-time report beside an execution
# for every `RUN: tlc check` of the files (LdsConflicts.cpp). Those that need
# arguments of their own are left out; at least LEAST must have been compared.
set -u
lds=$1 least=$2
shift 2
compared=0 failed=0
for file; do
  # Only what chooses the kernel, each once.
  runs=$(sed -n 's/^# RUN: *tlc check %s\([^|>]*\).*/:\1/p' "$file" |
    sed 's/ --device [a-z]*//; s/ --unordered [A-Za-z_]*//g' | sort -u)
  while IFS= read -r run; do
    case $run in
    '' | *--arg* | *--expect* | *--seed* | *\'* | *\"*) continue ;;
    esac
    # shellcheck disable=SC2086
    out=$("$lds" "$file" --allow-conflicts --allow-unknown 1000 ${run#:} 2>&1)
    code=$?
    if [ $code -eq 3 ]; then
      failed=1
      echo "$file ${run#:}"
      echo "$out" | grep DIFFERS
    elif [ $code -eq 0 ]; then
      compared=$((compared + 1))
    fi
  done <<END
$runs
END
done
echo "$compared compared"
[ $failed -eq 0 ] && [ $compared -ge "$least" ]
