/* launches.c - see launches.h. */
#include "subject/launches.h"
#include "viewer/export/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The most that a page may have: a browser holds all of it in memory. */
enum { MOST_LAUNCHES = 100, MOST_LANES = 16 << 20 };

/* "4x4 x 16x16", without dimensions of 1 at the end. */
static void put_shape(const struct program_launch *launch, char *text, size_t room)
{
    const uint32_t *const both[] = {launch->grid, launch->block};
    *text = '\0';
    for (int i = 0; i < 2; i++) {
        const uint32_t *is = both[i];
        text_add(text, room, "%s%u", i ? " x " : "", is[0]);
        if (is[1] > 1 || is[2] > 1)
            text_add(text, room, "x%u", is[1]);
        if (is[2] > 1)
            text_add(text, room, "x%u", is[2]);
    }
}

void launch_row_of(const struct program_launch *launch, const struct program_table *table,
                   struct launch_row *row)
{
    *row = (struct launch_row){.launch = launch->number};
    snprintf(row->kernel, sizeof row->kernel, "%.255s", launch->name);
    put_shape(launch, row->shape, sizeof row->shape);
    for (size_t i = table->launches; i-- > 0;) {
        if (table->launch[i].number != launch->number)
            continue;
        for (size_t k = 0; k < table->launch[i].rows; k++) {
            const struct table_row *of = &table->launch[i].row[k];
            if (of->space == SPACE_GLOBAL)
                row->sectors += of->tally.passes;
            if (of->space != SPACE_SHARED)
                continue;
            row->passes += of->tally.passes;
            row->conflicts += of->tally.conflicts;
        }
        return;
    }
}

bool launches_asked(const struct subjects *subjects)
{
    const struct subject *subject = &subjects->subject[0];
    return subjects->count == 1 && subject->plain && !subject->program.choice.launch;
}

/* ---- a page of all ------------------------------------------------------------------------------- */

struct paged {
    struct launch_row row;
    struct page_launch launch;
    struct trace trace;
};
struct paging {
    struct launch_taker taker;
    struct paged *launch[MOST_LAUNCHES];
    int launches;
    uint64_t lanes, left_out;
};

static bool paging_begin(void *context, const struct program_launch *launch,
                         struct trace_sink *sink, struct error *error)
{
    struct paging *paging = context;
    (void)error;
    if (paging->launches == MOST_LAUNCHES || paging->lanes > MOST_LANES) {
        paging->left_out++;
        return true;
    }
    struct paged *taken = paging->launch[paging->launches++] = memory_new(1, sizeof *taken);
    launch_row_of(launch, paging->taker.table, &taken->row);
    taken->launch = (struct page_launch){.number = taken->row.launch,
                                         .passes = taken->row.passes,
                                         .conflicts = taken->row.conflicts,
                                         .sectors = taken->row.sectors,
                                         .kernel = taken->row.kernel,
                                         .shape = taken->row.shape};
    *sink = trace_memory_sink(&taken->trace);
    return true;
}

static bool paging_end(void *context, struct error *error)
{
    struct paging *paging = context;
    (void)error;
    paging->lanes += paging->launch[paging->launches - 1]->trace.lane_count;
    return true;
}

static bool write_page(const struct paging *paging, const char *place, const char *path,
                       struct error *error)
{
    struct page_recording *recording = memory_new((size_t)paging->launches, sizeof *recording);
    char(*name)[300] = memory_new((size_t)paging->launches, sizeof *name);
    for (int i = 0; i < paging->launches; i++) {
        const struct paged *launch = paging->launch[i];
        snprintf(name[i], sizeof name[i], "launch %" PRIu64, launch->row.launch);
        recording[i] = (struct page_recording){name[i], &launch->trace, &launch->launch};
    }
    const struct page page = {
        .recording = recording, .recordings = paging->launches, .place = place};
    const bool good = page_write(path, &page, error);
    free(recording);
    free(name);
    return good;
}

int launches_page(const char *command, struct subject *subject, const char *place, const char *path,
                  struct error *error)
{
    struct paging paging = {.taker = {paging_begin, paging_end, &paging, NULL, NULL, ""}};
    subject_request(subject);
    subject->program.choice.values = true;
    int status = program_record_each(command, &subject->program, &paging.taker, error);
    if (status >= 0 && !paging.launches) {
        program_has_none(&paging.taker, &subject->program, error);
        status = -1;
    }
    if (status >= 0 && paging.left_out)
        fprintf(stderr,
                "bankscope %s: %" PRIu64
                " launches more have no room in a page; --kernel REGEX or --launch N chooses\n",
                command, paging.left_out);
    if (status >= 0 && !write_page(&paging, place, path, error))
        status = -1;
    for (int i = 0; i < paging.launches; i++) {
        trace_free(&paging.launch[i]->trace);
        free(paging.launch[i]);
    }
    return status;
}
