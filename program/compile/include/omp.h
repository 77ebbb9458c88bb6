/* omp.h - OpenMP's functions, of its library or, without one, for one thread. clang's own header, if there is one,
 * stands behind this one. */
#ifndef BANKSCOPE_OMP
#define BANKSCOPE_OMP

#if defined _OPENMP && __has_include_next(<omp.h>)
#include_next <omp.h>
#else
#include <time.h>

typedef enum {
    omp_sched_static = 1,
    omp_sched_dynamic,
    omp_sched_guided,
    omp_sched_auto
} omp_sched_t;
typedef struct {
    void *held;
} omp_lock_t;
typedef struct {
    void *held;
} omp_nest_lock_t;

#if defined __cplusplus
extern "C" {
#endif
#ifdef _OPENMP
#define BANKSCOPE_OMP_IS(name, value) extern int name(void);
#else
#define BANKSCOPE_OMP_IS(name, value)                                                              \
    static inline int name(void)                                                                   \
    {                                                                                              \
        return value;                                                                              \
    }
#endif
BANKSCOPE_OMP_IS(omp_get_num_threads, 1)
BANKSCOPE_OMP_IS(omp_get_max_threads, 1)
BANKSCOPE_OMP_IS(omp_get_thread_num, 0)
BANKSCOPE_OMP_IS(omp_get_num_procs, 1)
BANKSCOPE_OMP_IS(omp_get_thread_limit, 1)
BANKSCOPE_OMP_IS(omp_get_num_devices, 0)
BANKSCOPE_OMP_IS(omp_get_level, 0)
BANKSCOPE_OMP_IS(omp_in_parallel, 0)
BANKSCOPE_OMP_IS(omp_get_dynamic, 0)
BANKSCOPE_OMP_IS(omp_get_nested, 0)
#undef BANKSCOPE_OMP_IS

#ifdef _OPENMP
#define BANKSCOPE_OMP_TAKES(name, type) extern void name(type);
#else
#define BANKSCOPE_OMP_TAKES(name, type)                                                            \
    static inline void name(type ignored)                                                          \
    {                                                                                              \
        (void)ignored;                                                                             \
    }
#endif
BANKSCOPE_OMP_TAKES(omp_set_num_threads, int)
BANKSCOPE_OMP_TAKES(omp_set_dynamic, int)
BANKSCOPE_OMP_TAKES(omp_set_nested, int)
BANKSCOPE_OMP_TAKES(omp_set_max_active_levels, int)
BANKSCOPE_OMP_TAKES(omp_init_lock, omp_lock_t *)
BANKSCOPE_OMP_TAKES(omp_set_lock, omp_lock_t *)
BANKSCOPE_OMP_TAKES(omp_unset_lock, omp_lock_t *)
BANKSCOPE_OMP_TAKES(omp_destroy_lock, omp_lock_t *)
BANKSCOPE_OMP_TAKES(omp_init_nest_lock, omp_nest_lock_t *)
BANKSCOPE_OMP_TAKES(omp_set_nest_lock, omp_nest_lock_t *)
BANKSCOPE_OMP_TAKES(omp_unset_nest_lock, omp_nest_lock_t *)
BANKSCOPE_OMP_TAKES(omp_destroy_nest_lock, omp_nest_lock_t *)
#undef BANKSCOPE_OMP_TAKES

#ifdef _OPENMP
extern double omp_get_wtime(void);
extern double omp_get_wtick(void);
extern int omp_test_lock(omp_lock_t *lock);
extern int omp_test_nest_lock(omp_nest_lock_t *lock);
extern void omp_set_schedule(omp_sched_t kind, int chunk);
#else
static inline double omp_get_wtime(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
static inline double omp_get_wtick(void)
{
    return 1e-9;
}
#endif
#if defined __cplusplus
}
#endif
#endif
#endif
