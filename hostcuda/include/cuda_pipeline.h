/* cuda_pipeline.h - a thread's asynchronous copies: each is done at once, so there is nothing to wait
 * for. */
#ifndef HOSTCUDA_CUDA_PIPELINE_H
#define HOSTCUDA_CUDA_PIPELINE_H

#include "hostcuda_copy.h"

/* bytes: 4, 8 or 16; the last `zeros` of them are cleared instead of copied. */
HOSTCUDA_INLINE void __pipeline_memcpy_async(void *to, const void *from, size_t bytes,
                                             size_t zeros = 0)
{
    hostcuda_copy_piece(HOSTCUDA_ASYNC_STORE, to, from, bytes, zeros);
}
HOSTCUDA_INLINE void __pipeline_commit()
{
}
HOSTCUDA_INLINE void __pipeline_wait_prior(size_t)
{
}

#endif
