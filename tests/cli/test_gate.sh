#!/bin/sh
# Kernels of a user's own that say what no trace can hold: each is refused with one line, and leaves
# no trace behind that the reader would refuse.
. tests/support/tap.sh

# says NAME PATTERN SED...: the stride kernel, edited, is refused with a line that matches.
says() {
    says_name=$1 says_pattern=$2
    shift 2
    sed -E "$@" kernels/stride.cu >"$WORK/own.cu"
    if cmp -s kernels/stride.cu "$WORK/own.cu"; then
        ok "$says_name: the edit changes the kernel" false
        return
    fi
    rm -f "$WORK/own.jsonl"
    refuses "$says_name" 1 "^bankscope run: .*$says_pattern" timeout 30 \
        "$BANKSCOPE" run "$WORK/own.cu" -o "$WORK/own.jsonl"
    [ ! -e "$WORK/own.jsonl" ] || ok "$says_name: what is left is readable" readable
}
readable() {
    "$BANKSCOPE" stats "$WORK/own.jsonl" 2>"$WORK/stderr" || grep -q ' is cut: ' "$WORK/stderr"
}

run_it "$BANKSCOPE" run kernels/stride.cu -o "$WORK/own.jsonl"
ok "the unbroken kernel runs" test "$status" -eq 0
shape='s/^(.*shape->shared_bytes = .*)$/\1'
says "100 banks" 'kernel stride: "banks" must be .* 1 to 64' "$shape shape->banks = 100;/"
says "no banks" 'kernel stride: "banks" must be .* 1 to 64' "$shape shape->banks = -1;/"
says "a warp of 100 lanes" 'kernel stride: "warp" must be .* 1 to 64' "$shape shape->warp = 100;/"
says "banks of 3 bytes" 'kernel stride: "bank_bytes" must be' "$shape shape->bank_bytes = 3;/"
says "a stage's name of 100 bytes" 'kernel stride: "stages" must be .* 1 to 64 bytes' \
    "s/STAGES\\(setup, read\\)/STAGES(setup, $(printf '%0100d' 0 | tr 0 r))/; s/STAGE\\(read\\)/STAGE($(printf '%0100d' 0 | tr 0 r))/"
says "a kernel's name with a terminal's command" 'kernel a\?\[2Jb: "kernel" must be .*control' \
    's/\.name = "stride"/.name = "a\\033[2Jb"/'
says "elements of 12 bytes" '("bytes" must be 1, 2, 4, 8 or 16|12 bytes)' \
    -e 's/^struct stride \{/struct trio {\n    int a[3];\n};\n&/' \
    -e 's/SHARED\(int, tile, words\);/SHARED(struct trio, trio, 32);\n    struct trio one = {{1, 2, 3}};\n    &/' \
    -e 's/^( *)STAGE\(read\);/&\n    ROUND(9);\n    STORE(trio, t, one);/' \
    -e 's/(shape->shared_bytes = .*);/\1 + 32 * 12 + 12;/'
says "a tag that no trace can hold" 'a tag must be a printable' \
    's/LOAD\(tile, (\(t.*words)\)/LOAD_TAG(tile, \1, 7)/'

# What lanes make one after another cannot be shown as made at once.
rounds='s/(PARAM\(rounds,) 1,/\1 4,/'
says "rounds that each lane counts from another one" 'thread [0-9]+: other lanes of the warp make the access' \
    "$rounds; s/ROUND\(r\);/ROUND((r + t) % p.rounds);/"
says "the same with barriers" 'is on this side of a barrier' \
    "$rounds; s/ROUND\(r\);/ROUND((r + t) % p.rounds); __syncthreads();/"
says "two lanes the other way round" 'thread [0-9]+: other lanes of the warp make the access' \
    "$rounds; s/ROUND\(r\);/ROUND(t < 2 ? p.rounds - 1 - r : r);/"
sed -E "$rounds; s/ROUND\(r\);/ROUND(2 * r + t % 2);/" kernels/stride.cu >"$WORK/own.cu"
ok "lanes in turns are taken" "$BANKSCOPE" run "$WORK/own.cu"
sed -E "$rounds; s/ROUND\(r\);/ROUND(p.rounds - 1 - r);/" kernels/stride.cu >"$WORK/own.cu"
ok "and rounds that all lanes count down" "$BANKSCOPE" run "$WORK/own.cu"

says "parameters without an end" 'own.cu: its PARAMS ends without .0.' '/^PARAMS/,/^};/{s/^( *)\{0\},$//}'

# As many parameters as one likes, or a clear refusal.
many=$(for n in $(seq 20); do printf '{"p%d", 1, 1, 9, NULL, "one of many"}, ' "$n"; done)
names=$(for n in $(seq 20); do printf 'p%d, ' "$n"; done)
sed -E -e "s/^    \\{\"rounds\",/$many&/" -e "s/s, rounds;/s, ${names}rounds;/" \
    -e 's/^ *PARAM.*BARE.*//' kernels/stride.cu | sed '/^BARE/d' >"$WORK/own.cu"
rm -f "$WORK/own.jsonl"
run_it "$BANKSCOPE" run "$WORK/own.cu" -o "$WORK/own.jsonl"
refused_or_read() {
    cat "$WORK/stderr"
    echo "(status $status)"
    if [ "$status" -eq 1 ]; then
        [ "$(wc -l <"$WORK/stderr")" -eq 1 ] && grep -q 'parameters' "$WORK/stderr"
    else
        [ "$status" -eq 0 ] && readable && grep -q '"p20":1' "$WORK/own.jsonl"
    fi
}
ok "20 parameters more" refused_or_read
finish
