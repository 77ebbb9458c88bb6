#!/bin/sh
# program: --host-reads tells of results that the host reads before it has waited for them, and of no others.
. tests/support/tap.sh
. tests/support/cuda.sh

cat >"$WORK/early.cu" <<'END'
#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>
__global__ void fill(int *o, int n) { if (threadIdx.x < n) o[threadIdx.x] = threadIdx.x + 1; }
__global__ void flagged(int *o, volatile int *flag) { o[0] = 7; __threadfence_system(); *flag = 1; }
static int *h, *m, *d, *flag, sum;
static cudaStream_t s, t;
static const char *start(const char *what)
{
    memset(h, 0, 256);
    memset(m, 0, 256);
    *flag = 0;
    if (strncmp(what, "copy", 4))
        fill<<<1, 64, 0, s>>>(m, 32);
    else
        fill<<<1, 64, 0, s>>>(d, 32), cudaMemcpyAsync(h, d, 256, cudaMemcpyDeviceToHost, s);
    return what;
}
static void callback(void *) { sum = m[3]; }
int main(int argc, char **argv)
{
    const char *how = argv[1];
    cudaMalloc(&d, 256);
    cudaMemset(d, 0, 256);
    cudaMallocHost(&h, 256);
    cudaMallocHost(&flag, 4);
    cudaMallocManaged(&m, 256);
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaEvent_t event;
    cudaEventCreate(&event);
    start(how);
    if (!strcmp(how, "kernel")) sum = m[3];            /* line 34 */
    if (!strcmp(how, "copy")) sum = h[3];              /* line 35 */
    if (!strcmp(how, "asked-only")) cudaGetLastError(), sum = m[3]; /* line 36 */
    if (!strcmp(how, "beside")) sum = m[40] + 4;       /* what the kernel does not write */
    if (!strcmp(how, "stream")) cudaStreamSynchronize(s), sum = m[3];
    if (!strcmp(how, "query")) { while (cudaStreamQuery(s) != cudaSuccess); sum = m[3]; }
    if (!strcmp(how, "event")) cudaEventRecord(event, s), cudaEventSynchronize(event), sum = m[3];
    if (!strcmp(how, "device")) cudaDeviceSynchronize(), sum = m[3];
    if (!strcmp(how, "copy-after")) cudaMemcpy(d, h, 4, cudaMemcpyHostToDevice), sum = h[3];
    if (!strcmp(how, "callback")) cudaLaunchHostFunc(s, callback, nullptr), cudaDeviceSynchronize();
    if (!strcmp(how, "pageable")) {
        int here[64];
        cudaDeviceSynchronize();
        cudaMemcpyAsync(here, m, 256, cudaMemcpyDeviceToHost, s); /* waits, as CUDA says */
        sum = here[3];
    }
    if (!strcmp(how, "flag")) {
        cudaDeviceSynchronize();
        flagged<<<1, 1, 0, s>>>(m, flag);
        while (!*(volatile int *)flag);
        sum = m[0] - 3;
    }
    if (!strcmp(how, "atomic")) {
        cudaDeviceSynchronize();
        flagged<<<1, 1, 0, s>>>(m, flag);
        while (!reinterpret_cast<std::atomic<int> *>(flag)->load());
        sum = m[0] - 3;
    }
    if (!strcmp(how, "thread")) { /* another thread uses memory of its own meanwhile */
        std::atomic<bool> stop(false);
        cudaDeviceSynchronize();
        std::thread other([&] { do h[20]++; while (!stop); sum = h[20] ? 4 : 0; });
        for (int i = 0; i < 20; i++) fill<<<1, 64, 0, s>>>(m, i);
        stop = true;
        other.join();
    }
    cudaDeviceSynchronize();
    printf("%d\n", sum);
    cudaFree(d), cudaFree(m), cudaFreeHost(h), cudaFreeHost(flag);
}
END
reads() { # HOW OPTION...
    how=$1
    shift
    run_it timeout 60 "$BANKSCOPE" run "$@" --host-reads "$WORK/early.cu" -- "$how"
    cat "$WORK/stderr"
    head -n 1 "$WORK/stdout" | grep -qx 4
}
# shellcheck disable=SC2154 # run_it sets status
early() { # HOW PATTERN OPTION...
    how=$1 pattern=$2
    shift 2
    reads "$how" "$@" && [ "$status" -eq 1 ] && grep -Eq "^bankscope run: .*$pattern" "$WORK/stderr"
}
right() { # HOW OPTION...
    reads "$@" && [ "$status" -eq 0 ] && ! [ -s "$WORK/stderr" ]
}
kernel='early.cu:34: early-read: a read of what kernel fill stores, before anything has waited for it'
copy='early.cu:35: early-read: a read of what cudaMemcpyAsync stores, before anything has waited for it'
ok "a result of a kernel" early kernel "$kernel"
ok "of a copy" early copy "$copy"
ok "asking for an error is no wait" early asked-only 'early.cu:36: early-read'
for how in beside stream query event device copy-after callback pageable flag atomic thread; do
    ok "right: $how" right "$how"
done
ok "what nobody asked for is not told" sh -c "'$BANKSCOPE' run '$WORK/early.cu' -- kernel 2>&1 | grep -qx 4"
ok "nor that which is excused" sh -c "'$BANKSCOPE' run '$WORK/early.cu' --host-reads --excuse early-read -- kernel 2>&1 |
    grep -q 'early-read: excuses 1 fault'"
refuses "programs on a GPU" 2 '--host-reads is for programs whose kernels run on this machine' \
    "$BANKSCOPE" run --host-reads -- ./app
CUDA_LAUNCH_BLOCKING=1
export CUDA_LAUNCH_BLOCKING
ok "right: launches that wait" right kernel
unset CUDA_LAUNCH_BLOCKING
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ -x "$nvcc" ]; then
    export NVCC="$nvcc"
    ok "with nvcc, too" early copy "$copy" --compiler nvcc
    ok "right with nvcc: flag" right flag --compiler nvcc
    ok "right with nvcc: atomic" right atomic --compiler nvcc
else
    skip "with nvcc, too" "no nvcc"
fi
finish
