/* mbarrier.h - barriers in shared memory, by their instructions. */
#ifndef BANKSCOPE_MBARRIER_H
#define BANKSCOPE_MBARRIER_H

#include "../cuda_runtime.h"

typedef unsigned long long bankscope_mbarrier;

#define BANKSCOPE_PLACE(barrier) "r"((unsigned)__cvta_generic_to_shared(barrier))
BANKSCOPE_DEVICE void bankscope_mbarrier_init(bankscope_mbarrier *barrier, unsigned count)
{
    __asm__ __volatile__("mbarrier.init.shared.b64 [%0], %1;" ::BANKSCOPE_PLACE(barrier), "r"(count)
                         : "memory");
}
BANKSCOPE_DEVICE void bankscope_mbarrier_inval(bankscope_mbarrier *barrier)
{
    __asm__ __volatile__("mbarrier.inval.shared.b64 [%0];" ::BANKSCOPE_PLACE(barrier) : "memory");
}
#define BANKSCOPE_ARRIVE(name, instruction)                                                        \
    BANKSCOPE_DEVICE unsigned long long name(bankscope_mbarrier *barrier)                          \
    {                                                                                              \
        unsigned long long state;                                                                  \
        __asm__ __volatile__("mbarrier." instruction ".shared.b64 %0, [%1];"                       \
                             : "=l"(state)                                                         \
                             : BANKSCOPE_PLACE(barrier)                                            \
                             : "memory");                                                          \
        return state;                                                                              \
    }
BANKSCOPE_ARRIVE(bankscope_mbarrier_arrive, "arrive")
BANKSCOPE_ARRIVE(bankscope_mbarrier_arrive_drop, "arrive_drop")
#undef BANKSCOPE_ARRIVE
/* Several arrivals of one thread. */
BANKSCOPE_DEVICE unsigned long long bankscope_mbarrier_arrive(bankscope_mbarrier *barrier,
                                                              unsigned count)
{
    unsigned long long state;
    if (count > 1)
        __asm__ __volatile__("mbarrier.arrive.noComplete.shared.b64 %0, [%1], %2;"
                             : "=l"(state)
                             : BANKSCOPE_PLACE(barrier), "r"(count - 1)
                             : "memory");
    return bankscope_mbarrier_arrive(barrier);
}
/* Whether the phase that the state is of has ended; or the one of that parity. */
BANKSCOPE_DEVICE bool bankscope_mbarrier_test(bankscope_mbarrier *barrier, unsigned long long state)
{
    int ended;
    __asm__ __volatile__("{ .reg .pred %%p; mbarrier.test_wait.shared.b64 %%p, [%1], %2; "
                         "selp.s32 %0, 1, 0, %%p; }"
                         : "=r"(ended)
                         : BANKSCOPE_PLACE(barrier), "l"(state)
                         : "memory");
    return ended;
}
BANKSCOPE_DEVICE bool bankscope_mbarrier_test_parity(bankscope_mbarrier *barrier, unsigned parity)
{
    int ended;
    __asm__ __volatile__("{ .reg .pred %%p; mbarrier.test_wait.parity.shared.b64 %%p, [%1], %2; "
                         "selp.s32 %0, 1, 0, %%p; }"
                         : "=r"(ended)
                         : BANKSCOPE_PLACE(barrier), "r"(parity)
                         : "memory");
    return ended;
}
/* The phase does not end before the copies that this thread has begun. */
BANKSCOPE_DEVICE void bankscope_mbarrier_copies(bankscope_mbarrier *barrier)
{
    __asm__ __volatile__("cp.async.mbarrier.arrive.shared.b64 [%0];" ::BANKSCOPE_PLACE(barrier)
                         : "memory");
}
#undef BANKSCOPE_PLACE

#endif
