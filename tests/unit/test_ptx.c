/* test_ptx.c - what is read from texts of PTX. */
#include "machine/ptx/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

static bool read_text(struct ptx_module *module, const char *text, struct error *error)
{
    *module = (struct ptx_module){.arena = {.allocator = heap_allocator}};
    const struct machine_text whole = {text, strlen(text), "t.ptx"};
    bool good = ptx_read(module, &whole, error) && ptx_link(module, error);
    for (int i = 0; i < module->functions && good; i++)
        good = !module->function[i]->body || ptx_parse_body(module, module->function[i], error);
    return good;
}

static void a_kernel_is_read(void **state)
{
    (void)state;
    struct error error = {""};
    struct ptx_module module;
    assert_true(read_text(&module,
                          HEAD ".file 1 \"a.cu\"\n"
                               ".shared .align 4 .b8 tile[4224];\n"
                               ".visible .entry k(.param .u64 p, .param .align 8 .b8 s[12])\n"
                               ".maxntid 256, 1, 1\n{\n"
                               "  .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<3>;\n"
                               "  .loc 1 7 3\n"
                               "  ld.param.u64 %rd1, [p];\n"
                               "  mov.u32 %r1, %tid.x; // a comment\n"
                               "  setp.gt.s32 %p1,\n$tmp1:\n  %r1, -4;\n" /* by clang */
                               "  @!%p1 bra $L1;\n"
                               "  {.reg.b32 %r1; mov.u32 %r1, 0x1f; }\n"
                               "  st.shared.v2.f32 [tile+-8], {0f3F800000, 1.5e-1};\n"
                               "$L1: ret;\n}\n",
                          &error));
    const struct ptx_function *kernel = module.function[0];
    assert_true(kernel->entry);
    assert_int_equal(kernel->parameter_bytes, 20);
    assert_int_equal(kernel->parameter[1].offset, 8);
    assert_int_equal(kernel->most_threads[0], 256);
    const struct ptx_body *body = kernel->parsed;
    assert_int_equal(body->instructions, 7);
    const struct ptx_instruction *in = body->instruction;
    assert_true(slice_is(in[0].opcode, "ld") && slice_is(in[0].word[0], "param"));
    assert_int_equal(in[0].operand[1].kind, PTX_ADDRESS);
    assert_ptr_equal(in[0].operand[1].element[0].variable, &kernel->parameter[0]);
    assert_int_equal(module.site[in[0].site].line, 7);
    assert_true(slice_is(in[1].operand[1].text, "%tid.x"));
    assert_true(in[2].operand[2].minus);
    assert_true(in[3].guard_negated);
    assert_int_equal(ptx_label(body, in[3].operand)->index, 6);
    assert_true(slice_is(in[5].operand[1].element[1].text, "1.5e-1"));
    assert_true(in[6].labelled);
    assert_int_not_equal(in[4].operand[0].reg, in[1].operand[0].reg);
    assert_int_equal(in[5].operand[0].offset, -8);
    assert_int_equal(in[5].operand[1].elements, 2);
    arena_free(&module.arena);
}

static void numbers_have_all_spellings(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum ptx_type type;
        bool minus;
        uint64_t value;
    } rows[] = {
        {"12", PTX_NONE, false, 12},
        {"12", PTX_NONE, true, (uint64_t)-12},
        {"0x1F", PTX_NONE, false, 31},
        {"017", PTX_NONE, false, 15},
        {"0b101", PTX_NONE, false, 5},
        {"4294967295U", PTX_NONE, false, 4294967295},
        {"0f3F800000", PTX_F32, false, 0x3F800000},
        {"0f3F800000", PTX_F32, true, 0xBF800000},
        {"0d3FF8000000000000", PTX_F64, false, UINT64_C(0x3FF8000000000000)},
        {"0d3FF8000000000000", PTX_F32, false, 0x3FC00000},
        {"1.5", PTX_F32, false, 0x3FC00000},
        {"15e-1", PTX_F64, false, UINT64_C(0x3FF8000000000000)},
        {"2", PTX_F32, true, 0xC0000000},
        {"1.5e+1", PTX_F64, false, UINT64_C(0x402E000000000000)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t value;
        const struct slice text = {rows[i].text, (int)strlen(rows[i].text)};
        assert_true(ptx_number(text, rows[i].type, rows[i].minus, &value));
        if (value != rows[i].value)
            fail_msg("%s is %llx", rows[i].text, (unsigned long long)value);
    }
}

/* Where parameters lie: .align behind .ptr is of what is pointed to. */
static void parameters_lie_by_their_types(void **state)
{
    (void)state;
    struct error error = {""};
    struct ptx_module module;
    assert_true(read_text(&module,
                          HEAD "/* a * b / c **/\n.visible .entry k(.param .u32 m,\n"
                               ".param .u64 .ptr .global .align 1 p, .param .u16 h,\n"
                               ".param .align 16 .b8 s[4], .param .u64 n)\n{ ret; }\n",
                          &error));
    static const uint32_t offsets[] = {0, 8, 16, 32, 40};
    const struct ptx_function *kernel = module.function[0];
    assert_int_equal(kernel->parameters, 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(kernel->parameter[i].offset, offsets[i]);
        assert_int_equal(kernel->parameter[i].pointer, i == 1);
    }
    assert_int_equal(kernel->parameter_bytes, 48);
    arena_free(&module.arena);
}

/* By clang, an address in an array of bytes is named once for each byte. */
static void addresses_may_be_values(void **state)
{
    (void)state;
    struct error error = {""};
    struct ptx_module module;
    assert_true(read_text(&module,
                          HEAD
                          ".global .align 4 .b8 x[8];\n"
                          ".global .align 8 .u64 a[2] = {generic(x)+4, 7};\n"
                          ".global .align 8 .b8 b[4] = {0xFF(x), 0xFF00(x), 0xFF0000(x+2), 5};\n",
                          &error));
    static const struct {
        int variable, shift;
        uint64_t at, value;
        bool symbol;
    } rows[] = {{2, 0, 3, 5, false}, {2, 16, 2, 2, true}, {2, 8, 1, 0, true},
                {2, 0, 0, 0, true},  {1, 0, 8, 7, false}, {1, 0, 0, 4, true}};
    const struct ptx_initialiser *value = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        value = value ? value->next : module.variable[rows[i].variable]->initialiser;
        assert_non_null(value);
        assert_int_equal(value->at, rows[i].at);
        assert_int_equal(value->value, rows[i].value);
        assert_int_equal(value->shift, rows[i].shift);
        assert_int_equal(value->symbol.length > 0, rows[i].symbol);
        if (!value->next)
            value = NULL;
    }
    arena_free(&module.arena);
}

/* Each text has its own functions, but for those that it shows to others. */
static void names_are_of_a_text(void **state)
{
    (void)state;
    struct error error = {""};
    struct ptx_module module = {.arena = {.allocator = heap_allocator}};
    static const char one[] = HEAD ".func f()\n{ ret; }\n.visible .func g()\n{ ret; }\n",
                      two[] = HEAD ".func f()\n{ trap; ret; }\n.extern .func g();\n"
                                   ".visible .func h()\n{ ret; }\n.alias other, h;\n";
    const struct machine_text texts[] = {{one, sizeof one - 1, "1.ptx"},
                                         {two, sizeof two - 1, "2.ptx"}};
    for (int i = 0; i < 2; i++)
        assert_true(ptx_read(&module, &texts[i], &error));
    assert_true(ptx_link(&module, &error));
    const struct ptx_unit *second = module.unit, *first = second->next;
    const struct slice f = {"f", 1}, g = {"g", 1}, other = {"other", 5};
    assert_ptr_equal(ptx_symbol(&module, first, f)->function, module.function[0]);
    assert_ptr_equal(ptx_symbol(&module, second, f)->function, module.function[2]);
    assert_ptr_equal(ptx_symbol(&module, second, g)->function, module.function[1]);
    assert_ptr_equal(ptx_symbol(&module, first, other)->function, module.function[4]);
    arena_free(&module.arena);
}

/* Braces, as inline PTX has them: each may have the same label. */
static void labels_are_of_their_braces(void **state)
{
    (void)state;
    struct error error = {""};
    struct ptx_module module;
    assert_true(read_text(&module,
                          HEAD
                          ".entry k()\n{ .reg .b32 %r;\n"
                          "{ L: mov.u32 %r, 1; bra L; }\n{ L: mov.u32 %r, 2; bra L; }\nret; }\n",
                          &error));
    const struct ptx_body *body = module.function[0]->parsed;
    assert_int_equal(ptx_label(body, body->instruction[1].operand)->index, 0);
    assert_int_equal(ptx_label(body, body->instruction[3].operand)->index, 2);
    arena_free(&module.arena);
}

static void functions_of_inlined_calls_have_names(void **state)
{
    (void)state;
    struct error error = {""};
    struct ptx_module module;
    assert_true(read_text(&module,
                          HEAD ".visible .entry k()\n{\n"
                               ".loc 1 9 1\n ret;\n"
                               ".loc 1 3 5, function_name $L__info_string0, inlined_at 1 9 4\n"
                               " ret;\n}\n.file 1 \"b.cu\"\n"
                               ".section .debug_str\n{\n$L__info_string0:\n"
                               ".b8 102,111,111\n.b8 0\n}\n",
                          &error));
    const struct ptx_body *body = module.function[0]->parsed;
    const struct ptx_site *site = &module.site[body->instruction[1].site];
    assert_true(slice_is(site->function, "foo"));
    assert_int_equal(module.site[site->inlined_at].line, 9);
    arena_free(&module.arena);
}

/* b.cu:9 calls foo, which calls bar in line 3; line 20 calls foo, too. */
static void calls_that_are_inlined_into_each_other_are_chains(void **state)
{
    (void)state;
    struct error error = {""};
    struct ptx_module module;
    assert_true(read_text(&module,
                          HEAD ".visible .entry k()\n{\n"
                               ".loc 1 9 4\n"
                               ".loc 1 3 5, function_name $L__info_string0, inlined_at 1 9 4\n"
                               ".loc 1 1 5, function_name $L__info_string0, inlined_at 1 3 5\n"
                               " ret;\n"
                               ".loc 1 20 4\n"
                               ".loc 1 3 5, function_name $L__info_string0, inlined_at 1 20 4\n"
                               ".loc 1 1 5, function_name $L__info_string0, inlined_at 1 3 5\n"
                               " ret;\n}\n.file 1 \"b.cu\"\n",
                          &error));
    const struct ptx_body *body = module.function[0]->parsed;
    for (int i = 0; i < 2; i++) {
        const struct ptx_site *site = &module.site[body->instruction[i].site];
        assert_int_equal(site->line, 1);
        site = &module.site[site->inlined_at];
        assert_int_equal(site->line, 3);
        site = &module.site[site->inlined_at];
        assert_int_equal(site->line, i ? 20 : 9);
        assert_int_equal(site->inlined_at, -1);
    }
    arena_free(&module.arena);
}

/* 64 may nest, and of those beside each other there may be any number. */
static void braces_nest_so_deep_and_no_deeper(void **state)
{
    static const struct {
        int nested, beside;
        bool good;
    } rows[] = {{64, 1, true}, {65, 1, false}, {1, 200, true}, {64, 3, true}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error error = {""};
        struct ptx_module module;
        char text[4096] = HEAD ".entry k()\n{ ";
        for (int k = 0; k < rows[i].beside; k++) {
            for (int depth = 0; depth < rows[i].nested; depth++)
                strcat(text, "{");
            strcat(text, "ret; ");
            for (int depth = 0; depth < rows[i].nested; depth++)
                strcat(text, "}");
        }
        strcat(text, " }");
        if (read_text(&module, text, &error) != rows[i].good)
            fail_msg("%s: %s", text, error.text);
        if (!rows[i].good)
            assert_non_null(strstr(error.text, "braces nest too deep"));
        arena_free(&module.arena);
    }
}

static void words_of_linking_may_be_any(void **state)
{
    static const char *const words[] = {"", ".visible", ".weak", ".common"};
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct error error = {""};
        struct ptx_module module;
        char text[200];
        snprintf(text, sizeof text, HEAD "%s .func f()\n{ ret; }\n%s .global .b32 x;\n", words[i],
                 words[i]);
        if (!read_text(&module, text, &error))
            fail_msg("%s: %s", text, error.text);
        assert_int_equal(module.functions, 1);
        arena_free(&module.arena);
    }
}

/* Sites of a text that names itself its caller are no endless chain. */
static void chains_of_inlined_calls_end(void **state)
{
    static char text[1 << 16];
    struct error error = {""};
    struct ptx_module module;
    int depth = 0;
    (void)state;
    size_t length = (size_t)snprintf(text, sizeof text, HEAD ".visible .entry k()\n{\n");
    for (int i = 0; i < 1000; i++)
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   ".loc 1 3 5, inlined_at 1 3 5\n ret;\n");
    snprintf(text + length, sizeof text - length, "}\n.file 1 \"b.cu\"\n");
    assert_true(read_text(&module, text, &error));
    for (int i = 0; i < module.sites; i++) {
        depth = 0;
        for (int at = i; at >= 0; at = module.site[at].inlined_at)
            depth++;
        assert_in_range(depth, 1, 250);
    }
    arena_free(&module.arena);
}

static void marks_of_stages_are_instructions(void **state)
{
    (void)state;
    struct error error = {""};
    struct ptx_module module;
    assert_true(read_text(&module,
                          HEAD ".entry k()\n{ .reg .b32 %r<2>;\n mov.u32 %r1, 3;\n"
                               "// begin inline asm\n// bankscope stage load it\n"
                               "// bankscope round %r1\n// bankscope stage step-%r1\n ret; }\n",
                          &error));
    const struct ptx_instruction *in = module.function[0]->parsed->instruction;
    assert_true(slice_is(in[1].word[0], "stage"));
    assert_true(slice_is(in[1].operand[0].text, "load it"));
    assert_true(slice_is(in[2].word[0], "round"));
    assert_int_equal(in[2].operand[0].kind, PTX_REG);
    assert_true(slice_is(in[2].text, "bankscope round %r1"));
    assert_true(slice_is(in[3].operand[0].text, "step-"));
    assert_int_equal(in[3].operands, 2);
    assert_int_equal(in[3].operand[1].kind, PTX_REG);
    arena_free(&module.arena);
}

static void what_is_wrong_is_named_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"hello", "t.ptx:1"},
        {"", "no PTX"},
        {HEAD ".entry k()\n{ add.s32 %r1, 2", "'}' is missing"},
        {HEAD ".entry k()\n{ bra L; }", "no label L"},
        {HEAD ".entry k()\n{ }}", "t.ptx:5"},
        {HEAD ".global .b32 x = {1, 2};", "more values"},
        {HEAD ".entry k()\n{ .reg .b99 %r; }", "type"},
        {HEAD ".entry k()\n{ @5 ret; }", "predicate"},
        {HEAD ".entry k()\n{ P: .callprototype (.frob .b32 _) _ ; ret; }", ":5: "},
        {HEAD ".entry k()\n{ P: .callprototype _ (.frob .b32 _) ; ret; }", ":5: "},
        {HEAD ".entry k()\n{\n.loc 1 x 3\n ret; }", ":6: "},
        {HEAD ".func (.frob .b32 r) f();", ":4: "},
        {HEAD ".func f(.frob .b32 r);", ":4: "},
        {HEAD ".extern .global .b32 x;", "nowhere defined"},
        {HEAD ".global .align 3 .b8 x[4];", "power of two"},
        {".version 10.0\n.target sm_90\n", "this is PTX 10.0, and known is PTX 9"},
        {".version 8.0\n.target sm_150a\n",
         ":2: this is code for sm_150a, and known is up to sm_121"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error error = {""};
        struct ptx_module module;
        if (read_text(&module, rows[i].text, &error))
            fail_msg("%s was read", rows[i].text);
        if (!strstr(error.text, rows[i].message))
            fail_msg("%s: %s", rows[i].text, error.text);
        arena_free(&module.arena);
    }
}

static void a_version_is_made_of_digits(void **state)
{
    (void)state;
    struct error error = {""};
    struct ptx_module module;
    assert_true(read_text(&module, ".version $$$$$$$$$$$$$8.3\n.target sm_90\n", &error));
    assert_int_equal(module.unit->version, 83);
    arena_free(&module.arena);
    assert_true(read_text(&module, ".version 9.3\n.target sm_121a\n", &error));
    arena_free(&module.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_version_is_made_of_digits),
        cmocka_unit_test(a_kernel_is_read),
        cmocka_unit_test(numbers_have_all_spellings),
        cmocka_unit_test(parameters_lie_by_their_types),
        cmocka_unit_test(addresses_may_be_values),
        cmocka_unit_test(names_are_of_a_text),
        cmocka_unit_test(labels_are_of_their_braces),
        cmocka_unit_test(braces_nest_so_deep_and_no_deeper),
        cmocka_unit_test(words_of_linking_may_be_any),
        cmocka_unit_test(functions_of_inlined_calls_have_names),
        cmocka_unit_test(calls_that_are_inlined_into_each_other_are_chains),
        cmocka_unit_test(chains_of_inlined_calls_end),
        cmocka_unit_test(marks_of_stages_are_instructions),
        cmocka_unit_test(what_is_wrong_is_named_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
