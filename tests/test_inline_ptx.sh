#!/bin/sh
# inline_ptx: what is wrong with an asm statement is said in one line, with its place; values at the edges,
# by PTX's documentation. (What statements compute on a GPU, too, is in tests/programs/inline_ptx.cu and
# tensor_tiles.cu.)
. tests/tap.sh
. tests/hostcuda.sh

cat >"$WORK/asm.cu" <<'EOF'
#include <cstdlib>
__global__ void k(int what, int *out)
{
    __shared__ __align__(16) int tile[256];
    unsigned at = (unsigned)__cvta_generic_to_shared(tile), r = 0, s = 0;
    for (int i = threadIdx.x; i < 256; i += 32)
        tile[i] = i;
    __syncthreads();
    switch (what) {
    case 10: asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); break;
    case 11: asm volatile("ld.shared.u32 %0, [%1];" : "=r"(r) : "r"(at + 1000000)); break;
    case 12: asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(at + threadIdx.x * 8)); break;
    case 13: asm volatile("cp.async.ca.shared.global [%0], [%1], 12;" :: "r"(at), "l"(out)); break;
    case 14: asm volatile("mov.u32 %0, %9;" : "=r"(r) : "r"(at)); break;
    case 15: asm volatile("add.u32 %0, nosuch, 1;" : "=r"(r) : "r"(at)); break;
    case 16: asm volatile("mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%0, %1}, {%0, %1}, {%0, %1}, {%0, %1};" : "+r"(r), "+r"(s)); break;
    case 17: asm volatile("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %1;" : "=r"(r) : "f"(1.f)); break;
    case 18: asm volatile("st.shared.u32 [%0], %1;" :: "r"(at), "r"(threadIdx.x)); break;
    case 19: asm volatile("trap;"); break;
    case 20: asm volatile(".shared .b32 x[4];"); break;
    case 21: asm volatile("ld.global.u32 %0, [%1 + 64];" : "=r"(r) : "l"(out)); break;
    case 22: asm volatile("add.u32 %0, %0, 1; )" : "+r"(r)); break;
    case 23: asm volatile("AGAIN: bra AGAIN;"); break;
    case 24: asm volatile("cvt.rz.f16.f32 %0, %1;" : "=r"(r) : "f"(1.f)); break;
    case 25: asm volatile("ld.shared.u64 %0, [%1 + 4];" : "=l"(*(long long *)&tile[8]) : "r"(at)); break;
    }
    if (threadIdx.x < 8)
        out[threadIdx.x] = (int)(r + s);
}
int main(int, char **argv)
{
    int *out, what = atoi(argv[1]);
    unsigned host = 0;
    cudaMalloc(&out, 32);
    cudaMemset(out, 0, 32);
    if (what == 39)
        asm volatile("mov.u32 %0, %%laneid;" : "=r"(host));
    asm volatile("" ::: "memory");
    k<<<1, 32>>>(what, out);
    cudaDeviceSynchronize();
    cudaFree(out);
    return (int)host;
}
EOF

# says NAME CASE PATTERN
says() {
    run_it timeout 60 "$BANKSCOPE" run --no-nvcc --seconds 2 "$WORK/asm.cu" -- "$2"
    ok "$1" sh -c "cat '$WORK/stderr'; grep -Eq '^bankscope run: .*$3' '$WORK/stderr'"
    ok "$1: status 1" test "$status" -eq 1
}

run_it "$BANKSCOPE" run --no-nvcc "$WORK/asm.cu" -- 0
ok "a program that has it and does not use it runs" test "$status" -eq 0
says "an instruction that is not here" 10 'asm.cu:10: inline PTX: wgmma.fence.sync.aligned does not run'
says "an address outside of shared memory" 11 'asm.cu:11: inline PTX: ld of address .* none of shared memory'
says "a matrix that is not aligned" 12 'asm.cu:12: inline PTX: .*not aligned to 16 bytes'
says "a copy of 12 bytes" 13 'asm.cu:13: inline PTX: cp.async copies 4, 8 or 16 bytes, not 12'
says "an operand that is none" 14 "asm.cu:14: inline PTX: there is no operand .%9"
says "a register that is none" 15 "asm.cu:15: inline PTX: .* register .* .nosuch"
says "a shape that is not here" 16 'asm.cu:16: inline PTX: mma.sync.aligned.m8n8k4.*does not run'
says "a type that is not here" 17 'asm.cu:17: inline PTX: cvt.rn.satfinite.e4m3x2.f32 does not run'
says "a race" 18 'asm.cu:18: race: .* tile.0.'
says "a trap" 19 'asm.cu:19: trap: thread .0, 0, 0.'
says "a declaration of memory" 20 'asm.cu:20: inline PTX: .shared does not run'
says "an index outside global memory" 21 'asm.cu:21: out of bounds: .* reads 4 bytes at byte 64'
says "what is no PTX" 22 "asm.cu:22: inline PTX: it cannot be read from .[)]"
says "an endless loop" 23 'asm.cu:23: endless'
says "a rounding that is not here" 24 'asm.cu:24: inline PTX: cvt.rz.f16.f32 does not run'
says "a load that is not aligned" 25 'asm.cu:25: misaligned: .* tile.1.'
says "a statement of the host" 39 'inline PTX outside of kernels is not available'
run_it "$BANKSCOPE" advise --no-nvcc tests/programs/tensor_tiles.cu
ok "the swizzle that ldmatrix needs is found" grep -q 'a_tile.i ^ (i / 64 & 7) . 8.' "$WORK/stdout"
printf '#define LOAD(...) asm("ld.shared.u32 %%0, [%%1];" : __VA_ARGS__)\n__global__ void k() {}\nint main() {}\n' >"$WORK/list.cu"
refuses "operands that are a list of a macro" 1 'list.cu:1: this operand of asm cannot be read' "$BANKSCOPE" run "$WORK/list.cu"
cat >"$WORK/edges.cu" <<'EOF'
#include <cstdio>
__global__ void edges(unsigned *out, int minus, unsigned zeros)
{
    asm("bfe.s32 %0, %1, 8, 100;" : "=r"(out[0]) : "r"(minus));
    asm("bfe.u32 %0, %1, 8, 100;" : "=r"(out[1]) : "r"(minus));
    asm("min.f16x2 %0, %1, %2;" : "=r"(out[2]) : "r"(zeros), "r"(zeros >> 16));
    asm("max.f16x2 %0, %1, %2;" : "=r"(out[3]) : "r"(zeros), "r"(zeros >> 16));
    asm("min.f16x2 %0, %1, %2;" : "=r"(out[4]) : "r"(zeros >> 16), "r"(zeros));
    asm("{.reg .u32 t; add.cc.u32 t, %1, %1; addc.u32 %0, 0, 0;}" : "=r"(out[5]) : "r"(minus));
}
int main()
{
    unsigned *out, h[6];
    cudaMalloc(&out, sizeof h);
    edges<<<1, 1>>>(out, -65536, 0x80000000u);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(out);
    for (unsigned x : h) printf("%x ", x);
    puts("");
}
EOF
run_it "$BANKSCOPE" run --no-nvcc "$WORK/edges.cu"
ok "fields beyond the register, zeros with signs, a carry" test "$(head -n 1 "$WORK/stdout")" = \
    "ffffff00 ffff00 80008000 0 80008000 1 "
finish
