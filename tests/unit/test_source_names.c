/* source_names: names and types of variables, and places, out of LLVM's text. test_compile_names.sh has clang's. */
#define _GNU_SOURCE
#include "program/program.h"
#include "program/compile/ir.h"
#include "program/compile/names.h"
#include "system/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* After these, as it says itself. */
#include <cmocka.h>

/* `atomicAdd(&sum, 1)` in line 30 of a header, in line 5 of the kernel; an array of structs, one of numbers that
 * was taken apart, dynamic memory. */
static const char text[] =
    "source_filename = \"a.cu\"\n"
    "@_ZZ1kvE4tile = internal addrspace(3) global [4 x [5 x %struct.pair]] undef, align 4, !dbg "
    "!0\n"
    "@_ZZ1kvE3sum.1 = internal addrspace(3) global i32 undef, align 4, !dbg !20\n"
    "@\"all\" = external dso_local addrspace(3) global [0 x double], align 8\n"
    "@pairs = external addrspace(3) global [0 x %\"struct.ours::pair\"], align 4\n"
    "@.str = private constant [3 x i8] c\"ab\\00\"\n"
    "define void @k() !dbg !5 {\n"
    "  store i32 1, i32 addrspace(3)* @x, !dbg !11\n"
    "}\n"
    "uselistorder void ()* asm sideeffect \"bar.sync 0;\", \"\", { 1, 0 }\n"
    "uselistorder i32 0, { 1, 0 }\n"
    "!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())\n"
    "!1 = distinct !DIGlobalVariable(name: \"tile\", scope: !4, file: !3, line: 11, type: !6)\n"
    "!2 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !3, emissionKind: "
    "FullDebug, globals: "
    "!{!0})\n"
    "!3 = !DIFile(filename: \"a \\22x\\22.cu\", directory: \"/here\")\n"
    "!4 = distinct !DILexicalBlock(scope: !5, file: !3, line: 10)\n"
    "!5 = distinct !DISubprogram(name: \"k<1, 2>\", linkageName: \"_Z1kv\", scope: !3, file: !3, "
    "line: 9, unit: !2)\n"
    "!6 = !DICompositeType(tag: DW_TAG_array_type, baseType: !7, size: 1280, elements: !8)\n"
    "!7 = !DIDerivedType(tag: DW_TAG_typedef, name: \"also\", baseType: !13)\n"
    "!8 = !{!9, !10}\n"
    "!9 = !DISubrange(count: 4)\n"
    "!10 = !DISubrange(count: 5)\n"
    "!11 = !DILocation(line: 30, column: 3, scope: !12, inlinedAt: !18)\n"
    "!12 = distinct !DISubprogram(name: \"atomicAdd\", linkageName: \"_ZL9atomicAddPii\", file: "
    "!19, unit: !2)\n"
    "!13 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: \"pair\", file: !3, size: "
    "64, elements: !14)\n"
    "!14 = !{!15, !16}\n"
    "!15 = !DIDerivedType(tag: DW_TAG_member, name: \"a\", baseType: !17, size: 32)\n"
    "!16 = !DIDerivedType(tag: DW_TAG_member, name: \"b\", baseType: !17, size: 32, offset: 32)\n"
    "!17 = !DIBasicType(name: \"float\", size: 32, encoding: DW_ATE_float)\n"
    "!18 = distinct !DILocation(line: 5, column: 7, scope: !4)\n"
    "!19 = !DIFile(filename: \"/usr/h.h\", directory: \"\")\n"
    "!20 = !DIGlobalVariableExpression(var: !21, expr: !DIExpression(DW_OP_LLVM_fragment, 32, "
    "32))\n"
    "!21 = distinct !DIGlobalVariable(name: \"sum\", scope: !5, file: !3, line: 12, type: !13)\n"
    "!22 = !DILocation(line: 0, scope: !5)\n"
    "!23 = !DILocation(line: 6, column: 1, scope: !5)\n";

static void variables_have_names_types_and_dimensions(void **state)
{
    static char copy[sizeof text];
    struct ir ir;
    struct source_names names = {.variables = 0};
    struct error error = {{0}};
    (void)state;
    memcpy(copy, text, sizeof text);
    assert_true(ir_read(&ir, copy, sizeof text - 1, &error));
    assert_true(variables_read(&ir, &names, &error));
    assert_int_equal(names.variables, 4);
    const struct source_variable *tile = &names.variable[0], *sum = &names.variable[1];
    assert_string_equal(tile->symbol, "_ZZ1kvE4tile");
    assert_string_equal(tile->name, "tile");
    assert_string_equal(tile->function, "k<1, 2>");
    assert_string_equal(tile->file, "/here/a \"x\".cu");
    assert_string_equal(tile->type, "struct pair");
    assert_int_equal(tile->line, 11);
    assert_int_equal(tile->bytes, 160);
    assert_int_equal(tile->element, 8);
    assert_int_equal(tile->dims, 2);
    assert_int_equal(tile->dim[0] * 10 + tile->dim[1], 45);
    assert_int_equal(tile->members, 2);
    assert_string_equal(tile->member[1].name, "b");
    assert_string_equal(tile->member[1].type, "float");
    assert_int_equal(tile->member[1].addr, 4);
    assert_string_equal(sum->symbol, "_ZZ1kvE3sum_$_1");
    assert_string_equal(sum->name, "sum.b");
    assert_string_equal(sum->type, "float");
    assert_int_equal(sum->bytes, 4);
    assert_int_equal(sum->dims, 0);
    assert_string_equal(names.variable[2].name, "all");
    assert_string_equal(names.variable[2].type, "double");
    assert_true(names.variable[2].dynamic && names.variable[2].element == 8);
    assert_string_equal(names.variable[3].type, "struct pair");
    assert_int_equal(names.variable[3].members, 2);
    assert_int_equal(names.variable[3].bytes, 0);
    assert_string_equal(source_function(&names, "_Z1kv"), "k<1, 2>");
    source_names_free(&names);
    ir_free(&ir);
}

static void a_table_is_read_as_it_was_written(void **state)
{
    static char copy[sizeof text];
    char path[] = "/tmp/test_source_names_XXXXXX";
    struct ir ir;
    struct source_names names = {.variables = 0}, again = {.variables = 0};
    struct error error = {{0}};
    (void)state;
    close(mkstemp(path));
    memcpy(copy, text, sizeof text);
    assert_true(ir_read(&ir, copy, sizeof text - 1, &error) && variables_read(&ir, &names, &error));
    assert_true(source_names_write(&names, path, &error) &&
                source_names_read(&again, path, &error));
    assert_int_equal(again.variables, names.variables);
    assert_int_equal(again.functions, names.functions);
    assert_string_equal(again.variable[0].type, "struct pair");
    assert_string_equal(again.variable[0].member[1].name, "b");
    assert_int_equal(again.variable[0].dim[1], 5);
    assert_true(again.variable[2].dynamic);
    assert_string_equal(again.function[0].name, names.function[0].name);
    unlink(path);
    source_names_free(&names);
    source_names_free(&again);
    ir_free(&ir);
}

/* As newer clangs write it: a size that a function returns, a struct's member, and an exact product. */
static const char views_text[] =
    "\n@buf = external addrspace(3) global [0 x i8], align 1\n"
    "%struct.sizes = type { i8, i64, [3 x i16] }\n"
    "define i32 @twice(i32 %n) {\n"
    "  %n.addr = alloca i32\n"
    "  store i32 %n, ptr %n.addr\n"
    "  %1 = load i32, ptr %n.addr\n"
    "  %2 = mul nsw i32 %1, 2\n"
    "  ret i32 %2\n"
    "}\n"
    "define ptx_kernel void @k(ptr noundef byval(%struct.sizes) align 8 %p, i32 noundef %n) !dbg "
    "!1 {\n"
    "  %a = alloca ptr\n"
    "  %b = alloca ptr\n"
    "  %c = alloca ptr\n"
    "    #dbg_declare(ptr %a, !2, !DIExpression(), !9)\n"
    "  store ptr addrspacecast (ptr addrspace(3) @buf to ptr), ptr %a\n"
    "    #dbg_declare(ptr %b, !3, !DIExpression(), !9)\n"
    "  %1 = call i32 @twice(i32 noundef %n)\n"
    "  %2 = zext nneg i32 %1 to i64\n"
    "  %3 = load ptr, ptr %a\n"
    "  %4 = getelementptr inbounds nuw float, ptr %3, i64 %2\n"
    "  store ptr %4, ptr %b\n"
    "    #dbg_declare(ptr %c, !4, !DIExpression(), !9)\n"
    "  %5 = getelementptr inbounds %struct.sizes, ptr %p, i32 0, i32 2\n"
    "  %6 = load i16, ptr %5\n"
    "  %7 = sext i16 %6 to i64\n"
    "  %8 = getelementptr inbounds %struct.sizes, ptr %4, i64 %7, i32 1\n"
    "  store ptr %8, ptr %c\n"
    "  ret void\n"
    "}\n"
    "!1 = distinct !DISubprogram(name: \"k\")\n"
    "!2 = !DILocalVariable(name: \"a\", scope: !1, line: 7, type: !5)\n"
    "!3 = !DILocalVariable(name: \"b\", scope: !1, line: 8, type: !5)\n"
    "!4 = !DILocalVariable(name: \"c\", scope: !1, line: 9, type: !5)\n"
    "!5 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !6, size: 64)\n"
    "!6 = !DIBasicType(name: \"float\", size: 32)\n";

static void pointers_into_dynamic_memory_have_expressions(void **state)
{
    static const char *const offsets[] = {
        "s ", "s p1.0.4 2 mul32 4 mul64 add64 ",
        "s p1.0.4 2 mul32 4 mul64 add64 p0.16.2 sext16 24 mul64 add64 8 add64 "};
    static char copy[sizeof views_text];
    char path[] = "/tmp/test_source_names_XXXXXX";
    struct ir ir;
    struct source_names names = {.variables = 0}, again = {.variables = 0};
    struct error error = {{0}};
    (void)state;
    close(mkstemp(path));
    memcpy(copy, views_text, sizeof views_text);
    assert_true(ir_read(&ir, copy, sizeof views_text - 1, &error) &&
                views_read(&ir, &names, &error));
    assert_true(source_names_write(&names, path, &error) &&
                source_names_read(&again, path, &error));
    assert_int_equal(again.views, 3);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(again.view[i].symbol, "k");
        assert_int_equal(*again.view[i].name, 'a' + i);
        assert_string_equal(again.view[i].type, "float");
        assert_int_equal(again.view[i].line, 7 + i);
        assert_string_equal(again.view[i].offset, offsets[i]);
    }
    assert_string_equal(source_viewer(&again, "k"), "k");
    assert_null(source_viewer(&again, "kk"));
    unlink(path);
    source_names_free(&names);
    source_names_free(&again);
    ir_free(&ir);
}

static char *written(const char *path)
{
    size_t length;
    struct error error = {{0}};
    char *bytes = file_read(path, 1 << 20, &length, &error);
    assert_non_null(bytes);
    return bytes;
}

/* A place reaches the PTX as its node's number. */
static void places_are_numbered_and_restored(void **state)
{
    static char copy[sizeof text];
    static const char raw[] = "\t.file\t1 \"/here/a.cu\"\n.entry k()\n{\n\t.loc\t1 9 0\n"
                              "\t.loc\t7 16777227 3\n\tst.shared.u32 [%r1], 1;\n"
                              "\t.loc\t1 16777239 1\n\tret;\n"
                              "\t.loc\t1 16777227 3, function_name x, inlined_at 1 16777234 7\n}\n"
                              "\t.section\t.debug_loc\t{\t}\n";
    char path[] = "/tmp/test_source_names_XXXXXX", to[64];
    struct ir ir;
    struct error error = {{0}};
    (void)state;
    close(mkstemp(path));
    snprintf(to, sizeof to, "%s.ptx", path);
    memcpy(copy, text, sizeof text);
    assert_true(ir_read(&ir, copy, sizeof text - 1, &error) &&
                places_number(&ir, true, path, &error));
    char *numbered = written(path);
    assert_non_null(strstr(numbered, "!11 = !DILocation(line: 16777227, column: 3, scope: !12"));
    assert_non_null(strstr(numbered, "!22 = !DILocation(line: 0, scope: !5)\n"));
    assert_non_null(strstr(numbered, "emissionKind: DebugDirectivesOnly, globals: !{!0})\n"));
    assert_null(strstr(numbered, "void ()* asm"));
    assert_non_null(strstr(numbered, "uselistorder i32 0"));
    assert_non_null(strstr(numbered,
                           "@x, !dbg !11\n  call void @llvm.dbg.value(metadata i32 undef, "
                           "metadata !24, metadata !DIExpression()), !dbg !11\n}\n"));
    assert_non_null(strstr(numbered,
                           "\ndeclare void @llvm.dbg.value(metadata, metadata, metadata)\n"
                           "!24 = !DILocalVariable(scope: !12)\n"));
    free(numbered);
    FILE *file = fopen(path, "w");
    fputs(raw, file);
    fclose(file);
    assert_true(places_restore(&ir, path, to, &error));
    char *restored = written(to);
    assert_string_equal(
        restored,
        ".entry k()\n{\n\t.loc\t1 9 0\n"
        "\t.loc\t3 5 7\n"
        "\t.loc\t2 30 3, function_name $L__info_string0, inlined_at 3 5 7\n"
        "\tst.shared.u32 [%r1], 1;\n"
        "\t.loc\t3 6 1\n\tret;\n"
        "\t.loc\t3 5 7\n"
        "\t.loc\t2 30 3, function_name $L__info_string0, inlined_at 3 5 7\n}\n"
        "\t.file\t1 \"/here/a.cu\"\n\t.file\t2 \"/usr/h.h\"\n\t.file\t3 \"/here/a ?x?.cu\"\n"
        "\t.section\t.debug_str\n\t{\n$L__info_string0:\n"
        ".b8 95,90,76,57,97,116,111,109,105,99,65,100,100,80,105,105,0\n\t}\n");
    free(restored);
    ir_free(&ir);
    unlink(path);
    unlink(to);
}

static void symbols_of_two_compilers_are_compared(void **state)
{
    static const char *const symbols[] = {"tile",
                                          "_ZZL6hiddenPfE4tile",
                                          "_ZZN12_GLOBAL__N_13sumIfLi4EEEvPT_E4tile",
                                          "_ZZN12_GLOBAL__N_13sumIfLi4EEEvPT_E4tile_0",
                                          "_ZZN12_GLOBAL__N_13sumIdLi2EEEvPT_E4tile",
                                          "_ZZL4helpPN4ours4pairES1_E4part"};
    static const struct {
        const char *symbol;
        int found;
    } cases[] = {{"tile", 0},
                 {"_ZZ6hiddenPfE4tile", 1},
                 {"_ZZN37_GLOBAL__N__32adcfb2_9_static_cu_main3sumIfLi4EEEvPT_E4tile", 2},
                 {"_ZZN37_GLOBAL__N__32adcfb2_9_static_cu_main3sumIfLi4EEEvPT_E4tile_0", 3},
                 {"_ZZN37_GLOBAL__N__32adcfb2_9_static_cu_main3sumIdLi2EEEvPT_E4tile", 4},
                 /* another namespace: references have other numbers, but the names are the same */
                 {"_ZZN20_INTERNAL_1_2_3_45674helpEPN4ours4pairES2_E4part", 5},
                 {"_ZZN37_GLOBAL__N__32adcfb2_9_static_cu_main3sumIsLi4EEEvPT_E4tile", -1},
                 {"_ZZ6hiddenPfE5other", -1},
                 {"_Z", -1},
                 {"_Z99999999999999999999999x", -1},
                 {"", -1}};
    struct source_variable variable[6];
    struct source_names names = {.variable = variable, .variables = 6};
    (void)state;
    for (int i = 0; i < 6; i++)
        variable[i] = (struct source_variable){.symbol = (char *)(uintptr_t)symbols[i]};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct source_variable *found = source_variable(&names, cases[i].symbol);
        assert_int_equal(found ? found - variable : -1, cases[i].found);
    }
}

static void a_static_template_of_nvcc_has_its_own_name(void **state)
{
    (void)state;
    char *name = name_of_function(
        "__nv_static_29__11821c40_8_opti1_cu_dd1e393b__Z15propagate_blockIiEvPT_S1_");
    assert_string_equal(name, "propagate_block<int>");
    free(name);
}

/* As the C++ library has a name, and as nvcc has it in PTX. */
static void names_are_without_what_nobody_writes(void **state)
{
    static const char *const cases[][2] = {
        {"hidden<(anonymous namespace)::Type>", "hidden<Type>"},
        {"boxed<Box<Box<int> > >", "boxed<Box<Box<int>>>"},
        {"f<_INTERNAL_32_cbc2ad41_4_h_cu::Type, 4>", "f<Type, 4>"},
        {"a > b", "a > b"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[80];
        snprintf(text, sizeof text, "%s", cases[i][0]);
        assert_string_equal(source_tidy(text), cases[i][1]);
    }
    char *name = name_of_function("_Z6hiddenIN32_GLOBAL__N__cbc2ad41_4_h_cu_main4TypeEEvPT_");
    assert_string_equal(name, "hidden<Type>");
    free(name);
    name = name_of_function("_Z5boxedI3BoxIS0_IiEEEvPT_");
    assert_string_equal(name, "boxed<Box<Box<int>>>");
    free(name);
}

static void the_last_name_of_a_symbol_is_the_variables(void **state)
{
    static const char *const cases[][2] = {
        {"_ZZ9transposePfE4tile", "tile"}, {"_ZZ1kILi32EEvPT_E5table_1", "table"},
        {"_ZN4ours5totalE", "total"},      {"plain", "plain"},
        {"_ZZ1kPA32_fE1a", "a"},           {"_Z", "_Z"}};
    char name[8];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        source_last_name(cases[i][0], name, sizeof name);
        assert_string_equal(name, cases[i][1]);
    }
    source_last_name("_ZZ1kvE12a_long_names", name, sizeof name);
    assert_string_equal(name, "a_long_");
}

static uint32_t random_number(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

/* What a text with any bytes in it gives is not said; it ends. */
static void any_bytes_may_be_read_for_views(void **state)
{
    static char copy[sizeof views_text];
    uint32_t seed = 1;
    (void)state;
    for (int i = 0; i < 2000; i++) {
        struct ir ir;
        struct source_names names = {.variables = 0};
        struct error error = {{0}};
        memcpy(copy, views_text, sizeof views_text);
        for (int k = 0; k < 1 + i % 20; k++)
            copy[random_number(&seed) % (sizeof views_text - 1)] =
                k % 3 ? views_text[random_number(&seed) % (sizeof views_text - 1)]
                      : (char)(1 + random_number(&seed) % 255);
        if (ir_read(&ir, copy, strlen(copy), &error))
            views_read(&ir, &names, &error);
        source_names_free(&names);
        ir_free(&ir);
    }
}

static void any_bytes_may_be_read(void **state)
{
    static char copy[sizeof text];
    char path[] = "/tmp/test_source_names_XXXXXX", to[64];
    uint32_t seed = 1;
    (void)state;
    close(mkstemp(path));
    snprintf(to, sizeof to, "%s.2", path);
    for (int i = 0; i < 1000; i++) {
        struct ir ir;
        struct source_names names = {.variables = 0}, again = {.variables = 0};
        struct error error = {{0}}, other = {{0}}, third = {{0}};
        memcpy(copy, text, sizeof text);
        for (int k = 0; k < 1 + i % 20; k++)
            copy[random_number(&seed) % (sizeof text - 1)] =
                k % 2 ? text[random_number(&seed) % (sizeof text - 1)]
                      : (char)(1 + random_number(&seed) % 255);
        const size_t length = strlen(copy);
        if (!ir_read(&ir, copy, length, &error))
            continue;
        variables_read(&ir, &names, &error);
        if (i % 10 == 0) {
            source_names_write(&names, path, &other);
            source_names_read(&again, path, &other);
            places_number(&ir, i % 20, path, &third);
            places_restore(&ir, path, to, &third);
        }
        source_names_free(&names);
        source_names_free(&again);
        ir_free(&ir);
    }
    unlink(path);
    unlink(to);
}

static void a_table_that_is_none_is_refused(void **state)
{
    static const char *const tables[] = {"x\n",
                                         "v\ta\n",
                                         "m\ta\tint\t0\n",
                                         "f\ta\n",
                                         "v\ta\ta\t\t\tint\t-1\t0\t0\t4\t4\n",
                                         "v\ta\ta\t\t\tint\t1\t9\t0\t4\t4\n",
                                         "v\ta\ta\t\t\tint\t1\t0\t0\t4\t4\t0\n"};
    char path[] = "/tmp/test_source_names_XXXXXX";
    (void)state;
    close(mkstemp(path));
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct source_names names = {.variables = 0};
        struct error error = {{0}};
        FILE *file = fopen(path, "w");
        fputs(tables[i], file);
        fclose(file);
        assert_false(source_names_read(&names, path, &error));
        assert_non_null(strstr(error.text, "is no table of names"));
        source_names_free(&names);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_have_names_types_and_dimensions),
        cmocka_unit_test(a_table_is_read_as_it_was_written),
        cmocka_unit_test(pointers_into_dynamic_memory_have_expressions),
        cmocka_unit_test(places_are_numbered_and_restored),
        cmocka_unit_test(symbols_of_two_compilers_are_compared),
        cmocka_unit_test(a_static_template_of_nvcc_has_its_own_name),
        cmocka_unit_test(names_are_without_what_nobody_writes),
        cmocka_unit_test(the_last_name_of_a_symbol_is_the_variables),
        cmocka_unit_test(any_bytes_may_be_read),
        cmocka_unit_test(any_bytes_may_be_read_for_views),
        cmocka_unit_test(a_table_that_is_none_is_refused),
    };
    return cmocka_run_group_tests_name("source_names", tests, NULL, NULL);
}
