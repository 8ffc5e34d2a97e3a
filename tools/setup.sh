#!/bin/bash
# setup.sh: from a fresh Debian 12 to a checked flash-attention kernel.
#
# Installs the packages that are missing, builds tlc, compiles
# python-free-examples/05-flash-attention.tile to a gfx942 code object, runs it
# on the built-in simulator and compares the result with the reference.
source "$(dirname "$0")/common.sh"

install_packages "${build_packages[@]}"
[ -f "$build/build.ninja" ] || configure -DTLC_BUILD_TESTS=OFF
compile tlc

tlc=$build/bin/tlc
kernel=python-free-examples/05-flash-attention.tile
shape=(-D batch=1 -D heads=4 -D heads_kv=2 -D seq_q=200 -D seq_k=333 -D dim=128 -D causal=True -D bottom_right=True)

say "Compiling flash attention for gfx942"
echo "\$ tlc compile $kernel ${shape[*]} -o build/flash-attention.hsaco"
"$tlc" compile "$kernel" "${shape[@]}" -o build/flash-attention.hsaco
ls -l build/flash-attention.hsaco

say "Running it on the simulator and comparing with the reference"
echo "\$ tlc check $kernel ${shape[*]} --device sim"
"$tlc" check "$kernel" "${shape[@]}" --device sim

say "Done. tlc is $tlc; next: tools/test.sh"
