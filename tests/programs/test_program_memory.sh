#!/bin/sh
# program: what the checker knows about memory: atomic operations, the kernels' own heap, arrays of
# the device, alignment.
. tests/support/tap.sh
. tests/support/cuda.sh

# right NAME OUTPUT SOURCE...: the program made of these lines prints that, and is blamed for nothing; counts of its lines
# may be estimates.
right() {
    right_name=$1 right_output=$2
    shift 2
    printf '%s\n' '#include <cstdio>' "$@" >"$WORK/right.cu"
    run_it timeout 60 "$BANKSCOPE" run "$WORK/right.cu"
    ok "$right_name" sh -c "cat '$WORK/stderr'; ! grep -v ' an estimate: ' '$WORK/stderr' && grep -qxF '$right_output' '$WORK/stdout'"
}

# ---- loads before atomic operations ----------------------------------------------------------------
right "a load may look before an atomic operation" '6375 99 256' \
    '__device__ double add(double *address, double value) {' \
    '    unsigned long long *word = (unsigned long long *)address, old = *word, assumed;' \
    '    do {' \
    '        assumed = old;' \
    '        old = atomicCAS(word, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));' \
    '    } while (assumed != old);' \
    '    return __longlong_as_double(old);' \
    '}' \
    '__global__ void sum(double *to, const int *x) {' \
    '    __shared__ double part;' \
    '    if (threadIdx.x == 0) part = 0;' \
    '    __syncthreads();' \
    '    add(&part, x[blockIdx.x * 64 + threadIdx.x]);' \
    '    __syncthreads();' \
    '    if (threadIdx.x == 0) add(to, part);' \
    '}' \
    '__global__ void largest(int *to, const int *x) {' \
    '    int mine = x[blockIdx.x * 64 + threadIdx.x];' \
    '    if (mine > *to) atomicMax(to, mine);' \
    '}' \
    '__device__ int lock, counted;' \
    '__global__ void count(int *to) {' \
    '    for (bool done = false; !done;)' \
    '        if (atomicCAS(&lock, 0, 1) == 0) {' \
    '            ++*to; __threadfence(); atomicExch(&lock, 0); done = true;' \
    '        }' \
    '}' \
    'int main() {' \
    '    int *x, *to; double *all;' \
    '    cudaMallocManaged(&x, 1024); cudaMallocManaged(&to, 8); cudaMallocManaged(&all, 8);' \
    '    for (int i = 0; i < 256; i++) x[i] = i * 37 % 100 / 2;' \
    '    x[200] = 99; to[0] = to[1] = 0; *all = 0;' \
    '    sum<<<4, 64>>>(all, x); largest<<<4, 64>>>(to, x); count<<<4, 64>>>(to + 1);' \
    '    printf("%g %d %d\n", *all, to[0], to[1]);' \
    '    cudaFree(x); cudaFree(to); cudaFree(all);' \
    '}'
for kind in shared global; do
    case $kind in
    shared) where='__shared__ int bins[8];' ;;
    *) where='int *bins = o;' ;;
    esac
    finds "but not read a histogram that others still count, $kind" 'fault.cu:[67]: race: ' \
        "__global__ void k(int *o) { $where" \
        'if (threadIdx.x < 8) bins[threadIdx.x] = 0;' '__syncthreads();' \
        'atomicAdd(&bins[threadIdx.x % 8], 1);' \
        'if (threadIdx.x < 8) atomicAdd(&o[8 + threadIdx.x], bins[threadIdx.x]); }' \
        "int main() { $device k<<<1, 256>>>(d); cudaFree(d); }"
done
# ---- the kernels' heap -----------------------------------------------------------------------------
right "kernels allocate and free" '2976 2016 8388608 15' \
    '#include <new>' \
    'struct node { int value; node *next; };' \
    '__device__ node *list;' \
    '__global__ void push(int n) {' \
    '    for (int i = 0; i < n; i++) {' \
    '        node *a = new node; a->value = threadIdx.x;' \
    '        a->next = (node *)atomicExch((unsigned long long *)&list, (unsigned long long)a);' \
    '    }' \
    '}' \
    '__global__ void pop(int *o) {' \
    '    int sum = 0;' \
    '    for (node *a = list, *b; a; a = b) { b = a->next; sum += a->value; delete a; }' \
    '    *o = sum;' \
    '}' \
    '__global__ void own(int *o) {' \
    '    int *a = (int *)malloc(256), sum = 0;' \
    '    for (int i = 0; i < 64; i++) a[i] = i;' \
    '    for (int i = 0; i < 64; i++) sum += a[63 - i];' \
    '    o[threadIdx.x] = sum; free(a);' \
    '}' \
    '__global__ void fill(int *o) {' \
    '    void *all[32]; int n = 0;' \
    '    while ((all[n] = malloc(1 << 20))) n++;' \
    '    *o = n;' \
    '    while (n) free(all[--n]);' \
    '}' \
    'int main() {' \
    '    int *d, sum, own_sum, most; size_t limit;' \
    '    cudaMalloc(&d, 256);' \
    '    cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize);' \
    '    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20);' \
    '    push<<<2, 32>>>(3); pop<<<1, 1>>>(d); cudaMemcpy(&sum, d, 4, cudaMemcpyDeviceToHost);' \
    '    own<<<1, 64>>>(d); cudaMemcpy(&own_sum, d + 63, 4, cudaMemcpyDeviceToHost);' \
    '    fill<<<1, 1>>>(d); cudaMemcpy(&most, d, 4, cudaMemcpyDeviceToHost);' \
    '    printf("%d %d %zu %d\n", sum, own_sum, limit, most);' \
    '    int *host = new int[5]; delete[] host; free(malloc(5)); cudaFree(d);' \
    '}'
right "whose heap is large, beside memory of the host's" '300 7' \
    '__global__ void fill(int *o) {' \
    '    int n = 0;' \
    '    while (malloc(1 << 20)) n++;' \
    '    o[0] = n; o[(64 << 20) - 1] = 7;' \
    '}' \
    'int main() {' \
    '    int *d, *last, n, seven;' \
    '    cudaMalloc(&d, 256 << 20); last = d + (64 << 20) - 1;' \
    '    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 301 << 20);' \
    '    fill<<<1, 1>>>(d);' \
    '    cudaMemcpy(&n, d, 4, cudaMemcpyDeviceToHost); cudaMemcpy(&seven, last, 4, cudaMemcpyDeviceToHost);' \
    '    printf("%d %d\n", n, seven);' \
    '    cudaFree(d);' \
    '}'
right "whose heap keeps its size once it is there" '0 1 16' \
    '__global__ void k() { free(malloc(8)); }' \
    'int main() {' \
    '    int before = cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20);' \
    '    k<<<1, 1>>>();' \
    '    int late = cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20);' \
    '    size_t kept = 0;' \
    '    cudaGetLastError();' \
    '    cudaDeviceGetLimit(&kept, cudaLimitMallocHeapSize);' \
    '    printf("%d %d %zu\n", before, late, kept >> 20);' \
    '}'
heap='int main() { k<<<1, 1>>>(); cudaDeviceSynchronize(); }'
finds "memory of the heap used when it is freed" 'fault.cu:4: bad-address: a load of 4 bytes .*at byte 4 of 8 that malloc in a kernel returned and th' \
    '__global__ void k() { int *volatile a = new int[2]; a[1] = 1; delete[] a;' 'if (a[1]) printf("x"); }' "$heap"
finds "and behind its end" 'fault.cu:4: bad-address: a store of 4 bytes .*at byte 8 of 8 that malloc in a kernel returned' \
    '__global__ void k() { int *volatile a = new int[2];' 'a[2] = 1; printf("%p", a); delete[] a; }' "$heap"
finds "and before it is written" 'fault.cu:4: unwritten-read: a load of 4 bytes' \
    '__global__ void k() { int *volatile a = new int[2];' 'printf("%d", a[0]); delete[] a; }' "$heap"
finds "and freed twice" 'fault.cu:4: bad-address: free of 0x[0-9a-f]+, .*freed already' \
    '__global__ void k() { void *volatile a = malloc(8); free(a);' 'free(a); }' "$heap"
finds "what a kernel frees although the host allocated it" 'fault.cu:3: bad-address: free of 0x[0-9a-f]+, which malloc in a kernel did not return' \
    '__global__ void k(int *o) { delete[] o; }' "int main() { $device k<<<1, 1>>>(d); }"
# ---- variables of the device -----------------------------------------------------------------------
variable() {
    variable_name=$1 variable_pattern=$2
    shift 2
    finds "$variable_name" "$variable_pattern" '__device__ int table[10]; static __device__ int hidden[5];' \
        '__constant__ float weights[4]; namespace { __device__ double deep[3]; }' \
        'template <class T> __device__ T typed[7]; __device__ int counter; __device__ char bytes[8];' \
        '__global__ void k(int *o, int i) { static __device__ int inner[2];' "$@" \
        'o[threadIdx.x] += table[i] + hidden[i] + weights[i] + deep[i] + typed<float>[i] + inner[i] + bytes[i]; }' \
        "int main() { $device k<<<1, 64>>>(d, 0); cudaFree(d); }"
}
variable "an index behind an array of the device" \
    'fault.cu:7: bad-address: a store of 4 bytes at table\[10\] .*\(thread \(60, 0, 0\)' \
    'if (threadIdx.x > 59) table[threadIdx.x - 50] = 1;'
variable "before a static one" 'fault.cu:7: bad-address: a store of 4 bytes at [a-z]+\[[0-9]+\] ' \
    'if (threadIdx.x == 0) hidden[i - 1] = 1;'
variable "behind a constant one" 'fault.cu:7: bad-address: a load of 4 bytes at byte 16 of weights' \
    'o[threadIdx.x] += weights[i + 4];'
variable "behind one in a namespace" 'fault.cu:7: bad-address: .* at deep\[3\]' \
    'if (threadIdx.x == 0) deep[i + 3] = 1;'
variable "behind one of a template" 'fault.cu:7: bad-address: .* at typed\[7\]' \
    'if (threadIdx.x == 0) typed<float>[i + 7] = 1;'
variable "behind one in a kernel" 'fault.cu:7: bad-address: .* at inner\[2\]' \
    'if (threadIdx.x == 0) inner[i + 2] = 1;'
variable "a race on a variable of the device" \
    'fault.cu:7: race: .* at counter ' 'counter++;'
variable "a misaligned access to one" 'fault.cu:7: misaligned: a store of 4 bytes' \
    'if (threadIdx.x == 0) *(int *)(bytes + 2 + i) = 1;'

# ---- alignment and deadlock ------------------------------------------------------------------------
finds "a misaligned access to shared memory" 'fault.cu:4: misaligned: a store of 8 bytes at byte 4 of shared memory' \
    '__global__ void k(int *o) { __shared__ int s[8];' '*(long long *)(s + blockDim.x) = 1; o[0] = s[1]; }' \
    "int main() { $device k<<<1, 1>>>(d); cudaFree(d); }"
finds "and to an allocation" 'fault.cu:3: misaligned: a load of 4 bytes' \
    '__global__ void k(char *o) { o[8] = *(int *)(o + 1); }' \
    "int main() { $device k<<<1, 1>>>((char *)d); cudaFree(d); }"
finds "barriers that wait for each other" 'fault.cu:6: barrier-divergence: threads of the block wait at different barriers' \
    '#include <cooperative_groups.h>' '__global__ void k() {' 'if (threadIdx.x < 32)' '__syncthreads();' \
    'else cooperative_groups::this_grid().sync(); }' \
    'int main() { cudaLaunchCooperativeKernel(k, dim3(2), dim3(64), nullptr, 0, 0);' \
    'puts(cudaGetErrorString(cudaDeviceSynchronize())); }'
finish
