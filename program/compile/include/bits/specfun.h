/* bits/specfun.h - libstdc++'s special functions (Bessel's, ...), which clang would compile each time and for
 * both sides: only for a program that asks for them. */
#ifdef BANKSCOPE_SPECIAL
#include_next <bits/specfun.h>
#endif
