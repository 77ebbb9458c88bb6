/* figures.c - the papers' figures: what each records, and how it is drawn.
 *
 * A figure is a row of the table. Captions are our own words. Where a paper says "arbitrary input",
 * the row gives splits, that is, how many words each thread takes from A, counted from the cells that
 * the paper prints (in tests/golden).
 */
#include "papers/papers.h"

static const double one_column = 85, two_columns = 178; /* millimetres */

#define STRIDE(stride, heading)                                                                    \
    {                                                                                              \
        "stride w=12 u=12 s=" stride, "read", .part = {                                            \
            .title = heading,                                                                      \
            .paint = PAINT_ROUND,                                                                  \
            .label = LABEL_ADDRESS,                                                                \
            .plain = true                                                                          \
        }                                                                                          \
    }
/* All rounds of a gather, side by side. */
#define GATHER(recipe, last, of_warp, colours)                                                     \
    {                                                                                              \
        recipe, "gather", .part = {                                                                \
            .title = "",                                                                           \
            .warp = of_warp,                                                                       \
            .rounds = true,                                                                        \
            .last_round = last,                                                                    \
            .paint = colours,                                                                      \
            .borders = true,                                                                       \
            .used_columns = true                                                                   \
        }                                                                                          \
    }
/* Whole merges, A beside B, with the words that are read in step marked. */
#define MERGE(heading, params, colours, first_bank, banks)                                         \
    {                                                                                              \
        "thrust-merge " params, "merge", .part = {                                                 \
            .title = heading,                                                                      \
            .paint = colours,                                                                      \
            .aligned_bank = first_bank,                                                            \
            .aligned_banks = banks,                                                                \
            .split = true,                                                                         \
            .used_columns = true                                                                   \
        }                                                                                          \
    }

/* Some rounds of a search, with the ways of each bank. */
#define SEARCH(recipe, stage, last)                                                                \
    {                                                                                              \
        recipe, stage, .part = {                                                                   \
            .title = "",                                                                           \
            .rounds = true,                                                                        \
            .last_round = last,                                                                    \
            .paint = PAINT_ROUND,                                                                  \
            .degrees = true                                                                        \
        }                                                                                          \
    }
/* What the words of all warps hold after a round of shear-sort of an 8 x 32 matrix. */
#define SHEAR(heading, stage, round)                                                               \
    {                                                                                              \
        "shear-sort w=8 h=4 --input sorted", stage,                                                \
            .part = {.title = heading,                                                             \
                     .warp = -1,                                                                   \
                     .rounds = true,                                                               \
                     .first_round = round,                                                         \
                     .last_round = round,                                                          \
                     .paint = PAINT_NONE,                                                          \
                     .label = LABEL_VALUE,                                                         \
                     .plain = true,                                                                \
                     .borders = true},                                                             \
            .divide = 64                                                                           \
    }

/* Estimates of predecessor section V-B, for w = 32: passes beyond one of each iteration. In
 * iteration i a bank can be asked for 2^i words, at most w, and at most as many as it has. */
static double estimate(int iterations, int K)
{
    double conflicts = 0;
    for (int i = 0; i < iterations; i++) {
        int ways = i < 5 ? 1 << i : 32, words = K / 32;
        conflicts += (ways < words ? ways : words) - 1;
    }
    return conflicts;
}

static double estimate_pbs(int K)
{
    int iterations = 0;
    while (K >> (iterations + 1))
        iterations++;
    return estimate(iterations, K);
}

static double estimate_pbs_cl(int K)
{
    return estimate(5, K);
}

#define RECORDED(name, of, ...)                                                                    \
    {                                                                                              \
        .title = name, .recipe = of, __VA_ARGS__                                                   \
    }
#define KEYS_FROM_32 32, 64, 128, 256, 512, 1024, 2048, 4096
#define CONFLICTS_PER_WARP "conflicts per warp and query"
/* The searches' parameters: banks of 8 bytes as on the paper's GPU. The kernel ends with a test
 * that the paper's loop lacks (search.h); it is skipped. */
#define PBS(size) "u=1024 Q=1024 bank_bytes=8 key_bytes=" size
static const struct paper_chart chart_pbs_4 = {
    .title = "recorded",
    .param = "K",
    .x_label = "keys",
    .y_label = CONFLICTS_PER_WARP,
    .x = {KEYS_FROM_32, 8192},
    .x_powers = true,
    .curve = {
        {.title = "worst case, estimated", .expected = estimate_pbs},
        RECORDED("worst case", "search-pbs " PBS("4") " --input worst", .stage = "search",
                 .skip_rounds = 1),
        RECORDED("random queries", "search-pbs " PBS("4"), .stage = "search", .skip_rounds = 1)}};
static const struct paper_chart chart_pbs_8 = {
    .title = "recorded",
    .param = "K",
    .x_label = "keys",
    .y_label = CONFLICTS_PER_WARP,
    .x = {KEYS_FROM_32},
    .x_powers = true,
    .curve = {
        {.title = "worst case, estimated", .expected = estimate_pbs},
        RECORDED("worst case", "search-pbs " PBS("8") " --input worst", .stage = "search",
                 .skip_rounds = 1),
        RECORDED("random queries", "search-pbs " PBS("8"), .stage = "search", .skip_rounds = 1)}};
static const struct paper_chart chart_cl_8 = {
    .title = "recorded",
    .param = "K",
    .x_label = "keys",
    .y_label = CONFLICTS_PER_WARP,
    .x = {KEYS_FROM_32},
    .x_powers = true,
    .curve = {
        {.title = "worst case, estimated", .expected = estimate_pbs_cl},
        RECORDED("worst case", "search-pbs-cl " PBS("8") " --input worst", .stage = "stage-2"),
        RECORDED("random queries", "search-pbs-cl " PBS("8"), .stage = "stage-2")}};
static const struct paper_chart chart_colors = {
    .title = "recorded: one page",
    .param = "colors",
    .x_label = "colors",
    .y_label = "bank conflicts per page",
    .x = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
    .curve = {RECORDED("naive", "colored-scan variant=naive", .stage = "scan"),
              RECORDED("conflict-free", "colored-scan variant=conflict-free", .stage = "scan")}};
static const struct paper_chart chart_sort = {
    .title = "recorded",
    .param = "n",
    .x_label = "n / E",
    .y_label = "bank conflicts per key",
    .x = {1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14},
    .x_powers = true,
    .per_word = true,
    .curve = {RECORDED("E = 15, worst case", "thrust-sort E=15 u=512 --input worst", .unit = 15),
              RECORDED("E = 17, worst case", "thrust-sort E=17 u=256 --input worst", .unit = 17),
              RECORDED("E = 15, random", "thrust-sort E=15 u=512", .unit = 15),
              RECORDED("E = 17, random", "thrust-sort E=17 u=256", .unit = 17)}};

/* kernels/hardest.c: no warp takes more passes than this. In the first five levels its lists lie in
 * w E consecutive words, E in each bank. */
static double bound_17(int level)
{
    return level <= 5 ? 17 * 17 : 17 * (17 + 1);
}
#define SORT_17 "thrust-sort u=256 E=17 n=34816"
static const struct paper_chart chart_levels = {
    .x_label = "level of merges",
    .y_label = "passes per warp",
    .x = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
    .curve = {{.title = "no input takes more", .expected = bound_17},
              RECORDED("hardest", SORT_17 " --input hardest", .unit = 1),
              RECORDED("worst (the papers')", SORT_17 " --input worst", .unit = 1),
              RECORDED("random", SORT_17, .unit = 1)}};

/* Charts of running times alone. */
#define TIMED(figure, millimetres, what)                                                           \
    {                                                                                              \
        .name = figure, .caption = what, .width = millimetres, .timed = true                       \
    }

const struct paper_figure paper_figures[] = {
    {.name = "cfmerge-1",
     .caption = "Twelve threads read words that are 5 apart (left: one word in each bank) and 6 "
                "apart (right: six words in each of two banks). Cells show addresses.",
     .width = one_column,
     .panel = {STRIDE("5", "stride 5"), STRIDE("6", "stride 6")}},
    {.name = "cfmerge-2",
     .caption =
         "CF-Merge, w = 12, E = 5: in each round the threads of a warp read one word from "
         "each bank (green). A is yellow; B, stored in reverse, is blue. Each cell shows the "
         "thread that reads it.",
     .width = two_columns,
     .per_row = 5,
     .panel = {GATHER("cf-merge w=12 u=12 E=5 --input splits=2,4,2,3,1,3,3,2,0,4,4,2", 4, 0,
                      PAINT_ROUND)}},
    {.name = "cfmerge-3",
     .caption =
         "CF-Merge, w = 9, E = 6, whose greatest common divisor is 3: partitions of 18 words "
         "(dotted borders) are shifted by 0, 1 and 2 words, and again every round reads each bank "
         "once.",
     .width = one_column,
     .per_row = 3,
     .panel = {GATHER("cf-merge w=9 u=9 E=6 --input splits=4,3,1,4,1,3,4,1,6", 5, 0, PAINT_ROUND)}},
    {.name = "cfmerge-4",
     .caption =
         "The papers' worst-case inputs for Thrust's merge, w = 12: red words are read in step "
         "(in round j from bank 12 - E + j) and collide.",
     .width = one_column,
     .panel = {MERGE("E = 5", "w=12 u=12 E=5 --input worst", PAINT_ALIGNED, 7, 5),
               MERGE("E = 9", "w=12 u=12 E=9 --input worst", PAINT_ALIGNED, 3, 9)}},
    TIMED("cfmerge-5", one_column,
          "Throughput of whole sorts of n 4-byte keys on the papers' worst-case inputs, u = "
          "512 for E = 15 and 256 for E = 17: Thrust's merges, and CF-Merge, which has no "
          "bank conflicts. On the paper's RTX 2080 Ti, CF-Merge is faster. On the H100 it "
          "is slower: it needs more registers, so that fewer threads fit, and its network "
          "compares more than a merge; conflicts weigh less."),
    TIMED("cfmerge-6", two_columns,
          "Throughput of whole sorts of n 4-byte keys on random keys and on the worst case. "
          "CF-Merge takes the same time for both, as in the paper. On the paper's RTX 2080 "
          "Ti it is as fast as Thrust on random keys and faster on the worst case; on the "
          "H100 it is slower than Thrust on both (registers, and the network: see "
          "cfmerge-5)."),
    {.name = "cfmerge-7",
     .caption = "The gather without the reversal of B, w = 12, E = 5: no bank conflicts, but "
                "threads that must read two words in one round (red) stall the warp.",
     .width = two_columns,
     .per_row = 5,
     .panel = {GATHER("dual-scan w=12 u=12 E=5 --input splits=2,4,2,3,1,3,3,2,0,4,4,2", 4, 0,
                      PAINT_STALLS)}},
    {.name = "cfmerge-8",
     .caption = "CF-Merge by a block of three warps, u = 18, w = 6, E = 4: partitions of 12 words "
                "are shifted by 0 and 1 words; in each round each warp reads each bank once.",
     .width = two_columns,
     .per_row = 2,
     .panel = {GATHER("cf-merge w=6 u=18 E=4", 3, -1, PAINT_ROUND)}},
    {.name = "worstcase-1",
     .caption =
         "Sorted input, w = 16, E = 12: green words in banks 0 to 11 are read in step (in round "
         "j from bank j) and collide; red words are not; grey words lie in other banks.",
     .width = one_column,
     .panel = {MERGE("", "w=16 u=16 E=12 --input sorted", PAINT_ON_TIME, 0, 12)}},
    {.name = "worstcase-2",
     .caption = "The construction's parameters count the words of A before the first and after the "
                "last of the m full columns that t threads scan in E banks.",
     .width = one_column,
     .panel = {{"thrust-merge w=16 u=32 E=7 --input "
                "splits=7,3,0,0,0,0,0,0,0,0,0,0,0,0,0,0,7,7,7,7,7,7,7,0,0,0,0,0,0,0,0,0",
                "merge", .part = {.warp = 1}}},
     .draw = draw_worstcase_2},
    {.name = "worstcase-3",
     .caption =
         "Constructed worst cases, w = 16: left, E = 7, in step in the first 7 banks; right, "
         "E = 9, in step in the last 9 banks. Colours as in worstcase-1.",
     .width = one_column,
     .panel = {MERGE("E = 7", "w=16 u=16 E=7 --input splits=7,0,7,2,7,3,0,6,7,0,6,0,3,7,7,2",
                     PAINT_ON_TIME, 0, 7),
               MERGE("E = 9", "w=16 u=16 E=9 --input splits=7,9,4,0,3,9,8,0,8,3,0,4,9,7,9,0",
                     PAINT_ON_TIME, 7, 9)}},
    TIMED("worstcase-4", one_column,
          "Throughput of Thrust's sort of n 4-byte keys, E = 15, with Thrust's 512 threads "
          "per block and with 128, the parameters of Modern GPU, on random keys and on the "
          "worst case. Modern GPU itself, which the paper measures, is missing."),
    TIMED("worstcase-5", two_columns,
          "Throughput of Thrust's sort of n 4-byte keys on random keys and on the worst "
          "case, u = 512 for E = 15 and 256 for E = 17, and of CUB's merge sort (CCCL 3.0). "
          "Modern GPU, which the paper measures, too, is missing. On the paper's RTX 2080 "
          "Ti, E = 15 is faster on random keys, where more of its threads fit; an H100 has "
          "room for 1536 threads of both, and E = 17 is faster."),
    {.name = "worstcase-6",
     .caption = "Conflicts per key of Thrust's whole sort of n keys, u = 512 for E = 15 and 256 "
                "for E = 17, and the time per key. Every level of merges between blocks adds more "
                "than three times as many conflicts on the worst case as on random input. What is "
                "recorded ends at n = 2^14 E, and what is timed begins at 2^16 E, as in the "
                "paper.",
     .width = two_columns,
     .chart = &chart_sort},
    {.name = "predecessor-1",
     .caption = "A GPU: streaming multiprocessors (SM) with control logic, cores, registers and "
                "shared memory of their own, and a global memory. Shared memory is divided into "
                "banks.",
     .width = one_column,
     .panel = {{"stride w=8 u=8 s=1", "read", .part = {.title = ""}}},
     .draw = draw_predecessor_1},
    {.name = "predecessor-2",
     .caption = "Four threads, four banks, no conflict: threads 1 and 2 read the same word (1,2), "
                "which is sent to both.",
     .width = one_column,
     .panel = {{"broadcast w=4 u=4 pattern=random --seed 8", "read",
                .part = {.title = "", .paint = PAINT_ROUND, .both = true, .degrees = true}}}},
    {.name = "predecessor-3",
     .caption = "Four threads read four words of bank 1: a 4-way conflict.",
     .width = one_column,
     .panel = {{"stride w=4 u=4 s=4 rounds=2", "read",
                .part = {.title = "",
                         .rounds = true,
                         .first_round = 1,
                         .last_round = 1,
                         .paint = PAINT_ROUND,
                         .degrees = true}}}},
    {.name = "predecessor-4",
     .caption = "PBS, worst case, w = 4, K = 64, a multiple of w^2: the first log K - log w rounds "
                "read only from bank 0, up to w of its words.",
     .width = one_column,
     .per_row = 1,
     .panel = {SEARCH("search-pbs w=4 u=4 Q=4 K=64 --input worst", "search", 3)}},
    {.name = "predecessor-5",
     .caption = "Stage 1 of PBS-CF on the queries of predecessor-4: every thread stays in its own "
                "bank.",
     .width = one_column,
     .per_row = 1,
     .panel = {SEARCH("search-pbs-cf w=4 u=4 Q=4 K=64 --input worst", "stage-1", 3)}},
    {.name = "predecessor-6",
     .caption = "Stage 2 of PBS-CL, worst case, w = 8: 1, 2 and 4 ways in successive rounds, w - 1 "
                "passes in total.",
     .width = two_columns,
     .per_row = 3,
     .panel = {SEARCH("search-pbs-cl w=8 u=8 Q=8 K=64 --input worst", "stage-2", 2)}},
    {.name = "predecessor-7",
     .caption = "Conflicts of PBS among K 4-byte keys in 8-byte banks, as the paper's GTX 770 "
                "has: two keys share a word, so the worst case stays below the estimate until K = "
                "2048. The last round, which the paper's loop lacks, does not count. The H100, "
                "which was timed, has banks of 4 bytes: its worst case follows the estimate.",
     .width = two_columns,
     .chart = &chart_pbs_4},
    {.name = "predecessor-8",
     .caption = "Conflicts of PBS among K 8-byte keys: the worst case equals the estimate, as in "
                "the paper. The last round, which the paper's loop lacks, does not count. The "
                "time, of 8,388,608 queries, follows.",
     .width = two_columns,
     .chart = &chart_pbs_8},
    {.name = "predecessor-9",
     .caption = "Conflicts of PBS-CL among K 8-byte keys: never more than w - 1 - log w = 26. Its "
                "time, of 8,388,608 queries, does not depend on them, as in the paper.",
     .width = two_columns,
     .chart = &chart_cl_8},
    TIMED("predecessor-10", one_column,
          "Time of the three predecessor searches among K 4-byte keys, random queries, "
          "8,388,608 of them. In the paper (GTX 770), PBS grows beyond PBS-CF; on the H100, "
          "whose banks have 4 bytes instead of 8, PBS-CF is the slowest for each K."),
    TIMED("predecessor-11", one_column,
          "Time of the three predecessor searches among K 8-byte keys, random queries, "
          "8,388,608 of them. As in the paper, PBS-CL is the fastest, and PBS becomes "
          "slower than PBS-CF; on the H100 only at K = 4096."),
    {.name = "bcfsort-1",
     .caption = "Conflicts of colored prefix sums for each number of colors, of a warp's page, "
                "without and with the transposition that avoids them, and the times of "
                "all phases and of the third, of 8,388,608 elements. On the H100 the conflicts "
                "cost less than the two transpositions for few colors.",
     .width = two_columns,
     .chart = &chart_colors},
    {.name = "bcfsort-2",
     .caption = "Shared memory as a matrix with a row for each bank: 64 consecutive words fill 8 "
                "banks column by column. Cells show addresses.",
     .width = one_column,
     .panel = {{"stride w=8 u=64 s=1", "read",
                .part = {.title = "",
                         .warp = -1,
                         .paint = PAINT_NONE,
                         .label = LABEL_ADDRESS,
                         .plain = true}}}},
    TIMED("bcfsort-3", two_columns,
          "Time per key of BCFMergesort, without and with buckets of their own for keys "
          "equal to a splitter, and of Thrust's sort (E = 15, u = 512), of n keys. On the GTX 580 "
          "of the paper BCFMergesort is faster than Thrust's sort; on the H100 it takes several "
          "times as long: 512 blocks of one warp leave it idle. The Warpsort that the paper also "
          "compares with is written anew here, with random splitters (kernel warp-sort)."),
    TIMED("bcfsort-4", two_columns,
          "Time per key where many keys are equal: only two different keys, and more and "
          "more different ones. The paper gains by buckets of their own; here they cost time, "
          "since one block gathers and copies a whole bucket. The paper's Warpsort fails on keys 0 "
          "and 1; ours (kernel warp-sort) sorts them, but two warps merge all."),
    TIMED("bcfsort-5", two_columns, "The times of bcfsort-3, not divided by the number of keys."),
    TIMED("bcfsort-6", two_columns, "The times of bcfsort-4, not divided by the number of keys."),
    TIMED("bcfsort-7", one_column,
          "Time to sort pieces of 1024 keys: ShearSort with lines in registers and in "
          "shared memory, which have no bank conflicts, and two networks that have."),
    {.name = "bcfsort-8",
     .caption = "An 8 x 32 matrix of 8 x 8 squares (dotted borders), before and after each square "
                "is transposed. Cells show the values of the words.",
     .width = two_columns,
     .panel = {SHEAR("before", "load", 7), SHEAR("after", "gather", 7)}},
    {.name = "bcfsort-9",
     .caption =
         "The matrix of bcfsort-8 after gathering the four columns that each row has become: "
         "rows 0 and 1 fill the first square, and so on.",
     .width = two_columns,
     .panel = {SHEAR("", "gather", 15)}},
    {.name = "beyond-1",
     .caption = "Passes per warp of the merges of Thrust's whole sort, E = 17, u = 256, eight "
                "tiles. On the hardest input, every level takes more passes than on the papers' "
                "worst case; from level 4 on, it takes nearly as many as any input can.",
     .width = one_column,
     .chart = &chart_levels},
    TIMED("beyond-2", one_column,
          "Throughput of this project's sort, of CUB's merge sort and of its radix sort, on "
          "4-byte random keys, on the papers' worst case and on the hardest input."),
    {.name = NULL},
};
