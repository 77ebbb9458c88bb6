#!/bin/sh
# A lesson in the window, on a screen of its own (Xvfb): pages, pictures, answers, a broken lesson.
# shellcheck disable=SC2317,SC2154 # window.sh sets pid and window
. tests/support/tap.sh
. tests/support/window.sh

case $("$BANKSCOPE" help view 2>&1)$("$BANKSCOPE" help lesson 2>&1) in
usage*usage*) ;;
*)
    skip "a lesson in the window" "this build has no window or no cmark"
    finish
    exit 0
    ;;
esac
refuses "without a display --window says so" 1 "display" \
    env -u DISPLAY -u WAYLAND_DISPLAY -u SDL_VIDEODRIVER "$BANKSCOPE" lesson banks --window

if ! have Xvfb xdotool; then
    skip "keys" "needs Xvfb and xdotool"
    finish
    exit 0
fi
screen 1400x1000

mkdir -p "$WORK/data/lessons/07-own"
ln -s "$TREE/instrument" "$TREE/kernels" "$WORK/data"
lesson=$WORK/data/lessons/07-own/lesson.md
export BANKSCOPE_DATA="$WORK/data"

keys() {
    xdotool key --delay 50 "$@" 2>/dev/null
}
cat >"$lesson" <<'END'
# A test

## First page

Nothing to see yet.

## Second page

```note
Let them vote on {3 + 2}.
```

```run five
stride -p w=12 -p u=12 -p s=5
```

```quiz
How many passes?
= passes(read)
if accesses(read): {accesses(read)} counts lanes.
idea: Count the `words`.
because: They take {passes(read)} in all.
```

Words behind the question.

```quiz
Which words?
= word(stage=read, thread=1)
hide: labels
```

## Third page

```run six
stride -p w=12 -p u=12 -p s=6 -p rounds=3
show round=2 label=address beside=five
```

```quiz
Which?
- this => 1 > 2
- that => 2 > 1
- none => 2 > 3
if a: One is not above two.
because: That.
```
END
ok "the window opens on the first page" starts lesson own --window
ok "with its text" shows '"Nothing to see yet."'
ok "and no picture" hides '"stride'
keys Return
ok "Enter turns the page and brings the picture" shows '"stride *w=12 u=12 s=5'
ok "and the question" shows '"How many passes\?"'
ok "what follows the question is not shown yet" hides '"Words behind'
ok "while it is open, the title has no cost" shows '"read \(stage 2 of 2\), round 0, warp 0"'
ok "nor has the timeline" shows '"passes \?,  conflicts \?"'
ok "all cells that are accessed look alike" shows '^box .* used edge ink'
ok "none is good or bad" hides '^box .* (good|bad)( |$)'
ok "no row ends with its degree" hides '^text .* left .* "1"$'
keys r
ok "there is no race that tells" shows '"passes \?,  conflicts \?"'
keys Return
ok "Enter alone gives nothing away" shows '"Type a whole number."'
keys Next
ok "PageDown waits for the answer" shows '"2 of 3  type a number'
keys 1 2 Return
ok "a wrong number gets the nudge made for it" shows '"12: not so. 12 counts lanes."'
keys 5 Return
ok "the next one the idea" shows '"5: not so. Count the `words`."'
ok "the picture keeps its secret" shows '"passes \?,  conflicts \?"'
ok "and does not explain numbers that are not there" hides 'Right: how'
keys 7 Return
ok "then the answer is told" shows '"7: not so. The answer is 1. They take 1 in'
ok "the picture reveals it" shows '^box .* good edge good-edge'
ok "and the numbers beside its rows are explained" shows 'Right: how'
ok "in the title, too" shows '12 lanes, 1 pass, 0 conflicts"'
ok "then what follows is shown" shows '"Words behind the question."'
ok "but not the next question, which would hide the picture" hides '"Which words\?"'
ok "and what that one asks for stays hidden" hides '^text .* centre .* "11"$'
ok "which waits for Enter" shows '"2 of 3  Enter: next question"'
keys Return
ok "now it is there" shows '"Which words\?"'
ok "and hides what it asks for" hides '^text .* centre .* "11"$'
ok "and no more" shows '^box .* good edge good-edge'
keys h
ok "h tells the answer where there is no idea" shows '"The answer is 5."'
ok "what was hidden is shown" shows '^text .* centre .* "11"$'
keys Return
ok "the next picture is beside the one before" shows '"stride *w=12 u=12 s=6'
ok "which is still there" shows '"stride *w=12 u=12 s=5'
ok "in the round that the lesson shows" shows 'round 2'
ok "with addresses" shows '"68"'
keys a
ok "a wrong choice may be mended" shows '"a: not so. One is not above two."'
keys b
ok "the right one is confirmed" shows '"b\) that: right. That."'
ok "the score counts what was right at once" shows '"0 of 3 questions right at once."'
keys Return
ok "there is no page behind the last" shows '"3 of 3  the end"'
keys BackSpace
ok "Backspace goes back; answers stay" shows '"7: not so. The answer is 1. They take 1 in'
ok "and so does the picture of that page" hides 's=6'
keys question
ok "the help has the lesson's keys" shows '"go on; the answer typed"'
keys Escape q
ok "q closes it" ends 0

# Progress: the lesson has been done; it was left on its second page.
state=$XDG_STATE_HOME/bankscope/lessons/07-own
ok "the page where one stopped is kept" test "$(cat "$state")" = "2 done"
ok "the list says what is done" sh -c '"$BANKSCOPE" lesson | grep "^07-own  *done  *A test$"'
ok "the lesson opens again" starts lesson own --window
ok "on that page" shows '"2 of 3'
ok "with the answers of that day" shows '"7: not so. The answer is 1. They take 1 in'
ok "with its picture" shows '"stride *w=12 u=12 s=5'
keys BackSpace
ok "Backspace leads to the pages before" shows '"Nothing to see yet."'
keys Next
ok "PageDown turns a page that is read" shows '"2 of 3'
keys Prior
ok "PageUp leads to the page before" shows '"1 of 3'
keys q
ok "it closes" ends 0
echo 3 >"$state"
rm "$state.answers"
ok "the list says the page" sh -c '"$BANKSCOPE" lesson | grep "^07-own  *page 3 of 3  *A test$"'
ok "a later page" starts lesson own --window
ok "has the recordings of the pages before" shows '"stride *w=12 u=12 s=5'
keys h h
ok "and can be done" shows '"The answer is b\) that. That."'
keys q
ok "it closes once more" ends 0
ok "then it is done" test "$(cat "$state")" = "3 done"
for nonsense in "" 0 -1 99999999999 "x done" "2 don"; do
    printf '%s\n' "$nonsense" >"$state"
    ok "a file of '$nonsense' is no trouble" sh -c '"$BANKSCOPE" lesson | grep "^07-own"'
done
rm "$state"
mkdir "$state"
ok "where progress cannot be kept" starts lesson own --window
keys Return
ok "the lesson goes on" shows '"2 of 3'
keys q
ok "and ends well" ends 0
ok "but says so" grep -q "^bankscope lesson: progress is not kept: " "$WORK/stderr"
rmdir "$state"

# A lab: numbers one by one, again, an example; Enter alone goes on.
mkdir "$WORK/data/lessons/09-lab"
printf '%s\n' '# T' '' '## P' '' '```lab' 'What?' 'ask a = 7: metric_a' 'ask b = 3: metric_b' 'say a > b: {a - b} more.' \
    'say a <= b: Not more.' '```' '' 'Behind it.' >"$WORK/data/lessons/09-lab/lesson.md"
ok "a lab opens" starts lesson lab --window
ok "it asks for the first number" shows '"a = \?  `metric_a`"'
keys 1 2 BackSpace 5 Return
ok "then for the next" shows '"b = \?  `metric_b`"'
ok "and has the first" shows '"a = 15  `metric_a`"'
keys 4 Return
ok "then says what they mean" shows '11 more\.'
ok "and asks again" shows '"a = \?  `metric_a`"'
ok "before what is behind it" hides '"Behind it\."'
keys 1 Return 1 Return
ok "other numbers mean something else" shows 'Not more\.'
keys Return
ok "Enter alone goes on" shows '"Behind it\."'
keys q
ok "it ends" ends 0
ok "again" starts lesson lab --window --restart
keys h
ok "the example is told" shows '4 more\.'
ok "and goes on" shows '"Behind it\."'
keys q
ok "it ends again" ends 0

# A page that does not fit: PageDown scrolls before it turns the page.
mkdir "$WORK/data/lessons/08-long"
{
    printf '# Long\n\n## One\n'
    for i in $(seq 60); do printf '\nParagraph %d.\n' "$i"; done
    printf '\n## Two\n\nNothing more.\n'
} >"$WORK/data/lessons/08-long/lesson.md"
ok "a long page opens" starts lesson long --window
ok "at its beginning" shows '"PageDown: more"'
keys Next
ok "PageDown scrolls" hides '"Paragraph 1\."'
ok "on the same page" shows '"1 of 2'
keys Next Next Next Next Next Next
ok "and turns it at the end" shows '"Nothing more\."'
keys BackSpace
ok "the page before, from its top" shows '"Paragraph 1\."'
ok "says that Enter shows more" shows '"1 of 2  Enter: more"'
keys Return
ok "and it scrolls" hides '"Paragraph 1\."'
ok "on the same page, too" shows '"1 of 2'
keys Return Return Return Return
ok "and turns it when all was shown" shows '"Nothing more\."'
keys q
ok "the long page closes" ends 0

sed 's/= passes(read)/= pases(read)/' "$lesson" >"$WORK/broken" && cp "$WORK/broken" "$lesson"
ok "a lesson with a mistake opens" starts lesson own --window
keys Return Return
ok "and says where the mistake is" shows 'pases\(read\)'
keys q
ok "status 1 when it is closed" ends 1
ok "the terminal has the line" grep -q "lesson.md:17: .*did you mean 'passes'" "$WORK/stderr"

# To a class: the notes have a window of their own.
sed 's/= pases(read)/= passes(read)/' "$WORK/broken" >"$lesson"
ok "a lesson for a class" starts lesson own --window --restart
screen_dump=$dump
keys F5
dump=$screen_dump.notes
ok "F5 opens the notes" shows '"First page"'
in_front() { # at the middle of the screen, where both windows are
    xdotool mousemove 700 500 getmouselocation --shell >"$WORK/pointer"
    xdotool getwindowname "$(sed -n 's/^WINDOW=//p' "$WORK/pointer")" 2>/dev/null | grep '^Bankscope: notes'
}
ok "in front" eventually in_front
ok "with what comes next" shows '"Next: Second page"'
keys Next
ok "a remote control turns the page" shows '"Let them vote on 5."'
ok "the notes know the answer" shows '"Answer: 1"'
ok "what wrong ones get" shows '"If they say 12: 12 counts lanes."'
ok "and the numbers" shows '"stride: read, round 0, warp 0: 1 pass, 0 conflicts"'
dump=$screen_dump
ok "the class does not see the notes" hides '"Let them vote'
ok "nor the numbers" hides '1 pass, 0 conflicts"'
xdotool mousemove 300 300
ok "there is a halo around the pointer" shows '^line .* halo 4.5$'
keys Next
ok "the remote control gets the hint" shows '"Count the `words`."'
keys Next
ok "then the answer" shows '"The answer is 1.'
ok "which the picture shows" shows '1 pass, 0 conflicts"'
keys v
ok "v hides the numbers" hides '1 pass, 0 conflicts"'
keys v
ok "and shows them" shows '1 pass, 0 conflicts"'
keys period
ok "the screen is blank" shows '^box 0 0 [0-9.]* [0-9.]* blank$'
ok "and has nothing else" hides '^text'
keys period
ok "a key brings it back" shows '"The answer is 1.'
keys F5
ok "F5 ends it" hides ' halo '
one_window() { [ "$(xdotool search --onlyvisible --pid "$pid" | wc -l)" -eq 1 ]; }
ok "and closes the notes" eventually one_window
xdotool windowfocus --sync "$window" mousemove 1399 999
keys q
ok "a lesson for a class ends" ends 0
{
    printf '# Long\n\n## P\n\n'
    yes 'A paragraph.

' | head -n 75
    printf '```quiz\nHow many?\n= 1\nidea: One.\n```\n'
} >"$lesson"
ok "a page that does not fit, for a class" starts lesson own --present --restart
keys Next
ok "goes on to the question" shows '"How many\?"'
ok "before it gives a hint" hides '"One\."'
keys Next
ok "which comes then" shows '"One\."'
closes

sed 's/= pases(read)/= 14/' "$WORK/broken" >"$lesson"
rm "$state.answers"
ok "numbers are typed" starts lesson own --window
keys Return
ok "the question waits" shows '"How many passes\?"'
keys 2 BackSpace 1 3
ok "digits and Backspace" shows '"13_"'
keys Return
ok "a wrong number may be mended" shows '"13: not so. Count the `words`."'
keys 1 4 Return
ok "the right one is confirmed" shows '"14: right. They take 1 in all."'
keys q
ok "and it closes" ends 0

# A page that is longer than the window: what one types is seen, and so is the reply; what is told is not red.
cp "$lesson" "$WORK/short"
{
    printf '# T\n\n## P\n\n'
    for i in $(seq 60); do printf 'Paragraph %d.\n\n' "$i"; done
    printf '```quiz\nHow many?\n= 2 + 5\nidea: Add.\nbecause: So it is.\n```\n\n'
    for i in $(seq 61 120); do printf 'Paragraph %d.\n\n' "$i"; done
} >"$lesson"
ok "a long page" starts lesson own --window --restart
ok "begins at its top" shows '"Paragraph 1\."'
ok "where its question is not seen" hides '"How many\?"'
keys 1
ok "what is typed scrolls into view" shows '"1_"'
keys Return
ok "so does the reply" shows '"1: not so. Add."'
keys 2 Return
ok "a hint stays after a second wrong answer" shows '"2: not so. Add."'
ok "a wrong number is red" sh -c 'grep -B3 "\"2: not so" "$1" | grep -c bad' - "$dump"
keys Prior Prior Prior
keys h
ok "and so does the answer" shows '"The answer is 7. So it is."'
told_is_not_red() { grep -B3 '"The answer is 7' "$dump" | grep -q bad && return 1 || grep -c '"The answer is 7' "$dump"; }
ok "what is told is not red" told_is_not_red
keys q
ok "the long page closes" ends 0
cp "$WORK/short" "$lesson"
rm -f "$state" "$state.answers"
printf '2\n' >"$state"

# The words of the course.
printf -- '- bank: where words are\n' >"$WORK/data/lessons/glossary.md"
ok "a lesson opens once more" starts lesson own --window
keys i
ok "i shows the glossary" shows '"bank: where words are"'
keys i
ok "and the lesson again" hides '"bank: where words are"'
keys q
ok "and it closes" ends 0
rm "$WORK/data/lessons/glossary.md"

# While a lesson is written: what is saved is shown.
cp "$lesson" "$WORK/kept"
cp "$state" "$WORK/progress"
printf 'no title yet\n' >"$lesson"
ok "a lesson that cannot be read yet opens" starts lesson "$WORK/data/lessons/07-own" --watch --window
ok "and says in which file" shows 'bad-ink ".*/07-own/lesson[.]md'
sed 's/= 14/= passes(read)/' "$WORK/kept" >"$lesson"
ok "saved, it is shown" shows '"Nothing to see yet."'
sed -i 's/^Words behind/More words behind/' "$lesson"
ok "the page that changed comes up" shows '"How many passes[?]"'
keys 1 Return
ok "a question may be answered" shows '"More words behind the question."'
sed -i 's/^More words behind/Even more behind/' "$lesson"
ok "it stays answered" shows '"Even more behind the question."'
sed -i 's/^hide: labels/hide: lbels/' "$lesson"
ok "a mistake is shown with its line" shows "'lbels'"
ok "beside the last text that was right" shows '"Even more behind the question."'
sed -i 's/^hide: lbels/hide: labels/' "$lesson"
ok "mended, it is gone" hides "lbels'"
keys q
ok "watching ends" ends 0
ok "it leaves the progress alone" cmp "$state" "$WORK/progress"
cp "$WORK/kept" "$lesson"

mkdir "$WORK/data/lessons/08-twins"
cat >"$WORK/data/lessons/08-twins/lesson.md" <<'END'
# Twins

## One

```run one
broadcast -p w=8 -p u=8 -p pattern=random --seed 1
```

## The other

```run other
broadcast -p w=8 -p u=8 -p pattern=random --seed 2
show beside=one
```
END
ok "two recordings of a kernel with the same parameters" starts lesson twins --window
keys Return
ok "are called as the lesson calls them" shows '"broadcast \(one\)'
ok "both of them" shows '"broadcast \(other\)'
closes

# The lessons that come with the program, to the end: by asking for every answer, and by wrong ones
# until it is told.
unset BANKSCOPE_DATA
plays() { # NAME KEY...: until the last page is whole
    lesson_name=$1
    shift
    starts lesson "$lesson_name" --window --restart || return
    for _ in $(seq 100); do
        grep -q '"\([0-9]*\) of \1  the end"' "$dump" && break
        xdotool key --delay 1 "$@" "$@" 2>/dev/null # nothing is behind the end
        sleep 0.05
    done
    shows '"([0-9]*) of \1  the end"' || return 1
    if [ "$1" = h ]; then # no answer was given, so that none is right at once
        shows '"0 of [0-9]* questions right at once\."' || return 1
    fi
    grep -q 'lesson\.md' "$dump" && return 1 # of a lesson with a mistake
    xdotool key q
    ends 0
}
for folder in "$TREE"/lessons/[0-9]*/; do
    name=$(basename "$folder")
    if grep -q '^[a-z]*[.]cu' "$folder/lesson.md" && ! runs_programs; then
        skip "$name in the window" "needs clang and libdw"
        continue
    fi
    ok "$name to the end, all answers asked for" plays "$name" h h Return
    ok "$name to the end, by wrong answers" plays "$name" 9 8 7 Return 9 8 6 Return 9 8 5 Return \
        h h Return
    ok "it is done then" grep -q "done" "$XDG_STATE_HOME/bankscope/lessons/$name"
done
if runs_programs; then
    ok "global memory alone" starts lesson 18 --window --restart
    ok "has the sectors of the step" shows '"global memory in round 0, line 10, array in: load of 32 lanes"'
    ok "the source is under the picture, which the text leaves too narrow for both" shows '^text 1?[0-9] .*"turn.cu"$'
    ok "in boxes as large as what is alone may have" shows '^box [0-9.]+ [0-9.]+ 78 32 none edge good-edge'
    ok "and of all, as soon as they are told" shows '"sectors \?,  least \?"'
    ok "but no timeline of passes" hides '"passes'
    keys Right h h
    ok "then the bars are drawn" shows '"sectors 36 of 144,  at least 8 of 32"'
    ok "and nothing of passes" hides '"passes'
    ok "and its line says so" shows '"line 10: 256 instructions, none of shared memory"'
    ok "and there is no strip of the run's conflicts" hides '"the whole run'
    closes
else
    skip "global memory alone" "needs clang and libdw"
fi
finish
