/* bulk.h - bulk copies and tensor maps, by their instructions. */
#ifndef BANKSCOPE_BULK_H
#define BANKSCOPE_BULK_H

#include "../cuda.h"
#include "mbarrier.h"

#define BANKSCOPE_SHARED(at) "r"((unsigned)__cvta_generic_to_shared(at))
#define BANKSCOPE_GLOBAL(at) "l"((unsigned long long)__cvta_generic_to_global(at))

BANKSCOPE_DEVICE void bankscope_bulk_load(void *to, const void *from, unsigned bytes,
                                          bankscope_mbarrier *barrier)
{
    __asm__ __volatile__(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            BANKSCOPE_SHARED(to),
        BANKSCOPE_GLOBAL(from), "r"(bytes), BANKSCOPE_SHARED(barrier)
        : "memory");
}
BANKSCOPE_DEVICE void bankscope_bulk_store(void *to, const void *from, unsigned bytes)
{
    __asm__ __volatile__(
        "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::BANKSCOPE_GLOBAL(to),
        BANKSCOPE_SHARED(from), "r"(bytes)
        : "memory");
}
BANKSCOPE_DEVICE void bankscope_bulk_commit()
{
    __asm__ __volatile__("cp.async.bulk.commit_group;" ::: "memory");
}
template <int Left> BANKSCOPE_DEVICE void bankscope_bulk_wait()
{
    __asm__ __volatile__("cp.async.bulk.wait_group %0;" ::"n"(Left) : "memory");
}
template <int Left> BANKSCOPE_DEVICE void bankscope_bulk_wait_read()
{
    __asm__ __volatile__("cp.async.bulk.wait_group.read %0;" ::"n"(Left) : "memory");
}
BANKSCOPE_DEVICE void bankscope_fence_proxy_async()
{
    __asm__ __volatile__("fence.proxy.async;" ::: "memory");
}
BANKSCOPE_DEVICE void bankscope_expect_bytes(bankscope_mbarrier *barrier, unsigned bytes)
{
    __asm__ __volatile__(
        "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::BANKSCOPE_SHARED(barrier),
        "r"(bytes)
        : "memory");
}

#define BANKSCOPE_BOX(n, places, values, ...)                                                      \
    BANKSCOPE_DEVICE void bankscope_box_load(void *to, const CUtensorMap *map, __VA_ARGS__,        \
                                             bankscope_mbarrier *barrier)                          \
    {                                                                                              \
        __asm__ __volatile__("cp.async.bulk.tensor." #n                                            \
                             "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "   \
                             "[%1, {" places "}], [%2];" ::BANKSCOPE_SHARED(to),                   \
                             "l"(map), BANKSCOPE_SHARED(barrier), BANKSCOPE_UNPACK values          \
                             : "memory");                                                          \
    }                                                                                              \
    BANKSCOPE_DEVICE void bankscope_box_store(const CUtensorMap *map, __VA_ARGS__,                 \
                                              const void *from, int)                               \
    {                                                                                              \
        __asm__ __volatile__("cp.async.bulk.tensor." #n                                            \
                             "d.global.shared::cta.tile.bulk_group [%1, {" places                  \
                             "}], [%0];" ::BANKSCOPE_SHARED(from),                                 \
                             "l"(map), "r"(0), BANKSCOPE_UNPACK values                             \
                             : "memory");                                                          \
    }
#define BANKSCOPE_UNPACK(...) __VA_ARGS__
BANKSCOPE_BOX(1, "%3", ("r"(x)), int x)
BANKSCOPE_BOX(2, "%3, %4", ("r"(x), "r"(y)), int x, int y)
BANKSCOPE_BOX(3, "%3, %4, %5", ("r"(x), "r"(y), "r"(z)), int x, int y, int z)
BANKSCOPE_BOX(4, "%3, %4, %5, %6", ("r"(x), "r"(y), "r"(z), "r"(u)), int x, int y, int z, int u)
BANKSCOPE_BOX(5, "%3, %4, %5, %6, %7", ("r"(x), "r"(y), "r"(z), "r"(u), "r"(v)), int x, int y,
              int z, int u, int v)
#undef BANKSCOPE_BOX
#undef BANKSCOPE_UNPACK
#undef BANKSCOPE_SHARED
#undef BANKSCOPE_GLOBAL

#endif
