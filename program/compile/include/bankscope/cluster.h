/* cluster.h - blocks of a cluster, by their instructions. */
#ifndef BANKSCOPE_CLUSTER_H
#define BANKSCOPE_CLUSTER_H

#include "../cuda_runtime.h"

#define BANKSCOPE_SPECIAL(name, special)                                                           \
    BANKSCOPE_DEVICE unsigned name()                                                               \
    {                                                                                              \
        unsigned value;                                                                            \
        __asm__("mov.u32 %0, %%" special ";" : "=r"(value));                                       \
        return value;                                                                              \
    }
BANKSCOPE_SPECIAL(bankscope_cluster_rank, "cluster_ctarank")
BANKSCOPE_SPECIAL(bankscope_cluster_blocks, "cluster_nctarank")
BANKSCOPE_SPECIAL(bankscope_cluster_x, "cluster_ctaid.x")
BANKSCOPE_SPECIAL(bankscope_cluster_y, "cluster_ctaid.y")
BANKSCOPE_SPECIAL(bankscope_cluster_z, "cluster_ctaid.z")
BANKSCOPE_SPECIAL(bankscope_cluster_width, "cluster_nctaid.x")
BANKSCOPE_SPECIAL(bankscope_cluster_height, "cluster_nctaid.y")
BANKSCOPE_SPECIAL(bankscope_cluster_depth, "cluster_nctaid.z")
#undef BANKSCOPE_SPECIAL

BANKSCOPE_DEVICE void bankscope_cluster_arrive()
{
    __asm__ __volatile__("barrier.cluster.arrive.release;" ::: "memory");
}
BANKSCOPE_DEVICE void bankscope_cluster_wait()
{
    __asm__ __volatile__("barrier.cluster.wait.acquire;" ::: "memory");
}
/* The same place in the shared memory of that block. */
BANKSCOPE_DEVICE unsigned long long bankscope_cluster_map(const void *at, unsigned rank)
{
    unsigned long long mapped;
    __asm__("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(at), "r"(rank));
    return mapped;
}
BANKSCOPE_DEVICE unsigned bankscope_cluster_rank_of(const void *at)
{
    unsigned rank;
    __asm__("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(at));
    return rank;
}

#endif
