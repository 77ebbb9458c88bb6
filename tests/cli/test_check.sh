#!/bin/sh
# bankscope check: one file, a class, an exercise of one's own, and what is no exercise. tests/unit/test_attempts.c has
# the marks of each lesson, test_grade.c what cheats get.
. tests/support/tap.sh

mkdir "$WORK/in"
# hands_in NAME EXERCISE SED: the lesson's solution, edited by sed -E, becomes NAME.cu of the class.
hands_in() {
    solution "$2" >"$WORK/solved"
    sed -E -e "$3" "$WORK/solved" >"$WORK/in/$1.cu"
    if cmp -s "$WORK/in/$1.cu" "$WORK/solved"; then
        ok "$1: the edit changes something" false
    fi
}
for name in $(exercises); do
    cp "$TREE/lessons/$name/exercise.cu" "$WORK/in/given-$name.cu"
    [ -e "$TREE/tests/solutions/$name.cu" ] && solution "$name" >"$WORK/in/solved-$name.cu"
done
hands_in other-order 01-banks 's/return k \* u \+ t/return t * 4 + (k + t) % 4/'
hands_in words-used-twice 01-banks 's/return k \* u \+ t/return t/'
hands_in out-of-bounds 01-banks 's/return k \* u \+ t/return k * u + t + 1/'
hands_in only-for-32 01-banks 's/return k \* u \+ t/return warpSize == 32 ? k * u + t : 4 * t + k/'
hands_in endless 01-banks 's/return k \* u \+ t/while (u) t++; return t/'
hands_in not-compiling 01-banks 's/return k/retrun k/'
hands_in without-end 01-banks '/your part ends/d'
hands_in without-begin 01-banks '/your part begins/d'
hands_in two-parts 01-banks 's|(.*your part ends.*)|\1\n/* [your part begins] */\n/* [your part ends] */|'
# What stands outside the marks does not count.
hands_in outside-vandalised 01-banks 's/^__global__.*/garbage(/; s/out\[4.*/;/'
hands_in of-another-lesson 01-banks 's/Exercise 01-banks/Exercise of lesson 99/'
hands_in of-no-lesson 01-banks 's/Exercise 01-banks/Something/'
# Of the first edition, whose lessons had another order.
hands_in of-first-edition 10-merge 's/Exercise 10-merge:/Exercise of lesson 05:/'
hands_in of-first-copy 14-colored-scan '1s|^|/* exercise: 14-bcf-sort */\n|'
hands_in named 01-banks '1s|^|/* exercise: 01-banks */\n/* student: Ada "Countess" Lovelace */\n|'
# Nor does it choose a file: a name is one of those that there are.
mkdir "$WORK/evil"
cp "$TREE/lessons/01-banks"/* "$WORK/evil"
hands_in name-of-a-folder 01-banks "1s|^|/* exercise: $WORK/evil */\n|"
hands_in name-up 01-banks "1s|^|/* exercise: ../../../../../../../../../../..$WORK/evil */\n|"
hands_in name-here 01-banks '1s|^|/* exercise: ./evil */\n|'
sed 's/__device__ int point_word/DEVICE int point_word/; s/^__global__/#include "kernels\/kernel.h"\n&/' \
    "$WORK/in/solved-01-banks.cu" >"$WORK/in/of-old.cu"
tr '\n' '\0' <"$WORK/in/solved-01-banks.cu" >"$WORK/in/zero-bytes.cu"
tr '\n' ' ' <"$WORK/in/solved-01-banks.cu" >"$WORK/in/one-line.cu"
sed 's/$/\r/' "$WORK/in/solved-01-banks.cu" >"$WORK/in/crlf.cu"
{
    printf '\357\273\277'
    sed 's/    /\t/' "$WORK/in/solved-02-strides.cu"
} >"$WORK/in/marked-with-tabs.cu"
{
    cat "$WORK/in/solved-01-banks.cu"
    head -c 300000 /dev/zero | tr '\0' '/'
} >"$WORK/in/large.cu"

cd "$WORK" || exit 1 # where ./evil is
grades_some() {
    ! "$BANKSCOPE" check "$WORK"/in/*.cu "$WORK/in/not-there.cu" --seed 3 --csv "$WORK/marks.csv" \
        --json "$WORK/marks.json" >"$WORK/table" && cat "$WORK/table"
}
ok "a class in which not all meet all goals: status 1" grades_some
cd "$TREE" || exit 1

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
    marked "$1" '"the result is right",ok' && ! grep -E ',(not yet|refused|not graded),' "$WORK/lines"
}
for name in $(exercises); do
    ok "$name: unsolved, the result is right, and it is not there yet" \
        marked "given-$name" '"the result is right",ok' ',not yet,0,'
    if [ -e "$WORK/in/solved-$name.cu" ]; then
        ok "$name: the solution meets all goals" no_goal_missed "solved-$name"
        ok "$name: the solution has points" marked "solved-$name" ',ok,1,'
    fi
done
ok "an order that conflicts" marked other-order '"the result is right",ok' \
    'write: no bank conflicts",not yet,0,.*w=32 u=64 .*seed=1: block 0, warp 0, access 1: bank 0 serves.*Which words do neighbouring lanes use'
run_it "$BANKSCOPE" check "$WORK/in/other-order.cu" --seed 3
hints_where_missed() {
    [ "$(grep -A 2 '^  not yet ' "$WORK/stdout" | grep -c '^           Hint: In one round')" -eq 2 ] &&
        [ "$(grep -c '^   ' "$WORK/stdout")" -eq 4 ]
}
ok "... told with a hint, and nothing below a goal that is met" hints_where_missed
ok "a wrong number: who read it, from where, and who had written it" marked words-used-twice \
    'right",not yet,0.*out.0.: got [0-9]+, expected [0-9]+: lane 0 of warp 0 read word 1 in bank 1, which thread 1 wrote in stage write, round 3'
ok "out of bounds" marked out-of-bounds '"the result is right",not yet.*bad-address.*The words of the tile are'
ok "an order that only fits w = 32" marked only-for-32 '"the result is right",ok' \
    'write: no bank conflicts",not yet.*w=12 u=36 .*serves 4 words'
ok "a loop without end" marked endless '"the result is right",not yet,0.*does not end within'
ok "what stands outside the marks does not count" no_goal_missed outside-vandalised
ok "the file says whose it is" marked named ',"Ada ""Countess"" Lovelace",01-banks,"the result is right",ok'
ok "a file without a name is that of its own name" marked crlf ',"crlf",01-banks,"the result is right",ok'
ok "ends of lines as Windows has them" no_goal_missed crlf
ok "tabs, an editor's mark" no_goal_missed marked-with-tabs
ok "a part that does not compile, with line and column" marked not-compiling \
    ",refused,0,.*not-compiling.cu does not compile: [0-9]+:[0-9]+: 'retrun' is not known"
ok "another lesson" marked of-another-lesson ",refused,0,.*there is no lesson '99'"
ok "the number of a lesson that was the fifth once" marked of-first-edition ',10-merge,"the result is right",ok'
ok "a copy under a former name" marked of-first-copy ',14-colored-scan,"the result is right",ok'
ok "no lesson" marked of-no-lesson ',refused,0,.*does not say which exercise it is'
for file in name-of-a-folder name-up name-here; do
    ok "$file chooses no file" marked $file '(refused,0,.*there is no lesson|01-banks,"the result)' # or the comment's
done
ok "a hand-in of the old form is told how to convert it" marked of-old ',refused,0,.*form of old.*write __device__ for DEVICE'
ok "a part without an end" marked without-end ',refused,0,.*no line .\[your part ends\]'
ok "a part without a beginning" marked without-begin ',refused,0,.*no line .\[your part begins\]'
ok "two parts" marked two-parts ',refused,0,.*may stand there once'
ok "all in one line" marked one-line ',refused,0,.*lines of their own'
ok "zero bytes" marked zero-bytes ',refused,0,.*zero bytes'
ok "a large file" marked large ',refused,0,.*larger than'
ok "a file that is not there is one line" marked not-there ',refused,0,.*cannot read'
ok "the seed is said" grep -q 'seed 3 draws the same' "$WORK/table"

# Whose are alike: names, comments and the order of declarations do not matter, another way to do it does.
mkdir "$WORK/alike"
alike() { # NAME: the exercise of lesson 02 with the part on standard input
    cat >"$WORK/part"
    with_part 02-strides "$WORK/part" >"$WORK/alike/$1.cu"
}
alike ada <<'END'
__device__ int pitch(int w, int E)
{
    for (int step = E;; step++) {
        int a = w, b = step;
        while (b > 0) {
            int rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1)
            return step;
    }
}
END
alike ben <<'END'
__device__ int pitch(int w, int E)
{
    /* my own idea */
    for (int distance = E;; distance++) {
        int second = distance; // the second one first
        unsigned int first = w;
        while (second > 0) {
            int left = first % second;
            first = second;
            second = left;
        }
        if (first == 1)
            return distance;
    }
}
END
alike cleo <<'END'
__device__ int common(int a, int b) { return b == 0 ? a : common(b, a % b); }
__device__ int pitch(int w, int E)
{
    int candidate = E;
    while (common(w, candidate) != 1)
        candidate += 1;
    return candidate;
}
END
run_it "$BANKSCOPE" check "$WORK"/alike/*.cu --csv "$WORK/alike.csv"
cp "$WORK/stdout" "$WORK/alike.txt"
ok "three that meet all goals: status 0" test "$status" -eq 0
likeness() { # NAME LEAST MOST
    grep "/$1.cu\",\"" "$WORK/alike.csv" | awk -F, -v least="$2" -v most="$3" \
        '{ print; if ($NF < least || $NF > most) bad = 1 } END { exit bad || !NR }'
}
ok "who renames and reorders is alike" likeness ben 80 100
ok "and the other, too" likeness ada 80 100
ok "who thinks for himself is not" likeness cleo 0 40
ok "the table says so" grep -q 'ben.cu .*% like .*ada.cu' "$WORK/alike.txt"

same_again() {
    for file in only-for-32 other-order; do
        marked "$file" && sed -E 's/,[0-9]+\.[0-9]{3},.*//' "$WORK/lines"
    done >"$WORK/a"
    "$BANKSCOPE" check "$WORK/in/only-for-32.cu" "$WORK/in/other-order.cu" --seed 3 --csv - >"$WORK/b" 2>"$WORK/stderr"
    sed -E -e '/^"/!d' -e 's/,[0-9]+\.[0-9]{3},.*//' "$WORK/b" >"$WORK/c"
    diff "$WORK/a" "$WORK/c" && [ "$(wc -l <"$WORK/a")" -eq 14 ]
}
ok "the same seed, the same marks" same_again
if have jq; then
    agrees() {
        rows=$(jq '[.files[] | if .error then 1 else (.goals | length) end] | add' "$WORK/marks.json")
        echo "$rows rows"
        [ "$rows" -eq $(($(wc -l <"$WORK/marks.csv") - 1)) ] &&
            jq -e '.seed == 3 and (.files[] | select(.file | endswith("solved-02-strides.cu")) |
                .points == .of and .of == 1)' "$WORK/marks.json" &&
            jq -e '.files[] | select(.file | endswith("/named.cu")) |
                .student == "Ada \"Countess\" Lovelace"' "$WORK/marks.json"
    }
    ok "JSON says the same" agrees
else
    skip "JSON says the same" "no jq here"
fi

# A line per student: of two files of one exercise the better one counts; a refused one has no points.
mkdir "$WORK/students"
for file in solved-01-banks given-01-banks solved-02-strides; do
    { printf '/* student: Ada Lovelace */\n'; cat "$WORK/in/$file.cu"; } >"$WORK/students/a-$file.cu"
done
{ printf '/* student: ada lovelace */\n'; cat "$WORK/in/given-02-strides.cu"; } >"$WORK/students/a-2.cu"
cp "$WORK/in/two-parts.cu" "$WORK/students/bob.cu"
cp "$WORK/in/other-order.cu" "$WORK/students/cleo.cu"
"$BANKSCOPE" check "$WORK"/students/*.cu --seed 3 --students "$WORK/students.csv" >/dev/null
cat >"$WORK/wanted.csv" <<'END'
student,"02-strides","01-banks",points,of,files,refused,state
"ada lovelace",1,2,3,3,4,0,graded
"bob",,,0,3,1,1,graded
"cleo",,0,0,3,1,0,graded
END
ok "one line per student" diff "$WORK/wanted.csv" "$WORK/students.csv"
echo mine >"$WORK/mine.csv"
refuses "a table of another's stays" 1 'mine.csv' "$BANKSCOPE" check "$WORK/students/bob.cu" --students "$WORK/mine.csv"

# Exercises with numbers of one's own: each copy has its student's, and is graded by them. Whoever hands in a part made
# for another's number misses a goal.
# drawn_for STUDENT: the copy.
drawn_for() {
    rm -f "$WORK/copy.cu"
    "$BANKSCOPE" lesson transpose --student "$1" -o "$WORK/copy.cu"
}
rotated() { # ROTATION FILE: the copy with a part for that rotation
    sed "s/return r \* w + c;/return r * w + (c + $1 * r + w * w) % w;/" "$WORK/copy.cu" >"$2"
}
own_numbers() {
    for student in Ada Bob Cleo Dan; do
        drawn_for "$student" || return
        rise=$(sed -n 's/^#define RISE \([-0-9]*\) .*/\1/p' "$WORK/copy.cu")
        case $rise in
        1) good=2 other=8 ;;
        4) good=2 other=-1 ;;
        8) good=4 other=2 ;;
        *) return 1 ;;
        esac
        echo "$student: $rise"
        rotated $good "$WORK/good.cu"
        rotated 1 "$WORK/bad-1.cu" # is the lesson's rotation: nobody may get by with it
        rotated $other "$WORK/bad-2.cu"
        "$BANKSCOPE" check "$WORK/good.cu" "$WORK/bad-1.cu" "$WORK/bad-2.cu" --seed 3 --csv "$WORK/own.csv" >/dev/null
        verdict_of good && [ $verdict = ok ] || return
        [ "$(awk -F, '$5 == "ok" { points += $6 } END { print points }' "$WORK/rows")" = 1 ] || return # everyone's
        for bad in bad-1 bad-2; do verdict_of $bad && [ $verdict = missed ] || return; done
    done >"$WORK/rises"
    cat "$WORK/rises"
    [ "$(cut -d: -f2 "$WORK/rises" | sort -u | wc -l)" -ge 3 ]
}
verdict_of() { # NAME: it was graded, and meets all goals or misses one
    grep "^\"$WORK/$1.cu\"," "$WORK/own.csv" >"$WORK/rows" && ! grep 'refused\|not graded' "$WORK/rows" || return
    verdict=ok
    if grep -q ',not yet,' "$WORK/rows"; then verdict=missed; fi
}
if "$BANKSCOPE" help lesson >/dev/null 2>&1; then
    ok "everyone's numbers are those of everyone's copy" own_numbers
else
    skip "everyone's numbers are those of everyone's copy" "built without what lessons need"
fi

# As Gradescope runs it: a folder that it unpacks, and results.json as its documents say.
if "$BANKSCOPE" help lesson >/dev/null 2>&1; then
    mkdir -p "$WORK/autograder/submission" "$WORK/autograder/results"
    ok "an autograder's folder" "$BANKSCOPE" lesson banks --autograder "$WORK/autograder/source"
    ok "once more" "$BANKSCOPE" lesson banks --autograder "$WORK/autograder/source"
    refuses "but not for another exercise" 1 "is another exercise's" \
        "$BANKSCOPE" lesson strides --autograder "$WORK/autograder/source"
    refuses "setup.sh without Bankscope's source" 1 "no bankscope-VERSION.tar.gz" \
        env AUTOGRADER="$WORK/autograder" "$WORK/autograder/source/setup.sh"
    results=$WORK/autograder/results/results.json
    graded() { # FILE FILTER: what jq says of the results
        rm -f "$results" "$WORK/autograder/submission"/*
        [ -z "$1" ] || cp "$WORK/in/$1.cu" "$WORK/autograder/submission/mine.cu"
        AUTOGRADER=$WORK/autograder "$WORK/autograder/source/run_autograder" >"$WORK/said" 2>&1 || return
        jq -c . "$results"
        jq -e "$2" "$results"
    }
    export BANKSCOPE
    if have jq; then
        ok "points, and a test for each goal" graded solved-01-banks '.score == 2 and (.tests | length) == 7 and
            ([.tests[].score] | add) == 2 and ([.tests[].max_score] | add) == 2 and all(.tests[]; .status == "passed")'
        ok "what is missing, with a reason" graded other-order '.score == 0 and
            any(.tests[]; .status == "failed" and .max_score == 1 and (.output | test("serves")))'
        ok "what does not compile" graded not-compiling '.score == 0 and (.output | test("retrun"))'
        ok "what is refused" graded two-parts '.score == 0 and (.output | test("may stand there once"))'
        ok "nothing handed in" graded "" '.score == 0 and (.output | test("one file"))'
    else
        skip "results.json" "needs jq"
    fi
    rm "$WORK/autograder/source/exercise/grading.cu"
    cp "$WORK/in/solved-01-banks.cu" "$WORK/autograder/submission/mine.cu"
    no_marks_for_trouble() {
        rm -f "$results"
        ! AUTOGRADER=$WORK/autograder "$WORK/autograder/source/run_autograder" && [ ! -e "$results" ]
    }
    ok "where the exercise is at fault, there are no results" no_marks_for_trouble
fi
refuses "results are of one file" 2 "takes one file" \
    "$BANKSCOPE" check "$WORK/in/crlf.cu" "$WORK/in/named.cu" --results "$WORK/r.json"

# A class of 25, one of them without end. Sanitizers make it slower, and a busy machine, too: seconds of the
# processor are counted.
mkdir "$WORK/class"
for i in 1 2 3 4 5 6 7 8; do
    for name in solved-01-banks solved-02-strides other-order; do cp "$WORK/in/$name.cu" "$WORK/class/$name-$i.cu"; done
done
cp "$WORK/in/endless.cu" "$WORK/class"
case $BANKSCOPE in
*-san/*) skip "25 hand-ins take little time" "sanitizers" ;;
*)
    quick() {
        sh -c '"$@" >"$0.table"; times' "$WORK/class" "$BANKSCOPE" check "$WORK"/class/*.cu | tail -n 1 >"$WORK/times"
        cat "$WORK/times"
        awk '{ split($1, t, /[ms]/); exit 60 * t[1] + t[2] > 10 }' "$WORK/times" &&
            grep '^16 of 25 files meet all goals' "$WORK/class.table"
    }
    ok "25 hand-ins take less than 10 seconds of a processor" quick
    ;;
esac

# ---- pages

if [ "$("$BANKSCOPE" export 2>&1 | grep -c 'install cairo')" -eq 0 ]; then
    run_it "$BANKSCOPE" check "$WORK/in/other-order.cu" "$WORK/in/solved-01-banks.cu" "$WORK/in/two-parts.cu" \
        "$WORK/in/not-compiling.cu" --seed 3 --pages "$WORK/pages"
    has_page() {
        page=$WORK/pages/$1.html
        cat "$page"
        grep -q "$2" "$page" && [ "$(grep -c '<svg' "$page")" -eq "$3" ] &&
            grep -A 1 -Fx '<!DOCTYPE html>' "$page" | grep -q "^<html lang=\"en\">.*<title>$1</title>"
    }
    ok "a page with the picture of the round that fails" has_page other-order 'bank 0 serves' 1
    ok "a page says whose it is" has_page solved-01-banks '<h1>solved-01-banks</h1>' 0
    ok "a page of who has all points" has_page solved-01-banks '2 of 2 points' 0
    ok "a page of who is refused" has_page two-parts 'may stand there once' 0
    ok "a page of what does not compile" has_page not-compiling 'line [0-9]*, column [0-9]*: .*retrun' 0
    # a.cu of two folders and a-2.cu of a third: three pages.
    mkdir "$WORK/one" "$WORK/two" "$WORK/three" "$WORK/same"
    for file in one/a two/a three/a-2; do cp "$WORK/in/two-parts.cu" "$WORK/$file.cu"; done
    run_it "$BANKSCOPE" check "$WORK/one/a.cu" "$WORK/two/a.cu" "$WORK/three/a-2.cu" --pages "$WORK/same"
    ok "a page for each, whatever their names" test \
        "$(cd "$WORK/same" && echo *)" = "a-2.html a-3.html a.html"
    echo mine >"$WORK/same/a.html"
    refuses "a page of another's stays" 1 'a.html is there and was not made by Bankscope' \
        "$BANKSCOPE" check "$WORK/one/a.cu" "$WORK/two/a.cu" --pages "$WORK/same"
else
    skip "pages" "built without cairo"
fi

# ---- one file

reported() {
    cat "$WORK/stdout" "$WORK/stderr"
    [ "$status" -eq "$1" ] && grep -Eq -e "$2" "$WORK/stdout"
}
run_it "$BANKSCOPE" check "$WORK/in/solved-02-strides.cu"
ok "one file that meets all goals" reported 0 '^all 7 goals met, 1 of 1 points .33 runs.'
run_it "$BANKSCOPE" check --seed 7 "$WORK/in/given-01-banks.cu"
ok "one file that does not" reported 1 '^5 of 7 goals met, 0 of 2 points. .--seed 7 draws'
for name in 01-banks banks 01 1; do
    run_it "$BANKSCOPE" check "$WORK/in/of-no-lesson.cu" --exercise $name
    ok "the teacher says which exercise it is: $name" reported 0 '^exercise 01-banks'
done
for name in 05-merge 10-merge merge 10; do
    run_it "$BANKSCOPE" check "$WORK/in/solved-10-merge.cu" --exercise $name
    ok "an exercise under a former name: $name" reported 0 '^exercise 10-merge'
done
run_it env PATH=/nowhere "$BANKSCOPE" check "$WORK/in/solved-01-banks.cu" --exercise "$WORK/evil"
ok "an exercise in a folder, without any compiler" reported 0 '^exercise evil'
does_not_compile() {
    cat "$WORK/stderr"
    [ "$status" -eq 1 ] && [ ! -s "$WORK/stdout" ] && grep "/not-compiling.cu:[0-9]*:[0-9]*: error: .*retrun" "$WORK/stderr" &&
        tail -n 1 "$WORK/stderr" | grep "^bankscope check: .* does not compile; the lines above"
}
run_it "$BANKSCOPE" check "$WORK/in/not-compiling.cu"
ok "what the compiler says is shown, then one line" does_not_compile
line=$(grep -n retrun "$WORK/in/not-compiling.cu" | cut -d: -f1)
ok "lines are those of the hand-in" grep -q "cu:$line:" "$WORK/stderr"

run_it "$BANKSCOPE" check --hint 3 "$WORK/in/given-01-banks.cu"
ok "a hint" reported 0 '^Put all x first'
run_it "$BANKSCOPE" check --hint 4 "$WORK/in/given-01-banks.cu"
ok "a hint that there is not" [ "$status" -eq 2 ]
case $("$BANKSCOPE" --version) in
*"without SDL2"*) skip "nothing to show" "built without SDL2" ;;
*)
    run_it "$BANKSCOPE" check --show "$WORK/in/solved-01-banks.cu"
    ok "nothing to show" reported 0 '^all 7 goals met'
    if have Xvfb; then
        screen 1000x800
        # shellcheck disable=SC2154 # tap.sh sets it
        trap 'kill $screen_pid 2>/dev/null' EXIT
        # shows_round FILE PATTERN: --show opens the window there.
        shows_round() {
            BANKSCOPE_DUMP=$WORK/dump "$BANKSCOPE" check --show "$WORK/in/$1.cu" >"$WORK/stdout" &
            pid=$!
            status=0
            eventually grep -e "$2" "$WORK/dump" || status=1
            kill $pid
            wait $pid 2>/dev/null
            rm -f "$WORK/dump"
            return $status
        }
        ok "a conflict is shown in its round" shows_round other-order '"write .stage 1 of 2., round 0, warp 0: 32 lanes'
        ok "a wrong number is shown where it is read" shows_round words-used-twice '"read .stage 2 of 2., round 0, warp 0'
    else
        skip "the failing round in the window" "needs Xvfb"
    fi
    ;;
esac

# ---- what is handed out

if "$BANKSCOPE" help lesson >/dev/null 2>&1; then
    # A copy says which exercise it is, has no hint in it, and is graded.
    copies() { # LESSON
        rm -f "$WORK/copy.cu"
        "$BANKSCOPE" check --hint 3 "$TREE/lessons/$1/exercise.cu" | cut -c 1-40 >"$WORK/hints"
        "$BANKSCOPE" lesson "$1" -o "$WORK/copy.cu" && ! grep -nFf "$WORK/hints" "$WORK/copy.cu" &&
            head -n 1 "$WORK/copy.cu" | grep "exercise: $1 " && [ -s "$WORK/hints" ] || return 1
        "$BANKSCOPE" check "$WORK/copy.cu" --csv "$WORK/copy.csv"
        grep -q ",$1,\"the result is right\",ok" "$WORK/copy.csv"
    }
    for name in $(exercises); do
        ok "$name: its copy holds no answer, and is graded" copies "$name"
    done
fi

# ---- a machine that is short of something

# A right solution gets all marks or none, and one line says that it was not graded.
never_marked_down() { # COMMAND...: checks the solution, within some limits
    run_it "$@"
    cat "$WORK/stdout" "$WORK/stderr"
    if [ "$status" -eq 0 ]; then
        grep -q '^all 7 goals met' "$WORK/stdout"
    else
        [ ! -s "$WORK/stdout" ] && tail -n 1 "$WORK/stderr" | grep -q '^bankscope'
    fi
}
within() { # LIMIT VALUE FILE
    # shellcheck disable=SC3045 # both dash and bash have these limits
    (ulimit "$1" "$2" && exec "$BANKSCOPE" check "$3")
}
case $BANKSCOPE in
*-san/*) ;; # the address sanitizer takes all addresses that there are
*)
    for memory in 4000000 200000 100000 60000 40000 30000 20000; do
        ok "with $memory kB of memory" never_marked_down within -v $memory "$WORK/in/solved-01-banks.cu"
    done
    ;;
esac
for files in 30 9 7 5; do
    ok "with $files files" never_marked_down within -n $files "$WORK/in/solved-01-banks.cu"
done
# An exercise that is broken is no student's fault.
mkdir "$WORK/broken"
cp "$WORK"/evil/* "$WORK/broken"
sed -i 's/reference/other/' "$WORK/broken/grading.cu"
run_it "$BANKSCOPE" check "$WORK/in/solved-01-banks.cu" "$WORK/in/crlf.cu" --exercise "$WORK/broken" --csv "$WORK/some.csv" \
    --json "$WORK/some.json"
not_graded() {
    cat "$WORK/stdout" "$WORK/some.csv"
    [ "$status" -eq 1 ] && grep -q "solved-.*cu  *not graded: .*broken: .*'reference'" "$WORK/stdout" &&
        grep -q '^2 of 2 files could not be graded' "$WORK/stdout" &&
        grep -q '"",not graded,,' "$WORK/some.csv" && grep -q '"trouble":' "$WORK/some.json"
}
ok "trouble is no mark" not_graded

# ---- what is no exercise

printf '#include "kernels/kernel.h"\n#ifdef SIMT_HOST\n#endif\n' >"$WORK/broken/exercise.cu"
rm "$WORK/broken/exercise.txt"
refuses "an exercise of the old form is told how to convert it" 1 "form of old.*lessons/README.md" "$BANKSCOPE" check \
    "$WORK/in/crlf.cu" --exercise "$WORK/broken"
refuses "a kernel" 1 "form of old|no line" "$BANKSCOPE" check "$TREE/kernels/stride.cu"
refuses "a lesson that is not there" 1 "there is no lesson 'nothing'" "$BANKSCOPE" check "$WORK/in/crlf.cu" \
    --exercise nothing
refuses "a lesson's name misspelt" 1 "there is no lesson 'stride'; did you mean 'strides'" "$BANKSCOPE" check \
    "$WORK/in/crlf.cu" --exercise stride
"$BANKSCOPE" lesson strides -o "$WORK/starter.cu" >"$WORK/stdout"
full() { "$BANKSCOPE" check "$@" >/dev/full; }
refuses "marks for a full device" 1 "cannot write to standard output" full "$WORK/starter.cu"
refuses "a class's" 1 "cannot write to standard output" full "$WORK/starter.cu" "$WORK/starter.cu"
cp "$WORK/starter.cu" "$WORK/müller.cu"
aligned() { # a column for all names, also of more bytes than characters
    "$BANKSCOPE" check "$WORK/starter.cu" "$WORK/müller.cu" >"$WORK/stdout"
    test "$(sed -n '1,2s/.* \([0-9]* of [0-9]* goals\)/\1/p' "$WORK/stdout" | sort -u | wc -l)" = 1 &&
        grep -q '/starter[.]cu  6 of 7' "$WORK/stdout" && grep -q '/müller[.]cu   6 of 7' "$WORK/stdout"
}
ok "names of other letters stand in the same column" aligned
refuses "a folder that is not there" 1 "cannot read ../no-such-folder" "$BANKSCOPE" check "$WORK/in/crlf.cu" \
    --exercise ../no-such-folder
refuses "a folder without an exercise" 1 "has no exercise" "$BANKSCOPE" check "$WORK/in/crlf.cu" --exercise "$WORK/in/"
refuses "a file that is not there" 1 "cannot read" "$BANKSCOPE" check "$WORK/nothing.cu"
refuses "no file" 2 "which file" "$BANKSCOPE" check
refuses "a word" 2 "not a FILE.cu" "$BANKSCOPE" check stride
refuses "a seed that is none" 2 "seed" "$BANKSCOPE" check a.cu --seed x
finish
