#!/bin/bash
# passes-alone.sh BIN_DIR WORK_DIR: each pass on the tile dialect runs alone on
# the IR of the front end; what it gives goes through the whole compiler, itself
# once more included, and must compute what the reference computes from the IR
# before.
set -u
bin=$(realpath "$1") work=$2 root=$(realpath "$(dirname "$0")/../..")
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
export PATH=$bin:$PATH NO_COLOR=1
count=0 failures=0
passes=$(sed -nE 's/^def .*<"(tile-[^"]+)".*/\1/p' "$root/include/tlc/Dialect/Tile/Transforms/Passes.td")

while read -r output kernel arguments; do
  # shellcheck disable=SC2086
  tlc compile "$root/$kernel" $arguments --emit=tile -o source.mlir &&
    tlc-opt source.mlir -o before.mlir &&
    tlc run before.mlir --device ref --out "$output=expected.npy" >log.txt 2>&1 || { cat log.txt; exit 1; }
  for pass in $passes; do
    count=$((count + 1))
    tlc-opt before.mlir "--$pass" -o after.mlir >log.txt 2>&1 &&
      if cmp -s before.mlir after.mlir; then continue; fi &&
      tlc check after.mlir --device sim --expect "$output=expected.npy" --rtol 0.01 >log.txt 2>&1 && continue
    echo "$kernel $arguments after $pass:" && tail -5 log.txt
    failures=$((failures + 1))
  done
done <<'KERNELS'
C python-free-examples/02-gemm.tile -D M=100 -D N=72 -D K=70
O python-free-examples/05-flash-attention.tile -D batch=1 -D heads=2 -D heads_kv=1 -D seq_q=65 -D seq_k=130 -D dim=80 -D causal=True
C test/Language/reduce-kinds.tile
KERNELS
echo "$count runs, $failures failures"
[ $count -gt 0 ] && [ $failures = 0 ]
