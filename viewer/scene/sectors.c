/* sectors.c - what a step costs in global memory, as a strip below the timeline: the sectors of 32 bytes that
 * the warp's request takes, each of 8 words, those that it wants filled; and bars of sectors for each step.
 *
 *     [########] [########] [########] [########]      32 lanes side by side: 4 sectors, all of them wanted
 *     [#.......] [#.......] [#.......] [#.......] ...  32 lanes in a column: 32 sectors, an eighth of each
 */
#include "viewer/scene/scene.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    BOXES = 14, /* height of the sectors; where there are no banks above them */
    TALL = 32,
    BOX_WIDE = 40, /* at most; likewise */
    TALL_WIDE = 80,
    BOX_LEAST = 6,
    BOX_GAP = 2,
    WORDS = 8, /* of a sector, of 4 bytes */
    SAID = 17, /* a line of text */
    AIR = 8,   /* above the bars, for the cursor */
    BARS = 30,
    MOST_SECTORS = 4 * MAX_WARP,
};

static const struct text_style normal = {ROLE_INK, 12, ALIGN_LEFT, FACE_PLAIN};

double sectors_height(const struct trace_index *index)
{
    return index->sectors ? sectors_step_height(false) + AIR + BARS + SAID : 0;
}

/* ---- which access is shown --------------------------------------------------------------------- */

static int line_of(const struct trace *trace, const struct warp_access *access)
{
    return trace->header.sites && access->site >= 0 ? trace->header.site[access->site].line : 0;
}

/* How many accesses of the line and of that memory the warp has done in the stage before access `end`; the
 * n-th of them (from 0) is *found if there are more. */
static size_t count_of_line(const struct stage_map *map, int warp, int line, bool global,
                            size_t end, size_t n, size_t *found)
{
    const struct trace *trace = map->index->trace;
    size_t count = 0;
    for (size_t a = map->first_access; a < end; a++) {
        const struct warp_access access = trace_get(trace, a);
        if (access.warp != warp || (access.global != NULL) != global ||
            line_of(trace, &access) != line)
            continue;
        if (count++ == n) {
            *found = a;
            break;
        }
    }
    return count;
}

/* The access to global memory that a step is shown with: that of the map's warp; at one to shared memory the
 * one that the same source line has, the n-th with the n-th, so that `tile[i] = in[k]` shows both of its
 * prices. NO_ACCESS: there is none. */
static size_t sectors_access(const struct stage_map *map, int step)
{
    const struct trace *trace = map->index->trace;
    if (map->warp < 0 || !map->index->sectors)
        return NO_ACCESS;
    const size_t a = trace_index_access(map->index, map->block, map->stage, step, map->warp);
    if (a == NO_ACCESS)
        return NO_ACCESS;
    const struct warp_access access = trace_get(trace, a);
    size_t found = NO_ACCESS;
    if (access.global)
        return a;
    const int line = line_of(trace, &access);
    const size_t before = count_of_line(map, map->warp, line, false, a, SIZE_MAX, &found);
    if (line)
        count_of_line(map, map->warp, line, true, map->end_access, before, &found);
    return found;
}

/* ---- the sectors of an access ------------------------------------------------------------------ */

struct sector {
    uint64_t number;
    uint8_t words; /* bits of those that are wanted */
};

static int by_number(const void *left, const void *right)
{
    const struct sector *a = left, *b = right;
    return (a->number > b->number) - (a->number < b->number);
}

/* Each once, in the order of their addresses. */
static int take_sectors(const struct warp_access *access, struct sector sector[MOST_SECTORS])
{
    int count = 0, kept = 0;
    for (int i = 0; i < access->lanes; i++)
        for (uint64_t word = access->global[i] / 4,
                      last = (access->global[i] + (uint64_t)access->bytes - 1) / 4;
             word <= last; word++) {
            const uint64_t number = word / WORDS;
            if (!count || sector[count - 1].number != number)
                sector[count++] = (struct sector){number, 0};
            sector[count - 1].words |= (uint8_t)(1u << word % WORDS);
        }
    qsort(sector, (size_t)count, sizeof *sector, by_number);
    for (int i = 0; i < count; i++)
        if (kept && sector[kept - 1].number == sector[i].number)
            sector[kept - 1].words |= sector[i].words;
        else
            sector[kept++] = sector[i];
    return kept;
}

static double box_height(bool alone)
{
    return alone ? TALL : BOXES;
}

static void draw_sector(const struct sector *sector, bool bad, double x, double y, double w,
                        double h, struct drawing *drawing)
{
    const double word = w / WORDS;
    const bool narrow = word < 1.2; /* than an edge, which would hide a word */
    drawing_edged(drawing, ROLE_CELL, ROLE_GRID, 0.6, x, y, w, h);
    for (int from = 0, to; from < WORDS; from = to) {
        const int wanted = sector->words >> from & 1;
        for (to = from + 1; to < WORDS && (sector->words >> to & 1) == wanted;)
            to++;
        if (wanted)
            drawing_box(drawing, bad ? ROLE_BAD : ROLE_GOOD, x + from * word, y, (to - from) * word,
                        h);
    }
    if (!narrow)
        drawing_edged(drawing, ROLE_NONE, bad ? ROLE_BAD_EDGE : ROLE_GOOD_EDGE, bad ? 1.2 : 0.6, x,
                      y, w, h);
}

/* The sectors, and beyond what has room that there are more. */
static void draw_sectors(const struct warp_access *access, const struct sector_cost *cost,
                         const struct sectors_strip *strip, struct drawing *drawing)
{
    const bool plain = strip->hide & HIDE_COLOURS;
    const double x = strip->x, y = strip->y + 6, w = strip->wide, h = box_height(strip->alone);
    struct sector sector[MOST_SECTORS];
    const int count = take_sectors(access, sector);
    const bool bad = !plain && cost->sectors > cost->least;
    double each = count ? w / count : 0;
    int shown = count;
    if (each < BOX_LEAST) {
        each = BOX_LEAST;
        shown = (int)(w / each) - 1;
    }
    const double most = strip->alone ? TALL_WIDE : BOX_WIDE;
    each = each > most ? most : each;
    for (int i = 0; i < shown; i++)
        draw_sector(&sector[i], bad, x + i * each, y, each - BOX_GAP, h, drawing);
    if (shown < count)
        drawing_dots(drawing, x + shown * each + 6, y + h / 2, 3, 0);
}

/* "global memory in round 1, line 17, array in: load of 32 lanes, 4 sectors of 32 bytes, 4 at least"; shortly "round 1,
 * line 17, in: load, 4 sectors, 4 at least"; briefly "in: load, 4 sectors, 4 at least" */
static void say_access(const struct trace *trace, const struct warp_access *access,
                       const struct sector_cost *cost, bool hidden, int shortly, char *text,
                       size_t size)
{
    const char *array = header_global_array(&trace->header, access);
    const int line = shortly > 1 ? 0 : line_of(trace, access);
    *text = '\0';
    if (shortly < 2)
        text_add(text, size, "%sround %d", shortly ? "" : "global memory in ", access->round);
    if (line)
        text_add(text, size, ", line %d", line);
    if (*array)
        text_add(text, size, "%s%s%s", *text ? ", " : "", shortly ? "" : "array ", array);
    text_add(text, size, "%s%s", *text ? ": " : "", op_name(access->op));
    if (!shortly)
        text_add(text, size, " of %d lane%s", access->lanes, access->lanes == 1 ? "" : "s");
    if (!hidden)
        text_add(text, size, ", %d sector%s%s, %d at least", cost->sectors,
                 cost->sectors == 1 ? "" : "s", shortly ? "" : " of 32 bytes", cost->least);
}

/* ---- bars ---------------------------------------------------------------------------------------- */

/* Sectors per step, on the scale of all panels; steps that would be too thin are averaged. */
static void draw_bars(const struct stage_map *map, const struct sectors_strip *strip, double y,
                      struct drawing *drawing)
{
    const bool hidden = strip->hide & HIDE_TOTALS;
    const double base = y + BARS, scale = BARS / (double)(strip->most ? strip->most : 1);
    const int bars = map->steps < strip->w / 3 ? map->steps : (int)(strip->w / 3);
    const double each = bars > 0 ? strip->w / bars : 0, gap = each >= 6 ? 1 : 0;
    for (int i = 0; i < bars; i++) {
        const int from = (int)((int64_t)map->steps * i / bars);
        const int to = (int)((int64_t)map->steps * (i + 1) / bars);
        const double x = strip->x + i * each, steps = to - from;
        const double sectors =
            (double)(map->sectors_before[to] - map->sectors_before[from]) / steps;
        const double least = (double)(map->least_before[to] - map->least_before[from]) / steps;
        if (hidden)
            drawing_edged(drawing, ROLE_NONE, ROLE_GRID, 1, x, y, each - gap, BARS);
        else if (least > 0)
            drawing_box(drawing, ROLE_BAR, x, base - least * scale, each - gap, least * scale);
        if (!hidden && sectors > least && each - gap >= 6)
            drawing_edged(drawing, ROLE_BAR_BAD, ROLE_BAD_EDGE, 1, x, base - sectors * scale,
                          each - gap, (sectors - least) * scale);
        else if (!hidden && sectors > least)
            drawing_box(drawing, ROLE_BAR_BAD, x, base - sectors * scale, each - gap,
                        (sectors - least) * scale);
        if (strip->step >= from && strip->step < to)
            drawing_edged(drawing, ROLE_NONE, ROLE_CURSOR, 2, x - 2, y - 3, each - gap + 4,
                          BARS + 5);
    }
    if (hidden)
        return;
    const struct text_style axis = {ROLE_FAINT, 10, ALIGN_RIGHT, FACE_PLAIN};
    drawing_text(drawing, &axis, strip->x - 5, y + 8, "%" PRIu64, strip->most);
    drawing_text(drawing, &axis, strip->x - 5, base, "0");
}

double sectors_step_height(bool alone)
{
    return 6 + box_height(alone) + SAID;
}

double sectors_bars_top(bool alone)
{
    return sectors_step_height(alone) + AIR;
}

double sectors_bars_height(void)
{
    return BARS;
}

bool sectors_are_alone(const struct stage_map *map)
{
    return map->set && map->sectors_before && !map->passes_before[map->steps];
}

void sectors_draw_step(const struct stage_map *map, const struct sectors_strip *strip,
                       struct drawing *drawing)
{
    const struct trace *trace = map->index->trace;
    const size_t shown = sectors_access(map, strip->step);
    char text[300] = "no access to global memory in this round";
    struct text_style style = normal;
    style.size = strip->size > 0 ? strip->size : normal.size;
    if (shown != NO_ACCESS) {
        const struct warp_access access = trace_get(trace, shown);
        struct sector_cost cost;
        sector_model_cost(&access, &cost);
        draw_sectors(&access, &cost, strip, drawing);
        const bool hidden = strip->hide & HIDE_TOTALS;
        for (int shortly = 0; shortly < 3; shortly++) {
            say_access(trace, &access, &cost, hidden, shortly, text, sizeof text);
            if (text_width(text, style.size, style.face) <= strip->wide)
                break;
        }
    }
    drawing_text_smaller(drawing, &style, strip->x, strip->y + 6 + box_height(strip->alone) + 13,
                         strip->wide, text);
}

void sectors_say_step(const struct stage_map *map, int step, unsigned hide, char *text, size_t size)
{
    const struct trace *trace = map->index->trace;
    const size_t shown = sectors_access(map, step);
    struct sector sector[MOST_SECTORS];
    struct sector_cost cost;
    *text = '\0';
    if (shown == NO_ACCESS)
        return;
    const struct warp_access access = trace_get(trace, shown);
    const int count = take_sectors(&access, sector);
    sector_model_cost(&access, &cost);
    say_access(trace, &access, &cost, hide & HIDE_TOTALS, 0, text, size);
    text_add(text, size, "; words wanted of each sector:");
    for (int i = 0; i < count; i++)
        text_add(text, size, " %d", __builtin_popcount(sector[i].words));
}

void sectors_draw(const struct stage_map *map, const struct sectors_strip *strip,
                  struct drawing *drawing)
{
    const bool hidden = strip->hide & HIDE_TOTALS;
    const int done = strip->step + 1 > map->steps ? map->steps : strip->step + 1;
    const double y = strip->y + sectors_bars_top(strip->alone);
    sectors_draw_step(map, strip, drawing);
    draw_bars(map, strip, y, drawing);
    if (hidden) {
        drawing_text_within(drawing, &normal, strip->x, y + BARS + SAID - 4, strip->wide,
                            "sectors ?,  least ?");
        return;
    }
    char text[160];
    snprintf(text, sizeof text,
             "sectors %" PRIu64 " of %" PRIu64 ",  at least %" PRIu64 " of %" PRIu64,
             map->sectors_before[done], map->sectors_before[map->steps], map->least_before[done],
             map->least_before[map->steps]);
    drawing_text_smaller(drawing, &normal, strip->x, y + BARS + SAID - 4, strip->wide, text);
}
