#!/bin/sh
# Kernels that nobody wrote: the small compiler's code has the results of nvcc's or clang's, and accesses shared
# memory as often, line by line. KERNELS=N tries N of them instead of 4.
. tests/support/tap.sh
. tests/support/cuda.sh

# told COMPILER: the results, and the lines of arrays that are volatile, without the share.
told() {
    "$BANKSCOPE" run "$WORK/random.cu" --compiler "$1" --call 'k<<<2, 64>>>(in, out)' \
        --array 'unsigned in[128] = random' --array 'unsigned out[128]' >"$WORK/$1.all" || return
    grep -E '^[01] [0-9]+ [0-9a-f]{8}$' "$WORK/$1.all" | sort
    awk '/random.cu:/ && / vh?\[/ { print $1, $2, $3, $4, $5, $6 }' "$WORK/$1.all"
}
compared() {
    awk -v seed="$1" -f tests/support/random_kernel.awk </dev/null >"$WORK/random.cu" && told small >"$WORK/small" &&
        told "$2" >"$WORK/other" && diff "$WORK/small" "$WORK/other" && [ "$(wc -l <"$WORK/small")" -ge 128 ]
}
others=clang
NVCC=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ ! -x "$NVCC" ] || others="clang nvcc"
seed=1
while [ $seed -le "${KERNELS:-4}" ]; do
    for other in $others; do
        ok "kernel $seed is as $other has it" compared $seed $other
    done
    seed=$((seed + 1))
done
finish
