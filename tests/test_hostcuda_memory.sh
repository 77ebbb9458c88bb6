#!/bin/sh
# hostcuda: what the checker knows about memory: atomic operations, the kernels' own heap, arrays of
# the device, alignment.
. tests/tap.sh
. tests/hostcuda.sh

# right NAME OUTPUT SOURCE...: the program made of these lines prints that, and is blamed for nothing.
right() {
    right_name=$1 right_output=$2
    shift 2
    printf '%s\n' '#include <cstdio>' "$@" >"$WORK/right.cu"
    run_it timeout 60 "$BANKSCOPE" run "$WORK/right.cu"
    ok "$right_name" sh -c "cat '$WORK/stderr'; test ! -s '$WORK/stderr' && grep -qxF '$right_output' '$WORK/stdout'"
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
finish
