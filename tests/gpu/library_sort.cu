/* library_sort.cu - the library's own sort: counters of its merge kernels against the bank model.
 *
 *     library_sort run INPUT TILES                sort on the GPU, for a profiler to watch
 *     library_sort compare INPUT TILES PROFILE    predict, and compare with the profile
 *     library_sort time INPUT TILES               how long the sort takes, as a row of a table
 *
 * cub::DeviceMergeSort sorts 4-byte keys in tiles of 256 threads with 17 keys each and then merges
 * runs of 1, 2, 4, ... tiles, one launch of its merge kernel for each. INPUT is random, worst (the
 * papers' construction), hardest (kernels/hardest.c, for the library's order of reading) or
 * hardest-model (for the papers'). The prediction follows cub's AgentMerge: a block stores its 17 x 256 keys
 * coalesced, searches, merges serially, and transposes its output through shared memory for a
 * coalesced store (E is odd, so the last two have no conflicts). PROFILE is ncu's table
 * (--csv --page raw) of the launches of DeviceMergeSortMergeKernel.
 */
#include "instrument/instrument.h"

#include <algorithm>
#include <cub/device/device_merge_sort.cuh>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <vector>

enum { WARP = 32, THREADS = 256, E = 17, TILE = THREADS * E };

/* kernels/sort.h, which is C */
struct sort_params {
    int w, u, E, n;
};
/* kernels/kernel.h and merge.h, likewise */
enum { INPUT_WORST = 8, INPUT_HARDEST = 128, ORDER_MODEL = 0, ORDER_LIBRARY = 1 };
struct input {
    int kind;
    uint64_t seed;
    const char *name;
    size_t count;
    int *number;
};
extern "C" bool sort_input(const struct sort_params *p, int order, const struct input *input,
                           int *in, struct error *error);
extern "C" uint64_t random_next(uint64_t *state);

static bool make_keys(const char *input, int tiles, std::vector<int> &keys)
{
    struct error error = {};
    uint64_t state = 1;
    struct sort_params p = {WARP, THREADS, E, tiles * TILE};
    keys.resize(static_cast<size_t>(tiles) * TILE);
    if (strcmp(input, "random")) {
        struct input kind = {strcmp(input, "worst") ? INPUT_HARDEST : INPUT_WORST, 1, input, 0,
                             NULL};
        int order = strcmp(input, "hardest") ? ORDER_MODEL : ORDER_LIBRARY;
        if (sort_input(&p, order, &kind, keys.data(), &error))
            return true;
        return fprintf(stderr, "library_sort: %s\n", error.text), false;
    }
    for (int &key : keys)
        key = static_cast<int>(random_next(&state) >> 33);
    return true;
}

struct ascending {
    __host__ __device__ bool operator()(int a, int b) const
    {
        return a < b;
    }
};

static int sort_on_gpu(std::vector<int> keys)
{
    int *device = NULL;
    void *space = NULL;
    size_t bytes = 0, size = keys.size() * sizeof(int);
    std::vector<int> sorted = keys;
    cudaMalloc(&device, size);
    cudaMemcpy(device, keys.data(), size, cudaMemcpyHostToDevice);
    cub::DeviceMergeSort::SortKeys(NULL, bytes, device, keys.size(), ascending());
    cudaMalloc(&space, bytes);
    cub::DeviceMergeSort::SortKeys(space, bytes, device, keys.size(), ascending());
    cudaMemcpy(keys.data(), device, size, cudaMemcpyDeviceToHost);
    cudaError_t error = cudaDeviceSynchronize();
    std::sort(sorted.begin(), sorted.end());
    if (error != cudaSuccess || keys != sorted)
        return fprintf(stderr, "library_sort: %s\n",
                       error == cudaSuccess ? "not sorted" : cudaGetErrorString(error)),
               1;
    return 0;
}

/* Sorts the keys again and again, and prints the median of the times. */
static int time_on_gpu(const char *input, const std::vector<int> &keys)
{
    enum { TIMES = 21 };
    int *device = NULL, *given = NULL;
    void *space = NULL;
    size_t bytes = 0, size = keys.size() * sizeof(int);
    std::vector<float> times(TIMES);
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaMalloc(&device, size);
    cudaMalloc(&given, size);
    cudaMemcpy(given, keys.data(), size, cudaMemcpyHostToDevice);
    cub::DeviceMergeSort::SortKeys(NULL, bytes, device, keys.size(), ascending());
    cudaMalloc(&space, bytes);
    for (int i = -2; i < TIMES; i++) { /* the first two warm up */
        cudaMemcpy(device, given, size, cudaMemcpyDeviceToDevice);
        cudaEventRecord(begin);
        cub::DeviceMergeSort::SortKeys(space, bytes, device, keys.size(), ascending());
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&times[std::max(i, 0)], begin, end);
    }
    std::vector<int> sorted(keys.size());
    cudaMemcpy(sorted.data(), device, size, cudaMemcpyDeviceToHost);
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess || !std::is_sorted(sorted.begin(), sorted.end()))
        return fprintf(stderr, "library_sort: %s\n",
                       error == cudaSuccess ? "not sorted" : cudaGetErrorString(error)),
               1;
    std::sort(times.begin(), times.end());
    printf("%s\t%zu\t%.4f\t%.4f\t%.4f\n", input, keys.size(), times[TIMES / 2], times[0],
           times[TIMES - 1]);
    return 0;
}

/* Instructions, passes and conflicts of loads, then of stores. */
struct counts {
    uint64_t of[6];
};

/* What the lanes of one warp read in one step. */
struct lanes {
    uint8_t lane[WARP];
    uint32_t addr[WARP];
    int count = 0;
    void add(int number, int element)
    {
        lane[count] = static_cast<uint8_t>(number);
        addr[count++] = static_cast<uint32_t>(element) * 4;
    }
};

static void add_cost(struct counts &counts, const struct lanes &lanes)
{
    struct warp_access access = {};
    struct trace_header header = {};
    struct bank_cost cost;
    if (!lanes.count)
        return;
    header.banks = header.warp = WARP;
    header.bank_bytes = 4;
    access.op = OP_LOAD;
    access.bytes = 4;
    access.lanes = lanes.count;
    access.lane = lanes.lane;
    access.addr = lanes.addr;
    bank_model_cost(&header, &access, &cost);
    counts.of[0]++;
    counts.of[1] += static_cast<uint64_t>(cost.passes);
    counts.of[2] += static_cast<uint64_t>(cost.conflicts);
}

/* One warp of a tile whose first na keys are A's. */
static void merge_warp(struct counts &counts, const int *tile, int na, int warp)
{
    int a[WARP], end[WARP], b[WARP], head_a[WARP], head_b[WARP], nb = TILE - na;
    for (int i = 0; i < WARP; i++) {
        int diagonal = (warp * WARP + i) * E;
        a[i] = std::max(0, diagonal - nb);
        end[i] = std::min(diagonal, na);
    }
    for (bool more = true; more;) {
        struct lanes read_a, read_b;
        more = false;
        for (int i = 0; i < WARP; i++) {
            if (a[i] >= end[i])
                continue;
            int middle = (a[i] + end[i]) / 2, other = na + (warp * WARP + i) * E - 1 - middle;
            read_a.add(i, middle);
            read_b.add(i, other);
            if (tile[other] < tile[middle])
                end[i] = middle;
            else
                a[i] = middle + 1;
            more = true;
        }
        add_cost(counts, read_a);
        add_cost(counts, read_b);
    }
    struct lanes heads_a, heads_b;
    for (int i = 0; i < WARP; i++) {
        b[i] = na + (warp * WARP + i) * E - a[i];
        heads_a.add(i, a[i]);
        heads_b.add(i, b[i]);
        head_a[i] = tile[a[i]];
        head_b[i] = b[i] < TILE ? tile[b[i]] : 0;
    }
    add_cost(counts, heads_a);
    add_cost(counts, heads_b);
    for (int j = 1; j < E; j++) {
        struct lanes read_a, read_b;
        for (int i = 0; i < WARP; i++) {
            if (b[i] < TILE && (a[i] >= na || head_b[i] < head_a[i])) {
                read_b.add(i, ++b[i]);
                head_b[i] = b[i] < TILE ? tile[b[i]] : 0;
            } else {
                read_a.add(i, ++a[i]);
                head_a[i] = tile[a[i]];
            }
        }
        add_cost(counts, read_a);
        add_cost(counts, read_b);
    }
}

/* How many of the first `diagonal` keys of the merge of A and B are A's. */
static int split(const int *list_a, int na, const int *list_b, int nb, int diagonal)
{
    int begin = std::max(0, diagonal - nb), end = std::min(diagonal, na);
    while (begin < end) {
        int middle = (begin + end) / 2;
        if (list_b[diagonal - 1 - middle] < list_a[middle])
            end = middle;
        else
            begin = middle + 1;
    }
    return begin;
}

/* One launch of the merge kernel on runs of `run` tiles; keys are merged. */
static struct counts merge_level(std::vector<int> &keys, int run)
{
    struct counts counts = {};
    std::vector<int> merged(keys.size()), tile(TILE + 1);
    int tiles = static_cast<int>(keys.size() / TILE);
    for (int first = 0; first < tiles; first += 2 * run) {
        const int *list_a = &keys[static_cast<size_t>(first) * TILE];
        int na = std::min(run, tiles - first) * TILE;
        int nb = std::max(0, std::min(run, tiles - first - run)) * TILE;
        const int *list_b = list_a + na;
        std::merge(list_a, list_a + na, list_b, list_b + nb,
                   merged.begin() + static_cast<ptrdiff_t>(first) * TILE);
        for (int begin = 0; begin < na + nb; begin += TILE) {
            int from = split(list_a, na, list_b, nb, begin);
            int to = split(list_a, na, list_b, nb, begin + TILE);
            std::copy(list_a + from, list_a + to, tile.begin());
            std::copy(list_b + begin - from, list_b + begin + TILE - to,
                      tile.begin() + (to - from));
            for (int warp = 0; warp < THREADS / WARP; warp++)
                merge_warp(counts, tile.data(), to - from, warp);
            uint64_t coalesced = TILE / WARP; /* instructions of one pass each */
            counts.of[0] += coalesced, counts.of[1] += coalesced;
            counts.of[3] += 2 * coalesced, counts.of[4] += 2 * coalesced;
        }
    }
    keys.swap(merged);
    /* The last block may be a partial one: its thread 0 tells all warps how much to store. */
    counts.of[0] += THREADS / WARP, counts.of[1] += THREADS / WARP;
    counts.of[3]++, counts.of[4]++;
    return counts;
}

/* The fields of a line of comma-separated values, without quotes and thousands' commas. */
static std::vector<std::string> fields_of(const char *line)
{
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (; *line && *line != '\n'; line++) {
        if (*line == '"')
            quoted = !quoted;
        else if (*line == ',' && !quoted)
            fields.emplace_back();
        else if (*line != ',')
            fields.back() += *line;
    }
    return fields;
}

static bool read_profile(const char *path, std::vector<struct counts> &launches)
{
    static const char *const names[] = {
        "smsp__inst_executed_op_shared_ld.sum",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
        "smsp__inst_executed_op_shared_st.sum",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    };
    enum { NAMES = sizeof names / sizeof names[0] };
    char line[1 << 14];
    size_t column[NAMES] = {}, kernel = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        return fprintf(stderr, "library_sort: cannot read %s\n", path), false;
    while (fgets(line, sizeof line, file)) {
        std::vector<std::string> fields = fields_of(line);
        if (line[0] != '"' || fields.size() < 7)
            continue;
        if (!kernel) {
            for (size_t i = 0; i < fields.size(); i++) {
                kernel = fields[i] == "Kernel Name" ? i : kernel;
                for (int k = 0; k < NAMES; k++)
                    column[k] = fields[i] == names[k] ? i : column[k];
            }
        } else if (fields[kernel].find("MergeSortMerge") != std::string::npos) {
            struct counts counts = {};
            uint64_t number[NAMES];
            for (int k = 0; k < NAMES; k++)
                number[k] = strtoull(fields[column[k]].c_str(), NULL, 10);
            std::copy(number, number + 6, counts.of);
            counts.of[2] -= number[6] - number[1]; /* lost to arbitration: doc/gpu.md */
            counts.of[5] -= number[7] - number[4];
            launches.push_back(counts);
        }
    }
    fclose(file);
    return true;
}

static int compare(const char *input, std::vector<int> keys, const char *path)
{
    std::vector<struct counts> launches;
    size_t level = 0;
    bool all = true;
    if (!read_profile(path, launches))
        return 1;
    for (size_t first = 0; first < keys.size(); first += TILE)
        std::sort(keys.begin() + static_cast<ptrdiff_t>(first),
                  keys.begin() + static_cast<ptrdiff_t>(first + TILE));
    for (int run = 1; run < static_cast<int>(keys.size() / TILE); run *= 2, level++) {
        struct counts predicted = merge_level(keys, run), counted = {};
        if (level < launches.size())
            counted = launches[level];
        /* Instructions without any active lane are counted, and cost no pass. */
        bool equal = counted.of[0] >= predicted.of[0] && counted.of[3] >= predicted.of[3];
        for (int k = 0; k < 6; k++)
            equal = equal && (k % 3 == 0 || counted.of[k] == predicted.of[k]);
        printf("%s\t%d", input, run);
        for (int k = 0; k < 6; k++)
            printf("\t%llu\t%llu", static_cast<unsigned long long>(predicted.of[k]),
                   static_cast<unsigned long long>(counted.of[k]));
        printf("\t%s\n", equal ? "equal" : "DIFFERS");
        all = all && equal;
    }
    return all && level == launches.size() ? 0 : 1;
}

int main(int argc, char **argv)
{
    int tiles = argc > 3 ? atoi(argv[3]) : 0;
    std::vector<int> keys;
    if (tiles < 2 || tiles > 1 << 14)
        return fprintf(stderr, "usage: library_sort run|compare|time INPUT TILES [PROFILE]\n"), 2;
    if (!make_keys(argv[2], tiles, keys))
        return 1;
    return !strcmp(argv[1], "run")    ? sort_on_gpu(keys)
           : !strcmp(argv[1], "time") ? time_on_gpu(argv[2], keys)
                                      : compare(argv[2], keys, argc > 4 ? argv[4] : "");
}
