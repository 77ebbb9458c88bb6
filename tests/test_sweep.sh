#!/bin/sh
# sweep: every combination of parameters, in parallel, as table, file and chart.
# shellcheck shell=sh
. tests/tap.sh

# The conflicts of every row are what `run` says of those parameters.
rows_equal_runs() {
    "$BANKSCOPE" sweep thrust-merge w=8,16 E=3..5 u=32 --input random --input worst \
        -o "$WORK/t.csv" >"$WORK/table" || return 1
    [ "$(wc -l <"$WORK/t.csv")" -eq 13 ] || return 1
    tail -n +2 "$WORK/t.csv" | while IFS=, read -r w E input _ _ passes conflicts _; do
        said=$("$BANKSCOPE" run thrust-merge u=32 "w=$w" "E=$E" --input "$input" |
            awk '$1 == "total" { print $4, $5 }')
        [ "$said" = "$passes $conflicts" ] || {
            echo "w=$w E=$E $input: sweep $passes $conflicts, run $said"
            return 1
        }
    done
}
ok "rows equal single runs" rows_equal_runs

column() { # N AXIS...: the first N values of a sweep of stride
    count=$1
    shift
    "$BANKSCOPE" sweep stride "$@" -o - | tail -n +2 | cut -d, -f1 | head -n "$count" | paste -sd ' '
}
ok "ranges" test "$(column 9 s=2..5)" = "2 3 4 5"
ok "ranges with a step" test "$(column 9 s=1..17..4)" = "1 5 9 13 17"
ok "powers" test "$(column 9 's=3..50*2')" = "3 6 12 24 48"
ok "lists" test "$(column 9 s=7,1..2)" = "7 1 2"

shards_are_the_whole() {
    "$BANKSCOPE" sweep stride s=1..11 w=8,16 u=16 -o "$WORK/whole.csv" --jobs 1 >"$WORK/whole" &&
        "$BANKSCOPE" sweep stride s=1..11 w=8,16 u=16 -o "$WORK/jobs.csv" --jobs 7 >"$WORK/jobs" &&
        cmp "$WORK/whole.csv" "$WORK/jobs.csv" || return 1
    for part in 1 2 3; do
        "$BANKSCOPE" sweep stride s=1..11 w=8,16 u=16 --shard "$part/3" -o -
    done | sort >"$WORK/parts.csv"
    sort "$WORK/whole.csv" | cmp - "$WORK/parts.csv"
}
ok "shards and jobs make no difference" shards_are_the_whole

if have jq; then
    "$BANKSCOPE" sweep transpose variant=naive,padded -o "$WORK/t.json" >"$WORK/said"
    ok "JSON" test "$(jq -c '[.[] | .variant, .conflicts]' "$WORK/t.json")" = \
        '["naive",992,"padded",0]'
else
    skip "JSON" "no jq"
fi

run_it "$BANKSCOPE" sweep stride w=8..32'*2' u=30,32 -o "$WORK/r.csv"
ok "refused combinations keep their rows" test \
    "$status $(grep -c '^[0-9]*,30,,,,,$' "$WORK/r.csv") $(wc -l <"$WORK/stderr")" = "1 3 1"
ok "and the first is named" grep -q '^bankscope sweep: 3 of 6 .* w=8 u=30: .*multiple of w' \
    "$WORK/stderr"

# A kernel of one's own that crashes for some values ends no other.
sed 's/^\( *\)STAGE(read);/\1if (p.s == 3) __builtin_trap();\n\1STAGE(read);/' \
    "$TREE/kernels/stride.cu" >"$WORK/mine.cu"
run_it "$BANKSCOPE" sweep "$WORK/mine.cu" s=1..5 --jobs 2 -o "$WORK/m.csv"
ok "a crash is one row" sh -c 'grep -q "^3,,,,,$" "$1/m.csv" && grep -q "^5,6," "$1/m.csv" &&
    grep -q "1 of 5 .* s=3" "$1/stderr"' sh "$WORK"

if "$BANKSCOPE" help figure >/dev/null 2>&1; then
    for kind in pdf svg png; do
        ok "chart as $kind" sh -c '"$1" sweep thrust-merge w=16 u=32 E=3..5 --input random \
            --input worst -o "$2/c.$3" >"$2/said" && test -s "$2/c.$3"' sh "$BANKSCOPE" "$WORK" \
            "$kind"
    done
    ok "curves have their names" grep -q 'input=worst' "$WORK/c.svg"
    # 254 mm are 720 points: width and theme are those of the picture.
    wide_and_dark() {
        "$BANKSCOPE" sweep stride s=1..4 -o "$WORK/w.svg" --width 254 --theme dark >"$WORK/said" &&
            head -n 3 "$WORK/w.svg" && grep -q 'width="720pt"' "$WORK/w.svg" &&
            grep -qi '^.paper { fill: #ffffff' "$WORK/c.svg" &&
            ! grep -qi '^.paper { fill: #ffffff' "$WORK/w.svg"
    }
    ok "as wide and dark as asked for" wide_and_dark
else
    skip "charts" "built without cairo"
fi
if "$BANKSCOPE" help figure >/dev/null 2>&1; then
    refuses "words on the x axis" 2 'begin with another' \
        "$BANKSCOPE" sweep transpose variant=naive,padded -o "$WORK/x.pdf"
    "$BANKSCOPE" sweep stride s=1..4 -o "$WORK/c.tex" >"$WORK/said"
    ok "chart for pgfplots" grep -q 'coordinates { (1,0) (2,1) (3,0) (4,3) };' "$WORK/c.tex"
    if have pdflatex && kpsewhich pgfplots.sty >/dev/null; then
        printf '%s\n' '\documentclass{article}\usepackage{pgfplots}\begin{document}' \
            '\input{c.tex}' '\end{document}' >"$WORK/page.tex"
        ok "TeX takes it" sh -c 'cd "$1" && pdflatex -interaction=batchmode page.tex' sh "$WORK"
    else
        skip "TeX takes it" "no pdflatex with pgfplots"
    fi
fi

refuses "no kernel" 2 'which kernel' "$BANKSCOPE" sweep
refuses "nothing swept" 2 'what is swept' "$BANKSCOPE" sweep stride s=3
refuses "an empty range" 2 's=5..1 has no values' "$BANKSCOPE" sweep stride s=5..1
refuses "no range" 2 's=1..x is no range' "$BANKSCOPE" sweep stride s=1..x
refuses "an unknown parameter" 1 "no parameter 'q'" "$BANKSCOPE" sweep stride q=1..3
refuses "too many combinations" 2 'more than 1000000 combinations' \
    "$BANKSCOPE" sweep stride s=1..2000 w=1..2000
refuses "a bad shard" 2 'must be I/N' "$BANKSCOPE" sweep stride s=1..3 --shard 4/3
refuses "a chart too narrow for its numbers" 2 '60 to 1000' \
    "$BANKSCOPE" sweep stride s=1..3 -o "$WORK/x.svg" --width 30
refuses "an unknown theme" 2 'light, print or dark' \
    "$BANKSCOPE" sweep stride s=1..3 -o "$WORK/x.svg" --theme neon
refuses "an unknown extension" 2 'charts come as .*\.csv|charts are left out' \
    "$BANKSCOPE" sweep stride s=1..3 -o "$WORK/x.doc"
finish
