/* missing.h - functions of the toolkit's libraries, which are declared so that a program that names them
 * compiles: one that is called ends the program with a line. */
#ifndef BANKSCOPE_MISSING_H
#define BANKSCOPE_MISSING_H

#include "../cuda_runtime.h"
#include "../cuComplex.h"
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
__attribute__((noreturn)) inline void bankscope_missing(const char *function)
{
    fflush(stdout);
    fprintf(stderr,
            "bankscope: %s is not available on this machine: only kernels that the program brings "
            "itself "
            "run here\n",
            function);
    exit(1);
}
#define BANKSCOPE_MISSING(type, name)                                                              \
    template <typename... Values> inline type name(Values &&...)                                   \
    {                                                                                              \
        bankscope_missing(#name);                                                                  \
    }
#else
#define BANKSCOPE_MISSING(type, name) type name();
#endif

#endif
