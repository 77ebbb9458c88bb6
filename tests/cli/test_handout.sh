#!/bin/sh
# Handouts and slides for who cannot see them: tags, their order, the language, and what pictures show.
. tests/support/tap.sh

if ! "$BANKSCOPE" help lesson >/dev/null 2>&1 || ! "$BANKSCOPE" lesson strides -o "$WORK/handout.pdf" 2>"$WORK/said"; then
    skip "handouts" "this build has no cmark or no cairo"
    finish
    exit
fi
have pdfinfo pdftotext || {
    skip "handouts" "no pdfinfo"
    finish
    exit
}
cd "$WORK" || exit
structure() { # FILE: the elements, as they are nested
    pdfinfo -struct "$1" 2>trouble && [ ! -s trouble ]
}
tagged() {
    pdfinfo handout.pdf >info && grep -Eq '^Tagged: *yes$' info && grep -Eq '^Title: *Strides and the greatest' info
}
ok "a handout is tagged and has a title" tagged
nested() {
    structure handout.pdf >tree || return
    cat tree
    pages=$(grep -c '^## ' "$TREE/lessons/02-strides/lesson.md")
    [ "$(grep -c '^[A-Z]' tree)" -eq 1 ] && grep -qx Document tree && grep -q '^  H1 ' tree &&
        [ "$(grep -c '^  H2 ' tree)" -eq $((pages + 1)) ] && [ "$(grep -c '^  Figure' tree)" -eq 6 ] &&
        [ "$(grep -c '^    LI ' tree)" -ge 10 ] && ! grep -E '^  LI|^    (P|H)' tree
}
ok "headings, lists, pictures and code are told apart" nested
words() { # FILE: its words, as they follow each other in the structure
    pdfinfo -struct-text "$1" 2>/dev/null | sed -n 's/^ *"\(.*\)"$/\1/p'
}
spaced() {
    words handout.pdf >words && grep -q 'one row after the other. We have a warp of 12 threads' words &&
        grep -q '^• say what a stride costs' words
}
ok "words stay apart where a line ends" spaced
alts() { # FILE: a line for each picture
    sed -n 's/.*\/Alt <FEFF\([0-9A-F]*\)>.*/\1/p' "$1" | awk '{
        for (i = 1; i < length($0); i += 4) {
            code = 16 * (index(digits, substr($0, i + 2, 1)) - 1) + index(digits, substr($0, i + 3, 1)) - 1
            printf "%c", code
        }
        print ""
    }' digits=0123456789ABCDEF
}
# Each picture's words are those of the page: of what it shows while the questions are open.
same_words() {
    alts handout.pdf >alt
    grep -o '<img lang=en[^>]* alt="[^"]*"' strides.html | sed 's/.* alt="//; s/"$//' >page
    # A page shows two pictures that stand beside each other one by one.
    [ "$(wc -l <alt)" -eq 6 ] && sed 's/; stride: /\
stride: /g' alt | diff - page
}
if "$BANKSCOPE" lesson strides -o strides.html 2>/dev/null; then
    ok "pictures are told as in the page" same_words
else
    skip "pictures are told as in the page" "'make page' makes the page"
fi
# 32 banks and 32 columns: only some, so that cells are large; those with the access are among them.
cropped() {
    "$BANKSCOPE" lesson profiler --slides -o slides.pdf && pdftotext -f 5 -l 5 -layout slides.pdf - >slide || return
    grep -q '^.* 31: ' slide && grep -q ' 7: ' slide && ! grep -E '(^| )(8|20|30): ' slide
}
ok "of many banks, slides show some" cropped
# What the second question of a page asks for, no slide before its answer shows.
kept() {
    "$BANKSCOPE" lesson coalescing --slides -o slides.pdf &&
        pdftotext -layout slides.pdf - | sed '/All 32 words are in one bank/,$d' >before || return
    grep '8[.] How many passes' before && ! grep '32 passes' before
}
ok "no slide tells the answer of the next question" kept
explained() { # where the numbers beside the rows are hidden, nothing explains them
    "$BANKSCOPE" lesson strides -o student.pdf && "$BANKSCOPE" lesson strides --answers -o teacher.pdf || return
    for who in student teacher; do
        pdftotext $who.pdf - | tr '\n' ' ' | grep -o 'Right: how many passes' >$who || return
    done
    [ "$(wc -l <teacher)" -gt "$(wc -l <student)" ] && [ "$(wc -l <teacher)" -eq 6 ]
}
ok "a handout explains the numbers beside rows where they stand" explained
# pdftotext ends each page with a form feed.
pages() { # FILE: a line for each page, without its number
    pdftotext -layout "$1" - | tr -s '\n ' '  ' | tr '\f' '\n' | sed -E 's/ [0-9]+ \/ [0-9]+ *$//'
}
each_once() { # NAME
    "$BANKSCOPE" lesson "$1" --slides -o slides.pdf && pages slides.pdf >slides || return
    [ "$(wc -l <slides)" -gt 20 ] && [ -z "$(sort slides | uniq -d | tee again)" ] || {
        cat again
        false
    }
}
ok "a question whose answer needs the room is on one slide only" each_once hardest
asked() { # a page that begins with a question has no slide with its title and picture alone
    "$BANKSCOPE" lesson fast-sort --slides -o slides.pdf && pages slides.pdf | grep -m 1 'What is left' | grep 'Not all'
}
ok "a page's first question is on its first slide" asked
together() { # the student's part is where it is announced
    "$BANKSCOPE" lesson cf-merge --slides -o slides.pdf && pages slides.pdf | grep 'Your part is.* return x;'
}
ok "what introduces code is on its slide" together
whole() { # no slide has the end of a comment alone
    "$BANKSCOPE" lesson profiler --slides -o slides.pdf && pages slides.pdf >slides &&
        grep '/\* Exercise.*\*/' slides && ! grep '\*/' slides | grep -v '/\*'
}
ok "few last lines of code do not stand alone" whole
boxes() { # FILE PAGE WORD: where its letters begin and end, in points from the top
    pdftotext -f "$2" -l "$2" -bbox "$1" - | sed -n "s/.*yMin=\"\([0-9.]*\)\".*yMax=\"\([0-9.]*\)\">$3<.*/\1 \2/p"
}
above() {
    "$BANKSCOPE" lesson banks --slides -o slides.pdf || return
    echo "$(boxes slides.pdf 3 barrier) $(boxes slides.pdf 3 What)" >found
    awk '{ exit !(NF == 4 && $2 + 12 < $3) }' found || { cat found && false; }
}
ok "long code stays above the foot of its slide" above
large() { # the number of the first picture's first bank
    boxes slides.pdf 12 0: | head -n 1 >found
    awk '{ exit !($2 - $1 > 22) }' found || { cat found && false; }
}
ok "two pictures of few banks are large" large
# The number of bank 16 in a picture of 32 banks and 9 columns: beside text it has 11 points.
alone() {
    "$BANKSCOPE" lesson own-kernel --slides -o slides.pdf && pages slides.pdf >slides || return
    page=$(grep -n '^ *By source line 0: 0 241' slides | grep -v -e 'Which' -e 'program' | sed 's/:.*//;q')
    boxes slides.pdf "$page" 16: >found && cat found
    awk '{ exit !($2 - $1 > 14) }' found && [ "$(grep -c '^ *The fix plain mended 0: 0' slides)" -eq 2 ]
}
ok "a picture of many cells has a slide for itself, before its question and behind the answer" alone
wide() { # and on a sheet its whole width; otherwise such a number would have 9 points
    "$BANKSCOPE" lesson own-kernel -o own.pdf && pdftotext -bbox own.pdf - >found || return
    awk -F'"' '/>241</ && $6 - $2 > 15' found | grep .
}
ok "on a handout it is as wide as the text" wide
in_one_piece() {
    "$BANKSCOPE" lesson cf-merge -o cf.pdf && pages cf.pdf | grep 'Exercise 12-cf-merge.*return x;'
}
ok "an exercise and the student's part are on one sheet" in_one_piece
headed() {
    "$BANKSCOPE" lesson merge -o merge.pdf && pages merge.pdf | grep 'The measurement *usual *bad'
}
ok "a heading is on the page of its picture" headed
choices() {
    "$BANKSCOPE" lesson shear-sort -o shear.pdf && pages shear.pdf | grep 'With how many banks.*a) 6.*d) 32'
}
ok "the choices of a question stay together" choices
asks() { # what a lab asks for is on one slide
    "$BANKSCOPE" lesson profiler --slides -o slides.pdf && pages slides.pdf | grep 'I = .*W = .*C = '
}
ok "the numbers of a lab stay together" asks
hang() { # the second line of a choice begins below its first word, not below its letter
    "$BANKSCOPE" lesson banks --slides -o slides.pdf && pdftotext -f 30 -l 30 -bbox slides.pdf - >found || return
    awk -F'"' '/>fewer:</ { word = $2 } />lanes</ && word && ($2 - word) ^ 2 < 1 { good = 1 } END { exit !good }' found
}
ok "the lines of a choice begin at one place" hang
sectors() {
    "$BANKSCOPE" lesson coalescing -o sectors.pdf --answers && pdftotext -layout sectors.pdf text || return
    grep 'Boxes: sectors of global memory' text && ! grep ': 0 passes, 0 conflicts' text &&
        alts sectors.pdf | grep '5 sectors.*; words wanted of each sector: 7 8 8 8 1$'
}
ok "pictures without banks are of sectors" sectors
language() { # NAME
    grep -a "/Lang <FEFF$(printf '%s' "$1" | od -An -tx1 | tr a-f A-F | sed 's/ /00/g')>" "$2"
}
ok "its language is said" language en handout.pdf
ok "a German one" "$BANKSCOPE" lesson strides --language de -o german.pdf
ok "says so" language de german.pdf
for kind in --slides --answers; do
    all() {
        "$BANKSCOPE" lesson --all "$kind" -o all.pdf && structure all.pdf >tree && pdfinfo all.pdf | grep -q '^Tagged: *yes' &&
            [ "$(grep -c '^  H1 ' tree)" -eq "$(ls -d "$TREE"/lessons/[0-9]*/ | wc -l)" ]
    }
    ok "all lessons with $kind have their tags" all
done
finish
