#!/bin/sh
# The papers' figures: their cells equal the printed tables (golden/), their marks the papers'
# counts, and every figure comes out in every format.
. tests/support/tap.sh

if ! "$BANKSCOPE" help figure >/dev/null 2>&1; then
    skip "figures" "this build has no cairo"
    finish
    exit
fi

# ---- the list, and what is not in it

run_it "$BANKSCOPE" figure --list
ok "--list succeeds" test "$status" -eq 0
sed 's/ .*//' "$WORK/stdout" >"$WORK/names"
cat >"$WORK/charts" <<END
cfmerge-5
cfmerge-6
worstcase-4
worstcase-5
worstcase-6
predecessor-7
predecessor-8
predecessor-9
predecessor-10
predecessor-11
bcfsort-1
bcfsort-3
bcfsort-4
bcfsort-5
bcfsort-6
bcfsort-7
beyond-1
beyond-2
END
grep -v 'missing: ' "$WORK/stdout" | sed 's/ .*//' | grep -v -x -F -f "$WORK/charts" >"$WORK/drawn"
list_has() {
    seq "$2" "$3" | sed "s/^/$1-/" >"$WORK/wanted"
    grep -x -F -f "$WORK/wanted" "$WORK/names" | diff "$WORK/wanted" -
}
ok "--list names cfmerge-1 to -8" list_has cfmerge 1 8
ok "--list names worstcase-1 to -6" list_has worstcase 1 6
ok "--list names predecessor-1 to -11" list_has predecessor 1 11
ok "--list names bcfsort-1 to -9" list_has bcfsort 1 9
says_why() {
    ! sed -n 's/.*missing://p' "$WORK/stdout" | grep -v '[a-z]'
}
ok "--list says why a figure is missing" says_why

refuses "an unknown figure names the nearest" 2 "'cfmerge-22'.*'cfmerge-2'\?" \
    "$BANKSCOPE" figure cfmerge-22 -o "$WORK/x.pdf"
refuses "an unknown format names the formats" 2 "x.gif.*\.pdf.*\.svg" \
    "$BANKSCOPE" figure cfmerge-1 -o "$WORK/x.gif"
refuses "a folder that is not there is named" 1 "nowhere/x.pdf" \
    "$BANKSCOPE" figure cfmerge-1 -o "$WORK/nowhere/x.pdf"
refuses "a width out of range is named" 2 "width is 5" \
    "$BANKSCOPE" figure cfmerge-1 -o "$WORK/x.pdf" --width 5
refuses "a theme must exist" 2 "no theme 'gray'.*print" \
    "$BANKSCOPE" figure cfmerge-1 -o "$WORK/x.pdf" --theme gray
refuses "a figure goes somewhere" 2 "cfmerge-1 with -o" "$BANKSCOPE" figure cfmerge-1
for extension in pdf svg png tex txt; do
    [ -c /dev/full ] || break
    ln -sf /dev/full "$WORK/full.$extension"
    refuses "a full disk is reported ($extension)" 1 "cannot write .*full.$extension: No space" \
        "$BANKSCOPE" figure cfmerge-1 -o "$WORK/full.$extension"
done
[ ! -c /dev/full ] || refuses "a full disk that is noticed late is reported" 1 "full.pdf: No space" \
    "$BANKSCOPE" figure cfmerge-4 -o "$WORK/full.pdf"

# ---- cells

# equals_golden NAME [SED]: the cells are the printed ones, after correcting them.
equals_golden() {
    sed -e '/^#/d' "tests/golden/$1.txt" | sed "${2-}" >"$WORK/golden"
    "$BANKSCOPE" figure "$1" --cells | sed '/^#/d' | diff "$WORK/golden" -
}
for name in cfmerge-1 cfmerge-2 cfmerge-3 cfmerge-4 cfmerge-7 worstcase-1 bcfsort-2; do
    ok "$name has the printed cells" equals_golden $name
done
# Line 25 is bank 7 of the right table; its third column is misprinted as thread 8.
ok "worstcase-3 has the printed cells, but for the misprint" \
    equals_golden worstcase-3 '25s/^1 5 8 /1 5 6 /'

# ---- marks

# marks NAME GOOD BAD: how many cells are marked green and red, by the ink of their labels.
marks() {
    "$BANKSCOPE" figure "$1" -o "$WORK/marks.txt" >/dev/null &&
        good=$(grep -c '^text .* good-ink "' "$WORK/marks.txt")
    bad=$(grep -c '^text .* bad-ink "' "$WORK/marks.txt")
    echo "good $good, bad $bad; wanted $2, $3"
    [ "$good" -eq "$2" ] && [ "$bad" -eq "$3" ]
}
# Words of threads that read twice in a round: words = round (mod 5), counted in the printed cells.
stalls=$(sed '/^#/d' tests/golden/cfmerge-7.txt | awk '
    { for (c = 1; c <= 5; c++) uses[(12 * (c - 1) + NR - 1) % 5, $c]++ }
    END { for (i in uses) if (uses[i] > 1) count += uses[i]; print count }')
ok "cfmerge-1: no bank twice on the left, six words in two banks on the right" marks cfmerge-1 12 12
ok "cfmerge-2: w E words without conflicts" marks cfmerge-2 60 0
ok "cfmerge-3: w E words without conflicts" marks cfmerge-3 54 0
ok "cfmerge-4: E^2 = 25 and (81 + 54 + 27 - 9 - 9) / 2 = 72 words in step" marks cfmerge-4 0 97
ok "cfmerge-7: the words of threads that read twice are red" \
    marks cfmerge-7 $((60 - stalls)) "$stalls"
ok "cfmerge-8: u E words without conflicts" marks cfmerge-8 72 0
ok "worstcase-1: every fourth chunk of E words is in step" marks worstcase-1 48 96
ok "worstcase-3: 49 words in step, and (81 + 126 + 9 - 49 - 7) / 2 = 80 of 81" \
    marks worstcase-3 129 1

ok "predecessor-2: three words for four threads" marks predecessor-2 3 0
ok "predecessor-2: the cell names both threads" grep -q ' "1,2"$' "$WORK/marks.txt"
ok "predecessor-3: four words in one bank" marks predecessor-3 0 4
ok "predecessor-4: 1, 2, 4, 4 words in bank 0" marks predecessor-4 1 10
ok "predecessor-5: four words in four banks in each of four rounds" marks predecessor-5 16 0
passes_of() {
    figure=$1
    shift
    "$BANKSCOPE" figure "$figure" -o "$WORK/marks.txt" >/dev/null
    printf '%s\n' "$@" >"$WORK/wanted"
    sed -n 's/.*"round [0-9]*: \([0-9]*\) pass.*/\1/p' "$WORK/marks.txt" | diff "$WORK/wanted" -
}
ok "predecessor-4: min(2^i, w) passes in round i" passes_of predecessor-4 1 2 4 4
ok "predecessor-6: 2^i passes in round i" passes_of predecessor-6 1 2 4
# The matrix of bcfsort-8 and -9, by the definition: word of row r and column c.
matrix() {
    awk "BEGIN { for (r = 0; r < 8; r++) for (c = 0; c < 32; c++)
                     printf \"%d%s\", $1, c < 31 ? \" \" : \"\\n\" }"
}
squares_turned() {
    matrix '8 * c + r' >"$WORK/wanted" && echo >>"$WORK/wanted"
    matrix '64 * int(c / 8) + 8 * r + c % 8' >>"$WORK/wanted"
    "$BANKSCOPE" figure bcfsort-8 --cells | diff "$WORK/wanted" -
}
rows_gathered() {
    matrix '64 * (c % 4) + 8 * r + int(c / 4)' >"$WORK/wanted"
    "$BANKSCOPE" figure bcfsort-9 --cells | diff "$WORK/wanted" -
}
ok "bcfsort-8: each square is transposed" squares_turned
ok "bcfsort-9: the parts of a row stand together" rows_gathered
says_sum() {
    "$BANKSCOPE" figure worstcase-2 -o "$WORK/marks.txt" >/dev/null &&
        grep '"= 6 + 32 + 7 + 4 = 49 = 7 E"' "$WORK/marks.txt" && grep '"|A| = .* = t E, t = 7"' "$WORK/marks.txt"
}
ok "worstcase-2: the parts of A add up to A" says_sum

# ---- the same again

same_again() {
    for k in 1 2; do
        SOURCE_DATE_EPOCH=1700000000 "$BANKSCOPE" figure "$1" -o "$WORK/again.$2" >/dev/null || return 1
        mv "$WORK/again.$2" "$WORK/again-$k.$2"
        [ $k -eq 1 ] && sleep 1
    done
    cmp "$WORK/again-1.$2" "$WORK/again-2.$2" && { [ "$2" != pdf ] || grep -a 'CreationDate (.*20231114221320' "$WORK/again-1.pdf"; }
}
ok "SOURCE_DATE_EPOCH is a PDF's date, and the file the same" same_again cfmerge-1 pdf
ok "of a chart, too" same_again predecessor-10 pdf
ok "a picture in TeX is the same each time" same_again predecessor-10 tex

# ---- formats

mkdir "$WORK/out"
in_every_format() {
    for extension in pdf svg png tex txt; do
        "$BANKSCOPE" figure "$1" -o "$WORK/out/$1.$extension" && test -s "$WORK/out/$1.$extension" ||
            return 1
    done
}
# Nothing is drawn beyond the page, narrow or wide.
at_any_width() {
    for width in 20 85 400; do
        "$BANKSCOPE" figure "$1" --width $width -o "$WORK/wide.txt" || return 1
        awk '/^page/ { width = $2; height = $3 }
            /^(box|line|text) / && ($2 < -1 || $3 < -1 || $2 > width + 1 || $3 > height + 1) ||
            /^box / && ($2 + $4 > width + 1 || $3 + $5 > height + 1) { print; bad = 1 }
            END { exit bad || !width }' "$WORK/wide.txt" || return 1
    done
}
# Numbers that the drawing list has, sorted, each once.
cell_numbers() {
    sed -n 's/^text .*"\([0-9]*\)"$/\1/p' "$WORK/out/$1.txt" | sort -u
}
pdf_is_good() {
    pdffonts "$1" | tail -n +3 >"$WORK/fonts"
    cat "$WORK/fonts"
    [ -s "$WORK/fonts" ] && ! grep 'Type 3' "$WORK/fonts" &&
        ! awk '$(NF - 4) != "yes"' "$WORK/fonts" | grep .
}
pdf_has_numbers() {
    pdftotext "$WORK/out/$1.pdf" - | tr -s ' \n\f' '\n' | sort -u >"$WORK/text"
    cell_numbers "$1" >"$WORK/wanted"
    comm -23 "$WORK/wanted" "$WORK/text" | tee "$WORK/lacking"
    [ -s "$WORK/wanted" ] && [ ! -s "$WORK/lacking" ]
}
svg_has_numbers() {
    sed -n 's/.*<text[^>]*>\([^<]*\)<.*/\1/p' "$WORK/out/$1.svg" | sort -u >"$WORK/text"
    cell_numbers "$1" >"$WORK/wanted"
    comm -23 "$WORK/wanted" "$WORK/text" | tee "$WORK/lacking"
    [ -s "$WORK/wanted" ] && [ ! -s "$WORK/lacking" ]
}
while read -r name; do
    ok "$name comes out in every format" in_every_format "$name"
    ok "$name fits any width" at_any_width "$name"
    ok "$name.svg has its numbers as text" svg_has_numbers "$name"
    if have pdffonts pdftotext; then
        ok "$name.pdf embeds its fonts, none of Type 3" pdf_is_good "$WORK/out/$name.pdf"
        ok "$name.pdf has its numbers as text" pdf_has_numbers "$name"
    else
        skip "$name.pdf" "no pdffonts and pdftotext (poppler-utils)"
    fi
done <"$WORK/drawn"

# Up to a column's width, predecessor-1 is drawn by it alone: twice as wide, all of it is twice as large.
twice_as_large() {
    for width in 40 80; do
        "$BANKSCOPE" figure predecessor-1 --width $width -o "$WORK/$width.txt" >/dev/null || return
    done
    sed 1d "$WORK/40.txt" >"$WORK/smaller"
    sed 1d "$WORK/80.txt" | paste -d '|' "$WORK/smaller" - | awk -F '|' '
        split($1, a, " ") != split($2, b, " ") { print; bad = 1 }
        { for (i in a) if (a[i] != b[i] && (2 * a[i] - b[i]) ^ 2 > 0.001) { print; bad = 1 } }
        END { exit bad || NR < 30 }'
}
ok "predecessor-1 keeps its shape" twice_as_large

width_is() {
    "$BANKSCOPE" figure cfmerge-2 --width "$1" -o "$WORK/wide.txt" &&
        awk -v mm="$1" 'NR == 1 { print; points = $2 * 25.4 / 72 - mm
                                  exit points > 0.01 || points < -0.01 }' "$WORK/wide.txt"
}
ok "--width is in millimetres" width_is 120

# A document that inputs all of them; each also compiles alone, which one of them shows.
compiles_tex() (
    cd "$WORK/out" || exit
    {
        printf '%s\n' '\documentclass{article}' '\usepackage{fix-cm}' '\usepackage{tikz}' \
            '\begin{document}'
        while read -r name; do printf '\\input{%s.tex}\\clearpage\n' "$name"; done <"$WORK/drawn"
        printf '%s\n' '\end{document}'
    } >all.tex
    pdflatex -interaction=nonstopmode -halt-on-error all.tex && pdflatex \
        -interaction=nonstopmode -halt-on-error cfmerge-4.tex && pdfinfo cfmerge-4.pdf
)
whole_tex() {
    ! grep '?' "$WORK"/out/*.tex
}
ok "the TikZ pictures lack no character" whole_tex
if have pdflatex && kpsewhich tikz.sty >/dev/null; then
    ok "the TikZ pictures compile with pdflatex" compiles_tex
else
    skip "the TikZ pictures compile with pdflatex" "no pdflatex with tikz"
fi
finish
