#!/bin/sh
# counts: the programs of tests/programs on the machine, with clang's code and with nvcc's PTX (tests/data/ptx):
# their values are right, and what they do in shared memory is what a GPU counted, but for what
# tests/data/h200-programs.tsv explains.
. tests/tap.sh
command -v clang-14 >/dev/null || command -v clang >/dev/null || {
    skip "counts of programs" "there is no clang"
    finish
    exit
}
build=$(dirname "$BANKSCOPE")
as_counted() {
    tests/compare-counts "$build" "$1" >"$WORK/$1" 2>&1 && return
    cat "$WORK/$1"
    false
}
ok "programs by clang count what a GPU counts" as_counted clang
ok "nvcc's PTX of them does" as_counted nvcc
finish
