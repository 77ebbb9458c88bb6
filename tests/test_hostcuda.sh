#!/bin/sh
# hostcuda: CUDA programs as they stand run here, and their conflicts and faults come with lines.
. tests/tap.sh
. tests/hostcuda.sh

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
run_it "$BANKSCOPE" run "$WORK/sample.cu" --json "$WORK/sample.json"
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
jq -c '.launches[2].lines[1] | [.line, .op, .instructions, .passes, .conflicts, .max_ways]' \
    "$WORK/sample.json" >"$WORK/got"
ok "by line, in JSON" grep -qx '\[20,"load",160,252,92,11\]' "$WORK/got"

# The order of blocks in the machine code is what lanes wait by: with another one they differ.
cat >"$WORK/reorder" <<'EOF'
#!/bin/sh
exec g++ "$@" -freorder-blocks
EOF
chmod +x "$WORK/reorder"
CXX="$WORK/reorder" "$BANKSCOPE" run "$WORK/sample.cu" --json "$WORK/other.json" >"$WORK/stdout"
totals "$WORK/other.json" >"$WORK/got"
ok "with -freorder-blocks the divergent loop counts otherwise" \
    sh -c "! grep -q '^divergent 160 252 92' '$WORK/got'"
ok "but the rest alike" grep -q '^transpose<0> 128 1024 896' "$WORK/got"

run_it sh -c "echo 17 | '$BANKSCOPE' run '$WORK/sample.cu' --csv -- word more"
ok "arguments and standard input are the program's" grep -q '0 wrong, argument word, input 17' \
    "$WORK/stdout"
ok "so is the exit status" test "$status" -eq 42
ok "rows with commas" grep -q '^transpose<1>,1,.*sample.cu,8,load,128,4096,256,128,2$' "$WORK/stdout"

# ---- what is recorded -----------------------------------------------------------------------------
run_it "$BANKSCOPE" run "$WORK/sample.cu" --kernel '^transpose' --blocks 1-3 --by array
ok "some kernels, some blocks" test "$(grep -c '3 of 16 blocks recorded' "$WORK/stdout")" -eq 2
ok "by array, with its type" grep -Eq '^tile \(float\[16\]\[17\]\) +load +24 +48 +24' "$WORK/stdout"
ok "no other kernel" sh -c "! grep -q '^divergent' '$WORK/stdout'"
run_it "$BANKSCOPE" run "$WORK/sample.cu" --launch 2 -o "$WORK/one.jsonl"
"$BANKSCOPE" stats "$WORK/one.jsonl" >"$WORK/stats"
ok "one launch as a trace" grep -Eq '^phase 1 +load +160 +[0-9]+ +252 +92 +11' "$WORK/stats"
head -n 1 "$WORK/one.jsonl" | jq -c '[.kernel, .block_dim, .grid_dim, .arrays, (.sites | length)]' >"$WORK/got"
ok "whose header knows shapes, arrays and lines" grep -qx \
    '\["divergent",\[64,1,1\],\[2,1,1\],\[{"name":"s","addr":0,"type":"float","dims":\[1024\]}\],2\]' \
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
int other(int *) { return INNER; }
EOF
mkdir -p "$WORK/include"
echo '#define INNER 5' >"$WORK/include/inner.h"
run_it "$BANKSCOPE" run "$WORK/main.cu" "$WORK/other.cu" -I"$WORK/include" -D MACRO=7
ok "several files, includes, macros, templates, lambdas" grep -q '64 right, other 5, macro 7' \
    "$WORK/stdout"
ok "lines of an included file" grep -Eq 'part.cuh:8 +store .*copy\[threadIdx.x\] = data' "$WORK/stdout"

# ---- what is wrong --------------------------------------------------------------------------------
finds "a race" 'fault.cu:6: race: thread \(32, 0, 0\) of block \(0, 0, 0\) reads s\[31\], which thread \(31, 0, 0\) .* writes at .*fault.cu:5' \
    '__global__ void k(int *o) { __shared__ int s[64];' '' 's[threadIdx.x] = threadIdx.x;' \
    'o[threadIdx.x] = s[63 - threadIdx.x]; }' "int main() { $device k<<<1, 64>>>(d); cudaFree(d); }"
ok "is an error" test "$status" -eq 1
finds "a race of bytes" 'race: thread \(1, 0, 0\) .* reads s\[0\]' \
    '__global__ void k(char *o) { __shared__ char s[8]; s[threadIdx.x] = 1;' \
    'o[threadIdx.x] = s[threadIdx.x ^ 1]; }' "int main() { $device k<<<1, 4>>>((char *)d); cudaFree(d); }"
finds "a race of blocks in global memory" 'fault.cu:3: race: .* of block \(1, 0, 0\) .* of block \(0, 0, 0\)' \
    '__global__ void k(int *o) { o[0] = blockIdx.x; }' "int main() { $device k<<<2, 1>>>(d); cudaFree(d); }"
finds "an index outside a shared array" 'fault.cu:3: out of bounds: thread \(60, 0, 0\) .* writes 4 bytes at s\[60\], outside int s\[60\]' \
    '__global__ void k(int *o) { __shared__ int s[60]; s[threadIdx.x] = 1; __syncthreads(); *o = s[0]; }' \
    "int main() { $device k<<<1, 64>>>(d); cudaFree(d); }"
finds "an index outside dynamic shared memory" 'out of bounds: thread \(32, 0, 0\)' \
    '__global__ void k() { extern __shared__ int s[]; s[threadIdx.x] = 1; }' 'int main() { k<<<1, 64, 128>>>(); }'
finds "an index outside an allocation" 'fault.cu:3: out of bounds: thread \(63, 0, 0\) .* writes 4 bytes at byte 256 of an allocation of 256' \
    '__global__ void k(int *o) { o[threadIdx.x + 1] = 1; }' "int main() { $device k<<<1, 64>>>(d); cudaFree(d); }"
finds "a read of shared memory that nobody wrote" 'unwritten: thread \(0, 0, 0\) .* reads s\[0\]' \
    '__global__ void k(int *o) { __shared__ int s[64]; if (threadIdx.x) s[threadIdx.x] = 1;' \
    '__syncthreads(); o[threadIdx.x] = s[threadIdx.x]; }' "int main() { $device k<<<1, 64>>>(d); cudaFree(d); }"
finds "a read of global memory that nobody wrote" 'unwritten: .* reads byte 0 of an allocation' \
    '__global__ void k(int *o) { o[threadIdx.x] += 1; }' 'int main() { int *d; cudaMalloc(&d, 256); k<<<1, 64>>>(d); cudaFree(d); }'
finds "a use after free" 'use after free: .* writes byte 0' \
    '__global__ void k(int *o) { o[threadIdx.x] = 1; }' "int main() { $device cudaFree(d); k<<<1, 64>>>(d); }"
finds "a host pointer" 'host memory: .* writes' \
    '__global__ void k(int *o) { *o = 1; }' 'int main() { static int *h = new int[64]; k<<<1, 1>>>(h); }'
finds "different barriers" 'barrier divergence: thread .* waits at this barrier, thread .* at the one at .*fault.cu:[46]' \
    '__global__ void k() { if (threadIdx.x < 16)' '__syncthreads();' 'else' '__syncthreads(); }' \
    'int main() { k<<<1, 64>>>(); }'
finds "a barrier that not all threads reach" 'fault.cu:3: barrier divergence: 16 of 64 threads' \
    '__global__ void k() { if (threadIdx.x < 16) __syncthreads(); }' 'int main() { k<<<1, 64>>>(); }'
finds "a mask that names lanes which do not come" 'fault.cu:3: warp divergence: .*missing 0xffff0000' \
    '__global__ void k(int *o) { if (threadIdx.x < 16) o[0] = __shfl_sync(~0u, 1, 0); __syncthreads(); }' \
    "int main() { $device k<<<1, 32>>>(d); cudaFree(d); }"
finds "an endless loop" 'fault.cu:4: endless' '__global__ void k(volatile int *o) {' 'while (*o == 0);' '}' \
    "int main() { $device k<<<1, 32>>>(d); printf(\"%s\n\", cudaGetErrorString(cudaDeviceSynchronize())); }"
ok "whose launch ends with an error" grep -q 'timed out' "$WORK/stdout"
finds "a null pointer" 'fault.cu:3: crash: thread \(0, 0, 0\).* at address 0x0' \
    '__global__ void k(int *o) { *o = 1; }' 'int main() { k<<<1, 32>>>(nullptr); }'
finds "calls without end" 'stack overflow' \
    '__device__ int f(int n) { volatile int a[64]; a[n % 64] = n; return n ? f(n + 1) + a[0] : 0; }' \
    '__global__ void k(int *o) { *o = f(1); }' "int main() { $device k<<<1, 1>>>(d); }"
finds "an assertion" 'fault.cu:3: assertion failed: thread \(7, 0, 0\).*threadIdx.x < 7' \
    '__global__ void k() { assert(threadIdx.x < 7); }' 'int main() { k<<<1, 32>>>(); }'
finds "a trap" 'trap: thread \(3, 0, 0\)' \
    '__global__ void k() { if (threadIdx.x == 3) __trap(); }' 'int main() { k<<<1, 32>>>(); }'
finds "an exit in a kernel" 'exit: thread \(0, 0, 0\)' \
    '__global__ void k() { exit(3); }' 'int main() { k<<<1, 1>>>(); }'
finds "memory that is never freed" 'leak: 2 allocations of 512 bytes' \
    '__global__ void k() {}' "int main() { $device cudaMalloc(&d, 256); k<<<1, 1>>>(); }"
ok "is no error" test "$status" -eq 0

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
tile 0 1 store
tile 1 0 load
tile 1 1 store
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
refuses "rows that are none" 2 'line, array, stage or round' "$BANKSCOPE" run "$WORK/three.cu" --by x
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
run_it "$BANKSCOPE" run "$WORK/stages.cu" -- x
ok "a round that is none" grep -q 'stages.cu:9: .*BANKSCOPE_ROUND: -1 is not a round' "$WORK/stderr"
printf '#include "%s"\nvoid f(int n) { BANKSCOPE_STAGE("a"); BANKSCOPE_ROUND(n); }\n' \
    "$TREE/hostcuda/include/bankscope.h" >"$WORK/empty.c"
# shellcheck disable=SC2016 # the inner shell expands it
ok "for other compilers they are nothing" sh -c \
    '${CC:-cc} -c "$1/empty.c" -o "$1/empty.o" && ! nm "$1/empty.o" | grep hostcuda' - "$WORK"

# ---- what is right --------------------------------------------------------------------------------
cat >"$WORK/right.cu" <<'EOF'
#include <cstdio>
__global__ void atomics(int *o)
{
    __shared__ int bins[8];
    if (threadIdx.x < 8) bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[threadIdx.x % 8], 1);
    __syncthreads();
    if (threadIdx.x < 8) atomicAdd(&o[threadIdx.x], bins[threadIdx.x]);
}
__global__ void warp_synchronous(int *o)
{
    __shared__ volatile int v[64];
    __shared__ int s[64];
    v[threadIdx.x] = s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x < 32) {
        v[threadIdx.x] += v[threadIdx.x + 32];
        v[threadIdx.x] += v[threadIdx.x + 16];
        v[threadIdx.x] += v[threadIdx.x + 8];
        v[threadIdx.x] += v[threadIdx.x + 4];
        v[threadIdx.x] += v[threadIdx.x + 2];
        v[threadIdx.x] += v[threadIdx.x + 1];
        for (int step = 32; step > 0; step /= 2) {
            int other = threadIdx.x + step < 64 ? s[threadIdx.x + step] : 0;
            __syncwarp();
            s[threadIdx.x] += other;
            __syncwarp();
        }
        if (threadIdx.x == 0) o[0] = v[0], o[1] = s[0];
    }
}
__device__ int done;
__global__ void last_block(int *o, volatile int *part)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        ((int *)part)[blockIdx.x] = blockIdx.x;
        __threadfence();
        last = atomicAdd(&done, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < gridDim.x; i++) sum += ((int *)part)[i];
        o[0] = sum;
        done = 0;
    }
}
__global__ void flag(int *found) { if (threadIdx.x > 3) *found = 1; }
__device__ int mutex;
__global__ void locked(int *o)
{
    bool leave = false;
    while (!leave)
        if (atomicCAS(&mutex, 0, 1) == 0) {
            *o += 1;
            __threadfence();
            atomicExch(&mutex, 0);
            leave = true;
        }
}
__device__ volatile int turn;
__global__ void in_turn(int *o)
{
    if (threadIdx.x == 0)
        while (turn != blockIdx.x)
            ;
    __syncthreads();
    if (threadIdx.x == 0) {
        o[0] = 2 * o[0] + blockIdx.x;
        __threadfence();
        turn = blockIdx.x + 1;
    }
}
__device__ volatile int arrived;
__global__ void all_blocks(int *o)
{
    __shared__ int mine;
    if (threadIdx.x == 0) {
        mine = blockIdx.x;
        __threadfence();
        atomicAdd((int *)&arrived, 1);
        while (arrived < gridDim.x)
            ;
        atomicAdd(o, mine);
    }
}
int main()
{
    int *d, *p, h[8];
    auto show = [&](const char *what, int n) {
        cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
        printf("%s", what);
        for (int i = 0; i < n; i++) printf(" %d", h[i]);
        puts("");
        cudaMemset(d, 0, sizeof h);
    };
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&p, 1024);
    cudaMemset(d, 0, sizeof h);
    atomics<<<4, 64>>>(d); show("atomics", 8);
    warp_synchronous<<<1, 64>>>(d); show("warps", 2);
    last_block<<<16, 32>>>(d, p); show("last", 1);
    flag<<<2, 64>>>(d); show("flag", 1);
    locked<<<4, 64>>>(d); show("locked", 1);
    in_turn<<<8, 32>>>(d); show("turns", 1);
    all_blocks<<<6, 32>>>(d); show("blocks", 1);
    cudaFree(d);
    cudaFree(p);
}
EOF
cat >"$WORK/wanted" <<'EOF'
atomics 32 32 32 32 32 32 32 32
warps 2016 2016
last 120
flag 1
locked 256
turns 247
blocks 15
EOF
for how in '--launch 99' ''; do
    # shellcheck disable=SC2086 # one word or none
    run_it timeout 110 "$BANKSCOPE" run --seconds 90 "$WORK/right.cu" --json "$WORK/right.json" $how
    head -n 7 "$WORK/stdout" >"$WORK/got"
    ok "correct programs are right ${how:-in lockstep}" diff "$WORK/wanted" "$WORK/got"
    ok "and blamed for nothing ${how:-in lockstep}" diff /dev/null "$WORK/stderr"
done

# ---- bad input ------------------------------------------------------------------------------------
refuses "no g++" 1 'there is no /nowhere/g\+\+ here; install the package g\+\+' \
    env CXX=/nowhere/g++ "$BANKSCOPE" run "$WORK/sample.cu"
printf '__global__ void k() {}\n\nint main() {\n    k<<<1, 1>>>();\n    return nothing;\n}\n' >"$WORK/broken.cu"
refuses "a program that does not compile, with its own line" 1 \
    'broken.cu:5:12: error: .nothing. was not declared' "$BANKSCOPE" run "$WORK/broken.cu"
printf '__global__ void k(int *);\nint main() { k<<<1, 1>>>(nullptr); }\n' >"$WORK/unlinked.cu"
refuses "a function that is nowhere" 1 'undefined reference to .k\(int\*\)' \
    "$BANKSCOPE" run "$WORK/unlinked.cu"
printf '__global__ void k(int *) {}\n' >"$WORK/kernels.cu"
refuses "kernels without a program" 1 'kernels.cu has no main\(\)' "$BANKSCOPE" run "$WORK/kernels.cu"
refuses "a launch without a name" 1 "broken.cu:1: no kernel's name" sh -c \
    "echo 'int main() { + <<<1, 1>>>(); }' >'$WORK/broken.cu'; '$BANKSCOPE' run '$WORK/broken.cu'"
printf 'template <class T> concept Small = sizeof(T) <= 4;\n__global__ void k(Small auto) {}\nint main() { k<<<1, 1>>>(1); }\n' >"$WORK/new.cu"
refuses "C++20, unless one asks for it" 1 'new.cu:1:.*concept' "$BANKSCOPE" run "$WORK/new.cu"
run_it "$BANKSCOPE" run -std=c++20 -O3 -arch=sm_90 -Xcompiler -Wall --expt-relaxed-constexpr \
    -gencode arch=compute_90,code=sm_90 "$WORK/new.cu"
ok "a command line of nvcc's" test "$status" -eq 0
refuses "a standard that is none" 1 'c\+\+99' "$BANKSCOPE" run --std=c++99 "$WORK/new.cu"
refuses "blocks that are none" 2 'it must be A-B' "$BANKSCOPE" run "$WORK/sample.cu" --blocks x
refuses "a pattern that is none" 2 'not a regular expression' "$BANKSCOPE" run "$WORK/sample.cu" --kernel '('
refuses "a word that is no source" 2 'stand after --' "$BANKSCOPE" run "$WORK/sample.cu" word
printf '__global__ void k() {}\nint main() { for (int i = 0; i < 1000000; i++) k<<<1, 1>>>(); }\n' >"$WORK/million.cu"
run_it timeout 120 "$BANKSCOPE" run "$WORK/million.cu"
ok "a million launches" test "$status" -eq 0
ok "of which it says what was left out" grep -Eq 'launches ran without being recorded' "$WORK/stderr"
finish
