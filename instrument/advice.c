/* advice.c - layouts of shared arrays that have fewer bank conflicts: see advice.h.
 *
 * The candidates come from the array's dimensions and from the strides between neighbouring lanes
 * in accesses that have conflicts. Where there are many different accesses, a sample of them chooses
 * the candidates that are costed on all.
 */
#include "instrument/layout.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct advice_access {
    size_t first; /* of its lanes */
    uint64_t count;
    uint8_t op, bytes, lanes;
};

enum {
    STRIDES = 4,   /* strides seen that are tried, those with most conflicts */
    LENGTHS = 16,  /* lengths after which units are padded or swizzled */
    PADDINGS = 4,  /* words of padding tried: 1..4 */
    SAMPLE = 2048, /* different accesses of an array that candidates are compared on */
    FINALISTS = 5, /* candidates of a kind that are costed on all accesses */
    SLOPES = 2,    /* different distances between neighbouring lanes of a regular access */
};

/* ---- collecting -------------------------------------------------------------------------------- */

static uint32_t hash_access(const struct warp_access *access)
{
    uint64_t hash =
        (uint64_t)access->op << 16 | (uint64_t)access->bytes << 8 | (uint64_t)access->lanes;
    for (int i = 0; i < access->lanes; i++)
        hash = hash_mix(hash, (uint64_t)access->lane[i] << 32 | access->addr[i]);
    return (uint32_t)hash;
}

static struct warp_access view(const struct advice *advice, const struct advice_access *access)
{
    return (struct warp_access){.op = (enum op)access->op,
                                .bytes = access->bytes,
                                .lanes = access->lanes,
                                .lane = advice->lane + access->first,
                                .addr = advice->addr + access->first,
                                .site = -1};
}

static bool same_access(const struct advice *advice, const struct advice_access *kept,
                        const struct warp_access *access)
{
    size_t lanes = (size_t)access->lanes;
    return kept->op == access->op && kept->bytes == access->bytes && kept->lanes == access->lanes &&
           memcmp(advice->lane + kept->first, access->lane, lanes) == 0 &&
           memcmp(advice->addr + kept->first, access->addr, lanes * sizeof *access->addr) == 0;
}

static bool take_header(void *context, const struct trace_header *header, struct error *error)
{
    struct advice *advice = context;
    (void)error;
    header_copy(&advice->header, header);
    return true;
}

static bool take_access(void *context, const struct warp_access *access, struct error *error)
{
    struct advice *advice = context;
    size_t lanes = (size_t)access->lanes;
    if (access->global) /* layouts are of shared arrays */
        return true;
    const uint32_t hash = hash_access(access);
    size_t at = 0;
    for (uint32_t i; (i = hash_index_next(&advice->index, hash, &at)) != HASH_INDEX_NONE;)
        if (same_access(advice, &advice->access[i], access)) {
            advice->access[i].count++;
            return true;
        }
    if (advice->accesses == UINT32_MAX - 1)
        return error_set(error, "the recording has too many different accesses to search");
    if (!memory_grow(&advice->access, &advice->access_room, advice->accesses + 1,
                     sizeof *advice->access, "accesses", error) ||
        !memory_grow(&advice->lane, &advice->lane_room, advice->lanes + lanes, 1, "accesses",
                     error) ||
        !memory_grow(&advice->addr, &advice->addr_room, advice->lanes + lanes, sizeof *advice->addr,
                     "accesses", error) ||
        !hash_index_add(&advice->index, hash, (uint32_t)advice->accesses, "accesses", error))
        return false;
    memcpy(advice->lane + advice->lanes, access->lane, lanes);
    memcpy(advice->addr + advice->lanes, access->addr, lanes * sizeof *access->addr);
    advice->access[advice->accesses++] = (struct advice_access){
        advice->lanes, 1, (uint8_t)access->op, (uint8_t)access->bytes, (uint8_t)access->lanes};
    advice->lanes += lanes;
    return true;
}

static bool take_end(void *context, const struct trace_end *end, struct error *error)
{
    struct advice *advice = context;
    (void)error;
    advice->end = *end;
    return true;
}

struct trace_sink advice_sink(struct advice *advice)
{
    return (struct trace_sink){take_header, take_access, take_end, advice};
}

/* ---- arrays ------------------------------------------------------------------------------------ */

static bool touches(const struct trace_array *array, const struct warp_access *access)
{
    uint32_t first = (uint32_t)array->addr, bytes = layout_array_bytes(array);
    for (int i = 0; i < access->lanes; i++)
        if (access->addr[i] - first < bytes)
            return true;
    return false;
}

/* ---- what a layout costs ------------------------------------------------------------------------ */

/* Whether the lanes' addresses follow a pattern: few distances between neighbours, as in a row, in
 * a column, or in a tile of which a warp covers some rows. */
static bool regular(const struct warp_access *access)
{
    int64_t slope[SLOPES];
    int slopes = 0;
    for (int i = 1; i < access->lanes; i++) {
        int64_t distance = (int64_t)access->addr[i] - access->addr[i - 1];
        if (access->lane[i] != access->lane[i - 1] + 1)
            continue;
        int k = 0;
        while (k < slopes && slope[k] != distance)
            k++;
        if (k == slopes) {
            if (slopes == SLOPES)
                return false;
            slope[slopes++] = distance;
        }
    }
    return true;
}

/* The accesses of one array, in places of its own so that the search walks through them once. */
struct search {
    const struct advice *advice;
    const struct trace_array *array;
    size_t count;
    uint32_t *access; /* indices into advice->access */
    bool *regular;    /* of each */
};

/* Costs every step-th access in the row's layout. */
static void cost(const struct search *search, struct advice_row *row, size_t step)
{
    const struct advice *advice = search->advice;
    uint32_t addr[MAX_WARP];
    row->passes = row->conflicts = row->irregular = 0;
    row->extra_bytes = layout_extra_bytes(search->array, &row->layout);
    for (size_t i = 0; i < search->count; i += step) {
        const struct advice_access *kept = &advice->access[search->access[i]];
        struct warp_access access = view(advice, kept);
        struct bank_cost cost;
        for (int lane = 0; lane < access.lanes; lane++)
            addr[lane] = layout_moved(search->array, &row->layout, (uint32_t)row->extra_bytes,
                                      access.addr[lane]);
        access.addr = addr;
        bank_model_cost(&advice->header, &access, &cost);
        row->passes += kept->count * (uint64_t)cost.passes;
        row->conflicts += kept->count * (uint64_t)cost.conflicts;
        if (!search->regular[i])
            row->irregular += kept->count * (uint64_t)cost.conflicts;
    }
}

/* ---- the search ---------------------------------------------------------------------------------- */

/* The bytes that stay together, or 0: wide accesses are not aligned to the array. */
static int unit_of(const struct search *search)
{
    int unit = search->advice->header.bank_bytes;
    for (size_t i = 0; i < search->count; i++)
        if (search->advice->access[search->access[i]].bytes > unit)
            unit = search->advice->access[search->access[i]].bytes;
    return search->array->addr % unit == 0 ? unit : 0;
}

/* Strides in units between neighbouring lanes of accesses with conflicts, the costliest first; where neighbours stand
 * side by side in a row, those from its first lane to that of the next row. */
static int strides_of(const struct search *search, uint32_t unit, uint32_t stride[STRIDES])
{
    enum { SEEN = 64 };
    struct {
        uint32_t stride;
        uint64_t weight;
    } seen[SEEN];
    int count = 0;
    for (size_t i = 0; i < search->count; i++) {
        const struct advice_access *kept = &search->advice->access[search->access[i]];
        struct warp_access access = view(search->advice, kept);
        struct bank_cost cost;
        bank_model_cost(&search->advice->header, &access, &cost);
        uint32_t row = access.addr[0];
        bool side_by_side = false;
        for (int lane = 1; cost.conflicts && lane < access.lanes; lane++) {
            const uint32_t before = access.addr[lane - 1], b = access.addr[lane];
            if ((before < b ? b - before : before - b) / unit < 2) {
                side_by_side = true;
                continue;
            }
            const uint32_t a = side_by_side ? row : before;
            const uint32_t distance = (a < b ? b - a : a - b) / unit;
            side_by_side = false;
            row = b;
            if (distance < 2)
                continue;
            int k = 0;
            while (k < count && seen[k].stride != distance)
                k++;
            if (k == count && count < SEEN)
                seen[count].weight = 0, seen[count++].stride = distance;
            if (k < count)
                seen[k].weight += kept->count * (uint64_t)cost.conflicts;
        }
    }
    int found = 0;
    for (; found < STRIDES && found < count; found++) {
        int best = found;
        for (int k = found + 1; k < count; k++)
            if (seen[k].weight > seen[best].weight)
                best = k;
        stride[found] = seen[best].stride;
        seen[best] = seen[found];
    }
    return found;
}

static int add_length(uint32_t length[LENGTHS], int lengths, uint64_t value, uint32_t units)
{
    if (value < 2 || value >= units || lengths == LENGTHS)
        return lengths;
    for (int i = 0; i < lengths; i++)
        if (length[i] == value)
            return lengths;
    length[lengths] = (uint32_t)value;
    return lengths + 1;
}

enum kind { PADDED, SWIZZLED, EXCHANGED };
struct candidates {
    struct advice_row *row; /* of one kind, those that are easier to write first */
    size_t count, room;
};

static bool add_candidate(struct candidates kinds[ADVICE_ROWS], const struct layout *layout,
                          struct error *error)
{
    struct candidates *kind = &kinds[layout->columns ? EXCHANGED
                                     : layout->mask  ? SWIZZLED
                                                     : PADDED];
    if (!memory_grow(&kind->row, &kind->room, kind->count + 1, sizeof *kind->row, "layouts", error))
        return false;
    kind->row[kind->count++] = (struct advice_row){.layout = *layout};
    return true;
}

/* Adds every padding and swizzle after these lengths to the layout. */
static bool add_lengths(const struct search *search, struct layout layout, const uint32_t *length,
                        int lengths, struct candidates kinds[ADVICE_ROWS], struct error *error)
{
    const struct trace_header *header = &search->advice->header;
    uint32_t across = (uint32_t)(header->banks * header->bank_bytes / layout.unit);
    for (int i = 0; i < lengths; i++) {
        layout.every = length[i];
        layout.mask = 0;
        for (layout.padding = 1; layout.padding <= PADDINGS; layout.padding++)
            if (!add_candidate(kinds, &layout, error))
                return false;
        /* rows of which a warp covers 2, 4 or 8 */
        for (uint32_t part = across / 2; part >= across / 8 && part > PADDINGS; part /= 2) {
            layout.padding = (part + across - length[i] % across) % across;
            if (layout.padding > PADDINGS && layout.padding <= length[i] &&
                !add_candidate(kinds, &layout, error))
                return false;
        }
        layout.padding = 0;
        for (layout.mask = 1; layout.mask < across && length[i] % (layout.mask + 1) == 0;
             layout.mask = 2 * layout.mask + 1)
            if (!add_candidate(kinds, &layout, error))
                return false;
    }
    return true;
}

/* Whether a is better than b: fewer passes, then less memory. */
static bool better(const struct advice_row *a, const struct advice_row *b)
{
    return a->passes != b->passes ? a->passes < b->passes : a->extra_bytes < b->extra_bytes;
}

/* The best candidate, costed on all accesses; today's cost when there is none. */
static struct advice_row best_of(const struct search *search, struct candidates *kind,
                                 const struct advice_row *today)
{
    struct advice_row best = *today;
    size_t step = search->count / SAMPLE + 1;
    for (size_t i = 0; i < kind->count; i++) {
        cost(search, &kind->row[i], step);
        /* In order, those of equal cost as they came. */
        struct advice_row row = kind->row[i];
        size_t at = i;
        for (; at > 0 && better(&row, &kind->row[at - 1]); at--)
            kind->row[at] = kind->row[at - 1];
        kind->row[at] = row;
    }
    for (size_t i = 0; i < kind->count && i < FINALISTS; i++) {
        if (step > 1)
            cost(search, &kind->row[i], 1);
        if (better(&kind->row[i], &best))
            best = kind->row[i];
    }
    return best;
}

/* Layouts of arrays of structs that a source can say: a member more, and each member in an array of its own. */
static bool add_records(const struct search *search, int unit, struct candidates *kinds,
                        struct error *error)
{
    const struct trace_array *array = search->array;
    struct layout layout = {.unit = unit, .every = (uint32_t)(array->bytes / unit)};
    for (layout.padding = 1; layout.padding <= PADDINGS; layout.padding++)
        if (!add_candidate(kinds, &layout, error))
            return false;
    layout = (struct layout){.unit = unit,
                             .columns = (uint32_t)(array->bytes / unit),
                             .rows = layout_array_bytes(array) / (uint32_t)array->bytes};
    return add_candidate(kinds, &layout, error);
}

/* Other orders of three indices, then the same with padding and swizzle of the rows that they make. */
static bool add_orders(const struct search *search, int unit, struct candidates *kinds,
                       struct error *error)
{
    struct layout layout = {.unit = unit};
    int order[3];
    bool good = true;
    for (int i = 0; good && layout_in_order(search->array, i, &layout); i++)
        good = add_candidate(kinds, &layout, error);
    for (int i = 0; good && layout_in_order(search->array, i, &layout); i++) {
        const uint32_t last = layout_order(search->array, &layout, order)
                                  ? (uint32_t)search->array->dim[order[2]]
                                  : 0;
        good = last < 2 || add_lengths(search, layout, &last, 1, kinds, error);
    }
    return good;
}

/* Paddings, swizzles and exchanges after lengths that the array and its accesses have. */
static bool add_units(const struct search *search, int unit, struct candidates *kinds,
                      struct error *error)
{
    const struct trace_header *header = &search->advice->header;
    const struct trace_array *array = search->array;
    const uint64_t across = (uint64_t)(header->banks * header->bank_bytes / unit);
    const uint32_t units = (layout_array_bytes(array) + (uint32_t)unit - 1) / (uint32_t)unit;
    uint32_t length[LENGTHS], stride[STRIDES], column[LENGTHS];
    int strides = strides_of(search, (uint32_t)unit, stride), lengths = 0, columns = 0;
    uint64_t inner = (uint64_t)array->bytes;
    if (array->bytes > unit && array->bytes % unit == 0)
        columns = add_length(column, columns, (uint64_t)(array->bytes / unit), units);
    for (int i = array->dims - 1; i > 0; i--) {
        inner *= (uint64_t)array->dim[i];
        if (inner % (uint64_t)unit == 0)
            lengths = add_length(length, lengths, inner / (uint64_t)unit, units);
    }
    if (lengths)
        columns = add_length(column, columns, length[0], units);
    lengths = add_length(length, lengths, across, units);
    for (int i = 0; i < strides; i++) {
        lengths = add_length(length, lengths, stride[i], units);
        columns = add_length(column, columns, stride[i], units);
    }
    lengths = add_length(length, lengths, across / 2, units);

    struct layout layout = {.unit = unit};
    bool good = add_lengths(search, layout, length, lengths, kinds, error) &&
                add_orders(search, unit, kinds, error);
    for (int i = 0; good && i < columns; i++) {
        layout.columns = column[i];
        layout.rows = (units + column[i] - 1) / column[i];
        lengths = add_length(length, 0, layout.rows, units);
        lengths = add_length(length, lengths, across, units);
        good = add_candidate(kinds, &layout, error) &&
               add_lengths(search, layout, length, lengths, kinds, error);
    }
    return good;
}

/* Takes over the best of each kind. One that is harder to write than another must cost less, or take less memory at the
 * same cost; exchanged indices must cost less, or be easier to write than what costs the same. */
static void choose_best(const struct search *search, const struct advice_row best[ADVICE_ROWS],
                        struct advice_array *result)
{
    const struct advice_array of = {.array = *search->array, .narrowest = result->narrowest};
    const struct advice_row *simple =
        &best[best[PADDED].passes < best[SWIZZLED].passes ? PADDED : SWIZZLED];
    const bool record = layout_is_record(search->array, best[EXCHANGED].layout.unit);
    const bool plain =
        advice_is_plain(&of, &best[EXCHANGED].layout) &&
        !(advice_is_plain(&of, &best[PADDED].layout) && best[PADDED].passes == simple->passes) &&
        !(advice_is_plain(&of, &best[SWIZZLED].layout) && best[SWIZZLED].passes == simple->passes);
    for (int i = 0; i < ADVICE_ROWS; i++) {
        const uint64_t most =
            i == EXCHANGED ? simple->passes + (plain || record) : result->today.passes;
        if (best[i].passes >= most || best[i].passes >= result->today.passes ||
            (i == SWIZZLED && !better(&best[SWIZZLED], &best[PADDED])))
            continue;
        int at = result->rows++;
        for (; at > 0 && best[i].passes < result->row[at - 1].passes + (i == EXCHANGED && plain);
             at--)
            result->row[at] = result->row[at - 1];
        result->row[at] = best[i];
    }
}

static bool search_array(const struct search *search, struct advice_array *result,
                         struct error *error)
{
    const int unit = unit_of(search);
    result->today.layout.unit = unit ? unit : 1;
    cost(search, &result->today, 1);
    if (!unit || result->today.conflicts == 0)
        return true;
    struct candidates kinds[ADVICE_ROWS] = {{.row = NULL}};
    struct advice_row best[ADVICE_ROWS];
    const bool good = layout_is_record(search->array, unit)
                          ? add_records(search, unit, kinds, error)
                          : add_units(search, unit, kinds, error);
    for (int i = 0; i < ADVICE_ROWS; i++) {
        if (good)
            best[i] = best_of(search, &kinds[i], &result->today);
        free(kinds[i].row);
    }
    if (good)
        choose_best(search, best, result);
    return good;
}

static void copy_array(struct trace_array *to, const struct trace_array *from)
{
    *to = *from;
    to->name = memory_copy(from->name);
    to->type = memory_copy(from->type);
    to->member = NULL;
    to->members = 0;
}

bool advice_search(struct advice *advice, struct error *error)
{
    const struct trace_header *header = &advice->header;
    char nothing[] = "";
    struct trace_array whole = {.name = nothing,
                                .type = nothing,
                                .bytes = header->bank_bytes,
                                .dims = 1,
                                .dim = {header->shared_bytes / header->bank_bytes}};
    int arrays = header->arrays ? header->arrays : 1;
    struct search search = {.advice = advice};
    bool good = false;
    advice->array = memory_array((size_t)arrays, sizeof *advice->array, "arrays", error);
    search.access = memory_array(advice->accesses, sizeof *search.access, "accesses", error);
    search.regular = memory_array(advice->accesses, sizeof *search.regular, "accesses", error);
    if (!advice->array || !search.access || !search.regular)
        goto out;
    for (int i = 0; i < arrays; i++) {
        search.array = header->arrays ? &header->array[i] : &whole;
        search.count = 0;
        struct advice_array result = {.narrowest = INT_MAX};
        for (size_t k = 0; k < advice->accesses; k++) {
            struct warp_access access = view(advice, &advice->access[k]);
            if (!touches(search.array, &access))
                continue;
            search.regular[search.count] = regular(&access);
            search.access[search.count++] = (uint32_t)k;
            result.warp_accesses += advice->access[k].count;
            if (access.bytes < result.narrowest)
                result.narrowest = access.bytes;
        }
        if (search.count == 0)
            continue;
        if (!search_array(&search, &result, error))
            goto out;
        copy_array(&result.array, search.array);
        advice->array[advice->arrays++] = result;
    }
    good = true;
out:
    free(search.access);
    free(search.regular);
    return good;
}

void advice_free(struct advice *advice)
{
    for (int i = 0; i < advice->arrays; i++) {
        free(advice->array[i].array.name);
        free(advice->array[i].array.type);
    }
    free(advice->array);
    free(advice->access);
    free(advice->lane);
    free(advice->addr);
    hash_index_free(&advice->index);
    header_free(&advice->header);
    *advice = (struct advice){0};
}
