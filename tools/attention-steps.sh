#!/bin/bash
# attention-steps.sh TLC [HEADS] [TOKENS]: the table of docs/attention-steps.md.
set -u
tlc=$1 heads=${2:-16} tokens=${3:-4096}
kernel=$(dirname "$0")/../python-free-examples/07-attention-steps.tile
echo "| step | latency, us | TFLOP/s | effective TB/s | L2 TB/s | bank-conflict cycles | memory waits, % | LDS waits, % | held back most by |"
echo "|---|---|---|---|---|---|---|---|---|"
for step in 1 2 3 4; do
  options=(-D "step=$step" --disable-pass=tile-swizzle-lds)
  [ "$step" = 4 ] && options=(-D step=3) # the same source, swizzled
  "$tlc" profile "$kernel" --device sim --full --lines 0 -D "heads=$heads" -D "seq=$tokens" "${options[@]}" 2>/dev/null |
    awk -v step="$step" '
      /^  time / { us = $5; if ($6 == "ms") us *= 1000 }
      /^  work / { for (i = 1; i < NF; ++i) if ($(i + 1) == "TFLOP/s") rate = $i }
      /asked for by lanes/ { effective = $7 }
      /^    L2 / { l2 = $4 }
      /^  LDS .* bank conflicts/ { conflicts = $4 }
      /vector memory [(]s_waitcnt|vector memory path busy/ && /cycles/ { for (i = 1; i < NF; ++i) if ($(i + 1) == "%") memory += $i }
      /LDS [(]s_waitcnt|LDS port busy/ && /cycles/ { for (i = 1; i < NF; ++i) if ($(i + 1) == "%") lds += $i }
      /held back most by: / { sub(/.*held back most by: /, ""); sub(/ at .*/, ""); sub(/ [(].*/, ""); why = $0 }
      END { printf "| %s | %.0f | %s | %s | %s | %s | %.1f | %.1f | %s |\n", step, us, rate, effective, l2, conflicts, memory, lds, why }'
done
