#!/bin/sh
# What students might hand in to be graded better than they deserve, or to do harm. Each file of
# tests/cheats is a part of an exercise; its first line says of which one, what the verdict must be,
# and what the reason must match. All are graded as one class.
. tests/tap.sh

have cc || {
    skip "cheats" "no cc here"
    finish
    exit
}
mkdir "$WORK/in" "$WORK/tmp"
for cheat in "$TREE"/tests/cheats/*.cu; do
    name=$(basename "$cheat" .cu)
    exercise=$TREE/lessons/$(sed -n '1s|^// \([^ ]*\) .*|\1|p' "$cheat")/exercise.cu
    sed -e '/your part begins/,/your part ends/{/your part begins/!{/your part ends/!d;};}' \
        -e "/your part begins/r $cheat" "$exercise" >"$WORK/in/$name.cu"
done
TMPDIR=$WORK/tmp run_it "$BANKSCOPE" check "$WORK"/in/*.cu --seed 5 --csv "$WORK/marks.csv"
if grep -q 'cannot confine a process' "$WORK/stderr"; then
    skip "cheats" "no box here"
    finish
    exit
fi
ok "a class of cheats does not meet all goals" [ "$status" -eq 1 ]
ok "nobody meets all goals" grep -q '^0 of ' "$WORK/stdout"
ok "nothing is left behind" [ -z "$(ls -A "$WORK/tmp")" ]

judged() {
    grep "^\"$WORK/in/$1.cu\"," "$WORK/marks.csv"
    echo "(wanted: $2, $3)"
    grep "^\"$WORK/in/$1.cu\"," "$WORK/marks.csv" | grep -E ",($2),0," | grep -Eq -e "$3"
}
for cheat in "$TREE"/tests/cheats/*.cu; do
    name=$(basename "$cheat" .cu)
    verdict=$(sed -n '1s/^[^|]* | \([a-z |]*\) | .*/\1/p' "$cheat")
    pattern=$(sed -n '1s/^[^|]* | [a-z |]* | \(.*\)$/\1/p' "$cheat")
    case $BANKSCOPE in *-san/*) # the address sanitizer gives up where it cannot read its maps
        pattern="$pattern|it ended its process" ;;
    esac
    ok "$name: $verdict" judged "$name" "$verdict" "$pattern"
done
finish
