/* desk_keys.c - what keys do: rows of one table, of which the help is made, too. And what they put above
 * the picture: the help, lists to choose from, questions, the note.
 */
#include "viewer/window/desk.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SMALLEST = -5, LARGEST = 8 }; /* steps of the text's size, of a tenth each */

/* ---- each returns whether something changed -------------------------------------------------- */

static bool do_step(struct desk *desk, int by)
{
    return view_step(desk->view, by);
}

static bool do_stage(struct desk *desk, int by)
{
    return view_stage(desk->view, by);
}

static bool do_warp(struct desk *desk, int by)
{
    return view_warp(desk->view, by);
}

static bool do_end(struct desk *desk, int by)
{
    return by < 0 ? view_home(desk->view) : view_end(desk->view);
}

static void lay_out_again(struct desk *desk)
{
    desk_resize(desk, desk->pixels_w, desk->pixels_h, desk->least_scale);
}

/* Larger or smaller text; 0: the usual. */
static bool do_text(struct desk *desk, int by)
{
    int larger = by ? desk->larger + by : 0;
    desk->larger = larger < SMALLEST ? SMALLEST : larger > LARGEST ? LARGEST : larger;
    lay_out_again(desk);
    snprintf(desk->note, sizeof desk->note, "text %d %%", 100 + 10 * desk->larger);
    return true;
}

/* The point of the picture nearest to the pointer; its middle when that is elsewhere. */
static bool zoom(struct desk *desk, double factor)
{
    bool inside = desk->x >= 0 && desk->x < desk->picture_w && desk->y < desk->picture_h;
    return view_zoom(desk->view, factor, inside ? desk->x : desk->picture_w / 2,
                     inside ? desk->y : desk->picture_h / 2);
}

static bool do_zoom(struct desk *desk, int by)
{
    return by == 0 ? view_zoom_reset(desk->view) : zoom(desk, by > 0 ? 1.25 : 0.8);
}

static bool scroll_pane(struct desk *desk, double points)
{
    double before = desk->pane->scroll;
    desk->pane->scroll += points; /* pane_draw limits it */
    return desk->pane->scroll != before;
}

static bool do_wheel(struct desk *desk, int by)
{
    if (desk_scroll_code(desk, -48.0 * by))
        return true;
    bool over_pane = desk->pane && desk->x >= desk->pane_x && desk->y >= desk->pane_y;
    if (over_pane)
        return scroll_pane(desk, -60.0 * by);
    return desk_has_picture(desk) &&
           (view_zoom_overview(desk->view, by > 0 ? 1.5 : 1 / 1.5, desk->x, desk->y) ||
            (view_hit(desk->view, desk->x, desk->y).kind != HIT_OVERVIEW && do_zoom(desk, by)));
}

static bool do_page(struct desk *desk, int by)
{
    if (!desk->pane && desk->code.w > 0) {
        desk->code.scroll += by * 0.8 * desk->code.h;
        return true;
    }
    return desk->pane && scroll_pane(desk, by * 0.8 * (desk->height - desk->pane_y));
}

static bool do_swap(struct desk *desk, int by)
{
    (void)by;
    return view_swap(desk->view);
}

static bool do_race(struct desk *desk, int by)
{
    (void)by;
    return view_race(desk->view, !desk->view->race);
}

static bool do_worst(struct desk *desk, int by)
{
    (void)by;
    if (view_worst(desk->view))
        return true;
    if (desk->view->hide & HIDE_TOTALS)
        return false;
    snprintf(desk->note, sizeof desk->note, "no step has conflicts");
    return true;
}

/* The next thread of the warp, from its first on; 0: none. */
static bool do_follow(struct desk *desk, int by)
{
    const struct view_panel *leader = &desk->view->panel[desk->view->active];
    int warp = leader->index->trace->header.warp, first = leader->warp * warp;
    int followed = desk->view->followed - 1;
    bool here = followed >= first && followed < first + warp;
    if (desk->view->hide & HIDE_LABELS)
        return false;
    return view_follow_thread(desk->view, by == 0 ? -1 : here ? followed + 1 : first);
}

static bool do_overview(struct desk *desk, int by)
{
    (void)by;
    desk->view->no_overview = !desk->view->no_overview;
    return true;
}

static bool do_fold(struct desk *desk, int by)
{
    (void)by;
    desk->view->unfolded = !desk->view->unfolded;
    desk->view->bring = true;
    return true;
}

static bool do_dials(struct desk *desk, int by)
{
    (void)by;
    struct dials *dials = &desk->dials;
    if (dials->count == 0) {
        snprintf(desk->note, sizeof desk->note,
                 "this recording has no parameters to turn: open a kernel by its name");
        return true;
    }
    if (!dials->focus) {
        dials->hidden = false;
        dials->focus = true;
    } else {
        dials->hidden = true;
        dials->focus = false;
    }
    desk_lay_out(desk);
    if (dials->focus && dials->w <= 0) {
        dials->focus = false;
        snprintf(desk->note, sizeof desk->note, "the window is too small for the parameters");
    }
    return true;
}

static bool do_turn(struct desk *desk, int by)
{
    return dials_turn(&desk->dials, by);
}

static bool do_label(struct desk *desk, int by)
{
    (void)by;
    desk->view->label = (desk->view->label + 1) % LABELS;
    return true;
}

static bool do_theme(struct desk *desk, int by)
{
    (void)by;
    desk->view->theme++;
    if (!desk->view->theme->name)
        desk->view->theme = themes;
    return true;
}

/* What only the window itself can do is a wish. */
static bool do_wish(struct desk *desk, int wish)
{
    desk->wish = (enum desk_wish)wish;
    return false;
}

/* ---- questions ------------------------------------------------------------------------------- */

/* Asks for a round or for what to open: text follows, and Return. */
static bool do_ask(struct desk *desk, int by)
{
    desk->asking = by;
    desk->typed[0] = '\0';
    return true;
}

/* What is asked, with the answer so far. */
static const char *question(const struct desk *desk, char *text, size_t size)
{
    if (desk->asking == ASK_ROUND)
        snprintf(text, size, "round %s_ (Return goes there)", desk->typed);
    else if (desk->asking == ASK_SEARCH)
        snprintf(
            text, size,
            "/%s_ (an array, stage, text of the source, FILE:LINE or address; Return goes there)",
            desk->typed);
    else
        snprintf(text, size, "open %s_ (a trace, kernel or FILE.cu; Return opens it)", desk->typed);
    return text;
}

/* A key while something is asked for. */
static bool answer(struct desk *desk, const char *key)
{
    size_t length = strlen(desk->typed);
    bool space = strcmp(key, "Space") == 0, character = text_character(key) == strlen(key);
    const char *typed = space ? " " : character ? key : NULL;
    if (strcmp(key, "Backspace") == 0 && length > 0) {
        do /* all bytes of the last character */
            length--;
        while (length > 0 && ((unsigned char)desk->typed[length] & 0xC0) == 0x80);
        desk->typed[length] = '\0';
    } else if (typed && (desk->asking != ASK_ROUND || (*typed >= '0' && *typed <= '9'))) {
        size_t room = desk->asking == ASK_NAME     ? sizeof desk->typed
                      : desk->asking == ASK_SEARCH ? sizeof desk->sought
                                                   : 8,
               more = strlen(typed);
        if (length + more < room)
            memcpy(desk->typed + length, typed, more + 1);
    } else if (strcmp(key, "Return") == 0 || strcmp(key, "Keypad Enter") == 0) {
        bool name = desk->asking == ASK_NAME, search = desk->asking == ASK_SEARCH;
        desk->asking = ASK_NOTHING;
        if (search) {
            snprintf(desk->sought, sizeof desk->sought, "%.255s", desk->typed);
            if (desk->list != LIST_LAUNCHES && desk_has_picture(desk))
                desk_search(desk);
        } else if (length > 0 && name)
            desk_open(desk, desk->typed, false);
        else if (length > 0)
            view_round(desk->view, (int)strtol(desk->typed, NULL, 10));
    } else if (strcmp(key, "Escape") == 0) {
        desk->asking = ASK_NOTHING;
    } else {
        return false;
    }
    if (desk->asking == ASK_SEARCH && desk->list == LIST_LAUNCHES) { /* the list follows at once */
        snprintf(desk->sought, sizeof desk->sought, "%.255s", desk->typed);
        desk->chosen = 0;
    }
    return true;
}

/* Back to the list of launches, where there is one; the program goes on. */
static bool do_escape(struct desk *desk, int by)
{
    if (desk_has_launches(desk) && desk->list == LIST_NONE)
        return desk_back(desk, by);
    snprintf(desk->note, sizeof desk->note, "q quits");
    return true;
}

/* ---- to a class ------------------------------------------------------------------------------ */

/* Begins or ends it; the window opens the notes. */
static bool do_present(struct desk *desk, int by)
{
    (void)by;
    struct view *view = desk->view;
    view->presenting = !view->presenting;
    desk->present_since = desk->now;
    desk->wish = DESK_PRESENT;
    if (!view->presenting)
        view_veil(view, false);
    lay_out_again(desk);
    return true;
}

static bool do_blank(struct desk *desk, int by)
{
    (void)by;
    desk->blank = true;
    return true;
}

static bool do_numbers(struct desk *desk, int by)
{
    (void)by;
    view_veil(desk->view, !desk->view->veiled);
    snprintf(desk->note, sizeof desk->note, "%s",
             desk->view->veiled  ? "numbers are hidden: v shows them"
             : desk->view->asked ? "the question hides numbers until it is answered"
                                 : "numbers are shown");
    return true;
}

/* On and back, as a remote control asks for it. */
static bool do_go(struct desk *desk, int by)
{
    struct pane *pane = desk->pane;
    if (pane && by > 0 && pane->scroll < pane->most - 1) /* what does not fit is shown first */
        return do_page(desk, by);
    if (pane && pane->press)
        return pane->press(pane->context, desk->view, by > 0 ? "Present+Next" : "Present+Previous");
    return desk_has_picture(desk) && view_step(desk->view, by);
}

static bool do_help(struct desk *desk, int by)
{
    (void)by;
    desk->help = !desk->help;
    return true;
}

/* ---- the keys -------------------------------------------------------------------------------- */

/* What a key needs: a picture, no lesson that decides what is shown, somebody who makes recordings, a
 * window of our own, or a browser's, or a class that one presents to: bits. */
enum need {
    ALWAYS = 0,
    PICTURE = 1,
    ALONE = 2,
    WORKSHOP = 4,
    WINDOW = 8,
    BROWSER = 16,
    PRESENTING = 32
};

/* A key by the name that key_name gives it. help as in struct key_help. */
struct key_action {
    struct key_help key;
    bool (*act)(struct desk *desk, int by);
    int by;
    unsigned needs;
};

static const struct key_action actions[] = {
    {{"PageDown", "go on, back: for a class, also by remote control"}, do_go, 1, PRESENTING},
    {{"PageUp", NULL}, do_go, -1, PRESENTING},
    {{"b", "a blank screen; any key brings it back"}, do_blank, 0, PRESENTING},
    {{".", NULL}, do_blank, 0, PRESENTING},
    {{"Escape", ""}, do_present, 0, PRESENTING},
    {{"Left", "one step back, one step on"}, do_step, -1, PICTURE},
    {{"Right", NULL}, do_step, 1, PICTURE},
    {{"Shift+Left", "stage before, stage after"}, do_stage, -1, PICTURE},
    {{"Shift+Right", NULL}, do_stage, 1, PICTURE},
    {{"Up", "warp before, warp after"}, do_warp, -1, PICTURE},
    {{"Down", NULL}, do_warp, 1, PICTURE},
    {{"Space", "play and pause"}, desk_play, 0, PICTURE},
    {{"<", "play slower, faster"}, desk_speed, -1, PICTURE},
    {{">", NULL}, desk_speed, 1, PICTURE},
    {{",", ""}, desk_speed, -1, PICTURE},
    {{".", ""}, desk_speed, 1, PICTURE},
    {{"Home", "first and last step; again: of all stages"}, do_end, -1, PICTURE},
    {{"End", NULL}, do_end, 1, PICTURE},
    {{"w", "the worst step of the run; again: the next"}, do_worst, 0, PICTURE},
    {{"g", "go to a round, by its number"}, do_ask, ASK_ROUND, PICTURE},
    {{"s", "the stages, the blocks: choose one"}, desk_open_list, LIST_STAGES, PICTURE},
    {{"b", NULL}, desk_open_list, LIST_BLOCKS, PICTURE},
    {{"+", "zoom in, out, all"}, do_zoom, 1, PICTURE},
    {{"-", NULL}, do_zoom, -1, PICTURE},
    {{"0", NULL}, do_zoom, 0, PICTURE},
    {{"=", ""}, do_zoom, 1, PICTURE},
    {{"Wheel", "zoom about the pointer"}, NULL, 0, PICTURE},
    {{"Drag", "move the picture"}, NULL, 0, PICTURE},
    {{"Swipe", "all of it in sight: one step"}, NULL, 0, PICTURE | BROWSER},
    {{"Hover", "who, where, when and why"}, NULL, 0, PICTURE},
    {{"Click", "a cell: follow its thread; timeline, run, source, map: go there"},
     NULL,
     0,
     PICTURE},
    {{"p", "follow the next thread, or none"}, do_follow, 1, PICTURE},
    {{"Delete", NULL}, do_follow, 0, PICTURE},
    {{"Tab", "another panel leads"}, do_swap, 0, PICTURE | WINDOW},
    {{"n", "another panel leads"}, do_swap, 0, PICTURE | BROWSER},
    {{"l", "cells show thread, address, value"}, do_label, 0, PICTURE},
    {{"t", "light, print, dark"}, do_theme, 0, ALWAYS},
    {{"v", "hide the numbers (veil), show them"}, do_numbers, 0, PICTURE},
    {{"r", "race: share passes, not rounds"}, do_race, 0, PICTURE},
    {{"o", "the whole run, or without it"}, do_overview, 0, PICTURE},
    {{"f", "a large array: all columns, or those in use"}, do_fold, 0, PICTURE},
    {{"c", "the source, or without it"}, desk_code, 0, PICTURE},
    {{"d", "the source with numbers for all lines, or with bars"}, desk_line_numbers, 0, PICTURE},
    {{"i", "the instructions that the source became: PTX, machine code, or none"},
     desk_listing,
     0,
     PICTURE},
    {{"a", "the advised layout beside today's, or no more"}, desk_advise, 0, PICTURE | ALONE},
    {{"x", "close the leading panel"}, desk_close, 0, PICTURE | ALONE},
    {{"Ctrl+O", "open a recording beside it (or drop a trace)"}, do_ask, ASK_NAME, WORKSHOP},
    {{"k", "parameters: choose one, or hide them"}, do_dials, 0, WORKSHOP},
    {{"[", "the chosen parameter: less, more"}, do_turn, -1, WORKSHOP},
    {{"]", NULL}, do_turn, 1, WORKSHOP},
    {{"e", "export what is shown: PDF, PNG, and a web page"},
     do_wish,
     DESK_EXPORT,
     PICTURE | WINDOW},
    {{"e", "export the picture as PNG"}, do_wish, DESK_EXPORT, PICTURE | BROWSER},
    {{"PageUp", ""}, do_page, -1, ALWAYS},
    {{"PageDown", ""}, do_page, 1, ALWAYS},
    {{"Wheel+Up", ""}, do_wheel, 1, ALWAYS},
    {{"Wheel+Down", ""}, do_wheel, -1, ALWAYS},
    {{"Ctrl++", "larger, smaller, usual text"}, do_text, 1, WINDOW},
    {{"Ctrl+-", NULL}, do_text, -1, WINDOW},
    {{"Ctrl+0", NULL}, do_text, 0, WINDOW},
    {{"Ctrl+=", ""}, do_text, 1, WINDOW},
    {{"Ctrl+Shift+=", ""}, do_text, 1, WINDOW},
    {{"Ctrl+Keypad +", ""}, do_text, 1, WINDOW},
    {{"Ctrl+Keypad -", ""}, do_text, -1, WINDOW},
    {{"F11", "the whole screen, a window"}, do_wish, DESK_FULLSCREEN, WINDOW},
    {{"F5", "present to a class: large text, a halo, notes; again: end"}, do_present, 0, WINDOW},
    {{"?", "this help"}, do_help, 0, ALWAYS},
    {{"/", "search: an array, a stage, the source, FILE:LINE, an address; m: the next"},
     do_ask,
     ASK_SEARCH,
     ALWAYS},
    {{"m", ""}, desk_search_on, 0, PICTURE},
    {{"Backspace", "back to the launches of the program"}, desk_back, 0, WORKSHOP},
    {{"Escape", "close what is open"}, do_escape, 0, WINDOW},
    {{"q", "quit"}, do_wish, DESK_QUIT, WINDOW},
    {{"Ctrl+Q", NULL}, do_wish, DESK_QUIT, WINDOW},
};
enum { ACTIONS = sizeof actions / sizeof actions[0] };

static bool works_here(const struct desk *desk, unsigned needs)
{
    unsigned has = (desk_has_picture(desk) && desk->list != LIST_LAUNCHES ? PICTURE : 0) |
                   (desk->pane ? 0 : ALONE) | (desk->workshop ? WORKSHOP : 0) |
                   (desk->in_browser ? BROWSER : WINDOW) |
                   (desk->view->presenting ? PRESENTING : 0);
    return (needs & ~has) == 0;
}

static void collect_keys(const struct desk *desk, struct key_help own[ACTIONS + 1])
{
    int used = 0;
    for (int i = 0; i < ACTIONS; i++)
        if (works_here(desk, actions[i].needs & ~(unsigned)PICTURE))
            own[used++] = actions[i].key;
    own[used].key = NULL;
}

/* One letter may be typed in either case. */
static bool same_key(const char *key, const char *typed)
{
    bool capital = *typed >= 'A' && *typed <= 'Z' && !typed[1];
    return strcmp(key, typed) == 0 || (capital && !key[1] && *typed - 'A' + 'a' == *key);
}

static bool press_key(struct desk *desk, const char *key)
{
    bool changed = desk->note[0] != '\0';
    desk->note[0] = '\0';
    if (desk->blank) {
        desk->blank = false;
        return true;
    }
    if (desk->help && strcmp(key, "?") != 0) {
        desk->help = false;
        changed = true;
        if (strcmp(key, "Escape") == 0) /* closes the help, not the window */
            return true;
    }
    if (desk->asking) {
        if (answer(desk, key))
            return true;
        desk->asking = ASK_NOTHING; /* another key does what it does */
        changed = true;
    }
    if (desk->list == LIST_LAUNCHES) {
        if (desk_press_launches(desk, key))
            return true;
    } else if (desk->list != LIST_NONE) {
        if (desk_press_list(desk, key))
            return true;
        changed = true;
    }
    if (desk->dials.focus && desk->dials.w > 0 && dials_press(&desk->dials, key))
        return true;
    struct pane *pane = desk->pane;
    if (pane && pane->press && pane->press(pane->context, desk->view, key))
        return true;
    for (int i = 0; i < ACTIONS; i++) {
        const struct key_action *action = &actions[i];
        if (action->act && same_key(action->key.key, key) && works_here(desk, action->needs))
            return action->act(desk, action->by) || changed;
    }
    return changed;
}

bool desk_press(struct desk *desk, const char *key, uint64_t now)
{
    desk->now = now;
    bool changed = press_key(desk, key);
    desk_take_turns(desk);
    return changed;
}

/* ---- what stands above the picture ----------------------------------------------------------- */

void desk_draw_above(struct desk *desk)
{
    struct drawing *drawing = &desk->drawing;
    struct key_help own[ACTIONS + 1];
    char asked[sizeof desk->typed + 100];
    if (desk->list == LIST_LAUNCHES)
        desk_draw_launches(desk);
    if (desk->asking && !(desk->asking == ASK_SEARCH && desk->list == LIST_LAUNCHES))
        note_draw(question(desk, asked, sizeof asked), desk->width, desk->height, drawing);
    else if (desk->note[0])
        note_draw(desk->note, desk->width, desk->height, drawing);
    if (desk->list != LIST_NONE && desk->list != LIST_LAUNCHES)
        desk_draw_list(desk);
    if (desk->help) {
        collect_keys(desk, own);
        help_draw((const struct key_help *[]){desk->pane ? desk->pane->keys : NULL, own}, 2,
                  drawing);
    }
}

bool desk_says(const struct desk *desk, FILE *file)
{
    struct key_help own[ACTIONS + 1];
    char asked[sizeof desk->typed + 100];
    if (desk->asking)
        fprintf(file, "%s. ", question(desk, asked, sizeof asked));
    else if (desk->note[0])
        fprintf(file, "%s. ", desk->note);
    if (desk->list == LIST_LAUNCHES) {
        desk_says_launches(desk, file);
    } else if (desk->list != LIST_NONE) {
        desk_says_list(desk, file);
    }
    if (desk->help) {
        collect_keys(desk, own);
        help_says((const struct key_help *[]){desk->pane ? desk->pane->keys : NULL, own}, 2, file);
    }
    return desk->asking || desk->list != LIST_NONE || desk->help;
}
