/* gpu_places.c - from a GPU's program counters to source lines: the functions that a program launched
 * (struct record_function) and the line tables of its cubins, which inject/ keeps in a folder.
 */
#include "program/compile/cubin.h"
#include "program/program.h"
#include "system/file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct module {
    uint32_t number;
    struct cubin cubin;
};

struct gpu_places {
    const char *folder;
    struct record_function *function;
    size_t functions, function_room;
    struct module *module;
    size_t modules, module_room;
    char **file; /* paths that line tables name */
    size_t files, file_room;
};

struct gpu_places *gpu_places_new(const char *folder)
{
    struct gpu_places *places = memory_new(1, sizeof *places);
    places->folder = folder;
    return places;
}

void gpu_places_free(struct gpu_places *places)
{
    if (!places)
        return;
    for (size_t i = 0; i < places->modules; i++)
        cubin_free(&places->module[i].cubin);
    for (size_t i = 0; i < places->files; i++)
        free(places->file[i]);
    free(places->file);
    free(places->module);
    free(places->function);
    free(places);
}

bool gpu_places_add(struct gpu_places *places, const struct record_function *function,
                    struct error *error)
{
    for (size_t i = 0; i < places->functions; i++)
        if (places->function[i].pc == function->pc)
            return places->function[i] = *function, true;
    if (!memory_grow(&places->function, &places->function_room, places->functions + 1,
                     sizeof *function, "functions of the program", error))
        return false;
    places->function[places->functions++] = *function;
    return true;
}

/* The number of a path, new if need be; -1: out of memory. */
static int number_path(struct gpu_places *places, const char *path)
{
    struct error ignored = {{0}};
    for (size_t i = 0; i < places->files; i++)
        if (!strcmp(places->file[i], path))
            return (int)i;
    if (places->files == INT_MAX ||
        !memory_grow(&places->file, &places->file_room, places->files + 1, sizeof *places->file,
                     "source files", &ignored))
        return -1;
    places->file[places->files] = memory_copy(path);
    return (int)places->files++;
}

/* The number of a file of a line table. */
static int number_file(void *context, const char *folder, const char *name)
{
    char path[2 * PATH_MAX];
    bool whole = *name == '/' || !*folder;
    snprintf(path, sizeof path, "%s%s%s", whole ? "" : folder, whole ? "" : "/", name);
    return number_path(context, path);
}

/* The cubin of that number; one that cannot be read is empty. NULL: out of memory. */
static const struct cubin *module_of(struct gpu_places *places, uint32_t number)
{
    struct error ignored = {{0}};
    for (size_t i = 0; i < places->modules; i++)
        if (places->module[i].number == number)
            return &places->module[i].cubin;
    if (!memory_grow(&places->module, &places->module_room, places->modules + 1,
                     sizeof *places->module, "cubins", &ignored))
        return NULL;
    struct module *module = &places->module[places->modules++];
    *module = (struct module){.number = number};
    char path[PATH_MAX];
    size_t size;
    snprintf(path, sizeof path, "%s/%u.cubin", places->folder, number);
    char *bytes = file_read(path, MOST_CUBIN, &size, &ignored);
    if (bytes)
        cubin_read(&module->cubin, bytes, size, number_file, places, &ignored);
    free(bytes);
    return &module->cubin;
}

static int compare_at(const void *key, const void *access)
{
    uint32_t at = *(const uint32_t *)key, other = ((const struct cubin_access *)access)->at;
    return (at > other) - (at < other);
}

/* The access of a function at a byte, NULL: none is known. */
static const struct cubin_access *access_at(const struct cubin *cubin, const char *function,
                                            uint32_t at)
{
    for (size_t i = 0; cubin && i < cubin->functions; i++)
        if (!strcmp(cubin->function[i].name, function)) {
            const struct cubin_function *of = &cubin->function[i];
            const struct cubin_access *access =
                of->accesses
                    ? bsearch(&at, of->access, of->accesses, sizeof *of->access, compare_at)
                    : NULL;
            return access || !of->globals
                       ? access
                       : bsearch(&at, of->global, of->globals, sizeof *of->global, compare_at);
        }
    return NULL;
}

void gpu_places_find(struct gpu_places *places, uint64_t pc, struct source_place *place)
{
    const struct record_function *function = NULL;
    for (size_t i = 0; i < places->functions && !function; i++)
        if (pc - places->function[i].pc < places->function[i].bytes)
            function = &places->function[i];
    if (!function)
        return;
    uint32_t at = (uint32_t)(pc - function->pc);
    const struct cubin_access *access =
        access_at(module_of(places, function->module), function->name, at);
    int number = access && access->line ? access->file : -1;
    if (access) {
        place->op = access->op;
        place->past_l1 = access->past_l1;
    }
    place->line = number < 0 ? 0 : access->line;
    if (number < 0) { /* compiled without -lineinfo: where in the machine code */
        char text[32];
        snprintf(text, sizeof text, "+%#x", at);
        number = number_path(places, text);
    }
    if (number >= 0)
        place->file = places->file[number];
    for (int i = 0; access && i < access->calls; i++)
        place->call[place->calls++] =
            (struct source_call){places->file[access->call[i].file], access->call[i].line};
}
