/* bench_machine.c - how fast the machine executes: ten kernels of tests/programs as nvcc compiled them, on one core,
 * by the processor's clock.
 *
 * Yardstick: a product of matrices as plain loops, compiled as this file is. The targets stand beside the figures;
 * nothing fails here, since machines are noisy.
 */
#include "instrument/instrument.h"
#include "system/file.h"
#include "tests/support/operations.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WORDS = 1 << 20 /* of each array */ };

/* Arguments, in the order of parameters: a letter for an array, n for the number. */
static const struct row {
    const char *name, *file, *kernel, *arguments;
    uint32_t number, grid[3], block[3], dynamic;
} rows[] = {
    {"sum of vectors",
     "vector_sum",
     "_Z3addPKfS0_Pfi",
     "abcn",
     WORDS,
     {4096, 1, 1},
     {256, 1, 1},
     0},
    {"transposition", "transpose", "_Z6paddedPKfPfi", "abn", 1024, {32, 32, 1}, {32, 8, 1}, 0},
    {"product of matrices",
     "matrix_product",
     "_Z7productILi16EEvPKfS1_Pfi",
     "abcn",
     128,
     {8, 8, 1},
     {16, 16, 1},
     0},
    {"reduction", "reduce", "_Z10sequentialPKiPii", "abn", WORDS, {8192, 1, 1}, {128, 1, 1}, 0},
    {"scan of a block", "scan_hillis_steele", "_Z4scanPKiPi", "ab", 0, {256, 1, 1}, {256, 1, 1}, 0},
    {"scan as a tree",
     "scan_blelloch",
     "_Z4scanI6PaddedEvPKiPii",
     "abn",
     1024,
     {64, 1, 1},
     {512, 1, 1},
     4224},
    {"bitonic sort", "bitonic_sort", "_Z4sortILi512EEvPi", "a", 0, {64, 1, 1}, {256, 1, 1}, 0},
    {"histogram", "histogram", "_Z9per_blockPKhiPj", "dna", WORDS, {64, 1, 1}, {128, 1, 1}, 0},
    {"bodies", "nbody", "_Z6forcesPK6float4P6float3i", "abn", 1024, {16, 1, 1}, {64, 1, 1}, 0},
    {"softmax", "softmax", "_Z7softmaxPKfPfi", "abn", 1024, {256, 1, 1}, {128, 1, 1}, 512},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* What is done with accesses. */
enum mode { CHECKED, COUNTED, NEITHER, GLOBAL, MODES };
static const char *const mode_names[MODES] = {"recorded and checked", "recorded only", "neither",
                                              "recorded with global memory"};

/* In millions a second. */
struct speed {
    double lanes, shared;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void give_up(const char *what, const struct error *error)
{
    fprintf(stderr, "bench_machine: %s: %s\n", what, error->text);
    exit(1);
}

static void ignore(void *context, const struct machine_fault *fault)
{
    (void)context;
    (void)fault;
}

/* ---- a kernel ---------------------------------------------------------------------------------- */

/* Arrays a, b and c, with numbers of 0 to 1 in them, and d, with bytes of 0 to 60. */
enum { ARRAYS = 4 };
static uint32_t array[ARRAYS][WORDS];

static void fill(void)
{
    for (int i = 0; i < ARRAYS; i++)
        for (uint32_t k = 0; k < WORDS; k++) {
            const float value = (float)(k * 2654435761u >> 20) / 4096;
            memcpy(&array[i][k], &value, sizeof value);
        }
    for (size_t k = 0; k < sizeof array[3]; k++)
        ((uint8_t *)array[3])[k] = (uint8_t)((uint32_t)k * 2654435761u % 61);
}

static void put_arguments(const struct row *row, const struct machine_kernel_facts *facts,
                          unsigned char *to)
{
    for (int i = 0; i < facts->parameters; i++) {
        const uint64_t address =
            row->arguments[i] == 'n' ? row->number : (uintptr_t)array[row->arguments[i] - 'a'];
        memcpy(to + facts->parameter[i].offset, &address, facts->parameter[i].size);
    }
}

/* Runs it once; adds up what it did. */
static void run_once(const struct machine_launch *launch, const struct row *row, uint64_t *lanes,
                     uint64_t *shared)
{
    struct error error = {{0}};
    struct machine_outcome outcome;
    struct machine_run *run = machine_begin(launch, &error);
    if (!run)
        give_up(row->name, &error);
    machine_work(run);
    machine_end(run, &outcome);
    if (!outcome.good) {
        error_set(&error, "%s", outcome.fault.text);
        give_up(row->name, &error);
    }
    *lanes += outcome.lane_instructions;
    for (int i = 0; outcome.count && i < outcome.counts; i++) {
        struct machine_access_facts facts;
        machine_kernel_access(launch->kernel, i, &facts);
        *shared += facts.global ? 0 : outcome.count[i].lanes;
    }
    machine_free_run(run);
}

static struct speed measure(const struct row *row, struct machine_launch launch, enum mode mode)
{
    enum { TRIES = 3 };
    const double least = 0.1; /* seconds of a try */
    struct speed best = {0};
    launch.count = mode != NEITHER;
    launch.global = mode == GLOBAL;
    launch.check = mode == CHECKED;
    for (int i = 0; i < TRIES; i++) {
        uint64_t lanes = 0, shared = 0;
        const double start = now();
        double seconds;
        do
            run_once(&launch, row, &lanes, &shared);
        while ((seconds = now() - start) < least);
        if ((double)lanes / seconds / 1e6 > best.lanes)
            best = (struct speed){(double)lanes / seconds / 1e6, (double)shared / seconds / 1e6};
    }
    return best;
}

static void measure_all(const struct row *row, struct speed speed[MODES])
{
    const struct machine_observer observer = {.fault = ignore};
    struct machine_memory *memory = machine_memory_new(&heap_allocator);
    struct error error = {{0}};
    char path[200];
    size_t length;
    unsigned char arguments[256];
    snprintf(path, sizeof path, "tests/data/ptx/%s.ptx", row->file);
    char *text = file_read(path, 1 << 24, &length, &error);
    if (!text || !memory)
        give_up(path, &error);
    for (int i = 0; i < ARRAYS; i++) {
        const struct machine_range range = {
            .address = (uintptr_t)array[i], .bytes = sizeof array[i], .host = (uint8_t *)array[i]};
        if (!machine_memory_add(memory, &range, false, &error))
            give_up(path, &error);
    }
    const struct machine_text ptx = {text, length, path};
    struct machine_module *module = machine_load(memory, &ptx, 1, &error);
    struct machine_kernel *kernel = module ? machine_kernel(module, row->kernel) : NULL;
    struct machine_kernel_facts facts;
    if (!kernel || !machine_kernel_decode(kernel, &error))
        give_up(path, &error);
    machine_kernel_facts(kernel, &facts);
    put_arguments(row, &facts, arguments);
    struct machine_launch launch = {.kernel = kernel,
                                    .dynamic_shared = row->dynamic,
                                    .parameters = arguments,
                                    .observer = &observer};
    memcpy(launch.grid, row->grid, sizeof launch.grid);
    memcpy(launch.block, row->block, sizeof launch.block);
    for (enum mode mode = 0; mode < MODES; mode++)
        speed[mode] = measure(row, launch, mode);
    machine_unload(module);
    machine_memory_free(memory);
    free(text);
}

/* ---- the yardstick ------------------------------------------------------------------------------- */

enum { N = 256 };
static float a[N][N], b[N][N], c[N][N];

__attribute__((noinline)) static void product(void)
{
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            float sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[y][k] * b[k][x];
            c[y][x] = sum;
        }
}

/* Millions of multiplications and additions a second. */
static double yardstick(void)
{
    double least = 1e9;
    memcpy(a, array[0], sizeof a);
    memcpy(b, array[1], sizeof b);
    for (int i = 0; i < 5; i++) {
        const double start = now();
        product();
        __asm__ volatile("" : : "r"(c) : "memory"); /* its result is wanted */
        const double seconds = now() - start;
        least = seconds < least ? seconds : least;
    }
    return (double)N * N * N / least / 1e6;
}

/* ---- all ------------------------------------------------------------------------------------------ */

static int by_value(const void *left, const void *right)
{
    const double x = *(const double *)left, y = *(const double *)right;
    return (x > y) - (x < y);
}

/* Of those that have any. */
static double median(double *value, int values)
{
    int some = 0;
    for (int i = 0; i < values; i++)
        if (value[i] > 0)
            value[some++] = value[i];
    qsort(value, (size_t)some, sizeof *value, by_value);
    return some ? (value[(some - 1) / 2] + value[some / 2]) / 2 : 0;
}

/* Measures the rows and prints their medians; `how`: " without AVX2". */
static void measure_rows(const char *how)
{
    static const char *const targets[MODES] = {" (target: 300)", " (target: 1000)", "", ""};
    double lanes[MODES][ROWS], shared[ROWS], more[ROWS];
    for (int i = 0; i < ROWS; i++) {
        struct speed speed[MODES];
        measure_all(&rows[i], speed);
        for (enum mode mode = 0; mode < MODES; mode++)
            lanes[mode][i] = speed[mode].lanes;
        shared[i] = speed[CHECKED].shared;
        more[i] = 100 * (speed[COUNTED].lanes / speed[GLOBAL].lanes - 1);
        printf("machine%s, %s: recording global memory, too, takes %.0f %% more time\n", how,
               rows[i].name, more[i]);
        printf("machine%s, %s: %.0f million lane instructions a second recorded and checked, %.0f "
               "recorded only, %.0f neither; %.0f million lane accesses of shared memory\n",
               how, rows[i].name, speed[CHECKED].lanes, speed[COUNTED].lanes, speed[NEITHER].lanes,
               speed[CHECKED].shared);
        fflush(stdout);
    }
    for (enum mode mode = 0; mode < MODES; mode++)
        printf("machine%s, %s: %.0f million lane instructions a second, median of %d%s\n", how,
               mode_names[mode], median(lanes[mode], ROWS), ROWS, targets[mode]);
    double worst = more[0];
    for (int i = 1; i < ROWS; i++)
        worst = more[i] > worst ? more[i] : worst;
    printf("machine%s, recording global memory, too: at most %.0f %% more time (target: 30)\n", how,
           worst);
    printf("machine%s, recorded and checked: %.0f million lane accesses of shared memory a second, "
           "median (target: 30)\n",
           how, median(shared, ROWS));
}

int main(void)
{
    fill();
    measure_rows("");
    plain = has_avx2();
    if (plain)
        measure_rows(" without AVX2");
    printf("yardstick: plain loops do %.0f million multiplications and additions a second\n",
           yardstick());
    return 0;
}
