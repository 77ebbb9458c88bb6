/* hostcuda_special.h - the special functions of C++17, for programs that name one (bits/specfun.h). */
#define HOSTCUDA_SPECIAL
#include <cmath>
#if _GLIBCXX_USE_STD_SPEC_FUNCS
#include <bits/specfun.h>
#endif
