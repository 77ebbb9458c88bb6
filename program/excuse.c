/* excuse.c - which kinds of faults there are, and which faults a user excuses. */
#include "base/text.h"
#include "program/excuse.h"
#include "machine/machine.h"
#include "program/program.h"
#include "system/file.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- kinds ------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    bool goes_on;
} of_host[RECORDS_FAULT_KINDS - RECORDS_HOST_FAULTS] = {
    [RECORDS_ARGUMENT - RECORDS_HOST_FAULTS] = {"argument", true},
    [RECORDS_UNCHECKED - RECORDS_HOST_FAULTS] = {"unchecked", true},
    [RECORDS_MISSING - RECORDS_HOST_FAULTS] = {"missing", false},
    [RECORDS_LEAK - RECORDS_HOST_FAULTS] = {"leak", true},
    [RECORDS_CODE - RECORDS_HOST_FAULTS] = {"code", false},
    [RECORDS_ENDLESS - RECORDS_HOST_FAULTS] = {"endless", false},
    [RECORDS_EARLY - RECORDS_HOST_FAULTS] = {"early-read", true},
    [RECORDS_ORDER - RECORDS_HOST_FAULTS] = {"stream-order", true},
    [RECORDS_LIBRARY - RECORDS_HOST_FAULTS] = {"library", true},
};

const char *fault_kind_name(uint32_t kind)
{
    return kind < MACHINE_FAULT_KINDS ? machine_fault_name((enum machine_fault_kind)kind)
           : kind >= RECORDS_HOST_FAULTS && kind < RECORDS_FAULT_KINDS
               ? of_host[kind - RECORDS_HOST_FAULTS].name
               : NULL;
}

bool fault_kind_goes_on(uint32_t kind)
{
    return kind < MACHINE_FAULT_KINDS ? !machine_fault_ends((enum machine_fault_kind)kind)
                                      : of_host[kind - RECORDS_HOST_FAULTS].goes_on;
}

/* The kind of that name, EXCUSE_ANY, or RECORDS_FAULT_KINDS: there is none. */
static uint32_t kind_named(const char *name, size_t length)
{
    if (length == 3 && !strncmp(name, "any", 3))
        return EXCUSE_ANY;
    for (uint32_t kind = 0; kind < RECORDS_FAULT_KINDS; kind++) {
        const char *its = fault_kind_name(kind);
        if (its && strlen(its) == length && !strncmp(name, its, length))
            return kind;
    }
    return RECORDS_FAULT_KINDS;
}

/* ---- rules ------------------------------------------------------------------------------------- */

/* "17" or "17-20", to its end. */
static bool take_lines(const char *text, struct excuse *to)
{
    char *end;
    long first = strtol(text, &end, 10), last = first;
    if (!isdigit((unsigned char)*text))
        return false;
    if (*end == '-' && isdigit((unsigned char)end[1]))
        last = strtol(end + 1, &end, 10);
    if (*end || first < 1 || last < first || last > INT32_MAX)
        return false;
    to->first = (int)first;
    to->last = (int)last;
    return true;
}

/* The place behind the @: a kernel and (), or a file, a colon and lines. A colon may be in a file's name, too. */
static void take_place(const char *place, struct excuse *to)
{
    const size_t length = strlen(place);
    to->is_kernel = length > 2 && !strcmp(place + length - 2, "()");
    if (to->is_kernel) {
        to->file = memory_copy_of(place, length - 2);
        return;
    }
    const char *colon = strrchr(place, ':');
    bool lines = colon && take_lines(colon + 1, to);
    to->file = memory_copy_of(place, lines ? (size_t)(colon - place) : length);
}

static bool wrong_kind(const char *text, size_t length, const char *where, struct error *error)
{
    error_set(error, "%s: '%.*s' is no kind of fault; they are any", where, (int)length, text);
    for (uint32_t kind = 0; kind < RECORDS_FAULT_KINDS; kind++)
        if (fault_kind_name(kind))
            error_add(error, ", %s", fault_kind_name(kind));
    return false;
}

bool excuses_add(struct excuses *excuses, const char *text, const char *where, struct error *error)
{
    const size_t length = strcspn(text, "@");
    struct excuse excuse = {.kind = kind_named(text, length)};
    if (excuse.kind == RECORDS_FAULT_KINDS)
        return wrong_kind(text, length, where, error);
    if (!text[length] && (excuse.kind == EXCUSE_ANY || !fault_kind_goes_on(excuse.kind)))
        return error_set(error,
                         "%s: '%s' cannot be turned off; it can be excused at a place, as in "
                         "%s@reduce.cu:17",
                         where, text, text);
    if (text[length] && !text[length + 1])
        return error_set(error, "%s: '%s' has no place behind the @, as in %sreduce.cu:17", where,
                         text, text);
    if (!memory_grow(&excuses->excuse, &excuses->room, excuses->count + 1, sizeof excuse, "excuses",
                     error))
        return false;
    if (text[length])
        take_place(text + length + 1, &excuse);
    excuse.text = text_clean(memory_copy(text));
    excuse.where = text_clean(memory_copy(where));
    excuses->excuse[excuses->count++] = excuse;
    return true;
}

/* The line without what is behind a # and without white space around it. */
static char *bare(char *line)
{
    line[strcspn(line, "#")] = '\0';
    line += strspn(line, " \t\r");
    size_t length = strlen(line);
    while (length && isspace((unsigned char)line[length - 1]))
        line[--length] = '\0';
    return line;
}

bool excuses_read(struct excuses *excuses, const char *path, struct error *error)
{
    enum { MOST = 1 << 20 };
    size_t length;
    char *text = file_read(path, MOST, &length, error);
    bool good = text && (strlen(text) == length ||
                         error_set(error, "%s has null bytes; it must be a text", path));
    int number = 1;
    for (char *line = text, *next; good && line; line = next, number++) {
        char where[400];
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        snprintf(where, sizeof where, "%.300s:%d", path, number);
        line = bare(line);
        good = !*line || excuses_add(excuses, line, where, error);
    }
    free(text);
    return good;
}

void excuses_free(struct excuses *excuses)
{
    for (size_t i = 0; i < excuses->count; i++) {
        free(excuses->excuse[i].text);
        free(excuses->excuse[i].where);
        free(excuses->excuse[i].file);
    }
    free(excuses->excuse);
    *excuses = (struct excuses){0};
}

/* ---- faults ------------------------------------------------------------------------------------ */

void excuses_begin(struct excuses *excuses)
{
    for (size_t i = 0; excuses && i < excuses->count; i++)
        excuses->excuse[i].faults = excuses->excuse[i].count = 0;
}

uint32_t excuses_off(const struct excuses *excuses)
{
    uint32_t off = 0;
    for (size_t i = 0; excuses && i < excuses->count; i++)
        if (!excuses->excuse[i].file && excuses->excuse[i].kind < MACHINE_FAULT_KINDS)
            off |= 1u << excuses->excuse[i].kind;
    return off;
}

/* Whether `file` is `end` or ends with it, from a slash on. */
static bool ends_with(const char *file, const char *end)
{
    return *end == '/' ? text_ends_with(file, end) : text_ends_with_name(file, end);
}

static bool is_at(const struct excuse *excuse, const char *file, int line)
{
    return line > 0 && ends_with(file, excuse->file) &&
           (!excuse->first || (line >= excuse->first && line <= excuse->last));
}

static bool is_place(const struct excuse *excuse, const struct source_place *place)
{
    bool found = place && is_at(excuse, place->file, place->line);
    for (int i = 0; place && i < place->calls && !found; i++)
        found = is_at(excuse, place->call[i].file, place->call[i].line);
    return found;
}

/* Whether it is the kernel "scale": "scale", or "scale<float>" of a template. */
static bool is_of_kernel(const struct excuse *excuse, const char *kernel)
{
    const size_t length = strlen(excuse->file);
    return kernel && !strncmp(kernel, excuse->file, length) &&
           (!kernel[length] || kernel[length] == '<');
}

bool excuses_take(struct excuses *excuses, const struct excusable *fault)
{
    bool excused = false;
    for (size_t i = 0; excuses && i < excuses->count; i++) {
        struct excuse *excuse = &excuses->excuse[i];
        const bool there = !excuse->file ? true
                           : excuse->is_kernel
                               ? is_of_kernel(excuse, fault->kernel)
                               : is_place(excuse, fault->here) || is_place(excuse, fault->other);
        if (!there || (excuse->kind != EXCUSE_ANY && excuse->kind != fault->kind))
            continue;
        excuse->faults++;
        excuse->count += fault->count;
        excused = true;
    }
    return excused;
}

/* ---- what is told of them ------------------------------------------------------------------------ */

/* Kinds of the machine's are not even looked for; of the host's, it is known how many there were. */
static bool is_off(const struct excuse *excuse)
{
    return !excuse->file && excuse->kind < MACHINE_FAULT_KINDS;
}

static const char *times(uint64_t count, char *text, size_t room)
{
    snprintf(text, room, " (%" PRIu64 " times)", count);
    return count > 1 ? text : "";
}

void excuses_print(FILE *file, const struct excuses *excuses, const char *prefix)
{
    char often[40];
    for (size_t i = 0; excuses && i < excuses->count; i++) {
        const struct excuse *excuse = &excuses->excuse[i];
        fprintf(file, "%s%s: %s: ", prefix, excuse->where, excuse->text);
        if (is_off(excuse))
            fputs("not looked for\n", file);
        else if (excuse->faults)
            fprintf(file, "excuses %" PRIu64 " fault%s%s\n", excuse->faults,
                    excuse->faults == 1 ? "" : "s", times(excuse->count, often, sizeof often));
        else
            fputs("excuses nothing: there was no such fault\n", file);
    }
}

void excuses_json(cJSON *to, const struct excuses *excuses)
{
    cJSON *list = excuses && excuses->count ? cJSON_AddArrayToObject(to, "excuses") : NULL;
    for (size_t i = 0; list && i < excuses->count; i++) {
        const struct excuse *excuse = &excuses->excuse[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "excuse", excuse->text);
        if (is_off(excuse)) {
            cJSON_AddTrueToObject(item, "off");
        } else {
            cJSON_AddNumberToObject(item, "faults", (double)excuse->faults);
            cJSON_AddNumberToObject(item, "count", (double)excuse->count);
        }
        cJSON_AddItemToArray(list, item);
    }
}
