/* test_kernelc_expressions.c - random expressions: what the kernel compiler makes of them has the values that clang
 * gives them on this machine, bit for bit.
 *
 * Types, signs, widths, conversions, promotions, literals and constants; a value that C++ leaves open is not compared.
 * EXPRESSIONS=N tries N of them instead of 2,000, SEED=N others.
 */
#include "tests/support/run_kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    THREADS = 32,  /* each has values of its own for the variables */
    BATCH = 100,   /* expressions of a kernel */
    INTEGERS = 12, /* types, and a variable of each */
    DEPTH = 4
};
static const char *const integer[INTEGERS] = {
    "bool", "char",         "signed char", "unsigned char", "short",     "unsigned short",
    "int",  "unsigned int", "long",        "unsigned long", "long long", "unsigned long long"};

static uint64_t state;
static uint32_t draw(uint32_t below)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (uint32_t)((state >> 16) % below);
}

/* ---- expressions -------------------------------------------------------------------------------- */

struct writer {
    char *text;
    size_t length, room;
    bool constant; /* no variables */
};
static void write(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void write(struct writer *w, const char *format, ...)
{
    va_list arguments;
    if (w->room - w->length < 256) {
        w->text = realloc(w->text, w->room = 2 * w->room + 4096);
        assert_non_null(w->text);
    }
    va_start(arguments, format);
    w->length += (size_t)vsnprintf(w->text + w->length, 256, format, arguments);
    va_end(arguments);
}

static void write_literal(struct writer *w)
{
    static const char *const suffix[] = {"", "", "u", "ll", "ull", "L", "UL"};
    static const char *const edge[] = {"0",
                                       "1",
                                       "127",
                                       "128",
                                       "255",
                                       "256",
                                       "32767",
                                       "32768",
                                       "65535",
                                       "'a'",
                                       "'\\x80'",
                                       "010",
                                       "2147483647",
                                       "2147483648",
                                       "4294967295",
                                       "0xffff",
                                       "0x80000000",
                                       "0xffffffff",
                                       "0x7fffffffffffffff",
                                       "0x8000000000000000"};
    if (!draw(3))
        write(w, "%s", edge[draw(sizeof edge / sizeof *edge)]);
    else if (!draw(8))
        write(w, "%s", draw(2) ? "true" : "false");
    else if (draw(2))
        write(w, "%u%s", draw(1000), suffix[draw(7)]);
    else
        write(w, "0x%x%s", draw(1u << 31) >> draw(31), suffix[draw(7)]);
}

static void write_integer(struct writer *w, int depth);

/* No product is added to: a GPU would fuse the two. Nothing overflows an integer that it becomes. */
static void write_real(struct writer *w)
{
    static const char *const real[] = {
        "f",    "d",   "(float)v6", "(double)v10", "(float)v3", "(float)v9", "(double)v9",
        "1.5f", "0.1", "3e7f",      "-0.0f",       "(float)d",  "16777217"};
    static const char *const operation[] = {"+", "-", "*", "/"};
    const int count = sizeof real / sizeof *real - 1;
    const char *a = real[draw((uint32_t)count)], *b = real[draw((uint32_t)count + 1)];
    write(w, "(%s%s %s %s)", draw(4) ? "" : "- ", a, operation[draw(4)], b);
}
static void write_operand(struct writer *w, int depth)
{
    if (depth > 0 && draw(5))
        write_integer(w, depth - 1);
    else if (w->constant || !draw(3))
        write_literal(w);
    else
        write(w, "v%u", draw(INTEGERS));
}
static void write_binary(struct writer *w, int depth)
{
    static const char *const operation[] = {
        "+", "-", "*", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||", ","};
    write(w, "(");
    write_operand(w, depth);
    write(w, " %s ", operation[draw(w->constant ? 14 : 15)]);
    write_operand(w, depth);
    write(w, ")");
}
/* Divided by 1 to 128, or shifted by fewer places than the narrowest operand has. */
static void write_guarded(struct writer *w, int depth)
{
    static const char *const operation[] = {"/ (1 + (127 &", "% (1 + (127 &", "<< ((31 &",
                                            ">> ((31 &"};
    write(w, "(");
    write_operand(w, depth);
    write(w, " %s ", operation[draw(4)]);
    write_operand(w, depth);
    write(w, ")))");
}
static void write_integer(struct writer *w, int depth)
{
    static const char *const unary[] = {"-", "~", "!", "+"};
    switch (draw(12)) {
    case 0:
        write(w, "%s", unary[draw(4)]);
        write(w, "(");
        write_operand(w, depth);
        write(w, ")");
        return;
    case 1:
    case 2:
        write(w, "(%s)(", integer[draw(INTEGERS)]);
        write_operand(w, depth);
        write(w, ")");
        return;
    case 3:
        write(w, "(");
        write_operand(w, depth);
        write(w, " ? ");
        write_operand(w, depth);
        write(w, " : ");
        write_operand(w, depth);
        write(w, ")");
        return;
    case 4:
    case 5:
        write_guarded(w, depth);
        return;
    case 6:
        if (w->constant)
            break;
        write(w, "(");
        write_real(w);
        write(w, " %s ", (const char *[]){"<", ">=", "==", "!="}[draw(4)]);
        write_real(w);
        write(w, ")");
        return;
    case 7:
        if (w->constant)
            break;
        write(w, "bits");
        write_real(w);
        return;
    default:
        break;
    }
    write_binary(w, depth);
}

/* Functions e0, e1, ... of all variables. */
static void write_functions(struct writer *w, const char *before)
{
    write(w,
          "%slong long bits(float x) { union { float x; int i; } u; u.x = x; return x == x ? u.i : "
          "1; }\n",
          before);
    write(w,
          "%slong long bits(double x) { union { double x; long long i; } u; u.x = x; return x == x "
          "? u.i : 1; }\n",
          before);
    for (int e = 0; e < BATCH; e++) {
        const char *result = integer[draw(INTEGERS)];
        w->constant = e % 8 == 0;
        write(w, "%s%s e%d(", before, result, e);
        for (int v = 0; v < INTEGERS; v++)
            write(w, "%s v%d, ", integer[v], v);
        write(w, "float f, double d) { ");
        write(w, "return (%s)", result);
        write_integer(w, 1 + (int)draw(DEPTH));
        write(w, "; }\n");
    }
}
static void write_call(struct writer *w, int e)
{
    write(w, "e%d(", e);
    for (int v = 0; v < INTEGERS; v++)
        write(w, "(%s)in[%d], ", integer[v], v);
    write(w, "(float)in[2] / 8, (double)(int)in[8] / 64)");
}

/* ---- both sides --------------------------------------------------------------------------------- */

struct values {
    int64_t in[THREADS][INTEGERS], out[BATCH][THREADS];
    /* Of the host's: a signed number overflowed, and C++ leaves open what follows. */
    int64_t open[BATCH][THREADS];
};
static void fill(struct values *values)
{
    for (int t = 0; t < THREADS; t++)
        for (int v = 0; v < INTEGERS; v++) {
            const uint64_t any =
                (uint64_t)draw(1u << 31) << 33 ^ (uint64_t)draw(1u << 31) << 2 ^ draw(4);
            values->in[t][v] = draw(3) ? (int64_t)(any >> draw(64)) : (int64_t)draw(5) - 2;
        }
}

/* The functions as a program, which reads the values and writes them with `out`. */
static void run_host(const struct writer *functions, const struct values *values,
                     struct values *expected)
{
    const char *folder = getenv("WORK") ? getenv("WORK") : "/tmp";
    char path[3][4200], command[17000];
    struct writer calls = {.text = NULL};
    for (int i = 0; i < 3; i++)
        snprintf(path[i], sizeof path[i], "%s/expressions%s", folder,
                 (const char *[]){".cc", "", ".values"}[i]);
    for (int e = 0; e < BATCH; e++) {
        write(&calls, "now = &v.open[%d][t]; v.out[%d][t] = ", e, e);
        write_call(&calls, e);
        write(&calls, ";\n");
    }
    FILE *file = fopen(path[0], "w");
    assert_non_null(file);
    fprintf(file,
            "#include <stdio.h>\nstatic struct { long long in[%d][%d], out[%d][%d], open[%d][%d]; "
            "} v;\n"
            "static long long *now;\n"
            "#define OVERFLOWS(name) extern \"C\" void __ubsan_handle_##name##_overflow() { *now = "
            "1; }\n"
            "OVERFLOWS(add) OVERFLOWS(sub) OVERFLOWS(mul) OVERFLOWS(negate) OVERFLOWS(divrem)\n%s"
            "int main(int n, char **a) { FILE *f = fopen(a[1], \"r+\"); (void)n;\n"
            "if (fread(&v, sizeof v, 1, f) != 1) return 1;\n"
            "for (int t = 0; t < %d; t++) { long long *in = v.in[t];\n%s}\n"
            "rewind(f); return fwrite(&v, sizeof v, 1, f) != 1 || fclose(f); }\n",
            THREADS, INTEGERS, BATCH, THREADS, BATCH, THREADS, functions->text, THREADS,
            calls.text);
    assert_int_equal(fclose(file), 0);
    file = fopen(path[2], "w");
    assert_non_null(file);
    assert_int_equal(fwrite(values, sizeof *values, 1, file), 1);
    assert_int_equal(fclose(file), 0);
    /* g++ folds some signed overflows before its sanitizer sees them, and takes -x - y for -y - x. */
    snprintf(command, sizeof command,
             "clang -x c++ -std=c++17 -w -O0 -fsanitize=signed-integer-overflow "
             "-fno-sanitize-link-runtime "
             "-o '%s' '%s' && '%s' '%s'",
             path[1], path[0], path[1], path[2]);
    assert_int_equal(system(command), 0);
    file = fopen(path[2], "r");
    assert_non_null(file);
    assert_int_equal(fread(expected, sizeof *expected, 1, file), 1);
    fclose(file);
    free(calls.text);
}

/* The line of e's function. */
static void print_function(const struct writer *functions, int e)
{
    const char *line = functions->text;
    for (int i = 0; i < e + 2; i++)
        line = strchr(line, '\n') + 1;
    printf("# %.*s\n", (int)strcspn(line, "\n"), line);
}

/* Returns how many differ. *compared: adds the values that could. */
static int try_batch(long *compared)
{
    static struct values values, expected;
    struct writer device = {.text = NULL}, host = {.text = NULL};
    const uint64_t begin = state;
    memset(&values, 0, sizeof values);
    int wrong = 0;
    write_functions(&host, "static ");
    state = begin;
    write_functions(&device, "__device__ ");
    fill(&values);
    write(&device, "__global__ void k(const long long (*all)[%d], long long (*out)[%d])\n{\n",
          INTEGERS, THREADS);
    write(&device, "int t = threadIdx.x;\nconst long long *in = all[t];\n");
    for (int e = 0; e < BATCH; e++) {
        write(&device, "out[%d][t] = ", e);
        write_call(&device, e);
        write(&device, ";\n");
    }
    write(&device, "}\n");
    run_host(&host, &values, &expected);
    const uint64_t parameters[] = {(uintptr_t)values.in, (uintptr_t)values.out};
    run_kernel(device.text, &values, sizeof values, parameters, THREADS);
    for (int e = 0; e < BATCH; e++)
        for (int t = 0; t < THREADS; t++) {
            *compared += !expected.open[e][t];
            if (values.out[e][t] != expected.out[e][t] && !expected.open[e][t]) {
                printf("# thread %d: %lld, and here %lld, of", t, (long long)values.out[e][t],
                       (long long)expected.out[e][t]);
                for (int v = 0; v < INTEGERS; v++)
                    printf(" %lld", (long long)values.in[t][v]);
                printf("\n");
                print_function(&device, e);
                wrong++;
                break;
            }
        }
    free(device.text);
    free(host.text);
    return wrong;
}

static void expressions_have_the_values_that_clang_gives_them_here(void **unused)
{
    const int count = getenv("EXPRESSIONS") ? atoi(getenv("EXPRESSIONS")) : 2000;
    (void)unused;
    state = 0x9e3779b97f4a7c15 + (getenv("SEED") ? strtoull(getenv("SEED"), NULL, 10) : 0);
    int wrong = 0;
    long compared = 0;
    for (int done = 0; done < count; done += BATCH)
        wrong += try_batch(&compared);
    printf("# %d expressions, %ld values compared\n", count, compared);
    assert_int_equal(wrong, 0);
    assert_true(compared > (long)count * THREADS * 9 / 10);
}

int main(void)
{
    if (system("clang --version >/dev/null 2>&1")) {
        puts("1..1\nok 1 - expressions # SKIP there is no clang");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_have_the_values_that_clang_gives_them_here)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
