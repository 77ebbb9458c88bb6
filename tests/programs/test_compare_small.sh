#!/bin/sh
# The kernel compiler's code beside clang's, and nvcc's where it is, by tests/compare-small: results and accesses of some
# programs and attempts at exercises. The script alone compares all of them.
. tests/support/tap.sh
. tests/support/cuda.sh

if ! runs_programs || ! have clang-14 || ! have c++filt; then
    skip "the kernel compiler beside others" "needs clang 14, libdw and c++filt"
    finish
    exit
fi
compared() {
    CLANG=clang-14 tests/compare-small "$(dirname "$BANKSCOPE")" "$@" >"$WORK/table" 2>"$WORK/said" && return
    cat "$WORK/table" "$WORK/said"
    false
}
for name in tests/programs/queens.cu tests/programs/triangular.cu tests/programs/template_reduce.cu tests/programs/transpose.cu tests/programs/textures.cu \
    tests/programs/barriers.cu tests/programs/group_copies.cu tests/programs/wmma_product.cu \
    14-colored-scan/tests/solutions/14-colored-scan.cu 04-transpose/tests/attempts/04-transpose/wrong-xor.cu; do
    ok "$name is as by other compilers, or as it is known" compared "$name"
done
ok "clang chooses the same specialisations" clang-14 -x c++ -std=c++17 -fsyntax-only tests/data/specialisations.cu
finish
