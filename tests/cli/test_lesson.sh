#!/bin/sh
# Lessons: those that come with the program, the plain player, and lessons that are broken.
. tests/support/tap.sh

"$BANKSCOPE" help lesson >/dev/null 2>&1 || {
    skip "lessons" "this build has no cmark"
    finish
    exit
}

# ---- the lessons of the tree

run_it "$BANKSCOPE" lesson
ok "lesson lists the lessons" grep -Eq '^01-banks +about +[0-9]+ [+] +[0-9]+ minutes +[A-Z]' "$WORK/stdout"
cp "$WORK/stdout" "$WORK/list"

plays_for_a_lesson() {
    minutes=$(sed -n "s/^$1 *about *\([0-9]*\) .*/\1/p" "$WORK/list")
    echo "$1: $minutes minutes"
    [ "$minutes" -ge 10 ] && [ "$minutes" -le 20 ]
}
# What comes before a lesson stands before it, and each says what one will be able to do.
has_its_place() {
    sed -n 's/^after: //p' "$TREE/lessons/$1/lesson.md" | tr -d ' ' | tr ',' '\n' >"$WORK/after"
    while read -r before; do
        echo "$before before $1"
        [ -d "$TREE/lessons/$before" ] && [ "${before%%-*}" -lt "${1%%-*}" ] || return 1
    done <"$WORK/after"
    grep -c '^able: ' "$TREE/lessons/$1/lesson.md"
}
# Every quiz has an answer, every number in the text a value, every quotation its source.
answers_all() {
    "$BANKSCOPE" lesson --answers "$1" >"$WORK/answers" || return 1
    quizzes=$(grep -c '^```quiz' "$TREE/lessons/$1/lesson.md")
    answers=$(grep -Ec '^  = (-?[0-9]+|[a-f]\) .+)$' "$WORK/answers")
    echo "$quizzes quizzes, $answers answers"
    [ "$quizzes" -eq "$answers" ] && [ "$quizzes" -ge 4 ] &&
        [ "$(grep -c ": note: \(Common belief\|Time\|Ask next\): " "$WORK/answers")" -eq 3 ]
}
# No hint sends to a picture whose cells say nothing while the question is open.
hints_help() {
    ! awk '/^```quiz/ { hidden = 0; said = "" } /^hide:.*labels/ { hidden = 1 } /^(idea|if ).*picture/ { said = $0 }
        /^```$/ && hidden && said { print said; said = "" }' "$TREE/lessons/$1/lesson.md" | grep .
}
# Code in a lesson is quoted from a file, so that --answers compares it.
code_is_quoted() {
    ! grep -nE '^```c *$' "$TREE/lessons/$1/lesson.md"
}
# The window's text takes a third of 1280 pixels: what is wider would be broken, a drawing beyond recognition.
draws_narrowly() {
    ! sed -n '/^```text/,/^```$/p' "$TREE/lessons/$1/lesson.md" | grep -E '.{55}'
}
# What a student reads and edits: comments of the exercise, and the part.
exercise_is_narrow() {
    file=$TREE/lessons/$1/exercise.cu
    [ ! -e "$file" ] || ! { sed -n '/your part begins/,$p' "$file" && grep -E '^ *(/\*| \*)' "$file"; } | grep -E '.{81}'
}
has_notes() { # what a class believes, how long it takes, what to ask next
    for part in 'Common belief' Time 'Ask next'; do
        sed -n '/^```note/,/^```$/p' "$TREE/lessons/$1/lesson.md" | grep -q "^$part: ." || return 1
    done
}
plays_to_the_end() {
    yes h 2>/dev/null | "$BANKSCOPE" lesson "$1" >"$WORK/played" &&
        grep "^That is the end of the lesson" "$WORK/played" || grep "of . questions" "$WORK/played"
    ! grep -n '[{}]' "$WORK/played" && ! grep -n ' $' "$WORK/played" &&
        ! grep -v '^  \$ ' "$WORK/played" | awk 'length > 90' | grep .
}
programs=$(runs_programs && echo yes)
for folder in "$TREE"/lessons/[0-9]*/; do
    name=$(basename "$folder")
    if grep -q '^[a-z]*[.]cu' "$folder/lesson.md" && [ -z "$programs" ]; then
        skip "$name" "needs clang and libdw"
        continue
    fi
    ok "$name: every quiz has a computed answer" answers_all "$name"
    ok "$name: no hint sends to what its picture hides" hints_help "$name"
    ok "$name: takes a student 10 to 20 minutes to read" plays_for_a_lesson "$name"
    ok "$name: has its place" has_its_place "$name"
    ok "$name: quotes its code" code_is_quoted "$name"
    ok "$name: its drawings fit beside a picture" draws_narrowly "$name"
    ok "$name: its exercise fits a handout and an editor" exercise_is_narrow "$name"
    ok "$name: has notes for whoever teaches it" has_notes "$name"
    ok "$name: plays to the end" plays_to_the_end "$name"
done

# Numbers of the first lessons differ from student to student; each of them is right.
for name in 01-banks 02-strides 04-transpose 09-search; do
    drawn_for_all() {
        : >"$WORK/all_answers"
        for student in Ada Bob Cleo Dan Eve Fay Gus Hal Ida Jan; do
            "$BANKSCOPE" lesson --answers "$name" --student "$student" >"$WORK/answers" || return 1
            grep '^  = ' "$WORK/answers" | tr '\n' ' ' >>"$WORK/all_answers"
            echo >>"$WORK/all_answers"
        done
        sort -u "$WORK/all_answers"
        [ "$(sort -u "$WORK/all_answers" | wc -l)" -ge 3 ]
    }
    ok "$name: students have numbers of their own" drawn_for_all
done
ok "whose numbers they are is said" sh -c '"$1" lesson strides --student "Ada L" </dev/null |
    sed -n 4p | grep -x "Numbers drawn for Ada L\."' - "$BANKSCOPE"

ok "what the words mean" sh -c '"$1" lesson glossary | grep -x "lane: a thread within its warp" && "$1" lesson |
    grep "lesson glossary" && [ "$("$1" lesson glossary | grep -c "^[a-z, ]*: ")" -eq "$(grep -c "^- " "$2")" ]' - \
    "$BANKSCOPE" "$TREE/lessons/glossary.md"

all_on_paper() {
    "$BANKSCOPE" lesson --all -o "$WORK/all.pdf" && "$BANKSCOPE" lesson --all --slides -o "$WORK/all.pdf"
}
ok "all lessons can be printed" all_on_paper

# Lesson 12 quotes measured times, in the order of the table, rounded.
quotes_measured_times() {
    grep -o '[0-9][0-9.]* us' "$TREE/lessons/12-cf-merge/lesson.md" | sort >"$WORK/quoted"
    awk -F '\t' '$1 == "traced" && $3 ~ /^bare/ { printf "%.1f us\n", $4 }' \
        "$TREE/tests/data/h200-bench.tsv" | sort | diff - "$WORK/quoted"
}
ok "lesson 12 quotes the times that were measured" quotes_measured_times

quotes_the_librarys_times() {
    grep -o '[0-9][0-9.]* ms' "$TREE/lessons/$1/lesson.md" >"$WORK/quoted"
    awk -F '\t' '$2 == 65280000 && $1 ~ /^(random|worst|hardest)$/ { printf "%.2f ms\n", $3 }' \
        "$TREE/tests/data/h200-library-times.tsv" | diff - "$WORK/quoted"
}
ok "lesson 11 quotes the times that were measured" quotes_the_librarys_times 11-worst-case
ok "lesson 17 quotes the times that were measured" quotes_the_librarys_times 17-hardest

# Lesson 14 quotes the last launch of the colored sums, and lesson 15 whole sorts.
quotes_the_papers_times() {
    grep -oh '[0-9][0-9.]* ms' "$TREE/lessons/14-colored-scan/lesson.md" "$TREE/lessons/15-bcf-sort/lesson.md" >"$WORK/quoted"
    sums='colored-sums n=8388608 blocks=2112 variant'
    awk -F '\t' -v sums="$sums" '{ ms[$2 "|" $3] = $4 / 1000 }
        END {
            last = "last launch, median of 9"
            printf "%.3f ms\n", ms[sums "=naive colors=1|" last]
            printf "%.3f ms\n", ms[sums "=naive colors=16|" last]
            printf "%.3f ms\n", ms[sums "=conflict-free colors=16|" last]
            printf "%.3f ms\n", ms[sums "=naive colors=16|" last]
            printf "%.2f ms\n", ms["bcf-sort w=32 variant=diagonal blocks=512 pivots=off n=16777216|median of 9"]
            printf "%.2f ms\n", ms["thrust-sort u=512 E=15 order=library n=16777216|median of 9"]
        }' "$TREE/papers/h100-times.tsv" | diff - "$WORK/quoted"
}
ok "lessons 14 and 15 quote the times that were measured" quotes_the_papers_times
# Lesson 09 quotes times of doc/running-times.md, with 1024 keys.
quotes_times_of_searches() {
    grep -q '| predecessor-7 | 2 | 1024 | 28.5 | 12.0 |' "$TREE/doc/running-times.md" &&
        grep -q '28.5 ps per query and random queries 12.0' "$TREE/lessons/09-search/lesson.md"
}
ok "lesson 09 quotes the times that were measured" quotes_times_of_searches

# Lesson 07 quotes counts of tests/data/h200-counters.tsv.
quotes_counts() {
    counters=$TREE/tests/data/h200-counters.tsv lesson=$TREE/lessons/07-profiler/lesson.md
    awk -F '\t' '$1 == "reduce" && $2 ~ /u=1024 variant=interleaved/ { print $4, $5 }' "$counters" |
        sort -u | grep -x '641 383' && grep -q 'counts 641 loads' "$lesson" &&
        awk -F '\t' '$1 == "cf-merge" && $2 ~ /u=512 E=17/ && $3 == "random" { print $6, $7, $5 }' "$counters" |
        tr '\n' ' ' | grep '874 1796 1704 862 1784 1704 865 1787 1704' &&
        grep -q 'prints 874, 862 and 865 conflicts' "$lesson"
}
ok "lesson 07 quotes what was counted" quotes_counts
# Of each recipe loads and stores were counted; a surplus of wavefronts is other traffic.
counts_the_surplus() {
    grep -v '^#' "$TREE/tests/data/h200-counters.tsv" | awk -F '\t' '
        NR == 1 { next }
        { recipe[$1 FS $2 FS $3] }
        $7 > $5 { more["load" FS $1 FS $2 FS $3] }
        $11 > $9 { more["store" FS $1 FS $2 FS $3] }
        ($7 > $5 || $11 > $9) && match($2, / u=[0-9]+/) && substr($2, RSTART + 3, RLENGTH - 3) + 0 <= 32 { one++ }
        END { for (r in recipe) recipes++; for (m in more) mores++; print mores " of " 2 * recipes ", " one + 0 }' |
        grep -x '33 of 1102, 0' && grep -q 'In 33 of 1102 measured counts' "$TREE/lessons/07-profiler/lesson.md"
}
ok "and how often there was other traffic, with several warps only" counts_the_surplus
quotes_a_report() {
    sed -n '/^value  metric/,/^```/p' "$lesson" | awk '$1 ~ /^[0-9]+$/ { print $1 }' | tr '\n' ' ' >"$WORK/report"
    awk -F '\t' '$1 == "transpose" && $2 == "w=32 u=32 variant=naive" { print $4, $5, $6, $8, $9, $10 }' "$counters" |
        sort -u | tr '\n' ' ' | diff - "$WORK/report"
}
ok "and the report of a tile" quotes_a_report

# Lesson 06 quotes a layout that advise proposes.
quotes_advice() {
    grep -F -x "$(sed -n '/^```text/{n;p;}' "$TREE/lessons/06-own-kernel/lesson.md")" "$WORK/advice"
}
if [ "$programs" ]; then
    "$BANKSCOPE" advise "$TREE/lessons/06-own-kernel/plain.cu" 2>/dev/null | sed 's/^ *or write //' >"$WORK/advice"
    ok "lesson 06 quotes the advice that is given" quotes_advice
fi

# Where a recording has global memory alone, its sectors are drawn, as text too, and no empty banks.
draws_sectors() {
    yes h 2>/dev/null | "$BANKSCOPE" lesson coalescing | tr '\n' ' ' | tr -s ' ' >"$WORK/text"
    grep -q 'load of 32 lanes; words wanted of each sector: 8 8 8 8 ' "$WORK/text" &&
        grep -q '5 sectors of 32 bytes, 4 at least; words wanted of each sector: 7 8 8 8 1 ' "$WORK/text" &&
        ! grep -q ' 0 | | 1 | | 2 | | ' "$WORK/text"
}
[ -z "$programs" ] || ok "lesson 18 draws sectors, and no banks that nothing uses" draws_sectors

# Lesson 16 quotes the times of three sorts, and of two on the hardest input.
quotes_the_sorts_times() {
    grep -o '[0-9][0-9.]* ms' "$TREE/lessons/16-fast-sort/lesson.md" | sort >"$WORK/quoted"
    awk -F '\t' '{ rate[$2 "|" $3] = $4 }
        function show(input, n, sort) {
            printf "%.2f ms\n", n / rate["int32 " input " n=" n "|" sort] / 1000
        }
        END {
            show("random", 67108864, "this sort, median of 9")
            show("random", 67108864, "cub merge sort")
            show("random", 67108864, "cub radix sort")
            show("hardest", 17825792, "this sort, median of 9")
            show("hardest", 17825792, "cub merge sort")
        }' "$TREE/tests/data/h200-sort-bench.tsv" | sort | diff - "$WORK/quoted"
}
ok "lesson 16 quotes the times that were measured" quotes_the_sorts_times

# What lessons say beyond their own recordings.
random_accesses() { # WORDS: passes of a warp's reads of random words of so many
    sed "s/4 \* p.w/$1/; s/4 \* p->w/$1/; s/(size_t)p->w \* 4/(size_t)$1/; s/\"broadcast\"/\"mine\"/" \
        "$TREE/kernels/broadcast.cu" >"$WORK/mine.cu"
    "$BANKSCOPE" stats "$WORK/mine.cu" w=32 u=1024 pattern=random --by warp --csv |
        awk -F , '$1 == "read" { print $7 }' | sort -n >"$WORK/passes"
    [ "$(wc -l <"$WORK/passes")" -eq 32 ] && echo "$(head -n 1 "$WORK/passes") $(tail -n 1 "$WORK/passes")"
}
random_is_few() {
    for words in 16 32; do
        [ "$(random_accesses $words)" = "1 1" ] || return
    done
    for words in 128 1024 8192; do
        random_accesses $words
        random_accesses $words | awk '{ exit !($1 > 1 && $2 < 16) }' || return
    done
}
ok "lesson 03: random accesses take a few passes beyond one word a bank, and 1 up to it" random_is_few
hardest_for_each_warp() {
    for E in 2 5 7 8; do
        "$BANKSCOPE" stats thrust-merge w=16 u=32 E=$E order=library --input hardest --by warp --csv |
            awk -F , -v E=$E '$1 == "merge" { n++; bad += $7 != E * (E + 1) } END { exit !(n == 2 && !bad) }' || return
    done
}
ok "lesson 11: the hardest input takes E (E + 1) passes of each of two warps" hardest_for_each_warp

same_lesson() {
    "$BANKSCOPE" lesson "$1" </dev/null | diff - "$WORK/by_name"
}
"$BANKSCOPE" lesson 01-banks </dev/null >"$WORK/by_name"
for name in 01 1 banks; do
    ok "lesson $name is lesson 01-banks" same_lesson "$name"
done
# Former names mean the same lesson; what was kept under one is kept on.
former() { # NAME NOW
    [ -d "$TREE/lessons/$2" ] && "$BANKSCOPE" lesson "$1" </dev/null | head -n 1 >"$WORK/former" &&
        "$BANKSCOPE" lesson "$2" </dev/null | head -n 1 | diff "$WORK/former" -
}
for names in 04-wide:08-wide 05-merge:10-merge 06-worst-case:11-worst-case 07-cf-merge:12-cf-merge \
    08-transpose:04-transpose 09-sums:05-sums 11-profiler:07-profiler 12-search:09-search \
    14-bcf-sort:14-colored-scan 15-fast-sort:16-fast-sort 16-hardest:17-hardest; do
    ok "${names%:*} is ${names#*:} now" former "${names%:*}" "${names#*:}"
done
kept=$XDG_STATE_HOME/bankscope/lessons
mkdir -p "$kept"
echo 3 >"$kept/05-merge"
ok "progress under a former name counts" sh -c '"$1" lesson | grep "^10-merge *page 3 of"' - "$BANKSCOPE"
printf 'attempt Ada\n1 %s 1763774000 b\n' 00000000 >"$kept/05-merge.answers"
ok "answers, too" sh -c '"$1" lesson merge --csv - | grep "^\"10-merge\",\"Ada\",1,1,"' - "$BANKSCOPE"
rm -r "$XDG_STATE_HOME/bankscope"
refuses "an unknown lesson names the nearest" 1 "no lesson 'bansk'.*'banks'" "$BANKSCOPE" lesson bansk
refuses "an unknown number is refused" 1 "no lesson '99'" "$BANKSCOPE" lesson 99
refuses "one lesson at a time" 2 "one lesson" "$BANKSCOPE" lesson 1 2

# ---- the player, on a lesson of this test's own

mkdir -p "$WORK/no-lessons/lessons"
ln -s "$TREE/instrument" "$TREE/kernels" "$WORK/no-lessons"
refuses "no lessons" 1 'lessons holds no lesson' env BANKSCOPE_DATA="$WORK/no-lessons" "$BANKSCOPE" lesson
mkdir -p "$WORK/data/lessons/07-own"
ln -s "$TREE/instrument" "$TREE/kernels" "$WORK/data"
lesson=$WORK/data/lessons/07-own/lesson.md
export BANKSCOPE_DATA="$WORK/data"

cat >"$lesson" <<'END'
# A test

## First page

Some *plain* text with `code {1}` and {1 + 1} numbers, long enough to have to be broken somewhere on this line.

```run six
stride -p w=6 -p u=6 -p s=3
show stage=read
```

- item {s}

```quiz
How many passes?
= passes(read)
if 5: That is one of {passes(read)}.
idea: Look at bank 0.
because: It is gcd({w}, {s}) = {gcd(w, s)}.
```

## Second page

```quiz
Which?
- this => 1 > 2
- that => 2 > 1
```
END
printf '5\n3\nb\n' >"$WORK/typed"
cat >"$WORK/wanted" <<'END'
A test
3 minutes, estimated from its length

== First page

Some plain text with code {1} and 2 numbers, long enough to have to be broken
somewhere on this line.

  $ bankscope run stride -p w=6 -p u=6 -p s=3
  six (stride)
  read, round 0
  0 | 0  2  4 |
  1 |         |
  2 |         |
  3 | 1  3  5 |
  4 |         |
  5 |         |
  cells: the thread that uses the word; left: the bank

  - item 3

? How many passes?
  a number (h: a hint) > 5
  5: not so. That is one of 3.
  a number (h: a hint) > 3
  3: right. It is gcd(6, 3) = 3.

  six (stride)
  read, round 0: 3 passes, 2 conflicts
  0 | 0! 2! 4!| 3
  1 |         |
  2 |         |
  3 | 1! 3! 5!| 3
  4 |         |
  5 |         |
  cells: the thread that uses the word, !: conflict; left: the bank; right: the
  words that it serves
  bank 0: words 0, 6, 12 for threads 0, 2, 4: three passes

== Second page

? Which?
  a) this
  b) that
  a letter (h: the answer) > b
  b) that: right.


1 of 2 questions right at once. That is the end of the lesson.
END
transcript() {
    "$BANKSCOPE" lesson own --text <"$WORK/typed" | diff "$WORK/wanted" -
}
ok "a whole lesson, word for word" transcript

says() {
    printf "$1" | "$BANKSCOPE" lesson own >"$WORK/said" && grep -e "$2" "$WORK/said"
}
ok "a nudge, the idea, then the answer" says '5\n6\n7\n\n' '7: not so. The answer is 3'
ok "the idea comes second" says '5\n6\nq\n' '6: not so. Look at bank 0.'
ok "where no nudge is made for it, at once" says '6\nq\n' '6: not so. Look at bank 0.'
ok "an empty line gives nothing away" says '\n\n\n\nq\n' 'Type a whole number'
ok "h: the idea" says 'h\nq\n' '^  Look at bank 0'
ok "h again: the answer" says 'h\nh\n' '^  The answer is 3'
ok "no idea: h tells the answer" says '3\nh\n' '^  The answer is b) that'
ok "of two choices one is left" says '3\na\n' '^  a: not so. The answer is b) that'
words_cost_no_try() {
    printf 'five\n5 banks\n\n6\nsix\n7\n3\n' | "$BANKSCOPE" lesson own | grep -c '3: right' &&
        ! printf 'five\n3\nb\n' | "$BANKSCOPE" lesson own | grep '1 of 2 questions'
}
ok "what is no number uses up no try" words_cost_no_try
ok "no number: asked again" says 'three\n3\n\n' 'Type a whole number'
ok "no letter: asked again" says '3\nbe\nb\n' 'Type one of the letters a to b'
ok "a letter out of range is none" says '3\nc\nb\n' 'Type one of the letters a to b'
ok "q leaves" says 'q\n' '^Until next time'
ok "the end of the input is polite" says '' '^Until next time'
ok "a full score is counted" says '3\nb\n' '^2 of 2 questions right at once'
nothing_but_zeros() {
    timeout 20 head -c 3000000 /dev/zero | timeout 20 "$BANKSCOPE" lesson own >/dev/null
}
ok "a line without end is no answer and no hang" nothing_but_zeros
ok "--answers prints the answers" sh -c '"$BANKSCOPE" lesson --answers own | grep "= b) that"'

# A folder anywhere.
mkdir "$WORK/my lesson"
cp "$lesson" "$WORK/my lesson"
anywhere() {
    (cd "$WORK" && "$BANKSCOPE" lesson "$1" --text <"$WORK/typed" | diff "$WORK/wanted" -)
}
ok "a folder of one's own" anywhere "$WORK/my lesson"
ok "by a relative path" anywhere "./my lesson/"
refuses "a folder that is not there" 1 "cannot read ./none: No such file" "$BANKSCOPE" lesson ./none
refuses "a folder without a lesson" 1 "cannot read .*/lesson.md: No such file" \
    "$BANKSCOPE" lesson --answers "$WORK/data/"
ok "its answers" sh -c '"$BANKSCOPE" lesson --answers "$1/my lesson" | grep "^my lesson, line"' - "$WORK"

# ---- numbers that are drawn, notes for the teacher

mkdir "$WORK/drawn"
cat >"$WORK/drawn/lesson.md" <<'END'
# Drawn

```draw
s = 2..11
n = 4, 8, 16
k = gcd(12, s)
```

## Page

<!-- for the author -->

The stride is {s}, n is {n}, the divisor {k}. <!-- me too -->

9. Look at {s}.

   Look twice.
10. Divide by {k}.

- Then go on.

```note
Ask: why {k}?

Then wait.
```

```run walk
stride w=12 u=12 s={s}
```

```quiz
How many passes does a stride of {s} take?
= passes(read)
hide: nothing
```
END
drawn() { "$BANKSCOPE" lesson "$WORK/drawn" "$@" </dev/null; }
ok "nobody's numbers are the first" sh -c '"$BANKSCOPE" lesson "$1" --text </dev/null |
    grep "stride is 2, n is 4, the divisor 2\."' - "$WORK/drawn"
drawn --text --student 'Ada Lovelace' >"$WORK/ada"
same_numbers() { drawn --text --student '  ada   LOVELACE ' | sed '3s/  ada   LOVELACE /Ada Lovelace/' | diff "$WORK/ada" -; }
ok "a student's numbers are the same, however the name is typed" same_numbers
ok "the command has them, too" sh -c 's=$(sed -n "s/^The stride is \([0-9]*\).*/\1/p" "$1") &&
    grep "bankscope run stride w=12 u=12 s=$s$" "$1" && grep "stride of $s take" "$1"' - "$WORK/ada"
right_for_ada() {
    s=$(sed -n 's/^The stride is \([0-9]*\).*/\1/p' "$WORK/ada")
    k=$(sed -n 's/.*divisor \([0-9]*\).*/\1/p' "$WORK/ada")
    echo "gcd(12, $s) is $k?"
    echo "$k" | "$BANKSCOPE" lesson "$WORK/drawn" --student 'Ada Lovelace' | grep "$k: right" &&
        [ $((12 % k)) -eq 0 ] && [ $((s % k)) -eq 0 ]
}
ok "answers are computed from them" right_for_ada
differ() {
    for student in Bob Cleo Dan Eve Fay Gus; do drawn --text --student "$student"; done |
        grep 'The stride' | sort -u | tee "$WORK/different"
    [ "$(wc -l <"$WORK/different")" -ge 4 ]
}
ok "students' numbers differ" differ
ok "students do not see notes" sh -c '! grep -e "Ask" -e author -e "me too" "$1"' - "$WORK/ada"
drawn --answers >"$WORK/said"
ok "teachers do" grep -qx 'drawn, line 23: note: Ask: why 2?' "$WORK/said"
ok "a paragraph each" grep -qx 'drawn, line 25: note: Then wait.' "$WORK/said"

# ---- on paper

words_of() { # FILE.pdf ARGUMENT...: what the pages say, on one line
    pdf=$WORK/$1
    shift
    "$BANKSCOPE" lesson "$WORK/drawn" -o "$pdf" "$@" && pdftotext -raw "$pdf" - | tr -s ' \n\f' ' ' >"$WORK/words"
}
has() { grep -qF -e "$1" "$WORK/words"; }
steps_numbered() { # each number before its step
    has '9. Look at 2. Look twice. 10. Divide by 2. '
}
lacks() { ! grep -F -e "$1" "$WORK/words"; }
if have pdftotext pdfinfo; then
    ok "a handout" words_of handout.pdf
    ok "has the question" has '1. How many passes does a stride of 2 take? Answer: ____'
    ok "not its answer" lacks 'Answer: 2'
    ok "nor the notes" lacks 'why 2?'
    ok "and its steps their numbers" steps_numbered
    ok "and room for a name" has 'Name: ____'
    ok "the teacher's copy" words_of copy.pdf --answers
    ok "has the answer" has 'Answer: 2'
    ok "and the notes" has 'Ask: why 2?'
    ok "slides" words_of slides.pdf --slides
    ok "have numbered steps" steps_numbered
    ok "ask before they answer" grep -Eq 'stride of 2 take\? .*stride of 2 take\? .*Answer: 2' "$WORK/words"
    ok "without notes" lacks 'why 2?'
    ok "are wide" sh -c 'pdfinfo "$1" | grep "Page size: *960 x 540"' - "$WORK/slides.pdf"
    ok "a student's handout" words_of ada.pdf --student 'Ada L'
    ok "is this student's" has 'Name: Ada L'
else
    skip "paper" "needs poppler-utils"
fi
# A folder to publish.
refuses "an autograder for nothing" 2 "is for one lesson" "$BANKSCOPE" lesson --autograder "$WORK/x"
refuses "a folder that cannot be made" 1 "cannot make .*/none/x" "$BANKSCOPE" lesson "$WORK/drawn" --publish "$WORK/none/x"
if env -u BANKSCOPE_DATA "$BANKSCOPE" export stride -o "$WORK/page.html" 2>/dev/null; then
    says_cells() { # what is in the pictures, for who does not see them, and the words
        env -u BANKSCOPE_DATA "$BANKSCOPE" lesson strides -o "$WORK/strides.html" || return 1
        grep -o 'alt="stride: read, round 0: [^"]*"' "$WORK/strides.html" >"$WORK/alt"
        grep -q '; bank 5: word 65 for thread 5; bank 6: word 78 for thread 6; ' "$WORK/alt" &&
            grep -q 'alt="stride: read, round 0; bank 0: a word; bank 1: a word' "$WORK/strides.html" &&
            grep -q '<dt>lane</dt><dd>a thread within its warp</dd>' "$WORK/strides.html"
    }
    ok "a page says what is in its pictures, and what words mean" says_cells
    dedents() {
        env -u BANKSCOPE_DATA "$BANKSCOPE" lesson own-kernel -o "$WORK/own-kernel.html" &&
            grep -q '^<pre><code>__shared__ float tile' "$WORK/own-kernel.html"
    }
    [ -z "$programs" ] || ok "code in a page begins at its left" dedents
    # Pictures are in base 64; two of one kernel have the lesson's names in their titles.
    titles() {
        grep -o 'base64,[^"]*' "$WORK/own-kernel.html" | while IFS=, read -r _ picture; do
            echo "$picture" | base64 -d | grep -o 'turn ([a-z]*)'
        done | uniq | tr '\n' ' ' | grep -x 'turn (plain) turn (mended) '
    }
    [ -z "$programs" ] || ok "two pictures of one kernel are told apart in a page" titles
    publishes() {
        env -u BANKSCOPE_DATA "$BANKSCOPE" lesson strides --publish "$WORK/public" || return 1
        (cd "$WORK/public" && echo *) | grep -x '02-strides.cu 02-strides.html 02-strides.pdf index.html' &&
            for file in html pdf cu; do grep -q "href=\"02-strides.$file\"" "$WORK/public/index.html" || return 1; done
        grep -q '<dt>lane</dt>' "$WORK/public/index.html" && grep -q '<a href="index.html">All lessons</a>' "$WORK/public/02-strides.html"
    }
    ok "a folder to publish" publishes
    ok "what comes before is a link there" grep -q 'Before this lesson: <a href="01-banks.html">01-banks</a>' \
        "$WORK/public/02-strides.html"
    ok "and again" publishes
    echo mine >"$WORK/public/index.html"
    refuses "but not over another's index" 1 "index.html is there and was not made by Bankscope" \
        env -u BANKSCOPE_DATA "$BANKSCOPE" lesson strides --publish "$WORK/public"
else
    skip "a folder to publish" "needs the page"
fi

# Questions for Moodle, as GIFT.
gift() { "$BANKSCOPE" lesson "$WORK/drawn" -o "$WORK/drawn.gift" "$@" && cat "$WORK/drawn.gift"; }
has_question() {
    gift && grep -Fq '::drawn 1::[html]<pre>stride w\=12 u\=12 s\=2\nread, round 0' "$WORK/drawn.gift" &&
        grep -Fq '<p>How many passes does a stride of 2 take?</p>{#' "$WORK/drawn.gift" &&
        grep -qx '=2:0' "$WORK/drawn.gift" && ! grep -q "$(printf '\033')" "$WORK/drawn.gift"
}
ok "questions for Moodle, with the computed answer" has_question
for_ada() {
    s=$(sed -n 's/^The stride is \([0-9]*\).*/\1/p' "$WORK/ada")
    gift --student 'Ada Lovelace' | grep -F "a stride of $s take?"
}
ok "and a student's numbers" for_ada
gift_of_lessons() { # as many questions as there are; braces that mean something pair
    for which in strides banks; do
        env -u BANKSCOPE_DATA "$BANKSCOPE" lesson $which -o "$WORK/of.gift" || return 1
        [ "$(grep -c '^::' "$WORK/of.gift")" -eq "$(grep -c '^```quiz' "$TREE"/lessons/*-$which/lesson.md)" ] &&
            sed 's/\\.//g' "$WORK/of.gift" | awk '{ open += gsub(/{/, "x"); shut += gsub(/}/, "x") }
                END { print open, shut; exit open != shut || !open }' || return 1
    done
}
ok "all questions of a lesson" gift_of_lessons
wide_gift() {
    env -u BANKSCOPE_DATA "$BANKSCOPE" lesson profiler -o "$WORK/wide.gift" && ! grep -q 'wider line' "$WORK/wide.gift"
}
ok "a picture of 32 banks is whole" wide_gift
echo mine >"$WORK/mine.gift"
refuses "a file of another's stays" 1 "was not made by Bankscope" \
    "$BANKSCOPE" lesson "$WORK/drawn" -o "$WORK/mine.gift"
ok "steps keep their numbers in the terminal" sh -c '"$BANKSCOPE" lesson "$1" --text </dev/null |
    tr "\n" "|" | grep -F "  9. Look at 2.|    Look twice.|  10. Divide by 2.|  - Then go on."' - "$WORK/drawn"
steps_on_a_page() {
    "$BANKSCOPE" lesson "$WORK/drawn" -o "$WORK/drawn.html" || return 1
    tr '\n' ' ' <"$WORK/drawn.html" | grep -Fo '<ol> <li value="9">Look at 2. <p>Look twice.</p> <li value="10">Divide by 2. </ol> <ul> <li>Then go on. </ul>'
}
if "$BANKSCOPE" export stride -o "$WORK/page.html" 2>"$WORK/stderr"; then
    ok "and on a web page" steps_on_a_page
else
    skip "steps on a web page" "$(cat "$WORK/stderr")"
fi
mkdir "$WORK/zero"
printf '# A\n\n## B\n0. none\n' >"$WORK/zero/lesson.md"
refuses "a list that begins with 0" 1 "lesson.md:4: a numbered list begins with 1 or more" \
    "$BANKSCOPE" lesson --answers "$WORK/zero"
refuses "a format that lessons are not written in" 2 "must end in .html .*, .pdf .*, .cu" \
    "$BANKSCOPE" lesson "$WORK/drawn" -o x.doc
refuses "slides that are no PDF" 2 "written as PDF" "$BANKSCOPE" lesson "$WORK/drawn" --slides -o x.html
refuses "paper in a folder that is not there" 1 "/none/x.pdf" \
    "$BANKSCOPE" lesson "$WORK/drawn" -o "$WORK/none/x.pdf"
if [ -c /dev/full ]; then
    ln -s /dev/full "$WORK/full.pdf"
    refuses "a handout on a full disk" 1 'cannot write .*full.pdf: No space' \
        "$BANKSCOPE" lesson "$WORK/drawn" -o "$WORK/full.pdf"
fi

# ---- doc/teaching.md: its lesson and its exercise are complete

mkdir "$WORK/padding"
(cd "$WORK" && awk '/^`padding\/.*`:$/ { f = $1; gsub(/[`:]/, "", f); next }
    /^~~~~$/ { on = !on; next }
    on && f { print >f }' "$TREE/doc/teaching.md")
ok "the guide's lesson is right" "$BANKSCOPE" lesson --answers "$WORK/padding"
ok "for each student" "$BANKSCOPE" lesson --answers "$WORK/padding" --student Bob
refuses "a lesson without exercise has no copy" 1 "has no exercise" \
    "$BANKSCOPE" lesson "$WORK/drawn" -o "$WORK/x.cu"
# copy STUDENT FILE: fills in a copy, with the number that the lesson draws for STUDENT
copy() {
    "$BANKSCOPE" lesson "$WORK/padding" --student "$1" -o "$WORK/$2" || return 1
    row=$("$BANKSCOPE" lesson "$WORK/padding" --student "$1" --text </dev/null |
        sed -n 's/.*Each row has \([0-9]*\) words.*/\1/p')
    grep -q "^#define row $row " "$WORK/$2" || { grep define "$WORK/$2"; echo "wanted: $row"; return 1; }
    sed -i "s/return row \* r + c;/return $((row + 1)) * r + c;/" "$WORK/$2"
}
marks() { # FILE ARGUMENT...: its points
    file=$WORK/$1
    shift
    env -u BANKSCOPE_DATA "$BANKSCOPE" check "$file" --exercise "$WORK/padding" \
        --json "$WORK/marks.json" "$@" >"$WORK/marks" 2>&1
    sed -n 's/.*"points":\([0-9]*\),"of":\([0-9]*\),.*/\1 of \2/p' "$WORK/marks.json"
}
ok "a copy of the exercise has a student's numbers" copy 'Ada Lovelace' ada.cu
ok "another student's has others" sh -c 'for student in Bob Cleo Dan Eve Fay Gus; do
    "$BANKSCOPE" lesson "$1/padding" --student $student -o "$1/x.cu" && grep "#define row" "$1/x.cu"
    done | sort -u | tee "$1/rows" && [ "$(wc -l <"$1/rows")" -ge 2 ]' - "$WORK"
ok "the copy is graded with these numbers" test "$(marks ada.cu)" = "1 of 1"
ok "somebody else's answer is not right" test "$(marks ada.cu --student "$(
    row=$(grep '#define row' "$WORK/ada.cu")
    for student in Bob Cleo Dan Eve Fay Gus; do
        "$BANKSCOPE" lesson "$WORK/padding" --student $student -o "$WORK/x.cu"
        grep -qxF "$row" "$WORK/x.cu" || { echo $student; break; }
    done)")" = "0 of 1"

# ---- while it is written

checks_again() {
    cp -r "$WORK/drawn" "$WORK/watched"
    "$BANKSCOPE" lesson "$WORK/watched" --watch --answers >"$WORK/watch" &
    watcher=$!
    eventually grep -q '^all is well' "$WORK/watch" &&
        sed -i 's/passes(read)/pases(read)/' "$WORK/watched/lesson.md" &&
        eventually grep -q "lesson.md:.*did you mean 'passes'" "$WORK/watch"
    checked=$?
    kill $watcher
    wait $watcher 2>/dev/null
    return $checked
}
ok "--watch checks what is saved" checks_again
refuses "--watch needs a lesson" 2 "lesson's folder" "$BANKSCOPE" lesson --watch

# Progress, at a terminal: what comes from a pipe is no student's.
ok "a pipe leaves no progress" test ! -e "$XDG_STATE_HOME/bankscope"
at_terminal() { # TYPED ARGUMENT...: plays as text at a terminal, where TYPED is typed
    typed=$1
    shift
    printf "$typed" | script -qec "$BANKSCOPE lesson own --text $*" /dev/null >"$WORK/said"
}
if have script; then
    ok "at a terminal" at_terminal '3\n\nq\n'
    ok "the page is kept" grep -qx 2 "$XDG_STATE_HOME/bankscope/lessons/07-own"
    ok "the next time" at_terminal 'b\n'
    ok "it goes on there" grep -q "Going on with page 2 of 2" "$WORK/said"
    ok "without the page before" sh -c '! grep "First page" "$1"' - "$WORK/said"
    ok "then it is done" grep -qx "2 done" "$XDG_STATE_HOME/bankscope/lessons/07-own"
    results() { "$BANKSCOPE" lesson own --csv - >"$WORK/results" && cat "$WORK/results"; }
    ok "what was answered can be had as a table" results
    ok "a line for each question, over both days" test "$(cut -d , -f 3-9 "$WORK/results")" = 'attempt,question,verdict,wrong,hint,answers,right
1,1,right at once,0,no,"3","3"
1,2,right at once,0,no,"b","b) that"'
    ok "with the time" grep -Eq '"b\) that",20[0-9]{2}-[0-9-]*T[0-9:]*Z,"Which\?"$' "$WORK/results"
    ok "what is done begins anew" at_terminal 'q\n'
    ok "with its first page" grep -q "First page" "$WORK/said"
    echo 2 >"$XDG_STATE_HOME/bankscope/lessons/07-own"
    ok "--restart" at_terminal 'q\n' --restart
    ok "begins anew, too" grep -q "First page" "$WORK/said"
    echo 1 >"$XDG_STATE_HOME/bankscope/lessons/07-own"
    ok "an attempt of somebody else's" at_terminal '5\nq\n' "--student 'Eve \"=1'"
    ok "is gone on with, without the name" at_terminal 'six\nh\n3\n\nh\n'
    ok "has its earlier answers" grep -q '5: not so. That is one of 3' "$WORK/said"
    ok "and a score of all" grep -q '0 of 2 questions right at once' "$WORK/said"
    ok "the table" results
    ok "keeps both attempts" test "$(sed -n '4,$s/,20[0-9TZ:-]*,.*//p' "$WORK/results")" = '"07-own","Eve ""=1",2,1,right,1,yes,"5; h; 3","3"
"07-own","Eve ""=1",2,2,told,0,yes,"h","b) that"'
    sed -i 's/^How many passes?/How many passes, then?/' "$lesson"
    ok "another question" results
    ok "is open again" grep -q ',2,1,open,0,no,"","3",,"How many passes, then?"' "$WORK/results"
    sed -i 's/^How many passes, then?/How many passes?/' "$lesson"
    printf 'attempt\n9 x\n1 zz 5\n\n1 00000000 1 3\nattempt\n' >"$XDG_STATE_HOME/bankscope/lessons/07-own.answers"
    echo 1 >"$XDG_STATE_HOME/bankscope/lessons/07-own"
    ok "nonsense is no trouble" results
    ok "and no answer" test "$(grep -c ',open,' "$WORK/results")" = 4
else
    skip "progress at a terminal" "needs script"
fi

# ---- broken lessons: one line each, with file and line

# broken PAGE NAME PATTERN: PAGE, a format of printf, begins in line 5.
broken() {
    # shellcheck disable=SC2059
    printf "# T\n\n## P\n\n$1" >"$lesson"
    shift
    refuses "$1" 1 "07-own/lesson.md:?[0-9]*:? ?.*$2" "$BANKSCOPE" lesson --answers own
}
run_five='```run five\nstride -p w=12 -p u=12 -p s=5\n```\n'
broken '{passes(read)}\n' "an expression without a recording" "5: .*recording"
broken "$run_five"'\n{pases(read)}\n' "an unknown function" "9: .*did you mean 'passes'"
broken '{1 + \n' "an open brace" "5: .*without its"
broken '```quiz\nq\n```\n' "a quiz without an answer" "5: .*needs either"
broken '```quiz\n= 1\n```\n' "a quiz without a question" "5: .*no question"
broken '```quiz\nq\n- a => 1\n- b => 1\n```\n' "two right choices" "5: .*2 of the quiz"
broken '```quiz\nq\n- a => 0\n- b => 0\n```\n' "no right choice" "5: .*0 of the quiz"
broken '```quiz\nq\n- a\n- b => 0\n```\n' "a choice without a condition" "7: .*TEXT => COND"
broken '```quiz\nq\n= 1\nif 1: x\n```\n' "a nudge for the right answer" "5: .*for the right answer"
broken '```quiz\nq\n= 1\nif 3: x\nif 2 + 1: y\n```\n' "two nudges for one answer" "'2 . 1' is never said: that for '3' is"
broken '```quiz\nq\n= 1\nif x+: x\n```\n' "a nudge for nothing" '5: .*"x."'
broken '```quiz\nq\n= 1\nif 2\n```\n' "a nudge without a text" "8: .*if ANSWER: TEXT"
broken '```quiz\nq\n- a => 0\n- b => 1\nif c: x\n```\n' "a nudge for no choice" "5: .*'c'"
broken '```quiz\nq\n= 1\nidea: {x}\n```\n' "an idea without its number" "5: .*recording"
broken '```quiz\nq\n= 1\nhide: colors\n```\n' "nothing that can be hidden" "8: .*'colors'.*'colours'"
broken '```quiz\nq\n= 1/0\n```\n' "a division by zero" "5: .*division by zero"
broken '```run\nstride\n```\n' "a run without a label" "5: .*needs a label"
broken '```run a\n-p w=3\n```\n' "a run without a kernel" "6: .*needs a kernel"
broken '```run a\nstrid\n```\n' "a run of no kernel" "5: .*did you mean 'stride'"
broken '```run a\nstride -p w=0\n```\n' "a parameter out of range" "5: .*w is 0"
broken '```run a\nstride -o x\n```\n' "an option of another kind" "6: .*-o x"
broken '```run a\nstride\nshow stage=raed\n```\n' "no such stage" "5: .*no stage 'raed'"
broken '```run a\nstride\nshow round=7\n```\n' "no such round" "5: .*nothing was recorded"
broken '```run a\nstride\nshow rund=7\n```\n' "no such thing to show" "7: .*'rund'.*mean 'round'"
broken '```run a\nstride\nshow beside=b\n```\n' "nothing to put beside" "5: .*'b'"
broken "$run_five$run_five" "two runs on a page" "8: .*one recording"
broken "$run_five\n## Q\n\n$run_five" "a label twice" "11: .*taken"
broken '```c kernels/stride.cu\nint x;\n```\n' "a false quotation" "5: .*not in kernels/stride.cu"
broken '```c ../other.c\nint x;\n```\n' "a quotation from outside" "5: .*may lie anywhere"
broken '```c kernels/../../x.c\nint x;\n```\n' "a quotation that goes up" "5: .*may lie anywhere"
broken '```c /etc/passwd\nroot\n```\n' "a quotation from anywhere" "5: .*may lie anywhere"
ln -s /etc "$WORK/data/lessons/07-own/etc"
broken '```c etc/passwd\nroot\n```\n' "a quotation by way of a link" "5: .*'etc' is not among"
broken '```c lessons/07-own/etc/passwd\nroot\n```\n' "a link in the tree" "5: .*outside"
broken '```run a\n../x.cu\n```\n' "a kernel file from outside" "5: .*may lie anywhere"
broken '```run a\n/x.cu\n```\n' "a kernel file from anywhere" "5: .*may lie anywhere"
broken '```run a\netc/x.cu\n```\n' "a kernel file that is not there" "5: .*No such file"
rm "$WORK/data/lessons/07-own/etc"
broken '```quizz\nq\n= 1\n```\n' "an unknown block" "5: .*no block called 'quizz'; .*'quiz'"
broken '```run a b\nstride\n```\n' "a block of too many words" "5: .*one word more at most"
broken '```quiz a\nq\n= 1\n```\n' "a quiz with a name" "5: .*has no name"
broken '```quiz\na `q\n= 1\n```\n' "half of a code" "5: .*without its other"
broken '```draw\ns 3..9\n```\n' "a number without =" "6: .*NAME = LOWEST"
broken '```draw\ns = 3..9\ns = 4\n```\n' "a number that is drawn twice" "7: .*'s' .*line 6"
broken '```draw\ns = 9..3\n```\n' "a range without numbers" "6: .*9..3"
broken '```draw\ns = 3..\n```\n' "a range without end" "6: .*end came too soon"
broken '```draw\ns = 3, x\n```\n' "a choice that is no number" "6: .*x needs a recording"
broken '```draw\ns = 0..9000000000000000000\n```\n' "a range without end" "6: .*1000000 numbers"
broken '```draw x\ns = 1\n```\n' "draw with a name" "5: .*no name"
broken '```about x\n```\n' "about with a name" "5: about has no name, and stands above"
broken '```about\nafter: 01-banks\n```\n' "about on a page" "5: about has no name, and stands above"
broken '```note x\ns\n```\n' "a note with a name" "5: .*no name"
broken '```note\n{1 +}\n```\n' "a note with half an expression" "6: .*too soon"
broken '```run a\nstride w={q}\n```\n' "a run of a number that is not drawn" "5: .*q needs"
broken '```run a\nstride w={-1}\n```\n' "a run of a wrong number" "5: .*w is -1"
broken 'a <b>c</b>\n' "HTML" "5: HTML is not shown"
broken '<p>\nx\n</p>\n' "HTML in blocks" "5: HTML is not shown"
broken '<!-- x --> <b>\n' "HTML behind a comment" "5: HTML is not shown"
broken 'a ![b](c.png)\n' "an image" "5: images are not shown"
broken '\000\377\001{\n' "binary" "5: "

# above LINES PATTERN: what stands above the first page.
above() {
    printf '# T\n\n```about\n%b\n```\n\n## P\n\nx\n' "$1" >"$lesson"
    refuses "about: $1" 1 "07-own/lesson.md:$2" "$BANKSCOPE" lesson --answers own
}
above 'abel: x' '4: expected .after:. or .measured:. once, .able:. or .exercise:., not .abel: x'
above 'exercise: 0' "4: the exercise's minutes are '0'"
above 'after: 06-none' " after: there is no lesson '06-none'"
above 'after: 07-own\nafter: 07-own' '5: expected .after:. or'
for wrong in '24 students' '18' '18,' '0, us' '18 + 0, us' '601, us' '18 + x, us'; do
    above "measured: $wrong" '4: measured is .MINUTES, WITH WHOM'
done
above 'measured: 18 + 30, us' '4: measured has minutes of an exercise, and there is none'
printf '# T\n\n```about\nmeasured: 18, 24 students, <b>2027</b>\n```\n\n## P\n\nx\n' >"$lesson"
ok "minutes that were measured" sh -c '"$BANKSCOPE" lesson own | grep -Fx "18 minutes (measured: 24 students, <b>2027</b>)"'
ok "in the list" sh -c '"$BANKSCOPE" lesson | grep "^07-own  *about 18 minutes"'
cp "$TREE"/lessons/02-strides/exercise.* "${lesson%/*}"
above 'measured: 18, us' '4: measured lacks the minutes of the exercise'
printf '# T\n\n```about\nexercise: 7\nmeasured: 1 + 30, us\n```\n\n## P\n\nx\n' >"$lesson"
ok "those of the exercise go before what the author thinks" sh -c '"$BANKSCOPE" lesson own | grep -Fx "1 minute, and 30 for the exercise (measured: us)"'
# 300 words more, of which 75 are read in half a minute; a line of code takes as long.
printf '# T\n\n## P\n\nx\n' >"$lesson"
cp "$TREE"/lessons/02-strides/grading.cu "${lesson%/*}"
said() {
    "$BANKSCOPE" lesson own | sed -n 's/^1 minute, .*, and \([0-9]*\) for the exercise.*/\1/p'
}
before=$(said)
yes '// word' | head -n 150 >>"${lesson%/*}/exercise.cu"
after=$(said)
ok "an exercise takes as long as there is to read, and to write" test "$before $after" = "4 6"
awk '/your part ends/ { print "/* without end"; for (i = 0; i < 20; i++) print "x;" } 1' \
    "$TREE/lessons/02-strides/exercise.cu" >"${lesson%/*}/exercise.cu"
ok "... what stands behind a comment that does not end, too" test "$(said)" = 14
rm "${lesson%/*}"/exercise.* "${lesson%/*}/grading.cu"
printf '# T\n\n```about\nafter: 07-own\nable: see\nable: hear\nexercise: 7\n```\n\n## P\n\nx\n' >"$lesson"
ok "what stands above the first page" sh -c '"$BANKSCOPE" lesson own | tr "\n" "|" |
    grep "T|1 minute, estimated from its length, and 7 for the exercise, its author.s|estimate||Before this lesson: 07-own||After this lesson you can||  - see|  - hear||== P"'

# quiz LINES: a question of so many lines of brackets.
quiz() {
    printf '# T\n\n## P\n\n```quiz\n'
    yes '[' | head -n "$1"
    printf '= 1\n```\n'
}
quiz 5000 >"$lesson"
refuses "a question without end" 1 ":[0-9]*: .*longer than 1200 bytes" "$BANKSCOPE" lesson own
{
    printf '# T\n\n## P\n\n'
    head -c 900000 /dev/zero | tr '\0' '['
} >"$lesson"
refuses "a lesson of brackets" 1 "larger than 256 kB" timeout 10 "$BANKSCOPE" lesson own
printf '# T\n\n## P\n\na\033[31mb\n' >"$lesson"
no_escape() {
    "$BANKSCOPE" lesson own | grep -q 'a \[31mb' && ! "$BANKSCOPE" lesson own | grep "$(printf '\033')"
}
ok "a lesson cannot give orders to the terminal" no_escape
printf '# A `t`\n\n## P\n\nOne word.\n' >"$lesson"
ok "a minute is one minute" sh -c '"$BANKSCOPE" lesson own | grep "^1 minute, estimated from its length$"'
ok "in the list, too" sh -c '"$BANKSCOPE" lesson | grep "^07-own  *about  1 minute  *A t$"'

# Recordings of ordinary CUDA programs.
turn() { # INDEX: a program whose second launch reads tile[INDEX]
    cat <<END
__global__ void turn(int *out)
{
    __shared__ int tile[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = x;
    __syncthreads();
    out[16 * y + x] = tile$1;
}
__global__ void nothing(int *out)
{
    out[threadIdx.x] = 0;
}
int main()
{
    int *out;
    cudaMalloc(&out, 1024);
    nothing<<<1, 32>>>(out);
    turn<<<1, dim3(16, 16)>>>(out);
    cudaFree(out);
}
END
}
if [ "$programs" ]; then
    turn '[x][y]' >"$WORK/data/lessons/07-own/turn.cu"
    ln -s "$TREE/program" "$WORK/data"
    # shellcheck disable=SC2016
    ordinary() { # RECIPE: a lesson about it
        printf '# T\n\n## P\n\n```run turned\n%s\nshow stage=phase-1 warp=2\n```\n\n%s\n' "$1" \
            '{conflicts(phase-1)} {passes(line=7, warp=0)} {passes(op=store)}' >"$lesson"
    }
    ordinary turn.cu
    ok "a recording of a CUDA program, by phase and line" says '' '^56 8 8$'
    for mode in --answers --text "-o $WORK/own.html" "-o $WORK/own.pdf"; do
        # shellcheck disable=SC2086 # words
        refuses "in a lesson from a folder, it does not run unasked ($mode)" 1 'turn.cu is a CUDA program.*--trust' \
            "$BANKSCOPE" lesson "$WORK/data/lessons/07-own" $mode
    done
    ok "but with --trust" "$BANKSCOPE" lesson --answers "$WORK/data/lessons/07-own" --trust
    ordinary 'turn.cu --launch 1'
    ok "the launch that a recipe names" says '' '^56 8 8$'
    ordinary 'turn.cu --launch 0'
    refuses "a launch without shared memory" 1 "5: no recorded launch .*shared memory" \
        "$BANKSCOPE" lesson --answers own
    ordinary turn.cu
    turn '[x + 1][y]' >"$WORK/data/lessons/07-own/turn.cu"
    refuses "a CUDA program with a fault" 1 "5: .*tile" "$BANKSCOPE" lesson --answers own
    turn '[x][yy]' >"$WORK/data/lessons/07-own/turn.cu"
    refuses "a CUDA program that does not compile" 1 "5: .*turn.cu:7.*yy" "$BANKSCOPE" lesson --answers own
    rm "$WORK/data/lessons/07-own/turn.cu"
else
    skip "recordings of CUDA programs" "needs clang and libdw"
fi
printf '# A `t`\n\n## P\n\nOne word.\n' >"$lesson"

# One broken lesson hides no other.
mkdir "$WORK/data/lessons/01-broken" "$WORK/data/lessons/09-last"
echo 'no title' >"$WORK/data/lessons/01-broken/lesson.md"
cp "$lesson" "$WORK/data/lessons/09-last"
for all in "" --answers; do
    # shellcheck disable=SC2086 # none or one
    refuses "a broken lesson is named ($all)" 1 "01-broken/lesson.md needs a title" \
        "$BANKSCOPE" lesson $all
done
run_it "$BANKSCOPE" lesson
ok "and hides no other" grep -q '^09-last' "$WORK/stdout"
printf '# T\n\n## P\n\n```quiz\nq\n= 2\n```\n' >"$WORK/data/lessons/09-last/lesson.md"
run_it "$BANKSCOPE" lesson --answers
ok "nor the answers of others" grep -q '^09-last, line 5: q$' "$WORK/stdout"
rm -r "$WORK/data/lessons/01-broken" "$WORK/data/lessons/09-last"

printf 'no title\n' >"$lesson"
refuses "a lesson without pages" 1 "needs a title" "$BANKSCOPE" lesson own
: >"$lesson"
refuses "an empty lesson" 1 "needs a title" "$BANKSCOPE" lesson own
head -c 2000000 /dev/zero | tr '\0' '>' >"$lesson"
refuses "a lesson without end" 1 "larger than" "$BANKSCOPE" lesson own
{
    printf '# T\n\n## P\n\n'
    head -c 100000 /dev/zero | tr '\0' '>'
    printf 'x\n\n'
    head -c 100000 /dev/zero | tr '\0' '*'
    printf '[\n'
} >"$lesson"
ok "a deeply nested lesson is no trouble" "$BANKSCOPE" lesson --answers own
rm "$lesson"
refuses "a lesson without its file" 1 "cannot read .*lesson.md" "$BANKSCOPE" lesson own
finish
