#!/bin/sh
# advise: what a person sees of the search for layouts.
. tests/tap.sh

run_it "$BANKSCOPE" advise transpose variant=naive
ok "a transposition is padded" grep -Eq '^  1 padding after 32 elements +64 +0 ' "$WORK/stdout"
ok "and told how to write it" grep -q 'write *shared\[1055\]; then shared\[i + i / 32\]$' \
    "$WORK/stdout"
run_it "$BANKSCOPE" run transpose variant=naive -o "$WORK/t.jsonl"
ok "a trace gives the same advice" sh -c '"$1" advise transpose variant=naive >"$2/a" &&
    "$1" advise "$2/t.jsonl" >"$2/b" && "$1" advise - <"$2/t.jsonl" >"$2/c" &&
    cmp "$2/a" "$2/b" && cmp "$2/a" "$2/c"' sh "$BANKSCOPE" "$WORK"
run_it "$BANKSCOPE" advise histogram
ok "data is told from layout" grep -q 'decides what a lane reads' "$WORK/stdout"
if have jq; then
    run_it "$BANKSCOPE" advise transpose variant=naive --json
    ok "JSON has the counts" test "$(jq -c '[.arrays[0].today.conflicts,
        (.arrays[0].layouts[] | .conflicts)]' "$WORK/stdout")" = "[992,0,0]"
else
    skip "JSON has the counts" "no jq"
fi
cp "$TREE/kernels/stride.cu" "$WORK/mine.cu"
run_it "$BANKSCOPE" advise "$WORK/mine.cu" s=32
ok "a kernel of one's own is advised" grep -q '1 padding after 32' "$WORK/stdout"
head -n 20 "$WORK/t.jsonl" >"$WORK/cut.jsonl"
refuses "a cut trace is told" 1 'cut' "$BANKSCOPE" advise "$WORK/cut.jsonl"
refuses "a missing file is told" 1 'cannot open .*none.jsonl' "$BANKSCOPE" advise "$WORK/none.jsonl"
refuses "an unknown kernel is told" 1 'nor is there a file' "$BANKSCOPE" advise transposs
refuses "nothing to advise on" 2 'which trace or kernel' "$BANKSCOPE" advise
refuses "two recordings" 2 'one recording at a time' "$BANKSCOPE" advise stride puzzle
finish
