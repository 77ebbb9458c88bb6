#!/bin/sh
# program: --call and --array run a file that has kernels and no main().
. tests/support/tap.sh
. tests/support/cuda.sh

cat >"$WORK/kernels.cu" <<'EOF'
#define TILE 32
template <class T> __global__ void __launch_bounds__(256) transpose(T *out, const T *__restrict__ in, int n)
{
    __shared__ T tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8)
        out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
__global__ void show(const float (*a)[3], const int *b, const float4 *c, const unsigned char *d, float *e)
{
    extern __shared__ float s[];
    s[threadIdx.x] = a[1][2];
    bool good = d[4] == 7 && b[9] < 10 && e[2] == 2;
    for (int i = 0; i < 64; i++)
        good = good && 0 <= c[i].w && c[i].w < 1 && c[i].x != c[i].y;
    printf("%g %d %s\n", s[threadIdx.x], b[0] == b[1] && b[1] == b[2], good ? "good" : "bad");
}
EOF
transpose='transpose<<<dim3(4, 4), dim3(32, 8)>>>(out, in, 128)'
run_it "$BANKSCOPE" run "$WORK/kernels.cu" --call "$transpose" --array 'double out[128 * 128]' \
    --array 'double in[16384] = random'
ok "a kernel runs without a program" test "$status" -eq 0
ok "and is blamed for nothing" diff /dev/null "$WORK/stderr"
ok "its table has its lines" grep -Eq 'kernels.cu:11 +load +512 +16384 +15360' "$WORK/stdout"
run_it "$BANKSCOPE" advise "$WORK/kernels.cu" --call "$transpose" --array 'float out[16384]' \
    --array 'float in[16384] = 1'
ok "advise takes it, too" grep -q 'float tile\[32\]\[33\]' "$WORK/stdout"

echo '1.5 2.5 3.5 4.5 5.5 6.5' >"$WORK/numbers"
run_it "$BANKSCOPE" run "$WORK/kernels.cu" --call 'show<<<1, 1, 64>>>(a, b, c, d, e)' \
    --array "float a[2][3] = file=$WORK/numbers" --array 'int b[100] = random 10' \
    --array 'float4 c[64]=random' --array 'unsigned char d[5] = 7' --array 'float e[4] = index'
ok "arrays hold what is asked for" grep -qx '6.5 0 good' "$WORK/stdout"
run_it "$BANKSCOPE" run "$WORK/kernels.cu" --call "$transpose" --array 'float out[16384]' \
    --array 'float in[16384]'
ok "or nothing, and to read it is a fault" grep -q 'kernels.cu:7: unwritten' "$WORK/stderr"
run_it "$BANKSCOPE" run "$WORK/kernels.cu" --call 'transpose<float><<<1, 2048>>>(nullptr, nullptr, 1)'
ok "a launch that cannot be says why" grep -q -- '--call: a block of 2048 x 1 x 1 threads is an invalid configuration' "$WORK/stderr"
ok "and fails" test "$status" -eq 1

# ---- what is missing is asked for, with a proposal -------------------------------------------------
refuses "a launch" 1 "kernels.cu has no main\(\).* --call 'transpose<<<64, 256, 4096>>>\(out, in, 16384\)' --array 'float out\[16384\]' --array 'float in\[16384\] = random'" \
    "$BANKSCOPE" run "$WORK/kernels.cu"
printf 'template <typename T, int N, bool b, class U = T>\nstatic __global__ void k(T *a, U *c) { a[N] = b; }\n' >"$WORK/template.cu"
refuses "a launch, with a template's arguments" 1 "--call 'k<float, 32, true><<<64, 256>>>\(a, c\)'" \
    "$BANKSCOPE" run "$WORK/template.cu"
refuses "arrays" 1 "add --array 'float in\[16384\] = random'$" \
    "$BANKSCOPE" run "$WORK/kernels.cu" --call "$transpose" --array 'float out[16384]'
refuses "an array of the type that the kernel has" 1 "--array 'unsigned char d\[16384\] = random' --array 'float e" \
    "$BANKSCOPE" run "$WORK/kernels.cu" --call 'show<<<1, 1>>>(nullptr, nullptr, nullptr, d, e)'
refuses "a kernel that is there" 1 'no kernel transpos; there is transpose, show' \
    "$BANKSCOPE" run "$WORK/kernels.cu" --call 'transpos<<<1, 1>>>()'
refuses "a launch, and not a call" 1 'must be KERNEL<<<BLOCKS, THREADS>>>' \
    "$BANKSCOPE" run "$WORK/kernels.cu" --call 'transpose(out)'
refuses "a launch, and not only arrays" 1 'which kernel\? For example --call' \
    "$BANKSCOPE" run "$WORK/kernels.cu" --array 'float out[2]'
for array in 'float out' 'float [3]' 'out[3]' 'float out[' 'float out[]' 'float out[3] = many' \
    'float out[3] = 1x' 'float out[3] = random x' 'float out[3]x = 1'; do
    refuses "an array, and not $array" 2 'it must be TYPE NAME' \
        "$BANKSCOPE" run "$WORK/kernels.cu" --array "$array"
done
refuses "numbers enough" 1 'fewer numbers than the array' "$BANKSCOPE" run "$WORK/kernels.cu" \
    --call "$transpose" --array 'float out[16384]' --array "float in[16384] = file=$WORK/numbers"
printf '__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n' >"$WORK/main.cu"
refuses "no launch of a program that has its own" 1 'has a main\(\)' \
    "$BANKSCOPE" run "$WORK/main.cu" --call 'k<<<1, 1>>>()'
# ---- kernels in the dialect --------------------------------------------------------------------------
stride='stride<<<1, 32>>>({32, 32, 1, 2, 1}, in, out)'
run_it env PATH=/usr/bin CLANG=/nonexistent NVCC=/nonexistent "$BANKSCOPE" run kernels/stride.cu --compiler small \
    --call "$stride" --array 'int in[64] = random' --array 'int out[32]' --by stage
ok "a kernel of the catalogue runs from its file" test "$status" -eq 0
ok "and is blamed for nothing" diff /dev/null "$WORK/stderr"
ok "and has the stages and passes of the host backend" \
    sh -c '"$1" run stride | tail -n +2 >"$2/host"; tail -n +2 "$2/stdout" | diff "$2/host" -' sh "$BANKSCOPE" "$WORK"
refuses "the kernel compiler, for such a kernel" 1 'stride.cu is a kernel in the dialect, which only --compiler small' \
    "$BANKSCOPE" run kernels/stride.cu --compiler clang --call "$stride" --array 'int in[64]' --array 'int out[32]'
# The compiler's own passing files go, too, when it is interrupted.
mkdir "$WORK/passing"
printf '%s\n' '#!/bin/sh' 'case "$1" in --version | -dumpversion) exec clang "$@" ;; esac' ': >"$TMPDIR/of-the-compiler"' \
    'kill -TERM $PPID' 'exec sleep 20' >"$WORK/clang"
chmod +x "$WORK/clang"
run_it env TMPDIR="$WORK/passing" BANKSCOPE_CACHE=no CLANG="$WORK/clang" "$BANKSCOPE" run tests/programs/saxpy.cu
ok "a run that ends while it compiles" test "$status" -eq 143
ok "... leaves nothing in the folder for temporary files" test -z "$(ls -A "$WORK/passing")"
finish
