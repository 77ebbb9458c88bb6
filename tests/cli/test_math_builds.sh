#!/bin/sh
# The machine's arithmetic gives the same bits however it is compiled: test_math_sum.c and
# test_real_gpu.c with other compilers and processors, as far as they are here.
. tests/support/tap.sh

flags="-std=gnu11 -I. -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-strict-aliasing"
sources="machine/math/real.c machine/math/narrow.c machine/math/approx.c machine/math/math.c machine/math/math_*.c"

# compiled NAME COMPILER FLAGS...: what both tests call, as objects in the folder NAME.
compiled() {
    folder=$WORK/$1
    shift
    mkdir -p "$folder"
    for source in $sources; do # a list of words
        # shellcheck disable=SC2086
        "$@" $flags -c "$source" -o "$folder/$(basename "$source").o" || return
    done
}
# same_bits NAME COMPILER FLAGS...: compiles both tests, and runs them.
same_bits() {
    name=$1
    compiled "$@" || return
    shift
    for test in math_sum real_gpu; do
        # shellcheck disable=SC2086 # lists of words
        "$@" $flags -o "$WORK/$name/test" tests/unit/test_$test.c "$WORK/$name"/*.o -lcmocka -lm &&
            "$WORK/$name/test" || return
    done
}

# As WebAssembly, without cmocka: what these two tests use of it.
same_bits_in_node() {
    mkdir -p "$WORK/include"
    cat >"$WORK/include/cmocka.h" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define print_error(...) printf(__VA_ARGS__)
#define assert_true(x) ((x) ? (void)0 : (printf("not true: %s\n", #x), exit(1)))
#define assert_int_equal(a, b) assert_true((unsigned long long)(a) == (unsigned long long)(b))
#define assert_string_equal(a, b) assert_true(!strcmp(a, b))
#define assert_non_null(a) assert_true((a) != NULL)
struct CMUnitTest {
    void (*run)(void **state);
};
#define cmocka_unit_test(function) {function}
#define cmocka_run_group_tests(tests, up, down) \
    (run_all(tests, sizeof tests / sizeof tests[0]), (void)(up), (void)(down), 0)
static inline void run_all(const struct CMUnitTest *tests, size_t count)
{
    for (size_t i = 0; i < count; i++)
        tests[i].run(NULL);
}
END
    : >"$WORK/include/setjmp.h"
    cat >"$WORK/run.js" <<'END'
const wasi = new (require('node:wasi').WASI)({version: 'preview1', preopens: {'.': process.argv[3]}, returnOnExit: true});
WebAssembly.instantiate(require('fs').readFileSync(process.argv[2]), wasi.getImportObject()).then(program => {
    process.exitCode = wasi.start(program.instance);
});
END
    set -- clang --target=wasm32-wasi --sysroot=/usr -O2 -msimd128 -I"$WORK/include"
    compiled wasm "$@" || return
    for test in math_sum real_gpu; do
        # shellcheck disable=SC2086 # lists of words
        "$@" $flags -o "$WORK/$test.wasm" tests/unit/test_$test.c "$WORK/wasm"/*.o &&
            node --no-warnings "$WORK/run.js" "$WORK/$test.wasm" "$TREE" || return
    done
}

if grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo; then
    ok "with vectors of 256 bits and an instruction for fma" same_bits avx2 cc -O2 -ftree-vectorize -mavx2 -mfma
else
    skip "with vectors of 256 bits and an instruction for fma" "this processor has none"
fi
ok "without optimization" same_bits plain cc -O0
if command -v clang >/dev/null; then
    ok "by clang" same_bits clang clang -O2
else
    skip "by clang" "no clang"
fi
if command -v node >/dev/null && command -v wasm-ld >/dev/null && [ -f /usr/lib/wasm32-wasi/libc.a ]; then
    ok "as WebAssembly" same_bits_in_node
else
    skip "as WebAssembly" "no node, or no compiler for it"
fi
finish
