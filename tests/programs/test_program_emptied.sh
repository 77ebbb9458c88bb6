#!/bin/sh
# program_emptied: of a kernel from which the compiler has removed all, that is said.
. tests/support/tap.sh
. tests/support/cuda.sh

cat >"$WORK/k.cu" <<'EOT'
__global__ void nothing() {}
__global__ void waits(long long cycles)
{
    for (long long start = clock64(); clock64() - start < cycles;)
        ;
}
__global__ void stores(float *out) { out[threadIdx.x] = threadIdx.x; }
__global__ void forgets(float *out, int n)
{
    __shared__ float tile[64];
    tile[threadIdx.x] = n;
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += tile[i % 64];
}
int main()
{
    float *out;
    cudaMalloc(&out, 256);
    nothing<<<2, 64>>>();
    waits<<<1, 32>>>(10000);
    stores<<<1, 64>>>(out);
    forgets<<<3, 64>>>(out, 64);
    return cudaDeviceSynchronize();
}
EOT
# emptied KERNEL... [-- OPTION...]: of these alone.
emptied() {
    wanted=
    for name; do
        shift
        [ "$name" = -- ] && break
        wanted="$wanted$name "
    done
    "$BANKSCOPE" run "$WORK/k.cu" --compiler clang "$@" >"$WORK/said" 2>&1
    cat "$WORK/said"
    test "$(awk '/: launch / { sub(/:.*/, ""); kernel = $0 } /^nothing that the kernel computes is stored/ { printf "%s ", kernel }' "$WORK/said")" = "$wanted"
}
ok "one that stores nothing, and none of the others" emptied forgets
ok "not with all global memory" emptied forgets -- --memory all
ok "as it is written, it has accesses" emptied -- -O0
finish
