/* each.c - all sources of a program by one compiler, as many at a time as there are cores; those that are as they were
 * the last time are not compiled again (kept.c).
 *
 * Each source has a process of its own, which does what one process would have done with all of them; what it says
 * stands in a file until its turn comes, so that messages and the error are those of one source after another.
 */
#include "program/compile/compile.h"
#include "system/cache.h"
#include "system/file.h"
#include "system/output.h"
#include "system/paths.h"
#include "system/process.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_compiled(const struct compiling *with, const struct unit *unit)
{
    return object_of(unit) == unit->object && (unit->cuda || !with->request->ptx_only);
}

static bool compile_one(const struct compiling *all, struct unit *unit, struct error *error)
{
    struct compiling with = *all;
    with.options = unit_options(all, unit);
    return with.compiler.is_nvcc ? toolkit_compile(&with, unit, error)
                                 : clang_compile(&with, unit, error);
}

/* ---- several at a time ------------------------------------------------------------------------------ */

/* A source in a process of its own. */
struct task {
    const struct compiling *with;
    struct unit *unit;
    int number;             /* of the source */
    struct process process; /* shares the struct error */
    bool started, ended, good;
};

/* What the process said. */
static void name_messages(const struct unit *unit, char *path, size_t room)
{
    snprintf(path, room, "%s.said", unit->object);
}

static bool write_messages(const char *path, const char *said, struct error *error)
{
    FILE *file = fopen(path, "w");
    bool written = file && fputs(said, file) >= 0;
    if ((file && fclose(file)) || !written)
        return error_set(error, "cannot write %s: %s", path, strerror(errno));
    return true;
}

static int work(void *context, void *shared)
{
    const struct task *task = context;
    struct error *error = shared;
    char path[320], *said = memory_copy("");
    struct compiling with = *task->with;
    struct cache cache;
    with.messages = &said;
    name_messages(task->unit, path, sizeof path);
    bool good = kept_find_unit(&cache, &with, task->unit, task->number, path);
    if (!good) {
        good = compile_one(&with, task->unit, error);
        good = write_messages(path, said, error) && good;
        if (good)
            kept_add_unit(&cache, task->unit, path);
    }
    cache_close(&cache);
    free(said);
    return good ? 0 : 1;
}

static void look_at_task(struct task *task)
{
    int status;
    if (!task->started || task->ended || !process_ended(&task->process, &status))
        return;
    task->ended = true;
    task->good = WIFEXITED(status) && !WEXITSTATUS(status);
}

/* Starts tasks in their order, as long as all is well, and waits for those that run. */
static bool run_all(struct task *task, int tasks, int at_a_time, struct error *error)
{
    enum { MOMENT = 2 /* milliseconds */ };
    int next = 0, running = 0;
    bool good = true;
    while (running || (good && next < tasks)) {
        if (good && next < tasks && running < at_a_time) {
            task[next].started = good =
                process_start(&task[next].process, sizeof(struct error), work, &task[next], error);
            running += good;
            next++;
            continue;
        }
        poll(NULL, 0, MOMENT);
        running = 0;
        for (int i = 0; i < next; i++) {
            look_at_task(&task[i]);
            running += task[i].started && !task[i].ended;
            good = good && (!task[i].ended || task[i].good);
        }
    }
    return good;
}

/* Hands on what the tasks said, to the first one that failed. */
static bool take_all(struct task *task, int tasks, struct error *error)
{
    enum { MOST = 64 << 20 /* bytes */ };
    bool good = true;
    for (int i = 0; i < tasks; i++) {
        char path[320], *said;
        size_t length;
        if (!task[i].started)
            continue;
        const struct error *its = task[i].process.shared;
        name_messages(task[i].unit, path, sizeof path);
        said = good ? file_read(path, MOST, &length, &(struct error){{0}}) : NULL;
        if (said)
            messages_add(task[i].with->messages, said);
        free(said);
        if (good && !task[i].good)
            good = error_set(error, "%s",
                             *its->text ? its->text : "a compiler's process was ended by a signal");
        process_free(&task[i].process);
    }
    return good && !*error->text;
}

static bool compile_together(const struct compiling *with, struct unit *unit, int at_a_time,
                             struct error *error)
{
    const int units = with->request->sources;
    struct task *task = memory_new((size_t)units, sizeof *task);
    int tasks = 0;
    for (int i = 0; i < units; i++)
        if (is_compiled(with, &unit[i]))
            task[tasks++] = (struct task){.with = with, .unit = &unit[i], .number = i};
    const bool ran = run_all(task, tasks, at_a_time, error);
    const bool good = take_all(task, tasks, error) && ran;
    free(task);
    return good;
}

/* ---- nvcc's passing files ---------------------------------------------------------------------------- */

static bool has_twin(const struct compiling *with, const struct unit *unit, int which)
{
    const struct toolkit_stem stem = toolkit_stem_of(unit[which].source);
    for (int i = 0; i < with->request->sources; i++) {
        const struct toolkit_stem other = toolkit_stem_of(unit[i].source);
        if (i != which && other.length == stem.length &&
            !memcmp(other.name, stem.name, (size_t)stem.length))
            return true;
    }
    return false;
}

/* Sources of one name (a/part.cu, b/part.cu) get folders of their own for them. */
static bool part_twins(const struct compiling *with, struct unit *unit, struct error *error)
{
    for (int i = 0; with->compiler.is_nvcc && i < with->request->sources; i++)
        if (has_twin(with, unit, i) && !temporary_make(unit[i].keep, sizeof unit[i].keep, error))
            return false;
    return true;
}

static void leave_twins(const struct compiling *with, struct unit *unit)
{
    for (int i = 0; i < with->request->sources; i++) {
        if (*unit[i].keep)
            passing_remove(unit[i].keep);
        *unit[i].keep = '\0';
    }
}

/* ---- all ----------------------------------------------------------------------------------------------- */

bool compile_each(const struct compiling *with, struct unit *unit, struct error *error)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const int units = with->request->sources;
    int many = 0;
    bool good = true;
    for (int i = 0; i < units; i++)
        many += is_compiled(with, &unit[i]);
    if (many > 1 || !kept_as_one(with)) {
        good = part_twins(with, unit, error) &&
               compile_together(with, unit, cores < many ? (int)cores : many, error);
        leave_twins(with, unit);
        return good;
    }
    for (int i = 0; good && i < units; i++)
        good = !is_compiled(with, &unit[i]) || compile_one(with, &unit[i], error);
    return good;
}
