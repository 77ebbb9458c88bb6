/* compile: from a CUDA program's files to PTX and a host program; what needs no compiler.
 *
 * `test_compile --compile FOLDER WORD...` compiles as `bankscope run WORD...` does, for test_compile_clang.sh:
 * sources, options, and --with clang|nvcc, --runtime FILE, --ptx-only, --names, --cubins. It leaves the
 * program, N.ptx and N.cubin in the folder, and prints what it did.
 */
#define _GNU_SOURCE
#include "program/compile/compile.h"
#include "system/file.h"
#include "system/output.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
/* After these, as it says itself. */
#include <cmocka.h>

/* ---- options ------------------------------------------------------------------------------------- */

static void read_words(struct compile_options *options, const char *const *word, int words)
{
    struct compile_request request = {.word = word, .words = words};
    struct error error = {{0}};
    assert_true(options_read(options, &request, NULL, &error));
}
#define READ(options, ...)                                                                         \
    read_words(options, (const char *const[]){__VA_ARGS__},                                        \
               (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)))

/* The words, one behind the other. */
static const char *joined(const struct words *words)
{
    static char text[1000];
    text[0] = '\0';
    for (int i = 0; i < words->count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "",
                 words->word[i]);
    return text;
}

static void options_go_to_who_knows_them(void **state)
{
    static const struct {
        const char *word[3], *both, *host, *link, *ptxas;
    } cases[] = {
        {{"-I", "include"}, "-I include", "", "", ""},
        {{"-Iinclude"}, "-Iinclude", "", "", ""},
        {{"-DX=1"}, "-DX=1", "", "", ""},
        {{"-std=c++20"}, "-std=c++20", "", "", ""},
        {{"--std", "c++20"}, "-std=c++20", "", "", ""},
        {{"-O1"}, "-O1", "", "", ""},
        {{"-Wall"}, "-Wall", "", "", ""},
        {{"-lm"}, "", "", "-lm", ""},
        {{"-L", "lib"}, "", "", "-L lib", ""},
        {{"-lineinfo"}, "", "", "", ""},
        {{"-Xcompiler", "-Wall,-fopenmp"}, "", "-Wall -fopenmp", "", ""},
        {{"-Xcompiler=-Wall"}, "", "-Wall", "", ""},
        {{"-Xlinker=-z"}, "", "", "-Xlinker -z", ""},
        {{"-Xptxas", "-v,-O3"}, "", "", "", "-v -O3"},
        {{"-maxrregcount=32"}, "", "", "", "-maxrregcount=32"},
        {{"--maxrregcount", "32"}, "", "", "", "-maxrregcount=32"},
        {{"--expt-relaxed-constexpr"}, "", "", "", ""},
        {{"-ccbin", "g++-12"}, "", "", "", ""},
        {{"-fopenmp"}, "-fopenmp", "", "", ""},
        {{"-gencode", "arch=compute_80,code=sm_86"}, "", "", "", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct compile_options options;
        read_words(&options, cases[i].word, cases[i].word[1] ? 2 : 1);
        assert_string_equal(joined(&options.both), cases[i].both);
        assert_string_equal(joined(&options.host), cases[i].host);
        assert_string_equal(joined(&options.link), cases[i].link);
        assert_string_equal(joined(&options.ptxas), cases[i].ptxas);
        options_free(&options);
    }
}

static void the_highest_architecture_counts(void **state)
{
    struct compile_options options;
    (void)state;
    READ(&options, "-arch=sm_75");
    assert_int_equal(options.capability, 75);
    options_free(&options);
    READ(&options, "-gencode", "arch=compute_80,code=sm_86", "-gencode=arch=compute_90,code=sm_90");
    assert_int_equal(options.capability, 90);
    options_free(&options);
    READ(&options, "-arch", "native");
    assert_int_equal(options.capability, 0);
    options_free(&options);
}

static void fast_math_has_parts(void **state)
{
    struct compile_options options;
    (void)state;
    READ(&options, "-use_fast_math", "-fmad=false");
    assert_true(options.fast_math && options.no_fusing);
    options_free(&options);
    READ(&options, "-ftz=true", "--prec-div=false");
    assert_true(options.flush && options.rough_division && !options.rough_root);
    options_free(&options);
}

static void an_option_without_its_value_is_named(void **state)
{
    const char *const word[] = {"-DX", "-Xptxas"};
    struct compile_request request = {.word = word, .words = 2};
    struct compile_options options;
    struct error error = {{0}};
    (void)state;
    assert_false(options_read(&options, &request, NULL, &error));
    assert_non_null(strstr(error.text, "-Xptxas needs a value"));
    options_free(&options);
}

/* ---- messages ------------------------------------------------------------------------------------- */

static void each_message_is_said_once(void **state)
{
    static const char device[] = "a.cu:3:5: warning: unused variable 'x' [-Wunused-variable]\n"
                                 "    int x;\n        ^\n"
                                 "1 warning generated when compiling for sm_80.\n";
    static const char host[] = "a.cu:3:5: warning: unused variable 'x' [-Wunused-variable]\n"
                               "    int x;\n        ^\n"
                               "In file included from a.cu:1:\n"
                               "In file included from b.h:2:\n"
                               "c.h:7:1: warning: something else\n"
                               "2 warnings generated.\n";
    char *all = memory_copy("");
    (void)state;
    messages_add(&all, device);
    messages_add(&all, host);
    assert_string_equal(all, "a.cu:3:5: warning: unused variable 'x' [-Wunused-variable]\n"
                             "    int x;\n        ^\n"
                             "In file included from a.cu:1:\n"
                             "In file included from b.h:2:\n"
                             "c.h:7:1: warning: something else\n");
    free(all);
}

static void a_header_that_cannot_be_had_is_explained(void **state)
{
    struct error error = {{0}};
    (void)state;
    assert_true(messages_name_header("app.cu:3:10: fatal error: 'thrust/sort.h' file not found\n",
                                     true, false, &error));
    assert_string_equal(error.text, "app.cu:3: thrust/sort.h is of Thrust, whose templates need "
                                    "NVIDIA's headers: install the CUDA toolkit, for nvcc");
    error.text[0] = '\0';
    assert_true(messages_name_header(
        "In file included from app.cu:1:\nmine.h:2:10: fatal error: 'cudnn.h' file not found\n",
        true, false, &error));
    assert_non_null(strstr(error.text, "mine.h:2: cudnn.h is of cuDNN, which cannot be had"));
    error.text[0] = '\0';
    assert_false(messages_name_header("app.cu:3:10: fatal error: 'mine.h' file not found\n", true,
                                      false, &error));
    assert_string_equal(error.text, "");
}

static void a_link_that_fails_is_one_line(void **state)
{
    struct error error = {{0}};
    (void)state;
    messages_of_linker(
        "/usr/bin/ld: a.o: in function `main':\na.cu:(.text+0x1): undefined reference "
        "to `cuInit'\nclang: error: linker command failed\n",
        &error);
    assert_non_null(strstr(error.text, "undefined reference to `cuInit'; give the file"));
    error.text[0] = '\0';
    messages_of_linker("Scrt1.o: undefined reference to `main'\n", &error);
    assert_non_null(strstr(error.text, "has no main()"));
}

/* ---- what is kept ------------------------------------------------------------------------------------ */

static void a_bundle_gives_back_its_files(void **state)
{
    char folder[] = "/tmp/test_compile_XXXXXX", path[4][64];
    const char *files[3];
    size_t length;
    struct error error = {{0}};
    (void)state;
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 4; i++)
        snprintf(path[i], sizeof path[i], "%s/%d", folder, i);
    for (int i = 0; i < 3; i++)
        files[i] = path[i];
    for (int i = 0; i < 3; i += 2) { /* the second is not there */
        FILE *file = fopen(path[i], "w");
        fprintf(file, "file %d\n", i);
        fclose(file);
    }
    assert_true(bundle_write(path[3], files, 3));
    unlink(path[0]);
    unlink(path[2]);
    assert_true(bundle_read(path[3], files, 3));
    assert_int_not_equal(access(path[1], F_OK), 0);
    char *text = file_read(path[2], 100, &length, &error);
    assert_string_equal(text, "file 2\n");
    free(text);
    assert_false(bundle_read(path[3], files, 2)); /* of another program */
    assert_int_equal(truncate(path[3], 30), 0);
    assert_false(bundle_read(path[3], files, 3));
    for (int i = 0; i < 4; i++)
        unlink(path[i]);
    rmdir(folder);
}

/* ---- for test_compile_clang.sh -------------------------------------------------------------------------- */

static void copy(const char *from, const char *folder, const char *name)
{
    char to[4200];
    size_t length;
    struct error error = {{0}};
    struct output output;
    char *bytes = file_read(from, 1 << 28, &length, &error);
    snprintf(to, sizeof to, "%s/%s", folder, name);
    if (bytes && output_open(&output, to, &error))
        output_close(&output, fwrite(bytes, 1, length, output.file) == length, &error);
    chmod(to, 0700);
    free(bytes);
}

static int compile_it(int argc, char **argv)
{
    const char *source[COMPILE_MOST], *word[COMPILE_MOST], *folder = argv[2];
    struct compile_request request = {.source = source, .word = word};
    struct compiled_program program;
    struct error error = {{0}};
    char name[32];
    for (int i = 3; i < argc; i++) {
        if (!strcmp(argv[i], "--with"))
            request.with = strcmp(argv[++i], "nvcc") ? COMPILE_CLANG : COMPILE_NVCC;
        else if (!strcmp(argv[i], "--runtime"))
            request.runtime = argv[++i];
        else if (!strcmp(argv[i], "--ptx-only"))
            request.ptx_only = true;
        else if (!strcmp(argv[i], "--names"))
            request.names = true;
        else if (!strcmp(argv[i], "--cubins"))
            request.cubins = true;
        else if (*argv[i] == '-' || request.words)
            word[request.words++] = argv[i];
        else
            source[request.sources++] = argv[i];
    }
    bool good = compile_program(&program, &request, &error);
    fputs(program.messages, stderr);
    if (good) {
        printf("%s for sm_%d%s%s\n", program.compiler, program.capability,
               *program.note ? ": " : "", program.note);
        if (*program.executable)
            copy(program.executable, folder, "program");
        for (int i = 0; i < program.units; i++) {
            snprintf(name, sizeof name, "%d.ptx", i);
            copy(program.unit[i].ptx, folder, name);
            snprintf(name, sizeof name, "%d.cubin", i);
            if (program.unit[i].cubin)
                copy(program.unit[i].cubin, folder, name);
            snprintf(name, sizeof name, "%d.names", i);
            if (program.unit[i].names)
                copy(program.unit[i].names, folder, name);
        }
    } else {
        fprintf(stderr, "%s\n", error.text);
    }
    compiled_free(&program);
    return !good;
}

int main(int argc, char **argv)
{
    if (argc > 3 && !strcmp(argv[1], "--compile"))
        return compile_it(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_go_to_who_knows_them),
        cmocka_unit_test(the_highest_architecture_counts),
        cmocka_unit_test(fast_math_has_parts),
        cmocka_unit_test(an_option_without_its_value_is_named),
        cmocka_unit_test(each_message_is_said_once),
        cmocka_unit_test(a_header_that_cannot_be_had_is_explained),
        cmocka_unit_test(a_link_that_fails_is_one_line),
        cmocka_unit_test(a_bundle_gives_back_its_files),
    };
    return cmocka_run_group_tests_name("compile", tests, NULL, NULL);
}
