/* failing.c - the case in which a student's kernel fails, as a picture: in the window, or on a page of
 * marks. */
#include "teach/teach.h"
#include "viewer/page.h"
#include "viewer/viewer.h"

#include <stdlib.h>
#include <string.h>

/* ---- the window ------------------------------------------------------------------------------ */

#ifdef HAVE_SDL
bool exercise_show(const struct grader *grader, const struct exercise *exercise, const char *file,
                   const struct exercise_report *report, struct error *error)
{
    const struct exercise_place *place = &report->place;
    struct exhibit *exhibit = exhibit_new();
    struct view view = {0};
    char title[256];
    bool good = exercise_record(grader, exercise, file, report, &exhibit->trace, error) &&
                exhibit_index(exhibit, error) && view_init(&view, NULL, NULL, error);
    if (good)
        good = view_add(&view, exhibit, error);
    if (good) {
        exhibit = NULL; /* the view's */
        snprintf(title, sizeof title, "Bankscope: %.100s, %.100s", exercise->name, file);
        if (place->stage >= 0) {
            view_go_warp(&view, place->block, place->warp);
            view_go(&view, place->stage, place->round, place->slot);
        }
        good = window_run(title, &view, NULL, NULL, error);
    }
    view_free(&view);
    exhibit_free(exhibit);
    return good;
}
#endif

/* ---- a page ---------------------------------------------------------------------------------- */

static void put_element(FILE *file, const char *element, const char *text)
{
    fprintf(file, "<%s>", element);
    html_text(file, text);
    fprintf(file, "</%.*s>\n", (int)strcspn(element, " "), element);
}

/* Whether the trace has an access in that place. */
static bool is_there(const struct trace *trace, const struct exercise_place *place)
{
    struct warp_access access;
    bool found = false;
    for (size_t i = 0; !found && i < trace->count; i++) {
        access = trace_get(trace, i);
        found = access.stage == place->stage && access.round == place->round &&
                access.block == place->block && access.warp == place->warp;
    }
    return found;
}

/* The failing round, as SVG. */
static bool put_picture(FILE *file, const struct exercise_report *report, const struct trace *trace,
                        struct error *error)
{
    const struct exercise_place *place = &report->place;
    struct trace_index index = {0};
    struct figure_part part = {.index = &index, .degrees = true, .used_columns = true};
    struct figure figure = {.parts = 1, .part = &part, .width = 500};
    struct drawing drawing = {0};
    bool good = trace_index_init(&index, trace, error) && figure_choose(&part, error);
    if (good && is_there(trace, place)) {
        part.stage = place->stage;
        part.block = place->block;
        part.warp = place->warp;
        part.rounds = true;
        part.first_round = part.last_round = place->round;
    }
    good = good && figure_draw(&figure, &drawing, error) && svg_write(&drawing, &themes[0], file);
    drawing_free(&drawing);
    trace_index_free(&index);
    return good;
}

bool hand_in_page(const struct grader *grader, const struct hand_in *hand_in, FILE *file)
{
    const struct exercise_report *report = &hand_in->report;
    struct trace trace = {0};
    struct error error = {{0}};
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", file);
    html_text(file, hand_in->student);
    fputs("</title><style>body{font:16px/1.5 sans-serif;max-width:45em;margin:2em auto;padding:0 "
          "1em}table{border-collapse:collapse;width:100%}td{border-top:1px solid #ccc;padding:.3em "
          ".6em;vertical-align:top}td:first-child{white-space:nowrap}p.why{margin:0;color:#555}"
          "svg{max-width:100%;height:auto}pre{overflow:auto}</style></head><body>\n",
          file);
    put_element(file, "h1", hand_in->student);
    put_element(file, "p", hand_in->file);
    if (report->error.text[0]) {
        put_element(file, "p", report->error.text);
        if (*report->messages)
            put_element(file, "pre", report->messages);
    } else {
        fprintf(file, "<p>Exercise %s: %d of %d points.</p>\n<table>\n", hand_in->exercise->name,
                hand_in->points, hand_in->most);
        for (int i = 0; i < report->findings; i++) {
            const struct exercise_finding *finding = &report->finding[i];
            bool met = exercise_met(report, i);
            fprintf(file, "<tr><td>%s</td><td>", met ? "&#10003; met" : "&#10007; not yet");
            html_text(file, finding->what);
            if (!met) {
                put_element(file, "p class=\"why\"", exercise_why(report, i));
                if (*finding->hint)
                    put_element(file, "p", finding->hint);
            }
            fputs("</td></tr>\n", file);
        }
        fputs("</table>\n", file);
    }
    if (*report->place.words &&
        exercise_record(grader, hand_in->exercise, hand_in->file, report, &trace, &error)) {
        fprintf(file, "<h2>With ");
        html_text(file, report->place.words);
        fputs("</h2>\n", file);
        if (!put_picture(file, report, &trace, &error))
            put_element(file, "p", error.text);
    }
    trace_free(&trace);
    fputs("</body></html>\n", file);
    return !ferror(file);
}
