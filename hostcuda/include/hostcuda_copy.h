/* hostcuda_copy.h - copies from global to shared memory "in the background", which here are done at once.
 * What they write to shared memory is recorded as asynchronous stores of the width that the
 * alignment allows: 16, 8, 4, else 1 byte. */
#ifndef HOSTCUDA_COPY_H
#define HOSTCUDA_COPY_H

#include "cuda_runtime.h"

HOSTCUDA_QUIET static void hostcuda_move(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}
HOSTCUDA_QUIET static void hostcuda_clear(void *to, size_t bytes)
{
    memset(to, 0, bytes);
}
/* One piece by one thread, of which the last `zeros` bytes are not read but cleared. */
HOSTCUDA_INLINE void hostcuda_copy_piece(void *to, const void *from, size_t bytes, size_t zeros = 0)
{
    if (zeros < bytes)
        hostcuda_access(HOSTCUDA_LOAD, from, bytes);
    hostcuda_access(HOSTCUDA_ASYNC_STORE, to, bytes);
    hostcuda_move(to, from, bytes - zeros);
    hostcuda_clear((char *)to + (bytes - zeros), zeros);
}
HOSTCUDA_QUIET static size_t hostcuda_piece(const void *to, const void *from, size_t bytes)
{
    size_t bits = (size_t)to | (size_t)from | bytes;
    return bits % 16 == 0 ? 16 : bits % 8 == 0 ? 8 : bits % 4 == 0 ? 4 : 1;
}
/* Bytes by `threads` threads in turns. */
HOSTCUDA_INLINE void hostcuda_copy(void *to, const void *from, size_t bytes, size_t rank,
                                   size_t threads)
{
    const size_t piece = hostcuda_piece(to, from, bytes);
    for (size_t at = rank * piece; at < bytes; at += threads * piece)
        hostcuda_copy_piece((char *)to + at, (const char *)from + at, piece);
}

#endif
