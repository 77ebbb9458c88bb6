/* bits/shared_ptr_base.h - libstdc++'s, which has __noinline__ inside of an attribute (host_defines.h). */
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
