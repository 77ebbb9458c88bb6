#!/bin/sh
# The headers that stand in for the toolkit's, against the toolkit's, where there is one: what nvcc compiles has
# those, and calls the same runtime.
. tests/support/tap.sh

# nvcc itself says where its headers are: it may be a script far from the toolkit.
theirs=
for nvcc in "$(command -v nvcc)" /usr/local/cuda/bin/nvcc; do
    [ -x "$nvcc" ] && "$nvcc" --version | grep -q 'release 13\.0,' || continue
    theirs=$("$nvcc" --dryrun -x cu -c /dev/null 2>&1 | sed -n 's/.* INCLUDES="-I\([^"]*\)".*/\1/p')
    [ -f "$theirs/cuda_fp16.h" ] && break
    theirs=
done
if [ -z "$theirs" ] || ! have clang g++; then
    skip "headers" "there is no toolkit 13.0 with its headers, or no clang and g++"
    finish
    exit
fi
ours=$TREE/program/compile/include

# A function of ours behind theirs: another type would not compile.
functions() {
    {
        echo '#include <cuda_runtime_api.h>'
        echo '#define BANKSCOPE_RUNTIME'
        echo '#define BANKSCOPE_OR(value)'
        echo 'extern "C" {'
        sed -n '/^\/\* kernels \*\//,/^#ifdef __cplusplus/p' "$ours/cuda_runtime_api.h" | sed '/^#ifdef __cplusplus/d'
        echo '}'
    } >"$WORK/functions.cpp"
    [ "$(grep -c '^cudaError_t' "$WORK/functions.cpp")" -gt 150 ] &&
        g++ -fsyntax-only -I"$theirs" "$WORK/functions.cpp"
}
ok "functions are the toolkit's" functions

# Each function of ours is there by name.
names() {
    grep -o 'cuda[A-Z][A-Za-z0-9]*(' "$WORK/functions.cpp" | sort -u >"$WORK/names"
    cat "$theirs/cuda_runtime_api.h" "$theirs/cuda_profiler_api.h" >"$WORK/theirs"
    while read -r name; do
        grep -qF "$name" "$WORK/theirs" || echo "$name is not there"
    done <"$WORK/names" >"$WORK/unknown"
    cat "$WORK/unknown"
    [ ! -s "$WORK/unknown" ] && [ "$(wc -l <"$WORK/names")" -gt 150 ]
}
ok "and all of them are there" names

# layouts INCLUDE HEADER: "NAME SIZE OFFSET..." of each struct of ours, in bits.
layouts() {
    {
        echo "#include <$2>"
        sed -n 's/^struct \([A-Za-z0-9_]*\) {.*/char bankscope_\1[sizeof(struct \1)];/p' \
            "$ours/driver_types.h" | grep -v cudaLaunchAttributeValueDim # which has no name in the toolkit
    } >"$WORK/layouts.c"
    clang -w -I"$1" -fsyntax-only -Xclang -fdump-record-layouts-simple "$WORK/layouts.c" | awk '
        /^Type: / { name = $0 ~ /\(/ ? "" : $NF }
        /^  Size:/ { sub(/.*:/, ""); size = $0 }
        /^  FieldOffsets:/ && name ~ /^cuda/ {
            gsub(/.*\[|\].*|,/, "")
            print name, name == "cudaDeviceProp" ? "-" : size, $0
        }' | sort -u
}
same_layouts() {
    layouts "$ours" driver_types.h >"$WORK/ours.layouts"
    layouts "$theirs" cuda_runtime_api.h >"$WORK/theirs.layouts"
    # Ours has more at the end of the properties.
    awk 'NR == FNR { at[$1] = $0; next }
        !($1 in at) { next } # we have none of that
        $1 == "cudaDeviceProp" ? index(at[$1], $0) != 1 : at[$1] != $0 { print "ours  ", at[$1]; print "theirs", $0 }' \
        "$WORK/ours.layouts" "$WORK/theirs.layouts" >"$WORK/differ"
    cat "$WORK/differ"
    [ ! -s "$WORK/differ" ] && [ "$(wc -l <"$WORK/theirs.layouts")" -gt 30 ]
}
ok "structs are laid out as the toolkit's" same_layouts

values() {
    {
        echo '#include <cuda_runtime_api.h>'
        sed -n 's/^    \(cuda[A-Za-z0-9_]*\) = \([^,]*\),\{0,1\}$/\1 \2/p' "$ours/driver_types.h" |
            while read -r name value; do
                grep -qw "$name" "$theirs/driver_types.h" "$theirs/surface_types.h" "$theirs/texture_types.h" &&
                    echo "static_assert((int)$name == (int)($value));"
            done
    } >"$WORK/values.cpp"
    [ "$(grep -c static_assert "$WORK/values.cpp")" -gt 280 ] && g++ -std=c++17 -fsyntax-only -I"$theirs" "$WORK/values.cpp"
}
ok "names have the toolkit's values" values

# Numbers of 8 and 16 bits, as the toolkit's header computes them on the host.
cat >"$WORK/numbers.cpp" <<'END'
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cstdio>
#include <cstring>
int main()
{
    unsigned sum = 0;
    auto add = [&](auto value) {
        unsigned bits = 0;
        memcpy(&bits, &value, sizeof value);
        sum = sum * 31 + (value != value ? 1 : bits);
    };
    for (unsigned i = 0; i < 65536; i++) {
        __half_raw half = {(unsigned short)i};
        __nv_bfloat16_raw bf16 = {(unsigned short)i};
        add((float)__half(half));
        add((float)__nv_bfloat16(bf16));
        __nv_fp8_e4m3 e4m3;
        __nv_fp8_e5m2 e5m2;
        e4m3.__x = e5m2.__x = (unsigned char)i;
        add((float)e4m3);
        add((float)e5m2);
    }
    printf("%08x\n", sum);
    for (unsigned i = 0; i < 300000; i++) {
        unsigned bits = i * 2654435761u;
        float x;
        memcpy(&x, &bits, 4);
        for (int k = 0; k < 2; k++) {
            if (x == x)
                sum = sum * 31 + ((__half_raw)__half(x)).x + ((__nv_bfloat16_raw)__nv_bfloat16(x)).x * 3 +
                      __nv_fp8_e4m3(x).__x * 5 + __nv_fp8_e5m2(x).__x * 7 +
                      __nv_cvt_float_to_fp8(x, __NV_NOSAT, __NV_E5M2) * 11;
            x = ((int)(i % 40000) - 20000) * 0x1p-26f;
        }
    }
    printf("%08x\n", sum);
}
END
library=$(cd "$(dirname "$BANKSCOPE")" && pwd -P)
numbers() {
    clang++ -std=c++17 -x cuda --cuda-path=/nonexistent --cuda-host-only -nocudainc -nocudalib -w \
        -Xclang -target-sdk-version=11.5 -isystem "$ours" -include cuda_runtime.h \
        "$WORK/numbers.cpp" -x none "$library/libcudart.so.13" -Wl,-rpath,"$library" -o "$WORK/numbers.ours" &&
        g++ -std=c++17 -w -I"$theirs" "$WORK/numbers.cpp" -o "$WORK/numbers.theirs" &&
        "$WORK/numbers.theirs" >"$WORK/theirs" && "$WORK/numbers.ours" >"$WORK/ours" &&
        diff "$WORK/theirs" "$WORK/ours"
}
ok "numbers of 8 and 16 bits are converted as by the toolkit" numbers

# half_functions TYPE TYPE2 NAME: a program that prints a sum of what each function of that header's makes of many numbers.
# Those whose results the hardware only approaches are called with what they have exactly.
half_functions() {
    pair='add sub mul add_rn sub_rn mul_rn add_sat sub_sat mul_sat max min max_nan min_nan'
    compare='eq ne lt le gt ge equ neu ltu leu gtu geu'
    cat <<END
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdio>
#define N 256
__device__ unsigned bits(double x) { unsigned long long b = __double_as_longlong(x); return x != x ? 7 : (unsigned)(b ^ b >> 32); }
__device__ unsigned bits($1 x) { return bits((double)(float)x); }
__device__ unsigned bits($2 x) { return bits(x.x) * 31 + bits(x.y); }
__device__ unsigned bits(bool x) { return x; }
__device__ unsigned bits(signed char x) { return x; }
__device__ unsigned bits(unsigned char x) { return x; }
__device__ unsigned bits(unsigned x) { return x; }
template <class F> __device__ void sum(unsigned *out, F f)
{
    unsigned total = 0;
    for (int i = threadIdx.x; i < N * 16; i += blockDim.x) {
        unsigned r = i * 2654435761u;
        unsigned short x = r >> 16, y = i % 4 ? (unsigned short)(r * 40503u >> 16) : x, z = (unsigned short)(r * 69069u >> 16);
        total += f(__ushort_as_$3(x), __ushort_as_$3(y), __ushort_as_$3(z), r, ((unsigned long long)r * r) >> (i % 60)) * (2 * i + 1);
    }
    atomicAdd(out, total);
}
#define SUM(value) sum(out++, [] __device__($1 a, $1 b, $1 c, unsigned r, unsigned long long l) { \\
    $2 p = make_${3}2(a, b), q = make_${3}2(b, c), s = make_${3}2(c, a); (void)p, (void)q, (void)s, (void)r, (void)l; return bits(value); });
__global__ void all(unsigned *out)
{
END
    for name in $pair; do
        case $name in *_*) name2=${name%%_*}2_${name#*_} ;; *) name2=${name}2 ;; esac
        printf 'SUM(__h%s(a, b))\nSUM(__h%s(p, q))\n' "$name" "$name2"
    done
    for name in $compare; do
        printf 'SUM(__h%s(a, b))\nSUM(__h%s2(p, q))\nSUM(__hb%s2(p, q))\nSUM(__h%s2_mask(p, q))\n' "$name" "$name" "$name" "$name"
    done
    for from in 'int r' 'uint r' 'short (short)r' 'ushort (unsigned short)r' 'll (long long)l' 'll -(long long)l' 'ull l'; do
        for mode in rn rz ru rd; do
            echo "SUM(__${from%% *}2$3_$mode(${from#* }))"
        done
    done
    cat <<END
SUM(__hfma2_relu(p, q, s)) SUM(__hfma2_sat(p, q, s)) SUM(__hcmadd(p, q, s)) SUM(__hisnan2(p))
SUM((signed char)__${3}2char_rz(a)) SUM(__${3}2uchar_rz(a))
}
int main()
{
    unsigned *out, sums[200] = {0};
    cudaMalloc(&out, sizeof sums);
    cudaMemcpy(out, sums, sizeof sums, cudaMemcpyHostToDevice);
    all<<<1, N>>>(out);
    cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 200; i++)
        printf("%d %08x\n", i, sums[i]);
}
END
}
same_functions() {
    half_functions "$@" >"$WORK/$3.cu"
    "$BANKSCOPE" run "$WORK/$3.cu" --compiler clang 2>&1 >"$WORK/$3.clang" | head -3
    NVCC=$nvcc "$BANKSCOPE" run "$WORK/$3.cu" --compiler nvcc --extended-lambda 2>&1 >"$WORK/$3.nvcc" | head -3
    grep -E '^[0-9]+ [0-9a-f]{8}$' "$WORK/$3.nvcc" >"$WORK/theirs"
    grep -E '^[0-9]+ [0-9a-f]{8}$' "$WORK/$3.clang" >"$WORK/ours"
    [ "$(grep -vc ' 00000000' "$WORK/theirs")" -gt 90 ] && diff "$WORK/theirs" "$WORK/ours"
}
ok "functions of fp16 are the toolkit's" same_functions __half __half2 half
ok "functions of bf16 are the toolkit's" same_functions __nv_bfloat16 __nv_bfloat162 bfloat16

# cuRAND's generators for kernels are the toolkit's, for clang, too, where there is one.
cat >"$WORK/random.cu" <<'END'
#include <curand.h>
#include <curand_kernel.h>
#include <cstdio>
template <typename State> __global__ void draw(float *out)
{
    State state;
    curand_init(1234, threadIdx.x, 5, &state);
    const float4 four = make_float4(curand_uniform(&state), curand_normal(&state), (float)curand(&state),
                                    (float)curand_poisson(&state, 3.5));
    ((float4 *)out)[threadIdx.x] = four;
}
int main()
{
    float *out;
    cudaMallocManaged(&out, 1024 * sizeof *out);
    draw<curandState><<<1, 64>>>(out);
    draw<curandStatePhilox4_32_10_t><<<1, 64>>>(out + 256);
    draw<curandStateMRG32k3a><<<1, 64>>>(out + 512);
    cudaDeviceSynchronize();
    for (int i = 0; i < 768; i++)
        printf("%d %.5g\n", i, out[i]);
    cudaFree(out);
}
END
printf '#!/bin/sh\nexec %s "$@"\n' "$nvcc" >"$WORK/nvcc"
chmod +x "$WORK/nvcc" # far from the headers
random() {
    NVCC=$WORK/nvcc "$BANKSCOPE" run "$WORK/random.cu" --compiler clang >"$WORK/random.clang" &&
        NVCC=$nvcc "$BANKSCOPE" run "$WORK/random.cu" --compiler nvcc >"$WORK/random.nvcc"
    grep -E '^[0-9]+ [^ ]+$' "$WORK/random.clang" >"$WORK/ours"
    grep -E '^[0-9]+ [^ ]+$' "$WORK/random.nvcc" >"$WORK/theirs"
    [ "$(wc -l <"$WORK/ours")" -eq 768 ] && [ "$(sort -u -k2 "$WORK/ours" | wc -l)" -gt 300 ] && diff "$WORK/theirs" "$WORK/ours"
}
if [ -f "$theirs/curand_kernel.h" ]; then
    ok "cuRAND's generators for kernels are the same by clang as by nvcc" random
    # As CMake names the toolkit's folders, and with no nvcc that could be asked for them.
    named() {
        NVCC='' "$BANKSCOPE" run "$WORK/random.cu" --compiler clang -I "$theirs" -isystem "$theirs/cccl" |
            grep -E '^[0-9]+ [^ ]+$' | diff "$WORK/ours" -
    }
    ok "and where the toolkit's headers are named" named
else
    skip "cuRAND's generators for kernels by clang" "the toolkit has none"
fi

finish
