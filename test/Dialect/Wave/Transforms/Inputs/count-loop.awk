# count-loop.awk: what the hottest loop of an assembly listing holds.
#
#   tlc compile k.tile --emit=asm -o - | awk -f count-loop.awk
#
# Blocks of the loop without matrix instructions (the rescale when a row's
# maximum has moved) are not counted. `valu` is 4 cycles for each vector
# instruction and 16 for each transcendental one, per 2048 cycles of matrix
# work; `run` is the longest stretch of it between two matrix instructions.
/^\.LBB|^; %bb/ {
  block++
  loop = ""
  if ($0 ~ /Inner Loop Header/) { loop = $1; sub(/^\.L/, "", loop); sub(/:.*/, "", loop); header = loop }
  else if (match($0, /Header=BB[0-9_]+/)) loop = substr($0, RSTART + 7, RLENGTH - 7)
  owner[block] = loop
  next
}
/^\t[a-z]/ {
  if (block == "") next
  n[block]++
  text[block, n[block]] = $0
  if ($1 ~ /^v_mfma/) { mfma[block]++; total[owner[block]]++ }
}
END {
  best = ""
  for (l in total)
    if (l != "" && (best == "" || total[l] > total[best])) best = l
  if (best == "") { print "no loop with matrix instructions"; exit 1 }
  for (b = 1; b <= block; b++) {
    if (owner[b] != best || !mfma[b]) continue
    for (i = 1; i <= n[b]; i++) {
      $0 = text[b, i]
      if ($1 ~ /^v_mfma/) {
        matrix++
        cycles += $1 ~ /16x16x/ ? 16 : 32
        if (run > longest) longest = run
        run = 0
      } else if ($1 ~ /^v_accvgpr/) accvgpr++
      else if ($1 ~ /^v_(exp|log|rcp|rsq|sqrt|sin|cos)_/) { valu += 16; run += 16 }
      else if ($1 ~ /^v_/) {
        valu += 4; run += 4
        if ($1 ~ /^v_(mov|pk_mov)_/) copies++
      } else if ($1 ~ /^scratch_/) scratch++
      else if ($1 ~ /^ds_/) lds++
      else if ($1 == "s_nop") nops++
      else if ($1 == "s_barrier") barriers++
      else if ($1 == "s_waitcnt" && /vmcnt\(0\)/) drains++
    }
  }
  printf "matrix %d valu %d run %d lds %d barriers %d\n", matrix, valu * 2048 / cycles + 0.5, longest, lds, barriers
  printf "scratch %d copies %d accvgpr %d nops %d vmcnt0 %d\n", scratch, copies, accvgpr, nops, drains
}
