/* view_why.c - the line that explains what the mouse is about: who, where, when and why; a thread that is followed. */
#include "viewer/scene/scene.h"

#include <string.h>

void view_why(const struct view *view, const struct hit *hit, char *text, size_t size)
{
    text[0] = '\0';
    if (hit->kind == HIT_NOTHING || hit->kind == HIT_PANEL || hit->panel >= view->panels)
        return;
    const struct view_panel *panel = &view->panel[hit->panel];
    const struct stage_map *map = &panel->map;
    if (!map->set)
        return;
    if (hit->kind == HIT_OVERVIEW) {
        if (hit->access != NO_ACCESS)
            why_access(panel->index, hit->access, text, size);
        return;
    }
    if (hit->kind == HIT_MAP) {
        snprintf(text, size, "column %d: %s; press to see it", hit->column,
                 fold_uses(&panel->fold, hit->column) ? "the stage uses it"
                                                      : "not used in this stage");
        return;
    }
    if (hit->kind == HIT_TIMELINE) {
        if (!(view->hide & HIDE_TOTALS))
            why_step(map, hit->step, text, size);
        return;
    }
    struct accessed accessed = {0};
    struct error error = {{0}};
    if (accessed_take(&accessed, map, panel->step, panel->step + (panel->step >= 0), PAINT_ROUND,
                      &error)) {
        if (hit->kind == HIT_CELL && !(view->hide & HIDE_LABELS))
            why_word(map, hit->word, panel->step, text, size);
        size_t used = strlen(text);
        bool both = used && accessed_find(&accessed, hit->word);
        bool hidden = view->hide & HIDE_REASONS;
        if (hidden && hit->kind == HIT_BANK)
            snprintf(text, size, "bank %d: the question asks for what it serves", hit->bank);
        if (both && !hidden && used + 4 < size)
            used += (size_t)snprintf(text + used, size - used, ".  ");
        if (!hidden && (both || hit->kind == HIT_BANK))
            why_bank(map, &accessed, hit->bank, text + used, size - used);
    }
    accessed_free(&accessed);
}

bool view_follow_thread(struct view *view, int thread)
{
    const struct trace_header *header = &view->panel[view->active].index->trace->header;
    int followed = thread >= 0 && thread < header->threads ? thread + 1 : 0;
    bool changed = followed != view->followed;
    view->followed = followed;
    if (followed > 0)
        changed |= view_go_warp(view, view->panel[view->active].block, thread / header->warp);
    return changed;
}

bool view_follow(struct view *view, const struct hit *hit)
{
    if (hit->kind != HIT_CELL || view->hide & HIDE_LABELS)
        return false;
    const struct view_panel *panel = &view->panel[hit->panel];
    struct accessed accessed = {0};
    struct error error = {{0}};
    struct word_use use;
    int thread = -1;
    if (panel->map.set && stage_map_use(&panel->map, hit->word, panel->step, &use))
        thread = use.thread;
    if (panel->map.set && panel->step >= 0 &&
        accessed_take(&accessed, &panel->map, panel->step, panel->step + 1, PAINT_ROUND, &error)) {
        const struct accessed_word *now = accessed_find(&accessed, hit->word);
        thread = now ? now->thread : thread;
    }
    accessed_free(&accessed);
    return view_follow_thread(view, thread + 1 == view->followed ? -1 : thread);
}

/* The first word that a thread uses in a step. */
struct first_word {
    int step;
    bool found;
    uint32_t word;
};

static void take_first(void *context, uint32_t word, int step)
{
    struct first_word *first = context;
    if (step == first->step && !first->found) {
        first->found = true;
        first->word = word;
    }
}

void view_why_followed(const struct view *view, char *text, size_t size)
{
    const struct view_panel *panel = &view->panel[view->active];
    text[0] = '\0';
    if (view->followed == 0 || !panel->map.set || view->hide & HIDE_LABELS)
        return;
    struct first_word first = {.step = panel->step};
    stage_map_thread(&panel->map, view->followed - 1, take_first, &first);
    char thread[48];
    name_thread(&panel->index->trace->header, view->followed - 1, thread, sizeof thread);
    int used = snprintf(text, size, "thread %s: ", thread);
    if (!first.found) {
        snprintf(text + used, size - (size_t)used, "idle in this round");
        return;
    }
    int banks = panel->index->trace->header.banks;
    struct hit hit = {.kind = HIT_CELL,
                      .panel = view->active,
                      .bank = (int)(first.word % (uint32_t)banks),
                      .column = (int)(first.word / (uint32_t)banks),
                      .word = first.word};
    view_why(view, &hit, text + used, size - (size_t)used);
}
