/* sort.c - the stages of a whole sort, its expected result, and the cost of each level. */
#include "kernels/sort.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

int sort_tiles(const struct sort_params *p)
{
    int n = p->u * p->E;
    return p->n / n + (p->n % n > 0);
}

int sort_launches(const void *params)
{
    return 1 + log2_up(sort_tiles(params));
}

/* Where a stage belongs. */
struct sort_stage {
    int level; /* 0: of the registers */
    enum { SORT_LOAD, SORT_SORT, SORT_SEARCH, SORT_MERGE, SORT_STORE } kind;
};

static struct sort_stage sort_stage_of(const struct sort_params *p, int i)
{
    int levels = sort_levels(p->w, p->u);
    struct sort_stage stage = {0, SORT_LOAD};
    if (i < 2) {
        stage.kind = i ? SORT_SORT : SORT_LOAD;
    } else if (i < 2 + 3 * levels) {
        stage.level = (i - 2) / 3 + 1;
        stage.kind = SORT_SEARCH + (i - 2) % 3;
    } else { /* the levels of whole tiles have a load of their own */
        int k = i - 2 - 3 * levels;
        stage.level = levels + k / 4 + 1;
        stage.kind = k % 4 ? SORT_SEARCH + k % 4 - 1 : SORT_LOAD;
    }
    return stage;
}

bool sort_stage_name(const void *params, int i, const char *merge, char name[64])
{
    const struct sort_params *p = params;
    const char *const names[] = {"load", "sort", "search", merge, "store"};
    int levels = sort_levels(p->w, p->u), passes = sort_launches(p) - 1;
    struct sort_stage stage = sort_stage_of(p, i);

    if (i < 2)
        snprintf(name, 64, "%s", names[stage.kind]);
    else
        snprintf(name, 64, "%s-%d", names[stage.kind], stage.level);
    return i < 2 + 3 * levels + 4 * passes;
}

bool sort_shape(const void *params, struct kernel_shape *shape, size_t more)
{
    const struct sort_params *p = params;
    size_t n = (size_t)p->u * (size_t)p->E;
    shape->blocks = sort_tiles(p);
    shape->shared_bytes = (n + more) * sizeof(int);
    shape->in_words = shape->out_words = (size_t)shape->blocks * n;
    return true;
}

bool sort_check(const void *params, const struct kernel_shape *shape, const int *in, const int *out,
                struct error *error)
{
    const struct sort_params *p = params;
    (void)shape;
    return check_sorted((size_t)p->n, 1, in, out, error);
}

/* ---- what it cost ---------------------------------------------------------------------------- */

/* Conflicts per step of a warp, as a profiler counts them: passes beyond the first. The published
 * numbers are Modern GPU's on random input (worstcase section II-A). Section III-A counts an E-way
 * access as E instead: its worst case has beta_2 = E where this has E - 1. */
static void print_beta(FILE *file, const char *name, const char *step, double conflicts,
                       double steps, double published)
{
    if (steps > 0)
        fprintf(file,
                "%s = %.2f conflicts per %s (%.0f / %.0f); published for random input: %.1f\n",
                name, conflicts / steps, step, conflicts, steps, published);
}

void sort_report(const void *params, const struct stats *stats, FILE *file)
{
    const struct sort_params *p = params;
    int levels = sort_levels(p->w, p->u), all = levels + sort_launches(p) - 1;
    double search = 0, searches = 0, merge = 0, merges = 0;
    const char *merging = levels ? stats->header.stage[SORT_MERGE] : "merge";
    uint64_t total = 0;

    fprintf(file, "conflicts by level (list: words in each list):\n");
    fprintf(file, "%5s %10s %10s %10s %10.*s %10s %12s\n", "level", "list", "load", "search",
            (int)strcspn(merging, "-"), merging, "store", "per element");
    for (int level = 0; level <= all; level++) {
        uint64_t conflicts[5] = {0}, sum = 0;
        int64_t list = !level            ? 1
                       : level <= levels ? (int64_t)sort_list_threads(p->w, level) * p->E
                                         : (int64_t)p->u * p->E << (level - levels - 1);
        for (size_t i = 0; i < stats->rows; i++) {
            const struct stats_row *row = &stats->row[i];
            struct sort_stage stage = sort_stage_of(p, row->stage);
            if (stage.level != level)
                continue;
            conflicts[stage.kind == SORT_SORT ? SORT_STORE : stage.kind] += row->conflicts;
            sum += row->conflicts;
            if (stage.kind == SORT_SEARCH) { /* cf-sort's hand-over: a store and a load */
                search += (double)row->conflicts;
                searches += row->op == OP_LOAD ? (double)row->warp_accesses / 2
                                               : (double)row->warp_accesses / -2;
            }
        }
        merge += (double)conflicts[SORT_MERGE];
        merges += level ? (double)sort_tiles(p) * p->u / p->w * p->E : 0;
        total += sum;
        fprintf(file,
                "%5d %10" PRId64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64
                " %12.4f\n",
                level, list, conflicts[SORT_LOAD], conflicts[SORT_SEARCH], conflicts[SORT_MERGE],
                conflicts[SORT_STORE], (double)sum / p->n);
    }
    fprintf(file, "all levels: %" PRIu64 " conflicts, %.4f per element\n", total,
            (double)total / p->n);
    print_beta(file, "beta_1", "search step (a read of A, then a read of B)", search, searches,
               3.1);
    print_beta(file, "beta_2", "merge step (one word per lane)", merge, merges, 2.2);
}
