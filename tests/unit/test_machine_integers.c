/* test_machine_integers.c - instructions on whole numbers, decoded and executed over edge cases and random
 * operands, against what PTX's manual says of them: in 128 bits, bit by bit, and by loops, unlike
 * machine/operations/integers.def. */
#include "tests/support/run_numbers.h"

#include <stdio.h>

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;

/* Operands as they are read: extended by sign or zeros. */
struct operands {
    wide a, b, c;
    int bits;
    bool is_signed;
};
typedef wide rule(const struct operands *x);

static uint64_t masked(uwide value, int bits)
{
    return (uint64_t)(bits >= 64 ? value : value & (((uwide)1 << bits) - 1));
}

static wide extended(uint64_t value, int bits, bool is_signed)
{
    const uint64_t own = masked(value, bits);
    return is_signed && own >> (bits - 1) & 1 ? (wide)own - ((wide)1 << bits) : (wide)own;
}

static int bit(wide value, int at)
{
    return at < 128 && at >= 0 ? (int)((uwide)value >> at & 1) : 0;
}

/* ---- arithmetic -------------------------------------------------------------------------------- */

static wide add(const struct operands *x)
{
    return x->a + x->b;
}
static wide sub(const struct operands *x)
{
    return x->a - x->b;
}
static wide multiply(const struct operands *x)
{
    return (wide)((uwide)x->a * (uwide)x->b);
}
static wide multiply_add(const struct operands *x)
{
    return (wide)((uwide)multiply(x) + (uwide)x->c);
}
/* The high half: products of u64 fill 128 bits. */
static wide high(const struct operands *x)
{
    return x->is_signed ? multiply(x) >> x->bits : (wide)((uwide)multiply(x) >> x->bits);
}
static wide high_add(const struct operands *x)
{
    return high(x) + x->c;
}
static wide divide(const struct operands *x)
{
    return x->b ? x->a / x->b : -1;
}
static wide remainder_of(const struct operands *x)
{
    return x->b ? x->a % x->b : x->a;
}
static wide least(const struct operands *x)
{
    return x->a < x->b ? x->a : x->b;
}
static wide most(const struct operands *x)
{
    return x->a > x->b ? x->a : x->b;
}
static wide absolute(const struct operands *x)
{
    return x->a < 0 ? -x->a : x->a;
}
static wide negated(const struct operands *x)
{
    return -x->a;
}
static wide differences(const struct operands *x)
{
    return x->c + most(x) - least(x);
}
static wide limited(wide value)
{
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value;
}
static wide add_limited(const struct operands *x)
{
    return limited(x->a + x->b);
}
static wide sub_limited(const struct operands *x)
{
    return limited(x->a - x->b);
}
static wide high_add_limited(const struct operands *x)
{
    return limited(high_add(x));
}
static wide least_positive(const struct operands *x)
{
    return least(x) < 0 ? 0 : least(x);
}
static wide most_positive(const struct operands *x)
{
    return most(x) < 0 ? 0 : most(x);
}
static wide of_24(const struct operands *x, int shift)
{
    const wide a = extended((uint64_t)x->a, 24, x->is_signed);
    const wide b = extended((uint64_t)x->b, 24, x->is_signed);
    return (a * b) >> shift;
}
static wide low_24(const struct operands *x)
{
    return of_24(x, 0);
}
static wide high_24(const struct operands *x)
{
    return of_24(x, 16);
}
static wide low_24_add(const struct operands *x)
{
    return of_24(x, 0) + x->c;
}

/* ---- bits -------------------------------------------------------------------------------------- */

/* Of each bit, by a table: bit 4 a + 2 b + c of `table`. */
static wide by_table(const struct operands *x, int table)
{
    wide result = 0;
    for (int i = 0; i < x->bits; i++)
        result |= (wide)(table >> (4 * bit(x->a, i) + 2 * bit(x->b, i) + bit(x->c, i)) & 1) << i;
    return result;
}
static wide and_bits(const struct operands *x)
{
    return by_table(x, 0xc0);
}
static wide or_bits(const struct operands *x)
{
    return by_table(x, 0xfc);
}
static wide xor_bits(const struct operands *x)
{
    return by_table(x, 0x3c);
}
static wide not_bits(const struct operands *x)
{
    return by_table(x, 0x0f);
}
static wide lop3_96(const struct operands *x)
{
    return by_table(x, 0x96);
}
static wide lop3_1b(const struct operands *x)
{
    return by_table(x, 0x1b);
}
/* Appends a number, as near as `bits` come to it, to those in `from`. */
static wide with_nearest(wide from, wide number, int bits, bool is_signed)
{
    const wide low = extended((uint32_t)number, 32, true), half = (wide)1 << (bits - 1);
    const wide first = is_signed ? -half : 0, last = first + 2 * half - 1;
    wide nearest = first;
    while (nearest < last && nearest < low)
        nearest += low - nearest > 4 && nearest + 4 <= last ? 4 : 1;
    return from * 2 * half + (wide)masked((uwide)nearest, bits);
}
static wide pack_16(const struct operands *x)
{
    return with_nearest(with_nearest(0, x->a, 16, false), x->b, 16, false);
}
static wide pack_signed_16(const struct operands *x)
{
    return with_nearest(with_nearest(0, x->a, 16, true), x->b, 16, true);
}
static wide pack_8(const struct operands *x)
{
    return with_nearest(with_nearest(x->c, x->a, 8, false), x->b, 8, false);
}
static wide pack_signed_8(const struct operands *x)
{
    return with_nearest(with_nearest(x->c, x->a, 8, true), x->b, 8, true);
}
static wide pack_signed_4(const struct operands *x)
{
    return with_nearest(with_nearest(x->c, x->a, 4, true), x->b, 4, true);
}
static wide pack_2(const struct operands *x)
{
    return with_nearest(with_nearest(x->c, x->a, 2, false), x->b, 2, false);
}
static wide is_zero(const struct operands *x)
{
    return x->a == 0;
}
static wide shift_left(const struct operands *x)
{
    uwide a = (uwide)x->a;
    for (uint64_t i = masked((uwide)x->b, 32); i && a; i--)
        a = masked(a * 2, x->bits);
    return (wide)a;
}
static wide shift_right(const struct operands *x)
{
    const uint64_t amount = masked((uwide)x->b, 32);
    return x->a >> (amount > 100 ? 100 : amount);
}
static wide count_bits(const struct operands *x)
{
    int count = 0;
    for (int i = 0; i < x->bits; i++)
        count += bit(x->a, i);
    return count;
}
static wide zeros_before(const struct operands *x)
{
    int count = 0;
    while (count < x->bits && !bit(x->a, x->bits - 1 - count))
        count++;
    return count;
}
/* The highest bit that is not like the sign. */
static wide find_bit(const struct operands *x)
{
    int at = x->bits - 1;
    while (at >= 0 && bit(x->a, at) == (x->a < 0))
        at--;
    return at;
}
static wide find_shift(const struct operands *x)
{
    const wide at = find_bit(x);
    return at < 0 ? -1 : x->bits - 1 - at;
}
static wide reverse(const struct operands *x)
{
    wide result = 0;
    for (int i = 0; i < x->bits; i++)
        result |= (wide)bit(x->a, i) << (x->bits - 1 - i);
    return result;
}
/* bfe, as the manual's pseudo code has it. */
static wide extract(const struct operands *x)
{
    const int at = (int)(x->b & 255), length = (int)(x->c & 255), top = x->bits - 1;
    const int last = at + length - 1 < top ? at + length - 1 : top;
    const int sign = !x->is_signed || !length ? 0 : bit(x->a, last);
    wide result = 0;
    for (int i = 0; i < x->bits; i++)
        result |= (wide)(i < length && at + i <= top ? bit(x->a, at + i) : sign) << i;
    return result;
}
/* bfi: so many bits of a in b, from c on. */
static wide insert(const struct operands *x, int length)
{
    const int at = (int)(x->c & 255);
    wide result = x->b;
    for (int i = 0; i < length && at + i < x->bits; i++)
        result = (result & ~((wide)1 << (at + i))) | (wide)bit(x->a, i) << (at + i);
    return result;
}
static wide insert_5(const struct operands *x)
{
    return insert(x, 5);
}
static wide insert_40(const struct operands *x)
{
    return insert(x, 40);
}
static wide funnel(const struct operands *x, bool left, bool clamps)
{
    const uint64_t c = masked((uwide)x->c, 32);
    const int amount = (int)(clamps ? (c < 32 ? c : 32) : c % 32);
    const uwide both = (uwide)masked((uwide)x->b, 32) << 32 | masked((uwide)x->a, 32);
    return left ? (wide)(both << amount >> 32) : (wide)(both >> amount);
}
static wide left_wrap(const struct operands *x)
{
    return funnel(x, true, false);
}
static wide left_clamp(const struct operands *x)
{
    return funnel(x, true, true);
}
static wide right_wrap(const struct operands *x)
{
    return funnel(x, false, false);
}
static wide right_clamp(const struct operands *x)
{
    return funnel(x, false, true);
}
static wide mask_of(uint64_t at, uint64_t length)
{
    wide result = 0;
    for (uint64_t i = 0; i < 32; i++)
        result |= (wide)(i >= at && i - at < length) << i;
    return result;
}
static wide mask_clamp(const struct operands *x)
{
    return mask_of(masked((uwide)x->a, 32), masked((uwide)x->b, 32));
}
static wide mask_wrap(const struct operands *x)
{
    return mask_of(x->a & 31, x->b & 31);
}
static wide extend_from(const struct operands *x, uint64_t length)
{
    return !length ? 0 : extended((uint64_t)x->a, length < 32 ? (int)length : 32, x->is_signed);
}
static wide extend_clamp(const struct operands *x)
{
    return extend_from(x, masked((uwide)x->b, 32));
}
static wide extend_wrap(const struct operands *x)
{
    return extend_from(x, x->b & 31);
}
static wide permute(const struct operands *x)
{
    wide result = 0;
    for (int i = 0; i < 4; i++) {
        const int digit = (int)(x->c >> 4 * i & 15), from = digit & 7;
        const int byte = (int)((from < 4 ? x->a >> 8 * from : x->b >> 8 * (from - 4)) & 255);
        result |= (wide)(digit & 8 ? (byte >> 7) * 255 : byte) << 8 * i;
    }
    return result;
}
/* The n-th bit that is set, from a place on, upwards or downwards. */
static wide find_nth(const struct operands *x)
{
    const uint64_t from = masked((uwide)x->b, 32);
    const wide n = extended((uint64_t)x->c, 32, true);
    if (from > 31)
        return -1;
    if (n == 0)
        return bit(x->a, (int)from) ? (wide)from : -1;
    wide found = 0;
    for (int at = (int)from; at >= 0 && at<32; at += n> 0 ? 1 : -1) {
        found += bit(x->a, at);
        if (bit(x->a, at) && found == (n > 0 ? n : -n))
            return at;
    }
    return -1;
}
static wide dot_4(const struct operands *x)
{
    wide sum = x->c;
    for (int i = 0; i < 4; i++)
        sum += extended((uint64_t)(x->a >> 8 * i), 8, x->is_signed) *
               extended((uint64_t)(x->b >> 8 * i), 8, x->is_signed);
    return sum;
}
static wide dot_2(const struct operands *x, int half)
{
    wide sum = x->c;
    for (int i = 0; i < 2; i++)
        sum += extended((uint64_t)(x->a >> 16 * i), 16, x->is_signed) *
               extended((uint64_t)(x->b >> (16 * half + 8 * i)), 8, x->is_signed);
    return sum;
}
static wide dot_2_low(const struct operands *x)
{
    return dot_2(x, 0);
}
static wide dot_2_high(const struct operands *x)
{
    return dot_2(x, 1);
}
static wide choose(const struct operands *x)
{
    return extended((uint64_t)x->c, 32, true) >= 0 ? x->a : x->b;
}

/* ---- comparisons and conversions --------------------------------------------------------------- */

static wide equal(const struct operands *x)
{
    return x->a == x->b ? -1 : 0;
}
static wide unequal(const struct operands *x)
{
    return x->a != x->b ? -1 : 0;
}
static wide less(const struct operands *x)
{
    return x->a < x->b ? -1 : 0;
}
static wide at_most(const struct operands *x)
{
    return x->a <= x->b ? -1 : 0;
}
static wide greater(const struct operands *x)
{
    return x->a > x->b ? -1 : 0;
}
static wide at_least(const struct operands *x)
{
    return x->a >= x->b ? -1 : 0;
}
static wide itself(const struct operands *x)
{
    return x->a;
}

/* In each half by itself. */
static wide of_halves(const struct operands *x, bool is_signed, wide of(wide a, wide b))
{
    wide result = 0;
    for (int at = 0; at < 32; at += 16) {
        const wide a = extended((uint64_t)(x->a >> at), 16, is_signed);
        const wide b = extended((uint64_t)(x->b >> at), 16, is_signed);
        result |= (wide)masked((uwide)of(a, b), 16) << at;
    }
    return result;
}
static wide sum_of(wide a, wide b)
{
    return a + b;
}
static wide least_of(wide a, wide b)
{
    return a < b ? a : b;
}
static wide most_of(wide a, wide b)
{
    return a > b ? a : b;
}
static wide least_above_0(wide a, wide b)
{
    return most_of(least_of(a, b), 0);
}
static wide most_above_0(wide a, wide b)
{
    return most_of(most_of(a, b), 0);
}
static wide add_halves(const struct operands *x)
{
    return of_halves(x, false, sum_of);
}
static wide least_halves(const struct operands *x)
{
    return of_halves(x, false, least_of);
}
static wide most_halves(const struct operands *x)
{
    return of_halves(x, false, most_of);
}
static wide least_signed_halves(const struct operands *x)
{
    return of_halves(x, true, least_of);
}
static wide most_signed_halves(const struct operands *x)
{
    return of_halves(x, true, most_of);
}
static wide least_positive_halves(const struct operands *x)
{
    return of_halves(x, true, least_above_0);
}
static wide most_positive_halves(const struct operands *x)
{
    return of_halves(x, true, most_above_0);
}

/* ---- rows -------------------------------------------------------------------------------------- */

/* An instruction for each of these types: %s stands for it. d, a, b, c: sizes of operands; 0: the type's,
 * -1: twice it, else bits; c of PTX's last operand. */
struct row {
    const char *text;  /* "add.%s" */
    const char *types; /* "u16 s16 ..." */
    rule *rule;
    int operands, d, b, c;
    const char *more; /* behind the operands */
};
#define ALL "u16 s16 u32 s32 u64 s64"
#define BITS "b16 b32 b64"
static const struct row rows[] = {
    {"add.%s", ALL, add, 2, 0, 0, 0, ""},
    {"sub.%s", ALL, sub, 2, 0, 0, 0, ""},
    {"add.sat.%s", "s32", add_limited, 2, 0, 0, 0, ""},
    {"sub.sat.%s", "s32", sub_limited, 2, 0, 0, 0, ""},
    {"mul.lo.%s", ALL, multiply, 2, 0, 0, 0, ""},
    {"mul.hi.%s", ALL, high, 2, 0, 0, 0, ""},
    {"mul.wide.%s", "u16 s16 u32 s32", multiply, 2, -1, 0, 0, ""},
    {"mad.lo.%s", ALL, multiply_add, 3, 0, 0, 0, ""},
    {"mad.hi.%s", ALL, high_add, 3, 0, 0, 0, ""},
    {"mad.hi.sat.%s", "s32", high_add_limited, 3, 0, 0, 0, ""},
    {"mad.wide.%s", "u16 s16 u32 s32", multiply_add, 3, -1, 0, -1, ""},
    {"mul24.lo.%s", "u32 s32", low_24, 2, 0, 0, 0, ""},
    {"mul24.hi.%s", "u32 s32", high_24, 2, 0, 0, 0, ""},
    {"mad24.lo.%s", "u32 s32", low_24_add, 3, 0, 0, 0, ""},
    {"div.%s", ALL, divide, 2, 0, 0, 0, ""},
    {"rem.%s", ALL, remainder_of, 2, 0, 0, 0, ""},
    {"min.%s", ALL, least, 2, 0, 0, 0, ""},
    {"max.%s", ALL, most, 2, 0, 0, 0, ""},
    {"min.relu.%s", "s32", least_positive, 2, 0, 0, 0, ""},
    {"max.relu.%s", "s32", most_positive, 2, 0, 0, 0, ""},
    {"abs.%s", "s16 s32 s64", absolute, 1, 0, 0, 0, ""},
    {"neg.%s", "s16 s32 s64", negated, 1, 0, 0, 0, ""},
    {"add.u16x2", "b32", add_halves, 2, 0, 0, 0, ""},
    {"add.s16x2", "b32", add_halves, 2, 0, 0, 0, ""},
    {"min.u16x2", "b32", least_halves, 2, 0, 0, 0, ""},
    {"max.u16x2", "b32", most_halves, 2, 0, 0, 0, ""},
    {"min.s16x2", "b32", least_signed_halves, 2, 0, 0, 0, ""},
    {"max.s16x2", "b32", most_signed_halves, 2, 0, 0, 0, ""},
    {"min.relu.s16x2", "b32", least_positive_halves, 2, 0, 0, 0, ""},
    {"max.relu.s16x2", "b32", most_positive_halves, 2, 0, 0, 0, ""},
    {"sad.%s", ALL, differences, 3, 0, 0, 0, ""},
    {"and.%s", BITS, and_bits, 2, 0, 0, 0, ""},
    {"or.%s", BITS, or_bits, 2, 0, 0, 0, ""},
    {"xor.%s", BITS, xor_bits, 2, 0, 0, 0, ""},
    {"not.%s", BITS, not_bits, 1, 0, 0, 0, ""},
    {"cnot.%s", BITS, is_zero, 1, 0, 0, 0, ""},
    {"lop3.%s", "b32", lop3_96, 3, 0, 0, 0, ", 0x96"},
    {"lop3.%s", "b32", lop3_1b, 3, 0, 0, 0, ", 0x1b"},
    {"cvt.pack.sat.u16.s32", "b32", pack_16, 2, 0, 0, 0, ""},
    {"cvt.pack.sat.s16.s32", "b32", pack_signed_16, 2, 0, 0, 0, ""},
    {"cvt.pack.sat.u8.s32.b32", "b32", pack_8, 3, 0, 0, 0, ""},
    {"cvt.pack.sat.s8.s32.b32", "b32", pack_signed_8, 3, 0, 0, 0, ""},
    {"cvt.pack.sat.s4.s32.b32", "b32", pack_signed_4, 3, 0, 0, 0, ""},
    {"cvt.pack.sat.u2.s32.b32", "b32", pack_2, 3, 0, 0, 0, ""},
    {"shl.%s", BITS, shift_left, 2, 0, 32, 0, ""},
    {"shr.%s", ALL " " BITS, shift_right, 2, 0, 32, 0, ""},
    {"shf.l.wrap.%s", "b32", left_wrap, 3, 0, 0, 0, ""},
    {"shf.l.clamp.%s", "b32", left_clamp, 3, 0, 0, 0, ""},
    {"shf.r.wrap.%s", "b32", right_wrap, 3, 0, 0, 0, ""},
    {"shf.r.clamp.%s", "b32", right_clamp, 3, 0, 0, 0, ""},
    {"popc.%s", "b32 b64", count_bits, 1, 32, 0, 0, ""},
    {"clz.%s", "b32 b64", zeros_before, 1, 32, 0, 0, ""},
    {"bfind.%s", "u32 s32 u64 s64", find_bit, 1, 32, 0, 0, ""},
    {"bfind.shiftamt.%s", "u32 s32 u64 s64", find_shift, 1, 32, 0, 0, ""},
    {"brev.%s", "b32 b64", reverse, 1, 0, 0, 0, ""},
    {"bfe.%s", "u32 s32 u64 s64", extract, 3, 0, 32, 32, ""},
    {"bfi.%s", "b32 b64", insert_5, 3, 0, 0, 32, ", 5"},
    {"bfi.%s", "b32 b64", insert_40, 3, 0, 0, 32, ", 40"},
    {"bmsk.clamp.%s", "b32", mask_clamp, 2, 0, 0, 0, ""},
    {"bmsk.wrap.%s", "b32", mask_wrap, 2, 0, 0, 0, ""},
    {"szext.clamp.%s", "u32 s32", extend_clamp, 2, 0, 32, 0, ""},
    {"szext.wrap.%s", "u32 s32", extend_wrap, 2, 0, 32, 0, ""},
    {"prmt.%s", "b32", permute, 3, 0, 0, 0, ""},
    {"fns.%s", "b32", find_nth, 3, 0, 0, 0, ""},
    {"dp4a.%1$s.%1$s", "u32 s32", dot_4, 3, 0, 0, 0, ""},
    {"dp2a.lo.%1$s.%1$s", "u32 s32", dot_2_low, 3, 0, 0, 0, ""},
    {"dp2a.hi.%1$s.%1$s", "u32 s32", dot_2_high, 3, 0, 0, 0, ""},
    {"slct.%s.s32", ALL " " BITS, choose, 3, 0, 0, 32, ""},
    {"set.eq.u32.%s", ALL " " BITS, equal, 2, 32, 0, 0, ""},
    {"set.ne.s32.%s", ALL " " BITS, unequal, 2, 32, 0, 0, ""},
    {"set.lt.u32.%s", ALL, less, 2, 32, 0, 0, ""},
    {"set.le.u32.%s", ALL, at_most, 2, 32, 0, 0, ""},
    {"set.gt.u32.%s", ALL, greater, 2, 32, 0, 0, ""},
    {"set.ge.u32.%s", ALL, at_least, 2, 32, 0, 0, ""},
    {"set.lo.u32.%s", "u16 u32 u64", less, 2, 32, 0, 0, ""},
    {"set.ls.u32.%s", "u16 u32 u64", at_most, 2, 32, 0, 0, ""},
    {"set.hi.u32.%s", "u16 u32 u64", greater, 2, 32, 0, 0, ""},
    {"set.hs.u32.%s", "u16 u32 u64", at_least, 2, 32, 0, 0, ""},
    {"cvt.u16.%s", ALL, itself, 1, 16, 0, 0, ""},
    {"cvt.s32.%s", ALL, itself, 1, 32, 0, 0, ""},
    {"cvt.u32.%s", ALL, itself, 1, 32, 0, 0, ""},
    {"cvt.u64.%s", ALL, itself, 1, 64, 0, 0, ""},
    {"cvt.s64.%s", ALL, itself, 1, 64, 0, 0, ""},
};

/* ---- running ----------------------------------------------------------------------------------- */

static void fill(struct numbers *numbers)
{
    static const uint64_t edges[] = {0,
                                     1,
                                     2,
                                     31,
                                     32,
                                     33,
                                     63,
                                     64,
                                     0x7fff,
                                     0x8000,
                                     0xffff,
                                     0x7fffffff,
                                     0x80000000,
                                     0xffffffff,
                                     UINT64_C(0x7fffffffffffffff),
                                     UINT64_C(0x8000000000000000),
                                     UINT64_C(0xffffffffffffffff),
                                     0x00ff00ff};
    enum { EDGES = sizeof edges / sizeof *edges };
    uint64_t seed = 11;
    uint64_t *const of[] = {numbers->a, numbers->b, numbers->c};
    for (int i = 0; i < 3 * CASES; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint64_t random = seed ^ seed >> 29;
        of[i % 3][i / 3] = random % 3 == 0 ? edges[(random >> 8) % EDGES] : random >> (random % 48);
    }
    memset(numbers->d, 0, sizeof numbers->d);
}

static const char *register_of(int bits)
{
    return bits == 16 ? "h" : bits == 32 ? "r" : "rd";
}

/* %NAME of each operand, a and b and c read by as many bits. */
static void write_kernel(char *text, size_t room, const char *instruction, const struct row *row,
                         int bits, const int *size)
{
    int at = snprintf(text, room,
                      HEAD ".visible .entry k(.param .u64 p)\n{ .reg .b16 %%h<9>; .reg .b32 "
                           "%%r<9>; .reg .b64 %%rd<9>; .reg .b32 %%t; .reg .b64 %%at;\n"
                           "ld.param.u64 %%at, [p]; mov.u32 %%t, %%tid.x; mad.wide.u32 %%at, %%t, "
                           "8, %%at;\n");
    for (int i = 1; i <= row->operands; i++)
        at += snprintf(text + at, room - (size_t)at, "ld.global.b%d %%%s%d, [%%at+%d];\n", size[i],
                       register_of(size[i]), i, (i - 1) * CASES * 8);
    at += snprintf(text + at, room - (size_t)at, "%s %%%s7", instruction, register_of(size[0]));
    for (int i = 1; i <= row->operands; i++)
        at += snprintf(text + at, room - (size_t)at, ", %%%s%d", register_of(size[i]), i);
    snprintf(text + at, room - (size_t)at, "%s;\nst.global.b%d [%%at+%d], %%%s7; ret; }\n",
             row->more, size[0], 3 * CASES * 8, register_of(size[0]));
    (void)bits;
}

static void try_row(const struct row *row, const char *type)
{
    static struct numbers numbers;
    const int bits = atoi(type + 1);
    const bool is_signed = *type == 's';
    const int own[] = {row->d, 0, row->b, row->c};
    int size[4];
    char instruction[64], text[2000];
    for (int i = 0; i < 4; i++)
        size[i] = own[i] < 0 ? 2 * bits : own[i] ? own[i] : bits;
    snprintf(instruction, sizeof instruction, row->text, type);
    write_kernel(text, sizeof text, instruction, row, bits, size);
    fill(&numbers);
    run_numbers(text, &numbers);
    for (int i = 0; i < CASES; i++) {
        const struct operands x = {extended(numbers.a[i], size[1], is_signed),
                                   extended(numbers.b[i], size[2], is_signed),
                                   extended(numbers.c[i], size[3], is_signed), bits, is_signed};
        const uint64_t want = masked((uwide)row->rule(&x), size[0]);
        if (numbers.d[i] != want)
            fail_msg("%s of 0x%llx, 0x%llx, 0x%llx is 0x%llx, not 0x%llx", instruction,
                     (unsigned long long)numbers.a[i], (unsigned long long)numbers.b[i],
                     (unsigned long long)numbers.c[i], (unsigned long long)want,
                     (unsigned long long)numbers.d[i]);
    }
}

static void instructions_do_what_the_manual_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (const char *at = rows[i].types; *at; at += strspn(at, " ")) {
            char type[8] = "";
            const size_t length = strcspn(at, " ");
            memcpy(type, at, length);
            try_row(&rows[i], type);
            at += length;
        }
}

/* ---- lop3 with a predicate --------------------------------------------------------------------------- */

/* d|p = the function of three words, whether it is not 0, or / and q: of all lanes, and of those of even cases. */
static void lop3_gives_a_predicate(void **state)
{
    static struct numbers numbers;
    (void)state;
    for (int way = 0; way < 16; way++) {
        const bool both = way & 1, negated = way & 2, guarded = way & 4, sink = way & 8;
        char text[3000];
        snprintf(text, sizeof text,
                 HEAD
                 ".visible .entry k(.param .u64 p)\n{ .reg .b32 %%r<9>; .reg .b64 %%at; .reg "
                 ".pred %%p<9>; .reg .b32 %%t;\n"
                 "ld.param.u64 %%at, [p]; mov.u32 %%t, %%tid.x; mad.wide.u32 %%at, %%t, 8, "
                 "%%at;\n"
                 "ld.global.b32 %%r1, [%%at]; ld.global.b32 %%r2, [%%at+%d];\n"
                 "ld.global.b32 %%r3, [%%at+%d]; and.b32 %%r1, %%r1, 7; and.b32 %%r2, %%r2, 6;\n"
                 "and.b32 %%r3, %%r3, 5; and.b32 %%r4, %%r1, 1; setp.eq.u32 %%p1, %%r4, 1;\n"
                 "mov.b32 %%r5, 77; setp.eq.u32 %%p2, %%r2, 6; and.b32 %%r4, %%t, 1;\n"
                 "setp.eq.u32 %%p3, %%r4, 0;\n"
                 "%slop3%s.b32 %s|%%p2, %%r1, %%r2, %%r3, 0x60, %s%%p1;\n"
                 "selp.b32 %%r6, 256, 0, %%p2; or.b32 %%r5, %%r5, %%r6;\n"
                 "st.global.b32 [%%at+%d], %%r5; ret; }\n",
                 CASES * 8, 2 * CASES * 8, guarded ? "@%p3 " : "", both ? ".and" : ".or",
                 sink ? "_" : "%r5", negated ? "!" : "", 3 * CASES * 8);
        fill(&numbers);
        run_numbers(text, &numbers);
        for (int i = 0; i < CASES; i++) {
            const uint64_t a = numbers.a[i] & 7, b = numbers.b[i] & 6, c = numbers.c[i] & 5;
            const uint64_t value = a & (b ^ c); /* 0x60: a and one of the others */
            const bool q = (a & 1) != negated, done = !guarded || i % 2 == 0;
            const bool p = !done ? b == 6 : both ? value && q : value || q;
            const uint64_t want = (done && !sink ? value : 77) | (p ? 256 : 0);
            if ((uint32_t)numbers.d[i] != want)
                fail_msg("way %d of %llu, %llu, %llu is %llu, not %llu", way, (unsigned long long)a,
                         (unsigned long long)b, (unsigned long long)c,
                         (unsigned long long)numbers.d[i], (unsigned long long)want);
        }
    }
}

/* ---- carries: numbers of several words --------------------------------------------------------------- */

/* Sums of three words of 32 bits or two of 64: the instruction in the middle takes and gives a carry. */
static void carries_go_from_word_to_word(void **state)
{
    static struct numbers numbers;
    static const struct {
        const char *first, *middle, *last;
        int bits;
        bool minus;
    } chains[] = {{"add.cc.u32", "addc.cc.u32", "addc.u32", 32, false},
                  {"sub.cc.u32", "subc.cc.u32", "subc.u32", 32, true},
                  {"add.cc.s64", NULL, "addc.u64", 64, false},
                  {"sub.cc.u64", NULL, "subc.s64", 64, true}};
    (void)state;
    for (size_t k = 0; k < sizeof chains / sizeof *chains; k++) {
        const int words = chains[k].middle ? 3 : 2, bits = chains[k].bits;
        char text[3000] =
            HEAD ".visible .entry k(.param .u64 p)\n{ .reg .b32 %r<19>; .reg .b64 "
                 "%rd<19>; .reg .b32 %t; .reg .b64 %at;\n"
                 "ld.param.u64 %at, [p]; mov.u32 %t, %tid.x; mad.wide.u32 %at, %t, 8, "
                 "%at;\nmov.b32 %r9, 0; mov.b64 %rd9, 0;\n";
        const char *reg = bits == 32 ? "r" : "rd";
        char line[300];
        /* words of a: a and then c; of b: b and then a */
        for (int i = 0; i < words; i++) {
            static const int from[2][3] = {{0, 2, 1}, {1, 0, 2}};
            snprintf(line, sizeof line,
                     "ld.global.b%d %%%s%d, [%%at+%d]; ld.global.b%d %%%s%d, [%%at+%d];\n", bits,
                     reg, i + 1, from[0][i] * CASES * 8, bits, reg, i + 5, from[1][i] * CASES * 8);
            strcat(text, line);
        }
        const char *const names[] = {chains[k].first, chains[k].middle, chains[k].last};
        for (int i = 0; i < words; i++) {
            const char *name = words == 2 && i ? names[2] : names[i];
            snprintf(line, sizeof line, "%s %%%s%d, %%%s%d, %%%s%d;\n", name, reg, i + 10, reg,
                     i + 1, reg, i + 5);
            strcat(text, line);
        }
        /* the highest word is what is stored: it has all carries in it */
        snprintf(line, sizeof line, "st.global.b%d [%%at+%d], %%%s%d; ret; }\n", bits,
                 3 * CASES * 8, reg, words + 9);
        strcat(text, line);
        fill(&numbers);
        run_numbers(text, &numbers);
        for (int i = 0; i < CASES; i++) {
            const uint64_t a = numbers.a[i], b = numbers.b[i], c = numbers.c[i];
            const uint64_t left[] = {a, c, b}, right[] = {b, a, c};
            uwide x = 0, y = 0;
            for (int w = words - 1; w >= 0; w--) {
                x = x << bits | masked(left[w], bits);
                y = y << bits | masked(right[w], bits);
            }
            const uwide sum = chains[k].minus ? x - y : x + y;
            assert_int_equal(numbers.d[i], masked(sum >> bits * (words - 1), bits));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_do_what_the_manual_says),
        cmocka_unit_test(lop3_gives_a_predicate),
        cmocka_unit_test(carries_go_from_word_to_word),
    };
    return cmocka_run_group_tests_name("machine_integers", tests, NULL, NULL);
}
