#!/bin/sh
# The sort by an order of the user's, sort/, run on this machine.
. tests/tap.sh

case $BANKSCOPE in
*-san/*)
    skip "the sort by a user's order on the host" "what executes it has no sanitizers"
    finish
    exit
    ;;
esac
if ! runs_programs; then
    skip "the sort by a user's order on the host" "needs clang and libdw"
    finish
    exit
fi

# The compiler takes longer than the program, and half as long if it optimizes less.
run_it env CLANG=tests/clang-O1 "$BANKSCOPE" run tests/sort_by_on_host.cu -I . --no-nvcc --kernel plan_groups
ok "items are sorted stably by an order of the user's, both ways" test "$(grep -c '^right' "$WORK/stdout")" -eq 24
ok "no race, no read of what nobody wrote" test "$status" -eq 0
finish
