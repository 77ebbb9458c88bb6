#!/bin/sh
# program: what grew since a report that was kept, conditions, and tables for others.
# shellcheck disable=SC2016 # back quotes and dollars as they are
. tests/support/tap.sh
. tests/support/cuda.sh
cd "$WORK" || exit 1

# A transpose whose rows have PAD more words, and a kernel without conflicts.
cat >app.cu <<'END'
#include <cstdio>
#ifndef PAD
#define PAD 1
#endif
template <int N> __global__ void transpose(int *out, const int *in)
{
    __shared__ int tile[N][N + PAD];
    __shared__ int other[N];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * N + threadIdx.x];
    if (threadIdx.y == 0)
        other[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.y * N + threadIdx.x] = tile[threadIdx.x][threadIdx.y] + other[threadIdx.x];
}
__global__ void scale(int *out)
{
    __shared__ int s[1024];
    s[threadIdx.x] = 2;
    __syncwarp();
    out[threadIdx.x] *= s[threadIdx.x];
}
int main()
{
    int *in, *out;
    cudaMalloc(&in, 4096);
    cudaMalloc(&out, 4096);
    cudaMemset(in, 0, 4096);
    transpose<32><<<1, dim3(32, 32)>>>(out, in);
    scale<<<1, 32>>>(out);
    scale<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
    printf("the program's own line, without an end");
}
END
gate() { run_it timeout 60 "$BANKSCOPE" run --compiler clang app.cu --jobs 1 "$@"; }
# says STATUS PATTERN: the last run ended so, and standard error has a line like that.
# shellcheck disable=SC2154,SC2329 # run_it sets status; called by ok
ended() {
    cat "$WORK/stderr"
    [ "$status" -eq "$1" ] && grep -Eq "$2" "$WORK/stderr"
}

# ---- a baseline -----------------------------------------------------------------------------------
gate --json=old.json
ok "a report says under which conditions it was made" jq -e '.bankscope != "" and
    (.compiler | startswith("clang ")) and .capability >= 70 and .device == "H200" and .flags == []' old.json
gate --baseline old.json
ok "nothing grew" ended 0 'nothing grew since old.json'
ok "... and nothing is missed" sh -c '! grep "not launched" stderr'
gate --baseline old.json -D PAD=0
ok "a kernel and its line grew" ended 1 \
    '^bankscope run:   transpose<32>: conflicts 0 -> 992 \(\+992\), passes [0-9]+ -> [0-9]+'
ok "... the line, by its number" grep -q 'app.cu:13: load in transpose<32>: conflicts 0 -> 992' stderr
ok "... and no other" test "$(grep -c ' -> ' stderr)" -eq 2
ok "... with other options, which are told" grep -q "compiled with '', and now with '-DPAD=0'" stderr
gate --json=bad.json -D PAD=0
gate --baseline bad.json
ok "less is no growth" ended 0 'nothing grew since bad.json'

sed 's/^__global__ void scale/\n\n&/; s/^    __shared__ int other/\n&/' app.cu >moved.cu
cp app.cu kept.cu && mv moved.cu app.cu
gate --baseline old.json
ok "lines that moved are found by their text" ended 0 'nothing grew'
sed 's/s\[threadIdx.x\] = 2;/s[threadIdx.x * 32] = s[threadIdx.x] = 2;/' kept.cu >app.cu
gate --baseline old.json
ok "a line that was changed, by its number" ended 1 'app.cu:18: store in scale: conflicts 0 -> 62 '
cp app.cu changed.cu && sed '1i // one more\n// and another' changed.cu >app.cu
gate --baseline old.json
ok "... that has moved, too, by the lines beside it that did not change" ended 1 \
    'app.cu:20: store in scale: conflicts 0 -> 62 \(\+62\), passes 2 -> 66 '
ok "... and no other" test "$(grep -c ' -> ' stderr)" -eq 2
sed 's/scale/rescale/' kept.cu >app.cu
gate --baseline old.json
ok "a new kernel without conflicts is no growth" ended 0 'scale of old.json was not launched this time'
cp kept.cu app.cu
gate --baseline old.json --kernel transpose
ok "only one kernel is compared" ended 0 'nothing grew'
ok "... and nothing is said of those that were not asked for" sh -c '! grep "not launched" stderr'
jq -c '.launches |= map(select(.kernel != "transpose<32>"))' old.json >fewer.json
gate --baseline fewer.json -D PAD=0
ok "one with conflicts is" ended 1 'transpose<32>, which is new: conflicts 0 -> 992'
ok "... and its line" grep -q 'app.cu:13: load in transpose<32>' stderr
ok "... and none without" test "$(grep -c 'in transpose<32>' stderr)" -eq 1

for change in '.compiler = "clang 3"|compiler is clang 3, and here it is clang' \
    '.bankscope = "0.9"|version of bankscope is 0.9, and here it is' \
    '.device = "A100"|device is A100, and here it is H200' \
    '.capability = 52|capability is 52, and here it is' \
    '.launches[].warp = 16|warp size is 16, and here it is 32' \
    'del(.bankscope)|does not say what it was made with'; do
    jq -c "${change%%|*}" old.json >other.json
    refuses "another baseline: ${change%%|*}" 2 "other.json cannot be compared: .*${change#*|}" \
        timeout 60 "$BANKSCOPE" run --compiler clang app.cu --baseline other.json
    ok "... before the program runs" test ! -s stdout
done
gate -p w=16 --json=half.json
gate -p w=16 --baseline half.json
ok "warps of another size are compared with their like" ended 0 'nothing grew since half.json'
refuses "a baseline that is none" 1 'app.cu is not a report' "$BANKSCOPE" run app.cu --baseline app.cu
refuses "... that is not there" 1 'nowhere.json' "$BANKSCOPE" run app.cu --baseline nowhere.json
"$BANKSCOPE" run --compiler clang app.cu --by stage --json=stages.json >/dev/null
refuses "... by stage" 1 'is a report by stage' "$BANKSCOPE" run app.cu --baseline stages.json

# ---- conditions -----------------------------------------------------------------------------------
# holds STATUS CONDITION
holds() {
    gate -D PAD=0 --fail-if "$2"
    ok "$2: $1" ended_with "$1"
}
ended_with() {
    cat "$WORK/stderr"
    [ "$status" -eq "$1" ]
}
holds 1 'conflicts > 0'
holds 0 'conflicts != 992'
holds 1 'conflicts(kernel=transpose) == 992'
holds 1 'max_ways(kernel="transpose<32>", line=13, op=load) == 32'
holds 0 'conflicts(kernel=scale) > 0'
holds 0 'conflicts(op=store) > 0'
holds 1 'conflicts(array=tile, file=app.cu) > max(100, 991)'
holds 0 'conflicts(array=other) > 0'
holds 1 'passes(array=other) == 33'
holds 1 'launches == 3'
holds 1 'passes - least == conflicts'
gate -D PAD=0 --fail-if 'conflicts > 5' --fail-if 'max_ways > 31' --fail-if 'faults > 0'
ok "several, and each that holds is told" test "$(grep -c '^bankscope run: ' stderr)" -eq 2
for wrong in 'conflicts(kernel=nothing) > 0|there is no kernel .nothing.*transpose<32>' \
    'conflicts(array=tyle) > 0|there is no array.*did you mean .tile' \
    'conflicts(file=b.cu) > 0|there is no file'; do
    gate --fail-if "${wrong%%|*}"
    ok "${wrong%%|*} is an error" ended 1 "${wrong#*|}"
done
for wrong in 'conflict > 0|did you mean .conflicts' 'conflicts >|end came too soon' \
    'conflicts(line=0) > 0|no line 0' 'conflicts(kernel="a) > 0|no end' 'conflicts(stage=a)|no argument .stage'; do
    refuses "${wrong%%|*} is refused before anything is compiled" 2 "${wrong#*|}" \
        "$BANKSCOPE" run nowhere.cu --fail-if "${wrong%%|*}"
done

# ---- the program's output and ours ----------------------------------------------------------------
gate --json=a.json --csv=a.csv --markdown=a.md --diagnostics sarif=a.sarif --apart
ok "with --apart, its output goes to standard error" grep -q "the program's own line" stderr
ok "... and none of it to standard output" sh -c '! grep -q "own line" stdout'
for file in a.json a.csv a.md a.sarif; do
    ok "$file has none of it" sh -c "test -s $file && ! grep -q 'own line' $file"
done
ok "JSON is one object" jq -es 'length == 1' a.json
ok "CSV has rows of one length" sh -c 'test $(awk -F, "{print NF}" a.csv | sort -u | wc -l) -eq 1'
for option in --markdown "--diagnostics sarif" "--diagnostics gcc"; do
    # shellcheck disable=SC2086 # two words
    gate -D PAD=0 $option
    ok "$option on standard output is alone there" sh -c \
        'test -s stdout && ! grep -q "own line" stdout && ! grep -q "^line  " stdout && grep -q "own line" stderr'
done
gate --json --apart
ok "--json --apart, too" jq -es 'length == 1' stdout
refuses "two reports on standard output" 2 'of --json and --markdown, two go to standard output' \
    "$BANKSCOPE" run app.cu --json --markdown
echo mine >mine.md
refuses "a file of the user's stays" 1 'mine.md.*not a report of --markdown' "$BANKSCOPE" run app.cu --markdown=mine.md

# ---- Markdown -------------------------------------------------------------------------------------
gate -D PAD=0 --markdown
ok "a table for a pull request" grep -Eq \
    '^\| `transpose<32>` \| `app.cu:13` \| load \| 64 \| 1056 \| 992 \| 32 \| [0-9.]+% \| `out' stdout
ok "its rows have as many cells" sh -c 'test "$(grep "^|" stdout | sed "s/[^|]//g" | sort -u | wc -l)" -eq 1'
gate -D PAD=0 --markdown --baseline old.json
ok "what changed" grep -q '| `app.cu:13` | load | 1056 | +992 | 992 | +992 | \*\*grew\*\* |' stdout
ok "... its rows have as many cells" sh -c 'test "$(grep "^|" stdout | sed "s/[^|]//g" | sort -u | wc -l)" -eq 1'
ok "... and the sum" grep -q '^\*\*Bank conflicts: 992\*\* (+992) in ' stdout
cp changed.cu app.cu
gate -D PAD=0 --json=two.json
cp kept.cu app.cu
gate --markdown --baseline two.json
ok "... of both kernels" grep -q '^\*\*Bank conflicts: 0\*\* (-1054) in ' stdout

# ---- is it worth mending? -------------------------------------------------------------------------
gate -D PAD=0
instructions=$(jq '.launches[0].instructions' bad.json)
passes=$(jq '[.launches[0].lines[].passes] | add' bad.json)
wanted=$(awk "BEGIN { q = $instructions / 4; printf \"%.1f\", 99200 / (q > $passes ? q : $passes) }")
ok "the bound is that of instructions and passes" grep -q \
    "without conflicts it saves at most about $wanted% of its time" stdout
gate -D PAD=0 --memory all --json=all.json
wanted=$(jq -r '.launches[0] | [.instructions, ([.lines[].passes] | add), ([.lines[].instructions] | add),
    (.global | .load.requests + .store.requests), (.global | .load.sectors + .store.sectors)] | join(" ")' all.json |
    awk '{ full = $5 / 4; m = $2 + ($4 > full ? $4 : full); q = $1 / 4
        printf "%.1f%% %.1f%% %.1f%%", 100 * $3 / $1, 100 * $2 / m, 99200 / (q > m ? q : m) }')
ok "with global memory, its passes, too" test "$wanted" = "$(sed -n '
    /^shared memory takes/ { N; s/[^0-9.]*\([0-9.]*%\)[^0-9.]*\([0-9.]*%\)[^0-9]*\([0-9.]*%\).*/\1 \2 \3/p; q }' stdout)"
ok "no line where there are no conflicts" test "$(grep -c 'it saves at most' stdout)" -eq 1
gate -D PAD=0 --launch 0 --blocks 5-6
ok "nor where instructions are not known" sh -c '! grep -q "it saves at most" stdout'

finish
