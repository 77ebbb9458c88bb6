/* listing.c - the instructions that a kernel became, each with its line of the user's source and with what ptxas
 * makes of it.
 *
 * A unit's PTX is read as the machine reads it, with the loops taken together that ptxas takes together, and stays
 * read for the launches that follow.
 */
#include "program/listing.h"
#include "system/file.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PTX = 1 << 28, ROW_TEXT = 400 /* bytes of an instruction's text */ };

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

/* Says which loops are taken together: lines "LINE FUNCTION". */
static void tell_loops(struct machine_module *module, const char *loops)
{
    for (const char *at = loops; *at;) {
        char *name;
        const long line = strtol(at, &name, 10);
        name += *name == ' ';
        const int length = (int)strcspn(name, "\n");
        machine_unroll(module, name, length, (int)line);
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

/* One line of text, without the space that columns of the PTX are lined up with. */
static char *one_line(const char *text, int length)
{
    char line[ROW_TEXT];
    size_t used = 0;
    bool space = false;
    for (int i = 0; i < length && used + 2 < sizeof line; i++) {
        const bool blank = strchr(" \t\r\n", text[i]) != NULL;
        if (!blank && space && used)
            line[used++] = ' ';
        if (!blank)
            line[used++] = text[i];
        space = blank;
    }
    line[used] = '\0';
    return memory_copy(text_is_clean(line) ? line : "?");
}

/* Whether `part` joins this one, whose text may have a predicate before it. */
static bool is_joined_by(const struct machine_instruction *row,
                         const struct machine_instruction *part)
{
    return part->became == MACHINE_PART && part->lead >= row->text &&
           part->lead < row->text + row->text_length;
}

static int count_parts(const struct machine_instruction *row, int rows, int at)
{
    int parts = 0;
    for (int i = 0; i < rows; i++)
        parts += is_joined_by(&row[at], &row[i]);
    return parts;
}

/* The text of the instruction that `part` joins. */
static char *lead_of(const struct machine_instruction *row, int rows,
                     const struct machine_instruction *part)
{
    for (int i = 0; i < rows; i++)
        if (is_joined_by(&row[i], part))
            return one_line(row[i].text, row[i].text_length);
    return memory_copy("another");
}

static char *say_became(const struct machine_instruction *row, int rows, int at)
{
    const struct machine_instruction *now = &row[at];
    char text[ROW_TEXT + 100] = "", *lead;
    switch (now->became) {
    case MACHINE_AS_WRITTEN:
        break;
    case MACHINE_LEADS:
        if (count_parts(row, rows, at))
            snprintf(text, sizeof text, "joined: one access of %d bytes with %d more (%s)",
                     now->bytes, count_parts(row, rows, at), now->why);
        else
            snprintf(text, sizeof text, "split: %d bytes are accessed (%s)", now->bytes, now->why);
        break;
    case MACHINE_PART:
        lead = lead_of(row, rows, now);
        snprintf(text, sizeof text, "joined: counted with %s (%s)", lead, now->why);
        free(lead);
        break;
    case MACHINE_VANISHES:
        snprintf(text, sizeof text, "gone: no such access in machine code (%s)", now->why);
        break;
    }
    return memory_copy(text);
}

/* The first place of the user's, of the calls by which an instruction was inlined. */
static const char *user_place(const struct listings *listings, const struct machine_module *module,
                              int site, int *line)
{
    while (site >= 0) {
        struct machine_site is;
        machine_module_site(module, site, &is);
        const char *file = lines_user_file(listings->lines, is.file);
        *line = is.line;
        if (file && text_is_clean(file))
            return file;
        site = is.inlined_at;
    }
    *line = 0;
    return "";
}

bool listing_add_row(struct trace_header *header, size_t *bytes, const struct trace_code *row)
{
    *bytes += strlen(row->text) + strlen(row->became);
    if (header->codes == MAX_CODE || *bytes > MAX_CODE_BYTES) {
        free(row->file);
        free(row->text);
        free(row->became);
        return false;
    }
    header->code[header->codes++] = *row;
    return true;
}

/* The last row says that there are more. */
static void say_cut(struct trace_header *header)
{
    struct trace_code *last = &header->code[header->codes - 1];
    free(last->file);
    free(last->text);
    free(last->became);
    *last = (struct trace_code){memory_copy(""),
                                memory_copy("(a recording keeps no more instructions than these)"),
                                memory_copy(""), 0, 0};
}

void listing_add(struct listings *listings, uint64_t pc, struct trace_header *header)
{
    struct machine_module *module = NULL;
    char *name = kernel_of(listings, pc);
    struct machine_kernel *kernel = name ? find_kernel(listings, name, &module) : NULL;
    int rows = 0, line;
    size_t bytes = 0;
    const struct machine_instruction *row = kernel ? machine_kernel_listing(kernel, &rows) : NULL;
    header->code = memory_new(MAX_CODE, sizeof *header->code);
    bool room = row;
    for (int i = 0; room && i < rows; i++) {
        const char *file = user_place(listings, module, row[i].site, &line);
        if (row[i].label)
            room = listing_add_row(header, &bytes,
                                   &(struct trace_code){memory_copy(""),
                                                        one_line(row[i].label, row[i].label_length),
                                                        memory_copy(""), 0, 0});
        if (room)
            room = listing_add_row(header, &bytes,
                                   &(struct trace_code){memory_copy(file),
                                                        one_line(row[i].text, row[i].text_length),
                                                        say_became(row, rows, i), line, 0});
    }
    if (room && name)
        room = listing_add_sass(listings->lines, name, &bytes, header);
    if (!room && header->codes)
        say_cut(header);
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
    char *wanted = one_line(told, (int)text.length);
    int found = -1;
    for (int i = 0; found < 0 && i < header->codes; i++) {
        const char *end = strrchr(header->code[i].text, '@') == header->code[i].text
                              ? strchr(header->code[i].text, ' ')
                              : NULL;
        found = strcmp(end ? end + 1 : header->code[i].text, wanted) ? -1 : i;
    }
    free(told);
    free(wanted);
    return found;
}
