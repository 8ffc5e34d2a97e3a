#!/bin/sh
# run.sh CLANG LIBRARY_FOLDER SOURCE_FOLDER MAJOR [PREFIX]: builds the HIP
# program and runs it on the drop-in of that release. With PREFIX, the unpacked
# packages of a distribution that has the release (docs/testing.md), it is built
# against their headers, device library and libamdhip64, and the drop-in must
# export all that the library does. Otherwise against the system's HIP 5; for
# 6 and 7, whose libraries it does not have, it is linked with the drop-in.
# Exit 77: something is missing.
clang=$1 library=$2 source=$3 major=$4 prefix=$5
[ -n "$prefix" ] && [ -d "$prefix/usr" ] && prefix=$prefix/usr
root=${prefix:-/usr}
real=$(find "$root/lib" -maxdepth 2 -name "libamdhip64.so.$major" 2>/dev/null | head -1)
bitcode=$(find "$root/lib" -name ocml.bc 2>/dev/null | head -1)
[ -n "$bitcode" ] || bitcode=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode/ocml.bc
[ -x "$clang" ] && [ -f "$bitcode" ] && [ -f "$root/include/hip/hip_runtime.h" ] || {
  echo "no clang, HIP headers or device library"; exit 77; }
[ -e "$library/libamdhip64.so" ] || { echo "$library is not built"; exit 77; }
[ -z "$prefix" ] || [ -n "$real" ] || { echo "no libamdhip64.so.$major in $prefix"; exit 1; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

symbols() {
  readelf --dyn-syms -W "$1" | awk 'NR > 3 && $7 != "UND" { sub("@@", "@", $8); print $8 }' | grep @ | sort -u
}
if [ -n "$real" ]; then
  symbols "$real" >"$work/real"
  symbols "$library/libamdhip64.so" >"$work/ours"
  comm -23 "$work/real" "$work/ours" >"$work/lacking"
  [ ! -s "$work/lacking" ] || { echo "not exported:"; cat "$work/lacking"; exit 1; }
fi

# Device libraries older than gfx942 know it as gfx940.
mkdir "$work/bitcode" "$work/include"
cp "$(dirname "$bitcode")"/*.bc "$work/bitcode"
[ -f "$work/bitcode/oclc_isa_version_942.bc" ] ||
  cp "$work/bitcode/oclc_isa_version_940.bc" "$work/bitcode/oclc_isa_version_942.bc"
# By a folder of its own, which the system's does not come before.
ln -s "$root/include/hip" "$work/include/hip"
flags="-x hip --offload-arch=gfx942 -mcode-object-version=5 --rocm-path=$root
  --rocm-device-lib-path=$work/bitcode -I$work/include -O2 -w -DMAJOR=$major"
# Newer clangs do not define it any more; HIP 7 does not need it.
[ "$major" = 7 ] && [ -n "$prefix" ] || flags="$flags -D__AMDGCN_WAVEFRONT_SIZE=64"
[ -n "$prefix" ] || flags="$flags -include $source/compat.h"
link="-no-hip-rt $library/libamdhip64.so"
[ -z "$real" ] || link="-no-hip-rt $real -Wl,--unresolved-symbols=ignore-in-shared-libs"
"$clang" $flags --cuda-device-only --no-gpu-bundle-output "$source/module.hip" -o "$work/module.hsaco" || exit 1
"$clang" $flags "$source/app.hip" -x none -o "$work/app" $link || exit 1
"$clang" $flags "$source/graphs.hip" -x none -o "$work/graphs" $link || exit 1
readelf -d "$work/app" | grep -q "NEEDED.*\[libamdhip64.so.$major\]" || {
  echo "wrong soname:"; readelf -d "$work/app" | grep NEEDED; exit 1; }

run() {
  LD_LIBRARY_PATH=$library "$1" "$work/module.hsaco" >"$work/out" 2>"$work/err" && grep -q "^all passed" "$work/out" || {
    cat "$work/out" "$work/err"; echo "$1 failed"; exit 1; }
}
# One that calls an entry point that is not provided, twice.
run_app() {
  run "$1"
  [ "$(grep -c "hipIpcGetMemHandle is not provided" "$work/err")" = 1 ] || {
    cat "$work/err"; echo "hipIpcGetMemHandle is not named once"; exit 1; }
}
run_app "$work/app"
run "$work/graphs"
# The checkers have nothing to say but what the program provokes.
export TLC_SIM_CHECK=1
for program in app graphs; do
  run "$work/$program"
  ! grep -qE "race|undefined-value|missing-wait|wait-states|divergence" "$work/err" || {
    cat "$work/err"; echo "false alarm"; exit 1; }
done
unset TLC_SIM_CHECK
# The same with a compressed fat binary, where the compiler can make one.
if "$clang" $flags --offload-compress "$source/app.hip" -x none -o "$work/compressed" $link 2>/dev/null; then
  run_app "$work/compressed"
fi
exit 0
