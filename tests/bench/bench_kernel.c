/* bench_kernel.c - what bench_kernel.js measures in a page, natively: lane instructions of the kernel in loop.cu,
 * recorded and checked, as this processor executes them and without AVX2, which a page has not either.
 *
 * Yardstick for bench_kernel.js: at least half of this is wanted there. */
#include "web/kernel.c"
#include "web/kernel_told.c"

#include "system/file.h"
#include "tests/support/operations.h"

#include <time.h>

static size_t put(struct kernels *k, const char *text)
{
    const size_t length = strlen(text);
    memcpy(kernels_room(k, length), text, length);
    return length;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    const double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

/* Millions a second, the median of 7. */
static double rate(struct kernels *k, int lanes)
{
    double rates[7];
    char launch[160];
    snprintf(launch, sizeof launch,
             "kernel 0\ngrid 16 1 1\nblock 256 1 1\nwarp %d\narray 0 4096 unwritten\n", lanes);
    for (int i = 0; i < 7; i++) {
        put(k, launch);
        const double begin = now();
        const char *told = kernels_run(k), *count = told ? strstr(told, "\"lanes\":") : NULL;
        const double seconds = now() - begin;
        if (!count) {
            fprintf(stderr, "bench_kernel: the kernel does not run: %s\n", kernels_error(k));
            exit(1);
        }
        rates[i] = strtod(strchr(count, ':') + 1, NULL) / seconds / 1e6;
    }
    qsort(rates, 7, sizeof *rates, by_size);
    return rates[3];
}

int main(void)
{
    struct kernels *k = kernels_create();
    struct error error;
    size_t length;
    char *source = file_read("tests/bench/loop.cu", 1 << 16, &length, &error);
    if (!source || !strstr(kernels_compile(k, put(k, source)), "\"messages\":[]")) {
        fprintf(stderr, "bench_kernel: %s\n", source ? "the kernel is not compiled" : error.text);
        return 1;
    }
    for (plain = false;; plain = true) {
        for (int lanes = 32; lanes <= 64; lanes += 32)
            printf(
                "page's kernel, natively%s: warps of %d: %.0f million lane instructions a second\n",
                plain ? " without AVX2" : "", lanes, rate(k, lanes));
        if (plain || !has_avx2())
            break;
    }
    free(source);
    return 0;
}
