/* barriers.h - barriers and fences that memory is not moved across. clang moves loads of static shared
 * arrays over its own __syncthreads, whose intrinsic says nothing of memory that it does not see escape:
 * an asm statement that clobbers memory is a barrier for the compiler as well. */
#ifndef BANKSCOPE_BARRIERS_H
#define BANKSCOPE_BARRIERS_H

#define BANKSCOPE_ORDER(name, parameters, ...)                                                     \
    BANKSCOPE_DEVICE void name parameters                                                          \
    {                                                                                              \
        __asm__ __volatile__(__VA_ARGS__ : "memory");                                              \
    }
BANKSCOPE_ORDER(bankscope_syncthreads, (), "bar.sync 0;" ::)
BANKSCOPE_ORDER(__syncwarp, (unsigned mask = 0xffffffff), "bar.warp.sync %0;" ::"r"(mask))
BANKSCOPE_ORDER(__threadfence, (), "membar.gl;" ::)
BANKSCOPE_ORDER(__threadfence_block, (), "membar.cta;" ::)
BANKSCOPE_ORDER(__threadfence_system, (), "membar.sys;" ::)
BANKSCOPE_ORDER(__barrier_sync, (unsigned id), "barrier.sync %0;" ::"r"(id))
BANKSCOPE_ORDER(__barrier_sync_count, (unsigned id, unsigned threads),
                "barrier.sync %0, %1;" ::"r"(id), "r"(threads))
#undef BANKSCOPE_ORDER

/* What all threads of the block say together. */
#define BANKSCOPE_ASK(name, ...)                                                                   \
    BANKSCOPE_DEVICE int name(int predicate)                                                       \
    {                                                                                              \
        int all;                                                                                   \
        __asm__ __volatile__("{ .reg .pred %%mine, %%all; setp.ne.s32 %%mine, %1, 0; " __VA_ARGS__ \
                             " }"                                                                  \
                             : "=r"(all)                                                           \
                             : "r"(predicate)                                                      \
                             : "memory");                                                          \
        return all;                                                                                \
    }
BANKSCOPE_ASK(__syncthreads_and, "bar.red.and.pred %%all, 0, %%mine; selp.s32 %0, 1, 0, %%all;")
BANKSCOPE_ASK(__syncthreads_or, "bar.red.or.pred %%all, 0, %%mine; selp.s32 %0, 1, 0, %%all;")
BANKSCOPE_ASK(__syncthreads_count, "bar.red.popc.u32 %0, 0, %%mine;")
#undef BANKSCOPE_ASK

#define __syncthreads bankscope_syncthreads /* clang has it as a builtin, which nobody can define */

#endif
