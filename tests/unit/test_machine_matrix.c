/* test_machine_matrix.c - wmma of numbers of 4 bits and of 1 bit, which no program of tests/programs has (those
 * have the other types; tests/compare-counts holds them against a GPU), products of bits by mma, and
 * comparisons of pairs of halves. */
#include "tests/support/run_ptx.h"

#include <stdarg.h>
#include <stdio.h>

static uint32_t next(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 32);
}

static void run_words(const char *text, uint32_t threads, struct ran *ran)
{
    const struct machine_launch launch = {.grid = {1, 1, 1}, .block = {threads, 1, 1}};
    run_launch(text, launch, ran);
    if (!ran->outcome.good)
        fail_msg("%s%s", ran->error.text, ran->fault);
}

/* ---- whole numbers ----------------------------------------------------------------------------- */

/* A is 8 x k by rows from word 0, B is k x 8 by columns from word 32, C from word 64, D goes to word 128. */
enum { A = 0, B = 32, C = 64, D = 128 };
enum rule { MULTIPLY, BOTH, DIFFER };

static int element(const uint32_t *words, int place, int bits, bool is_signed)
{
    const uint32_t value = words[place * bits / 32] >> place * bits % 32 & ((1u << bits) - 1);
    return is_signed && value >> (bits - 1) ? (int)value - (1 << bits) : (int)value;
}

static int expected(const struct ran *ran, int row, int column, int depth, bool is_signed,
                    enum rule rule)
{
    const int bits = 1024 / 8 / depth;
    int sum = (int)ran->word[C + row * 8 + column];
    for (int k = 0; k < depth; k++) {
        const int a = element(ran->word + A, row * depth + k, bits, is_signed);
        const int b = element(ran->word + B, column * depth + k, bits, is_signed);
        sum += rule == DIFFER ? a ^ b : a * b;
    }
    return sum;
}

/* The same products by wmma from global and from shared memory, and by mma. */
static const char by_wmma[] =
    HEAD ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %%r<30>; .reg .b64 %%p0;\n"
         "ld.param.u64 %%p0, [p];\n"
         "wmma.load.a.sync.aligned.row.%1$s.%2$s {%%r1}, [%%p0];\n"
         "wmma.load.b.sync.aligned.col.%1$s.%2$s {%%r2}, [%%p0+128], %3$d;\n"
         "wmma.load.c.sync.aligned.row.%1$s.global.s32 {%%r3, %%r4}, [%%p0+256], 8;\n"
         "wmma.mma%4$s.sync.aligned.row.col.%1$s.s32.%2$s.%2$s.s32 {%%r5, %%r6}, {%%r1}, {%%r2}, "
         "{%%r3, %%r4};\n"
         "wmma.store.d.sync.aligned.row.%1$s.s32 [%%p0+512], {%%r5, %%r6}, 8; ret; }\n";
static const char by_shared[] =
    HEAD ".shared .align 16 .b8 tile[512];\n.visible .entry k(.param .u64 p)\n{\n"
         ".reg .b32 %%r<30>; .reg .b64 %%rd<9>;\n"
         "ld.param.u64 %%rd1, [p]; mov.u32 %%r1, %%tid.x; mov.u32 %%r9, tile;\n"
         "mad.wide.u32 %%rd2, %%r1, 16, %%rd1; mad.lo.u32 %%r2, %%r1, 16, %%r9;\n"
         "ld.global.v4.u32 {%%r3, %%r4, %%r5, %%r6}, [%%rd2];\n"
         "st.shared.v4.u32 [%%r2], {%%r3, %%r4, %%r5, %%r6}; bar.sync 0;\n"
         "wmma.load.a.sync.aligned.row.%1$s.shared.%2$s {%%r11}, [tile];\n"
         "wmma.load.b.sync.aligned.col.%1$s.shared.%2$s {%%r12}, [%%r9+128], %3$d;\n"
         "wmma.load.c.sync.aligned.row.%1$s.shared.s32 {%%r13, %%r14}, [tile+256];\n"
         "wmma.mma%4$s.sync.aligned.row.col.%1$s.s32.%2$s.%2$s.s32 {%%r5, %%r6}, {%%r11}, {%%r12}, "
         "{%%r13, %%r14};\n"
         "wmma.store.d.sync.aligned.row.%1$s.s32 [%%rd1+512], {%%r5, %%r6}; ret; }\n";

static void try_small(const char *pattern, const char *shape, const char *type, int depth,
                      const char *word, bool is_signed, enum rule rule)
{
    static struct ran ran;
    char text[4000];
    uint64_t seed = 7;
    snprintf(text, sizeof text, pattern, shape, type, depth, word);
    memset(&ran, 0, sizeof ran);
    for (int i = 0; i < D; i++)
        ran.word[i] = next(&seed) >> (i < C ? 0 : 20);
    run_words(text, 32, &ran);
    for (int i = 0; i < 64; i++)
        assert_int_equal((int)ran.word[D + i],
                         expected(&ran, i / 8, i % 8, depth, is_signed, rule));
    if (pattern == by_wmma)
        return;
    /* two LDSM of 8 rows of 16 bytes, and 8-byte loads of C: no conflicts */
    for (int i = 2; i < 4; i++) {
        assert_int_equal(ran.count[i].instructions, 1);
        assert_int_equal(ran.count[i].lanes, 8);
        assert_int_equal(ran.count[i].passes, 1);
    }
    assert_int_equal(ran.count[4].instructions, 1);
    assert_int_equal(ran.count[4].passes, 2);
}

static void numbers_of_4_bits_and_1_bit(void **state)
{
    static const char *const patterns[] = {by_wmma, by_shared};
    (void)state;
    for (int i = 0; i < 2; i++) {
        try_small(patterns[i], "m8n8k32", "s4", 32, "", true, MULTIPLY);
        try_small(patterns[i], "m8n8k32", "u4", 32, "", false, MULTIPLY);
        try_small(patterns[i], "m8n8k128", "b1", 128, ".xor.popc", false, DIFFER);
        try_small(patterns[i], "m8n8k128", "b1", 128, ".and.popc", false, BOTH);
    }
}

/* A of 16 x 256 bits: lane 4 g + t has 32 bits of rows g and g + 8, from 32 t and from 128 + 32 t on. */
static void bits_by_mma(void **state)
{
    static struct ran ran;
    uint64_t seed = 3;
    (void)state;
    memset(&ran, 0, sizeof ran);
    for (int i = 0; i < 192; i++)
        ran.word[i] = next(&seed);
    uint32_t before[192];
    memcpy(before, ran.word, sizeof before);
    run_words(KERNEL
              "ld.global.u32 %r1, [%a]; ld.global.u32 %r2, [%a+128]; ld.global.u32 %r3, "
              "[%a+256]; ld.global.u32 %r4, [%a+384];\n"
              "ld.global.u32 %r5, [%a+512]; ld.global.u32 %r6, [%a+640];\n"
              "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc {%r7, %r8, %r9, "
              "%r10}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {1, 2, 3, 4};\n"
              "st.global.u32 [%a], %r7; st.global.u32 [%a+128], %r8; st.global.u32 [%a+256], "
              "%r9; st.global.u32 [%a+384], %r10; ret; }\n",
              32, &ran);
    for (int i = 0; i < 128; i++) {
        const int lane = i % 32, cell = i / 32, row = lane / 4 + cell / 2 * 8;
        const int column = lane % 4 * 2 + cell % 2;
        int sum = 1 + cell;
        for (int k = 0; k < 8; k++) /* words of 32 bits of the depth */
            sum += __builtin_popcount(before[(k / 4 * 2 + row / 8) * 32 + row % 8 * 4 + k % 4] ^
                                      before[128 + k / 4 * 32 + column * 4 + k % 4]);
        assert_int_equal((int)ran.word[i], sum);
    }
}

/* ---- where matrices are ------------------------------------------------------------------------ */

enum { ROOM = 4096 }; /* of a matrix: by rows, then by columns, then what is stored */
struct matrix {
    const char *role, *shape, *type;
    int bits, rows, columns, registers;
    const char *register_type;
};

__attribute__((format(printf, 2, 3))) static void add_text(char *text, const char *format, ...)
{
    const size_t length = strlen(text);
    va_list values;
    va_start(values, format);
    vsnprintf(text + length, 16000 - length, format, values);
    va_end(values);
}

/* The matrix moves between registers %NAME0, %NAME1... and one of its places. */
static void add_move(char *text, const struct matrix *of, bool stores, bool crossed, int space,
                     const char *name)
{
    static const char *const spaces[] = {".global", ".shared", "", ""};
    static const char *const bases[] = {"%rd1", "%rd2", "%rd3", "%rd4"};
    const int stride = (crossed ? of->rows : of->columns) + 128 / of->bits;
    const int at = stores ? 2 * ROOM : crossed ? ROOM : 0;
    char registers[200] = "";
    for (int i = 0; i < of->registers; i++)
        add_text(registers, "%s%%%s%d", i ? ", " : "{", name, i);
    if (stores)
        add_text(text, "wmma.store.d.sync.aligned.%s.%s%s.%s [%s+%d], %s}, %d;\n",
                 crossed ? "col" : "row", of->shape, spaces[space], of->type, bases[space], at,
                 registers, stride);
    add_text(text, "wmma.load.%s.sync.aligned.%s.%s%s.%s %s}, [%s+%d], %d;\n", of->role,
             crossed ? "col" : "row", of->shape, spaces[space], of->type, registers, bases[space],
             at, stride);
    for (int i = 0; i < of->registers; i++)
        if (!strcmp(of->register_type, "f64"))
            add_text(text, "mov.b64 %%rd8, %%%s%d; mov.b64 %%rd9, %%y%d;\n", name, i, i);
        else
            add_text(text,
                     "mov.b32 %%r8, %%%s%d; cvt.u64.u32 %%rd8, %%r8; mov.b32 %%r9, %%y%d; "
                     "cvt.u64.u32 %%rd9, %%r9;\n",
                     name, i, i);
    add_text(text, "or.b64 %%rd10, %%rd10, %%rd9; xor.b64 %%rd9, %%rd8, %%rd9; or.b64 %%rd11, "
                   "%%rd11, %%rd9;\n");
}

/* A matrix by rows comes into the same registers as the same one by columns, from any memory, and what is stored from
 * them, too. The kernel fills two matrices, and says 2 if a lane has nothing of them, 1 if others differ from the first. */
static void lanes_have_the_same_of_a_matrix(void **state)
{
    static const struct matrix matrices[] = {
        {"a", "m16n16k16", "f16", 16, 16, 16, 8, "b32"},
        {"b", "m16n16k16", "f16", 16, 16, 16, 8, "b32"},
        {"a", "m32n8k16", "f16", 16, 32, 16, 8, "b32"},
        {"b", "m32n8k16", "f16", 16, 16, 8, 8, "b32"},
        {"a", "m8n32k16", "f16", 16, 8, 16, 8, "b32"},
        {"b", "m8n32k16", "f16", 16, 16, 32, 8, "b32"},
        {"a", "m16n16k16", "bf16", 16, 16, 16, 4, "b32"},
        {"b", "m32n8k16", "bf16", 16, 16, 8, 2, "b32"},
        {"a", "m16n16k16", "s8", 8, 16, 16, 2, "b32"},
        {"b", "m16n16k16", "u8", 8, 16, 16, 2, "b32"},
        {"a", "m32n8k16", "u8", 8, 32, 16, 4, "b32"},
        {"b", "m8n32k16", "s8", 8, 16, 32, 4, "b32"},
        {"a", "m16n16k8", "tf32", 32, 16, 8, 4, "b32"},
        {"b", "m16n16k8", "tf32", 32, 8, 16, 4, "b32"},
        {"a", "m8n8k4", "f64", 64, 8, 4, 1, "f64"},
        {"b", "m8n8k4", "f64", 64, 4, 8, 1, "f64"},
        {"c", "m16n16k16", "f32", 32, 16, 16, 8, "f32"},
        {"c", "m32n8k16", "f32", 32, 32, 8, 8, "f32"},
        {"c", "m8n32k16", "s32", 32, 8, 32, 8, "b32"},
        {"c", "m16n16k16", "f16", 16, 16, 16, 4, "b32"},
        {"c", "m8n32k16", "f16", 16, 8, 32, 4, "b32"},
        {"c", "m8n8k4", "f64", 64, 8, 8, 2, "f64"},
        {"c", "m8n8k32", "s32", 32, 8, 8, 2, "b32"},
    };
    static struct ran ran;
    static char text[16000];
    (void)state;
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
        const struct matrix *of = &matrices[i];
        const int bytes = of->bits / 8, pad = 16 / bytes;
        text[0] = '\0';
        add_text(text,
                 HEAD ".global .align 16 .b8 far[12288];\n.visible .entry k(.param .u64 p)\n{\n"
                      ".shared .align 16 .b8 near[12288];\n"
                      ".reg .b32 %%r<30>; .reg .b64 %%rd<30>; .reg .pred %%p<9>;\n"
                      ".reg .%s %%x<9>, %%y<9>;\n"
                      "ld.param.u64 %%rd0, [p]; cvta.to.global.u64 %%rd0, %%rd0; mov.u64 %%rd1, "
                      "far; mov.u64 %%rd2, near; cvta.global.u64 %%rd3, %%rd1; cvta.shared.u64 "
                      "%%rd4, %%rd2;\nmov.u64 %%rd10, 0; mov.u64 %%rd11, 0; mov.u32 %%r1, "
                      "%%tid.x;\n",
                 of->register_type);
        add_text(text,
                 "FILL: div.u32 %%r2, %%r1, %d; rem.u32 %%r3, %%r1, %d;\n"
                 "mad.lo.u32 %%r4, %%r2, %d, %%r3; mad.lo.u32 %%r5, %%r3, %d, %%r2;\n",
                 of->columns, of->columns, of->columns + pad, of->rows + pad);
        add_text(text,
                 "mul.lo.u32 %%r4, %%r4, %d; mad.lo.u32 %%r5, %%r5, %d, %d;\n"
                 "add.u32 %%r6, %%r1, 1; cvt.u64.u32 %%rd12, %%r6; cvt.u64.u32 %%rd13, %%r4; "
                 "cvt.u64.u32 %%rd14, %%r5;\n",
                 bytes, bytes, ROOM);
        for (int base = 3; base <= 4; base++)
            for (int at = 13; at <= 14; at++)
                add_text(text, "add.u64 %%rd15, %%rd%d, %%rd%d; st.u%d [%%rd15], %%rd12;\n", base,
                         at, of->bits);
        add_text(text,
                 "add.u32 %%r1, %%r1, 32; setp.lt.u32 %%p1, %%r1, %d; @%%p1 bra FILL;\n"
                 "bar.sync 0;\n",
                 of->rows * of->columns);
        add_move(text, of, false, false, 0, "y");
        for (int way = 1; way < 8; way++)
            add_move(text, of, false, way & 1, way / 2, "x");
        for (int way = 0; way < 8 && of->role[0] == 'c'; way++)
            add_move(text, of, true, way & 1, way / 2, "x");
        add_text(text,
                 "setp.eq.u64 %%p1, %%rd10, 0; setp.ne.u64 %%p2, %%rd11, 0; selp.u32 %%r2, 2, 0, "
                 "%%p1; selp.u32 %%r2, 1, %%r2, %%p2;\nmov.u32 %%r1, %%tid.x; mad.wide.u32 %%rd0, "
                 "%%r1, 4, %%rd0; st.global.u32 [%%rd0], %%r2; ret; }\n");
        memset(&ran, 0xff, sizeof ran.word);
        run_words(text, 32, &ran);
        for (int lane = 0; lane < 32; lane++)
            if (ran.word[lane])
                fail_msg("%s %s %s: lane %d says %u", of->role, of->shape, of->type, lane,
                         ran.word[lane]);
    }
}

/* ---- infinities -------------------------------------------------------------------------------- */

enum { ONE = 0x3c00, INFINITE = 0x7c00, BELOW_ALL = 0xfc00, NO_NUMBER = 0x7fffffff };

/* Where of 16 x 16 halves that lanes have element k of the second row of A, or column of B, is: lane 4 + k / 2 % 4, and of its
 * registers the first one or that of the second half of the depth. */
static void put_half(struct ran *ran, int first, int second, int k, uint32_t value)
{
    uint32_t *word = &ran->word[(k < 8 ? first : second) + 4 + k / 2 % 4];
    *word = k & 1 ? (*word & 0xffff) | value << 16 : (*word & 0xffff0000) | value;
}

/* Of A and B, which are all 1 but for what a case changes, the first two rows and columns of the product: lane by lane in
 * words 192 on. A infinity counts wherever in the depth it is. */
static void infinities_are_multiplied_and_added(void **state)
{
    enum { PLAIN, TIMES_ZERO, BOTH_SIGNS, OF_COLUMN, BESIDE_THE_SUM, CASES };
    const uint32_t plain = 0x41800000, fifteen = 0x41700000, infinite = 0x7f800000;
    static struct ran ran;
    (void)state;
    for (int i = 0; i < 16 * CASES; i++) {
        const int k = i % 16, now = i / 16;
        memset(&ran, 0, sizeof ran);
        for (int at = 0; at < 192; at++)
            ran.word[at] = ONE << 16 | ONE;
        if (now == OF_COLUMN)
            put_half(&ran, 128, 160, k, BELOW_ALL);
        else
            put_half(&ran, 0, 64, k, INFINITE);
        if (now == TIMES_ZERO)
            put_half(&ran, 128, 160, k, 0);
        if (now == BOTH_SIGNS)
            put_half(&ran, 0, 64, (k + 5) % 16, BELOW_ALL);
        const char sum[] = "mov.b32 %r7, 0xff800000;"; /* of the second row and column */
        char text[2000];
        snprintf(text, sizeof text,
                 "%smov.u32 %%r7, 0; setp.eq.u32 %%p1, %%t, 4; %s%s\n"
                 "ld.global.u32 %%r1, [%%a]; ld.global.u32 %%r2, [%%a+128]; ld.global.u32 %%r3, "
                 "[%%a+256]; ld.global.u32 %%r4, [%%a+384];\n"
                 "ld.global.u32 %%r5, [%%a+512]; ld.global.u32 %%r6, [%%a+640]; mov.b32 %%f1, "
                 "%%r7;\n"
                 "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%%f5, %%f6, %%f7, %%f8}, "
                 "{%%r1, %%r2, %%r3, %%r4}, {%%r5, %%r6}, {0f00000000, %%f1, 0f00000000, "
                 "0f00000000};\n"
                 "mad.wide.u32 %%a, %%t, 8, %%p0; st.global.v2.f32 [%%a+768], {%%f5, %%f6}; ret; "
                 "}\n",
                 KERNEL, now == BESIDE_THE_SUM ? "@%p1 " : "", now == BESIDE_THE_SUM ? sum : "");
        run_words(text, 32, &ran);
        const uint32_t want[CASES][3] = {[PLAIN] = {infinite, infinite, plain},
                                         [TIMES_ZERO] = {NO_NUMBER, infinite, fifteen},
                                         [BOTH_SIGNS] = {NO_NUMBER, NO_NUMBER, plain},
                                         [OF_COLUMN] = {0xff800000, plain, 0xff800000},
                                         [BESIDE_THE_SUM] = {NO_NUMBER, infinite, plain}};
        const uint32_t got[3] = {ran.word[201], ran.word[200], ran.word[193]};
        for (int at = 0; at < 3; at++)
            if (got[at] != want[now][at])
                fail_msg("case %d, %d: number %d is %08x, not %08x", now, k, at, got[at],
                         want[now][at]);
    }
}

/* ---- refusals ---------------------------------------------------------------------------------- */

static void refuses(const char *instruction, uint32_t threads, const char *message)
{
    struct ran ran = {.word = {0}};
    char text[2000];
    const struct machine_launch launch = {.grid = {1, 1, 1}, .block = {threads, 1, 1}};
    snprintf(text, sizeof text, "%s%s ret; }\n", KERNEL, instruction);
    run_launch(text, launch, &ran);
    assert_false(ran.outcome.good);
    if (!strstr(ran.error.text, message) && !strstr(ran.fault, message))
        fail_msg("%s: %s%s", instruction, ran.error.text, ran.fault);
}

static void what_is_not_there_is_named(void **state)
{
    (void)state;
    const char shape[] = "a matrix of this shape or type is not known";
    refuses("wmma.load.a.sync.aligned.col.m8n8k32.s4 {%r1}, [%p0];", 32, shape);
    refuses("wmma.load.a.sync.aligned.row.m16n16k16.tf32 {%r1, %r2, %r3, %r4}, [%p0];", 32, shape);
    refuses("wmma.load.a.sync.aligned.row.m8n8k4.f16 {%r1}, [%p0];", 32, shape);
    refuses("wmma.load.a.sync.aligned.row.m16n16k16.bf16 {%r1, %r2, %r3}, [%p0];", 32,
            "another number of registers is expected");
    refuses("wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.u4.s32 {%r1, %r2}, {%r3}, {%r4}, {%r5, "
            "%r6};",
            32, "a product of this shape or type is not known");
    refuses("wmma.mma.sync.aligned.row.col.m8n8k32.f32.s4.s4.f32 {%f1, %f2}, {%r3}, {%r4}, {%f3, "
            "%f4};",
            32, "a product of this shape or type is not known");
    refuses("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f1, %f2}, {%r3}, {%r4}, {%f3, %f4};",
            32, "a product of this shape or type is not known");
    refuses("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r1, 7}, {%r3}, {%r4}, {%r5, %r6};",
            32, "a register is expected as destination");
    refuses("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r1, %r2}, {%p1}, {%r4}, {%r5, %r6};",
            32, "a plain register is expected");
    refuses("wmma.load.a.sync.aligned.row.m8n8k32.s4 {%r1}, [%p0+8388608];", 32,
            "which is no memory of the device");
    refuses("wmma.load.a.sync.aligned.row.m8n8k32.s4 {%r1}, [%p0];", 16,
            "this instruction needs all 32 lanes of a warp, and 16 came");
    refuses("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];", 16,
            "this instruction needs all 32 lanes of a warp, and 16 came");
}

/* ---- counts ------------------------------------------------------------------------------------ */

static bool wants_each(void *context, uint64_t block)
{
    (void)context;
    (void)block;
    return true;
}

static void note_access(void *context, const struct machine_access *access)
{
    struct ran *ran = context;
    const size_t length = strlen(ran->printed);
    snprintf(ran->printed + length, sizeof ran->printed - length, "%s of %d bytes, %d lanes%s\n",
             op_name(access->op), access->bytes, __builtin_popcountll(access->mask),
             access->value ? ", known" : "");
}

/* Runs a warp; ran->printed gets its accesses. */
static void run_noted(const char *text, struct ran *ran)
{
    const struct machine_observer observer = {.wants = wants_each, .access = note_access};
    memset(ran, 0, sizeof *ran);
    run_launch(text,
               (struct machine_launch){
                   .grid = {1, 1, 1}, .block = {32, 1, 1}, .values = true, .observer = &observer},
               ran);
}

/* A matrix of 16 x 16 halves in rows of 32 bytes is loaded as four of 8 x 8, in one instruction; of 8 rows of each, two
 * and two are in the same banks. In rows of 48 bytes none are. */
static void matrices_are_loaded_four_at_a_time(void **state)
{
    (void)state;
    static const struct {
        int elements, passes;
    } rows[] = {{16, 8}, {24, 4}};
    for (int i = 0; i < 2; i++) {
        struct ran ran;
        char text[2000];
        snprintf(text, sizeof text,
                 "%s.shared .align 16 .b8 tile[1024];\nmov.u32 %%r9, tile;\n"
                 "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%%r1, %%r2, %%r3, %%r4, %%r5, "
                 "%%r6, %%r7, %%r8}, [%%r9], %d;\nadd.u32 %%r1, %%r1, %%r8; st.global.u32 [%%a], "
                 "%%r1; ret; }\n",
                 KERNEL, rows[i].elements);
        run_noted(text, &ran);
        assert_string_equal(ran.printed, "matrix-load of 16 bytes, 32 lanes\n");
        assert_int_equal(ran.count[0].instructions, 1);
        assert_int_equal(ran.count[0].passes, rows[i].passes);
        assert_int_equal(ran.count[0].conflicts, rows[i].passes - 4);
    }
}

/* What is stored of a matrix is in several registers, of which an observer is told nothing; none is made up. */
static void accesses_of_matrices_are_told(void **state)
{
    static const struct {
        const char *code, *told;
        int accesses;
    } rows[] = {
        {"wmma.store.d.sync.aligned.row.m16n16k16.shared.f16 [%r9], {%r1, %r2, %r3, %r4};",
         "store of 4 bytes, 32 lanes\nstore of 4 bytes, 32 lanes\nstore of 4 bytes, 32 lanes\n"
         "store of 4 bytes, 32 lanes\n",
         1},
        {"wmma.store.d.sync.aligned.col.m8n8k32.shared.s32 [%r9], {%r1, %r2};",
         "store of 4 bytes, 32 lanes\nstore of 4 bytes, 32 lanes\n", 1},
        {"st.shared.u32 [%r8], %r1;", "store of 4 bytes, 32 lanes, known\n", 1},
        {"wmma.load.a.sync.aligned.row.m16n16k16.shared.bf16 {%r1, %r2, %r3, %r4}, [%r9];",
         "matrix-load of 16 bytes, 32 lanes\n", 1},
        {"wmma.load.c.sync.aligned.row.m8n8k32.shared.s32 {%r1, %r2}, [%r9];",
         "load of 8 bytes, 32 lanes, known\n", 1},
        {"wmma.load.a.sync.aligned.row.m16n16k16.global.bf16 {%r1, %r2, %r3, %r4}, [%p0];", "", 1},
        {"wmma.store.d.sync.aligned.row.m8n8k32.global.s32 [%p0], {%r1, %r2};", "", 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static struct ran ran;
        char text[2000];
        memset(&ran, 0, sizeof ran);
        snprintf(
            text, sizeof text,
            "%s.shared .align 16 .b8 tile[1024];\nmov.u32 %%r9, tile; mad.lo.u32 %%r8, %%t, 4, "
            "%%r9;\n%s add.u32 %%r1, %%r1, %%r2; ret; }\n",
            KERNEL, rows[i].code);
        run_noted(text, &ran);
        if (!ran.outcome.good || strcmp(ran.printed, rows[i].told) ||
            ran.outcome.counts != rows[i].accesses)
            fail_msg("%s: %s%s%s%d accesses", rows[i].code, ran.error.text, ran.fault, ran.printed,
                     ran.outcome.counts);
    }
}

/* ---- pairs of halves --------------------------------------------------------------------------- */

/* 1, 2, 2, NaN against 2, 2, 1, 1; the third and fourth pair have them the other way round. */
static void pairs_are_compared_by_halves(void **state)
{
    (void)state;
    struct ran ran;
    run_block(KERNEL
              "mov.b32 %r1, 0x40003c00; mov.b32 %r2, 0x40004000;\n" /* f16 1, 2 and 2, 2 */
              "mov.b32 %r3, 0x7e003c00; mov.b32 %r4, 0x3f803f80;\n" /* f16 1, NaN; bf16 1, 1 */
              "mov.b32 %r5, 0x7fc04000;\n"                          /* bf16 2, NaN */
              "set.eq.u32.f16x2 %r10, %r1, %r2; st.global.u32 [%p0], %r10;\n"
              "set.lt.f16x2.f16x2 %r10, %r1, %r2; st.global.u32 [%p0+4], %r10;\n"
              "set.ltu.f16x2.f16x2 %r10, %r3, %r2; st.global.u32 [%p0+8], %r10;\n"
              "set.gt.bf16x2.bf16x2 %r10, %r5, %r4; st.global.u32 [%p0+12], %r10;\n"
              "set.nan.u32.bf16x2 %r10, %r5, %r4; st.global.u32 [%p0+16], %r10;\n"
              "setp.eq.f16x2 %p1|%p2, %r1, %r2; selp.u32 %r11, 1, 0, %p1; selp.u32 %r12, 2, 0, "
              "%p2; or.b32 %r11, %r11, %r12; st.global.u32 [%p0+20], %r11;\n"
              "setp.ne.u32 %p3, %t, %t; setp.lt.or.bf16x2 %p1|%p2, %r4, %r5, !%p3;\n"
              "selp.u32 %r11, 1, 0, %p1; selp.u32 %r12, 2, 0, %p2; or.b32 %r11, %r11, %r12;\n"
              "st.global.u32 [%p0+24], %r11;\n"
              "setp.lt.bf16x2 %p1|%p2, %r4, %r5; selp.u32 %r11, 1, 0, %p1; selp.u32 %r12, 2, 0, "
              "%p2; or.b32 %r11, %r11, %r12; st.global.u32 [%p0+28], %r11;\n"
              "mov.b32 {%h1, %h2}, %r1; set.lt.f16.f16 %h3, %h1, %h2; set.lt.u16.f16 %h4, %h1, "
              "%h2; mov.b32 %r10, {%h3, %h4}; st.global.u32 [%p0+32], %r10;\n"
              "mov.b32 {%h1, %h2}, %r5; set.neu.bf16.bf16 %h3, %h2, %h2; set.eq.s16.bf16 %h4, %h2, "
              "%h2; mov.b32 %r10, {%h3, %h4}; st.global.u32 [%p0+36], %r10; ret; }\n",
              1, &ran);
    static const uint32_t want[] = {0xffff0000, 0x00003c00, 0x3c003c00, 0x00003f80, 0xffff0000,
                                    2,          3,          1,          0xffff3c00, 0x00003f80};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        assert_int_equal(ran.word[i], want[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_4_bits_and_1_bit),
        cmocka_unit_test(bits_by_mma),
        cmocka_unit_test(lanes_have_the_same_of_a_matrix),
        cmocka_unit_test(infinities_are_multiplied_and_added),
        cmocka_unit_test(what_is_not_there_is_named),
        cmocka_unit_test(matrices_are_loaded_four_at_a_time),
        cmocka_unit_test(accesses_of_matrices_are_told),
        cmocka_unit_test(pairs_are_compared_by_halves),
    };
    return cmocka_run_group_tests_name("machine_matrix", tests, NULL, NULL);
}
