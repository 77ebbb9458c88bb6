#!/bin/sh
# program: CUDA programs as they stand run here, and their conflicts come with lines.
. tests/support/tap.sh
. tests/support/cuda.sh

# totals FILE: kernel, then instructions, passes and conflicts of loads and of stores, from JSON.
totals() {
    jq -r '.launches[] | [.kernel, .load.instructions, .load.passes, .load.conflicts,
        .store.instructions, .store.passes, .store.conflicts] | join(" ")' "$1"
}

# ---- what is counted, as an H200 counts it --------------------------------------------------------
cat >"$WORK/sample.cu" <<'EOF'
#include <cstdio>
template <int PAD> __global__ void transpose(float *to, const float *from, int n)
{
    __shared__ float tile[16][16 + PAD];
    int x = blockIdx.x * 16, y = blockIdx.y * 16;
    tile[threadIdx.y][threadIdx.x] = from[(y + threadIdx.y) * n + x + threadIdx.x];
    __syncthreads();
    to[(x + threadIdx.y) * n + y + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void divergent(float *to, const float *from, int n)
{
    __shared__ float s[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        s[i] = from[i];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < n; i++)
        if ((threadIdx.x + i) % 3 == 0)
            sum += s[threadIdx.x * i % 1024];
    to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main(int argc, char **argv)
{
    enum { N = 64 };
    static float h[N * N], back[N * N];
    float *in, *out;
    for (int i = 0; i < N * N; i++)
        h[i] = i;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    dim3 grid(N / 16, N / 16), block(16, 16);
    transpose<0><<<grid, block>>>(out, in, N);
    transpose<1><<<grid, block>>>(out, in, N);
    cudaMemcpy(back, out, sizeof h, cudaMemcpyDeviceToHost);
    int wrong = 0, word = 0;
    for (int i = 0; i < N * N; i++)
        wrong += back[i] != h[i % N * N + i / N];
    divergent<<<2, 64>>>(out, in, 40);
    cudaFree(in);
    cudaFree(out);
    if (argc > 1 && scanf("%d", &word) == 1)
        printf("%d wrong, argument %s, input %d\n", wrong, argv[1], word);
    return wrong ? 1 : argc > 2 ? 42 : 0;
}
EOF
run_it "$BANKSCOPE" run "$WORK/sample.cu" --json="$WORK/sample.json"
cat >"$WORK/wanted" <<'EOF'
transpose<0> 128 1024 896 128 128 0
transpose<1> 128 256 128 128 256 128
divergent 160 252 92 64 64 0
EOF
totals "$WORK/sample.json" >"$WORK/got"
ok "the program runs" test "$status" -eq 0
ok "its counts are a GPU's" diff "$WORK/wanted" "$WORK/got"
ok "by line, with the source" grep -Eq \
    'sample.cu:8 +load +128 +1024 +896 +8 +88.9%  to\[' "$WORK/stdout"
ok "that clang's counts are not nvcc's is said, once" test \
    "$(grep -c "^the counts are of clang's code: nvcc may " "$WORK/stdout")" -eq 1
jq -c '.launches[2].lines[1] | [.line, .op, .instructions, .passes, .conflicts, .max_ways]' \
    "$WORK/sample.json" >"$WORK/got"
ok "by line, in JSON" grep -qx '\[20,"load",160,252,92,11\]' "$WORK/got"

run_it sh -c "echo 17 | '$BANKSCOPE' run '$WORK/sample.cu' --csv -- word more"
ok "arguments and standard input are the program's" grep -q '0 wrong, argument word, input 17' \
    "$WORK/stdout"
ok "so is the exit status" test "$status" -eq 42
ok "rows with commas" grep -q '^transpose<1>,1,.*sample.cu,8,load,128,4096,256,128,2,clang [0-9]* for sm_80$' "$WORK/stdout"

# ---- what is recorded -----------------------------------------------------------------------------
run_it "$BANKSCOPE" run "$WORK/sample.cu" --kernel '^transpose' --blocks 1-3 --by array
ok "some kernels, some blocks" test "$(grep -c '3 of 16 blocks recorded' "$WORK/stdout")" -eq 2
ok "by array, with its type" grep -Eq '^tile \(float\[16\]\[17\]\) +load +24 +48 +24' "$WORK/stdout"
ok "no other kernel" sh -c "! grep -q '^divergent' '$WORK/stdout'"
mkdir -p "$WORK/calls"
cat >"$WORK/calls/help.cuh" <<'EOF'
__device__ __forceinline__ int take(int *s, int i)
{
    return s[i];
}
__device__ __forceinline__ int twice(int *s, int i)
{
    return take(s, 2 * i) + take(s, 3);
}
EOF
cat >"$WORK/calls/calls.cu" <<'EOF'
#include "help.cuh"
__device__ __noinline__ int far(int *s, int i)
{
    return s[i];
}
__global__ void k(int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = s[threadIdx.x + 32] = threadIdx.x;
    __syncthreads();
    int x = take(s, threadIdx.x);
    x += take(s, 4 * threadIdx.x % 64);
    x += twice(s, threadIdx.x);
    x += far(s, threadIdx.x) + far(s, threadIdx.x ^ 1);
    x += far(s, threadIdx.x * 2);
    out[threadIdx.x] = x;
}
int main()
{
    int *d;
    cudaMalloc(&d, 128);
    k<<<1, 32>>>(d);
    cudaFree(d);
}
EOF
cd "$WORK/calls" || exit 1
cat >"$WORK/want" <<'EOF'
calls.cu:4 load 3 4 1 return s[i];
calls.cu:9 store 2 2 0 s[threadIdx.x] = s[threadIdx.x + 32] = threadIdx.x;
help.cuh:3 < calls.cu:11 load 1 1 0 int x = take(s, threadIdx.x);
help.cuh:3 < calls.cu:12 load 1 2 1 x += take(s, 4 * threadIdx.x % 64);
help.cuh:3 < 7 < calls.cu:13 load 2 3 1 x += twice(s, threadIdx.x);
EOF
"$BANKSCOPE" run --no-nvcc calls.cu --by call >"$WORK/stdout"
sed -n 's/  *[0-9]*  *[0-9.]*%  / /; s/  */ /g; /^calls\|^help/p' "$WORK/stdout" >"$WORK/got"
ok "by call, with the lines that called" diff "$WORK/want" "$WORK/got"
"$BANKSCOPE" run --no-nvcc calls.cu --by call --csv >"$WORK/stdout"
ok "as CSV" grep -q 'k,0,help.cuh,3,help.cuh:7 calls.cu:13,load,2,64,3,1,2,clang .*' "$WORK/stdout"
"$BANKSCOPE" run --no-nvcc calls.cu --by call --json >"$WORK/stdout"
ok "as JSON" test "$(jq -c '.launches[0].lines[4].calls' "$WORK/stdout")" = \
    '[{"file":"help.cuh","line":7},{"file":"calls.cu","line":13}]'
"$BANKSCOPE" run --no-nvcc calls.cu --json >"$WORK/stdout"
ok "else a line is one" test "$(jq -c '[.launches[0].lines[] | [.line, .calls]]' "$WORK/stdout")" = \
    '[[4,null],[9,null],[3,null]]'
cd "$TREE" || exit 1
run_it "$BANKSCOPE" run "$WORK/sample.cu" --launch 2 -o "$WORK/one.jsonl"
"$BANKSCOPE" stats "$WORK/one.jsonl" >"$WORK/stats"
ok "one launch as a trace" grep -Eq '^phase 1 +load +160 +[0-9]+ +252 +92 +11' "$WORK/stats"
head -n 1 "$WORK/one.jsonl" | jq -c '[.kernel, .block_dim, .grid_dim, .arrays, (.sites | length)]' >"$WORK/got"
ok "whose header knows shapes, arrays and lines" grep -qx \
    '\["divergent",\[64,1,1\],\[2,1,1\],\[{"name":"s","addr":0,"type":"float","dims":\[1024\]}\],5\]' \
    "$WORK/got"
run_it "$BANKSCOPE" run "$WORK/sample.cu" -o "$WORK/all/"
ok "all launches in a folder" test "$(find "$WORK/all" -name '*.jsonl' | wc -l)" -eq 3

# ---- the language ---------------------------------------------------------------------------------
cat >"$WORK/part.cuh" <<'EOF'
#pragma once
#define GO(k, n, ...) k<<<1, n, n * sizeof(int)>>>(__VA_ARGS__)
extern __shared__ int outer[];
template <class T> __global__ void reverse(T *data, int n)
{
    extern __shared__ __align__(16) unsigned char memory[];
    T *copy = reinterpret_cast<T *>(memory);
    copy[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = copy[n - 1 - threadIdx.x];
}
static __global__ void shift(int *data)
{
    outer[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = outer[(threadIdx.x + 1) % blockDim.x];
}
EOF
cat >"$WORK/main.cu" <<'EOF'
#include "part.cuh"
#include <cstdio>
namespace deep { template <class F> __global__ void apply(int *data, F f) { data[threadIdx.x] = f(data[threadIdx.x]); } }
__global__ void scaled(int *data, const int *factor = nullptr) { data[threadIdx.x] *= factor ? *factor : 2; }
int other(int *);
int main()
{
    int h[64], *d, sum = 0;
    for (int i = 0; i < 64; i++) h[i] = i;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    auto launch = [&] { GO(reverse, 64, d, 64); };
    launch();
    GO(shift, 64, d);
    int three = 3;
    deep::apply<<<1, 64>>>(d, [=] __device__ (int x) { return x + three; });
    void (*pointer)(int *, const int *) = scaled;
    pointer<<<1,
        64>>>(d, NULL);
    scaled<<<1, 64>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++) sum += h[i] == 4 * ((127 - i - 1) % 64 + 3);
    cudaFree(d);
    printf("%d right, other %d, macro %d\n", sum, other(h), MACRO);
    return 0;
}
EOF
cat >"$WORK/other.cu" <<'EOF'
#include "part.cuh"
#include <inner.h>
#include <cmath>
int other(int *) { return INNER * (int)std::riemann_zeta(2.0); }
EOF
mkdir -p "$WORK/include"
echo '#define INNER 5' >"$WORK/include/inner.h"
run_it "$BANKSCOPE" run "$WORK/main.cu" "$WORK/other.cu" -I"$WORK/include" -D MACRO=7
ok "several files, includes, macros, templates, lambdas, special functions" grep -q '64 right, other 5, macro 7' \
    "$WORK/stdout"
ok "lines of an included file" grep -Eq 'part.cuh:8 +store .*copy\[threadIdx.x\] = data' "$WORK/stdout"

printf '#include <stdlib.h>\nint class(void) { int *p = malloc(4); *p = 9; return *p; }\n' >"$WORK/plain.c"
printf '#include <cstdio>\nextern "C" { int plain(void) __asm__("class"); }\n%s\n' \
    '__global__ void k() {} int main() { k<<<1, 1>>>(); printf("%d from C\n", plain()); }' >"$WORK/with.cu"
run_it "$BANKSCOPE" run "$WORK/with.cu" "$WORK/plain.c"
ok "a file in C is compiled as C" grep -q '9 from C' "$WORK/stdout"

# ---- stages and rounds ----------------------------------------------------------------------------
cat >"$WORK/stages.cu" <<'EOF'
#include <bankscope.h>
__global__ void reduce(int *to, int rounds)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    BANKSCOPE_STAGE("sum");
    for (int step = 32, j = rounds; step > 0; step /= 2, j++) {
        BANKSCOPE_ROUND(j);
        if (threadIdx.x < step)
            s[threadIdx.x] += s[threadIdx.x + step];
        __syncthreads();
    }
    for (int i = 0; i < 2; i++) {
        BANKSCOPE_STAGE("tile");
        s[threadIdx.x] += 1;
        __syncthreads();
        BANKSCOPE_STAGE("end");
        BANKSCOPE_ROUND(0);
        to[threadIdx.x] = s[63 - threadIdx.x];
        __syncthreads();
    }
}
int main(int argc, char **argv)
{
    int *d;
    BANKSCOPE_STAGE("host");
    BANKSCOPE_ROUND(1);
    cudaMalloc(&d, 256);
    reduce<<<1, 64>>>(d, argc > 1 ? -1 : 0);
    cudaFree(d);
}
EOF
cat >"$WORK/wanted" <<'EOF'
phase 0 0 0 store
sum 0 0 load
sum 0 1 load
sum 0 2 store
sum 1 0 load
sum 1 1 load
sum 1 2 store
tile 0 0 load
tile 1 0 store
tile 2 0 load
tile 3 0 store
end 0 0 load
end 0 1 load
EOF
run_it "$BANKSCOPE" run "$WORK/stages.cu" -o "$WORK/stages.jsonl"
ok "a program names stages and numbers rounds" test "$status" -eq 0
jq -r 'select(.warp == 0 and (.stage != "sum" or .round < 2)) |
    "\(.stage) \(.round) \(.slot) \(.op)"' "$WORK/stages.jsonl" >"$WORK/got"
ok "which its trace follows" diff "$WORK/wanted" "$WORK/got"
ok "with stages in the order in which they begin" test \
    "$(head -n 1 "$WORK/stages.jsonl" | jq -c .stages)" = '["phase 0","sum","tile","end"]'
run_it "$BANKSCOPE" run "$WORK/stages.cu" --by round
ok "a table by round" grep -Eq '^tile +1 +store +2 +' "$WORK/stdout"
ok "of each launch" grep -qx 'reduce: launch 0' "$WORK/stdout"
run_it "$BANKSCOPE" run "$WORK/sample.cu" --by stage
ok "a table by stage" sh -c \
    'sed -n "/^transpose<0>: launch 0$/,/^$/p" "$1" | grep -Eq "^phase 1 +load +128 .* 896 "' - \
    "$WORK/stdout"
printf '__global__ void k() { __shared__ volatile int s[64]; s[threadIdx.x * 2] = 1; }\nint main() { for (int i = 0; i < 3; i++) k<<<1, 32>>>(); }\n' >"$WORK/three.cu"
run_it "$BANKSCOPE" run "$WORK/three.cu" --by stage
ok "launches of one kernel are together" sh -c \
    'grep -qx "k: 3 launches from 0" "$1" && grep -Eq "^phase 0 +store +3 .* 3 " "$1"' - "$WORK/stdout"
run_it "$BANKSCOPE" run tests/programs/histogram.cu
ok "a long operation leaves the columns in line" awk '
    / instructions / { end = index($0, "instructions") + 11; next }
    / (store|load|merged-atomic) / { seen++; bad += substr($0, end, 2) !~ /[0-9] / }
    END { exit bad || seen < 3 }' "$WORK/stdout"
refuses "rows that are none" 2 'line, call, array, stage or round' "$BANKSCOPE" run "$WORK/three.cu" --by x
run_it "$BANKSCOPE" run "$WORK/three.cu" --by round --csv
ok "by round with commas" diff - "$WORK/stdout" <<'EOF'
kernel,launch,launches,stage,round,op,warp_accesses,accesses,passes,conflicts,max_ways
k,0,3,phase 0,0,store,3,96,6,3,2
EOF
run_it "$BANKSCOPE" run "$WORK/sample.cu" --by stage --csv
ok "the names of the columns stand once" test "$(grep -c warp_accesses "$WORK/stdout")" -eq 1
run_it "$BANKSCOPE" run "$WORK/sample.cu" --by stage --json
jq -c '.launches[] | [.kernel, .launch, .launches, .stages[1].conflicts, .total.conflicts]' \
    "$WORK/stdout" >"$WORK/got"
ok "by stage in JSON" diff - "$WORK/got" <<'EOF'
["transpose<0>",0,1,896,896]
["transpose<1>",1,1,128,256]
["divergent",2,1,92,92]
EOF
run_it "$BANKSCOPE" run "$WORK/stages.cu" -o "$WORK/stages.jsonl" -- x
ok "a round that is none" grep -q 'BANKSCOPE_ROUND: -1 is not a round' "$WORK/stderr"
printf '#include "%s"\nvoid f(int n) { BANKSCOPE_STAGE("a"); BANKSCOPE_ROUND(n); }\n' \
    "$TREE/program/compile/include/bankscope.h" >"$WORK/empty.c"
# shellcheck disable=SC2016 # the inner shell expands it
ok "for other compilers they are nothing" sh -c \
    '${CC:-cc} -c "$1/empty.c" -o "$1/empty.o" && ! nm "$1/empty.o" | grep -i bankscope' - "$WORK"

# ---- bad input ------------------------------------------------------------------------------------
refuses "no clang" 1 '/nowhere/clang' env CLANG=/nowhere/clang "$BANKSCOPE" run "$WORK/sample.cu"
printf '__global__ void k() {}\n\nint main() {\n    k<<<1, 1>>>();\n    return nothing;\n}\n' >"$WORK/broken.cu"
says "a program that does not compile, with its own line" \
    'broken.cu:5:12: error: use of undeclared identifier .nothing.' "$BANKSCOPE" run "$WORK/broken.cu"
printf '__global__ void k(int *);\nint main() { k<<<1, 1>>>(nullptr); }\n' >"$WORK/unlinked.cu"
refuses "a function that is nowhere" 1 'undefined reference to .k\(int\*\)' \
    "$BANKSCOPE" run "$WORK/unlinked.cu"
printf '__global__ void k(int *) {}\n' >"$WORK/kernels.cu"
refuses "kernels without a program" 1 'kernels.cu has no main\(\)' "$BANKSCOPE" run "$WORK/kernels.cu"
says "a launch without a name" 'broken.cu:1:[0-9]*: error: expected expression' sh -c \
    "echo 'int main() { + <<<1, 1>>>(); }' >'$WORK/broken.cu'; '$BANKSCOPE' run '$WORK/broken.cu'"
printf 'template <class T> concept Small = sizeof(T) <= 4;\n__global__ void k(Small auto) {}\nint main() { k<<<1, 1>>>(1); }\n' >"$WORK/new.cu"
says "C++20, unless one asks for it" 'new.cu:1:.*concept' "$BANKSCOPE" run "$WORK/new.cu"
run_it "$BANKSCOPE" run -std=c++20 -O3 -arch=sm_90 -Xcompiler -Wall --expt-relaxed-constexpr \
    -gencode arch=compute_90,code=sm_90 "$WORK/new.cu"
ok "a command line of nvcc's" test "$status" -eq 0
printf '#include <cuda/std/type_traits>\n__half h;\n__nv_bfloat16 b;\nint main() { return !cuda::std::is_same_v<int, int>; }\n__global__ void k() {}\n' >"$WORK/std.cu"
run_it "$BANKSCOPE" run "$WORK/std.cu"
ok "cuda/std knows the 16-bit types" test "$status" -eq 0
says "a standard that is none" 'c\+\+99' "$BANKSCOPE" run --std=c++99 "$WORK/new.cu"
refuses "blocks that are none" 2 'it must be A-B' "$BANKSCOPE" run "$WORK/sample.cu" --blocks x
refuses "a pattern that is none" 2 'not a regular expression' "$BANKSCOPE" run "$WORK/sample.cu" --kernel '('
says "a choice of nothing to advise on" '^bankscope advise: --launch chooses no launch of .*sample.cu' \
    "$BANKSCOPE" advise "$WORK/sample.cu" --launch 99
echo 'int main() { return 0; }' >"$WORK/hostonly.cu"
refuses "a program without a kernel" 1 'nothing was recorded: .*hostonly.cu has no kernel' \
    "$BANKSCOPE" run "$WORK/hostonly.cu"
refuses "a choice of nothing" 1 '^bankscope run: --kernel chooses none of [0-9]+ launches: divergent, transpose' \
    "$BANKSCOPE" run "$WORK/sample.cu" --kernel nosuch -o "$WORK/none.jsonl"
refuses "a trace of a program without shared memory" 1 \
    'no trace for .*none.jsonl: no recorded launch used shared memory' \
    "$BANKSCOPE" run tests/programs/saxpy.cu -o "$WORK/none.jsonl"
if "$BANKSCOPE" help export >/dev/null 2>&1; then
    says "... and no page" '^bankscope export: no recorded launch of tests/programs/saxpy.cu used shared memory' \
        "$BANKSCOPE" export tests/programs/saxpy.cu -o "$WORK/none.html"
fi
printf '#include <curand.h>\nint main() {}\n__global__ void k() {}\n' >"$WORK/library.cu"
run_it "$BANKSCOPE" run "$WORK/library.cu"
ok "a library that is not called" test "$status" -eq 0
ok "... and that nothing is launched is said" grep -q 'nothing was recorded: .*library.cu launched no kernel' "$WORK/stderr"
printf '#include <curand.h>\nint main() { curandGenerator_t g = nullptr; unsigned *p = nullptr; curandGeneratePoisson(g, p, 1, 1.0); }\n__global__ void k() {}\n' >"$WORK/library.cu"
says "a library, where it is called" 'curand.* is not available' "$BANKSCOPE" run "$WORK/library.cu"
printf '__global__ void k() {}\nint main() { k<<<1, 1>>>(); cudaDeviceSynchronize(); }\n' >"$WORK/named.cpp"
for language in '-x cu' -x=cu; do
    # shellcheck disable=SC2086 # two words
    run_it "$BANKSCOPE" run "$WORK/named.cpp" $language
    ok "a source of another name with $language" grep -q '^k: launch 0' "$WORK/stdout"
done
refuses "a source that is not there" 1 'cannot read .*/nosuch.cu' "$BANKSCOPE" run --no-nvcc "$WORK/nosuch.cu"
refuses "a word that is no source" 2 'stand after --' "$BANKSCOPE" run "$WORK/sample.cu" word
printf '#include <signal.h>\nint main(int argc, char **) { if (argc > 1) return 255; raise(SIGKILL); }\n__global__ void k() {}\n' >"$WORK/ends.cu"
run_it "$BANKSCOPE" run "$WORK/ends.cu"
ok "a signal is named" grep -q 'ended by signal 9' "$WORK/stderr"
ok "and is the status" test "$status" -eq 137
run_it "$BANKSCOPE" run "$WORK/ends.cu" -- x
ok "which a large status is not" sh -c '! grep signal "$1"' - "$WORK/stderr"
ok "but is passed on" test "$status" -eq 255
cat >"$WORK/many.cu" <<'EOF'
#include <cooperative_groups.h>
__global__ void k(int *o) { atomicAdd(o, 1); cooperative_groups::this_grid().sync(); o[1] = *o; }
int main()
{
    int *o;
    cudaMallocManaged(&o, 8);
    o[0] = 0;
    void *arguments[] = {&o};
    cudaLaunchCooperativeKernel((void *)k, 48, 1024, arguments);
    printf("%d\n", o[1]);
    cudaFree(o);
}
EOF
run_it "$BANKSCOPE" run "$WORK/many.cu" --launch 9
ok "more threads at a time than the system has guarded pages" grep -qx 49152 "$WORK/stdout"
printf '__global__ void k() {}\nint main() { for (int i = 0; i < 1000000; i++) k<<<1, 1>>>(); }\n' >"$WORK/million.cu"
run_it timeout 120 "$BANKSCOPE" run "$WORK/million.cu"
ok "a million launches" test "$status" -eq 0
ok "none of which is left out" grep -q '^k: 1000000 launches from 0, each 1 block of 1 threads' "$WORK/stdout"

# ---- what is not recorded does the same ---------------------------------------------------------------
cat >"$WORK/twin.cu" <<'EOF'
#include <cstdio>
__device__ __noinline__ int way(int i)
{
    switch (i) {
    case 0: return 17;
    case 1: return 4;
    case 2: return 25;
    case 3: return i == 0;
    case 4: return 9;
    case 5: return i < 6 ? way(i - 1) + way(i - 3) : 0;
    default: return 1;
    }
}
template <class T> __global__ void sum(T *result)
{
    __shared__ volatile T part[64];
    int i = threadIdx.x;
    T all = 0;
    for (int k = 0; k <= i; k++) {
        if (k % 7 == 6)
            continue;
        all += way(k % 7);
    }
    part[i] = all;
    __syncthreads();
    if (i < 32) { /* one warp, which volatile accesses keep together */
        part[i] += part[i + 32];
        part[i] += part[i + 16];
        part[i] += part[i + 8];
        part[i] += part[i + 4];
        part[i] += part[i + 2];
        part[i] += part[i + 1];
    }
    if (i == 0)
        result[blockIdx.x] = part[0];
}
__global__ void wait(volatile int *flag, int *seen)
{
    if (threadIdx.x == 0)
        while (!*flag)
            continue;
    else
        *flag = 1;
    seen[threadIdx.x] = *flag;
}
int main()
{
    int *result, *seen, right[64], wanted = 0, wrong = 0;
    const int ways[] = {17, 4, 25, 0, 9, 34, 0};
    for (int i = 0; i < 64; i++) {
        right[i] = (i ? right[i - 1] : 0) + ways[i % 7];
        wanted += right[i];
    }
    cudaMallocManaged(&result, 8 * sizeof *result);
    cudaMallocManaged(&seen, 2 * sizeof *seen);
    sum<int><<<8, 64>>>(result);
    sum<<<8, 64>>>(result); /* a launch of the other kind */
    for (int b = 0; b < 8; b++)
        wrong += result[b] != wanted;
    void *arguments[] = {&result};
    cudaLaunchKernel((void *)sum<int>, 8, 64, arguments, 0, 0);
    for (int b = 0; b < 8; b++)
        wrong += result[b] != wanted;
    seen[0] = seen[1] = 0;
    int *flag;
    cudaMalloc(&flag, 4);
    cudaMemset(flag, 0, 4);
    wait<<<1, 2>>>(flag, seen);
    printf("%d wrong, %d\n", wrong, seen[0] + seen[1]);
    cudaFree(flag);
    cudaFree(result);
    cudaFree(seen);
}
EOF
run_it "$BANKSCOPE" run "$WORK/twin.cu" --launch 0
ok "kernels that are not recorded do the same" grep -qx '0 wrong, 2' "$WORK/stdout"
run_it "$BANKSCOPE" run "$WORK/twin.cu"
ok "and those that are" grep -qx '0 wrong, 2' "$WORK/stdout"

mkdir -p "$WORK/main" # no name of a folder is one of a function
cat >"$WORK/main/bare.cu" <<'EOF'
#include <cstdio>
struct made { float by; __device__ __noinline__ made(const float *p) : by(p[1]) {} };
__device__ __noinline__ float called(const float *p) { return p[0] + p[1]; }
__device__ float pointed(const float *p) { return p[0] - p[1]; }
__device__ float (*pointer)(const float *) = pointed;
#define KERNEL(name) __global__ void name##_kernel(float *p) { made m(p); p[2] = called(p) + pointer(p) + m.by + *p; }
KERNEL(pasted)
__attribute__((noinline)) float host(const float *p) { return p[0] * p[1]; }
int main()
{
    float *p;
    cudaMallocManaged(&p, 12);
    p[0] = 3, p[1] = 4;
    pasted_kernel<<<1, 1>>>(p);
    printf("%g %g\n", p[2], host(p));
    cudaFree(p);
}
EOF
run_it "$BANKSCOPE" run "$WORK/main/bare.cu"
ok "a kernel that a macro names" grep -qx '13 12' "$WORK/stdout"

# What a GPU and a compiler without optimisation do: nobody looks at what is not returned.
printf '%s\n' '#include <cstdio>' \
    '__device__ __noinline__ int forgets(int *p, int i) { if (i >= 0) p[i] = i; else return 1; }' \
    '__global__ void k(int *p) { forgets(p, threadIdx.x); }' \
    'int also() { puts("goes on"); }' \
    'int main() { int *p; cudaMalloc(&p, 128); k<<<1, 32>>>(p); also(); cudaFree(p); return cudaDeviceSynchronize(); }' \
    >"$WORK/forgets.cu"
run_it "$BANKSCOPE" run "$WORK/forgets.cu"
ok "a function that forgets to return" test "$status" -eq 0
# A name that is not mangled is no type: __cxa_demangle takes "t" for unsigned short.
cat >"$WORK/t.cu" <<'EOF'
extern "C" __global__ void t(int *g)
{
    __shared__ int s[32];
    s[threadIdx.x] = (int)threadIdx.x;
    __syncthreads();
    g[threadIdx.x] = s[31 - threadIdx.x];
}
int main()
{
    int *g;
    cudaMalloc(&g, 128);
    t<<<1, 32>>>(g);
    cudaDeviceSynchronize();
    cudaFree(g);
}
EOF
named_as_written() {
    "$BANKSCOPE" run "$WORK/t.cu" | grep -q '^t: launch 0'
}
ok "a kernel of C's is named as it is written" named_as_written

# ---- libraries ------------------------------------------------------------------------------------
cat >"$WORK/library.cu" <<'EOF'
#line 1 "/usr/include/scan.h"
namespace cub
{
template <int N> __global__ void scan(int *o)
{
    __shared__ int s[1024];
    s[threadIdx.x * N] = 1;
    __syncwarp();
    o[threadIdx.x] = s[threadIdx.x * N];
}
}
#line 13 "library.cu"
namespace cub
{
__global__ void mine(int *o) /* of a library by its name, but with a line of the user's */
{
    __shared__ int s[32];
    s[threadIdx.x] = 1;
    __syncwarp();
    o[threadIdx.x] = s[threadIdx.x];
}
}
int main()
{
    int *o;
    cudaMalloc(&o, 128);
    for (int i = 0; i < 3; i++)
        cub::scan<32><<<1, 32>>>(o);
    cub::scan<1><<<1, 32>>>(o);
    cub::mine<<<1, 32>>>(o);
    cudaFree(o);
}
EOF
run_it "$BANKSCOPE" run "$WORK/library.cu"
ok "launches of libraries are one line" grep -qx \
    'libraries: 4 launches of 2 kernels, 194 passes, 186 conflicts (scan<32>, scan<1>); --kernel REGEX shows them' \
    "$WORK/stdout"
ok "... without tables" test "$(grep -c '^total ' "$WORK/stdout")" -eq 1
ok "... but for the user's own" grep -q '^mine: ' "$WORK/stdout"
run_it "$BANKSCOPE" run "$WORK/library.cu" --kernel 'scan<32>'
ok "... unless they are asked for" grep -q '^scan<32>: 3 launches from 0' "$WORK/stdout"

finish
