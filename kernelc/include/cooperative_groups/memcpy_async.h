/* cooperative_groups/memcpy_async.h - copies from global to shared memory that the threads of a group begin together,
 * cut into pieces of what types and sizes promise of the alignment, as the toolkit's headers do. */
#pragma once
#include <cooperative_groups.h>
#include <cuda_pipeline.h>
namespace cuda {
template <size_t N> struct aligned_size_t {
    static const size_t align = N;
    size_t value;
    __device__ explicit aligned_size_t(size_t bytes) { value = bytes; }
    __device__ operator size_t() const { return value; }
};
}
namespace cooperative_groups {
template <typename T> struct __kc_align { static const size_t value = alignof(T); };
template <> struct __kc_align<void> { static const size_t value = 1; };
template <typename T> struct __kc_promise { static const size_t value = 1; };
template <size_t N> struct __kc_promise<cuda::aligned_size_t<N>> { static const size_t value = N; };
/* Tiles copy in rounds of all their threads: who has nothing left in the last one copies the last piece again. */
template <typename G> struct __kc_rounds { static const bool value = false; };
template <unsigned N, typename P> struct __kc_rounds<thread_block_tile<N, P>> { static const bool value = N > 1; };

template <size_t N> __device__ bool __kc_copy_one(bool ahead, char *to, const char *from)
{
    if constexpr (N >= 4) {
        if (ahead) {
            __pipeline_memcpy_async(to, from, N);
            return true;
        }
    }
    if constexpr (N == 16) *(int4 *)to = *(const int4 *)from;
    else if constexpr (N == 8) *(int2 *)to = *(const int2 *)from;
    else if constexpr (N == 4) *(int *)to = *(const int *)from;
    else if constexpr (N == 2) *(short *)to = *(const short *)from;
    else *to = *from;
    return false;
}
template <size_t N> __device__ void __kc_copy(char *to, const char *from, size_t bytes, size_t rank, size_t of)
{
    const bool ahead = __isShared(to) && __isGlobal(from);
    for (size_t at = rank * N; at < bytes; at += of * N) __kc_copy_one<N>(ahead, to + at, from + at);
}
template <typename T, typename B> __device__ void __kc_copy_typed(T *to, const void *from, B bytes, size_t rank, size_t of)
{
    constexpr size_t a = __kc_align<T>::value, b = __kc_promise<B>::value, c = a > b ? a : b;
    __kc_copy<(c > 16 ? 16 : c)>((char *)to, (const char *)from, (size_t)bytes, rank, of);
}
template <size_t N, typename G> __device__ void __kc_copy_pieces(const G &g, char *to, const char *from, size_t pieces)
{
    const size_t rank = g.thread_rank(), of = g.size();
    if (__kc_rounds<G>::value && __isShared(to) && __isGlobal(from))
        for (size_t round = 0; round < pieces; round += of) {
            const size_t at = (round + rank < pieces ? round + rank : pieces - 1) * N;
            __pipeline_memcpy_async(to + at, from + at, N);
        }
    else
        __kc_copy<N>(to, from, pieces * N, rank, of);
}
/* What is before and behind the pieces is copied by bytes. */
template <size_t N, typename G> __device__ void __kc_copy_between(const G &g, char *to, const char *from, size_t bytes)
{
    const size_t rank = g.thread_rank(), of = g.size(), before = -(size_t)from % N, pieces = (bytes - before) / N, behind = before + pieces * N;
    __kc_copy<1>(to, from, before, rank, of);
    __kc_copy_pieces<N>(g, to + before, from + before, pieces);
    __kc_copy<1>(to + behind, from + behind, bytes - behind, rank, of);
}
template <size_t N, typename G> __device__ void __kc_copy_group(const G &g, char *to, const char *from, size_t bytes)
{
    if constexpr (N >= 4) {
        constexpr size_t piece = N < 16 ? N : 16;
        __kc_copy_pieces<piece>(g, to, from, bytes / piece);
    } else {
        const size_t apart = ((size_t)to ^ (size_t)from) % 16 & -N;
        size_t common = apart ? apart & -apart : 16;
        if (common > bytes) common = N;
        if (common == 16) __kc_copy_between<16>(g, to, from, bytes);
        else if (common == 8) __kc_copy_between<8>(g, to, from, bytes);
        else if (common == 4) __kc_copy_between<4>(g, to, from, bytes);
        else if (common == 2) __kc_copy<2>(to, from, bytes / 2 * 2, g.thread_rank(), g.size());
        else __kc_copy<1>(to, from, bytes, g.thread_rank(), g.size());
    }
    __pipeline_commit();
}
template <typename G, typename T> __device__ void memcpy_async(const G &g, T *to, const T *from, size_t bytes) { __kc_copy_group<__kc_align<T>::value>(g, (char *)to, (const char *)from, bytes); }
template <typename G, typename T, size_t N> __device__ void memcpy_async(const G &g, T *to, const T *from, const cuda::aligned_size_t<N> &bytes) { __kc_copy_group<N>(g, (char *)to, (const char *)from, bytes); }
/* Counts of elements: as many as both sides have. */
template <typename G, typename T> __device__ void memcpy_async(const G &g, T *to, size_t there, const T *from, size_t here) { __kc_copy_group<__kc_align<T>::value>(g, (char *)to, (const char *)from, (there < here ? there : here) * sizeof(T)); }
template <typename G> __device__ void wait(const G &g) { asm volatile("cp.async.wait_all;" ::: "memory"); g.sync(); }
template <unsigned N, typename G> __device__ void wait_prior(const G &g) { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); g.sync(); }
}
