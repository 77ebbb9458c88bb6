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
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

enum { LANES = 32, SHARED_BYTES = 32768, WINDOW_BYTES = 4096 };

/* Element i of a lane is bytes i*bytes .. i*bytes+bytes-1 of shared memory. */
struct pattern {
    bool store;
    int bytes;
    uint32_t mask;
    uint32_t index[LANES];
};

/* ---- the patterns -------------------------------------------------------------------------- */

static uint64_t random_state = 0x9E3779B97F4A7C15u;

static uint32_t random_below(uint32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 33) % n;
}

static uint32_t random_mask(void)
{
    uint32_t mask = 0, eighths = 1 + random_below(8);
    for (int i = 0; i < LANES; i++) {
        mask |= (uint32_t)(random_below(8) < eighths) << i;
    }
    return mask;
}

/* The bits of lane selected by m, moved together: (10110, 11010) -> 101. */
static uint32_t compress(uint32_t lane, uint32_t m)
{
    uint32_t out = 0, at = 0;
    for (int b = 0; b < 5; b++) {
        if (m >> b & 1) {
            out |= (lane >> b & 1) << at++;
        }
    }
    return out;
}

static const uint32_t masks[] = {0x0000ffff, 0xffff0000, 0x55555555, 0xaaaaaaaa, 0x33333333,
                                 0xcccccccc, 0x0f0f0f0f, 0xf0f0f0f0, 0x00ff00ff, 0xff00ff00,
                                 0x000000ff, 0x0000000f, 0x00000001, 0x80000000, 0x00010001,
                                 0x01010101, 0x11111111};
static const uint32_t strides[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 24, 31, 32, 33};
static const uint32_t partners[] = {1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 24, 31};
#define COUNT_OF(a) ((int)(sizeof(a) / sizeof((a)[0])))

enum { STRUCTURED = 1 + 17 + 2 * 17 + 3 * 13 + 2 * 32 + 6 };

/* Pattern k < STRUCTURED of the hand-made families: the same lanes and indexes for every width. */
static void structured(int k, struct pattern *p)
{
    p->mask = 0xffffffff;
    for (int i = 0; i < LANES; i++) {
        p->index[i] = (uint32_t)i;
    }
    if (k == 0) { /* the instruction is issued, and no lane takes part */
        p->mask = 0;
        return;
    }
    k -= 1;
    if (k < COUNT_OF(strides)) {
        for (int i = 0; i < LANES; i++) {
            p->index[i] = (uint32_t)i * strides[k];
        }
        return;
    }
    k -= COUNT_OF(strides);
    if (k < 2 * COUNT_OF(masks)) { /* some lanes: element = lane, then element = rank of the lane */
        uint32_t rank = 0;
        p->mask = masks[k / 2];
        for (int i = 0; i < LANES; i++) {
            if (k % 2 == 1) {
                p->index[i] = rank;
            }
            rank += p->mask >> i & 1;
        }
        return;
    }
    k -= 2 * COUNT_OF(masks);
    if (k < 3 * COUNT_OF(partners)) { /* two lanes: other banks, same word, other word of a bank */
        uint32_t j = partners[k / 3];
        p->mask = 1u | 1u << j;
        p->index[0] = 0;
        p->index[j] = k % 3 == 0 ? 4 : k % 3 == 1 ? 0 : 128u * 3 / (uint32_t)p->bytes;
        if (k % 3 == 0 && p->bytes < 4) {
            p->index[j] = 4u * 4 / (uint32_t)p->bytes;
        }
        return;
    }
    k -= 3 * COUNT_OF(partners);
    if (k <
        2 * 32) { /* lanes that share: every subset of the lane number's bits, spread and tight */
        for (uint32_t i = 0; i < LANES; i++) {
            p->index[i] = k % 2 == 0 ? (i & (uint32_t)k / 2) : compress(i, (uint32_t)k / 2);
        }
        return;
    }
    k -= 2 * 32;
    static const uint32_t flips[] = {1, 2, 4, 8, 16, 31};
    for (uint32_t i = 0; i < LANES; i++) {
        p->index[i] = i ^ flips[k];
    }
}

/* A window of elements to draw from: 2, 4, 8, ... elements, at most WINDOW_BYTES. */
static uint32_t random_window(int bytes)
{
    uint32_t most = 0;
    while ((2u << most) * (uint32_t)bytes <= WINDOW_BYTES) {
        most++;
    }
    return 2u << random_below(most);
}

static void shuffled(uint32_t n, uint32_t *out)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = random_below(i + 1);
        out[i] = out[j];
        out[j] = i;
    }
}

/* Gives lanes first .. first+count-1 elements so that lane i and lane i^d want the same one, or one
 * of the two is inactive (idle). */
static void paired(struct pattern *p, int first, int count, uint32_t d, bool idle, bool distinct)
{
    uint32_t window = random_window(p->bytes), order[LANES];
    shuffled(LANES, order);
    for (int i = first; i < first + count; i++) {
        int j = (int)((uint32_t)i ^ d);
        p->index[i] = distinct ? order[i] : random_below(window);
        if (j < i && j >= first) {
            if (idle) {
                p->mask &= ~(1u << (random_below(2) ? i : j));
            } else {
                p->index[i] = p->index[j];
            }
        }
    }
}

static void drawn(struct pattern *p)
{
    static const uint32_t distances[] = {1, 2, 3, 4, 8, 16};
    uint32_t kind = random_below(8), window = random_window(p->bytes), order[LANES];
    p->mask = random_below(2) ? 0xffffffff : random_mask();
    if (kind < 2) { /* anything out of a window */
        for (int i = 0; i < LANES; i++) {
            p->index[i] = random_below(window);
        }
    } else if (kind == 2) { /* stride */
        uint32_t stride = random_below(41), start = random_below(64);
        for (uint32_t i = 0; i < LANES; i++) {
            p->index[i] = start + i * stride;
        }
    } else if (kind == 3) { /* 32 neighbours in any order */
        shuffled(LANES, order);
        memcpy(p->index, order, sizeof(order));
    } else if (kind < 6) { /* pairs over the whole warp */
        paired(p, 0, LANES, distances[random_below(6)], random_below(2), random_below(2));
    } else { /* pairs, each half-warp by a distance of its own */
        paired(p, 0, 16, distances[random_below(5)], random_below(2), random_below(2));
        paired(p, 16, 16, distances[random_below(5)], random_below(2), random_below(2));
    }
    for (uint32_t spoilt = kind >= 4 ? random_below(4) : 0; spoilt > 1; spoilt--) {
        uint32_t lane = random_below(LANES);
        p->mask |= 1u << lane;
        p->index[lane] = random_below(window);
    }
}

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

static void must(cudaError_t code, const char *what)
{
    if (code != cudaSuccess) {
        fprintf(stderr, "wide_rule: %s: %s\n", what, cudaGetErrorString(code));
        exit(1);
    }
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

/* Cuts a line of quoted, comma-separated fields in place; returns how many. */
static int cut_fields(char *line, char **field, int most)
{
    int n = 0;
    for (char *at = strchr(line, '"'); at != NULL && n < most; n++) {
        field[n] = at + 1;
        at = strchr(at + 1, '"');
        if (at != NULL) {
            *at = '\0';
            at = strchr(at + 1, '"');
        }
    }
    return n;
}

/* 12,345 -> 12345 */
static long number(const char *text)
{
    long n = 0;
    for (; *text != '\0' && *text != '.'; text++) {
        if (*text >= '0' && *text <= '9') {
            n = 10 * n + (*text - '0');
        }
    }
    return n;
}

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
