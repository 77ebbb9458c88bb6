#!/bin/sh
# sweep: every combination of parameters, in parallel, as table, file and chart.
# shellcheck shell=sh
. tests/support/tap.sh

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
ok "the table has the same rows, with the columns' names" sh -c "sed 's/^ *//; s/  */,/g' '$WORK/table' | diff '$WORK/t.csv' -"

column() { # N AXIS...: the first N values of a sweep of stride
    count=$1
    shift
    "$BANKSCOPE" sweep stride "$@" -o - | tail -n +2 | cut -d, -f1 | head -n "$count" | paste -sd ' '
}
ok "ranges" test "$(column 9 s=2..5)" = "2 3 4 5"
ok "ranges with a step" test "$(column 9 s=1..17..4)" = "1 5 9 13 17"
ok "powers" test "$(column 9 's=3..50*2')" = "3 6 12 24 48"
ok "lists" test "$(column 9 s=7,1..2)" = "7 1 2"

shares_are_the_whole() {
    "$BANKSCOPE" sweep stride s=1..11 w=8,16 u=16 -o "$WORK/whole.csv" --jobs 1 >"$WORK/whole" &&
        "$BANKSCOPE" sweep stride s=1..11 w=8,16 u=16 -o "$WORK/jobs.csv" --jobs 7 >"$WORK/jobs" &&
        cmp "$WORK/whole.csv" "$WORK/jobs.csv" || return 1
    for part in 1 2 3; do
        "$BANKSCOPE" sweep stride s=1..11 w=8,16 u=16 --share "$part/3" -o -
    done | sort >"$WORK/parts.csv"
    sort "$WORK/whole.csv" | cmp - "$WORK/parts.csv"
}
ok "shares and jobs make no difference" shares_are_the_whole

# What several machines write, put together, is what one writes, byte for byte: table, CSV, JSON, chart.
swept() {
    "$BANKSCOPE" sweep thrust-merge cf-merge w=16 u=32 E=3..7..2 --input random --input worst --seed 1..2 \
        --per 'u*E' "$@"
}
for part in 1 2 3; do swept --share $part/3 -o "$WORK/$part.sweep"; done >/dev/null
joins() { # KIND
    swept -o "$WORK/one.$1" >"$WORK/one" &&
        "$BANKSCOPE" sweep --join "$WORK"/[123].sweep -o "$WORK/joined.$1" >"$WORK/joined" &&
        cmp "$WORK/one" "$WORK/joined" &&
        grep -v '^<desc>' "$WORK/one.$1" >"$WORK/one.bare" &&
        grep -v '^<desc>' "$WORK/joined.$1" | cmp "$WORK/one.bare" -
}
ok "shares joined: CSV" joins csv
ok "shares joined: JSON" joins json
"$BANKSCOPE" help figure >/dev/null 2>&1 && ok "shares joined: a chart" joins svg
refuses "a share that is missing" 1 '8 of 24 combinations are missing; the first, kernel=thrust-merge E=3 input=random seed=2' \
    "$BANKSCOPE" sweep --join "$WORK/1.sweep" "$WORK/3.sweep" -o "$WORK/some.csv"
ok "its rows are there, and empty" test "$(grep -c ',,,,,$' "$WORK/some.csv")" -eq 8
# Interrupted: some lines, the last one cut. What is there stays as it is.
goes_on() {
    head -n 4 "$WORK/1.sweep" >"$WORK/kept" && cat "$WORK/kept" - >"$WORK/cut.sweep" <<END
{"point":0,"warp_acc
END
    truncate -s -1 "$WORK/cut.sweep"
    swept --share 1/3 -o "$WORK/cut.sweep" >/dev/null && head -n 4 "$WORK/cut.sweep" | cmp "$WORK/kept" - &&
        sort "$WORK/cut.sweep" >"$WORK/sorted" && sort "$WORK/1.sweep" | cmp "$WORK/sorted" -
}
ok "an interrupted sweep goes on where it was" goes_on
does_less() { # nothing is recorded twice
    cp "$WORK/1.sweep" "$WORK/whole.sweep"
    swept --share 1/3 -o "$WORK/whole.sweep" >/dev/null && cmp "$WORK/1.sweep" "$WORK/whole.sweep"
}
ok "one that is whole stays as it is" does_less
refuses "a file of another sweep" 1 'whole.sweep line 1: it is of another sweep' \
    "$BANKSCOPE" sweep stride s=1..3 -o "$WORK/whole.sweep"
ok "and stays" cmp "$WORK/1.sweep" "$WORK/whole.sweep"
"$BANKSCOPE" sweep stride s=1..3 -o "$WORK/other.sweep" >/dev/null
refuses "joined with another's" 1 'other.sweep line 1: it is of another sweep' \
    "$BANKSCOPE" sweep --join "$WORK/1.sweep" "$WORK/other.sweep"
# What is in such a file is anybody's.
while IFS='|' read -r what edit message; do
    sed "$edit" "$WORK/other.sweep" >"$WORK/bad.sweep"
    refuses "a file with $what" 1 "bad.sweep line [0-9]+: $message" "$BANKSCOPE" sweep --join "$WORK/bad.sweep"
done <<'END'
no format|1s/bankscope-sweep/x/|it is no file of a sweep
version 2|1s/"version":1/"version":2/|its version is not 1
no kernels|1s/\["stride"\]/[]/|it has no kernels
kernels that are none|1s/"stride"/7/|its "kernels" has what is no name
no axes|1s/"axes":\[.*\],"words/"axes":[],"words/|it has no axes
an axis without values|1s/\["1","2","3"\]/[]/|one of its axes has no values
a range as a value|1s/\["1"/["1..99999999999"/|s: more than 100000 values
a point beyond its end|2s/"point":[0-9]*/"point":3/|it is no point
a negative count|2s/"passes":/"passes":-/|it is no point
half a count|2s/"passes":[0-9]*/"passes":1.5/|it is no point
a count too large|2s/"passes":/"passes":9999999999999999/|it is no point
words|2s/.*/words/|it is no point
a point twice, otherwise|$s/$/\n{"point":0,"warp_accesses":1,"accesses":1,"passes":1,"conflicts":0,"max_ways":1,"per":1}/|point 0 is there with other counts
END
refuses "an empty file" 1 'is empty' sh -c ': >"$2" && "$1" sweep --join "$2"' - "$BANKSCOPE" "$WORK/empty.sweep"
refuses "--join takes no parameters" 2 'say what was swept' "$BANKSCOPE" sweep --join x.sweep --seed 1..3
refuses "a chart's option without a chart" 2 '.-log-y is for charts' "$BANKSCOPE" sweep stride s=1..3 --log-y

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
    ok "curves have their names" grep -q '>worst<' "$WORK/c.svg"
    # Seeds are repetitions: the chart has their mean, least and most, which are the table's.
    repeats() {
        set -- sweep thrust-merge w=16 u=32 E=3..5 --seed 1..7
        "$BANKSCOPE" "$@" -o "$WORK/runs.csv" >/dev/null &&
            "$BANKSCOPE" "$@" --measure passes -o "$WORK/runs.tex" >/dev/null || return 1
        awk -F, 'NR > 1 { sum[$1] += $5; n[$1]++
                lo[$1] = n[$1] == 1 || $5 < lo[$1] ? $5 : lo[$1]; hi[$1] = $5 > hi[$1] ? $5 : hi[$1] }
            END { for (E = 3; E <= 5; E++) { m = sum[E] / n[E]
                if (n[E] == 7) printf "%d %.6f %.6f %.6f\n", E, m, hi[E] - m, m - lo[E] } }' \
            "$WORK/runs.csv" >"$WORK/means"
        sed -n 's/.*coordinates { *\((.*)\) };/\1/p' "$WORK/runs.tex" | tr -s '()+=, -' '\n' | grep . |
            awk '{ v[(NR - 1) % 6] = $1 } NR % 6 == 0 { printf "%d %.6f %.6f %.6f\n", v[0], v[1], v[3], v[5] }' |
            diff "$WORK/means" - && [ "$(wc -l <"$WORK/means")" -eq 3 ] && ! awk '$3 > 0 { exit 1 }' "$WORK/means"
    }
    ok "seeds are repetitions" repeats
    has_curves() { # COUNT ARG...
        count=$1
        shift
        "$BANKSCOPE" sweep "$@" -o "$WORK/curves.tex" >/dev/null &&
            [ "$(grep -c '^.addplot' "$WORK/curves.tex")" -eq "$count" ]
    }
    ok "or x" has_curves 3 thrust-merge w=16 u=32 E=3..5 --seed 1..7 --x seed
    ok "kernels are curves" has_curves 4 thrust-merge cf-merge w=16 u=32 E=3..5 --input random --input worst
    percent() {
        has_curves 1 stride w=8,16 s=4,16 u=16 --x s --relative-to w=8 --measure passes &&
            grep 'addplot.*(4,50) (16,66.6666' "$WORK/curves.tex" && grep 'passes, .% of w = 8' "$WORK/curves.tex"
    }
    ok "percent of another curve" percent
    per_key() {
        "$BANKSCOPE" sweep stride s=1..4 rounds=4 u=64 -o "$WORK/per.csv" >/dev/null
        each=$(awk -F, 'NR > 1 { printf "%s(%d,%.10g)", (NR > 2 ? " " : ""), $1, $4 / 256 }' "$WORK/per.csv")
        has_curves 1 stride s=1..4 rounds=4 u=64 --per 'rounds*u' --measure passes --name mine --title 'A title' \
            --x-label stride --y-label each --log-x --log-y && grep -F "{ $each }" "$WORK/curves.tex" &&
            grep 'xmode=log.*ymode=log' "$WORK/curves.tex" && grep '{mine}' "$WORK/curves.tex" &&
            grep 'title={A title}' "$WORK/curves.tex" && grep 'ylabel={each}' "$WORK/curves.tex"
    }
    ok "per key, with names of one's own, on logarithms" per_key
    run_it "$BANKSCOPE" sweep stride s=1..4 --log-y -o "$WORK/log.svg"
    ok "what a logarithm does not have is said" grep -q '2 values are not in the chart' "$WORK/stderr"
    refuses "an x that is no number" 2 'naive is no number' \
        "$BANKSCOPE" sweep transpose variant=naive,padded w=8,16 --x variant -o "$WORK/x.pdf"
    refuses "percent of what is not there" 2 'must be NAME=VALUE of one of the curves' \
        "$BANKSCOPE" sweep stride s=1..4 w=8,16 --x s --relative-to w=9 -o "$WORK/x.pdf"
    refuses "more names than curves" 2 'given 2 times, and there are 1' \
        "$BANKSCOPE" sweep stride s=1..4 --name a --name b -o "$WORK/x.pdf"
    refuses "per what is not there" 1 'there is no such parameter' \
        "$BANKSCOPE" sweep stride s=1..4 --per n -o "$WORK/x.pdf"
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
    refuses "words on the x axis" 2 'nothing that is swept is a number' \
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

# What doc/sweeps.md promises of each paper.
if "$BANKSCOPE" help figure >/dev/null 2>&1; then
    sed -n 's/^\$ bankscope //p' "$TREE/doc/sweeps.md" >"$WORK/promised"
    while IFS= read -r words; do
        pdf=${words##* }
        ok "$pdf of doc/sweeps.md" sh -c 'cd "$1" && eval "set -- \"$2\" $3" && "$@" >said' - \
            "$WORK" "$BANKSCOPE" "$words"
        ok "is drawn" test -s "$WORK/$pdf"
    done <"$WORK/promised"
    ok "there are four" test "$(wc -l <"$WORK/promised")" -eq 4
fi

# CUDA programs: padding as a macro, sizes as arguments, and launches of one's own.
case $("$BANKSCOPE" --version) in
*"without libdw"*) skip "CUDA programs" "this build has no libdw" ;;
*)
    cat >"$WORK/pad.cu" <<'END'
#include <cstdlib>
__global__ void turn(float *out, const float *in, int n)
{
    __shared__ float tile[32][32 + PAD];
    for (int i = threadIdx.y; i < 32; i += blockDim.y)
        tile[i][threadIdx.x] = in[(blockIdx.y * 32 + i) * n + blockIdx.x * 32 + threadIdx.x];
    __syncthreads();
    for (int i = threadIdx.y; i < 32; i += blockDim.y)
        out[(blockIdx.x * 32 + i) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][i];
}
int main(int, char **argv)
{
    int n = atoi(argv[1]);
    float *in, *out;
    cudaMalloc(&in, n * n * 4);
    cudaMalloc(&out, n * n * 4);
    cudaMemset(in, 0, n * n * 4);
    turn<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(out, in, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
END
    sed '/^int main/,$d' "$WORK/pad.cu" >"$WORK/part.cu"
    # PAD words more in each row: gcd(32, 32 + PAD) lanes meet, in n n / 32 loads.
    macros() {
        "$BANKSCOPE" sweep "$WORK/pad.cu" -D PAD=0..2 n=32,64 -o - -- '{n}' | tee "$WORK/pads" |
            awk -F, 'NR > 1 { ways = $1 == 0 ? 32 : $1; bad += $6 != (ways - 1) * $2 * $2 / 32 || $7 != ways; n++ }
                END { exit bad || n != 6 }' && cat "$WORK/pads"
    }
    ok "a CUDA program's macros and arguments" macros
    launches() {
        "$BANKSCOPE" sweep "$WORK/part.cu" -DPAD=0,1 rows=4,16 --array 'float out[1024]' \
            --array 'float in[1024] = index' --call 'turn<<<1, dim3(32, {rows})>>>(out, in, 32)' -o - |
            cut -d, -f1,2,6 >"$WORK/launched"
        printf '%s\n' PAD,rows,conflicts 0,4,992 0,16,992 1,4,0 1,16,0 | diff - "$WORK/launched"
    }
    ok "launches of one's own" launches
    run_it "$BANKSCOPE" sweep "$WORK/pad.cu" -D PAD=0..1 -D 'BAD=2' -- 0
    ok "a program that fails is refused" grep -q '2 of 2 combinations were refused; the first, PAD=0: ' "$WORK/stderr"
    refuses "inputs of a program" 2 'is a CUDA program, which is swept alone' \
        "$BANKSCOPE" sweep "$WORK/pad.cu" -D PAD=0..1 --input worst
    refuses "a program that nothing is swept of" 2 'what is swept' "$BANKSCOPE" sweep "$WORK/pad.cu" -D PAD=1
    ;;
esac

refuses "no kernel" 2 'which kernel' "$BANKSCOPE" sweep
refuses "nothing swept" 2 'what is swept' "$BANKSCOPE" sweep stride s=3
refuses "an empty range" 2 's=5..1 has no values' "$BANKSCOPE" sweep stride s=5..1
refuses "no range" 2 's=1..x is no range' "$BANKSCOPE" sweep stride s=1..x
refuses "an unknown parameter" 1 "no parameter 'q'" "$BANKSCOPE" sweep stride q=1..3
refuses "too many combinations" 2 'more than 1000000 combinations' \
    "$BANKSCOPE" sweep stride s=1..2000 w=1..2000
refuses "a bad share" 2 'must be I/N' "$BANKSCOPE" sweep stride s=1..3 --share 4/3
refuses "two kernels with one name" 1 'stride is swept twice' "$BANKSCOPE" sweep stride stride s=1..3
refuses "a parameter that one of them lacks" 1 "stride has no parameter 'E'" \
    "$BANKSCOPE" sweep cf-merge stride E=3..5
refuses "a chart too narrow for its numbers" 2 '60 to 1000' \
    "$BANKSCOPE" sweep stride s=1..3 -o "$WORK/x.svg" --width 30
refuses "an unknown theme" 2 'light, print or dark' \
    "$BANKSCOPE" sweep stride s=1..3 -o "$WORK/x.svg" --theme neon
if "$BANKSCOPE" help figure >/dev/null 2>&1; then
    says_cut() {
        "$BANKSCOPE" sweep stride s=1..3 --title "$1" -o "$WORK/cut.svg" 2>"$WORK/stderr" >/dev/null
        cat "$WORK/stderr"
        grep -c 'words had no room and were cut' "$WORK/stderr" | grep -x "$2"
    }
    ok "a title that is cut is told" says_cut "$(printf 'too long for a page of twelve centimetres %.0s' 1 2 3 4)" 1
    ok "one that is not is no trouble" says_cut "short" 0
fi
refuses "an unknown extension" 2 'charts come as .*\.csv|charts are left out' \
    "$BANKSCOPE" sweep stride s=1..3 -o "$WORK/x.doc"
finish
