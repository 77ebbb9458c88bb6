#!/bin/sh
# Loops that ptxas unrolls, told to the runtime by who starts the program: lanes that have other turns load apart,
# as an H200 counted it (tests/data/h200-programs.tsv).
. tests/support/tap.sh
. tests/support/compile.sh
nvcc=$(find_nvcc)
recorded=$(dirname "$BANKSCOPE")/tests/recorded
if [ -z "$nvcc" ] || ! "$nvcc" --version | grep -q 'release 13\.0,'; then
    skip "loops as ptxas unrolls them" "there is no nvcc 13.0"
    finish
    exit
fi
export NVCC="$nvcc"
library=$(cd "$(dirname "$BANKSCOPE")" && pwd -P)/libcudart.so.13
run_it "$compile" --compile "$WORK" --with nvcc --runtime "$library" tests/programs/triangular.cu
# passes [WORD]: of the loads.
passes() {
    "$recorded" jobs=1 check=0 "$@" "$WORK/program" | awk -F '\t' '$1 ~ /solve/ { print $8 }'
}
line=$(grep -n 'setp.ne.s32.*, -1;' "$WORK/0.ptx" | cut -d: -f1)
echo "$((line + 1)) _Z5solvePKfS0_PfPi" >"$WORK/loops"
as_counted() {
    cat "$WORK/stderr" "$WORK/loops"
    passes
    passes loops="$WORK/loops"
    [ "$(passes)" -eq 143 ] && [ "$(passes loops="$WORK/loops")" -eq 155 ]
}
ok "a loop is unrolled when it is told" as_counted
others() {
    printf '%s\n' "1 _Z5solvePKfS0_PfPi" "x" "99999999999999999999 y" "$((line + 1))" \
        "$((line + 1)) _Z5solve" >"$WORK/loops"
    [ "$(passes loops="$WORK/loops")" -eq 143 ]
}
ok "lines that name no loop change nothing" others
finish
