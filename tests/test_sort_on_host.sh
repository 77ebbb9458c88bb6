#!/bin/sh
# The GPU's sort, sort/, run on this machine: right results, stable, no fault found by the checker.
. tests/tap.sh

case $BANKSCOPE in
*-san/*)
    skip "the sort on the host" "what executes it has no sanitizers"
    finish
    exit
    ;;
esac
if ! runs_programs; then
    skip "the sort on the host" "needs clang and libdw"
    finish
    exit
fi

# The compiler takes longer than the program, and half as long if it optimizes less.
run_it env CLANG=tests/clang-O1 "$BANKSCOPE" run tests/sort_on_host.cu -I . --no-nvcc -- 8
ok "every kind of keys and values is sorted" test "$(grep -c '^right' "$WORK/stdout")" -eq 17
ok "no race, no read of what nobody wrote" test "$status" -eq 0
finish
