#!/bin/sh
# Kernels that several threads of the host launch, one after another or at once: each is recorded and judged as
# if one thread had launched it; and endless kernels are ended, whoever launched them.
. tests/support/tap.sh
# shellcheck source=tests/support/cuda.sh
. tests/support/cuda.sh
cd "$WORK" || exit 1

cat >threads.cu <<'EOF'
#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

template <int stride> __global__ void columns(int *out, int by)
{
    __shared__ int tile[32 * stride];
    extern __shared__ int more[];
    tile[threadIdx.x * stride] = threadIdx.x;
    more[threadIdx.x] = by;
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = tile[(31 - threadIdx.x) * stride] + more[31 - threadIdx.x];
}
__device__ __managed__ int reached;
__global__ void endless(int *out)
{
    unsigned x = 1;
    while (x)
        x = x * 1664525u + 1013904223u | 1;
    *out = (int)x;
}
__global__ void race(int *out)
{
    __shared__ int word;
    word = threadIdx.x;
    __syncthreads();
    *out = word;
}
static std::atomic<int> wrong;
template <int stride> static void launch(int by)
{
    int *out, host[128];
    wrong += cudaMalloc(&out, sizeof host) != cudaSuccess;
    columns<stride><<<4, 32, 128>>>(out, by);
    wrong += cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess;
    for (int i = 0; i < 128; i++)
        wrong += host[i] != 31 - i % 32 + by;
    cudaFree(out);
}
static void many(int from)
{
    for (int i = 0; i < 5; i++) {
        launch<1>(from + i);
        launch<8>(from - i);
    }
}
int main(int, char **argv)
{
    auto is = [&](const char *word) { return !strcmp(argv[1], word); };
    std::vector<std::thread> threads;
    if (is("one"))
        for (int i = 0; i < 8; i++)
            many(i);
    if (is("after"))
        for (int i = 0; i < 8; i++)
            std::thread(many, i).join();
    if (is("short"))
        for (int i = 0; i < 300; i++)
            std::thread(launch<8>, i).join();
    if (is("at once") || is("and main"))
        for (int i = 0; i < 7 + is("at once"); i++)
            threads.emplace_back(many, i);
    if (is("and main"))
        many(7);
    if (is("race") || is("endless"))
        threads.emplace_back([&] {
            int *out;
            cudaMalloc(&out, 4);
            if (is("race"))
                race<<<1, 64>>>(out);
            else
                endless<<<1, 1>>>(out);
            cudaDeviceSynchronize();
            cudaFree(out);
        });
    if (is("errors"))
        threads.emplace_back([&] {
            columns<1><<<1, 4096>>>(nullptr, 0);
            wrong += cudaPeekAtLastError() != cudaErrorInvalidConfiguration;
            std::thread([&] { wrong += cudaGetLastError() != cudaSuccess; }).join();
            wrong += cudaGetLastError() != cudaErrorInvalidConfiguration;
        });
    for (auto &thread : threads)
        thread.join();
    wrong += cudaGetLastError() != cudaSuccess;
    if (is("left")) {
        launch<1>(1);
        std::thread([] { std::this_thread::sleep_for(std::chrono::hours(1)); }).detach();
        std::thread(launch<8>, 3).join();
    }
    printf("%d wrong\n", (int)wrong);
    return 0;
}
EOF
counts() { # of the launches, without their numbers
    sed -n 's/^"\{0,1\}\(columns[^,]*\),[0-9]*,/\1 /p' rows | sort | uniq -c
}
"$BANKSCOPE" run threads.cu --csv=rows -- one >one
counts >wanted
ok "one thread launches 80" grep -q '40 columns<8>.*,load,8,256,36,28,8,' wanted
# as_one HOW
as_one() {
    run_it timeout 100 "$BANKSCOPE" run threads.cu --csv=rows -- "$1"
    counts >got
    cat stderr
    [ "$status" -eq 0 ] && grep -qx '0 wrong' stdout && diff wanted got && [ ! -s stderr ]
}
for how in after "at once" "and main" "at once" "and main"; do
    ok "threads launch $how: as if it was one" as_one "$how"
done
numbered() {
    sed 1d rows | cut -d, -f2 | sort -nu | diff numbers -
}
seq 0 79 >numbers
ok "each launch has a number of its own" numbered
others() { # HOW COUNT
    run_it timeout 100 "$BANKSCOPE" run threads.cu --csv=rows -- "$1"
    cat stderr
    [ "$2" -gt 0 ] || sed -i '/^bankscope run: nothing was recorded: threads.cu launched no kernel$/d' stderr
    [ "$status" -eq 0 ] && grep -qx '0 wrong' stdout && [ ! -s stderr ] && [ "$(grep -c '^columns.*,load,' rows)" -eq "$2" ]
}
ok "three hundred threads, one launch each" others short 300
ok "errors are a thread's own" others errors 0
ok "a thread that is left behind holds nothing up" others left 2
finds_in() { # HOW PATTERN
    run_it timeout 100 "$BANKSCOPE" run threads.cu --seconds 1 -- "$1"
    cat stderr
    [ "$status" -eq 1 ] && [ "$(wc -l <stderr)" -eq 1 ] && grep -Eq "$2" stderr
}
ok "a race is found in a thread's kernel" finds_in race 'threads.cu:2[67]: race: '
ok "an endless kernel of a thread is ended" finds_in endless 'threads.cu:[0-9]*: endless: '

# ends NAME LINE SOURCE...: the kernel k of this body never ends; it is told of, once, at its line.
ends() {
    ends_name=$1 ends_line=$2
    shift 2
    {
        printf '%s\n' "$@"
        echo 'int main() { int *g; cudaMalloc(&g, 1024); cudaMemset(g, 0, 1024);'
        # shellcheck disable=SC2016
        echo 'k<<<'"$shape"'>>>(g); return cudaDeviceSynchronize() == cudaErrorLaunchTimeout ? 0 : 9; }'
    } >endless.cu
    run_it timeout 100 "$BANKSCOPE" run endless.cu --seconds 1
    ok "$ends_name" sh -c 'cat stderr; [ "$1" -eq 1 ] && [ "$(wc -l <stderr)" -le 2 ] &&
        grep -Eq "^bankscope run: endless.cu:($2): endless: no block has ended for 1 seconds" stderr' - "$status" "$ends_line"
}
shape='1, 32'
ends "for ever, without memory" 1 '__global__ void k(int *) { while (true); }'
ends "with a variable of its own" 1 '__global__ void k(int *) { for (volatile int i = 0;;); }'
ends "with numbers" '[123]' '__global__ void k(int *g)' '{ unsigned x = g[0] | 1; while (x)' \
    '  x = x * 1664525u + 1013904223u | 1; g[0] = x; }'
ends "that reads memory" '[12]' '__global__ void k(volatile int *g)' '{ while (g[0] == 0); }'
ends "one thread, while others wait" '[12]' '__global__ void k(int *g)' \
    '{ if (threadIdx.x == 7) while (true); __syncthreads(); g[0] = 1; }'
ends "in a function" '[12]' '__device__ __noinline__ int f(unsigned x) { while (x) x = x * 3 | 1; return x; }' \
    '__global__ void k(int *g) { g[0] = f(g[1] + 1); }'
shape='dim3(6000), 64'
ends "one block of many" '[12]' '__global__ void k(int *g)' '{ if (blockIdx.x == 5123) while (true); }'
ends "all blocks" '[12]' '__global__ void k(int *g)' '{ g[threadIdx.x] = 1; while (true); }'

printf '%s\n' '#include <cstdio>' '__global__ void k(unsigned *g) { unsigned x = 1;' \
    'for (unsigned i = 0; i < 100000000u; i++) x = x * 1664525u + 1013904223u; g[0] = x; }' \
    'int main() { unsigned *g, h; cudaMalloc(&g, 4); k<<<1, 1>>>(g);' \
    'cudaMemcpy(&h, g, 4, cudaMemcpyDeviceToHost); cudaFree(g); printf("%u\n", h); }' >long.cu
run_it timeout 100 "$BANKSCOPE" run long.cu
ok "one that takes long is not" sh -c 'cat stderr; [ "$1" -eq 0 ] && [ ! -s stderr ] && head -n 1 stdout | grep -qx 3477293313' \
    - "$status"

# Blocks of several jobs come to a word at once, now and then between the other one's check and its store.
printf '%s\n' '__global__ void same(int *flag, int n) {' \
    'for (int i = 0; i < n; i++) { flag[i] = i % 7 + 1; __threadfence_block(); } }' >same.cu
same() {
    for _ in 1 2 3 4; do
        timeout 100 "$BANKSCOPE" run same.cu --call 'same<<<2, 1>>>(s, 500000)' --array 'int s[500000] = 0' --jobs 2 \
            >out 2>&1 || { cat out && return 1; }
    done
}
ok "blocks that store the same at once do not race" same
printf '%s\n' '__global__ void orders(int *flag, int n, int last) {' \
    'for (int i = threadIdx.x; i < n; i += blockDim.x)' \
    'flag[(i * (37 + 64 * blockIdx.x) + 13 * blockIdx.x) % n] = blockIdx.x < 15 ? 7 : last; }' >orders.cu
orders() { # VALUE of the last block
    timeout 200 "$BANKSCOPE" run orders.cu --call "orders<<<16, 256>>>(s, 131072, $1)" --array 'int s[131072] = 0' \
        --jobs 8 >out 2>&1
}
no_race() {
    for _ in 1 2 3; do
        orders 7 || { cat out && return 1; }
    done
}
ok "nor in different orders, where each waits for the other" no_race
a_race() {
    ! orders 8 && grep 'orders.cu:3: race: a store' out
}
ok "another value does" a_race
finish
