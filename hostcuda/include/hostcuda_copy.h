/* hostcuda_copy.h - copies from global to shared memory "in the background", which here are done at once.
 * The toolkit's headers cut them into pieces of 1 to 16 bytes by what the types promise of the alignment,
 * not by the addresses, and so does this one. */
#ifndef HOSTCUDA_COPY_H
#define HOSTCUDA_COPY_H

#include "cuda_runtime.h"
#include "cuda/hostcuda_aligned_size.h"

HOSTCUDA_QUIET static void hostcuda_move(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}
HOSTCUDA_QUIET static void hostcuda_clear(void *to, size_t bytes)
{
    memset(to, 0, bytes);
}
/* One piece by one thread, by a store of that kind; the last `zeros` bytes are not read but cleared. */
HOSTCUDA_INLINE void hostcuda_copy_piece(int store, void *to, const void *from, size_t bytes,
                                         size_t zeros = 0)
{
    if (zeros < bytes)
        hostcuda_access(HOSTCUDA_LOAD, from, bytes);
    hostcuda_access(store, to, bytes);
    hostcuda_move(to, from, bytes - zeros);
    hostcuda_clear((char *)to + (bytes - zeros), zeros);
}
/* Whether a copy in pieces of so many bytes can be in the background; else it is a load and a store. */
HOSTCUDA_INLINE bool hostcuda_in_background(const void *to, const void *from, size_t piece)
{
    return piece >= 4 && __isShared(to) && __isGlobal(from);
}
/* Pieces of as many bytes as are aligned, by `threads` threads in turns. */
template <size_t Alignment>
HOSTCUDA_INLINE void hostcuda_copy(void *to, const void *from, size_t bytes, size_t rank,
                                   size_t threads)
{
    const size_t piece = Alignment < 16 ? Alignment : 16;
    const int store =
        hostcuda_in_background(to, from, piece) ? HOSTCUDA_ASYNC_STORE : HOSTCUDA_STORE;
    for (size_t at = rank * piece; at < bytes; at += threads * piece)
        hostcuda_copy_piece(store, (char *)to + at, (const char *)from + at, piece);
}
/* Of cuda::memcpy_async: what is aligned is the larger of what both types say. */
template <typename T, typename Bytes>
HOSTCUDA_INLINE void hostcuda_copy_typed(T *to, const void *from, Bytes bytes, size_t rank,
                                         size_t threads)
{
    const size_t type = hostcuda_alignment<T>::value,
                 size = hostcuda_alignment_of_size<Bytes>::value;
    hostcuda_copy<(type > size ? type : size)>(to, from, (size_t)bytes, rank, threads);
}

#endif
