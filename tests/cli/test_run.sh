#!/bin/sh
# run: wrong words get one line each; a user's own kernel is compiled, run, and may be broken.
# shellcheck disable=SC2154 # what run_it and starts set
. tests/support/tap.sh

# wrong NAME STATUS PATTERN ARGUMENT...: `bankscope run ARGUMENT...` is refused.
wrong() {
    wrong_name=$1 wrong_status=$2 wrong_pattern=$3
    shift 3
    refuses "$wrong_name" "$wrong_status" "^bankscope run: .*$wrong_pattern" \
        timeout 120 "$BANKSCOPE" run "$@"
}

wrong "no kernel" 2 'which kernel'
case $("$BANKSCOPE" --version) in
*"without libdw"*) wrong "a CUDA program" 1 'is a CUDA program: this build lacks libdw' tests/programs/saxpy.cu ;;
*) wrong "an option of kernels in the dialect" 2 '--backend is for kernels in the dialect' tests/programs/saxpy.cu --backend host ;;
esac
wrong "an unknown option" 2 "there is no option '--warp' [(]" stride --warp 8
wrong "a file that is not there, whatever it was to be" 1 'cannot read nosuch.cu: No such file' nosuch.cu --backend cuda
wrong "an unknown option, nearest named" 2 "no option '--ouput'; did you mean '--output'" stride --ouput x
wrong "two kernels" 2 'one kernel' stride wide
wrong "a trace under a picture's name" 2 "run writes a trace .*export" stride -o "$WORK/x.PDF"
wrong "an unknown kernel, nearest named" 1 "no kernel 'trust-merge'; did you mean 'thrust-merge'" trust-merge
mkdir "$WORK/in"
"$BANKSCOPE" run stride -o "$WORK/in/trace.jsonl" >"$WORK/stdout"
wrong "a trace" 1 "no kernel or FILE.cu; 'bankscope stats' and 'bankscope view' take traces" "$WORK/in/trace.jsonl"
cd "$WORK" || exit
wrong "a folder" 1 'in is a folder; name a kernel or FILE' in
cd in || exit
wrong "a trace in this folder" 1 "no kernel or FILE.cu; 'bankscope stats' and 'bankscope view' take traces" trace.jsonl
cd "$TREE" || exit
wrong "an unknown parameter, nearest named" 1 "no parameter 'rouns'; did you mean 'rounds'" stride -p rouns=3
wrong "an unknown parameter, none is near" 1 "no parameter 'q' [(]w, u, " stride -p q=3
wrong "a parameter of another case" 1 "no parameter 'e'; did you mean 'E'" cf-merge -p e=3
wrong "a parameter without a value" 1 'NAME=VALUE' stride -p s
wrong "a parameter above its range" 1 'parameter w is 65, but must be from 1 to 64' stride -p w=65
wrong "a parameter below its range" 1 'parameter E is 0, but must be from 1 ' cf-merge -p E=0
wrong "a parameter that is no number" 1 'parameter s is "1x"' stride -p s=1x
wrong "a parameter too large for a number" 1 'parameter s is 9{30}' stride -p s=999999999999999999999999999999
wrong "a word that is not one of the values" 1 "cannot be 'towway'; did you mean 'two-way'.*sequential, two-way" puzzle -p variant=towway
wrong "more words than can be counted" 1 '8589803520 words of input' histogram -p u=8192 \
    -p blocks=65535
wrong "threads that fill no warps" 1 'u = 33 must be a multiple of w = 32' stride -p u=33
wrong "an unknown input, nearest named" 1 "did you mean 'random'" cf-merge --input rndom
wrong "an input that the kernel does not take" 1 "does not take input 'worst'" stride --input worst
wrong "an input without its value" 1 'needs a value' cf-merge --input splits
wrong "an input with a value too many" 1 'takes no value' cf-merge --input random=3
wrong "too few splits" 1 '512 threads of a block, not 2' cf-merge --input splits=1,2
wrong "splits that do not add up" 1 'thread 1 cannot take 6 of its E = 5.*do not add up' \
    cf-merge -p w=2 -p u=2 -p E=5 --input splits=5,6
wrong "splits that are no numbers" 1 'number 2 is "x"' cf-merge --input splits=1,x
wrong "a worst case that does not exist" 1 '2 <= E <= w' cf-merge --input worst -p E=40
wrong "a file that is not there" 1 'No such file' stride --input file=/nowhere/numbers
echo "1 2 three" >"$WORK/numbers"
wrong "a file with a word in it" 1 'number 3 is "three' stride --input "file=$WORK/numbers"
echo "1 2 3" >"$WORK/numbers"
wrong "a file with too few numbers" 1 'takes 64 numbers, but the file has 3' stride --input "file=$WORK/numbers"
wrong "a number beyond 32 bits" 1 'does not fit' cf-merge --input splits=99999999999
wrong "an unknown backend" 2 'auto, host or cuda' stride --backend gpu
wrong "output into no folder" 1 'No such file' stride -o /nowhere/x.jsonl
if [ -w /dev/full ]; then
    wrong "a full disk" 1 'No space left' stride -o /dev/full
fi

# The same seed gives the same trace, another seed another.
for seed in 1 1 2; do
    "$BANKSCOPE" run thrust-merge -p w=8 -p u=16 -p E=5 --seed $seed -o - 2>/dev/null | md5sum
done >"$WORK/sums"
ok "the same seed gives the same trace" test "$(sed -n 1p "$WORK/sums")" = "$(sed -n 2p "$WORK/sums")"
ok "another seed another one" test "$(sed -n 1p "$WORK/sums")" != "$(sed -n 3p "$WORK/sums")"

# What is refused leaves the file of an earlier run alone.
"$BANKSCOPE" run stride -o "$WORK/kept.jsonl" >"$WORK/stdout"
cp "$WORK/kept.jsonl" "$WORK/as_it_was.jsonl"
wrong "a shape that is impossible" 1 'power of two' transpose -p w=12 -p u=12 \
    -p variant=swizzled -o "$WORK/kept.jsonl"
ok "and the trace of that name is kept" cmp "$WORK/kept.jsonl" "$WORK/as_it_was.jsonl"
wrong "a folder that is not there" 1 'cannot write .*/no/x.jsonl: No such file' stride \
    -o "$WORK/no/x.jsonl"

# A user's own file: a kernel of the catalogue outside the tree, and broken ones.
cp kernels/stride.cu "$WORK/mine.cu"
run_it "$BANKSCOPE" run "$WORK/mine.cu" -p w=12 -p u=12 -p s=6
ok "a kernel file outside the tree runs" test "$status" -eq 0
ok "and costs what it costs inside" grep -Eq '^read +load +1 +12 +6 +5 +6$' "$WORK/stdout"
ok "lanes that take different ways are different slots" \
    "$BANKSCOPE" run tests/gpu/branches.cu -p w=12 -p u=36 -p rounds=7
run_it "$BANKSCOPE" run tests/gpu/vectors.cu
ok "a cast to a vector type is one access of 16 bytes" \
    grep -Eq '^read +load +4 +128 +16 +6 +4$' "$WORK/stdout"
ok "and FILL through one is of 8 bytes" grep -Eq '^setup +store +4 +128 ' "$WORK/stdout"

run_it env CC='env -u NOTHING cc' "$BANKSCOPE" run "$WORK/mine.cu"
ok "CC may be several words" test "$status" -eq 0
refuses "a compiler that is not there" 1 'there is no /nowhere/cc here; install gcc' \
    env CC=/nowhere/cc "$BANKSCOPE" run "$WORK/mine.cu"

if [ -e /dev/full ]; then
    # shellcheck disable=SC2016 # $1 and $2 are the inner shell's
    refuses "its table onto a full disk" 1 'cannot write to standard output' \
        sh -c '"$1" run "$2" >/dev/full' - "$BANKSCOPE" "$WORK/mine.cu"
fi
wrong "a kernel file that is not there" 1 'cannot read' "$WORK/none.cu"
echo 'int x;' >"$WORK/empty.cu"
wrong "a kernel file without an ENTRY" 1 'has neither an ENTRY.* nor __global__' "$WORK/empty.cu"
sed 's/ROUND(r);/_exit(0);/; s/^#include/#include <unistd.h>\n&/' kernels/stride.cu >"$WORK/leaves.cu"
wrong "a kernel that ends the program" 1 'stride ended the program .status 0.' "$WORK/leaves.cu"
wrong "a program instead of its source" 1 '/bin/sh is not a source file; .* run -- /bin/sh' /bin/sh
wrong "a folder instead of a kernel file" 1 'cannot read .*: Is a directory' "$WORK/"
# What is started for a user's kernel does not outlive the program.
sed 's/ROUND(r);/for (volatile unsigned i = 0;;) i ^= 1;/' kernels/stride.cu >"$WORK/forever.cu"
runs_in_a_child() { # compiled, and the same child twice: not just before its exec
    read -r before _ <"$WORK/child"
    read -r child _ <"/proc/$parent/task/$parent/children"
    echo "$child" >"$WORK/child"
    [ "$child" = "$before" ] && [ "$(cat "/proc/$child/comm")" = bankscope ]
}
dies_with_its_parent() {
    : >"$WORK/child"
    "$BANKSCOPE" run "$WORK/forever.cu" >"$WORK/stdout" 2>&1 &
    parent=$!
    eventually runs_in_a_child || return
    child=$(cat "$WORK/child")
    kill $parent
    eventually gone "$child" && return
    kill -9 "$child"
    return 1
}
ok "a kernel without end ends with the program" dies_with_its_parent
echo 'int x(' >"$WORK/broken.cu"
run_it "$BANKSCOPE" run "$WORK/broken.cu"
ok "a kernel file that does not compile" sh -c "tail -n 1 '$WORK/stderr' | grep -q 'does not compile'"
ok "is refused" test "$status" -eq 1

# plain NAME STATEMENT: the stride kernel with a plain access instead of LOAD; the compiler says what
# to write.
plain() {
    sed "s|sum += (unsigned)LOAD.*|$2|" kernels/stride.cu >"$WORK/plain.cu"
    run_it "$BANKSCOPE" run "$WORK/plain.cu"
    ok "$1 does not compile" sh -c "tail -n 1 '$WORK/stderr' | grep -q 'does not compile'"
    ok "and the compiler says what to write" grep -q 'use_LOAD_STORE_or_SHARED_AT' "$WORK/stderr"
}
plain "a plain read of a shared array" 'sum += (unsigned)tile[(t * p.s + r) % words];'
plain "a plain write" 'tile[t] = 5;'
plain "a plain copy" 'tile[t] = tile[t + 1];'
plain "a plain pointer into a shared array" 'int *raw = tile; sum += raw[t];'

# edited NAME PATTERN SED: the stride kernel with an error in it.
edited() {
    sed "$3" kernels/stride.cu >"$WORK/edited.cu"
    if cmp -s kernels/stride.cu "$WORK/edited.cu"; then
        ok "$1: the edit changes the kernel" false
    else
        wrong "$1" 1 "$2" "$WORK/edited.cu"
    fi
}
edited "a kernel that reads out of bounds" 'stage read, round 0, block 0, thread 0 .*tile\[64\] is outside' \
    's/% words)/% words + words)/'
edited "a kernel with a wrong result" 'wrong result: sum 0' 's/= (int)sum;/= (int)sum + 1;/'
# Samples out of the first quarter of each sequence: a sort, but with a bucket that is too large.
sed 's|words \* (i % p.blocks) / p.blocks|words * (i % p.blocks) / p.blocks / 4|' kernels/bcf_sort.cu \
    >"$WORK/buckets.cu"
awk 'BEGIN { for (i = 0; i < 5000; i++) print i * 1777 % 5000 }' >"$WORK/shuffled"
wrong "a bucket larger than Lemma 1 allows" 1 'bucket 15 has [0-9]* words, more than the 640' \
    "$WORK/buckets.cu" n=5000 w=8 blocks=16 --input "file=$WORK/shuffled"
export ASAN_OPTIONS=handle_segv=0 # the crash is the point
edited "a kernel that crashes" 'stage read, round 0, block 0, thread 0 .line 23.: crashed .Segmentation' \
    's/^    STAGE(read);/    STAGE(read); *(volatile int *)8 = 1;/'
edited "a kernel that misses its barrier" 'barrier not reached by all' \
    's/^    __syncthreads();/    if (t) __syncthreads();/'
# A file's name is no way to the terminal's controls.
escape=$(printf 'x\033[31m.jsonl')
run_it "$BANKSCOPE" run stride -o "$WORK/$escape"
ok "a trace's name is shown without controls" sh -c 'grep -q "^trace: .*x.*jsonl" "$1/stdout" &&
    ! LC_ALL=C grep -q "[[:cntrl:]]" "$1/stdout"' sh "$WORK"
head -n 2 "$WORK/$escape" >"$WORK/cut$escape"
run_it "$BANKSCOPE" stats "$WORK/cut$escape"
ok "and so is a cut one's" sh -c 'grep -q "is cut" "$1/stderr" &&
    ! LC_ALL=C grep -q "[[:cntrl:]]" "$1/stderr"' sh "$WORK"
finish
