#!/bin/sh
# hopper: programs with clusters, bulk copies, tensor maps and products of warpgroups run and are right, are told nothing of
# by the checker, and are counted.
. tests/support/tap.sh

runs() { # PROGRAM LINE
    timeout 100 "$BANKSCOPE" run --compiler clang -arch=sm_90a "tests/hopper/$1.cu" >"$WORK/out" 2>"$WORK/err"
    status=$?
    grep -qx "$2" "$WORK/out" && [ "$status" -eq 0 ] && ! grep -E 'race|copy|unwritten|bad-' "$WORK/err"
}
ok "blocks of a cluster add to each other's shared memory" runs cluster_histogram 'cluster histogram: good'
ok "boxes of a tensor are copied there and back" runs tensor_copy 'tensor copy: good'
copies() {
    grep -E 'async-store +24 +96 +0' "$WORK/out"
}
ok "a box is counted as copies of 512 bytes" copies
ok "of a box what is stored must be written, not what pads its rows" runs tensor_edge 'tensor edge: 0 wrong'
"$BANKSCOPE" run --compiler clang -arch=sm_90a tests/hopper/tensor_edge.cu -- short >"$WORK/out" 2>"$WORK/err"
ok "all of it" grep -Eq 'unwritten-read: a load of 16 bytes at box\[[0-9]+\]' "$WORK/err"
ok "a product of warpgroups is right" runs wgmma_product 'wgmma product of 256: good'
reads() {
    grep -E 'wgmma-load +1536 +6144 +0' "$WORK/out"
}
ok "what it reads of shared memory is counted" reads

finish
