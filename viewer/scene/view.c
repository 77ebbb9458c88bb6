/* view.c - what the window shows, and how it moves.
 *
 * The panels share a place: a (round, slot), or in a race a pass. After each move view_sync works
 * out which step that is in each panel and points its stage map there; all else is arithmetic. */
#include "viewer/scene/scene.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- places ---- */

static int compare_steps(struct trace_step a, struct trace_step b)
{
    return a.round != b.round ? (a.round > b.round) - (a.round < b.round)
                              : (a.slot > b.slot) - (a.slot < b.slot);
}

static int stages_of(const struct view_panel *panel)
{
    return panel->index->trace->header.stages;
}

static int steps_of(const struct view_panel *panel)
{
    return trace_index_steps(panel->index, panel->stage);
}

static struct trace_step step_of(const struct view_panel *panel, int step)
{
    return *trace_index_step(panel->index, panel->stage, step);
}

/* Points every panel at the shared place. */
static bool view_sync(struct view *view, struct error *error)
{
    for (int p = 0; p < view->panels; p++) {
        struct view_panel *panel = &view->panel[p];
        if (!stage_map_set(&panel->map, panel->index, panel->stage, panel->block, panel->warp,
                           error))
            return false;
        int steps = steps_of(panel);
        if (view->race) {
            panel->step = stage_map_step_of_pass(&panel->map, view->pass);
        } else {
            panel->step =
                trace_index_find(panel->index, panel->stage, view->at.round, view->at.slot);
            if (steps > 0 && view->at.round > step_of(panel, steps - 1).round)
                panel->step = steps;
        }
    }
    return true;
}

/* After a move that cannot leave the old state standing: out of memory empties the map, which
 * draws as a stage that uses nothing. */
static bool moved(struct view *view)
{
    struct error error = {{0}};
    if (!view_sync(view, &error))
        for (int p = 0; p < view->panels; p++)
            view->panel[p].map.set = false;
    view->hover.kind = HIT_NOTHING;
    view->bring = true;
    return true;
}

static uint64_t passes_of(const struct view_panel *panel)
{
    return panel->map.set ? panel->map.passes_before[panel->map.steps] : 0;
}

void view_place(const struct view *view, FILE *file)
{
    if (view->panels > 0) {
        const struct view_panel *panel = &view->panel[view->active];
        const struct trace_header *header = &panel->index->trace->header;
        if (view->active)
            fprintf(file, "panel %d\n", view->active);
        fprintf(file, "stage %s\n", header->stage[panel->stage]);
        if (view->race)
            fprintf(file, "pass %" PRIu64 "\n", view->pass);
        else
            fprintf(file, "round %d\n", view->at.round);
        if (!view->race && view->at.slot)
            fprintf(file, "slot %d\n", view->at.slot);
        if (panel->block)
            fprintf(file, "block %d\n", panel->block);
        if (panel->warp)
            fprintf(file, "warp %d\n", panel->warp);
        if (view->followed)
            fprintf(file, "thread %d\n", view->followed - 1);
    }
    if (view->label)
        fprintf(file, "label %s\n", label_names[view->label]);
    if (view->theme != themes)
        fprintf(file, "theme %s\n", view->theme->name);
}

uint64_t view_passes(const struct view *view)
{
    uint64_t most = 0;
    for (int p = 0; p < view->panels; p++)
        if (passes_of(&view->panel[p]) > most)
            most = passes_of(&view->panel[p]);
    return most;
}

/* The shared place next to view->at in either direction; false: none in this stage. */
static bool neighbour(const struct view *view, int direction, struct trace_step *at)
{
    bool found = false;
    for (int p = 0; p < view->panels; p++) {
        const struct view_panel *panel = &view->panel[p];
        int step = trace_index_find(panel->index, panel->stage, view->at.round, view->at.slot);
        if (direction > 0)
            step++;
        else if (step >= 0 && compare_steps(step_of(panel, step), view->at) == 0)
            step--;
        if (step < 0 || step >= steps_of(panel))
            continue;
        struct trace_step there = step_of(panel, step);
        if (!found || direction * compare_steps(there, *at) < 0)
            *at = there;
        found = true;
    }
    return found;
}

static struct trace_step stage_start(const struct view *view)
{
    struct trace_step at = {0, 0};
    bool found = false;
    for (int p = 0; p < view->panels; p++) {
        const struct view_panel *panel = &view->panel[p];
        if (steps_of(panel) == 0)
            continue;
        if (!found || compare_steps(step_of(panel, 0), at) < 0)
            at = step_of(panel, 0);
        found = true;
    }
    return at;
}

static struct trace_step stage_end(const struct view *view)
{
    struct trace_step at = {0, 0};
    for (int p = 0; p < view->panels; p++) {
        const struct view_panel *panel = &view->panel[p];
        int steps = steps_of(panel);
        if (steps > 0 && compare_steps(step_of(panel, steps - 1), at) > 0)
            at = step_of(panel, steps - 1);
    }
    return at;
}

/* Takes a panel to the leader's stage: to the one of the same name, or else at the same place. */
static void take_along(struct view_panel *other, const struct view_panel *leader)
{
    int stage = leader->stage;
    int named =
        header_stage(&other->index->trace->header, leader->index->trace->header.stage[stage]);
    int last = stages_of(other) - 1;
    other->stage = named >= 0 ? named : stage < last ? stage : last;
}

/* Takes the leading panel to a stage and the others along. */
static void set_stage(struct view *view, int stage)
{
    struct view_panel *leader = &view->panel[view->active];
    leader->stage = stage;
    for (int p = 0; p < view->panels; p++)
        if (p != view->active)
            take_along(&view->panel[p], leader);
}

static void go_start(struct view *view)
{
    view->at = stage_start(view);
    view->pass = 0;
}

static void go_end(struct view *view)
{
    view->at = stage_end(view);
    moved(view); /* so that the passes are those of the stage */
    view->pass = view_passes(view) > 0 ? view_passes(view) - 1 : 0;
}

/* ---- recordings of a panel's own ---- */

struct exhibit *exhibit_new(void)
{
    return memory_new(1, sizeof(struct exhibit));
}

bool exhibit_index(struct exhibit *exhibit, struct error *error)
{
    return trace_index_init(&exhibit->index, &exhibit->trace, error);
}

void exhibit_free(struct exhibit *exhibit)
{
    if (!exhibit)
        return;
    trace_index_free(&exhibit->index);
    trace_free(&exhibit->trace);
    free(exhibit);
}

/* ---- panels ---- */

static void panel_free(struct view_panel *panel)
{
    stage_map_free(&panel->map);
    fold_free(&panel->fold);
    overview_free(&panel->overview);
    source_free(&panel->source);
    exhibit_free(panel->own);
    *panel = (struct view_panel){.index = NULL};
}

/* An empty panel on the index. false: it is empty. */
static bool panel_init(struct view_panel *panel, const struct trace_index *index,
                       struct error *error)
{
    *panel = (struct view_panel){.index = index};
    if (overview_init(&panel->overview, index, error) && source_init(&panel->source, index, error))
        return true;
    panel_free(panel);
    return false;
}

bool view_init(struct view *view, const struct trace_index *first, const struct trace_index *second,
               struct error *error)
{
    *view = (struct view){.theme = &themes[0], .zoom = 1};
    bool good = !first || panel_init(&view->panel[view->panels++], first, error);
    if (good && second)
        good = panel_init(&view->panel[view->panels++], second, error);
    if (good && first) {
        set_stage(view, 0);
        go_start(view);
    }
    if (!good || !view_sync(view, error)) {
        view_free(view);
        return false;
    }
    return true;
}

void view_free(struct view *view)
{
    for (int p = 0; p < PANELS; p++)
        panel_free(&view->panel[p]);
    *view = (struct view){0};
}

/* Block and warp of the panel are at most what its recording has. */
static void limit_place(struct view_panel *panel)
{
    const struct trace *trace = panel->index->trace;
    int blocks = trace->header.blocks, warps = panel->index->warps;
    panel->block = trace->only_block        ? trace->only_block - 1
                   : panel->block >= blocks ? (blocks > 0 ? blocks - 1 : 0)
                                            : panel->block;
    panel->warp = panel->warp >= warps ? (warps > 0 ? warps - 1 : 0) : panel->warp;
}

bool view_add(struct view *view, struct exhibit *exhibit, struct error *error)
{
    const struct view_panel *leader = &view->panel[view->active];
    struct view_panel *panel = &view->panel[view->panels];
    if (view->panels == PANELS)
        return error_set(error, "%d recordings are shown already; x closes the leading one",
                         PANELS);
    if (!panel_init(panel, &exhibit->index, error))
        return false;
    panel->own = exhibit;
    panel->block = leader->block;
    panel->warp = leader->warp;
    if (view->panels++ > 0) {
        take_along(panel, leader);
    } else {
        set_stage(view, 0);
        go_start(view);
    }
    limit_place(panel);
    return moved(view);
}

bool view_replace(struct view *view, int number, struct exhibit *exhibit, bool compare,
                  struct error *error)
{
    struct view_panel *panel = &view->panel[number], fresh, old = *panel;
    if (!panel_init(&fresh, &exhibit->index, error))
        return false;
    fresh.own = exhibit;
    fresh.block = old.block;
    fresh.warp = old.warp;
    fresh.stage = old.stage;
    take_along(&fresh, &old);
    limit_place(&fresh);
    fresh.replaced = compare;
    fresh.before[0] = old.overview.passes;
    fresh.before[1] = old.overview.conflicts;
    *panel = fresh;
    if (number == view->active)
        set_stage(view, fresh.stage);
    if (view->followed > exhibit->trace.header.threads)
        view->followed = 0;
    panel_free(&old);
    moved(view);
    if (view->race && view->pass >= view_passes(view))
        view->pass = view_passes(view) > 0 ? view_passes(view) - 1 : 0;
    const struct view_panel *leader = &view->panel[view->active];
    if (!view->race && leader->step >= steps_of(leader) && steps_of(leader) > 0)
        view->at = step_of(leader, steps_of(leader) - 1); /* it has fewer rounds */
    return moved(view);
}

bool view_remove(struct view *view, int number)
{
    if (view->panels < 2)
        return false;
    panel_free(&view->panel[number]);
    view->panels--;
    for (int p = number; p < view->panels; p++)
        view->panel[p] = view->panel[p + 1];
    view->panel[view->panels] = (struct view_panel){.index = NULL};
    view->active -= view->active > number || view->active == view->panels;
    return moved(view);
}

/* ---- moves ---- */

static bool step_once(struct view *view, int direction)
{
    const struct view_panel *leader = &view->panel[view->active];
    struct trace_step at;
    if (view->race ? (direction > 0 ? view->pass + 1 < view_passes(view) : view->pass > 0)
                   : neighbour(view, direction, &at)) {
        if (view->race)
            view->pass += (uint64_t)(int64_t)direction;
        else
            view->at = at;
        return moved(view);
    }
    int stage = leader->stage + direction;
    while (stage >= 0 && stage < stages_of(leader) && trace_index_steps(leader->index, stage) == 0)
        stage += direction;
    if (stage < 0 || stage >= stages_of(leader))
        return false;
    set_stage(view, stage);
    if (direction > 0)
        go_start(view);
    else
        go_end(view);
    return moved(view);
}

bool view_step(struct view *view, int by)
{
    bool changed = false;
    for (int i = 0; i < abs(by) && step_once(view, by > 0 ? 1 : -1); i++)
        changed = true;
    return changed;
}

bool view_stage(struct view *view, int by)
{
    const struct view_panel *leader = &view->panel[view->active];
    int last = stages_of(leader) - 1;
    int64_t stage = (int64_t)leader->stage + by;
    stage = stage < 0 ? 0 : stage > last ? last : stage;
    if (stage == leader->stage)
        return by < 0 && view_home(view);
    set_stage(view, (int)stage);
    go_start(view);
    return moved(view);
}

bool view_go_warp(struct view *view, int block, int warp)
{
    bool changed = false;
    for (int p = 0; p < view->panels; p++) {
        struct view_panel *panel = &view->panel[p];
        int blocks = panel->index->trace->header.blocks, warps = panel->index->warps;
        int only = panel->index->trace->only_block;
        int to_block = only ? only - 1 : block < 0 ? 0 : block < blocks ? block : blocks - 1;
        int to_warp = warp < 0 ? 0 : warp < warps ? warp : warps - 1;
        changed |= to_block != panel->block || to_warp != panel->warp;
        panel->block = to_block < 0 ? 0 : to_block;
        panel->warp = to_warp < 0 ? 0 : to_warp;
    }
    return changed && moved(view);
}

bool view_warp(struct view *view, int by)
{
    const struct view_panel *leader = &view->panel[view->active];
    int64_t warps = leader->index->warps, blocks = leader->index->trace->header.blocks;
    int64_t to = leader->block * warps + leader->warp + by;
    int only = leader->index->trace->only_block;
    int64_t first = only ? (only - 1) * warps : 0, past = only ? only * warps : warps * blocks;
    to = to < first ? first : to >= past ? past - 1 : to;
    return warps > 0 && to >= 0 && view_go_warp(view, (int)(to / warps), (int)(to % warps));
}

bool view_home(struct view *view)
{
    struct trace_step start = stage_start(view);
    bool there = view->race ? view->pass == 0 : compare_steps(view->at, start) == 0;
    if (there && view->panel[view->active].stage == 0)
        return false;
    if (there)
        set_stage(view, 0);
    go_start(view);
    return moved(view);
}

bool view_end(struct view *view)
{
    const struct view_panel *leader = &view->panel[view->active];
    struct trace_step end = stage_end(view);
    bool there =
        view->race ? view->pass + 1 >= view_passes(view) : compare_steps(view->at, end) == 0;
    if (there && leader->stage + 1 >= stages_of(leader))
        return false;
    if (there)
        set_stage(view, stages_of(leader) - 1);
    go_end(view);
    return moved(view);
}

bool view_race(struct view *view, bool race)
{
    const struct view_panel *leader = &view->panel[view->active];
    if (race == view->race || (race && view->hide & HIDE_TOTALS))
        return false;
    int step = leader->step;
    int last = steps_of(leader) - 1;
    step = step > last ? last : step < 0 ? 0 : step;
    if (race && leader->map.set)
        view->pass = leader->map.passes_before[step];
    else if (!race && last >= 0)
        view->at = step_of(leader, step);
    view->race = race;
    return moved(view);
}

bool view_swap(struct view *view)
{
    if (view->panels < 2)
        return false;
    view->active = (view->active + 1) % view->panels;
    return true;
}

bool view_go(struct view *view, int stage, int round, int slot)
{
    const struct view_panel *leader = &view->panel[view->active];
    if (stage < 0 || stage >= stages_of(leader))
        return false;
    set_stage(view, stage);
    view->at = (struct trace_step){round, slot};
    moved(view);
    int last = steps_of(leader) - 1;
    int step = trace_index_find(leader->index, stage, round, slot);
    step = step > last ? last : step;
    view->pass = leader->map.set && step >= 0 ? leader->map.passes_before[step] : 0;
    return moved(view);
}

bool view_go_step(struct view *view, int step)
{
    const struct view_panel *leader = &view->panel[view->active];
    view->at = step_of(leader, step);
    view->pass = leader->map.passes_before[step];
    return moved(view);
}

bool view_go_access(struct view *view, size_t number)
{
    const struct trace *trace = view->panel[view->active].index->trace;
    struct warp_access access = trace_get(trace, number);
    view_go_warp(view, access.block, access.warp);
    return view_go(view, access.stage, access.round, access.slot);
}

/* To the step of a rank. */
static bool go_rank(struct view *view, size_t rank)
{
    const struct overview *overview = &view->panel[view->active].overview;
    if (rank >= overview->bad || view->hide & HIDE_TOTALS)
        return false;
    view->worst = rank;
    return view_go_access(view, overview_worst_access(overview, overview->worst[rank]));
}

bool view_worst(struct view *view)
{
    const struct view_panel *leader = &view->panel[view->active];
    const struct overview *overview = &leader->overview;
    bool there =
        view->worst < overview->bad && leader->step >= 0 && leader->step < steps_of(leader) &&
        overview->worst[view->worst] == overview_step(overview, leader->stage, leader->step);
    return go_rank(view, there && view->worst + 1 < overview->bad ? view->worst + 1 : 0);
}

bool view_worst_of(struct view *view, int stage)
{
    const struct view_panel *leader = &view->panel[view->active];
    const struct overview *overview = &leader->overview;
    for (size_t rank = 0; rank < overview->bad; rank++) {
        int of, step;
        overview_place(overview, overview->worst[rank], &of, &step);
        if (of == stage)
            return go_rank(view, rank);
    }
    struct warp_access access;
    if (!trace_index_first(leader->index, stage, &access))
        return false;
    view_go_warp(view, access.block, access.warp);
    return view_go(view, stage, access.round, access.slot);
}

bool view_round(struct view *view, int round)
{
    const struct view_panel *leader = &view->panel[view->active];
    int step = trace_index_find(leader->index, leader->stage, round, -1) + 1;
    int last = steps_of(leader) - 1;
    if (last < 0)
        return false;
    struct trace_step at = step_of(leader, step > last ? last : step);
    if (at.round > round && step > 0)
        at = step_of(leader, step - 1);
    return view_go(view, leader->stage, at.round, at.slot);
}

static bool hide_all(struct view *view)
{
    unsigned before = view->hide;
    view->hide = view->asked | (view->veiled ? HIDE_COSTS : 0);
    if (view->hide & HIDE_TOTALS)
        view_race(view, false);
    return view->hide != before;
}

bool view_hide(struct view *view, unsigned hide)
{
    view->asked = hide;
    return hide_all(view);
}

void view_veil(struct view *view, bool veiled)
{
    view->veiled = veiled;
    hide_all(view);
}

size_t view_access(const struct view *view)
{
    const struct view_panel *leader = &view->panel[view->active];
    return trace_index_access(leader->index, leader->block, leader->stage, leader->step,
                              leader->warp);
}
