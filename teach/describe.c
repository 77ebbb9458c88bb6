/* describe.c - what a lesson's picture shows, in words, for those who cannot see it; what its rows and cells are. */
#include "teach/teach.h"
#include "viewer/viewer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* "stride: read, round 0: 1 pass, 0 conflicts" */
static void put_state(const struct figure_part *part, FILE *file, struct error *error)
{
    struct measured_part measured;
    char text[512];
    if (figure_measure(&measured, part, error)) {
        figure_state(&measured, text, sizeof text);
        fprintf(file, "%s: %s", part->index->trace->header.kernel, text);
        if (measured.matrices == 1)
            sectors_say_step(&measured.map, measured.matrix[0].end - 1, part->hide, text,
                             sizeof text);
        if (measured.matrices == 1 && *text)
            fprintf(file, "; %s", text);
    }
    figure_release(&measured);
}

/* "; bank 0: word 0 for thread 0, word 12 for thread 2; bank 5: ..." */
static void put_cells(const struct lesson_run *run, const struct figure_part *part, FILE *file)
{
    const struct trace *trace = part->index->trace;
    const struct trace_header *header = &trace->header;
    struct warp_access access;
    if (!lesson_picture(run, trace, &access) || !access.addr)
        return; /* of global memory, there are no banks */
    for (int bank = 0; bank < header->banks; bank++) {
        int said = 0;
        for (int i = 0; i < access.lanes; i++)
            for (int byte = 0; byte < access.bytes; byte += header->bank_bytes) {
                const uint32_t word =
                    (access.addr[i] + (uint32_t)byte) / (uint32_t)header->bank_bytes;
                if ((int)(word % (uint32_t)header->banks) != bank)
                    continue;
                if (!said++)
                    fprintf(file, "; bank %d:", bank);
                if (part->hide & HIDE_LABELS)
                    fputs(said > 1 ? ", a word" : " a word", file);
                else
                    fprintf(file, "%s word %" PRIu32 " for thread %d", said > 1 ? "," : "", word,
                            access.warp * header->warp + access.lane[i]);
            }
    }
}

char *lesson_describe(const struct lesson_run *run, const struct figure_part *part, int parts,
                      struct error *error)
{
    char *words = NULL;
    size_t length;
    FILE *file = open_memstream(&words, &length);
    if (!file)
        memory_exhausted();
    for (int p = 0; p < parts; p++) {
        fputs(p ? "; " : "", file);
        put_state(&part[p], file, error);
        put_cells(run, &part[p], file);
    }
    if (fclose(file))
        memory_exhausted();
    return text_clean(words);
}

const char *lesson_axes(const struct lesson_play *play, const struct lesson_run *run, unsigned hide)
{
    const int none = 3, hidden = 4, both = 8, sectors = 9; /* behind those of enum label */
    static const char *const texts[] = {
        "Rows: banks. Cells: words, with their threads. Right: how many passes the bank needs.",
        "Rows: banks. Cells: words, with their numbers. Right: how many passes the bank needs.",
        "Rows: banks. Cells: words, with their values. Right: how many passes the bank needs.",
        "Rows: banks. Cells: words. Right: how many passes the bank needs.",
        "Rows: banks. Cells: words, with their threads.",
        "Rows: banks. Cells: words, with their numbers.",
        "Rows: banks. Cells: words, with their values.",
        "Rows: banks. Cells: words.",
        ("Rows: banks. Cells: words, with their threads. Below: sectors of global memory, full as "
         "far as they are wanted."),
        "Boxes: sectors of global memory, full as far as they are wanted."};
    const struct trace *trace = lesson_trace(play, run->label);
    struct warp_access access;
    const bool global = strstr(run->command, "--memory all");
    const bool alone = global && trace && lesson_picture(run, trace, &access) && !access.addr;
    const int banks =
        (hide & HIDE_LABELS ? none : (int)run->cells) + (hide & HIDE_DEGREES ? hidden : 0);
    return lesson_says(play->lesson, texts[alone ? sectors : global ? both : banks]);
}
