/* copy.h - asynchronous copies from global to shared memory. The toolkit's headers cut them into pieces of 1
 * to 16 bytes by what the types promise of the alignment, not by the addresses, and so does this one. */
#ifndef BANKSCOPE_COPY_H
#define BANKSCOPE_COPY_H

#include "../cuda_runtime.h"
#include "aligned_size.h"

/* One piece of 4, 8 or 16 bytes, of which the last `zeros` are zeros and not read. */
#define BANKSCOPE_PIECE(cache, bytes)                                                              \
    __asm__ __volatile__("cp.async." cache ".shared.global [%0], [%1], " #bytes                    \
                         ", %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)),                    \
                         "l"(__cvta_generic_to_global(from)), "r"((unsigned)(bytes - zeros))       \
                         : "memory")
BANKSCOPE_DEVICE void bankscope_copy_async(void *to, const void *from, size_t bytes,
                                           size_t zeros = 0)
{
    if (bytes == 4)
        BANKSCOPE_PIECE("ca", 4);
    else if (bytes == 8)
        BANKSCOPE_PIECE("ca", 8);
    else
        BANKSCOPE_PIECE("cg", 16);
}
#undef BANKSCOPE_PIECE
/* One piece by a load and a store. */
BANKSCOPE_DEVICE void bankscope_copy_now(void *to, const void *from, size_t bytes)
{
    if (bytes == 16)
        *(int4 *)to = *(const int4 *)from;
    else if (bytes == 8)
        *(int2 *)to = *(const int2 *)from;
    else if (bytes == 4)
        *(int *)to = *(const int *)from;
    else if (bytes == 2)
        *(short *)to = *(const short *)from;
    else
        *(char *)to = *(const char *)from;
}
/* Whether a copy in pieces of so many bytes can be asynchronous. */
BANKSCOPE_DEVICE bool bankscope_in_background(const void *to, const void *from, size_t piece)
{
    return piece >= 4 && __isShared(to) && __isGlobal(from);
}
BANKSCOPE_DEVICE void bankscope_commit()
{
    __asm__ __volatile__("cp.async.commit_group;" ::: "memory");
}
BANKSCOPE_DEVICE void bankscope_wait_all()
{
    __asm__ __volatile__("cp.async.wait_all;" ::: "memory");
}
/* Until at most n of the thread's groups are under way. The instruction takes a constant. */
BANKSCOPE_DEVICE void bankscope_wait_groups(size_t n)
{
#define BANKSCOPE_WAIT(count)                                                                      \
    case count:                                                                                    \
        __asm__ __volatile__("cp.async.wait_group " #count ";" ::: "memory");                      \
        break
    switch (n) {
        BANKSCOPE_WAIT(1);
        BANKSCOPE_WAIT(2);
        BANKSCOPE_WAIT(3);
        BANKSCOPE_WAIT(4);
        BANKSCOPE_WAIT(5);
        BANKSCOPE_WAIT(6);
        BANKSCOPE_WAIT(7);
        BANKSCOPE_WAIT(8);
    default:
        __asm__ __volatile__("cp.async.wait_group 0;" ::: "memory");
    }
#undef BANKSCOPE_WAIT
}

#pragma clang force_cuda_host_device begin
/* Pieces of as many bytes as are aligned, by `threads` threads in turns. */
template <size_t Alignment>
BANKSCOPE_INLINE void bankscope_copy(void *to, const void *from, size_t bytes, size_t rank,
                                     size_t threads)
{
    const size_t piece = Alignment < 16 ? Alignment : 16;
    const bool background = bankscope_in_background(to, from, piece);
    for (size_t at = rank * piece; at < bytes; at += threads * piece)
        if (background)
            bankscope_copy_async((char *)to + at, (const char *)from + at, piece);
        else
            bankscope_copy_now((char *)to + at, (const char *)from + at, piece);
}
/* Of cuda::memcpy_async: what is aligned is the larger of what both types say. */
template <typename T, typename Bytes>
BANKSCOPE_INLINE void bankscope_copy_typed(T *to, const void *from, Bytes bytes, size_t rank,
                                           size_t threads)
{
    const size_t type = bankscope_alignment<T>::value,
                 size = bankscope_alignment_of_size<Bytes>::value;
    bankscope_copy<(type > size ? type : size)>(to, from, (size_t)bytes, rank, threads);
}
#pragma clang force_cuda_host_device end

#endif
