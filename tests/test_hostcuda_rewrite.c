/* hostcuda_rewrite: what becomes of CUDA's syntax, and that every line stays where it is. */
#include "hostcuda/driver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* After these, as it says itself. */
#include <cmocka.h>

#define TAKE(k)                                                                                    \
    "[&](auto hostcuda_take) -> decltype(hostcuda_take(" k ")) { return hostcuda_take(" k          \
    "); }, [&](auto &...hostcuda_a) HOSTCUDA_PLAIN { " k "(hostcuda_a...); }, "
#define LAUNCH(k) "::hostcuda::launcher(\"" k "\", " TAKE(k)

struct pair {
    const char *before, *after; /* NULL: as before */
};
static const struct pair pairs[] = {
    {"k<<<1, 2>>>(a);", LAUNCH("k") "1, 2)(a);"},
    {"if (x) k<<<g, b, n, s>>>(a, f(b)); else k<<<1, 1>>>();",
     "if (x) " LAUNCH("k") "g, b, n, s)(a, f(b)); else " LAUNCH("k") "1, 1)();"},
    {"return k<<<1, 1>>>(0), 0;", "return " LAUNCH("k") "1, 1)(0), 0;"},
    {"ns::k<T, (3 > 2)><<<1, 1>>>();", LAUNCH("ns::k<T, (3 > 2)>") "1, 1)();"},
    {"::k<<<1, 1>>>();", LAUNCH("::k") "1, 1)();"},
    {"k<A<B<int>>><<<1, 1>>>();", LAUNCH("k<A<B<int>>>") "1, 1)();"},
    {"(*p)<<<1, 1>>>(); t[i]<<<1, 1>>>(); o.f<<<1, 1>>>(); q->f<<<1, 1>>>();",
     LAUNCH("(*p)") "1, 1)(); " LAUNCH("t[i]") "1, 1)(); " LAUNCH("o.f") "1, 1)(); " LAUNCH(
         "q->f") "1, 1)();"},
    {"auto l = [&] { k<<<1, 1>>>(f<A<B<C>>>(x)); };",
     "auto l = [&] { " LAUNCH("k") "1, 1)(f<A<B<C>>>(x)); };"},
    {"k << <1, 2>>>(a); k<A<B>> << < 1, (3 > 2) >> >(a); k < < <1;",
     LAUNCH("k") "1, 2)(a); " LAUNCH("k<A<B>>") " 1, (3 > 2) )(a); k < < <1;"},
    {"operator<< <T>(a); template <> S &operator<< < int >(S &, A<B<C<int> > >(x));", NULL},
    {"k /* why */ <<<a,\n  b>>>(c);\nx;", LAUNCH("k") "a,\n  b)(c);\nx;"},
    {"k\n<<<a, b>>>(c);", LAUNCH("k") "\na, b)(c);"},
    {"#define GO(k, n) \\\n  k<<<n, \\\n  32>>>(a)\nx",
     "#define GO(k, n) \\\n  " LAUNCH("k") "n, \\\n  32)(a)\nx"},
    {"// k<<<1, 1>>>(a)\n/* k<<<1, 1>>>(a) */ \"k<<<1, 1>>>(a)\" R\"x(k<<<1, 1>>>(\")x\" '\"'",
     NULL},
    {"int y = 1'000 << 3 >> 2; a<b<c>>>(d);", NULL},
    {"void f() { extern __shared__ float s[]; }",
     "void f() { float (&s)[] = *(float (*)[])hostcuda_dynamic; }"},
    {"template <class T> void f() { extern __shared__ __align__(sizeof(T)) unsigned char s[]; }",
     "template <class T> void f() { unsigned char (&s)[] = *(unsigned char "
     "(*)[])hostcuda_dynamic; }"},
    {"void f() { extern volatile __shared__ int a[], b[][4]; }",
     "void f() { volatile int (&a)[] = *(volatile int (*)[])hostcuda_dynamic; volatile int "
     "(&b)[][4] = *(volatile int (*)[][4])hostcuda_dynamic; }"},
    {"namespace n { extern __shared__ float s[]; }",
     "namespace n { extern __thread float s[] __asm__(\"hostcuda_dynamic\") "
     "__attribute__((tls_model(\"local-exec\"), aligned(1024))); }"},
    {"static __shared__ int a[2]; __shared__ static int b; static int c;",
     "__shared__ int a[2]; __shared__ int b; static int c;"},
    {"__shared__ alignas(alignof(T)) T a[2]; __shared__ alignas(16) int b; alignas(8) int c;",
     "alignas(alignof(T)) __shared__ T a[2]; alignas(16) __shared__ int b; alignas(8) int c;"},
    {"asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(x));",
     "::hostcuda::ptx(\"mov.u32 %0, %%laneid;\", ::hostcuda::out(nullptr, \"=r\", (x)));"},
    {"asm volatile(\"{ .reg .pred p;\\n\"\n \"setp.ne.s32 p, %0, 0; }\"\n :: \"r\"(f(a ? b : "
     "c)),\n  "
     "\"l\"(p) : // no more\n \"memory\");\nx;",
     "\n\n\n::hostcuda::ptx(\"{ .reg .pred p;\\n\" \"setp.ne.s32 p, %0, 0; }\", "
     "::hostcuda::in(nullptr, \"r\", (f(a ? b : c))), ::hostcuda::in(nullptr, \"l\", (p)))\n;\nx;"},
    {"#define WAIT(n) asm volatile(\"cp.async.wait_group %0;\\n\" \\\n  ::\"n\"(n))\nx",
     "#define WAIT(n) \\\n::hostcuda::ptx(\"cp.async.wait_group %0;\\n\", ::hostcuda::in(nullptr, "
     "\"n\", (n)))\nx"},
    {"asm(R\"(bar.sync\n0;)\" : : \"r\"(x));\ny;",
     "\n#line 2\n::hostcuda::ptx(R\"(bar.sync\n0;)\"\n, ::hostcuda::in(nullptr, \"r\", "
     "(x)))\n#line "
     "2\n;\ny;"},
    {"asm(\"{\"\n#if X > 1\n\"bar.sync 1;}\"\n#else\n\"bar.sync 2;}\"\n#endif\n: : \"r\"(x) : "
     "\"memory\"\n);\ny;",
     "\n#line 7\n::hostcuda::ptx(\"{\"\n#if X > 1\n\"bar.sync 1;}\"\n#else\n\"bar.sync "
     "2;}\"\n#endif\n, "
     "::hostcuda::in(nullptr, \"r\", (x)))\n#line 8\n;\ny;"},
    {"asm(\"add.f32 %[to], %[a], 1.0;\" : [to] \"=f\"(y[0]) : [a] \"f\"(x));",
     "::hostcuda::ptx(\"add.f32 %[to], %[a], 1.0;\", ::hostcuda::out(\"to\", \"=f\", (y[0])), "
     "::hostcuda::in(\"a\", \"f\", (x)));"},
    {"asm volatile(\"bar.sync 0;\"); asm(\"AGAIN: bra AGAIN;\"); asm(\"@p trap;\" ::); asm(TEXT);",
     "::hostcuda::ptx(\"bar.sync 0;\"); ::hostcuda::ptx(\"AGAIN: bra AGAIN;\"); "
     "::hostcuda::ptx(\"@p trap;\"); ::hostcuda::ptx(TEXT);"},
    {"asm volatile(\"\" ::: \"memory\"); asm(\"rdtsc\" : \"=a\"(lo), \"=d\"(hi)); asm(\".byte "
     "1\"); "
     "asm volatile(\"1: jmp 1b\"); int x asm(\"name\"); asm(\"movl %1, %0\" : \"=r\"(a) : "
     "\"r\"(b));",
     NULL},
    {"__global__ void k(int); void *p[] = {(void *)k, (void *)&k}, *q = reinterpret_cast<void "
     "*>(k), "
     "*r = (void *)p;",
     "__global__ void k(int); void *p[] = {::hostcuda::typed()->*k, ::hostcuda::typed()->*&k}, "
     "*q = ::hostcuda::typed()->*(k), *r = (void *)p;"},
    {"n.func = (void\n*)m::h<int>; n.func = (void *)(x); f(void *) const; g = (void *)h;",
     "n.func = ::hostcuda::typed()->*\nm::h<int>; n.func = (void *)(x); f(void *) const; g = (void "
     "*)h;"},
    {"extern int x; extern \"C\" { void f(); } __shared__ int y[3];", NULL},
};

static char *rewritten(const char *source, struct rewrite_seen *seen, struct error *error)
{
    struct rewrite_text text = {0};
    *seen = (struct rewrite_seen){0};
    if (rewrite_source(source, strlen(source), "t.cu", NULL, NULL, &text, seen, error))
        return text.at;
    rewrite_text_free(&text);
    return NULL;
}

static void changes_what_must_change(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct rewrite_seen seen;
        struct error error = {{0}};
        char *after = rewritten(pairs[i].before, &seen, &error);
        if (!after)
            fail_msg("%s: %s", pairs[i].before, error.text);
        /* Spaces at the ends of what was put together do not matter. */
        char squeezed[2][2000];
        const char *texts[2] = {after, pairs[i].after ? pairs[i].after : pairs[i].before};
        for (int k = 0; k < 2; k++) {
            size_t n = 0;
            for (const char *c = texts[k]; *c; c++)
                if (*c != ' ')
                    squeezed[k][n++] = *c;
            squeezed[k][n] = '\0';
        }
        assert_string_equal(squeezed[0], squeezed[1]);
        rewrite_text_free(&seen.kernel_list);
        free(after);
    }
}

static void knows_the_dialect_and_main(void **state)
{
    struct rewrite_seen seen;
    struct error error = {{0}};
    (void)state;
    free(rewritten("__global__ void k() {} int main() { k<<<1, 1>>>(); }", &seen, &error));
    assert_int_equal(seen.kernels, 1);
    assert_int_equal(seen.launches, 1);
    assert_true(seen.main && !seen.dialect);
    rewrite_text_free(&seen.kernel_list);
    free(rewritten("KERNEL(stride) { }", &seen, &error));
    assert_true(seen.dialect && !seen.main);
}

static void keeps_the_names_of_dynamic_arrays(void **state)
{
    struct rewrite_seen seen;
    struct error error = {{0}};
    (void)state;
    free(rewritten("void f() {\n extern __shared__ volatile float tile[]; }", &seen, &error));
    assert_int_equal(seen.dynamics, 1);
    assert_string_equal(seen.dynamic[0].name, "tile");
    assert_string_equal(seen.dynamic[0].type, "float");
    assert_int_equal(seen.dynamic[0].line, 2);
}

static void says_what_cannot_be_read(void **state)
{
    struct rewrite_seen seen;
    struct error error = {{0}};
    (void)state;
    assert_null(rewritten("\n+ <<<1, 1>>>(a);", &seen, &error));
    assert_string_equal(error.text, "t.cu:2: no kernel's name before <<<");
    error.text[0] = '\0';
    assert_null(rewritten("k<<<1, 1;", &seen, &error));
    assert_string_equal(error.text, "t.cu:1: no >>>( behind this <<<");
}

/* Any bytes give a text or an error. */
static void takes_any_bytes(void **state)
{
    static const char *const pieces[] = {"<<<",
                                         ">>>",
                                         "(",
                                         ")",
                                         "{",
                                         "}",
                                         "<",
                                         ">",
                                         "::",
                                         "k",
                                         "\"",
                                         "'",
                                         "/*",
                                         "//",
                                         "R\"(",
                                         "\\\n",
                                         "extern __shared__ ",
                                         "[",
                                         "]",
                                         ",",
                                         ";",
                                         "#",
                                         "\n",
                                         "0x1",
                                         "include",
                                         "asm(\"mov.u32 %0, 1;\"",
                                         "asm volatile(R\"(bar.sync\n0;)\"",
                                         ":",
                                         "\"=r\"(x)",
                                         "\0"};
    uint32_t random = 1;
    (void)state;
    for (int round = 0; round < 20000; round++) {
        char source[800];
        size_t length = 0;
        for (int i = 0; i < 20; i++) {
            random = random * 1664525u + 1013904223u;
            const char *piece = pieces[(random >> 16) % (sizeof pieces / sizeof *pieces)];
            size_t n = *piece ? strlen(piece) : 1;
            memcpy(source + length, piece, n);
            length += n;
        }
        char *exact = malloc(length); /* so that sanitizers see reads behind the end */
        struct rewrite_text text = {0};
        struct rewrite_seen seen = {0};
        struct error error = {{0}};
        memcpy(exact, source, length);
        rewrite_source(exact, length, "t.cu", NULL, NULL, &text, &seen, &error);
        rewrite_text_free(&text);
        free(exact);
    }
}

/* A kernel that is only given to cudaLaunchKernel: nothing that launches kernels calls it. */
static void makes_twins_of_kernels(void **state)
{
    static const char source[] =
        "__global__ void plain(float *a) {}\n"
        "template <int N> __global__ void sized(float *a) {}\n"
        "namespace { template <class T> __global__ void typed(T *a) {} }\n";
    static const char *const names[] = {"_Z5plainPf", "_Z5sizedILi32EEvPf",
                                        "_ZN12_GLOBAL__N_15typedIfEEvPT_", "_Z4hostPf"};
    enum { NAMES = sizeof names / sizeof *names, KERNELS = 3 };
    char text[2000] = "\t.text\n";
    size_t length = strlen(text);
    struct rewrite_seen seen;
    struct error error = {{0}};
    char *written = NULL;
    size_t size;
    (void)state;
#ifndef __x86_64__
    skip(); /* twins are for x86-64 */
#endif
    free(rewritten(source, &seen, &error));
    for (int i = 0; i < NAMES; i++)
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "\t.type\t%s, @function\n%s:\n\tret\n\t.size\t%s, .-%s\n",
                                   names[i], names[i], names[i], names[i]);
    FILE *file = open_memstream(&written, &size);
    assert_true(assembly_write(text, length, seen.kernel_list.at, true, file));
    fclose(file);
    for (int i = 0; i < NAMES; i++) {
        char twin[100];
        snprintf(twin, sizeof twin, "%s.twin:", names[i]);
        if ((strstr(written, twin) != NULL) != (i < KERNELS))
            fail_msg("%s of:\n%s", i < KERNELS ? "no twin" : "a twin", names[i]);
    }
    free(written);
    rewrite_text_free(&seen.kernel_list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_what_must_change),
        cmocka_unit_test(knows_the_dialect_and_main),
        cmocka_unit_test(keeps_the_names_of_dynamic_arrays),
        cmocka_unit_test(says_what_cannot_be_read),
        cmocka_unit_test(takes_any_bytes),
        cmocka_unit_test(makes_twins_of_kernels),
    };
    return cmocka_run_group_tests_name("hostcuda_rewrite", tests, NULL, NULL);
}
