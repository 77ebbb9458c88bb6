#!/bin/sh
# global memory: what a CUDA program does in global memory, from the command line: table, JSON, CSV, traces, stats, pictures.
. tests/support/tap.sh
command -v clang >/dev/null || command -v clang-14 >/dev/null || {
    skip "global memory of programs" "there is no clang"
    finish
    exit
}
if [ ! -f "$(dirname "$BANKSCOPE")/cudart.o" ]; then
    skip "global memory of programs" "this build has no runtime for programs"
    finish
    exit
fi

# 32 x 32 numbers, read by rows and written by columns, through a tile; a sum of all; an array with a computed index.
cat >"$WORK/turn.cu" <<'EOT'
#include <cuda_runtime.h>
__global__ void turn(float *out, const float *in, int *count)
{
    __shared__ float tile[32][33];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.x * 32 + threadIdx.y] = tile[threadIdx.y][threadIdx.x];
    atomicAdd(&count[threadIdx.x], 1);
}
__global__ void digits(int *out, const int *in)
{
    int count[10] = {0};
    for (int i = 0; i < 10; i++)
        count[in[i + threadIdx.x] % 10]++;
    out[threadIdx.x] = count[threadIdx.x % 10];
}
int main()
{
    float *in, *out;
    int *count;
    cudaMalloc(&in, 4096);
    cudaMalloc(&out, 4096);
    cudaMalloc(&count, 4096);
    cudaMemset(in, 0, 4096);
    cudaMemset(count, 0, 4096);
    turn<<<1, dim3(32, 32)>>>(out, in, count);
    digits<<<1, 32>>>((int *)out, count);
    return cudaDeviceSynchronize();
}
EOT
lacks() {
    ! grep -q "$@"
}
runs() {
    "$BANKSCOPE" run "$WORK/turn.cu" --no-nvcc "$@"
}

runs --memory all --json="$WORK/all.json" --csv="$WORK/all.csv" >"$WORK/all"
ok "a table of requests, sectors, sectors per request, and the least" grep -Eq \
    'turn.cu:5 +load +32 +128 +4.00 +128 +' "$WORK/all"
ok "a column takes a sector for each lane" grep -Eq 'turn.cu:7 +store +32 +1024 +32.00 +128 +' "$WORK/all"
ok "an atomic operation without a result is a reduction" grep -Eq 'turn.cu:8 +reduction +32 +128 +' "$WORK/all"
ok "shared memory is in the table, too" grep -Eq 'turn.cu:5 +store +32 +32 +0 +1 ' "$WORK/all"
ok "local memory is named by its line" grep -Eq 'turn.cu:1[2-5] +local (load|store) +[0-9]+  +[^ 0-9]' "$WORK/all"
ok "JSON has an object for it" grep -q \
    '"global":{"load":{"requests":32,"sectors":128,"sectors_per_request":4,"least_sectors":128},"store":{"requests":32,"sectors":1024,' "$WORK/all.json"
ok "and its lines" grep -q '"op":"store","requests":32,"sectors":1024,"sectors_per_request":32,"least_sectors":128,"max_sectors":32' "$WORK/all.json"
ok "and those of local memory" grep -q '"local":\[{"file"' "$WORK/all.json"
ok "CSV has columns for it" grep -q '^kernel,launch,file,line,op,.*,code,space,sectors,least$' "$WORK/all.csv"
ok "with what a memory does not have left out" grep -Eq ',7,store,32,1024,,,,[^,]*,global,1024,128$' "$WORK/all.csv"

runs >"$WORK/shared"
ok "without --memory it is not in the table" lacks ' global \| local ' "$WORK/shared"
runs --memory global >"$WORK/global"
ok "alone, it is without shared memory" lacks 'conflicts\|shared' "$WORK/global"
runs --memory global --by array >"$WORK/array"
ok "by array rows have the names of parameters" grep -Eq '^in \(float\[\]\) +load +32 +128 ' "$WORK/array"
ok "one row for each operation" grep -Eq '^count \(int\[\]\) +reduction +32 +128 ' "$WORK/array"
ok "JSON has them with each line" grep -q '"arrays":\[{"name":"out",.*"requests":32,"sectors":1024,' "$WORK/all.json"

# Pointers that are added to numbers, taken out of a struct, chosen of, and loaded; a variable of the module.
cat >"$WORK/pointers.cu" <<'EOT'
#include <cuda_runtime.h>
struct pair { const float *first; float *second; };
__device__ float table[64];
__global__ void pointers(const char *bytes, size_t from, pair two, float *const *list, int which, float *a, float *b)
{
    const int i = threadIdx.x;
    float sum = bytes[from + i];
    sum += two.first[i] + table[i];
    sum += list[which][i];
    float *chosen = which ? a : b;
    chosen[i] = sum;
}
int main()
{
    float *data, **list;
    cudaMallocManaged(&data, 4096);
    cudaMallocManaged(&list, 64);
    for (int i = 0; i < 1024; i++)
        data[i] = 1;
    list[0] = data;
    pointers<<<1, 32>>>((const char *)data, 64, pair{data, data}, list, 0, data, data + 512);
    return cudaDeviceSynchronize();
}
EOT
"$BANKSCOPE" run "$WORK/pointers.cu" --no-nvcc --memory global --by array >"$WORK/by_clang"
ok "a pointer to which a size is added" grep -Eq '^bytes \(char\[\]\) +load +1 ' "$WORK/by_clang"
ok "pointers of a struct have its name" grep -Eq '^two \(struct pair\) +load +1 ' "$WORK/by_clang"
ok "a variable of the module" grep -Eq '^table \(float\[64\]\) +load +1 ' "$WORK/by_clang"
ok "a list of pointers, and not what they point to" grep -Eq '^list \(float \*\[\]\) +load +1 ' "$WORK/by_clang"
ok "what is not known has no name" test "$(grep -Ec '^global memory +(load|store) +1 ' "$WORK/by_clang")" = 2
if NVCC=$(find_nvcc); then
    export NVCC
    "$BANKSCOPE" run "$WORK/pointers.cu" --compiler nvcc --memory global --by array >"$WORK/by_nvcc"
    for by in clang nvcc; do
        awk 'NR > 1 && !NF { exit } NR > 1' "$WORK/by_$by" >"$WORK/rows_by_$by"
    done
    ok "nvcc's code has the same names" cmp "$WORK/rows_by_clang" "$WORK/rows_by_nvcc"
    run_it "$BANKSCOPE" run "$TREE/tests/programs/convolution.cu" --compiler nvcc --memory global
    ok "what machine code does otherwise than PTX is an estimate, on its line" grep -Eq \
        'convolution.cu:18: the global loads of this line are an estimate' "$WORK/stderr"
    run_it "$BANKSCOPE" run "$TREE/tests/programs/transpose.cu" --compiler nvcc --memory global
    ok "... and nothing else is" sh -c '! grep estimate "$1"' - "$WORK/stderr"
    cat >"$WORK/drawn.cu" <<'EOT'
__global__ void k(int *a, const int *at)
{
    int i = threadIdx.x;
    a[1024 + i] = atomicExch(&a[at[i]], i);
}
int main()
{
    int *a, *at, host[32];
    for (int i = 0; i < 32; i++)
        host[i] = i < 4 ? 0 : i < 8 ? i : 32 * (i - 7);
    cudaMalloc(&a, 8192);
    cudaMemset(a, 0, 8192);
    cudaMalloc(&at, 128);
    cudaMemcpy(at, host, 128, cudaMemcpyHostToDevice);
    k<<<1, 32>>>(a, at);
    return cudaDeviceSynchronize();
}
EOT
    no_line() {
        "$NVCC" -arch=sm_80 -cudart shared "$WORK/drawn.cu" -o "$WORK/drawn" &&
            "$BANKSCOPE" run --no-gpu --memory global -- "$WORK/drawn" >"$WORK/drawn.said" 2>&1
        grep -q '^bankscope run: the global atomics without a line are an estimate: of 1 request ' "$WORK/drawn.said"
    }
    ok "an estimate of accesses that have no line says so" no_line
else
    skip "nvcc's code has the same names" "there is no nvcc"
fi

runs --memory all --launch 0 -o "$WORK/all.jsonl" >/dev/null
runs --launch 0 -o "$WORK/shared.jsonl" >/dev/null
ok "a trace with global memory is of version 2" grep -q '"version":2' "$WORK/all.jsonl"
ok "one without is of version 1" grep -q '"version":1' "$WORK/shared.jsonl"
"$BANKSCOPE" stats "$WORK/all.jsonl" --by line >"$WORK/stats"
ok "stats has the same numbers as the table" grep -Eq 'turn.cu:7 +global store .* 1024 +32.00 +128 ' "$WORK/stats"
"$BANKSCOPE" stats "$WORK/shared.jsonl" "$WORK/all.jsonl" --csv >"$WORK/both"
ok "two recordings compare in it" grep -q '^phase 1,store,0,0,0,0,global,0,1024$' "$WORK/both"
ok "a condition may ask for sectors" "$BANKSCOPE" stats "$WORK/all.jsonl" --fail-if 'sectors(op=load) > least_sectors(op=load)'
refuses "and fails" 1 'sectors > least_sectors' "$BANKSCOPE" stats "$WORK/all.jsonl" --fail-if 'sectors > least_sectors'
"$BANKSCOPE" stats "$WORK/all.jsonl" --by access --csv >"$WORK/rows"
ok "each access is a row" grep -q ',out,.*,global,32,4$' "$WORK/rows"
"$BANKSCOPE" stats "$WORK/all.jsonl" --by array >"$WORK/arrays"
ok "by array rows have the names of arrays in global memory" grep -Eq '^out +global store .* 1024 +32.00 +128$' "$WORK/arrays"
ok "and of those in shared memory" grep -Eq '^tile +store +32 ' "$WORK/arrays"
"$BANKSCOPE" stats "$WORK/all.jsonl" "$WORK/all.jsonl" --by array --csv >"$WORK/same"
ok "two recordings compare by them" grep -q '^count,reduction,.*,global,128,128$' "$WORK/same"
ok "a picture of a round has its sectors" "$BANKSCOPE" export "$WORK/all.jsonl" --stage 'phase 1' --rounds 1 --warp 0 \
    --width 178 -o "$WORK/all.txt"
ok "and says how many there are" grep -q 'line 7, array out: store of 32 lanes, 32 sectors of 32 bytes, 4 at least' "$WORK/all.txt"
ok "in its title, too, those of this round" grep -q '"phase 1, round 1, .*32 sectors of global memory"' "$WORK/all.txt"
narrow() { # a word of each is wanted, and no edge hides it
    "$BANKSCOPE" export "$WORK/all.jsonl" --stage 'phase 1' --rounds 1 --warp 0 --width 106 -o "$WORK/narrow.txt" &&
        [ "$(grep -c '^box .* bad *$' "$WORK/narrow.txt")" -eq 32 ] && ! grep bad-edge "$WORK/narrow.txt"
}
ok "an eighth of narrow sectors can be seen" narrow
runs --memory all --launch 1 -o "$WORK/digits.jsonl" >/dev/null
ok "a launch without shared memory has a picture" "$BANKSCOPE" export "$WORK/digits.jsonl" --rounds 0 -o "$WORK/digits.svg"
few() { # two rounds, whose banks would be empty
    "$BANKSCOPE" export "$TREE/lessons/18-coalescing/copy.cu" --memory all --launch 3 -o "$WORK/few.txt" &&
        grep '"phase 0, round 0: 32 sectors of global memory"' "$WORK/few.txt" && ! grep '"31:"' "$WORK/few.txt"
}
ok "and of few rounds the one with most sectors" few
cat >"$WORK/spread.cu" <<'END'
__global__ void k(int *out)
{
    __shared__ int s[64];
    s[threadIdx.x * 2] = out[threadIdx.x * 32];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x * 2];
}
END
"$BANKSCOPE" run "$WORK/spread.cu" --call 'k<<<1, 32>>>(out)' --array 'int out[1024]' --memory all --compiler clang \
    -o "$WORK/spread.jsonl" >/dev/null
stages() { # HOW: the rows of both spaces, and what one has and the other has not
    "$BANKSCOPE" stats "$WORK/spread.jsonl" "$@" | tr -s ' ' | diff - "$WORK/wanted"
}
cat >"$WORK/wanted" <<'END'
stage op warp accesses accesses passes conflicts max ways sectors per request least
phase 0 store 1 32 2 1 2
phase 0 global load 1 32 0 0 0 32 32.00 4
phase 1 load 1 32 2 1 2
phase 1 global store 1 32 0 0 0 4 4.00 4
total 4 128 4 2 2 36 18.00 8
END
ok "stages have rows for either memory" stages
cat >"$WORK/wanted" <<'END'
stage,op,warp_accesses,accesses,passes,conflicts,max_ways,space,sectors,least
phase 0,store,1,32,2,1,2,shared,,
phase 0,load,1,32,0,0,0,global,32,4
phase 1,load,1,32,2,1,2,shared,,
phase 1,store,1,32,0,0,0,global,4,4
END
ok "in CSV, too" stages --csv
ok "advice is about shared memory" "$BANKSCOPE" advise "$WORK/all.jsonl"
refuses "another word for --memory" 2 'memory' runs --memory texture
finish
