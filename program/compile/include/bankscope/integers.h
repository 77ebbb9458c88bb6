/* integers.h - instructions on integers that clang's own headers lack or have in another form. */
#ifndef BANKSCOPE_INTEGERS_H
#define BANKSCOPE_INTEGERS_H

#define BANKSCOPE_THREE(name, type, first, second, third, instruction)                             \
    BANKSCOPE_DEVICE type name(first a, second b, third c)                                         \
    {                                                                                              \
        type result;                                                                               \
        __asm__(instruction " %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));           \
        return result;                                                                             \
    }
#define BANKSCOPE_SHIFT(name, instruction)                                                         \
    BANKSCOPE_THREE(name, unsigned, unsigned, unsigned, unsigned, instruction)
BANKSCOPE_SHIFT(__funnelshift_l, "shf.l.wrap.b32")
BANKSCOPE_SHIFT(__funnelshift_lc, "shf.l.clamp.b32")
BANKSCOPE_SHIFT(__funnelshift_r, "shf.r.wrap.b32")
BANKSCOPE_SHIFT(__funnelshift_rc, "shf.r.clamp.b32")
#undef BANKSCOPE_SHIFT
BANKSCOPE_THREE(__dp4a, int, int, int, int, "dp4a.s32.s32")
BANKSCOPE_THREE(__dp4a, unsigned, unsigned, unsigned, unsigned, "dp4a.u32.u32")
BANKSCOPE_THREE(__dp2a_lo, int, int, int, int, "dp2a.lo.s32.s32")
BANKSCOPE_THREE(__dp2a_lo, unsigned, unsigned, unsigned, unsigned, "dp2a.lo.u32.u32")
BANKSCOPE_THREE(__dp2a_hi, int, int, int, int, "dp2a.hi.s32.s32")
BANKSCOPE_THREE(__dp2a_hi, unsigned, unsigned, unsigned, unsigned, "dp2a.hi.u32.u32")
#undef BANKSCOPE_THREE
#define BANKSCOPE_VECTORS(name, vector, type)                                                      \
    BANKSCOPE_DEVICE type name(vector a, vector b, type c)                                         \
    {                                                                                              \
        return name(__builtin_bit_cast(type, a), __builtin_bit_cast(type, b), c);                  \
    }
BANKSCOPE_VECTORS(__dp4a, char4, int)
BANKSCOPE_VECTORS(__dp4a, uchar4, unsigned)
#undef BANKSCOPE_VECTORS
BANKSCOPE_DEVICE int __dp2a_lo(short2 a, char4 b, int c)
{
    return __dp2a_lo(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
BANKSCOPE_DEVICE int __dp2a_hi(short2 a, char4 b, int c)
{
    return __dp2a_hi(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}

BANKSCOPE_DEVICE int mul24(int a, int b)
{
    return __mul24(a, b);
}
BANKSCOPE_DEVICE unsigned umul24(unsigned a, unsigned b)
{
    return __umul24(a, b);
}

/* DPX: a sum or a choice of two, then the smallest or largest, with a bound of 0 for _relu. */
#define BANKSCOPE_CHOICE(suffix, type, less)                                                       \
    BANKSCOPE_DEVICE type __vi##less##3_##suffix(type a, type b, type c)                           \
    {                                                                                              \
        return less(less(a, b), c);                                                                \
    }                                                                                              \
    BANKSCOPE_DEVICE type __viadd##less##_##suffix(type a, type b, type c)                         \
    {                                                                                              \
        return less((type)((unsigned)a + (unsigned)b), c);                                         \
    }
BANKSCOPE_CHOICE(s32, int, max)
BANKSCOPE_CHOICE(s32, int, min)
BANKSCOPE_CHOICE(u32, unsigned, max)
BANKSCOPE_CHOICE(u32, unsigned, min)
#undef BANKSCOPE_CHOICE
#define BANKSCOPE_CHOICE(less)                                                                     \
    BANKSCOPE_DEVICE int __vi##less##_s32_relu(int a, int b)                                       \
    {                                                                                              \
        return max(less(a, b), 0);                                                                 \
    }                                                                                              \
    BANKSCOPE_DEVICE int __vi##less##3_s32_relu(int a, int b, int c)                               \
    {                                                                                              \
        return max(__vi##less##3_s32(a, b, c), 0);                                                 \
    }                                                                                              \
    BANKSCOPE_DEVICE int __viadd##less##_s32_relu(int a, int b, int c)                             \
    {                                                                                              \
        return max(__viadd##less##_s32(a, b, c), 0);                                               \
    }
BANKSCOPE_CHOICE(max)
BANKSCOPE_CHOICE(min)
#undef BANKSCOPE_CHOICE

#endif
