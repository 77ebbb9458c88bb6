#!/bin/sh
# Exercises: unsolved, solved, and what students hand in. test_cheats.sh has what cheats do.
. tests/tap.sh
. tests/class.sh

exercises=$(cd "$TREE/lessons" && ls -d */exercise.cu | sed 's|/.*||' | grep -v '^1[0-3]-')
# shellcheck disable=SC2086 # a list
hands_out $exercises

hands_in other-order 01-banks 's/k \* p.u \+ t;/t * 4 + (k + t) % 4;/'
hands_in every-other-word 01-banks \
    's/k \* p.u \+ t;/k * p.u + (p.u % 2 ? t : 2 * t < p.u ? 2 * t : 2 * t - p.u + 1);/'
hands_in only-for-32 01-banks 's/k \* p.u \+ t;/p.w == 32 ? k * p.u + t : 4 * t + k;/'
hands_in words-used-twice 01-banks 's/k \* p.u \+ t;/t;/'
hands_in out-of-bounds 01-banks 's/k \* p.u \+ t;/k * p.u + t + 1;/'
hands_in padding-by-one 02-strides 's/a == 1\)/step > E)/'
hands_in too-much-padding 02-strides 's/int step = E;;/int step = E + 6;;/'
hands_in pitch-too-small 02-strides 's/int step = E;;/int step = 1;;/'
hands_in odd-pitch 02-strides 's/for \(int step = E;; step\+\+\) \{/if (E > 0) return E | 1; for (int step = E;; step++) {/'
hands_in next-multiple-and-one 02-strides 's/for \(int step = E;; step\+\+\) \{/if (E > 0) return w * ((E + w - 1) \/ w) + 1; for (int step = E;; step++) {/'
hands_in no-circle 07-cf-merge 's/\(x % partition \+ l % d\) % partition/x % partition + l % d/'
hands_in no-shift 07-cf-merge 's/ \+ l % d\)/)/'
hands_in one-partition 07-cf-merge 's/w \* E \/ d, l/w * E, l/'
hands_in shift-by-two 07-cf-merge 's/l % d\)/2 * (l % d))/'
hands_in pad-by-one 07-cf-merge 's/return l \*.*/return x + x \/ w;/'
for slip in 'past-the-end j + lane' 'one-column lane' 'by-two (j + 2 * lane) % w' 'xor (j ^ lane) % w' 'backwards w - 1 - j'; do
    hands_in "order-${slip%% *}" 03-broadcast "s/return \\(j \\+ lane\\) % w;/return ${slip#* };/"
done
for slip in 'as-shown (c + r) % w' 'padded c + r' 'swizzled (c ^ r)' 'turned c * w + r - r * w' 'squared (c + r * r) % w'; do
    hands_in "square-${slip%% *}" 08-transpose "s/return r \\* w \\+ .*/return r * w + ${slip#* };/"
done
for slip in 'words bin * w + lane' 'padded lane * (bins + 4) + bin' 'three-lost 4 * (bin \/ 4 * w + lane)' \
    'four-times 4 * (bin * w + lane)' 'shared lane + bin'; do
    hands_in "bytes-${slip%% *}" 09-sums "s/return 4 \\* .*/return ${slip#* };/"
done
for slip in 'kept-turned (q + r) % w|0' 'turned-by-row (q + r) % w|r % 4' 'not-turned-round q + r|r / (w / 4)' \
    'xored q ^ r|r / (w / 4)' 'columns (r + q * w) % w|0'; do
    places=${slip#* }
    hands_in "quads-${slip%% *}" 04-wide "s/return \\(q \\+ r\\) % w;/return ${places%|*};/; s;return r / .*;return ${places#*|}\;;"
done
for slip in 'from-n n - i : i' 'in-turns 2 * i + 1 : 2 * i' 'both-back n - 1 - i : evens - 1 - i' \
    'from-a-bank (evens + 31) \/ 32 * 32 + i : i' 'one-left-out n - 2 - i : i'; do
    hands_in "split-${slip%% *}" 05-merge "s/n - 1 - i : i;/${slip#* };/"
done
hands_in attack-farther 06-worst-case 's/da <= db/da >= db/'
hands_in attack-of-a-only 06-worst-case 's/return da <= db.*/return da < E ? da : E;/'
hands_in attack-all-from-a 06-worst-case 's/return da <= db.*/return E;/'
hands_in attack-too-much 06-worst-case 's/da < E \? da : E/da/'
hands_in attack-in-halves 06-worst-case 's/return da <= db.*/return E \/ 2;/'
hands_in colors-one-walk 14-bcf-sort 's/if \(t < c\)/if (t < 0)/'
hands_in colors-no-new-beginning 14-bcf-sort 's/if \(t == 0\)/if (t < 0)/'
hands_in colors-no-circle 14-bcf-sort 's/t = \(c \+ j\) % w/t = c + j/'
hands_in colors-backwards 14-bcf-sort 's/t = \(c \+ j\) % w/t = w - 1 - j/'
hands_in colors-in-turns 14-bcf-sort \
    's/j < w; j\+\+/j < w * w; j++/; s/ROUND\(w \+/ROUND(w * w +/; s/(int t =) \(c \+ j\) % w;/\1 j - c * w; if (t < 0 || t >= w) continue;/'
hands_in hardest-one-warp 16-hardest 's/if \(t < w\)/if (t >= 0)/'
hands_in hardest-old-beach 16-hardest \
    's/da = .*/da = (2 * w - E - a % w) % w, db = (2 * w - E - b % w) % w;/'
hands_in hardest-farther 16-hardest 's/da <= db/da >= db/'
hands_in hardest-not-exchanged 16-hardest 's/return E - rule/return rule/'
hands_in hardest-too-much 16-hardest 's/da < E \? da : E/da/'
hands_in circle-by-number 15-fast-sort 's/bank = .*/i = (lane + j) % w;/; s/return take \+ .*/return i;/'
hands_in circle-not-reversed 15-fast-sort 's/n - 1 - i/na + i/'
hands_in circle-all-together 15-fast-sort 's/bank = \(lane \+ j\) % w/bank = j/'
hands_in circle-one-bank-off 15-fast-sort 's/2 \* w - 1 - b/2 * w - b/'
hands_in circle-from-n 15-fast-sort 's/n - 1 - i/n - i/'
whole "$WORK/01-banks.cu" >"$WORK/in/of-old.cu" # as files were handed out once
# What stands outside the marks does not count.
hands_in outside-vandalised 01-banks \
    's/.conflicts = 0/.conflicts = 9/; s/out\[i\] != expected/0/; s/^STAGES.*/garbage(/; s/out\[i\] = .*/;/'
hands_in outside-goals-moved 01-banks 's/.conflicts = 0/.conflicts = 9/; s/return k \* p.u \+ t/return 4 * t + k/'
hands_in not-compiling 01-banks 's/return k/retrun k/'
hands_in of-another-lesson 01-banks 's|lessons/01-banks|lessons/99-none|'
# Nor does it choose a file: of a name only letters, digits and dashes make a path.
mkdir "$WORK/evil"
chooses() { # NAME FILE: the solution, which calls its exercise so, in either way to say it
    sed "s|lessons/01-banks/|lessons/$2/|" "$WORK/01-banks.cu" >"$WORK/in/$1.cu"
    whole "$WORK/01-banks.cu" | sed "s|\"01-banks\"|\"$2\"|" >"$WORK/in/$1-of-old.cu"
}
{
    echo '#include <stdlib.h>'
    echo "__attribute__((constructor)) static void harm(void) { system(\"touch $WORK/harmed\"); }"
    whole "$TREE/lessons/01-banks/exercise.cu"
} >"$WORK/evil/exercise.cu"
chooses name-of-a-folder "$WORK/evil"
chooses name-up "../../../../../../../../../..$WORK/evil"
chooses name-here ./evil
chooses name-within 01-banks/.
hands_in without-end 01-banks '/your part ends/d'
hands_in without-begin 01-banks '/your part begins/d'
hands_in two-parts 01-banks 's|(.*your part ends.*)|\1\n/* [your part begins] */\n/* [your part ends] */|'
{
    echo '/* student: Ada "Countess" Lovelace */'
    cat "$WORK/in/solved-01-banks.cu"
} >"$WORK/in/hand-in-7.cu"
tr '\n' '\0' <"$WORK/in/solved-01-banks.cu" >"$WORK/in/zero-bytes.cu"
tr '\n' ' ' <"$WORK/in/solved-01-banks.cu" >"$WORK/in/one-line.cu"
sed 's/$/\r/' "$WORK/in/solved-01-banks.cu" >"$WORK/in/crlf.cu"
{
    printf '\357\273\277'
    printf '/* \304\220\341\272\267ng, hand-in 1 */\n'
    sed 's/    /\t/' "$WORK/in/solved-07-cf-merge.cu"
} >"$WORK/in/named-with-tabs.cu"
{
    cat "$WORK/in/solved-01-banks.cu"
    head -c 300000 /dev/zero | tr '\0' '/'
} >"$WORK/in/large.cu"

cd "$WORK" || exit 1 # where ./evil is
grades_all
cd "$TREE" || exit 1

if [ "$("$BANKSCOPE" export 2>&1 | grep -c 'install cairo')" -eq 0 ]; then
    mkdir "$WORK/pages"
    run_it "$BANKSCOPE" check "$WORK/in/other-order.cu" "$WORK/in/solved-01-banks.cu" "$WORK/in/two-parts.cu" \
        --seed 3 --pages "$WORK/pages"
    has_page() {
        page=$WORK/pages/$1.html
        cat "$page"
        grep -q "$2" "$page" && [ "$(grep -c '<svg' "$page")" -eq "$3" ]
    }
    ok "a page with the picture of the round that fails" has_page other-order 'bank 0 serves 4 words' 1
    ok "a page says whose it is" has_page solved-01-banks '<h1>solved-01-banks</h1>' 0
    ok "a page of who has all points" has_page solved-01-banks '2 of 2 points' 0
    ok "a page of who is refused" has_page two-parts 'must be there once' 0
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

# shellcheck disable=SC2086 # a list
marks_handed_out $exercises

# A wrong number: who read it, from which word, and who had written it.
ok "a wrong number in lesson 01" marked words-used-twice \
    'right",not yet.*w=32 u=64 seed=1: stage read, round 0, block 0, thread 0: got [0-9]+, not [0-9]+: lane 0 of warp 0 read word 1 in bank 1, which thread 1 wrote in stage write, round 3'
ok "in lesson 03, with the column that is missing" marked order-one-column \
    'round 1, block 0, thread 0: got [0-9]+, not [0-9]+ of column 1, which it never takes: lane 0 of warp 0 read word 0 in bank 0, which thread 0 wrote in stage write, round 0'
ok "in lesson 09" marked bytes-three-lost \
    'stage read, round [0-9]+, block 0, thread [0-9]+: got [0-9]+, not [0-9]+: lane [0-9]+ of warp [0-9]+ read word [0-9]+ in bank [0-9]+, which thread [0-9]+ wrote in stage count'
ok "in lesson 14" marked colors-no-new-beginning \
    'thread 0 of block 0 got [0-9]+ as the sum of color [0-9]+, not 0: lane 0 of warp 0 read word [0-9]+ in bank 0, which thread [0-9]+ wrote in stage scan'

ok "another order that conflicts" marked other-order '"the result is right",ok' \
    'stage write: no bank conflicts",not yet,0,.*w=32 u=64 seed=1: block 0, warp 0, round 0: bank 0 serves.*Which words do neighbouring lanes use'
ok "every other word: one conflict is one too many" marked every-other-word '"the result is right",ok' \
    'stage write: no bank conflicts",not yet.*bank 0 serves 2 words, for threads 0 .word 0., 16 .word 32..*Almost: only two lanes meet'
ok "an order that only fits w = 32" marked only-for-32 '"the result is right",ok' \
    'stage write: no bank conflicts",not yet.*w=12 u=36 seed=1: .*serves 4 words'
ok "words used twice" marked words-used-twice '"the result is right",not yet.*Does one word hold two'
ok "out of bounds" marked out-of-bounds \
    '"the result is right",not yet.*w=32 u=64 seed=1: stage write, round 3, block 0, thread 63.*tile.*The words of the tile are'
ok "padding by one only" marked padding-by-one '"the result is right",ok' \
    'stage read: no bank conflicts",not yet.*w=32 u=64 E=15 seed=1: block 0, warp 0, round 0: bank 0 serves 16 words, for threads 0 .word 0., 2 .word [0-9]+., .*, \.\.\..*common divisor of the pitch and w'
ok "too much padding" marked too-much-padding '"the result is right",not yet.*exceed the .* bytes of shared memory.*room for five unused words'
ok "a pitch that is too small" marked pitch-too-small '"the result is right",not yet.*race: writes tile.*a pitch is at least E'
ok "an odd pitch: fine for 32 banks only" marked odd-pitch \
    'stage read: no bank conflicts",not yet.*w=(12|30|9|6) '
ok "the next multiple of w, and one: too much" marked next-multiple-and-one \
    '"the result is right",not yet.*exceed the'
ok "partitions that are not shifted in a circle" marked no-circle '"the result is right",not yet.*w=9 u=9 E=6 seed=1: '
ok "partitions without a shift" marked no-shift '"the result is right",ok' 'stage write: no bank conflicts",ok' \
    'stage read: no bank conflicts",not yet.*w=9 u=9 E=6 seed=1: block 0, warp 0, round 0: bank 0 serves 3 words, for threads 0 .word 0., 3 .word 18., 6 .word 36..*pattern of banks begin again'
ok "one partition for all" marked one-partition ',not yet,0,'
ok "partitions shifted by two" marked shift-by-two ',not yet,0,'
ok "padding where no word is to spare" marked pad-by-one '"the result is right",not yet.*tile\[[0-9]+\] is outside its.*No word is to spare'
ok "an order past the row's end" marked order-past-the-end '"the result is right",not yet.*what comes after the last one'
ok "one column only" marked order-one-column '"the result is right",not yet.*take every column once'
ok "columns two apart" marked order-by-two 'stage multiply: no bank conflicts",not yet.*which number alone decides'
ok "xor for any w" marked order-xor '"the result is right",not yet.*w=12 .*take every column once'
ok "the same order backwards" marked order-backwards '"the result is right",ok' \
    'stage multiply: no bank conflicts",not yet.*which number alone decides'
ok "rotated by r: the diagonals conflict" marked square-as-shown 'stage columns: no bank conflicts",ok' \
    'stage diagonals: no bank conflicts",not yet.*If the rotation goes up by one'
ok "rotated past the row's end" marked square-padded '"the result is right",not yet.*No word is to spare'
ok "xor for odd w" marked square-swizzled '"the result is right",not yet.*No word is to spare'
ok "columns instead of rows" marked square-turned 'stage write: no bank conflicts",not yet.*rotate the row as a whole'
ok "rotated by r r" marked square-squared 'stage columns: no bank conflicts",not yet.*How far is row r rotated'
ok "bytes laid out like words" marked bytes-words '"the result is right",ok' \
    'stage count: no bank conflicts",not yet.*Does the lane alone decide'
ok "padded bytes" marked bytes-padded '"the result is right",not yet.*(outside|race).*Each byte|padding'
ok "one byte for four bins" marked bytes-three-lost '"the result is right",not yet.*two bins of a lane share one'
ok "one word for a bin" marked bytes-four-times '"the result is right",not yet.*padding cannot work here'
ok "one byte for several lanes" marked bytes-shared '"the result is right",not yet.*two lanes use the same'
ok "quads moved, words not turned" marked quads-kept-turned '"the result is right",ok' \
    'stage read: no bank conflicts",not yet.*8 .word 1056..*Almost: four lanes still meet'
ok "words turned by the row" marked quads-turned-by-row 'stage read: no bank conflicts",not yet.*Almost: four lanes'
ok "quads moved past the row's end" marked quads-not-turned-round '"the result is right",not yet.*race.*from 0 to w - 1'
ok "xor of quads for any w" marked quads-xored '"the result is right",not yet.*w=12 .*from 0 to w - 1'
ok "one place for all quads" marked quads-columns '"the result is right",not yet.*each holds only one quad'
ok "odd numbers from one word too far" marked split-from-n '"the result is right",not yet.*the last number may be even or odd'
ok "even and odd in turns" marked split-in-turns '"the result is right",not yet.*tile.257. is outside.*exactly n words'
ok "even and odd both backwards" marked split-both-back '"the result is right",ok' \
    'stage write: no bank conflicts",not yet.*Can the odd ones go another way'
ok "odd numbers from bank 0 on" marked split-from-a-bank '"the result is right",not yet.*outside.*exactly n words'
ok "a word left out" marked split-one-left-out '"the result is right",not yet.*race.*together fill the n words once'
ok "the list that is farther from the beach" marked attack-farther '"the result is right",ok' \
    'at least E ways in every access",not yet.*bank 0 serves 4 words, for threads 0 .*no bank serves more.*Almost'
ok "all from one list" marked attack-of-a-only 'at least E ways in every access",not yet.*Almost: one thread more'
ok "no beach is reached again" marked attack-all-from-a 'at least E ways in every access",not yet.*takes all its numbers from A'
ok "shares above E" marked attack-too-much '"the result is right",not yet.*takes 7 of its E = 5 numbers.*from 0 to E'
ok "half of each list" marked attack-in-halves 'at least E ways in every access",not yet.*on that list for all E rounds'
ok "one walk, beginning with 0" marked colors-one-walk '"the result is right",not yet.*thread 1 of block 0 got 0 as the sum of color 1, not 2.*first know the sum'
ok "a walk that does not begin anew at lane 0" marked colors-no-new-beginning '"the result is right",not yet.*begins at 0 again'
ok "a walk past the last lane" marked colors-no-circle '"the result is right",not yet.*what comes after the last one'
ok "a walk backwards, all lanes together" marked colors-backwards '"the result is right",not yet' \
    'stage scan: no bank conflicts",not yet.*serves 8 words.*should visit different t'
ok "one lane after the other" marked colors-in-turns '"the result is right",ok' \
    '2 to 3 times w accesses of every thread",not yet.*instructions of warps, where 24 do.*walk at the same time' \
    'stage scan: no bank conflicts",ok'
ok "two warps alike" marked hardest-one-warp '"the result is right",ok' \
    'at least E . 1 ways in every access",not yet.*block 0, warp 1, round 0.*Warp 1 must use up what is left'
ok "the beach of lesson 06" marked hardest-old-beach 'ways in every access",not yet.*bank 5 serves 3 words.*Where does the beach begin'
ok "the farther list in lesson 16" marked hardest-farther 'ways in every access",not yet.*bank 0 serves 3 words.*Almost'
ok "reversed but not exchanged" marked hardest-not-exchanged 'ways in every access",not yet.*warp 1.*Half of each list'
ok "shares above E in lesson 16" marked hardest-too-much '"the result is right",not yet.*takes 5 of its E = 3 numbers.*from 0 to E'
ok "numbers turned instead of banks" marked circle-by-number '"the result is right",ok' \
    'stage gather: no bank conflicts",not yet.*serves 2 words.*choose the bank first'
ok "B as it is" marked circle-not-reversed 'stage gather: no bank conflicts",not yet.*If B is reversed'
ok "all lanes in bank j" marked circle-all-together 'stage gather: no bank conflicts",not yet.*serves 8 words.*let each begin with another'
ok "B one bank off" marked circle-one-bank-off '"the result is right",not yet.*writes out.*Is the bank of B.s first number the right one'
ok "B from one word too far" marked circle-from-n '"the result is right",not yet.*tile.64. is outside.*0 to n - 1'
ok "who breaks what worked has no points" marked words-used-twice ',not yet,0,'

ok "what stands outside the marks does not count: good" no_goal_missed outside-vandalised
ok "what stands outside the marks does not count: bad" marked outside-goals-moved 'stage write: no bank conflicts",not yet'
ok "an older copy is graded" no_goal_missed of-old
ok "the file says whose it is" marked hand-in-7 ',"Ada ""Countess"" Lovelace",01-banks,"the result is right",ok'
ok "a file without a name is that of its own name" marked crlf ',"crlf",01-banks,"the result is right",ok'
ok "ends of lines as Windows has them" no_goal_missed crlf
ok "tabs, a name in the first line, an editor's mark" no_goal_missed named-with-tabs
ok "a part that does not compile, with the line" marked not-compiling \
    ',refused,0,.*does not compile: not-compiling.cu:29:'
ok "another lesson" marked of-another-lesson ",refused,0,.*there is no lesson '99-none' with an exercise"
for file in name-of-a-folder name-up name-here name-within; do
    ok "$file chooses no file, as older files say it" marked $file-of-old ",refused,0,.*(there is no lesson '|does not say which exercise)"
    ok "$file chooses no file" marked $file ",refused,0,.*(there is no lesson '|does not say which exercise)"
done
ok "and nothing of it ran" [ ! -e "$WORK/harmed" ]
ok "a part without an end" marked without-end ',refused,0,.*the line with .your part ends. is missing'
ok "a part without a beginning" marked without-begin ',refused,0,.*the line with .your part begins. is missing'
ok "two parts" marked two-parts ',refused,0,.*must be there once'
ok "all in one line" marked one-line ',refused,0,.*on lines of their own'
ok "zero bytes" marked zero-bytes ',refused,0,.*holds zero bytes'
ok "a large file" marked large ',refused,0,.*larger than'
ok "a file that is not there is one line" marked not-there ',refused,0,.*cannot read'

# Whose are alike: names, comments and the order of declarations do not matter, another way to do it does.
mkdir "$WORK/alike"
with_part() { # NAME: the exercise of lesson 02 with the part on standard input
    cat >"$WORK/part"
    sed -e '/your part begins/,/your part ends/{/your part begins/!{/your part ends/!d;};}' \
        -e "/your part begins/r $WORK/part" "$TREE/lessons/02-strides/exercise.cu" >"$WORK/alike/$1.cu"
}
solution 02-strides >"$WORK/alike/ada.cu"
with_part ben <<'END'
DEVICE int pitch(int w, int E)
{
    /* my own idea */
    for (int distance = E;; distance++) {
        const int second_at_first = distance;
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
with_part cleo <<'END'
DEVICE int common(int a, int b) { return b == 0 ? a : common(b, a % b); }
DEVICE int pitch(int w, int E)
{
    int candidate = E;
    while (common(w, candidate) != 1)
        candidate += 1;
    return candidate;
}
END
"$BANKSCOPE" check "$WORK"/alike/*.cu --csv "$WORK/alike.csv" >"$WORK/alike.txt"
likeness() { # NAME LEAST MOST
    grep "/$1.cu\",\"" "$WORK/alike.csv" | awk -F, -v least="$2" -v most="$3" \
        '{ print; if ($NF < least || $NF > most) bad = 1 } END { exit bad || !NR }'
}
ok "who renames and reorders is alike" likeness ben 80 100
ok "and the other, too" likeness ada 80 100
ok "who thinks for himself is not" likeness cleo 0 40
ok "the table says so" grep -q 'ben.cu .*% like .*ada.cu' "$WORK/alike.txt"

same_again() {
    for file in only-for-32 odd-pitch; do
        marked "$file" && sed -E 's/,[0-9]+\.[0-9]{3},.*//' "$WORK/lines"
    done >"$WORK/a"
    "$BANKSCOPE" check "$WORK/in/only-for-32.cu" "$WORK/in/odd-pitch.cu" --seed 3 --csv - >"$WORK/b" 2>"$WORK/stderr"
    sed -E -e '/^"/!d' -e 's/,[0-9]+\.[0-9]{3},.*//' "$WORK/b" >"$WORK/c"
    diff "$WORK/a" "$WORK/c" && [ "$(wc -l <"$WORK/a")" -eq 10 ]
}
ok "the same seed, the same marks" same_again
if have jq; then
    agrees() {
        rows=$(jq '[.files[] | if .error then 1 else (.goals | length) end] | add' "$WORK/marks.json")
        echo "$rows rows"
        [ "$rows" -eq $(($(wc -l <"$WORK/marks.csv") - 1)) ] &&
            jq -e '.seed == 3 and (.files[] | select(.file | endswith("solved-02-strides.cu")) |
                .points == .of and .of == 1)' "$WORK/marks.json" &&
            jq -e '.files[] | select(.file | endswith("hand-in-7.cu")) |
                .student == "Ada \"Countess\" Lovelace"' "$WORK/marks.json"
    }
    ok "JSON says the same" agrees
else
    skip "JSON says the same" "no jq here"
fi

# ---- one file

reported() {
    cat "$WORK/stdout" "$WORK/stderr"
    [ "$status" -eq "$1" ] && grep -Eq -e "$2" "$WORK/stdout"
}
run_it "$BANKSCOPE" check "$WORK/in/solved-07-cf-merge.cu"
ok "one file that meets all goals" reported 0 '^all 5 goals met, 1 of 1 points .33 runs.'
run_it "$BANKSCOPE" check --seed 7 "$WORK/in/given-07-cf-merge.cu"
ok "one file that does not" reported 1 '^4 of 5 goals met, 0 of 1 points. .--seed 7 draws'
run_it "$BANKSCOPE" check "$WORK/in/of-another-lesson.cu" --exercise 01-banks
ok "the teacher says which exercise it is" reported 0 '^exercise 01-banks'
mkdir "$WORK/own"
whole "$TREE/lessons/01-banks/exercise.cu" | sed 's/"01-banks"/"own"/' >"$WORK/own/exercise.cu"
run_it "$BANKSCOPE" check "$WORK/in/solved-01-banks.cu" --exercise "$WORK/own" --unconfined
ok "an exercise in a folder, without a box" reported 0 '^exercise own'
does_not_compile() {
    cat "$WORK/stderr"
    [ "$status" -eq 1 ] && [ ! -s "$WORK/stdout" ] && grep "^not-compiling.cu:29:.*retrun" "$WORK/stderr" &&
        tail -n 1 "$WORK/stderr" | grep "^bankscope check: .* does not compile; the lines above"
}
run_it "$BANKSCOPE" check "$WORK/in/not-compiling.cu"
ok "what the compiler says is shown, then one line" does_not_compile

run_it "$BANKSCOPE" check --hint 3 "$WORK/in/given-01-banks.cu"
ok "a hint" reported 0 '^Put all x first'
run_it "$BANKSCOPE" check --hint 4 "$WORK/in/given-01-banks.cu"
ok "a hint that there is not" [ "$status" -eq 2 ]
case $("$BANKSCOPE" --version) in
*"without SDL2"*) skip "nothing to show" "built without SDL2" ;;
*)
    run_it "$BANKSCOPE" check --show "$WORK/in/solved-01-banks.cu"
    ok "nothing to show" reported 0 '^all 5 goals met'
    if have Xvfb; then
        screen 1000x800
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
        ok "a conflict is shown in its round" shows_round quads-kept-turned '"read .stage 2 of 2., round 0, warp 0: 32 lanes, 4 passes'
        ok "a race is shown in its round, up to there" shows_round split-one-left-out '"write .stage 1 of 2., round 3, warp 1'
        ok "a wrong number is shown where it is read" shows_round order-one-column '"multiply .stage 2 of 2., round 1, warp 0'
    else
        skip "the failing round in the window" "needs Xvfb"
    fi
    ;;
esac

# ---- what is handed out

# Neither hints nor what grades is in a copy, and both grading and running take it as it is.
holds_no_answer() { # FILE
    ! grep -nE '\.hints|\.goals|\.slips|\.tries|kernel_goal|kernel_slip|wrong_number|error_set' "$1" &&
        ! grep -nFf "$WORK/hints" "$1"
}
copies() { # LESSON
    rm -f "$WORK/copy.cu"
    "$BANKSCOPE" lesson "$1" -o "$WORK/copy.cu" && holds_no_answer "$WORK/copy.cu" &&
        "$BANKSCOPE" run "$WORK/copy.cu" && "$BANKSCOPE" check --hint 3 "$WORK/copy.cu" || return 1
    "$BANKSCOPE" check "$WORK/copy.cu" --csv "$WORK/copy.csv"
    grep -q ",$1,\"the result is right\",ok" "$WORK/copy.csv"
}
if "$BANKSCOPE" help lesson >/dev/null 2>&1; then
    for name in $exercises; do
        "$BANKSCOPE" check --hint 3 "$TREE/lessons/$name/exercise.cu" | cut -c 1-40 >"$WORK/hints"
        ok "$name: its copy holds no answer, runs, and is graded" copies "$name"
        if [ -e "$TREE/build/bankscope.html" ]; then
            "$BANKSCOPE" lesson "$name" -o "$WORK/page.html"
            sed -n '/<h3>Exercise/,$p' "$WORK/page.html" >"$WORK/page.txt"
            ok "$name: nor does its page" sh -c 'grep -q "your part begins" "$1"' - "$WORK/page.txt"
            ok "$name: nor does its page" holds_no_answer "$WORK/page.txt"
        fi
    done
    mkdir "$WORK/mine"
    cp "$WORK/own/exercise.cu" "$WORK/mine/"
    printf '# Mine\n\nText.\n\n```quiz\nTwo?\n= 2\n```\n' >"$WORK/mine/lesson.md"
    "$BANKSCOPE" check --hint 3 "$TREE/lessons/01-banks/exercise.cu" | cut -c 1-40 >"$WORK/hints"
    own_copy() {
        rm -f "$WORK/copy.cu"
        "$BANKSCOPE" lesson "$WORK/mine" -o "$WORK/copy.cu" && holds_no_answer "$WORK/copy.cu" &&
            ! "$BANKSCOPE" check "$WORK/copy.cu" --exercise "$WORK/mine" | grep -v '^  ok' | grep 'result'
    }
    ok "a copy of an exercise of one's own holds no answer, and is graded" own_copy
fi

# ---- a machine that is short of something

# A right solution gets all marks or none, and one line says that it was not graded.
never_marked_down() { # COMMAND...: checks the solution, within some limits
    run_it "$@"
    cat "$WORK/stdout" "$WORK/stderr"
    if [ "$status" -eq 0 ]; then
        grep -q '^all 5 goals met' "$WORK/stdout"
    else
        [ ! -s "$WORK/stdout" ] && tail -n 1 "$WORK/stderr" | grep -q '^bankscope'
    fi
}
within() { # LIMIT VALUE FILE
    # shellcheck disable=SC3045 # both dash and bash have these limits
    (ulimit "$1" "$2" && exec "$BANKSCOPE" check "$3")
}
solution 10-own-kernel >"$WORK/solved-10.cu"
for file in "$WORK/in/solved-01-banks.cu" "$WORK/solved-10.cu"; do
    name=${file##*/}
    case $BANKSCOPE in
    *-san/*) ;; # the address sanitizer takes all addresses that there are
    *)
        for memory in 4000000 1000000 100000 80000 60000 40000; do
            ok "$name with $memory kB of memory" never_marked_down within -v $memory "$file"
        done
        ;;
    esac
    for files in 30 14 11 9 7; do
        ok "$name with $files files" never_marked_down within -n $files "$file"
    done
done
# A compiler that has no room any more once it has made N objects of exercises.
mkdir "$WORK/bin"
cat >"$WORK/bin/some-cc" <<END
#!/bin/sh
case \$* in
*" -O0 "*)
    echo >>"\$TMPDIR/made" # in its box, it writes nowhere else
    [ "\$(wc -l <"\$TMPDIR/made")" -le "\$N" ] || { echo "No space left on device" >&2; exit 1; } ;;
esac
exec cc "\$@"
END
chmod +x "$WORK/bin/some-cc"
refuses "nothing is graded where the exercise as handed out does not compile" 1 \
    "as handed out does not compile either, so this machine cannot grade" \
    env N=0 PATH="$WORK/bin:$PATH" CC=some-cc "$BANKSCOPE" check "$WORK/in/solved-01-banks.cu"
not_graded() {
    cat "$WORK/stdout" "$WORK/some.csv"
    [ "$status" -eq 1 ] && grep -q 'solved-.*cu  *not graded: the exercise as handed out' "$WORK/stdout" &&
        grep -q '^[12] of 2 files could not be graded' "$WORK/stdout" && # they are made at once
        grep -q '",01-banks,"",not graded,,' "$WORK/some.csv" && grep -q '"trouble":' "$WORK/some.json"
}
case $BANKSCOPE in
*-san/*) skip "trouble is no mark" "with sanitizers this compiler does not start in the box" ;;
*)
    cp "$WORK/in/solved-01-banks.cu" "$WORK/solved-again.cu"
    run_it env N=2 PATH="$WORK/bin:$PATH" CC=some-cc "$BANKSCOPE" check "$WORK/in/solved-01-banks.cu" "$WORK/solved-again.cu" \
        --csv "$WORK/some.csv" --json "$WORK/some.json"
    ok "trouble is no mark" not_graded
    ;;
esac

# ---- what is no exercise

refuses "a kernel without goals" 1 "marked|is missing|does not say|no lesson" "$BANKSCOPE" check "$TREE/kernels/stride.cu"
refuses "a lesson that is not there" 1 "there is no lesson 'nothing'" "$BANKSCOPE" check "$WORK/in/crlf.cu" \
    --exercise nothing
refuses "a folder that is not there" 1 "cannot read ../x/exercise.cu" "$BANKSCOPE" check "$WORK/in/crlf.cu" \
    --exercise ../x
sed 's/^#ifdef SIMT_HOST/#ifndef SIMT_BARE/' "$TREE/lessons/01-banks/exercise.cu" >"$WORK/own/exercise.cu"
refuses "an exercise that does not say where its kernel ends" 1 "has no #ifdef SIMT_HOST" "$BANKSCOPE" check \
    "$WORK/in/crlf.cu" --exercise "$WORK/own"
refuses "a file that is not there" 1 "cannot read" "$BANKSCOPE" check "$WORK/nothing.cu"
refuses "no file" 2 "which file" "$BANKSCOPE" check
refuses "a word" 2 "not a FILE.cu" "$BANKSCOPE" check stride
refuses "a seed that is none" 2 "seed" "$BANKSCOPE" check a.cu --seed x
finish
