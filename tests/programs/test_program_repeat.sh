#!/bin/sh
# program_repeat: a launch that repeats one before it, with the same arguments and the same memory, is counted and not
# executed again; whatever differs is executed.
. tests/support/tap.sh
if ! have clang jq || "$BANKSCOPE" --version | grep -q 'without libdw'; then
    skip "launches that repeat others" "needs clang, jq and libdw"
    finish
    exit
fi
cd "$WORK" || exit
cat >repeat.cu <<'EOT'
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/resource.h>
__global__ void smooth(const float *in, float *out, int n, int unused)
{
    __shared__ float tile[256];
    float sum = 0;
    for (int i = 0; i < n; i++) {
        tile[threadIdx.x] = in[threadIdx.x] + i;
        __syncthreads();
        sum += tile[threadIdx.x * 2 % 256];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}
__global__ void add(float *x, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += __shfl_xor_sync(~0u, x[threadIdx.x], 1);
    x[threadIdx.x] += sum / n;
}
__global__ void say(const float *in, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += __shfl_xor_sync(~0u, in[threadIdx.x], i % 32);
    if (threadIdx.x == 0)
        printf("sum %g\n", sum);
}
__global__ void poke(float *x) { *x = 10; }
/* A word in each of 256 pages. */
__global__ void spread(const float *in, float *out, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += __shfl_xor_sync(~0u, in[threadIdx.x], i % 32);
    out[threadIdx.x * 1024] = sum;
}
__device__ __noinline__ float down(int n, float x)
{
    float kept[64];
    for (int i = 0; i < 64; i++)
        kept[i] = x + i * n;
    return n > 1 ? down(n - 1, kept[n % 64]) + kept[(n + 1) % 64] : x;
}
__global__ void deep(float *out) { out[threadIdx.x] = down(10, threadIdx.x); }
/* The device has less than a GB, of which all addresses are used once before they are used again. */
static void use_up()
{
    struct rlimit limit, before;
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu", &pages) != 1)
        exit(2);
    fclose(file);
    getrlimit(RLIMIT_AS, &before);
    limit = before;
    limit.rlim_cur = pages * 4096 + (800 << 20);
    setrlimit(RLIMIT_AS, &limit);
    char *last = nullptr, *at;
    while (cudaMalloc(&at, 64 << 20) == cudaSuccess && at > last) {
        cudaFree(at);
        last = at;
        setrlimit(RLIMIT_AS, &before);
    }
    cudaFree(at);
}
/* Memory at that address, after all others that are free. */
static float *memory_at(float *wanted, size_t bytes)
{
    float *at;
    while (cudaMalloc(&at, bytes) == cudaSuccess && at != wanted)
        cudaFree(at);
    return at;
}
int main(int, char **v)
{
    enum { N = 256, LAUNCHES = 20 };
    const size_t bytes = N * sizeof(float) * (strcmp(v[1], "large") ? 1 : 1024);
    float *in, *out, host[N], got[N];
    const char *how = v[1];
    for (int i = 0; i < N; i++)
        host[i] = strcmp(how, "again") && strcmp(how, "around") ? 1 : 0; /* what new memory has, too */
    if (!strcmp(how, "around"))
        use_up();
    float *other;
    cudaMalloc(&other, 65536);
    if (!strcmp(how, "managed"))
        cudaMallocManaged(&in, sizeof host);
    else
        cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, bytes);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    for (int i = 0; i < LAUNCHES; i++) {
        if (!strcmp(how, "input") && i % 5 == 0) {
            host[0] = i;
            cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
        }
        if (i == 10 && !strcmp(how, "managed"))
            in[0] = 10;
        if (i == 10 && !strcmp(how, "poked"))
            poke<<<1, 1>>>(in);
        if (i == 10 && !strcmp(how, "rows")) {
            cudaMemset2D(other, 1024, 0, 4, 64);
            host[0] = 10;
            cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
        }
        if (!strcmp(how, "beside"))
            cudaMemset(other + i, i, sizeof host);
        if (!strcmp(how, "output"))
            cudaMemset(out, i, sizeof host);
        if (!strcmp(how, "cleared") || !strcmp(how, "large"))
            cudaMemset(out, 0, bytes);
        if (!strcmp(how, "again") && i == 10) {
            cudaFree(in);
            cudaMalloc(&in, sizeof host);
        }
        if (!strcmp(how, "around") && i % 10 == 0) { /* i 0: the others are as they will be then */
            for (int round = i ? 1 : 0; round < 2; round++) {
                cudaFree(in);
                in = memory_at(in, sizeof host);
            }
            if (i == 0)
                cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
        }
        if (!strcmp(how, "stack"))
            cudaDeviceSetLimit(cudaLimitStackSize, i < 10 ? 65536 : 1024);
        if (!strcmp(how, "stack"))
            deep<<<64, N>>>(out);
        else if (!strcmp(how, "adds"))
            add<<<1, N>>>(in, 1000);
        else if (!strcmp(how, "large"))
            spread<<<1, N>>>(in, out, 1000);
        else if (!strcmp(how, "says"))
            say<<<1, 32>>>(in, 2000);
        else
            smooth<<<1, N>>>(in, out, 1000, strcmp(how, "arguments") ? 0 : i);
    }
    cudaMemcpy(got, strcmp(how, "adds") ? out : in, sizeof got, cudaMemcpyDeviceToHost);
    if (!strcmp(how, "large"))
        cudaMemcpy(got + 1, out + (N - 1) * 1024, sizeof *got, cudaMemcpyDeviceToHost);
    if (strcmp(how, "says"))
        printf("%g %g\n", got[0], got[1]);
}
EOT
# The program's words, then launches, repeats and passes of the report.
is() { # HOW WORDS LAUNCHES REPEATED
    "$BANKSCOPE" run repeat.cu --json=report.json -- "$1" >said 2>errors
    jq -r '"\([.launches[].launches] | add) \([.launches[].repeated // 0] | add)"' report.json >got
    printf '%s\n' "$3 $4" >wanted
    diff wanted got && { [ -z "$2" ] || grep -qx "$2" said; } && return
    cat said errors
    false
}
passes() {
    jq '[.launches[] | .load.passes + .store.passes] | add' report.json
}
ok "a loop of the same launch" is same "500500 500500" 20 18
passes >repeated
ok "its header says so" grep -q '^smooth: 20 launches .*, 18 of them repeats that needed no executing' said
ok "other arguments: every launch is executed" is arguments "500500 500500" 20 0
ok "which counts the same" eval 'passes | diff repeated -'
ok "another input: it is executed until memory stays as it is" is input "514500 500500" 20 12
ok "input that the host writes itself" is managed "509500 500500" 20 16
ok "input that a short kernel writes" is poked "509500 500500" 21 16
ok "input behind many places that calls write to" is rows "509500 500500" 20 16
ok "other memory that is written to" is beside "500500 500500" 20 0
ok "output that was overwritten by something else each time" is output "500500 500500" 20 0
ok "output that was cleared: it is written again" is cleared "500500 500500" 20 18
ok "which counts the same" eval 'passes | diff repeated -'
ok "output of many pages" is large "1000 1000" 20 18
ok "results that add up" is adds "1.04858e+06 1.04858e+06" 20 0
ok "what a kernel prints" is says "" 20 0
ok "comes as often as it is launched" test "$(grep -c '^sum 2000$' said)" = 20
ok "new memory where the old one was" is again "499500 499500" 20 8
ok "reads of it before it is written are found" grep -q "unwritten-read" errors
ok "new memory at the old one's address" is around "499500 499500" 20 8
ok "of which reads are found, too" grep -q "unwritten-read" errors
"$BANKSCOPE" run repeat.cu --json=report.json -- stack >said 2>errors
ok "launches of a recursion are repeated" test "$(jq '[.launches[].repeated // 0] | add' report.json)" = 8
ok "with less stack it is executed, and what is missing is found" grep -q 'stack-overflow: .* and a thread has 1024' errors
"$BANKSCOPE" run repeat.cu --schedule random --seed 3 --json=report.json -- same >said 2>&1
ok "orders that are drawn are executed" test "$(jq '[.launches[].repeated // 0] | add' report.json)" = 0
finish
