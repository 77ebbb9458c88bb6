/* mma.h - nvcuda::wmma: fragments in registers, by clang's builtins for wmma.load, wmma.mma and wmma.store. */
#ifndef BANKSCOPE_MMA_H
#define BANKSCOPE_MMA_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#pragma clang force_cuda_host_device begin
namespace nvcuda
{
namespace wmma
{

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };
namespace precision
{
struct tf32;
}
namespace experimental
{
namespace precision
{
struct u4;
struct s4;
struct b1;
} // namespace precision
} // namespace experimental

/* As the builtins count layouts: 0 by rows, 1 by columns. */
template <typename Layout> constexpr int bankscope_order = 0;
template <> inline constexpr int bankscope_order<col_major> = 1;
/* What an element is kept as. */
template <typename T> struct bankscope_element {
    typedef T type;
};
template <> struct bankscope_element<precision::tf32> {
    typedef float type;
};
/* How many of them a lane has. */
template <typename Use, int m, int n, int k, typename T> constexpr int bankscope_count = 0;

template <typename Use, int m, int n, int k, typename T, typename Layout = void> struct fragment {
    typedef typename bankscope_element<T>::type element_type;
    typedef element_type storage_element_type;
    static constexpr int num_elements = bankscope_count<Use, m, n, k, T>,
                         num_storage_elements = num_elements;
    static_assert(num_elements > 0, "bankscope: wmma has no fragment of this shape and type here");
    element_type x[num_elements];
};

template <typename Use, int m, int n, int k, typename T, typename Layout, typename Value>
BANKSCOPE_DEVICE void fill_fragment(fragment<Use, m, n, k, T, Layout> &to, const Value &value)
{
    for (auto &x : to.x)
        x = value;
}

#ifdef __CUDA_ARCH__
BANKSCOPE_DEVICE float __float_to_tf32(float x)
{
    unsigned rounded;
    __asm__("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(x));
    return __builtin_bit_cast(float, rounded);
}
#else
BANKSCOPE_INLINE float __float_to_tf32(float x)
{
    return x;
}
#endif

/* A fragment's size; its load, where P is what the builtin takes it for. */
#define BANKSCOPE_COUNT(use, m, n, k, type, count)                                                 \
    template <> inline constexpr int bankscope_count<use, m, n, k, type> = count;
#define BANKSCOPE_LOAD(use, m, n, k, type, element, builtin, as)                                   \
    template <typename Layout>                                                                     \
    BANKSCOPE_DEVICE void load_matrix_sync(fragment<use, m, n, k, type, Layout> &to,               \
                                           const element *at, unsigned stride)                     \
    {                                                                                              \
        if constexpr (bankscope_order<Layout>)                                                     \
            builtin((as *)to.x, (const as *)at, stride, 1);                                        \
        else                                                                                       \
            builtin((as *)to.x, (const as *)at, stride, 0);                                        \
    }
#define BANKSCOPE_FACTOR(use, m, n, k, type, count, builtin)                                       \
    BANKSCOPE_COUNT(use, m, n, k, type, count)                                                     \
    BANKSCOPE_LOAD(use, m, n, k, type, type, builtin, int)
#define BANKSCOPE_RESULT(m, n, k, type, count, as, load, store)                                    \
    BANKSCOPE_COUNT(accumulator, m, n, k, type, count)                                             \
    BANKSCOPE_DEVICE void load_matrix_sync(fragment<accumulator, m, n, k, type> &to,               \
                                           const type *at, unsigned stride, layout_t layout)       \
    {                                                                                              \
        if (layout)                                                                                \
            load((as *)to.x, (const as *)at, stride, 1);                                           \
        else                                                                                       \
            load((as *)to.x, (const as *)at, stride, 0);                                           \
    }                                                                                              \
    BANKSCOPE_DEVICE void store_matrix_sync(type *at,                                              \
                                            const fragment<accumulator, m, n, k, type> &from,      \
                                            unsigned stride, layout_t layout)                      \
    {                                                                                              \
        if (layout)                                                                                \
            store((as *)at, (as *)from.x, stride, 1);                                              \
        else                                                                                       \
            store((as *)at, (as *)from.x, stride, 0);                                              \
    }
/* d = a b + c: a and b are of `type`, kept as `as`; the sum is of `sum`, kept as `sum_as`. The builtin's last
 * operands: both layouts in one number, and that it does not saturate. */
#define BANKSCOPE_PRODUCT(m, n, k, type, sum, as, sum_as, builtin)                                 \
    template <typename A, typename B>                                                              \
    BANKSCOPE_DEVICE void mma_sync(fragment<accumulator, m, n, k, sum> &d,                         \
                                   const fragment<matrix_a, m, n, k, type, A> &a,                  \
                                   const fragment<matrix_b, m, n, k, type, B> &b,                  \
                                   const fragment<accumulator, m, n, k, sum> &c)                   \
    {                                                                                              \
        sum_as *to = (sum_as *)d.x;                                                                \
        const as *first = (const as *)a.x, *second = (const as *)b.x;                              \
        const sum_as *third = (const sum_as *)c.x;                                                 \
        constexpr int order = 2 * bankscope_order<A> + bankscope_order<B>;                         \
        if constexpr (order == 0)                                                                  \
            builtin(to, first, second, third, 0, 0);                                               \
        else if constexpr (order == 1)                                                             \
            builtin(to, first, second, third, 1, 0);                                               \
        else if constexpr (order == 2)                                                             \
            builtin(to, first, second, third, 2, 0);                                               \
        else                                                                                       \
            builtin(to, first, second, third, 3, 0);                                               \
    }

/* One shape of 16-bit and 8-bit numbers; how many 8-bit numbers, and how many bf16, a lane has of each factor. */
#define BANKSCOPE_SHAPE(m, n, k, shape, bytes_a, bytes_b)                                          \
    BANKSCOPE_FACTOR(matrix_a, m, n, k, __half, 16, __hmma_##shape##_ld_a)                         \
    BANKSCOPE_FACTOR(matrix_b, m, n, k, __half, 16, __hmma_##shape##_ld_b)                         \
    BANKSCOPE_FACTOR(matrix_a, m, n, k, signed char, bytes_a, __imma_##shape##_ld_a_s8)            \
    BANKSCOPE_FACTOR(matrix_b, m, n, k, signed char, bytes_b, __imma_##shape##_ld_b_s8)            \
    BANKSCOPE_FACTOR(matrix_a, m, n, k, unsigned char, bytes_a, __imma_##shape##_ld_a_u8)          \
    BANKSCOPE_FACTOR(matrix_b, m, n, k, unsigned char, bytes_b, __imma_##shape##_ld_b_u8)          \
    BANKSCOPE_FACTOR(matrix_a, m, n, k, __nv_bfloat16, bytes_a, __mma_bf16_##shape##_ld_a)         \
    BANKSCOPE_FACTOR(matrix_b, m, n, k, __nv_bfloat16, bytes_b, __mma_bf16_##shape##_ld_b)         \
    BANKSCOPE_RESULT(m, n, k, __half, 8, int, __hmma_##shape##_ld_c_f16,                           \
                     __hmma_##shape##_st_c_f16)                                                    \
    BANKSCOPE_RESULT(m, n, k, float, 8, float, __hmma_##shape##_ld_c_f32,                          \
                     __hmma_##shape##_st_c_f32)                                                    \
    BANKSCOPE_RESULT(m, n, k, int, 8, int, __imma_##shape##_ld_c, __imma_##shape##_st_c_i32)       \
    BANKSCOPE_PRODUCT(m, n, k, __half, __half, int, int, __hmma_##shape##_mma_f16f16)              \
    BANKSCOPE_PRODUCT(m, n, k, __half, float, int, float, __hmma_##shape##_mma_f32f32)             \
    BANKSCOPE_PRODUCT(m, n, k, signed char, int, int, int, __imma_##shape##_mma_s8)                \
    BANKSCOPE_PRODUCT(m, n, k, unsigned char, int, int, int, __imma_##shape##_mma_u8)              \
    BANKSCOPE_PRODUCT(m, n, k, __nv_bfloat16, float, int, float, __mma_bf16_##shape##_mma_f32)
/* What none of the others is for. */
template <typename D, typename A, typename B, typename C>
BANKSCOPE_DEVICE void mma_sync(D &, const A &, const B &, const C &)
{
    static_assert(sizeof(D) == 0, "bankscope: mma_sync has no sums of this type of such factors");
}
BANKSCOPE_SHAPE(16, 16, 16, m16n16k16, 8, 8)
BANKSCOPE_SHAPE(32, 8, 16, m32n8k16, 16, 4)
BANKSCOPE_SHAPE(8, 32, 16, m8n32k16, 4, 16)

BANKSCOPE_COUNT(matrix_a, 16, 16, 8, precision::tf32, 4)
BANKSCOPE_COUNT(matrix_b, 16, 16, 8, precision::tf32, 4)
BANKSCOPE_LOAD(matrix_a, 16, 16, 8, precision::tf32, float, __mma_tf32_m16n16k8_ld_a, int)
BANKSCOPE_LOAD(matrix_b, 16, 16, 8, precision::tf32, float, __mma_tf32_m16n16k8_ld_b, int)
BANKSCOPE_RESULT(16, 16, 8, float, 8, float, __mma_tf32_m16n16k8_ld_c, __mma_m16n16k8_st_c_f32)
BANKSCOPE_PRODUCT(16, 16, 8, precision::tf32, float, int, float, __mma_tf32_m16n16k8_mma_f32)

BANKSCOPE_COUNT(matrix_a, 8, 8, 4, double, 1)
BANKSCOPE_COUNT(matrix_b, 8, 8, 4, double, 1)
BANKSCOPE_LOAD(matrix_a, 8, 8, 4, double, double, __dmma_m8n8k4_ld_a, double)
BANKSCOPE_LOAD(matrix_b, 8, 8, 4, double, double, __dmma_m8n8k4_ld_b, double)
BANKSCOPE_RESULT(8, 8, 4, double, 2, double, __dmma_m8n8k4_ld_c, __dmma_m8n8k4_st_c_f64)
BANKSCOPE_PRODUCT(8, 8, 4, double, double, double, double, __dmma_m8n8k4_mma_f64)

#undef BANKSCOPE_COUNT
#undef BANKSCOPE_LOAD
#undef BANKSCOPE_FACTOR
#undef BANKSCOPE_RESULT
#undef BANKSCOPE_PRODUCT
#undef BANKSCOPE_SHAPE

} // namespace wmma
} // namespace nvcuda
#pragma clang force_cuda_host_device end

#endif
