#!/bin/sh
# Programs in another C++ than C++17: the headers that stand in for the toolkit's are read as it, too.
. tests/support/tap.sh

clangs=
for clang in clang-14 clang-16; do
    command -v "$clang" >/dev/null && clangs="$clangs $clang"
done
[ -n "$clangs" ] || {
    skip "standards" "there is no clang"
    finish
    exit
}

# All of our headers but those that the others include, and cublas.h, of which NVIDIA's takes no cublas_v2.h beside it, either.
headers() {
    (cd program/compile/include && find . \( -path ./bankscope -o -name toolkit -o -name bits \) -prune -o -type f ! -name '*.c' ! -name cublas.h -print)
    sed -n 's|^[a-z][^ ]*|./&|p' program/compile/headers.txt | sed 's/ .*//'
}
{
    headers | sed 's|^\./\(.*\)|#include <\1>|' | sort -u
    cat <<'END'
#include <cstdio>
namespace cg = cooperative_groups;
/* What of C++ it is written in. */
__device__ long used()
{
    return __cplusplus;
}
__global__ void kernel(long *out, float by, cudaTextureObject_t picture)
{
    __shared__ float tile[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> here;
    cg::thread_block block = cg::this_thread_block();
    const int lane = threadIdx.x;
    if (lane == 0)
        init(&here, 64);
    block.sync();
    tile[lane] = by + tex2D<float>(picture, lane + .5f, .5f);
    here.arrive_and_wait();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    cg::thread_block_tile<64> both = cg::tiled_partition<64>(block);
    float sum = cg::reduce(warp, tile[63 - lane], cg::plus<float>());
    int most = cg::reduce(both, lane, cg::greater<int>());
    int before = cg::exclusive_scan(warp, 1);
    int shared = cg::invoke_one_broadcast(cg::coalesced_threads(), [&] { return lane + 7; });
    cuda::atomic_ref<long, cuda::thread_scope_device> at(out[0]);
    at.fetch_add((long)sum + __shfl_sync(~0u, before, 31) + (lane % 32 == 0 ? most + shared : 0));
    cuda::atomic_ref<long, cuda::thread_scope_device> highest(out[1]);
    highest.fetch_max(atomicAdd(tile + lane, 1.f) > 0 ? lane : 0);
    if (lane == 0)
        out[2] = used();
}
int main()
{
    float texel[64], *at;
    for (int i = 0; i < 64; i++)
        texel[i] = (float)i;
    cudaMalloc(&at, sizeof texel);
    cudaMemcpy(at, texel, sizeof texel, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = at;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = 64;
    resource.res.pitch2D.height = 1;
    resource.res.pitch2D.pitchInBytes = sizeof texel;
    cudaTextureDesc how = {};
    cudaTextureObject_t picture;
    cudaCreateTextureObject(&picture, &resource, &how, nullptr);
    long *out;
    cudaMallocManaged(&out, 3 * sizeof *out);
    kernel<<<1, 64>>>(out, 1.f, picture);
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1);
    config.blockDim = dim3(64);
    cudaLaunchKernelEx(&config, kernel, out, 1, picture); /* an int for a float */
    printf("%d", (int)cudaDeviceSynchronize());
    printf(" %ld %ld %ld %ld, %g\n", out[0], out[1], out[2], (long)__cplusplus, norm3d(2, 3, 6));
}
END
} >"$WORK/all.cu"

# Of each launch of two: 32 times 1552 and 528, the sums of the numbers to 64; 64 times 31; 2 times 63, 7 and 39.
want() {
    number=$1
    shift
    run_it env CLANG="$clang" "$BANKSCOPE" run --compiler clang "$@" "$WORK/all.cu"
    cat "$WORK/stderr"
    head -n 1 "$WORK/stdout"
    [ "$status" -eq 0 ] && grep -qx "0 137432 63 $number $number, 7" "$WORK/stdout" && ! grep -q warning "$WORK/stderr"
}
for clang in $clangs; do
    ok "C++11 with $clang" want 201103 -std=c++11
    ok "C++14 with $clang" want 201402 -std=c++14
    ok "C++17 with $clang" want 201703
done

finish
