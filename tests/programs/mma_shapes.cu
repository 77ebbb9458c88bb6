/*
 * mma_shapes - D = A B + C by mma.sync, of every shape and type; the host takes the matrices from the
 * registers of the lanes, as PTX's documentation draws them. All numbers are small and whole, so that
 * every sum is exact.
 */
#include "program.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdint>
#include <cstring>

enum { WARP = 32, REGISTERS = 4 };

/* Registers of a lane: of A, B, C and D; of 32 bits. */
struct lanes {
    uint32_t a[WARP][REGISTERS], b[WARP][REGISTERS], c[WARP][REGISTERS], d[WARP][REGISTERS];
};

#define KERNEL_4_2_4(name, text)                                                                   \
    __global__ void name(lanes *at)                                                                \
    {                                                                                              \
        uint32_t *a = at->a[threadIdx.x], *b = at->b[threadIdx.x], *c = at->c[threadIdx.x];        \
        uint32_t *d = at->d[threadIdx.x];                                                          \
        asm volatile("mma.sync.aligned." text                                                      \
                     " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"        \
                     : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                              \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]),           \
                       "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));                                \
    }
#define KERNEL_2_1_4(name, text)                                                                   \
    __global__ void name(lanes *at)                                                                \
    {                                                                                              \
        uint32_t *a = at->a[threadIdx.x], *b = at->b[threadIdx.x], *c = at->c[threadIdx.x];        \
        uint32_t *d = at->d[threadIdx.x];                                                          \
        asm volatile(                                                                              \
            "mma.sync.aligned." text " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"       \
            : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                                       \
            : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));        \
    }
#define KERNEL_4_2_2(name, text)                                                                   \
    __global__ void name(lanes *at)                                                                \
    {                                                                                              \
        uint32_t *a = at->a[threadIdx.x], *b = at->b[threadIdx.x], *c = at->c[threadIdx.x];        \
        uint32_t *d = at->d[threadIdx.x];                                                          \
        asm volatile("mma.sync.aligned." text " {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};"   \
                     : "=r"(d[0]), "=r"(d[1])                                                      \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]),           \
                       "r"(c[0]), "r"(c[1]));                                                      \
    }
#define KERNEL_1_1_2(name, text)                                                                   \
    __global__ void name(lanes *at)                                                                \
    {                                                                                              \
        uint32_t *a = at->a[threadIdx.x], *b = at->b[threadIdx.x], *c = at->c[threadIdx.x];        \
        uint32_t *d = at->d[threadIdx.x];                                                          \
        asm volatile("mma.sync.aligned." text " {%0, %1}, {%2}, {%3}, {%4, %5};"                   \
                     : "=r"(d[0]), "=r"(d[1])                                                      \
                     : "r"(a[0]), "r"(b[0]), "r"(c[0]), "r"(c[1]));                                \
    }

KERNEL_4_2_4(half_16, "m16n8k16.row.col.f32.f16.f16.f32")
KERNEL_2_1_4(half_8, "m16n8k8.row.col.f32.f16.f16.f32")
KERNEL_4_2_2(half_to_half, "m16n8k16.row.col.f16.f16.f16.f16")
KERNEL_4_2_4(brain_16, "m16n8k16.row.col.f32.bf16.bf16.f32")
KERNEL_2_1_4(brain_8, "m16n8k8.row.col.f32.bf16.bf16.f32")
KERNEL_4_2_4(tf32_8, "m16n8k8.row.col.f32.tf32.tf32.f32")
KERNEL_2_1_4(tf32_4, "m16n8k4.row.col.f32.tf32.tf32.f32")
KERNEL_4_2_4(bytes_32, "m16n8k32.row.col.s32.s8.u8.s32")
KERNEL_2_1_4(bytes_16, "m16n8k16.row.col.s32.u8.s8.s32")
KERNEL_1_1_2(bytes_8_rows, "m8n8k16.row.col.s32.s8.s8.s32")
KERNEL_4_2_4(nibbles_64, "m16n8k64.row.col.s32.s4.u4.s32")
KERNEL_2_1_4(nibbles_32, "m16n8k32.row.col.satfinite.s32.u4.s4.s32")

/* Doubles: one of A and B, two of C and D in each lane. */
struct doubles {
    double a[WARP], b[WARP], c[WARP][2], d[WARP][2];
};
__global__ void doubles_4(doubles *at)
{
    int lane = threadIdx.x;
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};"
                 : "=d"(at->d[lane][0]), "=d"(at->d[lane][1])
                 : "d"(at->a[lane]), "d"(at->b[lane]), "d"(at->c[lane][0]), "d"(at->c[lane][1]));
}

enum kind { HALF, BRAIN, TF32, FLOAT, WHOLE };
struct type {
    kind is;
    int bits;
    bool is_signed;
};
struct shape {
    const char *name;
    void (*kernel)(lanes *);
    int rows, depth;
    type a, b, c;
};

static uint32_t encoded(type type, int value)
{
    float number = static_cast<float>(value);
    uint32_t bits = 0;
    if (type.is == HALF) {
        __half half = __float2half(number);
        std::memcpy(&bits, &half, sizeof half);
    } else if (type.is == WHOLE) {
        bits = static_cast<uint32_t>(value);
        bits = type.bits < 32 ? bits & ((1u << type.bits) - 1) : bits;
    } else {
        std::memcpy(&bits, &number, sizeof number);
        bits = type.is == BRAIN ? bits >> 16 : bits;
    }
    return bits;
}

/* Row i, element k of A (or column i of B): in which lane's which register, at which place. */
static uint32_t *of_input(uint32_t registers[WARP][REGISTERS], int i, int k, int bits, int halves,
                          int *shift)
{
    int each = 32 / bits;
    *shift = k % each * bits;
    return &registers[i % 8 * 4 + k / each % 4][k / (4 * each) * halves + i / 8];
}

static uint32_t *of_sum(uint32_t registers[WARP][REGISTERS], int i, int j, int bits, int *shift)
{
    int number = i / 8 * 2 + j % 2;
    *shift = bits == 16 ? j % 2 * 16 : 0;
    return &registers[i % 8 * 4 + j / 2][bits == 16 ? number / 2 : number];
}

static int check(const shape &shape, unsigned seed)
{
    lanes host = {};
    std::vector<int> numbers =
        random_ints(shape.rows * shape.depth + 8 * shape.depth + 8 * shape.rows, 8, seed);
    const int *next = numbers.data();
    std::vector<int> a, b;
    int shift, low_a = shape.a.is_signed ? 4 : 0, low_b = shape.b.is_signed ? 4 : 0;
    for (int i = 0; i < shape.rows; i++)
        for (int k = 0; k < shape.depth; k++) {
            a.push_back(*next++ - low_a);
            uint32_t *word = of_input(host.a, i, k, shape.a.bits, shape.rows / 8, &shift);
            *word |= encoded(shape.a, a.back()) << shift;
        }
    for (int j = 0; j < 8; j++)
        for (int k = 0; k < shape.depth; k++) {
            b.push_back(*next++ - low_b);
            uint32_t *word = of_input(host.b, j, k, shape.b.bits, 1, &shift);
            *word |= encoded(shape.b, b.back()) << shift;
        }
    lanes want = host;
    for (int i = 0; i < shape.rows; i++)
        for (int j = 0; j < 8; j++) {
            int sum = *next++ - 4;
            uint32_t *word = of_sum(host.c, i, j, shape.c.bits, &shift);
            *word |= encoded(shape.c, sum) << shift;
            for (int k = 0; k < shape.depth; k++)
                sum += a[i * shape.depth + k] * b[j * shape.depth + k];
            word = of_sum(want.d, i, j, shape.c.bits, &shift);
            *word |= encoded(shape.c, sum) << shift;
        }
    lanes *device = to_device(std::vector<lanes>{host});
    shape.kernel<<<1, WARP>>>(device);
    CUDA(launched());
    lanes got = to_host(device, 1)[0];
    CUDA(cudaFree(device));
    int wrong = 0;
    for (int i = 0; i < WARP * REGISTERS; i++)
        wrong += got.d[0][i] != want.d[0][i];
    if (wrong)
        std::fprintf(stderr, "%s: %d registers are wrong\n", shape.name, wrong);
    return wrong;
}

static int check_doubles()
{
    std::vector<int> numbers = random_ints(WARP * 4, 16, 3);
    doubles host = {};
    for (int lane = 0; lane < WARP; lane++) {
        host.a[lane] = numbers[4 * lane] - 8;
        host.b[lane] = numbers[4 * lane + 1] - 8;
        host.c[lane][0] = numbers[4 * lane + 2];
        host.c[lane][1] = numbers[4 * lane + 3];
    }
    doubles *device = to_device(std::vector<doubles>{host});
    doubles_4<<<1, WARP>>>(device);
    CUDA(launched());
    doubles got = to_host(device, 1)[0];
    CUDA(cudaFree(device));
    int wrong = 0;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            double sum = host.c[i * 4 + j / 2][j % 2];
            for (int k = 0; k < 4; k++)
                sum += host.a[i * 4 + k] * host.b[j * 4 + k];
            wrong += got.d[i * 4 + j / 2][j % 2] != sum;
        }
    if (wrong)
        std::fprintf(stderr, "doubles_4: %d numbers are wrong\n", wrong);
    return wrong;
}

int main()
{
    const type half = {HALF, 16, true}, brain = {BRAIN, 16, true}, tf32 = {TF32, 32, true};
    const type single = {FLOAT, 32, true}, word = {WHOLE, 32, true};
    const type s8 = {WHOLE, 8, true}, u8 = {WHOLE, 8, false};
    const type s4 = {WHOLE, 4, true}, u4 = {WHOLE, 4, false};
    const shape shapes[] = {
        {"half_16", half_16, 16, 16, half, half, single},
        {"half_8", half_8, 16, 8, half, half, single},
        {"half_to_half", half_to_half, 16, 16, half, half, half},
        {"brain_16", brain_16, 16, 16, brain, brain, single},
        {"brain_8", brain_8, 16, 8, brain, brain, single},
        {"tf32_8", tf32_8, 16, 8, tf32, tf32, single},
        {"tf32_4", tf32_4, 16, 4, tf32, tf32, single},
        {"bytes_32", bytes_32, 16, 32, s8, u8, word},
        {"bytes_16", bytes_16, 16, 16, u8, s8, word},
        {"bytes_8_rows", bytes_8_rows, 8, 16, s8, s8, word},
        {"nibbles_64", nibbles_64, 16, 64, s4, u4, word},
        {"nibbles_32", nibbles_32, 16, 32, u4, s4, word},
    };
    int wrong = check_doubles();
    unsigned seed = 1;
    for (const shape &shape : shapes)
        wrong += check(shape, seed++);
    return report("mma_shapes", wrong);
}
