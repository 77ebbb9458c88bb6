#!/bin/sh
# wmma: products by tensor cores touch shared memory as nvcc's code does; what is not there is refused.
. tests/support/tap.sh
. tests/support/cuda.sh

# Passes by hand, from the machine code: LDSM.x4 takes a pass for each of its four 8 x 8 matrices, whose rows
# of 16 bytes are 8 words apart in the first kernel, so that row r and row r + 4 are in the same banks:
# 4 * 2. With 12 words (rows at banks 0, 12, 24, 4, 16, 28, 8, 20) there is no conflict: 4. A store of
# floats is four STS.64 of 8 x 8 tiles, two passes each; its rows are 16 words apart in the first kernel,
# so that rows r and r + 2 of the four rows of a half warp collide: 4 * 2 * 2; with 24 words (rows at banks
# 0, 24, 16, 8) they do not: 4 * 2. By columns, it is eight STS.32: lane l stores word 2 * (l % 4) * ldc +
# l / 4, at banks 0 and 8 * n for all l % 4 with ldc = 16: 4 ways; with 24, at 0, 16, 0, 16: 2 ways.
cat >"$WORK/passes.cu" <<'EOF'
#include <cstdio>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
template <int LD> __global__ void square(const half *in, float *out)
{
    __shared__ alignas(32) half a[16][LD], b[16][LD];
    __shared__ alignas(32) float c[16][LD];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    for (int i = threadIdx.x; i < 256; i += 32)
        a[i / 16][i % 16] = b[i / 16][i % 16] = in[i];
    __syncwarp();
    wmma::load_matrix_sync(left, &a[0][0], LD);
    wmma::load_matrix_sync(right, &b[0][0], LD);
    wmma::fill_fragment(sum, 0.0f);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(&c[0][0], sum, LD, wmma::mem_row_major);
    __syncwarp();
    for (int i = threadIdx.x; i < 256; i += 32)
        out[i] = c[i / 16][i % 16];
    __syncwarp();
    wmma::store_matrix_sync(&c[0][0], sum, LD, wmma::mem_col_major);
    __syncwarp();
    for (int i = threadIdx.x; i < 256; i += 32)
        out[256 + i] = c[i % 16][i / 16];
}
int main()
{
    half h[256], *in;
    float back[512], *out;
    int wrong = 0;
    for (int i = 0; i < 256; i++)
        h[i] = (float)(i * 7 % 5);
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof back);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    for (int launch = 0; launch < 2; launch++) {
        if (launch)
            square<24><<<1, 32>>>(in, out);
        else
            square<16><<<1, 32>>>(in, out);
        cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost);
        for (int i = 0; i < 256; i++) {
            float sum = 0;
            for (int k = 0; k < 16; k++)
                sum += (float)h[i / 16 * 16 + k] * (float)h[k * 16 + i % 16];
            wrong += (back[i] != sum) + (back[256 + i] != sum);
        }
    }
    cudaFree(in);
    cudaFree(out);
    printf("%d wrong\n", wrong);
}
EOF
cat >"$WORK/wanted" <<'EOF'
16 15 matrix-load 1 8 4
16 16 matrix-load 1 8 4
16 19 store 4 16 8
16 24 store 8 32 24
24 15 matrix-load 1 4 0
24 16 matrix-load 1 4 0
24 19 store 4 8 0
24 24 store 8 16 8
EOF
passes() {
    jq -r '.launches[] | (.kernel | capture("<(?<n>[0-9]+)>").n) as $n | .lines[] |
        select(.line == 15 or .line == 16 or .line == 19 or .line == 24) |
        [$n, .line, .op, .instructions, .passes, .conflicts] | join(" ")' "$1"
}
run_it "$BANKSCOPE" run --no-nvcc "$WORK/passes.cu" --json="$WORK/passes.json"
passes "$WORK/passes.json" >"$WORK/got"
ok "the product is right" grep -qx '0 wrong' "$WORK/stdout"
ok "its passes are those of the machine code" diff "$WORK/wanted" "$WORK/got"

for nvcc in "$(command -v nvcc)" /usr/local/cuda/bin/nvcc; do
    [ -x "$nvcc" ] && break
done
if [ -x "$nvcc" ]; then
    NVCC="$nvcc" run_it "$BANKSCOPE" run "$WORK/passes.cu" --json="$WORK/passes.json"
    passes "$WORK/passes.json" >"$WORK/got"
    ok "nvcc's code changes none of it" diff "$WORK/wanted" "$WORK/got"
    ok "and leaves no line undecided" sh -c "! grep 'stay as written' '$WORK/stderr'"
else
    skip "products by nvcc's code" "there is no nvcc"
fi

# warp NAME PATTERN SOURCE...: the kernel made of these lines is run by one warp; what is said matches.
warp() {
    warp_name=$1 warp_pattern=$2
    shift 2
    finds "$warp_name" "$warp_pattern" '#include <mma.h>' 'using namespace nvcuda::wmma;' \
        '__global__ void k(float *d) { __shared__ alignas(32) half s[16][16];' \
        '__shared__ alignas(32) float t[16][16];' \
        'fragment<matrix_a, 16, 16, 16, half, row_major> a;' \
        'fragment<accumulator, 16, 16, 16, float> c; fill_fragment(c, 1.0f);' \
        'for (int i = 0; i < 8; i++) s[threadIdx.x / 2][threadIdx.x % 2 * 8 + i] = 1.0f;' "$@" '}' \
        'int main() { float *d; cudaMalloc(&d, 4096); k<<<1, 32>>>(d); cudaFree(d); }'
}
warp "half a warp" 'fault.cu:10: bad-instruction: .* needs all 32 lanes of a warp, and 16 came' \
    'if (threadIdx.x < 16) load_matrix_sync(a, &s[0][0], 16); d[threadIdx.x] = (float)a.x[0];'
warp "a row that is not aligned" 'fault.cu:10: misaligned: a load of 16 bytes at byte 24 of shared memory, not a multiple of 16' \
    'load_matrix_sync(a, &s[0][0], 12); d[threadIdx.x] = (float)a.x[0];'
warp "a matrix that is too large" 'fault.cu:10: bad-address: a store of 8 bytes at t\[16\]\[0\], byte 1024 of t, which has 1024 bytes' \
    'store_matrix_sync(&t[1][0], c, 16, mem_row_major);'
warp "global memory that is too small" 'fault.cu:10: bad-address: a store of 8 bytes at .* of an allocation of 4096 bytes' \
    'store_matrix_sync(d + 1000, c, 16, mem_row_major);'
warp "lanes that read what others have stored" 'fault.cu:10: race: ' \
    'store_matrix_sync(&t[0][0], c, 16, mem_row_major); d[threadIdx.x] = t[15 - threadIdx.x / 2][0];'

# refused NAME PATTERN SOURCE...: does not compile, and says why.
refused() {
    refused_name=$1 refused_pattern=$2
    shift 2
    printf '%s\n' '#include <mma.h>' 'using namespace nvcuda::wmma;' '__global__ void k() {' "$@" '}' \
        'int main() { k<<<1, 32>>>(); }' >"$WORK/refused.cu"
    says "$refused_name" "error:.*bankscope: $refused_pattern" "$BANKSCOPE" run "$WORK/refused.cu"
}
refused "a shape that is not there" 'wmma has no fragment of this shape and type' \
    'fragment<matrix_a, 16, 16, 4, half, row_major> a;'
refused "numbers of 4 bits" 'wmma has no fragment of this shape and type' \
    'fragment<matrix_a, 8, 8, 32, experimental::precision::u4, row_major> a;'
refused "an accumulator of another type" 'mma_sync has no sums of this type' \
    'fragment<matrix_a, 16, 16, 16, half, row_major> a; fragment<matrix_b, 16, 16, 16, half, row_major> b;' \
    'fragment<accumulator, 16, 16, 16, int> c; mma_sync(c, a, b, c);'

finish
