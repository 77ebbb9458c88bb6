/* workshop.c - see workshop.h. */
#define _GNU_SOURCE /* st_mtim */
#include "subject/workshop.h"
#include "program/compile/dialect.h"
#include "system/file.h"
#include "viewer/export/page.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Loads a recording: all of it, or one block where that is asked for or the file is too large to
 * wait for. */
static bool load_file(struct subject_workshop *shop, struct subject *subject, struct trace *trace,
                      struct error *error)
{
    const off_t large = 200 << 20, large_packed = 20 << 20; /* bytes that take about 2 seconds */
    struct trace_part part = {.last_block = INT_MAX, .warp = -1};
    struct stat status;
    bool file = !stat(subject->name, &status) && S_ISREG(status.st_mode);
    size_t length = strlen(subject->name);
    bool packed = length > 3 && (!strcmp(subject->name + length - 3, ".gz") ||
                                 !strcmp(subject->name + length - 3, "zst"));
    bool cut = file && shop->block < 0 && status.st_size > (packed ? large_packed : large);
    if (shop->block >= 0 || cut)
        part.first_block = part.last_block = shop->block < 0 ? 0 : (int)shop->block;
    if (!command_load(subject->name, &part, trace, error))
        return false;
    if (shop->block >= trace->header.blocks)
        return error_set(error, "--block %d is out of range: %s has blocks 0 to %d",
                         (int)shop->block, subject->name, trace->header.blocks - 1);
    if (cut && trace->header.blocks > 1)
        fprintf(stderr,
                "bankscope view: a large recording: this is block 0 of %d; --block N shows "
                "another\n",
                trace->header.blocks);
    return true;
}

static bool load_or_record(struct subject_workshop *shop, int number, const struct trace_sink *sink,
                           struct trace *trace, struct error *error)
{
    struct subject *subject = &shop->subjects.subject[number];
    if (subject_is_file(subject))
        return load_file(shop, subject, trace, error);
    char *reads = NULL;
    subject->program.request.reads = shop->watch ? &reads : NULL;
    const bool good = subject_read("view", subject, sink, &shop->status, error);
    subject->program.request.reads = NULL;
    if (reads)
        free(atomic_exchange(&shop->shown[number].reads, reads));
    return good;
}

bool workshop_load(struct subject_workshop *shop, struct error *error)
{
    for (int i = 0; i < shop->subjects.count; i++) {
        struct exhibit *exhibit = shop->shown[i].exhibit = exhibit_new();
        struct trace_sink sink = trace_memory_sink(&exhibit->trace);
        if (!load_or_record(shop, i, &sink, &exhibit->trace, error))
            return false;
        shop->shown[i].end = exhibit->trace.end;
        if (!exhibit_index(exhibit, error))
            return false;
    }
    return true;
}

/* Says what recordings lack; without a window for them, that there is none is the one line of view. */
static void say_flaws(void *context)
{
    struct subject_workshop *shop = context;
    for (int i = 0; i < shop->subjects.count; i++)
        shop->status |=
            command_check_end("view", shop->subjects.subject[i].name, &shop->shown[i].end);
}

/* Gives a panel the text of its file `number`, where there is such a file. */
static bool add_file(struct view_panel *panel, int number, const char *path)
{
    size_t size;
    struct error none = {{0}};
    char *text = file_is_regular(path) ? file_read(path, 4 << 20, &size, &none) : NULL;
    bool good = text && source_text(&panel->source, number, text, size);
    free(text);
    return good;
}

void workshop_add_text(const struct subject *subject, struct view_panel *panel)
{
    const char *slash = strrchr(subject->name, '/');
    int folder = slash ? (int)(slash - subject->name) + 1 : 0;
    const char *name;
    for (int i = 0; (name = source_file_name(&panel->source, i)); i++) {
        char beside[MAX_TEXT + 64];
        const char *last = strrchr(name, '/');
        snprintf(beside, sizeof beside, "%.*s%s", folder, subject->name, last ? last + 1 : name);
        if (!add_file(panel, i, name))
            add_file(panel, i, beside);
    }
}

/* ---- what the window asks for ---- */

static bool record_anew(void *context, struct job *job)
{
    struct subject_workshop *shop = context;
    struct subject *subject = &shop->subjects.subject[job->subject];
    struct trace_sink sink = job_sink(job);
    if (subject->own && shop->watch) { /* it may have changed */
        subject->kernel = dialect_kernel(subject->name, subject->options.run.backend, &job->error);
        if (!subject->kernel)
            return false;
    }
    return subject->kernel
               ? workshop_record_turned(shop, job->subject, &job->dials, &sink, &job->error)
               : load_or_record(shop, job->subject, &sink, &job->result->trace, &job->error);
}

static void forget_subject(struct subject_workshop *shop, int number)
{
    struct shown_subject *shown = &shop->shown[number];
    exhibit_free(shown->exhibit);
    free(shown->text);
    free(atomic_load(&shown->reads));
    free(shown->watched);
    free(shown->saved);
    *shown = (struct shown_subject){.exhibit = NULL};
    subject_free(&shop->subjects.subject[number]);
    shop->subjects.subject[number] = (struct subject){.name = NULL};
}

/* Makes an empty subject of what was typed or dropped: a file's name, or a kernel with words. */
static bool name_subject(struct subject_workshop *shop, int number, const char *name, bool trace,
                         struct error *error)
{
    struct subject *subject = &shop->subjects.subject[number];
    struct stat status;
    subject->name = shop->shown[number].text = memory_copy(name);
    subject->trace = trace || shop->traces;
    if (!subject->trace && stat(name, &status) && strchr(name, ' ')) {
        if (!recipe_words_split(&subject->options.words, name, error))
            return false;
        if (subject->options.words.kernel)
            subject->name = subject->options.words.kernel;
    }
#ifdef HAVE_DW
    subject->plain = program_asked(2, (char *[]){"view", (char *)(uintptr_t)subject->name, NULL});
#endif
    return subject_find(subject, error);
}

static bool open_another(void *context, struct job *job)
{
    struct subject_workshop *shop = context;
    job->subject = 0;
    while (!(job->free & 1u << job->subject))
        job->subject++;
    struct trace_sink sink = job_sink(job);
    forget_subject(shop, job->subject);
    return name_subject(shop, job->subject, job->name, job->trace, &job->error) &&
           load_or_record(shop, job->subject, &sink, &job->result->trace, &job->error);
}

static void give_text(void *context, int number, struct view_panel *panel)
{
    workshop_add_text(&((struct subject_workshop *)context)->subjects.subject[number], panel);
}

/* struct workshop's page. */
static bool write_page(void *context, struct job *job)
{
    const struct subject_workshop *shop = context;
    struct page_recording recording[PANELS];
    for (int i = 0; i < job->panels; i++) {
        const char *name = job->shown[i].title;
        if (!name[0] && job->shown[i].subject >= 0) {
            name = shop->subjects.subject[job->shown[i].subject].name;
            name = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
        }
        recording[i] = (struct page_recording){name, job->shown[i].trace, NULL};
    }
    struct page page = {.recording = recording, .recordings = job->panels, .place = job->place};
    return page_write(job->name, &page, &job->error);
}

/* Whether a file is another than when it was looked at last; the first look says no. */
static bool file_changed(const char *path, struct stat *seen)
{
    const struct stat before = *seen;
    struct stat now;
    if (stat(path, &now) || !S_ISREG(now.st_mode))
        return false;
    *seen = now;
    return before.st_ino && (now.st_mtim.tv_sec != before.st_mtim.tv_sec ||
                             now.st_mtim.tv_nsec != before.st_mtim.tv_nsec ||
                             now.st_size != before.st_size || now.st_ino != before.st_ino);
}

/* Whether one of the files that its compiler read is another than when they were looked at last; a new list's are looked
 * at first. */
static bool read_changed(struct shown_subject *shown)
{
    char *fresh = atomic_exchange(&shown->reads, NULL);
    bool changed = false;
    size_t count = 0;
    if (fresh && shown->watched && !strcmp(fresh, shown->watched)) {
        free(fresh);
    } else if (fresh) {
        free(shown->watched);
        free(shown->saved);
        shown->watched = fresh;
        for (const char *at = fresh; *at; at++)
            count += *at == '\n';
        shown->saved = memory_new(count + 1, sizeof *shown->saved);
        count = 0;
    }
    for (const char *at = shown->watched; at && *at; at += strcspn(at, "\n") + 1) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%.*s", (int)strcspn(at, "\n"), at);
        changed |= file_changed(path, &shown->saved[count++]);
    }
    return changed;
}

unsigned workshop_changed(void *context)
{
    struct subject_workshop *shop = context;
    unsigned changed = 0;
    for (int i = 0; i < PANELS; i++) {
        const struct subject *subject = &shop->subjects.subject[i];
        if (!subject->name || (subject->kernel && !subject->own))
            continue;
        for (int k = 0; k <= subject->alsos; k++)
            if (file_changed(k ? subject->also[k - 1] : subject->name, &shop->shown[i].seen[k]))
                changed |= 1u << i;
        if (read_changed(&shop->shown[i]))
            changed |= 1u << i;
    }
    return changed;
}

struct workshop workshop_of(struct subject_workshop *shop)
{
    struct workshop workshop = {.context = shop,
                                .dials = workshop_dials,
                                .record = record_anew,
                                .open = open_another,
                                .page = write_page,
                                .dress = give_text,
                                .changed = shop->watch ? workshop_changed : NULL,
                                .opened = shop->survey ? NULL : say_flaws};
#ifdef HAVE_DW
    if (shop->survey)
        survey_add(&workshop);
#endif
    return workshop;
}

void workshop_free(struct subject_workshop *shop)
{
#ifdef HAVE_DW
    survey_free(shop->survey);
#endif
    for (int i = 0; i < PANELS; i++)
        forget_subject(shop, i);
}
