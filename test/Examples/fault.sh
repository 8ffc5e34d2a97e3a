#!/bin/bash
# fault.sh TLC KERNEL.tile WORK_DIR 's/good/bad/' name=value...
#
# Plants a fault in a kernel by a sed expression and shows that the kernel's own
# error bound catches it: the results of the faulty kernel, given to the good
# one as expected values, are outside the bound; its own results are inside.
set -u
tlc=$1 kernel=$2 work=$3 edit=$4
shift 4
rm -rf "$work" && mkdir -p "$work" || exit 1
options=(--device sim)
for value in "$@"; do options+=(-D "$value"); done

sed -E "$edit" "$kernel" >"$work/faulty.tile"
if cmp -s "$kernel" "$work/faulty.tile"; then
  echo "the expression $edit changes nothing"
  exit 1
fi
result() { # KERNEL FILE
  "$tlc" run "$1" "${options[@]}" --out "$output=$2" || exit 1
}
output=$(case $(basename "$kernel") in 01* | 02*) echo C ;; 03* | 04*) echo Y ;; *) echo O ;; esac)
result "$kernel" "$work/good.npy"
result "$work/faulty.tile" "$work/faulty.npy"

"$tlc" check "$kernel" "${options[@]}" --expect "$output=$work/good.npy" ||
  { echo "the good results are refused"; exit 1; }
"$tlc" check "$kernel" "${options[@]}" --expect "$output=$work/faulty.npy"
rc=$?
[ $rc = 3 ] || { echo "the faulty results ended in $rc instead of 3"; exit 1; }
