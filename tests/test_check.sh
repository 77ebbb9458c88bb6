#!/bin/sh
# Exercises: unsolved, solved, and what students (and cheats) hand in.
. tests/tap.sh

have cc || {
    skip "exercises" "no cc here"
    finish
    exit
}

mkdir -p "$WORK/mine"
mine=$WORK/mine/mine.cu

fails_check() {
    ! "$BANKSCOPE" check "$1" >"$WORK/report"
}
for exercise in "$TREE"/lessons/*/exercise.cu; do
    name=$(basename "$(dirname "$exercise")")
    ok "$name: unsolved, it is not there yet" fails_check "$exercise"
    ok "$name: unsolved, the result is right" grep -q '^  ok  *the result is right' "$WORK/report"
    ok "$name: the solution passes" "$BANKSCOPE" check "$TREE/tests/solutions/$name.cu"
done

# hands_in NAME EXERCISE SED PATTERN...: the lesson's solution, edited by sed, is graded "not yet",
# and each pattern matches the report (lines joined by a blank).
hands_in() {
    case_name=$1 solution=$TREE/tests/solutions/$2.cu edit=$3
    shift 3
    sed -E -e "$edit" "$solution" >"$mine"
    if cmp -s "$mine" "$solution"; then
        ok "$case_name: the edit changes something" false
    fi
    run_it "$BANKSCOPE" check "$mine"
    ok "$case_name" reported "$@"
}
reported() {
    cat "$WORK/stdout" "$WORK/stderr"
    [ "$status" -eq 1 ] || return 1
    tr '\n' ' ' <"$WORK/stdout" | tr -s ' ' >"$WORK/joined"
    for pattern; do
        echo "(wanted: $pattern)"
        grep -Eq -e "$pattern" "$WORK/joined" || return 1
    done
}

# ---- honest mistakes

hands_in "another order that conflicts" 01-banks 's/k \* p.u \+ t;/t * 4 + (k + t) % 4;/' \
    'ok the result is right' 'not yet stage write: no bank conflicts w=32 u=64 seed=1: block 0, warp 0, round 0: bank 0 serves'
hands_in "every other word: one conflict is one too many" 01-banks \
    's/k \* p.u \+ t;/k * p.u + (p.u % 2 ? t : 2 * t < p.u ? 2 * t : 2 * t - p.u + 1);/' \
    'ok the result is right' 'not yet stage write: no bank conflicts w=32 u=64 seed=1: .*bank 0 serves 2 words, for threads 0, 16'
hands_in "an order that only fits w = 32" 01-banks 's/k \* p.u \+ t;/p.w == 32 ? k * p.u + t : 4 * t + k;/' \
    'ok the result is right' 'not yet stage write: no bank conflicts w=12 u=36 seed=1: .*serves 4 words'
hands_in "a result that is wrong" 01-banks 's/k \* p.u \+ t;/k * p.u + p.u - 1 - t + (t == 5 ? k : 0);/' \
    'not yet the result is right w=32 u=64 seed=1: '
hands_in "words used twice: a race" 01-banks 's/k \* p.u \+ t;/t;/' \
    'not yet the result is right .*'
hands_in "out of bounds" 01-banks 's/k \* p.u \+ t;/k * p.u + t + 1;/' \
    'not yet the result is right w=32 u=64 seed=1: kernel 01-banks, stage write, round 3, block 0, thread 63.*tile'
hands_in "a loop without end" 01-banks 's/return k \* p.u \+ t;/for (volatile int i = 0;; i = 1) if (i > 1) return 0;/' \
    'not yet the result is right w=32 u=64 seed=1: (it did not end within [0-9]+ seconds|.*stage write, round 0, block 0, thread 0 .line 29.: has run for)'
hands_in "a crash" 01-banks 's/return k \* p.u \+ t;/return *(volatile int *)16 + k * p.u + t;/' \
    'not yet the result is right w=32 u=64 seed=1: .*stage write, round 0, block 0, thread 0 .line 29.: crashed .Segmentation'
hands_in "padding by one only" 02-strides 's/a == 1\)/step > E)/' \
    'ok the result is right' 'not yet stage read: no bank conflicts w=32 u=64 E=15 seed=1: block 0, warp 0, round 0: bank 0 serves 16 words, for threads 0, 2, 4, 6, 8, 10, \.\.\.'
hands_in "too much padding" 02-strides 's/int step = E;;/int step = E + 6;;/' \
    'not yet the result is right .*5 are enough'
hands_in "a pitch that is too small" 02-strides 's/int step = E;;/int step = 1;;/' \
    'not yet the result is right .*pitch is 1, but a thread has 16 numbers'

hands_in "partitions that are not shifted in a circle" 07-cf-merge 's/\(x % partition \+ l % d\) % partition/x % partition + l % d/' \
    'not yet the result is right w=9 u=9 E=6 seed=1: '
hands_in "partitions without a shift" 07-cf-merge 's/ \+ l % d\)/)/' \
    'ok the result is right' 'ok stage write: no bank conflicts' 'not yet stage read: no bank conflicts w=9 u=9 E=6 seed=1: block 0, warp 0, round 0: bank 0 serves 3 words, for threads 0, 3, 6'

does_not_compile() {
    [ "$status" -eq 1 ] && [ ! -s "$WORK/stdout" ] && grep 'error' "$WORK/stderr" &&
        tail -n 1 "$WORK/stderr" | grep "^bankscope check: .*mine.cu does not compile"
}
sed 's/return k/retrun k/' "$TREE/tests/solutions/01-banks.cu" >"$mine"
run_it "$BANKSCOPE" check "$mine"
ok "what the compiler says is shown, then one line" does_not_compile

# ---- ways around

hands_in "skipping shared memory" 01-banks \
    's/STORE\(tile, .*/;/; s/\(unsigned\)LOAD.*;/(unsigned)in[4 * ((int)blockIdx.x * p.u + neighbour) + k] * (unsigned)(k + 1);/' \
    'not yet only the marked part is changed line [0-9]+ differs' 'ok the result is right' \
    'not yet stage write: 4 accesses of every thread w=32 u=64 seed=1: 0 accesses in all, where 256 are needed' \
    'not yet stage read: 4 accesses of every thread .*0 accesses'
hands_in "fewer accesses" 01-banks \
    's/sum \+= \(unsigned\)LOAD.*;/sum += (unsigned)(k % 2 ? in[4 * ((int)blockIdx.x * p.u + neighbour) + k] : LOAD(tile, point_word(p, neighbour, k))) * (unsigned)(k + 1);/' \
    'ok the result is right' 'ok stage write: 4 accesses' \
    'not yet stage read: 4 accesses of every thread w=32 u=64 seed=1: 128 accesses in all, where 256 are needed'
hands_in "lanes that take turns" 01-banks \
    's/return k \* p.u \+ t;/return 4 * t + k;/; s/STORE\(tile/SLOT(t % p.w); STORE(tile/; s/sum \+=/SLOT(neighbour % p.w); sum +=/' \
    'ok the result is right' 'ok stage read: no bank conflicts' \
    'not yet stage read: 4 accesses of every thread .*256 instructions of warps, where 8 do'
hands_in "stores that are not recorded" 01-banks 's/STORE\(tile/FILL(tile/' \
    'not yet the result is right .*FILL stores in the stage setup, which must be the first of STAGES'
hands_in "a result learned by heart" 01-banks 's/out\[i\] = \(int\)sum;/out[i] = 4711;/' \
    'not yet the result is right w=32 u=64 seed=1: .*thread 0 of block 0 got 4711, not'
hands_in "a table for the parameters in the file" 02-strides \
    's/for \(int step = E;; step\+\+\) \{/if (w == 32) return E | 1; for (int step = E + 1;;) {return step;/' \
    'not yet stage read: no bank conflicts w=12 u=36 E=8'
hands_in "goals that are moved" 01-banks 's/.conflicts = 0/.conflicts = 9/; s/return k \* p.u \+ t/return 4 * t + k/' \
    'ok stage write' 'not yet only the marked part is changed'
hands_in "a check that is always content" 01-banks 's/out\[i\] != expected/0/' \
    'not yet only the marked part is changed'
hands_in "macros in the student's part" 01-banks 's/(.*your part ends.*)/#define __syncthreads() (void)0\n\1/' \
    'not yet only the marked part is changed line [0-9]+: no #'
hands_in "macros spelt in another way" 01-banks 's/(.*your part ends.*)/%:define __syncthreads() (void)0\n\1/' \
    'not yet only the marked part is changed line [0-9]+: no # and no %:'
hands_in "macros behind a comment" 01-banks \
    's|(.*your part ends.*)|/* */ #define __syncthreads() (void)0\n\1|' \
    'not yet only the marked part is changed line [0-9]+: no #'
hands_in "macros spelt over two lines" 01-banks \
    's|(.*your part ends.*)|%\\\n:define __syncthreads() (void)0\n\1|' \
    'not yet only the marked part is changed line [0-9]+: no #'
hands_in "a part without an end" 01-banks '/your part ends/d' \
    'not yet only the marked part is changed the line with .your part ends. is missing'
hands_in "a program that leaves" 01-banks 's/return k \* p.u \+ t;/extern void _exit(int); _exit(0);/' \
    'not yet the result is right .*it ended the program'

# ---- what is no exercise

refuses "a kernel without goals" 1 "has no .goals" "$BANKSCOPE" check "$TREE/kernels/stride.cu"
refuses "a file that is not there" 1 "cannot read" "$BANKSCOPE" check "$WORK/nothing.cu"
refuses "no file" 2 "which file" "$BANKSCOPE" check
refuses "two files" 2 "one file" "$BANKSCOPE" check a.cu b.cu
refuses "a word" 2 "not a FILE.cu" "$BANKSCOPE" check stride
leaves_nothing() {
    mkdir "$WORK/tmp"
    TMPDIR=$WORK/tmp "$BANKSCOPE" check "$TREE/tests/solutions/01-banks.cu" >/dev/null &&
        [ -z "$(ls -A "$WORK/tmp")" ]
}
ok "nothing is left in the folder for temporary files" leaves_nothing
finish
