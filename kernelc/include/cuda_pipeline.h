/* cuda_pipeline.h - asynchronous copies from global to shared memory, in groups. */
#pragma once
__device__ void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(to), there = (unsigned)(bytes - zeros);
    const size_t source = __cvta_generic_to_global(from);
    if (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(source), "r"(there) : "memory");
    else if (bytes == 8)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(at), "l"(source), "r"(there) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at), "l"(source), "r"(there) : "memory");
}
__device__ void __pipeline_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
__device__ void __pipeline_wait_prior(size_t groups) { asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory"); }
