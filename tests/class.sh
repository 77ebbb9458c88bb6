# class.sh - a class that hands in exercises: solutions, files as handed out, and mistakes, all graded at
# once. For tests that have sourced tap.sh; ends the test where nothing can be graded.
# shellcheck shell=sh

have cc || {
    skip "exercises" "no cc here"
    finish
    exit
}
"$BANKSCOPE" check "$TREE/lessons/01-banks/exercise.cu" >/dev/null 2>"$WORK/box"
if grep -q 'cannot confine a process' "$WORK/box"; then
    skip "exercises" "no box here"
    finish
    exit
fi
mkdir -p "$WORK/in" "$WORK/tmp"

# hands_in NAME EXERCISE SED: the lesson's solution, edited by sed, becomes NAME.cu of the class.
hands_in() {
    [ -e "$WORK/$2.cu" ] || solution "$2" >"$WORK/$2.cu"
    sed -E -e "$3" "$WORK/$2.cu" >"$WORK/in/$1.cu"
    if cmp -s "$WORK/in/$1.cu" "$WORK/$2.cu"; then
        ok "$1: the edit changes something" false
    fi
}
# hands_out NAME...: the exercises of these lessons, as they are and solved.
hands_out() {
    for name; do
        cp "$TREE/lessons/$name/exercise.cu" "$WORK/in/given-$name.cu"
        solution "$name" >"$WORK/in/solved-$name.cu"
    done
}

grades_some() {

    ! TMPDIR=$WORK/tmp "$BANKSCOPE" check "$WORK"/in/*.cu "$WORK/in/not-there.cu" --seed 3 \
        --csv "$WORK/marks.csv" --json "$WORK/marks.json" >"$WORK/table" && cat "$WORK/table"
}
grades_all() {
    ok "a class in which not all meet all goals: status 1" grades_some
    ok "nothing is left in the folder for temporary files" [ -z "$(ls -A "$WORK/tmp")" ]
}

# marked FILE PATTERN...: each pattern matches the lines of that file in the table.
marked() {
    file=$1
    shift
    grep "^\"$WORK/in/$file.cu\"," "$WORK/marks.csv" >"$WORK/lines"
    for pattern; do
        grep -Eq -e "$pattern" "$WORK/lines" && continue
        cat "$WORK/lines"
        echo "(wanted: $pattern)"
        return 1
    done
}
no_goal_missed() {
    marked "$1" '"the result is right",ok' && ! grep -E ',(not yet|refused),' "$WORK/lines"
}
# What holds for the exercises of these lessons.
marks_handed_out() {
    for name; do
        ok "$name: unsolved, the result is right, and it is not there yet" \
            marked "given-$name" '"the result is right",ok' ',not yet,0,'
        ok "$name: the solution meets all goals" no_goal_missed "solved-$name"
        ok "$name: the solution has points" marked "solved-$name" ',ok,1,'
    done
}
