/* real.cu - executes instructions on numbers over the operands of tests/support/real_operands.h on a GPU, and
 * prints for each a hash of the results: tests/data/h100-real.tsv, to which test_real_gpu.c holds
 * machine/math/real.h.
 *
 *     nvcc -std=c++17 -arch=sm_90 -I. tests/gpu/real.cu -o build/real && build/real >tests/data/h100-real.tsv
 *
 * Approximations are left out, whose bits are the GPU's own.
 */
#include "tests/support/real_operands.h"

#include <cstdio>

typedef unsigned long long word;
enum { MOST = 8192 };

/* Operands are cut from words to registers of their width; results are extended to words. */
#define CUT(bits, name, from) "cvt.u" #bits ".u64 " name ", " from "; "
#define REGISTERS(to, from) "{ .reg .b" #from " a, b, c; .reg .b" #to " d; "
#define EXTENDED(bits) "cvt.u64.u" #bits " %0, d; }"
#define NAME(line) NAMED(line)
#define NAMED(line) execute_##line
#define KERNEL(text)                                                                               \
    static __global__ void NAME(__LINE__)(const word(*in)[MOST], word *out, int n)                 \
    {                                                                                              \
        for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x)) {    \
            word d;                                                                                \
            asm volatile(text : "=l"(d) : "l"(in[0][i]), "l"(in[1][i]), "l"(in[2][i]));            \
            out[i] = d;                                                                            \
        }                                                                                          \
    }
#define ONE(to, from, op) KERNEL(REGISTERS(to, from) CUT(from, "a", "%1") op " d, a; " EXTENDED(to))
#define TWO(to, from, op)                                                                          \
    KERNEL(REGISTERS(to, from) CUT(from, "a", "%1") CUT(from, "b", "%2") op                        \
           " d, a, b; " EXTENDED(to))
#define THREE(to, from, op)                                                                        \
    KERNEL(REGISTERS(to, from) CUT(from, "a", "%1") CUT(from, "b", "%2") CUT(from, "c", "%3") op   \
           " d, a, b, c; " EXTENDED(to))
#define ASKS(from, op)                                                                             \
    KERNEL("{ .reg .b" #from " a; .reg .pred d; " CUT(from, "a", "%1") op                          \
           " d, a; selp.u64 %0, 1, 0, d; }")
#include "tests/gpu/real_ops.h"
#undef ONE
#undef TWO
#undef THREE
#undef ASKS

#define ONE(to, from, op) {op, from, 1, NAME(__LINE__)},
#define TWO(to, from, op) {op, from, 2, NAME(__LINE__)},
#define THREE(to, from, op) {op, from, 3, NAME(__LINE__)},
#define ASKS(from, op) {op, from, 1, NAME(__LINE__)},
static const struct {
    const char *name;
    int bits, arity;
    void (*kernel)(const word (*in)[MOST], word *out, int n);
} rows[] = {
#include "tests/gpu/real_ops.h"
};

static word in[3][MOST], out[MOST];

int main()
{
    word(*device_in)[MOST], *device_out;
    if (cudaMalloc(&device_in, sizeof in) || cudaMalloc(&device_out, sizeof out))
        return 1;
    for (const auto &row : rows) {
        int n = operand_count(row.arity);
        for (int which = 0; which < row.arity; which++)
            for (int i = 0; i < n; i++)
                in[which][i] = operand(row.bits, row.arity, which, i);
        cudaMemcpy(device_in, in, sizeof in, cudaMemcpyHostToDevice);
        row.kernel<<<1, 1024>>>(device_in, device_out, n);
        cudaError_t error = cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost);
        if (error != cudaSuccess) {
            fprintf(stderr, "real: %s: %s\n", row.name, cudaGetErrorString(error));
            return 1;
        }
        uint64_t hash = 0;
        for (int i = 0; i < n; i++)
            hash = operand_hash(hash, out[i]);
        printf("%s\t%016llx\n", row.name, static_cast<word>(hash));
    }
    return 0;
}
