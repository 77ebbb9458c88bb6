#!/bin/sh
# run --registers: what a thread executed, with the registers that it wrote, against what the kernel stores itself.
. tests/support/tap.sh
. tests/support/cuda.sh
cd "$WORK" || exit 1

cat >app.cu <<'CU'
#include <cstdio>
__global__ void k(int *out, float *f, double *d)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t * 7 - 100;
    __syncthreads();
    int v = s[blockDim.x - 1 - t];
    if (t % 3 == 0)
        v = v * v;
    else
        v = __shfl_sync(__activemask(), v, __ffs(__activemask()) - 1);
    out[t] = v;
    f[t] = v * 0.25f;
    d[t] = v / 3.0;
}
int main()
{
    int *out;
    float *f;
    double *d;
    cudaMallocManaged(&out, 256), cudaMallocManaged(&f, 256), cudaMallocManaged(&d, 512);
    k<<<1, 32>>>(out, f, d);
    k<<<2, 64>>>(out, f, d);
    cudaDeviceSynchronize();
    for (int t = 0; t < 64; t++)
        printf("%d %d %.9g %.17g\n", t, out[t], f[t], d[t]);
    cudaFree(out), cudaFree(f), cudaFree(d);
}
CU
nvcc=$(find_nvcc)
compilers=clang
[ -n "$nvcc" ] && compilers="clang nvcc" && export NVCC="$nvcc"

# Of a thread: whether the last values of line 13 to 15 that are numbers of that type are those that the program prints.
holds() { # COMPILER THREAD
    "$BANKSCOPE" run app.cu --compiler "$1" --launch 1 --registers "1:$2" >"told.$1.$2" || return 1
    awk -v t="$2" '
        /^[0-9]+ -?[0-9]+ / && $1 == t { i = $2; f = $3; d = $4 }
        /^app.cu:14 .*mul.*f32.* = 0x/ { gsub(/[()]/, "", $NF); sf = $NF }
        /^app.cu:15 .*div.*f64.* = 0x/ { gsub(/[()]/, "", $NF); sd = $NF }
        /^app.cu:14 .*cvt.rn.f32.s32.* = 0x/ { gsub(/[()]/, "", $NF); si = $NF }
        END { print t, i, f, d; print t, si, sf, sd; exit !(i == si && f == sf && d == sd && i != "") }' "told.$1.$2"
}
for compiler in $compilers; do
    for thread in 0 1 33 36 62 63; do
        ok "$compiler: thread $thread has what it stores" holds "$compiler" $thread
    done
done
ok "the warp and the lane are named" grep -q '^launch 1, block 1, thread 33 (lane 1 of warp 1):$' told.clang.33
ok "all lanes" grep -Eq '^app.cu:6 +ffffffff  st.shared.u32 \[%rd?[0-9]+\], %r[0-9]+ *$' told.clang.33
ok "lanes on one side of a branch" grep -Eq '^app.cu:10 +92492492  mul.lo.s32 (%r[0-9]+), .* \1 = 0x2f44 \(12100\)$' told.clang.33
ok "... are not told of a lane on the other" sh -c '! grep -q "^app.cu:12 .*shfl" told.clang.33 && ! grep -q "^app.cu:10 .*mul" told.clang.62'
ok "lanes that exchange values do it once" test "$(grep -Ec '^app.cu:12 +6db6db6d  shfl.sync' told.clang.62)" -eq 1
ok "predicates" grep -Eq 'setp.* %p[0-9]+ = (true|false)$' told.clang.33

run_it "$BANKSCOPE" run app.cu --compiler clang --launch 1 --registers 0:36:10
ok "of a line" sh -c 'test "$(grep -c "^app.cu:[0-9]* .*[0-9a-f]\{8\}  " stdout)" -eq 1 && grep -q "^app.cu:10 .* = 0x1ef1 (7921)$" stdout'
run_it "$BANKSCOPE" run app.cu --compiler clang --registers 0:3
ok "the first launch, where none is named" grep -q '^launch 0, block 0, thread 3 (lane 3 of warp 0):$' stdout
"$BANKSCOPE" run app.cu --compiler clang --launch 1 --csv=without.csv >/dev/null
run_it "$BANKSCOPE" run app.cu --compiler clang --launch 1 --csv=with.csv --registers 1:40
ok "counts stay" cmp without.csv with.csv
run_it "$BANKSCOPE" run app.cu --compiler clang --launch 1 --registers 1:40 -o traced.jsonl
"$BANKSCOPE" run app.cu --compiler clang --launch 1 -o plain.jsonl >/dev/null
ok "... and recordings" sh -c 'cmp traced.jsonl plain.jsonl && grep -q "^app.cu:10\|^app.cu:13 " stdout'
run_it "$BANKSCOPE" run app.cu --compiler clang --launch 1 -p w=16 --registers 1:40:13
ok "warps of another size" grep -q 'thread 40 (lane 8 of warp 2), line 13:$' stdout

cat >fault.cu <<'CU'
__global__ void k(int *out)
{
    int i = threadIdx.x * 1000003;
    out[i] = 1;
}
int main()
{
    int *out;
    cudaMalloc(&out, 128);
    k<<<1, 32>>>(out);
    cudaDeviceSynchronize();
}
CU
run_it "$BANKSCOPE" run fault.cu --compiler clang --registers 0:3
ok "up to where a fault ended the launch" sh -c "test $status -eq 1 && grep -q ' = 0x2dc6c9 (3000009)$\| = 0xb71b24 (12000036)$' stdout && grep -q st.global stdout"

for bad in 1 1: :1 1:2: 1:2:0 a:1 1::2 1:1024 1:-2 1:2:3:4; do
    refuses "not '$bad'" 2 "--registers is '$bad'" "$BANKSCOPE" run app.cu --registers $bad
done
refuses "no such block" 1 'launch 1 has no block 2' sh -c '"$BANKSCOPE" run app.cu --compiler clang --launch 1 --registers 2:0 >/dev/null'
refuses "no such thread" 1 'launch 0 has no thread 32' sh -c '"$BANKSCOPE" run app.cu --compiler clang --registers 0:32 >/dev/null'
refuses "no program on a GPU" 2 '--registers is for programs whose kernels run on this machine' \
    "$BANKSCOPE" run --registers 0:0 -- ./app
finish
