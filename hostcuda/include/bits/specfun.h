/* specfun.h - stands before libstdc++'s header of that name, which <cmath> includes. Its functions (Bessel's,
 * Legendre's, ...) take a third of the time to compile a small program, whether the program calls one or not:
 * it gets them if it names one (hostcuda_special.h). */
#ifdef HOSTCUDA_SPECIAL
#include_next <bits/specfun.h>
#endif
