#!/bin/bash
# rank-attention.sh TLC FOLDER [SEQUENCE] [HEADS] [PATTERN] [OPTION]...: ranks the attention
# configurations that Triton compiled for gfx942 (FOLDER holds attn_*.hsaco and
# meta.json) by the modelled time of `tlc profile`, slowest last, with what holds
# each back. The last column is the place among those of its kind (full, causal).
# OPTIONs are those of `tlc profile`; --full if none is given, --detail 0 for its
# own choice of a sample.
set -u
tlc=$1 folder=$2 seq=${3:-4096} heads=${4:-16} pattern=${5:-attn_fp16_d128_}
shift $(($# < 5 ? $# : 5))
[ $# = 0 ] && set -- --full
for object in "$folder"/"$pattern"*.hsaco; do
  name=$(basename "$object" .hsaco)
  dim=$(sed -E 's/.*_d([0-9]+)_.*/\1/' <<<"$name")
  block=$(sed -E 's/.*_bm([0-9]+)_.*/\1/' <<<"$name")
  # Dynamic LDS and wavefronts stand in the description of the kernel.
  read -r waves lds < <(awk -v name="\"$name\":" '
    index($0, name) { on = 1 }
    on && /"num_warps"/ { gsub(/[^0-9]/, ""); waves = $0 }
    on && /"shared"/ { gsub(/[^0-9]/, ""); print waves, $0; exit }' "$folder/meta.json")
  row=$((seq * dim))
  strides=()
  for _ in q k v o; do strides+=(--arg "i32=$((heads * row))" --arg "i32=$row" --arg "i32=$dim"); done
  scale=$(awk -v d="$dim" 'BEGIN { printf "%.9g", 1 / sqrt(d) }')
  array="f16[$heads,$seq,$dim]"
  [[ $name == *bf16* ]] && array="bf16[$heads,$seq,$dim]"
  "$tlc" profile "$object" --device sim "$@" --lines 0 --kernel attn_fwd --block $((waves * 64)) --lds "$lds" \
    --grid "$(((seq + block - 1) / block)),$heads,1" \
    --arg "$array=randn:1" --arg "$array=randn:2" --arg "$array=randn:3" --arg "$array=zeros" "${strides[@]}" \
    --arg "i32=$heads" --arg i32=1 --arg "i32=$seq" --arg "i32=$seq" --arg "f32=$scale" 2>/dev/null |
    awk -v name="${name#"$pattern"}" '
      /^  time / { gsub(/,/, "", $2); cycles = $2 }
      /^  work / { for (i = 1; i < NF; ++i) if ($(i + 1) == "TFLOP/s") rate = $i }
      /^  utilisation / { matrix = $3 }
      /^  LDS .* bank conflicts / { gsub(/[(]/, "", $(NF - 1)); conflicts = $(NF - 1) }
      / held back most by: / { sub(/.*held back most by: /, ""); sub(/ of the SIMDs. time to be won/, ""); why = $0 }
      # Too few or no workgroups say nothing of the kernel: what comes next does.
      / then: / && why ~ /^(too few|CUs idle)/ && !told {
        sub(/.*then: /, ""); sub(/[)]:.*/, ")"); if ($0 !~ /^(the launch|CUs idle|too few|SIMDs without)/) { told = 1; why = why "; then " $0 }
      }
      END { printf "%12d %8.1f %7.1f %7.1f  %-34s %s\n", cycles, rate, matrix, conflicts, name, why }'
done | sort -n | awk '
  BEGIN { printf "%12s %8s %7s %7s  %-34s %s\n", "cycles", "TFLOP/s", "matrix", "confl.", "configuration", "held back most by" }
  { kind = $5; sub(/_.*/, "", kind); print $0 "  [" kind " " ++place[kind] "]" }'
