/* other_rule.cu - asks a GPU what atomics, matrix loads and stores and asynchronous copies cost in shared
 * memory, as wide_rule.cu asks for loads and stores.
 *
 * One launch of one warp executes one operation REPS times, with one set of active lanes and one
 * element per lane, and touches shared memory in no other way.
 *
 *   nvcc -O2 -arch=sm_90 -o other_rule tests/gpu/other_rule.cu
 *   ncu --clock-control none --cache-control none --csv --page raw --log-file raw.csv --metrics \
 *       $(./other_rule metrics) ./other_rule run 0 99999 16
 *   ./other_rule join 0 16 <raw.csv >tests/data/h200-other-rule.csv
 *
 * `run FIRST COUNT REPS` launches patterns FIRST .. FIRST+COUNT-1 (or to the end); `join FIRST REPS`
 * reads the profiler's tables of consecutive runs that start at pattern FIRST, divides by REPS and
 * writes one row per pattern; `count` prints how many patterns there are. With ONLY, all three look at
 * the operations whose names begin so ("ldmatrix").
 */
#include "patterns.h"

static const char *const metric[] = {
    "smsp__inst_executed_op_shared_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "smsp__inst_executed_op_shared_st.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "smsp__inst_executed_op_shared_atom.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum",
    "smsp__inst_executed_op_ldsm.sum",
    "smsp__inst_executed_op_ldgsts.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
};
static const char column[] = "ld,ld_passes,ld_conflicts,st,st_passes,st_conflicts,atom,atom_passes,"
                             "atom_conflicts,ldsm,ldgsts,ldgsts_conflicts,passes,conflicts";
enum { METRICS = COUNT_OF(metric) };

/* ---- the operations ------------------------------------------------------------------------- */

/* X(id, name, bytes per lane, whether lanes may sit out, instruction): %1 is the lane's address, %0 and
 * %3 (8 bytes) a value, %4 a global address; a, b, c, d, l, f and g are registers for the result. What
 * ldmatrix loads is used, or nvcc would leave it out. */
#define USE(loaded) " xor.b32 %0, %0, " #loaded ";"
#define OPERATIONS                                                                                 \
    X(ADD, "add.u32", 4, true, "@p atom.shared.add.u32 a, [%1], %0;")                              \
    X(ADD_VOID, "add.u32 without result", 4, true, "@p red.shared.add.u32 [%1], %0;")              \
    X(COUNT, "add.u32 of 1", 4, true, "@p atom.shared.add.u32 a, [%1], 1;" USE(a))                 \
    X(COUNT_VOID, "add.u32 of 1 without result", 4, true, "@p red.shared.add.u32 [%1], 1;")        \
    X(INC, "inc.u32", 4, true, "@p atom.shared.inc.u32 a, [%1], %0;")                              \
    X(MIN, "min.s32", 4, true, "@p atom.shared.min.s32 a, [%1], %0;")                              \
    X(MAX_VOID, "max.s32 without result", 4, true, "@p red.shared.max.s32 [%1], %0;")              \
    X(OR, "or.b32", 4, true, "@p atom.shared.or.b32 a, [%1], %0;")                                 \
    X(EXCH, "exch.b32", 4, true, "@p atom.shared.exch.b32 a, [%1], %0;")                           \
    X(CAS, "cas.b32", 4, true, "@p atom.shared.cas.b32 a, [%1], %0, %0;")                          \
    X(ADD_64, "add.u64", 8, true, "@p atom.shared.add.u64 l, [%1], %3;")                           \
    X(EXCH_64, "exch.b64", 8, true, "@p atom.shared.exch.b64 l, [%1], %3;")                        \
    X(CAS_64, "cas.b64", 8, true, "@p atom.shared.cas.b64 l, [%1], %3, %3;")                       \
    X(ADD_F32, "add.f32", 4, true, "@p atom.shared.add.f32 f, [%1], 0f3F800000;")                  \
    X(ADD_F64, "add.f64", 8, true, "@p atom.shared.add.f64 g, [%1], 0d3FF0000000000000;")          \
    X(LDM_1, "ldmatrix.x1", 16, false,                                                             \
      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {a}, [%1];" USE(a))                                \
    X(LDM_2, "ldmatrix.x2", 16, false,                                                             \
      "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {a, b}, [%1];" USE(a) USE(b))                      \
    X(LDM_4, "ldmatrix.x4", 16, false,                                                             \
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {a, b, c, d}, [%1];" USE(a) USE(b) USE(c) USE(d))  \
    X(LDM_4T, "ldmatrix.x4.trans", 16, false,                                                      \
      "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {a, b, c, d}, [%1];" USE(a) USE(b) USE(c)    \
          USE(d))                                                                                  \
    X(STM_1, "stmatrix.x1", 16, false, "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%1], {%0};")     \
    X(STM_2, "stmatrix.x2", 16, false, "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%1], {%0, %0};") \
    X(STM_4, "stmatrix.x4", 16, false,                                                             \
      "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%1], {%0, %0, %0, %0};")                          \
    X(STM_4T, "stmatrix.x4.trans", 16, false,                                                      \
      "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%1], {%0, %0, %0, %0};")                    \
    X(COPY_4, "cp.async.ca 4", 4, true, "@p cp.async.ca.shared.global [%1], [%4], 4;")             \
    X(COPY_8, "cp.async.ca 8", 8, true, "@p cp.async.ca.shared.global [%1], [%4], 8;")             \
    X(COPY_16, "cp.async.ca 16", 16, true, "@p cp.async.ca.shared.global [%1], [%4], 16;")         \
    X(COPY_CG, "cp.async.cg 16", 16, true, "@p cp.async.cg.shared.global [%1], [%4], 16;")

enum operation {
#define X(id, name, bytes, some, text) id,
    OPERATIONS
#undef X
        OPERATION_COUNT
};

static const struct {
    const char *name;
    int bytes;
    bool some_lanes;
} operations[] = {
#define X(id, name, bytes, some, text) {name, bytes, some},
    OPERATIONS
#undef X
};

/* In the warp, lane i takes part when bit i of mask is set and touches element index[i]. */
template <int OPERATION>
__global__ void probe(const struct pattern *patterns, int which, int reps, unsigned char *global)
{
    __shared__ __align__(1024) unsigned char shared[SHARED_BYTES];
    const struct pattern *p = patterns + which;
    uint32_t lane = threadIdx.x;
    uint32_t active = p->mask >> lane & 1, value = lane;
    uint32_t address =
        (uint32_t)__cvta_generic_to_shared(shared) + p->index[lane] * (uint32_t)p->bytes;
    uint64_t wide = lane, source = (uint64_t)__cvta_generic_to_global(global + 16 * lane);
#pragma unroll 1 /* so that a launch of one repetition runs the same code */
    for (int r = 0; r < reps; r++) {
#define X(id, name, bytes, some, text)                                                             \
    if (OPERATION == id) {                                                                         \
        asm volatile("{ .reg .pred p; .reg .b32 a, b, c, d; .reg .b64 l; .reg .f32 f; "            \
                     ".reg .f64 g; setp.ne.u32 p, %2, 0; " text " }"                               \
                     : "+r"(value)                                                                 \
                     : "r"(address), "r"(active), "l"(wide), "l"(source)                           \
                     : "memory");                                                                  \
    }
        OPERATIONS
#undef X
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    if (value == 0xdeadbeef)
        global[0] = 1;
}

typedef void (*probe_kernel)(const struct pattern *, int, int, unsigned char *);
static const probe_kernel probes[] = {
#define X(id, name, bytes, some, text) probe<id>,
    OPERATIONS
#undef X
};

/* ---- the patterns --------------------------------------------------------------------------- */

struct trial {
    int operation;
    struct pattern pattern;
};

/* Operations alternate, so that any first part has some of each. A rule is to be found in the first
 * two thirds; the rest is its hold-out. Only the operations whose names begin with `only` stay; which
 * patterns these get does not depend on it. */
static std::vector<struct trial> all_trials(const char *only)
{
    enum { RANDOM = 60 };
    std::vector<struct trial> all;
    for (int k = 0; k < STRUCTURED + RANDOM; k++) {
        /* the lanes that share: every fourth subset only */
        if (k >= 91 && k < 91 + 64 && k % 4 != 3) {
            continue;
        }
        for (int operation = 0; operation < OPERATION_COUNT; operation++) {
            struct trial trial = {operation, {}};
            struct pattern *p = &trial.pattern;
            p->bytes = operations[operation].bytes;
            p->store = true;
            if (k < STRUCTURED) {
                structured(k, p);
            } else {
                drawn(p);
            }
            if (!operations[operation].some_lanes && p->mask != 0xffffffff) {
                if (k < STRUCTURED) {
                    continue;
                }
                p->mask = 0xffffffff;
            }
            if (strncmp(operations[operation].name, only, strlen(only)) == 0)
                all.push_back(trial);
        }
    }
    return all;
}

static int run(const char *only, int first, int count, int reps)
{
    std::vector<struct trial> all = all_trials(only);
    std::vector<struct pattern> patterns;
    struct pattern *device;
    unsigned char *global;
    int end = count < (int)all.size() - first ? first + count : (int)all.size();

    for (const struct trial &trial : all) {
        for (int i = 0; i < LANES; i++) {
            if ((trial.pattern.index[i] + 1) * (uint32_t)trial.pattern.bytes > SHARED_BYTES) {
                fprintf(stderr, "other_rule: a pattern reaches beyond the shared memory\n");
                return 1;
            }
        }
        patterns.push_back(trial.pattern);
    }
    must(cudaMalloc(&device, patterns.size() * sizeof(patterns[0])), "allocate");
    must(cudaMemcpy(device, patterns.data(), patterns.size() * sizeof(patterns[0]),
                    cudaMemcpyHostToDevice),
         "copy");
    must(cudaMalloc(&global, LANES * 16), "allocate");
    must(cudaMemset(global, 0, LANES * 16), "clear");
    for (int i = first; i < end; i++) {
        probes[all[i].operation]<<<1, LANES>>>(device, i, reps, global);
        must(cudaGetLastError(), "launch");
    }
    must(cudaDeviceSynchronize(), "run");
    must(cudaFree(device), "free");
    must(cudaFree(global), "free");
    printf("ran patterns %d to %d\n", first, end - 1);
    return 0;
}

static int join(const char *only, int first, int reps)
{
    std::vector<struct trial> all = all_trials(only);
    int at[METRICS] = {0};
    size_t next = (size_t)first;
    static char line[1 << 16], *field[1024]; /* ncu prints some 300 columns */

    printf("op,bytes,lanes,%s,elements\n", column);
    while (fgets(line, sizeof(line), stdin) != NULL) {
        int fields = line[0] == '"' ? cut_fields(line, field, 1024) : 0;
        if (fields > 0 && strcmp(field[0], "ID") == 0) {
            for (int m = 0; m < METRICS; m++) {
                at[m] = 0;
                for (int f = 0; f < fields; f++) {
                    at[m] = strcmp(field[f], metric[m]) == 0 ? f : at[m];
                }
            }
        } else if (fields > 0 && field[0][0] != '\0' && next < all.size()) {
            const struct trial *trial = &all[next++];
            printf("%s,%d,%08x", operations[trial->operation].name, trial->pattern.bytes,
                   trial->pattern.mask);
            for (int m = 0; m < METRICS; m++) {
                if (at[m] > 0) {
                    printf(",%.6g", (double)number(field[at[m]]) / reps);
                } else {
                    printf(",");
                }
            }
            const char *between = ",";
            for (int i = 0; i < LANES; i++) {
                if (trial->pattern.mask >> i & 1) {
                    printf("%s%u", between, trial->pattern.index[i]);
                    between = " ";
                }
            }
            printf("%s\n", *between == ',' ? "," : "");
        }
    }
    fprintf(stderr, "other_rule: patterns %d to %zu of %zu\n", first, next - 1, all.size());
    return next == (size_t)first;
}

int main(int argc, char **argv)
{
    if ((argc == 5 || argc == 6) && strcmp(argv[1], "run") == 0) {
        return run(argc == 6 ? argv[5] : "", atoi(argv[2]), atoi(argv[3]), atoi(argv[4]));
    }
    if ((argc == 4 || argc == 5) && strcmp(argv[1], "join") == 0 && atoi(argv[3]) > 0) {
        return join(argc == 5 ? argv[4] : "", atoi(argv[2]), atoi(argv[3]));
    }
    if (argc == 2 && strcmp(argv[1], "metrics") == 0) {
        for (int m = 0; m < METRICS; m++) {
            printf("%s%s", m ? "," : "", metric[m]);
        }
        printf("\n");
        return 0;
    }
    if ((argc == 2 || argc == 3) && strcmp(argv[1], "count") == 0) {
        printf("%zu\n", all_trials(argc == 3 ? argv[2] : "").size());
        return 0;
    }
    fprintf(stderr, "usage: other_rule run FIRST COUNT REPS [ONLY] | join FIRST REPS [ONLY] |\n"
                    "                  metrics | count [ONLY]\n");
    return 2;
}
