#!/bin/sh
# tlc.sh TLC LIBRARY_FOLDER EXAMPLES: tlc's HIP path on the drop-in library.
tlc=$1 library=$2 examples=$3
for example in "01-vector-add.tile -D N=1000" "03-softmax.tile -D M=5 -D N=300"; do
  # shellcheck disable=SC2086: the parameters are words of their own
  set -- $example
  file=$1
  shift
  text=$(LD_LIBRARY_PATH=$library "$tlc" check "$examples/$file" "$@" --device hip 2>&1) || {
    echo "$text"; exit 1; }
  echo "$text" | grep -q "device: simulated GPU 0 (gfx942:sramecc+:xnack-) by $library/libamdhip64.so" || {
    echo "$text"; echo "not said to be simulated"; exit 1; }
  echo "$text" | grep -q "^PASS" || { echo "$text"; exit 1; }
done
