#!/bin/sh
# The programs of tests/programs by clang without the toolkit: PTX, host object, program. Where there is a ptxas, it
# takes the PTX. That all of them become programs is seen where they run (programs.sh): here, unless `make check-long`
# asks, every eighth is compiled.
. tests/support/tap.sh
. tests/support/compile.sh

chosen() {
    number=0
    for program in tests/programs/*.cu; do
        number=$((number + 1))
        [ $((number % 8)) -ne 1 ] && ! is_long || basename "$program" .cu
    done
}
names=$(chosen)
number=0
for name in $names; do
    by_clang "$name" &
    number=$((number + 1))
    [ $((number % 2)) -ne 0 ] || wait
done
wait
for name in $names; do
    ok "$name becomes PTX and a program" came_through "$name"
done
finish
