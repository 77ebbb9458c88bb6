#!/bin/sh
# stats of reports that run --json has written: one, two, and one beside ncu's.
. tests/support/tap.sh
. tests/support/cuda.sh
cd "$WORK" || exit 1

cat >app.cu <<'END'
#ifndef PAD
#define PAD 0
#endif
template <int N> __global__ void k(int *out)
{
    __shared__ int tile[32][32 + PAD];
    tile[threadIdx.x][0] = N;
    __syncwarp();
    out[threadIdx.x] = tile[0][threadIdx.x] + tile[threadIdx.x][0];
}
int main()
{
    int *out;
    cudaMalloc(&out, 128);
    for (int i = 0; i < 3; i++)
        k<1><<<1, 32>>>(out);
    k<2><<<1, 32>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
END
for pad in 0 1; do
    "$BANKSCOPE" run --compiler clang app.cu -DPAD=$pad --memory all --excuse unwritten-read --json=$pad.json >/dev/null
done

run_it "$BANKSCOPE" stats 0.json
ok "lines of all launches of a kernel" grep -Eq '^app.cu:7 +store +3 +96 +93 +32( +[0-9.]+%){3}  tile' stdout
ok "... and their sum" grep -Eq '^total +9 +195 +186 +32( +[0-9.]+%){3}$' stdout
ok "each kernel" grep -q '^k<2>: 1 launch, 1 block, ' stdout
run_it "$BANKSCOPE" stats 0.json --csv
ok "as CSV" grep -Eq '^k<1>,3,app.cu,7,store,3,96,93,32(,0\.[0-9]{4}){3}$' stdout
# 3 launches of a warp: 96 passes by line 7, 99 by line 9, and 3 stores to global memory of 4 sectors each
jq -r '[.launches[] | select(.kernel == "k<1>")] |
    (map(.instructions) | add) as $code | (map(.lines[].passes) | add) as $passes |
    (map(.global.store.requests) | add) as $requests | (map(.global.store.sectors) | add) as $sectors |
    [$code, $passes, $requests, $sectors] | join(" ")' 0.json >numbers
ok "the numbers are these" grep -Eq '^[0-9]+ 195 3 12$' numbers
awk '{ q = $1 / 4; m = $2 + $3; printf "k<1>,3,app.cu,7,store,3,96,93,32,%.4f,%.4f,%.4f\n", 93 / (q > m ? q : m), 3 / $1, 96 / m }' numbers >wanted
ok "... with its shares of instructions and of memory" grep -qxFf wanted stdout
jq -c 'del(.launches[].global)' 0.json >shared.json
run_it "$BANKSCOPE" stats shared.json --csv
ok "... and none of memory, where global memory was not looked at" grep -Eq '^k<1>,3,app.cu,7,store,3,96,93,32(,0\.[0-9]{4}){2},$' stdout
jq -c '.launches[].lines |= reverse' 0.json >turned.json
"$BANKSCOPE" stats 0.json >as_they_came
run_it "$BANKSCOPE" stats turned.json
ok "lines of a file are in their order, whatever the report's is" diff as_they_came stdout
run_it "$BANKSCOPE" stats 0.json 1.json
ok "what changed" grep -Eq '^  app.cu:7 +store +96 +3 +-93 +93 +0 +-93$' stdout
ok "... by kernel" grep -Eq '^k<2> ' stdout
jq -c '(.launches[].lines[] | select(.file == "app.cu")).file = "mended.cu"' 1.json >mended.json
"$BANKSCOPE" stats 0.json 1.json --csv | sed 's/app[.]cu/mended.cu/' >of_one
run_it "$BANKSCOPE" stats 0.json mended.json --csv
ok "a copy under another name is the same file" diff of_one stdout
jq -c '.launches[].lines[1].file = "more.cu"' mended.json >split.json
run_it "$BANKSCOPE" stats 0.json split.json
ok "... but not where it could be either of two" grep -Eq '^  app.cu:7 .* gone$' stdout
run_it "$BANKSCOPE" stats 0.json 1.json --json
ok "... as JSON" jq -e '.difference[] | select(.kernel == "k<1>" and .line == 7 and .op == "store") |
    .passes == [96, 3] and .conflicts == [93, 0] and .grew == false' stdout
ok "... two kernels with two lines each, and no more" jq -e '.difference | length == 6' stdout
run_it "$BANKSCOPE" stats 1.json 0.json --csv
ok "... as CSV" grep -q '^k<1>,app.cu,7,store,3,96,0,93$' stdout
run_it "$BANKSCOPE" stats 1.json 0.json --json
ok "... what grew" jq -e '[.difference[] | select(.grew) | .line] | index(7) and index(null)' stdout
for more in passes conflicts; do
    jq -c ".launches[0].lines[0].$more += 1" 0.json >more.json
    run_it "$BANKSCOPE" stats 0.json more.json --json
    ok "... more $more alone" jq -e '[.difference[] | select(.grew) | [.kernel, .line]] == [["k<1>", null], ["k<1>", 7]]' stdout
done
jq -c '.launches |= .[:1] | .launches[0].lines |= [.[0], .[0] + {line: 8}]' 0.json >was.json
jq -c '.launches[0].lines[] |= (.line += 1 | .source = "other at \(.line)")' was.json >is.json
run_it "$BANKSCOPE" stats was.json is.json --csv
ok "where no line kept its text, those of one number are one line" sh -c \
    "grep -q '^k<1>,app.cu,8,store,32,32,' stdout && grep -q '^k<1>,app.cu,7,store,32,0,' stdout"
jq -c '.compiler = "clang 3"' 0.json >other.json
run_it "$BANKSCOPE" stats other.json 1.json
ok "other conditions are told" sh -c "test $status -eq 0 && grep -q 'compiler is clang 3, and here it is' stderr"
refuses "a condition" 1 '0.json: conflicts\(line=7\) > 0' "$BANKSCOPE" stats 1.json 0.json --fail-if 'conflicts(line=7) > 0'
run_it "$BANKSCOPE" stats 0.json 1.json --fail-if 'conflicts(line=7) > 0'
ok "... of the last one" test "$status" -eq 0
refuses "a report and a recording" 2 'cannot be compared' "$BANKSCOPE" stats 0.json stride
refuses "a report by stage" 2 'takes no --by' "$BANKSCOPE" stats 0.json --by stage --by round

# ---- ncu ------------------------------------------------------------------------------------------
cat >source.csv <<'END'
==PROF== Connected to process 1
"File Path","/home/u/some where/app.cu"
"Function Name","void k<(int)1>(int *)"
"Line No","Source","Address","Source","# Samples","L1 Wavefronts Shared","L1 Wavefronts Shared Excessive","L1 Wavefronts Shared Ideal"
"7","    tile[threadIdx.x][0] = N; // ""one"", two","-","","1","32","31","1"
"","","0x7f00","      STS [R1], R2","1","32","31","1"
"9","    out[...]","-","","1","1,033","31","2"
"10","}","-","","1","0","0","0"
"File Path","/usr/include/other.h"
"Function Name","void k<(int)1>(int *)"
"Line No","Source","Address","Source","# Samples","L1 Wavefronts Shared","L1 Wavefronts Shared Excessive","L1 Wavefronts Shared Ideal"
"3","x","-","","1","5","0","5"
"File Path","/home/u/some where/app.cu"
"Function Name","void k<(int)2>(int *)"
"Line No","Source","Address","Source","# Samples","L1 Wavefronts Shared","L1 Wavefronts Shared Excessive","L1 Wavefronts Shared Ideal"
"7","    tile[threadIdx.x][0] = N;","-","","1","32","31","1"
END
run_it "$BANKSCOPE" stats 0.json --ncu source.csv
ok "ncu's numbers beside ours" grep -Eq '^app.cu:7 +128 +64 +-64 +124 +62 +-62  tile' stdout
ok "... its thousands" grep -Eq '^app.cu:9 +[0-9]+ +1033 ' stdout
ok "... lines that only it has" grep -Eq '^/usr/include/other.h:3 +0 +5 +\+5' stdout
ok "... not its instructions, and no line without shared memory" sh -c '! grep -q "app.cu:10\|app.cu:0" stdout'
ok "... other numbers of launches are told" grep -q 'k: 4 launches here, 2 in ncu' stderr
ok "... and lines with another text" grep -q '2 lines have another text in ncu.s, the first app.cu:7' stderr
run_it "$BANKSCOPE" stats 0.json --ncu source.csv --csv
ok "... as CSV" grep -qx 'app.cu,7,128,64,124,62' stdout
sed 's/,"L1 Wavefronts Shared Excessive"//; s/^\("7",.*\),"31",/\1,/; s/^\("9",.*\),"31",/\1,/' source.csv >ideal.csv
run_it "$BANKSCOPE" stats 0.json --ncu ideal.csv --csv
ok "... by what it calls ideal" grep -qx 'app.cu,7,128,64,124,62' stdout
refuses "a file of something else" 1 'no source lines.*--print-source cuda,sass' "$BANKSCOPE" stats 0.json --ncu app.cu
sed 's/L1 Wavefronts Shared/Other/g' source.csv >none.csv
refuses "a page without these counters" 1 "no column 'L1 Wavefronts Shared'" "$BANKSCOPE" stats 0.json --ncu none.csv
sed 's/N; .. ""one"", two/f("", "a","b"); \/\/ "c", "/' source.csv >quotes.csv
run_it "$BANKSCOPE" stats 0.json --ncu quotes.csv --csv
ok "quotes within the source, which ncu does not double" grep -qx 'app.cu,7,128,64,124,62' stdout
ok "... do not swallow the next line" grep -q '^app.cu,9,[0-9]*,1033,' stdout
sed 's|/home/u/some where/app.cu|/build/elsewhere.d/app.cu|' source.csv >elsewhere.csv
jq -c '(.launches[].lines[] | select(.file == "app.cu")).file = "src/app.cu"' 0.json >src.json
run_it "$BANKSCOPE" stats src.json --ncu elsewhere.csv --csv
ok "a file of another folder" grep -qx 'src/app.cu,7,128,64,124,62' stdout
ok "... is told" grep -q '/build/elsewhere.d/app.cu is taken to be src/app.cu' stderr
jq -c '.launches[0].lines[0].file = "other/app.cu"' src.json >two.json
run_it "$BANKSCOPE" stats two.json --ncu elsewhere.csv --csv
ok "... but not where two are called so" grep -q '^/build/elsewhere.d/app.cu,7,0,64' stdout

# What ncu 2025.3 wrote on an H100 (tests/data), whose numbers are those of this machine.
"$BANKSCOPE" run --compiler clang "$TREE/tests/programs/transpose.cu" --json=transpose.json >/dev/null
run_it "$BANKSCOPE" stats transpose.json --ncu "$TREE/tests/data/h100-ncu-cuda-sass.csv" --csv
sed "s|^[^,]*/transpose.cu|transpose.cu|" stdout >real
cat >expected <<'END'
file,line,passes,ncu_wavefronts,conflicts,ncu_excessive
transpose.cu,17,288,288,0,0
transpose.cu,22,9216,9216,8928,8928
transpose.cu,30,288,288,0,0
transpose.cu,35,288,288,0,0
transpose.cu,44,288,288,0,0
transpose.cu,51,288,288,0,0
END
ok "an H100's page" diff expected real
ok "... in another folder, and no more to say" sh -c 'grep -q "is taken to be" stderr && ! grep -q ";" stderr'
refuses "... of sources alone" 1 'no numbers, only sources.*--print-source cuda,sass' "$BANKSCOPE" stats transpose.json --ncu "$TREE/tests/data/h100-ncu-cuda.csv"
refuses "a kernel beside ncu's" 2 'takes a report' "$BANKSCOPE" stats stride --ncu source.csv
refuses "two reports" 2 'takes one report' "$BANKSCOPE" stats 0.json 1.json --ncu source.csv

finish
