#!/bin/sh
# inline_ptx: what is wrong with an asm statement is said in one line, with its place; values at the edges,
# by PTX's documentation. (What statements compute on a GPU, too, is in tests/programs/inline_ptx.cu and
# tensor_tiles.cu.)
. tests/support/tap.sh
. tests/support/cuda.sh

cat >"$WORK/all.cu" <<'EOF'
#include <cstdlib>
__global__ void k(int what, int *out)
{
    __shared__ __align__(16) int tile[256];
    unsigned at = (unsigned)__cvta_generic_to_shared(tile), r = 0, s = 0;
    for (int i = threadIdx.x; i < 256; i += 32)
        tile[i] = i;
    __syncthreads();
    switch (what) {
    case 10: asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory"); break;
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
#ifdef ON_THE_HOST
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(host));
#endif
    asm volatile("" ::: "memory");
    k<<<1, 32>>>(what, out);
    cudaDeviceSynchronize();
    cudaFree(out);
    return (int)host;
}
EOF

# only CASE: a program with this case alone, each in its line: what a compiler or the machine cannot read is
# told of before anything runs.
only() {
    awk -v which="$1:" '$1 == "case" && $2 != which { print ""; next } { print }' "$WORK/all.cu" >"$WORK/asm.cu"
}

# says NAME CASE PATTERN [WORD...]
says() {
    only "$2"
    said_name=$1 said_case=$2 said_pattern=$3
    shift 3
    run_it timeout 60 "$BANKSCOPE" run --no-nvcc --seconds 2 "$WORK/asm.cu" "$@" -- "$said_case"
    ok "$said_name" sh -c "cat '$WORK/stderr'; grep -Eq '$said_pattern' '$WORK/stderr'"
    ok "$said_name: status 1" test "$status" -eq 1
}
runs() { # NAME CASE
    only "$2"
    run_it "$BANKSCOPE" run --no-nvcc "$WORK/asm.cu" -- "$2"
    ok "$1" test "$status" -eq 0
}

only 19
run_it "$BANKSCOPE" run --no-nvcc "$WORK/asm.cu" -- 0
ok "a program that has it and does not use it runs" test "$status" -eq 0
begin='^bankscope run: .*asm.cu:'
says "an instruction that is not here" 10 "$begin.*asm.cu:10: this instruction is not known: tcgen05.fence::before_thread_sync"
says "an address outside of shared memory" 11 "${begin}11: bad-address: a load of 4 bytes at tile[[]250000[]], byte 1000000 of tile, "
says "a matrix that is not aligned" 12 "${begin}12: misaligned: .* not a multiple of 16"
says "a copy of 12 bytes" 13 "$begin.*asm.cu:13: a copy has 4, 8 or 16 bytes: cp.async.ca.shared.global"
says "an operand that is none" 14 "asm.cu:14:[0-9]+: error: invalid operand"
says "a register that is none" 15 "$begin.*asm.cu:15: this name is not known: add.u32 .*nosuch"
says "a shape that is not here" 16 "$begin.*asm.cu:16: a product of this shape or type is not known: mma.sync.aligned.m8n8k4"
runs "numbers of 8 bits" 17
says "a race" 18 "${begin}18: race: .* tile.0."
says "a trap" 19 "${begin}19: trap: .* .thread .0, 0, 0."
runs "a declaration of memory" 20
says "an index outside global memory" 21 "${begin}21: out-of-bounds: a load of 4 bytes at byte 64 of an allocation of 32 bytes"
says "what is no PTX" 22 "$begin.*asm.cu:22: in PTX, .* an instruction is expected, at .[)]"
says "an endless loop" 23 "${begin}23: endless"
runs "a rounding towards zero" 24
says "a load that is not aligned" 25 "${begin}25: misaligned: a load of 8 bytes at byte 4 of shared memory"
says "a statement of the host" 39 'asm.cu:37:[0-9]+: error: invalid' -DON_THE_HOST
run_it "$BANKSCOPE" advise --no-nvcc tests/programs/tensor_tiles.cu
ok "the swizzle that ldmatrix needs is found" grep -q 'a_tile.i ^ (i / 64 & 7) . 8.' "$WORK/stdout"
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
