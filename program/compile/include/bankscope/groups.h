/* groups.h - what groups of threads stand on: the barrier of a grid, the board on which the warps of a large
 * tile leave marks and values, and shuffles of any type. All of it is done as nvcc's code does it. */
#ifndef BANKSCOPE_GROUPS_H
#define BANKSCOPE_GROUPS_H

#include "../cuda_runtime.h"

/* ---- accesses with an order ------------------------------------------------------------------- */

#define BANKSCOPE_UPDATE(name, instruction)                                                        \
    BANKSCOPE_DEVICE unsigned name(unsigned *at, unsigned value)                                   \
    {                                                                                              \
        unsigned old;                                                                              \
        __asm__ __volatile__(instruction " %0, [%1], %2;"                                          \
                             : "=r"(old)                                                           \
                             : "l"(at), "r"(value)                                                 \
                             : "memory");                                                          \
        return old;                                                                                \
    }
BANKSCOPE_UPDATE(bankscope_add_release, "atom.add.release.gpu.u32")
BANKSCOPE_UPDATE(bankscope_or_ordered, "atom.or.acq_rel.cta.b32")
#undef BANKSCOPE_UPDATE
#define BANKSCOPE_UPDATE(name, instruction)                                                        \
    BANKSCOPE_DEVICE void name(unsigned *at, unsigned value)                                       \
    {                                                                                              \
        __asm__ __volatile__(instruction " [%0], %1;" ::"l"(at), "r"(value) : "memory");           \
    }
BANKSCOPE_UPDATE(bankscope_and_release, "red.and.release.cta.b32")
#undef BANKSCOPE_UPDATE
#define BANKSCOPE_UPDATE(name, instruction)                                                        \
    BANKSCOPE_DEVICE unsigned name(const unsigned *at)                                             \
    {                                                                                              \
        unsigned value;                                                                            \
        __asm__ __volatile__(instruction " %0, [%1];" : "=r"(value) : "l"(at) : "memory");         \
        return value;                                                                              \
    }
BANKSCOPE_UPDATE(bankscope_load_grid, "ld.acquire.gpu.u32")
BANKSCOPE_UPDATE(bankscope_load_block, "ld.acquire.cta.u32")
#undef BANKSCOPE_UPDATE

/* ---- the grid ---------------------------------------------------------------------------------- */

/* The memory of a cooperative launch, whose address the launch leaves in two registers: the second word
 * is the grid's barrier. 0: the launch is not cooperative. */
BANKSCOPE_DEVICE unsigned *bankscope_workspace()
{
    unsigned low, high;
    __asm__("mov.u32 %0, %%envreg2;" : "=r"(low));
    __asm__("mov.u32 %0, %%envreg1;" : "=r"(high));
    return (unsigned *)((unsigned long long)high << 32 | low);
}
/* The barrier's upper bit turns over when all blocks have added: block 0 adds what is missing to it. */
BANKSCOPE_DEVICE void bankscope_sync_grid()
{
    unsigned *workspace = bankscope_workspace();
    if (!workspace)
        __asm__ __volatile__("trap;");
    __syncthreads();
    if (bankscope_thread() == 0) {
        bool first = blockIdx.x + blockIdx.y + blockIdx.z == 0;
        unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
        unsigned before =
            bankscope_add_release(workspace + 1, first ? 0x80000000 - (blocks - 1) : 1);
        while (((bankscope_load_grid(workspace + 1) ^ before) & 0x80000000) == 0)
            ;
    }
    __syncthreads();
}

/* ---- tiles of several warps ---------------------------------------------------------------------- */

/* The board: shared memory that the system keeps for it. A word with a bit for each warp, and from byte
 * 32 on, 8 bytes for each. */
BANKSCOPE_DEVICE unsigned *bankscope_board()
{
    unsigned at;
    __asm__("mov.u32 %0, %%reserved_smem_offset_1;" : "=r"(at));
    return (unsigned *)__cvta_shared_to_generic(at);
}
BANKSCOPE_DEVICE unsigned long long *bankscope_slot(unsigned warp)
{
    return (unsigned long long *)(void *)(bankscope_board() + 8) + warp;
}
/* Takes the warps' marks off, before the first use. */
BANKSCOPE_DEVICE void bankscope_clear_board()
{
    __syncwarp();
    if (bankscope_thread() % 32 == 0)
        bankscope_and_release(bankscope_board(), ~(1u << bankscope_thread() / 32));
    __syncthreads();
}
/* The warps from..from + count - 1 meet: the last one to come takes all marks off. */
BANKSCOPE_DEVICE void bankscope_sync_warps(unsigned from, unsigned count)
{
    unsigned all = (count == 32 ? ~0u : (1u << count) - 1) << from;
    unsigned mine = 1u << bankscope_thread() / 32, *board = bankscope_board();
    __syncwarp();
    if (bankscope_thread() % 32 == 0) {
        unsigned there = bankscope_or_ordered(board, mine) | mine;
        if ((there & all) == all)
            bankscope_and_release(board, ~all);
        else
            while (bankscope_load_block(board) & mine)
                ;
    }
    __syncwarp();
}

/* ---- shuffles of any type --------------------------------------------------------------------------- */

#define BANKSCOPE_MOVE(name, shuffle, operand)                                                     \
    template <typename T>                                                                          \
    BANKSCOPE_DEVICE T name(unsigned mask, const T &value, operand lane, int width)                \
    {                                                                                              \
        if constexpr (std::is_arithmetic<T>::value && sizeof(T) >= 4)                              \
            return shuffle(mask, value, lane, width);                                              \
        int word[(sizeof(T) + 3) / 4] = {};                                                        \
        alignas(T) unsigned char moved[sizeof(T)];                                                 \
        __builtin_memcpy(word, &value, sizeof value);                                              \
        for (int &one : word)                                                                      \
            one = shuffle(mask, one, lane, width);                                                 \
        __builtin_memcpy(moved, word, sizeof moved);                                               \
        return *reinterpret_cast<T *>(moved);                                                      \
    }
BANKSCOPE_MOVE(bankscope_shfl, __shfl_sync, int)
BANKSCOPE_MOVE(bankscope_shfl_up, __shfl_up_sync, unsigned)
BANKSCOPE_MOVE(bankscope_shfl_down, __shfl_down_sync, unsigned)
BANKSCOPE_MOVE(bankscope_shfl_xor, __shfl_xor_sync, int)
#undef BANKSCOPE_MOVE

#endif
