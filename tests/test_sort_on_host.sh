#!/bin/sh
# The GPU's sort, sort/, run on this machine: right results, stable, no fault found by the checker.
. tests/tap.sh

if ! have g++; then
    skip "the sort on the host" "there is no g++"
    finish
    exit
fi
case $("$BANKSCOPE" --version) in
*"without libdw"*)
    skip "the sort on the host" "built without libdw"
    finish
    exit
    ;;
esac

# The compiler takes longer than the program, and half as long if it does not optimize.
run_it env CXX=tests/c++-O0 "$BANKSCOPE" run tests/sort_on_host.cu -I . --no-nvcc -- 8
ok "every kind of keys and values is sorted" test "$(grep -c '^right' "$WORK/stdout")" -eq 17
ok "no race, no read of what nobody wrote" test "$status" -eq 0
run_it env CXX=tests/c++-O0 "$BANKSCOPE" run tests/distribution_on_host.cu -I . --kernel plan_groups --no-nvcc
ok "a distribution sorts every input stably, one made against its sample included" test "$(grep -c '^right' "$WORK/stdout")" -eq 38
ok "without a race or a read of what nobody wrote" test "$status" -eq 0
run_it env CXX=tests/c++-O0 "$BANKSCOPE" run tests/sort_by_on_host.cu -I . --kernel plan_groups --no-nvcc
ok "items are sorted stably by an order of the user's, both ways" test "$(grep -c '^right' "$WORK/stdout")" -eq 24
ok "with no race, and no read of what nobody wrote" test "$status" -eq 0
finish
