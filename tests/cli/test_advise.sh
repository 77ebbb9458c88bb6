#!/bin/sh
# advise: what a person sees of the search for layouts.
. tests/support/tap.sh

run_it "$BANKSCOPE" advise transpose variant=naive
ok "a transposition is padded" grep -Eq '^  1 padding after 32 elements +64 +0 ' "$WORK/stdout"
ok "and told how to write it" grep -q 'write *shared\[1055\]; then shared\[i + i / 32\]$' \
    "$WORK/stdout"
run_it "$BANKSCOPE" run transpose variant=naive -o "$WORK/t.jsonl"
ok "a trace gives the same advice" sh -c '"$1" advise transpose variant=naive >"$2/a" &&
    "$1" advise "$2/t.jsonl" >"$2/b" && "$1" advise - <"$2/t.jsonl" >"$2/c" &&
    cmp "$2/a" "$2/b" && cmp "$2/a" "$2/c"' sh "$BANKSCOPE" "$WORK"
run_it "$BANKSCOPE" advise histogram
ok "data is told from layout" grep -q 'decides what a lane reads' "$WORK/stdout"
if have jq; then
    run_it "$BANKSCOPE" advise transpose variant=naive --json
    ok "JSON has the counts" test "$(jq -c '[.arrays[0].today.conflicts,
        (.arrays[0].layouts[] | .conflicts)]' "$WORK/stdout")" = "[992,0,0]"
else
    skip "JSON has the counts" "no jq"
fi
cp "$TREE/kernels/stride.cu" "$WORK/mine.cu"
run_it "$BANKSCOPE" advise "$WORK/mine.cu" s=32
ok "a user's kernel is advised" grep -q '1 padding after 32' "$WORK/stdout"

# ---- programs as they stand ---------------------------------------------------------------------
programs() {
    run_it "$BANKSCOPE" advise tests/programs/transpose.cu
    ok "a program's array is written as it is declared" grep -q \
        'write *float tile\[32\]\[33\]; then tile\[y\]\[x\]$' "$WORK/stdout"
    ok "... with its price" grep -qx '  price    4096 -> 4224 bytes of shared memory a block (1 padding after 32 elements)' \
        "$WORK/stdout"
    ok "... and what fits a multiprocessor" grep -qx \
        ' *blocks on a multiprocessor: 8 of 48 KB, 6 of 100 KB, 8 of 164 KB, 8 of 228 KB' "$WORK/stdout"
    ok "each kernel is advised, the worst first" sh -c 'grep -A1 launch "$1" | tr "\n" " " |
        grep -Eq "^naive, 1 launch: float tile.32..32.: 576 .* 8928 .*padded, 1 launch: .*, 0 conf"' \
        sh "$WORK/stdout"
    ok "what the program says is on standard error" grep -q 'all values are right' "$WORK/stderr"
    run_it "$BANKSCOPE" advise tests/programs/reduce.cu --launch 1
    ok "an array of one dimension" grep -q 'write *int part\[134\]; then part\[i + i / 32 \* 2\]$' \
        "$WORK/stdout"
    run_it "$BANKSCOPE" advise tests/programs/transpose.cu --kernel naive --csv
    ok "as CSV, too" grep -q '^naive,tile,1 padding after 32 elements,.*,128,float tile\[32\]\[33\],tile\[y\]\[x\]$' "$WORK/stdout"
    run_it "$BANKSCOPE" advise tests/programs/transpose.cu --kernel padded --json
    ok "a kernel that is chosen, in JSON" grep -q \
        '^{"kernels":\[{"kernel":"padded","launches":1,"arrays":\[{"name":"tile","warp_accesses":576,"today":{[^}]*"conflicts":0,' \
        "$WORK/stdout"
    cat >"$WORK/carved.cu" <<'EOF'
__global__ void k(int *o)
{
    extern __shared__ __align__(16) unsigned char memory[];
    ((float *)memory)[threadIdx.x * 32] = ((int *)(memory + 4096))[threadIdx.x] = 1;
    __syncthreads();
    *o = ((float *)memory)[0] + ((int *)(memory + 4096))[0];
}
int main()
{
    int *o;
    cudaMalloc(&o, 4);
    k<<<1, 32, 4096 + 128>>>(o);
    cudaFree(o);
}
EOF
    run_it "$BANKSCOPE" advise "$WORK/carved.cu" --csv
    ok "arrays carved from bytes are counted in words" grep -q \
        '^k,memory,1 padding after 32 words,.*,0,128,1088 words of 4 bytes for memory,word i of memory is word i + i / 32$' \
        "$WORK/stdout"
    sed -i 's/((float \*)memory)/table/g; s/((int \*)(memory + 4096))/line/g
        s/\(.*unsigned char memory.*\)/\1 float *table = (float *)memory; int *line = (int *)(memory + 4096);/' \
        "$WORK/carved.cu"
    run_it "$BANKSCOPE" advise "$WORK/carved.cu" --csv
    ok "in elements where a pointer says which" grep -q \
        '^k,table,1 padding after 32 elements,.*,0,128,float table.1055.,table.i + i / 32.$' "$WORK/stdout"
    cat >"$WORK/many.cu" <<'EOF'
__global__ void k(int *o, int s) { __shared__ int a[1024]; a[threadIdx.x * s] = 1; *o = a[0]; }
template <int N> __global__ void t(int *o) { __shared__ int a[N]; a[threadIdx.x] = 1; *o = a[0]; }
int main()
{
    int *o;
    cudaMalloc(&o, 4);
    k<<<1, 32>>>(o, 32);
    t<64><<<1, 32>>>(o);
    k<<<2, 32>>>(o, 32);
    k<<<1, 32>>>(o, 1);
    t<128><<<1, 32>>>(o);
    cudaFree(o);
}
EOF
    run_it "$BANKSCOPE" advise "$WORK/many.cu"
    ok "launches of a kernel count together" sh -c 'grep -A1 "^k, 3 launches:" "$1" |
        grep -q "^int a.1024.: 8 warp accesses, 93 conflicts"' sh "$WORK/stdout"
    ok "arrays of another size apart" test "$(grep -c '^t<.*, 1 launch:$' "$WORK/stdout")" -eq 2
    run_it "$BANKSCOPE" advise "$WORK/many.cu" --launch 2
    ok "of a launch that is chosen only itself" grep -q '^int a.1024.: 4 .* 62 conflicts' \
        "$WORK/stdout"
    cat >"$WORK/ends.cu" <<'EOF'
#include <cstdlib>
__global__ void k(int *o) { __shared__ int s[1024]; s[threadIdx.x * 32] = 1; *o = s[0]; }
int main(int argc, char **argv)
{
    int *o;
    cudaMalloc(&o, 4);
    k<<<1, 32>>>(o);
    cudaFree(o);
    return argc > 1 ? atoi(argv[1]) : 0;
}
EOF
    run_it "$BANKSCOPE" advise "$WORK/ends.cu" -- 42
    ok "arguments and status are the program's" test "$status" -eq 42
    ok "whose launch is advised all the same" grep -q 'int s\[1024\]: .* 31 conflicts' "$WORK/stdout"
    refuses "no launch of that name" 1 "--kernel chooses no launch of .*ends.cu; 'bankscope run' lists them" \
        "$BANKSCOPE" advise "$WORK/ends.cu" --kernel none
    sed -e 's/\*o = s\[0\]/if (blockIdx.x == n) o[9999999] = 1; &/' -e 's/int \*o) {/int *o, int n) {/' \
        -e 's/<<<1, 32>>>(o)/<<<4, 32>>>(o, argc > 1 ? 0 : 2)/' "$WORK/ends.cu" >"$WORK/faulty.cu"
    run_it "$BANKSCOPE" advise "$WORK/faulty.cu" --jobs 1
    ok "a block that a fault has ended is left out, and that is said" \
        grep -q '^bankscope advise: launch 0 stopped early: traces and advice have 2 of its 4 blocks only, tables all' \
        "$WORK/stderr"
    run_it "$BANKSCOPE" advise "$WORK/faulty.cu" -- 1
    ok "nothing is left where it is the first" grep -q '^bankscope advise: launch 0 .* have nothing of it, ' "$WORK/stderr"
    ok "and what stopped it, and where" grep -Eq \
        '^bankscope advise: .*faulty.cu: nothing is recorded of launch 0 \(k\), which stopped .*: bad-address at .*faulty.cu:2$' \
        "$WORK/stderr"
    if "$BANKSCOPE" help export >/dev/null 2>&1; then
        run_it "$BANKSCOPE" export "$WORK/faulty.cu" -o "$WORK/faulty.svg" -- 1
        ok "which export says, too" grep -q 'nothing is recorded of launch 0 (k), .*bad-address at' "$WORK/stderr"
    else
        skip "export" "built without cairo"
    fi
    run_it "$BANKSCOPE" run "$WORK/faulty.cu"
    ok "a table has it" sh -c '! grep "traces and advice" "$1"' - "$WORK/stderr"
    printf '__global__ void k() {}\nint main() { return nothing; }\n' >"$WORK/broken.cu"
    run_it "$BANKSCOPE" advise "$WORK/broken.cu"
    ok "a program that does not compile" grep -q 'broken.cu:2:21: error' "$WORK/stderr"
    refuses "a program's option for a kernel" 2 '--launch is for CUDA programs' \
        "$BANKSCOPE" advise stride --launch=1
    for option in "--kernel foo" "--blocks 0-1" "-I foo" "-Ifoo" "--no-nvcc"; do
        word=${option%% *}
        [ "$word" = -Ifoo ] && word=-I
        for command in stats view export run advise; do
            [ "$command" != run ] || [ "${option#--}" != "$option" ] || continue
            "$BANKSCOPE" help "$command" >/dev/null 2>&1 || continue
            # shellcheck disable=SC2086 # an option may have a value
            more=
            [ "$command" != export ] || more="-o $WORK/x.txt"
            refuses "$command names the option in '$option'" 2 \
                "^bankscope $command: $word is for CUDA programs" "$BANKSCOPE" "$command" stride $option $more
        done
    done
}
if runs_programs; then programs; else skip "programs as they stand" "needs clang and libdw"; fi

# ---- bad input ----------------------------------------------------------------------------------
head -n 20 "$WORK/t.jsonl" >"$WORK/cut.jsonl"
run_it "$BANKSCOPE" advise "$WORK/t.jsonl" --csv
ok "a recording's advice as CSV" test "$(cut -d, -f3 "$WORK/stdout" | head -n 2 | tr '\n' ' ')" = 'layout as it is '
refuses "a cut trace is told" 1 'cut' "$BANKSCOPE" advise "$WORK/cut.jsonl"
refuses "a missing file is told" 1 'cannot open .*none.jsonl' "$BANKSCOPE" advise "$WORK/none.jsonl"
refuses "an unknown kernel is told" 1 'nor is there a file' "$BANKSCOPE" advise transposs
refuses "nothing to advise on" 2 'which trace or kernel' "$BANKSCOPE" advise
refuses "two recordings" 2 'one recording at most' "$BANKSCOPE" advise stride puzzle
finish
