/* clock() - for a kernel the cycles of this processor, for the rest of the program what it always is.
 * The linker takes this one before the C library's. */
#include "runtime.h"
#include <time.h>

static clock_t cycles(void)
{
#if defined(__x86_64__)
    return (clock_t)__builtin_ia32_rdtsc();
#else
    struct timespec now; /* nanoseconds, where the cycles are the system's alone */
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (clock_t)now.tv_sec * 1000000000 + now.tv_nsec;
#endif
}

clock_t clock(void)
{
    if (hostcuda_in_kernel)
        return cycles();
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (clock_t)used.tv_sec * CLOCKS_PER_SEC + used.tv_nsec / (1000000000 / CLOCKS_PER_SEC);
}
