/* simt_bare.h - simt.h for CUDA without records: LOAD and STORE are plain accesses; the other macros
 * produce no instructions. This is the build that is timed. */
#ifndef BANKSCOPE_SIMT_BARE_H
#define BANKSCOPE_SIMT_BARE_H

#include "instrument/simt_cuda.h"

#define SIMT_BUILD(name) simt_bare_##name
#define SIMT_WHERE
#define SIMT_THERE
#define SIMT_COUNTER(name) NULL

struct simt {
    unsigned shared_used;
};
SIMT_INLINE void simt_begin(struct simt &s, bool, int)
{
    s.shared_used = 0;
}
SIMT_INLINE void simt_end(struct simt &)
{
}
#define STAGE(s) ((void)(stage_##s))
#define ROUND(j) ((void)(j))
#define SLOT(k) ((void)(k))
#define GUARD(base, first, count) ((void)(first), (void)(count))
#define REGISTERS(type, name, count) type name[SIMT_REGISTERS]

/* No instruction comes of the asm: it says that the value is used here, or nvcc would put the load
 * off to where, and for which threads, its value is wanted. */
template <class T> SIMT_INLINE T simt_load(const T *at)
{
    T value = *at;
    if constexpr (sizeof(T) == 4)
        asm volatile("" : "+r"(value));
    else if constexpr (sizeof(T) == 8)
        asm volatile("" : "+l"(value));
    return value;
}
#define LOAD_TAG(base, i, tag) ((void)(tag), simt_load(&(base)[i]))
#define STORE_TAG(base, i, v, tag) ((void)(tag), (void)((base)[i] = (v)))
#define FILL(base, i, v) ((void)((base)[i] = (v)))

#endif
