#!/bin/bash
# sampling-error.sh TLC [JOBS [PATTERN [TRITON [AITER]]]]: what sampling costs in
# accuracy. Cycles of whole launches, and bytes from and to HBM, with every
# workgroup in detail and from a sample, as a table of the cases whose names match
# PATTERN. DETAIL is the number of wavefront instructions that a sample may spend;
# the default of `tlc profile` is 24 million. TRITON and AITER are folders of
# other people's code objects: attn_*.hsaco with meta.json, and fwd_hd128_*.co.
set -u
tlc=$1 jobs=${2:-1} pattern=${3:-} triton=${4:-} aiter=${5:-}
export tlc root=$(dirname "$0")/..

# name | detail | file and options
cases() {
  local attention='python-free-examples/05-flash-attention.tile -D batch=%s -D heads=%s -D heads_kv=%s -D seq_q=%s -D seq_k=%s'
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
  local product='python-free-examples/02-gemm.tile -D M=%s -D N=%s -D K=%s'
  p() { printf "%s|%s|$product %s\n" "$1" "$2" "$3" "$4" "$5" "${6-}"; }
  p 'product, 128 × 128 blocks, 1.7 rounds' 700000 2048 4096 512 '-D block_M=128 -D block_N=128'
  p '3.4 rounds' 1000000 4096 8192 256 '-D block_M=128 -D block_N=128'
  p '6.7 rounds' 1000000 8192 8192 128 '-D block_M=128 -D block_N=128'
  p '256 × 256 blocks, 1.7 rounds' 1000000 4096 8192 256 '-D block_M=256 -D block_N=256'
  p '3.4 rounds' 1000000 8192 8192 256 '-D block_M=256 -D block_N=256'
  p '6.7 rounds' 1000000 8192 16384 128 '-D block_M=256 -D block_N=256'
  p 'default blocks, NT, bf16' 1000000 8192 4096 256 '-D trans_B=True -D dtype=bfloat16'
  echo 'softmax, 16,384 × 4,096|300000|python-free-examples/03-softmax.tile -D M=16384 -D N=4096'
  echo 'softmax, 20,000 × 1,000|100000|python-free-examples/03-softmax.tile -D M=20000 -D N=1000'
  echo 'RMSNorm, 16,384 × 4,096|300000|python-free-examples/04-rms-norm.tile -D M=16384 -D N=4096'
  echo 'RMSNorm, 12,000 × 2,048|100000|python-free-examples/04-rms-norm.tile -D M=12000 -D N=2048'
  echo 'sum of vectors, 33,554,432|300000|python-free-examples/01-vector-add.tile -D N=33554432'
  local decode='python-free-examples/06-flash-decoding.tile -D dim=128'
  echo "decode, batch 8, 8,192 keys, as many parts as CUs (never sampled)|500000|$decode -D batch=8 -D heads_kv=8 -D group=8 -D seq_k=8192"
  echo "batch 32, 8 heads, 4,096 keys in 4 parts|300000|$decode -D batch=32 -D heads_kv=8 -D group=8 -D seq_k=4096 -D num_split=4"
  # Nobody looked at the model with these.
  local gqa='python-free-examples/05-flash-attention.tile -D heads=32 -D heads_kv=4'
  echo "attention, 2 × 32 heads on 4, 1,024 tokens|1500000|$gqa -D batch=2 -D seq_q=1024 -D seq_k=1024"
  echo "causal, 2 × 32 heads on 4, 1,500 tokens|1500000|$gqa -D batch=2 -D seq_q=1500 -D seq_k=1500 -D causal=True"
  echo "causal, the same in the order of the grid|1500000|$gqa -D batch=2 -D seq_q=1500 -D seq_k=1500 -D causal=True $order"
  a '700 queries, bottom right, 3 × 20 heads, bf16' 700000 3 20 700 '-D causal=True -D bottom_right=True -D dtype=bfloat16'
  p 'product, 16,384 × 16,384 × 128, 256 × 256 blocks, 13.5 rounds' 1000000 16384 16384 128 '-D block_M=256 -D block_N=256'
  p 'i8, 4,096 × 8,192 × 512' 1000000 4096 8192 512 '-D dtype=int8'
  echo 'product, K in 16 parts|700000|tools/sampling/split-k.tile'
  echo 'triangular product, 4,096|1000000|tools/sampling/triangular.tile'
  echo 'triangular product, 3,072 × 5,000|1000000|tools/sampling/triangular.tile -D M=3072 -D N=5000'
  echo 'rows that end in no order|500000|tools/sampling/ragged.tile'
  echo 'transpose, 8,192 × 8,192|500000|tools/sampling/transpose.tile'
  t() { # name, detail, object, rows of a block, wavefronts, LDS, heads, tokens
    local row=$(($8 * 128)) array="f16[$7,$8,128]" strides=
    for _ in q k v o; do strides+=" --arg i32=$(($7 * row)) --arg i32=$row --arg i32=128"; done
    echo "Triton, $1|$2|$triton/attn_fp16_d128_$3.hsaco --kernel attn_fwd --block $(($5 * 64)) --lds $6 --grid $((($8 + $4 - 1) / $4)),$7,1 --arg $array=zeros --arg $array=zeros --arg $array=zeros --arg $array=zeros$strides --arg i32=$7 --arg i32=1 --arg i32=$8 --arg i32=$8 --arg f32=0.0884"
  }
  if [ -n "$triton" ]; then
    t '128 × 64, 2 stages, 48 heads, 1,536 tokens' 1500000 full_bm128_bn64_w4_s2_wpe2_nk0 128 4 32768 48 1536
    t '64 × 64, 64 heads, 1,024 tokens' 1500000 full_bm64_bn64_w4_s2_wpe2_nk16 64 4 32768 64 1024
    t 'causal 128 × 64, 48 heads, 2,048 tokens' 1500000 causal_bm128_bn64_w4_s1_wpe2_nk0 128 4 32768 48 2048
    t 'causal 64 × 64, 40 heads, 1,536 tokens' 1500000 causal_bm64_bn64_w4_s2_wpe2_nk16 64 4 32768 40 1536
  fi
  h() { # name, detail, object, batch, heads, tokens, workgroups a head
    # Each argument in a slot of 16 bytes.
    local row=$(($5 * 256)) size="$4,$5,$6,128" list= n
    for n in "bf16[$size]" "bf16[$size]" "bf16[$size]" "bf16[$size]" "f32[$4,$5,$6]"; do
      list+=" --arg $n=zeros --arg i64=0"
    done
    for n in f32=0.0884 $6 $row $((256 * row)) 256 $(($6 * row)) 1 $row 256 $(($6 * row)) 5 1 $6 128 128 $5 $row 256 $(($6 * row)) $row 256 $(($6 * row)) i64=0 i64=0 $(($6 * 4)); do
      [[ $n == *=* ]] || n=i32=$n
      list+=" --arg $n"
      [[ $n == i64=* ]] && list+=" --arg i64=0" || list+=" --arg i32=0 --arg i32=0 --arg i32=0"
    done
    echo "AITER, $1|$2|$aiter/$3.co --block 512 --grid $7,$5,$4$list"
  }
  if [ -n "$aiter" ]; then
    h 'rtna, 4 × 20 heads, 2,048 tokens' 2000000 fwd_hd128_bf16_rtna 4 20 2048 8
    h 'causal rtne, 6 × 16 heads, 2,048 tokens' 2000000 fwd_hd128_bf16_causal_rtne 6 16 2048 4
  fi
}

one() {
  IFS='|' read -r name detail options <<<"$1"
  [[ $options == /* ]] || options=$root/$options
  cycles() { # of the longest kernel; workgroups in detail; MB of HBM
    "$tlc" profile $options --device sim --lines 0 "$@" 2>/dev/null | awk '
      /^kernel / { some = ""; for (i = 1; i < NF; ++i) if ($i == "workgroups" && $(i - 2) == "of") some = $(i - 3) " of " $(i - 1) }
      /^  time / { gsub(/,/, "", $2); if (longest = $2 + 0 > most) { most = $2 + 0; kept = some } }
      /^    HBM / && longest { bytes = $2 * ($3 == "GB" ? 1000 : $3 == "KB" ? 0.001 : 1) }
      END { print most "|" kept "|" bytes }'
  }
  IFS='|' read -r full none fullBytes <<<"$(cycles --full)"
  IFS='|' read -r sampled some bytes <<<"$(cycles --detail "$detail")"
  awk -v n="$name" -v f="$full" -v s="$sampled" -v some="${some:-all}" -v b="$bytes" -v fb="$fullBytes" \
    'BEGIN { printf "| %s | %d | %d | %s | %+.1f %% | %+.0f %% |\n", n, f, s, some, 100 * (s - f) / f, 100 * (b - fb) / fb }'
}
export -f one
echo '| kernel | full | sampled | workgroups in detail | cycles | HBM bytes |'
echo '|---|---|---|---|---|---|'
# In order, however many run at a time.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export folder
cases | grep -e "$pattern" | cat -n | xargs -P "$jobs" -d '\n' -I{} bash -c 'line=$1; number=${line%%$'"'\t'"'*}; one "${line#*$'"'\t'"'}" >"$folder/$((number))"' _ {}
for ((i = 1; ; ++i)); do [ -f "$folder/$i" ] || break; cat "$folder/$i"; done
