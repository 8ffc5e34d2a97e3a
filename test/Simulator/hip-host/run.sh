#!/bin/sh
# run.sh CLANG LIBRARY_FOLDER SOURCE_FOLDER: builds the HIP program against the
# distribution's HIP and runs it on the drop-in. Exit 77: something is missing.
clang=$1 library=$2 source=$3
bitcode=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode
[ -x "$clang" ] && [ -f $bitcode/ocml.bc ] && [ -f /usr/include/hip/hip_runtime.h ] || {
  echo "no clang, HIP headers or device library"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# Device libraries older than gfx942 know it as gfx940.
cp $bitcode/*.bc "$work"
[ -f "$work/oclc_isa_version_942.bc" ] || cp "$work/oclc_isa_version_940.bc" "$work/oclc_isa_version_942.bc"
"$clang" -x hip --offload-arch=gfx942 -mcode-object-version=5 --rocm-path=/usr \
  --rocm-device-lib-path="$work" -D__AMDGCN_WAVEFRONT_SIZE=64 -O2 -w \
  -include "$source/compat.h" "$source/app.hip" -o "$work/app" -lamdhip64 || exit 1
LD_LIBRARY_PATH=$library "$work/app"
