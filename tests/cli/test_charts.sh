#!/bin/sh
# Figures that are charts: their numbers are the papers' formulas, and they come in every format.
. tests/support/tap.sh

if ! "$BANKSCOPE" help figure >/dev/null 2>&1; then
    skip "charts" "this build has no cairo"
    finish
    exit
fi

# Of the first chart, which shows what is recorded.
numbers() {
    "$BANKSCOPE" figure "$1" -o "$WORK/numbers.txt" >/dev/null &&
        sed -n -e '/^$/q' -e '/^#/!p' "$WORK/numbers.txt"
}
# The paper's w (log K - log w + 1) - 1 passes, less one in each of log K iterations, w = 32.
pbs_estimate() {
    numbers "$1" | awk -v from="$2" '
        { k = log($1) / log(2); want = 32 * (k - 5 + 1) - 1 - k }
        $1 >= 1024 && ($2 - want) ^ 2 > 0.001 { print "K", $1, "estimated", $2, "not", want; bad = 1 }
        ($2 == $3) != ($1 == 32 || $1 >= from) { print "K", $1, "recorded", $3, "of", $2; bad = 1 }
        $4 > $3 { print "K", $1, "random", $4, "above the worst case", $3; bad = 1 }
        END { exit bad || NR < 8 }'
}
ok "predecessor-8: the worst case is the paper's formula" pbs_estimate predecessor-8 32
ok "predecessor-7: with two keys in a word it is, from K = 2048 on" pbs_estimate predecessor-7 2048
limited() {
    numbers predecessor-9 | awk '{ print } $2 != $3 || $3 > 26 || $4 > $3 { bad = 1 }
        END { exit bad || $3 != 26 || NR < 8 }'
}
ok "predecessor-9: at most w - 1 - log w conflicts, as estimated" limited
colors() {
    numbers bcfsort-1 | awk '{ print } $2 != 64 * ($1 - 1) || $3 != 0 { bad = 1 }
        END { exit bad || NR != 16 }'
}
ok "bcfsort-1: conflicts grow with the colors, or there are none" colors
# A level adds the merge's conflicts, (225 - 15) / 480 and (288 - 17) / 544 per word, and a search's.
whole_sort() {
    numbers worstcase-6 | awk '{ print }
        NR > 1 { for (i = 2; i <= 5; i++) step[i] = $i - before[i]
                 bad += step[2] < 210 / 480 || step[2] > 1.3 * 210 / 480
                 bad += step[3] < 271 / 544 || step[3] > 1.3 * 271 / 544
                 bad += step[2] < 3 * step[4] || step[3] < 3 * step[5] }
        { for (i = 2; i <= 5; i++) before[i] = $i }
        END { exit bad || NR < 4 }'
}
ok "worstcase-6: a level adds what the theorem says, three times as much as on random input" whole_sort
# In the first five levels pairs of lists lie within a warp's words; then 288 passes are published.
levels() {
    numbers beyond-1 | awk '{ print }
        { bad += $2 != ($1 < 6 ? 289 : 306) || $3 > $2 || $3 < $4 || $4 < 2 * $5 }
        $1 >= 6 { bad += $3 != 303 || $4 != 288 }
        END { exit bad || NR != 11 }'
}
ok "beyond-1: at every level the hardest is hardest, up to 303 passes of 306" levels

# Numbers of charts are those of their recordings' statistics.
as_recorded() {
    numbers worstcase-6 | sed -n 1p >"$WORK/chart"
    column=2
    for recipe in 'E=15 u=512 n=7680 --input worst' 'E=17 u=256 n=8704 --input worst' 'E=15 u=512 n=7680' \
        'E=17 u=256 n=8704'; do
        # shellcheck disable=SC2086 # words
        "$BANKSCOPE" run thrust-sort $recipe -o "$WORK/sort.jsonl" >/dev/null || return
        "$BANKSCOPE" stats "$WORK/sort.jsonl" --csv | awk -F, -v recipe="$recipe" '
            { conflicts += $6 } END { sub(/.*n=/, "", recipe); printf "%.9f\n", conflicts / (recipe + 0) }' >"$WORK/sums"
        cut -f $column "$WORK/chart" | cat "$WORK/sums" - | awk '{ a[NR] = $1; print } END { exit (a[1] - a[2]) ^ 2 > 1e-12 }' ||
            return
        column=$((column + 1))
    done
    "$BANKSCOPE" run thrust-sort u=256 E=17 n=34816 -o "$WORK/sort.jsonl" >/dev/null || return
    "$BANKSCOPE" stats "$WORK/sort.jsonl" --csv | awk -F, '$1 == "merge-1" { passes += $5 } END { print passes / 64 }' >"$WORK/sums"
    numbers beyond-1 | sed -n 1p | awk -v want="$(cat "$WORK/sums")" '{ print $5, want; exit ($5 - want) ^ 2 > 1e-6 }'
}
ok "the first points are those of the recordings" as_recorded
commands() { # those of its curves, but for one that is computed
    "$BANKSCOPE" figure beyond-1 -o "$WORK/numbers.txt" | grep '^  bankscope run ' | sed 's/.*n=34816 *//' | tr '\n' ,
}
ok "a chart says how its curves are made" test "$(commands)" = '--input hardest,--input worst,,'

# Running times come from a file.
times=$WORK/times.tsv
{
    printf '# device: a made-up GPU\nbench\twhat\tfigure\tvalue\tunit\n'
    printf 'traced\tcf-merge\ttraced over bare\t4.7\ttimes\n'
    for n in 983040 1966080; do
        printf 'time\tthrust-sort u=512 E=15 order=library n=%s\tmedian of 9\t%s\tus\n' $n $((n / 96))
        printf 'time\tcf-sort u=512 E=15 --input worst n=%s\tmedian of 9\t%s\tus\n' $n $((n / 192))
    done
    for d in 1 2; do
        printf 'time\tcolored-sums n=8388608 blocks=2112 variant=naive colors=%s\tmedian of 9\t%s\tus\n' $d $((d * 1000))
        printf 'time\tcolored-sums n=8388608 blocks=2112 variant=naive colors=%s\tlast launch, median of 9\t%s\tus\n' $d $((d * 500))
    done
} >"$times"
rates() {
    "$BANKSCOPE" figure cfmerge-6 --times "$times" -o - | tee "$WORK/rates"
    printf '65536\t96\t192\n131072\t96\t192\n' >"$WORK/wanted"
    grep -v '^#' "$WORK/rates" | diff "$WORK/wanted" -
}
ok "cfmerge-6: keys by microseconds, of what was measured" rates
one_panel() {
    [ "$(grep -c '^# n / E' "$WORK/rates")" -eq 1 ] && grep -x '# E = 15, u = 512' "$WORK/rates"
}
ok "a chart without times is left out" one_panel
launches() {
    "$BANKSCOPE" figure bcfsort-1 --times "$times" -o - | awk '
        /^# timed: all/ { panel = 1 } /^# timed: the third/ { panel = 2 }
        $1 == 2 { print panel + 0, $2 }' >"$WORK/panels"
    printf '0 64\n1 2\n2 1\n' | diff - "$WORK/panels"
}
ok "bcfsort-1: the conflicts, all phases and the third" launches
says_device() {
    "$BANKSCOPE" figure cfmerge-6 --times "$times" -o "$WORK/x.tex" | tail -n 1 |
        grep 'times measured on: a made-up GPU' && grep 'title={E = 15, u = 512}' "$WORK/x.tex"
}
ok "where they were measured is said" says_device
refuses "a figure without times says how to measure them" 1 \
    "bcfsort-7 shows running times, and there are none: .*bankscope bench bcfsort-7 -o FILE" \
    "$BANKSCOPE" figure bcfsort-7 --times "$times" -o "$WORK/x.png"
ok "and is missing in the list" sh -c \
    '"$1" figure --list --times "$2" | grep "^bcfsort-7 *missing: "' - "$BANKSCOPE" "$times"
refuses "times that are not there" 1 "none.tsv: No such file" \
    "$BANKSCOPE" figure cfmerge-6 --times "$WORK/none.tsv" -o "$WORK/x.png"
printf 'time\tcopy\tmedian of 9\tsoon\tus\n' >"$WORK/wrong.tsv"
refuses "a time that is no number" 1 'wrong.tsv line 1: not "time", what was run' \
    "$BANKSCOPE" figure cfmerge-6 --times "$WORK/wrong.tsv" -o "$WORK/x.png"
refuses "a figure of times has no cells" 2 "cfmerge-6 is a chart" "$BANKSCOPE" figure cfmerge-6 --cells

"$BANKSCOPE" figure bcfsort-1 -o "$WORK/x.tex"
ok "a chart comes for pgfplots" grep -q "addplot.* coordinates { (1," "$WORK/x.tex"
refuses "a chart has no GIF" 2 "charts come as .pdf, .svg" \
    "$BANKSCOPE" figure bcfsort-1 -o "$WORK/x.gif"
refuses "a chart has no cells" 2 "bcfsort-1 is a chart" "$BANKSCOPE" figure bcfsort-1 --cells
pdf_is_good() {
    pdffonts "$1" | tail -n +3 >"$WORK/fonts"
    cat "$WORK/fonts"
    [ -s "$WORK/fonts" ] && ! grep 'Type 3' "$WORK/fonts" &&
        ! awk '$(NF - 4) != "yes"' "$WORK/fonts" | grep .
}
mkdir "$WORK/out"
chart_comes_out() { # NAME EXTENSION...
    name=$1
    shift
    for extension; do
        "$BANKSCOPE" figure "$name" -o "$WORK/out/$name.$extension" || return 1
        case $extension in
        svg) grep '<desc>bankscope figure .*; Bankscope [0-9]' "$WORK/out/$name.svg" >/dev/null &&
            grep '^<svg .* width="[0-9.]*pt" height="[0-9.]*pt" ' "$WORK/out/$name.svg" >/dev/null ;;
        json) have jq || continue
            jq -e '(.[0].curves[0].y | length > 2) and (.[0].made_by | test("^bankscope figure .*; Bankscope [0-9]"))' \
                "$WORK/out/$name.json" >/dev/null ;;
        csv) head -n 1 "$WORK/out/$name.csv" | grep -q "^# bankscope figure $name -o .*; Bankscope [0-9]" &&
            grep -qx '"*[a-z, ]*"*,"*worst case, estimated"*,1024,,26,,' "$WORK/out/$name.csv" ;;
        png) [ "$(head -c 4 "$WORK/out/$name.png" | tail -c 3)" = PNG ] ;;
        esac || return 1
    done
}
while read -r chart extensions; do
    # shellcheck disable=SC2086 # a list of words
    ok "$chart comes out as $extensions" chart_comes_out "$chart" $extensions
    have pdffonts || continue
    ok "$chart.pdf embeds its fonts, none of Type 3" pdf_is_good "$WORK/out/$chart.pdf"
done <<END
predecessor-7 pdf svg png
predecessor-8 pdf svg png
predecessor-9 pdf svg png csv json
bcfsort-1 pdf svg png
beyond-1 pdf
cfmerge-6 pdf
bcfsort-4 pdf
beyond-2 pdf
END
refuses "a chart as narrow as a stamp" 1 "predecessor-8: .*--width of 60 or more" \
    "$BANKSCOPE" figure predecessor-8 --width 40 -o "$WORK/stamp.png"
if [ -c /dev/full ]; then
    ln -s /dev/full "$WORK/full.png"
    refuses "a full disk is reported" 1 "cannot write .*full.png" \
        "$BANKSCOPE" figure bcfsort-1 -o "$WORK/full.png"
else
    skip "a full disk is reported" "no /dev/full"
fi

# The same places in pgfplots: pages, and where their texts stand, differ by what another font makes.
if have pdflatex && have pdftotext && kpsewhich pgfplots.sty >/dev/null; then
    # Each level word of three letters or digits with its left and upper end.
    words() {
        pdftotext -bbox "$1" - | tr '"' ' ' | awk '/<page/ { print "page", int($3), int($5) }
            /<word/ { text = $10; sub(/^>/, "", text); sub(/<.*/, "", text)
                if ($9 - $5 < 10 && length(text) > 2) print text, $3, $5 }'
    }
    as_drawn() { # FIGURE WIDTH THEME
        rm -f "$WORK/drawn.pdf"
        for kind in pdf tex; do
            "$BANKSCOPE" figure "$1" --width "$2" --theme "$3" -o "$WORK/drawn.$kind" || return 1
        done
        words "$WORK/drawn.pdf" >"$WORK/drawn"
        (cd "$WORK" && pdflatex -halt-on-error -interaction=batchmode drawn.tex) || return 1
        words "$WORK/drawn.pdf" >"$WORK/compiled"
        awk 'NR == FNR { if ($1 == "page") page = $0; else { n[$1]++; x[$1, n[$1]] = $2; y[$1, n[$1]] = $3 }; next }
            $1 == "page" { if ($0 != page) { print page, "is", $0; bad = 1 }; next }
            n[$1] { some++
                near = 0
                for (i = 1; i <= n[$1]; i++)
                    near = near || (x[$1, i] - $2) ^ 2 < 400 && (y[$1, i] - $3) ^ 2 < 16
                if (!near) { print $1, "is elsewhere:", $2, $3; bad = 1 } }
            END { exit bad || some < 15 }' "$WORK/drawn" "$WORK/compiled"
    }
    ok "pgfplots: cfmerge-6 as it is drawn" as_drawn cfmerge-6 178 print
    ok "pgfplots: narrow and dark" as_drawn bcfsort-4 85 dark
    ok "pgfplots: with what is computed" as_drawn predecessor-8 178 light
    # An article with ten figures, five matrices and five charts, each as wide as its column.
    {
        printf '%s\n' '\documentclass[twocolumn,a4paper]{article}\usepackage{pgfplots}' \
            '\usepackage[textwidth=178mm,textheight=250mm,columnsep=8mm]{geometry}' \
            '\begin{document}'
        for figure in cfmerge-1 cfmerge-4 worstcase-1 predecessor-4 bcfsort-2 \
            cfmerge-5 worstcase-4 predecessor-10 bcfsort-7 beyond-2; do
            "$BANKSCOPE" figure $figure -o "$WORK/$figure.tex" >/dev/null
            printf '\\begin{figure}\\centering\\input{%s.tex}\\caption{%s}\\label{%s}\\end{figure}\n' \
                $figure $figure $figure
            printf 'Figure~\\ref{%s} is one of ten. ' $figure
        done
        printf '%s\n' '\end{document}'
    } >"$WORK/article.tex"
    article() (
        cd "$WORK" || exit
        for _ in 1 2; do pdflatex -halt-on-error -interaction=batchmode article.tex || exit; done
        grep -E 'Overfull|undefined|Missing character' article.log && exit 1
        pdftotext article.pdf - | grep -c '^Figure [0-9]*: ' | grep -x 10
    )
    ok "an article of two columns has ten figures" article
else
    skip "pgfplots" "no pdflatex with pgfplots, or no pdftotext"
fi
finish
