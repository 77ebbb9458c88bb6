/* alignments: what casts say of an access in LLVM's text, and copies of 16 bytes. test_compile_clang.sh has clang's. */
#define _GNU_SOURCE
#include "program/compile/ir.h"
#include "system/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* After these, as it says itself. */
#include <cmocka.h>

/* Types: a packed structure, and what !tbaa calls numbers and vectors. */
#define TYPES "%struct.P = type <{ i32, i8 }>\n%struct.Q = type { i32, i8 }\n"
#define TAGS                                                                                       \
    "!1 = !{!11, !11, i64 0}\n!2 = !{!13, !11, i64 4}\n!3 = !{!13, !11, i64 0}\n"                  \
    "!4 = !{!14, !11, i64 4}\n!5 = !{!15, !15, i64 0}\n!6 = !{!16, !16, i64 0}\n"                  \
    "!11 = !{!\"float\", !15, i64 0}\n!13 = !{!\"_ZTS6float4\", !11, i64 0}\n"                     \
    "!14 = !{!\"_ZTS4mine\", !11, i64 0}\n!15 = !{!\"omnipotent char\", !17, i64 0}\n"             \
    "!16 = !{!\"long long\", !15, i64 0}\n!17 = !{!\"Simple C++ TBAA\"}\n"
#define IN_FUNCTION(code) TYPES "\ndefine void @f(ptr %0) {\n" code "}\n\n" TAGS

/* What the text becomes; NULL: it stays. */
static const struct {
    const char *text, *raised;
} rows[] = {
    /* a number, by its type, loaded and stored, in both ways to write a pointer */
    {IN_FUNCTION("  %2 = load float, ptr %1, align 1, !tbaa !1\n"),
     IN_FUNCTION("  %2 = load float, ptr %1, align 4, !tbaa !1\n")},
    {IN_FUNCTION("  store volatile i64 %2, i64* %1, align 2, !dbg !9, !tbaa !6\n"),
     IN_FUNCTION("  store volatile i64 %2, i64* %1, align 8, !dbg !9, !tbaa !6\n")},
    /* of a vector, by the place in it */
    {IN_FUNCTION("  %2 = load float, ptr %1, align 1, !tbaa !2\n"),
     IN_FUNCTION("  %2 = load float, ptr %1, align 4, !tbaa !2\n")},
    {IN_FUNCTION("  %2 = load float, float* %1, align 4, !tbaa !3\n"),
     IN_FUNCTION("  %2 = load float, float* %1, align 16, !tbaa !3\n")},
    /* not of a structure that is no vector, of a char, without a type, or of what is aligned more */
    {IN_FUNCTION("  %2 = load float, ptr %1, align 1, !tbaa !4\n"), NULL},
    {IN_FUNCTION("  %2 = load i8, ptr %1, align 1, !tbaa !5\n"), NULL},
    {IN_FUNCTION("  %2 = load float, ptr %1, align 1\n"), NULL},
    {IN_FUNCTION("  %2 = load float, ptr %1, align 16, !tbaa !1\n"), NULL},
    /* structures that are copied: that side which knows less, if the other says its size */
    {IN_FUNCTION("  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %9, ptr align 2 %7, i64 16, i1 "
                 "false), !dbg !8, !tbaa.struct !7\n"),
     IN_FUNCTION("  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %9, ptr align 16 %7, i64 16, i1 "
                 "false), !dbg !8, !tbaa.struct !7\n")},
    {IN_FUNCTION("  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 2 %9, i8* align 4 %7, i64 4, i1 "
                 "false), !tbaa.struct !7\n"),
     IN_FUNCTION("  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 4 %9, i8* align 4 %7, i64 4, i1 "
                 "false), !tbaa.struct !7\n")},
    {IN_FUNCTION("  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %9, ptr align 2 %7, i64 16, i1 "
                 "false), !tbaa.struct !7\n"),
     NULL},
    {IN_FUNCTION("  call void @llvm.memcpy.p0.p0.i64(ptr align 32 %9, ptr align 2 %7, i64 32, i1 "
                 "false), !tbaa.struct !7\n"),
     NULL},
    /* memcpy has no type */
    {IN_FUNCTION(
         "  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %9, ptr align 1 %7, i64 4, i1 false)\n"),
     NULL},
    /* its variable, too: local, shared, through casts; once, though two accesses say it */
    {IN_FUNCTION("  %2 = alloca [64 x i8], align 1\n"
                 "  %3 = getelementptr inbounds [64 x i8], ptr %2, i64 0, i64 %9\n"
                 "  store float %5, ptr %3, align 1, !tbaa !1\n"
                 "  store i64 %5, ptr %3, align 1, !tbaa !6\n"),
     IN_FUNCTION("  %2 = alloca [64 x i8], align 8\n"
                 "  %3 = getelementptr inbounds [64 x i8], ptr %2, i64 0, i64 %9\n"
                 "  store float %5, ptr %3, align 4, !tbaa !1\n"
                 "  store i64 %5, ptr %3, align 8, !tbaa !6\n")},
    {"\n@tile = internal addrspace(3) global [64 x i8] undef, align 1, !dbg !9\n" IN_FUNCTION(
         "  %3 = getelementptr inbounds [64 x i8], [64 x i8]* addrspacecast ([64 x i8] "
         "addrspace(3)* @tile to [64 x i8]*), i64 0, i64 %9\n"
         "  %4 = bitcast i8* %3 to float*\n"
         "  %5 = load float, float* %4, align 1, !tbaa !1\n"),
     "\n@tile = internal addrspace(3) global [64 x i8] undef, align 4, !dbg !9\n" IN_FUNCTION(
         "  %3 = getelementptr inbounds [64 x i8], [64 x i8]* addrspacecast ([64 x i8] "
         "addrspace(3)* @tile to [64 x i8]*), i64 0, i64 %9\n"
         "  %4 = bitcast i8* %3 to float*\n"
         "  %5 = load float, float* %4, align 4, !tbaa !1\n")},
    /* dynamic shared memory begins at a multiple of 16 */
    {"@m = external dso_local addrspace(3) global [0 x i8], align 1\n" IN_FUNCTION(""),
     "@m = external dso_local addrspace(3) global [0 x i8], align 16\n" IN_FUNCTION("")},
    /* not where a packed structure is; another one does not matter */
    {IN_FUNCTION("  %3 = getelementptr inbounds %struct.P, ptr %2, i32 0, i32 1\n"
                 "  %4 = load float, ptr %3, align 1, !tbaa !1\n"),
     NULL},
    {IN_FUNCTION("  %3 = getelementptr inbounds %struct.Q, ptr %2, i32 0, i32 1\n"
                 "  %4 = load float, ptr %3, align 1, !tbaa !1\n"),
     IN_FUNCTION("  %3 = getelementptr inbounds %struct.Q, ptr %2, i32 0, i32 1\n"
                 "  %4 = load float, ptr %3, align 4, !tbaa !1\n")},
    /* not where a type is aligned as none is by itself */
    {IN_FUNCTION("  %4 = load float, ptr %3, align 1, !tbaa !1\n") "!30 = !DIDerivedType(tag: "
                                                                   "DW_TAG_typedef, name: \"u\", "
                                                                   "baseType: !31, align: 8)\n",
     NULL},
    /* what is no text of LLVM's */
    {"\ndefine @f( {\n  store x, align , !tbaa !\n  call @llvm.memcpy.( !tbaa.struct \n}\n", NULL},
};

static void alignments_are_those_of_types(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[] = "/tmp/test_alignments_XXXXXX", *text = strdup(rows[i].text);
        struct error error = {{0}};
        struct ir ir;
        size_t length;
        const int file = mkstemp(path);
        assert_true(file >= 0);
        close(file);
        assert_true(ir_read(&ir, text, strlen(text), &error));
        assert_true(alignments_raise(&ir, path, &error));
        char *raised = file_read(path, 1 << 20, &length, &error);
        assert_string_equal(raised, rows[i].raised ? rows[i].raised : rows[i].text);
        free(raised);
        ir_free(&ir);
        free(text);
        unlink(path);
    }
}

static void copies_are_one_access(void **state)
{
    static const struct {
        const char *text, *whole; /* NULL: it stays */
    } copies[] = {
        {"\ndefine void @f() {\n"
         "  tail call void @llvm.memcpy.p0.p3.i64(ptr noundef align 16 dereferenceable(16) %9, ptr "
         "addrspace(3) align 16 %6, i64 16, i1 false), !dbg !5, !tbaa.struct !26\n"
         "  ret void\n\n"
         "  uselistorder i64 16, { 1, 0 }\n  uselistorder ptr %9, { 1, 0 }\n}\n"
         "uselistorder ptr @llvm.memcpy.p0.p3.i64, { 1, 0 }\n",
         "\ndefine void @f() {\n"
         "  %whole0 = load <4 x i32>, ptr addrspace(3) %6, align 16, !dbg !5\n"
         "  store <4 x i32> %whole0, ptr %9, align 16, !dbg !5\n"
         "  ret void\n\n"
         "  uselistorder ptr %9, { 1, 0 }\n}\n"},
        {"  call void @llvm.memcpy.p0i8.p3i8.i64(i8* align 16 %9, i8 addrspace(3)* align 16 %6, "
         "i64 16, i1 false), !tbaa.struct !26\n",
         "  %whole0.from = bitcast i8 addrspace(3)* %6 to <4 x i32> addrspace(3)*\n"
         "  %whole0.to = bitcast i8* %9 to <4 x i32>*\n"
         "  %whole0 = load <4 x i32>, <4 x i32> addrspace(3)* %whole0.from, align 16\n"
         "  store <4 x i32> %whole0, <4 x i32>* %whole0.to, align 16\n"},
        /* of less, less aligned, volatile, of the program's own, without an end */
        {"  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %9, ptr align 16 %6, i64 8, i1 false), "
         "!tbaa.struct !26\n",
         NULL},
        {"  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %9, ptr align 8 %6, i64 16, i1 false), "
         "!tbaa.struct !26\n",
         NULL},
        {"  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %9, ptr align 16 %6, i64 16, i1 true), "
         "!tbaa.struct !26\n",
         NULL},
        {"  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %9, ptr align 16 %6, i64 16, i1 false)\n",
         NULL},
        {"  call void @llvm.memcpy.p0.p0.i64(ptr align 16 ", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
        size_t length = strlen(copies[i].text);
        char *text = copies_whole(strdup(copies[i].text), &length);
        assert_string_equal(text, copies[i].whole ? copies[i].whole : copies[i].text);
        assert_int_equal(length, strlen(text));
        free(text);
    }
}

/* Of members that are smaller than what they are aligned to. */
static void copies_of_small_members_are_one_access(void **state)
{
#define COPY(bytes)                                                                                \
    "  call void @llvm.memcpy.p0.p0.i64(ptr align " bytes " %9, ptr align " bytes                  \
    " %6, i64 " bytes ", i1 false), !dbg !5, !tbaa.struct !26\n"
    static const struct {
        const char *text, *whole;
    } copies[] = {
        {COPY("4") "!26 = !{i64 0, i64 1, !27, i64 1, i64 1, !27, i64 2, i64 2, !27}\n",
         "  %whole0.loaded = load i32, ptr %6, align 4, !dbg !5\n"
         "  %whole0 = freeze i32 %whole0.loaded, !dbg !5\n"
         "  store i32 %whole0, ptr %9, align 4, !dbg !5\n"},
        {COPY("8") "!26 = !{i64 0, i64 2, !27, i64 2, i64 2, !27, i64 4, i64 4, !27}\n",
         "  %whole0.loaded = load i64, ptr %6, align 8, !dbg !5\n"
         "  %whole0 = freeze i64 %whole0.loaded, !dbg !5\n"
         "  store i64 %whole0, ptr %9, align 8, !dbg !5\n"},
        {COPY("4") "!26 = !{i64 0, i64 2, !27, i64 2, i64 2, !27}\n", NULL},
        {COPY("8") "!26 = !{i64 0, i64 4, !27, i64 4, i64 4, !27}\n", NULL},
        {COPY("16") "!26 = !{i64 0, i64 1, !27}\n", NULL},
        {COPY("4") "!25 = !{i64 0, i64 1, !27}\n", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
        size_t length = strlen(copies[i].text);
        char *text = copies_small(strdup(copies[i].text), &length);
        if (copies[i].whole)
            assert_memory_equal(text, copies[i].whole, strlen(copies[i].whole));
        else
            assert_string_equal(text, copies[i].text);
        assert_int_equal(length, strlen(text));
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alignments_are_those_of_types),
        cmocka_unit_test(copies_are_one_access),
        cmocka_unit_test(copies_of_small_members_are_one_access),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
