/* mma.h - nvcuda::wmma: products of small matrices, whose elements the lanes of a warp share out.
 *
 * Which lane has which element, and what a load or store does to shared memory, is that of nvcc 13.0's
 * code for sm_90, read from the machine code of every shape and type below. Every fragment consists of
 * tiles of 8 x 4 * EACH elements, of which a lane has EACH neighbours:
 *
 *     outer    the row of A, the column of B, the row of C (m8n32k16: its column): 8 * tile + lane / 4
 *     inner    k, the column of C (its row): 4 * EACH * tile + EACH * (lane % 4) + 0 .. EACH - 1
 *
 * Where the inner index is that of neighbours in memory, the matrix is `straight`, else crossed:
 *
 *     half A and B                       LDSM of up to four tiles; of crossed ones, transposed
 *     8-bit A and B, straight            LDSM of up to two tiles
 *     straight, of other types           one access of EACH elements for each tile
 *     crossed, of 16 bits                one access of two elements for each tile, transposed in registers
 *     crossed, of other types            one access for each element
 *
 * From and to global memory there is no LDSM. */
#ifndef HOSTCUDA_MMA_H
#define HOSTCUDA_MMA_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "hostcuda_copy.h"

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

/* ---- which element a lane has ------------------------------------------------------------------ */

template <typename T, typename U> constexpr bool hostcuda_same = false;
template <typename T> constexpr bool hostcuda_same<T, T> = true;

/* A whole number of 8 bits. */
template <typename T>
constexpr bool hostcuda_byte = hostcuda_same<T, signed char> || hostcuda_same<T, unsigned char>;

template <typename T> struct hostcuda_stored {
    typedef T type;
};
template <> struct hostcuda_stored<precision::tf32> {
    typedef float type;
};

/* Whether there are fragments of this kind. */
template <typename Use, int M, int N, int K, typename T, typename Layout>
constexpr bool hostcuda_has_fragment()
{
    constexpr bool sum = hostcuda_same<Use, accumulator>;
    constexpr bool layout =
        sum ? hostcuda_same<Layout, void>
            : hostcuda_same<Layout, row_major> || hostcuda_same<Layout, col_major>;
    constexpr bool use = sum || hostcuda_same<Use, matrix_a> || hostcuda_same<Use, matrix_b>;
    if (!layout || !use)
        return false;
    if (K == 16 && ((M == 16 && N == 16) || (M == 32 && N == 8) || (M == 8 && N == 32)))
        return sum ? hostcuda_same<T, float> || hostcuda_same<T, __half> || hostcuda_same<T, int>
                   : hostcuda_same<T, __half> || hostcuda_same<T, __nv_bfloat16> ||
                         hostcuda_byte<T>;
    if (M == 16 && N == 16 && K == 8)
        return sum ? hostcuda_same<T, float> : hostcuda_same<T, precision::tf32>;
    return M == 8 && N == 8 && K == 4 && hostcuda_same<T, double>;
}

template <typename Use, int M, int N, int K, typename T> struct hostcuda_form {
    typedef typename hostcuda_stored<T>::type type;
    static constexpr bool sum = hostcuda_same<Use, accumulator>;
    static constexpr bool turned = sum && M == 8 && N == 32; /* its outer index is the column */
    static constexpr int outer = hostcuda_same<Use, matrix_b> || turned ? N : M;
    static constexpr int inner = !sum ? K : turned ? M : N;
    static constexpr int each = sum ? 2 : sizeof(type) < 4 ? 4 / (int)sizeof(type) : 1;
    static constexpr int across = inner / (4 * each); /* tiles */
    static constexpr int tiles = outer / 8 * across;
    static constexpr int own = tiles * each; /* different elements of a lane */
    /* Halves of A and B fill 16 elements: some are there more than once. */
    static constexpr int elements = !sum && hostcuda_same<T, __half> ? 16 : own;
    static constexpr bool across_first = hostcuda_same<Use, matrix_b> && outer == 16;
    /* Tiles that one LDSM loads, 0: none; whether it loads crossed ones. */
    static constexpr int matrices = sum                        ? 0
                                    : hostcuda_same<T, __half> ? (tiles < 4 ? tiles : 4)
                                    : hostcuda_byte<T>         ? (tiles < 2 ? tiles : 2)
                                                               : 0;
    static constexpr bool transposes = sizeof(type) == 2;

    /* The first indices of a tile, and which tile has these. */
    static constexpr int tile_outer(int tile)
    {
        if (outer == 8)
            return 0;
        return 8 * (across_first ? tile / across : tile % 2 + tile / (2 * across) * 2);
    }
    static constexpr int tile_inner(int tile)
    {
        int at = across_first ? tile % across : outer == 8 ? tile : tile / 2 % across;
        return 4 * each * at;
    }
    static constexpr int tile_of(int from_outer, int from_inner)
    {
        for (int tile = 0; tile < tiles; tile++)
            if (tile_outer(tile) == from_outer && tile_inner(tile) == from_inner)
                return tile;
        return 0;
    }
    static constexpr int outer_of(int lane, int i)
    {
        return tile_outer(i / each) + lane / 4;
    }
    static constexpr int inner_of(int lane, int i)
    {
        return tile_inner(i / each) + lane % 4 * each + i % each;
    }
};

template <typename Use, int M, int N, int K, typename T, typename Layout = void>
class alignas(8) fragment
{
    static_assert(
        hostcuda_has_fragment<Use, M, N, K, T, Layout>(),
        "bankscope: there is no wmma fragment of this shape, type and layout: there are "
        "m16n16k16, m32n8k16 and m8n32k16 of __half, __nv_bfloat16, signed char and unsigned "
        "char, m16n16k8 of precision::tf32, and m8n8k4 of double");

  public:
    typedef hostcuda_form<Use, M, N, K, T> form;
    typedef T element_type;
    typedef typename form::type storage_element_type;
    enum { num_elements = form::elements, num_storage_elements = num_elements };
    storage_element_type x[num_storage_elements];
};

/* ---- memory ------------------------------------------------------------------------------------ */

/* All lanes of the warp come here. */
HOSTCUDA_INLINE void hostcuda_check_warp(unsigned came)
{
    if (came != 0xffffffff)
        hostcuda_fault(719, "wmma needs all 32 lanes of a warp, and %d came",
                       __builtin_popcount(came));
}

template <typename T>
HOSTCUDA_INLINE T *hostcuda_element(T *matrix, unsigned ldm, bool straight, int outer, int inner)
{
    return straight ? matrix + (size_t)outer * ldm + inner : matrix + (size_t)inner * ldm + outer;
}

/* How many accesses a lane does without LDSM, of how many bytes, and where. */
template <typename Form> HOSTCUDA_INLINE int hostcuda_pieces(bool straight)
{
    return straight || Form::transposes ? Form::tiles : Form::own;
}
template <typename Form> HOSTCUDA_INLINE size_t hostcuda_piece_bytes(bool straight)
{
    return (straight || Form::transposes ? Form::each : 1) * sizeof(typename Form::type);
}
template <typename Form, typename T>
HOSTCUDA_QUIET T *hostcuda_piece_at(T *matrix, unsigned ldm, bool straight, int piece)
{
    const int lane = (int)hostcuda_lane;
    if (!straight && Form::transposes)
        return hostcuda_element(matrix, ldm, false, Form::tile_outer(piece) + 2 * (lane % 4),
                                Form::tile_inner(piece) + lane / 4);
    const int i = straight ? piece * Form::each : piece;
    return hostcuda_element(matrix, ldm, straight, Form::outer_of(lane, i),
                            Form::inner_of(lane, i));
}
/* Where the row is that a lane gives to LDSM, of tiles from `tile` on. */
template <typename Form, typename T>
HOSTCUDA_QUIET T *hostcuda_matrix_row(T *matrix, unsigned ldm, bool straight, int tile)
{
    const int row = (int)hostcuda_lane % 8;
    tile += (int)hostcuda_lane / 8;
    return hostcuda_element(matrix, ldm, straight, Form::tile_outer(tile) + (straight ? row : 0),
                            Form::tile_inner(tile) + (straight ? 0 : row));
}

template <typename Form, typename T>
HOSTCUDA_QUIET void hostcuda_take(T *x, const T *matrix, unsigned ldm, bool straight)
{
    const int lane = (int)hostcuda_lane;
    for (int i = 0; i < Form::own; i++)
        x[i] = *hostcuda_element(matrix, ldm, straight, Form::outer_of(lane, i),
                                 Form::inner_of(lane, i));
    for (int i = Form::own; i < Form::elements; i++)
        x[i] = x[i - Form::own];
}
template <typename Form, typename T>
HOSTCUDA_INLINE void hostcuda_load(T *x, const T *matrix, unsigned ldm, bool straight)
{
    hostcuda_check_warp(hostcuda_ask(0xffffffff, 0).came);
    if (Form::matrices && (straight || Form::transposes) && hostcuda_is_shared(matrix)) {
        for (int tile = 0; tile < Form::tiles; tile += Form::matrices)
            if (hostcuda_lane < 8 * Form::matrices)
                hostcuda_access(HOSTCUDA_MATRIX_LOAD,
                                hostcuda_matrix_row<Form>(matrix, ldm, straight, tile), 16);
    } else {
        for (int i = 0; i < hostcuda_pieces<Form>(straight); i++)
            hostcuda_access(HOSTCUDA_LOAD, hostcuda_piece_at<Form>(matrix, ldm, straight, i),
                            hostcuda_piece_bytes<Form>(straight));
    }
    hostcuda_take<Form>(x, matrix, ldm, straight);
}

/* What a lane stores of transposed tiles, of what all lanes have. */
template <typename Form, typename T>
HOSTCUDA_QUIET void hostcuda_transpose(T *to, const T (*all)[Form::own])
{
    const int lane = (int)hostcuda_lane;
    for (int i = 0; i < Form::own; i++) {
        int outer = lane % 4 * 2 + i % 2, inner = lane / 4;
        to[i] = all[outer * 4 + inner / 2][i / 2 * 2 + inner % 2];
    }
}
template <typename T> HOSTCUDA_QUIET const T *hostcuda_bytes_behind(const T *from, size_t bytes)
{
    return (const T *)((const char *)from + bytes);
}
template <typename Form, typename T>
HOSTCUDA_INLINE void hostcuda_store(T *matrix, const T *x, unsigned ldm, bool straight)
{
    T transposed[Form::own];
    if (Form::transposes && !straight) {
        T all[32][Form::own];
        hostcuda_check_warp(hostcuda_exchange(0xffffffff, x, sizeof *all, all));
        hostcuda_transpose<Form>(transposed, all);
        x = transposed;
    } else {
        hostcuda_check_warp(hostcuda_ask(0xffffffff, 0).came);
    }
    const size_t bytes = hostcuda_piece_bytes<Form>(straight);
    for (int i = 0; i < hostcuda_pieces<Form>(straight); i++) {
        T *to = hostcuda_piece_at<Form>(matrix, ldm, straight, i);
        hostcuda_access(HOSTCUDA_STORE, to, bytes);
        hostcuda_move(to, hostcuda_bytes_behind(x, i * bytes), bytes);
    }
}

template <typename Use, int M, int N, int K, typename T, typename Layout>
HOSTCUDA_INLINE void
load_matrix_sync(fragment<Use, M, N, K, T, Layout> &a,
                 const typename fragment<Use, M, N, K, T, Layout>::storage_element_type *matrix,
                 unsigned ldm)
{
    static_assert(!hostcuda_same<Use, accumulator>, "an accumulator is loaded with its layout");
    hostcuda_load<hostcuda_form<Use, M, N, K, T>>(
        a.x, matrix, ldm, hostcuda_same<Use, matrix_a> == hostcuda_same<Layout, row_major>);
}
template <int M, int N, int K, typename T>
HOSTCUDA_INLINE void load_matrix_sync(fragment<accumulator, M, N, K, T> &c,
                                      const typename hostcuda_stored<T>::type *matrix, unsigned ldm,
                                      layout_t layout)
{
    typedef hostcuda_form<accumulator, M, N, K, T> form;
    hostcuda_load<form>(c.x, matrix, ldm, (layout == mem_row_major) != form::turned);
}
template <int M, int N, int K, typename T>
HOSTCUDA_INLINE void store_matrix_sync(typename hostcuda_stored<T>::type *matrix,
                                       const fragment<accumulator, M, N, K, T> &c, unsigned ldm,
                                       layout_t layout)
{
    typedef hostcuda_form<accumulator, M, N, K, T> form;
    hostcuda_store<form>(matrix, c.x, ldm, (layout == mem_row_major) != form::turned);
}
template <typename Use, int M, int N, int K, typename T, typename Layout>
HOSTCUDA_INLINE void
fill_fragment(fragment<Use, M, N, K, T, Layout> &a,
              const typename fragment<Use, M, N, K, T, Layout>::storage_element_type &value)
{
    for (int i = 0; i < a.num_storage_elements; i++)
        a.x[i] = value;
}

/* ---- arithmetic -------------------------------------------------------------------------------- */

/* A float with 10 bits of fraction: the nearest, of two the one farther from zero. */
HOSTCUDA_INLINE float __float_to_tf32(float value)
{
    const unsigned bits = __float_as_uint(value);
    return isnan(value) ? value : __uint_as_float((bits + 0x1000) & 0xffffe000);
}

/* An element as it is multiplied. */
template <typename T, typename S> HOSTCUDA_INLINE auto hostcuda_factor(S value)
{
    if constexpr (hostcuda_same<T, precision::tf32>)
        return __uint_as_float(__float_as_uint(value) & 0xffffe000);
    else if constexpr (hostcuda_same<T, __half>)
        return hostcuda_half_to_float(value.bits);
    else if constexpr (hostcuda_same<T, __nv_bfloat16>)
        return __uint_as_float((unsigned)value.bits << 16);
    else if constexpr (hostcuda_same<T, double>)
        return value;
    else
        return (int)value;
}
HOSTCUDA_INLINE float hostcuda_multiply_add(float a, float b, float c)
{
    return a * b + c;
}
HOSTCUDA_INLINE double hostcuda_multiply_add(double a, double b, double c)
{
    return fma(a, b, c);
}
HOSTCUDA_INLINE long long hostcuda_multiply_add(int a, int b, long long c)
{
    return (long long)a * b + c;
}
HOSTCUDA_INLINE float hostcuda_start(__half value)
{
    return hostcuda_half_to_float(value.bits);
}
HOSTCUDA_INLINE float hostcuda_start(float value)
{
    return value;
}
HOSTCUDA_INLINE double hostcuda_start(double value)
{
    return value;
}
HOSTCUDA_INLINE long long hostcuda_start(int value)
{
    return value;
}
HOSTCUDA_INLINE void hostcuda_finish(__half *to, float sum, bool)
{
    to->bits = hostcuda_float_to_half(sum);
}
HOSTCUDA_INLINE void hostcuda_finish(float *to, float sum, bool)
{
    *to = sum;
}
HOSTCUDA_INLINE void hostcuda_finish(double *to, double sum, bool)
{
    *to = sum;
}
HOSTCUDA_INLINE void hostcuda_finish(int *to, long long sum, bool clamp)
{
    *to = clamp && sum > INT_MAX ? INT_MAX : clamp && sum < INT_MIN ? INT_MIN : (int)sum;
}

/* What a lane hands in: its elements of A and B. */
template <typename A, typename B> struct hostcuda_operands {
    typename A::type a[A::own];
    typename B::type b[B::own];
};
template <typename A, typename B>
HOSTCUDA_QUIET void hostcuda_hand_in(hostcuda_operands<A, B> *mine, const typename A::type *a,
                                     const typename B::type *b)
{
    memcpy(mine->a, a, sizeof mine->a);
    memcpy(mine->b, b, sizeof mine->b);
}

/* One row of A or column of B, of what all lanes have handed in: `first` is element 0 of lane 0. */
template <typename Form, typename T, typename Factor>
HOSTCUDA_INLINE void hostcuda_row_of(Factor *row, const typename Form::type *first, size_t stride,
                                     int outer)
{
    const char *lanes = (const char *)first + stride * (size_t)(outer % 8 * 4);
    for (int from = 0; from < Form::inner; from += 4 * Form::each) {
        const int i = Form::tile_of(outer & ~7, from) * Form::each;
        for (int lane = 0; lane < 4; lane++)
            for (int k = 0; k < Form::each; k++)
                row[from + lane * Form::each + k] = hostcuda_factor<T>(
                    ((const typename Form::type *)(lanes + stride * (size_t)lane))[i + k]);
    }
}
template <typename Out, typename In, typename A, typename B, typename T>
HOSTCUDA_QUIET void hostcuda_product(typename Out::type *d, const hostcuda_operands<A, B> *all,
                                     const typename In::type *c, bool clamp)
{
    constexpr int K = A::inner, ROWS = Out::outer / 8, COLUMNS = 2 * Out::across;
    typedef decltype(hostcuda_factor<T>(all->a[0])) factor;
    const int lane = (int)hostcuda_lane;
    factor row[ROWS][K], column[COLUMNS][K];
    for (int i = 0; i < ROWS; i++) {
        const int at = 8 * i + lane / 4;
        if (Out::turned)
            hostcuda_row_of<B, T>(row[i], all->b, sizeof *all, at);
        else
            hostcuda_row_of<A, T>(row[i], all->a, sizeof *all, at);
    }
    for (int i = 0; i < COLUMNS; i++) {
        const int at = i / 2 * 8 + lane % 4 * 2 + i % 2;
        if (Out::turned)
            hostcuda_row_of<A, T>(column[i], all->a, sizeof *all, at);
        else
            hostcuda_row_of<B, T>(column[i], all->b, sizeof *all, at);
    }
    for (int i = 0; i < Out::own; i++) {
        const factor *x = row[Out::tile_outer(i / 2) / 8];
        const factor *y = column[Out::tile_inner(i / 2) / 4 + i % 2];
        auto sum = hostcuda_start(c[i]);
        for (int k = 0; k < K; k++)
            sum = hostcuda_multiply_add(x[k], y[k], sum);
        hostcuda_finish(&d[i], sum, clamp);
    }
}

/* Whether a product of these has sums of type D, from sums of type C on. */
template <typename T, typename D, typename C> constexpr bool hostcuda_sums()
{
    if (hostcuda_same<T, __half>)
        return (hostcuda_same<D, float> || hostcuda_same<D, __half>)&&(hostcuda_same<C, float> ||
                                                                       hostcuda_same<C, __half>);
    if (!hostcuda_same<D, C>)
        return false;
    return hostcuda_byte<T> ? hostcuda_same<D, int>
                            : hostcuda_same<D, double> == hostcuda_same<T, double> &&
                                  (hostcuda_same<D, float> || hostcuda_same<D, double>);
}
template <int M, int N, int K, typename D, typename T, typename La, typename Lb, typename C>
HOSTCUDA_INLINE void mma_sync(fragment<accumulator, M, N, K, D> &d,
                              const fragment<matrix_a, M, N, K, T, La> &a,
                              const fragment<matrix_b, M, N, K, T, Lb> &b,
                              const fragment<accumulator, M, N, K, C> &c, bool satf = false)
{
    static_assert(
        hostcuda_sums<T, D, C>(),
        "bankscope: mma_sync has sums of float or __half for __half, of float for "
        "__nv_bfloat16 and tf32, of int for signed and unsigned char, of double for double");
    typedef hostcuda_form<matrix_a, M, N, K, T> A;
    typedef hostcuda_form<matrix_b, M, N, K, T> B;
    hostcuda_operands<A, B> mine, all[32];
    hostcuda_hand_in(&mine, a.x, b.x);
    hostcuda_check_warp(hostcuda_exchange(0xffffffff, &mine, sizeof mine, all));
    hostcuda_product<hostcuda_form<accumulator, M, N, K, D>, hostcuda_form<accumulator, M, N, K, C>,
                     A, B, T>(d.x, all, c.x, satf);
}

} // namespace wmma
} // namespace nvcuda

#endif
