#!/bin/sh
# What is handed in to cheat check or to harm it: tests/data/harms.txt has the parts and what comes of each; what files
# can be is here. None of them may take more than some seconds of a processor and the memory that grade/run.h allows.
. tests/support/tap.sh

mkdir "$WORK/parts" "$WORK/in"
awk -v folder="$WORK/parts" '
    /^#/ && !file { next }
    /^== / { file = folder "/" $2; expected = $0; sub(/^== [^ ]+ /, "", expected); print expected >(file ".expected"); next }
    /^[%&][0-9]+ / {
        count = substr($1, 2) + 0
        line = $0
        sub(/^[^ ]+ /, "", line)
        for (i = 1; i <= count; i++) {
            again = line
            gsub(/~/, i, again)
            gsub(/@/, i - 1, again)
            printf "%s%s", again, /^%/ ? "\n" : " " >(file ".cu")
        }
        next
    }
    { print >(file ".cu") }
' tests/data/harms.txt

# check within limits: the sanitizers of a build take longer, and all addresses that there are.
limited() {
    # shellcheck disable=SC3045 # both dash and bash have these limits
    case $BANKSCOPE in
    *-san/*) (ulimit -t 120 && exec "$@") ;;
    *) (ulimit -t 10 && ulimit -v 700000 && exec "$@") ;;
    esac
}
for expected in "$WORK/parts"/*.expected; do
    name=$(basename "$expected" .expected)
    lesson=$(basename "$TREE/lessons/${name%%-*}"-*)
    with_part "$lesson" "$WORK/parts/$name.cu" >"$WORK/in/$name.cu"
done
# Each is graded by a process of its own, for which the limits are.
limited "$BANKSCOPE" check "$WORK"/in/*.cu --seed 3 --csv "$WORK/harms.csv" >"$WORK/harms.txt" 2>&1
comes_of() { # NAME EXPECTED
    grep "^\"$WORK/in/$1.cu\"," "$WORK/harms.csv" >"$WORK/rows"
    cat "$WORK/rows"
    [ -s "$WORK/rows" ] && ! grep -q 'crashed\|not graded' "$WORK/rows" || return
    case $2 in
    all) ! grep -q ',\(not yet\|refused\),' "$WORK/rows" ;;
    "0 "*) grep ',not yet,' "$WORK/rows" | grep -Eq -e "${2#0 }" && ! grep -q ',ok,1,' "$WORK/rows" ;;
    "refused "*) grep ',refused,0,' "$WORK/rows" | grep -Eq -e "${2#refused }" ;;
    *) false ;;
    esac
}
for expected in "$WORK/parts"/*.expected; do
    name=$(basename "$expected" .expected)
    ok "$name" comes_of "$name" "$(cat "$expected")"
done

# ---- files

cd "$WORK/in" || exit 1
solution 01-banks >good.cu
mkfifo fifo.cu
mkdir folder.cu
ln -s /dev/zero device.cu
ln -s /dev/stdin terminal.cu
ln -s circle.cu circle.cu
ln -s /etc/passwd passwords.cu
ln -s /proc/self/environ environment.cu
truncate -s 20G sparse.cu
: >empty.cu
for case in "fifo is not a file" "folder Is a directory" "device is not a file" "terminal is not a file" "circle symbolic links" \
    "passwords no line .*your part begins" "environment zero bytes" "sparse larger than" "empty no line .*your part begins"; do
    refuses "a file that is none: ${case%% *}" 1 "${case#* }" limited "$BANKSCOPE" check "${case%% *}.cu"
done
escaping=$(printf 'a\033]0;x\007\033[2J\nb.cu')
long=$(printf 'n%.0s' $(seq 250)).cu
# shellcheck disable=SC2016 # nothing is to expand
for name in "$escaping" "$long" =cmd.cu '<img src=x onerror=alert(1)>.cu' '$(touch PWNED).cu' -x.cu; do
    cp good.cu "./$name"
done
names_are_text() {
    limited "$BANKSCOPE" check ./a*.cu ./n*.cu ./=*.cu ./\<*.cu ./\$*.cu ./-*.cu --csv names.csv --json names.json >names.txt || return
    cat names.txt
    ! grep -l "$(printf '\033')" names.txt names.csv names.json && [ ! -e PWNED ] && grep -q "\"'=cmd\"" names.csv &&
        [ "$(grep -c '"the result is right",ok' names.csv)" -eq 6 ]
}
ok "names of files are text" names_are_text
{
    printf '/* marks: 2 of 2 points */\n/* student: =HYPERLINK("x") */\n/* student: two */\n{"score": 100, "goals": []}\n'
    sed 's/return k \* u + t/return 4 * t + k/' good.cu
} >forged.cu
forged_marks() {
    limited "$BANKSCOPE" check forged.cu --csv forged.csv --students students.csv >forged.txt
    cat forged.txt students.csv
    grep -q '5 of 7 goals met, 0 of 2 points' forged.txt && ! grep -q '"=' forged.csv && [ "$(wc -l <students.csv)" -eq 2 ]
}
ok "marks that stand in the hand-in are none" forged_marks
finish
