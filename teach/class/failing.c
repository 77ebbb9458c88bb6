/* failing.c - the case in which a student's kernel fails, as a picture: in the window, or on a page of
 * marks. */
#include "teach/teach.h"
#include "viewer/export/page.h"
#include "viewer/viewer.h"

#include <stdlib.h>
#include <string.h>

/* ---- the window ------------------------------------------------------------------------------ */

/* The run that missed something first. */
static bool record_failing(const struct hand_in *hand_in, struct trace *trace,
                           struct grade_seen *seen, struct error *error)
{
    const struct grade_text source = {hand_in->text, strlen(hand_in->text)};
    struct error cause = {{0}};
    return grade_record(hand_in->exercise->grade, &source, &hand_in->marks.place, trace, seen,
                        &cause) ||
           error_set(error, "%s: %s", hand_in->file, cause.text);
}

#ifdef HAVE_SDL
bool hand_in_show(const struct hand_in *hand_in, struct error *error)
{
    struct exhibit *exhibit = exhibit_new();
    struct view view = {0};
    struct grade_seen seen;
    char title[256];
    bool good = record_failing(hand_in, &exhibit->trace, &seen, error) &&
                exhibit_index(exhibit, error) && view_init(&view, NULL, NULL, error);
    if (good)
        good = view_add(&view, exhibit, error);
    if (good) {
        exhibit = NULL; /* the view's */
        snprintf(title, sizeof title, "Bankscope: %.60s, %.100s, with %.60s",
                 hand_in->exercise->name, hand_in->file, seen.words);
        view_go_warp(&view, seen.at.block, seen.at.warp);
        view_go(&view, seen.at.stage, seen.at.round, seen.at.slot);
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

/* The failing round, as SVG. */
static bool put_picture(FILE *file, const struct trace *trace, const struct warp_access *at,
                        struct error *error)
{
    struct trace_index index = {0};
    struct figure_part part = {.index = &index, .degrees = true, .used_columns = true};
    struct figure figure = {.parts = 1, .part = &part, .width = 500};
    struct drawing drawing = {0};
    bool good = trace_index_init(&index, trace, error) && figure_choose(&part, error);
    if (good) {
        part.stage = at->stage;
        part.block = at->block;
        part.warp = at->warp;
        part.rounds = true;
        part.first_round = part.last_round = at->round;
    }
    good = good && figure_draw(&figure, &drawing, error) && svg_write(&drawing, &themes[0], file);
    drawing_free(&drawing);
    trace_index_free(&index);
    return good;
}

static void put_findings(FILE *file, const struct hand_in *hand_in)
{
    const struct grade_marks *marks = &hand_in->marks;
    fprintf(file, "<p>Exercise %s: %d of %d points.</p>\n<table>\n", hand_in->exercise->name,
            marks->points, marks->most);
    for (int i = 0; i < marks->findings; i++) {
        const struct grade_finding *finding = &marks->finding[i];
        bool met = grade_met(marks, i);
        fprintf(file, "<tr><td>%s</td><td>", met ? "&#10003; met" : "&#10007; not yet");
        html_text(file, finding->what);
        if (!met) {
            put_element(file, "p class=\"why\"", finding_why(finding));
            if (finding->hint)
                put_element(file, "p", finding->hint);
        }
        fputs("</td></tr>\n", file);
    }
    fputs("</table>\n", file);
}

static void put_messages(FILE *file, const struct hand_in *hand_in)
{
    put_element(file, "p", "It does not compile:");
    fputs("<ul>\n", file);
    for (int i = 0; i < hand_in->marks.messages; i++) {
        const struct grade_message *message = &hand_in->marks.message[i];
        char text[sizeof message->text + 40];
        snprintf(text, sizeof text, "line %d, column %d: %s", message->line, message->column,
                 message->text);
        put_element(file, "li", message->line ? text : message->text);
    }
    fputs("</ul>\n", file);
}

bool hand_in_page(const struct hand_in *hand_in, FILE *file)
{
    struct trace trace = {0};
    struct grade_seen seen;
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
    if (hand_in->error.text[0])
        put_element(file, "p", hand_in->error.text);
    else if (!hand_in->marks.compiled)
        put_messages(file, hand_in);
    else
        put_findings(file, hand_in);
    if (hand_in_marked(hand_in) && hand_in->marks.place.known &&
        record_failing(hand_in, &trace, &seen, &error)) {
        fprintf(file, "<h2>With ");
        html_text(file, seen.words);
        fputs("</h2>\n", file);
        if (!put_picture(file, &trace, &seen.at, &error))
            put_element(file, "p", error.text);
    }
    trace_free(&trace);
    fputs("</body></html>\n", file);
    return !ferror(file);
}
