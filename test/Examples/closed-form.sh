#!/bin/bash
# closed-form.sh ORACLE TLC KERNEL.tile WORK_DIR RTOL name=value...
#
# Runs a kernel on inputs from tlc-oracle and compares the output with what the
# operator's definition gives there, besides tlc's own reference.
set -eu
oracle=$1 tlc=$2 kernel=$3 work=$4 rtol=$5
shift 5
rm -rf "$work" && mkdir -p "$work"
"$oracle" "$(basename "$kernel" .tile)" "$work" "$@"
options=(--device sim)
for value in "$@"; do options+=(-D "$value"); done
for file in "$work"/*.npy; do
  name=$(basename "$file" .npy)
  case $name in
  *.expected) options+=(--expect "${name%.expected}=$file") ;;
  *) options+=(--arg "$name=$file") ;;
  esac
done
exec "$tlc" check "$kernel" "${options[@]}" --rtol "$rtol"
