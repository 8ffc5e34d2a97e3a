#!/bin/bash
# sampling-error.sh TLC [JOBS]: what sampling costs in accuracy. Cycles of whole
# launches with every workgroup in detail and from a sample, as a table. DETAIL is
# the number of wavefront instructions that a sample may spend; the default of
# `tlc profile` is 24 million.
set -u
tlc=$1 jobs=${2:-1}
export tlc examples=$(dirname "$0")/../python-free-examples

# name | detail | file and options
cases() {
  local attention='05-flash-attention.tile -D batch=%s -D heads=%s -D heads_kv=%s -D seq_q=%s -D seq_k=%s'
  a() { printf "%s|%s|$attention %s\n" "$1" "$2" "$3" "$4" "$4" "$5" "$5" "${6-}"; }
  a 'attention, 4 × 16 heads, 1,024 tokens' 1500000 4 16 1024
  a '5 × 13 heads, 640 tokens' 700000 5 13 640
  a '2 × 16 heads, 1,024 tokens, 64 rows' 1500000 2 16 1024 '-D block_M=64 -D threads=128'
  a '8 × 16 heads, 768 tokens, 256 rows, 8 wavefronts' 1500000 8 16 768 '-D block_M=256 -D block_N=64 -D threads=512'
  a '4 × 20 heads, 1,000 tokens, d 64' 1000000 4 20 1000 '-D dim=64'
  a 'causal, 4 × 16 heads, 1,024 tokens' 1000000 4 16 1024 '-D causal=True'
  a 'causal, 3 × 13 heads, 1,500 tokens' 1000000 3 13 1500 '-D causal=True'
  local order='--disable-pass=tile-order-workgroups'
  a 'causal, 4 × 16 heads, 1,024 tokens, in the order of the grid' 200000 4 16 1024 "-D causal=True $order"
  a 'causal, 3 × 13 heads, 1,500 tokens, in the order of the grid' 200000 3 13 1500 "-D causal=True $order"
  a 'causal, 2 × 24 heads, 2,048 tokens, in the order of the grid' 500000 2 24 2048 "-D causal=True $order"
  local product='02-gemm.tile -D M=%s -D N=%s -D K=%s'
  p() { printf "%s|%s|$product %s\n" "$1" "$2" "$3" "$4" "$5" "${6-}"; }
  p 'product, 128 × 128 blocks, 1.7 rounds' 700000 2048 4096 512 '-D block_M=128 -D block_N=128'
  p '3.4 rounds' 1000000 4096 8192 256 '-D block_M=128 -D block_N=128'
  p '6.7 rounds' 1000000 8192 8192 128 '-D block_M=128 -D block_N=128'
  p '256 × 256 blocks, 1.7 rounds' 1000000 4096 8192 256 '-D block_M=256 -D block_N=256'
  p '3.4 rounds' 1000000 8192 8192 256 '-D block_M=256 -D block_N=256'
  p '6.7 rounds' 1000000 8192 16384 128 '-D block_M=256 -D block_N=256'
  p 'default blocks, NT, bf16' 1000000 8192 4096 256 '-D trans_B=True -D dtype=bfloat16'
  echo 'softmax, 16,384 × 4,096|300000|03-softmax.tile -D M=16384 -D N=4096'
  echo 'softmax, 20,000 × 1,000|100000|03-softmax.tile -D M=20000 -D N=1000'
  echo 'RMSNorm, 16,384 × 4,096|300000|04-rms-norm.tile -D M=16384 -D N=4096'
  echo 'RMSNorm, 12,000 × 2,048|100000|04-rms-norm.tile -D M=12000 -D N=2048'
  echo 'sum of vectors, 33,554,432|300000|01-vector-add.tile -D N=33554432'
  echo 'decode, batch 8, 8,192 keys|500000|06-flash-decoding.tile -D batch=8 -D heads_kv=8 -D group=8 -D seq_k=8192 -D dim=128'
}

one() {
  IFS='|' read -r name detail options <<<"$1"
  cycles() { # of the longest kernel; workgroups in detail
    "$tlc" profile "$examples/"$options --device sim --lines 0 "$@" 2>/dev/null | awk '
      /^kernel / { some = ""; for (i = 1; i < NF; ++i) if ($i == "workgroups" && $(i - 2) == "of") some = $(i - 3) " of " $(i - 1) }
      /^  time / { gsub(/,/, "", $2); if ($2 + 0 > most) { most = $2; kept = some } }
      END { print most "|" kept }'
  }
  IFS='|' read -r full none <<<"$(cycles --full)"
  IFS='|' read -r sampled some <<<"$(cycles --detail "$detail")"
  awk -v n="$name" -v f="$full" -v s="$sampled" -v some="${some:-all}" \
    'BEGIN { printf "| %s | %d | %d | %s | %+.1f %% |\n", n, f, s, some, 100 * (s - f) / f }'
}
export -f one
echo '| kernel | full | sampled | workgroups in detail | |'
echo '|---|---|---|---|---|'
# In order, however many run at a time.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export folder
cases | cat -n | xargs -P "$jobs" -d '\n' -I{} bash -c 'line=$1; number=${line%%$'"'\t'"'*}; one "${line#*$'"'\t'"'}" >"$folder/$((number))"' _ {}
for ((i = 1; ; ++i)); do [ -f "$folder/$i" ] || break; cat "$folder/$i"; done
