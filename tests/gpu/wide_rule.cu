/* wide_rule.cu - asks a GPU what one shared-memory instruction costs, for thousands of patterns.
 *
 * A pattern is an instruction (load or store of 1, 2, 4, 8 or 16 bytes per lane), a set of active
 * lanes and an address for each. One launch of one warp executes one pattern REPS times and touches
 * shared memory in no other way, so a profiler's counters of that launch, divided by REPS, are the
 * cost of the pattern. doc/bank-model.md says what was learnt.
 *
 *   nvcc -O2 -arch=sm_90 -o wide_rule tests/gpu/wide_rule.cu
 *   ncu --clock-control none --cache-control none --csv --page raw --log-file raw.csv --metrics \
 *       smsp__inst_executed_op_shared_ld.sum,smsp__inst_executed_op_shared_st.sum,\
 *       l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum,\
 *       l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum,\
 *       l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum,\
 *       l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum ./wide_rule run 0 99999 16
 *   ./wide_rule join 16 <raw.csv >tests/data/h200-wide-rule.csv
 *
 * `run FIRST COUNT REPS` launches patterns FIRST .. FIRST+COUNT-1 (or to the end), one launch each
 * (`BLOCKS THREADS TRAFFIC` after it: more warps, and global memory traffic when TRAFFIC is 1);
 * `join REPS` reads the profiler's tables of consecutive runs that start at pattern 0, divides by
 * REPS (times the warps of a launch) and writes one row per pattern; `count` prints how many
 * patterns there are. The patterns are the same everywhere: their generator has a constant seed.
 */
#include "patterns.h"

/* ---- the patterns -------------------------------------------------------------------------- */

/* All patterns. Widths and operations alternate, so that any first part has some of each. */
static std::vector<struct pattern> all_patterns(void)
{
    std::vector<struct pattern> all;
    for (int k = 0; k < STRUCTURED + 460; k++) {
        for (int combination = 0; combination < 10; combination++) {
            struct pattern p = {};
            p.store = combination % 2 == 1;
            p.bytes = 1 << combination / 2;
            /* Wide accesses get more random patterns, and loads most. The rule was fixed on the
             * patterns with k < STRUCTURED + 300; the later ones are its hold-out. */
            int last = p.bytes < 8 ? 100 : p.store ? 300 : 460;
            int held_out = p.bytes < 8 ? 20 : p.store ? 60 : 0;
            int random = k - STRUCTURED;
            if (random >= last && (random < 300 || random >= 300 + held_out)) {
                continue;
            }
            if (k < STRUCTURED) {
                structured(k, &p);
            } else {
                drawn(&p);
            }
            all.push_back(p);
        }
    }
    return all;
}

/* ---- the launches -------------------------------------------------------------------------- */

#define PREDICATED(instruction) "{ .reg .pred p; setp.ne.u32 p, %1, 0; @p " instruction "; }"

/* In every warp, lane i takes part when bit i of mask is set and touches element index[i]. Where
 * traffic is not NULL, one word per thread of it is read and written in every repetition as well,
 * to see whether global accesses disturb the counters. */
template <int BYTES, bool STORE>
__global__ void probe(const struct pattern *patterns, int which, int reps, uint32_t *traffic)
{
    __shared__ __align__(1024) unsigned char shared[SHARED_BYTES];
    const struct pattern *p = patterns + which;
    uint32_t lane = threadIdx.x % LANES, thread = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t active = p->mask >> lane & 1;
    uint32_t address = (uint32_t)__cvta_generic_to_shared(shared) + p->index[lane] * BYTES;
    uint32_t value = lane;
#pragma unroll 1 /* so that a launch of one repetition runs the same code */
    for (int r = 0; r < reps; r++) {
#define EMIT(load, store)                                                                          \
    if (STORE) {                                                                                   \
        asm volatile(PREDICATED(store)::"r"(address), "r"(active), "r"(value) : "memory");         \
    } else {                                                                                       \
        asm volatile("{ .reg .b32 a, b, c, d; " PREDICATED(load) " }" ::"r"(address), "r"(active)  \
                     : "memory");                                                                  \
    }
        if (BYTES == 1) {
            EMIT("ld.volatile.shared.u8 a, [%0]", "st.volatile.shared.u8 [%0], %2")
        } else if (BYTES == 2) {
            EMIT("ld.volatile.shared.u16 a, [%0]", "st.volatile.shared.u16 [%0], %2")
        } else if (BYTES == 4) {
            EMIT("ld.volatile.shared.u32 a, [%0]", "st.volatile.shared.u32 [%0], %2")
        } else if (BYTES == 8) {
            EMIT("ld.volatile.shared.v2.u32 {a, b}, [%0]",
                 "st.volatile.shared.v2.u32 [%0], {%2, %2}")
        } else {
            EMIT("ld.volatile.shared.v4.u32 {a, b, c, d}, [%0]",
                 "st.volatile.shared.v4.u32 [%0], {%2, %2, %2, %2}")
        }
        if (traffic != NULL) {
            volatile uint32_t *word = traffic + thread;
            *word = *word + 1;
        }
    }
}

typedef void (*probe_kernel)(const struct pattern *, int, int, uint32_t *);
static const probe_kernel probes[10] = {
    probe<1, false>, probe<1, true>,  probe<2, false>, probe<2, true>,   probe<4, false>,
    probe<4, true>,  probe<8, false>, probe<8, true>,  probe<16, false>, probe<16, true>};

static probe_kernel probe_for(const struct pattern *p)
{
    int log = 0;
    while (1 << log < p->bytes) {
        log++;
    }
    return probes[2 * log + p->store];
}

static int run(int first, int count, int reps, int blocks, int threads, bool with_traffic)
{
    std::vector<struct pattern> all = all_patterns();
    struct pattern *device;
    uint32_t *traffic = NULL;
    int end = count < (int)all.size() - first ? first + count : (int)all.size();

    for (const struct pattern &p : all) {
        for (int i = 0; i < LANES; i++) {
            if ((p.index[i] + 1) * (uint32_t)p.bytes > SHARED_BYTES) {
                fprintf(stderr, "wide_rule: a pattern reaches beyond the shared memory\n");
                return 1;
            }
        }
    }
    must(cudaMalloc(&device, all.size() * sizeof(all[0])), "allocate");
    must(cudaMemcpy(device, all.data(), all.size() * sizeof(all[0]), cudaMemcpyHostToDevice),
         "copy");
    if (with_traffic) {
        size_t bytes = sizeof(*traffic) * (size_t)blocks * (size_t)threads;
        must(cudaMalloc(&traffic, bytes), "allocate");
        must(cudaMemset(traffic, 0, bytes), "clear");
    }
    for (int i = first; i < end; i++) {
        probe_for(&all[i])<<<blocks, threads>>>(device, i, reps, traffic);
        must(cudaGetLastError(), "launch");
    }
    must(cudaDeviceSynchronize(), "run");
    must(cudaFree(device), "free");
    must(cudaFree(traffic), "free");
    printf("ran patterns %d to %d\n", first, end - 1);
    return 0;
}

/* ---- the table ----------------------------------------------------------------------------- */

static int join(int reps)
{
    static const char *const metric[6] = {
        "smsp__inst_executed_op_shared_ld.sum",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
        "smsp__inst_executed_op_shared_st.sum",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"};
    std::vector<struct pattern> all = all_patterns();
    int column[6] = {0}, uneven = 0, foreign = 0;
    size_t next = 0;
    static char line[1 << 16], *field[1024]; /* ncu prints some 300 columns */

    printf("op,bytes,lanes,instructions,passes,conflicts,elements\n");
    while (fgets(line, sizeof(line), stdin) != NULL) {
        int fields = line[0] == '"' ? cut_fields(line, field, 1024) : 0;
        if (fields > 0 && strcmp(field[0], "ID") == 0) {
            for (int m = 0; m < 6; m++) {
                for (int f = 0; f < fields; f++) {
                    column[m] = strcmp(field[f], metric[m]) == 0 ? f : column[m];
                }
            }
        } else if (fields > 0 && field[0][0] != '\0' && next < all.size()) {
            const struct pattern *p = &all[next++];
            long value[6];
            for (int m = 0; m < 6; m++) {
                value[m] = number(field[column[m]]);
            }
            const long *own = value + 3 * p->store, *other = value + 3 * !p->store;
            uneven += own[0] % reps || own[1] % reps || own[2] % reps;
            foreign += other[0] || other[1] || other[2];
            printf("%s,%d,%08x,%.6g,%.6g,%.6g,", p->store ? "store" : "load", p->bytes, p->mask,
                   (double)own[0] / reps, (double)own[1] / reps, (double)own[2] / reps);
            const char *between = "";
            for (int i = 0; i < LANES; i++) {
                if (p->mask >> i & 1) {
                    printf("%s%u", between, p->index[i]);
                    between = " ";
                }
            }
            printf("\n");
        }
    }
    fprintf(stderr,
            "wide_rule: %zu of %zu patterns; %d with a count that is no multiple of %d; "
            "%d with counts of the other operation\n",
            next, all.size(), uneven, reps, foreign);
    return next == 0;
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "run") == 0) {
        return run(atoi(argv[2]), atoi(argv[3]), atoi(argv[4]), 1, LANES, false);
    }
    if (argc == 8 && strcmp(argv[1], "run") == 0) {
        return run(atoi(argv[2]), atoi(argv[3]), atoi(argv[4]), atoi(argv[5]), atoi(argv[6]),
                   atoi(argv[7]) != 0);
    }
    if (argc == 3 && strcmp(argv[1], "join") == 0 && atoi(argv[2]) > 0) {
        return join(atoi(argv[2]));
    }
    if (argc == 2 && strcmp(argv[1], "count") == 0) {
        printf("%zu\n", all_patterns().size());
        return 0;
    }
    fprintf(stderr,
            "usage: wide_rule run FIRST COUNT REPS [BLOCKS THREADS TRAFFIC] | join REPS | count\n");
    return 2;
}
