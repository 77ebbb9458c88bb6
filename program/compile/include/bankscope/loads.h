/* loads.h - loads and stores of global memory with a hint for the caches: the instructions themselves. */
#ifndef BANKSCOPE_LOADS_H
#define BANKSCOPE_LOADS_H

/* __ldg is a load like any other to clang, which may keep and move it. */
#define BANKSCOPE_LDG(type, suffix)                                                                \
    BANKSCOPE_DEVICE type __ldg(const type *at)                                                    \
    {                                                                                              \
        return (type)__nvvm_ldg_##suffix(at);                                                      \
    }
BANKSCOPE_LDG(char, c)
BANKSCOPE_LDG(short, s)
BANKSCOPE_LDG(int, i)
BANKSCOPE_LDG(long, l)
BANKSCOPE_LDG(long long, ll)
BANKSCOPE_LDG(unsigned char, uc)
BANKSCOPE_LDG(unsigned short, us)
BANKSCOPE_LDG(unsigned int, ui)
BANKSCOPE_LDG(unsigned long, ul)
BANKSCOPE_LDG(unsigned long long, ull)
BANKSCOPE_LDG(float, f)
BANKSCOPE_LDG(double, d)
#undef BANKSCOPE_LDG
BANKSCOPE_DEVICE signed char __ldg(const signed char *at)
{
    return (signed char)__nvvm_ldg_uc((const unsigned char *)at);
}
#define BANKSCOPE_LDG(type, element, suffix)                                                       \
    BANKSCOPE_DEVICE type __ldg(const type *at)                                                    \
    {                                                                                              \
        typedef element bankscope_vector                                                           \
            __attribute__((ext_vector_type(sizeof(type) / sizeof(element))));                      \
        return __builtin_bit_cast(type, __nvvm_ldg_##suffix((const bankscope_vector *)at));        \
    }
BANKSCOPE_LDG(char2, char, c2)
BANKSCOPE_LDG(char4, char, c4)
BANKSCOPE_LDG(short2, short, s2)
BANKSCOPE_LDG(short4, short, s4)
BANKSCOPE_LDG(int2, int, i2)
BANKSCOPE_LDG(int4, int, i4)
BANKSCOPE_LDG(longlong2, long long, ll2)
BANKSCOPE_LDG(uchar2, unsigned char, uc2)
BANKSCOPE_LDG(uchar4, unsigned char, uc4)
BANKSCOPE_LDG(ushort2, unsigned short, us2)
BANKSCOPE_LDG(ushort4, unsigned short, us4)
BANKSCOPE_LDG(uint2, unsigned int, ui2)
BANKSCOPE_LDG(uint4, unsigned int, ui4)
BANKSCOPE_LDG(ulonglong2, unsigned long long, ull2)
BANKSCOPE_LDG(float2, float, f2)
BANKSCOPE_LDG(float4, float, f4)
BANKSCOPE_LDG(double2, double, d2)
#undef BANKSCOPE_LDG

/* type; its register, of how many bits that holds it; the constraint; the instruction's type */
#define BANKSCOPE_EACH_SCALAR(DO, hint)                                                            \
    DO(hint, char, int, "r", "s8")                                                                 \
    DO(hint, signed char, int, "r", "s8")                                                          \
    DO(hint, short, short, "h", "s16")                                                             \
    DO(hint, int, int, "r", "s32")                                                                 \
    DO(hint, long, long, "l", "s64")                                                               \
    DO(hint, long long, long long, "l", "s64")                                                     \
    DO(hint, unsigned char, unsigned, "r", "u8")                                                   \
    DO(hint, unsigned short, unsigned short, "h", "u16")                                           \
    DO(hint, unsigned int, unsigned, "r", "u32")                                                   \
    DO(hint, unsigned long, unsigned long, "l", "u64")                                             \
    DO(hint, unsigned long long, unsigned long long, "l", "u64")                                   \
    DO(hint, float, float, "f", "f32")                                                             \
    DO(hint, double, double, "d", "f64")
#define BANKSCOPE_EACH_PAIR(DO, hint)                                                              \
    DO(hint, char2, char, int, "r", "s8")                                                          \
    DO(hint, short2, short, short, "h", "s16")                                                     \
    DO(hint, int2, int, int, "r", "s32")                                                           \
    DO(hint, longlong2, long long, long long, "l", "s64")                                          \
    DO(hint, uchar2, unsigned char, unsigned, "r", "u8")                                           \
    DO(hint, ushort2, unsigned short, unsigned short, "h", "u16")                                  \
    DO(hint, uint2, unsigned, unsigned, "r", "u32")                                                \
    DO(hint, ulonglong2, unsigned long long, unsigned long long, "l", "u64")                       \
    DO(hint, float2, float, float, "f", "f32")                                                     \
    DO(hint, double2, double, double, "d", "f64")
#define BANKSCOPE_EACH_FOUR(DO, hint)                                                              \
    DO(hint, char4, char, int, "r", "s8")                                                          \
    DO(hint, short4, short, short, "h", "s16")                                                     \
    DO(hint, int4, int, int, "r", "s32")                                                           \
    DO(hint, uchar4, unsigned char, unsigned, "r", "u8")                                           \
    DO(hint, ushort4, unsigned short, unsigned short, "h", "u16")                                  \
    DO(hint, uint4, unsigned, unsigned, "r", "u32")                                                \
    DO(hint, float4, float, float, "f", "f32")

#define BANKSCOPE_LOAD(hint, type, wide, letter, suffix)                                           \
    BANKSCOPE_DEVICE type __ld##hint(const type *at)                                               \
    {                                                                                              \
        wide x;                                                                                    \
        __asm__ __volatile__("ld.global." #hint "." suffix " %0, [%1];"                            \
                             : "=" letter(x)                                                       \
                             : "l"(at)                                                             \
                             : "memory");                                                          \
        return (type)x;                                                                            \
    }
#define BANKSCOPE_LOAD2(hint, type, element, wide, letter, suffix)                                 \
    BANKSCOPE_DEVICE type __ld##hint(const type *at)                                               \
    {                                                                                              \
        wide x, y;                                                                                 \
        __asm__ __volatile__("ld.global." #hint ".v2." suffix " {%0, %1}, [%2];"                   \
                             : "=" letter(x), "=" letter(y)                                        \
                             : "l"(at)                                                             \
                             : "memory");                                                          \
        return type{(element)x, (element)y};                                                       \
    }
#define BANKSCOPE_LOAD4(hint, type, element, wide, letter, suffix)                                 \
    BANKSCOPE_DEVICE type __ld##hint(const type *at)                                               \
    {                                                                                              \
        wide x, y, z, w;                                                                           \
        __asm__ __volatile__("ld.global." #hint ".v4." suffix " {%0, %1, %2, %3}, [%4];"           \
                             : "=" letter(x), "=" letter(y), "=" letter(z), "=" letter(w)          \
                             : "l"(at)                                                             \
                             : "memory");                                                          \
        return type{(element)x, (element)y, (element)z, (element)w};                               \
    }
#define BANKSCOPE_STORE(hint, type, wide, letter, suffix)                                          \
    BANKSCOPE_DEVICE void __st##hint(type *at, type value)                                         \
    {                                                                                              \
        __asm__ __volatile__("st.global." #hint "." suffix " [%0], %1;" ::"l"(at),                 \
                             letter((wide)value)                                                   \
                             : "memory");                                                          \
    }
#define BANKSCOPE_STORE2(hint, type, element, wide, letter, suffix)                                \
    BANKSCOPE_DEVICE void __st##hint(type *at, type value)                                         \
    {                                                                                              \
        __asm__ __volatile__("st.global." #hint ".v2." suffix " [%0], {%1, %2};" ::"l"(at),        \
                             letter((wide)value.x), letter((wide)value.y)                          \
                             : "memory");                                                          \
    }
#define BANKSCOPE_STORE4(hint, type, element, wide, letter, suffix)                                \
    BANKSCOPE_DEVICE void __st##hint(type *at, type value)                                         \
    {                                                                                              \
        __asm__ __volatile__("st.global." #hint ".v4." suffix                                      \
                             " [%0], {%1, %2, %3, %4};" ::"l"(at),                                 \
                             letter((wide)value.x), letter((wide)value.y), letter((wide)value.z),  \
                             letter((wide)value.w)                                                 \
                             : "memory");                                                          \
    }
#define BANKSCOPE_LOADS(hint)                                                                      \
    BANKSCOPE_EACH_SCALAR(BANKSCOPE_LOAD, hint)                                                    \
    BANKSCOPE_EACH_PAIR(BANKSCOPE_LOAD2, hint)                                                     \
    BANKSCOPE_EACH_FOUR(BANKSCOPE_LOAD4, hint)
#define BANKSCOPE_STORES(hint)                                                                     \
    BANKSCOPE_EACH_SCALAR(BANKSCOPE_STORE, hint)                                                   \
    BANKSCOPE_EACH_PAIR(BANKSCOPE_STORE2, hint)                                                    \
    BANKSCOPE_EACH_FOUR(BANKSCOPE_STORE4, hint)
BANKSCOPE_LOADS(ca)
BANKSCOPE_LOADS(cg)
BANKSCOPE_LOADS(cs)
BANKSCOPE_LOADS(lu)
BANKSCOPE_LOADS(cv)
BANKSCOPE_STORES(wb)
BANKSCOPE_STORES(cg)
BANKSCOPE_STORES(cs)
BANKSCOPE_STORES(wt)
#undef BANKSCOPE_LOADS
#undef BANKSCOPE_STORES
#undef BANKSCOPE_LOAD
#undef BANKSCOPE_LOAD2
#undef BANKSCOPE_LOAD4
#undef BANKSCOPE_STORE
#undef BANKSCOPE_STORE2
#undef BANKSCOPE_STORE4
#undef BANKSCOPE_EACH_SCALAR
#undef BANKSCOPE_EACH_PAIR
#undef BANKSCOPE_EACH_FOUR

#endif
