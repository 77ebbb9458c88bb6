/* cooperative_groups/memcpy_async.h - copies by a group, and waiting for them. */
#ifndef BANKSCOPE_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define BANKSCOPE_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"
#include "../bankscope/copy.h"
#include "../cuda_pipeline.h" /* as the toolkit does */

#pragma clang force_cuda_host_device begin
namespace cooperative_groups
{

/* Tiles copy in rounds of all their threads: in the last one, those that have nothing left to copy do the
 * last piece once more. */
template <typename Group> struct bankscope_repeats_last {
    static const bool value = false;
};
template <unsigned Size, typename Parent>
struct bankscope_repeats_last<thread_block_tile<Size, Parent>> {
    static const bool value = Size > 1;
};
/* Whole pieces of 4, 8 or 16 bytes. */
template <size_t Piece, typename Group>
BANKSCOPE_INLINE void bankscope_copy_pieces(const Group &group, char *to, const char *from,
                                            size_t pieces)
{
    const size_t rank = group.thread_rank(), size = group.size();
    if (!bankscope_repeats_last<Group>::value || !bankscope_in_background(to, from, Piece)) {
        bankscope_copy<Piece>(to, from, pieces * Piece, rank, size);
        return;
    }
    for (size_t round = 0; round < pieces; round += size) {
        const size_t at = min(round + rank, pieces - 1) * Piece;
        bankscope_copy_async(to + at, from + at, Piece);
    }
}
/* The same, aligned by bytes before and after it. */
template <size_t Piece, typename Group>
BANKSCOPE_INLINE void bankscope_copy_between(const Group &group, char *to, const char *from,
                                             size_t bytes)
{
    const size_t rank = group.thread_rank(), size = group.size();
    const size_t before = -(size_t)from % Piece, pieces = (bytes - before) / Piece,
                 behind = before + pieces * Piece;
    bankscope_copy<1>(to, from, before, rank, size);
    bankscope_copy_pieces<Piece>(group, to + before, from + before, pieces);
    bankscope_copy<1>(to + behind, from + behind, bytes - behind, rank, size);
}
template <size_t Alignment, typename Group>
BANKSCOPE_INLINE void bankscope_group_copy(const Group &group, char *to, const char *from,
                                           size_t bytes)
{
    if (Alignment >= 4) {
        const size_t piece = Alignment < 4 ? 4 : Alignment < 16 ? Alignment : 16;
        bankscope_copy_pieces<piece>(group, to, from, bytes / piece);
        return;
    }
    const size_t apart = ((size_t)to ^ (size_t)from) % 16 & -Alignment;
    size_t common = apart ? apart & -apart : 16; /* what both addresses allow */
    if (common > bytes)
        common = Alignment;
    if (common == 16)
        bankscope_copy_between<16>(group, to, from, bytes);
    else if (common == 8)
        bankscope_copy_between<8>(group, to, from, bytes);
    else if (common == 4)
        bankscope_copy_between<4>(group, to, from, bytes);
    else if (common == 2)
        bankscope_copy<2>(to, from, bytes / 2 * 2, group.thread_rank(), group.size());
    else
        bankscope_copy<1>(to, from, bytes, group.thread_rank(), group.size());
}

template <typename Group, typename T>
BANKSCOPE_INLINE void memcpy_async(const Group &group, T *to, const T *from, size_t bytes)
{
    bankscope_group_copy<bankscope_alignment<T>::value>(group, (char *)to, (const char *)from,
                                                        bytes);
    bankscope_commit();
}
template <typename Group, typename T, size_t Alignment>
BANKSCOPE_INLINE void memcpy_async(const Group &group, T *to, const T *from,
                                   const cuda::aligned_size_t<Alignment> &bytes)
{
    bankscope_group_copy<Alignment>(group, (char *)to, (const char *)from, bytes);
    bankscope_commit();
}
/* Counts elements: as many as both sides have. */
template <typename Group, typename T>
BANKSCOPE_INLINE void memcpy_async(const Group &group, T *to, size_t to_count, const T *from,
                                   size_t from_count)
{
    bankscope_group_copy<bankscope_alignment<T>::value>(group, (char *)to, (const char *)from,
                                                        min(to_count, from_count) * sizeof(T));
    bankscope_commit();
}
template <typename Group, typename T, size_t Alignment>
BANKSCOPE_INLINE void memcpy_async(const Group &group, T *to,
                                   const cuda::aligned_size_t<Alignment> &to_count, const T *from,
                                   const cuda::aligned_size_t<Alignment> &from_count)
{
    bankscope_group_copy<Alignment>(group, (char *)to, (const char *)from,
                                    min((size_t)to_count, (size_t)from_count) * sizeof(T));
    bankscope_commit();
}
template <typename Group> BANKSCOPE_INLINE void wait(const Group &group)
{
    bankscope_wait_all();
    group.sync();
}
template <unsigned Stages, typename Group> BANKSCOPE_INLINE void wait_prior(const Group &group)
{
    bankscope_wait_groups(Stages);
    group.sync();
}

} // namespace cooperative_groups

#pragma clang force_cuda_host_device end
#endif
