#!/bin/sh
# run.sh CLANG LIBRARY_FOLDER SOURCE_FOLDER MAJOR: builds the HIP program
# against the distribution's HIP and runs it on the drop-in of that release.
# The program for 5 is linked with the distribution's own library; for 6 and 7,
# whose libraries it does not have, with the drop-in. Exit 77: something is
# missing.
clang=$1 library=$2 source=$3 major=$4
bitcode=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode
[ -x "$clang" ] && [ -f $bitcode/ocml.bc ] && [ -f /usr/include/hip/hip_runtime.h ] || {
  echo "no clang, HIP headers or device library"; exit 77; }
[ -e "$library/libamdhip64.so" ] || { echo "$library is not built"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# Device libraries older than gfx942 know it as gfx940.
cp $bitcode/*.bc "$work"
[ -f "$work/oclc_isa_version_942.bc" ] || cp "$work/oclc_isa_version_940.bc" "$work/oclc_isa_version_942.bc"
flags="-x hip --offload-arch=gfx942 -mcode-object-version=5 --rocm-path=/usr
  --rocm-device-lib-path=$work -D__AMDGCN_WAVEFRONT_SIZE=64 -O2 -w -DMAJOR=$major
  -include $source/compat.h"
link="-no-hip-rt $library/libamdhip64.so"
[ "$major" = 5 ] && link=-lamdhip64
"$clang" $flags --cuda-device-only --no-gpu-bundle-output "$source/module.hip" -o "$work/module.hsaco" || exit 1
"$clang" $flags "$source/app.hip" -x none -o "$work/app" $link || exit 1
readelf -d "$work/app" | grep -q "NEEDED.*\[libamdhip64.so.$major\]" || {
  echo "wrong soname:"; readelf -d "$work/app" | grep NEEDED; exit 1; }

run() {
  LD_LIBRARY_PATH=$library "$1" "$work/module.hsaco" >"$work/out" 2>"$work/err" && grep -q "^all passed" "$work/out" || {
    cat "$work/out" "$work/err"; echo "$1 failed"; exit 1; }
  # The program calls an entry point that is not provided, twice.
  [ "$(grep -c "hipGraphCreate is not provided" "$work/err")" = 1 ] || {
    cat "$work/err"; echo "hipGraphCreate is not named once"; exit 1; }
}
run "$work/app"
# The same with a compressed fat binary, where the compiler can make one.
if "$clang" $flags --offload-compress "$source/app.hip" -x none -o "$work/compressed" $link 2>/dev/null; then
  run "$work/compressed"
fi
exit 0
