/* compiler.c - the job: memory, messages, words, and the passes one after another. */
#include "kernelc/compiler.h"
#include "kernelc/code.h"
#include "kernelc/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- memory ------------------------------------------------------------------------------------ */

/* When there is no more, pieces come from the reserve, round and round: what is built of them is thrown
 * away, but the compiler can come to its end. What the reserve is too small for comes from beyond the limit. */
static void *from_reserve(struct kc *c, size_t size)
{
    kc_stop(c, (struct place){0}, "the source needs more memory than there is for it");
    size = (size + 15) / 16 * 16;
    if (size > KC_RESERVE) {
        void *large = arena_new(&c->arena, size);
        if (!large)
            __builtin_trap(); /* rather than write what is not ours */
        return large;
    }
    if (c->reserve_used + size > KC_RESERVE)
        c->reserve_used = 0;
    void *piece = c->reserve + c->reserve_used;
    c->reserve_used += size;
    return memset(piece, 0, size);
}

void *kc_new(struct kc *c, size_t size)
{
    void *piece = NULL;
    if (c->used + size <= c->limit && !c->stopped)
        piece = arena_new(&c->arena, size);
    if (!piece)
        return from_reserve(c, size);
    c->used += size;
    return piece;
}

void kc_grow(struct kc *c, void *array, int *room, int *count, size_t size)
{
    if (*count < *room)
        return;
    void *old, *fresh = NULL;
    memcpy(&old, array, sizeof old);
    const int wanted = *room ? 2 * *room : 8;
    const size_t bytes = (size_t)wanted * size;
    if (bytes <= KC_RESERVE / 16)
        fresh = kc_new(c, bytes);
    else if (c->used + bytes <= c->limit && !c->stopped && (fresh = arena_new(&c->arena, bytes)))
        c->used += bytes;
    if (!fresh) { /* the last element is written again and again */
        kc_stop(c, (struct place){0}, "the source needs more memory than there is for it");
        *count = *room - 1;
        return;
    }
    if (*room)
        memcpy(fresh, old, (size_t)*room * size);
    memcpy(array, &fresh, sizeof fresh);
    *room = wanted;
}

void kc_stop(struct kc *c, struct place place, const char *why)
{
    if (c->stopped || c->stopping)
        return;
    c->stopping = true; /* the message itself needs memory */
    c->quiet = 0;
    kc_error(c, place, "%s", why);
    c->stopped = true;
}

bool kc_work(struct kc *c)
{
    if (++c->work > c->work_limit)
        kc_stop(c, (struct place){0}, "compiling takes too long: it was given up");
    return !c->stopped;
}

bool kc_enter(struct kc *c, struct place place)
{
    if (++c->depth > KC_DEPTH)
        kc_stop(c, place, "too deep: simplify what is nested here");
    return kc_work(c);
}

void kc_leave(struct kc *c)
{
    c->depth--;
}

/* ---- messages ---------------------------------------------------------------------------------- */

static const char *format_text(struct kc *c, const char *format, va_list arguments)
{
    char line[1000];
    int length = vsnprintf(line, sizeof line, format, arguments);
    if (length >= (int)sizeof line)
        length = (int)sizeof line - 1;
    char *text = kc_new(c, (size_t)length + 1);
    memcpy(text, line, (size_t)length);
    return text;
}

const char *kc_text(struct kc *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = format_text(c, format, arguments);
    va_end(arguments);
    return text;
}

static void add_message(struct kc *c, struct place place, const char *text)
{
    struct kernelc_result *result = c->result;
    for (int i = 0; i < result->messages; i++)
        if (result->message[i].line == place.line && result->message[i].column == place.column)
            return;
    if (result->messages == KERNELC_MESSAGES)
        return;
    result->message[result->messages++] = (struct kernelc_message){
        .file = place.line && place.file < c->files ? kc_text(c, "%.*s", SLICE(c->file[place.file]))
                                                    : "",
        .line = place.line,
        .column = place.column,
        .text = text};
}

static void note_error(struct kc *c, struct place place, bool unknown, const char *format,
                       va_list arguments)
{
    if (c->stopped)
        return;
    if (c->quiet && c->failed)
        return;
    char line[1000];
    vsnprintf(line, sizeof line, format, arguments);
    for (char *at = line; *at; at++)
        if ((unsigned char)*at < ' ') /* of a text that goes on behind a backslash */
            *at = ' ';
    if (c->quiet) {
        c->unknown = unknown;
        c->failed = true;
        c->failed_place = place;
        c->failed_text = kc_text(c, "%s", line);
        return;
    }
    if (place.line && place.file < c->files && c->file_is_ours[place.file] && c->parser)
        place = kc_parser_place(c, place);
    add_message(c, place, kc_text(c, "%s", line));
}

void kc_error(struct kc *c, struct place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note_error(c, place, false, format, arguments);
    va_end(arguments);
}

void kc_unknown(struct kc *c, struct place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note_error(c, place, true, format, arguments);
    va_end(arguments);
}

/* ---- words ------------------------------------------------------------------------------------- */

struct slice kc_slice(const char *text)
{
    return (struct slice){text, (int)strlen(text)};
}

struct word *kc_word(struct kc *c, struct slice text)
{
    uint32_t hash = 2166136261u;
    for (int i = 0; i < text.length; i++)
        hash = (hash ^ (unsigned char)text.at[i]) * 16777619u;
    struct word **bucket = &c->words[hash % KC_WORD_BUCKETS];
    for (struct word *word = *bucket; word; word = word->next)
        if (slice_equal(word->text, text))
            return word;
    struct word *word = KC_NEW(c, struct word);
    *word = (struct word){.text = text, .next = *bucket};
    return *bucket = word;
}

struct word *kc_word_of(struct kc *c, const char *text)
{
    return kc_word(c, kc_slice(text));
}

/* ---- the job ----------------------------------------------------------------------------------- */

bool kernelc_compile(const struct kernelc_job *job, struct kernelc_result *result)
{
    *result = (struct kernelc_result){0};
    struct kc c = {.job = job, .result = result, .arena.allocator = *job->allocator};
    c.limit = job->memory_limit ? job->memory_limit : (size_t)128 << 20;
    c.work_limit = job->work_limit ? job->work_limit : 50000000;
    c.reserve = arena_room(&c.arena, KC_RESERVE);
    if (!c.reserve) {
        result->message[result->messages++] =
            (struct kernelc_message){"", 0, 0, "there is no memory"};
        arena_free(&c.arena);
        return false;
    }
    c.words = kc_new(&c, KC_WORD_BUCKETS * sizeof *c.words);
    kc_know_specials(&c);
    kc_preprocess(&c);
    if (!c.stopped)
        kc_parse(&c);
    if (!c.stopped && !result->messages)
        kc_generate(&c);
    if (result->messages)
        result->ptx = NULL;
    result->arena = c.arena;
    return result->ptx != NULL;
}

void kernelc_free(struct kernelc_result *result)
{
    arena_free(&result->arena);
    *result = (struct kernelc_result){0};
}
