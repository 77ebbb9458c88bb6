/* module_places.c - reads the files and places that PTX names: .file, .loc and what debug sections say of inlining. */
#include "machine/ptx/ptx.h"

#include <stdio.h>
#include <string.h>

static bool refused(struct error *error)
{
    return error_set(error, "out of memory for the program's code");
}

bool ptx_read_file(struct ptx_module *module, struct ptx_unit *unit, struct ptx_lexer *lexer,
                   struct error *error)
{
    struct slice number = lexer->now.text, *file = arena_new(&module->arena, sizeof *file);
    if (!file)
        return refused(error);
    ptx_next(lexer);
    if (lexer->now.kind != PTX_STRING || lexer->now.text.length < 2)
        return ptx_wrong(unit, lexer, error, "a file's name is expected");
    *file = (struct slice){lexer->now.text.at + 1, lexer->now.text.length - 2};
    ptx_next(lexer);
    while (ptx_accept(lexer, ",")) /* time and size */
        ptx_next(lexer);
    return names_set(&unit->files, &module->arena, number, file) || refused(error);
}

int ptx_site_number(struct ptx_module *module, struct ptx_site site)
{
    char key[128];
    int length = snprintf(key, sizeof key, "%p %d %d %d %p", (const void *)site.file.at, site.line,
                          site.column, site.inlined_at, (const void *)site.function.at);
    struct slice text = {key, length};
    uintptr_t known = (uintptr_t)names_find(&module->site_numbers, text);
    if (known)
        return (int)known - 1;
    char *copy = arena_new(&module->arena, (size_t)length);
    if (!copy || !arena_grow(&module->arena, &module->site, &module->site_room, module->sites + 1,
                             sizeof *module->site))
        return -1;
    memcpy(copy, key, (size_t)length);
    module->site[module->sites++] = site;
    text.at = copy;
    return names_set(&module->site_numbers, &module->arena, text, (void *)(uintptr_t)module->sites)
               ? module->sites - 1
               : -1;
}

/* FILE LINE COLUMN */
static bool read_place(struct ptx_module *module, struct ptx_unit *unit, struct ptx_lexer *lexer,
                       struct ptx_site *site, struct error *error)
{
    (void)module;
    uint64_t number[3] = {0};
    const struct slice *file = names_find(&unit->files, lexer->now.text);
    for (int i = 0; i < 3; i++)
        if (!ptx_read_number(unit, lexer, &number[i], error))
            return false;
    if (file)
        site->file = *file;
    site->line = (int)(number[1] & 0x7fffffff);
    site->column = (int)(number[2] & 0x7fffffff);
    site->inlined_at = -1;
    return true;
}

enum { MOST_INLINED = 200 };

/* The site that was last told of with this place: what inlined_at means, which does not say by which calls
 * that came there. NULL: no memory. */
static int *latest_site(struct ptx_module *module, struct ptx_site site)
{
    char key[64];
    struct slice text = {key, snprintf(key, sizeof key, "%p %d %d", (const void *)site.file.at,
                                       site.line, site.column)};
    int *latest = names_find(&module->latest_sites, text);
    if (latest)
        return latest;
    char *copy = arena_new(&module->arena, (size_t)text.length);
    latest = arena_new(&module->arena, sizeof *latest);
    if (!copy || !latest)
        return NULL;
    memcpy(copy, key, (size_t)text.length);
    text.at = copy;
    *latest = -1;
    return names_set(&module->latest_sites, &module->arena, text, latest) ? latest : NULL;
}

bool ptx_read_loc(struct ptx_module *module, struct ptx_unit *unit, struct ptx_lexer *lexer,
                  int *number, struct error *error)
{
    struct ptx_site site = {.inlined_at = -1}, caller = {.inlined_at = -1};
    int *latest;
    if (!read_place(module, unit, lexer, &site, error))
        return false;
    while (ptx_accept(lexer, ",")) {
        if (ptx_accept(lexer, "function_name")) {
            const struct slice *name = names_find(&unit->strings, lexer->now.text);
            if (name)
                site.function = *name;
            ptx_next(lexer);
            uint64_t offset;
            if (ptx_accept(lexer, "+") && !ptx_read_number(unit, lexer, &offset, error))
                return false;
        } else if (ptx_accept(lexer, "inlined_at")) {
            if (!read_place(module, unit, lexer, &caller, error))
                return false;
            if (!(latest = latest_site(module, caller)))
                return refused(error);
            const bool told = *latest >= 0 && module->site[*latest].depth < MOST_INLINED;
            site.inlined_at = told ? *latest : ptx_site_number(module, caller);
            site.depth = told ? module->site[*latest].depth + 1 : 1;
        } else {
            return ptx_wrong(unit, lexer, error, "this .loc is not understood");
        }
    }
    *number = ptx_site_number(module, site);
    if (*number < 0 || !(latest = latest_site(module, site)))
        return refused(error);
    *latest = *number;
    return true;
}

/* The bytes of a string in .debug_str: `$L__info_string0:` `.b8 95,90,...,0`. */
static bool read_string(struct ptx_module *module, struct ptx_unit *unit, struct ptx_lexer *lexer,
                        struct slice label, struct error *error)
{
    struct slice *text = arena_new(&module->arena, sizeof *text);
    char *bytes = NULL;
    int room = 0, length = 0;
    bool ended = false;
    if (!text)
        return refused(error);
    while (!ended && ptx_accept(lexer, ".b8")) {
        do {
            uint64_t byte;
            if (!ptx_read_number(unit, lexer, &byte, error))
                return false;
            if (!arena_grow(&module->arena, &bytes, &room, length + 1, 1))
                return refused(error);
            ended = !byte;
            if (!ended)
                bytes[length++] = (char)byte;
        } while (ptx_accept(lexer, ","));
    }
    *text = (struct slice){bytes, length};
    return names_set(&unit->strings, &module->arena, label, text) || refused(error);
}

bool ptx_read_section(struct ptx_module *module, struct ptx_unit *unit, struct ptx_lexer *lexer,
                      struct error *error)
{
    bool strings = ptx_at(lexer, ".debug_str");
    while (lexer->now.kind != PTX_END && !ptx_at(lexer, "{"))
        ptx_next(lexer);
    ptx_next(lexer);
    while (lexer->now.kind != PTX_END && !ptx_at(lexer, "}")) {
        struct slice label = lexer->now.text;
        ptx_next(lexer);
        if (strings && ptx_accept(lexer, ":") && !read_string(module, unit, lexer, label, error))
            return false;
    }
    ptx_next(lexer);
    return true;
}
