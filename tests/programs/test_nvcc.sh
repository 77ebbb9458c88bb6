#!/bin/sh
# nvcc: what is said of one that fails, of one that is not there, and whose code it is; kernels of any name are
# found in its PTX.
. tests/support/tap.sh
. tests/support/cuda.sh
status=0 # of run_it

cat >"$WORK/names.cu" <<'END'
#include <bankscope.h>
static __global__ void local(int *p)
{
    BANKSCOPE_STAGE("only");
    __shared__ __align__(16) int t[64];
    t[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = t[4] + t[5] + t[6] + t[7];
}
namespace {
struct Type { int v; };
template <class T> __global__ void hidden(T *p)
{
    __shared__ __align__(16) T t[64];
    t[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x].v = t[4].v + t[5].v + t[6].v + t[7].v;
}
}
extern "C" __global__ void plain(int *p)
{
    __shared__ __align__(16) int t[64];
    t[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = t[4] + t[5] + t[6] + t[7];
}
int main()
{
    int *p;
    cudaMalloc(&p, 256);
    cudaMemset(p, 0, 256);
    local<<<1, 32>>>(p);
    hidden<<<1, 32>>>((Type *)p);
    plain<<<1, 32>>>(p);
    cudaFree(p);
}
END

# tries FILE: runs it with this nvcc.
tries() {
    NVCC="$1" run_it "$BANKSCOPE" run "$WORK/names.cu" --json="$WORK/names.json"
}
by_clang() { # PATTERN: clang compiles it, and one line says why
    [ "$status" -eq 0 ] && has_one_line "$WORK/stderr" && grep -Eq "^bankscope run: compiled by clang [0-9]+, for nvcc does not take it: $1" "$WORK/stderr" &&
        grep -q '^plain: launch 2, 1 block of 32 threads, as compiled by clang ' "$WORK/stdout" && return
    cat "$WORK/stdout" "$WORK/stderr"
    false
}
printf '%s\n' '#!/bin/sh' 'echo "k.cu(7): warning: so what"' 'echo "k.cu(8): error: no such thing"' 'exit 2' >"$WORK/broken"
# shellcheck disable=SC2016 # for the file
printf '%s\n' '#!/bin/sh' 'for word; do [ "$before" != -o ] || echo junk >"$word"; before=$word; done' >"$WORK/junk"
chmod +x "$WORK/broken" "$WORK/junk"
tries "$WORK/broken"
ok "the error of an nvcc that fails is told" by_clang 'k.cu.8.: error: no such thing'
tries "$WORK/junk"
ok "so is that one left no PTX" by_clang '.*left no PTX'
NVCC=$WORK/none
refuses "an nvcc that is not there is named" 1 "NVCC is .*/none, which cannot be started" \
    "$BANKSCOPE" run "$WORK/names.cu"
run_it "$BANKSCOPE" run --no-nvcc "$WORK/names.cu"
ok "unless none is wanted" test "$status" -eq 0

real=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ ! -x "$real" ]; then
    skip "kernels of any name" "there is no nvcc"
    finish
    exit
fi
tries "$real"
jq -c '[.launches[] | [.code, .load.instructions, .load.passes]]' "$WORK/names.json" >"$WORK/got"
ok "static kernels, those of a namespace without a name, and of C are found" \
    grep -Eqx '\[(\["nvcc [0-9.]+ for sm_[0-9]+",1,2\],?){3}\]' "$WORK/got"
ok "nothing is said of it" test ! -s "$WORK/stderr"
# The tools and headers are where nvcc says that they are, not beside its name.
mkdir "$WORK/far"
printf '#!/bin/sh\nexec %s "$@"\n' "$real" >"$WORK/far/nvcc"
chmod +x "$WORK/far/nvcc"
mv "$WORK/got" "$WORK/expected"
tries "$WORK/far/nvcc"
jq -c '[.launches[] | [.code, .load.instructions, .load.passes]]' "$WORK/names.json" >"$WORK/got"
ok "a script that calls nvcc is as good" cmp "$WORK/expected" "$WORK/got"

# In a header of the toolkit's kind: a loop of which ptxas takes all turns.
mkdir -p "$WORK/targets/x-linux/include"
cat >"$WORK/targets/x-linux/include/rows.h" <<'END'
__device__ inline void rows(double (*sum)[4], const double (*a)[32], const double (*b)[32], int y, int x)
{
    for (int k = 0; k < 16; k++) {
        double row[4], column[4];
        for (int i = 0; i < 4; i++) {
            row[i] = a[k][y * 4 + i];
            column[i] = b[k][x * 4 + i];
        }
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                sum[i][j] += row[i] * column[j];
    }
}
END
cat >"$WORK/rows.cu" <<'END'
#include <rows.h>
__global__ void product(const double *in, double *out, int n)
{
    __shared__ double a[16][32], b[16][32];
    double sum[4][4] = {};
    for (int from = 0; from < n; from += 16) {
        for (int i = threadIdx.y * 8 + threadIdx.x; i < 512; i += 64)
            a[i / 32][i % 32] = in[i + from], b[i / 32][i % 32] = in[i + 2 * from];
        __syncthreads();
        rows(sum, a, b, threadIdx.y, threadIdx.x);
        __syncthreads();
    }
    for (int i = 0; i < 16; i++)
        out[(threadIdx.y * 8 + threadIdx.x) * 16 + i] = sum[i / 4][i % 4];
}
int main() { double *d; cudaMalloc(&d, 65536); cudaMemset(d, 0, 65536); product<<<1, dim3(8, 8)>>>(d, d + 2048, 32); cudaDeviceSynchronize(); }
END
run_it env NVCC="$real" "$BANKSCOPE" run "$WORK/rows.cu" --compiler nvcc -I"$WORK/targets/x-linux/include" -O3
ok "what differs within a library is an estimate where the library is used" \
    grep -q 'rows.cu:10: the loads of this line are an estimate' "$WORK/stderr"
ok "and the other lines are none" test "$(grep -c 'are an estimate' "$WORK/stderr")" -eq 1

# Which clang names, though it takes such assembly only when its percent sign is doubled.
cat >"$WORK/lane.cu" <<'END'
__global__ void k(int *p)
{
    __shared__ int tile[4][32];
    int lane;
    asm("mov.u32 %0, %laneid;" : "=r"(lane));
    tile[1][lane] = p[lane];
    __syncwarp();
    p[lane] = tile[1][lane ^ 1];
}
int main() { int *p; cudaMalloc(&p, 128); cudaMemset(p, 0, 128); k<<<1, 32>>>(p); cudaDeviceSynchronize(); }
END
run_it env NVCC="$real" "$BANKSCOPE" run "$WORK/lane.cu" --compiler nvcc --by array
ok "an array has its type, whatever is behind one percent sign" grep -Fq 'tile (int[4][32])' "$WORK/stdout"

# nvcc makes no more than a trap, without a line, of a kernel that stores to constant memory.
printf '__constant__ int table[8];\n__global__ void k() { const_cast<int *>(table)[threadIdx.x] = 1; }\nint main()\n{\n    k<<<1, 8>>>();\n    return cudaDeviceSynchronize() == cudaSuccess;\n}\n' >"$WORK/constant.cu"
run_it env NVCC="$real" "$BANKSCOPE" run "$WORK/constant.cu" --compiler nvcc
ok "a kernel that is only a trap is told with the line of its launch" \
    grep -Eq 'constant.cu:5: trap: the kernel k trapped: .* __constant__' "$WORK/stderr"

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
if echo '#include <curand.h>' | "$real" -E -x cu - >/dev/null 2>&1; then
    names_library() {
        NVCC=$real "$BANKSCOPE" run "$WORK/library.cu" --compiler nvcc -lcurand | grep -qx here
    }
    ok "a library that is named is no reason to refuse" names_library
    NVCC=$real
    export NVCC
    run_it "$BANKSCOPE" run "$WORK/library.cu" --compiler nvcc -lcurand -- now
    ok "one that is called is" grep -q 'curandGeneratePoisson is not available on this machine' "$WORK/stderr"
    ok "with the program's status" test "$status" -eq 1
else
    skip "a library that is named is no reason to refuse" "nvcc has no cuRAND"
fi
# A kernel with 64 values at a time, in as many registers as there are, and in 24.
cat >"$WORK/spill.cu" <<'END'
__global__ void spill(float *out, const float *in)
{
    float v[64];
    for (int i = 0; i < 64; i++)
        v[i] = in[threadIdx.x + i * 32];
    for (int turn = 0; turn < 64; turn++)
        for (int i = 0; i < 64; i++)
            v[i] = v[i] * v[(i + 7) % 64] + turn;
    for (int i = 0; i < 64; i++)
        out[threadIdx.x + i * 32] = v[i];
}
int main()
{
    float *out, *in;
    cudaMalloc(&out, 8192);
    cudaMalloc(&in, 8192);
    cudaMemset(in, 0, 8192);
    spill<<<1, 32>>>(out, in);
    return cudaDeviceSynchronize() != cudaSuccess;
}
END
run_it "$BANKSCOPE" run "$WORK/spill.cu" -arch=sm_90 -maxrregcount 24 --memory all
ok "a kernel that spills is named" grep -Eq 'spill: ptxas has no register .* [0-9]+ loads and [1-9][0-9]* stores' "$WORK/stderr"
run_it "$BANKSCOPE" run "$WORK/spill.cu" -arch=sm_90 --memory all
ok "one that does not spill is not" test "$status" -eq 0 -a ! -s "$WORK/stderr"

# As many blocks as fit depend on registers, which only machine code has: 46 of a thread are 48, 1,536 of a warp, and a quarter
# of a multiprocessor holds 10 such warps.
cat >"$WORK/fit.cu" <<'END'
#include <stdio.h>
__global__ void light(int *p) { p[threadIdx.x] += 1; }
__global__ void heavy(double *p)
{
    double s[20];
    for (int i = 0; i < 20; i++)
        s[i] = p[i * threadIdx.x];
    for (int k = 0; k < 100; k++)
        for (int i = 0; i < 20; i++)
            s[i] = s[i] * s[(i + 1) % 20] + k;
    for (int i = 0; i < 20; i++)
        p[i] = s[i];
}
int main()
{
    int few = 0, many = 0, *p;
    cudaFuncAttributes of;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&few, heavy, 128, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&many, light, 128, 0);
    cudaFuncGetAttributes(&of, heavy);
    cudaMalloc(&p, 128 * sizeof *p);
    cudaMemset(p, 0, 128 * sizeof *p);
    light<<<1, 128>>>(p);
    const int warp = (of.numRegs + 7) / 8 * 256, fit = 16384 / warp;
    printf("%d %d %d\n", many, few == fit, of.numRegs > 40);
    return cudaDeviceSynchronize() != cudaSuccess;
}
END
run_it env NVCC="$real" "$BANKSCOPE" run "$WORK/fit.cu" --compiler nvcc
ok "registers limit how many blocks fit" grep -qx '16 1 1' "$WORK/stdout"
run_it env NVCC="$real" "$BANKSCOPE" run "$WORK/fit.cu" --compiler nvcc -maxrregcount 32
ok "fewer of them let more fit" grep -qx '16 1 0' "$WORK/stdout"

# The host's part is optimised, and does what it does without that: it sees what another thread stores, returns where it
# should say what, its overflow wraps, and its powers are the library's.
cat >"$WORK/host.cu" <<'END'
#include <cmath>
#include <cstdio>
#include <ctime>
#include <pthread.h>
__global__ void nothing() {}
int flag;
void *raise(void *)
{
    const timespec time = {0, 20000000};
    nanosleep(&time, NULL);
    flag = 1;
    return NULL;
}
int launch(int n)
{
    nothing<<<n, 32>>>();
    if (n == 2)
        return 1;
}
bool wraps(int i)
{
    int more = i + 100;
    return more < i;
}
bool has_no_room() // for what is not used
{
    int unused[1000];
    char *here;
    unused[0] = 1;
    asm volatile("mov %%rsp, %0" : "=r"(here));
    return (char *)__builtin_frame_address(0) - here < 2000;
}
int main(int count, char **)
{
    pthread_t thread;
    pthread_create(&thread, NULL, raise, NULL);
    const int before = flag;
    while (flag == before) {
    }
    launch(count);
    double (*volatile power)(double, double) = pow;
    int others = 0;
    for (int i = 0; i < 100000; i++)
        others += pow(i / 1000.0 + count, 2.0) != power(i / 1000.0 + count, 2.0);
    printf("%d %d %d\n", has_no_room(), wraps(0x7fffffff - count), others);
}
END
host() { # OPTIONS...: what the host's part says
    timeout 60 env NVCC="$real" "$BANKSCOPE" run "$WORK/host.cu" --compiler nvcc "$@" | head -n 1
}
ok "the host's part is optimised, and does what it does without" test "$(host)" = "1 1 0"
ok "unless it is told how" test "$(host -O0)" = "0 1 0"
finish
