/* test_told_registers.c - the registers that a recording alone tells of: from addresses, values and the text of PTX. */
#include "viewer/viewer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The rows of lane 1 of an access of lanes 0 and 1, whose instruction is code[0]: "%r1=0x8 (8)w %f2=...r". */
struct told {
    const char *text[3], *became[3]; /* of the instruction, and of others; NULL: no more */
    enum op op;
    int bytes;
    bool global, values;
    uint64_t at; /* the address of lane 1 */
    int64_t value;
    const char *rows;
};

static void tell(const struct told *of, int lane, char *to, size_t room)
{
    static char *stages[] = {"phase 0"}, none[] = "";
    struct trace trace = {0};
    struct error error = {{0}};
    struct trace_array array = {.name = "tile",
                                .type = "float",
                                .addr = 32,
                                .moved = 1024,
                                .bytes = 4,
                                .dims = 1,
                                .dim = {64}};
    struct trace_site site = {none, none, none, none, 1, 1};
    struct trace_code code[3];
    struct trace_header header = {.kernel = "k",
                                  .backend = "host",
                                  .device = none,
                                  .input = none,
                                  .banks = 32,
                                  .bank_bytes = 4,
                                  .warp = 32,
                                  .threads = 32,
                                  .blocks = 1,
                                  .shared_bytes = 512,
                                  .stages = 1,
                                  .stage = stages,
                                  .arrays = 1,
                                  .array = &array,
                                  .sites = 1,
                                  .site = &site,
                                  .code = code,
                                  .global = of->global};
    for (; header.codes < 3 && of->text[header.codes]; header.codes++) {
        const char *became = of->became[header.codes];
        code[header.codes] = (struct trace_code){none, (char *)(uintptr_t)of->text[header.codes],
                                                 (char *)(uintptr_t)(became ? became : none), 1, 0};
    }
    const uint8_t lanes[] = {0, 1};
    const uint32_t addr[] = {(uint32_t)of->at + 64, (uint32_t)of->at};
    const uint64_t global[] = {of->at + 64, of->at};
    const int64_t value[] = {7, of->value};
    const struct warp_access access = {0,
                                       0,
                                       0,
                                       0,
                                       0,
                                       of->op,
                                       of->bytes,
                                       2,
                                       lanes,
                                       of->global ? NULL : addr,
                                       of->values ? value : NULL,
                                       NULL,
                                       0,
                                       of->global ? global : NULL};
    struct trace_sink sink = trace_memory_sink(&trace);
    const struct trace_end end = {1, 0, true};
    assert_true(sink.header(sink.context, &header, &error) &&
                sink.access(sink.context, &access, &error) && sink.end(sink.context, &end, &error));
    struct register_row row[8];
    const int rows = registers_of(&trace, 0, lane, row, 8);
    *to = '\0';
    for (int i = 0; i < rows; i++)
        text_add(to, room, "%s%s=%s%s", i ? "; " : "", row[i].name, row[i].value,
                 row[i].written ? " w" : "");
    trace_free(&trace);
}

static void addresses_and_values_are_registers(void **state)
{
    static const struct told cases[] = {
        /* the array is 1024 bytes further in the program */
        {{"ld.shared.u32 %r7, [%r5+8]"},
         {0},
         OP_LOAD,
         4,
         false,
         true,
         40,
         33,
         "%r7=0x21 (33) w; %r5=0x420 (1056)"},
        {{"st.shared.f32 [%rd5+-4], %f3"},
         {0},
         OP_STORE,
         4,
         false,
         true,
         40,
         0x40200000,
         "%rd5=0x42c (1068); %f3=0x40200000 (2.5)"},
        {{"@%p1 ld.shared.s32 %r1, [%r1]"},
         {0},
         OP_LOAD,
         4,
         false,
         true,
         32,
         -1,
         "%p1=true; %r1=0xffffffff (-1) w; %r1=0x420 (1056)"},
        {{"@!%p1 st.shared.u32 [_ZZ1kvE4tile+8], 5"},
         {0},
         OP_STORE,
         4,
         false,
         true,
         40,
         5,
         "%p1=false"},
        {{"ld.shared.v2.f32 {%f1, %f2}, [%r5]"},
         {0},
         OP_LOAD,
         8,
         false,
         true,
         40,
         0x402000003F000000,
         "%f1=0x3f000000 (0.5) w; %f2=0x40200000 (2.5) w; %r5=0x428 (1064)"},
        {{"st.shared.v2.u32 [%r5], {%r1, %r2}"},
         {0},
         OP_STORE,
         8,
         false,
         true,
         40,
         0x200000001,
         "%r5=0x428 (1064); %r1=0x1 (1); %r2=0x2 (2)"},
        {{"ld.shared.f64 %fd1, [%r5]"},
         {0},
         OP_LOAD,
         8,
         false,
         true,
         40,
         0x3FE0000000000000,
         "%fd1=0x3fe0000000000000 (0.5) w; %r5=0x428 (1064)"},
        {{"st.shared.u8 [%r5], %r6"},
         {0},
         OP_STORE,
         1,
         false,
         true,
         41,
         -1,
         "%r5=0x429 (1065); %r6=0xff (255) in its low 8 bits"},
        {{"ld.global.f32 %f1, [%rd4+16]"},
         {0},
         OP_LOAD,
         4,
         true,
         true,
         0x7f0000001010,
         0x3F000000,
         "%f1=0x3f000000 (0.5) w; %rd4=0x7f0000001000 (139637976731648)"},
        {{"cp.async.ca.shared.global [%r1], [%rd2+16], 16"},
         {0},
         OP_ASYNC_STORE,
         16,
         false,
         false,
         48,
         0,
         "%r1=0x430 (1072); %rd2=not known"},
        {{"cp.async.ca.shared.global [%r1], [%rd2+16], 16"},
         {0},
         OP_ASYNC_LOAD,
         16,
         true,
         false,
         48,
         0,
         "%r1=not known; %rd2=0x20 (32)"},
    };
    char rows[400];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tell(&cases[i], 1, rows, sizeof rows);
        assert_string_equal(rows, cases[i].rows);
    }
}

/* Two neighbours that ptxas makes one access: each half is the instruction's own. */
static void joined_accesses_are_taken_apart(void **state)
{
    static const char
        leads[] = "joined: one access of 8 bytes with 1 more (neighbours are one access)",
        part[] = "joined: counted with ld.shared.f32 %f2, [%r5+4] (neighbours are one access)";
    static const struct told cases[] = {
        {{"ld.shared.f32 %f2, [%r5+4]", "ld.shared.f32 %f1, [%r5]"},
         {leads, part},
         OP_LOAD,
         8,
         false,
         true,
         40,
         0x402000003F000000,
         "%f2=0x40200000 (2.5) w; %r5=0x428 (1064)"},
        /* from another register: where it is is not known */
        {{"ld.shared.f32 %f2, [%r5+4]", "ld.shared.f32 %f1, [%r55]"},
         {leads, part},
         OP_LOAD,
         8,
         false,
         true,
         40,
         0x402000003F000000,
         "%f2=not known w; %r5=not known"},
        /* the other one is not among the instructions */
        {{"ld.shared.f32 %f2, [%r5+4]"},
         {leads},
         OP_LOAD,
         8,
         false,
         true,
         40,
         0x402000003F000000,
         "%f2=not known w; %r5=not known"},
        {{"ld.shared.v2.f32 {%f1, %f2}, [%r5]"},
         {"split: 4 bytes are accessed (x)"},
         OP_LOAD,
         4,
         false,
         true,
         40,
         0x3F000000,
         "%f1=not known w; %f2=not known w; %r5=not known"},
    };
    char rows[400];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tell(&cases[i], 1, rows, sizeof rows);
        assert_string_equal(rows, cases[i].rows);
    }
}

static void what_it_does_not_tell_is_not_known(void **state)
{
    static const struct told cases[] = {
        {{"ld.shared.u32 %r7, [%r5+8]"},
         {0},
         OP_LOAD,
         4,
         false,
         false,
         40,
         0,
         "%r7=not known w; %r5=0x420 (1056)"},
        {{"ld.shared.u32 %r7, [%r5+8]"},
         {0},
         OP_LOAD,
         4,
         false,
         true,
         400,
         33, /* in no array */
         "%r7=0x21 (33) w; %r5=not known"},
        {{"ld.u32 %r7, [%rd5]"},
         {0},
         OP_LOAD,
         4,
         false,
         true,
         40,
         33, /* in a window of all memory */
         "%r7=0x21 (33) w; %rd5=not known"},
        {{"ld.shared::cluster.u32 %r7, [%r5]"},
         {0},
         OP_LOAD,
         4,
         false,
         true,
         40,
         33,
         "%r7=0x21 (33) w; %r5=not known"},
        {{"atom.shared.add.u32 %r7, [%r5], %r6"},
         {0},
         OP_ATOMIC,
         4,
         false,
         true,
         40,
         33,
         "%r7=not known w; %r5=0x428 (1064); %r6=not known"},
        {{"ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r5]"},
         {0},
         OP_LOAD,
         16,
         false,
         false,
         48,
         0,
         "%f1=not known w; %f2=not known w; %f3=not known w; %f4=not known w; %r5=0x430 (1072)"},
        {{"st.shared.u32 [%r5], %tid.x"},
         {0},
         OP_STORE,
         4,
         false,
         true,
         40,
         33,
         "%r5=0x428 (1064)"},
    };
    char rows[400];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tell(&cases[i], 1, rows, sizeof rows);
        assert_string_equal(rows, cases[i].rows);
    }
    tell(&cases[0], 2, rows, sizeof rows);
    assert_string_equal(rows, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_and_values_are_registers),
        cmocka_unit_test(joined_accesses_are_taken_apart),
        cmocka_unit_test(what_it_does_not_tell_is_not_known),
    };
    return cmocka_run_group_tests_name("told_registers", tests, NULL, NULL);
}
