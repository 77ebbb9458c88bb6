/* choose.c - what a figure shows, as a user says it in words. */
#include "viewer/export/figure.h"

#include <stdio.h>
#include <string.h>

/* Sets the stage of each part: in others than the first that has it, the one in the same position. */
static bool choose_stages(struct figure_part *part, int parts, const char *name,
                          struct error *error)
{
    const struct trace_header *first = &part->index->trace->header;
    int found = name ? -1 : trace_index_worst_stage(part->index);
    for (int p = 0; p < parts; p++) {
        const char *wanted = name ? name : first->stage[found];
        part[p].stage = header_stage(&part[p].index->trace->header, wanted);
        if (found < 0)
            found = part[p].stage;
    }
    if (found < 0)
        return error_unknown(error, "there is no stage", name, (const char *const *)first->stage,
                             NULL);
    for (int p = 0; p < parts; p++) {
        const int last = part[p].index->trace->header.stages - 1;
        if (part[p].stage < 0)
            part[p].stage = found < last ? found : last;
    }
    return true;
}

static bool choose_warp(struct figure_part *part, const struct figure_choice *choice,
                        struct error *error)
{
    const struct trace_header *header = &part->index->trace->header;
    struct warp_access first;
    if (trace_index_first(part->index, part->stage, &first)) {
        part->block = first.block;
        part->warp = first.warp;
    }
    if (choice->block >= 0) {
        part->block = choice->block;
        part->warp = 0;
    }
    if (choice->warp >= 0)
        part->warp = choice->warp;
    if (part->block >= header->blocks)
        return error_set(error, "--block %d is out of range: %s has blocks 0 to %d", part->block,
                         header->kernel, header->blocks - 1);
    if (part->warp >= part->index->warps)
        return error_set(error, "--warp %d is out of range: %s has warps 0 to %d", part->warp,
                         header->kernel, part->index->warps - 1);
    return true;
}

/* Keeps of each round only the slot that is asked for, which some round must have. */
static bool choose_slot(struct figure_part *part, int parts, int slot, struct error *error)
{
    int most = 0;
    for (int p = 0; p < parts && slot >= 0; p++) {
        part[p].one_slot = true;
        part[p].slot = slot;
        for (int s = 0; s < trace_index_steps(part[p].index, part[p].stage); s++) {
            const struct trace_step *step = trace_index_step(part[p].index, part[p].stage, s);
            bool shown = step->round >= part[p].first_round && step->round <= part[p].last_round &&
                         (!part[p].only || numbers_have(part[p].only, step->round));
            most = shown && step->slot > most ? step->slot : most;
        }
    }
    return slot <= most ||
           error_set(error, "--slot %d is out of range: these rounds have slots 0 to %d", slot,
                     most);
}

static bool choose_rounds(struct figure_part *part, int parts, const struct figure_choice *choice,
                          struct error *error)
{
    if (!choice->rounds)
        return figure_choose_rounds(part, parts, error);
    bool any = false;
    int low = 0, high = 0;
    for (int p = 0; p < parts; p++) {
        const int steps = trace_index_steps(part[p].index, part[p].stage);
        low = steps ? trace_index_step(part[p].index, part[p].stage, 0)->round : 0;
        high = steps ? trace_index_step(part[p].index, part[p].stage, steps - 1)->round : 0;
        part[p].rounds = true;
        part[p].first_round = low;
        part[p].last_round = high;
        part[p].only = choice->rounds;
        if (!figure_rounds(&part[p])) { /* shown at its end, beside another */
            part[p].only = NULL;
            part[p].first_round = high;
        } else {
            any = true;
        }
    }
    const struct figure_part *last = &part[parts - 1];
    return any ||
           error_set(error, "--rounds %s is out of range: stage %s has rounds %d to %d",
                     choice->rounds_text, last->index->trace->header.stage[last->stage], low, high);
}

bool figure_choose_as(struct figure_part *part, int parts, const struct figure_choice *choice,
                      struct error *error)
{
    bool good = choose_stages(part, parts, choice->stage, error);
    for (int p = 0; good && p < parts; p++)
        good = choose_warp(&part[p], choice, error);
    return good && choose_rounds(part, parts, choice, error) &&
           choose_slot(part, parts, choice->slot, error);
}

/* ---- notes ---- */

/* Reads "A" or "A-B" and moves on behind it. */
static bool note_range(const char **text, int *first, int *last)
{
    int used = 0;
    if (sscanf(*text, " %6d-%6d%n", first, last, &used) != 2 || !used) {
        if (sscanf(*text, " %6d%n", first, &used) != 1)
            return false;
        *last = *first;
    }
    *text += used;
    return *first >= 0 && *last >= *first;
}

bool figure_note_read(struct figure_note *note, const char *text, struct error *error)
{
    static const char *const kinds[] = {"top", "bottom", "left", "right", "frame", "cell"};
    size_t length = strcspn(text, " ");
    const char *rest = text + length;
    int kind = 0, first, last;
    while (kind <= NOTE_CELL &&
           (strlen(kinds[kind]) != length || strncmp(kinds[kind], text, length) != 0))
        kind++;
    *note = (struct figure_note){.kind = kind};
    bool good = kind <= NOTE_CELL && note_range(&rest, &first, &last);
    if (good) {
        note->first_column = note->first_bank = first;
        note->last_column = note->last_bank = last;
        note->word = (uint32_t)first;
    }
    if (good && kind == NOTE_FRAME) {
        good = *rest++ == ',' && note_range(&rest, &note->first_bank, &note->last_bank) && !*rest;
    } else if (good) {
        good = *rest++ == ':' && *(rest += strspn(rest, " "));
        snprintf(note->text, sizeof note->text, "%s", good ? rest : "");
    }
    return good || error_set(error,
                             "--note is '%s'; it must be as 'top 0-4: words' (or bottom, left, "
                             "right), 'frame 0-4, 2-5' or 'cell 17: words'",
                             text);
}
