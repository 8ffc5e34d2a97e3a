#!/bin/bash
# test.sh [ctest option...]: builds everything and runs every test.
#
# Unit tests, the lit suite, the examples and the documentation's commands. With
# TLC_SHARED_DATA set to the folder of outside data (other compilers' code
# objects, witness values), the tests that need it run too.
source "$(dirname "$0")/common.sh"

install_packages "${build_packages[@]}" "${test_packages[@]}"
configure -DTLC_BUILD_TESTS=ON ${TLC_SHARED_DATA:+-DTLC_SHARED_DATA="$(realpath "$TLC_SHARED_DATA")"}
compile

say "Testing"
ctest --test-dir "$build" --output-on-failure --no-tests=error -j "$jobs" "$@"
