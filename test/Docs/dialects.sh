#!/bin/bash
# dialects.sh [--update]: docs/dialects/*.md are what the ODS files say.
#
# Without --update the pages are compared and a difference is a failure.
cd "$(dirname "$0")/../.." || exit 1
llvm=${TLC_LLVM_PREFIX:-/usr/lib/llvm-22}
status=0
for dialect in Tile Wave; do
  name=${dialect,,}
  page=docs/dialects/$name.md
  text=$("$llvm/bin/mlir-tblgen" -gen-dialect-doc -dialect="$name" -I include -I "$llvm/include" \
    "include/tlc/Dialect/$dialect/IR/${dialect}Ops.td" | sed '/^\[TOC\]$/d' | cat -s) || exit 1
  if [ "${1:-}" = --update ]; then
    mkdir -p docs/dialects
    printf '%s\n' "$text" >"$page"
  elif ! diff -u "$page" <(printf '%s\n' "$text"); then
    echo "$page is stale: run test/Docs/dialects.sh --update"
    status=1
  fi
done
exit $status
