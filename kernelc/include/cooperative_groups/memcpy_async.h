/* cooperative_groups/memcpy_async.h - copies from global to shared memory that the threads of a group begin together. */
#pragma once
#include <cooperative_groups.h>
#include <cuda_pipeline.h>
namespace cooperative_groups {
/* In pieces as large as both addresses and the size allow; the thread has each `of`-th, from `rank`. */
__device__ void __kc_copy(unsigned rank, unsigned of, char *to, const char *from, size_t bytes)
{
    const size_t low = (size_t)to | (size_t)from | bytes;
    if (low % 16 == 0)
        for (size_t i = rank * 16; i < bytes; i += of * 16) __pipeline_memcpy_async(to + i, from + i, 16);
    else if (low % 8 == 0)
        for (size_t i = rank * 8; i < bytes; i += of * 8) __pipeline_memcpy_async(to + i, from + i, 8);
    else if (low % 4 == 0)
        for (size_t i = rank * 4; i < bytes; i += of * 4) __pipeline_memcpy_async(to + i, from + i, 4);
    else
        for (size_t i = rank; i < bytes; i += of) to[i] = from[i];
}
template <typename G, typename T> __device__ void memcpy_async(const G &g, T *to, const T *from, size_t bytes)
{
    __kc_copy(g.thread_rank(), g.size(), (char *)to, (const char *)from, bytes);
    __pipeline_commit();
}
template <typename G> __device__ void wait(const G &g) { asm volatile("cp.async.wait_all;" ::: "memory"); g.sync(); }
template <int N, typename G> __device__ void wait_prior(const G &g) { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); g.sync(); }
}
