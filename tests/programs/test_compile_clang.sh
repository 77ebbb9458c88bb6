#!/bin/sh
# CUDA programs by clang without the toolkit: what a user tells nvcc is understood, and what compilers say comes
# through. test_compile_programs.sh compiles the programs of tests/programs.
. tests/support/tap.sh
. tests/support/compile.sh

# ---- what is said -----------------------------------------------------------------------------------

cat >"$WORK/wrong.cu" <<'END'
__global__ void k(int *a)
{
    a[0] = missing;
    a[1] = absent;
}
int main()
{
    k<<<1, 1>>>(nullptr);
    return lost;
}
END
all_errors() {
    run_it "$compile" --compile "$WORK" --with clang "$WORK/wrong.cu"
    cat "$WORK/stderr"
    [ "$status" -eq 1 ] && grep -q 'wrong.cu:3:12: error:.*missing' "$WORK/stderr" &&
        grep -q 'wrong.cu:4:12: error:.*absent' "$WORK/stderr" &&
        grep -q 'wrong.cu:9:12: error:.*lost' "$WORK/stderr" &&
        tail -n 1 "$WORK/stderr" | grep -q 'does not compile' &&
        [ "$(grep -c 'missing' "$WORK/stderr")" -eq 2 ] # the message, and the line
}
ok "all errors are told, once each, with the user's lines" all_errors

cat >"$WORK/warned.cu" <<'END'
__global__ void k(int *a)
{
    int unused;
    a[0] = 1;
}
int main()
{
    int also;
    k<<<1, 1>>>(nullptr);
}
END
warned_twice() {
    for _ in 1 2; do # the second time from what was kept
        # shellcheck disable=SC2086
        run_it "$compile" --compile "$WORK" --with clang "$WORK/warned.cu" -Wall $open_ends
        cat "$WORK/stderr"
        [ "$status" -eq 0 ] && [ "$(grep -c 'warning:' "$WORK/stderr")" -eq 2 ] || return 1
    done
}
ok "warnings are told, also when nothing is compiled anew" warned_twice

# clang unrolls no loop that has asm in it, so the headers have none where nvcc unrolls.
cat >"$WORK/halves.cu" <<'END'
#include <cuda_fp16.h>
__global__ void dot(const __half *in, float *out, int n)
{
    __shared__ __half s[1024];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += __half2float(s[i * 32 + threadIdx.x]);
    out[threadIdx.x] = __half2float(__float2half(sum));
}
END
halves_unrolled() {
    run_it "$compile" --compile "$WORK" --with clang --ptx-only "$WORK/halves.cu"
    [ "$status" -eq 0 ] && [ "$(grep -c 'ld\.shared' "$WORK/0.ptx")" -eq 5 ] # four turns, and one
}
ok "loops over halves are unrolled as by nvcc" halves_unrolled

# A build's -I may name the toolkit's headers, which clang cannot read without the toolkit: ours come first.
mkdir -p "$WORK/toolkit/crt" "$WORK/own"
touch "$WORK/toolkit/crt/host_runtime.h"
echo '#error the toolkit has its own' | tee "$WORK/toolkit/cuda_runtime.h" >"$WORK/toolkit/vector_types.h"
echo '#define BESIDE 3' >"$WORK/toolkit/beside.h"
echo '#define VALUE BESIDE' >"$WORK/own/own.h"
cat >"$WORK/includes.cu" <<'END'
#include <cuda_runtime.h>
#include <vector_types.h>
#include "beside.h"
#include "own.h"
__global__ void k(int *out)
{
    out[threadIdx.x] = VALUE;
}
int main()
{
    k<<<1, 32>>>(nullptr);
}
END
for flags in "-I $WORK/toolkit -I $WORK/own" "-I$WORK/toolkit -I$WORK/own" "-isystem $WORK/toolkit -I$WORK/own"; do
    # shellcheck disable=SC2086 # words
    ok "a toolkit's headers come behind ours: ${flags%%/*}" "$compile" --compile "$WORK" --with clang \
        "$WORK/includes.cu" $flags $open_ends
done

# nvcc loads what a cast says at once; clang by itself takes eight loads, four and two.
cat >"$WORK/casts.cu" <<'END'
#include <cuda_fp16.h>
struct __attribute__((packed)) odd { char c; int i; };
__global__ void k(uint4 *out, float *sum, int *n, int stride)
{
    extern __shared__ unsigned char bytes[];
    __shared__ half tile[512];
    __shared__ float four[512];
    tile[threadIdx.x] = sum[threadIdx.x];
    *reinterpret_cast<float4 *>(&four[stride * threadIdx.x]) = reinterpret_cast<float4 *>(sum)[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = *reinterpret_cast<uint4 *>(&tile[stride * threadIdx.x]);
    sum[threadIdx.x] = *reinterpret_cast<float *>(&bytes[4 * threadIdx.x]);
    sum[threadIdx.x + 32] = four[threadIdx.x ^ 1];
    memcpy(&n[threadIdx.x], &bytes[stride * threadIdx.x], 4);
}
__global__ void without(int *n)
{
    __shared__ odd packed[32];
    packed[threadIdx.x].i = n[threadIdx.x];
    __syncthreads();
    n[threadIdx.x] = packed[threadIdx.x ^ 1].i;
}
int main() { return 0; }
END
casts_believed() {
    for clang in $(command -v clang-14 clang-16 || command -v clang); do
        (cd "$WORK" && CLANG=$clang "$compile" --compile "$WORK" --with clang --ptx-only casts.cu) || return
        set -- "$(grep -o '\(ld\|st\)\.shared[.a-z0-9]*' "$WORK/0.ptx" | sed 's/[uf]32$/32/' | sort | uniq -c |
            awk '{ printf "%s%s %s", sep, $1, $2; sep = ", " }')"
        [ "$1" = '2 ld.shared.32, 8 ld.shared.u8, 1 ld.shared.v4.32, 1 st.shared.b16, 4 st.shared.u8, 1 st.shared.v4.32' ] ||
            { echo "$clang: $1" && return 1; }
    done
}
ok "what a cast says of an alignment is believed, memcpy and packed structures are not" casts_believed

# Of neighbours ptxas makes one load, if there is no quotient between them, where clang would put one.
cat >"$WORK/beside.cu" <<'END'
__global__ void k(float *x, int n)
{
    __shared__ float a, b;
    if (threadIdx.x == 0)
        a = x[0], b = x[1];
    __syncthreads();
    const float one = a, two = b, scale = 1.0f / n;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        x[i] = x[i] - scale * one - scale * x[i] * two;
}
END
loads_beside() {
    for clang in $(command -v clang-14 clang-16 || command -v clang); do
        (cd "$WORK" && CLANG=$clang "$compile" --compile "$WORK" --with clang --ptx-only beside.cu) || return
        awk '/rcp|div/ && loads == 1 { parted = 1 } /ld.shared/ { loads++ } END { exit parted || loads != 2 }' \
            "$WORK/0.ptx" || { echo "$clang" && return 1; }
    done
}
ok "loads of neighbours stay side by side" loads_beside

# What old programs are ported with: a function of CUDA 12 is the name of another one.
cat >"$WORK/ported.cu" <<'END'
int main()
{
    return cudaThreadSynchronize();
}
END
ok "a macro may have the name of a function that CUDA 13 no longer has" \
    "$compile" --compile "$WORK" --with clang --ptx-only "$WORK/ported.cu" -DcudaThreadSynchronize=cudaDeviceSynchronize

refuses_program() { # NAME PATTERN SOURCE
    printf '%s\n' "$3" >"$WORK/refused.cu"
    refuses "$1" 1 "$2" "$compile" --compile "$WORK" --with clang "$WORK/refused.cu"
}
refuses_program "Thrust needs nvcc" \
    'refused.cu:1: thrust/sort.h is of Thrust, whose templates need NVIDIA.s headers' \
    '#include <thrust/sort.h>'
# Where clang finds it, as with CMake's folders of the toolkit, it is the same line and not a page of errors.
mkdir -p "$WORK/toolkit/nv" "$WORK/toolkit/cub" "$WORK/mine/cub"
touch "$WORK/toolkit/nv/target" "$WORK/toolkit/cub/version.cuh"
echo '#error clang is not known' >"$WORK/toolkit/cub/config.cuh"
echo '#include "config.cuh"' | tee "$WORK/toolkit/cub/cub.cuh" >"$WORK/mine/cub/cub.cuh"
echo '#error this is my own' >"$WORK/mine/cub/config.cuh"
found() { # NAME PATTERN FOLDER NVCC
    printf '#include "between.h"\n' >"$WORK/refused.cu"
    printf '\n#include <cub/cub.cuh>\n' >"$WORK/between.h"
    refuses "$1" 1 "$2" env NVCC="$4" "$compile" --compile "$WORK" --with clang "$WORK/refused.cu" "$3"
}
echo 'exit 1' >"$WORK/nvcc"
chmod +x "$WORK/nvcc"
found "CUB is not clang's where it is found" \
    'between.h:2: cub/cub.cuh is of CUB, .*: install the CUDA toolkit, for nvcc' "-I$WORK/toolkit" ""
found "and nvcc's where there is one" \
    'between.h:2: cub/cub.cuh is of CUB, .*: compile it with nvcc \(--compiler nvcc\)' "-I$WORK/toolkit" "$WORK/nvcc"
own_cub() {
    ! "$compile" --compile "$WORK" --with clang "$WORK/refused.cu" "-I$WORK/mine" >"$WORK/said" 2>&1 &&
        grep -q 'this is my own' "$WORK/said" && ! grep -q 'is of CUB' "$WORK/said"
}
ok "a folder of the user's with that name is none of it" own_cub
refuses_program "cuDNN cannot be had" 'refused.cu:1: cudnn.h is of cuDNN, which cannot be had' \
    '#include <cudnn.h>'
refuses "a clang that is none is refused" 1 'CLANG is .*nothing, which is no clang' \
    env CLANG="$WORK/nothing" "$compile" --compile "$WORK" --with clang tests/programs/saxpy.cu
echo '__global__ void k() {}' >"$WORK/alone.cu"
refuses "a program without main says so" 1 'has no main\(\)' \
    "$compile" --compile "$WORK" --with clang "$WORK/alone.cu"

# ---- what CUDA 13 has no more, and what no machine has ---------------------------------------------------

cat >"$WORK/references.cu" <<'END'
texture<float, 2> image;
static texture<uchar4, 1, cudaReadModeNormalizedFloat> colours;
__global__ void k(float *a)
{
    a[threadIdx.x] = tex2D(image, threadIdx.x, 1.5f) + tex1Dfetch(colours, 3).x +
                     __shfl_down(a[0], 1) + __any(a[1] > 0);
}
int main()
{
    cudaArray *array = nullptr;
    image.filterMode = cudaFilterModePoint;
    cudaBindTextureToArray(image, array);
    k<<<1, 32>>>(nullptr);
}
END
# shellcheck disable=SC2086
ok "texture references and shuffles without a mask are compiled" \
    "$compile" --compile "$WORK" --with clang "$WORK/references.cu" $open_ends

# Lanes besides the leader hand over what they have not set: clang must not take every lane for the leader.
cat >"$WORK/leader.cu" <<'END'
#include <cooperative_groups.h>
#include <cstdio>
template <typename T> __device__ T of_lane(unsigned mask, T value, int lane)
{
    return __shfl_sync(mask, value, lane);
}
__global__ void k(int *count, int *place)
{
    int lane = threadIdx.x, at;
    if (lane % 3)
        return;
    unsigned mask = 0x49249249;
    if (lane == 6)
        at = atomicAdd(&count[0], 11);
    place[lane] = __shfl_sync(mask, at, 6);
    int next;
    if (lane == 3)
        next = atomicAdd(&count[1], 11);
    place[lane] += of_lane(mask, next, 3);
    auto group = cooperative_groups::coalesced_threads();
    int last;
    if (group.thread_rank() == 0)
        last = atomicAdd(&count[2], group.size());
    place[lane] += group.shfl(last, 0);
}
int main()
{
    int *a, said[3];
    cudaMalloc(&a, 4 * (3 + 32));
    cudaMemset(a, 0, 4 * (3 + 32));
    k<<<1, 32>>>(a, a + 3);
    cudaMemcpy(said, a, sizeof said, cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", said[0], said[1], said[2]);
}
END
one_leader() {
    "$BANKSCOPE" run "$WORK/leader.cu" --compiler clang >"$WORK/leader" 2>&1
    cat "$WORK/leader"
    grep -qx '11 11 11' "$WORK/leader"
}
ok "lanes that shuffle a variable that only the leader has set are no leaders" one_leader

# Both arms of a branch ask which lanes are active: clang must not ask once, before the branch.
cat >"$WORK/arms.cu" <<'END'
#include <cooperative_groups.h>
#include <cstdio>
__global__ void k(int *out, int n)
{
    int lane = threadIdx.x, v;
    if (lane < n)
        v = __shfl_sync(__activemask(), lane, 0);
    else
        v = __shfl_sync(__activemask(), lane, 31);
    if (lane & 1)
        v += 100 * __popc(__ballot(1));
    else
        v += 100 * __popc(__ballot(1));
    if (lane % 4)
        v += 10000 * cooperative_groups::coalesced_threads().size();
    else
        v += 10000 * cooperative_groups::coalesced_threads().size();
    out[lane] = v;
}
int main()
{
    int *a, said[32];
    cudaMalloc(&a, sizeof said);
    k<<<1, 32>>>(a, 12);
    cudaMemcpy(said, a, sizeof said, cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", said[0], said[11], said[12]);
}
END
two_arms() {
    "$BANKSCOPE" run "$WORK/arms.cu" --compiler clang >"$WORK/arms" 2>&1 || return 1
    cat "$WORK/arms"
    grep -qx '81600 241600 81631' "$WORK/arms"
}
ok "lanes that are active are asked for in each arm of a branch" two_arms

cat >"$WORK/spaced.cu" <<'END'
template <typename T> struct box { T in; };
__global__ void k(box<box<int> > b)
{
}
int main()
{
    k << < 1, 32 >> > (box<box<int> >());
}
END
# shellcheck disable=SC2086
ok "launches that an editor has spread are compiled" \
    "$compile" --compile "$WORK" --with clang "$WORK/spaced.cu" $open_ends
{
    printf '\357\273\277'
    cat "$WORK/spaced.cu"
} >"$WORK/marked.cu"
# shellcheck disable=SC2086
ok "behind the mark of bytes that editors write, too" \
    "$compile" --compile "$WORK" --with clang "$WORK/marked.cu" $open_ends

cat >"$WORK/braces.cu" <<'END'
__global__ void k(int a)
{
}
int main()
{
    k<<<{1, 2}, dim3{32}, 0, nullptr>>>(1);
    k<<<dim3(2, 1), {
        4, 8, 1}>>>({2});
    k<<<1, 32>>>({3});
}
END
# shellcheck disable=SC2086
ok "grids and blocks in braces are compiled" \
    "$compile" --compile "$WORK" --with clang "$WORK/braces.cu" $open_ends

# Rows of variable length, as C programs have them.
cat >"$WORK/rows.cu" <<'END'
__global__ void k(double)
{
}
void of(double *p, int n, int m)
{
    double (*plane)[n][m] = (double (*)[n][m]) p, (* row ) [m] =
        (double(*)[m])(p + 1);
    double (*fixed)[4] = (double (*)[4])p;
    k<<<1, 32>>>(plane[1][0][0] * row[0][0] * fixed[0][1]);
}
int main()
{
    double x[64] = {0};
    of(x, 2, 3);
}
END
# shellcheck disable=SC2086
ok "pointers to rows of variable length are cast" \
    "$compile" --compile "$WORK" --with clang "$WORK/rows.cu" $open_ends

# A macro that stands for a directive is one only if macros are expanded by a pass before, as in nvcc.
cat >"$WORK/directive.cu" <<'END'
#define PRAGMA_UNROLL # pragma unroll
__global__ void k(int *a)
{
    PRAGMA_UNROLL
    for (int i = 0; i < 4; i++)
        a[i] = MISSING;
}
int main()
{
    k<<<1, 1>>>(nullptr);
}
END
directive() {
    # shellcheck disable=SC2086
    "$compile" --compile "$WORK" --with clang "$WORK/directive.cu" -DMISSING=i $open_ends &&
        grep -q '\.file.*/directive.cu' "$WORK/0.ptx" &&
        run_it "$compile" --compile "$WORK" --with clang "$WORK/directive.cu" && cat "$WORK/stderr" &&
        [ "$status" -eq 1 ] && grep -q 'directive.cu:6:16: error:.*MISSING' "$WORK/stderr" &&
        ! grep -q 'expected expression' "$WORK/stderr"
}
ok "macros that stand for #pragma unroll are compiled, and errors beside them told" directive

cat >"$WORK/library.cu" <<'END'
#include <cstdio>
#include <curand.h>
int main(int argc, char **)
{
    printf("here\n");
    curandGenerator_t generator = nullptr;
    unsigned *none = nullptr;
    return argc > 1 && curandGeneratePoisson(generator, none, 1, 1.0) != CURAND_STATUS_SUCCESS;
}
END
library=$(cd "$(dirname "$BANKSCOPE")" && pwd -P)/libcudart.so.13
library() {
    "$compile" --compile "$WORK" --with clang --runtime "$library" "$WORK/library.cu" -lcurand &&
        "$WORK/program" | grep -qx here && ! "$WORK/program" now >"$WORK/stdout" 2>"$WORK/stderr" &&
        grep -qx here "$WORK/stdout" && has_one_line "$WORK/stderr" &&
        grep -q '^bankscope: curandGeneratePoisson is not available on this machine' "$WORK/stderr"
}
ok "a library that is named is no reason to refuse, one that is called is" library

# ---- stages ----------------------------------------------------------------------------------------------

cat >"$WORK/stages.cu" <<'END'
#include <bankscope.h>
__global__ void k(int *a, int n)
{
    __shared__ int s[256];
    BANKSCOPE_STAGE("load it");
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    BANKSCOPE_STAGE("add");
    for (int step = n / 2, j = 0; step > 0; step /= 2, j++) {
        BANKSCOPE_ROUND(j);
        if ((int)threadIdx.x < step)
            s[threadIdx.x] += s[threadIdx.x + step];
        __syncthreads();
    }
    BANKSCOPE_STAGE("store");
    BANKSCOPE_ROUND(3);
    a[threadIdx.x] = s[threadIdx.x];
}
END
stages() { # clang or nvcc
    "$compile" --compile "$WORK" --with "$1" --ptx-only "$WORK/stages.cu" || return 1
    sed -n 's/^[[:space:]]*\(\/\/ bankscope .*\)/\1/p; s/^[[:space:]]*\(ld\|st\)\.shared.*/\1/p; s/^[[:space:]]*bar\.sync.*/bar/p' \
        "$WORK/0.ptx" | sed 's/round [%$].*/round R/; s/round 3/round R/' >"$WORK/order"
    cat "$WORK/order"
    tr '\n' ';' <"$WORK/order" | grep -q '^// bankscope stage load it;st;bar;// bankscope stage add;.*// bankscope round R;.*ld;ld;st;.*// bankscope stage store;// bankscope round R;ld;$'
}
ok "stages and rounds come into clang's PTX, in their order" stages clang
if [ -x /usr/local/cuda/bin/nvcc ]; then
    unset NVCC
    ok "and into nvcc's" stages nvcc
    NVCC=
else
    skip "and into nvcc's" "there is no nvcc"
fi

# ---- options -----------------------------------------------------------------------------------------

cat >"$WORK/options.cu" <<'END'
#if __CUDACC_VER_MAJOR__ < 13
#error "which nvcc?"
#endif
__global__ void k(float *a, int *b)
{
    a[0] = a[1] / a[2] + __sinf(a[3]) + expf(a[4]);
    b[0] = VALUE;
#ifdef __CUDA_ARCH__
    b[1] = __CUDA_ARCH__;
#endif
}
END
options_reach() {
    run_it "$compile" --compile "$WORK" --with clang --ptx-only "$WORK/options.cu" -D VALUE=4711 \
        -use_fast_math -arch=sm_75 -lineinfo -Xptxas -v --expt-relaxed-constexpr
    cat "$WORK/stdout" "$WORK/stderr"
    [ "$status" -eq 0 ] && grep -q '^\.target sm_75' "$WORK/0.ptx" && grep -q '4711' "$WORK/0.ptx" &&
        grep -q '750' "$WORK/0.ptx" && grep -q 'div.approx.ftz.f32\|div.full.ftz' "$WORK/0.ptx" &&
        grep -q 'ex2.approx.ftz' "$WORK/0.ptx" && grep -q '\.loc' "$WORK/0.ptx"
}
ok "options reach the compiler" options_reach
old_device() {
    run_it "$compile" --compile "$WORK" --with clang --ptx-only "$WORK/options.cu" -DVALUE=1 -arch=sm_120
    cat "$WORK/stdout" "$WORK/stderr"
    grep -q 'compiled for sm_[0-9]*: clang [0-9]* knows nothing newer' "$WORK/stdout"
}
ok "a device that clang does not know is told" old_device

# ---- several files ------------------------------------------------------------------------------------

mkdir -p "$WORK/several/include"
cat >"$WORK/several/include/shared.h" <<'END'
#ifdef __cplusplus
extern "C" int twice(int);
#endif
END
cat >"$WORK/several/main.cu" <<'END'
#include "shared.h"
__device__ int elsewhere(int);
__global__ void k(int *a)
{
    a[0] = elsewhere(1);
}
int helper();
int main()
{
    k<<<1, 1>>>(nullptr);
    return twice(helper());
}
END
echo '__device__ int elsewhere(int x) { return x + 1; }' >"$WORK/several/device.cu"
echo '#include <cuda_runtime.h>
int helper() { cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); return p.clockRate; }' \
    >"$WORK/several/helper.cpp"
echo 'int twice(int x) { return 2 * x; }' >"$WORK/several/twice.c"
several() {
    # shellcheck disable=SC2086
    (cd "$WORK/several" && "$compile" --compile . --with clang main.cu device.cu helper.cpp twice.c \
        -Iinclude -rdc=true $open_ends) && [ -x "$WORK/several/program" ] && grep -q '\.extern \.func.*' "$WORK/several/0.ptx" &&
        grep -q '\.visible \.func' "$WORK/several/1.ptx"
}
ok "a program of several files, C among them, is compiled and linked" several

# What a source of host code alone includes, as with nvcc.
for header in cublas_v2 cuComplex cuda_bf16 cuda_fp16 cuda_fp8 curand helper_cuda helper_functions helper_math; do
    echo "#include <$header.h>" >"$WORK/several/$header.cpp"
done
cat >>"$WORK/several/cuda_fp8.cpp" <<'END'
#include <algorithm>
using namespace std; // min and max are none of the header's
int helper()
{
    const __half2 sum = __hadd2(__float2half2_rn(1.5f), __floats2half2_rn(2, 3));
    const __nv_bfloat16 most = __hmax(__float2bfloat16(4), __hmul_sat(__float2bfloat16(3), __float2bfloat16(2)));
    return max((int)__half2float(sum.y), 2) + min(__half2int_rz(sum.x), (int)__bfloat162char_rz(most));
}
END
on_host() {
    # shellcheck disable=SC2086
    (cd "$WORK/several" && "$compile" --compile . --with clang main.cu device.cu twice.c cu*.cpp helper_*.cpp \
        -Iinclude -rdc=true $open_ends) && [ -x "$WORK/several/program" ]
}
ok "halves, complex numbers and libraries are known to host code" on_host

# Each clang puts PTX into the program in its own way; where it is as long as its place, nothing is behind it.
recorded=$(dirname "$BANKSCOPE")/tests/recorded
source_of_eight() { # FOLDER NAME: a source whose PTX, which has its path, is NAME's and a multiple of 8 bytes
    mkdir -p "$1"
    printf '%s\n' '__global__ void k() { }' 'int main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }' >"$1/$2.cu"
    "$compile" --compile "$1" --with clang --runtime "$library" "$1/$2.cu" &&
        left=$((($(wc -c <"$1/0.ptx") + 0) % 8))
}
runs_its_ptx() {
    CLANG=$1
    export CLANG
    source_of_eight "$WORK/eight" a || return 1
    name=a
    while [ "$left" -ne 0 ]; do
        name=${name}a left=$(((left + 1) % 8))
    done
    source_of_eight "$WORK/eight" "$name" && [ "$left" -eq 0 ] &&
        "$recorded" check=0 "$WORK/eight/program" >"$WORK/eight/said"
    cat "$WORK/eight/said"
    grep -q '^_Z1kv.*good' "$WORK/eight/said" && grep -q '^status.0$' "$WORK/eight/said"
}
for version in 14 16 19 22; do
    if command -v clang-$version >/dev/null; then
        ok "a program of clang $version has its PTX" runs_its_ptx clang-$version
    fi
done

finish
