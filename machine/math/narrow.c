/* narrow.c - conversions to and from the small formats that are not in every loop. */
#include "machine/math/narrow.h"

uint32_t real_narrow(double a, enum real_format_name name, enum real_mode mode, unsigned how)
{
    const struct real_format *format = &real_formats[name];
    uint64_t sign = UINT64_C(1) << format->sign, bits;
    if (a != a)
        bits = format->nan;
    else if (real_abs64(a) == real_f64(REAL_INF64))
        bits = (a < 0 ? sign : 0) | format->infinity;
    else
        bits = real_pack(real_exact_of(a), format, mode);
    if (how & REAL_RELU && bits & sign)
        bits = 0;
    if (how & REAL_SATFINITE && a == a && (bits & ~sign) > format->most)
        bits = (bits & sign) | format->most;
    return (uint32_t)(name == REAL_TF32 ? bits << 13 : bits);
}

uint16_t real_f16_f64(double a, enum real_mode mode)
{
    uint64_t bits = real_b64(a);
    uint64_t nan = (bits >> 48 & 0x8000) | 0x7e00 | (bits >> 42 & 0x1ff);
    return (uint16_t)(a == a ? real_narrow(a, REAL_F16, mode, 0) : nan);
}

uint32_t real_narrow_integer(uint64_t integer, bool is_signed, enum real_format_name format,
                             enum real_mode mode)
{
    return (uint32_t)real_pack(real_exact_integer(integer, is_signed), &real_formats[format], mode);
}

/* e5m2 is the upper half of f16. */
float real_f32_e5m2(uint8_t a)
{
    return real_f32_f16((uint16_t)(a << 8));
}

/* e4m3 has no infinity, and one NaN of each sign. 4 bits of exponent with a bias of 7, 3 of fraction:
 * as bits of f16, the number is 2^8 times too small. */
float real_f32_e4m3(uint8_t a)
{
    float size = real_f32_f16((uint16_t)((a & 0x7f) << 7)) * 0x1p8f;
    if ((a & 0x7f) == 0x7f)
        return real_f32(REAL_NAN32);
    return a & 0x80 ? -size : size;
}
