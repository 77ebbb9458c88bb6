/* arithmetic.c - PTX that concerns one thread and its registers. */
#include "hostcuda/ptx/ptx.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

/* Begins a function that is not to be moved to where another rounding is set. */
#define STAY_HERE __asm__ volatile("" ::: "memory")

__extension__ typedef __int128 wide_signed;
__extension__ typedef unsigned __int128 wide_unsigned;

/* ---- floats as bits -------------------------------------------------------------------------------- */

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float half_float(uint16_t bits)
{
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16, rest = (uint32_t)(bits & 0x7fff) << 13;
    if (rest >= 0x7c00 << 13) /* infinite, or no number */
        return float_of(sign | 0x7f800000 | rest);
    float size = float_of(rest) * 0x1p112f;
    return sign ? -size : size;
}

static uint16_t float_half(float value)
{
    uint32_t bits = bits_of(value);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    float size = fabsf(value);
    if (isnan(value))
        return 0x7fff;
    if (size >= 65520.0f)
        return sign | 0x7c00;
    if (size < 0x1p-14f) /* the least steps, of 2^-24; rounds to even */
        return (uint16_t)(sign | (uint16_t)nearbyintf(size * 0x1p24f));
    uint32_t rest = bits & 0x7fffffff;
    rest += 0xfff + (rest >> 13 & 1);
    return (uint16_t)(sign | (uint16_t)((rest >> 13) - (112 << 10)));
}

static uint16_t float_brain(float value)
{
    uint32_t bits = bits_of(value);
    if (isnan(value))
        return 0x7fff;
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static bool is_float(struct ptx_type type)
{
    return type.kind == PTX_FLOAT || type.kind == PTX_BRAIN;
}

double ptx_to_double(uint64_t bits, struct ptx_type type)
{
    if (type.bits == 64)
        return double_of(bits);
    if (type.bits != 16)
        return (double)float_of((uint32_t)bits);
    return (double)(type.kind == PTX_BRAIN ? float_of((uint32_t)bits << 16)
                                           : half_float((uint16_t)bits));
}

/* To nearest, ties away from zero, with 10 bits of fraction. */
static uint32_t to_tf32(float value)
{
    uint32_t bits = bits_of(value);
    return isnan(value) || isinf(value) ? bits : (bits + 0x1000) & ~UINT32_C(0x1fff);
}

__attribute__((noinline)) uint64_t ptx_from_double(double value, struct ptx_type type)
{
    STAY_HERE;
    if (type.bits == 64)
        return double_bits(value);
    if (type.tf32)
        return to_tf32((float)value);
    if (type.bits == 32)
        return bits_of((float)value);
    return type.kind == PTX_BRAIN ? float_brain((float)value) : float_half((float)value);
}

/* ---- operations ------------------------------------------------------------------------------------- */

enum operation {
    ADD,
    SUB,
    MUL,
    MAD,
    FMA,
    DIV,
    REM,
    ABS,
    NEG,
    MIN,
    MAX,
    AND,
    OR,
    XOR,
    NOT,
    SHL,
    SHR,
    POPC,
    CLZ,
    BFIND,
    BREV,
    RCP,
    SQRT,
    RSQRT,
    SIN,
    COS,
    EX2,
    LG2,
    TANH,
    SAD,
    COPYSIGN,
};

/* The rounding that the opcode asks for; 16 bits are rounded to the nearest only. */
static int rounding(struct ptx_run *run, const struct ptx_instruction *in)
{
    int mode = ptx_has(in, "rz")   ? FE_TOWARDZERO
               : ptx_has(in, "rm") ? FE_DOWNWARD
               : ptx_has(in, "rp") ? FE_UPWARD
                                   : FE_TONEAREST;
    if (mode != FE_TONEAREST && (in->to.bits == 16 || in->to.tf32))
        ptx_unknown(run, in);
    return mode;
}

static __attribute__((noinline)) double float_operation(enum operation operation, double a,
                                                        double b, double c, struct ptx_type type)
{
    STAY_HERE;
    switch (operation) {
    case ADD:
        return a + b;
    case SUB:
        return a - b;
    case MUL:
        return a * b;
    case MAD:
    case FMA:
        return type.bits == 32 ? (double)fmaf((float)a, (float)b, (float)c) : fma(a, b, c);
    case DIV:
        return a / b;
    case ABS:
        return fabs(a);
    case NEG:
        return -a;
    case MIN: /* -0 is less than 0 */
        return a == b ? (signbit(a) ? a : b) : fmin(a, b);
    case MAX:
        return a == b ? (signbit(a) ? b : a) : fmax(a, b);
    case RCP:
        return 1 / a;
    case SQRT:
        return sqrt(a);
    case RSQRT:
        return 1 / sqrt(a);
    case SIN:
        return sin(a);
    case COS:
        return cos(a);
    case EX2:
        return exp2(a);
    case LG2:
        return log2(a);
    case TANH:
        return tanh(a);
    case COPYSIGN: /* the sign is the first's */
        return copysign(b, a);
    default:
        return NAN;
    }
}

static uint64_t reverse(uint64_t value, int bits)
{
    uint64_t result = 0;
    for (int i = 0; i < bits; i++)
        result |= (value >> i & 1) << (bits - 1 - i);
    return result;
}

/* The place of the highest bit that differs from the sign; all ones: there is none. */
static uint64_t highest(uint64_t value, struct ptx_type type, bool shift)
{
    if (type.kind == PTX_SIGNED && (int64_t)value < 0)
        value = ~value;
    value = ptx_cut(value, type.bits, false);
    if (!value)
        return UINT32_MAX;
    int place = 63 - __builtin_clzll(value);
    return (uint64_t)(shift ? type.bits - 1 - place : place);
}

/* a and b are extended as the type is. */
static uint64_t whole_operation(enum operation operation, uint64_t a, uint64_t b,
                                const struct ptx_instruction *in)
{
    bool is_signed = in->type.kind == PTX_SIGNED;
    int bits = in->type.bits;
    switch (operation) {
    case ADD:
        return a + b;
    case SUB:
        return a - b;
    case DIV:
        return !b          ? UINT64_MAX
               : is_signed ? (b == UINT64_MAX ? -a : (uint64_t)((int64_t)a / (int64_t)b))
                           : a / b;
    case REM:
        return !b          ? a
               : is_signed ? (b == UINT64_MAX ? 0 : (uint64_t)((int64_t)a % (int64_t)b))
                           : a % b;
    case ABS:
        return (int64_t)a < 0 ? -a : a;
    case NEG:
        return -a;
    case MIN:
        return (is_signed ? (int64_t)a < (int64_t)b : a < b) ? a : b;
    case MAX:
        return (is_signed ? (int64_t)a > (int64_t)b : a > b) ? a : b;
    case AND:
        return a & b;
    case OR:
        return a | b;
    case XOR:
        return a ^ b;
    case NOT:
        return in->type.kind == PTX_PREDICATE ? !a : ~a;
    case SHL:
        return b >= (uint64_t)bits ? 0 : a << b;
    case SHR:
        if (b >= (uint64_t)bits)
            return is_signed && (int64_t)a < 0 ? UINT64_MAX : 0;
        return is_signed ? (uint64_t)((int64_t)a >> b) : a >> b;
    case POPC:
        return (uint64_t)__builtin_popcountll(a);
    case CLZ:
        return (uint64_t)(a ? __builtin_clzll(a) - (64 - bits) : bits);
    case BFIND:
        return highest(a, in->type, ptx_has(in, "shiftamt"));
    case BREV:
        return reverse(a, bits);
    default:
        return 0;
    }
}

/* The product, of which lo, hi or all is asked. */
static uint64_t product(uint64_t a, uint64_t b, const struct ptx_instruction *in)
{
    bool is_signed = in->type.kind == PTX_SIGNED;
    if (!strncmp(in->word[0] + strlen(in->word[0]) - 2, "24", 2)) {
        a = ptx_cut(a, 24, is_signed);
        b = ptx_cut(b, 24, is_signed);
        return ptx_has(in, "hi") ? (a * b) >> 16 : a * b;
    }
    if (!ptx_has(in, "hi"))
        return a * b;
    if (in->type.bits < 64)
        return (is_signed ? (uint64_t)((int64_t)(a * b) >> in->type.bits)
                          : (a * b) >> in->type.bits);
    return is_signed ? (uint64_t)((wide_signed)(int64_t)a * (int64_t)b >> 64)
                     : (uint64_t)((wide_unsigned)a * b >> 64);
}

/* add.cc, addc, ...: with the carry that the thread keeps. */
static uint64_t with_carry(const struct ptx_instruction *in, uint64_t a, uint64_t b, bool minus,
                           bool takes)
{
    uint8_t *carry = &worker->carry[worker->current];
    int bits = in->type.bits;
    wide_unsigned x = ptx_cut(a, bits, false), y = ptx_cut(b, bits, false);
    wide_unsigned sum = minus ? x - y - (takes && *carry) : x + y + (takes && *carry);
    if (ptx_has(in, "cc"))
        *carry = (uint8_t)((sum >> bits & 1) != 0);
    return (uint64_t)sum;
}

/* .sat: from 0 to 1; .relu: not below 0. */
static double limited(double value, const struct ptx_instruction *in)
{
    if (ptx_has(in, "sat"))
        value = value > 0 ? value < 1 ? value : 1 : 0;
    if (ptx_has(in, "relu"))
        value = value > 0 ? value : 0;
    return value;
}

static void compute(struct ptx_run *run, const struct ptx_instruction *in)
{
    struct ptx_type type = in->type;
    enum operation operation = (enum operation)in->detail;
    bool three = operation == MAD || operation == FMA || operation == SAD;
    bool shifts = operation == SHL || operation == SHR;
    bool sums = operation == ADD || operation == SUB || operation == MAD;
    bool carries = sums && in->word[0][3] == 'c'; /* addc, subc, madc */
    if (!in->types || in->operands < 2 || (three && in->operands < 4))
        ptx_unknown(run, in);
    bool wide = ptx_has(in, "wide");
    struct ptx_type result = type, count = {PTX_UNSIGNED, 32, 1, false};
    result.bits <<= wide;
    uint64_t a = ptx_read(run, &in->operand[1], type), b = 0, c = 0, value = 0;
    if (in->operands > 2)
        b = ptx_read(run, &in->operand[2], shifts ? count : type);
    if (in->operands > 3)
        c = ptx_read(run, &in->operand[3], operation == SAD ? type : result);
    if (is_float(type)) {
        struct ptx_type element = type;
        int mode = rounding(run, in);
        element.lanes = 1;
        if (mode != FE_TONEAREST)
            fesetround(mode);
        for (int i = 0; i < type.lanes; i++) {
            int shift = i * type.bits;
            double made = float_operation(operation, ptx_to_double(a >> shift, element),
                                          ptx_to_double(b >> shift, element),
                                          ptx_to_double(c >> shift, element), element);
            value |= ptx_from_double(limited(made, in), element) << shift;
        }
        if (mode != FE_TONEAREST)
            fesetround(FE_TONEAREST);
    } else if (sums && (ptx_has(in, "cc") || carries)) {
        value = operation == MAD ? with_carry(in, product(a, b, in), c, false, carries)
                                 : with_carry(in, a, b, operation == SUB, carries);
    } else if (operation == MUL || operation == MAD) {
        value = product(a, b, in) + (operation == MAD ? c : 0);
    } else if (operation == SAD) {
        bool less = type.kind == PTX_SIGNED ? (int64_t)a < (int64_t)b : a < b;
        value = (less ? b - a : a - b) + c;
    } else if (operation >= RCP || operation == FMA) {
        ptx_unknown(run, in);
    } else {
        if (type.kind == PTX_PREDICATE && in->operand[1].not )
            a = !a;
        value = whole_operation(operation, a, b, in);
    }
    if (type.lanes == 1)
        value = ptx_cut(value, result.bits, false);
    ptx_write(run, &in->operand[0], value);
}

/* ---- moves and conversions -------------------------------------------------------------------------- */

/* mov.b64 {lo, hi}, a;  mov.b32 d, {lo, hi};  mov.u32 d, a; */
static void move(struct ptx_run *run, const struct ptx_instruction *in)
{
    int parts = in->operands - 1, bits = in->type.bits / (parts > 1 ? parts : 1);
    if (!in->types || parts < 1)
        ptx_unknown(run, in);
    struct ptx_type part = {PTX_BITS, bits, 1, false};
    if (in->lead > 1) {
        uint64_t value = ptx_read(run, &in->operand[in->lead], in->type);
        for (int i = 0; i < in->lead; i++)
            ptx_write(run, &in->operand[i], ptx_cut(value >> (i * bits), bits, false));
        return;
    }
    if (parts == 1) {
        bool predicate = in->type.kind == PTX_PREDICATE;
        ptx_write(run, &in->operand[0],
                  predicate ? ptx_read_predicate(run, &in->operand[1])
                            : ptx_read(run, &in->operand[1], in->type));
        return;
    }
    uint64_t value = 0;
    for (int i = 0; i < parts; i++)
        value |= ptx_read(run, &in->operand[1 + i], part) << (i * bits);
    ptx_write(run, &in->operand[0], value);
}

static double round_as(double value, const struct ptx_instruction *in)
{
    if (ptx_has(in, "rni"))
        return nearbyint(value);
    if (ptx_has(in, "rmi"))
        return floor(value);
    if (ptx_has(in, "rpi"))
        return ceil(value);
    return ptx_has(in, "rzi") || !is_float(in->to) ? trunc(value) : value;
}

/* As a GPU does: the nearest that there is, 0 for what is no number. */
static uint64_t whole_of(double value, struct ptx_type type)
{
    bool is_signed = type.kind == PTX_SIGNED;
    double most = ldexp(1, type.bits - is_signed), least = is_signed ? -most : 0;
    if (isnan(value))
        return 0;
    if (value >= most)
        return is_signed ? (UINT64_C(1) << (type.bits - 1)) - 1
                         : (type.bits < 64 ? (UINT64_C(1) << type.bits) - 1 : UINT64_MAX);
    if (value <= least)
        return is_signed ? UINT64_C(1) << (type.bits - 1) : 0;
    return is_signed ? (uint64_t)(int64_t)value : (uint64_t)value;
}

static __attribute__((noinline)) uint64_t from_whole(uint64_t value, struct ptx_type from,
                                                     struct ptx_type to)
{
    STAY_HERE;
    bool is_signed = from.kind == PTX_SIGNED;
    if (to.bits == 32) /* rounded once */
        return bits_of(is_signed ? (float)(int64_t)value : (float)value);
    return ptx_from_double(is_signed ? (double)(int64_t)value : (double)value, to);
}

static uint64_t saturate(uint64_t value, struct ptx_type from, struct ptx_type to)
{
    double number = from.kind == PTX_SIGNED ? (double)(int64_t)value : (double)value;
    double most = ldexp(1, to.bits - (to.kind == PTX_SIGNED));
    return number >= most || number < (to.kind == PTX_SIGNED ? -most : 0) ? whole_of(number, to)
                                                                          : value;
}

static void convert(struct ptx_run *run, const struct ptx_instruction *in)
{
    struct ptx_type from = in->type, to = in->to;
    if (in->types != 2 || in->operands < 2 || ptx_has(in, "pack") || from.lanes != 1)
        ptx_unknown(run, in);
    if (to.lanes == 2) { /* the first is the upper half */
        if (in->operands != 3)
            ptx_unknown(run, in);
        struct ptx_type half = to;
        half.lanes = 1;
        double upper = ptx_to_double(ptx_read(run, &in->operand[1], from), from);
        double lower = ptx_to_double(ptx_read(run, &in->operand[2], from), from);
        ptx_write(run, &in->operand[0],
                  ptx_from_double(limited(upper, in), half) << 16 |
                      ptx_from_double(limited(lower, in), half));
        return;
    }
    uint64_t value = ptx_read(run, &in->operand[1], from);
    int mode = rounding(run, in);
    if (mode != FE_TONEAREST)
        fesetround(mode);
    if (is_float(from)) {
        double number = round_as(ptx_to_double(value, from), in);
        value = is_float(to) ? ptx_from_double(limited(number, in), to) : whole_of(number, to);
    } else if (is_float(to)) {
        value = from_whole(value, from, to);
    } else if (ptx_has(in, "sat")) {
        value = saturate(value, from, to);
    }
    if (mode != FE_TONEAREST)
        fesetround(FE_TONEAREST);
    /* What is narrower than its register fills it, with the sign if it has one. */
    value = ptx_cut(value, to.bits, to.kind == PTX_SIGNED);
    ptx_write(run, &in->operand[0], value);
}

/* ---- comparisons ------------------------------------------------------------------------------------ */

static bool compare(const struct ptx_instruction *in, uint64_t a, uint64_t b, bool *known)
{
    static const char *const names[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",
                                        "lo",  "ls",  "hi",  "hs",  "equ", "neu",
                                        "ltu", "leu", "gtu", "geu", "num", "nan"};
    struct ptx_type type = in->type;
    int which = 0;
    *known = false;
    for (int i = 0; i < (int)(sizeof names / sizeof *names) && !*known; i++)
        if (!strcmp(in->word[1], names[i])) {
            which = i;
            *known = true;
        }
    int order; /* less, equal, greater */
    if (is_float(type)) {
        double x = ptx_to_double(a, type), y = ptx_to_double(b, type);
        if (isnan(x) || isnan(y))
            return which == 17 || (which >= 10 && which < 16);
        if (which >= 16)
            return which == 16;
        order = (x > y) - (x < y);
    } else if (type.kind == PTX_SIGNED) {
        order = ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
    } else {
        order = (a > b) - (a < b);
    }
    switch (which >= 10 ? which - 10 : which >= 6 ? which - 4 : which) {
    case 0:
        return order == 0;
    case 1:
        return order != 0;
    case 2:
        return order < 0;
    case 3:
        return order <= 0;
    case 4:
        return order > 0;
    default:
        return order >= 0;
    }
}

/* setp.lt.s32 p|q, a, b;  setp.lt.and.s32 p, a, b, c;  set.lt.u32.s32 d, a, b; */
static void set(struct ptx_run *run, const struct ptx_instruction *in)
{
    int first = in->second > 0 ? 2 : 1;
    bool known;
    if (!in->types || in->operands < first + 2 || in->type.lanes != 1)
        ptx_unknown(run, in);
    bool result = compare(in, ptx_read(run, &in->operand[first], in->type),
                          ptx_read(run, &in->operand[first + 1], in->type), &known);
    bool other = !result;
    if (!known)
        ptx_unknown(run, in);
    if (in->operands > first + 2) {
        bool c = ptx_read_predicate(run, &in->operand[first + 2]);
        bool both = ptx_has(in, "and"), either = ptx_has(in, "or");
        result = both ? result && c : either ? result || c : result != c;
        other = both ? other && c : either ? other || c : other != c;
    }
    uint64_t yes = in->detail ? (is_float(in->to) ? bits_of(1) : UINT32_MAX) : 1;
    ptx_write(run, &in->operand[0], result ? yes : 0);
    if (in->second > 0)
        ptx_write(run, &in->operand[in->second], other);
}

static void select_one(struct ptx_run *run, const struct ptx_instruction *in)
{
    if (!in->types || in->operands != 4)
        ptx_unknown(run, in);
    bool first = in->detail ? (int32_t)ptx_read(run, &in->operand[3], in->type) >= 0
                            : ptx_read_predicate(run, &in->operand[3]);
    ptx_write(run, &in->operand[0],
              ptx_read(run, &in->operand[first ? 1 : 2], in->detail ? in->to : in->type));
}

/* ---- bits ------------------------------------------------------------------------------------------- */

static void extract_field(struct ptx_run *run, const struct ptx_instruction *in)
{
    ptx_needs(run, in, in->operands == 4);
    unsigned bits = (unsigned)in->type.bits;
    uint64_t a = ptx_read(run, &in->operand[1], in->type), value = 0;
    unsigned from = (unsigned)ptx_read(run, &in->operand[2], PTX_U32) & 255;
    unsigned length = (unsigned)ptx_read(run, &in->operand[3], PTX_U32) & 255;
    unsigned top = from + length - 1 < bits - 1 ? from + length - 1 : bits - 1;
    uint64_t sign = in->type.kind == PTX_SIGNED && length > 0 ? a >> top & 1 : 0;
    for (unsigned i = 0; i < bits; i++)
        value |= (i < length && from + i < bits ? a >> (from + i) & 1 : sign) << i;
    ptx_write(run, &in->operand[0], value);
}

static void insert_field(struct ptx_run *run, const struct ptx_instruction *in)
{
    ptx_needs(run, in, in->operands == 5);
    int bits = in->type.bits;
    uint64_t a = ptx_read(run, &in->operand[1], in->type);
    uint64_t b = ptx_read(run, &in->operand[2], in->type);
    unsigned from = (unsigned)ptx_read(run, &in->operand[3], PTX_U32) & 255;
    unsigned length = (unsigned)ptx_read(run, &in->operand[4], PTX_U32) & 255;
    uint64_t mask = from >= (unsigned)bits ? 0
                    : length >= 64         ? UINT64_MAX << from
                                           : ((UINT64_C(1) << length) - 1) << from;
    uint64_t value = (b & ~mask) | (from < 64 ? a << from & mask : 0);
    ptx_write(run, &in->operand[0], ptx_cut(value, bits, false));
}

static void logic(struct ptx_run *run, const struct ptx_instruction *in)
{
    ptx_needs(run, in, in->operands == 5);
    uint32_t source[3], value = 0;
    for (int i = 0; i < 3; i++)
        source[i] = (uint32_t)ptx_read(run, &in->operand[1 + i], PTX_U32);
    unsigned table = (unsigned)ptx_read(run, &in->operand[4], PTX_U32);
    for (int i = 0; i < 32; i++) {
        unsigned row = (source[0] >> i & 1) << 2 | (source[1] >> i & 1) << 1 | (source[2] >> i & 1);
        value |= (table >> row & 1) << i;
    }
    ptx_write(run, &in->operand[0], value);
}

static void permute(struct ptx_run *run, const struct ptx_instruction *in)
{
    ptx_needs(run, in, in->operands == 4);
    if (in->words != 2)
        ptx_unknown(run, in); /* prmt.b32.f4e, ... */
    uint64_t bytes =
        ptx_read(run, &in->operand[1], PTX_U32) | ptx_read(run, &in->operand[2], PTX_U32) << 32;
    uint32_t selector = (uint32_t)ptx_read(run, &in->operand[3], PTX_U32), value = 0;
    for (int i = 0; i < 4; i++) {
        unsigned which = selector >> (4 * i) & 15;
        unsigned byte = (unsigned)(bytes >> (8 * (which & 7)) & 255);
        value |= (which & 8 ? (byte & 128 ? 255u : 0u) : byte) << (8 * i);
    }
    ptx_write(run, &in->operand[0], value);
}

static void shift_both(struct ptx_run *run, const struct ptx_instruction *in)
{
    ptx_needs(run, in, in->operands == 4);
    uint64_t both =
        ptx_read(run, &in->operand[1], PTX_U32) | ptx_read(run, &in->operand[2], PTX_U32) << 32;
    unsigned by = (unsigned)ptx_read(run, &in->operand[3], PTX_U32);
    by = ptx_has(in, "wrap") ? by & 31 : by < 32 ? by : 32;
    uint64_t value = ptx_has(in, "l") ? both << by >> 32 : both >> by;
    if (by == 32 && ptx_has(in, "l"))
        value = both & UINT32_MAX;
    ptx_write(run, &in->operand[0], value & UINT32_MAX);
}

static void dot_bytes(struct ptx_run *run, const struct ptx_instruction *in)
{
    ptx_needs(run, in, in->operands == 4);
    uint32_t a = (uint32_t)ptx_read(run, &in->operand[1], PTX_U32);
    uint32_t b = (uint32_t)ptx_read(run, &in->operand[2], PTX_U32);
    uint32_t sum = (uint32_t)ptx_read(run, &in->operand[3], PTX_U32);
    for (int i = 0; i < 32; i += 8) {
        int x = in->to.kind == PTX_SIGNED ? (int8_t)(a >> i) : (uint8_t)(a >> i);
        int y = in->type.kind == PTX_SIGNED ? (int8_t)(b >> i) : (uint8_t)(b >> i);
        sum += (uint32_t)(x * y);
    }
    ptx_write(run, &in->operand[0], sum);
}

/* ---- where the thread goes on ------------------------------------------------------------------------ */

static void jump(struct ptx_run *run, const struct ptx_instruction *in)
{
    if (in->operands != 1 || in->operand[0].kind != PTX_LABEL)
        ptx_unknown(run, in);
    run->next = in->operand[0].number;
}

static void trap(struct ptx_run *run, const struct ptx_instruction *in)
{
    (void)in;
    trap_at(run->pc);
}

/* Hints, which change neither values nor order here. */
static void nothing(struct ptx_run *run, const struct ptx_instruction *in)
{
    (void)run;
    (void)in;
}

const struct ptx_entry ptx_arithmetic[] = {
    {"mov", move, 0},
    {"add", compute, ADD},
    {"addc", compute, ADD},
    {"sub", compute, SUB},
    {"subc", compute, SUB},
    {"mul", compute, MUL},
    {"mul24", compute, MUL},
    {"mad", compute, MAD},
    {"mad24", compute, MAD},
    {"madc", compute, MAD},
    {"fma", compute, FMA},
    {"div", compute, DIV},
    {"rem", compute, REM},
    {"abs", compute, ABS},
    {"neg", compute, NEG},
    {"min", compute, MIN},
    {"max", compute, MAX},
    {"and", compute, AND},
    {"or", compute, OR},
    {"xor", compute, XOR},
    {"not", compute, NOT},
    {"shl", compute, SHL},
    {"shr", compute, SHR},
    {"popc", compute, POPC},
    {"clz", compute, CLZ},
    {"bfind", compute, BFIND},
    {"brev", compute, BREV},
    {"rcp", compute, RCP},
    {"sqrt", compute, SQRT},
    {"rsqrt", compute, RSQRT},
    {"sin", compute, SIN},
    {"cos", compute, COS},
    {"ex2", compute, EX2},
    {"lg2", compute, LG2},
    {"tanh", compute, TANH},
    {"sad", compute, SAD},
    {"copysign", compute, COPYSIGN},
    {"cvt", convert, 0},
    {"setp", set, 0},
    {"set", set, 1},
    {"selp", select_one, 0},
    {"slct", select_one, 1},
    {"bfe", extract_field, 0},
    {"bfi", insert_field, 0},
    {"lop3", logic, 0},
    {"prmt", permute, 0},
    {"shf", shift_both, 0},
    {"dp4a", dot_bytes, 0},
    {"bra", jump, 0},
    {"trap", trap, 0},
    {"brkpt", trap, 0},
    {"nop", nothing, 0},
    {"pmevent", nothing, 0},
    {"prefetch", nothing, 0},
    {"prefetchu", nothing, 0},
    {"applypriority", nothing, 0},
    {"discard", nothing, 0},
    {"griddepcontrol", nothing, 0},
    {"setmaxnreg", nothing, 0},
    {NULL, NULL, 0},
};
