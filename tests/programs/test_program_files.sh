#!/bin/sh
# Programs of several files: device functions and variables of one are used in another.
. tests/support/tap.sh
. tests/support/cuda.sh

cat >"$WORK/main.cu" <<'END'
#include "parts.h"
#include <cstdio>
__managed__ int bias = 1;
__global__ void kernel(float *out)
{
    __shared__ __half s[128];
    s[threadIdx.x] = __float2half(threadIdx.x);
    s[threadIdx.x + 64] = __float2half(2);
    __syncthreads();
    out[threadIdx.x] = pick(s, threadIdx.x) + added + factor + bias;
}
int main()
{
    float *out;
    int three = 3;
    cudaMallocManaged(&out, 64 * sizeof *out);
    set_factor(three);
    kernel<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    printf("%g %g\n", out[10], out[50]);
}
END
cat >"$WORK/parts.h" <<'END'
#include <cuda_fp16.h>
extern __device__ float pick(const __half *s, int i);
extern __device__ int added;
extern __constant__ int factor;
void set_factor(int value);
END
cat >"$WORK/pick.cu" <<'END'
#include "parts.h"
__device__ float pick(const __half *s, int i)
{
    return __half2float(s[2 * i]);
}
END
cat >"$WORK/variables.cu" <<'END'
#include "parts.h"
__device__ int added = 100;
__constant__ int factor;
void set_factor(int value)
{
    cudaMemcpyToSymbol(factor, &value, sizeof value);
}
END

runs_right() { # OPTION...
    "$BANKSCOPE" run "$@" "$WORK/main.cu" "$WORK/pick.cu" "$WORK/variables.cu" >"$WORK/out" 2>"$WORK/err" ||
        { cat "$WORK/err" && return 1; }
    cat "$WORK/out" "$WORK/err"
    grep -qx '124 106' "$WORK/out" && grep -q 'pick\.cu:4 *load  *2  *2  ' "$WORK/out"
}
ok "the machine links what clang compiles" runs_right --no-nvcc
is_one() { # FILE...
    "$BANKSCOPE" stats --no-nvcc --by line "$@" >"$WORK/out" 2>"$WORK/err" || { cat "$WORK/err" && return 1; }
    cat "$WORK/out"
    grep -q 'pick\.cu:4 *load  *2  ' "$WORK/out"
}
ok "stats takes files for one program, up to a second main" is_one "$WORK/main.cu" "$WORK/pick.cu" "$WORK/variables.cu"
ok "in any order" is_one "$WORK/pick.cu" "$WORK/main.cu" "$WORK/variables.cu"
ok "-rdc=true changes nothing" runs_right --no-nvcc -rdc=true
ok "nor do options that only nvcc knows" runs_right --no-nvcc -Xptxas -v -arch sm_86 -Wall
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ -x "$nvcc" ]; then
    export NVCC="$nvcc"
    ok "nvcc links device code of several files" runs_right --compiler nvcc
else
    skip "nvcc links device code of several files" "no nvcc"
fi
# ---- nvcc compiles each file for itself, where none needs another's device code: of shared arrays it knows the places ----
cat >"$WORK/pairs.cu" <<'END'
__global__ void product(float *m, int width, int offset)
{
    __shared__ float row[16][16], column[16][16];
    int y = offset + (blockIdx.y + 1) * 16, x = offset + (blockIdx.x + 1) * 16;
    row[threadIdx.y][threadIdx.x] = m[(offset + threadIdx.y) * width + x + threadIdx.x];
    column[threadIdx.y][threadIdx.x] = m[(y + threadIdx.y) * width + offset + threadIdx.x];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 16; i++)
        sum += column[threadIdx.y][i] * row[i][threadIdx.x];
    m[(y + threadIdx.y) * width + x + threadIdx.x] -= sum;
}
void of_pairs(float *m) { product<<<1, dim3(16, 16)>>>(m, 32, 0); }
END
cat >"$WORK/caller.cu" <<'END'
#include <cstdio>
void of_pairs(float *m);
__global__ void fill(float *p) { p[blockIdx.x * 512 + threadIdx.x] = threadIdx.x % 7; }
int main()
{
    float *p;
    cudaMallocManaged(&p, 2048 * sizeof *p);
    fill<<<2, 512>>>(p);
    of_pairs(p);
    cudaDeviceSynchronize();
    printf("%g\n", p[1023]);
    cudaFree(p);
}
END
alone_as_together() {
    cat "$WORK/pairs.cu" "$WORK/caller.cu" >"$WORK/whole.cu"
    "$BANKSCOPE" run --compiler nvcc "$WORK/pairs.cu" "$WORK/caller.cu" >"$WORK/apart" 2>&1 &&
        "$BANKSCOPE" run --compiler nvcc "$WORK/whole.cu" >"$WORK/whole" 2>&1
    for file in apart whole; do
        cat "$WORK/$file"
        awk '$1 == "total" { print $2, $3 }' "$WORK/$file" >"$WORK/$file.sum"
    done
    [ -s "$WORK/whole.sum" ] && cmp "$WORK/apart.sum" "$WORK/whole.sum" && ! grep estimate "$WORK/apart"
}
if [ -x "$nvcc" ]; then
    ok "nvcc's code of several files is that of one" alone_as_together
else
    skip "nvcc's code of several files is that of one" "no nvcc"
fi
# ---- every header of ours in two files: nothing of it is defined twice ----
for header in bankscope.h cooperative_groups.h cooperative_groups/memcpy_async.h cooperative_groups/reduce.h cooperative_groups/scan.h \
    cuComplex.h cublasLt.h cublas_v2.h cuda.h cudaTypedefs.h cuda/atomic cuda/barrier cuda/pipeline cuda_bf16.h cuda_fp16.h \
    cuda_fp8.h cuda_pipeline.h cufft.h curand.h helper_cuda.h helper_functions.h helper_math.h math_constants.h mma.h omp.h; do
    echo "#include <$header>"
done >"$WORK/every.h"
for file in 1 2; do
    printf '#include "every.h"\n__global__ void set_%d(int *p) { *p += %d; }\nvoid set%d(int *p) { set_%d<<<1, 1>>>(p); }\n' \
        $file $file $file $file >"$WORK/every$file.cu"
done
cat >>"$WORK/every1.cu" <<'END'
void set2(int *p);
int main()
{
    int *p;
    cudaMallocManaged(&p, sizeof *p);
    *p = 10;
    set1(p);
    set2(p);
    cudaDeviceSynchronize();
    printf("%d\n", *p);
    cudaFree(p);
}
END
every_header() {
    "$BANKSCOPE" run --compiler clang "$WORK/every1.cu" "$WORK/every2.cu" >"$WORK/out" 2>&1
    cat "$WORK/out"
    grep -qx 13 "$WORK/out"
}
ok "clang's headers in two files" every_header
# ---- two files of one name ----
mkdir -p "$WORK/a" "$WORK/b"
cat >"$WORK/a/part.cu" <<'END'
#include <cstdio>
__global__ void one(int *o) { __shared__ int s[32]; s[threadIdx.x] = threadIdx.x; __syncthreads(); *o = s[31]; }
void two_runs(int *o);
int main()
{
    int *o;
    cudaMallocManaged(&o, 8);
    one<<<1, 32>>>(o);
    two_runs(o + 1);
    cudaDeviceSynchronize();
    printf("%d %d\n", o[0], o[1]);
    cudaFree(o);
}
END
cat >"$WORK/b/part.cu" <<'END'
__global__ void two(int *o) { __shared__ int s[32]; s[threadIdx.x] = 2 * threadIdx.x; __syncthreads(); *o = s[31]; }
void two_runs(int *o) { two<<<1, 32>>>(o); }
END
of_one_name() { # COMPILER
    "$BANKSCOPE" run --compiler "$1" "$WORK/a/part.cu" "$WORK/b/part.cu" --by line >"$WORK/out" 2>&1
    cat "$WORK/out"
    grep -qx '31 62' "$WORK/out" && grep -q 'a/part.cu:2 *store' "$WORK/out" && grep -q 'b/part.cu:1 *store' "$WORK/out"
}
ok "files of one name" of_one_name clang
if [ -x "$nvcc" ]; then
    ok "nvcc's passing files of one name" of_one_name nvcc
else
    skip "nvcc's passing files of one name" "no nvcc"
fi

# ---- several at a time ----
echo 'int main() { return 3; }' >"$WORK/first.cpp"
echo 'int second = 2;' >"$WORK/second.cpp"
real_clang=$(command -v "${CLANG:-clang}")
cat >"$WORK/clang" <<END
#!/bin/sh
# Compiles the one file only while the other is being compiled.
case " \$*" in
*/first.cpp*) touch "$WORK/first.began"; other=second ;;
*/second.cpp*) touch "$WORK/second.began"; other=first ;;
*) exec "$real_clang" "\$@" ;;
esac
for i in \$(seq 200); do
    [ -e "$WORK/\$other.began" ] && exec "$real_clang" "\$@"
    sleep 0.1
done
exit 1
END
chmod +x "$WORK/clang"
together() {
    CLANG="$WORK/clang" BANKSCOPE_CACHE="$WORK/cache" "$BANKSCOPE" run --compiler clang "$WORK/first.cpp" \
        "$WORK/second.cpp" "$WORK/empty.cu" >"$WORK/out" 2>&1
    status=$?
    cat "$WORK/out"
    [ $status -eq 3 ]
}
: >"$WORK/empty.cu"
if [ -n "$real_clang" ] && [ "$(nproc)" -gt 1 ]; then
    ok "files are compiled at the same time" together
else
    skip "files are compiled at the same time" "there is one core, or no clang of that name"
fi
echo 'int wrong = ;' >"$WORK/wrong.cpp"
echo 'int worse = ;' >"$WORK/worse.cpp"
says "what is said is of the first one that is wrong" 'does not compile .*wrong.cpp' \
    "$BANKSCOPE" run --compiler clang "$WORK/first.cpp" "$WORK/wrong.cpp" "$WORK/second.cpp" "$WORK/worse.cpp" "$WORK/empty.cu"
ok "and of no other" sh -c "grep -q 'int wrong = ;' '$WORK/stderr' && ! grep -q worse '$WORK/stderr'"
says "a device function that no file has" 'this function is declared but nowhere defined.*pick' \
    "$BANKSCOPE" run --no-nvcc "$WORK/main.cu" "$WORK/variables.cu"

# ---- those that have changed ----
cat >"$WORK/noting-clang" <<END
#!/bin/sh
# Notes which sources are compiled.
for word; do
    case \$word in *.cu) echo "\${word##*/}" >>"$WORK/compiled" ;; esac
done
exec "$real_clang" "\$@"
END
chmod +x "$WORK/noting-clang"
compiles() { # SOURCE... : what a run compiles; others are kept
    : >"$WORK/compiled"
    CLANG="$WORK/noting-clang" BANKSCOPE_CACHE="$WORK/kept" "$BANKSCOPE" run --compiler clang "$WORK/main.cu" \
        "$WORK/pick.cu" "$WORK/variables.cu" >"$WORK/out" 2>"$WORK/err" || { cat "$WORK/err" && return 1; }
    cat "$WORK/out" "$WORK/err" "$WORK/compiled"
    printf '%s\n' "$@" | sort >"$WORK/wanted"
    sort -u "$WORK/compiled" | diff "$WORK/wanted" -
}
if [ -n "$real_clang" ]; then
    ok "all sources are compiled" compiles main.cu pick.cu variables.cu
    sed -i 's/\[2 \* i\]/[2 * i + 1]/' "$WORK/pick.cu"
    ok "then the one that has changed" compiles pick.cu
    ok "and counted as it is now" grep -q 'pick\.cu:4 *load  *2  *2  ' "$WORK/out"
    echo '#define NOTHING' >>"$WORK/parts.h"
    ok "a header has changed" compiles main.cu pick.cu variables.cu
    with_library() { # SOURCE... : what is compiled of a program that is linked each time
        : >"$WORK/compiled"
        CLANG="$WORK/noting-clang" BANKSCOPE_CACHE="$WORK/kept" "$BANKSCOPE" run --compiler clang "$WORK/first.cu" \
            -L"$WORK" -lanswer >"$WORK/out" 2>&1
        [ $? -eq "$1" ] || { cat "$WORK/out" && return 1; }
        shift
        printf '%s' "$@" >"$WORK/wanted"
        sort -u "$WORK/compiled" | tr -d '\n' | diff "$WORK/wanted" -
    }
    answer() { # NUMBER: makes the library
        echo "int answer(void) { return $1; }" >"$WORK/answer.c"
        cc -c "$WORK/answer.c" -o "$WORK/answer.o" && ar rcs "$WORK/libanswer.a" "$WORK/answer.o"
    }
    echo 'extern "C" int answer(void); int main() { return answer(); }' >"$WORK/first.cu"
    answer 3
    ok "a program with a library" with_library 3 first.cu
    answer 4
    ok "is linked again, not compiled" with_library 4
else
    skip "sources that have changed" "there is no clang of that name"
fi
finish
