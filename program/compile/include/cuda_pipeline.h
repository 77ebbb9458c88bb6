/* cuda_pipeline.h - a thread's asynchronous copies, and waiting for them. */
#ifndef BANKSCOPE_CUDA_PIPELINE_H
#define BANKSCOPE_CUDA_PIPELINE_H

#include "bankscope/copy.h"
#include "bankscope/mbarrier.h"

BANKSCOPE_DEVICE void __pipeline_memcpy_async(void *to, const void *from, size_t bytes,
                                              size_t zeros = 0)
{
    bankscope_copy_async(to, from, bytes, zeros);
}
BANKSCOPE_DEVICE void __pipeline_commit()
{
    bankscope_commit();
}
BANKSCOPE_DEVICE void __pipeline_wait_prior(size_t n)
{
    bankscope_wait_groups(n);
}
typedef unsigned long long __mbarrier_t;
typedef unsigned long long __mbarrier_token_t;
BANKSCOPE_DEVICE void __mbarrier_init(__mbarrier_t *barrier, unsigned count)
{
    bankscope_mbarrier_init(barrier, count);
}
BANKSCOPE_DEVICE void __mbarrier_inval(__mbarrier_t *barrier)
{
    bankscope_mbarrier_inval(barrier);
}
BANKSCOPE_DEVICE __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *barrier)
{
    return bankscope_mbarrier_arrive(barrier);
}
BANKSCOPE_DEVICE __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *barrier)
{
    return bankscope_mbarrier_arrive_drop(barrier);
}
BANKSCOPE_DEVICE bool __mbarrier_test_wait(__mbarrier_t *barrier, __mbarrier_token_t token)
{
    return bankscope_mbarrier_test(barrier, token);
}
BANKSCOPE_DEVICE void __pipeline_arrive_on(__mbarrier_t *barrier)
{
    bankscope_mbarrier_copies(barrier);
}

#endif
