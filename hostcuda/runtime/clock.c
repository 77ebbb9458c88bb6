/* clock() - for a kernel the cycles of this processor, for the rest of the program what it always is.
 * The linker takes this one before the C library's. */
#include "runtime.h"
#include <time.h>

clock_t clock(void)
{
    if (hostcuda_in_kernel)
        return (clock_t)__builtin_ia32_rdtsc();
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (clock_t)used.tv_sec * CLOCKS_PER_SEC + used.tv_nsec / (1000000000 / CLOCKS_PER_SEC);
}
