/* exercise.c - what a page calls to do an exercise in it: kernel.c says how texts come and go.
 *
 * The marks are those that `check` gives: the same code, with the same seed. */
#include "web/kernel.h"

#include <stdlib.h>
#include <string.h>

/* Takes an exercise's texts from the room: table, code and what grades it, with a null byte behind each of the
 * first two. {"summary", "hints": [...]}; NULL: kernels_error says what is wrong. */
EXPORT(exercise) const char *kernels_exercise(struct kernels *k, size_t length)
{
    size_t ignored;
    char *part[3] = {NULL};
    if (k->exercise)
        grade_exercise_free(k->exercise);
    k->exercise = NULL;
    free(k->exercise_texts);
    k->exercise_texts = memory_new(length + 1, 1);
    memcpy(k->exercise_texts, k->room, length);
    char *at = k->exercise_texts, *end = at + length;
    for (int i = 0; i < 3 && at <= end; i++, at += strlen(at) + 1)
        part[i] = at;
    if (!part[2]) {
        error_set(&k->error, "an exercise is three texts");
        return NULL;
    }
    const struct grade_texts texts = {
        {part[0], strlen(part[0])}, {part[1], strlen(part[1])}, {part[2], strlen(part[2])}};
    k->exercise = grade_exercise_new(&heap_allocator, &texts, &k->error);
    if (!k->exercise)
        return NULL;
    FILE *file = kernels_text(k, &ignored);
    kernels_put_name(file, "{\"summary\"", grade_summary(k->exercise));
    fputs(",\"hints\":[", file);
    for (int i = 0; grade_hint(k->exercise, i); i++) {
        fputs(i ? "," : "", file);
        kernels_put_text(file, grade_hint(k->exercise, i));
    }
    fputs("]}", file);
    fclose(file);
    return k->text;
}

static void put_messages(FILE *file, const struct grade_marks *marks)
{
    fputs(",\"messages\":[", file);
    for (int i = 0; i < marks->messages; i++) {
        const struct grade_message *message = &marks->message[i];
        kernels_put_message(file, i, message->line, message->column, message->text);
    }
    fputc(']', file);
}

static void put_findings(FILE *file, const struct grade_marks *marks)
{
    fputs(",\"findings\":[", file);
    for (int i = 0; i < marks->findings; i++) {
        const struct grade_finding *finding = &marks->finding[i];
        const bool met = grade_met(marks, i);
        kernels_put_name(file, i ? ",{\"what\"" : "{\"what\"", finding->what);
        fprintf(file, ",\"met\":%s,\"measured\":%s,\"points\":%d", met ? "true" : "false",
                finding->measured ? "true" : "false", finding->points);
        kernels_put_name(file, ",\"why\"", met ? "" : finding->why);
        kernels_put_name(file, ",\"hint\"", !met && finding->hint ? finding->hint : "");
        fputc('}', file);
    }
    fputc(']', file);
}

/* The hand-in that is in the room. */
static struct grade_text hand_in(const struct kernels *k, size_t length)
{
    return (struct grade_text){k->room, length};
}

/* Marks the hand-in in the room: {"compiled", "runs", "points", "most", "missed" (whether there is something to
 * show), "messages", "findings"}. NULL: kernels_error says why there are no marks. */
EXPORT(grade) const char *kernels_grade(struct kernels *k, size_t length, uint32_t seed)
{
    const struct grade_text source = hand_in(k, length);
    struct grade_marks *marks = memory_new(1, sizeof *marks);
    size_t ignored;
    const bool good = k->exercise ? grade_hand_in(k->exercise, &source, seed, marks, &k->error)
                                  : error_set(&k->error, "there is no exercise");
    if (good) {
        FILE *file = kernels_text(k, &ignored);
        k->missed = marks->place;
        fprintf(file, "{\"compiled\":%s,\"runs\":%d,\"points\":%d,\"most\":%d,\"missed\":%s",
                marks->compiled ? "true" : "false", marks->runs, marks->points, marks->most,
                marks->place.known ? "true" : "false");
        put_messages(file, marks);
        put_findings(file, marks);
        fputc('}', file);
        fclose(file);
    }
    free(marks);
    return good ? k->text : NULL;
}

static bool pack(const struct trace *trace, struct trace_bytes *bytes, struct error *error)
{
    const struct trace_sink sink = trace_bytes_sink(bytes);
    bool good = sink.header(sink.context, &trace->header, error);
    for (size_t i = 0; good && i < trace->count; i++) {
        const struct warp_access access = trace_get(trace, i);
        good = sink.access(sink.context, &access, error);
    }
    return good && sink.end(sink.context, &trace->end, error);
}

/* Records a run of the hand-in in the room: the one that missed something when it was graded, or the exercise's
 * first. {"words", "why", "stage", "round", "slot", "block", "warp"}; the trace is at kernels_bytes. NULL:
 * kernels_error says why not. */
EXPORT(show) const char *kernels_show(struct kernels *k, size_t length, bool missed)
{
    const struct grade_text source = hand_in(k, length);
    const struct grade_place first = {.known = false};
    struct trace trace = {.count = 0};
    struct grade_seen seen;
    size_t ignored;
    free(k->recorded.byte);
    k->recorded = (struct trace_bytes){.byte = NULL};
    bool good = k->exercise ? grade_record(k->exercise, &source, missed ? &k->missed : &first,
                                           &trace, &seen, &k->error)
                            : error_set(&k->error, "there is no exercise");
    if (good && pack(&trace, &k->recorded, &k->error)) {
        FILE *file = kernels_text(k, &ignored);
        kernels_put_name(file, "{\"words\"", seen.words);
        kernels_put_name(file, ",\"why\"", seen.why);
        kernels_put_name(file, ",\"stage\"", trace.header.stage[seen.at.stage]);
        fprintf(file, ",\"round\":%d,\"slot\":%d,\"block\":%d,\"warp\":%d}", seen.at.round,
                seen.at.slot, seen.at.block, seen.at.warp);
        fclose(file);
    } else {
        good = false;
    }
    trace_free(&trace);
    return good ? k->text : NULL;
}
