/* sector_rule.cu - asks a GPU what atomic operations and asynchronous copies cost in global memory: requests and
 * sectors of 32 bytes.
 *
 * One launch of one warp executes one operation once. Lanes and offsets come as a parameter, so that nothing else
 * touches global memory.
 *
 *   nvcc -O2 -arch=sm_90 -o sector_rule tests/gpu/sector_rule.cu
 *   ncu --clock-control none --csv --page raw --log-file raw.csv --metrics $(./sector_rule metrics) \
 *       ./sector_rule run 0 99999
 *   ./sector_rule join 0 <raw.csv >tests/data/h100-sector-rule.csv
 *
 * `run FIRST COUNT` launches trials FIRST .. FIRST+COUNT-1; `join FIRST` reads the profiler's tables of
 * runs from FIRST on and writes one row per trial; `count` prints how many there are.
 */
#include "patterns.h"

static const char *const metric[] = {
    "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
};
enum { METRICS = COUNT_OF(metric), BUFFER = 1 << 16 };

/* X(id, name, bytes per lane, whether it is a copy, instruction): %0 and %4 (8 bytes) a value, %1 the address in
 * global memory, %3 in shared. */
#define OPERATIONS                                                                                 \
    X(RED, "red.add.u32", 4, false, "@p red.global.add.u32 [%1], %0;")                             \
    X(ATOM, "atom.add.u32", 4, false, "@p atom.global.add.u32 %0, [%1], %0;")                      \
    X(RED_MIN, "red.min.s32", 4, false, "@p red.global.min.s32 [%1], %0;")                         \
    X(RED_F32, "red.add.f32", 4, false, "@p red.global.add.f32 [%1], 0f3F800000;")                 \
    X(ATOM_F32, "atom.add.f32", 4, false,                                                          \
      "@p atom.global.add.f32 f, [%1], 0f3F800000; mov.b32 %0, f;")                                \
    X(EXCH, "atom.exch.b32", 4, false, "@p atom.global.exch.b32 %0, [%1], %0;")                    \
    X(CAS, "atom.cas.b32", 4, false, "@p atom.global.cas.b32 %0, [%1], %0, 7;")                    \
    X(RED_64, "red.add.u64", 8, false, "@p red.global.add.u64 [%1], %4;")                          \
    X(ATOM_64, "atom.add.u64", 8, false,                                                           \
      "@p atom.global.add.u64 l, [%1], %4; @p cvt.u32.u64 %0, l;")                                 \
    X(RED_F64, "red.add.f64", 8, false, "@p red.global.add.f64 [%1], 0d3FF0000000000000;")         \
    X(RED_F16X2, "red.add.noftz.f16x2", 4, false, "@p red.global.add.noftz.f16x2 [%1], %0;")       \
    X(COPY_4, "cp.async.ca 4", 4, true, "@p cp.async.ca.shared.global [%3], [%1], 4;")             \
    X(COPY_8, "cp.async.ca 8", 8, true, "@p cp.async.ca.shared.global [%3], [%1], 8;")             \
    X(COPY_16, "cp.async.ca 16", 16, true, "@p cp.async.ca.shared.global [%3], [%1], 16;")         \
    X(COPY_CG, "cp.async.cg 16", 16, true, "@p cp.async.cg.shared.global [%3], [%1], 16;")

enum operation {
#define X(id, name, bytes, copy, text) id,
    OPERATIONS
#undef X
        OPERATION_COUNT
};

static const struct {
    const char *name;
    int bytes;
    bool copy;
} operations[] = {
#define X(id, name, bytes, copy, text) {name, bytes, copy},
    OPERATIONS
#undef X
};

struct trial {
    int operation;
    uint32_t mask;
    uint32_t to[LANES], shared[LANES]; /* bytes; shared: of copies */
};

template <int OPERATION>
__global__ void probe(const __grid_constant__ trial t, unsigned char *global)
{
    __shared__ __align__(1024) unsigned char shared[2048];
    const uint32_t lane = threadIdx.x, active = t.mask >> lane & 1;
    uint32_t value = lane + 1;
    const uint64_t wide = lane, address = (uint64_t)__cvta_generic_to_global(global + t.to[lane]);
    const uint32_t into = (uint32_t)__cvta_generic_to_shared(shared) + t.shared[lane];
#define X(id, name, bytes, copy, text)                                                             \
    if (OPERATION == id)                                                                           \
        asm volatile("{ .reg .pred p; .reg .f32 f; .reg .b64 l; setp.ne.u32 p, %2, 0; " text " }"  \
                     : "+r"(value)                                                                 \
                     : "l"(address), "r"(active), "r"(into), "l"(wide)                             \
                     : "memory");
    OPERATIONS
#undef X
    asm volatile("cp.async.wait_all;" ::: "memory");
    if (value == 0xdeadbeef) /* the result is used */
        global[0] = 1;
}

typedef void (*probe_kernel)(const trial, unsigned char *);
static const probe_kernel probes[] = {
#define X(id, name, bytes, copy, text) probe<id>,
    OPERATIONS
#undef X
};

/* ---- the trials ----------------------------------------------------------------------------- */

/* Element `at` lies `spread` elements behind the one before. */
static uint32_t place(uint32_t at, int spread, int bytes)
{
    return at * (uint32_t)spread * (uint32_t)bytes;
}

static std::vector<struct trial> all_trials(void)
{
    static const int groups[] = {1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 15, 16, 17, 24, 31, 32};
    std::vector<struct trial> all;
    /* Atomics: regular duplicates, side by side and a sector apart. */
    for (int k = 0; k < 2 * 2 * COUNT_OF(groups) + 70; k++)
        for (int o = 0; o < OPERATION_COUNT; o++) {
            struct trial t = {o, 0xffffffff, {}, {}};
            const int bytes = operations[o].bytes;
            if (operations[o].copy)
                continue;
            if (k < 4 * COUNT_OF(groups)) {
                const uint32_t n = (uint32_t)groups[k / 4];
                for (uint32_t i = 0; i < LANES; i++)
                    t.to[i] = place(k & 1 ? i % n : i / n, k & 2 ? 32 / bytes : 1, bytes);
            } else { /* drawn: a window of 1 to 256 elements, from side by side to a sector apart */
                const uint32_t window = 1 + random_below(1u << (1 + random_below(8)));
                const int spread = 1 << random_below(4);
                t.mask = random_below(3) ? 0xffffffff : random_mask();
                for (int i = 0; i < LANES; i++)
                    t.to[i] = place(random_below(window), spread * bytes > 32 ? 32 / bytes : spread,
                                    bytes);
            }
            all.push_back(t);
        }
    /* Copies: lanes side by side from any place of 128 bytes; some lanes; apart; drawn. */
    for (int o = 0; o < OPERATION_COUNT; o++) {
        const uint32_t bytes = (uint32_t)operations[o].bytes;
        if (!operations[o].copy)
            continue;
        for (int k = 0; k < 120; k++) {
            struct trial t = {o, 0xffffffff, {}, {}};
            const uint32_t begin = k < 8 ? (uint32_t)k * 16 : k < 40 ? 16 : 16 * random_below(8);
            if (k >= 8 && k < 40)
                t.mask = 0xffffffffu >> (k - 8);
            else if (k >= 56 && k < 80)
                t.mask = random_mask();
            const uint32_t stride = k < 40 ? 1 : k < 56 ? 1 + random_below(6) : 1;
            for (uint32_t i = 0; i < LANES; i++) {
                const uint32_t at = k < 80    ? i * stride
                                    : k < 100 ? i ^ random_below(4)
                                              : random_below(64);
                t.to[i] = begin + at * bytes;
                t.shared[i] = (k < 110 ? i : i ^ 5) * bytes;
            }
            all.push_back(t);
        }
    }
    return all;
}

static int run(size_t first, size_t count)
{
    const std::vector<struct trial> all = all_trials();
    unsigned char *global;
    must(cudaMalloc(&global, BUFFER), "sector_rule");
    must(cudaMemset(global, 0, BUFFER), "sector_rule");
    size_t i = first;
    for (; i < all.size() && i < first + count; i++) {
        for (int k = 0; k < LANES; k++)
            if (all[i].to[k] + 16 > BUFFER) {
                fprintf(stderr, "sector_rule: trial %zu reaches beyond the buffer\n", i);
                return 1;
            }
        probes[all[i].operation]<<<1, LANES>>>(all[i], global);
        must(cudaGetLastError(), "sector_rule");
    }
    must(cudaDeviceSynchronize(), "sector_rule");
    printf("ran trials %zu to %zu\n", first, i - 1);
    return 0;
}

static int join(size_t first)
{
    const std::vector<struct trial> all = all_trials();
    int at[METRICS] = {0};
    size_t next = first;
    static char line[1 << 16], *field[1024]; /* ncu prints some 300 columns */
    printf("op,bytes,lanes,requests,sectors,offsets\n");
    while (fgets(line, sizeof(line), stdin) != NULL) {
        const int fields = line[0] == '"' ? cut_fields(line, field, 1024) : 0;
        if (fields > 0 && strcmp(field[0], "ID") == 0) {
            for (int m = 0; m < METRICS; m++)
                for (int f = 0; f < fields; f++)
                    at[m] = strcmp(field[f], metric[m]) == 0 ? f : at[m];
        } else if (fields > 0 && field[0][0] != '\0' && next < all.size()) {
            const struct trial *t = &all[next++];
            uint64_t value[2] = {0, 0}; /* one kind of operation is not 0 */
            for (int m = 0; m < METRICS; m++)
                value[m % 2] += (uint64_t)number(field[at[m]]);
            printf("%s,%d,%08x,%llu,%llu,", operations[t->operation].name,
                   operations[t->operation].bytes, t->mask, (unsigned long long)value[0],
                   (unsigned long long)value[1]);
            const char *between = "";
            for (int i = 0; i < LANES; i++)
                if (t->mask >> i & 1) {
                    printf("%s%u", between, t->to[i]);
                    between = " ";
                }
            printf("\n");
        }
    }
    fprintf(stderr, "sector_rule: trials %zu to %zu of %zu\n", first, next - 1, all.size());
    return next == first;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "run") == 0)
        return run((size_t)atoi(argv[2]), (size_t)atoi(argv[3]));
    if (argc == 3 && strcmp(argv[1], "join") == 0)
        return join((size_t)atoi(argv[2]));
    if (argc == 2 && strcmp(argv[1], "metrics") == 0) {
        for (int m = 0; m < METRICS; m++)
            printf("%s%s", m ? "," : "", metric[m]);
        printf("\n");
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "count") == 0) {
        printf("%zu\n", all_trials().size());
        return 0;
    }
    fprintf(stderr, "usage: sector_rule run FIRST COUNT | join FIRST | metrics | count\n");
    return 2;
}
