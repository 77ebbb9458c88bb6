#!/bin/sh
# The sort by distribution, sort/, run on this machine; test_sort_on_host.sh has the merges.
. tests/tap.sh

case $BANKSCOPE in
*-san/*)
    skip "the sort by distribution on the host" "what executes it has no sanitizers"
    finish
    exit
    ;;
esac
if ! runs_programs; then
    skip "the sort by distribution on the host" "needs clang and libdw"
    finish
    exit
fi

# The compiler takes longer than the program, and half as long if it optimizes less.
run_it env CLANG=tests/clang-O1 "$BANKSCOPE" run tests/distribution_on_host.cu -I . --no-nvcc --kernel plan_groups
ok "a distribution sorts every input stably, one made against its sample included" test "$(grep -c '^right' "$WORK/stdout")" -eq 38
ok "no race, no read of what nobody wrote" test "$status" -eq 0
finish
