#!/bin/sh
# program: work of two streams that meets in memory, with nothing to put it in order, is told, and no other work.
. tests/support/tap.sh
. tests/support/cuda.sh

cat >"$WORK/order.cu" <<'END'
#include <cstdio>
#include <cstring>
__device__ int counter;
__global__ void fill(int *o) { o[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void twice(int *o, const int *a) { int i = blockIdx.x * blockDim.x + threadIdx.x; o[i] = 2 * a[i]; }
__global__ void count(int *sum) { atomicAdd(sum, 1); }
__global__ void even(int *o) { o[2 * threadIdx.x] = 1; }
__global__ void odd(int *o) { o[2 * threadIdx.x + 1] = 1; }
__global__ void global() { counter = threadIdx.x; }
static cudaStream_t s, t, aside;
static cudaEvent_t e;
static int *d, *o, *h;
static void tell(void *) {}
static void graph(bool joined)
{
    cudaGraph_t g;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(t, e, 0);
    fill<<<4, 64, 0, t>>>(d);
    cudaEventRecord(e, t);
    if (joined) cudaStreamWaitEvent(s, e, 0);
    twice<<<4, 64, 0, s>>>(o, d);                      /* line 24 */
    cudaStreamWaitEvent(s, e, 0);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&exec, g, 0);
    cudaGraphLaunch(exec, s);
    cudaGraphLaunch(exec, s);
    fill<<<4, 64, 0, s>>>(o);
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(aside, e, 0);
    fill<<<4, 64, 0, aside>>>(d);
}
int main(int, char **argv)
{
    const char *how = argv[1];
    cudaMalloc(&d, 4096);
    cudaMalloc(&o, 4096);
    cudaMallocHost(&h, 4096);
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaStreamCreateWithFlags(&aside, cudaStreamNonBlocking);
    cudaEventCreate(&e);
    cudaMemset(d, 0, 4096), cudaMemset(o, 0, 4096);
    cudaDeviceSynchronize();
#define IF(name) if (!strcmp(how, name))
    IF("read") fill<<<4, 64, 0, s>>>(d), twice<<<4, 64, 0, t>>>(o, d);                     /* line 48 */
    IF("write") twice<<<4, 64, 0, s>>>(o, d), fill<<<2, 64, 0, t>>>(d);                    /* line 49 */
    IF("both") fill<<<4, 64, 0, s>>>(d), fill<<<1, 64, 0, t>>>(d + 192);                   /* line 50 */
    IF("copy") fill<<<4, 64, 0, s>>>(d), cudaMemcpyAsync(h, d, 1024, cudaMemcpyDefault, t); /* line 51 */
    IF("aside") fill<<<4, 64, 0, aside>>>(d), cudaMemcpy(h, d, 1024, cudaMemcpyDefault);   /* line 52 */
    IF("set") cudaMemsetAsync(d, 0, 4096, s), fill<<<4, 64, 0, t>>>(d);                    /* line 53 */
    IF("late") cudaEventRecord(e, s), fill<<<4, 64, 0, s>>>(d), cudaStreamWaitEvent(t, e, 0),
        twice<<<4, 64, 0, t>>>(o, d);                                                      /* line 55 */
    IF("variable") global<<<1, 1, 0, s>>>(), global<<<1, 1, 0, t>>>();                     /* line 56 */
    IF("atomic") count<<<4, 64, 0, s>>>(d), fill<<<4, 64, 0, t>>>(d);                      /* line 57 */
    IF("graph") graph(false);
    IF("loop") for (int i = 0; i < 300; i++) fill<<<4, 64, 0, s>>>(d);
    IF("loop") twice<<<4, 64, 0, t>>>(o, d);                                               /* line 60 */

    IF("event") fill<<<4, 64, 0, s>>>(d), cudaEventRecord(e, s), cudaStreamWaitEvent(t, e, 0),
        twice<<<4, 64, 0, t>>>(o, d);
    IF("stream") fill<<<4, 64, 0, s>>>(d), cudaStreamSynchronize(s), twice<<<4, 64, 0, t>>>(o, d);
    IF("query") { fill<<<4, 64, 0, s>>>(d); while (cudaStreamQuery(s)); twice<<<4, 64, 0, t>>>(o, d); }
    IF("host") fill<<<4, 64, 0, s>>>(d), cudaEventRecord(e, s), cudaEventSynchronize(e),
        twice<<<4, 64, 0, t>>>(o, d);
    IF("device") fill<<<4, 64, 0, aside>>>(d), cudaDeviceSynchronize(), twice<<<4, 64>>>(o, d);
    IF("legacy") fill<<<4, 64, 0, s>>>(d), twice<<<4, 64>>>(o, d), fill<<<4, 64, 0, t>>>(o);
    IF("through") fill<<<4, 64, 0, s>>>(d), count<<<1, 1>>>(o), twice<<<4, 64, 0, t>>>(o, d);
    IF("callback") fill<<<4, 64, 0, s>>>(d), cudaLaunchHostFunc(s, tell, nullptr), twice<<<4, 64, 0, t>>>(o, d);
    IF("parts") fill<<<1, 64, 0, s>>>(d), fill<<<1, 64, 0, t>>>(d + 64);
    IF("between") even<<<1, 64, 0, s>>>(d), odd<<<1, 64, 0, t>>>(d);
    IF("atomics") count<<<4, 64, 0, s>>>(d), count<<<4, 64, 0, t>>>(d);
    IF("reads") twice<<<1, 64, 0, s>>>(o, d), twice<<<1, 64, 0, t>>>(o + 64, d);
    IF("same") fill<<<4, 64, 0, s>>>(d), twice<<<4, 64, 0, s>>>(o, d);
    IF("pageable") { int here[64]; fill<<<1, 64, 0, s>>>(d);
        cudaMemcpyAsync(here, d, 256, cudaMemcpyDeviceToHost, s); fill<<<1, 64, 0, t>>>(d); }
    IF("freed") { int *a, *b; cudaMallocAsync(&a, 4096, s); fill<<<4, 64, 0, s>>>(a); cudaFreeAsync(a, s);
        cudaMallocAsync(&b, 4096, t); fill<<<4, 64, 0, t>>>(b); }
    IF("joined") graph(true);
    IF("thread") fill<<<4, 64, 0, cudaStreamPerThread>>>(d), twice<<<4, 64>>>(o, d);
    cudaDeviceSynchronize();
    fill<<<4, 64>>>(d);
    fill<<<4, 64, 0, aside>>>(o);
    printf("%s %d\n", how, (int)cudaDeviceSynchronize());
    return 0;
}
END

order() # HOW: all that is told, with its status in front
{
    run_it timeout 60 "$BANKSCOPE" run "$WORK/order.cu" -- "$1"
    grep -q "^$1 0\$" "$WORK/stdout" || echo "wrong output"
    # shellcheck disable=SC2154 # run_it sets status
    echo "$status: $(sed -n 's|^bankscope run: .*order.cu:|order.cu:|p' "$WORK/stderr")"
}
tells() # HOW LINE TEXT
{
    order "$1" | grep -Eq "^1: order.cu:$2: stream-order: $3( \(2 times\))?\$"
}
right() # HOW
{
    order "$1" | grep -qx '0: '
}
place='and nothing puts the two in order: [0-9]+ bytes from byte [0-9]+ of an allocation of [0-9]+ bytes'
ok "a read behind a store" tells read 48 \
    'kernel twice reads what kernel fill in another stream stores to, and nothing puts the two in order: 1024 bytes from byte 0 of an allocation of 4096 bytes'
ok "a store behind a read" tells write 49 "kernel fill stores to what kernel twice in another stream reads, $place"
ok "two stores, in a part" tells both 50 \
    'kernel fill stores to what kernel fill in another stream stores to, .*: 256 bytes from byte 768 of an allocation of 4096 bytes'
ok "a copy" tells copy 51 "cudaMemcpyAsync reads what kernel fill in another stream stores to, $place"
ok "a copy that does not wait for a stream that is non-blocking" \
    tells aside 52 "cudaMemcpy reads what kernel fill in another stream stores to, $place"
ok "a set" tells set 53 "kernel fill stores to what cudaMemset.* in another stream stores to, $place"
ok "an event that was recorded before the kernel" tells late 5[0-9] "kernel twice reads what kernel fill .*"
ok "a variable" tells variable 56 "kernel global stores to what kernel global in another stream stores to, .*: 4 bytes from byte 0 of counter"
ok "atomic operations beside stores" tells atomic 57 "kernel fill stores to what kernel count in another stream stores to, .*"
ok "branches of a graph" tells graph 24 "kernel twice reads what kernel fill in another branch of the graph stores to, $place"
ok "a kernel that is launched often" tells loop 60 "kernel twice reads what kernel fill .*"
for how in event stream query host device legacy through callback parts between atomics reads same pageable freed joined \
    thread; do
    ok "right: $how" right $how
done
ok "what is excused is not told" sh -c "'$BANKSCOPE' run '$WORK/order.cu' --excuse stream-order -- read 2>&1 |
    grep -q 'stream-order: excuses 1 fault'"
finish
