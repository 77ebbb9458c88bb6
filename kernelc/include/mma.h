/* mma.h - nvcuda::wmma: fragments of matrices in registers, by wmma.load, wmma.mma and wmma.store. */
#pragma once
#include <cuda_fp16.h>
#include <cuda_bf16.h>
namespace nvcuda { namespace wmma {
struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision { struct tf32 {}; }
template <typename L> struct __kc_columns { enum { value = 0 }; };
template <> struct __kc_columns<col_major> { enum { value = 1 }; };
template <typename T> struct __kc_element { typedef T type; };
template <> struct __kc_element<precision::tf32> { typedef float type; };
/* How many elements a lane has. */
template <typename U, int M, int N, int K, typename T> struct __kc_elements { enum { value = 0 }; };
template <typename U, int M, int N, int K, typename T, typename L = void> struct fragment {
    typedef typename __kc_element<T>::type element_type;
    typedef element_type storage_element_type;
    enum { num_elements = __kc_elements<U, M, N, K, T>::value, num_storage_elements = num_elements };
    static_assert(__kc_elements<U, M, N, K, T>::value > 0, "wmma has no fragment of this shape and type here");
    element_type x[num_elements];
};
template <typename U, int M, int N, int K, typename T, typename L, typename V> __device__ void fill_fragment(fragment<U, M, N, K, T, L> &f, const V &value)
{
    for (int i = 0; i < f.num_elements; i++) f.x[i] = value;
}
__device__ float __float_to_tf32(float x)
{
    unsigned d;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(d) : "f"(x));
    return __uint_as_float(d);
}

/* Operands from a number on, and registers that hold a fragment. */
#define __KC_AT_0_1 "%0"
#define __KC_AT_0_2 "%0, %1"
#define __KC_AT_0_4 "%0, %1, %2, %3"
#define __KC_AT_0_8 "%0, %1, %2, %3, %4, %5, %6, %7"
#define __KC_AT_2_1 "%2"
#define __KC_AT_3_1 "%3"
#define __KC_AT_4_8 "%4, %5, %6, %7, %8, %9, %10, %11"
#define __KC_AT_8_1 "%8"
#define __KC_AT_8_2 "%8, %9"
#define __KC_AT_8_4 "%8, %9, %10, %11"
#define __KC_AT_8_8 "%8, %9, %10, %11, %12, %13, %14, %15"
#define __KC_AT_9_4 "%9, %10, %11, %12"
#define __KC_AT_10_2 "%10, %11"
#define __KC_AT_10_8 "%10, %11, %12, %13, %14, %15, %16, %17"
#define __KC_AT_12_1 "%12"
#define __KC_AT_12_4 "%12, %13, %14, %15"
#define __KC_AT_12_8 "%12, %13, %14, %15, %16, %17, %18, %19"
#define __KC_AT_16_2 "%16, %17"
#define __KC_AT_16_8 "%16, %17, %18, %19, %20, %21, %22, %23"
#define __KC_REGISTERS_1(letter, x) letter(x[0])
#define __KC_REGISTERS_2(letter, x) letter(x[0]), letter(x[1])
#define __KC_REGISTERS_4(letter, x) letter(x[0]), letter(x[1]), letter(x[2]), letter(x[3])
#define __KC_REGISTERS_8(letter, x) __KC_REGISTERS_4(letter, x), letter(x[4]), letter(x[5]), letter(x[6]), letter(x[7])

#define __KC_LOAD(what, count, letter) asm volatile("wmma.load." what " {" __KC_AT_0_##count "}, [%[p]], %[s];" : __KC_REGISTERS_##count("=" letter, x) : [p] "l"(at), [s] "r"(stride) : "memory")
/* By ldmatrix, where it is from shared memory: nvcc's headers say so of these types only. */
#define __KC_LOAD_FACTOR(near, what, type, count, letter) \
    do { \
        if (near && __isShared(at)) \
            asm volatile("wmma.load." what ".shared." type " {" __KC_AT_0_##count "}, [%[p]], %[s];" : __KC_REGISTERS_##count("=" letter, x) : [p] "l"(__cvta_generic_to_shared(at)), [s] "r"(stride) : "memory"); \
        else \
            __KC_LOAD(what "." type, count, letter); \
    } while (0)
#define __KC_STORE(what, count, letter) asm volatile("wmma.store." what " [%[p]], {" __KC_AT_0_##count "}, %[s];" :: __KC_REGISTERS_##count(letter, x), [p] "l"(at), [s] "r"(stride) : "memory")
#define __KC_FACTOR(near, use, as, m, n, k, type, element, elements, count, letter, kept, ptx) \
    template <> struct __kc_elements<use, m, n, k, type> { enum { value = elements }; }; \
    template <typename L> __device__ void load_matrix_sync(fragment<use, m, n, k, type, L> &to, const element *at, unsigned stride) \
    { \
        kept *x = (kept *)to.x; \
        if constexpr (__kc_columns<L>::value) __KC_LOAD_FACTOR(near, as ".sync.aligned.col.m" #m "n" #n "k" #k, ptx, count, letter); \
        else __KC_LOAD_FACTOR(near, as ".sync.aligned.row.m" #m "n" #n "k" #k, ptx, count, letter); \
    }
#define __KC_SUM(m, n, k, type, elements, count, letter, kept, ptx) \
    template <> struct __kc_elements<accumulator, m, n, k, type> { enum { value = elements }; }; \
    __device__ void load_matrix_sync(fragment<accumulator, m, n, k, type> &to, const type *at, unsigned stride, layout_t layout) \
    { \
        kept *x = (kept *)to.x; \
        if (layout) __KC_LOAD("c.sync.aligned.col.m" #m "n" #n "k" #k "." ptx, count, letter); \
        else __KC_LOAD("c.sync.aligned.row.m" #m "n" #n "k" #k "." ptx, count, letter); \
    } \
    __device__ void store_matrix_sync(type *at, const fragment<accumulator, m, n, k, type> &from, unsigned stride, layout_t layout) \
    { \
        const kept *x = (const kept *)from.x; \
        if (layout) __KC_STORE("d.sync.aligned.col.m" #m "n" #n "k" #k "." ptx, count, letter); \
        else __KC_STORE("d.sync.aligned.row.m" #m "n" #n "k" #k "." ptx, count, letter); \
    }
/* The sums so far are in the registers of the result. */
#define __KC_MMA(orders, m, n, k, ptx, na, nb, ns, at_b, letter, sum) \
    asm volatile("wmma.mma.sync.aligned." orders ".m" #m "n" #n "k" #k "." ptx " {" __KC_AT_0_##ns "}, {" __KC_AT_##ns##_##na "}, {" __KC_AT_##at_b##_##nb "}, {" __KC_AT_0_##ns "};" \
                 : __KC_REGISTERS_##ns("+" sum, x) : __KC_REGISTERS_##na(letter, y), __KC_REGISTERS_##nb(letter, z))
#define __KC_PRODUCT(m, n, k, type, sum, kept, sum_kept, letter, sum_letter, ptx, na, nb, ns, at_b) \
    template <typename A, typename B> __device__ void mma_sync(fragment<accumulator, m, n, k, sum> &d, const fragment<matrix_a, m, n, k, type, A> &a, const fragment<matrix_b, m, n, k, type, B> &b, const fragment<accumulator, m, n, k, sum> &c) \
    { \
        d = c; \
        sum_kept *x = (sum_kept *)d.x; \
        const kept *y = (const kept *)a.x, *z = (const kept *)b.x; \
        if constexpr (__kc_columns<A>::value && __kc_columns<B>::value) __KC_MMA("col.col", m, n, k, ptx, na, nb, ns, at_b, letter, sum_letter); \
        else if constexpr (__kc_columns<A>::value) __KC_MMA("col.row", m, n, k, ptx, na, nb, ns, at_b, letter, sum_letter); \
        else if constexpr (__kc_columns<B>::value) __KC_MMA("row.col", m, n, k, ptx, na, nb, ns, at_b, letter, sum_letter); \
        else __KC_MMA("row.row", m, n, k, ptx, na, nb, ns, at_b, letter, sum_letter); \
    }
/* One shape of numbers of 16 and 8 bits; registers of a and b, and where b's begin: of bf16, of bytes. */
#define __KC_SHAPE(m, n, k, na, nb, at_b, bytes_a, bytes_b, at_bytes, words_a, words_b) \
    __KC_FACTOR(true, matrix_a, "a", m, n, k, __half, __half, 16, 8, "r", unsigned, "f16") \
    __KC_FACTOR(true, matrix_b, "b", m, n, k, __half, __half, 16, 8, "r", unsigned, "f16") \
    __KC_FACTOR(false, matrix_a, "a", m, n, k, __nv_bfloat16, __nv_bfloat16, words_a, na, "r", unsigned, "bf16") \
    __KC_FACTOR(false, matrix_b, "b", m, n, k, __nv_bfloat16, __nv_bfloat16, words_b, nb, "r", unsigned, "bf16") \
    __KC_FACTOR(true, matrix_a, "a", m, n, k, signed char, signed char, words_a, bytes_a, "r", unsigned, "s8") \
    __KC_FACTOR(true, matrix_b, "b", m, n, k, signed char, signed char, words_b, bytes_b, "r", unsigned, "s8") \
    __KC_FACTOR(true, matrix_a, "a", m, n, k, unsigned char, unsigned char, words_a, bytes_a, "r", unsigned, "u8") \
    __KC_FACTOR(true, matrix_b, "b", m, n, k, unsigned char, unsigned char, words_b, bytes_b, "r", unsigned, "u8") \
    __KC_SUM(m, n, k, __half, 8, 4, "r", unsigned, "f16") \
    __KC_SUM(m, n, k, float, 8, 8, "f", float, "f32") \
    __KC_SUM(m, n, k, int, 8, 8, "r", int, "s32") \
    __KC_PRODUCT(m, n, k, __half, __half, unsigned, unsigned, "r", "r", "f16.f16", 8, 8, 4, 12) \
    __KC_PRODUCT(m, n, k, __half, float, unsigned, float, "r", "f", "f32.f32", 8, 8, 8, 16) \
    __KC_PRODUCT(m, n, k, __nv_bfloat16, float, unsigned, float, "r", "f", "f32.bf16.bf16.f32", na, nb, 8, at_b) \
    __KC_PRODUCT(m, n, k, signed char, int, unsigned, int, "r", "r", "s32.s8.s8.s32", bytes_a, bytes_b, 8, at_bytes) \
    __KC_PRODUCT(m, n, k, unsigned char, int, unsigned, int, "r", "r", "s32.u8.u8.s32", bytes_a, bytes_b, 8, at_bytes)
__KC_SHAPE(16, 16, 16, 4, 4, 12, 2, 2, 10, 8, 8)
__KC_SHAPE(32, 8, 16, 8, 2, 16, 4, 1, 12, 16, 4)
__KC_SHAPE(8, 32, 16, 2, 8, 10, 1, 4, 9, 4, 16)
__KC_FACTOR(false, matrix_a, "a", 16, 16, 8, precision::tf32, float, 4, 4, "r", unsigned, "tf32")
__KC_FACTOR(false, matrix_b, "b", 16, 16, 8, precision::tf32, float, 4, 4, "r", unsigned, "tf32")
__KC_SUM(16, 16, 8, float, 8, 8, "f", float, "f32")
__KC_PRODUCT(16, 16, 8, precision::tf32, float, unsigned, float, "r", "f", "f32.tf32.tf32.f32", 4, 4, 8, 12)
__KC_FACTOR(false, matrix_a, "a", 8, 8, 4, double, double, 1, 1, "d", double, "f64")
__KC_FACTOR(false, matrix_b, "b", 8, 8, 4, double, double, 1, 1, "d", double, "f64")
__KC_SUM(8, 8, 4, double, 2, 2, "d", double, "f64")
__KC_PRODUCT(8, 8, 4, double, double, double, double, "d", "d", "f64.f64.f64.f64", 1, 1, 2, 3)
} }
