/* hopper_cases.h - one small kernel for each instruction that sm_90 brought, written as PTX by functions, so that a
 * GPU (tests/gpu/hopper.c) and the machine (test_machine_hopper.c) run the same text on the same input.
 *
 * All have the signature (in, out, map): in: HOPPER_IN bytes, out: HOPPER_OUT bytes that begin as zeros, map: a
 * tensor map of `in` (of `out`, where the case stores). A case of shared memory first copies all of `in` there.
 */
#ifndef BANKSCOPE_TESTS_HOPPER_CASES_H
#define BANKSCOPE_TESTS_HOPPER_CASES_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    HOPPER_IN = 64 << 10,
    HOPPER_OUT = 256 << 10,
    HOPPER_CHOICE =
        40 << 10, /* where in `in` the metadata of a sparse product begin: a word of each thread */
    HOPPER_SUMS = 48 << 10,  /* where in `in` what a product is added to begins */
    HOPPER_TEXT = 256 << 10, /* of a case's PTX, at most */
};

struct hopper_text {
    char *at;
    size_t length;
};
static inline void hopper_put(struct hopper_text *text, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    text->length +=
        (size_t)vsnprintf(text->at + text->length, HOPPER_TEXT - text->length, format, values);
    va_end(values);
}

/* What `in` holds: elements of a type, small whole numbers (sums are exact) or of very different sizes. */
enum hopper_type { T_BITS, T_F16, T_BF16, T_TF32, T_E4M3, T_E5M2, T_S8, T_INDEX16, T_F32 };
/* Which elements of A a sparse product has: two of four, in rising order or any, or one of two; ANY_BITS: any metadata, which
 * PTX leaves undefined. */
enum hopper_choice { DENSE, RISING, ANY_ORDER, ONE_OF_TWO, ANY_BITS };
struct hopper_map {
    int rank, bytes, type; /* type: CUtensorMapDataType */
    uint32_t dim[5], box[5], step[5];
    int interleave, swizzle, fill;
    int channels, pixels, lower[3], upper[3]; /* of im2col; channels 0: a box */
};
struct hopper_case {
    const char *name;
    void (*write)(struct hopper_text *text, const struct hopper_case *what);
    int arg[12];
    enum hopper_type type;
    bool wide;                 /* numbers of very different sizes, so that sums are rounded */
    int threads;               /* 0: 128 */
    int cluster, blocks;       /* 0: no cluster, one block */
    int words;                 /* of the output that count; 0: 4096 */
    const char *body;          /* for hopper_body */
    enum hopper_choice choice; /* a product is sparse */
    int selector;              /* which threads' metadata it takes */
    struct hopper_map map;
};

static inline uint32_t hopper_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

/* The bits of sign * (1 + fraction) * 2^exponent with `fraction` bits behind the point. */
static inline uint32_t hopper_float(int exponent_bits, int fraction_bits, uint64_t *seed,
                                    int spread)
{
    const uint32_t bias = (1u << (exponent_bits - 1)) - 1;
    const uint32_t exponent =
        bias + hopper_random(seed) % (uint32_t)(2 * spread + 1) - (uint32_t)spread;
    const uint32_t sign = hopper_random(seed) & 1;
    return sign << (exponent_bits + fraction_bits) | exponent << fraction_bits |
           (hopper_random(seed) & ((1u << fraction_bits) - 1));
}

/* A whole number from -4 to 4 in that format. */
static inline uint32_t hopper_whole(int exponent_bits, int fraction_bits, uint64_t *seed)
{
    static const int exponents[] = {0, 0, 1, 1, 2}, halves[] = {0, 0, 0, 1, 0};
    const uint32_t value = hopper_random(seed) % 5, sign = hopper_random(seed) & 1;
    const uint32_t bias = (1u << (exponent_bits - 1)) - 1;
    if (!value)
        return 0;
    return sign << (exponent_bits + fraction_bits) |
           (bias + (uint32_t)exponents[value]) << fraction_bits |
           (halves[value] ? 1u << (fraction_bits - 1) : 0);
}

static inline uint32_t hopper_index16(uint32_t index)
{
    index &= 2047;
    if (!index)
        return 0;
    const int high = 31 - __builtin_clz(index);
    return (uint32_t)(high + 15) << 10 | ((index << 10 >> high) & 1023);
}

/* The metadata of 128 threads: 4 bits say two places of four, or one of two. */
static inline void hopper_choose(const struct hopper_case *what, uint64_t *seed, uint8_t *at)
{
    static const uint8_t rising[] = {4, 8, 9, 12, 13, 14}, falling[] = {1, 2, 3, 6, 7, 11};
    for (int i = 0; i < 128 && what->choice; i++) {
        uint32_t word = 0;
        for (int k = 0; k < 8; k++) {
            const uint32_t any = hopper_random(seed), other = hopper_random(seed) & 1;
            word |= (uint32_t)(what->choice == ANY_BITS          ? any & 15
                               : what->choice == ONE_OF_TWO      ? (other ? 4 : 14)
                               : what->choice == RISING || other ? rising[any % 6]
                                                                 : falling[any % 6])
                    << 4 * k;
        }
        memcpy(at + 4 * i, &word, 4);
    }
}

static inline void hopper_fill(const struct hopper_case *what, uint8_t *in)
{
    static const struct {
        int bytes, exponent, fraction, spread;
    } formats[] = {[T_F16] = {2, 5, 10, 8}, [T_BF16] = {2, 8, 7, 12}, [T_TF32] = {4, 8, 23, 12},
                   [T_E4M3] = {1, 4, 3, 6}, [T_E5M2] = {1, 5, 2, 10}, [T_F32] = {4, 8, 23, 12}};
    uint64_t seed = 1;
    for (const char *at = what->name; *at; at++)
        seed = seed * 31 + (uint8_t)*at;
    const enum hopper_type type = what->type;
    for (uint32_t i = 0; i < HOPPER_IN;) {
        uint32_t value = hopper_random(&seed), bytes = 4;
        if (type == T_INDEX16) {
            bytes = 2;
            value = hopper_index16(i / 2);
        } else if (type != T_BITS && type != T_S8) {
            bytes = (uint32_t)formats[type].bytes;
            value = what->wide
                        ? hopper_float(formats[type].exponent, formats[type].fraction, &seed,
                                       formats[type].spread)
                        : hopper_whole(formats[type].exponent, formats[type].fraction, &seed);
        }
        memcpy(in + i, &value, bytes);
        i += bytes;
    }
    hopper_choose(what, &seed, in + HOPPER_CHOICE);
    const int sums = what->arg[11]; /* of a product: 1 f32, 2 f16, 3 s32 */
    for (uint32_t i = HOPPER_SUMS; sums && i < HOPPER_IN; i += sums == 2 ? 2 : 4) {
        const int exponent = sums == 2 ? 5 : 8, fraction = sums == 2 ? 10 : 23;
        uint32_t value = what->wide ? hopper_float(exponent, fraction, &seed, sums == 2 ? 8 : 16)
                                    : hopper_whole(exponent, fraction, &seed);
        if (sums == 3)
            value = hopper_random(&seed) % 2001 - 1000;
        memcpy(in + i, &value, sums == 2 ? 2 : 4);
    }
}

/* ---- what all have --------------------------------------------------------------------------------- */

static inline int hopper_threads(const struct hopper_case *what)
{
    return what->threads ? what->threads : 128;
}

static inline void hopper_begin(struct hopper_text *text, const struct hopper_case *what, bool fill)
{
    hopper_put(text,
               ".version 8.6\n.target sm_90a\n.address_size 64\n"
               ".extern .shared .align 1024 .b8 s[];\n.visible .entry %s(.param .u64 in, .param "
               ".u64 out, .param .align 64 .b8 map[128])\n",
               what->name);
    hopper_put(
        text,
        "{\n.reg .pred %%p<8>; .reg .b16 %%h<16>; .reg .b32 %%r<64>; .reg .b64 %%rd<32>; .reg "
        ".f32 %%f<136>;\n.reg .b32 %%d<136>, %%a<8>; .reg .b32 %%me, %%sm, %%lane, "
        "%%blk; .reg .b64 %%in, %%out, %%map, %%o;\n"
        "ld.param.u64 %%in, [in]; cvta.to.global.u64 %%in, %%in;\n"
        "ld.param.u64 %%out, [out]; cvta.to.global.u64 %%out, %%out;\n"
        "mov.b64 %%map, map; cvta.param.u64 %%map, %%map;\n"
        "mov.u32 %%me, %%tid.x; mov.u32 %%lane, %%laneid; mov.u32 %%blk, %%ctaid.x; "
        "mov.u32 %%sm, s;\nmad.lo.u32 %%r63, %%blk, %d, %%me; mad.wide.u32 %%o, %%r63, "
        "4, %%out;\n",
        hopper_threads(what));
    if (!fill)
        return;
    hopper_put(
        text,
        "shl.b32 %%r60, %%me, 4;\n"
        "FILL: setp.ge.u32 %%p7, %%r60, %d; @%%p7 bra FILLED;\n"
        "cvt.u64.u32 %%rd30, %%r60; add.s64 %%rd30, %%rd30, %%in; add.u32 %%r61, %%sm, %%r60;\n"
        "ld.global.v4.u32 {%%r56, %%r57, %%r58, %%r59}, [%%rd30];\n"
        "st.shared.v4.u32 [%%r61], {%%r56, %%r57, %%r58, %%r59};\n"
        "add.u32 %%r60, %%r60, %d; bra FILL;\n"
        "FILLED: fence.proxy.async; bar.sync 0;\n",
        HOPPER_IN, 16 * hopper_threads(what));
}

/* A body as text. arg[0]: shared memory is filled. */
static inline void hopper_body(struct hopper_text *text, const struct hopper_case *what)
{
    hopper_begin(text, what, what->arg[0]);
    hopper_put(text, "%s\nret;\n}\n", what->body);
}

static inline void hopper_list(struct hopper_text *text, char letter, int count)
{
    hopper_put(text, "{");
    for (int i = 0; i < count; i++)
        hopper_put(text, "%s%%%c%d", i ? ", " : "", letter, i);
    hopper_put(text, "}");
}

/* ---- wgmma ------------------------------------------------------------------------------------------- */

enum {
    W_N,
    W_A,
    W_SWIZZLE_A,
    W_SWIZZLE_B,
    W_TURN_A,
    W_TURN_B,
    W_D,
    W_SCALE,
    W_MINUS_A,
    W_MINUS_B,
    W_BASE,
    W_SUMS
};
enum { D_F32, D_F16, D_S32 };
/* Types of A and B, which are of one size. */
static inline const char *hopper_types(const struct hopper_case *what, int *bytes, bool *whole)
{
    *whole = false;
    *bytes = 1;
    switch (what->type) {
    case T_F16:
    case T_INDEX16:
        *bytes = 2;
        return "f16.f16";
    case T_BF16:
        *bytes = 2;
        return "bf16.bf16";
    case T_TF32:
        *bytes = 4;
        return "tf32.tf32";
    case T_E4M3:
        return what->arg[W_MINUS_A] & 2 ? "e4m3.e5m2" : "e4m3.e4m3";
    case T_E5M2:
        return what->arg[W_MINUS_A] & 2 ? "e5m2.e4m3" : "e5m2.e5m2";
    case T_S8:
        *whole = true;
        return what->arg[W_MINUS_A] == 0   ? "s8.s8"
               : what->arg[W_MINUS_A] == 1 ? "s8.u8"
               : what->arg[W_MINUS_A] == 2 ? "u8.s8"
                                           : "u8.u8";
    default:
        *whole = true;
        return "b1.b1";
    }
}

/* Bits of a descriptor: offsets in bytes, the swizzle as the field has it (1: 128, 2: 64, 3: 32 bytes). */
static inline uint64_t hopper_descriptor(int swizzle, bool turned, int bytes, int base)
{
    const uint32_t span = swizzle == 1 ? 128 : swizzle == 2 ? 64 : swizzle == 3 ? 32 : 16;
    uint32_t leading = 128, stride = 256; /* no swizzle: bricks of 8 rows of 16 bytes */
    if (swizzle && !turned)
        leading = 16, stride = 8 * span;
    else if (swizzle)
        leading = 8 * span * (32 / (uint32_t)bytes / 8), stride = 8 * span;
    else if (turned)
        leading = 128, stride = 128 * (32 / (uint32_t)bytes / 8);
    return (uint64_t)(leading >> 4) << 16 | (uint64_t)(stride >> 4) << 32 | (uint64_t)base << 49 |
           (uint64_t)swizzle << 62;
}

/* A thread's word of the metadata of a sparse product. */
static inline void hopper_metadata(struct hopper_text *text, const struct hopper_case *what)
{
    if (what->choice)
        hopper_put(text, "mad.wide.u32 %%rd1, %%me, 4, %%in; ld.global.b32 %%r48, [%%rd1+%d];\n",
                   HOPPER_CHOICE);
}

enum { HOPPER_B = 16 << 10 };
static inline void hopper_wgmma(struct hopper_text *text, const struct hopper_case *what)
{
    const int *arg = what->arg;
    const int n = arg[W_N];
    int bytes;
    bool whole;
    const char *types = hopper_types(what, &bytes, &whole);
    const bool bits = what->type == T_BITS;
    const int regs = arg[W_D] == D_F16 ? n / 4 : n / 2;
    const int depth = (bits ? 256 : 32 / bytes) * (what->choice ? 2 : 1);
    hopper_begin(text, what, true);
    hopper_metadata(text, what);
    for (int i = 0; i < regs; i++) /* sums before: words of in, from HOPPER_SUMS on */
        hopper_put(text,
                   "add.u32 %%r1, %%me, %d; and.b32 %%r1, %%r1, 4095; mad.wide.u32 %%rd1, %%r1, 4, "
                   "%%in; ld.global.b32 %%d%d, [%%rd1+%d];\n",
                   i * 128, i, HOPPER_SUMS);
    for (int i = 0; i < 4 && arg[W_A]; i++)
        hopper_put(text, "mad.wide.u32 %%rd1, %%me, 16, %%in; ld.global.b32 %%a%d, [%%rd1+%d];\n",
                   i, 4 * i);
    for (int i = 0; i < regs && arg[W_D] == D_F32; i++)
        hopper_put(text, "mov.b32 %%f%d, %%d%d;\n", i, i);
    if (what->type == T_INDEX16 &&
        arg[W_A]) /* A is the unit matrix: lane 4 g + t has k = 2 t, ... of row g */
        hopper_put(
            text, "and.b32 %%r2, %%me, 31; shr.u32 %%r3, %%r2, 2; and.b32 %%r4, %%r2, 3; shr.u32 "
                  "%%r5, %%r3, 1; and.b32 %%r6, %%r3, 1; setp.eq.u32 %%p1, %%r4, %%r5; setp.eq.u32 "
                  "%%p2, %%r6, 0; selp.b32 %%r7, 0x3c00, 0x3c000000, %%p2; selp.b32 %%r7, %%r7, 0, "
                  "%%p1; mov.b32 %%a0, %%r7; mov.b32 %%a1, 0; mov.b32 %%a2, 0; mov.b32 %%a3, "
                  "%%r7;\n");
    const uint64_t a = hopper_descriptor(arg[W_SWIZZLE_A], arg[W_TURN_A], bytes, 0);
    const uint64_t b = hopper_descriptor(arg[W_SWIZZLE_B], arg[W_TURN_B], bytes, arg[W_BASE]);
    hopper_put(
        text,
        "shr.u32 %%r1, %%sm, 4; cvt.u64.u32 %%rd2, %%r1; add.u32 %%r1, %%sm, %d; shr.u32 %%r1, "
        "%%r1, 4; cvt.u64.u32 %%rd3, %%r1;\n"
        "add.s64 %%rd2, %%rd2, 0x%llx; add.s64 %%rd3, %%rd3, 0x%llx;\n",
        HOPPER_B + 128 * arg[W_BASE], (unsigned long long)a, (unsigned long long)b);
    hopper_put(text, "setp.eq.u32 %%p1, %%me, %%me; wgmma.fence.sync.aligned;\n");
    const char *d = arg[W_D] == D_F32 ? "f32" : arg[W_D] == D_F16 ? "f16" : "s32";
    hopper_put(text, "wgmma.mma_async%s.sync.aligned.m64n%dk%d.%s.%s%s ", what->choice ? ".sp" : "",
               n, depth, d, types, bits ? ".and.popc" : "");
    hopper_list(text, arg[W_D] == D_F32 ? 'f' : 'd', regs);
    if (arg[W_A])
        hopper_put(text, ", {%%a0, %%a1, %%a2, %%a3}");
    else
        hopper_put(text, ", %%rd2");
    hopper_put(text, ", %%rd3");
    if (what->choice)
        hopper_put(text, ", %%r48, %d", what->selector);
    hopper_put(text, ", %d", arg[W_SCALE]);
    if (!whole)
        hopper_put(text, ", %d, %d", arg[W_MINUS_A] & 1 ? -1 : 1, arg[W_MINUS_B] ? -1 : 1);
    if (bytes == 2 && !arg[W_A])
        hopper_put(text, ", %d", arg[W_TURN_A]);
    if (bytes == 2)
        hopper_put(text, ", %d", arg[W_TURN_B]);
    hopper_put(text, ";\nwgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n");
    for (int i = 0; i < regs; i++)
        hopper_put(text, "st.global.%s [%%o+%d], %%%c%d;\n", arg[W_D] == D_F32 ? "f32" : "b32",
                   512 * i, arg[W_D] == D_F32 ? 'f' : 'd', i);
    hopper_put(text, "ret;\n}\n");
}

/* ---- mma.sync ------------------------------------------------------------------------------------------ */

/* arg: 0 depth, 1 registers of A, 2 of B, 3 of C; body: the words behind the shape. */
static inline void hopper_mma(struct hopper_text *text, const struct hopper_case *what)
{
    const int a = what->arg[1], b = what->arg[2], c = what->arg[3];
    hopper_begin(text, what, false);
    hopper_put(text, "mad.wide.u32 %%rd1, %%lane, 4, %%in;\n");
    for (int i = 0; i < a; i++)
        hopper_put(text, "ld.global.b32 %%a%d, [%%rd1+%d];\n", i, 128 * i);
    for (int i = 0; i < b; i++)
        hopper_put(text, "ld.global.b32 %%r%d, [%%rd1+%d];\n", i, 1024 + 128 * i);
    for (int i = 0; i < c; i++)
        hopper_put(text, "ld.global.b32 %%d%d, [%%rd1+%d]; mov.b32 %%f%d, %%d%d;\n", i,
                   HOPPER_SUMS + 128 * i, i, i);
    const char letter = what->arg[11] == 1 ? 'f' : 'd';
    hopper_metadata(text, what);
    hopper_put(text, "mma%s.sync.aligned.m16n8k%d.row.col.%s ",
               !what->choice            ? ""
               : what->choice == RISING ? ".sp::ordered_metadata"
                                        : ".sp",
               what->arg[0], what->body);
    hopper_list(text, letter, c);
    hopper_put(text, ", ");
    hopper_list(text, 'a', a);
    hopper_put(text, ", ");
    hopper_list(text, 'r', b);
    hopper_put(text, ", ");
    hopper_list(text, letter, c);
    if (what->choice)
        hopper_put(text, ", %%r48, %d", what->selector);
    hopper_put(text, ";\n");
    for (int i = 0; i < c; i++)
        hopper_put(text, "st.global.%s [%%o+%d], %%%c%d;\n", letter == 'f' ? "f32" : "b32", 128 * i,
                   letter, i);
    hopper_put(text, "ret;\n}\n");
}

/* ---- bulk copies and tensor maps ---------------------------------------------------------------------- */

/* The mbarrier lies behind what is copied. */
#define BARRIER_AT "65536"
#define MAKE_BARRIER(count)                                                                        \
    "setp.eq.u32 %p1, %me, 0; add.u32 %r50, %sm, " BARRIER_AT ";\n"                                \
    "@%p1 mbarrier.init.shared::cta.b64 [%r50], " count ";\n"                                      \
    "fence.mbarrier_init.release.cluster; bar.sync 0;\n"
/* It ends after a while, whatever comes. */
#define WAIT_PARITY(label, parity)                                                                 \
    "mov.b32 %r49, 0; " label ": mbarrier.test_wait.parity.shared::cta.b64 %p6, [%r50], " parity   \
    "; add.u32 %r49, %r49, 1; setp.lt.u32 %p7, %r49, 200000; @%p6 bra " label                      \
    "_OVER; @%p7 bra " label "; st.global.b32 [%out+262140], %r49; " label "_OVER:\n"
/* All of shared memory goes to out, 16 bytes by each thread. */
#define DUMP(bytes, step)                                                                          \
    "bar.sync 0; shl.b32 %r40, %me, 4; mad.lo.u32 %r42, %blk, " bytes ", 0;\n"                     \
    "DUMP: setp.ge.u32 %p5, %r40, " bytes "; @%p5 bra DUMPED;\n"                                   \
    "add.u32 %r41, %sm, %r40; ld.shared.v4.u32 {%r36, %r37, %r38, %r39}, [%r41];\n"                \
    "add.u32 %r43, %r42, %r40; cvt.u64.u32 %rd20, %r43; add.s64 %rd20, %rd20, %out;\n"             \
    "st.global.v4.u32 [%rd20], {%r36, %r37, %r38, %r39};\n"                                        \
    "add.u32 %r40, %r40, " step "; bra DUMP; DUMPED:\n"

static inline const char *hopper_coordinates(int rank)
{
    static const char *const lists[] = {"",
                                        "{%r1}",
                                        "{%r1, %r2}",
                                        "{%r1, %r2, %r3}",
                                        "{%r1, %r2, %r3, %r4}",
                                        "{%r1, %r2, %r3, %r4, %r5}"};
    return lists[rank];
}

/* What follows the map of a copy: whether it is of a box or of columns, and how its end is told. */
static inline const char *hopper_mode(const struct hopper_map *map, bool loads)
{
    return !map->channels ? "tile" : loads ? "im2col" : "im2col_no_offs";
}

static inline uint32_t hopper_box_bytes(const struct hopper_map *map)
{
    uint32_t bytes = (uint32_t)map->bytes;
    if (map->channels)
        return bytes * (uint32_t)(map->channels * map->pixels);
    for (int i = 0; i < map->rank; i++) /* the step of the innermost dimension has no meaning */
        bytes *= i ? (map->box[i] + map->step[i] - 1) / map->step[i] : map->box[i];
    return bytes;
}

/* A box to shared memory, which is all 0xabcdabcd before, and from there to out. `map`: where the tensor map is. */
static inline void hopper_load_box(struct hopper_text *text, const struct hopper_case *what,
                                   const char *map, uint32_t bytes)
{
    static const char *const offsets[] = {
        "", "", "", ", {%h1}", ", {%h1, %h2}", ", {%h1, %h2, %h3}"};
    hopper_put(
        text,
        "shl.b32 %%r20, %%me, 4; mov.b32 %%r22, 0xabcdabcd;\n" /* what is not copied stays */
        "MARK: setp.ge.u32 %%p5, %%r20, 16384; @%%p5 bra MARKED; add.u32 %%r21, %%sm, %%r20;\n"
        "st.shared.v4.u32 [%%r21], {%%r22, %%r22, %%r22, %%r22}; add.u32 %%r20, %%r20, 2048; bra "
        "MARK;\nMARKED: fence.proxy.async;\n");
    hopper_put(text, "%s", MAKE_BARRIER("1"));
    for (int i = 0; i < 3 && what->map.channels; i++)
        hopper_put(text, "mov.b16 %%h%d, %d;\n", i + 1, what->arg[6 + i]);
    hopper_put(text,
               "@!%%p1 bra SKIP; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%r50], %u;\n"
               "cp.async.bulk.tensor.%dd.shared::cluster.global.%s.mbarrier::complete_tx::bytes "
               "[%%sm], [%s, %s], [%%r50]%s;\nSKIP:\n",
               bytes, what->map.rank, hopper_mode(&what->map, true), map,
               hopper_coordinates(what->map.rank),
               what->map.channels ? offsets[what->map.rank] : "");
    hopper_put(text, "%s", WAIT_PARITY("W", "0") DUMP("16384", "2048") "ret;\n}\n");
}

/* arg: 0..4 coordinates, 5: 0 loads, 1 stores, 2.. reduces, 6..8 offsets of im2col. body: the word of a reduction. */
static inline void hopper_tensor(struct hopper_text *text, const struct hopper_case *what)
{
    const struct hopper_map *map = &what->map;
    hopper_begin(text, what, what->arg[5] != 0);
    for (int i = 0; i < 5; i++)
        hopper_put(text, "mov.b32 %%r%d, %d;\n", i + 1, what->arg[i]);
    if (what->arg[5])
        hopper_put(text,
                   "setp.eq.u32 %%p1, %%me, 0; @!%%p1 bra SKIP;\n"
                   "cp%s.async.bulk.tensor.%dd.global.shared::cta%s%s.%s.bulk_group [%%map, %s], "
                   "[%%sm];\n"
                   "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nSKIP:\nret;\n}\n",
                   what->arg[5] == 2 ? ".reduce" : "", map->rank, what->arg[5] == 2 ? "." : "",
                   what->arg[5] == 2 ? what->body : "", hopper_mode(map, false),
                   hopper_coordinates(map->rank));
    else
        hopper_load_box(text, what, "%map", hopper_box_bytes(map));
}

/* The map is changed by `body` in shared memory at %r30, goes to global memory, and is used there. arg: 5: the bytes of
 * the box then, 6: it is changed in global memory, at %rd9. */
static inline void hopper_replace(struct hopper_text *text, const struct hopper_case *what)
{
    hopper_begin(text, what, false);
    for (int i = 0; i < 5; i++)
        hopper_put(text, "mov.b32 %%r%d, %d;\n", i + 1, what->arg[i]);
    hopper_put(
        text,
        "add.u32 %%r30, %%sm, 32768; add.s64 %%rd9, %%in, %d; setp.ge.u32 %%p4, %%me, 32; @%%p4 "
        "bra OTHERS;\n"
        "shl.b32 %%r31, %%me, 2; cvt.u64.u32 %%rd8, %%r31; add.s64 %%rd7, %%map, %%rd8; ld.b32 "
        "%%r32, [%%rd7]; add.u32 %%r31, %%r31, %%r30; st.shared.b32 [%%r31], %%r32; add.s64 "
        "%%rd8, %%rd8, %%rd9; st.global.b32 [%%rd8], %%r32; bar.warp.sync 0xffffffff;\n"
        "setp.ne.u32 %%p3, %%me, 0; @%%p3 bra CHANGED;\n%s\nCHANGED: bar.warp.sync 0xffffffff;\n",
        HOPPER_IN - 128, what->body);
    hopper_put(
        text,
        what->arg[6]
            ? "fence.proxy.tensormap::generic.release.gpu;\n"
            : "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync."
              "aligned [%%rd9], [%%r30], 128;\n");
    hopper_put(text,
               "fence.proxy.tensormap::generic.acquire.gpu [%%rd9], 128;\nOTHERS: bar.sync 0;\n");
    hopper_load_box(text, what, "%rd9", (uint32_t)what->arg[5]);
}

/* Whether its tensor map is of `out`. */
static inline bool hopper_stores(const struct hopper_case *what)
{
    return what->map.rank && what->write == hopper_tensor && what->arg[5];
}

#include "tests/support/hopper_cases.def"

#endif
