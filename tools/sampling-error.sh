#!/bin/bash
# sampling-error.sh TLC [JOBS [PATTERN [TRITON [AITER]]]]: what sampling costs in
# accuracy. Cycles of whole launches, and bytes from and to HBM, with every
# workgroup in detail and from a sample, as a table of the cases whose names match
# PATTERN. A sample may spend 16 million wavefront instructions, the least that
# `tlc profile --detail` takes: launches below 40 million run in full. TRITON and
# AITER are folders of other people's code objects: attn_*.hsaco, fwd_hd128_*.co.
set -u
tlc=$1 jobs=${2:-1} pattern=${3:-} triton=${4:-} aiter=${5:-}
export tlc root=$(dirname "$0")/..

# name | file and options
cases() {
  local attention='python-free-examples/05-flash-attention.tile -D batch=%s -D heads=%s -D heads_kv=%s -D seq_q=%s -D seq_k=%s'
  a() { printf "%s|$attention %s\n" "$1" "$2" "$3" "$3" "$4" "$4" "${5-}"; }
  local order='--disable-pass=tile-order-workgroups'
  a 'attention, 3 × 11 heads, 2,049 tokens' 3 11 2049
  a 'causal, 3 × 11 heads, 2,049 tokens' 3 11 2049 '-D causal=True'
  a 'the same in the order of the grid' 3 11 2049 "-D causal=True $order"
  a 'causal, 8 × 32 heads, 1,024 tokens' 8 32 1024 '-D causal=True'
  a 'the same in the order of the grid' 8 32 1024 "-D causal=True $order"
  local product='python-free-examples/02-gemm.tile -D M=%s -D N=%s -D K=%s'
  p() { printf "%s|$product %s\n" "$1" "$2" "$3" "$4" "${5-}"; }
  p 'product, 16,384 × 16,384 × 128, 256 × 256 blocks, 13.5 rounds' 16384 16384 128 '-D block_M=256 -D block_N=256'
  echo 'softmax, 70,001 × 1,777|python-free-examples/03-softmax.tile -D M=70001 -D N=1777'
  echo 'softmax, 200,000 × 1,000|python-free-examples/03-softmax.tile -D M=200000 -D N=1000'
  echo 'RMSNorm, 60,001 × 1,003|python-free-examples/04-rms-norm.tile -D M=60001 -D N=1003'
  echo 'sum of vectors, 100,000,007|python-free-examples/01-vector-add.tile -D N=100000007'
  echo 'rows that end in no order, 40,000 of them|tools/sampling/ragged.tile -D rows=40000'
  echo 'triangular product, 4,096 × 12,288|tools/sampling/triangular.tile -D M=4096 -D N=12288'
  t() { # name, object, rows of a block, wavefronts, LDS, heads, tokens
    local row=$(($7 * 128)) array="f16[$6,$7,128]" strides=
    for _ in q k v o; do strides+=" --arg i32=$(($6 * row)) --arg i32=$row --arg i32=128"; done
    echo "Triton, $1|$triton/attn_fp16_d128_$2.hsaco --kernel attn_fwd --block $(($4 * 64)) --lds $5 --grid $((($7 + $3 - 1) / $3)),$6,1 --arg $array=zeros --arg $array=zeros --arg $array=zeros --arg $array=zeros$strides --arg i32=$6 --arg i32=1 --arg i32=$7 --arg i32=$7 --arg f32=0.0884"
  }
  if [ -n "$triton" ]; then
    t '128 × 64 with a tail, 37 heads, 1,500 tokens' full_tail_bm128_bn64 128 4 32768 37 1500
    t '64 × 64, 53 heads, 1,344 tokens' full_bm64_bn64_w4_s2_wpe2_nk16 64 4 32768 53 1344
    t 'causal 64 × 64, 29 heads, 2,048 tokens' causal_bm64_bn64_w4_s2_wpe2_nk16 64 4 32768 29 2048
    t 'causal 128 × 64, 8 wavefronts, 44 heads, 1,920 tokens' causal_bm128_bn64_w8_s2_wpe2_nk16 128 8 32768 44 1920
    echo "Triton, product 5,120 × 5,120 × 640|$triton/gemm_fp16_nt_128x128x64_w4_s2_nk16.hsaco --kernel gemm --block 256 --lds 65536 --grid 1600,1,1 --arg f16[5120,640]=zeros --arg f16[5120,640]=zeros --arg f16[5120,5120]=zeros --arg i32=5120 --arg i32=5120 --arg i32=640 --arg i32=640 --arg i32=640 --arg i32=5120"
  fi
  h() { # name, object, batch, heads, tokens, workgroups a head
    # Each argument in a slot of 16 bytes.
    local row=$(($4 * 256)) size="$3,$4,$5,128" list= n
    for n in "bf16[$size]" "bf16[$size]" "bf16[$size]" "bf16[$size]" "f32[$3,$4,$5]"; do
      list+=" --arg $n=zeros --arg i64=0"
    done
    for n in f32=0.0884 $5 $row $((256 * row)) 256 $(($5 * row)) 1 $row 256 $(($5 * row)) 5 1 $5 128 128 $4 $row 256 $(($5 * row)) $row 256 $(($5 * row)) i64=0 i64=0 $(($5 * 4)); do
      [[ $n == *=* ]] || n=i32=$n
      list+=" --arg $n"
      [[ $n == i64=* ]] && list+=" --arg i64=0" || list+=" --arg i32=0 --arg i32=0 --arg i32=0"
    done
    echo "AITER, $1|$aiter/$2.co --block 512 --grid $6,$4,$3$list"
  }
  if [ -n "$aiter" ]; then
    h 'rtna, 4 × 20 heads, 2,048 tokens' fwd_hd128_bf16_rtna 4 20 2048 8
    h 'causal rtne, 6 × 16 heads, 2,048 tokens' fwd_hd128_bf16_causal_rtne 6 16 2048 4
  fi
}

one() {
  IFS='|' read -r name options <<<"$1"
  [[ $options == /* ]] || options=$root/$options
  cycles() { # of the longest kernel; workgroups in detail; MB of HBM
    "$tlc" profile $options --device sim --lines 0 "$@" 2>/dev/null | awk '
      /^kernel / { some = ""; for (i = 1; i < NF; ++i) if ($i == "workgroups" && $(i - 2) == "of") some = $(i - 3) " of " $(i - 1) }
      /^  time / { gsub(/,/, "", $2); if (longest = $2 + 0 > most) { most = $2 + 0; kept = some } }
      /^    HBM / && longest { bytes = $2 * ($3 == "GB" ? 1000 : $3 == "KB" ? 0.001 : 1) }
      END { print most "|" kept "|" bytes }'
  }
  IFS='|' read -r full none fullBytes <<<"$(cycles --full)"
  IFS='|' read -r sampled some bytes <<<"$(cycles --detail 16000000)"
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
