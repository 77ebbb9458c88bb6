/* listing.c - the instructions that a kernel became, each with its line of the user's source and with what ptxas
 * makes of it.
 *
 * A unit's PTX is read as the machine reads it, with the loops taken together that ptxas takes together, and stays
 * read for the launches that follow.
 */
#include "program/listing.h"
#include "grade/code.h"
#include "system/file.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PTX = 1 << 28 };

struct listed_unit {
    char *text;
    struct machine_memory *memory;
    struct machine_module *module; /* NULL: it could not be read */
    bool read;
};
struct listings {
    struct source_lines *lines;
    struct listed_unit *unit;
    int units;
};

struct listings *listings_new(struct source_lines *lines)
{
    const struct built_program *program = lines_program(lines);
    struct listings *listings = memory_new(1, sizeof *listings);
    listings->lines = lines;
    listings->units = program ? program->compiled.units : 0;
    listings->unit = memory_new((size_t)listings->units + 1, sizeof *listings->unit);
    return listings;
}

void listings_free(struct listings *listings)
{
    for (int i = 0; listings && i < listings->units; i++) {
        machine_unload(listings->unit[i].module);
        if (listings->unit[i].memory)
            machine_memory_free(listings->unit[i].memory);
        free(listings->unit[i].text);
    }
    if (listings)
        free(listings->unit);
    free(listings);
}

/* ---- reading ----------------------------------------------------------------------------------- */

/* Says which loops are taken together, as in struct widths. */
static void tell_loops(struct machine_module *module, const char *loops)
{
    for (const char *at = loops; *at;) {
        char *name;
        const bool first_apart = !strncmp(at, "1+", 2);
        const long line = strtol(at + (first_apart ? 2 : 0), &name, 10);
        name += *name == ' ';
        const int length = (int)strcspn(name, "\n");
        machine_unroll(module, name, length, (int)line, first_apart);
        at = name + length;
        at += *at == '\n';
    }
}

static void read_unit(const struct listings *listings, struct listed_unit *unit, const char *path)
{
    const struct built_program *program = lines_program(listings->lines);
    struct error ignored = {{0}};
    size_t length;
    unit->read = true;
    unit->text = file_read(path, MOST_PTX, &length, &ignored);
    unit->memory = unit->text ? machine_memory_new(&heap_allocator) : NULL;
    if (!unit->memory)
        return;
    const struct machine_text text = {unit->text, length, path};
    unit->module = machine_load(unit->memory, &text, 1, &ignored);
    if (unit->module && lines_of_ptx(listings->lines))
        machine_own_lines(unit->module);
    for (int i = 0; unit->module && i < program->widths_count; i++)
        tell_loops(unit->module, program->widths[i].loops);
}

/* The decoded kernel of that name, and the module that it is in; NULL: none. */
static struct machine_kernel *find_kernel(struct listings *listings, const char *name,
                                          struct machine_module **module)
{
    const struct built_program *program = lines_program(listings->lines);
    struct error ignored = {{0}};
    for (int i = 0; i < listings->units; i++) {
        struct listed_unit *unit = &listings->unit[i];
        if (!unit->read)
            read_unit(listings, unit, program->compiled.unit[i].ptx);
        struct machine_kernel *kernel = unit->module ? machine_kernel(unit->module, name) : NULL;
        *module = unit->module;
        if (kernel && machine_kernel_decode(kernel, &ignored))
            return kernel;
    }
    return NULL;
}

/* The kernel that an access is of, as the PTX has its name; freed by the caller. NULL: none. */
static char *kernel_of(const struct listings *listings, uint64_t pc)
{
    const struct records_taken *taken = lines_taken(listings->lines);
    uint64_t access;
    for (uint64_t i = 0; lines_is_access(pc, &access) && i < taken->kernels; i++) {
        const struct records_kernel *kernel = &taken->kernel[i];
        if (access - kernel->first_access < kernel->accesses)
            return memory_copy_of(taken->text + kernel->name.at, (size_t)kernel->name.length);
    }
    return NULL;
}

/* ---- rows -------------------------------------------------------------------------------------- */

struct listed_lines {
    struct source_lines *lines;
    const struct machine_module *module;
};

/* The first place of the user's, of the calls by which an instruction was inlined. */
static const char *user_place(const void *context, int site, int *line)
{
    const struct listed_lines *listed = context;
    const struct machine_module *module = listed->module;
    while (site >= 0) {
        struct machine_site is;
        machine_module_site(module, site, &is);
        const char *file = lines_user_file(listed->lines, is.file);
        *line = is.line;
        if (file && text_is_clean(file))
            return file;
        site = is.inlined_at;
    }
    *line = 0;
    return "";
}

void listing_add(struct listings *listings, uint64_t pc, struct trace_header *header)
{
    struct machine_module *module = NULL;
    char *name = kernel_of(listings, pc);
    struct machine_kernel *kernel = name ? find_kernel(listings, name, &module) : NULL;
    const struct listed_lines listed = {listings->lines, module};
    size_t bytes = 0;
    bool room = kernel && kernel_code(kernel, user_place, &listed, header, &bytes);
    if (room && name)
        room = listing_add_sass(listings->lines, name, &bytes, header);
    if (!room && header->codes)
        header_cut_code(header);
    free(name);
}

int listing_find(const struct listings *listings, uint64_t pc, const struct trace_header *header)
{
    const struct records_taken *taken = lines_taken(listings->lines);
    uint64_t access;
    if (!header->codes || !lines_is_access(pc, &access) || access >= taken->accesses)
        return -1;
    const struct records_text text = taken->access[access].text;
    char *told = memory_copy_of(taken->text + text.at, (size_t)text.length);
    for (char *c = told; *c; c++)
        *c = *c == '?' ? ' ' : *c; /* what tabs have become on the way */
    const int found = kernel_code_find(header, told, (int)text.length);
    free(told);
    return found;
}
