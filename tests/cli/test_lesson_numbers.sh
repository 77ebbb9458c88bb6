#!/bin/sh
# Numbers that are typed in lessons are computed again, from the recordings: tests/data/lesson-numbers.tsv has
# the words and expressions for them. A lesson in which the expressions stand must say the same as it does.
. tests/support/tap.sh

table=$TREE/tests/data/lesson-numbers.tsv
if ! have pdftotext || ! "$BANKSCOPE" help lesson 2>/dev/null | grep -q pdf; then
    skip "typed numbers" "no pdftotext, or this build has no cmark or cairo"
    finish
    exit 0
fi

# Puts the expressions into the lesson of the folder; each of the words must stand there once.
computed() { # NAME FOLDER
    awk -F '\t' -v name="$1" '
        FNR == NR { if ($1 == name) { typed[++rows] = $2; instead[rows] = $3 } next }
        {
            for (i = 1; i <= rows; i++) {
                at = index($0, typed[i])
                if (at) {
                    $0 = substr($0, 1, at - 1) instead[i] substr($0, at + length(typed[i]))
                    found[i]++
                }
            }
            print
        }
        END {
            for (i = 1; i <= rows; i++)
                if (found[i] != 1) {
                    printf "%s: stands there %d times: %s\n", name, found[i], typed[i] >"/dev/stderr"
                    status = 1
                }
            exit status
        }' "$table" "$TREE/lessons/$1/lesson.md" >"$2/lesson.md"
}
says() { # FOLDER: the teacher's copy, which has hints and what wrong answers get; not its minutes, which its length makes
    "$BANKSCOPE" lesson "$1" --trust --answers -o "$WORK/copy.pdf" &&
        pdftotext "$WORK/copy.pdf" - | sed 's/: [0-9]* minutes, estimated//' | tr -s ' \n\f' '\n' >"$2"
}
same() { # NAME
    mkdir -p "$WORK/typed" "$WORK/computed"
    cp -R "$TREE/lessons/$1" "$WORK/typed" && cp -R "$TREE/lessons/$1" "$WORK/computed" || return
    computed "$1" "$WORK/computed/$1" && says "$WORK/typed/$1" "$WORK/is" && says "$WORK/computed/$1" "$WORK/should" &&
        diff "$WORK/is" "$WORK/should"
}
for name in $(grep -v '^#' "$table" | cut -f1 | sort -u); do
    if grep -q '^[a-z]*[.]cu' "$TREE/lessons/$name/lesson.md" && ! runs_programs; then
        skip "$name" "needs clang and libdw"
        continue
    fi
    rows=$(grep -c "^$name	" "$table")
    ok "$name: $rows typed statements, computed" same "$name"
done
finish
