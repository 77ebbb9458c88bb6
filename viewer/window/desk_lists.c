/* desk_lists.c - a recording's stages or blocks with their conflicts, to choose one from. */
#include "viewer/window/desk.h"

#include <inttypes.h>
#include <string.h>

static int list_rows(const struct desk *desk)
{
    const struct trace *trace = desk->view->panel[desk->view->active].index->trace;
    return desk->list == LIST_STAGES ? trace->header.stages : trace->header.blocks;
}

/* The row chosen; another panel may lead since, or another recording have taken its place. */
static int chosen_row(const struct desk *desk)
{
    int last = list_rows(desk) - 1;
    return desk->chosen > last ? last : desk->chosen;
}

static void list_row(const void *context, int number, struct list_row *row)
{
    const struct desk *desk = context;
    const struct overview *overview = &desk->view->panel[desk->view->active].overview;
    if (desk->list == LIST_STAGES) {
        snprintf(row->name, sizeof row->name, "%s", overview->index->trace->header.stage[number]);
        row->number = overview->of_stage[number];
    } else {
        snprintf(row->name, sizeof row->name, "block %d", number);
        row->number = overview->of_block[number];
    }
}

void desk_draw_list(struct desk *desk)
{
    const struct overview *overview = &desk->view->panel[desk->view->active].overview;
    const uint64_t *of = desk->list == LIST_STAGES ? overview->of_stage : overview->of_block;
    uint64_t most = 0;
    for (int i = 0; i < list_rows(desk); i++)
        most = of[i] > most ? of[i] : most;
    list_draw(desk->list == LIST_STAGES ? "stages and their conflicts (Return goes there)"
                                        : "blocks and their conflicts (Return goes there)",
              list_rows(desk), chosen_row(desk), most, list_row, desk, &desk->drawing);
}

bool desk_open_list(struct desk *desk, int list)
{
    const struct view_panel *leader = &desk->view->panel[desk->view->active];
    if (desk->view->hide & HIDE_TOTALS)
        return false;
    desk->list = (enum desk_list)list;
    desk->chosen = list == LIST_STAGES ? leader->stage : leader->block;
    return true;
}

bool desk_press_list(struct desk *desk, const char *key)
{
    static const struct {
        const char *key;
        int by;
    } moves[] = {{"Up", -1},       {"Down", 1},          {"PageUp", -10},
                 {"PageDown", 10}, {"Home", -(1 << 28)}, {"End", 1 << 28}};
    const int chosen = chosen_row(desk);
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++)
        if (strcmp(key, moves[i].key) == 0) {
            desk->chosen = chosen + moves[i].by;
            desk->chosen = desk->chosen < 0 ? 0 : chosen_row(desk);
            return true;
        }
    enum desk_list list = desk->list;
    desk->list = LIST_NONE;
    if (strcmp(key, "Return") != 0 && strcmp(key, "Keypad Enter") != 0)
        return strcmp(key, "Escape") == 0;
    if (list == LIST_STAGES)
        view_worst_of(desk->view, chosen);
    else
        view_go_warp(desk->view, chosen, 0);
    return true;
}

void desk_says_list(const struct desk *desk, FILE *file)
{
    struct list_row row = {.number = 0};
    list_row(desk, chosen_row(desk), &row);
    fprintf(file, "%s: %" PRIu64 " conflicts; %d of %d. ", row.name, row.number,
            chosen_row(desk) + 1, list_rows(desk));
}
