/* patches.cu - what Compute Sanitizer calls before each instruction of a program that touches shared
 * memory, or global memory if that is asked for. nvcc compiles it with --compile-as-tools-patch; inject.c adds it to the program's modules.
 *
 * The lanes that execute an instruction together call together, so that the active mask is the
 * instruction's. One of them takes a record, and all write their addresses into it.
 */
#include "gpu_record.h"

#include <sanitizer_patching.h>

/* The driver's number for the launch: that of Sanitizer_LaunchData. */
static __device__ uint32_t grid_number(void)
{
    uint64_t grid;
    asm("mov.u64 %0, %%gridid;" : "=l"(grid));
    return (uint32_t)grid;
}

static __device__ void drop(struct gpu_buffer *buffer, unsigned long long records)
{
    atomicAdd(&buffer->dropped[grid_number() % GPU_SLOTS], records);
}

static __device__ void take(void *userdata, uint64_t pc, uint32_t address, uint32_t bytes, int kind)
{
    struct gpu_buffer *buffer = (struct gpu_buffer *)userdata;
    uint64_t block =
        blockIdx.x + (uint64_t)gridDim.x * (blockIdx.y + (uint64_t)gridDim.y * blockIdx.z);
    if (!buffer || block < buffer->first || block > buffer->last)
        return;
    uint32_t thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    uint32_t lane = thread % GPU_LANES, mask = __activemask();
    int leader = __ffs((int)mask) - 1;
    unsigned long long at = 0;
    if ((int)lane == leader)
        at = atomicAdd(&buffer->used, 1ull);
    at = __shfl_sync(mask, at, leader);
    if (at >= buffer->most) {
        if ((int)lane == leader)
            drop(buffer, 1);
        return;
    }
    struct gpu_record *record = buffer->record + at;
    if ((int)lane == leader) {
        record->pc = pc;
        record->mask = mask;
        record->block = (uint32_t)block;
        record->warp = (uint16_t)(thread / GPU_LANES);
        record->kind = (uint8_t)kind;
        record->bytes = (uint8_t)bytes;
        record->grid = grid_number();
    }
    record->addr[lane] = address;
}

/* An access to global memory: two records, one behind the other. */
static __device__ void take_global(void *userdata, uint64_t pc, uint64_t address, uint32_t bytes,
                                   int kind)
{
    struct gpu_buffer *buffer = (struct gpu_buffer *)userdata;
    uint64_t block =
        blockIdx.x + (uint64_t)gridDim.x * (blockIdx.y + (uint64_t)gridDim.y * blockIdx.z);
    if (!buffer || block < buffer->first || block > buffer->last)
        return;
    uint32_t thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    uint32_t lane = thread % GPU_LANES, mask = __activemask();
    int leader = __ffs((int)mask) - 1;
    unsigned long long at = 0;
    if ((int)lane == leader)
        at = atomicAdd(&buffer->used, 2ull);
    at = __shfl_sync(mask, at, leader);
    const bool both = at + 1 < buffer->most;
    if (!both && (int)lane == leader)
        drop(buffer, at < buffer->most ? 1 : 2);
    if (at >= buffer->most)
        return;
    for (int half = 0; half < (both ? 2 : 1); half++) {
        struct gpu_record *record = buffer->record + at + half;
        if ((int)lane == leader) {
            record->pc = pc;
            record->mask = mask;
            record->block = (uint32_t)block;
            record->warp = (uint16_t)(thread / GPU_LANES);
            record->kind = (uint8_t)(half ? GPU_HIGH : both ? kind : GPU_NOTHING);
            record->bytes = (uint8_t)bytes;
            record->grid = grid_number();
        }
        record->addr[lane] = (uint32_t)(half ? address >> 32 : address);
    }
}

extern "C" __device__ __noinline__ SanitizerPatchResult bankscope_global(
    void *userdata, uint64_t pc, void *at, uint32_t bytes, uint32_t flags, const void *value)
{
    (void)value;
    bool reads = flags & SANITIZER_MEMORY_DEVICE_FLAG_READ;
    bool writes = flags & SANITIZER_MEMORY_DEVICE_FLAG_WRITE;
    if (reads || writes) /* else it is a prefetch */
        take_global(userdata, pc, (uint64_t)at, bytes,
                    reads && writes ? GPU_GLOBAL_ATOMIC
                    : writes        ? GPU_GLOBAL_STORE
                                    : GPU_GLOBAL_LOAD);
    return SANITIZER_PATCH_SUCCESS;
}

/* An asynchronous copy of which both sides are recorded. */
extern "C" __device__ __noinline__ SanitizerPatchResult bankscope_both(void *userdata, uint64_t pc,
                                                                       void *from, uint32_t to,
                                                                       uint32_t bytes)
{
    take_global(userdata, pc, (uint64_t)from, bytes, GPU_GLOBAL_COPY);
    take(userdata, pc, to, bytes, GPU_COPY);
    return SANITIZER_PATCH_SUCCESS;
}

extern "C" __device__ __noinline__ SanitizerPatchResult bankscope_access(
    void *userdata, uint64_t pc, void *at, uint32_t bytes, uint32_t flags, const void *value)
{
    (void)value;
    bool reads = flags & SANITIZER_MEMORY_DEVICE_FLAG_READ;
    bool writes = flags & SANITIZER_MEMORY_DEVICE_FLAG_WRITE;
    take(userdata, pc, (uint32_t)(uint64_t)at, bytes,
         reads && writes ? GPU_ATOMIC
         : writes        ? GPU_STORE
                         : GPU_LOAD);
    return SANITIZER_PATCH_SUCCESS;
}

extern "C" __device__ __noinline__ SanitizerPatchResult bankscope_copy(void *userdata, uint64_t pc,
                                                                       void *from, uint32_t to,
                                                                       uint32_t bytes)
{
    (void)from;
    take(userdata, pc, to, bytes, GPU_COPY);
    return SANITIZER_PATCH_SUCCESS;
}

extern "C" __device__ __noinline__ SanitizerPatchResult
bankscope_matrix(void *userdata, uint64_t pc, uint32_t at, uint32_t bytes, uint32_t flags,
                 uint32_t matrices, const void *value)
{
    (void)value;
    uint32_t lane =
        (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % GPU_LANES;
    if (lane < 8 * matrices)
        take(userdata, pc, at, bytes,
             flags & SANITIZER_MEMORY_DEVICE_FLAG_WRITE ? GPU_MATRIX_STORE : GPU_MATRIX_LOAD);
    return SANITIZER_PATCH_SUCCESS;
}

extern "C" __device__ __noinline__ SanitizerPatchResult
bankscope_barrier(void *userdata, uint64_t pc, uint32_t barrier, uint32_t threads, uint32_t flags)
{
    (void)barrier, (void)threads, (void)flags;
    take(userdata, pc, 0, 0, GPU_BARRIER);
    return SANITIZER_PATCH_SUCCESS;
}
