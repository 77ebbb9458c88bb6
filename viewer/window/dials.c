/* dials.c - parameters to turn: a slider and a number for each. */
#include "viewer/window/window.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    EDGE = 10,
    STEP = 24,   /* from row to row */
    SIZE = 12,   /* of the font */
    HEAD = 26,   /* the title */
    FOOT = 38,   /* what is said of the chosen one */
    NAMES = 74,  /* width of the names, and of the values */
    LINEAR = 99, /* larger ranges are on a logarithmic scale */
};

/* ---- values ------------------------------------------------------------------------------------ */

/* The value of the dial of that name which has subjects in common, or 1. */
static int64_t value_of(const struct dials *dials, const char *name, unsigned subjects)
{
    for (int i = 0; i < dials->count; i++)
        if (!strcmp(dials->dial[i].name, name) && dials->dial[i].subjects & subjects)
            return dials->dial[i].value > 0 ? dials->dial[i].value : 1;
    return 1;
}

static int64_t unit_of(const struct dials *dials, const struct dial *dial)
{
    return dial->unit ? value_of(dials, dial->unit, dial->subjects) : 1;
}

/* The nearest value that the dial can have. */
static int64_t allowed(const struct dials *dials, const struct dial *dial, int64_t value)
{
    int64_t unit = unit_of(dials, dial);
    int64_t lowest = (dial->lowest + unit - 1) / unit * unit, highest = dial->highest / unit * unit;
    value = value < lowest ? lowest : value > highest ? highest : value;
    return unit > 1 ? (value + unit / 2) / unit * unit : value;
}

static bool set(struct dials *dials, int number, int64_t value)
{
    struct dial *dial = &dials->dial[number];
    value = allowed(dials, dial, value);
    if (value == dial->value)
        return false;
    dial->value = value;
    dial->turned = true;
    dials->turned |= dial->subjects;
    for (int i = 0; i < dials->count; i++) { /* those that are multiples of it */
        struct dial *other = &dials->dial[i];
        if (other->unit && !strcmp(other->unit, dial->name) && other->subjects & dial->subjects) {
            other->value = allowed(dials, other, other->value);
            other->turned = true;
        }
    }
    return true;
}

bool dials_turn(struct dials *dials, int by)
{
    if (dials->count == 0)
        return false;
    const struct dial *dial = &dials->dial[dials->chosen];
    return set(dials, dials->chosen, dial->value + by * unit_of(dials, dial));
}

/* Where on its slider a value is, from 0 to 1, and back. */
static double place_of(const struct dial *dial)
{
    double range = (double)(dial->slider - dial->lowest), at = (double)(dial->value - dial->lowest);
    double place = range <= 0 ? 0 : range <= LINEAR ? at / range : log1p(at) / log1p(range);
    return place > 1 ? 1 : place;
}

static int64_t value_at(const struct dial *dial, double place)
{
    double range = (double)(dial->slider - dial->lowest);
    place = place < 0 ? 0 : place > 1 ? 1 : place;
    double at = range <= LINEAR ? place * range : expm1(place * log1p(range));
    return dial->lowest + (int64_t)(at + 0.5);
}

void dial_text(const struct dial *dial, char *text, size_t size)
{
    if (dial->words)
        snprintf(text, size, "%s", dial->words[dial->value]);
    else
        snprintf(text, size, "%" PRId64, dial->value);
}

/* ---- the dials of all panels ------------------------------------------------------------------- */

static bool same_words(const char *const *a, const char *const *b)
{
    if (!a || !b)
        return a == b;
    while (*a && *b && !strcmp(*a, *b))
        a++, b++;
    return !*a && !*b;
}

void dials_add(struct dials *dials, const struct dial *dial)
{
    for (int i = 0; i < dials->count; i++) {
        struct dial *there = &dials->dial[i];
        if (there->value == dial->value && there->lowest == dial->lowest &&
            there->highest == dial->highest && same_words(there->words, dial->words) &&
            !strcmp(there->name, dial->name) && !(there->subjects & dial->subjects)) {
            there->subjects |= dial->subjects;
            return;
        }
    }
    if (dials->count < DIALS)
        dials->dial[dials->count++] = *dial;
}

void dials_keep(struct dials *dials, unsigned subjects)
{
    int kept = 0;
    for (int i = 0; i < dials->count; i++)
        if (dials->dial[i].subjects & subjects) {
            dials->dial[kept] = dials->dial[i];
            dials->dial[kept++].subjects &= subjects;
        }
    dials->count = kept;
    dials->chosen = dials->chosen < kept ? dials->chosen : kept > 0 ? kept - 1 : 0;
    dials->focus = dials->focus && kept > 0;
}

/* ---- keys and mouse ---------------------------------------------------------------------------- */

static void apply_typed(struct dials *dials)
{
    if (dials->typed[0])
        set(dials, dials->chosen, strtoll(dials->typed, NULL, 10));
    dials->typed[0] = '\0';
}

bool dials_press(struct dials *dials, const char *key)
{
    static const struct {
        const char *key;
        int choose, turn;
    } moves[] = {
        {"Up", -1, 0},          {"Down", 1, 0},         {"Left", 0, -1},   {"Right", 0, 1},
        {"Shift+Left", 0, -10}, {"Shift+Right", 0, 10}, {"PageUp", 0, 10}, {"PageDown", 0, -10},
        {"Return", 0, 0},       {"Keypad Enter", 0, 0},
    };
    size_t length = strlen(dials->typed);
    bool words = dials->dial[dials->chosen].words;
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++) {
        if (strcmp(key, moves[i].key))
            continue;
        apply_typed(dials);
        int chosen = dials->chosen + moves[i].choose;
        dials->chosen = chosen < 0 ? 0 : chosen < dials->count ? chosen : dials->count - 1;
        if (moves[i].turn)
            dials_turn(dials, moves[i].turn);
        return true;
    }
    if (key[0] >= '0' && key[0] <= '9' && !key[1] && !words) {
        if (length + 1 < sizeof dials->typed)
            memcpy(dials->typed + length, key, 2);
    } else if (!strcmp(key, "Backspace")) {
        if (length > 0)
            dials->typed[length - 1] = '\0';
    } else if (!strcmp(key, "Escape")) {
        if (dials->typed[0])
            dials->typed[0] = '\0';
        else
            dials->focus = false;
    } else {
        return false;
    }
    return true;
}

static int rows_shown(const struct dials *dials)
{
    int rows = (int)((dials->h - HEAD - FOOT) / STEP);
    return rows < 1 ? 1 : rows < dials->count ? rows : dials->count;
}

static double slider_x(const struct dials *dials)
{
    return dials->x + EDGE + NAMES + 6;
}

static double slider_w(const struct dials *dials)
{
    return dials->w - 2 * EDGE - 2 * NAMES - 12;
}

bool dials_button(struct dials *dials, double x, double y, bool down)
{
    double row = (y - dials->y - HEAD) / STEP;
    dials->dragged = false;
    if (!down || row < 0 || row >= rows_shown(dials) || x < dials->x || x >= dials->x + dials->w)
        return false;
    apply_typed(dials);
    dials->chosen = dials->first + (int)row;
    dials->focus = true;
    dials->dragged = x >= slider_x(dials) - 6 && x < slider_x(dials) + slider_w(dials) + 6;
    dials_drag(dials, x);
    return true;
}

bool dials_drag(struct dials *dials, double x)
{
    return dials->dragged &&
           set(dials, dials->chosen,
               value_at(&dials->dial[dials->chosen], (x - slider_x(dials)) / slider_w(dials)));
}

/* ---- drawing ----------------------------------------------------------------------------------- */

double dials_height(const struct dials *dials)
{
    return HEAD + FOOT + STEP * dials->count;
}

/* " 2" where another dial has the same name: the number of the first subject that it turns. */
static const char *whose(const struct dials *dials, const struct dial *dial, char *text,
                         size_t size)
{
    int named = 0, subject = 0;
    for (int i = 0; i < dials->count; i++)
        named += !strcmp(dials->dial[i].name, dial->name);
    while (!(dial->subjects & 1u << subject))
        subject++;
    snprintf(text, size, " %d", subject + 1);
    return named > 1 ? text : "";
}

void dials_draw(struct dials *dials, bool waiting, struct drawing *drawing)
{
    double left = dials->x + EDGE, right = dials->x + dials->w - EDGE;
    struct text_style bold = {ROLE_INK, 13, ALIGN_LEFT, FACE_BOLD};
    struct text_style name = {ROLE_INK, SIZE, ALIGN_LEFT, FACE_PLAIN};
    struct text_style faint = {ROLE_FAINT, 11, ALIGN_LEFT, FACE_PLAIN};
    int shown = rows_shown(dials);
    int first = dials->first > dials->chosen ? dials->chosen : dials->first;
    first = dials->chosen >= first + shown ? dials->chosen - shown + 1 : first;
    dials->first = first > dials->count - shown ? dials->count - shown : first;

    drawing_text_within(drawing, &bold, left, dials->y + 17, right - left, "%s",
                        waiting ? "parameters: recording..." : "parameters");
    for (int i = 0; i < shown; i++) {
        const struct dial *dial = &dials->dial[dials->first + i];
        bool chosen = dials->focus && dials->first + i == dials->chosen;
        double y = dials->y + HEAD + i * STEP, middle = y + STEP / 2.0;
        double baseline = middle + TEXT_MIDDLE(SIZE), x = slider_x(dials), w = slider_w(dials);
        char value[64], panel[16];
        dial_text(dial, value, sizeof value);
        if (chosen)
            drawing_edged(drawing, ROLE_CELL, ROLE_CURSOR, 2, left - 6, y + 1, right - left + 12,
                          STEP - 2);
        drawing_text_within(drawing, &name, left, baseline, NAMES, "%s%s", dial->name,
                            whose(dials, dial, panel, sizeof panel));
        drawing_box(drawing, ROLE_GRID, x, middle - 1.5, w, 3);
        drawing_edged(drawing, ROLE_FAINT, ROLE_INK, 1, x + place_of(dial) * w - 4, middle - 7, 8,
                      14);
        struct text_style number = name;
        number.align = ALIGN_RIGHT;
        number.face = FACE_BOLD;
        number.role = dials->wrong & dial->subjects ? ROLE_BAD_EDGE : ROLE_INK;
        if (chosen && dials->typed[0])
            snprintf(value, sizeof value, "%s_", dials->typed);
        double needs = text_width(value, number.size, number.face);
        number.size *= needs > NAMES ? NAMES / needs : 1;
        drawing_text(drawing, &number, right, baseline, "%s", value);
    }
    const struct dial *dial = &dials->dial[dials->chosen];
    double y = dials->y + HEAD + shown * STEP;
    if (!dials->focus) {
        drawing_text_within(drawing, &faint, left, y + 14, right - left,
                            "k: choose one; [ and ]: less, more");
        return;
    }
    drawing_text_within(drawing, &faint, left, y + 14, right - left, "%s", dial->help);
    if (dial->words)
        drawing_text_within(drawing, &faint, left, y + 29, right - left,
                            "Left, Right: choose; Escape: done");
    else
        drawing_text_within(drawing, &faint, left, y + 29, right - left,
                            "type %" PRId64 " to %" PRId64 "; Escape: done", dial->lowest,
                            dial->highest);
}
